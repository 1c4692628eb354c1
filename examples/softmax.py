"""Softmax of each row: `get_row` alone makes a domain of rows."""
import math

import numpy as np
import pyasc

SIZE, SMALL = (4096, 512), (64, 512)


@pyasc.jit
def softmax(x, y):
    row = pyasc.get_row()
    top = x[row, 0]
    for j in range(x.shape[1]):
        top = pyasc.max(top, x[row, j])
    total = 0.0
    for j in range(x.shape[1]):
        total += pyasc.exp(x[row, j] - top)
    for j in range(x.shape[1]):
        y[row, j] = pyasc.exp(x[row, j] - top) / total


def plain(x, y):
    for row in range(len(x)):
        top = x[row][0]
        for j in range(len(x[row])):
            top = max(top, x[row][j])
        total = 0.0
        for j in range(len(x[row])):
            total += math.exp(x[row][j] - top)
        for j in range(len(x[row])):
            y[row][j] = math.exp(x[row][j] - top) / total


def data(rng, m, n):
    return 4 * rng.standard_normal((m, n), np.float32), np.zeros((m, n), np.float32)


launch = softmax


def check(x, y):
    e = np.exp(x - x.max(1, keepdims=True))
    return np.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)


def work(m, n):
    return m * n


if __name__ == "__main__":
    import table
    table.main(["softmax"])
