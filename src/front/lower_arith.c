/* Operators: of numbers, vectors, arrays, objects, tuples and strings. */
#include "front/lower.h"
#include <string.h>

int binary_code(const char *op) {
    static const struct {
        const char *name;
        int code;
    } rows[] = {{"Add", OP_add},
                {"Sub", OP_sub},
                {"Mult", OP_mul},
                {"Div", OP_div},
                {"FloorDiv", OP_floordiv},
                {"Mod", OP_mod},
                {"Pow", OP_pow},
                {"BitAnd", OP_and},
                {"BitOr", OP_or},
                {"BitXor", OP_xor},
                {"LShift", OP_shl},
                {"RShift", OP_shr},
                {"Lt", OP_lt},
                {"LtE", OP_le},
                {"Gt", OP_gt},
                {"GtE", OP_ge},
                {"Eq", OP_eq},
                {"NotEq", OP_ne},
                {"MatMult", MATMUL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, op))
            return rows[i].code;
    return -1;
}

static bool fold_ints(int code, int64_t a, int64_t b, int64_t *r) {
    switch (code) {
    case OP_add: return !__builtin_add_overflow(a, b, r);
    case OP_sub: return !__builtin_sub_overflow(a, b, r);
    case OP_mul: return !__builtin_mul_overflow(a, b, r);
    case OP_floordiv:
    case OP_mod: {
        if (b == 0 || b == -1)
            return false;
        int64_t q = a / b, m = a % b;
        bool back = m && (m < 0) != (b < 0);
        *r = code == OP_mod ? m + (back ? b : 0) : q - back;
        return true;
    }
    case OP_and: return *r = a & b, true;
    case OP_or: return *r = a | b, true;
    case OP_xor: return *r = a ^ b, true;
    case OP_lt: return *r = a < b, true;
    case OP_le: return *r = a <= b, true;
    case OP_gt: return *r = a > b, true;
    case OP_ge: return *r = a >= b, true;
    case OP_eq: return *r = a == b, true;
    case OP_ne: return *r = a != b, true;
    default: return false;
    }
}

/* Of two integer constants: so that what depends on it is known when the kernel is compiled. */
static bool folded(lower *l, const ast *n, int code, const fv *x, fv *out) {
    int64_t a, b, r;
    if (!const_of(x[0], &a) || !const_of(x[1], &b))
        return false;
    int s = x[0].v->type.dt, t = x[1].v->type.dt;
    bool ints = (s == DT_wint || s == DT_i64) && (t == DT_wint || t == DT_i64);
    if (!ints || !fold_ints(code, a, b, &r))
        return false;
    bool compares = code >= OP_lt && code <= OP_ne;
    *out = fv_val(int_const(l, n, compares ? DT_bool : s == t ? (dtype)s : DT_i64, r));
    return true;
}

static fv binary(lower *l, const ast *n, int code, fv *x) {
    fv out;
    if (x[0].kind == FV_error || x[1].kind == FV_error || l->st != OK)
        return (fv){0};
    if (object_operator(l, n, code, x, &out) || folded(l, n, code, x, &out))
        return out;
    if (code == MATMUL)
        return array_matmul(l, n, x[0], x[1]);
    if (has_lanes(x, 2))
        return lower_lanes(l, n, binary, code, x, 2);
    if (has_array(x, 2))
        return array_map(l, n, binary, code, x, 2);
    bool both = n->kind == AST_BinOp; /* the operands have places of their own */
    ir_value *in[2] = {lower_as_val(l, x[0], both ? n->f[BinOp_left].node->at : n->at),
                       lower_as_val(l, x[1], both ? n->f[BinOp_right].node->at : n->at)};
    if (l->st != OK)
        return (fv){0};
    bool compares = code >= OP_lt && code <= OP_ne;
    check_binary(l, n, code, in[0], in[1]);
    return fv_val(emit(l, n, code, compares ? ir_val(DT_bool, 1) : ir_any(), 2, in));
}

fv lower_arith(lower *l, const ast *n, int code, fv *x) { return binary(l, n, code, x); }

static fv joined(lower *l, fv a, fv b) {
    fv t = {.kind = FV_tuple,
            .list = a.list,
            .n = a.n + b.n,
            .elts = ARENA_ARRAY(l->mem, fv, a.n + b.n + 1)};
    memcpy(t.elts, a.elts, a.n * sizeof(fv));
    memcpy(t.elts + a.n, b.elts, b.n * sizeof(fv));
    return t;
}

/* t * k of a tuple and a constant. */
static bool repeated(lower *l, const ast *n, fv a, fv b, fv *out) {
    fv t = a.kind == FV_tuple ? a : b, k = a.kind == FV_tuple ? b : a;
    int64_t times;
    if (t.kind != FV_tuple || t.vec || k.kind != FV_val)
        return false;
    if (!const_of(k, &times) &&
        !lower_const_int(l, n->f[a.kind == FV_tuple ? BinOp_right : BinOp_left].node, &times))
        return false;
    if (times * (int64_t)t.n > 4096) {
        fail(l, n, "use pyasc.local(n)", "a tuple of %lld elements",
             (long long)(times * (int64_t)t.n));
        return true;
    }
    *out = (fv){.kind = FV_tuple, .list = t.list};
    for (; times > 0; times--)
        *out = joined(l, *out, t);
    out->list = t.list;
    return true;
}

fv lower_binary(lower *l, const ast *n) {
    int code = binary_code(n->f[BinOp_op].s);
    fv both[2] = {lower_expr(l, n->f[BinOp_left].node)}, out = {0};
    both[1] = lower_expr(l, n->f[BinOp_right].node);
    if (l->st != OK)
        return (fv){0};
    if (code == OP_add && both[0].kind == FV_tuple && both[1].kind == FV_tuple && !both[0].vec &&
        !both[1].vec && both[0].st.kind != ST_class)
        return joined(l, both[0], both[1]);
    if (code == OP_mul && repeated(l, n, both[0], both[1], &out))
        return out;
    if (code == OP_add && (both[0].kind == FV_text || both[1].kind == FV_text)) {
        fv parts[2] = {text_of(l, n, both[0]), text_of(l, n, both[1])};
        return l->st == OK ? text_join(l, parts, 2) : (fv){0};
    }
    return binary(l, n, code, both);
}

static fv unary(lower *l, const ast *n, int code, fv *x) {
    fv method;
    const char *name = code == OP_neg ? "__neg__" : code == OP_inv ? "__invert__" : "__pos__";
    if (object_method(l, x[0], name, &method))
        return lower_apply(l, n, method, NULL, 0);
    if (code == OP_add)
        return x[0];
    if (has_lanes(x, 1))
        return lower_lanes(l, n, unary, code, x, 1);
    if (has_array(x, 1))
        return array_map(l, n, unary, code, x, 1);
    int64_t k;
    if (code == OP_neg && const_of(x[0], &k) && k != INT64_MIN && x[0].v->type.dt != DT_bool)
        return fv_val(int_const(l, n, (dtype)x[0].v->type.dt, -k));
    ir_value *in[1] = {lower_as_val(l, x[0], n->at)};
    if (l->st == OK && code == OP_neg)
        check_binary(l, n, code, in[0], NULL);
    return l->st == OK ? fv_val(emit(l, n, code, ir_any(), 1, in)) : (fv){0};
}

fv lower_unary(lower *l, const ast *n) {
    const char *op = n->f[UnaryOp_op].s;
    fv x = lower_expr(l, n->f[UnaryOp_operand].node);
    if (l->st != OK)
        return (fv){0};
    if (!strcmp(op, "Not")) {
        ir_value *in[1] = {lower_truth(l, n, x)};
        int64_t k;
        if (const_of(fv_val(in[0]), &k))
            return fv_val(int_const(l, n, DT_bool, !k));
        return fv_val(emit(l, n, OP_inv, ir_val(DT_bool, 1), 1, in));
    }
    return unary(l, n, !strcmp(op, "USub") ? OP_neg : !strcmp(op, "UAdd") ? OP_add : OP_inv, &x);
}
