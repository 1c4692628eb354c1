/* The cube unit: what its files share. A fractal is 512 bytes: 16 rows of 32 bytes. */
#ifndef NPU_CUBE_H
#define NPU_CUBE_H
#include "npu/matmul.h"

enum { NPU_FRACTAL = 512, NPU_ROW = 32, NPU_ROWS = 16 };

/* cube_load.c */
/* In place: the square that the fractals make, 16 x 16 (32 x 32 of bytes), transposed. */
int npu_square(int size); /* fractals of a square of elements of `size` bytes */
void npu_transpose_square(uint8_t *fractals, int size);
/* cube_columns.c: version 0 LoadData3DParamsV1, 1 V2, 2 V2Pro */
void npu_load_columns(npu_core *c, const npu_arg *a, int version);

/* fixpipe.c: m x n sums from src in L0C, strips of 16 columns src_stride rows apart, to dst */
typedef struct {
    int64_t m, n, src_stride, dst_stride;
    int64_t quant; /* QuantModes */
    uint64_t bits; /* the factor, of modes with one */
    int64_t bits_addr;
    bool relu, split, rows; /* rows: ND, else fractals */
} npu_out_of_l0c;
void npu_fix(npu_core *c, const npu_arg *dst, int64_t dst_at, const npu_arg *src, int64_t src_at,
             const npu_out_of_l0c *p);
#endif
