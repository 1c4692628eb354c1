/* Uniformity by iteration to a fixed point: everything starts uniform. In a loop that some
   work-items have left, those that remain still agree on what they all computed alike; only what is
   merged at the end of a divergent scope varies. */
#include "ana/uniform.h"

typedef struct {
    ana_uniform u;
    const ir_func *f;
    int dims;
    bool *stored; /* by value id: tensors that something writes to */
    bool changed;
} uni;

static bool is_varying(const uni *s, const ir_value *v) { return s->u.varying[v->id]; }
static void set(uni *s, const ir_value *v, bool varying) {
    if (varying && !s->u.varying[v->id])
        s->changed = s->u.varying[v->id] = true;
}

static void find_stored(uni *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (ir_ops[op->code].effect == EFF_WRITE && op->nin && op->code != OP_extent &&
            op->code != OP_bound)
            s->stored[op->in[0]->id] = true;
        for (int i = 0; i < op->nreg; i++)
            find_stored(s, op->reg[i]);
    }
}

static bool any_in(const uni *s, const ir_op *op) {
    int last = op->code == OP_load && op->in[0]->type.contig == IR_SAME; /* of stride zero */
    for (int i = 0; i < op->nin - last; i++)
        if (is_varying(s, op->in[i]))
            return true;
    return false;
}

/* Do the work-items reach op's regions in part? */
static bool splits(const uni *s, const ir_op *op) {
    if (op->code == OP_if)
        return is_varying(s, op->in[0]);
    if (op->code == OP_for)
        return is_varying(s, op->in[0]) || is_varying(s, op->in[1]) || is_varying(s, op->in[2]);
    return op->code == OP_scope && s->u.divergent[op->attr[0].i];
}

static void leave(uni *s, const ir_op *op) {
    bool part = false;
    const ir_op *p = op->parent->owner;
    for (; p && !(p->code == OP_scope && p->attr[0].i == op->attr[0].i); p = p->parent->owner)
        part = part || splits(s, p);
    if (part && !s->u.divergent[op->attr[0].i])
        s->changed = s->u.divergent[op->attr[0].i] = true;
    for (int k = 0; p && k < op->nin; k++)
        set(s, p->out[k], is_varying(s, op->in[k]) || s->u.divergent[op->attr[0].i]);
}

/* A cell set under divergent control, or to a varying value, varies. */
static bool under_split(const uni *s, const ir_op *op) {
    for (const ir_op *p = op->parent->owner; p; p = p->parent->owner)
        if (splits(s, p))
            return true;
    return false;
}

static void visit(uni *s, const ir_op *op) {
    switch (op->code) {
    case OP_gid:
    case OP_lid: set(s, op->out[0], s->dims >> op->attr[0].i & 1); return;
    case OP_load:
        set(s, op->out[0],
            any_in(s, op) || op->in[0]->type.space >= SP_local ||
                (s->dims == 7 && s->stored[op->in[0]->id]));
        return;
    case OP_atomic: set(s, op->out[0], true); return;
    case OP_alloc: set(s, op->out[0], false); return;
    case OP_set: set(s, op->in[0], is_varying(s, op->in[1]) || under_split(s, op)); return;
    case OP_leave: leave(s, op); return;
    case OP_if:
    case OP_scope:
    case OP_for:
    case OP_loop: {
        bool part = splits(s, op);
        if (op->code == OP_for)
            set(s, op->reg[0]->args[0],
                part || is_varying(s, op->in[0]) || is_varying(s, op->in[2]));
        for (int k = 0; k < op->nout; k++)
            set(s, op->out[k], part);
        return;
    }
    case OP_yield: {
        const ir_op *p = op->parent->owner;
        int first = p && p->code == OP_for;
        for (int k = 0; p && k < op->nin && k < p->nout; k++) {
            set(s, p->out[k], is_varying(s, op->in[k]));
            if (p->code == OP_for || p->code == OP_loop)
                set(s, p->reg[0]->args[k + first],
                    is_varying(s, op->in[k]) || is_varying(s, p->out[k]) ||
                        is_varying(s, p->in[k + (first ? 3 : 0)]));
        }
        return;
    }
    default:
        for (int k = 0; k < op->nout; k++)
            set(s, op->out[k], any_in(s, op));
    }
}

static void walk(uni *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        visit(s, op);
        bool carries = op->code == OP_for || op->code == OP_loop;
        int first = op->code == OP_for;
        for (int k = 0; carries && k < op->nout; k++) {
            bool v = is_varying(s, op->in[k + (first ? 3 : 0)]) ||
                     is_varying(s, op->reg[0]->args[k + first]) || is_varying(s, op->out[k]);
            set(s, op->reg[0]->args[k + first], v);
            set(s, op->out[k], v);
        }
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i]);
    }
}

ana_uniform ana_uniform_of(ir_func *f, const ir_region *r, int lane_dims) {
    uni s = {.f = f, .dims = lane_dims};
    s.u.varying = ARENA_ARRAY(f->mem, bool, f->nvalues + 1);
    s.u.divergent = ARENA_ARRAY(f->mem, bool, f->nlabels + 2);
    s.stored = ARENA_ARRAY(f->mem, bool, f->nvalues + 1);
    find_stored(&s, f->body);
    for (uint32_t i = 0; r->owner && i < r->nargs; i++)
        s.u.varying[r->args[i]->id] = true;
    do {
        s.changed = false;
        walk(&s, r);
    } while (s.changed);
    return s.u;
}

static bool inside(const ir_op *op, const ir_op *outer) {
    for (; op; op = op->parent->owner)
        if (op == outer)
            return true;
    return false;
}

static bool leaves_out(const ir_op *op, const ir_op *outer, const ana_uniform *u) {
    if (op->code == OP_leave && u->divergent[op->attr[0].i]) {
        const ir_op *p = op->parent->owner;
        while (p && !(p->code == OP_scope && p->attr[0].i == op->attr[0].i))
            p = p->parent->owner;
        if (p != outer && !inside(p, outer))
            return true;
    }
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (leaves_out(x, outer, u))
                return true;
    return false;
}

bool ana_may_leave(const ir_op *op, const ana_uniform *u) { return leaves_out(op, op, u); }
