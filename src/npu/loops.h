/* Loops over elements, one for each dtype, from an expression: memory type T, computed in W. Halves
   are computed in float and rounded once. */
#ifndef NPU_LOOPS_H
#define NPU_LOOPS_H
#include "npu/half.h"
#include "npu/lanes.h"

#define GET_plain(x) (x)
#define PUT_plain(x) (x)
#define GET_half(x) npu_half_to_float(x)
#define PUT_half(x) npu_float_to_half(x)
#define GET_bf16(x) npu_bf16_to_float(x)
#define PUT_bf16(x) npu_float_to_bf16(x)

/* d = op(a): W a */
#define LOOP1(op, dt, T, W, how)                                                                   \
    static void op##_##dt(void *d, const void *const *s, const npu_arg *x, int64_t n) {            \
        T *out = d;                                                                                \
        const T *p = s[0];                                                                         \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            W a = (W)GET_##how(p[i]);                                                              \
            out[i] = (T)PUT_##how(op(W, a));                                                       \
        }                                                                                          \
    }
/* d = op(a, b) */
#define LOOP2(op, dt, T, W, how)                                                                   \
    static void op##_##dt(void *d, const void *const *s, const npu_arg *x, int64_t n) {            \
        T *out = d;                                                                                \
        const T *p = s[0], *q = s[1];                                                              \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            W a = (W)GET_##how(p[i]), b = (W)GET_##how(q[i]);                                      \
            out[i] = (T)PUT_##how(op(W, a, b));                                                    \
        }                                                                                          \
    }
/* d = op(a, b, c): c is what d was */
#define LOOP3(op, dt, T, W, how)                                                                   \
    static void op##_##dt(void *d, const void *const *s, const npu_arg *x, int64_t n) {            \
        T *out = d;                                                                                \
        const T *p = s[0], *q = s[1], *r = s[2];                                                   \
        (void)x;                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            W a = (W)GET_##how(p[i]), b = (W)GET_##how(q[i]), c = (W)GET_##how(r[i]);              \
            out[i] = (T)PUT_##how(op(W, a, b, c));                                                 \
        }                                                                                          \
    }
/* d = op(a, k): k is the scalar, of the tensor's dtype */
#define LOOPK(op, dt, T, W, how)                                                                   \
    static void op##_##dt(void *d, const void *const *s, const npu_arg *x, int64_t n) {            \
        T *out = d, raw;                                                                           \
        const T *p = s[0];                                                                         \
        npu_store(DT_##dt, &raw, x);                                                               \
        W k = (W)GET_##how(raw);                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            W a = (W)GET_##how(p[i]);                                                              \
            out[i] = (T)PUT_##how(op(W, a, k));                                                    \
        }                                                                                          \
    }

/* Families of dtypes: L is one of the loops. */
#define FLOATS(L, op)                                                                              \
    L(op, f16, uint16_t, float, half)                                                              \
    L(op, bf16, uint16_t, float, bf16)                                                             \
    L(op, f32, float, float, plain)
/* sums and products wrap: in unsigned, for both signs */
#define WRAPPING(L, op)                                                                            \
    L(op, i8, int8_t, uint32_t, plain)                                                             \
    L(op, i16, int16_t, uint32_t, plain)                                                           \
    L(op, i32, int32_t, uint32_t, plain)                                                           \
    L(op, i64, int64_t, uint64_t, plain)
#define SIGNED(L, op)                                                                              \
    L(op, i8, int8_t, int8_t, plain)                                                               \
    L(op, i16, int16_t, int16_t, plain)                                                            \
    L(op, i32, int32_t, int32_t, plain)                                                            \
    L(op, i64, int64_t, int64_t, plain)
#define UNSIGNED(L, op)                                                                            \
    L(op, u8, uint8_t, uint8_t, plain)                                                             \
    L(op, u16, uint16_t, uint16_t, plain)                                                          \
    L(op, u32, uint32_t, uint32_t, plain)                                                          \
    L(op, u64, uint64_t, uint64_t, plain)

/* Rows of tables by dtype. */
#define ROW_FLOATS(op) [DT_f16] = op##_f16, [DT_bf16] = op##_bf16, [DT_f32] = op##_f32
#define ROW_SIGNED(op)                                                                             \
    [DT_i8] = op##_i8, [DT_i16] = op##_i16, [DT_i32] = op##_i32, [DT_i64] = op##_i64
#define ROW_UNSIGNED(op)                                                                           \
    [DT_u8] = op##_u8, [DT_u16] = op##_u16, [DT_u32] = op##_u32, [DT_u64] = op##_u64
#define ROW_WRAPPED(op)                                                                            \
    ROW_SIGNED(op), [DT_u8] = op##_i8, [DT_u16] = op##_i16, [DT_u32] = op##_i32, [DT_u64] = op##_i64
#endif
