"""out = x transposed: one work-item per element."""
import numpy as np
import pyasc

SIZE, SMALL = (1000, 1500), (200, 300)


@pyasc.jit
def transpose(x, out):
    row = pyasc.get_row()
    col = pyasc.get_col()
    out[row, col] = x[col, row]


def plain(x, out):
    for row in range(len(out)):
        for col in range(len(out[0])):
            out[row][col] = x[col][row]


def data(rng, m, n):
    return rng.standard_normal((m, n), np.float32), np.zeros((n, m), np.float32)


launch = transpose


def check(x, out):
    return np.array_equal(out, x.T)


def work(m, n):
    return m * n


if __name__ == "__main__":
    import table
    table.main(["transpose"])
