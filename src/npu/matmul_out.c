/* The Matmul object: blocks one by one, all at once, and several products in a batch; and where
   what they give goes. */
#include "npu/matmul.h"
#include <string.h>

static int64_t at_most(int64_t x, int64_t most) { return x < most ? x : most; }
static int64_t at_least(int64_t x, int64_t least) { return x > least ? x : least; }

/* The block `at` of this core's part: (row, col), m x n. False: there is none. */
typedef struct {
    int64_t row, col, m, n;
} area;
static bool area_of(const npu_matmul *mm, int64_t at, area *out) {
    const int64_t *t = mm->t;
    int64_t m = t[T_single_m], n = t[T_single_n], bm = t[T_base_m], bn = t[T_base_n];
    if (m < 1 || n < 1 || bm < 1 || bn < 1)
        return false;
    int64_t down = (m + bm - 1) / bm, across = (n + bn - 1) / bn;
    if (at < 0 || at >= down * across)
        return false;
    int64_t i = t[T_order] == 1 ? at / across : at % down,
            j = t[T_order] == 1 ? at % across : at / down;
    *out = (area){i * bm, j * bn, at_most(bm, m - i * bm), at_most(bn, n - j * bn)};
    return true;
}

/* C as a tensor; sequential: a block of its own. */
static npu_target target(const npu_matmul *mm, int64_t addr, dtype dt, bool local, bool sequential,
                         int64_t atomic) {
    const int64_t *t = mm->t;
    npu_target out = {.whole = mm->type[MM_A].dt == DT_i8 && mm->type[MM_B].dt == DT_i8,
                      .factor = mm->factor,
                      .bits = mm->factor_bits,
                      .bits_addr = mm->factor_addr,
                      .atomic = atomic,
                      .addr = addr,
                      .dt = dt,
                      .nz = mm->type[MM_C].format == 1};
    int64_t rows = sequential ? t[T_base_m]
                   : local    ? t[T_single_m]
                              : t[T_m],
            cols = sequential ? t[T_base_n]
                   : local    ? t[T_single_n]
                              : (mm->org_n_c ? mm->org_n_c : t[T_n]);
    /* fractals of C are 16 wide; 32 of bytes, and 8 where the channels are split */
    out.strip = dtype_table[dt].bytes == 1 ? 32 : mm->split_channels && dt == DT_f32 ? 8 : 16;
    out.stride = out.nz ? npu_up(rows, 16) : cols;
    return out;
}

static void block_to(npu_core *c, npu_matmul *mm, npu_target t, bool sequential) {
    area x;
    if (!area_of(mm, mm->at, &x) || x.m != mm->block_m || x.n != mm->block_n)
        return;
    t.bits_addr += sequential ? x.col * 8 : 0;
    npu_deliver(c, &t, mm->sums, x.n, sequential ? 0 : x.row, sequential ? 0 : x.col, x.m, x.n);
}

static bool next_block(npu_core *c, npu_matmul *mm, bool partial) {
    static const int64_t none[3];
    area x;
    if (!area_of(mm, mm->at + 1, &x)) {
        mm->at = -1;
        return false;
    }
    mm->at++;
    mm->taken = false;
    return npu_mm_sums(c, mm, none, x.row, x.col, x.m, x.n, partial);
}

int64_t npu_mm_iterate(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    bool partial = npu_int_of(&a[1], 0);
    if (!mm || !next_block(c, mm, partial))
        return 0;
    if (a[3].kind == NPU_local) { /* in L0C, as the cube unit leaves it */
        npu_target t = target(mm, a[3].v[0], a[3].dt, true, true, 0);
        t.nz = true;
        t.strip = 16;
        t.stride = npu_up(mm->block_m, 16);
        t.factor = NPU_as_is;
        block_to(c, mm, t, true);
    }
    return 1;
}

/* Where the object keeps blocks in global memory. register_matmul's is one for all cores. */
static int64_t workspace(npu_core *c, const npu_matmul *mm, int64_t element) {
    int64_t size = dtype_table[mm->type[MM_C].dt].bytes;
    if (!mm->space)
        element += c->block * at_least(mm->t[T_single_m], mm->t[T_base_m]) *
                   at_least(mm->t[T_single_n], mm->t[T_base_n]);
    return (mm->space ? mm->space : mm->system) + element * size;
}

int64_t npu_mm_get(npu_core *c, const npu_arg *a, int form, int code) {
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    int first = form == 0 ? 2 : 1; /* of the parameters behind the tensor */
    bool sync = !code && npu_int_of(&a[first + 2], 1),
         sequential = code || form == 1 || npu_int_of(&a[first + 1], 0);
    int64_t atomic = code ? 0 : npu_int_of(&a[first], 0);
    if (!sync && mm->taken)
        next_block(c, mm, false);
    mm->taken = true;
    for (int i = 1; form == 0 && i <= (code ? 1 : 5); i += 4)
        if (a[i].kind == NPU_local || a[i].kind == NPU_global)
            block_to(c, mm,
                     target(mm, a[i].v[0], a[i].dt, a[i].kind == NPU_local, sequential, atomic),
                     sequential);
    if (form == 0)
        return 0;
    int64_t block = mm->t[T_base_m] * mm->t[T_base_n],
            addr = workspace(c, mm, at_least(mm->at, 0) * block);
    c->len = block * dtype_table[mm->type[MM_C].dt].bytes;
    block_to(c, mm, target(mm, addr, mm->type[MM_C].dt, false, true, atomic), true);
    return addr;
}

int64_t npu_mm_offset(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    area x;
    if (!mm || !area_of(mm, mm->at, &x))
        return 0;
    const int64_t fields[5] = {x.row * mm->t[T_n] + x.col, x.row, x.col, x.m, x.n};
    int64_t which = a[1].v[0];
    return which >= 0 && which < 5 ? fields[which] : 0;
}

/* This core's part, in tiles that the caches hold; blocks of their own one behind the other. */
static void all(npu_core *c, npu_matmul *mm, const int64_t off[3], npu_target t, bool sequential,
                bool partial) {
    enum { TILE = 1024 };
    int64_t m = mm->t[T_single_m], n = mm->t[T_single_n];
    area x;
    for (int64_t at = 0; sequential && area_of(mm, at, &x); at++) {
        npu_target one = t;
        one.addr += at * mm->t[T_base_m] * mm->t[T_base_n] * dtype_table[t.dt].bytes;
        one.bits_addr += x.col * 8;
        if (npu_mm_sums(c, mm, off, x.row, x.col, x.m, x.n, false))
            npu_deliver(c, &one, mm->sums, x.n, 0, 0, x.m, x.n);
    }
    for (int64_t i = 0; i < m && !sequential; i += TILE)
        for (int64_t j = 0; j < n; j += TILE) {
            int64_t h = at_most(m - i, TILE), w = at_most(n - j, TILE);
            if (npu_mm_sums(c, mm, off, i, j, h, w, partial))
                npu_deliver(c, &t, mm->sums, w, i, j, h, w);
        }
}

int64_t npu_mm_all(npu_core *c, const npu_arg *a, int form, int code) {
    static const int64_t none[3];
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm || npu_int_of(&a[6], 0))
        return 0;
    bool sequential = npu_int_of(&a[4], 0);
    all(c, mm, none,
        target(mm, a[1].v[0], a[1].dt, a[1].kind == NPU_local, sequential, npu_int_of(&a[2], 0)),
        sequential, false);
    mm->at = -1;
    return 0;
}

/* Elements from the first matrix to the i-th: l is b, s, n, g, d of the layout. */
static int64_t batch_at(const npu_mm_type *t, const int64_t *l, int64_t i, int64_t stride,
                        int64_t elements) {
    int64_t g = at_least(l[3], 1), nn = at_least(l[2], 1);
    if (stride)
        return i * stride;
    switch (t->layout) {
    case MM_layout_bsngd: return i / (nn * g) * l[1] * nn * g * l[4] + i % (nn * g) * l[4];
    case MM_layout_sbngd: return i * l[4];
    case MM_layout_bngs: return i * l[1] * l[4];
    default: return i * elements;
    }
}

static int64_t rows_between(const npu_mm_type *t, const int64_t *l, int64_t plain) {
    int64_t g = at_least(l[3], 1), nn = at_least(l[2], 1);
    /* of C: b, s1, n, g, s2 */
    return t->layout == MM_layout_bsngd   ? nn * g * l[4]
           : t->layout == MM_layout_sbngd ? at_least(l[0], 1) * nn * g * l[4]
           : t->layout == MM_layout_bngs  ? l[4]
                                          : plain;
}

typedef struct {
    int64_t n[2], stride[3], first[2]; /* first: matrices before those of this call */
    bool sequential, partial;
    int64_t atomic;
} batch;

/* The larger number of the two is that of the results; the other side's matrices go round for it
   in equal shares. */
static void batches(npu_core *c, npu_matmul *mm, const npu_arg *to, const batch *b) {
    const int64_t *t = mm->t;
    bool local = to->kind == NPU_local;
    int64_t n = at_least(b->n[0], b->n[1]), size = dtype_table[to->dt].bytes;
    npu_target out = target(mm, to->v[0], to->dt, local, false, b->atomic);
    int64_t each = local ? t[T_single_m] * t[T_single_n] : t[T_m] * out.stride;
    if (out.nz)
        each = out.stride * npu_up(local ? t[T_single_n] : t[T_n], out.strip);
    if (!local && !out.nz)
        out.stride = rows_between(&mm->type[MM_C], t + T_c_layout, out.stride);
    int64_t result = at_least(b->first[0], b->first[1]);
    for (int64_t i = 0; i < n; i++) {
        int64_t ia = b->first[0] + i * b->n[0] / n, ib = b->first[1] + i * b->n[1] / n;
        const int64_t off[3] = {
            batch_at(&mm->type[MM_A], t + T_a_layout, ia, b->stride[0], t[T_m] * t[T_k_a]),
            batch_at(&mm->type[MM_B], t + T_b_layout, ib, b->stride[1], t[T_k_b] * t[T_n]),
            mm->bias_batch ? (result + i) * t[T_n] : 0};
        npu_target one = out;
        int64_t at =
            local ? i * each
                  : batch_at(&mm->type[MM_C], t + T_c_layout, result + i, b->stride[2], each);
        one.addr += at * size;
        all(c, mm, off, one, false, b->partial);
    }
}

int64_t npu_mm_batch(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    /* (False, 0, False) fits the first form, too: nobody has no matrices */
    bool counts = form == 0 && npu_int_of(&a[2], 0) > 0 && npu_int_of(&a[3], 0) > 0;
    batch b = {.n = {at_least(mm->batch[0], 1), at_least(mm->batch[1], 1)}};
    for (int i = 0; i < 2 && counts; i++)
        b.n[i] = at_most(npu_int_of(&a[2 + i], 1), 1 << 16);
    b.sequential = npu_int_of(&a[4], 0);
    for (int i = 0; i < 3; i++)
        b.stride[i] = npu_int_of(&a[5 + i], 0);
    b.partial = npu_int_of(&a[counts ? 8 : 2], 0);
    b.atomic = npu_int_of(&a[counts ? 9 : 3], 0);
    batches(c, mm, &a[1], &b);
    return 0;
}

int64_t npu_mm_n_batch(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    batch b = {.n = {at_least(npu_int_of(&a[2], 1), 1), at_least(npu_int_of(&a[3], 1), 1)}};
    for (int i = 0; i < 3; i++)
        b.stride[i] = npu_int_of(&a[5 + i], 0);
    npu_arg to = {.kind = NPU_global, .dt = mm->type[MM_C].dt, .v = {workspace(c, mm, 0)}};
    int64_t loops = at_most(npu_int_of(&a[1], 0), 1 << 16);
    for (int64_t i = 0; i < loops; i++) {
        b.first[0] = i * b.n[0];
        b.first[1] = i * b.n[1];
        batches(c, mm, &to, &b);
    }
    mm->chunk = 0;
    return 0;
}

int64_t npu_mm_get_batch(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    int first = form == 0 ? 2 : 1;
    int64_t n = at_least(npu_int_of(&a[first], 1), npu_int_of(&a[first + 1], 1)),
            each = mm->t[T_m] * mm->t[T_n], size = dtype_table[mm->type[MM_C].dt].bytes,
            addr = workspace(c, mm, mm->chunk * each);
    mm->chunk += n;
    c->len = n * each * size;
    if (form == 0)
        npu_move(c, a[1].v[0], addr, c->len);
    return addr;
}
