/* Reads the launch domain off the subscripts (spec section 4): extent ops for the launcher, bound
   ops for affine accesses that nothing guards, and the `plain` bits of subscripts that cannot be
   negative. */
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

/* Cannot be negative (barring overflow of 2^63). */
static bool nonneg(const ir_value *v, int depth) {
    const ir_op *op = v->def;
    if (depth > 16)
        return false;
    if (!op) {
        const ir_op *loop = v->region ? v->region->owner : NULL;
        if (loop && (loop->code == OP_parallel || loop->code == OP_pipeline))
            return true;
        return loop && loop->code == OP_for && loop->reg[0]->args[0] == v &&
               nonneg(loop->in[0], depth + 1) && loop->in[2]->def &&
               loop->in[2]->def->code == OP_iconst && loop->in[2]->def->attr[0].i > 0;
    }
    switch (op->code) {
    case OP_iconst: return op->attr[0].i >= 0;
    case OP_gid:
    case OP_lid:
    case OP_bid:
    case OP_gsize:
    case OP_lsize:
    case OP_nblocks:
    case OP_dim: return true;
    case OP_add:
    case OP_mul:
    case OP_min:
    case OP_floordiv: return nonneg(op->in[0], depth + 1) && nonneg(op->in[1], depth + 1);
    case OP_max: return nonneg(op->in[0], depth + 1) || nonneg(op->in[1], depth + 1);
    case OP_mod: return nonneg(op->in[1], depth + 1);
    case OP_and: return nonneg(op->in[0], depth + 1) || nonneg(op->in[1], depth + 1);
    case OP_shr: return nonneg(op->in[0], depth + 1);
    case OP_cast:
        return dtype_table[op->in[0]->type.dt].cls == 'U' || op->in[0]->type.dt == DT_bool;
    default: return false;
    }
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

static void access(domain *s, ir_op *op) {
    int from = op->code == OP_load ? 1 : op->code == OP_atomic && op->attr[0].s[0] == 'c' ? 3 : 2;
    ir_attr *plain = &op->attr[op->code == OP_atomic ? 1 : 0];
    ir_value *t = op->in[0];
    for (int i = from; i < op->nin; i++) {
        int axis = i - from;
        if (nonneg(op->in[i], 0))
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
        s->left = s->left || op->code == OP_leave;
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
