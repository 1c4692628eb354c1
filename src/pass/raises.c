/* A `raise` ends its work-item: it becomes a `trap`, which notes the exception, and a `leave` of
   the work-item's stretch. In a kernel with barriers the block ends behind a stretch in which an
   item has raised. After split. */
#include "pass/pass.h"

typedef struct {
    ir_func *f;
    ir_value *flag; /* cell: has an item of the block raised? NULL: nobody asks */
    int64_t label;  /* of the block's scope, 0: none yet */
} raises;

static ir_op *before(raises *s, ir_op *at, int code, unsigned nin, unsigned nout, unsigned nreg) {
    ir_op *op = ir_op_new(s->f, code, at->site, nin, nout, nreg);
    ir_before(at, op);
    return op;
}

static ir_value *truth(raises *s, ir_op *at, bool value) {
    ir_op *c = before(s, at, OP_iconst, 0, 1, 0);
    c->attr[0].i = value;
    c->out[0]->type = ir_val(DT_bool, 1);
    return c->out[0];
}

static void trap(raises *s, ir_op *op, int64_t label) {
    ir_op *t = before(s, op, OP_trap, op->nin, 0, 0), *leave;
    for (int i = 0; i < op->nin; i++)
        t->in[i] = op->in[i];
    t->attr[0] = op->attr[0];
    if (s->flag) {
        ir_value *yes = truth(s, op, true);
        ir_op *set = before(s, op, OP_set, 2, 0, 0);
        set->in[0] = s->flag;
        set->in[1] = yes;
    }
    leave = before(s, op, OP_leave, 0, 0, 0);
    leave->attr[0].i = label;
    while (leave->next)
        ir_remove(leave->next);
}

static bool raise_to(raises *s, ir_region *r, int64_t label) {
    bool any = false;
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_raise) {
            trap(s, op, label);
            return true;
        }
        for (int i = 0; op->code != OP_lanes && i < op->nreg; i++)
            any = raise_to(s, op->reg[i], label) || any;
    }
    return any;
}

/* All of r but what must stay at its head goes into a scope. */
static void wrap(raises *s, ir_region *r, int64_t label, bool body) {
    ir_op *scope = ir_op_new(s->f, OP_scope, 0, 0, 0, 1);
    scope->attr[0].i = label;
    ir_op *first = r->first;
    while (body && first &&
           (first->code == OP_extent || first->code == OP_bound || first->code == OP_cell ||
            first->code == OP_alloc))
        first = first->next;
    ir_op *last = r->last && r->last->code == OP_yield ? r->last : NULL;
    if (last && first != last)
        ir_before(last, scope);
    else
        ir_append(r, scope);
    for (ir_op *op = first, *next; op && op != scope && op != last; op = next) {
        next = op->next;
        ir_remove(op);
        ir_append(scope->reg[0], op);
    }
    const ir_op *end = scope->reg[0]->last;
    if (!end || (end->code != OP_leave && end->code != OP_yield))
        ir_append(scope->reg[0], ir_op_new(s->f, OP_yield, 0, 0, 0, 0));
}

static void leave_if_raised(raises *s, ir_op *lanes) {
    ir_op *test = ir_op_new(s->f, OP_if, lanes->site, 1, 0, 2),
          *get = ir_op_new(s->f, OP_get, lanes->site, 1, 1, 0),
          *leave = ir_op_new(s->f, OP_leave, lanes->site, 0, 0, 0);
    get->in[0] = s->flag;
    get->out[0]->type = ir_val(DT_bool, 1);
    if (lanes->next) {
        ir_before(lanes->next, test);
    } else
        ir_append(lanes->parent, test);
    ir_before(test, get);
    test->in[0] = get->out[0];
    leave->attr[0].i = s->label;
    ir_append(test->reg[0], leave);
    ir_append(test->reg[1], ir_op_new(s->f, OP_yield, lanes->site, 0, 0, 0));
}

static void stretches(raises *s, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code != OP_lanes) {
            for (int i = 0; i < op->nreg; i++)
                stretches(s, op->reg[i]);
            continue;
        }
        if (!ir_has_op(op->reg[0], OP_raise))
            continue;
        int64_t label = ++s->f->nlabels;
        raise_to(s, op->reg[0], label);
        wrap(s, op->reg[0], label, false);
        if (s->flag)
            leave_if_raised(s, op);
    }
}

static ir_value *flag_cell(raises *s) {
    ir_op *cell = ir_op_new(s->f, OP_cell, 0, 0, 1, 0), *set = ir_op_new(s->f, OP_set, 0, 2, 0, 0);
    cell->out[0]->type = (ir_type){.kind = TY_cell, .dt = DT_bool, .lanes = 1};
    ir_op *at = s->f->body->first;
    while (at->code == OP_extent || at->code == OP_bound || at->code == OP_cell ||
           at->code == OP_alloc)
        at = at->next;
    ir_before(at, cell);
    set->in[0] = cell->out[0];
    set->in[1] = truth(s, at, false);
    ir_before(at, set);
    return cell->out[0];
}

status pass_raises(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    raises s = {.f = f};
    if (!ir_has_op(f->body, OP_raise))
        return OK;
    if (ir_has_op(f->body, OP_barrier))
        s.flag = flag_cell(&s);
    s.label = ++f->nlabels;
    stretches(&s, f->body);
    bool block = raise_to(&s, f->body, s.label);
    if (block || s.flag)
        wrap(&s, f->body, s.label, true);
    return OK;
}
