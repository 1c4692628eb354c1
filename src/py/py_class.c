/* What classes and objects of the user's mean: the front end's questions about them. */
#include "py/py_env.h"

bool py_is_class(py_env *e, PyObject *v, front_static *out) {
    if (v == (PyObject *)e->state->tensor) {
        *out = (front_static){.kind = ST_op, .s = "Tensor"};
        return true;
    }
    if (!PyType_Check(v))
        return false;
    bool exc = PyObject_IsSubclass(v, PyExc_BaseException) == 1;
    const char *name = strrchr(((PyTypeObject *)v)->tp_name, '.');
    name = name ? name + 1 : ((PyTypeObject *)v)->tp_name;
    *out =
        (front_static){.kind = ST_class, .s = arena_strdup(e->mem, name), .handle = v, .exc = exc};
    PyObject *own = ((PyTypeObject *)v)->tp_dict;
    out->asc = own && PyDict_GetItemString(own, "__pyasc_asc__");
    return true;
}

/* A plain object of a class of the user's: its attributes can be read. */
bool py_is_instance(PyObject *v) {
    return PyType_HasFeature(Py_TYPE(v), Py_TPFLAGS_HEAPTYPE) && !PyType_Check(v) &&
           !PyCallable_Check(v) && !PyTuple_Check(v);
}

static bool is_a(void *self, void *cls, void *of) {
    (void)self;
    int r = PyObject_IsSubclass(cls, of);
    PyErr_Clear();
    return r == 1;
}

static void exception(void *self, const char *name, front_static *out) {
    py_env *e = self;
    PyObject *v = PyDict_GetItemString(PyEval_GetBuiltins(), name);
    if (!v) {
        if (!e->state->errors)
            e->state->errors = PyImport_ImportModule("pyasc._errors");
        v = e->state->errors ? PyObject_GetAttrString(e->state->errors, name) : NULL;
        if (v)
            PyList_Append(e->keep, v);
        Py_XDECREF(v);
    }
    *out = (front_static){0};
    if (v)
        py_is_class(e, v, out);
    PyErr_Clear();
}

/* The function behind what a class holds: of a static method, a kernel or a property too. */
static PyObject *function_of(py_env *e, PyObject *v, front_static *out) {
    PyObject *f = NULL;
    out->property = PyObject_TypeCheck(v, &PyProperty_Type);
    if (out->property)
        f = PyObject_GetAttrString(v, "fget");
    else if (PyFunction_Check(v))
        return v;
    else if (Py_TYPE(v) == e->state->kernel)
        f = PyObject_GetAttrString(v, "fn");
    else if (PyObject_HasAttrString(v, "__func__"))
        f = PyObject_GetAttrString(v, "__func__");
    PyErr_Clear();
    if (f)
        PyList_Append(e->keep, f);
    Py_XDECREF(f);
    return f && PyFunction_Check(f) ? f : NULL;
}

/* By dataclass: it has no text of its own. */
static bool is_made(PyObject *f) {
    PyObject *file = PyObject_GetAttrString(PyFunction_GET_CODE(f), "co_filename");
    bool made = !file || PyUnicode_CompareWithASCIIString(file, "<string>") == 0;
    Py_XDECREF(file);
    return made;
}

static void method(void *self, void *cls, void *after, const char *name, front_static *out,
                   front_static *owner) {
    py_env *e = self;
    PyObject *mro = ((PyTypeObject *)cls)->tp_mro;
    bool on = after == NULL;
    *out = *owner = (front_static){0};
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *c = PyTuple_GET_ITEM(mro, i);
        if (c == after) {
            on = true;
            continue;
        }
        PyObject *dict = on && c != (PyObject *)&PyBaseObject_Type
                             ? PyObject_GetAttrString(c, "__dict__")
                             : NULL;
        PyObject *v = dict ? PyMapping_GetItemString(dict, name) : NULL;
        PyErr_Clear();
        Py_XDECREF(dict);
        if (!v)
            continue;
        PyList_Append(e->keep, v);
        bool is_static = !strcmp(Py_TYPE(v)->tp_name, "staticmethod");
        PyObject *f = is_static ? NULL : function_of(e, v, out);
        if (f && !is_made(f)) {
            out->kind = ST_func;
            out->handle = f;
            owner->kind = ST_class;
            owner->handle = c;
        }
        Py_DECREF(v);
        return;
    }
}

static PyObject *helper(py_env *e, const char *name, PyObject *arg) {
    if (!e->state->source)
        e->state->source = PyImport_ImportModule("pyasc._source");
    PyObject *r = e->state->source ? PyObject_CallMethod(e->state->source, name, "O", arg) : NULL;
    if (r)
        PyList_Append(e->keep, r);
    Py_XDECREF(r);
    PyErr_Clear();
    return r; /* kept by e->keep */
}

/* (kind of class, frozen, ((name, has default, default), ...)) or None */
static const front_class *fields(void *self, void *cls) {
    py_env *e = self;
    PyObject *r = helper(e, "fields", cls), *list;
    int tuple, frozen;
    if (!r || r == Py_None || !PyArg_ParseTuple(r, "ppO", &tuple, &frozen, &list)) {
        PyErr_Clear();
        return NULL;
    }
    front_class *c = ARENA_NEW(e->mem, front_class);
    *c = (front_class){
        .tuple = tuple, .frozen = frozen, .nfields = (uint32_t)PyTuple_GET_SIZE(list)};
    c->fields = ARENA_ARRAY(e->mem, front_field, c->nfields + 1);
    for (uint32_t i = 0; i < c->nfields; i++) {
        PyObject *row = PyTuple_GET_ITEM(list, i), *value;
        const char *name;
        int has;
        if (!PyArg_ParseTuple(row, "spO", &name, &has, &value))
            break;
        c->fields[i] = (front_field){.name = arena_strdup(e->mem, name), .has_default = has};
        if (has)
            py_env_classify(e, value, &c->fields[i].value);
    }
    PyErr_Clear();
    return c;
}

/* An attribute of an instance must be at each launch what it was: of the same class (by_value 2),
   or the same thing. */
static void guard_path(py_env *e, const char *path, PyObject *value, int by_value) {
    py_path_guard *g = ARENA_NEW(e->mem, py_path_guard);
    *g = (py_path_guard){path, value, by_value, e->paths};
    e->paths = g;
    PyList_Append(e->keep, value);
}

static void host_attr(void *self, const front_static *object, const char *name, front_static *out) {
    py_env *e = self;
    PyObject *v = PyObject_GetAttrString(object->handle, name);
    const char *path = arena_printf(e->mem, "%s.%s", object->path, name);
    *out = (front_static){0};
    if (!v) {
        PyErr_Clear();
        return;
    }
    PyList_Append(e->keep, v);
    front_static m = {0}, owner = {0};
    method(e, Py_TYPE(object->handle), NULL, name, &m, &owner);
    if (m.kind == ST_func && (m.property || PyMethod_Check(v) || Py_TYPE(v) == e->state->kernel ||
                              !PyFunction_Check(v))) {
        *out = m;
        out->owner = owner.handle;
        out->bound = true;
    } else {
        py_env_classify(e, v, out);
        out->path = path;
        bool captured = out->kind == ST_int || out->kind == ST_float || out->kind == ST_bool ||
                        out->kind == ST_tensor;
        if (!captured)
            guard_path(e, path, out->kind == ST_instance ? (PyObject *)Py_TYPE(v) : v,
                       out->kind == ST_instance ? 2 : 0);
    }
    Py_DECREF(v);
}

static void import(void *self, const char *module, const char *name, bool top, front_static *out) {
    py_env *e = self;
    PyObject *m = PyImport_ImportModule(module), *v = NULL;
    *out = (front_static){0};
    if (m && top && strchr(module, '.')) {
        char first[128];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(module, "."), module);
        v = PyImport_ImportModule(first);
    } else
        v = m && name ? PyObject_GetAttrString(m, name) : Py_XNewRef(m);
    PyErr_Clear();
    Py_XDECREF(m);
    if (!v)
        return;
    py_env_classify(e, v, out);
    PyList_Append(e->keep, v);
    Py_DECREF(v);
}

static const ast *parse(void *self, const char *text, const ast *n) {
    py_env *e = self;
    PyObject *s = PyUnicode_FromString(text), *r = s ? helper(e, "expression", s) : NULL;
    Py_XDECREF(s);
    if (!r || r == Py_None)
        return NULL;
    return py_ast_convert(e, r, n->at.file, (int)n->at.line - 1, (int)n->at.col);
}

static bool known(void *self, void *fn, const ast *name) {
    py_env *e = self;
    const ast *root = name;
    while (root->kind == AST_Attribute)
        root = root->f[Attribute_value].node;
    if (root->kind != AST_Name)
        return false;
    PyObject *key = PyUnicode_FromString(root->f[Name_id].s),
             *v = key && fn ? py_lookup(fn, key) : NULL;
    Py_XDECREF(key);
    if (!v || root == name)
        return v != NULL;
    if (!PyModule_Check(v) || name->f[Attribute_value].node != root)
        return false;
    (void)e;
    return PyObject_HasAttrString(v, name->f[Attribute_attr].s);
}

static void **overloads(void *self, void *fn, uint32_t *n) {
    py_env *e = self;
    PyObject *list = PyObject_GetAttrString(fn, "__pyasc_overloads__");
    void **out = NULL;
    *n = 0;
    if (list && PyList_Check(list)) {
        *n = (uint32_t)PyList_GET_SIZE(list);
        out = ARENA_ARRAY(e->mem, void *, *n + 1);
        for (uint32_t i = 0; i < *n; i++) {
            out[i] = PyList_GET_ITEM(list, i);
            PyList_Append(e->keep, out[i]);
        }
    }
    Py_XDECREF(list);
    PyErr_Clear();
    return out;
}

void py_class_env(front_env *f) {
    f->overloads = overloads;
    f->is_a = is_a;
    f->exception = exception;
    f->method = method;
    f->fields = fields;
    f->host_attr = host_attr;
    f->import = import;
    f->parse = parse;
    f->known = known;
}

/* "#0.a.b": of argument 0; "@2.a": of the module's object number 2. New reference, or NULL. */
PyObject *py_path_now(const py_env *e, const char *path, PyObject *const *args, uint32_t nargs) {
    char *rest;
    unsigned long k = strtoul(path + 1, &rest, 10);
    PyObject *v = NULL;
    if (path[0] == '#' && k < nargs)
        v = args[k];
    else if (path[0] == '@' && k < (unsigned long)PyList_GET_SIZE(e->roots))
        v = PyList_GET_ITEM(e->roots, (Py_ssize_t)k);
    Py_XINCREF(v);
    while (v && *rest == '.') {
        char name[256];
        size_t n = strcspn(rest + 1, ".");
        if (n >= sizeof name)
            n = sizeof name - 1;
        memcpy(name, rest + 1, n);
        name[n] = 0;
        rest += 1 + n;
        Py_SETREF(v, PyObject_GetAttrString(v, name));
    }
    PyErr_Clear();
    return v;
}

bool py_paths_hold(const py_env *e, PyObject *const *args, uint32_t nargs) {
    for (const py_path_guard *g = e->paths; g; g = g->next) {
        PyObject *now = py_path_now(e, g->path, args, nargs);
        bool same =
            now && (g->by_value == 2
                        ? (PyObject *)Py_TYPE(now) == g->value
                        : now == g->value || (PyUnicode_Check(now) && PyUnicode_Check(g->value) &&
                                              PyUnicode_Compare(now, g->value) == 0));
        Py_XDECREF(now);
        if (!same)
            return false;
    }
    return true;
}
