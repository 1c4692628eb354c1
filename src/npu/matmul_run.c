/* The Matmul object computes: the sums of a block of this core's part. */
#include "npu/matmul.h"
#include <stdlib.h>
#include <string.h>

/* The stored matrix of operand `which`, and where in it the core's element (0, 0) lies. A tensor in
   local memory has this core's part only; in global memory rows are those of the whole matrix. */
static npu_matrix stored(const npu_matmul *mm, int which, int64_t batch) {
    static const int rows_of[2] = {T_m, T_k_b}, cols_of[2] = {T_k_a, T_n};
    static const int my_rows[2] = {T_single_m, T_single_k}, my_cols[2] = {T_single_k, T_single_n};
    const npu_mm_side *x = &mm->in[which];
    const npu_mm_type *t = &mm->type[which];
    int64_t rows = mm->t[x->local ? my_rows[which] : rows_of[which]],
            cols = mm->t[x->local ? my_cols[which] : cols_of[which]];
    if (which == MM_B && mm->sparse)
        rows /= 2;
    npu_matrix s = {.dt = t->dt, .nz = t->format == 1, .short32 = mm->hf32};
    s.addr = x->addr + batch * dtype_table[t->dt].bytes;
    int64_t height = x->trans ? cols : rows, width = x->trans ? rows : cols;
    s.stride = s.nz ? npu_up(height, 16) : width;
    const int64_t *l = mm->t + (which ? T_b_layout : T_a_layout);
    if (t->layout == MM_layout_bsngd && l[4])
        s.stride = l[2] * l[3] * l[4];
    else if (t->layout == MM_layout_sbngd && l[4])
        s.stride = l[0] * l[2] * l[3] * l[4];
    else if (t->layout == MM_layout_bngs && l[4])
        s.stride = l[4];
    return s;
}

/* op(x)[row.., col..], rows x cols. *own is memory to free. */
static bool operand(npu_core *c, const npu_matmul *mm, int which, int64_t batch, int64_t row,
                    int64_t col, int64_t rows, int64_t cols, gemm_view *out, float **own) {
    const npu_mm_side *x = &mm->in[which];
    npu_matrix s = stored(mm, which, batch);
    int64_t r = x->trans ? col : row, q = x->trans ? row : col, h = x->trans ? cols : rows,
            w = x->trans ? rows : cols;
    *own = NULL;
    if (x->scalar || !npu_borrow(c, &s, r, q, h, w, out)) {
        int64_t n = x->scalar ? 1 : h * w;
        if (!(*own = malloc((size_t)n * sizeof **own)))
            return false;
        if (x->scalar)
            **own = x->value;
        else
            npu_fetch(c, &s, r, q, h, w, *own);
        *out = (gemm_view){*own, x->scalar ? 0 : w, x->scalar ? 0 : 1};
    }
    if (x->trans)
        *out = (gemm_view){out->at, out->col, out->row};
    return true;
}

static bool make_room(npu_matmul *mm, int64_t n) {
    if (n <= mm->room)
        return true;
    void *p = realloc(mm->sums, (size_t)n * 4);
    if (!p)
        return false;
    mm->sums = p;
    mm->room = n;
    return true;
}

/* The bias of column col on, in each row. */
static bool begin(npu_core *c, npu_matmul *mm, int64_t bias, int64_t col, int64_t m, int64_t n,
                  bool whole) {
    memset(mm->sums, 0, (size_t)(m * n) * 4);
    if (!mm->biased)
        return true;
    float *row = malloc((size_t)n * sizeof *row);
    if (!row)
        return false;
    int64_t size = dtype_table[mm->bias_dt].bytes;
    npu_matrix b = {.addr = mm->bias_addr + bias * size, .dt = mm->bias_dt, .stride = n};
    if (whole) /* as int32, bit by bit */
        npu_read(c, b.addr + col * size, row, n * 4);
    else
        npu_fetch(c, &b, 0, col, 1, n, row);
    for (int64_t i = 0; i < m; i++)
        memcpy((float *)mm->sums + i * n, row, (size_t)n * 4);
    free(row);
    return true;
}

/* Two of four elements of each column of b are there. The index has two bits for each: the first
   counts from 0, the second from 1; it is a matrix n x k / 2 in strips of 32. */
static float *spread(npu_core *c, const npu_matmul *mm, gemm_view b, int64_t row, int64_t col,
                     int64_t k, int64_t n) {
    float *full = calloc((size_t)(k * n), sizeof *full);
    int64_t high = npu_up(mm->t[T_n], 16);
    for (int64_t j = 0; full && j < n; j++)
        for (int64_t p = 0; p < k / 2; p++) {
            int64_t q = row / 2 + p, at = (q / 32 * high + col + j) * 32 + q % 32;
            uint8_t byte;
            npu_read(c, mm->sparse_addr + at / 4, &byte, 1);
            int64_t which = p / 2 * 4 + (byte >> at % 4 * 2 & 3) + p % 2;
            if (which < k)
                full[which * n + j] += b.at[p * b.row + j * b.col];
        }
    return full;
}

/* sums += op(a)[row.., p..] * op(b)[p.., col..], k deep */
static bool slab(npu_core *c, npu_matmul *mm, const int64_t off[3], int64_t row, int64_t col,
                 int64_t p, int64_t k, bool whole) {
    gemm_view a, b;
    float *own_a = NULL, *own_b = NULL, *full = NULL;
    int64_t m = mm->block_m, n = mm->block_n, part = mm->sparse ? 2 : 1;
    bool ok = operand(c, mm, MM_A, off[0], row, p, m, k, &a, &own_a) &&
              operand(c, mm, MM_B, off[1], p / part, col, k / part, n, &b, &own_b);
    if (ok && mm->sparse) {
        full = spread(c, mm, b, p, col, k, n);
        b = (gemm_view){full, n, 1};
    }
    ok = ok && b.at && npu_gemm(m, n, k, a, b, mm->sums, n, whole);
    free(own_a);
    free(own_b);
    free(full);
    return ok;
}

bool npu_mm_sums(npu_core *c, npu_matmul *mm, const int64_t off[3], int64_t row, int64_t col,
                 int64_t m, int64_t n, bool partial) {
    enum { SLAB = 4096 };
    bool whole = mm->type[MM_A].dt == DT_i8 && mm->type[MM_B].dt == DT_i8;
    if (m < 1 || n < 1 || m * n > MM_BLOCK || !make_room(mm, m * n))
        return false;
    bool ok =
        (partial && mm->block_m == m && mm->block_n == n) || begin(c, mm, off[2], col, m, n, whole);
    mm->block_m = m;
    mm->block_n = n;
    int64_t k = mm->in[0].there && mm->in[1].there ? mm->t[T_single_k] : 0;
    for (int64_t p = 0; p < k && ok; p += SLAB)
        ok = slab(c, mm, off, row, col, p, k - p < SLAB ? k - p : SLAB, whole);
    return ok;
}
