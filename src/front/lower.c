/* The front end's root: the kernel's arguments, and the calls of Python functions. */
#include "front/lower_asc.h"
#include <stdio.h>
#include <string.h>

void fail(lower *l, const ast *n, const char *advice, const char *format, ...) {
    if (l->st != OK)
        return;
    va_list ap;
    va_start(ap, format);
    char *text = arena_vprintf(l->mem, format, ap);
    va_end(ap);
    l->st = diag_error(l->d, n->at, advice, "%s", text);
}

fv fv_val(ir_value *v) { return (fv){.kind = FV_val, .v = v}; }
fv fv_none(void) { return (fv){.kind = FV_static, .st = {.kind = ST_none}}; }

ir_value *emit(lower *l, const ast *n, int code, ir_type t, unsigned nin, ir_value *const *in) {
    return ir_emit(l->f, l->r, ir_site(l->f, n->at), code, t, nin, in);
}

ir_value *emit_index(lower *l, const ast *n, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    bool compares = code >= OP_lt && code <= OP_ne;
    return emit(l, n, code, ir_val(compares ? DT_bool : DT_i64, 1), 2, in);
}

ir_value *int_const(lower *l, const ast *n, dtype dt, int64_t v) {
    return ir_iconst(l->f, l->r, ir_site(l->f, n->at), dt, v);
}

static bool list_has(const ast_field *f, int kind, bool into_loops) {
    for (uint32_t k = 0; f->kind == AF_list && k < f->n; k++)
        if (ast_has(f->list[k], kind, into_loops))
            return true;
    return false;
}

/* Does a node of this kind stand in n? Not looking into nested functions, nor (unless asked) into
   the bodies of nested loops: a break or continue there is theirs, but one in their else is not. */
bool ast_has(const ast *n, int kind, bool into_loops) {
    if (!n)
        return false;
    if (n->kind == kind)
        return true;
    if (n->kind == AST_FunctionDef || n->kind == AST_Lambda)
        return false;
    if (!into_loops && (n->kind == AST_For || n->kind == AST_While))
        return list_has(&n->f[n->kind == AST_For ? (int)For_orelse : (int)While_orelse], kind,
                        false);
    for (int i = 0; i < 7; i++)
        if ((n->f[i].kind == AF_node && ast_has(n->f[i].node, kind, into_loops)) ||
            list_has(&n->f[i], kind, into_loops))
            return true;
    return false;
}

const ast *params_of(const ast *def) {
    return def->f[def->kind == AST_Lambda ? (int)Lambda_args : (int)FunctionDef_args].node;
}

/* A parameter that the body assigns is a variable from the start; an object is copied, so that the
   caller's keeps its value. */
static void own_params(lower *l, const ast *def) {
    for (var *v = l->fs->vars; v; v = v->next) {
        uint32_t at = flow_of(l, v);
        if (!v->param || !v->count || at < 2)
            continue;
        fv x = l->bindings.p[at].value;
        v->count++;
        if (x.kind == FV_object)
            x = object_copy(l, def, x);
        var_set(l, def, v, x);
    }
}

static bool bind_one(lower *l, fn_scope *fs, const ast *def, const ast *param, const fv *given,
                     const ast *otherwise, const ast *call) {
    fv value = {0};
    if (given && given->kind != FV_error)
        value = *given;
    else if (otherwise)
        value = lower_expr(l, otherwise);
    else
        fail(l, call, "pass it, or give the parameter a default", "%s is missing the argument '%s'",
             say_function(l, def), param->f[arg_arg].s);
    if (l->st == OK && param->f[arg_annotation].kind == AF_node)
        value = lower_annotation(l, param->f[arg_annotation].node, value, param->f[arg_arg].s);
    if (l->st == OK)
        bind_param(l, fs, param, value);
    return l->st == OK;
}

/* Arguments by position, then the defaults (evaluated at the call: constants in practice). `given`
   holds keyword-only ones behind the positional ones and the rest of *args last, as call_args lays
   them out. */
static bool bind_args(lower *l, fn_scope *fs, const ast *def, fv *given, uint32_t n,
                      const ast *call) {
    const ast *args = params_of(def);
    const ast_field *pos = &args->f[arguments_posonlyargs], *names = &args->f[arguments_args],
                    *defaults = &args->f[arguments_defaults], *kw = &args->f[arguments_kwonlyargs],
                    *kw_defaults = &args->f[arguments_kw_defaults];
    uint32_t np = pos->n + names->n, all = np + kw->n;
    bool rest = args->f[arguments_vararg].kind == AF_node;
    if (args->f[arguments_kwarg].kind == AF_node) {
        fail(l, call, "name each parameter", "%s takes **%s, which kernels do not know",
             say_function(l, def), args->f[arguments_kwarg].node->f[arg_arg].s);
        return false;
    }
    if (n > all && !rest) {
        fail(l, call, arena_printf(l->mem, "it is defined in line %u", def->at.line),
             "%s takes %u argument%s, %u given", say_function(l, def), np, np == 1 ? "" : "s", n);
        return false;
    }
    for (uint32_t i = 0; i < np; i++) {
        const ast *p = i < pos->n ? pos->list[i] : names->list[i - pos->n];
        const ast *otherwise = i + defaults->n >= np ? defaults->list[i + defaults->n - np] : NULL;
        if (!bind_one(l, fs, def, p, i < n ? &given[i] : NULL, otherwise, call))
            return false;
    }
    for (uint32_t i = 0; i < kw->n; i++)
        if (!bind_one(l, fs, def, kw->list[i], np + i < n ? &given[np + i] : NULL,
                      kw_defaults->list[i], call))
            return false;
    if (rest) {
        fv t = {.kind = FV_tuple, .n = n > all ? n - all : 0};
        t.elts = ARENA_ARRAY(l->mem, fv, t.n + 1);
        for (uint32_t i = 0; i < t.n; i++)
            t.elts[i] = given[all + i];
        bind_param(l, fs, args->f[arguments_vararg].node, t);
    }
    return true;
}

/* Is the only return of the body its last statement, and does the body come to its end? */
static bool tail_return_only(ast **stmts, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (ast_has(stmts[i], AST_Raise, true) ||
            (ast_has(stmts[i], AST_Return, true) && !(i + 1 == n && stmts[i]->kind == AST_Return)))
            return false;
    return true;
}

static void inline_body(lower *l, fn_scope *fs, const ast *def) {
    const ast_field *body = &def->f[FunctionDef_body];
    declare_locals(l, fs, body->list, body->n);
    own_params(l, def);
    if (tail_return_only(body->list, body->n)) {
        lower_stmts(l, body->list, body->n);
        return;
    }
    label x;
    ir_region *outer = l->r;
    fs->ret_label = open_scope(l, def, &x)->attr[0].i;
    bool ended = lower_stmts(l, body->list, body->n);
    close_scope(l, def, &x, ended, outer);
}

/* The variables of a call are gone after it, unless its result has parts that are variables, or it
   has given an object attributes. */
static void drop_vars(lower *l, uint32_t before, uint32_t fields, const fv *result) {
    if ((result->kind != FV_val && result->kind != FV_static) || l->fields != fields)
        return;
    l->nvars = l->notes.n = before;
    if (l->flow.n > before)
        l->flow.n = before;
}

static fv called(lower *l, const ast *def, const ast *call) {
    fv result = fv_none();
    if (def->kind == AST_Lambda)
        return lower_expr(l, def->f[Lambda_body].node);
    inline_body(l, l->fs, def);
    if (l->st != OK)
        return (fv){0};
    if (l->fs->ret.cell || l->fs->ret.last) {
        if (flow_of(l, &l->fs->ret) == FLOW_UNSET && !l->flow.dead) {
            if (l->fs->ret.last) {
                fail(l, call, "return a value on every path",
                     "%s returns a value on one path and None on another", say_function(l, def));
                return (fv){0};
            }
            flow_put(l, &l->fs->ret, FLOW_CELL); /* None, as a number: whatever it holds */
        }
        return var_get(l, call, &l->fs->ret);
    }
    if (l->fs->tail.kind != FV_error)
        result = l->fs->tail;
    if (def->f[FunctionDef_returns].kind == AF_node && result.kind == FV_val)
        result = lower_annotation(l, def->f[FunctionDef_returns].node, result, NULL);
    return result;
}

fv lower_inline(lower *l, const ast *def, void *fn, fn_scope *home, fv *args, uint32_t nargs,
                const ast *call) {
    if (l->depth > 60) {
        fail(l, call, "write it as a loop",
             "calls of %s nest deeper than 60, and recursion must end when the kernel is compiled",
             say_function(l, def));
        return (fv){0};
    }
    if (l->st != OK)
        return (fv){0};
    fn_scope *fs = ARENA_NEW(l->mem, fn_scope), *outer = l->fs;
    *fs = (fn_scope){.fn = fn, .parent = home, .cleanups = l->cleanups.n};
    fs->super = l->next_super;
    l->next_super = (front_static){0};
    fs->entry = l->r;
    fs->entry_at = l->r->last;
    uint32_t before = l->nvars, fields = l->fields;
    /* defaults mean what they mean where the function stands */
    l->fs = fs;
    if (!bind_args(l, fs, def, args, nargs, call)) {
        l->fs = outer;
        return (fv){0};
    }
    var_init(l, &fs->ret, NULL);
    fs->ret.count = 2;
    l->depth++;
    fv result = called(l, def, call);
    l->depth--;
    l->fs = outer;
    drop_vars(l, before, fields, &result);
    return result;
}

static fv param_value(lower *l, const front_param *p, int index) {
    ir_type t = ir_val(DT_wint, 1);
    switch (p->kind) {
    case ST_none: return fv_none();
    case ST_other: return (fv){.kind = FV_static, .st = p->st};
    case ST_str: return (fv){.kind = FV_static, .st = {.kind = ST_str, .s = p->s}};
    case ST_instance: {
        front_static st = {.kind = ST_instance, .handle = p->handle, .s = p->s};
        st.path = arena_printf(l->mem, "#%d", index);
        return (fv){.kind = FV_static, .st = st};
    }
    case ST_tensor:
        t = (ir_type){.kind = TY_tensor,
                      .dt = p->dt,
                      .rank = (uint8_t)p->rank,
                      .contig = (uint8_t)p->contig,
                      .lanes = 1};
        break;
    case ST_float: t = ir_val(DT_wflt, 1); break;
    case ST_bool: t = ir_val(DT_bool, 1); break;
    default: break;
    }
    ir_value *v = ir_region_arg(l->f, l->f->body, t, p->name);
    if (p->kind == ST_tensor && !l->first_tensor)
        l->first_tensor = v;
    if (!p->constant)
        return fv_val(v);
    return p->kind == ST_float ? fv_val(ir_fconst(l->f, l->r, 0, DT_wflt, p->f))
                               : fv_val(ir_iconst(l->f, l->r, 0, (dtype)t.dt, p->i));
}

/* The arguments that a name stands behind which is a constant elsewhere in the kernel. */
static void know_frozen(lower *l) {
    for (uint32_t i = 0; i < l->captures.n; i++)
        for (uint32_t k = 0; k < l->frozen.n; k++) {
            const front_capture *c = &l->captures.p[i];
            const frozen *is = &l->frozen.p[k];
            if (c->fn != is->fn || strcmp(c->name, is->name) ||
                l->capture_vals.p[i]->type.dt != DT_wint)
                continue;
            ir_know(l->f, l->capture_vals.p[i], is->value);
            break;
        }
}

status front_lower(arena *mem, diag *d, const front_env *env, void *fn, const front_param *params,
                   uint32_t nparams, int check, ir_func **out, front_result *result) {
    const ast *def = NULL;
    TRY(env->source(env->self, fn, d, &def));
    lower l = {.mem = mem, .d = d, .env = env, .params = params, .check = check};
    l.f = ir_func_new(mem, def->kind == AST_FunctionDef ? def->f[FunctionDef_name].s : "lambda");
    l.r = l.f->body;
    fv *args = ARENA_ARRAY(mem, fv, nparams + 1);
    for (uint32_t i = 0; i < nparams; i++)
        args[i] = param_value(&l, &params[i], (int)i);
    const ast *own = params_of(def);
    uint32_t declared = own->f[arguments_args].n + own->f[arguments_posonlyargs].n;
    bool rest = own->f[arguments_vararg].kind == AF_node; /* takes what are default buffers else */
    declared = declared < nparams && !rest ? declared : nparams;
    l.extra = args + declared;
    l.nextra = nparams - declared;
    l.buffers = rest;
    if (env->asc)
        asc_enter(&l, def, args, declared);
    void *body = lower_body_for(&l, def, fn, args, declared);
    if (body && body != fn)
        l.st = env->source(env->self, body, d, &def);
    if (l.st == OK)
        lower_inline(&l, def, body, NULL, args, declared, def);
    know_frozen(&l);
    *out = l.f;
    *result = (front_result){l.captures.p, l.captures.n, l.prints.p, l.prints.n,
                             l.raises.p,   l.raises.n,   l.buffers};
    return l.st;
}
