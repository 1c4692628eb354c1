/* A loop whose result one arm of an `if` alone needs goes into that arm, and conditions that are
   known to hold, by an `if` around or by a loop's bounds, go. So `if i < m: sum; store`, which
   passes know, is made of a sum that all work-items compute and some store. */
#include "ana/guard.h"
#include "pass/pass.h"

enum { MAX_KNOWN = 32, MAX_PARTS = 12 };

static bool is_pure(const ir_op *op) {
    if (op->code == OP_yield || op->code == OP_load)
        return true;
    if (op->code != OP_if && op->code != OP_for)
        return !op->nreg && ir_ops[op->code].effect == EFF_PURE;
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (!is_pure(x))
                return false;
    return true;
}

static int uses(const ir_region *r, const ir_op *of) {
    int n = 0;
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            n += op->in[i]->def == of;
        for (int i = 0; i < op->nreg; i++)
            n += uses(op->reg[i], of);
    }
    return n;
}

/* The arm that alone uses op, behind which nothing is stored before it. */
static ir_region *place(const ir_op *op) {
    int all = uses(op->parent, op);
    for (ir_op *x = op->next; all && x; x = x->next) {
        for (int i = 0; x->code == OP_if && i < 2; i++)
            if (uses(x->reg[i], op) == all)
                return x->reg[i];
        if (!is_pure(x))
            return NULL;
    }
    return NULL;
}

static void sink(ir_region *r) {
    for (ir_op *op = r->last, *prev; op; op = prev) {
        prev = op->prev;
        ir_region *to = op->code == OP_for && is_pure(op) ? place(op) : NULL;
        if (to) {
            ir_remove(op);
            ir_before(to->first, op);
        }
    }
    for (ir_op *op = r->first; op; op = op->next)
        for (int i = 0; i < op->nreg; i++)
            sink(op->reg[i]);
}

typedef struct {
    ir_func *f;
    ana_guard known[MAX_KNOWN];
    int n;
} conditions;

static bool below(const ir_value *hi, const ir_value *bound) {
    const ir_op *op = hi->def;
    return ana_same(hi, bound) ||
           (op && op->code == OP_min && (below(op->in[0], bound) || below(op->in[1], bound)));
}

static bool holds(const conditions *c, ana_guard g) {
    int code;
    ir_value *a, *b;
    for (int i = 0; i < c->n; i++)
        if (c->known[i].holds == g.holds && ana_same(c->known[i].cond, g.cond))
            return true;
    if (!ana_compares(g, &code, &a, &b) || code != OP_lt || !a->region || !a->region->owner)
        return false;
    const ir_op *loop = a->region->owner;
    return loop->code == OP_for && a == loop->reg[0]->args[0] && ir_unit_step(loop) &&
           below(loop->in[1], b);
}

static void learn(conditions *c, ir_value *cond, bool is) {
    ana_guard g[MAX_PARTS];
    for (int i = 0, n = ana_conjuncts((ana_guard){cond, is}, g, MAX_PARTS); i < n; i++)
        if (c->n < MAX_KNOWN)
            c->known[c->n++] = g[i];
}

static ir_value *logic(conditions *c, ir_op *at, int code, ir_value *a, ir_value *b) {
    ir_op *op = ir_op_new(c->f, code, at->site, b ? 2 : 1, 1, 0);
    op->in[0] = a;
    if (b)
        op->in[1] = b;
    op->out[0]->type = ir_val(DT_bool, 1);
    ir_before(at, op);
    return op->out[0];
}

/* What is left of the condition of op. NULL: it holds. */
static ir_value *rest(conditions *c, ir_op *op) {
    ana_guard g[MAX_PARTS];
    int n = ana_conjuncts((ana_guard){op->in[0], true}, g, MAX_PARTS), left = 0;
    ir_value *cond = NULL;
    for (int i = 0; i < n; i++)
        if (!holds(c, g[i]))
            g[left++] = g[i];
    if (left == n)
        return op->in[0];
    for (int i = 0; i < left; i++) {
        ir_value *v = g[i].holds ? g[i].cond : logic(c, op, OP_inv, g[i].cond, NULL);
        cond = cond ? logic(c, op, OP_and, cond, v) : v;
    }
    return cond;
}

static void known(conditions *c, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_value *cond = op->code == OP_if ? rest(c, op) : NULL;
        if (op->code == OP_if && !cond && op->reg[0]->last->code == OP_yield) {
            const ir_op *y = op->reg[0]->last;
            next = op->reg[0]->first;
            for (ir_op *x = next, *after; x != y; x = after) {
                after = x->next;
                ir_remove(x);
                ir_before(op, x);
            }
            for (int i = 0; i < op->nout; i++)
                ir_replace(c->f->body, op->out[i], y->in[i]);
            next = next == y ? op->next : next;
            ir_remove(op);
            continue;
        }
        if (cond)
            op->in[0] = cond;
        for (int i = 0; i < op->nreg; i++) {
            int n = c->n;
            if (op->code == OP_if)
                learn(c, op->in[0], !i);
            known(c, op->reg[i]);
            c->n = n;
        }
    }
}

status pass_sink(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    conditions c = {.f = f};
    sink(f->body);
    known(&c, f->body);
    return OK;
}
