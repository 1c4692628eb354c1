/* Stores to global memory that combine with what is there: other cores store to it at the same
   time, so each element is read, combined and written by compare and swap. */
#include "npu/half.h"
#include "npu/npu.h"
#include <string.h>

#define sum(W, a, b) ((W)(a + b))
#define larger(W, a, b) ((W)(b > a ? b : a))
#define smaller(W, a, b) ((W)(b < a ? b : a))

/* An element: bits B, as number W; from and to convert. */
#define COMBINE(f, dt, B, W, from, to)                                                             \
    static void f##_##dt(uint8_t *p, const uint8_t *in, int64_t n) {                               \
        for (int64_t i = 0; i < n; i++) {                                                          \
            B *at = (B *)(void *)p + i, was = __atomic_load_n(at, __ATOMIC_RELAXED), now, x;       \
            memcpy(&x, in + (size_t)i * sizeof x, sizeof x);                                       \
            W b = from(x);                                                                         \
            do {                                                                                   \
                W a = from(was);                                                                   \
                now = to(f(W, a, b));                                                              \
            } while (!__atomic_compare_exchange_n(at, &was, now, true, __ATOMIC_RELAXED,           \
                                                  __ATOMIC_RELAXED));                              \
        }                                                                                          \
    }
#define ALL(dt, B, W, from, to)                                                                    \
    COMBINE(sum, dt, B, W, from, to)                                                               \
    COMBINE(larger, dt, B, W, from, to)                                                            \
    COMBINE(smaller, dt, B, W, from, to)
/* integers wrap: they are added as unsigned bits and compared as what they are */
#define plain8(x) ((int8_t)(x))
#define plain16(x) ((int16_t)(x))
#define plain32(x) ((int64_t)(int32_t)(x))
#define bits8(x) ((uint8_t)(x))
#define bits16(x) ((uint16_t)(x))
#define bits32(x) ((uint32_t)(x))
ALL(i8, uint8_t, int, plain8, bits8)
ALL(i16, uint16_t, int, plain16, bits16)
ALL(i32, uint32_t, int64_t, plain32, bits32)
ALL(f16, uint16_t, float, npu_half_to_float, npu_float_to_half)
ALL(bf16, uint16_t, float, npu_bf16_to_float, npu_float_to_bf16)
ALL(f32, uint32_t, float, npu_bits_float, npu_float_bits)

#define OF(dt) [DT_##dt] = {sum_##dt, larger_##dt, smaller_##dt}
static void (*const combine[DT_COUNT][3])(uint8_t *, const uint8_t *, int64_t) = {
    OF(i8), OF(i16), OF(i32), OF(f16), OF(bf16), OF(f32)};

/* A type that has no atomics, or an address that is not its multiple: a plain store. */
void npu_combine(dtype dt, int op, uint8_t *p, const uint8_t *in, int64_t n) {
    bool known = combine[dt][0] && (uintptr_t)p % dtype_table[dt].bytes == 0;
    if (known)
        combine[dt][op](p, in, n);
    else
        memmove(p, in, (size_t)n * dtype_table[dt].bytes);
}

int64_t npu_set_atomic(npu_core *c, const npu_arg *a, int form, int code) {
    npu_mover *m = &c->mv;
    (void)form;
    if (code == NPU_ATOMIC_NONE) {
        m->atomic = false;
        m->atomic_op = NPU_ATOMIC_SUM;
        return 0;
    }
    m->atomic = true;
    m->atomic_dt = a[0].dt;
    if (code != NPU_ATOMIC_TYPE)
        m->atomic_op = code;
    return 0;
}

/* AtomicDtype's numbers */
static const dtype numbered[] = {DT_COUNT, DT_f32, DT_f16, DT_i16, DT_i32, DT_i8, DT_bf16};
enum { NUMBERED = sizeof numbered / sizeof *numbered };

int64_t npu_set_store_atomic(npu_core *c, const npu_arg *a, int form, int code) {
    int64_t type = npu_int_of(&a[0], 0);
    (void)form;
    (void)code;
    c->mv.atomic = type > 0 && type < NUMBERED;
    if (c->mv.atomic)
        c->mv.atomic_dt = numbered[type];
    c->mv.atomic_op = NPU_ATOMIC_SUM;
    return 0;
}

/* The first or the second number of the pair. */
int64_t npu_get_store_atomic(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    if (a[0].v[0])
        return c->mv.atomic_op;
    for (int i = 1; i < NUMBERED && c->mv.atomic; i++)
        if (numbered[i] == c->mv.atomic_dt)
            return i;
    return 0;
}
