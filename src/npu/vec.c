/* Vector instructions of two tensors. */
#include "npu/loops.h"
#include <math.h>

#define add(W, a, b) ((W)(a + b))
#define sub(W, a, b) ((W)(a - b))
#define mul(W, a, b) ((W)(a * b))
#define div(W, a, b) ((W)(a / b))
#define max(W, a, b) ((W)(a > b ? a : b))
#define min(W, a, b) ((W)(a < b ? a : b))
#define bitand(W, a, b) ((W)(a & b))
#define bitor(W, a, b) ((W)(a | b))
#define positive(W, x) ((x) > 0 ? (W)(x) : (W)0)
#define add_relu(W, a, b) positive(W, (W)(a + b))
#define sub_relu(W, a, b) positive(W, (W)(a - b))
#define fused_mul_add(W, a, b, c) ((W)(a * c + b))
#define fused_mul_add_relu(W, a, b, c) positive(W, (W)(a * c + b))
#define mul_add_dst(W, a, b, c) ((W)(a * b + c))
FLOATS(LOOP2, add)
FLOATS(LOOP2, sub)
FLOATS(LOOP2, mul)
FLOATS(LOOP2, div)
FLOATS(LOOP2, max)
FLOATS(LOOP2, min)
FLOATS(LOOP2, add_relu)
FLOATS(LOOP2, sub_relu)
FLOATS(LOOP3, fused_mul_add)
FLOATS(LOOP3, fused_mul_add_relu)
FLOATS(LOOP3, mul_add_dst)
WRAPPING(LOOP2, add)
WRAPPING(LOOP2, sub)
WRAPPING(LOOP2, mul)
WRAPPING(LOOP2, bitand)
WRAPPING(LOOP2, bitor)
WRAPPING(LOOP3, mul_add_dst)
SIGNED(LOOP2, max)
SIGNED(LOOP2, min)
UNSIGNED(LOOP2, max)
UNSIGNED(LOOP2, min)
LOOP2(add_relu, i16, int16_t, int16_t, plain)
LOOP2(sub_relu, i16, int16_t, int16_t, plain)

static npu_loop *const loops[NPU_BINARY][DT_COUNT] = {
    [NPU_add] = {ROW_WRAPPED(add), ROW_FLOATS(add)},
    [NPU_sub] = {ROW_WRAPPED(sub), ROW_FLOATS(sub)},
    [NPU_mul] = {ROW_WRAPPED(mul), ROW_FLOATS(mul)},
    [NPU_div] = {ROW_FLOATS(div)},
    [NPU_max] = {ROW_SIGNED(max), ROW_UNSIGNED(max), ROW_FLOATS(max)},
    [NPU_min] = {ROW_SIGNED(min), ROW_UNSIGNED(min), ROW_FLOATS(min)},
    [NPU_bitand] = {ROW_WRAPPED(bitand)},
    [NPU_bitor] = {ROW_WRAPPED(bitor)},
    [NPU_add_relu] = {[DT_i16] = add_relu_i16, ROW_FLOATS(add_relu)},
    [NPU_sub_relu] = {[DT_i16] = sub_relu_i16, ROW_FLOATS(sub_relu)},
    [NPU_fused_mul_add] = {ROW_FLOATS(fused_mul_add)},
    [NPU_fused_mul_add_relu] = {ROW_FLOATS(fused_mul_add_relu)},
    [NPU_mul_add_dst] = {ROW_WRAPPED(mul_add_dst), ROW_FLOATS(mul_add_dst)},
};

/* float32 sums of products of halves */
static void mul_add_mixed(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const uint16_t *a = s[0], *b = s[1];
    const float *was = s[2];
    float *out = d;
    (void)x;
    for (int64_t i = 0; i < n; i++)
        out[i] = was[i] + npu_half_to_float(a[i]) * npu_half_to_float(b[i]);
}

int64_t npu_binary(npu_core *c, const npu_arg *a, int form, int code) {
    npu_vector v = {.loop = loops[code][a[0].dt], .reads_dst = code >= NPU_fused_mul_add};
    bool mixed = code == NPU_mul_add_dst && a[0].dt == DT_f32 && a[1].dt == DT_f16;
    if (mixed)
        v.loop = mul_add_mixed;
    if (!v.loop || a[1].dt != a[2].dt || (a[0].dt != a[1].dt && !mixed))
        return 0;
    npu_operands(&v, a, 3);
    npu_run_form(c, &v, a, form, 3);
    return 0;
}

/* Products and sums that change dtype. */

static int8_t to_i8(float v) { return (int8_t)(v > 127 ? 127 : v >= -128 ? v : v < 0 ? -128 : 0); }
static uint8_t to_u8(float v) { return (uint8_t)(v > 255 ? 255 : v > 0 ? v : 0); }
#define MUL_CAST(T)                                                                                \
    static void mul_cast_##T(void *d, const void *const *s, const npu_arg *x, int64_t n) {         \
        const uint16_t *a = s[0], *b = s[1];                                                       \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((T##_t *)d)[i] = to_##T(rintf(npu_half_to_float(                                      \
                npu_float_to_half(npu_half_to_float(a[i]) * npu_half_to_float(b[i])))));           \
    }
typedef int8_t i8_t;
typedef uint8_t u8_t;
MUL_CAST(i8)
MUL_CAST(u8)

int64_t npu_mul_cast(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_vector v = {.loop = a[0].dt == DT_i8 ? mul_cast_i8 : mul_cast_u8};
    if ((a[0].dt != DT_i8 && a[0].dt != DT_u8) || a[1].dt != DT_f16 || a[2].dt != DT_f16)
        return 0;
    npu_operands(&v, a, 3);
    npu_run_form(c, &v, a, form, 3);
    return 0;
}

/* relu((a + b) * the scale that set_deq_scale has set), int32 to half */
static void add_deq_relu(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    const int32_t *a = s[0], *b = s[1];
    float scale = (float)x->f;
    for (int64_t i = 0; i < n; i++) {
        float v = (float)(int32_t)((uint32_t)a[i] + (uint32_t)b[i]) * scale;
        ((uint16_t *)d)[i] = npu_float_to_half(v > 0 ? v : 0);
    }
}

int64_t npu_add_deq_relu(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_arg scale = {.kind = NPU_float, .f = c->deq_scale};
    npu_vector v = {.loop = add_deq_relu, .scalar = &scale};
    if (a[0].dt != DT_f16 || a[1].dt != DT_i32 || a[2].dt != DT_i32)
        return 0;
    npu_operands(&v, a, 3);
    npu_run_form(c, &v, a, form, 3);
    return 0;
}
