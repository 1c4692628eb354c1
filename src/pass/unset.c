/* `isset` of a cell asks a flag beside it, which each set of the cell makes true and `unset` false.
 */
#include "pass/pass.h"

static ir_value *flag_of(ir_func *f, ir_value *cell) {
    if (!cell->aux) {
        ir_op *op = ir_op_new(f, OP_cell, cell->def->site, 0, 1, 0);
        op->out[0]->type = (ir_type){.kind = TY_cell, .dt = DT_bool, .lanes = 1};
        ir_before(cell->def, op);
        cell->aux = op->out[0];
    }
    return cell->aux;
}

static void asked(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_isset) {
            op->in[0] = flag_of(f, op->in[0]);
            op->code = OP_get;
        }
        for (int i = 0; i < op->nreg; i++)
            asked(f, op->reg[i]);
    }
}

static void put(ir_func *f, ir_op *at, ir_value *flag, bool value) {
    ir_op *c = ir_op_new(f, OP_iconst, at->site, 0, 1, 0),
          *set = ir_op_new(f, OP_set, at->site, 2, 0, 0);
    c->attr[0].i = value;
    c->out[0]->type = ir_val(DT_bool, 1);
    set->in[0] = flag;
    set->in[1] = c->out[0];
    ir_before(at, c);
    ir_before(at, set);
}

static void told(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_value *flag = op->code == OP_set || op->code == OP_unset ? op->in[0]->aux : NULL;
        if (flag)
            put(f, op, flag, op->code == OP_set);
        if (op->code == OP_unset)
            ir_remove(op);
        for (int i = 0; i < op->nreg; i++)
            told(f, op->reg[i]);
    }
}

status pass_unset(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    asked(f, f->body);
    told(f, f->body);
    ir_clear_aux(f->body);
    return OK;
}
