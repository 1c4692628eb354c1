#!/usr/bin/env python3
"""Maps and reductions in three forms (naive plain loops, work-items, eager operations) against NumPy, PyTorch and g++
-O3 -march=native -ffast-math of the same loops, float32. Each result is checked first; medians of runs that take turns.
The figure behind each form is the peer's time over ours. g++ has one thread. Without an argument all have one.

    python bench/maps.py [THREADS] [NAME...]
"""
import os
import statistics
import sys
import time

THREADS = sys.argv[1] if len(sys.argv) > 1 else "1"
for name in ("PYASC_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = THREADS
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)

import numpy as np  # noqa: E402

import pyasc  # noqa: E402
from native import cpp  # noqa: E402

try:
    import torch
    torch.set_num_threads(int(THREADS))
except ImportError:
    torch = None
ROUNDS = 15
CPP = r"""
#include <cmath>
#define F extern "C" void
using L = long;
F scale(float *y, const float *x, L n) { for (L i = 0; i < n; i++) y[i] = 2.5f * x[i]; }
F saxpy(float *o, const float *x, const float *y, L n) { for (L i = 0; i < n; i++) o[i] = 2.5f * x[i] + y[i]; }
F stencil(float *y, const float *x, L n) { for (L i = 1; i < n - 1; i++) y[i] = x[i - 1] * 0.25f + x[i] * 0.5f + x[i + 1] * 0.25f; }
F transpose(float *y, const float *x, L m, L n) { for (L i = 0; i < m; i++) for (L j = 0; j < n; j++) y[j * m + i] = x[i * n + j]; }
F exponential(float *y, const float *x, L n) { for (L i = 0; i < n; i++) y[i] = expf(x[i]); }
F gelu(float *y, const float *x, L n) { for (L i = 0; i < n; i++) y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f)); }
F black_scholes(float *c, const float *s, const float *k, const float *t, L n) {
    for (L i = 0; i < n; i++) {
        float v = 0.3f * sqrtf(t[i]), d = (logf(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / v;
        c[i] = s[i] * 0.5f * (1 + erff(d * 0.70710678f)) - k[i] * expf(-0.02f * t[i]) * 0.5f * (1 + erff((d - v) * 0.70710678f));
    }
}
F row_sum(float *y, const float *x, L m, L n) { for (L i = 0; i < m; i++) { float s = 0; for (L j = 0; j < n; j++) s += x[i * n + j]; y[i] = s; } }
F column_sum(float *y, const float *x, L m, L n) { for (L j = 0; j < n; j++) y[j] = 0; for (L i = 0; i < m; i++) for (L j = 0; j < n; j++) y[j] += x[i * n + j]; }
F softmax(float *y, const float *x, L m, L n) {
    for (L i = 0; i < m; i++) {
        float top = x[i * n], s = 0;
        for (L j = 1; j < n; j++) top = x[i * n + j] > top ? x[i * n + j] : top;
        for (L j = 0; j < n; j++) { float e = expf(x[i * n + j] - top); y[i * n + j] = e; s += e; }
        for (L j = 0; j < n; j++) y[i * n + j] /= s;
    }
}
F layernorm(float *y, const float *x, L m, L n) {
    for (L i = 0; i < m; i++) {
        float s = 0, v = 0;
        for (L j = 0; j < n; j++) s += x[i * n + j];
        s /= n;
        for (L j = 0; j < n; j++) { float d = x[i * n + j] - s; v += d * d; }
        v = 1 / sqrtf(v / n + 1e-5f);
        for (L j = 0; j < n; j++) y[i * n + j] = (x[i * n + j] - s) * v;
    }
}
"""


def _gelu(v):
    return 0.5 * v * (1 + pyasc.erf(v * 0.7071067811865476))


def _call(s, k, t):
    v = 0.3 * pyasc.sqrt(t)
    d = (pyasc.log(s / k) + 0.065 * t) / v
    return (s * 0.5 * (1 + pyasc.erf(d * 0.7071067811865476))
            - k * pyasc.exp(-0.02 * t) * 0.5 * (1 + pyasc.erf((d - v) * 0.7071067811865476)))


def maps(f, arity):
    """The plain loop and the work-items of a map."""
    if arity == 1:
        @pyasc.jit
        def plain(out, x):
            for i in range(out.shape[0]):
                out[i] = f(x[i])

        @pyasc.jit
        def items(out, x):
            i = pyasc.get_global_id()
            out[i] = f(x[i])
    elif arity == 2:
        @pyasc.jit
        def plain(out, x, y):
            for i in range(out.shape[0]):
                out[i] = f(x[i], y[i])

        @pyasc.jit
        def items(out, x, y):
            i = pyasc.get_global_id()
            out[i] = f(x[i], y[i])
    else:
        @pyasc.jit
        def plain(out, x, y, z):
            for i in range(out.shape[0]):
                out[i] = f(x[i], y[i], z[i])

        @pyasc.jit
        def items(out, x, y, z):
            i = pyasc.get_global_id()
            out[i] = f(x[i], y[i], z[i])
    return plain, items


@pyasc.jit
def stencil_plain(out, x):
    for i in range(1, out.shape[0] - 1):
        out[i] = x[i - 1] * 0.25 + x[i] * 0.5 + x[i + 1] * 0.25


@pyasc.jit
def stencil_items(out, x):
    i = pyasc.get_global_id()
    if i > 0 and i < out.shape[0] - 1:
        out[i] = x[i - 1] * 0.25 + x[i] * 0.5 + x[i + 1] * 0.25


@pyasc.jit
def transpose_plain(out, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j, i] = x[i, j]


@pyasc.jit
def transpose_items(out, x):
    i, j = pyasc.get_row(), pyasc.get_col()
    out[i, j] = x[j, i]


@pyasc.jit
def row_sum_plain(out, x):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s


@pyasc.jit
def row_sum_items(out, x):
    i = pyasc.get_global_id()
    s = 0.0
    for j in range(x.shape[1]):
        s += x[i, j]
    out[i] = s


@pyasc.jit
def column_sum_plain(out, x):
    for j in range(x.shape[1]):
        out[j] = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j] += x[i, j]


@pyasc.jit
def column_sum_items(out, x):
    j = pyasc.get_global_id()
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i, j]
    out[j] = s


def _softmax_row(out, x, i):
    top = x[i, 0]
    for j in range(1, x.shape[1]):
        top = max(top, x[i, j])
    s = 0.0
    for j in range(x.shape[1]):
        e = pyasc.exp(x[i, j] - top)
        out[i, j] = e
        s += e
    for j in range(x.shape[1]):
        out[i, j] = out[i, j] / s


def _layernorm_row(out, x, i):
    n = x.shape[1]
    s = 0.0
    for j in range(n):
        s += x[i, j]
    mean = s / n
    v = 0.0
    for j in range(n):
        d = x[i, j] - mean
        v += d * d
    scale = 1 / pyasc.sqrt(v / n + 1e-5)
    for j in range(n):
        out[i, j] = (x[i, j] - mean) * scale


def rows(f):
    @pyasc.jit
    def plain(out, x):
        for i in range(out.shape[0]):
            f(out, x, i)

    @pyasc.jit
    def items(out, x):
        f(out, x, pyasc.get_row())
    return plain, items


def eager_layernorm(x):
    d = x - pyasc.mean(x, axis=1, keepdims=True)
    return d * pyasc.rsqrt(pyasc.mean(d * d, axis=1, keepdims=True) + 1e-5)


def numpy_softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def numpy_layernorm(x):
    d = x - x.mean(1, keepdims=True)
    return d / np.sqrt((d * d).mean(1, keepdims=True) + np.float32(1e-5))


def torch_call(s, k, t):
    v = 0.3 * torch.sqrt(t)
    d = (torch.log(s / k) + 0.065 * t) / v
    return (s * 0.5 * (1 + torch.erf(d * 0.70710678)) - k * torch.exp(-0.02 * t) * 0.5 * (1 + torch.erf((d - v) * 0.70710678)))


def cases():
    """name, (plain, work-items), eager, numpy, torch, the inputs' shapes, the result's shape."""
    t = torch
    million, big, square = (1 << 20,), (1 << 24,), (1024, 1024)
    layer = t and (lambda x: t.nn.functional.layer_norm(x, (x.shape[1],)))
    yield "exponential", maps(pyasc.exp, 1), pyasc.exp, np.exp, t and t.exp, [million], million
    yield "gelu", maps(_gelu, 1), pyasc.gelu, None, t and t.nn.functional.gelu, [million], million
    yield "black_scholes", maps(_call, 3), _call, None, t and torch_call, [million] * 3, million
    yield "softmax", rows(_softmax_row), pyasc.softmax, numpy_softmax, t and (lambda x: t.softmax(x, 1)), [square], square
    yield "layernorm", rows(_layernorm_row), eager_layernorm, numpy_layernorm, layer, [square], square
    yield ("row_sum", (row_sum_plain, row_sum_items), lambda x: pyasc.sum(x, axis=1), lambda x: x.sum(1),
           t and (lambda x: x.sum(1)), [square], (1024,))
    yield ("column_sum", (column_sum_plain, column_sum_items), lambda x: pyasc.sum(x, axis=0), lambda x: x.sum(0),
           t and (lambda x: x.sum(0)), [square], (1024,))
    yield ("scale", maps(lambda v: 2.5 * v, 1), lambda x: 2.5 * x, lambda x: np.float32(2.5) * x, t and (lambda x: 2.5 * x),
           [big], big)
    yield ("saxpy", maps(lambda v, w: 2.5 * v + w, 2), None, lambda x, y: np.float32(2.5) * x + y,
           t and (lambda x, y: t.add(y, x, alpha=2.5)), [big] * 2, big)
    yield ("stencil", (stencil_plain, stencil_items), None,
           lambda x: x[:-2] * np.float32(0.25) + x[1:-1] * np.float32(0.5) + x[2:] * np.float32(0.25), None, [big], big)
    yield ("transpose", (transpose_plain, transpose_items), lambda x: pyasc.reshape(x.T, x.T.shape) + 0, lambda x: x.T.copy(),
           t and (lambda x: x.T.contiguous()), [(4096, 4096)], (4096, 4096))


def medians(runs):
    """They take turns; a rest before each, as the threads of some look for work for a while."""
    times = [[] for _ in runs]
    for _ in range(ROUNDS):
        for run, found in zip(runs, times):
            time.sleep(0.001)
            run()
            start = time.perf_counter()
            run()
            found.append(time.perf_counter() - start)
    return [statistics.median(t) for t in times]


def measure(name, forms, eager, numpy, peer, inputs, shape):
    rng = np.random.default_rng(0)
    positive = name == "black_scholes"
    xs = [rng.random(s, np.float32) + np.float32(0.5) if positive else rng.standard_normal(s, np.float32) for s in inputs]
    ours, native = [pyasc.asarray(x) for x in xs], cpp(CPP, name)
    out, other = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    extents = xs[0].shape
    runs = {"plain": lambda: forms[0](out, *xs), "items": lambda: forms[1](out, *xs)}
    native(other, *xs, *extents)
    for run in runs.values():
        out[:] = 0
        run()
        np.testing.assert_allclose(out, other, rtol=1e-4, atol=2e-4)
    if eager:
        runs["eager"] = lambda: eager(*ours)
        np.testing.assert_allclose(np.asarray(runs["eager"]()).reshape(shape), other, rtol=1e-4, atol=2e-4)
    peers = {"g++": lambda: native(other, *xs, *extents)}
    if numpy:
        peers["numpy"] = lambda: numpy(*xs)
    if peer:
        tensors = [torch.from_numpy(x) for x in xs]
        peers["torch"] = lambda: peer(*tensors)
    if name in ("scale", "saxpy", "stencil", "transpose"):
        peers["copy"] = lambda: np.copyto(other, out)
    m = dict(zip([*runs, *peers], medians([*runs.values(), *peers.values()])))
    print(f"{name:14}" + "  ".join(
        f"{form} {m[form] * 1e6:8.0f} us: " + " ".join(f"{m[p] / m[form]:5.2f} {p}" for p in peers) for form in runs), flush=True)


def main():
    print(f"{THREADS} thread(s); the peer's time over ours; copy: NumPy's of the result")
    for case in cases():
        if case[0] in sys.argv[2:] or len(sys.argv) < 3:
            measure(*case)


if __name__ == "__main__":
    main()
