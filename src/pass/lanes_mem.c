/* Memory in the lanes pass: uniform subscripts stay scalar accesses, a unit-stride last subscript
   of a contiguous tensor is a vector access, the rest gathers and scatters. Per-work-item memory
   gets the lane as one more, innermost dimension. */
#include "pass/lanes.h"
#include <string.h>

static ir_value *scalar_zero(lanes *s) { return lanes_i64(s, 0); }

static bool alloc(lanes *s, const ir_op *op) {
    ir_op *n = ir_op_new(s->f, OP_alloc, op->site, 0, 1, 0);
    n->out[0]->type = op->out[0]->type;
    n->attr[0] = op->attr[0];
    if (s->width > 1 && n->out[0]->type.space == SP_local) {
        int64_t *shape = ARENA_ARRAY(s->f->mem, int64_t, op->attr[0].i + 1);
        memcpy(shape, op->attr[0].v, sizeof *shape * (size_t)op->attr[0].i);
        shape[op->attr[0].i] = s->width;
        n->attr[0].v = shape;
        n->attr[0].i++;
        n->out[0]->type.rank++;
    }
    ir_append(s->r, n);
    lanes_define(s, op->out[0], LV_uniform, n->out[0], 0);
    return true;
}

/* Subscripts of the access, from operand `from` on, with the hidden one of per-work-item memory. */
typedef struct {
    ir_value *t;
    lane_value idx[18];
    int n;
    int64_t plain;
    bool varying, unit; /* unit: consecutive elements, */
    bool guess;         /* if the first is not counted from the end, which is not known */
} subscript;

/* From `at` on, is the place of the first lane that runs known not to be negative? */
static bool first_is_low(const lanes *s, const ir_value *at) {
    return s->some && at->def && at->def->code == OP_iconst &&
           at->def->attr[0].i + __builtin_ctzll(s->some) >= 0;
}

static subscript subscripts(lanes *s, const ir_op *op, int from, int64_t plain) {
    subscript x = {.t = lanes_uniform(s, op->in[0]), .plain = plain};
    for (int i = from; i < op->nin && x.n < 16; i++)
        x.idx[x.n++] = lanes_of(s, op->in[i]);
    if (x.t->type.space >= SP_local && x.t->type.rank == x.n + 1) {
        bool whole =
            !op->in[0]
                 ->aux; /* split made it for the whole block, one innermost place per work-item */
        x.plain |= (int64_t)1 << x.n;
        x.idx[x.n++] = (lane_value){s->width > 1 ? LV_affine : LV_uniform,
                                    whole ? s->item : scalar_zero(s), s->width > 1};
    }
    if (x.t->type.contig == IR_SAME && x.n > 0) { /* the last subscript makes no difference */
        x.idx[x.n - 1] = (lane_value){LV_uniform, scalar_zero(s), 0};
        x.plain |= (int64_t)1 << (x.n - 1);
    }
    x.unit = x.t->type.contig == IR_UNIT && x.n > 0 && x.idx[x.n - 1].kind == LV_affine &&
             x.idx[x.n - 1].stride == 1;
    for (int i = 0; i < x.n; i++) {
        x.varying = x.varying || x.idx[i].kind != LV_uniform;
        x.unit = x.unit && (i == x.n - 1 || x.idx[i].kind == LV_uniform);
    }
    if (s->laid && x.unit && first_is_low(s, x.idx[x.n - 1].v))
        x.plain |= (int64_t)1 << (x.n - 1);
    x.guess = x.unit && !(x.plain >> (x.n - 1) & 1);
    return x;
}

static ir_value *as_vector(lanes *s, const lane_value *l) {
    ir_value tmp = {.aux = (void *)l};
    return l->kind == LV_uniform ? l->v : lanes_vector(s, &tmp);
}

static ir_op *access(lanes *s, int code, ir_value **head, int nhead, const subscript *x,
                     unsigned nout) {
    ir_op *n = ir_op_new(s->f, code, s->site, (unsigned)(nhead + x->n), nout, 0);
    memcpy(n->in, head, sizeof *head * (size_t)nhead);
    for (int i = 0; i < x->n; i++)
        n->in[nhead + i] =
            code == OP_gather || code == OP_scatter ? as_vector(s, &x->idx[i]) : x->idx[i].v;
    n->attr[code == OP_atomic].i = x->plain;
    ir_append(s->r, n);
    return n;
}

/* For a guess: an if whether the first index is not negative. Then s->r is its region k. */
static ir_op *either_way(lanes *s, const subscript *x) {
    ir_value *in[2] = {x->idx[x->n - 1].v, lanes_i64(s, 0)};
    ir_op *op = ir_op_new(s->f, OP_if, s->site, 1, 0, 2);
    op->in[0] = lanes_emit(s, OP_ge, ir_val(DT_bool, 1), 2, in);
    ir_append(s->r, op);
    return op;
}

static subscript plain_way(const subscript *x) {
    subscript p = *x;
    p.plain |= (int64_t)1 << (x->n - 1);
    return p;
}

static ir_value *vector_load(lanes *s, ir_value *t, ir_value *mask, const subscript *x, int code) {
    ir_value *head[2] = {t, mask};
    ir_op *n = access(s, code, head, 2, x, 1);
    n->out[0]->type = ir_val((dtype)t->type.dt, (unsigned)s->width);
    return n->out[0];
}

static ir_value *guessed_load(lanes *s, const subscript *x, ir_value *mask) {
    subscript p = plain_way(x);
    ir_op *op = either_way(s, x);
    ir_region *outer = s->r;
    for (int k = 0; k < 2; k++) {
        s->r = op->reg[k];
        ir_value *v = vector_load(s, x->t, mask, k ? x : &p, k ? OP_gather : OP_vload);
        ir_op *y = ir_op_new(s->f, OP_yield, s->site, 1, 0, 0);
        y->in[0] = v;
        ir_append(s->r, y);
    }
    s->r = outer;
    return ir_add_out(s->f, op, ir_val((dtype)x->t->type.dt, (unsigned)s->width), NULL);
}

static bool load(lanes *s, const ir_op *op) {
    subscript x = subscripts(s, op, 1, op->attr[0].i);
    if (x.varying) {
        ir_value *mask = lanes_mask(s);
        ir_value *v = x.guess ? guessed_load(s, &x, mask)
                              : vector_load(s, x.t, mask, &x, x.unit ? OP_vload : OP_gather);
        lanes_define(s, op->out[0], LV_vector, v, 0);
        return true;
    }
    ir_op *n = access(s, OP_load, &x.t, 1, &x, 1);
    n->out[0]->type = ir_val((dtype)x.t->type.dt, 1);
    lanes_define(s, op->out[0], LV_uniform, n->out[0], 0);
    return true;
}

static bool store(lanes *s, const ir_op *op) {
    subscript x = subscripts(s, op, 2, op->attr[0].i), p = x;
    lane_value v = lanes_of(s, op->in[1]);
    if (!x.varying && v.kind == LV_uniform) {
        ir_value *head[2] = {x.t, v.v};
        access(s, OP_store, head, 2, &x, 0);
        return true;
    }
    ir_value *head[3] = {x.t, lanes_vector(s, op->in[1]), lanes_mask(s)};
    if (!x.guess) {
        access(s, x.unit ? OP_vstore : OP_scatter, head, 3, &x, 0);
        return true;
    }
    p = plain_way(&x);
    ir_op *choice = either_way(s, &x);
    ir_region *outer = s->r;
    for (int k = 0; k < 2; k++) {
        s->r = choice->reg[k];
        access(s, k ? OP_scatter : OP_vstore, head, 3, k ? &x : &p, 0);
        ir_append(s->r, ir_op_new(s->f, OP_yield, s->site, 0, 0, 0));
    }
    s->r = outer;
    return true;
}

static ir_value *lane_of(lanes *s, const lane_value *l, ir_value *vec, ir_value *i) {
    if (l->kind == LV_uniform)
        return l->v;
    ir_value *in[2] = {vec, i};
    return lanes_emit(s, OP_extract, ir_val((dtype)vec->type.dt, 1), 2, in);
}

typedef struct {
    const ir_op *op;
    subscript x;
    lane_value vals[2];
    ir_value *vecs[2], *ivecs[18];
    ir_value *old; /* cell of a vector, or NULL: nobody asks for the old values */
} lane_atomic;

/* Nothing writes between the ops, of one region. */
static bool unwritten(const ir_op *from, const ir_op *to) {
    for (; from && from != to; from = from->next)
        if (from->nreg || ir_ops[from->code].effect > EFF_READ)
            return false;
    return from;
}

/* Lane i of a subscript that is an element of consecutive ones, or a cast of it: loaded by itself,
   its address is known sooner than out of a vector. NULL: it is no such thing. */
static ir_value *loaded_lane(lanes *s, const ir_op *op, const ir_value *old, ir_value *i) {
    const ir_op *cast = old->def && old->def->code == OP_cast ? old->def : NULL;
    const ir_op *from = cast ? cast->in[0]->def : old->def;
    if (!from || from->code != OP_load || from->in[0] == op->in[0] || !unwritten(from, op))
        return NULL;
    subscript x = subscripts(s, from, 1, from->attr[0].i);
    if (!x.unit || x.guess)
        return NULL;
    ir_value *in[2] = {x.idx[x.n - 1].v, i};
    x.idx[x.n - 1] = (lane_value){LV_uniform, lanes_emit(s, OP_add, i->type, 2, in), 0};
    ir_op *ld = access(s, OP_load, &x.t, 1, &x, 1);
    ld->out[0]->type = ir_val((dtype)x.t->type.dt, 1);
    return cast ? lanes_emit(s, OP_cast, ir_val((dtype)old->type.dt, 1), 1, ld->out) : ld->out[0];
}

static void atomic_of(lanes *s, const lane_atomic *a, ir_value *i) {
    int from = ir_subscripts(a->op);
    ir_value *head[3] = {a->x.t, NULL, NULL};
    subscript one = a->x;
    for (int k = 0; k < from - 1; k++)
        head[1 + k] = lane_of(s, &a->vals[k], a->vecs[k], i);
    for (int k = 0; k < a->x.n; k++) {
        ir_value *v = from + k < a->op->nin ? loaded_lane(s, a->op, a->op->in[from + k], i) : NULL;
        v = v ? v : lane_of(s, &a->x.idx[k], a->ivecs[k], i);
        one.idx[k] = (lane_value){LV_uniform, v, 0};
    }
    ir_op *n = access(s, OP_atomic, head, from, &one, 1);
    n->attr[0] = a->op->attr[0];
    n->out[0]->type = ir_val((dtype)a->x.t->type.dt, 1);
    if (!a->old)
        return;
    ir_type t = ir_val((dtype)a->x.t->type.dt, (unsigned)s->width);
    ir_value *get = lanes_emit(s, OP_get, t, 1, (ir_value *const *)&a->old),
             *ins[3] = {get, n->out[0], i};
    ir_op *set = ir_op_new(s->f, OP_set, s->site, 2, 0, 0);
    set->in[0] = a->old;
    set->in[1] = lanes_emit(s, OP_insert, t, 3, ins);
    ir_append(s->r, set);
}

/* The lanes that the mask has, in a loop. */
static void masked_atomics(lanes *s, const lane_atomic *a) {
    ir_value *mask = lanes_mask(s);
    ir_region *outer = s->r;
    ir_op *loop = ir_op_new(s->f, OP_for, s->site, 3, 0, 1);
    loop->in[0] = lanes_i64(s, 0);
    loop->in[1] = lanes_i64(s, s->width);
    loop->in[2] = lanes_i64(s, 1);
    ir_value *i = ir_region_arg(s->f, loop->reg[0], ir_val(DT_i64, 1), "lane");
    ir_append(s->r, loop);
    s->r = loop->reg[0];
    ir_value *in[2] = {mask, i};
    ir_op *guard = ir_op_new(s->f, OP_if, s->site, 1, 0, 2);
    guard->in[0] = lanes_emit(s, OP_extract, ir_val(DT_bool, 1), 2, in);
    ir_append(s->r, guard);
    s->r = guard->reg[0];
    atomic_of(s, a, i);
    ir_append(guard->reg[0], ir_op_new(s->f, OP_yield, s->site, 0, 0, 0));
    ir_append(guard->reg[1], ir_op_new(s->f, OP_yield, s->site, 0, 0, 0));
    ir_append(loop->reg[0], ir_op_new(s->f, OP_yield, s->site, 0, 0, 0));
    s->r = outer;
}

/* Of a block's memory, each lane another place: all at once, as a block runs on one thread. */
static bool at_once(lanes *s, const ir_op *op, const subscript *x) {
    static const struct {
        const char *kind;
        int code;
    } codes[] = {{"add", OP_add}, {"sub", OP_sub}, {"and", OP_and}, {"or", OP_or}, {"xor", OP_xor}};
    int code = -1;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(op->attr[0].s, codes[i].kind))
            code = codes[i].code;
    if (code < 0 || !x->unit || x->guess || op->in[0]->type.space == SP_global)
        return false;
    ir_value *mask = lanes_mask(s), *v = lanes_vector(s, op->in[1]);
    ir_value *in[2] = {vector_load(s, x->t, mask, x, OP_vload), v};
    ir_value *head[3] = {x->t, lanes_emit(s, code, v->type, 2, in), mask};
    access(s, OP_vstore, head, 3, x, 0);
    return true;
}

/* One lane after the other, in order. */
static bool atomic(lanes *s, const ir_op *op) {
    int from = ir_subscripts(op), w = s->width;
    lane_atomic a = {.op = op, .x = subscripts(s, op, from, op->attr[1].i)};
    a.vals[0] = lanes_of(s, op->in[1]);
    a.vals[1] = from > 2 ? lanes_of(s, op->in[2]) : (lane_value){0};
    if (w == 1) {
        ir_value *head[3] = {a.x.t, a.vals[0].v, a.vals[1].v};
        ir_op *n = access(s, OP_atomic, head, from, &a.x, 1);
        n->attr[0] = op->attr[0];
        n->out[0]->type = ir_val((dtype)a.x.t->type.dt, 1);
        lanes_define(s, op->out[0], LV_uniform, n->out[0], 0);
        return true;
    }
    bool used = s->used && s->used[op->out[0]->id];
    if (!used && at_once(s, op, &a.x))
        return true;
    for (int k = 0; k < from - 1; k++)
        a.vecs[k] = lanes_vector(s, op->in[1 + k]);
    for (int i = 0; i < a.x.n; i++)
        a.ivecs[i] = as_vector(s, &a.x.idx[i]);
    ir_type t = ir_val((dtype)a.x.t->type.dt, (unsigned)w);
    a.old = used ? lanes_cell(s, t, NULL) : NULL;
    if (s->mask)
        masked_atomics(s, &a);
    else
        for (int i = 0; i < w; i++)
            atomic_of(s, &a, lanes_i64(s, i));
    if (used)
        lanes_define(s, op->out[0], LV_vector, lanes_emit(s, OP_get, t, 1, &a.old), 0);
    return true;
}

bool lanes_memory(lanes *s, const ir_op *op) {
    switch (op->code) {
    case OP_alloc: return alloc(s, op);
    case OP_load: return load(s, op);
    case OP_store: return store(s, op);
    case OP_atomic: return atomic(s, op);
    default: return false;
    }
}
