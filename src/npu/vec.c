/* Vector instructions of two tensors. */
#include "npu/half.h"
#include "npu/lanes.h"

#define GET_plain(x) (x)
#define PUT_plain(x) (x)
#define GET_half(x) npu_half_to_float(x)
#define PUT_half(x) npu_float_to_half(x)
#define GET_bf16(x) npu_bf16_to_float(x)
#define PUT_bf16(x) npu_float_to_bf16(x)

/* One loop: memory type T, computed in W. */
#define LOOP(op, dt, T, W, how)                                                                    \
    static void op##_##dt(void *d, const void *const *s, const npu_arg *x, int64_t n) {            \
        T *out = d;                                                                                \
        const T *p = s[0], *q = s[1];                                                              \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            W a = (W)GET_##how(p[i]), b = (W)GET_##how(q[i]);                                      \
            out[i] = (T)PUT_##how(op(W, a, b));                                                    \
        }                                                                                          \
    }
/* integers: sums in unsigned, since they wrap */
#define add(W, a, b) ((W)(a + b))
#define sub(W, a, b) ((W)(a - b))
#define mul(W, a, b) ((W)(a * b))
#define div(W, a, b) ((W)(a / b))
#define max(W, a, b) ((W)(a > b ? a : b))
#define min(W, a, b) ((W)(a < b ? a : b))
#define FLOATS(op)                                                                                 \
    LOOP(op, f16, uint16_t, float, half)                                                           \
    LOOP(op, bf16, uint16_t, float, bf16)                                                          \
    LOOP(op, f32, float, float, plain)
#define WRAPPING(op)                                                                               \
    LOOP(op, i8, int8_t, uint8_t, plain)                                                           \
    LOOP(op, i16, int16_t, uint32_t, plain)                                                        \
    LOOP(op, i32, int32_t, uint32_t, plain)                                                        \
    LOOP(op, i64, int64_t, uint64_t, plain)
#define ORDERED(op)                                                                                \
    LOOP(op, i8, int8_t, int8_t, plain)                                                            \
    LOOP(op, i16, int16_t, int16_t, plain)                                                         \
    LOOP(op, i32, int32_t, int32_t, plain)                                                         \
    LOOP(op, i64, int64_t, int64_t, plain)                                                         \
    LOOP(op, u8, uint8_t, uint8_t, plain)                                                          \
    LOOP(op, u16, uint16_t, uint16_t, plain)                                                       \
    LOOP(op, u32, uint32_t, uint32_t, plain)                                                       \
    LOOP(op, u64, uint64_t, uint64_t, plain)
FLOATS(add)
FLOATS(sub)
FLOATS(mul)
FLOATS(div)
FLOATS(max) FLOATS(min) WRAPPING(add) WRAPPING(sub) WRAPPING(mul) ORDERED(max) ORDERED(min)

#define WRAPPED(op)                                                                                \
    [DT_i8] = op##_i8, [DT_u8] = op##_i8, [DT_i16] = op##_i16, [DT_u16] = op##_i16,                \
    [DT_i32] = op##_i32, [DT_u32] = op##_i32, [DT_i64] = op##_i64, [DT_u64] = op##_i64,            \
    [DT_f16] = op##_f16, [DT_bf16] = op##_bf16, [DT_f32] = op##_f32
#define COMPARED(op)                                                                               \
    [DT_i8] = op##_i8, [DT_u8] = op##_u8, [DT_i16] = op##_i16, [DT_u16] = op##_u16,                \
    [DT_i32] = op##_i32, [DT_u32] = op##_u32, [DT_i64] = op##_i64, [DT_u64] = op##_u64,            \
    [DT_f16] = op##_f16, [DT_bf16] = op##_bf16, [DT_f32] = op##_f32
    static npu_loop *const loops[][DT_COUNT] = {
        [NPU_add] = {WRAPPED(add)},
        [NPU_sub] = {WRAPPED(sub)},
        [NPU_mul] = {WRAPPED(mul)},
        [NPU_div] = {[DT_f16] = div_f16, [DT_bf16] = div_bf16, [DT_f32] = div_f32},
        [NPU_max] = {COMPARED(max)},
        [NPU_min] = {COMPARED(min)},
};

int64_t npu_binary(npu_core *c, const npu_arg *a, int form, int code) {
    npu_vector v = {.n = 3, .loop = loops[code][a[0].dt]};
    if (!v.loop)
        return 0;
    for (int i = 0; i < 3; i++)
        v.o[i] = (npu_operand){.addr = a[i].v[0], .dt = a[i].dt, .blk = 1, .rep = 8};
    if (form == 0) {
        npu_count(c, &v, npu_int_of(&a[3], 0));
        return 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        v.o[i].blk = npu_field(&a[5], i);
        v.o[i].rep = npu_field(&a[5], 3 + i);
    }
    npu_repeat(c, &v, &a[3], npu_int_of(&a[4], 0));
    return 0;
}
