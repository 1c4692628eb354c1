/* Copies between global and local memory. */
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

/* bytes from one place to the other; in pieces where one of them ends. */
void npu_move(npu_core *c, int64_t to, int64_t from, int64_t bytes) {
    int64_t have, room;
    if (bytes <= 0)
        return;
    uint8_t *d = npu_at(c, to, bytes, &room);
    const uint8_t *s = npu_at(c, from, bytes, &have);
    if (room > bytes)
        room = bytes;
    if (d && s && have == bytes && room == bytes && is_long(c, to, from, bytes))
        stream(d, s, (size_t)bytes);
    else if (d && s && have)
        memmove(d, s, (size_t)(room < have ? room : have));
    if (d && have < room)
        memset(d + have, 0, (size_t)(room - have));
}

int64_t npu_data_copy(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    if (form == 0) { /* whole blocks */
        int64_t bytes = npu_int_of(&a[2], 0) * dtype_table[a[0].dt].bytes;
        npu_move(c, a[0].v[0], a[1].v[0], bytes & ~INT64_C(31));
        return 0;
    }
    int64_t count = npu_field(&a[2], 0), len = npu_field(&a[2], 1) * 32;
    int64_t from = len + npu_field(&a[2], 2) * 32, to = len + npu_field(&a[2], 3) * 32;
    for (int64_t i = 0; i < count; i++)
        npu_move(c, a[0].v[0] + i * to, a[1].v[0] + i * from, len);
    return 0;
}
