"""C = A B: one work-item per element of C."""
import numpy as np
import pyasc

SIZE, SMALL = (512, 512, 512), (64, 64, 64)


@pyasc.jit
def gemm(c, a, b):
    row = pyasc.get_row()
    col = pyasc.get_col()
    total = 0.0
    for k in range(a.shape[1]):
        total += a[row, k] * b[k, col]
    c[row, col] = total


def plain(c, a, b):
    for row in range(len(c)):
        for col in range(len(c[0])):
            total = 0.0
            for k in range(len(b)):
                total += a[row][k] * b[k][col]
            c[row][col] = total


def data(rng, m, n, k):
    normal = lambda *s: rng.standard_normal(s, np.float32)
    return np.zeros((m, n), np.float32), normal(m, k), normal(k, n)


launch = gemm


def check(c, a, b):
    return np.allclose(c, a @ b, rtol=1e-3, atol=1e-3)


def work(m, n, k):
    return m * n * k


if __name__ == "__main__":
    import table
    table.main(["gemm"])
