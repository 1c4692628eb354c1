/* Expressions: names, constants, attributes, displays; the rest by kind. */
#include "front/lower_asc.h"
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

/* Has a shape or the like asked for its value? Then a new one compiles anew. */
static bool is_frozen(const lower *l, const void *fn, const char *name) {
    for (uint32_t i = 0; i < l->frozen.n; i++)
        if (l->frozen.p[i].fn == fn && !strcmp(l->frozen.p[i].name, name))
            return true;
    return false;
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
        if (is_frozen(l, s->fn, name))
            return fv_val(ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_wint, st.i));
        return lower_capture(l, s->fn, name, &st);
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
    fv method;
    if (l->env->asc && asc_method(l, n, base, name, &method))
        return method;
    bool names = base.kind == FV_static && base.st.kind == ST_module;
    const char *shown = say_name(l, n->f[Attribute_value].node);
    fail(l, n,
         names ? "check the spelling"
               : "check the spelling (lists and strings have no methods in kernels)",
         "%s%s%s has no attribute '%s'", names && shown ? "'" : "",
         names && shown ? shown : say_what(l, base), names && shown ? "'" : "", name);
    return (fv){0};
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
    frozen is = {s->fn, n->f[Name_id].s, st.i};
    vec_push(l->mem, &l->frozen, is);
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
    say_unsupported(l, n, rows, sizeof rows / sizeof *rows,
                    "write it with plain loops and arithmetic");
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
