/* What names outside a kernel mean: the front end's questions, answered from the function's
   closure, globals and builtins, and remembered as guards. */
#include "py/py_env.h"

/* The closure's cell of that name, or NULL. */
static PyObject *cell_of(PyObject *fn, PyObject *name) {
    PyFunctionObject *f = (PyFunctionObject *)fn;
    PyObject *found = NULL;
    if (!f->func_closure)
        return NULL;
    PyObject *free = PyObject_GetAttrString(f->func_code, "co_freevars");
    for (Py_ssize_t i = 0; free && i < PyTuple_GET_SIZE(free); i++)
        if (!PyUnicode_Compare(PyTuple_GET_ITEM(free, i), name))
            found = PyTuple_GET_ITEM(f->func_closure, i);
    Py_XDECREF(free);
    return found;
}

static PyObject *global_of(PyFunctionObject *f, PyObject *name) {
    PyObject *v = PyDict_GetItemWithError(f->func_globals, name);
    if (v)
        return v;
#if PY_VERSION_HEX >= 0x030A0000
    PyObject *b = f->func_builtins;
#else
    PyObject *b = PyDict_GetItemString(f->func_globals, "__builtins__");
    if (b && PyModule_Check(b))
        b = PyModule_GetDict(b);
#endif
    return b && PyDict_Check(b) ? PyDict_GetItemWithError(b, name) : NULL;
}

PyObject *py_lookup(PyObject *fn, PyObject *name) {
    PyObject *cell = cell_of(fn, name);
    if (cell && PyCell_GET(cell))
        return PyCell_GET(cell);
    return global_of((PyFunctionObject *)fn, name);
}

PyObject *py_guard_now(const py_guard *g) {
    if (g->cell && PyCell_GET(g->cell))
        return PyCell_GET(g->cell);
    return global_of((PyFunctionObject *)g->fn, g->name);
}

static void guard(py_env *e, PyObject *fn, PyObject *name, PyObject *value, int by_value) {
    for (uint32_t i = 0; i < e->nguards; i++)
        if (e->guards[i].fn == fn && !PyUnicode_Compare(e->guards[i].name, name) &&
            e->guards[i].by_value == by_value)
            return;
    if (e->nguards == e->capguards) {
        uint32_t cap = e->capguards ? 2 * e->capguards : 16;
        py_guard *p = ARENA_ARRAY(e->mem, py_guard, cap);
        if (e->nguards)
            memcpy(p, e->guards, e->nguards * sizeof *p);
        e->guards = p;
        e->capguards = cap;
    }
    e->guards[e->nguards++] = (py_guard){fn, name, value, cell_of(fn, name), by_value};
    PyList_Append(e->keep, fn);
    PyList_Append(e->keep, name);
    PyList_Append(e->keep, value);
}

static const char *str_attr(py_env *e, PyObject *x, const char *name) {
    PyObject *v = PyObject_GetAttrString(x, name);
    const char *s = v && PyUnicode_Check(v) ? arena_strdup(e->mem, PyUnicode_AsUTF8(v)) : NULL;
    Py_XDECREF(v);
    PyErr_Clear();
    return s;
}

static bool known_function(const char *module, const char *name, const char **op) {
    static const char *const same[] = {
        "exp",  "exp2",   "expm1",  "log",     "log2",    "log10", "log1p", "sqrt", "sin",
        "cos",  "tan",    "asinh",  "acosh",   "atanh",   "asin",  "acos",  "atan", "atan2",
        "sinh", "cosh",   "tanh",   "erf",     "floor",   "ceil",  "trunc", "fabs", "fmod",
        "pow",  "isnan",  "abs",    "maximum", "minimum", "where", "sum",   "mean", "prod",
        "dot",  "matmul", "argmax", "argmin",  "max",     "min"};
    static const char *const other[][2] = {
        {"amax", "max"},      {"amin", "min"},    {"absolute", "abs"}, {"power", "pow"},
        {"arctan2", "atan2"}, {"arcsin", "asin"}, {"arccos", "acos"},  {"arctan", "atan"},
        {"rint", "rint"},     {"round", "rint"}};
    static const char *const whole[][2] = {
        {"floor", "floor_int"}, {"ceil", "ceil_int"}, {"trunc", "trunc_int"}};
    if (strcmp(module, "math") && strncmp(module, "numpy", 5))
        return false;
    for (size_t i = 0; !strcmp(module, "math") && i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(whole[i][0], name)) /* Python's give integers, NumPy's floats */
            return *op = whole[i][1], true;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(same[i], name))
            return *op = same[i], true;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (!strcmp(other[i][0], name))
            return *op = other[i][1], true;
    return false;
}

static bool is_builtin(PyObject *v, front_static *out) {
    static const char *const names[] = {
        "range",      "len",   "min", "max",   "abs",  "sum",       "pow", "divmod",
        "round",      "print", "int", "float", "bool", "enumerate", "zip", "reversed",
        "isinstance", "type",  "str", "tuple", "list", "super",     "any", "all"};
    PyObject *b = PyEval_GetBuiltins();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (PyDict_GetItemString(b, names[i]) == v) {
            *out = (front_static){.kind = ST_op, .s = names[i]};
            return true;
        }
    return false;
}

static bool is_dtype(py_env *e, PyObject *v, front_static *out) {
    const char *name = str_attr(e, v, "__pyasc_dtype__");
    if (!name && PyType_Check(v) && str_attr(e, v, "__module__") &&
        !strcmp(str_attr(e, v, "__module__"), "numpy"))
        name = str_attr(e, v, "__name__");
    int dt = name ? dtype_from_name(name) : -1;
    if (dt >= 0)
        *out = (front_static){.kind = ST_dtype, .dt = (dtype)dt};
    return dt >= 0;
}

void py_env_classify(py_env *e, PyObject *v, front_static *out) {
    *out = (front_static){.kind = ST_other, .s = Py_TYPE(v)->tp_name, .handle = v};
    int overflow;
    if (v == Py_None)
        out->kind = ST_none;
    else if (PyBool_Check(v))
        *out = (front_static){.kind = ST_bool, .i = v == Py_True};
    else if (PyLong_Check(v))
        *out = (front_static){.kind = ST_int, .i = PyLong_AsLongLongAndOverflow(v, &overflow)};
    else if (PyFloat_Check(v))
        *out = (front_static){.kind = ST_float, .f = PyFloat_AS_DOUBLE(v)};
    else if (PyUnicode_Check(v))
        *out = (front_static){.kind = ST_str, .s = arena_strdup(e->mem, PyUnicode_AsUTF8(v))};
    else if (PyModule_Check(v))
        out->kind = ST_module;
    else if (is_builtin(v, out) || is_dtype(e, v, out))
        return;
    else if (str_attr(e, v, "__pyasc_op__"))
        *out = (front_static){.kind = ST_op, .s = str_attr(e, v, "__pyasc_op__")};
    else if (Py_TYPE(v) == e->state->kernel) {
        out->kind = ST_func;
        out->handle = PyObject_GetAttrString(v, "fn");
        PyList_Append(e->keep, out->handle);
        Py_DECREF(out->handle);
    } else if (PyObject_HasAttrString(v, "__pyasc_fn__")) {
        out->kind = ST_func;
        out->handle = PyObject_GetAttrString(v, "__pyasc_fn__");
        PyList_Append(e->keep, out->handle);
        Py_DECREF(out->handle);
    } else if (PyFunction_Check(v))
        out->kind = ST_func;
    else if (py_is_class(e, v, out))
        return;
    else if (PyTuple_Check(v)) {
        *out = (front_static){.kind = ST_tuple, .n = (uint32_t)PyTuple_GET_SIZE(v)};
        out->elts = ARENA_ARRAY(e->mem, front_static, out->n + 1);
        for (uint32_t i = 0; i < out->n; i++)
            py_env_classify(e, PyTuple_GET_ITEM(v, i), &out->elts[i]);
        if (!PyTuple_CheckExact(v))
            out->handle = Py_TYPE(v), out->s = Py_TYPE(v)->tp_name;
    } else if (PyList_CheckExact(v))
        out->kind = ST_other;
    else {
        const char *name = str_attr(e, v, "__name__"), *module = str_attr(e, v, "__module__"), *op;
        if (!module && name && PyObject_HasAttrString(v, "nin"))
            module = "numpy";
        if (name && module && known_function(module, name, &op)) {
            *out = (front_static){.kind = ST_op, .s = op};
            return;
        }
        py_array a;
        py_hold hold = {0};
        const char *lock = str_attr(e, v, "__pyasc_mutex__");
        if (py_array_of(e->state, v, "captured", &a, &hold) == 1)
            *out = (front_static){.kind = ST_tensor,
                                  .dt = a.dt,
                                  .rank = a.rank,
                                  .contig = a.contig,
                                  .lock = lock != NULL};
        py_unhold(&hold);
        PyErr_Clear();
        if (out->kind == ST_other && py_is_instance(v)) {
            out->kind = ST_instance;
            out->s = arena_strdup(e->mem, Py_TYPE(v)->tp_name);
            out->path = arena_printf(e->mem, "@%d", (int)PyList_GET_SIZE(e->roots));
            PyList_Append(e->roots, v);
        }
    }
}

static void on_name(void *self, void *fn, const char *name, front_static *out) {
    py_env *e = self;
    PyObject *key = PyUnicode_InternFromString(name), *v = py_lookup(fn, key);
    *out = (front_static){0};
    if (v) {
        py_env_classify(e, v, out);
        if (out->kind != ST_int && out->kind != ST_float && out->kind != ST_tensor)
            guard(e, fn, key, v, 0);
    }
    PyList_Append(e->keep, key);
    Py_XDECREF(key);
    PyErr_Clear();
}

static void on_attr(void *self, void *object, const char *name, front_static *out) {
    py_env *e = self;
    PyObject *v = PyObject_GetAttrString(object, name);
    *out = (front_static){0};
    if (v) {
        py_env_classify(e, v, out);
        PyList_Append(e->keep, v);
        Py_DECREF(v);
    }
    PyErr_Clear();
}

static void on_freeze(void *self, void *fn, const char *name) {
    py_env *e = self;
    PyObject *key = PyUnicode_InternFromString(name), *v = key ? py_lookup(fn, key) : NULL;
    if (v)
        guard(e, fn, key, v, 1);
    Py_XDECREF(key);
}

static status on_source(void *self, void *fn, diag *d, const ast **def) {
    py_env *e = self;
    loc none = {0};
    for (const py_source *s = e->sources; s; s = s->next)
        if (s->fn == fn) {
            *def = s->def;
            return OK;
        }
    if (!e->state->source)
        e->state->source = PyImport_ImportModule("pyasc._source");
    PyObject *r = e->state->source ? PyObject_CallMethod(e->state->source, "find", "O", fn) : NULL,
             *node, *file;
    int line, col;
    if (!r || !PyArg_ParseTuple(r, "OOii", &node, &file, &line, &col)) {
        PyErr_Clear();
        Py_XDECREF(r);
        const char *name = str_attr(e, fn, "__name__");
        return diag_error(
            d, none,
            name && !strcmp(name, "<lambda>")
                ? "give the lambda a line of its own in a file, or write a def"
                : "define it in a file or a notebook cell, where its text can be read",
            "the source of '%s' is not available", name ? name : "?");
    }
    PyList_Append(e->keep, r);
    PyList_Append(e->file_names, file);
    *def = py_ast_convert(e, node, (uint32_t)PyList_GET_SIZE(e->file_names) - 1, line, col);
    Py_DECREF(r);
    if ((*def)->kind != AST_FunctionDef && (*def)->kind != AST_Lambda)
        return diag_error(d, (*def)->at,
                          "write a plain function: def f(x):", "%s is not supported in kernels",
                          !strcmp((*def)->name, "AsyncFunctionDef") ? "async def" : (*def)->name);
    PyList_Append(e->keep, fn); /* no other function gets its address */
    py_source *s = ARENA_NEW(e->mem, py_source);
    *s = (py_source){fn, *def, e->sources};
    e->sources = s;
    return OK;
}

front_env py_env_front(py_env *e) {
    front_env f = {
        .self = e, .name = on_name, .attr = on_attr, .freeze = on_freeze, .source = on_source};
    py_class_env(&f);
    return f;
}
