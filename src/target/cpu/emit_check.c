/* Exceptions and checks: what they ask is a bool, what they find goes to the runtime (rt/raise.h).
 */
#include "base/vec.h"
#include "rt/raise.h"
#include "target/cpu/llvm.h"
#include <math.h>
#include <string.h>

static LLVMValueRef in(emit *e, const ir_op *op, int i) { return e->vals[op->in[i]->id]; }

/* As a slot of a kernel's arguments: integers as int64, floats as a double's bits. */
LLVMValueRef cpu_slot(emit *e, ir_type t, LLVMValueRef v) {
    if (dtype_is_float((dtype)t.dt)) {
        LLVMTypeRef d = LLVMDoubleTypeInContext(e->c);
        v = t.dt == DT_f64 || t.dt == DT_wflt ? v : LLVMBuildFPExt(e->b, v, d, "");
        return LLVMBuildBitCast(e->b, v, e->i64, "");
    }
    if (dtype_table[t.dt].bytes == 8)
        return v;
    return dtype_table[t.dt].cls == 'I' ? LLVMBuildSExt(e->b, v, e->i64, "")
                                        : LLVMBuildZExt(e->b, v, e->i64, "");
}

LLVMValueRef cpu_slots(emit *e, const ir_op *op, int first, int n) {
    LLVMValueRef buf = cpu_alloca(e, LLVMArrayType(e->i64, (unsigned)n + 1), "values");
    for (int i = 0; i < n; i++) {
        LLVMValueRef k = cpu_i64(e, i), at = LLVMBuildInBoundsGEP2(e->b, e->i64, buf, &k, 1, "");
        LLVMBuildStore(e->b, cpu_slot(e, op->in[first + i]->type, in(e, op, first + i)), at);
    }
    return buf;
}

static LLVMValueRef external(emit *e, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef params[8];
    for (unsigned i = 0; i < n; i++)
        params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef ft = LLVMFunctionType(LLVMVoidTypeInContext(e->c), params, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(e->m, name);
    if (!f) {
        f = LLVMAddFunction(e->m, name, ft);
        cpu_attribute(e, f, "nounwind", 0);
    }
    return LLVMBuildCall2(e->b, ft, f, args, n, "");
}

/* The work-item's number in its block. */
static LLVMValueRef item_number(emit *e, const ir_op *op, int first) {
    LLVMValueRef z = in(e, op, first + 2), y = in(e, op, first + 1), x = in(e, op, first);
    LLVMValueRef r = LLVMBuildMul(e->b, z, e->n[1], "");
    r = LLVMBuildMul(e->b, LLVMBuildAdd(e->b, r, y, ""), e->n[0], "");
    return LLVMBuildAdd(e->b, r, x, "");
}

static LLVMValueRef block_number(emit *e) { return e->number ? e->number : cpu_i64(e, 0); }

/* pyasc_trap(launch, slot, block, item, local ids or zeros, n, values) through an array:
   block, item, ids, values. */
static void trap(emit *e, const ir_op *op) {
    int ids = (int)op->attr[1].i, n = op->nin - ids;
    LLVMTypeRef arr = LLVMArrayType(e->i64, RT_TRAP_HEAD + 2 * (unsigned)n);
    LLVMValueRef buf = cpu_alloca(e, arr, "raised"), zero = cpu_i64(e, 0);
    LLVMValueRef head[RT_TRAP_HEAD] = {block_number(e), ids ? item_number(e, op, n) : zero};
    for (int d = 0; d < 3; d++) {
        head[2 + d] = e->block[d] ? e->block[d] : zero;
        head[5 + d] = ids ? in(e, op, n + d) : zero;
    }
    for (int i = 0; i < RT_TRAP_HEAD + 2 * n; i++) {
        LLVMValueRef k = cpu_i64(e, i), at = LLVMBuildInBoundsGEP2(e->b, e->i64, buf, &k, 1, "");
        int v = i - RT_TRAP_HEAD;
        LLVMBuildStore(e->b,
                       v < 0   ? head[i]
                       : v % 2 ? cpu_i64(e, op->in[v / 2]->type.dt)
                               : cpu_slot(e, op->in[v / 2]->type, in(e, op, v / 2)),
                       at);
    }
    LLVMValueRef a[4] = {e->launch, cpu_i64(e, op->attr[0].i), cpu_i64(e, n), buf};
    external(e, "pyasc_trap", a, 4);
}

static void touch(emit *e, const ir_op *op) {
    int ids = op->attr[1].i & TOUCH_ids ? 3 : 0, own = (op->attr[1].i & TOUCH_item) != 0,
        rank = op->nin - 1 - ids - own;
    const ir_value *t = op->in[0];
    ir_op access = *op;
    access.nin = (uint16_t)(1 + rank);
    LLVMValueRef p = cpu_address(e, &access, 1, 0);
    LLVMValueRef index = cpu_slots(e, op, 1, rank);
    LLVMValueRef item = ids   ? item_number(e, op, 1 + rank + own)
                        : own ? in(e, op, 1 + rank)
                              : cpu_i64(e, 0);
    int64_t mode = op->attr[1].i & 7;
    LLVMValueRef a[7] = {
        e->launch,
        p,
        cpu_i64(e, op->attr[0].i),
        cpu_i64(e, mode | (int64_t)dtype_table[t->type.dt].bytes << 8 | (int64_t)rank << 16),
        block_number(e),
        item,
        index};
    external(e, "pyasc_touch", a, 7);
}

static LLVMValueRef never(emit *e, const ir_op *op) {
    return LLVMConstNull(cpu_type(e, op->out[0]->type));
}

static bool is_zero_op(emit *e, const ir_op *op) {
    ir_type b = op->in[0]->type, a = op->in[1]->type;
    bool floats = dtype_is_float((dtype)a.dt) || dtype_is_float((dtype)b.dt);
    LLVMValueRef v = in(e, op, 0), zero = LLVMConstNull(LLVMTypeOf(v));
    e->vals[op->out[0]->id] = floats && !op->attr[0].i ? never(e, op)
                              : dtype_is_float((dtype)b.dt)
                                  ? LLVMBuildFCmp(e->b, LLVMRealOEQ, v, zero, "")
                                  : LLVMBuildICmp(e->b, LLVMIntEQ, v, zero, "");
    return true;
}

static LLVMValueRef with_overflow(emit *e, const char *name, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef both[2] = {a, b}, r = cpu_intrinsic(e, name, &t, 1, both, 2);
    return LLVMBuildExtractValue(e->b, r, 1, "");
}

/* a ** b as a double: is it beyond the type? */
static LLVMValueRef pow_overflows(emit *e, unsigned lanes, int bits, LLVMValueRef a,
                                  LLVMValueRef b) {
    LLVMTypeRef d = cpu_type(e, ir_val(DT_f64, lanes));
    LLVMValueRef x[2] = {LLVMBuildSIToFP(e->b, a, d, ""), LLVMBuildSIToFP(e->b, b, d, "")};
    LLVMValueRef p = cpu_library(e, OP_pow, ir_val(DT_f64, lanes), x, 2);
    LLVMValueRef limit = cpu_fconst(e, d, ldexp(1, bits - 1));
    LLVMValueRef high = LLVMBuildFCmp(e->b, LLVMRealOGE, p, limit, "");
    LLVMValueRef low = LLVMBuildFCmp(e->b, LLVMRealOLT, p, LLVMBuildFNeg(e->b, limit, ""), "");
    LLVMValueRef counts = LLVMBuildICmp(e->b, LLVMIntSGE, b, LLVMConstNull(LLVMTypeOf(b)), "");
    return LLVMBuildAnd(e->b, LLVMBuildOr(e->b, high, low, ""), counts, "");
}

static LLVMValueRef overflow_of(emit *e, const ir_op *op) {
    ir_type t = op->in[0]->type;
    LLVMBuilderRef B = e->b;
    LLVMValueRef a = in(e, op, 0), b = op->nin > 1 ? in(e, op, 1) : NULL;
    LLVMTypeRef ty = LLVMTypeOf(a);
    int bits = dtype_table[t.dt].bytes * 8, code = (int)op->attr[0].i;
    if (code == OP_store && (t.dt == DT_u32 || t.dt == DT_u64 || dtype_table[t.dt].cls == 'I')) {
        int to = dtype_table[op->attr[1].i].bytes * 8;
        bool is_unsigned = dtype_table[t.dt].cls == 'U';
        LLVMValueRef high = cpu_iconst(e, ty, (int64_t)(((uint64_t)1 << (to - 1)) - 1));
        if (to > bits || (to == bits && !is_unsigned))
            return never(e, op);
        if (is_unsigned)
            return LLVMBuildICmp(B, LLVMIntUGT, a, high, "");
        LLVMValueRef low = LLVMBuildNot(B, high, "");
        return LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntSGT, a, high, ""),
                           LLVMBuildICmp(B, LLVMIntSLT, a, low, ""), "");
    }
    if (dtype_table[t.dt].cls != 'I')
        return never(e, op);
    LLVMValueRef least = cpu_iconst(e, ty, (int64_t)((uint64_t)1 << (bits - 1)));
    LLVMValueRef is_least = LLVMBuildICmp(B, LLVMIntEQ, a, least, "");
    switch (code) {
    case OP_add: return with_overflow(e, "llvm.sadd.with.overflow", a, b);
    case OP_sub: return with_overflow(e, "llvm.ssub.with.overflow", a, b);
    case OP_mul: return with_overflow(e, "llvm.smul.with.overflow", a, b);
    case OP_neg:
    case OP_abs: return is_least;
    case OP_floordiv:
        return LLVMBuildAnd(B, is_least, LLVMBuildICmp(B, LLVMIntEQ, b, LLVMConstAllOnes(ty), ""),
                            "");
    case OP_pow: return pow_overflows(e, t.lanes, bits, a, b);
    case OP_shl: {
        LLVMValueRef wide = LLVMBuildICmp(B, LLVMIntUGE, b, cpu_iconst(e, ty, bits), "");
        LLVMValueRef by = LLVMBuildSelect(B, wide, cpu_iconst(e, ty, bits - 1), b, "");
        LLVMValueRef back = LLVMBuildAShr(B, LLVMBuildShl(B, a, by, ""), by, "");
        return LLVMBuildICmp(B, LLVMIntNE, back, a, "");
    }
    default: return never(e, op);
    }
}

bool cpu_emit_check(emit *e, const ir_op *op) {
    switch (op->code) {
    case OP_trap: trap(e, op); return true;
    case OP_touch: touch(e, op); return true;
    case OP_epoch: {
        LLVMValueRef a[1] = {e->launch};
        external(e, "pyasc_epoch", a, 1);
        return true;
    }
    case OP_iszero: return is_zero_op(e, op);
    case OP_overflows: e->vals[op->out[0]->id] = overflow_of(e, op); return true;
    default: return false;
    }
}
