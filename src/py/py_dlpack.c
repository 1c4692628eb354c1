/* DLPack both ways (dmlc/dlpack, versions before and from 1.0). Only memory that the CPU addresses.
 */
#include "py/py.h"

typedef struct {
    int32_t type, id;
} dl_device;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} dl_dtype;
typedef struct {
    void *data;
    dl_device device;
    int32_t ndim;
    dl_dtype dtype;
    int64_t *shape, *strides; /* strides in elements; NULL: C order */
    uint64_t byte_offset;
} dl_tensor;
typedef struct dl_managed {
    dl_tensor t;
    void *context;
    void (*deleter)(struct dl_managed *);
} dl_managed;
typedef struct dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_versioned *);
    uint64_t flags;
    dl_tensor t;
} dl_versioned;

enum { DL_CPU = 1, DL_CUDA_HOST = 3, DL_READ_ONLY = 1, DL_COPIED = 2 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

static int dtype_of(dl_dtype d) {
    static const struct {
        uint8_t code, bits, dt;
    } rows[] = {{DL_INT, 8, DT_i8},     {DL_INT, 16, DT_i16},   {DL_INT, 32, DT_i32},
                {DL_INT, 64, DT_i64},   {DL_UINT, 8, DT_u8},    {DL_UINT, 16, DT_u16},
                {DL_UINT, 32, DT_u32},  {DL_UINT, 64, DT_u64},  {DL_FLOAT, 16, DT_f16},
                {DL_FLOAT, 32, DT_f32}, {DL_FLOAT, 64, DT_f64}, {DL_BFLOAT, 16, DT_bf16},
                {DL_BOOL, 8, DT_bool}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == d.code && rows[i].bits == d.bits && d.lanes == 1)
            return rows[i].dt;
    return -1;
}

static dl_dtype to_dl(dtype dt) {
    char cls = dtype_table[dt].cls;
    uint8_t code = dt == DT_bf16 ? DL_BFLOAT
                   : cls == 'F'  ? DL_FLOAT
                   : cls == 'I'  ? DL_INT
                   : cls == 'B'  ? DL_BOOL
                                 : DL_UINT;
    return (dl_dtype){code, (uint8_t)(8 * dtype_table[dt].bytes), 1};
}

static int from_dl(const dl_tensor *t, const char *name, py_array *out) {
    int dt = dtype_of(t->dtype);
    if (t->device.type != DL_CPU && t->device.type != DL_CUDA_HOST) {
        PyErr_Format(PyExc_TypeError,
                     "parameter '%s' is not in this machine's main memory (DLPack device %d); "
                     "copy it to the CPU first",
                     name, (int)t->device.type);
        return -1;
    }
    if (dt < 0 || t->ndim > PY_MAX_RANK) {
        PyErr_Format(PyExc_TypeError,
                     dt < 0 ? "parameter '%s': its element type (DLPack code %d, %d bits) is not "
                              "one of ours"
                            : "parameter '%s' has more than 15 dimensions",
                     name, (int)t->dtype.code, (int)t->dtype.bits);
        return -1;
    }
    int64_t item = dtype_table[dt].bytes, step = item;
    *out = (py_array){.data = (char *)t->data + t->byte_offset, .dt = (dtype)dt, .rank = t->ndim};
    for (int i = t->ndim - 1; i >= 0; i--) {
        out->shape[i] = t->shape[i];
        out->stride[i] = t->strides ? t->strides[i] * item : step;
        step *= t->shape[i];
    }
    if (!t->data && step) {
        PyErr_Format(PyExc_TypeError, "parameter '%s' has no memory; pass a copy", name);
        return -1;
    }
    return py_array_finish(out);
}

static PyObject *capsule_of(PyObject *x) {
    PyObject *f = PyObject_GetAttrString(x, "__dlpack__"), *capsule = NULL;
    PyObject *kw = f ? Py_BuildValue("{s:(ii)}", "max_version", 1, 0) : NULL,
             *none = PyTuple_New(0);
    if (kw && none)
        capsule = PyObject_Call(f, none, kw);
    if (!capsule && f && PyErr_ExceptionMatches(PyExc_TypeError)) { /* from before version 1.0 */
        PyErr_Clear();
        capsule = PyObject_CallNoArgs(f);
    }
    Py_XDECREF(kw);
    Py_XDECREF(none);
    Py_XDECREF(f);
    return capsule;
}

int py_dlpack_of(PyObject *x, const char *name, py_array *out, PyObject **capsule) {
    if (PyType_Check(x) || !PyObject_HasAttrString((PyObject *)Py_TYPE(x), "__dlpack__"))
        return 0;
    PyObject *c = capsule_of(x);
    if (!c) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_Format(PyExc_TypeError, "parameter '%s' (%s) does not lend its memory: %S", name,
                     Py_TYPE(x)->tp_name, value ? value : Py_None);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return -1;
    }
    int r = -1;
    if (PyCapsule_IsValid(c, "dltensor_versioned")) {
        dl_versioned *v = PyCapsule_GetPointer(c, "dltensor_versioned");
        if (v->major != 1)
            PyErr_Format(PyExc_TypeError, "parameter '%s': DLPack version %u is not known", name,
                         v->major);
        else if ((r = from_dl(&v->t, name, out)) == 1)
            out->readonly = v->flags & DL_READ_ONLY ? 1 : 0;
    } else if (PyCapsule_IsValid(c, "dltensor"))
        r = from_dl(&((dl_managed *)PyCapsule_GetPointer(c, "dltensor"))->t, name, out);
    else
        PyErr_Format(PyExc_TypeError, "parameter '%s': __dlpack__ gives no DLPack capsule", name);
    if (r == 1)
        *capsule = c; /* its destructor frees what was not taken */
    else
        Py_DECREF(c);
    return r;
}

typedef struct {
    union {
        dl_managed old;
        dl_versioned now;
    };
    PyObject *owner;
    int64_t shape[PY_MAX_RANK + 1], strides[PY_MAX_RANK + 1];
} exported;

static void drop(exported *e) {
    PyGILState_STATE g = PyGILState_Ensure();
    Py_DECREF(e->owner);
    PyGILState_Release(g);
    free(e);
}
static void drop_old(dl_managed *m) { drop(m->context); }
static void drop_now(dl_versioned *m) { drop(m->context); }

static void destroy(PyObject *c) {
    const char *name = PyCapsule_GetName(c);
    if (name && !strcmp(name, "dltensor"))
        drop_old(PyCapsule_GetPointer(c, name));
    else if (name && !strcmp(name, "dltensor_versioned"))
        drop_now(PyCapsule_GetPointer(c, name));
}

/* The exchange API (dlpack 1.2 on), which a type holds in __dlpack_c_exchange_api__. */
struct py_exchange {
    uint32_t major, minor;
    const struct py_exchange *before;
    void *allocate, *managed_of, *to_object;
    int (*lend)(void *x, dl_tensor *out); /* owns nothing; -1 with a Python error */
    void *stream;
};

/* Whose type has a name that says so, but is not torch.Tensor, is asked each time. */
static bool find_torch(py_state *st, PyTypeObject *type) {
    PyObject *module = PyObject_GetAttrString((PyObject *)type, "__module__"), *api = NULL,
             *grad = NULL;
    if (module && PyUnicode_Check(module) && !PyUnicode_CompareWithASCIIString(module, "torch")) {
        api = PyObject_GetAttrString((PyObject *)type, "__dlpack_c_exchange_api__");
        grad = api ? PyObject_GetAttrString((PyObject *)type, "requires_grad") : NULL;
    }
    const struct py_exchange *e = grad ? PyCapsule_GetPointer(api, "dlpack_exchange_api") : NULL;
    bool found = e && e->major == 1 && e->lend && Py_IS_TYPE(grad, &PyGetSetDescr_Type);
    if (found) { /* the capsule is the type's for as long as the type lives */
        st->torch = (PyTypeObject *)Py_NewRef((PyObject *)type);
        st->torch_grad = Py_NewRef(grad);
        st->torch_api = e;
    }
    PyErr_Clear();
    Py_XDECREF(grad);
    Py_XDECREF(api);
    Py_XDECREF(module);
    return found;
}

bool py_is_torch(py_state *st, PyObject *x) {
    return st->torch ? Py_IS_TYPE(x, st->torch)
                     : !strcmp(Py_TYPE(x)->tp_name, "Tensor") && find_torch(st, Py_TYPE(x));
}

/* A tensor whose memory holds the negated values has strides of pairs, as it is the imaginary part
   of a conjugate; asking takes as long as all the rest. */
static bool negated(PyObject *x, const dl_tensor *t) {
    for (int i = 0; t->strides && i < t->ndim; i++)
        if (t->strides[i] == 1 && t->shape[i] > 1)
            return false;
    PyObject *r = PyObject_CallMethod(x, "is_neg", NULL);
    bool yes = r == Py_True;
    PyErr_Clear();
    Py_XDECREF(r);
    return yes;
}

int py_torch_of(const py_state *st, PyObject *x, const char *name, py_array *out) {
    const PyGetSetDef *d = ((PyGetSetDescrObject *)st->torch_grad)->d_getset;
    dl_tensor t;
    PyObject *grad = d->get(x, d->closure);
    bool plain = grad == Py_False && !st->torch_api->lend(x, &t);
    Py_XDECREF(grad);
    if (!plain) {
        PyErr_Clear();
        return 0;
    }
    if (negated(x, &t)) {
        PyErr_Format(
            PyExc_TypeError,
            "parameter '%s' has its negative bit set: its memory does not hold its values; "
            "pass its resolve_neg()",
            name);
        return -1;
    }
    return from_dl(&t, name, out);
}

PyObject *py_dlpack_export(PyObject *tensor, PyObject *max_version) {
    const py_array *a = &((py_tensor *)tensor)->a;
    long major = 0;
    if (max_version && PyTuple_Check(max_version) && PyTuple_GET_SIZE(max_version))
        major = PyLong_AsLong(PyTuple_GET_ITEM(max_version, 0));
    if (PyErr_Occurred())
        return NULL;
    if (a->readonly && major < 1)
        return PyErr_Format(PyExc_BufferError, "a read-only tensor needs DLPack 1.0 to be lent");
    int64_t item = dtype_table[a->dt].bytes;
    for (int i = 0; i < a->rank; i++)
        if (a->stride[i] % item && a->shape[i] > 1)
            return PyErr_Format(PyExc_BufferError,
                                "strides are no multiple of the element's size; copy it first");
    exported *e = calloc(1, sizeof *e);
    if (!e)
        return PyErr_NoMemory();
    e->owner = Py_NewRef(tensor);
    for (int i = 0; i < a->rank; i++) {
        e->shape[i] = a->shape[i];
        e->strides[i] = a->stride[i] / item;
    }
    dl_tensor t = {a->data, {DL_CPU, 0}, a->rank, to_dl(a->dt), e->shape, e->strides, 0};
    if (major >= 1)
        e->now = (dl_versioned){1, 0, e, drop_now, a->readonly ? DL_READ_ONLY : 0, t};
    else
        e->old = (dl_managed){t, e, drop_old};
    PyObject *c = PyCapsule_New(e, major >= 1 ? "dltensor_versioned" : "dltensor", destroy);
    if (!c)
        drop(e);
    return c;
}
