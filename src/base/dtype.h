#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H
#include <stdbool.h>
#include <stdint.h>

typedef enum {
#define DTYPE(name, bytes, cls, rank) DT_##name,
#include "base/dtype.def"
#undef DTYPE
    DT_COUNT
} dtype;

typedef struct {
    const char *name;
    uint8_t bytes;
    char cls; /* 'B' 'I' 'U' 'F' */
    uint8_t rank;
} dtype_info;

extern const dtype_info dtype_table[DT_COUNT];
extern const char *const dtype_names[DT_COUNT]; /* as users write them */
int dtype_from_name(const char *name); /* -1 when unknown; knows "f32" and "float32" alike */
static inline bool dtype_is_float(dtype t) { return dtype_table[t].cls == 'F'; }
static inline bool dtype_is_int(dtype t) {
    return dtype_table[t].cls == 'I' || dtype_table[t].cls == 'U';
}
static inline bool dtype_is_weak(dtype t) { return t == DT_wint || t == DT_wflt; }

/* The type in which an operation on a and b computes (spec section 5): small ints widen to i32,
   halves to f32, ints never widen floats, weak gives way. */
dtype dtype_join(dtype a, dtype b);
/* The arithmetic type of one operand: i8..u16 -> i32, f16, bf16 -> f32, bool -> i64. */
dtype dtype_compute(dtype a);
#endif
