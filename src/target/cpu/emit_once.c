/* A large kernel has the long operations on vectors (integer division by lanes, polynomials) once,
   in functions of their own: what LLVM takes grows with the code, and faster than it. */
#include "target/cpu/llvm.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The number that all lanes of v are, if it is known. */
static bool constant(const ir_value *v, int64_t *out) {
    const ir_op *op = v->def;
    if (op && op->code == OP_splat)
        op = op->in[0]->def;
    if (op && op->code == OP_iconst)
        *out = op->attr[0].i;
    return op && op->code == OP_iconst;
}

static bool is_division(const ir_op *op) { return op->code == OP_floordiv || op->code == OP_mod; }

static bool is_long(const ir_op *op) {
    int64_t k;
    if (op->out[0]->type.lanes == 1)
        return false;
    if (is_division(op) && constant(op->in[1], &k))
        return k <= 0 || (k & (k - 1)); /* else a shift or a mask */
    return is_division(op) || op->code == OP_pow || op->code == OP_atan2 ||
           (op->code >= OP_exp && op->code <= OP_sigmoid && op->code != OP_sqrt);
}

/* The function's body, with op's operands as its parameters: a known divisor stays one. */
static void fill(emit *e, const ir_op *op, LLVMValueRef fn, bool known) {
    const emit saved = *e;
    LLVMValueRef outer[2];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    for (int i = 0; i < op->nin; i++)
        outer[i] = e->vals[op->in[i]->id];
    e->fn = fn;
    e->allocas = LLVMCreateBuilderInContext(e->c);
    LLVMPositionBuilderAtEnd(e->allocas, cpu_block(e, "entry"));
    LLVMBasicBlockRef start = cpu_block(e, "start");
    LLVMPositionBuilderAtEnd(e->b, start);
    for (int i = 0; i < op->nin; i++)
        if (!i || !known)
            e->vals[op->in[i]->id] = LLVMGetParam(fn, (unsigned)i);
    LLVMBuildRet(e->b, cpu_value(e, op));
    LLVMBuildBr(e->allocas, start);
    LLVMDisposeBuilder(e->allocas);
    *e = saved;
    for (int i = 0; i < op->nin; i++)
        e->vals[op->in[i]->id] = outer[i];
    LLVMPositionBuilderAtEnd(e->b, here);
}

LLVMValueRef cpu_once(emit *e, const ir_op *op) {
    char name[96], divisor[32] = "";
    int64_t k = 0;
    if (!e->large || !is_long(op))
        return NULL;
    bool known = is_division(op) && constant(op->in[1], &k);
    if (known)
        snprintf(divisor, sizeof divisor, ".%" PRId64, k);
    ir_type t = op->in[0]->type;
    snprintf(name, sizeof name, "%s.%sx%d%s", ir_ops[op->code].name, dtype_table[t.dt].name,
             t.lanes, divisor);
    LLVMValueRef fn = LLVMGetNamedFunction(e->m, name), args[2];
    LLVMTypeRef params[2];
    for (int i = 0; i < op->nin; i++) {
        args[i] = e->vals[op->in[i]->id];
        params[i] = LLVMTypeOf(args[i]);
    }
    unsigned n = known ? 1 : op->nin;
    LLVMTypeRef ft = LLVMFunctionType(cpu_type(e, op->out[0]->type), params, n, 0);
    if (!fn) {
        static const char *const attributes[] = {"nounwind", "willreturn", "memory", "noinline"};
        fn = LLVMAddFunction(e->m, name, ft);
        LLVMSetLinkage(fn, LLVMInternalLinkage);
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            cpu_attribute(e, fn, attributes[i], 0);
        fill(e, op, fn, known);
    }
    return LLVMBuildCall2(e->b, ft, fn, args, n, "");
}
