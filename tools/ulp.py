#!/usr/bin/env python3
"""All 2**32 float32 inputs of the functions that the compiler expands, against float64: prints the worst of each and
fails where one is beyond 2 ulp, or another NaN, infinity or zero than it should be.

    python tools/ulp.py [NAME...]
"""
import concurrent.futures
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import pyasc

NAMES = "exp log tanh sigmoid erf sin cos rsqrt".split()
CHUNK = 1 << 22
SOURCE = pathlib.Path(__file__).with_name("ulp.c")


def library(folder):
    """tools/ulp.c; -ffast-math would make denormals zero, which its parts do not."""
    path = pathlib.Path(folder, "ulp.so")
    subprocess.run(["gcc", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC",
                    str(SOURCE), "-o", str(path), "-lm"], check=True)
    return ctypes.CDLL(str(path))


def kernels(name):
    """Of work-items and of a plain loop."""
    function = getattr(pyasc, name)

    @pyasc.jit
    def map_of(x, out):
        i = pyasc.get_global_id()
        out[i] = function(x[i])

    @pyasc.jit
    def loop_of(x, out):
        for i in range(x.shape[0]):
            out[i] = function(x[i])
    return map_of, loop_of


def worst_of(name, lib):
    """(ulp, input) over all bit patterns."""
    (run, loop), check = kernels(name), getattr(lib, f"worst_{name}")
    check.restype = ctypes.c_double

    def part(start):
        x = np.arange(start, start + CHUNK, dtype=np.uint32).view(np.float32)
        out, again, at = np.empty_like(x), np.empty_like(x), ctypes.c_int64()
        run(x, out)
        loop(x, again)
        if not np.array_equal(out, again, equal_nan=True):
            sys.exit(f"{name}: a loop gives other values than work-items from {start:#x} on")
        gap = check(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(out.ctypes.data), ctypes.c_int64(CHUNK),
                    ctypes.byref(at))
        return gap, x[at.value], out[at.value]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as crew:
        return max(crew.map(part, range(0, 1 << 32, CHUNK)), key=lambda found: found[0])


def main():
    far = []
    with tempfile.TemporaryDirectory() as folder:
        lib = library(folder)
        for name in sys.argv[1:] or NAMES:
            start = time.perf_counter()
            gap, x, got = worst_of(name, lib)
            print(f"{name:8} {gap:6.3f} ulp at {float(x).hex()} ({x!s}), which gives {got!s}; "
                  f"{time.perf_counter() - start:.0f} s", flush=True)
            far += [name] * (gap > 2)
    if far:
        sys.exit(f"beyond 2 ulp: {', '.join(far)}")


if __name__ == "__main__":
    main()
