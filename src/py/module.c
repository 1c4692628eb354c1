/* pyasc._core: module state, environment, errors. */
#include "py/py.h"
#include "rt/pool.h"
#include <dlfcn.h>
#include <sys/stat.h>

static void pyasc_anchor(void) {}

PyObject *py_raise(py_env *e, const diag *d, status st) {
    const diag_item *i = d->first;
    if (PyErr_Occurred())
        return NULL;
    if (st == OOM)
        return PyErr_NoMemory();
    if (!i || st == BUG)
        return PyErr_Format(PyExc_RuntimeError,
                            "pyasc: %s (a fault of the compiler: please report it with the kernel)",
                            i ? i->text : "?");
    if (!e->state->errors)
        e->state->errors = PyImport_ImportModule("pyasc._errors");
    PyObject *file = i->at.line && i->at.file < (uint32_t)PyList_GET_SIZE(e->file_names)
                         ? PyList_GET_ITEM(e->file_names, i->at.file)
                         : Py_None;
    PyObject *err = e->state->errors
                        ? PyObject_CallMethod(e->state->errors, "make", "ssOIIII", i->text,
                                              i->advice ? i->advice : "", file, i->at.line,
                                              i->at.col, i->at.end_line, i->at.end_col)
                        : NULL;
    if (err)
        PyErr_SetObject((PyObject *)Py_TYPE(err), err);
    Py_XDECREF(err);
    return NULL;
}

py_state *py_state_of(PyTypeObject *type) { return PyModule_GetState(PyType_GetModule(type)); }

static char *beside(const char *name) {
    Dl_info info;
    char path[4096];
    if (!dladdr((void *)(uintptr_t)pyasc_anchor, &info) || !info.dli_fname)
        return strdup(name);
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - info.dli_fname + 1) : 0,
             info.dli_fname, name);
    return strdup(path);
}

/* The libraries' times and sizes: what another build of the compiler has made is never taken from
 * the cache. */
static void build_of(char *out, size_t size, const char *llvm) {
    struct stat a = {0}, b = {0};
    Dl_info info;
    if (dladdr((void *)(uintptr_t)pyasc_anchor, &info) && info.dli_fname)
        stat(info.dli_fname, &a);
    stat(llvm, &b);
    snprintf(out, size, "%llx.%llx.%llx",
             (unsigned long long)a.st_mtim.tv_sec * 1000000000ull +
                 (unsigned long long)a.st_mtim.tv_nsec,
             (unsigned long long)a.st_size, (unsigned long long)b.st_mtim.tv_sec);
}

static char *cache_dir(void) {
    char path[4096];
    const char *dir = getenv("PYASC_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (dir && *dir)
        return strdup(dir);
    if (xdg && *xdg)
        snprintf(path, sizeof path, "%s/pyasc", xdg);
    else if (home && *home)
        snprintf(path, sizeof path, "%s/.cache/pyasc", home);
    else
        return NULL;
    return strdup(path);
}

static int exec(PyObject *m) {
    py_state *s = PyModule_GetState(m);
    const char *dump = getenv("PYASC_DUMP"), *threads = getenv("PYASC_NUM_THREADS");
    const char *verify = getenv("PYASC_VERIFY"), *time = getenv("PYASC_TIME");
    s->verify = verify && *verify ? atoi(verify) : 1;
    s->time = time && *time && strcmp(time, "0");
    s->main_thread = pthread_self();
    s->cache_dir = cache_dir();
    s->dump_dir = dump && *dump ? strdup(dump) : NULL;
    s->llvm_path = beside("_llvm.so");
    build_of(s->build, sizeof s->build, s->llvm_path);
    if (threads)
        rt_pool_limit(atoi(threads));
    s->kernel = (PyTypeObject *)PyType_FromModuleAndSpec(m, &py_kernel_spec, NULL);
    s->launcher = (PyTypeObject *)PyType_FromModuleAndSpec(m, &py_launcher_spec, NULL);
    s->tensor = (PyTypeObject *)PyType_FromModuleAndSpec(m, &py_tensor_spec, NULL);
    s->storage = (PyTypeObject *)PyType_FromModuleAndSpec(m, &py_storage_spec, NULL);
    if (!s->kernel || !s->launcher || !s->tensor || !s->storage ||
        PyModule_AddObjectRef(m, "Kernel", (PyObject *)s->kernel) ||
        PyModule_AddObjectRef(m, "Tensor", (PyObject *)s->tensor))
        return -1;
    PyMethodDef *const tables[] = {py_tensor_functions, py_map_functions, py_fold_functions,
                                   py_asc_functions};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (PyModule_AddFunctions(m, tables[i]))
            return -1;
    return 0;
}

static int traverse(PyObject *m, visitproc visit, void *arg) {
    py_state *s = PyModule_GetState(m);
    Py_VISIT(s->kernel);
    Py_VISIT(s->launcher);
    Py_VISIT(s->tensor);
    Py_VISIT(s->storage);
    Py_VISIT(s->hooks);
    for (int i = 0; i < DT_wint; i++)
        Py_VISIT(s->dtypes[i]);
    Py_VISIT(s->errors);
    Py_VISIT(s->source);
    Py_VISIT(s->bound);
    Py_VISIT(s->show);
    Py_VISIT(s->ndarray);
    Py_VISIT(s->torch);
    Py_VISIT(s->torch_grad);
    return 0;
}

static int clear(PyObject *m) {
    py_state *s = PyModule_GetState(m);
    Py_CLEAR(s->kernel);
    Py_CLEAR(s->launcher);
    Py_CLEAR(s->tensor);
    Py_CLEAR(s->storage);
    Py_CLEAR(s->hooks);
    for (int i = 0; i < DT_wint; i++)
        Py_CLEAR(s->dtypes[i]);
    Py_CLEAR(s->errors);
    Py_CLEAR(s->source);
    Py_CLEAR(s->bound);
    Py_CLEAR(s->show);
    Py_CLEAR(s->ndarray);
    Py_CLEAR(s->torch);
    Py_CLEAR(s->torch_grad);
    free(s->cache_dir);
    free(s->dump_dir);
    free(s->llvm_path);
    s->cache_dir = s->dump_dir = s->llvm_path = NULL;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, exec}, {0, NULL}};
struct PyModuleDef py_module = {PyModuleDef_HEAD_INIT,
                                "pyasc._core",
                                "The compiler and runtime.",
                                sizeof(py_state),
                                NULL,
                                slots,
                                traverse,
                                clear,
                                NULL};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&py_module); }
