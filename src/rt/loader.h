/* Puts an ELF64 relocatable object (x86-64 or aarch64), fresh from LLVM or from the cache, in
   place. Everything in it is checked: a damaged object is refused, never followed. */
#ifndef RT_LOADER_H
#define RT_LOADER_H
#include <stddef.h>
typedef struct rt_code rt_code;
/* NULL on failure, with the reason in why[whysize]. Externals come from a fixed table: libm,
 * libmvec, memset, memcpy, memmove. */
rt_code *rt_load(const void *object, size_t size, char *why, size_t whysize);
void *rt_code_symbol(const rt_code *code, const char *name); /* NULL when not there */
void rt_code_free(rt_code *code);
#endif
