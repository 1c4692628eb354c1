/* Functions that loops call one element at a time. LLVM's loop vectoriser knows neither a branch
   (sin of huge arguments) nor a table, so such a function is called, and the call says which
   functions do the same for 8 or 16 elements. Those of ours are laid out in place after the loops
   have become vectors. */
#include "target/cpu/llvm.h"
#include <stdio.h>
#include <string.h>

#define PREFIX "pyasc_of_"
enum { MAX_USED = 256 };
struct variants {
    LLVMValueRef used[MAX_USED]; /* what must stay until the loops are vectors */
    unsigned n;
};

static LLVMTypeRef function_type(emit *e, ir_type t, unsigned nargs) {
    LLVMTypeRef ty = cpu_type(e, t), params[2] = {ty, ty};
    return LLVMFunctionType(ty, params, nargs, 0);
}

static LLVMValueRef declare(emit *e, const char *name, ir_type t, unsigned nargs) {
    static const char *const attributes[] = {"nounwind", "willreturn", "memory", "speculatable"};
    LLVMValueRef fn = LLVMAddFunction(e->m, name, function_type(e, t, nargs));
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        cpu_attribute(e, fn, attributes[i], 0);
    return fn;
}

static void fill(emit *e, LLVMValueRef fn, int code, ir_type t, unsigned nargs) {
    const emit saved = *e;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cpu_attribute(e, fn, "noinline", 0);
    e->fn = fn;
    e->inside = true;
    e->allocas = LLVMCreateBuilderInContext(e->c);
    LLVMPositionBuilderAtEnd(e->allocas, cpu_block(e, "entry"));
    LLVMBasicBlockRef start = cpu_block(e, "start");
    LLVMPositionBuilderAtEnd(e->b, start);
    LLVMBuildRet(e->b,
                 cpu_math(e, code, t, LLVMGetParam(fn, 0), nargs > 1 ? LLVMGetParam(fn, 1) : NULL));
    LLVMBuildBr(e->allocas, start);
    LLVMDisposeBuilder(e->allocas);
    *e = saved;
    LLVMPositionBuilderAtEnd(e->b, here);
}

/* The first passes leave this function as it is, though perhaps nothing calls it. */
static void keep(emit *e, LLVMValueRef fn) {
    if (!e->variants)
        e->variants = ARENA_NEW(e->f->mem, struct variants);
    if (e->variants->n < MAX_USED)
        e->variants->used[e->variants->n++] = fn;
}

/* "_ZGV_LLVM_N16v_f(g)": g is 16 elements of f at a time. */
static void say(char *text, size_t size, unsigned lanes, unsigned nargs, const char *scalar,
                const char *vector) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s_ZGV_LLVM_N%u%s_%s(%s)", n ? "," : "", lanes,
             nargs > 1 ? "vv" : "v", scalar, vector);
}

static LLVMValueRef call(emit *e, LLVMValueRef fn, ir_type t, LLVMValueRef *a, unsigned nargs,
                         const char *text) {
    LLVMValueRef c = LLVMBuildCall2(e->b, function_type(e, t, nargs), fn, a, nargs, "");
    LLVMAddCallSiteAttribute(c, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateStringAttribute(e->c, "vector-function-abi-variant", 27,
                                                       text, (unsigned)strlen(text)));
    return c;
}

static bool wanted(const emit *e, ir_type t) {
    return t.lanes == 1 && !e->inside && !e->large && e->vector_bytes >= 32;
}

LLVMValueRef cpu_variant(emit *e, int code, ir_type t, LLVMValueRef *a, unsigned nargs) {
    char scalar[48], vector[64], text[256] = "";
    bool ours = code == OP_erf || code == OP_sin || code == OP_cos || code == OP_pow;
    if (!ours || t.dt != DT_f32 || !wanted(e, t))
        return NULL;
    snprintf(scalar, sizeof scalar, PREFIX "%s", ir_ops[code].name);
    LLVMValueRef fn = LLVMGetNamedFunction(e->m, scalar);
    bool there = fn;
    if (!there) {
        fill(e, fn = declare(e, scalar, t, nargs), code, t, nargs);
        keep(e, fn); /* with all its parameters, known or not */
    }
    for (unsigned lanes = (unsigned)e->vector_bytes / 4; lanes >= 8; lanes /= 2) {
        ir_type v = ir_val(DT_f32, lanes);
        snprintf(vector, sizeof vector, "%s_%u", scalar, lanes);
        say(text, sizeof text, lanes, nargs, scalar, vector);
        if (there)
            continue;
        LLVMValueRef many = declare(e, vector, v, nargs);
        fill(e, many, code, v, nargs);
        keep(e, many);
    }
    return call(e, fn, t, a, nargs, text);
}

/* The same of a function of libm that libmvec has: its vectors stay calls. */
LLVMValueRef cpu_library_variant(emit *e, const char *symbol, ir_type t, LLVMValueRef *a,
                                 unsigned nargs) {
    char vector[64], text[256] = "";
    if (!wanted(e, t))
        return NULL;
    LLVMValueRef fn = LLVMGetNamedFunction(e->m, symbol);
    if (!fn)
        fn = declare(e, symbol, t, nargs);
    for (int bytes = e->vector_bytes; bytes >= 32; bytes /= 2) {
        unsigned lanes = (unsigned)bytes / dtype_table[t.dt].bytes;
        snprintf(vector, sizeof vector, "_ZGV%cN%u%s_%s", bytes == 64 ? 'e' : 'd', lanes,
                 nargs > 1 ? "vv" : "v", symbol);
        say(text, sizeof text, lanes, nargs, symbol, vector);
        if (!LLVMGetNamedFunction(e->m, vector))
            keep(e, declare(e, vector, ir_val((dtype)t.dt, lanes), nargs));
    }
    return call(e, fn, t, a, nargs, text);
}

void cpu_keep_variants(emit *e) {
    if (!e->variants)
        return;
    LLVMTypeRef t = LLVMArrayType2(e->ptr, e->variants->n);
    LLVMValueRef g = LLVMAddGlobal(e->m, t, "llvm.compiler.used");
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetSection(g, "llvm.metadata");
    LLVMSetInitializer(g, LLVMConstArray2(e->ptr, e->variants->used, e->variants->n));
}

/* The passes to run next, or NULL: none. */
const char *cpu_place_variants(emit *e, int streams) {
    if (!e->variants)
        return streams ? "always-inline,globaldce,function(simplifycfg)" : NULL;
    LLVMDeleteGlobal(LLVMGetNamedGlobal(e->m, "llvm.compiler.used"));
    unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
    for (LLVMValueRef f = LLVMGetFirstFunction(e->m); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        if (LLVMIsDeclaration(f) || strncmp(LLVMGetValueName2(f, &n), PREFIX, strlen(PREFIX)))
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, never);
        cpu_attribute(e, f, "alwaysinline", 0);
    }
    return "always-inline,globaldce,function(sroa,instcombine<no-verify-fixpoint>,early-cse<memssa>"
           ","
           "simplifycfg,loop-mssa(licm))";
}
