"""Kernels with barriers at blocks of many sizes: those of a known size have code of their own."""
import os
import subprocess
import sys

import numpy as np
import pytest

import pyasc

BLOCKS = (1, 7, 32, 64, 100, 256, 512)
SIZES = (0, 1, 255, 256, 257, 10007)
both = pytest.mark.parametrize("block", BLOCKS)


def sums_of(x, block):
    padded = np.zeros(-(-len(x) // block) * block, x.dtype)
    padded[:len(x)] = x
    return padded.reshape(-1, block)


def data(n, dtype=np.float32):
    return np.random.default_rng(n).integers(-50, 50, n).astype(dtype)


def tree_body(x, sums):
    tile = pyasc.shared(1024, dtype=pyasc.float32)
    t, i, size = pyasc.get_local_id(), pyasc.get_global_id(), pyasc.get_local_size()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    step = 512
    while step > 0:
        if t < step and t + step < size:
            tile[t] += tile[t + step]
        pyasc.syncthreads()
        step //= 2
    if t == 0:
        sums[pyasc.get_group_id()] = tile[0]


tree = pyasc.jit(tree_body)
checked = pyasc.jit(tree_body, check=True)


@pytest.mark.parametrize("kernel", (tree, checked))
@both
@pytest.mark.parametrize("n", SIZES)
def test_tree(kernel, block, n):
    x = data(n)
    want = sums_of(x, block).sum(1)
    sums = np.full(len(want), 7, np.float32)
    if n:
        kernel[len(want), block](x, sums)
    assert np.array_equal(sums, want)


@pyasc.jit
def tree_for(x, sums):
    tile = pyasc.shared(512, dtype=pyasc.int64)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = x[i] if i < x.shape[0] else 0
    pyasc.syncthreads()
    for k in range(9):
        step = 1 << k
        v = 0
        if t + step < pyasc.get_local_size():
            v = tile[t + step]
        pyasc.syncthreads()
        tile[t] += v
        pyasc.syncthreads()
    sums[pyasc.get_group_id()] = tile[0]


@both
@pytest.mark.parametrize("n", SIZES[1:])
def test_counted_loop_of_wide_numbers(block, n):
    x = data(n, np.int64)
    want = sums_of(x, block).sum(1)
    sums = np.zeros(len(want), np.int64)
    tree_for[len(want), block](x, sums)
    assert np.array_equal(sums, want)


@pyasc.jit
def scan(x, y):
    tile = pyasc.shared(512, dtype=pyasc.int32)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    if i < x.shape[0]:
        tile[t] = x[i]
    pyasc.syncthreads()
    step = 1
    while step < pyasc.get_local_size():
        v = tile[t]
        if t >= step:
            v += tile[t - step]
        pyasc.syncthreads()
        tile[t] = v
        pyasc.syncthreads()
        step *= 2
    if i < x.shape[0]:
        y[i] = tile[t]


@both
@pytest.mark.parametrize("n", SIZES[1:])
def test_scan(block, n):
    x = data(n, np.int32)
    y = np.zeros_like(x)
    rows = sums_of(x, block)
    scan[len(rows), block](x, y)
    assert np.array_equal(y, rows.cumsum(1).ravel()[:n])


@pyasc.jit
def reverse(x, y):
    tile = pyasc.shared(512, dtype=pyasc.int16)
    t, i, size = pyasc.get_local_id(), pyasc.get_global_id(), pyasc.get_local_size()
    tile[size - 1 - t] = x[i]
    pyasc.syncthreads()
    y[i] = tile[t]
    pyasc.syncthreads()
    if t + 3 < size:
        tile[t + 3] = x[i]
    pyasc.syncthreads()
    if t % 2 == 0:
        y[i] += 100 * tile[t]


@both
@pytest.mark.parametrize("blocks", (1, 5))
def test_other_ways_through_the_tile(block, blocks):
    x = data(block * blocks, np.int16)
    y = np.zeros_like(x)
    reverse[blocks, block](x, y)
    rows = x.reshape(blocks, block)
    want = rows[:, ::-1].copy()
    moved = want.copy()
    moved[:, 3:] = rows[:, :-3] if block > 3 else moved[:, 3:]
    want[:, ::2] += 100 * moved[:, ::2]
    assert np.array_equal(y, want.ravel())


@pyasc.jit
def guarded(x, y, first, end):
    tile = pyasc.shared(512, dtype=pyasc.float32)
    t, i = pyasc.get_local_id(), pyasc.get_global_id()
    tile[t] = 1.0
    if i >= first and i + 1 < end:
        tile[t] = x[i] + x[i + 1]
    pyasc.syncthreads()
    other = tile[t - 1] if t > 0 else 0.5
    pyasc.syncthreads()
    tile[t] += other
    pyasc.syncthreads()
    if not (i < end):
        return
    y[i] = tile[t]


@both
@pytest.mark.parametrize("first, end", ((0, 1000), (1, 999), (300, 301), (-5, 700), (0, 0), (256, 512)))
def test_guards_and_returns(block, first, end):
    x = data(1001)
    y, i = np.full(1000, -1.0, np.float32), np.arange(1000)
    guarded[-(-1000 // block), block](x, y, first, end)
    tile = np.where((i >= first) & (i + 1 < end), x[:-1] + x[1:], 1.0)
    want = np.where(i % block > 0, np.roll(tile, 1), 0.5) + tile
    assert np.array_equal(y, np.where(i < end, want, -1.0).astype(np.float32))


@pyasc.jit
def counts_of(x, counts):
    part = pyasc.shared(256, dtype=pyasc.int32)
    t, i, size = pyasc.get_local_id(), pyasc.get_global_id(), pyasc.get_local_size()
    while i < x.shape[0]:
        pyasc.atomic_add(part, x[i], 1)
        i += pyasc.get_global_size()
    pyasc.syncthreads()
    while t < 256:
        pyasc.atomic_add(counts, t, part[t])
        t += size


@both
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("blocks", (1, 16))
def test_histogram(block, n, blocks):
    x = np.random.default_rng(n).integers(0, 256, n).astype(np.uint8)
    counts = np.zeros(256, np.int32)
    counts_of[blocks, block](x, counts)
    assert np.array_equal(counts, np.bincount(x, minlength=256))


@pyasc.jit
def plane(x, y):
    tile = pyasc.shared((32, 33))
    r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)
    height, width = pyasc.get_local_size(1), pyasc.get_local_size(0)
    i, j = pyasc.get_group_id(1) * height + r, pyasc.get_group_id(0) * width + q
    if i < x.shape[0] and j < x.shape[1]:
        tile[r, q] = x[i, j]
    pyasc.syncthreads()
    v = tile[r, q]
    if r > 0:
        v += 2 * tile[r - 1, q]
    if q + 1 < width:
        v += 4 * tile[r, q + 1]
    if i < x.shape[0] and j < x.shape[1]:
        y[i, j] = v


@pytest.mark.parametrize("width, height", ((16, 16), (32, 32), (32, 4), (16, 1), (7, 3), (1, 1), (48, 2)))
@pytest.mark.parametrize("shape", ((1, 1), (16, 16), (33, 65), (64, 64)))
def test_planes(width, height, shape):
    x = data(shape[0] * shape[1]).reshape(shape)
    y = np.zeros_like(x)
    if width > 33:
        return
    plane[(-(-shape[1] // width), -(-shape[0] // height)), (width, height)](x, y)
    padded = np.zeros((shape[0] + height, shape[1] + width), np.float32)
    padded[:shape[0], :shape[1]] = x
    i, j = np.indices(shape)
    want = x + np.where(i % height > 0, 2 * np.roll(x, 1, 0), 0) \
             + np.where(j % width + 1 < width, 4 * padded[:shape[0], 1:shape[1] + 1], 0)
    assert np.array_equal(y, want)


@pyasc.jit
def private(x, y, rounds):
    mine = pyasc.local(2, dtype=pyasc.int32)
    tile = pyasc.shared(512, dtype=pyasc.int32)
    t, i, size = pyasc.get_local_id(), pyasc.get_global_id(), pyasc.get_local_size()
    mine[0] = x[i]
    for k in range(rounds):
        tile[t] = mine[0] + k
        pyasc.syncthreads()
        mine[1] = tile[(t + 1) % size]
        pyasc.syncthreads()
        mine[0] = mine[1]
    y[i] = mine[0]


@both
@pytest.mark.parametrize("rounds", (0, 1, 5))
def test_memory_of_each_work_item(block, rounds):
    x = data(3 * block, np.int32)
    y = np.zeros_like(x)
    private[3, block](x, y, rounds)
    want = np.roll(x.reshape(3, block), -rounds, 1) + sum(range(rounds))
    assert np.array_equal(y, want.ravel())


WIDTH = 64


@pyasc.jit
def of_width(y):
    tile = pyasc.shared(WIDTH, dtype=pyasc.int32)
    tile[pyasc.get_local_id()] = WIDTH
    pyasc.syncthreads()
    y[pyasc.get_global_id()] = tile[WIDTH - 1] + WIDTH


def test_a_frozen_number_is_looked_at_again():
    global WIDTH
    for WIDTH in (64, 32, 64):
        y = np.zeros(2 * WIDTH, np.int32)
        of_width[2, WIDTH](y)
        assert (y == 2 * WIDTH).all()
    WIDTH = 64


def test_sizes_share_versions_after_some():
    made = pyasc.jit(tree_body)
    x = data(3000)
    for block in range(16, 640, 16):
        want = sums_of(x, block).sum(1)
        sums = np.zeros(len(want), np.float32)
        made[len(want), block](x, sums)
        assert np.array_equal(sums, want)
    assert len(made.cache_info()) <= 9


@pytest.mark.parametrize("threads", (1, 2))
def test_threads(threads):
    env = dict(os.environ, PYASC_NUM_THREADS=str(threads), PYASC_TEST_EVERY="1")
    here = os.path.abspath(__file__)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", here, "-k",
                           "(tree or scan or histogram) and (64 or 256) and 10007"], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pyasc.jit
def kept_sums(x, counts, twice, read):
    t = pyasc.get_local_id()
    tile = pyasc.shared(512, dtype=pyasc.int32)
    tile[t] = x[pyasc.get_global_id()]
    pyasc.syncthreads()
    if tile[t] % 2 == 0:
        pyasc.atomic_add(counts, t, tile[t])
    pyasc.atomic_add(twice, t // 2, 1)
    pyasc.atomic_add(read, t, 1)
    old = pyasc.atomic_add(read, t, 1)
    pyasc.atomic_max(tile, t, old)


@pytest.mark.parametrize("blocks", (1, 3, 200))
@both
def test_sums_of_all_blocks(block, blocks):
    x = data(block * blocks, np.int32)
    counts, twice, read = (np.full(block, 5, np.int32) for _ in range(3))
    kept_sums[blocks, block](x, counts, twice, read)
    rows = x.reshape(blocks, block)
    assert np.array_equal(counts, 5 + np.where(rows % 2 == 0, rows, 0).sum(0))
    assert np.array_equal(twice, 5 + blocks * np.bincount(np.arange(block) // 2, minlength=block))
    assert (read == 5 + 2 * blocks).all()


def test_sums_of_an_array_that_is_read_too():
    @pyasc.jit
    def both_ways(x, counts):
        t = pyasc.get_local_id()
        tile = pyasc.shared(64, dtype=pyasc.int32)
        tile[t] = x[t]
        pyasc.syncthreads()
        pyasc.atomic_add(counts, t, tile[63 - t])

    x = np.arange(64, dtype=np.int32)
    both_ways[1, 64](x, x)
    assert (x == 63).all()


def test_subscripts_that_are_loaded_bytes():
    @pyasc.jit
    def sums(keys, values, out):
        part = pyasc.shared(256, dtype=pyasc.float32)
        t, i = pyasc.get_local_id(), pyasc.get_global_id()
        if i < keys.shape[0]:
            pyasc.atomic_add(part, keys[i], values[i])
        pyasc.syncthreads()
        out[pyasc.get_group_id(), t] = part[t]

    rng = np.random.default_rng(0)
    for n in SIZES[1:]:
        keys, values = rng.integers(0, 256, n).astype(np.uint8), rng.integers(-9, 9, n).astype(np.float32)
        blocks = -(-n // 256)
        out = np.zeros((blocks, 256), np.float32)
        sums[blocks, 256](keys, values, out)
        want = [np.bincount(keys[k:k + 256], values[k:k + 256], 256) for k in range(0, n, 256)]
        assert np.array_equal(out, np.array(want, np.float32))
