/* Memory planning: shared, local and slot memory gets offsets in the thread's scratch. An alloc is
   moved down to its first use; it lives from there to its last use (a use inside a loop that the
   alloc is not in lasts as long as the loop), and what does not live at the same time shares bytes.
   Largest first, each at the lowest offset that is free, aligned to 64. */
#include "base/vec.h"
#include "pass/pass.h"
#include <stdlib.h>

typedef struct {
    ir_op *op;
    int64_t size;
    uint32_t from, to;
} item;

typedef struct {
    ir_func *f;
    VEC(item) items;
    uint32_t time;
} plan;

enum { ALIGN = 64 };

/* The first op of an alloc's region that uses it, itself or inside, goes into aux. */
static void first_uses(ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++) {
            ir_op *def = op->in[i]->def, *at = op;
            if (!def || def->code != OP_alloc || op->in[i]->aux)
                continue;
            while (at->parent != def->parent)
                at = at->parent->owner;
            op->in[i]->aux = at;
        }
        for (int i = 0; i < op->nreg; i++)
            first_uses(op->reg[i]);
    }
}

static void sink(ir_region *r) {
    for (ir_op *op = r->last, *prev; op; op = prev) {
        prev = op->prev;
        for (int i = 0; i < op->nreg; i++)
            sink(op->reg[i]);
        ir_op *first = op->code == OP_alloc ? op->out[0]->aux : NULL;
        if (first && first != op->next) {
            ir_remove(op);
            ir_before(first, op);
        }
    }
}

static int64_t bytes(const ir_op *op) {
    int64_t n = dtype_table[op->out[0]->type.dt].bytes;
    for (int64_t i = 0; i < op->attr[0].i; i++)
        n *= op->attr[0].v[i];
    return (n + ALIGN - 1) & ~(int64_t)(ALIGN - 1);
}

/* Uses in [from, to] count at `to` for what was allocated before `from`: the time of a loop is one.
 * An alloc's item is the one with the number in its aux, from 1 on. */
static void touch(plan *p, const ir_value *v, uint32_t from) {
    item *x = v->aux ? &p->items.p[(uintptr_t)v->aux - 1] : NULL;
    if (x && x->from < from && x->to != UINT32_MAX)
        x->to = p->time;
}

static void last_uses(plan *p, const ir_op *op, uint32_t from) {
    for (int i = 0; i < op->nin; i++)
        touch(p, op->in[i], from);
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            last_uses(p, x, from);
}

static void walk(plan *p, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        uint32_t from = ++p->time;
        if (op->code == OP_alloc) {
            bool kept = op->out[0]->type.space == SP_kept; /* always */
            item x = {op, bytes(op), kept ? 0 : from, kept ? UINT32_MAX : from};
            vec_push(p->f->mem, &p->items, x);
            op->out[0]->aux = (void *)(uintptr_t)p->items.n;
            continue;
        }
        for (int i = 0; i < op->nreg; i++)
            walk(p, op->reg[i]);
        p->time++;
        bool loops = op->code == OP_for || op->code == OP_loop;
        if (loops || !op->nreg)
            last_uses(p, op, from);
        if (op->code == OP_task) { /* it may run as late as the kernel's end */
            uint32_t now = p->time;
            p->time = UINT32_MAX;
            last_uses(p, op, from);
            p->time = now;
        }
    }
}

static int larger(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void place(plan *p, uint32_t k) {
    item *x = &p->items.p[k];
    int64_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < k; i++) {
            const item *y = &p->items.p[i];
            int64_t other = y->op->attr[1].i;
            bool together = x->from <= y->to && y->from <= x->to;
            if (together && at < other + y->size && other < at + x->size) {
                at = other + y->size;
                moved = true;
            }
        }
    }
    x->op->attr[1].i = at;
}

status pass_plan(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    plan p = {.f = f};
    first_uses(f->body);
    sink(f->body);
    ir_clear_aux(f->body);
    walk(&p, f->body);
    ir_clear_aux(f->body);
    if (p.items.n)
        qsort(p.items.p, p.items.n, sizeof *p.items.p, larger);
    for (uint32_t k = 0; k < p.items.n; k++)
        place(&p, k);
    return OK;
}
