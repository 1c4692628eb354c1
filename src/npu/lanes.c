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

bool npu_mask(const npu_core *c, const npu_arg *mask, int lanes, uint8_t *on) {
    uint64_t bits[2] = {c->mask[0], c->mask[1]};
    bool all = true;
    if (mask && mask->kind == NPU_bits) {
        bits[0] = (uint64_t)mask->v[0];
        bits[1] = (uint64_t)mask->v[1];
    } else if (mask && mask->kind != NPU_absent) {
        int64_t n = npu_int_of(mask, 0);
        for (int i = 0; i < lanes; i++)
            on[i] = i < n;
        return n >= lanes;
    }
    for (int i = 0; i < lanes; i++) { /* of 8-bit lanes each bit masks two */
        int k = lanes > 128 ? i / 2 : i;
        on[i] = bits[k / 64] >> (k % 64) & 1;
        all = all && on[i];
    }
    return all;
}

/* Operand i's lanes of a repeat, in one piece: where they are, or copied to tmp. */
static const void *lanes_in(npu_core *c, const npu_operand *o, int64_t rep, int lanes, void *tmp) {
    int size = dtype_table[o->dt].bytes, bytes = lanes * size;
    int64_t at = o->addr + rep * o->rep * 32, there;
    const uint8_t *p = o->blk == 1 || bytes <= 32 ? npu_at(c, at, bytes, &there) : NULL;
    if (p && there == bytes)
        return p;
    for (int k = 0; k < bytes; k += 32)
        npu_read(c, at + k * o->blk, (uint8_t *)tmp + k, bytes - k < 32 ? bytes - k : 32);
    return tmp;
}

static void lanes_out(npu_core *c, const npu_operand *o, int64_t rep, int lanes, const uint8_t *on,
                      bool all, const uint8_t *from) {
    int size = dtype_table[o->dt].bytes, per = 32 / size;
    int64_t at = o->addr + rep * o->rep * 32;
    for (int k = 0; k < lanes; k += per) {
        int n = lanes - k < per ? lanes - k : per;
        if (all)
            npu_write(c, at + (k / per) * o->blk * 32, from + (size_t)(k * size),
                      (int64_t)n * size);
        for (int i = k; !all && i < k + n; i++)
            if (on[i])
                npu_write(c, at + (k / per) * o->blk * 32 + (i - k) * size,
                          from + (size_t)(i * size), size);
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
    if (count > 0 && !count_direct(c, v, count)) {
        int64_t most = INT64_C(1) << 20; /* of elements: no local memory holds more */
        count_pieces(c, v, count < most ? count : most);
    }
}

void npu_repeat(npu_core *c, const npu_vector *v, const npu_arg *mask, int64_t repeats) {
    uint8_t on[NPU_MAX_LANES], tmp[NPU_MAX_OPERANDS][8 * NPU_MAX_LANES], out[8 * NPU_MAX_LANES];
    int lanes = npu_lanes_of(v);
    if (c->counter) { /* counter mode: the mask counts elements, repeats do not matter */
        npu_count(c, v, mask && mask->kind == NPU_int ? mask->v[0] : (int64_t)c->mask[0]);
        return;
    }
    bool all = npu_mask(c, mask, lanes, on);
    repeats = repeats < 0 ? 0 : repeats > 255 ? 255 : repeats;
    if (all && is_dense(v, lanes) && is_apart(v, repeats * lanes) &&
        count_direct(c, v, repeats * lanes))
        return;
    for (int64_t r = 0; r < repeats; r++) {
        const void *s[NPU_MAX_OPERANDS];
        for (int i = 1; i < v->n; i++)
            s[i - 1] = lanes_in(c, &v->o[i], r, lanes, tmp[i]);
        if (v->reads_dst)
            s[v->n - 1] = lanes_in(c, &v->o[0], r, lanes, tmp[0]);
        v->loop(out, s, v->scalar, lanes);
        lanes_out(c, &v->o[0], r, lanes, on, all, out);
    }
}
