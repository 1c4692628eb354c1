/* The CPU target: IR (stage cpu) -> object code, through llvm-c. Built as a library of its own,
   pyasc/_llvm.so, loaded with dlopen(RTLD_LOCAL) on the first compile; its one exported symbol is
   `pyasc_cpu_target`. */
#ifndef TARGET_CPU_CPU_H
#define TARGET_CPU_CPU_H
#include "ir/ir.h"

typedef struct {
    int vector_bytes; /* 64, 32, 16 */
    char key[512];    /* triple, cpu and features: part of the cache key */
} cpu_facts;

typedef struct {
    int alias;                                   /* 1: arguments may overlap, assume nothing */
    int opt_level;                               /* 3 */
    void (*took)(void *self, const char *stage); /* told of each stage's end */
    void *self;
} cpu_options;

typedef struct {
    void (*facts)(cpu_facts *out);
    /* object is malloc'ed. llvm_ir and assembly: when not NULL, malloc'ed text (the caller frees).
     */
    status (*emit)(const ir_func *f, const cpu_options *o, diag *d, void **object, size_t *size,
                   char **llvm_ir, char **assembly);
} cpu_target;
const cpu_target *pyasc_cpu_target(void);
#endif
