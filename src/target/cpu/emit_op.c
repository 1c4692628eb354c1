/* Arithmetic. Integers wrap; division by zero gives 0 and nothing traps; floats are strict but for
 * recognised accumulations. */
#include "target/cpu/llvm.h"
#include <string.h>

static LLVMValueRef in(emit *e, const ir_op *op, int i) { return e->vals[op->in[i]->id]; }

void cpu_fast(LLVMValueRef v) {
    if (LLVMIsAInstruction(v))
        LLVMSetFastMathFlags(v, LLVMFastMathAllowReassoc | LLVMFastMathAllowContract |
                                    LLVMFastMathNoSignedZeros);
}

static bool is_float(ir_type t) { return dtype_is_float((dtype)t.dt); }
static bool is_signed(ir_type t) { return dtype_table[t.dt].cls == 'I'; }

static LLVMValueRef shift(emit *e, const ir_op *op, ir_type t) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ty = cpu_type(e, t);
    LLVMValueRef a = in(e, op, 0), b = in(e, op, 1);
    int bits = dtype_table[t.dt].bytes * 8;
    LLVMValueRef wide = LLVMBuildICmp(B, LLVMIntUGE, b, cpu_iconst(e, ty, bits), "");
    LLVMValueRef d = LLVMBuildSelect(B, wide, cpu_iconst(e, ty, bits - 1), b, "");
    if (op->code == OP_shr && is_signed(t))
        return LLVMBuildAShr(B, a, d, "");
    LLVMValueRef r = op->code == OP_shl ? LLVMBuildShl(B, a, d, "") : LLVMBuildLShr(B, a, d, "");
    return LLVMBuildSelect(B, wide, cpu_iconst(e, ty, 0), r, "");
}

static LLVMValueRef compare(emit *e, const ir_op *op) {
    static const LLVMRealPredicate real[] = {LLVMRealOLT, LLVMRealOLE, LLVMRealOGT,
                                             LLVMRealOGE, LLVMRealOEQ, LLVMRealUNE};
    static const LLVMIntPredicate sig[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntSGT,
                                           LLVMIntSGE, LLVMIntEQ,  LLVMIntNE};
    static const LLVMIntPredicate uns[] = {LLVMIntULT, LLVMIntULE, LLVMIntUGT,
                                           LLVMIntUGE, LLVMIntEQ,  LLVMIntNE};
    ir_type t = op->in[0]->type;
    int k = op->code - OP_lt;
    if (is_float(t))
        return LLVMBuildFCmp(e->b, real[k], in(e, op, 0), in(e, op, 1), "");
    return LLVMBuildICmp(e->b, is_signed(t) ? sig[k] : uns[k], in(e, op, 0), in(e, op, 1), "");
}

/* Rounded to odd: what is then rounded to a half gets the same as in one step. */
static LLVMValueRef to_odd_f32(emit *e, unsigned lanes, LLVMValueRef x) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef f32 = cpu_type(e, ir_val(DT_f32, lanes)), f64 = LLVMTypeOf(x);
    LLVMTypeRef bits = cpu_type(e, ir_val(DT_u32, lanes));
    LLVMValueRef t = LLVMBuildFPTrunc(B, x, f32, ""), back = LLVMBuildFPExt(B, t, f64, "");
    LLVMValueRef ax = cpu_intrinsic(e, "llvm.fabs", &f64, 1, &x, 1);
    LLVMValueRef ab = cpu_intrinsic(e, "llvm.fabs", &f64, 1, &back, 1);
    LLVMValueRef over = LLVMBuildZExt(B, LLVMBuildFCmp(B, LLVMRealOGT, ab, ax, ""), bits, "");
    LLVMValueRef inexact = LLVMBuildZExt(B, LLVMBuildFCmp(B, LLVMRealONE, back, x, ""), bits, "");
    LLVMValueRef b = LLVMBuildSub(B, LLVMBuildBitCast(B, t, bits, ""), over, "");
    return LLVMBuildBitCast(B, LLVMBuildOr(B, b, inexact, ""), f32, "");
}

/* To the nearest bfloat16, ties to even. Not with the instruction for it, which takes subnormals
   for zero. */
static LLVMValueRef to_bf16(emit *e, unsigned lanes, LLVMValueRef x) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef u32 = cpu_type(e, ir_val(DT_u32, lanes));
    LLVMValueRef b = LLVMBuildBitCast(B, x, u32, ""), sixteen = cpu_iconst(e, u32, 16);
    LLVMValueRef up = LLVMBuildLShr(B, b, sixteen, "");
    LLVMValueRef odd = LLVMBuildAnd(B, up, cpu_iconst(e, u32, 1), "");
    LLVMValueRef r = LLVMBuildAdd(B, LLVMBuildAdd(B, b, odd, ""), cpu_iconst(e, u32, 0x7fff), "");
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealUNO, x, x, ""),
                        LLVMBuildOr(B, up, cpu_iconst(e, u32, 0x40), ""),
                        LLVMBuildLShr(B, r, sixteen, ""), "");
    r = LLVMBuildTrunc(B, r, cpu_type(e, ir_val(DT_u16, lanes)), "");
    return LLVMBuildBitCast(B, r, cpu_type(e, ir_val(DT_bf16, lanes)), "");
}

/* Its bits in front: LLVM would take a widening for reason to narrow what follows. */
static LLVMValueRef from_bf16(emit *e, unsigned lanes, LLVMValueRef x) {
    LLVMTypeRef u32 = cpu_type(e, ir_val(DT_u32, lanes));
    LLVMValueRef b = LLVMBuildBitCast(e->b, x, cpu_type(e, ir_val(DT_u16, lanes)), "");
    b = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, b, u32, ""), cpu_iconst(e, u32, 16), "");
    return LLVMBuildBitCast(e->b, b, cpu_type(e, ir_val(DT_f32, lanes)), "");
}

static LLVMValueRef cast(emit *e, ir_type from, ir_type to, LLVMValueRef v) {
    LLVMTypeRef ty = cpu_type(e, to), src = cpu_type(e, from);
    LLVMBuilderRef B = e->b;
    if (ty == src)
        return v;
    if (to.dt == DT_bool)
        return is_float(from) ? LLVMBuildFCmp(B, LLVMRealUNE, v, cpu_fconst(e, src, 0), "")
                              : LLVMBuildICmp(B, LLVMIntNE, v, cpu_iconst(e, src, 0), "");
    if (from.dt == DT_bf16) {
        v = from_bf16(e, from.lanes, v);
        return cast(e, ir_val(DT_f32, from.lanes), to, v);
    }
    if (is_float(from) && is_float(to)) {
        if (dtype_table[to.dt].bytes == 2 && dtype_table[from.dt].bytes == 8)
            v = to_odd_f32(e, to.lanes, v);
        if (from.dt == DT_f16 && to.dt == DT_bf16)
            v = LLVMBuildFPExt(B, v, cpu_type(e, ir_val(DT_f32, to.lanes)), "");
        if (to.dt == DT_bf16)
            return to_bf16(e, to.lanes, v);
        bool up = dtype_table[to.dt].bytes > dtype_table[from.dt].bytes;
        return up ? LLVMBuildFPExt(B, v, ty, "") : LLVMBuildFPTrunc(B, v, ty, "");
    }
    if (is_float(to))
        return is_signed(from) ? LLVMBuildSIToFP(B, v, ty, "") : LLVMBuildUIToFP(B, v, ty, "");
    if (is_float(from)) {
        LLVMTypeRef over[2] = {ty, src};
        return cpu_intrinsic(e, is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", over, 2, &v,
                             1);
    }
    if (dtype_table[to.dt].bytes <= dtype_table[from.dt].bytes && from.dt != DT_bool)
        return LLVMBuildTruncOrBitCast(B, v, ty, "");
    return is_signed(from) ? LLVMBuildSExt(B, v, ty, "") : LLVMBuildZExt(B, v, ty, "");
}

static bool from_half(const ir_value *v) {
    return v->def && v->def->code == OP_cast && v->def->in[0]->type.dt == DT_f16;
}

/* LLVM makes a maximum of widened float16 one of float16, and that loses NaN. */
static LLVMValueRef select_max_min(emit *e, ir_type t, bool max, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ty = cpu_type(e, t), bits = cpu_type(e, ir_val(DT_u32, t.lanes));
    LLVMValueRef first = LLVMBuildFCmp(B, max ? LLVMRealUGT : LLVMRealULT, a, b, "");
    first = LLVMBuildAnd(B, first, LLVMBuildFCmp(B, LLVMRealORD, b, b, ""), "");
    LLVMValueRef x = LLVMBuildBitCast(B, a, bits, ""), y = LLVMBuildBitCast(B, b, bits, "");
    LLVMValueRef zero = max ? LLVMBuildAnd(B, x, y, "") : LLVMBuildOr(B, x, y, "");
    return LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOEQ, a, b, ""),
                           LLVMBuildBitCast(B, zero, ty, ""), LLVMBuildSelect(B, first, a, b, ""),
                           "");
}

static LLVMValueRef max_min(emit *e, const ir_op *op, ir_type t) {
    LLVMTypeRef ty = cpu_type(e, t);
    LLVMValueRef a[2] = {in(e, op, 0), in(e, op, 1)};
    bool max = op->code == OP_max;
    if (t.dt == DT_f32 && (from_half(op->in[0]) || from_half(op->in[1])))
        return select_max_min(e, t, max, a[0], a[1]);
    if (is_float(t)) {
        LLVMValueRef r = cpu_intrinsic(e, max ? "llvm.maximum" : "llvm.minimum", &ty, 1, a, 2);
        if (op->attr[0].i)
            LLVMSetFastMathFlags(r, LLVMFastMathNoSignedZeros);
        return r;
    }
    const char *name =
        is_signed(t) ? (max ? "llvm.smax" : "llvm.smin") : (max ? "llvm.umax" : "llvm.umin");
    return cpu_intrinsic(e, name, &ty, 1, a, 2);
}

static LLVMValueRef arith(emit *e, const ir_op *op) {
    LLVMBuilderRef B = e->b;
    ir_type t = op->in[0]->type;
    bool fl = is_float(t);
    LLVMValueRef a = in(e, op, 0), b = op->nin > 1 ? in(e, op, 1) : NULL, r;
    switch (op->code) {
    case OP_add: r = fl ? LLVMBuildFAdd(B, a, b, "") : LLVMBuildAdd(B, a, b, ""); break;
    case OP_sub: r = fl ? LLVMBuildFSub(B, a, b, "") : LLVMBuildSub(B, a, b, ""); break;
    case OP_mul: r = fl ? LLVMBuildFMul(B, a, b, "") : LLVMBuildMul(B, a, b, ""); break;
    case OP_subsat: {
        LLVMTypeRef ty = LLVMTypeOf(a);
        LLVMValueRef pair[2] = {a, b};
        return cpu_intrinsic(e, "llvm.ssub.sat", &ty, 1, pair, 2);
    }
    case OP_div: return LLVMBuildFDiv(B, a, b, "");
    case OP_floordiv:
        if (op->attr[0].i)
            return LLVMBuildUDiv(e->b, a, b, "");
        return cpu_floor_div(e, t, a, b, false);
    case OP_mod:
        if (op->attr[0].i)
            return LLVMBuildURem(e->b, a, b, "");
        return cpu_floor_div(e, t, a, b, true);
    case OP_neg: return fl ? LLVMBuildFNeg(B, a, "") : LLVMBuildNeg(B, a, "");
    case OP_and: return LLVMBuildAnd(B, a, b, "");
    case OP_or: return LLVMBuildOr(B, a, b, "");
    case OP_xor: return LLVMBuildXor(B, a, b, "");
    case OP_inv: return LLVMBuildNot(B, a, "");
    default: return NULL;
    }
    if (fl && op->attr[0].i)
        cpu_fast(r);
    return r;
}

static LLVMValueRef iota(emit *e, ir_type t) {
    LLVMValueRef k[512];
    LLVMTypeRef s = cpu_scalar(e, (dtype)t.dt);
    for (unsigned i = 0; i < t.lanes && i < 512; i++)
        k[i] = LLVMConstInt(s, i, 0);
    return LLVMConstVector(k, t.lanes);
}

static LLVMValueRef any(emit *e, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind
               ? cpu_intrinsic(e, "llvm.vector.reduce.or", &t, 1, &v, 1)
               : v;
}

/* Made only where the host has them: pass_options.pairs. */
static LLVMValueRef pairs(emit *e, const ir_op *op) {
    LLVMValueRef a[3] = {in(e, op, 0), in(e, op, 1), in(e, op, 2)};
    static const char *const name[] = {"llvm.x86.avx512.vpdpwssd.512",
                                       "llvm.x86.avx512bf16.dpbf16ps.512",
                                       "llvm.x86.avx512.vpdpbusd.512"};
    LLVMTypeRef t = cpu_type(e, ir_val(DT_bf16, 2u * op->out[0]->type.lanes));
    for (int i = 1; op->attr[0].i == 1 && i < 3; i++)
        a[i] = LLVMBuildBitCast(e->b, a[i], t, "");
    return cpu_intrinsic(e, name[op->attr[0].i], NULL, 0, a, 3);
}

static LLVMValueRef window(emit *e, const ir_op *op) {
    enum { MOST = 64 };
    LLVMValueRef at[MOST];
    unsigned n = op->out[0]->type.lanes;
    for (unsigned i = 0; i < n && i < MOST; i++)
        at[i] =
            LLVMConstInt(LLVMInt32TypeInContext(e->c), (unsigned long long)op->attr[0].i + i, 0);
    return LLVMBuildShuffleVector(e->b, in(e, op, 0), in(e, op, 1), LLVMConstVector(at, n), "");
}

LLVMValueRef cpu_value(emit *e, const ir_op *op) {
    ir_type t = op->out[0]->type;
    switch (op->code) {
    case OP_iconst: return cpu_iconst(e, cpu_type(e, t), op->attr[0].i);
    case OP_fconst: return cpu_fconst(e, cpu_type(e, t), op->attr[0].f);
    case OP_shl:
    case OP_shr: return shift(e, op, t);
    case OP_max:
    case OP_min: return max_min(e, op, t);
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_eq:
    case OP_ne: return compare(e, op);
    case OP_select: return LLVMBuildSelect(e->b, in(e, op, 0), in(e, op, 1), in(e, op, 2), "");
    case OP_cast: return cast(e, op->in[0]->type, t, in(e, op, 0));
    case OP_isnan: return LLVMBuildFCmp(e->b, LLVMRealUNO, in(e, op, 0), in(e, op, 0), "");
    case OP_splat: return cpu_splat(e, in(e, op, 0), t.lanes);
    case OP_iota: return iota(e, t);
    case OP_extract: return LLVMBuildExtractElement(e->b, in(e, op, 0), in(e, op, 1), "");
    case OP_insert:
        return LLVMBuildInsertElement(e->b, in(e, op, 0), in(e, op, 1), in(e, op, 2), "");
    case OP_any: return any(e, in(e, op, 0));
    case OP_bits: return LLVMBuildBitCast(e->b, in(e, op, 0), cpu_type(e, t), "");
    case OP_pairs: return pairs(e, op);
    case OP_window: return window(e, op);
    default: break;
    }
    LLVMValueRef r = arith(e, op);
    return r ? r : cpu_math(e, op->code, t, in(e, op, 0), op->nin > 1 ? in(e, op, 1) : NULL);
}

/* Halves are exchanged, then quarters, down to single lanes. */
static void transpose(emit *e, const ir_op *op) {
    enum { MOST = 64 };
    LLVMValueRef v[MOST], mask[2][MOST];
    unsigned n = op->nin;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c);
    for (unsigned i = 0; i < n; i++)
        v[i] = in(e, op, (int)i);
    for (unsigned s = n / 2; s; s /= 2) {
        for (unsigned l = 0; l < n; l++) {
            mask[0][l] = LLVMConstInt(i32, l & s ? n + l - s : l, 0);
            mask[1][l] = LLVMConstInt(i32, l & s ? n + l : l + s, 0);
        }
        LLVMValueRef low = LLVMConstVector(mask[0], n), high = LLVMConstVector(mask[1], n);
        for (unsigned i = 0; i < n; i++) {
            if (i & s)
                continue;
            LLVMValueRef a = v[i], b = v[i + s];
            v[i] = LLVMBuildShuffleVector(e->b, a, b, low, "");
            v[i + s] = LLVMBuildShuffleVector(e->b, a, b, high, "");
        }
    }
    for (unsigned i = 0; i < n; i++)
        e->vals[op->out[i]->id] = v[i];
}

void cpu_emit_value(emit *e, const ir_op *op) {
    if (op->code == OP_transpose) {
        transpose(e, op);
        return;
    }
    LLVMValueRef v = cpu_once(e, op);
    if (!v)
        v = cpu_value(e, op);
    e->vals[op->out[0]->id] = v;
    if (op->out[0]->name && LLVMIsAInstruction(v))
        LLVMSetValueName2(v, op->out[0]->name, strlen(op->out[0]->name));
}
