"""Work-items that go down the columns of rows, several vectors at once."""
import numpy as np
import pytest

import pyasc


@pyasc.jit
def column_sum(out, x):
    j = pyasc.get_global_id()
    s = out.dtype(0)
    for i in range(x.shape[0]):
        s += x[i, j]
    out[j] = s


@pyasc.jit
def column_top(out, x):
    j = pyasc.get_global_id()
    top = x[0, j]
    for i in range(1, x.shape[0]):
        top = max(top, x[i, j])
    out[j] = top


@pyasc.jit
def squares(out, x):
    j = pyasc.get_global_id()
    s = 0.0
    q = 0.0
    for i in range(x.shape[0]):
        s += x[i, j]
        q += x[i, j] * x[i, j]
    if j > 0:
        out[j] = q - s


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("n", [0, 1, 15, 17, 64, 257, 331, 1009])
def test_columns(dtype, n):
    for m in (1, 2, 7):
        for step in (1, 2):
            x = (np.arange(m * n * step) % 7).reshape(m, n * step).astype(dtype)[:, ::step]
            out = np.zeros(n, dtype)
            column_sum.over(n)(out, x)
            assert np.array_equal(out, x.sum(0, dtype=dtype))
            column_top.over(n)(out, x)
            assert np.array_equal(out, x.max(0))
            if dtype in ("f4", "f8"):
                out[:] = 5
                squares.over(n)(out, x)
                assert np.array_equal(out[1:], (x * x).sum(0)[1:] - x.sum(0)[1:]) and (out[:1] == 5).all()


def test_not_a_number():
    x = np.ones((5, 300), np.float32)
    x[3, ::7] = np.nan
    out = np.zeros(300, np.float32)
    column_sum(out, x)
    assert np.array_equal(out, x.sum(0), equal_nan=True)
