/* Specialisations: found by the arguments' tags and what names outside still mean, or compiled. */
#include "py/py_compile.h"
#include "py/py_env.h"
#include "py/py_kernel.h"

static bool guards_hold(const py_spec *s) {
    for (uint32_t i = 0; i < s->env.nguards; i++) {
        const py_guard *g = &s->env.guards[i];
        PyObject *now = py_guard_now(g);
        if (now == g->value)
            continue;
        if (!now || !g->by_value || Py_TYPE(now) != Py_TYPE(g->value) ||
            PyObject_RichCompareBool(now, g->value, Py_EQ) != 1)
            return false;
    }
    return true;
}

/* What hidden argument i is now. -1 with an error, or 0 when there is no such thing any more. */
static int captured(py_spec *s, uint32_t i, py_value *v, py_values *vs) {
    int32_t *locks = vs->locks;
    const front_capture *c = &s->front.captures[i];
    memset(v, 0, sizeof *v);
    if (!c->fn && c->name[0] != 'm') { /* an object's attribute */
        PyObject *args[RT_MAX_ARG];
        for (uint32_t a = 0; a < vs->nparams; a++)
            args[a] = vs->v[a].v;
        PyObject *x = py_path_now(&s->env, c->name, args, vs->nparams);
        if (!x)
            return 0;
        int bad = py_classify(s->env.state, v, x, c->name);
        v->own = x;
        return bad ? -1 : 1;
    }
    if (!c->fn) {
        unsigned long k = strtoul(c->name + strlen("mutex"), NULL, 10) % FRONT_MAX_LOCKS;
        locks[k] = 0;
        v->kind = ST_tensor;
        v->name = c->name;
        v->a = (py_array){.data = &locks[k],
                          .dt = DT_i32,
                          .rank = 1,
                          .contig = IR_UNIT,
                          .shape = {1},
                          .stride = {4}};
        return 1;
    }
    PyObject *x = py_lookup(c->fn, s->capture_names[i]);
    if (!x)
        return 0;
    int bad = py_classify(s->env.state, v, x, c->name);
    v->own = Py_NewRef(x); /* the name may mean something else before the launch ends */
    return bad ? -1 : 1;
}

/* Adds what the specialisation captures; false when it no longer fits. */
static bool capture(py_spec *s, py_values *vs) {
    vs->n = vs->nparams;
    for (uint32_t i = 0; i < s->front.ncaptures && vs->n < RT_MAX_ARG; i++) {
        if (captured(s, i, &vs->v[vs->n], vs) < 1) {
            Py_CLEAR(vs->v[vs->n].own);
            PyErr_Clear();
            return false;
        }
        vs->n++;
        if (vs->n - 1 < s->ntags && py_tag(&vs->v[vs->n - 1]) != s->tags[vs->n - 1])
            return false;
    }
    return true;
}

void py_drop_captures(py_values *vs) {
    for (; vs->n > vs->nparams; vs->n--) {
        py_unhold(&vs->v[vs->n - 1].hold);
        Py_CLEAR(vs->v[vs->n - 1].own);
    }
}

static bool paths_hold(const py_spec *s, const py_values *vs) {
    PyObject *args[RT_MAX_ARG];
    if (!s->env.paths)
        return true;
    for (uint32_t a = 0; a < vs->nparams; a++)
        args[a] = vs->v[a].v;
    return py_paths_hold(&s->env, args, vs->nparams);
}

static bool fits_whole(const py_spec *s, const py_blocks *b) {
    return !s->code.meta.tiled || !memcmp(s->blocks.whole, b->whole, sizeof b->whole);
}

/* Blocks of which the compiler may make something, others -1; all 0: as the launcher has them. */
static void size_of(const py_domain *d, int64_t *size) {
    enum { WHOLE = 16, MOST = 1024 };
    bool some = d->given == 1;
    for (int i = 0; i < 3; i++)
        some = some && d->block[i] <= MOST;
    bool odd = some && (d->block[0] % WHOLE || d->block[0] * d->block[1] * d->block[2] > MOST);
    for (int i = 0; i < 3; i++)
        size[i] = d->given != 1 ? 0 : some && !odd ? d->block[i] : -1;
}

py_blocks py_blocks_of(const py_domain *d) {
    static const py_domain inferred = {0};
    py_blocks b;
    py_whole_blocks(d, b.whole);
    size_of(d ? d : &inferred, b.size);
    return b;
}

static const int64_t *own_size(const py_spec *s) {
    static const int64_t row[3] = {256, 1, 1}, plane[3] = {16, 16, 1};
    return s->code.meta.blocks == 2 ? plane : row;
}

/* Any version runs blocks of any size. */
static bool fits_size(const py_spec *s, const py_blocks *b, bool any) {
    if (any || b->size[0] < 0 || !s->code.meta.blocks)
        return true;
    return !memcmp(s->blocks.size, b->size[0] ? b->size : own_size(s), sizeof b->size);
}

static py_spec *find(py_kernel *k, py_values *vs, int alias, const py_blocks *b, bool any_size) {
    uint64_t tags[RT_MAX_ARG];
    for (uint32_t i = 0; i < vs->nparams; i++)
        tags[i] = py_tag(&vs->v[i]);
    for (py_spec *s = k->specs; s; s = s->next) {
        if (s->alias == alias && s->nparams == vs->nparams && fits_whole(s, b) &&
            fits_size(s, b, any_size) && !memcmp(s->tags, tags, vs->nparams * sizeof *tags) &&
            guards_hold(s) && paths_hold(s, vs) && capture(s, vs))
            return s;
        py_drop_captures(vs);
    }
    return NULL;
}

void py_spec_free(py_spec *s) {
    if (!s)
        return;
    rt_code_free(s->code.code);
    Py_XDECREF(s->env.keep);
    Py_XDECREF(s->env.file_names);
    Py_XDECREF(s->env.roots);
    arena_free(s->env.mem);
    free(s->code.text);
    PyMem_Free(s);
}

static front_param param_of(py_spec *s, const char *name, const py_value *v) {
    front_param p = {.name = name, .kind = v->kind, .constant = v->constant};
    if (v->kind == ST_tensor)
        p.dt = v->a.dt, p.rank = v->a.rank, p.contig = v->a.contig;
    if (v->constant && (v->kind == ST_int || v->kind == ST_bool))
        p.i = PyLong_AsLongLong(v->v);
    if (v->constant && v->kind == ST_float)
        p.f = PyFloat_AsDouble(v->v);
    PyErr_Clear();
    if (py_in_ir(v))
        return p;
    py_env_classify(&s->env, v->v, &p.st);
    PyList_Append(s->env.keep, v->v);
    p.handle = v->v;
    p.s = v->kind == ST_instance ? Py_TYPE(v->v)->tp_name : p.st.s;
    return p;
}

static status lower(py_kernel *k, py_values *vs, py_spec *s, diag *d, ir_func **f) {
    front_param *p = ARENA_ARRAY(s->env.mem, front_param, vs->nparams + 1);
    for (uint32_t i = 0; i < vs->nparams; i++) {
        const py_value *v = &vs->v[i];
        s->tags[i] = py_tag(v);
        p[i] = param_of(s, py_param_name(k, i), v);
    }
    s->ntags = s->nparams = vs->nparams;
    front_env fe = py_env_front(&s->env);
    fe.asc = k->asc;
    TRY(front_lower(s->env.mem, d, &fe, k->fn, p, vs->nparams, k->check, f, &s->front));
    uint32_t own = (uint32_t)PyTuple_GET_SIZE(k->params);
    if (vs->nparams > own && !s->front.buffers) {
        py_too_many(k, own, vs->nparams);
        return ERR;
    }
    s->capture_names = ARENA_ARRAY(s->env.mem, PyObject *, s->front.ncaptures + 1);
    for (uint32_t i = 0; i < s->front.ncaptures; i++) {
        s->capture_names[i] = PyUnicode_InternFromString(s->front.captures[i].name);
        PyList_Append(s->env.keep, s->capture_names[i]);
        Py_DECREF(s->capture_names[i]);
        py_value v;
        if (captured(s, i, &v, vs) == 1 && s->ntags < RT_MAX_ARG)
            s->tags[s->ntags++] = py_tag(&v);
        py_unhold(&v.hold);
        Py_CLEAR(v.own);
    }
    return OK;
}

/* Front end under the GIL, the rest without it. */
py_spec *py_compile(py_kernel *k, py_values *vs, int alias, const py_blocks *blocks,
                    const char *stage) {
    py_state *st = k->st;
    py_spec *s = PyMem_Calloc(1, sizeof *s);
    if (!s)
        return (py_spec *)PyErr_NoMemory();
    s->alias = alias;
    s->blocks = *blocks;
    s->env = (py_env){.kernel_fn = k->fn,
                      .mem = arena_new(),
                      .keep = PyList_New(0),
                      .state = st,
                      .file_names = PyList_New(0),
                      .roots = PyList_New(0)};
    diag d = {.mem = s->env.mem};
    ir_func *f = NULL;
    status ok = lower(k, vs, s, &d, &f);
    if (ok == OK) {
        drv_options o = {.cache_dir = k->disk ? st->cache_dir : NULL,
                         .llvm_path = st->llvm_path,
                         .build = st->build,
                         .verify = st->verify,
                         .time = st->time,
                         .dump_dir = st->dump_dir,
                         .cache_bytes = 256 << 20,
                         .alias = alias,
                         .opt_level = k->opt_level,
                         .fastmath = k->fastmath,
                         .stage = stage,
                         .prints = s->front.prints};
        memcpy(o.block, blocks->whole, sizeof o.block);
        memcpy(o.size, blocks->size, sizeof o.size);
        bool abandoned;
        ok = py_compile_watched(st, k->fn, s->env.mem, f, &o, &d, &s->code, &abandoned);
        if (abandoned) { /* what the IR names is the compile's: names of Python too, for good */
            PyMem_Free(s);
            return NULL;
        }
    }
    if (ok != OK) {
        py_raise(&s->env, &d, ok);
        py_spec_free(s);
        return NULL;
    }
    if (!blocks->size[0])
        memcpy(s->blocks.size, own_size(s), sizeof s->blocks.size);
    for (int32_t i = 0; f && i < s->code.meta.nbound; i++) {
        uint32_t site = s->code.meta.bound[i].site;
        s->code.meta.bound[i].site = site < f->nlocs ? f->locs[site].line : 0;
    }
    return s;
}

static void hull(const py_array *a, const char **lo, const char **hi) {
    *lo = *hi = a->data;
    *hi += dtype_table[a->dt].bytes;
    for (int i = 0; i < a->rank; i++) {
        if (!a->shape[i]) {
            *hi = *lo;
            return;
        }
        int64_t span = (a->shape[i] - 1) * a->stride[i];
        if (span < 0)
            *lo += span;
        else
            *hi += span;
    }
}

static bool self_overlap(const py_array *a) {
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] > 1 && !a->stride[i])
            return true;
    return false;
}

bool py_same(const py_array *a, const py_array *b) {
    return a->data == b->data && a->dt == b->dt && a->rank == b->rank &&
           !memcmp(a->shape, b->shape, sizeof(int64_t) * (size_t)a->rank) &&
           !memcmp(a->stride, b->stride, sizeof(int64_t) * (size_t)a->rank);
}

bool py_meet(const py_array *a, const py_array *b) {
    const char *lo[2], *hi[2];
    hull(a, &lo[0], &hi[0]);
    hull(b, &lo[1], &hi[1]);
    return lo[0] < hi[1] && lo[1] < hi[0];
}

/* How the arrays that are written meet others. */
static int overlaps(const py_values *vs, const rt_meta *m) {
    const char *lo[RT_MAX_ARG], *hi[RT_MAX_ARG];
    int number[RT_MAX_ARG], n = 0, found = ALIAS_none; /* number: the IR argument */
    for (uint32_t i = 0; i < vs->n; i++) {
        number[i] = py_in_ir(&vs->v[i]) ? n++ : -1;
        if (vs->v[i].kind == ST_tensor)
            hull(&vs->v[i].a, &lo[i], &hi[i]);
    }
    for (uint32_t i = 0; i < vs->n; i++) {
        if (vs->v[i].kind != ST_tensor || !(m->written >> number[i] & 1))
            continue;
        if (self_overlap(&vs->v[i].a))
            return ALIAS_any;
        for (uint32_t j = 0; j < vs->n; j++) {
            if (j == i || vs->v[j].kind != ST_tensor || lo[i] >= hi[j] || lo[j] >= hi[i])
                continue;
            int a = m->apart[number[i]], b = m->apart[number[j]];
            if (!py_same(&vs->v[i].a, &vs->v[j].a) || !m->simt || a < 0 || a != b)
                return ALIAS_any;
            found = ALIAS_same;
        }
    }
    return found;
}

/* So many sizes of block have a version of their own. */
static bool enough_sizes(const py_kernel *k) {
    enum { MOST = 8 };
    int n = 0;
    for (const py_spec *s = k->specs; s; s = s->next)
        n += s->code.meta.blocks != 0;
    return n >= MOST;
}

static py_spec *found(py_kernel *k, py_values *vs, int alias, const py_blocks *b) {
    py_spec *s = find(k, vs, alias, b, false);
    return s || !enough_sizes(k) ? s : find(k, vs, alias, b, true);
}

static py_spec *get_spec(py_kernel *k, py_values *vs, int alias, const py_blocks *blocks) {
    py_spec *s = found(k, vs, alias, blocks);
    if (s)
        return s;
    Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(k->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS s = found(k, vs, alias, blocks);
    if (!s && (s = py_compile(k, vs, alias, blocks, NULL))) {
        s->next = k->specs;
        k->specs = s;
        if (!capture(s, vs) && !PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a captured value cannot be used in a kernel");
    }
    PyThread_release_lock(k->lock);
    return PyErr_Occurred() ? NULL : s;
}

/* The version as far as the launch domain goes, with the captured values in vs; not kept. */
py_spec *py_spec_geometry(py_kernel *k, py_values *vs) {
    static const py_blocks any = {{0}, {0}};
    py_spec *s = py_compile(k, vs, ALIAS_none, &any, "domain");
    if (s && !capture(s, vs)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a captured value cannot be used in a kernel");
        py_spec_free(s);
        return NULL;
    }
    return s;
}

/* What is written is known once a version is compiled; it decides whether overlap matters. Tiles
   are forwarded for arrays that do not overlap alone. */
py_spec *py_spec_for(py_kernel *k, const py_domain *d, py_values *vs) {
    py_blocks blocks = py_blocks_of(d);
    py_spec *s = get_spec(k, vs, ALIAS_none, &blocks);
    int alias = s ? overlaps(vs, &s->code.meta) : ALIAS_none;
    if (alias != ALIAS_none && s->code.meta.tiled == IR_FORWARDED) {
        py_drop_captures(vs);
        memset(blocks.whole, 0, sizeof blocks.whole);
        s = get_spec(k, vs, ALIAS_none, &blocks);
        alias = s ? overlaps(vs, &s->code.meta) : ALIAS_none;
    }
    if (alias == ALIAS_none)
        return s;
    py_drop_captures(vs);
    memset(blocks.whole, 0, sizeof blocks.whole);
    return get_spec(k, vs, alias, &blocks);
}
