"""Contractions of more than three loops, and of work-items: convolutions in every form that people write."""
import numpy as np
import pytest

import pyasc
from test_contract import SIZES, close, is_recognised, operands


@pyasc.kernel
def chained(x, w, y, stride, pad, gap):
    for n in range(y.shape[0]):
        for k in range(y.shape[1]):
            for p in range(y.shape[2]):
                for q in range(y.shape[3]):
                    s = 0.0
                    for c in range(x.shape[1]):
                        for r in range(w.shape[2]):
                            for t in range(w.shape[3]):
                                h = p * stride + r * gap - pad
                                v = q * stride + t * gap - pad
                                if 0 <= h < x.shape[2] and 0 <= v < x.shape[3]:
                                    s += x[n, c, h, v] * w[k, c, r, t]
                    y[n, k, p, q] = s


@pyasc.kernel
def continued(x, w, y, stride, pad, gap):
    height, width = x.shape[2], x.shape[3]
    for n in range(y.shape[0]):
        for k in range(y.shape[1]):
            for p in range(y.shape[2]):
                for q in range(y.shape[3]):
                    s = 0.0
                    for r in range(w.shape[2]):
                        h = p * stride + r * gap - pad
                        if h < 0 or h >= height:
                            continue
                        for t in range(w.shape[3]):
                            v = q * stride + t * gap - pad
                            if v < 0 or v >= width:
                                continue
                            for c in range(x.shape[1]):
                                s += w[k, c, r, t] * x[n, c, h, v]
                    y[n, k, p, q] = s


@pyasc.kernel
def chosen(x, w, y, stride, pad, gap):
    for k in range(y.shape[1]):
        for n in range(y.shape[0]):
            for p in range(y.shape[2]):
                for q in range(y.shape[3]):
                    y[n, k, p, q] = 0
                    for c in range(x.shape[1]):
                        for r in range(w.shape[2]):
                            for t in range(w.shape[3]):
                                h, v = p * stride + r * gap - pad, q * stride + t * gap - pad
                                inside = h >= 0 and h < x.shape[2] and v >= 0 and v < x.shape[3]
                                y[n, k, p, q] += (x[n, c, h, v] if inside else 0.0) * w[k, c, r, t]


@pyasc.jit
def item(x, w, y, stride, pad, gap):
    k, p, q = pyasc.get_global_id(2), pyasc.get_global_id(1), pyasc.get_global_id(0)
    if k >= y.shape[1] or p >= y.shape[2] or q >= y.shape[3]:
        return
    for n in range(y.shape[0]):
        s = 0.0
        for c in range(x.shape[1]):
            for r in range(w.shape[2]):
                for t in range(w.shape[3]):
                    h = p * stride + r * gap - pad
                    v = q * stride + t * gap - pad
                    if h >= 0 and h < x.shape[2] and v >= 0 and v < x.shape[3]:
                        s += x[n, c, h, v] * w[k, c, r, t]
        y[n, k, p, q] = s


def reference(x, w, stride, pad, gap):
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    rows, cols = gap * (w.shape[2] - 1) + 1, gap * (w.shape[3] - 1) + 1
    views = np.lib.stride_tricks.sliding_window_view(x, (rows, cols), (2, 3))
    views = views[:, :, ::stride, ::stride, ::gap, ::gap]
    return np.einsum("ncpqrt,kcrt->nkpq", views, w.astype(np.float64), optimize=True)


#        batch, channels, height, width, filters, rows, columns
SHAPES = [(1, 1, 1, 1, 1, 1, 1), (2, 3, 9, 11, 5, 3, 3), (1, 16, 20, 33, 17, 3, 2), (3, 7, 12, 12, 13, 5, 5), (1, 70, 14, 14, 64, 3, 3),
          (0, 3, 8, 8, 4, 3, 3), (2, 3, 8, 8, 0, 3, 3), (1, 2, 50, 5, 12, 1, 1), (1, 1, 30, 140, 24, 20, 21)]


def arrays(shape, dtype=np.float32, seed=0):
    n, c, h, w, k, r, t = shape
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, c, h, w)).astype(dtype), rng.standard_normal((k, c, r, t)).astype(dtype)


def check(kernel, x, w, stride, pad, gap, tolerance=2e-5):
    want = reference(x, w, stride, pad, gap)
    y = np.full(want.shape, np.nan, x.dtype)
    kernel(x, w, y, stride, pad, gap)
    np.testing.assert_allclose(y, want, rtol=tolerance, atol=tolerance * w[:1].size ** 0.5)
    return y


@pytest.mark.parametrize("kernel", [chained, continued, chosen])
@pytest.mark.parametrize("stride, pad, gap", [(1, 0, 1), (1, 1, 1), (2, 1, 1), (3, 2, 2), (1, 2, 2)])
def test_convolutions(kernel, stride, pad, gap):
    for shape in SHAPES:
        x, w = arrays(shape)
        if min(shape[2] - gap * (shape[5] - 1), shape[3] - gap * (shape[6] - 1)) + 2 * pad > 0:
            check(kernel, x, w, stride, pad, gap)
    assert is_recognised(kernel, x, w, np.zeros((1, 24, 9, 9), np.float32), stride, pad, gap)


@pytest.mark.parametrize("kernel", [chained, continued, chosen])
def test_convolutions_in_double_and_of_views(kernel):
    x, w = arrays((2, 5, 22, 19, 14, 3, 3), np.float64)
    check(kernel, x, w, 1, 1, 1, 1e-13)
    check(kernel, x[:, ::-1, ::2, ::-1], w[::-1, :, :, ::-1], 2, 1, 1, 1e-13)
    check(kernel, np.asfortranarray(x), np.asfortranarray(w), 1, 1, 1, 1e-13)


def test_padding_leaves_out_infinite_weights():
    """Python skips the product: 0 * inf would be NaN."""
    x, w = arrays((1, 8, 16, 16, 16, 3, 3))
    w[3, 2, 0, 0], w[5, 1, 2, 1] = np.inf, np.nan
    y = np.zeros((1, 16, 16, 16), np.float32)
    chained(x, w, y, 1, 1, 1)
    with np.errstate(all="ignore"):
        want = reference(x, w, 1, 1, 1)
    assert np.isnan(y[0, 5, :-1]).all() and np.isfinite(y[0, 5, -1]).all()  # the last row has no weight below
    assert np.isfinite(y[0, 3, 0]).all() and np.isfinite(y[0, 3, :, 0]).all() and np.isinf(y[0, 3, 1:, 1:]).all()
    rest = [k for k in range(16) if k not in (3, 5)]
    np.testing.assert_allclose(y[:, rest], want[:, rest], rtol=1e-4, atol=1e-4)
    continued(x, w, y, 1, 1, 1)
    assert np.isfinite(y[0, 3, 0]).all() and np.isnan(y[0, 5, :-1]).all()
    chosen(x, w, y, 1, 1, 1)  # multiplies by zero itself
    assert np.isnan(y[0, 3, 0]).all() and np.isnan(y[0, 5]).all()


def test_work_items_that_convolve():
    for shape in SHAPES[1:6]:
        x, w = arrays(shape)
        if shape[0]:
            check(item, x, w, 1, 1, 1)


def test_channels_last_with_bias_and_activation():
    @pyasc.kernel
    def layer(x, w, bias, y):
        for n in range(y.shape[0]):
            for p in range(y.shape[1]):
                for q in range(y.shape[2]):
                    for k in range(y.shape[3]):
                        s = bias[k]
                        for r in range(w.shape[0]):
                            for t in range(w.shape[1]):
                                for c in range(w.shape[2]):
                                    s += x[n, p + r, q + t, c] * w[r, t, c, k]
                        y[n, p, q, k] = max(s, 0.0)

    for shape in SHAPES[1:5]:
        x, w = arrays(shape)
        bias = np.arange(w.shape[0], dtype=np.float32) / 8 - 1
        want = np.maximum(reference(x, w, 1, 0, 1) + bias[None, :, None, None], 0).transpose(0, 2, 3, 1)
        y = np.full(want.shape, np.nan, np.float32)
        last, taps = np.ascontiguousarray(x.transpose(0, 2, 3, 1)), np.ascontiguousarray(w.transpose(2, 3, 1, 0))
        layer(last, taps, bias, y)
        np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)
    assert is_recognised(layer, last, taps, bias, y)


def test_groups_and_one_and_three_dimensions():
    @pyasc.kernel
    def line(x, w, y):
        for n in range(y.shape[0]):
            for k in range(y.shape[1]):
                for p in range(y.shape[2]):
                    for c in range(x.shape[1]):
                        for r in range(w.shape[2]):
                            y[n, k, p] += x[n, c, p + r] * w[k, c, r]

    @pyasc.kernel
    def space(x, w, y):
        for n in range(y.shape[0]):
            for k in range(y.shape[1]):
                for o in range(y.shape[2]):
                    for p in range(y.shape[3]):
                        for q in range(y.shape[4]):
                            s = 0.0
                            for c in range(x.shape[1]):
                                for m in range(w.shape[2]):
                                    for r in range(w.shape[3]):
                                        for t in range(w.shape[4]):
                                            s += x[n, c, o + m, p + r, q + t] * w[k, c, m, r, t]
                            y[n, k, o, p, q] = s

    @pyasc.kernel
    def grouped(x, w, y):
        for n in range(y.shape[0]):
            for g in range(y.shape[1]):
                for k in range(y.shape[2]):
                    for p in range(y.shape[3]):
                        s = 0.0
                        for c in range(x.shape[2]):
                            for r in range(w.shape[3]):
                                s += x[n, g, c, p + r] * w[g, k, c, r]
                        y[n, g, k, p] = s

    rng = np.random.default_rng(5)
    window = np.lib.stride_tricks.sliding_window_view
    x, w = rng.standard_normal((2, 6, 41)).astype(np.float32), rng.standard_normal((13, 6, 4)).astype(np.float32)
    y = np.ones((2, 13, 38), np.float32)
    line(x, w, y)
    np.testing.assert_allclose(y, 1 + np.einsum("ncpr,kcr->nkp", window(x, 4, 2), w), rtol=1e-4, atol=1e-4)
    assert is_recognised(line, x, w, y)
    x, w = rng.standard_normal((2, 3, 7, 9, 10)).astype(np.float32), rng.standard_normal((6, 3, 2, 3, 3)).astype(np.float32)
    y = np.zeros((2, 6, 6, 7, 8), np.float32)
    space(x, w, y)
    want = np.einsum("ncopqmrt,kcmrt->nkopq", window(x, (2, 3, 3), (2, 3, 4)), w)
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)
    assert is_recognised(space, x, w, y)
    x, w = rng.standard_normal((2, 3, 5, 40)).astype(np.float32), rng.standard_normal((3, 7, 5, 3)).astype(np.float32)
    y = np.zeros((2, 3, 7, 38), np.float32)
    grouped(x, w, y)
    np.testing.assert_allclose(y, np.einsum("ngcpr,gkcr->ngkp", window(x, 3, 3), w), rtol=1e-4, atol=1e-4)
    assert is_recognised(grouped, x, w, y)


@pyasc.jit
def guarded(a, b, c):
    i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
    if i < c.shape[0] and j < c.shape[1]:
        s = 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s


@pyasc.jit
def left(a, b, c):
    j, i = pyasc.get_global_id(1), pyasc.get_global_id(0)
    if i >= c.shape[0] or c.shape[1] <= j:
        return
    for k in range(a.shape[1]):
        c[i, j] += a[i, k] * b[k, j]


@pyasc.jit
def rows(a, b, c):
    i = pyasc.get_global_id()
    for j in range(c.shape[1]):
        s = 0.0
        for k in range(a.shape[1]):
            s += b[k, j] * a[i, k]
        c[i, j] = s * 2.0


@pytest.mark.parametrize("kernel", [guarded, left, rows])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_by_work_items(kernel, dtype):
    for m, n, k in SIZES:
        a, b = operands(m, n, k, dtype)
        c = np.zeros((m, n), dtype)
        kernel(a, b, c)
        close(c, a, b, (1 + (kernel is rows)) * (a.astype(np.float64) @ b))
    assert is_recognised(kernel, a, b, c)


def test_products_by_work_items_in_given_blocks():
    a, b = operands(45, 70, 33, np.float32)
    c = np.full((45, 70), np.nan, np.float32)
    guarded[(5, 3), (16, 16)](a, b, c)
    close(c, a, b)
    c[:] = 7
    guarded[(2, 2), (16, 16)](a, b, c)  # a part of C
    close(c[:32, :32], a[:32], b[:, :32])
    assert (c[32:] == 7).all() and (c[:, 32:] == 7).all()
    c[:] = 7
    guarded.over(20, 60)(a, b, c)
    close(c[:20, :60], a[:20], b[:, :60])
    assert (c[20:] == 7).all() and (c[:, 60:] == 7).all()


def test_work_items_that_see_their_block_stay():
    @pyasc.jit
    def local(a, b, c):
        i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
        if i < c.shape[0] and j < c.shape[1]:
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s + pyasc.get_local_id(0)

    a, b = operands(20, 40, 30, np.float32)
    c = np.zeros((20, 40), np.float32)
    assert not is_recognised(local, a, b, c)
    local[(5, 2), (8, 16)](a, b, c)
    np.testing.assert_allclose(c, a @ b + np.arange(40) % 8, rtol=1e-4, atol=1e-4)


def test_guards_of_the_rows_and_of_a_band():
    @pyasc.kernel
    def some(a, b, c, last):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                if i < last and j >= 3:
                    s = 1.0
                    for k in range(a.shape[1]):
                        if k % 2 == 0:
                            s += a[i, k] * b[k, j]
                    c[i, j] = s

    @pyasc.kernel
    def band(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = 0.0
                for k in range(a.shape[1]):
                    if k <= i:
                        s += a[i, k] * b[k, j]
                c[i, j] = s

    @pyasc.kernel
    def upper(a, b, c):  # a condition on both: no factor is its own
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                for k in range(a.shape[1]):
                    if i <= j:
                        c[i, j] += a[i, k] * b[k, j]

    a, b = operands(50, 60, 70, np.float32)
    c, want = np.full((50, 60), 7, np.float32), np.full((50, 60), 7.0)
    some(a, b, c, 44)
    want[:44, 3:] = (1 + a[:, ::2].astype(np.float64) @ b[::2])[:44, 3:]
    np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)
    band(a, b, c)
    np.testing.assert_allclose(c, np.tril(a.astype(np.float64), 0) @ b, rtol=1e-4, atol=1e-4)
    assert is_recognised(some, a, b, c, 44) and is_recognised(band, a, b, c)
    c[:] = 0
    upper(a, b, c)
    np.testing.assert_allclose(c, np.triu(a.astype(np.float64) @ b), rtol=1e-4, atol=1e-4)
    assert not is_recognised(upper, a, b, c)


@pyasc.jit
def batched(a, b, c):
    z, i, j = pyasc.get_global_id(2), pyasc.get_global_id(1), pyasc.get_global_id(0)
    if z < c.shape[0] and i < c.shape[1] and j < c.shape[2]:
        t = 0.0
        for k in range(a.shape[2]):
            t += a[z, i, k] * b[z, k, j]
        c[z, i, j] = t


@pyasc.jit
def batch_last(a, b, c):
    z, i, j = pyasc.get_global_id(0), pyasc.get_global_id(1), pyasc.get_global_id(2)
    for k in range(a.shape[1]):
        if k != 3:
            c[i, j, z] += a[i, k, z] * b[k, j, z]


def test_batches_of_work_items():
    rng = np.random.default_rng(9)
    for z, m, n, k in [(3, 50, 70, 60), (1, 1, 1, 1), (5, 17, 33, 40), (2, 13, 8, 400)]:
        a, b = (rng.standard_normal(s).astype(np.float32) for s in ((z, m, k), (z, k, n)))
        c = np.full((z, m, n), np.nan, np.float32)
        batched(a, b, c)
        np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-3)
        a, b = np.ascontiguousarray(a.transpose(1, 2, 0)), np.ascontiguousarray(b.transpose(1, 2, 0))
        c = np.ones((m, n, z), np.float32)
        batch_last(a, b, c)
        keep = np.arange(k) != 3
        want = 1 + np.einsum("ikz,kjz->ijz", a[:, keep].astype(np.float64), b[keep])
        np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-3)
    assert is_recognised(batched, a.transpose(2, 0, 1).copy(), b.transpose(2, 0, 1).copy(), c.transpose(2, 0, 1).copy())
    assert is_recognised(batch_last, a, b, c)


def test_attention_of_heads_that_run_beside_each_other():
    @pyasc.kernel
    def attention(q, k, v, s, o):
        for b in range(q.shape[0]):
            for h in range(q.shape[1]):
                for i in range(q.shape[2]):
                    for j in range(k.shape[2]):
                        t = 0.0
                        for d in range(q.shape[3]):
                            t += q[b, h, i, d] * k[b, h, j, d]
                        s[b, h, i, j] = pyasc.exp(t * 0.125)
                for i in range(q.shape[2]):
                    z = 0.0
                    for j in range(k.shape[2]):
                        z += s[b, h, i, j]
                    for d in range(v.shape[3]):
                        t = 0.0
                        for j in range(k.shape[2]):
                            t += s[b, h, i, j] * v[b, h, j, d]
                        o[b, h, i, d] = t / z

    rng = np.random.default_rng(10)
    for shape in [(2, 3, 77, 40), (1, 5, 20, 16), (3, 1, 1, 9), (1, 1, 200, 64)]:
        q, k, v = (rng.standard_normal(shape).astype(np.float32) for _ in range(3))
        s, o = np.zeros(shape[:3] + shape[2:3], np.float32), np.full(shape, np.nan, np.float32)
        attention(q, k, v, s, o)
        e = np.exp(np.einsum("bhid,bhjd->bhij", q.astype(np.float64), k) * 0.125)
        np.testing.assert_allclose(o, e / e.sum(-1, keepdims=True) @ v, rtol=1e-3, atol=1e-4)
    assert "loop b: on all threads" in attention.explain(q, k, v, s, o)
