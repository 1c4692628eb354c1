/* Conversions between dtypes. Each goes in pieces through a buffer of floats, or of int64 where a
   float could not hold the integers: load, round, store saturated. */
#include "npu/loops.h"
#include <math.h>

enum { PIECE = 256, NONE, RINT = 1, FLOOR, CEIL, AWAY, TRUNC, ODD }; /* as RoundMode */

/* Loads. */

#define LOAD(dt, T, get)                                                                           \
    static void load_##dt(float *w, const void *p, int n) {                                        \
        const T *in = p;                                                                           \
        for (int i = 0; i < n; i++)                                                                \
            w[i] = (float)get(in[i]);                                                              \
    }
LOAD(f16, uint16_t, npu_half_to_float)
LOAD(bf16, uint16_t, npu_bf16_to_float)
LOAD(f32, float, )
LOAD(i8, int8_t, )
LOAD(u8, uint8_t, )
LOAD(i16, int16_t, )
LOAD(u16, uint16_t, )
LOAD(i32, int32_t, ) /* rounds to nearest even */
static void (*const loads[DT_COUNT])(float *, const void *, int) = {
    [DT_f16] = load_f16, [DT_bf16] = load_bf16, [DT_f32] = load_f32, [DT_i8] = load_i8,
    [DT_u8] = load_u8,   [DT_i16] = load_i16,   [DT_u16] = load_u16, [DT_i32] = load_i32};

static void load_ints(dtype dt, int64_t *w, const void *p, int n) {
    const uint8_t *in = p;
    for (int i = 0; i < n; i++)
        w[i] = npu_load_int(dt, in + i * dtype_table[dt].bytes);
}

/* Rounding to whole numbers. From 2**23 on floats are whole. */

static inline float nearest(float a) { /* of a >= 0; NaN stays */
    return a < 0x1p23f ? (a + 0x1p23f) - 0x1p23f : a;
}
#define ROUND(name, expr)                                                                          \
    static void name(float *w, int n) {                                                            \
        for (int i = 0; i < n; i++) {                                                              \
            float v = w[i], a = fabsf(v), r = nearest(a), t = r > a ? r - 1 : r;                   \
            float s = copysignf(1, v);                                                             \
            (void)t;                                                                               \
            (void)s;                                                                               \
            w[i] = copysignf(expr, v);                                                             \
        }                                                                                          \
    }
ROUND(to_even, r)
ROUND(down, s < 0 && t < a ? t + 1 : t)
ROUND(up, s > 0 && t < a ? t + 1 : t)
ROUND(away, a - t >= 0.5f ? t + 1 : t)
ROUND(toward_zero, t)
static void whole(float *w, int n, int mode) {
    static void (*const by[])(float *, int) = {to_even, to_even, down, up, away, toward_zero};
    by[mode >= 0 && mode <= TRUNC ? mode : 0](w, n);
}

/* An integer as a float32, rounded. */
static float int_to_float(int64_t v, int mode) {
    uint64_t a = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, rest, half;
    int drop = a ? 40 - __builtin_clzll(a) : 0;
    if (drop <= 0)
        return (float)v;
    rest = a & ((UINT64_C(1) << drop) - 1);
    half = UINT64_C(1) << (drop - 1);
    a >>= drop;
    switch (mode) {
    case FLOOR: a += v < 0 && rest; break;
    case CEIL: a += v > 0 && rest; break;
    case AWAY: a += rest >= half; break;
    case TRUNC: break;
    case ODD: a |= rest != 0; break;
    default: a += rest > half || (rest == half && (a & 1));
    }
    return ldexpf((float)a, drop) * (v < 0 ? -1.0f : 1.0f);
}

/* Stores: beyond the range the nearest bound, NaN 0. */

#define STORE(dt, T, low, high)                                                                    \
    static void store_##dt(void *p, const float *w, int n) {                                       \
        T *out = p;                                                                                \
        for (int i = 0; i < n; i++) {                                                              \
            float v = w[i];                                                                        \
            v = v >= (float)low ? v : v < 0 ? (float)low : 0;                                      \
            out[i] = (T)(v < high ? v : high);                                                     \
        }                                                                                          \
    }
/* wide: the largest float is below the bound */
#define STORE_WIDE(dt, T, low, past, most)                                                         \
    static void store_##dt(void *p, const float *w, int n) {                                       \
        T *out = p;                                                                                \
        for (int i = 0; i < n; i++) {                                                              \
            float v = w[i];                                                                        \
            v = v >= low ? v : v < 0 ? low : 0;                                                    \
            T x = (T)(v < past ? v : 0);                                                           \
            out[i] = v < past ? x : most;                                                          \
        }                                                                                          \
    }
STORE(i8, int8_t, INT8_MIN, INT8_MAX)
STORE(u8, uint8_t, 0, UINT8_MAX)
STORE(i16, int16_t, INT16_MIN, INT16_MAX)
STORE(u16, uint16_t, 0, UINT16_MAX)
STORE_WIDE(i32, int32_t, -0x1p31f, 0x1p31f, INT32_MAX)
STORE_WIDE(u32, uint32_t, 0.0f, 0x1p32f, UINT32_MAX)
STORE_WIDE(i64, int64_t, -0x1p63f, 0x1p63f, INT64_MAX)
STORE_WIDE(u64, uint64_t, 0.0f, 0x1p64f, UINT64_MAX)
static void store_f32(void *p, const float *w, int n) { memcpy(p, w, (size_t)n * 4); }
static void (*const stores[DT_COUNT])(void *, const float *, int) = {
    [DT_i8] = store_i8,   [DT_u8] = store_u8,   [DT_i16] = store_i16,
    [DT_u16] = store_u16, [DT_i32] = store_i32, [DT_u32] = store_u32,
    [DT_i64] = store_i64, [DT_u64] = store_u64, [DT_f32] = store_f32};

static void store_half(uint16_t *out, const float *w, int n, int mode) {
    for (int i = 0; mode <= RINT && i < n; i++)
        out[i] = npu_float_to_half(w[i]);
    for (int i = 0; mode > RINT && i < n; i++)
        out[i] = npu_float_to_half_mode(w[i], mode);
}
static void store_bf16(uint16_t *out, const float *w, int n, int mode) {
    for (int i = 0; mode <= RINT && i < n; i++)
        out[i] = npu_float_to_bf16(w[i]);
    for (int i = 0; mode > RINT && i < n; i++)
        out[i] = npu_float_to_bf16_mode(w[i], mode);
}
static void store_floats(dtype dt, void *p, const float *w, int n, int mode) {
    if (dt == DT_f16)
        store_half(p, w, n, mode);
    else if (dt == DT_bf16)
        store_bf16(p, w, n, mode);
    else
        stores[dt](p, w, n);
}

/* Saturated; of a dtype of 64 bits as it is. */
static void store_ints(dtype dt, void *p, const int64_t *w, int n) {
    int bits = 8 * dtype_table[dt].bytes, sign = dtype_table[dt].cls == 'I';
    int64_t high = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - sign)) - 1;
    int64_t low = bits == 64 ? INT64_MIN : sign ? -high - 1 : 0;
    for (int i = 0; i < n; i++) {
        int64_t v = w[i] > high ? high : w[i] < low ? low : w[i];
        memcpy((uint8_t *)p + i * (bits / 8), &v, (size_t)(bits / 8));
    }
}

/* cast: x->v: source and destination, mode; x->f: the scale of int32 to float16. */

static bool is_int(dtype dt) { return dtype_table[dt].cls == 'I' || dtype_table[dt].cls == 'U'; }

static void cast_floats(dtype to, void *d, dtype from, const void *s, int mode, float scale,
                        int n) {
    float w[PIECE];
    loads[from](w, s, n);
    for (int i = 0; scale != 1 && i < n; i++)
        w[i] *= scale;
    if (is_int(to) || (to == DT_f32 && from == DT_f32))
        whole(w, n, mode);
    store_floats(to, d, w, n, from == DT_i32 ? RINT : mode);
}

static void cast_ints(dtype to, void *d, dtype from, const void *s, int mode, int n) {
    int64_t w[PIECE];
    float f[PIECE];
    load_ints(from, w, s, n);
    if (is_int(to)) {
        store_ints(to, d, w, n);
        return;
    }
    for (int i = 0; i < n; i++)
        f[i] = int_to_float(w[i], mode);
    store_floats(to, d, f, n, mode);
}

static void cast_loop(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    dtype from = (dtype)(x->v[0] & 255), to = (dtype)(x->v[0] >> 8);
    int mode = (int)x->v[1], size[2] = {dtype_table[from].bytes, dtype_table[to].bytes};
    bool deq = from == DT_i32 && to == DT_f16;
    bool floats =
        loads[from] && !(is_int(from) && is_int(to)) && (from != DT_i32 || deq || mode <= RINT);
    for (int64_t i = 0; i < n; i += PIECE) {
        int k = (int)(n - i < PIECE ? n - i : PIECE);
        const uint8_t *in = (const uint8_t *)s[0] + i * size[0];
        uint8_t *out = (uint8_t *)d + i * size[1];
        if (floats)
            cast_floats(to, out, from, in, mode, deq ? (float)x->f : 1, k);
        else
            cast_ints(to, out, from, in, mode, k);
    }
}

static bool castable(dtype dt) { return is_int(dt) || loads[dt]; }

int64_t npu_cast(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    int64_t mode = npu_int_of(&a[2], 0);
    npu_arg x = {.kind = NPU_int, .f = c->deq_scale};
    x.v[0] = a[1].dt | a[0].dt << 8;
    x.v[1] = mode < 0 || mode > ODD ? 0 : mode;
    npu_vector v = {.loop = cast_loop, .scalar = &x};
    if (!castable(a[0].dt) || !castable(a[1].dt))
        return 0;
    npu_operands(&v, a, 2);
    npu_run_form(c, &v, a, form, 3);
    return 0;
}

/* The sum or difference, rounded to the source's dtype, not below 0; then to dst's. */
static void relu_cast_loop(void *d, const void *const *s, const npu_arg *x, int64_t n) {
    dtype from = (dtype)(x->v[0] & 255), to = (dtype)(x->v[0] >> 8);
    float sign = x->v[1] ? -1 : 1, p[PIECE], q[PIECE];
    for (int64_t i = 0; i < n; i += PIECE) {
        int k = (int)(n - i < PIECE ? n - i : PIECE);
        loads[from](p, (const uint8_t *)s[0] + i * dtype_table[from].bytes, k);
        loads[from](q, (const uint8_t *)s[1] + i * dtype_table[from].bytes, k);
        for (int j = 0; j < k; j++) {
            float v = p[j] + sign * q[j];
            v = from == DT_f16 ? npu_half_to_float(npu_float_to_half(v)) : v;
            p[j] = v > 0 ? v : 0;
        }
        if (is_int(to))
            whole(p, k, RINT);
        store_floats(to, (uint8_t *)d + i * dtype_table[to].bytes, p, k, RINT);
    }
}

int64_t npu_relu_cast(npu_core *c, const npu_arg *a, int form, int code) {
    npu_arg x = {.kind = NPU_int, .v = {a[1].dt | a[0].dt << 8, code}};
    npu_vector v = {.loop = relu_cast_loop, .scalar = &x};
    dtype from = a[1].dt, to = a[0].dt;
    if ((from != DT_f16 && from != DT_f32 && from != DT_i16) || (to != DT_i8 && to != DT_f16) ||
        a[2].dt != from)
        return 0;
    npu_operands(&v, a, 3);
    npu_run_form(c, &v, a, form, 3);
    return 0;
}
