#!/usr/bin/env python3
"""Contractions from naive loops: square products of float32 against NumPy's (OpenBLAS), of bfloat16 and int8 against our float32,
convolutions against PyTorch's (oneDNN) where it is installed. Medians of turns one after the other; each result is checked first.
Without an argument all run on one thread; give a number for more.

    python bench/contractions.py [THREADS]
"""
import os
import statistics
import sys
import time

THREADS = sys.argv[1] if len(sys.argv) > 1 else "1"
for name in ("PYASC_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = THREADS
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # they keep NumPy from its best code
    os.environ.pop(name, None)

import numpy as np  # noqa: E402

import pyasc  # noqa: E402


@pyasc.kernel
def ijk(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@pyasc.kernel
def ikj(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
    for i in range(c.shape[0]):
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@pyasc.jit
def item(a, b, c):
    i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
    s = 0.0
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@pyasc.kernel
def small(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@pyasc.kernel
def conv2d(x, w, y, stride, pad):
    for n in range(y.shape[0]):
        for f in range(y.shape[1]):
            for p in range(y.shape[2]):
                for q in range(y.shape[3]):
                    s = 0.0
                    for c in range(x.shape[1]):
                        for r in range(w.shape[2]):
                            for t in range(w.shape[3]):
                                h, v = p * stride + r - pad, q * stride + t - pad
                                if 0 <= h < x.shape[2] and 0 <= v < x.shape[3]:
                                    s += x[n, c, h, v] * w[f, c, r, t]
                    y[n, f, p, q] = s


def numpy_product(a, b, c):
    np.matmul(a, b, out=c)


def medians(calls, turns):
    """In turns, with a rest before each: other libraries' threads look for work on the processors for a while after a call."""
    times = [[] for _ in calls]
    for _ in range(turns):
        for call, found in zip(calls, times):
            time.sleep(0.005 if THREADS == "1" else 0.25)
            for k in range(4):
                start = time.perf_counter()
                call()
                if k:
                    found.append(time.perf_counter() - start)
    return [statistics.median(t) for t in times]


def products():
    rng = np.random.default_rng(0)
    functions = (ijk, ikj, item, numpy_product)
    print(f"{THREADS} thread(s); GFLOP/s of {', '.join(f.__name__ for f in functions)}; times NumPy")
    for n in (128, 256, 512, 1024, 2048):
        a, b = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
        c, want = np.empty((n, n), np.float32), a.astype(np.float64) @ b
        for f in functions:
            c[:] = np.nan
            f(a, b, c)
            assert np.abs(c - want).max() < 1e-3 * n ** 0.5, f.__name__
        m = medians([lambda f=f: f(a, b, c) for f in functions], max(7, min(15, 7 * 1024 // n)))
        print(f"{n:5d}  " + "  ".join(f"{2 * n ** 3 / t / 1e9:6.0f}" for t in m) + "   "
              + " ".join(f"{m[-1] / t:.2f}" for t in m[:-1]), flush=True)


def narrow():
    import ml_dtypes
    rng = np.random.default_rng(0)
    print("float32; bfloat16, float16, int8 over it")
    for n in (512, 1024):
        a, b = (rng.standard_normal((n, n)) for _ in range(2))
        c, ci, calls = np.empty((n, n), np.float32), np.empty((n, n), np.int32), []
        for dtype in (np.float32, ml_dtypes.bfloat16, np.float16, np.int8):
            x, y = ((v * (20 if dtype == np.int8 else 1)).astype(dtype) for v in (a, b))
            kernel, out = (small, ci) if dtype == np.int8 else (ijk, c)
            kernel(x, y, out)
            assert np.abs(out - x.astype(np.float64) @ y.astype(np.float64)).max() < 1e-3 * n ** 0.5
            calls.append(lambda k=kernel, x=x, y=y, o=out: k(x, y, o))
        m = medians(calls, 9)
        print(f"{n:5d}  {2 * n ** 3 / m[0] / 1e9:6.0f}   " + " ".join(f"{m[0] / t:.2f}" for t in m[1:]), flush=True)


def convolutions():
    import torch
    torch.set_num_threads(int(THREADS))
    rng = np.random.default_rng(0)
    print("convolutions: batch, channels, size, filters, window, stride, padding; GFLOP/s; times PyTorch")
    for n, c, h, f, r, stride, pad in [(1, 64, 56, 64, 3, 1, 1), (8, 32, 28, 64, 3, 1, 1), (1, 128, 28, 128, 3, 1, 1),
                                       (1, 256, 14, 256, 3, 1, 1), (1, 64, 56, 128, 3, 2, 1), (1, 64, 56, 256, 1, 1, 0)]:
        x, w = rng.standard_normal((n, c, h, h)).astype(np.float32), rng.standard_normal((f, c, r, r)).astype(np.float32)
        tx, tw, p = torch.from_numpy(x), torch.from_numpy(w), (h + 2 * pad - r) // stride + 1
        y = np.full((n, f, p, p), np.nan, np.float32)
        conv2d(x, w, y, stride, pad)
        assert np.abs(y - torch.nn.functional.conv2d(tx, tw, stride=stride, padding=pad).numpy()).max() < 1e-2
        m = medians([lambda: conv2d(x, w, y, stride, pad),
                     lambda: torch.nn.functional.conv2d(tx, tw, stride=stride, padding=pad)], 11)
        work = 2 * n * f * p * p * c * r * r
        print(f"{(n, c, h, f, r, stride, pad)}  {work / m[0] / 1e9:6.0f}   {m[1] / m[0]:.2f}", flush=True)


def main():
    products()
    narrow()
    try:
        convolutions()
    except ImportError:
        print("PyTorch is not installed")


if __name__ == "__main__":
    main()
