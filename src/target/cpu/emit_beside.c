/* Bodies that run beside other work become functions of their own, with the kernel's parameters and
   an environment: the values from outside, 8 bytes each (rt/beside.h). Locks spin on a word. Polls
   count the rounds of loops. */
#include "rt/beside.h"
#include "base/vec.h"
#include "target/cpu/llvm.h"
#include <string.h>

typedef struct {
    VEC(const ir_value *) v;
    const ir_op *op;
} outer_values;

static bool is_argument(const emit *e, const ir_value *v) { return v->region == e->f->body; }

static void note(const emit *e, outer_values *o, const ir_value *v) {
    bool constant = e->vals[v->id] && LLVMIsConstant(e->vals[v->id]); /* the same everywhere */
    if (is_argument(e, v) || ir_inside(v, o->op->reg[0]) || constant)
        return;
    for (uint32_t i = 0; i < o->v.n; i++)
        if (o->v.p[i] == v)
            return;
    vec_push(e->f->mem, &o->v, v);
    for (int i = 0; v->def && v->def->code == OP_tmp && i < v->def->nin; i++)
        note(e, o, v->def->in[i]); /* its extents */
}

static void collect(const emit *e, outer_values *o, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            note(e, o, op->in[i]);
        for (int i = 0; i < op->nreg; i++)
            collect(e, o, op->reg[i]);
    }
}

static LLVMValueRef word(emit *e, LLVMValueRef base, int64_t k) {
    LLVMValueRef i = cpu_i64(e, k);
    return LLVMBuildInBoundsGEP2(e->b, e->i64, base, &i, 1, "");
}

static LLVMTypeRef body_type(emit *e) {
    LLVMTypeRef params[6] = {e->ptr, e->ptr, e->i64, e->i64, e->ptr, e->ptr};
    return LLVMFunctionType(LLVMVoidTypeInContext(e->c), params, 6, 0);
}

/* The environment in the caller: an alloca. A tensor of ours is its address: its extents are
 * constants. */
static LLVMValueRef store_env(emit *e, const outer_values *o) {
    LLVMValueRef env = cpu_alloca(e, LLVMArrayType(e->i64, o->v.n + 1), "env");
    for (uint32_t i = 0; i < o->v.n; i++)
        LLVMBuildStore(e->b, e->vals[o->v.p[i]->id], word(e, env, i));
    return env;
}

/* op's region as a function; args[0], args[1]: what its arguments are, of first and end. */
static LLVMValueRef outline(emit *e, const ir_op *op, const ir_region *args, outer_values *o) {
    const emit saved = *e;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    *o = (outer_values){.op = op};
    collect(e, o, op->reg[0]);
    LLVMValueRef fn = LLVMAddFunction(e->m, "body", body_type(e));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cpu_attribute(e, fn, "nounwind", 0);
    /* What values are in there is nothing to the function around. */
    e->vals = ARENA_ARRAY(e->f->mem, LLVMValueRef, e->f->nvalues + 1);
    e->dims = ARENA_ARRAY(e->f->mem, LLVMValueRef *, e->f->nvalues + 1);
    memcpy(e->vals, saved.vals, sizeof *e->vals * e->f->nvalues);
    memcpy(e->dims, saved.dims, sizeof *e->dims * e->f->nvalues);
    e->allocas = LLVMCreateBuilderInContext(e->c);
    e->labels = NULL;
    e->tmps = NULL;
    cpu_open(e, fn);
    for (uint32_t i = 0; i < o->v.n; i++) {
        const ir_value *v = o->v.p[i];
        LLVMTypeRef t = v->type.kind == TY_val ? cpu_type(e, v->type) : e->ptr;
        e->vals[v->id] = LLVMBuildLoad2(e->b, t, word(e, LLVMGetParam(fn, 5), i), "");
    }
    for (uint32_t i = 0; i < o->v.n; i++)
        if (o->v.p[i]->def && o->v.p[i]->def->code == OP_tmp)
            cpu_tmp_dims(e, o->v.p[i]->def);
    for (uint32_t i = 0; i < args->nargs && i < 2; i++)
        e->vals[args->args[i]->id] = LLVMGetParam(fn, 2 + i);
    LLVMBasicBlockRef end = cpu_block(e, "end");
    cpu_emit_region(e, op->reg[0], NULL, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    cpu_close(e);
    LLVMDisposeBuilder(e->allocas);
    *e = saved;
    e->ended = false;
    LLVMPositionBuilderAtEnd(e->b, here);
    return fn;
}

static LLVMValueRef call(emit *e, const char *name, LLVMTypeRef ret, LLVMValueRef *a, unsigned n) {
    LLVMTypeRef params[8];
    for (unsigned i = 0; i < n; i++)
        params[i] = LLVMTypeOf(a[i]);
    LLVMTypeRef ft = LLVMFunctionType(ret, params, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(e->m, name);
    if (!f) {
        f = LLVMAddFunction(e->m, name, ft);
        cpu_attribute(e, f, "nounwind", 0);
    }
    return LLVMBuildCall2(e->b, ft, f, a, n, "");
}

static void check_stop(emit *e);

static void parallel_or_task(emit *e, const ir_op *op) {
    outer_values o;
    LLVMValueRef fn = outline(e, op, op->reg[0], &o);
    LLVMValueRef env = store_env(e, &o);
    LLVMValueRef count = op->nin ? e->vals[op->in[0]->id] : cpu_i64(e, o.v.n);
    LLVMValueRef a[5] = {fn, e->args, e->launch, count, env};
    call(e, op->nin ? "pyasc_parallel" : "pyasc_task", LLVMVoidTypeInContext(e->c), a, 5);
    check_stop(e);
}

static void pipeline(emit *e, const ir_op *op) {
    LLVMValueRef fns[64], envs[64];
    int n = 0;
    for (const ir_op *s = op->reg[0]->first; s; s = s->next)
        n += s->code == OP_stage;
    LLVMTypeRef table = LLVMArrayType(e->ptr, (unsigned)n + 1);
    LLVMValueRef bodies = cpu_alloca(e, table, "stages"), all = cpu_alloca(e, table, "envs");
    n = 0;
    for (const ir_op *s = op->reg[0]->first; s && n < 64; s = s->next) {
        outer_values o;
        if (s->code != OP_stage)
            continue;
        fns[n] = outline(e, s, op->reg[0], &o);
        /* the item's number is a parameter, not of the environment */
        e->vals[op->reg[0]->args[0]->id] = cpu_i64(e, 0);
        envs[n] = store_env(e, &o);
        LLVMBuildStore(e->b, fns[n], word(e, bodies, n));
        LLVMBuildStore(e->b, envs[n], word(e, all, n));
        n++;
    }
    LLVMValueRef a[6] = {bodies, cpu_i64(e, n), e->args, e->launch, e->vals[op->in[0]->id], all};
    call(e, "pyasc_pipeline", LLVMVoidTypeInContext(e->c), a, 6);
    check_stop(e);
}

LLVMBasicBlockRef cpu_stopped(emit *e) {
    if (!e->stopped)
        e->stopped = cpu_block(e, "stopped");
    return e->stopped;
}

/* After bodies that may have been told to stop. */
static void check_stop(emit *e) {
    LLVMValueRef at = cpu_i64(e, (int64_t)offsetof(rt_launch, stop));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c);
    LLVMValueRef v =
        LLVMBuildLoad2(e->b, i32, LLVMBuildInBoundsGEP2(e->b, e->i8, e->launch, &at, 1, ""), "");
    LLVMSetVolatile(v, 1);
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, v, LLVMConstNull(i32), ""), on,
                    cpu_stopped(e));
    LLVMPositionBuilderAtEnd(e->b, on);
}

void cpu_poll(emit *e) {
    LLVMBasicBlockRef ask = cpu_block(e, "poll"), on = cpu_block(e, "on"),
                      set = cpu_block(e, "set");
    LLVMValueRef c = LLVMBuildLoad2(e->b, e->i64, e->credit, "");
    LLVMValueRef left = LLVMBuildSub(e->b, c, cpu_i64(e, 1), "");
    LLVMBuildStore(e->b, left, e->credit);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, left, cpu_i64(e, 0), ""), on, ask);
    LLVMPositionBuilderAtEnd(e->b, ask);
    LLVMValueRef granted = LLVMBuildLoad2(e->b, e->i64, e->granted, "");
    LLVMValueRef a[2] = {e->launch, granted}, next = call(e, "pyasc_poll", e->i64, a, 2);
    LLVMValueRef f = LLVMGetNamedFunction(e->m, "pyasc_poll");
    cpu_attribute(e, f, "memory", 15); /* its arguments' memory and what we do not see */
    cpu_attribute(e, f, "cold", 0);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, next, cpu_i64(e, 0), ""), cpu_stopped(e),
                    set);
    LLVMPositionBuilderAtEnd(e->b, set);
    LLVMBuildStore(e->b, next, e->credit);
    LLVMBuildStore(e->b, next, e->granted);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* 0 free, 1 taken. */
static void lock(emit *e, const ir_op *op) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c);
    LLVMValueRef p = e->vals[op->in[0]->id], zero = LLVMConstInt(i32, 0, 0),
                 one = LLVMConstInt(i32, 1, 0);
    if (op->code == OP_unlock) {
        LLVMValueRef s = LLVMBuildStore(e->b, zero, p);
        LLVMSetOrdering(s, LLVMAtomicOrderingRelease);
        LLVMSetAlignment(s, 4);
        return;
    }
    LLVMBasicBlockRef again = cpu_block(e, "lock"), busy = cpu_block(e, "busy"),
                      taken = cpu_block(e, "taken");
    LLVMBuildBr(e->b, again);
    LLVMPositionBuilderAtEnd(e->b, again);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->b, p, zero, one, LLVMAtomicOrderingAcquire,
                                               LLVMAtomicOrderingMonotonic, 0);
    LLVMBuildCondBr(e->b, LLVMBuildExtractValue(e->b, pair, 1, ""), taken, busy);
    LLVMPositionBuilderAtEnd(e->b, busy);
    LLVMValueRef stop = call(e, "pyasc_pause", e->i64, &e->launch, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, stop, cpu_i64(e, 0), ""), again,
                    cpu_stopped(e));
    LLVMPositionBuilderAtEnd(e->b, taken);
}

/* Only what is asked for ahead has an effect here; stores and loads are in order anyway. */
static void hint(emit *e, const ir_op *op) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->c), ptr = e->ptr;
    bool own = op->attr[0].s[0] == 'o';
    if (!op->nin || op->attr[0].s[0] == 's')
        return;
    LLVMValueRef at = own ? cpu_address(e, op, 1, ~(int64_t)0) : e->vals[op->in[0]->id];
    LLVMValueRef a[4] = {at, LLVMConstInt(i32, own, 0), LLVMConstInt(i32, 3, 0),
                         LLVMConstInt(i32, 1, 0)};
    cpu_intrinsic(e, "llvm.prefetch", &ptr, 1, a, 4);
}

bool cpu_emit_beside(emit *e, const ir_op *op) {
    switch (op->code) {
    case OP_parallel:
    case OP_task: parallel_or_task(e, op); return true;
    case OP_pipeline: pipeline(e, op); return true;
    case OP_sync: {
        LLVMValueRef a[1] = {e->launch};
        call(e, "pyasc_sync", LLVMVoidTypeInContext(e->c), a, 1);
        return true;
    }
    case OP_lock:
    case OP_unlock: lock(e, op); return true;
    case OP_hint: hint(e, op); return true;
    default: return false;
    }
}
