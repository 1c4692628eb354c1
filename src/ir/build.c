/* The only code that creates, rewires or removes. */
#include "ir/ir.h"
#include <string.h>

ir_func *ir_func_new(arena *mem, const char *name) {
    ir_func *f = ARENA_NEW(mem, ir_func);
    f->mem = mem;
    f->name = name;
    f->body = ir_region_new(f, NULL);
    loc none = {0};
    ir_site(f, none);
    return f;
}

uint32_t ir_site(ir_func *f, loc at) {
    if (f->nlocs && !memcmp(&f->locs[f->nlocs - 1], &at, sizeof at))
        return f->nlocs - 1;
    if (f->nlocs == f->caplocs) {
        uint32_t cap = f->caplocs ? 2 * f->caplocs : 64;
        loc *p = ARENA_ARRAY(f->mem, loc, cap);
        if (f->nlocs)
            memcpy(p, f->locs, f->nlocs * sizeof *p);
        f->locs = p;
        f->caplocs = cap;
    }
    f->locs[f->nlocs] = at;
    return f->nlocs++;
}

loc ir_loc(const ir_func *f, const ir_op *op) {
    loc none = {0};
    return op->site < f->nlocs ? f->locs[op->site] : none;
}

ir_value *ir_value_new(ir_func *f, ir_type t, const char *name) {
    ir_value *v = ARENA_NEW(f->mem, ir_value);
    v->id = f->nvalues++;
    v->type = t;
    v->name = name;
    return v;
}

ir_region *ir_region_new(ir_func *f, ir_op *owner) {
    ir_region *r = ARENA_NEW(f->mem, ir_region);
    r->owner = owner;
    return r;
}

/* What a list of n values has room for: a power of two, so that appending is cheap. */
static unsigned room(unsigned n) {
    unsigned k = 1;
    while (k < n)
        k *= 2;
    return k;
}

static ir_value **append(ir_func *f, ir_value **list, unsigned n, ir_value *v) {
    if (n && room(n) > n) {
        list[n] = v;
        return list;
    }
    ir_value **p = ARENA_ARRAY(f->mem, ir_value *, room(n + 1));
    if (n)
        memcpy(p, list, n * sizeof *p);
    p[n] = v;
    return p;
}

ir_value *ir_region_arg(ir_func *f, ir_region *r, ir_type t, const char *name) {
    ir_value *v = ir_value_new(f, t, name);
    v->region = r;
    r->args = append(f, r->args, r->nargs++, v);
    return v;
}

void ir_know(ir_func *f, ir_value *arg, int64_t value) {
    ir_known *k = ARENA_NEW(f->mem, ir_known);
    *k = (ir_known){arg, value, f->known};
    f->known = k;
}

const ir_known *ir_known_of(const ir_func *f, const ir_value *arg) {
    const ir_known *k = f->known;
    while (k && k->arg != arg)
        k = k->next;
    return k;
}

ir_op *ir_op_new(ir_func *f, int code, uint32_t site, unsigned nin, unsigned nout, unsigned nreg) {
    ir_op *op = ARENA_NEW(f->mem, ir_op);
    *op = (ir_op){.code = (uint16_t)code,
                  .nin = (uint16_t)nin,
                  .nout = (uint16_t)nout,
                  .nreg = (uint16_t)nreg,
                  .site = site};
    op->in = ARENA_ARRAY(f->mem, ir_value *, room(nin));
    op->out = ARENA_ARRAY(f->mem, ir_value *, room(nout));
    op->reg = ARENA_ARRAY(f->mem, ir_region *, nreg + 1);
    for (unsigned i = 0; i < nout; i++) {
        op->out[i] = ir_value_new(f, ir_any(), NULL);
        op->out[i]->def = op;
    }
    for (unsigned i = 0; i < nreg; i++)
        op->reg[i] = ir_region_new(f, op);
    return op;
}

void ir_append(ir_region *r, ir_op *op) {
    op->parent = r;
    op->prev = r->last;
    op->next = NULL;
    if (r->last)
        r->last->next = op;
    else
        r->first = op;
    r->last = op;
}

void ir_before(ir_op *at, ir_op *op) {
    op->parent = at->parent;
    op->prev = at->prev;
    op->next = at;
    if (at->prev)
        at->prev->next = op;
    else
        at->parent->first = op;
    at->prev = op;
}

void ir_remove(ir_op *op) {
    if (op->prev)
        op->prev->next = op->next;
    else
        op->parent->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        op->parent->last = op->prev;
    op->prev = op->next = NULL;
    op->parent = NULL;
}

void ir_add_in(ir_func *f, ir_op *op, ir_value *v) {
    op->in = append(f, op->in, op->nin, v);
    op->nin++;
}

ir_value *ir_add_out(ir_func *f, ir_op *op, ir_type t, const char *name) {
    ir_value *v = ir_value_new(f, t, name);
    v->def = op;
    op->out = append(f, op->out, op->nout, v);
    op->nout++;
    return v;
}

void ir_forward(ir_value *v, ir_value *to) { v->aux = to; }

void ir_follow(ir_op *op) {
    for (int i = 0; i < op->nin; i++)
        if (op->in[i]->aux && op->in[i]->type.kind != TY_cell)
            op->in[i] = op->in[i]->aux;
}

ir_value *ir_emit(ir_func *f, ir_region *r, uint32_t site, int code, ir_type t, unsigned nin,
                  ir_value *const *in) {
    ir_op *op = ir_op_new(f, code, site, nin, 1, 0);
    for (unsigned i = 0; i < nin; i++)
        op->in[i] = in[i];
    op->out[0]->type = t;
    ir_append(r, op);
    return op->out[0];
}

ir_value *ir_iconst(ir_func *f, ir_region *r, uint32_t site, dtype dt, int64_t v) {
    ir_value *x = ir_emit(f, r, site, OP_iconst, ir_val(dt, 1), 0, NULL);
    x->def->attr[0].i = v;
    return x;
}

ir_value *ir_fconst(ir_func *f, ir_region *r, uint32_t site, dtype dt, double v) {
    ir_value *x = ir_emit(f, r, site, OP_fconst, ir_val(dt, 1), 0, NULL);
    x->def->attr[0].f = v;
    return x;
}

bool ir_inside(const ir_value *v, const ir_region *r) {
    const ir_region *at = v->region ? v->region : v->def ? v->def->parent : NULL;
    for (; at; at = at->owner ? at->owner->parent : NULL)
        if (at == r)
            return true;
    return false;
}
