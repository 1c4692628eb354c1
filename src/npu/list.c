/* Lists of tensors as the host lays them out: 64 bits with how many bytes stand before the
   addresses; for each tensor 32 bits with its number of dimensions, 32 with its number in the list,
   and 64 for each extent; then the addresses, of the host's memory. */
#include "npu/npu.h"

#define ROW(name) int64_t npu_##name(npu_core *c, const npu_arg *a, int form, int code)

static npu_list_desc *desc_at(npu_core *c, const npu_arg *a) {
    return &c->list[a->v[0] & (NPU_MAX_LISTS - 1)];
}

ROW(list_new) {
    (void)form;
    int64_t i = c->nlists++ & (NPU_MAX_LISTS - 1);
    c->list[i] = (npu_list_desc){.data = code && a[0].kind == NPU_address ? a[0].v[0] : 0};
    return i;
}

static int64_t word(npu_core *c, int64_t addr, int64_t i) {
    int64_t v;
    npu_read(c, addr + 8 * i, &v, 8);
    return v;
}

/* Where the entry of tensor number index is, in words from the list's start; 0: there is none. */
static int64_t entry(npu_core *c, const npu_list_desc *d, int64_t index, int64_t *count) {
    int64_t end = d->data ? word(c, d->data, 0) / 8 : 0, at = 1, k = 0;
    for (; at < end && at < 1 << 16; k++) {
        if (k == index)
            break;
        at += 1 + (int64_t)(uint32_t)word(c, d->data, at);
    }
    if (count)
        *count = k;
    return k == index && at < end ? at : 0;
}

static int64_t pointer(npu_core *c, const npu_list_desc *d, int64_t index) {
    return d->data ? word(c, d->data + word(c, d->data, 0), index) : 0;
}

/* 0: a TensorDesc's place for its extents, 1: a list's data, 2: get_desc */
ROW(list_set) {
    (void)form;
    npu_list_desc *d = desc_at(c, &a[0]);
    if (code == 1)
        d->data = a[1].v[0];
    if (code != 2)
        return 0;
    npu_list_desc *t = desc_at(c, &a[1]);
    int64_t index = npu_int_of(&a[2], 0), at = entry(c, d, index, NULL);
    *t = (npu_list_desc){.index = index};
    if (!at)
        return 0;
    t->dims = (uint32_t)word(c, d->data, at);
    for (int64_t i = 0; i < t->dims && i < 8; i++)
        t->shape[i] = word(c, d->data, at + 1 + i);
    t->pointer = pointer(c, d, index);
    return 0;
}

/* 0 dims, 1 index, 2 extent, 3 address; of a list: 5 address of a tensor, 6 how many there are */
ROW(list_get) {
    (void)form;
    const npu_list_desc *d = desc_at(c, &a[0]);
    int64_t count = 0;
    switch (code) {
    case 0: return d->dims;
    case 1: return d->index;
    case 2: return d->shape[npu_int_of(&a[1], 0) & 7];
    case 3: return d->pointer;
    case 5: return pointer(c, d, npu_int_of(&a[1], 0));
    default: entry(c, d, INT64_MAX, &count); return count;
    }
}
