/* Control flow in the lanes pass. What structured ops give goes through cells (LLVM makes SSA of
   them); where only a part of the lanes reaches a yield, their values are merged under the mask. A
   divergent leave marks its lanes gone until the end of the scope that it leaves to. */
#include "ana/low.h"
#include "pass/lanes.h"

static ir_value *get(lanes *s, ir_value *cell) {
    return lanes_emit(s, OP_get, ir_val((dtype)cell->type.dt, cell->type.lanes), 1, &cell);
}

static void set(lanes *s, ir_value *cell, ir_value *v) {
    ir_op *op = ir_op_new(s->f, OP_set, s->site, 2, 0, 0);
    op->in[0] = cell;
    op->in[1] = v;
    ir_append(s->r, op);
}

static ir_value *invert(lanes *s, ir_value *v) { return lanes_emit(s, OP_inv, v->type, 1, &v); }

static ir_value *bools(lanes *s, bool value) {
    ir_value *v = ir_iconst(s->f, s->r, s->site, DT_bool, value);
    return lanes_emit(s, OP_splat, ir_val(DT_bool, (unsigned)s->width), 1, &v);
}

static void finish(lanes *s, ir_region *r) {
    if (!r->last || (r->last->code != OP_yield && r->last->code != OP_leave))
        ir_append(r, ir_op_new(s->f, OP_yield, s->site, 0, 0, 0));
}

static void emit_leave(lanes *s, int64_t label) {
    ir_op *op = ir_op_new(s->f, OP_leave, s->site, 0, 0, 0);
    op->attr[0].i = label;
    ir_append(s->r, op);
}

static ir_op *open(lanes *s, int code, unsigned nin, unsigned nreg) {
    ir_op *op = ir_op_new(s->f, code, s->site, nin, 0, nreg);
    ir_append(s->r, op);
    return op;
}

/* Leaves to `label` when no lane of m is left. */
static void leave_when_none(lanes *s, ir_value *m, int64_t label) {
    ir_value *any = lanes_emit(s, OP_any, ir_val(DT_bool, 1), 1, &m);
    ir_op *test = open(s, OP_if, 1, 2);
    test->in[0] = any;
    ir_region *outer = s->r;
    finish(s, test->reg[0]);
    s->r = test->reg[1];
    emit_leave(s, label);
    s->r = outer;
}

/* Cells for the results of op; for loops they also carry. */
static lane_sink make_sink(lanes *s, const ir_op *op) {
    lane_sink k = {.op = op, .entry_mask = s->mask};
    k.cells = ARENA_ARRAY(s->f->mem, ir_value *, op->nout + 1);
    k.vector = ARENA_ARRAY(s->f->mem, bool, op->nout + 1);
    bool carries = op->code == OP_for || op->code == OP_loop;
    int first = op->code == OP_for ? 3 : 0;
    for (int i = 0; i < op->nout; i++) {
        k.vector[i] = s->width > 1 && s->u.varying[op->out[i]->id];
        ir_type t = ir_val((dtype)op->out[i]->type.dt, k.vector[i] ? (unsigned)s->width : 1);
        ir_value *init = !carries      ? NULL
                         : k.vector[i] ? lanes_vector(s, op->in[first + i])
                                       : lanes_uniform(s, op->in[first + i]);
        k.cells[i] = lanes_cell(s, t, init);
        k.cells[i]->name = op->out[i]->name;
    }
    return k;
}

static void results(lanes *s, const lane_sink *k) {
    for (int i = 0; i < k->op->nout; i++)
        lanes_define(s, k->op->out[i], k->vector[i] ? LV_vector : LV_uniform, get(s, k->cells[i]),
                     0);
}

static void put(lanes *s, const lane_sink *k, const ir_op *from) {
    ir_value **v = ARENA_ARRAY(s->f->mem, ir_value *, from->nin + 1);
    for (int i = 0; i < from->nin; i++)
        v[i] = k->vector[i] ? lanes_vector(s, from->in[i]) : lanes_uniform(s, from->in[i]);
    for (int i = 0; i < from->nin; i++) {
        if (k->vector[i] && s->mask != k->entry_mask) {
            ir_value *in[3] = {s->mask, v[i], get(s, k->cells[i])};
            v[i] = lanes_emit(s, OP_select, v[i]->type, 3, in);
        }
        set(s, k->cells[i], v[i]);
    }
}

static void body(lanes *s, lane_sink *k, const ir_region *old, ir_region *into) {
    ir_region *outer = s->r;
    if (s->nsinks < 256)
        s->sinks[s->nsinks++] = k;
    s->r = into;
    lanes_region(s, old->first);
    finish(s, into);
    s->nsinks--;
    s->r = outer;
}

static bool empty(const ir_region *r) {
    return r->first && r->first == r->last && r->first->code == OP_yield && !r->first->nin;
}

/* So short that to skip it where no lane wants it costs more than to run it. */
static bool is_light(const ir_region *r) {
    enum { LIGHT = 6 };
    int n = 0;
    for (const ir_op *op = r->first; op; op = op->next) {
        bool light = op->code == OP_load || op->code == OP_yield || op->code == OP_iconst ||
                     op->code == OP_fconst || op->code == OP_add || op->code == OP_sub ||
                     op->code == OP_mul || op->code == OP_max || op->code == OP_min ||
                     op->code == OP_select || op->code == OP_cast || op->code == OP_dim;
        if (!light || ++n > LIGHT)
            return false;
    }
    return true;
}

static void light_arm(lanes *s, lane_sink *k, const ir_region *r) {
    if (s->nsinks < 256)
        s->sinks[s->nsinks++] = k;
    lanes_region(s, r->first);
    s->nsinks--;
}

static void divergent_if(lanes *s, ir_op *op) {
    ir_value *c = lanes_vector(s, op->in[0]), *outer = s->mask;
    lane_sink k = make_sink(s, op);
    ir_value *m[2] = {lanes_and(s, outer, c), NULL};
    m[1] = empty(op->reg[1]) ? NULL : lanes_and(s, outer, invert(s, c));
    for (int i = 0; i < 2; i++) {
        if (!m[i])
            continue;
        s->mask = m[i];
        if (op->nout && is_light(op->reg[i])) {
            light_arm(s, &k, op->reg[i]);
            continue;
        }
        ir_op *n = open(s, OP_if, 1, 2);
        ir_op *any = ir_op_new(s->f, OP_any, s->site, 1, 1, 0);
        any->in[0] = m[i];
        any->out[0]->type = ir_val(DT_bool, 1);
        ir_before(n, any);
        n->in[0] = any->out[0];
        body(s, &k, op->reg[i], n->reg[0]);
        finish(s, n->reg[1]);
    }
    s->mask = outer;
    results(s, &k);
}

static bool ends_early(const ir_op *op) {
    for (int i = 0; i < op->nreg; i++)
        if (op->reg[i]->last && op->reg[i]->last->code == OP_leave)
            return true;
    return false;
}

/* The arms of an if whose condition is known for each lane; false: an arm may be for none. */
static bool settled_if(lanes *s, ir_op *op) {
    uint64_t which, all = s->some;
    if (!lanes_which(s, op->in[0], &which) || ana_may_leave(op, &s->u) || ends_early(op))
        return false;
    uint64_t run[2] = {which & s->some, ~which & s->some};
    if (run[0] && run[1] && s->mask != s->sure)
        return false;
    ir_value *outer = s->mask, *c = run[0] && run[1] ? lanes_vector(s, op->in[0]) : NULL;
    lane_sink k = make_sink(s, op);
    for (int i = 0; i < 2; i++) {
        if (!run[i])
            continue;
        s->some = run[i];
        if (c)
            s->mask = s->sure = lanes_and(s, outer, i ? invert(s, c) : c);
        light_arm(s, &k, op->reg[i]);
        s->mask = outer;
        s->sure = c ? outer : s->sure;
    }
    s->some = all;
    results(s, &k);
    return true;
}

static void uniform_if(lanes *s, ir_op *op) {
    lane_sink k = make_sink(s, op);
    int known = lanes_known(s, op);
    ir_value *c =
        known >= 0 ? ir_iconst(s->f, s->r, s->site, DT_bool, known) : lanes_uniform(s, op->in[0]);
    ir_op *n = open(s, OP_if, 1, 2);
    n->in[0] = c;
    for (int i = 0; i < 2; i++)
        body(s, &k, op->reg[i], n->reg[i]);
    results(s, &k);
}

static void load_carried(lanes *s, const lane_sink *k, int first) {
    for (int i = 0; i < k->op->nout; i++)
        lanes_define(s, k->op->reg[0]->args[first + i], k->vector[i] ? LV_vector : LV_uniform,
                     get(s, k->cells[i]), 0);
}

/* The loop body under the lanes that are still in it. */
static void iteration(lanes *s, lane_sink *k, ir_region *into, int first, int64_t exit,
                      ir_value *running) {
    ir_region *outer = s->r;
    ir_value *outer_mask = s->mask;
    s->r = into;
    if (exit) {
        ir_value *m = lanes_and(s, lanes_and(s, outer_mask, running), invert(s, get(s, s->gone)));
        leave_when_none(s, m, exit);
        s->mask = m;
    }
    load_carried(s, k, first);
    body(s, k, k->op->reg[0], into);
    s->mask = outer_mask;
    s->r = outer;
}

static ir_op *open_exit(lanes *s) {
    ir_op *scope = open(s, OP_scope, 0, 1);
    scope->attr[0].i = ++s->f->nlabels;
    s->r = scope->reg[0];
    return scope;
}

static void counted(lanes *s, ir_op *op) {
    bool part = s->width > 1 && ana_may_leave(op, &s->u);
    lane_sink k = make_sink(s, op);
    ir_value *in[3];
    for (int i = 0; i < 3; i++)
        in[i] = lanes_uniform(s, op->in[i]);
    ir_region *outer = s->r;
    ir_op *exit = part ? open_exit(s) : NULL, *n = open(s, OP_for, 3, 1);
    for (int i = 0; i < 3; i++)
        n->in[i] = in[i];
    ir_value *arg = ir_region_arg(s->f, n->reg[0], ir_val(DT_i64, 1), op->reg[0]->args[0]->name);
    lanes_define(s, op->reg[0]->args[0], LV_uniform, arg, 0);
    iteration(s, &k, n->reg[0], 1, exit ? exit->attr[0].i : 0, NULL);
    if (exit)
        finish(s, s->r);
    s->r = outer;
    results(s, &k);
}

static void endless(lanes *s, ir_op *op) {
    bool part = s->width > 1 && ana_may_leave(op, &s->u);
    lane_sink k = make_sink(s, op);
    ir_region *outer = s->r;
    ir_op *exit = part ? open_exit(s) : NULL, *n = open(s, OP_loop, 0, 1);
    iteration(s, &k, n->reg[0], 0, exit ? exit->attr[0].i : 0, NULL);
    if (exit)
        finish(s, s->r);
    s->r = outer;
    results(s, &k);
}

/* for with bounds that differ: each lane counts for itself, until none is left. */
static void divergent_for(lanes *s, ir_op *op) {
    lane_sink k = make_sink(s, op);
    ir_type t = ir_val(DT_i64, (unsigned)s->width);
    ir_value *hi = lanes_vector(s, op->in[1]), *step = lanes_vector(s, op->in[2]);
    ir_value *icell = lanes_cell(s, t, lanes_vector(s, op->in[0])), *zero = lanes_i64(s, 0);
    ir_region *outer = s->r;
    ir_op *exit = open_exit(s), *n = open(s, OP_loop, 0, 1);
    s->r = n->reg[0];
    ir_value *i = get(s, icell), *up[2] = {step, lanes_emit(s, OP_splat, t, 1, &zero)},
             *cmp[2] = {i, hi};
    ir_type b = ir_val(DT_bool, (unsigned)s->width);
    ir_value *pick[3] = {lanes_emit(s, OP_gt, b, 2, up), lanes_emit(s, OP_lt, b, 2, cmp),
                         lanes_emit(s, OP_gt, b, 2, cmp)};
    ir_value *running = lanes_emit(s, OP_select, b, 3, pick), *add[2] = {i, step};
    set(s, icell, lanes_emit(s, OP_add, t, 2, add));
    lanes_define(s, op->reg[0]->args[0], LV_vector, i, 0);
    s->r = exit->reg[0];
    iteration(s, &k, n->reg[0], 1, exit->attr[0].i, running);
    finish(s, exit->reg[0]);
    s->r = outer;
    results(s, &k);
}

/* Rounds in which all lanes run: the last of them is below hi. */
static void whole_rounds(lanes *s, lane_sink *k, ir_value *cell, ir_value *hi, ir_value *step,
                         int64_t stride) {
    ir_region *outer = s->r;
    ir_type t = ir_val(DT_i64, 1);
    ir_value *in[2] = {hi, lanes_i64(s, (s->width - 1) * stride)}, *base = get(s, cell);
    ir_value *end = lanes_emit(s, OP_sub, t, 2, in);
    ir_op *n = open(s, OP_for, 3, 1);
    n->in[0] = base;
    n->in[1] = end;
    n->in[2] = step;
    ir_value *i = ir_region_arg(s->f, n->reg[0], t, k->op->reg[0]->args[0]->name);
    s->r = n->reg[0];
    ir_value *next[2] = {i, step};
    set(s, cell, lanes_emit(s, OP_add, t, 2, next));
    lanes_define(s, k->op->reg[0]->args[0], LV_affine, i, stride);
    iteration(s, k, n->reg[0], 1, 0, NULL);
    s->r = outer;
}

/* for from an affine start to a common end in common steps up: the counter stays affine. */
static void strided_for(lanes *s, ir_op *op, lane_value lo) {
    enum { SHORT = 60 }; /* ops of a loop that is written twice */
    lane_sink k = make_sink(s, op);
    ir_value *hi = lanes_uniform(s, op->in[1]), *step = lanes_uniform(s, op->in[2]);
    ir_type t = ir_val(DT_i64, 1);
    ir_value *cell = lanes_cell(s, t, lo.v);
    if (ir_count(op->reg[0]) <= SHORT && !ana_may_leave(op, &s->u))
        whole_rounds(s, &k, cell, hi, step, lo.stride);
    ir_region *outer = s->r;
    ir_op *exit = open_exit(s), *n = open(s, OP_loop, 0, 1);
    s->r = n->reg[0];
    ir_value *i = get(s, cell), *next[2] = {i, step};
    set(s, cell, lanes_emit(s, OP_add, t, 2, next));
    lanes_define(s, op->reg[0]->args[0], LV_affine, i, lo.stride);
    ir_type many = ir_val(DT_i64, (unsigned)s->width);
    ir_value *cmp[2] = {lanes_vector(s, op->reg[0]->args[0]),
                        lanes_emit(s, OP_splat, many, 1, &hi)};
    ir_value *running = lanes_emit(s, OP_lt, ir_val(DT_bool, (unsigned)s->width), 2, cmp);
    s->r = exit->reg[0];
    iteration(s, &k, n->reg[0], 1, exit->attr[0].i, running);
    finish(s, exit->reg[0]);
    s->r = outer;
    results(s, &k);
}

static void scope(lanes *s, ir_op *op) {
    bool divergent = s->width > 1 && s->u.divergent[op->attr[0].i];
    lane_sink k = make_sink(s, op);
    if (!divergent) {
        ir_op *n = open(s, OP_scope, 0, 1);
        n->attr[0].i = k.label = ++s->f->nlabels;
        body(s, &k, op->reg[0], n->reg[0]);
        results(s, &k);
        return;
    }
    k.left = lanes_cell(s, ir_val(DT_bool, (unsigned)s->width), bools(s, false));
    /* a region of its own for the ops, so that a leave ends it */
    ir_op *n = open(s, OP_scope, 0, 1);
    n->attr[0].i = k.label = ++s->f->nlabels;
    body(s, &k, op->reg[0], n->reg[0]);
    set(s, s->gone, lanes_and(s, get(s, s->gone), invert(s, get(s, k.left))));
    results(s, &k);
}

void lanes_structure(lanes *s, ir_op *op) {
    bool varying = s->width > 1;
    switch (op->code) {
    case OP_if:
        if (settled_if(s, op))
            return;
        if (varying && lanes_known(s, op) < 0 && s->u.varying[op->in[0]->id])
            divergent_if(s, op);
        else
            uniform_if(s, op);
        return;
    case OP_for:
        if (varying && (s->u.varying[op->in[0]->id] || s->u.varying[op->in[1]->id] ||
                        s->u.varying[op->in[2]->id])) {
            lane_value lo = lanes_of(s, op->in[0]);
            if (lo.kind == LV_affine && lo.stride > 0 && !s->u.varying[op->in[1]->id] &&
                !s->u.varying[op->in[2]->id] && ana_low(op->in[2], NULL) > 0)
                strided_for(s, op, lo);
            else
                divergent_for(s, op);
        } else
            counted(s, op);
        return;
    case OP_loop: endless(s, op); return;
    default: scope(s, op); return;
    }
}

void lanes_end(lanes *s, const ir_op *op) {
    if (op->code == OP_yield) {
        if (s->nsinks)
            put(s, s->sinks[s->nsinks - 1], op);
        return;
    }
    lane_sink *k = NULL;
    for (int i = s->nsinks - 1; i >= 0 && !k; i--)
        if (s->sinks[i]->op->code == OP_scope && s->sinks[i]->op->attr[0].i == op->attr[0].i)
            k = s->sinks[i];
    if (!k)
        return;
    put(s, k, op);
    if (!k->left) {
        emit_leave(s, k->label);
        return;
    }
    ir_value *cells[2] = {k->left, s->gone};
    for (int i = 0; i < 2; i++) {
        ir_value *in[2] = {get(s, cells[i]), lanes_mask(s)};
        set(s, cells[i], lanes_emit(s, OP_or, in[0]->type, 2, in));
    }
}
