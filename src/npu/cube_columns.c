/* load_data of convolutions: the matrix that has a row for each place of the filter and a column
   for each point under it, of which a part is loaded. The image is in L1: c1, h, w, c0. */
#include "npu/cube.h"
#include <string.h>

typedef struct {
    int64_t addr, h, w, left, right, top, bottom;
    int64_t step_w, step_h, filter_w, filter_h, apart_w, apart_h;
    int64_t c1, boundary;
    int size;
    uint8_t pad[8];
} image;

static int64_t out_w(const image *x) {
    int64_t wide = x->w + x->left + x->right - ((x->filter_w - 1) * x->apart_w + 1);
    return wide < 0 ? 0 : wide / x->step_w + 1;
}
static int64_t out_h(const image *x) {
    int64_t high = x->h + x->top + x->bottom - ((x->filter_h - 1) * x->apart_h + 1);
    return high < 0 ? 0 : high / x->step_h + 1;
}

/* 32 bytes: the channels of block c1 at (h, w). */
static void point(npu_core *c, const image *x, int64_t c1, int64_t h, int64_t w, uint8_t *out) {
    if (h < 0 || h >= x->h || w < 0 || w >= x->w) {
        for (int i = 0; i < NPU_ROW; i += x->size)
            memcpy(out + i, x->pad, (size_t)x->size);
        return;
    }
    int64_t at = x->addr + ((c1 * x->h + h) * x->w + w) * NPU_ROW;
    if (x->boundary > 0 && npu_byte(at) >= x->boundary)
        at = npu_addr(npu_space(at), npu_byte(at) % x->boundary);
    npu_read(c, at, out, NPU_ROW);
}

/* Row m, block of columns kb: zeros beyond. */
static void cell(npu_core *c, const image *x, int64_t m, int64_t kb, uint8_t *out) {
    int64_t wide = out_w(x), high = out_h(x), points = x->filter_w * x->filter_h;
    memset(out, 0, NPU_ROW);
    if (m < 0 || m >= wide * high || kb < 0 || kb >= x->c1 * points)
        return;
    int64_t f = kb % points;
    point(c, x, kb / points, m / wide * x->step_h - x->top + f / x->filter_w * x->apart_h,
          m % wide * x->step_w - x->left + f % x->filter_w * x->apart_w, out);
}

typedef struct {
    int64_t m0, k0, m, k; /* in elements */
    bool turned;
} part;

/* Where element (m, k) of the part goes: L0A has rows of fractals, each by rows, of the part or of
   it transposed; L0B rows of fractals, each by columns. */
static int64_t place(const part *p, int64_t m, int64_t k, int64_t c0, bool right) {
    int64_t rows = npu_up(p->m, 16), cols = npu_up(p->k, 16);
    if (right)
        return (m / c0 * (cols / 16) + k / 16) * 16 * c0 + k % 16 * c0 + m % c0;
    if (p->turned)
        return (k / 16 * (rows / c0) + m / c0) * 16 * c0 + k % 16 * c0 + m % c0;
    return (m / 16 * (npu_up(p->k, c0) / c0) + k / c0) * 16 * c0 + m % 16 * c0 + k % c0;
}

static void load_part(npu_core *c, const image *x, const part *p, int64_t dst) {
    int64_t c0 = NPU_ROW / x->size;
    bool right = npu_space(dst) == NPU_L0B, plain = !right && !p->turned;
    uint8_t row[NPU_ROW];
    for (int64_t m = 0; m < p->m; m++)
        for (int64_t k = 0; k < p->k; k += c0) {
            cell(c, x, p->m0 + m, (p->k0 + k) / c0, row);
            int64_t n = p->k - k < c0 ? p->k - k : c0;
            if (plain)
                npu_write(c, dst + place(p, m, k, c0, false) * x->size, row, NPU_ROW);
            for (int64_t i = 0; i < n && !plain; i++)
                npu_write(c, dst + place(p, m, k + i, c0, right) * x->size, row + i * x->size,
                          x->size);
        }
}

/* A part, and the repeats of set_load_data_repeat: those down the rows of a transposed part make
   one large part. */
static void load_parts(npu_core *c, const image *x, part p, int64_t dst) {
    int64_t c0 = NPU_ROW / x->size, n = c->load_repeats & 255;
    int64_t each = npu_up(p.m, 16) * npu_up(p.k, p.turned || npu_space(dst) == NPU_L0B ? 16 : c0);
    for (int64_t i = 0; i < n; i++) {
        load_part(c, x, &p, dst + i * each * x->size);
        if (c->load_mode)
            p.k0 += c->load_stride * c0;
        else
            p.m0 += c->load_stride * 16;
    }
}

static int64_t least_one(int64_t x) { return x > 1 ? x : 1; }

/* The fields that both kinds begin with: pads, h, w. */
static image image_of(npu_core *c, const npu_arg *a) {
    image x = {.addr = a[1].v[0], .size = dtype_table[a[1].dt].bytes, .boundary = c->load_boundary};
    const npu_arg *p = &a[2], *pads = p->n ? &p->sub[0] : NULL;
    x.left = pads && pads->kind == NPU_list ? npu_field(pads, 0) : 0;
    x.right = pads && pads->kind == NPU_list ? npu_field(pads, 1) : 0;
    x.top = pads && pads->kind == NPU_list ? npu_field(pads, 2) : 0;
    x.bottom = pads && pads->kind == NPU_list ? npu_field(pads, 3) : 0;
    x.h = npu_field(p, 1);
    x.w = npu_field(p, 2);
    x.step_w = least_one(npu_field(p, 8));
    x.step_h = least_one(npu_field(p, 9));
    x.filter_w = npu_field(p, 10);
    x.filter_h = npu_field(p, 11);
    x.apart_w = least_one(npu_field(p, 12));
    x.apart_h = least_one(npu_field(p, 13));
    return x;
}

static void set_pad(image *x, dtype dt, const npu_arg *p, uint32_t i) {
    if (i < p->n && p->sub[i].kind != NPU_absent)
        npu_store(dt, x->pad, &p->sub[i]);
}

/* One fractal of 16 places for each repeat: of the next point of the filter, or of the next 16
   places. */
static void load_v1(npu_core *c, const npu_arg *a) {
    const npu_arg *p = &a[2];
    image x = image_of(c, a);
    set_pad(&x, a[1].dt, p, 18);
    if (x.filter_w < 1 || x.filter_h < 1)
        return;
    int64_t wide = least_one(out_w(&x)), points = x.filter_w * x.filter_h;
    int64_t f = npu_field(p, 3) * points + npu_field(p, 5) * x.filter_w + npu_field(p, 4);
    int64_t first =
        (npu_field(p, 7) + x.top) / x.step_h * wide + (npu_field(p, 6) + x.left) / x.step_w;
    for (int64_t i = 0; i < (npu_field(p, 16) & 255); i++) {
        int64_t to = a[0].v[0] + i * least_one(npu_field(p, 14)) * NPU_FRACTAL;
        for (int r = 0; r < NPU_ROWS; r++) {
            uint8_t row[NPU_ROW];
            int64_t m = first + r;
            point(c, &x, f / points,
                  m / wide * x.step_h - x.top + f % points / x.filter_w * x.apart_h,
                  m % wide * x.step_w - x.left + f % points % x.filter_w * x.apart_w, row);
            npu_write(c, to + r * NPU_ROW, row, NPU_ROW);
        }
        if (npu_field(p, 15))
            first += NPU_ROWS;
        else
            f++;
    }
}

static void load_v2(npu_core *c, const npu_arg *a) {
    const npu_arg *p = &a[2];
    image x = image_of(c, a);
    set_pad(&x, a[1].dt, p, 15);
    x.filter_w += npu_field(p, 16) ? 256 : 0;
    x.filter_h += npu_field(p, 17) ? 256 : 0;
    x.c1 = npu_up(npu_field(p, 3), NPU_ROW / x.size) * x.size / NPU_ROW;
    c->load_h = x.h;
    c->load_w = x.w;
    if (x.filter_w < 1 || x.filter_h < 1 || x.h < 1 || x.w < 1)
        return;
    part part = {npu_field(p, 7), npu_field(p, 6), npu_field(p, 5) & 65535, npu_field(p, 4) & 65535,
                 npu_field(p, 14) && x.size != 1};
    load_parts(c, &x, part, a[0].v[0]);
}

/* The numbers of V2 in two words; the image's extents are those of the last load. */
static void load_pro(npu_core *c, const npu_arg *a) {
    const npu_arg *p = &a[2];
    uint64_t e = (uint64_t)npu_field(p, 6), f = (uint64_t)npu_field(p, 7);
    image x = {.addr = a[1].v[0], .size = dtype_table[a[1].dt].bytes, .boundary = c->load_boundary};
    x.h = c->load_h;
    x.w = c->load_w;
    x.step_w = least_one((int64_t)(f & 255));
    x.step_h = least_one((int64_t)(f >> 8 & 255));
    x.filter_w = (int64_t)(f >> 16 & 255) + (npu_field(p, 3) ? 256 : 0);
    x.filter_h = (int64_t)(f >> 24 & 255) + (npu_field(p, 4) ? 256 : 0);
    x.apart_w = least_one((int64_t)(f >> 32 & 255));
    x.apart_h = least_one((int64_t)(f >> 40 & 255));
    x.c1 = npu_up(npu_field(p, 0), NPU_ROW / x.size) * x.size / NPU_ROW;
    if (x.filter_w < 1 || x.filter_h < 1 || x.h < 1 || x.w < 1)
        return;
    part part = {(int64_t)(e >> 48), (int64_t)(e >> 32 & 65535), (int64_t)(e >> 16 & 65535),
                 (int64_t)(e & 65535), npu_field(p, 1) && x.size != 1};
    load_parts(c, &x, part, a[0].v[0]);
}

void npu_load_columns(npu_core *c, const npu_arg *a, int version) {
    if (dtype_table[a[1].dt].bytes > 4)
        return;
    if (version == 0)
        load_v1(c, a);
    else if (version == 1)
        load_v2(c, a);
    else
        load_pro(c, a);
}

int64_t npu_load_setting(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    if (code == NPU_load_boundary)
        c->load_boundary = npu_int_of(&a[0], 0);
    return 0; /* each load says what it pads with */
}

int64_t npu_load_repeat(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    c->load_repeats = npu_field(&a[0], 0);
    c->load_stride = npu_field(&a[0], 1);
    c->load_mode = npu_field(&a[0], 2);
    return 0;
}
