/* Recognises contractions: three loops of step 1, in any order, of which one sums products of a
   factor of (i, k) and one of (j, k) into an element of its own for each (i, j), in a variable or
   in memory. The arguments do not overlap where this pass runs, and the order of a recognised
   accumulation is free. The factors may be any expressions without control flow. */
#include "pass/contract.h"

/* What a value comes of: the iterators (1 << place in the chain) and these. */
enum {
    ITERATORS = 7,
    SUM = 8,      /* the sum itself */
    OTHER = 16,   /* a result of an op with regions */
    LOADS = 32,   /* a load */
    ELEMENT = 64, /* the element of C that is stored to */
    OTHERS = 128  /* some other element of C */
};

typedef struct {
    ir_op *chain[IT_n]; /* outermost first */
    ir_op *init;        /* a store before the last loop */
    ir_op *store;
    int n;
    bool reduce; /* the last loop carries the sum, and the store is behind it */
    int *bits;   /* by value id, of values inside */
} nest;

/* The only loop and the only store of a region whose other ops have no effect; false: no such. */
static bool parts(const ir_region *r, ir_op **loop, ir_op **store, bool *before) {
    *loop = *store = NULL;
    *before = false;
    for (ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_for && !*loop) {
            *loop = op;
            *before = *store != NULL;
        } else if (op->code == OP_store && !*store)
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
    bool before;
    for (ir_op *op = top, *inner, *store; op; op = inner) {
        if (n->n == IT_n || !unit_step(op) || !parts(op->reg[0], &inner, &store, &before))
            return false;
        n->chain[n->n++] = op;
        n->reduce = op->nout > 0;
        if (n->reduce) /* behind it the store that parts saw in the loop around */
            return n->n == IT_n && op->nout == 1 && !inner && !store && n->store;
        if (before && n->n == IT_n - 1 && !inner->nout)
            n->init = store;
        else if (store && inner && (before || !inner->nout))
            return false;
        n->store = store;
    }
    return n->n == IT_n && n->store;
}

/* The same number: the same value, or constants and extents made twice. */
static bool same(const ir_value *a, const ir_value *b, int depth) {
    if (a == b)
        return true;
    const ir_op *x = a->def, *y = b->def;
    if (!x || !y || !depth || x->code != y->code || x->nreg || ir_ops[x->code].effect != EFF_PURE ||
        x->nin != y->nin || x->attr[0].i != y->attr[0].i || x->attr[0].f != y->attr[0].f ||
        !ir_type_eq(a->type, b->type))
        return false;
    for (int i = 0; i < x->nin; i++)
        if (!same(x->in[i], y->in[i], depth - 1))
            return false;
    return true;
}

/* The subscripts from x->in[i] and y->in[j] on are the same. */
static bool same_place(const ir_op *x, int i, const ir_op *y, int j) {
    enum { DEPTH = 6 };
    bool is = x->in[0] == y->in[0] && x->nin - i == y->nin - j;
    for (; is && i < x->nin; i++, j++)
        is = same(x->in[i], y->in[j], DEPTH);
    return is;
}

static bool is_element(const ir_value *v, const ir_op *store) {
    return v->def && v->def->code == OP_load && same_place(v->def, 1, store, 2);
}

static int bits_of(const nest *n, const ir_value *v) {
    return ir_inside(v, n->chain[0]->reg[0]) ? n->bits[v->id] : 0;
}

static void fill(nest *n, int place) {
    ir_op *loop = n->chain[place];
    n->bits[loop->reg[0]->args[0]->id] = 1 << place;
    if (loop->nout)
        n->bits[loop->reg[0]->args[1]->id] = n->bits[loop->out[0]->id] = SUM;
    for (ir_op *op = loop->reg[0]->first; op; op = op->next) {
        if (place + 1 < n->n && op == n->chain[place + 1]) {
            fill(n, place + 1);
            continue;
        }
        int bits = op->nreg ? OTHER : 0;
        if (op->code == OP_load)
            bits = LOADS | (op->in[0] != n->store->in[0]       ? 0
                            : is_element(op->out[0], n->store) ? ELEMENT
                                                               : OTHERS);
        for (int i = 0; i < op->nin; i++)
            bits |= bits_of(n, op->in[i]);
        for (int i = 0; i < op->nout; i++)
            n->bits[op->out[i]->id] = bits;
    }
}

static bool sums(dtype t) { return t == DT_f32 || t == DT_f64 || t == DT_i32 || t == DT_i64; }

/* Bounds that do not depend on the nest. */
static bool box(const nest *n) {
    for (int i = 0; i < n->n; i++)
        for (int k = 0; k < 2; k++)
            if (bits_of(n, n->chain[i]->in[k]))
                return false;
    return true;
}

/* Numbers the loops by the subscripts of the store; role[IT_..] is the place in the chain. A
   subscript that may be negative is no place of its own: it counts from the end. */
static bool roles(const nest *n, int *role) {
    int seen[2] = {-1, -1}, k = 0;
    for (int i = 2; i < n->store->nin; i++) {
        const ir_value *x = n->store->in[i];
        int bits = bits_of(n, x), at = bits == 1 ? 0 : bits == 2 ? 1 : 2;
        if (!(bits & ~LOADS))
            continue;
        if (k == 2 || x != n->chain[at]->reg[0]->args[0] || !(n->store->attr[0].i >> (i - 2) & 1))
            return false;
        seen[k++] = at;
    }
    if (k < 2 || seen[0] == seen[1])
        return false;
    role[IT_i] = seen[0];
    role[IT_j] = seen[1];
    role[IT_k] = 3 - seen[0] - seen[1];
    return !(n->reduce || n->init) || role[IT_k] == 2;
}

static bool factors(const nest *n, const int *role, ir_op *mul, contraction *c) {
    int i = 1 << role[IT_i], j = 1 << role[IT_j], k = 1 << role[IT_k];
    bool swapped = bits_of(n, mul->in[0]) & j;
    c->f = mul->in[swapped];
    c->g = mul->in[!swapped];
    int f = bits_of(n, c->f), g = bits_of(n, c->g);
    return !(f & ~(i | k | LOADS)) && !(g & ~(j | k | LOADS)) && (f & i) && (g & j);
}

/* The product in `add`, which adds it to what `is` says. */
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

static bool recognise(ir_op *top, int *bits, contraction *c) {
    nest n = {.bits = bits};
    int role[IT_n];
    if (!find(top, &n))
        return false;
    fill(&n, 0);
    if (!box(&n) || !roles(&n, role) || (n.init && !same_place(n.init, 2, n.store, 2)))
        return false;
    *c = (contraction){.top = top, .store = n.store};
    for (int i = 0; i < IT_n; i++)
        c->loop[i] = n.chain[role[i]];
    ir_op *last = n.chain[IT_n - 1];
    ir_value *next = n.reduce ? last->reg[0]->last->in[0] : n.store->in[1];
    ir_op *mul =
        n.reduce ? product(next->def, is_carried, last) : product(next->def, is_element, n.store);
    c->sum = n.reduce ? last->out[0] : NULL;
    c->first = n.reduce ? last->in[3] : n.init ? n.init->in[1] : NULL;
    c->plain = !n.reduce || n.store->in[1] == c->sum;
    int used =
        (c->first ? bits_of(&n, c->first) : 0) | (n.reduce ? bits_of(&n, n.store->in[1]) : 0);
    if (!mul || !factors(&n, role, mul, c) || used & (OTHER | OTHERS))
        return false;
    c->acc = (dtype)next->type.dt;
    return sums(c->acc) && (!c->plain || n.store->in[0]->type.dt == c->acc);
}

typedef struct {
    ir_func *f;
    int width_bytes, *bits;
    copies *made;
} contracts;

static void walk(contracts *s, ir_region *r) {
    contraction c;
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_for && !op->nout && recognise(op, s->bits, &c)) {
            contract_block(s->f, &c, s->made, s->width_bytes);
            continue;
        }
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i]);
    }
}

status pass_contract(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    bool ordered = f->simt || f->prints || o->alias || o->fastmath < 0 ||
                   ir_has_op(f->body, OP_trap) || ir_has_op(f->body, OP_task) ||
                   ir_has_op(f->body, OP_pipeline);
    if (ordered || !ir_has_op(f->body, OP_for))
        return OK;
    /* New values are looked up by nobody: nests do not meet. */
    copies made = {ARENA_ARRAY(f->mem, ir_value *, f->nvalues),
                   ARENA_ARRAY(f->mem, uint32_t, f->nvalues), 0};
    contracts s = {f, o->width_bytes, ARENA_ARRAY(f->mem, int, f->nvalues), &made};
    walk(&s, f->body);
    return OK;
}
