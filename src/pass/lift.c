/* Memory of a block that code without loops touches at constant places alone, as lanes lays it out
   for blocks of a known size, becomes vectors: one for each chunk of it. A load that straddles two
   is a window on them, a store under a mask a choice of lanes. Before: stage cpu, folded. */
#include "pass/pass.h"

enum { CHUNKS = 64 };

/* Of an alloc, in its aux. */
typedef struct {
    ir_region *home; /* of all its uses */
    bool bad;
    ir_value *chunk[CHUNKS];
} array;

typedef struct {
    ir_func *f;
    int width;
    ir_op *at; /* before which code goes */
} lift;

static int64_t elements(const ir_op *alloc) {
    int64_t n = 1;
    for (int64_t i = 0; i < alloc->attr[0].i; i++)
        n *= alloc->attr[0].v[i];
    return n;
}

static int first_index(const ir_op *op) {
    return op->code == OP_load ? 1 : op->code == OP_store || op->code == OP_vload ? 2 : 3;
}

/* The place of the access's first element; false: not a constant, or not in the array. */
static bool place(const ir_op *op, int width, int64_t *at) {
    const ir_op *alloc = op->in[0]->def;
    bool vector = op->code == OP_vload || op->code == OP_vstore;
    int from = first_index(op);
    *at = 0;
    for (int i = from; i < op->nin; i++) {
        const ir_op *k = op->in[i]->def;
        int64_t extent = alloc->attr[0].v[i - from];
        if (!k || k->code != OP_iconst)
            return false;
        bool plain = op->attr[0].i >> (i - from) & 1, last = i + 1 == op->nin;
        int64_t v = k->attr[0].i + (!plain && k->attr[0].i < 0 ? extent : 0);
        if (v >= extent || v < (vector && last ? 1 - width : 0))
            return false;
        *at = *at * extent + v;
    }
    return *at > -width;
}

static bool fits(const lift *l, const ir_op *op, int operand) {
    int64_t at;
    if (operand)
        return false;
    switch (op->code) {
    case OP_vload:
    case OP_vstore: {
        const ir_value *v = op->code == OP_vload ? op->out[0] : op->in[1];
        return v->type.lanes == l->width && place(op, l->width, &at);
    }
    case OP_load:
    case OP_store: return place(op, l->width, &at);
    default: return false;
    }
}

/* Is `home` run once each time that the alloc is? */
static bool once(const ir_region *home, const ir_region *r) {
    while (home != r && home->owner &&
           (home->owner->code == OP_if || home->owner->code == OP_scope))
        home = home->owner->parent;
    return home == r;
}

static void note(const lift *l, const ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_alloc) {
            array *a = ARENA_NEW(l->f->mem, array);
            *a = (array){.bad = op->out[0]->type.space == SP_kept ||
                                elements(op) > CHUNKS * (int64_t)l->width};
            op->out[0]->aux = a;
        }
        for (int i = 0; i < op->nin; i++) {
            array *a = op->in[i]->type.kind == TY_tensor ? op->in[i]->aux : NULL;
            if (!a || a->bad)
                continue;
            a->bad =
                !fits(l, op, i) || (a->home && a->home != r) || !once(r, op->in[i]->def->parent);
            a->home = (ir_region *)r;
        }
        for (int i = 0; i < op->nreg; i++)
            note(l, op->reg[i]);
    }
}

static ir_value *emit(lift *l, int code, ir_type t, unsigned nin, ir_value *const *in) {
    ir_op *op = ir_op_new(l->f, code, l->at->site, nin, 1, 0);
    for (unsigned i = 0; i < nin; i++)
        op->in[i] = in[i];
    op->out[0]->type = t;
    ir_before(l->at, op);
    return op->out[0];
}

static ir_value *number(lift *l, int64_t k) {
    ir_value *v = emit(l, OP_iconst, ir_val(DT_i64, 1), 0, NULL);
    v->def->attr[0].i = k;
    return v;
}

static ir_value *zeros(lift *l, dtype dt) {
    bool fl = dtype_is_float(dt);
    ir_value *k = emit(l, fl ? OP_fconst : OP_iconst, ir_val(dt, 1), 0, NULL);
    return emit(l, OP_splat, ir_val(dt, (unsigned)l->width), 1, &k);
}

static ir_value *chunk(lift *l, const ir_op *op, int64_t k) {
    array *a = op->in[0]->aux;
    dtype dt = (dtype)op->in[0]->type.dt;
    if (k < 0 || k >= CHUNKS)
        return zeros(l, dt);
    if (!a->chunk[k])
        a->chunk[k] = zeros(l, dt);
    return a->chunk[k];
}

static ir_value *window(lift *l, ir_value *a, ir_value *b, int64_t at) {
    ir_value *in[2] = {a, b};
    ir_value *v = emit(l, OP_window, a->type, 2, in);
    v->def->attr[0].i = at;
    return v;
}

static bool all_true(const ir_value *m) {
    return m->def && m->def->code == OP_splat && m->def->in[0]->def &&
           m->def->in[0]->def->code == OP_iconst && m->def->in[0]->def->attr[0].i;
}

static ir_value *choose(lift *l, ir_value *mask, ir_value *a, ir_value *b) {
    ir_value *in[3] = {mask, a, b};
    return all_true(mask) ? a : emit(l, OP_select, a->type, 3, in);
}

/* Chunk of an element, and its lane. */
static int64_t split(const lift *l, int64_t at, int64_t *lane) {
    int64_t k = at >= 0 ? at / l->width : -1;
    *lane = at - k * l->width;
    return k;
}

static ir_value *vload(lift *l, const ir_op *op, int64_t k, int64_t lane) {
    ir_value *v = chunk(l, op, k);
    if (lane)
        v = window(l, v, chunk(l, op, k + 1), lane);
    return all_true(op->in[1]) ? v : choose(l, op->in[1], v, zeros(l, (dtype)v->type.dt));
}

static void put(lift *l, const ir_op *op, int64_t k, ir_value *mask, ir_value *v) {
    array *a = op->in[0]->aux;
    if (k >= 0 && k < CHUNKS)
        a->chunk[k] = choose(l, mask, v, all_true(mask) ? v : chunk(l, op, k));
}

/* The lanes from `lane` on go to chunk k, those before it to the next: the vector turned round. */
static void vstore(lift *l, const ir_op *op, int64_t k, int64_t lane) {
    ir_value *v = op->in[1], *mask = op->in[2];
    if (!lane) {
        put(l, op, k, mask, v);
        return;
    }
    ir_type t = ir_val(DT_i64, (unsigned)l->width), b = ir_val(DT_bool, (unsigned)l->width);
    ir_value *turned = window(l, v, v, l->width - lane), *edge = number(l, lane);
    ir_value *cmp[2] = {emit(l, OP_iota, t, 0, NULL), emit(l, OP_splat, t, 1, &edge)};
    for (int i = 0; i < 2; i++) {
        ir_value *in[2] = {emit(l, i ? OP_lt : OP_ge, b, 2, cmp), NULL};
        in[1] = all_true(mask) ? NULL : window(l, mask, mask, l->width - lane);
        put(l, op, k + i, in[1] ? emit(l, OP_and, b, 2, in) : in[0], turned);
    }
}

static void access(lift *l, ir_op *op) {
    array *a = op->in[0]->aux;
    int64_t at = 0, lane, k;
    place(op, l->width, &at);
    k = split(l, at, &lane);
    l->at = op;
    switch (op->code) {
    case OP_vload: ir_forward(op->out[0], vload(l, op, k, lane)); break;
    case OP_vstore: vstore(l, op, k, lane); break;
    case OP_load: {
        ir_value *in[2] = {chunk(l, op, k), number(l, lane)};
        ir_forward(op->out[0], emit(l, OP_extract, op->out[0]->type, 2, in));
        break;
    }
    default: {
        ir_value *in[3] = {chunk(l, op, k), op->in[1], number(l, lane)};
        a->chunk[k] = emit(l, OP_insert, in[0]->type, 3, in);
    }
    }
    ir_remove(op);
}

static bool lifted(const ir_value *t) {
    const array *a = t->def && t->def->code == OP_alloc ? t->aux : NULL;
    return a && !a->bad;
}

static void follow(ir_op *op) {
    for (int i = 0; i < op->nin; i++)
        if (op->in[i]->type.kind == TY_val && op->in[i]->aux)
            op->in[i] = op->in[i]->aux;
}

static void walk(lift *l, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        follow(op);
        for (int i = 0; i < op->nreg; i++)
            walk(l, op->reg[i]);
        if (op->nin && lifted(op->in[0]))
            access(l, op);
    }
}

static void drop(ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nreg; i++)
            drop(op->reg[i]);
        if (op->code == OP_alloc && lifted(op->out[0]))
            ir_remove(op);
    }
}

status pass_lift(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    lift l = {.f = f, .width = f->width};
    if (!f->simt || f->width < 2 || !ir_has_op(f->body, OP_full))
        return OK;
    note(&l, f->body);
    walk(&l, f->body);
    drop(f->body);
    ir_clear_aux(f->body);
    return OK;
}
