/* Subscripts: elements of tensors and tuples, and what is stored to them. */
#include "front/lower_asc.h"
#include <string.h>

/* An element of a tuple of numbers at an index known when the kernel runs; it may count from the
   end. */
static fv pick(lower *l, const ast *n, fv t, ir_value *index) {
    if (t.elts[0].kind != FV_val || is_array(t.elts[0])) {
        fail(l, n, "write `for e in t:` to take one after the other",
             "this is %s, so its index must be known when the kernel is compiled",
             say_what(l, t.elts[0]));
        return (fv){0};
    }
    ir_value *v = lower_as_val(l, t.elts[0], n->at);
    if ((l->check & FRONT_CHECK) || catches_checks(l)) {
        ir_value *in[2] = {index, int_const(l, n, DT_wint, t.n)}, *low[2] = {index, NULL}, *bad[2];
        low[1] = int_const(l, n, DT_wint, -(int64_t)t.n);
        bad[0] = emit(l, n, OP_ge, ir_val(DT_bool, 1), 2, in);
        bad[1] = emit(l, n, OP_lt, ir_val(DT_bool, 1), 2, low);
        throw_if(l, n, emit(l, n, OP_or, ir_val(DT_bool, 1), 2, bad), "IndexError",
                 text_format(l, n, "tuple index out of range"));
    }
    for (uint32_t k = 1; k < t.n && l->st == OK; k++) {
        ir_value *same[2];
        for (int end = 0; end < 2; end++) {
            int64_t at = (int64_t)k - (end ? (int64_t)t.n : 0);
            ir_value *in[2] = {index, int_const(l, n, DT_wint, at)};
            same[end] = emit(l, n, OP_eq, ir_val(DT_bool, 1), 2, in);
        }
        ir_value *in[3] = {emit(l, n, OP_or, ir_val(DT_bool, 1), 2, same),
                           lower_as_val(l, t.elts[k], n->at), v};
        v = emit(l, n, OP_select, ir_any(), 3, in);
    }
    return fv_val(v);
}

static fv tuple_slice(lower *l, const ast *s, fv base) {
    int64_t part[3] = {0, (int64_t)base.n, 1}, n = (int64_t)base.n;
    const int at[3] = {Slice_lower, Slice_upper, Slice_step};
    bool given[3];
    for (int k = 2; k >= 0; k--) {
        given[k] = s->f[at[k]].kind == AF_node;
        if (given[k] && !lower_const_int(l, s->f[at[k]].node, &part[k])) {
            fail(l, s, "write literals", "the slice of a tuple must be known at compile time");
            return (fv){0};
        }
    }
    int64_t step = part[2] ? part[2] : 1;
    for (int k = 0; k < 2; k++) {
        int64_t least = step < 0 ? -1 : 0, most = step < 0 ? n - 1 : n;
        if (!given[k])
            part[k] = (k == 0) == (step > 0) ? least : most;
        else {
            part[k] += part[k] < 0 ? n : 0;
            part[k] = part[k] < least ? least : part[k] > most ? most : part[k];
        }
    }
    fv t = {.kind = FV_tuple,
            .vec = base.vec,
            .list = base.list,
            .elts = ARENA_ARRAY(l->mem, fv, n + 1)};
    for (int64_t i = part[0]; step > 0 ? i < part[1] : i > part[1]; i += step)
        t.elts[t.n++] = base.elts[i];
    return t;
}

static fv tuple_subscript(lower *l, const ast *n, fv base, const ast *s) {
    int64_t k;
    if (s->kind == AST_Slice)
        return tuple_slice(l, s, base);
    fv index = lower_expr(l, s);
    if (l->st != OK)
        return (fv){0};
    if (base.n && (const_of(index, &k) || lower_const_int(l, s, &k))) {
        if (k >= -(int64_t)base.n && k < (int64_t)base.n)
            return base.elts[k < 0 ? k + base.n : k];
        fail(l, n,
             arena_printf(l->mem, "write an index from %d to %d", -(int)base.n, (int)base.n - 1),
             "index %lld is outside a %s of %u", (long long)k, base.list ? "list" : "tuple",
             base.n);
        return (fv){0};
    }
    if (base.n)
        return pick(l, n, base, lower_as_val(l, index, s->at));
    fail(l, n, "give it elements, or ask for len() first", "the %s is empty",
         base.list ? "list" : "tuple");
    return (fv){0};
}

/* Subscripts that leave dimensions over, or slice them. */
static bool is_view(lower *l, fv base, const ast *s) {
    (void)l;
    if (base.kind == FV_array || s->kind == AST_Slice || ast_has(s, AST_Slice, true))
        return true;
    uint32_t given = s->kind == AST_Tuple ? s->f[Tuple_elts].n : 1;
    for (uint32_t i = 0; s->kind == AST_Tuple && i < given; i++) {
        const ast *e = s->f[Tuple_elts].list[i];
        if (e->kind == AST_Constant &&
            (e->f[Constant_value].kind == AF_None || e->f[Constant_value].kind == AF_other))
            return true;
    }
    bool name = s->kind == AST_Name || s->kind == AST_Call || s->kind == AST_Subscript ||
                s->kind == AST_Attribute; /* may be a tuple of subscripts */
    return given < base.v->type.rank && !name;
}

fv lower_subscript(lower *l, const ast *n) {
    fv base = lower_expr(l, n->f[Subscript_value].node);
    const ast *s = n->f[Subscript_slice].node;
    fv method;
    if (l->st != OK)
        return (fv){0};
    if (asc_kind(base, "LocalTensor") || asc_kind(base, "GlobalTensor"))
        return asc_subscript(l, n, base, s);
    if (base.kind == FV_object && object_method(l, base, "__getitem__", &method)) {
        fv index = lower_expr(l, s);
        return l->st == OK ? lower_apply(l, n, method, &index, 1) : (fv){0};
    }
    if (base.kind == FV_tuple)
        return tuple_subscript(l, n, base, s);
    if (!is_array(base)) {
        fail(l, n, "subscripts need a tensor, shared() or local() memory, or a tuple",
             "%s cannot be subscripted", say_what(l, base));
        return (fv){0};
    }
    if (is_view(l, base, s))
        return array_view(l, n, base, s);
    fv index = lower_expr(l, s);
    uint32_t given = index.kind == FV_tuple ? index.n : 1;
    if (l->st == OK && index.kind == FV_val && given < base.v->type.rank)
        return array_view(l, n, base, s);
    return l->st == OK ? lower_load(l, n, base.v, index) : (fv){0};
}

static uint32_t subscripts(lower *l, const ast *n, const ir_value *t, fv index, ir_value **out) {
    uint32_t rank = index.kind == FV_tuple ? index.n : 1;
    if (rank != t->type.rank || rank > 15) {
        fail(l, n, "give one subscript for each dimension",
             "'%s' has %u dimension%s, but %u subscript%s given", t->name ? t->name : "this",
             t->type.rank, t->type.rank == 1 ? "" : "s", rank, rank == 1 ? " is" : "s are");
        return 0;
    }
    for (uint32_t i = 0; i < rank; i++)
        out[i] = lower_as_val(l, index.kind == FV_tuple ? index.elts[i] : index, n->at);
    return rank;
}

fv lower_load(lower *l, const ast *n, ir_value *t, fv index) {
    ir_value *in[16] = {t};
    uint32_t rank = subscripts(l, n, t, index, in + 1);
    if (l->st != OK)
        return (fv){0};
    check_index(l, n, t, in + 1, rank, false);
    return fv_val(
        emit(l, n, OP_load, t->type.any ? ir_any() : ir_val(t->type.dt, 1), 1 + rank, in));
}

void lower_store(lower *l, const ast *n, ir_value *t, fv index, fv value) {
    ir_value *in[17] = {t, lower_as_val(l, value, l->source ? l->source->at : n->at)};
    uint32_t rank = subscripts(l, n, t, index, in + 2);
    if (l->st != OK)
        return;
    check_index(l, n, t, in + 2, rank, true);
    check_narrow(l, n, t, in[1]);
    ir_op *op = ir_op_new(l->f, OP_store, ir_site(l->f, n->at), 2 + rank, 0, 0);
    memcpy(op->in, in, (2 + rank) * sizeof *in);
    ir_append(l->r, op);
}

/* v[k] = x of a list made in the kernel: its elements are variables. */
static void list_store(lower *l, const ast *n, fv base, const ast *target, fv value) {
    var *v = target->kind == AST_Name ? var_find(l, target->f[Name_id].s) : NULL;
    uint32_t at = v ? flow_of(l, v) : 0;
    int64_t k;
    if (!base.list || at < 2 || at == FLOW_MIXED || !l->bindings.p[at].elts) {
        fail(l, n, base.list ? "give the list a name first" : "make it a list: [a, b, c]",
             "elements of %s cannot be assigned", base.list ? "this list" : "a tuple");
        return;
    }
    fv index = lower_expr(l, n->f[Subscript_slice].node);
    if (l->st != OK)
        return;
    var *elts = l->bindings.p[at].elts;
    if (const_of(index, &k)) {
        k += k < 0 ? base.n : 0;
        if (k < 0 || k >= (int64_t)base.n)
            fail(l, n, "append by writing a longer list", "index %lld is outside a list of %u",
                 (long long)k, base.n);
        else
            var_set(l, n, &elts[k], value);
        return;
    }
    ir_value *i = lower_as_val(l, index, n->at), *x = lower_as_val(l, value, n->at);
    for (uint32_t e = 0; e < base.n && l->st == OK; e++) {
        ir_value *same[2];
        for (int end = 0; end < 2; end++) {
            ir_value *in[2] = {i,
                               int_const(l, n, DT_wint, (int64_t)e - (end ? (int64_t)base.n : 0))};
            same[end] = emit(l, n, OP_eq, ir_val(DT_bool, 1), 2, in);
        }
        ir_value *in[3] = {emit(l, n, OP_or, ir_val(DT_bool, 1), 2, same), x,
                           lower_as_val(l, base.elts[e], n->at)};
        var_set(l, n, &elts[e], fv_val(emit(l, n, OP_select, ir_any(), 3, in)));
    }
}

void lower_store_to(lower *l, const ast *n, fv value) {
    const ast *target = n->f[Subscript_value].node, *s = n->f[Subscript_slice].node;
    fv base = lower_expr(l, target), method;
    if (l->st != OK)
        return;
    if (base.kind == FV_object && object_method(l, base, "__setitem__", &method)) {
        fv args[2] = {lower_expr(l, s), value};
        if (l->st == OK)
            lower_apply(l, n, method, args, 2);
    } else if (base.kind == FV_tuple)
        list_store(l, n, base, target, value);
    else if (!is_array(base))
        fail(l, n, "subscripts on the left need a tensor argument, shared() or local()",
             "elements of %s cannot be assigned", say_what(l, base));
    else if (is_view(l, base, s) || (is_array(value) && base.kind == FV_val)) {
        fv view = array_view(l, n, base, s);
        if (l->st == OK && view.kind == FV_val && view.v->type.kind != TY_tensor)
            lower_as_val(l, value,
                         l->source ? l->source->at : n->at); /* an array to one element: says so */
        else if (l->st == OK)
            array_assign(l, n, view, value);
    } else {
        fv index = lower_expr(l, s);
        uint32_t given = index.kind == FV_tuple ? index.n : 1;
        if (l->st != OK)
            return;
        if (index.kind == FV_val && given < base.v->type.rank)
            array_assign(l, n, array_view(l, n, base, s), value);
        else
            lower_store(l, n, base.v, index, value);
    }
}
