/* Comparisons to bits, and selection by bits. The first element's bit is the lowest. */
#include "npu/half.h"
#include "npu/lanes.h"

enum { LANES = 128 };

/* Comparisons: n lanes, a byte each. */

#define COMPARE(name, T, get)                                                                      \
    static void compare_##name(int mode, uint8_t *out, const void *p, const void *q, int n) {      \
        const T *a = p, *b = q;                                                                    \
        switch (mode) { /* as CMPMODE */                                                           \
        case 0: EACH(get(a[i]) < get(b[i])) break;                                                 \
        case 1: EACH(get(a[i]) > get(b[i])) break;                                                 \
        case 2: EACH(get(a[i]) == get(b[i])) break;                                                \
        case 3: EACH(get(a[i]) <= get(b[i])) break;                                                \
        case 4: EACH(get(a[i]) >= get(b[i])) break;                                                \
        default: EACH(get(a[i]) != get(b[i]))                                                      \
        }                                                                                          \
    }
#define EACH(test)                                                                                 \
    for (int i = 0; i < n; i++)                                                                    \
        out[i] = test;
COMPARE(f16, uint16_t, npu_half_to_float)
COMPARE(bf16, uint16_t, npu_bf16_to_float)
COMPARE(f32, float, )
COMPARE(i16, int16_t, )
COMPARE(u16, uint16_t, )
COMPARE(i32, int32_t, )
COMPARE(u32, uint32_t, )
typedef void compare_lanes(int, uint8_t *, const void *, const void *, int);
static compare_lanes *const compares[DT_COUNT] = {[DT_f16] = compare_f16, [DT_bf16] = compare_bf16,
                                                  [DT_f32] = compare_f32, [DT_i16] = compare_i16,
                                                  [DT_u16] = compare_u16, [DT_i32] = compare_i32,
                                                  [DT_u32] = compare_u32};

static void pack(const uint8_t *on, uint8_t *bits, int lanes) {
    for (int i = 0; i < lanes / 8; i++) {
        bits[i] = 0;
        for (int k = 0; k < 8; k++)
            bits[i] |= (uint8_t)(on[8 * i + k] << k);
    }
}

typedef struct {
    npu_operand src[2];
    const void *scalar; /* lanes of it, in place of src[1] */
    compare_lanes *run;
    int lanes, mode;
} comparison;

static void compare_step(npu_core *c, const comparison *p, int64_t rep, uint8_t *on) {
    uint8_t tmp[2][256];
    const void *a = npu_lanes_in(c, &p->src[0], rep, p->lanes, tmp[0]);
    const void *b = p->scalar ? p->scalar : npu_lanes_in(c, &p->src[1], rep, p->lanes, tmp[1]);
    p->run(p->mode, on, a, b, p->lanes);
}

/* The bits of a repeat follow those of the one before. The mask has no effect (on 910B). */
static void compare_repeats(npu_core *c, const comparison *p, int64_t to, int64_t repeats) {
    for (int64_t r = 0; r < repeats; r++) {
        uint8_t on[LANES], bits[LANES / 8];
        compare_step(c, p, r, on);
        pack(on, bits, p->lanes);
        npu_write(c, to + r * (p->lanes / 8), bits, p->lanes / 8);
    }
}

/* src, and strides as an object has them behind dst's */
static npu_operand strided(const npu_arg *t, const npu_arg *strides, uint32_t i, uint32_t n) {
    npu_operand o = {t->v[0], t->dt, 1, 8};
    if (strides && strides->kind == NPU_list) {
        o.blk = npu_stride(npu_field(strides, i));
        o.rep = npu_stride(npu_field(strides, n + i));
    }
    return o;
}

/* Whole repeats only: what is left of a count is not compared. */
static int64_t whole_repeats(npu_core *c, const npu_arg *count, int lanes) {
    int64_t n = npu_int_of(count, 0) / lanes, most = (INT64_C(1) << 20) / lanes;
    npu_mask_reset(c);
    return n < most ? n : most;
}

/* (dst, src0, src1, mode, count), (dst, src0, src1, mode, mask, repeats, strides, is_set_mask), or
   to the register (src0, src1, mode, mask, strides, is_set_mask); code 1: src1 is a scalar */
int64_t npu_compare(npu_core *c, const npu_arg *a, int form, int code) {
    const npu_arg *src = form == 2 ? a : a + 1, *strides = form == 2 ? &a[4] : &a[6];
    comparison p = {.run = compares[src->dt], .lanes = 256 / dtype_table[src->dt].bytes};
    uint8_t scalar[256], on[LANES];
    uint32_t n = code ? 2 : 3;
    if (!p.run || (!code && src[1].dt != src->dt))
        return 0;
    strides = form == 0 ? NULL : strides;
    p.mode = (int)npu_int_of(&src[2], 0);
    p.src[0] = strided(&src[0], strides, 1, n);
    for (int i = 0; code && i < p.lanes; i++)
        npu_store(src->dt, scalar + i * (256 / p.lanes), &src[1]);
    if (code)
        p.scalar = scalar;
    else
        p.src[1] = strided(&src[1], strides, 2, n);
    if (form == 0)
        compare_repeats(c, &p, a[0].v[0], whole_repeats(c, &a[4], p.lanes));
    else if (form == 1)
        compare_repeats(c, &p, a[0].v[0], npu_int_of(&a[5], 0) & 255);
    else { /* lanes that are off give 0 */
        npu_steps s;
        npu_steps_mask(c, &s, npu_mask_given(&a[3], &a[5]), p.lanes, 1);
        npu_steps_next(&s, 0);
        compare_step(c, &p, 0, on);
        c->cmp[0] = c->cmp[1] = 0;
        for (int i = 0; i < p.lanes; i++)
            c->cmp[i / 64] |= (uint64_t)(on[i] && s.on[i]) << (i % 64);
    }
    return 0;
}

int64_t npu_cmp_mask(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    if (code)
        npu_read(c, a[0].v[0], c->cmp, 16);
    else
        npu_write(c, a[0].v[0], c->cmp, 16);
    return 0;
}

/* Selection. */

typedef struct {
    npu_operand o[3]; /* dst, src0, src1 */
    const void *scalar;
    int64_t bits; /* address of the mask, 0: the register */
    bool again;   /* each repeat takes the same bits */
} selection;

#define SELECT(T)                                                                                  \
    static void select_##T(T *out, const T *a, const T *b, const uint8_t *bits, int n) {           \
        for (int i = 0; i < n; i++)                                                                \
            out[i] = bits[i / 8] >> (i % 8) & 1 ? a[i] : b[i];                                     \
    }
SELECT(uint16_t)
SELECT(uint32_t)

static void select_repeats(npu_core *c, const selection *p, npu_steps *s) {
    uint8_t tmp[2][256], out[256], bits[LANES / 8];
    for (int64_t r = 0; r < s->repeats; r++) {
        npu_steps_next(s, r);
        const void *x = npu_lanes_in(c, &p->o[1], r, s->lanes, tmp[0]);
        const void *y = p->scalar ? p->scalar : npu_lanes_in(c, &p->o[2], r, s->lanes, tmp[1]);
        if (p->bits)
            npu_read(c, p->bits + (p->again ? 0 : r * (s->lanes / 8)), bits, s->lanes / 8);
        else
            memcpy(bits, c->cmp, sizeof bits);
        if (s->lanes == LANES)
            select_uint16_t((uint16_t *)out, x, y, bits, LANES);
        else
            select_uint32_t((uint32_t *)out, x, y, bits, 64);
        npu_lanes_out(c, &p->o[0], r, s, out);
    }
}

/* forms 0, 1: (dst, sel_mask, src0, src1, mode, count) of a scalar or a tensor; 2, 3: (dst,
   sel_mask, src0, src1, mode, mask, repeats, strides, is_set_mask); 4: (dst, sel_mask, src0,
   repeats, strides): the register's first element is the scalar; 5: (dst, src0, src1, repeats,
   strides, mode): the register is the mask, or says where in the Unified Buffer it is. */
int64_t npu_select(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    int lanes = 256 / dtype_table[a[0].dt].bytes;
    const npu_arg *src = form == 5 ? &a[1] : &a[2], *strides = form < 2   ? NULL
                                                               : form < 4 ? &a[7]
                                                                          : &a[4];
    int64_t mode = form == 4 ? 1 : npu_int_of(form == 5 ? &a[5] : &a[4], 0);
    bool tensor = form != 4 && src[1].kind == NPU_local;
    uint8_t scalar[256];
    selection p = {.again = mode == 0, .bits = form == 5 ? 0 : a[1].v[0]};
    npu_steps s;
    if ((lanes != LANES && lanes != 64) || src->dt != a[0].dt || (tensor && src[1].dt != a[0].dt))
        return 0;
    p.o[0] = strided(&a[0], strides, 0, 3);
    p.o[1] = strided(&src[0], strides, 1, 3);
    if (tensor)
        p.o[2] = strided(&src[1], strides, 2, 3);
    for (int i = 0, size = 256 / lanes; !tensor && i < lanes; i++)
        if (form == 4)
            memcpy(scalar + i * size, c->cmp, (size_t)size);
        else
            npu_store(a[0].dt, scalar + i * size, &src[1]);
    p.scalar = tensor ? NULL : scalar;
    if (form == 5 && mode == 2)
        p.bits = npu_addr(NPU_UB, (int64_t)(c->cmp[0] & UINT32_MAX));
    if (form < 2) {
        npu_steps_count(&s, lanes, npu_int_of(&a[5], 0));
        npu_mask_reset(c);
    } else if (form < 4)
        npu_steps_mask(c, &s, npu_mask_given(&a[5], &a[8]), lanes, npu_int_of(&a[6], 0) & 255);
    else
        npu_steps_mask(c, &s, NULL, lanes, npu_int_of(&a[3], 0) & 255);
    select_repeats(c, &p, &s);
    return 0;
}
