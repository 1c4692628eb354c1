"""Vector instructions of package asc: values in every form against NumPy."""
import numpy as np
import pytest
from asc_lanes import bits_of, lanes_of, repeat

import asc

UB = 8192  # bytes of each operand's room


@asc.jit
def binary(op: asc.ConstExpr, form: asc.ConstExpr[int], x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
           n: int, lo: int, hi: int, reps: int, d: int, s: int, t: int, dr: int, sr: int, tr: int):
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    room = UB // z.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, UB // x.dtype.sizeof())
    b = asc.LocalTensor(y.dtype, asc.TPosition.VECIN, UB, UB // x.dtype.sizeof())
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 2 * UB, room)
    asc.data_copy(a, xg, UB // x.dtype.sizeof())
    asc.data_copy(b, yg, UB // x.dtype.sizeof())
    asc.data_copy(c, zg, room)
    if form == 0:
        op(c, a, b, n)
    elif form == 1:
        op(c, a, b, mask=n, repeat_times=reps, repeat_params=asc.BinaryRepeatParams(d, s, t, dr, sr, tr))
    else:
        op(c, a, b, [lo, hi], reps, asc.BinaryRepeatParams(d, s, t, dr, sr, tr))
    asc.data_copy(zg, c, room)


def relu(x):
    return np.where(x > 0, x, 0)


def wide(f):
    """Halves are computed in float and rounded once."""
    def g(*args):
        half = args[0].dtype == np.float16
        return f(*(a.astype(np.float32) for a in args)) if half else f(*args)
    return g


F, I = [np.float16, np.float32], [np.int16, np.int32]
BINARY = {
    "add": (lambda a, b, c: a + b, F + I), "sub": (lambda a, b, c: a - b, F + I), "mul": (lambda a, b, c: a * b, F + I),
    "div": (lambda a, b, c: a / b, F), "max": (lambda a, b, c: np.maximum(a, b), F + I),
    "min": (lambda a, b, c: np.minimum(a, b), F + I), "bitwise_and": (lambda a, b, c: a & b, [np.int16, np.uint16]),
    "bitwise_or": (lambda a, b, c: a | b, [np.int16, np.uint16]),
    "add_relu": (lambda a, b, c: relu(a + b), F + [np.int16]), "sub_relu": (lambda a, b, c: relu(a - b), F + [np.int16]),
    "fused_mul_add": (lambda a, b, c: a * c + b, F), "fused_mul_add_relu": (lambda a, b, c: relu(a * c + b), F),
    "mul_add_dst": (lambda a, b, c: a * b + c, F),
}
CASES = [(name, dt) for name, (_, dtypes) in BINARY.items() for dt in dtypes]


def make(rng, dtype):
    n = UB // np.dtype(dtype).itemsize
    if np.issubdtype(dtype, np.floating):
        x = rng.uniform(-9, 9, n).astype(dtype)
        x[:: 37] = np.inf
        x[5:: 41] = -0.0
        return x
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype)


def forms(dtype, rng):
    """(form, n, lo, hi, repeats, strides)"""
    lanes = lanes_of(dtype)
    for n in 0, 1, 7, lanes, lanes + 1, 1000:
        yield 0, n, 0, 0, 0, (1, 1, 1, 8, 8, 8)
    for n in 1, lanes - 3, lanes:
        yield 1, n, 0, 0, 3, (1, 1, 1, 8, 8, 8)
        yield 1, n, 0, 0, 2, (2, 1, 3, 16, 0, 9)
    yield 1, lanes, 0, 0, 0, (1, 1, 1, 8, 8, 8)
    yield 1, lanes, 0, 0, 7, (1, 1, 0, 8, 8, 0)
    for _ in range(3):
        lo, hi = (int(v) for v in rng.integers(-2**63, 2**63 - 1, 2))
        yield 2, 0, lo, hi, 3, (1, 2, 1, 8, 8, 11)


@pytest.mark.parametrize("name,dtype", CASES)
@np.errstate(all="ignore")
def test_binary(name, dtype):
    rng = np.random.default_rng(1)
    f = wide(BINARY[name][0])
    for form, n, lo, hi, reps, strides in forms(dtype, rng):
        x, y, z = (make(rng, dtype) for _ in "xyz")
        want = z.copy()
        binary[1](getattr(asc, name), form, x, y, z, n, lo, hi, reps, *strides)
        if form == 0:
            want[:n] = f(x[:n], y[:n], want[:n]).astype(dtype)
        else:
            lanes = lanes_of(dtype)
            on = np.arange(lanes) < n if form == 1 else bits_of(lo % 2**64, hi % 2**64, lanes)
            repeat(f, want, [x, y], on, reps, strides)
        np.testing.assert_array_equal(z, want, err_msg=f"form {form}, n {n}, repeats {reps}, strides {strides}")


@asc.jit
def unary(op: asc.ConstExpr, form: asc.ConstExpr[int], scalar: asc.ConstExpr[bool], k, x: asc.GlobalAddress,
          z: asc.GlobalAddress, n: int, lo: int, hi: int, reps: int, d: int, s: int, dr: int, sr: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    room = UB // z.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 2 * UB, room)
    asc.data_copy(a, xg, UB // x.dtype.sizeof())
    asc.data_copy(c, zg, room)
    if scalar:
        if form == 0:
            op(c, a, k, n)
        elif form == 1:
            op(c, a, k, n, reps, asc.UnaryRepeatParams(d, s, dr, sr))
        else:
            op(c, a, k, [lo, hi], reps, asc.UnaryRepeatParams(d, s, dr, sr))
    else:
        if form == 0:
            op(c, a, n)
        elif form == 1:
            op(c, a, mask=n, repeat_times=reps, repeat_params=asc.UnaryRepeatParams(d, s, dr, sr))
        else:
            op(c, a, [lo, hi], reps, asc.UnaryRepeatParams(d, s, dr, sr))
    asc.data_copy(zg, c, room)


UNARY = {
    "abs": (lambda a, c: np.abs(a), F), "exp": (lambda a, c: np.exp(a), F), "ln": (lambda a, c: np.log(a), F),
    "sqrt": (lambda a, c: np.sqrt(a), F), "rsqrt": (lambda a, c: 1 / np.sqrt(a), F),
    "reciprocal": (lambda a, c: 1 / a, F), "relu": (lambda a, c: relu(a), F + [np.int32]),
    "bitwise_not": (lambda a, c: ~a, [np.int16, np.uint16]),
}
SCALAR = {
    "adds": (lambda a, c, k: a + k, F + I, 3), "muls": (lambda a, c, k: a * k, F + I, 3),
    "maxs": (lambda a, c, k: np.maximum(a, k), F + I, 3), "mins": (lambda a, c, k: np.minimum(a, k), F + I, 3),
    "leaky_relu": (lambda a, c, k: np.where(a >= 0, a, a * k), F, 0.25),
    "shift_left": (lambda a, c, k: a << k, [np.int16, np.uint16, np.int32, np.uint32], 3),
    "shift_right": (lambda a, c, k: a >> k, [np.int16, np.uint16, np.int32, np.uint32], 3),
    "axpy": (lambda a, c, k: c + a * k, F, 2.5),
}


def check(name, dtype, f, k, scalar):
    rng = np.random.default_rng(2)
    exact = name not in ("exp", "ln", "rsqrt")
    for form, n, lo, hi, reps, strides in forms(dtype, rng):
        strides = (strides[0], strides[1], strides[3], strides[4])
        x, z = make(rng, dtype), make(rng, dtype)
        want = z.copy()
        unary[1](getattr(asc, name), form, scalar, k, x, z, n, lo, hi, reps, *strides)
        if form == 0:
            want[:n] = f(x[:n], want[:n]).astype(dtype)
        else:
            lanes = lanes_of(dtype)
            on = np.arange(lanes) < n if form == 1 else bits_of(lo % 2**64, hi % 2**64, lanes)
            repeat(f, want, [x], on, reps, strides)
        if exact:
            np.testing.assert_array_equal(z, want, err_msg=f"form {form}, n {n}, strides {strides}")
        else:
            np.testing.assert_allclose(z, want, rtol=1e-3 if dtype == np.float16 else 1e-6, atol=1e-7)


@pytest.mark.parametrize("name,dtype", [(n, d) for n, row in UNARY.items() for d in row[1]])
@np.errstate(all="ignore")
def test_unary(name, dtype):
    check(name, dtype, wide(UNARY[name][0]), 0, False)


@pytest.mark.parametrize("name,dtype", [(n, d) for n, row in SCALAR.items() for d in row[1]])
@np.errstate(all="ignore")
def test_scalar(name, dtype):
    f, _, k = SCALAR[name]
    kind = np.float32 if np.issubdtype(dtype, np.floating) else dtype
    check(name, dtype, wide(lambda a, c: f(a, c, kind(k))), k, True)


def test_in_place_and_at_the_end_of_memory():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 192 * 1024 - 256, 64)
        asc.data_copy(a, g, 64)
        asc.adds(a, a, 1.0, 64)
        asc.add(a, a, a, 128)  # half of it lies beyond the Unified Buffer
        asc.data_copy(g, a, 64)
    x = np.arange(64, dtype=np.float32)
    kernel[1](x)
    np.testing.assert_array_equal(x, (np.arange(64) + 1) * 2)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@np.errstate(all="ignore")
def test_mul_cast(dtype):
    rng = np.random.default_rng(3)
    x, y = (rng.uniform(-20, 20, UB // 2).astype(np.float16) for _ in "xy")
    z = np.full(UB, 3, dtype)
    want = z.copy()
    binary[1](asc.mul_cast, 0, x, y, z, 1000, 0, 0, 0, 1, 1, 1, 8, 8, 8)
    info = np.iinfo(dtype)
    want[:1000] = np.clip(np.rint((x * y)[:1000].astype(np.float32)), info.min, info.max).astype(dtype)
    np.testing.assert_array_equal(z, want)


def test_mul_add_dst_of_halves_to_float():
    rng = np.random.default_rng(4)
    x, y = (rng.uniform(-20, 20, UB // 2).astype(np.float16) for _ in "xy")
    z = rng.uniform(-20, 20, UB // 4).astype(np.float32)
    want = z.copy()
    binary[1](asc.mul_add_dst, 0, x, y, z, 1000, 0, 0, 0, 1, 1, 1, 8, 8, 8)
    want[:1000] += x[:1000].astype(np.float32) * y[:1000]
    np.testing.assert_array_equal(z, want)
