/* A loop whose counter could start below zero as far as anyone knows, such as the rows of a sparse
   matrix in `range(start[i], start[i + 1])`, is compiled twice: for starts that are not negative,
   as nearly all are, its subscripts need no wrapping from the end and so are consecutive. */
#include "ana/low.h"
#include "pass/pass.h"
#include <string.h>

enum { MAX_OPS = 80 };

/* Would some subscript in here be plain if counter were not negative? */
static bool gains(const ir_region *r, const ir_value *counter) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            if (gains(op->reg[i], counter))
                return true;
        int from = ir_subscripts(op);
        for (int i = from; from && i < op->nin; i++)
            if (ana_low(op->in[i], NULL) < 0 && ana_low(op->in[i], counter) >= 0)
                return true;
    }
    return false;
}

static ir_value *make(ir_func *f, ir_op *at, int code, ir_value *a, ir_value *b, int dt) {
    ir_op *op = ir_op_new(f, code, at->site, b ? 2 : 0, 1, 0);
    if (b) {
        op->in[0] = a;
        op->in[1] = b;
    }
    op->out[0]->type = ir_val((dtype)dt, 1);
    ir_before(at, op);
    return op->out[0];
}

/* An arm of the if: the loop, from lo. */
static void arm(ir_func *f, const ir_op *loop, ir_region *to, ir_value *lo) {
    ir_op *copy = ir_op_new(f, OP_for, loop->site, loop->nin, loop->nout, 1);
    memcpy(copy->in, loop->in, sizeof *copy->in * loop->nin);
    copy->in[0] = lo;
    ir_value *args[256];
    for (uint32_t i = 0; i < loop->reg[0]->nargs; i++) {
        const ir_value *a = loop->reg[0]->args[i];
        args[i] = ir_region_arg(f, copy->reg[0], a->type, a->name);
    }
    for (int i = 0; i < loop->nout; i++)
        copy->out[i]->type = loop->out[i]->type;
    ir_append(to, copy);
    ir_op *end = ir_op_new(f, OP_yield, loop->site, loop->nout, 0, 0),
          *out = ir_op_new(f, OP_yield, loop->site, loop->nout, 0, 0);
    ir_append(copy->reg[0], end);
    ir_clone_before(f, loop->reg[0], args, end, end->in);
    memcpy(out->in, copy->out, sizeof *out->in * loop->nout);
    ir_append(to, out);
}

static void version(ir_func *f, ir_op *loop) {
    ir_value *zero = make(f, loop, OP_iconst, NULL, NULL, DT_i64);
    ir_value *cond = make(f, loop, OP_ge, loop->in[0], zero, DT_bool);
    ir_value *lo = make(f, loop, OP_max, loop->in[0], zero, DT_i64);
    ir_op *both = ir_op_new(f, OP_if, loop->site, 1, loop->nout, 2);
    both->in[0] = cond;
    for (int i = 0; i < loop->nout; i++) {
        both->out[i]->type = loop->out[i]->type;
        both->out[i]->name = loop->out[i]->name;
    }
    ir_before(loop, both);
    arm(f, loop, both->reg[0], lo);
    arm(f, loop, both->reg[1], loop->in[0]);
    for (int i = 0; i < loop->nout; i++)
        ir_forward(loop->out[i], both->out[i]);
    ir_remove(loop);
}

static bool fits(const ir_op *op) {
    const ir_op *step = op->in[2]->def, *last = op->reg[0]->last;
    return step && step->code == OP_iconst && step->attr[0].i > 0 && last &&
           last->code == OP_yield && op->reg[0]->nargs <= 256 && ana_low(op->in[0], NULL) < 0 &&
           ir_count(op->reg[0]) <= MAX_OPS && gains(op->reg[0], op->reg[0]->args[0]);
}

static void walk(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_follow(op);
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i]);
        if (op->code == OP_for && fits(op))
            version(f, op);
    }
}

status pass_version(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    walk(f, f->body);
    ir_clear_aux(f->body);
    return OK;
}
