/* What this machine is, asked without LLVM, so that a cached kernel needs none. */
#ifndef DRV_HOST_H
#define DRV_HOST_H
#include <stddef.h>
int host_vector_bytes(void);
int host_pairs(void); /* sums of two products in one instruction: 1 of i16, 2 of bf16 */
void host_key(char *out, size_t size);
#endif
