/* Copies between global and local memory. */
#include "npu/npu.h"
#include <string.h>

/* bytes from one place to the other; in pieces where one of them ends. */
void npu_move(npu_core *c, int64_t to, int64_t from, int64_t bytes) {
    int64_t have, room;
    if (bytes <= 0)
        return;
    uint8_t *d = npu_at(c, to, bytes, &room);
    const uint8_t *s = npu_at(c, from, bytes, &have);
    if (room > bytes)
        room = bytes;
    if (d && s && have)
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
