#include "py/py_watch.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int wanted(void) {
    const char *s = getenv("PYASC_PROGRESS");
    return s && *s ? *s != '0' : isatty(2);
}

bool py_watch_begin(py_watch *w, const py_state *st, const char *doing, PyObject *fn) {
    *w = (py_watch){.doing = doing, .fn = fn, .show = -1};
    return pthread_equal(pthread_self(), st->main_thread);
}

static void show(py_watch *w, double t) {
    PyObject *name = PyObject_GetAttrString(w->fn, "__name__");
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    if (!text) {
        PyErr_Clear();
        text = "kernel";
    }
    int seconds = (int)(t - w->start);
    if (w->total > 1)
        PySys_WriteStderr("\rpyasc: %s %.100s: %d %%, %d s ", w->doing, text,
                          (int)(100 * atomic_load(w->done) / w->total), seconds);
    else
        PySys_WriteStderr("\rpyasc: %s %.100s: %d s ", w->doing, text, seconds);
    w->shown = t;
    Py_XDECREF(name);
}

int py_watch_poll(void *ctx) {
    py_watch *w = ctx;
    double t = now();
    PyGILState_STATE g = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() != 0;
    if (!w->start)
        w->start = t; /* of the first poll, some 30 ms on: a short launch asks for no time */
    if (!stop && t - w->start > 2 && t - w->shown > 0.2) {
        if (w->show < 0)
            w->show = wanted();
        if (w->show)
            show(w, t);
    }
    PyGILState_Release(g);
    return stop;
}

void py_watch_end(py_watch *w) {
    if (w->shown > 0)
        PySys_WriteStderr("\r\033[K");
}
