"""The kernels of bench/kernels.py in pyasc, as a newcomer writes them. Arguments as in cases.py: outputs come last."""
import pyasc

TILE, BLOCK = 16, 256


@pyasc.kernel
def scale(x, a, y):
    i = pyasc.get_global_id()
    y[i] = a * x[i]


@pyasc.kernel
def saxpy(a, x, y, z):
    for i in range(x.shape[0]):
        z[i] = a * x[i] + y[i]


@pyasc.kernel
def gemm_loops(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@pyasc.kernel
def gemm_item(a, b, c):
    i, j = pyasc.get_row(), pyasc.get_col()
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@pyasc.kernel
def gemm_tiles(a, b, c):
    ta, tb = pyasc.shared((TILE, TILE)), pyasc.shared((TILE, TILE))
    r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
    i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
    m, n, depth = c.shape[0], c.shape[1], a.shape[1]
    total = 0.0
    for start in range(0, depth, TILE):
        ta[r, q] = a[i, start + q] if i < m and start + q < depth else 0.0
        tb[r, q] = b[start + r, j] if start + r < depth and j < n else 0.0
        pyasc.syncthreads()
        for k in range(TILE):
            total += ta[r, k] * tb[k, q]
        pyasc.syncthreads()
    if i < m and j < n:
        c[i, j] = total


def gemm_shared(a, b, c):
    m, n = c.shape
    gemm_tiles[(-(-n // TILE), -(-m // TILE)), (TILE, TILE)](a, b, c)


@pyasc.kernel
def gemm_bf16(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@pyasc.kernel
def gemm_int8(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = pyasc.int32(0)
            for k in range(a.shape[1]):
                total += pyasc.int32(a[i, k]) * b[k, j]
            c[i, j] = total


@pyasc.kernel
def softmax_loops(x, y):
    for i in range(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            y[i, j] = pyasc.exp(x[i, j] - top)
            total += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total


@pyasc.kernel
def softmax_item(x, y):
    i = pyasc.get_row()
    top = x[i, 0]
    for j in range(x.shape[1]):
        top = max(top, x[i, j])
    total = 0.0
    for j in range(x.shape[1]):
        total += pyasc.exp(x[i, j] - top)
    for j in range(x.shape[1]):
        y[i, j] = pyasc.exp(x[i, j] - top) / total


@pyasc.kernel
def layernorm(x, gain, bias, y):
    n = x.shape[1]
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(n):
            total += x[i, j]
        mean = total / n
        squares = 0.0
        for j in range(n):
            squares += (x[i, j] - mean) ** 2
        inverse = 1.0 / pyasc.sqrt(squares / n + 1e-5)
        for j in range(n):
            y[i, j] = (x[i, j] - mean) * inverse * gain[j] + bias[j]


@pyasc.kernel
def gelu(x, y):
    i = pyasc.get_global_id()
    v = x[i]
    y[i] = 0.5 * v * (1.0 + pyasc.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))


@pyasc.kernel
def row_sum(x, y):
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


@pyasc.kernel
def column_sum(x, y):
    for j in range(x.shape[1]):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i, j]
        y[j] = total


@pyasc.kernel
def tree(x, y):
    tile = pyasc.shared(BLOCK)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        pyasc.syncthreads()
        step //= 2
    if t == 0:
        y[pyasc.get_group_id()] = tile[0]


def tree_sum(x, y):
    tree[len(y), BLOCK](x, y)


@pyasc.kernel
def counts_of_bytes(x, counts):
    part = pyasc.shared(256, dtype=pyasc.int32)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    while i < x.shape[0]:
        pyasc.atomic_add(part, x[i], 1)
        i += pyasc.get_global_size()
    pyasc.syncthreads()
    pyasc.atomic_add(counts, t, part[t])


def histogram(x, counts):
    counts.fill(0)
    counts_of_bytes[max(1, min(16, len(x) // 4096)), 256](x, counts)


@pyasc.kernel
def transpose_tiles(x, y):
    tile = pyasc.shared((TILE, TILE + 1))
    r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
    top, left = pyasc.get_group_id(1) * TILE, pyasc.get_group_id(0) * TILE
    if top + r < x.shape[0] and left + q < x.shape[1]:
        tile[r, q] = x[top + r, left + q]
    pyasc.syncthreads()
    if left + r < y.shape[0] and top + q < y.shape[1]:
        y[left + r, top + q] = tile[q, r]


def transpose(x, y):
    m, n = x.shape
    transpose_tiles[(-(-n // TILE), -(-m // TILE)), (TILE, TILE)](x, y)


@pyasc.kernel
def stencil(x, y):
    m, n = x.shape
    for i in range(1, m - 1):
        for j in range(1, n - 1):
            y[i, j] = 0.5 * x[i, j] + 0.125 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


@pyasc.kernel
def conv2d(x, w, y):
    for b in range(y.shape[0]):
        for f in range(y.shape[1]):
            for i in range(y.shape[2]):
                for j in range(y.shape[3]):
                    total = 0.0
                    for c in range(w.shape[1]):
                        for p in range(w.shape[2]):
                            for q in range(w.shape[3]):
                                total += x[b, c, i + p, j + q] * w[f, c, p, q]
                    y[b, f, i, j] = total


@pyasc.kernel
def depthwise(x, w, y):
    for b in range(y.shape[0]):
        for c in range(y.shape[1]):
            for i in range(y.shape[2]):
                for j in range(y.shape[3]):
                    total = 0.0
                    for p in range(w.shape[1]):
                        for q in range(w.shape[2]):
                            total += x[b, c, i + p, j + q] * w[c, p, q]
                    y[b, c, i, j] = total


@pyasc.kernel
def attention(q, k, v, s, y):
    n, width = q.shape
    for i in range(n):
        for j in range(n):
            total = 0.0
            for d in range(width):
                total += q[i, d] * k[j, d]
            s[i, j] = total / pyasc.sqrt(pyasc.float32(width))
    for i in range(n):
        top = s[i, 0]
        for j in range(n):
            top = max(top, s[i, j])
        total = 0.0
        for j in range(n):
            s[i, j] = pyasc.exp(s[i, j] - top)
            total += s[i, j]
        for j in range(n):
            s[i, j] /= total
    for i in range(n):
        for d in range(width):
            total = 0.0
            for j in range(n):
                total += s[i, j] * v[j, d]
            y[i, d] = total


@pyasc.kernel
def nbody(position, mass, force):
    i = pyasc.get_global_id()
    px, py, pz = position[i, 0], position[i, 1], position[i, 2]
    fx, fy, fz = 0.0, 0.0, 0.0
    for j in range(position.shape[0]):
        dx, dy, dz = position[j, 0] - px, position[j, 1] - py, position[j, 2] - pz
        square = dx * dx + dy * dy + dz * dz + 0.01
        pull = mass[j] / (square * pyasc.sqrt(square))
        fx += dx * pull
        fy += dy * pull
        fz += dz * pull
    force[i, 0], force[i, 1], force[i, 2] = fx, fy, fz


@pyasc.kernel
def mandelbrot(xs, ys, out):
    row, col = pyasc.get_row(), pyasc.get_col()
    x, y, n = 0.0, 0.0, 0
    while n < 100 and x * x + y * y <= 4.0:
        x, y = x * x - y * y + xs[col], 2.0 * x * y + ys[row]
        n += 1
    out[row, col] = n


def below(d):
    """The normal distribution's share below d (Abramowitz and Stegun 26.2.17)."""
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * pyasc.exp(-0.5 * d * d) * poly
    return 1.0 - tail if d > 0 else tail


@pyasc.kernel
def black_scholes(price, strike, years, call, put):
    i = pyasc.get_global_id()
    s, k, t = price[i], strike[i], years[i]
    root = 0.3 * pyasc.sqrt(t)
    d1 = (pyasc.log(s / k) + (0.02 + 0.045) * t) / root
    d2 = d1 - root
    later = k * pyasc.exp(-0.02 * t)
    call[i] = s * below(d1) - later * below(d2)
    put[i] = later * below(-d2) - s * below(-d1)


@pyasc.kernel
def scan_blocks(x, y):
    tile = pyasc.shared(BLOCK)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    step = 1
    while step < BLOCK:
        v = tile[t]
        if t >= step:
            v += tile[t - step]
        pyasc.syncthreads()
        tile[t] = v
        pyasc.syncthreads()
        step *= 2
    if i < x.shape[0]:
        y[i] = tile[t]


def scan(x, y):
    scan_blocks[-(-len(x) // BLOCK), BLOCK](x, y)
