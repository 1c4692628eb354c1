/* Reads the launch domain off the subscripts (spec section 4): extent ops for the launcher, bound
   ops for affine accesses that nothing guards, and the `plain` bits of subscripts that cannot be
   negative. */
#include "ana/guard.h"
#include "ana/low.h"
#include "pass/pass.h"

typedef struct {
    ir_func *f;
    int depth; /* of ifs, loops and scopes: an access inside is guarded */
    bool left; /* a leave was seen: what follows is guarded */
    int nbounds;
} domain;

typedef struct {
    bool ok;
    int64_t c[3], k;
} form;

static form affine(const ir_value *v) {
    form r = {0};
    const ir_op *op = v->def;
    if (!op)
        return r;
    if (op->code == OP_iconst)
        return (form){true, {0}, op->attr[0].i};
    if (op->code == OP_gid) {
        r.ok = true;
        r.c[op->attr[0].i] = 1;
        return r;
    }
    if (op->code != OP_add && op->code != OP_sub && op->code != OP_mul)
        return r;
    form a = affine(op->in[0]), b = affine(op->in[1]);
    if (!a.ok || !b.ok)
        return r;
    bool bconst = !b.c[0] && !b.c[1] && !b.c[2], aconst = !a.c[0] && !a.c[1] && !a.c[2];
    if (op->code == OP_mul && !bconst && !aconst)
        return r;
    r.ok = true;
    for (int i = 0; i < 3; i++)
        r.c[i] = op->code == OP_add   ? a.c[i] + b.c[i]
                 : op->code == OP_sub ? a.c[i] - b.c[i]
                 : bconst             ? a.c[i] * b.k
                                      : b.c[i] * a.k;
    r.k = op->code == OP_add ? a.k + b.k : op->code == OP_sub ? a.k - b.k : a.k * b.k;
    int64_t limit = (int64_t)1 << 31;
    for (int i = 0; i < 3; i++)
        r.ok = r.ok && r.c[i] < limit && r.c[i] > -limit && r.k < limit && r.k > -limit;
    return r;
}

static void meta(domain *s, int code, uint32_t site, ir_value *t, int64_t a, int64_t b,
                 const form *fm, int weight) {
    ir_op *op = ir_op_new(s->f, code, site, 1, 0, 0);
    op->in[0] = t;
    op->attr[0].i = a;
    if (code == OP_extent)
        op->attr[1].i = b * 2 + weight; /* axis * 2 + weight: see op.def */
    else {
        int64_t *v = ARENA_ARRAY(s->f->mem, int64_t, 4);
        for (int i = 0; i < 3; i++)
            v[i] = fm->c[i];
        v[3] = fm->k;
        op->attr[1].i = 4;
        op->attr[1].v = v;
    }
    ir_before(s->f->body->first, op);
}

/* Is v known not to be negative by an `if` around op? */
static bool guarded(const ir_op *op, const ir_value *v) {
    enum { MOST = 16 };
    ana_guard g[MOST];
    for (const ir_region *r = op->parent; r->owner; r = r->owner->parent) {
        if (r->owner->code != OP_if)
            continue;
        ana_guard is = {r->owner->in[0], r == r->owner->reg[0]};
        for (int i = 0, n = ana_conjuncts(is, g, MOST); i < n; i++)
            if (ana_guards_low(g[i], v))
                return true;
    }
    return false;
}

static void access(domain *s, ir_op *op) {
    int from = ir_subscripts(op);
    ir_attr *plain = &op->attr[op->code == OP_atomic ? 1 : 0];
    ir_value *t = op->in[0];
    for (int i = from; i < op->nin; i++) {
        int axis = i - from;
        if (ana_low(op->in[i], NULL) >= 0 || guarded(op, op->in[i]))
            plain->i |= (int64_t)1 << axis;
        if (t->def || !s->f->simt)
            continue;
        const ir_op *id = op->in[i]->def;
        if (id && id->code == OP_gid)
            meta(s, OP_extent, op->site, t, id->attr[0].i, axis, NULL, op->code != OP_load);
        form fm = affine(op->in[i]);
        if (fm.ok && !s->depth && !s->left && s->nbounds < 100) {
            meta(s, OP_bound, op->site, t, axis, 0, &fm, 0);
            s->nbounds++;
        }
    }
}

static void walk(domain *s, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_load || op->code == OP_store || op->code == OP_atomic)
            access(s, op);
        s->left = s->left || op->code == OP_leave || op->code == OP_raise;
        s->depth++;
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i]);
        s->depth--;
    }
}

status pass_domain(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    domain s = {.f = f};
    walk(&s, f->body);
    return OK;
}
