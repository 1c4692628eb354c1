/* Matrices in memory, as floats. */
#include "npu/half.h"
#include "npu/matmul.h"
#include <string.h>

#define UNPACK(name, T, get)                                                                       \
    static void name(const void *from, int64_t n, float *to) {                                     \
        const T *p = from;                                                                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] = (float)get(p[i]);                                                              \
    }
UNPACK(of_f16, uint16_t, npu_half_to_float)
UNPACK(of_bf16, uint16_t, npu_bf16_to_float)
UNPACK(of_i8, int8_t, )
UNPACK(of_u8, uint8_t, )
UNPACK(of_i16, int16_t, )
UNPACK(of_i32, int32_t, )

void npu_unpack(dtype dt, const void *from, int64_t n, float *to) {
    switch (dt) {
    case DT_f32: memcpy(to, from, (size_t)n * 4); return;
    case DT_f16: of_f16(from, n, to); return;
    case DT_bf16: of_bf16(from, n, to); return;
    case DT_i8: of_i8(from, n, to); return;
    case DT_u8: of_u8(from, n, to); return;
    case DT_i16: of_i16(from, n, to); return;
    case DT_i32: of_i32(from, n, to); return;
    default:
        for (int64_t i = 0; i < n; i++)
            to[i] = (float)npu_load_float(dt, (const char *)from + i * dtype_table[dt].bytes);
    }
}

/* The short form of float32: 11 bits behind the point, to nearest even. */
static void shorten(float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = npu_float_bits(x[i]);
        bool finite = (u & 0x7f800000) != 0x7f800000;
        u = finite ? u + 0x7ff + (u >> 12 & 1) : u;
        x[i] = npu_bits_float(u & ~UINT32_C(0xfff));
    }
}

/* n elements that lie side by side; zeros where there is no memory. */
static void run(npu_core *c, const npu_matrix *m, int64_t element, int64_t n, float *out) {
    int64_t size = dtype_table[m->dt].bytes, there;
    const uint8_t *p = npu_at(c, m->addr + element * size, n * size, &there);
    int64_t have = p ? there / size : 0;
    if (have)
        npu_unpack(m->dt, p, have, out);
    for (int64_t i = have; i < n; i++)
        out[i] = 0;
    if (m->short32 && m->dt == DT_f32)
        shorten(out, have);
}

void npu_fetch(npu_core *c, const npu_matrix *m, int64_t row, int64_t col, int64_t rows,
               int64_t cols, float *out) {
    int64_t c0 = npu_c0(m->dt);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0, n; j < cols; j += n) {
            int64_t r = row + i, q = col + j, inside = q % c0;
            n = m->nz && c0 - inside < cols - j ? c0 - inside : cols - j;
            run(c, m, m->nz ? (q / c0 * m->stride + r) * c0 + inside : r * m->stride + q, n,
                out + i * cols + j);
        }
}

bool npu_borrow(npu_core *c, const npu_matrix *m, int64_t row, int64_t col, int64_t rows,
                int64_t cols, gemm_view *out) {
    int64_t bytes = ((rows - 1) * m->stride + cols) * 4, there;
    if (m->nz || m->dt != DT_f32 || m->short32 || rows < 1 || cols < 1 || m->stride < cols)
        return false;
    const uint8_t *p = npu_at(c, m->addr + (row * m->stride + col) * 4, bytes, &there);
    *out = (gemm_view){(const float *)(const void *)p, m->stride, 1};
    return p && there == bytes && !((uintptr_t)p & 3);
}
