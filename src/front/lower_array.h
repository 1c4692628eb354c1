/* Arrays of the front end: what lower_array.c and the loops over arrays share. */
#ifndef FRONT_LOWER_ARRAY_H
#define FRONT_LOWER_ARRAY_H
#include "front/lower.h"

enum { MAX_ARRAY = 8 };
typedef struct {
    ir_value *at, *step; /* the subscript is at + step * i, */
    int out;             /* i of the view's dimension out; -1: at alone */
} view_dim;

struct array {
    enum { A_view, A_map, A_reduce, A_product } kind;
    int rank;
    ir_value *dim[MAX_ARRAY];                 /* extents */
    ir_value *t;                              /* A_view: of this tensor */
    view_dim base[MAX_ARRAY];                 /* by t's dimensions */
    fv (*f)(lower *, const ast *, int, fv *); /* A_map: of an element of each operand */
    int code;                                 /* for f; of the reduction */
    int axis;                                 /* A_reduce: -1 for all */
    fv *args;
    uint32_t nargs;
};

const array *array_of(lower *l, const ast *n, fv x);
fv array_item(lower *l, const ast *n, fv x, ir_value *i);
#endif
