"""The kernels in Warp on its CPU device, which has one thread; over arrays that share NumPy's memory."""
import numpy as np
import warp as wp

wp.config.log_level = wp.LOG_ERROR
V, M = wp.array(dtype=wp.float32), wp.array2d(dtype=wp.float32)
T3, T4 = wp.array3d(dtype=wp.float32), wp.array4d(dtype=wp.float32)
BLOCK = wp.constant(256)


def take(a):
    if not isinstance(a, np.ndarray):
        return a
    if a.dtype.name == "bfloat16":
        raise NotImplementedError("bfloat16")
    return wp.array(a, copy=False, device="cpu")


def give(a):
    return a.numpy()


def launched(dim):
    """A decorator: the kernel as a call, over the domain that `dim` reads off the arguments."""
    def wrap(function):
        kernel = wp.kernel(function, enable_backward=False, module="unique", module_options={"fast_math": True})
        return lambda *args: wp.launch(kernel, dim(*args), inputs=args, device="cpu")
    return wrap


def shape_of(k):
    return lambda *args: args[k].shape


def rows_of(k):
    return lambda *args: args[k].shape[0]


@launched(shape_of(0))
def scale(x: V, a: wp.float32, y: V):
    i = wp.tid()
    y[i] = a * x[i]


@launched(shape_of(1))
def saxpy(a: wp.float32, x: V, y: V, z: V):
    i = wp.tid()
    z[i] = a * x[i] + y[i]


@launched(shape_of(2))
def gemm_loops(a: M, b: M, c: M):
    i, j = wp.tid()
    total = float(0.0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


gemm_item = gemm_loops
EDGE = wp.constant(32)


def tiles_of(a, b, c):
    return c.shape[0] // EDGE, c.shape[1] // EDGE


@launched(tiles_of)
def gemm_shared(a: M, b: M, c: M):
    i, j = wp.tid()
    total = wp.tile_zeros(shape=(EDGE, EDGE), dtype=wp.float32)
    for k in range(a.shape[1] // EDGE):
        ta = wp.tile_load(a, shape=(EDGE, EDGE), offset=(i * EDGE, k * EDGE))
        tb = wp.tile_load(b, shape=(EDGE, EDGE), offset=(k * EDGE, j * EDGE))
        wp.tile_matmul(ta, tb, total)
    wp.tile_store(c, total, offset=(i * EDGE, j * EDGE))


@launched(shape_of(2))
def gemm_int8(a: wp.array2d(dtype=wp.int8), b: wp.array2d(dtype=wp.int8), c: wp.array2d(dtype=wp.int32)):
    i, j = wp.tid()
    total = int(0)
    for k in range(a.shape[1]):
        total += wp.int32(a[i, k]) * wp.int32(b[k, j])
    c[i, j] = total


@launched(rows_of(0))
def softmax_loops(x: M, y: M):
    i = wp.tid()
    top = float(x[i, 0])
    for j in range(x.shape[1]):
        top = wp.max(top, x[i, j])
    total = float(0.0)
    for j in range(x.shape[1]):
        v = wp.exp(x[i, j] - top)
        y[i, j] = v
        total += v
    for j in range(x.shape[1]):
        y[i, j] = y[i, j] / total


softmax_item = softmax_loops


@launched(rows_of(0))
def layernorm(x: M, gain: V, bias: V, y: M):
    i = wp.tid()
    total = float(0.0)
    for j in range(x.shape[1]):
        total += x[i, j]
    mean = total / float(x.shape[1])
    squares = float(0.0)
    for j in range(x.shape[1]):
        squares += (x[i, j] - mean) * (x[i, j] - mean)
    inverse = 1.0 / wp.sqrt(squares / float(x.shape[1]) + 1.0e-5)
    for j in range(x.shape[1]):
        y[i, j] = (x[i, j] - mean) * inverse * gain[j] + bias[j]


@launched(shape_of(0))
def gelu(x: V, y: V):
    i = wp.tid()
    v = x[i]
    y[i] = 0.5 * v * (1.0 + wp.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))


@launched(rows_of(0))
def row_sum(x: M, y: V):
    i = wp.tid()
    total = float(0.0)
    for j in range(x.shape[1]):
        total += x[i, j]
    y[i] = total


@launched(shape_of(1))
def column_sum(x: M, y: V):
    j = wp.tid()
    total = float(0.0)
    for i in range(x.shape[0]):
        total += x[i, j]
    y[j] = total


@launched(shape_of(1))
def tree_sum(x: V, y: V):
    block = wp.tid()
    total = float(0.0)
    for i in range(block * BLOCK, wp.min((block + 1) * BLOCK, x.shape[0])):
        total += x[i]
    y[block] = total


@launched(shape_of(0))
def counted(x: wp.array(dtype=wp.uint8), counts: wp.array(dtype=wp.int32)):
    wp.atomic_add(counts, wp.int32(x[wp.tid()]), 1)


def histogram(x, counts):
    counts.zero_()
    counted(x, counts)


@launched(shape_of(1))
def transpose(x: M, y: M):
    i, j = wp.tid()
    y[i, j] = x[j, i]


@launched(lambda x, y: (x.shape[0] - 2, x.shape[1] - 2))
def stencil(x: M, y: M):
    i, j = wp.tid()
    i += 1
    j += 1
    y[i, j] = 0.5 * x[i, j] + 0.125 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


@launched(shape_of(2))
def conv2d(x: T4, w: T4, y: T4):
    b, f, i, j = wp.tid()
    total = float(0.0)
    for c in range(w.shape[1]):
        for p in range(w.shape[2]):
            for q in range(w.shape[3]):
                total += x[b, c, i + p, j + q] * w[f, c, p, q]
    y[b, f, i, j] = total


@launched(shape_of(2))
def depthwise(x: T4, w: T3, y: T4):
    b, c, i, j = wp.tid()
    total = float(0.0)
    for p in range(w.shape[1]):
        for q in range(w.shape[2]):
            total += x[b, c, i + p, j + q] * w[c, p, q]
    y[b, c, i, j] = total


@launched(shape_of(3))
def scores(q: M, k: M, v: M, s: M, y: M):
    i, j = wp.tid()
    total = float(0.0)
    for d in range(q.shape[1]):
        total += q[i, d] * k[j, d]
    s[i, j] = total / wp.sqrt(float(q.shape[1]))


@launched(shape_of(4))
def mixed(q: M, k: M, v: M, s: M, y: M):
    i, d = wp.tid()
    total = float(0.0)
    for j in range(v.shape[0]):
        total += s[i, j] * v[j, d]
    y[i, d] = total


def attention(q, k, v, s, y):
    scores(q, k, v, s, y)
    softmax_loops(s, s)
    mixed(q, k, v, s, y)


@launched(rows_of(0))
def nbody(position: M, mass: V, force: M):
    i = wp.tid()
    p = wp.vec3(position[i, 0], position[i, 1], position[i, 2])
    f = wp.vec3()
    for j in range(position.shape[0]):
        d = wp.vec3(position[j, 0], position[j, 1], position[j, 2]) - p
        square = wp.dot(d, d) + 0.01
        f += d * (mass[j] / (square * wp.sqrt(square)))
    force[i, 0] = f[0]
    force[i, 1] = f[1]
    force[i, 2] = f[2]


@launched(shape_of(2))
def mandelbrot(xs: V, ys: V, out: wp.array2d(dtype=wp.int32)):
    row, col = wp.tid()
    x, y, n = float(0.0), float(0.0), int(0)
    while n < 100 and x * x + y * y <= 4.0:
        z = x * x - y * y + xs[col]
        y = 2.0 * x * y + ys[row]
        x = z
        n += 1
    out[row, col] = n


@wp.func
def below(d: wp.float32):
    k = 1.0 / (1.0 + 0.2316419 * wp.abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * wp.exp(-0.5 * d * d) * poly
    return wp.where(d > 0.0, 1.0 - tail, tail)


@launched(shape_of(0))
def black_scholes(price: V, strike: V, years: V, call: V, put: V):
    i = wp.tid()
    s, k, t = price[i], strike[i], years[i]
    root = 0.3 * wp.sqrt(t)
    d1 = (wp.log(s / k) + (0.02 + 0.045) * t) / root
    d2 = d1 - root
    later = k * wp.exp(-0.02 * t)
    call[i] = s * below(d1) - later * below(d2)
    put[i] = later * below(-d2) - s * below(-d1)


@launched(lambda x, y: (x.shape[0] + 255) // 256)
def scan(x: V, y: V):
    block = wp.tid()
    total = float(0.0)
    for i in range(block * BLOCK, wp.min((block + 1) * BLOCK, x.shape[0])):
        total += x[i]
        y[i] = total
