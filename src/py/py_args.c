/* Python arguments to parameters: position, keyword, default; what each is. */
#include "py/py_env.h"
#include "py/py_kernel.h"

const char *py_param_name(py_kernel *k, uint32_t i) {
    return i < (uint32_t)PyTuple_GET_SIZE(k->params) ? k->names[i] : "buffer";
}

void py_release(py_values *vs) {
    for (uint32_t i = 0; i < vs->n; i++) {
        py_unhold(&vs->v[i].hold);
        Py_CLEAR(vs->v[i].own);
    }
}

/* NumPy's scalars and 0-d arrays are numbers. */
static int number_of(py_value *v) {
    char cls = dtype_table[v->a.dt].cls;
    py_unhold(&v->hold);
    v->kind = cls == 'F' ? ST_float : cls == 'B' ? ST_bool : ST_int;
    return 0;
}

/* found: what py_array_lent says. */
static int array(py_value *v, int found) {
    v->kind = ST_tensor;
    return found < 0 ? -1 : v->a.rank ? 0 : number_of(v);
}

static int other(py_state *st, py_value *v, PyObject *x, const char *name) {
    int r = py_array_lent(st, x, name, &v->a, &v->hold);
    if (r)
        return array(v, r);
    v->kind = PyIndex_Check(x) ? ST_int : ST_float;
    if (PyIndex_Check(x) || (PyNumber_Check(x) && !PySequence_Check(x) && !PyComplex_Check(x)))
        return 0;
    if (py_is_instance(x) && !PyObject_HasAttrString(x, "__pyasc_dtype__"))
        return v->kind = ST_instance, 0;
    if (v->constant && PyUnicode_Check(x))
        return v->kind = ST_str, 0;
    if (PyFunction_Check(x) || PyObject_HasAttrString(x, "__pyasc_dtype__") ||
        PyObject_HasAttrString(x, "__pyasc_op__") || PyObject_HasAttrString(x, "__pyasc_fn__") ||
        (v->constant && PyCallable_Check(x)))
        return v->kind = ST_other, 0; /* a function, a class, a dtype */
    const char *tip = PyList_Check(x)      ? "pass pyasc.tensor(...) or a NumPy array"
                      : PyComplex_Check(x) ? "pass its real and its imaginary part"
                                           : "pass numbers, arrays, or objects of a class of yours";
    PyErr_Format(PyExc_TypeError, "parameter '%s' is of type %s, which a kernel cannot take; %s",
                 name, Py_TYPE(x)->tp_name, tip);
    return -1;
}

int py_classify(py_state *st, py_value *v, PyObject *x, const char *name) {
    v->v = x;
    v->name = name;
    v->own = NULL;
    if (Py_IS_TYPE(x, st->ndarray) || Py_IS_TYPE(x, st->torch))
        return array(v, py_array_lent(st, x, name, &v->a, &v->hold));
    v->kind = x == Py_None       ? ST_none
              : PyBool_Check(x)  ? ST_bool
              : PyLong_Check(x)  ? ST_int
              : PyFloat_Check(x) ? ST_float
                                 : ST_other;
    if (v->kind == ST_other)
        return other(st, v, x, name);
    int overflow = 0;
    if (v->kind == ST_int && PyLong_AsLongLongAndOverflow(x, &overflow) == -1 && overflow) {
        PyErr_Format(PyExc_OverflowError,
                     "parameter '%s' does not fit in 64 bits; pass a float, or an int from -2**63 "
                     "to 2**63 - 1",
                     name);
        return -1;
    }
    return 0;
}

/* Of a constant: its value. */
static uint64_t constant_tag(const py_value *v) {
    uint64_t h = 0;
    if (v->kind == ST_int || v->kind == ST_bool || v->kind == ST_float || v->kind == ST_str) {
        h = (uint64_t)PyObject_Hash(v->v);
        PyErr_Clear();
    } else
        h = (uint64_t)(uintptr_t)(v->kind == ST_instance ? (PyObject *)Py_TYPE(v->v) : v->v);
    return (uint64_t)v->kind | (h * UINT64_C(0x9e3779b97f4a7c15)) << 8;
}

uint64_t py_tag(const py_value *v) {
    if (v->constant || v->kind == ST_str || v->kind == ST_other || v->kind == ST_instance)
        return constant_tag(v);
    if (v->kind != ST_tensor)
        return (uint64_t)v->kind;
    return (uint64_t)v->kind | (uint64_t)v->a.dt << 8 | (uint64_t)v->a.rank << 16 |
           (uint64_t)v->a.contig << 24;
}

int py_too_many(py_kernel *k, Py_ssize_t takes, Py_ssize_t given) {
    PyErr_Format(
        PyExc_TypeError,
        "%U() takes %zd argument%s but %zd were given; what is beyond them must be tensors, the "
        "default buffers",
        ((PyFunctionObject *)k->fn)->func_name, takes, takes == 1 ? "" : "s", given);
    return -1;
}

/* A mutex is a lock to the front end by what its name is bound to; as an argument it would be an
 * array. */
static int argument(py_state *st, py_value *v, PyObject *x, const char *name) {
    v->hold.view.obj = v->hold.capsule = NULL;
    if (py_classify(st, v, x, name))
        return -1;
    if (v->kind != ST_tensor || !v->hold.capsule || !PyObject_HasAttrString(x, "__pyasc_mutex__"))
        return 0;
    PyErr_Format(
        PyExc_TypeError,
        "parameter '%s' is a mutex; use one of the module by its name, or make one in the kernel",
        name);
    return -1;
}

/* The kernels of eager operations take numbers and arrays only. */
static bool allowed(const py_kernel *k, const py_value *v) {
    if (!k->eager || py_in_ir(v) || v->kind == ST_none)
        return true;
    PyErr_Format(PyExc_TypeError, "parameter '%s' is of type %s, not a number or an array", v->name,
                 Py_TYPE(v->v)->tp_name);
    return false;
}

static int wrong_keyword(py_kernel *k, PyObject *name, bool twice) {
    PyObject *comma = PyUnicode_FromString(", "),
             *names = comma ? PyUnicode_Join(comma, k->params) : NULL;
    Py_XDECREF(comma);
    PyErr_Format(PyExc_TypeError,
                 twice ? "%U() got two values for '%U'; pass it by position or by name"
                       : "%U() has no parameter '%U'; its parameters are: %U",
                 ((PyFunctionObject *)k->fn)->func_name, name, names);
    Py_XDECREF(names);
    return -1;
}

/* Keyword and default arguments into parameter order; n are positional already. */
static int fill(py_kernel *k, PyObject *const *named, Py_ssize_t n, PyObject *kwnames,
                PyObject **x) {
    Py_ssize_t np = PyTuple_GET_SIZE(k->params), nd = PyTuple_GET_SIZE(k->defaults);
    for (Py_ssize_t i = n; i < np; i++)
        x[i] = NULL;
    for (Py_ssize_t j = 0; kwnames && j < PyTuple_GET_SIZE(kwnames); j++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, j);
        Py_ssize_t i = 0;
        while (i < np && PyUnicode_Compare(PyTuple_GET_ITEM(k->params, i), name))
            i++;
        if (i == np || x[i])
            return wrong_keyword(k, name, i < np);
        x[i] = named[j];
    }
    for (Py_ssize_t i = n; i < np; i++) {
        if (!x[i] && i >= np - nd)
            x[i] = PyTuple_GET_ITEM(k->defaults, i - (np - nd));
        if (!x[i]) {
            PyErr_Format(
                PyExc_TypeError,
                "%U() is missing the argument '%U'; pass it, or give the parameter a default",
                ((PyFunctionObject *)k->fn)->func_name, PyTuple_GET_ITEM(k->params, i));
            return -1;
        }
    }
    return 0;
}

/* Positional, keyword and default arguments into parameter order. */
int py_bind(py_kernel *k, PyObject *const *args, Py_ssize_t n, PyObject *kwnames, py_values *out) {
    Py_ssize_t np = PyTuple_GET_SIZE(k->params);
    PyObject *filled[RT_MAX_ARG], *const *x = args;
    Py_ssize_t extra = n > np ? n - np : 0; /* default buffers, if tensors */
    if (np + extra > RT_MAX_ARG) {
        PyErr_Format(PyExc_TypeError,
                     "%U() takes %zd arguments but %zd were given; pass at most %d",
                     ((PyFunctionObject *)k->fn)->func_name, np, n, RT_MAX_ARG);
        return -1;
    }
    if (n < np || kwnames) {
        memcpy(filled, args, sizeof *args * (size_t)(n - extra));
        if (fill(k, args + n, n - extra, kwnames, filled))
            return -1;
        x = filled;
    }
    for (Py_ssize_t i = 0; i < np; i++) {
        py_value *v = &out->v[i];
        out->n = (uint32_t)i + 1;
        v->constant = k->constants >> i & 1;
        if (argument(k->st, v, x[i], py_param_name(k, (uint32_t)i)) || !allowed(k, v))
            return -1;
        v->constant = v->constant && v->kind != ST_tensor;
    }
    out->n = out->nparams = (uint32_t)np;
    for (Py_ssize_t i = 0; i < extra; i++) {
        py_value *v = &out->v[np + i];
        v->constant = false;
        out->n = out->nparams = (uint32_t)(np + i) + 1;
        if (argument(k->st, v, args[np + i], "buffer"))
            return -1;
        if (v->kind != ST_tensor)
            return py_too_many(k, np, np + extra);
    }
    return 0;
}
