/* Basic indexing: integers, slices, None and Ellipsis give a view. */
#include "py/py.h"

typedef struct {
    const py_array *in;
    py_array *out;
    int axis;
    char *data;
} cursor;

static int too_many(const py_array *a) {
    PyErr_Format(PyExc_IndexError, "too many indices: the tensor has %d dimensions", a->rank);
    return -1;
}

static int integer(cursor *c, PyObject *x) {
    if (c->axis >= c->in->rank)
        return too_many(c->in);
    Py_ssize_t i = PyNumber_AsSsize_t(x, PyExc_IndexError), n = c->in->shape[c->axis];
    if (i == -1 && PyErr_Occurred())
        return -1;
    if (i < -n || i >= n) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d of extent %zd", i,
                     c->axis, n);
        return -1;
    }
    c->data += (i < 0 ? i + n : i) * c->in->stride[c->axis];
    c->axis++;
    return 1;
}

static int add_axis(cursor *c, int64_t n, int64_t stride) {
    if (c->out->rank >= PY_MAX_RANK) {
        PyErr_SetString(PyExc_ValueError, "a tensor has at most 15 dimensions");
        return -1;
    }
    c->out->shape[c->out->rank] = n;
    c->out->stride[c->out->rank++] = stride;
    return 1;
}

static int slice(cursor *c, PyObject *x) {
    Py_ssize_t start, stop, step;
    if (c->axis >= c->in->rank)
        return too_many(c->in);
    if (PySlice_Unpack(x, &start, &stop, &step))
        return -1;
    Py_ssize_t n = PySlice_AdjustIndices(c->in->shape[c->axis], &start, &stop, step);
    int64_t stride = c->in->stride[c->axis++];
    if (n)
        c->data += start * stride;
    return add_axis(c, n, stride * step);
}

static int whole(cursor *c, int until) {
    for (int r = 1; c->axis < until; c->axis++)
        if ((r = add_axis(c, c->in->shape[c->axis], c->in->stride[c->axis])) < 0)
            return r;
    return 1;
}

static int item(cursor *c, PyObject *x, int used) {
    if (x == Py_None)
        return add_axis(c, 1, 0);
    if (x == Py_Ellipsis)
        return whole(c, c->in->rank - used);
    if (PySlice_Check(x))
        return slice(c, x);
    if (PyLong_CheckExact(x))
        return integer(c, x);
    bool plain = PyIndex_Check(x) && !PyBool_Check(x) && PyObject_Size(x) < 0;
    PyErr_Clear(); /* an array of integers has a length, or is 0-d and then an integer */
    return plain ? integer(c, x) : 0;
}

int py_index(const py_array *a, PyObject *key, py_array *out) {
    PyObject *one[1] = {key}, **keys = one;
    Py_ssize_t n = 1;
    int after = 0, ellipsis = 0;
    if (PyTuple_Check(key)) {
        n = PyTuple_GET_SIZE(key);
        keys = &PyTuple_GET_ITEM(key, 0);
    }
    *out = (py_array){.dt = a->dt, .readonly = a->readonly};
    cursor c = {a, out, 0, a->data};
    for (Py_ssize_t i = 0; i < n; i++) /* axes that stand right of the ellipsis */
        if (keys[i] == Py_Ellipsis) {
            after = 0;
            if (ellipsis++) {
                PyErr_SetString(PyExc_IndexError, "an index has one ellipsis");
                return -1;
            }
        } else
            after += keys[i] != Py_None;
    for (Py_ssize_t i = 0; i < n; i++) {
        int r = item(&c, keys[i], after);
        if (r < 1)
            return r;
    }
    if (whole(&c, a->rank) < 0)
        return -1;
    out->data = c.data;
    return py_array_finish(out);
}
