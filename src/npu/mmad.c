/* mmad: fractals of L0A and L0B to matrices, their product, and fractals of L0C. */
#include "npu/cube.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t m, n, k;
    float *a, *b;
    void *sums;
    bool whole;
} product;

/* m x k: rows of fractals, each by rows; of one row, as it is. */
static void left(npu_core *c, const npu_arg *x, const product *p, bool short32) {
    int64_t c0 = npu_c0(x->dt), blocks = npu_up(p->k, c0) / c0, size = dtype_table[x->dt].bytes;
    npu_matrix s = {.dt = x->dt, .stride = c0, .short32 = short32};
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->k; j += c0) {
            int64_t at = p->m == 1 ? j : (i / 16 * blocks + j / c0) * 16 * c0 + i % 16 * c0;
            s.addr = x->v[0] + at * size;
            npu_fetch(c, &s, 0, 0, 1, p->k - j < c0 ? p->k - j : c0, p->a + i * p->k + j);
        }
}

/* n x k, the transposed of the right side: rows of fractals, each by columns. */
static void right(npu_core *c, const npu_arg *x, int64_t k, const product *p, bool short32) {
    int64_t c0 = npu_c0(x->dt), across = npu_up(p->n, 16) / 16, size = dtype_table[x->dt].bytes;
    npu_matrix s = {.dt = x->dt, .stride = c0, .short32 = short32};
    for (int64_t i = 0; i < k; i += c0)
        for (int64_t j = 0; j < p->n; j++) {
            s.addr = x->v[0] + ((i / c0 * across + j / 16) * 16 * c0 + j % 16 * c0) * size;
            npu_fetch(c, &s, 0, 0, 1, k - i < c0 ? k - i : c0, p->b + j * p->k + i);
        }
}

/* Two of four: the first place counts from 0, the second from 1. Both lie as the fractals do. */
static void spread(npu_core *c, const npu_arg *x, const product *p) {
    int64_t across = npu_up(p->n, 16) / 16, half = p->k / 2, base = npu_byte(x->v[0]);
    float *full = calloc((size_t)(p->k * p->n), sizeof *full);
    for (int64_t j = 0; full && j < p->n; j++)
        for (int64_t i = 0; i < half; i++) {
            int64_t at = base + (i / 32 * across + j / 16) * 512 + j % 16 * 32 + i % 32;
            int byte = at >= 0 && at / 4 < (int64_t)sizeof c->places ? c->places[at / 4] : 0;
            int64_t to = i / 2 * 4 + (byte >> at % 4 * 2 & 3) + i % 2;
            if (to < p->k)
                full[j * p->k + to] += p->b[j * p->k + i];
        }
    if (full)
        memcpy(p->b, full, (size_t)(p->k * p->n) * sizeof *full);
    free(full);
}

/* Fractals of L0C: strips of 16 columns. */
static int64_t place(const product *p, int64_t row, int64_t col) {
    return (col / 16 * npu_up(p->m, 16) + row) * 16 + col % 16;
}

static void old_sums(npu_core *c, const npu_arg *x, const product *p) {
    int64_t size = dtype_table[x->dt].bytes;
    uint8_t buf[8 * 16];
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j += 16) {
            int64_t n = p->n - j < 16 ? p->n - j : 16;
            char *to = (char *)p->sums + (i * p->n + j) * 4;
            npu_read(c, x->v[0] + place(p, i, j) * size, buf, n * size);
            if (p->whole)
                memcpy(to, buf, (size_t)n * 4);
            else
                npu_unpack(x->dt, buf, n, (float *)(void *)to);
        }
}

static void bias_rows(npu_core *c, const npu_arg *x, const product *p) {
    int64_t size = dtype_table[x->dt].bytes;
    npu_matrix s = {.addr = x->v[0], .dt = x->dt, .stride = p->n};
    if (p->whole)
        npu_read(c, x->v[0], p->sums, p->n * size);
    else
        npu_fetch(c, &s, 0, 0, 1, p->n, p->sums);
    for (int64_t i = 1; i < p->m; i++)
        memcpy((char *)p->sums + i * p->n * 4, p->sums, (size_t)p->n * 4);
}

static void new_sums(npu_core *c, const npu_arg *x, const product *p) {
    npu_target t = {.whole = p->whole,
                    .addr = x->v[0],
                    .dt = x->dt,
                    .nz = true,
                    .strip = 16,
                    .stride = npu_up(p->m, 16)};
    npu_deliver(c, &t, p->sums, p->n, 0, 0, p->m, p->n);
}

/* Fields of MmadParams. */
enum { P_BIAS = 3, P_SOURCE = 9, P_ZERO = 10 };

/* What dst begins with: a bias, what is in it, or zeros. */
static void begin(npu_core *c, const npu_arg *a, const npu_arg *bias, const npu_arg *q,
                  const product *p) {
    bool zero = q->n <= P_ZERO || npu_int_of(&q->sub[P_ZERO], 1);
    npu_arg table = {
        .kind = NPU_local, .dt = p->whole ? DT_i32 : DT_f32, .v = {npu_addr(NPU_BIAS, 0)}};
    if (bias && npu_space(bias->v[0]) == NPU_L0C)
        old_sums(c, bias, p);
    else if (bias)
        bias_rows(c, bias, p);
    else if (npu_field(q, P_BIAS) || (!zero && !npu_field(q, P_SOURCE)))
        old_sums(c, &a[0], p);
    else if (!zero)
        bias_rows(c, &table, p);
}

/* code 1: with places of load_data_with_sparse */
int64_t npu_mmad(npu_core *c, const npu_arg *a, int form, int code) {
    const npu_arg *bias = form == 1 ? &a[3] : NULL, *q = form == 1 ? &a[4] : &a[3];
    product p = {
        .m = npu_field(q, 0) & 4095, .n = npu_field(q, 1) & 4095, .k = npu_field(q, 2) & 4095};
    if (!p.m || !p.n || !p.k)
        return 0;
    p.whole = dtype_table[a[1].dt].bytes == 1 && dtype_table[a[2].dt].bytes == 1;
    p.a = calloc((size_t)(p.m * p.k), sizeof *p.a);
    p.b = calloc((size_t)(p.n * p.k), sizeof *p.b);
    p.sums = calloc((size_t)(p.m * p.n), 4);
    if (p.a && p.b && p.sums) {
        left(c, &a[1], &p, c->short32);
        right(c, &a[2], code ? p.k / 2 : p.k, &p, c->short32);
        if (code)
            spread(c, &a[2], &p);
        begin(c, a, bias, q, &p);
        npu_gemm(p.m, p.n, p.k, (gemm_view){p.a, p.k, 1}, (gemm_view){p.b, 1, p.k}, p.sums, p.n,
                 p.whole);
        new_sums(c, &a[0], &p);
    }
    free(p.a);
    free(p.b);
    free(p.sums);
    return 0;
}

int64_t npu_hf32(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    c->short32 = npu_int_of(&a[0], 0);
    return 0;
}
