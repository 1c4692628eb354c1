/* Type inference: constraints over the whole kernel, solved by iteration on the numeric lattice of
   dtype_join, then made explicit as casts. Before: values and cells of type any. After: no any, no
   weak types, every operand has the type its op computes in. A cell set from literals only is i64,
   or the join of the floats it meets (f32 where it meets none). */
#include "base/vec.h"
#include "pass/pass.h"

typedef struct {
    ir_func *f;
    diag *d;
    bool changed, settle, insert;
    status st;
} infer;

enum { UNKNOWN = -1 };

static int dt_of(const ir_value *v) {
    if (v->type.kind == TY_any)
        return UNKNOWN;
    return v->type.any ? UNKNOWN : v->type.dt; /* a cell or a temporary */
}

static int lub(int a, int b) {
    if (a == UNKNOWN || a == b)
        return b;
    return b == UNKNOWN ? a : (int)dtype_join((dtype)a, (dtype)b);
}

static bool is_cmp(int code) { return code >= OP_lt && code <= OP_ne; }
static bool is_unary_float(int code) { return code >= OP_exp && code <= OP_sigmoid; }

static int compute(int a) { return a == UNKNOWN ? UNKNOWN : (int)dtype_compute((dtype)a); }

static int to_float(int t) {
    if (t == UNKNOWN || dtype_is_float((dtype)t))
        return compute(t);
    return t == DT_wint ? DT_wflt : DT_f32;
}

/* The type in which op's operands are wanted (and, but for comparisons, its result), or UNKNOWN. */
static int operand_type(const ir_op *op) {
    int a = op->nin > 0 ? dt_of(op->in[0]) : UNKNOWN, b = op->nin > 1 ? dt_of(op->in[1]) : UNKNOWN;
    int code = op->code;
    if (code == OP_div || code == OP_atan2)
        return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : to_float(dtype_join((dtype)a, (dtype)b));
    if (code == OP_and || code == OP_or || code == OP_xor || is_cmp(code) || code == OP_max ||
        code == OP_min)
        if (a == b && a == DT_bool)
            return DT_bool;
    if (code == OP_shl || code == OP_shr)
        return b == DT_wint                   ? compute(a)
               : a == UNKNOWN || b == UNKNOWN ? UNKNOWN
                                              : (int)dtype_join((dtype)a, (dtype)b);
    if (code == OP_overflows)
        return op->nin < 2                    ? compute(a)
               : a == UNKNOWN || b == UNKNOWN ? UNKNOWN
                                              : (int)dtype_join((dtype)a, (dtype)b);
    if ((code >= OP_add && code <= OP_pow) || code == OP_max || code == OP_min || code == OP_and ||
        code == OP_or || code == OP_xor || is_cmp(code))
        return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : (int)dtype_join((dtype)a, (dtype)b);
    if (code == OP_neg || code == OP_abs)
        return compute(a);
    if (code == OP_inv)
        return a == DT_bool ? DT_bool : compute(a);
    if (is_unary_float(code) || code == OP_isnan)
        return to_float(a);
    if (code >= OP_floor && code <= OP_round)
        return a == UNKNOWN || !dtype_is_float((dtype)a) ? a : compute(a);
    if (code == OP_select)
        return op->nin < 3 ? UNKNOWN : lub(b, dt_of(op->in[2]));
    return UNKNOWN;
}

static void give(infer *s, ir_value *v, int dt) {
    if (dt == UNKNOWN || dt_of(v) == dt)
        return;
    if (v->type.kind == TY_any)
        v->type = ir_val((dtype)dt, 1);
    v->type.dt = (uint8_t)dt;
    v->type.any = 0;
    s->changed = true;
}

/* What a cell takes of a value. A literal makes a variable int64; what has no name (a result, a
   choice) stays weak until it meets data. */
static int stored(const ir_value *to, int dt) { return dt == DT_wint && to->name ? DT_i64 : dt; }

static void propagate(infer *s, ir_op *op) {
    switch (op->code) {
    case OP_set:
        give(s, op->in[0], lub(dt_of(op->in[0]), stored(op->in[0], dt_of(op->in[1]))));
        return;
    case OP_store:
        if (op->in[0]->def && op->in[0]->def->code == OP_tmp)
            give(s, op->in[0], lub(dt_of(op->in[0]), stored(op->in[0], dt_of(op->in[1]))));
        return;
    case OP_load: give(s, op->out[0], dt_of(op->in[0])); return;
    case OP_get: give(s, op->out[0], dt_of(op->in[0])); return;
    default:
        if (op->nout == 1 && !is_cmp(op->code) && op->code != OP_isnan && op->code != OP_cast &&
            op->code != OP_iszero && op->code != OP_overflows && op->code != OP_isset)
            give(s, op->out[0], operand_type(op));
    }
}

typedef void (*visit)(infer *s, ir_op *op);
static void walk(infer *s, ir_region *r, visit fn) {
    for (ir_op *op = r->first, *next; op; op = next) {
        next = op->next;
        fn(s, op);
        for (int i = 0; i < op->nreg; i++)
            walk(s, op->reg[i], fn);
    }
}

static ir_value *cell_behind(const ir_value *v) {
    return v->def && v->def->code == OP_get ? v->def->in[0] : NULL;
}

/* A cell of weak floats takes the type of a strong float that it meets in an operation or a store.
 */
static void meet(infer *s, ir_op *op) {
    int want = op->code == OP_store ? dt_of(op->in[0]) : operand_type(op);
    if (want == UNKNOWN || !dtype_is_float((dtype)want) || dtype_is_weak((dtype)want))
        return;
    for (int i = 0; i < op->nin; i++) {
        ir_value *c = cell_behind(op->in[i]);
        if (c && dt_of(c) == DT_wflt)
            give(s, c, dtype_compute((dtype)want));
    }
}

static void settle_weak(infer *s, ir_op *op) {
    bool holds = op->code == OP_cell || op->code == OP_tmp;
    if (holds && dt_of(op->out[0]) == DT_wflt)
        give(s, op->out[0], DT_f32);
}
static void settle_int(infer *s, ir_op *op) {
    bool holds = op->code == OP_cell || op->code == OP_tmp;
    if (holds && (dt_of(op->out[0]) == UNKNOWN || dt_of(op->out[0]) == DT_wint))
        give(s, op->out[0], DT_i64);
}

static void solve(infer *s) {
    static const visit steps[] = {settle_int, meet, settle_weak};
    for (size_t k = 0; k < 3;) {
        do {
            s->changed = false;
            walk(s, s->f->body, propagate);
        } while (s->changed);
        walk(s, s->f->body, steps[k]);
        k = s->changed ? 0 : k + 1;
    }
}

static const char *type_name(const ir_value *v) {
    return dt_of(v) == UNKNOWN ? "a number" : dtype_names[dt_of(v)];
}

static void check_ints(infer *s, const ir_op *op) {
    static const struct {
        int code;
        const char *sign, *advice;
    } rows[] = {{OP_and, "&", "convert with int(x), or write `and` for truth"},
                {OP_or, "|", "convert with int(x), or write `or` for truth"},
                {OP_xor, "^", "convert with int(x), or write != for truth"},
                {OP_shl, "<<", "convert with int(x), or multiply by 2.0**n"},
                {OP_shr, ">>", "convert with int(x), or divide by 2.0**n"},
                {OP_inv, "~", "convert with int(x), or write `not` for truth"}};
    int t = operand_type(op);
    if (s->st != OK || t == UNKNOWN || !dtype_is_float((dtype)t))
        return;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].code == op->code)
            s->st = diag_error(s->d, ir_loc(s->f, op), rows[k].advice,
                               "%s needs integers, not %s%s%s", rows[k].sign, type_name(op->in[0]),
                               op->nin > 1 ? " and " : "", op->nin > 1 ? type_name(op->in[1]) : "");
}

/* At the place of the value, where it has one. */
static void check_whole(infer *s, const ir_op *op, const ir_value *v, const char *what) {
    int t = dt_of(v);
    if (s->st != OK || t == UNKNOWN || !dtype_is_float((dtype)t))
        return;
    loc at = v->def ? ir_loc(s->f, v->def) : (loc){0};
    s->st = diag_error(s->d, at.line ? at : ir_loc(s->f, op), "write int(x), or // in place of /",
                       "%s is an integer, and this is %s%s", what, type_name(v),
                       v->def ? "" : " (a parameter)");
}

/* The sizes of a parallel_for are casts to i64, and the count is their product. */
static void check_count(infer *s, const ir_op *op, const ir_value *v) {
    if (v->def && v->def->code == OP_mul)
        for (int i = 0; i < 2; i++)
            check_count(s, op, v->def->in[i]);
    else if (v->def && v->def->code == OP_cast)
        check_whole(s, op, v->def->in[0], "the size");
}

static dtype strong(dtype t) { return t == DT_wint ? DT_i64 : t == DT_wflt ? DT_f64 : t; }

static void want(infer *s, ir_op *op, int i, int dt) {
    ir_value *v = op->in[i];
    if (dt == UNKNOWN || v->type.kind != TY_val || strong((dtype)v->type.dt) == strong((dtype)dt))
        return;
    ir_op *c = ir_op_new(s->f, OP_cast, op->site, 1, 1, 0);
    c->in[0] = v;
    c->out[0]->type = ir_val(strong((dtype)dt), 1);
    c->out[0]->name = v->name;
    ir_before(op, c);
    op->in[i] = c->out[0];
}

static void check(infer *s, ir_op *op) {
    check_ints(s, op);
    if (ir_subscripts(op))
        for (int i = ir_subscripts(op); i < op->nin; i++)
            check_whole(s, op, op->in[i], "a subscript");
    if (op->code == OP_for)
        for (int i = 0; i < 3; i++)
            check_whole(s, op, op->in[i], "a bound of range()");
    if (op->code == OP_parallel || op->code == OP_pipeline)
        check_count(s, op, op->in[0]);
}

static ir_value *after(infer *s, ir_op *op, int code, ir_value *a, ir_value *b) {
    ir_op *n = ir_op_new(s->f, code, op->site, b ? 2 : 1, 1, 0);
    n->in[0] = a;
    if (b)
        n->in[1] = b;
    n->out[0]->type = ir_val(DT_bool, 1);
    if (op->next)
        ir_before(op->next, n);
    else
        ir_append(op->parent, n);
    return n->out[0];
}

/* A signed operand (a literal only when it is negative) against u64: which one, or -1. */
static int signed_with_u64(const ir_op *op) {
    if (!is_cmp(op->code))
        return -1;
    for (int i = 0; i < 2; i++) {
        int t = dt_of(op->in[i]), other = dt_of(op->in[1 - i]);
        const ir_op *def = op->in[i]->def;
        bool positive = t == DT_wint && def && def->code == OP_iconst && def->attr[0].i >= 0;
        if (other == DT_u64 && t != UNKNOWN && dtype_table[t].cls == 'I' && !positive)
            return i;
    }
    return -1;
}

/* Compared as u64 what is not negative; a negative value is less than every u64. */
static void compare_signs(infer *s, ir_op *op, int i) {
    ir_value *v = op->in[i];
    ir_op *wide = ir_op_new(s->f, OP_cast, op->site, 1, 1, 0);
    wide->in[0] = v;
    wide->out[0]->type = ir_val(DT_i64, 1);
    ir_op *zero = ir_op_new(s->f, OP_iconst, op->site, 0, 1, 0);
    zero->out[0]->type = ir_val(DT_i64, 1);
    ir_before(op, wide);
    ir_before(op, zero);
    bool less =
        i == 0 ? op->code == OP_lt || op->code == OP_le : op->code == OP_gt || op->code == OP_ge;
    ir_value *result = op->out[0], *raw = ir_value_new(s->f, result->type, NULL);
    op->out[0] = raw;
    raw->def = op;
    op->in[i] = wide->out[0];
    /* each is put right behind op: the last first */
    ir_value *all = after(s, op, less || op->code == OP_ne ? OP_or : OP_and, raw, raw);
    ir_value *sign =
        after(s, op, less || op->code == OP_ne ? OP_lt : OP_ge, wide->out[0], zero->out[0]);
    all->def->in[1] = sign;
    ir_forward(result, all);
}

static void insert_casts(infer *s, ir_op *op) {
    ir_follow(op);
    int mixed = signed_with_u64(op);
    if (mixed >= 0)
        compare_signs(s, op, mixed);

    int from = -1, t = operand_type(op);
    switch (op->code) {
    case OP_load: from = ir_subscripts(op); break;
    case OP_store:
        from = ir_subscripts(op);
        want(s, op, 1, op->in[0]->type.dt);
        break;
    case OP_atomic:
        from = ir_subscripts(op);
        for (int i = 1; i < from; i++)
            want(s, op, i, op->in[0]->type.dt);
        break;
    case OP_touch: from = 1; break;
    case OP_tmp: from = 0; break;
    case OP_unset:
    case OP_raise:
    case OP_iszero: return;
    case OP_set: want(s, op, 1, op->in[0]->type.dt); return;
    case OP_if: want(s, op, 0, DT_bool); return;
    case OP_parallel:
    case OP_pipeline: want(s, op, 0, DT_i64); return;
    case OP_lock:
    case OP_unlock:
    case OP_hint: return;
    case OP_for:
        for (int i = 0; i < 3; i++)
            want(s, op, i, DT_i64);
        return;
    case OP_select:
        want(s, op, 1, t);
        want(s, op, 2, t);
        return;
    case OP_cast:
    case OP_npu:
    case OP_print: return;
    default:
        for (int i = 0; t != UNKNOWN && i < op->nin; i++)
            want(s, op, i, t);
        return;
    }
    for (int i = from; i < op->nin; i++)
        want(s, op, i, DT_i64);
}

/* From here on a weak value is an i64 or f64 like any other. */
static void harden(infer *s, ir_op *op) {
    (void)s;
    for (int i = 0; i < op->nout; i++)
        if (op->out[i]->type.kind == TY_val || op->out[i]->type.kind == TY_cell)
            op->out[i]->type.dt = (uint8_t)strong((dtype)op->out[i]->type.dt);
}

static void need_type(infer *s, ir_op *op) {
    if (s->st == OK && op->nout == 1 && op->out[0]->type.kind == TY_any)
        s->st = diag_error(s->d, ir_loc(s->f, op), "assign it before on every path",
                           "the type of this value cannot be inferred");
}

status pass_infer(ir_func *f, diag *d, const pass_options *o) {
    (void)o;
    infer s = {.f = f, .d = d};
    solve(&s);
    walk(&s, f->body, check);
    walk(&s, f->body, need_type);
    TRY(s.st);
    walk(&s, f->body, insert_casts);
    ir_clear_aux(f->body);
    walk(&s, f->body, harden);
    for (uint32_t i = 0; i < f->body->nargs; i++)
        if (f->body->args[i]->type.kind == TY_val)
            f->body->args[i]->type.dt = (uint8_t)strong((dtype)f->body->args[i]->type.dt);
    return s.st;
}
