/* Long work on the main thread: signals are looked at, so that Ctrl-C ends it, and after two
   seconds a line on sys.stderr says how far it is (where that is a terminal; PYASC_PROGRESS=1 or 0
   decides otherwise). */
#ifndef PY_PY_WATCH_H
#define PY_PY_WATCH_H
#include "py/py.h"
#include <stdatomic.h>

typedef struct {
    const char *doing; /* "running", "compiling" */
    PyObject *fn;      /* the Python function */
    atomic_llong *done;
    int64_t total; /* blocks, if more than one */
    double start, shown;
    int show;
} py_watch;

bool py_watch_begin(py_watch *w, const py_state *st, const char *doing,
                    PyObject *fn); /* false: not on the main thread */
int py_watch_poll(void *w);        /* 1: a signal's handler raised. Takes the GIL. */
void py_watch_end(py_watch *w);    /* with the GIL */
#endif
