/* Finds the parts of a nest: from the outermost loop inwards, loops, conditions around what is
   summed, and the stores, as long as there is nothing else. */
#include "pass/contract_nest.h"

/* The first reason is the one told. */
bool nest_no(nest *n, const char *why) {
    if (!n->why)
        n->why = why;
    return false;
}

static bool link(nest *n, const ir_op *op) {
    if (n->nlink == (int)(sizeof n->link / sizeof *n->link))
        return false;
    n->link[n->nlink++] = op;
    return true;
}

bool nest_has(const nest *n, const ir_op *op) {
    for (int i = 0; i < n->nlink; i++)
        if (n->link[i] == op)
            return true;
    return false;
}

bool nest_loop(nest *n, ir_op *op) {
    contraction *c = n->c;
    if (c->nit == MAX_ITER)
        return nest_no(n, "more loops than are looked at");
    if (!ir_unit_step(op))
        return nest_no(n, "a loop has another step than 1");
    if (!link(n, op))
        return false;
    c->it[c->nit++] = (iterator){op->reg[0]->args[0], -1, op->in[0], op->in[1]};
    return true;
}

static bool add_guard(nest *n, const ir_op *op, int arm, bool outer) {
    ana_guard parts[MAX_GUARD];
    int k = ana_conjuncts((ana_guard){op->in[0], !arm}, parts, MAX_GUARD);
    if (n->nguard + k > MAX_GUARD || !link(n, op))
        return false;
    for (int i = 0; i < k; i++)
        n->guard[n->nguard++] = (contract_guard){parts[i], 0, outer};
    return true;
}

/* Nothing but values: pure ops, loads, and choices between such. */
static bool is_value(const ir_op *op) {
    if (op->code == OP_yield || op->code == OP_load)
        return true;
    if (op->code != OP_if)
        return !op->nreg && ir_ops[op->code].effect == EFF_PURE;
    for (int i = 0; i < 2; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (!is_value(x))
                return false;
    return op->nout == 1;
}

static bool values_but(const ir_region *r, const ir_op *main) {
    for (const ir_op *op = r->first; op; op = op->next)
        if (op != main && op->code != OP_store && !is_value(op))
            return false;
    return true;
}

static const ir_value *yielded(const ir_region *r) {
    return r->last && r->last->code == OP_yield && r->last->nin == 1 ? r->last->in[0] : NULL;
}

/* The part in which the sum goes by as a variable. */
static bool sum_part(nest *n, const ir_region *r, ir_value *carried) {
    ir_value *v = (ir_value *)yielded(r);
    ir_op *op = v ? v->def : NULL;
    if (!op || op->parent != r)
        return false;
    if (op->code == OP_for)
        return op->nout == 1 && op->in[3] == carried && values_but(r, op) && nest_loop(n, op) &&
               sum_part(n, op->reg[0], op->reg[0]->args[1]);
    for (int arm = 0; op->code == OP_if && arm < 2; arm++)
        if (op->nout == 1 && yielded(op->reg[!arm]) == carried)
            return values_but(r, op) && op->reg[!arm]->first == op->reg[!arm]->last &&
                   add_guard(n, op, arm, false) && sum_part(n, op->reg[arm], carried);
    n->carried = carried;
    n->next = v;
    return values_but(r, NULL) || nest_no(n, "more is done beside the sum");
}

static bool has_effect(const ir_op *op) {
    return op->code == OP_if &&
           (ir_has_op(op->reg[0], OP_store) || ir_has_op(op->reg[1], OP_store));
}

static bool map_loop(nest *n, ir_op *op, ir_op *before, ir_op *after) {
    contraction *c = n->c;
    if (op->nout) { /* the sum's outermost loop */
        c->store = after;
        c->sum = op->out[0];
        c->first = op->in[3];
        n->summing = c->nit;
        return op->nout == 1 && after && !before && !n->init && nest_loop(n, op) &&
               sum_part(n, op->reg[0], op->reg[0]->args[1]);
    }
    if (after || (before && n->init))
        return false;
    if (before) {
        n->init = before;
        n->summing = c->nit;
    }
    return nest_loop(n, op) && nest_find(n, op->reg[0]);
}

/* The part around it, or all where the sum is in memory. */
bool nest_find(nest *n, const ir_region *r) {
    ir_op *main = NULL, *before = NULL, *after = NULL;
    for (ir_op *op = r->first; op; op = op->next) {
        ir_op **at = op->code == OP_store ? main ? &after : &before : &main;
        if (op->code != OP_store && op->code != OP_for && !has_effect(op))
            continue;
        if (*at)
            return false;
        *at = op;
    }
    if (!values_but(r, main))
        return nest_no(n, "the loops do more than load, compute and store");
    if (main && main->code == OP_for)
        return map_loop(n, main, before, after);
    if (main) {
        int arm = main->reg[0]->first == main->reg[0]->last;
        const ir_region *other = main->reg[!arm];
        return !before && !after && !main->nout && other->first == other->last &&
               other->first->code == OP_yield && add_guard(n, main, arm, !n->init) &&
               nest_find(n, main->reg[arm]);
    }
    n->c->store = before;
    n->next = before ? before->in[1] : NULL;
    return before || nest_no(n, "nothing is stored");
}
