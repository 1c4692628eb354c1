/* Images on their way into local memory: cropped, channels swapped, colours converted, numbers
   converted, padded at the borders, and channels filled up. */
#include "npu/npu.h"
#include <math.h>
#include <string.h>

enum { YUV420SP = 0, XRGB8888 = 1, RGB888 = 4, YUV400 = 9 }; /* AippInputFormat */
enum { RGB = 3, MOST_CHANNELS = 32 };

/* Field i of a list, or 0; the numbers from there on. */
static const npu_arg *part(const npu_arg *list, uint32_t i) {
    static const npu_arg none = {0};
    return i < list->n ? &list->sub[i] : &none;
}
static void numbers(double *out, const npu_arg *list, uint32_t from, uint32_t n, double otherwise) {
    for (uint32_t i = 0; i < n; i++)
        out[i] = list->kind == NPU_list ? npu_field_float(list, from + i) : otherwise;
}

/* AippParams: dtype, padding, swaps, single line, conversion, channel padding, colour space. */
int64_t npu_set_aipp(npu_core *c, const npu_arg *a, int form, int code) {
    npu_aipp *p = &c->mv.aipp;
    const npu_arg *config = &a[2 + form];
    (void)code;
    *p = (npu_aipp){.plane = {a[0].v[0], a[form].v[0]}, .format = npu_int_of(&a[1 + form], 0)};
    const npu_arg *pad = part(config, 1), *swap = part(config, 2), *conv = part(config, 4),
                  *fill = part(config, 5), *csc = part(config, 6);
    p->pad_mode = npu_field(pad, 0);
    for (uint32_t i = 0; i < 4; i++)
        p->pad[i] = *part(pad, 1 + i);
    p->swap_rb = npu_field(swap, 0) != 0;
    p->swap_uv = npu_field(swap, 1) != 0;
    p->swap_ax = npu_field(swap, 2) != 0;
    p->one_line = npu_field(part(config, 3), 0) != 0;
    numbers(p->mean, conv, 0, RGB, 0);
    numbers(p->min, conv, 3, RGB, 0);
    numbers(p->var, conv, 6, RGB, 1);
    p->few_channels = npu_field(fill, 0) == 1;
    p->channel_pad = *part(fill, 1);
    p->csc = npu_field(csc, 0) != 0;
    numbers(p->matrix, csc, 1, 9, 0);
    numbers(p->bias_in, csc, 10, RGB, 0);
    numbers(p->bias_out, csc, 13, RGB, 0);
    return 0;
}

static double byte_of(npu_core *c, int64_t addr) {
    uint8_t b;
    npu_read(c, addr, &b, 1);
    return b;
}

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* The pixel as it is stored, channels in order; how many there are. */
static int pixel(npu_core *c, const npu_aipp *p, int64_t row, int64_t col, int64_t width,
                 double v[4]) {
    int64_t at = row * width + col, uv = row / 2 * (width & ~INT64_C(1)) + (col & ~INT64_C(1));
    switch (p->format) {
    case YUV420SP:
        v[0] = byte_of(c, p->plane[0] + at);
        v[1] = byte_of(c, p->plane[1] + uv);
        v[2] = byte_of(c, p->plane[1] + uv + 1);
        if (p->swap_uv)
            swap(&v[1], &v[2]);
        return RGB;
    case YUV400: v[0] = byte_of(c, p->plane[0] + at); return 1;
    default: break;
    }
    int stored = p->format == XRGB8888 ? 4 : RGB; /* of four the last is dropped, after a turn */
    int first = stored == 4 && p->swap_ax;
    for (int i = 0; i < RGB; i++)
        v[i] = byte_of(c, p->plane[0] + at * stored + first + i);
    if (p->swap_rb)
        swap(&v[0], &v[2]);
    return RGB;
}

static double clamped(double x, double low, double high) {
    return x > high ? high : x > low ? x : low;
}

/* Coefficients are in units of 1/256. */
static void colours(const npu_aipp *p, double v[4]) {
    double in[RGB];
    for (int i = 0; i < RGB; i++)
        in[i] = v[i] - p->bias_in[i];
    for (int i = 0; i < RGB; i++) {
        const double *m = &p->matrix[i * RGB];
        double x = (m[0] * in[0] + m[1] * in[1] + m[2] * in[2]) / 256 + p->bias_out[i];
        v[i] = clamped(round(x), 0, 255);
    }
}

/* A pixel of the rectangle as elements of dt, channels filled up. */
static void converted(npu_core *c, const npu_aipp *p, int64_t row, int64_t col, int64_t width,
                      dtype dt, int channels, uint8_t *out) {
    double v[4] = {0};
    int n = pixel(c, p, row, col, width, v), size = dtype_table[dt].bytes;
    if (p->csc && n == RGB)
        colours(p, v);
    for (int i = 0; i < channels; i++) {
        npu_arg x = p->channel_pad;
        if (i < n && dt == DT_f16)
            x = (npu_arg){.kind = NPU_float, .f = (v[i] - p->mean[i] - p->min[i]) * p->var[i]};
        else if (i < n) /* bytes stay what they are, signed ones lose their mean */
            x = (npu_arg){.kind = NPU_float,
                          .f = dt == DT_i8 ? clamped(v[i] - p->mean[i], -128, 127) : v[i]};
        npu_store(dt, out + i * size, &x);
    }
}

/* Where a place of the padded image comes from in the one of n places: less than 0, a constant. */
static int64_t source(int64_t k, int64_t n, int64_t mode, int64_t before, int64_t behind) {
    if (k >= 0 && k < n)
        return k;
    switch (mode) {
    case 1: return k < 0 ? 0 : n - 1;
    case 2: k = k < 0 ? k + before : k - behind; break; /* the block beside the border */
    case 3: k = k < 0 ? -1 - k : 2 * n - 1 - k; break;
    default: return -1;
    }
    return k < 0 ? 0 : k < n ? k : n - 1;
}

static void constant(const npu_aipp *p, dtype dt, int channels, uint8_t *out) {
    for (int i = 0; i < channels; i++)
        npu_store(dt, out + i * dtype_table[dt].bytes, i < 4 ? &p->pad[i] : &p->channel_pad);
}

/* LoadImageToLocalParams: horiz_size, vert_size, horiz_start_pos, vert_start_pos, src_horiz_size,
   top, bottom, left, right. */
int64_t npu_load_image(npu_core *c, const npu_arg *a, int form, int code) {
    const npu_aipp *p = &c->mv.aipp;
    int64_t f[9], size = dtype_table[a[0].dt].bytes;
    (void)form;
    (void)code;
    for (uint32_t i = 0; i < 9; i++)
        f[i] = npu_field(&a[1], i) & 0xfff;
    int channels = p->few_channels ? 4 : (int)(32 / size);
    int64_t wide = f[0], high = p->one_line ? 1 : f[1], at = a[0].v[0];
    if (dtype_is_weak(a[0].dt) || channels > MOST_CHANNELS)
        return 0;
    for (int64_t y = -f[5]; y < high + f[6]; y++)
        for (int64_t x = -f[7]; x < wide + f[8]; x++, at += channels * size) {
            uint8_t out[8 * MOST_CHANNELS];
            int64_t row = source(y, high, p->pad_mode, f[5], f[6]);
            int64_t col = source(x, wide, p->pad_mode, f[7], f[8]);
            if (row < 0 || col < 0)
                constant(p, a[0].dt, channels, out);
            else
                converted(c, p, row + f[3], col + f[2], f[4], a[0].dt, channels, out);
            npu_write(c, at, out, channels * size);
        }
    return 0;
}
