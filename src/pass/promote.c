/* Cells become SSA values; what a loop carries becomes a region argument, what an if or a scope
   assigns becomes a result. Cells assigned inside a loop or branch that holds a barrier stay cells:
   split gives them a slot per work-item. */
#include "pass/cells.h"

typedef struct scope_entry {
    int64_t label;
    uint32_t *cells, n;
    struct scope_entry *outer;
} scope_entry;

typedef struct {
    ir_func *f;
    cells cells; /* each holds its value */
    scope_entry *scopes;
} promote;

static void drop_set(promote *p, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        int k = op->code == OP_set ? cells_number(&p->cells, op->in[0]) : -1;
        if (k >= 0)
            p->cells.v[k] = NULL;
        for (int i = 0; i < op->nreg; i++)
            drop_set(p, op->reg[i]);
    }
}

/* Cells set under structure that contains a barrier are kept. */
static void drop_kept(promote *p, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next)
        for (int i = 0; i < op->nreg; i++)
            if (ir_has_op(op->reg[i], OP_barrier))
                drop_set(p, op->reg[i]);
}

static ir_value *current(promote *p, uint32_t k, ir_op *at) {
    if (p->cells.held[k])
        return p->cells.held[k];
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

/* Bodies that run beside other work set no variable but their own. */
static bool isolated(const ir_op *op) {
    return op->code == OP_parallel || op->code == OP_task || op->code == OP_pipeline ||
           op->code == OP_stage;
}

static void structure(promote *p, ir_op *op) {
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
    scope_entry entry = {op->attr[0].i, list, n, p->scopes};
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
    }
}

static void leave(promote *p, ir_op *op) {
    scope_entry *s = p->scopes;
    while (s && s->label != op->attr[0].i)
        s = s->outer;
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
            ir_remove(op);
        } else if (k >= 0) {
            ir_forward(op->out[0], current(p, (uint32_t)k, op));
            ir_remove(op);
        } else if (op->code == OP_leave)
            leave(p, op);
        else if (op->nreg)
            structure(p, op);
    }
}

status pass_promote(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    promote p = {.f = f, .cells = cells_of(f)};
    drop_kept(&p, f->body);
    rewrite(&p, f->body);
    for (uint32_t i = 0; i < p.cells.n; i++)
        if (p.cells.v[i])
            ir_remove(p.cells.v[i]->def);
    ir_clear_aux(f->body);
    return OK;
}
