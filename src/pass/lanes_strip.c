/* Several vectors at once. Where each work-item goes down a column, as in `for i: s += x[i, j]`,
   one vector of work-items takes one line of each row, and waits for it, and for its page. A strip
   of as many vectors as the registers hold what the loop carries of reads rows. Such a strip is one
   vector of the IR, which LLVM takes apart. */
#include "pass/lanes.h"

enum { SMALL = 60, VECTORS = 16 };

typedef struct {
    const lanes *s;
    int carried; /* vectors that the loops carry at most */
    int used;    /* from outside a loop */
    bool heavy;  /* functions of many vectors themselves */
    bool down;   /* a loop has rows */
} strip;

static bool varies(const strip *p, const ir_value *v) { return p->s->u.varying[v->id]; }

/* Are the lanes' values consecutive? */
static bool consecutive(const strip *p, const ir_value *v) {
    const ir_op *op = v->def;
    if (!op)
        return false;
    if (op->code == OP_gid || op->code == OP_lid)
        return op->attr[0].i == 0;
    if (op->code != OP_add && op->code != OP_sub)
        return false;
    bool first = varies(p, op->in[0]), second = varies(p, op->in[1]);
    return first != second && (first || op->code == OP_add) && consecutive(p, op->in[!first]);
}

static bool depends(const ir_value *v, const ir_value *on, int depth) {
    if (v == on)
        return true;
    for (int i = 0; v->def && depth && !v->def->nreg && i < v->def->nin; i++)
        if (depends(v->def->in[i], on, depth - 1))
            return true;
    return false;
}

static bool access(strip *p, const ir_op *op, const ir_op *loop) {
    enum { DEPTH = 6 };
    int from = ir_subscripts(op);
    bool varying = false, row = false;
    for (int i = from; i < op->nin; i++) {
        bool last = i == op->nin - 1;
        if (varies(p, op->in[i]) && (!last || !consecutive(p, op->in[i])))
            return false;
        varying = varying || varies(p, op->in[i]);
        row = row || (!last && loop && depends(op->in[i], loop->reg[0]->args[0], DEPTH));
    }
    p->down = p->down || (varying && row && op->code == OP_load);
    return op->in[0]->type.space == SP_global && (!varying || op->in[0]->type.contig == IR_UNIT);
}

static bool fits(strip *p, const ir_region *r, const ir_op *loop);

static bool loop_fits(strip *p, const ir_op *op) {
    const lanes *s = p->s;
    int carried = 0;
    for (int k = 0; k < op->nout; k++)
        if (varies(p, op->out[k]))
            carried += dtype_table[op->out[k]->type.dt].bytes > s->bytes ? 2 : 1;
    p->carried = p->carried > carried ? p->carried : carried;
    return !varies(p, op->in[0]) && !varies(p, op->in[1]) && !varies(p, op->in[2]) &&
           fits(p, op->reg[0], op);
}

static bool op_fits(strip *p, const ir_op *op, const ir_op *loop) {
    switch (op->code) {
    case OP_load:
    case OP_store: return access(p, op, loop);
    case OP_for: return loop_fits(p, op);
    case OP_if:
        return (lanes_known(p->s, op) >= 0 || !varies(p, op->in[0])) && fits(p, op->reg[0], loop) &&
               fits(p, op->reg[1], loop);
    case OP_yield:
    case OP_get: return true;
    case OP_div:
    case OP_floordiv:
    case OP_mod:
    case OP_pow: p->heavy = true; return true;
    default: break;
    }
    p->heavy = p->heavy || (op->code >= OP_exp && op->code <= OP_sigmoid && op->code != OP_sqrt);
    return ir_ops[op->code].effect == EFF_PURE;
}

static bool from_outside(const ir_value *v, const ir_op *loop) {
    const ir_region *r = v->def ? v->def->parent : v->region;
    while (r && r->owner && r->owner != loop)
        r = r->owner->parent;
    return !r || r->owner != loop;
}

static bool fits(strip *p, const ir_region *r, const ir_op *loop) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (!op_fits(p, op, loop))
            return false;
        for (int i = 0; loop && i < op->nin; i++)
            if (op->in[i]->type.kind == TY_val && op->in[i]->type.dt != DT_i64 &&
                varies(p, op->in[i]) && from_outside(op->in[i], loop))
                p->used++;
    }
    return true;
}

int lanes_strip(const lanes *s, const ir_region *body) {
    strip p = {.s = s};
    if (s->width == 1 || s->barriers || ir_count(body) > SMALL || !fits(&p, body, NULL) || !p.down)
        return 1;
    int most = s->bytes * s->width >= 64 ? VECTORS : VECTORS / 2, n = 1;
    int each = p.carried + p.used < 1 ? 1 : p.carried + p.used;
    most = p.heavy ? 2 : most / each;
    while (n * 2 <= most)
        n *= 2;
    return n;
}
