#!/usr/bin/env python3
"""Start-up and launch costs, each in processes of their own: import, first call cold and from the disk cache, a warm launch.

    python bench/startup.py
"""
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
x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
t, before = time.perf_counter(), rss()
k.first(x, out, 3)
first = time.perf_counter() - t
hit = k.first.cache_info()[0]["from_cache"]
t = time.perf_counter()
k.second(x, out, 3)
second, compiled = time.perf_counter() - t, rss() - before
llvm = "_llvm.so" in open("/proc/self/maps").read()
k.add(x, x, out)
best = 1e9
for _ in range(20):
    t = time.perf_counter()
    for _ in range(5000):
        k.add(x, x, out)
    best = min(best, (time.perf_counter() - t) / 5000)
print(imported * 1e3, grown, first * 1e3, second * 1e3, compiled, best * 1e6, int(hit), int(llvm))
'''
ROWS = ("import pyasc, without NumPy's own, ms", "memory that import adds, MB", "first call, LLVM loaded within, ms",
        "call of a second new kernel, LLVM loaded, ms", "memory that the first compiles add, MB",
        "warm launch, three arrays of 1000, us")


def run(cache):
    here = os.path.dirname(os.path.abspath(__file__))
    out = subprocess.run([sys.executable, "-c", CHILD.format(here=here)], check=True, stdout=subprocess.PIPE, text=True,
                         env=dict(os.environ, PYASC_CACHE_DIR=cache), cwd=cache).stdout
    return [float(v) for v in out.split()]


def main():
    cold, warm = [], []
    for _ in range(7):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(run(cache))
            warm.append(run(cache))
    assert all(w[6] and not w[7] for w in warm) and not any(c[6] for c in cold)
    print(f"{'':46s} {'cold':>10s} {'disk cache':>10s}")
    for i, name in enumerate(ROWS):
        print(f"{name:46s} {statistics.median(c[i] for c in cold):10.2f} {statistics.median(w[i] for w in warm):10.2f}")


if __name__ == "__main__":
    main()
