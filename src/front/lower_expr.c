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
    ir_value *v = ir_region_arg(l->f, l->f->body, t, name);
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
    default: return fv_static(st);
    }
}

static fv lower_name(lower *l, const ast *n) {
    for (fn_scope *s = l->fs; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, n->f[Name_id].s))
                return var_get(l, n, v);
    return outside(l, n, n->f[Name_id].s);
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
        fail(l, n, "use int, float or bool", "a constant of this kind is not supported in kernels");
        return (fv){0};
    }
}

static ir_value *dim_of(lower *l, const ast *n, ir_value *t, int axis) {
    ir_value *in[1] = {t}, *v = emit(l, n, OP_dim, ir_val(DT_i64, 1), 1, in);
    v->def->attr[0].i = axis;
    return v;
}

static fv tensor_attr(lower *l, const ast *n, ir_value *t, const char *name) {
    if (!strcmp(name, "shape")) {
        fv s = {
            .kind = FV_tuple, .n = t->type.rank, .elts = ARENA_ARRAY(l->mem, fv, t->type.rank + 1)};
        for (uint32_t i = 0; i < s.n; i++)
            s.elts[i] = fv_val(dim_of(l, n, t, (int)i));
        return s;
    }
    if (!strcmp(name, "dtype"))
        return fv_static((front_static){.kind = ST_dtype, .dt = t->type.dt});
    if (!strcmp(name, "ndim"))
        return fv_val(ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_wint, t->type.rank));
    if (!strcmp(name, "size")) {
        ir_value *v = ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_i64, 1);
        for (int i = 0; i < t->type.rank; i++) {
            ir_value *in[2] = {v, dim_of(l, n, t, i)};
            v = emit(l, n, OP_mul, ir_any(), 2, in);
        }
        return fv_val(v);
    }
    fail(l, n, "tensors have shape, dtype, ndim and size",
         "a tensor has no attribute '%s' in kernels", name);
    return (fv){0};
}

static fv lower_attribute(lower *l, const ast *n) {
    fv base = lower_expr(l, n->f[Attribute_value].node);
    const char *name = n->f[Attribute_attr].s;
    if (base.kind == FV_val && base.v->type.kind == TY_tensor)
        return tensor_attr(l, n, base.v, name);
    if (base.kind == FV_static && base.st.kind == ST_module) {
        front_static st = {0};
        l->env->attr(l->env->self, base.st.handle, name, &st);
        uint32_t site = ir_site(l->f, n->at);
        if (st.kind == ST_int || st.kind == ST_bool)
            return fv_val(ir_iconst(l->f, l->r, site, st.kind == ST_int ? DT_wint : DT_bool, st.i));
        if (st.kind == ST_float)
            return fv_val(ir_fconst(l->f, l->r, site, DT_wflt, st.f));
        if (st.kind != ST_missing)
            return fv_static(st);
    }
    if (base.kind != FV_error)
        fail(l, n, "check the spelling", "no attribute '%s' here", name);
    return (fv){0};
}

/* An element of a tuple of numbers at an index known when the kernel runs; it may count from the
 * end. */
static fv pick(lower *l, const ast *n, fv t, ir_value *index) {
    uint32_t site = ir_site(l->f, n->at);
    ir_value *v = lower_as_val(l, t.elts[0], n->at);
    for (uint32_t k = 1; k < t.n; k++) {
        ir_value *same[2];
        for (int end = 0; end < 2; end++) {
            int64_t at = (int64_t)k - (end ? (int64_t)t.n : 0);
            ir_value *in[2] = {index, ir_iconst(l->f, l->r, site, DT_wint, at)};
            same[end] = emit(l, n, OP_eq, ir_val(DT_bool, 1), 2, in);
        }
        ir_value *in[3] = {emit(l, n, OP_or, ir_val(DT_bool, 1), 2, same),
                           lower_as_val(l, t.elts[k], n->at), v};
        v = emit(l, n, OP_select, ir_any(), 3, in);
    }
    return fv_val(v);
}

static fv lower_subscript(lower *l, const ast *n) {
    fv base = lower_expr(l, n->f[Subscript_value].node);
    const ast *s = n->f[Subscript_slice].node;
    int64_t k;
    if (base.kind == FV_tuple && lower_const_int(l, s, &k)) {
        if (k >= -(int64_t)base.n && k < (int64_t)base.n)
            return base.elts[k < 0 ? k + base.n : k];
        fail(l, n, NULL, "index %lld is outside a tuple of %u", (long long)k, base.n);
        return (fv){0};
    }
    if (base.kind == FV_tuple && base.n)
        return pick(l, n, base, lower_val(l, s));
    if (base.kind != FV_val || base.v->type.kind != TY_tensor) {
        if (base.kind != FV_error)
            fail(l, n,
                 "subscripts need a tensor, shared() or local() memory, or a tuple and a constant",
                 "this value cannot be subscripted");
        return (fv){0};
    }
    if (s->kind == AST_Slice || ast_has(s, AST_Slice, true)) {
        fail(l, s, "loop over the elements", "slices are not supported in kernels yet");
        return (fv){0};
    }
    return lower_load(l, n, base.v, lower_expr(l, s));
}

fv lower_load(lower *l, const ast *n, ir_value *t, fv index) {
    uint32_t rank = index.kind == FV_tuple ? index.n : 1;
    if (rank != t->type.rank) {
        fail(l, n, "give one subscript for each dimension",
             "the tensor has %u dimensions, %u subscripts given", t->type.rank, rank);
        return (fv){0};
    }
    ir_value *in[16] = {t};
    for (uint32_t i = 0; i < rank && i < 15; i++)
        in[1 + i] = lower_as_val(l, index.kind == FV_tuple ? index.elts[i] : index, n->at);
    return fv_val(emit(l, n, OP_load, ir_val(t->type.dt, 1), 1 + rank, in));
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
                {"NotEq", OP_ne}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, op))
            return rows[i].code;
    return -1;
}

static fv binary(lower *l, const ast *n, int code, fv *x) {
    if (has_lanes(x, 2))
        return lower_lanes(l, n, binary, code, x, 2);
    ir_value *in[2] = {lower_as_val(l, x[0], n->at), lower_as_val(l, x[1], n->at)};
    bool compares = code >= OP_lt && code <= OP_ne;
    return fv_val(emit(l, n, code, compares ? ir_val(DT_bool, 1) : ir_any(), 2, in));
}

static fv lower_binary(lower *l, const ast *n) {
    int code = binary_code(n->f[BinOp_op].s);
    fv a = lower_expr(l, n->f[BinOp_left].node), b = lower_expr(l, n->f[BinOp_right].node);
    if (code == OP_add && a.kind == FV_tuple && b.kind == FV_tuple && !a.vec && !b.vec) {
        fv t = {.kind = FV_tuple, .n = a.n + b.n, .elts = ARENA_ARRAY(l->mem, fv, a.n + b.n + 1)};
        memcpy(t.elts, a.elts, a.n * sizeof(fv));
        memcpy(t.elts + a.n, b.elts, b.n * sizeof(fv));
        return t;
    }
    if (code < 0) {
        fail(l, n, "write the loop: `for k in range(K): s += a[i, k] * b[k, j]`",
             "@ is not supported in kernels yet");
        return (fv){0};
    }
    fv both[2] = {a, b};
    return binary(l, n, code, both);
}

static ir_value *to_bool(lower *l, const ast *n, ir_value *v) {
    if (v->type.kind == TY_val && v->type.dt == DT_bool)
        return v;
    ir_value *in[1] = {v};
    return emit(l, n, OP_cast, ir_val(DT_bool, 1), 1, in);
}

static fv unary(lower *l, const ast *n, int code, fv *x) {
    if (has_lanes(x, 1))
        return lower_lanes(l, n, unary, code, x, 1);
    ir_value *in[1] = {lower_as_val(l, x[0], n->at)};
    return fv_val(emit(l, n, code, ir_any(), 1, in));
}

static fv lower_unary(lower *l, const ast *n) {
    const char *op = n->f[UnaryOp_op].s;
    fv x = lower_expr(l, n->f[UnaryOp_operand].node);
    if (!strcmp(op, "UAdd"))
        return x;
    if (!strcmp(op, "Not")) {
        ir_value *in[1] = {to_bool(l, n, lower_as_val(l, x, n->at))};
        return fv_val(emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, in));
    }
    return unary(l, n, !strcmp(op, "USub") ? OP_neg : OP_inv, &x);
}

/* No calls, no memory: may be computed where Python would not. */
static bool is_safe(const ast *n) {
    return !ast_has(n, AST_Call, true) && !ast_has(n, AST_Subscript, true) &&
           !ast_has(n, AST_NamedExpr, true);
}

static bool is_boolean(const ast *n) {
    return n->kind == AST_Compare ||
           (n->kind == AST_UnaryOp && !strcmp(n->f[UnaryOp_op].s, "Not")) ||
           (n->kind == AST_Constant && n->f[Constant_value].kind == AF_bool) ||
           (n->kind == AST_BoolOp && is_boolean(n->f[BoolOp_values].list[0]));
}

/* Evaluate n into variable v inside region r. */
static void into(lower *l, const ast *n, var *v, ir_region *r, bool to_boolean) {
    ir_region *outer = l->r;
    l->r = r;
    fv x = lower_expr(l, n);
    if (to_boolean)
        x = fv_val(to_bool(l, n, lower_as_val(l, x, n->at)));
    var_set(l, n, v, x);
    ir_append(r, ir_op_new(l->f, OP_yield, ir_site(l->f, n->at), 0, 0, 0));
    l->r = outer;
}

static ir_op *open_if(lower *l, const ast *n, ir_value *cond) {
    ir_op *op = ir_op_new(l->f, OP_if, ir_site(l->f, n->at), 1, 0, 2);
    op->in[0] = cond;
    ir_append(l->r, op);
    return op;
}

static void empty_region(lower *l, const ast *n, ir_region *r) {
    ir_append(r, ir_op_new(l->f, OP_yield, ir_site(l->f, n->at), 0, 0, 0));
}

static fv lower_boolop(lower *l, const ast *n) {
    const ast_field *values = &n->f[BoolOp_values];
    bool is_and = !strcmp(n->f[BoolOp_op].s, "And"), all_safe = true,
         all_bool = is_boolean(values->list[0]);
    for (uint32_t i = 1; i < values->n; i++) {
        all_safe = all_safe && is_safe(values->list[i]);
        all_bool = all_bool && is_boolean(values->list[i]);
    }
    if (all_safe && all_bool) {
        ir_value *v = lower_val(l, values->list[0]);
        for (uint32_t i = 1; i < values->n; i++) {
            ir_value *in[2] = {v, lower_val(l, values->list[i])};
            v = emit(l, n, is_and ? OP_and : OP_or, ir_val(DT_bool, 1), 2, in);
        }
        return fv_val(v);
    }
    var t = {0};
    var_set(l, n, &t, lower_expr(l, values->list[0]));
    for (uint32_t i = 1; i < values->n && l->st == OK; i++) {
        ir_value *c = to_bool(l, n, lower_as_val(l, var_get(l, n, &t), n->at));
        ir_op *op = open_if(l, n, c);
        empty_region(l, n, op->reg[is_and ? 1 : 0]);
        into(l, values->list[i], &t, op->reg[is_and ? 0 : 1], false);
        if (i + 1 < values->n)
            continue;
    }
    return l->st == OK ? var_get(l, n, &t) : (fv){0};
}

static fv lower_ifexp(lower *l, const ast *n) {
    ir_value *c = lower_cond(l, n->f[IfExp_test].node);
    const ast *a = n->f[IfExp_body].node, *b = n->f[IfExp_orelse].node;
    if (c->def && c->def->code == OP_iconst)
        return lower_expr(l, c->def->attr[0].i ? a : b);
    if (is_safe(a) && is_safe(b)) {
        fv x = lower_expr(l, a), y = lower_expr(l, b);
        if (x.kind == FV_val && y.kind == FV_val && x.v->type.kind != TY_tensor) {
            ir_value *in[3] = {c, x.v, y.v};
            return fv_val(emit(l, n, OP_select, ir_any(), 3, in));
        }
    }
    var t = {0};
    ir_op *op = open_if(l, n, c);
    into(l, a, &t, op->reg[0], false);
    into(l, b, &t, op->reg[1], false);
    return l->st == OK ? var_get(l, n, &t) : (fv){0};
}

static ir_value *compare_one(lower *l, const ast *n, const char *op, ir_value *a, ir_value *b) {
    int code = binary_code(op);
    if (code < 0) {
        fail(l, n, "compare with < <= > >= == !=", "'%s' is not supported in kernels", op);
        code = OP_eq;
    }
    ir_value *in[2] = {a, b};
    return emit(l, n, code, ir_val(DT_bool, 1), 2, in);
}

static bool is_none(const ast *n) {
    return n->kind == AST_Constant && n->f[Constant_value].kind == AF_None;
}

/* `x is None` is known at compile time. */
static fv lower_is_none(lower *l, const ast *n) {
    fv a = lower_expr(l, n->f[Compare_left].node);
    bool none = a.kind == FV_static && a.st.kind == ST_none;
    bool want = !strcmp(n->f[Compare_ops].list[0]->name, "Is");
    return fv_val(ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_bool, none == want));
}

static fv static_compare(lower *l, const ast *n, fv a, fv b) {
    bool same = a.kind == FV_static && b.kind == FV_static && a.st.kind == b.st.kind &&
                (a.st.kind != ST_dtype || a.st.dt == b.st.dt) &&
                (a.st.kind != ST_str || !strcmp(a.st.s, b.st.s));
    bool ne = !strcmp(n->f[Compare_ops].list[0]->name, "NotEq");
    return fv_val(ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_bool, same != ne));
}

static fv lower_compare(lower *l, const ast *n) {
    const ast_field *ops = &n->f[Compare_ops], *rest = &n->f[Compare_comparators];
    if (ops->n == 1 && is_none(rest->list[0]))
        return lower_is_none(l, n);
    fv first = lower_expr(l, n->f[Compare_left].node);
    if (first.kind == FV_static && ops->n == 1)
        return static_compare(l, n, first, lower_expr(l, rest->list[0]));
    if (ops->n == 1 && binary_code(ops->list[0]->name) >= 0) {
        fv both[2] = {first, lower_expr(l, rest->list[0])};
        return binary(l, n, binary_code(ops->list[0]->name), both);
    }
    ir_value *a = lower_as_val(l, first, n->at), *all = NULL;
    for (uint32_t i = 0; i < ops->n; i++) {
        ir_value *b = lower_val(l, rest->list[i]);
        ir_value *c = compare_one(l, n, ops->list[i]->name, a, b);
        ir_value *in[2] = {all, c};
        all = all ? emit(l, n, OP_and, ir_val(DT_bool, 1), 2, in) : c;
        a = b;
    }
    return fv_val(all);
}

static fv lower_tuple(lower *l, const ast *n) {
    const ast_field *e = &n->f[Tuple_elts];
    fv t = {.kind = FV_tuple, .n = e->n, .elts = ARENA_ARRAY(l->mem, fv, e->n + 1)};
    for (uint32_t i = 0; i < e->n; i++)
        t.elts[i] = lower_expr(l, e->list[i]);
    return t;
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
    for (fn_scope *s = l->fs; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, n->f[Name_id].s))
                return v->kind == V_bound && v->bound.kind == FV_val && v->bound.v->def &&
                       v->bound.v->def->code == OP_iconst &&
                       (*out = v->bound.v->def->attr[0].i, true);
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
    ast place = {.at = at};
    if (x.kind == FV_val)
        fail(l, &place, "subscript it, as in x[i]; loop over its elements",
             "'%s' is a tensor and stands where a number is needed",
             x.v->name ? x.v->name : "this");
    else if (x.kind == FV_tuple)
        fail(l, &place, "take its elements", "a tuple stands where a number is needed");
    else if (x.kind == FV_static && x.st.kind == ST_none)
        fail(l, &place, NULL, "None stands where a number is needed");
    else
        fail(l, &place, NULL, "this is not a value that a kernel can compute with");
    return ir_iconst(l->f, l->r, 0, DT_wint, 0);
}

ir_value *lower_val(lower *l, const ast *n) { return lower_as_val(l, lower_expr(l, n), n->at); }

ir_value *lower_cond(lower *l, const ast *n) {
    if (n->kind == AST_BoolOp &&
        l->st == OK) { /* as a condition only the truth of each part counts */
        const ast_field *values = &n->f[BoolOp_values];
        bool is_and = !strcmp(n->f[BoolOp_op].s, "And");
        ir_value *v = lower_cond(l, values->list[0]);
        for (uint32_t i = 1; i < values->n; i++) {
            if (is_safe(values->list[i])) {
                ir_value *in[2] = {v, lower_cond(l, values->list[i])};
                v = emit(l, n, is_and ? OP_and : OP_or, ir_val(DT_bool, 1), 2, in);
                continue;
            }
            var t = {0};
            var_set(l, n, &t, fv_val(v));
            ir_op *op = open_if(l, n, v);
            empty_region(l, n, op->reg[is_and ? 1 : 0]);
            into(l, values->list[i], &t, op->reg[is_and ? 0 : 1], true);
            v = l->st == OK ? lower_as_val(l, var_get(l, n, &t), n->at) : v;
        }
        return to_bool(l, n, v);
    }
    return to_bool(l, n, lower_val(l, n));
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
    case AST_NamedExpr: {
        fv x = lower_expr(l, n->f[NamedExpr_value].node);
        lower_assign(l, n->f[NamedExpr_target].node, x);
        return x;
    }
    default:
        fail(l, n, "write it with plain loops and arithmetic", "%s is not supported in kernels",
             n->name);
        return (fv){0};
    }
}
