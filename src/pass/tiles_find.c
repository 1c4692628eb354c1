/* Finds the shared buffers of a kernel that hold no more than what is in other arrays: filled by
   the whole block at once, each work-item an element of its own, and read after a barrier at places
   that lie within what the block has filled. Loads of them may be computed anew then, as whatever
   they are computed from stays the same for the kernel's time. */
#include "ana/apart.h"
#include "ana/uniform.h"
#include "pass/linear.h"
#include "pass/tiles.h"

static bool no(tiles *s, const ir_op *at, const char *why) {
    if (!s->why) {
        s->why = why;
        s->at = at;
    }
    return false;
}

static bool no_block(tiles *s, const ir_op *at, const char *why) {
    s->by_block = s->by_block || !s->why;
    return no(s, at, why);
}

static tile *tile_of(tiles *s, const ir_value *t) {
    for (int i = 0; i < s->n; i++)
        if (s->tile[i].t == t)
            return &s->tile[i];
    return NULL;
}

/* The work-items part at no loop around a barrier, and nothing else is around one. */
static bool barrier(tiles *s, const ana_uniform *u, const ir_op *op) {
    for (const ir_op *p = op->parent->owner; p; p = p->parent->owner)
        if (p->code != OP_for || u->varying[p->in[0]->id] || u->varying[p->in[1]->id])
            return no(s, op, "a barrier is in something else than loops");
    return true;
}

static bool access(tiles *s, ir_op *op) {
    tile *t = tile_of(s, op->in[0]);
    if (!t) {
        s->stored[op->in[0]->id] = s->stored[op->in[0]->id] || op->code == OP_store;
    } else if (op->code == OP_load) {
        vec_push(s->f->mem, &t->loads, op);
    } else {
        if (t->store)
            return s->f->block[0] ? no(s, op, "shared memory is stored to in two places")
                                  : no_block(s, op, NULL); /* in two arms they would be one */
        t->store = op;
    }
    return true;
}

static bool scan(tiles *s, const ana_uniform *u, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            if (tile_of(s, op->in[i]) && (i || (op->code != OP_load && op->code != OP_store)))
                return no(s, op, "shared memory is used in another way than by loads and stores");
        switch (op->code) {
        case OP_alloc:
            if (op->out[0]->type.space != SP_shared)
                break;
            if (op->parent->owner || s->n == TILES_MAX || op->out[0]->type.rank > TILES_RANK)
                return no(s, op, "more shared memory than is looked at");
            s->tile[s->n++] = (tile){.t = op->out[0]};
            break;
        case OP_load:
        case OP_store:
            if (!access(s, op))
                return false;
            break;
        case OP_barrier:
            if (!barrier(s, u, op))
                return false;
            break;
        case OP_if:
        case OP_for:
        case OP_yield:
        case OP_get:
        case OP_set: break;
        default:
            if (op->nreg || ir_ops[op->code].effect != EFF_PURE)
                return no(s, op, "the kernel does more than load, compute and store");
        }
        for (int i = 0; i < op->nreg; i++)
            if (!scan(s, u, op->reg[i]))
                return false;
    }
    return true;
}

static bool within(const ir_region *in, const ir_region *r) {
    while (in != r && in->owner)
        in = in->owner->parent;
    return in == r;
}

/* The op of region r that is op or holds it. */
static const ir_op *in_region(const ir_op *op, const ir_region *r) {
    while (op && op->parent != r)
        op = op->parent->owner;
    return op;
}

/* Is v made of ids, arguments and what is in memory that nobody stores to, and soon? */
static bool is_forwardable(const tiles *s, const ir_value *v, const ir_region *home, int *budget) {
    const ir_op *op = v->def;
    if (--*budget < 0)
        return false;
    if (!op) /* what differs between work-items is not what the one that filled it had */
        return !s->varying[v->id] && within(home, v->region);
    if (op->code == OP_get) /* of a variable that all of them have set alike */
        return !s->varying[v->id] && within(home, op->parent);
    if (op->code == OP_load) {
        if (op->in[0]->type.space != SP_global || op->in[0]->def || s->stored[op->in[0]->id])
            return false;
    } else if (op->code == OP_if) {
        if (op->nout != 1)
            return false;
        for (int arm = 0; arm < 2; arm++)
            if (op->reg[arm]->last->code != OP_yield ||
                !is_forwardable(s, op->reg[arm]->last->in[0], home, budget))
                return false;
    } else if (op->nreg || ir_ops[op->code].effect != EFF_PURE || op->code >= OP_exp)
        return op->code >= OP_gid && op->code <= OP_nblocks ? true : op->code == OP_dim;
    for (int i = op->code == OP_load; i < op->nin; i++)
        if (!is_forwardable(s, op->in[i], home, budget))
            return false;
    return true;
}

/* From the store outwards: the conditions, and the region of the barriers. */
static bool find_home(tiles *s, tile *t) {
    const ir_op *op = t->store;
    for (; op->parent->owner && op->parent->owner->code == OP_if; op = op->parent->owner) {
        if (t->nguard == TILES_GUARDS || op->parent->owner->nout)
            return no(s, t->store, "shared memory is filled under conditions");
        t->guard[t->nguard++] = op->parent->owner;
    }
    t->fill = op;
    t->home = op->parent;
    /* Where the condition does not hold, what was there before stays: zero, the first time. */
    return !t->nguard || !t->home->owner ||
           no(s, t->store, "shared memory is filled again, but not all of it");
}

static bool holds_load(const tile *t, const ir_op *op, uint32_t *n) {
    uint32_t before = *n;
    for (uint32_t i = 0; i < t->loads.n; i++)
        *n += in_region(t->loads.p[i], t->home) == op;
    return *n > before;
}

/* In home: the fill, a barrier, all loads, and in a loop a barrier before it is filled again. */
static bool in_order(tiles *s, const tile *t) {
    bool filled = false, ready = false, again = true, first = false;
    uint32_t n = 0;
    for (const ir_op *op = t->home->first; op; op = op->next) {
        if (holds_load(t, op, &n)) {
            if (!ready)
                return no(s, t->store, "no barrier is between a store to shared memory and a load");
            again = false;
        }
        filled = filled || op == t->fill;
        if (op->code == OP_barrier) {
            again = true;
            ready = filled;
            first = first || !filled;
        }
    }
    if (n < t->loads.n)
        return no(s, t->store, "shared memory is read elsewhere than after it is filled");
    return !t->home->owner || again || first ||
           no(s, t->store, "no barrier is between a load of shared memory and the next store");
}

/* The bounds of v. */
static bool bounds(const tiles *s, ir_value *v, int64_t *lo, int64_t *hi) {
    linear x;
    if (!linear_of(v, &x))
        return false;
    *lo = *hi = x.k;
    for (int i = 0; i < x.n; i++) {
        const ir_op *op = x.v[i]->def, *loop = x.v[i]->region ? x.v[i]->region->owner : NULL;
        int64_t b[3];
        if (op && op->code == OP_lid) {
            b[0] = 0;
            b[1] = s->f->block[op->attr[0].i];
        } else if (loop && loop->code == OP_for && loop->reg[0]->args[0] == x.v[i]) {
            for (int k = 0; k < 3; k++) {
                if (!loop->in[k]->def || loop->in[k]->def->code != OP_iconst)
                    return false;
                b[k] = loop->in[k]->def->attr[0].i;
            }
            if (b[2] < 1)
                return false;
        } else
            return false;
        *lo += x.c[i] * (x.c[i] > 0 ? b[0] : b[1] - 1);
        *hi += x.c[i] * (x.c[i] > 0 ? b[1] - 1 : b[0]);
    }
    return true;
}

/* The work-items fill elements of their own, and no other are loaded. */
static bool covered(tiles *s, tile *t) {
    const int64_t *block = s->f->block, *shape = t->t->def->attr[0].v;
    int seen = 0;
    for (int a = 0; a < t->t->type.rank; a++) {
        const ir_op *id = t->store->in[2 + a]->def;
        if (!id || id->code != OP_lid || seen >> id->attr[0].i & 1)
            return no(s, t->store, "shared memory is filled elsewhere than at the local ids");
        t->dim[a] = (int)id->attr[0].i;
        seen |= 1 << t->dim[a];
    }
    for (int d = 0; d < 3; d++)
        if (block[d] > 1 && !(seen >> d & 1))
            return no_block(s, t->store, "several work-items fill one element of shared memory");
    for (int a = 0; a < t->t->type.rank; a++) {
        if (block[t->dim[a]] > shape[a])
            return no_block(s, t->store, "blocks are larger than shared memory");
        for (uint32_t i = 0; i < t->loads.n; i++) {
            int64_t lo, hi;
            if (!bounds(s, t->loads.p[i]->in[1 + a], &lo, &hi))
                return no(s, t->loads.p[i],
                          "a subscript of shared memory is not known to be within");
            if (lo < 0 || hi >= block[t->dim[a]])
                return no_block(s, t->loads.p[i],
                                "more of shared memory is read than a block fills");
        }
    }
    return true;
}

static bool find_one(tiles *s, tile *t) {
    enum { MOST = 40 };
    int budget = MOST;
    if (!t->store)
        return no(s, t->t->def, "shared memory is not stored to");
    if (!find_home(s, t))
        return false;
    bool is = is_forwardable(s, t->store->in[1], t->home, &budget);
    for (int i = 0; is && i < t->nguard; i++)
        is = is_forwardable(s, t->guard[i]->in[0], t->home, &budget);
    return (is || no(s, t->store, "shared memory holds what is not in other arrays")) &&
           in_order(s, t) && covered(s, t);
}

typedef struct {
    const ir_value *t;
    int loads, stores;
    bool loop; /* a store is in a loop with barriers */
} uses;

static void count(uses *u, const ir_region *r, bool loop) {
    for (const ir_op *op = r->first; op; op = op->next) {
        bool is = op->nin && op->in[0] == u->t;
        u->loads += is && op->code == OP_load;
        u->stores += is && op->code == OP_store;
        u->loop = u->loop || (is && op->code == OP_store && loop);
        for (int i = 0; i < op->nreg; i++)
            count(u, op->reg[i], loop || (op->code == OP_for && ir_has_op(op->reg[i], OP_barrier)));
    }
}

/* Without barriers the work-items of a block run one after the other: no matter to what each has
   for its own, and where one store alone, that runs once, goes. */
static bool free_of_order(tiles *s, const ir_region *r) {
    int dims = 0;
    for (int d = 0; d < 3; d++)
        dims |= (s->f->block[d] > 1) << d;
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            if (!free_of_order(s, op->reg[i]))
                return false;
        if (op->code != OP_store || tile_of(s, op->in[0]) || op->in[0]->type.space != SP_global)
            continue;
        uses u = {.t = op->in[0]};
        count(&u, s->f->body, false);
        if ((u.loads || u.stores > 1 || u.loop) && dims && ana_apart(s->f, u.t, dims) < 0)
            return no(s, op, "work-items of a block may meet at what is stored");
    }
    return true;
}

bool tiles_find(tiles *s) {
    ana_uniform u = ana_uniform_of(s->f, s->f->body, 7);
    s->varying = u.varying;
    s->stored = ARENA_ARRAY(s->f->mem, bool, s->f->nvalues + 1);
    if (!scan(s, &u, s->f->body))
        return false;
    for (int i = 0; i < s->n; i++)
        if (!find_one(s, &s->tile[i]))
            return false;
    if (!free_of_order(s, s->f->body))
        return false;
    return s->f->block[0] || no_block(s, NULL, NULL);
}
