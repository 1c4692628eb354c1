"""Conditions of work-items that hold for a stretch of the row: interiors, guards that return early, borders with an else."""
import numpy as np
import pytest

import pyasc

SIZES = [0, 1, 2, 3, 15, 16, 17, 31, 33, 47, 131, 257, 1009]


@pyasc.jit
def three(out, x):
    i = pyasc.get_global_id()
    if i > 0 and i < out.shape[0] - 1:
        out[i] = x[i - 1] + 2 * x[i] + x[i + 1]


@pyasc.jit
def returns(out, x):
    i = pyasc.get_global_id()
    n = out.shape[0]
    if i == 0 or i >= n - 1:
        return
    out[i] = x[i - 1] + 2 * x[i] + x[i + 1]


@pyasc.jit
def returns_twice(out, x):
    i = pyasc.get_global_id()
    if i == 0:
        return
    if i == x.shape[0] - 1:
        return
    out[i] = x[i - 1] + 2 * x[i] + x[i + 1]


@pyasc.jit
def mirrored(out, x):
    i = pyasc.get_global_id()
    n = x.shape[0]
    if n - 1 <= i or 1 > i:
        return
    out[i] = x[i - 1] + 2 * x[i] + x[i + 1]


@pytest.mark.parametrize("kernel", [three, returns, returns_twice, mirrored])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "u1"])
def test_an_interior(kernel, dtype):
    for n in SIZES:
        for step in (1, 3):
            x = (np.arange(n * step) % 23).astype(dtype)[::step]
            out, want = np.full(n, 7, dtype), np.full(n, 7, dtype)
            want[1:-1] = x[:-2] + 2 * x[1:-1] + x[2:]
            kernel.over(n)(out, x)
            assert np.array_equal(out, want), (n, step)
    assert "gather" not in kernel.ir(out, x.copy())


def test_more_work_items_than_elements_and_conditions_that_end_within_a_row():
    for n in (1, 5, 40, 130):
        x = np.arange(n, dtype=np.float32)
        out, want = np.full(n, -1, np.float32), np.full(n, -1, np.float32)
        want[1:-1] = x[:-2] + 2 * x[1:-1] + x[2:]
        three.over(n + 77)(out, x)
        assert np.array_equal(out, want)


@pyasc.jit
def other_than(out, k):
    i = pyasc.get_global_id()
    if i != k and i != k + 20:
        out[i] += 1


@pyasc.jit
def only(out, k):
    i = pyasc.get_global_id()
    if i == k:
        out[i] = 10
    else:
        out[i] = i


def test_holes():
    for n in SIZES:
        for k in (-30, -1, 0, 1, 16, n // 2, n - 1, n, n + 3):
            out, want = np.zeros(n, np.int64), np.ones(n, np.int64)
            for hole in (k, k + 20):
                if 0 <= hole < n:
                    want[hole] = 0
            other_than.over(n)(out, k)
            assert np.array_equal(out, want), (n, k)
            want = np.arange(n)
            want[want == k] = 10
            only.over(n)(out, k)
            assert np.array_equal(out, want), (n, k)


@pyasc.jit
def five(out, x):
    r, c = pyasc.get_row(), pyasc.get_col()
    m, n = out.shape
    if 0 < r < m - 1 and 0 < c < n - 1:
        out[r, c] = x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1] - 4 * x[r, c]


@pyasc.jit
def five_else(out, x):
    r, c = pyasc.get_row(), pyasc.get_col()
    m, n = out.shape
    if r > 0 and r < m - 1 and c > 0 and c < n - 1:
        out[r, c] = x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1] - 4 * x[r, c]
    else:
        out[r, c] = 7


@pyasc.jit
def five_nested(out, x):
    r, c = pyasc.get_row(), pyasc.get_col()
    m, n = out.shape
    if r == 0 or r == m - 1:
        return
    if c >= 1:
        if c < n - 1:
            out[r, c] = x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1] - 4 * x[r, c]


@pyasc.jit
def five_parts(out, x):
    r, c = pyasc.get_row(), pyasc.get_col()
    m, n = out.shape
    total = -4 * x[r, c]
    if r > 0:
        total += x[r - 1, c]
    if r < m - 1:
        total += x[r + 1, c]
    if c > 0:
        total += x[r, c - 1]
    if c < n - 1:
        total += x[r, c + 1]
    out[r, c] = total


@pytest.mark.parametrize("kernel", [five, five_else, five_nested, five_parts])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_five_points(kernel, dtype):
    for m, n in [(0, 5), (1, 1), (2, 2), (3, 3), (5, 1), (1, 40), (3, 17), (7, 16), (31, 67), (64, 129)]:
        x = np.asfortranarray if (m + n) % 3 == 1 else np.ascontiguousarray
        x = x((np.arange(m * n) * 7 % 41).reshape(m, n).astype(dtype))
        out = np.full((m, n), 7, dtype)
        p = np.pad(x, 1) if m and n else np.zeros((m + 2, n + 2), dtype)
        want = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * x
        if kernel is not five_parts:
            inner = np.full((m, n), 7, dtype)
            inner[1:-1, 1:-1] = want[1:-1, 1:-1]
            want = inner
        kernel(out, x)
        assert np.array_equal(out, want), (m, n)


@pyasc.jit
def both_ends(out):
    i = pyasc.get_global_id()
    if i == 0:
        out[i] = -1
    if i == out.shape[0] - 1:
        out[i] = -2
    if i > 2 and i != 5:
        out[i] += i


@pyasc.jit
def shifted(out, a, b):
    i = pyasc.get_global_id()
    j = i - a
    if j >= 0 and j < b:
        out[i] = j
    elif j < 0:
        out[i] = -j
    else:
        out[i] = 1000 + j


@pyasc.jit
def within_loop(out, x):
    c = pyasc.get_global_id()
    total = 0.0
    for r in range(x.shape[0]):
        if c > r and c < x.shape[1] - r:
            total += x[r, c]
    if c > 1:
        out[c] = total


@pyasc.jit
def variable_guard(out, x, n):
    i = pyasc.get_global_id()
    if i < n * 2 - 3:
        out[i] = x[i] / 3


def test_several_conditions():
    for n in SIZES[1:]:
        out, want = np.zeros(n, np.int32), np.zeros(n, np.int32)
        want[0] = -1
        want[-1] = -2
        want[3:] += np.arange(3, n, dtype=np.int32)
        want[5:6] -= np.arange(5, n, dtype=np.int32)[:1]
        both_ends(out)
        assert np.array_equal(out, want), n
        for a in (-3, 0, 4, n - 1, n + 2):
            for b in (-1, 0, 5, n):
                j = np.arange(n) - a
                want = np.where((j >= 0) & (j < b), j, np.where(j < 0, -j, 1000 + j))
                shifted.over(n)(out, a, b)
                assert np.array_equal(out, want), (n, a, b)
        x = (np.arange(5 * n) % 11).reshape(5, n).astype(np.float32)
        sums = np.zeros(n, np.float32)
        want = sum(np.where((np.arange(n) > r) & (np.arange(n) < n - r), x[r], 0) for r in range(5))
        want[:2] = 0
        within_loop.over(n)(sums, x)
        assert np.array_equal(sums, want), n
        for k in (0, 1, 2, n // 2 + 1, (n + 3) // 2):
            y, z = np.full(n, -1, np.float32), np.arange(n, dtype=np.float32)
            variable_guard.over(n)(y, z, k)
            assert np.array_equal(y, np.where(np.arange(n) < 2 * k - 3, z / np.float32(3), -1)), (n, k)


def test_not_a_number_and_large_interiors():
    n = (16 << 20) // 4 + 37  # enough for stores beside the caches
    x = np.random.default_rng(0).random(n, np.float32)
    x[::1001] = np.nan
    out, want = np.full(n, 7, np.float32), np.full(n, 7, np.float32)
    want[1:-1] = x[:-2] + 2 * x[1:-1] + x[2:]
    three(out, x)
    assert np.array_equal(out, want, equal_nan=True)
