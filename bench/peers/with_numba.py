"""The kernels as loops under Numba: fastmath, the outer loop parallel where there is more than one thread."""
import math
import os

import numba
import numpy as np
from numba import prange

BLOCK = 256
kernel = numba.njit(fastmath=True, parallel=os.environ.get("NUMBA_NUM_THREADS") != "1")
helper = numba.njit(fastmath=True)


@kernel
def scale(x, a, y):
    f = np.float32(a)
    for i in prange(x.shape[0]):
        y[i] = f * x[i]


@kernel
def saxpy(a, x, y, z):
    f = np.float32(a)
    for i in prange(x.shape[0]):
        z[i] = f * x[i] + y[i]


@kernel
def gemm_loops(a, b, c):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@kernel
def gemm_item(a, b, c):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


gemm_shared = gemm_item


@kernel
def gemm_int8(a, b, c):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += np.int32(a[i, k]) * np.int32(b[k, j])


@kernel
def softmax_loops(x, y):
    for i in prange(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            y[i, j] = math.exp(x[i, j] - top)
            total += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total


softmax_item = softmax_loops


@kernel
def layernorm(x, gain, bias, y):
    n = x.shape[1]
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(n):
            total += x[i, j]
        mean = np.float32(total / n)
        squares = np.float32(0)
        for j in range(n):
            squares += (x[i, j] - mean) ** 2
        inverse = np.float32(1 / math.sqrt(squares / n + 1e-5))
        for j in range(n):
            y[i, j] = (x[i, j] - mean) * inverse * gain[j] + bias[j]


@kernel
def gelu(x, y):
    for i in prange(x.shape[0]):
        v = x[i]
        y[i] = np.float32(0.5) * v * (np.float32(1) + math.tanh(np.float32(0.7978845608) * (v + np.float32(0.044715) * v * v * v)))


@kernel
def row_sum(x, y):
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


@kernel
def column_sum(x, y):
    for j in prange(x.shape[1]):
        total = np.float32(0)
        for i in range(x.shape[0]):
            total += x[i, j]
        y[j] = total


@kernel
def tree_sum(x, y):
    for block in prange(y.shape[0]):
        total = np.float32(0)
        for i in range(block * BLOCK, min((block + 1) * BLOCK, x.shape[0])):
            total += x[i]
        y[block] = total


@helper
def histogram(x, counts):
    counts[:] = 0
    for i in range(x.shape[0]):
        counts[x[i]] += 1


@kernel
def transpose(x, y):
    for i in prange(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x[j, i]


@kernel
def stencil(x, y):
    half, eighth = np.float32(0.5), np.float32(0.125)
    for i in prange(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            y[i, j] = half * x[i, j] + eighth * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


@kernel
def conv2d(x, w, y):
    for bf in prange(y.shape[0] * y.shape[1]):
        b, f = bf // y.shape[1], bf % y.shape[1]
        for i in range(y.shape[2]):
            for j in range(y.shape[3]):
                total = np.float32(0)
                for c in range(w.shape[1]):
                    for p in range(w.shape[2]):
                        for q in range(w.shape[3]):
                            total += x[b, c, i + p, j + q] * w[f, c, p, q]
                y[b, f, i, j] = total


@kernel
def depthwise(x, w, y):
    for bc in prange(y.shape[0] * y.shape[1]):
        b, c = bc // y.shape[1], bc % y.shape[1]
        for i in range(y.shape[2]):
            for j in range(y.shape[3]):
                total = np.float32(0)
                for p in range(w.shape[1]):
                    for q in range(w.shape[2]):
                        total += x[b, c, i + p, j + q] * w[c, p, q]
                y[b, c, i, j] = total


@kernel
def attention(q, k, v, s, y):
    n, width = q.shape
    scale = np.float32(1 / math.sqrt(width))
    for i in prange(n):
        for j in range(n):
            total = np.float32(0)
            for d in range(width):
                total += q[i, d] * k[j, d]
            s[i, j] = total * scale
        top = s[i, 0]
        for j in range(n):
            top = max(top, s[i, j])
        total = np.float32(0)
        for j in range(n):
            s[i, j] = math.exp(s[i, j] - top)
            total += s[i, j]
        for d in range(width):
            y[i, d] = 0
        for j in range(n):
            for d in range(width):
                y[i, d] += s[i, j] / total * v[j, d]


@kernel
def nbody(position, mass, force):
    for i in prange(position.shape[0]):
        px, py, pz = position[i, 0], position[i, 1], position[i, 2]
        fx = fy = fz = np.float32(0)
        for j in range(position.shape[0]):
            dx, dy, dz = position[j, 0] - px, position[j, 1] - py, position[j, 2] - pz
            square = dx * dx + dy * dy + dz * dz + np.float32(0.01)
            pull = mass[j] / (square * math.sqrt(square))
            fx += dx * pull
            fy += dy * pull
            fz += dz * pull
        force[i, 0], force[i, 1], force[i, 2] = fx, fy, fz


@kernel
def mandelbrot(xs, ys, out):
    for row in prange(out.shape[0]):
        for col in range(out.shape[1]):
            x = y = np.float32(0)
            n = 0
            while n < 100 and x * x + y * y <= np.float32(4):
                x, y = x * x - y * y + xs[col], np.float32(2) * x * y + ys[row]
                n += 1
            out[row, col] = n


@helper
def below(d):
    k = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * abs(d))
    poly = k * (np.float32(0.319381530) + k * (np.float32(-0.356563782) + k * (
        np.float32(1.781477937) + k * (np.float32(-1.821255978) + k * np.float32(1.330274429)))))
    tail = np.float32(0.3989422804) * math.exp(np.float32(-0.5) * d * d) * poly
    return np.float32(1) - tail if d > 0 else tail


@kernel
def black_scholes(price, strike, years, call, put):
    for i in prange(price.shape[0]):
        s, k, t = price[i], strike[i], years[i]
        root = np.float32(0.3) * math.sqrt(t)
        d1 = (math.log(s / k) + np.float32(0.02 + 0.045) * t) / root
        d2 = d1 - root
        later = k * math.exp(np.float32(-0.02) * t)
        call[i] = s * below(d1) - later * below(d2)
        put[i] = later * below(-d2) - s * below(-d1)


@kernel
def scan(x, y):
    for block in prange(x.shape[0] // BLOCK):
        total = np.float32(0)
        for i in range(block * BLOCK, (block + 1) * BLOCK):
            total += x[i]
            y[i] = total
