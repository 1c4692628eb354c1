/* Short loops whose bounds are constants are laid out whole: subscripts of local arrays become
   constants and what is known of the counter folds. Limits keep the code from growing: LLVM unrolls
   the rest as it sees fit. */
#include "pass/pass.h"
#include <string.h>

enum { MAX_TRIPS = 8, MAX_OPS = 64, MAX_CARRIED = 32 };

static bool constant(const ir_value *v, int64_t *out) {
    bool is = v->def && v->def->code == OP_iconst;
    if (is)
        *out = v->def->attr[0].i;
    return is;
}

static int64_t trips_of(int64_t lo, int64_t hi, int64_t step) {
    if (!step || (step > 0 ? lo >= hi : lo <= hi))
        return 0;
    uint64_t span = step > 0 ? (uint64_t)hi - (uint64_t)lo : (uint64_t)lo - (uint64_t)hi;
    uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t n = (span - 1) / by + 1;
    return n > MAX_TRIPS ? MAX_TRIPS + 1 : (int64_t)n;
}

static bool fits(const ir_op *op, int64_t bounds[3], int64_t *trips) {
    for (int i = 0; i < 3; i++)
        if (!constant(op->in[i], &bounds[i]))
            return false;
    const ir_op *last = op->reg[0]->last;
    *trips = trips_of(bounds[0], bounds[1], bounds[2]);
    return last && last->code == OP_yield && op->nout <= MAX_CARRIED && *trips <= MAX_TRIPS &&
           *trips * ir_count(op->reg[0]) <= MAX_OPS;
}

static void unroll(ir_func *f, ir_op *op, const int64_t bounds[3], int64_t trips) {
    ir_value *args[MAX_CARRIED + 1], *next[MAX_CARRIED];
    memcpy(args + 1, op->in + 3, sizeof *args * op->nout);
    for (int64_t k = 0; k < trips; k++) {
        ir_op *c = ir_op_new(f, OP_iconst, op->site, 0, 1, 0);
        c->attr[0].i = bounds[0] + k * bounds[2];
        c->out[0]->type = ir_val(DT_i64, 1);
        ir_before(op, c);
        args[0] = c->out[0];
        ir_clone_before(f, op->reg[0], args, op, next);
        memcpy(args + 1, next, sizeof *args * op->nout);
    }
    for (int i = 0; i < op->nout; i++)
        ir_forward(op->out[i], args[1 + i]);
    ir_remove(op);
}

static void walk(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_follow(op);
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i]);
        int64_t bounds[3], trips;
        if (op->code == OP_for && fits(op, bounds, &trips))
            unroll(f, op, bounds, trips);
    }
}

status pass_unroll(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    walk(f, f->body);
    ir_clear_aux(f->body);
    return OK;
}
