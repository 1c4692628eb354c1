"""Loops whose start is known only when they run: their subscripts wrap below zero, as Python's do."""
import numpy as np
import pytest

import pyasc


@pyasc.jit
def sum_from(x, start, stop, out):
    total = 0.0
    for j in range(start, stop):
        total += x[j]
    out[0] = total


@pyasc.jit
def sum_stencil(x, start, stop, step, out):
    total = 0.0
    for j in range(start, stop, 3):
        total += x[j - 1] * 2 + x[j] - x[j + 1]
        if total > 1e30:
            break
    out[0] = total + step


@pyasc.jit
def rows(starts, x, out):
    i = pyasc.get_global_id(0)
    total = 0.0
    for j in range(starts[i], starts[i + 1]):
        total += x[j]
    out[i] = total


@pyasc.jit
def down(x, start, stop, out):
    n = 0
    for j in range(start, stop, -1):
        out[n] = x[j]
        n += 1


@pytest.mark.parametrize("start, stop", [(0, 50), (-50, 0), (-7, 33), (3, 3), (5, 2), (-50, 50), (49, 50), (17, 18)])
def test_start_below_zero(start, stop):
    x, out = np.random.rand(50), np.zeros(1)
    sum_from(x, start, stop, out)
    np.testing.assert_allclose(out[0], sum(x[j] for j in range(start, stop)), rtol=1e-12, atol=1e-12)
    down(x, stop - 1, start - 1, back := np.zeros(100))
    assert back[:max(stop - start, 0)].tolist() == [x[j] for j in range(stop - 1, start - 1, -1)]


@pytest.mark.parametrize("start, stop", [(1, 49), (0, 49), (-49, 49), (-3, 5), (4, 4)])
def test_stencils(start, stop):
    x, out = np.random.rand(50), np.zeros(1)
    sum_stencil(x, start, stop, 1, out)
    np.testing.assert_allclose(out[0], 1 + sum(x[j - 1] * 2 + x[j] - x[j + 1] for j in range(start, stop, 3)), rtol=1e-9)


@pytest.mark.parametrize("low", [0, -40])
def test_rows_of_a_sparse_matrix(low):
    starts = np.sort(np.random.randint(low, 40, 301))
    x, out = np.random.rand(40), np.zeros(300)
    rows.over(300)(starts, x, out)
    want = [sum(x[j] for j in range(a, b)) for a, b in zip(starts[:-1], starts[1:])]
    np.testing.assert_allclose(out, want, rtol=1e-12, atol=1e-12)
