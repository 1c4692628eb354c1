/* The types Kernel and Launch. */
#include "py/py_kernel.h"
#include <structmember.h>

/* k(..., stream=s): bound and compiled now, so that what is wrong shows here; run by the stream. */
static PyObject *launch_on(PyObject *self, py_kernel *k, PyObject *const *args, size_t nargsf,
                           PyObject *kw, Py_ssize_t at) {
    Py_ssize_t n = PyVectorcall_NARGS(nargsf), nkw = PyTuple_GET_SIZE(kw);
    PyObject *pos = PyTuple_New(n), *named = PyDict_New(), *r = NULL;
    for (Py_ssize_t i = 0; pos && i < n; i++)
        PyTuple_SET_ITEM(pos, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; named && i < nkw; i++)
        if (i != at && PyDict_SetItem(named, PyTuple_GET_ITEM(kw, i), args[n + i]))
            Py_CLEAR(named);
    PyObject *stream = args[n + at];
    PyObject *warmup = stream == Py_None ? NULL : PyObject_GetAttrString((PyObject *)k, "warmup");
    PyObject *ready = warmup && pos && named ? PyObject_Call(warmup, pos, named) : NULL;
    PyObject *module = ready || stream == Py_None ? PyImport_ImportModule("pyasc._stream") : NULL;
    if (module && pos && named)
        r = PyObject_CallMethod(module, "launch_on", "OOOO", stream, self, pos, named);
    Py_XDECREF(module);
    Py_XDECREF(ready);
    Py_XDECREF(warmup);
    Py_XDECREF(pos);
    Py_XDECREF(named);
    return r;
}

static PyObject *launch(PyObject *self, py_kernel *k, const py_domain *d, PyObject *const *args,
                        size_t n, PyObject *kw) {
    for (Py_ssize_t i = kw ? PyTuple_GET_SIZE(kw) : 0; i-- > 0;)
        if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kw, i), "stream")) {
            int parameter = PySequence_Contains(k->params, PyTuple_GET_ITEM(kw, i));
            if (parameter)
                return parameter < 0 ? NULL : py_launch(k, d, args, n, kw);
            return launch_on(self, k, args, n, kw, i);
        }
    return py_launch(k, d, args, n, kw);
}

static PyObject *kernel_call(PyObject *self, PyObject *const *args, size_t n, PyObject *kw) {
    static const py_domain inferred = {0};
    return launch(self, (py_kernel *)self, &inferred, args, n, kw);
}
static PyObject *launcher_call(PyObject *self, PyObject *const *args, size_t n, PyObject *kw) {
    py_launcher *l = (py_launcher *)self;
    return launch(self, l->k, &l->d, args, n, kw);
}

static int dims(PyObject *x, int64_t out[3]) {
    PyObject *t = PyTuple_Check(x) ? Py_NewRef(x) : PyTuple_Pack(1, x);
    Py_ssize_t n = t ? PyTuple_GET_SIZE(t) : 0;
    out[0] = out[1] = out[2] = 1;
    for (Py_ssize_t i = 0; i < n && i < 3; i++) {
        Py_ssize_t v = PyNumber_AsSsize_t(PyTuple_GET_ITEM(t, i), PyExc_OverflowError);
        if (v < 0) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError,
                                "a size of the launch is negative; write sizes from 0 on");
            break;
        }
        out[i] = v;
    }
    Py_XDECREF(t);
    if (n < 1 || n > 3)
        PyErr_SetString(PyExc_ValueError,
                        "a launch has 1 to 3 dimensions; write k.over(n) or k.over(rows, cols)");
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *make_launcher(py_kernel *k, const py_domain *d) {
    py_state *st = k->st;
    py_launcher *l = PyObject_New(py_launcher, st->launcher);
    if (l) {
        l->k = (py_kernel *)Py_NewRef((PyObject *)k);
        l->d = *d;
        l->call = launcher_call;
    }
    return (PyObject *)l;
}

static PyObject *kernel_subscript(PyObject *self, PyObject *key) {
    py_domain d = {.given = 1};
    int64_t blocks[3];
    if (!PyTuple_Check(key) || PyTuple_GET_SIZE(key) != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "a launch in brackets has two parts; write kernel[blocks, threads](...)");
        return NULL;
    }
    if (dims(PyTuple_GET_ITEM(key, 0), blocks) || dims(PyTuple_GET_ITEM(key, 1), d.block))
        return NULL;
    for (int i = 0; i < 3; i++) {
        if (d.block[i] < 1) {
            PyErr_SetString(PyExc_ValueError, "a block has no work-items; write kernel[blocks, "
                                              "threads] with threads of at least 1");
            return NULL;
        }
        if (__builtin_mul_overflow(blocks[i], d.block[i], &d.n[i])) {
            PyErr_SetString(PyExc_OverflowError,
                            "the launch has too many work-items; write at most 2**63 - 1");
            return NULL;
        }
    }
    return make_launcher((py_kernel *)self, &d);
}

static PyObject *kernel_over(PyObject *self, PyObject *args) {
    py_domain d = {.given = 2};
    int64_t in[3];
    if (dims(args, in))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    for (int i = 0; i < 3; i++)
        d.n[i] = i < n ? in[n - 1 - i] : 1;
    return make_launcher((py_kernel *)self, &d);
}

static void launcher_dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    Py_DECREF(((py_launcher *)self)->k);
    PyObject_Free(self);
    Py_DECREF(t);
}

static bool is_launcher(PyObject *x) { return Py_TYPE(x)->tp_dealloc == launcher_dealloc; }

/* self: a kernel, or a launcher, whose blocks count then. */
static PyObject *text_of(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw,
                         const char *stage) {
    py_kernel *k = (py_kernel *)self;
    py_blocks blocks = {0};
    py_values vs = {0};
    PyObject *r = NULL;
    if (is_launcher(self)) {
        blocks = py_blocks_of(&((py_launcher *)self)->d);
        k = ((py_launcher *)self)->k;
    }
    if (!py_bind(k, args, n, kw, &vs)) {
        py_spec *s = py_compile(k, &vs, 0, &blocks, stage);
        if (s)
            r = PyUnicode_FromString(s->code.text ? s->code.text : "");
        py_spec_free(s);
    }
    py_release(&vs);
    return r;
}
static PyObject *kernel_ir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    Py_ssize_t nkw = kw ? PyTuple_GET_SIZE(kw) : 0;
    if (!nkw || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kw, nkw - 1), "stage"))
        return text_of(self, args, n, kw, "final");
    PyObject *stage = args[n + nkw - 1], *rest = PyTuple_GetSlice(kw, 0, nkw - 1), *r = NULL;
    if (!PyUnicode_Check(stage))
        PyErr_SetString(PyExc_TypeError, "stage is the name of a pass, such as 'infer'");
    else if (rest)
        r = text_of(self, args, n, rest, PyUnicode_AsUTF8(stage));
    if (r && !PyUnicode_GET_LENGTH(r)) {
        Py_CLEAR(r);
        PyErr_Format(PyExc_ValueError,
                     "there is no stage '%U'; write front, the name of a pass, or final", stage);
    }
    Py_XDECREF(rest);
    return r;
}
static PyObject *kernel_explain(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    return text_of(self, args, n, kw, "explain");
}
static PyObject *kernel_llvm(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    return text_of(self, args, n, kw, "llvm");
}
static PyObject *kernel_asm(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    return text_of(self, args, n, kw, "asm");
}
static PyObject *kernel_warmup(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    py_values vs = {0};
    static const py_domain any = {0};
    bool launcher = is_launcher(self);
    py_kernel *k = launcher ? ((py_launcher *)self)->k : (py_kernel *)self;
    const py_domain *d = launcher ? &((py_launcher *)self)->d : &any;
    py_spec *s = py_bind(k, args, n, kw, &vs) ? NULL : py_spec_for(k, d, &vs);
    py_release(&vs);
    if (!s)
        return NULL;
    Py_RETURN_NONE;
}
static PyObject *kernel_domain(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw) {
    py_values vs = {0};
    bool bound = !py_bind((py_kernel *)self, args, n, kw, &vs);
    PyObject *r = bound ? py_inferred((py_kernel *)self, &vs) : NULL;
    py_release(&vs);
    return r;
}
static PyObject *kernel_cache_info(PyObject *self, PyObject *unused) {
    PyObject *list = PyList_New(0);
    (void)unused;
    for (py_spec *s = ((py_kernel *)self)->specs; s && list; s = s->next) {
        PyObject *types = PyList_New(0);
        for (uint32_t i = 0; types && i < s->ntags; i++) {
            unsigned kind = s->tags[i] & 255;
            PyObject *t =
                kind == ST_tensor
                    ? PyUnicode_FromFormat("%s[%d]%s", dtype_table[s->tags[i] >> 8 & 255].name,
                                           (int)(s->tags[i] >> 16 & 255),
                                           (s->tags[i] >> 24) == IR_UNIT   ? ""
                                           : (s->tags[i] >> 24) == IR_SAME ? " broadcast"
                                                                           : " strided")
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
    py_kernel *k = (py_kernel *)type->tp_alloc(type, 0);
    if (!k)
        return NULL;
    k->fn = Py_NewRef(fn);
    k->options = Py_NewRef(options);
    k->call = kernel_call;
    k->st = py_state_of(type);
    k->lock = PyThread_allocate_lock();
    PyObject *code = PyFunction_GET_CODE(fn), *names = PyObject_GetAttrString(code, "co_varnames");
    k->params = names ? PyTuple_GetSlice(names, 0, ((PyCodeObject *)code)->co_argcount) : NULL;
    Py_XDECREF(names);
    Py_ssize_t n = k->params ? PyTuple_GET_SIZE(k->params) : 0;
    k->names = PyMem_New(const char *, (size_t)n + 1);
    for (Py_ssize_t i = 0; k->names && i < n; i++)
        k->names[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(k->params, i));
    PyObject *defaults = PyFunction_GET_DEFAULTS(fn);
    k->defaults = defaults ? Py_NewRef(defaults) : PyTuple_New(0);
    k->serial = !option(options, "parallel", 1);
    k->opt_level = option(options, "opt_level", 3);
    k->fastmath = option(options, "fastmath", 1) ? 0 : -1;
    k->disk = option(options, "cache", 1);
    k->check = option(options, "check", 0);
    k->eager = option(options, "eager", 0);
    k->asc = option(options, "asc", 0);
    PyObject *bits = PyDict_Check(options) ? PyDict_GetItemString(options, "constants") : NULL;
    k->constants = bits ? PyLong_AsUnsignedLongLong(bits) : 0;
    if (k->params && k->names && k->defaults)
        return (PyObject *)k;
    Py_DECREF(k);
    return NULL;
}

static int kernel_traverse(PyObject *self, visitproc visit, void *arg) {
    py_kernel *k = (py_kernel *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(k->fn);
    Py_VISIT(k->options);
    Py_VISIT(k->dict);
    Py_VISIT(k->defaults);
    for (py_spec *s = k->specs; s; s = s->next)
        Py_VISIT(s->env.keep);
    return 0;
}

/* What is left is unreachable: nobody is in a launch. fn stays until the end, as the guards look
 * into it. */
static int kernel_clear(PyObject *self) {
    py_kernel *k = (py_kernel *)self;
    for (py_spec *s = k->specs, *next; s; s = next) {
        next = s->next;
        py_spec_free(s);
    }
    k->specs = NULL;
    Py_CLEAR(k->options);
    Py_CLEAR(k->dict);
    return 0;
}

static void kernel_dealloc(PyObject *self) {
    py_kernel *k = (py_kernel *)self;
    PyTypeObject *t = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    for (py_spec *s = k->specs, *next; s; s = next) {
        next = s->next;
        py_spec_free(s);
    }
    Py_XDECREF(k->fn);
    Py_XDECREF(k->options);
    Py_XDECREF(k->dict);
    Py_XDECREF(k->params);
    PyMem_Free(k->names);
    Py_XDECREF(k->defaults);
    if (k->lock)
        PyThread_free_lock(k->lock);
    t->tp_free(self);
    Py_DECREF(t);
}
static PyMethodDef methods[] = {
    {"over", kernel_over, METH_VARARGS,
     "k.over(n)(...) or k.over(rows, cols)(...): run exactly that many work-items."},
    {"ir", (PyCFunction)(void (*)(void))kernel_ir, METH_FASTCALL | METH_KEYWORDS,
     "k.ir(*args, stage='final'): the IR after a pass."},
    {"explain", (PyCFunction)(void (*)(void))kernel_explain, METH_FASTCALL | METH_KEYWORDS,
     "k.explain(*args): what the compiler sees in each loop, or why not, a line each."},
    {"llvm_ir", (PyCFunction)(void (*)(void))kernel_llvm, METH_FASTCALL | METH_KEYWORDS,
     "The optimised LLVM IR for these arguments."},
    {"asm", (PyCFunction)(void (*)(void))kernel_asm, METH_FASTCALL | METH_KEYWORDS,
     "The machine code for these arguments, as assembly."},
    {"warmup", (PyCFunction)(void (*)(void))kernel_warmup, METH_FASTCALL | METH_KEYWORDS,
     "Compile for these arguments without running."},
    {"_domain", (PyCFunction)(void (*)(void))kernel_domain, METH_FASTCALL | METH_KEYWORDS,
     "The domain that a launch with these arguments infers, dim 0 first; None without work-items."},
    {"cache_info", kernel_cache_info, METH_NOARGS, "The specialisations compiled so far."},
    {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"fn", T_OBJECT, offsetof(py_kernel, fn), READONLY, "the Python function"},
    {"__wrapped__", T_OBJECT, offsetof(py_kernel, fn), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(py_kernel, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(py_kernel, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
/* A kernel in a class is a method. */
static PyObject *kernel_get(PyObject *self, PyObject *object, PyObject *type) {
    (void)type;
    if (!object || object == Py_None)
        return Py_NewRef(self);
    py_state *st = py_state_of(Py_TYPE(self));
    PyObject *m = st->bound ? NULL : PyImport_ImportModule("pyasc._jit");
    if (m)
        st->bound = PyObject_GetAttrString(m, "Bound");
    Py_XDECREF(m);
    return st->bound ? PyObject_CallFunctionObjArgs(st->bound, self, object, NULL) : NULL;
}

static PyType_Slot kernel_slots[] = {{Py_tp_new, kernel_new},
                                     {Py_tp_descr_get, kernel_get},
                                     {Py_tp_dealloc, kernel_dealloc},
                                     {Py_tp_traverse, kernel_traverse},
                                     {Py_tp_clear, kernel_clear},
                                     {Py_tp_call, PyVectorcall_Call},
                                     {Py_mp_subscript, kernel_subscript},
                                     {Py_tp_methods, methods},
                                     {Py_tp_members, members},
                                     {Py_tp_doc, "A compiled kernel. Made by @pyasc.jit."},
                                     {0, NULL}};
PyType_Spec py_kernel_spec = {"pyasc.Kernel", sizeof(py_kernel), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
                              kernel_slots};
static PyMethodDef launcher_methods[] = {
    {"ir", (PyCFunction)(void (*)(void))kernel_ir, METH_FASTCALL | METH_KEYWORDS,
     "k[blocks, threads].ir(*args, stage='final'): the IR after a pass, for such a launch."},
    {"explain", (PyCFunction)(void (*)(void))kernel_explain, METH_FASTCALL | METH_KEYWORDS,
     "k[blocks, threads].explain(*args): what the compiler sees, for such a launch."},
    {"warmup", (PyCFunction)(void (*)(void))kernel_warmup, METH_FASTCALL | METH_KEYWORDS,
     "k[blocks, threads].warmup(*args): compile for such a launch without running."},
    {NULL, NULL, 0, NULL}};
static PyMemberDef launcher_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(py_launcher, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot launcher_slots[] = {{Py_tp_dealloc, launcher_dealloc},
                                       {Py_tp_call, PyVectorcall_Call},
                                       {Py_tp_methods, launcher_methods},
                                       {Py_tp_members, launcher_members},
                                       {0, NULL}};
PyType_Spec py_launcher_spec = {"pyasc.Launch", sizeof(py_launcher), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, launcher_slots};
