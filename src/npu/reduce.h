/* Codes of the reductions. */
#ifndef NPU_REDUCE_H
#define NPU_REDUCE_H
enum { NPU_sum, NPU_most, NPU_least };
#endif
