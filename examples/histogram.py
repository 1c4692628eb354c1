"""Counts of each byte value: atomics in shared memory, then one atomic per block and value in global memory."""
import numpy as np
import pyasc

SIZE, SMALL = (1_000_000,), (100_000,)


@pyasc.jit
def histogram(x, counts):
    part = pyasc.shared(256, dtype=pyasc.int32)
    t = pyasc.get_local_id()
    i = pyasc.get_global_id()
    while i < x.shape[0]:
        pyasc.atomic_add(part, x[i], 1)
        i += pyasc.get_global_size()
    pyasc.syncthreads()
    pyasc.atomic_add(counts, t, part[t])


def plain(x, counts):
    for i in range(len(x)):
        counts[x[i]] += 1


def data(rng, n):
    return rng.integers(0, 256, n).astype(np.uint8), np.zeros(256, np.int32)


def launch(x, counts):
    counts[:] = 0
    histogram[64, 256](x, counts)


def check(x, counts):
    return np.array_equal(counts, np.bincount(x, minlength=256))


def work(n):
    return n


if __name__ == "__main__":
    import table
    table.main(["histogram"])
