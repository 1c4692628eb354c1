/* CPython's ast objects to front/ast.h, driven by ast.def. */
#include "py/py.h"

typedef struct {
    const char *name;
    const char *fields[8];
} ast_row;
#define F(c, f) #f,
#define AST(c, fields) {#c, {fields NULL}},
static const ast_row rows[] = {
    {"Other", {NULL}},
#include "front/ast.def"
};
#undef AST
#undef F

typedef struct {
    py_env *e;
    uint32_t file;
    int line_add, col_add;
} conv;

static ast *convert(conv *c, PyObject *node);

static uint32_t number(PyObject *node, const char *name) {
    PyObject *v = PyObject_GetAttrString(node, name);
    long n = v && PyLong_Check(v) ? PyLong_AsLong(v) : 0;
    Py_XDECREF(v);
    PyErr_Clear();
    return n < 0 ? 0 : (uint32_t)n;
}

static const char *text(conv *c, PyObject *s) {
    Py_ssize_t n;
    const char *p = PyUnicode_AsUTF8AndSize(s, &n);
    if (!p) {
        PyErr_Clear();
        return "?";
    }
    return arena_strndup(c->e->mem, p, (size_t)n);
}

static bool is_node(PyObject *v) { return PyObject_HasAttrString(v, "_fields"); }

static ast_field constant(conv *c, PyObject *v) {
    ast_field f = {.kind = AF_other, .s = Py_TYPE(v)->tp_name};
    if (v == Py_None)
        f.kind = AF_None;
    else if (PyBool_Check(v))
        f = (ast_field){.kind = AF_bool, .i = v == Py_True};
    else if (PyUnicode_Check(v))
        f = (ast_field){.kind = AF_str, .s = text(c, v)};
    else if (PyFloat_Check(v))
        f = (ast_field){.kind = AF_float, .f = PyFloat_AS_DOUBLE(v)};
    else if (PyLong_Check(v)) {
        int overflow;
        long long i = PyLong_AsLongLongAndOverflow(v, &overflow);
        if (!overflow)
            f = (ast_field){.kind = AF_int, .i = i};
    }
    return f;
}

static ast *named(conv *c, const char *name) {
    ast *n = ARENA_NEW(c->e->mem, ast);
    n->name = name;
    return n;
}

static ast_field list(conv *c, PyObject *v) {
    Py_ssize_t n = PyList_GET_SIZE(v);
    ast_field f = {.kind = AF_list, .n = (uint32_t)n, .list = ARENA_ARRAY(c->e->mem, ast *, n + 1)};
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *x = PyList_GET_ITEM(v, i);
        if (PyUnicode_Check(x))
            f.list[i] = named(c, text(c, x));
        else if (x != Py_None)
            f.list[i] = convert(c, x);
    }
    return f;
}

static ast_field field(conv *c, PyObject *v, const char *cls, const char *name) {
    bool op = !strcmp(name, "op");
    if (!strcmp(cls, "Constant"))
        return constant(c, v);
    if (PyList_Check(v))
        return list(c, v);
    if (op)
        return (ast_field){.kind = AF_str, .s = arena_strdup(c->e->mem, Py_TYPE(v)->tp_name)};
    if (v != Py_None && is_node(v))
        return (ast_field){.kind = AF_node, .node = convert(c, v)};
    return v == Py_None ? (ast_field){0} : constant(c, v);
}

static ast *convert(conv *c, PyObject *node) {
    const char *cls = strrchr(Py_TYPE(node)->tp_name, '.');
    cls = cls ? cls + 1 : Py_TYPE(node)->tp_name;
    ast *n = named(c, arena_strdup(c->e->mem, cls));
    n->at = (loc){number(node, "lineno") + (uint32_t)c->line_add,
                  number(node, "col_offset") + (uint32_t)c->col_add,
                  number(node, "end_lineno") + (uint32_t)c->line_add,
                  number(node, "end_col_offset") + (uint32_t)c->col_add, c->file};
    for (int k = 1; k < AST_COUNT; k++)
        if (!strcmp(rows[k].name, cls))
            n->kind = (uint16_t)k;
    for (int i = 0; n->kind && rows[n->kind].fields[i]; i++) {
        PyObject *v = PyObject_GetAttrString(node, rows[n->kind].fields[i]);
        if (v)
            n->f[i] = field(c, v, cls, rows[n->kind].fields[i]);
        Py_XDECREF(v);
        PyErr_Clear();
    }
    return n;
}

const ast *py_ast_convert(py_env *e, PyObject *node, uint32_t file, int line_add, int col_add) {
    conv c = {e, file, line_add, col_add};
    return convert(&c, node);
}
