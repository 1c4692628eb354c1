/* See block.h. */
#include "pass/block.h"
#include <string.h>

ir_value *bl_num(block *b, int64_t v) { return ir_iconst(b->f, b->r, b->site, DT_i64, v); }
ir_value *bl_two(block *b, int code, ir_value *x, ir_value *y) {
    ir_value *in[2] = {x, y};
    return ir_emit(b->f, b->r, b->site, code, x->type, 2, in);
}
ir_value *bl_div(block *b, ir_value *x, ir_value *y) {
    ir_value *v = bl_two(b, OP_floordiv, x, y);
    v->def->attr[0].i = 1;
    return v;
}
ir_value *bl_rem(block *b, ir_value *x, ir_value *y) {
    ir_value *v = bl_two(b, OP_mod, x, y);
    v->def->attr[0].i = 1;
    return v;
}
ir_value *bl_times(block *b, ir_value *x, int64_t k) { return bl_mul(b, x, bl_num(b, k)); }
ir_value *bl_panels(block *b, ir_value *n, int64_t size) {
    return bl_div(b, bl_add(b, n, bl_num(b, size - 1)), bl_num(b, size));
}
ir_value *bl_compare(block *b, int code, ir_value *x, ir_value *y) {
    ir_value *in[2] = {x, y};
    return ir_emit(b->f, b->r, b->site, code, ir_val(DT_bool, 1), 2, in);
}

ir_value *bl_choose(block *b, ir_value *cond, ir_value *x, ir_value *y) {
    ir_value *in[3] = {cond, x, y};
    return ir_emit(b->f, b->r, b->site, OP_select, x->type, 3, in);
}

ir_value *bl_zero(block *b) {
    return dtype_is_float(b->c->acc) ? ir_fconst(b->f, b->r, b->site, b->c->acc, 0)
                                     : ir_iconst(b->f, b->r, b->site, b->c->acc, 0);
}

ir_value *bl_as(block *b, ir_value *v, dtype to) {
    return ir_emit(b->f, b->r, b->site, OP_cast, ir_val(to, v->type.lanes), 1, &v);
}

ir_value *bl_vector(block *b, int code, ir_value *x) {
    return ir_emit(b->f, b->r, b->site, code, ir_val((dtype)x->type.dt, (unsigned)b->lanes), 1, &x);
}

ir_value *bl_fast(ir_value *v) {
    v->def->attr[0].i = dtype_is_float((dtype)v->type.dt);
    return v;
}

ir_type bl_memory(dtype dt, int space) {
    return (ir_type){.kind = TY_tensor,
                     .dt = (uint8_t)dt,
                     .rank = 1,
                     .contig = IR_UNIT,
                     .space = (uint8_t)space,
                     .lanes = 1};
}
ir_value *bl_tmp(block *b, dtype dt, ir_value *n) {
    return ir_emit(b->f, b->r, b->site, OP_tmp, bl_memory(dt, SP_local), 1, &n);
}

ir_value *bl_load(block *b, ir_value *t, ir_value *at) {
    ir_value *in[2] = {t, at}, *v;
    v = ir_emit(b->f, b->r, b->site, OP_load, ir_val((dtype)t->type.dt, 1), 2, in);
    v->def->attr[0].i = 1;
    return v;
}
void bl_store(block *b, ir_value *t, ir_value *v, ir_value *at) {
    ir_op *op = ir_op_new(b->f, OP_store, b->site, 3, 0, 0);
    op->in[0] = t;
    op->in[1] = v;
    op->in[2] = at;
    op->attr[0].i = 1;
    ir_append(b->r, op);
}

static ir_value *all_lanes(block *b) {
    return bl_vector(b, OP_splat, ir_iconst(b->f, b->r, b->site, DT_bool, 1));
}

ir_value *bl_vload(block *b, ir_value *t, ir_value *at) {
    ir_value *in[3] = {t, all_lanes(b), at}, *v;
    v = ir_emit(b->f, b->r, b->site, OP_vload, ir_val((dtype)t->type.dt, (unsigned)b->lanes), 3,
                in);
    v->def->attr[0].i = 1;
    return v;
}
void bl_vstore(block *b, ir_value *t, ir_value *v, ir_value *at) {
    ir_op *op = ir_op_new(b->f, OP_vstore, b->site, 4, 0, 0);
    op->in[0] = t;
    op->in[1] = v;
    op->in[2] = all_lanes(b);
    op->in[3] = at;
    op->attr[0].i = 1;
    ir_append(b->r, op);
}

void bl_yield(block *b, unsigned n, ir_value *const *v) {
    ir_op *y = ir_op_new(b->f, OP_yield, b->site, n, 0, 0);
    if (n)
        memcpy(y->in, v, n * sizeof *v);
    ir_append(b->r, y);
}

/* Goes into op's first region: what was made outside and depends on iterators may be stale. */
static void enter(block *b, ir_op *op) {
    ir_append(b->r, op);
    b->r = op->reg[0];
}

static ir_value *counter(block *b, const char *name) {
    return ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), name);
}

ir_value *bl_open_step(block *b, ir_value *lo, ir_value *hi, int64_t step, const char *name) {
    ir_value *s = bl_num(b, step);
    ir_op *loop = ir_op_new(b->f, OP_for, b->site, 3, 0, 1);
    loop->in[0] = lo;
    loop->in[1] = hi;
    loop->in[2] = s;
    loop->attr[0].i = 1; /* brief: the pieces ask whether to stop */
    enter(b, loop);
    return counter(b, name);
}
ir_value *bl_open(block *b, ir_value *hi, const char *name) {
    return bl_open_step(b, bl_num(b, 0), hi, 1, name);
}
ir_value *bl_open_simd(block *b, ir_value *n, const char *name) {
    ir_op *loop = ir_op_new(b->f, OP_simd, b->site, 1, 0, 1);
    loop->in[0] = n;
    loop->attr[0].i = b->lanes;
    enter(b, loop);
    return counter(b, name);
}
ir_value *bl_open_parallel(block *b, ir_value *n, const char *name) {
    ir_op *p = ir_op_new(b->f, OP_parallel, b->site, 1, 0, 1);
    p->in[0] = n;
    enter(b, p);
    ir_value *first = counter(b, "first"), *end = counter(b, "end");
    return bl_open_step(b, first, end, 1, name);
}
ir_op *bl_open_if(block *b, ir_value *cond) {
    ir_op *op = ir_op_new(b->f, OP_if, b->site, 1, 0, 2);
    op->in[0] = cond;
    enter(b, op);
    return op;
}
void bl_otherwise(block *b, ir_op *op) {
    bl_yield(b, 0, NULL);
    b->r = op->reg[1];
    b->made->now++;
}
/* Copies made inside are out of sight now. */
static void leave(block *b) {
    b->r = b->r->owner->parent;
    b->made->now++;
}
void bl_close(block *b) {
    bl_yield(b, 0, NULL);
    leave(b);
}

ir_op *bl_open_sum(block *b, int n, ir_value *lo, ir_value *hi, ir_value *step,
                   ir_value *const *init) {
    step = step ? step : bl_num(b, 1);
    ir_op *loop = ir_op_new(b->f, OP_for, b->site, (unsigned)(3 + n), (unsigned)n, 1);
    loop->in[0] = lo;
    loop->in[1] = hi;
    loop->in[2] = step;
    loop->attr[0].i = 1;
    ir_append(b->r, loop);
    b->r = loop->reg[0];
    ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), "k");
    for (int s = 0; s < n; s++) {
        loop->in[3 + s] = init[s];
        loop->out[s]->type = init[s]->type;
        ir_region_arg(b->f, b->r, init[s]->type, "sum");
    }
    return loop;
}

void bl_close_sum(block *b, const ir_op *loop, ir_value *const *next) {
    bl_yield(b, loop->nout, next);
    b->r = loop->parent;
    b->made->now++;
}

void bl_where(block *b, int it, ir_value *index) {
    b->map[it] = bl_add(b, b->lo[it], index);
    b->made->now++;
}

/* What number i of a group counts to in a flat index. */
static ir_value *extent_of(const block *b, int g, int i) {
    bool line = g == G_cols && b->line && i + 1 == b->c->size[g];
    return line ? b->line : b->n[b->c->group[g][i]];
}

void bl_indices(block *b, int g, int n, ir_value *at, ir_value **index) {
    for (int i = n - 1; i > 0; i--) {
        ir_value *extent = extent_of(b, g, i);
        index[i] = bl_rem(b, at, extent);
        at = bl_div(b, at, extent);
    }
    if (n)
        index[0] = at;
}

void bl_place(block *b, int g, ir_value *at) {
    ir_value *index[MAX_ITER];
    bl_indices(b, g, b->c->size[g], at, index);
    for (int i = 0; i < b->c->size[g]; i++)
        bl_where(b, b->c->group[g][i], index[i]);
}

walk_of bl_open_walk(block *b, int g, ir_value *from, ir_value *count, const char *name) {
    const int *it = b->c->group[g], n = b->c->size[g];
    walk_of w = {.g = g};
    if (n == 1) {
        w.counter = bl_open(b, count, name);
        bl_where(b, it[0], bl_add(b, from, w.counter));
        return w;
    }
    ir_value *lo = bl_num(b, 0), *one = bl_num(b, 1);
    bl_indices(b, g, n, from, w.index);
    ir_op *loop = ir_op_new(b->f, OP_for, b->site, (unsigned)(3 + n), (unsigned)n, 1);
    loop->in[0] = lo;
    loop->in[1] = count;
    loop->in[2] = one;
    loop->attr[0].i = 1;
    enter(b, loop);
    w.counter = counter(b, name);
    for (int i = 0; i < n; i++) {
        loop->in[3 + i] = w.index[i];
        loop->out[i]->type = ir_val(DT_i64, 1);
        w.index[i] = counter(b, "index");
        bl_where(b, it[i], w.index[i]);
    }
    return w;
}

/* Counts on, the last iterator first. */
void bl_close_walk(block *b, const walk_of *w) {
    const int *it = b->c->group[w->g], n = b->c->size[w->g];
    ir_value *next[MAX_ITER], *carry = bl_num(b, 1);
    if (n == 1) {
        bl_close(b);
        return;
    }
    for (int i = n - 1; i >= 0; i--) {
        next[i] = bl_add(b, w->index[i], carry);
        if (!i)
            break;
        ir_value *zero = bl_num(b, 0), *over = bl_compare(b, OP_ge, next[i], b->n[it[i]]),
                 *in[3] = {over, zero, next[i]};
        next[i] = ir_emit(b->f, b->r, b->site, OP_select, zero->type, 3, in);
        carry = ir_emit(b->f, b->r, b->site, OP_cast, zero->type, 1, &over);
    }
    bl_yield(b, (unsigned)n, next);
    leave(b);
}

ir_value *bl_open_sums(block *b) {
    const int *it = b->c->group[G_sums];
    ir_value *k = bl_open(b, b->units, "k");
    bl_where(b, it[0], bl_add(b, b->u0, k));
    for (int i = 1; i < b->c->size[G_sums]; i++) {
        ir_value *n = b->n[it[i]], *x = bl_open(b, n, "k");
        bl_where(b, it[i], x);
        k = bl_add(b, bl_mul(b, k, n), x);
    }
    return k;
}
void bl_close_sums(block *b) {
    for (int i = 0; i < b->c->size[G_sums]; i++)
        bl_close(b);
}

segment bl_open_segments(block *b, int g, ir_value *at, ir_value *n) {
    int outer = b->c->size[g] - 1;
    if (!outer)
        return (segment){g, bl_num(b, 0), at, n};
    ir_value *extent = extent_of(b, g, outer), *index[MAX_ITER];
    ir_value *from = bl_rem(b, at, extent), *row = bl_div(b, at, extent);
    ir_value *all = bl_add(b, bl_add(b, from, n), bl_sub(b, extent, bl_num(b, 1)));
    ir_value *s = bl_open(b, bl_div(b, all, extent), "segment");
    ir_value *done = bl_sub(b, bl_mul(b, s, extent), from); /* negative for the first */
    segment r = {.g = g, .first = bl_most(b, done, bl_num(b, 0))};
    r.from = bl_sub(b, r.first, done);
    ir_value *end = b->n[b->c->group[g][outer]]; /* no more are there of a longer line */
    r.n = bl_least(b, bl_sub(b, end, r.from), bl_sub(b, n, r.first));
    if (g == G_cols && b->line)
        r.n = bl_most(b, r.n, bl_num(b, 0));
    bl_indices(b, g, outer, bl_add(b, row, s), index);
    for (int i = 0; i < outer; i++)
        bl_where(b, b->c->group[g][i], index[i]);
    return r;
}
void bl_close_segments(block *b, const segment *s) {
    if (b->c->size[s->g] > 1)
        bl_close(b);
}

ir_value *bl_open_segment(block *b, const segment *s, bool simd) {
    ir_value *v = simd ? bl_open_simd(b, s->n, "v") : bl_open(b, s->n, "v");
    bl_where(b, b->c->group[s->g][b->c->size[s->g] - 1], bl_add(b, s->from, v));
    return bl_add(b, s->first, v);
}

static ir_value *mapped(block *b, const ir_value *v) {
    const contraction *c = b->c;
    bool id = v->def && v->def->code == OP_gid;
    for (int i = 0; i < c->nit; i++)
        if (v == c->it[i].counter || (id && !c->it[i].counter && c->it[i].dim == v->def->attr[0].i))
            return b->map[i];
    return v == c->sum ? b->sum : NULL;
}

static bool is_one(const block *b, const ir_value *v) {
    for (int i = 0; b->one >= 0 && i < b->c->none[b->one]; i++)
        if (b->c->one[b->one][i] == v)
            return true;
    return false;
}

/* What op's regions use of outside, made here. */
static void outside(block *b, const ir_op *op, const ir_op *root) {
    for (int k = 0; k < op->nreg; k++)
        for (const ir_op *x = op->reg[k]->first; x; x = x->next) {
            for (int i = 0; i < x->nin; i++)
                if (!ir_inside(x->in[i], root->reg[0]) && !ir_inside(x->in[i], root->reg[1]))
                    bl_again(b, x->in[i]);
            outside(b, x, root);
        }
}

static void arm_again(block *b, const ir_region *from, ir_region *to) {
    ir_region *home = b->r;
    b->r = to;
    for (const ir_op *x = from->first; x; x = x->next)
        if (x->code == OP_yield) {
            ir_value *v = bl_again(b, x->in[0]);
            bl_yield(b, 1, &v);
        } else
            bl_again(b, x->out[0]);
    b->r = home;
}

/* What one value is used for several times is made once. */
ir_value *bl_again(block *b, ir_value *v) {
    ir_value *m = mapped(b, v);
    if (m || !ir_inside(v, b->c->top->reg[0]))
        return m ? m : v;
    if (b->made->when[v->id] == b->made->now)
        return b->made->of[v->id];
    const ir_op *op = v->def;
    if (is_one(b, v))
        return bl_again(b, mapped(b, op->in[0]) ? op->in[0] : op->in[1]);
    ir_op *n = ir_op_new(b->f, op->code, op->site, op->nin, 1, op->nreg);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = bl_again(b, op->in[i]);
    if (op->nreg)
        outside(b, op, op);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    n->out[0]->type = v->type;
    n->out[0]->name = v->name;
    ir_append(b->r, n);
    for (int i = 0; i < op->nreg; i++)
        arm_again(b, op->reg[i], n->reg[i]);
    b->made->when[v->id] = b->made->now;
    return b->made->of[v->id] = n->out[0];
}

/* The guards of a side that do, or do not, depend on its last iterator, as one; NULL: none. */
static ir_value *condition(block *b, int side, bool inner) {
    const contraction *c = b->c;
    int last = c->group[side][c->size[side] - 1];
    ir_value *all = NULL;
    for (int i = 0; i < c->nguard[side]; i++) {
        const contract_guard *g = &c->guard[side][i];
        if ((g->bits >> last & 1) != inner)
            continue;
        ir_value *v = bl_again(b, g->is.cond);
        if (!g->is.holds)
            v = ir_emit(b->f, b->r, b->site, OP_inv, v->type, 1, &v);
        all = all ? bl_two(b, OP_and, all, v) : v;
    }
    return all;
}

static ir_value *guarded(block *b, int side, int level) {
    if (level == 2)
        return bl_again(b, b->c->factor[side]);
    ir_value *cond = condition(b, side, level);
    if (!cond)
        return guarded(b, side, level + 1);
    ir_op *op = bl_open_if(b, cond);
    ir_value *v = guarded(b, side, level + 1);
    bl_yield(b, 1, &v);
    b->r = op->reg[1];
    v = bl_zero(b);
    bl_yield(b, 1, &v);
    leave(b);
    return ir_add_out(b->f, op, v->type, NULL);
}

ir_value *bl_factor(block *b, int side) { return guarded(b, side, 0); }
