/* See apart.h. */
#include "ana/apart.h"

typedef struct {
    const ir_value *t;
    int axes[3]; /* -1: not seen yet; -2: differs */
} apart;

static int axis_of(const ir_op *op, int from, int dim) {
    for (int i = from; i < op->nin; i++)
        if (op->in[i]->def && op->in[i]->def->code == OP_gid && op->in[i]->def->attr[0].i == dim)
            return i - from;
    return -2;
}

static void walk(apart *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        int from = ir_subscripts(op);
        for (int d = 0; d < 3 && from > 0 && op->in[0] == s->t; d++) {
            int axis = axis_of(op, from, d);
            s->axes[d] = s->axes[d] == -1 || s->axes[d] == axis ? axis : -2;
        }
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i]);
    }
}

int ana_apart(const ir_func *f, const ir_value *t, int dims) {
    apart s = {t, {-1, -1, -1}};
    int packed = 0;
    walk(&s, f->body);
    for (int d = 0; d < 3; d++) {
        bool asked = dims >> d & 1;
        if (asked && s.axes[d] < 0)
            return -1;
        packed |= (asked ? s.axes[d] : 15) << (4 * d);
    }
    return packed;
}
