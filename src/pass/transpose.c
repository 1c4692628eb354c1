/* Two loops that copy along the rows of one tensor and the columns of another touch a line of
   memory for each element. Here they go in squares of as many rows as a vector has lanes, turned
   over in registers, so that both sides are read and written in whole vectors. */
#include "pass/spread.h"
#include <string.h>

typedef struct {
    ir_func *f;
    ir_region *r;
    const ir_op *outer, *inner, *load, *store;
    int lanes;
} turned;

static ir_value *emit(turned *t, int code, ir_type type, unsigned n, ir_value *const *in) {
    return ir_emit(t->f, t->r, t->outer->site, code, type, n, in);
}
static ir_value *two(turned *t, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return emit(t, code, a->type, 2, in);
}
static ir_value *number(turned *t, int64_t v) {
    return ir_iconst(t->f, t->r, t->outer->site, DT_i64, v);
}
static ir_value *splat(turned *t, ir_value *v) {
    return emit(t, OP_splat, ir_val((dtype)v->type.dt, (unsigned)t->lanes), 1, &v);
}

/* The two counters subscript op once each, and nothing else of the loops does. */
static bool once_each(const ir_op *op, const ir_value *const *counter, const ir_op *outer) {
    int seen[2] = {0, 0};
    for (int i = ir_subscripts(op); i < op->nin; i++) {
        int k = op->in[i] == counter[0] ? 0 : op->in[i] == counter[1] ? 1 : -1;
        if (k >= 0)
            seen[k]++;
        else if (ir_inside(op->in[i], outer->reg[0]))
            return false;
    }
    return seen[0] == 1 && seen[1] == 1;
}

/* v is known before op, or may be: then it is made there. */
static bool hoist(ir_op *op, const ir_value *v) {
    ir_op *def = v->def;
    if (!ir_inside(v, op->reg[0]))
        return true;
    if (!def || def->nreg || ir_ops[def->code].effect != EFF_PURE)
        return false;
    for (int i = 0; i < def->nin; i++)
        if (!hoist(op, def->in[i]))
            return false;
    ir_remove(def);
    ir_before(op, def);
    return true;
}

/* outer and inner: for p: for q: store[.., p, .., q] = load[.., q, .., p], in any order of the
 * loops. */
static bool find(turned *t, ir_op *outer, int width_bytes) {
    const ir_op *inner = NULL;
    for (const ir_op *op = outer->reg[0]->first; op; op = op->next) {
        if (op->code == OP_for && !inner)
            inner = op;
        else if (op->nreg || (op->code != OP_yield && ir_ops[op->code].effect != EFF_PURE))
            return false;
    }
    t->outer = outer;
    t->inner = inner;
    if (!inner || inner->nout || outer->nout)
        return false;
    for (const ir_op *op = inner->reg[0]->first; op; op = op->next) {
        const ir_op **at = op->code == OP_load ? &t->load : op->code == OP_store ? &t->store : NULL;
        if (at && *at)
            return false;
        if (at)
            *at = op;
        else if (op->code != OP_yield)
            return false;
    }
    if (!t->load || !t->store || t->store->in[1] != t->load->out[0])
        return false;
    int bytes = dtype_table[t->load->in[0]->type.dt].bytes;
    t->lanes = bytes >= 4 ? width_bytes / bytes : 0;
    return hoist(outer, inner->in[0]) && hoist(outer, inner->in[1]) && t->lanes >= 4 &&
           t->load->in[0]->type.contig == IR_UNIT && t->store->in[0]->type.contig == IR_UNIT &&
           t->load->in[0] != t->store->in[0];
}

/* op's subscripts for the square's origin, or with row r of it. */
static ir_op *access(turned *t, int code, const ir_op *op, unsigned head,
                     const ir_value *const *old, ir_value *const *now) {
    int from = ir_subscripts(op), n = op->nin - from;
    ir_op *x = ir_op_new(t->f, code, op->site, head + (unsigned)n, code == OP_vload, 0);
    x->in[0] = op->in[0];
    for (int i = 0; i < n; i++) {
        ir_value *v = op->in[from + i];
        x->in[head + (unsigned)i] = v == old[0] ? now[0] : v == old[1] ? now[1] : v;
    }
    x->attr[0] = op->attr[0];
    return x;
}

/* iota < n - at */
static ir_value *below(turned *t, ir_value *n, ir_value *at) {
    ir_value *in[2] = {emit(t, OP_iota, ir_val(DT_i64, (unsigned)t->lanes), 0, NULL),
                       splat(t, two(t, OP_sub, n, at))};
    return emit(t, OP_lt, ir_val(DT_bool, (unsigned)t->lanes), 2, in);
}

/* One square: p is along the load's rows, q along the store's. */
static void square(turned *t, const ir_value *const *old, ir_value *p, ir_value *q, ir_value *p_end,
                   ir_value *q_end) {
    unsigned n = (unsigned)t->lanes;
    ir_type vt = ir_val((dtype)t->load->in[0]->type.dt, n);
    ir_value *in_p = below(t, p_end, p), *in_q = below(t, q_end, q);
    ir_op *turn = ir_op_new(t->f, OP_transpose, t->outer->site, n, n, 0);
    for (unsigned r = 0; r < n; r++) {
        ir_value *row = two(t, OP_add, q, number(t, r)), *cmp[2] = {row, q_end};
        ir_value *there = splat(t, emit(t, OP_lt, ir_val(DT_bool, 1), 2, cmp));
        ir_value *mask = two(t, OP_and, in_p, there), *now[2] = {p, row};
        ir_op *x = access(t, OP_vload, t->load, 2, old, now);
        x->in[1] = mask;
        x->out[0]->type = vt;
        ir_append(t->r, x);
        turn->in[r] = x->out[0];
        turn->out[r]->type = vt;
    }
    ir_append(t->r, turn);
    for (unsigned r = 0; r < n; r++) {
        ir_value *row = two(t, OP_add, p, number(t, r)), *cmp[2] = {row, p_end};
        ir_value *there = splat(t, emit(t, OP_lt, ir_val(DT_bool, 1), 2, cmp));
        ir_value *mask = two(t, OP_and, in_q, there), *now[2] = {row, q};
        ir_op *x = access(t, OP_vstore, t->store, 3, old, now);
        x->in[1] = turn->out[r];
        x->in[2] = mask;
        ir_append(t->r, x);
    }
}

static ir_value *open(turned *t, ir_value *lo, ir_value *hi, int64_t step, const char *name) {
    ir_value *k = number(t, step);
    ir_op *loop = ir_op_new(t->f, OP_for, t->outer->site, 3, 0, 1);
    loop->in[0] = lo;
    loop->in[1] = hi;
    loop->in[2] = k;
    ir_append(t->r, loop);
    t->r = loop->reg[0];
    return ir_region_arg(t->f, t->r, ir_val(DT_i64, 1), name);
}
static void close(turned *t) {
    ir_append(t->r, ir_op_new(t->f, OP_yield, t->outer->site, 0, 0, 0));
    t->r = t->r->owner->parent;
}

bool spread_transpose(ir_func *f, ir_op *outer, int width_bytes) {
    turned t = {.f = f};
    if (!find(&t, outer, width_bytes))
        return false;
    const ir_value *counter[2] = {outer->reg[0]->args[0], t.inner->reg[0]->args[0]};
    const ir_op *loops[2] = {outer, t.inner};
    int p = t.load->in[t.load->nin - 1] == counter[0] ? 0 : 1, q = !p;
    if (t.load->in[t.load->nin - 1] != counter[p] || t.store->in[t.store->nin - 1] != counter[q] ||
        !once_each(t.load, counter, outer) || !once_each(t.store, counter, outer))
        return false;
    int64_t plain = ((int64_t)1 << (t.load->nin - 1)) - 1;
    if ((t.load->attr[0].i & plain) != plain || (t.store->attr[0].i & plain) != plain ||
        t.load->nin != t.store->nin - 1)
        return false;
    ir_region *home = ir_region_new(f, outer->parent->owner);
    t.r = home;
    const ir_value *old[2] = {counter[p], counter[q]};
    ir_value *p_lo = loops[p]->in[0], *p_hi = loops[p]->in[1], *q_lo = loops[q]->in[0],
             *q_hi = loops[q]->in[1];
    /* A piece for a thread: as many rows of the store as a vector has lanes. */
    ir_value *rows = two(&t, OP_max, two(&t, OP_sub, p_hi, p_lo), number(&t, 0));
    ir_value *n = two(&t, OP_add, rows, number(&t, t.lanes - 1));
    n = two(&t, OP_floordiv, n, number(&t, t.lanes));
    ir_op *all = ir_op_new(f, OP_parallel, outer->site, 1, 0, 1);
    all->in[0] = n;
    ir_append(t.r, all);
    t.r = all->reg[0];
    ir_value *first = ir_region_arg(f, t.r, ir_val(DT_i64, 1), "first"),
             *last = ir_region_arg(f, t.r, ir_val(DT_i64, 1), "end");
    ir_value *k = open(&t, first, last, 1, "rows");
    ir_value *at = two(&t, OP_add, p_lo, two(&t, OP_mul, k, number(&t, t.lanes)));
    ir_value *column = open(&t, q_lo, q_hi, t.lanes, "column");
    square(&t, old, at, column, p_hi, q_hi);
    for (int i = 0; i < 3; i++)
        close(&t);
    for (ir_op *op = home->first, *next; op; op = next) {
        next = op->next;
        ir_remove(op);
        ir_before(outer, op);
    }
    ir_remove(outer);
    return true;
}
