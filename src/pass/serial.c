/* Work-items are the parallelism of a kernel that has them, and printing and overlapping arguments
   keep Python's order: there parallel loops, tasks and pipelines run in place, one after the other.
   Elsewhere they stay. After promote: their bodies set no variable from outside. */
#include "pass/pass.h"

static void replace(ir_func *f, ir_op *op, ir_value *const *args) {
    ir_clone_before(f, op->reg[0], args, op, NULL);
    ir_remove(op);
}

static ir_value *number(ir_func *f, ir_op *at, int64_t v) {
    ir_op *c = ir_op_new(f, OP_iconst, at->site, 0, 1, 0);
    c->attr[0].i = v;
    c->out[0]->type = ir_val(DT_i64, 1);
    ir_before(at, c);
    return c->out[0];
}

static void in_a_loop(ir_func *f, ir_op *op) {
    ir_op *loop = ir_op_new(f, OP_for, op->site, 3, 0, 1);
    loop->in[0] = number(f, op, 0);
    loop->in[1] = op->in[0];
    loop->in[2] = number(f, op, 1);
    ir_value *i = ir_region_arg(f, loop->reg[0], ir_val(DT_i64, 1), "item");
    ir_op *end = ir_op_new(f, OP_yield, op->site, 0, 0, 0);
    ir_append(loop->reg[0], end);
    ir_before(op, loop);
    ir_clone_before(f, op->reg[0], &i, end, NULL);
    ir_remove(op);
}

static void walk(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i]);
        next = op->next;
        if (op->code == OP_parallel) {
            ir_value *args[2] = {number(f, op, 0), op->in[0]};
            replace(f, op, args);
        } else if (op->code == OP_task || op->code == OP_stage)
            replace(f, op, NULL);
        else if (op->code == OP_pipeline)
            in_a_loop(f, op);
        else if (op->code == OP_sync)
            ir_remove(op);
    }
}

status pass_serial(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    if (f->simt || f->prints || o->alias || ir_has_op(f->body, OP_raise))
        walk(f, f->body);
    return OK;
}
