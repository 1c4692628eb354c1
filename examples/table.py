#!/usr/bin/env python3
"""Runs the examples, checks each against NumPy, and times the same loops in plain Python beside it.

    python examples/table.py [NAME ...]

Plain Python runs over lists on a smaller size; its time is scaled by the ratio of the work.
"""
import importlib
import sys
import time

import numpy as np

NAMES = ("scale saxpy gemm softmax reduction scan histogram transpose gemm_loops conv2d mandelbrot asc_gelu").split()


def fresh(module, size):
    return module.data(np.random.default_rng(7), *size)


def checked(module, size):
    """Is one launch right?"""
    args = fresh(module, size)
    module.launch(*args)
    return bool(module.check(*args))


def best_ms(module, size, seconds=0.3):
    """The fastest of the warm launches that fit in the time."""
    args = fresh(module, size)
    module.launch(*args)
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        module.launch(*args)
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return 1e3 * best


def plain_ms(module, small, size):
    args = [a.tolist() if isinstance(a, np.ndarray) else a for a in fresh(module, small)]
    start = time.perf_counter()
    module.plain(*args)
    return 1e3 * (time.perf_counter() - start) * module.work(*size) / module.work(*small)


def row(name):
    module = importlib.import_module(name)
    ok = checked(module, module.SIZE)
    ours, plain = best_ms(module, module.SIZE), plain_ms(module, module.SMALL, module.SIZE)
    size = "x".join(map(str, module.SIZE))
    print(f"{name:<12} {size:<18} {'ok' if ok else 'FAILED':<8} {ours:>10.3f} {plain:>14.1f} {plain / ours:>9.0f}x",
          flush=True)
    return ok


def main(names):
    print(f"{'example':<12} {'size':<18} {'NumPy':<8} {'pyasc ms':>10} {'plain Python ms':>14} {'ratio':>9}")
    failed = 0
    for name in names:
        try:
            failed += not row(name)
        except Exception as e:  # one broken example must not hide the others
            first = str(e).splitlines()[0] if str(e) else ""
            print(f"{name:<12} {'':<18} FAILED   {type(e).__name__}: {first}", flush=True)
            failed += 1
    print(f"{len(names) - failed} of {len(names)} right")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or NAMES))
