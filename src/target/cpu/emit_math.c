/* Functions of floats. The hot float32 ones are in emit_poly.c; the rest goes to libmvec (vectors
   of a width that it has) or libm. */
#include "target/cpu/llvm.h"
#include <stdio.h>
#include <string.h>

static LLVMValueRef un(emit *e, const char *name, LLVMValueRef a) {
    LLVMTypeRef t = LLVMTypeOf(a);
    return cpu_intrinsic(e, name, &t, 1, &a, 1);
}
static LLVMValueRef k(emit *e, LLVMValueRef like, double v) {
    return cpu_fconst(e, LLVMTypeOf(like), v);
}

/* 1 / (1 + exp(-x)) */
static LLVMValueRef sigmoid(emit *e, ir_type t, LLVMValueRef x) {
    LLVMValueRef neg = LLVMBuildFNeg(e->b, x, "");
    LLVMValueRef ex = cpu_math(e, OP_exp, t, neg, NULL);
    return LLVMBuildFDiv(e->b, k(e, x, 1), LLVMBuildFAdd(e->b, k(e, x, 1), ex, ""), "");
}

static const char *libm_name(int code) {
    switch (code) {
    case OP_round: return "roundeven";
    case OP_floordiv: return "fmod";
    default: return ir_ops[code].name;
    }
}

#if defined(__x86_64__)
static bool in_libmvec(const char *name) {
    static const char *const names[] = {
        "exp",  "exp2", "expm1", "log",  "log2", "log10", "log1p", "sin",   "cos", "tan", "asin",
        "acos", "atan", "sinh",  "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "pow", "atan2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static LLVMValueRef vector_call(emit *e, const char *name, ir_type t, LLVMValueRef *a, unsigned n) {
    unsigned bytes = t.lanes * dtype_table[t.dt].bytes;
    char symbol[64];
    char isa = bytes == 64 ? 'e' : bytes == 32 ? 'd' : 'b';
    snprintf(symbol, sizeof symbol, "_ZGV%cN%dv%s_%s%s", isa, t.lanes, n > 1 ? "v" : "", name,
             t.dt == DT_f32 ? "f" : "");
    return cpu_call(e, symbol, cpu_type(e, t), a, n);
}
#endif

LLVMValueRef cpu_library(emit *e, int code, ir_type t, LLVMValueRef *a, unsigned n) {
    const char *name = libm_name(code);
    unsigned bytes = t.lanes * dtype_table[t.dt].bytes;
#if defined(__x86_64__)
    if (t.lanes > 1 && in_libmvec(name) && (bytes == 64 || bytes == 32 || bytes == 16))
        return vector_call(e, name, t, a, n);
#endif
    (void)bytes;
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%s%s", name, t.dt == DT_f32 ? "f" : "");
    LLVMTypeRef s = cpu_scalar(e, (dtype)t.dt);
#if defined(__x86_64__)
    LLVMValueRef v = in_libmvec(name) ? cpu_library_variant(e, symbol, t, a, n) : NULL;
    if (v)
        return v;
#endif
    if (t.lanes == 1)
        return cpu_call(e, symbol, s, a, n);
    LLVMValueRef r = LLVMGetPoison(cpu_type(e, t));
    for (unsigned i = 0; i < t.lanes; i++) {
        LLVMValueRef one[2], at = cpu_i64(e, i);
        for (unsigned j = 0; j < n; j++)
            one[j] = LLVMBuildExtractElement(e->b, a[j], at, "");
        r = LLVMBuildInsertElement(e->b, r, cpu_call(e, symbol, s, one, n), at, "");
    }
    return r;
}

/* a ** b of integers, squaring; a negative b gives 0 but for a in 1, -1. The loop runs 64 times at
 * most, without a branch on data. */
static LLVMValueRef int_pow(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef ty = cpu_type(e, t);
    LLVMValueRef one = cpu_iconst(e, ty, 1), zero = cpu_iconst(e, ty, 0);
    LLVMBuilderRef B = e->b;
    LLVMValueRef r = cpu_alloca(e, ty, "pow"), base = cpu_alloca(e, ty, "base"),
                 left = cpu_alloca(e, ty, "left");
    LLVMValueRef neg = LLVMBuildICmp(B, LLVMIntSLT, b, zero, "");
    LLVMValueRef unit = LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntEQ, a, one, ""),
                                    LLVMBuildICmp(B, LLVMIntEQ, a, LLVMConstAllOnes(ty), ""), "");
    if (dtype_table[t.dt].cls == 'U')
        neg = unit = LLVMConstNull(LLVMTypeOf(neg));
    LLVMBuildStore(
        B, LLVMBuildSelect(B, LLVMBuildAnd(B, neg, LLVMBuildNot(B, unit, ""), ""), zero, one, ""),
        r);
    LLVMBuildStore(B, a, base);
    LLVMValueRef odd = LLVMBuildAnd(B, b, one, "");
    LLVMBuildStore(B, LLVMBuildSelect(B, neg, LLVMBuildSelect(B, unit, odd, zero, ""), b, ""),
                   left);
    LLVMBasicBlockRef head = cpu_block(e, "pow.head"), body = cpu_block(e, "pow.body"),
                      end = cpu_block(e, "pow.end");
    LLVMBuildBr(B, head);
    LLVMPositionBuilderAtEnd(B, head);
    LLVMValueRef n = LLVMBuildLoad2(B, ty, left, ""),
                 more = LLVMBuildICmp(B, LLVMIntNE, n, zero, "");
    LLVMTypeRef mt = LLVMTypeOf(more);
    if (t.lanes > 1)
        more = cpu_intrinsic(e, "llvm.vector.reduce.or", &mt, 1, &more, 1);
    LLVMBuildCondBr(B, more, body, end);
    LLVMPositionBuilderAtEnd(B, body);
    LLVMValueRef p = LLVMBuildLoad2(B, ty, base, ""), x = LLVMBuildLoad2(B, ty, r, "");
    LLVMValueRef bit = LLVMBuildICmp(B, LLVMIntNE, LLVMBuildAnd(B, n, one, ""), zero, "");
    LLVMBuildStore(B, LLVMBuildSelect(B, bit, LLVMBuildMul(B, x, p, ""), x, ""), r);
    LLVMBuildStore(B, LLVMBuildMul(B, p, p, ""), base);
    LLVMBuildStore(B, LLVMBuildLShr(B, n, one, ""), left);
    LLVMBuildBr(B, head);
    LLVMPositionBuilderAtEnd(B, end);
    return LLVMBuildLoad2(B, ty, r, "");
}

LLVMValueRef cpu_math(emit *e, int code, ir_type t, LLVMValueRef a, LLVMValueRef b) {
    bool fl = dtype_is_float((dtype)t.dt);
    LLVMTypeRef ty = cpu_type(e, t);
    LLVMValueRef in[2] = {a, b}, yes[2] = {a, LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, 0)};
    LLVMValueRef poly = cpu_variant(e, code, t, in, b ? 2 : 1);
    if (!poly)
        poly = cpu_poly(e, code, t, a);
    if (poly)
        return poly;
    switch (code) {
    case OP_abs:
        if (t.dt == DT_bool || dtype_table[t.dt].cls == 'U')
            return a;
        return fl ? un(e, "llvm.fabs", a) : cpu_intrinsic(e, "llvm.abs", &ty, 1, yes, 2);
    case OP_floor: return fl ? un(e, "llvm.floor", a) : a;
    case OP_ceil: return fl ? un(e, "llvm.ceil", a) : a;
    case OP_trunc: return fl ? un(e, "llvm.trunc", a) : a;
    case OP_round: return fl ? un(e, "llvm.rint", a) : a;
    case OP_sqrt: return un(e, "llvm.sqrt", a);
    case OP_rsqrt: return LLVMBuildFDiv(e->b, k(e, a, 1), un(e, "llvm.sqrt", a), "");
    case OP_sigmoid: return sigmoid(e, t, a);
    case OP_pow:
        if (!fl)
            return int_pow(e, t, a, b);
        return t.dt == DT_f32 ? cpu_pow_f32(e, t, a, b) : cpu_library(e, code, t, in, 2);
    default: return cpu_library(e, code, t, in, b ? 2 : 1);
    }
}
