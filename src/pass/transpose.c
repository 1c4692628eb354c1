/* Two loops, or work-items along two dimensions, that copy along the rows of one tensor and the
   columns of another touch a line of memory for each element. Here they go in squares of as many
   rows as a vector has lanes, turned over in registers, so that both sides are read and written in
   whole vectors. */
#include "ana/guard.h"
#include "pass/spread.h"
#include <math.h>
#include <string.h>

/* One of the two directions. */
typedef struct {
    const ir_value *counter; /* of a loop; NULL: the global id along dim */
    int dim;
    ir_value *lo, *hi;  /* where it goes */
    ir_value *load_end; /* what is beyond is not loaded, but zero; NULL: hi */
} direction;

enum { MAX_BOUNDS = 8, MAX_LANES = 16 };

typedef struct {
    ir_func *f;
    ir_region *r;
    ir_op *top; /* the outer loop, or the lanes */
    const ir_op *load, *store;
    const ir_value *loaded; /* or zero, under conditions */
    int lanes;
    bool narrow; /* not all processors have masks for such elements */
    direction way[2];
    ana_guard at_load[MAX_BOUNDS], at_store[MAX_BOUNDS];
    int nload, nstore;
} turned;

static ir_value *emit(turned *t, int code, ir_type type, unsigned n, ir_value *const *in) {
    return ir_emit(t->f, t->r, t->top->site, code, type, n, in);
}
static ir_value *two(turned *t, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return emit(t, code, a->type, 2, in);
}
static ir_value *number(turned *t, int64_t v) {
    return ir_iconst(t->f, t->r, t->top->site, DT_i64, v);
}
static ir_value *splat(turned *t, ir_value *v) {
    return emit(t, OP_splat, ir_val((dtype)v->type.dt, (unsigned)t->lanes), 1, &v);
}

/* Which direction v is; -1: neither. */
static int way_of(const turned *t, const ir_value *v) {
    for (int k = 0; k < 2; k++) {
        const direction *w = &t->way[k];
        bool id = !w->counter && v->def && v->def->code == OP_gid && v->def->attr[0].i == w->dim;
        if (id || (w->counter && v == w->counter))
            return k;
    }
    return -1;
}

/* v is known before op, or may be: then it is made there. */
static bool hoist(ir_op *op, const ir_value *v) {
    ir_op *def = v->def;
    if (!ir_inside(v, op->reg[0]))
        return true;
    if (!def || def->nreg || ir_ops[def->code].effect != EFF_PURE || def->code == OP_gid ||
        def->code == OP_lid)
        return false;
    for (int i = 0; i < def->nin; i++)
        if (!hoist(op, def->in[i]))
            return false;
    ir_remove(def);
    ir_before(op, def);
    return true;
}

/* The two directions subscript op once each, and nothing else of what is turned does. */
static bool once_each(const turned *t, const ir_op *op) {
    int seen[2] = {0, 0};
    for (int i = ir_subscripts(op); i < op->nin; i++) {
        int k = way_of(t, op->in[i]);
        if (k >= 0)
            seen[k]++;
        else if (!hoist(t->top, op->in[i]))
            return false;
    }
    return seen[0] == 1 && seen[1] == 1;
}

/* Direction 0 is along the load's rows, 1 along the store's; all subscripts are plain. */
static bool is_turned(turned *t, int width_bytes) {
    const ir_op *load = t->load, *store = t->store;
    int bytes = dtype_table[load->in[0]->type.dt].bytes,
        to = dtype_table[store->in[0]->type.dt].bytes;
    t->narrow = bytes < 4 || to < 4;
    bytes = bytes > to ? bytes : to;
    t->lanes = width_bytes / bytes < MAX_LANES ? width_bytes / bytes : MAX_LANES;
    if (t->lanes < 4 || load->in[0]->type.contig != IR_UNIT ||
        store->in[0]->type.contig != IR_UNIT || load->in[0] == store->in[0] ||
        load->nin != store->nin - 1 || load->nin < 3)
        return false;
    if (way_of(t, load->in[load->nin - 1]) == 1) {
        direction w = t->way[0];
        t->way[0] = t->way[1];
        t->way[1] = w;
    }
    int64_t plain = ((int64_t)1 << (load->nin - 1)) - 1;
    return way_of(t, load->in[load->nin - 1]) == 0 && way_of(t, store->in[store->nin - 1]) == 1 &&
           once_each(t, load) && once_each(t, store) && (load->attr[0].i & plain) == plain &&
           (store->attr[0].i & plain) == plain;
}

static bool is_zero(const ir_value *v) {
    const ir_op *op = v->def;
    return op && ((op->code == OP_iconst && !op->attr[0].i) ||
                  (op->code == OP_fconst && op->attr[0].f == 0 && !signbit(op->attr[0].f)));
}

/* The load that v is, converted or not, or that it is under conditions and else zero. */
static bool find_load(turned *t, const ir_value *v) {
    const ir_op *op = v->def;
    while (t->nload && op && op->code == OP_cast)
        op = op->in[0]->def;
    if (op && op->code == OP_load) {
        t->load = op;
        return true;
    }
    if (!op || op->code != OP_if || op->nout != 1 || t->nload || !is_zero(op->reg[1]->last->in[0]))
        return false;
    t->nload = ana_conjuncts((ana_guard){op->in[0], true}, t->at_load, MAX_BOUNDS);
    return find_load(t, op->reg[0]->last->in[0]);
}

/* v is made of one thing loaded and of what is the same for all, element by element. */
static bool find_value(turned *t, const ir_value *v, int *budget) {
    const ir_op *op = v->def;
    if (!ir_inside(v, t->top->reg[0]) || v == t->loaded)
        return true;
    if (op && (op->code == OP_load || op->code == OP_if)) {
        bool first = !t->loaded;
        t->loaded = first ? v : t->loaded;
        return first && find_load(t, v);
    }
    bool map = op && !op->nreg && ir_ops[op->code].effect == EFF_PURE &&
               (op->code <= OP_isnan || op->code == OP_dim);
    if (!map || op->code == OP_iszero || op->code == OP_overflows || --*budget < 0)
        return false;
    for (int i = 0; op->code != OP_dim && i < op->nin; i++)
        if (!find_value(t, op->in[i], budget))
            return false;
    return true;
}

static bool find_stored(turned *t) {
    enum { MOST = 12 };
    int budget = MOST;
    return t->store && find_value(t, t->store->in[1], &budget) && t->load;
}

/* outer and a loop in it: for p: for q: store[.., p, .., q] = load[.., q, .., p], in any order of
 * the loops. */
static bool find_loops(turned *t) {
    const ir_op *inner = NULL, *outer = t->top;
    for (const ir_op *op = outer->reg[0]->first; op; op = op->next) {
        if (op->code == OP_for && !inner)
            inner = op;
        else if (op->nreg || (op->code != OP_yield && ir_ops[op->code].effect != EFF_PURE))
            return false;
    }
    if (!inner || inner->nout || outer->nout)
        return false;
    for (const ir_op *op = inner->reg[0]->first; op; op = op->next) {
        bool value = op->code == OP_yield || op->code == OP_load ||
                     (!op->nreg && ir_ops[op->code].effect == EFF_PURE);
        if (op->code == OP_store && !t->store)
            t->store = op;
        else if (!value)
            return false;
    }
    if (!find_stored(t))
        return false;
    const ir_op *loop[2] = {outer, inner};
    for (int k = 0; k < 2; k++)
        t->way[k] = (direction){loop[k]->reg[0]->args[0], 0, loop[k]->in[0], loop[k]->in[1], NULL};
    return hoist(t->top, inner->in[0]) && hoist(t->top, inner->in[1]);
}

/* Values, conditions and one store, behind which nothing else happens. */
static bool find_store(turned *t, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        bool value = op->code == OP_yield || op->code == OP_load ||
                     (!op->nreg && ir_ops[op->code].effect == EFF_PURE);
        if (op->code == OP_store && !t->store) {
            t->store = op;
        } else if (op->code == OP_if && op->nout == 1) {
            if (ir_has_op(op->reg[0], OP_store) || ir_has_op(op->reg[1], OP_store) ||
                ir_has_op(op->reg[0], OP_for) || ir_has_op(op->reg[1], OP_for))
                return false;
        } else if (op->code == OP_if && !op->nout && !t->store &&
                   op->reg[1]->first == op->reg[1]->last && MAX_BOUNDS - t->nstore > 1) {
            t->nstore += ana_conjuncts((ana_guard){op->in[0], true}, t->at_store + t->nstore,
                                       MAX_BOUNDS - t->nstore);
            if (!find_store(t, op->reg[0]))
                return false;
        } else if (!value)
            return false;
    }
    return true;
}

/* Dims of the two ids that are asked for; false: it is not two. */
static bool two_ids(const turned *t, const ir_op *op, int *dims) {
    int n = 0;
    for (int i = ir_subscripts(op); i < op->nin; i++)
        if (op->in[i]->def && op->in[i]->def->code == OP_gid && n++ < 2)
            dims[n - 1] = (int)op->in[i]->def->attr[0].i;
    (void)t;
    return n == 2 && dims[0] != dims[1];
}

static ir_value *of_block(turned *t, const char *what, int dim) {
    ir_value *v = emit(t, OP_blk, ir_val(DT_i64, 1), 0, NULL);
    v->def->attr[0].s = what;
    v->def->attr[1].i = dim;
    return v;
}

/* The id that g bounds from above: *end is its bound, in *plus more; -1: g is nothing like it. */
static int bounded(turned *t, ana_guard g, ir_value **end, int *plus) {
    int code;
    ir_value *a, *b;
    if (!ana_compares(g, &code, &a, &b))
        return -1;
    bool left = code == OP_lt || code == OP_le;
    *end = left ? b : a;
    *plus = code == OP_le || code == OP_ge;
    int k = way_of(t, left ? a : b);
    return k >= 0 && hoist(t->top, *end) ? k : -1;
}

static ir_value *least(turned *t, const ana_guard *g, int n, int way, ir_value *hi) {
    for (int i = 0; i < n; i++) {
        ir_value *end;
        int plus;
        if (bounded(t, g[i], &end, &plus) == way)
            hi = two(t, OP_min, hi, plus ? two(t, OP_add, end, number(t, 1)) : end);
    }
    return hi;
}

static bool find_items(turned *t) {
    int dims[2];
    if (!find_store(t, t->top->reg[0]) || !find_stored(t) || !two_ids(t, t->load, dims))
        return false;
    for (int k = 0; k < 2; k++)
        t->way[k] = (direction){.dim = dims[k]};
    ir_value *end;
    int plus;
    for (int i = 0; i < t->nload + t->nstore; i++) {
        ana_guard g = i < t->nload ? t->at_load[i] : t->at_store[i - t->nload];
        if (bounded(t, g, &end, &plus) < 0)
            return false;
    }
    return true;
}

/* What the block's ids are, as far as the conditions let them. */
static void bounds(turned *t) {
    for (int k = 0; k < 2; k++) {
        direction *w = &t->way[k];
        if (w->lo)
            continue;
        w->lo = of_block(t, "lo", w->dim);
        w->hi = two(t, OP_add, w->lo, of_block(t, "n", w->dim));
        w->hi = least(t, t->at_store, t->nstore, k, w->hi);
        w->load_end = least(t, t->at_load, t->nload, k, w->hi);
    }
}

/* op's subscripts for the square's origin, or with row r of it. */
static ir_op *access(turned *t, int code, const ir_op *op, unsigned head, ir_value *const *now) {
    int from = ir_subscripts(op), n = op->nin - from;
    ir_op *x =
        ir_op_new(t->f, code, op->site, head + (unsigned)n, code == OP_vload || code == OP_load, 0);
    x->in[0] = op->in[0];
    for (int i = 0; i < n; i++) {
        int k = way_of(t, op->in[from + i]);
        x->in[head + (unsigned)i] = k < 0 ? op->in[from + i] : now[k];
    }
    x->attr[0] = op->attr[0];
    return x;
}

/* iota < n - at */
static ir_value *below(turned *t, ir_value *n, ir_value *at) {
    ir_value *in[2] = {emit(t, OP_iota, ir_val(DT_i64, (unsigned)t->lanes), 0, NULL),
                       splat(t, two(t, OP_sub, n, at))};
    return emit(t, OP_lt, ir_val(DT_bool, (unsigned)t->lanes), 2, in);
}

/* v for what was loaded, an element or a row of the square. */
static ir_value *value(turned *t, ir_value *v, ir_value *loaded) {
    const ir_op *op = v->def;
    if (op == t->load)
        return loaded;
    if (v == t->loaded) /* zero elsewhere, as what is not loaded is */
        return value(t, op->reg[0]->last->in[0], loaded);
    if (hoist(t->top, v))
        return loaded->type.lanes > 1 ? splat(t, v) : v;
    ir_op *n = ir_op_new(t->f, op->code, op->site, op->nin, 1, 0);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = value(t, op->in[i], loaded);
    n->attr[0] = op->attr[0];
    n->out[0]->type = ir_val((dtype)v->type.dt, loaded->type.lanes);
    ir_append(t->r, n);
    return n->out[0];
}

static ir_value *load_end(const direction *w) { return w->load_end ? w->load_end : w->hi; }

/* Is row r of the square, from `at` on, below end? */
static ir_value *is_row(turned *t, ir_value *at, unsigned r, ir_value *end, ir_value **row) {
    *row = two(t, OP_add, at, number(t, r));
    ir_value *cmp[2] = {*row, end};
    return splat(t, emit(t, OP_lt, ir_val(DT_bool, 1), 2, cmp));
}

/* One square: p is along the load's rows, q along the store's. */
static void square(turned *t, ir_value *p, ir_value *q, bool whole) {
    unsigned n = (unsigned)t->lanes;
    ir_type vt = ir_val((dtype)t->load->in[0]->type.dt, n);
    const direction *w = t->way;
    ir_value *row, *all = splat(t, ir_iconst(t->f, t->r, t->top->site, DT_bool, 1));
    ir_value *in_p = whole ? all : below(t, load_end(&w[0]), p);
    ir_value *in_q = whole ? all : below(t, w[1].hi, q);
    ir_op *turn = ir_op_new(t->f, OP_transpose, t->top->site, n, n, 0);
    for (unsigned r = 0; r < n; r++) {
        ir_value *there = is_row(t, q, r, load_end(&w[1]), &row), *now[2] = {p, row};
        ir_value *mask = whole ? all : two(t, OP_and, in_p, there);
        ir_op *x = access(t, OP_vload, t->load, 2, now);
        x->in[1] = mask;
        x->out[0]->type = vt;
        ir_append(t->r, x);
        turn->in[r] = x->out[0];
        turn->out[r]->type = vt;
    }
    ir_append(t->r, turn);
    for (unsigned r = 0; r < n; r++) {
        ir_value *there = is_row(t, p, r, w[0].hi, &row), *now[2] = {row, q};
        ir_value *mask = whole ? all : two(t, OP_and, in_q, there);
        ir_op *x = access(t, OP_vstore, t->store, 3, now);
        x->in[1] = value(t, t->store->in[1], turn->out[r]);
        x->in[2] = mask;
        ir_append(t->r, x);
    }
}

static ir_value *open(turned *t, ir_value *lo, ir_value *hi, int64_t step, const char *name) {
    ir_value *k = number(t, step);
    ir_op *loop = ir_op_new(t->f, OP_for, t->top->site, 3, 0, 1);
    loop->in[0] = lo;
    loop->in[1] = hi;
    loop->in[2] = k;
    ir_append(t->r, loop);
    t->r = loop->reg[0];
    return ir_region_arg(t->f, t->r, ir_val(DT_i64, 1), name);
}
static void close(turned *t) {
    ir_append(t->r, ir_op_new(t->f, OP_yield, t->top->site, 0, 0, 0));
    t->r = t->r->owner->parent;
}

static void yield(turned *t, unsigned n, ir_value *v) {
    ir_op *y = ir_op_new(t->f, OP_yield, t->top->site, n, 0, 0);
    if (n)
        y->in[0] = v;
    ir_append(t->r, y);
}

static ir_value *both(turned *t, int code, ir_value *const *a, ir_value *const *b) {
    ir_value *cmp[2][2] = {{a[0], b[0]}, {a[1], b[1]}}, *is[2];
    for (int k = 0; k < 2; k++)
        is[k] = emit(t, code, ir_val(DT_bool, 1), 2, cmp[k]);
    return emit(t, OP_and, ir_val(DT_bool, 1), 2, is);
}

/* The same element by element. */
static void elements(turned *t, ir_value *p, ir_value *q) {
    ir_value *at[2] = {p, q}, *end[2], *zero;
    for (int k = 0; k < 2; k++) {
        ir_value *hi = two(t, OP_min, two(t, OP_add, at[k], number(t, t->lanes)), t->way[k].hi);
        at[k] = open(t, at[k], hi, 1, NULL);
        end[k] = load_end(&t->way[k]);
    }
    ir_op *is = ir_op_new(t->f, OP_if, t->top->site, 1, 1, 2);
    ir_op *x = access(t, OP_load, t->load, 1, at), *st = access(t, OP_store, t->store, 2, at);
    ir_region *home = t->r;
    dtype dt = (dtype)t->load->out[0]->type.dt;
    is->in[0] = both(t, OP_lt, at, end);
    is->out[0]->type = x->out[0]->type = ir_val(dt, 1);
    ir_append(home, is);
    ir_append(t->r = is->reg[0], x);
    yield(t, 1, x->out[0]);
    t->r = is->reg[1];
    zero = dtype_is_float(dt) ? ir_fconst(t->f, t->r, t->top->site, dt, 0)
                              : ir_iconst(t->f, t->r, t->top->site, dt, 0);
    yield(t, 1, zero);
    t->r = home;
    st->in[1] = value(t, t->store->in[1], is->out[0]);
    ir_append(home, st);
    for (int k = 0; k < 2; k++)
        close(t);
}

static void square_or_elements(turned *t, ir_value *p, ir_value *q) {
    ir_value *at[2] = {p, q}, *end[2], *to[2];
    if (!t->narrow) {
        square(t, p, q, false);
        return;
    }
    for (int k = 0; k < 2; k++) {
        end[k] = two(t, OP_min, t->way[k].hi, load_end(&t->way[k]));
        to[k] = two(t, OP_add, at[k], number(t, t->lanes));
    }
    ir_op *is = ir_op_new(t->f, OP_if, t->top->site, 1, 0, 2);
    ir_region *home = t->r;
    is->in[0] = both(t, OP_le, to, end);
    ir_append(home, is);
    for (int arm = 0; arm < 2; arm++) {
        t->r = is->reg[arm];
        if (arm)
            elements(t, p, q);
        else
            square(t, p, q, true);
        yield(t, 0, NULL);
    }
    t->r = home;
}

/* The squares, in the place of t->top. */
static void write_squares(turned *t) {
    ir_region *home = ir_region_new(t->f, t->top->parent->owner);
    t->r = home;
    bounds(t);
    const direction *p = &t->way[0], *q = &t->way[1];
    /* A piece for a thread: as many rows of the store as a vector has lanes. */
    ir_value *rows = two(t, OP_max, two(t, OP_sub, p->hi, p->lo), number(t, 0));
    ir_value *n = two(t, OP_add, rows, number(t, t->lanes - 1));
    n = two(t, OP_floordiv, n, number(t, t->lanes));
    ir_op *all = ir_op_new(t->f, OP_parallel, t->top->site, 1, 0, 1);
    all->in[0] = n;
    ir_append(t->r, all);
    t->r = all->reg[0];
    ir_value *first = ir_region_arg(t->f, t->r, ir_val(DT_i64, 1), "first"),
             *last = ir_region_arg(t->f, t->r, ir_val(DT_i64, 1), "end");
    ir_value *k = open(t, first, last, 1, "rows");
    ir_value *at = two(t, OP_add, p->lo, two(t, OP_mul, k, number(t, t->lanes)));
    ir_value *column = open(t, q->lo, q->hi, t->lanes, "column");
    square_or_elements(t, at, column);
    for (int i = 0; i < 3; i++)
        close(t);
    for (ir_op *op = home->first, *next; op; op = next) {
        next = op->next;
        ir_remove(op);
        ir_before(t->top, op);
    }
    ir_remove(t->top);
}

bool spread_transpose(ir_func *f, ir_op *top, int width_bytes) {
    turned t = {.f = f, .top = top};
    if (!(top->code == OP_lanes ? find_items(&t) : find_loops(&t)) || !is_turned(&t, width_bytes))
        return false;
    write_squares(&t);
    return true;
}
