#ifndef TARGET_CPU_EMIT_H
#define TARGET_CPU_EMIT_H
#include "target/cpu/llvm.h"
void cpu_emit_function(emit *e);
void cpu_pipeline(const emit *e, char *out, size_t size); /* LLVM's passes for it, as text */
#endif
