/* What each variable holds at the point that is being lowered, and the scopes that control leaves
   to. Where ways meet, a variable is what it is on all of them: unset on one is perhaps unset, two
   different bindings are mixed. */
#include "front/lower.h"
#include <string.h>

flow flow_copy(lower *l) {
    flow c = {.n = l->flow.n, .cap = l->flow.n, .dead = l->flow.dead};
    c.at = ARENA_ARRAY(l->mem, uint32_t, c.n + 1);
    if (c.n)
        memcpy(c.at, l->flow.at, c.n * sizeof *c.at);
    return c;
}

static uint32_t meet(lower *l, uint32_t id, uint32_t a, uint32_t b) {
    if (a == b)
        return a;
    if (a == FLOW_UNSET || b == FLOW_UNSET)
        return FLOW_UNSET;
    mix m = {id, a, b};
    if (a != FLOW_MIXED && b != FLOW_MIXED)
        vec_push(l->mem, &l->mixes, m);
    return FLOW_MIXED;
}

void flow_meet(lower *l, flow *into, const flow *from) {
    if (from->dead)
        return;
    uint32_t n = into->dead || into->n > from->n ? from->n : into->n;
    if (into->cap < n || (into->dead && !into->at)) {
        into->at = ARENA_ARRAY(l->mem, uint32_t, n + 1);
        into->cap = n;
    }
    for (uint32_t i = 0; i < n; i++)
        into->at[i] = into->dead ? from->at[i] : meet(l, i, into->at[i], from->at[i]);
    into->n = n;
    into->dead = false;
}

void flow_end(lower *l) { l->flow.dead = true; }

uint32_t flow_of(const lower *l, const var *v) {
    return v->id < l->flow.n ? l->flow.at[v->id] : FLOW_UNSET;
}

void flow_put(lower *l, const var *v, uint32_t state) {
    flow *f = &l->flow;
    if (v->id >= f->cap) {
        uint32_t cap = 2 * (v->id + 8), *at = ARENA_ARRAY(l->mem, uint32_t, cap);
        if (f->n)
            memcpy(at, f->at, f->n * sizeof *at);
        f->at = at;
        f->cap = cap;
    }
    while (f->n <= v->id)
        f->at[f->n++] = FLOW_UNSET;
    f->at[v->id] = state;
}

ir_op *open_scope(lower *l, const ast *n, label *x) {
    ir_op *op = ir_op_new(l->f, OP_scope, ir_site(l->f, n->at), 0, 0, 1);
    op->attr[0].i = ++l->f->nlabels;
    *x = (label){.id = op->attr[0].i, .at_end = {.dead = true}, .outer = l->labels};
    l->labels = x;
    ir_append(l->r, op);
    l->r = op->reg[0];
    return op;
}

void close_scope(lower *l, const ast *n, label *x, bool ended, ir_region *outer) {
    lower_end(l, n, ended);
    if (!ended)
        flow_meet(l, &x->at_end, &l->flow);
    l->flow = x->at_end;
    l->labels = x->outer;
    l->r = outer;
}

void emit_leave(lower *l, const ast *n, int64_t to) {
    ir_op *op = ir_op_new(l->f, OP_leave, ir_site(l->f, n->at), 0, 0, 0);
    op->attr[0].i = to;
    ir_append(l->r, op);
    for (label *x = l->labels; x; x = x->outer)
        if (x->id == to)
            flow_meet(l, &x->at_end, &l->flow);
    flow_end(l);
}

ir_op *open_if(lower *l, const ast *n, ir_value *cond) {
    ir_op *op = ir_op_new(l->f, OP_if, ir_site(l->f, n->at), 1, 0, 2);
    op->in[0] = cond;
    ir_append(l->r, op);
    return op;
}

void empty_region(lower *l, const ast *n, ir_region *r) {
    ir_append(r, ir_op_new(l->f, OP_yield, ir_site(l->f, n->at), 0, 0, 0));
}

void lower_end(lower *l, const ast *n, bool ended) {
    if (!ended)
        empty_region(l, n, l->r);
}
