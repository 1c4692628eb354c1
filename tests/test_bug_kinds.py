"""Faults that compilers of kernels have had, one test each with the right value, by the number in our list of them.

A integers and casts, B control flow, C memory and launches, D barriers and atomics, E floating point; F, the front end's
cache and processes, is in test_bug_kinds_process.py. Kernels run compiled, checked, interpreted and at opt_level=0.

What does not apply yet, because it needs what is not here:

| numbers                                | needs                                           |
|----------------------------------------|-------------------------------------------------|
| A26 B12 C04 C25 C27 C28 D04 D05 E12    | Ascend C text                                   |
| C31 E13 F06 F26                        | package asc, a second target                    |
| C19 (a pointer of another device)      | an NPU                                          |
| F17 F18, of F15 two tuners             | a tuner                                         |

Where two rules are possible ours holds: 8 and 16 bits compute in int32 (A11), products of int32 data wrap (C01).
"""
import functools
import math
import threading

import numpy as np
import pyasc
import pytest

MODES = {"compiled": {}, "checked": {"check": True}, "interpreted": {"interpret": True}, "unoptimised": {"opt_level": 0}}
I8, I16, I32, I64, F32, F64 = np.int8, np.int16, np.int32, np.int64, np.float32, np.float64


@pytest.fixture(params=MODES, ids=list(MODES))
def mode(request):
    return request.param


@pytest.fixture
def jit(mode):
    return functools.partial(pyasc.jit, **MODES[mode])


@pytest.fixture
def unchecked(mode):
    if mode == "checked":
        pytest.skip("raises when it is checked")
    return functools.partial(pyasc.jit, **MODES[mode])


def array(values, dtype):
    return np.array(values, dtype)


# A. Integers, shifts, casts, booleans

def div_mod(x, y, q, r):
    i = pyasc.get_global_id()
    q[i] = x[i] // y[i]
    r[i] = x[i] % y[i]


@pytest.mark.parametrize("dtype", [I8, I16, I32, I64, np.float16, F32, F64])
def test_A01_A02_floor_division_of_negatives(jit, dtype):
    x, y = array([-7, 7, -1, -8], dtype), array([2, -2, 2, 4], dtype)
    q, r = np.zeros_like(x), np.zeros_like(x)
    jit(div_mod)(x, y, q, r)
    assert q.tolist() == [-4, -4, -1, -2] and r.tolist() == [1, -1, 1, 0]


def test_A01_quotient_and_remainder_make_the_dividend():
    rng = np.random.default_rng(1)
    x, y = rng.integers(-1000, 1000, 5000), rng.integers(1, 50, 5000) * rng.choice([-1, 1], 5000)
    q, r = np.zeros_like(x), np.zeros_like(x)
    pyasc.jit(div_mod)(x, y, q, r)
    assert np.array_equal(q * y + r, x) and np.array_equal(q, x // y)


@pytest.mark.parametrize("dtype", [I8, I16, I32, I64])
def test_A02_the_least_integer_by_minus_one_traps_nowhere(unchecked, dtype):
    least = np.iinfo(dtype).min
    x, y = array([least], dtype), array([-1], dtype)
    q, r = np.ones_like(x), np.ones_like(x)
    unchecked(div_mod)(x, y, q, r)
    assert (q[0], r[0]) == (least, 0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_A02_unsigned_division(jit, dtype):
    most = np.iinfo(dtype).max
    x, y = array([most, 7], dtype), array([2, 3], dtype)
    q, r = np.zeros_like(x), np.zeros_like(x)
    jit(div_mod)(x, y, q, r)
    assert q.tolist() == [most // 2, 2] and r.tolist() == [1, 1]


def test_A04_remainders_of_literals_and_of_arguments(jit):
    @jit
    def kernel(out, a, b, c, d):
        out[0] = (-5) % 3
        out[1] = a % b
        out[2] = (-5.0) % 3.0
        out[3] = c % d
    out = np.zeros(4)
    kernel(out, -5, 3, -5.0, 3.0)
    assert out.tolist() == [1, 1, 1, 1]


def test_A05_division_by_zero(unchecked):
    @unchecked
    def quotient(x, y, q):
        i = pyasc.get_global_id()
        q[i] = x[i] // y[i]

    @unchecked
    def remainder(x, y, r):
        i = pyasc.get_global_id()
        r[i] = x[i] % y[i]
    x, y = array([2, -2, 0], I32), np.zeros(3, I32)
    q, r, both = np.ones(3, I32), np.ones(3, I32), np.ones((2, 3), I32)
    quotient(x, y, q)
    remainder(x, y, r)
    unchecked(div_mod)(x, y, both[0], both[1])
    assert q.tolist() == [0, 0, 0] and both[0].tolist() == q.tolist() and both[1].tolist() == r.tolist() == [0, 0, 0]


def test_A05_checked_division_by_zero_has_its_line():
    with pytest.raises(ZeroDivisionError, match="line") as e:
        pyasc.jit(div_mod, check=True)(array([2], I32), array([0], I32), np.zeros(1, I32), np.zeros(1, I32))
    assert e.value.kernel_line == div_mod.__code__.co_firstlineno + 2


def test_A07_powers_of_integers(jit):
    @jit
    def kernel(out, n, e):
        out[0] = 3 ** 4
        out[1] = n[0] ** e[0]
        out[2] = n[1] ** e[1]
        out[3] = 2 ** e[2]
    out = np.zeros(4, I64)
    kernel(out, array([3, 7], I64), array([4, 0, 10], I64))
    assert out.tolist() == [81, 81, 1, 1024]


def test_A07_negative_powers_end(jit):
    @jit
    def kernel(out, n):
        out[0] = 2 ** n
        out[1] = 2.0 ** n
    out = np.zeros(2)
    kernel(out, 0)
    assert out.tolist() == [1, 1]
    kernel(out, -2)
    assert out[1] == 0.25


def test_A08_remainder_of_int16(jit):
    x, y = array([-3584, 3584, -3585], I16), array([-512, -512, -512], I16)
    q, r = np.zeros_like(x), np.zeros_like(x)
    jit(div_mod)(x, y, q, r)
    assert r.tolist() == [0, 0, -1] and q.tolist() == [7, -7, 7]


def test_A10_bounds_of_both_signs(jit):
    @jit
    def kernel(v, u, n, z, out):
        for i in range(u[0]):
            out[0] += v[i]
        for i in range(n[0]):
            out[0] += v[i]
        z[0] = z[0] - z[1]
    out, z = np.zeros(1, I64), array([2**60 + 3, 2**60], np.uint64)
    kernel(np.arange(5), array([5], np.uint32), array([3], I64), z, out)
    assert out[0] == 13 and z[0] == 3


def test_A11_narrow_integers_wrap_where_they_are_stored(unchecked):
    @unchecked
    def kernel(u, i, h):
        u[0] = u[0] << 4
        u[0] = u[0] >> 4
        u[1] = (u[1] << 4) >> 4
        u[2] = u[2] + 10
        i[0] = i[0] << 4
        i[0] = i[0] >> 4
        h[0] = h[0] + 1
    u, i, h = array([48, 48, 250], np.uint8), array([8], I8), array([32767], I16)
    kernel(u, i, h)
    assert u.tolist() == [0, 48, 4] and i[0] == -8 and h[0] == -32768


def test_A13_shifts(unchecked):
    @unchecked
    def kernel(out, x, n):
        out[0] = 1 << 31
        out[1] = x[0] << 31
        out[2] = x[0] << n
        out[3] = x[1] >> 40
        out[4] = x[0] << 32
    out = np.ones(5, I32)
    kernel(out, array([1, -1], I32), 31)
    assert out.tolist() == [-2**31, -2**31, -2**31, -1, 0]


def test_A14_an_unsigned_index(jit):
    @jit
    def kernel(x, k, out):
        i = pyasc.get_global_id()
        out[i] = x[k[i]]
    out = np.zeros(3, I32)
    kernel(np.arange(256, dtype=I32), array([127, 128, 255], np.uint8), out)
    assert out.tolist() == [127, 128, 255]


def test_A16_floats_that_no_integer_holds(unchecked):
    @unchecked
    def kernel(x, i, b, u):
        k = pyasc.get_global_id()
        i[k] = pyasc.int32(x[k])
        b[k] = pyasc.int8(x[k])
        u[k] = pyasc.uint8(x[k])
    x = array([np.inf, -np.inf, np.nan, 3e9, -200.7], F32)
    i, b, u = np.ones(5, I32), np.ones(5, I8), np.ones(5, np.uint8)
    kernel(x, i, b, u)
    assert i.tolist() == [2**31 - 1, -2**31, 0, 2**31 - 1, -200]
    assert b.tolist() == [127, -128, 0, 127, -128] and u.tolist() == [255, 0, 0, 255, 0]


def test_A17_integers_to_bfloat16(jit):
    @jit
    def kernel(n, out):
        i = pyasc.get_global_id()
        out[i] = pyasc.float32(pyasc.bfloat16(n[i]))
    out = np.zeros(3, F32)
    kernel(array([259, 33000, -259], I32), out)
    assert out.tolist() == [260, 33024, -260]


def test_A19_large_quotients_are_exact(jit):
    x, y = array([299999, 2**53 + 1, 2**62 + 1], I64), array([100000, 1, 2], I64)
    q, r = np.zeros_like(x), np.zeros_like(x)
    jit(div_mod)(x, y, q, r)
    assert q.tolist() == [2, 2**53 + 1, 2**61] and r.tolist() == [99999, 0, 1]


def test_A20_rounding_of_narrow_literals(jit):
    @jit
    def kernel(x, out):
        out[0] = pyasc.ceil(pyasc.float32(8388608.5))
        out[1] = pyasc.ceil(x[0])
        out[2] = pyasc.floor(pyasc.float16(2049.5))
    out = np.zeros(3)
    kernel(array([8388608.5], F32), out)
    assert out.tolist() == [8388608, 8388608, 2050]


def test_A22_bools(jit):
    @jit
    def kernel(b, out):
        acc = False
        for i in range(4):
            acc |= b[i]
        out[0] = acc
        out[1] = b[0] < b[1]
        out[2] = b[1] < b[0]
        out[3] = True < False
    out = np.ones(4, bool)
    kernel(array([True, False, False, False], bool), out)
    assert out.tolist() == [True, False, True, False]


def test_A23_what_print_writes(jit, capsys):
    @jit
    def kernel(u):
        print(-1, 1 >= 0, u[0])
    kernel(array([200], np.uint8))
    assert capsys.readouterr().out == "-1 True 200\n"


def test_A25_numbers_as_arguments(jit):
    @jit
    def kernel(out, a, b, c, d):
        out[0], out[1], out[2], out[3] = a, b, c, d
        out[4] = a + b + c
    out = np.zeros(5)
    for scalars in ((np.float16(1.5), np.float32(1.5), np.float64(1.5), 1.5), (1, 1, 1, 1), (np.float16(65504), 0, 0, 0)):
        kernel(out, *scalars)
        assert out.tolist() == [float(v) for v in scalars] + [float(sum(map(float, scalars[:3])))]


# B. Control flow and Python semantics

def test_B02_a_negative_step_that_the_run_knows(jit):
    @jit
    def kernel(x, out, first, end, step):
        for i in range(first, end, step):
            out[0] += x[i]
            out[1] += 1
    out = np.zeros(2, I64)
    kernel(np.arange(1, 90), out, 88, -1, -8)
    assert out.tolist() == [540, 12]


def test_B02_a_step_of_zero(jit, mode):
    @jit
    def kernel(out, step):
        for i in range(0, 4, step):
            out[0] += 1

    @jit
    def caught(out, step):
        try:
            for i in range(0, 4, step):
                out[0] += 1
        except ValueError:
            out[1] = 7
    out = np.zeros(2, I32)
    if mode in ("checked", "interpreted"):
        with pytest.raises(ValueError, match="must not be zero"):
            kernel(out, 0)
    else:
        kernel(out, 0)
        assert not out.any()
    caught(out, 0)
    assert out.tolist() == [0, 7]


def test_B03_a_name_in_two_loops(jit):
    @jit
    def kernel(out):
        acc = 0
        for i in range(2):
            acc += i
        i = 0
        while i < 3:
            acc += 10
            i += 1
        out[0] = acc
    out = np.zeros(1, I32)
    kernel(out)
    assert out[0] == 31


def test_B05_trip_counts(jit):
    @jit
    def kernel(out, a, b, c):
        for i in range(a, b, c):
            out[0] += 1
        for i in range(0, 33, 2):
            out[1] += 1
        for i in range(0, 1000, 60):
            out[2] += 1
        for i in range(5, 5):
            out[3] += 1
        for i in range(5, 2):
            out[3] += 1
    for bounds in ((0, 33, 2), (0, 1000, 60), (5, 5, 1), (5, 2, 1), (9, -9, -4)):
        out = np.zeros(4, I32)
        kernel(out, *bounds)
        assert out.tolist() == [len(range(*bounds)), 17, 17, 0]


def test_B06_B08_break_in_an_inner_loop(jit):
    @jit
    def kernel(out):
        for i in range(10):
            for j in range(3):
                break
            out[0] += 1
        k = 0
        while k < 10:
            for j in (1, 2, 3):
                if j == 2:
                    break
                out[1] += 1
            k += 1
    out = np.zeros(2, I32)
    kernel(out)
    assert out.tolist() == [10, 10]


def test_B09_ways_out_of_loops(jit):
    def first_above(x, t):
        for i in range(len(x)):
            if x[i] > t:
                return i
        return -1

    def first_by_while(x, t):
        i = 0
        while True:
            if i == len(x):
                return -1
            if x[i] > t:
                return i
            i += 1

    @jit
    def kernel(x, out, t):
        out[0] = first_above(x, t)
        out[1] = first_by_while(x, t)
        s = 0
        for i in range(10):
            if i % 2 == 0:
                continue
            s += i
        out[2] = s
    out = np.zeros(3, I64)
    kernel(np.arange(20), out, 6)
    assert out.tolist() == [7, 7, 25]
    kernel(np.arange(20), out, 99)
    assert out.tolist() == [-1, -1, 25]


def test_B11_else_of_a_loop(jit):
    @jit
    def kernel(x, out):
        for i in range(3):
            out[i] = x[i] + 1
        else:
            for i in range(3):
                out[i] += 100
    out = np.zeros(3, I32)
    kernel(array([1, 2, 3], I32), out)
    assert out.tolist() == [102, 103, 104]


def test_B12_a_condition_that_is_never_true(jit, capsys):
    @jit
    def kernel(x):
        for i in (0, 1, 2, 3, 4):
            if x[0] > 100:
                print("no")
            print(i)
    kernel(np.zeros(1))
    assert capsys.readouterr().out.split() == ["0", "1", "2", "3", "4"]


def two(a, b):
    return (a + b, (a - b, a * b))


def test_B14_tuples_are_unpacked(jit):
    @jit
    def kernel(x, out):
        a, b = (1, 2)
        (c, d), e = (3, 4), 5
        s, (t, u) = two(x[0], x[1])
        out[0], out[1] = a * 10 + b, c * 100 + d * 10 + e
        out[2], out[3], out[4] = s, t, u
        out[0], out[1] = out[1], out[0]
    out = np.zeros(5)
    kernel(array([5, 3], F64), out)
    assert out.tolist() == [345, 12, 8, 2, 15]


def test_B15_the_right_side_of_and(jit):
    def counted(out, v):
        out[1] += 1
        return v

    @jit
    def kernel(x, out, i):
        if i >= 0 and x[i + 8] != 0:
            out[0] = 1
        if i >= 0 and counted(out, True):
            out[0] = 2
        if i < 0 or counted(out, True):
            out[2] = 3
    out = np.zeros(3, I32)
    kernel(np.ones(4), out, -1)
    assert out.tolist() == [0, 0, 3]


def test_B17_and_of_vectors_and_arrays():
    @pyasc.jit
    def arrays(x, out):
        if x > 0 and x < 3:
            out[0] = 1

    @pyasc.jit
    def vectors(x, out):
        v = pyasc.load_vector(0, width=2, src=x)
        if v > 0 and v < 3:
            out[0] = 1
    for kernel in (arrays, vectors):
        with pytest.raises(pyasc.CompileError, match=";"):
            kernel(np.ones(4), np.ones(1))


def test_B18_chained_comparisons(jit):
    def f(out):
        out[3] += 1
        return 0

    @jit
    def kernel(out, a, b, c):
        out[0] = 3 > 2 > 1
        out[1] = 1 < 3 < 2
        out[2] = a > b > c
        out[4] = 0 <= f(out) < 1
    out = np.zeros(5, I32)
    kernel(out, 3, 2, 1)
    assert out.tolist() == [1, 0, 1, 1, 1]


def test_B20_numbers_on_the_left(jit):
    @jit
    def kernel(x, out, s):
        i = pyasc.get_global_id()
        out[0, i], out[1, i], out[2, i] = 2 * x[i], s + x[i], 2 - x[i]
        out[3, i], out[4, i], out[5, i] = s / x[i], 7 // x[i], s ** x[i]
    x = array([1, 2, 4], F64)
    out = np.zeros((6, 3))
    kernel.over(3)(x, out, 2)
    assert np.array_equal(out, [2 * x, 2 + x, 2 - x, 2 / x, 7 // x, 2 ** x])
    for t in (pyasc.tensor([1.0, 2.0, 4.0]),):
        assert all(np.array_equal(f(t).numpy(), f(x)) for f in (
            lambda v: 2 * v, lambda v: 2 + v, lambda v: 2 - v, lambda v: 2 / v, lambda v: 7 // v, lambda v: 2 ** v))


@pytest.mark.parametrize("dtype", [I64, np.uint8, bool, F32, np.float16])
def test_B21_conditions_of_any_type(jit, dtype):
    @jit
    def kernel(x, out):
        if x[0]:
            out[0] = 1
        if x[1]:
            out[1] = 1
        n = x[0]
        while n:
            out[2] += 1
            n = x[1]
        if not x[1]:
            out[3] = 1
    out = np.zeros(4, I32)
    kernel(array([1, 0], dtype), out)
    assert out.tolist() == [1, 0, 1, 1]


def test_B23_a_remainder_in_a_subscript(jit):
    @jit
    def kernel(b, out):
        j, i = pyasc.get_global_id(0), pyasc.get_global_id(1)
        out[i, j] = b[j % 7]
    b, out = np.arange(7, dtype=F32), np.zeros((3, 24), F32)
    kernel(b, out)
    assert np.array_equal(out, np.broadcast_to(b[np.arange(24) % 7], (3, 24)))


def test_B24_a_sum_that_a_loop_carries(jit):
    @jit
    def kernel(x, out):
        s = 0
        for i in range(len(x)):
            s = s + x[i]
        out[0] = s
    out = np.zeros(1, I64)
    kernel(np.arange(3000), out)
    assert out[0] == 3000 * 2999 // 2


def test_B26_a_bound_that_is_a_float():
    @pyasc.jit
    def kernel(out, n):
        for i in range(n / 2):
            out[0] += 1
    with pytest.raises(pyasc.CompileError, match="a bound of range.. is an integer, and this is float;") as e:
        kernel(np.zeros(1), 4)
    assert e.value.text[e.value.offset - 1:e.value.end_offset - 1] == "n / 2"


# C. Memory, indexing, shapes, launch

def test_C01_offsets_beyond_32_bits(jit):
    @jit
    def kernel(out, a, b):
        out[0] = a * b
        out[1] = (pyasc.get_global_id() + 319) * b
    out = np.zeros(2, I64)
    kernel.over(1)(out, 319, 7864320)
    assert out.tolist() == [2508718080, 2508718080]


def test_C01_products_of_int32_data():
    def kernel(x, out):
        out[0] = x[0] * x[1]
        out[1] = pyasc.int64(x[0]) * x[1]
    x, out = array([319, 7864320], I32), np.zeros(2, I64)
    pyasc.jit(kernel)(x, out)
    assert out.tolist() == [2508718080 - 2**32, 2508718080]
    with pytest.raises(OverflowError):
        pyasc.jit(kernel, check=True)(x, out)


def test_C03_a_tail_and_guard_words(jit, mode):
    @jit
    def kernel(x, y, out):
        i = pyasc.get_global_id()
        if i < out.shape[0]:
            out[i] = x[i] + y[i]
    for n in (1, 1023, 1024, 1025, 13243 if mode != "interpreted" else 2050):
        x, y, memory = np.arange(n, dtype=F32), np.ones(n, F32), np.full(n + 16, -5, F32)
        kernel[(n + 1023) // 1024, 1024](x, y, memory[8:-8])
        assert np.array_equal(memory[8:-8], x + 1) and (memory[:8] == -5).all() and (memory[-8:] == -5).all()


@pytest.mark.parametrize("dtype", [np.float16, F32, F64])
def test_C06_matmul_with_any_extents(dtype):
    rng = np.random.default_rng(2)
    for m, n, k in [(64, 128, 200), (1, 1, 1), (5, 1, 15), (1, 9, 17), (3, 3, 1), (33, 65, 31)]:
        a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
        want = a.astype(F64) @ b.astype(F64)
        bound = {np.float16: 2e-2, F32: 1e-4, F64: 1e-12}[dtype]
        assert np.abs(pyasc.matmul(a, b).numpy() - want).max() < bound * max(1, k ** 0.5)


def test_C07_grouped_order_visits_each_tile_once(jit, mode):
    @jit
    def kernel(seen, tiles_m, tiles_n, group):
        pid = pyasc.get_global_id()
        in_group = group * tiles_n
        first = pid // in_group * group
        height = min(tiles_m - first, group)
        seen[first + pid % in_group % height, pid % in_group // height] += 1
    sizes = range(1, 9) if mode == "compiled" else (1, 3, 8)
    for m in sizes:
        for n in range(1, 6):
            for group in range(1, 5):
                seen = np.zeros((m, n), I32)
                kernel.over(m * n)(seen, m, n, group)
                assert (seen == 1).all()


def test_C09_masked_stores(jit):
    @jit
    def kernel(out, live):
        i = pyasc.get_global_id()
        if live[i]:
            out[i] = i
    for width in (1, 2, 3, 4, 8, 33):
        for k in range(4):
            live = np.random.default_rng(k).integers(0, 2, width).astype(bool)
            out = np.full(width, np.nan, F32)
            kernel.over(width)(out, live)
            assert np.array_equal(out[live], np.arange(width)[live]) and np.isnan(out[~live]).all()


def test_C10_masked_loads_in_a_sum(jit):
    @jit
    def kernel(x, out):
        i = pyasc.get_local_id()
        s = pyasc.shared(16)
        s[i] = x[i] if i < x.shape[0] else 0.0
        pyasc.barrier()
        if i == 0:
            total = 0.0
            for k in range(16):
                total += s[k]
            out[0] = total
    memory, out = np.full(16, np.nan, F32), np.zeros(1, F32)
    memory[:13] = np.arange(13)
    kernel[1, 16](memory[:13], out)
    assert out[0] == 78


def test_C12_launches_of_nothing(jit):
    @jit
    def kernel(x):
        x[pyasc.get_global_id()] = 1
    x = np.zeros(4, F32)
    for _ in range(2):  # cold, then warm
        kernel[0, 4](x)
        kernel.over(0)(x)
        kernel(x[:0])
        kernel[1, 4](x) if x.any() else None
        assert not x.any()
    kernel(x)
    assert x.all()


def test_C13_the_rank_of_an_empty_tensor(jit):
    @jit
    def kernel(x):
        i = pyasc.get_global_id()
        x[i, 0] = 1
    for shape in ((4,), (0,)):
        with pytest.raises((pyasc.CompileError, IndexError), match="dimension|indices|index 0 is out of bounds"):
            kernel.over(1)(np.zeros(shape, F32))


def test_C15_C16_strides(jit):
    @jit
    def kernel(x, out):
        j, i = pyasc.get_global_id(0), pyasc.get_global_id(1)
        out[i, j] = x[i, j] * 2
    base = np.arange(48, dtype=F32).reshape(6, 8)
    for view in (base.T, base[::2], base[:, 1:3], base[::-1], base[::-1, ::-2], np.broadcast_to(base[:1], (6, 8))):
        out = np.zeros_like(base)[:0]
        memory = np.full((view.shape[1] * 2, view.shape[0]), -1, F32)
        out = memory[::2].T
        kernel(view, out)
        assert np.array_equal(out, view * 2) and (memory[1::2] == -1).all()


REVERSED = pyasc.constant(np.arange(4, dtype=F32)[::-1])


def test_C16_a_constant_with_negative_strides(jit):
    @jit
    def kernel(out):
        i = pyasc.get_global_id()
        out[i] = REVERSED[i]
    out = np.zeros(4, F32)
    kernel(out)
    assert out.tolist() == [3, 2, 1, 0]


def test_C18_rows_that_overlap_their_padding(jit):
    @jit
    def kernel(x):
        j, i = pyasc.get_global_id(0), pyasc.get_global_id(1)
        x[i, j] = 10 * i + j
    memory = np.full(12, -1, I32)
    kernel(np.lib.stride_tricks.as_strided(memory[:11], (3, 3), (16, 4)))
    assert memory.tolist() == [0, 1, 2, -1, 10, 11, 12, -1, 20, 21, 22, -1]
    apart = np.full(15, -1, I32)
    kernel(np.lib.stride_tricks.as_strided(apart, (3, 3), (16, 12)))
    assert apart[[0, 3, 6, 4, 7, 10, 8, 11, 14]].tolist() == [0, 1, 2, 10, 11, 12, 20, 21, 22]


def test_C19_wrong_arguments_are_named():
    @pyasc.jit
    def kernel(x: pyasc.Tensor[pyasc.float32], out):
        out[0] = x[0]
    frozen = np.zeros(1, F32)
    frozen.flags.writeable = False
    for args, error, text in ((([1.0], frozen), TypeError, "'x' is of type list"), ((np.zeros(1, F32), frozen), ValueError, "'out'"),
                              ((np.zeros(1, F64), np.zeros(1)), (pyasc.CompileError, TypeError), "'x'")):
        with pytest.raises(error, match=text):
            kernel(*args)


def test_C21_an_index_out_of_bounds():
    @pyasc.jit(check=True)
    def kernel(view, out):
        for i in range(4):
            out[i] = view[i]
    memory = np.arange(8, dtype=F32)
    with pytest.raises(IndexError, match="index 3 .*'view' with size 3.*line") as e:
        kernel(memory[:3], np.zeros(4, F32))
    frame = e.traceback[-1]
    assert str(frame.path) == __file__ and "out[i] = view[i]" in str(frame.statement)


def test_C22_a_store_is_seen_by_the_next_load(jit, mode):
    @jit
    def kernel(x, out, n):
        for k in range(n):
            x[0] = k * 3
            out[k] = x[0] - k * 3
            x[k % 4] = k
            out[k] += x[k % 4] - k
    n = 4096 if mode != "interpreted" else 200
    out = np.ones(n, I64)
    kernel(np.zeros(4, I64), out, n)
    assert not out.any()


def test_C24_outputs_that_are_inputs(jit):
    @jit
    def add(x, y, z):
        i = pyasc.get_global_id()
        z[i] = x[i] + y[i]

    @jit
    def shifted(x, z):
        for i in range(len(z)):
            z[i] = x[i] + 1
    a, b = np.arange(100, dtype=F32), np.ones(100, F32)
    x = a.copy()
    add(x, b, x)
    assert np.array_equal(x, a + 1)
    y = b.copy()
    add(a, y, y)
    assert np.array_equal(y, a + 1)
    memory = np.zeros(101, F32)
    shifted(memory[:-1], memory[1:])  # each reads what the one before has stored
    assert np.array_equal(memory, np.arange(101))


def test_C30_mixed_ranks_say_both_shapes():
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(4,\)"):
        pyasc.add(np.zeros((2, 3)), np.zeros(4))

    @pyasc.jit
    def kernel(x, m):
        x[0:3] = m
    with pytest.raises(pyasc.CompileError, match="2 dimensions cannot be stored to one of 1"):
        kernel(np.zeros(3), np.zeros((2, 3)))


# D. Barriers, races, reductions, atomics

def test_D01_a_barrier_for_some():
    @pyasc.jit
    def branch(x):
        if pyasc.get_local_id() < 8:
            pyasc.barrier()
        x[0] = 1

    @pyasc.jit
    def early(x):
        if x[pyasc.get_local_id()] > 0:
            return
        pyasc.barrier()
        x[0] = 1
    for kernel in (branch, early):
        with pytest.raises(pyasc.CompileError, match="not all reach this barrier"):
            kernel[1, 32](np.zeros(32, F32))


def test_D02_a_barrier_with_some_at_work(jit, mode):
    @jit
    def kernel(out):
        i = pyasc.get_local_id()
        s = pyasc.shared(64, dtype=pyasc.int32)
        if i < 48:
            s[i] = i * 7
        pyasc.barrier()
        if i < 48:
            out[i] = s[47 - i]
    for _ in range(200 if mode == "compiled" else 3):
        out = np.zeros(64, I32)
        kernel[1, 64](out)
        assert np.array_equal(out[:48], (47 - np.arange(48)) * 7) and not out[48:].any()


@pytest.mark.parametrize("width", [1, 3, 5, 31, 33, 48, 100])
def test_D07_reductions_of_any_width(jit, width):
    @jit
    def kernel(out, n):
        i, w = pyasc.get_local_id(), n
        s = pyasc.shared(128, dtype=pyasc.int32)
        s[i] = i + 1
        pyasc.barrier()
        while w > 1:
            half = (w + 1) // 2
            if i < w - half:
                s[i] += s[i + half]
            pyasc.barrier()
            w = half
        if i == 0:
            out[0] = s[0]
    out = np.zeros(1, I32)
    kernel[1, width](out, width)
    assert out[0] == width * (width + 1) // 2


def test_D08_sums_of_rows():
    x = np.random.default_rng(3).standard_normal((4, 1000)).astype(F32)
    for rows in (2, 4):
        assert np.allclose(pyasc.sum(x[:rows], axis=1).numpy(), x[:rows].sum(axis=1), atol=1e-3)


def test_D10_many_add_to_one_element(jit, mode):
    @jit
    def kernel(out):
        pyasc.atomic_add(out, 0, 1 + pyasc.get_global_id() % 2)
    out = np.zeros(1, I32)
    n = 5000 if mode != "interpreted" else 100
    kernel.over(n)(out)
    assert out[0] == n * 3 // 2


def test_D10_the_race_is_found():
    @pyasc.jit(check=True)
    def kernel(out):
        pyasc.get_local_id()
        out[0] += 1
    with pytest.raises(pyasc.RaceError, match="'out' at index 0"):
        kernel[1, 4](np.zeros(1, I32))


def test_D11_a_loop_that_reads_what_the_loop_before_stored(jit):
    @jit
    def kernel(c, r):
        pyasc.parallel_for(len(c), lambda i: i, out=c)
        pyasc.parallel_for(len(c), lambda i: c[i] - c[i - 1] if i > 0 else 1, out=r)

    @jit
    def plain(c, r):
        for i in range(len(c)):
            c[i] = i
        for i in range(1, len(c)):
            r[i] = c[i] - c[i - 1]
    for k in (kernel, plain):
        c, r = np.zeros(3000, I64), np.ones(3000, I64)
        k(c, r)
        assert (r == 1).all()


@pytest.mark.parametrize("dtype", [np.float16, "bfloat16", F32, F64, I8, I16, I32, I64, np.uint8, np.uint32, np.uint64])
def test_D13_D14_atomics_of_every_type(jit, dtype):
    @jit
    def kernel(x, old):
        old[0] = pyasc.atomic_max(x, 0, 42.0)
        old[1] = pyasc.atomic_min(x, 0, 7.0)
        old[2] = pyasc.atomic_add(x, 0, 3)
        old[3] = pyasc.atomic_exchange(x, 0, 5.0)
        old[4] = pyasc.atomic_cas(x, 0, 5, 9)
        old[5] = pyasc.atomic_sub(x, 0, 1)
    x, old = pyasc.zeros(1, dtype=dtype if isinstance(dtype, str) else np.dtype(dtype).name), np.zeros(6)
    kernel(x, old)
    assert old.tolist() == [0, 42, 7, 10, 5, 9] and x.cast("float32").numpy()[0] == 8


def test_D14_wide_sums_of_integers(jit, mode):
    @jit
    def kernel(x, out):
        i = pyasc.get_global_id()
        for k in range(4):
            pyasc.atomic_add(out, k, x[4 * i + k])
    n = 1000 if mode != "interpreted" else 20
    for dtype in (I32, I64):
        x = np.arange(4 * n, dtype=dtype) * 7919
        out = np.zeros(4, dtype)
        kernel.over(n)(x, out)
        assert np.array_equal(out, x.reshape(-1, 4).sum(axis=0, dtype=dtype))


def test_D16_results_are_there_after_the_launch():
    @pyasc.jit
    def fill(x, v):
        x[pyasc.get_global_id()] = v

    @pyasc.jit
    def double(x, y):
        i = pyasc.get_global_id()
        y[i] = 2 * x[i]
    x, y = np.zeros(4000, F32), np.zeros(4000, F32)
    for k in range(300):
        fill(x, k)
        assert x[0] == k == x[-1]
        with pyasc.Stream() as s:
            fill(x, k + 1, stream=s)
            double(x, y, stream=s)
        assert (y == 2 * (k + 1)).all()


# E. Floating point and library operations

def test_E01_nan_in_max_and_min(jit):
    @jit
    def kernel(x, out):
        out[0] = max(x[0], x[1])
        out[1] = max(x[1], x[0])
        out[2] = min(x[0], x[1])
        out[3] = pyasc.maximum(x[1], x[0])
    x, out = array([np.nan, 1, 6, 8], F32), np.zeros(4, F32)
    kernel(x, out)
    assert np.isnan(out).all()
    for n in range(2, 40):  # tails of vectors, too
        t = np.arange(n, dtype=F32)
        t[n // 2] = np.nan
        assert np.isnan(pyasc.max(t).item()) and np.isnan(pyasc.min(t).item()) and pyasc.argmax(t).item() == n // 2


@pytest.mark.parametrize("options", [{"opt_level": k} for k in range(4)] + [{"fastmath": False}, {"interpret": True}])
def test_E03_nan_is_seen_at_each_level(options):
    @pyasc.jit(**options)
    def kernel(x, out):
        i = pyasc.get_global_id()
        out[i] = pyasc.isnan(x[i]) or x[i] != x[i] or x[i] - x[i] != 0
    out = np.zeros(4, bool)
    kernel(array([np.nan, 1, np.inf, -np.inf], F32), out)
    assert out.tolist() == [True, False, True, True]


def test_E04_sums_of_halves():
    ones = np.ones(4096, np.float16)
    assert pyasc.dot(ones, ones).item() == 4096 and pyasc.sum(ones).item() == 4096
    assert pyasc.matmul(ones[None], ones[:, None]).numpy()[0, 0] == 4096
    assert np.isinf(pyasc.sum(np.ones(70000, np.float16)).item())
    assert pyasc.sum(np.ones(70000, np.float16)).cast("float32").item() == np.inf
    assert pyasc.mean(np.ones(70000, np.float16)).item() == 1


def test_E06_softmax_of_masked_rows():
    rows = np.full((3, 40), -np.inf, F32)
    rows[1, 7] = 2
    rows[2] = -6e4
    rows[2, 3] = -5.9999e4
    out = pyasc.softmax(rows).numpy()
    assert np.isnan(out[0]).all() or not out[0].any()
    assert out[1, 7] == 1 and out[1].sum() == 1
    assert abs(out[2].sum() - 1) < 1e-5 and out[2, 3] > out[2, 0] > 0


@pytest.mark.parametrize("width", [1, 7, 1055, 100003])
def test_E07_softmax_of_any_width(width):
    x = np.random.default_rng(4).standard_normal((2, width)).astype(F32)
    e = np.exp(x.astype(F64) - x.max(axis=1, keepdims=True))
    out = pyasc.softmax(x).numpy()
    assert np.abs(out - e / e.sum(axis=1, keepdims=True)).max() < 1e-6 and np.allclose(out.sum(axis=1, dtype=F64), 1, atol=1e-5)


def convolved(x, w, stride, padding, dilation, groups):
    """In float64, by its definition."""
    x = np.pad(x.astype(F64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, c, h, wd = x.shape
    o, cg, kh, kw = w.shape
    oh, ow = (h - dilation * (kh - 1) - 1) // stride + 1, (wd - dilation * (kw - 1) - 1) // stride + 1
    out = np.zeros((n, o, oh, ow))
    for k in range(o):
        first = k // (o // groups) * cg
        for i in range(kh):
            for j in range(kw):
                part = x[:, first:first + cg, i * dilation:i * dilation + stride * (oh - 1) + 1:stride,
                         j * dilation:j * dilation + stride * (ow - 1) + 1:stride]
                out[:, k] += (part * w[k, :, i, j][None, :, None, None]).sum(axis=1)
    return out


@pytest.mark.parametrize("kernel", [(3, 3), (5, 1), (1, 1)])
@pytest.mark.parametrize("groups", [1, 2])
def test_E09_convolutions(kernel, groups):
    rng = np.random.default_rng(5)
    x, w = rng.standard_normal((2, 4, 11, 9)), rng.standard_normal((6, 4 // groups, *kernel))
    for stride in (1, 2):
        for padding in (0, 1, 2):
            for dilation in (1, 2):
                want = convolved(x, w, stride, padding, dilation, groups)
                got = pyasc.conv2d(x.astype(F32), w.astype(F32), stride=stride, padding=padding, dilation=dilation, groups=groups)
                assert got.shape == want.shape and np.abs(got.numpy() - want).max() < 1e-4


@pytest.mark.parametrize("name", ["exp", "tanh", "log", "erf"])
def test_E10_functions_on_a_grid(name):
    x = np.concatenate([np.linspace(-20, 20, 20001), [0.0, -0.0, np.inf, -np.inf, 1e-40, -1e-40]]).astype(F32)
    if name == "log":
        x = np.abs(x) + F32(1e-30)
    exact = np.vectorize(math.erf)(x.astype(F64)) if name == "erf" else getattr(np, name)(x.astype(F64))
    got = getattr(pyasc, name)(x).numpy().astype(F64)
    finite = np.isfinite(exact)
    unit = np.spacing(np.maximum(np.abs(exact[finite]), 1e-38).astype(F32)).astype(F64)
    assert (np.abs(got[finite] - exact[finite]) / unit).max() <= 4
    assert np.array_equal(got[~finite], exact[~finite])


def test_threads_of_python_launch_at_once():
    @pyasc.jit
    def kernel(x, v):
        x[pyasc.get_global_id()] = v
    arrays = [np.zeros(500, F32) for _ in range(8)]
    threads = [threading.Thread(target=lambda k=k: [kernel(arrays[k], k) for _ in range(50)]) for k in range(8)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert all((a == k).all() for k, a in enumerate(arrays))


def test_arguments_by_a_star(jit):
    @jit
    def kernel(n, *arrays):
        i = pyasc.get_global_id()
        for a in arrays:
            a[i] += n
        arrays[-1][i] += len(arrays)
    x, y = np.zeros(3), np.zeros(3, I32)
    kernel.over(3)(4, x, y)
    assert x.tolist() == [4, 4, 4] and y.tolist() == [6, 6, 6]
