/* Shared by the CPU target's files: the state of one emission and short names for llvm-c. */
#ifndef TARGET_CPU_LLVM_H
#define TARGET_CPU_LLVM_H
#include "target/cpu/cpu.h"
#include <llvm-c/Core.h>

typedef struct label {
    int64_t id;
    LLVMBasicBlockRef end;
    LLVMValueRef *results;
    struct label *outer;
} label;

typedef struct {
    const ir_func *f;
    const cpu_options *o;
    LLVMContextRef c;
    LLVMModuleRef m;
    LLVMBuilderRef b, allocas;
    LLVMValueRef fn, args, launch, scratch;
    LLVMValueRef credit;       /* alloca: rounds of loops until the next poll, */
    LLVMValueRef granted;      /* of so many that the last one gave */
    LLVMBasicBlockRef stopped; /* where a poll goes that says stop; made when needed */
    LLVMValueRef *vals;  /* by value id: SSA value, or a cell's alloca, or a tensor's address */
    LLVMValueRef **dims; /* by value id, tensors: extents then strides in bytes */
    LLVMValueRef block[3], lo[3], n[3];
    LLVMMetadataRef
        *scopes; /* by value id, tensors: alias scope, and the list of those apart from it */
    LLVMMetadataRef *others;
    label *labels;
    LLVMTypeRef i64, i8, ptr;
    bool ended;          /* the current block has its terminator */
    LLVMValueRef number; /* of the block, or NULL */
    struct tmp *tmps;    /* memory to be freed at the function's end */
    int vector_bytes;    /* of the machine */
    bool avx512;
    bool inside; /* of a function that cpu_variant made */
    struct variants *variants;
    bool large; /* so much code that LLVM's time matters more than the code's */
} emit;

typedef struct tmp {
    LLVMValueRef p;
    struct tmp *next;
} tmp;

LLVMTypeRef cpu_scalar(emit *e, dtype dt);
LLVMTypeRef cpu_type(emit *e, ir_type t);
LLVMValueRef cpu_i64(emit *e, int64_t v);
LLVMValueRef cpu_call(emit *e, const char *name, LLVMTypeRef ret, LLVMValueRef *args, unsigned n);
LLVMValueRef cpu_intrinsic(emit *e, const char *name, LLVMTypeRef *over, unsigned nover,
                           LLVMValueRef *args, unsigned n);
LLVMValueRef cpu_splat(emit *e, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef cpu_fconst(emit *e, LLVMTypeRef t, double v);
LLVMValueRef cpu_iconst(emit *e, LLVMTypeRef t, int64_t v);
void cpu_alias_scopes(emit *e);
LLVMBasicBlockRef cpu_block(emit *e, const char *name);
LLVMValueRef cpu_alloca(emit *e, LLVMTypeRef t, const char *name);
void cpu_emit_value(emit *e, const ir_op *op); /* arithmetic, constants, casts, vectors */
LLVMValueRef cpu_value(emit *e, const ir_op *op);
LLVMValueRef cpu_once(emit *e, const ir_op *op); /* NULL: in place */
LLVMValueRef cpu_floor_div(emit *e, ir_type t, LLVMValueRef a, LLVMValueRef b, bool want_mod);
LLVMValueRef cpu_math(emit *e, int code, ir_type t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cpu_library(emit *e, int code, ir_type t, LLVMValueRef *a,
                         unsigned n); /* libm, libmvec */
LLVMValueRef cpu_pow_f32(emit *e, ir_type t, LLVMValueRef x, LLVMValueRef y);
/* Calls that become vectors with their loop (NULL: in place). */
LLVMValueRef cpu_variant(emit *e, int code, ir_type t, LLVMValueRef *a, unsigned nargs);
LLVMValueRef cpu_library_variant(emit *e, const char *symbol, ir_type t, LLVMValueRef *a,
                                 unsigned nargs);
void cpu_keep_variants(emit *e);
const char *cpu_place_variants(emit *e, int streams);
void cpu_mark_streams(emit *e);
int cpu_place_streams(emit *e);
LLVMValueRef cpu_table_erf(emit *e, ir_type t, LLVMValueRef x);
LLVMValueRef cpu_poly(emit *e, int code, ir_type t, LLVMValueRef x); /* NULL: not one of them */
void cpu_emit_region(emit *e, const ir_region *r, LLVMValueRef *results, LLVMBasicBlockRef end);
void cpu_attribute(emit *e, LLVMValueRef f, const char *name, uint64_t v);
void cpu_open(emit *e,
              LLVMValueRef fn); /* begins a function's body; its parameters are a kernel's */
void cpu_close(emit *e);
bool cpu_emit_beside(emit *e, const ir_op *op); /* parallel, task, pipeline, locks, hints */
void cpu_poll(emit *e);
bool cpu_emit_memory(emit *e, const ir_op *op);
void cpu_emit_npu(emit *e, const ir_op *op);   /* emit_npu.c */
bool cpu_emit_check(emit *e, const ir_op *op); /* exceptions, races, overflow */
LLVMValueRef cpu_address(emit *e, const ir_op *op, int from, int64_t plain);
LLVMValueRef cpu_slot(emit *e, ir_type t, LLVMValueRef v); /* as a kernel argument's slot */
LLVMValueRef cpu_slots(emit *e, const ir_op *op, int first, int n);
LLVMBasicBlockRef cpu_stopped(emit *e);
void cpu_tmp_dims(emit *e, const ir_op *op);
void cpu_free_tmps(emit *e);
void cpu_fast(LLVMValueRef v);
#endif
