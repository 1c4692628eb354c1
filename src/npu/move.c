/* Copies between global and local memory. */
#include "npu/lanes.h"
#include "npu/npu.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A long copy to an array that no cache holds: around the caches, so that its lines are not read
   before they are written. */
static void stream(uint8_t *d, const uint8_t *s, size_t n) {
#ifdef __SSE2__
    size_t head = (16 - (uintptr_t)d % 16) % 16;
    memcpy(d, s, head);
    for (d += head, s += head, n -= head; n >= 16; d += 16, s += 16, n -= 16)
        _mm_stream_si128((__m128i *)(void *)d, _mm_loadu_si128((const __m128i *)(const void *)s));
    memcpy(d, s, n);
    _mm_sfence();
#else
    memcpy(d, s, n);
#endif
}
enum { STREAM_ARRAY = 16 << 20, STREAM_LEAST = 1024 };

static bool is_long(const npu_core *c, int64_t to, int64_t from, int64_t bytes) {
    int k = npu_space(to) - NPU_ARG, local = npu_space(from);
    return k >= 0 && k < c->nargs && c->arg[k].bytes >= STREAM_ARRAY && bytes >= STREAM_LEAST &&
           local > 0 && local < NPU_ARG;
}

static bool is_combining(const npu_core *c, int64_t to) {
    int space = npu_space(to);
    return c->mv.atomic && (space == NPU_GM_HOST || space >= NPU_ARG);
}

/* bytes from one place to the other; in pieces where one of them ends. */
void npu_move(npu_core *c, int64_t to, int64_t from, int64_t bytes) {
    int64_t have, room;
    if (bytes <= 0)
        return;
    uint8_t *d = npu_at(c, to, bytes, &room);
    const uint8_t *s = npu_at(c, from, bytes, &have);
    if (room > bytes)
        room = bytes;
    if (is_combining(c, to)) {
        int64_t n = room < have ? room : have, size = dtype_table[c->mv.atomic_dt].bytes;
        if (d && s)
            npu_combine(c->mv.atomic_dt, c->mv.atomic_op, d, s, n / size);
        return;
    }
    if (d && s && have == bytes && room == bytes && is_long(c, to, from, bytes))
        stream(d, s, (size_t)bytes);
    else if (d && s && have)
        memmove(d, s, (size_t)(room < have ? room : have));
    if (d && have < room)
        memset(d + have, 0, (size_t)(room - have));
}

void npu_put(npu_core *c, int64_t to, const void *in, int64_t bytes) {
    int64_t room;
    uint8_t *d = npu_at(c, to, bytes, &room);
    if (!is_combining(c, to))
        npu_write(c, to, in, bytes);
    else if (d)
        npu_combine(c->mv.atomic_dt, c->mv.atomic_op, d, in,
                    room / dtype_table[c->mv.atomic_dt].bytes);
}

/* Pieces with gaps between them, all in bytes. */
void npu_move_pieces(npu_core *c, int64_t to, int64_t from, int64_t count, int64_t len,
                     int64_t to_gap, int64_t from_gap) {
    count = len <= 0 ? 0 : count & UINT16_MAX;
    for (int64_t i = 0; i < count; i++)
        npu_move(c, npu_on(to, i * (len + to_gap)), npu_on(from, i * (len + from_gap)), len);
}

static void copy_blocks(npu_core *c, const npu_arg *a) {
    const npu_arg *p = &a[2];
    int64_t len = npu_field(p, 1) & UINT16_MAX, to_gap = npu_field(p, 3) & UINT16_MAX;
    npu_move_pieces(c, a[0].v[0], a[1].v[0], npu_field(p, 0), len * 32, to_gap * 32,
                    (npu_field(p, 2) & UINT16_MAX) * 32);
}

int64_t npu_data_copy(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    switch (form) {
    case 0: { /* whole blocks */
        int64_t bytes = (npu_int_of(&a[2], 0) & UINT32_MAX) * dtype_table[a[0].dt].bytes;
        npu_move(c, a[0].v[0], a[1].v[0], bytes & ~INT64_C(31));
        break;
    }
    case 1:
    case 2:
        if (a[3].kind == NPU_list)
            npu_copy_enhanced(c, a);
        else
            copy_blocks(c, a);
        break;
    case 3: npu_copy_slices(c, a); break;
    case 4: npu_copy_nd2nz(c, a[0].v[0], a[1].v[0], a[0].dt, &a[2], NULL); break;
    case 5: npu_copy_nz2nd(c, a); break;
    default: npu_copy_co1(c, a); break;
    }
    return 0;
}

/* copy(): a vector instruction that moves bits. */
#define BITS(T)                                                                                    \
    static void bits_##T(void *d, const void *const *s, const npu_arg *x, int64_t n) {             \
        (void)x;                                                                                   \
        memmove(d, s[0], (size_t)n * sizeof(T));                                                   \
    }
BITS(uint8_t)
BITS(uint16_t)
BITS(uint32_t)
BITS(uint64_t)

int64_t npu_copy(npu_core *c, const npu_arg *a, int form, int code) {
    static npu_loop *const loops[] = {
        [1] = bits_uint8_t, [2] = bits_uint16_t, [4] = bits_uint32_t, [8] = bits_uint64_t};
    npu_vector v = {.loop = loops[dtype_table[a[0].dt].bytes], .n = 2};
    bool set = a[5].kind == NPU_absent || npu_int_of(&a[5], 1);
    (void)form;
    (void)code;
    for (uint32_t i = 0; i < 2; i++)
        v.o[i] = (npu_operand){.addr = a[i].v[0],
                               .dt = a[0].dt,
                               .blk = npu_field(&a[4], i) & UINT16_MAX,
                               .rep = npu_field(&a[4], i + 2) & UINT16_MAX};
    npu_repeat(c, &v, set ? &a[2] : NULL, npu_int_of(&a[3], 0));
    return 0;
}
