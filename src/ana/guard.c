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

/* v as another value plus a number. */
static ir_value *apart(ir_value *v, int64_t *k) {
    const ir_op *op = v->def;
    *k = 0;
    if (!op || (op->code != OP_add && op->code != OP_sub))
        return v;
    for (int i = op->code == OP_sub; i < 2; i++) {
        const ir_op *c = op->in[i]->def;
        if (!c || c->code != OP_iconst || c->attr[0].i > INT32_MAX || c->attr[0].i < -INT32_MAX)
            continue;
        *k = op->code == OP_add ? c->attr[0].i : -c->attr[0].i;
        return op->in[!i];
    }
    return v;
}

/* An i64 that is not its least value is greater. */
static bool not_equal(ana_guard g, int *code, ir_value **a, ir_value **b) {
    const ir_op *op = g.cond->def;
    if (!op || op->code != (g.holds ? OP_ne : OP_eq) || op->in[0]->type.dt != DT_i64)
        return false;
    const ir_op *c = op->in[1]->def;
    *a = op->in[0];
    *b = op->in[1];
    *code = OP_gt;
    return c && c->code == OP_iconst && ana_low(*a, NULL) >= c->attr[0].i;
}

bool ana_guards_low(ana_guard g, const ir_value *v) {
    int code;
    int64_t more, plus;
    ir_value *a, *b;
    if (!not_equal(g, &code, &a, &b) && !ana_compares(g, &code, &a, &b))
        return false;
    if (code == OP_lt || code == OP_le) {
        ir_value *t = a;
        a = b;
        b = t;
        code = code == OP_lt ? OP_gt : OP_ge;
    }
    a = apart(a, &plus);
    v = apart((ir_value *)v, &more);
    return ana_low(b, NULL) + (code == OP_gt) - plus + more >= 0 && ana_same(a, v);
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
