"""Plain loops whose iterations touch places of their own: on all threads and in vectors, with Python's results."""
import numpy as np
import pytest

import pyasc

SIZES = [0, 1, 2, 7, 16, 17, 63, 64, 65, 100, 1023, 1025, 3001]


def spread(kernel, *args):
    text = kernel.ir(*args, stage="spread")
    return "parallel" in text, "simd" in text


def plain(kernel):
    return kernel.__wrapped__


@pyasc.kernel
def saxpy(a, x, y):
    for i in range(y.shape[0]):
        y[i] = a * x[i] + y[i]


@pyasc.kernel
def shifted(a, x, y):
    for i in range(2, y.shape[0] - 1):
        y[i + 1] = x[i - 2] * a + y[i + 1]


@pyasc.kernel
def chain(a, x, y):  # each element from the one before
    for i in range(1, y.shape[0]):
        y[i] = a * y[i - 1] + x[i]


@pyasc.kernel
def both(a, x, y):  # two iterations store to one place
    for i in range(y.shape[0] - 1):
        y[i] = x[i] * a
        y[i + 1] = x[i] + 1


@pyasc.kernel
def last(a, x, y):  # what the last iteration sets is used
    t = a
    for i in range(y.shape[0]):
        t = x[i]
        y[i] = t * 2
    if y.shape[0] > 0:
        y[0] = t


@pyasc.kernel
def until(a, x, y):  # ends in the middle
    for i in range(y.shape[0]):
        if x[i] > 2:
            break
        y[i] = a


@pytest.mark.parametrize("kernel, wanted", [(saxpy, True), (shifted, True), (chain, False), (both, False), (last, False), (until, False)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_single_loops(kernel, wanted, dtype):
    rng = np.random.default_rng(1)
    for n in SIZES:
        x = (rng.standard_normal(n) * 1.5).astype(dtype)
        y, want = np.ones(n, dtype), np.ones(n, dtype)
        kernel(dtype(1) if dtype == np.int32 else 0.5, x, y)
        with np.errstate(over="ignore"):
            plain(kernel)(dtype(1) if dtype == np.int32 else dtype(0.5), x, want)
        np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-5)
    assert spread(kernel, 0.5, x, y)[0] == wanted


def test_overlapping_arguments_keep_pythons_order():
    x = np.arange(5000, dtype=np.float32)
    saxpy(1.0, x[:-1], x[1:])
    want = np.cumsum(np.arange(5000, dtype=np.float64))
    np.testing.assert_allclose(x, want, rtol=1e-5)


@pyasc.kernel
def columns(x, out):
    for j in range(x.shape[1]):
        low, total, count = x[0, j], 0.0, 0
        for i in range(x.shape[0]):
            total += x[i, j]
            low = min(low, x[i, j])
            if x[i, j] > 0:
                count += 1
        out[0, j] = total
        out[1, j] = low
        out[2, j] = count


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_loops_with_loops_inside_go_across_vectors(dtype):
    rng = np.random.default_rng(2)
    for m, n in [(5, 0), (1, 1), (3, 5), (17, 64), (40, 65), (7, 1000), (100, 31)]:
        x, out = rng.standard_normal((m, n)).astype(dtype), np.full((3, n), np.nan, dtype)
        columns(x, out)
        np.testing.assert_allclose(out, [x.sum(0), x.min(0), (x > 0).sum(0)], rtol=1e-4, atol=1e-4)
        wide = np.full((3, 2 * n), np.nan, dtype)
        columns(x[::-1], wide[:, ::2])
        np.testing.assert_allclose(wide[:, ::2], out, rtol=1e-4, atol=1e-4)
        assert np.isnan(wide[:, 1::2]).all()
    assert spread(columns, x, out) == (True, True)


@pyasc.kernel
def depthwise(x, w, y):
    for c in range(y.shape[0]):
        for p in range(y.shape[1]):
            for q in range(y.shape[2]):
                s = 0.0
                for r in range(w.shape[1]):
                    for t in range(w.shape[2]):
                        h, v = p + r - 1, q + t - 1
                        if h < 0 or h >= x.shape[1] or v < 0 or v >= x.shape[2]:
                            continue
                        s += x[c, h, v] * w[c, r, t]
                y[c, p, q] = s


def test_depthwise_convolution():
    rng = np.random.default_rng(3)
    for c, h, v in [(1, 1, 1), (3, 9, 11), (5, 20, 33), (2, 16, 64)]:
        x, w = rng.standard_normal((c, h, v)).astype(np.float32), rng.standard_normal((c, 3, 3)).astype(np.float32)
        y = np.full((c, h, v), np.nan, np.float32)
        depthwise(x, w, y)
        views = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1))), (3, 3), (1, 2))
        np.testing.assert_allclose(y, np.einsum("cpqrt,crt->cpq", views, w), rtol=1e-4, atol=1e-4)
    assert spread(depthwise, x, w, y) == (True, True)


@pyasc.kernel
def escape(out, limit):
    for r in range(out.shape[0]):
        for c in range(out.shape[1]):
            x0, y0 = -2.0 + 3.0 * c / out.shape[1], -1.0 + 2.0 * r / out.shape[0]
            x, y, n = 0.0, 0.0, 0
            while x * x + y * y <= 4.0:
                if n == limit:
                    break
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                n += 1
            out[r, c] = n


def test_loops_whose_lanes_part():
    out, want = np.zeros((31, 47), np.int32), np.zeros((31, 47), np.int32)
    escape(out, 50)
    plain(escape)(want, 50)
    assert (out != want).mean() < 0.01  # float32 parts from float64 on the edge
    assert spread(escape, out, 50) == (True, True)


def test_scratch_of_an_iteration():
    @pyasc.kernel
    def median(x, out):
        for j in range(out.shape[0]):
            t = pyasc.local(5)
            for k in range(5):
                t[k] = x[k, j]
            for k in range(5):
                for m in range(4 - k):
                    if t[m] > t[m + 1]:
                        t[m], t[m + 1] = t[m + 1], t[m]
            out[j] = t[2]

    rng = np.random.default_rng(4)
    for n in SIZES:
        x, out = rng.standard_normal((5, n)).astype(np.float32), np.zeros(n, np.float32)
        median(x, out)
        assert np.array_equal(out, np.sort(x, 0)[2])


def test_steps_in_order_with_rows_beside_each_other():
    @pyasc.kernel
    def heat(a, b, steps):
        for _ in range(steps):
            for i in range(1, a.shape[0] - 1):
                for j in range(1, a.shape[1] - 1):
                    b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
            for i in range(1, a.shape[0] - 1):
                for j in range(1, a.shape[1] - 1):
                    a[i, j] = b[i, j]

    a = np.random.default_rng(5).standard_normal((70, 90)).astype(np.float32)
    got, b = a.copy(), np.zeros_like(a)
    heat(got, b, 9)
    for _ in range(9):
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    np.testing.assert_allclose(got, a, rtol=1e-4, atol=1e-5)
    assert spread(heat, got, b, 9)[0]


def test_what_may_meet_stays_in_order():
    @pyasc.kernel
    def scatter(x, at, y):
        for i in range(x.shape[0]):
            y[at[i]] = x[i]

    @pyasc.kernel
    def in_place(y):  # rows from the row above
        for i in range(1, y.shape[0]):
            for j in range(y.shape[1]):
                y[i, j] = y[i, j] + y[i - 1, j]

    @pyasc.kernel
    def backwards(y):  # -1 is the last: two iterations, one place
        for i in range(-3, 3):
            y[i] = i

    rng = np.random.default_rng(6)
    at = rng.integers(0, 50, 3000)
    x, y, want = rng.standard_normal(3000).astype(np.float32), np.zeros(50, np.float32), np.zeros(50, np.float32)
    scatter(x, at, y)
    plain(scatter)(x, at, want)
    assert np.array_equal(y, want) and not spread(scatter, x, at, y)[0]
    y = rng.standard_normal((40, 3000)).astype(np.float32)
    want = np.cumsum(y.astype(np.float64), 0)
    in_place(y)
    np.testing.assert_allclose(y, want, rtol=1e-3, atol=1e-4)
    y = np.zeros(6, np.int32)
    backwards(y)
    assert y.tolist() == [0, 1, 2, -3, -2, -1] and not spread(backwards, y)[0]


def test_one_thread_where_that_is_asked_for():
    @pyasc.jit(parallel=False)
    def alone(x, y):
        for i in range(y.shape[0]):
            y[i] = x[i] + 1

    x, y = np.arange(5000, dtype=np.float32), np.zeros(5000, np.float32)
    alone(x, y)
    assert np.array_equal(y, x + 1)


def test_explain_names_what_was_seen_and_why_not():
    @pyasc.kernel
    def three(a, b, c, y):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = 0.0
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                c[i, j] = s
        for i in range(1, y.shape[0]):
            y[i] = y[i - 1] + 1
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                for k in range(i):
                    c[i, j] += a[i, k] * b[k, j]

    a = np.zeros((20, 20), np.float32)
    first = three.__wrapped__.__code__.co_firstlineno
    lines = three.explain(a, a, a.copy(), a[0].copy()).splitlines()
    assert lines[0] == (f"line {first + 2}: a contraction (rows i, columns j, summed over k): packed and blocked for registers, "
                        "on all threads")
    assert f"line {first + 8}: loop i: on one thread: another iteration may touch what is stored (line {first + 9})" in lines
    assert f"line {first + 10}: loops i, j, k: no contraction: the bounds of a loop depend on those around it" in lines
    assert f"line {first + 10}: loop i: on all threads, where that pays" in lines
    assert sum("no contraction" in line for line in lines) == 1

    @pyasc.jit
    def item(a, b, c):
        i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
        s = 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s

    assert "a contraction (rows id 1, columns id 0, summed over k)" in item.explain(a, a, a.copy())


@pyasc.kernel
def rows_to_columns(x, y):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x[j, i]


@pyasc.kernel
def columns_to_rows(x, y):
    for i in range(1, x.shape[0]):
        for j in range(2, x.shape[1] - 1):
            y[j, i] = x[i, j]


@pyasc.kernel
def permuted(x, y):
    for b in range(x.shape[0]):
        for c in range(x.shape[1]):
            for h in range(x.shape[2]):
                for w in range(x.shape[3]):
                    y[b, h, w, c] = x[b, c, h, w]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint64, np.int16])
def test_transposes(dtype):
    for m, n in [(0, 3), (3, 0), (1, 1), (2, 9), (16, 16), (17, 33), (31, 8), (100, 257), (64, 129)]:
        x = (np.arange(m * n).reshape(m, n) % 30011).astype(dtype)
        y = np.full((n, m), 7, dtype)
        rows_to_columns(x, y)
        assert np.array_equal(y, x.T)
        y[:], want = 7, np.full((n, m), 7, dtype)
        want[2:-1, 1:] = x.T[2:-1, 1:]
        columns_to_rows(x, y)
        assert np.array_equal(y, want)
        y[:] = 7
        rows_to_columns(x[:, ::-1], y)
        assert np.array_equal(y, x[:, ::-1].T)
        wide = np.full((n, 2 * m + 1), 7, dtype)
        rows_to_columns(x, wide[:, :m])
        assert np.array_equal(wide[:, :m], x.T) and (wide[:, m:] == 7).all()
    if np.dtype(dtype).itemsize >= 4:
        assert "transpose" in rows_to_columns.ir(x, y, stage="spread") and "squares" in rows_to_columns.explain(x, y)


def test_transposes_of_more_dimensions_and_in_place():
    x = np.random.default_rng(8).standard_normal((2, 19, 5, 40)).astype(np.float32)
    y = np.zeros((2, 5, 40, 19), np.float32)
    permuted(x, y)
    assert np.array_equal(y, x.transpose(0, 2, 3, 1))
    square = np.arange(900, dtype=np.float32).reshape(30, 30)
    want = square.copy()
    rows_to_columns(square, square)
    plain(rows_to_columns)(want, want)
    assert np.array_equal(square, want)
