/* The table of package asc's operations, for the tool that prints its Python face and for tests. */
#include "base/asc.h"
#include "py/py.h"

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

PyMethodDef py_asc_functions[] = {
    {"asc_table", asc_table, METH_NOARGS, "[(name, unit, result, forms, doc)] of package asc."},
    {0}};
