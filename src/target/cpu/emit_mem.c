/* Memory: addresses from extents and strides, scalar and vector accesses, atomics, zeroed scratch.
 */
#include "target/cpu/llvm.h"
#include <string.h>

static LLVMValueRef in(emit *e, const ir_op *op, int i) { return e->vals[op->in[i]->id]; }

static bool is_vector(LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* Negative indices count from the end. */
static LLVMValueRef wrapped(emit *e, LLVMValueRef i, LLVMValueRef extent) {
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(i));
    if (is_vector(i))
        extent = cpu_splat(e, extent, LLVMGetVectorSize(LLVMTypeOf(i)));
    LLVMValueRef neg = LLVMBuildICmp(e->b, LLVMIntSLT, i, zero, "");
    return LLVMBuildSelect(e->b, neg, LLVMBuildAdd(e->b, i, extent, ""), i, "");
}

LLVMValueRef cpu_address(emit *e, const ir_op *op, int from, int64_t plain) {
    const ir_value *t = op->in[0];
    LLVMValueRef scalar = cpu_i64(e, 0), vector = NULL, *dims = e->dims[t->id];
    int rank = t->type.rank;
    for (int d = 0; d < rank; d++) {
        LLVMValueRef i = in(e, op, from + d), stride = dims[rank + d];
        if (!(plain >> d & 1))
            i = wrapped(e, i, dims[d]);
        if (is_vector(i)) {
            LLVMValueRef s = cpu_splat(e, stride, LLVMGetVectorSize(LLVMTypeOf(i)));
            LLVMValueRef m = LLVMBuildMul(e->b, i, s, "");
            vector = vector ? LLVMBuildAdd(e->b, vector, m, "") : m;
        } else
            scalar = LLVMBuildAdd(e->b, scalar, LLVMBuildMul(e->b, i, stride, ""), "");
    }
    LLVMValueRef p = LLVMBuildInBoundsGEP2(e->b, e->i8, e->vals[t->id], &scalar, 1, "");
    return vector ? LLVMBuildGEP2(e->b, e->i8, p, &vector, 1, "") : p;
}

static void tag(emit *e, LLVMValueRef v, const ir_value *t) {
    if (e->o->alias || !e->scopes[t->id] || !LLVMIsAInstruction(v))
        return;
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(e->c, "alias.scope", 11),
                    LLVMMetadataAsValue(e->c, e->scopes[t->id]));
    if (e->others[t->id])
        LLVMSetMetadata(v, LLVMGetMDKindIDInContext(e->c, "noalias", 7),
                        LLVMMetadataAsValue(e->c, e->others[t->id]));
}

static unsigned align_of(const ir_value *t) {
    return t->type.contig ? dtype_table[t->type.dt].bytes : 1;
}

/* In memory a bool is a byte. */
static LLVMTypeRef memory_type(emit *e, ir_type t) {
    return cpu_type(e, t.dt == DT_bool ? ir_val(DT_u8, t.lanes) : t);
}
static LLVMValueRef from_memory(emit *e, ir_type t, LLVMValueRef v) {
    return t.dt == DT_bool ? LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "")
                           : v;
}
static LLVMValueRef to_memory(emit *e, ir_type t, LLVMValueRef v) {
    return t.dt == DT_bool ? LLVMBuildZExt(e->b, v, memory_type(e, t), "") : v;
}

static void load(emit *e, const ir_op *op) {
    ir_type t = op->out[0]->type;
    LLVMValueRef v =
        LLVMBuildLoad2(e->b, memory_type(e, t), cpu_address(e, op, 1, op->attr[0].i), "");
    LLVMSetAlignment(v, align_of(op->in[0]));
    tag(e, v, op->in[0]);
    e->vals[op->out[0]->id] = from_memory(e, t, v);
}

static void store(emit *e, const ir_op *op) {
    LLVMValueRef v = to_memory(e, op->in[1]->type, in(e, op, 1));
    LLVMValueRef s = LLVMBuildStore(e->b, v, cpu_address(e, op, 2, op->attr[0].i));
    LLVMSetAlignment(s, align_of(op->in[0]));
    tag(e, s, op->in[0]);
}

static bool all_true(const ir_value *m) {
    return m->def && m->def->code == OP_splat && m->def->in[0]->def &&
           m->def->in[0]->def->code == OP_iconst && m->def->in[0]->def->attr[0].i;
}

static void vload(emit *e, const ir_op *op, bool gather) {
    ir_type t = op->out[0]->type;
    LLVMTypeRef ty = memory_type(e, t);
    LLVMValueRef p = cpu_address(e, op, 2, op->attr[0].i), v;
    unsigned align = align_of(op->in[0]);
    if (!gather && all_true(op->in[1])) {
        v = LLVMBuildLoad2(e->b, ty, p, "");
        LLVMSetAlignment(v, align);
    } else {
        LLVMTypeRef over[2] = {ty, LLVMTypeOf(p)};
        LLVMValueRef a[4] = {p, LLVMConstInt(LLVMInt32TypeInContext(e->c), align, 0), in(e, op, 1),
                             LLVMConstNull(ty)};
        v = cpu_intrinsic(e, gather ? "llvm.masked.gather" : "llvm.masked.load", over, 2, a, 4);
    }
    tag(e, v, op->in[0]);
    e->vals[op->out[0]->id] = from_memory(e, t, v);
}

static void vstore(emit *e, const ir_op *op, bool scatter) {
    ir_type t = op->in[1]->type;
    LLVMValueRef v = to_memory(e, t, in(e, op, 1)), p = cpu_address(e, op, 3, op->attr[0].i), s;
    unsigned align = align_of(op->in[0]);
    if (scatter && !is_vector(p))
        p = cpu_splat(e, p, t.lanes);
    if (!scatter && all_true(op->in[2])) {
        s = LLVMBuildStore(e->b, v, p);
        LLVMSetAlignment(s, align);
    } else {
        LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(p)};
        LLVMValueRef a[4] = {v, p, LLVMConstInt(LLVMInt32TypeInContext(e->c), align, 0),
                             in(e, op, 2)};
        s = cpu_intrinsic(e, scatter ? "llvm.masked.scatter" : "llvm.masked.store", over, 2, a, 4);
    }
    tag(e, s, op->in[0]);
}

/* The new value of a read-modify-write, for what LLVM has no atomic instruction for. */
static LLVMValueRef modify(emit *e, const ir_op *op, LLVMValueRef old, LLVMValueRef v,
                           LLVMValueRef expected) {
    const char *kind = op->attr[0].s;
    ir_type t = op->out[0]->type;
    bool fl = dtype_is_float((dtype)t.dt), sg = dtype_table[t.dt].cls == 'I';
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ty = LLVMTypeOf(old);
    LLVMValueRef a[2] = {old, v};
    if (!strcmp(kind, "add"))
        return fl ? LLVMBuildFAdd(B, old, v, "") : LLVMBuildAdd(B, old, v, "");
    if (!strcmp(kind, "sub"))
        return fl ? LLVMBuildFSub(B, old, v, "") : LLVMBuildSub(B, old, v, "");
    if (!strcmp(kind, "max"))
        return cpu_intrinsic(e, fl ? "llvm.maximum" : sg ? "llvm.smax" : "llvm.umax", &ty, 1, a, 2);
    if (!strcmp(kind, "min"))
        return cpu_intrinsic(e, fl ? "llvm.minimum" : sg ? "llvm.smin" : "llvm.umin", &ty, 1, a, 2);
    if (!strcmp(kind, "cas")) {
        LLVMValueRef same = fl ? LLVMBuildFCmp(B, LLVMRealOEQ, old, expected, "")
                               : LLVMBuildICmp(B, LLVMIntEQ, old, expected, "");
        return LLVMBuildSelect(B, same, v, old, "");
    }
    if (fl || !strcmp(kind, "exchange"))
        return v;
    return kind[0] == 'a'   ? LLVMBuildAnd(B, old, v, "")
           : kind[0] == 'o' ? LLVMBuildOr(B, old, v, "")
                            : LLVMBuildXor(B, old, v, "");
}

/* Load, compute, compare-exchange until nobody came between. */
static LLVMValueRef exchange_loop(emit *e, const ir_op *op, LLVMValueRef p, LLVMValueRef v,
                                  LLVMValueRef expected) {
    ir_type t = op->out[0]->type;
    LLVMTypeRef mt = memory_type(e, t),
                bits = LLVMIntTypeInContext(e->c, dtype_table[t.dt].bytes * 8u);
    LLVMValueRef slot = cpu_alloca(e, bits, "seen"), first = LLVMBuildLoad2(e->b, bits, p, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, dtype_table[t.dt].bytes);
    LLVMBuildStore(e->b, first, slot);
    LLVMBasicBlockRef again = cpu_block(e, "atomic"), end = cpu_block(e, "atomic.end");
    LLVMBuildBr(e->b, again);
    LLVMPositionBuilderAtEnd(e->b, again);
    LLVMValueRef raw = LLVMBuildLoad2(e->b, bits, slot, "");
    LLVMValueRef old = from_memory(e, t, LLVMBuildBitCast(e->b, raw, mt, ""));
    LLVMValueRef next =
        LLVMBuildBitCast(e->b, to_memory(e, t, modify(e, op, old, v, expected)), bits, "");
    LLVMValueRef pair =
        LLVMBuildAtomicCmpXchg(e->b, p, raw, next, LLVMAtomicOrderingSequentiallyConsistent,
                               LLVMAtomicOrderingMonotonic, 0);
    LLVMBuildStore(e->b, LLVMBuildExtractValue(e->b, pair, 0, ""), slot);
    LLVMBuildCondBr(e->b, LLVMBuildExtractValue(e->b, pair, 1, ""), end, again);
    LLVMPositionBuilderAtEnd(e->b, end);
    return old;
}

static void atomic(emit *e, const ir_op *op) {
    ir_type t = op->out[0]->type;
    bool cas = op->attr[0].s[0] == 'c';
    LLVMValueRef p = cpu_address(e, op, cas ? 3 : 2, op->attr[1].i), v = in(e, op, 1),
                 expected = cas ? in(e, op, 2) : NULL;
    LLVMValueRef old;
    if (op->in[0]->type.space != SP_global) { /* a block runs on one thread */
        old = from_memory(e, t, LLVMBuildLoad2(e->b, memory_type(e, t), p, ""));
        LLVMBuildStore(e->b, to_memory(e, t, modify(e, op, old, v, expected)), p);
    } else if (dtype_is_int((dtype)t.dt) &&
               (!strcmp(op->attr[0].s, "add") || !strcmp(op->attr[0].s, "sub")))
        old = LLVMBuildAtomicRMW(
            e->b, op->attr[0].s[0] == 'a' ? LLVMAtomicRMWBinOpAdd : LLVMAtomicRMWBinOpSub, p, v,
            LLVMAtomicOrderingSequentiallyConsistent, 0);
    else
        old = exchange_loop(e, op, p, v, expected);
    e->vals[op->out[0]->id] = old;
}

static void alloc(emit *e, const ir_op *op) {
    const ir_value *t = op->out[0];
    int rank = (int)op->attr[0].i;
    int64_t size = dtype_table[t->type.dt].bytes;
    LLVMValueRef *dims = ARENA_ARRAY(e->f->mem, LLVMValueRef, 2 * rank + 1);
    LLVMValueRef at = cpu_i64(e, op->attr[1].i);
    for (int d = rank - 1; d >= 0; d--) {
        dims[d] = cpu_i64(e, op->attr[0].v[d]);
        dims[rank + d] = cpu_i64(e, size);
        size *= op->attr[0].v[d];
    }
    LLVMValueRef p = LLVMBuildInBoundsGEP2(e->b, e->i8, e->scratch, &at, 1, "");
    if (size && t->type.space != SP_slot && t->type.space != SP_kept)
        LLVMBuildMemSet(e->b, p, LLVMConstInt(e->i8, 0, 0), cpu_i64(e, size), 64);
    e->vals[t->id] = p;
    e->dims[t->id] = dims;
}

/* Extents and strides of op tmp's result, row by row, from what its operands are here. */
void cpu_tmp_dims(emit *e, const ir_op *op) {
    const ir_value *t = op->out[0];
    int rank = t->type.rank;
    LLVMValueRef *dims = ARENA_ARRAY(e->f->mem, LLVMValueRef, 2 * rank + 1);
    LLVMValueRef size = cpu_i64(e, dtype_table[t->type.dt].bytes);
    for (int d = rank - 1; d >= 0; d--) {
        dims[d] = e->vals[op->in[d]->id];
        dims[rank + d] = size;
        size = LLVMBuildMul(e->b, size, dims[d], "");
    }
    dims[2 * rank] = size;
    e->dims[t->id] = dims;
}

/* Memory that grows: kept from one run of the op to the next, freed at the function's end. */
static void temporary(emit *e, const ir_op *op) {
    LLVMValueRef p = cpu_alloca(e, e->ptr, "tmp"), have = cpu_alloca(e, e->i64, "have");
    LLVMBuildStore(e->allocas, LLVMConstNull(e->ptr), p);
    LLVMBuildStore(e->allocas, cpu_i64(e, 0), have);
    struct tmp *t = ARENA_NEW(e->f->mem, struct tmp);
    *t = (struct tmp){p, e->tmps};
    e->tmps = t;
    cpu_tmp_dims(e, op);
    LLVMValueRef a[4] = {e->launch, p, have, e->dims[op->out[0]->id][2 * op->out[0]->type.rank]};
    LLVMTypeRef params[4] = {e->ptr, e->ptr, e->ptr, e->i64};
    LLVMTypeRef ft = LLVMFunctionType(e->ptr, params, 4, 0);
    LLVMValueRef f = LLVMGetNamedFunction(e->m, "pyasc_grow");
    if (!f) {
        f = LLVMAddFunction(e->m, "pyasc_grow", ft);
        cpu_attribute(e, f, "nounwind", 0);
        unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
        LLVMAddAttributeAtIndex(f, LLVMAttributeReturnIndex,
                                LLVMCreateEnumAttribute(e->c, kind, 0));
    }
    LLVMValueRef q = LLVMBuildCall2(e->b, ft, f, a, 4, "");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildCondBr(e->b, LLVMBuildIsNull(e->b, q, ""), cpu_stopped(e), on);
    LLVMPositionBuilderAtEnd(e->b, on);
    e->vals[op->out[0]->id] = q;
}

void cpu_free_tmps(emit *e) {
    LLVMTypeRef ft = LLVMFunctionType(LLVMVoidTypeInContext(e->c), &e->ptr, 1, 0);
    for (struct tmp *t = e->tmps; t; t = t->next) {
        LLVMValueRef f = LLVMGetNamedFunction(e->m, "pyasc_free");
        if (!f)
            f = LLVMAddFunction(e->m, "pyasc_free", ft);
        LLVMValueRef p = LLVMBuildLoad2(e->b, e->ptr, t->p, "");
        LLVMBuildCall2(e->b, ft, f, &p, 1, "");
    }
}

bool cpu_emit_memory(emit *e, const ir_op *op) {
    switch (op->code) {
    case OP_load: load(e, op); return true;
    case OP_store: store(e, op); return true;
    case OP_vload: vload(e, op, false); return true;
    case OP_gather: vload(e, op, true); return true;
    case OP_vstore: vstore(e, op, false); return true;
    case OP_scatter: vstore(e, op, true); return true;
    case OP_atomic: atomic(e, op); return true;
    case OP_alloc: alloc(e, op); return true;
    case OP_tmp: temporary(e, op); return true;
    case OP_dim: e->vals[op->out[0]->id] = e->dims[op->in[0]->id][op->attr[0].i]; return true;
    case OP_stride:
        e->vals[op->out[0]->id] = e->dims[op->in[0]->id][op->in[0]->type.rank + (int)op->attr[0].i];
        return true;
    case OP_cell:
        e->vals[op->out[0]->id] = cpu_alloca(e, cpu_type(e, op->out[0]->type), op->out[0]->name);
        LLVMBuildStore(e->b, LLVMConstNull(cpu_type(e, op->out[0]->type)), e->vals[op->out[0]->id]);
        return true;
    case OP_get:
        e->vals[op->out[0]->id] =
            LLVMBuildLoad2(e->b, cpu_type(e, op->out[0]->type), in(e, op, 0), "");
        return true;
    case OP_set: LLVMBuildStore(e->b, in(e, op, 1), in(e, op, 0)); return true;
    default: return false;
    }
}
