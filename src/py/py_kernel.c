/* Kernels as Python objects: finding the specialisation for the arguments, launching it. A warm
   launch runs no Python code and allocates nothing. */
#include "py/py.h"
#include "rt/pool.h"
#include <structmember.h>

typedef struct spec {
    uint64_t tags[RT_MAX_ARG];
    uint32_t ntags;
    int alias;
    py_env env;
    drv_result code;
    front_result front;
    PyObject **capture_names;
    double ms;
    struct spec *next;
} spec;

typedef struct {
    PyObject_HEAD PyObject *fn, *options, *dict;
    vectorcallfunc call;
    spec *specs;
    PyThread_type_lock lock;
    PyObject *params, *defaults; /* tuples */
    int serial, opt_level, fastmath, disk;
} kernel;

typedef struct {
    int given; /* 0 inferred, 1 blocks and threads, 2 over */
    int64_t n[3], block[3];
} domain;

typedef struct {
    PyObject_HEAD vectorcallfunc call;
    kernel *k;
    domain d;
} launcher;

typedef struct {
    PyObject *v;
    st_kind kind;
    py_array a;
    Py_buffer view;
} value;

typedef struct {
    value v[RT_MAX_ARG];
    uint32_t n, nparams;
} values;

static const char *param_name(kernel *k, uint32_t i) {
    return i < (uint32_t)PyTuple_GET_SIZE(k->params)
               ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(k->params, i))
               : "captured";
}

static void release(values *vs) {
    for (uint32_t i = 0; i < vs->n; i++)
        if (vs->v[i].view.obj)
            PyBuffer_Release(&vs->v[i].view);
}

static int classify(value *v, PyObject *x, const char *name) {
    v->v = x;
    if (x == Py_None)
        v->kind = ST_none;
    else if (PyBool_Check(x))
        v->kind = ST_bool;
    else if (PyLong_Check(x))
        v->kind = ST_int;
    else if (PyFloat_Check(x))
        v->kind = ST_float;
    else {
        int r = py_array_of(x, name, &v->a, &v->view);
        if (r < 0)
            return -1;
        v->kind = ST_tensor;
        if (r == 0 || (v->a.rank == 0 && !PyObject_CheckBuffer(x))) {
            if (PyIndex_Check(x))
                v->kind = ST_int;
            else if (PyNumber_Check(x) && !PySequence_Check(x) && !PyComplex_Check(x))
                v->kind = ST_float;
            else {
                const char *tip = PyList_Check(x) ? "; pass a NumPy array" : "";
                PyErr_Format(PyExc_TypeError,
                             "parameter '%s' is a %s, which a kernel cannot take%s", name,
                             Py_TYPE(x)->tp_name, tip);
                return -1;
            }
        }
    }
    return 0;
}

static uint64_t tag_of(const value *v) {
    if (v->kind != ST_tensor)
        return (uint64_t)v->kind;
    return (uint64_t)v->kind | (uint64_t)v->a.dt << 8 | (uint64_t)v->a.rank << 16 |
           (uint64_t)v->a.contig << 24;
}

/* Positional, keyword and default arguments into parameter order. */
static int bind(kernel *k, PyObject *const *args, Py_ssize_t n, PyObject *kwnames, values *out) {
    Py_ssize_t np = PyTuple_GET_SIZE(k->params), nd = PyTuple_GET_SIZE(k->defaults);
    PyObject *x[RT_MAX_ARG] = {0};
    if (n > np || np > RT_MAX_ARG) {
        PyErr_Format(PyExc_TypeError, "%U() takes %zd arguments but %zd were given",
                     ((PyFunctionObject *)k->fn)->func_name, np, n);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        x[i] = args[i];
    for (Py_ssize_t j = 0; kwnames && j < PyTuple_GET_SIZE(kwnames); j++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, j);
        Py_ssize_t i = 0;
        while (i < np && PyUnicode_Compare(PyTuple_GET_ITEM(k->params, i), name))
            i++;
        if (i == np || x[i]) {
            PyErr_Format(PyExc_TypeError,
                         i == np ? "%U() has no parameter '%U'" : "%U() got two values for '%U'",
                         ((PyFunctionObject *)k->fn)->func_name, name);
            return -1;
        }
        x[i] = args[n + j];
    }
    for (Py_ssize_t i = 0; i < np; i++) {
        if (!x[i] && i >= np - nd)
            x[i] = PyTuple_GET_ITEM(k->defaults, i - (np - nd));
        if (!x[i]) {
            PyErr_Format(PyExc_TypeError, "%U() is missing the argument '%U'",
                         ((PyFunctionObject *)k->fn)->func_name, PyTuple_GET_ITEM(k->params, i));
            return -1;
        }
        out->n = (uint32_t)i + 1;
        if (classify(&out->v[i], x[i], param_name(k, (uint32_t)i)))
            return -1;
    }
    out->n = out->nparams = (uint32_t)np;
    return 0;
}

static bool guards_hold(const spec *s) {
    for (uint32_t i = 0; i < s->env.nguards; i++) {
        const py_guard *g = &s->env.guards[i];
        PyObject *now = py_lookup(g->fn, g->name);
        if (now == g->value)
            continue;
        if (!now || !g->by_value || PyObject_RichCompareBool(now, g->value, Py_EQ) != 1)
            return false;
    }
    return true;
}

/* Adds what the specialisation captures; false when it no longer fits. */
static bool capture(const spec *s, values *vs) {
    vs->n = vs->nparams;
    for (uint32_t i = 0; i < s->front.ncaptures && vs->n < RT_MAX_ARG; i++) {
        PyObject *x = py_lookup(s->front.captures[i].fn, s->capture_names[i]);
        memset(&vs->v[vs->n].view, 0, sizeof(Py_buffer));
        if (!x || classify(&vs->v[vs->n], x, s->front.captures[i].name)) {
            PyErr_Clear();
            return false;
        }
        vs->n++;
        if (vs->n - 1 < s->ntags && tag_of(&vs->v[vs->n - 1]) != s->tags[vs->n - 1])
            return false;
    }
    return true;
}

static spec *find(kernel *k, values *vs, int alias) {
    uint64_t tags[RT_MAX_ARG];
    for (uint32_t i = 0; i < vs->nparams; i++)
        tags[i] = tag_of(&vs->v[i]);
    for (spec *s = k->specs; s; s = s->next)
        if (s->alias == alias && !memcmp(s->tags, tags, vs->nparams * sizeof *tags) &&
            guards_hold(s) && capture(s, vs))
            return s;
    vs->n = vs->nparams;
    return NULL;
}

static void spec_free(spec *s) {
    if (!s)
        return;
    rt_code_free(s->code.code);
    Py_XDECREF(s->env.keep);
    Py_XDECREF(s->env.file_names);
    arena_free(s->env.mem);
    free(s->code.text);
    PyMem_Free(s);
}

static status lower(kernel *k, values *vs, spec *s, diag *d, ir_func **f) {
    front_param *p = ARENA_ARRAY(s->env.mem, front_param, vs->nparams + 1);
    for (uint32_t i = 0; i < vs->nparams; i++) {
        const value *v = &vs->v[i];
        s->tags[i] = tag_of(v);
        p[i] = (front_param){param_name(k, i), v->kind, v->a.dt, v->a.rank, v->a.contig};
    }
    s->ntags = vs->nparams;
    front_env fe = py_env_front(&s->env);
    TRY(front_lower(s->env.mem, d, &fe, k->fn, p, vs->nparams, f, &s->front));
    s->capture_names = ARENA_ARRAY(s->env.mem, PyObject *, s->front.ncaptures + 1);
    for (uint32_t i = 0; i < s->front.ncaptures; i++) {
        s->capture_names[i] = PyUnicode_InternFromString(s->front.captures[i].name);
        PyList_Append(s->env.keep, s->capture_names[i]);
        Py_DECREF(s->capture_names[i]);
        PyObject *x = py_lookup(s->front.captures[i].fn, s->capture_names[i]);
        value v = {0};
        if (x && !classify(&v, x, "captured") && s->ntags < RT_MAX_ARG)
            s->tags[s->ntags++] = tag_of(&v);
        if (v.view.obj)
            PyBuffer_Release(&v.view);
    }
    return OK;
}

/* Front end under the GIL, the rest without it. */
static spec *compile(kernel *k, values *vs, int alias, const char *stage) {
    py_state *st = py_state_of(Py_TYPE(k));
    spec *s = PyMem_Calloc(1, sizeof *s);
    if (!s)
        return (spec *)PyErr_NoMemory();
    s->alias = alias;
    s->env = (py_env){.kernel_fn = k->fn,
                      .mem = arena_new(),
                      .keep = PyList_New(0),
                      .state = st,
                      .file_names = PyList_New(0)};
    diag d = {.mem = s->env.mem};
    ir_func *f = NULL;
    status ok = lower(k, vs, s, &d, &f);
    if (ok == OK) {
        drv_options o = {.cache_dir = k->disk ? st->cache_dir : NULL,
                         .llvm_path = st->llvm_path,
                         .build = st->build,
                         .dump_dir = st->dump_dir,
                         .cache_bytes = 256 << 20,
                         .alias = alias,
                         .opt_level = k->opt_level,
                         .fastmath = k->fastmath,
                         .stage = stage,
                         .prints = s->front.prints};
        Py_BEGIN_ALLOW_THREADS ok = drv_compile(f, &o, &d, &s->code);
        Py_END_ALLOW_THREADS
    }
    if (ok != OK) {
        py_raise(&s->env, &d, ok);
        spec_free(s);
        return NULL;
    }
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

/* Does an array that is written overlap another? */
static int overlaps(const values *vs, uint64_t written) {
    const char *lo[RT_MAX_ARG], *hi[RT_MAX_ARG];
    for (uint32_t i = 0; i < vs->n; i++)
        if (vs->v[i].kind == ST_tensor)
            hull(&vs->v[i].a, &lo[i], &hi[i]);
    for (uint32_t i = 0; i < vs->n; i++) {
        if (vs->v[i].kind != ST_tensor || !(written >> i & 1))
            continue;
        if (self_overlap(&vs->v[i].a))
            return 1;
        for (uint32_t j = 0; j < vs->n; j++)
            if (j != i && vs->v[j].kind == ST_tensor && lo[i] < hi[j] && lo[j] < hi[i])
                return 1;
    }
    return 0;
}

/* None is no IR argument: numbers of IR arguments to those of ours. */
static const value *ir_arg(const values *vs, int k) {
    for (uint32_t i = 0; i < vs->n; i++)
        if (vs->v[i].kind != ST_none && k-- == 0)
            return &vs->v[i];
    return NULL;
}

static int infer_domain(const rt_meta *m, const values *vs, int64_t n[3]) {
    n[0] = n[1] = n[2] = 1;
    for (int d = 0; d < m->ndim; d++) {
        int64_t best[2] = {-1, -1};
        if (!(m->dims >> d & 1))
            continue;
        for (int i = 0; i < m->nextent; i++) {
            const rt_extent *x = &m->extent[i];
            const value *v = ir_arg(vs, x->arg);
            if (x->dim == d && v && v->kind == ST_tensor && v->a.shape[x->axis] > best[x->weight])
                best[x->weight] = v->a.shape[x->axis];
        }
        n[d] = best[1] >= 0 ? best[1] : best[0];
        if (n[d] < 0) {
            PyErr_Format(PyExc_TypeError,
                         "cannot infer how many work-items to run along dim %d: no subscript is "
                         "that id alone; "
                         "call k.over(n)(...) or k[blocks, threads](...)",
                         d);
            return -1;
        }
    }
    if (!m->ndim) {
        PyErr_SetString(PyExc_TypeError, "cannot infer how many work-items to run; call "
                                         "k.over(n)(...) or k[blocks, threads](...)");
        return -1;
    }
    return 0;
}

static int check_bounds(kernel *k, const rt_meta *m, const values *vs, const int64_t n[3]) {
    for (int i = 0; i < m->nbound; i++) {
        const rt_bound *b = &m->bound[i];
        const value *v = ir_arg(vs, b->arg);
        if (!v || v->kind != ST_tensor)
            continue;
        int64_t lo = b->k, hi = b->k, extent = v->a.shape[b->axis];
        for (int d = 0; d < 3; d++) {
            int64_t span = b->c[d] * (n[d] - 1);
            lo += span < 0 ? span : 0;
            hi += span > 0 ? span : 0;
        }
        if (lo < -extent || hi >= extent) {
            PyErr_Format(PyExc_ValueError,
                         "line %u: index of '%s' along axis %d reaches from %lld to %lld, but its "
                         "extent is %lld; guard the access "
                         "with an if, or give the domain with .over(n)",
                         b->site, param_name(k, (uint32_t)(v - vs->v)), b->axis, (long long)lo,
                         (long long)hi, (long long)extent);
            return -1;
        }
    }
    return 0;
}

static int set_blocks(const rt_meta *m, const domain *d, rt_launch *l) {
    static const int64_t one[3] = {256, 1, 1}, two[3] = {16, 16, 1};
    bool flat = l->n[1] == 1 && l->n[2] == 1;
    for (int i = 0; i < 3; i++) {
        l->block[i] = d->given == 1 ? d->block[i] : flat ? one[i] : two[i];
        if (m->flat && flat && d->given != 1 && i == 0)
            l->block[i] = 4096;
        l->nblk[i] = (l->n[i] + l->block[i] - 1) / l->block[i];
    }
    if (!m->flat && l->block[0] * l->block[1] * l->block[2] > 1024) {
        PyErr_SetString(PyExc_ValueError, "a block has at most 1024 work-items");
        return -1;
    }
    return 0;
}

typedef struct {
    spec *s;
    PyObject *list;
    int failed;
} printing;

static void on_print(void *ctx, int64_t slot, int64_t n, const int64_t *v) {
    printing *p = ctx;
    PyGILState_STATE g = PyGILState_Ensure();
    PyObject *rec = PyList_New(0);
    front_print *fp = &p->s->front.prints[slot];
    (void)n;
    for (uint32_t i = 0; rec && i < fp->n; i++) {
        front_piece *q = &fp->pieces[i];
        PyObject *x;
        if (q->value < 0)
            x = PyUnicode_FromString(q->text ? q->text : "");
        else {
            int64_t raw = v[q->value];
            double f;
            memcpy(&f, &raw, 8);
            PyObject *val = dtype_is_float(q->dt) ? PyFloat_FromDouble(f)
                            : q->dt == DT_bool    ? PyBool_FromLong((long)raw)
                            : q->dt == DT_u64     ? PyLong_FromUnsignedLongLong((uint64_t)raw)
                                                  : PyLong_FromLongLong(raw);
            x = Py_BuildValue("(NsCs)", val, q->spec ? q->spec : "",
                              q->conversion ? q->conversion : ' ', dtype_table[q->dt].name);
        }
        if (x)
            PyList_Append(rec, x);
        Py_XDECREF(x);
    }
    if (!rec || PyList_Append(p->list, rec))
        p->failed = 1;
    Py_XDECREF(rec);
    PyErr_Clear();
    PyGILState_Release(g);
}

static int show(kernel *k, printing *p) {
    py_state *st = py_state_of(Py_TYPE(k));
    if (!st->show)
        st->show = PyImport_ImportModule("pyasc._print");
    PyObject *r = st->show ? PyObject_CallMethod(st->show, "show", "O", p->list) : NULL;
    Py_XDECREF(r);
    return r ? 0 : -1;
}

static void pack(const values *vs, int64_t *slots) {
    for (uint32_t i = 0; i < vs->n; i++) {
        const value *v = &vs->v[i];
        double f;
        switch (v->kind) {
        case ST_none: break;
        case ST_bool: *slots++ = v->v == Py_True; break;
        case ST_int: {
            PyObject *x = PyNumber_Index(v->v);
            *slots++ = x ? PyLong_AsLongLong(x) : -1;
            Py_XDECREF(x);
            break;
        }
        case ST_float:
            f = PyFloat_AsDouble(v->v);
            memcpy(slots++, &f, 8);
            break;
        default:
            *slots++ = (int64_t)(intptr_t)v->a.data;
            memcpy(slots, v->a.shape, sizeof(int64_t) * (size_t)v->a.rank);
            memcpy(slots + v->a.rank, v->a.stride, sizeof(int64_t) * (size_t)v->a.rank);
            slots += 2 * v->a.rank;
        }
    }
}

static int run(kernel *k, spec *s, values *vs, const domain *d) {
    const rt_meta *m = &s->code.meta;
    rt_launch l = {.n = {1, 1, 1}};
    int64_t slots[2048], nblocks = 1;
    for (uint32_t i = 0, a = 0; i < vs->n; i++) {
        if (vs->v[i].kind == ST_none)
            continue;
        if (vs->v[i].kind == ST_tensor && vs->v[i].a.readonly && (m->written >> a & 1)) {
            PyErr_Format(PyExc_ValueError,
                         "parameter '%s' is read-only and the kernel writes it; pass a copy",
                         param_name(k, i));
            return -1;
        }
        a++;
    }
    if (m->simt) {
        for (int i = 0; i < 3; i++)
            l.n[i] = d->given ? d->n[i] : 1;
        if (!d->given && infer_domain(m, vs, l.n))
            return -1;
        if (l.n[0] <= 0 || l.n[1] <= 0 || l.n[2] <= 0)
            return 0;
        if ((!d->given && check_bounds(k, m, vs, l.n)) || set_blocks(m, d, &l))
            return -1;
        nblocks = l.nblk[0] * l.nblk[1] * l.nblk[2];
    }
    pack(vs, slots);
    if (PyErr_Occurred())
        return -1;
    printing p = {.s = s};
    if (s->front.nprints) {
        p.list = PyList_New(0);
        l.ctx = &p;
        l.print = on_print;
    }
    int failed;
    bool one = m->serial || k->serial;
    Py_BEGIN_ALLOW_THREADS failed =
        rt_pool_run(s->code.entry, slots, &l, nblocks, (size_t)m->scratch, one ? 1 : 0);
    Py_END_ALLOW_THREADS if (p.list && !failed && show(k, &p)) failed = 2;
    Py_XDECREF(p.list);
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    return failed ? -1 : 0;
}

static spec *get_spec(kernel *k, values *vs, int alias) {
    spec *s = find(k, vs, alias);
    if (s)
        return s;
    Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(k->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS s = find(k, vs, alias);
    if (!s && (s = compile(k, vs, alias, NULL))) {
        s->next = k->specs;
        k->specs = s;
        if (!capture(s, vs) && !PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a captured value cannot be used in a kernel");
    }
    PyThread_release_lock(k->lock);
    return PyErr_Occurred() ? NULL : s;
}

/* What is written is known once a version is compiled; it decides whether overlap matters. */
static spec *spec_for(kernel *k, values *vs) {
    spec *s = get_spec(k, vs, 0);
    if (!s)
        return NULL;
    uint64_t written = 0;
    for (uint32_t i = 0, a = 0; i < vs->n; i++)
        if (vs->v[i].kind != ST_none)
            written |= (s->code.meta.written >> a++ & 1) << i;
    return overlaps(vs, written) ? get_spec(k, vs, 1) : s;
}

static PyObject *launch(kernel *k, const domain *d, PyObject *const *args, size_t nargsf,
                        PyObject *kwnames) {
    values vs;
    vs.n = vs.nparams = 0;
    for (int i = 0; i < RT_MAX_ARG; i++)
        vs.v[i].view.obj = NULL;
    int bad = bind(k, args, PyVectorcall_NARGS(nargsf), kwnames, &vs);
    spec *s = bad ? NULL : spec_for(k, &vs);
    bad = !s || run(k, s, &vs, d);
    release(&vs);
    if (bad)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *kernel_call(PyObject *self, PyObject *const *args, size_t n, PyObject *kw) {
    static const domain inferred = {0};
    return launch((kernel *)self, &inferred, args, n, kw);
}
static PyObject *launcher_call(PyObject *self, PyObject *const *args, size_t n, PyObject *kw) {
    launcher *l = (launcher *)self;
    return launch(l->k, &l->d, args, n, kw);
}

static int dims(PyObject *x, int64_t out[3]) {
    PyObject *t = PyTuple_Check(x) ? Py_NewRef(x) : PyTuple_Pack(1, x);
    Py_ssize_t n = t ? PyTuple_GET_SIZE(t) : 0;
    out[0] = out[1] = out[2] = 1;
    for (Py_ssize_t i = 0; i < n && i < 3; i++) {
        Py_ssize_t v = PyNumber_AsSsize_t(PyTuple_GET_ITEM(t, i), PyExc_OverflowError);
        if (v < 0) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "sizes of a launch are not negative");
            break;
        }
        out[i] = v;
    }
    Py_XDECREF(t);
    if (n < 1 || n > 3)
        PyErr_SetString(PyExc_ValueError, "a launch has 1 to 3 dimensions");
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *make_launcher(kernel *k, const domain *d) {
    py_state *st = py_state_of(Py_TYPE(k));
    launcher *l = PyObject_New(launcher, st->launcher);
    if (l) {
        l->k = (kernel *)Py_NewRef((PyObject *)k);
        l->d = *d;
        l->call = launcher_call;
    }
    return (PyObject *)l;
}

static PyObject *kernel_subscript(PyObject *self, PyObject *key) {
    domain d = {.given = 1};
    int64_t blocks[3];
    if (!PyTuple_Check(key) || PyTuple_GET_SIZE(key) != 2) {
        PyErr_SetString(PyExc_TypeError, "write kernel[blocks, threads](...)");
        return NULL;
    }
    if (dims(PyTuple_GET_ITEM(key, 0), blocks) || dims(PyTuple_GET_ITEM(key, 1), d.block))
        return NULL;
    for (int i = 0; i < 3; i++) {
        if (d.block[i] < 1) {
            PyErr_SetString(PyExc_ValueError, "a block has at least one work-item");
            return NULL;
        }
        if (__builtin_mul_overflow(blocks[i], d.block[i], &d.n[i])) {
            PyErr_SetString(PyExc_OverflowError, "the launch has too many work-items");
            return NULL;
        }
    }
    return make_launcher((kernel *)self, &d);
}

static PyObject *kernel_over(PyObject *self, PyObject *args) {
    domain d = {.given = 2};
    int64_t in[3];
    if (dims(args, in))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    for (int i = 0; i < 3; i++)
        d.n[i] = i < n ? in[n - 1 - i] : 1;
    return make_launcher((kernel *)self, &d);
}

static PyObject *text_of(PyObject *self, PyObject *const *args, Py_ssize_t n, const char *stage) {
    kernel *k = (kernel *)self;
    values vs = {0};
    PyObject *r = NULL;
    if (!bind(k, args, n, NULL, &vs)) {
        spec *s = compile(k, &vs, 0, stage);
        if (s)
            r = PyUnicode_FromString(s->code.text ? s->code.text : "");
        spec_free(s);
    }
    release(&vs);
    return r;
}
static PyObject *kernel_ir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    const char *stage = "final";
    if (kw && PyTuple_GET_SIZE(kw) == 1 && PyUnicode_Check(args[n]))
        stage = PyUnicode_AsUTF8(args[n]);
    return text_of(self, args, n, stage);
}
static PyObject *kernel_llvm(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    return text_of(self, args, n, "llvm");
}
static PyObject *kernel_asm(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    return text_of(self, args, n, "asm");
}
static PyObject *kernel_warmup(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    values vs = {0};
    spec *s = bind((kernel *)self, args, n, NULL, &vs) ? NULL : spec_for((kernel *)self, &vs);
    release(&vs);
    if (!s)
        return NULL;
    Py_RETURN_NONE;
}
static PyObject *kernel_cache_info(PyObject *self, PyObject *unused) {
    PyObject *list = PyList_New(0);
    (void)unused;
    for (spec *s = ((kernel *)self)->specs; s && list; s = s->next) {
        PyObject *types = PyList_New(0);
        for (uint32_t i = 0; types && i < s->ntags; i++) {
            unsigned kind = s->tags[i] & 255;
            PyObject *t =
                kind == ST_tensor
                    ? PyUnicode_FromFormat("%s[%d]%s", dtype_table[s->tags[i] >> 8 & 255].name,
                                           (int)(s->tags[i] >> 16 & 255),
                                           s->tags[i] >> 24 ? "" : " strided")
                    : PyUnicode_FromString(kind == ST_int     ? "int"
                                           : kind == ST_float ? "float"
                                           : kind == ST_bool  ? "bool"
                                                              : "None");
            PyList_Append(types, t);
            Py_XDECREF(t);
        }
        PyObject *d = Py_BuildValue("{s:N,s:O,s:O,s:i}", "types", types, "from_cache",
                                    s->code.from_cache ? Py_True : Py_False, "alias",
                                    s->alias ? Py_True : Py_False, "width", s->code.meta.width);
        if (d)
            PyList_Append(list, d);
        Py_XDECREF(d);
    }
    return list;
}

static int option(PyObject *options, const char *name, int otherwise) {
    PyObject *v = options && PyDict_Check(options) ? PyDict_GetItemString(options, name) : NULL;
    return v && v != Py_None ? (PyLong_Check(v) ? (int)PyLong_AsLong(v) : PyObject_IsTrue(v))
                             : otherwise;
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kw) {
    PyObject *fn, *options;
    (void)kw;
    if (!PyArg_ParseTuple(args, "O!O", &PyFunction_Type, &fn, &options))
        return NULL;
    kernel *k = (kernel *)type->tp_alloc(type, 0);
    if (!k)
        return NULL;
    k->fn = Py_NewRef(fn);
    k->options = Py_NewRef(options);
    k->call = kernel_call;
    k->lock = PyThread_allocate_lock();
    PyObject *code = PyFunction_GET_CODE(fn), *names = PyObject_GetAttrString(code, "co_varnames");
    k->params = names ? PyTuple_GetSlice(names, 0, ((PyCodeObject *)code)->co_argcount) : NULL;
    Py_XDECREF(names);
    PyObject *defaults = PyFunction_GET_DEFAULTS(fn);
    k->defaults = defaults ? Py_NewRef(defaults) : PyTuple_New(0);
    k->serial = !option(options, "parallel", 1);
    k->opt_level = option(options, "opt_level", 3);
    k->fastmath = option(options, "fastmath", 1) ? 0 : -1;
    k->disk = option(options, "cache", 1);
    return k->params ? (PyObject *)k : NULL;
}

static void kernel_dealloc(PyObject *self) {
    kernel *k = (kernel *)self;
    PyTypeObject *t = Py_TYPE(self);
    for (spec *s = k->specs, *next; s; s = next) {
        next = s->next;
        spec_free(s);
    }
    Py_XDECREF(k->fn);
    Py_XDECREF(k->options);
    Py_XDECREF(k->dict);
    Py_XDECREF(k->params);
    Py_XDECREF(k->defaults);
    if (k->lock)
        PyThread_free_lock(k->lock);
    t->tp_free(self);
    Py_DECREF(t);
}
static void launcher_dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    Py_DECREF(((launcher *)self)->k);
    PyObject_Free(self);
    Py_DECREF(t);
}

static PyMethodDef methods[] = {
    {"over", kernel_over, METH_VARARGS,
     "k.over(n)(...) or k.over(rows, cols)(...): run exactly that many work-items."},
    {"ir", (PyCFunction)(void (*)(void))kernel_ir, METH_FASTCALL | METH_KEYWORDS,
     "k.ir(*args, stage='final'): the IR after a pass."},
    {"llvm_ir", (PyCFunction)(void (*)(void))kernel_llvm, METH_FASTCALL,
     "The optimised LLVM IR for these arguments."},
    {"asm", (PyCFunction)(void (*)(void))kernel_asm, METH_FASTCALL,
     "The machine code for these arguments, as assembly."},
    {"warmup", (PyCFunction)(void (*)(void))kernel_warmup, METH_FASTCALL,
     "Compile for these arguments without running."},
    {"cache_info", kernel_cache_info, METH_NOARGS, "The specialisations compiled so far."},
    {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"fn", T_OBJECT, offsetof(kernel, fn), READONLY, "the Python function"},
    {"__wrapped__", T_OBJECT, offsetof(kernel, fn), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(kernel, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(kernel, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot kernel_slots[] = {{Py_tp_new, kernel_new},
                                     {Py_tp_dealloc, kernel_dealloc},
                                     {Py_tp_call, PyVectorcall_Call},
                                     {Py_mp_subscript, kernel_subscript},
                                     {Py_tp_methods, methods},
                                     {Py_tp_members, members},
                                     {Py_tp_doc, "A compiled kernel. Made by @pyasc.jit."},
                                     {0, NULL}};
PyType_Spec py_kernel_spec = {"pyasc.Kernel", sizeof(kernel), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, kernel_slots};
static PyMemberDef launcher_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(launcher, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot launcher_slots[] = {{Py_tp_dealloc, launcher_dealloc},
                                       {Py_tp_call, PyVectorcall_Call},
                                       {Py_tp_members, launcher_members},
                                       {0, NULL}};
PyType_Spec py_launcher_spec = {"pyasc.Launch", sizeof(launcher), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, launcher_slots};
