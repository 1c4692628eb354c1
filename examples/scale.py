"""y = a * x: one work-item per element; the domain is read off `y[i]`."""
import numpy as np
import pyasc

SIZE, SMALL = (1_000_000,), (100_000,)


@pyasc.jit
def scale(x, y, a):
    i = pyasc.get_global_id()
    y[i] = a * x[i]


def plain(x, y, a):
    for i in range(len(x)):
        y[i] = a * x[i]


def data(rng, n):
    return rng.standard_normal(n, np.float32), np.zeros(n, np.float32), 2.5


launch = scale


def check(x, y, a):
    return np.array_equal(y, np.float32(a) * x)


def work(n):
    return n


if __name__ == "__main__":
    import table
    table.main(["scale"])
