/* The front end's root: the kernel's arguments, its variables and the calls of Python functions. */
#include "front/lower.h"
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

ir_value *emit(lower *l, const ast *n, int code, ir_type t, unsigned nin, ir_value *const *in) {
    return ir_emit(l->f, l->r, ir_site(l->f, n->at), code, t, nin, in);
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

/* Cells stand at the head of the kernel, so that they are visible everywhere. */
static ir_value *cell_new(lower *l, const char *name, loc at) {
    ir_op *op = ir_op_new(l->f, OP_cell, ir_site(l->f, at), 0, 1, 0);
    op->out[0]->type = (ir_type){.kind = TY_cell, .any = 1, .lanes = 1};
    op->out[0]->name = name;
    if (l->f->body->first)
        ir_before(l->f->body->first, op);
    else
        ir_append(l->f->body, op);
    return op->out[0];
}

void var_set(lower *l, const ast *n, var *v, fv value) {
    if (value.kind == FV_error)
        return;
    if (value.kind == FV_val && value.v->type.kind != TY_tensor) {
        if (v->kind == V_unset) {
            v->kind = V_cell;
            v->cell = cell_new(l, v->name, n->at);
            v->par = l->par;
        }
        if (v->kind == V_cell && v->par < l->par) {
            fail(l, n, "use an atomic, out=, or a tensor's element",
                 "a body that runs in parallel cannot assign '%s' of the function around it",
                 v->name ? v->name : "return");
            return;
        }
        if (v->kind != V_cell) {
            fail(l, n, "give the second value a name of its own",
                 "'%s' held another kind of value before", v->name ? v->name : "return");
            return;
        }
        ir_op *op = ir_op_new(l->f, OP_set, ir_site(l->f, n->at), 2, 0, 0);
        op->in[0] = v->cell;
        op->in[1] = value.v;
        ir_append(l->r, op);
        return;
    }
    if (value.kind == FV_tuple) {
        if (v->kind == V_unset) {
            v->kind = V_tuple;
            v->n = value.n;
            v->vec = value.vec;
            v->elts = ARENA_ARRAY(l->mem, var, value.n);
            for (uint32_t i = 0; i < value.n; i++)
                v->elts[i].name = v->name;
        }
        if (v->kind != V_tuple || v->n != value.n) {
            fail(l, n, "a variable keeps one length of tuple", "'%s' changes its kind of value",
                 v->name ? v->name : "return");
            return;
        }
        for (uint32_t i = 0; i < value.n; i++)
            var_set(l, n, &v->elts[i], value.elts[i]);
        return;
    }
    if (v->kind != V_unset && v->kind != V_bound) {
        fail(l, n, "give the second value a name of its own",
             "%s%s%s held another kind of value before", v->name ? "'" : "",
             v->name ? v->name : "the result of this expression", v->name ? "'" : "");
        return;
    }
    v->kind = V_bound;
    v->bound = value;
}

fv var_get(lower *l, const ast *n, var *v) {
    if (v->kind == V_cell) {
        ir_value *in[1] = {v->cell};
        ir_value *x = emit(l, n, OP_get, ir_any(), 1, in);
        x->name = v->name;
        return fv_val(x);
    }
    if (v->kind == V_tuple) {
        fv t = {
            .kind = FV_tuple, .n = v->n, .vec = v->vec, .elts = ARENA_ARRAY(l->mem, fv, v->n + 1)};
        for (uint32_t i = 0; i < v->n; i++)
            t.elts[i] = var_get(l, n, &v->elts[i]);
        return t;
    }
    if (v->kind == V_bound)
        return v->bound;
    fail(l, n, "assign it first", "'%s' is read before it is assigned",
         v->name ? v->name : "result");
    return (fv){0};
}

static void bind_param(lower *l, fn_scope *fs, const ast *a, fv value) {
    var *v = ARENA_NEW(l->mem, var);
    v->name = a->f[arg_arg].s;
    v->next = fs->vars;
    fs->vars = v;
    if (value.kind != FV_error)
        v->kind = V_bound, v->bound = value;
}

static bool names(const ast *target, const char *name) {
    if (!target || target->kind == AST_Subscript)
        return false;
    if (target->kind == AST_Name)
        return !strcmp(target->f[Name_id].s, name);
    for (uint32_t k = 0; target->f[0].kind == AF_list && k < target->f[0].n; k++)
        if (names(target->f[0].list[k], name))
            return true;
    return false;
}

/* Does the statement or expression n assign the name? */
static bool assigns(const ast *n, const char *name) {
    if (!n || n->kind == AST_FunctionDef || n->kind == AST_Lambda)
        return false;
    bool targets = n->kind == AST_AugAssign || n->kind == AST_AnnAssign || n->kind == AST_For ||
                   n->kind == AST_NamedExpr;
    if (targets && names(n->f[0].node, name))
        return true;
    for (uint32_t k = 0; n->kind == AST_Assign && k < n->f[Assign_targets].n; k++)
        if (names(n->f[Assign_targets].list[k], name))
            return true;
    for (int i = 0; i < 7; i++) {
        if (n->f[i].kind == AF_node && assigns(n->f[i].node, name))
            return true;
        for (uint32_t k = 0; n->f[i].kind == AF_list && k < n->f[i].n; k++)
            if (assigns(n->f[i].list[k], name))
                return true;
    }
    return false;
}

/* A parameter that the body assigns is a variable from the start. */
static void params_to_cells(lower *l, const ast *def) {
    for (var *v = l->fs->vars; v; v = v->next)
        for (uint32_t i = 0;
             v->kind == V_bound && v->bound.kind == FV_val && i < def->f[FunctionDef_body].n; i++)
            if (v->bound.v->type.kind != TY_tensor &&
                assigns(def->f[FunctionDef_body].list[i], v->name)) {
                v->kind = V_unset;
                var_set(l, def, v, v->bound);
            }
}

/* Arguments by position, then the defaults (evaluated at the call: constants in practice). */
static bool bind_args(lower *l, fn_scope *fs, const ast *args, fv *given, uint32_t n,
                      const ast *call) {
    const ast_field *names = &args->f[arguments_args], *defaults = &args->f[arguments_defaults];
    if (args->f[arguments_vararg].kind == AF_node || args->f[arguments_kwarg].kind == AF_node) {
        fail(l, call, "name each parameter",
             "a function called in a kernel cannot take *args or **kwargs");
        return false;
    }
    if (n > names->n) {
        fail(l, call, NULL, "the function takes %u arguments, %u given", names->n, n);
        return false;
    }
    for (uint32_t i = 0; i < names->n; i++) {
        fv value = {0};
        if (i < n && given[i].kind != FV_error)
            value = given[i];
        else if (i + defaults->n >= names->n)
            value = lower_expr(l, defaults->list[i + defaults->n - names->n]);
        else {
            fail(l, call, NULL, "argument '%s' is missing", names->list[i]->f[arg_arg].s);
            return false;
        }
        bind_param(l, fs, names->list[i], value);
    }
    return true;
}

/* Is the only return of the body its last statement? */
static bool tail_return_only(ast **stmts, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (ast_has(stmts[i], AST_Return, true) && !(i + 1 == n && stmts[i]->kind == AST_Return))
            return false;
    return true;
}

static void inline_body(lower *l, fn_scope *fs, const ast *def) {
    const ast_field *body = &def->f[FunctionDef_body];
    params_to_cells(l, def);
    if (tail_return_only(body->list, body->n)) {
        lower_stmts(l, body->list, body->n);
        return;
    }
    ir_op *scope = ir_op_new(l->f, OP_scope, ir_site(l->f, def->at), 0, 0, 1);
    scope->attr[0].i = fs->ret_label = ++l->f->nlabels;
    ir_append(l->r, scope);
    ir_region *outer = l->r;
    l->r = scope->reg[0];
    lower_body(l, def, FunctionDef_body);
    l->r = outer;
}

fv lower_inline(lower *l, const ast *def, void *fn, fn_scope *home, fv *args, uint32_t nargs,
                const ast *call) {
    if (l->depth > 60) {
        fail(l, call, "write it as a loop",
             "calls nest deeper than 60: recursion is not supported");
        return (fv){0};
    }
    fn_scope fs = {.fn = fn, .parent = home}, *outer = l->fs;
    const ast *params =
        def->f[def->kind == AST_Lambda ? (int)Lambda_args : (int)FunctionDef_args].node;
    if (!bind_args(l, &fs, params, args, nargs, call))
        return (fv){0};
    fs.ret_locks = l->locks.n;
    l->fs = ARENA_NEW(l->mem, fn_scope);
    *l->fs = fs;
    l->depth++;
    fv result = {.kind = FV_static, .st = {.kind = ST_none}};
    if (def->kind == AST_Lambda)
        result = lower_expr(l, def->f[Lambda_body].node);
    else {
        inline_body(l, l->fs, def);
        if (l->fs->ret.kind != V_unset && l->st == OK)
            result = var_get(l, call, &l->fs->ret);
        else if (l->fs->tail.kind != FV_error)
            result = l->fs->tail;
    }
    l->depth--;
    l->fs = outer;
    return result;
}

static fv param_value(lower *l, const front_param *p) {
    ir_type t = ir_val(DT_wint, 1);
    if (p->kind == ST_none)
        return (fv){.kind = FV_static, .st = {.kind = ST_none}};
    if (p->kind == ST_tensor)
        t = (ir_type){.kind = TY_tensor,
                      .dt = p->dt,
                      .rank = (uint8_t)p->rank,
                      .contig = (uint8_t)p->contig,
                      .lanes = 1};
    else if (p->kind == ST_float)
        t = ir_val(DT_wflt, 1);
    else if (p->kind == ST_bool)
        t = ir_val(DT_bool, 1);
    ir_value *v = ir_region_arg(l->f, l->f->body, t, p->name);
    if (p->kind == ST_tensor && !l->first_tensor)
        l->first_tensor = v;
    return fv_val(v);
}

status front_lower(arena *mem, diag *d, const front_env *env, void *fn, const front_param *params,
                   uint32_t nparams, ir_func **out, front_result *result) {
    const ast *def = NULL;
    TRY(env->source(env->self, fn, d, &def));
    lower l = {.mem = mem, .d = d, .env = env, .params = params};
    l.f = ir_func_new(mem, def->kind == AST_FunctionDef ? def->f[FunctionDef_name].s : "lambda");
    l.r = l.f->body;
    fv *args = ARENA_ARRAY(mem, fv, nparams + 1);
    for (uint32_t i = 0; i < nparams; i++)
        args[i] = param_value(&l, &params[i]);
    const ast *own =
        def->f[def->kind == AST_Lambda ? (int)Lambda_args : (int)FunctionDef_args].node;
    uint32_t declared = own->f[arguments_args].n < nparams ? own->f[arguments_args].n : nparams;
    l.extra = args + declared;
    l.nextra = nparams - declared;
    lower_inline(&l, def, fn, NULL, args, declared, def);
    *out = l.f;
    *result = (front_result){l.captures.p, l.captures.n, l.prints.p, l.prints.n, l.buffers};
    return l.st;
}
