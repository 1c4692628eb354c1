/* Shared by the lanes pass's files. */
#ifndef PASS_LANES_H
#define PASS_LANES_H
#include "ana/uniform.h"
#include "pass/pass.h"

/* What an old value is in the vector code: the same for all lanes, base + stride * lane, or a
 * vector. */
typedef struct {
    enum { LV_uniform, LV_affine, LV_vector } kind;
    ir_value *v;
    int64_t stride;
} lane_value;

/* Where the yields of a structured op go. */
typedef struct {
    const ir_op *op;
    ir_value **cells;
    bool *vector;
    ir_value *entry_mask;
    int64_t label;  /* scopes: the new label */
    ir_value *left; /* divergent scopes: the lanes that are gone to its end */
} lane_sink;

typedef struct {
    ir_func *f;
    ana_uniform u;
    ir_region *r;            /* where code goes */
    int width;               /* 1: no vectors at all */
    int bytes;               /* of a lane of a whole machine vector */
    ir_value *mask;          /* lanes that run; NULL: all */
    ir_value *gone;          /* cell: lanes on their way to the end of a scope */
    ir_value *lo[3], *at[3]; /* first id of the block; position in it (dim 0: of lane 0) */
    ir_value *item;          /* number of lane 0's work-item in the block */
    lane_sink *sinks[256];   /* open structured ops */
    int nsinks;
    uint32_t site;
    bool *used;                 /* by value id: results of atomics */
    bool checks;                /* has touches */
    bool barriers;              /* so blocks are small */
    const struct lane_cut *cut; /* what is known of conditions where code is made now */
    bool inside;
    bool laid;        /* the block is of a known size: positions are constants */
    int64_t laid_ops; /* so far */
    uint64_t some;    /* then bit per lane that may run, */
    ir_value *sure;   /* and does where this is the mask */
} lanes;

/* The part [from, to) of a row for which the conditions of all tests are as `holds` says. */
enum { LANE_TESTS = 8 };
typedef struct lane_cut {
    const ir_op *test[LANE_TESTS];
    bool holds[LANE_TESTS];
    int n;
    ir_value *from, *to;
    bool several;   /* an equality is then taken to be rare */
    bool exact;     /* one test, and nowhere else in the row is its condition so */
    bool otherwise; /* there is something to do in the rest of the row */
} lane_cut;

ir_value *lanes_emit(lanes *s, int code, ir_type t, unsigned nin, ir_value *const *in);
ir_value *lanes_i64(lanes *s, int64_t v);
ir_value *lanes_uniform(lanes *s, const ir_value *old); /* scalar; only for uniform values */
ir_value *lanes_vector(lanes *s, const ir_value *old);
ir_value *lanes_mask(lanes *s);                          /* never NULL */
ir_value *lanes_and(lanes *s, ir_value *a, ir_value *b); /* NULL is all true */
ir_value *lanes_cell(lanes *s, ir_type t, ir_value *init);
void lanes_define(lanes *s, ir_value *old, int kind, ir_value *v, int64_t stride);
lane_value lanes_of(lanes *s, const ir_value *old);
void lanes_region(lanes *s, const ir_op *from); /* the rest of an old region, from this op on */
/* How many vectors go down the columns at once. */
int lanes_strip(const lanes *s, const ir_region *body);
/* Code for blocks of a known size, see lanes_laid.c: all chunks of the body one behind the other,
   if that is not too much; else false. n: of each dimension. */
bool lanes_lay_out(lanes *s, const ir_region *body, const int64_t *n);
/* Lanes for which a condition holds, where positions are constants; false: not known. */
bool lanes_which(lanes *s, const ir_value *cond, uint64_t *which);
uint64_t lanes_all(const lanes *s);
/* One chunk of lanes from position x; mask NULL for a whole one. */
void lanes_chunk(lanes *s, const ir_region *body, ir_value *x, ir_value *row, ir_value *mask);
/* 1 or 0 where an if's condition is known, -1 where not. */
int lanes_known(const lanes *s, const ir_op *test);
/* For a row of n; emits the bounds. */
bool lanes_find_cut(lanes *s, const ir_region *body, ir_value *n, lane_cut *cut);
bool lanes_memory(lanes *s, const ir_op *op); /* load, store, atomic, alloc */
void lanes_structure(lanes *s, ir_op *op);    /* if, for, loop, scope */
void lanes_end(lanes *s, const ir_op *op);    /* yield, leave */
#endif
