/* The kernel object, its specialisations and its launch: what their files share. */
#ifndef PY_PY_KERNEL_H
#define PY_PY_KERNEL_H
#include "py/py.h"

/* What a launch's blocks are, as far as the compiler makes something of it. */
typedef struct {
    int64_t whole[3]; /* the shape, where all are of that: for pass tiles; 0: not known, or some are
                         cut */
    int64_t size[3];  /* pass_options.block */
} py_blocks;

typedef struct py_spec {
    uint64_t tags[RT_MAX_ARG];
    uint32_t ntags, nparams;
    int alias;
    py_blocks blocks; /* of the launches that it is for */
    py_env env;
    drv_result code;
    front_result front;
    PyObject **capture_names;
    double ms;
    struct py_spec *next;
} py_spec;

typedef struct {
    PyObject_HEAD PyObject *fn, *options, *dict;
    vectorcallfunc call;
    py_spec *specs;
    PyThread_type_lock lock;
    PyObject *params, *defaults; /* tuples */
    const char **names;          /* of params */
    int serial, opt_level, fastmath, disk, check, eager, asc;
    uint64_t constants; /* bit per parameter annotated constexpr */
    py_state *st;
} py_kernel;

typedef struct {
    int given; /* 0 inferred, 1 blocks and threads, 2 over */
    int64_t n[3], block[3];
} py_domain;

typedef struct {
    PyObject_HEAD vectorcallfunc call;
    py_kernel *k;
    py_domain d;
} py_launcher;

typedef struct {
    PyObject *v;
    const char *name;
    st_kind kind;
    py_array a;
    py_hold hold;
    PyObject *own; /* v, where this is what keeps it */
    bool constant; /* its value is part of the specialisation */
} py_value;

typedef struct {
    py_value v[RT_MAX_ARG];
    uint32_t n, nparams;
    int32_t locks[FRONT_MAX_LOCKS]; /* the words of the kernel's own mutexes, set as they are
                                        captured: free in each launch */
} py_values;

/* Is it an argument of the IR? What is known at compile time is none. */
static inline bool py_in_ir(const py_value *v) {
    return v->kind != ST_none && v->kind != ST_str && v->kind != ST_instance && v->kind != ST_other;
}
/* py_args.c: Python arguments to parameters. -1 with a Python error. */
const char *py_param_name(py_kernel *k, uint32_t i);
int py_classify(py_state *st, py_value *v, PyObject *x, const char *name);
uint64_t py_tag(const py_value *v); /* kind, dtype, rank, layout */
int py_bind(py_kernel *k, PyObject *const *args, Py_ssize_t n, PyObject *kwnames, py_values *out);
int py_too_many(py_kernel *k, Py_ssize_t takes, Py_ssize_t given); /* -1 */
void py_release(py_values *vs);
/* py_spec.c: the version for these arguments, found or compiled; NULL with a Python error. */
py_spec *py_spec_for(py_kernel *k, const py_domain *d, py_values *vs);
void py_drop_captures(py_values *vs); /* leaves the nparams arguments */
py_spec *py_spec_geometry(py_kernel *k, py_values *vs);
py_spec *py_compile(py_kernel *k, py_values *vs, int alias, const py_blocks *blocks,
                    const char *stage);
/* d may be NULL; 0: not known, or some are cut. */
void py_whole_blocks(const py_domain *d, int64_t block[3]);
py_blocks py_blocks_of(const py_domain *d); /* NULL: of any launch */
void py_spec_free(py_spec *s);
/* How the arrays that are written (a bit each in m->written) meet others: ALIAS_... */
bool py_meet(const py_array *a, const py_array *b); /* may share memory */
bool py_same(const py_array *a, const py_array *b);
/* py_except.c */
struct rt_raised;
void py_raise_kernel(py_kernel *k, py_spec *s, const rt_launch *l, const struct rt_raised *x);
PyObject *py_piece(const front_piece *p, dtype dt, int64_t raw);
/* py_launch.c */
int py_run(py_kernel *k, const py_domain *d, py_values *vs); /* vs bound; -1 with an error */
/* The inferred domain, checked: (n0, n1, n2), or None of a kernel without work-items. vs bound. */
PyObject *py_inferred(py_kernel *k, py_values *vs);
PyObject *py_launch(py_kernel *k, const py_domain *d, PyObject *const *args, size_t nargsf,
                    PyObject *kwnames);
#endif
