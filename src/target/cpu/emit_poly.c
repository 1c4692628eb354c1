/* The hot float32 functions, laid out where they are called: they inline, vectorise and need no
   library. Each within 2 ulp (the tests look at all exponents); the coefficients are those that
   tools/fit.py prints. */
#include "target/cpu/llvm.h"

static LLVMValueRef one(emit *e, const char *name, LLVMValueRef a) {
    LLVMTypeRef t = LLVMTypeOf(a);
    return cpu_intrinsic(e, name, &t, 1, &a, 1);
}
static LLVMValueRef two(emit *e, const char *name, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef in[2] = {a, b};
    return cpu_intrinsic(e, name, &t, 1, in, 2);
}
static LLVMValueRef fma3(emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef in[3] = {a, b, c};
    return cpu_intrinsic(e, "llvm.fma", &t, 1, in, 3);
}
static LLVMValueRef num(emit *e, LLVMValueRef like, double v) {
    return cpu_fconst(e, LLVMTypeOf(like), v);
}
static LLVMValueRef mul(emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFMul(e->b, a, b, "");
}
static LLVMValueRef pick(emit *e, LLVMValueRef c, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->b, c, a, b, "");
}
static LLVMValueRef cmp(emit *e, LLVMRealPredicate p, LLVMValueRef a, double b) {
    return LLVMBuildFCmp(e->b, p, a, num(e, a, b), "");
}
static LLVMValueRef horner(emit *e, LLVMValueRef x, const double *c, int n) {
    LLVMValueRef r = num(e, x, c[0]);
    for (int i = 1; i < n; i++)
        r = fma3(e, r, x, num(e, x, c[i]));
    return r;
}

/* The same in two chains, for a polynomial whose latency counts: an even number of coefficients. */
static LLVMValueRef two_chains(emit *e, LLVMValueRef x, const double *c, int n) {
    LLVMValueRef z = mul(e, x, x), odd = num(e, x, c[0]), even = num(e, x, c[1]);
    for (int i = 2; i < n; i += 2) {
        odd = fma3(e, odd, z, num(e, x, c[i]));
        even = fma3(e, even, z, num(e, x, c[i + 1]));
    }
    return fma3(e, odd, x, even);
}

/* 2**n for integers -126 <= n <= 127 */
static LLVMValueRef pow2(emit *e, LLVMTypeRef it, LLVMValueRef n, LLVMTypeRef ft) {
    n = LLVMBuildAdd(e->b, n, cpu_iconst(e, it, 127), "");
    n = LLVMBuildShl(e->b, n, cpu_iconst(e, it, 23), "");
    return LLVMBuildBitCast(e->b, n, ft, "");
}

/* exp(y) = 2**n (1 + s): y = n ln 2 + r with ln 2 in two parts, s = r + r^2 P(r). The low bits of z
   are n: 1.5 * 2^23 leaves no room for a fraction. */
typedef struct {
    LLVMValueRef z, n, s;
} power;
static power reduced(emit *e, LLVMValueRef y) {
    static const double c[] = {0.001381460672, 0.008368711052, 0.04166838754, 0.1666652068,
                               0.4999999345};
    LLVMValueRef shift = num(e, y, 12582912.0);
    power p = {.z = fma3(e, y, num(e, y, 1.44269504088896341), shift)};
    p.n = LLVMBuildFSub(e->b, p.z, shift, "");
    LLVMValueRef r = fma3(e, p.n, num(e, y, -0.693359375), y);
    r = fma3(e, p.n, num(e, y, 2.12194440e-4), r);
    p.s = fma3(e, mul(e, r, r), horner(e, r, c, 5), r);
    return p;
}

/* lo <= x <= hi; NaN stays. */
static LLVMValueRef clamp(emit *e, LLVMValueRef x, double lo, double hi) {
    LLVMValueRef y = pick(e, cmp(e, LLVMRealOLT, x, lo), num(e, x, lo), x);
    return pick(e, cmp(e, LLVMRealOGT, y, hi), num(e, x, hi), y);
}

/* v times 2**n for integers n in the low bits of z, where v and the result are normal; of v = 1 it
   is the power alone. NaN does not stay. */
static LLVMValueRef scaled(emit *e, ir_type t, LLVMValueRef v, LLVMValueRef z) {
    LLVMTypeRef it = cpu_type(e, ir_val(DT_i32, t.lanes));
    z = LLVMBuildShl(e->b, LLVMBuildBitCast(e->b, z, it, ""), cpu_iconst(e, it, 23), "");
    z = LLVMBuildAdd(e->b, LLVMBuildBitCast(e->b, v, it, ""), z, "");
    return LLVMBuildBitCast(e->b, z, LLVMTypeOf(v), "");
}

/* Scaled in two steps, so that denormal results are rounded once. */
static LLVMValueRef exp_f32(emit *e, ir_type t, LLVMValueRef x) {
    LLVMTypeRef it = cpu_type(e, ir_val(DT_i32, t.lanes));
    /* Beyond these bounds the result is 0 or infinite as it comes. */
    power p = reduced(e, clamp(e, x, -104, 89));
    LLVMValueRef v = LLVMBuildFAdd(e->b, p.s, num(e, x, 1), "");
    if (e->avx512 && t.lanes == 16) {
        LLVMTypeRef i16 = LLVMInt16TypeInContext(e->c), i32 = LLVMInt32TypeInContext(e->c);
        LLVMValueRef a[5] = {v, p.n, v, LLVMConstAllOnes(i16), LLVMConstInt(i32, 4, 0)};
        return cpu_intrinsic(e, "llvm.x86.avx512.mask.scalef.ps.512", NULL, 0, a, 5);
    }
    LLVMValueRef z = LLVMBuildBitCast(e->b, p.z, it, "");
    LLVMValueRef half = LLVMBuildLShr(e->b, z, cpu_iconst(e, it, 1), "");
    v = mul(e, v, scaled(e, t, num(e, x, 1), half)); /* in floats: NaN stays */
    return mul(e, v, scaled(e, t, num(e, x, 1), LLVMBuildSub(e->b, z, half, "")));
}

/* x = 2**k m with m in [sqrt(1/2), sqrt(2)): f = m - 1, log x = k ln 2 + f - f^2/2 + f^3 P(f). */
static LLVMValueRef log_f32(emit *e, ir_type t, LLVMValueRef x) {
    static const double c[] = {0.06746650178, -0.1167571894, 0.1188819491,
                               -0.1240558218, 0.1421954766,  -0.1666799596,
                               0.2000211885,  -0.250000096,  0.333333126};
    LLVMBuilderRef B = e->b;
    LLVMTypeRef it = cpu_type(e, ir_val(DT_i32, t.lanes)), ft = LLVMTypeOf(x);
    LLVMValueRef small = cmp(e, LLVMRealOLT, x, 1.17549435e-38); /* denormals are scaled up */
    LLVMValueRef y = pick(e, small, mul(e, x, num(e, x, 8388608.0)), x);
    LLVMValueRef bits = LLVMBuildBitCast(B, y, it, ""), base = cpu_iconst(e, it, 0x3f3504f3);
    bits = LLVMBuildSub(B, bits, base, "");
    LLVMValueRef k = LLVMBuildSIToFP(B, LLVMBuildAShr(B, bits, cpu_iconst(e, it, 23), ""), ft, "");
    k = LLVMBuildFAdd(B, k, pick(e, small, num(e, x, -23), num(e, x, 0)), "");
    bits = LLVMBuildAdd(B, LLVMBuildAnd(B, bits, cpu_iconst(e, it, 0x7fffff), ""), base, "");
    LLVMValueRef f = LLVMBuildFSub(B, LLVMBuildBitCast(B, bits, ft, ""), num(e, x, 1), "");
    LLVMValueRef z = mul(e, f, f);
    LLVMValueRef tail = mul(e, mul(e, f, z), horner(e, f, c, 9));
    tail = fma3(e, k, num(e, x, -2.12194440e-4), tail);
    tail = fma3(e, z, num(e, x, -0.5), tail);
    LLVMValueRef r = fma3(e, k, num(e, x, 0.693359375), LLVMBuildFAdd(B, tail, f, ""));
    r = pick(e, cmp(e, LLVMRealOEQ, x, 0), num(e, x, -__builtin_inf()), r);
    r = pick(e, cmp(e, LLVMRealOLT, x, 0), num(e, x, __builtin_nan("")), r);
    return pick(e, cmp(e, LLVMRealULT, x, __builtin_inf()),
                pick(e, LLVMBuildFCmp(B, LLVMRealUNO, x, x, ""), x, r), x);
}

static LLVMValueRef tanh_f32(emit *e, ir_type t, LLVMValueRef x) {
    static const double c[] = {0.002231060998, -0.008267087338, 0.02173443821,
                               -0.05395247527, 0.1333324779,    -0.3333333178};
    LLVMValueRef a = one(e, "llvm.fabs", x), z = mul(e, x, x);
    LLVMValueRef near = fma3(e, mul(e, x, z), horner(e, z, c, 6), x);
    power p = reduced(e, clamp(e, LLVMBuildFAdd(e->b, a, a, ""), 0, 64));
    LLVMValueRef unit = num(e, x, 1), w = scaled(e, t, unit, p.z);
    LLVMValueRef d = fma3(e, w, p.s, LLVMBuildFAdd(e->b, w, unit, ""));
    LLVMValueRef far = LLVMBuildFDiv(e->b, num(e, x, 2), d, "");
    far = LLVMBuildFSub(e->b, unit, far, "");
    return two(e, "llvm.copysign", pick(e, cmp(e, LLVMRealOLT, a, 0.6), near, far), x);
}

/* 1 / (1 + 2**n + 2**n s), both sides of the division times 2^-32: the divisor does not overflow,
   and where the result is denormal it is rounded once. */
static LLVMValueRef sigmoid_f32(emit *e, ir_type t, LLVMValueRef x) {
    power p = reduced(e, clamp(e, LLVMBuildFNeg(e->b, x, ""), -64, 104));
    LLVMValueRef unit = num(e, x, 0x1p-32), w = scaled(e, t, unit, p.z);
    LLVMValueRef d = LLVMBuildFAdd(e->b, fma3(e, w, p.s, unit), w, "");
    return LLVMBuildFDiv(e->b, unit, d, "");
}

static LLVMValueRef erf_f32(emit *e, ir_type t, LLVMValueRef x) {
    static const double s[] = {8.409572879e-05, -0.0008152547334, 0.005201953285, -0.02685979587,
                               0.1128370327,    -0.3761263429,    0.1283791667};
    static const double l[] = {5.961569707e-07, -1.186438529e-05, 0.000103312191, -0.0004973436421,
                               0.001226604315,  0.0006182894555,  -0.0199782283,  0.1033054915,
                               0.6364299541,    1.128408699};
    LLVMValueRef found = cpu_table_erf(e, t, x);
    if (found)
        return found;
    LLVMValueRef a = one(e, "llvm.fabs", x), z = mul(e, x, x);
    LLVMValueRef near = fma3(e, x, horner(e, z, s, 7), x);
    LLVMValueRef b = pick(e, cmp(e, LLVMRealOLT, a, 4), a, num(e, x, 4));
    LLVMValueRef q = LLVMBuildFNeg(e->b, mul(e, b, horner(e, b, l, 10)), "");
    power p = reduced(e, q); /* not below -16 */
    LLVMValueRef w = LLVMBuildFAdd(e->b, p.s, num(e, x, 1), "");
    LLVMValueRef far = LLVMBuildFSub(e->b, num(e, x, 1), scaled(e, t, w, p.z), "");
    far = pick(e, LLVMBuildFCmp(e->b, LLVMRealUNO, x, x, ""), x, two(e, "llvm.copysign", far, x));
    return pick(e, cmp(e, LLVMRealOLT, a, 0.92), near, far);
}

/* The quarter turn in double, where the product with pi/2 (in two parts) is exact enough up to
   2^50; beyond: the library, where any lane is. */
static LLVMValueRef trig_f32(emit *e, int code, ir_type t, LLVMValueRef x) {
    static const double sc[] = {2.718308698e-06, -0.0001983933455, 0.008333329385, -0.1666666664};
    static const double cc[] = {-2.721021023e-07, 2.479951968e-05, -0.001388888375, 0.04166666662};
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ft = LLVMTypeOf(x), dt = cpu_type(e, ir_val(DT_f64, t.lanes)),
                it = cpu_type(e, ir_val(DT_i64, t.lanes));
    LLVMValueRef big = cmp(e, LLVMRealUGE, one(e, "llvm.fabs", x), 1125899906842624.0);
    LLVMValueRef d = LLVMBuildFPExt(B, pick(e, big, num(e, x, 0), x), dt, "");
    LLVMValueRef n = one(e, "llvm.rint", mul(e, d, num(e, d, 0.63661977236758138)));
    LLVMValueRef r = fma3(e, n, num(e, d, -1.5707963267948966), d);
    r = LLVMBuildFPTrunc(B, fma3(e, n, num(e, d, -6.123233995736766e-17), r), ft, "");
    LLVMValueRef q = LLVMBuildFPToSI(B, n, it, ""), z = mul(e, r, r);
    if (code == OP_cos)
        q = LLVMBuildAdd(B, q, cpu_iconst(e, it, 1), "");
    LLVMValueRef s = fma3(e, mul(e, r, z), horner(e, z, sc, 4), r);
    LLVMValueRef c =
        fma3(e, mul(e, z, z), horner(e, z, cc, 4), fma3(e, z, num(e, x, -0.5), num(e, x, 1)));
    LLVMValueRef zero = cpu_iconst(e, it, 0);
    LLVMValueRef odd =
        LLVMBuildICmp(B, LLVMIntNE, LLVMBuildAnd(B, q, cpu_iconst(e, it, 1), ""), zero, "");
    LLVMValueRef down =
        LLVMBuildICmp(B, LLVMIntNE, LLVMBuildAnd(B, q, cpu_iconst(e, it, 2), ""), zero, "");
    LLVMValueRef v = pick(e, odd, c, s);
    v = pick(e, down, LLVMBuildFNeg(B, v, ""), v);
    if (code == OP_sin)
        v = pick(e, cmp(e, LLVMRealOEQ, x, 0), x, v);
    LLVMTypeRef bt = LLVMTypeOf(big);
    LLVMValueRef any =
        t.lanes > 1 ? cpu_intrinsic(e, "llvm.vector.reduce.or", &bt, 1, &big, 1) : big;
    LLVMValueRef slot = cpu_alloca(e, ft, "trig");
    LLVMBasicBlockRef far = cpu_block(e, "far"), end = cpu_block(e, "near");
    LLVMBuildStore(B, v, slot);
    LLVMBuildCondBr(B, any, far, end);
    LLVMPositionBuilderAtEnd(B, far);
    LLVMBuildStore(B, pick(e, big, cpu_library(e, code, t, &x, 1), v), slot);
    LLVMBuildBr(B, end);
    LLVMPositionBuilderAtEnd(B, end);
    return LLVMBuildLoad2(B, ft, slot, "");
}

/* 2 ** (y log2 x) with the logarithm in double, for normal x above 0 and results that are normal;
   where some lane is otherwise, the library does it. */
LLVMValueRef cpu_pow_f32(emit *e, ir_type t, LLVMValueRef x, LLVMValueRef y) {
    static const double lc[] = {-0.086346577464211247, 0.15485884488989671,  -0.15698276195525071,
                                0.15900132211321852,   -0.17904685363269113, 0.20609626176615001,
                                -0.24050418001193838,  0.28854064360354076,  -0.36067280042100558,
                                0.48089832072717015,   -0.7213475252139443,  1.4426950409393531};
    static const double xc[] = {0.0001535333898, 0.001339890021, 0.009618437616,
                                0.0555033241,    0.2402264791,   0.6931472029};
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ft = LLVMTypeOf(x), it = cpu_type(e, ir_val(DT_i32, t.lanes)),
                dt = cpu_type(e, ir_val(DT_f64, t.lanes));
    LLVMValueRef good = LLVMBuildAnd(B, cmp(e, LLVMRealOGE, x, 1.17549435e-38),
                                     cmp(e, LLVMRealOLT, x, __builtin_inf()), "");
    LLVMValueRef base = cpu_iconst(e, it, 0x3f3504f3);
    LLVMValueRef bits = LLVMBuildSub(B, LLVMBuildBitCast(B, x, it, ""), base, "");
    LLVMValueRef k = LLVMBuildSIToFP(B, LLVMBuildAShr(B, bits, cpu_iconst(e, it, 23), ""), dt, "");
    bits = LLVMBuildAdd(B, LLVMBuildAnd(B, bits, cpu_iconst(e, it, 0x7fffff), ""), base, "");
    LLVMValueRef m = LLVMBuildFPExt(B, LLVMBuildBitCast(B, bits, ft, ""), dt, "");
    LLVMValueRef f = LLVMBuildFSub(B, m, num(e, m, 1), "");
    LLVMValueRef p = mul(e, fma3(e, f, two_chains(e, f, lc, 12), k), LLVMBuildFPExt(B, y, dt, ""));
    good = LLVMBuildAnd(B, good, cmp(e, LLVMRealOLT, one(e, "llvm.fabs", p), 125), "");
    p = pick(e, good, p, num(e, p, 0));
    LLVMValueRef n = one(e, "llvm.rint", p);
    LLVMValueRef r = LLVMBuildFPTrunc(B, LLVMBuildFSub(B, p, n, ""), ft, "");
    LLVMValueRef v = fma3(e, r, horner(e, r, xc, 6), num(e, x, 1));
    v = mul(e, v, pow2(e, it, LLVMBuildFPToSI(B, n, it, ""), ft));
    LLVMTypeRef flags = LLVMTypeOf(good);
    LLVMValueRef all =
        t.lanes > 1 ? cpu_intrinsic(e, "llvm.vector.reduce.and", &flags, 1, &good, 1) : good;
    LLVMValueRef slot = cpu_alloca(e, ft, "pow"), in[2] = {x, y};
    LLVMBasicBlockRef far = cpu_block(e, "far"), end = cpu_block(e, "near");
    LLVMBuildStore(B, v, slot);
    LLVMBuildCondBr(B, all, end, far);
    LLVMPositionBuilderAtEnd(B, far);
    LLVMBuildStore(B, pick(e, good, v, cpu_library(e, OP_pow, t, in, 2)), slot);
    LLVMBuildBr(B, end);
    LLVMPositionBuilderAtEnd(B, end);
    return LLVMBuildLoad2(B, ft, slot, "");
}

LLVMValueRef cpu_poly(emit *e, int code, ir_type t, LLVMValueRef x) {
    if (t.dt != DT_f32)
        return NULL;
    switch (code) {
    case OP_exp: return exp_f32(e, t, x);
    case OP_log: return log_f32(e, t, x);
    case OP_tanh: return tanh_f32(e, t, x);
    case OP_sigmoid: return sigmoid_f32(e, t, x);
    case OP_erf: return erf_f32(e, t, x);
    case OP_sin:
    case OP_cos: return trig_f32(e, code, t, x);
    default: return NULL;
    }
}
