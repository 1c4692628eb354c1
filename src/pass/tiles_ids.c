/* The ids of kernels without barriers. bid * size + lid is a global id. A kernel that reads a tile
   turned over has bid 0 * size + lid 1 instead: as its work-items do not meet any more, lid 0 and
   lid 1 may change their names throughout. */
#include "pass/linear.h"
#include "pass/tiles.h"

typedef struct {
    ir_func *f;
    int to[3];      /* by block id: the local one that goes with it; -1: not known */
    bool all, some; /* nothing else is made of ids; something is */
} ids;

static int64_t id_of(const ir_value *v, int code) {
    return v->def && v->def->code == code ? v->def->attr[0].i : -1;
}

/* The term that is local id e (-1: any of as many) times c. */
static int local(const ids *s, const linear *x, int64_t e, int64_t c, int64_t size) {
    for (int i = 0; i < x->n; i++) {
        int64_t d = id_of(x->v[i], OP_lid);
        if (d >= 0 && x->c[i] == c && (e < 0 ? s->f->block[d] == size : d == e))
            return i;
    }
    return -1;
}

/* The first block id of x with its local one: their terms. */
static bool find(const ids *s, const linear *x, int *bid, int *lid) {
    for (*bid = 0; *bid < x->n; ++*bid) {
        int64_t d = id_of(x->v[*bid], OP_bid);
        if (d < 0 || x->c[*bid] % s->f->block[d])
            continue;
        *lid = local(s, x, s->to[d], x->c[*bid] / s->f->block[d], s->f->block[d]);
        if (*lid >= 0)
            return true;
    }
    return false;
}

static ir_value *global(ir_func *f, int64_t d) {
    ir_op *op = ir_op_new(f, OP_gid, 0, 0, 1, 0);
    op->attr[0].i = d;
    op->out[0]->type = ir_val(DT_i64, 1);
    ir_before(f->body->first, op);
    return op->out[0];
}

static bool to_global(void *self, linear *x) {
    ids *s = self;
    int bid, lid;
    bool changed = false;
    while (find(s, x, &bid, &lid)) {
        int64_t d = id_of(x->v[bid], OP_bid), c = x->c[lid];
        linear_drop(x, bid > lid ? bid : lid);
        linear_drop(x, bid > lid ? lid : bid);
        linear_add(x, global(s->f, d), c);
        changed = true;
    }
    return changed;
}

/* Learns which local id goes with which block id. */
static bool look(void *self, linear *x) {
    ids *s = self;
    int bid, lid;
    while (find(s, x, &bid, &lid)) {
        s->to[id_of(x->v[bid], OP_bid)] = (int)id_of(x->v[lid], OP_lid);
        s->some = true;
        linear_drop(x, bid > lid ? bid : lid);
        linear_drop(x, bid > lid ? lid : bid);
    }
    for (int i = 0; i < x->n; i++)
        s->all = s->all && id_of(x->v[i], OP_lid) < 0 && id_of(x->v[i], OP_bid) < 0 &&
                 id_of(x->v[i], OP_gid) < 0;
    return false;
}

static bool one_to_one(const ids *s) {
    int from = 0, to = 0;
    for (int d = 0; d < 3; d++)
        if (s->to[d] >= 0) {
            from |= 1 << d;
            to |= 1 << s->to[d];
        }
    return from == to;
}

void tiles_ids(ir_func *f) {
    ids straight = {.f = f, .to = {0, 1, 2}}, turned = {.f = f, .to = {-1, -1, -1}, .all = true};
    linear_rewrite(f, f->body, to_global, &straight);
    linear_rewrite(f, f->body, look, &turned);
    if (turned.some && turned.all && one_to_one(&turned))
        linear_rewrite(f, f->body, to_global, &turned);
}
