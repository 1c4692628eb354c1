/* The product of two matrices of floats, as the cube unit makes it: the model's Matmul object and
   mmad call this with what they have unpacked. */
#ifndef NPU_GEMM_H
#define NPU_GEMM_H
#include <stdbool.h>
#include <stdint.h>

/* Element (r, c) is at[r * row + c * col]. */
typedef struct {
    const float *at;
    int64_t row, col;
} gemm_view;

/* c (m rows of n, stride ldc) += a (m x k) * b (k x n). whole: c has int32s, and the products are
   of integers below 2**7: each sum of GEMM_DEPTH of them is exact in a float. False: no memory. */
enum { GEMM_DEPTH = 256 };
bool npu_gemm(int64_t m, int64_t n, int64_t k, gemm_view a, gemm_view b, void *c, int64_t ldc,
              bool whole);
#endif
