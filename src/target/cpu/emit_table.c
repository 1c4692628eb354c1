/* erf of float32 from a table, for machines that look 32 entries up in one instruction (AVX-512):
   for |x| in intervals of 1/8 around n/8 a polynomial in t = |x| - n/8. Two thirds of the
   instructions of a polynomial for all of them. The coefficients are those that tools/fit.py
   prints.
 */
#include "target/cpu/llvm.h"

enum { ENTRIES = 32, TERMS = 5, HALF = 16 };
static const double table[TERMS][ENTRIES] = {
    {0,           0.140316201, 0.276326389, 0.404116909, 0.520499878, 0.623240882, 0.711155634,
     0.784075061, 0.842700793, 0.888388232, 0.922900128, 0.948170073, 0.966105147, 0.978443733,
     0.986671671, 0.991990058, 0.995322265, 0.997345971, 0.998537283, 0.999217062, 0.999593048,
     0.999794624, 0.999899378, 0.999952145, 0.999977909, 0.999990103, 0.999995697, 0.999998185,
     0.999999257, 0.999999705, 0.999999886, 0.999999958},
    {0.128379154,    1.1108848,      1.06001375,     0.980352594,    0.878782545,    0.763499666,
     0.642931323,    0.524745365,    0.415107827,    0.318274251,    0.236521347,    0.17035992,
     0.11893036,     0.0804722691,   0.0527749645,   0.0335457739,   0.020666923,    0.0123407611,
     0.00714226822,  0.00400643801,  0.00217825505,  0.001147855,    0.000586264091, 0.0002902201,
     0.000139248195, 6.47559254e-05, 2.91875248e-05, 1.27509573e-05, 5.39903374e-06, 2.21573069e-06,
     8.81344178e-07, 6e-07},
    {6.86691814e-06,  -0.138853622,    -0.265000645,    -0.367630833,
     -0.439390583,    -0.477186954,    -0.482198336,    -0.459152129,
     -0.415107815,    -0.358058563,    -0.295651759,    -0.234245005,
     -0.178395687,    -0.130767599,    -0.0923563512,   -0.0628984763,
     -0.0413339745,   -0.0262242201,   -0.0160701813,   -0.00951534611,
     -0.00544567581,  -0.00301314432,  -0.00161224186,  -0.000834392161,
     -0.000417749992, -0.000202365267, -9.48610582e-05, -4.30353053e-05,
     -1.88970269e-05, -8.03221926e-06, -3.30513084e-06, 0},
    {-0.376676025,   -0.358222508,   -0.308781578,   -0.234654727,
     -0.146428349,   -0.055805442,   0.0265291459,   0.0925957315,
     0.138031624,    0.162153077,    0.167305489,    0.157788243,
     0.138679339,    0.114830152,    0.0901894937,   0.0674969591,
     0.0482868075,   0.0330983794,   0.0217765786,   0.0137713427,
     0.00837996963,  0.00491103455,  0.00277385739,  0.00151091192,
     0.000794071922, 0.000402842232, 0.000197345284, 9.33846509e-05,
     4.26976202e-05, 1.88676911e-05, 8.05964071e-06, 0},
    {0.0140821281,    0.0668229762,    0.126093406,     0.166023421,
     0.182714945,     0.176242904,     0.15059729,      0.112413489,
     0.0692825702,    0.0281222972,    -0.00599028645,  -0.0303384792,
     -0.0444632409,   -0.0496204714,   -0.0480416356,   -0.0422325326,
     -0.0344423133,   -0.0263735377,   -0.0191033535,   -0.0131545453,
     -0.00864152127,  -0.00542966025,  -0.00326944972,  -0.00188955992,
     -0.00104944843,  -0.00056067005,  -0.000288373722, -0.000142890811,
     -6.82504737e-05, -3.14395146e-05, -1.39733752e-05, 0},
};

static LLVMValueRef constants(emit *e, const double *c, unsigned n) {
    LLVMValueRef v[ENTRIES];
    for (unsigned i = 0; i < n; i++)
        v[i] = LLVMConstReal(LLVMFloatTypeInContext(e->c), c[i]);
    return LLVMConstVector(v, n);
}

/* As many lanes as v has or more, or back: what is added is never looked at. */
static LLVMValueRef resized(emit *e, LLVMValueRef v, unsigned n) {
    unsigned have = LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMValueRef mask[HALF];
    for (unsigned i = 0; i < n; i++)
        mask[i] = LLVMConstInt(LLVMInt32TypeInContext(e->c), i < have ? i : 0, 0);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(mask, n),
                                  "");
}

static LLVMValueRef entry(emit *e, int term, LLVMValueRef index, unsigned lanes) {
    const double *c = table[term];
    if (lanes == 1) {
        LLVMTypeRef t = LLVMArrayType2(LLVMFloatTypeInContext(e->c), ENTRIES);
        LLVMValueRef g = LLVMAddGlobal(e->m, t, "erf"), v[ENTRIES];
        for (int i = 0; i < ENTRIES; i++)
            v[i] = LLVMConstReal(LLVMFloatTypeInContext(e->c), c[i]);
        LLVMSetInitializer(g, LLVMConstArray2(LLVMFloatTypeInContext(e->c), v, ENTRIES));
        LLVMSetGlobalConstant(g, 1);
        LLVMSetLinkage(g, LLVMPrivateLinkage);
        LLVMTypeRef f = LLVMFloatTypeInContext(e->c);
        return LLVMBuildLoad2(e->b, f, LLVMBuildInBoundsGEP2(e->b, f, g, &index, 1, ""), "");
    }
    LLVMValueRef a[3] = {constants(e, c, HALF), index, constants(e, c + HALF, HALF)};
    return cpu_intrinsic(e, "llvm.x86.avx512.vpermi2var.ps.512", NULL, 0, a, 3);
}

/* NULL: no such instruction, or not for so many lanes. */
LLVMValueRef cpu_table_erf(emit *e, ir_type t, LLVMValueRef x) {
    if (!e->avx512 || t.lanes > HALF)
        return NULL;
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ft = LLVMTypeOf(x), it = cpu_type(e, ir_val(DT_i32, t.lanes));
    LLVMValueRef a = cpu_intrinsic(e, "llvm.fabs", &ft, 1, &x, 1), top = cpu_fconst(e, ft, 3.9374);
    a = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOGT, a, top, ""), top, a, "");
    /* 1.5 * 2^20: the low bits of the sum are n */
    LLVMValueRef shift = cpu_fconst(e, ft, 1572864), z = LLVMBuildFAdd(B, a, shift, "");
    LLVMValueRef d = LLVMBuildFSub(B, a, LLVMBuildFSub(B, z, shift, ""), "");
    LLVMValueRef n = LLVMBuildBitCast(B, z, it, "");
    if (t.lanes == 1)
        n = LLVMBuildAnd(B, n, cpu_iconst(e, it, ENTRIES - 1), "");
    else if (t.lanes < HALF)
        n = resized(e, n, HALF);
    LLVMValueRef p = NULL, edge = cpu_fconst(e, ft, 0.0625);
    LLVMValueRef near = LLVMBuildFCmp(B, LLVMRealOLE, a, edge, ""); /* n is 0: ties go to even */
    for (int k = TERMS - 1; k >= 0; k--) {
        LLVMValueRef c = entry(e, k, n, t.lanes), in[3] = {p, d, c};
        if (t.lanes > 1 && t.lanes < HALF)
            in[2] = c = resized(e, c, t.lanes);
        if (!k) /* t + t P(t) near 0: 2 / sqrt(pi) is far from a float32 */
            in[2] = LLVMBuildSelect(B, near, d, c, "");
        p = p ? cpu_intrinsic(e, "llvm.fma", &ft, 1, in, 3) : c;
    }
    LLVMValueRef sign[2] = {p, x};
    return cpu_intrinsic(e, "llvm.copysign", &ft, 1, sign, 2);
}
