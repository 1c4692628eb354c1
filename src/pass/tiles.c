/* Forwards shared tiles. On this target shared memory is no nearer than any other, and what a block
   stages through it hides from the passes that come which array is read. Where all shared memory of
   a kernel is tiles (tiles_find.c), each load of one becomes what was stored there, computed for
   the work-item that stored it, and tiles and barriers go. Only where the launch's blocks are whole
   and known (f->block): for others the kernel stays as it is. */
#include "pass/linear.h"
#include "pass/tiles.h"

typedef struct {
    ir_value *from, *to;
} pair;

typedef struct {
    const tiles *s;
    const tile *t;
    const ir_op *load;
    ir_region *r;   /* where ops are appended */
    VEC(pair) made; /* in the regions that are open */
} copying;

static ir_value *made_of(const copying *c, const ir_value *v) {
    for (uint32_t i = 0; i < c->made.n; i++)
        if (c->made.p[i].from == v)
            return c->made.p[i].to;
    return NULL;
}

static ir_value *emit(copying *c, int code, ir_type t, unsigned n, ir_value *const *in) {
    return ir_emit(c->s->f, c->r, c->load->site, code, t, n, in);
}

/* The axis of the tile that local id d goes along; -1: there is one work-item along d. */
static int axis_of(const tile *t, int64_t d) {
    for (int a = 0; a < t->t->type.rank; a++)
        if (t->dim[a] == d)
            return a;
    return -1;
}

static bool is_lid(const ir_value *v, int64_t d) {
    return v->def && v->def->code == OP_lid && v->def->attr[0].i == d;
}

/* An id of the work-item that stored what is loaded. */
static ir_value *id_there(copying *c, ir_value *v) {
    const ir_op *op = v->def;
    int64_t d = op->attr[0].i;
    int a = axis_of(c->t, d);
    ir_value *at = a < 0 ? NULL : c->load->in[1 + a];
    if (!at || is_lid(at, d))
        return v;
    if (op->code == OP_lid)
        return at;
    ir_type i64 = ir_val(DT_i64, 1);
    ir_value *in[2] = {emit(c, OP_bid, i64, 0, NULL),
                       ir_iconst(c->s->f, c->r, c->load->site, DT_i64, c->s->f->block[d])};
    in[0]->def->attr[0].i = d;
    in[0] = emit(c, OP_mul, i64, 2, in);
    in[1] = at;
    return emit(c, OP_add, i64, 2, in);
}

/* Does v come of ids that differ there, or is it not to be seen here? */
static bool differs(const copying *c, const ir_value *v) {
    const ir_op *op = v->def;
    if (!op)
        return false;
    if (op->code == OP_gid || op->code == OP_lid || op->nreg)
        return true;
    const ir_region *r = c->load->parent;
    while (r != op->parent && r->owner)
        r = r->owner->parent;
    if (r != op->parent)
        return true;
    for (int i = 0; i < op->nin; i++)
        if (differs(c, op->in[i]))
            return true;
    return false;
}

static ir_value *copy(copying *c, ir_value *v);

static ir_value *copy_if(copying *c, const ir_op *op) {
    ir_func *f = c->s->f;
    ir_op *n = ir_op_new(f, OP_if, op->site, 1, 1, 2);
    ir_region *home = c->r;
    n->in[0] = copy(c, op->in[0]);
    n->out[0]->type = op->out[0]->type;
    ir_append(home, n);
    for (int arm = 0; arm < 2; arm++) {
        uint32_t outside = c->made.n;
        c->r = n->reg[arm];
        ir_op *y = ir_op_new(f, OP_yield, op->site, 1, 0, 0);
        y->in[0] = copy(c, op->reg[arm]->last->in[0]);
        ir_append(c->r, y);
        c->made.n = outside;
    }
    c->r = home;
    return n->out[0];
}

static ir_value *copy(copying *c, ir_value *v) {
    ir_value *to = made_of(c, v);
    if (to || !differs(c, v))
        return to ? to : v;
    const ir_op *op = v->def;
    if (op->code == OP_gid || op->code == OP_lid)
        return id_there(c, v);
    if (op->code == OP_if)
        to = copy_if(c, op);
    else {
        ir_op *n = ir_op_new(c->s->f, op->code, op->site, op->nin, 1, 0);
        for (int i = 0; i < op->nin; i++)
            n->in[i] = copy(c, op->in[i]);
        n->attr[0] = op->attr[0];
        n->attr[1] = op->attr[1];
        n->out[0]->type = v->type;
        n->out[0]->name = v->name;
        ir_append(c->r, n);
        to = n->out[0];
    }
    pair p = {v, to};
    vec_push(c->s->f->mem, &c->made, p);
    return to;
}

/* Zero: what memory holds that is filled in part. */
static ir_value *zero(copying *c) {
    dtype dt = (dtype)c->t->t->type.dt;
    return dtype_is_float(dt) ? ir_fconst(c->s->f, c->r, c->load->site, dt, 0)
                              : ir_iconst(c->s->f, c->r, c->load->site, dt, 0);
}

/* What was stored where c->load loads, under the conditions from number i inwards. */
static ir_value *stored(copying *c, int i) {
    if (i < 0)
        return copy(c, c->t->store->in[1]);
    const ir_op *guard = c->t->guard[i], *below = i ? c->t->guard[i - 1] : c->t->store;
    int arm = below->parent == guard->reg[1];
    ir_func *f = c->s->f;
    ir_op *n = ir_op_new(f, OP_if, c->load->site, 1, 1, 2);
    ir_region *home = c->r;
    n->in[0] = copy(c, guard->in[0]);
    n->out[0]->type = c->load->out[0]->type;
    ir_append(home, n);
    for (int k = 0; k < 2; k++) {
        uint32_t outside = c->made.n;
        c->r = n->reg[k];
        ir_op *y = ir_op_new(f, OP_yield, c->load->site, 1, 0, 0);
        y->in[0] = k == arm ? stored(c, i - 1) : zero(c);
        ir_append(c->r, y);
        c->made.n = outside;
    }
    c->r = home;
    return n->out[0];
}

static void forward_one(tiles *s, const tile *t, ir_op *load) {
    copying c = {.s = s, .t = t, .load = load, .r = ir_region_new(s->f, load->parent->owner)};
    ir_region *made = c.r;
    ir_value *v = stored(&c, t->nguard - 1);
    for (ir_op *op = made->first, *next; op; op = next) {
        next = op->next;
        ir_remove(op);
        ir_before(load, op);
    }
    ir_replace(s->f->body, load->out[0], v);
    ir_remove(load);
}

static void drop_barriers(ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nreg; i++)
            drop_barriers(op->reg[i]);
        if (op->code == OP_barrier)
            ir_remove(op);
    }
}

void tiles_forward(tiles *s) {
    for (int i = 0; i < s->n; i++) {
        tile *t = &s->tile[i];
        for (uint32_t k = 0; k < t->loads.n; k++)
            forward_one(s, t, t->loads.p[k]);
        ir_remove(t->store);
        ir_remove(t->t->def);
    }
    drop_barriers(s->f->body);
}

static bool is_shared(const ir_op *op) {
    return op->code == OP_store && op->in[0]->type.space == SP_shared;
}

/* The last of what an arm does, if that is a store to shared memory, at subscripts from outside. */
static ir_op *last_store(const ir_op *op, int arm) {
    const ir_op *end = op->reg[arm]->last;
    ir_op *st = end && end->code == OP_yield ? end->prev : NULL;
    for (int i = 2; st && is_shared(st) && i < st->nin; i++)
        if (ir_inside(st->in[i], op->reg[arm]))
            return NULL;
    return st && is_shared(st) ? st : NULL;
}

/* if c {.. store v} {.. store w} is a store of what the `if` gives. */
static void join_arms(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            join_arms(f, op->reg[i]);
        while (op->code == OP_if) {
            ir_op *a = last_store(op, 0), *b = last_store(op, 1);
            bool same = a && b && a->in[0] == b->in[0];
            for (int i = 2; same && i < a->nin; i++)
                same = a->in[i] == b->in[i];
            if (!same)
                break;
            ir_value *v = ir_add_out(f, op, a->in[1]->type, NULL);
            ir_add_in(f, op->reg[0]->last, a->in[1]);
            ir_add_in(f, op->reg[1]->last, b->in[1]);
            ir_remove(b);
            ir_remove(a);
            a->in[1] = v;
            if (op->next)
                ir_before(op->next, a);
            else
                ir_append(op->parent, a);
        }
    }
}

static bool has_row_id(const ir_value *v) {
    const ir_op *op = v->def;
    if (!op)
        return false;
    if (op->code == OP_gid || op->code == OP_lid)
        return !op->attr[0].i;
    for (int i = 0; i < op->nin; i++)
        if (op->in[i]->type.kind == TY_val && has_row_id(op->in[i]))
            return true;
    return op->nreg || op->code == OP_get; /* who knows */
}

/* A subscript is the same for a row of work-items, or, the last, grows by one. */
static bool unit_along_row(ir_value *v, bool last) {
    linear x;
    int64_t c = 0;
    if (!linear_of(v, &x))
        return false;
    for (int i = 0; i < x.n; i++) {
        const ir_op *op = x.v[i]->def;
        if (op && (op->code == OP_gid || op->code == OP_lid) && !op->attr[0].i)
            c += x.c[i];
        else if (has_row_id(x.v[i]))
            return false;
    }
    return !c || (c == 1 && last);
}

/* The work-items of a row read and store what is consecutive, or the same. */
static bool consecutive(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        int from = ir_subscripts(op);
        for (int i = from; from && i < op->nin; i++)
            if (!unit_along_row(op->in[i], i + 1 == op->nin))
                return false;
        for (int i = 0; i < op->nreg; i++)
            if (!consecutive(op->reg[i]))
                return false;
    }
    return true;
}

/* Tiles that are filled again and again keep what is near in the cache, and rows that go through a
   tile may be read along and stored across. */
static bool pays(const tiles *s) {
    for (int i = 0; i < s->n; i++)
        if (s->tile[i].home->owner)
            return false;
    return consecutive(s->f->body);
}

/* The tile's size is often a name from outside, so an argument. */
static void settle_known(ir_func *f) {
    for (const ir_known *k = f->known; k; k = k->next) {
        if (k->arg->type.kind != TY_val || dtype_is_float((dtype)k->arg->type.dt))
            continue;
        ir_op *op = ir_op_new(f, OP_iconst, 0, 0, 1, 0);
        op->attr[0].i = k->value;
        op->out[0]->type = k->arg->type;
        op->out[0]->name = k->arg->name;
        ir_before(f->body->first, op);
        ir_replace(f->body, k->arg, op->out[0]);
    }
}

status pass_tiles(ir_func *f, diag *d, const pass_options *o) {
    tiles s = {.f = f};
    bool may = f->simt && !f->prints && !o->alias && ir_has_op(f->body, OP_barrier);
    if (may && f->block[0]) {
        settle_known(f);
        TRY(pass_fold(f, d, o));
        join_arms(f, f->body);
    }
    if (may && tiles_find(&s)) {
        tiles_forward(&s);
        /* What filled the tiles asks for other ids: it goes, and then the conditions of that. */
        TRY(pass_dce(f, d, o));
        TRY(pass_dce(f, d, o));
        tiles_ids(f);
        f->tiled = pays(&s) ? IR_FORWARDED : IR_ON_TRIAL;
        pass_note(o, f, s.tile[0].store,
                  "shared memory is not used: each load reads what it was filled from");
    } else if (may) {
        f->tiled = s.by_block ? IR_BY_BLOCK : 0;
        if (s.why && f->block[0])
            pass_note(o, f, s.at, "shared memory is used as it is written: %s", s.why);
    }
    f->block[0] = f->block[1] = f->block[2] = 0;
    return OK;
}
