/* What runs beside other work: parallel_for, tasks, pipelines, locks; and the memory functions that
   say when rather than what: default buffers, vectors, hints. A vector is a tuple of its lanes. */
#include "front/lower.h"
#include <stdio.h>
#include <string.h>

static const fv none = {.kind = FV_static, .st = {.kind = ST_none}};

bool has_lanes(const fv *args, uint32_t nargs) {
    for (uint32_t i = 0; i < nargs; i++)
        if (args[i].kind == FV_tuple && args[i].vec)
            return true;
    return false;
}

/* f lane by lane; numbers go with each. */
fv lower_lanes(lower *l, const ast *n, fv (*f)(lower *, const ast *, int, fv *), int code, fv *args,
               uint32_t nargs) {
    uint32_t width = 0;
    for (uint32_t i = 0; i < nargs; i++) {
        if (args[i].kind != FV_tuple)
            continue;
        if (width && args[i].n != width) {
            fail(l, n, "load them with the same width=", "vectors of %u and %u lanes meet", width,
                 args[i].n);
            return (fv){0};
        }
        width = args[i].n;
    }
    fv r = {.kind = FV_tuple, .vec = true, .n = width, .elts = ARENA_ARRAY(l->mem, fv, width + 1)};
    for (uint32_t k = 0; k < width; k++) {
        fv one[8];
        for (uint32_t i = 0; i < nargs && i < 8; i++)
            one[i] = args[i].kind == FV_tuple ? args[i].elts[k] : args[i];
        r.elts[k] = f(l, n, code, one);
    }
    return r;
}

static bool is_tensor(const fv *x) { return x->kind == FV_val && x->v->type.kind == TY_tensor; }

/* The tensor given, or the default buffer: the first for loads, the last for stores. */
static ir_value *buffer(lower *l, const ast *n, const fv *given, bool last, const char *name) {
    if (given && given->kind != FV_error && given->kind != FV_static) {
        if (is_tensor(given))
            return given->v;
        fail(l, n, "name a tensor, or none for the default buffer", "%s() needs a tensor, not %s",
             name, say_what(l, *given));
        return NULL;
    }
    l->buffers = true;
    if (l->nextra)
        return l->extra[last ? l->nextra - 1 : 0].v;
    fail(l, n, "pass a tensor to it, or call the kernel with tensors beyond its parameters",
         "%s() without a tensor works on the default buffers, and there are none", name);
    return NULL;
}

static fv plus(lower *l, const ast *n, fv i, uint32_t k) {
    if (!k)
        return i;
    ir_value *in[2] = {lower_as_val(l, i, n->at),
                       ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_wint, k)};
    return fv_val(emit(l, n, OP_add, ir_any(), 2, in));
}

/* The subscript of the k-th element behind i, along the last dimension. */
static fv behind(lower *l, const ast *n, fv i, uint32_t k) {
    if (i.kind != FV_tuple)
        return plus(l, n, i, k);
    fv t = {.kind = FV_tuple, .n = i.n, .elts = ARENA_ARRAY(l->mem, fv, i.n + 1)};
    memcpy(t.elts, i.elts, sizeof(fv) * i.n);
    t.elts[i.n - 1] = plus(l, n, i.elts[i.n - 1], k);
    return t;
}

static fv load_vector(lower *l, const ast *n, fv *args, uint32_t nargs) {
    ir_value *t = buffer(l, n, nargs > 2 ? &args[2] : NULL, false, "load_vector");
    uint32_t width = 4;
    if (nargs > 1 && args[1].kind != FV_error) {
        const ir_op *c = args[1].kind == FV_val ? args[1].v->def : NULL;
        if (!c || c->code != OP_iconst || c->attr[0].i < 1 || c->attr[0].i > 64) {
            fail(l, n, "write 2, 4, 8, ...", "the width of a vector is a constant from 1 to 64");
            return (fv){0};
        }
        width = (uint32_t)c->attr[0].i;
    }
    fv r = {.kind = FV_tuple, .vec = true, .n = width, .elts = ARENA_ARRAY(l->mem, fv, width + 1)};
    for (uint32_t k = 0; t && k < width; k++)
        r.elts[k] = lower_load(l, n, t, behind(l, n, args[0], k));
    return t ? r : (fv){0};
}

static void store_vector(lower *l, const ast *n, fv *args, uint32_t nargs) {
    ir_value *t = buffer(l, n, nargs > 2 ? &args[2] : NULL, true, "store_vector");
    if (args[1].kind != FV_tuple) {
        fail(l, n, "make it with load_vector() or pack()", "store_vector() needs a vector, not %s",
             say_what(l, args[1]));
        return;
    }
    for (uint32_t k = 0; t && k < args[1].n; k++)
        lower_store(l, n, t, behind(l, n, args[0], k), args[1].elts[k]);
}

static void hint(lower *l, const ast *n, const char *kind, fv *args, uint32_t nargs) {
    if (nargs && !is_tensor(&args[0])) {
        fail(l, n, "pass the tensor itself", "%s() needs a tensor", kind);
        return;
    }
    ir_op *op = ir_op_new(l->f, OP_hint, ir_site(l->f, n->at), nargs ? 1 : 0, 0, 0);
    if (nargs)
        op->in[0] = args[0].v;
    op->attr[0].s = kind;
    ir_append(l->r, op);
}

/* constant((1, 2, 3)) in a kernel: a table in the work-item's memory. */
static fv table(lower *l, const ast *n, fv *args, uint32_t nargs) {
    if (args[0].kind != FV_tuple || !args[0].n) {
        fail(l, n, "write constant((1.0, 2.0, 3.0)), or make the tensor outside the kernel",
             "constant() in a kernel needs a tuple of numbers");
        return (fv){0};
    }
    dtype dt = DT_i64;
    for (uint32_t i = 0; i < args[0].n; i++) {
        const ir_value *v = lower_as_val(l, args[0].elts[i], n->at);
        if (v->type.kind != TY_val || dtype_is_float((dtype)v->type.dt))
            dt = DT_f32;
    }
    if (nargs > 1 && args[1].kind == FV_static && args[1].st.kind == ST_dtype)
        dt = args[1].st.dt;
    int64_t *shape = ARENA_ARRAY(l->mem, int64_t, 1);
    shape[0] = args[0].n;
    ir_type t = {.kind = TY_tensor,
                 .dt = (uint8_t)dt,
                 .rank = 1,
                 .contig = IR_UNIT,
                 .lanes = 1,
                 .space = SP_local};
    ir_value *v = emit(l, n, OP_alloc, t, 0, NULL);
    v->def->attr[0] = (ir_attr){.i = 1, .v = shape};
    uint32_t site = ir_site(l->f, n->at);
    for (uint32_t i = 0; i < args[0].n; i++)
        lower_store(l, n, v, fv_val(ir_iconst(l->f, l->r, site, DT_wint, i)), args[0].elts[i]);
    return fv_val(v);
}

/* Locks. */

void emit_lock(lower *l, const ast *n, ir_value *word, bool take) {
    ir_op *op = ir_op_new(l->f, take ? OP_lock : OP_unlock, ir_site(l->f, n->at), 1, 0, 0);
    op->in[0] = word;
    ir_append(l->r, op);
}

static fv new_lock(lower *l, const ast *n) {
    char name[24];
    if (l->nlocks == FRONT_MAX_LOCKS) {
        fail(l, n, "use one for several purposes", "a kernel has at most %d mutexes of its own",
             FRONT_MAX_LOCKS);
        return (fv){0};
    }
    snprintf(name, sizeof name, "mutex%u", l->nlocks++);
    front_static st = {.kind = ST_tensor, .dt = DT_i32, .rank = 1, .contig = IR_UNIT, .lock = true};
    return lower_capture(l, NULL, arena_strdup(l->mem, name), &st);
}

/* `with mm.iterate() as count:` is a loop. */
static bool is_rounds(lower *l, const ast *n) {
    const ast *e = n->f[With_items].list[0]->f[withitem_context_expr].node;
    if (!l->env->asc || n->f[With_items].n != 1 || e->kind != AST_Call ||
        e->f[Call_func].node->kind != AST_Attribute)
        return false;
    fv g = lower_expr(l, e->f[Call_func].node);
    return g.kind == FV_method && g.st.kind == ST_op && !strcmp(g.st.s, "asc.Matmul.iterate");
}

/* True: control does not reach the end. */
bool lower_with(lower *l, const ast *n) {
    const ast_field *items = &n->f[With_items];
    uint32_t held = l->cleanups.n;
    if (is_rounds(l, n)) {
        lower_rounds(l, n);
        return false;
    }
    for (uint32_t i = 0; i < items->n && l->st == OK; i++) {
        const ast *e = items->list[i]->f[withitem_context_expr].node;
        fv g = e->kind == AST_Call ? lower_expr(l, e->f[Call_func].node) : (fv){0};
        bool other = e->kind == AST_Call && (g.kind != FV_static || g.st.kind != ST_op);
        fv x = other ? (fv){0} : lower_expr(l, e);
        if (!x.lock) {
            fail(l, e, "write `lock = pyasc.mutex()` and `with lock:`",
                 "with is for mutexes in kernels");
            return false;
        }
        for (uint32_t k = 0; k < l->cleanups.n; k++)
            if (l->cleanups.p[k].lock == x.v) {
                fail(l, e, "take it once, around both",
                     "this mutex is held already: it would wait "
                     "for itself for ever");
                return false;
            }
        emit_lock(l, n, x.v, true);
        cleanup c = {.lock = x.v};
        vec_push(l->mem, &l->cleanups, c);
        l->locked++;
    }
    bool ended = l->st != OK || lower_stmts(l, n->f[With_body].list, n->f[With_body].n);
    l->locked -= (int)(l->cleanups.n - held);
    if (!ended)
        lower_exit(l, n, held);
    l->cleanups.n = held;
    return ended;
}

/* Parallel bodies. */

static ir_op *open_region(lower *l, const ast *n, int code, ir_value *count) {
    ir_op *op = ir_op_new(l->f, code, ir_site(l->f, n->at), count ? 1 : 0, 0, 1);
    if (count)
        op->in[0] = count;
    ir_append(l->r, op);
    l->r = op->reg[0];
    return op;
}

static ir_value *loop(lower *l, const ast *n, ir_value *lo, ir_value *hi, const char *name) {
    ir_op *op = ir_op_new(l->f, OP_for, ir_site(l->f, n->at), 3, 0, 1);
    op->in[0] = lo;
    op->in[1] = hi;
    op->in[2] = ir_iconst(l->f, l->r, ir_site(l->f, n->at), DT_i64, 1);
    ir_value *i = ir_region_arg(l->f, op->reg[0], ir_val(DT_i64, 1), name);
    ir_append(l->r, op);
    l->r = op->reg[0];
    return i;
}

static void body_call(lower *l, const ast *n, fv body, fv *ids, uint32_t nids, ir_value *round,
                      const fv *out) {
    fv args[3];
    ir_value *outer = l->round;
    memcpy(args, ids, sizeof *ids * nids);
    l->round = l->check & FRONT_CHECK ? round : NULL;
    fv r = lower_apply(l, n, body, args, nids);
    fv index = {.kind = FV_tuple, .n = nids, .elts = ids};
    if (out && l->st == OK)
        lower_store(l, n, out->v, nids == 1 ? ids[0] : index, r);
    l->round = outer;
}

/* The pieces [first, end) of the flat range: rows of the last dimension, the first and the last one
   in part, so that the innermost loop has no division in it. */
static void pieces(lower *l, const ast *n, ir_value *first, ir_value *end, const fv *dims, fv body,
                   const fv *out) {
    uint32_t nd = dims->kind == FV_tuple ? dims->n : 1, site = ir_site(l->f, n->at);
    fv ids[3];
    if (nd == 1) {
        ids[0] = fv_val(loop(l, n, first, end, "i"));
        body_call(l, n, body, ids, 1, ids[0].v, out);
        lower_end(l, n, false);
        return;
    }
    ir_value *one = ir_iconst(l->f, l->r, site, DT_i64, 1),
             *zero = ir_iconst(l->f, l->r, site, DT_i64, 0),
             *inner = lower_as_val(l, dims->elts[nd - 1], n->at);
    ir_value *last = emit_index(l, n, OP_floordiv, emit_index(l, n, OP_sub, end, one), inner);
    ir_value *row = loop(l, n, emit_index(l, n, OP_floordiv, first, inner),
                         emit_index(l, n, OP_add, last, one), "i");
    ir_region *rows = l->r;
    ir_value *start = emit_index(l, n, OP_mul, row, inner);
    ir_value *lo = emit_index(l, n, OP_max, emit_index(l, n, OP_sub, first, start), zero),
             *hi = emit_index(l, n, OP_min, emit_index(l, n, OP_sub, end, start), inner);
    ids[0] = fv_val(row);
    if (nd == 3) {
        ir_value *middle = lower_as_val(l, dims->elts[1], n->at);
        ids[0] = fv_val(emit_index(l, n, OP_floordiv, row, middle));
        ids[1] = fv_val(emit_index(l, n, OP_mod, row, middle));
    }
    ids[nd - 1] = fv_val(loop(l, n, lo, hi, "j"));
    body_call(l, n, body, ids, nd, l->check ? emit_index(l, n, OP_add, start, ids[nd - 1].v) : NULL,
              out);
    lower_end(l, n, false);
    l->r = rows;
    lower_end(l, n, false);
}

/* Iterations are checked among themselves. */
static void epoch(lower *l, const ast *n) {
    if (l->check & FRONT_CHECK)
        ir_append(l->r, ir_op_new(l->f, OP_epoch, ir_site(l->f, n->at), 0, 0, 0));
}

static bool callable(const fv *f) {
    return f->kind == FV_closure || f->kind == FV_method || f->kind == FV_object ||
           (f->kind == FV_static && (f->st.kind == ST_func || f->st.kind == ST_op));
}

static ir_value *as_count(lower *l, const ast *n, fv x) {
    ir_value *in[1] = {lower_as_val(l, x, n->at)};
    return emit(l, n, OP_cast, ir_val(DT_i64, 1), 1, in);
}

static void parallel_for(lower *l, const ast *n, fv *args, uint32_t nargs) {
    const fv *out =
        nargs > 2 && args[2].kind != FV_error && args[2].kind != FV_static ? &args[2] : NULL;
    uint32_t nd = args[0].kind == FV_tuple ? args[0].n : 1;
    bool body = nargs >= 2 && callable(&args[1]);
    if (!body || nargs > 3 || nd < 1 || nd > 3 || (out && !is_tensor(out))) {
        fail(l, n,
             "write parallel_for(n, body), parallel_for((m, n), body), or "
             "parallel_for(n, body, out=c)",
             "%s",
             nargs < 2 ? "parallel_for() needs a body"
             : !body ? arena_printf(l->mem, "the body is %s, not a function", say_what(l, args[1]))
             : out && !is_tensor(out)
                 ? arena_printf(l->mem, "out is %s, not a tensor", say_what(l, *out))
                 : "parallel_for() takes 1 to 3 sizes and a body");
        return;
    }
    fv dims = args[0];
    ir_value *total = NULL;
    if (dims.kind == FV_tuple) {
        dims.elts = ARENA_ARRAY(l->mem, fv, nd);
        for (uint32_t i = 0; i < nd; i++)
            dims.elts[i] = fv_val(as_count(l, n, args[0].elts[i]));
    } else
        dims = fv_val(as_count(l, n, dims));
    for (uint32_t i = 0; i < nd; i++) {
        ir_value *d = dims.kind == FV_tuple ? dims.elts[i].v : dims.v;
        total = total ? emit_index(l, n, OP_mul, total, d) : d;
    }
    epoch(l, n);
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    if (nd == 1 && dims.kind == FV_tuple)
        dims = dims.elts[0];
    l->par++;
    if (l->handler) { /* what it raises is caught here: one iteration after the other */
        pieces(l, n, int_const(l, n, DT_i64, 0), total, &dims, args[1], out);
    } else {
        ir_op *op = open_region(l, n, OP_parallel, total);
        ir_value *first = ir_region_arg(l->f, op->reg[0], ir_val(DT_i64, 1), "first"),
                 *end = ir_region_arg(l->f, op->reg[0], ir_val(DT_i64, 1), "end");
        pieces(l, n, first, end, &dims, args[1], out);
        l->r = op->reg[0];
        lower_end(l, n, false);
    }
    l->par--;
    l->flow = before;
    l->r = outer;
    epoch(l, n);
}

/* @parallel_for(n) over a nested function runs it. */
void lower_decorated(lower *l, const ast *def, fv f) {
    const ast_field *list = &def->f[FunctionDef_decorator_list];
    for (uint32_t i = list->kind == AF_list ? list->n : 0; i > 0 && l->st == OK; i--) {
        const ast *d = list->list[i - 1];
        fv g = d->kind == AST_Call ? lower_expr(l, d->f[Call_func].node) : (fv){0};
        bool known = g.kind == FV_static && g.st.kind == ST_op && !strcmp(g.st.s, "parallel_for");
        if (!known || d->f[Call_args].n != 1) {
            fail(l, d, "only @parallel_for(n) decorates a function inside a kernel",
                 "this decorator has no meaning in a kernel");
            return;
        }
        fv args[3] = {lower_expr(l, d->f[Call_args].list[0]), f};
        const ast_field *kw = &d->f[Call_keywords];
        if (kw->n)
            args[2] = lower_expr(l, kw->list[0]->f[keyword_value].node);
        parallel_for(l, d, args, kw->n ? 3 : 2);
    }
}

static void task(lower *l, const ast *n, fv *args, uint32_t nargs) {
    if (!nargs || !callable(&args[0])) {
        fail(l, n, "write task(f, x, i)", "task() needs a function%s%s", nargs ? ", not " : "",
             nargs ? say_what(l, args[0]) : "");
        return;
    }
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    ir_op *op = l->handler ? NULL : open_region(l, n, OP_task, NULL);
    l->par++;
    lower_apply(l, n, args[0], args + 1, nargs - 1);
    l->par--;
    if (op) {
        l->r = op->reg[0];
        lower_end(l, n, false);
    }
    l->flow = before;
    l->r = outer;
}

static void pipeline(lower *l, const ast *n, fv *args, uint32_t nargs) {
    bool good = nargs == 2 && args[0].kind == FV_tuple && args[0].n && args[0].n <= 64;
    for (uint32_t i = 0; good && i < args[0].n; i++)
        good = callable(&args[0].elts[i]);
    if (!good) {
        fail(l, n,
             "write pipeline((load, compute, store), n), where each stage takes the item's number",
             "pipeline() needs a tuple of functions and the number of items");
        return;
    }
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    ir_value *count = as_count(l, n, args[1]);
    bool serial = l->handler != NULL;
    fv i;
    if (serial)
        i = fv_val(loop(l, n, int_const(l, n, DT_i64, 0), count, "item"));
    else
        i = fv_val(ir_region_arg(l->f, open_region(l, n, OP_pipeline, count)->reg[0],
                                 ir_val(DT_i64, 1), "item"));
    ir_region *items = l->r;
    l->par++;
    for (uint32_t k = 0; k < args[0].n; k++) {
        ir_op *stage = serial ? NULL : open_region(l, n, OP_stage, NULL);
        fv one[1] = {i};
        lower_apply(l, n, args[0].elts[k], one, 1);
        if (stage) {
            l->r = stage->reg[0];
            lower_end(l, n, false);
        }
        l->r = items;
    }
    l->par--;
    lower_end(l, n, false);
    l->flow = before;
    l->r = outer;
}

static fv lane_op(lower *l, const ast *n, int row, fv *args);
static const char *const lane_names[] = {
    "exp",   "exp2",  "expm1", "log",   "log2",    "log10", "log1p", "sqrt", "rsqrt",   "sin",
    "cos",   "tan",   "asin",  "acos",  "atan",    "sinh",  "cosh",  "tanh", "asinh",   "acosh",
    "atanh", "erf",   "relu",  "floor", "sigmoid", "ceil",  "trunc", "abs",  "fabs",    "rint",
    "neg",   "isnan", "round", "int",   "float",   "bool",  "atan2", "pow",  "maximum", "minimum",
    "fmod",  "add",   "sub",   "mul",   "div",     "max",   "min",   "where"};
enum { NLANE = sizeof lane_names / sizeof *lane_names, FIRST_BINARY = 36, TERNARY = NLANE - 1 };

static fv lane_op(lower *l, const ast *n, int row, fv *args) {
    return lower_op(l, n, lane_names[row], args, row >= TERNARY ? 3 : row >= FIRST_BINARY ? 2 : 1);
}

bool lower_special(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out) {
    *out = none;
    if (has_lanes(args, nargs)) {
        for (int i = 0; i < NLANE; i++)
            if (!strcmp(lane_names[i], name) && nargs == (i >= TERNARY        ? 3u
                                                          : i >= FIRST_BINARY ? 2u
                                                                              : 1u))
                return *out = lower_lanes(l, n, lane_op, i, args, nargs), true;
    }
    if (!strcmp(name, "load_global") && (nargs == 1 || nargs == 2)) {
        ir_value *t = buffer(l, n, nargs == 2 ? &args[0] : NULL, false, name);
        *out = t ? lower_load(l, n, t, args[nargs - 1]) : (fv){0};
    } else if (!strcmp(name, "store_global") && (nargs == 2 || nargs == 3)) {
        ir_value *t = buffer(l, n, nargs == 3 ? &args[0] : NULL, true, name);
        if (t)
            lower_store(l, n, t, args[nargs - 2], args[nargs - 1]);
    } else if (!strcmp(name, "load_vector") && nargs >= 1 && nargs <= 3)
        *out = load_vector(l, n, args, nargs);
    else if (!strcmp(name, "store_vector") && (nargs == 2 || nargs == 3))
        store_vector(l, n, args, nargs);
    else if (!strcmp(name, "pack") && nargs) {
        *out =
            (fv){.kind = FV_tuple, .vec = true, .n = nargs, .elts = ARENA_ARRAY(l->mem, fv, nargs)};
        for (uint32_t i = 0; i < nargs; i++)
            out->elts[i] = fv_val(lower_as_val(l, args[i], n->at));
    } else if (!strcmp(name, "unpack") && nargs == 1 && args[0].kind == FV_tuple) {
        *out = args[0];
        out->vec = false;
    } else if (!strcmp(name, "prefetch") && nargs >= 1)
        hint(l, n, "prefetch", args, 1);
    else if (!strcmp(name, "load_async") && nargs == 1)
        hint(l, n, "load", args, 1);
    else if (!strcmp(name, "store_async") && nargs == 1)
        hint(l, n, "store", args, 1);
    else if (!strcmp(name, "wait") && nargs == 0)
        hint(l, n, "wait", args, 0);
    else if (!strcmp(name, "constant") && nargs >= 1)
        *out = table(l, n, args, nargs);
    else if (!strcmp(name, "mutex") && nargs == 0)
        *out = new_lock(l, n);
    else if (!strcmp(name, "parallel_for"))
        parallel_for(l, n, args, nargs);
    else if (!strcmp(name, "task"))
        task(l, n, args, nargs);
    else if (!strcmp(name, "sync") && nargs == 0 && l->par)
        fail(l, n, "put it behind the parallel_for, or in the kernel that starts the tasks",
             "sync() inside a task or a parallel body would wait for itself");
    else if (!strcmp(name, "sync") && nargs == 0)
        ir_append(l->r, ir_op_new(l->f, OP_sync, ir_site(l->f, n->at), 0, 0, 0));
    else if (!strcmp(name, "pipeline"))
        pipeline(l, n, args, nargs);
    else
        return false;
    return true;
}
