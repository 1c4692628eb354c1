"""The sum of each 256 numbers: a tree in shared memory, a barrier at each level."""
import numpy as np
import pyasc

SIZE, SMALL = (1_000_000,), (100_000,)


@pyasc.jit
def reduction(x, sums):
    tile = pyasc.shared(256)
    t = pyasc.get_local_id()
    i = pyasc.get_global_id()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        pyasc.syncthreads()
        step //= 2
    if t == 0:
        sums[pyasc.get_group_id()] = tile[0]


def plain(x, sums):
    for block in range(len(sums)):
        total = 0.0
        for i in range(256 * block, min(256 * block + 256, len(x))):
            total += x[i]
        sums[block] = total


def data(rng, n):
    return rng.standard_normal(n, np.float32), np.zeros(-(-n // 256), np.float32)


def launch(x, sums):
    reduction[len(sums), 256](x, sums)


def check(x, sums):
    padded = np.zeros(256 * len(sums))
    padded[: len(x)] = x
    return np.allclose(sums, padded.reshape(-1, 256).sum(1), rtol=1e-4, atol=1e-4)


def work(n):
    return n


if __name__ == "__main__":
    import table
    table.main(["reduction"])
