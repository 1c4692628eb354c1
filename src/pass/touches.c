/* Takes away what the race checker need not be told: accesses of tensors that nothing stores to, or
   of which each work-item keeps to places of its own, and those of kernels in which nothing runs at
   once. After domain. */
#include "ana/apart.h"
#include "pass/pass.h"

typedef struct {
    ir_func *f;
    int dims; /* of the ids asked for, a bit each */
} touches;

static void ids(touches *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_gid)
            s->dims |= 1 << op->attr[0].i;
        for (int i = 0; i < op->nreg; i++)
            ids(s, op->reg[i]);
    }
}

static bool stored(const ir_region *r, const ir_value *t) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if ((op->code == OP_store || op->code == OP_atomic) && op->in[0] == t)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (stored(op->reg[i], t))
                return true;
    }
    return false;
}

/* Does each iteration of a parallel_for subscript t by its own number? */
static bool by_round(const ir_region *r, const ir_value *t) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_touch && op->in[0] == t) {
            const ir_value *round = op->in[op->nin - 1];
            bool own = false;
            for (int i = 1; i + 1 < op->nin; i++)
                own = own || op->in[i] == round;
            if (!(op->attr[1].i & TOUCH_item) || !own)
                return false;
        }
        for (int i = 0; i < op->nreg; i++)
            if (!by_round(op->reg[i], t))
                return false;
    }
    return true;
}

static bool safe(const touches *s, const ir_op *op, bool alias) {
    const ir_value *t = op->in[0];
    bool item = op->attr[1].i & TOUCH_item;
    if (!s->f->simt && !item)
        return true;
    if (alias && t->type.space == SP_global)
        return false;
    if (!stored(s->f->body, t))
        return true;
    if (s->f->simt)
        return s->dims && !t->def && ana_apart(s->f, t, s->dims) >= 0;
    return by_round(s->f->body, t);
}

static void walk(touches *s, ir_region *r, bool alias) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i], alias);
        if (op->code != OP_touch)
            continue;
        if (safe(s, op, alias))
            op->attr[1].i &= ~TOUCH_race;
        if (!(op->attr[1].i & (TOUCH_race | TOUCH_init)))
            ir_remove(op);
    }
}

status pass_touches(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    touches s = {.f = f};
    if (!ir_has_op(f->body, OP_touch))
        return OK;
    ids(&s, f->body);
    walk(&s, f->body, o->alias);
    return OK;
}
