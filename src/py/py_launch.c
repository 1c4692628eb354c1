/* One launch: domain, checks, blocks, and the pool. Runs no Python code and allocates nothing,
   unless the kernel prints. */
#include "py/py_kernel.h"
#include "py/py_watch.h"
#include "rt/pool.h"
#include "rt/raise.h"
#include "rt/together.h"

/* The IR's arguments; None and the like are none. Their number. */
static int ir_args(const py_values *vs, const py_value *ir[RT_MAX_ARG]) {
    int n = 0;
    for (uint32_t i = 0; i < vs->n; i++)
        if (py_in_ir(&vs->v[i]))
            ir[n++] = &vs->v[i];
    return n;
}

static int infer_domain(const rt_meta *m, const py_value *const *ir, int64_t n[3]) {
    n[0] = n[1] = n[2] = 1;
    for (int d = 0; d < m->ndim; d++) {
        int64_t best[2] = {-1, -1};
        if (!(m->dims >> d & 1))
            continue;
        for (int i = 0; i < m->nextent; i++) {
            const rt_extent *x = &m->extent[i];
            if (x->dim == d && x->arg >= 0 && ir[x->arg]->kind == ST_tensor &&
                ir[x->arg]->a.shape[x->axis] > best[x->weight])
                best[x->weight] = ir[x->arg]->a.shape[x->axis];
        }
        n[d] = best[1] >= 0 ? best[1] : best[0];
        if (n[d] < 0) {
            PyErr_Format(PyExc_TypeError,
                         "cannot tell how many work-items to run along dim %d: no subscript is "
                         "that id alone; write k.over(n)(...) or k[blocks, threads](...)",
                         d);
            return -1;
        }
    }
    if (!m->ndim) {
        PyErr_SetString(PyExc_TypeError, "cannot tell how many work-items to run; write "
                                         "k.over(n)(...) or k[blocks, threads](...)");
        return -1;
    }
    return 0;
}

static int check_bounds(const rt_meta *m, const py_value *const *ir, const int64_t n[3]) {
    for (int i = 0; i < m->nbound; i++) {
        const rt_bound *b = &m->bound[i];
        const py_value *v = b->arg < 0 ? NULL : ir[b->arg];
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
                         b->site, v->name, b->axis, (long long)lo, (long long)hi,
                         (long long)extent);
            return -1;
        }
    }
    return 0;
}

static int64_t within(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : v > hi ? hi : v; }

/* Blocks whose shape does not show: short work-items in thousands, along dim 0 first; of long ones
   enough blocks for all threads, but vectors along dim 0 whole. Depends on the domain alone. */
static void choose_blocks(const rt_meta *m, rt_launch *l) {
    enum { SHORT = 4096, LONG = 256, BLOCKS = 64, VECTOR = 64 };
    double all = (double)l->n[0] * (double)l->n[1] * (double)l->n[2];
    int64_t budget = m->loops ? (int64_t)(all / BLOCKS < LONG ? all / BLOCKS : LONG) : SHORT;
    int64_t least = m->strip > VECTOR ? m->strip : VECTOR;
    l->block[0] = within(budget, l->n[0] < least ? l->n[0] : least, l->n[0]);
    l->block[1] = l->block[2] = 1;
    if (l->n[1] == 1 && l->n[2] == 1)
        return;
    l->block[1] = within(budget / l->block[0], 1, l->n[1]);
    l->block[2] = within(budget / l->block[0] / l->block[1], 1, l->n[2]);
}

static const int64_t *shape_of_block(const py_domain *d, const int64_t n[3]) {
    static const int64_t one[3] = {256, 1, 1}, two[3] = {16, 16, 1};
    return d->given == 1 ? d->block : n[1] == 1 && n[2] == 1 ? one : two;
}

/* Blocks that are too large are an error of kernels with barriers: those as they were written. */
void py_whole_blocks(const py_domain *d, int64_t block[3]) {
    enum { MOST = 1024 };
    const int64_t *shape = d && d->given ? shape_of_block(d, d->n) : NULL;
    bool whole = shape && shape[0] <= MOST && shape[1] <= MOST && shape[2] <= MOST &&
                 shape[0] * shape[1] * shape[2] <= MOST;
    for (int i = 0; whole && i < 3; i++)
        whole = d->n[i] % shape[i] == 0;
    for (int i = 0; i < 3; i++)
        block[i] = whole ? shape[i] : 0;
}

static int set_blocks(const rt_meta *m, const py_domain *d, rt_launch *l) {
    const int64_t *shape = shape_of_block(d, l->n);
    for (int i = 0; i < 3; i++)
        l->block[i] = m->whole ? l->n[i] : shape[i];
    if (m->flat && !m->whole && (d->given != 1 || m->tiled == IR_FORWARDED))
        choose_blocks(m, l);
    for (int i = 0; i < 3; i++)
        l->nblk[i] = l->n[i] <= l->block[i] ? 1 : (l->n[i] + l->block[i] - 1) / l->block[i];
    if (!m->flat && l->block[0] * l->block[1] * l->block[2] > 1024) {
        PyErr_SetString(PyExc_ValueError, "a block has at most 1024 work-items in a kernel with "
                                          "barriers; write more blocks of fewer threads");
        return -1;
    }
    return 0;
}

typedef struct {
    py_spec *s;
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
        PyObject *x = py_piece(q, q->dt, q->value < 0 ? 0 : v[q->value]);
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

static int show(py_kernel *k, printing *p) {
    py_state *st = k->st;
    if (!st->show)
        st->show = PyImport_ImportModule("pyasc._print");
    PyObject *r = st->show ? PyObject_CallMethod(st->show, "show", "O", p->list) : NULL;
    Py_XDECREF(r);
    return r ? 0 : -1;
}

static uint64_t mix(uint64_t h, int64_t x) {
    return (h ^ (uint64_t)x) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns a hash of extents and integers: a launch costs what one with the same did. */
static uint64_t pack(const py_value *const *ir, int n, int64_t *slots) {
    uint64_t h = 0;
    for (int i = 0; i < n; i++) {
        const py_value *v = ir[i];
        double f;
        if (v->kind == ST_tensor) {
            int r = v->a.rank;
            slots[0] = (int64_t)(intptr_t)v->a.data;
            for (int d = 0; d < r; d++) {
                slots[1 + d] = v->a.shape[d];
                h = mix(h, v->a.shape[d]);
                slots[1 + r + d] = v->a.stride[d];
            }
            slots += 1 + 2 * r;
        } else if (v->kind == ST_bool)
            *slots++ = PyObject_IsTrue(v->v) == 1;
        else if (v->kind == ST_float) {
            f = PyFloat_AsDouble(v->v);
            memcpy(slots++, &f, 8);
        } else {
            PyObject *x = PyNumber_Index(v->v);
            *slots = x ? PyLong_AsLongLong(x) : -1;
            h = mix(h, *slots++);
            Py_XDECREF(x);
        }
    }
    return h;
}

static int check_written(const rt_meta *m, const py_value *const *ir, int n) {
    for (int i = 0; i < n; i++)
        if (ir[i]->kind == ST_tensor && ir[i]->a.readonly && (m->written >> i & 1)) {
            PyErr_Format(PyExc_ValueError,
                         "parameter '%s' is read-only and the kernel writes it; pass a copy",
                         ir[i]->name);
            return -1;
        }
    return 0;
}

/* 1: set, with the number of blocks; 0: no work-items; -1. */
static int set_domain(const rt_meta *m, const py_value *const *ir, const py_domain *d, rt_launch *l,
                      int64_t *nblocks) {
    *nblocks = 1;
    if (!m->simt)
        return 1;
    for (int i = 0; d->given && i < 3; i++)
        l->n[i] = d->n[i];
    if (!d->given && infer_domain(m, ir, l->n))
        return -1;
    if (m->pairs)
        l->n[0] *= 2;
    if (l->n[0] <= 0 || l->n[1] <= 0 || l->n[2] <= 0)
        return 0;
    if ((!d->given && check_bounds(m, ir, l->n)) || set_blocks(m, d, l))
        return -1;
    *nblocks = l->nblk[0] * l->nblk[1] * l->nblk[2];
    return 1;
}

/* Microseconds at most: giving up the GIL and taking it again would be a fourth of the launch.
   NumPy keeps it for small arrays too. */
static bool tiny(const rt_meta *m, const rt_launch *l, int64_t nblocks) {
    enum { MOST = 1 << 15 }; /* scalar ops */
    return m->brief && nblocks == 1 && l->n[0] * l->n[1] * l->n[2] <= MOST / m->brief;
}

/* With the GIL; gives it up meanwhile. 0, or 1 with or without an error. */
static int go(py_kernel *k, const py_spec *s, const int64_t *slots, rt_launch *l, int64_t nblocks) {
    const rt_meta *m = &s->code.meta;
    bool one = m->serial || k->serial;
    int failed;
    py_watch w;
    if (tiny(m, l, nblocks))
        return rt_pool_run(s->code.entry, slots, l, 1, (size_t)m->scratch, 1);
    l->max_threads = k->serial;
    if (py_watch_begin(&w, k->st, "running", k->fn)) {
        w.done = &l->done;
        w.total = nblocks;
        l->poll = py_watch_poll;
        l->poll_ctx = &w;
    }
    rt_stuck stuck;
    bool together = m->together && nblocks <= RT_TOGETHER_MOST;
    Py_BEGIN_ALLOW_THREADS if (together) failed =
        rt_together(s->code.entry, slots, l, nblocks, (size_t)m->scratch, &stuck);
    else failed = rt_pool_run(s->code.entry, slots, l, nblocks, (size_t)m->scratch, one ? 1 : 0);
    if (l->tasks) {
        rt_tasks_sync(l->tasks);
        rt_tasks_free(l->tasks);
    }
    Py_END_ALLOW_THREADS if (together && failed == 2) PyErr_Format(
        PyExc_RuntimeError,
        "the cores of '%U' wait for each other for ever, core %lld of them in line %lld; every "
        "wait "
        "needs its set, and sync_all() every core",
        ((PyFunctionObject *)k->fn)->func_name, (long long)stuck.core, (long long)stuck.line);
    return failed || (l->stop && PyErr_Occurred()) || l->stop == RT_NO_MEMORY;
}

/* Field by field: compilers clear a struct of this size with an instruction that takes longer than
   all of it. */
static void begin(rt_launch *l) {
    for (int i = 0; i < 3; i++) {
        l->n[i] = 1;
        l->block[i] = l->nblk[i] = 0;
    }
    l->ctx = l->poll_ctx = NULL;
    l->print = NULL;
    l->poll = NULL;
    l->scratch = l->max_threads = 0;
    atomic_init(&l->stop, 0);
    atomic_init(&l->done, 0);
    atomic_init(&l->tasks, NULL);
    l->raised = NULL;
}

static int run(py_kernel *k, py_spec *s, py_values *vs, const py_domain *d) {
    const rt_meta *m = &s->code.meta;
    const py_value *ir[RT_MAX_ARG];
    rt_launch l;
    int64_t slots[2048], nblocks;
    int n = ir_args(vs, ir);
    begin(&l);
    if (check_written(m, ir, n))
        return -1;
    int some = set_domain(m, ir, d, &l, &nblocks);
    if (some < 1)
        return some;
    l.shape = pack(ir, n, slots);
    if (PyErr_Occurred())
        return -1;
    printing p = {.s = s};
    if (s->front.nprints) {
        p.list = PyList_New(0);
        l.ctx = &p;
        l.print = on_print;
    }
    rt_raised raised;
    if (s->front.nraises) {
        raised = (rt_raised){.lock = ATOMIC_FLAG_INIT, .other = -1};
        l.raised = &raised;
    }
    if (l.raised && m->races && !(raised.shadow = rt_shadow_new())) {
        PyErr_NoMemory();
        return -1;
    }
    int failed = go(k, s, slots, &l, nblocks);
    if (l.raised)
        rt_shadow_free(raised.shadow);
    if (p.list && !failed && show(k, &p))
        failed = 1;
    if (!failed && l.raised && raised.any) {
        py_raise_kernel(k, s, &l, &raised);
        failed = 1;
    }
    Py_XDECREF(p.list);
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    return failed ? -1 : 0;
}

PyObject *py_inferred(py_kernel *k, py_values *vs) {
    py_spec *s = py_spec_geometry(k, vs);
    if (!s)
        return NULL;
    const rt_meta *m = &s->code.meta;
    const py_value *ir[RT_MAX_ARG];
    int64_t n[3];
    PyObject *r = NULL;
    ir_args(vs, ir);
    if (!m->simt)
        r = Py_NewRef(Py_None);
    else if (!infer_domain(m, ir, n) &&
             (n[0] <= 0 || n[1] <= 0 || n[2] <= 0 || !check_bounds(m, ir, n)))
        r = Py_BuildValue("(LLL)", (long long)n[0], (long long)n[1], (long long)n[2]);
    py_spec_free(s);
    return r;
}

/* The domain is inferred, and then there may be a version for its blocks. 0: there is none, or an
   error is set. */
static py_spec *for_inferred(py_kernel *k, const py_spec *s, py_values *vs, py_domain *found) {
    const rt_meta *m = &s->code.meta;
    const py_value *ir[RT_MAX_ARG];
    int64_t block[3];
    ir_args(vs, ir);
    *found = (py_domain){.given = 2};
    if (infer_domain(m, ir, found->n) || found->n[0] <= 0 || found->n[1] <= 0 || found->n[2] <= 0 ||
        check_bounds(m, ir, found->n))
        return NULL;
    py_whole_blocks(found, block);
    if (!block[0])
        return NULL;
    py_drop_captures(vs);
    return py_spec_for(k, found, vs);
}

int py_run(py_kernel *k, const py_domain *d, py_values *vs) {
    py_spec *s = py_spec_for(k, d, vs), *better;
    py_domain found;
    if (!s || d->given || s->code.meta.tiled != IR_BY_BLOCK || s->alias != ALIAS_none)
        return s ? run(k, s, vs, d) : -1;
    better = for_inferred(k, s, vs, &found);
    if (PyErr_Occurred())
        return -1;
    return better ? run(k, better, vs, &found) : run(k, s, vs, d);
}

PyObject *py_launch(py_kernel *k, const py_domain *d, PyObject *const *args, size_t nargsf,
                    PyObject *kwnames) {
    py_values vs;
    vs.n = vs.nparams = 0;
    int bad = py_bind(k, args, PyVectorcall_NARGS(nargsf), kwnames, &vs);
    bad = bad || py_run(k, d, &vs);
    py_release(&vs);
    if (bad)
        return NULL;
    Py_RETURN_NONE;
}
