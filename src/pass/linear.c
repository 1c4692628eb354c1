/* See linear.h. */
#include "pass/linear.h"
#include "ana/guard.h"

static bool constant(const ir_value *v, int64_t *out) {
    bool is = v->def && v->def->code == OP_iconst;
    if (is)
        *out = v->def->attr[0].i;
    return is;
}

static bool is_whole(const ir_value *v) {
    return v->type.kind == TY_val && v->type.dt == DT_i64 && v->type.lanes == 1;
}

bool linear_is_part(const ir_op *op) {
    int64_t k;
    if (op->nout != 1 || !is_whole(op->out[0]))
        return false;
    return op->code == OP_add || op->code == OP_sub ||
           (op->code == OP_mul && (constant(op->in[0], &k) || constant(op->in[1], &k)));
}

int linear_term(const linear *x, const ir_value *v) {
    for (int i = 0; i < x->n; i++)
        if (ana_same(x->v[i], v))
            return i;
    return -1;
}

void linear_drop(linear *x, int term) {
    x->n--;
    for (int i = term; i < x->n; i++) {
        x->v[i] = x->v[i + 1];
        x->c[i] = x->c[i + 1];
    }
}

void linear_add(linear *x, ir_value *v, int64_t c) {
    int at = linear_term(x, v);
    if (at < 0 && x->n < LINEAR_MAX) {
        x->v[x->n] = v;
        x->c[x->n++] = c;
    } else if (at >= 0 && !(x->c[at] += c))
        linear_drop(x, at);
}

static bool add(ir_value *v, int64_t by, linear *out, int depth) {
    enum { DEPTH = 12 };
    const int64_t most = (int64_t)1 << 31;
    const ir_op *op = v->def;
    int64_t k;
    if (by > most || by < -most)
        return false;
    if (constant(v, &k)) {
        if (k > most || k < -most)
            return false;
        out->k += by * k;
        return true;
    }
    if (op && linear_is_part(op) && depth < DEPTH) {
        if (op->code == OP_mul) {
            int i = constant(op->in[1], &k) ? 0 : 1;
            return constant(op->in[1 - i], &k) && k < most && k > -most &&
                   add(op->in[i], by * k, out, depth + 1);
        }
        return add(op->in[0], by, out, depth + 1) &&
               add(op->in[1], op->code == OP_sub ? -by : by, out, depth + 1);
    }
    if (out->n == LINEAR_MAX && linear_term(out, v) < 0)
        return false;
    linear_add(out, v, by);
    return true;
}

bool linear_of(ir_value *v, linear *out) {
    *out = (linear){.n = 0};
    return is_whole(v) && add(v, 1, out, 0);
}

static ir_value *two(ir_func *f, ir_op *at, int code, ir_value *a, ir_value *b) {
    ir_op *op = ir_op_new(f, code, at->site, 2, 1, 0);
    op->in[0] = a;
    op->in[1] = b;
    op->out[0]->type = ir_val(DT_i64, 1);
    ir_before(at, op);
    return op->out[0];
}

static ir_value *number(ir_func *f, ir_op *at, int64_t v) {
    ir_op *op = ir_op_new(f, OP_iconst, at->site, 0, 1, 0);
    op->attr[0].i = v;
    op->out[0]->type = ir_val(DT_i64, 1);
    ir_before(at, op);
    return op->out[0];
}

static ir_value *compute(ir_func *f, ir_op *at, const linear *x) {
    ir_value *sum = NULL;
    for (int i = 0; i < x->n; i++) {
        bool minus = sum && x->c[i] == -1;
        ir_value *t =
            x->c[i] == 1 || minus ? x->v[i] : two(f, at, OP_mul, x->v[i], number(f, at, x->c[i]));
        sum = sum ? two(f, at, minus ? OP_sub : OP_add, sum, t) : t;
    }
    if (!sum || x->k)
        sum = sum ? two(f, at, OP_add, sum, number(f, at, x->k)) : number(f, at, x->k);
    return sum;
}

void linear_rewrite(ir_func *f, ir_region *r, linear_rule *rule, void *self) {
    for (ir_op *op = r->first; op; op = op->next) {
        linear x;
        for (int i = 0; !linear_is_part(op) && i < op->nin; i++)
            if (linear_of(op->in[i], &x) && rule(self, &x))
                op->in[i] = compute(f, op, &x);
        for (int i = 0; i < op->nreg; i++)
            linear_rewrite(f, op->reg[i], rule, self);
    }
}
