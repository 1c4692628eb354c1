/* asc.adv's mathematics: one function of float for each name, over float32 and over float16, which
   is computed in float and rounded once. */
#include "npu/half.h"
#include "npu/lanes.h"
#include <math.h>

static float digamma(float x) {
    double v = x, sum = 0;
    if (v <= 0 && floor(v) == v)
        return NAN;
    if (isinf(v))
        return v > 0 ? x : NAN;
    if (v < 0) { /* reflection */
        double r = fmod(v, 1);
        sum = -M_PI / tan(M_PI * r);
        v = 1 - v;
    }
    for (; v < 10; v++)
        sum -= 1 / v;
    double y = 1 / (v * v); /* asymptotic: ln v - 1/2v - sum of B(2k) / 2k v^2k */
    double tail = y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y * (1. / 240 - y / 132))));
    return (float)(sum + log(v) - 0.5 / v - tail);
}
static float frac(float x) { return isinf(x) ? 0 : x - truncf(x); }
static float log_gamma(float x) {
    int sign;
    return lgammaf_r(x, &sign);
}
static float sign_of(float x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

#define MATH(name, f)                                                                              \
    static void name##_f32(void *d, const void *const *s, const npu_arg *x, int64_t n) {           \
        float *out = d;                                                                            \
        const float *in = s[0];                                                                    \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = f(in[i]);                                                                     \
    }                                                                                              \
    static void name##_f16(void *d, const void *const *s, const npu_arg *x, int64_t n) {           \
        uint16_t *out = d;                                                                         \
        const uint16_t *in = s[0];                                                                 \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = npu_float_to_half(f(npu_half_to_float(in[i])));                               \
    }
/* name, its function of float */
#define ALL(X)                                                                                     \
    X(acos, acosf)                                                                                 \
    X(acosh, acoshf)                                                                               \
    X(asin, asinf)                                                                                 \
    X(asinh, asinhf)                                                                               \
    X(atan, atanf)                                                                                 \
    X(atanh, atanhf)                                                                               \
    X(ceil, ceilf)                                                                                 \
    X(cos, cosf)                                                                                   \
    X(cosh, coshf)                                                                                 \
    X(digamma, digamma)                                                                            \
    X(erf, erff)                                                                                   \
    X(erfc, erfcf)                                                                                 \
    X(floor, floorf)                                                                               \
    X(frac, frac)                                                                                  \
    X(lgamma, log_gamma)                                                                           \
    X(log, logf)                                                                                   \
    X(round, rintf)                                                                                \
    X(sign, sign_of)                                                                               \
    X(sin, sinf)                                                                                   \
    X(sinh, sinhf)                                                                                 \
    X(tan, tanf)                                                                                   \
    X(tanh, tanhf)                                                                                 \
    X(trunc, truncf)                                                                               \
    X(exp, expf)
ALL(MATH)

#define ROW(name, f) [NPU_##name] = {name##_f16, name##_f32},
static npu_loop *const math[][2] = {ALL(ROW)};

/* How many elements: as given, else the whole of the source. */
static int64_t count_of(const npu_arg *count, const npu_arg *src) {
    return npu_int_of(count, src->v[1]);
}

int64_t npu_adv_math(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    npu_vector v = {.n = 2};
    if (a[0].dt != a[1].dt || (a[0].dt != DT_f16 && a[0].dt != DT_f32))
        return 0;
    v.loop = math[code][a[0].dt == DT_f32];
    for (int i = 0; i < 2; i++)
        v.o[i] = (npu_operand){.addr = a[i].v[0], .dt = a[i].dt, .blk = 1, .rep = 8};
    npu_count(c, &v, count_of(&a[2], &a[1]));
    return 0;
}

static void power_f32(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const float *a = s[0], *b = s[1];
    (void)x;
    for (int64_t i = 0; i < n; i++)
        ((float *)d)[i] = powf(a[i], b[i]);
}
static void power_f16(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const uint16_t *a = s[0], *b = s[1];
    (void)x;
    for (int64_t i = 0; i < n; i++)
        ((uint16_t *)d)[i] =
            npu_float_to_half(powf(npu_half_to_float(a[i]), npu_half_to_float(b[i])));
}
/* By squaring, wrapping; of a negative exponent 1 / the power, cut. */
static void power_i32(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const int32_t *a = s[0], *b = s[1];
    (void)x;
    for (int64_t i = 0; i < n; i++) {
        uint32_t r = 1, base = (uint32_t)a[i];
        for (int32_t e = b[i] < 0 ? 0 : b[i]; e; e >>= 1, base *= base)
            r *= e & 1 ? base : 1;
        if (b[i] < 0)
            r = a[i] == 1 ? 1 : a[i] == -1 ? (b[i] & 1 ? UINT32_MAX : 1) : 0;
        ((int32_t *)d)[i] = (int32_t)r;
    }
}
static void xor_16(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const uint16_t *a = s[0], *b = s[1];
    (void)x;
    for (int64_t i = 0; i < n; i++)
        ((uint16_t *)d)[i] = a[i] ^ b[i];
}

int64_t npu_adv_math2(npu_core *c, const npu_arg *a, int form, int code) {
    static npu_loop *const rows[2][DT_COUNT] = {
        {[DT_f32] = power_f32, [DT_f16] = power_f16, [DT_i32] = power_i32},
        {[DT_i16] = xor_16, [DT_u16] = xor_16}};
    (void)form;
    npu_vector v = {.n = 3, .loop = rows[code == NPU_bitxor][a[0].dt]};
    if (!v.loop || a[0].dt != a[1].dt || a[0].dt != a[2].dt)
        return 0;
    for (int i = 0; i < 3; i++)
        v.o[i] = (npu_operand){.addr = a[i].v[0], .dt = a[i].dt, .blk = 1, .rep = 8};
    npu_count(c, &v, count_of(&a[3], &a[1]));
    return 0;
}

/* Rounded to half after each step where the source is half, as the instructions that do it are. */
static float as_half(float v) { return npu_half_to_float(npu_float_to_half(v)); }
static float as_float(float v) { return v; }
#define QUANT(name, T, get, step)                                                                  \
    static void name(void *d, const void *const *s, const npu_arg *x, int64_t n) {                 \
        const T *in = s[0];                                                                        \
        float scale = step((float)npu_number(&x[0])), offset = step((float)npu_number(&x[1]));     \
        for (int64_t i = 0; i < n; i++) {                                                          \
            float v = rintf(step(step(get(in[i]) * scale) + offset));                              \
            ((int8_t *)d)[i] = (int8_t)(v > 127 ? 127 : v > -128 ? v : v <= -128 ? -128 : 0);      \
        }                                                                                          \
    }
QUANT(quant_f32, float, as_float, as_float)
QUANT(quant_f16, uint16_t, npu_half_to_float, as_half)

int64_t npu_quant(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_vector v = {.n = 2, .scalar = &a[2]};
    v.loop = a[1].dt == DT_f16 ? quant_f16 : a[1].dt == DT_f32 ? quant_f32 : NULL;
    if (!v.loop || a[0].dt != DT_i8)
        return 0;
    for (int i = 0; i < 2; i++)
        v.o[i] = (npu_operand){.addr = a[i].v[0], .dt = a[i].dt, .blk = 1, .rep = 8};
    int64_t count = count_of(&a[4], &a[1]);
    if (a[7].kind == NPU_list && npu_field(&a[7], 0) > 0 && a[4].kind == NPU_absent)
        count = npu_field(&a[7], 0);
    npu_count(c, &v, count);
    return 0;
}
