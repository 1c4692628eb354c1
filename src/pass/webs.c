/* Gives each def-use web of a Python variable a cell of its own, so that a name used again for
   something else is typed by itself. Structured reaching definitions over a union-find of the sets:
   what meets at the end of an if, a loop or a scope is one web. */
#include "pass/cells.h"

/* A scope or another structure around: where the classes of the cells that it touches meet. */
typedef struct meeting {
    int64_t label;
    uint32_t *touched, n;
    uint32_t *at_end; /* as in touched: class, 0 where control has not come yet */
    struct meeting *outer;
} meeting;

typedef struct {
    ir_func *f;
    cells cells;          /* each holds its class, 0: not set yet */
    VEC(uint32_t) parent; /* union-find over classes */
    VEC(ir_value *) made; /* by class: its cell */
    meeting *scopes;
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

static uint32_t class_of(const webs *w, uint32_t cell) {
    return (uint32_t)(uintptr_t)w->cells.held[cell];
}

static void give(webs *w, uint32_t cell, uint32_t class) {
    if (class != class_of(w, cell))
        cells_hold(&w->cells, cell, (void *)(uintptr_t)class);
}

static void meet(webs *w, meeting *m) {
    for (uint32_t i = 0; i < m->n; i++)
        m->at_end[i] = join(w, m->at_end[i], class_of(w, m->touched[i]));
}

static bool walk(webs *w, ir_region *r);

static void structure(webs *w, ir_op *op) {
    meeting m = {.label = op->attr[0].i, .outer = w->scopes};
    bool loops = op->code == OP_for || op->code == OP_loop;
    m.n = cells_in(&w->cells, op, true, &m.touched);
    m.at_end = ARENA_ARRAY(w->f->mem, uint32_t, m.n + 1);
    if (op->code == OP_scope)
        w->scopes = &m;
    for (uint32_t i = 0; loops && i < m.n; i++)
        if (!class_of(w, m.touched[i]))
            give(w, m.touched[i], fresh(w)); /* what a first get in the body shares with the set
                                                that comes round to it */
    for (int i = 0; i < op->nreg; i++) {
        uint32_t log = w->cells.log.n;
        if (walk(w, op->reg[i]))
            meet(w, &m);
        cells_back(&w->cells, log);
    }
    w->scopes = m.outer;
    if (loops)
        meet(w, &m); /* round again, or not at all */
    for (uint32_t i = 0; i < m.n; i++)
        if (m.at_end[i])
            give(w, m.touched[i], m.at_end[i]);
}

/* The class of each get and set goes into its attribute until the rewrite. True: control reaches
 * the region's end. */
static bool walk(webs *w, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        int k = op->code == OP_set || op->code == OP_get ? cells_number(&w->cells, op->in[0]) : -1;
        if (k >= 0 && (op->code == OP_set || !class_of(w, (uint32_t)k)))
            give(w, (uint32_t)k, fresh(w));
        if (k >= 0)
            op->attr[0].i = class_of(w, (uint32_t)k);
        if (op->code == OP_leave) {
            meeting *m = w->scopes;
            while (m && m->label != op->attr[0].i)
                m = m->outer;
            if (m)
                meet(w, m);
            return false;
        }
        if (op->code == OP_raise)
            return false;
        if (op->nreg)
            structure(w, op);
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
        if ((op->code == OP_set || op->code == OP_get) && cells_number(&w->cells, op->in[0]) >= 0) {
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
    webs w = {.f = f, .cells = cells_of(f)};
    fresh(&w); /* class 0: not set yet */
    walk(&w, f->body);
    rewrite(&w, f->body);
    for (uint32_t i = 0; i < w.cells.n; i++)
        ir_remove(w.cells.v[i]->def);
    return OK;
}
