/* Where a condition of a lanes region compares an affine id with what is the same for the row, the
   work-items for which it holds are a stretch of the row. The row is then cut there, and each part
   knows what the condition is: no masks, and nothing at all for a part that would do nothing. */
#include "pass/lanes.h"

enum { SMALL = 60 }; /* ops of a region that is worth three copies */

static ir_value *binary(lanes *s, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return lanes_emit(s, code, ir_val(DT_i64, 1), 2, in);
}

/* v for the work-item at position 0 of the row, and how it grows along the row; NULL: not known. */
static ir_value *at_zero(lanes *s, const ir_region *body, ir_value *v, int64_t *stride) {
    const ir_op *op = v->def;
    *stride = 0;
    if (v->type.kind != TY_val || v->type.dt != DT_i64)
        return NULL;
    if (!op || op->parent != body)
        return v;
    if (op->code == OP_gid || op->code == OP_lid) {
        int dim = (int)op->attr[0].i;
        *stride = dim == 0;
        ir_value *at = dim ? s->at[dim] : lanes_i64(s, 0);
        return op->code == OP_gid ? binary(s, OP_add, s->lo[dim], at) : at;
    }
    if (op->code == OP_iconst)
        return lanes_i64(s, op->attr[0].i);
    if (op->code == OP_dim || (op->code == OP_get && !s->u.varying[v->id])) {
        ir_value *n = lanes_emit(s, op->code, v->type, 1, op->in);
        n->def->attr[0] = op->attr[0];
        return n;
    }
    if (op->code != OP_add && op->code != OP_sub)
        return NULL;
    int64_t strides[2];
    ir_value *a = at_zero(s, body, op->in[0], &strides[0]),
             *b = a ? at_zero(s, body, op->in[1], &strides[1]) : NULL;
    if (!b)
        return NULL;
    *stride = op->code == OP_add ? strides[0] + strides[1] : strides[0] - strides[1];
    return binary(s, op->code, a, b);
}

static bool compares(const ir_op *op) {
    return op && (op->code == OP_lt || op->code == OP_le || op->code == OP_gt ||
                  op->code == OP_ge || op->code == OP_eq);
}

/* b < a for a > b, and so on */
static int mirrored(int code) {
    return code == OP_lt   ? OP_gt
           : code == OP_gt ? OP_lt
           : code == OP_le ? OP_ge
           : code == OP_ge ? OP_le
                           : code;
}

static ir_value *within(lanes *s, ir_value *v, ir_value *n) {
    return binary(s, OP_max, binary(s, OP_min, v, n), lanes_i64(s, 0));
}

static bool writes(const ir_op *op) {
    if (ir_ops[op->code].effect == EFF_WRITE || op->code == OP_leave)
        return true;
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (writes(x))
                return true;
    return false;
}

/* Does the region do anything where the condition of `test` does not hold? */
static bool writes_otherwise(const ir_region *body, const ir_op *test) {
    for (const ir_op *op = body->first; op; op = op->next)
        if (op != test && writes(op))
            return true;
    for (const ir_op *op = test->reg[1]->first; op; op = op->next)
        if (writes(op))
            return true;
    return false;
}

/* The first and the last position + 1 for which the comparison holds. */
static bool bounds(lanes *s, const ir_region *body, const ir_op *cmp, ir_value *n, lane_cut *cut) {
    int64_t strides[2];
    ir_value *a = at_zero(s, body, cmp->in[0], &strides[0]),
             *b = a ? at_zero(s, body, cmp->in[1], &strides[1]) : NULL;
    if (!b || strides[0] + strides[1] != 1 || (strides[0] && strides[1]))
        return false;
    int code = strides[0] ? cmp->code : mirrored(cmp->code);
    ir_value *edge = strides[0] ? binary(s, OP_subsat, b, a) : binary(s, OP_subsat, a, b);
    ir_value *next = binary(s, OP_subsat, edge, lanes_i64(s, -1));
    ir_value *zero = lanes_i64(s, 0);
    cut->from = code == OP_lt || code == OP_le ? zero : within(s, code == OP_gt ? next : edge, n);
    cut->to = code == OP_gt || code == OP_ge ? n : within(s, code == OP_lt ? edge : next, n);
    return true;
}

bool lanes_find_cut(lanes *s, const ir_region *body, ir_value *n, lane_cut *cut) {
    for (const ir_op *op = body->first; op; op = op->next) {
        const ir_op *cmp = op->code == OP_if ? op->in[0]->def : NULL;
        if (!compares(cmp) || cmp->parent != body || !s->u.varying[op->in[0]->id] ||
            ana_may_leave(op, &s->u))
            continue;
        cut->test = op;
        cut->otherwise = writes_otherwise(body, op);
        return (!cut->otherwise || (s->barriers && ir_count(body) < SMALL)) &&
               bounds(s, body, cmp, n, cut);
    }
    return false;
}
