/* The forms of data_copy that change how data lies: slices, ND and NZ, results of the cube. */
#include "npu/cube.h"
#include <math.h>
#include <string.h>

enum { C0_BYTES = 32, FRACTAL = 16, MOST_PIECES = 1 << 18 }; /* more do not fit anywhere */

/* Fields of an object as the NPU keeps them: of 16 bits. */
static void fields(int64_t *out, const npu_arg *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        out[i] = npu_field(list, i) & UINT16_MAX;
}

/* Bytes at a flat offset of a source in pieces; what lies in a gap is zero. */
static void read_pieces(npu_core *c, int64_t from, int64_t at, void *out, int64_t n,
                        const npu_pieces *in) {
    if (!in) {
        npu_read(c, npu_on(from, at), out, n);
        return;
    }
    memset(out, 0, (size_t)n);
    for (int64_t k = 0, take; k < n && at + k >= 0; k += take) {
        int64_t piece = (at + k) / in->step_flat, rest = (at + k) % in->step_flat;
        take = in->step_flat - rest < n - k ? in->step_flat - rest : n - k;
        int64_t have = in->len - rest < take ? in->len - rest : take;
        if (have > 0)
            npu_read(c, npu_on(from, piece * in->step_real + rest), (uint8_t *)out + k, have);
    }
}

/* Nd2NzParams: nd_num, n_value, d_value, src_nd_matrix_stride, src_d_value, dst_nz_c0_stride,
   dst_nz_n_stride, dst_nz_matrix_stride. Each row goes out in blocks of 32 bytes, the last one
   filled with zeros. */
void npu_copy_nd2nz(npu_core *c, int64_t to, int64_t from, dtype dt, const npu_arg *params,
                    const npu_pieces *in) {
    int64_t p[8], size = dtype_table[dt].bytes, left = MOST_PIECES;
    fields(p, params, 8);
    for (int64_t m = 0; m < p[0]; m++)
        for (int64_t n = 0; n < p[1]; n++)
            for (int64_t k = 0, row = p[2] * size; k < row && left; k += C0_BYTES, left--) {
                uint8_t block[C0_BYTES] = {0};
                read_pieces(c, from, (m * p[3] + n * p[4]) * size + k, block,
                            row - k < C0_BYTES ? row - k : C0_BYTES, in);
                npu_put(c, to + m * p[7] * size + (k / C0_BYTES * p[5] + n * p[6]) * C0_BYTES,
                        block, C0_BYTES);
            }
}

/* Nz2NdParamsFull: nd_num, n_value, d_value, src_nd_matrix_stride, src_n_stride, dst_d_stride,
   dst_nd_matrix_stride. The source's columns of 16 elements lie src_n_stride * 16 apart. */
void npu_copy_nz2nd(npu_core *c, const npu_arg *a) {
    int64_t p[7], size = dtype_table[a[0].dt].bytes, left = MOST_PIECES;
    fields(p, &a[2], 7);
    for (int64_t m = 0; m < p[0]; m++)
        for (int64_t n = 0; n < p[1]; n++)
            for (int64_t d = 0; d < p[2] && left; d += FRACTAL, left--) {
                int64_t from = m * p[3] * FRACTAL * FRACTAL + d * p[4] + n * FRACTAL;
                npu_move(c, a[0].v[0] + (m * p[6] + n * p[5] + d) * size, a[1].v[0] + from * size,
                         (p[2] - d < FRACTAL ? p[2] - d : FRACTAL) * size);
            }
}

/* Slices: of each dimension a SliceInfo of start_index, end_index, stride, burst_len, shape_value;
   the first dimension is the innermost one. */
enum { MAX_DIMS = 8 };
typedef struct {
    int64_t start[MAX_DIMS], step[MAX_DIMS], count[MAX_DIMS], extent[MAX_DIMS];
    int64_t burst, total;
    int dims;
} slice;

static slice slice_of(const npu_arg *list, int64_t dims, int64_t size) {
    slice s = {.total = 1};
    s.dims = (int)(dims < list->n ? dims : list->n);
    if (s.dims > MAX_DIMS)
        s.dims = MAX_DIMS;
    for (int i = 0; i < s.dims; i++) {
        const npu_arg *f = &list->sub[i];
        int64_t stride = npu_field(f, 2) & UINT32_MAX;
        int64_t width = i ? 1 : (npu_field(f, 3) & UINT16_MAX) * C0_BYTES / size;
        s.start[i] = npu_field(f, 0) & UINT32_MAX;
        s.step[i] = width + stride;
        s.extent[i] = npu_field(f, 4) & UINT32_MAX;
        s.count[i] = s.step[i] > 0
                         ? ((npu_field(f, 1) & UINT32_MAX) - s.start[i] + 1 + stride) / s.step[i]
                         : 0;
        s.count[i] = s.count[i] < 0 ? 0 : s.count[i] < MOST_PIECES ? s.count[i] : MOST_PIECES;
        s.total = s.total * s.count[i] < MOST_PIECES ? s.total * s.count[i] : MOST_PIECES;
        if (!i)
            s.burst = width;
    }
    return s;
}

/* The element where the k-th burst begins. */
static int64_t slice_at(const slice *s, int64_t k) {
    int64_t at = 0, whole = 1;
    for (int i = 0; i < s->dims; i++) {
        int64_t here;
        if (__builtin_mul_overflow(s->start[i] + k % s->count[i] * s->step[i], whole, &here) ||
            __builtin_add_overflow(at, here, &at) ||
            __builtin_mul_overflow(whole, s->extent[i], &whole) || at > NPU_BIAS_BYTES)
            return NPU_BIAS_BYTES;
        k /= s->count[i];
    }
    return at;
}

void npu_copy_slices(npu_core *c, const npu_arg *a) {
    int64_t size = dtype_table[a[0].dt].bytes, dims = npu_int_of(&a[4], 1);
    slice to = slice_of(&a[2], dims, size), from = slice_of(&a[3], dims, size);
    int64_t n = to.total < from.total ? to.total : from.total;
    for (int64_t k = 0; k < n; k++)
        npu_move(c, npu_on(a[0].v[0], slice_at(&to, k) * size),
                 npu_on(a[1].v[0], slice_at(&from, k) * size), from.burst * size);
}

/* Results of the cube: 32-bit numbers of L0C, on their way to a dtype. */
typedef struct {
    dtype from, to;
    double scale;
    bool relu, quantised;
} convert;

static void converted(const convert *v, const uint8_t *in, uint8_t *out, int64_t n) {
    int64_t wide = dtype_table[v->from].bytes, narrow = dtype_table[v->to].bytes;
    bool whole = dtype_is_int(v->to);
    int bits = 8 * (int)narrow - (dtype_table[v->to].cls == 'I');
    double high = whole ? ldexp(1, bits) - 1 : 0,
           low = whole && dtype_table[v->to].cls == 'I' ? -high - 1 : 0;
    for (int64_t i = 0; i < n; i++) {
        if (v->from == v->to && !v->relu && !v->quantised) {
            memcpy(out + i * narrow, in + i * wide, (size_t)narrow);
            continue;
        }
        npu_arg x = {.kind = NPU_float, .f = npu_load_float(v->from, in + i * wide)};
        if (v->quantised)
            x.f *= v->scale;
        if (v->relu && !(x.f > 0))
            x.f = 0;
        if (whole) {
            x.f = rint(x.f);
            x.f = x.f > high ? high : x.f > low ? x.f : low;
        }
        npu_store(v->to, out + i * narrow, &x);
    }
}

/* n elements, from one place to the other; at most a fractal. */
static void move_converted(npu_core *c, const convert *v, int64_t to, int64_t from, int64_t n) {
    uint8_t in[8 * FRACTAL * FRACTAL], out[8 * FRACTAL * FRACTAL];
    npu_read(c, from, in, n * dtype_table[v->from].bytes);
    converted(v, in, out, n);
    npu_put(c, to, out, n * dtype_table[v->to].bytes);
}

/* DataCopyEnhancedParams: block_mode, deq_scale, deq_value_in, sid_store_mode_in, is_relu_in,
   pad_mode_in, pad_value_in. Out of L0C a block is a fractal of 16 x 16 elements, or 16 elements
   in vector mode; padding says nothing about where data goes. */
void npu_copy_enhanced(npu_core *c, const npu_arg *a) {
    const npu_arg *p = &a[2], *e = &a[3];
    int64_t mode = npu_field(e, 0), deq = npu_field(e, 1);
    bool cube = npu_space(a[1].v[0]) == NPU_L0C;
    float scale;
    uint32_t bits = (uint32_t)npu_field(e, 2);
    memcpy(&scale, &bits, 4);
    convert v = {.from = a[1].dt,
                 .to = a[0].dt,
                 .scale = scale,
                 .relu = npu_field(e, 4) != 0,
                 .quantised = deq != 0};
    int64_t wide = dtype_table[v.from].bytes, narrow = dtype_table[v.to].bytes;
    int64_t unit = !cube ? C0_BYTES / wide : mode == 2 ? FRACTAL : FRACTAL * FRACTAL;
    int64_t b[4], left = MOST_PIECES;
    fields(b, p, 4);
    for (int64_t i = 0; i < b[0]; i++)
        for (int64_t k = 0; k < b[1] && left; k++, left--) {
            int64_t from = (i * (b[1] + b[2]) + k) * unit * wide;
            int64_t to = (i * b[1] + k) * unit * narrow + i * b[3] * C0_BYTES;
            move_converted(c, &v, a[0].v[0] + to, a[1].v[0] + from, unit);
        }
}

/* DataCopyCO12DstParams: n_size, m_size, dst_stride, src_stride, quant_pre, relu_pre,
   channel_split, nz2nd_en. As fixpipe; factors of columns are in the fixpipe's buffer. */
void npu_copy_co1(npu_core *c, const npu_arg *a) {
    const npu_arg *p = &a[2];
    npu_out_of_l0c out = {.n = npu_field(p, 0) & 4095,
                          .m = npu_field(p, 1) & 65535,
                          .dst_stride = npu_field(p, 2),
                          .src_stride = npu_field(p, 3),
                          .quant = npu_field(p, 4),
                          .bits = c->pre_quant,
                          .bits_addr = npu_addr(NPU_FIXBUF, 0),
                          .relu = npu_field(p, 5),
                          .split = npu_field(p, 6),
                          .rows = npu_field(p, 7)};
    npu_fix(c, &a[0], a[0].v[0], &a[1], a[1].v[0], &out);
}
