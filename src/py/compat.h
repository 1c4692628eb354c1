/* What CPython 3.9 lacks. */
#ifndef PY_COMPAT_H
#define PY_COMPAT_H
#if PY_VERSION_HEX < 0x030A0000
static inline PyObject *py_newref(PyObject *x) {
    Py_INCREF(x);
    return x;
}
#define Py_NewRef(x) py_newref((PyObject *)(x))
static inline int py_add_ref(PyObject *m, const char *name, PyObject *v) {
    Py_INCREF(v);
    return PyModule_AddObject(m, name, v);
}
#define PyModule_AddObjectRef py_add_ref
#endif
#if PY_VERSION_HEX < 0x03090000
#error "CPython 3.9 or later"
#endif
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL _Py_TPFLAGS_HAVE_VECTORCALL
#endif
#endif
