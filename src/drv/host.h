/* What this machine is, asked without LLVM, so that a cached kernel needs none. */
#ifndef DRV_HOST_H
#define DRV_HOST_H
#include <stddef.h>
int host_vector_bytes(void);
void host_key(char *out, size_t size);
#endif
