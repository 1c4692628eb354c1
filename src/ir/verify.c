/* Structure, visibility, arity, terminators and stage. A failure is a fault of ours, so the status
 * is BUG. */
#include "ir/ir.h"
#include <string.h>

typedef struct {
    const ir_func *f;
    ir_stage stage;
    diag *d;
    bool *seen; /* by value id: defined and visible */
} verify;

static status bad(verify *s, const ir_op *op, const char *what) {
    diag_error(s->d, ir_loc(s->f, op), NULL, "%s: %s", ir_ops[op->code].name, what);
    return BUG;
}

static bool count_ok(int have, int want) { return want == IR_ANY || have == want; }

static int yields(const ir_op *p) { return p->code == OP_lanes ? 0 : p->nout; }

static status terminator(verify *s, const ir_op *op) {
    const ir_op *p = op->parent->owner;
    if (op->next)
        return bad(s, op, "ops after the end of a region");
    if (op->code == OP_raise)
        return OK;
    if (op->code == OP_yield)
        return p && op->nin == yields(p) ? OK : bad(s, op, "wrong number of values");
    while (p && !(p->code == OP_scope && p->attr[0].i == op->attr[0].i))
        p = p->parent->owner;
    return p && op->nin == p->nout
               ? OK
               : bad(s, op, "no scope of that label, or wrong number of values");
}

static status shape(verify *s, const ir_op *op) {
    int first = op->code == OP_for ? 3 : 0;
    if ((op->code == OP_for || op->code == OP_loop) &&
        (op->nin != first + op->nout || (int)op->reg[0]->nargs != op->nout + (op->code == OP_for)))
        return bad(s, op, "what it carries does not fit its results");
    unsigned args = op->code == OP_parallel ? 2 : op->code == OP_pipeline || op->code == OP_simd;
    bool beside = op->code == OP_parallel || op->code == OP_task || op->code == OP_pipeline ||
                  op->code == OP_stage || op->code == OP_simd;
    if (beside && op->reg[0]->nargs != args)
        return bad(s, op, "wrong number of arguments of its body");
    if ((beside || op->code == OP_if || op->code == OP_for || op->code == OP_loop ||
         op->code == OP_scope))
        for (int i = 0; i < op->nreg; i++) {
            const ir_op *last = op->reg[i]->last;
            if (!last ||
                (last->code != OP_yield && last->code != OP_leave && last->code != OP_raise))
                return bad(s, op, "a region without an end");
        }
    return OK;
}

static status types(verify *s, const ir_op *op) {
    if (s->stage == STAGE_front)
        return OK;
    for (int i = 0; i < op->nout; i++)
        if (op->out[i]->type.kind == TY_any ||
            (op->out[i]->type.kind == TY_cell && op->out[i]->type.any))
            return bad(s, op, "a value without a type");
    bool same = ir_ops[op->code].rule == RULE_SAME && op->nin == 2 && op->code != OP_shl &&
                op->code != OP_shr;
    if (same && !(ir_type_eq(op->in[0]->type, op->in[1]->type) &&
                  ir_type_eq(op->in[0]->type, op->out[0]->type)))
        return bad(s, op, "operands of different types");
    if (s->stage == STAGE_cpu &&
        (op->code == OP_lanes || op->code == OP_simd || op->code == OP_barrier ||
         op->code == OP_gid || op->code == OP_lid))
        return bad(s, op, "not legal for the target");
    return OK;
}

/* Operands before the subscripts of a memory op, or -1. */
static int before_index(const ir_op *op) {
    switch (op->code) {
    case OP_vload:
    case OP_gather: return 2;
    case OP_vstore:
    case OP_scatter: return 3;
    case OP_atomic:
    case OP_load:
    case OP_store: return ir_subscripts(op);
    default: return -1;
    }
}

/* A cell where one belongs, a tensor with as many subscripts as dimensions; per-work-item memory
 * may leave its last to lanes. */
static status kinds(verify *s, const ir_op *op) {
    int n = before_index(op);
    bool cell =
        op->code == OP_get || op->code == OP_set || op->code == OP_isset || op->code == OP_unset;
    if (cell && op->in[0]->type.kind != TY_cell)
        return bad(s, op, "the first operand is not a cell");
    if ((op->code == OP_dim || op->code == OP_stride || op->code == OP_extent ||
         op->code == OP_bound) &&
        op->in[0]->type.kind != TY_tensor)
        return bad(s, op, "the first operand is not a tensor");
    if (op->code == OP_atomic && !op->attr[0].s)
        return bad(s, op, "an atomic without a kind");
    if (op->code == OP_alloc &&
        (op->out[0]->type.kind != TY_tensor || op->out[0]->type.space == SP_global ||
         op->attr[0].i != op->out[0]->type.rank || !op->attr[0].v))
        return bad(s, op, "a shape for each dimension, and shared or local memory");
    if (op->code == OP_bound && op->attr[1].i != 4)
        return bad(s, op, "a bound's form has four numbers");
    if (n < 0)
        return OK;
    if (op->nin < n || op->in[0]->type.kind != TY_tensor)
        return bad(s, op, "the first operand is not a tensor, or an operand is missing");
    int rank = op->in[0]->type.rank, idx = op->nin - n;
    bool local = op->in[0]->type.space >= SP_local && idx == rank - 1;
    return idx == rank || local ? OK : bad(s, op, "subscripts and dimensions differ in number");
}

static status region(verify *s, const ir_region *r);

static status one(verify *s, const ir_op *op) {
    const ir_op_info *info = &ir_ops[op->code];
    if (!count_ok(op->nin, info->nin) || !count_ok(op->nout, info->nout) ||
        !count_ok(op->nreg, info->nreg))
        return bad(s, op, "wrong number of operands, results or regions");
    for (int i = 0; i < op->nin; i++)
        if (!op->in[i] || !s->seen[op->in[i]->id])
            return bad(s, op, "an operand is not visible here");
    if (op->code == OP_yield || op->code == OP_leave || op->code == OP_raise)
        TRY(terminator(s, op));
    TRY(kinds(s, op));
    TRY(types(s, op));
    TRY(shape(s, op));
    for (int i = 0; i < op->nreg; i++) {
        if (op->reg[i]->owner != op)
            return bad(s, op, "a region with another owner");
        TRY(region(s, op->reg[i]));
    }
    for (int i = 0; i < op->nout; i++)
        s->seen[op->out[i]->id] = true;
    return OK;
}

static status region(verify *s, const ir_region *r) {
    for (uint32_t i = 0; i < r->nargs; i++)
        s->seen[r->args[i]->id] = true;
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->parent != r)
            return bad(s, op, "an op with another parent");
        TRY(one(s, op));
    }
    for (const ir_op *op = r->first; op; op = op->next) /* out of sight again */
        for (int i = 0; r->owner && i < op->nout; i++)
            s->seen[op->out[i]->id] = false;
    for (uint32_t i = 0; r->owner && i < r->nargs; i++)
        s->seen[r->args[i]->id] = false;
    return OK;
}

status ir_verify(const ir_func *f, ir_stage stage, diag *d) {
    arena *mem = arena_new();
    verify s = {f, stage, d, ARENA_ARRAY(mem, bool, f->nvalues + 1)};
    status st = region(&s, f->body);
    arena_free(mem);
    return st;
}
