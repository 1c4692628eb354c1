/* Spreads the loops of plain kernels: iterations that touch places of their own run on all threads
   (op parallel), and beside each other in a vector (op simd) where the loops inside would not make
   vectors themselves. Where this pass runs, arguments do not overlap. */
#include "pass/spread.h"

enum {
    MAX_ACCESS = 128,
    MAX_SIMD = 150, /* ops of a loop that is written twice, with masks and without */
    /* Iterations that go together to a thread: */
    SIMD_UNIT = 64,
    MAP_UNIT = 1024
};

typedef struct {
    const ir_value *counter;
    const ir_region *body;
    const ir_op *access[MAX_ACCESS];
    int n;
    const char *why; /* the iterations are not independent, */
    const ir_op *at; /* seen here */
} loop_facts;

static bool no(loop_facts *f, const ir_op *at, const char *why) {
    f->why = why;
    f->at = at;
    return false;
}

/* v is the counter plus k. */
static bool offset(const ir_value *v, const ir_value *counter, int64_t *k) {
    const ir_op *op = v->def;
    *k = 0;
    if (v == counter)
        return true;
    for (int i = 0; op && (op->code == OP_add || op->code == OP_sub) && i < 2; i++) {
        const ir_op *c = op->in[1 - i]->def;
        if (op->in[i] == counter && c && c->code == OP_iconst && (op->code == OP_add || !i)) {
            *k = op->code == OP_add ? c->attr[0].i : -c->attr[0].i;
            return true;
        }
    }
    return false;
}

static bool leaves_loop(const ir_op *leave, const ir_region *body) {
    const ir_region *r = leave->parent;
    for (; r->owner; r = r->owner->parent) {
        if (r->owner->code == OP_scope && r->owner->attr[0].i == leave->attr[0].i)
            return false;
        if (r == body)
            return true;
    }
    return true;
}

/* Collects what r accesses; false: it does what iterations may not do in any order. */
static bool collect(loop_facts *f, const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        switch (op->code) {
        case OP_load:
        case OP_store:
            if (f->n == MAX_ACCESS)
                return no(f, op, "more loads and stores than are looked at");
            f->access[f->n++] = op;
            break;
        case OP_vload:
        case OP_vstore: /* a contraction's packed memory */
            if (!ir_inside(op->in[0], f->body))
                return no(f, op, "has an effect that is in order");
            break;
        case OP_hint:
            if (op->attr[0].s[0] != 'o')
                return no(f, op, "has an effect that is in order");
            break;
        case OP_set:
            if (!ir_inside(op->in[0], f->body))
                return no(f, op, "sets a variable of outside");
            break;
        case OP_leave:
            if (leaves_loop(op, f->body))
                return no(f, op, "may end the loop");
            break;
        case OP_if:
        case OP_for:
        case OP_loop:
        case OP_scope:
        case OP_yield:
        case OP_parallel:
        case OP_tmp:
        case OP_simd:
        case OP_alloc: break;
        default:
            if (op->nreg || (ir_ops[op->code].effect != EFF_PURE && op->code != OP_get))
                return no(f, op, "has an effect that is in order");
        }
        for (int i = 0; i < op->nreg; i++)
            if (!collect(f, op->reg[i]))
                return false;
    }
    return true;
}

/* All accesses to t have the counter, plus the same, as the subscript of this axis. */
static bool own_axis(const loop_facts *f, const ir_value *t, int axis) {
    int64_t first = 0, k;
    for (int i = 0, seen = 0; i < f->n; i++) {
        const ir_op *op = f->access[i];
        int from = ir_subscripts(op);
        if (op->in[0] != t)
            continue;
        if (from + axis >= op->nin || !(op->attr[0].i >> axis & 1) ||
            !offset(op->in[from + axis], f->counter, &k) || (seen && k != first))
            return false;
        first = k;
        seen = 1;
    }
    return true;
}

static bool own_places(const loop_facts *f, const ir_value *t) {
    if (ir_inside(t, f->body))
        return true; /* made anew for each iteration */
    for (int axis = 0; axis < t->type.rank; axis++)
        if (own_axis(f, t, axis))
            return true;
    return false;
}

static bool independent(const ir_op *loop, loop_facts *f) {
    *f = (loop_facts){.counter = loop->reg[0]->args[0], .body = loop->reg[0]};
    if (loop->nout)
        return no(f, loop, "carries a value from one iteration to the next, or out of the loop");
    if (!ir_unit_step(loop))
        return no(f, loop, "its step is not 1");
    if (!collect(f, loop->reg[0]))
        return false;
    for (int i = 0; i < f->n; i++)
        if (f->access[i]->code == OP_store && !own_places(f, f->access[i]->in[0]))
            return no(f, f->access[i], "another iteration may touch what is stored");
    return true;
}

/* Does v differ between iterations? */
static bool differs(const loop_facts *f, const ir_value *v, int depth) {
    const ir_op *op = v->def, *loop = v->region ? v->region->owner : NULL;
    if (v == f->counter)
        return true;
    if (!ir_inside(v, f->body))
        return false;
    if (!op) /* a counter of an inner loop, or what it carries */
        return !depth || loop->code != OP_for || v != loop->reg[0]->args[0] ||
               differs(f, loop->in[0], depth - 1) || differs(f, loop->in[2], depth - 1);
    if (!depth || op->nreg)
        return true;
    for (int i = 0; i < op->nin; i++)
        if (differs(f, op->in[i], depth - 1))
            return true;
    return false;
}

enum { DEPTH = 8 };

/* v grows by one from one iteration to the next. */
static bool unit(const loop_facts *f, const ir_value *v) {
    const ir_op *op = v->def;
    if (v == f->counter)
        return true;
    if (!op || (op->code != OP_add && op->code != OP_sub))
        return false;
    bool a = differs(f, op->in[0], DEPTH), b = differs(f, op->in[1], DEPTH);
    return a != b && (a || op->code == OP_add) && unit(f, op->in[!a]);
}

/* Iterations side by side read and write what is side by side, or the same. */
static bool consecutive(const loop_facts *f) {
    for (int i = 0; i < f->n; i++) {
        const ir_op *op = f->access[i];
        int from = ir_subscripts(op);
        for (int k = from; k < op->nin; k++)
            if (differs(f, op->in[k], DEPTH) &&
                (k + 1 < op->nin || op->in[0]->type.contig != IR_UNIT || !unit(f, op->in[k])))
                return false;
    }
    return true;
}

static bool has_loop(const ir_region *r) {
    return ir_has_op(r, OP_for) || ir_has_op(r, OP_loop) || ir_has_op(r, OP_simd);
}

static ir_value *number(ir_func *f, ir_op *at, int64_t v) {
    ir_op *c = ir_op_new(f, OP_iconst, at->site, 0, 1, 0);
    c->attr[0].i = v;
    c->out[0]->type = ir_val(DT_i64, 1);
    ir_before(at, c);
    return c->out[0];
}

static ir_value *two(ir_func *f, ir_op *at, int code, ir_value *a, ir_value *b) {
    ir_op *op = ir_op_new(f, code, at->site, 2, 1, 0);
    op->in[0] = a;
    op->in[1] = b;
    op->out[0]->type = a->type;
    ir_before(at, op);
    return op->out[0];
}

static bool is_wide(const loop_facts *f) {
    for (int i = 0; i < f->n; i++)
        if (dtype_table[f->access[i]->in[0]->type.dt].bytes == 8)
            return true;
    return false;
}

/* The loop becomes op simd over its number of iterations. */
static void to_simd(ir_func *f, ir_op *loop, int lanes) {
    ir_value *n = two(f, loop, OP_sub, loop->in[1], loop->in[0]);
    n = two(f, loop, OP_max, n, number(f, loop, 0));
    ir_op *simd = ir_op_new(f, OP_simd, loop->site, 1, 0, 1);
    ir_region *to = simd->reg[0];
    simd->in[0] = n;
    simd->attr[0].i = lanes;
    ir_value *old = loop->reg[0]->args[0], *v = ir_region_arg(f, to, old->type, old->name);
    ir_op *at = ir_op_new(f, OP_add, loop->site, 2, 1, 0);
    at->in[0] = loop->in[0];
    at->in[1] = v;
    at->out[0]->type = v->type;
    ir_replace(loop->reg[0], old, at->out[0]);
    ir_append(to, at);
    for (ir_op *op = loop->reg[0]->first, *next; op; op = next) {
        next = op->next;
        ir_remove(op);
        ir_append(to, op);
    }
    ir_before(loop, simd);
    ir_remove(loop);
}

static bool two_free_loops(const ir_op *outer) {
    loop_facts facts;
    for (const ir_op *op = outer->reg[0]->first; op; op = op->next)
        if (op->code == OP_for)
            return independent(op, &facts) && independent(outer, &facts);
    return false;
}

static void simd_loops(ir_func *f, ir_region *r, const pass_options *o) {
    loop_facts facts;
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_simd)
            continue;
        const char *name = op->code == OP_for ? op->reg[0]->args[0]->name : NULL;
        if (op->code == OP_for && two_free_loops(op)) {
            ir_op mark = *op; /* for its place: it goes */
            if (spread_transpose(f, op, o->width_bytes)) {
                pass_note(o, f, &mark, "loops %s and inner: turned over in squares, on all threads",
                          name ? name : "_");
                continue;
            }
        }
        for (int i = 0; i < op->nreg; i++)
            simd_loops(f, op->reg[i], o);
        if (op->code == OP_for && has_loop(op->reg[0]) && !ir_has_op(op->reg[0], OP_simd) &&
            ir_count(op->reg[0]) <= MAX_SIMD && independent(op, &facts) && consecutive(&facts)) {
            int lanes = o->width_bytes / (is_wide(&facts) ? 8 : 4);
            pass_note(o, f, op, "loop %s: %d iterations beside each other in vectors",
                      facts.counter->name ? facts.counter->name : "_", lanes);
            to_simd(f, op, lanes);
        }
    }
}

/* Puts the loop, of bounds lo and hi, into op parallel, `unit` iterations a piece. */
static void to_parallel(ir_func *f, ir_op *loop, ir_value *lo, ir_value *hi, int64_t unit) {
    ir_value *u = number(f, loop, unit), *n = two(f, loop, OP_sub, hi, lo);
    n = two(f, loop, OP_add, n, number(f, loop, unit - 1));
    n = two(f, loop, OP_floordiv, two(f, loop, OP_max, n, number(f, loop, 0)), u);
    ir_op *p = ir_op_new(f, OP_parallel, loop->site, 1, 0, 1), *end;
    p->in[0] = n;
    ir_before(loop, p);
    ir_remove(loop);
    ir_value *first = ir_region_arg(f, p->reg[0], ir_val(DT_i64, 1), "first"),
             *last = ir_region_arg(f, p->reg[0], ir_val(DT_i64, 1), "end");
    end = ir_op_new(f, OP_yield, loop->site, 0, 0, 0);
    ir_append(p->reg[0], loop);
    ir_append(p->reg[0], end);
    ir_value *from = two(f, loop, OP_add, lo, two(f, loop, OP_mul, first, u)),
             *to = two(f, loop, OP_add, lo, two(f, loop, OP_mul, last, u));
    to = two(f, loop, OP_min, to, hi);
    if (loop->code == OP_for) {
        loop->in[0] = from;
        loop->in[1] = to;
        return;
    }
    loop->in[0] = two(f, loop, OP_sub, to, from);
    loop->reg[0]->first->in[0] = from; /* the counter: lo + v */
}

/* A counter without a name is of a loop that we made. */
static void tell(const pass_options *o, const ir_func *f, const ir_op *loop,
                 const loop_facts *facts) {
    const char *name = facts->counter->name;
    if (name && !facts->why)
        pass_note(o, f, loop, "loop %s: on all threads, where that pays", name);
    else if (name)
        pass_note(o, f, loop, "loop %s: on one thread: %s (line %u)", name, facts->why,
                  ir_loc(f, facts->at).line);
}

static void parallel_loops(ir_func *f, ir_region *r, const pass_options *o, bool outermost) {
    loop_facts facts;
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        bool loop = op->code == OP_for || op->code == OP_loop;
        if (op->code == OP_parallel || op->code == OP_task || op->code == OP_pipeline ||
            (op->code == OP_if && ir_has_op(op->reg[0], OP_parallel)))
            continue; /* the last: a contraction, and the loops for a small one */
        if (op->code == OP_simd) {
            pass_note(o, f, op, "the same on all threads, where that pays");
            ir_value *lo = op->reg[0]->first->in[0];
            to_parallel(f, op, lo, two(f, op, OP_add, lo, op->in[0]), SIMD_UNIT);
            continue;
        }
        bool inner = op->nreg && has_loop(op->reg[0]),
             asked = op->code == OP_for && (outermost || inner);
        bool free = asked && independent(op, &facts);
        if (asked)
            tell(o, f, op, &facts);
        if (free)
            to_parallel(f, op, op->in[0], op->in[1], inner ? 1 : MAP_UNIT);
        for (int i = 0; !free && i < op->nreg; i++)
            parallel_loops(f, op->reg[i], o, outermost && !loop);
    }
}

static const ir_op *first_store(const ir_region *r) {
    const ir_op *found = NULL;
    for (const ir_op *op = r->first; op && !found; op = op->next) {
        found = op->code == OP_store ? op : NULL;
        for (int i = 0; !found && i < op->nreg; i++)
            found = first_store(op->reg[i]);
    }
    return found;
}

/* Work-items that turn a tensor over. Then the launcher makes one block of them. */
static void work_items(ir_func *f, const pass_options *o) {
    ir_op *lanes = pass_work_items(f);
    const ir_op *store = lanes ? first_store(lanes->reg[0]) : NULL;
    if (!store)
        return;
    ir_op mark = *store;
    if (spread_transpose(f, lanes, o->width_bytes)) {
        f->whole = 1;
        pass_note(o, f, &mark, "work-items: turned over in squares, on all threads");
    }
}

status pass_spread(ir_func *f, diag *d, const pass_options *o) {
    (void)d;
    if (f->prints || o->alias || ir_has_op(f->body, OP_trap) || ir_has_op(f->body, OP_touch))
        return OK;
    if (f->simt) {
        work_items(f, o);
    } else if (ir_has_op(f->body, OP_for)) {
        simd_loops(f, f->body, o);
        parallel_loops(f, f->body, o, true);
    }
    return OK;
}
