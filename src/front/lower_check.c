/* Checks that a kernel asks for (check=True), or that a handler around can catch. They are ordinary
   code: a comparison, and a raise where it holds. */
#include "front/lower.h"
#include <string.h>

static const char *tensor_name(const ir_value *t) {
    return t->name ? t->name : t->type.space == SP_shared ? "shared memory" : "local memory";
}

static ir_value *two(lower *l, const ast *n, int code, ir_value *a, ir_value *b) {
    ir_value *in[2] = {a, b};
    return emit(l, n, code, code >= OP_lt && code <= OP_ne ? ir_val(DT_bool, 1) : ir_any(), 2, in);
}

/* In a try that can catch one of them, all such operations are checked (spec section 5). */
bool catches_checks(lower *l) {
    return may_catch(l, "IndexError") || may_catch(l, "ZeroDivisionError");
}

static void one_index(lower *l, const ast *n, ir_value *t, ir_value *i, uint32_t axis) {
    ir_value *in[1] = {t}, *dim = emit(l, n, OP_dim, ir_val(DT_i64, 1), 1, in);
    dim->def->attr[0].i = axis;
    ir_value *neg[1] = {dim}, *low = emit(l, n, OP_neg, ir_any(), 1, neg);
    ir_value *bad[2] = {two(l, n, OP_lt, i, low), two(l, n, OP_ge, i, dim)};
    fv index = fv_val(i), extent = fv_val(dim);
    throw_if(l, n, emit(l, n, OP_or, ir_val(DT_bool, 1), 2, bad), "IndexError",
             text_format(l, n, "index %v is out of bounds for axis %d of '%s' with size %v", &index,
                         (int)axis, tensor_name(t), &extent));
}

/* Tells the runtime of an access, which knows who else has been there since the last barrier. */
static void touch(lower *l, const ast *n, ir_value *t, ir_value *const *index, uint32_t rank,
                  int mode) {
    front_static c = {0};
    l->env->exception(l->env->self, "RaceError", &c);
    fv parts = {.kind = FV_tuple, .n = rank, .elts = ARENA_ARRAY(l->mem, fv, rank + 1)};
    for (uint32_t i = 0; i < rank; i++)
        parts.elts[i] = fv_val(index[i]);
    fv text =
        text_format(l, n, "'%s' at index %v is %s", tensor_name(t),
                    rank == 1 ? &parts.elts[0] : &parts, mode & TOUCH_write ? "written" : "read");
    if (l->round)
        mode |= TOUCH_item;
    ir_op *op =
        ir_op_new(l->f, OP_touch, ir_site(l->f, n->at), 1 + rank + (l->round != NULL), 0, 0);
    if (l->round)
        op->in[1 + rank] = l->round;
    op->in[0] = t;
    for (uint32_t i = 0; i < rank; i++)
        op->in[1 + i] = index[i];
    op->attr[0].i = raise_new(l, n, &c, text.pieces, text.npieces);
    op->attr[1].i = mode;
    ir_append(l->r, op);
}

void check_index(lower *l, const ast *n, ir_value *t, ir_value *const *index, uint32_t rank,
                 bool write) {
    bool all = (l->check & FRONT_CHECK) != 0;
    if (all || catches_checks(l))
        for (uint32_t i = 0; i < rank && l->st == OK; i++)
            one_index(l, n, t, index[i], i);
    bool memory = t->type.space != SP_global && (l->check & FRONT_CHECK_ALL);
    bool race = all && t->type.space != SP_local && !l->locked && !l->acquired;
    if (race || memory)
        touch(l, n, t, index, rank,
              (write ? TOUCH_write : 0) | (race ? TOUCH_race : 0) | (memory ? TOUCH_init : 0));
}

static fv zero_text(lower *l, const ast *n) { return text_format(l, n, "division by zero"); }

void check_binary(lower *l, const ast *n, int code, ir_value *a, ir_value *b) {
    bool divides = code == OP_div || code == OP_floordiv || code == OP_mod;
    bool caught = catches_checks(l), all = (l->check & FRONT_CHECK) != 0;
    if (divides && (all || caught)) {
        ir_value *in[2] = {b, a}, *zero = emit(l, n, OP_iszero, ir_val(DT_bool, 1), 2, in);
        zero->def->attr[0].i = caught; /* of floats too */
        throw_if(l, n, zero, "ZeroDivisionError", zero_text(l, n));
    }
    bool may = code == OP_add || code == OP_sub || code == OP_mul || code == OP_floordiv ||
               code == OP_pow || code == OP_shl || code == OP_neg || code == OP_abs;
    if (!may || !(all || may_catch(l, "OverflowError")) || l->st != OK)
        return;
    ir_value *in[2] = {a, b}, *bad = emit(l, n, OP_overflows, ir_val(DT_bool, 1), b ? 2 : 1, in);
    bad->def->attr[0].i = code;
    fv x = fv_val(a), y = b ? fv_val(b) : x;
    const char *sign = code == OP_add   ? "+"
                       : code == OP_sub ? "-"
                       : code == OP_mul ? "*"
                       : code == OP_shl ? "<<"
                       : code == OP_pow ? "**"
                                        : "//";
    throw_if(l, n, bad, "OverflowError",
             b ? text_format(l, n, "%v %s %v does not fit the type", &x, sign, &y)
               : text_format(l, n, "the negative of %v does not fit the type", &x));
}

/* A store of a wider signed integer: does the value fit? */
void check_narrow(lower *l, const ast *n, ir_value *t, ir_value *v) {
    bool signed_int = dtype_table[t->type.dt].cls == 'I';
    if (!signed_int || !(l->check & FRONT_CHECK))
        return;
    ir_value *in[1] = {v}, *bad = emit(l, n, OP_overflows, ir_val(DT_bool, 1), 1, in);
    bad->def->attr[0].i = OP_store;
    bad->def->attr[1].i = t->type.dt;
    fv x = fv_val(v);
    throw_if(l, n, bad, "OverflowError",
             text_format(l, n, "%v does not fit '%s', which is %s", &x, tensor_name(t),
                         dtype_names[t->type.dt]));
}
