"""The example kernels, each with NumPy's answer and the same loops in plain Python."""
import numpy as np
import pyasc

BLOCK = 256


@pyasc.jit
def scale(x, out, a):
    i = pyasc.get_global_id()
    out[i] = x[i] * a


@pyasc.jit
def saxpy(x, y, out, a):
    i = pyasc.get_global_id()
    out[i] = a * x[i] + y[i]


@pyasc.jit
def gemm(a, b, out):
    row, col = pyasc.get_row(), pyasc.get_col()
    acc = 0.0
    for k in range(a.shape[1]):
        acc += a[row, k] * b[k, col]
    out[row, col] = acc


@pyasc.jit
def softmax(x, out):
    row = pyasc.get_row()
    top = x[row, 0]
    for j in range(x.shape[1]):
        top = max(top, x[row, j])
    total = 0.0
    for j in range(x.shape[1]):
        total += pyasc.exp(x[row, j] - top)
    for j in range(x.shape[1]):
        out[row, j] = pyasc.exp(x[row, j] - top) / total


@pyasc.jit
def block_sums(x, out):
    tile = pyasc.shared(BLOCK)
    i, t = pyasc.get_global_id(), pyasc.get_local_id()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        pyasc.syncthreads()
        half //= 2
    if t == 0:
        out[pyasc.get_group_id()] = tile[0]


@pyasc.jit
def block_scan(x, out):
    """Inclusive prefix sum of each block (Hillis and Steele)."""
    tile = pyasc.shared(BLOCK)
    i, t = pyasc.get_global_id(), pyasc.get_local_id()
    tile[t] = x[i]
    pyasc.syncthreads()
    step = 1
    while step < BLOCK:
        add = tile[t - step] if t >= step else 0.0
        pyasc.syncthreads()
        tile[t] += add
        pyasc.syncthreads()
        step *= 2
    out[i] = tile[t]


@pyasc.jit
def histogram(x, counts):
    i = pyasc.get_global_id()
    pyasc.atomic_add(counts, x[i], 1)


@pyasc.jit
def transpose(x, out):
    row, col = pyasc.get_row(), pyasc.get_col()
    out[row, col] = x[col, row]


@pyasc.kernel
def gemm_loops(a, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            acc = 0.0
            for k in range(a.shape[1]):
                acc += a[i, k] * b[k, j]
            out[i, j] = acc


@pyasc.kernel
def conv2d(x, w, out):
    for n in range(out.shape[0]):
        for o in range(out.shape[1]):
            for i in range(out.shape[2]):
                for j in range(out.shape[3]):
                    acc = 0.0
                    for c in range(x.shape[1]):
                        for p in range(w.shape[2]):
                            for q in range(w.shape[3]):
                                acc += x[n, c, i + p, j + q] * w[o, c, p, q]
                    out[n, o, i, j] = acc


@pyasc.jit
def mandelbrot(out, limit):
    row, col = pyasc.get_row(), pyasc.get_col()
    cr = col * 3.0 / out.shape[1] - 2.0
    ci = row * 2.0 / out.shape[0] - 1.0
    zr, zi, n = 0.0, 0.0, 0
    while n < limit and zr * zr + zi * zi <= 4.0:
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
        n += 1
    out[row, col] = n


def f32(*shape):
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)
