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

enum { MAX_BOUNDS = 8 };

typedef struct {
    ir_func *f;
    ir_region *r;
    ir_op *top; /* the outer loop, or the lanes */
    const ir_op *load, *store;
    int lanes;
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
    int bytes = dtype_table[load->in[0]->type.dt].bytes;
    t->lanes = bytes >= 4 ? width_bytes / bytes : 0;
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
        const ir_op **at = op->code == OP_load ? &t->load : op->code == OP_store ? &t->store : NULL;
        if (at && *at)
            return false;
        if (at)
            *at = op;
        else if (op->code != OP_yield)
            return false;
    }
    if (!t->load || !t->store || t->store->in[1] != t->load->out[0])
        return false;
    const ir_op *loop[2] = {outer, inner};
    for (int k = 0; k < 2; k++)
        t->way[k] = (direction){loop[k]->reg[0]->args[0], 0, loop[k]->in[0], loop[k]->in[1], NULL};
    return hoist(t->top, inner->in[0]) && hoist(t->top, inner->in[1]);
}

static bool is_zero(const ir_value *v) {
    const ir_op *op = v->def;
    return op && ((op->code == OP_iconst && !op->attr[0].i) ||
                  (op->code == OP_fconst && op->attr[0].f == 0 && !signbit(op->attr[0].f)));
}

/* The load that v is, or that it is under conditions and else zero. */
static bool find_load(turned *t, const ir_value *v) {
    const ir_op *op = v->def;
    if (op && op->code == OP_load) {
        t->load = op;
        return true;
    }
    if (!op || op->code != OP_if || op->nout != 1 || t->nload || !is_zero(op->reg[1]->last->in[0]))
        return false;
    t->nload = ana_conjuncts((ana_guard){op->in[0], true}, t->at_load, MAX_BOUNDS);
    return find_load(t, op->reg[0]->last->in[0]);
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
    if (!find_store(t, t->top->reg[0]) || !t->store || !find_load(t, t->store->in[1]) ||
        !two_ids(t, t->load, dims))
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
    ir_op *x = ir_op_new(t->f, code, op->site, head + (unsigned)n, code == OP_vload, 0);
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

/* One square: p is along the load's rows, q along the store's. */
static void square(turned *t, ir_value *p, ir_value *q) {
    unsigned n = (unsigned)t->lanes;
    ir_type vt = ir_val((dtype)t->load->in[0]->type.dt, n);
    ir_value *end[2]; /* of what is loaded */
    for (int k = 0; k < 2; k++)
        end[k] = t->way[k].load_end ? t->way[k].load_end : t->way[k].hi;
    ir_value *in_p = below(t, end[0], p), *in_q = below(t, t->way[1].hi, q);
    ir_op *turn = ir_op_new(t->f, OP_transpose, t->top->site, n, n, 0);
    for (unsigned r = 0; r < n; r++) {
        ir_value *row = two(t, OP_add, q, number(t, r)), *cmp[2] = {row, end[1]};
        ir_value *there = splat(t, emit(t, OP_lt, ir_val(DT_bool, 1), 2, cmp));
        ir_value *mask = two(t, OP_and, in_p, there), *now[2] = {p, row};
        ir_op *x = access(t, OP_vload, t->load, 2, now);
        x->in[1] = mask;
        x->out[0]->type = vt;
        ir_append(t->r, x);
        turn->in[r] = x->out[0];
        turn->out[r]->type = vt;
    }
    ir_append(t->r, turn);
    for (unsigned r = 0; r < n; r++) {
        ir_value *row = two(t, OP_add, p, number(t, r)), *cmp[2] = {row, t->way[0].hi};
        ir_value *there = splat(t, emit(t, OP_lt, ir_val(DT_bool, 1), 2, cmp));
        ir_value *mask = two(t, OP_and, in_q, there), *now[2] = {row, q};
        ir_op *x = access(t, OP_vstore, t->store, 3, now);
        x->in[1] = turn->out[r];
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
    square(t, at, column);
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
