/* Half precision (IEEE 754 binary16) and bfloat16 as bits. Conversions from float round to nearest
   even; the code has no branches that differ by lane, so that loops over it become vectors. */
#ifndef NPU_HALF_H
#define NPU_HALF_H
#include <stdint.h>
#include <string.h>

static inline float npu_bits_float(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint32_t npu_float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static inline float npu_half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    uint32_t normal = (rest << 13) + (UINT32_C(112) << 23);
    uint32_t special = (rest << 13) | UINT32_C(0x7f800000);
    /* a subnormal is its integer times 2**-24 */
    uint32_t small = npu_float_bits((float)(int32_t)rest * 0x1p-24f);
    uint32_t u = rest >= 0x7c00 ? special : rest >= 0x400 ? normal : small;
    return npu_bits_float(u | sign);
}

static inline uint16_t npu_float_to_half(float f) {
    uint32_t u = npu_float_bits(f), sign = u >> 16 & 0x8000, rest = u & 0x7fffffff;
    /* normal: rebias, round to even at bit 13; a carry goes into the exponent */
    uint32_t normal = (rest - (UINT32_C(112) << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
    /* below 2**-14: adding 0.5 leaves the value in units of 2**-24, rounded to even */
    uint32_t small = npu_float_bits(npu_bits_float(rest) + 0.5f) - npu_float_bits(0.5f);
    uint32_t h = rest < UINT32_C(0x38800000) ? small : normal;
    h = rest >= UINT32_C(0x477ff000) ? 0x7c00 : h;
    h = rest > UINT32_C(0x7f800000) ? 0x7e00 : h;
    return (uint16_t)(h | sign);
}

static inline float npu_bf16_to_float(uint16_t b) { return npu_bits_float((uint32_t)b << 16); }
static inline uint16_t npu_float_to_bf16(float f) {
    uint32_t u = npu_float_bits(f);
    uint32_t r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffff) > UINT32_C(0x7f800000) ? (u >> 16 | 0x40) : r);
}
/* Rounded as a RoundMode says: 0 and 1 to nearest even, 2 down, 3 up, 4 to nearest, halves away
   from zero, 5 toward zero, 6 to odd. */
uint16_t npu_float_to_half_mode(float f, int mode);
uint16_t npu_float_to_bf16_mode(float f, int mode);
#endif
