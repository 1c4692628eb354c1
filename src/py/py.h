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
    PyTypeObject *kernel, *launcher, *tensor, *storage;
    PyObject *dtypes[DT_wint];        /* the DType objects, by dtype */
    PyObject *hooks;                  /* dict: what tensors ask of Python */
    PyObject *errors, *source, *show; /* helper modules, imported when first needed */
    PyObject *bound;                  /* _jit.Bound: a kernel with its self */
    char *cache_dir, *dump_dir, *llvm_path;
    char build[64];
    int verify, time;
    pthread_t main_thread; /* where signals arrive; that of the import elsewhere */
    PyTypeObject *ndarray; /* NumPy's, once its arrays were seen to be laid out as we read them */
    int ndarray_differs;   /* they are not: only the buffer protocol is used */
    PyTypeObject *torch;   /* torch.Tensor, if it has the exchange API */
    PyObject *torch_grad;  /* its descriptor requires_grad */
    const struct py_exchange *torch_api;
} py_state;

/* What a name meant when the kernel was compiled; looked up again at each launch. */
typedef struct {
    PyObject *fn, *name, *value;
    PyObject *cell; /* of fn's closure, or NULL: a global or a built-in */
    int by_value;   /* a frozen number: compared with ==, else by identity */
} py_guard;

typedef struct py_source {
    const void *fn;
    const ast *def;
    struct py_source *next;
} py_source;

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
    PyObject *roots;      /* list: objects of the module whose attributes are read */
    struct py_path_guard *paths;
    py_source *sources; /* of the functions called so far */
} py_env;

/* What an attribute of an object was when the kernel was compiled. */
typedef struct py_path_guard {
    const char *path;
    PyObject *value;
    int by_value; /* 2: its class */
    struct py_path_guard *next;
} py_path_guard;

enum { PY_MAX_RANK = 15 };
typedef struct {
    void *data;
    dtype dt;
    int rank, readonly, contig;
    int64_t shape[PY_MAX_RANK + 1], stride[PY_MAX_RANK + 1]; /* strides in bytes */
} py_array;

/* What keeps a foreign array's memory while it is used. */
typedef struct {
    Py_buffer view;
    PyObject *capsule;
} py_hold;
void py_unhold(py_hold *h);

/* 1: x is an array and *out describes it; 0: it is not; -1: it is one that a kernel cannot take,
 * with a Python error. name is for the message. The memory stays as long as x and hold do. */
int py_array_of(py_state *st, PyObject *x, const char *name, py_array *out, py_hold *hold);
bool py_is_numpy(py_state *st, PyObject *x);
int py_from_numpy(PyObject *x, const char *name, py_array *out); /* 1, or -1 */
/* The same for as long as x lives and nobody gives it other memory: a launch. */
int py_array_lent(py_state *st, PyObject *x, const char *name, py_array *out, py_hold *hold);
int py_array_finish(py_array *a); /* sets contig; 1 */
int64_t py_array_size(const py_array *a);

/* py_tensor.c */
typedef struct {
    PyObject_HEAD py_array a;
    PyObject *owner; /* whose memory it is */
} py_tensor;
PyObject *py_tensor_new(py_state *st, dtype dt, int rank, const int64_t *shape); /* C order */
PyObject *py_tensor_view(py_state *st, const py_array *a, PyObject *owner);
int py_dtype_arg(PyObject *x);                 /* a dtype, or -1 with an error */
PyObject *py_scalar(dtype dt, const void *at); /* the element as a Python number */
int py_strides(dtype dt, int rank, const int64_t *shape, int64_t *stride, int64_t *bytes);
extern PyType_Spec py_tensor_spec, py_storage_spec;
extern PyMethodDef py_tensor_functions[], py_map_functions[], py_fold_functions[],
    py_asc_functions[];
/* py_index.c: t[key] as a view: 1, 0 when the key is of another kind, -1 with an error */
int py_index(const py_array *a, PyObject *key, py_array *out);
/* py_dlpack.c */
int py_dlpack_of(PyObject *x, const char *name, py_array *out, PyObject **capsule);
/* x of the exact type st->torch: 1; 0 where py_dlpack_of has to say what is wrong with it; -1. */
int py_torch_of(const py_state *st, PyObject *x, const char *name, py_array *out);
bool py_is_torch(py_state *st, PyObject *x); /* sets st->torch at the first one */
PyObject *py_dlpack_export(PyObject *tensor, PyObject *max_version);
front_env py_env_front(py_env *e);
PyObject *py_lookup(PyObject *fn, PyObject *name); /* borrowed, NULL when missing */
PyObject *py_guard_now(const py_guard *g);         /* what it names now, the same way */
const ast *py_ast_convert(py_env *e, PyObject *node, uint32_t file, int line_add, int col_add);
PyObject *py_raise(py_env *e, const diag *d, status st); /* always NULL */
extern PyType_Spec py_kernel_spec, py_launcher_spec;
py_state *py_state_of(PyTypeObject *type);
extern struct PyModuleDef py_module;
#endif
