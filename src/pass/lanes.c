/* Turns each `lanes` region into loops over the block's work-items with vectors along dim 0, and
   each `simd` loop into one in vectors. LLVM vectorises no loop with a divergent exit, so we make
   the vectors: uniform values stay scalars, affine ids stay base + stride (so that subscripts give
   contiguous accesses), divergent regions run under masks and are skipped when no lane wants them.
   Every region that runs has at least one active lane, so uniform loads need no mask. Before: stage
   mid. After: stage cpu. */
#include "pass/lanes.h"
#include "pass/fold.h"
#include <string.h>

ir_value *lanes_emit(lanes *s, int code, ir_type t, unsigned nin, ir_value *const *in) {
    return ir_emit(s->f, s->r, s->site, code, t, nin, in);
}

ir_value *lanes_i64(lanes *s, int64_t v) { return ir_iconst(s->f, s->r, s->site, DT_i64, v); }

void lanes_define(lanes *s, ir_value *old, int kind, ir_value *v, int64_t stride) {
    lane_value *l = ARENA_NEW(s->f->mem, lane_value);
    l->kind = kind;
    l->v = v;
    l->stride = stride;
    old->aux = l;
    if (!v->name)
        v->name = old->name;
}

/* What is defined outside the lanes (arguments, block-level values) is itself. */
lane_value lanes_of(lanes *s, const ir_value *old) {
    (void)s;
    if (old->aux)
        return *(lane_value *)old->aux;
    return (lane_value){LV_uniform, (ir_value *)old, 0};
}

ir_value *lanes_uniform(lanes *s, const ir_value *old) { return lanes_of(s, old).v; }

ir_value *lanes_vector(lanes *s, const ir_value *old) {
    lane_value l = lanes_of(s, old);
    if (l.kind == LV_vector || s->width == 1)
        return l.v;
    ir_type t = ir_val((dtype)l.v->type.dt, (unsigned)s->width);
    ir_value *v = lanes_emit(s, OP_splat, t, 1, &l.v);
    if (l.kind == LV_uniform)
        return v;
    ir_value *step = lanes_emit(s, OP_iota, t, 0, NULL);
    if (l.stride != 1) {
        ir_value *k = lanes_i64(s, l.stride);
        ir_value *in[2] = {step, lanes_emit(s, OP_splat, t, 1, &k)};
        step = lanes_emit(s, OP_mul, t, 2, in);
    }
    ir_value *in[2] = {v, step};
    return lanes_emit(s, OP_add, t, 2, in);
}

ir_value *lanes_mask(lanes *s) {
    if (s->mask)
        return s->mask;
    ir_value *t = ir_iconst(s->f, s->r, s->site, DT_bool, 1);
    return s->width == 1 ? t : lanes_emit(s, OP_splat, ir_val(DT_bool, (unsigned)s->width), 1, &t);
}

ir_value *lanes_and(lanes *s, ir_value *a, ir_value *b) {
    if (!a || !b)
        return a ? a : b;
    ir_value *in[2] = {a, b};
    return lanes_emit(s, OP_and, a->type, 2, in);
}

ir_value *lanes_cell(lanes *s, ir_type t, ir_value *init) {
    ir_op *op = ir_op_new(s->f, OP_cell, s->site, 0, 1, 0);
    op->out[0]->type = t;
    op->out[0]->type.kind = TY_cell;
    ir_append(s->r, op);
    if (init) {
        ir_op *st = ir_op_new(s->f, OP_set, s->site, 2, 0, 0);
        st->in[0] = op->out[0];
        st->in[1] = init;
        ir_append(s->r, st);
    }
    return op->out[0];
}

/* Of integers: folded where a chunk's position is a constant. */
static ir_value *plus(lanes *s, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b}, *v = lanes_emit(s, code, ir_val(DT_i64, 1), 2, in);
    return s->laid ? fold_value(v->def) : v;
}

static void id(lanes *s, ir_op *op) {
    int dim = (int)op->attr[0].i;
    ir_value *v = s->at[dim];
    if (op->code == OP_gid) {
        v = plus(s, OP_add, s->lo[dim], v);
    }
    bool affine = dim == 0 && s->width > 1;
    lanes_define(s, op->out[0], affine ? LV_affine : LV_uniform, v, affine);
}

/* base + stride * lane survives +, - and * by a constant. */
static bool affine(lanes *s, ir_op *op) {
    if ((op->code != OP_add && op->code != OP_sub && op->code != OP_mul) ||
        op->out[0]->type.dt != DT_i64)
        return false;
    lane_value a = lanes_of(s, op->in[0]), b = lanes_of(s, op->in[1]);
    if (a.kind == LV_vector || b.kind == LV_vector)
        return false;
    int64_t stride = op->code == OP_sub ? a.stride - b.stride : a.stride + b.stride;
    if (op->code == OP_mul) {
        const ir_value *k = a.kind == LV_uniform ? a.v : b.kind == LV_uniform ? b.v : NULL;
        if (!k || !k->def || k->def->code != OP_iconst ||
            __builtin_mul_overflow(k == a.v ? b.stride : a.stride, k->def->attr[0].i, &stride))
            return false;
    }
    ir_value *base = plus(s, op->code, a.v, b.v);
    lanes_define(s, op->out[0], stride ? LV_affine : LV_uniform, base, stride);
    return true;
}

static void pure(lanes *s, ir_op *op) {
    bool varying = s->width > 1 && op->nout && s->u.varying[op->out[0]->id];
    if (varying && affine(s, op))
        return;
    ir_op *n = ir_op_new(s->f, op->code, op->site, op->nin, op->nout, 0);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = varying ? lanes_vector(s, op->in[i]) : lanes_uniform(s, op->in[i]);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    ir_append(s->r, n);
    for (int i = 0; i < op->nout; i++) {
        n->out[i]->type = op->out[i]->type;
        n->out[i]->type.lanes = varying ? (uint16_t)s->width : 1;
        lanes_define(s, op->out[i], varying ? LV_vector : LV_uniform, n->out[i], 0);
    }
}

/* The local ids behind the operands. Of one lane: the kernel has no vectors. */
static void with_ids(lanes *s, const ir_op *op) {
    ir_op *n = ir_op_new(s->f, op->code, op->site, op->nin + 3u, 0, 0);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = lanes_uniform(s, op->in[i]);
    for (int d = 0; d < 3; d++)
        n->in[op->nin + d] = s->at[d];
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    if (op->code == OP_trap)
        n->attr[1].i = 3;
    else
        n->attr[1].i |= TOUCH_ids;
    ir_append(s->r, n);
}

static void one(lanes *s, ir_op *op) {
    s->site = op->site;
    if (op->code == OP_gid || op->code == OP_lid)
        id(s, op);
    else if (op->code == OP_trap || op->code == OP_touch)
        with_ids(s, op);
    else if (op->nreg)
        lanes_structure(s, op);
    else if (!lanes_memory(s, op))
        pure(s, op);
}

void lanes_region(lanes *s, const ir_op *from) {
    for (ir_op *op = (ir_op *)from; op; op = op->next) {
        if (op->code == OP_yield || op->code == OP_leave) {
            s->site = op->site;
            lanes_end(s, op);
            return;
        }
        one(s, op);
        if (s->width == 1 || !op->nreg || !ana_may_leave(op, &s->u))
            continue;
        /* some lanes may have left: the rest of the region for those that stay */
        ir_value *gone = lanes_emit(s, OP_get, ir_val(DT_bool, (unsigned)s->width), 1, &s->gone);
        ir_value *stay = lanes_emit(s, OP_inv, gone->type, 1, &gone), *outer_mask = s->mask;
        s->mask = lanes_and(s, outer_mask, stay);
        ir_op *guard = ir_op_new(s->f, OP_if, op->site, 1, 0, 2);
        guard->in[0] = lanes_emit(s, OP_any, ir_val(DT_bool, 1), 1, &s->mask);
        ir_append(s->r, guard);
        ir_region *outer = s->r;
        for (int i = 1; i >= 0; i--) {
            s->r = guard->reg[i];
            if (!i)
                lanes_region(s, op->next);
            if (!s->r->last || (s->r->last->code != OP_yield && s->r->last->code != OP_leave))
                ir_append(guard->reg[i], ir_op_new(s->f, OP_yield, op->site, 0, 0, 0));
        }
        s->r = outer;
        s->mask = outer_mask;
        return;
    }
}

static ir_value *binary(lanes *s, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return lanes_emit(s, code, ir_val(DT_i64, 1), 2, in);
}

static ir_value *block(lanes *s, const char *what, int dim) {
    ir_value *v = lanes_emit(s, OP_blk, ir_val(DT_i64, 1), 0, NULL);
    v->def->attr[0].s = what;
    v->def->attr[1].i = dim;
    return v;
}

static ir_op *open_for(lanes *s, ir_value *lo, ir_value *hi, ir_value *step, const char *name) {
    ir_op *op = ir_op_new(s->f, OP_for, s->site, 3, 0, 1);
    op->in[0] = lo;
    op->in[1] = hi;
    op->in[2] = step;
    op->attr[0].i = s->barriers;
    ir_region_arg(s->f, op->reg[0], ir_val(DT_i64, 1), name);
    ir_append(s->r, op);
    s->r = op->reg[0];
    return op;
}

static void close(lanes *s, ir_region *r) {
    ir_append(s->r, ir_op_new(s->f, OP_yield, s->site, 0, 0, 0));
    s->r = r;
}

/* Nothing in it that lanes may leave before others. */
static bool straight(const ir_region *r) {
    static const int not[] = {OP_scope, OP_leave, OP_for, OP_loop};
    for (size_t i = 0; i < sizeof not / sizeof *not; i++)
        if (ir_has_op(r, not[i]))
            return false;
    return true;
}

void lanes_chunk(lanes *s, const ir_region *body, ir_value *x, ir_value *row, ir_value *mask) {
    s->at[0] = x;
    s->item = plus(s, OP_add, row, x);
    s->mask = mask;
    if (s->width > 1 && !(s->laid && straight(body))) {
        ir_value *f = ir_iconst(s->f, s->r, s->site, DT_bool, 0);
        ir_type t = ir_val(DT_bool, (unsigned)s->width);
        s->gone = lanes_cell(s, t, lanes_emit(s, OP_splat, t, 1, &f));
    }
    ir_clear_aux(body);
    if (body->nargs) /* of op simd */
        lanes_define(s, body->args[0], s->width > 1 ? LV_affine : LV_uniform, x, s->width > 1);
    lanes_region(s, body->first);
}

/* The lanes at x whose positions are below n, and not below `from`, which may be NULL. */
static ir_value *edge_mask(lanes *s, ir_value *x, ir_value *from, ir_value *n) {
    ir_type t = ir_val(DT_i64, (unsigned)s->width);
    ir_value *ends[2] = {n, from}, *mask = NULL, *lane = lanes_emit(s, OP_iota, t, 0, NULL);
    for (int i = 0; i < 2 && ends[i]; i++) {
        ir_value *at = binary(s, OP_sub, ends[i], x);
        ir_value *cmp[2] = {lane, lanes_emit(s, OP_splat, t, 1, &at)};
        mask = lanes_and(
            s, mask, lanes_emit(s, i ? OP_ge : OP_lt, ir_val(DT_bool, (unsigned)s->width), 2, cmp));
    }
    return mask;
}

/* Positions from lo on up to hi, in steps; from and to: see edge_mask. Both NULL: all lanes run. */
static void chunks(lanes *s, const ir_region *body, ir_value *lo, ir_value *hi, ir_value *step,
                   ir_value *row, ir_value *from, ir_value *to) {
    ir_region *r = s->r;
    ir_value *x = open_for(s, lo, hi, step, "x")->reg[0]->args[0];
    lanes_chunk(s, body, x, row, to && s->width > 1 ? edge_mask(s, x, from, to) : NULL);
    close(s, r);
}

/* Whole chunks: strips of them first, then of a quarter, where that pays. */
static void whole_chunks(lanes *s, const ir_region *body, ir_value *lo, ir_value *hi,
                         ir_value *row) {
    int width = s->width, many = lanes_strip(s, body);
    s->f->strip = many > 1 && width * many > s->f->strip ? width * many : s->f->strip;
    for (; many > 1; many = many > 4 ? many / 4 : 1) {
        int64_t step = (int64_t)width * many;
        ir_value *some = binary(s, OP_max, binary(s, OP_sub, hi, lo), lanes_i64(s, 0));
        ir_value *n = binary(s, OP_and, some, lanes_i64(s, -step));
        ir_value *end = binary(s, OP_add, lo, n);
        s->width = (int)step;
        chunks(s, body, lo, end, lanes_i64(s, step), row, NULL, NULL);
        s->width = width;
        lo = end;
    }
    chunks(s, body, lo, hi, lanes_i64(s, width), row, NULL, NULL);
}

/* The first and the last chunk in a loop of two rounds, the others without a mask. They begin at
   multiples of the width, so that what is aligned at the row's begin is here. */
static void aligned_stretch(lanes *s, const ir_region *body, ir_value *from, ir_value *to,
                            ir_value *row) {
    ir_value *w = lanes_i64(s, s->width), *down = lanes_i64(s, -(int64_t)s->width);
    ir_value *first = binary(s, OP_and, from, down), *last = binary(s, OP_and, to, down);
    ir_value *up = binary(s, OP_add, from, lanes_i64(s, s->width - 1));
    whole_chunks(s, body, binary(s, OP_and, up, down), last, row);
    ir_value *even[2] = {first, from}, *some[2] = {from, to};
    ir_value *pick[3] = {lanes_emit(s, OP_eq, ir_val(DT_bool, 1), 2, even), last, first};
    ir_value *lo = lanes_emit(s, OP_select, ir_val(DT_i64, 1), 3, pick);
    ir_value *any[3] = {lanes_emit(s, OP_lt, ir_val(DT_bool, 1), 2, some), to, lo};
    ir_value *hi = lanes_emit(s, OP_select, ir_val(DT_i64, 1), 3, any);
    ir_value *step = binary(s, OP_max, binary(s, OP_sub, last, first), w);
    chunks(s, body, lo, hi, step, row, from, to);
}

/* Positions [from, to) of the row: whole chunks, then one with a mask. */
static void stretch(lanes *s, const ir_region *body, ir_value *from, ir_value *to, ir_value *row,
                    bool twice) {
    bool zero = from->def->code == OP_iconst;
    ir_value *w = lanes_i64(s, s->width);
    if (!twice) {
        chunks(s, body, from, to, w, row, NULL, to);
        return;
    }
    if (!zero && !s->barriers) {
        aligned_stretch(s, body, from, to, row);
        return;
    }
    /* from + ((to - from) & -width) */
    ir_value *n = zero ? to : binary(s, OP_sub, to, from);
    ir_value *full = binary(s, OP_and, n, lanes_i64(s, -(int64_t)s->width));
    full = zero ? full : binary(s, OP_add, from, full);
    whole_chunks(s, body, from, full, row);
    chunks(s, body, full, to, w, row, NULL, to);
}

/* [0, from) and [to, n): both by the same code where there are no barriers. */
static void around(lanes *s, const ir_region *body, const lane_cut *cut, ir_value *n,
                   ir_value *row) {
    ir_value *zero = lanes_i64(s, 0);
    bool left = cut->from->def->code != OP_iconst, right = cut->to != n;
    if (s->barriers || !left || !right) {
        if (left)
            stretch(s, body, zero, cut->from, row, true);
        if (right)
            stretch(s, body, cut->to, n, row, true);
        return;
    }
    ir_region *r = s->r;
    ir_value *side = open_for(s, zero, lanes_i64(s, 2), lanes_i64(s, 1), "side")->reg[0]->args[0];
    ir_value *is[2] = {side, zero}, *first = lanes_emit(s, OP_eq, ir_val(DT_bool, 1), 2, is);
    ir_value *lo[3] = {first, zero, cut->to}, *hi[3] = {first, cut->from, n};
    ir_value *from = lanes_emit(s, OP_select, ir_val(DT_i64, 1), 3, lo);
    stretch(s, body, from, lanes_emit(s, OP_select, ir_val(DT_i64, 1), 3, hi), row, true);
    close(s, r);
}

static void along_x(lanes *s, const ir_region *body, ir_value *nx, ir_value *row) {
    bool twice = s->width > 1 && ir_count(body) < 300;
    lane_cut cut;
    if (!twice || !lanes_find_cut(s, body, nx, &cut)) {
        stretch(s, body, lanes_i64(s, 0), nx, row, twice);
        return;
    }
    s->cut = &cut;
    s->inside = false;
    if (cut.otherwise)
        around(s, body, &cut, nx, row);
    s->inside = true;
    stretch(s, body, cut.from, cut.to, row, true);
    s->cut = NULL;
}

/* What home holds in op's place. */
static void replace(ir_op *op, ir_region *home) {
    for (ir_op *x = home->first, *next; x; x = next) {
        next = x->next;
        ir_remove(x);
        ir_before(op, x);
    }
    ir_clear_aux(op->reg[0]);
    ir_remove(op);
}

static void loop_in_vectors(lanes *s, ir_op *op) {
    int width = s->width;
    ir_region *home = ir_region_new(s->f, NULL);
    s->r = home;
    s->site = op->site;
    s->width = (int)op->attr[0].i;
    s->u = ana_uniform_of(s->f, op->reg[0], 0);
    bool twice = s->width > 1 && ir_count(op->reg[0]) < 300;
    ir_value *zero = lanes_i64(s, 0);
    stretch(s, op->reg[0], zero, op->in[0], zero, twice);
    s->width = width;
    replace(op, home);
}

static void expand(lanes *s, ir_op *op) {
    ir_region *home = ir_region_new(s->f, NULL);
    s->r = home;
    s->site = op->site;
    ir_value *n[3];
    const int64_t *size = op->attr[0].i ? op->attr[0].v : NULL;
    for (int d = 0; d < 3; d++) {
        s->lo[d] = block(s, "lo", d);
        n[d] = size ? lanes_i64(s, size[d]) : block(s, "n", d);
    }
    if (size && lanes_lay_out(s, op->reg[0], size)) {
        replace(op, home);
        return;
    }
    ir_value *zero = lanes_i64(s, 0), *one = lanes_i64(s, 1);
    ir_op *z = open_for(s, zero, n[2], one, "z");
    ir_region *in_z = s->r;
    ir_op *y = open_for(s, zero, n[1], one, "y");
    s->at[2] = z->reg[0]->args[0];
    s->at[1] = y->reg[0]->args[0];
    ir_value *a[2] = {s->at[2], n[1]}, *zn = lanes_emit(s, OP_mul, ir_val(DT_i64, 1), 2, a);
    ir_value *b[2] = {zn, s->at[1]}, *line = lanes_emit(s, OP_add, ir_val(DT_i64, 1), 2, b);
    ir_value *c[2] = {line, n[0]}, *row = lanes_emit(s, OP_mul, ir_val(DT_i64, 1), 2, c);
    along_x(s, op->reg[0], n[0], row);
    close(s, in_z);
    close(s, home);
    replace(op, home);
}

static void walk(lanes *s, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_lanes) {
            s->u = ana_uniform_of(s->f, op->reg[0], 1);
            if (s->width == 1)
                memset(s->u.varying, 0, s->f->nvalues);
            if (s->width == 1)
                memset(s->u.divergent, 0, s->f->nlabels + 2);
            expand(s, op);
        } else if (op->code == OP_simd)
            loop_in_vectors(s, op);
        else if (op->code == OP_barrier) {
            if (s->checks) {
                s->r = NULL;
                ir_before(op, ir_op_new(s->f, OP_epoch, op->site, 0, 0, 0));
            }
            ir_remove(op);
        } else
            for (int i = 0; i < op->nreg; i++)
                walk(s, op->reg[i]);
    }
}

static bool wide(const ir_region *r) {
    for (uint32_t i = 0; i < r->nargs; i++)
        if (r->args[i]->type.kind == TY_tensor && r->args[i]->type.dt == DT_f64)
            return true;
    return false;
}

/* Does anything differ along dim 0? */
static bool along_dim_0(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if ((op->code == OP_gid || op->code == OP_lid) && op->attr[0].i == 0)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (along_dim_0(op->reg[i]))
                return true;
    }
    return false;
}

static bool sums(const ir_op *loop) {
    const ir_op *y = loop->reg[0]->last;
    for (int k = 0; k < loop->nout; k++) {
        if (y->code != OP_yield)
            return false;
        const ir_op *d = y->in[k]->def;
        bool marked = d && d->parent == loop->reg[0] &&
                      (d->code == OP_add || d->code == OP_sub || d->code == OP_mul ||
                       d->code == OP_max || d->code == OP_min);
        if (!marked || d->attr[0].i != 1) /* see pass/accum.c */
            return false;
    }
    return true;
}

/* An innermost loop that LLVM makes vectors of, with elements of each work-item's own row in it:
   consecutive for the loop, and far apart for the work-items. */
static bool reads_a_row(const ir_op *loop, const bool *varying) {
    const ir_value *counter = loop->reg[0]->args[0], *end = loop->in[1];
    bool found = false;
    if (varying[counter->id] || !sums(loop) ||
        (end->def && end->def->code == OP_iconst && end->def->attr[0].i < 16))
        return false;
    for (const ir_op *op = loop->reg[0]->first; op; op = op->next) {
        int from = ir_subscripts(op);
        if (op->nreg)
            return false;
        if (!from)
            continue;
        const ir_value *last = op->in[op->nin - 1];
        bool own = false;
        for (int i = from; i + 1 < op->nin; i++)
            own = own || varying[op->in[i]->id];
        if ((op->code != OP_load && op->code != OP_store) || varying[last->id] ||
            op->in[0]->type.space != SP_global)
            return false;
        found = found || (own && last == counter && op->in[0]->type.contig == IR_UNIT);
    }
    return found;
}

/* Is each innermost loop so? Then vectors are for the loops, as in a kernel of rows. */
static bool rows(const ir_region *r, const bool *varying, bool *found) {
    for (const ir_op *op = r->first; op; op = op->next) {
        bool outer = false;
        for (int i = 0; i < op->nreg; i++)
            outer = outer || ir_has_op(op->reg[i], OP_for);
        if (op->code == OP_loop)
            return false;
        if (op->code == OP_for && !outer) {
            if (!reads_a_row(op, varying))
                return false;
            *found = true;
        }
        for (int i = 0; i < op->nreg; i++)
            if (!rows(op->reg[i], varying, found))
                return false;
    }
    return true;
}

static bool of_rows(ir_func *f) {
    bool found = false;
    return rows(f->body, ana_uniform_of(f, f->body, 1).varying, &found) && found;
}

static void find_used(lanes *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            if (op->in[i]->def && op->in[i]->def->code == OP_atomic)
                s->used[op->in[i]->id] = true;
        for (int i = 0; i < op->nreg; i++)
            find_used(s, op->reg[i]);
    }
}

status pass_lanes(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    lanes s = {.f = f, .bytes = wide(f->body) ? 8 : 4};
    s.width = o->width_bytes / s.bytes;
    if (!f->simt) {
        walk(&s, f->body);
        return OK;
    }
    /* a kernel of rows has its vectors in the loops over the row: LLVM's */
    s.checks = ir_has_op(f->body, OP_touch);
    s.barriers = ir_has_op(f->body, OP_barrier);
    bool ordered = f->prints || o->alias || s.checks || ir_has_op(f->body, OP_lock) ||
                   ir_has_op(f->body, OP_trap) || ir_has_op(f->body, OP_tmp);
    if (ordered || s.width < 1 || !along_dim_0(f->body) || of_rows(f))
        s.width = 1;
    f->width = s.width;
    s.used = ARENA_ARRAY(f->mem, bool, f->nvalues + 1);
    find_used(&s, f->body);
    walk(&s, f->body);
    return OK;
}
