/* Control flow that need not be: a bool that an `if` computes from cheap parts is logic, and a
   scope that is left at one place of its body (continue, return) is an `if` with the rest in its
   other arm. Recognisers and lanes then see conditions, and fewer forms of them. */
#include "pass/pass.h"

enum {
    CHEAP = 12,  /* ops that may be computed where Python would not */
    LARGE = 400, /* ops of a scope that is not looked at: the search is repeated for each leave */
    DEEP = 8     /* leaves of one scope */
};

static bool cheap(const ir_region *r) {
    int n = 0;
    for (const ir_op *op = r->first; op->code != OP_yield; op = op->next) {
        switch (op->code) {
        case OP_iconst:
        case OP_fconst:
        case OP_dim:
        case OP_add:
        case OP_sub:
        case OP_mul:
        case OP_and:
        case OP_or:
        case OP_xor:
        case OP_inv:
        case OP_lt:
        case OP_le:
        case OP_gt:
        case OP_ge:
        case OP_eq:
        case OP_ne:
        case OP_gid:
        case OP_lid:
        case OP_bid:
        case OP_cast: break;
        default: return false;
        }
        if (!op->next || ++n > CHEAP)
            return false;
    }
    return true;
}

/* Is v what cond is in this arm? */
static bool is_cond(const ir_value *v, const ir_value *cond, bool arm) {
    return v == cond || (v->def && v->def->code == OP_iconst && (v->def->attr[0].i != 0) == arm);
}

static bool yields_one(const ir_region *r) {
    return r->first && r->last->code == OP_yield && r->last->nin == 1;
}

/* if c {.. yield v} {yield c} is c and v; if c {yield c} {.. yield v} is c or v. */
static bool logic(ir_func *f, ir_op *op) {
    if (op->nout != 1 || op->out[0]->type.kind != TY_val || op->out[0]->type.dt != DT_bool ||
        !yields_one(op->reg[0]) || !yields_one(op->reg[1]))
        return false;
    for (int arm = 0; arm < 2; arm++) {
        ir_region *r = op->reg[arm], *other = op->reg[!arm];
        if (!is_cond(other->last->in[0], op->in[0], arm) || !cheap(other) || !cheap(r))
            continue;
        ir_op *both = ir_op_new(f, arm ? OP_or : OP_and, op->site, 2, 1, 0);
        both->in[0] = op->in[0];
        both->in[1] = r->last->in[0];
        both->out[0]->type = op->out[0]->type;
        both->out[0]->name = op->out[0]->name;
        for (ir_op *x = r->first; x->code != OP_yield; x = r->first) {
            ir_remove(x);
            ir_before(op, x);
        }
        ir_before(op, both);
        ir_forward(op->out[0], both->out[0]);
        ir_remove(op);
        return true;
    }
    return false;
}

static int leaves(const ir_region *r, int64_t label) {
    int n = 0;
    for (const ir_op *op = r->first; op; op = op->next) {
        n += op->code == OP_leave && op->attr[0].i == label;
        for (int i = 0; i < op->nreg; i++)
            n += leaves(op->reg[i], label);
    }
    return n;
}

/* The arm of an `if` that ends by leaving and holds no other leave, where the other arm ends
   normally; -1: no such. */
static int leaving(const ir_op *op, int64_t label) {
    for (int arm = 0; op->code == OP_if && !op->nout && arm < 2; arm++) {
        const ir_op *end = op->reg[arm]->last, *other = op->reg[!arm]->last;
        if (end && end->code == OP_leave && end->attr[0].i == label && other &&
            other->code == OP_yield && leaves(op->reg[arm], label) == 1 &&
            !leaves(op->reg[!arm], label))
            return arm;
    }
    return -1;
}

static void yield_instead(ir_func *f, ir_op *end) {
    ir_op *y = ir_op_new(f, OP_yield, end->site, end->nin, 0, 0);
    for (int i = 0; i < end->nin; i++)
        y->in[i] = end->in[i];
    ir_before(end, y);
    ir_remove(end);
}

/* The ops of `from` on go to the end of r. */
static void move(ir_op *from, ir_region *r) {
    for (ir_op *next; from; from = next) {
        next = from->next;
        ir_remove(from);
        ir_append(r, from);
    }
}

/* r, the rest of the scope, in a scope of its own for the leaves that are in it. */
static ir_op *wrap(ir_func *f, ir_region *r, const ir_op *scope) {
    ir_op *in = ir_op_new(f, OP_scope, scope->site, 0, scope->nout, 1);
    in->attr[0] = scope->attr[0];
    move(r->first, in->reg[0]);
    ir_op *y = ir_op_new(f, OP_yield, scope->site, scope->nout, 0, 0);
    for (int i = 0; i < scope->nout; i++) {
        in->out[i]->type = scope->out[i]->type;
        y->in[i] = in->out[i];
    }
    ir_append(r, in);
    ir_append(r, y);
    return in;
}

/* Splits the scope at its `if` op, of which `arm` leaves. */
static ir_op *split(ir_func *f, ir_op *scope, ir_op *op, int arm) {
    int64_t label = scope->attr[0].i;
    ir_region *rest = op->reg[!arm];
    ir_op *choice = ir_op_new(f, OP_if, op->site, 1, scope->nout, 2);
    choice->in[0] = op->in[0];
    for (int i = 0; i < scope->nout; i++)
        choice->out[i]->type = scope->out[i]->type;
    yield_instead(f, op->reg[arm]->last);
    ir_remove(rest->last);
    move(op->next, rest);
    if (rest->last->code == OP_leave && rest->last->attr[0].i == label)
        yield_instead(f, rest->last);
    move(op->reg[arm]->first, choice->reg[arm]);
    move(rest->first, choice->reg[!arm]);
    for (ir_op *x = scope->reg[0]->first; x != op; x = scope->reg[0]->first) {
        ir_remove(x);
        ir_before(scope, x);
    }
    ir_before(scope, choice);
    for (int i = 0; i < scope->nout; i++) {
        choice->out[i]->name = scope->out[i]->name;
        ir_forward(scope->out[i], choice->out[i]);
    }
    if (scope->next) /* of a scope that wrap made, the only use, which the walk does not see */
        ir_follow(scope->next);
    ir_remove(scope);
    return leaves(choice->reg[!arm], label) ? wrap(f, choice->reg[!arm], scope) : NULL;
}

static void scope_to_ifs(ir_func *f, ir_op *scope) {
    if (ir_count(scope->reg[0]) > LARGE)
        return;
    for (int i = 0; scope && i < DEEP; i++) {
        int64_t label = scope->attr[0].i;
        ir_op *op = scope->reg[0]->first;
        while (op && !(op->nreg && leaves(op->reg[0], label)) &&
               !(op->nreg > 1 && leaves(op->reg[1], label)))
            op = op->next;
        int arm = op ? leaving(op, label) : -1;
        if (arm < 0)
            return;
        scope = split(f, scope, op, arm);
    }
}

static void walk(ir_func *f, ir_region *r) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        ir_follow(op);
        for (int i = 0; i < op->nreg; i++)
            walk(f, op->reg[i]);
        if (op->code == OP_if)
            logic(f, op);
        else if (op->code == OP_scope)
            scope_to_ifs(f, op);
    }
}

status pass_branch(ir_func *f, diag *d, const pass_options *o) {
    (void)d, (void)o;
    walk(f, f->body);
    ir_clear_aux(f->body);
    return OK;
}
