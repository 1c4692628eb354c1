/* Statements. Control flow that leaves (break, continue, return) becomes `leave` to a `scope`
   around what it ends. */
#include "front/lower.h"
#include <string.h>

void lower_body(lower *l, const ast *n, int field) {
    bool ended = n->f[field].kind == AF_list && lower_stmts(l, n->f[field].list, n->f[field].n);
    lower_end(l, n, ended);
}

/* True: control does not reach the end. A branch that is known not to be taken is not looked at
   (`if bias is None:`). */
static bool lower_if(lower *l, const ast *n) {
    ir_value *cond = lower_cond(l, n->f[If_test].node);
    int64_t k;
    if (l->st != OK)
        return false;
    if (const_of(fv_val(cond), &k)) {
        const ast_field *taken = &n->f[k ? If_body : If_orelse];
        return taken->kind == AF_list && lower_stmts(l, taken->list, taken->n);
    }
    ir_op *op = open_if(l, n, cond);
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    l->r = op->reg[0];
    lower_body(l, n, If_body);
    flow after = l->flow;
    l->flow = before;
    l->r = op->reg[1];
    lower_body(l, n, If_orelse);
    flow_meet(l, &after, &l->flow);
    l->flow = after;
    l->r = outer;
    return false;
}

static bool lower_return(lower *l, const ast *n) {
    fv x = fv_none();
    if (n->f[Return_value].kind == AF_node)
        x = lower_expr(l, n->f[Return_value].node);
    if (l->st != OK)
        return true;
    if (!l->fs->ret_label) {
        l->fs->tail = x;
        return false;
    }
    if (n->f[Return_value].kind == AF_node)
        var_set(l, n, &l->fs->ret, x);
    if (!lower_exit(l, n, l->fs->cleanups))
        emit_leave(l, n, l->fs->ret_label);
    return true;
}

/* A value that a name is given: a list or tuple of arrays, an object from another name ... */
static void lower_assign_stmt(lower *l, const ast *n) {
    fv value = lower_expr(l, n->f[Assign_value].node);
    const ast *outer = l->source;
    l->source = n->f[Assign_value].node;
    for (uint32_t i = 0; i < n->f[Assign_targets].n; i++)
        lower_assign(l, n->f[Assign_targets].list[i], value);
    l->source = outer;
}

static bool in_place(lower *l, const ast *n, fv *out) {
    static const char *const rows[][2] = {{"Add", "__iadd__"},           {"Sub", "__isub__"},
                                          {"Mult", "__imul__"},          {"Div", "__itruediv__"},
                                          {"FloorDiv", "__ifloordiv__"}, {"Mod", "__imod__"},
                                          {"MatMult", "__imatmul__"}};
    const ast *t = n->f[AugAssign_target].node;
    const var *v = t->kind == AST_Name ? var_find(l, t->f[Name_id].s) : NULL;
    if (!v || flow_of(l, v) < 2 || flow_of(l, v) == FLOW_MIXED)
        return false;
    fv x = lower_expr(l, t), method;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && l->st == OK; i++)
        if (!strcmp(rows[i][0], n->f[AugAssign_op].s) && object_method(l, x, rows[i][1], &method)) {
            fv value = lower_expr(l, n->f[AugAssign_value].node);
            *out = l->st == OK ? lower_apply(l, n, method, &value, 1) : (fv){0};
            return true;
        }
    return false;
}

/* t op= v. Where the target is an element, its subscripts are evaluated once. */
static void lower_aug(lower *l, const ast *n) {
    const ast *t = n->f[AugAssign_target].node;
    fv out;
    if (in_place(l, n, &out)) {
        lower_assign(l, t, out);
        return;
    }
    ast *copy = ARENA_NEW(l->mem, ast), *target = ARENA_NEW(l->mem, ast);
    *copy = (ast){.kind = AST_BinOp, .name = "BinOp", .at = n->at};
    *target = *t;
    if (t->kind == AST_Subscript && ast_has(t->f[Subscript_slice].node, AST_Call, true) &&
        !ast_has(t->f[Subscript_slice].node, AST_Slice, true)) {
        const char *name = arena_printf(l->mem, ".index%u", l->nvars);
        ast *index = ARENA_NEW(l->mem, ast);
        *index = (ast){.kind = AST_Name, .name = "Name", .at = n->at};
        index->f[Name_id] = (ast_field){.kind = AF_str, .s = name};
        var_new(l, l->fs, name)->count = 2;
        lower_assign(l, index, lower_expr(l, t->f[Subscript_slice].node));
        target->f[Subscript_slice].node = index;
    }
    copy->f[BinOp_left] = (ast_field){.kind = AF_node, .node = target};
    copy->f[BinOp_op] = n->f[AugAssign_op];
    copy->f[BinOp_right] = n->f[AugAssign_value];
    fv value = lower_expr(l, copy);
    if (l->st == OK && t->kind == AST_Name && is_array(value)) {
        /* arrays change in place, as NumPy's do */
        fv old = lower_expr(l, t);
        if (l->st == OK && is_array(old)) {
            array_assign(l, n, old, value);
            return;
        }
    }
    lower_assign(l, target, value);
}

static void lower_nested_def(lower *l, const ast *n) {
    ast name = {.kind = AST_Name, .name = "Name", .at = n->at};
    name.f[Name_id] = n->f[FunctionDef_name];
    ast *copy = ARENA_NEW(l->mem, ast);
    *copy = name;
    fv f = {.kind = FV_closure, .def = n, .home = l->fs};
    lower_assign(l, copy, f);
    lower_decorated(l, n, f);
}

static void unsupported(lower *l, const ast *n) {
    static const char *const rows[][3] = {
        {"ClassDef", "a class definition", "define the class at the top of the module"},
        {"Global", "global assignment", "store the value in a tensor argument"},
        {"AsyncFunctionDef", "async", "write a plain function"},
        {"AsyncFor", "async for", "write a plain loop"},
        {"AsyncWith", "async with", "write `with lock:` of a pyasc.mutex()"},
        {"TryStar", "except*", "write except"},
        {"TypeAlias", "a type alias", "put it at the top of the module"},
    };
    say_unsupported(l, n, rows, sizeof rows / sizeof *rows,
                    "write it with assignments, if, for and while");
}

static void declare_nonlocal(lower *l, const ast *n, const char *name) {
    for (fn_scope *s = l->fs->parent; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, name)) {
                v->nonlocal_in = l->fs;
                v->count += 2;
                return;
            }
    fail(l, n, "assign it in the function around this one", "no binding for nonlocal '%s' found",
         name);
}

static void lower_delete(lower *l, const ast *n) {
    for (uint32_t i = 0; i < n->f[Delete_targets].n && l->st == OK; i++) {
        const ast *t = n->f[Delete_targets].list[i];
        var *v = t->kind == AST_Name ? var_find(l, t->f[Name_id].s) : NULL;
        if (v)
            var_delete(l, n, v);
        else
            fail(l, t, "leave it out", "only a local variable can be deleted in a kernel");
    }
}

/* import in a kernel: a name for a module or for what is in one. */
static void lower_import(lower *l, const ast *n) {
    bool from = n->kind == AST_ImportFrom;
    const ast_field *names = &n->f[from ? (int)ImportFrom_names : (int)Import_names];
    for (uint32_t i = 0; i < names->n && l->st == OK; i++) {
        const ast *a = names->list[i];
        const char *name = a->f[alias_name].s,
                   *as = a->f[alias_asname].kind == AF_str ? a->f[alias_asname].s : name;
        const char *module = !from                                    ? name
                             : n->f[ImportFrom_module].kind == AF_str ? n->f[ImportFrom_module].s
                                                                      : "";
        front_static st = {0};
        l->env->import(l->env->self, module, from ? name : NULL, as == name && !from, &st);
        if (st.kind == ST_missing) {
            fail(l, n, "check the spelling, or import it at the top of the module",
                 "cannot import '%s'", from ? name : module);
            return;
        }
        ast target = {.kind = AST_Name, .name = "Name", .at = n->at};
        target.f[Name_id] = (ast_field){.kind = AF_str, .s = as};
        lower_assign(l, &target, static_fv(l, n, &st));
    }
}

static void lower_annotated(lower *l, const ast *n) {
    if (n->f[AnnAssign_value].kind != AF_node)
        return;
    fv x = lower_expr(l, n->f[AnnAssign_value].node);
    if (l->st != OK)
        return;
    lower_assign(l, n->f[AnnAssign_target].node,
                 lower_annotation(l, n->f[AnnAssign_annotation].node, x, NULL));
}

static bool lower_jump(lower *l, const ast *n, int64_t to) {
    if (!lower_exit(l, n, l->fs->loop_cleanups))
        emit_leave(l, n, to);
    return true;
}

static bool lower_stmt(lower *l, const ast *n) {
    switch (n->kind) {
    case AST_Pass: return false;
    case AST_Nonlocal:
        for (uint32_t i = 0; i < n->f[Nonlocal_names].n; i++)
            declare_nonlocal(l, n, n->f[Nonlocal_names].list[i]->name);
        return false;
    case AST_Expr:
        if (n->f[Expr_value].node->kind != AST_Constant)
            lower_expr(l, n->f[Expr_value].node);
        return false;
    case AST_Assign: lower_assign_stmt(l, n); return false;
    case AST_AnnAssign: lower_annotated(l, n); return false;
    case AST_AugAssign: lower_aug(l, n); return false;
    case AST_If: return lower_if(l, n);
    case AST_For:
    case AST_While: return lower_loop(l, n);
    case AST_Return: return lower_return(l, n);
    case AST_Break: return lower_jump(l, n, l->fs->break_label);
    case AST_Continue: return lower_jump(l, n, l->fs->continue_label);
    case AST_With: return lower_with(l, n);
    case AST_FunctionDef: lower_nested_def(l, n); return false;
    case AST_Try: lower_try(l, n); return false;
    case AST_Raise: return lower_raise(l, n);
    case AST_Assert: lower_assert(l, n); return false;
    case AST_Delete: lower_delete(l, n); return false;
    case AST_Match: lower_match(l, n); return false;
    case AST_Import:
    case AST_ImportFrom: lower_import(l, n); return false;
    default: unsupported(l, n); return false;
    }
}

bool lower_stmts(lower *l, ast **stmts, uint32_t n) {
    for (uint32_t i = 0; i < n && l->st == OK && !l->flow.dead; i++) /* nobody gets to the rest */
        if (lower_stmt(l, stmts[i]))
            return true;
    return false;
}

/* The variable of this name in the innermost function that has it; made in the current one when
   there is none. */
static var *assigned_var(lower *l, const char *name) {
    for (fn_scope *s = l->fs; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, name) && (s == l->fs || v->nonlocal_in == l->fs))
                return v;
    var *v = var_new(l, l->fs, name);
    v->count = 2;
    return v;
}

static fv part(lower *l, fv t, uint32_t first, uint32_t n) {
    fv x = {.kind = FV_tuple, .list = true, .n = n, .elts = ARENA_ARRAY(l->mem, fv, n + 1)};
    memcpy(x.elts, t.elts + first, n * sizeof(fv));
    return x;
}

/* The elements of what is unpacked: a tuple's, or those of an array to as many names. */
static bool elements(lower *l, const ast *t, uint32_t count, fv *value) {
    if (value->kind == FV_array && value->arr) {
        fail(l, t, "assign x[0], x[1], ... one by one", "an array cannot be unpacked");
        return false;
    }
    if (value->kind == FV_tuple)
        return true;
    fail(l, t, "unpack a tuple, or assign the names one by one",
         "%s cannot be unpacked into %u names", say_what(l, *value), count);
    return false;
}

static void lower_unpack(lower *l, const ast *t, fv value) {
    const ast_field *names = &t->f[Tuple_elts];
    uint32_t star = names->n;
    if (!elements(l, t, names->n, &value))
        return;
    for (uint32_t i = 0; i < names->n; i++)
        if (names->list[i]->kind == AST_Starred)
            star = i;
    bool starred = star < names->n;
    if (starred ? value.n + 1 < names->n : value.n != names->n) {
        fail(l, t, "write as many names as values, or *rest for those left over",
             "cannot unpack %u value%s into %u names", value.n, value.n == 1 ? "" : "s", names->n);
        return;
    }
    uint32_t many = starred ? value.n + 1 - names->n : 0;
    for (uint32_t i = 0; i < names->n && l->st == OK; i++) {
        if (i == star)
            lower_assign(l, names->list[i]->f[Starred_value].node, part(l, value, i, many));
        else
            lower_assign(l, names->list[i], value.elts[i < star ? i : i + many - 1]);
    }
}

void lower_assign(lower *l, const ast *t, fv value) {
    if (l->st != OK || value.kind == FV_error)
        return;
    if (t->kind == AST_Name)
        var_set(l, t, assigned_var(l, t->f[Name_id].s), value);
    else if (t->kind == AST_Subscript)
        lower_store_to(l, t, value);
    else if (t->kind == AST_Tuple || t->kind == AST_List)
        lower_unpack(l, t, value);
    else if (t->kind == AST_Attribute) {
        fv base = lower_expr(l, t->f[Attribute_value].node);
        if (l->st == OK)
            object_set(l, t, base, t->f[Attribute_attr].s, value);
    } else
        fail(l, t, "assign to a name, an attribute or a subscript",
             "this cannot be assigned in a kernel");
}
