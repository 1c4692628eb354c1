/* Where a condition of a lanes region compares an affine id with what is the same for the row, the
   work-items for which it holds are a stretch of the row. The row is then cut there, and each part
   knows what the condition is: no masks, and nothing at all for a part that would do nothing. So it
   is for several comparisons, all to hold or all not to (conditions of an interior, guards that
   return early), and for several ifs: then the stretch is the one where all is known. */
#include "ana/guard.h"
#include "ana/low.h"
#include "pass/lanes.h"

enum {
    SMALL = 60,  /* ops of a region that is worth three copies where blocks are small */
    LARGE = 120, /* and where they are not */
    PARTS = 8,   /* of a condition */
};

int lanes_known(const lanes *s, const ir_op *test) {
    const lane_cut *c = s->cut;
    for (int i = 0; c && i < c->n; i++)
        if (c->test[i] == test && (s->inside || c->exact))
            return c->holds[i] == s->inside;
    return -1;
}

static ir_value *binary(lanes *s, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return lanes_emit(s, code, ir_val(DT_i64, 1), 2, in);
}

static bool within_body(const ir_value *v, const ir_region *body) {
    const ir_region *r = v->def ? v->def->parent : v->region;
    while (r && r != body)
        r = r->owner ? r->owner->parent : NULL;
    return r;
}

/* v for the work-item at position 0 of the row, and how it grows along the row; NULL: not known. */
static ir_value *at_zero(lanes *s, const ir_region *body, ir_value *v, int64_t *stride) {
    const ir_op *op = v->def;
    *stride = 0;
    if (v->type.kind != TY_val || v->type.dt != DT_i64)
        return NULL;
    if (!within_body(v, body))
        return v;
    if (!op)
        return NULL;
    if (op->code == OP_gid || op->code == OP_lid) {
        int dim = (int)op->attr[0].i;
        *stride = dim == 0;
        ir_value *at = dim ? s->at[dim] : lanes_i64(s, 0);
        return op->code == OP_gid ? binary(s, OP_add, s->lo[dim], at) : at;
    }
    if (op->code == OP_iconst)
        return lanes_i64(s, op->attr[0].i);
    bool stays = op->code == OP_get && op->parent == body && !s->u.varying[v->id];
    if (op->code == OP_dim || stays) {
        ir_value *n = lanes_emit(s, op->code, v->type, 1, op->in);
        n->def->attr[0] = op->attr[0];
        return n;
    }
    if (op->code != OP_add && op->code != OP_sub && op->code != OP_mul && op->code != OP_floordiv)
        return NULL;
    int64_t strides[2];
    ir_value *a = at_zero(s, body, op->in[0], &strides[0]),
             *b = a ? at_zero(s, body, op->in[1], &strides[1]) : NULL;
    bool product = op->code == OP_mul || op->code == OP_floordiv;
    if (!b || (product && (strides[0] || strides[1])))
        return NULL;
    *stride = op->code == OP_sub ? strides[0] - strides[1] : strides[0] + strides[1];
    return binary(s, op->code, a, b);
}

static ir_value *choose(lanes *s, ir_value *c, ir_value *a, ir_value *b) {
    ir_value *in[3] = {c, a, b};
    return lanes_emit(s, OP_select, ir_val(DT_i64, 1), 3, in);
}

static ir_value *compare(lanes *s, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return lanes_emit(s, code, ir_val(DT_bool, 1), 2, in);
}

/* b < a for a > b, and so on */
static int mirrored(int code) {
    return code == OP_lt   ? OP_gt
           : code == OP_gt ? OP_lt
           : code == OP_le ? OP_ge
           : code == OP_ge ? OP_le
                           : code;
}

static ir_value *within(lanes *s, ir_value *v, ir_value *n) {
    return binary(s, OP_max, binary(s, OP_min, v, n), lanes_i64(s, 0));
}

/* Writes, but for those of the stretch alone: in arms that all tests lead to. */
static bool writes(const ir_region *r, const lane_cut *cut, int inside) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if ((ir_ops[op->code].effect == EFF_WRITE || op->code == OP_leave) && inside < cut->n)
            return true;
        int arm = -1;
        for (int k = 0; k < cut->n; k++)
            if (cut->test[k] == op)
                arm = !cut->holds[k];
        for (int i = 0; i < op->nreg; i++)
            if (writes(op->reg[i], cut, inside + (i == arm)))
                return true;
    }
    return false;
}

static bool idle(const ir_region *r) {
    lane_cut none = {.n = 1};
    return !writes(r, &none, 0);
}

/* A comparison, as ana_compares has it, and equalities. */
static bool compares(ana_guard g, int *code, ir_value **a, ir_value **b) {
    if (ana_compares(g, code, a, b))
        return true;
    const ir_op *op = g.cond->def;
    if (!op || (op->code != OP_eq && op->code != OP_ne) || op->in[0]->type.dt != DT_i64)
        return false;
    *code = (op->code == OP_eq) == g.holds ? OP_eq : OP_ne;
    *a = op->in[0];
    *b = op->in[1];
    return true;
}

/* Of a row of n without position `edge`, the longer part. */
static void longer_part(lanes *s, ir_value *edge, ir_value *next, ir_value *n, lane_cut *cut) {
    ir_value *zero = lanes_i64(s, 0), *left = within(s, edge, n), *from = within(s, next, n);
    ir_value *right = compare(s, OP_lt, left, binary(s, OP_sub, n, from));
    cut->from = choose(s, right, from, zero);
    cut->to = choose(s, right, n, left);
    cut->exact = false;
}

/* The first and the last position + 1 for which the comparison holds. */
static bool bounds(lanes *s, const ir_region *body, ana_guard g, ir_value *n, lane_cut *cut) {
    int64_t strides[2], least;
    int code;
    ir_value *in[2];
    if (!compares(g, &code, &in[0], &in[1]))
        return false;
    ir_value *a = at_zero(s, body, in[0], &strides[0]),
             *b = a ? at_zero(s, body, in[1], &strides[1]) : NULL, *zero = lanes_i64(s, 0);
    if (b && !strides[0] && !strides[1]) { /* all of the row or nothing */
        cut->from = zero;
        cut->to = choose(s, compare(s, code, a, b), n, zero);
        return true;
    }
    if (!b || strides[0] + strides[1] != 1 || (strides[0] && strides[1]))
        return false;
    int at = !strides[0]; /* the side of the id */
    code = at ? mirrored(code) : code;
    least = ana_low(in[at], NULL);
    ir_value *edge = binary(s, OP_subsat, at ? a : b, at ? b : a);
    ir_value *next = binary(s, OP_subsat, edge, lanes_i64(s, -1));
    const ir_op *limit = in[!at]->def;
    if (code == OP_ne && limit && limit->code == OP_iconst && limit->attr[0].i <= least)
        code = OP_gt;
    if (code == OP_ne) {
        longer_part(s, edge, next, n, cut);
        return true;
    }
    cut->from = code == OP_lt || code == OP_le ? zero : within(s, code == OP_gt ? next : edge, n);
    cut->to = code == OP_gt || code == OP_ge ? n : within(s, code == OP_lt ? edge : next, n);
    return true;
}

static bool is_zero(const ir_value *v) {
    return v->def && v->def->code == OP_iconst && !v->def->attr[0].i;
}

static void intersect(lanes *s, lane_cut *cut, const lane_cut *with, ir_value *n) {
    if (!cut->from || is_zero(cut->from))
        cut->from = with->from;
    else if (!is_zero(with->from))
        cut->from = binary(s, OP_max, cut->from, with->from);
    if (!cut->to || cut->to == n)
        cut->to = with->to;
    else if (with->to != n)
        cut->to = binary(s, OP_min, cut->to, with->to);
}

/* The stretch for which all parts of the test's condition are so. */
static bool stretch_of(lanes *s, const ir_region *body, const ir_op *test, bool holds, ir_value *n,
                       lane_cut *cut) {
    ana_guard parts[PARTS];
    int count = ana_conjuncts((ana_guard){test->in[0], holds}, parts, PARTS);
    for (int i = 0; i < count; i++) {
        lane_cut one = {.exact = true};
        if (!bounds(s, body, parts[i], n, &one))
            return false;
        intersect(s, cut, &one, n);
        cut->exact = (!i || cut->exact) && one.exact;
    }
    return true;
}

static bool add(lanes *s, const ir_region *body, const ir_op *test, ir_value *n, lane_cut *cut) {
    lane_cut one = {0};
    bool rare = cut->several && test->in[0]->def && test->in[0]->def->code == OP_eq;
    bool holds = !rare && (idle(test->reg[1]) || !idle(test->reg[0]));
    if (!stretch_of(s, body, test, holds, n, &one)) {
        holds = !holds;
        one = (lane_cut){0};
        if (!stretch_of(s, body, test, holds, n, &one))
            return false;
    }
    cut->exact = !cut->n && one.exact;
    intersect(s, cut, &one, n);
    cut->test[cut->n] = test;
    cut->holds[cut->n++] = holds;
    return true;
}

static void collect(lanes *s, const ir_region *body, const ir_region *r, ir_value *n,
                    lane_cut *cut) {
    int most = s->barriers ? 1 : LANE_TESTS;
    for (const ir_op *op = r->first; op && cut->n < most; op = op->next) {
        int arm = -1;
        if (op->code == OP_if && s->u.varying[op->in[0]->id] && !ana_may_leave(op, &s->u) &&
            add(s, body, op, n, cut))
            arm = cut->holds[cut->n - 1] ? 0 : 1;
        for (int i = 0; i < op->nreg && !s->barriers; i++)
            if ((op->code == OP_if || op->code == OP_scope) && (arm < 0 || i == arm))
                collect(s, body, op->reg[i], n, cut);
    }
}

bool lanes_find_cut(lanes *s, const ir_region *body, ir_value *n, lane_cut *cut) {
    *cut = (lane_cut){0};
    collect(s, body, body, n, cut);
    if (cut->n > 1) {
        *cut = (lane_cut){.several = true};
        collect(s, body, body, n, cut);
    }
    if (!cut->n)
        return false;
    cut->otherwise = !cut->exact || writes(body, cut, 0);
    if (cut->otherwise && ir_count(body) >= (s->barriers ? SMALL : LARGE))
        return false;
    bool whole = cut->from->def->code == OP_iconst, all = cut->to == n;
    ir_value *zero = lanes_i64(s, 0), *some = compare(s, OP_lt, cut->from, cut->to);
    if (!whole && !all) { /* nothing: then the rest is one part */
        cut->from = choose(s, some, cut->from, zero);
        cut->to = choose(s, some, cut->to, zero);
    }
    return true;
}
