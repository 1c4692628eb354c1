/* Stores beside the caches. A plain store reads its line first, so a map over more than the caches
   hold moves half as much again. Where a kernel stores each element of a tensor once and reads
   none, its vector stores become non-temporal, if the tensor is large and the address aligned: both
   are looked at while it runs. That is done after LLVM has made the vectors: the stores are known
   by their alias scope. */
#include "target/cpu/llvm.h"
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MARK "pyasc_streams"
enum {
    DEPTH = 12,       /* of the arithmetic in a subscript that is looked through */
    CACHE = 32 << 20, /* the share of one processor at most: some machines tell the sum of all */
    LEAST_ROW = 256,  /* elements: shorter rows have too many ends, lines stored in part */
};

/* Also by way of where a loop begins: `spread` cuts a loop into pieces, each with a loop of its
 * own. */
static bool depends(const ir_value *v, const ir_value *on, int depth) {
    if (v == on)
        return true;
    const ir_op *d = v->def, *loop = v->region ? v->region->owner : NULL;
    if (depth && loop && loop->code == OP_for && v == v->region->args[0])
        return depends(loop->in[0], on, depth - 1);
    if (!d || !depth || d->nreg)
        return false;
    for (int i = 0; i < d->nin; i++)
        if (depends(d->in[i], on, depth - 1))
            return true;
    return false;
}

static bool leads_on(const ir_op *store, const ir_op *loop, int from) {
    for (int i = from; i < store->nin; i++)
        for (uint32_t k = 0; k < loop->reg[0]->nargs && k < 3; k++)
            if (depends(store->in[i], loop->reg[0]->args[k], DEPTH))
                return true;
    return false;
}

/* Does each loop around the store lead to other elements, the innermost to the next ones? Of
   work-items: the loops are those over the dimensions of a block, and no others. */
static bool once(const ir_op *store, bool simt) {
    int depth = 0;
    for (const ir_region *r = store->parent; r && r->owner; r = r->owner->parent) {
        int code = r->owner->code;
        if (code == OP_loop || code == OP_pipeline || code == OP_task)
            return false;
        if (code != OP_for && code != OP_parallel)
            continue;
        int from = depth ? ir_subscripts(store) : store->nin - 1;
        if ((!simt || !depth) && !leads_on(store, r->owner, from))
            return false;
        depth++;
    }
    return simt ? depth == 3 : depth > 0;
}

/* Only stores, each of other elements. */
static bool fits(const ir_region *r, const ir_value *t, bool simt, int *stores) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            if (op->in[i] == t && op->code != OP_dim && op->code != OP_extent &&
                op->code != OP_bound) {
                if (i || (op->code != OP_store && op->code != OP_vstore) || !once(op, simt))
                    return false;
                ++*stores;
            }
        for (int i = 0; i < op->nreg; i++)
            if (!fits(op->reg[i], t, simt, stores))
                return false;
    }
    return true;
}

static LLVMTypeRef mark_type(emit *e) {
    LLVMTypeRef in[2] = {e->i64, LLVMInt1TypeInContext(e->c)};
    return LLVMFunctionType(LLVMVoidTypeInContext(e->c), in, 2, 0);
}

/* A call that remembers whether tensor t is large, until cpu_place_streams takes it. */
static void mark(emit *e, const ir_value *t, int64_t least) {
    LLVMValueRef *dims = e->dims[t->id], count = cpu_i64(e, dtype_table[t->type.dt].bytes);
    for (int d = 0; d < t->type.rank; d++)
        count = LLVMBuildMul(e->b, count, dims[d], "");
    LLVMValueRef big = LLVMBuildICmp(e->b, LLVMIntSGE, count, cpu_i64(e, least), "");
    LLVMValueRef row =
        LLVMBuildICmp(e->b, LLVMIntSGE, dims[t->type.rank - 1], cpu_i64(e, LEAST_ROW), "");
    LLVMValueRef fn = LLVMGetNamedFunction(e->m, MARK);
    if (!fn) {
        fn = LLVMAddFunction(e->m, MARK, mark_type(e));
        cpu_attribute(e, fn, "nounwind", 0);
        cpu_attribute(e, fn, "willreturn", 0);
        cpu_attribute(e, fn, "memory", 12); /* writes what the module does not see */
    }
    LLVMValueRef a[2] = {cpu_i64(e, t->id), LLVMBuildAnd(e->b, big, row, "")};
    LLVMBuildCall2(e->b, mark_type(e), fn, a, 2, "");
}

void cpu_mark_streams(emit *e) {
#if defined(__x86_64__)
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const ir_region *r = e->f->body;
    if (e->o->alias || e->large || e->vector_bytes < 32)
        return;
    for (uint32_t i = 0; i < r->nargs; i++) {
        const ir_value *t = r->args[i];
        int stores = 0;
        if (t->type.kind == TY_tensor && t->type.rank && t->type.contig == IR_UNIT &&
            fits(r, t, e->f->simt, &stores) && stores)
            mark(e, t, cache > 0 && cache < CACHE ? cache / 2 : CACHE / 2);
    }
#else
    (void)e;
#endif
}

/* To a block with a store for addresses of this alignment if the tensor is large;
   the builder is left where they go that are not. */
static void aligned(emit *e, LLVMValueRef fn, LLVMBasicBlockRef end, unsigned align) {
    LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(e->c, fn, "stream"),
                      no = LLVMAppendBasicBlockInContext(e->c, fn, "not");
    LLVMValueRef p = LLVMGetParam(fn, 0);
    LLVMValueRef low =
        LLVMBuildAnd(e->b, LLVMBuildPtrToInt(e->b, p, e->i64, ""), cpu_i64(e, align - 1), "");
    LLVMValueRef even = LLVMBuildICmp(e->b, LLVMIntEQ, low, cpu_i64(e, 0), "");
    LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, LLVMGetParam(fn, 2), even, ""), yes, no);
    LLVMPositionBuilderAtEnd(e->b, yes);
    LLVMValueRef s = LLVMBuildStore(e->b, LLVMGetParam(fn, 1), p);
    LLVMSetAlignment(s, align);
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(e->c), 1, 0));
    LLVMSetMetadata(s, LLVMGetMDKindIDInContext(e->c, "nontemporal", 11),
                    LLVMMetadataAsValue(e->c, LLVMMDNodeInContext2(e->c, &one, 1)));
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, no);
}

/* void f(pointer, vector, large). Along one dimension the lines fill up one behind the other,
   wherever they begin, so 16 bytes are enough: NumPy's large arrays have no more. Pieces of 16
   bytes are as fast as whole vectors. */
static LLVMValueRef store_function(emit *e, LLVMTypeRef vt, int rank) {
    char name[48];
    snprintf(name, sizeof name, "pyasc_of_stream_%u_%d", LLVMGetVectorSize(vt), rank == 1);
    LLVMTypeRef in[3] = {e->ptr, vt, LLVMInt1TypeInContext(e->c)};
    LLVMValueRef fn = LLVMGetNamedFunction(e->m, name);
    if (fn && LLVMTypeOf(LLVMGetParam(fn, 1)) == vt)
        return fn;
    fn = LLVMAddFunction(e->m, name, LLVMFunctionType(LLVMVoidTypeInContext(e->c), in, 3, 0));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cpu_attribute(e, fn, "alwaysinline", 0);
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->c, fn, "entry"));
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(e->c, fn, "end");
    aligned(e, fn, end, rank == 1 ? 16 : (unsigned)e->vector_bytes);
    LLVMSetAlignment(LLVMBuildStore(e->b, LLVMGetParam(fn, 1), LLVMGetParam(fn, 0)), 1);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    LLVMBuildRetVoid(e->b);
    return fn;
}

static bool is_vector_of(const emit *e, LLVMValueRef i, LLVMValueRef scope,
                         LLVMTargetDataRef layout) {
    unsigned kind = LLVMGetMDKindIDInContext(e->c, "alias.scope", 11);
    if (!LLVMIsAStoreInst(i) || LLVMGetMetadata(i, kind) != scope)
        return false;
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, 0));
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMABISizeOfType(layout, t) == (unsigned long long)e->vector_bytes;
}

/* The vector stores of t in fn become calls; how many. */
static int replace(emit *e, LLVMValueRef fn, const ir_value *t, LLVMValueRef large) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(e->m);
    LLVMValueRef scope = LLVMMetadataAsValue(e->c, e->scopes[t->id]);
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_vector_of(e, i, scope, layout))
                continue;
            LLVMValueRef a[3] = {LLVMGetOperand(i, 1), LLVMGetOperand(i, 0), large};
            LLVMValueRef f = store_function(e, LLVMTypeOf(a[1]), t->type.rank);
            LLVMPositionBuilderBefore(e->b, i);
            LLVMBuildCall2(e->b, LLVMGlobalGetValueType(f), f, a, 3, "");
            LLVMInstructionEraseFromParent(i);
            n++;
        }
    return n;
}

static void fence(emit *e, LLVMValueRef fn) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsAReturnInst(end))
            continue;
        LLVMPositionBuilderBefore(e->b, end);
        cpu_intrinsic(e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
    }
}

static const ir_value *argument(const emit *e, uint64_t id) {
    const ir_region *r = e->f->body;
    for (uint32_t i = 0; i < r->nargs; i++)
        if ((uint64_t)r->args[i]->id == id)
            return r->args[i];
    return NULL;
}

/* How many stores; they are calls of functions to be laid out in place. */
int cpu_place_streams(emit *e) {
    LLVMValueRef marker = LLVMGetNamedFunction(e->m, MARK);
    int all = 0;
    for (LLVMUseRef u = marker ? LLVMGetFirstUse(marker) : NULL, next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef c = LLVMGetUser(u), fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(c));
        const ir_value *t = argument(e, LLVMConstIntGetZExtValue(LLVMGetOperand(c, 0)));
        int n = t ? replace(e, fn, t, LLVMGetOperand(c, 1)) : 0;
        if (n)
            fence(e, fn);
        LLVMInstructionEraseFromParent(c);
        all += n;
    }
    if (marker)
        LLVMDeleteFunction(marker);
    return all;
}
