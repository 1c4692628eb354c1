/* Deep copies of ops. A value's copy is in its aux while cloning; labels of scopes that are copied
 * become new ones. */
#include "ir/ir.h"

typedef struct rename {
    int64_t from, to;
    struct rename *next;
} rename_t;

static ir_value *mapped(ir_value *v) { return v->aux ? v->aux : v; }

static void copy_region(ir_func *f, const ir_region *from, ir_region *to, rename_t *labels);

static int64_t relabel(int64_t label, const rename_t *r) {
    for (; r; r = r->next)
        if (r->from == label)
            return r->to;
    return label;
}

static ir_op *copy_op(ir_func *f, const ir_op *op, rename_t *labels) {
    ir_op *n = ir_op_new(f, op->code, op->site, op->nin, op->nout, op->nreg);
    rename_t own = {op->attr[0].i, 0, labels};
    for (int i = 0; i < op->nin; i++)
        n->in[i] = mapped(op->in[i]);
    n->attr[0] = op->attr[0];
    n->attr[1] = op->attr[1];
    if (op->code == OP_scope) {
        n->attr[0].i = own.to = ++f->nlabels;
        labels = &own;
    } else if (op->code == OP_leave)
        n->attr[0].i = relabel(op->attr[0].i, labels);
    for (int i = 0; i < op->nreg; i++)
        copy_region(f, op->reg[i], n->reg[i], labels);
    for (int i = 0; i < op->nout; i++) {
        n->out[i]->type = op->out[i]->type;
        n->out[i]->name = op->out[i]->name;
        op->out[i]->aux = n->out[i];
    }
    return n;
}

static void copy_region(ir_func *f, const ir_region *from, ir_region *to, rename_t *labels) {
    for (uint32_t i = 0; i < from->nargs; i++)
        from->args[i]->aux = ir_region_arg(f, to, from->args[i]->type, from->args[i]->name);
    for (const ir_op *op = from->first; op; op = op->next)
        ir_append(to, copy_op(f, op, labels));
}

void ir_clone_before(ir_func *f, const ir_region *r, ir_value *const *args, ir_op *at,
                     ir_value **results) {
    for (uint32_t i = 0; i < r->nargs; i++)
        r->args[i]->aux = args[i];
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code != OP_yield) {
            ir_before(at, copy_op(f, op, NULL));
            continue;
        }
        for (int i = 0; i < op->nin; i++)
            results[i] = mapped(op->in[i]);
    }
    ir_clear_aux(r);
}

ir_func *ir_copy(const ir_func *f) {
    ir_func *g = ARENA_NEW(f->mem, ir_func);
    *g = *f;
    g->body = ir_region_new(g, NULL);
    g->known = NULL;
    copy_region(g, f->body, g->body, NULL);
    for (uint32_t i = 0; i < f->body->nargs; i++)
        if (ir_known_of(f, f->body->args[i]))
            ir_know(g, g->body->args[i], ir_known_of(f, f->body->args[i])->value);
    ir_clear_aux(f->body);
    return g;
}
