#include "ana/guard.h"
#include "ana/low.h"

int ana_conjuncts(ana_guard g, ana_guard *out, int max) {
    const ir_op *op = g.cond->def;
    if (op && op->code == OP_inv)
        return ana_conjuncts((ana_guard){op->in[0], !g.holds}, out, max);
    if (!op || max < 2 || op->code != (g.holds ? OP_and : OP_or)) {
        *out = g;
        return 1;
    }
    int n = ana_conjuncts((ana_guard){op->in[0], g.holds}, out, max - 1);
    return n + ana_conjuncts((ana_guard){op->in[1], g.holds}, out + n, max - n);
}

bool ana_compares(ana_guard g, int *code, ir_value **a, ir_value **b) {
    static const int opposite[][2] = {
        {OP_lt, OP_ge}, {OP_ge, OP_lt}, {OP_le, OP_gt}, {OP_gt, OP_le}};
    const ir_op *op = g.cond->def;
    for (int i = 0; op && i < 4; i++)
        if (op->code == opposite[i][0] && op->in[0]->type.dt == DT_i64) {
            *code = opposite[i][!g.holds];
            *a = op->in[0];
            *b = op->in[1];
            return true;
        }
    return false;
}

bool ana_guards_low(ana_guard g, const ir_value *v) {
    int code;
    ir_value *a, *b;
    if (!ana_compares(g, &code, &a, &b))
        return false;
    if (code == OP_lt || code == OP_le) {
        ir_value *t = a;
        a = b;
        b = t;
        code = code == OP_lt ? OP_gt : OP_ge;
    }
    return ana_low(b, NULL) >= (code == OP_gt ? -1 : 0) && ana_same(a, v);
}

static bool same(const ir_value *a, const ir_value *b, int depth) {
    if (a == b)
        return true;
    const ir_op *x = a->def, *y = b->def;
    if (!x || !y || !depth || x->code != y->code || x->nreg || ir_ops[x->code].effect != EFF_PURE ||
        x->nin != y->nin || x->attr[0].i != y->attr[0].i || x->attr[0].f != y->attr[0].f ||
        !ir_type_eq(a->type, b->type))
        return false;
    for (int i = 0; i < x->nin; i++)
        if (!same(x->in[i], y->in[i], depth - 1))
            return false;
    return true;
}

bool ana_same(const ir_value *a, const ir_value *b) {
    enum { DEPTH = 6 };
    return same(a, b, DEPTH);
}
