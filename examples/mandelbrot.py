"""The Mandelbrot set: each work-item leaves its loop when its own point escapes."""
import numpy as np
import pyasc

SIZE, SMALL = (600, 900), (60, 90)
LIMIT = 100


@pyasc.jit
def mandelbrot(xs, ys, out):
    row = pyasc.get_row()
    col = pyasc.get_col()
    x = 0.0
    y = 0.0
    n = 0
    while n < LIMIT and x * x + y * y <= 4.0:
        x, y = x * x - y * y + xs[col], 2.0 * x * y + ys[row]
        n += 1
    out[row, col] = n


def plain(xs, ys, out):
    for row in range(len(ys)):
        for col in range(len(xs)):
            x = y = 0.0
            n = 0
            while n < LIMIT and x * x + y * y <= 4.0:
                x, y = x * x - y * y + xs[col], 2.0 * x * y + ys[row]
                n += 1
            out[row][col] = n


def data(rng, m, n):
    xs, ys = np.linspace(-2, 1, n, dtype=np.float32), np.linspace(-1, 1, m, dtype=np.float32)
    return xs, ys, np.zeros((m, n), np.int32)


launch = mandelbrot


def check(xs, ys, out):
    x = np.zeros(out.shape, np.float32)
    y, n = x.copy(), np.zeros(out.shape, np.int32)
    for _ in range(LIMIT):
        live = x * x + y * y <= 4
        x, y = np.where(live, x * x - y * y + xs, x), np.where(live, 2 * x * y + ys[:, None], y)
        n += live
    return np.array_equal(out, n)


def work(m, n):
    return m * n


if __name__ == "__main__":
    import table
    table.main(["mandelbrot"])
