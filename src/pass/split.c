/* Barrier splitting. The kernel's body becomes `lanes` regions, one for each stretch between
   barriers, with block-level code around them: uniform values, uniform cells, and the structure
   that holds barriers. What crosses from one region to another is computed again where it is cheap
   (ids and arithmetic on them), else kept in a slot per work-item. */
#include "ana/uniform.h"
#include "base/vec.h"
#include "pass/pass.h"
#include <string.h>

enum {
    MAX_BLOCK = 1024
}; /* work-items of a block in a kernel with barriers; the launcher checks */

typedef struct {
    ir_func *f;
    diag *d;
    ana_uniform u;
} split;

static bool op_contains(const ir_op *op, int code) {
    for (int i = 0; i < op->nreg; i++)
        if (ir_has_op(op->reg[i], code))
            return true;
    return false;
}

/* Does op hold a leave to a scope outside op? */
static bool leaves_from(const ir_op *op, const ir_op *root) {
    if (op->code == OP_leave) {
        const ir_op *p = op->parent->owner;
        for (; p && p != root; p = p->parent->owner)
            if (p->code == OP_scope && p->attr[0].i == op->attr[0].i)
                return false;
        return !(p && p->code == OP_scope && p->attr[0].i == op->attr[0].i);
    }
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (leaves_from(x, root))
                return true;
    return false;
}

/* The condition by which work-items part in op: for a scope that some leave, that of the first
   leave. */
static loc parting(const split *s, const ir_op *op) {
    if (op->code != OP_scope)
        return ir_loc(s->f, op);
    for (const ir_op *x = op->reg[0]->first; x; x = x->next)
        if (x->nreg && leaves_from(x, x))
            return x->code == OP_scope ? parting(s, x) : ir_loc(s->f, x);
    return ir_loc(s->f, op);
}

static status check_uniform(split *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            TRY(check_uniform(s, op->reg[i]));
        if (op->code != OP_barrier)
            continue;
        for (const ir_op *p = op->parent->owner; p; p = p->parent->owner) {
            bool bad =
                (p->code == OP_if && s->u.varying[p->in[0]->id]) ||
                (p->code == OP_for && (s->u.varying[p->in[0]->id] || s->u.varying[p->in[1]->id])) ||
                (p->code == OP_scope && s->u.divergent[p->attr[0].i]);
            if (bad)
                return diag_error(
                    s->d, ir_loc(s->f, op),
                    "let all of them reach it, and guard only the loads and stores",
                    "work-items of a block may part in line %u, so not all reach this barrier",
                    parting(s, p).line);
        }
    }
    return OK;
}

static const ir_op *lanes_around(const ir_op *op) {
    for (; op; op = op->parent->owner)
        if (op->code == OP_lanes)
            return op;
    return NULL;
}

/* Does op use what a lanes region computes? */
static bool uses_lanes(const ir_op *op) {
    for (int i = 0; i < op->nin; i++)
        if (op->in[i]->def && lanes_around(op->in[i]->def))
            return true;
    return false;
}

static bool uniform_op(const split *s, const ir_op *op) {
    if (op->code == OP_cell || op->code == OP_alloc)
        return true;
    if (op->nreg || op->code == OP_gid || op->code == OP_lid)
        return false;
    if (op->code == OP_set)
        return !s->u.varying[op->in[0]->id];
    bool memory = op->code == OP_load || op->code == OP_vload;
    return op->nout == 1 && !s->u.varying[op->out[0]->id] &&
           (ir_ops[op->code].effect == EFF_PURE || op->code == OP_get || memory);
}

/* Is a cell that the block has one of set inside op? Then op is the block's: each of the lane
   loop's chunks would set it again. */
static bool sets_uniform(const split *s, const ir_op *op) {
    if (op->code == OP_set && !s->u.varying[op->in[0]->id])
        return true;
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (sets_uniform(s, x))
                return true;
    return false;
}

static bool belongs_to_block(const split *s, const ir_op *op) {
    bool leaves = op->parent->owner && leaves_from(op, op);
    return op->nreg && (op_contains(op, OP_barrier) || leaves || sets_uniform(s, op));
}

/* size: of lanes, see pass/sized.c */
static void split_region(split *s, ir_region *r, ir_attr size) {
    ir_op *group = NULL;
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_extent || op->code == OP_bound)
            continue;
        if (op->code == OP_barrier) {
            group = NULL;
        } else if (op->code == OP_yield || op->code == OP_leave) {
            continue;
        } else if (belongs_to_block(s, op)) {
            group = NULL;
            const ir_op *full = op->code == OP_if ? op->in[0]->def : NULL;
            bool sized = full && full->code == OP_full;
            for (int i = 0; i < op->nreg; i++)
                split_region(s, op->reg[i], sized && !i ? full->attr[0] : size);
        } else if (uniform_op(s, op) && (!uses_lanes(op) || op->code == OP_set)) {
            if (uses_lanes(op))
                group = NULL;
            else if (group) {
                ir_remove(op);
                ir_before(group, op);
            }
        } else {
            if (!group) {
                group = ir_op_new(s->f, OP_lanes, op->site, 0, 0, 1);
                group->attr[0] = size;
                ir_before(op, group);
            }
            ir_remove(op);
            ir_append(group->reg[0], op);
        }
    }
}

static ir_value *slot_new(split *s, dtype dt, uint32_t site, const char *name) {
    ir_op *op = ir_op_new(s->f, OP_alloc, site, 0, 1, 0);
    int64_t *shape = ARENA_ARRAY(s->f->mem, int64_t, 1);
    shape[0] = MAX_BLOCK;
    op->attr[0].i = 1;
    op->attr[0].v = shape;
    op->out[0]->type = (ir_type){
        .kind = TY_tensor, .dt = (uint8_t)dt, .rank = 1, .space = SP_slot, .contig = 1, .lanes = 1};
    op->out[0]->name = name;
    ir_before(s->f->body->first, op);
    return op->out[0];
}

static ir_op *slot_load(split *s, ir_value *slot, uint32_t site) {
    ir_op *op = ir_op_new(s->f, OP_load, site, 1, 1, 0);
    op->in[0] = slot;
    op->out[0]->type = ir_val((dtype)slot->type.dt, 1);
    return op;
}

static ir_op *slot_store(split *s, ir_value *slot, ir_value *v, uint32_t site) {
    ir_op *op = ir_op_new(s->f, OP_store, site, 2, 0, 0);
    op->in[0] = slot;
    op->in[1] = v;
    return op;
}

/* Varying cells become slots. */
static void cells_to_slots(split *s, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_follow(op);
        for (int i = 0; i < op->nreg; i++)
            cells_to_slots(s, op->reg[i]);
        if ((op->code != OP_get && op->code != OP_set) || !s->u.varying[op->in[0]->id])
            continue;
        ir_value *cell = op->in[0];
        if (!cell->aux)
            cell->aux = slot_new(s, (dtype)cell->type.dt, op->site, cell->name);
        ir_op *n = op->code == OP_get ? slot_load(s, cell->aux, op->site)
                                      : slot_store(s, cell->aux, op->in[1], op->site);
        ir_before(op, n);
        if (op->code == OP_get)
            ir_forward(op->out[0], n->out[0]);
        ir_remove(op);
    }
}

static bool cheap(const ir_value *v, int *budget) {
    const ir_op *op = v->def;
    if (!op || !lanes_around(op))
        return true;
    if (ir_ops[op->code].effect != EFF_PURE || op->nreg || op->code >= OP_exp || --*budget < 0)
        return op->code == OP_gid || op->code == OP_lid;
    for (int i = 0; i < op->nin; i++)
        if (!cheap(op->in[i], budget))
            return false;
    return true;
}

static ir_value *again(split *s, ir_value *v, ir_op *at) {
    const ir_op *op = v->def;
    if (!op || !lanes_around(op))
        return v;
    ir_op *n = ir_op_new(s->f, op->code, op->site, op->nin, 1, 0);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = again(s, op->in[i], at);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    n->out[0]->type = v->type;
    n->out[0]->name = v->name;
    ir_before(at, n);
    return n->out[0];
}

static ir_value *crossing(split *s, ir_value *v, ir_op *at) {
    int budget = 24;
    if (cheap(v, &budget))
        return again(s, v, at);
    if (!v->aux) {
        v->aux = slot_new(s, (dtype)v->type.dt, at->site, v->name);
        ir_op *st = slot_store(s, v->aux, v, at->site), *def = v->def;
        if (def->next)
            ir_before(def->next, st);
        else
            ir_append(def->parent, st);
    }
    ir_op *ld = slot_load(s, v->aux, at->site);
    ir_before(at, ld);
    return ld->out[0];
}

/* A uniform value that a lanes region computes and the block needs: all write it to one place. */
static ir_value *for_block(split *s, ir_value *v, ir_op *at) {
    ir_op *def = v->def, *ld = ir_op_new(s->f, OP_load, at->site, 2, 1, 0);
    ir_value *t = slot_new(s, (dtype)v->type.dt, at->site, v->name), *zero[2];
    t->type.space = SP_shared;
    int64_t *shape = ARENA_ARRAY(s->f->mem, int64_t, 1);
    shape[0] = 1;
    t->def->attr[0].v = shape;
    ir_op *st = ir_op_new(s->f, OP_store, at->site, 3, 0, 0);
    for (int i = 0; i < 2; i++) {
        ir_op *c = ir_op_new(s->f, OP_iconst, at->site, 0, 1, 0);
        c->out[0]->type = ir_val(DT_i64, 1);
        if (i)
            ir_before(at, c);
        else if (def->next)
            ir_before(def->next, c);
        else
            ir_append(def->parent, c);
        zero[i] = c->out[0];
    }
    st->in[0] = ld->in[0] = t;
    st->in[1] = v;
    st->in[2] = zero[0];
    ld->in[1] = zero[1];
    st->attr[0].i = ld->attr[0].i = 1;
    ld->out[0]->type = ir_val((dtype)v->type.dt, 1);
    if (zero[0]->def->next)
        ir_before(zero[0]->def->next, st);
    else
        ir_append(def->parent, st);
    ir_before(at, ld);
    return ld->out[0];
}

static void cross(split *s, ir_region *r, const ir_op *home) {
    for (ir_op *op = r->first; op; op = op->next) {
        const ir_op *in = op->code == OP_lanes ? op : home;
        for (int i = 0; i < op->nin; i++) {
            const ir_op *def = op->in[i]->def, *from = def ? lanes_around(def) : NULL;
            if (op->in[i]->type.kind == TY_val && from && from != in)
                op->in[i] = in ? crossing(s, op->in[i], op) : for_block(s, op->in[i], op);
        }
        for (int i = 0; i < op->nreg; i++)
            cross(s, op->reg[i], in);
    }
}

/* An array of a size known only when the kernel runs is one work-item's at a time. */
static status check_arrays(split *s, const ir_region *r, const ir_op *home) {
    for (const ir_op *op = r->first; op; op = op->next) {
        const ir_op *in = op->code == OP_lanes ? op : home;
        for (int i = 0; i < op->nin; i++) {
            const ir_op *def = op->in[i]->def;
            if (def && def->code == OP_tmp && lanes_around(def) != in)
                return diag_error(
                    s->d, ir_loc(s->f, op),
                    "store it to a tensor, or to local() or shared() memory, before the barrier",
                    "the array made in line %u does not live across a barrier",
                    ir_loc(s->f, def).line);
        }
        for (int i = 0; i < op->nreg; i++)
            TRY(check_arrays(s, op->reg[i], in));
    }
    return OK;
}

/* local() memory declared for the block: a place for each work-item. */
static void widen_locals(split *s, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        bool choice = op->code == OP_if && op->in[0]->def && op->in[0]->def->code == OP_full;
        for (int i = 0; choice && i < 2; i++)
            widen_locals(s, op->reg[i]);
        if (op->code != OP_alloc || op->out[0]->type.space != SP_local)
            continue;
        int64_t n = op->attr[0].i, *shape = ARENA_ARRAY(s->f->mem, int64_t, n + 1);
        memcpy(shape, op->attr[0].v, sizeof *shape * (size_t)n);
        shape[n] = MAX_BLOCK;
        op->attr[0] = (ir_attr){.i = n + 1, .v = shape};
        op->out[0]->type.rank++;
    }
}

/* No barrier: one region, but shared memory belongs to the block. */
static void wrap(split *s) {
    ir_op *all = ir_op_new(s->f, OP_lanes, 0, 0, 0, 1);
    for (ir_op *op = s->f->body->first, *next; op; op = next) {
        next = op->next;
        bool stays = op->code == OP_extent || op->code == OP_bound ||
                     (op->code == OP_alloc && op->out[0]->type.space == SP_shared);
        if (stays)
            continue;
        ir_remove(op);
        ir_append(all->reg[0], op);
    }
    ir_append(s->f->body, all);
}

status pass_split(ir_func *f, diag *d, const pass_options *o) {
    (void)o;
    split s = {.f = f, .d = d};
    if (!f->simt)
        return OK;
    if (!ir_has_op(f->body, OP_barrier)) {
        wrap(&s);
        return OK;
    }
    s.u = ana_uniform_of(f, f->body, 7);
    TRY(check_uniform(&s, f->body));
    split_region(&s, f->body, (ir_attr){0});
    TRY(check_arrays(&s, f->body, NULL));
    widen_locals(&s, f->body);
    ir_clear_aux(f->body);
    cells_to_slots(&s, f->body);
    ir_clear_aux(f->body);
    cross(&s, f->body, NULL);
    ir_clear_aux(f->body);
    return OK;
}
