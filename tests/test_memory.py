"""Nothing leaks and little is held: reference counts, resident memory, the pool's peak."""
import gc
import os
import sys

import numpy as np
import pytest

import pyasc

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


@pyasc.jit
def axpy(x, y, a):
    i = pyasc.get_global_id(0)
    y[i] += a * x[i]


@pyasc.jit
def plain(x, y, a, b=2):
    y[0] = x[0] + a * b


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_million_launches_leak_nothing():
    x, y, t = np.zeros(4, np.float32), np.zeros(4, np.float32), pyasc.zeros(4)
    objects = [x, y, t, axpy, plain, axpy.over(2), None, 0.5, 10**9]
    launcher = objects[5]
    rounds = 20 if SANITIZED else 1000

    def some(n):
        for _ in range(n):
            for _ in range(250):
                axpy(x, y, 0.5)
                launcher(t, y, a=0.5)
                plain(x, t, 10**9)
                axpy[1, 4](x, y, 1)
    some(10)
    gc.collect()
    counts, memory, alive = [sys.getrefcount(o) for o in objects[:6]], resident(), len(gc.get_objects())
    some(rounds)
    gc.collect()
    assert [sys.getrefcount(o) for o in objects[:6]] == counts
    assert abs(len(gc.get_objects()) - alive) < 50
    assert SANITIZED or resident() - memory < 4 << 20


def test_failing_launches_leak_nothing():
    x, y = np.zeros(4, np.float32), np.zeros(5, np.float32)
    readonly = np.zeros(4, np.float32)
    readonly.flags.writeable = False
    counts = [sys.getrefcount(o) for o in (x, y, readonly, axpy)]
    for _ in range(2000):
        for args in ((x,), (x, y, 1, 2), (x, readonly, 1), (x, "y", 1), (x, y, 2**80)):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                axpy(*args)
        with pytest.raises(ValueError):
            pyasc.add(x, y)
    del args
    gc.collect()
    assert [sys.getrefcount(o) for o in (x, y, readonly, axpy)] == counts


def test_eager_operations_leak_nothing():
    x = pyasc.ones((3, 5))

    def some(n):
        for _ in range(n):
            y = pyasc.softmax(x + 1, 0) * pyasc.sum(x, axis=1, keepdims=True)
            y = pyasc.concat([y, x], axis=0)[1:, ::2]
            y.numpy(), pyasc.matmul(x, x.T), float(pyasc.max(y)), repr(y)
    some(50)
    gc.collect()
    live, memory, count = pyasc.memory_stats(), resident(), sys.getrefcount(x)
    some(20 if SANITIZED else 3000)
    gc.collect()
    assert pyasc.memory_stats()["live"] == live["live"] and sys.getrefcount(x) == count
    assert SANITIZED or resident() - memory < 4 << 20


def test_a_chain_holds_three_buffers_at_most():
    n = (64 << 20) // 4
    pyasc.empty_cache()
    y = pyasc.full(n, 0.5)
    pyasc.reset_peak()
    start = pyasc.memory_stats()["peak"]
    for _ in range(25):  # y, what is read and what is written
        y = pyasc.abs(pyasc.sin(y * 1.5) - 0.25)
    stats = pyasc.memory_stats()
    assert start >= 64 << 20 and stats["peak"] <= 3 * (64 << 20) + (1 << 20)
    assert stats["in_use"] + stats["cached"] <= 3 * (64 << 20) + (1 << 20)
    want = np.float32(0.5)
    for _ in range(25):
        want = np.abs(np.sin(want * np.float32(1.5)) - np.float32(0.25))
    assert abs(float(y[0]) - float(want)) < 1e-4 and float(y[-1]) == float(y[0])


def test_a_torch_tensor_is_written_in_place():
    torch = pytest.importorskip("torch")
    x, y = torch.arange(6.0), torch.ones(6)
    address = y.data_ptr()
    axpy(x, y, 2)
    assert y.data_ptr() == address and y.tolist() == [1, 3, 5, 7, 9, 11]
    matrix = torch.zeros(3, 4)
    axpy.over(3)(torch.ones(3), matrix.T[1], 5)  # a strided view
    assert matrix[:, 1].tolist() == [5, 5, 5] and matrix.sum() == 15
    t = pyasc.from_dlpack(y)
    t[0] = 7
    u = torch.from_dlpack(t)
    u[1] = 9
    assert y[0] == 7 and float(t[1]) == 9 and u.data_ptr() == address
    half = torch.ones(4, dtype=torch.bfloat16)
    axpy(half, half, 1)
    assert half.tolist() == [2] * 4
    pyasc.add(torch.ones(6), y, out=y)
    assert y[1] == 10
