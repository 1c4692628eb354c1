/* Arrays without a copy: NumPy's struct where it is a NumPy array (checked once against the buffer
   protocol's answer by the tests), else the buffer protocol. */
#include "py/py.h"

/* The fixed head of PyArrayObject, the same in NumPy 1 and 2. */
typedef struct {
    PyObject_HEAD char *data;
    int nd;
    Py_intptr_t *dims, *strides;
    PyObject *base;
    struct {
        PyObject_HEAD PyTypeObject *type;
        char kind, letter, order, former_flags;
        int num;
    } *descr;
    int flags;
} numpy_array;

static int numpy_dtype(const numpy_array *a) {
    static const signed char by_num[] = {DT_bool, DT_i8,  DT_u8,  DT_i16, DT_u16, DT_i32, DT_u32,
                                         DT_i64,  DT_u64, DT_i64, DT_u64, DT_f32, DT_f64};
    if (a->descr->order == '>')
        return -1;
    if (a->descr->num >= 0 && a->descr->num < (int)sizeof by_num)
        return by_num[a->descr->num];
    if (a->descr->num == 23)
        return DT_f16;
    const char *name = a->descr->type ? a->descr->type->tp_name : "";
    return strstr(name, "bfloat16") ? DT_bf16 : -1;
}

static int buffer_dtype(const Py_buffer *v) {
    const char *f = v->format ? v->format : "B";
    if (*f == '@' || *f == '=' || *f == '<')
        f++;
    if (!*f || f[1])
        return -1;
    switch (*f) {
    case '?': return DT_bool;
    case 'e': return DT_f16;
    case 'f': return DT_f32;
    case 'd': return DT_f64;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
        return v->itemsize == 1   ? DT_i8
               : v->itemsize == 2 ? DT_i16
               : v->itemsize == 4 ? DT_i32
                                  : DT_i64;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
        return v->itemsize == 1   ? DT_u8
               : v->itemsize == 2 ? DT_u16
               : v->itemsize == 4 ? DT_u32
                                  : DT_u64;
    default: return -1;
    }
}

static int finish(py_array *a) {
    int item = dtype_table[a->dt].bytes;
    a->contig =
        !((uintptr_t)a->data % (unsigned)item) && (!a->rank || a->stride[a->rank - 1] == item);
    for (int i = 0; i < a->rank; i++)
        a->contig = a->contig && !(a->stride[i] % item);
    return 1;
}

static bool is_numpy(PyObject *x) {
    const char *name = Py_TYPE(x)->tp_name;
    return name[0] == 'n' && !strcmp(name, "numpy.ndarray");
}

static int from_numpy(PyObject *x, const char *name, py_array *out) {
    const numpy_array *a = (const numpy_array *)x;
    int dt = numpy_dtype(a);
    if (dt < 0 || a->nd > 15) {
        PyObject *d = PyObject_GetAttrString(x, "dtype");
        PyErr_Format(PyExc_TypeError, "parameter '%s': arrays of %S are not supported in kernels",
                     name, d);
        Py_XDECREF(d);
        return -1;
    }
    out->data = a->data;
    out->dt = (dtype)dt;
    out->rank = a->nd;
    out->readonly = !(a->flags & 0x400);
    for (int i = 0; i < a->nd; i++) {
        out->shape[i] = a->dims[i];
        out->stride[i] = a->strides[i];
    }
    return finish(out);
}

int py_array_of(PyObject *x, const char *name, py_array *out, Py_buffer *view) {
    if (is_numpy(x))
        return from_numpy(x, name, out);
    if (!PyObject_CheckBuffer(x) || PyBytes_Check(x))
        return 0;
    if (PyObject_GetBuffer(x, view, PyBUF_RECORDS_RO))
        return -1;
    int dt = buffer_dtype(view);
    if (dt < 0 || view->ndim > 15 || view->suboffsets) {
        PyErr_Format(PyExc_TypeError,
                     "parameter '%s': buffers of format '%s' are not supported in kernels", name,
                     view->format ? view->format : "B");
        return -1;
    }
    out->data = view->buf;
    out->dt = (dtype)dt;
    out->rank = view->ndim;
    out->readonly = view->readonly;
    for (int i = 0; i < view->ndim; i++) {
        out->shape[i] = view->shape[i];
        out->stride[i] = view->strides[i];
    }
    return finish(out);
}
