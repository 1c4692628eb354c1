#!/usr/bin/env python3
"""What check=True costs: against the same kernel on one lane and one thread (a print that is never reached sees to that),
and against the kernel as it is without checks. Results are compared before they are timed; the best of nine.

    python bench/checks.py
"""
import time

import numpy as np

import pyasc


def source(body, never):
    return body + (f"    if {never}:\n        print('never')\n")


KERNELS = {
    "map": ("""
def kernel(x, y, z):
    i = pyasc.get_global_id()
    z[i] = x[i] * y[i] + 1
""", "x[i] > 1e30"),
    "gemm": ("""
def kernel(a, b, c):
    i, j = pyasc.get_row(), pyasc.get_col()
    s = 0.0
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s
""", "s > 1e30"),
    "integers": ("""
def kernel(x, y):
    i = pyasc.get_global_id()
    v, n = x[i], 0
    while v > 0 and n < 50:
        v = v // 2 + v % 3
        n += 1
    y[i] = n
""", "n > 1000"),
    "tree reduction": ("""
def kernel(x, y):
    shared = pyasc.shared(256)
    t = pyasc.get_local_id()
    shared[t] = x[pyasc.get_global_id()]
    pyasc.syncthreads()
    s = 128
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        pyasc.syncthreads()
        s //= 2
    if t == 0:
        y[pyasc.get_group_id()] = shared[0]
""", "x[0] > 1e30"),
}


def compiled(name, folder, one_lane=False, **options):
    text, never = KERNELS[name]
    path = folder / f"{name.replace(' ', '_')}_{one_lane}.py"
    path.write_text("import pyasc\n" + (source(text, never) if one_lane else text))
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return pyasc.jit(space["kernel"], parallel=False, **options)


def arguments(name):
    rng = np.random.default_rng(1)
    n = 1 << 20
    if name == "gemm":
        m = rng.random((160, 160), np.float32)
        return [m, m.copy(), np.zeros_like(m)], None
    if name == "integers":
        return [rng.integers(0, 1 << 30, n // 8).astype(np.int32), np.zeros(n // 8, np.int32)], None
    x = rng.random(n, np.float32)
    if name == "map":
        return [x, x.copy(), np.zeros_like(x)], None
    return [x, np.zeros(n // 256, np.float32)], (n // 256, 256)


def best(launch, args):
    launch(*args)
    times = []
    for _ in range(9):
        t = time.perf_counter()
        launch(*args)
        times.append(time.perf_counter() - t)
    return min(times) * 1e3, args[-1].copy()


def main():
    import pathlib
    import tempfile
    print(f"{'kernel':16}{'ms plain':>10}{'one lane':>10}{'check':>10}{'all':>10}{'check / one lane':>18}{'all / one lane':>16}")
    with tempfile.TemporaryDirectory() as folder:
        for name in KERNELS:
            args, domain = arguments(name)
            kinds = [compiled(name, pathlib.Path(folder), **o) for o in
                     (dict(), dict(one_lane=True), dict(check=True), dict(check="all"))]
            timed = [best(k[domain] if domain else k, args) for k in kinds]
            assert all(np.allclose(r, timed[0][1], rtol=1e-5) for _, r in timed), name
            plain, lane, check, full = (t for t, _ in timed)
            print(f"{name:16}{plain:10.2f}{lane:10.2f}{check:10.2f}{full:10.2f}{check / lane:18.1f}{full / lane:16.1f}", flush=True)


if __name__ == "__main__":
    main()
