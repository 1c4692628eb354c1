/* Sorts: of pairs of a score and an index in 8 bytes, and of region proposals (8 elements, the
   fifth is the score). Larger scores come first, equal ones keep their order, a NaN is largest. */
#include "npu/half.h"
#include "npu/npu.h"
#include <stdlib.h>
#include <string.h>

/* Records side by side: their bytes, and where in one the score is. */
typedef struct {
    int bytes, score;
    dtype dt;
} record;

enum { PAIR = 8, RUN = 32, QUEUES = 4, PROPOSAL = 8, SCORE = 4, MOST_REPEATS = 255 };
static const record pair_of_f32 = {PAIR, 0, DT_f32}, pair_of_f16 = {PAIR, 0, DT_f16};

static bool is_sorted_type(dtype dt) { return dt == DT_f16 || dt == DT_f32; }
static const record *pair_of(dtype dt) { return dt == DT_f16 ? &pair_of_f16 : &pair_of_f32; }
static record proposal_of(dtype dt) {
    int size = dtype_table[dt].bytes;
    return (record){PROPOSAL * size, SCORE * size, dt};
}

/* A number that is the smaller, the larger the score. */
static uint32_t rank(const record *r, const uint8_t *at) {
    float f;
    uint16_t h;
    if (r->dt == DT_f16) {
        memcpy(&h, at + r->score, 2);
        f = npu_half_to_float(h);
    } else
        memcpy(&f, at + r->score, 4);
    uint32_t u = npu_float_bits(f == 0 ? 0.0f : f);
    return f != f ? 0 : ~(u >> 31 ? ~u : u | UINT32_C(1) << 31);
}

static int by_rank(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* n records in order; ranks are unique with the record's number behind them. */
static void sort_records(uint8_t *out, const uint8_t *in, int64_t n, const record *r) {
    uint64_t few[RUN], *key = n <= RUN ? few : malloc((size_t)n * sizeof *key);
    if (!key)
        return;
    for (int64_t i = 0; i < n; i++)
        key[i] = (uint64_t)rank(r, in + i * r->bytes) << 32 | (uint64_t)i;
    if (n > RUN)
        qsort(key, (size_t)n, sizeof *key, by_rank);
    for (int64_t i = 1; i < n && n <= RUN; i++) { /* few: by insertion */
        uint64_t x = key[i];
        int64_t k = i;
        for (; k > 0 && key[k - 1] > x; k--)
            key[k] = key[k - 1];
        key[k] = x;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * r->bytes, in + (int64_t)(uint32_t)key[i] * r->bytes, (size_t)r->bytes);
    if (key != few)
        free(key);
}

/* sort32: dst, scores, indices, repeats; sort: dst, scores, indices, tmp, repeats, is_full_sort. */
static void sort_pairs(npu_core *c, const npu_arg *a, int64_t repeats, bool full) {
    int size = dtype_table[a[1].dt].bytes;
    repeats = repeats < 0 ? 0 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    int64_t n = repeats * RUN, run = full ? n : RUN;
    uint8_t *in =
        n && is_sorted_type(a[1].dt) ? calloc((size_t)n, 2 * PAIR + 4 + (size_t)size) : NULL;
    if (!in)
        return;
    uint8_t *out = in + n * PAIR, *index = out + n * PAIR, *score = index + n * 4;
    npu_read(c, a[1].v[0], score, n * size);
    npu_read(c, a[2].v[0], index, n * 4);
    for (int64_t i = 0; i < n; i++) {
        memcpy(in + i * PAIR, score + i * size, (size_t)size);
        memcpy(in + i * PAIR + 4, index + i * 4, 4);
    }
    for (int64_t i = 0; i < n; i += run)
        sort_records(out + i * PAIR, in + i * PAIR, run, pair_of(a[1].dt));
    npu_write(c, a[0].v[0], out, n * PAIR);
    free(in);
}

int64_t npu_sort32(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    sort_pairs(c, a, npu_int_of(&a[3], 0), false);
    return 0;
}

int64_t npu_sort(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    sort_pairs(c, a, npu_int_of(&a[4], 0), npu_int_of(&a[5], 0) != 0);
    return 0;
}

/* Merges. */

typedef struct {
    int64_t addr[QUEUES], len[QUEUES]; /* len 0: the queue does not count */
    bool suspend;                      /* stop when a queue is used up */
} queues;

/* The queues' records in order to dst; how many of each went there. */
static void merge(npu_core *c, int64_t dst, const queues *q, const record *r,
                  int64_t taken[QUEUES]) {
    int64_t start[QUEUES], total = 0, n = 0;
    for (int i = 0; i < QUEUES; i++) {
        start[i] = total;
        total += q->len[i];
        taken[i] = 0;
    }
    uint8_t *in = total ? malloc(2 * (size_t)(total * r->bytes)) : NULL;
    if (!in)
        return;
    uint8_t *out = in + total * r->bytes;
    for (int i = 0; i < QUEUES; i++)
        npu_read(c, q->addr[i], in + start[i] * r->bytes, q->len[i] * r->bytes);
    for (bool stop = false; !stop && n < total; n++) {
        int best = -1;
        uint32_t of_best = 0;
        for (int i = 0; i < QUEUES; i++) {
            if (taken[i] == q->len[i])
                continue;
            uint32_t x = rank(r, in + (start[i] + taken[i]) * r->bytes);
            if (best < 0 || x < of_best) {
                best = i;
                of_best = x;
            }
        }
        memcpy(out + n * r->bytes, in + (start[best] + taken[best]) * r->bytes, (size_t)r->bytes);
        taken[best]++;
        stop = q->suspend && taken[best] == q->len[best];
    }
    npu_write(c, dst, out, n * r->bytes);
    free(in);
}

/* Repeats go on behind the queues; only where these are four of one length, side by side. */
static void merge_all(npu_core *c, int64_t dst, queues *q, const record *r, int64_t valid,
                      int64_t repeats) {
    bool even = valid == 15 && !q->suspend;
    for (int i = 0; i < QUEUES; i++) {
        q->len[i] = valid >> i & 1 ? q->len[i] & UINT16_MAX : 0;
        even =
            even && q->len[i] == q->len[0] && q->addr[i] == q->addr[0] + i * q->len[0] * r->bytes;
    }
    repeats = repeats < 0 ? 0 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    repeats = even || !repeats ? repeats : 1;
    int64_t step = QUEUES * q->len[0] * r->bytes;
    for (int64_t k = 0; k < repeats; k++, dst += step) {
        merge(c, dst, q, r, c->mv.merged);
        for (int i = 0; i < QUEUES; i++)
            q->addr[i] += step;
    }
}

/* MrgSortSrcList: dtype, src1 to src4; lengths: a list. */
static queues queues_of(const npu_arg *list, const npu_arg *lengths) {
    queues q = {0};
    for (uint32_t i = 0; i < QUEUES; i++) {
        if (i + 1 >= list->n || list->sub[i + 1].kind != NPU_local)
            continue;
        q.addr[i] = list->sub[i + 1].v[0];
        q.len[i] = lengths->kind == NPU_list ? npu_field(lengths, i) : 0;
    }
    return q;
}

/* MrgSort4Info: element_lengths, if_exhausted_suspension, valid_bit, repeat_times. */
static void merge_by_info(npu_core *c, const npu_arg *a, const record *r) {
    const npu_arg *info = &a[2];
    if (info->n < 4)
        return;
    queues q = queues_of(&a[1], &info->sub[0]);
    q.suspend = npu_field(info, 1) != 0;
    merge_all(c, a[0].v[0], &q, r, npu_field(info, 2), npu_field(info, 3));
}

int64_t npu_mrg_sort(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    if (!is_sorted_type(a[0].dt))
        return 0;
    if (form == 1) {
        merge_by_info(c, a, pair_of(a[0].dt));
        return 0;
    }
    queues q = queues_of(&a[1], &a[2]);
    q.suspend = npu_int_of(&a[6], 0) != 0;
    merge_all(c, a[0].v[0], &q, pair_of(a[0].dt), npu_int_of(&a[4], 0), npu_int_of(&a[5], 0));
    return 0;
}

int64_t npu_mrg_sort4(npu_core *c, const npu_arg *a, int form, int code) {
    record r = proposal_of(a[0].dt);
    (void)form;
    (void)code;
    if (is_sorted_type(a[0].dt))
        merge_by_info(c, a, &r);
    return 0;
}

int64_t npu_mrg_result(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    return c->mv.merged[a[0].v[0] & 3];
}

/* Elements of float32 that so many pairs take. */
int64_t npu_sort_len(npu_core *c, const npu_arg *a, int form, int code) {
    (void)c;
    (void)form;
    (void)code;
    return (npu_int_of(&a[0], 0) & UINT32_MAX) * 2;
}

/* Region proposals, 16 in a repeat. */

enum { GROUP = 16 };

int64_t npu_rp_sort16(npu_core *c, const npu_arg *a, int form, int code) {
    uint8_t in[GROUP * PROPOSAL * 4], out[GROUP * PROPOSAL * 4];
    record r = proposal_of(a[0].dt);
    int64_t repeats = npu_int_of(&a[2], 0) & 255, bytes = GROUP * r.bytes;
    (void)form;
    (void)code;
    for (int64_t k = 0; k < repeats && is_sorted_type(a[0].dt); k++) {
        npu_read(c, a[1].v[0] + k * bytes, in, bytes);
        sort_records(out, in, GROUP, &r);
        npu_write(c, a[0].v[0] + k * bytes, out, bytes);
    }
    return 0;
}

/* code 0: elements into the place mode_number of proposals; 1: out of it. */
int64_t npu_proposal(npu_core *c, const npu_arg *a, int form, int code) {
    int64_t n = (npu_int_of(&a[2], 0) & 255) * GROUP, size = dtype_table[a[0].dt].bytes;
    int64_t mode = npu_int_of(&a[3], 0);
    (void)form;
    for (int64_t i = 0; i < n && mode >= 0 && mode < PROPOSAL; i++) {
        int64_t one = i * size, many = (i * PROPOSAL + mode) * size;
        uint8_t x[8];
        npu_read(c, a[1].v[0] + (code ? many : one), x, size);
        npu_write(c, a[0].v[0] + (code ? one : many), x, size);
    }
    return 0;
}

/* Scores and indices out of pairs, 32 in a repeat. */
int64_t npu_extract(npu_core *c, const npu_arg *a, int form, int code) {
    int64_t n = (npu_int_of(&a[3], 0) & 255) * RUN;
    int size = dtype_table[a[0].dt].bytes;
    (void)form;
    (void)code;
    for (int64_t i = 0; i < n; i++) {
        uint8_t x[PAIR];
        npu_read(c, a[2].v[0] + i * PAIR, x, PAIR);
        npu_write(c, a[0].v[0] + i * size, x, size);
        npu_write(c, a[1].v[0] + i * 4, x + 4, 4);
    }
    return 0;
}
