/* Truth: and, or, not, conditional expressions and comparisons. */
#include "front/lower.h"
#include <string.h>

ir_value *to_bool(lower *l, const ast *n, ir_value *v) {
    if (v->type.kind == TY_val && v->type.dt == DT_bool)
        return v;
    ir_value *in[1] = {v};
    return emit(l, n, OP_cast, ir_val(DT_bool, 1), 1, in);
}

static bool set_names(lower *l, const ast *n);

static bool set_list(lower *l, const ast_field *f) {
    for (uint32_t k = 0; f->kind == AF_list && k < f->n; k++)
        if (f->list[k] && !set_names(l, f->list[k]))
            return false;
    return true;
}

/* Are all names in n surely set, to numbers? */
static bool set_names(lower *l, const ast *n) {
    if (n->kind == AST_Name) {
        const var *v = var_find(l, n->f[Name_id].s);
        uint32_t at = v ? flow_of(l, v) : FLOW_CELL;
        return at == FLOW_CELL ||
               (at > FLOW_CELL && at != FLOW_MIXED && l->bindings.p[at].value.kind == FV_val);
    }
    for (int i = 0; i < 7; i++)
        if ((n->f[i].kind == AF_node && !set_names(l, n->f[i].node)) || !set_list(l, &n->f[i]))
            return false;
    return true;
}

/* No calls, no memory, nothing that may raise: may be computed where Python would not. */
static bool is_safe(lower *l, const ast *n) {
    bool raises = ast_has(n, AST_BinOp, true) && ((l->check & FRONT_CHECK) || l->handler);
    return !raises && !ast_has(n, AST_Call, true) && !ast_has(n, AST_Subscript, true) &&
           !ast_has(n, AST_NamedExpr, true) && !ast_has(n, AST_Attribute, true) && set_names(l, n);
}

static bool is_boolean(const ast *n) {
    return n->kind == AST_Compare ||
           (n->kind == AST_UnaryOp && !strcmp(n->f[UnaryOp_op].s, "Not")) ||
           (n->kind == AST_Constant && n->f[Constant_value].kind == AF_bool) ||
           (n->kind == AST_BoolOp && is_boolean(n->f[BoolOp_values].list[0]));
}

/* What bool(x) looks at. */
static fv truth(lower *l, const ast *n, fv x) {
    fv method;
    if (x.kind == FV_tuple && !x.vec)
        return fv_val(int_const(l, n, DT_bool, x.n != 0));
    if (x.kind == FV_static && x.st.kind == ST_none)
        return fv_val(int_const(l, n, DT_bool, 0));
    if (x.kind == FV_static && x.st.kind == ST_str)
        return fv_val(int_const(l, n, DT_bool, x.st.s[0] != 0));
    if (x.kind == FV_object) {
        if (object_method(l, x, "__bool__", &method) || object_method(l, x, "__len__", &method))
            return lower_apply(l, n, method, NULL, 0);
        return fv_val(int_const(l, n, DT_bool, 1));
    }
    return x;
}

ir_value *lower_truth(lower *l, const ast *n, fv x) {
    if (l->st == OK)
        x = truth(l, n, x);
    if (l->st == OK && is_array(x))
        fail(l, n, "subscript it, as in x[i] > 0, or loop over its elements",
             "the truth of %s is not defined", say_what(l, x));
    return to_bool(l, n, lower_as_val(l, x, n->at));
}

/* Evaluates n into variable v inside region r, which it ends. */
static void into(lower *l, const ast *n, var *v, ir_region *r, bool to_boolean) {
    ir_region *outer = l->r;
    l->r = r;
    fv x = lower_expr(l, n);
    if (to_boolean && l->st == OK)
        x = fv_val(lower_truth(l, n, x));
    var_set(l, n, v, x);
    empty_region(l, n, r);
    l->r = outer;
}

/* The rest of an `and` or `or`, where the first part c leaves it open. */
static void also(lower *l, const ast *n, ir_value *c, bool is_and, var *t, const ast *rest,
                 bool to_boolean) {
    ir_op *op = open_if(l, n, c);
    flow before = flow_copy(l);
    empty_region(l, n, op->reg[is_and ? 1 : 0]);
    into(l, rest, t, op->reg[is_and ? 0 : 1], to_boolean);
    flow_meet(l, &before, &l->flow);
    l->flow = before;
}

/* A condition known at compile time decides what is looked at. */
static bool decided(const ir_value *c, bool is_and, bool *stops) {
    int64_t k;
    if (!const_of(fv_val((ir_value *)c), &k))
        return false;
    *stops = is_and ? !k : k != 0;
    return true;
}

fv lower_boolop(lower *l, const ast *n) {
    const ast_field *values = &n->f[BoolOp_values];
    bool is_and = !strcmp(n->f[BoolOp_op].s, "And"), safe = true, stops,
         all_bool = is_boolean(values->list[0]);
    for (uint32_t i = 1; i < values->n; i++) {
        safe = safe && is_safe(l, values->list[i]);
        all_bool = all_bool && is_boolean(values->list[i]);
    }
    if (all_bool)
        return fv_val(lower_cond(l, n));
    fv first = lower_expr(l, values->list[0]);
    for (uint32_t i = 1; i < values->n && l->st == OK; i++) {
        ir_value *c = lower_truth(l, n, first);
        if (l->st != OK)
            break;
        if (decided(c, is_and, &stops)) {
            if (stops)
                return first;
            first = lower_expr(l, values->list[i]);
            continue;
        }
        var t;
        var_init(l, &t, NULL);
        t.count = 2;
        var_set(l, n, &t, first);
        also(l, n, c, is_and, &t, values->list[i], false);
        first = l->st == OK ? var_get(l, n, &t) : (fv){0};
    }
    return first;
}

fv lower_ifexp(lower *l, const ast *n) {
    ir_value *c = lower_cond(l, n->f[IfExp_test].node);
    const ast *a = n->f[IfExp_body].node, *b = n->f[IfExp_orelse].node;
    int64_t k;
    if (l->st == OK && const_of(fv_val(c), &k))
        return lower_expr(l, k ? a : b);
    if (is_safe(l, a) && is_safe(l, b)) {
        fv x = lower_expr(l, a), y = lower_expr(l, b);
        if (x.kind == FV_val && y.kind == FV_val && !is_array(x) && !is_array(y)) {
            ir_value *in[3] = {c, x.v, y.v};
            return fv_val(emit(l, n, OP_select, ir_any(), 3, in));
        }
    }
    if (l->st != OK)
        return (fv){0};
    var t;
    var_init(l, &t, NULL);
    t.count = 2;
    ir_op *op = open_if(l, n, c);
    flow before = flow_copy(l);
    into(l, a, &t, op->reg[0], false);
    flow after = l->flow;
    l->flow = before;
    into(l, b, &t, op->reg[1], false);
    flow_meet(l, &after, &l->flow);
    l->flow = after;
    return l->st == OK ? var_get(l, n, &t) : (fv){0};
}

static bool is_none(const ast *n) {
    return n->kind == AST_Constant && n->f[Constant_value].kind == AF_None;
}

/* `x is None`, and of other things that have no run-time form, are known at compile time. */
static fv lower_is(lower *l, const ast *n, fv a, fv b, bool want) {
    bool sa = a.kind == FV_static, sb = b.kind == FV_static;
    bool same = sa && sb && a.st.kind == b.st.kind &&
                (a.st.kind == ST_none || (a.st.kind == ST_dtype && a.st.dt == b.st.dt) ||
                 (a.st.handle && a.st.handle == b.st.handle));
    if (a.kind == FV_object && b.kind == FV_object)
        same = a.obj == b.obj;
    else if (!sa && !sb) {
        fv both[2] = {a, b};
        bool arrays = has_array(both, 2);
        if (arrays)
            same = a.kind == FV_val && b.kind == FV_val && a.v == b.v;
        else {
            fail(l, n, "compare numbers with ==",
                 "'is' compares identities, which numbers in "
                 "kernels do not have");
            return (fv){0};
        }
    }
    return fv_val(int_const(l, n, DT_bool, same == want));
}

static fv static_compare(lower *l, const ast *n, fv a, fv b, bool equal) {
    bool same = a.kind == FV_static && b.kind == FV_static && a.st.kind == b.st.kind &&
                (a.st.kind != ST_dtype || a.st.dt == b.st.dt) &&
                (a.st.kind != ST_str || !strcmp(a.st.s, b.st.s)) &&
                (a.st.kind != ST_class || a.st.handle == b.st.handle);
    return fv_val(int_const(l, n, DT_bool, same == equal));
}

/* Tuples: == and != element by element, < and the like by the first that differ. */
static fv tuple_compare(lower *l, const ast *n, int code, fv a, fv b) {
    uint32_t m = a.n < b.n ? a.n : b.n;
    bool eq = code == OP_eq || code == OP_ne;
    if (eq && a.n != b.n)
        return fv_val(int_const(l, n, DT_bool, code == OP_ne));
    int64_t rest = code == OP_eq || (code == OP_lt && a.n < b.n) || (code == OP_le && a.n <= b.n) ||
                   (code == OP_gt && a.n > b.n) || (code == OP_ge && a.n >= b.n);
    ir_value *v = int_const(l, n, DT_bool, rest);
    int strict = code == OP_le ? OP_lt : code == OP_ge ? OP_gt : code;
    for (uint32_t i = m; i > 0 && l->st == OK; i--) {
        fv x[2] = {a.elts[i - 1], b.elts[i - 1]};
        ir_value *same = lower_as_val(l, lower_arith(l, n, OP_eq, x), n->at),
                 *here = eq ? int_const(l, n, DT_bool, code == OP_ne)
                            : lower_as_val(l, lower_arith(l, n, strict, x), n->at);
        ir_value *in[3] = {same, v, here};
        v = emit(l, n, OP_select, ir_val(DT_bool, 1), 3, in);
    }
    return fv_val(v);
}

static fv compare_two(lower *l, const ast *n, const char *op, fv a, fv b);

/* x in (a, b, c) */
static fv lower_in(lower *l, const ast *n, fv a, fv b, bool want) {
    if (b.kind != FV_tuple) {
        fail(l, n, "write `x in (a, b, c)`, or loop over the elements",
             "'in' needs a tuple whose length is known when the kernel is compiled, not %s",
             say_what(l, b));
        return (fv){0};
    }
    ir_value *any = int_const(l, n, DT_bool, 0);
    bool is_static = a.kind == FV_static;
    int64_t k;
    for (uint32_t i = 0; i < b.n && l->st == OK; i++) {
        fv one = compare_two(l, n, "Eq", a, b.elts[i]);
        if (is_static && l->st == OK) {
            any = const_of(one, &k) && k ? one.v : any;
            continue;
        }
        ir_value *in[2] = {any, lower_as_val(l, one, n->at)};
        any = i ? emit(l, n, OP_or, ir_val(DT_bool, 1), 2, in) : in[1];
    }
    if (want)
        return fv_val(any);
    if (const_of(fv_val(any), &k))
        return fv_val(int_const(l, n, DT_bool, !k));
    return fv_val(emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, &any));
}

static fv compare_two(lower *l, const ast *n, const char *op, fv a, fv b) {
    int code = binary_code(op);
    if (l->st != OK)
        return (fv){0};
    if (!strncmp(op, "Is", 2))
        return lower_is(l, n, a, b, !op[2]);
    if (!strcmp(op, "In") || !strcmp(op, "NotIn"))
        return lower_in(l, n, a, b, op[0] == 'I');
    if ((code == OP_eq || code == OP_ne) && (a.kind == FV_static || b.kind == FV_static))
        return static_compare(l, n, a, b, code == OP_eq);
    fv both[2] = {a, b}, out;
    if (object_operator(l, n, code, both, &out))
        return out;
    if (a.kind == FV_tuple && b.kind == FV_tuple && !a.vec && !b.vec)
        return tuple_compare(l, n, code, a, b);
    return lower_arith(l, n, code, both);
}

/* a < b < c: b once, and c only where a < b. */
static ir_value *compare_chain(lower *l, const ast *n, fv a, uint32_t i) {
    const ast_field *ops = &n->f[Compare_ops], *rest = &n->f[Compare_comparators];
    fv b = lower_expr(l, rest->list[i]);
    ir_value *c = lower_truth(l, n, compare_two(l, n, ops->list[i]->name, a, b));
    if (l->st != OK || i + 1 == ops->n)
        return c;
    if (is_safe(l, rest->list[i + 1])) {
        ir_value *in[2] = {c, compare_chain(l, n, b, i + 1)};
        return emit(l, n, OP_and, ir_val(DT_bool, 1), 2, in);
    }
    var t;
    var_init(l, &t, NULL);
    t.count = 2;
    var_set(l, n, &t, fv_val(c));
    ir_op *op = open_if(l, n, c);
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    empty_region(l, n, op->reg[1]);
    l->r = op->reg[0];
    var_set(l, n, &t, fv_val(compare_chain(l, n, b, i + 1)));
    empty_region(l, n, l->r);
    l->r = outer;
    flow_meet(l, &before, &l->flow);
    l->flow = before;
    return l->st == OK ? lower_as_val(l, var_get(l, n, &t), n->at) : c;
}

fv lower_compare(lower *l, const ast *n) {
    const ast_field *ops = &n->f[Compare_ops], *rest = &n->f[Compare_comparators];
    fv first = lower_expr(l, n->f[Compare_left].node);
    if (l->st != OK)
        return (fv){0};
    if (ops->n == 1 && is_none(rest->list[0]) && !strncmp(ops->list[0]->name, "Is", 2)) {
        bool none = first.kind == FV_static && first.st.kind == ST_none;
        return fv_val(int_const(l, n, DT_bool, none == !ops->list[0]->name[2]));
    }
    if (ops->n == 1)
        return compare_two(l, n, ops->list[0]->name, first, lower_expr(l, rest->list[0]));
    return fv_val(compare_chain(l, n, first, 0));
}

/* As a condition only the truth of each part counts. */
ir_value *lower_cond(lower *l, const ast *n) {
    if (n->kind != AST_BoolOp || l->st != OK)
        return lower_truth(l, n, lower_expr(l, n));
    const ast_field *values = &n->f[BoolOp_values];
    bool is_and = !strcmp(n->f[BoolOp_op].s, "And"), stops;
    ir_value *v = lower_cond(l, values->list[0]);
    for (uint32_t i = 1; i < values->n && l->st == OK; i++) {
        if (decided(v, is_and, &stops)) {
            if (stops)
                return v;
            v = lower_cond(l, values->list[i]);
        } else if (is_safe(l, values->list[i])) {
            ir_value *in[2] = {v, lower_cond(l, values->list[i])};
            v = emit(l, n, is_and ? OP_and : OP_or, ir_val(DT_bool, 1), 2, in);
        } else {
            var t;
            var_init(l, &t, NULL);
            t.count = 2;
            var_set(l, n, &t, fv_val(v));
            also(l, n, v, is_and, &t, values->list[i], true);
            v = l->st == OK ? lower_as_val(l, var_get(l, n, &t), n->at) : v;
        }
    }
    return l->st == OK ? to_bool(l, n, v) : v;
}
