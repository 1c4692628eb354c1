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
