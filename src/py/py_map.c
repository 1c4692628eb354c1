/* Eager element-wise operations: any number of arrays, broadcast against each other, through a
   kernel of one, two or three dimensions. Dimensions that lie alike in all arrays become one; what
   is left beyond three is looped over here. */
#include "py/py_kernel.h"

enum { MAX_IN = 6 };
typedef struct {
    py_state *st;
    const char *name;
    PyObject *kernels; /* for 1, 2 and 3 dimensions */
    py_values in;      /* the arguments; numbers keep their kind */
    py_array out;
    py_hold out_hold;
    int rank;
    int64_t shape[PY_MAX_RANK + 1];
    uint64_t big[MAX_IN]; /* numbers from 2 ** 63 on */
} map;

/* The type of what is stored (NumPy's table, but integers do not widen floats). */
static int join(int a, int b) {
    if (a < 0 || a == b)
        return b;
    char ca = dtype_table[a].cls, cb = dtype_table[b].cls;
    int wa = dtype_table[a].bytes, wb = dtype_table[b].bytes;
    if (ca == 'B' || cb == 'B')
        return ca == 'B' ? b : a;
    if (ca == 'F' || cb == 'F')
        return ca != 'F' ? b : cb != 'F' ? a : wa == wb ? DT_f32 : wa > wb ? a : b;
    if (ca == cb)
        return wa > wb ? a : b;
    int i = ca == 'I' ? a : b, u = ca == 'U' ? a : b;
    if (dtype_table[i].bytes > dtype_table[u].bytes)
        return i;
    return u == DT_u8 ? DT_i16 : u == DT_u16 ? DT_i32 : u == DT_u32 ? DT_i64 : DT_u64;
}

/* Numbers are weak: they give way to the arrays' type, but not across bool, int, float. */
static int weak(int dt, const py_values *in, uint32_t from) {
    int kind = 0;
    for (uint32_t i = from; i < in->n; i++) {
        int k = in->v[i].kind == ST_bool ? 1 : in->v[i].kind == ST_int ? 2 : 3;
        if (in->v[i].kind != ST_tensor && k > kind)
            kind = k;
    }
    if (kind == 3 && (dt < 0 || !dtype_is_float((dtype)dt)))
        return DT_f32;
    if (kind == 2 && (dt < 0 || dt == DT_bool))
        return DT_i64;
    return kind == 1 && dt < 0 ? DT_bool : dt;
}

/* Of the arrays alone; -1: there are none. */
static int joined(const py_values *in, uint32_t from) {
    int dt = -1;
    for (uint32_t i = from; i < in->n; i++)
        if (in->v[i].kind == ST_tensor)
            dt = join(dt, in->v[i].a.dt);
    return dt;
}

static int result_type(const map *m, char rule, uint32_t from) {
    const py_values *in = &m->in;
    int dt = weak(joined(in, from), in, from);
    char cls = dt < 0 ? 0 : dtype_table[dt].cls;
    if ((rule == 'i' && cls == 'F') || (rule == 'n' && cls == 'B')) {
        PyErr_Format(PyExc_TypeError,
                     rule == 'i' ? "%s: operands of %S; it is for integers and bools"
                                 : "%s: operands of %S; it is for numbers",
                     m->name, m->st->dtypes[dt]);
        return -1;
    }
    if (rule == 'b')
        return DT_bool;
    if (rule == 'f' && dt >= 0 && !dtype_is_float((dtype)dt))
        return DT_f32;
    return dt;
}

static PyObject *shape_text(const py_array *a) {
    PyObject *t = PyTuple_New(a->rank);
    for (int i = 0; t && i < a->rank; i++)
        PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(a->shape[i]));
    return t;
}

static int mismatch(const map *m) {
    PyObject *list = PyList_New(0), *sep = PyUnicode_FromString(", "), *all;
    for (uint32_t i = 0; list && i < m->in.n; i++) {
        PyObject *t = m->in.v[i].kind == ST_tensor ? shape_text(&m->in.v[i].a) : NULL,
                 *s = t ? PyObject_Str(t) : NULL;
        if (s)
            PyList_Append(list, s);
        Py_XDECREF(s);
        Py_XDECREF(t);
    }
    all = list && sep ? PyUnicode_Join(sep, list) : NULL;
    PyErr_Format(PyExc_ValueError, "%s: shapes %V do not broadcast together", m->name, all, "?");
    Py_XDECREF(all);
    Py_XDECREF(sep);
    Py_XDECREF(list);
    return -1;
}

static int widen(map *m, const py_array *a) {
    int shift = a->rank - m->rank;
    if (shift > 0) {
        memmove(m->shape + shift, m->shape, sizeof *m->shape * (size_t)m->rank);
        for (int i = 0; i < shift; i++)
            m->shape[i] = 1;
        m->rank = a->rank;
    }
    for (int i = 0; i < a->rank; i++) {
        int64_t *n = &m->shape[m->rank - a->rank + i];
        if (*n == 1)
            *n = a->shape[i];
        else if (a->shape[i] != 1 && a->shape[i] != *n)
            return mismatch(m);
    }
    return 0;
}

/* a's strides for the common shape; 0 where it is repeated. */
static void spread(const map *m, py_array *a) {
    int shift = m->rank - a->rank;
    for (int i = m->rank - 1; i >= 0; i--) {
        bool there = i >= shift && a->shape[i - shift] != 1;
        a->stride[i] = there ? a->stride[i - shift] : 0;
        a->shape[i] = m->shape[i];
    }
    a->rank = m->rank;
}

/* All operands' arrays: the output first. */
static uint32_t operands(map *m, py_array *all[MAX_IN + 1]) {
    uint32_t n = 0;
    all[n++] = &m->out;
    for (uint32_t i = 0; i < m->in.n; i++)
        if (m->in.v[i].kind == ST_tensor)
            all[n++] = &m->in.v[i].a;
    return n;
}

static void drop_axis(map *m, py_array **all, uint32_t n, int axis) {
    for (uint32_t k = 0; k < n; k++) {
        py_array *a = all[k];
        for (int i = axis; i + 1 < m->rank; i++) {
            a->stride[i] = a->stride[i + 1];
            a->shape[i] = a->shape[i + 1];
        }
        a->rank--;
    }
    m->rank--;
}

static void collapse(map *m, py_array **all, uint32_t n) {
    for (int i = m->rank - 1; i >= 0 && m->rank > 1; i--)
        if (all[0]->shape[i] == 1)
            drop_axis(m, all, n, i);
    for (int i = m->rank - 2; i >= 0; i--) {
        bool fits = true;
        for (uint32_t k = 0; k < n; k++)
            fits = fits && all[k]->stride[i] == all[k]->stride[i + 1] * all[k]->shape[i + 1];
        if (!fits)
            continue;
        for (uint32_t k = 0; k < n; k++) {
            all[k]->stride[i] = all[k]->stride[i + 1];
            all[k]->shape[i] *= all[k]->shape[i + 1];
            all[k]->shape[i + 1] = all[k]->shape[i];
        }
        drop_axis(m, all, n, i + 1);
    }
    if (m->rank)
        return;
    m->rank = 1; /* one element */
    for (uint32_t k = 0; k < n; k++)
        *all[k] = (py_array){.data = all[k]->data,
                             .dt = all[k]->dt,
                             .rank = 1,
                             .shape = {1},
                             .stride = {dtype_table[all[k]->dt].bytes}};
}

static int launch(map *m) {
    int r = m->out.rank;
    py_kernel *k = (py_kernel *)PyTuple_GET_ITEM(m->kernels, r - 1);
    py_domain d = {.given = 2};
    py_values vs;
    for (int i = 0; i < 3; i++)
        d.n[i] = i < r ? m->out.shape[r - 1 - i] : 1;
    vs.n = vs.nparams = m->in.n + 1;
    vs.v[0] = (py_value){.kind = ST_tensor, .name = "out", .a = m->out};
    memcpy(&vs.v[1], m->in.v, sizeof *vs.v * m->in.n);
    for (uint32_t i = 0; i < vs.n; i++)
        if (vs.v[i].kind == ST_tensor)
            py_array_finish(&vs.v[i].a);
    int bad = py_run(k, &d, &vs);
    py_drop_captures(&vs);
    return bad;
}

static int run(map *m, py_array **all, uint32_t n) {
    if (m->rank <= 3)
        return launch(m);
    int64_t extent = all[0]->shape[0], stride[MAX_IN + 1];
    py_array saved[MAX_IN + 1];
    int rank = m->rank, bad = 0;
    for (uint32_t k = 0; k < n; k++) {
        saved[k] = *all[k];
        stride[k] = all[k]->stride[0];
    }
    for (int64_t i = 0; i < extent && !bad; i++) {
        for (uint32_t k = 0; k < n; k++)
            *all[k] = saved[k];
        m->rank = rank;
        drop_axis(m, all, n, 0);
        for (uint32_t k = 0; k < n; k++)
            all[k]->data = (char *)saved[k].data + i * stride[k];
        bad = run(m, all, n);
    }
    for (uint32_t k = 0; k < n; k++)
        *all[k] = saved[k];
    m->rank = rank;
    return bad;
}

static int take_number(map *m, int i, PyObject *x) {
    py_value *v = &m->in.v[i];
    if (!py_classify(m->st, v, x, m->name))
        return 0;
    if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%s: a %s is neither a tensor nor a number", m->name,
                     Py_TYPE(x)->tp_name);
    if (!PyErr_ExceptionMatches(PyExc_OverflowError) || !PyLong_Check(x))
        return -1;
    PyErr_Clear();
    m->big[i] = PyLong_AsUnsignedLongLong(x);
    v->kind = ST_tensor;
    v->a = (py_array){.data = &m->big[i], .dt = DT_u64, .readonly = 1};
    if (!PyErr_Occurred())
        return 0;
    PyErr_Format(PyExc_OverflowError, "%s: an integer that does not fit in 64 bits", m->name);
    return -1;
}

static bool fits(int64_t v, int dt) {
    int bits = 8 * dtype_table[dt].bytes - (dtype_table[dt].cls == 'I');
    bool low = dtype_table[dt].cls == 'U' ? v >= 0 : bits == 63 || v >= -((int64_t)1 << bits);
    return low && (bits >= 63 || v < (int64_t)1 << bits);
}

/* Numbers take the integer type dt of what they meet. One that does not fit is an error, as in
   NumPy; in a comparison it has an answer all the same, with an int64 in its place. */
static int fit_numbers(map *m, int dt, bool comparison) {
    if (dt < 0 || (dtype_table[dt].cls != 'I' && dtype_table[dt].cls != 'U'))
        return 0;
    for (uint32_t i = 0; i < m->in.n; i++) {
        py_value *v = &m->in.v[i];
        if (v->kind != ST_int)
            continue;
        PyObject *x = PyNumber_Index(v->v);
        long long n = x ? PyLong_AsLongLong(x) : -1;
        Py_XDECREF(x);
        if (PyErr_Occurred())
            return -1;
        if (fits(n, dt))
            continue;
        if (!comparison) {
            PyErr_Format(PyExc_OverflowError, "%s: %lld does not fit in %S", m->name, n,
                         m->st->dtypes[dt]);
            return -1;
        }
        m->big[i] = (uint64_t)n;
        v->kind = ST_tensor;
        v->a = (py_array){.data = &m->big[i], .dt = DT_i64, .readonly = 1};
    }
    return 0;
}

static int take_inputs(map *m, py_state *st, PyObject *const *args, Py_ssize_t n) {
    if (n > MAX_IN) {
        PyErr_SetString(PyExc_TypeError, "too many operands");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        py_value *v = &m->in.v[i];
        m->in.n = (uint32_t)i + 1;
        memset(&v->hold, 0, sizeof v->hold);
        PyObject *x = args[i];
        if (PyList_Check(x) || PyTuple_Check(x)) {
            PyObject *f = st->hooks ? PyDict_GetItemString(st->hooks, "asarray") : NULL;
            x = v->hold.capsule = f ? PyObject_CallFunctionObjArgs(f, x, NULL) : NULL;
            if (!x)
                return -1;
        }
        int r = py_array_lent(st, x, m->name, &v->a, &v->hold);
        v->v = x;
        v->name = m->name;
        v->kind = ST_tensor;
        if (r < 0 || (!r && take_number(m, (int)i, x)))
            return -1;
        if (v->kind == ST_none) {
            PyErr_Format(PyExc_TypeError, "%s: None is neither a tensor nor a number", m->name);
            return -1;
        }
    }
    for (uint32_t i = 0; i < m->in.n; i++)
        if (m->in.v[i].kind == ST_tensor && widen(m, &m->in.v[i].a))
            return -1;
    return 0;
}

/* May a result of this type go into an array of that one? (NumPy's same_kind) */
static bool same_kind(int from, int to) {
    static const char order[] = "BUIF";
    const char *a = strchr(order, dtype_table[from].cls), *b = strchr(order, dtype_table[to].cls);
    return a <= b || (dtype_table[from].cls == 'I' && dtype_table[to].cls == 'U');
}

static int take_out(map *m, PyObject *out, int dt, bool any_type) {
    int r = py_array_of(m->st, out, "out", &m->out, &m->out_hold);
    if (r == 0)
        PyErr_Format(PyExc_TypeError, "%s: out is a %s, not an array", m->name,
                     Py_TYPE(out)->tp_name);
    if (r < 1)
        return -1;
    bool fits = m->out.rank >= m->rank;
    for (int i = 1; fits && i <= m->rank; i++) {
        int64_t n = m->shape[m->rank - i], o = m->out.shape[m->out.rank - i];
        fits = n == o || n == 1;
    }
    if (!fits) {
        PyObject *a = shape_text(&m->out);
        py_array s = {.rank = m->rank};
        memcpy(s.shape, m->shape, sizeof s.shape);
        PyObject *b = shape_text(&s);
        PyErr_Format(PyExc_ValueError, "%s: out has shape %S, the result has %S", m->name,
                     a ? a : Py_None, b ? b : Py_None);
        Py_XDECREF(a);
        Py_XDECREF(b);
        return -1;
    }
    if (m->out.readonly) {
        PyErr_Format(PyExc_ValueError, "%s: out is read-only", m->name);
        return -1;
    }
    if (!any_type && !same_kind(dt, m->out.dt)) {
        PyErr_Format(PyExc_TypeError, "%s: a result of %S does not go into an out of %S", m->name,
                     m->st->dtypes[dt], m->st->dtypes[m->out.dt]);
        return -1;
    }
    m->rank = m->out.rank;
    memcpy(m->shape, m->out.shape, sizeof m->shape);
    return 0;
}

/* Does an input share memory with out, not being the same array? Then the kernel, which keeps
 * Python's order of loops, would read what it has written. */
static bool crossed(const map *m) {
    for (uint32_t i = 0; i < m->in.n; i++)
        if (m->in.v[i].kind == ST_tensor && py_meet(&m->out, &m->in.v[i].a) &&
            !py_same(&m->out, &m->in.v[i].a))
            return true;
    return false;
}

static int compute(map *m) {
    py_array *all[MAX_IN + 1];
    uint32_t n = operands(m, all);
    if (!py_array_size(&m->out))
        return 0;
    for (uint32_t k = 0; k < n; k++)
        spread(m, all[k]);
    collapse(m, all, n);
    return run(m, all, n);
}

static PyObject *copy_kernels(py_state *st) {
    return st->hooks ? PyDict_GetItemString(st->hooks, "copy") : NULL;
}

/* Into a tensor of its own, then copied. */
static int by_copy(map *m, py_state *st) {
    PyObject *t = py_tensor_new(st, m->out.dt, m->rank, m->shape), *copy = copy_kernels(st);
    if (!t || !copy) {
        Py_XDECREF(t);
        return -1;
    }
    map second = {.st = st, .name = m->name, .kernels = copy, .out = m->out, .rank = m->rank};
    memcpy(second.shape, m->shape, sizeof m->shape);
    m->out = ((py_tensor *)t)->a;
    int bad = compute(m);
    second.in.n = 1;
    second.in.v[0] = (py_value){.kind = ST_tensor, .name = "x", .a = ((py_tensor *)t)->a};
    bad = bad || compute(&second);
    Py_DECREF(t);
    return bad;
}

/* map(name, kernels, rule, out, *operands). rule: a dtype; or text: 's' the operands' common type,
   'f' the same but float32 for integers, 'b' bool, 'i' integers and bools only, 'n' no bools; a
   digit behind it: the first operand that counts; '?' in front: out may be of any type. */
static PyObject *core_map(PyObject *mod, PyObject *const *args, Py_ssize_t n) {
    py_state *st = PyModule_GetState(mod);
    if (n < 5 || !PyUnicode_Check(args[0]) || !PyTuple_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "map(name, kernels, rule, out, *operands)");
    map m = {.st = st, .name = PyUnicode_AsUTF8(args[0]), .kernels = args[1]};
    PyObject *result = NULL;
    bool any_type = true;
    int dt = -1;
    if (take_inputs(&m, st, args + 4, n - 4))
        goto done;
    if (PyUnicode_Check(args[2])) {
        const char *rule = PyUnicode_AsUTF8(args[2]);
        any_type = *rule == '?';
        rule += any_type;
        uint32_t from = rule[1] ? (uint32_t)(rule[1] - '0') : 0;
        dt = result_type(&m, *rule, from);
        if (dt >= 0 && fit_numbers(&m, joined(&m.in, from), *rule == 'b'))
            goto done;
    } else
        dt = py_dtype_arg(args[2]);
    if (dt < 0)
        goto done;
    if (args[3] != Py_None) {
        if (take_out(&m, args[3], dt, any_type))
            goto done;
        if (any_type && fit_numbers(&m, m.out.dt, false))
            goto done;
        result = Py_NewRef(args[3]);
    } else if ((result = py_tensor_new(st, (dtype)dt, m.rank, m.shape)))
        m.out = ((py_tensor *)result)->a;
    if (result && (crossed(&m) ? by_copy(&m, st) : compute(&m)))
        Py_CLEAR(result);
done:
    py_release(&m.in);
    py_unhold(&m.out_hold);
    return result;
}

/* result_type(*operands): the common dtype. */
static PyObject *core_result_type(PyObject *mod, PyObject *const *args, Py_ssize_t n) {
    py_state *st = PyModule_GetState(mod);
    map m = {.st = st, .name = "result_type"};
    int dt = -1;
    for (Py_ssize_t i = 0; i < n && i < MAX_IN; i++) {
        py_value *v = &m.in.v[m.in.n++];
        v->kind = ST_tensor;
        if (PyObject_HasAttrString(args[i], "__pyasc_dtype__")) {
            int one = py_dtype_arg(args[i]);
            v->a.dt = one < 0 ? DT_bool : (dtype)one;
        } else if (py_array_of(st, args[i], "x", &v->a, &v->hold) != 1) {
            PyErr_Clear();
            if (py_classify(st, v, args[i], "x"))
                break;
        }
    }
    if (!PyErr_Occurred())
        dt = result_type(&m, 's', 0);
    py_release(&m.in);
    if (dt < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "no operands");
    return Py_NewRef(st->dtypes[dt]);
}

PyMethodDef py_map_functions[] = {
    {"map", (PyCFunction)(void (*)(void))core_map, METH_FASTCALL, NULL},
    {"result_type", (PyCFunction)(void (*)(void))core_result_type, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
