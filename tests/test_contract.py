"""Contractions: recognised, and right for every order of loops, size, type and epilogue."""
import numpy as np
import pytest

import pyasc


@pyasc.kernel
def ijk(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@pyasc.kernel
def jik(a, b, c):
    for j in range(c.shape[1]):
        for i in range(c.shape[0]):
            s = 0.0
            for k in range(a.shape[1]):
                s += b[k, j] * a[i, k]
            c[i, j] = s


@pyasc.kernel
def zero_ikj(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
    for i in range(c.shape[0]):
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@pyasc.kernel
def zero_kji(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
    for k in range(a.shape[1]):
        for j in range(c.shape[1]):
            for i in range(c.shape[0]):
                c[i, j] = b[k, j] * a[i, k] + c[i, j]


SIZES = [(0, 5, 6), (5, 0, 6), (5, 6, 0), (1, 1, 1), (31, 37, 41), (64, 64, 64), (13, 33, 385), (129, 67, 769), (1, 700, 900),
         (37, 1, 1000), (25, 2055, 17), (12, 32, 384), (61, 96, 768)]
ORDERS = [ijk, jik, zero_ikj, zero_kji]


def operands(m, n, k, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "i":
        return rng.integers(-99, 99, (m, k)).astype(dtype), rng.integers(-99, 99, (k, n)).astype(dtype)
    return rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)


def is_recognised(kernel, *args):
    return "tmp" in kernel.ir(*args, stage="contract")


def close(c, a, b, want=None):
    want = a.astype(np.float64) @ b.astype(np.float64) if want is None else want
    scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    assert np.all(np.abs(c - want) <= (2e-6 if c.dtype == np.float32 else 1e-14) * scale + 1e-30)


@pytest.mark.parametrize("kernel", ORDERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_orders_and_sizes(kernel, dtype):
    for m, n, k in SIZES:
        a, b = operands(m, n, k, dtype)
        c = np.full((m, n), 7, dtype)
        kernel(a, b, c)
        close(c, a, b)
    assert is_recognised(kernel, a, b, c)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_exactly(dtype):
    @pyasc.kernel
    def product(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = c[i, j] * 0
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                c[i, j] = s

    for m, n, k in SIZES:
        a, b = operands(m, n, k, dtype)
        c = np.full((m, n), 7, dtype)
        product(a, b, c)
        assert np.array_equal(c, a @ b)
    assert is_recognised(product, a, b, c)


def test_views_and_transposes():
    a, b = operands(90, 110, 130, np.float32)
    c = np.zeros((220, 90), np.float32)
    view = c[::-2].T
    ijk(np.asfortranarray(a), b[:, ::-1], view)
    close(view, a, b[:, ::-1])
    assert not c[::2].any()


def test_operands_that_overlap_keep_pythons_order():
    a, b = operands(40, 40, 40, np.float32)
    want, got = a.copy(), a.copy()
    for i in range(40):
        for j in range(40):
            want[i, j] = np.dot(want[i].astype(np.float64), b[:, j].astype(np.float64))
    ijk(got, b, got)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3 * np.abs(want).max())


def test_nan_and_infinity_stay_in_their_rows():
    a, b = operands(50, 70, 60, np.float32)
    a[3, 5], a[49, 59], b[7, 69] = np.nan, np.inf, -np.inf
    c = np.zeros((50, 70), np.float32)
    ijk(a, b, c)
    with np.errstate(all="ignore"):
        want = a @ b
    assert np.array_equal(np.isnan(c), np.isnan(want)) and np.array_equal(np.isinf(c), np.isinf(want))


def test_epilogue_with_bias_and_activation():
    @pyasc.kernel
    def layer(a, b, bias, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = bias[j]
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                c[i, j] = max(s, 0.0) * 0.5 + c[i, j]

    for m, n, k in SIZES:
        a, b = operands(m, n, k, np.float32)
        bias, c = np.arange(n, dtype=np.float32), np.ones((m, n), np.float32)
        layer(a, b, bias, c)
        want = np.maximum(a.astype(np.float64) @ b + bias, 0) * 0.5 + 1
        np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4 * (k + 1))
    assert is_recognised(layer, a, b, bias, c)


def test_factors_may_be_expressions_and_loops_may_start_anywhere():
    @pyasc.kernel
    def distance(x, y, scale, c, lo, hi):
        for i in range(3, x.shape[0]):
            for j in range(1, y.shape[0] - 1):
                s = 0.0
                for k in range(lo, hi):
                    s += pyasc.sqrt(abs(x[i, k])) * scale[k] * (y[j, k] + 1.0)
                c[i, j] = s

    rng = np.random.default_rng(3)
    x, y, scale = (rng.standard_normal(s).astype(np.float32) for s in ((60, 50), (70, 50), (50,)))
    c = np.full((60, 70), 9, np.float32)
    distance(x, y, scale, c, 2, 47)
    want = np.full((60, 70), 9, np.float64)
    want[3:, 1:-1] = ((np.sqrt(np.abs(x)) * scale)[:, 2:47] @ (y + 1).T[2:47])[3:, 1:-1]
    np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)


def test_batched():
    @pyasc.kernel
    def batched(a, b, c):
        for n in range(c.shape[0]):
            for i in range(c.shape[1]):
                for j in range(c.shape[2]):
                    s = 0.0
                    for k in range(a.shape[2]):
                        s += a[n, i, k] * b[n, k, j]
                    c[n, i, j] = s

    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((3, 40, 50)).astype(np.float32), rng.standard_normal((3, 50, 33)).astype(np.float32)
    c = np.zeros((3, 40, 33), np.float32)
    batched(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    assert is_recognised(batched, a, b, c)


def test_what_is_no_contraction_stays():
    @pyasc.kernel
    def running(a, b, c):  # reads what an earlier (i, j) wrote
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = 0.0
                for k in range(j):
                    s += a[i, k] * c[i, k]
                c[i, j] = s + b[i, j]

    @pyasc.kernel
    def diagonal(a, b, c):  # one element for many (i, j)
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                for k in range(a.shape[1]):
                    c[i, i] += a[i, k] * b[k, j]

    a, b = operands(40, 40, 40, np.float32)
    c, want = np.zeros((40, 40), np.float32), np.zeros((40, 40))
    running(a * 0.1, b, c)
    for j in range(40):
        want[:, j] = (a[:, :j] * 0.1 * want[:, :j]).sum(1) + b[:, j]
    np.testing.assert_allclose(c, want, rtol=1e-3, atol=1e-3)
    assert not is_recognised(running, a, b, c) and not is_recognised(diagonal, a, b, c)
    c[:] = 0
    diagonal(a, b, c)
    np.testing.assert_allclose(np.diag(c), (a.astype(np.float64) @ b).sum(1), rtol=1e-3, atol=1e-3)


def test_strict_floats_are_left_in_order():
    @pyasc.jit(fastmath=False)
    def strict(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = 0.0
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                c[i, j] = s

    a, b = operands(40, 40, 40, np.float32)
    assert not is_recognised(strict, a, b, a.copy())


def test_an_element_set_before_the_loop_of_the_sum():
    @pyasc.kernel
    def scaled(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * 0.5 + 1.0
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]

    for m, n, k in SIZES:
        a, b = operands(m, n, k, np.float32)
        c = np.full((m, n), 3, np.float32)
        scaled(a, b, c)
        np.testing.assert_allclose(c, a.astype(np.float64) @ b + 2.5, rtol=1e-4, atol=1e-5 * (k + 1))
    assert is_recognised(scaled, a, b, c)
    c[:] = np.nan
    ijk(a, b, c)
    assert np.isfinite(c).all()  # the sum does not start from what was there


@pytest.mark.parametrize("kernel", ORDERS)
def test_half_precision_is_summed_in_single(kernel):
    a, b = operands(45, 70, 850, np.float16)
    c = np.zeros((45, 70), np.float32)
    kernel(a, b, c)
    close(c, a, b)
    assert is_recognised(kernel, a, b, c)


def test_int8_is_summed_in_int32():
    @pyasc.kernel
    def product(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = pyasc.int32(0)
                for k in range(a.shape[1]):
                    s += pyasc.int32(a[i, k]) * pyasc.int32(b[k, j])
                c[i, j] = s

    rng = np.random.default_rng(2)
    a, b = rng.integers(-128, 128, (45, 850)).astype(np.int8), rng.integers(-128, 128, (850, 70)).astype(np.int8)
    c = np.zeros((45, 70), np.int32)
    product(a, b, c)
    assert np.array_equal(c, a.astype(np.int64) @ b) and is_recognised(product, a, b, c)


def test_more_rows_than_are_packed_at_once():
    a, b = operands(3500, 40, 50, np.float32)
    c = np.zeros((3500, 40), np.float32)
    for kernel in (ijk, zero_ikj):
        kernel(a, b, c)
        close(c, a, b)


def test_rows_below_zero_are_the_same_rows_again():
    @pyasc.kernel
    def twice(a, b, c, lo):
        for i in range(lo, c.shape[0]):
            for j in range(c.shape[1]):
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]

    @pyasc.kernel
    def always(a, b, c):
        for i in range(-40, 40):
            for j in range(c.shape[1]):
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]

    a, b = operands(40, 40, 40, np.float32)
    for kernel, rest in ((twice, (-40,)), (always, ())):
        c = np.zeros((40, 40), np.float32)
        kernel(a, b, c, *rest)
        close(c, a, b, 2 * (a.astype(np.float64) @ b))
    assert "tmp" not in always.ir(a, b, c, stage="final")


def test_a_factor_that_uses_its_parts_many_times():
    def grow(t):
        return t * t * 0.5 + t

    @pyasc.kernel
    def powers(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = 0.0
                for k in range(a.shape[1]):
                    t = grow(grow(grow(grow(grow(a[i, k])))))
                    t = grow(grow(grow(grow(grow(t)))))
                    t = grow(grow(grow(grow(grow(t)))))  # written out as a tree: 3 to the 20 uses of a[i, k]
                    t = grow(grow(grow(grow(grow(t)))))
                    s += t * b[k, j]
                c[i, j] = s

    a, b = operands(20, 21, 22, np.float32)
    a = np.clip(a, -1, 0)
    t, c = a.astype(np.float64), np.zeros((20, 21), np.float32)
    powers(a, b, c)
    for _ in range(20):
        t = grow(t)
    np.testing.assert_allclose(c, t @ b, rtol=1e-4, atol=1e-4)
    assert is_recognised(powers, a, b, c)


@pyasc.kernel
def natural(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@pyasc.kernel
def narrow_nt(a, b, c):
    for j in range(c.shape[1]):
        for i in range(c.shape[0]):
            s = pyasc.int32(5)
            for k in range(a.shape[1]):
                s += pyasc.int32(a[i, k]) * pyasc.int32(b[j, k])
            c[i, j] = s


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32])
def test_small_integers_are_summed_in_int32(dtype):
    """Modulo 2^32, whatever the sums overflow to: two products at once where the processor has that."""
    rng = np.random.default_rng(7)
    info = np.iinfo(dtype)
    for m, n, k in SIZES + [(45, 70, 1601)]:
        a, b = (rng.integers(info.min, info.max, s, dtype, endpoint=True) for s in ((m, k), (k, n)))
        want = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
        c = np.full((m, n), 7, np.int32)
        natural(a, b, c)
        assert np.array_equal(c, want)
        narrow_nt(a, np.asfortranarray(b).T, c)
        assert np.array_equal(c, want + np.int32(5))
        c[:] = 7
        natural(np.asfortranarray(a), b[:, ::-1], c)
        assert np.array_equal(c, want[:, ::-1])
    assert is_recognised(narrow_nt, a, b, c) and (dtype == np.uint16 or is_recognised(natural, a, b, c))


def test_a_sum_of_64_bits_that_is_stored_whole():
    a, b = operands(40, 50, 300, np.int32)
    a[0], b[:, 0] = 2**15, 2**15  # products of 2^30: the sums are beyond 32 bits
    c = np.zeros((40, 50), np.int64)
    natural(a, b, c)
    assert np.array_equal(c, a.astype(np.int64) @ b)


def test_bfloat16_is_summed_in_single():
    bf16 = pytest.importorskip("ml_dtypes").bfloat16
    for m, n, k in SIZES + [(45, 70, 1601)]:
        a, b = (x.astype(bf16) for x in operands(m, n, k, np.float32))
        for kernel in ORDERS:
            c = np.full((m, n), np.nan, np.float32)
            kernel(a, b, c)
            close(c, a.astype(np.float32), b.astype(np.float32))
        c[:] = np.nan
        ijk(a, np.asfortranarray(b), c)
        close(c, a.astype(np.float32), b.astype(np.float32))
    a, b = (x.astype(bf16) for x in operands(40, 50, 61, np.float32))
    a[3, 5], a[39, 60], b[7, 49] = np.nan, np.inf, -np.inf
    c = np.zeros((40, 50), np.float32)
    ijk(a, b, c)
    with np.errstate(all="ignore"):
        want = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(np.isnan(c), np.isnan(want)) and np.array_equal(np.isinf(c), np.isinf(want))


def test_pairs_with_an_epilogue():
    bf16 = pytest.importorskip("ml_dtypes").bfloat16

    @pyasc.kernel
    def layer(a, b, bias, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = bias[j]
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                c[i, j] = max(s, 0.0)

    @pyasc.kernel
    def scaled(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = pyasc.int32(0)
                for k in range(a.shape[1]):
                    s += pyasc.int32(a[i, k]) * pyasc.int32(b[k, j])
                c[i, j] = s * 3 + 1

    rng = np.random.default_rng(11)
    for m, n, k in SIZES + [(45, 70, 1601)]:
        a, b = (x.astype(bf16) for x in operands(m, n, k, np.float32))
        bias, c = rng.standard_normal(n).astype(np.float32), np.full((m, n), np.nan, np.float32)
        layer(a, b, bias, c)
        want = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0)
        np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4 * (k + 1) ** 0.5)
        a, b = rng.integers(-128, 128, (m, k)).astype(np.int8), rng.integers(-128, 128, (k, n)).astype(np.int8)
        c = np.zeros((m, n), np.int32)
        scaled(a, b, c)
        assert np.array_equal(c, a.astype(np.int64) @ b * 3 + 1)


def test_bytes_of_both_kinds_at_their_ends():
    @pyasc.kernel
    def turned(a, b, c):  # the byte as another: no load that can be packed as it is
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                s = pyasc.int32(0)
                for k in range(a.shape[1]):
                    s += pyasc.int32(pyasc.int8(a[i, k])) * pyasc.int32(b[k, j])
                c[i, j] = s

    rng = np.random.default_rng(12)
    for m, n, k in [(1, 33, 700), (13, 65, 127), (25, 40, 4), (40, 31, 2051), (70, 300, 4099), (12, 32, 64)]:
        for left, right in [(np.int8, np.int8), (np.uint8, np.int8), (np.int8, np.uint8), (np.uint8, np.uint8)]:
            for ends in (False, True):
                a, b = (rng.integers(np.iinfo(t).min, np.iinfo(t).max, s, t, endpoint=True)
                        for t, s in ((left, (m, k)), (right, (k, n))))
                if ends:
                    a[:], b[:] = np.iinfo(left).min or 255, np.iinfo(right).min or 255
                    b[:, ::3] = np.iinfo(right).max
                want = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
                for x, y in ((a, b), (a, np.ascontiguousarray(b.T).T), (np.asfortranarray(a), b)):
                    c = np.full((m, n), 7, np.int32)
                    natural(x, y, c)
                    assert np.array_equal(c, want)
                c = np.full((m, n), 7, np.int32)
                narrow_nt(a, np.ascontiguousarray(b.T), c)
                assert np.array_equal(c, want + np.int32(5))
                turned(a, b, c)
                assert np.array_equal(c, (a.astype(np.int8).astype(np.int64) @ b.astype(np.int64)).astype(np.int32))
