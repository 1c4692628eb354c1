#!/usr/bin/env python3
"""Eager operations on 1 M float32 against NumPy, and against PyTorch where it is installed: the peer's time over ours.

Each is timed in turns of at least TURN seconds with a pause before, as the threads of both look for work for a while
after they had some; the ratio is the median of the turns'.
"""
import statistics
import sys
import time

import numpy as np

import pyasc

try:
    import torch
except ImportError:
    torch = None
N, TURN, TURNS = 1 << 20, 0.02, 7
UNARY = """neg abs exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh atanh
    floor ceil trunc round sign reciprocal square isnan isinf isfinite logical_not""".split()
BINARY = """add sub mul div floor_div mod maximum minimum atan2 hypot logaddexp less less_equal greater greater_equal equal
    not_equal logical_and pow""".split()
NUMPY = {"neg": "negative", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "atanh": "arctanh",
         "atan2": "arctan2", "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power",
         "floor_div": "floor_divide"}
TORCH = "exp log sqrt tanh sigmoid relu gelu silu erf add mul".split()


def turn(f):
    """Seconds of a call: the best of a turn."""
    time.sleep(0.005)
    best, end = float("inf"), time.perf_counter() + TURN
    while True:
        start = time.perf_counter()
        f()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best


def ratio(ours, peer):
    ours(), peer()
    turns = [(turn(ours), turn(peer)) for _ in range(TURNS)]
    return statistics.median(b / a for a, b in turns), statistics.median(a for a, _ in turns)


def show(name, peer, ours, theirs):
    r, t = ratio(ours, theirs)
    print(f"{name:24} {t * 1e6:8.1f} us   {r:6.2f} x {peer}")
    return name, peer, r


def main():
    x, y = np.random.default_rng(1).uniform(0.01, 0.99, (2, N)).astype(np.float32)
    a, b = pyasc.asarray(x), pyasc.asarray(y)
    m = a.reshape((1024, 1024))
    rows = []
    for name in UNARY:
        rows.append(show(name, "numpy", lambda f=getattr(pyasc, name): f(a), lambda f=getattr(np, NUMPY.get(name, name)): f(x)))
    for name in BINARY:
        rows.append(show(name, "numpy", lambda f=getattr(pyasc, name): f(a, b),
                         lambda f=getattr(np, NUMPY.get(name, name)): f(x, y)))
    rows.append(show("acosh", "numpy", lambda c=a + 1: pyasc.acosh(c), lambda z=x + 1: np.arccosh(z)))
    rows.append(show("where", "numpy", lambda: pyasc.where(a, a, b), lambda: np.where(x, x, y)))
    rows.append(show("clip", "numpy", lambda: pyasc.clip(a, 0.2, 0.7), lambda: np.clip(x, 0.2, 0.7)))
    rows.append(show("add a row", "numpy", lambda: m + m[0], lambda v=x.reshape(1024, 1024): v + v[0]))
    rows.append(show("add a column", "numpy", lambda: m + m[:, :1], lambda v=x.reshape(1024, 1024): v + v[:, :1]))
    rows.append(show("sum of columns", "numpy", lambda: pyasc.sum(m, axis=0), lambda v=x.reshape(1024, 1024): v.sum(0)))
    rows.append(show("sum of rows", "numpy", lambda: pyasc.sum(m, axis=1), lambda v=x.reshape(1024, 1024): v.sum(1)))
    rows.append(show("cumsum", "numpy", lambda: pyasc.cumsum(a, axis=0), lambda: np.cumsum(x)))
    if torch:
        t, u, v = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(x.reshape(1024, 1024))
        rows.append(show("sum", "torch", lambda: pyasc.sum(a), lambda: t.sum()))
        rows.append(show("max", "torch", lambda: pyasc.max(a), lambda: t.max()))
        rows.append(show("softmax of rows", "torch", lambda: pyasc.softmax(m), lambda: torch.softmax(v, -1)))
        rows.append(show("softmax of columns", "torch", lambda: pyasc.softmax(m, 0), lambda: torch.softmax(v, 0)))
        for name in TORCH:
            f = getattr(torch, name, None) or getattr(torch.nn.functional, name)
            binary = name in BINARY
            rows.append(show(name, "torch", lambda g=getattr(pyasc, name): g(a, b) if binary else g(a),
                             lambda: f(t, u) if binary else f(t)))
    slow = [f"{name} ({peer} {r:.2f})" for name, peer, r in rows if r < 1]
    print("slower than the peer:", ", ".join(slow) or "none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
