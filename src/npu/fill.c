/* Instructions that spread elements: duplicate, brcb, bilinear_interpolation. */
#include "npu/half.h"
#include "npu/lanes.h"

#define FILL(T)                                                                                    \
    static void fill_##T(void *d, const void *const *s, const npu_arg *x, int64_t n) {             \
        T v = (T)x->v[0];                                                                          \
        (void)s;                                                                                   \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((T *)d)[i] = v;                                                                       \
    }
FILL(uint8_t)
FILL(uint16_t)
FILL(uint32_t)
FILL(uint64_t)

/* (dst, scalar, count, is_set_mask) or (dst, scalar, mask, repeats, block stride, repeat stride,
   is_set_mask) */
int64_t npu_duplicate(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    int size = dtype_table[a[0].dt].bytes;
    npu_arg x = {.kind = NPU_int};
    npu_store(a[0].dt, &x.v[0], &a[1]);
    npu_vector v = {.scalar = &x,
                    .loop = size == 1   ? fill_uint8_t
                            : size == 2 ? fill_uint16_t
                            : size == 4 ? fill_uint32_t
                                        : fill_uint64_t};
    npu_operands(&v, a, 1);
    if (form == 0) {
        npu_run_form(c, &v, a, form, 2);
        return 0;
    }
    v.o[0].blk = npu_stride(npu_int_of(&a[4], 1));
    v.o[0].rep = npu_stride(npu_int_of(&a[5], 8));
    npu_repeat(c, &v, npu_mask_given(&a[2], &a[6]), npu_int_of(&a[3], 0));
    return 0;
}

/* Each of 8 elements fills a block. */
int64_t npu_brcb(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int size = dtype_table[a[0].dt].bytes;
    int64_t repeats = npu_int_of(&a[2], 0), blk = npu_stride(npu_field(&a[3], 0)),
            rep = npu_stride(npu_field(&a[3], 1));
    for (int64_t r = 0; r < repeats && r < 255; r++)
        for (int k = 0; k < 8; k++) {
            uint8_t block[32];
            npu_read(c, a[1].v[0] + (8 * r + k) * size, block, size);
            for (int i = size; i < 32; i += size)
                memcpy(block + i, block, (size_t)size);
            npu_write(c, a[0].v[0] + 32 * (r * rep + k * blk), block, 32);
        }
    return 0;
}

/* dst, src0, src0_offset, src1, mask, h_repeat, repeat_mode, dst_blk_stride, v_r_offset, v_repeat,
   tmp. An iteration takes 8 blocks of src0, each from the byte that src0_offset says, times one
   element of src1, or times 8, an element for each block; h iterations are added up. Products and
   sums are halves. */
static void bilinear_step(npu_core *c, const npu_arg *a, int64_t step, bool each, float *sum) {
    for (int b = 0; b < 8; b++) {
        uint32_t offset;
        uint16_t in[16], weight;
        npu_read(c, a[1].v[0] + 4 * (8 * step + b), &offset, 4);
        npu_read(c, a[0].v[0] + offset, in, 32);
        npu_read(c, a[2].v[0] + 2 * (each ? 8 * step + b : step), &weight, 2);
        for (int i = 0; i < 16; i++) {
            float p = npu_half_to_float(in[i]) * npu_half_to_float(weight), *t = &sum[16 * b + i];
            p = npu_half_to_float(npu_float_to_half(p));
            *t = npu_half_to_float(npu_float_to_half(*t + p));
        }
    }
}

int64_t npu_bilinear(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int64_t h = npu_int_of(&a[5], 0) & 255, times = npu_int_of(&a[9], 0) & 255;
    npu_operand dst = {a[0].v[0], DT_f16, npu_stride(npu_int_of(&a[7], 1)), 0};
    npu_steps s;
    if (a[0].dt != DT_f16 || a[1].dt != DT_f16 || a[3].dt != DT_f16 || h == 0)
        return 0;
    npu_steps_mask(c, &s, &a[4], 128, 1);
    npu_steps_next(&s, 0);
    for (int64_t v = 0; v < times; v++) {
        float sum[128];
        uint16_t out[128];
        for (int i = 0; i < 128; i++)
            sum[i] = -0.0f; /* which leaves what is added as it is */
        for (int64_t k = 0; k < h; k++)
            bilinear_step(c, a + 1, v * h + k, npu_int_of(&a[6], 0), sum);
        for (int i = 0; i < 128; i++)
            out[i] = npu_float_to_half(sum[i]);
        npu_lanes_out(c, &dst, 0, &s, (const uint8_t *)out);
        dst.addr += 2 * npu_stride(npu_int_of(&a[8], 0));
    }
    return 0;
}
