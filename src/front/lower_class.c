/* Classes. An object is its attributes, each a variable; methods are lowered at the call. Objects
   of the host (self of a kernel that is a method, a module's instance) are read attribute by
   attribute, as hidden arguments. */
#include "front/lower_asc.h"
#include <string.h>

var *object_field(lower *l, object *o, const char *name, bool make) {
    for (var *v = o->fields; v; v = v->next)
        if (!strcmp(v->name, name))
            return v;
    if (!make)
        return NULL;
    var *v = ARENA_NEW(l->mem, var);
    var_init(l, v, name);
    l->fields++;
    v->count = 2; /* from anywhere: never the only name of an object */
    v->next = o->fields;
    o->fields = v;
    return v;
}

static object *object_new(lower *l, const front_static *cls) {
    object *o = ARENA_NEW(l->mem, object);
    o->cls = *cls;
    return o;
}

fv object_copy(lower *l, const ast *n, fv x) {
    object *o = object_new(l, &x.obj->cls);
    for (var *f = x.obj->fields; f; f = f->next)
        if (flow_of(l, f) != FLOW_UNSET)
            var_set(l, n, object_field(l, o, f->name, true), var_get(l, n, f));
    return (fv){.kind = FV_object, .obj = o};
}

static bool find_method(lower *l, const front_static *cls, const char *name, void *after, fv self,
                        fv *out) {
    front_static st = {0}, owner = {0};
    l->env->method(l->env->self, cls->handle, after, name, &st, &owner);
    if (st.kind != ST_func)
        return false;
    *out = (fv){.kind = FV_method, .st = st, .elts = ARENA_NEW(l->mem, fv), .n = 1};
    out->st.owner = owner.handle;
    out->elts[0] = self;
    return true;
}

static const front_static *class_of(const fv *x) {
    if (x->kind == FV_object)
        return &x->obj->cls;
    return x->kind == FV_tuple && x->st.kind == ST_class ? &x->st : NULL;
}

bool object_method(lower *l, fv x, const char *name, fv *out) {
    const front_static *cls = class_of(&x);
    return cls && find_method(l, cls, name, NULL, x, out);
}

static fv field_default(lower *l, const ast *n, const front_field *f, const front_static *cls) {
    if (f->has_default)
        return static_fv(l, n, &f->value);
    fail(l, n, "pass it, or give the field a default", "%s() is missing the field '%s'", cls->s,
         f->name);
    return (fv){0};
}

/* By the fields of a dataclass or NamedTuple. */
static fv from_fields(lower *l, const ast *n, const front_static *cls, const front_class *c,
                      fv *args, uint32_t nargs) {
    if (nargs > c->nfields) {
        fail(l, n, "pass one value for each field", "%s() takes %u value%s, %u given", cls->s,
             c->nfields, c->nfields == 1 ? "" : "s", nargs);
        return (fv){0};
    }
    fv t = {.kind = FV_tuple,
            .n = c->nfields,
            .st = *cls,
            .elts = ARENA_ARRAY(l->mem, fv, c->nfields + 1)};
    for (uint32_t i = 0; i < c->nfields && l->st == OK; i++)
        t.elts[i] = i < nargs && args[i].kind != FV_error ? args[i]
                                                          : field_default(l, n, &c->fields[i], cls);
    if (c->tuple || l->st != OK)
        return t;
    object *o = object_new(l, cls);
    for (uint32_t i = 0; i < c->nfields; i++)
        var_set(l, n, object_field(l, o, c->fields[i].name, true), t.elts[i]);
    fv x = {.kind = FV_object, .obj = o}, post;
    if (find_method(l, cls, "__post_init__", NULL, x, &post))
        lower_apply(l, n, post, NULL, 0);
    return l->st == OK ? x : (fv){0};
}

fv lower_construct(lower *l, const ast *n, const front_static *cls, fv *args, uint32_t nargs) {
    const front_class *c = l->env->fields(l->env->self, cls->handle);
    if (cls->asc)
        return asc_apply(l, n, (fv){.kind = FV_static, .st = *cls}, args, nargs);
    if (cls->exc) {
        fail(l, n, "raise it where it is made", "an exception is no value in kernels");
        return (fv){0};
    }
    if (c)
        return from_fields(l, n, cls, c, args, nargs);
    fv x = {.kind = FV_object, .obj = object_new(l, cls)}, init;
    if (find_method(l, cls, "__init__", NULL, x, &init))
        lower_apply(l, n, init, args, nargs);
    else if (nargs)
        fail(l, n, "give the class an __init__", "%s() takes no arguments", cls->s);
    return l->st == OK ? x : (fv){0};
}

static fv tuple_attr(lower *l, const ast *n, fv x, const char *name, bool *found) {
    const front_class *c = l->env->fields(l->env->self, x.st.handle);
    for (uint32_t i = 0; c && i < c->nfields && i < x.n; i++)
        if (!strcmp(c->fields[i].name, name))
            return *found = true, x.elts[i];
    (void)n;
    return (fv){0};
}

/* What an object has by its class: a method, a property's value, a constant. */
static fv class_attr(lower *l, const ast *n, fv self, const front_static *cls, const char *name) {
    fv method;
    if (cls->asc && asc_method(l, n, self, name, &method))
        return method;
    if (find_method(l, cls, name, NULL, self, &method))
        return method.st.property ? lower_apply(l, n, method, NULL, 0) : method;
    front_static st = {0};
    l->env->attr(l->env->self, cls->handle, name, &st);
    if (st.kind != ST_missing)
        return static_fv(l, n, &st);
    fail(l, n, "set it in __init__, or check the spelling", "'%s' object has no attribute '%s'",
         cls->s, name);
    return (fv){0};
}

/* An attribute of an object of the host. */
static fv host_attr(lower *l, const ast *n, fv x, const char *name) {
    front_static st = {0};
    l->env->host_attr(l->env->self, &x.st, name, &st);
    switch (st.kind) {
    case ST_missing:
        fail(l, n, "check the spelling", "'%s' object has no attribute '%s'", x.st.s, name);
        return (fv){0};
    case ST_int:
    case ST_float:
    case ST_bool:
    case ST_tensor: return lower_capture(l, NULL, st.path, &st);
    case ST_func: {
        fv m = {.kind = FV_method, .st = st, .elts = ARENA_NEW(l->mem, fv), .n = 1};
        m.elts[0] = x;
        return st.property ? lower_apply(l, n, m, NULL, 0)
               : st.bound  ? m
                           : (fv){.kind = FV_static, .st = st};
    }
    default: return (fv){.kind = FV_static, .st = st};
    }
}

fv object_attr(lower *l, const ast *n, fv x, const char *name) {
    if (x.kind == FV_object) {
        var *f = object_field(l, x.obj, name, false);
        return f ? var_get(l, n, f) : class_attr(l, n, x, &x.obj->cls, name);
    }
    if (x.kind == FV_tuple) {
        bool found = false;
        fv e = tuple_attr(l, n, x, name, &found);
        return found ? e : class_attr(l, n, x, &x.st, name);
    }
    if (x.st.kind == ST_super) {
        fv method;
        const front_static *cls = class_of(&x.elts[0]);
        if (cls && find_method(l, cls, name, x.st.handle, x.elts[0], &method))
            return method;
        if (!strcmp(name, "__init__"))
            return (fv){.kind = FV_static, .st = {.kind = ST_op, .s = "object.__init__"}};
        fail(l, n, "check the spelling", "no base class has a method '%s'", name);
        return (fv){0};
    }
    return host_attr(l, n, x, name);
}

void object_set(lower *l, const ast *n, fv x, const char *name, fv value) {
    if (x.kind != FV_object) {
        if (x.kind != FV_error)
            fail(l, n, "store it in a tensor, or set attributes of objects made in the kernel",
                 "attributes of %s cannot be assigned in a kernel", say_what(l, x));
        return;
    }
    const front_class *c = l->env->fields(l->env->self, x.obj->cls.handle);
    if (c && c->frozen)
        fail(l, n, "make a new object", "'%s' is a frozen dataclass", x.obj->cls.s);
    else
        var_set(l, n, object_field(l, x.obj, name, true), value);
}

/* Operators by methods. */

static const struct {
    int code;
    const char *name, *reflected;
} operators[] = {{OP_add, "__add__", "__radd__"},
                 {OP_sub, "__sub__", "__rsub__"},
                 {OP_mul, "__mul__", "__rmul__"},
                 {OP_div, "__truediv__", "__rtruediv__"},
                 {OP_floordiv, "__floordiv__", "__rfloordiv__"},
                 {OP_mod, "__mod__", "__rmod__"},
                 {OP_pow, "__pow__", "__rpow__"},
                 {OP_and, "__and__", "__rand__"},
                 {OP_or, "__or__", "__ror__"},
                 {OP_xor, "__xor__", "__rxor__"},
                 {OP_shl, "__lshift__", "__rlshift__"},
                 {OP_shr, "__rshift__", "__rrshift__"},
                 {OP_lt, "__lt__", "__gt__"},
                 {OP_le, "__le__", "__ge__"},
                 {OP_gt, "__gt__", "__lt__"},
                 {OP_ge, "__ge__", "__le__"},
                 {OP_eq, "__eq__", "__eq__"},
                 {OP_ne, "__ne__", "__ne__"},
                 {MATMUL, "__matmul__", "__rmatmul__"}};

/* Fields of a dataclass one by one. */
static fv equal_fields(lower *l, const ast *n, fv *x) {
    ir_value *all = int_const(l, n, DT_bool, 1);
    for (var *f = x[0].obj->fields; f && l->st == OK; f = f->next) {
        fv both[2] = {var_get(l, n, f), object_attr(l, n, x[1], f->name)};
        fv same = lower_arith(l, n, OP_eq, both);
        if (l->st != OK)
            break;
        ir_value *in[2] = {all, lower_as_val(l, same, n->at)};
        all = emit(l, n, OP_and, ir_val(DT_bool, 1), 2, in);
    }
    return fv_val(all);
}

static fv negated(lower *l, const ast *n, fv x) {
    ir_value *in[1] = {to_bool(l, n, lower_as_val(l, x, n->at))};
    return fv_val(emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, in));
}

/* True: an operand is an object whose class says what the operator does. */
bool object_operator(lower *l, const ast *n, int code, fv *x, fv *out) {
    fv method;
    if (asc_kind(x[0], "GlobalAddress") && (code == OP_add || code == OP_sub)) {
        fv by = code == OP_add ? x[1] : fv_val(lower_as_val(l, x[1], n->at));
        if (code == OP_sub)
            by.v = emit(l, n, OP_neg, ir_any(), 1, &by.v);
        return *out = asc_view(l, n, x[0], by), true;
    }
    if (x[0].kind != FV_object && x[1].kind != FV_object &&
        !(x[0].kind == FV_tuple && x[0].st.kind == ST_class) &&
        !(x[1].kind == FV_tuple && x[1].st.kind == ST_class))
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (operators[i].code != code)
            continue;
        if (object_method(l, x[0], operators[i].name, &method))
            return *out = lower_apply(l, n, method, &x[1], 1), true;
        if (object_method(l, x[1], operators[i].reflected, &method))
            return *out = lower_apply(l, n, method, &x[0], 1), true;
        if (code == OP_ne && object_method(l, x[0], "__eq__", &method))
            return *out = negated(l, n, lower_apply(l, n, method, &x[1], 1)), true;
        bool equal = (code == OP_eq || code == OP_ne) && x[0].kind == FV_object &&
                     x[1].kind == FV_object && l->env->fields(l->env->self, x[0].obj->cls.handle);
        if (equal) {
            *out = equal_fields(l, n, x);
            if (code == OP_ne && l->st == OK)
                *out = negated(l, n, *out);
            return true;
        }
        if (x[0].kind == FV_tuple && x[1].kind != FV_object)
            return false; /* a NamedTuple is a tuple */
        fail(l, n, "define it in the class", "'%s' has no method %s",
             class_of(&x[0]) ? class_of(&x[0])->s : class_of(&x[1])->s, operators[i].name);
        return true;
    }
    return false;
}
