/* Blocks of a known size, see pass/sized.c: their chunks one behind the other, at constant
   positions. Which lanes a condition on ids holds for is then known: an arm that none takes is not
   there, one that all take has no mask, and neither is jumped over. */
#include "pass/lanes.h"

/* At most: of a region that is laid out, and ops of all. */
enum { CHUNKS = 64, OPS = 700, ALL = 4000 };

uint64_t lanes_all(const lanes *s) {
    return s->width >= 64 ? UINT64_MAX : ((uint64_t)1 << s->width) - 1;
}

/* Ops of a chunk, about: an atomic is for one lane after the other. */
static int cost(const lanes *s, const ir_region *r) {
    int n = 0;
    for (const ir_op *op = r->first; op; op = op->next) {
        n += op->code == OP_atomic ? 4 * s->width : 1;
        for (int i = 0; i < op->nreg; i++)
            n += cost(s, op->reg[i]);
    }
    return n;
}

bool lanes_lay_out(lanes *s, const ir_region *body, const int64_t *n) {
    int64_t chunks = n[0] / s->width * n[1] * n[2], ops = chunks * cost(s, body);
    if (s->width < 2 || s->width > 64 || n[0] % s->width || chunks > CHUNKS || ops > OPS ||
        s->laid_ops + ops > ALL || ir_has_op(body, OP_for) || ir_has_op(body, OP_loop))
        return false;
    s->laid = true;
    s->laid_ops += ops;
    for (int64_t line = 0; line < n[1] * n[2]; line++) {
        s->at[2] = lanes_i64(s, line / n[1]);
        s->at[1] = lanes_i64(s, line % n[1]);
        for (int64_t x = 0; x < n[0]; x += s->width) {
            s->some = lanes_all(s);
            s->sure = NULL;
            lanes_chunk(s, body, lanes_i64(s, x), lanes_i64(s, line * n[0]), NULL);
        }
    }
    s->laid = false;
    return true;
}

static bool holds(int code, int64_t a, int64_t b) {
    switch (code) {
    case OP_lt: return a < b;
    case OP_le: return a <= b;
    case OP_gt: return a > b;
    case OP_ge: return a >= b;
    case OP_eq: return a == b;
    default: return a != b;
    }
}

/* A number that is base + stride * lane. */
static bool known(lanes *s, const ir_value *v, int64_t *base, int64_t *stride) {
    enum { MOST = 1 << 30 };
    if (v->type.kind != TY_val || v->type.dt != DT_i64)
        return false;
    lane_value l = lanes_of(s, v);
    if (l.kind == LV_vector || !l.v->def || l.v->def->code != OP_iconst)
        return false;
    *base = l.v->def->attr[0].i;
    *stride = l.kind == LV_affine ? l.stride : 0;
    return *base < MOST && *base > -MOST && *stride < MOST && *stride > -MOST;
}

bool lanes_which(lanes *s, const ir_value *cond, uint64_t *which) {
    const ir_op *op = cond->def;
    uint64_t other;
    if (!s->laid || !op)
        return false;
    if (op->code == OP_and || op->code == OP_or) {
        if (!lanes_which(s, op->in[0], which) || !lanes_which(s, op->in[1], &other))
            return false;
        *which = op->code == OP_and ? *which & other : *which | other;
        return true;
    }
    if (op->code == OP_inv && lanes_which(s, op->in[0], which)) {
        *which = ~*which & lanes_all(s);
        return true;
    }
    bool compares = op->code == OP_lt || op->code == OP_le || op->code == OP_gt ||
                    op->code == OP_ge || op->code == OP_eq || op->code == OP_ne;
    int64_t a, b, by[2];
    if (!compares || !known(s, op->in[0], &a, &by[0]) || !known(s, op->in[1], &b, &by[1]))
        return false;
    *which = 0;
    for (int i = 0; i < s->width; i++)
        if (holds(op->code, a + by[0] * i, b + by[1] * i))
            *which |= (uint64_t)1 << i;
    return true;
}
