/* pyasc.Tensor: dtype, shape and strides over memory of the pool or of another object. Its Python
   methods (operators and the like) are set from Python; here is what needs the memory. */
#include "py/py.h"
#include "rt/store.h"
#include <math.h>

/* A block of the pool, shared by the tensors that look into it. */
typedef struct {
    PyObject_HEAD void *p;
    size_t bytes;
} storage;

static void storage_dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    rt_store_free(((storage *)self)->p, ((storage *)self)->bytes);
    PyObject_Free(self);
    Py_DECREF(t);
}
static PyType_Slot storage_slots[] = {{Py_tp_dealloc, storage_dealloc}, {0, NULL}};
PyType_Spec py_storage_spec = {"pyasc._core.Storage", sizeof(storage), 0, Py_TPFLAGS_DEFAULT,
                               storage_slots};

static py_state *state_of(PyObject *self) { return py_state_of(Py_TYPE(self)); }

int py_strides(dtype dt, int rank, const int64_t *shape, int64_t *stride, int64_t *bytes) {
    int64_t n = dtype_table[dt].bytes;
    bool empty = false, overflow = false;
    for (int i = rank - 1; i >= 0; i--) {
        if (shape[i] < 0) {
            PyErr_Format(PyExc_ValueError, "a dimension is negative: %lld", (long long)shape[i]);
            return -1;
        }
        stride[i] = n;
        empty = empty || !shape[i];
        overflow = overflow || __builtin_mul_overflow(n, shape[i] ? shape[i] : 1, &n);
    }
    if (overflow && !empty) {
        PyErr_SetString(PyExc_MemoryError, "the tensor does not fit in 64 bits of addresses");
        return -1;
    }
    *bytes = empty ? 0 : n;
    return 0;
}

PyObject *py_tensor_view(py_state *st, const py_array *a, PyObject *owner) {
    py_tensor *t = PyObject_New(py_tensor, st->tensor);
    if (t) {
        t->a = *a;
        t->owner = Py_NewRef(owner);
    }
    return (PyObject *)t;
}

PyObject *py_tensor_new(py_state *st, dtype dt, int rank, const int64_t *shape) {
    py_array a = {.dt = dt, .rank = rank};
    int64_t bytes;
    memcpy(a.shape, shape, sizeof *shape * (size_t)rank);
    if (py_strides(dt, rank, shape, a.stride, &bytes))
        return NULL;
    storage *s = PyObject_New(storage, st->storage);
    if (!s)
        return NULL;
    s->bytes = (size_t)bytes;
    s->p = rt_store_alloc(s->bytes);
    if (!s->p) {
        Py_DECREF(s);
        return PyErr_Format(PyExc_MemoryError, "no memory for a tensor of %lld bytes",
                            (long long)bytes);
    }
    a.data = s->p;
    py_array_finish(&a);
    PyObject *t = py_tensor_view(st, &a, (PyObject *)s);
    Py_DECREF(s);
    return t;
}

static void tensor_dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    Py_DECREF(((py_tensor *)self)->owner);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* Elements as Python numbers. */

static double from_half(uint16_t h) {
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
    return h >> 15 ? -v : v;
}

PyObject *py_scalar(dtype dt, const void *at) {
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
    } v = {0};
    memcpy(&v, at, dtype_table[dt].bytes);
    switch (dt) {
    case DT_bool: return PyBool_FromLong(v.u8);
    case DT_i8: return PyLong_FromLong(v.i8);
    case DT_i16: return PyLong_FromLong(v.i16);
    case DT_i32: return PyLong_FromLong(v.i32);
    case DT_u8: return PyLong_FromLong(v.u8);
    case DT_u16: return PyLong_FromLong(v.u16);
    case DT_u32: return PyLong_FromUnsignedLong(v.u32);
    case DT_u64: return PyLong_FromUnsignedLongLong(v.u64);
    case DT_f16: return PyFloat_FromDouble(from_half(v.u16));
    case DT_bf16: v.u32 = (uint32_t)v.u16 << 16; return PyFloat_FromDouble(v.f32);
    case DT_f32: return PyFloat_FromDouble(v.f32);
    case DT_f64: return PyFloat_FromDouble(v.f64);
    default: return PyLong_FromLongLong(v.i64);
    }
}

static PyObject *tensor_item(PyObject *self, PyObject *unused) {
    const py_array *a = &((py_tensor *)self)->a;
    (void)unused;
    if (py_array_size(a) != 1)
        return PyErr_Format(PyExc_ValueError,
                            "only a tensor of one element is a number; this one has %lld",
                            (long long)py_array_size(a));
    return py_scalar(a->dt, a->data);
}
static PyObject *as_number(PyObject *self, PyObject *(*to)(PyObject *)) {
    PyObject *x = tensor_item(self, NULL), *r = x ? to(x) : NULL;
    Py_XDECREF(x);
    return r;
}
static PyObject *tensor_float(PyObject *self) { return as_number(self, PyNumber_Float); }
static PyObject *tensor_int(PyObject *self) { return as_number(self, PyNumber_Long); }
static PyObject *tensor_index(PyObject *self) {
    const py_array *a = &((py_tensor *)self)->a;
    if (dtype_is_float(a->dt) || a->rank)
        return PyErr_Format(PyExc_TypeError, "only a 0-d tensor of integers is an index");
    return as_number(self, PyNumber_Index);
}
static int tensor_bool(PyObject *self) {
    const py_array *a = &((py_tensor *)self)->a;
    if (py_array_size(a) != 1) {
        PyErr_SetString(PyExc_ValueError, "the truth of a tensor of several elements is not "
                                          "defined; use pyasc.any or pyasc.all");
        return -1;
    }
    PyObject *x = tensor_item(self, NULL);
    int r = x ? PyObject_IsTrue(x) : -1;
    Py_XDECREF(x);
    return r;
}

static PyObject *list_of(const py_array *a, int axis, const char *at) {
    if (axis == a->rank)
        return py_scalar(a->dt, at);
    PyObject *l = PyList_New(a->shape[axis]);
    for (int64_t i = 0; l && i < a->shape[axis]; i++) {
        PyObject *x = list_of(a, axis + 1, at + i * a->stride[axis]);
        if (!x)
            Py_CLEAR(l);
        else
            PyList_SET_ITEM(l, i, x);
    }
    return l;
}
static PyObject *tensor_tolist(PyObject *self, PyObject *unused) {
    const py_array *a = &((py_tensor *)self)->a;
    (void)unused;
    return list_of(a, 0, a->data);
}

/* Subscripts; what is not basic is asked of Python. */

static PyObject *hook(PyObject *self, const char *name) {
    py_state *st = state_of(self);
    PyObject *f = st->hooks ? PyDict_GetItemString(st->hooks, name) : NULL;
    if (!f)
        PyErr_Format(PyExc_RuntimeError, "pyasc._core has no hook '%s'", name);
    return f;
}

static PyObject *tensor_subscript(PyObject *self, PyObject *key) {
    py_array a;
    py_tensor *t = (py_tensor *)self;
    int r = py_index(&t->a, key, &a);
    if (r == 1)
        return py_tensor_view(state_of(self), &a, t->owner);
    PyObject *f = r < 0 ? NULL : hook(self, "getitem");
    return f ? PyObject_CallFunctionObjArgs(f, self, key, NULL) : NULL;
}
static int tensor_assign(PyObject *self, PyObject *key, PyObject *value) {
    py_array a;
    py_tensor *t = (py_tensor *)self;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of a tensor cannot be deleted");
        return -1;
    }
    if (t->a.readonly) {
        PyErr_SetString(PyExc_ValueError, "the tensor is read-only");
        return -1;
    }
    int r = py_index(&t->a, key, &a);
    if (r < 0)
        return -1;
    PyObject *view = r == 1 ? py_tensor_view(state_of(self), &a, t->owner) : NULL;
    PyObject *f = r == 1 && !view ? NULL : hook(self, view ? "assign" : "setitem"), *done = NULL;
    if (f)
        done = view ? PyObject_CallFunctionObjArgs(f, view, value, NULL)
                    : PyObject_CallFunctionObjArgs(f, self, key, value, NULL);
    Py_XDECREF(view);
    Py_XDECREF(done);
    return done ? 0 : -1;
}
static Py_ssize_t tensor_length(PyObject *self) {
    const py_array *a = &((py_tensor *)self)->a;
    if (a->rank)
        return a->shape[0];
    PyErr_SetString(PyExc_TypeError, "a 0-d tensor has no length");
    return -1;
}
static PyObject *tensor_get(PyObject *self, Py_ssize_t i) {
    PyObject *k = PyLong_FromSsize_t(i), *r = k ? tensor_subscript(self, k) : NULL;
    Py_XDECREF(k);
    return r;
}

/* Buffers: the arrays of shape and strides are the tensor's own. */

static const char *format_of(dtype dt) {
    static const char *const formats[] = {
        [DT_bool] = "?", [DT_i8] = "b",  [DT_i16] = "h",  [DT_i32] = "i", [DT_i64] = "q",
        [DT_u8] = "B",   [DT_u16] = "H", [DT_u32] = "I",  [DT_u64] = "Q", [DT_f16] = "e",
        [DT_f32] = "f",  [DT_f64] = "d", [DT_wflt] = NULL};
    return formats[dt];
}

static int tensor_buffer(PyObject *self, Py_buffer *v, int flags) {
    py_array *a = &((py_tensor *)self)->a;
    int64_t stride[PY_MAX_RANK + 1], bytes;
    if (!format_of(a->dt)) {
        PyErr_SetString(PyExc_BufferError,
                        "the buffer protocol has no bfloat16; use t.numpy() with ml_dtypes, "
                        "DLPack, or t.cast(pyasc.float32)");
        return -1;
    }
    if (a->readonly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the tensor is read-only");
        return -1;
    }
    if (py_strides(a->dt, a->rank, a->shape, stride, &bytes))
        return -1;
    bool order = !bytes;
    if (!order) {
        order = true;
        for (int i = 0; i < a->rank; i++)
            order = order && (a->shape[i] == 1 || a->stride[i] == stride[i]);
    }
    if (!order && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous");
        return -1;
    }
    *v = (Py_buffer){.buf = a->data,
                     .obj = Py_NewRef(self),
                     .len = py_array_size(a) * dtype_table[a->dt].bytes,
                     .itemsize = dtype_table[a->dt].bytes,
                     .readonly = a->readonly,
                     .ndim = a->rank};
    v->format = flags & PyBUF_FORMAT ? (char *)format_of(a->dt) : NULL;
    v->shape = flags & PyBUF_ND ? (Py_ssize_t *)a->shape : NULL;
    v->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? (Py_ssize_t *)a->stride : NULL;
    return 0;
}

/* Attributes. */

static PyObject *tuple_of(const int64_t *v, int n) {
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++)
        PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(v[i]));
    return t;
}
static PyObject *get_shape(PyObject *self, void *unused) {
    (void)unused;
    return tuple_of(((py_tensor *)self)->a.shape, ((py_tensor *)self)->a.rank);
}
static PyObject *get_strides(PyObject *self, void *unused) {
    (void)unused;
    return tuple_of(((py_tensor *)self)->a.stride, ((py_tensor *)self)->a.rank);
}
static PyObject *get_dtype(PyObject *self, void *unused) {
    PyObject *d = state_of(self)->dtypes[((py_tensor *)self)->a.dt];
    (void)unused;
    return Py_NewRef(d ? d : Py_None);
}
static PyObject *get_ndim(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(((py_tensor *)self)->a.rank);
}
static PyObject *get_size(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(py_array_size(&((py_tensor *)self)->a));
}
static PyObject *get_itemsize(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(dtype_table[((py_tensor *)self)->a.dt].bytes);
}
static PyObject *get_readonly(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(((py_tensor *)self)->a.readonly);
}
static PyObject *tensor_ptr(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromVoidPtr(((py_tensor *)self)->a.data);
}
static PyObject *tensor_set_readonly(PyObject *self, PyObject *unused) {
    (void)unused;
    ((py_tensor *)self)->a.readonly = 1;
    return Py_NewRef(self);
}

static int numbers(PyObject *x, int64_t *out) {
    if (!PyTuple_Check(x) || PyTuple_GET_SIZE(x) > PY_MAX_RANK) {
        PyErr_SetString(PyExc_ValueError, "a tensor has at most 15 dimensions");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(x); i++) {
        out[i] = PyNumber_AsSsize_t(PyTuple_GET_ITEM(x, i), PyExc_OverflowError);
        if (out[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return (int)PyTuple_GET_SIZE(x);
}

/* t._view(shape, strides): other shape and strides over the same memory, from the same place. The
 * caller (pyasc._tensor) answers for them; here is checked that they stay inside what t spans. */
static PyObject *tensor_view(PyObject *self, PyObject *args) {
    py_tensor *t = (py_tensor *)self;
    PyObject *shape, *strides;
    if (!PyArg_ParseTuple(args, "OO", &shape, &strides))
        return NULL;
    py_array a = {.data = t->a.data, .dt = t->a.dt, .readonly = t->a.readonly};
    int n = numbers(shape, a.shape), m = n < 0 ? -1 : numbers(strides, a.stride);
    if (n < 0 || m < 0)
        return NULL;
    a.rank = n;
    int64_t lo[2] = {0, 0}, hi[2] = {0, 0};
    const py_array *both[2] = {&t->a, &a};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->rank; i++) {
            int64_t span = (both[k]->shape[i] - 1) * both[k]->stride[i];
            *(span < 0 ? &lo[k] : &hi[k]) += span;
        }
    if (n != m || (py_array_size(&a) && (lo[1] < lo[0] || hi[1] > hi[0])))
        return PyErr_Format(PyExc_ValueError, "the view leaves the tensor");
    py_array_finish(&a);
    return py_tensor_view(state_of(self), &a, t->owner);
}

/* t._as(dtype): the same bytes read as another type of the same size. */
static PyObject *tensor_as(PyObject *self, PyObject *type) {
    py_tensor *t = (py_tensor *)self;
    int dt = py_dtype_arg(type);
    if (dt < 0)
        return NULL;
    if (dtype_table[dt].bytes != dtype_table[t->a.dt].bytes)
        return PyErr_Format(PyExc_ValueError, "the types differ in size");
    py_array a = t->a;
    a.dt = (dtype)dt;
    return py_tensor_view(state_of(self), &a, t->owner);
}

static PyObject *tensor_dlpack(PyObject *self, PyObject *args, PyObject *kw) {
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = NULL, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|$OOOO", names, &stream, &version, &device, &copy))
        return NULL;
    if (stream != Py_None)
        return PyErr_Format(PyExc_ValueError, "a tensor of the CPU has no stream");
    if (copy == Py_True)
        return PyErr_Format(PyExc_BufferError, "copy=True is not supported: call copy() first");
    return py_dlpack_export(self, version);
}
static PyObject *tensor_device(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return Py_BuildValue("(ii)", 1, 0);
}

static PyMethodDef methods[] = {
    {"item", tensor_item, METH_NOARGS, "The element of a tensor of one element, as a number."},
    {"tolist", tensor_tolist, METH_NOARGS, "Nested lists of numbers."},
    {"data_ptr", tensor_ptr, METH_NOARGS, "Address of the first element."},
    {"_view", tensor_view, METH_VARARGS, NULL},
    {"_as", tensor_as, METH_O, NULL},
    {"_set_readonly", tensor_set_readonly, METH_NOARGS, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS,
     "A DLPack capsule that shares the memory."},
    {"__dlpack_device__", tensor_device, METH_NOARGS, "(kDLCPU, 0)"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Tensor[dtype] and Tensor[dtype, rank], for annotations."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {
    {"shape", get_shape, NULL, "Extents, a tuple.", NULL},
    {"strides", get_strides, NULL, "Strides in bytes, a tuple.", NULL},
    {"dtype", get_dtype, NULL, "Element type.", NULL},
    {"ndim", get_ndim, NULL, "Number of dimensions.", NULL},
    {"size", get_size, NULL, "Number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of an element.", NULL},
    {"readonly", get_readonly, NULL, "May the elements not be written?", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot tensor_slots[] = {
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_nb_float, tensor_float},
    {Py_nb_int, tensor_int},
    {Py_nb_index, tensor_index},
    {Py_nb_bool, tensor_bool},
    {Py_mp_subscript, tensor_subscript},
    {Py_mp_ass_subscript, tensor_assign},
    {Py_mp_length, tensor_length},
    {Py_sq_length, tensor_length},
    {Py_sq_item, tensor_get},
    {Py_bf_getbuffer, tensor_buffer},
    {Py_tp_doc, "An n-dimensional array of one element type; see pyasc.tensor, pyasc.zeros."},
    {0, NULL}};
PyType_Spec py_tensor_spec = {"pyasc.Tensor", sizeof(py_tensor), 0, Py_TPFLAGS_DEFAULT,
                              tensor_slots};

/* Functions of the module. */

int py_dtype_arg(PyObject *x) {
    PyObject *name = PyObject_GetAttrString(x, "__pyasc_dtype__");
    int dt = name && PyUnicode_Check(name) ? dtype_from_name(PyUnicode_AsUTF8(name)) : -1;
    Py_XDECREF(name);
    PyErr_Clear();
    if (dt < 0 || dt >= DT_wint)
        PyErr_Format(PyExc_TypeError, "%R is not a dtype of pyasc; write pyasc.float32, ...", x);
    return dt < DT_wint ? dt : -1;
}

static PyObject *core_empty(PyObject *m, PyObject *args) {
    PyObject *shape, *type;
    int64_t n[PY_MAX_RANK + 1];
    if (!PyArg_ParseTuple(args, "OO", &shape, &type))
        return NULL;
    int dt = py_dtype_arg(type), rank = dt < 0 ? -1 : numbers(shape, n);
    return rank < 0 ? NULL : py_tensor_new(PyModule_GetState(m), (dtype)dt, rank, n);
}

/* share(x): a tensor over the memory of x, or None when x is no array. */
static PyObject *core_share(PyObject *m, PyObject *x) {
    py_array a;
    py_hold hold = {0};
    int r = py_array_of(PyModule_GetState(m), x, "x", &a, &hold);
    if (r < 1) {
        py_unhold(&hold);
        if (r < 0)
            return NULL;
        Py_RETURN_NONE;
    }
    PyObject *owner = hold.capsule    ? Py_NewRef(hold.capsule)
                      : hold.view.obj ? PyMemoryView_FromObject(x) /* holds x's buffer */
                                      : Py_NewRef(x);
    PyObject *t = owner ? py_tensor_view(PyModule_GetState(m), &a, owner) : NULL;
    Py_XDECREF(owner);
    py_unhold(&hold);
    return t;
}

static PyObject *core_register(PyObject *m, PyObject *args) {
    py_state *st = PyModule_GetState(m);
    PyObject *dtypes, *hooks;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &dtypes, &PyDict_Type, &hooks))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dtypes); i++) {
        PyObject *d = PyTuple_GET_ITEM(dtypes, i);
        int dt = py_dtype_arg(d);
        if (dt < 0)
            return NULL;
        Py_XSETREF(st->dtypes[dt], Py_NewRef(d));
    }
    Py_XSETREF(st->hooks, Py_NewRef(hooks));
    Py_RETURN_NONE;
}

static PyObject *core_stats(PyObject *m, PyObject *unused) {
    rt_store_stats s;
    (void)m, (void)unused;
    rt_store_stats_get(&s);
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L}", "in_use", (long long)s.in_use, "peak",
                         (long long)s.peak, "cached", (long long)s.cached, "live",
                         (long long)s.live, "allocs", (long long)s.allocs, "reused",
                         (long long)s.reused);
}
static PyObject *core_trim(PyObject *m, PyObject *unused) {
    (void)m, (void)unused;
    rt_store_trim();
    Py_RETURN_NONE;
}
static PyObject *core_reset(PyObject *m, PyObject *unused) {
    (void)m, (void)unused;
    rt_store_peak_reset();
    Py_RETURN_NONE;
}

PyMethodDef py_tensor_functions[] = {
    {"empty", core_empty, METH_VARARGS, NULL},
    {"share", core_share, METH_O, NULL},
    {"register", core_register, METH_VARARGS, NULL},
    {"memory_stats", core_stats, METH_NOARGS,
     "memory_stats()\n--\n\nBytes of tensors: in_use, peak, cached; blocks: live, allocs, reused."},
    {"empty_cache", core_trim, METH_NOARGS,
     "empty_cache()\n--\n\nGive the memory kept for new tensors back to the system."},
    {"reset_peak", core_reset, METH_NOARGS,
     "reset_peak()\n--\n\nSet memory_stats()['peak'] to what is in use now."},
    {NULL, NULL, 0, NULL}};
