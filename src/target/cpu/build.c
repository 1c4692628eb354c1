/* Module to object code. LLVM is initialised once; each compile has a context of its own, so
 * compiles run in parallel. */
#include "target/cpu/emit.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 1000, /* ops from which on a kernel is large */
    HUGE = 10000, /* ops from which on the register allocator's time, which grows with blocks times
                     live values, would pass all other: the code is half as fast, made in a third */
};

static void init_llvm(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

static int widest(const char *features) {
    return strstr(features, "+avx512f") ? 64 : strstr(features, "+avx2") ? 32 : 16;
}

static void facts(cpu_facts *out) {
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures(),
         *triple = LLVMGetDefaultTargetTriple();
    out->vector_bytes = widest(features);
    snprintf(out->key, sizeof out->key, "%s %s", triple, cpu);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(triple);
}

static LLVMCodeGenOptLevel effort(const emit *e) {
    return !e->large                      ? LLVMCodeGenLevelAggressive
           : ir_count(e->f->body) <= HUGE ? LLVMCodeGenLevelLess
                                          : LLVMCodeGenLevelNone;
}

static LLVMTargetMachineRef machine(LLVMCodeGenOptLevel level, char *cpu, char *features,
                                    char *triple) {
    LLVMTargetRef target;
    char *error = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &error)) {
        LLVMDisposeMessage(error);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC,
                                   LLVMCodeModelSmall);
}

static void text_attr(emit *e, LLVMValueRef fn, const char *name, const char *value) {
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->c, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

static status fault(diag *d, const char *what, char *message) {
    loc none = {0};
    diag_error(d, none, NULL, "LLVM: %s: %s", what, message ? message : "?");
    LLVMDisposeMessage(message);
    return BUG;
}

static status optimize(emit *e, LLVMTargetMachineRef tm, diag *d) {
    char *message = NULL, passes[2048];
    if (LLVMVerifyModule(e->m, LLVMReturnStatusAction, &message))
        return fault(d, "the module is not valid", message);
    LLVMDisposeMessage(message);
    LLVMPassBuilderOptionsRef po = LLVMCreatePassBuilderOptions();
    cpu_pipeline(e, passes, sizeof passes);
    LLVMErrorRef err = LLVMRunPasses(e->m, passes, tm, po);
    int streams = err ? 0 : cpu_place_streams(e);
    const char *next = err ? NULL : cpu_place_variants(e, streams);
    if (next)
        err = LLVMRunPasses(e->m, next, tm, po);
    LLVMDisposePassBuilderOptions(po);
    if (err) {
        char *text = LLVMGetErrorMessage(err);
        return fault(d, "passes", text);
    }
    return OK;
}

static status generate(emit *e, LLVMTargetMachineRef tm, LLVMCodeGenFileType kind, diag *d,
                       void **out, size_t *size) {
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(tm, e->m, kind, &message, &buffer))
        return fault(d, "code generation", message);
    size_t n = LLVMGetBufferSize(buffer);
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, LLVMGetBufferStart(buffer), n);
        copy[n] = 0;
        *out = copy;
        if (size)
            *size = n;
    }
    LLVMDisposeMemoryBuffer(buffer);
    return copy ? OK : OOM;
}

static status emit_all(emit *e, diag *d, void **object, size_t *size, char **llvm_ir,
                       char **assembly) {
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures(),
         *triple = LLVMGetDefaultTargetTriple();
    LLVMTargetMachineRef tm = machine(effort(e), cpu, features, triple);
    status st = tm ? OK : ERR;
    if (tm) {
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
        LLVMSetModuleDataLayout(e->m, layout);
        LLVMSetTarget(e->m, triple);
        LLVMDisposeTargetData(layout);
        e->vector_bytes = widest(features);
        e->avx512 = e->vector_bytes == 64;
        cpu_emit_function(e);
        cpu_keep_variants(e);
        e->o->took(e->o->self, "emit");
        for (LLVMValueRef f = LLVMGetFirstFunction(e->m); f; f = LLVMGetNextFunction(f)) {
            if (LLVMIsDeclaration(f))
                continue;
            text_attr(e, f, "target-cpu", cpu);
            text_attr(e, f, "target-features", features);
            text_attr(e, f, "prefer-vector-width", "512");
            text_attr(e, f, "min-legal-vector-width", "512");
        }
        st = optimize(e, tm, d);
        e->o->took(e->o->self, "optimize");
        if (st == OK && llvm_ir) {
            char *text = LLVMPrintModuleToString(e->m);
            *llvm_ir = strdup(text);
            LLVMDisposeMessage(text);
        }
        if (st == OK && assembly)
            st = generate(e, tm, LLVMAssemblyFile, d, (void **)assembly, NULL);
        if (st == OK)
            st = generate(e, tm, LLVMObjectFile, d, object, size);
        e->o->took(e->o->self, "generate");
        LLVMDisposeTargetMachine(tm);
    }
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(triple);
    return st;
}

static status emit_object(const ir_func *f, const cpu_options *o, diag *d, void **object,
                          size_t *size, char **llvm_ir, char **assembly) {
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* LLVM's own registry is global too */
    pthread_once(&once, init_llvm);
    emit e = {.f = f, .o = o};
    e.large = o->opt_level == 3 && ir_count(f->body) > LARGE;
    e.c = LLVMContextCreate();
    e.m = LLVMModuleCreateWithNameInContext(f->name, e.c);
    e.b = LLVMCreateBuilderInContext(e.c);
    e.allocas = LLVMCreateBuilderInContext(e.c);
    e.i64 = LLVMInt64TypeInContext(e.c);
    e.i8 = LLVMInt8TypeInContext(e.c);
    e.ptr = LLVMPointerTypeInContext(e.c, 0);
    e.vals = ARENA_ARRAY(f->mem, LLVMValueRef, f->nvalues + 1);
    e.dims = ARENA_ARRAY(f->mem, LLVMValueRef *, f->nvalues + 1);
    e.scopes = ARENA_ARRAY(f->mem, LLVMMetadataRef, f->nvalues + 1);
    e.others = ARENA_ARRAY(f->mem, LLVMMetadataRef, f->nvalues + 1);
    status st = emit_all(&e, d, object, size, llvm_ir, assembly);
    LLVMDisposeBuilder(e.b);
    LLVMDisposeBuilder(e.allocas);
    LLVMDisposeModule(e.m);
    LLVMContextDispose(e.c);
    return st;
}

__attribute__((visibility("default"))) const cpu_target *pyasc_cpu_target(void) {
    static const cpu_target target = {facts, emit_object};
    return &target;
}
