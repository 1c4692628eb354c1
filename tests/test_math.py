"""The expanded float32 functions over all exponents and signs, against float64 (design: at most 2 ulp)."""
import math

import numpy as np
import pyasc
import pytest

STEP = 4111  # of the bit patterns: 1 M of them


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1 / (1 + e), e / (1 + e))


@pyasc.jit
def all_of(x, out):
    i = pyasc.get_global_id()
    v = x[i]
    out[0, i] = pyasc.exp(v)
    out[1, i] = pyasc.log(v)
    out[2, i] = pyasc.tanh(v)
    out[3, i] = pyasc.sigmoid(v)
    out[4, i] = pyasc.sin(v)
    out[5, i] = pyasc.cos(v)
    out[6, i] = pyasc.rsqrt(v)
    out[7, i] = pyasc.erf(v)


REFERENCE = [np.exp, np.log, np.tanh, sigmoid, np.sin, np.cos, lambda x: 1 / np.sqrt(x), np.vectorize(math.erf, otypes=[float])]


def ulps(got, want):
    with np.errstate(all="ignore"):
        near = want.astype(np.float32)
        special = ~np.isfinite(near)
        assert np.array_equal(got[special], near[special], equal_nan=True)
        gap = np.abs(got.astype(np.float64) - want) / np.spacing(np.maximum(np.abs(near), np.float32(1e-45)))
        return float(np.where(special, 0, gap).max())


@pytest.mark.parametrize("number", range(len(REFERENCE)))
@pytest.mark.parametrize("target", ["vector", "tail"])
def test_within_2_ulp(number, target):
    step = STEP * (7 if number == 7 else 1)
    x = np.arange(number, 1 << 32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    if target == "tail":  # a few at a time: the masked code
        x = x[:: len(x) // 11][:11].copy()
    out = np.zeros((8, x.size), np.float32)
    all_of(x, out)
    with np.errstate(all="ignore"):
        assert ulps(out[number], REFERENCE[number](x.astype(np.float64))) <= 2


def test_signed_zeros_and_specials():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45], np.float32)
    out = np.zeros((8, x.size), np.float32)
    all_of(x, out)
    with np.errstate(all="ignore"):
        for row, f in zip(out, REFERENCE):
            want = f(np.where(np.isinf(x), x, x).astype(np.float64)).astype(np.float32)
            assert np.array_equal(row, want, equal_nan=True)
            assert np.array_equal(np.signbit(row[:2]), np.signbit(want[:2]))


@pyasc.jit
def plain_of(x, out):
    for i in range(x.shape[0]):
        out[0, i] = pyasc.exp(x[i])
    for i in range(x.shape[0]):
        out[1, i] = pyasc.log(x[i])
    for i in range(x.shape[0]):
        out[2, i] = pyasc.tanh(x[i])
    for i in range(x.shape[0]):
        out[3, i] = pyasc.sigmoid(x[i])
    for i in range(x.shape[0]):
        out[4, i] = pyasc.sin(x[i])
    for i in range(x.shape[0]):
        out[5, i] = pyasc.cos(x[i])
    for i in range(x.shape[0]):
        out[6, i] = pyasc.rsqrt(x[i])
    for i in range(x.shape[0]):
        out[7, i] = pyasc.erf(x[i])


# The worst inputs of tools/ulp.py, of today's expansions and of those that were not good enough; ends of intervals.
WORST = [float.fromhex(t) for t in """0x1.2e3aa8p+5 -0x1.df8e32p+5 0x1.697dc8p+0 0x1.33a388p-1 0x1.35f7p-1 -0x1.69c008p-12
    -0x1.8f3676p+2 -0x1.0a47d2p+4 0x1.002674p-4 0x1.c5d976p-6 0x1.dc5b18p-1 0x1.7acp+2 0x1.f7ffp+1 0x1.f8p+1 0x1.f7p+1
    0x1.59c202p+44 0x1.a90f64p+49 0x1.019566p-126 0x1p-4 0x1.8p-3 -0x1p-4 -0x1.5d589ep+6 -0x1.9fe368p+6 0x1.62e42ep+6
    0x1.62e430p+6 -0x1.9d1da0p+6 -0x1.a0p+6 0x1p+6 0x1p-149 0x1p-126 0x1.fffffep+127 -0x1.fffffep+127""".split()]


@pytest.mark.parametrize("kernel", [all_of, plain_of])
@pytest.mark.parametrize("n", [1, 7, 64, 1009])
def test_worst_inputs(kernel, n):
    x = np.resize(np.array(WORST + [0.0, -0.0, np.inf, -np.inf, np.nan], np.float32), n)
    out = np.zeros((8, n), np.float32)
    kernel(x, out)
    with np.errstate(all="ignore"):
        for row, f in zip(out, REFERENCE):
            assert ulps(row, f(x.astype(np.float64))) <= 2


def test_a_loop_and_work_items_give_the_same_bits():
    x = np.arange(5, 1 << 32, 1 << 20, dtype=np.uint64).astype(np.uint32).view(np.float32)
    a, b = np.zeros((2, 8, x.size), np.float32)
    all_of(x, a), plain_of(x, b)
    near = np.abs(x) < 2.0 ** 50  # beyond, sin and cos are the library's: of vectors and of numbers
    for k in range(8):
        where = near if k in (4, 5) else slice(None)
        assert np.array_equal(a[k][where], b[k][where], equal_nan=True), k


@pyasc.jit
def library_loop(x, y, out):
    for i in range(x.shape[0]):
        out[0, i] = pyasc.log10(x[i])
    for i in range(x.shape[0]):
        out[1, i] = pyasc.atan2(x[i], y[i])
    for i in range(x.shape[0]):
        out[2, i] = x[i] ** y[i]
    for i in range(x.shape[0]):
        out[3, i] = x[i] ** 2.5
    for i in range(x.shape[0]):
        out[4, i] = pyasc.sin(x[i]) if x[i] > 2 else pyasc.erf(y[i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 1009])
def test_functions_that_become_vectors_with_their_loop(dtype, n):
    x, y = np.random.default_rng(n).uniform(0.1, 4, (2, n)).astype(dtype)
    out = np.zeros((5, n), dtype)
    library_loop(x, y, out)
    a, b = x.astype(np.float64), y.astype(np.float64)
    erf = np.vectorize(math.erf, otypes=[float])
    want = [np.log10(a), np.arctan2(a, b), a ** b, a ** 2.5, np.where(a > 2, np.sin(a), erf(b) if n else b)]
    for got, w in zip(out, want):
        np.testing.assert_allclose(got, w, rtol=8 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps)
