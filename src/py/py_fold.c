/* A tensor whole, in any order, reduced to one element: by a kernel (out, part, x, step, start...)
   that reduces pieces of `step` elements into `part` and those into out. */
#include "py/py_kernel.h"

enum { PIECES = 256, LEAST = 8192 };

/* x as one dimension, if its elements lie together. */
static bool flat(const py_array *x, py_array *to) {
    int64_t n = 1, bytes = dtype_table[x->dt].bytes;
    for (int i = x->rank - 1; i >= 0; i--) {
        if (x->shape[i] != 1 && x->stride[i] != n * bytes)
            return false;
        n *= x->shape[i];
    }
    *to = (py_array){.data = x->data, .dt = x->dt, .rank = 1, .shape = {n}, .stride = {bytes}};
    return n > 0;
}

static void add_array(py_values *vs, const char *name, const py_array *a) {
    vs->v[vs->n] = (py_value){.kind = ST_tensor, .name = name, .a = *a};
    py_array_finish(&vs->v[vs->n++].a);
}

/* fold(kernel, x, dtype, *start): of no dimensions; None where x is not one stretch of memory. The
   pieces depend on the size alone, so the result does not depend on the number of threads. */
static PyObject *core_fold(PyObject *mod, PyObject *const *args, Py_ssize_t n) {
    py_state *st = PyModule_GetState(mod);
    py_array x;
    if (n < 3 || n > 4 || !Py_IS_TYPE(args[0], st->kernel) || !Py_IS_TYPE(args[1], st->tensor))
        return PyErr_Format(PyExc_TypeError, "fold(kernel, tensor, dtype, *start)");
    int dt = py_dtype_arg(args[2]);
    if (dt < 0)
        return NULL;
    if (!flat(&((py_tensor *)args[1])->a, &x))
        Py_RETURN_NONE;
    int64_t step = x.shape[0] / PIECES + 1, bytes = dtype_table[dt].bytes, room[PIECES + 1];
    step = step < LEAST ? LEAST : step;
    py_array part = {.data = room, .dt = (dtype)dt, .rank = 1, .stride = {bytes}};
    part.shape[0] = (x.shape[0] + step - 1) / step;
    PyObject *out = py_tensor_new(st, (dtype)dt, 0, NULL), *number = PyLong_FromLongLong(step);
    py_values vs;
    vs.n = 0;
    int bad = !out || !number;
    if (!bad) {
        py_array one = part;
        one.data = ((py_tensor *)out)->a.data;
        one.shape[0] = 1;
        add_array(&vs, "out", &one);
        add_array(&vs, "part", &part);
        add_array(&vs, "x", &x);
        vs.v[vs.n++] = (py_value){.kind = ST_int, .name = "step", .v = number};
        for (Py_ssize_t i = 3; i < n && !bad; i++) {
            memset(&vs.v[vs.n].hold, 0, sizeof vs.v[vs.n].hold);
            bad = py_classify(st, &vs.v[vs.n++], args[i], "start");
        }
        py_domain none = {0};
        vs.nparams = vs.n;
        bad = bad || py_run((py_kernel *)args[0], &none, &vs);
        py_drop_captures(&vs);
    }
    Py_XDECREF(number);
    if (bad)
        Py_CLEAR(out);
    return out;
}

PyMethodDef py_fold_functions[] = {
    {"fold", (PyCFunction)(void (*)(void))core_fold, METH_FASTCALL, NULL}, {NULL, NULL, 0, NULL}};
