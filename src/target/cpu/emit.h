#ifndef TARGET_CPU_EMIT_H
#define TARGET_CPU_EMIT_H
#include "target/cpu/llvm.h"
void cpu_emit_function(emit *e);
#endif
