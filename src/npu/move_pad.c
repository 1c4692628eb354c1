/* data_copy_pad: copies of any number of bytes, filled up to whole blocks in local memory. */
#include "npu/npu.h"
#include <string.h>

enum { BLOCK = 32 };
static int64_t blocks_up(int64_t bytes) { return (bytes + BLOCK - 1) & -BLOCK; }

/* What stands around a piece: elements before and behind it, and the bytes of their value. */
typedef struct {
    int64_t left, right;
    bool valued;
    uint8_t value[8];
} padding;

/* DataCopyPadExtParams: dtype, is_pad, left, right, value; DataCopyPadParams: without a dtype, and
   the value is bits. */
static padding padding_of(const npu_core *c, const npu_arg *a, dtype dt, bool ext) {
    uint32_t at = ext;
    padding p = {.left = npu_field(a, at + 1) & UINT16_MAX,
                 .right = npu_field(a, at + 2) & UINT16_MAX};
    p.valued = npu_field(a, at) != 0;
    if (p.valued && at + 3 < a->n && ext)
        npu_store(dt, p.value, &a->sub[at + 3]);
    else if (p.valued) {
        int64_t bits = npu_field(a, at + 3);
        memcpy(p.value, &bits, 8);
    } else if (c->mv.pad.kind != NPU_absent) {
        p.valued = true;
        npu_store(dt, p.value, &c->mv.pad);
    }
    return p;
}

static void fill(npu_core *c, int64_t to, int64_t n, const uint8_t *value, int size) {
    for (int64_t i = 0; i < n; i++)
        npu_write(c, to + i * size, value, size);
}

/* One piece into local memory. Without elements around it a piece is filled up with its first
   element; otherwise with the value, which is 0 where none was given. */
static void piece_in(npu_core *c, int64_t to, int64_t from, int64_t len, dtype dt,
                     const padding *p) {
    int size = dtype_table[dt].bytes;
    int64_t used = (p->left + p->right) * size + len, rest = blocks_up(used) - used;
    uint8_t first[8] = {0};
    npu_read(c, from, first, size);
    fill(c, to, p->left, p->value, size);
    npu_move(c, to + p->left * size, from, len);
    fill(c, to + p->left * size + len, p->right, p->value, size);
    fill(c, to + used, rest / size, p->left || p->right ? p->value : first, size);
}

static void pad_in(npu_core *c, const npu_arg *a, bool ext) {
    int64_t count = npu_field(&a[2], 0) & UINT16_MAX, len = npu_field(&a[2], 1) & UINT32_MAX;
    int64_t from_gap = npu_field(&a[2], 2) & UINT32_MAX, to_gap = npu_field(&a[2], 3) & UINT32_MAX;
    dtype dt = a[0].dt;
    padding p = {0};
    if (a[3].kind == NPU_list)
        p = padding_of(c, &a[3], dt, ext);
    int64_t room = blocks_up((p.left + p.right) * dtype_table[dt].bytes + len);
    for (int64_t i = 0; i < count && len; i++)
        piece_in(c, npu_on(a[0].v[0], i * (room + to_gap * BLOCK)),
                 npu_on(a[1].v[0], i * (len + from_gap)), len, dt, &p);
}

static void pad_out(npu_core *c, const npu_arg *a) {
    int64_t len = npu_field(&a[2], 1) & UINT32_MAX;
    npu_move_pieces(c, a[0].v[0], a[1].v[0], npu_field(&a[2], 0), len,
                    npu_field(&a[2], 3) & UINT32_MAX,
                    blocks_up(len) - len + (npu_field(&a[2], 2) & UINT32_MAX) * BLOCK);
}

/* By way of a workspace in global memory: pieces of dst_stride bytes apart, then ND to NZ. */
static void pad_nz(npu_core *c, const npu_arg *a) {
    int64_t len = npu_field(&a[2], 1) & UINT32_MAX;
    npu_pieces in = {.len = len,
                     .step_flat = len + (npu_field(&a[2], 3) & UINT32_MAX),
                     .step_real = blocks_up(len) + (npu_field(&a[2], 2) & UINT32_MAX) * BLOCK};
    if (len)
        npu_copy_nd2nz(c, a[0].v[0], a[1].v[0], a[0].dt, &a[3], &in);
}

/* Forms 0 and 1 of each kind: into local memory, out of it; 2: ND to NZ. */
int64_t npu_data_copy_pad(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    switch (form % 3) {
    case 0: pad_in(c, a, form == 0); break;
    case 1: pad_out(c, a); break;
    default: pad_nz(c, a); break;
    }
    return 0;
}

int64_t npu_set_pad_value(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    c->mv.pad = a[0];
    return 0;
}
