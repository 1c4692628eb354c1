/* Floor division and its remainder, of integers and floats. */
#include "target/cpu/llvm.h"

static bool is_signed(ir_type t) { return dtype_table[t.dt].cls == 'I'; }

/* a // b or a % b of integers */
static LLVMValueRef int_div(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b, bool want_mod) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ty = cpu_type(e, t);
    LLVMValueRef zero = cpu_iconst(e, ty, 0), one = cpu_iconst(e, ty, 1);
    LLVMValueRef by_zero = LLVMBuildICmp(B, LLVMIntEQ, b, zero, "");
    LLVMValueRef d = LLVMBuildSelect(B, by_zero, one, b, ""), r;
    if (!is_signed(t)) {
        r = want_mod ? LLVMBuildURem(B, a, d, "") : LLVMBuildUDiv(B, a, d, "");
        return LLVMBuildSelect(B, by_zero, zero, r, "");
    }
    LLVMValueRef minus = LLVMBuildICmp(B, LLVMIntEQ, d, LLVMConstAllOnes(ty), "");
    d = LLVMBuildSelect(B, minus, one, d, "");
    LLVMValueRef q = LLVMBuildSDiv(B, a, d, ""),
                 m = LLVMBuildSub(B, a, LLVMBuildMul(B, q, d, ""), "");
    LLVMValueRef off =
        LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntNE, m, zero, ""),
                     LLVMBuildICmp(B, LLVMIntSLT, LLVMBuildXor(B, m, d, ""), zero, ""), "");
    if (want_mod)
        r = LLVMBuildSelect(B, minus, zero,
                            LLVMBuildSelect(B, off, LLVMBuildAdd(B, m, d, ""), m, ""), "");
    else
        r = LLVMBuildSelect(B, minus, LLVMBuildNeg(B, a, ""),
                            LLVMBuildSelect(B, off, LLVMBuildSub(B, q, one, ""), q, ""), "");
    return LLVMBuildSelect(B, by_zero, zero, r, "");
}

static LLVMValueRef one(emit *e, const char *name, LLVMValueRef a) {
    LLVMTypeRef t = LLVMTypeOf(a);
    return cpu_intrinsic(e, name, &t, 1, &a, 1);
}
static LLVMValueRef copysign_of(emit *e, LLVMValueRef a, LLVMValueRef sign) {
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef in[2] = {a, sign};
    return cpu_intrinsic(e, "llvm.copysign", &t, 1, in, 2);
}

/* C's fmod of float32s in float64: exact while the quotient has at most 29 bits, as quotient times
   divisor then has 53. *good: was it so? The quotient may be one off, which the remainder shows. */
static LLVMValueRef short_rem(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef *good) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef wide = cpu_type(e, ir_val(DT_f64, t.lanes));
    LLVMValueRef x = LLVMBuildFPExt(B, a, wide, ""), y = LLVMBuildFPExt(B, b, wide, "");
    LLVMValueRef zero = cpu_fconst(e, wide, 0),
                 q = one(e, "llvm.trunc", LLVMBuildFDiv(B, x, y, ""));
    LLVMValueRef in[3] = {LLVMBuildFNeg(B, q, ""), y, x}, step = copysign_of(e, y, x);
    LLVMValueRef r = cpu_intrinsic(e, "llvm.fma", &wide, 1, in, 3);
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOEQ, q, zero, ""), x, r, "");
    LLVMValueRef under = LLVMBuildFCmp(B, LLVMRealOLT, LLVMBuildFMul(B, r, x, ""), zero, "");
    r = LLVMBuildSelect(B, under, LLVMBuildFAdd(B, r, step, ""), r, "");
    LLVMValueRef over =
        LLVMBuildFCmp(B, LLVMRealOGE, one(e, "llvm.fabs", r), one(e, "llvm.fabs", y), "");
    r = LLVMBuildSelect(B, over, LLVMBuildFSub(B, r, step, ""), r, "");
    *good =
        LLVMBuildFCmp(B, LLVMRealOLT, one(e, "llvm.fabs", q), cpu_fconst(e, wide, 536870912.0), "");
    return copysign_of(e, LLVMBuildFPTrunc(B, r, cpu_type(e, t), ""), a);
}

static LLVMValueRef float_rem(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b) {
    if (t.dt != DT_f32)
        return LLVMBuildFRem(e->b, a, b, "");
    LLVMValueRef good, cell = cpu_alloca(e, cpu_type(e, t), "rem");
    LLVMBuildStore(e->b, short_rem(e, t, a, b, &good), cell);
    LLVMTypeRef flags = LLVMTypeOf(good);
    if (t.lanes > 1)
        good = cpu_intrinsic(e, "llvm.vector.reduce.and", &flags, 1, &good, 1);
    LLVMBasicBlockRef rare = cpu_block(e, "rem.long"), on = cpu_block(e, "rem");
    LLVMBuildCondBr(e->b, good, on, rare);
    LLVMPositionBuilderAtEnd(e->b, rare);
    LLVMBuildStore(e->b, LLVMBuildFRem(e->b, a, b, ""), cell);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
    return LLVMBuildLoad2(e->b, cpu_type(e, t), cell, "");
}

/* Python's: the remainder has the divisor's sign, the quotient is that of a minus it. */
static LLVMValueRef float_div(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b, bool want_mod) {
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ty = cpu_type(e, t);
    LLVMValueRef zero = cpu_fconst(e, ty, 0.0), m = float_rem(e, t, a, b);
    LLVMValueRef q = LLVMBuildFDiv(B, LLVMBuildFSub(B, a, m, ""), b, "");
    LLVMValueRef off = LLVMBuildAnd(B, LLVMBuildFCmp(B, LLVMRealUNE, m, zero, ""),
                                    LLVMBuildXor(B, LLVMBuildFCmp(B, LLVMRealOLT, m, zero, ""),
                                                 LLVMBuildFCmp(B, LLVMRealOLT, b, zero, ""), ""),
                                    "");
    m = LLVMBuildSelect(B, off, LLVMBuildFAdd(B, m, b, ""), m, "");
    LLVMValueRef mag[2] = {m, b}, same = cpu_intrinsic(e, "llvm.copysign", &ty, 1, mag, 2);
    m = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOEQ, m, zero, ""), same, m, "");
    if (want_mod)
        return m;
    q = LLVMBuildSelect(B, off, LLVMBuildFSub(B, q, cpu_fconst(e, ty, 1.0), ""), q, "");
    /* q is an integer but for rounding. */
    LLVMValueRef exact = LLVMBuildFDiv(B, a, b, ""), low = one(e, "llvm.floor", q);
    LLVMValueRef up =
        LLVMBuildFCmp(B, LLVMRealOGT, LLVMBuildFSub(B, q, low, ""), cpu_fconst(e, ty, 0.5), "");
    q = LLVMBuildSelect(B, up, LLVMBuildFAdd(B, low, cpu_fconst(e, ty, 1.0), ""), low, "");
    q = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOEQ, q, zero, ""), copysign_of(e, q, exact), q,
                        "");
    return LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOEQ, b, zero, ""), exact, q, "");
}

LLVMValueRef cpu_floor_div(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b, bool want_mod) {
    return dtype_is_float((dtype)t.dt) ? float_div(e, t, a, b, want_mod)
                                       : int_div(e, t, a, b, want_mod);
}
