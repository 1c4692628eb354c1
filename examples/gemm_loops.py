"""C = A B as three plain loops: no index function, so the kernel runs once."""
import numpy as np
import pyasc

SIZE, SMALL = (256, 256, 256), (64, 64, 64)


@pyasc.jit
def gemm_loops(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def plain(c, a, b):
    for i in range(len(c)):
        for j in range(len(c[0])):
            total = 0.0
            for k in range(len(b)):
                total += a[i][k] * b[k][j]
            c[i][j] = total


def data(rng, m, n, k):
    normal = lambda *s: rng.standard_normal(s, np.float32)
    return np.zeros((m, n), np.float32), normal(m, k), normal(k, n)


launch = gemm_loops


def check(c, a, b):
    return np.allclose(c, a @ b, rtol=1e-3, atol=1e-3)


def work(m, n, k):
    return m * n * k


if __name__ == "__main__":
    import table
    table.main(["gemm_loops"])
