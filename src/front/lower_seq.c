/* Loops and comprehensions. What a loop runs over is a range, a tuple known at compile time,
   an array's first dimension, or enumerate, zip and reversed of these. */
#include "front/lower_array.h"
#include <string.h>

typedef struct iter {
    enum { I_range, I_tuple, I_array, I_enumerate, I_zip, I_reversed } kind;
    ir_value *range[3];
    fv x; /* the tuple or the array; of enumerate its start */
    struct iter *of;
    uint32_t nof;
    ir_value *length; /* NULL for a bare range */
    bool laid_out;    /* asc.static_range */
} iter;

static const char *op_called(lower *l, const ast *n) {
    const ast *func = n->kind == AST_Call ? n->f[Call_func].node : n;
    const ast *root = func->kind == AST_Attribute ? func->f[Attribute_value].node : func;
    bool module = root != func && root->kind == AST_Name && !var_find(l, root->f[Name_id].s);
    if (func == n || (func->kind != AST_Name && !module))
        return "";
    fv f = lower_expr(l, func);
    return f.kind == FV_static && f.st.kind == ST_op ? f.st.s : "";
}

/* A step that only the run knows: where nothing looks, 0 makes no rounds. A raise in every such
   kernel would keep its work-items from vectors. */
static void check_step(lower *l, const ast *n, ir_value *step) {
    if (!(l->check & FRONT_CHECK) && !may_catch(l, "ValueError"))
        return;
    ir_value *in[2] = {step, int_const(l, n, DT_wint, 0)};
    throw_if(l, n, emit(l, n, OP_eq, ir_val(DT_bool, 1), 2, in), "ValueError",
             text_format(l, n, "range() arg 3 must not be zero"));
}

static bool range_of(lower *l, const ast *call, ir_value *out[3]) {
    const ast_field *args = &call->f[Call_args];
    ir_value *v[3] = {0};
    if (args->n < 1 || args->n > 3 || call->f[Call_keywords].n) {
        fail(l, call, "write range(stop), range(start, stop) or range(start, stop, step)",
             "range() takes 1 to 3 arguments");
        return false;
    }
    for (uint32_t i = 0; i < args->n; i++)
        v[i] = lower_val(l, args->list[i]);
    out[0] = args->n > 1 ? v[0] : int_const(l, call, DT_i64, 0);
    out[1] = args->n > 1 ? v[1] : v[0];
    out[2] = args->n > 2 ? v[2] : int_const(l, call, DT_i64, 1);
    int64_t step;
    if (l->st != OK || args->n < 3)
        return l->st == OK;
    if (!const_of(fv_val(v[2]), &step))
        check_step(l, args->list[2], v[2]);
    else if (!step)
        fail(l, args->list[2], "use a positive or a negative step", "the step of range() is 0");
    return l->st == OK;
}

/* Rounds of a range: none where it runs the other way. */
static ir_value *range_length(lower *l, const ast *n, ir_value *const r[3]) {
    int64_t a, b, s;
    if (const_of(fv_val(r[0]), &a) && const_of(fv_val(r[1]), &b) && const_of(fv_val(r[2]), &s) &&
        s) {
        int64_t count = s > 0 ? (b - a + s - 1) / s : (a - b - s - 1) / -s;
        return int_const(l, n, DT_i64, count > 0 ? count : 0);
    }
    ir_value *zero = int_const(l, n, DT_i64, 0), *span = emit_index(l, n, OP_sub, r[1], r[0]),
             *neg[1];
    neg[0] = span;
    ir_value *rounds =
        const_of(fv_val(r[2]), &s) && s == 1
            ? span
            : (neg[0] = emit_index(l, n, OP_floordiv,
                                   (neg[0] = emit_index(l, n, OP_sub, zero, span)), r[2]),
               emit_index(l, n, OP_sub, zero, neg[0]));
    return emit_index(l, n, OP_max, rounds, zero);
}

static bool make_iter(lower *l, const ast *n, iter *it);

static bool parts(lower *l, const ast *n, iter *it, uint32_t count) {
    it->nof = count;
    it->of = ARENA_ARRAY(l->mem, iter, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (!make_iter(l, n->f[Call_args].list[i], &it->of[i]))
            return false;
    it->length = it->of[0].length;
    for (uint32_t i = 1; i < count; i++)
        it->length = emit_index(l, n, OP_min, it->length, it->of[i].length);
    int64_t least = -1, k;
    for (uint32_t i = 0; i < count; i++) {
        if (!const_of(fv_val(it->of[i].length), &k))
            return true;
        least = least < 0 || k < least ? k : least;
    }
    it->length = int_const(l, n, DT_i64, least);
    return true;
}

static bool enumerate_iter(lower *l, const ast *n, iter *it) {
    const ast_field *kw = &n->f[Call_keywords], *args = &n->f[Call_args];
    it->kind = I_enumerate;
    it->x = fv_val(int_const(l, n, DT_wint, 0));
    if (args->n > 1)
        it->x = lower_expr(l, args->list[1]);
    if (kw->n)
        it->x = lower_expr(l, kw->list[0]->f[keyword_value].node);
    return parts(l, n, it, 1);
}

static bool value_iter(lower *l, const ast *n, iter *it) {
    fv x = lower_expr(l, n);
    if (x.kind == FV_tuple) {
        *it = (iter){.kind = I_tuple, .x = x, .length = int_const(l, n, DT_i64, x.n)};
        return true;
    }
    if (is_array(x) && array_of(l, n, x)->rank) {
        x = array_keep(l, n, x);
        if (l->st == OK)
            *it = (iter){.kind = I_array, .x = x, .length = array_of(l, n, x)->dim[0]};
        return l->st == OK;
    }
    if (l->st == OK)
        fail(l, n, "loop over range(n), a tensor, a tuple, or enumerate, zip and reversed of these",
             "a loop cannot run over %s", say_what(l, x));
    return false;
}

/* asc.static_range(...): the numbers themselves. */
static bool static_range(lower *l, const ast *n, iter *it) {
    const ast_field *args = &n->f[Call_args];
    int64_t r[3] = {0, 0, 1};
    for (uint32_t i = 0; i < args->n && i < 3; i++)
        if (!lower_const_int(l, args->list[i], &r[args->n == 1 ? 1 : i])) {
            fail(l, args->list[i], "use asc.range() for what only the run knows",
                 "the bounds of static_range() must be known when the kernel is compiled");
            return false;
        }
    fv x = {.kind = FV_tuple};
    int64_t count = r[2] > 0   ? (r[1] - r[0] + r[2] - 1) / r[2]
                    : r[2] < 0 ? (r[0] - r[1] - r[2] - 1) / -r[2]
                               : 0;
    x.n = (uint32_t)(count < 0 ? 0 : count > 4097 ? 4097 : count);
    x.elts = ARENA_ARRAY(l->mem, fv, x.n + 1);
    for (uint32_t i = 0; i < x.n; i++)
        x.elts[i] = fv_val(int_const(l, n, DT_wint, r[0] + (int64_t)i * r[2]));
    *it = (iter){.kind = I_tuple, .x = x, .length = int_const(l, n, DT_i64, x.n), .laid_out = true};
    return true;
}

static bool make_iter(lower *l, const ast *n, iter *it) {
    *it = (iter){0};
    const char *op = op_called(l, n);
    if (l->st != OK)
        return false;
    uint32_t nargs = n->kind == AST_Call ? n->f[Call_args].n : 0;
    if (!strcmp(op, "range")) {
        it->kind = I_range;
        if (!range_of(l, n, it->range))
            return false;
        it->length = range_length(l, n, it->range);
        return true;
    }
    if (!strcmp(op, "static_range") && nargs >= 1)
        return static_range(l, n, it);
    if (!strcmp(op, "enumerate") && nargs >= 1)
        return enumerate_iter(l, n, it);
    if (!strcmp(op, "reversed") && nargs == 1)
        return it->kind = I_reversed, parts(l, n, it, 1);
    if (!strcmp(op, "zip") && nargs >= 1)
        return it->kind = I_zip, parts(l, n, it, nargs);
    return value_iter(l, n, it);
}

/* An element of a tuple of numbers at an index known when the kernel runs. */
static fv tuple_item(lower *l, const ast *n, const iter *it, ir_value *i) {
    int64_t k;
    if (const_of(fv_val(i), &k) && k >= 0 && k < (int64_t)it->x.n)
        return it->x.elts[k];
    ir_value *v = lower_as_val(l, it->x.elts[0], n->at);
    for (uint32_t e = 1; e < it->x.n && l->st == OK; e++) {
        ir_value *at[2] = {i, int_const(l, n, DT_i64, e)},
                 *in[3] = {emit(l, n, OP_eq, ir_val(DT_bool, 1), 2, at),
                           lower_as_val(l, it->x.elts[e], n->at), v};
        v = emit(l, n, OP_select, ir_any(), 3, in);
    }
    return fv_val(v);
}

static fv pair(lower *l, fv a, fv b) {
    fv t = {.kind = FV_tuple, .n = 2, .elts = ARENA_ARRAY(l->mem, fv, 2)};
    t.elts[0] = a;
    t.elts[1] = b;
    return t;
}

static fv item(lower *l, const ast *n, const iter *it, ir_value *i) {
    if (l->st != OK)
        return (fv){0};
    int64_t k, a, s;
    switch (it->kind) {
    case I_range:
        if (const_of(fv_val(i), &k) && const_of(fv_val(it->range[0]), &a) &&
            const_of(fv_val(it->range[2]), &s))
            return fv_val(int_const(l, n, DT_i64, a + k * s));
        return fv_val(
            emit_index(l, n, OP_add, it->range[0], emit_index(l, n, OP_mul, i, it->range[2])));
    case I_tuple: return tuple_item(l, n, it, i);
    case I_array: return array_item(l, n, it->x, i);
    case I_enumerate: {
        ir_value *in[2] = {i, lower_as_val(l, it->x, n->at)};
        bool plain = const_of(it->x, &k) && !k;
        return pair(l, fv_val(plain ? i : emit(l, n, OP_add, ir_any(), 2, in)),
                    item(l, n, &it->of[0], i));
    }
    case I_reversed: {
        ir_value *last = emit_index(l, n, OP_sub, it->length, int_const(l, n, DT_i64, 1));
        if (const_of(fv_val(it->length), &a) && const_of(fv_val(i), &k))
            return item(l, n, &it->of[0], int_const(l, n, DT_i64, a - 1 - k));
        return item(l, n, &it->of[0], emit_index(l, n, OP_sub, last, i));
    }
    default: {
        fv t = {.kind = FV_tuple, .n = it->nof, .elts = ARENA_ARRAY(l->mem, fv, it->nof + 1)};
        for (uint32_t p = 0; p < it->nof; p++)
            t.elts[p] = item(l, n, &it->of[p], i);
        return t;
    }
    }
}

/* Does it hold a tuple that has no run-time form? Then the loop is laid out at compile time. */
static bool is_static(const iter *it) {
    if (it->laid_out)
        return true;
    if (it->kind == I_tuple) {
        for (uint32_t i = 0; i < it->x.n; i++)
            if (it->x.elts[i].kind != FV_val || it->x.elts[i].v->type.kind == TY_tensor)
                return true;
        return it->x.n <= 64;
    }
    for (uint32_t i = 0; i < it->nof; i++)
        if (is_static(&it->of[i]))
            return true;
    return false;
}

/* Statements of a loop. */

static bool list_has(const ast_field *list, int kind) {
    for (uint32_t i = 0; list->kind == AF_list && i < list->n; i++)
        if (ast_has(list->list[i], kind, false))
            return true;
    return false;
}

/* One iteration, inside a scope of its own where there is a continue. */
static void loop_body(lower *l, const ast *n, int field, bool always_scope) {
    int64_t outer_label = l->fs->continue_label;
    const ast_field *body = &n->f[field];
    if (always_scope || list_has(body, AST_Continue)) {
        label x;
        ir_region *r = l->r;
        l->fs->continue_label = open_scope(l, n, &x)->attr[0].i;
        bool ended = lower_stmts(l, body->list, body->n);
        close_scope(l, n, &x, ended, r);
        lower_end(l, n, false);
    } else
        lower_body(l, n, field);
    l->fs->continue_label = outer_label;
}

/* At the end of a round: a binding from before the loop that was read in it must be the same when
   the next round reads it. */
static void check_round(lower *l, const ast *n, const flow *entry, uint32_t reads) {
    if (l->flow.dead || l->st != OK)
        return;
    for (uint32_t i = 0; i < entry->n && i < l->flow.n; i++) {
        uint32_t a = entry->at[i], b = l->flow.at[i];
        bool was = a == FLOW_CELL ? b != FLOW_CELL : a > FLOW_CELL && a != FLOW_MIXED && a != b;
        if (!was || (a > FLOW_CELL && l->bindings.p[a].read <= reads))
            continue;
        fail_round(l, n, i, a, b);
        return;
    }
}

static void runtime_loop(lower *l, const ast *n, iter *it) {
    ir_op *op = ir_op_new(l->f, OP_for, ir_site(l->f, n->at), 3, 0, 1);
    const ast *target = n->f[For_target].node;
    bool range = it->kind == I_range;
    op->in[0] = range ? it->range[0] : int_const(l, n, DT_i64, 0);
    op->in[1] = range ? it->range[1] : it->length;
    op->in[2] = range ? it->range[2] : int_const(l, n, DT_i64, 1);
    ir_value *i = ir_region_arg(l->f, op->reg[0], ir_val(DT_i64, 1),
                                range && target->kind == AST_Name ? target->f[Name_id].s : NULL);
    ir_append(l->r, op);
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    uint32_t reads = l->reads;
    int64_t rounds;
    l->r = op->reg[0];
    lower_assign(l, target, range ? fv_val(i) : item(l, n, it, i));
    loop_body(l, n, For_body, false);
    check_round(l, n, &before, reads);
    if (!const_of(fv_val(it->length), &rounds) || rounds < 1 || l->flow.dead)
        flow_meet(l, &before, &l->flow), l->flow = before;
    l->r = outer;
}

/* The body once for each element. */
static void static_loop(lower *l, const ast *n, iter *it) {
    int64_t count = 0;
    if (!const_of(fv_val(it->length), &count) || count > 4096) {
        fail(l, n->f[For_iter].node, "loop over range() with subscripts",
             "a tuple here runs beside something whose length is known only when the kernel runs");
        return;
    }
    for (int64_t i = 0; i < count && l->st == OK; i++) {
        lower_assign(l, n->f[For_target].node, item(l, n, it, int_const(l, n, DT_i64, i)));
        label x;
        ir_region *r = l->r;
        int64_t outer_label = l->fs->continue_label;
        l->fs->continue_label = open_scope(l, n, &x)->attr[0].i;
        bool ended = lower_stmts(l, n->f[For_body].list, n->f[For_body].n);
        close_scope(l, n, &x, ended, r);
        l->fs->continue_label = outer_label;
    }
}

static void for_loop(lower *l, const ast *n) {
    iter it;
    if (!make_iter(l, n->f[For_iter].node, &it))
        return;
    if (it.kind != I_range && is_static(&it))
        static_loop(l, n, &it);
    else
        runtime_loop(l, n, &it);
}

/* What is counted in the rounds of a with: a cell, and the name that it has in them. */
static void count_round(lower *l, const ast *n, ir_value *cell) {
    const ast_field *name = &n->f[With_items].list[0]->f[withitem_optional_vars];
    ir_value *at = emit(l, n, OP_get, ir_any(), 1, &cell);
    cell_set(l, n, cell, emit_index(l, n, OP_add, at, int_const(l, n, DT_i64, 1)));
    if (name->kind == AF_node)
        lower_assign(l, name->node, fv_val(at));
}

/* Of while; or of `with mm.iterate() as count`, which runs as long as there is another block. */
static void while_loop(lower *l, const ast *n) {
    label exit;
    ir_region *outer = l->r;
    bool rounds = n->kind == AST_With;
    ir_value *count = NULL;
    if (rounds) {
        count = cell_new(l, "count", n->at);
        cell_set(l, n, count, int_const(l, n, DT_i64, 0));
    }
    open_scope(l, n, &exit);
    ir_region *in_exit = l->r;
    ir_op *op = ir_op_new(l->f, OP_loop, ir_site(l->f, n->at), 0, 0, 1);
    ir_append(l->r, op);
    l->r = op->reg[0];
    flow before = flow_copy(l);
    uint32_t reads = l->reads;
    ir_value *cond = lower_cond(l, rounds ? n->f[With_items].list[0]->f[withitem_context_expr].node
                                          : n->f[While_test].node);
    int64_t always;
    if (l->st == OK && !(const_of(fv_val(cond), &always) && always)) {
        ir_op *test = open_if(l, n, cond);
        ir_region *body = l->r;
        empty_region(l, n, test->reg[0]);
        l->r = test->reg[1];
        flow here = flow_copy(l);
        emit_leave(l, n, exit.id);
        l->flow = here;
        l->r = body;
    }
    if (rounds && l->st == OK)
        count_round(l, n, count);
    if (rounds) /* break and continue in it are those of the loop around */
        lower_body(l, n, With_body);
    else
        loop_body(l, n, While_body, false);
    check_round(l, n, &before, reads);
    l->r = in_exit;
    flow_end(l); /* only the test leaves */
    lower_end(l, n, false);
    close_scope(l, n, &exit, true, outer);
}

void lower_rounds(lower *l, const ast *n) {
    l->fs->loops++;
    while_loop(l, n);
    l->fs->loops--;
}

/* break goes to a scope around loop and else; the normal end of the loop runs the else. */
bool lower_loop(lower *l, const ast *n) {
    int field = n->kind == AST_For ? For_body : While_body,
        other = n->kind == AST_For ? For_orelse : While_orelse;
    bool breaks = list_has(&n->f[field], AST_Break),
         orelse = n->f[other].kind == AF_list && n->f[other].n;
    int64_t outer_label = l->fs->break_label;
    uint32_t outer_cleanups = l->fs->loop_cleanups;
    ir_region *outer = l->r;
    label x;
    l->fs->loop_cleanups = l->cleanups.n;
    l->fs->loops++;
    if (breaks)
        l->fs->break_label = open_scope(l, n, &x)->attr[0].i;
    ir_region *inner = l->r;
    if (n->kind == AST_For)
        for_loop(l, n);
    else
        while_loop(l, n);
    l->r = inner;
    l->fs->loops--;
    l->fs->break_label = outer_label;
    l->fs->loop_cleanups = outer_cleanups;
    bool ended = orelse && l->st == OK && lower_stmts(l, n->f[other].list, n->f[other].n);
    if (breaks)
        close_scope(l, n, &x, ended, outer);
    return !breaks && ended;
}

/* Comprehensions over what is known at compile time. */

typedef struct {
    VEC(fv) out;
    const ast *elt;
} comp;

/* The names of a comprehension are bound, not assigned: constants stay constants. */
static void comp_target(lower *l, const ast *t, fv x) {
    if (l->st != OK)
        return;
    if (t->kind == AST_Name) {
        var *v = var_find(l, t->f[Name_id].s);
        flow_put(l, v, var_bind(l, v, x));
    } else if (t->kind == AST_Tuple && x.kind == FV_tuple && x.n == t->f[Tuple_elts].n)
        for (uint32_t i = 0; i < x.n; i++)
            comp_target(l, t->f[Tuple_elts].list[i], x.elts[i]);
    else
        fail(l, t, "unpack as many names as the elements have", "this cannot be unpacked here");
}

static void comp_level(lower *l, const ast *n, comp *c, uint32_t level) {
    const ast_field *gens = &n->f[ListComp_generators];
    if (level == gens->n) {
        fv x = lower_expr(l, c->elt);
        if (l->st == OK)
            vec_push(l->mem, &c->out, x);
        return;
    }
    const ast *g = gens->list[level];
    iter it;
    int64_t count, yes;
    if (!make_iter(l, g->f[comprehension_iter].node, &it))
        return;
    if (!const_of(fv_val(it.length), &count) || count > 1024) {
        fail(l, g->f[comprehension_iter].node,
             "write a loop, with pyasc.local(n) for what it makes",
             "a comprehension in a kernel runs over a length known at compile time, at most 1024");
        return;
    }
    for (int64_t i = 0; i < count && l->st == OK; i++) {
        comp_target(l, g->f[comprehension_target].node,
                    item(l, n, &it, int_const(l, n, DT_i64, i)));
        bool taken = true;
        const ast_field *ifs = &g->f[comprehension_ifs];
        for (uint32_t k = 0; ifs->kind == AF_list && k < ifs->n && taken && l->st == OK; k++) {
            if (!const_of(fv_val(lower_cond(l, ifs->list[k])), &yes))
                fail(l, ifs->list[k], "use x if c else y for the element",
                     "the if of a comprehension must be known at compile time");
            taken = yes != 0;
        }
        if (taken)
            comp_level(l, n, c, level + 1);
    }
}

static void comp_names(lower *l, const ast *t) {
    if (t->kind == AST_Name)
        var_new(l, l->fs, t->f[Name_id].s)->count = 2;
    for (uint32_t k = 0; t->kind == AST_Tuple && k < t->f[Tuple_elts].n; k++)
        comp_names(l, t->f[Tuple_elts].list[k]);
}

fv lower_comprehension(lower *l, const ast *n) {
    comp c = {.elt = n->f[ListComp_elt].node};
    var *outer = l->fs->vars; /* its targets are its own */
    for (uint32_t i = 0; i < n->f[ListComp_generators].n; i++) {
        const ast *t = n->f[ListComp_generators].list[i]->f[comprehension_target].node;
        comp_names(l, t);
    }
    /* elements of a round are values, so they do not change with the next: numbers are read now */
    comp_level(l, n, &c, 0);
    l->fs->vars = outer;
    return (fv){.kind = FV_tuple, .list = true, .n = c.out.n, .elts = c.out.p};
}
