"""Maps beyond the caches, whose stores go beside them (src/target/cpu/emit_stream.c): the same values at every alignment."""
import platform

import numpy as np
import pyasc
import pytest

N = (24 << 20) // 4  # more than half of most machines' last cache


@pyasc.jit
def plain(y, x):
    for i in range(y.shape[0]):
        y[i] = x[i] * 2 + 1


@pyasc.jit
def items(y, x):
    i = pyasc.get_global_id()
    y[i] = x[i] * 2 + 1


@pyasc.jit
def parallel(y, x):
    def body(i):
        y[i] = x[i] * 2 + 1
    pyasc.parallel_for(y.shape[0], body)


def room(n, bytes_off, dtype=np.float32):
    """n zeros at an address that is bytes_off beyond a multiple of 64."""
    raw = np.zeros(n * np.dtype(dtype).itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 64 + bytes_off
    return raw[start:start + n * np.dtype(dtype).itemsize].view(dtype)


@pytest.mark.parametrize("kernel", [plain, items, parallel])
@pytest.mark.parametrize("off", [0, 4, 16, 48])
def test_alignments(kernel, off):
    n = N + 13
    x, y = np.arange(n, dtype=np.float32) % 1000, room(n + 1, off)
    kernel(y[:n], x)
    assert np.array_equal(y[:n], x * 2 + 1) and y[n] == 0


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float64, np.float16])
@pytest.mark.parametrize("kernel", [plain, items])
def test_types(dtype, kernel):
    n = 24 * (1 << 20) // np.dtype(dtype).itemsize
    x, y = (np.arange(n) % 50).astype(dtype), room(n, 16, dtype)
    kernel(y, x)
    assert np.array_equal(y, x * dtype(2) + dtype(1))


@pyasc.jit
def plane(y, x):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x[i, j] + 1


@pyasc.jit
def plane_items(y, x):
    i, j = pyasc.get_row(), pyasc.get_col()
    y[i, j] = x[i, j] + 1


@pytest.mark.parametrize("kernel", [plane, plane_items])
@pytest.mark.parametrize("columns", [16, 255, 1024, 1027])
def test_planes(kernel, columns):
    x = np.arange(N // columns * columns, dtype=np.float32).reshape(-1, columns) % 777
    for off in (0, 16):
        y = room(x.size, off).reshape(x.shape)
        kernel(y, x)
        assert np.array_equal(y, x + 1)


@pyasc.jit
def twice(y, x):
    for r in range(3):
        for i in range(y.shape[0]):
            y[i] = x[i] + r


@pyasc.jit
def read_back(y, x):
    for i in range(y.shape[0]):
        y[i] = x[i] + 1
    s = 0.0
    for i in range(y.shape[0]):
        s += y[i]
    y[0] = s


def test_what_is_stored_again_or_read():
    x, y = np.ones(N, np.float32), np.zeros(N, np.float32)
    twice(y, x)
    assert (y == 3).all()
    read_back(y, x)
    assert y[0] == 2 * N and (y[1:] == 2).all()
    assert "sfence" not in read_back.asm(y, x)


def test_eager_and_in_place():
    x = pyasc.asarray(np.arange(N, dtype=np.float32) % 1000)
    y = pyasc.add(x, 1)
    assert np.array_equal(y.numpy(), x.numpy() + 1)
    plain(y, y)
    assert np.array_equal(y.numpy(), x.numpy() * 2 + 3)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines have no such stores")
@pytest.mark.parametrize("kernel", [plain, items, parallel, plane, plane_items])
def test_has_such_stores(kernel):
    x = np.ones((64, 512) if kernel in (plane, plane_items) else 1 << 15, np.float32)
    text = kernel.asm(np.zeros_like(x), x)
    assert "movnt" in text or "ymm" not in text
