/* Recognised accumulations: a value that a loop carries and only adds to (or multiplies into) may
   be reassociated, and the product added to it fused. Everything else keeps Python's order. */
#include "pass/pass.h"

typedef struct {
    int *uses; /* by value id; a value of a loop's body is used nowhere else */
} accum;

static void count(accum *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            s->uses[op->in[i]->id]++;
        for (int i = 0; i < op->nreg; i++)
            count(s, op->reg[i]);
    }
}

static bool is_float(const ir_value *v) {
    return v->type.kind == TY_val && dtype_is_float((dtype)v->type.dt);
}

static void mark_product(ir_value *v) {
    if (v->def && v->def->code == OP_mul && is_float(v))
        v->def->attr[0].i = 1;
}

static void mark(const accum *s, ir_region *body, ir_value *arg, ir_value *next, int uses) {
    ir_op *op = next->def;
    if (!op || !is_float(next) || op->parent != body)
        return;
    for (int arm = 0, k = 0; op->code == OP_if && arm < 2; arm++, k = 0) {
        ir_region *r = op->reg[arm];
        while (k < op->nout && op->out[k] != next)
            k++;
        const ir_op *y = r->last, *other = op->reg[!arm]->last;
        if (y->code == OP_yield && other->code == OP_yield && other->in[k] == arg)
            mark(s, r, arg, y->in[k], uses + 1); /* in this arm only */
    }
    if (op->nin != 2)
        return;
    int k = op->in[0] == arg ? 0 : op->in[1] == arg ? 1 : -1;
    bool known = op->code == OP_add || op->code == OP_mul || (op->code == OP_sub && k == 0) ||
                 op->code == OP_max || op->code == OP_min;
    if (k < 0 || !known || s->uses[arg->id] != uses || s->uses[next->id] != 1)
        return;
    op->attr[0].i = 1;
    if (op->code == OP_add || op->code == OP_sub)
        mark_product(op->in[1 - k]);
}

static void walk(const accum *s, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i]);
        if (op->code != OP_for)
            continue;
        ir_op *y = op->reg[0]->last;
        for (int k = 0; y && y->code == OP_yield && k < op->nout; k++)
            mark(s, op->reg[0], op->reg[0]->args[1 + k], y->in[k], 1);
    }
}

status pass_accum(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    accum s = {ARENA_ARRAY(f->mem, int, f->nvalues + 1)};
    if (o->fastmath < 0)
        return OK;
    count(&s, f->body);
    walk(&s, f->body);
    return OK;
}
