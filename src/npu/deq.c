/* Quantised integers: set_deq_scale and cast_deq. A set of parameters is a word, as hardware has
   it: bits 0 to 31 the scale as a float, of whose fraction 10 bits count; 37 to 45 the offset,
   signed; 46: is the result signed. */
#include "npu/half.h"
#include "npu/lanes.h"
#include <math.h>

static uint64_t deq_word(double scale, int64_t offset, bool sign) {
    return npu_float_bits((float)scale) | ((uint64_t)offset & 511) << 37 | (uint64_t)sign << 46;
}

int64_t npu_set_deq(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    if (form == 0)
        c->deq_scale = npu_half_to_float(npu_float_to_half((float)npu_number(&a[0])));
    else if (form == 1)
        c->deq_word = deq_word(npu_number(&a[0]), npu_int_of(&a[1], 0), npu_int_of(&a[2], 0));
    else {
        if (a[1].n < 3)
            return 0;
        const npu_arg *info = a[1].sub;
        c->deq_at = a[0].v[0];
        for (uint32_t i = 0; i < 16; i++) {
            uint64_t w = deq_word(npu_field_float(&info[0], i), npu_field(&info[1], i),
                                  npu_field(&info[2], i));
            npu_write(c, c->deq_at + 8 * i, &w, 8);
        }
    }
    return 0;
}

static uint8_t deq(int16_t v, uint64_t w) {
    float scale = npu_bits_float((uint32_t)w & ~UINT32_C(0x1fff));
    int offset = (int)(w >> 37 & 511), low = w >> 46 & 1 ? -128 : 0;
    offset -= offset & 256 ? 512 : 0;
    float r = rintf(v * scale + (float)offset), high = (float)(low + 255);
    return (uint8_t)(int)(r > high ? high : r >= (float)low ? r : (float)low);
}

/* The 16 results of a block of int16 go to one half of a block, the upper one where half is set. */
static void deq_repeats(npu_core *c, const npu_operand *o, npu_steps *s, const uint64_t *w,
                        bool half) {
    int16_t tmp[128];
    for (int64_t r = 0; r < s->repeats; r++) {
        npu_steps_next(s, r);
        const int16_t *in = npu_lanes_in(c, &o[1], r, 128, tmp);
        for (int i = 0; i < 128; i++) {
            int64_t to = o[0].addr + 32 * (r * o[0].rep + i / 16 * o[0].blk) + 16 * half + i % 16;
            uint8_t b = deq(in[i], w[i % 16]);
            if (s->on[i])
                npu_write(c, to, &b, 1);
        }
    }
}

/* (dst, src, count, is_vec_deq, half_block) or (dst, src, mask, repeats, strides, is_set_mask,
   is_vec_deq, half_block) */
int64_t npu_cast_deq(npu_core *c, const npu_arg *a, int form, int code) {
    const npu_arg *flags = &a[form == 0 ? 3 : 6];
    if (a[1].dt == DT_i32) { /* the scale alone: what cast does */
        npu_arg b[8] = {a[0], a[1], {.kind = NPU_int}, a[2]};
        for (int i = 3; form && i < 6; i++)
            b[i + 1] = a[i];
        return a[0].dt == DT_f16 ? npu_cast(c, b, form, code) : 0;
    }
    if (a[1].dt != DT_i16 || dtype_table[a[0].dt].bytes != 1)
        return 0;
    npu_operand o[2];
    npu_steps s;
    uint64_t w[16];
    for (int i = 0; i < 2; i++)
        o[i] = (npu_operand){a[i].v[0], a[i].dt, 1, 8};
    for (uint32_t i = 0; i < 2 && form; i++) {
        o[i].blk = npu_stride(npu_field(&a[4], i));
        o[i].rep = npu_stride(npu_field(&a[4], 2 + i));
    }
    for (int i = 0; i < 16; i++)
        w[i] = c->deq_word;
    if (npu_int_of(&flags[0], 1))
        npu_read(c, c->deq_at, w, sizeof w);
    if (form == 0)
        npu_steps_count(&s, 128, npu_int_of(&a[2], 0));
    else
        npu_steps_mask(c, &s, npu_mask_given(&a[2], &a[5]), 128, npu_int_of(&a[3], 0) & 255);
    deq_repeats(c, o, &s, w, npu_int_of(&flags[1], 1));
    return 0;
}
