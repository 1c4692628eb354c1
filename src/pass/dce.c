/* Removes what nothing uses: pure ops and reads, and what loops, ifs and scopes carry for no one.
   Marks from the roots (stores, control) so that values that only keep themselves alive round a
   loop go too. */
#include "base/vec.h"
#include "pass/pass.h"

typedef struct leaves {
    ir_op *op;
    struct leaves *next;
} leaves;

typedef struct {
    ir_func *f;
    VEC(ir_value *) work;
    leaves **leaves; /* by the id of a scope's first result: those that give it */
} dce;
static const char LIVE = 1;

static void mark(dce *s, ir_value *v) {
    if (v->aux)
        return;
    v->aux = (void *)&LIVE;
    vec_push(s->f->mem, &s->work, v);
}

static ir_op *yield_of(const ir_region *r) {
    return r->last && r->last->code == OP_yield ? r->last : NULL;
}

static bool removable(const ir_op *op) {
    return ir_ops[op->code].effect == EFF_PURE || ir_ops[op->code].effect == EFF_READ;
}

/* A leave has as many values as its scope has results; dropping results drops both. */
static void note_leave(dce *s, ir_op *op) {
    const ir_op *p = op->parent->owner;
    while (p && !(p->code == OP_scope && p->attr[0].i == op->attr[0].i))
        p = p->parent->owner;
    if (!p || !p->nout)
        return;
    leaves *l = ARENA_NEW(s->f->mem, leaves), **list = &s->leaves[p->out[0]->id];
    *l = (leaves){op, *list};
    *list = l;
}

static void roots(dce *s, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_leave)
            note_leave(s, op);
        bool counted = op->code == OP_if || op->code == OP_parallel || op->code == OP_pipeline;
        int n = op->code == OP_for ? 3 : counted ? 1 : 0;
        if (!op->nreg && !removable(op) && op->code != OP_yield && op->code != OP_leave)
            n = op->nin;
        for (int i = 0; i < n; i++)
            mark(s, op->in[i]);
        for (int i = 0; i < op->nout && ir_ops[op->code].effect == EFF_WRITE; i++)
            mark(s, op->out[i]);
        for (int i = 0; i < op->nreg; i++)
            roots(s, op->reg[i]);
    }
}

static void mark_carried(dce *s, ir_op *op, int k) {
    int first = op->code == OP_for ? 3 : 0;
    mark(s, op->in[first + k]);
    mark(s, op->reg[0]->args[(op->code == OP_for) + k]);
    mark(s, op->out[k]);
    ir_op *y = yield_of(op->reg[0]);
    if (y)
        mark(s, y->in[k]);
}

static void reach(dce *s, ir_value *v) {
    if (v->region) {
        ir_op *owner = v->region->owner;
        for (int k = 0; owner && k < owner->nout; k++)
            if (owner->reg[0]->args[(owner->code == OP_for) + k] == v)
                mark_carried(s, owner, k);
        return;
    }
    ir_op *op = v->def;
    if (!op->nreg) {
        for (int i = 0; i < op->nin; i++)
            mark(s, op->in[i]);
        return;
    }
    for (int k = 0; k < op->nout; k++) {
        if (op->out[k] != v)
            continue;
        if (op->code == OP_for || op->code == OP_loop)
            mark_carried(s, op, k);
        for (int i = 0; i < op->nreg; i++)
            if (yield_of(op->reg[i]))
                mark(s, yield_of(op->reg[i])->in[k]);
        for (leaves *l = op->code == OP_scope ? s->leaves[op->out[0]->id] : NULL; l; l = l->next)
            mark(s, l->op->in[k]);
    }
}

static void drop_in(ir_op *op, int k) {
    for (int i = k; i + 1 < op->nin; i++)
        op->in[i] = op->in[i + 1];
    op->nin--;
}

static void drop_result(ir_op *op, int k, leaves *given) {
    for (int i = k; i + 1 < op->nout; i++)
        op->out[i] = op->out[i + 1];
    op->nout--;
    for (int i = 0; i < op->nreg; i++)
        if (yield_of(op->reg[i]))
            drop_in(yield_of(op->reg[i]), k);
    for (leaves *l = given; l; l = l->next)
        drop_in(l->op, k);
    if (op->code != OP_for && op->code != OP_loop)
        return;
    int shift = op->code == OP_for;
    drop_in(op, (shift ? 3 : 0) + k);
    ir_region *r = op->reg[0];
    for (uint32_t i = (uint32_t)(k + shift); i + 1 < r->nargs; i++)
        r->args[i] = r->args[i + 1];
    r->nargs--;
}

static bool is_empty(const ir_region *r) {
    return !r->first || (r->first == r->last && r->first->code == OP_yield);
}

static void sweep(dce *s, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nreg; i++)
            sweep(s, op->reg[i]);
        leaves *given = op->code == OP_scope && op->nout ? s->leaves[op->out[0]->id] : NULL;
        for (int k = op->nreg ? op->nout - 1 : -1; k >= 0; k--)
            if (!op->out[k]->aux)
                drop_result(op, k, given);
        bool used = false;
        for (int k = 0; k < op->nout; k++)
            used = used || op->out[k]->aux;
        bool nothing = op->nreg && !op->nout && op->code != OP_loop && op->code != OP_lanes;
        for (int i = 0; i < op->nreg; i++)
            nothing = nothing && is_empty(op->reg[i]);
        if (nothing || (!op->nreg && !used && op->nout && removable(op)))
            ir_remove(op);
    }
}

status pass_dce(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    dce s = {.f = f, .leaves = ARENA_ARRAY(f->mem, leaves *, f->nvalues + 1)};
    ir_clear_aux(f->body);
    roots(&s, f->body);
    while (s.work.n)
        reach(&s, s.work.p[--s.work.n]);
    sweep(&s, f->body);
    ir_clear_aux(f->body);
    return OK;
}
