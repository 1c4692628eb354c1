"""Runs the examples: each checked against NumPy, timed, and beside the same loops in plain Python (a part of the work, scaled)."""
import sys
import time

import kernels as k
import numpy as np
from kernels import f32


def plain_saxpy(n):
    x, y, out = [1.0] * n, [2.0] * n, [0.0] * n
    for i in range(n):
        out[i] = 3.0 * x[i] + y[i]


def plain_contraction(n):
    """n multiply-adds of a triple loop over lists."""
    side = 64
    a, b, acc = [[1.0] * side for _ in range(side)], [[1.0] * side for _ in range(side)], 0.0
    for r in range(n // (side * side)):
        row = a[r % side]
        for j in range(side):
            acc = 0.0
            for c in range(side):
                acc += row[c] * b[c][j]


def plain_mandelbrot(n):
    zr = zi = 0.0
    for _ in range(n):
        if zr * zr + zi * zi > 4.0:
            zr = zi = 0.0
        zr, zi = zr * zr - zi * zi - 0.5, 2.0 * zr * zi + 0.1


def cases():
    n, x, y = 1 << 20, f32(1 << 20), f32(1 << 20)[::-1].copy()
    o = np.zeros_like(x)
    yield "scale", lambda: k.scale(x, o, 2.0), lambda: np.array_equal(o, 2 * x), n, plain_saxpy
    yield "saxpy", lambda: k.saxpy(x, y, o, 2.0), lambda: np.allclose(o, 2 * x + y, rtol=1e-6), n, plain_saxpy
    a, b, c = f32(256, 256), f32(256, 256).T.copy(), np.zeros((256, 256), np.float32)
    yield "gemm", lambda: k.gemm(a, b, c), lambda: np.allclose(c, a @ b, rtol=1e-3, atol=1e-3), 256**3, plain_contraction
    s, so = f32(256, 1000), np.zeros((256, 1000), np.float32)
    e = np.exp(s - s.max(1, keepdims=True))
    yield "softmax", lambda: k.softmax(s, so), lambda: np.allclose(so, e / e.sum(1, keepdims=True), rtol=1e-5), 3 * s.size, plain_saxpy
    blocks = n // k.BLOCK
    sums = np.zeros(blocks, np.float32)
    yield ("block_sums", lambda: k.block_sums[blocks, k.BLOCK](x, sums),
           lambda: np.allclose(sums, x.reshape(blocks, -1).sum(1), atol=1e-3), n, plain_saxpy)
    yield ("block_scan", lambda: k.block_scan[blocks, k.BLOCK](x, o),
           lambda: np.allclose(o.reshape(blocks, -1), x.reshape(blocks, -1).cumsum(1), atol=1e-3), n, plain_saxpy)
    data, counts = np.random.default_rng(2).integers(0, 64, n).astype(np.int32), np.zeros(64, np.int64)

    def hist():
        counts[:] = 0
        k.histogram(data, counts)
    yield "histogram", hist, lambda: np.array_equal(counts, np.bincount(data, minlength=64)), n, plain_saxpy
    t, to = f32(700, 1000), np.zeros((1000, 700), np.float32)
    yield "transpose", lambda: k.transpose(t, to), lambda: np.array_equal(to, t.T), t.size, plain_saxpy
    yield "gemm_loops", lambda: k.gemm_loops(a, b, c), lambda: np.allclose(c, a @ b, rtol=1e-3, atol=1e-3), 256**3, plain_contraction
    v, w, r = f32(1, 8, 40, 40), f32(8, 8, 3, 3), np.zeros((1, 8, 38, 38), np.float32)
    win = np.lib.stride_tricks.sliding_window_view(v, (3, 3), (2, 3))
    yield ("conv2d", lambda: k.conv2d(v, w, r), lambda: np.allclose(r, np.einsum("bchwij,ocij->bohw", win, w), atol=1e-3),
           r.size * 72, plain_contraction)
    m = np.zeros((300, 400), np.int32)
    yield "mandelbrot", lambda: k.mandelbrot(m, 200), lambda: mandelbrot_ok(m, 200), lambda: int(m.sum()), plain_mandelbrot


def mandelbrot_ok(m, limit):
    h, w, f = *m.shape, np.float32
    cr = (np.arange(w).astype(f) * f(3) / f(w) - f(2))[None, :]
    ci = (np.arange(h).astype(f) * f(2) / f(h) - f(1))[:, None]
    zr, zi, n, live = np.zeros(m.shape, f), np.zeros(m.shape, f), np.zeros(m.shape, np.int32), np.ones(m.shape, bool)
    for _ in range(limit):
        live &= zr * zr + zi * zi <= 4
        n += live
        zr, zi = np.where(live, zr * zr - zi * zi + cr, zr), np.where(live, 2 * zr * zi + ci, zi)
    return np.mean(n != m) < 1e-3


def timed(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def main():
    failed = 0
    print(f"{'example':12s} {'checked':8s} {'ms':>10s} {'plain Python ms':>16s} {'times':>8s}")
    for name, run, check, work, plain in cases():
        run()
        good = check()
        failed += not good
        best = min(timed(run) for _ in range(5))
        work, sample = work() if callable(work) else work, 200_000
        python = timed(lambda: plain(sample)) * work / sample
        print(f"{name:12s} {'ok' if good else 'FAILED':8s} {best * 1e3:10.3f} {python * 1e3:16.1f} {python / best:8.0f}")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main()))
