/* See cells.h. Regions cost what is assigned in them, not the number of variables there are. */
#include "pass/cells.h"
#include <stdlib.h>

cells cells_of(ir_func *f) {
    VEC(ir_value *) v = {0};
    for (ir_op *op = f->body->first; op; op = op->next)
        if (op->code == OP_cell) {
            vec_push(f->mem, &v, op->out[0]);
            op->out[0]->aux = (void *)(uintptr_t)v.n; /* number + 1 */
        }
    cells c = {.f = f, .v = v.p, .n = v.n};
    c.held = ARENA_ARRAY(f->mem, void *, c.n + 1);
    c.seen = ARENA_ARRAY(f->mem, uint32_t, c.n + 1);
    return c;
}

int cells_number(const cells *c, const ir_value *v) {
    uintptr_t k = (uintptr_t)v->aux;
    return v->type.kind == TY_cell && k && c->v[k - 1] == v ? (int)k - 1 : -1;
}

void cells_hold(cells *c, uint32_t cell, void *x) {
    cells_undo old = {cell, c->held[cell]};
    vec_push(c->f->mem, &c->log, old);
    c->held[cell] = x;
}

void cells_back(cells *c, uint32_t log) {
    while (c->log.n > log) {
        cells_undo u = c->log.p[--c->log.n];
        c->held[u.cell] = u.held;
    }
}

typedef VEC(uint32_t) numbers;

static void collect(cells *c, const ir_region *r, bool gets, numbers *list) {
    for (const ir_op *op = r->first; op; op = op->next) {
        bool one = op->code == OP_set || (gets && op->code == OP_get);
        int k = one ? cells_number(c, op->in[0]) : -1;
        if (k >= 0 && c->seen[k] != c->round) {
            c->seen[k] = c->round;
            vec_push(c->f->mem, list, (uint32_t)k);
        }
        for (int i = 0; i < op->nreg; i++)
            collect(c, op->reg[i], gets, list);
    }
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t cells_in(cells *c, const ir_op *op, bool gets, uint32_t **out) {
    numbers list = {0};
    c->round++;
    for (int i = 0; i < op->nreg; i++)
        collect(c, op->reg[i], gets, &list);
    if (list.n)
        qsort(list.p, list.n, sizeof *list.p, ascending);
    *out = list.p;
    return list.n;
}
