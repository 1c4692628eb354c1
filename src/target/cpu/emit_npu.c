/* Operations of package asc: a call of the AI-core model. What is known when the kernel is compiled
   (row, form, kinds and dtypes) is a constant of the module. */
#include "base/asc.h"
#include "npu/npu.h"
#include "target/cpu/llvm.h"

static LLVMValueRef constant_words(emit *e, const int64_t *w, unsigned n) {
    LLVMValueRef *v = ARENA_ARRAY(e->f->mem, LLVMValueRef, n);
    for (unsigned i = 0; i < n; i++)
        v[i] = cpu_i64(e, w[i]);
    LLVMTypeRef t = LLVMArrayType(e->i64, n);
    LLVMValueRef g = LLVMAddGlobal(e->m, t, "tags");
    LLVMSetInitializer(g, LLVMConstArray(e->i64, v, n));
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

/* An array: where it is, and its bytes. */
static int put_buffer(emit *e, const ir_value *t, LLVMValueRef *words) {
    LLVMValueRef size = cpu_i64(e, dtype_table[t->type.dt].bytes);
    for (int d = 0; d < t->type.rank; d++)
        size = LLVMBuildMul(e->b, size, e->dims[t->id][d], "");
    words[0] = LLVMBuildPtrToInt(e->b, e->vals[t->id], e->i64, "");
    words[1] = size;
    return 2;
}

void cpu_emit_npu(emit *e, const ir_op *op) {
    unsigned ntags = (unsigned)op->attr[1].i, n = 0;
    int64_t *tags = ARENA_ARRAY(e->f->mem, int64_t, ntags + 1);
    tags[0] = asc_find(op->attr[0].s);
    for (unsigned i = 0, k = 0; i < ntags; i++) {
        int64_t t = tags[1 + i] = op->attr[1].v[i];
        if (i < 2) /* form, line */
            continue;
        if ((t & 255) == NPU_number)
            tags[1 + i] = dtype_is_float((dtype)op->in[k]->type.dt) ? NPU_float : NPU_int;
        k += (unsigned)npu_values(t);
    }
    LLVMValueRef *words = ARENA_ARRAY(e->f->mem, LLVMValueRef, 2u * op->nin + 1);
    for (int i = 0; i < op->nin; i++) {
        const ir_value *v = op->in[i];
        if (v->type.kind == TY_tensor)
            n += (unsigned)put_buffer(e, v, words + n);
        else
            words[n++] = cpu_slot(e, v->type, e->vals[v->id]);
    }
    LLVMValueRef buf = cpu_alloca(e, LLVMArrayType(e->i64, n + 1), "words");
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef k = cpu_i64(e, i);
        LLVMBuildStore(e->b, words[i], LLVMBuildInBoundsGEP2(e->b, e->i64, buf, &k, 1, ""));
    }
    LLVMTypeRef params[2] = {e->ptr, e->ptr}, ft = LLVMFunctionType(e->i64, params, 2, 0);
    LLVMValueRef f = LLVMGetNamedFunction(e->m, "pyasc_npu"),
                 a[2] = {constant_words(e, tags, ntags + 1), buf};
    if (!f) {
        f = LLVMAddFunction(e->m, "pyasc_npu", ft);
        cpu_attribute(e, f, "nounwind", 0);
    }
    LLVMValueRef r = LLVMBuildCall2(e->b, ft, f, a, 2, "");
    if (!op->nout)
        return;
    bool fl = dtype_is_float((dtype)op->out[0]->type.dt);
    e->vals[op->out[0]->id] = fl ? LLVMBuildBitCast(e->b, r, LLVMDoubleTypeInContext(e->c), "") : r;
}
