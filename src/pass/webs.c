/* Gives each def-use web of a Python variable a cell of its own, so that a name used again for
   something else is typed by itself. Structured reaching definitions over a union-find of the sets:
   what meets at the end of an if, a loop or a scope is one web. */
#include "base/vec.h"
#include "pass/pass.h"
#include <string.h>

typedef struct scope_env {
    int64_t label;
    uint32_t *at_end; /* by cell: class, 0 where no leave has come yet */
    struct scope_env *outer;
} scope_env;

typedef struct {
    ir_func *f;
    ir_value **cells;
    uint32_t n;
    VEC(uint32_t) parent; /* union-find over classes */
    VEC(ir_value *) made; /* by class: its cell */
    scope_env *scopes;
} webs;

static uint32_t find(webs *w, uint32_t k) {
    while (w->parent.p[k] != k)
        k = w->parent.p[k] = w->parent.p[w->parent.p[k]];
    return k;
}

static uint32_t join(webs *w, uint32_t a, uint32_t b) {
    if (!a || !b)
        return a ? a : b;
    a = find(w, a);
    b = find(w, b);
    w->parent.p[a > b ? a : b] = a > b ? b : a;
    return a > b ? b : a;
}

static uint32_t fresh(webs *w) {
    uint32_t class = w->parent.n;
    vec_push(w->f->mem, &w->parent, class);
    return class;
}

static int index_of(const webs *w, const ir_value *cell) {
    for (uint32_t i = 0; i < w->n; i++)
        if (w->cells[i] == cell)
            return (int)i;
    return -1;
}

static uint32_t *copy(webs *w, const uint32_t *env) {
    uint32_t *e = ARENA_ARRAY(w->f->mem, uint32_t, w->n + 1);
    memcpy(e, env, w->n * sizeof *e);
    return e;
}

static bool walk(webs *w, ir_region *r, uint32_t *env);

static void merge(webs *w, uint32_t *into, const uint32_t *from) {
    for (uint32_t i = 0; i < w->n; i++)
        into[i] = join(w, into[i], from[i]);
}

static void structure(webs *w, ir_op *op, uint32_t *env) {
    scope_env here = {op->attr[0].i, ARENA_ARRAY(w->f->mem, uint32_t, w->n + 1), w->scopes};
    bool loops = op->code == OP_for || op->code == OP_loop;
    if (op->code == OP_scope)
        w->scopes = &here;
    for (uint32_t i = 0; loops && i < w->n; i++)
        env[i] = env[i] ? env[i] : fresh(w); /* what a first get in the body shares with the set
                                                that comes round to it */
    for (int i = 0; i < op->nreg; i++) {
        uint32_t *inner = copy(w, env);
        if (walk(w, op->reg[i], inner))
            merge(w, here.at_end, inner);
    }
    w->scopes = here.outer;
    if (loops)
        merge(w, here.at_end, env); /* round again, or not at all */
    for (uint32_t i = 0; i < w->n; i++)
        env[i] = here.at_end[i] ? here.at_end[i] : env[i];
}

/* The class of each get and set goes into its attribute until the rewrite. True: control reaches
 * the region's end. */
static bool walk(webs *w, ir_region *r, uint32_t *env) {
    for (ir_op *op = r->first; op; op = op->next) {
        int k = op->code == OP_set || op->code == OP_get ? index_of(w, op->in[0]) : -1;
        if (k >= 0 && (op->code == OP_set || !env[k]))
            env[k] = fresh(w);
        if (k >= 0)
            op->attr[0].i = env[k];
        if (op->code == OP_leave) {
            scope_env *s = w->scopes;
            while (s && s->label != op->attr[0].i)
                s = s->outer;
            if (s)
                merge(w, s->at_end, env);
            return false;
        }
        if (op->code == OP_raise)
            return false;
        if (op->nreg)
            structure(w, op, env);
    }
    return true;
}

static ir_value *cell_of(webs *w, uint32_t class, ir_value *old) {
    class = find(w, class);
    while (w->made.n <= class)
        vec_push(w->f->mem, &w->made, NULL);
    if (!w->made.p[class]) {
        ir_op *op = ir_op_new(w->f, OP_cell, old->def->site, 0, 1, 0);
        op->out[0]->type = old->type;
        op->out[0]->name = old->name;
        ir_before(old->def, op);
        w->made.p[class] = op->out[0];
    }
    return w->made.p[class];
}

static void rewrite(webs *w, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        if ((op->code == OP_set || op->code == OP_get) && index_of(w, op->in[0]) >= 0) {
            uint32_t class = (uint32_t)op->attr[0].i;
            op->attr[0].i = 0;
            if (class)
                op->in[0] = cell_of(w, class, op->in[0]);
        }
        for (int i = 0; i < op->nreg; i++)
            rewrite(w, op->reg[i]);
    }
}

status pass_webs(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    VEC(ir_value *) cells = {0};
    for (ir_op *op = f->body->first; op; op = op->next)
        if (op->code == OP_cell)
            vec_push(f->mem, &cells, op->out[0]);
    webs w = {.f = f, .cells = cells.p, .n = cells.n};
    fresh(&w); /* class 0: not set yet */
    walk(&w, f->body, ARENA_ARRAY(f->mem, uint32_t, w.n + 1));
    rewrite(&w, f->body);
    for (uint32_t i = 0; i < w.n; i++)
        ir_remove(w.cells[i]->def);
    return OK;
}
