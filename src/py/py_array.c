/* Arrays without a copy: NumPy's struct where it is a NumPy array, else the buffer protocol or
   DLPack. The struct is used once it was seen to say what an array's attributes say. */
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

enum { WRITEABLE = 0x400 };
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

int py_array_finish(py_array *a) {
    int item = dtype_table[a->dt].bytes;
    int64_t *inner = a->rank ? &a->stride[a->rank - 1] : NULL;
    if (inner && a->shape[a->rank - 1] == 1)
        *inner = item; /* says nothing, so take the better */
    a->contig = !inner || *inner == item ? IR_UNIT : *inner == 0 ? IR_SAME : IR_STRIDED;
    uintptr_t all = (uintptr_t)a->data; /* sizes are powers of two */
    for (int i = 0; i < a->rank; i++)
        all |= (uintptr_t)a->stride[i];
    if (all & ((uintptr_t)item - 1))
        a->contig = IR_STRIDED;
    return 1;
}

/* Has x's attribute this value? a NULL value is an error that is dropped. */
static bool attr_is(PyObject *x, const char *name, PyObject *value) {
    PyObject *v = PyObject_GetAttrString(x, name);
    bool same = v && value && PyObject_RichCompareBool(v, value, Py_EQ) == 1;
    Py_XDECREF(v);
    Py_XDECREF(value);
    PyErr_Clear();
    return same;
}

/* The attributes of an array of our own against the struct. Nothing behind a pointer of the struct
   is read before the pointer was seen to be right. */
static bool laid_out_as_read(PyObject *x) {
    enum { CONTIGUOUS = 1, OWNS = 4, ALIGNED = 0x100 };
    const numpy_array *a = (const numpy_array *)x;
    PyObject *d = PyObject_GetAttrString(x, "dtype");
    Py_buffer v;
    if (!d || PyObject_GetBuffer(x, &v, PyBUF_RECORDS_RO)) {
        Py_XDECREF(d);
        PyErr_Clear();
        return false;
    }
    bool same = a->data == v.buf && a->nd == 2 && v.ndim == 2 && (PyObject *)a->descr == d &&
                a->flags == (CONTIGUOUS | OWNS | ALIGNED | WRITEABLE);
    for (int i = 0; same && i < 2; i++)
        same = a->dims[i] == v.shape[i] && a->strides[i] == v.strides[i];
    same = same && attr_is(d, "type", Py_NewRef((PyObject *)a->descr->type)) &&
           attr_is(d, "byteorder", PyUnicode_FromFormat("%c", a->descr->order)) &&
           attr_is(d, "num", PyLong_FromLong(a->descr->num));
    PyBuffer_Release(&v);
    Py_XDECREF(d);
    PyErr_Clear();
    return same;
}

/* A type of that name in C: subclasses go by the buffer protocol. */
bool py_is_numpy(py_state *st, PyObject *x) {
    if (st->ndarray || st->ndarray_differs)
        return Py_IS_TYPE(x, st->ndarray);
    if (strcmp(Py_TYPE(x)->tp_name, "numpy.ndarray"))
        return false;
    PyObject *own = PyObject_CallFunction((PyObject *)Py_TYPE(x), "((ii)s)", 2, 3, "f4");
    if (own && laid_out_as_read(own))
        st->ndarray = (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(x));
    else
        st->ndarray_differs = 1;
    Py_XDECREF(own);
    PyErr_Clear();
    return st->ndarray != NULL;
}

int py_from_numpy(PyObject *x, const char *name, py_array *out) {
    const numpy_array *a = (const numpy_array *)x;
    int dt = numpy_dtype(a);
    if (dt < 0 || a->nd > 15) {
        PyObject *d = PyObject_GetAttrString(x, "dtype");
        PyErr_Format(PyExc_TypeError,
                     "parameter '%s' is an array of %S, which kernels do not know; pass one of "
                     "numbers or bools, in this machine's byte order",
                     name, d);
        Py_XDECREF(d);
        return -1;
    }
    out->data = a->data;
    out->dt = (dtype)dt;
    out->rank = a->nd;
    out->readonly = !(a->flags & WRITEABLE);
    for (int i = 0; i < a->nd; i++) {
        out->shape[i] = a->dims[i];
        out->stride[i] = a->strides[i];
    }
    return py_array_finish(out);
}

int64_t py_array_size(const py_array *a) {
    int64_t n = 1;
    for (int i = 0; i < a->rank; i++)
        n *= a->shape[i];
    return n;
}

void py_unhold(py_hold *h) {
    if (h->view.obj)
        PyBuffer_Release(&h->view);
    h->view.obj = NULL;
    Py_CLEAR(h->capsule);
}

int py_array_lent(py_state *st, PyObject *x, const char *name, py_array *out, py_hold *hold) {
    if (Py_IS_TYPE(x, st->ndarray))
        return py_from_numpy(x, name, out);
    int r = py_is_torch(st, x) ? py_torch_of(st, x, name, out) : 0;
    return r ? r : py_array_of(st, x, name, out, hold);
}

int py_array_of(py_state *st, PyObject *x, const char *name, py_array *out, py_hold *hold) {
    Py_buffer *view = &hold->view;
    if (Py_IS_TYPE(x, st->tensor)) {
        *out = ((py_tensor *)x)->a;
        return 1;
    }
    if (py_is_numpy(st, x))
        return py_from_numpy(x, name, out);
    if (PyBytes_Check(x))
        return 0;
    if (!PyObject_CheckBuffer(x))
        return py_dlpack_of(x, name, out, &hold->capsule);
    if (PyObject_GetBuffer(x, view, PyBUF_RECORDS_RO))
        return -1;
    int dt = buffer_dtype(view);
    if (dt < 0 || view->ndim > 15 || view->suboffsets) {
        PyErr_Format(
            PyExc_TypeError,
            "parameter '%s' is a buffer of format '%s', which kernels do not know; pass one of "
            "numbers or bools, in this machine's byte order",
            name, view->format ? view->format : "B");
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
    return py_array_finish(out);
}
