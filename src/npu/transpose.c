/* Transposes: 16 x 16, between NCHW and NHWC, and of 16 blocks of 32 bytes by their addresses. */
#include "npu/npu.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, BLOCK = 32, UB_BYTES = 192 << 10 };

/* dst[j][i] = src[i][j], of rows x columns elements. */
static void turn(uint8_t *d, const uint8_t *s, int64_t rows, int64_t columns, int size) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(d + (j * rows + i) * size, s + (i * columns + j) * size, (size_t)size);
}

static void square(npu_core *c, const npu_arg *a) {
    uint8_t in[SIDE * SIDE * 8], out[SIDE * SIDE * 8];
    int size = dtype_table[a[0].dt].bytes;
    npu_read(c, a[1].v[0], in, SIDE * SIDE * size);
    turn(out, in, SIDE, SIDE, size);
    npu_write(c, a[0].v[0], out, SIDE * SIDE * size);
}

/* TransposeParamsExt: n_size, c_size, h_size, w_size, transpose_type. Each image is a matrix of
   channels by places, or of places by channels. */
static void images(npu_core *c, const npu_arg *a, bool to_nhwc) {
    int64_t p[4];
    for (uint32_t i = 0; i < 4; i++)
        p[i] = npu_field(&a[3], i) & UINT16_MAX;
    int size = dtype_table[a[0].dt].bytes;
    int64_t places = p[2] * p[3], bytes = p[1] * places * size;
    if (!bytes || bytes > UB_BYTES) /* no image that fits into the memory */
        return;
    uint8_t *in = malloc(2 * (size_t)bytes);
    for (int64_t n = 0; in && n < p[0] && n * bytes < UB_BYTES; n++) {
        npu_read(c, a[1].v[0] + n * bytes, in, bytes);
        turn(in + bytes, in, to_nhwc ? p[1] : places, to_nhwc ? places : p[1], size);
        npu_write(c, a[0].v[0] + n * bytes, in + bytes, bytes);
    }
    free(in);
}

enum { ND2ND_B16 = 10, NCHW2NHWC, NHWC2NCHW }; /* TransposeType; the manual knows no others */

int64_t npu_transpose(npu_core *c, const npu_arg *a, int form, int code) {
    int64_t kind = form == 0 ? ND2ND_B16 : npu_field(&a[3], 4);
    (void)code;
    if (kind == ND2ND_B16)
        square(c, a);
    else if (kind == NCHW2NHWC || kind == NHWC2NCHW)
        images(c, a, kind == NCHW2NHWC);
    return 0;
}

/* The byte in its memory of a tensor's element. Addresses alone do not say what they point to:
   trans_data_to_5hd takes it to be what the last address was taken of. */
int64_t npu_phy_addr(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    c->mv.pointed = a[0].dt;
    return npu_byte(a[0].v[0]) + npu_int_of(&a[1], 0) * dtype_table[a[0].dt].bytes;
}

/* trans_data_to_5hd. The addresses of 16 blocks: of a list of tensors, of a list of bytes in the
   Unified Buffer, or of a tensor that holds such bytes. */
static bool addresses(npu_core *c, const npu_arg *x, int64_t at[SIDE], dtype *dt) {
    uint64_t held[SIDE];
    if (x->kind == NPU_list && x->n < SIDE)
        return false;
    if (x->kind != NPU_list)
        npu_read(c, x->v[0], held, sizeof held);
    for (int i = 0; i < SIDE; i++) {
        if (x->kind == NPU_list && x->sub[i].kind == NPU_local) {
            at[i] = x->sub[i].v[0];
            *dt = x->sub[i].dt;
        } else
            at[i] = npu_addr(NPU_UB,
                             (x->kind == NPU_list ? npu_int_of(&x->sub[i], 0) : (int64_t)held[i]) &
                                 UINT32_MAX);
    }
    return true;
}

/* 16 blocks: column j of the elements becomes row j. Rows of 16 elements fill a block of 16-bit
   elements, two of 32-bit ones; of bytes a row is a half of a block, and so is what is read. */
static void turn_blocks(npu_core *c, const int64_t *to, const int64_t *from, int64_t to_step,
                        int64_t from_step, int size, bool to_high, bool from_high) {
    uint8_t in[SIDE][BLOCK], out[SIDE * BLOCK];
    int columns = size == 1 ? SIDE : BLOCK / size, row = SIDE * size;
    for (int i = 0; i < SIDE; i++) {
        uint8_t whole[BLOCK];
        npu_read(c, from[i] + from_step, whole, BLOCK);
        memcpy(in[i], whole + (size == 1 && from_high ? SIDE : 0), (size_t)(columns * size));
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < SIDE; i++)
            memcpy(out + j * row + i * size, in[i] + j * size, (size_t)size);
    int piece = size == 1 ? SIDE : BLOCK;
    for (int i = 0; i < SIDE; i++)
        npu_write(c, to[i] + to_step + (size == 1 && to_high ? SIDE : 0), out + i * piece, piece);
}

/* TransDataTo5HDParams: dst_high_half, src_high_half, repeat_times, dst_rep_stride,
   src_rep_stride. A single repeat starts a stride behind the addresses, as on the NPU. */
int64_t npu_trans_data(npu_core *c, const npu_arg *a, int form, int code) {
    int64_t to[SIDE], from[SIDE], repeats = npu_field(&a[2], 2) & 255;
    dtype dt = c->mv.pointed;
    (void)form;
    (void)code;
    if (!addresses(c, &a[0], to, &dt) || !addresses(c, &a[1], from, &dt))
        return 0;
    for (int64_t r = 0; r < repeats; r++) {
        int64_t k = repeats == 1 ? 1 : r;
        turn_blocks(c, to, from, k * (npu_field(&a[2], 3) & UINT16_MAX) * BLOCK,
                    k * (npu_field(&a[2], 4) & UINT16_MAX) * BLOCK, dtype_table[dt].bytes,
                    npu_field(&a[2], 0) != 0, npu_field(&a[2], 1) != 0);
    }
    return 0;
}
