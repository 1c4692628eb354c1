/* front IR -> passes -> target -> loaded code, through the disk cache: one function. */
#ifndef DRV_COMPILE_H
#define DRV_COMPILE_H
#include "front/front.h"
#include "ir/ir.h"
#include "rt/cache.h"
#include "rt/kernel.h"
#include "rt/loader.h"

/* Arguments in memory: disjoint; the same array or disjoint, work-items apart; anything, run in
 * order on one lane. */
enum { ALIAS_none, ALIAS_same, ALIAS_any };

typedef struct {
    const char *cache_dir; /* NULL: none */
    const char *llvm_path; /* path of _llvm.so */
    const char *build;     /* tells one build of the compiler from another: part of the cache key */
    const char *dump_dir;  /* NULL: none */
    int64_t cache_bytes;
    int alias, opt_level, fastmath, verify;
    int64_t block[3];  /* of the launch: whole blocks of that shape alone; 0: of any */
    int64_t size[3];   /* pass_options.block */
    bool time;         /* what each stage took, to stderr */
    const char *stage; /* compile to text only: after this pass ("front", "infer", ..., "final"), or
                          "llvm", "asm" */
    front_print
        *prints; /* their values' types are filled in; kernels that print are not kept on disk */
} drv_options;

typedef struct {
    rt_code *code;
    rt_entry entry;
    rt_meta meta;
    char *text; /* malloc'ed, when a stage was asked for */
    int from_cache;
} drv_result;
/* f is the front stage's function and is consumed. */
status drv_compile(ir_func *f, const drv_options *o, diag *d, drv_result *out);
#endif
