/* Blocked as Goto and van de Geijn have described it: GEMM_DEPTH of k at a time, panels of NR
   columns of b and of MR rows of a are packed, and the innermost kernel keeps MR x NR sums in
   registers. The kernel is written once, over vectors as wide as the machine's. */
#include "npu/gemm.h"
#include <stdlib.h>
#include <string.h>

/* Products and sums in one instruction; ISO C alone would round between. */
#if defined __clang__
#pragma STDC FP_CONTRACT ON
#define FUSED
#else
#define FUSED __attribute__((optimize("fp-contract=fast")))
#endif

enum { MAX_MR = 12, MAX_NR = 32, ROWS = 96 };

/* sums (mr x nr, in rows of nr) = panel a * panel b */
typedef void kernel(int64_t k, const float *a, const float *b, float *sums);

#define KERNEL(name, target, bytes, mr, nv)                                                        \
    FUSED target static void name(int64_t k, const float *a, const float *b, float *sums) {        \
        typedef float v __attribute__((vector_size(bytes), aligned(4)));                           \
        enum { W = bytes / 4 };                                                                    \
        v s[mr][nv] = {0};                                                                         \
        for (int64_t p = 0; p < k; p++, a += mr, b += nv * W) {                                    \
            v x[nv];                                                                               \
            _Pragma("GCC unroll 16") for (int j = 0; j < nv; j++) x[j] = *(const v *)(b + j * W);  \
            _Pragma("GCC unroll 16") for (int i = 0; i < mr; i++) {                                \
                _Pragma("GCC unroll 16") for (int j = 0; j < nv; j++) s[i][j] += a[i] * x[j];      \
            }                                                                                      \
        }                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < mr; i++) {                                    \
            _Pragma("GCC unroll 16") for (int j = 0; j < nv; j++) *                                \
                (v *)(sums + (i * nv + j) * W) = s[i][j];                                          \
        }                                                                                          \
    }

typedef struct {
    kernel *run;
    int mr, nr;
} shape;

#if defined __x86_64__
KERNEL(kernel512, __attribute__((target("avx512f"))), 64, 12, 2)
KERNEL(kernel256, __attribute__((target("avx2,fma"))), 32, 6, 2)
#endif
KERNEL(kernel128, , 16, 4, 2)

static shape best(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return (shape){kernel512, 12, 32};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (shape){kernel256, 6, 16};
#endif
    return (shape){kernel128, 4, 8};
}

/* Panels of `wide` lines of x: what is beyond its n lines is zero. Element (i, p) of the line is
   at[i * line + p * step]. */
static void pack(const float *at, int64_t line, int64_t step, int64_t n, int64_t k, int wide,
                 float *out) {
    for (int64_t i = 0; i < n; i += wide, at += wide * line) {
        int64_t some = n - i < wide ? n - i : wide;
        for (int64_t p = 0; p < k && line == 1 && some == wide; p++, out += wide)
            memcpy(out, at + p * step, (size_t)wide * sizeof *out);
        if (line == 1 && some == wide)
            continue;
        for (int64_t j = 0; j < some; j++)
            for (int64_t p = 0; p < k; p++)
                out[p * wide + j] = at[j * line + p * step];
        for (int64_t j = some; j < wide; j++)
            for (int64_t p = 0; p < k; p++)
                out[p * wide + j] = 0;
        out += wide * k;
    }
}

static void add(const float *sums, int nr, int64_t m, int64_t n, void *c, int64_t ldc, bool whole) {
    for (int64_t i = 0; i < m; i++, sums += nr)
        if (whole)
            for (int64_t j = 0; j < n; j++)
                ((int32_t *)c)[i * ldc + j] += (int32_t)sums[j];
        else
            for (int64_t j = 0; j < n; j++)
                ((float *)c)[i * ldc + j] += sums[j];
}

/* A slice of depth k, packed. */
static void slice(const shape *s, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                  char *c, int64_t ldc, bool whole) {
    float sums[MAX_MR * MAX_NR];
    for (int64_t j = 0; j < n; j += s->nr)
        for (int64_t i = 0; i < m; i += s->mr) {
            s->run(k, a + i * k, b + j * k, sums);
            add(sums, s->nr, m - i < s->mr ? m - i : s->mr, n - j < s->nr ? n - j : s->nr,
                c + (i * ldc + j) * 4, ldc, whole);
        }
}

bool npu_gemm(int64_t m, int64_t n, int64_t k, gemm_view a, gemm_view b, void *c, int64_t ldc,
              bool whole) {
    shape s = best();
    int64_t up = (n + s.nr - 1) / s.nr * s.nr;
    float *pb = malloc((size_t)(up + ROWS) * GEMM_DEPTH * sizeof *pb);
    if (!pb)
        return false;
    float *pa = pb + up * GEMM_DEPTH;
    for (int64_t p = 0; p < k; p += GEMM_DEPTH) {
        int64_t kk = k - p < GEMM_DEPTH ? k - p : GEMM_DEPTH;
        pack(b.at + p * b.row, b.col, b.row, n, kk, s.nr, pb);
        for (int64_t i = 0; i < m; i += ROWS) {
            int64_t some = m - i < ROWS ? m - i : ROWS;
            pack(a.at + i * a.row + p * a.col, a.row, a.col, some, kk, s.mr, pa);
            slice(&s, some, n, kk, pa, pb, (char *)c + i * ldc * 4, ldc, whole);
        }
    }
    free(pb);
    return true;
}
