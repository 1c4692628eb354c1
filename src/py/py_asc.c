/* The table of package asc's operations, for the tool that prints its Python face and for tests. */
#include "base/asc.h"
#include "npu/tiling.h"
#include "py/py.h"
#include <stddef.h>

static PyObject *asc_table(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    PyObject *list = PyList_New(asc_nrows);
    for (int i = 0; list && i < asc_nrows; i++) {
        const asc_row *r = &asc_rows[i];
        PyObject *row = Py_BuildValue("sssss", r->name, r->unit, r->result, r->forms, r->doc);
        if (!row)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, row);
    }
    return list;
}

static const struct {
    const char *name;
    size_t at;
    int64_t first;
} settings[] = {
#define TILING(name, first) {#name, offsetof(npu_tiling, name), first},
#include "npu/tiling.def"
#undef TILING
};

static PyObject *ints(const int64_t *x, int n) {
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *v = PyLong_FromLongLong(x[i]);
        if (!v)
            Py_CLEAR(t);
        else
            PyTuple_SET_ITEM(t, i, v);
    }
    return t;
}

/* asc_tiling(settings) -> None where it cannot be done, or (the fields of TCubeTiling, cores) */
static PyObject *asc_tiling(PyObject *self, PyObject *given) {
    enum { LARGEST = 1 << 30 };
    npu_tiling t;
    int64_t fields[NPU_TILING_FIELDS], cores[5];
    (void)self;
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "the settings are a dict");
        return NULL;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        PyObject *v = PyDict_GetItemString(given, settings[i].name);
        int64_t x = v ? PyLong_AsLongLong(v) : settings[i].first;
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError))
            return NULL;
        if (PyErr_Occurred() || x > LARGEST) {
            PyErr_Clear();
            Py_RETURN_NONE;
        }
        *(int64_t *)(void *)((char *)&t + settings[i].at) = x < -1 ? -1 : x;
    }
    if (!npu_tiling_cut(&t, fields, cores))
        Py_RETURN_NONE;
    return Py_BuildValue("NN", ints(fields, NPU_TILING_FIELDS), ints(cores, 5));
}

PyMethodDef py_asc_functions[] = {
    {"asc_table", asc_table, METH_NOARGS, "[(name, unit, result, forms, doc)] of package asc."},
    {"asc_tiling", asc_tiling, METH_O,
     "A TCubeTiling's fields and the cores, of what asc.lib.host was told; or None."},
    {0}};
