/* Recognises contractions: loops of step 1, or work-items and loops in them, in any order, that sum
   products of a factor of (rows, sums) and one of (columns, sums) into an element of its own for
   each row and column, in a variable or in memory: products of matrices and tensors, convolutions.
   The arguments do not overlap where this pass runs, and the order of a recognised accumulation is
   free. The factors may be any expressions; conditions around the product are kept with the factor
   that they are of. */
#include "pass/contract_nest.h"

/* What a value comes of: the iterators (1 << number) and these. */
enum {
    ITERATORS = (1 << MAX_ITER) - 1,
    SUM = 1 << 8,      /* the sum itself */
    LOADS = 1 << 9,    /* a load */
    ELEMENT = 1 << 10, /* the element of C that is stored to */
    OTHERS = 1 << 11,  /* some other element of C */
};

/* The subscripts of x from operand i on and of y from j on are the same. */
static bool same_place(const ir_op *x, int i, const ir_op *y, int j) {
    bool is = x->in[0] == y->in[0] && x->nin - i == y->nin - j;
    for (; is && i < x->nin; i++, j++)
        is = ana_same(x->in[i], y->in[j]);
    return is;
}

static bool is_element(const ir_value *v, const ir_op *store) {
    return v->def && v->def->code == OP_load && same_place(v->def, 1, store, 2);
}

int nest_bits(const nest *n, const ir_value *v) {
    return ir_inside(v, n->c->top->reg[0]) ? n->bits[v->id] : 0;
}

int nest_iterator(const contraction *c, const ir_value *v) {
    bool id = v->def && v->def->code == OP_gid;
    for (int i = 0; i < c->nit; i++)
        if (v == c->it[i].counter || (id && !c->it[i].counter && c->it[i].dim == v->def->attr[0].i))
            return i;
    return -1;
}

static void fill(nest *n, const ir_region *r) {
    const contraction *c = n->c;
    for (uint32_t i = 0; i < r->nargs; i++) {
        int it = nest_iterator(c, r->args[i]);
        n->bits[r->args[i]->id] = it < 0 ? SUM : 1 << it;
    }
    for (const ir_op *op = r->first; op; op = op->next) {
        int bits = 0, it = op->nout ? nest_iterator(c, op->out[0]) : -1;
        for (int i = 0; i < op->nin; i++)
            bits |= nest_bits(n, op->in[i]);
        for (int i = 0; i < op->nreg; i++) {
            fill(n, op->reg[i]);
            for (int k = 0; op->reg[i]->last && k < op->reg[i]->last->nin; k++)
                bits |= nest_bits(n, op->reg[i]->last->in[k]);
        }
        if (op->code == OP_load)
            bits |= LOADS | (op->in[0] != c->store->in[0]       ? 0
                             : is_element(op->out[0], c->store) ? ELEMENT
                                                                : OTHERS);
        bits = it >= 0 ? 1 << it : nest_has(n, op) ? SUM : bits;
        for (int i = 0; i < op->nout; i++)
            n->bits[op->out[i]->id] = bits;
    }
}

/* Parts the iterators by the subscripts of the store. One that may be negative is no place of its
   own: it counts from the end. `in` are the iterators of the two factors. Outer iterators are
   those of the store alone, where it is not in the innermost loop. */
static bool part(const nest *n, const int *in, bool *swapped) {
    contraction *c = n->c;
    int seen = 0, order[MAX_ITER], k = 0;
    for (int i = 2; i < c->store->nin; i++) {
        const ir_value *x = c->store->in[i];
        int at = nest_iterator(c, x);
        if (at < 0 && !(nest_bits(n, x) & ~LOADS))
            continue;
        if (at < 0 || seen >> at & 1 || !(c->store->attr[0].i >> (i - 2) & 1))
            return false;
        order[k++] = at;
        seen |= 1 << at;
    }
    if (k < 2 || (n->summing >= 0 && seen != (1 << n->summing) - 1))
        return false;
    int last = k - 1; /* C's fastest subscript that is no batch's */
    while (last > 0 && in[0] >> order[last] & in[1] >> order[last] & 1)
        last--;
    *swapped = in[0] >> order[last] & 1;
    for (int i = 0; i < k; i++) {
        bool row = in[*swapped] >> order[i] & 1, col = in[!*swapped] >> order[i] & 1;
        if (row && col && !c->it[order[i]].counter) {
            c->batch[c->nbatch++] = order[i];
            continue;
        }
        if (row == col)
            return false;
        int g = row ? G_rows : G_cols;
        c->group[g][c->size[g]++] = order[i];
    }
    for (int i = 0; i < c->nit; i++)
        if (!(seen >> i & 1)) {
            c->group[G_sums][c->size[G_sums]++] = i;
            if (!c->it[i].counter)
                return false;
        }
    return c->size[G_rows] && c->size[G_cols] && c->size[G_sums];
}

static int set_of(const contraction *c, int g) {
    int bits = 0;
    for (int i = 0; i < c->size[g]; i++)
        bits |= 1 << c->group[g][i];
    return bits;
}

/* A bound of one row or column iterator, where no more than that depends on it. */
static bool clips(const nest *n, const contract_guard *g) {
    static const int mirror[][2] = {{OP_lt, OP_gt}, {OP_gt, OP_lt}, {OP_le, OP_ge}, {OP_ge, OP_le}};
    contraction *c = n->c;
    int code;
    ir_value *v[2];
    if ((n->summing >= 0 && !g->outer) || (g->bits & set_of(c, G_sums)) ||
        !ana_compares(g->is, &code, &v[0], &v[1]))
        return false;
    for (int k = 0; k < 2; k++) {
        int it = nest_iterator(c, v[k]), as = code;
        for (int i = 0; k && i < 4; i++)
            as = mirror[i][0] == code ? mirror[i][1] : as;
        if (it < 0 || nest_bits(n, v[1 - k]))
            continue;
        c->clip[c->nclip++] = (contract_clip){it, as, v[1 - k]};
        return true;
    }
    return false;
}

static bool guards(nest *n) {
    contraction *c = n->c;
    for (int i = 0; i < n->nguard; i++) {
        contract_guard *g = &n->guard[i];
        g->bits = nest_bits(n, g->is.cond);
        if (clips(n, g))
            continue;
        int side = g->bits & set_of(c, G_rows) ? G_rows : G_cols;
        if ((n->summing >= 0 && g->outer) || (g->bits & ~(ITERATORS | LOADS)) ||
            (side == G_rows && g->bits & set_of(c, G_cols)))
            return nest_no(n, "a condition is of more than one factor");
        c->guard[side][c->nguard[side]++] = *g;
    }
    return true;
}

/* v is iterator it times something else. */
static bool product_of(const nest *n, const ir_value *v, int it) {
    const ir_op *op = v->def;
    for (int i = 0; op && op->code == OP_mul && i < 2; i++)
        if (nest_iterator(n->c, op->in[i]) == it && !nest_bits(n, op->in[1 - i]))
            return true;
    return false;
}

/* v grows by one with iterator it; or would if `one`, which is set then, were 1 times it. */
static bool unit(const nest *n, ir_value *v, int it, ir_value **one) {
    const ir_op *op = v->def;
    if (nest_iterator(n->c, v) == it)
        return true;
    if (one && product_of(n, v, it)) {
        *one = v;
        return true;
    }
    if (!op || (op->code != OP_add && op->code != OP_sub))
        return false;
    int a = nest_bits(n, op->in[0]) >> it & 1, b = nest_bits(n, op->in[1]) >> it & 1;
    return a != b && (a || op->code == OP_add) && unit(n, op->in[!a], it, one);
}

/* All loads that depend on iterator it are consecutive along it; side >= 0: of that factor, where
   some products may have to be 1 times it. */
static bool unit_loads(const nest *n, const ir_region *r, int it, int side) {
    contraction *c = n->c;
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            if (!unit_loads(n, op->reg[i], it, side))
                return false;
        if (op->code != OP_load || op->in[0] == c->store->in[0])
            continue;
        for (int i = 1; i < op->nin; i++) {
            ir_value *one = NULL;
            if (!(nest_bits(n, op->in[i]) >> it & 1))
                continue;
            if (i + 1 < op->nin || op->in[0]->type.contig != IR_UNIT ||
                !unit(n, op->in[i], it, side < 0 ? NULL : &one) ||
                (one && c->none[side] == MAX_ONE))
                return false;
            if (one)
                c->one[side][c->none[side]++] = one;
        }
    }
    return true;
}

static int last_of(const contraction *c, int g) { return c->group[g][c->size[g] - 1]; }

static ir_op *load_of(const ir_value *factor) {
    ir_op *op = factor->def;
    while (op && op->code == OP_cast)
        op = op->in[0]->def;
    return op && op->code == OP_load ? op : NULL;
}

/* The factor is one load, consecutive along the last of the sums. */
static bool unit_along_sums(const nest *n, const ir_value *factor) {
    const ir_op *op = load_of(factor);
    return op && op->in[0]->type.contig == IR_UNIT &&
           unit(n, op->in[op->nin - 1], last_of(n->c, G_sums), NULL);
}

/* The factor is one load, whose last subscripts are all of the sums' iterators in order. */
static ir_op *whole(const nest *n, const ir_value *factor) {
    const contraction *c = n->c;
    ir_op *op = load_of(factor);
    int first = op ? op->nin - c->size[G_sums] : 0;
    bool is = first >= 1 && op->in[0]->type.contig == IR_UNIT;
    for (int i = 0; is && i < c->size[G_sums]; i++)
        is = nest_iterator(c, op->in[first + i]) == c->group[G_sums][i] &&
             op->attr[0].i >> (first - 1 + i) & 1;
    for (int i = 1; is && i < first; i++)
        is = !(nest_bits(n, op->in[i]) & set_of(c, G_sums));
    return is ? op : NULL;
}

static bool sums(dtype t) { return t == DT_f32 || t == DT_f64 || t == DT_i32 || t == DT_i64; }

/* Bounds that do not depend on the nest. */
static bool box(const nest *n) {
    for (int i = 0; i < n->c->nit; i++)
        if (n->c->it[i].counter && (nest_bits(n, n->c->it[i].lo) || nest_bits(n, n->c->it[i].hi)))
            return false;
    return true;
}

/* v is an i64 made of an i32. */
static bool is_widened(const ir_value *v) {
    return v->def && v->def->code == OP_cast && v->type.dt == DT_i64 &&
           v->def->in[0]->type.dt == DT_i32;
}

/* A sum in 64 bits of products in 32, of which 32 bits are stored: it may as well be made in 32. */
static bool narrows(const nest *n) {
    const contraction *c = n->c;
    const ir_op *cast = c->sum ? c->store->in[1]->def : NULL;
    return cast && cast->code == OP_cast && cast->in[0] == c->sum &&
           cast->out[0]->type.dt == DT_i32 && c->sum->type.dt == DT_i64;
}

/* The product in n->next, which adds it to the sum. */
static ir_op *product(const nest *n) {
    const ir_op *add = n->next->def;
    for (int i = 0; add && add->code == OP_add && i < 2; i++) {
        const ir_value *term = add->in[1 - i];
        ir_op *mul = is_widened(term) && narrows(n) ? term->def->in[0]->def : term->def;
        bool sum = n->carried ? add->in[i] == n->carried : is_element(add->in[i], n->c->store);
        if (sum && mul && mul->code == OP_mul && mul->parent == add->parent)
            return mul;
    }
    return NULL;
}

static bool factors(nest *n) {
    contraction *c = n->c;
    ir_op *mul = product(n);
    bool swapped;
    if (!mul)
        return nest_no(n, "what is added up is no product");
    int in[2] = {nest_bits(n, mul->in[0]), nest_bits(n, mul->in[1])};
    if ((in[0] | in[1]) & ~(ITERATORS | LOADS))
        return nest_no(n, "a factor depends on the sum or on what is stored");
    if (!part(n, in, &swapped))
        return nest_no(
            n, "the loops do not part into rows, columns and sums: each subscript of what is "
               "stored must be a loop's variable, of one of the factors alone, and none "
               "negative");
    c->factor[G_rows] = mul->in[swapped];
    c->factor[G_cols] = mul->in[!swapped];
    return (!(in[swapped] & set_of(c, G_cols)) && !(in[!swapped] & set_of(c, G_rows))) ||
           nest_no(n, "a factor depends on rows and columns");
}

static bool recognise(nest *n) {
    contraction *c = n->c;
    if (!nest_find(n, c->top->reg[0]) || !c->store || !n->next)
        return false;
    fill(n, c->top->reg[0]);
    if (!box(n))
        return nest_no(n, "the bounds of a loop depend on those around it");
    if (!factors(n) || !guards(n))
        return false;
    if (n->init && !same_place(n->init, 2, c->store, 2))
        return nest_no(n, "another element is set before the sum");
    if (n->init)
        c->first = n->init->in[1];
    bool narrow = narrows(n) && c->factor[0]->type.dt == DT_i32;
    c->plain = !c->sum || c->store->in[1] == c->sum || narrow;
    int used =
        (c->first ? nest_bits(n, c->first) : 0) | nest_bits(n, c->sum ? c->store->in[1] : n->next);
    c->acc = narrow ? DT_i32 : (dtype)n->next->type.dt;
    for (int g = 0; g < 2; g++) {
        c->unit[g] = unit_loads(n, c->top->reg[0], last_of(c, g), g);
        c->unit_sums[g] = unit_along_sums(n, c->factor[g]);
        c->narrow[g] = load_of(c->factor[g]);
    }
    c->whole = whole(n, c->factor[G_rows]);
    int last = last_of(c, G_cols);
    c->unit_store = c->store->in[0]->type.contig == IR_UNIT &&
                    nest_iterator(c, c->store->in[c->store->nin - 1]) == last;
    /* Work-items that are one block now would run on one thread. */
    c->vectors = c->top->code != OP_lanes && !c->sum && last == c->nit - 1;
    if (used & OTHERS)
        return nest_no(n, "other elements of what is stored to are read");
    return (sums(c->acc) && (!c->plain || c->store->in[0]->type.dt == c->acc)) ||
           nest_no(n, "sums of this type, or stored as another, are not blocked");
}

static bool start(contraction *c, nest *n, ir_op *top, int *bits) {
    *c = (contraction){.top = top};
    *n = (nest){.c = c, .bits = bits, .summing = -1};
    return top->code == OP_lanes || (!top->nout && nest_loop(n, top));
}

static void add_ids(contraction *c, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_gid && nest_iterator(c, op->out[0]) < 0)
            c->it[c->nit++] = (iterator){.dim = (int)op->attr[0].i};
        for (int i = 0; i < op->nreg; i++)
            add_ids(c, op->reg[i]);
    }
}

typedef struct {
    ir_func *f;
    const pass_options *o;
    int *bits;
    copies *made;
    const char *told; /* why the loops around are none */
} contracts;

static int depth(const ir_region *r) {
    int most = 0;
    for (const ir_op *op = r->first; op; op = op->next)
        for (int i = 0; i < op->nreg; i++) {
            int d = depth(op->reg[i]) + (op->code == OP_for);
            most = d > most ? d : most;
        }
    return most;
}

/* Of fewer loops nobody expects one. */
static void explain_not(contracts *s, const ir_op *top, const nest *n) {
    bool items = top->code == OP_lanes;
    if (s->o->notes && n->why && n->why != s->told && depth(top->reg[0]) >= (items ? 1 : 2))
        pass_note(s->o, s->f, items ? top->reg[0]->first : top, "%s%s: no contraction: %s",
                  items ? "work-items" : "loops ", items ? "" : pass_loops(s->f, top), n->why);
    s->told = n->why;
}

static void explain(const contracts *s, const contraction *c) {
    static const char *const label[] = {"rows", ", columns", ", summed over"};
    str text = {0};
    for (int g = 0; s->o->notes && g < G_n; g++) {
        str_add(&text, label[g]);
        for (int i = 0; i < c->size[g]; i++) {
            const iterator *it = &c->it[c->group[g][i]];
            if (it->counter)
                str_addf(&text, "%s %s", i ? "," : "", it->counter->name ? it->counter->name : "_");
            else
                str_addf(&text, "%s id %d", i ? "," : "", it->dim);
        }
    }
    pass_note(s->o, s->f, c->top->code == OP_lanes ? c->store : c->top,
              "a contraction (%s): packed and blocked for registers%s, on all threads",
              text.p ? text.p : "",
              c->nguard[0] || c->nguard[1] ? ", conditions with the factors" : "");
    str_free(&text);
}

static bool contract(contracts *s, ir_op *top) {
    contraction c;
    nest n;
    if (!start(&c, &n, top, s->bits))
        return false;
    if (top->code == OP_lanes)
        add_ids(&c, top->reg[0]);
    if (!recognise(&n)) {
        explain_not(s, top, &n);
        return false;
    }
    nest_taps(&n, s->f);
    explain(s, &c);
    contract_block(s->f, &c, s->made, s->o);
    return true;
}

static void walk(contracts *s, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_for && contract(s, op))
            continue;
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i]);
        s->told = r->owner ? s->told : NULL;
    }
}

/* The kernel is one contraction of all work-items. Then the launcher makes one block of them. */
static void work_items(contracts *s) {
    ir_op *lanes = pass_work_items(s->f);
    s->f->whole = lanes && contract(s, lanes);
}

status pass_contract(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    bool ordered = f->prints || o->alias || o->fastmath < 0 || ir_has_op(f->body, OP_trap) ||
                   ir_has_op(f->body, OP_touch) || ir_has_op(f->body, OP_task) ||
                   ir_has_op(f->body, OP_pipeline);
    if (ordered || !ir_has_op(f->body, OP_for))
        return OK;
    /* New values are looked up by nobody: nests do not meet. */
    copies made = {ARENA_ARRAY(f->mem, ir_value *, f->nvalues),
                   ARENA_ARRAY(f->mem, uint32_t, f->nvalues), 0};
    contracts s = {f, o, ARENA_ARRAY(f->mem, int, f->nvalues), &made, NULL};
    if (f->simt)
        work_items(&s);
    else
        walk(&s, f->body);
    return OK;
}
