/* Finds the taps of a convolution: an iterator of the sums and one of the columns on which the
   factor of columns depends by one sum alone, as in x[p + r]. */
#include "pass/contract_nest.h"

enum { UNKNOWN, YES, NO };

typedef struct {
    const nest *n;
    char *known; /* by value id */
    int col, tap;
    ir_value *step, *gap;
    bool found;
} pairing;

/* v is a multiple of iterator it, plus what does not depend on it; by: the multiple, NULL for 1. */
static bool grows(const nest *n, const ir_value *v, int it, ir_value **by) {
    const ir_op *op = v->def;
    *by = NULL;
    if (nest_iterator(n->c, v) == it)
        return true;
    for (int i = 0; op && op->code == OP_mul && i < 2; i++)
        if (nest_iterator(n->c, op->in[i]) == it && !nest_bits(n, op->in[1 - i])) {
            *by = op->in[1 - i];
            return true;
        }
    if (!op || (op->code != OP_add && op->code != OP_sub))
        return false;
    int a = nest_bits(n, op->in[0]) >> it & 1, b = nest_bits(n, op->in[1]) >> it & 1;
    return a != b && (a || op->code == OP_add) && grows(n, op->in[!a], it, by);
}

static bool same(const ir_value *x, const ir_value *y) {
    return x == y || (x && y && ana_same(x, y));
}

static bool is_sum(pairing *s, const ir_value *v) {
    ir_value *step, *gap;
    if (!grows(s->n, v, s->col, &step) || !grows(s->n, v, s->tap, &gap) ||
        (s->found && !(same(step, s->step) && same(gap, s->gap))))
        return false;
    s->found = true;
    s->step = step;
    s->gap = gap;
    return true;
}

static bool depends(pairing *s, const ir_value *v);

static bool regions(pairing *s, const ir_op *op) {
    for (int i = 0; i < op->nreg; i++)
        for (const ir_op *x = op->reg[i]->first; x; x = x->next) {
            for (int k = 0; k < x->nin; k++)
                if (!depends(s, x->in[k]))
                    return false;
            if (!regions(s, x))
                return false;
        }
    return true;
}

/* v depends on the two by their sum alone, or on neither. */
static bool depends(pairing *s, const ir_value *v) {
    if (!(nest_bits(s->n, v) & (1 << s->col | 1 << s->tap)))
        return true;
    char *known = &s->known[v->id];
    if (*known != UNKNOWN)
        return *known == YES;
    bool is = is_sum(s, v);
    const ir_op *op = v->def;
    if (!is && op && nest_iterator(s->n->c, v) < 0) {
        is = true;
        for (int i = 0; is && i < op->nin; i++)
            is = depends(s, op->in[i]);
        is = is && regions(s, op);
    }
    *known = is ? YES : NO;
    return is;
}

static bool goes_with(nest *n, ir_func *f, int col, int tap, contract_axis *to) {
    const contraction *c = n->c;
    pairing s = {n, ARENA_ARRAY(f->mem, char, f->nvalues), col, tap, NULL, NULL, false};
    bool is = depends(&s, c->factor[G_cols]);
    for (int i = 0; is && i < c->nguard[G_cols]; i++)
        is = depends(&s, c->guard[G_cols][i].is.cond);
    if (is && s.found)
        *to = (contract_axis){tap, s.step, s.gap};
    return is && s.found;
}

void nest_taps(nest *n, ir_func *f) {
    contraction *c = n->c;
    for (int a = 0; a < 2; a++) {
        c->axis[a].tap = -1;
        int col = c->size[G_cols] - 1 - a;
        for (int i = 0; col >= 0 && i < c->size[G_sums]; i++)
            if (c->group[G_sums][i] != c->axis[0].tap &&
                goes_with(n, f, c->group[G_cols][col], c->group[G_sums][i], &c->axis[a]))
                break;
    }
}
