/* Arrays inside kernels: views of tensors, and expressions of them. An expression is not computed
   where it stands but element by element where it is stored, reduced or given a name, so that
   y[i, :] = exp(x[i, :]) * 2 is one loop. */
#include "front/lower_array.h"
#include <string.h>

static bool is_const(const ir_value *v, int64_t k) {
    return v->def && v->def->code == OP_iconst && v->def->attr[0].i == k;
}

/* Surely the same number: the same value, or the same extent of the same tensor. */
bool same_value(const ir_value *a, const ir_value *b) {
    if (a == b)
        return true;
    const ir_op *x = a->def, *y = b->def;
    if (!x || !y || x->code != y->code)
        return false;
    if (x->code == OP_iconst)
        return x->attr[0].i == y->attr[0].i;
    return x->code == OP_dim && x->in[0] == y->in[0] && x->attr[0].i == y->attr[0].i;
}

bool is_array(fv x) {
    return x.kind == FV_array || (x.kind == FV_val && x.v->type.kind == TY_tensor && !x.lock);
}

int array_rank(fv x) { return x.kind == FV_array ? x.arr->rank : x.v->type.rank; }

bool has_array(const fv *args, uint32_t nargs) {
    for (uint32_t i = 0; i < nargs; i++)
        if (is_array(args[i]))
            return true;
    return false;
}

array *array_new(lower *l, int kind, int rank) {
    array *a = ARENA_NEW(l->mem, array);
    a->kind = kind;
    a->rank = rank;
    return a;
}

fv array_fv(const array *a) { return (fv){.kind = FV_array, .arr = a}; }

static ir_value *dim_of(lower *l, const ast *n, ir_value *t, int axis) {
    ir_value *in[1] = {t}, *v = emit(l, n, OP_dim, ir_val(DT_i64, 1), 1, in);
    v->def->attr[0].i = axis;
    return v;
}

/* x as an array: a tensor is the view of all of itself. */
const array *array_of(lower *l, const ast *n, fv x) {
    if (x.kind == FV_array)
        return x.arr;
    array *a = array_new(l, A_view, x.v->type.rank);
    a->t = x.v;
    for (int d = 0; d < a->rank && d < MAX_ARRAY; d++) {
        a->dim[d] = dim_of(l, n, x.v, d);
        a->base[d] = (view_dim){int_const(l, n, DT_i64, 0), int_const(l, n, DT_i64, 1), d};
    }
    if (a->rank > MAX_ARRAY)
        fail(l, n, "subscript some of its dimensions", "an array has at most %d dimensions here",
             MAX_ARRAY);
    return a;
}

/* at + step * i */
static ir_value *along(lower *l, const ast *n, const view_dim *b, ir_value *i) {
    ir_value *x = is_const(b->step, 1) ? i : emit_index(l, n, OP_mul, i, b->step);
    return is_const(b->at, 0) ? x : emit_index(l, n, OP_add, b->at, x);
}

static fv view_element(lower *l, const ast *n, const array *a, ir_value *const *index, bool store,
                       fv value) {
    fv at = {.kind = FV_tuple,
             .n = a->t->type.rank,
             .elts = ARENA_ARRAY(l->mem, fv, a->t->type.rank + 1)};
    int64_t plain = 0;
    for (uint32_t d = 0; d < at.n; d++) {
        const view_dim *b = &a->base[d];
        at.elts[d] = fv_val(b->out < 0 ? b->at : along(l, n, b, index[b->out]));
        plain |= (int64_t)(b->out >= 0) << d;
    }
    if (store) {
        lower_store(l, n, a->t, at, value);
        if (l->st == OK && l->r->last && l->r->last->code == OP_store)
            l->r->last->attr[0].i = plain;
        return value;
    }
    fv x = lower_load(l, n, a->t, at);
    if (l->st == OK && x.v->def->code == OP_load)
        x.v->def->attr[0].i = plain;
    return x;
}

ir_value *array_loop(lower *l, const ast *n, ir_value *hi) {
    ir_op *op = ir_op_new(l->f, OP_for, ir_site(l->f, n->at), 3, 0, 1);
    op->in[0] = int_const(l, n, DT_i64, 0);
    op->in[1] = hi;
    op->in[2] = int_const(l, n, DT_i64, 1);
    ir_value *i = ir_region_arg(l->f, op->reg[0], ir_val(DT_i64, 1), NULL);
    ir_append(l->r, op);
    l->r = op->reg[0];
    return i;
}

void array_end_loops(lower *l, const ast *n, int count, ir_region *outer) {
    for (; count > 0; count--) {
        empty_region(l, n, l->r);
        l->r = l->r->owner->parent;
    }
    l->r = outer;
}

/* What operand x gives to element `index` of an array of that rank: its own trailing dimensions,
   place 0 where it has an extent of 1. */
static fv operand(lower *l, const ast *n, const array *a, fv x, ir_value *const *index) {
    if (!is_array(x))
        return x;
    const array *b = array_of(l, n, x);
    ir_value *mine[MAX_ARRAY];
    for (int d = 0; d < b->rank; d++) {
        int out = a->rank - b->rank + d;
        ir_value *zero = int_const(l, n, DT_i64, 0);
        if (is_const(b->dim[d], 1))
            mine[d] = zero;
        else if (same_value(b->dim[d], a->dim[out]))
            mine[d] = index[out];
        else {
            ir_value *one = int_const(l, n, DT_i64, 1),
                     *in[3] = {emit_index(l, n, OP_eq, b->dim[d], one), zero, index[out]};
            mine[d] = emit(l, n, OP_select, ir_val(DT_i64, 1), 3, in);
        }
    }
    return array_element(l, n, b, mine);
}

fv array_element(lower *l, const ast *n, const array *a, ir_value *const *index) {
    fv args[4];
    if (l->st != OK)
        return (fv){0};
    switch (a->kind) {
    case A_view: return view_element(l, n, a, index, false, (fv){0});
    case A_map:
        for (uint32_t i = 0; i < a->nargs; i++)
            args[i] = operand(l, n, a, a->args[i], index);
        return l->st == OK ? a->f(l, n, a->code, args) : (fv){0};
    default: return array_reduced(l, n, a, index);
    }
}

static void mismatch(lower *l, const ast *n, ir_value *a, ir_value *b, bool grow) {
    ir_value *one = int_const(l, n, DT_i64, 1), *bad = emit_index(l, n, OP_ne, a, b);
    ir_value *in[2] = {bad, emit_index(l, n, OP_ne, b, one)};
    bad = emit(l, n, OP_and, ir_val(DT_bool, 1), 2, in);
    if (grow) {
        ir_value *more[2] = {bad, emit_index(l, n, OP_ne, a, one)};
        bad = emit(l, n, OP_and, ir_val(DT_bool, 1), 2, more);
    }
    fv x = fv_val(a), y = fv_val(b);
    throw_if(l, n, bad, "ValueError",
             text_format(l, n, "arrays of extents %v and %v do not broadcast", &x, &y));
}

/* The common shape of the operands, by NumPy's rules. */
static void broadcast(lower *l, const ast *n, array *a) {
    for (uint32_t i = 0; i < a->nargs && l->st == OK; i++) {
        if (!is_array(a->args[i]))
            continue;
        const array *b = array_of(l, n, a->args[i]);
        a->args[i] = array_fv(b);
        for (int d = 0; d < b->rank; d++) {
            int out = a->rank - b->rank + d;
            ir_value *have = a->dim[out], *more = b->dim[d];
            if (!have || is_const(have, 1))
                a->dim[out] = more;
            else if (!is_const(more, 1) && !same_value(have, more)) {
                mismatch(l, n, have, more, true);
                ir_value *in[3] = {emit_index(l, n, OP_eq, have, int_const(l, n, DT_i64, 1)), more,
                                   have};
                a->dim[out] = emit(l, n, OP_select, ir_val(DT_i64, 1), 3, in);
            }
        }
    }
}

fv array_map(lower *l, const ast *n, fv (*f)(lower *, const ast *, int, fv *), int code, fv *args,
             uint32_t nargs) {
    array *a = array_new(l, A_map, 0);
    a->f = f;
    a->code = code;
    a->nargs = nargs;
    a->args = ARENA_ARRAY(l->mem, fv, nargs + 1);
    memcpy(a->args, args, nargs * sizeof *args);
    for (uint32_t i = 0; i < nargs; i++) {
        int rank = is_array(args[i]) ? array_rank(args[i]) : 0;
        a->rank = rank > a->rank ? rank : a->rank;
    }
    broadcast(l, n, a);
    return l->st == OK ? array_fv(a) : (fv){0};
}

/* Memory of the rank and extents of a, its type to be inferred from what is stored. */
static ir_value *temporary(lower *l, const ast *n, const array *a) {
    ir_type t = {.kind = TY_tensor,
                 .any = 1,
                 .rank = (uint8_t)a->rank,
                 .contig = IR_UNIT,
                 .space = SP_local,
                 .lanes = 1};
    return emit(l, n, OP_tmp, t, (unsigned)a->rank, a->dim);
}

static void copy(lower *l, const ast *n, const array *to, fv value) {
    ir_value *index[MAX_ARRAY];
    ir_region *outer = l->r;
    for (int d = 0; d < to->rank; d++)
        index[d] = array_loop(l, n, to->dim[d]);
    fv x = operand(l, n, to, value, index);
    if (l->st == OK)
        view_element(l, n, to, index, true, x);
    array_end_loops(l, n, to->rank, outer);
}

fv array_keep(lower *l, const ast *n, fv x) {
    if (x.kind != FV_array || x.arr->kind == A_view)
        return x;
    fv t = fv_val(temporary(l, n, x.arr));
    copy(l, n, array_of(l, n, t), x);
    return l->st == OK ? t : (fv){0};
}

static bool same_view(const array *a, const array *b) {
    if (a->rank != b->rank)
        return false;
    for (int d = 0; d < a->t->type.rank; d++)
        if (a->base[d].out != b->base[d].out || !same_value(a->base[d].at, b->base[d].at) ||
            (a->base[d].out >= 0 && !same_value(a->base[d].step, b->base[d].step)))
            return false;
    return true;
}

/* Does computing x read the tensor elsewhere than at the place that is stored at that moment? */
static bool reads_elsewhere(lower *l, const ast *n, fv x, const array *to, bool inside) {
    if (!is_array(x))
        return false;
    const array *a = array_of(l, n, x);
    if (a->kind == A_view)
        return a->t == to->t && (inside || !same_view(a, to));
    for (uint32_t i = 0; i < a->nargs; i++)
        if (reads_elsewhere(l, n, a->args[i], to, inside || a->kind != A_map))
            return true;
    return false;
}

void array_assign(lower *l, const ast *n, fv target, fv value) {
    const array *to = array_of(l, n, target);
    if (value.kind == FV_tuple) {
        fail(l, n, "store its elements one by one, or give both sides a slice",
             "a tuple cannot be stored to a slice");
        return;
    }
    if (to->kind != A_view) {
        fail(l, n, "assign to a slice of a tensor", "this cannot be assigned");
        return;
    }
    if (is_array(value)) {
        const array *from = array_of(l, n, value);
        if (from->rank > to->rank) {
            fail(l, n, "subscript it until the dimensions agree",
                 "an array of %d dimensions cannot be stored to one of %d", from->rank, to->rank);
            return;
        }
        for (int d = 0; d < from->rank && l->st == OK; d++) {
            ir_value *have = from->dim[d], *want = to->dim[to->rank - from->rank + d];
            if (!same_value(have, want) && !is_const(have, 1))
                mismatch(l, n, want, have, false);
        }
        value = array_fv(from);
        if (reads_elsewhere(l, n, value, to, false)) {
            ir_value *t = temporary(l, n, from);
            copy(l, n, array_of(l, n, fv_val(t)), value);
            value = fv_val(t);
        }
    } else
        value = fv_val(lower_as_val(l, value, n->at));
    copy(l, n, to, value);
}

/* Subscripts. */

static ir_value *wrap(lower *l, const ast *n, ir_value *i, ir_value *extent) {
    if (i->def && i->def->code == OP_iconst && i->def->attr[0].i >= 0)
        return i;
    ir_value *zero = int_const(l, n, DT_i64, 0),
             *in[3] = {emit_index(l, n, OP_lt, i, zero), emit_index(l, n, OP_add, i, extent), i};
    return emit(l, n, OP_select, ir_any(), 3, in);
}

static ir_value *clamp(lower *l, const ast *n, ir_value *v, ir_value *lo, ir_value *hi) {
    return emit_index(l, n, OP_max, lo, emit_index(l, n, OP_min, v, hi));
}

/* start, step and length of a slice of an axis. */
static bool slice_of(lower *l, const ast *n, ir_value *extent, ir_value **start, int64_t *step,
                     ir_value **length) {
    const ast_field *f = n->f;
    *step = 1;
    if (f[Slice_step].kind == AF_node &&
        (!lower_const_int(l, f[Slice_step].node, step) || !*step)) {
        fail(l, f[Slice_step].node, "write the step as a literal",
             "the step of a slice is a constant that is not 0");
        return false;
    }
    ir_value *zero = int_const(l, n, DT_i64, 0), *one = int_const(l, n, DT_i64, 1), *stop;
    bool up = *step > 0;
    ir_value *last = up ? extent : emit_index(l, n, OP_sub, extent, one),
             *least = up ? zero : int_const(l, n, DT_i64, -1);
    bool given = f[Slice_lower].kind == AF_node;
    if (given)
        *start = clamp(l, n, wrap(l, n, lower_val(l, f[Slice_lower].node), extent), least, last);
    else
        *start = up ? zero : last;
    if (f[Slice_upper].kind == AF_node)
        stop = clamp(l, n, wrap(l, n, lower_val(l, f[Slice_upper].node), extent), least, last);
    else
        stop = up ? extent : least;
    if (l->st != OK)
        return false;
    ir_value *span = !given && up ? stop
                     : up         ? emit_index(l, n, OP_sub, stop, *start)
                                  : emit_index(l, n, OP_sub, *start, stop);
    int64_t size = up ? *step : -*step;
    if (size > 1)
        span = emit_index(l, n, OP_floordiv,
                          emit_index(l, n, OP_add, span, int_const(l, n, DT_i64, size - 1)),
                          int_const(l, n, DT_i64, size));
    *length = f[Slice_upper].kind == AF_node || given ? emit_index(l, n, OP_max, span, zero) : span;
    return true;
}

static bool is_newaxis(const ast *e) {
    return e->kind == AST_Constant && e->f[Constant_value].kind == AF_None;
}
static bool is_ellipsis(const ast *e) {
    return e->kind == AST_Constant && e->f[Constant_value].kind == AF_other;
}

typedef struct {
    const array *from;
    array *to;
    int axis; /* of from */
    int base_of[MAX_ARRAY];
} viewing;

static void keep_axis(viewing *v, ir_value *length) {
    int b = v->base_of[v->axis];
    if (b >= 0)
        v->to->base[b].out = v->to->rank;
    v->to->dim[v->to->rank++] = length;
    v->axis++;
}

static void one_subscript(lower *l, viewing *v, const ast *e) {
    if (is_newaxis(e)) {
        v->to->dim[v->to->rank++] = int_const(l, e, DT_i64, 1);
        return;
    }
    if (v->axis >= v->from->rank) {
        fail(l, e, "give at most one subscript for each dimension",
             "a subscript too many: the array has %d dimension%s", v->from->rank,
             v->from->rank == 1 ? "" : "s");
        return;
    }
    int b = v->base_of[v->axis];
    ir_value *extent = v->from->dim[v->axis];
    view_dim *to = b >= 0 ? &v->to->base[b] : NULL;
    if (e->kind == AST_Slice) {
        ir_value *start, *length;
        int64_t step;
        if (!slice_of(l, e, extent, &start, &step, &length))
            return;
        if (to) {
            const view_dim *old = &v->from->base[b];
            to->at = along(l, e, old, start);
            to->step = is_const(old->step, 1)
                           ? int_const(l, e, DT_i64, step)
                           : emit_index(l, e, OP_mul, old->step, int_const(l, e, DT_i64, step));
        }
        keep_axis(v, length);
        return;
    }
    ir_value *i = lower_val(l, e);
    if (to) {
        const view_dim *old = &v->from->base[b];
        bool whole = is_const(old->at, 0) && is_const(old->step, 1);
        *to = (view_dim){whole ? i : along(l, e, old, wrap(l, e, i, extent)), old->step, -1};
    }
    v->axis++;
}

fv array_view(lower *l, const ast *n, fv base, const ast *slice) {
    base = array_keep(l, n, base);
    if (l->st != OK)
        return (fv){0};
    viewing v = {.from = array_of(l, n, base), .to = array_new(l, A_view, 0)};
    *v.to = *v.from;
    v.to->rank = 0;
    for (int d = 0; d < v.from->rank; d++)
        v.base_of[d] = -1;
    for (int b = 0; b < v.from->t->type.rank; b++)
        if (v.from->base[b].out >= 0)
            v.base_of[v.from->base[b].out] = b;
    bool tuple = slice->kind == AST_Tuple;
    uint32_t count = tuple ? slice->f[Tuple_elts].n : 1;
    int given = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ast *e = tuple ? slice->f[Tuple_elts].list[i] : slice;
        given += !is_newaxis(e) && !is_ellipsis(e);
    }
    for (uint32_t i = 0; i < count && l->st == OK; i++) {
        const ast *e = tuple ? slice->f[Tuple_elts].list[i] : slice;
        if (v.to->rank >= MAX_ARRAY) {
            fail(l, e, "drop a None", "an array has at most %d dimensions here", MAX_ARRAY);
            break;
        }
        if (is_ellipsis(e))
            for (int k = v.from->rank - given; k > 0; k--)
                keep_axis(&v, v.from->dim[v.axis]);
        else
            one_subscript(l, &v, e);
    }
    while (l->st == OK && v.axis < v.from->rank)
        keep_axis(&v, v.from->dim[v.axis]);
    if (l->st != OK)
        return (fv){0};
    if (v.to->rank == 0)
        return view_element(l, n, v.to, NULL, false, (fv){0});
    return array_fv(v.to);
}

fv array_attr(lower *l, const ast *n, fv x, const char *name) {
    const array *a = array_of(l, n, x);
    fv method = array_method(l, x, name);
    if (method.kind != FV_error)
        return method;
    if (!strcmp(name, "shape")) {
        fv s = {
            .kind = FV_tuple, .n = (uint32_t)a->rank, .elts = ARENA_ARRAY(l->mem, fv, a->rank + 1)};
        for (int i = 0; i < a->rank; i++)
            s.elts[i] = fv_val(a->dim[i]);
        return s;
    }
    if (!strcmp(name, "ndim"))
        return fv_val(int_const(l, n, DT_wint, a->rank));
    if (!strcmp(name, "size")) {
        ir_value *v = int_const(l, n, DT_i64, 1);
        for (int i = 0; i < a->rank; i++)
            v = i ? emit_index(l, n, OP_mul, v, a->dim[i]) : a->dim[i];
        return fv_val(v);
    }
    if (!strcmp(name, "dtype") && a->kind == A_view && !a->t->type.any)
        return (fv){.kind = FV_static, .st = {.kind = ST_dtype, .dt = a->t->type.dt}};
    if (!strcmp(name, "T")) {
        fv kept = array_keep(l, n, x);
        if (l->st != OK)
            return (fv){0};
        const array *b = array_of(l, n, kept);
        array *t = array_new(l, A_view, b->rank);
        *t = *b;
        for (int d = 0; d < b->rank; d++)
            t->dim[b->rank - 1 - d] = b->dim[d];
        for (int d = 0; d < t->t->type.rank; d++)
            t->base[d].out = b->base[d].out < 0 ? -1 : b->rank - 1 - b->base[d].out;
        return array_fv(t);
    }
    fail(l, n, "it has shape, dtype, ndim, size and T, and functions are written pyasc.sum(x)",
         "%s has no attribute '%s' in kernels", say_what(l, x), name);
    return (fv){0};
}

/* Element i of the first dimension: a number, or a view of the rest. */
fv array_item(lower *l, const ast *n, fv x, ir_value *i) {
    x = array_keep(l, n, x);
    if (l->st != OK)
        return (fv){0};
    const array *a = array_of(l, n, x);
    array *v = array_new(l, A_view, a->rank - 1);
    *v = *a;
    v->rank = a->rank - 1;
    for (int d = 1; d < a->rank; d++)
        v->dim[d - 1] = a->dim[d];
    for (int b = 0; b < a->t->type.rank; b++) {
        if (a->base[b].out == 0)
            v->base[b] = (view_dim){along(l, n, &a->base[b], i), a->base[b].step, -1};
        else if (a->base[b].out > 0)
            v->base[b].out--;
    }
    return v->rank ? array_fv(v) : view_element(l, n, v, NULL, false, (fv){0});
}
