"""Two ten-line kernels, two additions and a GEMM, for startup.py."""
import pyasc


@pyasc.jit
def first(x, out, n):
    i = pyasc.get_global_id()
    s = 0.0
    for j in range(n):
        if x[i] > j:
            s += pyasc.exp(x[i] - j)
        else:
            s -= 1.0
    out[i] = s


@pyasc.jit
def second(x, out, n):
    i = pyasc.get_global_id()
    s = 1.0
    for j in range(n):
        if x[i] < j:
            s += pyasc.sqrt(x[i] + j)
        else:
            s -= x[i]
    out[i] = s


@pyasc.jit
def add(x, y, out):
    i = pyasc.get_global_id()
    out[i] = x[i] + y[i]


@pyasc.jit
def loop(x, y, out):
    for i in range(out.shape[0]):
        out[i] = x[i] + y[i]


@pyasc.jit
def gemm(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
