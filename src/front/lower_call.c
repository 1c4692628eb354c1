/* Calls: intrinsics by the rows below, dtypes as casts, Python functions inline. */
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
    {"div", OP_div, 2},     {"fmod", OP_mod, 2},        {"neg", OP_neg, 1},
    {"add", OP_add, 2},     {"sub", OP_sub, 2},         {"mul", OP_mul, 2},
    {"rint", OP_round, 1},
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
            fail(l, n, "write 0, 1 or 2", "the dimension of %s() must be a constant", row->name);
        else
            v->def->attr[0].i = c->attr[0].i;
    }
    l->f->simt = 1;
    return fv_val(v);
}

/* shared(shape, dtype=float32), local(...) */
static fv memory(lower *l, const ast *n, const char *name) {
    const ast_field *args = &n->f[Call_args], *kw = &n->f[Call_keywords];
    if (args->n < 1) {
        fail(l, n, NULL, "%s() needs a shape", name);
        return (fv){0};
    }
    const ast *shape = args->list[0];
    uint32_t rank = shape->kind == AST_Tuple ? shape->f[Tuple_elts].n : 1;
    int64_t *dims = ARENA_ARRAY(l->mem, int64_t, rank + 1);
    int64_t total = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const ast *e = shape->kind == AST_Tuple ? shape->f[Tuple_elts].list[i] : shape;
        if (!lower_const_int(l, e, &dims[i]) || dims[i] < 0 ||
            __builtin_mul_overflow(total, dims[i], &total) || total > (1 << 28)) {
            fail(l, e, "use literals or module-level ints",
                 "the shape of %s() must be constants of a sane size", name);
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
        fail(l, n, "pass pyasc.float32, pyasc.int32, ...", "the dtype of %s() is not a dtype",
             name);
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
        fail(l, n,
             cas ? "atomic_cas(tensor, index, expected, value)"
                 : "atomic_add(tensor, index, value)",
             "atomic_%s() is called wrongly", kind);
        return (fv){0};
    }
    fv idx = args[1];
    uint32_t rank = idx.kind == FV_tuple ? idx.n : 1, k = 2;
    if (rank != args[0].v->type.rank) {
        fail(l, n, NULL, "the tensor has %u dimensions, %u subscripts given", args[0].v->type.rank,
             rank);
        return (fv){0};
    }
    ir_value *in[20] = {args[0].v, lower_as_val(l, args[nargs - 1], n->at)};
    if (cas)
        in[k++] = lower_as_val(l, args[2], n->at);
    for (uint32_t i = 0; i < rank && i < 16; i++)
        in[k++] = lower_as_val(l, idx.kind == FV_tuple ? idx.elts[i] : idx, n->at);
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
        fail(l, n, NULL, "the tensor has %u dimensions, %u subscripts given", args[0].v->type.rank,
             nargs - 1);
        return (fv){0};
    }
    for (uint32_t i = 1; i < nargs; i++)
        in[i] = lower_as_val(l, args[i], n->at);
    return fv_val(emit(l, n, OP_load, ir_val(args[0].v->type.dt, 1), nargs, in));
}

static fv cast_to(lower *l, const ast *n, dtype dt, ir_value *v) {
    ir_value *in[1] = {v};
    return fv_val(emit(l, n, OP_cast, ir_val(dt, 1), 1, in));
}

/* float(x): floats keep their width, the rest becomes float32: x * 1.0 says just that to infer. */
static fv to_float(lower *l, const ast *n, ir_value *v) {
    ir_value *in[2] = {v, ir_fconst(l->f, l->r, ir_site(l->f, n->at), DT_wflt, 1.0)};
    return fv_val(emit(l, n, OP_mul, ir_any(), 2, in));
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
        fail(l, n, "get_dim(i) is shape[i] of the first tensor argument",
             "get_dim() is called wrongly");
        return (fv){0};
    }
    ir_value *in[1] = {t}, *v = emit(l, n, OP_dim, ir_val(DT_i64, 1), 1, in);
    v->def->attr[0].i = c->attr[0].i;
    return fv_val(v);
}

static fv lower_print(lower *l, const ast *n) {
    const ast_field *args = &n->f[Call_args];
    VEC(front_piece) pieces = {0};
    VEC(ir_value *) values = {0};
    for (uint32_t i = 0; i < args->n; i++) {
        const ast *a = args->list[i];
        front_piece space = {.text = " ", .value = -1};
        if (i)
            vec_push(l->mem, &pieces, space);
        uint32_t parts = a->kind == AST_JoinedStr ? a->f[JoinedStr_values].n : 1;
        for (uint32_t k = 0; k < parts; k++) {
            const ast *e = a->kind == AST_JoinedStr ? a->f[JoinedStr_values].list[k] : a;
            front_piece p = {.value = -1};
            if (e->kind == AST_FormattedValue) {
                p.conversion = e->f[FormattedValue_conversion].i < 0
                                   ? 0
                                   : (int)e->f[FormattedValue_conversion].i;
                const ast *spec = e->f[FormattedValue_format_spec].kind == AF_node
                                      ? e->f[FormattedValue_format_spec].node
                                      : NULL;
                if (spec && spec->f[JoinedStr_values].n == 1 &&
                    spec->f[JoinedStr_values].list[0]->kind == AST_Constant)
                    p.spec = spec->f[JoinedStr_values].list[0]->f[Constant_value].s;
                e = e->f[FormattedValue_value].node;
            }
            fv x = lower_expr(l, e);
            if (x.kind == FV_static && x.st.kind == ST_str)
                p.text = x.st.s;
            else {
                p.value = (int)values.n;
                vec_push(l->mem, &values, lower_as_val(l, x, e->at));
            }
            vec_push(l->mem, &pieces, p);
        }
    }
    front_piece end = {.text = "\n", .value = -1};
    vec_push(l->mem, &pieces, end);
    ir_op *op = ir_op_new(l->f, OP_print, ir_site(l->f, n->at), values.n, 0, 0);
    for (uint32_t i = 0; i < values.n; i++)
        op->in[i] = values.p[i];
    op->attr[0].i = l->prints.n;
    ir_append(l->r, op);
    front_print fp = {pieces.p, pieces.n};
    vec_push(l->mem, &l->prints, fp);
    l->f->prints = 1;
    return (fv){.kind = FV_static, .st = {.kind = ST_none}};
}

fv lower_op(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs) {
    fv special;
    if (lower_special(l, n, name, args, nargs, &special))
        return special;
    const intrinsic *row = find(ids, sizeof ids / sizeof *ids, name);
    if (row)
        return index_function(l, n, row, args, nargs);
    if ((row = find(simple, sizeof simple / sizeof *simple, name))) {
        if (nargs != (uint32_t)row->nargs) {
            fail(l, n, NULL, "%s() takes %d argument%s, %u given", name, row->nargs,
                 row->nargs == 1 ? "" : "s", nargs);
            return (fv){0};
        }
        ir_value *in[2] = {lower_as_val(l, args[0], n->at),
                           nargs > 1 ? lower_as_val(l, args[1], n->at) : NULL};
        return fv_val(emit(l, n, row->code, row->code == OP_isnan ? ir_val(DT_bool, 1) : ir_any(),
                           nargs, in));
    }
    if ((!strcmp(name, "max") || !strcmp(name, "min")) && nargs == 1 && args[0].kind == FV_tuple &&
        args[0].n)
        return fold_args(l, n, name[1] == 'a' ? OP_max : OP_min, args[0].elts, args[0].n);
    if ((!strcmp(name, "max") || !strcmp(name, "min")) && nargs >= 2)
        return fold_args(l, n, name[1] == 'a' ? OP_max : OP_min, args, nargs);
    if (!strcmp(name, "sum") && nargs == 1 && args[0].kind == FV_tuple && args[0].n)
        return fold_args(l, n, OP_add, args[0].elts, args[0].n);
    if (!strcmp(name, "syncthreads") || !strcmp(name, "barrier")) {
        if (l->locks.n || l->acquired)
            fail(l, n, "put it in front of the lock's region or behind it",
                 "a barrier inside a lock's region would wait for ever");
        if (l->par)
            fail(l, n, "end the parallel_for or task: it waits for its iterations",
                 "a barrier inside a parallel body has nobody to meet");
        ir_append(l->r, ir_op_new(l->f, OP_barrier, ir_site(l->f, n->at), 0, 0, 0));
        l->f->simt = 1;
        return (fv){.kind = FV_static, .st = {.kind = ST_none}};
    }
    if (!strcmp(name, "element"))
        return element(l, n, args, nargs);
    if (!strncmp(name, "atomic_", 7))
        return atomic(l, n, name + 7, args, nargs);
    if (!strcmp(name, "get_dim"))
        return dim_call(l, n, args, nargs);
    if (nargs == 1 && !strcmp(name, "int"))
        return cast_to(l, n, DT_i64, lower_as_val(l, args[0], n->at));
    if (nargs == 1 && !strcmp(name, "round")) {
        ir_value *in[1] = {lower_as_val(l, args[0], n->at)};
        return cast_to(l, n, DT_i64, emit(l, n, OP_round, ir_any(), 1, in));
    }
    if (nargs == 1 && !strcmp(name, "bool"))
        return cast_to(l, n, DT_bool, lower_as_val(l, args[0], n->at));
    if (nargs == 1 && !strcmp(name, "float"))
        return to_float(l, n, lower_as_val(l, args[0], n->at));
    if (nargs == 1 && !strcmp(name, "relu")) {
        ir_value *in[2] = {lower_as_val(l, args[0], n->at),
                           ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_wint, 0)};
        return fv_val(emit(l, n, OP_max, ir_any(), 2, in));
    }
    if (nargs == 3 && !strcmp(name, "where")) {
        ir_value *in[3] = {
            lower_as_val(l, cast_to(l, n, DT_bool, lower_as_val(l, args[0], n->at)), n->at),
            lower_as_val(l, args[1], n->at), lower_as_val(l, args[2], n->at)};
        return fv_val(emit(l, n, OP_select, ir_any(), 3, in));
    }
    if (nargs == 1 && !strcmp(name, "len")) {
        uint32_t site = ir_site(l->f, n->at);
        if (args[0].kind == FV_tuple)
            return fv_val(ir_iconst(l->f, l->r, site, DT_wint, args[0].n));
        if (args[0].kind == FV_val && args[0].v->type.kind == TY_tensor && args[0].v->type.rank) {
            ir_value *in[1] = {args[0].v};
            return fv_val(emit(l, n, OP_dim, ir_val(DT_i64, 1), 1, in));
        }
    }
    fail(l, n, "see the list of kernel functions in the README",
         "%s() with these arguments is not supported in kernels", name);
    return (fv){0};
}

/* Names of the parameters of intrinsics that can be given by name. */
static int op_param(const char *op, const char *name) {
    static const struct {
        const char *op, *names[4];
    } rows[] = {
        {"load_vector", {"i", "width", "src", NULL}}, {"store_vector", {"i", "v", "dst", NULL}},
        {"parallel_for", {"n", "body", "out", NULL}}, {"pipeline", {"stages", "n", NULL, NULL}},
        {"constant", {"data", "dtype", NULL, NULL}},  {"prefetch", {"t", NULL, NULL, NULL}}};
    for (size_t i = 0; op && i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; !strcmp(rows[i].op, op) && rows[i].names[k]; k++)
            if (!strcmp(rows[i].names[k], name))
                return k;
    return op && !strcmp(name, "dim") ? 0 : -1;
}

static bool call_args(lower *l, const ast *n, const ast *params, const char *op, fv *args,
                      uint32_t *nargs) {
    const ast_field *given = &n->f[Call_args], *kw = &n->f[Call_keywords];
    uint32_t k = 0;
    for (uint32_t i = 0; i < given->n; i++) {
        fv x = lower_expr(l, given->list[i]->kind == AST_Starred
                                 ? given->list[i]->f[Starred_value].node
                                 : given->list[i]);
        if (k + (given->list[i]->kind == AST_Starred ? x.n : 1) > 31) {
            fail(l, n, "pass a tuple", "a call in a kernel takes at most 31 arguments");
            return false;
        }
        for (uint32_t j = 0; given->list[i]->kind == AST_Starred && j < x.n && k < 31; j++)
            args[k++] = x.elts[j];
        if (given->list[i]->kind != AST_Starred && k < 31)
            args[k++] = x;
    }
    for (uint32_t i = 0; i < kw->n; i++) {
        const char *name =
            kw->list[i]->f[keyword_arg].kind == AF_str ? kw->list[i]->f[keyword_arg].s : "";
        uint32_t at = 0, np = params ? params->f[arguments_args].n : 0;
        while (at < np && strcmp(params->f[arguments_args].list[at]->f[arg_arg].s, name))
            at++;
        int known = params ? -1 : op_param(op, name);
        if (known >= 0)
            at = (uint32_t)known;
        else if (at == np) {
            fail(l, kw->list[i], NULL, "the function has no parameter '%s'", name);
            return false;
        }
        args[at] = lower_expr(l, kw->list[i]->f[keyword_value].node);
        k = at >= k ? at + 1 : k;
    }
    *nargs = k;
    return l->st == OK;
}

static fv cast_lane(lower *l, const ast *n, int dt, fv *x) {
    if (has_lanes(x, 1))
        return lower_lanes(l, n, cast_lane, dt, x, 1);
    return cast_to(l, n, (dtype)dt, lower_as_val(l, x[0], n->at));
}

fv lower_apply(lower *l, const ast *n, fv f, fv *args, uint32_t nargs) {
    const ast *def = NULL;
    if (f.kind == FV_closure)
        return lower_inline(l, f.def, NULL, f.home, args, nargs, n);
    if (f.kind == FV_static && f.st.kind == ST_func) {
        status st = l->env->source(l->env->self, f.st.handle, l->d, &def);
        if (st != OK)
            return l->st = st, (fv){0};
        return lower_inline(l, def, f.st.handle, NULL, args, nargs, n);
    }
    if (f.kind == FV_static && f.st.kind == ST_op)
        return lower_op(l, n, f.st.s, args, nargs);
    if (f.kind == FV_static && f.st.kind == ST_dtype && nargs == 1)
        return cast_lane(l, n, (int)f.st.dt, args);
    fail(l, n, "pass a lambda, a nested function or a function of the module",
         "this cannot be called in a kernel");
    return (fv){0};
}

/* lock.acquire() and lock.release() */
static bool lock_method(lower *l, const ast *n) {
    const ast *f = n->f[Call_func].node;
    if (f->kind != AST_Attribute)
        return false;
    bool take = !strcmp(f->f[Attribute_attr].s, "acquire");
    if (!take && strcmp(f->f[Attribute_attr].s, "release"))
        return false;
    fv x = lower_expr(l, f->f[Attribute_value].node);
    if (!x.lock)
        return false;
    emit_lock(l, n, x.v, take);
    l->acquired += take ? 1 : l->acquired > 0 ? -1 : 0;
    return true;
}

fv lower_call(lower *l, const ast *n) {
    if (lock_method(l, n))
        return (fv){.kind = FV_static, .st = {.kind = ST_none}};
    fv f = lower_expr(l, n->f[Call_func].node), args[32] = {0};
    uint32_t nargs = 0;
    if (f.kind == FV_closure) {
        const ast *params =
            f.def->f[f.def->kind == AST_Lambda ? (int)Lambda_args : (int)FunctionDef_args].node;
        return call_args(l, n, params, NULL, args, &nargs)
                   ? lower_inline(l, f.def, NULL, f.home, args, nargs, n)
                   : (fv){0};
    }
    if (f.kind == FV_static && f.st.kind == ST_func) {
        const ast *def = NULL;
        status st = l->env->source(l->env->self, f.st.handle, l->d, &def);
        if (st != OK)
            return l->st = st, (fv){0};
        const ast *params =
            def->f[def->kind == AST_Lambda ? (int)Lambda_args : (int)FunctionDef_args].node;
        return call_args(l, n, params, NULL, args, &nargs)
                   ? lower_inline(l, def, f.st.handle, NULL, args, nargs, n)
                   : (fv){0};
    }
    if (f.kind == FV_static && f.st.kind == ST_op) {
        if (!strcmp(f.st.s, "print"))
            return lower_print(l, n);
        if (!strcmp(f.st.s, "shared") || !strcmp(f.st.s, "local"))
            return memory(l, n, f.st.s);
        return call_args(l, n, NULL, f.st.s, args, &nargs) ? lower_op(l, n, f.st.s, args, nargs)
                                                           : (fv){0};
    }
    if (f.kind == FV_static && f.st.kind == ST_dtype) {
        if (call_args(l, n, NULL, NULL, args, &nargs) && nargs == 1)
            return lower_apply(l, n, f, args, nargs);
        fail(l, n, NULL, "a cast takes one argument");
        return (fv){0};
    }
    if (f.kind != FV_error)
        fail(l, n, "call a kernel function, a Python function of the module, or a dtype",
             "this cannot be called in a kernel");
    return (fv){0};
}
