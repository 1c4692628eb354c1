/* Local variables: numbers in cells, everything else as bindings that the flow keeps apart. */
#include "front/lower.h"
#include <stdio.h>
#include <string.h>

/* Cells stand at the head of the kernel, so that they are visible everywhere. */
ir_value *cell_new(lower *l, const char *name, loc at) {
    ir_op *op = ir_op_new(l->f, OP_cell, ir_site(l->f, at), 0, 1, 0);
    op->out[0]->type = (ir_type){.kind = TY_cell, .any = 1, .lanes = 1};
    op->out[0]->name = name;
    if (l->f->body->first)
        ir_before(l->f->body->first, op);
    else
        ir_append(l->f->body, op);
    if (!l->last_cell)
        l->last_cell = op;
    return op->out[0];
}

void cell_set(lower *l, const ast *n, ir_value *cell, ir_value *v) {
    ir_op *op = ir_op_new(l->f, OP_set, ir_site(l->f, n->at), 2, 0, 0);
    op->in[0] = cell;
    op->in[1] = v;
    ir_append(l->r, op);
}

void var_init(lower *l, var *v, const char *name) {
    *v = (var){.name = name, .id = l->nvars++, .home = l->fs};
    var_note note = {.name = name};
    vec_push(l->mem, &l->notes, note);
}

var *var_new(lower *l, fn_scope *fs, const char *name) {
    var *v = ARENA_NEW(l->mem, var);
    var_init(l, v, name);
    v->home = fs;
    v->next = fs->vars;
    fs->vars = v;
    return v;
}

var *var_find(lower *l, const char *name) {
    for (fn_scope *s = l->fs; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, name))
                return v;
    return NULL;
}

static const char *shown(const var *v) { return v->name ? v->name : "this"; }

uint32_t var_bind(lower *l, var *v, fv value) {
    if (!l->bindings.n) { /* numbers 0 and 1 are states */
        binding none = {0};
        vec_push(l->mem, &l->bindings, none);
        vec_push(l->mem, &l->bindings, none);
    }
    binding b = {.value = value};
    vec_push(l->mem, &l->bindings, b);
    v->last = l->bindings.n - 1;
    return v->last;
}

static bool same_class(const front_static *a, const front_static *b) {
    return a->kind == b->kind && a->handle == b->handle;
}

/* An earlier binding of v whose parts can take the value's. */
static uint32_t layout_of(const lower *l, const var *v, const fv *x) {
    for (uint32_t k = v->layouts; k; k = l->bindings.p[k].next) {
        const fv *b = &l->bindings.p[k].value;
        if (b->kind != x->kind)
            continue;
        if (x->kind == FV_tuple ? b->n == x->n && b->vec == x->vec && same_class(&b->st, &x->st)
                                : same_class(&b->obj->cls, &x->obj->cls))
            return k;
    }
    return 0;
}

static void set_tuple(lower *l, const ast *n, var *v, fv value) {
    uint32_t k = layout_of(l, v, &value);
    if (!k) {
        fv shape = value;
        k = var_bind(l, v, shape);
        l->bindings.p[k].next = v->layouts;
        v->layouts = k;
        var *elts = ARENA_ARRAY(l->mem, var, value.n + 1);
        for (uint32_t i = 0; i < value.n; i++) {
            var_init(l, &elts[i], v->name);
            elts[i].home = v->home;
            elts[i].count = v->count;
        }
        l->bindings.p[k].elts = elts;
    }
    v->last = k;
    l->bindings.p[k].at = n->at;
    for (uint32_t i = 0; i < value.n; i++)
        var_set(l, n, &l->bindings.p[k].elts[i], value.elts[i]);
    flow_put(l, v, k);
}

/* Objects are values: a variable that is assigned more than once has an object of its own, into
   which each value is copied. */
static void set_object(lower *l, const ast *n, var *v, fv value) {
    uint32_t k = layout_of(l, v, &value);
    if (k && l->bindings.p[k].value.obj != value.obj) {
        object *to = l->bindings.p[k].value.obj;
        for (var *f = value.obj->fields; f; f = f->next)
            if (flow_of(l, f) != FLOW_UNSET)
                var_set(l, n, object_field(l, to, f->name, true), var_get(l, n, f));
    } else if (!k) {
        bool own = v->count == 1 && v->home && !v->home->loops;
        if (value.obj->named && !own)
            value = object_copy(l, n, value);
        value.obj->named = true;
        k = var_bind(l, v, value);
        l->bindings.p[k].next = v->layouts;
        v->layouts = k;
    }
    v->last = k;
    l->bindings.p[k].at = n->at;
    flow_put(l, v, k);
}

static void set_number(lower *l, const ast *n, var *v, ir_value *value) {
    if (!v->cell) {
        v->cell = cell_new(l, v->name, n->at);
        v->par = l->par;
    }
    if (v->par < l->par) {
        fail(l, n, "use an atomic, out=, or a tensor's element",
             "a body that runs in parallel cannot assign '%s' of the function around it", shown(v));
        return;
    }
    if (v->count == 1 && value->def && value->def->code == OP_iconst)
        v->konst = value;
    l->notes.p[v->id].number = n->at;
    cell_set(l, n, v->cell, value);
    flow_put(l, v, FLOW_CELL);
}

void var_set(lower *l, const ast *n, var *v, fv value) {
    if (value.kind == FV_error || l->st != OK)
        return;
    if (value.kind == FV_array && !(value = array_keep(l, n, value)).kind)
        return;
    if (value.kind == FV_val && value.v->type.kind != TY_tensor && !value.lock)
        set_number(l, n, v, value.v);
    else if (value.kind == FV_tuple)
        set_tuple(l, n, v, value);
    else if (value.kind == FV_object)
        set_object(l, n, v, value);
    else {
        if (value.kind == FV_val && !value.v->name && v->name && value.v->type.kind == TY_tensor)
            value.v->name = v->name; /* memory made here */
        flow_put(l, v, var_bind(l, v, value));
        l->bindings.p[v->last].at = n->at;
    }
}

/* The flag is false where the variable's function begins. */
static void unset_at_entry(lower *l, var *v) {
    fn_scope *fs = v->home;
    v->can_unset = true;
    ir_op *op = ir_op_new(l->f, OP_unset, 0, 1, 0, 0);
    op->in[0] = v->cell;
    ir_op *at = fs && fs->entry_at ? fs->entry_at : NULL;
    if (!at && fs && fs->entry && fs->entry != l->f->body) {
        if (fs->entry->first)
            ir_before(fs->entry->first, op);
        else
            ir_append(fs->entry, op);
        return;
    }
    at = at ? at : l->last_cell;
    if (at->next)
        ir_before(at->next, op);
    else
        ir_append(at->parent, op);
}

static void throw_unset(lower *l, const ast *n, const var *v, ir_value *unset) {
    throw_if(l, n, unset, "UnboundLocalError",
             text_format(
                 l, n, "cannot access local variable '%s' where it is not associated with a value",
                 shown(v)));
}

static fv get_perhaps(lower *l, const ast *n, var *v) {
    bool later = v->home && v->home->loops && v->count; /* a round before may have set it */
    if (!v->cell && !v->last && !later && may_catch(l, "UnboundLocalError")) {
        v->cell = cell_new(l, v->name, n->at);
        v->par = l->par;
        throw_unset(l, n, v, int_const(l, n, DT_bool, 1));
        return (fv){.kind = FV_val};
    }
    if (v->last || (!v->cell && !later)) {
        bool some = v->last || v->cell;
        fail(l, n, some ? "assign it on every path, or before the branch" : "assign it first",
             some ? "'%s' may be unset here" : "'%s' is read before it is assigned", shown(v));
        return (fv){0};
    }
    if (!v->cell) {
        v->cell = cell_new(l, v->name, n->at);
        v->par = l->par;
    }
    if (!v->can_unset)
        unset_at_entry(l, v);
    ir_value *in[1] = {v->cell}, *set = emit(l, n, OP_isset, ir_val(DT_bool, 1), 1, in);
    throw_unset(l, n, v, emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, &set));
    flow_put(l, v, FLOW_CELL);
    return (fv){.kind = FV_val};
}

fv var_get(lower *l, const ast *n, var *v) {
    uint32_t at = flow_of(l, v);
    if (l->flow.dead && at < 2)
        at = v->cell ? FLOW_CELL : v->last;
    if (at == FLOW_UNSET && get_perhaps(l, n, v).kind)
        at = FLOW_CELL;
    if (l->st != OK)
        return (fv){0};
    if (at == FLOW_MIXED) {
        fail_mixed(l, n, v);
        return (fv){0};
    }
    if (at == FLOW_CELL) {
        ir_value *in[1] = {v->cell};
        ir_value *x = emit(l, n, OP_get, ir_any(), 1, in);
        x->name = v->name;
        return fv_val(x);
    }
    l->bindings.p[at].read = ++l->reads;
    fv x = l->bindings.p[at].value;
    if (x.kind != FV_tuple || !l->bindings.p[at].elts) /* an argument is itself */
        return x;
    x.elts = ARENA_ARRAY(l->mem, fv, x.n + 1);
    for (uint32_t i = 0; i < x.n; i++)
        x.elts[i] = var_get(l, n, &l->bindings.p[at].elts[i]);
    return x;
}

void var_delete(lower *l, const ast *n, var *v) {
    if (flow_of(l, v) == FLOW_UNSET)
        var_get(l, n, v);
    if (l->st != OK)
        return;
    if (v->cell && flow_of(l, v) == FLOW_CELL) {
        ir_op *op = ir_op_new(l->f, OP_unset, ir_site(l->f, n->at), 1, 0, 0);
        op->in[0] = v->cell;
        ir_append(l->r, op);
    }
    flow_put(l, v, FLOW_UNSET);
}

/* Names that a function assigns. */

static void declare(lower *l, fn_scope *fs, const char *name) {
    for (var *v = fs->vars; v; v = v->next)
        if (!strcmp(v->name, name)) {
            v->count++;
            return;
        }
    var_new(l, fs, name)->count = 1;
}

static void declare_target(lower *l, fn_scope *fs, const ast *t) {
    if (!t)
        return;
    if (t->kind == AST_Name)
        declare(l, fs, t->f[Name_id].s);
    else if (t->kind == AST_Starred)
        declare_target(l, fs, t->f[Starred_value].node);
    else if (t->kind == AST_Tuple || t->kind == AST_List)
        for (uint32_t i = 0; i < t->f[Tuple_elts].n; i++)
            declare_target(l, fs, t->f[Tuple_elts].list[i]);
}

static void declare_in(lower *l, fn_scope *fs, const ast *n) {
    if (!n || n->kind == AST_Lambda || n->kind == AST_ListComp || n->kind == AST_GeneratorExp)
        return;
    switch (n->kind) {
    case AST_FunctionDef: declare(l, fs, n->f[FunctionDef_name].s); return;
    case AST_ClassDef: return;
    case AST_AugAssign:
    case AST_AnnAssign:
    case AST_For:
    case AST_NamedExpr: declare_target(l, fs, n->f[0].node); break;
    case AST_withitem:
        if (n->f[withitem_optional_vars].kind == AF_node)
            declare_target(l, fs, n->f[withitem_optional_vars].node);
        break;
    case AST_Assign:
        for (uint32_t k = 0; k < n->f[Assign_targets].n; k++)
            declare_target(l, fs, n->f[Assign_targets].list[k]);
        break;
    case AST_ExceptHandler:
        if (n->f[ExceptHandler_name].kind == AF_str)
            declare(l, fs, n->f[ExceptHandler_name].s);
        break;
    case AST_MatchAs:
        if (n->f[MatchAs_name].kind == AF_str)
            declare(l, fs, n->f[MatchAs_name].s);
        break;
    case AST_alias: {
        const ast_field *as = &n->f[alias_asname];
        declare(l, fs, as->kind == AF_str ? as->s : n->f[alias_name].s);
        return;
    }
    default: break;
    }
    for (int i = 0; i < 7; i++) {
        if (n->f[i].kind == AF_node)
            declare_in(l, fs, n->f[i].node);
        for (uint32_t k = 0; n->f[i].kind == AF_list && k < n->f[i].n; k++)
            declare_in(l, fs, n->f[i].list[k]);
    }
}

/* Assigned in an enclosing function, by nonlocal. */
static bool is_nonlocal(ast *const *body, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; body[i]->kind == AST_Nonlocal && k < body[i]->f[Nonlocal_names].n; k++)
            if (!strcmp(body[i]->f[Nonlocal_names].list[k]->name, name))
                return true;
    return false;
}

void declare_locals(lower *l, fn_scope *fs, ast *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        declare_in(l, fs, body[i]);
    for (var **p = &fs->vars; *p;)
        if (is_nonlocal(body, n, (*p)->name))
            *p = (*p)->next;
        else
            p = &(*p)->next;
}

void bind_param(lower *l, fn_scope *fs, const ast *a, fv value) {
    var *v = var_new(l, fs, a->f[arg_arg].s);
    v->param = true;
    if (value.kind != FV_error)
        flow_put(l, v, var_bind(l, v, value)), l->bindings.p[v->last].at = a->at;
}
