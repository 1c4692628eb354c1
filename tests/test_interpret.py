"""Kernels interpreted by CPython against the same kernels compiled (spec sections 4, 5, 7 and 8)."""
import dataclasses
import dis
import math
import os
import subprocess
import sys
import threading
import typing

import numpy as np
import pyasc
import pytest
import test_kernels
import test_parallel

def interpreted(k):
    """The kernel k, interpreted."""
    return pyasc.jit(k.fn if isinstance(k, pyasc.Kernel) else k, interpret=True)


def test_kernels_of_other_tests():
    x, n = np.random.default_rng(5).standard_normal((9, 13)).astype(np.float32), np.arange(-5, 30, dtype=np.int32)
    flat = x.ravel().copy()
    cases = [(test_kernels.early, (flat * 5, np.zeros_like(flat))), (test_kernels.trip_counts, (n, np.zeros(n.size, np.int64))),
             (test_kernels.reused_name, (flat, np.zeros((flat.size, 4), np.float32))),
             (test_kernels.five_points, (x, np.zeros_like(x))), (test_kernels.mirror, (flat, np.zeros_like(flat))),
             (test_kernels.optional, (flat, np.zeros_like(flat))), (test_kernels.optional, (flat, np.zeros_like(flat), flat)),
             (test_kernels.continue_in_else, (np.zeros(6, np.int32),)), (test_kernels.captured, (flat, np.zeros_like(flat))),
             (test_kernels.three_dims, (np.zeros((3, 5, 18), np.int64),)), (test_kernels.weighted, (flat, np.zeros_like(flat), 3)),
             (test_kernels.local_in_a_plain_kernel, (flat, np.zeros(6, np.float32))),
             (test_kernels.looks_up, (np.array([3, 1, -1, 0, 2, 2, -8, 7], np.int32), np.zeros(8, np.float32)))]
    for k in test_parallel.SPELLINGS:
        cases.append((k, (flat, flat * 2, np.zeros_like(flat))))
    cases += [(test_parallel.two_dimensions, (x, np.zeros_like(x))), (test_parallel.three_dimensions, (np.zeros((2, 3, 4), np.int64),)),
              (test_parallel.nested, (x, np.zeros_like(x))), (test_parallel.tasks, (np.ones(21), 7)),
              (test_parallel.task_of_tasks, (np.zeros(2000),)), (test_parallel.one_stage, (np.zeros(5, np.int32),)),
              (test_parallel.staged, tuple(np.random.rand(5, 6)[:4]) + (np.zeros(6), np.zeros(7, np.int64))[:0] + (np.zeros(7, np.int64),)),
              (test_parallel.acquired_in_a_loop, (np.arange(50), np.zeros(2, np.int64))),
              (test_parallel.hinted, (flat, np.zeros_like(flat))), (test_parallel.with_tables, (flat, np.zeros_like(flat)))]
    for lock in (test_parallel.counted, test_parallel.acquired, test_parallel.shared_lock):
        cases.append((lock, (np.array([3, -1, 5]), np.zeros(2, np.int64))))
    for k, args in cases:
        same(k, interpreted(k), args)
    for k, count, args in ((test_parallel.lanes, 7, (np.random.rand(28).astype(np.float32), np.zeros(28, np.float32))),
                           (test_parallel.lanes_of, 3, (np.arange(24, dtype=np.float32), np.zeros(24, np.float32))),
                           (test_parallel.packed, 9, (np.random.rand(9), np.zeros(9))),
                           (test_parallel.doubled, 9, (np.arange(9, dtype=np.int8), np.zeros(9, np.int8))),
                           (test_parallel.in_work_items, 5, (np.zeros((5, 7), np.int32),)),
                           (test_kernels.wraps, 16, (np.arange(16.), np.zeros(16)))):
        same(k.over(count), interpreted(k).over(count), args)
    x = np.arange(256 * 2, dtype=np.float32) % 13
    same(test_kernels.tree[2, 256], interpreted(test_kernels.tree)[2, 256], (x, np.zeros(2, np.float32)))
    same(test_kernels.crossing[1, 48], interpreted(test_kernels.crossing)[1, 48], (x[:48].copy(), np.zeros(48, np.float32)))


def same(compiled, python, args):
    results = []
    for run in (compiled, python):
        mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        run(*mine)
        results.append(mine)
    for want, got in zip(*results):
        if isinstance(want, np.ndarray):
            np.testing.assert_allclose(got, want, rtol=3e-6)


@pytest.mark.parametrize("dt", [np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64])
def test_atomics(dt, tmp_path):
    for kind in ("add", "sub", "max", "min", "exchange", "cas") + (("and", "or", "xor") if np.dtype(dt).kind != "f" else ()):
        path = tmp_path / f"atomic_{kind}.py"
        call = "atomic_cas(t, (0, k % 3), x[0], x[k])" if kind == "cas" else f"atomic_{kind}(t, (0, k % 3), x[k])"
        path.write_text(f"import pyasc\ndef k(x, t, old):\n    for k in range(x.shape[0]):\n        old[k] = pyasc.{call}\n")
        scope = {"__name__": "made"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        x = np.random.default_rng(6).integers(0, 100, 9).astype(dt)
        same(pyasc.jit(scope["k"]), interpreted(scope["k"]), (x, np.full((1, 3), x[0]), np.zeros(9, dt)))


# Variables.

@pyasc.jit(interpret=True)
def variables(x, out):
    n = 2 ** 62
    n *= 2
    out[0] = n  # wraps at 64 bits
    k: int = 7
    out[1] = (k := k + 2 ** 63 - 1) < 0
    a = b = 127
    out[2] = pyasc.int8(a + b)
    half = 0.1
    out[3] = half + x[0] == pyasc.float32(0.1) + x[0]
    flag = x[0] < 1
    out[4] = ~flag
    s = 0
    for i in range(3):
        s += i * 2 ** 62
    out[5] = s
    first, (second, *rest) = 1, (2, 3, 4)
    out[6] = first + second + rest[1]


def test_variables_from_integers_are_int64():
    out = np.zeros(7)
    variables(np.zeros(1, np.float32), out)
    assert out.tolist() == [-2.0 ** 63, 1, -2, 1, 0, 3 * 2.0 ** 62 - 2.0 ** 64, 7]


# Python's own in kernels.

class Line:
    def __init__(self, slope):
        self.slope = slope
        self.calls = 0

    def at(self, v):
        self.calls += 1
        return self.slope * v

    @property
    def half(self):
        return self.slope / 2


class Shifted(Line):
    def __init__(self, slope, by):
        super().__init__(slope)
        self.__by = by

    def at(self, v):
        return super().at(v) + pyasc.exp(self.__by * 0.0)

    def __add__(self, other):
        return Shifted(self.slope + other.slope, int(2.7))


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0

    def norm(self):
        return pyasc.sqrt(self.x * self.x + self.y * self.y)


class Pair(typing.NamedTuple):
    a: int
    b: float


OUTSIDE = Line(3)


@pyasc.jit(interpret=True)
def pythons(x, out):
    i = pyasc.get_global_id()
    line = Shifted(2, 1) + Shifted(x[i], 4)
    out[i, 0] = line.at(x[i])
    out[i, 1] = line.half + line.calls
    out[i, 2] = Point(x[i], 4.0).norm()
    pair = Pair(1, x[i])
    out[i, 3] = pair.a + pair.b + OUTSIDE.at(1)
    try:
        q = i // (i - 1)
    except ZeroDivisionError:
        q = -7
    out[i, 4] = q
    out[i, 5] = sum([x[i] * c for c in (1, 2, 3)])

    def add(v):
        nonlocal q
        q += v
    add(5)
    out[i, 6] = q
    assert isinstance(x[i], float) and isinstance(i, int)
    while True:
        with pyasc.mutex():
            break
    out[i, 7] = i // (i - 1)  # outside of the try: 0


def test_classes_exceptions_and_comprehensions():
    x, out = np.arange(4, dtype=np.float32), np.zeros((4, 8), np.float32)
    pythons.over(4)(x, out)
    want = np.stack([(x + 2) * x + 1, (x + 2) / 2 + 1, np.hypot(x, 4), 1 + x + 3, [0, -7, 2, 1], x * 6, [5, -2, 7, 6],
                     [0, 0, 2, 1]], 1)
    np.testing.assert_allclose(out, want, rtol=1e-6)
    assert OUTSIDE.calls == 4


class Model:
    def __init__(self):
        self.weights, self.scale = np.arange(4, dtype=np.float32), 3

    @pyasc.jit(interpret=True)
    def run(self, x, out):
        i = pyasc.get_global_id()
        out[i] = self.weights[i] * self.scale + self.square(x[i])

    def square(self, v):
        return v ** 2


def test_kernels_may_be_methods():
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    Model().run(x, out)
    assert out.tolist() == [0, 4, 10, 18]
    Model().run[1, 2](x, out=out)
    Model.run.over(3)(Model(), x, out)


@pyasc.jit(interpret=True)
def whole_rows(x, y):
    i = pyasc.get_row()
    y[i, :] = x[i, :] * 2 + x[i, 0]
    row = y[i, 1:]
    row += 1
    y[i, 0] = pyasc.sum(x[i, :]) + x[i].max() + max(row)
    y[i, 1] = (x @ x.T)[i, 0] / 2


def test_views_have_arithmetic():
    x, y = np.arange(6, dtype=np.int8).reshape(2, 3) * 20, np.zeros((2, 3), np.float32)
    whole_rows.over(2, 1)(x, y)
    wide = x.astype(np.int32)
    want = wide * 2.0 + wide[:, :1]
    want[:, 1:] += 1
    want[:, 0] = wide.sum(1) + wide.max(1) + want[:, 1:].max(1)
    want[:, 1] = (wide @ wide.T)[:, 0] / 2
    assert np.array_equal(y, want)


@pytest.mark.parametrize("make", [pyasc.tensor, memoryview, lambda a: pytest.importorskip("torch").from_numpy(a)])
def test_arguments_of_all_kinds(make):
    x = np.arange(5, dtype=np.float32)
    out = make(np.zeros(5, np.float32))
    interpreted(test_kernels.add)(make(x), x, out)
    assert np.array_equal(np.asarray(out), 2 * x)


def test_bfloat16():
    bf16 = pytest.importorskip("ml_dtypes").bfloat16
    x, y = np.linspace(-3, 3, 40).astype(bf16), np.linspace(1, 2, 40).astype(bf16)
    same(test_kernels.add, interpreted(test_kernels.add), (x, y, np.zeros(40, bf16)))


# Debugging.

@pyasc.jit(interpret=True)
def beyond(x, out):
    i = pyasc.get_global_id()
    for k in range(i + 1):
        out[i] = x[k + 3]


def test_a_subscript_out_of_range_says_where():
    out = np.zeros(600, np.float32)
    with pytest.raises(IndexError, match="index 300 is out of range for axis 0 of 'x', whose extent is 300") as e:
        beyond.over(600)(np.arange(300, dtype=np.float32), out)
    assert e.value.work_item == ((297,), (1,))
    assert sys.version_info < (3, 11) or e.value.__notes__ == ["[work-item (297,) of block (1,)]"]
    assert e.traceback[-3].path.samefile(__file__) and "out[i] = x[k + 3]" in str(e.traceback[-3].statement)
    assert out[296] == 299 and out[298] == 0  # lower ones have completed


def test_errors_of_launches_are_the_compiled_ones():
    x, k = np.zeros(4, np.float32), interpreted(test_kernels.add)
    frozen = x.copy()
    frozen.flags.writeable = False
    for args, kwargs in (((x,), {}), ((x, x, x, x), {}), ((x, x), {"z": x}), ((x, x, x), {"x": x}), (([1.0], x, x), {}),
                         ((x[:3], x, x), {}), ((x, x, frozen), {}), ((pyasc.mutex(), x, x), {})):
        said = []
        for run in (test_kernels.add, k):
            with pytest.raises((TypeError, ValueError)) as e:
                run(*args, **kwargs)
            said.append((e.type, e.value.args[0]))
        assert said[0] == said[1]
    for bad in (lambda k: k[1], lambda k: k[1, 0], lambda k: k.over(-1), lambda k: k.over()):
        for run in (test_kernels.add, k):
            with pytest.raises((TypeError, ValueError)):
                bad(run)
    with pytest.raises(ValueError, match="at most 1024"):
        interpreted(test_kernels.tree)[1, 2048](x, x)


@pyasc.jit(interpret=True)
def leaves_early(x, log):
    t = pyasc.get_local_id()
    log[pyasc.atomic_add(log, 0, 1) + 1] = t
    if t == 3:
        return
    pyasc.barrier()
    log[pyasc.atomic_add(log, 0, 1) + 1] = t
    if x[t] < 0:
        raise ValueError("negative")
    pyasc.barrier()
    x[t] = 9


def test_barriers_in_order_with_one_that_leaves_and_one_that_raises():
    threads = threading.active_count()
    x, log = np.zeros(8), np.zeros(40, np.int64)
    leaves_early[1, 8](x, log)
    assert x.tolist() == [9, 9, 9, 0, 9, 9, 9, 9] and log[1:16].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 4, 5, 6, 7]
    x, log = np.array([0, 0, 0, 0, 0, -1, 0, 0.0]), np.zeros(40, np.int64)
    with pytest.raises(ValueError, match="negative") as e:
        leaves_early[1, 8](x, log)
    assert e.value.work_item == ((5,), (0,)) and not (x == 9).any() and log[0] == 13
    assert threading.active_count() == threads


@pytest.mark.parametrize("k, text", [(test_parallel.barrier_in_lock, "would wait for ever"),
                                     (test_parallel.barrier_in_body, "nobody to meet"),
                                     (test_parallel.sync_in_task, "wait for itself"),
                                     (test_parallel.float_count, "float, not an integer"),
                                     (test_parallel.mixed_lanes, "vectors of 4 and 8 lanes"),
                                     (test_parallel.no_buffers, "there are none")], ids=lambda v: "")
def test_errors_in_the_body(k, text):
    with pytest.raises((pyasc.CompileError, TypeError, ValueError), match=text):
        interpreted(k)[1, 4](np.zeros(16, np.float32))


@pyasc.jit(interpret=True, check=True)
def checked(x, out):
    i = pyasc.get_global_id()
    out[i] = x[i] * x[i] // (x[i] - 1)


def test_check():
    out = np.zeros(1, np.int32)
    for value, error in ((1, ZeroDivisionError), (70000, OverflowError)):
        with pytest.raises(error):
            checked(np.full(1, value, np.int32), out)
    checked(np.full(1, 5, np.int32), out)
    assert out[0] == 25 // 4


@pytest.mark.parametrize("barrier", [False, True])
def test_lines_are_seen_by_tracers(barrier):
    k = interpreted(test_kernels.tree if barrier else test_kernels.early)
    lines, wanted = set(), {n for _, n in dis.findlinestarts(k.fn.__code__) if n and n > k.fn.__code__.co_firstlineno + 1}

    def trace(frame, event, arg):
        if event == "line" and frame.f_code.co_filename == test_kernels.__file__:
            lines.add(frame.f_lineno)
        return trace
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        (k[1, 256] if barrier else k)(np.arange(-1, 255, dtype=np.float32), np.zeros(256, np.float32))
    finally:
        sys.settrace(before)
    assert lines == wanted


SCRIPT = """
import numpy as np, pyasc
@pyasc.jit
def k(x, out):
    i = pyasc.get_global_id()
    s = 0
    if i == 2:
        breakpoint()
    s += x[i]
    out[i] = s * 2
    print(f"item {i} {s}")
out = np.zeros(4, np.float32)
k(np.arange(4, dtype=np.float32) / 3, out)
print(out.tolist())
"""


def test_pdb(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    run = subprocess.run([sys.executable, str(path)], input="p i, x[i], s\nb 10\nc\np repr(s)\nw\ncl 1\nc\n", text=True, capture_output=True,
                         timeout=60, env=dict(os.environ, PYASC_INTERPRET="1", NO_COLOR="1"))
    assert "(int64(2), float32(0.6666667), int64(0))" in run.stdout and "-> out[i] = s * 2" in run.stdout
    assert "'float32(0.6666667)'" in run.stdout and "script.py(10)k()" in run.stdout, run.stdout + run.stderr
    assert "item 3 1.0" in run.stdout and run.stdout.endswith(f"{[0, *(float(np.float32(v)) for v in (2 / 3, 4 / 3, 2))]}\n".replace("[0,", "[0.0,"))


def helper(out, r, v):
    out[r, 0] = v
    breakpoint


@pyasc.jit(interpret=True)
def not_compiled(x, out, tally):
    import math
    i, j = pyasc.get_row(), pyasc.get_col()
    helper(out, i, x[i, j])
    pyasc.atomic_add(tally, j, math.sqrt(4))
    {1: 2}


def test_the_domain_of_kernels_that_cannot_be_compiled():
    x, out, tally = np.ones((3, 5)), np.zeros((3, 2)), np.zeros(4)
    not_compiled(x, out, tally)
    assert tally.tolist() == [6] * 4 and out[:, 0].tolist() == [1] * 3


def test_a_stream_runs_it_in_order():
    s, x = pyasc.Stream(), np.zeros(3, np.float32)
    k = interpreted(test_kernels.shift)
    for _ in range(3):
        k(x, x, stream=s)
    beyond.over(3)(x, x.copy(), stream=s)
    with pytest.raises(IndexError):
        s.synchronize()
    assert x.tolist() == [3, 3, 3]


def test_texts_and_device_functions():
    k = interpreted(test_kernels.add)
    x = np.zeros(4, np.float32)
    assert "kernel @add" in k.ir(x, x, x, stage="front") and k.__name__ == "add" and not isinstance(k, pyasc.Kernel)
    with pytest.raises(TypeError, match="kernel already"):
        pyasc.jit(k)
    assert math.isclose(float(pyasc.sum(pyasc.ones(3))), 3)
