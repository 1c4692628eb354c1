/* Shared by the files that answer the front end's questions. */
#ifndef PY_PY_ENV_H
#define PY_PY_ENV_H
#include "py/py.h"

void py_env_classify(py_env *e, PyObject *v, front_static *out);
bool py_is_class(py_env *e, PyObject *v, front_static *out);
bool py_is_instance(PyObject *v);
void py_class_env(front_env *f);
PyObject *py_path_now(const py_env *e, const char *path, PyObject *const *args, uint32_t nargs);
bool py_paths_hold(const py_env *e, PyObject *const *args, uint32_t nargs);
#endif
