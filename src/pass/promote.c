/* Cells become SSA values; what a loop carries becomes a region argument, what an if or a scope
   assigns becomes a result. Structure that holds a barrier carries nothing: a cell set in it stays,
   as split gives it a slot per work-item, but is read and written once for each stretch between
   barriers, and not at all where one place sets it before all of its uses. */
#include "pass/cells.h"

typedef struct scope_entry {
    int64_t label;
    uint32_t *cells, n;
    bool stretches; /* holds barriers */
    struct scope_entry *outer;
} scope_entry;

typedef struct {
    ir_func *f;
    cells cells; /* each holds its value; a kept one NULL: it is in the cell */
    scope_entry *scopes;
    bool barriers;               /* the kernel has some */
    bool *kept, *dirty;          /* by cell number; what it holds may not be in the cell yet */
    uint32_t *stretch, nstretch; /* by cell number: where all uses so far are; 0: none yet */
    const ir_region **home;      /* by cell number: the region of its first use */
} promote;

static bool holds_barrier(const promote *p, const ir_op *op) {
    for (int i = 0; p->barriers && i < op->nreg; i++)
        if (ir_has_op(op->reg[i], OP_barrier))
            return true;
    return false;
}

/* Bodies that run beside other work set no variable but their own. */
static bool isolated(const ir_op *op) {
    return op->code == OP_parallel || op->code == OP_task || op->code == OP_pipeline ||
           op->code == OP_stage;
}

static bool within(const ir_op *op, const ir_region *r) {
    const ir_region *at = op->parent;
    while (at && at != r)
        at = at->owner ? at->owner->parent : NULL;
    return at == r;
}

/* A cell is kept if it is used in more than one stretch, or outside the region that sets it first.
 */
static void note_uses(promote *p, const ir_op *op) {
    int k = op->code == OP_set || op->code == OP_get ? cells_number(&p->cells, op->in[0]) : -1;
    if (k >= 0 && !p->stretch[k]) {
        p->stretch[k] = p->nstretch;
        p->home[k] = op->parent;
        p->kept[k] = op->code != OP_set;
    } else if (k >= 0 && (p->stretch[k] != p->nstretch || !within(op, p->home[k])))
        p->kept[k] = true;
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            note_uses(p, x);
}

static void note_stretches(promote *p, const ir_region *r) {
    p->nstretch++;
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_barrier) {
            p->nstretch++;
        } else if (holds_barrier(p, op)) {
            for (int i = 0; i < op->nreg; i++)
                note_stretches(p, op->reg[i]);
            p->nstretch++;
        } else
            note_uses(p, op);
    }
}

static void note_sets(promote *p, const ir_region *r, bool *set) {
    for (const ir_op *op = r->first; op; op = op->next) {
        int k = op->code == OP_set ? cells_number(&p->cells, op->in[0]) : -1;
        if (k >= 0)
            set[k] = true;
        for (int i = 0; i < op->nreg; i++)
            note_sets(p, op->reg[i], set);
    }
}

/* Cells set nowhere under structure that holds a barrier are values as in any other kernel. */
static void choose_kept(promote *p) {
    bool *set = ARENA_ARRAY(p->f->mem, bool, p->cells.n + 1);
    note_stretches(p, p->f->body);
    for (const ir_op *op = p->f->body->first; op; op = op->next)
        for (int i = 0; holds_barrier(p, op) && i < op->nreg; i++)
            note_sets(p, op->reg[i], set);
    for (uint32_t k = 0; k < p->cells.n; k++)
        p->kept[k] = p->kept[k] && set[k];
}

static ir_value *current(promote *p, uint32_t k, ir_op *at) {
    if (p->cells.held[k])
        return p->cells.held[k];
    if (p->kept[k]) {
        ir_op *get = ir_op_new(p->f, OP_get, at->site, 1, 1, 0);
        get->in[0] = p->cells.v[k];
        get->out[0]->type = ir_val((dtype)p->cells.v[k]->type.dt, 1);
        get->out[0]->name = p->cells.v[k]->name;
        ir_before(at, get);
        cells_hold(&p->cells, k, get->out[0]);
        p->dirty[k] = false;
        return get->out[0];
    }
    dtype dt = (dtype)p->cells.v[k]->type.dt; /* never assigned on this path */
    ir_op *op = ir_op_new(p->f, dtype_is_float(dt) ? OP_fconst : OP_iconst, at->site, 0, 1, 0);
    op->out[0]->type = ir_val(dt, 1);
    ir_before(at, op);
    return op->out[0];
}

static void rewrite(promote *p, ir_region *r);

static void yield_cells(promote *p, ir_region *r, const uint32_t *list, uint32_t n) {
    if (r->last && r->last->code == OP_yield)
        for (uint32_t i = 0; i < n; i++)
            ir_add_in(p->f, r->last, current(p, list[i], r->last));
}

/* Writes what kept cells hold, before `at`. */
static void flush(promote *p, ir_op *at) {
    for (uint32_t k = 0; k < p->cells.n; k++) {
        if (!p->kept[k] || !p->dirty[k] || !p->cells.held[k])
            continue;
        ir_op *set = ir_op_new(p->f, OP_set, at->site, 2, 0, 0);
        set->in[0] = p->cells.v[k];
        set->in[1] = p->cells.held[k];
        ir_before(at, set);
    }
}

/* A stretch ends before `at`: kept cells hold their values themselves. */
static void end_stretch(promote *p, ir_op *at) {
    flush(p, at);
    for (uint32_t k = 0; k < p->cells.n; k++)
        if (p->kept[k] && p->cells.held[k]) {
            cells_hold(&p->cells, k, NULL);
            p->dirty[k] = false;
        }
}

/* Structure that holds barriers: its regions begin and end with nothing held. */
static void stretches(promote *p, ir_op *op) {
    end_stretch(p, op);
    scope_entry entry = {op->attr[0].i, NULL, 0, true, p->scopes};
    if (op->code == OP_scope)
        p->scopes = &entry;
    uint32_t log = p->cells.log.n;
    for (int i = 0; i < op->nreg; i++) {
        rewrite(p, op->reg[i]);
        ir_op *last = op->reg[i]->last;
        if (last && last->code == OP_yield)
            end_stretch(p, last);
        cells_back(&p->cells, log);
    }
    if (op->code == OP_scope)
        p->scopes = entry.outer;
}

/* What structure without barriers reads of kept cells, it reads once. */
static void read_kept(promote *p, ir_op *op) {
    uint32_t *list, n = cells_in(&p->cells, op, true, &list);
    for (uint32_t i = 0; i < n; i++)
        if (p->kept[list[i]])
            current(p, list[i], op);
}

static void structure(promote *p, ir_op *op) {
    if (holds_barrier(p, op) && !isolated(op)) {
        stretches(p, op);
        return;
    }
    if (p->barriers)
        read_kept(p, op);
    uint32_t log = p->cells.log.n, *list, n;
    if (isolated(op)) {
        rewrite(p, op->reg[0]);
        cells_back(&p->cells, log);
        return;
    }
    n = cells_in(&p->cells, op, false, &list);
    bool loops = op->code == OP_for || op->code == OP_loop;
    for (uint32_t i = 0; loops && i < n; i++)
        ir_add_in(p->f, op, current(p, list[i], op));
    scope_entry entry = {op->attr[0].i, list, n, false, p->scopes};
    if (op->code == OP_scope)
        p->scopes = &entry;
    for (int i = 0; i < op->nreg; i++) {
        for (uint32_t k = 0; loops && k < n; k++) {
            const ir_value *c = p->cells.v[list[k]];
            ir_type t = ir_val((dtype)c->type.dt, 1);
            cells_hold(&p->cells, list[k], ir_region_arg(p->f, op->reg[i], t, c->name));
        }
        rewrite(p, op->reg[i]);
        yield_cells(p, op->reg[i], list, n);
        cells_back(&p->cells, log);
    }
    if (op->code == OP_scope)
        p->scopes = entry.outer;
    for (uint32_t i = 0; i < n; i++) {
        const ir_value *c = p->cells.v[list[i]];
        ir_type t = ir_val((dtype)c->type.dt, 1);
        cells_hold(&p->cells, list[i], ir_add_out(p->f, op, t, c->name));
        p->dirty[list[i]] = true;
    }
}

static void leave(promote *p, ir_op *op) {
    scope_entry *s = p->scopes;
    while (s && s->label != op->attr[0].i)
        s = s->outer;
    if (s && s->stretches)
        flush(p, op);
    for (uint32_t i = 0; s && i < s->n; i++)
        ir_add_in(p->f, op, current(p, s->cells[i], op));
}

static void rewrite(promote *p, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_follow(op);
        int k = op->code == OP_set || op->code == OP_get ? cells_number(&p->cells, op->in[0]) : -1;
        if (k >= 0 && op->code == OP_set) {
            cells_hold(&p->cells, (uint32_t)k, op->in[1]);
            p->dirty[k] = true;
            ir_remove(op);
        } else if (k >= 0) {
            ir_forward(op->out[0], current(p, (uint32_t)k, op));
            ir_remove(op);
        } else if (op->code == OP_barrier)
            end_stretch(p, op);
        else if (op->code == OP_leave)
            leave(p, op);
        else if (op->nreg)
            structure(p, op);
    }
}

static void mark_used(const ir_region *r, bool *used) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            used[op->in[i]->id] = used[op->in[i]->id] || op->code != OP_set || i;
        for (int i = 0; i < op->nreg; i++)
            mark_used(op->reg[i], used);
    }
}

/* Gets that nothing uses, or sets of cells that nothing gets. */
static void drop(ir_region *r, int code, const bool *used) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nreg; i++)
            drop(op->reg[i], code, used);
        const ir_value *v = op->code != code ? NULL : code == OP_get ? op->out[0] : op->in[0];
        if (v && !used[v->id])
            ir_remove(op);
    }
}

static void drop_unused(ir_func *f) {
    bool *used = ARENA_ARRAY(f->mem, bool, f->nvalues + 1);
    mark_used(f->body, used);
    drop(f->body, OP_get, used);
    used = ARENA_ARRAY(f->mem, bool, f->nvalues + 1);
    mark_used(f->body, used);
    drop(f->body, OP_set, used);
}

status pass_promote(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    promote p = {.f = f, .cells = cells_of(f), .barriers = ir_has_op(f->body, OP_barrier)};
    p.kept = ARENA_ARRAY(f->mem, bool, p.cells.n + 1);
    p.dirty = ARENA_ARRAY(f->mem, bool, p.cells.n + 1);
    p.stretch = ARENA_ARRAY(f->mem, uint32_t, p.cells.n + 1);
    p.home = ARENA_ARRAY(f->mem, const ir_region *, p.cells.n + 1);
    if (p.barriers)
        choose_kept(&p);
    rewrite(&p, f->body);
    for (uint32_t i = 0; i < p.cells.n; i++)
        if (!p.kept[i])
            ir_remove(p.cells.v[i]->def);
    ir_clear_aux(f->body);
    if (p.barriers)
        drop_unused(f);
    return OK;
}
