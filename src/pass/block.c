/* Contractions as packed, register-blocked loops (Goto and van de Geijn, "Anatomy of
   high-performance matrix multiplication", ACM TOMS 34, 2008). Both factors are evaluated once,
   into panels in the order in which they are used; a block of `rows` times 2 vectors of sums stays
   in registers over a stretch of k. */
#include "pass/contract.h"
#include <string.h>

enum {
    DEPTH = 384,    /* of a stretch of k, so that a panel of f stays in the level-1 cache */
    COLUMNS = 2048, /* of g that are packed at once */
    GROUP = 4,      /* panels of f that a thread works on at a time */
    GROUPS = 64,    /* of f that are packed at once */
    NVEC = 2,
    SMALL = 16 * 16 * 16, /* products from which on packing pays */
    SHORT = 16            /* sums from which on it pays where j is innermost */
};

typedef struct {
    ir_func *f;
    ir_region *r; /* where ops are appended */
    uint32_t site;
    const contraction *c;
    copies *made;
    int rows, lanes, cols;
    ir_value *lo[IT_n], *n[IT_n]; /* first value and count of each iterator */
    ir_value *pf, *pg;            /* packed factors */
    ir_value *j0, *jn, *i0, *in;  /* the columns and rows at work */
    ir_value *k0, *kn, *starts;   /* the stretch at work; is it the first? */
    ir_value *map[IT_n], *sum;    /* while cloning */
} block;

static ir_value *num(block *b, int64_t v) { return ir_iconst(b->f, b->r, b->site, DT_i64, v); }
static ir_value *op2(block *b, int code, ir_value *x, ir_value *y) {
    ir_value *in[2] = {x, y};
    return ir_emit(b->f, b->r, b->site, code, x->type, 2, in);
}
static ir_value *add(block *b, ir_value *x, ir_value *y) { return op2(b, OP_add, x, y); }
static ir_value *sub(block *b, ir_value *x, ir_value *y) { return op2(b, OP_sub, x, y); }
static ir_value *mul(block *b, ir_value *x, ir_value *y) { return op2(b, OP_mul, x, y); }
static ir_value *least(block *b, ir_value *x, ir_value *y) { return op2(b, OP_min, x, y); }
static ir_value *times(block *b, ir_value *x, int64_t k) { return mul(b, x, num(b, k)); }
static ir_value *panels(block *b, ir_value *n, int64_t size) { /* n >= 0 */
    return op2(b, OP_floordiv, add(b, n, num(b, size - 1)), num(b, size));
}
static ir_value *compare(block *b, int code, ir_value *x, ir_value *y) {
    ir_value *in[2] = {x, y};
    return ir_emit(b->f, b->r, b->site, code, ir_val(DT_bool, 1), 2, in);
}

static void yield(block *b, unsigned n, ir_value *const *v) {
    ir_op *y = ir_op_new(b->f, OP_yield, b->site, n, 0, 0);
    if (n)
        memcpy(y->in, v, n * sizeof *v);
    ir_append(b->r, y);
}

/* Opens a loop from lo to hi; what is appended next is its body. Returns its counter. */
static ir_value *open_step(block *b, ir_value *lo, ir_value *hi, int64_t step, const char *name) {
    ir_value *s = num(b, step);
    ir_op *loop = ir_op_new(b->f, OP_for, b->site, 3, 0, 1);
    loop->in[0] = lo;
    loop->in[1] = hi;
    loop->in[2] = s;
    ir_append(b->r, loop);
    b->r = loop->reg[0];
    return ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), name);
}
static ir_value *open(block *b, ir_value *hi, const char *name) {
    return open_step(b, num(b, 0), hi, 1, name);
}
static void close(block *b) {
    yield(b, 0, NULL);
    b->r = b->r->owner->parent;
}

/* Opens pieces of 0 to n that run at once, and the loop over one; closed by two closes. */
static ir_value *open_parallel(block *b, ir_value *n, const char *name) {
    ir_op *p = ir_op_new(b->f, OP_parallel, b->site, 1, 0, 1);
    p->in[0] = n;
    ir_append(b->r, p);
    b->r = p->reg[0];
    ir_value *first = ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), "first"),
             *end = ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), "end");
    return open_step(b, first, end, 1, name);
}

/* Opens the first arm of an if; `otherwise` goes on to the second. */
static ir_op *open_if(block *b, ir_value *cond) {
    ir_op *op = ir_op_new(b->f, OP_if, b->site, 1, 0, 2);
    op->in[0] = cond;
    ir_append(b->r, op);
    b->r = op->reg[0];
    return op;
}
static void otherwise(block *b, ir_op *op) {
    yield(b, 0, NULL);
    b->r = op->reg[1];
}

static ir_value *load(block *b, ir_value *t, ir_value *at) {
    ir_value *in[2] = {t, at}, *v;
    v = ir_emit(b->f, b->r, b->site, OP_load, ir_val((dtype)t->type.dt, 1), 2, in);
    v->def->attr[0].i = 1;
    return v;
}
static void store(block *b, ir_value *t, ir_value *v, ir_value *at) {
    ir_op *op = ir_op_new(b->f, OP_store, b->site, 3, 0, 0);
    op->in[0] = t;
    op->in[1] = v;
    op->in[2] = at;
    op->attr[0].i = 1;
    ir_append(b->r, op);
}

static ir_type memory(const block *b, int space) {
    return (ir_type){.kind = TY_tensor,
                     .dt = (uint8_t)b->c->acc,
                     .rank = 1,
                     .contig = IR_UNIT,
                     .space = (uint8_t)space,
                     .lanes = 1};
}

/* v once more here, for the iterators' values in map and the sum's in sum. What one value is used
   for several times is made once. */
static ir_value *again(block *b, ir_value *v) {
    for (int i = 0; i < IT_n; i++)
        if (v == b->c->loop[i]->reg[0]->args[0])
            return b->map[i];
    if (v == b->c->sum)
        return b->sum;
    if (!ir_inside(v, b->c->top->reg[0]))
        return v;
    if (b->made->when[v->id] == b->made->now)
        return b->made->of[v->id];
    const ir_op *op = v->def;
    ir_op *n = ir_op_new(b->f, op->code, op->site, op->nin, 1, 0);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = again(b, op->in[i]);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    n->out[0]->type = v->type;
    n->out[0]->name = v->name;
    ir_append(b->r, n);
    b->made->when[v->id] = b->made->now;
    return b->made->of[v->id] = n->out[0];
}

/* From here on the iterator is its first value and index; values are made anew. */
static void where(block *b, int it, ir_value *index) {
    b->map[it] = add(b, b->lo[it], index);
    b->made->now++;
}

static ir_value *zero(block *b) {
    return dtype_is_float(b->c->acc) ? ir_fconst(b->f, b->r, b->site, b->c->acc, 0)
                                     : ir_iconst(b->f, b->r, b->site, b->c->acc, 0);
}

/* Packs a panel of `size` values of `it`, of which `n` are there, from `from` on: k by k. */
static void panel(block *b, ir_value *factor, int it, ir_value *to, ir_value *at, ir_value *from,
                  ir_value *n, int size) {
    ir_value *k = open(b, b->kn, "k"), *row = add(b, at, times(b, k, size));
    where(b, IT_k, add(b, b->k0, k));
    ir_op *whole = open_if(b, compare(b, OP_eq, n, num(b, size)));
    for (int part = 0; part < 2; part++) {
        ir_value *v = open(b, part ? n : num(b, size), "v");
        where(b, it, add(b, from, v));
        store(b, to, again(b, factor), add(b, row, v));
        close(b);
        if (!part)
            otherwise(b, whole);
    }
    ir_value *v = open_step(b, n, num(b, size), 1, "v");
    store(b, to, zero(b), add(b, row, v));
    close(b);
    close(b); /* the if: its owner's parent is the loop */
    close(b);
}

static void pack(block *b, ir_value *factor, int it, ir_value *to, ir_value *from, ir_value *n,
                 int size) {
    ir_value *p = open_parallel(b, panels(b, n, size), "panel"), *first = times(b, p, size);
    panel(b, factor, it, to, mul(b, first, b->kn), add(b, from, first),
          least(b, sub(b, n, first), num(b, size)), size);
    close(b);
    close(b);
}

static ir_value *vector(block *b, int code, ir_value *x) {
    return ir_emit(b->f, b->r, b->site, code, ir_val((dtype)x->type.dt, (unsigned)b->lanes), 1, &x);
}
static ir_value *mask(block *b) {
    ir_value *yes = ir_iconst(b->f, b->r, b->site, DT_bool, 1);
    return vector(b, OP_splat, yes);
}

static ir_value *fast(ir_value *v) {
    v->def->attr[0].i = dtype_is_float((dtype)v->type.dt);
    return v;
}

/* A block of sums into `tile`: rows times NVEC vectors carried by the loop over k. */
static void kernel(block *b, ir_value *tile, ir_value *f_at, ir_value *g_at) {
    int sums = b->rows * NVEC;
    ir_type vt = ir_val(b->c->acc, (unsigned)b->lanes);
    ir_value *init = vector(b, OP_splat, zero(b)), *all = mask(b), *lo = num(b, 0),
             *one = num(b, 1);
    ir_op *loop = ir_op_new(b->f, OP_for, b->site, (unsigned)(3 + sums), (unsigned)sums, 1);
    loop->in[0] = lo;
    loop->in[1] = b->kn;
    loop->in[2] = one;
    ir_append(b->r, loop);
    b->r = loop->reg[0];
    ir_value *k = ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), "k"), *g[NVEC];
    for (int s = 0; s < sums; s++) {
        loop->in[3 + s] = init;
        loop->out[s]->type = vt;
        ir_region_arg(b->f, b->r, vt, "sum");
    }
    ir_value *fk = add(b, f_at, times(b, k, b->rows)), *gk = add(b, g_at, times(b, k, b->cols));
    for (int v = 0; v < NVEC; v++) {
        ir_value *in[3] = {b->pg, all, add(b, gk, num(b, v * b->lanes))};
        g[v] = ir_emit(b->f, b->r, b->site, OP_vload, vt, 3, in);
        g[v]->def->attr[0].i = 1;
    }
    ir_value **next = ARENA_ARRAY(b->f->mem, ir_value *, sums);
    for (int r = 0; r < b->rows; r++) {
        ir_value *x = vector(b, OP_splat, load(b, b->pf, add(b, fk, num(b, r))));
        for (int v = 0; v < NVEC; v++) {
            int s = r * NVEC + v;
            next[s] = fast(add(b, loop->reg[0]->args[1 + s], fast(mul(b, x, g[v]))));
        }
    }
    yield(b, (unsigned)sums, next);
    b->r = loop->parent;
    for (int s = 0; s < sums; s++) {
        ir_op *st = ir_op_new(b->f, OP_vstore, b->site, 4, 0, 0);
        ir_value *at = num(b, (int64_t)s * b->lanes);
        st->in[0] = tile;
        st->in[1] = loop->out[s];
        st->in[2] = all;
        st->in[3] = at;
        st->attr[0].i = 1;
        ir_append(b->r, st);
    }
}

/* One element of C from the sum of this stretch. */
static void element(block *b, ir_value *sum) {
    const contraction *c = b->c;
    ir_op *st = ir_op_new(b->f, OP_store, c->store->site, c->store->nin, 0, 0);
    st->attr[0] = c->store->attr[0];
    st->in[0] = c->store->in[0];
    for (int i = 2; i < st->nin; i++)
        st->in[i] = again(b, c->store->in[i]);
    ir_value *base = NULL;
    if (c->plain) {
        ir_op *old = ir_op_new(b->f, OP_load, c->store->site, c->store->nin - 1u, 1, 0);
        old->in[0] = st->in[0];
        memcpy(old->in + 1, st->in + 2, (size_t)(st->nin - 2) * sizeof *st->in);
        old->attr[0] = st->attr[0];
        base = old->out[0];
        base->type = sum->type;
        ir_append(b->r, old);
    }
    if (c->first) {
        ir_value *in[3] = {b->starts, again(b, c->first), base};
        base = base ? ir_emit(b->f, b->r, b->site, OP_select, sum->type, 3, in) : in[1];
    }
    b->sum = fast(add(b, base, sum));
    st->in[1] = c->plain ? b->sum : again(b, c->store->in[1]);
    ir_append(b->r, st);
}

/* The tile's sums to C: m rows from i on, n columns from j on. */
static void leave(block *b, ir_value *tile, ir_value *i, ir_value *j, ir_value *m, ir_value *n) {
    ir_value *r = open(b, m, "row");
    ir_op *whole = open_if(b, compare(b, OP_eq, n, num(b, b->cols)));
    for (int part = 0; part < 2; part++) {
        ir_value *v = open(b, part ? n : num(b, b->cols), "column");
        where(b, IT_i, add(b, i, r));
        where(b, IT_j, add(b, j, v));
        element(b, load(b, tile, add(b, times(b, r, b->cols), v)));
        close(b);
        if (!part)
            otherwise(b, whole);
    }
    close(b);
    close(b);
}

static void group(block *b, ir_value *number) {
    ir_value *i1 = times(b, number, GROUP * b->rows),
             *end = least(b, b->in, add(b, i1, num(b, GROUP * b->rows)));
    ir_op *alloc = ir_op_new(b->f, OP_alloc, b->site, 0, 1, 0);
    int64_t *shape = ARENA_ARRAY(b->f->mem, int64_t, 1);
    shape[0] = (int64_t)b->rows * b->cols;
    alloc->attr[0] = (ir_attr){.i = 1, .v = shape};
    alloc->out[0]->type = memory(b, SP_slot);
    ir_append(b->r, alloc);
    ir_value *tile = alloc->out[0];
    ir_value *j = open_step(b, num(b, 0), b->jn, b->cols, "j");
    ir_value *i = open_step(b, i1, end, b->rows, "i");
    kernel(b, tile, mul(b, i, b->kn), mul(b, j, b->kn));
    ir_value *m = least(b, sub(b, b->in, i), num(b, b->rows)),
             *n = least(b, sub(b, b->jn, j), num(b, b->cols));
    leave(b, tile, add(b, b->i0, i), add(b, b->j0, j), m, n);
    close(b);
    close(b);
}

static ir_value *panel_memory(block *b, ir_value *n, int64_t size, ir_value *depth) {
    ir_value *total = mul(b, times(b, panels(b, n, size), size), depth);
    return ir_emit(b->f, b->r, b->site, OP_tmp, memory(b, SP_local), 1, &total);
}

static void blocked(block *b) {
    int64_t most = (int64_t)GROUP * GROUPS * b->rows;
    /* What is more than the sum is made when the sum is whole: there is one stretch then. */
    ir_value *depth = b->c->plain ? least(b, b->n[IT_k], num(b, DEPTH)) : b->n[IT_k];
    ir_value *columns = least(b, b->n[IT_j], num(b, COLUMNS)),
             *rows = least(b, b->n[IT_i], num(b, most));
    b->pf = panel_memory(b, rows, b->rows, depth);
    b->pg = panel_memory(b, columns, b->cols, depth);
    b->j0 = open_step(b, num(b, 0), b->n[IT_j], COLUMNS, "j0");
    b->jn = least(b, sub(b, b->n[IT_j], b->j0), columns);
    ir_value *stretches = op2(b, OP_floordiv, add(b, b->n[IT_k], sub(b, depth, num(b, 1))), depth);
    b->k0 = mul(b, open(b, stretches, "stretch"), depth);
    b->kn = least(b, sub(b, b->n[IT_k], b->k0), depth);
    b->starts = compare(b, OP_eq, b->k0, num(b, 0));
    pack(b, b->c->g, IT_j, b->pg, b->j0, b->jn, b->cols);
    b->i0 = open_step(b, num(b, 0), b->n[IT_i], most, "i0");
    b->in = least(b, sub(b, b->n[IT_i], b->i0), rows);
    pack(b, b->c->f, IT_i, b->pf, b->i0, b->in, b->rows);
    group(b, open_parallel(b, panels(b, b->in, (int64_t)GROUP * b->rows), "group"));
    for (int i = 0; i < 5; i++)
        close(b);
}

void contract_block(ir_func *f, const contraction *c, copies *made, int width_bytes) {
    block b = {.f = f, .c = c, .made = made, .site = c->top->site};
    made->now++;
    ir_region *before = ir_region_new(f, c->top->parent->owner);
    b.rows = width_bytes >= 64 ? 12 : 6;
    b.lanes = width_bytes / (int)dtype_table[c->acc].bytes;
    b.cols = b.lanes * NVEC;
    b.r = before;
    for (int i = 0; i < IT_n; i++) {
        ir_value *hi = again(&b, c->loop[i]->in[1]);
        b.lo[i] = again(&b, c->loop[i]->in[0]);
        b.n[i] = op2(&b, OP_max, sub(&b, hi, b.lo[i]), num(&b, 0));
    }
    ir_value *work = mul(&b, mul(&b, b.n[IT_i], b.n[IT_j]), b.n[IT_k]);
    ir_value *enough = compare(&b, OP_ge, work, num(&b, SMALL));
    if (!ir_has_op(c->loop[IT_j]->reg[0], OP_for)) { /* rows of C already go by in vectors */
        enough = op2(&b, OP_and, enough, compare(&b, OP_ge, b.n[IT_i], num(&b, b.rows)));
        enough = op2(&b, OP_and, enough, compare(&b, OP_ge, b.n[IT_k], num(&b, SHORT)));
    }
    ir_op *both = open_if(&b, enough);
    for (ir_op *op = before->first, *next; op; op = next) {
        next = op->next;
        ir_before(c->top, op);
    }
    blocked(&b);
    otherwise(&b, both);
    ir_remove(c->top);
    ir_append(b.r, c->top);
    yield(&b, 0, NULL);
}
