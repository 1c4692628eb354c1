"""asc.adv on the AI-core model: values against NumPy and the C library."""
import math

import numpy as np
import pytest

import asc

SIZES = [1, 7, 16, 128, 1000]


@asc.jit
def one(op: asc.ConstExpr, x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, whole: asc.ConstExpr[bool]):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 16384, n)
    asc.data_copy(a, xg, n + 15)
    if whole:
        op(b, a)
    else:
        op(b, a, n)
    asc.data_copy(zg, b, n + 15)


@asc.jit
def two(op: asc.ConstExpr, x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(y.dtype, asc.TPosition.VECIN, 16384, n)
    asc.data_copy(a, xg, n + 15)
    asc.data_copy(b, yg, n + 15)
    op(a, a, b, n)
    asc.data_copy(zg, a, n + 15)


def digamma(x):
    """By the difference of lgamma: good enough to 1e-5."""
    h = 1e-5
    return (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)


MATH = {
    "acos": (np.arccos, -1, 1), "acosh": (np.arccosh, 1, 50), "asin": (np.arcsin, -1, 1), "asinh": (np.arcsinh, -50, 50),
    "atan": (np.arctan, -50, 50), "atanh": (np.arctanh, -0.99, 0.99), "ceil": (np.ceil, -9, 9), "cos": (np.cos, -9, 9),
    "cosh": (np.cosh, -5, 5), "digamma": (np.vectorize(digamma), 0.5, 30), "erf": (np.vectorize(math.erf), -4, 4),
    "erfc": (np.vectorize(math.erfc), -3, 3), "floor": (np.floor, -9, 9), "frac": (lambda x: x - np.trunc(x), -9, 9),
    "lgamma": (np.vectorize(math.lgamma), 0.1, 30), "log": (np.log, 0.01, 50), "round": (np.rint, -9, 9),
    "sign": (np.sign, -9, 9), "sin": (np.sin, -9, 9), "sinh": (np.sinh, -5, 5), "tan": (np.tan, -1.4, 1.4),
    "tanh": (np.tanh, -5, 5), "trunc": (np.trunc, -9, 9),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", MATH)
def test_math(name, dtype):
    f, low, high = MATH[name]
    rng = np.random.default_rng(3)
    for n in SIZES:
        for whole in False, True:
            x = rng.uniform(low, high, n + 16).astype(dtype)
            z = np.full(n + 16, 77, dtype)
            one[1](getattr(asc.adv, name), x, z, n, whole)
            want = f(x[:n].astype(np.float64))
            np.testing.assert_allclose(z[:n].astype(np.float64), want, rtol=2e-3 if dtype == np.float16 else 3e-6,
                                       atol=1e-3 if dtype == np.float16 else 2e-6)
            blocks = (n + 15) * x.itemsize // 32 * 32 // x.itemsize  # what lies behind the count stays zero
            assert not z[n:blocks].any()


def test_round_is_half_to_even():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, np.inf, -np.inf, np.nan] * 4, np.float32)
    z = np.zeros_like(x)
    one[1](asc.adv.round, x, z, 8, False)
    np.testing.assert_array_equal(z[:8], np.rint(x[:8]))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_power(dtype):
    rng = np.random.default_rng(4)
    for n in SIZES:
        x, y = (rng.integers(1, 5, n + 16).astype(dtype) for _ in "xy")
        z = np.zeros_like(x)
        two[1](asc.adv.power, x, y, z, n)
        np.testing.assert_allclose(z[:n].astype(float), x[:n].astype(float) ** y[:n].astype(float), rtol=1e-3)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
def test_xor(dtype):
    rng = np.random.default_rng(5)
    info = np.iinfo(dtype)
    x, y = (rng.integers(info.min, info.max, 1016, dtype) for _ in "xy")
    z = np.zeros_like(x)
    two[1](asc.adv.xor, x, y, z, 1000)
    np.testing.assert_array_equal(z[:1000], (x ^ y)[:1000])


@asc.jit
def exp_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    asc.data_copy(a, xg, n)
    asc.adv.exp(a, a, n, taylor_expand_level=5)
    asc.data_copy(zg, a, n)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_exp(dtype):
    x = np.linspace(-8, 8, 512).astype(dtype)
    z = np.zeros_like(x)
    exp_kernel[1](x, z, 512)
    np.testing.assert_allclose(z, np.exp(x.astype(np.float64)), rtol=1e-3 if dtype == np.float16 else 1e-6)


@asc.jit
def axpy_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, k: float, n: int):
    xg, yg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(y.dtype, asc.TPosition.VECIN, 16384, n)
    asc.data_copy(a, xg, n)
    asc.data_copy(b, yg, n)
    asc.adv.axpy(b, a, k, n)
    asc.data_copy(yg, b, n)


@pytest.mark.parametrize("src,dst", [(np.float32, np.float32), (np.float16, np.float16), (np.float16, np.float32)])
def test_axpy(src, dst):
    rng = np.random.default_rng(6)
    x, y = rng.standard_normal(256).astype(src), rng.standard_normal(256).astype(dst)
    want = y.astype(np.float64) + x.astype(np.float64) * 2.5
    axpy_kernel[1](x, y, 2.5, 256)
    np.testing.assert_allclose(y.astype(np.float64), want, atol=4e-3 if dst == np.float16 else 1e-5)


@asc.jit
def quant_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, scale: float, offset: float, n: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 16384, n)
    asc.data_copy(a, xg, n)
    asc.adv.quant(b, a, scale, offset, n)
    asc.data_copy(zg, b, n)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_quant(dtype):
    x = (np.arange(-400, 400) / 2).astype(dtype)[:800]
    z = np.zeros(800, np.int8)
    quant_kernel[1](x, z, 1.0, 0.5, 800)
    np.testing.assert_array_equal(z, np.clip(np.rint(x.astype(np.float64) + 0.5), -128, 127).astype(np.int8))


@asc.jit
def softmax_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, s: asc.GlobalAddress, m: asc.GlobalAddress,
                   rows: asc.ConstExpr[int], cols: asc.ConstExpr[int], per: asc.ConstExpr[int]):
    xg, zg, sg, mg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    sg.set_global_buffer(s)
    mg.set_global_buffer(m)
    a, b = asc.LocalTensorAuto(x.dtype, rows * cols), asc.LocalTensorAuto(x.dtype, (rows, cols))
    c, d = asc.LocalTensorAuto(s.dtype, rows * per), asc.LocalTensorAuto(m.dtype, rows * per)
    asc.data_copy(a, xg, rows * cols)
    a.set_shape_info(asc.ShapeInfo(asc.array(asc.int32, (rows, cols))))
    asc.adv.softmax(b, c, d, a, asc.adv.SoftmaxTiling())
    asc.data_copy(zg, b, rows * cols)
    asc.data_copy(sg, c, rows * per)
    asc.data_copy(mg, d, rows * per)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("rows,cols", [(1, 16), (3, 48), (5, 2064)])
def test_softmax(rows, cols, dtype):
    rng = np.random.default_rng(7)
    per = 32 // np.dtype(dtype).itemsize
    x = rng.uniform(-9, 9, (rows, cols)).astype(dtype)
    z, s, m = np.zeros_like(x), np.zeros((rows, per), dtype), np.zeros((rows, per), dtype)
    softmax_kernel[1](x, z, s, m, rows, cols, per)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True).astype(np.float64))
    tol = dict(rtol=2e-3, atol=1e-6) if dtype == np.float16 else dict(rtol=1e-5)
    np.testing.assert_allclose(z.astype(float), e / e.sum(1, keepdims=True), **tol)
    np.testing.assert_allclose(s.astype(float), np.repeat(e.sum(1, keepdims=True), per, 1), **tol)
    np.testing.assert_array_equal(m, np.repeat(x.max(1, keepdims=True), per, 1))


@asc.jit
def rmsnorm_kernel(x: asc.GlobalAddress, g: asc.GlobalAddress, z: asc.GlobalAddress, eps: float, rows: asc.ConstExpr[int],
                   cols: asc.ConstExpr[int]):
    xg, gg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    gg.set_global_buffer(g)
    zg.set_global_buffer(z)
    a, b = asc.LocalTensorAuto(x.dtype, rows * cols), asc.LocalTensorAuto(x.dtype, cols)
    asc.data_copy(a, xg, rows * cols)
    asc.data_copy(b, gg, cols)
    asc.adv.rmsnorm(a, a, b, eps, asc.adv.RmsNormTiling(b_length=1, s_length=rows, h_length=cols, original_h_length=cols))
    asc.data_copy(zg, a, rows * cols)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("rows,cols", [(1, 16), (3, 48), (5, 2064)])
def test_rmsnorm(rows, cols, dtype):
    rng = np.random.default_rng(8)
    x, g = rng.standard_normal((rows, cols)).astype(dtype), rng.standard_normal(cols).astype(dtype)
    z = np.zeros_like(x)
    rmsnorm_kernel[1](x, g, z, 1e-5, rows, cols)
    v = x.astype(np.float64)
    want = v / np.sqrt((v * v).mean(1, keepdims=True) + 1e-5) * g.astype(np.float64)
    np.testing.assert_allclose(z.astype(float), want, rtol=2e-3 if dtype == np.float16 else 2e-6, atol=1e-3 if dtype == np.float16 else 1e-7)
