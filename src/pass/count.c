/* `while i < n: ..; i += step` counts as `for` does, where i is not set otherwise and not used
   after it: the form that recognisers, lanes and LLVM know. Grid-stride loops of work-items are of
   this kind. */
#include "ana/low.h"
#include "pass/pass.h"

typedef struct {
    ir_op *scope, *loop, *test; /* test: the `if` that leaves to the scope */
    int i;                      /* number of the counter among what is carried */
    ir_value *bound, *step;
    bool equal; /* the bound counts too */
} counting;

static bool within(const counting *c, const ir_value *v) { return ir_inside(v, c->loop->reg[0]); }

/* v is the same in each round, and may be made before the loop. */
static bool steady(const counting *c, const ir_value *v, int depth) {
    const ir_op *op = v->def;
    if (!within(c, v))
        return true;
    if (!op || !depth || op->nreg || ir_ops[op->code].effect != EFF_PURE)
        return false;
    for (int i = 0; i < op->nin; i++)
        if (!steady(c, op->in[i], depth - 1))
            return false;
    return true;
}

static ir_value *before(ir_func *f, const counting *c, ir_value *v) {
    if (!within(c, v))
        return v;
    const ir_op *op = v->def;
    ir_op *n = ir_op_new(f, op->code, op->site, op->nin, 1, 0);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = before(f, c, op->in[i]);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    n->out[0]->type = v->type;
    ir_before(c->loop, n);
    return n->out[0];
}

static bool only_yields(const ir_region *r) {
    return r->first && r->first == r->last && r->last->code == OP_yield;
}

/* The test: if i < bound goes on, else leaves. */
static bool find_test(counting *c) {
    enum { DEPTH = 4 };
    const ir_region *body = c->loop->reg[0];
    ir_op *op = body->first;
    while (op && !op->nreg && ir_ops[op->code].effect == EFF_PURE)
        op = op->next;
    const ir_op *out = op && op->code == OP_if ? op->reg[1]->first : NULL, *cmp;
    if (!out || out != op->reg[1]->last || out->code != OP_leave || op->nout ||
        out->attr[0].i != c->scope->attr[0].i || !only_yields(op->reg[0]))
        return false;
    c->test = op;
    cmp = op->in[0]->def;
    bool up = cmp && (cmp->code == OP_lt || cmp->code == OP_le);
    if (!up && !(cmp && (cmp->code == OP_gt || cmp->code == OP_ge)))
        return false;
    const ir_value *i = cmp->in[!up];
    c->bound = cmp->in[up];
    c->equal = cmp->code == OP_le || cmp->code == OP_ge;
    for (c->i = 0; c->i < (int)body->nargs && body->args[c->i] != i; c->i++)
        ;
    return c->i < (int)body->nargs && i->type.dt == DT_i64 && steady(c, c->bound, DEPTH);
}

/* What leaves with the test is carried, or of outside; and not the counter. */
static bool leaves_well(const counting *c) {
    const ir_op *out = c->test->reg[1]->first;
    const ir_region *body = c->loop->reg[0];
    for (int k = 0; k < out->nin; k++) {
        const ir_value *v = out->in[k];
        if (v == body->args[c->i] || (within(c, v) && v->region != body))
            return false;
    }
    return true;
}

static bool find(counting *c) {
    const ir_op *end = c->loop->reg[0]->last;
    if (c->loop->next != c->scope->reg[0]->last || !end || end->code != OP_yield || !find_test(c) ||
        !leaves_well(c))
        return false;
    const ir_op *add = end->in[c->i]->def;
    int k = add && add->code == OP_add ? add->in[1] == c->loop->reg[0]->args[c->i] : -1;
    if (k < 0 || add->in[k] != c->loop->reg[0]->args[c->i])
        return false;
    c->step = add->in[!k];
    return ana_low(c->step, NULL) > 0 && steady(c, c->step, 2);
}

/* Puts `for` in the loop's place: its body without the test, then the test's leave with the
 * results. */
static void rewrite(ir_func *f, const counting *c) {
    ir_op *loop = c->loop, *out = c->test->reg[1]->first, *end = loop->reg[0]->last;
    ir_region *body = loop->reg[0];
    int n = loop->nout - 1;
    ir_value *hi = before(f, c, c->bound), *step = before(f, c, c->step);
    if (c->equal) {
        ir_op *one = ir_op_new(f, OP_iconst, loop->site, 0, 1, 0),
              *add = ir_op_new(f, OP_add, loop->site, 2, 1, 0);
        one->attr[0].i = 1;
        one->out[0]->type = add->out[0]->type = ir_val(DT_i64, 1);
        add->in[0] = hi;
        add->in[1] = one->out[0];
        ir_before(loop, one);
        ir_before(loop, add);
        hi = add->out[0];
    }
    ir_op *count = ir_op_new(f, OP_for, loop->site, (unsigned)(3 + n), (unsigned)n, 1);
    count->in[0] = loop->in[c->i];
    count->in[1] = hi;
    count->in[2] = step;
    ir_value **args = ARENA_ARRAY(f->mem, ir_value *, n + 1);
    ir_region *to = count->reg[0];
    args[c->i] = ir_region_arg(f, to, ir_val(DT_i64, 1), body->args[c->i]->name);
    ir_op *y = ir_op_new(f, OP_yield, end->site, (unsigned)n, 0, 0);
    ir_op *leave = ir_op_new(f, OP_leave, out->site, out->nin, 0, 0);
    leave->attr[0] = out->attr[0];
    for (int k = 0, j = 0; k <= n; k++) {
        if (k == c->i)
            continue;
        count->in[3 + j] = loop->in[k];
        count->out[j]->type = loop->out[k]->type;
        count->out[j]->name = loop->out[k]->name;
        args[k] = ir_region_arg(f, to, body->args[k]->type, body->args[k]->name);
        y->in[j++] = end->in[k];
    }
    for (int k = 0; k < out->nin; k++) {
        leave->in[k] = out->in[k];
        for (int a = 0, j = 0; a <= n; j += a++ != c->i)
            if (out->in[k] == body->args[a])
                leave->in[k] = count->out[j];
    }
    ir_before(loop, count);
    ir_remove(c->scope->reg[0]->last); /* behind a loop without end */
    ir_append(c->scope->reg[0], leave);
    ir_remove(c->test);
    ir_remove(end);
    ir_append(body, y);
    ir_value **results = ARENA_ARRAY(f->mem, ir_value *, n + 1);
    ir_op *close = ir_op_new(f, OP_yield, end->site, (unsigned)n, 0, 0);
    ir_append(to, close);
    ir_clone_before(f, body, args, close, results);
    for (int k = 0; k < n; k++)
        close->in[k] = results[k];
    ir_remove(loop);
}

static void walk(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i]);
        if (op->code != OP_scope)
            continue;
        counting c = {.scope = op, .loop = op->reg[0]->first};
        while (c.loop && c.loop->code != OP_loop)
            c.loop = c.loop->next;
        if (c.loop && find(&c))
            rewrite(f, &c);
    }
}

status pass_count(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    walk(f, f->body);
    return OK;
}
