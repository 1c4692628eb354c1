/* Sums to global memory that every block adds to at the same places, `counts[t] += part[t]` by
   atomics: an atomic addition takes as long as twenty others. The thread keeps them in memory of
   its own from the first to the last block of a piece, and adds then what is not zero. Integers
   alone, whose sums do not depend on the order, of an array that the kernel does nothing else with;
   in blocks of a known size, where subscript and extent of the sums are. */
#include "pass/pass.h"
#include <string.h>

typedef struct {
    ir_func *f;
    const ir_value *t; /* the array */
    ir_value *sums;    /* NULL: none yet */
    int64_t size;      /* of a block */
    bool *used;        /* by value id */
} amass;

static void note_uses(bool *used, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nin; i++)
            used[op->in[i]->id] = true;
        for (int i = 0; i < op->nreg; i++)
            note_uses(used, op->reg[i]);
    }
}

static bool adds(const amass *s, const ir_op *op) {
    return op->code == OP_atomic && op->in[0] == s->t && !strcmp(op->attr[0].s, "add") &&
           !s->used[op->out[0]->id];
}

/* Is the array added to, and nothing else? */
static bool only_added(const amass *s, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        bool about = op->code == OP_extent || op->code == OP_bound || op->code == OP_dim;
        for (int i = 0; i < op->nin; i++)
            if (op->in[i] == s->t && (i || (!about && !adds(s, op))))
                return false;
        for (int i = 0; i < op->nreg; i++)
            if (!only_added(s, op->reg[i]))
                return false;
    }
    return true;
}

static ir_value *sums_of(amass *s) {
    if (s->sums)
        return s->sums;
    ir_op *op = ir_op_new(s->f, OP_alloc, 0, 0, 1, 0);
    int64_t *shape = ARENA_ARRAY(s->f->mem, int64_t, 1);
    shape[0] = s->size;
    op->attr[0] = (ir_attr){.i = 1, .v = shape};
    op->out[0]->type = s->t->type;
    op->out[0]->type.space = SP_kept;
    op->out[0]->type.contig = IR_UNIT;
    op->out[0]->name = s->t->name;
    ir_before(s->f->body->first, op);
    return s->sums = op->out[0];
}

static void redirect(amass *s, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        const ir_op *at = adds(s, op) ? op->in[2]->def : NULL;
        if (at && op->nin == 3 && at->code == OP_lid && !at->attr[0].i) {
            op->in[0] = sums_of(s);
            op->attr[1].i = 1;
        }
        for (int i = 0; i < op->nreg; i++)
            redirect(s, op->reg[i]);
    }
}

/* Where all blocks are that size. */
static void in_sized(amass *s, ir_region *r) {
    for (ir_op *op = r->first; op; op = op->next) {
        const int64_t *size = op->code == OP_lanes && op->attr[0].i == 3 ? op->attr[0].v : NULL;
        if (size && size[1] == 1 && size[2] == 1) {
            s->size = size[0];
            redirect(s, op->reg[0]);
        }
        for (int i = 0; i < op->nreg && op->code != OP_lanes; i++)
            in_sized(s, op->reg[i]);
    }
}

static ir_value *pure(amass *s, ir_region *r, int code, ir_type t, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return ir_emit(s->f, r, 0, code, t, a ? 2 : 0, in);
}

/* `if` the block is the first or the last of the piece, a loop over the sums: its body. */
static ir_region *each_sum(amass *s, const char *which, ir_op **test) {
    ir_op *op = *test = ir_op_new(s->f, OP_if, 0, 1, 0, 2),
          *loop = ir_op_new(s->f, OP_for, 0, 3, 0, 1);
    op->in[0] = pure(s, s->f->body, OP_blk, ir_val(DT_bool, 1), NULL, NULL);
    op->in[0]->def->attr[0].s = which;
    ir_append(s->f->body, op);
    for (int i = 0; i < 3; i++)
        loop->in[i] = ir_iconst(s->f, op->reg[0], 0, DT_i64, i == 1 ? s->size : i / 2);
    loop->attr[0].i = 1;
    ir_region_arg(s->f, loop->reg[0], ir_val(DT_i64, 1), NULL);
    ir_append(op->reg[0], loop);
    for (int i = 0; i < 2; i++)
        ir_append(op->reg[i], ir_op_new(s->f, OP_yield, 0, 0, 0, 0));
    return loop->reg[0];
}

static ir_op *access(amass *s, ir_region *r, int code, ir_value *t, ir_value *v, ir_value *at) {
    ir_op *op = ir_op_new(s->f, code, 0, v ? 3 : 2, code != OP_store, 0);
    op->in[0] = t;
    if (v)
        op->in[1] = v;
    op->in[v ? 2 : 1] = at;
    op->attr[code == OP_atomic].i = 1;
    if (code != OP_store)
        op->out[0]->type = ir_val((dtype)t->type.dt, 1);
    ir_append(r, op);
    return op;
}

/* Zeros before the first block of a piece; after the last, what is not zero is added. */
static void frame(amass *s) {
    ir_op *test;
    dtype dt = (dtype)s->t->type.dt;
    ir_region *r = each_sum(s, "first", &test);
    access(s, r, OP_store, s->sums, ir_iconst(s->f, r, 0, dt, 0), r->args[0]);
    ir_append(r, ir_op_new(s->f, OP_yield, 0, 0, 0, 0));
    ir_op *first[2] = {test->in[0]->def, test}, *head = s->sums->def->next;
    for (int i = 0; i < 2; i++) {
        ir_remove(first[i]);
        ir_before(head, first[i]);
    }
    r = each_sum(s, "end", &test);
    ir_value *v = access(s, r, OP_load, s->sums, NULL, r->args[0])->out[0];
    ir_value *zero = ir_iconst(s->f, r, 0, dt, 0);
    ir_op *some = ir_op_new(s->f, OP_if, 0, 1, 0, 2);
    some->in[0] = pure(s, r, OP_ne, ir_val(DT_bool, 1), v, zero);
    ir_append(r, some);
    access(s, some->reg[0], OP_atomic, (ir_value *)s->t, v, r->args[0])->attr[0].s = "add";
    for (int i = 0; i < 2; i++)
        ir_append(some->reg[i], ir_op_new(s->f, OP_yield, 0, 0, 0, 0));
    ir_append(r, ir_op_new(s->f, OP_yield, 0, 0, 0, 0));
}

status pass_amass(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    if (!f->simt || o->alias || o->same || !ir_has_op(f->body, OP_full))
        return OK;
    bool *used = ARENA_ARRAY(f->mem, bool, f->nvalues + 1);
    note_uses(used, f->body);
    for (uint32_t i = 0; i < f->body->nargs; i++) {
        const ir_value *t = f->body->args[i];
        amass s = {.f = f, .t = t, .used = used};
        if (t->type.kind != TY_tensor || t->type.rank != 1 || !dtype_is_int((dtype)t->type.dt) ||
            !only_added(&s, f->body))
            continue;
        in_sized(&s, f->body);
        if (s.sums)
            frame(&s);
    }
    return OK;
}
