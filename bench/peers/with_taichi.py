"""The kernels in Taichi on its CPU back end, over its own arrays; the outermost loop is parallel."""
import os

import numpy as np

os.environ["ENABLE_TAICHI_HEADER_PRINT"] = "0"
import taichi as ti  # noqa: E402

BLOCK = 256
A = ti.types.ndarray()
TYPES = {"f4": ti.f32, "i4": ti.i32, "i1": ti.i8, "u1": ti.u8}


def start(threads):
    ti.init(arch=ti.cpu, cpu_max_num_threads=threads, log_level=ti.ERROR, offline_cache=False)


def take(a):
    if not isinstance(a, np.ndarray):
        return a
    if a.dtype.name == "bfloat16":
        raise NotImplementedError("bfloat16")
    made = ti.ndarray(TYPES[a.dtype.str[1:]], a.shape)
    made.from_numpy(a)
    return made


def give(a):
    return a.to_numpy()


@ti.kernel
def scale(x: A, a: ti.f32, y: A):
    for i in range(x.shape[0]):
        y[i] = a * x[i]


@ti.kernel
def saxpy(a: ti.f32, x: A, y: A, z: A):
    for i in range(x.shape[0]):
        z[i] = a * x[i] + y[i]


@ti.kernel
def gemm_loops(a: A, b: A, c: A):
    for i, j in ti.ndrange(c.shape[0], c.shape[1]):
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


gemm_item = gemm_shared = gemm_loops


@ti.kernel
def gemm_int8(a: A, b: A, c: A):
    for i, j in ti.ndrange(c.shape[0], c.shape[1]):
        total = 0
        for k in range(a.shape[1]):
            total += ti.cast(a[i, k], ti.i32) * ti.cast(b[k, j], ti.i32)
        c[i, j] = total


@ti.kernel
def softmax_loops(x: A, y: A):
    for i in range(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            y[i, j] = ti.exp(x[i, j] - top)
            total += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total


softmax_item = softmax_loops


@ti.kernel
def layernorm(x: A, gain: A, bias: A, y: A):
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        mean = total / x.shape[1]
        squares = 0.0
        for j in range(x.shape[1]):
            squares += (x[i, j] - mean) ** 2
        inverse = 1.0 / ti.sqrt(squares / x.shape[1] + 1e-5)
        for j in range(x.shape[1]):
            y[i, j] = (x[i, j] - mean) * inverse * gain[j] + bias[j]


@ti.kernel
def gelu(x: A, y: A):
    for i in range(x.shape[0]):
        v = x[i]
        y[i] = 0.5 * v * (1.0 + ti.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))


@ti.kernel
def row_sum(x: A, y: A):
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


@ti.kernel
def column_sum(x: A, y: A):
    for j in range(x.shape[1]):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i, j]
        y[j] = total


@ti.kernel
def tree_sum(x: A, y: A):
    for block in range(y.shape[0]):
        total = 0.0
        for i in range(block * BLOCK, min((block + 1) * BLOCK, x.shape[0])):
            total += x[i]
        y[block] = total


@ti.kernel
def histogram(x: A, counts: A):
    for i in range(256):
        counts[i] = 0
    for i in range(x.shape[0]):
        counts[ti.cast(x[i], ti.i32)] += 1


@ti.kernel
def transpose(x: A, y: A):
    for i, j in ti.ndrange(y.shape[0], y.shape[1]):
        y[i, j] = x[j, i]


@ti.kernel
def stencil(x: A, y: A):
    for i, j in ti.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        y[i, j] = 0.5 * x[i, j] + 0.125 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


@ti.kernel
def conv2d(x: A, w: A, y: A):
    for b, f, i, j in ti.ndrange(y.shape[0], y.shape[1], y.shape[2], y.shape[3]):
        total = 0.0
        for c in range(w.shape[1]):
            for p in range(w.shape[2]):
                for q in range(w.shape[3]):
                    total += x[b, c, i + p, j + q] * w[f, c, p, q]
        y[b, f, i, j] = total


@ti.kernel
def depthwise(x: A, w: A, y: A):
    for b, c, i, j in ti.ndrange(y.shape[0], y.shape[1], y.shape[2], y.shape[3]):
        total = 0.0
        for p in range(w.shape[1]):
            for q in range(w.shape[2]):
                total += x[b, c, i + p, j + q] * w[c, p, q]
        y[b, c, i, j] = total


@ti.kernel
def attention(q: A, k: A, v: A, s: A, y: A):
    for i, j in ti.ndrange(q.shape[0], q.shape[0]):
        total = 0.0
        for d in range(q.shape[1]):
            total += q[i, d] * k[j, d]
        s[i, j] = total / ti.sqrt(ti.cast(q.shape[1], ti.f32))
    for i in range(q.shape[0]):
        top = s[i, 0]
        for j in range(q.shape[0]):
            top = max(top, s[i, j])
        total = 0.0
        for j in range(q.shape[0]):
            s[i, j] = ti.exp(s[i, j] - top)
            total += s[i, j]
        for j in range(q.shape[0]):
            s[i, j] /= total
    for i, d in ti.ndrange(y.shape[0], y.shape[1]):
        total = 0.0
        for j in range(q.shape[0]):
            total += s[i, j] * v[j, d]
        y[i, d] = total


@ti.kernel
def nbody(position: A, mass: A, force: A):
    for i in range(position.shape[0]):
        p = ti.Vector([position[i, 0], position[i, 1], position[i, 2]])
        f = ti.Vector([0.0, 0.0, 0.0])
        for j in range(position.shape[0]):
            d = ti.Vector([position[j, 0], position[j, 1], position[j, 2]]) - p
            square = d.dot(d) + 0.01
            f += d * (mass[j] / (square * ti.sqrt(square)))
        force[i, 0], force[i, 1], force[i, 2] = f[0], f[1], f[2]


@ti.kernel
def mandelbrot(xs: A, ys: A, out: A):
    for row, col in ti.ndrange(out.shape[0], out.shape[1]):
        x, y, n = 0.0, 0.0, 0
        while n < 100 and x * x + y * y <= 4.0:
            x, y = x * x - y * y + xs[col], 2.0 * x * y + ys[row]
            n += 1
        out[row, col] = n


@ti.func
def below(d):
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * ti.exp(-0.5 * d * d) * poly
    return ti.select(d > 0, 1.0 - tail, tail)


@ti.kernel
def black_scholes(price: A, strike: A, years: A, call: A, put: A):
    for i in range(price.shape[0]):
        s, k, t = price[i], strike[i], years[i]
        root = 0.3 * ti.sqrt(t)
        d1 = (ti.log(s / k) + (0.02 + 0.045) * t) / root
        d2 = d1 - root
        later = k * ti.exp(-0.02 * t)
        call[i] = s * below(d1) - later * below(d2)
        put[i] = later * below(-d2) - s * below(-d1)


@ti.kernel
def scan(x: A, y: A):
    for block in range((x.shape[0] + BLOCK - 1) // BLOCK):
        total = 0.0
        for i in range(block * BLOCK, min((block + 1) * BLOCK, x.shape[0])):
            total += x[i]
            y[i] = total
