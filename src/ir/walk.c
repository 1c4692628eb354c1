/* What many passes ask of a region and all that is nested in it. */
#include "ir/ir.h"

bool ir_has_op(const ir_region *r, int code) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == code)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (ir_has_op(op->reg[i], code))
                return true;
    }
    return false;
}

int ir_count(const ir_region *r) {
    int n = 0;
    for (const ir_op *op = r->first; op; op = op->next) {
        n++;
        for (int i = 0; i < op->nreg; i++)
            n += ir_count(op->reg[i]);
    }
    return n;
}

void ir_replace(const ir_region *r, const ir_value *v, ir_value *by) {
    for (ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            if (op->in[i] == v)
                op->in[i] = by;
        for (int i = 0; i < op->nreg; i++)
            ir_replace(op->reg[i], v, by);
    }
}

void ir_clear_aux(const ir_region *r) {
    for (uint32_t i = 0; i < r->nargs; i++)
        r->args[i]->aux = NULL;
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nout; i++)
            op->out[i]->aux = NULL;
        for (int i = 0; i < op->nreg; i++)
            ir_clear_aux(op->reg[i]);
    }
}

bool ir_unit_step(const ir_op *loop) {
    const ir_op *step = loop->in[2]->def;
    return step && step->code == OP_iconst && step->attr[0].i == 1;
}

int ir_subscripts(const ir_op *op) {
    switch (op->code) {
    case OP_load: return 1;
    case OP_store: return 2;
    case OP_atomic: return op->attr[0].s && op->attr[0].s[0] == 'c' ? 3 : 2;
    default: return 0;
    }
}
