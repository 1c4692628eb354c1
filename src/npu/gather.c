/* Elements by offsets and by masks: gather, gatherb, scatter, gather_mask. */
#include "npu/lanes.h"
#include "npu/npu.h"
#include <string.h>

enum { BLOCK = 32, REPEAT = 256 };

static void move_element(uint8_t *d, const uint8_t *s, int size) {
    switch (size) { /* constant sizes become single moves */
    case 1: memcpy(d, s, 1); break;
    case 2: memcpy(d, s, 2); break;
    case 4: memcpy(d, s, 4); break;
    default: memcpy(d, s, 8); break;
    }
}

/* Elements of one of the memories that offsets may reach: up to the largest offset. */
typedef struct {
    uint8_t *at;
    int64_t bytes;
} reach;

static reach reach_of(npu_core *c, int64_t addr, const uint32_t *off, int64_t n, int size) {
    uint32_t most = 0;
    reach r;
    for (int64_t i = 0; i < n; i++)
        most = off[i] > most ? off[i] : most;
    r.at = npu_at(c, addr, (int64_t)most + size, &r.bytes);
    return r;
}

static void gather(npu_core *c, int64_t dst, int64_t src, const uint32_t *off, int64_t n, int size,
                   const uint8_t *on) {
    reach r = reach_of(c, src, off, n, size);
    uint8_t out[8 * REPEAT] = {0};
    for (int64_t i = 0; i < n; i++)
        if ((int64_t)off[i] + size <= r.bytes)
            move_element(out + i * size, r.at + off[i], size);
    if (!on)
        npu_write(c, dst, out, n * size);
    for (int64_t i = 0; on && i < n; i++)
        if (on[i])
            npu_write(c, dst + i * size, out + i * size, size);
}

static void scatter(npu_core *c, int64_t dst, int64_t src, const uint32_t *off, int64_t n, int size,
                    const uint8_t *on) {
    reach r = reach_of(c, dst, off, n, size);
    uint8_t in[8 * REPEAT];
    npu_read(c, src, in, n * size);
    for (int64_t i = 0; i < n; i++)
        if ((!on || on[i]) && (int64_t)off[i] + size <= r.bytes)
            move_element(r.at + off[i], in + i * size, size);
}

/* n elements, at most 256, with offsets at off: of gather the flat side is dst, of scatter src. */
static void by_offset(npu_core *c, int code, int64_t flat, int64_t base, int64_t off, int64_t n,
                      int size, const uint8_t *on) {
    uint32_t offsets[REPEAT];
    npu_read(c, off, offsets, n * 4);
    if (code == NPU_GATHER)
        gather(c, flat, base, offsets, n, size, on);
    else
        scatter(c, base, flat, offsets, n, size, on);
}

/* dst, src, offset, base, then count or mask, repeat_times, stride of the flat side in blocks. */
int64_t npu_gather(npu_core *c, const npu_arg *a, int form, int code) {
    int size = dtype_table[a[0].dt].bytes, lanes = REPEAT / size;
    int64_t flat = a[code == NPU_GATHER ? 0 : 1].v[0];
    int64_t base = a[code == NPU_GATHER ? 1 : 0].v[0] + (npu_int_of(&a[3], 0) & UINT32_MAX);
    npu_steps steps;
    if (form == 1 || c->counter) {
        int64_t count = npu_int_of(&a[4], (int64_t)c->mask[0]), most = INT64_C(1) << 20;
        count = count < most ? count : most;
        for (int64_t at = 0; at < count; at += lanes)
            by_offset(c, code, flat + at * size, base, a[2].v[0] + at * 4,
                      count - at < lanes ? count - at : lanes, size, NULL);
        return 0;
    }
    npu_steps_mask(c, &steps, &a[4], lanes, npu_int_of(&a[5], 0) & 255);
    for (int64_t r = 0; r < steps.repeats; r++) {
        npu_steps_next(&steps, r);
        by_offset(c, code, flat + r * (npu_int_of(&a[6], 0) & UINT16_MAX) * BLOCK, base, a[2].v[0] + r * lanes * 4,
                  lanes, size, steps.all ? NULL : steps.on);
    }
    return 0;
}

/* Blocks of 32 bytes: eight offsets in a repeat. GatherRepeatParams: strides of dst. */
int64_t npu_gatherb(npu_core *c, const npu_arg *a, int form, int code) {
    int64_t blk = npu_field(&a[4], 0) & UINT16_MAX, rep = npu_field(&a[4], 1) & UINT16_MAX;
    int64_t repeats = npu_int_of(&a[3], 0) & 255;
    (void)form;
    (void)code;
    blk = blk ? blk : 1;
    for (int64_t r = 0; r < repeats; r++) {
        uint32_t off[8];
        npu_read(c, a[2].v[0] + r * (int64_t)sizeof off, off, sizeof off);
        for (int64_t j = 0; j < 8; j++)
            npu_move(c, a[0].v[0] + (r * rep + j * blk) * BLOCK, a[1].v[0] + off[j], BLOCK);
    }
    return 0;
}

/* gather_mask: which elements are kept. Of a number, one bit per element of each four. */
typedef struct {
    uint8_t four; /* 0: bits at addr */
    int64_t addr;
} pattern;

static bool is_kept(const uint8_t *bits, int64_t i) { return bits[i / 8] >> (i % 8) & 1; }

/* A repeat's elements from at on, in pieces of 256 bytes; those kept go to dst. How many. */
static int64_t keep(npu_core *c, int64_t dst, int64_t at, int64_t blk, int64_t n, int size,
                    const pattern *p) {
    int64_t kept = 0, per = BLOCK / size;
    for (int64_t k = 0; k < n; k += REPEAT / size) {
        uint8_t in[REPEAT], out[REPEAT], bits[REPEAT / 8];
        int64_t lanes = n - k < REPEAT / size ? n - k : REPEAT / size, m = 0;
        for (int64_t i = 0; i < lanes; i += per)
            npu_read(c, at + (k + i) / per * blk * BLOCK, in + i * size, BLOCK);
        if (p->four)
            memset(bits, p->four * 0x11, sizeof bits);
        else
            npu_read(c, p->addr + k / 8, bits, (lanes + 7) / 8);
        for (int64_t i = 0; i < lanes; i++)
            if (is_kept(bits, i))
                move_element(out + m++ * size, in + i * size, size);
        npu_write(c, dst + kept * size, out, m * size);
        kept += m;
    }
    return kept;
}

/* dst, src0, src1_pattern, reduce_mode, mask, GatherMaskParams. In counter mode (reduce_mode) a
   repeat takes mask elements, otherwise 256 bytes. */
int64_t npu_gather_mask(npu_core *c, const npu_arg *a, int form, int code) {
    static const uint8_t fours[8] = {0, 0x5, 0xa, 0x1, 0x2, 0x4, 0x8, 0xf};
    int size = dtype_table[a[0].dt].bytes;
    int64_t n = npu_int_of(&a[3], 0) ? npu_int_of(&a[4], 0) & UINT32_MAX : REPEAT / size;
    int64_t most = INT64_C(1) << 20, kept = 0, repeats = npu_field(&a[5], 1) & UINT16_MAX;
    pattern p = {0};
    (void)code;
    if (form == 1)
        p.four = fours[npu_int_of(&a[2], 0) & 7];
    n = n < most ? n : most;
    for (int64_t r = 0; r < repeats && r * n < most && (p.four || form == 0); r++) {
        if (form == 0)
            p.addr = a[2].v[0] + r * (npu_field(&a[5], 3) & UINT16_MAX) * BLOCK;
        kept += keep(c, a[0].v[0] + kept * size,
                     a[1].v[0] + r * (npu_field(&a[5], 2) & UINT16_MAX) * BLOCK,
                     npu_field(&a[5], 0) & 255, n, size, &p);
    }
    return c->mv.kept = kept;
}

int64_t npu_gather_kept(npu_core *c, const npu_arg *a, int form, int code) {
    (void)a;
    (void)form;
    (void)code;
    return c->mv.kept;
}
