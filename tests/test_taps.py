"""Convolutions whose taps read one packed row: steps, gaps, orders of the loops, edges, and what only looks like one."""
import ml_dtypes
import numpy as np
import pytest

import pyasc
from test_convolve import chained, check, continued, item, reference


def made(shape, dtype=np.float32, seed=1):
    n, c, h, w, k, r, t = shape
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, c, h, w)).astype(dtype), rng.standard_normal((k, c, r, t)).astype(dtype)


#        batch, channels, height, width, filters, rows, columns
SHAPES = [(3, 5, 28, 33, 13, 3, 3), (2, 8, 16, 61, 12, 5, 5), (5, 17, 9, 9, 25, 3, 3), (1, 3, 64, 70, 14, 7, 7), (1, 4, 13, 97, 30, 1, 9),
          (1, 4, 97, 13, 30, 9, 1), (2, 6, 5, 40, 12, 5, 2), (1, 150, 12, 37, 16, 3, 3), (4, 40, 7, 7, 48, 7, 7), (1, 9, 2, 90, 24, 3, 4)]


@pytest.mark.parametrize("kernel", [chained, continued])
@pytest.mark.parametrize("stride, pad, gap", [(1, 1, 1), (2, 1, 1), (3, 3, 1), (4, 0, 1), (1, 2, 2), (1, 5, 3), (2, 2, 2), (2, 3, 3)])
def test_steps_and_gaps(kernel, stride, pad, gap):
    for shape in SHAPES:
        x, w = made(shape)
        if min(shape[2] - gap * (shape[5] - 1), shape[3] - gap * (shape[6] - 1)) + 2 * pad > 0:
            check(kernel, x, w, stride, pad, gap)


def test_work_items():
    for shape in SHAPES:
        x, w = made(shape)
        check(item, x, w, 1, 3, 1)
        check(item, x, w, 2, 3, 1)


def test_images_in_several_bands():
    x, w = made((1, 40, 130, 131, 13, 3, 3))
    check(chained, x, w, 1, 1, 1)
    check(chained, x, w, 2, 0, 1)
    x, w = made((2, 3, 40, 1500, 12, 3, 5))
    check(continued, x, w, 1, 2, 1)


def test_views_and_other_types():
    x, w = made((2, 10, 44, 50, 14, 3, 3), np.float64)
    check(chained, x, w, 1, 1, 1, 1e-13)
    check(chained, x[:, ::-2, ::-1, ::-1], w[::-1, ::2, :, ::-1], 1, 1, 1, 1e-13)
    check(chained, x[:, :, :, 3:40], w, 2, 1, 1, 1e-13)
    check(chained, np.asfortranarray(x), w, 2, 1, 1, 1e-13)
    x, w = made((1, 12, 30, 30, 16, 3, 3))
    for dtype in (np.float16, ml_dtypes.bfloat16):
        y = np.full((1, 16, 30, 30), np.nan, np.float32)
        chained(x.astype(dtype), w.astype(dtype), y, 1, 1, 1)
        want = reference(x.astype(dtype), w.astype(dtype), 1, 1, 1)
        np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32])
def test_integers_exactly(dtype):
    @pyasc.kernel
    def whole(x, w, y, stride, pad):
        for n in range(y.shape[0]):
            for k in range(y.shape[1]):
                for p in range(y.shape[2]):
                    for q in range(y.shape[3]):
                        s = 0
                        for c in range(x.shape[1]):
                            for r in range(w.shape[2]):
                                for t in range(w.shape[3]):
                                    h, v = p * stride + r - pad, q * stride + t - pad
                                    if 0 <= h < x.shape[2] and 0 <= v < x.shape[3]:
                                        s += x[n, c, h, v] * w[k, c, r, t]
                        y[n, k, p, q] = s

    rng, most = np.random.default_rng(3), np.iinfo(dtype)
    x = rng.integers(most.min, most.max, (2, 6, 20, 21), dtype, endpoint=True)
    w = rng.integers(most.min, most.max, (13, 6, 3, 3), dtype, endpoint=True)
    x[0, :, 3:7], w[4] = most.min, most.min
    for stride, pad in [(1, 0), (1, 1), (2, 1)]:
        padded = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::stride, ::stride]
        want = np.einsum("ncpqrt,kcrt->nkpq", views, w.astype(np.int64)).astype(np.int32)
        y = np.full(want.shape, 7, np.int32)
        with np.errstate(over="ignore"):
            whole(x, w, y, stride, pad)
        assert np.array_equal(y, want)


def test_one_dimension_of_any_length():
    @pyasc.kernel
    def line(x, w, y):
        for k in range(y.shape[0]):
            for q in range(y.shape[1]):
                for c in range(x.shape[0]):
                    for t in range(w.shape[2]):
                        y[k, q] += w[k, c, t] * x[c, t + q]

    rng = np.random.default_rng(4)
    for c, length, k, t in [(3, 500, 13, 8), (1, 40, 24, 31), (2, 600000, 12, 3), (5, 33, 12, 33), (70, 257, 12, 2)]:
        x, w = rng.standard_normal((c, length)).astype(np.float32), rng.standard_normal((k, c, t)).astype(np.float32)
        y = np.ones((k, length - t + 1), np.float32)
        line(x, w, y)
        want = 1 + np.einsum("cqt,kct->kq", np.lib.stride_tricks.sliding_window_view(x, t, 1), w, optimize=True)
        np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-3)


def test_loops_that_start_elsewhere_and_wrap():
    @pyasc.kernel
    def part(x, w, y, first):
        for k in range(y.shape[0]):
            for p in range(2, y.shape[1]):
                for q in range(3, y.shape[2] - 1):
                    s = 0.0
                    for r in range(1, w.shape[1]):
                        for c in range(x.shape[0]):
                            for t in range(w.shape[2]):
                                s += x[c, p + r, q + t - first] * w[k, r, t, c]
                    y[k, p, q] = s

    rng = np.random.default_rng(5)
    x, w = rng.standard_normal((7, 30, 40)).astype(np.float32), rng.standard_normal((14, 4, 3, 7)).astype(np.float32)
    for first in (0, 1, 4):  # the last counts columns from the end
        got, want = np.zeros((14, 26, 36), np.float32), np.zeros((14, 26, 36))
        part(x, w, got, first)
        turned = np.roll(x, first, 2)
        for r in range(1, 4):
            for t in range(3):
                want[:, 2:, 3:-1] += np.einsum("cpq,kc->kpq", turned[:, 2 + r:26 + r, 3 + t:35 + t], w[:, r, t])
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_what_is_no_tap():
    """The factor is of the column in another way, too: or of two sums that differ."""
    @pyasc.kernel
    def weighed(x, w, y, m):
        for k in range(y.shape[0]):
            for q in range(y.shape[1]):
                s = 0.0
                for c in range(x.shape[0]):
                    for t in range(w.shape[2]):
                        s += (x[c, q + t] * m[q]) * w[k, c, t]
                y[k, q] = s

    @pyasc.kernel
    def backwards(x, w, y, m):
        for k in range(y.shape[0]):
            for q in range(y.shape[1]):
                s = 0.0
                for c in range(x.shape[0]):
                    for t in range(w.shape[2]):
                        if t <= q:
                            s += x[c, q - t] * w[k, c, t]
                y[k, q] = s

    @pyasc.kernel
    def twice(x, w, y, m):
        for k in range(y.shape[0]):
            for q in range(y.shape[1]):
                s = 0.0
                for c in range(x.shape[0]):
                    for t in range(w.shape[2]):
                        s += (x[c, q + t] + x[c, q + 2 * t]) * w[k, c, t]
                y[k, q] = s

    @pyasc.kernel
    def chosen(x, w, y, m):
        for k in range(y.shape[0]):
            for q in range(y.shape[1]):
                s = 0.0
                for c in range(x.shape[0]):
                    for t in range(w.shape[2]):
                        s += (x[c, q + t] if x[c, q + t + 1] > 0 else m[q + t]) * w[k, c, t]
                y[k, q] = s

    rng = np.random.default_rng(6)
    x, w = rng.standard_normal((5, 80)).astype(np.float32), rng.standard_normal((13, 5, 4)).astype(np.float32)
    m = rng.standard_normal(80).astype(np.float32)
    for kernel in (weighed, backwards, twice, chosen):
        got, want = (np.zeros((13, 70), np.float32) for _ in range(2))
        kernel(x, w, got, m)
        kernel.fn(x, w, want, m)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_padding_leaves_out_infinite_weights_and_keeps_nan():
    x, w = made((1, 8, 40, 41, 16, 3, 3))
    x[0, 3, 20, 21] = np.nan
    y, want = np.zeros((1, 16, 40, 41), np.float32), reference(x, w, 1, 1, 1)
    chained(x, w, y, 1, 1, 1)
    assert np.array_equal(np.isnan(y), np.isnan(want)) and np.isnan(y).sum() == 16 * 9
    w[3, 2, 0, 0] = np.inf
    chained(x, w, y, 1, 1, 1)
    assert np.isfinite(y[0, 3, 0]).all() and np.isinf(y[0, 3, 1:18, 1:18]).all()
