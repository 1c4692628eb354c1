/* Expressions. */
#include "front/lower.h"
#include <string.h>

static fv fv_static(front_static st) { return (fv){.kind = FV_static, .st = st}; }

/* A Python number or tensor from outside becomes a hidden argument, one for each (function, name).
 */
fv lower_capture(lower *l, void *fn, const char *name, const front_static *st) {
    for (uint32_t i = 0; i < l->captures.n; i++)
        if (l->captures.p[i].fn == fn && !strcmp(l->captures.p[i].name, name))
            return (fv){.kind = FV_val, .v = l->capture_vals.p[i], .lock = st->lock};
    ir_type t = ir_val(st->kind == ST_int ? DT_wint : st->kind == ST_float ? DT_wflt : DT_bool, 1);
    if (st->kind == ST_tensor)
        t = (ir_type){.kind = TY_tensor,
                      .dt = st->dt,
                      .rank = (uint8_t)st->rank,
                      .contig = (uint8_t)st->contig,
                      .lanes = 1};
    const char *dot = strrchr(name, '.'); /* of "#0.scale" the attribute's name */
    ir_value *v = ir_region_arg(l->f, l->f->body, t, dot ? dot + 1 : name);
    front_capture c = {fn, name};
    vec_push(l->mem, &l->captures, c);
    vec_push(l->mem, &l->capture_vals, v);
    return (fv){.kind = FV_val, .v = v, .lock = st->lock};
}

static fv outside(lower *l, const ast *n, const char *name) {
    fn_scope *s = l->fs;
    while (!s->fn && s->parent)
        s = s->parent;
    front_static st = {0};
    l->env->name(l->env->self, s->fn, name, &st);
    switch (st.kind) {
    case ST_missing:
        fail(l, n, "define it before the kernel is called, or check the spelling",
             "name '%s' is not defined", name);
        return (fv){0};
    case ST_int:
    case ST_float:
    case ST_bool:
    case ST_tensor: return lower_capture(l, s->fn, name, &st);
    default: return static_fv(l, n, &st);
    }
}

static fv lower_name(lower *l, const ast *n) {
    var *v = var_find(l, n->f[Name_id].s);
    return v ? var_get(l, n, v) : outside(l, n, n->f[Name_id].s);
}

static fv lower_constant(lower *l, const ast *n) {
    const ast_field *c = &n->f[Constant_value];
    uint32_t site = ir_site(l->f, n->at);
    switch (c->kind) {
    case AF_int: return fv_val(ir_iconst(l->f, l->r, site, DT_wint, c->i));
    case AF_float: return fv_val(ir_fconst(l->f, l->r, site, DT_wflt, c->f));
    case AF_bool: return fv_val(ir_iconst(l->f, l->r, site, DT_bool, c->i));
    case AF_None: return fv_static((front_static){.kind = ST_none});
    case AF_str: return fv_static((front_static){.kind = ST_str, .s = c->s});
    default:
        fail(l, n, "use int, float or bool", "%s is not supported in kernels",
             !strcmp(c->s, "int") ? "an integer of more than 64 bits"
                                  : arena_printf(l->mem, "a constant of type %s", c->s));
        return (fv){0};
    }
}

/* What a thing of the host is here: numbers are constants. */
fv static_fv(lower *l, const ast *n, const front_static *st) {
    switch (st->kind) {
    case ST_int: return fv_val(int_const(l, n, DT_wint, st->i));
    case ST_bool: return fv_val(int_const(l, n, DT_bool, st->i));
    case ST_float: return fv_val(ir_fconst(l->f, l->r, ir_site(l->f, n->at), DT_wflt, st->f));
    case ST_tuple: {
        fv t = {.kind = FV_tuple, .n = st->n, .elts = ARENA_ARRAY(l->mem, fv, st->n + 1)};
        for (uint32_t i = 0; i < st->n; i++)
            t.elts[i] = static_fv(l, n, &st->elts[i]);
        if (st->handle)
            t.st = (front_static){.kind = ST_class, .handle = st->handle, .s = st->s};
        return t;
    }
    default: return fv_static(*st);
    }
}

static fv lower_attribute(lower *l, const ast *n) {
    fv base = lower_expr(l, n->f[Attribute_value].node);
    const char *name = n->f[Attribute_attr].s;
    if (l->st != OK)
        return (fv){0};
    if (is_array(base))
        return array_attr(l, n, base, name);
    if (base.kind == FV_object || (base.kind == FV_tuple && base.st.kind == ST_class) ||
        (base.kind == FV_static && (base.st.kind == ST_instance || base.st.kind == ST_super)))
        return object_attr(l, n, base, name);
    if (base.kind == FV_static && (base.st.kind == ST_module || base.st.kind == ST_class)) {
        front_static st = {0};
        l->env->attr(l->env->self, base.st.handle, name, &st);
        if (st.kind != ST_missing)
            return static_fv(l, n, &st);
    }
    bool names = base.kind == FV_static && base.st.kind == ST_module;
    const char *shown = say_name(l, n->f[Attribute_value].node);
    fail(l, n,
         names ? "check the spelling"
               : "check the spelling (lists and strings have no methods in kernels)",
         "%s%s%s has no attribute '%s'", names && shown ? "'" : "",
         names && shown ? shown : say_what(l, base), names && shown ? "'" : "", name);
    return (fv){0};
}

static int binary_code(const char *op) {
    static const struct {
        const char *name;
        int code;
    } rows[] = {{"Add", OP_add},
                {"Sub", OP_sub},
                {"Mult", OP_mul},
                {"Div", OP_div},
                {"FloorDiv", OP_floordiv},
                {"Mod", OP_mod},
                {"Pow", OP_pow},
                {"BitAnd", OP_and},
                {"BitOr", OP_or},
                {"BitXor", OP_xor},
                {"LShift", OP_shl},
                {"RShift", OP_shr},
                {"Lt", OP_lt},
                {"LtE", OP_le},
                {"Gt", OP_gt},
                {"GtE", OP_ge},
                {"Eq", OP_eq},
                {"NotEq", OP_ne},
                {"MatMult", MATMUL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, op))
            return rows[i].code;
    return -1;
}

static bool fold_ints(int code, int64_t a, int64_t b, int64_t *r) {
    switch (code) {
    case OP_add: return !__builtin_add_overflow(a, b, r);
    case OP_sub: return !__builtin_sub_overflow(a, b, r);
    case OP_mul: return !__builtin_mul_overflow(a, b, r);
    case OP_floordiv:
    case OP_mod: {
        if (b == 0 || b == -1)
            return false;
        int64_t q = a / b, m = a % b;
        bool back = m && (m < 0) != (b < 0);
        *r = code == OP_mod ? m + (back ? b : 0) : q - back;
        return true;
    }
    case OP_and: return *r = a & b, true;
    case OP_or: return *r = a | b, true;
    case OP_xor: return *r = a ^ b, true;
    case OP_lt: return *r = a < b, true;
    case OP_le: return *r = a <= b, true;
    case OP_gt: return *r = a > b, true;
    case OP_ge: return *r = a >= b, true;
    case OP_eq: return *r = a == b, true;
    case OP_ne: return *r = a != b, true;
    default: return false;
    }
}

/* Of two integer constants: so that what depends on it is known when the kernel is compiled. */
static bool folded(lower *l, const ast *n, int code, const fv *x, fv *out) {
    int64_t a, b, r;
    if (!const_of(x[0], &a) || !const_of(x[1], &b))
        return false;
    int s = x[0].v->type.dt, t = x[1].v->type.dt;
    bool ints = (s == DT_wint || s == DT_i64) && (t == DT_wint || t == DT_i64);
    if (!ints || !fold_ints(code, a, b, &r))
        return false;
    bool compares = code >= OP_lt && code <= OP_ne;
    *out = fv_val(int_const(l, n, compares ? DT_bool : s == t ? (dtype)s : DT_i64, r));
    return true;
}

static fv binary(lower *l, const ast *n, int code, fv *x) {
    fv out;
    if (x[0].kind == FV_error || x[1].kind == FV_error || l->st != OK)
        return (fv){0};
    if (object_operator(l, n, code, x, &out) || folded(l, n, code, x, &out))
        return out;
    if (code == MATMUL)
        return array_matmul(l, n, x[0], x[1]);
    if (has_lanes(x, 2))
        return lower_lanes(l, n, binary, code, x, 2);
    if (has_array(x, 2))
        return array_map(l, n, binary, code, x, 2);
    bool both = n->kind == AST_BinOp; /* the operands have places of their own */
    ir_value *in[2] = {lower_as_val(l, x[0], both ? n->f[BinOp_left].node->at : n->at),
                       lower_as_val(l, x[1], both ? n->f[BinOp_right].node->at : n->at)};
    if (l->st != OK)
        return (fv){0};
    bool compares = code >= OP_lt && code <= OP_ne;
    check_binary(l, n, code, in[0], in[1]);
    return fv_val(emit(l, n, code, compares ? ir_val(DT_bool, 1) : ir_any(), 2, in));
}

fv lower_arith(lower *l, const ast *n, int code, fv *x) { return binary(l, n, code, x); }

static fv joined(lower *l, fv a, fv b) {
    fv t = {.kind = FV_tuple,
            .list = a.list,
            .n = a.n + b.n,
            .elts = ARENA_ARRAY(l->mem, fv, a.n + b.n + 1)};
    memcpy(t.elts, a.elts, a.n * sizeof(fv));
    memcpy(t.elts + a.n, b.elts, b.n * sizeof(fv));
    return t;
}

/* t * k of a tuple and a constant. */
static bool repeated(lower *l, const ast *n, fv a, fv b, fv *out) {
    fv t = a.kind == FV_tuple ? a : b, k = a.kind == FV_tuple ? b : a;
    int64_t times;
    if (t.kind != FV_tuple || t.vec || k.kind != FV_val)
        return false;
    if (!const_of(k, &times) &&
        !lower_const_int(l, n->f[a.kind == FV_tuple ? BinOp_right : BinOp_left].node, &times))
        return false;
    if (times * (int64_t)t.n > 4096) {
        fail(l, n, "use pyasc.local(n)", "a tuple of %lld elements",
             (long long)(times * (int64_t)t.n));
        return true;
    }
    *out = (fv){.kind = FV_tuple, .list = t.list};
    for (; times > 0; times--)
        *out = joined(l, *out, t);
    out->list = t.list;
    return true;
}

static fv lower_binary(lower *l, const ast *n) {
    int code = binary_code(n->f[BinOp_op].s);
    fv both[2] = {lower_expr(l, n->f[BinOp_left].node)}, out = {0};
    both[1] = lower_expr(l, n->f[BinOp_right].node);
    if (l->st != OK)
        return (fv){0};
    if (code == OP_add && both[0].kind == FV_tuple && both[1].kind == FV_tuple && !both[0].vec &&
        !both[1].vec && both[0].st.kind != ST_class)
        return joined(l, both[0], both[1]);
    if (code == OP_mul && repeated(l, n, both[0], both[1], &out))
        return out;
    if (code == OP_add && (both[0].kind == FV_text || both[1].kind == FV_text)) {
        fv parts[2] = {text_of(l, n, both[0]), text_of(l, n, both[1])};
        return l->st == OK ? text_join(l, parts, 2) : (fv){0};
    }
    return binary(l, n, code, both);
}

ir_value *to_bool(lower *l, const ast *n, ir_value *v) {
    if (v->type.kind == TY_val && v->type.dt == DT_bool)
        return v;
    ir_value *in[1] = {v};
    return emit(l, n, OP_cast, ir_val(DT_bool, 1), 1, in);
}

static fv truth(lower *l, const ast *n, fv x);

static fv unary(lower *l, const ast *n, int code, fv *x) {
    fv method;
    const char *name = code == OP_neg ? "__neg__" : code == OP_inv ? "__invert__" : "__pos__";
    if (object_method(l, x[0], name, &method))
        return lower_apply(l, n, method, NULL, 0);
    if (code == OP_add)
        return x[0];
    if (has_lanes(x, 1))
        return lower_lanes(l, n, unary, code, x, 1);
    if (has_array(x, 1))
        return array_map(l, n, unary, code, x, 1);
    int64_t k;
    if (code == OP_neg && const_of(x[0], &k) && k != INT64_MIN && x[0].v->type.dt != DT_bool)
        return fv_val(int_const(l, n, (dtype)x[0].v->type.dt, -k));
    ir_value *in[1] = {lower_as_val(l, x[0], n->at)};
    if (l->st == OK && code == OP_neg)
        check_binary(l, n, code, in[0], NULL);
    return l->st == OK ? fv_val(emit(l, n, code, ir_any(), 1, in)) : (fv){0};
}

static fv lower_unary(lower *l, const ast *n) {
    const char *op = n->f[UnaryOp_op].s;
    fv x = lower_expr(l, n->f[UnaryOp_operand].node);
    if (l->st != OK)
        return (fv){0};
    if (!strcmp(op, "Not")) {
        ir_value *in[1] = {to_bool(l, n, lower_as_val(l, truth(l, n, x), n->at))};
        int64_t k;
        if (const_of(fv_val(in[0]), &k))
            return fv_val(int_const(l, n, DT_bool, !k));
        return fv_val(emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, in));
    }
    return unary(l, n, !strcmp(op, "USub") ? OP_neg : !strcmp(op, "UAdd") ? OP_add : OP_inv, &x);
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

static fv lower_boolop(lower *l, const ast *n) {
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

static fv lower_ifexp(lower *l, const ast *n) {
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
    return binary(l, n, code, both);
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

static fv lower_compare(lower *l, const ast *n) {
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

static fv lower_tuple(lower *l, const ast *n) {
    const ast_field *e = &n->f[Tuple_elts];
    VEC(fv) out = {0};
    for (uint32_t i = 0; i < e->n && l->st == OK; i++) {
        bool star = e->list[i]->kind == AST_Starred;
        fv x = lower_expr(l, star ? e->list[i]->f[Starred_value].node : e->list[i]);
        if (star && x.kind != FV_tuple && l->st == OK)
            fail(l, e->list[i], "name the elements", "%s cannot be spread with *, only a tuple",
                 say_what(l, x));
        for (uint32_t k = 0; star && k < x.n; k++)
            vec_push(l->mem, &out, x.elts[k]);
        if (!star)
            vec_push(l->mem, &out, x);
    }
    return (fv){.kind = FV_tuple, .list = n->kind == AST_List, .n = out.n, .elts = out.p};
}

bool const_of(fv x, int64_t *out) {
    if (x.kind != FV_val || !x.v->def || x.v->def->code != OP_iconst)
        return false;
    *out = x.v->def->attr[0].i;
    return true;
}

/* A compile-time integer: a literal, a captured number (frozen: a new value compiles anew), + - *
 * // of these. */
bool lower_const_int(lower *l, const ast *n, int64_t *out) {
    int64_t a, b;
    if (n->kind == AST_Constant && n->f[Constant_value].kind == AF_int)
        return *out = n->f[Constant_value].i, true;
    if (n->kind == AST_UnaryOp && !strcmp(n->f[UnaryOp_op].s, "USub") &&
        lower_const_int(l, n->f[UnaryOp_operand].node, &a))
        return *out = -a, true;
    if (n->kind == AST_BinOp && lower_const_int(l, n->f[BinOp_left].node, &a) &&
        lower_const_int(l, n->f[BinOp_right].node, &b)) {
        const char *op = n->f[BinOp_op].s;
        if (!strcmp(op, "Add"))
            return !__builtin_add_overflow(a, b, out);
        if (!strcmp(op, "Sub"))
            return !__builtin_sub_overflow(a, b, out);
        if (!strcmp(op, "Mult"))
            return !__builtin_mul_overflow(a, b, out);
        if (!strcmp(op, "FloorDiv") && b > 0 && a >= 0)
            return *out = a / b, true;
        return false;
    }
    if (n->kind != AST_Name)
        return false;
    const var *v = var_find(l, n->f[Name_id].s);
    if (v) {
        uint32_t at = flow_of(l, v);
        if (at == FLOW_CELL)
            return v->konst && const_of(fv_val((ir_value *)v->konst), out);
        return at > FLOW_CELL && at != FLOW_MIXED && const_of(l->bindings.p[at].value, out);
    }
    fn_scope *s = l->fs;
    while (!s->fn && s->parent)
        s = s->parent;
    front_static st = {0};
    l->env->name(l->env->self, s->fn, n->f[Name_id].s, &st);
    if (st.kind != ST_int)
        return false;
    l->env->freeze(l->env->self, s->fn, n->f[Name_id].s);
    *out = st.i;
    return true;
}

ir_value *lower_as_val(lower *l, fv x, loc at) {
    if (x.kind == FV_val && x.v->type.kind != TY_tensor)
        return x.v;
    if (l->flow.dead && l->st == OK) /* of a call that never returns */
        return ir_iconst(l->f, l->r, ir_site(l->f, at), DT_wint, 0);
    ast place = {.at = at};
    if (x.kind == FV_val)
        fail(l, &place, "subscript it, as in x[i], or loop over its elements",
             "'%s' is a tensor and stands where a number is needed",
             x.v->name ? x.v->name : "this");
    else if (x.kind == FV_array)
        fail(l, &place, "give each dimension a subscript, or store it to a slice: y[i, :] = ...",
             "%s stands where a number is needed", say_what(l, x));
    else if (x.kind == FV_tuple)
        fail(l, &place, "take its elements", "a tuple stands where a number is needed");
    else if (x.kind == FV_text || (x.kind == FV_static && x.st.kind == ST_str))
        fail(l, &place, "print it, or raise it as a message",
             "a string stands where a number is needed");
    else if (x.kind == FV_object)
        fail(l, &place, "use its attributes", "a '%s' object stands where a number is needed",
             x.obj->cls.s);
    else if (x.kind == FV_static && x.st.kind == ST_none)
        fail(l, &place, "give it a value: a function without return gives None",
             "None stands where a number is needed");
    else if (x.kind == FV_closure || x.kind == FV_method ||
             (x.kind == FV_static && (x.st.kind == ST_func || x.st.kind == ST_op)))
        fail(l, &place, "call it: f(x)", "a function stands where a number is needed");
    else
        fail(l, &place, "pass what it is for as numbers, tensors, or objects of these",
             "%s stands where a number is needed", say_what(l, x));
    return ir_iconst(l->f, l->r, 0, DT_wint, 0);
}

ir_value *lower_val(lower *l, const ast *n) { return lower_as_val(l, lower_expr(l, n), n->at); }

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

static void unsupported_expr(lower *l, const ast *n) {
    static const char *const rows[][3] = {
        {"Dict", "a dict", "use a NamedTuple or a dataclass for names, a tensor for numbers"},
        {"Set", "a set", "use a tuple, or a tensor of flags"},
        {"DictComp", "a dict comprehension", "use a tuple, or a loop over a tensor"},
        {"SetComp", "a set comprehension", "use a tuple, or a loop over a tensor"},
        {"Yield", "yield", "store each value to a tensor, or call a function with it"},
        {"YieldFrom", "yield from", "write the loop"},
        {"Await", "await", "use task() and sync()"},
        {"Slice", "a slice here", "slices stand in subscripts: x[a:b]"},
        {"Starred", "* here", "spread tuples in calls and in tuples only"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i][0], n->name)) {
            fail(l, n, rows[i][2], "%s is not supported in kernels", rows[i][1]);
            return;
        }
    fail(l, n, "write it with plain loops and arithmetic", "%s is not supported in kernels",
         n->name);
}

fv lower_expr(lower *l, const ast *n) {
    if (l->st != OK)
        return (fv){0};
    switch (n->kind) {
    case AST_Constant: return lower_constant(l, n);
    case AST_Name: return lower_name(l, n);
    case AST_Attribute: return lower_attribute(l, n);
    case AST_Subscript: return lower_subscript(l, n);
    case AST_BinOp: return lower_binary(l, n);
    case AST_UnaryOp: return lower_unary(l, n);
    case AST_BoolOp: return lower_boolop(l, n);
    case AST_IfExp: return lower_ifexp(l, n);
    case AST_Compare: return lower_compare(l, n);
    case AST_Tuple:
    case AST_List: return lower_tuple(l, n);
    case AST_Call: return lower_call(l, n);
    case AST_Lambda: return (fv){.kind = FV_closure, .def = n, .home = l->fs};
    case AST_JoinedStr: return lower_fstring(l, n);
    case AST_ListComp:
    case AST_GeneratorExp: return lower_comprehension(l, n);
    case AST_NamedExpr: {
        fv x = lower_expr(l, n->f[NamedExpr_value].node);
        lower_assign(l, n->f[NamedExpr_target].node, x);
        return x;
    }
    default: unsupported_expr(l, n); return (fv){0};
    }
}
