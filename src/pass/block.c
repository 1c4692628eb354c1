/* Contractions as packed, register-blocked loops (Goto and van de Geijn, "Anatomy of
   high-performance matrix multiplication", ACM TOMS 34, 2008). Both factors are evaluated once,
   into panels in the order in which they are used; a block of `rows` times 2 vectors of sums stays
   in registers over a stretch of the flat index of what is summed over. */
#include "pass/block.h"
#include <string.h>

enum {
    DEPTH = 512,    /* of a stretch: C comes and goes once for each */
    COLUMNS = 2048, /* that are packed at once */
    GROUP = 4,      /* panels of rows that a thread works on at a time */
    CHUNK = 8,      /* and of columns */
    GROUPS = 64,    /* of rows that are packed at once */
    NVEC = 2,
    AHEAD = 64,           /* sums that C is fetched ahead of its turn */
    SMALL = 16 * 16 * 16, /* products from which on packing pays */
    SHORT = 16            /* sums from which on it pays where the loops go by vectors already */
};

static ir_value *product(block *b, ir_value *sum, ir_value *x, ir_value *y) {
    return b->pair ? bl_pairs(b, sum, x, y) : bl_fast(bl_add(b, sum, bl_fast(bl_mul(b, x, y))));
}

/* Where a block of sums is at work: m rows from i on, n columns from j on; its packed factors. */
typedef struct {
    ir_value *tile, *tile_at, *i, *j, *m, *n, *row_at, *col_at, *turns_at;
} place;

/* Has the processor fetch what to_store will touch: in rows that are far apart, which it would not
   foresee. Three places make the two or three lines of a row. */
static void fetch(block *b, const place *p) {
    const contraction *c = b->c;
    if (!c->unit_store)
        return;
    ir_value *last = bl_sub(b, p->n, bl_num(b, 1));
    ir_value *at[3] = {p->j, bl_add(b, p->j, bl_least(b, last, bl_num(b, b->lanes))),
                       bl_add(b, p->j, last)};
    walk_of r = bl_open_walk(b, G_rows, p->i, p->m, "row");
    for (int k = 0; k < 3; k++) {
        bl_place(b, G_cols, at[k]);
        ir_op *op = ir_op_new(b->f, OP_hint, b->site, c->store->nin - 1u, 0, 0);
        op->attr[0].s = "own";
        op->in[0] = c->store->in[0];
        for (int x = 2; x < c->store->nin; x++)
            op->in[x - 1] = bl_again(b, c->store->in[x]);
        ir_append(b->r, op);
    }
    bl_close_walk(b, &r);
}

/* Adds the products of sum k. */
static void step(block *b, const place *p, int rows, const ir_op *loop) {
    ir_value *k = loop->reg[0]->args[0], *cols[NVEC], *next[12 * NVEC];
    ir_value *ck = b->image.is ? bl_add(b, p->col_at, bl_load(b, b->image.offset, k))
                               : bl_slot(b, G_cols, p->col_at, k, bl_num(b, 0));
    for (int v = 0; v < NVEC; v++)
        cols[v] = bl_vload(b, b->packed[G_cols], bl_add(b, ck, bl_num(b, v * b->lanes)));
    for (int r = 0; r < rows; r++) {
        ir_value *at = bl_slot(b, G_rows, p->row_at, k, bl_num(b, r));
        ir_value *x = bl_vector(b, OP_splat, bl_load(b, b->packed[G_rows], at));
        for (int v = 0; v < NVEC; v++) {
            int s = r * NVEC + v;
            next[s] = product(b, loop->reg[0]->args[1 + s], x, cols[v]);
        }
    }
    bl_close_sum(b, loop, next);
}

/* A block of sums into `tile`: rows times NVEC vectors carried by the loop over k. It has two
   parts: what is fetched before the first is in some cache before the second, and what is fetched
   then is not thrown out again until it is used. */
static void kernel(block *b, int rows, const place *p) {
    int sums = rows * NVEC;
    ir_value *zero = bl_vector(b, OP_splat, bl_zero(b)), *init[12 * NVEC];
    for (int s = 0; s < sums; s++)
        init[s] = s >= NVEC ? init[s - NVEC]
                  : !b->turns
                      ? zero
                      : bl_vload(b, b->turns, bl_add(b, p->turns_at, bl_num(b, s * b->lanes)));
    ir_value *none = bl_num(b, 0), *ahead = bl_num(b, AHEAD);
    ir_value *most = bl_most(b, bl_sub(b, b->kn, ahead), ahead);
    ir_op *parts = bl_open_sum(b, sums, none, b->kn, most, init);
    ir_value *lo = parts->reg[0]->args[0];
    fetch(b, p);
    ir_op *loop = bl_open_sum(b, sums, lo, bl_least(b, b->kn, bl_add(b, lo, most)), NULL,
                              parts->reg[0]->args + 1);
    step(b, p, rows, loop);
    bl_close_sum(b, parts, loop->out);
    for (int s = 0; s < sums; s++)
        bl_vstore(b, p->tile, parts->out[s],
                  bl_add(b, p->tile_at, bl_num(b, (int64_t)s * b->lanes)));
}

/* The last panel often has few rows: that of a third of the rows, once or twice, is for those. */
static void kernels(block *b, const place *p) {
    int few = b->rows / 3;
    ir_op *more = bl_open_if(b, bl_compare(b, OP_gt, p->m, bl_num(b, 2 * few)));
    kernel(b, b->rows, p);
    bl_otherwise(b, more);
    ir_value *done = bl_open_step(b, bl_num(b, 0), p->m, few, "done");
    place q = *p;
    q.i = bl_add(b, p->i, done);
    q.m = bl_least(b, bl_sub(b, p->m, done), bl_num(b, few));
    q.row_at = bl_slot(b, G_rows, p->row_at, bl_num(b, 0), done);
    q.tile_at = bl_times(b, done, b->cols);
    kernel(b, few, &q);
    bl_close(b);
    bl_close(b);
}

/* One element of C from the sum of this stretch. */
static void element(block *b, ir_value *sum) {
    const contraction *c = b->c;
    ir_op *st = ir_op_new(b->f, OP_store, c->store->site, c->store->nin, 0, 0);
    st->attr[0] = c->store->attr[0];
    st->in[0] = c->store->in[0];
    for (int i = 2; i < st->nin; i++)
        st->in[i] = bl_again(b, c->store->in[i]);
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
        ir_value *in[3] = {b->starts, bl_again(b, c->first), base};
        if (in[1]->type.dt != sum->type.dt)
            in[1] = bl_as(b, in[1], (dtype)sum->type.dt); /* a sum that narrows */
        base = base ? ir_emit(b->f, b->r, b->site, OP_select, sum->type, 3, in) : in[1];
    }
    b->sum = bl_fast(bl_add(b, base, sum));
    st->in[1] = c->plain ? b->sum : bl_again(b, c->store->in[1]);
    ir_append(b->r, st);
}

/* The tile's sums to C: m rows from i on, n columns from j on. */
static void to_store(block *b, const place *p) {
    segment s = bl_open_segments(b, G_cols, p->j, p->n);
    walk_of r = bl_open_walk(b, G_rows, p->i, p->m, "row");
    ir_value *v = bl_open_segment(b, &s, b->c->unit_store);
    element(b, bl_load(b, p->tile, bl_add(b, bl_times(b, r.counter, b->cols), v)));
    bl_close(b);
    bl_close_walk(b, &r);
    bl_close_segments(b, &s);
}

/* A piece: GROUP panels of rows times CHUNK panels of columns. The rows go by first, so that the
   columns stay in the level-2 cache. */
static void piece(block *b, ir_value *number, ir_value *groups) {
    ir_value *chunk = bl_num(b, (int64_t)CHUNK * b->cols);
    ir_value *i1 = bl_times(b, bl_rem(b, number, groups), GROUP * b->rows),
             *end = bl_least(b, b->in, bl_add(b, i1, bl_num(b, GROUP * b->rows))),
             *j1 = bl_mul(b, bl_div(b, number, groups), chunk),
             *right = bl_least(b, b->jn, bl_add(b, j1, chunk));
    ir_op *alloc = ir_op_new(b->f, OP_alloc, b->site, 0, 1, 0);
    int64_t *shape = ARENA_ARRAY(b->f->mem, int64_t, 1);
    shape[0] = (int64_t)b->rows * b->cols;
    alloc->attr[0] = (ir_attr){.i = 1, .v = shape};
    alloc->out[0]->type = bl_memory(b->c->acc, SP_slot);
    ir_append(b->r, alloc);
    ir_value *tile = alloc->out[0];
    ir_value *j = bl_open_step(b, j1, right, b->cols, "j");
    ir_value *i = bl_open_step(b, i1, end, b->rows, "i");
    place p = {.tile = tile,
               .tile_at = bl_num(b, 0),
               .turns_at = j,
               .i = bl_add(b, b->i0, i),
               .j = bl_add(b, b->j0, j)};
    p.m = bl_least(b, bl_sub(b, b->in, i), bl_num(b, b->rows));
    p.n = bl_least(b, bl_sub(b, b->jn, j), bl_num(b, b->cols));
    ir_value *wide = bl_num(b, bl_width(b, G_cols)), *tall = bl_num(b, b->rows);
    p.row_at = bl_begin(b, G_rows, bl_div(b, i, tall));
    p.col_at = bl_begin(b, G_cols, bl_div(b, j, wide));
    p.col_at = bl_add(b, p.col_at, bl_rem(b, j, wide));
    if (b->image.is)
        p.col_at = bl_choose(b, b->image.is, j, p.col_at);
    kernels(b, &p);
    to_store(b, &p);
    bl_close(b);
    bl_close(b);
}

static ir_value *panel_memory(block *b, int side, ir_value *n, ir_value *depth) {
    int size = bl_width(b, side);
    ir_value *total = bl_mul(b, bl_times(b, bl_panels(b, n, size), size), depth);
    if (side == G_cols && b->image.is)
        total = bl_image_memory(b, total);
    return bl_tmp(b, b->pair ? DT_i32 : b->c->acc, total);
}

/* How many of a side to pack at once: `most`, or fewer where the stretches are deeper than DEPTH.
 */
static ir_value *at_once(block *b, int side, int64_t most, ir_value *depth) {
    int size = bl_width(b, side);
    ir_value *fit = bl_div(b, bl_num(b, most * DEPTH / size), depth);
    fit = bl_times(b, bl_most(b, fit, bl_num(b, 1)), size);
    return bl_least(b, b->total[side], bl_least(b, fit, bl_num(b, most)));
}

static void blocked(block *b) {
    const contraction *c = b->c;
    ir_value *outer = b->n[c->group[G_sums][0]], *one = bl_num(b, 1), *step = outer;
    b->inner = one;
    for (int i = 1; i < c->size[G_sums]; i++)
        b->inner = bl_mul(b, b->inner, b->n[c->group[G_sums][i]]);
    /* What is more than the sum is made when the sum is whole: there is one stretch then. */
    if (c->plain) {
        ir_value *fit = bl_most(b, bl_div(b, bl_num(b, DEPTH * bl_per(b)), b->inner), one);
        ir_value *up = bl_sub(b, bl_add(b, outer, fit), one);
        ir_value *n = bl_div(b, up, fit); /* stretches, all as long as can be */
        step = bl_div(b, bl_sub(b, bl_add(b, outer, n), one), n);
    }
    ir_value *depth = b->pair ? bl_panels(b, step, bl_per(b)) : bl_mul(b, step, b->inner);
    ir_value *rows = at_once(b, G_rows, (int64_t)GROUP * GROUPS * b->rows, depth);
    ir_value *cols = at_once(b, G_cols, COLUMNS, depth);
    /* An odd number of cache lines: rows that are in use together are of different sets. */
    int64_t line = 64 / (int64_t)dtype_table[c->acc].bytes;
    b->pitch = bl_times(b, bl_add(b, bl_times(b, bl_panels(b, depth, 2 * line), 2), one), line);
    if (c->axis[0].tap >= 0 && !b->pair)
        cols = bl_image(b, step, depth, cols);
    b->packed[G_rows] = panel_memory(b, G_rows, rows, b->by_row ? b->pitch : depth);
    b->packed[G_cols] = panel_memory(b, G_cols, cols, depth);
    bl_turns(b, cols);
    for (int i = 0; i < c->nbatch; i++)
        bl_where(b, c->batch[i], bl_open(b, b->n[c->batch[i]], "batch"));
    bl_open_blocks(b, outer, step, &b->u0, &b->units);
    b->kn = b->pair ? bl_panels(b, b->units, bl_per(b)) : bl_mul(b, b->units, b->inner);
    b->starts = bl_compare(b, OP_eq, b->u0, bl_num(b, 0));
    if (b->image.is)
        bl_image_offsets(b);
    bl_open_blocks(b, b->total[G_rows], rows, &b->i0, &b->in);
    void (*pack)(block *, int, ir_value *, ir_value *) = b->pair ? bl_pack_pairs : bl_pack;
    pack(b, G_rows, b->i0, b->in);
    bl_open_columns(b, cols);
    ir_op *either = b->image.is ? bl_open_if(b, b->image.is) : NULL;
    if (either) {
        bl_image_pack(b);
        bl_otherwise(b, either);
    }
    pack(b, G_cols, b->j0, b->jn);
    if (either)
        bl_close(b);
    ir_value *chunks = bl_panels(b, b->jn, (int64_t)CHUNK * b->cols);
    ir_value *groups = bl_panels(b, b->in, (int64_t)GROUP * b->rows);
    piece(b, bl_open_parallel(b, bl_mul(b, groups, chunks), "piece"), groups);
    for (int i = 0; i < 5 + !!either + c->nbatch; i++)
        bl_close(b);
}

static ir_value *null_product(block *b, int side, ir_value *sum) {
    return bl_fast(bl_add(b, sum, bl_fast(bl_mul(b, bl_factor(b, side), bl_zero(b)))));
}

/* The sum over the iterators of list of 0 * factor: zero, if all of it is finite. flat: the last is
   the flat index of all the sums. */
static ir_value *null_sum(block *b, int side, const int *list, int n, bool flat, ir_value *sum) {
    if (!n)
        return null_product(b, side, sum);
    ir_op *loop = ir_op_new(b->f, OP_for, b->site, 4, 1, 1);
    loop->in[0] = bl_num(b, 0);
    loop->in[1] = flat && n == 1 ? b->total[G_sums] : b->n[*list];
    loop->in[2] = bl_num(b, 1);
    loop->in[3] = sum;
    loop->out[0]->type = sum->type;
    ir_append(b->r, loop);
    b->r = loop->reg[0];
    bl_where(b, *list, ir_region_arg(b->f, b->r, ir_val(DT_i64, 1), NULL));
    sum = ir_region_arg(b->f, b->r, sum->type, "sum");
    sum = null_sum(b, side, list + 1, n - 1, flat, sum);
    bl_yield(b, 1, &sum);
    b->r = loop->parent;
    b->made->now++;
    return loop->out[0];
}

static ir_value *null_sum_of(block *b, int side, bool flat) {
    const contraction *c = b->c;
    int list[MAX_ITER], n = 0, sums = c->size[G_sums];
    for (int i = 0; i < c->nbatch; i++)
        list[n++] = c->batch[i];
    for (int i = 0; i < c->size[side]; i++)
        list[n++] = c->group[side][i];
    for (int i = 0; i < sums; i++) {
        if (flat && i + 1 < sums)
            bl_where(b, c->group[G_sums][i], bl_num(b, 0));
        else
            list[n++] = c->group[G_sums][i];
    }
    return null_sum(b, side, list, n, flat, bl_zero(b));
}

/* The arm of an `if` that gives v, and on to the other. */
static void give(block *b, ir_op *op, ir_value *v) {
    bl_yield(b, 1, &v);
    b->r = b->r == op->reg[0] ? op->reg[1] : op->parent;
    b->made->now++;
    if (b->r == op->parent)
        ir_add_out(b->f, op, v->type, NULL);
}

/* Where guards leave a product out we add zero times the other factor, which must be finite. */
static ir_value *all_finite(block *b, ir_value *cond, int side) {
    const contraction *c = b->c;
    if (!c->nguard[!side] || !dtype_is_float(c->acc))
        return cond;
    ir_op *op = bl_open_if(b, cond), *which = NULL;
    ir_value *sum;
    if (side == G_rows && b->by_row && c->size[G_sums] > 1) {
        which = bl_open_if(b, bl_is_whole(b));
        give(b, which, null_sum_of(b, side, true));
        give(b, which, null_sum_of(b, side, false));
        sum = which->out[0];
    } else
        sum = null_sum_of(b, side, false);
    give(b, op, bl_compare(b, OP_eq, sum, bl_zero(b)));
    give(b, op, ir_iconst(b->f, b->r, b->site, DT_bool, 0));
    return op->out[0];
}

static ir_value *of_block(block *b, const char *what, int dim) {
    ir_value *v = ir_emit(b->f, b->r, b->site, OP_blk, ir_val(DT_i64, 1), 0, NULL);
    v->def->attr[0].s = what;
    v->def->attr[1].i = dim;
    return v;
}

static void extents(block *b) {
    const contraction *c = b->c;
    for (int i = 0; i < c->nit; i++) {
        const iterator *it = &c->it[i];
        ir_value *lo = it->counter ? bl_again(b, it->lo) : of_block(b, "lo", it->dim);
        ir_value *hi = it->counter ? bl_again(b, it->hi) : bl_add(b, lo, of_block(b, "n", it->dim));
        for (int k = 0; k < c->nclip; k++) {
            const contract_clip *x = &c->clip[k];
            if (x->it != i)
                continue;
            ir_value *bound = bl_again(b, x->bound);
            if (x->code == OP_le || x->code == OP_gt)
                bound = bl_add(b, bound, bl_num(b, 1));
            if (x->code == OP_lt || x->code == OP_le)
                hi = bl_least(b, hi, bound);
            else
                lo = bl_most(b, lo, bound);
        }
        b->lo[i] = lo;
        b->n[i] = bl_most(b, bl_sub(b, hi, lo), bl_num(b, 0));
    }
    for (int g = 0; g < G_n; g++)
        for (int i = 0; i < c->size[g]; i++) {
            ir_value *n = b->n[c->group[g][i]];
            b->total[g] = i ? bl_mul(b, b->total[g], n) : n;
        }
}

static ir_value *enough(block *b) {
    ir_value **n = b->total, *work = bl_mul(b, bl_mul(b, n[G_rows], n[G_cols]), n[G_sums]);
    ir_value *is = bl_compare(b, OP_ge, work, bl_num(b, SMALL));
    if (b->c->vectors) {
        ir_value *rows = bl_compare(b, OP_ge, n[G_rows], bl_num(b, b->rows));
        ir_value *sums = bl_compare(b, OP_ge, n[G_sums], bl_num(b, SHORT));
        is = bl_two(b, OP_and, bl_two(b, OP_and, is, rows), sums);
    }
    return all_finite(b, all_finite(b, is, G_rows), G_cols);
}

void contract_block(ir_func *f, const contraction *c, copies *made, const pass_options *o) {
    block b = {.f = f, .c = c, .made = made, .site = c->top->site};
    made->now++;
    ir_region *before = ir_region_new(f, c->top->parent->owner);
    b.rows = o->width_bytes >= 64 ? 12 : 6;
    b.lanes = o->width_bytes / (int)dtype_table[c->acc].bytes;
    b.cols = b.lanes * NVEC;
    b.by_row = c->whole && !c->nguard[G_rows];
    b.one = -1;
    b.pair = bl_pair(c, o);
    b.r = before;
    extents(&b);
    ir_op *both = bl_open_if(&b, enough(&b));
    for (ir_op *op = before->first, *next; op; op = next) {
        next = op->next;
        ir_before(c->top, op);
    }
    blocked(&b);
    bl_otherwise(&b, both);
    ir_remove(c->top);
    ir_append(b.r, c->top);
    bl_yield(&b, 0, NULL);
}
