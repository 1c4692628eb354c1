/* Statements. Control flow that leaves (break, continue, return) becomes `leave` to a `scope`
 * around what it ends. */
#include "front/lower.h"
#include <string.h>

void lower_end(lower *l, const ast *n, bool ended) {
    if (!ended)
        ir_append(l->r, ir_op_new(l->f, OP_yield, ir_site(l->f, n->at), 0, 0, 0));
}

void lower_body(lower *l, const ast *n, int field) {
    bool ended = n->f[field].kind == AF_list && lower_stmts(l, n->f[field].list, n->f[field].n);
    lower_end(l, n, ended);
}

static ir_op *open_scope(lower *l, const ast *n) {
    ir_op *op = ir_op_new(l->f, OP_scope, ir_site(l->f, n->at), 0, 0, 1);
    op->attr[0].i = ++l->f->nlabels;
    ir_append(l->r, op);
    l->r = op->reg[0];
    return op;
}

static void emit_leave(lower *l, const ast *n, int64_t label) {
    ir_op *op = ir_op_new(l->f, OP_leave, ir_site(l->f, n->at), 0, 0, 0);
    op->attr[0].i = label;
    ir_append(l->r, op);
}

/* True: control does not reach the end. A branch that is known not to be taken is not looked at
 * (`if bias is None:`). */
static bool lower_if(lower *l, const ast *n) {
    ir_value *cond = lower_cond(l, n->f[If_test].node);
    if (cond->def && cond->def->code == OP_iconst) {
        const ast_field *taken = &n->f[cond->def->attr[0].i ? If_body : If_orelse];
        return taken->kind == AF_list && lower_stmts(l, taken->list, taken->n);
    }
    ir_op *op = ir_op_new(l->f, OP_if, ir_site(l->f, n->at), 1, 0, 2);
    op->in[0] = cond;
    ir_append(l->r, op);
    ir_region *outer = l->r;
    l->r = op->reg[0];
    lower_body(l, n, If_body);
    l->r = op->reg[1];
    lower_body(l, n, If_orelse);
    l->r = outer;
    return false;
}

static bool list_has(const ast_field *list, int kind) {
    for (uint32_t i = 0; i < list->n; i++)
        if (ast_has(list->list[i], kind, false))
            return true;
    return false;
}

/* The statements of one iteration, inside a scope of their own where there is a continue. */
static void loop_body(lower *l, const ast *n, int field) {
    int64_t outer_label = l->fs->continue_label;
    if (list_has(&n->f[field], AST_Continue)) {
        ir_region *r = l->r;
        l->fs->continue_label = open_scope(l, n)->attr[0].i;
        lower_body(l, n, field);
        l->r = r;
        lower_end(l, n, false);
    } else
        lower_body(l, n, field);
    l->fs->continue_label = outer_label;
}

static bool range_args(lower *l, const ast *call, ir_value *out[3]) {
    const ast_field *args = &call->f[Call_args];
    if (args->n < 1 || args->n > 3) {
        fail(l, call, "range(stop), range(start, stop) or range(start, stop, step)",
             "range() takes 1 to 3 arguments");
        return false;
    }
    ir_value *v[3] = {0};
    for (uint32_t i = 0; i < args->n; i++)
        v[i] = lower_val(l, args->list[i]);
    uint32_t site = ir_site(l->f, call->at);
    out[0] = args->n > 1 ? v[0] : ir_iconst(l->f, l->r, site, DT_i64, 0);
    out[1] = args->n > 1 ? v[1] : v[0];
    out[2] = args->n > 2 ? v[2] : ir_iconst(l->f, l->r, site, DT_i64, 1);
    return true;
}

static bool is_range(lower *l, const ast *iter) {
    if (iter->kind != AST_Call || iter->f[Call_func].node->kind != AST_Name)
        return false;
    fv f = lower_expr(l, iter->f[Call_func].node);
    return f.kind == FV_static && f.st.kind == ST_op && !strcmp(f.st.s, "range");
}

static void lower_for_range(lower *l, const ast *n) {
    ir_value *range[3];
    if (!range_args(l, n->f[For_iter].node, range))
        return;
    ir_op *op = ir_op_new(l->f, OP_for, ir_site(l->f, n->at), 3, 0, 1);
    memcpy(op->in, range, sizeof range);
    const ast *target = n->f[For_target].node;
    ir_value *i = ir_region_arg(l->f, op->reg[0], ir_val(DT_i64, 1),
                                target->kind == AST_Name ? target->f[Name_id].s : NULL);
    ir_append(l->r, op);
    ir_region *outer = l->r;
    l->r = op->reg[0];
    lower_assign(l, target, fv_val(i));
    loop_body(l, n, For_body);
    l->r = outer;
}

/* A tuple known at compile time: the body once for each element. */
static void lower_for_tuple(lower *l, const ast *n, fv t) {
    for (uint32_t i = 0; i < t.n && l->st == OK; i++) {
        int64_t outer_label = l->fs->continue_label;
        ir_region *r = l->r;
        l->fs->continue_label = open_scope(l, n)->attr[0].i;
        lower_assign(l, n->f[For_target].node, t.elts[i]);
        lower_body(l, n, For_body);
        l->r = r;
        l->fs->continue_label = outer_label;
    }
}

static void for_or_while(lower *l, const ast *n) {
    if (n->kind == AST_For) {
        if (is_range(l, n->f[For_iter].node)) {
            lower_for_range(l, n);
            return;
        }
        fv t = lower_expr(l, n->f[For_iter].node);
        if (t.kind == FV_tuple)
            lower_for_tuple(l, n, t);
        else
            fail(l, n->f[For_iter].node, "write `for i in range(n):`",
                 "a for loop in a kernel runs over range() or a tuple");
        return;
    }
    ir_op *exit = open_scope(l, n);
    ir_op *op = ir_op_new(l->f, OP_loop, ir_site(l->f, n->at), 0, 0, 1);
    ir_append(l->r, op);
    l->r = op->reg[0];
    ir_op *test = ir_op_new(l->f, OP_if, ir_site(l->f, n->at), 1, 0, 2);
    test->in[0] = lower_cond(l, n->f[While_test].node);
    ir_append(l->r, test);
    ir_region *body = l->r;
    l->r = test->reg[0];
    lower_end(l, n, false);
    l->r = test->reg[1];
    emit_leave(l, n, exit->attr[0].i);
    l->r = body;
    loop_body(l, n, While_body);
    l->r = exit->reg[0];
    lower_end(l, n, false);
}

/* break goes to a scope around loop and else; the normal end of the loop runs the else. */
static void lower_loop(lower *l, const ast *n) {
    int field = n->kind == AST_For ? For_body : While_body,
        other = n->kind == AST_For ? For_orelse : While_orelse;
    bool breaks = list_has(&n->f[field], AST_Break),
         orelse = n->f[other].kind == AF_list && n->f[other].n;
    int64_t outer_label = l->fs->break_label;
    uint32_t outer_locks = l->fs->loop_locks;
    ir_region *outer = l->r;
    l->fs->loop_locks = l->locks.n;
    if (breaks)
        l->fs->break_label = open_scope(l, n)->attr[0].i;
    ir_region *inner = l->r;
    for_or_while(l, n);
    l->r = inner;
    l->fs->break_label = outer_label;
    l->fs->loop_locks = outer_locks;
    bool ended = orelse && lower_stmts(l, n->f[other].list, n->f[other].n);
    if (breaks)
        lower_end(l, n, ended);
    l->r = outer;
}

static bool lower_return(lower *l, const ast *n) {
    fv x = {.kind = FV_static, .st = {.kind = ST_none}};
    if (n->f[Return_value].kind == AF_node)
        x = lower_expr(l, n->f[Return_value].node);
    if (!l->fs->ret_label) {
        l->fs->tail = x;
        return false;
    }
    if (n->f[Return_value].kind == AF_node)
        var_set(l, n, &l->fs->ret, x);
    lower_unlock(l, n, l->fs->ret_locks);
    emit_leave(l, n, l->fs->ret_label);
    return true;
}

static void lower_assign_stmt(lower *l, const ast *n) {
    fv value = lower_expr(l, n->f[Assign_value].node);
    for (uint32_t i = 0; i < n->f[Assign_targets].n; i++)
        lower_assign(l, n->f[Assign_targets].list[i], value);
}

/* t op= v, where the target's own parts are evaluated once. */
static void lower_aug(lower *l, const ast *n) {
    ast binop = {.kind = AST_BinOp, .name = "BinOp", .at = n->at};
    binop.f[BinOp_left] = n->f[AugAssign_target];
    binop.f[BinOp_op] = n->f[AugAssign_op];
    binop.f[BinOp_right] = n->f[AugAssign_value];
    ast *copy = ARENA_NEW(l->mem, ast);
    *copy = binop;
    lower_assign(l, n->f[AugAssign_target].node, lower_expr(l, copy));
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
        {"Try", "try/except", "test for the case with if"},
        {"Raise", "raise", "store an error code in an output tensor"},
        {"Assert", "assert", "check on the host, or store a flag in an output tensor"},
        {"ClassDef", "a class", "use plain variables and functions"},
        {"Global", "global assignment", "store the value in a tensor argument"},
        {"Import", "import", "import at the top of the module"},
        {"ImportFrom", "import", "import at the top of the module"},
        {"Delete", "del", "let the variable go out of use"},
        {"Match", "match", "write if/elif"},
        {"AsyncFunctionDef", "async", "write a plain function"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i][0], n->name)) {
            fail(l, n, rows[i][2], "%s is not supported in kernels yet", rows[i][1]);
            return;
        }
    fail(l, n, "write it with assignments, if, for and while", "%s is not supported in kernels",
         n->name);
}

static void declare_nonlocal(lower *l, const char *name) {
    for (fn_scope *s = l->fs->parent; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, name)) {
                v->nonlocal_in = l->fs;
                return;
            }
}

static bool lower_stmt(lower *l, const ast *n) {
    switch (n->kind) {
    case AST_Pass: return false;
    case AST_Nonlocal:
        for (uint32_t i = 0; i < n->f[Nonlocal_names].n; i++)
            declare_nonlocal(l, n->f[Nonlocal_names].list[i]->name);
        return false;
    case AST_Expr:
        if (n->f[Expr_value].node->kind != AST_Constant)
            lower_expr(l, n->f[Expr_value].node);
        return false;
    case AST_Assign: lower_assign_stmt(l, n); return false;
    case AST_AnnAssign:
        if (n->f[AnnAssign_value].kind == AF_node)
            lower_assign(l, n->f[AnnAssign_target].node, lower_expr(l, n->f[AnnAssign_value].node));
        return false;
    case AST_AugAssign: lower_aug(l, n); return false;
    case AST_If: return lower_if(l, n);
    case AST_For:
    case AST_While: lower_loop(l, n); return false;
    case AST_Return: return lower_return(l, n);
    case AST_Break:
        lower_unlock(l, n, l->fs->loop_locks);
        emit_leave(l, n, l->fs->break_label);
        return true;
    case AST_Continue:
        lower_unlock(l, n, l->fs->loop_locks);
        emit_leave(l, n, l->fs->continue_label);
        return true;
    case AST_With: lower_with(l, n); return false;
    case AST_FunctionDef: lower_nested_def(l, n); return false;
    default: unsupported(l, n); return false;
    }
}

bool lower_stmts(lower *l, ast **stmts, uint32_t n) {
    for (uint32_t i = 0; i < n && l->st == OK; i++)
        if (lower_stmt(l, stmts[i]))
            return true;
    return false;
}

/* The variable of this name in the innermost function that has it; made in the current one when
 * there is none. */
static var *assigned_var(lower *l, const char *name) {
    for (fn_scope *s = l->fs; s; s = s->parent)
        for (var *v = s->vars; v; v = v->next)
            if (!strcmp(v->name, name) && (s == l->fs || v->nonlocal_in == l->fs))
                return v;
    var *v = ARENA_NEW(l->mem, var);
    v->name = name;
    v->next = l->fs->vars;
    l->fs->vars = v;
    return v;
}

static void store(lower *l, const ast *n, fv value) {
    fv base = lower_expr(l, n->f[Subscript_value].node);
    if (base.kind != FV_val || base.v->type.kind != TY_tensor) {
        if (l->st == OK)
            fail(l, n, "subscripts on the left need a tensor argument, shared() or local()",
                 "this value cannot be assigned by subscript");
        return;
    }
    lower_store(l, n, base.v, lower_expr(l, n->f[Subscript_slice].node), value);
}

void lower_store(lower *l, const ast *n, ir_value *t, fv index, fv value) {
    uint32_t rank = index.kind == FV_tuple ? index.n : 1;
    if (rank != t->type.rank) {
        fail(l, n, NULL, "the tensor has %u dimensions, %u subscripts given", t->type.rank, rank);
        return;
    }
    ir_value *v = lower_as_val(l, value, n->at);
    ir_op *op = ir_op_new(l->f, OP_store, ir_site(l->f, n->at), 2 + rank, 0, 0);
    op->in[0] = t;
    op->in[1] = v;
    for (uint32_t i = 0; i < rank; i++)
        op->in[2 + i] = lower_as_val(l, index.kind == FV_tuple ? index.elts[i] : index, n->at);
    ir_append(l->r, op);
}

void lower_assign(lower *l, const ast *t, fv value) {
    if (l->st != OK)
        return;
    if (t->kind == AST_Name) {
        var *v = assigned_var(l, t->f[Name_id].s);
        var_set(l, t, v, value);
    } else if (t->kind == AST_Subscript)
        store(l, t, value);
    else if (t->kind == AST_Tuple || t->kind == AST_List) {
        if (value.kind != FV_tuple || value.n != t->f[Tuple_elts].n) {
            fail(l, t, NULL, "cannot unpack %u values into %u names",
                 value.kind == FV_tuple ? value.n : 1, t->f[Tuple_elts].n);
            return;
        }
        for (uint32_t i = 0; i < value.n; i++)
            lower_assign(l, t->f[Tuple_elts].list[i], value.elts[i]);
    } else
        fail(l, t, "assign to a name or a subscript", "this cannot be assigned in a kernel");
}
