/* asc.adv's operations on rows: softmax and RMS normalisation. */
#include "npu/half.h"
#include "npu/npu.h"
#include <math.h>

enum { CHUNK = 1024 };

/* A row in pieces of float. */
static void get_row(npu_core *c, const npu_arg *t, int64_t at, int64_t n, float *out) {
    int size = dtype_table[t->dt].bytes;
    uint8_t raw[CHUNK * 4];
    npu_read(c, t->v[0] + at * size, raw, n * size);
    for (int64_t i = 0; i < n; i++)
        out[i] = (float)npu_load_float(t->dt, raw + i * size);
}
static void put_row(npu_core *c, const npu_arg *t, int64_t at, int64_t n, const float *in) {
    int size = dtype_table[t->dt].bytes;
    uint8_t raw[CHUNK * 4];
    for (int64_t i = 0; i < n; i++) {
        npu_arg x = {.kind = NPU_float, .f = in[i]};
        npu_store(t->dt, raw + i * size, &x);
    }
    npu_write(c, t->v[0] + at * size, raw, n * size);
}

static bool is_row_type(dtype dt) { return dt == DT_f16 || dt == DT_f32; }

/* Rows and their length: of the tensor's shape, else as the tiling has it, else one row. */
static void shape_of(const npu_arg *t, int64_t rows, int64_t cols, int64_t out[2]) {
    out[0] = rows;
    out[1] = cols;
    if (t->n) {
        out[1] = t->sub[t->n - 1].v[0];
        out[0] = 1;
        for (uint32_t i = 0; i + 1 < t->n; i++)
            out[0] *= t->sub[i].v[0];
    } else if (rows <= 0 || cols <= 0) {
        out[0] = 1;
        out[1] = t->v[1];
    }
    int64_t most = (INT64_C(192) << 10) / dtype_table[t->dt].bytes; /* no buffer holds more */
    if (out[0] < 0 || out[1] <= 0 || out[1] > most || out[0] > most)
        out[0] = 0;
}

static void softmax_row(npu_core *c, const npu_arg *a, int64_t row, int64_t cols) {
    float x[CHUNK], top = -INFINITY;
    double sum = 0;
    for (int64_t k = 0; k < cols; k += CHUNK) {
        int64_t n = cols - k < CHUNK ? cols - k : CHUNK;
        get_row(c, &a[3], row * cols + k, n, x);
        for (int64_t i = 0; i < n; i++)
            top = x[i] > top || isnan(x[i]) ? x[i] : top;
    }
    for (int64_t k = 0; k < cols; k += CHUNK) {
        int64_t n = cols - k < CHUNK ? cols - k : CHUNK;
        get_row(c, &a[3], row * cols + k, n, x);
        for (int64_t i = 0; i < n; i++)
            sum += expf(x[i] - top);
    }
    for (int64_t k = 0; k < cols; k += CHUNK) {
        int64_t n = cols - k < CHUNK ? cols - k : CHUNK;
        get_row(c, &a[3], row * cols + k, n, x);
        for (int64_t i = 0; i < n; i++)
            x[i] = (float)(expf(x[i] - top) / sum);
        put_row(c, &a[0], row * cols + k, n, x);
    }
    for (int t = 1; t < 3; t++) { /* 32 bytes of the sum, and of the maximum */
        int per = 32 / dtype_table[a[t].dt].bytes;
        for (int i = 0; i < per; i++)
            x[i] = t == 1 ? (float)sum : top;
        put_row(c, &a[t], row * per, per, x);
    }
}

int64_t npu_softmax(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int64_t shape[2];
    if (!is_row_type(a[0].dt) || !is_row_type(a[1].dt) || !is_row_type(a[2].dt) ||
        !is_row_type(a[3].dt))
        return 0;
    shape_of(&a[3], npu_field(&a[4], 0), npu_field(&a[4], 1), shape); /* src_m, src_k */
    for (int64_t r = 0; r < shape[0]; r++)
        softmax_row(c, a, r, shape[1]);
    return 0;
}

int64_t npu_rmsnorm(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int64_t shape[2], h = npu_field(&a[4], 2);
    int64_t used = npu_field(&a[4], 3); /* original_h_length: the rest of a row is padding */
    float x[CHUNK], g[CHUNK];
    if (!is_row_type(a[0].dt) || !is_row_type(a[1].dt) || !is_row_type(a[2].dt))
        return 0;
    shape_of(&a[1], npu_field(&a[4], 0) * npu_field(&a[4], 1), h, shape);
    if (used <= 0 || used > shape[1])
        used = shape[1];
    for (int64_t r = 0; r < shape[0]; r++) {
        double sum = 0;
        for (int64_t k = 0; k < used; k += CHUNK) {
            int64_t n = used - k < CHUNK ? used - k : CHUNK;
            get_row(c, &a[1], r * shape[1] + k, n, x);
            for (int64_t i = 0; i < n; i++)
                sum += (double)x[i] * x[i];
        }
        double scale = 1 / sqrt(sum / (double)used + npu_number(&a[3]));
        for (int64_t k = 0; k < shape[1]; k += CHUNK) {
            int64_t n = shape[1] - k < CHUNK ? shape[1] - k : CHUNK;
            get_row(c, &a[1], r * shape[1] + k, n, x);
            get_row(c, &a[2], k, n, g);
            for (int64_t i = 0; i < n; i++)
                x[i] = (float)(x[i] * scale * g[i]);
            put_row(c, &a[0], r * shape[1] + k, n, x);
        }
    }
    return 0;
}
