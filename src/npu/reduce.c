/* Reductions. Sums are trees: neighbours are added, then the sums of neighbours, each rounded to
   the tensor's dtype; beyond its range a half becomes infinite, as hardware does unless it is told
   to saturate. Lanes that are off count as 0. */
#include "npu/reduce.h"
#include "npu/half.h"
#include "npu/lanes.h"
#include <math.h>

enum { LANES = 128, LEVELS = 6 };

typedef struct {
    npu_operand src;
    npu_steps steps;
    int64_t dst;
    bool half;
    int size;
    float v[LANES];
} reduction;

static float rounded(const reduction *r, float v) {
    return r->half ? npu_half_to_float(npu_float_to_half(v)) : v;
}

static void put(npu_core *c, const reduction *r, int64_t at, float v) {
    uint16_t h = npu_float_to_half(v);
    npu_write(c, at, r->half ? (void *)&h : (void *)&v, r->size);
}

/* dst and src; false: no dtype that can be reduced */
static bool begin(reduction *r, const npu_arg *a, int64_t blk, int64_t rep) {
    if ((a[0].dt != DT_f16 && a[0].dt != DT_f32) || a[1].dt != a[0].dt)
        return false;
    r->half = a[0].dt == DT_f16;
    r->size = r->half ? 2 : 4;
    r->dst = a[0].v[0];
    r->src = (npu_operand){a[1].v[0], a[1].dt, npu_stride(blk), npu_stride(rep)};
    return true;
}

static void load(npu_core *c, reduction *r, int64_t rep) {
    uint8_t tmp[256];
    int n = r->steps.lanes;
    npu_steps_next(&r->steps, rep);
    const void *p = npu_lanes_in(c, &r->src, rep, n, tmp);
    if (r->half)
        for (int i = 0; i < n; i++)
            r->v[i] = npu_half_to_float(((const uint16_t *)p)[i]);
    else
        memcpy(r->v, p, (size_t)n * 4);
}

static void zero_off(reduction *r) {
    for (int i = 0; !r->steps.all && i < r->steps.lanes; i++)
        r->v[i] = r->steps.on[i] ? r->v[i] : 0;
}

static float tree(const reduction *r, float *v, int n) {
    for (; n > 1; n /= 2)
        for (int i = 0; i < n / 2; i++)
            v[i] = rounded(r, v[2 * i] + v[2 * i + 1]);
    return v[0];
}

static bool any(const uint8_t *on, int n) {
    int all = 0;
    for (int i = 0; i < n; i++)
        all |= on[i];
    return all;
}

/* The lane of the first largest or smallest of those that are on, -1: none is. */
static int best(const float *v, const uint8_t *on, int n, bool least) {
    int at = -1;
    for (int i = 0; i < n; i++)
        if (on[i] && (at < 0 || (least ? v[i] < v[at] : v[i] > v[at])))
            at = i;
    return at;
}

/* One result for each block, 8 in a repeat; a block without a lane that is on leaves dst as it is.
   (dst, src, repeats, mask, dst stride, block stride, repeat stride) */
int64_t npu_reduce_block(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    reduction r;
    if (!begin(&r, a, npu_int_of(&a[5], 1), npu_int_of(&a[6], 8)))
        return 0;
    int per = 32 / r.size;
    int64_t next = npu_stride(npu_int_of(&a[4], 1)) * 8 * r.size;
    npu_steps_mask(c, &r.steps, &a[3], 8 * per, npu_int_of(&a[2], 0) & 255);
    for (int64_t k = 0; k < r.steps.repeats; k++) {
        load(c, &r, k);
        for (int b = 0; b < 8; b++) {
            float *v = r.v + b * per;
            const uint8_t *on = r.steps.on + b * per;
            if (!any(on, per))
                continue;
            float out = code == NPU_sum ? 0 : v[best(v, on, per, code == NPU_least)];
            if (code == NPU_sum) {
                for (int i = 0; i < per; i++)
                    v[i] = on[i] ? v[i] : 0;
                out = tree(&r, v, per);
            }
            put(c, &r, r.dst + k * next + b * r.size, out);
        }
    }
    return 0;
}

/* The sums of neighbours. (dst, src, repeats, mask, dst stride, block stride, repeat stride,
   is_set_mask) */
int64_t npu_reduce_pair(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    reduction r;
    if (!begin(&r, a, npu_int_of(&a[5], 1), npu_int_of(&a[6], 8)))
        return 0;
    int64_t next = npu_stride(npu_int_of(&a[4], 1)) * 128;
    npu_steps_mask(c, &r.steps, npu_mask_given(&a[3], &a[7]), 256 / r.size,
                   npu_int_of(&a[2], 0) & 255);
    for (int64_t k = 0; k < r.steps.repeats; k++) {
        load(c, &r, k);
        zero_off(&r);
        for (int i = 0; i < r.steps.lanes / 2; i++)
            if (any(r.steps.on + 2 * i, 2))
                put(c, &r, r.dst + k * next + i * r.size, rounded(&r, r.v[2 * i] + r.v[2 * i + 1]));
    }
    return 0;
}

/* One sum for each repeat. code 0: whole_reduce_sum(dst, src, mask, repeats, dst stride, block
   stride, repeat stride, is_set_mask), 1: repeat_reduce_sum(dst, src, repeats, mask, dst block
   stride, block stride, dst stride, repeat stride, is_set_mask) */
int64_t npu_reduce_whole(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    reduction r;
    if (!begin(&r, a, npu_int_of(&a[5], 1), npu_int_of(&a[code ? 7 : 6], 8)))
        return 0;
    int64_t next = npu_stride(npu_int_of(&a[code ? 6 : 4], 1)) * r.size;
    npu_steps_mask(c, &r.steps, npu_mask_given(&a[code ? 3 : 2], &a[code ? 8 : 7]), 256 / r.size,
                   npu_int_of(&a[code ? 2 : 3], 0) & 255);
    for (int64_t k = 0; k < r.steps.repeats; k++) {
        load(c, &r, k);
        zero_off(&r);
        if (any(r.steps.on, r.steps.lanes))
            put(c, &r, r.dst + k * next, tree(&r, r.v, r.steps.lanes));
    }
    return 0;
}

/* An index is an integer as wide as the value next to it; alone it has 32 bits. */
static void put_index(npu_core *c, const reduction *r, int64_t at, uint32_t i, bool alone) {
    npu_write(c, at, &i, alone ? 4 : r->size);
}

/* The largest or smallest of each repeat and where it is. (dst, src, mask, repeats, dst stride,
   block stride, repeat stride, order, is_set_mask) */
int64_t npu_reduce_best(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    enum { VALUE_INDEX, INDEX_VALUE, VALUE, INDEX }; /* as ReduceOrder */
    reduction r;
    int64_t order = npu_int_of(&a[7], VALUE_INDEX);
    if (!begin(&r, a, npu_int_of(&a[5], 1), npu_int_of(&a[6], 8)))
        return 0;
    int64_t step = order == VALUE ? r.size : order == INDEX ? 4 : 2 * r.size;
    npu_steps_mask(c, &r.steps, npu_mask_given(&a[2], &a[8]), 256 / r.size,
                   npu_int_of(&a[3], 0) & 255);
    for (int64_t k = 0; k < r.steps.repeats; k++) {
        int64_t to = r.dst + k * npu_stride(npu_int_of(&a[4], 1)) * step;
        load(c, &r, k);
        int at = best(r.v, r.steps.on, r.steps.lanes, code == NPU_least);
        if (at < 0)
            continue;
        if (order != INDEX)
            put(c, &r, to + (order == INDEX_VALUE ? r.size : 0), r.v[at]);
        if (order != VALUE)
            put_index(c, &r, to + (order == VALUE_INDEX ? r.size : 0), (uint32_t)at,
                      order == INDEX);
    }
    return 0;
}

/* Of the whole tensor: (dst, src, tmp, count, ...) or (dst, src, tmp, mask, repeats, stride, ...)
 */
static bool begin_whole(npu_core *c, reduction *r, const npu_arg *a, int form) {
    if (!begin(r, a, 1, form == 0 ? 8 : npu_int_of(&a[5], 8)))
        return false;
    if (form == 0) {
        npu_steps_count(&r->steps, 256 / r->size, npu_int_of(&a[3], 0));
        npu_mask_reset(c);
    } else {
        int64_t most = 1 << 16, n = npu_int_of(&a[4], 0);
        npu_steps_mask(c, &r->steps, &a[3], 256 / r->size, n < most ? n : most);
    }
    return true;
}

/* tmp is not needed here. */
int64_t npu_reduce_least(npu_core *c, const npu_arg *a, int form, int code) {
    reduction r;
    int64_t at = -1;
    float value = 0;
    if (!begin_whole(c, &r, a, form))
        return 0;
    for (int64_t k = 0; k < r.steps.repeats; k++) {
        load(c, &r, k);
        int i = best(r.v, r.steps.on, r.steps.lanes, code == NPU_least);
        if (i >= 0 && (at < 0 || (code == NPU_least ? r.v[i] < value : r.v[i] > value))) {
            value = r.v[i];
            at = k * r.steps.lanes + i;
        }
    }
    if (at < 0)
        return 0;
    put(c, &r, r.dst, value);
    if (npu_int_of(&a[form == 0 ? 4 : 6], 0))
        put_index(c, &r, r.dst + r.size, (uint32_t)at, false);
    return 0;
}

/* The sums of repeats are summed like elements, and so on: as many levels of sums, of which each
   goes up as soon as it fills a repeat. */
typedef struct {
    float v[LEVELS][LANES];
    int n[LEVELS];
} levels;

static void push(const reduction *r, levels *l, int level, float v) {
    l->v[level][l->n[level]++] = v;
    if (l->n[level] == r->steps.lanes && level < LEVELS - 1) {
        l->n[level] = 0;
        push(r, l, level + 1, tree(r, l->v[level], r->steps.lanes));
    }
}

static float finish(const reduction *r, levels *l) {
    int top = LEVELS - 1;
    while (top > 0 && !l->n[top])
        top--;
    for (int i = 0; i <= top; i++) {
        bool last = i == top;
        if (!l->n[i] || (last && l->n[i] == 1))
            continue;
        for (int k = l->n[i]; k < r->steps.lanes; k++)
            l->v[i][k] = 0;
        float sum = tree(r, l->v[i], r->steps.lanes);
        if (last)
            return sum;
        l->v[i + 1][l->n[i + 1]++] = sum;
    }
    return l->v[top][0];
}

/* With a count the sums of repeats are added one after the other, else as a tree. */
int64_t npu_reduce_sum(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    reduction r;
    levels l;
    float sum = 0;
    if (!begin_whole(c, &r, a, form) || !r.steps.repeats)
        return 0;
    memset(l.n, 0, sizeof l.n);
    for (int64_t k = 0; k < r.steps.repeats; k++) {
        load(c, &r, k);
        zero_off(&r);
        if (!any(r.steps.on, r.steps.lanes))
            return 0;
        float v = tree(&r, r.v, r.steps.lanes);
        if (form == 0)
            sum = k ? rounded(&r, sum + v) : v;
        else
            push(&r, &l, 0, v);
    }
    put(c, &r, r.dst, form == 0 ? sum : finish(&r, &l));
    return 0;
}
