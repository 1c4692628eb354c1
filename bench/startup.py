#!/usr/bin/env python3
"""Start-up and launch costs, each in processes of their own: import, first call cold and from the disk cache, warm launches
turn about with Numba's, and of torch tensors, where those are installed.

    python bench/startup.py
"""
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile

CHILD = r'''
import resource, sys, time
import numpy as np
def rss():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
before, t = rss(), time.perf_counter()
import pyasc
imported, grown = time.perf_counter() - t, rss() - before
sys.path.insert(0, {here!r})
import startup_kernels as k
x, out, m = np.ones(1000, np.float32), np.zeros(1000, np.float32), np.ones((64, 64), np.float32)
t, before = time.perf_counter(), rss()
k.first(x, out, 3)
first = time.perf_counter() - t
hit = k.first.cache_info()[0]["from_cache"]
t = time.perf_counter()
k.second(x, out, 3)
second, compiled = time.perf_counter() - t, rss() - before
llvm = "_llvm.so" in open("/proc/self/maps").read()
t = time.perf_counter()
k.gemm(m, m, np.zeros_like(m))
gemm = time.perf_counter() - t
print(imported * 1e3, grown, first * 1e3, second * 1e3, compiled, gemm * 1e3, int(hit), int(llvm))
'''
LAUNCH = r'''
import statistics, sys, time
import numpy as np
sys.path.insert(0, {here!r})
import startup_kernels as k
x, y, out = (np.ones(1000, np.float32) for _ in range(3))
calls = {{"pyasc, work-items": (k.add, x, y, out), "pyasc, a loop": (k.loop, x, y, out)}}
if {numba}:
    import numba
    calls["Numba, the same loop"] = (numba.njit(k.loop.fn), x, y, out)
if {torch}:
    import torch
    calls["pyasc, torch tensors"] = (k.add, *(torch.ones(1000) for _ in range(3)))
def took(f, a, b, c):
    f(a, b, c)
    t = time.perf_counter()
    for _ in range(2000):
        f(a, b, c)
    return (time.perf_counter() - t) / 2000 * 1e9
runs = [[took(*c) for c in calls.values()] for _ in range(41)]
for name, ns in zip(calls, zip(*runs)):
    print(f"{{name:24s}} {{statistics.median(ns):6.0f}}")
'''
ROWS = ("import pyasc, without NumPy's own, ms", "memory that import adds, MB", "first call, LLVM loaded within, ms",
        "call of a second new kernel, LLVM loaded, ms", "memory that the first compiles add, MB",
        "call of a GEMM from plain loops, LLVM loaded, ms")


def run(cache):
    here = os.path.dirname(os.path.abspath(__file__))
    out = subprocess.run([sys.executable, "-c", CHILD.format(here=here)], check=True, stdout=subprocess.PIPE, text=True,
                         env=dict(os.environ, PYASC_CACHE_DIR=cache), cwd=cache).stdout
    return [float(v) for v in out.split()]


def launches():
    here = os.path.dirname(os.path.abspath(__file__))
    have = {m: importlib.util.find_spec(m) is not None for m in ("numba", "torch")}
    print("\nwarm launch of three arrays of 1000 float32, ns, median of 41 turns")
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", LAUNCH.format(here=here, **have)], check=True)


def main():
    cold, warm = [], []
    for _ in range(7):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(run(cache))
            warm.append(run(cache))
    assert all(w[6] and not w[7] for w in warm) and not any(c[6] for c in cold)
    print(f"{'':50s} {'cold':>10s} {'disk cache':>10s}")
    for i, name in enumerate(ROWS):
        print(f"{name:50s} {statistics.median(c[i] for c in cold):10.2f} {statistics.median(w[i] for w in warm):10.2f}")
    launches()


if __name__ == "__main__":
    main()
