/* What the cube unit has summed up, on its way out: (de)quantised, rounded, and put where it is
   wanted, row by row. */
#include "npu/half.h"
#include "npu/matmul.h"
#include <math.h>
#include <string.h>

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* The factor's bits: a float without its last 13 bits; at 32 a shift to the right less 1, which bit
   36 asks for; at 37 nine bits of an offset, and at 46 whether the result has a sign: of 8 bits. */
static double scaled(const npu_target *t, double x, uint64_t bits) {
    float factor = npu_bits_float((uint32_t)bits & UINT32_C(0xffffe000));
    if (t->whole && bits >> 36 & 1)
        x = clamp(floor(ldexp(x, -(int)(bits >> 32 & 15) - 1)), -32768, 32767);
    float y = t->relu && x < 0 ? 0 : (float)x * factor;
    if (dtype_table[t->dt].bytes == 1) {
        double z = clamp(nearbyint((double)y), -256, 255) + (double)((int64_t)(bits << 18) >> 55);
        return bits >> 46 & 1 ? clamp(z, -128, 127) : clamp(z, 0, 255);
    }
    return t->whole && t->dt == DT_f16 ? clamp((double)y, -65504, 65504) : (double)y;
}

static void put_byte(uint8_t *p, double x) { *p = (uint8_t)(int)x; }

static void put(dtype dt, void *p, double x) {
    switch (dt) {
    case DT_f32: memcpy(p, &(float){(float)x}, 4); return;
    case DT_f16: memcpy(p, &(uint16_t){npu_float_to_half((float)x)}, 2); return;
    case DT_bf16: memcpy(p, &(uint16_t){npu_float_to_bf16((float)x)}, 2); return;
    case DT_f64: memcpy(p, &x, 8); return;
    default: break;
    }
    int bits = 8 * dtype_table[dt].bytes;
    bool sign = dtype_table[dt].cls == 'I';
    double top = ldexp(1, bits - sign), y = isnan(x) ? 0 : nearbyint(x);
    int64_t v = (int64_t)clamp(y, sign ? -top : 0, bits < 53 ? top - 1 : 0x1p62);
    memcpy(p, &v, (size_t)bits / 8);
}

/* Sums to elements of the target's dtype; col: of the first. */
static void convert(npu_core *c, const npu_target *t, const void *sums, int64_t n, int64_t col,
                    uint8_t *out) {
    int size = dtype_table[t->dt].bytes;
    uint64_t bits = t->bits;
    for (int64_t i = 0; i < n; i++) {
        double x = t->whole ? ((const int32_t *)sums)[i] : (double)((const float *)sums)[i];
        if (t->factor == NPU_factors)
            npu_read(c, t->bits_addr + (col + i) * 8, &bits, 8);
        if (t->factor == NPU_as_is)
            put(t->dt, out + i * size, t->relu && x < 0 ? 0 : x);
        else if (size == 1)
            put_byte(out + i, scaled(t, x, bits));
        else
            put(t->dt, out + i * size, scaled(t, x, bits));
    }
}

static bool plain(const npu_target *t) {
    return t->factor == NPU_as_is && !t->relu && t->dt == (t->whole ? DT_i32 : DT_f32);
}

enum { PIECE = 64 };
static void piece(npu_core *c, const npu_target *t, const void *sums, int64_t n, int64_t col,
                  int64_t element) {
    uint8_t buf[PIECE * 8];
    int64_t size = dtype_table[t->dt].bytes, there;
    uint8_t *at = npu_at(c, t->addr + element * size, n * size, &there);
    if (!at)
        return;
    convert(c, t, sums, n, col, buf);
    if (t->atomic > 0 && t->atomic <= 3)
        npu_combine(t->dt, (int)t->atomic - 1, at, buf, there / size);
    else
        npu_put(c, t->addr + element * size, buf, n * size);
}

void npu_deliver(npu_core *c, const npu_target *t, const void *sums, int64_t ld, int64_t row,
                 int64_t col, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; i++) {
        const char *s = (const char *)sums + i * ld * 4;
        if (!t->nz && !t->atomic && plain(t)) {
            npu_put(c, t->addr + ((row + i) * t->stride + col) * 4, s, n * 4);
            continue;
        }
        for (int64_t j = 0, some; j < n; j += some) {
            int64_t q = col + j, inside = t->nz ? q % t->strip : 0;
            some = t->nz ? t->strip - inside : PIECE;
            some = some < n - j ? some : n - j;
            piece(c, t, s + j * 4, some, q,
                  t->nz ? (q / t->strip * t->stride + row + i) * t->strip + inside
                        : (row + i) * t->stride + q);
        }
    }
}
