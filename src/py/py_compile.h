#ifndef PY_PY_COMPILE_H
#define PY_PY_COMPILE_H
#include "py/py.h"

/* drv_compile, without the GIL. On the main thread a signal's exception ends it: *abandoned, and
   mem (the arena of f, d and all that they name) belongs to the compile that goes on. */
status py_compile_watched(const py_state *st, PyObject *fn, arena *mem, ir_func *f,
                          const drv_options *o, diag *d, drv_result *out, bool *abandoned);
#endif
