/* Recognises contractions: three loops of step 1, in any order, of which one sums products of a
   factor of (i, k) and one of (j, k) into an element of its own for each (i, j), in a variable or
   in memory. The arguments do not overlap where this pass runs, and the order of a recognised
   accumulation is free. The factors may be any expressions without control flow. */
#include "pass/contract.h"
#include <string.h>

enum { OUTSIDE = 0, SUM = 8, OTHER = 16 }; /* bits beside 1 << IT_.. */

typedef struct {
    ir_op *chain[IT_n]; /* outermost first */
    ir_op *body;        /* the loop whose region holds the product */
    ir_op *store;
    int n, reduce; /* loops; is the last one of the sum, outside the store's region */
} nest;

/* The only loop and the only store of a region whose other ops have no effect; false: no such. */
static bool parts(const ir_region *r, ir_op **loop, ir_op **store) {
    *loop = *store = NULL;
    for (ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_for && !*loop && !*store)
            *loop = op;
        else if (op->code == OP_store && !*store)
            *store = op;
        else if (op->nreg || (op->code != OP_yield && op->code != OP_load &&
                              ir_ops[op->code].effect != EFF_PURE))
            return false;
    }
    return true;
}

static bool unit_step(const ir_op *loop) {
    const ir_op *s = loop->in[2]->def;
    return s && s->code == OP_iconst && s->attr[0].i == 1;
}

static bool find(ir_op *top, nest *n) {
    memset(n, 0, sizeof *n);
    for (ir_op *op = top, *inner, *store; op; op = inner) {
        if (n->n == IT_n || op->code != OP_for || !unit_step(op) ||
            !parts(op->reg[0], &inner, &store))
            return false;
        n->chain[n->n++] = op;
        n->body = op;
        if (op->nout) /* a sum */
            return n->n == IT_n && op->nout == 1 && !inner && !store && n->store && (n->reduce = 1);
        if (store && inner && !inner->nout)
            return false;
        n->store = store;
        if (!inner)
            return n->n == IT_n && store;
    }
    return false;
}

/* On which iterators does v depend? */
static int deps(const nest *n, const ir_value *v) {
    int bits = 0;
    for (int i = 0; i < n->n; i++) {
        const ir_region *r = n->chain[i]->reg[0];
        if (v == r->args[0])
            return 1 << i;
        if (n->reduce && i == IT_k && (v == r->args[1] || v == n->chain[i]->out[0]))
            return SUM;
    }
    if (!ir_inside(v, n->chain[0]->reg[0]))
        return OUTSIDE;
    if (!v->def || v->def->nreg)
        return OTHER;
    for (int i = 0; i < v->def->nin; i++)
        bits |= deps(n, v->def->in[i]);
    return bits;
}

/* Does v come of a load: from tensor t, or with NULL from any? */
static bool loads(const nest *n, const ir_value *v, const ir_value *t) {
    if (!v->def || !ir_inside(v, n->chain[0]->reg[0]) || v->def->nreg)
        return false;
    if (v->def->code == OP_load && (!t || v->def->in[0] == t))
        return true;
    for (int i = 0; i < v->def->nin; i++)
        if (loads(n, v->def->in[i], t))
            return true;
    return false;
}

/* The same number: the same value, or constants and extents made twice. */
static bool same(const ir_value *a, const ir_value *b) {
    if (a == b)
        return true;
    if (!a->def || !b->def || a->def->code != b->def->code || a->def->nreg || a->def->nin > 3 ||
        ir_ops[a->def->code].effect != EFF_PURE || a->def->nin != b->def->nin ||
        a->def->attr[0].i != b->def->attr[0].i || a->def->attr[0].f != b->def->attr[0].f ||
        !ir_type_eq(a->type, b->type))
        return false;
    for (int i = 0; i < a->def->nin; i++)
        if (!same(a->def->in[i], b->def->in[i]))
            return false;
    return true;
}

static bool is_element(const ir_value *v, const ir_op *store) {
    const ir_op *op = v->def;
    if (!op || op->code != OP_load || op->in[0] != store->in[0])
        return false;
    for (int i = 1; i < op->nin; i++)
        if (!same(op->in[i], store->in[i + 1]))
            return false;
    return true;
}

static bool sums(dtype t) { return t == DT_f32 || t == DT_f64 || t == DT_i32 || t == DT_i64; }

/* Bounds that do not depend on the nest. */
static bool box(const nest *n) {
    for (int i = 0; i < n->n; i++)
        for (int k = 0; k < 2; k++)
            if (deps(n, n->chain[i]->in[k]) || loads(n, n->chain[i]->in[k], NULL))
                return false;
    return true;
}

/* Numbers the loops by the subscripts of the store; role[IT_..] is the place in the chain. */
static bool roles(const nest *n, int *role) {
    int seen[2] = {-1, -1}, k = 0;
    for (int i = 2; i < n->store->nin; i++) {
        const ir_value *x = n->store->in[i];
        int d = deps(n, x), at = d == 1 ? 0 : d == 2 ? 1 : 2;
        if (d == OUTSIDE)
            continue;
        if (d >= SUM || x != n->chain[at]->reg[0]->args[0] || k == 2)
            return false;
        seen[k++] = at;
    }
    if (k < 2 || seen[0] == seen[1])
        return false;
    role[IT_i] = seen[0];
    role[IT_j] = seen[1];
    role[IT_k] = 3 - seen[0] - seen[1];
    return !n->reduce || role[IT_k] == 2;
}

static bool factors(const nest *n, const int *role, ir_op *mul, contraction *c) {
    int i = 1 << role[IT_i], j = 1 << role[IT_j], k = 1 << role[IT_k];
    c->f = mul->in[0];
    c->g = mul->in[1];
    if (deps(n, c->f) & j) {
        c->f = mul->in[1];
        c->g = mul->in[0];
    }
    return !(deps(n, c->f) & ~(i | k)) && !(deps(n, c->g) & ~(j | k)) && (deps(n, c->f) & i) &&
           (deps(n, c->g) & j) && !loads(n, c->f, n->store->in[0]) &&
           !loads(n, c->g, n->store->in[0]);
}

/* The other operand of an addition to `to`: (yields) to + product. */
static ir_op *product(const ir_op *add, bool (*is)(const ir_value *, const ir_op *),
                      const ir_op *to) {
    for (int i = 0; add && add->code == OP_add && i < 2; i++) {
        ir_op *mul = add->in[1 - i]->def;
        if (is(add->in[i], to) && mul && mul->code == OP_mul && mul->parent == add->parent)
            return mul;
    }
    return NULL;
}

static bool is_carried(const ir_value *v, const ir_op *loop) { return v == loop->reg[0]->args[1]; }

/* Values stored may read C only where they are stored to. */
static bool reads_own(const nest *n, const ir_value *v) {
    if (!v->def || !ir_inside(v, n->chain[0]->reg[0]) || v == n->chain[IT_k]->out[0])
        return true;
    if (v->def->nreg)
        return false;
    if (v->def->code == OP_load && v->def->in[0] == n->store->in[0])
        return is_element(v, n->store);
    for (int i = 0; i < v->def->nin; i++)
        if (!reads_own(n, v->def->in[i]))
            return false;
    return true;
}

static bool recognise(ir_op *top, contraction *c) {
    nest n;
    int role[IT_n];
    if (top->nout || !find(top, &n) || !box(&n) || !roles(&n, role))
        return false;
    *c = (contraction){.top = top, .store = n.store};
    for (int i = 0; i < IT_n; i++)
        c->loop[i] = n.chain[role[i]];
    ir_op *last = n.chain[IT_k], *mul, *add;
    if (n.reduce) {
        add = last->reg[0]->last->in[0]->def;
        mul = product(add, is_carried, last);
        c->sum = last->out[0];
        c->first = last->in[3];
        c->plain = n.store->in[1] == c->sum;
        if (!reads_own(&n, n.store->in[1]) || !reads_own(&n, c->first) ||
            (deps(&n, n.store->in[1]) | deps(&n, c->first)) & OTHER)
            return false;
    } else {
        add = n.store->in[1]->def;
        mul = product(add, is_element, n.store);
        c->plain = true;
    }
    if (!mul || !factors(&n, role, mul, c) || add->out[0]->type.kind != TY_val)
        return false;
    c->acc = (dtype)add->out[0]->type.dt;
    return sums(c->acc) && (!c->plain || n.store->in[0]->type.dt == c->acc);
}

static void walk(ir_func *f, ir_region *r, const pass_options *o) {
    contraction c;
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_for && recognise(op, &c)) {
            contract_block(f, &c, o->width_bytes);
            continue;
        }
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i], o);
    }
}

status pass_contract(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    bool ordered = f->simt || f->prints || o->alias || o->fastmath < 0 ||
                   ir_has_op(f->body, OP_trap) || ir_has_op(f->body, OP_task) ||
                   ir_has_op(f->body, OP_pipeline);
    if (!ordered)
        walk(f, f->body, o);
    return OK;
}
