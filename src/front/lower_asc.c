/* Operations of package asc: a call is bound to one of the forms that base/asc.def lists, and
   becomes an op `npu` with its numbers. */
#include "front/lower_asc.h"
#include "npu/npu.h"
#include <string.h>

bool asc_is(fv f) {
    bool op = (f.kind == FV_static || f.kind == FV_method) && f.st.kind == ST_op;
    return (op && !strncmp(f.st.s, "asc.", 4)) ||
           (f.kind == FV_static && f.st.kind == ST_class && f.st.asc);
}

static const char *base_of(const char *cls) {
    static const char *const rows[][2] = {
        {"TQue", "TQueBind"}, {"TBuf", "TQueBind"}, {"LocalTensorAuto", "LocalTensor"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i][0], cls))
            return rows[i][1];
    return NULL;
}

static bool same_name(const char *a, const char *b, int n) {
    return !strncmp(a, b, (size_t)n) && !a[n];
}

static bool class_is(const char *cls, const char *want, int n) {
    for (; cls; cls = base_of(cls))
        if (same_name(cls, want, n))
            return true;
    return false;
}

bool asc_kind(fv x, const char *cls) {
    return x.kind == FV_object && x.obj->cls.asc && class_is(x.obj->cls.s, cls, (int)strlen(cls));
}

/* The row of a method: of the class, or of the one it is derived from. */
static int method_row(lower *l, const char *cls, const char *name) {
    for (; cls; cls = base_of(cls)) {
        int row = asc_find(arena_printf(l->mem, "%s.%s", cls, name));
        if (row >= 0)
            return row;
    }
    return -1;
}

bool asc_method(lower *l, const ast *n, fv self, const char *name, fv *out) {
    (void)n;
    const char *cls = self.kind == FV_object                                  ? self.obj->cls.s
                      : self.kind == FV_static && self.st.kind == ST_dtype    ? "DataType"
                      : self.kind == FV_val && self.v->type.kind != TY_tensor ? "PlainValue"
                                                                              : NULL;
    if (self.kind == FV_object && !self.obj->cls.asc)
        return false;
    int row = cls ? method_row(l, cls, name) : -1;
    if (row < 0)
        return false;
    *out = (fv){.kind = FV_method, .elts = ARENA_NEW(l->mem, fv), .n = 1};
    out->st =
        (front_static){.kind = ST_op, .s = arena_printf(l->mem, "asc.%s", asc_rows[row].name)};
    out->elts[0] = self;
    return true;
}

/* Forms. */

static const char *next_form(const char *form) {
    form = strchr(form, '|');
    return form ? form + 1 : NULL;
}

static int parse_form(const char *s, asc_param *p) {
    int n = 0;
    while (*s && *s != '|' && n < ASC_MAX_PARAMS) {
        asc_param *q = &p[n++];
        q->name = s;
        q->namelen = (int)strcspn(s, ":");
        q->type = s + q->namelen + 1;
        q->typelen = (int)strcspn(q->type, " |?");
        s = q->type + q->typelen;
        q->optional = *s == '?';
        s += q->optional;
        s += *s == ' ';
    }
    return n;
}

static bool is_number(fv x) { return x.kind == FV_val && x.v->type.kind != TY_tensor; }

static bool is_whole(fv x) {
    return is_number(x) && (x.v->type.kind != TY_val || !dtype_is_float((dtype)x.v->type.dt));
}

static bool is_none(fv x) { return x.kind == FV_static && x.st.kind == ST_none; }

static bool fits(const asc_param *p, fv x) {
    if (p->optional && is_none(x))
        return true;
    if (p->typelen > 1) {
        if (x.kind == FV_static && x.st.kind == ST_instance)
            return same_name(x.st.s +
                                 (strrchr(x.st.s, '.') ? strrchr(x.st.s, '.') + 1 - x.st.s : 0),
                             p->type, p->typelen);
        return x.kind == FV_object && class_is(x.obj->cls.s, p->type, p->typelen);
    }
    switch (*p->type) {
    case 'L': return asc_kind(x, "LocalTensor");
    case 'G': return asc_kind(x, "GlobalTensor");
    case 'T': return asc_kind(x, "LocalTensor") || asc_kind(x, "GlobalTensor");
    case 'A': return asc_kind(x, "GlobalAddress");
    case 'i':
    case 'b': return is_whole(x);
    case 'f': return is_number(x);
    case 'm': return is_whole(x) || (x.kind == FV_tuple && x.n <= 2);
    case 'D': return x.kind == FV_static && x.st.kind == ST_dtype;
    case 'l': return x.kind == FV_tuple;
    default: return true;
    }
}

enum { MAX_GIVEN = 64 };
typedef struct {
    fv v;
    const char *name; /* NULL: by position */
    const ast *at;
} given;

static bool bind(asc_bound *b, const given *g, uint32_t ng) {
    memset(b->a, 0, sizeof b->a);
    for (uint32_t i = 0; i < ng; i++) {
        int at = g[i].name ? 0 : (int)i;
        while (g[i].name && at < b->n && !same_name(g[i].name, b->p[at].name, b->p[at].namelen))
            at++;
        bool rest = at >= b->n && b->n && *b->p[b->n - 1].type == '*' && !g[i].name;
        if (rest || at >= b->n || b->a[at].kind != FV_error || !fits(&b->p[at], g[i].v))
            return false;
        b->a[at] = g[i].v;
    }
    for (int i = 0; i < b->n; i++)
        if (b->a[i].kind == FV_error && !b->p[i].optional)
            return false;
    return true;
}

fv asc_arg(const asc_bound *b, const char *name) {
    for (int i = 0; i < b->n; i++)
        if (same_name(name, b->p[i].name, b->p[i].namelen))
            return is_none(b->a[i]) ? (fv){0} : b->a[i];
    return (fv){0};
}

/* "add(dst, src0, src1, count) or add(...)", self left out. */
static const char *say_forms(lower *l, const asc_row *row) {
    const char *dot = strrchr(row->name, '.'), *name = dot ? dot + 1 : row->name, *all = "";
    if (!strcmp(name, "__init__"))
        name = arena_printf(l->mem, "%.*s", (int)(dot - row->name), row->name);
    for (const char *f = row->forms; f; f = next_form(f)) {
        asc_param p[ASC_MAX_PARAMS];
        int n = parse_form(f, p);
        all = arena_printf(l->mem, "%s%s%s(", all, *all ? " or " : "", name);
        bool first = true;
        for (int i = 0; i < n; i++) {
            if (p[i].namelen == 4 && !strncmp(p[i].name, "self", 4))
                continue;
            all = arena_printf(l->mem, "%s%s%.*s%s", all, first ? "" : ", ", p[i].namelen,
                               p[i].name, p[i].optional ? "=..." : "");
            first = false;
        }
        all = arena_printf(l->mem, "%s)", all);
    }
    return all;
}

static void no_form(lower *l, const ast *n, const asc_row *row, const given *g, uint32_t ng) {
    const char *what = "";
    for (uint32_t i = 0; i < ng; i++)
        what = arena_printf(l->mem, "%s%s%s%s%s", what, i ? ", " : "", g[i].name ? g[i].name : "",
                            g[i].name ? "=" : "", say_what(l, g[i].v));
    fail(l, n, arena_printf(l->mem, "write %s", say_forms(l, row)), "asc.%s() does not take %s",
         row->name, ng ? what : "no arguments");
}

/* Values to words. */

typedef struct {
    VEC(int64_t) tags;
    VEC(ir_value *) in;
} words;

static void tag(lower *l, words *w, int64_t kind, int64_t dt, int64_t n) {
    int64_t t = NPU_TAG(kind, dt, n);
    vec_push(l->mem, &w->tags, t);
}
static void word(lower *l, words *w, ir_value *v) { vec_push(l->mem, &w->in, v); }

static void put(lower *l, const ast *n, words *w, fv x);

static void put_tensor(lower *l, const ast *n, words *w, fv x, npu_kind kind) {
    fv dt = asc_get(l, n, x, "dtype"), addr = asc_get(l, n, x, "addr"),
       size = asc_get(l, n, x, "size");
    if (l->st != OK)
        return;
    if (dt.kind != FV_static || dt.st.kind != ST_dtype || addr.kind != FV_val) {
        fail(l, n,
             kind == NPU_global ? "call set_global_buffer() before" : "give it a place before",
             "this %s has no memory yet", x.obj->cls.s);
        return;
    }
    fv shape = asc_get(l, n, x, "shape_info"),
       dims = shape.kind == FV_object ? asc_get(l, n, shape, "dims") : (fv){0};
    uint32_t rank = kind != NPU_address && dims.kind == FV_tuple ? dims.n : 0;
    tag(l, w, kind, dt.st.dt, rank);
    word(l, w, asc_int(l, n, addr));
    if (kind == NPU_address)
        return;
    word(l, w, size.kind == FV_val ? asc_int(l, n, size) : int_const(l, n, DT_i64, 0));
    for (uint32_t i = 0; i < rank; i++)
        word(l, w, asc_int(l, n, dims.elts[i]));
}

/* The fields of an object of parameters, in the order of its class. */
static void put_fields(lower *l, const ast *n, words *w, fv x) {
    front_static cls = {0};
    if (x.kind == FV_object)
        cls = x.obj->cls;
    else
        l->env->attr(l->env->self, x.st.handle, "__class__", &cls);
    const front_class *c = l->env->fields(l->env->self, cls.handle);
    if (!c) {
        fail(l, n, "pass the object that the operation asks for",
             "'%s' has no fields that an operation could read", cls.s ? cls.s : "this");
        return;
    }
    tag(l, w, NPU_list, 0, c->nfields);
    for (uint32_t i = 0; i < c->nfields && l->st == OK; i++)
        put(l, n, w, object_attr(l, n, x, c->fields[i].name));
}

static void put(lower *l, const ast *n, words *w, fv x) {
    if (l->st != OK)
        return;
    if (x.kind == FV_static && x.st.kind == ST_tuple)
        x = static_fv(l, n, &x.st);
    if (x.kind == FV_error || is_none(x) || (x.kind == FV_static && x.st.kind == ST_str))
        tag(l, w, NPU_absent, 0, 0);
    else if (x.kind == FV_static && x.st.kind == ST_dtype)
        tag(l, w, NPU_dtype, x.st.dt, 0);
    else if (asc_kind(x, "LocalTensor"))
        put_tensor(l, n, w, x, NPU_local);
    else if (asc_kind(x, "GlobalTensor"))
        put_tensor(l, n, w, x, NPU_global);
    else if (asc_kind(x, "GlobalAddress"))
        put_tensor(l, n, w, x, NPU_address);
    else if (x.kind == FV_object && object_field(l, x.obj, "id", false)) {
        tag(l, w, NPU_int, 0, 0);
        word(l, w, asc_int(l, n, asc_get(l, n, x, "id")));
    } else if (x.kind == FV_object || (x.kind == FV_static && x.st.kind == ST_instance))
        put_fields(l, n, w, x);
    else if (x.kind == FV_tuple) {
        tag(l, w, NPU_list, 0, x.n);
        for (uint32_t i = 0; i < x.n; i++)
            put(l, n, w, x.elts[i]);
    } else if (is_number(x) && x.v->type.kind != TY_val) {
        tag(l, w, NPU_number, 0, 0);
        word(l, w, x.v);
    } else if (is_whole(x)) {
        tag(l, w, NPU_int, 0, 0);
        word(l, w, asc_int(l, n, x));
    } else if (is_number(x)) {
        tag(l, w, NPU_float, 0, 0);
        word(l, w, asc_float(l, n, x));
    } else
        fail(l, n, "pass a number, a tensor, or an object of the package", "%s has no meaning here",
             say_what(l, x));
}

/* A mask of two words: [low, high], or one that stands for the low. */
static void put_mask(lower *l, const ast *n, words *w, fv x) {
    if (x.kind != FV_tuple) {
        put(l, n, w, x);
        return;
    }
    tag(l, w, NPU_bits, 0, 0);
    for (uint32_t i = 0; i < 2; i++)
        word(l, w, i < x.n ? asc_int(l, n, x.elts[i]) : int_const(l, n, DT_i64, 0));
}

static ir_value *npu_op(lower *l, const ast *n, const char *name, const words *w, int result) {
    ir_op *op = ir_op_new(l->f, OP_npu, ir_site(l->f, n->at), w->in.n, result ? 1 : 0, 0);
    for (uint32_t i = 0; i < w->in.n; i++)
        op->in[i] = w->in.p[i];
    op->attr[0].s = name;
    op->attr[1].i = w->tags.n;
    op->attr[1].v = w->tags.p;
    if (result)
        op->out[0]->type = ir_val(result == 'f' ? DT_f64 : DT_i64, 1);
    ir_append(l->r, op);
    return result ? op->out[0] : NULL;
}

/* An operation of integers that the compiler itself needs. */
ir_value *asc_emit(lower *l, const ast *n, const char *name, ir_value *const *in, uint32_t nin) {
    words w = {0};
    int64_t head[2] = {(int64_t)nin << 8, n->at.line};
    vec_push(l->mem, &w.tags, head[0]);
    vec_push(l->mem, &w.tags, head[1]);
    for (uint32_t i = 0; i < nin; i++) {
        tag(l, &w, NPU_int, 0, 0);
        word(l, &w, in[i]);
    }
    return npu_op(l, n, name, &w, 'i');
}

/* The first tensor among the arguments, or FV_error. */
static fv first_tensor(const asc_bound *b) {
    for (int i = 0; i < b->n; i++)
        if (asc_kind(b->a[i], "LocalTensor") || asc_kind(b->a[i], "GlobalTensor"))
            return b->a[i];
    return (fv){0};
}

static fv result_dtype(lower *l, const ast *n, const asc_bound *b) {
    for (int i = 0; i < b->n; i++)
        if (b->a[i].kind == FV_static && b->a[i].st.kind == ST_dtype)
            return b->a[i];
    fv t = first_tensor(b);
    if (t.kind == FV_error && b->n && b->a[0].kind == FV_object)
        t = b->a[0]; /* a handle that has kept a dtype */
    if (t.kind != FV_error)
        t = asc_get(l, n, t, "dtype");
    return t.kind == FV_error ? (fv){.kind = FV_static, .st = {.kind = ST_dtype, .dt = DT_f32}} : t;
}

/* A tensor that the operation gave: its bytes are asked for behind it. One that was passed to be
   filled takes them. */
static fv given_tensor(lower *l, const ast *n, const asc_bound *b, ir_value *addr) {
    fv dt = result_dtype(l, n, b), into = asc_arg(b, "tensor");
    ir_value *len = asc_emit(l, n, "core.len", NULL, 0);
    if (l->st != OK || dt.kind != FV_static)
        return (fv){0};
    ir_value *size =
        emit_index(l, n, OP_floordiv, len, int_const(l, n, DT_i64, dtype_table[dt.st.dt].bytes));
    if (into.kind == FV_object) {
        asc_set(l, n, into, "addr", fv_val(addr));
        asc_set(l, n, into, "size", fv_val(size));
        return fv_none();
    }
    fv x = asc_tensor(l, n, "LocalTensor", dt, addr, size);
    fv pos = b->n ? asc_get(l, n, b->a[0], "pos") : (fv){0};
    if (pos.kind != FV_error)
        asc_set(l, n, x, "position", pos);
    return x;
}

/* Several numbers: the operation is asked for each by its place. */
static fv given_numbers(lower *l, const ast *n, const asc_row *row) {
    fv t = {.kind = FV_tuple, .n = (uint32_t)(*row->result - '0')};
    t.elts = ARENA_ARRAY(l->mem, fv, t.n);
    for (uint32_t i = 0; i < t.n; i++) {
        ir_value *at = int_const(l, n, DT_i64, i);
        t.elts[i] = fv_val(asc_emit(l, n, row->name, &at, 1));
    }
    return t;
}

static fv run(lower *l, const ast *n, const asc_bound *b) {
    const char *result = b->row->result;
    fv out, dt = *result == 'v' || *result == 'L' ? result_dtype(l, n, b) : (fv){0};
    words w = {0};
    int64_t head[2] = {b->form | b->n << 8, n->at.line};
    asc_check(l, n, b);
    if (l->st != OK)
        return (fv){0};
    if (asc_special(l, n, b, &out))
        return out;
    if (*result >= '2' && *result <= '9')
        return given_numbers(l, n, b->row);
    vec_push(l->mem, &w.tags, head[0]);
    vec_push(l->mem, &w.tags, head[1]);
    for (int i = 0; i < b->n && l->st == OK; i++)
        if (*b->p[i].type == 'm' && b->p[i].typelen == 1)
            put_mask(l, n, &w, b->a[i]);
        else
            put(l, n, &w, b->a[i]);
    if (l->st != OK)
        return (fv){0};
    bool fl =
        *result == 'f' || (*result == 'v' && dt.kind == FV_static && dtype_is_float(dt.st.dt));
    ir_value *v = npu_op(l, n, b->row->name, &w, !*result ? 0 : fl ? 'f' : 'i');
    switch (*result) {
    case 0: return fv_none();
    case 'L': return given_tensor(l, n, b, v);
    case 'G':
        if (strncmp(b->row->name, "Matmul", 6))
            return asc_tensor(l, n, "GlobalTensor", result_dtype(l, n, b), v,
                              int_const(l, n, DT_i64, 0));
        return asc_global_c(l, n, b, v);
    case 'v': return fv_val(emit(l, n, OP_cast, ir_val(dt.st.dt, 1), 1, &v));
    case 'A': return asc_tensor(l, n, "GlobalAddress", result_dtype(l, n, b), v, NULL);
    case 'h': {
        const char *dot = strrchr(b->row->name, '.');
        fv x =
            asc_object(l, n, arena_printf(l->mem, "%.*s", (int)(dot - b->row->name), b->row->name));
        asc_set(l, n, x, "id", fv_val(v));
        if (asc_arg(b, "dtype").kind == FV_static)
            asc_set(l, n, x, "dtype", asc_arg(b, "dtype"));
        fv pos = asc_arg(b, "pos").kind == FV_error ? asc_arg(b, "src") : asc_arg(b, "pos");
        if (pos.kind != FV_error)
            asc_set(l, n, x, "pos", pos);
        asc_made(l, n, b, x);
        return x;
    }
    default: return fv_val(v);
    }
}

static fv apply(lower *l, const ast *n, fv f, given *g, uint32_t ng) {
    bool made = f.st.kind == ST_class;
    if (!made && !strcmp(f.st.s, "asc.printf")) {
        fv args[MAX_GIVEN];
        for (uint32_t i = 0; i < ng; i++) {
            bool address = asc_kind(g[i].v, "GlobalAddress") || asc_kind(g[i].v, "GlobalTensor");
            args[i] = address ? asc_get(l, n, g[i].v, "addr") : g[i].v;
        }
        return lower_printf(l, n, args, ng);
    }
    const char *name = made ? arena_printf(l->mem, "%s.__init__", f.st.s) : f.st.s + 4;
    int row = made ? method_row(l, f.st.s, "__init__") : asc_find(name);
    if (l->st != OK)
        return (fv){0};
    if (row < 0) {
        fail(l, n, "see docs/asc.md for what there is", "asc.%s has no meaning in kernels", name);
        return (fv){0};
    }
    asc_bound *b = ARENA_NEW(l->mem, asc_bound);
    b->row = &asc_rows[row];
    b->form = 0;
    for (const char *s = b->row->forms; s; s = next_form(s), b->form++) {
        b->n = parse_form(s, b->p);
        if (bind(b, g, ng))
            return run(l, n, b);
    }
    bool self = f.kind == FV_method;
    no_form(l, n, b->row, g + self, ng - self);
    return (fv){0};
}

fv asc_apply(lower *l, const ast *n, fv f, fv *args, uint32_t nargs) {
    given g[MAX_GIVEN] = {0};
    uint32_t k = 0;
    if (f.kind == FV_method)
        g[k++].v = f.elts[0];
    for (uint32_t i = 0; i < nargs && k < MAX_GIVEN; i++)
        g[k++].v = args[i];
    return apply(l, n, f, g, k);
}

fv asc_call(lower *l, const ast *n, fv f) {
    const ast_field *pos = &n->f[Call_args], *kw = &n->f[Call_keywords];
    given g[MAX_GIVEN] = {0};
    uint32_t k = 0;
    if (f.kind == FV_method)
        g[k++].v = f.elts[0];
    for (uint32_t i = 0; i < pos->n && l->st == OK; i++) {
        bool star = pos->list[i]->kind == AST_Starred;
        fv x = lower_expr(l, star ? pos->list[i]->f[Starred_value].node : pos->list[i]);
        if (star && x.kind != FV_tuple)
            fail(l, pos->list[i], "name the arguments", "%s cannot be spread with *",
                 say_what(l, x));
        for (uint32_t j = 0; l->st == OK && j < (star ? x.n : 1) && k < MAX_GIVEN; j++)
            g[k++] = (given){star ? x.elts[j] : x, NULL, pos->list[i]};
    }
    for (uint32_t i = 0; i < kw->n && l->st == OK && k < MAX_GIVEN; i++) {
        if (kw->list[i]->f[keyword_arg].kind != AF_str) {
            fail(l, kw->list[i], "name the arguments", "** is not supported in kernels");
            return (fv){0};
        }
        g[k++] = (given){lower_expr(l, kw->list[i]->f[keyword_value].node),
                         kw->list[i]->f[keyword_arg].s, kw->list[i]};
    }
    return l->st == OK ? apply(l, n, f, g, k) : (fv){0};
}

/* The kernel's arrays become GlobalAddress, each a memory of the core. */
void asc_enter(lower *l, const ast *n, fv *args, uint32_t nargs) {
    words w = {0};
    int64_t head[2] = {(l->env->asc == 2 ? 2 : 0) | 3 << 8, n->at.line}, count = 0;
    vec_push(l->mem, &w.tags, head[0]);
    vec_push(l->mem, &w.tags, head[1]);
    l->f->simt = 1;
    const int ids[2] = {OP_bid, OP_nblocks};
    for (int i = 0; i < 2; i++) {
        ir_value *v = emit(l, n, ids[i], ir_val(DT_i64, 1), 0, NULL);
        v->def->attr[0].i = 0;
        tag(l, &w, NPU_int, 0, 0);
        word(l, &w, v);
    }
    for (uint32_t i = 0; i < nargs; i++)
        count += is_array(args[i]);
    tag(l, &w, NPU_list, 0, count);
    count = 0;
    for (uint32_t i = 0; i < nargs; i++) {
        if (!is_array(args[i]))
            continue;
        ir_value *t = args[i].v;
        tag(l, &w, NPU_buffer, t->type.dt, 0);
        word(l, &w, t);
        fv dt = {.kind = FV_static, .st = {.kind = ST_dtype, .dt = (dtype)t->type.dt}};
        ir_value *at = int_const(l, n, DT_i64, npu_addr(NPU_ARG + (int)count++, 0));
        args[i] = asc_tensor(l, n, "GlobalAddress", dt, at, NULL);
    }
    npu_op(l, n, "core.enter", &w, 0);
    for (uint32_t i = 0; i < nargs; i++)
        asc_struct(l, n, &args[i]);
}
