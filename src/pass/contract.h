/* A contraction that was recognised: C[..] for all rows and columns is made of the sum of f * g,
   where rows, columns and what is summed over may each be several iterators. */
#ifndef PASS_CONTRACT_H
#define PASS_CONTRACT_H
#include "ana/guard.h"
#include "pass/pass.h"

enum { MAX_ITER = 8, MAX_GUARD = 12, MAX_ONE = 4 };
/* The groups of iterators. f depends on rows and sums, g on columns and sums. */
enum { G_rows, G_cols, G_sums, G_n };

typedef struct {
    ir_value *counter; /* of a loop; NULL: the global id along dim */
    int dim;
    ir_value *lo, *hi; /* of a loop */
} iterator;

/* Something that holds where the product is added. */
typedef struct {
    ana_guard is;
    int bits;   /* the iterators of it */
    bool outer; /* or else nothing is stored either */
} contract_guard;

/* iterator op bound, where op is a comparison: what is beyond is left alone. */
typedef struct {
    int it, code;
    ir_value *bound;
} contract_clip;

/* Iterator `tap` of the sums (-1: none) goes with an iterator of the columns: the factor depends on
   the two by step * column + gap * tap alone. NULL is 1. */
typedef struct {
    int tap;
    ir_value *step, *gap;
} contract_axis;

typedef struct {
    ir_op *top; /* the outermost loop, or the lanes */
    iterator it[MAX_ITER];
    int nit;
    int batch[MAX_ITER], nbatch;         /* iterators of both factors and of C, for work-items */
    int group[G_n][MAX_ITER], size[G_n]; /* outermost first; columns: the last is C's fastest */
    ir_value *factor[2];                 /* of rows, of columns */
    contract_guard guard[2][MAX_GUARD];  /* where the factor counts: it is zero elsewhere */
    int nguard[2];
    contract_clip clip[MAX_GUARD];
    int nclip;
    bool unit[2]; /* along the last of the group all of the factor's loads are consecutive, */
    ir_value *one[2][MAX_ONE]; /* if these products, of it and of something, are it alone */
    int none[2];
    bool unit_sums[2]; /* and along the last of the sums; a factor that is no more than a load */
    ir_op *whole;      /* of rows: such a load, whose last subscripts are the sums' iterators */
    contract_axis axis[2]; /* of the last of the columns and of the one before it */
    bool unit_store;       /* and so is C along the columns */
    ir_op *store;          /* into C */
    ir_value *sum;         /* what is summed up outside of C; NULL: C itself is added to */
    ir_value *first;       /* what the sum starts from; NULL: C */
    bool plain;            /* what is stored is the sum itself */
    ir_op *narrow[2];      /* loads of which the factors are no more than conversions, or NULL */
    bool vectors;          /* the loops as they are go along C in vectors */
    dtype acc;
} contraction;

/* Where values of the kernel were made once more, by id: good while `when` is `now`. */
typedef struct {
    ir_value **of;
    uint32_t *when, now;
} copies;

/* Puts packed, register-blocked loops before c->top, and c->top under the condition that it is too
   small to gain from them. */
void contract_block(ir_func *f, const contraction *c, copies *made, const pass_options *o);
#endif
