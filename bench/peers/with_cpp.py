"""kernels.cpp compiled by g++ -O3 -march=native -ffast-math, with OpenMP where there is more than one thread."""
import ctypes
import os
import pathlib

import numpy as np

import native

SOURCE = pathlib.Path(__file__).with_name("kernels.cpp").read_text()
LIBRARY = native.library(SOURCE, ["-fopenmp"] if os.environ.get("OMP_NUM_THREADS") != "1" else [])
# the extents that the C++ function of a kernel takes, from its arguments' shapes
VECTOR, MATRIX = (lambda s: s[-1][:1]), (lambda s: s[0])
EXTENTS = {
    **dict.fromkeys("scale saxpy gelu black_scholes".split(), VECTOR),
    **dict.fromkeys("tree_sum histogram scan".split(), lambda s: s[0]),
    **dict.fromkeys("softmax_loops softmax_item layernorm row_sum column_sum transpose stencil attention".split(), MATRIX),
    **dict.fromkeys("gemm_loops gemm_item gemm_shared gemm_bf16 gemm_int8".split(), lambda s: s[0] + s[1][1:]),
    "conv2d": lambda s: s[0] + (s[1][0],) + s[1][2:],
    "depthwise": lambda s: s[0] + s[1][1:],
    "nbody": lambda s: s[0][:1],
    "mandelbrot": lambda s: s[0] + s[1],
}


def bound(name, args):
    """A call of the function with everything converted beforehand: ctypes' own work is not what is measured."""
    extents = EXTENTS[name]([a.shape for a in args if isinstance(a, np.ndarray)])
    converted = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_float(a) for a in args]
    converted += [ctypes.c_int64(n) for n in extents]
    function = getattr(LIBRARY, name)
    function.restype = None
    return lambda *_: function(*converted)
