"""Python inside kernels (spec section 5): each construct, compiled, against CPython running the same function."""
import dataclasses
import inspect
import math
import sys
from typing import NamedTuple

import numpy as np
import pytest

import pyasc

X = np.array([3, -2, 7, 0, 5, -1, 4, 9], np.float32)
CASES = []


def case(f):
    CASES.append(f)
    return f


def outputs(f, runner):
    """f's output arrays, run by runner: out of float32, and ints of int64 if it takes them."""
    given = {"x": X.copy(), "m": np.arange(12, dtype=np.float32).reshape(3, 4), "n": 8,
             "i": np.array([7, -3, 2, 5, -8, 1, 0, 6], np.int64),
             "out": np.zeros(12, np.float32), "iout": np.zeros(12, np.int64), "mout": np.zeros((3, 4), np.float32)}
    args = [given[name] for name in inspect.signature(f).parameters if name in given]
    runner(f)(*args)
    return [a for a in args if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("check", [False, True], ids=["plain", "checked"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_compiled_as_python(f, check):
    want = outputs(f, lambda f: f)
    got = outputs(f, pyasc.jit(check=check))
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-6)


# classes that the kernels use

class Vec(NamedTuple):
    a: float
    b: float = 2.0

    def dot(self, other):
        return self.a * other.a + self.b * other.b


@dataclasses.dataclass
class Pair:
    a: float
    b: float = 3.0

    def __add__(self, other):
        return Pair(self.a + other.a, self.b + other.b)

    def __mul__(self, k):
        return Pair(self.a * k, self.b * k)

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return Pair(-self.a, -self.b)

    def __lt__(self, other):
        return self.total < other.total

    def scale(self, k):
        self.a *= k
        self.b *= k

    @property
    def total(self):
        return self.a + self.b

    @staticmethod
    def unit():
        return Pair(1.0, 1.0)


class Shape:
    SIDES = 4

    def __init__(self, w):
        self.w = w

    def area(self):
        return self.w * self.w

    def twice(self):
        return 2 * self.area()


class Box(Shape):
    def __init__(self, w, h):
        super().__init__(w)
        self.h = h

    def area(self):
        return self.w * self.h + 0 * super().area()


class Counter:
    def __init__(self):
        self.n = 0
        self.low = 1000.0

    def __call__(self, v):
        self.n += 1
        if v < self.low:
            self.low = v
        return self.n

    def __len__(self):
        return self.n

    def __getitem__(self, k):
        return self.low + k

    def __iadd__(self, v):
        self.n += v
        return self


class Window:
    """Holds a tensor and another object."""

    def __init__(self, data, box):
        self.data = data
        self.box = box

    def at(self, k):
        return self.data[k] + self.box.w


class TooBig(Exception):
    pass


class WayTooBig(TooBig):
    pass


def half(v, by=2):
    return v / by


def spread(a, *rest, scale=1.0):
    total = a
    for r in rest:
        total += r
    return total * scale


def careful(v):
    if v < 0:
        raise ValueError("negative")
    if v > 8:
        raise WayTooBig("nine")
    return v * 2


# assignment and expressions

@case
def unpacking(x, out):
    a, b = x[0], x[1]
    a, b = b, a
    (c, d), e = (a, b), x[2]
    first, *middle, last = (1, 2, 3, 4, 5)
    out[0], out[1] = c, d
    out[2] = e + first + last + len(middle) + middle[1]
    f = g = x[3] + 4
    out[3] = f * g
    out[4] += 2
    out[4] **= 3
    t: float = 7
    out[5] = t
    if (w := x[4]) > 1:
        out[6] = w


@case
def tuples(x, out):
    t = (x[0], x[1], 5.0) + (1.0,) * 2
    out[0] = len(t)
    out[1] = t[-1] + t[0]
    out[2] = sum(t[1:3])
    out[3] = max(t)
    k = int(x[3]) + 1
    out[4] = t[k]
    out[5] = t[k - 3]
    out[6] = (1, 2) < (1, 3)
    out[7] = (x[0], x[1]) == (3.0, -2.0)
    out[8] = x[0] in (1.0, 3.0)
    out[9] = 4 not in (1, 2)


@case
def lists(x, out):
    v = [0.0] * 3
    for k in range(3):
        v[k] = x[k] * 2
    v[-1] += 100.0
    out[0], out[1], out[2] = v
    w = [a + b for a, b in zip(v, (1.0, 2.0, 3.0)) if True]
    out[3] = sum(w)
    out[4] = len([k for k in range(10) if k % 3 == 0])
    grid = [[r * 10 + c for c in range(2)] for r in range(2)]
    out[5] = grid[1][1]


@case
def operators(i, iout):
    for k in range(8):
        a, b = i[k], k - 3
        s = a + b * 2 - (a & 3) + (a | 1) + (a ^ 5) + (~a) + (a << 2) + (a >> 1)
        if b != 0:
            s += a // b * 1000 + a % b
        iout[k] = s + (a ** 2) + (+a) - (-a)


@case
def comparisons(i, iout):
    for k in range(8):
        a = i[k]
        s = 0
        if -2 < a <= 5 < 6:
            s += 1
        if not a == 2 and a != 7 or a is None:
            s += 10
        s += 100 if a > 3 else 200 if a > 0 else 300
        s += int(a > 0) + int(a > 1)
        iout[k] = s


def bump(iout):
    iout[8] += 1
    return 3


@case
def middle_of_a_chain_once(iout):
    if 0 < bump(iout) < 9:
        iout[0] = 1
    if 9 < bump(iout) < bump(iout):
        iout[1] = 1


@case
def short_circuit(i, iout):
    for k in range(8):
        j = i[k]
        if 0 <= j and j < 8 and i[j] > 0:
            iout[k] = i[j]
        iout[k] += (j > 5 or 7) + (j and 3)
    a = 0 or 5
    b = 3 and 4
    iout[8] = a * 10 + b


@case
def builtins(x, i, out, iout):
    out[0] = min(x[0], x[1]) + max(x[0], x[1], 5.0) + abs(x[1])
    out[1] = round(2.5) + round(3.5) + round(x[0] * 0.3, 1)
    q, r = divmod(-7, 2)
    iout[0] = q * 100 + r
    iout[1] = pow(i[2], 3) + int(-2.7) + int(x[0]) + bool(x[3]) + bool(x[0])
    out[2] = float(3) + pow(2.0, 0.5)
    iout[2] = len((1, 2, 3)) + len(x) + isinstance((1,), tuple)
    out[3] = math.sqrt(x[7]) + math.floor(2.7) + math.pi
    iout[4] = i[math.floor(x[0] * 0.5)] + math.ceil(-2.5) * 10 + math.trunc(-2.5) * 100
    out[4], out[5], out[6] = math.fmod(-7.5, 2), math.fmod(x[7], -2.5), math.fmod(x[5], 3)
    iout[3] = any((False, True)) * 10 + all((True, False)) + sum((1, 2, 3))


# control flow

@case
def loops(x, out):
    for k in range(7, -1, -2):
        out[k] = k
    k = 0
    while k < 8:
        k += 1
        if k == 2:
            continue
        if k == 6:
            break
        out[8] += k
    else:
        out[9] = 1
    for k in range(3):
        if x[k] > 100:
            break
    else:
        out[10] = 5
    for k in range(0):
        out[11] = 1
    while True:
        out[11] += 1
        if out[11] > 3:
            break


@case
def iterables(x, m, out):
    for k, v in enumerate(x):
        out[k] = v + k
    for k, (a, b) in enumerate(zip(x, reversed(x)), start=2):
        out[8] += k * a * b
    for name, weight in (("a", 1.0), ("b", 2.0)):
        if name == "b":
            out[9] += weight
    for row in m:
        out[10] += row[1]
        for v in row:
            out[11] += v


@case
def early_return(x, out):
    def first(limit):
        for k in range(len(x)):
            if x[k] > limit:
                return k
        return -1
    out[0] = first(4)
    out[1] = first(100)
    out[2] = first(-10)
    if x[0] > 1:
        out[3] = 1
        return
    out[4] = 1


@case
def set_in_one_branch(x, out):
    for k in range(8):
        if x[k] > 3:
            v = x[k]
        else:
            w = x[k] - 1
        out[k] = v if x[k] > 3 else w
    del v
    v = 5.0
    out[8] = v


@case
def last_of_the_loop(x, out):
    for k in range(len(x)):
        last = x[k]
    out[0] = last + k


# functions

@case
def calls(x, out):
    out[0] = half(x[0]) + half(x[1], 4) + half(by=5, v=x[2])
    out[1] = spread(1.0, 2.0, 3.0) + spread(1.0, scale=5.0) + spread(1.0, 2.0, scale=2.0)
    args = (x[0], 8)
    out[2] = half(*args)
    square = lambda v: v * v  # noqa: E731
    out[3] = square(x[4])
    table = (square, half, lambda v: v + 1)
    for k, f in enumerate(table):
        out[4 + k] = f(x[0])


@case
def closures(x, out):
    total = 0.0
    calls = 0

    def add(v, twice=False):
        nonlocal total, calls
        calls += 1
        total += v * (2 if twice else 1)
        return total

    for k in range(4):
        add(x[k], twice=k == 2)
    out[0] = total
    out[1] = calls

    def outer(a):
        def inner(b):
            return a * 10 + b
        return inner(a + 1)
    out[2] = outer(2)


@case
def imports(out):
    import math as m
    from math import cos, pi
    out[0] = m.sin(1.0) + cos(pi)


# classes

@case
def named_tuples(out):
    v, w = Vec(1.0), Vec(b=4.0, a=3.0)
    a, b = w
    out[0] = v.dot(w) + a + b + w[1] + len(w)
    out[1] = v == Vec(1.0, 2.0)


@case
def dataclass(x, out):
    p = Pair(x[0])
    for k in range(4):
        p = p + Pair(x[k], 1.0)
    out[0], out[1] = p.a, p.b
    p.scale(3)
    out[2] = p.total
    q = 2 * Pair.unit() * 5.0
    out[3] = (-q).total
    out[4] = q == Pair(10.0, 10.0)
    out[5] = q != Pair(10.0, 10.0)
    out[6] = p < q
    best = Pair(0.0, 0.0)
    for k in range(8):
        c = Pair(x[k], 0.5)
        if best < c:
            best = c
    out[7] = best.total
    r = Pair(1.0) if x[0] > 100 else Pair(2.0, 2.0)
    out[8] = r.total


@case
def inheritance(out):
    b = Box(3.0, 4.0)
    out[0] = b.area() + b.twice() + b.SIDES
    out[1] = isinstance(b, Shape) + 2 * isinstance(b, Box) + 4 * isinstance(Shape(1.0), Box)
    out[2] = type(b) == Box


@case
def protocols(x, out):
    c = Counter()
    for k in range(8):
        c(x[k])
    c += 2
    out[0] = c.n + len(c)
    out[1] = c[10]
    out[2] = 1 if c else 0


@case
def object_of_objects(x, out):
    w = Window(x, Shape(10.0))
    w.box.w += 1
    out[0] = w.at(2)
    other = w.box
    out[1] = other.w


@case
def a_name_is_the_object(out):
    a = Shape(1.0)
    b = a
    b.w = 5.0
    out[0] = a.w

    def change(s):
        s.w *= 2
    change(a)
    out[1] = b.w


# exceptions

@case
def across_calls(x, out):
    for k in range(8):
        try:
            out[k] = careful(x[k])
        except ValueError:
            out[k] = -5
            continue
        except TooBig:
            out[k] = 50
        else:
            out[k] += 0.5
        finally:
            out[k] += 100
        out[8] += 1


@case
def nested(x, out):
    for k in range(8):
        try:
            try:
                if x[k] > 5:
                    raise KeyError("big")
                if x[k] < 0:
                    raise IndexError("small")
                out[k] = 1
            except KeyError:
                out[k] = 2
                raise ValueError("again") from None
            finally:
                out[9] += 1
        except (ValueError, LookupError) as e:
            out[k] += 10
            if x[k] < 0:
                out[10] += 1
        except Exception:
            out[k] = 1000


@case
def reraise(x, out):
    for k in range(8):
        try:
            try:
                careful(x[k])
            except TooBig:
                out[k] = 1
                raise
        except ValueError:
            out[k] = 3
        except WayTooBig:
            out[k] += 5


def leaves_by(how, out, k):
    for _ in range(3):
        try:
            out[k] += 1
            if how == 0:
                return 10
            if how == 1:
                break
            if how == 2:
                continue
            out[k] += 100
        finally:
            out[k] += 1000
            out[11] += 1
    return 20


@case
def through_finally(out):
    for how in range(4):
        out[how] += leaves_by(how, out, how)


@case
def finally_wins(out):
    def f(v):
        try:
            if v > 1:
                raise ValueError("x")
            return 1
        finally:
            if v > 2:
                return 3
    for k in range(4):
        try:
            out[k] = f(k)
        except ValueError:
            out[k] = -1


@case
def a_try_in_a_finally(i, iout):
    z = 1
    for k in range(8):
        try:
            if (i[k], 1) < (i[-1], 2):
                raise KeyError("less")
        except Exception:
            z += 10
        finally:
            try:
                try:
                    z += i[k]
                finally:
                    z = z % 1009 - 1
            except (KeyError, ZeroDivisionError):
                z = 0
        iout[k] = z


@case
def what_python_raises(x, i, out):
    for k in range(8):
        try:
            out[k] = 12 // (k - 3)
        except ZeroDivisionError:
            out[k] = -1
        try:
            out[k] += x[k + 4]
        except IndexError:
            out[k] += 1000
        try:
            if k % 2:
                v = 3
            out[k] += v * 10000
            del v
        except (NameError, KeyError):
            out[k] += 0.25


@case
def asserts(x, out):
    for k in range(8):
        try:
            assert x[k] > 0, "not positive"
            out[k] = 1
        except AssertionError:
            out[k] = 2
    assert len(x) == 8


# arrays

@case
def slices(x, m, out, mout):
    mout[0, :] = m[0, :] * 2 + m[1]
    mout[1] = m[2] - 1
    mout[2, 1:] = m[2, :-1]
    mout[2, 0] = sum(m[0])
    out[2:6] = x[::2]
    out[6:2:-2] = x[:2]
    out[7:] = 9
    out[-2:] *= 2
    x[1:] = x[:-1]
    x[::-1] = x
    m[:, 0] += m[:, 3]


@case
def broadcasting(x, m, mout):
    mout[:, :] = m * x[:4] + m[:, 1][:, None] + m[:1, :]
    mout[:2] -= 1
    mout[2] = np.where(m[2] > 9, m[2], -m[2])


@case
def rows(m, out):
    for k in range(m.shape[0]):
        row = m[k]
        e = np.exp(row - np.max(row))
        out[k] = np.sum(e) + e[1]
        out[4 + k] = np.mean(row) + np.argmax(row) + np.min(row) + len(row) + row.ndim
    kept = m[1] * 1
    m[1] = 0
    out[10] = sum(kept)


@case
def methods_of_arrays(m, out, mout):
    out[0] = m[1].sum() + m.max() - m[0].min() + m[2].mean()
    out[1:5] = m.sum(axis=0)
    out[5:8] = m.max(1)
    out[8] = m[1].argmax() + m[0].dot(m[1])
    mout[0] = (m[0] * 2).sum()


@case
def products(x, m, out, mout):
    out[0] = np.dot(x[:4], m[1])
    g = m @ m.T
    out[1:4] = g[1]
    out[4:7] = m @ x[:4]
    out[7] = np.sum(np.matmul(x[:3], m))
    mout[:, :] = np.sum(m, axis=0)
    mout[0] = np.max(m, axis=0)


@case
def pieces_of_pieces(m, out):
    inner = m[1:, 1:3]
    out[0] = inner[1, 0]
    out[1] = inner[-1][-1]
    out[2:4] = inner[0]
    inner[0] = 5
    out[4] = m[1, 2] + inner.size + inner.shape[1]


# what reaches the host

def launch_error(kernel, *args):
    with pytest.raises(Exception) as e:
        kernel(*args)
    return e.value


def test_uncaught_exceptions_have_line_ids_and_message():
    @pyasc.jit
    def k(x, y):
        i = pyasc.get_global_id()
        if x[i] > 5:
            raise TooBig(f"{x[i]:.1f} at {i}", i, x[i])
        y[i] = x[i]
    y = np.zeros(600, np.float32)
    x = np.arange(600, dtype=np.float32) % 300 - 270
    for _ in range(3):  # the same launch object works again
        e = launch_error(k, x, y)
        assert type(e) is TooBig and e.args[1:] == (276, 6.0)
        line = inspect.getsourcelines(k.fn)[1] + 4
        assert e.args[0] == f"6.0 at 276 (line {line}, work-item 20 of block 1)"
        assert e.work_item == (20, 0, 0) and e.block == (1, 0, 0) and e.kernel_line == line
        assert e.__traceback__.tb_next is not None
        np.testing.assert_array_equal(y[:276], x[:276])  # lower ones have run
    k(np.zeros(600, np.float32), y)
    assert not y.any()


def test_the_first_work_item_wins_whatever_the_threads_do():
    @pyasc.jit
    def k(x, y):
        i = pyasc.get_global_id()
        if x[i] > 0:
            raise ValueError("found", i)
        y[i] = 1
    x = np.zeros(100000, np.float32)
    x[[99999, 70000, 60001]] = 1
    for _ in range(20):
        assert launch_error(k, x, np.zeros(100000, np.float32)).args[1] == 60001


def test_an_exception_ends_the_block_at_the_barrier():
    @pyasc.jit
    def k(x, y):
        i, t = pyasc.get_global_id(), pyasc.get_local_id()
        s = pyasc.shared(4)
        s[t] = x[i]
        if x[i] == 6:
            raise KeyError("six")
        pyasc.syncthreads()
        y[i] = s[3 - t]
    y = np.zeros(12, np.float32)
    e = launch_error(k[3, 4], np.arange(12, dtype=np.float32), y)
    assert type(e) is KeyError and e.block == (1, 0, 0) and e.work_item == (2, 0, 0)
    assert list(y[:8]) == [3, 2, 1, 0, 0, 0, 0, 0]


def test_mutexes_are_free_after_an_exception():
    lock = pyasc.mutex()

    @pyasc.jit
    def k(x, y):
        i = pyasc.get_global_id()
        with lock:
            if x[i] > 2:
                raise ValueError("held")
            y[0] += x[i]
    y = np.zeros(1, np.float32)
    for _ in range(2):
        assert isinstance(launch_error(k.over(8), np.arange(8, dtype=np.float32), y), ValueError)
    k.over(2)(np.ones(2, np.float32), y)


def test_plain_kernels_and_parallel_bodies_raise_in_loop_order():
    @pyasc.jit
    def k(x, y):
        @pyasc.parallel_for(len(x))
        def body(i):
            if x[i] > 4:
                raise ValueError("at", i)
            y[i] = 1
    x, y = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
    assert launch_error(k, x, y).args[1] == 5 and y.sum() == 5

    @pyasc.jit
    def caught(x, y):
        try:
            pyasc.parallel_for(len(x), lambda i: careful(x[i]), out=y)
        except TooBig:
            y[0] = 77
    caught(x, y)
    assert y[0] == 77 and y[8] == 16


def test_unset_variables():
    @pyasc.jit
    def k(x, y):
        i = pyasc.get_global_id()
        if x[i] > 3:
            v = x[i]
        y[i] = v
    e = launch_error(k, X, np.zeros(8, np.float32))
    assert type(e) is UnboundLocalError and "'v'" in str(e) and "work-item 0" in str(e)
    k(X + 10, np.zeros(8, np.float32))


def test_kernels_are_methods():
    class Layer:
        def __init__(self, scale, bias):
            self.scale, self.bias, self.on = scale, bias, None

        def act(self, v):
            return pyasc.max(v, 0.0) * self.scale

        @pyasc.jit
        def run(self, x, y):
            i = pyasc.get_global_id()
            y[i] = self.act(x[i]) + self.bias[i]
            if self.on is not None:
                y[i] += self.on

        @pyasc.jit
        def plain(self, x, y):
            for i in range(len(x)):
                y[i] = x[i] * self.scale
    y = np.zeros(8, np.float32)
    a, b = Layer(2.0, np.ones(8, np.float32)), Layer(3, np.zeros(8, np.float32))
    a.run(X, y)
    np.testing.assert_allclose(y, np.maximum(X, 0) * 2 + 1)
    b.run(X, y)
    np.testing.assert_allclose(y, np.maximum(X, 0) * 3)
    a.scale, a.bias = 5.0, np.full(8, 2, np.float32)
    a.run(X, y)
    np.testing.assert_allclose(y, np.maximum(X, 0) * 5 + 2)
    a.on = 10.0
    a.run(X, y)
    np.testing.assert_allclose(y, np.maximum(X, 0) * 5 + 12)
    a.run.over(3)(X, y * 0)
    a.run[1, 8](X, y)
    a.plain(X, y)
    np.testing.assert_allclose(y, X * 5)
    assert "kernel" in a.plain.ir(X, y)


CONFIG = Pair(4.0, 0.5)


def test_objects_of_the_module_are_read_at_each_launch():
    @pyasc.jit
    def k(x, y):
        i = pyasc.get_global_id()
        y[i] = x[i] * CONFIG.a + CONFIG.total
    y = np.zeros(8, np.float32)
    k(X, y)
    np.testing.assert_allclose(y, X * 4 + 4.5)
    CONFIG.a = 1.0
    try:
        k(X, y)
        np.testing.assert_allclose(y, X + 1.5)
    finally:
        CONFIG.a = 4.0


def test_objects_functions_and_constants_are_arguments():
    @pyasc.jit
    def k(f, p, how: pyasc.constexpr, n: pyasc.constexpr, x, y):
        s = pyasc.local(n)
        for i in range(len(x)):
            s[i % n] = f(x[i]) * p.a
            y[i] = s[i % n] + (100 if how == "more" else 0)
    y = np.zeros(8, np.float32)
    k(half, Pair(4.0), "more", 3, X, y)
    np.testing.assert_allclose(y, X * 2 + 100)
    k(lambda v: v + 1, Pair(1.0), "less", 2, X, y)
    np.testing.assert_allclose(y, X + 1)
    assert len(k.cache_info()) == 2


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python 3.9 has no match")
@pytest.mark.parametrize("check", [False, True], ids=["plain", "checked"])
def test_matching(check):
    from language_match import matching
    want, got = outputs(matching, lambda f: f), outputs(matching, pyasc.jit(check=check))
    np.testing.assert_array_equal(got[1], want[1])


def area(shape: Shape):
    return shape.w * 10.0


@pyasc.overload
def area(shape: Pair):  # noqa: F811
    return shape.a * shape.b


@pyasc.overload
def area(shape: float):  # noqa: F811
    return shape


@pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
def test_overloads(interpret):
    @pyasc.jit(interpret=interpret)
    def k(x: pyasc.Tensor[pyasc.float32, 1], y):
        for i in range(len(x)):
            y[i] = x[i] + 1

    @pyasc.overload
    def k(x: pyasc.Tensor[pyasc.int32, 1], y):  # noqa: F811
        for i in range(len(x)):
            y[i] = x[i] * 100

    @pyasc.overload
    def k(x: "pyasc.Tensor[pyasc.float32, 2]", y):  # noqa: F811
        for i in range(len(x)):
            y[i] = x[i, 0]
    y = np.zeros(3, np.float32)
    for x, want in ((np.ones(3, np.float32), [2, 2, 2]), (np.ones(3, np.int32), [100] * 3),
                    (np.full((3, 2), 7, np.float32), [7] * 3), (np.zeros(3, np.float32), [1] * 3)):
        k(x, y)
        assert list(y) == want
    with pytest.raises((pyasc.CompileError, TypeError), match="none of 3 bodies"):
        k(np.ones(3), y)

    @pyasc.jit(interpret=interpret)
    def shapes(x, y):
        y[0] = area(Box(2.0, 3.0)) + area(Pair(4.0, 5.0)) + area(x[0])
    shapes(X, y)
    assert y[0] == 20 + 20 + 3
    with pytest.raises(TypeError, match="no function 'nothing'"):
        @pyasc.overload
        def nothing(x):
            pass
    with pytest.raises(TypeError, match="takes x, y in its first body"):
        @pyasc.overload
        def k(a, b):  # noqa: F811
            pass
