/* The body of a kernel with barriers once more, for whole blocks of the size that the launch has:
   `if full <size> { that copy } { the body }`. In the copy the size is a constant, loops with
   barriers whose conditions are then known are laid out, and guards such as `i < n` that the
   block's last work-item settles are conditions of `full`. So most of it is straight code of whole
   vectors, which lanes and lift make the best of. Evaluated as it is copied: cells that hold a
   constant are known until something unknown sets them. */
#include "ana/guard.h"
#include "pass/fold.h"
#include "pass/pass.h"
#include <string.h>

enum {
    WHOLE = 16, /* work-items along dim 0: a multiple of this, so that all vectors are whole */
    MAX_BLOCK = 1024, /* of a kernel with barriers */
    SMALL = 250,      /* ops of a body that is worth a copy */
    LARGEST = 600,    /* ops that are copied while loops are laid out */
    MAX_TRIPS = 16,
    MAX_CARRIED = 32,
    MAX_GUARDS = 8,
    PARTS = 4
};

typedef struct {
    bool is;
    int64_t v;
} known;

typedef struct rename {
    int64_t from, to;
    const struct rename *outer;
} rename_t;

typedef struct {
    ir_func *f;
    const int64_t *size;
    ir_region *r;   /* where copies go; a value's copy is in its aux */
    ir_region *pre; /* what the choice needs */
    known *cells;   /* by value id */
    uint32_t ncells;
    ir_value *guards[MAX_GUARDS];
    int nguards, ops;
} sized;

static ir_value *mapped(ir_value *v) { return v->aux ? v->aux : v; }

static bool constant(const ir_value *v, int64_t *out) {
    bool is = v->def && v->def->code == OP_iconst;
    if (is)
        *out = v->def->attr[0].i;
    return is;
}

static bool has_barrier(const ir_op *op) {
    for (int i = 0; i < op->nreg; i++)
        if (ir_has_op(op->reg[i], OP_barrier))
            return true;
    return false;
}

static void forget(sized *s, const ir_op *op) {
    if (op->code == OP_set)
        s->cells[op->in[0]->id].is = false;
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            forget(s, x);
}

static known *snapshot(const sized *s) {
    known *k = ARENA_ARRAY(s->f->mem, known, s->ncells);
    memcpy(k, s->cells, sizeof *k * s->ncells);
    return k;
}

static ir_value *emit(sized *s, const ir_op *at, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return fold_value(ir_emit(s->f, s->pre, at->site, code, a->type, 2, in)->def);
}

static ir_value *extreme(sized *s, ir_value *v, bool high, bool *ids);

/* op once more before the choice, if no ids are in it. */
static ir_value *same_for_all(sized *s, const ir_op *op, bool high) {
    enum { MOST = 4 };
    ir_value *in[MOST];
    bool ids = false;
    if (ir_ops[op->code].effect != EFF_PURE || op->nreg || op->nout != 1 || op->nin > MOST ||
        op->code == OP_cell)
        return NULL;
    for (int i = 0; i < op->nin; i++) {
        bool tensor = op->in[i]->type.kind == TY_tensor;
        in[i] = !tensor                           ? extreme(s, op->in[i], high, &ids)
                : op->in[i]->region == s->f->body ? op->in[i]
                                                  : NULL;
        if (!in[i] || ids)
            return NULL;
    }
    ir_value *v = ir_emit(s->f, s->pre, op->site, op->code, op->out[0]->type, op->nin, in);
    v->def->attr[0] = op->attr[0];
    v->def->attr[1] = op->attr[1];
    return v;
}

/* The largest (high) or least value that v has in the block, before the choice; NULL: not known.
   Products and sums do not leave i64 where ids do not. */
static ir_value *extreme(sized *s, ir_value *v, bool high, bool *ids) {
    int64_t k;
    const ir_op *op = v->def;
    if (constant(mapped(v), &k))
        return ir_iconst(s->f, s->pre, op ? op->site : 0, (dtype)v->type.dt, k);
    if (!op)
        return v->region == s->f->body ? v : NULL;
    int dim = (int)op->attr[0].i;
    ir_value *a, *b;
    switch (op->code) {
    case OP_lid:
    case OP_gid:
        *ids = true;
        a = ir_iconst(s->f, s->pre, op->site, DT_i64, high ? s->size[dim] - 1 : 0);
        if (op->code == OP_lid)
            return a;
        b = ir_emit(s->f, s->pre, op->site, OP_blk, ir_val(DT_i64, 1), 0, NULL);
        b->def->attr[0].s = "lo";
        b->def->attr[1].i = dim;
        return emit(s, op, OP_add, b, a);
    case OP_add:
    case OP_sub:
        a = v->type.dt == DT_i64 ? extreme(s, op->in[0], high, ids) : NULL;
        b = a ? extreme(s, op->in[1], high == (op->code == OP_add), ids) : NULL;
        return b ? emit(s, op, op->code, a, b) : NULL;
    case OP_mul:
        for (int i = 0; i < 2 && v->type.dt == DT_i64; i++)
            if (constant(mapped(op->in[i]), &k)) {
                a = extreme(s, op->in[!i], high == (k >= 0), ids);
                return a ? emit(s, op, OP_mul, a, ir_iconst(s->f, s->pre, op->site, DT_i64, k))
                         : NULL;
            }
        break;
    }
    return same_for_all(s, op, high);
}

/* Is the part of a condition so for the whole block? Then `full` asks, or it is known. */
static bool settle(sized *s, ana_guard part) {
    int code;
    int64_t x, y;
    bool ids = false;
    ir_value *in[2];
    if (s->nguards == MAX_GUARDS || !ana_compares(part, &code, &in[0], &in[1]))
        return false;
    bool up = code == OP_lt || code == OP_le;
    ir_value *a = extreme(s, in[0], up, &ids), *b = a ? extreme(s, in[1], !up, &ids) : NULL;
    if (!b || !ids)
        return false;
    if (constant(a, &x) && constant(b, &y))
        return code == OP_lt ? x < y : code == OP_le ? x <= y : code == OP_gt ? x > y : x >= y;
    ir_value *all[2] = {a, b};
    s->guards[s->nguards++] =
        ir_emit(s->f, s->pre, part.cond->def->site, code, ir_val(DT_bool, 1), 2, all);
    return true;
}

/* 1 or 0 where the if's condition is so for the block, -1 where it is not known: then *rest is what
   is left of it. The arm that is not taken for granted is the one that only leaves. */
static int decide(sized *s, const ir_op *op, ir_value **rest) {
    int64_t k;
    *rest = mapped(op->in[0]);
    if (constant(mapped(op->in[0]), &k))
        return k != 0;
    const ir_op *first = op->reg[0]->first;
    bool holds = !(first && first->code == OP_leave);
    ana_guard parts[PARTS];
    int n = ana_conjuncts((ana_guard){op->in[0], holds}, parts, PARTS), open = 0;
    for (int i = 0; i < n; i++) {
        if (parts[i].holds != holds)
            return -1;
        if (!settle(s, parts[i]))
            parts[open++] = parts[i];
    }
    if (!open)
        return holds;
    *rest = mapped(parts[0].cond);
    for (int i = 1; i < open; i++) {
        ir_value *in[2] = {*rest, mapped(parts[i].cond)};
        *rest = ir_emit(s->f, s->r, op->site, holds ? OP_and : OP_or, in[0]->type, 2, in);
    }
    return -1;
}

/* Ops from `op` to the region's end. True: a leave ended them; else the yield's values are in out.
 */
static bool copy_ops(sized *s, const ir_op *op, const rename_t *labels, ir_value **out);

static void copy_region(sized *s, const ir_region *from, ir_region *to, const rename_t *labels) {
    ir_region *outer = s->r;
    ir_value **out = ARENA_ARRAY(s->f->mem, ir_value *, MAX_CARRIED);
    for (uint32_t i = 0; i < from->nargs; i++)
        from->args[i]->aux = ir_region_arg(s->f, to, from->args[i]->type, from->args[i]->name);
    s->r = to;
    uint32_t n = from->last && from->last->code == OP_yield ? from->last->nin : 0;
    if (!copy_ops(s, from->first, labels, out)) {
        ir_op *y = ir_op_new(s->f, OP_yield, from->owner->site, n, 0, 0);
        memcpy(y->in, out, sizeof *out * n);
        ir_append(to, y);
    }
    s->r = outer;
}

static ir_op *copy_head(sized *s, const ir_op *op) {
    ir_op *n = ir_op_new(s->f, op->code, op->site, op->nin, op->nout, op->nreg);
    for (int i = 0; i < op->nin; i++)
        n->in[i] = mapped(op->in[i]);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    for (int i = 0; i < op->nout; i++) {
        n->out[i]->type = op->out[i]->type;
        n->out[i]->name = op->out[i]->name;
        op->out[i]->aux = n->out[i];
    }
    ir_append(s->r, n);
    s->ops++;
    return n;
}

static bool copy_if(sized *s, const ir_op *op, const rename_t *labels) {
    ir_value *rest;
    int arm = decide(s, op, &rest);
    if (arm >= 0) {
        ir_value *out[MAX_CARRIED];
        if (copy_ops(s, op->reg[!arm]->first, labels, out))
            return true;
        for (int i = 0; i < op->nout; i++)
            op->out[i]->aux = out[i];
        return false;
    }
    ir_op *n = copy_head(s, op);
    n->in[0] = rest;
    for (int i = 0; i < 2; i++) {
        known *before = snapshot(s);
        copy_region(s, op->reg[i], n->reg[i], labels);
        s->cells = before;
    }
    forget(s, op);
    return false;
}

/* -1: not known. */
static int64_t trips_of(const ir_op *op, int64_t bounds[3]) {
    for (int i = 0; op->code == OP_for && i < 3; i++)
        if (!constant(mapped(op->in[i]), &bounds[i]))
            return -1;
    if (op->code == OP_loop)
        return MAX_TRIPS;
    int64_t lo = bounds[0], hi = bounds[1], step = bounds[2], most = INT32_MAX;
    if (!step || lo > most || lo < -most || hi > most || hi < -most || step > most || step < -most)
        return -1;
    int64_t n = step > 0 ? (hi - lo + step - 1) / step : (lo - hi - step - 1) / -step;
    return n < 0 ? 0 : n;
}

/* A loop, round for round: 1 and 0 as copy_ops; -1: it is none of those, and nothing is done. */
static int lay_out(sized *s, const ir_op *op, const rename_t *labels) {
    int64_t bounds[3] = {0}, trips = trips_of(op, bounds);
    int first = op->code == OP_for, guards = s->nguards;
    ir_value *out[MAX_CARRIED];
    if (trips < 0 || trips > MAX_TRIPS || !has_barrier(op))
        return -1;
    ir_region *home = s->r;
    known *before = snapshot(s);
    s->r = ir_region_new(s->f, home->owner);
    for (int i = 0; i < op->nout; i++)
        out[i] = mapped(op->in[3 * first + i]);
    int left = 0;
    int64_t k = 0;
    for (; k < trips && !left && s->ops < LARGEST; k++) {
        ir_region *body = op->reg[0];
        if (first)
            body->args[0]->aux = ir_iconst(s->f, s->r, op->site, DT_i64, bounds[0] + k * bounds[2]);
        for (int i = 0; i < op->nout; i++)
            body->args[first + i]->aux = out[i];
        left = copy_ops(s, body->first, labels, out);
    }
    ir_region *laid = s->r;
    s->r = home;
    if (!left && (op->code == OP_loop || k < trips)) {
        s->cells = before;
        s->nguards = guards;
        return -1;
    }
    for (ir_op *x = laid->first, *next; x; x = next) {
        next = x->next;
        ir_remove(x);
        ir_append(home, x);
    }
    for (int i = 0; i < op->nout; i++)
        op->out[i]->aux = out[i];
    return left;
}

static bool copy_structure(sized *s, const ir_op *op, const rename_t *labels) {
    bool loops = op->code == OP_for || op->code == OP_loop;
    int laid = loops ? lay_out(s, op, labels) : -1;
    if (laid >= 0)
        return laid;
    if (loops)
        forget(s, op);
    ir_op *n = copy_head(s, op);
    rename_t own = {op->attr[0].i, 0, labels};
    if (op->code == OP_scope) {
        n->attr[0].i = own.to = ++s->f->nlabels;
        labels = &own;
    }
    for (int i = 0; i < op->nreg; i++)
        copy_region(s, op->reg[i], n->reg[i], labels);
    forget(s, op);
    return false;
}

static void copy_plain(sized *s, const ir_op *op) {
    int64_t k;
    ir_op *n = copy_head(s, op);
    if (op->code == OP_set) {
        known *c = &s->cells[op->in[0]->id];
        c->is = constant(n->in[1], &c->v);
    }
    bool get = op->code == OP_get && s->cells[op->in[0]->id].is;
    k = get ? s->cells[op->in[0]->id].v : 0;
    if (op->code == OP_lsize) {
        get = true;
        k = s->size[op->attr[0].i];
    }
    if (get) {
        n->code = OP_iconst;
        n->nin = 0;
        n->attr[0] = (ir_attr){.i = k};
        return;
    }
    if (op->nout != 1 || ir_ops[op->code].effect != EFF_PURE || op->code == OP_cell)
        return;
    ir_value *v = fold_value(n);
    if (v != n->out[0]) {
        ir_remove(n);
        op->out[0]->aux = v;
    }
}

static bool copy_ops(sized *s, const ir_op *op, const rename_t *labels, ir_value **out) {
    for (; op; op = op->next) {
        if (op->code == OP_yield) {
            ir_value *now[MAX_CARRIED];
            for (int i = 0; i < op->nin; i++)
                now[i] = mapped(op->in[i]);
            memcpy(out, now, sizeof *out * op->nin);
            return false;
        }
        if (op->code == OP_leave) {
            ir_op *n = copy_head(s, op);
            while (labels && labels->from != op->attr[0].i)
                labels = labels->outer;
            n->attr[0].i = labels ? labels->to : op->attr[0].i;
            return true;
        }
        if (op->code == OP_if ? copy_if(s, op, labels) : op->nreg && copy_structure(s, op, labels))
            return true;
        if (!op->nreg)
            copy_plain(s, op);
    }
    return false;
}

static bool too_many_results(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->nout > MAX_CARRIED - 1)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (too_many_results(op->reg[i]))
                return true;
    }
    return false;
}

static bool uses_dim(const ir_region *r, int dim) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if ((op->code == OP_gid || op->code == OP_lid) && op->attr[0].i == dim)
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (uses_dim(op->reg[i], dim))
                return true;
    }
    return false;
}

/* The size that is told, else the launcher's own: see set_blocks in py_launch.c. */
static bool size_of(const ir_func *f, const pass_options *o, int64_t *size) {
    static const int64_t row[3] = {256, 1, 1}, plane[3] = {16, 16, 1};
    const int64_t *own = pass_knows_sizes(f, o) == 2 ? plane : row;
    for (int i = 0; i < 3; i++) {
        size[i] = o->block[0] ? o->block[i] : own[i];
        if (size[i] < 1 || size[i] > MAX_BLOCK)
            return false;
    }
    return size[0] % WHOLE == 0 && size[0] * size[1] * size[2] <= MAX_BLOCK;
}

int pass_knows_sizes(const ir_func *f, const pass_options *o) {
    static const int not[] = {OP_touch, OP_raise, OP_lock,     OP_tmp,
                              OP_task,  OP_print, OP_parallel, OP_pipeline};
    if (!f->simt || f->prints || o->alias || !ir_has_op(f->body, OP_barrier) ||
        ir_count(f->body) > SMALL || too_many_results(f->body))
        return 0;
    for (size_t i = 0; i < sizeof not / sizeof *not; i++)
        if (ir_has_op(f->body, not[i]))
            return 0;
    return uses_dim(f->body, 1) || uses_dim(f->body, 2) ? 2 : 1;
}

static void splice(ir_region *from, ir_op *at) {
    for (ir_op *x = from->first, *next; x; x = next) {
        next = x->next;
        ir_remove(x);
        ir_before(at, x);
    }
}

status pass_sized(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    int64_t *size = ARENA_ARRAY(f->mem, int64_t, 3);
    if (!pass_knows_sizes(f, o) || !size_of(f, o, size))
        return OK;
    sized s = {.f = f, .size = size, .pre = ir_region_new(f, NULL), .ncells = f->nvalues + 1};
    s.cells = ARENA_ARRAY(f->mem, known, s.ncells);
    ir_op *choice = ir_op_new(f, OP_if, 0, 1, 0, 2);
    for (ir_op *op = f->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_extent || op->code == OP_bound)
            continue;
        ir_remove(op);
        ir_append(choice->reg[1], op);
    }
    ir_append(f->body, choice);
    s.r = choice->reg[0];
    copy_ops(&s, choice->reg[1]->first, NULL, NULL);
    for (int i = 0; i < 2; i++)
        ir_append(choice->reg[i], ir_op_new(f, OP_yield, 0, 0, 0, 0));
    splice(s.pre, choice);
    ir_op *full = ir_op_new(f, OP_full, 0, (unsigned)s.nguards, 1, 0);
    memcpy(full->in, s.guards, sizeof *s.guards * (size_t)s.nguards);
    full->attr[0] = (ir_attr){.i = 3, .v = size};
    full->out[0]->type = ir_val(DT_bool, 1);
    ir_before(choice, full);
    choice->in[0] = full->out[0];
    ir_clear_aux(f->body);
    return OK;
}
