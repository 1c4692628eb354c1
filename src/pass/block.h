/* Shared by the files that write a contraction's loops: ops appended where one is, loops opened and
   closed, and the iterators' values there. */
#ifndef PASS_BLOCK_H
#define PASS_BLOCK_H
#include "pass/contract.h"

/* Columns of a convolution, packed as the rows of an image that taps read at offsets: each element
   once, not once for each tap. Index 0 is the axis of the last iterator of the columns, 1 that of
   the one before. */
typedef struct {
    ir_value *is;               /* is it so, in this launch? */
    ir_value *step[2], *gap[2]; /* a column's and a tap's multiple of what is read */
    ir_value *phases[2];        /* columns of which the taps fall between each other */
    ir_value *halo[2];          /* columns beyond the last that taps read */
    ir_value *planes, *area;    /* of images: one for each of the other sums and phases */
    ir_value *offset;           /* where a sum's columns are, for each of the stretch */
} image;

typedef struct {
    ir_func *f;
    ir_region *r; /* where ops are appended */
    uint32_t site;
    const contraction *c;
    copies *made;
    int rows, lanes, cols;
    bool by_row; /* a panel of rows is packed row by row, `pitch` apart, not sum by sum */
    ir_value *pitch;
    int pair; /* 0, or the type that the packed words hold two (bytes: four) of: see op pairs */
    ir_value *turns;                      /* what the sums of a column start from; NULL: zero */
    ir_value *lo[MAX_ITER], *n[MAX_ITER]; /* first value and count of each iterator */
    ir_value *total[G_n];                 /* products of the counts */
    ir_value *packed[2];
    ir_value *j0, *jn, *i0, *in; /* the columns and rows at work */
    /* The stretch of sums at work: `units` of the first iterator from u0 on, kn sums in all; is it
       the first? */
    ir_value *u0, *units, *kn, *starts, *inner; /* inner: sums of a unit */
    image image;                                /* without `is`: never */
    ir_value *line; /* what the columns' last iterator counts to in a flat index; NULL: its end */
    int one;        /* a side whose products `one` are their iterator alone here; -1 */
    ir_value *map[MAX_ITER], *sum; /* while cloning */
} block;

ir_value *bl_num(block *b, int64_t v);
ir_value *bl_two(block *b, int code, ir_value *x, ir_value *y);
/* x / y and the rest of it, where x is not negative and y is positive. */
ir_value *bl_div(block *b, ir_value *x, ir_value *y);
ir_value *bl_rem(block *b, ir_value *x, ir_value *y);
ir_value *bl_times(block *b, ir_value *x, int64_t k);
ir_value *bl_panels(block *b, ir_value *n, int64_t size); /* ceil(n / size), n >= 0 */
ir_value *bl_compare(block *b, int code, ir_value *x, ir_value *y);
ir_value *bl_zero(block *b);
ir_value *bl_fast(ir_value *v); /* an add or mul of an accumulation */
ir_value *bl_load(block *b, ir_value *t, ir_value *at);
void bl_store(block *b, ir_value *t, ir_value *v, ir_value *at);
ir_value *bl_vload(block *b, ir_value *t, ir_value *at); /* whole vectors */
void bl_vstore(block *b, ir_value *t, ir_value *v, ir_value *at);

static inline ir_value *bl_add(block *b, ir_value *x, ir_value *y) {
    return bl_two(b, OP_add, x, y);
}
static inline ir_value *bl_sub(block *b, ir_value *x, ir_value *y) {
    return bl_two(b, OP_sub, x, y);
}
static inline ir_value *bl_mul(block *b, ir_value *x, ir_value *y) {
    return bl_two(b, OP_mul, x, y);
}
static inline ir_value *bl_least(block *b, ir_value *x, ir_value *y) {
    return bl_two(b, OP_min, x, y);
}
static inline ir_value *bl_most(block *b, ir_value *x, ir_value *y) {
    return bl_two(b, OP_max, x, y);
}

/* What is appended after an open is the body, up to the close. */
void bl_yield(block *b, unsigned n, ir_value *const *v);
ir_value *bl_open_step(block *b, ir_value *lo, ir_value *hi, int64_t step, const char *name);
ir_value *bl_open(block *b, ir_value *hi, const char *name);
ir_value *bl_open_simd(block *b, ir_value *n, const char *name);
/* Pieces of 0 to n that run at once, and the loop over one: closed by two closes. */
ir_value *bl_open_parallel(block *b, ir_value *n, const char *name);
ir_op *bl_open_if(block *b, ir_value *cond); /* its first arm; */
void bl_otherwise(block *b, ir_op *op);      /* on to its second */
void bl_close(block *b);

/* A loop that carries n sums (step: NULL for 1); next: what they are after a round. */
ir_op *bl_open_sum(block *b, int n, ir_value *lo, ir_value *hi, ir_value *step,
                   ir_value *const *init);
void bl_close_sum(block *b, const ir_op *loop, ir_value *const *next);

/* From here on the iterators of a group are what they are at a flat index. */
void bl_place(block *b, int g, ir_value *at);

/* A loop over count flat indices of a group from `from` on, with the map of its iterators kept. */
typedef struct {
    int g;
    ir_value *index[MAX_ITER], *counter;
} walk_of;
walk_of bl_open_walk(block *b, int g, ir_value *from, ir_value *count, const char *name);
void bl_close_walk(block *b, const walk_of *w);

/* The loops over the stretch; returns the number of the sum in it. */
ir_value *bl_open_sums(block *b);
void bl_close_sums(block *b);

/* The loop over the segments of n flat indices from `at` on in which only the group's last iterator
   runs: from index `from` of it on, `n` of them, which are number `first` and so on of all. The map
   has the other iterators. */
typedef struct {
    int g;
    ir_value *first, *from, *n;
} segment;
segment bl_open_segments(block *b, int g, ir_value *at, ir_value *n);
void bl_close_segments(block *b, const segment *s);
/* The loop over a segment, in vectors or not; returns the number among all. */
ir_value *bl_open_segment(block *b, const segment *s, bool simd);

/* Opens the loop over n by `step`; first and here: what of it is at work. */
void bl_open_blocks(block *b, ir_value *n, ir_value *step, ir_value **first, ir_value **here);

/* The packed factors. What is packed together, side by side for each sum: a panel, or several
   panels of columns where these are rows of an image, which end anywhere. */
int bl_width(const block *b, int side);
ir_value *bl_begin(block *b, int side, ir_value *p); /* where number p of a side begins; */
ir_value *bl_slot(block *b, int side, ir_value *at, ir_value *k,
                  ir_value *v); /* element v for sum k of it */
/* Packs n values of a side from flat index `from` on, for the stretch at work. */
void bl_pack(block *b, int side, ir_value *from, ir_value *n);
/* Is the load of rows such that a unit's sums, and the units, are consecutive? */
ir_value *bl_is_whole(block *b);

/* Columns as an image. What there is to know before the loops, for stretches of `step` (depth in
   all); returns how many columns to pack at once instead of cols. Then the memory for them instead
   of `panels`, the stretch's offsets, and the packing itself. */
ir_value *bl_image(block *b, ir_value *step, ir_value *depth, ir_value *cols);
ir_value *bl_image_memory(block *b, ir_value *panels);
void bl_image_offsets(block *b);
void bl_image_pack(block *b);
/* Opens the loops over columns that are packed at once, j0 and jn: one more where images may be. */
void bl_open_columns(block *b, ir_value *cols);
ir_type bl_memory(dtype dt, int space);
ir_value *bl_tmp(block *b, dtype dt, ir_value *n); /* memory for n */
ir_value *bl_choose(block *b, ir_value *cond, ir_value *x, ir_value *y);
/* The indices of the first n iterators of a group at a flat index. */
void bl_indices(block *b, int g, int n, ir_value *at, ir_value **index);
/* Are all products `one` of a side 1 times their iterator? NULL: there are none. */
ir_value *bl_ones(block *b, int side);

/* The same where the packed words hold pairs of sums, or four. */
void bl_pack_pairs(block *b, int side, ir_value *from, ir_value *n);
/* The type that they would hold; 0: they cannot. */
int bl_pair(const contraction *c, const pass_options *o);
int bl_per(const block *b);                                            /* sums in a word */
ir_value *bl_pairs(block *b, ir_value *sum, ir_value *x, ir_value *y); /* of rows, of columns */
void bl_turns(block *b, ir_value *cols);              /* memory for what their sums start from */
ir_value *bl_as(block *b, ir_value *v, dtype to);     /* a conversion */
ir_value *bl_vector(block *b, int code, ir_value *x); /* a splat, say */

/* v once more here, for the iterators' values in map and the sum's in sum. */
ir_value *bl_again(block *b, ir_value *v);
/* A factor with its guards, for the iterators' values in map. */
ir_value *bl_factor(block *b, int side);
/* From here on the iterator is its first value and index; values are made anew. */
void bl_where(block *b, int it, ir_value *index);
#endif
