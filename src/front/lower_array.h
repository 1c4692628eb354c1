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

array *array_new(lower *l, int kind, int rank);
fv array_fv(const array *a);
bool same_value(const ir_value *a, const ir_value *b);      /* surely */
ir_value *array_loop(lower *l, const ast *n, ir_value *hi); /* l->r is its body then */
void array_end_loops(lower *l, const ast *n, int count, ir_region *outer);
fv array_element(lower *l, const ast *n, const array *a, ir_value *const *index);
fv array_reduced(lower *l, const ast *n, const array *a,
                 ir_value *const *index); /* A_reduce, A_product */
const array *array_of(lower *l, const ast *n, fv x);
fv array_method(lower *l, fv x, const char *name); /* FV_error: there is none */
fv array_item(lower *l, const ast *n, fv x, ir_value *i);
#endif
