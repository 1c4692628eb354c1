/* The driver of vector instructions. */
#include "npu/lanes.h"
#include <string.h>

int npu_lanes_of(const npu_vector *v) {
    int widest = 1;
    for (int i = 0; i < v->n; i++)
        if (dtype_table[v->o[i].dt].bytes > widest)
            widest = dtype_table[v->o[i].dt].bytes;
    return 256 / widest;
}

/* The bits that an int mask stands for, where masks name lanes. */
static void mask_set(npu_core *c, const npu_arg *mask) {
    for (int k = 0; k < 2; k++)
        if (mask->kind == NPU_bits)
            c->mask[k] = (uint64_t)mask->v[k];
        else if (c->counter)
            c->mask[k] = k ? 0 : (uint64_t)npu_int_of(mask, 0);
        else {
            int64_t n = npu_int_of(mask, 0) - 64 * k;
            c->mask[k] = n >= 64 ? UINT64_MAX : n <= 0 ? 0 : (UINT64_C(1) << n) - 1;
        }
}

void npu_mask_reset(npu_core *c) {
    c->mask[0] = c->mask[1] = UINT64_MAX;
    c->counter = false;
}

const npu_arg *npu_mask_given(const npu_arg *mask, const npu_arg *is_set_mask) {
    return npu_int_of(is_set_mask, 1) ? mask : NULL;
}

void npu_steps_count(npu_steps *s, int lanes, int64_t count) {
    int64_t most = INT64_C(1) << 20; /* of elements: no local memory holds more */
    count = count < 0 ? 0 : count > most ? most : count;
    s->lanes = lanes;
    s->repeats = (count + lanes - 1) / lanes;
    s->tail = s->repeats ? (int)(count - (s->repeats - 1) * lanes) : lanes;
    s->all = true;
    memset(s->on, 1, (size_t)lanes);
}

void npu_steps_mask(npu_core *c, npu_steps *s, const npu_arg *mask, int lanes, int64_t repeats) {
    bool given = mask && mask->kind != NPU_absent;
    if (given)
        mask_set(c, mask);
    if (c->counter) {
        npu_steps_count(s, lanes, c->mask[0] > INT32_MAX ? INT32_MAX : (int64_t)c->mask[0]);
        return;
    }
    s->lanes = s->tail = lanes;
    s->repeats = repeats < 0 ? 0 : repeats;
    s->all = true;
    bool whole = given && mask->kind != NPU_bits;
    for (int i = 0; i < lanes; i++) { /* of 8-bit lanes each bit masks two */
        int k = lanes > 128 ? i / 2 : i;
        s->on[i] = whole ? i < npu_int_of(mask, 0) : c->mask[k / 64] >> (k % 64) & 1;
        s->all = s->all && s->on[i];
    }
}

void npu_steps_next(npu_steps *s, int64_t repeat) {
    if (repeat == s->repeats - 1 && s->tail < s->lanes) {
        memset(s->on + s->tail, 0, (size_t)(s->lanes - s->tail));
        s->all = false;
    }
}

const void *npu_lanes_in(npu_core *c, const npu_operand *o, int64_t rep, int lanes, void *tmp) {
    int size = dtype_table[o->dt].bytes, bytes = lanes * size;
    int64_t at = o->addr + rep * o->rep * 32, there;
    const uint8_t *p = o->blk == 1 || bytes <= 32 ? npu_at(c, at, bytes, &there) : NULL;
    if (p && there == bytes)
        return p;
    for (int k = 0; k < bytes; k += 32)
        npu_read(c, at + k * o->blk, (uint8_t *)tmp + k, bytes - k < 32 ? bytes - k : 32);
    return tmp;
}

void npu_lanes_out(npu_core *c, const npu_operand *o, int64_t rep, const npu_steps *s,
                   const uint8_t *from) {
    int size = dtype_table[o->dt].bytes, per = 32 / size;
    int64_t at = o->addr + rep * o->rep * 32;
    for (int k = 0; k < s->lanes; k += per) {
        int n = s->lanes - k < per ? s->lanes - k : per;
        int64_t to = at + (k / per) * o->blk * 32;
        if (s->all)
            npu_write(c, to, from + (size_t)(k * size), (int64_t)n * size);
        for (int i = k; !s->all && i < k + n; i++)
            if (s->on[i])
                npu_write(c, to + (i - k) * size, from + (size_t)(i * size), size);
    }
}

/* Does every operand go on where its last repeat ended, so that repeats are one long run? */
static bool is_dense(const npu_vector *v, int lanes) {
    for (int i = 0; i < v->n; i++)
        if (v->o[i].blk != 1 || v->o[i].rep * 32 != (int64_t)lanes * dtype_table[v->o[i].dt].bytes)
            return false;
    return true;
}

/* Pieces in which what is read and what is written do not meet, but where they are the same. */
static bool is_apart(const npu_vector *v, int64_t count) {
    int64_t end = v->o[0].addr + count * dtype_table[v->o[0].dt].bytes;
    for (int i = 1; i < v->n; i++) {
        bool same = v->o[i].addr == v->o[0].addr &&
                    dtype_table[v->o[i].dt].bytes == dtype_table[v->o[0].dt].bytes;
        int64_t last = v->o[i].addr + count * dtype_table[v->o[i].dt].bytes;
        if (!same && v->o[i].addr < end && v->o[0].addr < last)
            return false;
    }
    return true;
}

static bool count_direct(npu_core *c, const npu_vector *v, int64_t count) {
    const void *s[NPU_MAX_OPERANDS];
    uint8_t *d = NULL;
    if (!is_apart(v, count))
        return false;
    for (int i = 0; i < v->n; i++) {
        int64_t bytes = count * dtype_table[v->o[i].dt].bytes, there;
        uint8_t *p = npu_at(c, v->o[i].addr, bytes, &there);
        if (there < bytes)
            return false;
        if (i)
            s[i - 1] = p;
        else
            d = p;
    }
    if (v->reads_dst)
        s[v->n - 1] = d;
    v->loop(d, s, v->scalar, count);
    return true;
}

/* In pieces through copies: operands that overlap, or end beyond their memory. */
static void count_pieces(npu_core *c, const npu_vector *v, int64_t count) {
    uint8_t tmp[NPU_MAX_OPERANDS][8 * NPU_MAX_LANES], out[8 * NPU_MAX_LANES];
    int lanes = npu_lanes_of(v);
    for (int64_t at = 0; at < count; at += lanes) {
        int64_t n = count - at < lanes ? count - at : lanes;
        const void *s[NPU_MAX_OPERANDS];
        for (int i = 0; i < v->n; i++) {
            int size = dtype_table[v->o[i].dt].bytes;
            npu_read(c, v->o[i].addr + at * size, tmp[i], n * size);
            if (i)
                s[i - 1] = tmp[i];
        }
        if (v->reads_dst)
            s[v->n - 1] = tmp[0];
        int size = dtype_table[v->o[0].dt].bytes;
        v->loop(out, s, v->scalar, n);
        npu_write(c, v->o[0].addr + at * size, out, n * size);
    }
}

void npu_count(npu_core *c, const npu_vector *v, int64_t count) {
    int64_t most = INT64_C(1) << 20; /* of elements: no local memory holds more */
    count = count < most ? count : most;
    if (count > 0 && !count_direct(c, v, count))
        count_pieces(c, v, count);
}

void npu_repeat(npu_core *c, const npu_vector *v, const npu_arg *mask, int64_t repeats) {
    uint8_t tmp[NPU_MAX_OPERANDS][8 * NPU_MAX_LANES], out[8 * NPU_MAX_LANES];
    npu_steps s;
    int lanes = npu_lanes_of(v);
    npu_steps_mask(c, &s, mask, lanes, repeats < 255 ? repeats : 255);
    int64_t count = s.repeats ? (s.repeats - 1) * lanes + s.tail : 0;
    if (!count || (s.all && is_dense(v, lanes) && count_direct(c, v, count)))
        return;
    for (int64_t r = 0; r < s.repeats; r++) {
        const void *in[NPU_MAX_OPERANDS];
        npu_steps_next(&s, r);
        for (int i = 1; i < v->n; i++)
            in[i - 1] = npu_lanes_in(c, &v->o[i], r, lanes, tmp[i]);
        if (v->reads_dst)
            in[v->n - 1] = npu_lanes_in(c, &v->o[0], r, lanes, tmp[0]);
        v->loop(out, in, v->scalar, lanes);
        npu_lanes_out(c, &v->o[0], r, &s, out);
    }
}

void npu_operands(npu_vector *v, const npu_arg *a, int n) {
    v->n = n;
    for (int i = 0; i < n; i++)
        v->o[i] = (npu_operand){.addr = a[i].v[0], .dt = a[i].dt, .blk = 1, .rep = 8};
}

/* A dense operand narrower than the widest moves on by what a repeat takes of it. */
static void dense_strides(npu_vector *v) {
    int lanes = npu_lanes_of(v);
    for (int i = 0; i < v->n; i++)
        v->o[i].rep = lanes * dtype_table[v->o[i].dt].bytes / 32;
}

void npu_run_form(npu_core *c, npu_vector *v, const npu_arg *a, int form, int at) {
    if (form == 0 && npu_int_of(&a[at + 1], 1)) {
        npu_count(c, v, npu_int_of(&a[at], 0));
        npu_mask_reset(c);
        return;
    }
    if (form == 0) { /* the registers say how much: a count, or the lanes of one repeat */
        dense_strides(v);
        npu_repeat(c, v, NULL, 1);
        return;
    }
    const npu_arg *strides = &a[at + 2];
    for (int i = 0; i < v->n; i++) {
        v->o[i].blk = npu_stride(npu_field(strides, (uint32_t)i));
        v->o[i].rep = npu_stride(npu_field(strides, (uint32_t)(v->n + i)));
    }
    npu_repeat(c, v, npu_mask_given(&a[at], &a[at + 3]), npu_int_of(&a[at + 1], 0));
}
