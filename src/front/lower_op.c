/* Functions that kernels know: intrinsics by the rows below, memory, atomics, built-ins, casts. */
#include "front/lower.h"
#include <string.h>

typedef struct {
    const char *name;
    int code, nargs;
} intrinsic;
/* name -> op, where the op says all */
static const intrinsic simple[] = {
    {"exp", OP_exp, 1},     {"exp2", OP_exp2, 1},       {"expm1", OP_expm1, 1},
    {"log", OP_log, 1},     {"log2", OP_log2, 1},       {"log10", OP_log10, 1},
    {"log1p", OP_log1p, 1}, {"sqrt", OP_sqrt, 1},       {"rsqrt", OP_rsqrt, 1},
    {"sin", OP_sin, 1},     {"cos", OP_cos, 1},         {"tan", OP_tan, 1},
    {"asin", OP_asin, 1},   {"acos", OP_acos, 1},       {"atan", OP_atan, 1},
    {"sinh", OP_sinh, 1},   {"cosh", OP_cosh, 1},       {"tanh", OP_tanh, 1},
    {"erf", OP_erf, 1},     {"sigmoid", OP_sigmoid, 1}, {"floor", OP_floor, 1},
    {"ceil", OP_ceil, 1},   {"trunc", OP_trunc, 1},     {"abs", OP_abs, 1},
    {"fabs", OP_abs, 1},    {"isnan", OP_isnan, 1},     {"atan2", OP_atan2, 2},
    {"pow", OP_pow, 2},     {"maximum", OP_max, 2},     {"minimum", OP_min, 2},
    {"asinh", OP_asinh, 1}, {"acosh", OP_acosh, 1},     {"atanh", OP_atanh, 1},
    {"div", OP_div, 2},     {"neg", OP_neg, 1},         {"add", OP_add, 2},
    {"sub", OP_sub, 2},     {"mul", OP_mul, 2},         {"rint", OP_round, 1},
};
static const intrinsic ids[] = {
    {"get_global_id", OP_gid, 0},    {"get_local_id", OP_lid, 0},
    {"get_group_id", OP_bid, 0},     {"get_global_size", OP_gsize, 0},
    {"get_local_size", OP_lsize, 0}, {"get_num_groups", OP_nblocks, 0},
    {"get_col", OP_gid, 0},          {"get_row", OP_gid, 1},
};

static const intrinsic *find(const intrinsic *rows, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static fv index_function(lower *l, const ast *n, const intrinsic *row, fv *args, uint32_t nargs) {
    ir_value *v = emit(l, n, row->code, ir_val(DT_i64, 1), 0, NULL);
    v->def->attr[0].i = row->nargs;
    if (nargs) {
        ir_op *c = args[0].kind == FV_val ? args[0].v->def : NULL;
        if (nargs > 1 || !c || c->code != OP_iconst || c->attr[0].i < 0 || c->attr[0].i > 2)
            fail(l, n, "write 0, 1 or 2",
                 "the dimension of %s() is 0, 1 or 2, known when the kernel is compiled",
                 row->name);
        else
            v->def->attr[0].i = c->attr[0].i;
    }
    l->f->simt = 1;
    return fv_val(v);
}

/* shared(shape, dtype=float32), local(...) */
fv lower_memory(lower *l, const ast *n, const char *name) {
    const ast_field *args = &n->f[Call_args], *kw = &n->f[Call_keywords];
    if (args->n < 1) {
        fail(l, n,
             arena_printf(l->mem, "write %s(64) or %s((8, 8), dtype=pyasc.int32)", name, name),
             "%s() needs a shape", name);
        return (fv){0};
    }
    const ast *shape = args->list[0];
    uint32_t rank = shape->kind == AST_Tuple ? shape->f[Tuple_elts].n : 1;
    int64_t *dims = ARENA_ARRAY(l->mem, int64_t, rank + 1);
    int64_t total = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const ast *e = shape->kind == AST_Tuple ? shape->f[Tuple_elts].list[i] : shape;
        bool known = lower_const_int(l, e, &dims[i]);
        if (!known || dims[i] < 0 || __builtin_mul_overflow(total, dims[i], &total) ||
            total > (1 << 28)) {
            fail(l, e, "write literals, ints of the module or constexpr parameters",
                 known ? "the shape of %s() is negative or has more than 2**28 elements"
                       : "the shape of %s() must be known when the kernel is compiled",
                 name);
            return (fv){0};
        }
    }
    fv dt = {.kind = FV_static, .st = {.kind = ST_dtype, .dt = DT_f32}};
    if (args->n > 1)
        dt = lower_expr(l, args->list[1]);
    if (kw->n && kw->list[0]->f[keyword_arg].kind == AF_str &&
        !strcmp(kw->list[0]->f[keyword_arg].s, "dtype"))
        dt = lower_expr(l, kw->list[0]->f[keyword_value].node);
    if (dt.kind != FV_static || dt.st.kind != ST_dtype) {
        fail(l, n, "write pyasc.float32, pyasc.int32, ...", "the dtype of %s() is %s, not a dtype",
             name, say_what(l, dt));
        return (fv){0};
    }
    ir_value *v = emit(l, n, OP_alloc,
                       (ir_type){.kind = TY_tensor,
                                 .dt = dt.st.dt,
                                 .rank = (uint8_t)rank,
                                 .contig = 1,
                                 .lanes = 1,
                                 .space = !strcmp(name, "shared") ? SP_shared : SP_local},
                       0, NULL);
    v->def->attr[0].i = rank;
    v->def->attr[0].v = dims;
    if (!strcmp(name, "shared"))
        l->f->simt = 1;
    return fv_val(v);
}

/* atomic_add(t, i, v) or atomic_add(t, (i, j), v); atomic_cas(t, i, expected, v) */
static fv atomic(lower *l, const ast *n, const char *kind, fv *args, uint32_t nargs) {
    bool cas = !strcmp(kind, "cas");
    if (nargs != (cas ? 4u : 3u) || args[0].kind != FV_val || args[0].v->type.kind != TY_tensor) {
        const char *args_of = cas ? "tensor, index, expected, value" : "tensor, index, value";
        fail(l, n, arena_printf(l->mem, "write atomic_%s(%s)", kind, args_of),
             "atomic_%s() needs a tensor and %u more arguments", kind, cas ? 3 : 2);
        return (fv){0};
    }
    fv idx = args[1];
    uint32_t rank = idx.kind == FV_tuple ? idx.n : 1, k = 2;
    if (rank != args[0].v->type.rank) {
        fail(l, n, "give one subscript for each dimension: i, or (i, j)",
             "'%s' has %u dimension%s, but %u subscript%s given",
             args[0].v->name ? args[0].v->name : "this", args[0].v->type.rank,
             args[0].v->type.rank == 1 ? "" : "s", rank, rank == 1 ? " is" : "s are");
        return (fv){0};
    }
    ir_value *in[20] = {args[0].v, lower_as_val(l, args[nargs - 1], n->at)};
    if (cas)
        in[k++] = lower_as_val(l, args[2], n->at);
    for (uint32_t i = 0; i < rank && i < 16; i++)
        in[k++] = lower_as_val(l, idx.kind == FV_tuple ? idx.elts[i] : idx, n->at);
    if (l->st != OK)
        return (fv){0};
    int held = l->locked; /* atomics are no races */
    l->locked = 1;
    check_index(l, n, args[0].v, in + (cas ? 3 : 2), rank, true);
    l->locked = held;
    ir_value *v = emit(l, n, OP_atomic, ir_val(args[0].v->type.dt, 1), k, in);
    v->def->attr[0].s = kind;
    return fv_val(v);
}

/* element(t, i, j): t[i, j] of a tensor; of a number itself, whatever the subscripts. */
static fv element(lower *l, const ast *n, fv *args, uint32_t nargs) {
    if (!nargs || args[0].kind != FV_val || args[0].v->type.kind != TY_tensor)
        return nargs ? args[0] : (fv){0};
    ir_value *in[16] = {args[0].v};
    if (nargs - 1 != args[0].v->type.rank || nargs > 15) {
        fail(l, n, "give one subscript for each dimension",
             "the tensor has %u dimensions, %u subscripts given", args[0].v->type.rank, nargs - 1);
        return (fv){0};
    }
    for (uint32_t i = 1; i < nargs; i++)
        in[i] = lower_as_val(l, args[i], n->at);
    check_index(l, n, args[0].v, in + 1, nargs - 1, false);
    return fv_val(emit(l, n, OP_load, ir_val(args[0].v->type.dt, 1), nargs, in));
}

static fv cast_to(lower *l, const ast *n, dtype dt, ir_value *v) {
    ir_value *in[1] = {v};
    return fv_val(emit(l, n, OP_cast, ir_val(dt, 1), 1, in));
}

fv lower_cast(lower *l, const ast *n, int dt, fv *x) {
    if (has_lanes(x, 1))
        return lower_lanes(l, n, lower_cast, dt, x, 1);
    if (has_array(x, 1))
        return array_map(l, n, lower_cast, dt, x, 1);
    return cast_to(l, n, (dtype)dt, lower_as_val(l, x[0], n->at));
}

/* float(x): floats keep their width, the rest becomes float32: x * 1.0 says just that to infer. */
static fv to_float(lower *l, const ast *n, fv x) {
    fv both[2] = {x, fv_val(ir_fconst(l->f, l->r, ir_site(l->f, n->at), DT_wflt, 1.0))};
    return lower_arith(l, n, OP_mul, both);
}

static fv fold_args(lower *l, const ast *n, int code, fv *args, uint32_t nargs) {
    ir_value *v = lower_as_val(l, args[0], n->at);
    for (uint32_t i = 1; i < nargs; i++) {
        ir_value *in[2] = {v, lower_as_val(l, args[i], n->at)};
        v = emit(l, n, code, ir_any(), 2, in);
    }
    return fv_val(v);
}

static fv dim_call(lower *l, const ast *n, fv *args, uint32_t nargs) {
    l->buffers =
        l->buffers || (l->nextra && l->extra[0].kind == FV_val && l->extra[0].v == l->first_tensor);
    ir_op *c = nargs == 1 && args[0].kind == FV_val ? args[0].v->def : NULL;
    ir_value *t = l->first_tensor;
    if (!t || !c || c->code != OP_iconst || c->attr[0].i < 0 || c->attr[0].i >= t->type.rank) {
        fail(l, n, "write x.shape[i]",
             "get_dim(i) is shape[i] of the first tensor argument, and there is no such dimension");
        return (fv){0};
    }
    ir_value *in[1] = {t}, *v = emit(l, n, OP_dim, ir_val(DT_i64, 1), 1, in);
    v->def->attr[0].i = c->attr[0].i;
    return fv_val(v);
}

/* f of numbers element by element of vectors and arrays. */
static fv simple_op(lower *l, const ast *n, int row, fv *args) {
    const intrinsic *i = &simple[row];
    if (has_array(args, (uint32_t)i->nargs))
        return array_map(l, n, simple_op, row, args, (uint32_t)i->nargs);
    ir_value *in[2] = {lower_as_val(l, args[0], n->at),
                       i->nargs > 1 ? lower_as_val(l, args[1], n->at) : NULL};
    if (l->st != OK)
        return (fv){0};
    check_binary(l, n, i->code, in[0], in[1]);
    ir_type t = i->code == OP_isnan ? ir_val(DT_bool, 1) : ir_any();
    return fv_val(emit(l, n, i->code, t, (unsigned)i->nargs, in));
}

static fv pick_one(lower *l, const ast *n, int unused, fv *args) {
    (void)unused;
    if (has_array(args, 3))
        return array_map(l, n, pick_one, 0, args, 3);
    ir_value *in[3] = {lower_truth(l, n, args[0]), lower_as_val(l, args[1], n->at),
                       lower_as_val(l, args[2], n->at)};
    return fv_val(emit(l, n, OP_select, ir_any(), 3, in));
}

static fv larger(lower *l, const ast *n, int code, fv *args) {
    if (has_array(args, 2))
        return array_map(l, n, larger, code, args, 2);
    return fold_args(l, n, code, args, 2);
}

static fv relu(lower *l, const ast *n, int unused, fv *args) {
    (void)unused;
    fv both[2] = {args[0], fv_val(int_const(l, n, DT_wint, 0))};
    return larger(l, n, OP_max, both);
}

/* min, max and sum of Python numbers: of several arguments, or of one tuple. */
static bool folded(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out) {
    bool most = !strcmp(name, "max"), least = !strcmp(name, "min"), sum = !strcmp(name, "sum");
    int code = most ? OP_max : least ? OP_min : OP_add;
    if (!most && !least && !sum)
        return false;
    bool tuple = nargs >= 1 && args[0].kind == FV_tuple && !args[0].vec;
    if (nargs == 1 && tuple && (args[0].n || sum)) {
        fv start = fv_val(int_const(l, n, DT_wint, 0));
        *out = args[0].n ? args[0].elts[0] : start;
        for (uint32_t i = 1; i < args[0].n && l->st == OK; i++) {
            fv both[2] = {*out, args[0].elts[i]};
            *out = sum ? lower_arith(l, n, code, both) : larger(l, n, code, both);
        }
        return true;
    }
    if (sum || nargs < 2)
        return false;
    *out = args[0];
    for (uint32_t i = 1; i < nargs && l->st == OK; i++) {
        fv both[2] = {*out, args[i]};
        *out = larger(l, n, code, both);
    }
    return true;
}

static fv barrier(lower *l, const ast *n) {
    if (l->locked || l->acquired)
        fail(l, n, "put it in front of the lock's region or behind it",
             "a barrier inside a lock's region would wait for ever");
    if (l->par)
        fail(l, n, "end the parallel_for or task: it waits for its iterations",
             "a barrier inside a parallel body has nobody to meet");
    ir_append(l->r, ir_op_new(l->f, OP_barrier, ir_site(l->f, n->at), 0, 0, 0));
    l->f->simt = 1;
    return fv_none();
}

static fv divided(lower *l, const ast *n, fv *args) {
    fv t = {.kind = FV_tuple, .n = 2, .elts = ARENA_ARRAY(l->mem, fv, 2)};
    t.elts[0] = lower_arith(l, n, OP_floordiv, args);
    t.elts[1] = lower_arith(l, n, OP_mod, args);
    return t;
}

/* round(x) is an integer; round(x, digits) keeps the type. */
static fv rounded(lower *l, const ast *n, fv *args, uint32_t nargs) {
    ir_value *in[1] = {lower_as_val(l, args[0], n->at)};
    if (nargs == 1)
        return cast_to(l, n, DT_i64, emit(l, n, OP_round, ir_any(), 1, in));
    int64_t digits;
    double scale = 1;
    if (!const_of(args[1], &digits) || digits < -18 || digits > 18) {
        fail(l, n, "write round(x, 2)", "the digits of round() are a constant");
        return (fv){0};
    }
    for (int64_t i = digits < 0 ? -digits : digits; i > 0; i--)
        scale *= 10;
    fv s = fv_val(ir_fconst(l->f, l->r, ir_site(l->f, n->at), DT_wflt, scale));
    fv up[2] = {args[0], s}, back[2];
    back[0] = lower_arith(l, n, digits < 0 ? OP_div : OP_mul, up);
    in[0] = lower_as_val(l, back[0], n->at);
    back[0] = fv_val(emit(l, n, OP_round, ir_any(), 1, in));
    back[1] = s;
    return lower_arith(l, n, digits < 0 ? OP_mul : OP_div, back);
}

static fv length(lower *l, const ast *n, fv x) {
    fv method;
    if (object_method(l, x, "__len__", &method) && x.kind == FV_object)
        return lower_apply(l, n, method, NULL, 0);
    if (x.kind == FV_tuple)
        return fv_val(int_const(l, n, DT_wint, x.n));
    if (is_array(x) && array_rank(x)) {
        fv shape = array_attr(l, n, x, "shape");
        return shape.elts[0];
    }
    if (x.kind == FV_static && x.st.kind == ST_str)
        return fv_val(int_const(l, n, DT_wint, (int64_t)strlen(x.st.s)));
    fail(l, n, "len() is of tensors, arrays, tuples and vectors", "%s has no len()",
         say_what(l, x));
    return (fv){0};
}

/* int(x), float(x), bool(x) and abs(x) of an object: by its methods. */
static bool converted(lower *l, const ast *n, const char *name, fv x, fv *out) {
    static const char *const rows[][2] = {{"int", "__int__"},
                                          {"float", "__float__"},
                                          {"bool", "__bool__"},
                                          {"abs", "__abs__"},
                                          {"round", "__round__"}};
    fv method;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i][0], name) && object_method(l, x, rows[i][1], &method))
            return *out = lower_apply(l, n, method, NULL, 0), true;
    return false;
}

static fv call_super(lower *l, const ast *n) {
    const var *self = l->fs->vars;
    for (const var *v = l->fs->vars; v; v = v->next)
        if (v->param)
            self = v; /* the last of the list is the first parameter */
    if (!l->fs->super.handle || !self || flow_of(l, self) < 2) {
        fail(l, n, "call it in a method", "super() needs a method around it");
        return (fv){0};
    }
    fv x = {.kind = FV_static,
            .st = {.kind = ST_super, .handle = l->fs->super.handle},
            .elts = ARENA_NEW(l->mem, fv),
            .n = 1};
    x.elts[0] = l->bindings.p[flow_of(l, self)].value;
    return x;
}

/* Functions that look at their arguments' kinds, not their values. */
static bool kind_op(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out) {
    if (!strcmp(name, "isinstance") && nargs == 2)
        *out = lower_isinstance(l, n, args[0], args[1]);
    else if (!strcmp(name, "type") && nargs == 1)
        *out = lower_type(l, n, args[0]);
    else if (!strcmp(name, "len") && nargs == 1)
        *out = length(l, n, args[0]);
    else if (!strcmp(name, "str") && nargs == 1)
        *out = text_of(l, n, args[0]);
    else if ((!strcmp(name, "tuple") || !strcmp(name, "list")) && nargs == 1 &&
             args[0].kind == FV_tuple) {
        *out = args[0];
        out->list = name[0] == 'l';
        out->st = (front_static){0};
    } else if (!strcmp(name, "super") && !nargs)
        *out = call_super(l, n);
    else if (!strcmp(name, "object.__init__"))
        *out = fv_none();
    else if ((!strcmp(name, "any") || !strcmp(name, "all")) && nargs == 1 &&
             args[0].kind == FV_tuple) {
        bool all = name[1] == 'l';
        ir_value *v = int_const(l, n, DT_bool, all);
        for (uint32_t i = 0; i < args[0].n && l->st == OK; i++) {
            ir_value *in[2] = {v, lower_truth(l, n, args[0].elts[i])};
            v = emit(l, n, all ? OP_and : OP_or, ir_val(DT_bool, 1), 2, in);
        }
        *out = fv_val(v);
    } else if (nargs == 1 && converted(l, n, name, args[0], out))
        return true;
    else
        return false;
    return true;
}

/* floor_int and the like: math.floor, an integer. */
static fv whole(lower *l, const ast *n, int code, fv *args) {
    if (has_array(args, 1))
        return array_map(l, n, whole, code, args, 1);
    ir_value *in[1] = {lower_as_val(l, args[0], n->at)};
    return l->st == OK ? cast_to(l, n, DT_i64, emit(l, n, code, ir_any(), 1, in)) : (fv){0};
}

/* fmod: the remainder with the sign of the dividend, as C and NumPy have it. */
static fv remainder_of(lower *l, const ast *n, int unused, fv *args) {
    (void)unused;
    if (has_array(args, 2))
        return array_map(l, n, remainder_of, 0, args, 2);
    ir_value *a = lower_as_val(l, args[0], n->at), *b = lower_as_val(l, args[1], n->at);
    if (l->st != OK)
        return (fv){0};
    fv zero = fv_val(int_const(l, n, DT_wint, 0)), both[2] = {fv_val(a), fv_val(b)};
    for (int i = 0; i < 2; i++)
        both[i] = fv_val(emit(l, n, OP_abs, ir_any(), 1, &both[i].v));
    fv m = lower_arith(l, n, OP_mod, both), less[2] = {fv_val(a), zero};
    if (l->st != OK)
        return (fv){0};
    ir_value *pick[3] = {lower_as_val(l, lower_arith(l, n, OP_lt, less), n->at),
                         emit(l, n, OP_neg, ir_any(), 1, &m.v), m.v};
    return fv_val(emit(l, n, OP_select, ir_any(), 3, pick));
}

static bool number_op(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out) {
    fv one[1] = {nargs ? args[0] : (fv){0}};
    if (!strcmp(name, "divmod") && nargs == 2)
        *out = divided(l, n, args);
    else if (!strcmp(name, "fmod") && nargs == 2)
        *out = remainder_of(l, n, 0, args);
    else if (!strcmp(name, "floor_int") && nargs == 1)
        *out = whole(l, n, OP_floor, args);
    else if (!strcmp(name, "ceil_int") && nargs == 1)
        *out = whole(l, n, OP_ceil, args);
    else if (!strcmp(name, "trunc_int") && nargs == 1)
        *out = whole(l, n, OP_trunc, args);
    else if (!strcmp(name, "round") && (nargs == 1 || nargs == 2))
        *out = rounded(l, n, args, nargs);
    else if (!strcmp(name, "pow") && nargs == 2)
        *out = lower_arith(l, n, OP_pow, args);
    else if (nargs == 1 && !strcmp(name, "int"))
        *out = lower_cast(l, n, DT_i64, one);
    else if (nargs == 1 && !strcmp(name, "bool"))
        *out = has_array(one, 1) || has_lanes(one, 1) ? lower_cast(l, n, DT_bool, one)
                                                      : fv_val(lower_truth(l, n, args[0]));
    else if (nargs == 1 && !strcmp(name, "float"))
        *out = to_float(l, n, args[0]);
    else if (nargs == 1 && !strcmp(name, "relu"))
        *out = relu(l, n, 0, args);
    else if (nargs == 3 && !strcmp(name, "where"))
        *out = pick_one(l, n, 0, args);
    else
        return false;
    return true;
}

fv lower_op(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs) {
    fv out;
    if (l->st != OK)
        return (fv){0};
    if (lower_special(l, n, name, args, nargs, &out) || kind_op(l, n, name, args, nargs, &out) ||
        array_call(l, n, name, args, nargs, &out) || folded(l, n, name, args, nargs, &out) ||
        number_op(l, n, name, args, nargs, &out))
        return out;
    const intrinsic *row = find(ids, sizeof ids / sizeof *ids, name);
    if (row)
        return index_function(l, n, row, args, nargs);
    if ((row = find(simple, sizeof simple / sizeof *simple, name))) {
        if (nargs == (uint32_t)row->nargs)
            return simple_op(l, n, (int)(row - simple), args);
        fail(l, n, arena_printf(l->mem, "write %s(%s)", name, row->nargs == 1 ? "x" : "x, y"),
             "%s() takes %d argument%s, %u given", name, row->nargs, row->nargs == 1 ? "" : "s",
             nargs);
        return (fv){0};
    }
    if (!strcmp(name, "syncthreads") || !strcmp(name, "barrier"))
        return barrier(l, n);
    if (!strcmp(name, "element"))
        return element(l, n, args, nargs);
    if (!strncmp(name, "atomic_", 7))
        return atomic(l, n, name + 7, args, nargs);
    if (!strcmp(name, "get_dim"))
        return dim_call(l, n, args, nargs);
    const char *what = "";
    for (uint32_t i = 0; i < nargs; i++)
        what = arena_printf(l->mem, "%s%s%s", what, i ? ", " : "",
                            args[i].kind == FV_error ? "nothing" : say_what(l, args[i]));
    fail(l, n,
         "help(pyasc) lists what it takes; compute other things outside, or element by element",
         "%s() does not take %s in kernels", name, nargs ? what : "no arguments");
    return (fv){0};
}
