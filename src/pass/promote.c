/* Cells become SSA values; what a loop carries becomes a region argument, what an if or a scope
   assigns becomes a result. Cells assigned inside a loop or branch that holds a barrier stay cells:
   split gives them a slot per work-item. */
#include "base/vec.h"
#include "pass/pass.h"
#include <string.h>

typedef struct scope_entry {
    int64_t label;
    uint32_t *cells, n;
    struct scope_entry *outer;
} scope_entry;

typedef struct {
    ir_func *f;
    ir_value **cells; /* by index */
    uint32_t n;
    scope_entry *scopes;
} promote;

static int index_of(promote *p, const ir_value *cell) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->cells[i] == cell)
            return (int)i;
    return -1;
}

static void mark_sets(promote *p, const ir_region *r, bool *set) {
    for (const ir_op *op = r->first; op; op = op->next) {
        int k = op->code == OP_set ? index_of(p, op->in[0]) : -1;
        if (k >= 0)
            set[k] = true;
        for (int i = 0; i < op->nreg; i++)
            mark_sets(p, op->reg[i], set);
    }
}

/* Cells set under structure that contains a barrier are kept. */
static void drop_kept(promote *p, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next)
        for (int i = 0; i < op->nreg; i++) {
            if (!ir_has_op(op->reg[i], OP_barrier)) {
                continue;
            }
            bool *set = ARENA_ARRAY(p->f->mem, bool, p->n + 1);
            mark_sets(p, op->reg[i], set);
            for (uint32_t k = 0; k < p->n; k++)
                if (set[k])
                    p->cells[k] = NULL;
        }
}

static ir_value *current(promote *p, ir_value **env, uint32_t k, ir_op *at) {
    if (env[k])
        return env[k];
    dtype dt = (dtype)p->cells[k]->type.dt; /* never assigned on this path */
    ir_op *op = ir_op_new(p->f, dtype_is_float(dt) ? OP_fconst : OP_iconst, at->site, 0, 1, 0);
    op->out[0]->type = ir_val(dt, 1);
    ir_before(at, op);
    return op->out[0];
}

static void rewrite(promote *p, ir_region *r, ir_value **env);

static ir_value **copy_env(promote *p, ir_value **env) {
    ir_value **e = ARENA_ARRAY(p->f->mem, ir_value *, p->n + 1);
    memcpy(e, env, p->n * sizeof *e);
    return e;
}

static void yield_cells(promote *p, ir_region *r, ir_value **env, const uint32_t *cells,
                        uint32_t n) {
    if (r->last && r->last->code == OP_yield)
        for (uint32_t i = 0; i < n; i++)
            ir_add_in(p->f, r->last, current(p, env, cells[i], r->last));
}

static uint32_t assigned(promote *p, const ir_op *op, uint32_t **out) {
    bool *set = ARENA_ARRAY(p->f->mem, bool, p->n + 1);
    for (int i = 0; i < op->nreg; i++)
        mark_sets(p, op->reg[i], set);
    uint32_t n = 0, *list = ARENA_ARRAY(p->f->mem, uint32_t, p->n + 1);
    for (uint32_t k = 0; k < p->n; k++)
        if (set[k] && p->cells[k])
            list[n++] = k;
    *out = list;
    return n;
}

/* Bodies that run beside other work set no variable but their own. */
static bool isolated(const ir_op *op) {
    return op->code == OP_parallel || op->code == OP_task || op->code == OP_pipeline ||
           op->code == OP_stage;
}

static void structure(promote *p, ir_op *op, ir_value **env) {
    if (isolated(op)) {
        rewrite(p, op->reg[0], copy_env(p, env));
        return;
    }
    uint32_t *cells, n = assigned(p, op, &cells);
    bool loops = op->code == OP_for || op->code == OP_loop;
    for (uint32_t i = 0; loops && i < n; i++)
        ir_add_in(p->f, op, current(p, env, cells[i], op));
    scope_entry entry = {op->attr[0].i, cells, n, p->scopes};
    if (op->code == OP_scope)
        p->scopes = &entry;
    for (int i = 0; i < op->nreg; i++) {
        ir_value **inner = copy_env(p, env);
        for (uint32_t k = 0; loops && k < n; k++) {
            const ir_value *c = p->cells[cells[k]];
            inner[cells[k]] =
                ir_region_arg(p->f, op->reg[i], ir_val((dtype)c->type.dt, 1), c->name);
        }
        rewrite(p, op->reg[i], inner);
        yield_cells(p, op->reg[i], inner, cells, n);
    }
    if (op->code == OP_scope)
        p->scopes = entry.outer;
    for (uint32_t i = 0; i < n; i++) {
        const ir_value *c = p->cells[cells[i]];
        env[cells[i]] = ir_add_out(p->f, op, ir_val((dtype)c->type.dt, 1), c->name);
    }
}

static void leave(promote *p, ir_op *op, ir_value **env) {
    scope_entry *s = p->scopes;
    while (s && s->label != op->attr[0].i)
        s = s->outer;
    for (uint32_t i = 0; s && i < s->n; i++)
        ir_add_in(p->f, op, current(p, env, s->cells[i], op));
}

static void rewrite(promote *p, ir_region *r, ir_value **env) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        int k = op->code == OP_set || op->code == OP_get ? index_of(p, op->in[0]) : -1;
        if (k >= 0 && op->code == OP_set) {
            env[k] = op->in[1];
            ir_remove(op);
        } else if (k >= 0) {
            ir_replace(p->f->body, op->out[0], current(p, env, (uint32_t)k, op));
            ir_remove(op);
        } else if (op->code == OP_leave)
            leave(p, op, env);
        else if (op->nreg)
            structure(p, op, env);
    }
}

status pass_promote(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    VEC(ir_value *) cells = {0};
    for (ir_op *op = f->body->first; op; op = op->next)
        if (op->code == OP_cell)
            vec_push(f->mem, &cells, op->out[0]);
    promote p = {.f = f, .cells = cells.p, .n = cells.n};
    drop_kept(&p, f->body);
    rewrite(&p, f->body, ARENA_ARRAY(f->mem, ir_value *, p.n + 1));
    for (ir_op *op = f->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_cell && index_of(&p, op->out[0]) >= 0)
            ir_remove(op);
    }
    return OK;
}
