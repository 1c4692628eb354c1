/* IR to LLVM: the function, its arguments and its structure. Results and carried values live in
   allocas, of which LLVM makes SSA form, so there is no phi code here. The interface of the machine
   code is in rt/kernel.h. */
#include "rt/kernel.h"
#include "target/cpu/emit.h"
#include "target/cpu/llvm.h"
#include <stddef.h>
#include <string.h>

LLVMTypeRef cpu_scalar(emit *e, dtype dt) {
    switch (dt) {
    case DT_bool: return LLVMInt1TypeInContext(e->c);
    case DT_f16: return LLVMHalfTypeInContext(e->c);
    case DT_bf16: return LLVMBFloatTypeInContext(e->c);
    case DT_f32: return LLVMFloatTypeInContext(e->c);
    case DT_f64:
    case DT_wflt: return LLVMDoubleTypeInContext(e->c);
    default: return LLVMIntTypeInContext(e->c, dtype_table[dt].bytes * 8u);
    }
}
LLVMTypeRef cpu_type(emit *e, ir_type t) {
    LLVMTypeRef s = cpu_scalar(e, (dtype)t.dt);
    return t.lanes > 1 ? LLVMVectorType(s, t.lanes) : s;
}
LLVMValueRef cpu_i64(emit *e, int64_t v) { return LLVMConstInt(e->i64, (unsigned long long)v, 1); }
static LLVMValueRef spread(LLVMTypeRef t, LLVMValueRef s) {
    LLVMValueRef all[512];
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < n && i < 512; i++)
        all[i] = s;
    return LLVMConstVector(all, n);
}
LLVMValueRef cpu_iconst(emit *e, LLVMTypeRef t, int64_t v) {
    (void)e;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        return spread(t, LLVMConstInt(LLVMGetElementType(t), (unsigned long long)v, 1));
    return LLVMConstInt(t, (unsigned long long)v, 1);
}
LLVMValueRef cpu_fconst(emit *e, LLVMTypeRef t, double v) {
    (void)e;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        return spread(t, LLVMConstReal(LLVMGetElementType(t), v));
    return LLVMConstReal(t, v);
}
LLVMValueRef cpu_splat(emit *e, LLVMValueRef s, unsigned lanes) {
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(s), lanes);
    if (LLVMIsConstant(s) && LLVMGetTypeKind(LLVMTypeOf(s)) != LLVMPointerTypeKind)
        return spread(t, s);
    LLVMValueRef v = LLVMBuildInsertElement(e->b, LLVMGetPoison(t), s, cpu_i64(e, 0), "");
    LLVMTypeRef mask = LLVMVectorType(LLVMInt32TypeInContext(e->c), lanes);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(t), LLVMConstNull(mask), "");
}
LLVMValueRef cpu_intrinsic(emit *e, const char *name, LLVMTypeRef *over, unsigned nover,
                           LLVMValueRef *args, unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->m, id, over, nover);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->c, id, over, nover), f, args, n, "");
}
void cpu_attribute(emit *e, LLVMValueRef f, const char *name, uint64_t v) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->c, kind, v));
}
/* A function of its arguments only. */
LLVMValueRef cpu_call(emit *e, const char *name, LLVMTypeRef ret, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef params[4];
    for (unsigned i = 0; i < n; i++)
        params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef ft = LLVMFunctionType(ret, params, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(e->m, name);
    if (!f) {
        f = LLVMAddFunction(e->m, name, ft);
        cpu_attribute(e, f, "nounwind", 0);
        cpu_attribute(e, f, "willreturn", 0);
        cpu_attribute(e, f, "memory", 0);
    }
    return LLVMBuildCall2(e->b, ft, f, args, n, "");
}
LLVMBasicBlockRef cpu_block(emit *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->c, e->fn, name);
}
LLVMValueRef cpu_alloca(emit *e, LLVMTypeRef t, const char *name) {
    return LLVMBuildAlloca(e->allocas, t, name ? name : "");
}

static LLVMValueRef *result_slots(emit *e, const ir_op *op) {
    LLVMValueRef *slots = ARENA_ARRAY(e->f->mem, LLVMValueRef, op->nout + 1);
    for (int i = 0; i < op->nout; i++)
        slots[i] = cpu_alloca(e, cpu_type(e, op->out[i]->type), op->out[i]->name);
    return slots;
}
static void load_results(emit *e, const ir_op *op, LLVMValueRef *slots) {
    for (int i = 0; i < op->nout; i++)
        e->vals[op->out[i]->id] = LLVMBuildLoad2(e->b, cpu_type(e, op->out[i]->type), slots[i], "");
}
static void at(emit *e, LLVMBasicBlockRef b) {
    LLVMPositionBuilderAtEnd(e->b, b);
    e->ended = false;
}

static void emit_if(emit *e, const ir_op *op) {
    LLVMValueRef *slots = result_slots(e, op);
    LLVMBasicBlockRef then = cpu_block(e, "then"), other = cpu_block(e, "else"),
                      end = cpu_block(e, "end");
    LLVMBuildCondBr(e->b, e->vals[op->in[0]->id], then, other);
    at(e, then);
    cpu_emit_region(e, op->reg[0], slots, end);
    at(e, other);
    cpu_emit_region(e, op->reg[1], slots, end);
    at(e, end);
    load_results(e, op, slots);
}

static void set_args(emit *e, const ir_op *op, LLVMValueRef *slots, int first) {
    for (int i = 0; i < op->nout; i++)
        e->vals[op->reg[0]->args[first + i]->id] =
            LLVMBuildLoad2(e->b, cpu_type(e, op->out[i]->type), slots[i], "");
}

static LLVMValueRef running(emit *e, LLVMValueRef i, LLVMValueRef hi, LLVMValueRef step) {
    LLVMValueRef up = LLVMBuildICmp(e->b, LLVMIntSLT, i, hi, ""),
                 down = LLVMBuildICmp(e->b, LLVMIntSGT, i, hi, "");
    if (LLVMIsAConstantInt(step))
        return LLVMConstIntGetSExtValue(step) > 0   ? up
               : LLVMConstIntGetSExtValue(step) < 0 ? down
                                                    : LLVMConstNull(LLVMTypeOf(up));
    LLVMValueRef zero = cpu_i64(e, 0), is_up = LLVMBuildICmp(e->b, LLVMIntSGT, step, zero, "");
    LLVMValueRef is_down = LLVMBuildICmp(e->b, LLVMIntSLT, step, zero, "");
    return LLVMBuildOr(e->b, LLVMBuildAnd(e->b, is_up, up, ""),
                       LLVMBuildAnd(e->b, is_down, down, ""), "");
}

/* Loops round other loops ask now and then whether to stop; the innermost are left to the
 * vectorizer. */
static bool has_loop(const ir_region *r) { return ir_has_op(r, OP_for) || ir_has_op(r, OP_loop); }

static void emit_for(emit *e, const ir_op *op) {
    LLVMValueRef *slots = result_slots(e, op), i = cpu_alloca(e, e->i64, "i"), v[3];
    for (int k = 0; k < 3; k++)
        v[k] = e->vals[op->in[k]->id];
    for (int k = 0; k < op->nout; k++)
        LLVMBuildStore(e->b, e->vals[op->in[3 + k]->id], slots[k]);
    LLVMBuildStore(e->b, v[0], i);
    LLVMBasicBlockRef head = cpu_block(e, "for"), body = cpu_block(e, "body"),
                      next = cpu_block(e, "next"), end = cpu_block(e, "done");
    LLVMBuildBr(e->b, head);
    at(e, head);
    LLVMValueRef now = LLVMBuildLoad2(e->b, e->i64, i, "i");
    LLVMBuildCondBr(e->b, running(e, now, v[1], v[2]), body, end);
    at(e, body);
    e->vals[op->reg[0]->args[0]->id] = now;
    set_args(e, op, slots, 1);
    cpu_emit_region(e, op->reg[0], slots, next);
    at(e, next);
    LLVMBuildStore(e->b, LLVMBuildNSWAdd(e->b, now, v[2], ""), i);
    if (has_loop(op->reg[0]) && !op->attr[0].i)
        cpu_poll(e);
    LLVMBuildBr(e->b, head);
    at(e, end);
    load_results(e, op, slots);
}

static void emit_loop(emit *e, const ir_op *op) {
    LLVMValueRef *slots = result_slots(e, op);
    for (int k = 0; k < op->nout; k++)
        LLVMBuildStore(e->b, e->vals[op->in[k]->id], slots[k]);
    LLVMBasicBlockRef body = cpu_block(e, "loop"), after = cpu_block(e, "after"),
                      again = cpu_block(e, "again");
    LLVMBuildBr(e->b, body);
    at(e, body);
    set_args(e, op, slots, 0);
    cpu_emit_region(e, op->reg[0], slots, again);
    at(e, again);
    cpu_poll(e);
    LLVMBuildBr(e->b, body);
    at(e, after); /* never reached: only a leave ends the loop */
    load_results(e, op, slots);
}

static void emit_scope(emit *e, const ir_op *op) {
    LLVMValueRef *slots = result_slots(e, op);
    label l = {op->attr[0].i, cpu_block(e, "end"), slots, e->labels};
    e->labels = &l;
    cpu_emit_region(e, op->reg[0], slots, l.end);
    e->labels = l.outer;
    at(e, l.end);
    load_results(e, op, slots);
}

static void give(emit *e, const ir_op *op, LLVMValueRef *slots, LLVMBasicBlockRef to) {
    for (int i = 0; i < op->nin; i++)
        LLVMBuildStore(e->b, e->vals[op->in[i]->id], slots[i]);
    LLVMBuildBr(e->b, to);
    e->ended = true;
}

static void emit_leave(emit *e, const ir_op *op) {
    label *l = e->labels;
    while (l->id != op->attr[0].i)
        l = l->outer;
    give(e, op, l->results, l->end);
}

static LLVMValueRef field(emit *e, size_t offset, LLVMTypeRef t) {
    LLVMValueRef at = cpu_i64(e, (int64_t)offset);
    return LLVMBuildLoad2(e->b, t, LLVMBuildInBoundsGEP2(e->b, e->i8, e->launch, &at, 1, ""), "");
}

static void emit_print(emit *e, const ir_op *op) {
    LLVMValueRef buf = cpu_slots(e, op, 0, op->nin);
    LLVMTypeRef params[4] = {e->ptr, e->i64, e->i64, e->ptr};
    LLVMValueRef a[4] = {field(e, offsetof(rt_launch, ctx), e->ptr), cpu_i64(e, op->attr[0].i),
                         cpu_i64(e, op->nin), buf};
    LLVMBuildCall2(e->b, LLVMFunctionType(LLVMVoidTypeInContext(e->c), params, 4, 0),
                   field(e, offsetof(rt_launch, print), e->ptr), a, 4, "");
}

static LLVMValueRef full(emit *e, const ir_op *op) {
    LLVMValueRef all = NULL;
    for (int d = 0; d < 3; d++) {
        LLVMValueRef size = field(e, offsetof(rt_launch, block) + 8 * (size_t)d, e->i64);
        LLVMValueRef want = cpu_i64(e, op->attr[0].v[d]), same[2] = {size, e->n[d]};
        for (int i = 0; i < 2; i++) {
            LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntEQ, same[i], want, "");
            all = all ? LLVMBuildAnd(e->b, all, is, "") : is;
        }
    }
    for (int i = 0; i < op->nin; i++)
        all = LLVMBuildAnd(e->b, all, e->vals[op->in[i]->id], "");
    return all;
}

static LLVMValueRef of_block(emit *e, const ir_op *op) {
    int d = (int)op->attr[1].i;
    switch (op->attr[0].s[0]) {
    case 'l': return e->lo[d];
    case 'n': return e->n[d];
    case 'f': return LLVMBuildICmp(e->b, LLVMIntEQ, e->number, LLVMGetParam(e->fn, 2), "");
    default: break;
    }
    LLVMValueRef next = LLVMBuildAdd(e->b, e->number, cpu_i64(e, 1), "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, next, LLVMGetParam(e->fn, 3), "");
}

static bool emit_id(emit *e, const ir_op *op) {
    size_t d = (size_t)op->attr[0].i * 8;
    LLVMValueRef v;
    switch (op->code) {
    case OP_full: v = full(e, op); break;
    case OP_gsize: v = field(e, offsetof(rt_launch, n) + d, e->i64); break;
    case OP_lsize: v = field(e, offsetof(rt_launch, block) + d, e->i64); break;
    case OP_nblocks: v = field(e, offsetof(rt_launch, nblk) + d, e->i64); break;
    case OP_bid: v = e->block[op->attr[0].i]; break;
    case OP_blk: v = of_block(e, op); break;
    default: return false;
    }
    e->vals[op->out[0]->id] = v;
    return true;
}

static void emit_op(emit *e, const ir_op *op, LLVMValueRef *results, LLVMBasicBlockRef end) {
    switch (op->code) {
    case OP_if: emit_if(e, op); return;
    case OP_for: emit_for(e, op); return;
    case OP_loop: emit_loop(e, op); return;
    case OP_scope: emit_scope(e, op); return;
    case OP_leave: emit_leave(e, op); return;
    case OP_yield: give(e, op, results, end); return;
    case OP_print: emit_print(e, op); return;
    case OP_npu: cpu_emit_npu(e, op); return;
    case OP_extent:
    case OP_bound: return;
    default:
        if (!emit_id(e, op) && !cpu_emit_beside(e, op) && !cpu_emit_memory(e, op) &&
            !cpu_emit_check(e, op))
            cpu_emit_value(e, op);
    }
}

void cpu_emit_region(emit *e, const ir_region *r, LLVMValueRef *results, LLVMBasicBlockRef end) {
    for (const ir_op *op = r->first; op && !e->ended; op = op->next)
        emit_op(e, op, results, end);
}

static LLVMValueRef slot(emit *e, int64_t k, LLVMTypeRef t) {
    LLVMValueRef i = cpu_i64(e, k);
    return LLVMBuildLoad2(e->b, t, LLVMBuildInBoundsGEP2(e->b, e->i64, e->args, &i, 1, ""), "");
}

static void load_args(emit *e) {
    int64_t k = 0;
    for (uint32_t i = 0; i < e->f->body->nargs; i++) {
        const ir_value *a = e->f->body->args[i];
        if (a->type.kind != TY_tensor) {
            bool fl = dtype_is_float((dtype)a->type.dt);
            LLVMValueRef v = slot(e, k++, fl ? LLVMDoubleTypeInContext(e->c) : e->i64);
            e->vals[a->id] =
                a->type.dt == DT_bool ? LLVMBuildICmp(e->b, LLVMIntNE, v, cpu_i64(e, 0), "") : v;
            continue;
        }
        int rank = a->type.rank;
        e->vals[a->id] = slot(e, k++, e->ptr);
        e->dims[a->id] = ARENA_ARRAY(e->f->mem, LLVMValueRef, 2 * rank + 1);
        for (int d = 0; d < 2 * rank; d++)
            e->dims[a->id][d] = slot(e, k++, e->i64);
        if (rank && a->type.contig)
            e->dims[a->id][2 * rank - 1] =
                cpu_i64(e, a->type.contig == IR_UNIT ? dtype_table[a->type.dt].bytes : 0);
    }
}

static LLVMValueRef blocks_of(emit *e, int d) {
    return field(e, offsetof(rt_launch, nblk) + 8 * (size_t)d, e->i64);
}

/* A block's number to its ids, in memory that LLVM makes values of: a division for the first of
 * many. */
static void decode_first(emit *e, LLVMValueRef b, LLVMValueRef *ids) {
    for (int d = 0; d < 3; d++) {
        LLVMValueRef n = d < 2 ? blocks_of(e, d) : NULL;
        ids[d] = cpu_alloca(e, e->i64, "id");
        LLVMBuildStore(e->b, n ? LLVMBuildURem(e->b, b, n, "") : b, ids[d]);
        b = n ? LLVMBuildUDiv(e->b, b, n, "") : b;
    }
}

/* The next block's: dimension 0 is counted up, and carries. */
static void next_block(emit *e, LLVMValueRef *ids) {
    LLVMValueRef carry = cpu_i64(e, 1), zero = cpu_i64(e, 0);
    for (int d = 0; d < 3; d++) {
        LLVMValueRef id = LLVMBuildAdd(e->b, e->block[d], carry, ""), over = NULL;
        if (d < 2) {
            over = LLVMBuildICmp(e->b, LLVMIntEQ, id, blocks_of(e, d), "");
            carry = LLVMBuildZExt(e->b, over, e->i64, "");
        }
        LLVMBuildStore(e->b, over ? LLVMBuildSelect(e->b, over, zero, id, "") : id, ids[d]);
    }
}

/* A block's first id and count of work-items. */
static void open_block(emit *e, LLVMValueRef *ids) {
    LLVMTypeRef i64 = e->i64;
    for (int d = 0; d < 3; d++) {
        LLVMValueRef size = field(e, offsetof(rt_launch, block) + 8 * (size_t)d, i64);
        LLVMValueRef n = field(e, offsetof(rt_launch, n) + 8 * (size_t)d, i64);
        e->block[d] = LLVMBuildLoad2(e->b, i64, ids[d], "");
        e->lo[d] = LLVMBuildMul(e->b, e->block[d], size, "lo");
        LLVMValueRef left = LLVMBuildSub(e->b, n, e->lo[d], ""), a[2] = {size, left};
        e->n[d] = cpu_intrinsic(e, "llvm.smin", &i64, 1, a, 2);
    }
}

static bool has_brief(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_for && op->attr[0].i)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (has_brief(op->reg[i]))
                return true;
    }
    return false;
}

static void emit_blocks(emit *e, LLVMValueRef first, LLVMValueRef last) {
    LLVMValueRef i = cpu_alloca(e, e->i64, "block"), ids[3];
    LLVMBasicBlockRef some = cpu_block(e, "some"), head = cpu_block(e, "blocks"),
                      body = cpu_block(e, "block"), end = cpu_block(e, "exit");
    LLVMBuildStore(e->b, first, i);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, first, last, ""), some, end);
    at(e, some);
    decode_first(e, first, ids);
    LLVMBuildBr(e->b, head);
    at(e, head);
    LLVMValueRef b = LLVMBuildLoad2(e->b, e->i64, i, "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, b, last, ""), body, end);
    at(e, body);
    e->number = b;
    open_block(e, ids);
    cpu_emit_region(e, e->f->body, NULL, NULL);
    if (has_brief(e->f->body))
        cpu_poll(e);
    next_block(e, ids);
    LLVMBuildStore(e->b, LLVMBuildNSWAdd(e->b, b, cpu_i64(e, 1), ""), i);
    LLVMBuildBr(e->b, head);
    at(e, end);
}

void cpu_open(emit *e, LLVMValueRef fn) {
    e->fn = fn;
    e->args = LLVMGetParam(fn, 0);
    e->launch = LLVMGetParam(fn, 1);
    e->scratch = LLVMGetParam(fn, 4);
    e->stopped = NULL;
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned i = 0; i < 5; i++)
        if (i < 2 || i == 4)
            LLVMAddAttributeAtIndex(fn, i + 1, LLVMCreateEnumAttribute(e->c, kind, 0));
    LLVMPositionBuilderAtEnd(e->allocas, cpu_block(e, "entry"));
    at(e, cpu_block(e, "start"));
    e->credit = cpu_alloca(e, e->i64, "credit");
    LLVMBuildStore(e->b, cpu_i64(e, 1), e->credit);
    e->granted = cpu_alloca(e, e->i64, "granted");
    LLVMBuildStore(e->b, cpu_i64(e, 1), e->granted);
    load_args(e);
    cpu_mark_streams(e);
}

void cpu_close(emit *e) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(e->fn);
    cpu_free_tmps(e);
    LLVMBuildRetVoid(e->b);
    LLVMBuildBr(e->allocas, LLVMGetNextBasicBlock(entry));
    if (e->stopped) {
        LLVMPositionBuilderAtEnd(e->b, e->stopped);
        cpu_free_tmps(e);
        LLVMBuildRetVoid(e->b);
    }
}

void cpu_emit_function(emit *e) {
    LLVMTypeRef params[5] = {e->ptr, e->ptr, e->i64, e->i64, e->ptr};
    e->fn = LLVMAddFunction(e->m, e->f->name,
                            LLVMFunctionType(LLVMVoidTypeInContext(e->c), params, 5, 0));
    cpu_attribute(e, e->fn, "nounwind", 0);
    if (!e->o->alias)
        cpu_alias_scopes(e);
    cpu_open(e, e->fn);
    if (e->f->simt)
        emit_blocks(e, LLVMGetParam(e->fn, 2), LLVMGetParam(e->fn, 3));
    else
        cpu_emit_region(e, e->f->body, NULL, NULL);
    cpu_close(e);
}
