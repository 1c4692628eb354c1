#include "ana/low.h"

enum { DEPTH = 16, TOP = 1000000 };

static int low(const ir_value *v, const ir_value *from_zero, int depth);

static int clamp(int64_t v) { return v < ANA_UNKNOWN ? ANA_UNKNOWN : v > TOP ? TOP : (int)v; }

static bool constant(const ir_value *v, int64_t *out) {
    bool is = v->def && v->def->code == OP_iconst;
    if (is)
        *out = v->def->attr[0].i;
    return is;
}

static int of_argument(const ir_value *v, const ir_value *from_zero, int depth) {
    const ir_op *loop = v->region ? v->region->owner : NULL;
    int64_t step, end;
    if (loop && (loop->code == OP_parallel || loop->code == OP_pipeline))
        return 0;
    if (!loop || loop->code != OP_for || loop->reg[0]->args[0] != v)
        return ANA_UNKNOWN;
    if (!constant(loop->in[2], &step))
        step = low(loop->in[2], from_zero, depth);
    if (step > 0)
        return low(loop->in[0], from_zero, depth);
    return step < 0 && constant(loop->in[1], &end) ? clamp(end + 1) : ANA_UNKNOWN;
}

static int of_two(const ir_op *op, const ir_value *from_zero, int depth) {
    int a = low(op->in[0], from_zero, depth), b = low(op->in[1], from_zero, depth);
    bool known = a > ANA_UNKNOWN && b > ANA_UNKNOWN;
    int64_t k;
    switch (op->code) {
    case OP_add: return known ? clamp((int64_t)a + b) : ANA_UNKNOWN;
    case OP_sub:
        return a > ANA_UNKNOWN && constant(op->in[1], &k) && k < TOP && k > -TOP ? clamp(a - k)
                                                                                 : ANA_UNKNOWN;
    case OP_mul: return a >= 0 && b >= 0 ? clamp((int64_t)a * b) : ANA_UNKNOWN;
    case OP_min: return a < b ? a : b;
    case OP_max: return a > b ? a : b;
    case OP_floordiv: return a >= 0 && b >= 0 ? 0 : ANA_UNKNOWN;
    case OP_mod: return b >= 0 ? 0 : ANA_UNKNOWN;
    case OP_and: return a >= 0 || b >= 0 ? 0 : ANA_UNKNOWN;
    case OP_shr: return a >= 0 ? 0 : ANA_UNKNOWN;
    default: return ANA_UNKNOWN;
    }
}

static int low(const ir_value *v, const ir_value *from_zero, int depth) {
    const ir_op *op = v->def;
    if (v == from_zero)
        return 0;
    if (depth > DEPTH)
        return ANA_UNKNOWN;
    if (!op)
        return of_argument(v, from_zero, depth + 1);
    switch (op->code) {
    case OP_iconst: return clamp(op->attr[0].i);
    case OP_gsize:
    case OP_lsize:
    case OP_nblocks: return 1; /* something runs */
    case OP_gid:
    case OP_lid:
    case OP_bid:
    case OP_dim: return 0;
    case OP_cast:
        return dtype_table[op->in[0]->type.dt].cls == 'U' || op->in[0]->type.dt == DT_bool
                   ? 0
                   : ANA_UNKNOWN;
    default:
        return op->nin == 2 && op->out[0]->type.kind == TY_val ? of_two(op, from_zero, depth + 1)
                                                               : ANA_UNKNOWN;
    }
}

int ana_low(const ir_value *v, const ir_value *from_zero) { return low(v, from_zero, 0); }
