/* Calls: arguments to parameters; Python functions, methods, classes and dtypes. */
#include "front/lower_asc.h"
#include <string.h>

/* Names of the parameters of intrinsics that can be given by name. */
static int op_param(const char *op, const char *name) {
    static const struct {
        const char *op, *names[4];
    } rows[] = {{"load_vector", {"i", "width", "src", NULL}},
                {"store_vector", {"i", "v", "dst", NULL}},
                {"parallel_for", {"n", "body", "out", NULL}},
                {"pipeline", {"stages", "n", NULL, NULL}},
                {"constant", {"data", "dtype", NULL, NULL}},
                {"prefetch", {"t", NULL, NULL, NULL}},
                {"sum", {"x", "", "axis", NULL}},
                {"max", {"x", "", "axis", NULL}},
                {"min", {"x", "", "axis", NULL}},
                {"mean", {"x", "", "axis", NULL}},
                {"prod", {"x", "", "axis", NULL}}};
    for (size_t i = 0; op && i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; !strcmp(rows[i].op, op) && rows[i].names[k]; k++)
            if (!strcmp(rows[i].names[k], name))
                return k;
    return op && !strcmp(name, "dim") ? 0 : -1;
}

/* Where a keyword argument goes, among the names of a call; -1: nowhere. */
typedef struct {
    const ast *params;         /* a Python function's; skip: self is given already */
    const front_class *fields; /* a dataclass's */
    const char *op;
    uint32_t skip;
} signature;

static int place_of(const signature *s, const char *name) {
    if (s->op) {
        int at = op_param(s->op, name);
        return at < 0 ? at : at - (int)s->skip;
    }
    for (uint32_t i = 0; s->fields && i < s->fields->nfields; i++)
        if (!strcmp(s->fields->fields[i].name, name))
            return (int)i;
    if (!s->params)
        return -1;
    const ast_field *lists[2] = {&s->params->f[arguments_args],
                                 &s->params->f[arguments_kwonlyargs]};
    int at = (int)s->params->f[arguments_posonlyargs].n - (int)s->skip;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < lists[k]->n; i++, at++)
            if (!strcmp(lists[k]->list[i]->f[arg_arg].s, name))
                return at;
    return -1;
}

/* Positional arguments that a function with *args takes before those. */
static uint32_t named_args(const signature *s) {
    if (!s->params || s->params->f[arguments_vararg].kind != AF_node)
        return 64;
    return s->params->f[arguments_posonlyargs].n + s->params->f[arguments_args].n - s->skip;
}

enum { MAX_ARGS = 64 };

static bool put(lower *l, const ast *n, fv *args, uint32_t *k, fv x) {
    if (*k >= MAX_ARGS) {
        fail(l, n, "pass a tuple", "a call in a kernel takes at most 63 arguments");
        return false;
    }
    args[(*k)++] = x;
    return true;
}

static void no_parameter(lower *l, const ast *n, const signature *s, const char *name) {
    const ast_field *rest = s->params ? &s->params->f[arguments_kwarg] : NULL;
    const char *names = s->params ? say_params(l, s->params) : "";
    for (uint32_t i = 0; s->fields && i < s->fields->nfields; i++)
        names = arena_printf(l->mem, "%s%s%s", names, i ? ", " : "", s->fields->fields[i].name);
    if (rest && rest->kind == AF_node)
        fail(l, n, "name each parameter", "**%s is not supported in kernels",
             rest->node->f[arg_arg].s);
    else
        fail(l, n,
             *names ? arena_printf(l->mem, "its parameters are: %s", names)
                    : "pass the value by its position",
             "%s%s has no parameter '%s'", s->op ? s->op : "the function", s->op ? "()" : "", name);
}

static bool call_args(lower *l, const ast *n, const signature *s, fv *args, uint32_t *nargs) {
    const ast_field *given = &n->f[Call_args], *kw = &n->f[Call_keywords];
    uint32_t k = 0, before_rest = named_args(s);
    uint32_t nkw = s->params ? s->params->f[arguments_kwonlyargs].n : 0;
    for (uint32_t i = 0; i < given->n && l->st == OK; i++) {
        bool star = given->list[i]->kind == AST_Starred;
        fv x = lower_expr(l, star ? given->list[i]->f[Starred_value].node : given->list[i]);
        if (star && x.kind != FV_tuple)
            fail(l, given->list[i], "name the arguments",
                 "%s cannot be spread with *, only a tuple", say_what(l, x));
        for (uint32_t j = 0; l->st == OK && j < (star ? x.n : 1); j++) {
            while (k == before_rest && nkw && before_rest + nkw > k) /* keyword-only ones first */
                for (uint32_t h = 0; h < nkw; h++)
                    if (!put(l, n, args, &k, (fv){0}))
                        return false;
            if (!put(l, n, args, &k, star ? x.elts[j] : x))
                return false;
        }
    }
    for (uint32_t i = 0; i < kw->n && l->st == OK; i++) {
        const char *name =
            kw->list[i]->f[keyword_arg].kind == AF_str ? kw->list[i]->f[keyword_arg].s : NULL;
        int at = name ? place_of(s, name) : -1;
        if (at < 0 || at >= MAX_ARGS) {
            if (name)
                no_parameter(l, kw->list[i], s, name);
            else
                fail(l, kw->list[i], "name the arguments", "** is not supported in kernels");
            return false;
        }
        if ((uint32_t)at < k && args[at].kind != FV_error) {
            fail(l, kw->list[i], "give it once, by position or by name",
                 "argument '%s' is given twice", name);
            return false;
        }
        args[at] = lower_expr(l, kw->list[i]->f[keyword_value].node);
        k = (uint32_t)at >= k ? (uint32_t)at + 1 : k;
    }
    *nargs = k;
    return l->st == OK;
}

/* A method: self in front; super() in it means the bases of the class that has it. */
static fv call_method(lower *l, const ast *n, fv f, fv *args, uint32_t nargs) {
    const ast *def = NULL;
    fv all[MAX_ARGS + 1] = {f.elts[0]};
    status st = l->env->source(l->env->self, f.st.handle, l->d, &def);
    if (st != OK)
        return l->st = st, (fv){0};
    if (nargs)
        memcpy(all + 1, args, nargs * sizeof *args);
    front_static outer = l->next_super;
    l->next_super = (front_static){.kind = ST_class, .handle = f.st.owner};
    fv r = lower_inline(l, def, f.st.handle, NULL, all, nargs + 1, n);
    l->next_super = outer;
    return r;
}

/* x.sum(), x.sum(0), x.sum(axis=0), x.dot(y) */
static fv call_reduction(lower *l, const ast *n, fv f, fv *args, uint32_t nargs) {
    fv all[3] = {f.elts[0]};
    if (!strcmp(f.st.s, "dot") && nargs == 1) {
        all[1] = args[0];
        return lower_op(l, n, f.st.s, all, 2);
    }
    if (nargs)
        all[2] = args[0].kind != FV_error ? args[0] : args[nargs - 1];
    if (nargs > 2)
        fail(l, n, "write x.sum(axis=0)", "a reduction takes its axis, and nothing else");
    return lower_op(l, n, f.st.s, all, nargs ? 3 : 1);
}

static void not_callable(lower *l, const ast *n, fv f) {
    const char *name = n->kind == AST_Call ? say_name(l, n->f[Call_func].node) : NULL;
    bool python = f.kind == FV_static && f.st.kind == ST_other;
    if (python)
        fail(l, n, "call it outside, or write a Python function that does what it does",
             "%s() has no meaning in kernels", name ? name : "this function");
    else
        fail(l, n, "call a function, a class or a dtype", "%s cannot be called",
             name ? arena_printf(l->mem, "'%s' is %s and", name, say_what(l, f)) : say_what(l, f));
}

fv lower_apply(lower *l, const ast *n, fv f, fv *args, uint32_t nargs) {
    const ast *def = NULL;
    fv method;
    if (l->st != OK)
        return (fv){0};
    if (asc_is(f))
        return asc_apply(l, n, f, args, nargs);
    if (f.kind == FV_object && f.obj->cls.asc && asc_method(l, n, f, "__call__", &method))
        return asc_apply(l, n, method, args, nargs);
    if (f.kind == FV_closure)
        return lower_inline(l, f.def, NULL, f.home, args, nargs, n);
    if (f.kind == FV_method && f.st.kind == ST_op)
        return call_reduction(l, n, f, args, nargs);
    if (f.kind == FV_method)
        return call_method(l, n, f, args, nargs);
    if (f.kind == FV_object && object_method(l, f, "__call__", &method))
        return call_method(l, n, method, args, nargs);
    if (f.kind == FV_static && f.st.kind == ST_func) {
        void *fn = lower_body_for(l, n, f.st.handle, args, nargs);
        status st = fn ? l->env->source(l->env->self, fn, l->d, &def) : l->st;
        if (st != OK)
            return l->st = st, (fv){0};
        return lower_inline(l, def, fn, NULL, args, nargs, n);
    }
    if (f.kind == FV_static && f.st.kind == ST_class)
        return lower_construct(l, n, &f.st, args, nargs);
    if (f.kind == FV_static && f.st.kind == ST_op)
        return lower_op(l, n, f.st.s, args, nargs);
    if (f.kind == FV_static && f.st.kind == ST_dtype && nargs == 1)
        return lower_cast(l, n, (int)f.st.dt, args);
    if (f.kind == FV_static && f.st.kind == ST_dtype)
        fail(l, n, "write pyasc.float32(x)", "a cast takes one argument, %u given", nargs);
    else
        not_callable(l, n, f);
    return (fv){0};
}

/* lock.acquire() and lock.release() */
static bool lock_method(lower *l, const ast *n) {
    const ast *f = n->f[Call_func].node;
    if (f->kind != AST_Attribute)
        return false;
    bool take = !strcmp(f->f[Attribute_attr].s, "acquire");
    if (!take && strcmp(f->f[Attribute_attr].s, "release"))
        return false;
    fv x = lower_expr(l, f->f[Attribute_value].node);
    if (!x.lock)
        return false;
    emit_lock(l, n, x.v, take);
    l->acquired += take ? 1 : l->acquired > 0 ? -1 : 0;
    return true;
}

/* The names that a call of f can give its arguments by. */
static bool signature_of(lower *l, fv f, signature *s) {
    const ast *def = NULL;
    fv method = f;
    *s = (signature){0};
    if (f.kind == FV_closure)
        s->params = params_of(f.def);
    else if ((f.kind == FV_static || f.kind == FV_method) && f.st.kind == ST_op) {
        s->op = f.st.s;
        s->skip = f.kind == FV_method;
        return true;
    } else if (f.kind == FV_static && f.st.kind == ST_class &&
               (s->fields = l->env->fields(l->env->self, f.st.handle)))
        return true;
    else if (f.kind == FV_static && f.st.kind == ST_class) {
        front_static owner = {0};
        method = (fv){.kind = FV_method};
        l->env->method(l->env->self, f.st.handle, NULL, "__init__", &method.st, &owner);
        if (method.st.kind != ST_func)
            return true;
    } else if (f.kind == FV_object && !object_method(l, f, "__call__", &method))
        return true;
    bool python = method.kind == FV_method || (f.kind == FV_static && f.st.kind == ST_func);
    if (!python)
        return true;
    status st = l->env->source(l->env->self, method.st.handle, l->d, &def);
    if (st != OK)
        return l->st = st, false;
    s->params = params_of(def);
    s->skip = method.kind == FV_method;
    return true;
}

fv lower_call(lower *l, const ast *n) {
    if (lock_method(l, n))
        return fv_none();
    fv f = lower_expr(l, n->f[Call_func].node), args[MAX_ARGS] = {0};
    uint32_t nargs = 0;
    signature s;
    if (l->st != OK)
        return (fv){0};
    if (asc_is(f))
        return asc_call(l, n, f);
    if (l->env->asc && f.kind == FV_static && f.st.kind == ST_op && !strcmp(f.st.s, "print")) {
        fail(l, n, "write asc.printf(\"%d\\n\", x)", "NameError: print is not defined");
        return (fv){0};
    }
    if (f.kind == FV_static && f.st.kind == ST_op && !strcmp(f.st.s, "print"))
        return lower_print(l, n);
    if (f.kind == FV_static && f.st.kind == ST_op &&
        (!strcmp(f.st.s, "shared") || !strcmp(f.st.s, "local")))
        return lower_memory(l, n, f.st.s);
    if (!signature_of(l, f, &s) || !call_args(l, n, &s, args, &nargs))
        return (fv){0};
    return lower_apply(l, n, f, args, nargs);
}
