#!/usr/bin/env python3
"""Matrix products from naive plain loops against NumPy's (OpenBLAS), square float32: medians, each result checked
first. Without an argument both run on one thread; give a number for more.

    python bench/contractions.py [THREADS]
"""
import os
import statistics
import sys
import time

THREADS = sys.argv[1] if len(sys.argv) > 1 else "1"
for name in ("PYASC_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = THREADS

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


def numpy_product(a, b, c):
    np.matmul(a, b, out=c)


def medians(functions, args, rounds):
    """One after the other, with a rest: OpenBLAS's threads look for work on the processors for a while after a product."""
    found = []
    for f in functions:
        times = []
        time.sleep(0.2)
        for _ in range(rounds):
            start = time.perf_counter()
            f(*args)
            times.append(time.perf_counter() - start)
        found.append(statistics.median(times))
    return found


def main():
    rng = np.random.default_rng(0)
    functions = (ijk, ikj, numpy_product)
    print(f"{THREADS} thread(s); GFLOP/s of {', '.join(f.__name__ for f in functions)}; times NumPy")
    for n in (256, 512, 1024, 2048):
        a, b = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
        c, want = np.empty((n, n), np.float32), a.astype(np.float64) @ b
        for f in functions:
            c[:] = np.nan
            f(a, b, c)
            assert np.abs(c - want).max() < 1e-3 * n ** 0.5, f.__name__
        m = medians(functions, (a, b, c), max(11, 30 * 1024 // n))
        rates = "  ".join(f"{2 * n ** 3 / t / 1e9:6.0f}" for t in m)
        print(f"{n:5d}  {rates}   {m[2] / m[0]:.2f} {m[2] / m[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
