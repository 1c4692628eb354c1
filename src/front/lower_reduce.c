/* Reductions of arrays and matrix products: loops where the element is wanted. */
#include "front/lower_array.h"
#include <string.h>

/* Sums of integers are int64, as NumPy's; a matrix product keeps the operands' type. */
static ir_value *start_of(lower *l, const ast *n, int code, bool wide, fv first) {
    if (code == OP_add || code == OP_mul)
        return int_const(l, n, wide ? DT_i64 : DT_wint, code == OP_mul);
    return lower_as_val(l, first, n->at);
}

static void accumulate(lower *l, const ast *n, int code, ir_value *cell, fv x) {
    ir_value *in[2] = {emit(l, n, OP_get, ir_any(), 1, &cell), lower_as_val(l, x, n->at)};
    cell_set(l, n, cell, emit(l, n, code, ir_any(), 2, in));
}

/* The whole index in the operand: the kept ones of `index`, `k` along the reduced axis (all axes
   when axis is negative: then k has one for each). */
static void spread(const array *a, ir_value *const *index, ir_value *const *k, ir_value **out) {
    int kept = 0;
    for (int d = 0; d < a->args[0].arr->rank; d++)
        out[d] = a->axis < 0 ? k[d] : d == a->axis ? k[0] : index[kept++];
}

static fv product_element(lower *l, const ast *n, const array *a, ir_value *const *index,
                          ir_value *k) {
    const array *x = a->args[0].arr, *y = a->args[1].arr;
    ir_value *left[2] = {x->rank == 2 ? index[0] : k, k},
             *right[2] = {k, y->rank == 2 ? index[a->rank - 1] : k};
    fv both[2] = {array_element(l, n, x, left), array_element(l, n, y, right)};
    return l->st == OK ? lower_arith(l, n, OP_mul, both) : (fv){0};
}

fv array_reduced(lower *l, const ast *n, const array *a, ir_value *const *index) {
    const array *x = a->args[0].arr;
    bool product = a->kind == A_product;
    int loops = product || a->axis >= 0 ? 1 : x->rank;
    ir_value *k[MAX_ARRAY], *at[MAX_ARRAY], *cell = cell_new(l, NULL, n->at);
    for (int d = 0; d < loops; d++)
        k[d] = int_const(l, n, DT_i64, 0);
    if (!product)
        spread(a, index, k, at);
    bool needs_first = a->code == OP_max || a->code == OP_min;
    fv first = needs_first ? array_element(l, n, x, at) : (fv){0};
    cell_set(l, n, cell, start_of(l, n, a->code, !product, first));
    ir_region *outer = l->r;
    for (int d = 0; d < loops; d++)
        k[d] = array_loop(l, n, x->dim[product ? x->rank - 1 : a->axis >= 0 ? a->axis : d]);
    if (!product)
        spread(a, index, k, at);
    fv e = product ? product_element(l, n, a, index, k[0]) : array_element(l, n, x, at);
    if (l->st == OK)
        accumulate(l, n, a->code, cell, e);
    array_end_loops(l, n, loops, outer);
    return l->st == OK ? fv_val(emit(l, n, OP_get, ir_any(), 1, &cell)) : (fv){0};
}

/* A rank of 0 is computed at once. */
static fv finished(lower *l, const ast *n, array *a) {
    return l->st != OK ? (fv){0} : a->rank ? array_fv(a) : array_reduced(l, n, a, NULL);
}

fv array_matmul(lower *l, const ast *n, fv a, fv b) {
    fv both[2] = {array_keep(l, n, a), array_keep(l, n, b)};
    if (l->st != OK)
        return (fv){0};
    const array *x = is_array(both[0]) ? array_of(l, n, both[0]) : NULL,
                *y = is_array(both[1]) ? array_of(l, n, both[1]) : NULL;
    if (!x || !y || x->rank > 2 || y->rank > 2) {
        fail(l, n, "subscript the operands down to matrices and vectors",
             "a matrix product needs arrays of 1 or 2 dimensions");
        return (fv){0};
    }
    array *p = array_new(l, A_product, 0);
    p->code = OP_add;
    p->nargs = 2;
    p->args = ARENA_ARRAY(l->mem, fv, 2);
    p->args[0] = array_fv(x);
    p->args[1] = array_fv(y);
    if (x->rank == 2)
        p->dim[p->rank++] = x->dim[0];
    if (y->rank == 2)
        p->dim[p->rank++] = y->dim[1];
    if (!same_value(x->dim[x->rank - 1], y->dim[0])) {
        fv m = fv_val(x->dim[x->rank - 1]), k = fv_val(y->dim[0]);
        throw_if(l, n, emit_index(l, n, OP_ne, m.v, k.v), "ValueError",
                 text_format(l, n, "the inner extents of a matrix product are %v and %v", &m, &k));
    }
    return finished(l, n, p);
}

static fv reduce(lower *l, const ast *n, int code, fv x, int axis, const char *name) {
    const array *in = array_of(l, n, x);
    if (axis >= 0 && in->kind != A_view)
        in = array_of(l, n, array_keep(l, n, x));
    if (l->st != OK)
        return (fv){0};
    if (axis >= in->rank) {
        fail(l, n, arena_printf(l->mem, "write an axis from %d to %d", -in->rank, in->rank - 1),
             "there is no axis %d in an array of %d dimension%s", axis, in->rank,
             in->rank == 1 ? "" : "s");
        return (fv){0};
    }
    array *a = array_new(l, A_reduce, 0);
    a->code = code;
    a->axis = axis;
    a->nargs = 1;
    a->args = ARENA_ARRAY(l->mem, fv, 1);
    a->args[0] = array_fv(in);
    for (int d = 0; d < in->rank; d++) {
        if (axis >= 0 && d != axis)
            a->dim[a->rank++] = in->dim[d];
        else if (code == OP_max || code == OP_min)
            throw_if(l, n, emit_index(l, n, OP_eq, in->dim[d], int_const(l, n, DT_i64, 0)),
                     "ValueError", text_format(l, n, "%s() of an empty array", name));
    }
    return finished(l, n, a);
}

static fv mean_of(lower *l, const ast *n, fv x, int axis) {
    const array *in = array_of(l, n, x);
    ir_value *count = int_const(l, n, DT_i64, 1);
    for (int d = 0; d < in->rank; d++)
        if (axis < 0 || d == axis)
            count = emit_index(l, n, OP_mul, count, in->dim[d]);
    fv both[2] = {reduce(l, n, OP_add, array_fv(in), axis, "mean"), fv_val(count)};
    return l->st == OK ? lower_arith(l, n, OP_div, both) : (fv){0};
}

/* argmax, argmin: the first place; NaN is more than everything, and less. */
static fv place_of_most(lower *l, const ast *n, int code, const array *a, const char *name) {
    ir_value *zero = int_const(l, n, DT_i64, 0), *best = cell_new(l, NULL, n->at),
             *place = cell_new(l, NULL, n->at);
    throw_if(l, n, emit_index(l, n, OP_eq, a->dim[0], zero), "ValueError",
             text_format(l, n, "%s() of an empty array", name));
    fv first = array_element(l, n, a, &zero);
    if (l->st != OK)
        return (fv){0};
    cell_set(l, n, best, lower_as_val(l, first, n->at));
    cell_set(l, n, place, zero);
    ir_region *outer = l->r;
    ir_value *i = array_loop(l, n, a->dim[0]);
    ir_value *v = lower_as_val(l, array_element(l, n, a, &i), n->at);
    ir_value *old = emit(l, n, OP_get, ir_any(), 1, &best), *both[2] = {v, old};
    ir_value *nan[2] = {emit(l, n, OP_isnan, ir_val(DT_bool, 1), 1, &v),
                        emit(l, n, OP_isnan, ir_val(DT_bool, 1), 1, &old)};
    ir_value *fresh[2] = {nan[0], emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, &nan[1])};
    ir_value *more[2] = {emit(l, n, code, ir_val(DT_bool, 1), 2, both),
                         emit(l, n, OP_and, ir_val(DT_bool, 1), 2, fresh)};
    ir_value *better = emit(l, n, OP_or, ir_val(DT_bool, 1), 2, more);
    ir_value *pick[3] = {better, v, old}, *at[3] = {better, i, NULL};
    cell_set(l, n, best, emit(l, n, OP_select, ir_any(), 3, pick));
    at[2] = emit(l, n, OP_get, ir_any(), 1, &place);
    cell_set(l, n, place, emit(l, n, OP_select, ir_any(), 3, at));
    array_end_loops(l, n, 1, outer);
    return fv_val(emit(l, n, OP_get, ir_any(), 1, &place));
}

static fv exp_of(lower *l, const ast *n, int unused, fv *x) {
    (void)unused;
    ir_value *in[1] = {lower_as_val(l, x[0], n->at)};
    return l->st == OK ? fv_val(emit(l, n, OP_exp, ir_any(), 1, in)) : (fv){0};
}

/* exp(x - max(x)) over its sum */
static fv softmax(lower *l, const ast *n, fv x) {
    fv less[2] = {x, reduce(l, n, OP_max, x, -1, "softmax")};
    fv d = l->st == OK ? lower_arith(l, n, OP_sub, less) : (fv){0};
    fv e = l->st == OK ? array_keep(l, n, array_map(l, n, exp_of, 0, &d, 1)) : (fv){0};
    if (l->st != OK)
        return (fv){0};
    fv both[2] = {e, reduce(l, n, OP_add, e, -1, "softmax")};
    return l->st == OK ? lower_arith(l, n, OP_div, both) : (fv){0};
}

/* sum, max, min, mean of one array, args[2] its axis; argmax and argmin; matmul and dot. */
bool array_call(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out) {
    bool product = !strcmp(name, "matmul") || !strcmp(name, "dot");
    if (product && nargs == 2)
        return *out = array_matmul(l, n, args[0], args[1]), true;
    static const struct {
        const char *name;
        int code;
    } rows[] = {{"sum", OP_add}, {"max", OP_max}, {"min", OP_min}, {"prod", OP_mul}, {"mean", -1}};
    int64_t axis = -1;
    bool given = nargs == 3 && args[1].kind == FV_error;
    if ((nargs != 1 && !given) || !is_array(args[0]))
        return false;
    if (given && !const_of(args[2], &axis)) {
        fail(l, n, "write axis=0", "the axis of %s() is a constant", name);
        return true;
    }
    if (nargs == 1 && !strncmp(name, "arg", 3) && array_rank(args[0]) == 1) {
        *out = place_of_most(l, n, name[4] == 'a' ? OP_gt : OP_lt, array_of(l, n, args[0]), name);
        return true;
    }
    int rank = array_of(l, n, args[0])->rank;
    if (nargs == 1 && !strcmp(name, "softmax") && array_rank(args[0]) == 1)
        return *out = softmax(l, n, args[0]), true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name))
            continue;
        axis += given && axis < 0 ? rank : 0;
        *out = rows[i].code < 0 ? mean_of(l, n, args[0], (int)axis)
                                : reduce(l, n, rows[i].code, args[0], (int)axis, name);
        return true;
    }
    return false;
}

/* x.sum(), x.max(axis=0) and the like: the functions of these names. */
fv array_method(lower *l, fv x, const char *name) {
    static const char *const names[] = {"sum",  "max",    "min",    "mean",
                                        "prod", "argmax", "argmin", "dot"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) {
            fv m = {.kind = FV_method, .st = {.kind = ST_op, .s = names[i]}, .n = 1};
            m.elts = ARENA_NEW(l->mem, fv);
            m.elts[0] = x;
            return m;
        }
    return (fv){0};
}
