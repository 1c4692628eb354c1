/* A core's part is as small as the cores allow, the blocks of it as large as the memories allow;
   both whole numbers of each other where that costs nothing, since not every kernel has tails. */
#include "npu/tiling.h"
#include <string.h>

enum { L1 = 512 << 10, L0AB = 64 << 10, L0C = 128 << 10, UB = 192 << 10, FRACTAL = 16 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t up(int64_t a, int64_t to) { return ceiling(a, to) * to; }
static int64_t given(int64_t x, int64_t otherwise) { return x > 0 ? x : otherwise; }

/* Bytes of a ge::DataType. */
static int64_t bytes_of(int64_t dt) {
    static const uint8_t of[] = {4, 2, 1, 4, 1, 4, 2, 2, 4, 8, 8, 8, 1};
    return dt == 27 ? 2 : dt >= 0 && dt < (int64_t)sizeof of ? of[dt] : 4;
}

/* A core's part along one axis, for `parts` cores. */
static int64_t part(int64_t n, int64_t parts, int64_t align, int64_t lo, int64_t hi) {
    int64_t p = least(up(ceiling(n, parts), align), up(n, FRACTAL));
    p = hi > 0 ? least(p, hi) : p;
    return least(most(p, lo), n);
}

typedef struct {
    int64_t m, n, parts_m, parts_n;
} cut;

/* Less work for the core that has most; then no tails; then fewer elements to load. */
static bool better(const cut *a, const cut *b, int64_t m, int64_t n) {
    int64_t wa = a->m * a->n, wb = b->m * b->n;
    if (!b->m || wa != wb)
        return !b->m || wa < wb;
    int ta = (m % a->m != 0) + (n % a->n != 0), tb = (m % b->m != 0) + (n % b->n != 0);
    return ta != tb ? ta < tb : a->m + a->n < b->m + b->n;
}

static bool cut_cores(const npu_tiling *t, int64_t m, int64_t n, cut *best) {
    int64_t align_m = given(t->align_m, given(t->base_m, FRACTAL)),
            align_n = given(t->align_n, given(t->base_n, FRACTAL)), dim = given(t->dim, 1);
    memset(best, 0, sizeof *best);
    for (int64_t i = 1; i <= dim; i++)
        for (int64_t j = 1; j <= dim / i; j++) {
            cut c = {given(t->single_m, part(m, i, align_m, t->least_m, t->most_m)),
                     given(t->single_n, part(n, j, align_n, t->least_n, t->most_n)), 0, 0};
            c.parts_m = ceiling(m, c.m);
            c.parts_n = ceiling(n, c.n);
            bool asked = t->single_m > 0 || t->single_n > 0;
            if ((asked || c.parts_m * c.parts_n <= dim) && better(&c, best, m, n))
                *best = c;
        }
    return best->m && (t->dim <= 0 || best->parts_m * best->parts_n <= t->dim);
}

/* A block along one axis: at most `cap`, in equal parts, best without a tail. */
static int64_t block(int64_t single, int64_t fixed, int64_t cap, int64_t lo, int64_t hi) {
    if (fixed > 0)
        return fixed;
    cap = most(least(hi > 0 ? least(cap, hi) : cap, up(single, FRACTAL)) / FRACTAL * FRACTAL,
               FRACTAL);
    if (single <= cap)
        return most(up(single, FRACTAL), lo);
    for (int64_t b = cap; 2 * b >= cap; b -= FRACTAL)
        if (single % b == 0)
            return b;
    return most(least(up(ceiling(single, ceiling(single, cap)), FRACTAL), cap), lo);
}

static bool in_ub(int64_t pos) { return pos >= 9 && pos <= 11; }

/* The blocks of a core's part: out[8..10] */
static bool cut_blocks(const npu_tiling *t, int64_t *out) {
    int64_t size = most(bytes_of(t->a_dtype), bytes_of(t->b_dtype)), c0 = 32 / size;
    int64_t room = given(t->l0c, L0C) / 4 / (t->double_c ? 2 : 1);
    if (in_ub(t->c_pos)) /* two buffers of a queue */
        room = least(room, given(t->ub, UB) / bytes_of(t->c_dtype) / 2);
    int64_t m =
        block(out[5], t->base_m, t->base_n > 0 ? room / t->base_n : 128, t->min_m, t->max_m);
    int64_t n = block(out[6], t->base_n, least(256, room / most(m, 1)), t->min_n, t->max_n);
    int64_t deep = L0AB / size / 2 / most(up(m, FRACTAL), up(n, FRACTAL));
    deep = most(deep / c0 * c0, c0);
    if (t->max_k > 0)
        deep = least(deep, t->max_k);
    out[8] = m;
    out[9] = n;
    out[10] = given(t->base_k, most(least(deep, up(out[7], c0)), t->min_k));
    return m * n * 4 <= given(t->l0c, L0C);
}

/* How many blocks stay in L1. */
static void cut_l1(const npu_tiling *t, int64_t *out) {
    int64_t a = out[8] * out[10] * bytes_of(t->a_dtype),
            b = out[9] * out[10] * bytes_of(t->b_dtype);
    int64_t rounds = ceiling(out[7], out[10]);
    int64_t steps = given(t->l1, L1) / most(a * (1 + !!t->double_a) + b * (1 + !!t->double_b), 1);
    steps = most(least(steps, rounds), 1);
    out[11] = steps * (t->double_a && steps < rounds ? 2 : 1);
    out[12] = steps * (t->double_b && steps < rounds ? 2 : 1);
    out[13] = out[14] = 1;
    out[26] = out[27] = steps;
    out[19] = out[11] * a + out[12] * b + (t->bias ? out[9] * bytes_of(t->bias_dtype) : 0);
}

static void layouts(const npu_tiling *t, int64_t *out) {
    const int64_t l[15] = {t->a_b, t->a_s, t->a_n, t->a_g, t->a_d, t->b_b, t->b_s, t->b_n,
                           t->b_g, t->b_d, t->c_b, t->c_s, t->c_n, t->c_g, t->c_d};
    memcpy(out + 33, l, sizeof l);
    out[48] = t->batch;
    out[22] = out[23] = out[24] = out[25] = 1;
    if (t->batch_a > 0)
        out[22] = t->batch_a;
    if (t->batch_b > 0)
        out[23] = t->batch_b;
}

/* Parts along k, where the other axes leave cores over. */
static int64_t cut_depth(const npu_tiling *t, int64_t k, int64_t left, int64_t *single) {
    *single = given(t->single_k, k);
    if (!t->split_k)
        return 1;
    if (t->single_k <= 0)
        *single = part(k, most(left, 1), given(t->align_k, FRACTAL), t->least_k, t->most_k);
    return ceiling(k, *single);
}

bool npu_tiling_cut(const npu_tiling *t, int64_t out[NPU_TILING_FIELDS], int64_t cores[5]) {
    enum { LARGEST = 1 << 30 };
    int64_t m = given(t->m, given(t->org_m, t->batch_rows)),
            n = given(t->n, given(t->org_n, t->batch_cols)),
            k = given(t->k, given(t->org_ka, t->batch_depth)), parts_k;
    cut c = {m, n, 1, 1};
    memset(out, 0, NPU_TILING_FIELDS * sizeof *out);
    if (m < 1 || n < 1 || k < 1 || m > LARGEST || n > LARGEST || k > LARGEST || t->dim > 4096)
        return false;
    if (t->kind == 1 && !cut_cores(t, m, n, &c))
        return false;
    parts_k =
        cut_depth(t, k, t->kind == 1 ? given(t->dim, 1) / (c.parts_m * c.parts_n) : 1, &out[7]);
    out[0] = cores[0] = c.parts_m * c.parts_n * parts_k;
    cores[1] = c.parts_m;
    cores[2] = c.parts_n;
    cores[3] = cores[4] = 1;
    out[1] = given(t->org_m, m);
    out[2] = given(t->org_n, n);
    out[3] = given(t->org_ka, k);
    out[4] = given(t->org_kb, out[3]);
    out[5] = c.m;
    out[6] = c.n;
    bool fits = cut_blocks(t, out);
    cut_l1(t, out);
    layouts(t, out);
    out[15] = !!t->bias;
    out[17] = t->traverse == 2;
    out[20] = out[8] * out[9] * 4;
    out[30] = out[31] = 2;
    out[32] = 1 + !!t->double_c;
    return fits;
}
