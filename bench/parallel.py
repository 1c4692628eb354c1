#!/usr/bin/env python3
"""parallel_for, tasks and a pipeline against the same work in a row: serial time over parallel time.

Bodies that do next to nothing wait for memory, which one core may saturate; so there are two kinds.
"""
import statistics
import time

import numpy as np

import pyasc as asc

N, ITEMS, ROUNDS = 10_000_000, 60, 9


def cheap(x, y, i):
    """Six steps of the Collatz sequence, added: a few nanoseconds."""
    v, n = x[i], 0
    for _ in range(6):
        v = v // 2 if v % 2 == 0 else 3 * v + 1
        n += v
    y[i] = n


def nothing(x, y, i):
    y[i] = x[i] * 3 + 1


@asc.jit
def parallel(x, y):
    asc.parallel_for(x.shape[0], lambda i: cheap(x, y, i))


@asc.jit(parallel=False)
def serial(x, y):
    for i in range(x.shape[0]):
        cheap(x, y, i)


@asc.jit
def parallel_nothing(x, y):
    asc.parallel_for(x.shape[0], lambda i: nothing(x, y, i))


@asc.jit(parallel=False)
def serial_nothing(x, y):
    for i in range(x.shape[0]):
        nothing(x, y, i)


def stage(x, y, i):
    """About 100 us: a chain that no vector helps."""
    v = x[i]
    for _ in range(30000):
        v = v * 0.999 + 0.001
    y[i] = v


@asc.jit
def pipelined(a, b, c, d):
    asc.pipeline((lambda i: stage(a, b, i), lambda i: stage(b, c, i), lambda i: stage(c, d, i)), a.shape[0])


@asc.jit(parallel=False)
def in_a_row(a, b, c, d):
    for i in range(a.shape[0]):
        stage(a, b, i)
        stage(b, c, i)
        stage(c, d, i)


@asc.jit
def tasks(a, b):
    for i in range(a.shape[0]):
        asc.task(stage, a, b, i)
    asc.sync()


@asc.jit(parallel=False)
def one_by_one(a, b):
    for i in range(a.shape[0]):
        stage(a, b, i)


def show(name, quick, slow):
    quick(), slow()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        quick()
        middle = time.perf_counter()
        slow()
        times.append((middle - start, time.perf_counter() - middle))
    ratio = statistics.median(s / q for q, s in times)
    print(f"{name:32} {min(q for q, _ in times) * 1e3:8.2f} ms  {min(s for _, s in times) * 1e3:8.2f} ms serial  {ratio:5.2f} x")


def main():
    x = np.random.randint(0, 1000, N, dtype=np.int32)
    y, z = np.empty_like(x), np.empty_like(x)
    show("parallel_for, 10^7 cheap bodies", lambda: parallel(x, y), lambda: serial(x, z))
    assert np.array_equal(y, z)
    show("parallel_for, 10^7 times 3 x + 1", lambda: parallel_nothing(x, y), lambda: serial_nothing(x, z))
    assert np.array_equal(y, z)
    a, b, c, d, e = np.random.rand(5, ITEMS)
    show("pipeline of three equal stages", lambda: pipelined(a, b, c, d), lambda: in_a_row(a, b, c, e))
    assert np.array_equal(d, e)
    show("60 tasks", lambda: tasks(a, b), lambda: one_by_one(a, c))
    assert np.array_equal(b, c)


if __name__ == "__main__":
    main()
