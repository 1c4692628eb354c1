/* Vector instructions of one tensor, and of one and a scalar. */
#include "npu/loops.h"
#include <math.h>

#define abs(W, a) ((W)(a < 0 ? -a : a))
#define fabs_(W, a) ((W)fabsf(a))
#define v_exp(W, a) expf(a)
#define ln(W, a) logf(a)
#define v_sqrt(W, a) sqrtf(a)
#define rsqrt(W, a) (1 / sqrtf(a))
#define reciprocal(W, a) (1 / (a))
#define relu(W, a) ((W)(a > 0 ? a : 0))
#define bitnot(W, a) ((W)~a)
SIGNED(LOOP1, abs)
FLOATS(LOOP1, fabs_)
FLOATS(LOOP1, v_exp)
FLOATS(LOOP1, ln)
FLOATS(LOOP1, v_sqrt)
FLOATS(LOOP1, rsqrt)
FLOATS(LOOP1, reciprocal)
FLOATS(LOOP1, relu)
SIGNED(LOOP1, relu)
WRAPPING(LOOP1, bitnot)

static npu_loop *const unary[NPU_UNARY][DT_COUNT] = {
    [NPU_abs] = {ROW_SIGNED(abs), ROW_FLOATS(fabs_)},
    [NPU_v_exp] = {ROW_FLOATS(v_exp)},
    [NPU_ln] = {ROW_FLOATS(ln)},
    [NPU_sqrt] = {ROW_FLOATS(v_sqrt)},
    [NPU_rsqrt] = {ROW_FLOATS(rsqrt)},
    [NPU_reciprocal] = {ROW_FLOATS(reciprocal)},
    [NPU_relu] = {ROW_SIGNED(relu), ROW_FLOATS(relu)},
    [NPU_bitnot] = {ROW_WRAPPED(bitnot)},
};

int64_t npu_unary(npu_core *c, const npu_arg *a, int form, int code) {
    npu_vector v = {.loop = unary[code][a[0].dt]};
    if (!v.loop || a[0].dt != a[1].dt)
        return 0;
    npu_operands(&v, a, 2);
    npu_run_form(c, &v, a, form, 2);
    return 0;
}

#define adds(W, a, k) ((W)(a + k))
#define muls(W, a, k) ((W)(a * k))
#define maxs(W, a, k) ((W)(a > k ? a : k))
#define mins(W, a, k) ((W)(a < k ? a : k))
#define leaky_relu(W, a, k) ((W)(a >= 0 ? a : a * k))
/* A shift beyond the width leaves nothing, or the sign. */
#define shl(W, a, k) ((W)((uint64_t)k >= 8 * sizeof(a) ? 0 : (uint64_t)a << k))
#define shr(W, a, k)                                                                               \
    ((W)((uint64_t)k >= 8 * sizeof(a) ? (a < (W)1 && a != 0 ? (W) - 1 : (W)0) : a >> k))
FLOATS(LOOPK, adds)
FLOATS(LOOPK, muls)
FLOATS(LOOPK, maxs)
FLOATS(LOOPK, mins)
FLOATS(LOOPK, leaky_relu)
WRAPPING(LOOPK, adds)
WRAPPING(LOOPK, muls)
SIGNED(LOOPK, maxs)
SIGNED(LOOPK, mins)
UNSIGNED(LOOPK, maxs)
UNSIGNED(LOOPK, mins)
UNSIGNED(LOOPK, shl)
UNSIGNED(LOOPK, shr)
SIGNED(LOOPK, shr)

static npu_loop *const scalar[NPU_SCALAR][DT_COUNT] = {
    [NPU_adds] = {ROW_WRAPPED(adds), ROW_FLOATS(adds)},
    [NPU_muls] = {ROW_WRAPPED(muls), ROW_FLOATS(muls)},
    [NPU_maxs] = {ROW_SIGNED(maxs), ROW_UNSIGNED(maxs), ROW_FLOATS(maxs)},
    [NPU_mins] = {ROW_SIGNED(mins), ROW_UNSIGNED(mins), ROW_FLOATS(mins)},
    [NPU_leaky_relu] = {ROW_FLOATS(leaky_relu)},
    [NPU_shl] = {ROW_UNSIGNED(shl), [DT_i8] = shl_u8, [DT_i16] = shl_u16, [DT_i32] = shl_u32,
                 [DT_i64] = shl_u64},
    [NPU_shr] = {ROW_SIGNED(shr), ROW_UNSIGNED(shr)},
};

int64_t npu_scalar(npu_core *c, const npu_arg *a, int form, int code) {
    npu_vector v = {.loop = scalar[code][a[0].dt], .scalar = &a[2]};
    if (!v.loop || a[0].dt != a[1].dt)
        return 0;
    npu_operands(&v, a, 2);
    npu_run_form(c, &v, a, form, 3);
    return 0;
}

/* dst += src * scalar; halves may be added to float32 */
static void axpy_f32(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const float *in = s[0], *was = s[1];
    float k = (float)npu_number(x), *out = d;
    for (int64_t i = 0; i < n; i++)
        out[i] = was[i] + in[i] * k;
}
static void axpy_f16(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const uint16_t *in = s[0], *was = s[1];
    float k = npu_half_to_float(npu_float_to_half((float)npu_number(x)));
    uint16_t *out = d;
    for (int64_t i = 0; i < n; i++)
        out[i] = npu_float_to_half(npu_half_to_float(was[i]) + npu_half_to_float(in[i]) * k);
}
static void axpy_mixed(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const uint16_t *in = s[0];
    const float *was = s[1];
    float k = npu_half_to_float(npu_float_to_half((float)npu_number(x))), *out = d;
    for (int64_t i = 0; i < n; i++)
        out[i] = was[i] + npu_half_to_float(in[i]) * k;
}

int64_t npu_axpy(npu_core *c, const npu_arg *a, int form, int code) {
    npu_vector v = {.reads_dst = true, .scalar = &a[2]};
    dtype d = a[0].dt, s = a[1].dt;
    v.loop = d == DT_f32 && s == DT_f32   ? axpy_f32
             : d == DT_f16 && s == DT_f16 ? axpy_f16
             : d == DT_f32 && s == DT_f16 ? axpy_mixed
                                          : NULL;
    if (!v.loop)
        return 0;
    npu_operands(&v, a, 2);
    if (code) /* asc.adv's: the whole source where no count is given */
        npu_count(c, &v, npu_int_of(&a[3], a[1].v[1]));
    else
        npu_run_form(c, &v, a, form, 3);
    return 0;
}
