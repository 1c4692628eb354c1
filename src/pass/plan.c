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

static bool uses(const ir_op *op, const ir_value *v) {
    for (int i = 0; i < op->nin; i++)
        if (op->in[i] == v)
            return true;
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next)
            if (uses(x, v))
                return true;
    return false;
}

static void sink(ir_region *r) {
    for (ir_op *op = r->last, *prev; op; op = prev) {
        prev = op->prev;
        for (int i = 0; i < op->nreg; i++)
            sink(op->reg[i]);
        if (op->code != OP_alloc)
            continue;
        ir_op *first = op->next;
        while (first && !uses(first, op->out[0]))
            first = first->next;
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
 */
static void touch(plan *p, const ir_value *v, uint32_t from) {
    for (uint32_t i = 0; i < p->items.n; i++)
        if (p->items.p[i].op->out[0] == v && p->items.p[i].from < from)
            p->items.p[i].to = p->time;
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
            item x = {op, bytes(op), from, from};
            vec_push(p->f->mem, &p->items, x);
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
    sink(f->body);
    walk(&p, f->body);
    if (p.items.n)
        qsort(p.items.p, p.items.n, sizeof *p.items.p, larger);
    for (uint32_t k = 0; k < p.items.n; k++)
        place(&p, k);
    return OK;
}
