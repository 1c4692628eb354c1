/* The dtype table and the numeric lattice of spec section 5. */
#include "base/dtype.h"
#include <string.h>

#define CLASS_B 'B'
#define CLASS_I 'I'
#define CLASS_U 'U'
#define CLASS_F 'F'
const dtype_info dtype_table[DT_COUNT] = {
#define DTYPE(name, bytes, cls, rank) {#name, bytes, CLASS_##cls, rank},
#include "base/dtype.def"
#undef DTYPE
};

const char *const dtype_names[DT_COUNT] = {
    [DT_bool] = "bool",   [DT_i8] = "int8",     [DT_i16] = "int16",     [DT_i32] = "int32",
    [DT_i64] = "int64",   [DT_u8] = "uint8",    [DT_u16] = "uint16",    [DT_u32] = "uint32",
    [DT_u64] = "uint64",  [DT_f16] = "float16", [DT_bf16] = "bfloat16", [DT_f32] = "float32",
    [DT_f64] = "float64", [DT_wint] = "int",    [DT_wflt] = "float"};

int dtype_from_name(const char *name) {
    if (!strcmp(name, "bool_"))
        return DT_bool;
    for (int i = 0; i < DT_COUNT; i++)
        if (!strcmp(name, dtype_table[i].name) || (i < DT_wint && !strcmp(name, dtype_names[i])))
            return i;
    return -1;
}

dtype dtype_compute(dtype a) {
    switch (a) {
    case DT_bool: return DT_i64;
    case DT_i8:
    case DT_i16:
    case DT_u8:
    case DT_u16: return DT_i32;
    case DT_f16:
    case DT_bf16: return DT_f32;
    default: return a;
    }
}

static dtype join_ints(dtype a, dtype b) {
    if (a == b)
        return a;
    if (a == DT_u64 || b == DT_u64)
        return DT_u64;
    if (a == DT_i64 || b == DT_i64)
        return DT_i64;
    return DT_i64; /* i32 with u32 */
}

dtype dtype_join(dtype a, dtype b) {
    if (a == DT_bool && b != DT_bool)
        return dtype_join(b, a);
    a = dtype_compute(a);
    if (b == DT_bool)
        return a == DT_wint ? DT_i64 : a;
    b = dtype_compute(b);
    bool fa = dtype_is_float(a), fb = dtype_is_float(b);
    if (a == DT_wint)
        return b;
    if (b == DT_wint)
        return a;
    if (fa && fb)
        return a == DT_wflt ? b : b == DT_wflt ? a : a == DT_f64 || b == DT_f64 ? DT_f64 : DT_f32;
    if (fa || fb)
        return a == DT_wflt || b == DT_wflt ? DT_f32 : fa ? a : b;
    return join_ints(a, b);
}
