"""Kernels with barriers: what lives between barriers, conditions that cut a row of work-items, scratch memory side by side."""
import numpy as np
import pytest

import pyasc

LEAST = -2**63


@pyasc.jit
def compared(out, a, kind):
    tile = pyasc.shared(300, dtype=pyasc.int32)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = 1
    pyasc.syncthreads()
    v = tile[t]
    if kind == 0:
        if i < a:
            v += 10
    elif kind == 1:
        if i - 3 <= a:
            v += 10
    elif kind == 2:
        if a < t + 2:
            v += 10
    elif kind == 3:
        if t >= a:
            v += 10
        else:
            v -= 100
    elif kind == 4:
        if t == a:
            v += 10
    else:
        if i != a:
            v += 10
    pyasc.syncthreads()
    tile[t] = v
    pyasc.syncthreads()
    out[i] = tile[t]


@pytest.mark.parametrize("kind", range(6))
@pytest.mark.parametrize("block", (1, 15, 16, 17, 48, 251))
def test_conditions_cut_the_row_where_they_change(kind, block):
    t, i = np.arange(3 * block) % block, np.arange(3 * block)
    for a in (LEAST, -1, 0, 1, 2, 15, 16, 17, 40, block - 1, block, 2 * block + 5, 2**63 - 1):
        out = np.zeros(3 * block, np.int32)
        compared[3, block](out, a, kind)
        if kind == 2:
            holds = a < t + 2
        else:
            holds = (i < a, i - 3 <= a, None, t >= a, t == a, i != a)[kind]
        assert (out == np.where(holds, 11, -99 if kind == 3 else 1)).all(), (a, out)


@pyasc.jit
def guarded(x, y, first, end):
    i = pyasc.get_global_id()
    if i >= first:
        y[i] = x[i] + 1
    pyasc.syncthreads()
    if i < end:
        y[i] = y[i] * 2


@pytest.mark.parametrize("n", (1, 7, 16, 100, 256))
def test_a_part_that_does_nothing_is_left_alone(n):
    x = np.arange(n, dtype=np.float32)
    for first in (-5, 0, 3, 16, n, n + 9):
        for end in (-5, 0, 3, 17, n, n + 9):
            y, want = np.full(n, -1, np.float32), np.full(n, -1, np.float32)
            guarded[1, n](x, y, first, end)
            want[max(first, 0):] = x[max(first, 0):] + 1
            want[:max(end, 0)] *= 2
            assert (y == want).all(), (first, end)


@pyasc.jit
def counts(x, out, rounds):
    """Variables of all kinds across barriers: set in one branch, carried, counted in an inner loop, left by break."""
    tile = pyasc.shared(64)
    t = pyasc.get_local_id()
    total, turns, last = 0.0, 0, 0.0
    while True:
        tile[t] = x[t] + turns
        pyasc.syncthreads()
        for k in range(3):
            total += tile[(t + k) % pyasc.get_local_size()]
        if x[t] > 0:
            last = total
        inner = 0
        for k in range(rounds):
            inner += k
        pyasc.syncthreads()
        turns += 1
        total += inner
        if turns >= rounds:
            break
        pyasc.syncthreads()
        total += 1
    out[0, t], out[1, t], out[2, t] = total, turns, last


@pytest.mark.parametrize("n", (1, 5, 16, 33, 64))
@pytest.mark.parametrize("rounds", (1, 2, 5))
def test_variables_across_barriers(n, rounds):
    x = np.random.default_rng(n).integers(-4, 5, n).astype(np.float32)
    out, want = np.zeros((3, n), np.float32), np.zeros((3, n))
    counts[1, n](x, out, rounds)
    for turn in range(rounds):
        tile = x + turn
        for k in range(3):
            want[0] += np.roll(tile, -k)
        want[2] = np.where(x > 0, want[0], want[2])
        want[0] += sum(range(rounds)) + (turn + 1 < rounds)
    want[1] = rounds
    assert (out == want).all()


@pyasc.jit
def two_tiles(x, out):
    """The second tile may take the place of the first, whose last reads come before its first writes."""
    t = pyasc.get_local_id()
    a = pyasc.shared(64)
    a[t] = x[t]
    pyasc.syncthreads()
    s = a[63 - t] + a[t]
    pyasc.syncthreads()
    b = pyasc.shared(64)
    b[t] = s * 2
    pyasc.syncthreads()
    c = b[(t + 1) % 64] - b[t]
    pyasc.syncthreads()
    d = pyasc.shared(64)
    d[63 - t] = c
    pyasc.syncthreads()
    out[t] = d[t]


def test_scratch_that_shares_bytes():
    x = np.random.default_rng(0).integers(-50, 50, 64).astype(np.float32)
    out = np.zeros(64, np.float32)
    two_tiles[1, 64](x, out)
    b = 2 * (x + x[::-1])
    assert (out == (np.roll(b, -1) - b)[::-1]).all()
