/* Flags, barriers, masks, and what a core tells of itself. */
#include "npu/half.h"
#include "npu/npu.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

#define ROW(name) int64_t npu_##name(npu_core *c, const npu_arg *a, int form, int code)
#define UNUSED (void)c, (void)a, (void)form, (void)code

/* A core does its operations in the program's order: what a flag orders has happened already, and
   there are no caches to be told of. */
ROW(flag) {
    UNUSED;
    return 0;
}

ROW(constant) {
    UNUSED;
    return code;
}
/* 0: is it a cube core? 1: a vector core? */
ROW(core_kind) {
    UNUSED;
    return (c->mix == 2) != code;
}
/* 0: which of the vector cores of a pair; 1: how many there are. */
ROW(sub_block) {
    UNUSED;
    bool pair = c->mix == 1;
    return code ? 1 + pair : pair ? c->block % 2 : 0;
}
ROW(cycle) {
    UNUSED;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
ROW(line) {
    UNUSED;
    return c->line;
}
ROW(trap) {
    UNUSED;
    return 0;
}

static int64_t *address_at(npu_core *c, const npu_arg *a, int code) {
    return &c->address[code ? 17 : npu_int_of(a, 0) & 15];
}
ROW(address) {
    UNUSED;
    return *address_at(c, a, code);
}
ROW(set_address) {
    UNUSED;
    return *address_at(c, a, code) = a[code ? 0 : 1].v[0];
}

ROW(soc_state) {
    UNUSED;
    c->mask[0] = c->mask[1] = UINT64_MAX;
    if (code == 0)
        c->counter = false;
    return 0;
}
ROW(mask_mode) {
    UNUSED;
    c->counter = code;
    return 0;
}
/* (length, dtype, mode) or (high, low, dtype, mode) */
ROW(set_mask) {
    UNUSED;
    bool counter = npu_int_of(&a[form == 0 ? 2 : 3], 0) == 1;
    int64_t length = npu_int_of(&a[0], 0);
    if (form == 1) {
        c->mask[0] = (uint64_t)npu_int_of(&a[1], 0);
        c->mask[1] = (uint64_t)npu_int_of(&a[0], 0);
    } else if (counter) {
        c->mask[0] = (uint64_t)length;
        c->mask[1] = 0;
    } else
        for (int k = 0; k < 2; k++) {
            int64_t n = length - 64 * k;
            c->mask[k] = n >= 64 ? UINT64_MAX : n <= 0 ? 0 : (UINT64_C(1) << n) - 1;
        }
    return 0;
}

/* Scalars. */

static double rounded(double v, int64_t mode) {
    switch (mode) {
    case 2: return floor(v);
    case 3: return ceil(v);
    case 4: return round(v);
    case 5: return trunc(v);
    default: return rint(v);
    }
}

ROW(scalar_cast) {
    UNUSED;
    double v = npu_number(&a[0]);
    int64_t bits;
    if (a[1].dt == DT_i32) {
        double r = rounded(v, npu_int_of(&a[2], 0));
        return isnan(r) ? 0 : r >= INT32_MAX ? INT32_MAX : r <= INT32_MIN ? INT32_MIN : (int64_t)r;
    }
    v = npu_half_to_float(npu_float_to_half_mode((float)v, (int)npu_int_of(&a[2], 0)));
    memcpy(&bits, &v, 8);
    return bits;
}

ROW(scalar_bits) {
    UNUSED;
    uint64_t v = (uint64_t)npu_int_of(&a[0], 0);
    bool one = code < 2 && npu_int_of(&a[1], 0);
    switch (code) {
    case 0: v = one ? v : ~v; return v ? __builtin_ctzll(v) : -1;
    case 1: return __builtin_popcountll(one ? v : ~v);
    case 2: return v ? __builtin_clzll(v) : 64;
    default: v ^= (uint64_t)((int64_t)v >> 63); return v ? __builtin_clzll(v) - 1 : -1;
    }
}

/* Debug output. */

/* 0: dump_tensor(t, desc, n), 1: dump_acc_chk_point(t, index, offset, n), 2: t.print(n) */
ROW(dump) {
    UNUSED;
    int64_t n = npu_int_of(&a[code == 0   ? 2
                              : code == 1 ? 3
                                          : 1],
                           0),
            at = code == 1 ? npu_int_of(&a[2], 0) : 0;
    int size = dtype_table[a[0].dt].bytes;
    flockfile(stdout);
    if (code < 2)
        printf("DumpTensor: desc=%lld, dtype=%s, core=%lld, line=%lld: [",
               (long long)npu_int_of(&a[1], 0), dtype_names[a[0].dt], (long long)c->block,
               (long long)c->line);
    else
        printf("[");
    for (int64_t i = 0; i < n && i < 1 << 18; i++) {
        uint8_t raw[8];
        npu_read(c, a[0].v[0] + (at + i) * size, raw, size);
        if (dtype_is_float(a[0].dt))
            printf("%s%.9g", i ? ", " : "", npu_load_float(a[0].dt, raw));
        else
            printf("%s%lld", i ? ", " : "", (long long)npu_load_int(a[0].dt, raw));
    }
    printf("]\n");
    funlockfile(stdout);
    return 0;
}

ROW(stamp) {
    UNUSED;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    printf("TimeStamp: desc=%lld, core=%lld, line=%lld: %lld ns\n", (long long)npu_int_of(&a[0], 0),
           (long long)c->block, (long long)c->line, (long long)t.tv_sec * 1000000000 + t.tv_nsec);
    return 0;
}
