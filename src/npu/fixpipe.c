/* Sums out of L0C. There they lie in strips of 16 columns; each goes out on its own. */
#include "npu/cube.h"
#include <string.h>

/* QuantModes of the Python package. */
enum { NO_QUANT, TO_F16, TO_BF16, DEQ_F16, VDEQ_F16, Q_B8, VQ_B8, REQ8, VREQ8 };

static dtype dtype_of(int64_t quant, dtype dst) {
    return quant == TO_F16 || quant == DEQ_F16 || quant == VDEQ_F16 ? DT_f16
           : quant == TO_BF16                                       ? DT_bf16
                                                                    : dst;
}

static npu_factor factor_of(int64_t quant) {
    return quant == DEQ_F16 || quant == Q_B8 || quant == REQ8      ? NPU_one_factor
           : quant == VDEQ_F16 || quant == VQ_B8 || quant == VREQ8 ? NPU_factors
                                                                   : NPU_as_is;
}

/* Where strip s goes: rows of a matrix; or strips of their own, of bytes two side by side where
   there are two, of split floats in halves. */
static void strip(npu_core *c, npu_target t, const npu_out_of_l0c *p, int64_t s, const void *sums,
                  int64_t m) {
    int64_t n = p->n - s * 16 < 16 ? p->n - s * 16 : 16, apart = p->dst_stride * 32;
    t.bits_addr += s * 16 * 8;
    if (p->rows) {
        t.addr += s * 16 * dtype_table[t.dt].bytes;
        t.stride = p->dst_stride;
        npu_deliver(c, &t, sums, 16, 0, 0, m, n);
    } else if (p->split && t.dt == DT_f32) {
        t.stride = 8;
        for (int64_t h = 0; h * 8 < n; h++) {
            npu_target half = t;
            half.addr += (2 * s + h) * apart;
            half.bits_addr += h * 64;
            npu_deliver(c, &half, (const float *)sums + h * 8, 16, 0, 0, m,
                        n - h * 8 < 8 ? n - h * 8 : 8);
        }
    } else if (dtype_table[t.dt].bytes == 1) {
        bool pair = s % 2 || (s + 1) * 16 < p->n;
        t.addr += s / 2 * apart + (s % 2 ? 16 : 0);
        t.stride = pair ? 32 : 16;
        npu_deliver(c, &t, sums, 16, 0, 0, m, n);
    } else {
        t.addr += s * apart;
        t.stride = 16;
        npu_deliver(c, &t, sums, 16, 0, 0, m, n);
    }
}

void npu_fix(npu_core *c, const npu_arg *dst, int64_t dst_at, const npu_arg *src, int64_t src_at,
             const npu_out_of_l0c *p) {
    npu_target t = {.whole = src->dt == DT_i32,
                    .relu = p->relu,
                    .factor = factor_of(p->quant),
                    .bits = p->bits,
                    .bits_addr = p->bits_addr,
                    .addr = dst_at,
                    .dt = dtype_of(p->quant, dst->dt)};
    for (int64_t s = 0; s * 16 < p->n; s++) {
        int64_t there;
        const uint8_t *sums = npu_at(c, src_at + s * p->src_stride * 64, p->m * 64, &there);
        if (sums)
            strip(c, t, p, s, sums, there / 64 < p->m ? there / 64 : p->m);
    }
}

/* params: n, m, strides, quant, factor, matrices and the strides between these, relu, unit flag,
   split; config: the layout */
int64_t npu_fixpipe(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    const npu_arg *q = &a[form == 1 ? 3 : 2], *config = q + 1;
    npu_out_of_l0c p = {.n = npu_field(q, 0) & 4095,
                        .m = npu_field(q, 1) & 65535,
                        .src_stride = npu_field(q, 2),
                        .dst_stride = npu_field(q, 3),
                        .quant = npu_field(q, 4),
                        .bits = (uint64_t)npu_field(q, 5),
                        .bits_addr = form == 1 ? a[2].v[0] : 0,
                        .relu = npu_field(q, 9),
                        .split = npu_field(q, 11)};
    p.rows = config->kind != NPU_list || npu_field(config, 0) != 0;
    int64_t matrices = p.rows ? npu_field(q, 6) & 65535 : 1;
    for (int64_t i = 0; i < matrices; i++)
        npu_fix(c, &a[0],
                a[0].v[0] + i * npu_field(q, 8) * dtype_table[dtype_of(p.quant, a[0].dt)].bytes,
                &a[1], a[1].v[0] + i * npu_field(q, 7) * 64, &p);
    return 0;
}

int64_t npu_pre_quant(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    c->pre_quant = (uint64_t)npu_int_of(&a[0], 0);
    return 0;
}
