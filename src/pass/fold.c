/* Constants and plain algebra. Keeps types, only shrinks. Integer folding wraps within the type, as
 * the op does. */
#include "pass/fold.h"
#include "pass/pass.h"
#include <math.h>

static bool iconst_of(const ir_value *v, int64_t *out) {
    if (!v->def || v->def->code != OP_iconst)
        return false;
    *out = v->def->attr[0].i;
    return true;
}
static bool fconst_of(const ir_value *v, double *out) {
    if (!v->def || v->def->code != OP_fconst)
        return false;
    *out = v->def->attr[0].f;
    return true;
}

static int64_t wrap(dtype t, int64_t v) {
    switch (dtype_table[t].bytes) {
    case 1:
        return t == DT_bool                ? v != 0
               : dtype_table[t].cls == 'I' ? (int64_t)(int8_t)v
                                           : (int64_t)(uint8_t)v;
    case 2: return dtype_table[t].cls == 'I' ? (int64_t)(int16_t)v : (int64_t)(uint16_t)v;
    case 4: return dtype_table[t].cls == 'I' ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
    default: return v;
    }
}

static void become_int(ir_op *op, int64_t v) {
    op->code = OP_iconst;
    op->nin = 0;
    op->attr[0] = (ir_attr){.i = wrap((dtype)op->out[0]->type.dt, v)};
    op->attr[1] = (ir_attr){0};
}
static void become_float(ir_op *op, double v) {
    op->code = OP_fconst;
    op->nin = 0;
    op->attr[0] = (ir_attr){.f = op->out[0]->type.dt == DT_f32 ? (float)v : v};
    op->attr[1] = (ir_attr){0};
}

static void fold_cast(ir_op *op) {
    dtype to = (dtype)op->out[0]->type.dt, from = (dtype)op->in[0]->type.dt;
    int64_t i;
    double f;
    if (iconst_of(op->in[0], &i)) {
        double as = from == DT_u64 ? (double)(uint64_t)i : (double)i;
        if (dtype_is_float(to) && (dtype_table[to].bytes >= 4 || !i))
            become_float(op, as);
        else if (!dtype_is_float(to))
            become_int(op, i);
    } else if (fconst_of(op->in[0], &f)) {
        if (to == DT_f32 || to == DT_f64)
            become_float(op, f);
        else if (to == DT_bool)
            become_int(op, f != 0);
    }
}

static bool int_op(int code, int64_t a, int64_t b, int64_t *out) {
    switch (code) {
    case OP_add: *out = (int64_t)((uint64_t)a + (uint64_t)b); return true;
    case OP_sub: *out = (int64_t)((uint64_t)a - (uint64_t)b); return true;
    case OP_mul: *out = (int64_t)((uint64_t)a * (uint64_t)b); return true;
    case OP_and: *out = a & b; return true;
    case OP_or: *out = a | b; return true;
    case OP_xor: *out = a ^ b; return true;
    case OP_eq: *out = a == b; return true;
    case OP_ne: *out = a != b; return true;
    default: return false;
    }
}
static bool signed_op(int code, int64_t a, int64_t b, int64_t *out) {
    switch (code) {
    case OP_lt: *out = a < b; return true;
    case OP_le: *out = a <= b; return true;
    case OP_gt: *out = a > b; return true;
    case OP_ge: *out = a >= b; return true;
    case OP_max: *out = a > b ? a : b; return true;
    case OP_min: *out = a < b ? a : b; return true;
    case OP_floordiv:
        if (b <= 0)
            return false;
        *out = a / b - (a % b < 0);
        return true;
    case OP_mod:
        if (b <= 0)
            return false;
        *out = a % b + (a % b < 0 ? b : 0);
        return true;
    default: return false;
    }
}
static bool float_op(int code, double a, double b, double *out) {
    switch (code) {
    case OP_add: *out = a + b; return true;
    case OP_sub: *out = a - b; return true;
    case OP_mul: *out = a * b; return true;
    case OP_div: *out = a / b; return true;
    default: return false;
    }
}

static void fold_binary(ir_op *op) {
    int64_t a, b, r;
    double x, y, z;
    dtype t = (dtype)op->in[0]->type.dt;
    if (iconst_of(op->in[0], &a) && iconst_of(op->in[1], &b)) {
        if (int_op(op->code, a, b, &r) || (t != DT_u64 && signed_op(op->code, a, b, &r)))
            become_int(op, r);
    } else if (fconst_of(op->in[0], &x) && fconst_of(op->in[1], &y) && float_op(op->code, x, y, &z))
        become_float(op, z);
}

/* x + 0, x - 0, x * 1 of integers; select and bool & of constants: the value that the op stands
 * for, or NULL. */
static ir_value *identity(const ir_op *op) {
    int64_t k;
    bool ints = op->nin == 2 && op->in[0]->type.kind == TY_val &&
                !dtype_is_float((dtype)op->in[0]->type.dt);
    if (ints && iconst_of(op->in[1], &k)) {
        if (k == 0 && (op->code == OP_add || op->code == OP_sub))
            return op->in[0];
        if (k == 1 && (op->code == OP_mul || op->code == OP_floordiv))
            return op->in[0];
        if (op->code == OP_and && op->out[0]->type.dt == DT_bool)
            return k ? op->in[0] : op->in[1];
    }
    if (ints && iconst_of(op->in[0], &k)) {
        if ((k == 0 && op->code == OP_add) || (k == 1 && op->code == OP_mul))
            return op->in[1];
        if (op->code == OP_and && op->out[0]->type.dt == DT_bool)
            return k ? op->in[1] : op->in[0];
    }
    if (op->code == OP_select && iconst_of(op->in[0], &k))
        return op->in[k ? 1 : 2];
    if (op->code == OP_cast && ir_type_eq(op->in[0]->type, op->out[0]->type))
        return op->in[0];
    return NULL;
}

ir_value *fold_value(ir_op *op) {
    int64_t k;
    ir_value *same = identity(op);
    if (same)
        return same;
    if (op->code == OP_cast)
        fold_cast(op);
    else if (op->code == OP_inv && op->out[0]->type.dt == DT_bool && iconst_of(op->in[0], &k))
        become_int(op, !k);
    else if (op->nin == 2)
        fold_binary(op);
    return op->out[0];
}

/* if of a constant: the region taken is spliced in; a leave at its end ends the surrounding region
 * too. */
static bool splice_if(ir_op *op) {
    int64_t k;
    if (!iconst_of(op->in[0], &k))
        return false;
    ir_region *r = op->reg[k ? 0 : 1];
    if (r->last && (r->last->code == OP_leave || r->last->code == OP_raise))
        return false;
    for (ir_op *x = r->first, *next; x; x = next) {
        next = x->next;
        ir_remove(x);
        if (x->code != OP_yield)
            ir_before(op, x);
        else
            for (int i = 0; i < op->nout; i++)
                ir_forward(op->out[i], x->in[i]);
    }
    ir_remove(op);
    return true;
}

static bool has_leave(const ir_region *r, int64_t label) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_leave && op->attr[0].i == label)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (has_leave(op->reg[i], label))
                return true;
    }
    return false;
}

/* A scope that nothing leaves early, or only by its last op, is its body. This is where inlined
 * calls dissolve. */
static bool splice_scope(ir_op *op) {
    ir_region *r = op->reg[0];
    ir_op *last = r->last;
    if (!last || last->code == OP_raise ||
        (last->code == OP_leave && last->attr[0].i != op->attr[0].i))
        return false;
    ir_remove(last);
    if (has_leave(r, op->attr[0].i)) {
        ir_append(r, last);
        return false;
    }
    for (ir_op *x = r->first, *next; x; x = next) {
        next = x->next;
        ir_remove(x);
        ir_before(op, x);
    }
    for (int i = 0; i < op->nout; i++)
        ir_forward(op->out[i], last->in[i]);
    ir_remove(op);
    return true;
}

/* x ** 2 is x * x to the bit, the cube and the fourth power closer than vector libraries come. */
static void fold_pow(ir_func *f, ir_op *op) {
    double k;
    ir_value *x = op->in[0];
    if (!dtype_is_float((dtype)x->type.dt) || !fconst_of(op->in[1], &k) ||
        (k != 2 && k != 3 && k != 4))
        return;
    ir_op *square = op;
    if (k > 2) {
        square = ir_op_new(f, OP_mul, op->site, 2, 1, 0);
        square->out[0]->type = x->type;
        ir_before(op, square);
        op->in[0] = square->out[0];
        op->in[1] = k == 3 ? x : square->out[0];
    }
    square->in[0] = square->in[1] = x;
    op->code = OP_mul;
}

static void fold_region(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_follow(op);
        for (int i = 0; i < op->nreg; i++)
            fold_region(f, op->reg[i]);
        if (op->code == OP_if)
            splice_if(op);
        else if (op->code == OP_scope)
            splice_scope(op);
        else if (op->nout == 1 && ir_ops[op->code].effect == EFF_PURE) {
            ir_value *same = fold_value(op);
            if (same != op->out[0]) {
                ir_forward(op->out[0], same);
                ir_remove(op);
            } else if (op->code == OP_pow)
                fold_pow(f, op);
        }
    }
}

status pass_fold(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    fold_region(f, f->body);
    ir_clear_aux(f->body);
    return OK;
}
