"""Kernels that stage tiles through shared memory: what a tile was filled from is read in its place, where that is the same."""
import importlib.util
import os
import random
import subprocess
import sys

import numpy as np
import pytest
import random_tiles

import pyasc

T = 16
SIZES = [(0, 5, 6), (5, 0, 6), (5, 6, 0), (1, 1, 1), (15, 16, 17), (16, 16, 16), (17, 15, 16), (100, 17, 257), (257, 100, 15),
         (64, 64, 64)]
UNUSED = "shared memory is not used"


def grid(m, n, t=T):
    return (-(-n // t), -(-m // t)), (t, t)


def launch(kernel, m, n, t=T):
    blocks, threads = grid(max(m, 1), max(n, 1), t)
    return kernel[blocks, threads]


def forwarded(launcher, *args):
    return UNUSED in launcher.explain(*args)


def tiles_of(dtype, t=T):
    """Four ways to write the product, the last for depths that are whole tiles."""

    @pyasc.jit
    def choices(a, b, c):
        ta, tb = pyasc.shared((t, t), dtype=dtype), pyasc.shared((t, t), dtype=dtype)
        r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
        i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
        m, n, depth = c.shape[0], c.shape[1], a.shape[1]
        total = c.dtype(0)
        for start in range(0, depth, t):
            ta[r, q] = a[i, start + q] if i < m and start + q < depth else 0
            tb[r, q] = b[start + r, j] if start + r < depth and j < n else 0
            pyasc.syncthreads()
            for k in range(t):
                total += ta[r, k] * tb[k, q]
            pyasc.syncthreads()
        if i < m and j < n:
            c[i, j] = total

    @pyasc.jit
    def branches(a, b, c):
        ta, tb = pyasc.shared((t, t), dtype=dtype), pyasc.shared((t, t + 1), dtype=dtype)
        x, y = pyasc.get_local_id(0), pyasc.get_local_id(1)
        row, col = pyasc.get_group_id(1) * t + y, pyasc.get_group_id(0) * t + x
        total = c.dtype(0)
        for p in range((a.shape[1] + t - 1) // t):
            if row < c.shape[0] and p * t + x < a.shape[1]:
                ta[y, x] = a[row, p * t + x]
            else:
                ta[y, x] = 0
            if p * t + y < a.shape[1] and col < c.shape[1]:
                tb[y, x] = b[p * t + y, col]
            else:
                tb[y, x] = 0
            pyasc.syncthreads()
            for k in range(t):
                total += ta[y, k] * tb[k, x]
            pyasc.syncthreads()
        if row < c.shape[0] and col < c.shape[1]:
            c[row, col] = total

    @pyasc.jit
    def first_wait(a, b, c):  # the barrier that lets the tile be filled again comes first; b is turned over on its way
        ta, tb = pyasc.shared((t, t), dtype=dtype), pyasc.shared((t, t), dtype=dtype)
        r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
        i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
        total = c.dtype(0)
        for start in range(0, a.shape[1], t):
            pyasc.syncthreads()
            ta[r, q] = a[i, start + q] if i < c.shape[0] and start + q < a.shape[1] else 0
            tb[q, r] = b[start + r, j] if start + r < a.shape[1] and j < c.shape[1] else 0
            pyasc.syncthreads()
            for k in range(t):
                total += ta[r, k] * tb[q, k]
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = total

    @pyasc.jit
    def exact(a, b, c):
        ta, tb = pyasc.shared((t, t), dtype=dtype), pyasc.shared((t, t), dtype=dtype)
        r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
        i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)
        total = c.dtype(0)
        for p in range(a.shape[1] // t):
            ta[r, q] = a[i, p * t + q]
            tb[r, q] = b[p * t + r, j]
            pyasc.syncthreads()
            for k in range(t):
                total += ta[r, k] * tb[k, q]
            pyasc.syncthreads()
        c[i, j] = total

    return choices, branches, first_wait, exact


PRODUCTS = {d: tiles_of(getattr(pyasc, d)) for d in ("float16", "float32", "float64", "int32")}


def operands(m, n, k, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype in ("int32", "float16"):  # of which all sums are exact
        return rng.integers(-2, 3, (m, k)).astype(dtype), rng.integers(-2, 3, (k, n)).astype(dtype)
    return rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)


def check(c, a, b):
    want = a.astype(np.float64) @ b.astype(np.float64)
    if c.dtype in (np.int32, np.float16):
        assert (c == want).all()
        return
    scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    assert (np.abs(c - want) <= (2e-6 if c.dtype == np.float32 else 1e-14) * scale + 1e-30).all()


@pytest.mark.parametrize("dtype", PRODUCTS)
@pytest.mark.parametrize("which", range(3))
def test_products(dtype, which):
    kernel = PRODUCTS[dtype][which]
    for m, n, k in SIZES:
        a, b = operands(m, n, k, dtype)
        c = np.full((m, n), 7, dtype)
        launch(kernel, m, n)(a, b, c)
        check(c, a, b)
    assert forwarded(launch(kernel, m, n), a, b, c)
    assert "a contraction" in launch(kernel, m, n).explain(a, b, c)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_whole_tiles(dtype):
    kernel = PRODUCTS[dtype][3]
    for m, n, k in [(16, 16, 16), (32, 48, 160), (256, 64, 128), (16, 16, 0)]:
        a, b = operands(m, n, k, dtype)
        c = np.full((m, n), 7, dtype)
        launch(kernel, m, n)(a, b, c)
        check(c, a, b)
    assert forwarded(launch(kernel, m, n), a, b, c)


@pytest.mark.parametrize("block", [(8, 8), (16, 8), (8, 16), (4, 4), (32, 32), (16, 16, 2)])
def test_other_blocks_keep_what_is_written(block):
    """Work-items read what nobody has filled, or fill what nobody reads: the sums that each block makes are others."""
    kernel = PRODUCTS["float32"][0]
    m = n = 32
    a, b = operands(m, n, 32, "float32")
    launcher = kernel[(n // block[0], m // block[1]), block]
    c = np.zeros((m, n), np.float32)
    if block == (32, 32):
        assert not forwarded(launcher, a, b, c)  # stores beyond the tile
        return
    assert not forwarded(launcher, a, b, c)
    launcher(a, b, c)
    want = np.zeros((m, n))
    h, w = block[1], block[0]
    if len(block) == 2:
        for top in range(0, m, h):
            for left in range(0, n, w):
                for start in range(0, 32, T):
                    ta, tb = np.zeros((T, T)), np.zeros((T, T))
                    ta[:h, :w] = a[top:top + h, start:start + w]
                    tb[:h, :w] = b[start:start + h, left:left + w]
                    want[top:top + h, left:left + w] += (ta @ tb)[:h, :w]
        np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)
    c8 = np.zeros((m, n), np.float32)  # after that, the tile's own
    launch(kernel, m, n)(a, b, c8)
    check(c8, a, b)


def test_blocks_of_the_default_and_those_that_are_cut():
    kernel = PRODUCTS["float32"][0]
    for m, n, k in [(32, 48, 40), (31, 17, 40)]:
        a, b = operands(m, n, k, "float32")
        c, d = np.zeros((m, n), np.float32), np.zeros((m, n), np.float32)
        kernel(a, b, c)
        kernel.over(m, n)(a, b, d)
        assert forwarded(kernel.over(m, n), a, b, d) == (m % T == n % T == 0)
        if m % T == n % T == 0:
            check(c, a, b)
            check(d, a, b)
        else:  # work-items that there are none of fill nothing
            want = np.zeros((m, n))
            for top in range(0, m, T):
                for left in range(0, n, T):
                    h, w = min(T, m - top), min(T, n - left)
                    for start in range(0, k, T):
                        ta, tb = np.zeros((T, T)), np.zeros((T, T))
                        p = min(w, k - start)
                        ta[:h, :p] = a[top:top + h, start:start + p]
                        p = min(h, k - start)
                        tb[:p, :w] = b[start:start + p, left:left + w]
                        want[top:top + h, left:left + w] += (ta @ tb)[:h, :w]
            np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(d, want, rtol=1e-4, atol=1e-4)


def test_views():
    kernel = PRODUCTS["float32"][0]
    a, b = operands(100, 120, 75, "float32")
    for x, y, out in [(a.T.copy().T, b, np.zeros((100, 120), np.float32)), (a[::2, ::3], b[::3, ::-1], np.zeros((50, 120), np.float32)),
                      (a, b.T.copy().T, np.zeros((120, 100), np.float32).T), (a, b, np.zeros((100, 240), np.float32)[:, ::2])]:
        launch(kernel, *out.shape)(x, y, out)
        check(out, x, y)


def test_arguments_that_overlap():
    kernel = PRODUCTS["float64"][0]
    a, b = operands(16, 16, 16, "float64")
    want = a @ b
    assert forwarded(launch(kernel, 16, 16), a, b, a)
    launch(kernel, 16, 16)(a, b, a)  # one block: all is read before it is stored
    np.testing.assert_allclose(a, want, rtol=1e-12)
    x = np.arange(16 * 16, dtype=np.float64).reshape(16, 16)
    want = x.T.copy()
    launch(TURNS["float64"], 16, 16)(x, x)
    assert (x == want).all()
    x = np.arange(20 * 16, dtype=np.float64).reshape(20, 16)
    want = x[:16].T.copy()
    launch(TURNS["float64"], 16, 16)(x[:16], x[4:])  # in part
    assert (x[4:] == want).all()


def turn_of(dtype, t=T):
    @pyasc.jit
    def turn(x, y):
        tile = pyasc.shared((t, t + 1), dtype=dtype)
        r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
        top, left = pyasc.get_group_id(1) * t, pyasc.get_group_id(0) * t
        if top + r < x.shape[0] and left + q < x.shape[1]:
            tile[r, q] = x[top + r, left + q]
        pyasc.syncthreads()
        if left + r < y.shape[0] and top + q < y.shape[1]:
            y[left + r, top + q] = tile[q, r]

    return turn


TURNS = {d: turn_of(getattr(pyasc, d)) for d in ("float16", "float32", "float64", "int32", "int8")}
SHAPES = [(0, 3), (3, 0), (1, 1), (1, 100), (15, 17), (16, 16), (17, 16), (100, 257), (257, 15)]


@pyasc.jit
def items(x, y):
    i, j = pyasc.get_row(), pyasc.get_col()
    y[j, i] = x[i, j]


@pyasc.jit
def guarded_items(x, y):
    j, i = pyasc.get_row(), pyasc.get_col()
    if i < x.shape[0]:
        if x.shape[1] > j:
            y[j, i] = x[i, j]


@pyasc.jit
def padded(x, y):  # zero where there is no x
    j, i = pyasc.get_row(), pyasc.get_col()
    y[j, i] = x[i, j] if i < x.shape[0] and j <= x.shape[1] - 1 else 0


@pyasc.jit
def scaled(x, y, a):
    i, j = pyasc.get_row(), pyasc.get_col()
    y[j, i] = a * x[i, j] + 1


@pyasc.kernel
def scaled_loops(x, y, a):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = a * x[i, j] + 1


@pytest.mark.parametrize("dtype", TURNS)
def test_transposes(dtype):
    for m, n in SHAPES:
        x = np.random.default_rng(1).integers(-50, 50, (m, n)).astype(dtype)
        y = np.zeros((n, m), dtype)
        launch(TURNS[dtype], m, n)(x, y)
        assert (y == x.T).all()
        y[:] = 0
        items(x, y)
        assert (y == x.T).all()
        y[:] = 0
        guarded_items.over(n + 5, m + 20)(x, y)
        assert (y == x.T).all()
        z = np.full((n + 20, m + 3), 9, dtype)
        padded(x, z)
        assert (z[:n, :m] == x.T).all() and not z[n:].any() and not z[:, m:].any()
        y[:] = 0
        scaled.over(m, n)(x, y, 2)
        assert (y == x.T * 2 + 1).all()
        y[:] = 0
        scaled_loops(x, y, 2)
        assert (y == x.T * 2 + 1).all()
    told = [launch(TURNS[dtype], m, n).explain(x, y), items.explain(x, y), guarded_items.explain(x, y), padded.explain(x, y),
            scaled.explain(x, y, 2), scaled_loops.explain(x, y, 2)]
    assert all("turned over in squares" in t for t in told), told
    assert UNUSED in told[0]


def test_transposes_of_other_things():
    x = np.arange(40 * 33, dtype=np.float32).reshape(40, 33)
    for view in (x.T, x[::2], x[:, ::3], x[::-1, 1:]):
        y = np.zeros(view.T.shape, np.float32)
        items(view, y)
        assert (y == view.T).all()
        launch(TURNS["float32"], *view.shape)(view, y[:])
        assert (y == view.T).all()
    s = np.arange(25, dtype=np.float32).reshape(5, 5)
    y = np.zeros((5, 5), np.float64)
    items(s, y)
    assert (y == s.T).all()
    half = np.arange(60).reshape(5, 12) % 2 == 0
    y = np.zeros((12, 5), bool)
    items(half, y)
    assert (y == half.T).all()


@pyasc.jit
def upper(x, y):  # the condition is of both
    i, j = pyasc.get_row(), pyasc.get_col()
    if i < j:
        y[j, i] = x[i, j]


@pyasc.jit
def twice(x, y):
    i, j = pyasc.get_row(), pyasc.get_col()
    y[j, i] = x[i, j]
    y[j, i] += x[i, j]


def test_transposes_that_are_none():
    x = np.random.default_rng(2).standard_normal((40, 40)).astype(np.float32)
    y = np.zeros((40, 40), np.float32)
    upper(x, y)
    assert (y == np.triu(x, 1).T).all() and "squares" not in upper.explain(x, y)
    twice(x, y)
    assert (y == x.T + x.T).all() and "squares" not in twice.explain(x, y)
    items(x, x.T)
    items(x, x)


B = 64


@pyasc.jit
def backwards(x, y):  # each block's, through one row
    tile = pyasc.shared(B)
    t = pyasc.get_local_id()
    tile[t] = x[pyasc.get_global_id()] * 2
    pyasc.syncthreads()
    y[pyasc.get_global_id()] = tile[B - 1 - t]


@pyasc.jit
def neighbour(x, y):
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    if i < y.shape[0]:
        y[i] = tile[t] + tile[B - 1]


def test_rows():
    x = np.random.default_rng(3).standard_normal(5 * B).astype(np.float32)
    y = np.zeros_like(x)
    backwards[5, B](x, y)
    assert (y == (x * 2).reshape(5, B)[:, ::-1].ravel()).all()
    assert not forwarded(backwards[5, B], x, y)  # against the grain
    short = x[:-10].copy()
    z = np.zeros(5 * B, np.float32)
    neighbour[5, B](short, z)
    full = np.append(short, np.zeros(10, np.float32)).reshape(5, B)
    assert (z == (full + full[:, -1:]).ravel()).all()
    assert forwarded(neighbour[5, B], short, z)


# What must stay as it is written.


@pyasc.jit
def half(x, y):  # only a part of the work-items fill it, and it is filled again
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    for k in range(2):
        if t < B // 2 - k:
            tile[t] = x[i] + k
        pyasc.syncthreads()
        y[k, i] = tile[B - 1 - t]
        pyasc.syncthreads()


@pyasc.jit
def two_stores(x, y):
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i]
    pyasc.syncthreads()
    y[0, i] = tile[B - 1 - t]
    pyasc.syncthreads()
    tile[t] = x[i] * 2
    pyasc.syncthreads()
    y[1, i] = tile[B - 1 - t]


@pyasc.jit
def looked_up(x, y):  # the subscript is data
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i]
    pyasc.syncthreads()
    y[0, i] = tile[int(x[i]) % B]
    y[1, i] = tile[int(abs(x[i]))]


@pyasc.jit
def no_barrier(x, y):  # each reads what it has stored itself
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i]
    y[0, i] = tile[t]
    pyasc.syncthreads()
    y[1, i] = x[i]


@pyasc.jit
def stored_to(x, y):  # the array that the tile was filled from changes
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    y[1, i] = x[i]
    tile[t] = y[1, i]
    pyasc.syncthreads()
    y[1, i] = 5
    y[0, i] = tile[B - 1 - t]


@pyasc.jit
def carried(x, y):  # what is stored is a sum of the work-item's own
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    s = pyasc.float32(0)
    for k in range(2):
        s += x[i]
        tile[t] = s
        pyasc.syncthreads()
        y[k, i] = tile[B - 1 - t]
        pyasc.syncthreads()


@pyasc.jit
def in_order(x, y):  # the barriers also order what is stored
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i]
    y[0, i] = x[i]
    pyasc.syncthreads()
    y[1, i] = tile[t] + y[0, pyasc.get_group_id() * B + B - 1 - t]


@pyasc.jit
def last_wins(x, y):  # all store to one place in turn
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i]
    pyasc.syncthreads()
    y[1, i] = tile[t]
    for k in range(B):
        if t == (k * 7) % B:
            y[0, pyasc.get_group_id()] = tile[t]
        pyasc.syncthreads()


@pyasc.jit
def counted(x, y):
    tile = pyasc.shared(B)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i]
    pyasc.syncthreads()
    pyasc.atomic_add(tile, B - 1 - t, 1.0)
    pyasc.syncthreads()
    y[0, i] = tile[t]
    y[1, i] = tile[B - 1 - t]


def expected(name, x):
    rows = x.reshape(-1, B)
    back = rows[:, ::-1]
    if name == "half":
        first = np.where(np.arange(B) < B // 2, rows, 0)
        again = np.where(np.arange(B) < B // 2 - 1, rows + 1, first)
        return first[:, ::-1], again[:, ::-1]
    if name == "two_stores":
        return back, back * 2
    if name == "looked_up":
        return (np.take_along_axis(rows, rows.astype(int) % B, 1),) * 2
    if name == "no_barrier":
        return rows, rows
    if name == "stored_to":
        return back, np.full_like(rows, 5)
    if name == "carried":
        return back, back * 2
    if name == "in_order":
        return rows, rows + back
    if name == "last_wins":
        first = np.zeros(len(x), x.dtype)
        first[:len(rows)] = rows[:, (B - 1) * 7 % B]
        return first, rows
    return rows + 1, (rows + 1)[:, ::-1]


@pytest.mark.parametrize("kernel", [half, two_stores, looked_up, no_barrier, stored_to, carried, in_order, last_wins, counted],
                         ids=lambda k: k.__wrapped__.__name__)
def test_what_is_no_tile_stays(kernel):
    x = np.random.default_rng(4).integers(0, B, 3 * B).astype(np.float32)
    y = np.zeros((2, 3 * B), np.float32)
    assert not forwarded(kernel[3, B], x, y)
    kernel[3, B](x, y)
    for got, want in zip(y, expected(kernel.__wrapped__.__name__, x)):
        assert (got == want.ravel()).all()


def test_checked_kernels_are_as_written():
    kernel = pyasc.jit(check=True)(PRODUCTS["float32"][0].__wrapped__)
    a, b = operands(20, 33, 40, "float32")
    c = np.zeros((20, 33), np.float32)
    assert not forwarded(launch(kernel, 20, 33), a, b, c)
    launch(kernel, 20, 33)(a, b, c)
    check(c, a, b)
    d = np.zeros((40, 20), np.float32)
    pyasc.jit(check=True)(items.__wrapped__)(a, d)
    assert (d == a.T).all()


def test_order_is_kept_where_it_is_asked_for():
    kernel = pyasc.jit(fastmath=False)(PRODUCTS["float32"][0].__wrapped__)
    a, b = operands(33, 20, 40, "float32")
    c = np.zeros((33, 20), np.float32)
    launch(kernel, 33, 20)(a, b, c)
    want = np.zeros((33, 20), np.float32)
    for k in range(40):
        want += a[:, k:k + 1] * b[k]
    assert (c == want).all()


def test_infinities():
    """Zeros that pad a tile meet nothing infinite; what there is does."""
    kernel = PRODUCTS["float32"][0]
    a, b = operands(20, 20, 20, "float32")
    a[3, 5], b[7, 2], a[4, 19] = np.inf, np.nan, -np.inf
    c = np.zeros((20, 20), np.float32)
    launch(kernel, 20, 20)(a, b, c)
    with np.errstate(invalid="ignore"):
        want = np.stack([(a[i][:, None] * b).sum(0) for i in range(20)])
    assert (np.isnan(c) == np.isnan(want)).all() and (np.isinf(c) == np.isinf(want)).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(threads):
    code = ("import test_tiles as t\n"
            "for d in ('float32', 'int32'):\n"
            "    t.test_products(d, 0); t.test_transposes(d)\n"
            "t.test_rows(); t.test_arguments_that_overlap()")
    env = dict(os.environ, PYASC_NUM_THREADS=str(threads))
    subprocess.run([sys.executable, "-c", code], check=True, env=env, cwd=os.path.dirname(os.path.abspath(__file__)))


SIDE = 8


@pyasc.jit
def named(x, y):
    tile = pyasc.shared((SIDE, SIDE))
    r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
    tile[r, q] = x[pyasc.get_group_id(1) * SIDE + r, pyasc.get_group_id(0) * SIDE + q]
    pyasc.syncthreads()
    y[pyasc.get_group_id(0) * SIDE + r, pyasc.get_group_id(1) * SIDE + q] = tile[q, r]


def test_a_size_that_changes_compiles_anew():
    global SIDE
    x = np.arange(32 * 48, dtype=np.float32).reshape(32, 48)
    for SIDE in (8, 16, 8, 4):
        y = np.zeros((48, 32), np.float32)
        launch(named, 32, 48, SIDE)(x, y)
        assert (y == x.T).all()
        assert forwarded(launch(named, 32, 48, SIDE), x, y)


@pytest.mark.parametrize("seed", range(4))
def test_random_tiles(seed, tmp_path):
    """As when they run with check=True, which leaves kernels as they are written, wherever that finds nothing wrong."""
    rng, values = random.Random(seed), np.random.default_rng(seed)
    kernels = [random_tiles.source(rng, f"k{n}") for n in range(12)]
    path = tmp_path / "tiles_of_a_seed.py"
    path.write_text("import pyasc\n\n\n" + "\n\n".join(text for text, _ in kernels))
    spec = importlib.util.spec_from_file_location(f"tiles_of_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = 0
    for n, (text, (w, h)) in enumerate(kernels):
        compiled, checked = (pyasc.jit(cache=False, check=c)(getattr(module, f"k{n}")) for c in (False, True))
        for d in (0, 5, 33):
            blocks = rng.randint(1, 6), rng.randint(1, 6)
            rows, cols = blocks[1] * h, blocks[0] * w
            x = values.integers(-3, 4, (rng.choice([rows, rng.randint(1, rows + 3)]), max(d, 1))).astype(np.float32)
            z = values.integers(-3, 4, (d + rng.randint(1, 4), rng.randint(1, 40))).astype(np.float32)
            y = values.integers(-3, 4, (rng.randint(1, rows + 5), rng.randint(1, cols + 5))).astype(np.float32)
            want = y.copy()
            try:
                checked[blocks, (w, h)](x, z, want, d)
            except (pyasc.RaceError, IndexError):
                continue
            found += forwarded(compiled[blocks, (w, h)], x, z, y, d)
            compiled[blocks, (w, h)](x, z, y, d)
            assert (y == want).all(), text
    assert found
