"""out = a * x + y; x has a negative stride, and is not copied."""
import numpy as np
import pyasc

SIZE, SMALL = (1_000_000,), (100_000,)


@pyasc.jit
def saxpy(a, x, y, out):
    i = pyasc.get_global_id()
    out[i] = a * x[i] + y[i]


def plain(a, x, y, out):
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]


def data(rng, n):
    x = rng.standard_normal(2 * n, np.float32)[::-2]  # a negative stride
    return 0.5, x, rng.standard_normal(n, np.float32), np.zeros(n, np.float32)


launch = saxpy


def check(a, x, y, out):
    return np.allclose(out, np.float32(a) * x + y, rtol=1e-6, atol=1e-6)


def work(n):
    return n


if __name__ == "__main__":
    import table
    table.main(["saxpy"])
