/* The CPython face: module state, the kernel type, and what its files share. */
#ifndef PY_PY_H
#define PY_PY_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "py/compat.h"

#include "drv/compile.h"
#include "front/front.h"
#include "rt/kernel.h"

typedef struct {
    PyTypeObject *kernel, *launcher;
    PyObject *errors, *source, *show; /* helper modules, imported when first needed */
    char *cache_dir, *dump_dir, *llvm_path;
    char build[64];
    int verify;
} py_state;

/* What a name meant when the kernel was compiled; looked up again at each launch. */
typedef struct {
    PyObject *fn, *name, *value;
    int by_value; /* a frozen number: compared with ==, else by identity */
} py_guard;

typedef struct {
    PyObject *kernel_fn;
    arena *mem;
    PyObject *keep; /* list: objects that the AST and the guards refer to */
    py_guard *guards;
    uint32_t nguards, capguards;
    py_state *state;
    const char **files;
    uint32_t nfiles;
    PyObject *file_names; /* list of str */
} py_env;

typedef struct {
    void *data;
    dtype dt;
    int rank, readonly, contig;
    int64_t shape[16], stride[16];
} py_array;

/* 1: x is an array and *out describes it; 0: it is not; -1: it is one that a kernel cannot take,
 * with a Python error. */
int py_array_of(PyObject *x, const char *name, py_array *out, Py_buffer *view);
front_env py_env_front(py_env *e);
PyObject *py_lookup(PyObject *fn, PyObject *name); /* borrowed, NULL when missing */
const ast *py_ast_convert(py_env *e, PyObject *node, uint32_t file, int line_add, int col_add);
PyObject *py_raise(py_env *e, const diag *d, status st); /* always NULL */
extern PyType_Spec py_kernel_spec, py_launcher_spec;
py_state *py_state_of(PyTypeObject *type);
extern struct PyModuleDef py_module;
#endif
