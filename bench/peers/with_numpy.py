"""The kernels in NumPy, as its users write them. A function writes its outputs or returns them."""
import numpy as np

BLOCK = 256


def scale(x, a, y):
    np.multiply(x, np.float32(a), out=y)


def saxpy(a, x, y, z):
    np.multiply(x, np.float32(a), out=z)
    np.add(z, y, out=z)


def gemm_loops(a, b, c):
    np.matmul(a, b, out=c)


gemm_item = gemm_shared = gemm_loops


def gemm_bf16(a, b, c):
    np.matmul(a.astype(np.float32), b.astype(np.float32), out=c)


def gemm_int8(a, b, c):
    np.matmul(a, b, out=c, dtype=np.int32)


def softmax_loops(x, y):
    np.subtract(x, x.max(1, keepdims=True), out=y)
    np.exp(y, out=y)
    y /= y.sum(1, keepdims=True)


softmax_item = softmax_loops


def layernorm(x, gain, bias, y):
    d = x - x.mean(1, keepdims=True)
    d *= gain / np.sqrt((d * d).mean(1, keepdims=True) + np.float32(1e-5))
    np.add(d, bias, out=y)


def gelu(x, y):
    np.multiply(0.5 * x, 1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)), out=y)


def row_sum(x, y):
    x.sum(1, out=y)


def column_sum(x, y):
    x.sum(0, out=y)


def in_blocks(x):
    return x.reshape(-1, BLOCK) if len(x) % BLOCK == 0 else np.pad(x, (0, -len(x) % BLOCK)).reshape(-1, BLOCK)


def tree_sum(x, y):
    in_blocks(x).sum(1, out=y)


def histogram(x, counts):
    return np.bincount(x, minlength=256)


def transpose(x, y):
    y[:] = x.T


def stencil(x, y):
    y[1:-1, 1:-1] = 0.5 * x[1:-1, 1:-1] + 0.125 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def windows(x, w):
    return np.lib.stride_tricks.sliding_window_view(x, w.shape[-2:], (2, 3))


def conv2d(x, w, y):
    columns = windows(x, w).transpose(0, 2, 3, 1, 4, 5).reshape(-1, w[0].size)
    b, f, i, j = y.shape
    y[:] = (columns @ w.reshape(f, -1).T).reshape(b, i, j, f).transpose(0, 3, 1, 2)


def depthwise(x, w, y):
    y[:] = 0
    for p in range(w.shape[1]):
        for q in range(w.shape[2]):
            y += x[:, :, p:p + y.shape[2], q:q + y.shape[3]] * w[None, :, p, q, None, None]


def attention(q, k, v, s, y):
    np.matmul(q, k.T, out=s)
    s /= np.float32(np.sqrt(q.shape[1]))
    softmax_loops(s, s)
    np.matmul(s, v, out=y)


def nbody(position, mass, force):
    for at in range(0, len(position), 64):
        d = position[None] - position[at:at + 64, None]
        square = (d * d).sum(2) + np.float32(0.01)
        force[at:at + 64] = (d * (mass / (square * np.sqrt(square)))[..., None]).sum(1)


def mandelbrot(xs, ys, out):
    x, y = np.zeros(out.shape, np.float32), np.zeros(out.shape, np.float32)
    out[:] = 0
    for _ in range(100):
        live = x * x + y * y <= 4
        x, y = np.where(live, x * x - y * y + xs, x), np.where(live, 2 * x * y + ys[:, None], y)
        np.add(out, live, out=out)


def below(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * np.exp(-0.5 * d * d) * poly
    return np.where(d > 0, 1 - tail, tail)


def black_scholes(s, k, t, call, put):
    root = 0.3 * np.sqrt(t)
    d1 = (np.log(s / k) + (0.02 + 0.045) * t) / root
    d2, later = d1 - root, k * np.exp(-0.02 * t)
    np.subtract(s * below(d1), later * below(d2), out=call)
    np.subtract(later * below(-d2), s * below(-d1), out=put)


def scan(x, y):
    np.cumsum(x.reshape(-1, BLOCK), axis=1, out=y.reshape(-1, BLOCK))
