"""`while` loops that count, grid-stride loops of work-items, and atomics in vectors."""
import numpy as np
import pytest

import pyasc

SIZES = [0, 1, 15, 16, 17, 255, 256, 257, 1000, 4097]


def has_loop(kernel, *args):
    return " loop " in kernel.ir(*args, stage="count")


@pyasc.kernel
def doubled(x, y):
    i = 0
    while i < x.shape[0]:
        y[i] = x[i] * 2
        i += 1


@pyasc.kernel
def inclusive(x, y):
    i, last, total = 0, x.shape[0] - 1, 0.0
    while last >= i:
        total += x[i]
        y[i] = total
        i = i + 3


@pyasc.kernel
def skipping(x, y):
    i = 0
    while i < x.shape[0]:
        if x[i] < 0:
            y[i] = -1
            i += 1
            continue
        if x[i] > 2:
            break
        y[i] = 1
        i += 1


@pyasc.kernel
def used_after(x, y):
    i = 0
    while i < x.shape[0] // 2:
        y[i] = 5
        i += 1
    if i < x.shape[0]:
        y[i] = 9


@pyasc.kernel
def moving_bound(x, y):
    i, n = 0, x.shape[0]
    while i < n:
        y[i] = n
        n -= 1
        i += 1


@pyasc.kernel
def two_steps(x, y):
    i = 0
    while i < x.shape[0]:
        y[i] = 3
        if x[i] > 0:
            i += 1
        i += 1


@pytest.mark.parametrize("kernel, counts", [(doubled, True), (inclusive, True), (skipping, False), (used_after, False),
                                            (moving_bound, False), (two_steps, False)])
def test_while_loops(kernel, counts):
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        y, want = np.zeros(n, np.float32), np.zeros(n, np.float32)
        kernel(x, y)
        kernel.__wrapped__(x, want)
        np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)
    assert has_loop(kernel, x, y) != counts


@pyasc.jit
def grid_stride(x, y, a):
    i = pyasc.get_global_id()
    while i < x.shape[0]:
        y[i] = a * x[i] + i
        i += pyasc.get_global_size()


@pyasc.jit
def grid_range(x, y, a):
    for i in range(pyasc.get_global_id(), x.shape[0], pyasc.get_global_size()):
        if x[i] == 100:
            continue
        y[i] = a * x[i] + i


@pyasc.jit
def grid_until(x, y, a):
    """Each work-item ends at its first element above 2."""
    i = 2 * pyasc.get_global_id()
    while i < x.shape[0]:
        if x[i] > 2:
            break
        y[i] = a * x[i] + i
        i += 64


@pytest.mark.parametrize("kernel", [grid_stride, grid_range])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_grid_stride_loops(kernel, dtype):
    for n in SIZES:
        x, y = (np.arange(n) % 97).astype(dtype), np.zeros(n, np.float64)
        for blocks, threads in [(1, 1), (1, 16), (3, 50), (2, 256)]:
            y[:] = np.nan
            kernel[blocks, threads](x, y, 3)
            assert np.array_equal(y, 3.0 * x + np.arange(n))


def test_grid_stride_loops_that_end_early():
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal(n) * 1.3
        y, want = np.zeros(n), np.zeros(n)
        grid_until[1, 32](x, y, 0.5)
        for t in range(32):
            for i in range(2 * t, n, 64):
                if x[i] > 2:
                    break
                want[i] = 0.5 * x[i] + i
        np.testing.assert_allclose(y, want, rtol=1e-6)


@pyasc.jit
def histogram(x, counts):
    part = pyasc.shared(64, dtype=pyasc.int32)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    while i < x.shape[0]:
        pyasc.atomic_add(part, x[i], 1)
        i += pyasc.get_global_size()
    pyasc.syncthreads()
    pyasc.atomic_add(counts, t, part[t])


@pyasc.jit
def ticket(x, order, count):
    i = pyasc.get_global_id()
    if i < x.shape[0]:
        if x[i] % 3 == 0:
            order[pyasc.atomic_add(count, 0, 1)] = i


def test_atomics_in_vectors():
    for n in SIZES:
        x = np.random.default_rng(n).integers(0, 64, n).astype(np.uint8)
        counts = np.zeros(64, np.int32)
        histogram[3, 64](x, counts)
        assert np.array_equal(counts, np.bincount(x, minlength=64))
        order, count = np.full(n + 1, -1, np.int64), np.zeros(1, np.int32)
        ticket.over(max(n, 1))(x, order, count)
        want = np.flatnonzero(x % 3 == 0)
        assert count[0] == want.size and np.array_equal(np.sort(order[:want.size]), want)
