/* What annotations say, and the questions isinstance() and type() ask: known when the kernel is
   compiled. */
#include "front/lower_array.h"
#include <string.h>

/* Tensor, Tensor[dtype], Tensor[dtype, rank] */
static bool is_tensor_class(const fv *x) {
    return x->kind == FV_static && x->st.kind == ST_op && !strcmp(x->st.s, "Tensor");
}

static fv wrong(lower *l, const ast *n, fv x, const char *name, const char *wanted) {
    if (name)
        fail(l, n, "pass the annotated type, or change the annotation",
             "'%s' is annotated %s, but is %s", name, wanted, say_what(l, x));
    else
        fail(l, n, "change the value or the annotation", "annotated %s, but the value is %s",
             wanted, say_what(l, x));
    return (fv){0};
}

static fv tensor_annotation(lower *l, const ast *n, fv x, const char *name) {
    const ast *args = n->kind == AST_Subscript ? n->f[Subscript_slice].node : NULL;
    bool tuple = args && args->kind == AST_Tuple;
    if (!is_array(x))
        return wrong(l, n, x, name, "Tensor");
    if (!args)
        return x;
    fv dt = lower_expr(l, tuple ? args->f[Tuple_elts].list[0] : args);
    int64_t rank = -1;
    if (tuple && args->f[Tuple_elts].n > 1 &&
        !lower_const_int(l, args->f[Tuple_elts].list[1], &rank))
        fail(l, n, "write Tensor[pyasc.float32, 2]",
             "the rank of a Tensor annotation is an integer");
    if (l->st == OK && (dt.kind != FV_static || dt.st.kind != ST_dtype))
        fail(l, n, "write Tensor[pyasc.float32, 2]", "a Tensor annotation names a dtype first");
    if (l->st != OK)
        return (fv){0};
    bool known = x.kind == FV_val && !x.v->type.any;
    if ((known && x.v->type.dt != dt.st.dt) || (rank >= 0 && rank != array_rank(x)))
        return wrong(
            l, n, x, name,
            rank < 0 ? arena_printf(l->mem, "Tensor[%s]", dtype_names[dt.st.dt])
                     : arena_printf(l->mem, "Tensor[%s, %d]", dtype_names[dt.st.dt], (int)rank));
    return x;
}

/* int, float and bool: the kind of number. Python's numbers are of any width. */
static fv number_annotation(lower *l, const ast *n, fv x, const char *name, const char *want) {
    if (x.kind != FV_val || x.v->type.kind == TY_tensor)
        return wrong(l, n, x, name, want);
    if (x.v->type.kind != TY_val)
        return x;
    dtype t = (dtype)x.v->type.dt;
    bool fits = !strcmp(want, "int")     ? dtype_is_int(t) || t == DT_bool
                : !strcmp(want, "float") ? t != DT_bool
                                         : t == DT_bool;
    return fits ? x : wrong(l, n, x, name, want);
}

static bool known_annotation(const char *s) {
    return !strcmp(s, "int") || !strcmp(s, "float") || !strcmp(s, "bool");
}

fv lower_annotation(lower *l, const ast *n, fv x, const char *name) {
    const ast *head = n->kind == AST_Subscript ? n->f[Subscript_value].node : n;
    if (l->st != OK || x.kind == FV_error || l->env->asc) /* asc's own annotations are loose */
        return x;
    if (n->kind == AST_Constant && n->f[Constant_value].kind == AF_str) {
        const ast *parsed = l->env->parse(l->env->self, n->f[Constant_value].s, n);
        return parsed ? lower_annotation(l, parsed, x, name) : x;
    }
    if (head->kind != AST_Name && head->kind != AST_Attribute)
        return x;
    /* a name that means nothing here is a comment for other tools */
    if (!l->env->known(l->env->self, l->fs ? l->fs->fn : NULL, head))
        return x;
    fv t = lower_expr(l, head);
    if (l->st != OK || t.kind != FV_static)
        return x;
    if (is_tensor_class(&t))
        return tensor_annotation(l, n, x, name);
    if (t.st.kind == ST_op && known_annotation(t.st.s))
        return number_annotation(l, n, x, name, t.st.s);
    if (t.st.kind == ST_class && l->choosing && x.kind == FV_val && !is_array(x) &&
        strcmp(t.st.s, "Any"))
        return wrong(l, n, x, name, t.st.s);
    if (t.st.kind == ST_class && x.kind == FV_object &&
        !l->env->is_a(l->env->self, x.obj->cls.handle, t.st.handle))
        return wrong(l, n, x, name, t.st.s);
    if (t.st.kind != ST_dtype)
        return x;
    if (x.kind == FV_tuple && x.vec)
        return x;
    if (x.kind != FV_val || x.v->type.kind == TY_tensor)
        return wrong(l, n, x, name, dtype_names[t.st.dt]);
    /* a Python number takes the annotated type; data must have it */
    bool weak =
        x.v->type.kind != TY_val || dtype_is_weak((dtype)x.v->type.dt) || x.v->type.dt == DT_bool;
    bool narrows = x.v->type.kind == TY_val && x.v->type.dt == DT_wflt && !dtype_is_float(t.st.dt);
    if ((!weak && name && x.v->type.dt != t.st.dt) || narrows)
        return wrong(l, n, x, name, dtype_names[t.st.dt]);
    ir_value *in[1] = {x.v};
    return fv_val(emit(l, n, OP_cast, ir_val(t.st.dt, 1), 1, in));
}

/* -1: only infer will know */
static int is_of(lower *l, fv x, fv of) {
    if (of.kind != FV_static)
        return -1;
    const front_static *c = x.kind == FV_object                           ? &x.obj->cls
                            : x.kind == FV_tuple && x.st.kind == ST_class ? &x.st
                                                                          : NULL;
    if (of.st.kind == ST_class)
        return c && l->env->is_a(l->env->self, c->handle, of.st.handle);
    if (is_tensor_class(&of))
        return is_array(x);
    if (of.st.kind == ST_op && !strcmp(of.st.s, "tuple"))
        return x.kind == FV_tuple && !x.list && !x.vec;
    if (of.st.kind == ST_op && !strcmp(of.st.s, "list"))
        return x.kind == FV_tuple && x.list;
    if (of.st.kind == ST_op && !strcmp(of.st.s, "str"))
        return x.kind == FV_text || (x.kind == FV_static && x.st.kind == ST_str);
    bool number = of.st.kind == ST_dtype || (of.st.kind == ST_op && known_annotation(of.st.s));
    if (!number)
        return -1;
    if (x.kind != FV_val || x.v->type.kind == TY_tensor)
        return 0;
    if (x.v->type.kind != TY_val)
        return -1;
    dtype t = (dtype)x.v->type.dt;
    if (of.st.kind == ST_dtype)
        return t == of.st.dt;
    return !strcmp(of.st.s, "int")     ? dtype_is_int(t) || t == DT_bool
           : !strcmp(of.st.s, "float") ? dtype_is_float(t)
                                       : t == DT_bool;
}

fv lower_isinstance(lower *l, const ast *n, fv x, fv of) {
    int any = 0;
    for (uint32_t i = 0; i < (of.kind == FV_tuple ? of.n : 1); i++) {
        int one = is_of(l, x, of.kind == FV_tuple ? of.elts[i] : of);
        any = one == 1 ? 1 : any == 1 ? 1 : one < 0 ? -1 : any;
    }
    if (any < 0) {
        fail(l, n, "ask about a class of yours, about a tensor's dtype, or about an argument",
             "isinstance() here is not known when the kernel is compiled");
        return (fv){0};
    }
    return fv_val(int_const(l, n, DT_bool, any));
}

fv lower_type(lower *l, const ast *n, fv x) {
    if (x.kind == FV_object)
        return (fv){.kind = FV_static, .st = x.obj->cls};
    if (x.kind == FV_tuple && x.st.kind == ST_class)
        return (fv){.kind = FV_static, .st = x.st};
    if (x.kind == FV_val && x.v->type.kind == TY_val && !dtype_is_weak((dtype)x.v->type.dt))
        return (fv){.kind = FV_static, .st = {.kind = ST_dtype, .dt = (dtype)x.v->type.dt}};
    fail(l, n, "use isinstance(), or x.dtype of a tensor",
         "type() here is not known when the kernel is compiled");
    return (fv){0};
}

/* Would the body take these arguments? What does not fit is no error here. */
static bool fits(lower *l, void *fn, const fv *args, uint32_t nargs) {
    const ast *def;
    diag *outer = l->d, mute = {.mem = l->mem};
    l->d = &mute;
    bool ok = l->env->source(l->env->self, fn, l->d, &def) == OK;
    const ast_field *names = ok ? &params_of(def)->f[arguments_args] : NULL;
    uint32_t defaults = ok ? params_of(def)->f[arguments_defaults].n : 0;
    ok = ok && nargs <= names->n && nargs + defaults >= names->n;
    fn_scope *fs = ARENA_NEW(l->mem, fn_scope), *here = l->fs;
    *fs = (fn_scope){.fn = fn};
    l->choosing = true;
    l->fs = fs; /* the annotations' names mean what they mean where the body stands */
    for (uint32_t i = 0; ok && i < nargs; i++)
        if (names->list[i]->f[arg_annotation].kind == AF_node && args[i].kind != FV_error) {
            lower_annotation(l, names->list[i]->f[arg_annotation].node, args[i],
                             names->list[i]->f[arg_arg].s);
            ok = l->st == OK;
        }
    l->choosing = false;
    l->fs = here;
    l->d = outer;
    l->st = OK;
    return ok;
}

void *lower_body_for(lower *l, const ast *n, void *fn, const fv *args, uint32_t nargs) {
    uint32_t count;
    void **more = l->env->overloads(l->env->self, fn, &count);
    if (!count || l->st != OK || fits(l, fn, args, nargs))
        return fn;
    for (uint32_t i = 0; i < count; i++)
        if (fits(l, more[i], args, nargs))
            return more[i];
    const char *what = "";
    for (uint32_t i = 0; i < nargs; i++)
        what = arena_printf(l->mem, "%s%s%s", what, i ? ", " : "", say_what(l, args[i]));
    fail(l, n, "add a body for them with @pyasc.overload", "none of %u bodies takes %s", count + 1,
         nargs ? what : "no arguments");
    return NULL;
}
