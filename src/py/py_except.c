/* The exception that a kernel has raised, as a Python exception: the user's class and message, the
   kernel's line and the work-item. */
#include "py/py_kernel.h"
#include "rt/raise.h"

static PyObject *number(dtype dt, int64_t raw) {
    double f;
    memcpy(&f, &raw, 8);
    return dtype_is_float(dt) ? PyFloat_FromDouble(f)
           : dt == DT_bool    ? PyBool_FromLong((long)raw)
           : dt == DT_u64     ? PyLong_FromUnsignedLongLong((uint64_t)raw)
                              : PyLong_FromLongLong(raw);
}

/* A piece of a text as _print.py takes it: str, or (value, spec, conversion, dtype). */
PyObject *py_piece(const front_piece *p, dtype dt, int64_t raw) {
    if (p->value == FRONT_NEXT_ARG)
        Py_RETURN_NONE;
    if (p->value < 0)
        return PyUnicode_FromString(p->text ? p->text : "");
    return Py_BuildValue("(NsCs)", number(dt, raw), p->spec ? p->spec : "",
                         p->conversion ? p->conversion : ' ', dtype_table[dt].name);
}

static PyObject *pieces(const front_raise *r, const rt_raised *x) {
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < r->text.n; i++) {
        const front_piece *p = &r->text.pieces[i];
        int64_t at = RT_TRAP_HEAD + 2 * (p->value >= 0 && p->value < x->n ? p->value : 0);
        PyObject *o = py_piece(p, (dtype)x->values[at + 1], x->values[at]);
        if (o)
            PyList_Append(list, o);
        Py_XDECREF(o);
    }
    return list;
}

static PyObject *tuple3(const int64_t *v) {
    return Py_BuildValue("(LLL)", (long long)v[0], (long long)v[1], (long long)v[2]);
}

/* The item of that number in a block of the launch. */
static PyObject *coordinates(const rt_launch *l, const int64_t *block, int64_t item) {
    int64_t v[3];
    for (int d = 0; d < 3; d++) {
        int64_t rest = l->n[d] - block[d] * l->block[d],
                size = rest < l->block[d] ? rest : l->block[d];
        size = size > 0 ? size : 1;
        v[d] = d < 2 ? item % size : item;
        item /= size;
    }
    return tuple3(v);
}

void py_raise_kernel(py_kernel *k, py_spec *s, const rt_launch *l, const rt_raised *x) {
    py_state *st = py_state_of(Py_TYPE(k));
    const front_raise *r = &s->front.raises[x->slot];
    if (!st->errors)
        st->errors = PyImport_ImportModule("pyasc._errors");
    if (!st->errors)
        return;
    PyObject *other = Py_NewRef(Py_None), *ids = Py_NewRef(Py_None);
    if (s->code.meta.simt)
        Py_SETREF(ids, Py_BuildValue("(NNN)", tuple3(x->values + 5), tuple3(x->values + 2),
                                     tuple3(l->n)));
    if (x->other >= 0 && x->other < (int64_t)s->front.nraises)
        Py_SETREF(other,
                  Py_BuildValue("(NLi)",
                                s->code.meta.simt ? coordinates(l, x->values + 2, x->other_item)
                                                  : PyLong_FromLongLong(x->other_item),
                                (long long)x->other_item, (int)s->front.raises[x->other].line));
    PyObject *file = r->file < (uint32_t)PyList_GET_SIZE(s->env.file_names)
                         ? PyList_GET_ITEM(s->env.file_names, r->file)
                         : Py_None;
    PyObject *e = PyObject_CallMethod(
        st->errors, "raised", "ONOiOOOi", (PyObject *)r->cls, pieces(r, x), file, (int)r->line,
        ((PyFunctionObject *)k->fn)->func_name, ids, other, (int)x->uninit);
    Py_DECREF(ids);
    Py_DECREF(other);
    if (!e)
        return;
    PyObject *frames = PyException_GetTraceback(e);
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(e)), e, frames);
}
