/* A loop over tiles with the loop over a tile in it, as nothing but `t * size + k` (or, in steps of
   the tile's size, `start + k`) is made of the two counters, is one loop over all. Where a tile is
   longer than what is left, kernels load zeros: products that are zero at the end for that are not
   added at all. */
#include "ana/guard.h"
#include "pass/linear.h"

typedef struct {
    ir_func *f;
    ir_op *outer, *inner;
    int64_t size, per; /* of a tile; that many times the outer counter, and the inner one */
    ir_value *counter; /* of the new loop */
} pair_of_loops;

static bool constant(const ir_value *v, int64_t *out) {
    bool is = v->def && v->def->code == OP_iconst;
    if (is)
        *out = v->def->attr[0].i;
    return is;
}

/* Does v, which is not computed in the inner loop, depend on one of the counters? */
static bool depends(const pair_of_loops *p, const ir_value *v) {
    const ir_op *op = v->def;
    if (v == p->outer->reg[0]->args[0] || v == p->inner->reg[0]->args[0])
        return true;
    if (!op || !ir_inside(v, p->outer->reg[0]) || ir_inside(v, p->inner->reg[0]))
        return false;
    for (int i = 0; i < op->nin; i++)
        if (depends(p, op->in[i]))
            return true;
    return false;
}

/* Takes the counters out of the sum; false: they are no pair there. */
static bool take(const pair_of_loops *p, linear *x, int64_t *times) {
    int a = linear_term(x, p->outer->reg[0]->args[0]),
        b = linear_term(x, p->inner->reg[0]->args[0]);
    *times = 0;
    if (a >= 0 || b >= 0) {
        if (a < 0 || b < 0 || x->c[a] != x->c[b] * p->per)
            return false;
        *times = x->c[b];
        linear_drop(x, a > b ? a : b);
        linear_drop(x, a > b ? b : a);
    }
    for (int i = 0; i < x->n; i++)
        if (depends(p, x->v[i]))
            return false;
    return true;
}

static bool in_pairs(const pair_of_loops *p, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        linear x;
        int64_t times;
        for (int i = 0; !linear_is_part(op) && i < op->nin; i++)
            if (linear_of(op->in[i], &x) ? !take(p, &x, &times) : depends(p, op->in[i]))
                return false;
        for (int i = 0; i < op->nreg; i++)
            if (!in_pairs(p, op->reg[i]))
                return false;
    }
    return true;
}

static bool find(pair_of_loops *p, ir_op *outer) {
    int64_t lo, step, inner[3];
    p->outer = outer;
    for (ir_op *op = outer->reg[0]->first; op; op = op->next) {
        if (op->code == OP_for && !p->inner)
            p->inner = op;
        else if (op->code != OP_yield && (op->nreg || ir_ops[op->code].effect != EFF_PURE))
            return false;
    }
    const ir_op *in = p->inner, *y = outer->reg[0]->last;
    if (!in || in->nout != outer->nout || y->code != OP_yield)
        return false;
    for (int i = 0; i < outer->nout; i++)
        if (in->in[3 + i] != outer->reg[0]->args[1 + i] || y->in[i] != in->out[i])
            return false;
    for (int i = 0; i < 3; i++)
        if (!constant(in->in[i], &inner[i]))
            return false;
    p->size = inner[1];
    if (!constant(outer->in[0], &lo) || !constant(outer->in[2], &step) || lo || inner[0] ||
        inner[2] != 1 || p->size < 1 || (step != 1 && step != p->size))
        return false;
    p->per = step == 1 ? p->size : 1;
    return in_pairs(p, in->reg[0]);
}

static bool to_one(void *self, linear *x) {
    pair_of_loops *p = self;
    int64_t times;
    if (!take(p, x, &times) || !times)
        return false;
    linear_add(x, p->counter, times);
    return true;
}

static ir_value *before(pair_of_loops *p, int code, ir_value *a, ir_value *b) {
    ir_op *op = ir_op_new(p->f, code, p->outer->site, 2, 1, 0);
    op->in[0] = a;
    op->in[1] = b;
    op->out[0]->type = ir_val(DT_i64, 1);
    ir_before(p->outer, op);
    return op->out[0];
}
static ir_value *number(pair_of_loops *p, int64_t v) {
    ir_op *op = ir_op_new(p->f, OP_iconst, p->outer->site, 0, 1, 0);
    op->attr[0].i = v;
    op->out[0]->type = ir_val(DT_i64, 1);
    ir_before(p->outer, op);
    return op->out[0];
}

static bool is_zero(const ir_value *v) {
    const ir_op *op = v->def;
    return op && ((op->code == OP_iconst && !op->attr[0].i) ||
                  (op->code == OP_fconst && op->attr[0].f == 0));
}

/* v is zero unless counter < end; *end NULL: tells one for which that is so. */
static bool vanishes(const ir_value *v, const ir_op *loop, ir_value **end) {
    enum { MOST = 8 };
    ana_guard g[MOST];
    const ir_op *op = v->def;
    if (op && op->code == OP_cast)
        return vanishes(op->in[0], loop, end);
    if (op && op->code == OP_mul) {
        bool a = vanishes(op->in[0], loop, end);
        if (dtype_is_float((dtype)v->type.dt)) /* zero times what is infinite is none */
            return a && vanishes(op->in[1], loop, end);
        return a || vanishes(op->in[1], loop, end);
    }
    if (!op || op->code != OP_if || op->nout != 1 || !is_zero(op->reg[1]->last->in[0]))
        return false;
    for (int i = 0, n = ana_conjuncts((ana_guard){op->in[0], true}, g, MOST); i < n; i++) {
        int code;
        ir_value *a, *b;
        if (!ana_compares(g[i], &code, &a, &b) || code != OP_lt || a != loop->reg[0]->args[0] ||
            ir_inside(b, loop->reg[0]) || (*end && !ana_same(*end, b)))
            continue;
        *end = b;
        return true;
    }
    return false;
}

static bool has_effects(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code != OP_yield && op->code != OP_load && !op->nreg &&
            ir_ops[op->code].effect != EFF_PURE)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (has_effects(op->reg[i]))
                return true;
    }
    return false;
}

/* Where the loop need not go on: all that it adds is zero from there. NULL: nowhere. */
static ir_value *end_of(const ir_op *loop) {
    const ir_op *y = loop->reg[0]->last;
    ir_value *end = NULL;
    for (int i = 0; i < loop->nout; i++) {
        const ir_op *add = y->in[i]->def;
        const ir_value *sum = loop->reg[0]->args[1 + i];
        if (!add || add->code != OP_add || (add->in[0] != sum && add->in[1] != sum) ||
            !vanishes(add->in[add->in[0] == sum], loop, &end))
            return NULL;
    }
    return has_effects(loop->reg[0]) ? NULL : end;
}

/* The outer loop goes just as far as end: in steps to it, or to (end + size - 1) // size. */
static bool is_end(const pair_of_loops *p, const ir_value *end) {
    ir_value *hi = p->outer->in[1];
    const ir_op *op = hi->def;
    int64_t k;
    linear x;
    if (p->per == 1)
        return ana_same(hi, end);
    return op && op->code == OP_floordiv && constant(op->in[1], &k) && k == p->size &&
           linear_of(op->in[0], &x) && x.n == 1 && x.c[0] == 1 && x.k == k - 1 &&
           ana_same(x.v[0], end);
}

static void join(pair_of_loops *p) {
    ir_func *f = p->f;
    ir_op *outer = p->outer, *inner = p->inner;
    ir_region *from = inner->reg[0];
    ir_value *size = number(p, p->size), *hi = outer->in[1];
    if (p->per == 1)
        hi = before(p, OP_floordiv, before(p, OP_add, hi, number(p, p->size - 1)), size);
    hi = before(p, OP_mul, hi, size);
    unsigned n = outer->nout;
    ir_op *loop = ir_op_new(f, OP_for, outer->site, 3 + n, n, 1);
    loop->in[0] = number(p, 0);
    loop->in[1] = hi;
    loop->in[2] = number(p, 1);
    ir_region *to = loop->reg[0];
    p->counter = ir_region_arg(f, to, ir_val(DT_i64, 1), from->args[0]->name);
    linear_rewrite(f, from, to_one, p);
    for (unsigned i = 0; i < n; i++) {
        loop->in[3 + i] = outer->in[3 + i];
        loop->out[i]->type = outer->out[i]->type;
        loop->out[i]->name = outer->out[i]->name;
        ir_replace(f->body, outer->out[i], loop->out[i]);
        ir_replace(from, from->args[1 + i],
                   ir_region_arg(f, to, from->args[1 + i]->type, from->args[1 + i]->name));
    }
    /* What is left of the counters is used by nobody. */
    ir_replace(from, from->args[0], p->counter);
    ir_replace(outer->reg[0], outer->reg[0]->args[0], outer->in[0]);
    for (ir_op *op = outer->reg[0]->first, *next; op && op->code != OP_yield; op = next) {
        next = op->next;
        ir_remove(op);
        if (op != inner)
            ir_before(outer, op);
    }
    for (ir_op *op = from->first, *next; op; op = next) {
        next = op->next;
        ir_remove(op);
        ir_append(to, op);
    }
    ir_value *end = end_of(loop);
    if (end)
        loop->in[1] = is_end(p, end) ? end : before(p, OP_min, hi, end);
    ir_before(outer, loop);
    ir_remove(outer);
}

static void walk(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i]);
        pair_of_loops p = {.f = f};
        if (op->code == OP_for && find(&p, op))
            join(&p);
    }
}

status pass_flatten(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    walk(f, f->body);
    return OK;
}
