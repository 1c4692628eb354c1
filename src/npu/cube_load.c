/* Fractals into L1, L0A and L0B: one by one, as a matrix, transposed, with the places of what is
   left out. */
#include "npu/cube.h"
#include <string.h>

int npu_square(int size) { return size == 2 ? 1 : 2; }

/* Two fractals of bytes lie one below the other in the square, of words side by side. */
void npu_transpose_square(uint8_t *fractals, int size) {
    uint8_t from[2 * NPU_FRACTAL];
    int side = size == 1 ? 32 : 16, wide = NPU_ROW / size;
    memcpy(from, fractals, (size_t)npu_square(size) * NPU_FRACTAL);
    for (int r = 0; r < side; r++)
        for (int q = 0; q < side; q++) {
            int at = (r / 16 + q / wide) * 16 * wide + r % 16 * wide + q % wide,
                to = (q / 16 + r / wide) * 16 * wide + q % 16 * wide + r % wide;
            memcpy(fractals + to * size, from + at * size, (size_t)size);
        }
}

/* params: start, repeats, stride of the source, sid, gap behind each in dst, transposed, downwards
 */
static void load_2d(npu_core *c, const npu_arg *dst, const npu_arg *src, const npu_arg *p) {
    int64_t step = npu_field(p, 6) ? -npu_field(p, 2) : npu_field(p, 2), n = npu_field(p, 1) & 255;
    bool turned = npu_field(p, 5) && dtype_table[dst->dt].bytes == 2;
    uint8_t buf[NPU_FRACTAL];
    for (int64_t i = 0; i < n; i++) {
        npu_read(c, src->v[0] + (npu_field(p, 0) + i * step) * NPU_FRACTAL, buf, NPU_FRACTAL);
        if (turned)
            npu_transpose_square(buf, 2);
        npu_write(c, dst->v[0] + i * (npu_field(p, 4) + 1) * NPU_FRACTAL, buf, NPU_FRACTAL);
    }
}

/* params: first row and column of fractals, how many of each, strides between the columns in src
   and dst, transposed. Transposed squares stay where their fractals were. */
static void load_2d_v2(npu_core *c, const npu_arg *dst, const npu_arg *src, const npu_arg *p) {
    int64_t m0 = npu_field(p, 0), k0 = npu_field(p, 1), m = npu_field(p, 2) & 255,
            k = npu_field(p, 3) & 255, from = npu_field(p, 4), to = npu_field(p, 5);
    int size = dtype_table[dst->dt].bytes, n = npu_field(p, 6) ? npu_square(size) : 1;
    int64_t down = size == 1 ? n : 1, across = size == 4 ? n : 1;
    uint8_t buf[2 * NPU_FRACTAL];
    for (int64_t j = 0; j < k; j += across)
        for (int64_t i = 0; i < m; i += down) {
            for (int f = 0; f < n; f++) {
                int64_t x = i + (down > 1 ? f : 0), y = j + (across > 1 ? f : 0);
                npu_read(c, src->v[0] + ((k0 + y) * from + m0 + x) * NPU_FRACTAL,
                         buf + f * NPU_FRACTAL, NPU_FRACTAL);
            }
            if (npu_field(p, 6))
                npu_transpose_square(buf, size);
            for (int f = 0; f < n; f++) {
                int64_t x = i + (down > 1 ? f : 0), y = j + (across > 1 ? f : 0);
                npu_write(c, dst->v[0] + (y * to + x) * NPU_FRACTAL, buf + f * NPU_FRACTAL,
                          NPU_FRACTAL);
            }
        }
}

int64_t npu_load_data(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    if (form == 0)
        load_2d(c, &a[0], &a[1], &a[2]);
    else if (form == 1)
        load_2d_v2(c, &a[0], &a[1], &a[2]);
    else
        npu_load_columns(c, a, form - 2);
    return 0;
}

/* params: start, repeats, stride of the source, gaps in dst behind a repeat's first fractal and
   between its fractals, [gap in src between its fractals,] downwards. Of the first kind start and
   stride count squares, of the second fractals. */
int64_t npu_load_transposed(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    const npu_arg *p = &a[2];
    int size = dtype_table[a[0].dt].bytes, n = npu_square(size);
    int64_t unit = form == 0 ? n * NPU_FRACTAL : NPU_FRACTAL, step = npu_field(p, 2);
    int64_t inner = (form == 0 ? 1 : npu_field(p, 5) + 1) * NPU_FRACTAL;
    uint8_t buf[2 * NPU_FRACTAL];
    if (size > 4)
        return 0;
    if (npu_field(p, form == 0 ? 5 : 6))
        step = -step;
    for (int64_t i = 0; i < (npu_field(p, 1) & 255); i++) {
        int64_t from = a[1].v[0] + (npu_field(p, 0) + i * step) * unit,
                to = a[0].v[0] + i * (npu_field(p, 3) + 1) * NPU_FRACTAL;
        for (int f = 0; f < n; f++)
            npu_read(c, from + f * inner, buf + f * NPU_FRACTAL, NPU_FRACTAL);
        npu_transpose_square(buf, size);
        for (int f = 0; f < n; f++)
            npu_write(c, to + f * (npu_field(p, 4) + 1) * NPU_FRACTAL, buf + f * NPU_FRACTAL,
                      NPU_FRACTAL);
    }
    return 0;
}

/* The places go into a memory of their own, a fourth of L0B: beside each fractal there. */
int64_t npu_load_sparse(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int64_t start = npu_field(&a[3], 0), n = npu_field(&a[3], 1) & 255,
            at = npu_byte(a[0].v[0]) / 4;
    npu_move(c, a[0].v[0], a[1].v[0] + start * NPU_FRACTAL, n * NPU_FRACTAL);
    int64_t bytes = n * NPU_FRACTAL / 4, room = (int64_t)sizeof c->places - at;
    if (at >= 0 && room > 0)
        npu_read(c, a[2].v[0] + start * NPU_FRACTAL / 4, c->places + at,
                 bytes < room ? bytes : room);
    return 0;
}

/* params: repeats, blocks of each, gap behind each, value. A block is 32 bytes in L1, else 512. */
int64_t npu_init_const(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int size = dtype_table[a[0].dt].bytes, space = npu_space(a[0].v[0]);
    int64_t block = space == NPU_L0A || space == NPU_L0B ? NPU_FRACTAL : NPU_ROW,
            n = npu_field(&a[1], 1) * block;
    uint8_t buf[NPU_FRACTAL];
    if (a[1].n < 4)
        return 0;
    for (int i = 0; i < NPU_FRACTAL; i += size)
        npu_store(a[0].dt, buf + i, &a[1].sub[3]);
    for (int64_t i = 0; i < (npu_field(&a[1], 0) & 32767); i++)
        for (int64_t j = 0; j < n; j += NPU_FRACTAL)
            npu_write(c, a[0].v[0] + i * (n + npu_field(&a[1], 2) * block) + j, buf,
                      n - j < NPU_FRACTAL ? n - j : NPU_FRACTAL);
    return 0;
}
