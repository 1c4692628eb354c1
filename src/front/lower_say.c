/* Words for messages: what a value is, what a name in the source is, where a variable got what it
   holds. */
#include "front/lower.h"
#include <string.h>

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static const char *say_static(lower *l, const front_static *st) {
    switch (st->kind) {
    case ST_none: return "None";
    case ST_str: return "a string";
    case ST_dtype: return arena_printf(l->mem, "the dtype %s", dtype_names[st->dt]);
    case ST_module: return "a module";
    case ST_class: return st->s ? arena_printf(l->mem, "the class %s", st->s) : "a class";
    case ST_func:
    case ST_op: return "a function";
    case ST_instance: return st->s ? arena_printf(l->mem, "a '%s' object", st->s) : "an object";
    default: return st->s ? arena_printf(l->mem, "a %s", st->s) : "an object of Python";
    }
}

const char *say_what(lower *l, fv x) {
    switch (x.kind) {
    case FV_val:
        if (x.lock)
            return "a mutex";
        if (x.v->type.kind == TY_tensor)
            return arena_printf(l->mem, "a tensor of %s with %d dimension%s",
                                dtype_names[x.v->type.dt], x.v->type.rank, plural(x.v->type.rank));
        return x.v->type.kind == TY_val && !x.v->type.any
                   ? arena_printf(l->mem, "a number (%s)", dtype_names[x.v->type.dt])
                   : "a number";
    case FV_array:
        return arena_printf(l->mem, "an array of %d dimension%s", array_rank(x),
                            plural(array_rank(x)));
    case FV_tuple:
        return x.vec ? "a vector"
               : x.st.kind == ST_class
                   ? arena_printf(l->mem, "a '%s' object", x.st.s)
                   : arena_printf(l->mem, "a %s of %u", x.list ? "list" : "tuple", x.n);
    case FV_object: return arena_printf(l->mem, "a '%s' object", x.obj->cls.s);
    case FV_text: return "a string";
    case FV_static: return say_static(l, &x.st);
    case FV_exc: return "an exception";
    case FV_error:
    case FV_closure:
    case FV_method: break;
    }
    return "a function";
}

/* a, a.b or a.b.c as it stands in the source, else NULL. */
const char *say_name(lower *l, const ast *n) {
    if (n->kind == AST_Name)
        return n->f[Name_id].s;
    if (n->kind != AST_Attribute)
        return NULL;
    const char *base = say_name(l, n->f[Attribute_value].node);
    return base ? arena_printf(l->mem, "%s.%s", base, n->f[Attribute_attr].s) : NULL;
}

/* "f()" of a def, "the lambda" of one. */
const char *say_function(lower *l, const ast *def) {
    return def->kind == AST_Lambda ? "the lambda"
                                   : arena_printf(l->mem, "%s()", def->f[FunctionDef_name].s);
}

/* Names of parameters, between commas. */
const char *say_params(lower *l, const ast *args) {
    const ast_field *lists[] = {&args->f[arguments_posonlyargs], &args->f[arguments_args],
                                &args->f[arguments_kwonlyargs]};
    const char *s = "";
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < lists[k]->n; i++)
            s = arena_printf(l->mem, "%s%s%s", s, *s ? ", " : "", lists[k]->list[i]->f[arg_arg].s);
    return s;
}

static const char *say_state(lower *l, uint32_t id, uint32_t state) {
    if (state == FLOW_CELL && !l->notes.p[id].number.line)
        return "a number";
    if (state == FLOW_CELL)
        return arena_printf(l->mem, "a number (line %u)", l->notes.p[id].number.line);
    const binding *b = &l->bindings.p[state];
    bool tensor = b->value.kind == FV_val && b->value.v->type.kind == TY_tensor;
    const char *what = tensor && b->value.v->name
                           ? arena_printf(l->mem, "the tensor '%s'", b->value.v->name)
                           : say_what(l, b->value);
    return arena_printf(l->mem, "%s (line %u)", what, b->at.line);
}

static const char *say_var(lower *l, uint32_t id) {
    return l->notes.p[id].name ? arena_printf(l->mem, "'%s'", l->notes.p[id].name) : "this";
}

static uint32_t line_of(const lower *l, uint32_t id, uint32_t state) {
    return state == FLOW_CELL ? l->notes.p[id].number.line : l->bindings.p[state].at.line;
}

/* Where a variable is one thing or another, as the ways say that lead here. */
void fail_mixed(lower *l, const ast *n, const var *v) {
    const char *first = "one thing", *second = "another";
    for (uint32_t i = l->mixes.n; i-- > 0;) {
        mix m = l->mixes.p[i];
        if (m.id != v->id)
            continue;
        bool swap = line_of(l, m.id, m.b) < line_of(l, m.id, m.a);
        first = say_state(l, m.id, swap ? m.b : m.a);
        second = say_state(l, m.id, swap ? m.a : m.b);
        break;
    }
    fail(l, n, "use a name for each, or do the work inside the branches",
         "%s is %s or %s here, and which one is known only when the kernel runs",
         v == &l->fs->ret ? "the result" : say_var(l, v->id), first, second);
}

/* A variable from before a loop is something else at the end of a round. */
/* Arrays come to be where a subscript is missing. */
static bool is_tensor(const lower *l, uint32_t state) {
    if (state <= FLOW_CELL || state == FLOW_MIXED)
        return false;
    fv_kind kind = l->bindings.p[state].value.kind;
    return kind == FV_array || kind == FV_val;
}

void fail_round(lower *l, const ast *n, uint32_t id, uint32_t before, uint32_t after) {
    const char *advice = before == FLOW_CELL && is_tensor(l, after)
                             ? "give the tensor a subscript for each dimension, as in x[i, j]"
                             : "use another name inside the loop";
    if (after == FLOW_UNSET)
        fail(l, n, "delete it behind the loop", "%s from before the loop is deleted in it",
             say_var(l, id));
    else
        fail(l, n, advice, "%s is %s before the loop and %s at the end of a round", say_var(l, id),
             say_state(l, id, before),
             after == FLOW_MIXED ? "something else" : say_state(l, id, after));
}

/* rows: class of Python's ast, what it is to a user, what to write instead. */
void say_unsupported(lower *l, const ast *n, const char *const (*rows)[3], size_t nrows,
                     const char *otherwise) {
    for (size_t i = 0; i < nrows; i++)
        if (!strcmp(rows[i][0], n->name)) {
            fail(l, n, rows[i][2], "%s is not supported in kernels", rows[i][1]);
            return;
        }
    fail(l, n, otherwise, "%s is not supported in kernels", n->name);
}
