/* Cutting a product of matrices for the cores and the memories of each: asc.lib.host. */
#ifndef NPU_TILING_H
#define NPU_TILING_H
#include <stdbool.h>
#include <stdint.h>

typedef struct {
#define TILING(name, first) int64_t name;
#include "npu/tiling.def"
#undef TILING
} npu_tiling;

enum { NPU_TILING_FIELDS = 49 }; /* of TCubeTiling */
/* False: it cannot be done. cores: all, along m, along n, and of a batch's two sides. */
bool npu_tiling_cut(const npu_tiling *in, int64_t out[NPU_TILING_FIELDS], int64_t cores[5]);
#endif
