"""Conversions of package asc: every rounding over every half, and what spreads elements."""
import ml_dtypes
import numpy as np
import pytest
from asc_lanes import bits_of, index, repeat

import asc

BF = ml_dtypes.bfloat16
F16, F32 = np.float16, np.float32
MODES = {m.name[5:]: m for m in asc.RoundMode}
LIMIT = 80 << 10  # bytes of each operand's room


@asc.jit
def cast(form: asc.ConstExpr[int], mode: asc.ConstExpr, x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, lo: int, hi: int,
         reps: int, d: int, s: int, dr: int, sr: int, nx: int, nz: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, nx)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 81920, nz)
    asc.data_copy(a, xg, nx)
    asc.data_copy(c, zg, nz)
    if form == 0:
        asc.cast(c, a, mode, n)
    elif form == 1:
        asc.cast(c, a, round_mode=mode, mask=n, repeat_times=reps, repeat_params=asc.UnaryRepeatParams(d, s, dr, sr))
    else:
        asc.cast(c, a, mode, [lo, hi], reps, asc.UnaryRepeatParams(d, s, dr, sr))
    asc.data_copy(zg, c, nz)


def run(x, dtype, mode, form=0, n=None, lo=0, hi=0, reps=0, strides=(1, 1, 8, 8), z=None):
    z = np.zeros(len(x), dtype) if z is None else z
    n = len(x) if n is None else n
    cast[1](form, mode, x, z, n, lo, hi, reps, *strides, len(x), len(z))
    return z


def away(v):
    return np.copysign(np.trunc(np.abs(v) + np.where(np.abs(v) < 2**52, 0.5, 0)), v)


WHOLE = {"NONE": np.rint, "RINT": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "ROUND": away, "TRUNC": np.trunc}


def to_int(v, dtype, mode):
    info = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        v = WHOLE[mode](v.astype(np.float64))
    v = np.nan_to_num(v, nan=0, posinf=2.0**70, neginf=-2.0**70)
    return np.array([min(max(int(e), info.min), info.max) for e in v], dtype)


def narrow(v, dtype, mode):
    """float64 to a narrower float, one neighbour or the other."""
    with np.errstate(all="ignore"):
        near = v.astype(dtype)
        near64 = near.astype(np.float64)
        bits = {2: np.uint16, 4: np.uint32}[near.itemsize]
        m = (near.view(bits) & bits(2**(8 * near.itemsize - 1) - 1)).astype(np.int64)
        toward = np.where(np.abs(near64) > np.abs(v), m - 1, m)
        low = toward.astype(bits).view(dtype).astype(np.float64)
        high = (toward + 1).astype(bits).view(dtype).astype(np.float64)
        exact, neg = low == np.abs(v), np.signbit(v)
        up = {"FLOOR": neg & ~exact, "CEIL": ~neg & ~exact, "TRUNC": exact & False, "ODD": ~exact & (toward % 2 == 0),
              "ROUND": ~exact & (np.abs(v) - low >= high - np.abs(v))}
        if mode in ("NONE", "RINT"):
            return near
        out = np.copysign(np.where(up[mode], high, low), v).astype(dtype)
        return np.where(np.isfinite(near64) | ((mode != "ROUND") & np.isfinite(v)), out, near)


def same(got, want):
    if np.dtype(got.dtype).kind in "iu":
        np.testing.assert_array_equal(got, want)
    else:
        g, w = got.astype(F32), np.asarray(want).astype(F32)
        ok = (g == w) & (np.signbit(g) == np.signbit(w)) | np.isnan(g) & np.isnan(w)
        assert ok.all(), (np.flatnonzero(~ok)[:5], g[~ok][:5], w[~ok][:5])


INT_MODES = ["RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "NONE"]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32])
@pytest.mark.parametrize("mode", INT_MODES)
def test_every_half_to_int(dtype, mode):
    every = np.arange(65536, dtype=np.uint16).view(F16)
    for x in every[:32768], every[32768:]:
        at = 0
        while at < len(x):
            part = x[at:at + 16384].copy()
            same(run(part, dtype, MODES[mode]), to_int(part, dtype, mode))
            at += 16384


def test_every_half_to_float_and_8_bits_to_half():
    every = np.arange(65536, dtype=np.uint16).view(F16)
    for part in np.split(every, 4):
        same(run(part.copy(), F32, MODES["NONE"]), part.astype(F32))
    for dtype in np.int8, np.uint8:
        x = np.arange(256, dtype=np.uint8).view(dtype)
        same(run(x, F16, MODES["NONE"]), x.astype(F16))


def floats(rng, n=8192):
    x = rng.integers(0, 2**32, n, np.uint64).astype(np.uint32).view(F32)
    x[:1024] = rng.uniform(-300, 300, 1024)
    x[1024:2048] = (rng.integers(-70000, 70000, 1024) / 2).astype(F32)
    x[2048:3072] = rng.uniform(-1e-4, 1e-4, 1024) * rng.uniform(0, 1, 1024)**8
    x[3072:4096] = rng.uniform(-2.0**64, 2.0**64, 1024)
    x[4096:4110] = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.996, 65520, -65520, 2.0**31, 2.0**63, -2.0**63, 0.5, 2.0**23 + 1]
    x[4110:5000] = np.arange(65536, dtype=np.uint16).view(F16).astype(F32)[70:70 + 890] * F32(1.00048828125)
    return x


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("mode", INT_MODES[:5])
def test_float_to_int(dtype, mode):
    x = floats(np.random.default_rng(0))
    same(run(x, dtype, MODES[mode]), to_int(x, dtype, mode))


@pytest.mark.parametrize("mode", list(MODES))
@np.errstate(all="ignore")
def test_float_to_float(mode):
    x = floats(np.random.default_rng(1))
    same(run(x, F16, MODES[mode]), narrow(x.astype(np.float64), F16, mode))
    if mode != "ODD":
        same(run(x, BF, MODES[mode]), narrow(x.astype(np.float64), BF, mode))
        same(run(x, F32, MODES[mode]), WHOLE[mode](x))
        b = x.astype(BF)
        same(run(b, np.int32, MODES[mode]), to_int(b.astype(F32), np.int32, mode))
        same(run(b, F32, MODES[mode]), b.astype(F32))


@pytest.mark.parametrize("mode", INT_MODES)
def test_int_to_float(mode):
    rng = np.random.default_rng(2)
    x = np.arange(-32768, 32768, 3, dtype=np.int16)[:16384]
    same(run(x, F16, MODES[mode]), narrow(x.astype(np.float64), F16, mode))
    same(run(x, F32, MODES[mode]), x.astype(F32))
    x = (rng.integers(-2**31, 2**31, 8192) >> rng.integers(0, 31, 8192)).astype(np.int32)
    same(run(x, F32, MODES[mode]), narrow(x.astype(np.float64), F32, mode))
    x = rng.integers(-2**52, 2**52, 4096) >> rng.integers(0, 50, 4096)
    same(run(x, F32, MODES[mode]), narrow(x.astype(np.float64), F32, mode))


def test_int_to_int():
    rng = np.random.default_rng(3)
    x = (rng.integers(-2**31, 2**31, 8192) >> rng.integers(0, 31, 8192)).astype(np.int32)
    same(run(x, np.int64, MODES["NONE"]), x.astype(np.int64))
    same(run(x, np.int16, MODES["NONE"]), np.clip(x, -32768, 32767).astype(np.int16))
    y = rng.integers(-2**63, 2**63 - 1, 8192) >> rng.integers(0, 63, 8192)
    same(run(y, np.int32, MODES["NONE"]), np.clip(y, -2**31, 2**31 - 1).astype(np.int32))


@pytest.mark.parametrize("src,dst", [(F16, F32), (F32, F16), (np.int8, F16), (F16, np.uint8), (np.int32, F32), (F16, np.int32),
                                     (F32, np.int64)])
def test_cast_forms(src, dst):
    rng = np.random.default_rng(4)
    lanes = 256 // max(np.dtype(src).itemsize, np.dtype(dst).itemsize)
    for form, n, reps, strides in [(0, 100, 0, None), (1, 7, 2, (1, 1, 8, 8)), (1, lanes, 3, (1, 1, 8, 4)),
                                   (1, lanes - 1, 2, (2, 1, 16, 9)), (2, 0, 3, (1, 3, 8, 8))]:
        x = rng.integers(0, 100, 2048).astype(src)
        z = rng.integers(0, 100, 2048).astype(dst)
        want, lo, hi = z.copy(), 0x5a5a1234ffff0001, 0x123456789abcdef0
        run(x, dst, MODES["RINT"], form, n, lo - 2**64 if lo >= 2**63 else lo, hi, reps, strides or (1, 1, 8, 8), z)
        if form == 0:
            want[:n] = x[:n].astype(dst)
        else:
            on = np.arange(lanes) < n if form == 1 else bits_of(lo, hi, lanes)
            repeat(lambda a, c: a.astype(dst), want, [x], on, reps, strides)
        np.testing.assert_array_equal(z, want)


@asc.jit
def deq(how: asc.ConstExpr[int], half: asc.ConstExpr[bool], scale: float, x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 1024)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 1024)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 8192, 2048)
    asc.data_copy(a, xg, 1024)
    asc.data_copy(c, zg, 2048)
    if how == 0:
        asc.set_deq_scale(scale)
        asc.cast(c, a, asc.RoundMode.CAST_NONE, n)
    elif how == 1:
        asc.set_deq_scale(scale)
        asc.cast_deq(c, a, n)
    elif how == 2:
        asc.set_deq_scale(scale, 5, c.dtype == asc.int8)
        asc.cast_deq(c, a, n, is_vec_deq=False, half_block=half)
    elif how == 3:
        v = asc.LocalTensor(asc.uint64, asc.TPosition.VECIN, 16384, 16)
        asc.set_deq_scale(v, asc.VdeqInfo([1.0] * 8 + [0.5] * 8, [0, -3] * 8, [True] * 16))
        asc.cast_deq(c, a, mask=128, repeat_times=2, repeat_params=asc.UnaryRepeatParams(1, 1, 8, 8), half_block=half)
    else:
        asc.set_deq_scale(scale)
        asc.add_deq_relu(c, a, b, n)
    asc.data_copy(zg, c, 2048)


def test_deq_of_int32():
    x = np.random.default_rng(5).integers(-9000, 9000, 1024).astype(np.int32)
    for how in 0, 1, 4:
        z = np.zeros(2048, F16)
        deq[1](how, True, 0.3, x, z, 1000)
        want = (x * (2 if how == 4 else 1)).astype(F32) * F32(F16(0.3))
        want = np.where(want > 0, want, 0) if how == 4 else want
        np.testing.assert_array_equal(z[:1000], want[:1000].astype(F16))
        assert not z[1000:].any()


@pytest.mark.parametrize("half", [False, True])
def test_deq_of_int16(half):
    x = np.random.default_rng(6).integers(-400, 400, 1024).astype(np.int16)
    for dtype in np.int8, np.uint8:
        z = np.full(2048, 7, dtype)
        deq[1](2, half, 0.5, x, z, 1024)
        want = np.full((64, 2, 16), 7, dtype)
        info = np.iinfo(dtype)
        want[:, int(half)] = np.clip(np.rint(x.reshape(64, 16) * 0.5 + 5), info.min, info.max)
        np.testing.assert_array_equal(z, want.reshape(-1))
    z = np.full(2048, 7, np.int8)
    deq[1](3, half, 0.5, x, z, 0)
    want = np.full((64, 2, 16), 7, np.int8)
    v = x.reshape(64, 16) * np.repeat([1, 0.5], 8) + np.tile([0, -3], 8)
    want[:16, int(half)] = np.clip(np.rint(v), -128, 127)[:16]
    np.testing.assert_array_equal(z, want.reshape(-1))


@asc.jit
def relu_cast(sub: asc.ConstExpr[bool], form: asc.ConstExpr[int], x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 512)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 4096, 512)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 8192, 512)
    asc.data_copy(a, xg, 512)
    asc.data_copy(b, yg, 512)
    asc.data_copy(c, zg, 512)
    params = asc.BinaryRepeatParams(1, 1, 1, 4, 8, 8)
    op = asc.sub_relu_cast if sub else asc.add_relu_cast
    if form == 0:
        op(c, a, b, count=300)
    elif form == 1:
        op(c, a, b, mask=64, repeat_times=2, repeat_params=params)
    else:
        op(c, a, b, mask=[2**64 - 1, 2**64 - 1], repeat_times=2, repeat_params=params)
    asc.data_copy(zg, c, 512)


@pytest.mark.parametrize("src,dst", [(F16, np.int8), (np.int16, np.int8), (F32, F16)])
def test_relu_cast(src, dst):
    rng = np.random.default_rng(7)
    for sub in False, True:
        for form in 0, 1, 2:
            x, y = (rng.uniform(-150, 150, 512).astype(src) for _ in "xy")
            z = np.full(512, 3, dst)
            want = z.copy()
            relu_cast[1](sub, form, x, y, z)

            def f(a, b, c):
                v = a.astype(F32) - b if sub else a.astype(F32) + b
                v = np.maximum(v.astype(src if src == F16 else F32), 0)
                return np.clip(np.rint(v), 0, 127).astype(dst) if dst == np.int8 else v.astype(dst)
            lanes = 64 if src == F32 else 128
            if form == 0:
                want[:300] = f(x[:300], y[:300], None)
            else:
                repeat(f, want, [x, y], np.arange(lanes) < (64 if form == 1 else 128), 2, (1, 1, 1, 4, 8, 8))
            np.testing.assert_array_equal(z, want)


@asc.jit
def fill(form: asc.ConstExpr[int], k, x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 128)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 8192, 2048)
    asc.data_copy(a, xg, 128)
    asc.data_copy(c, zg, 2048)
    if form == 0:
        asc.duplicate(c, k, count=n)
    elif form == 1:
        asc.duplicate(c, k, n, 3, 2, 16)
    elif form == 2:
        asc.duplicate(c, k, [0xff0ff, 1], 2, 1, 8)
    else:
        asc.brcb(c, a, repeat_times=3, repeat_params=asc.BrcbRepeatParams(2, 17))
    asc.data_copy(zg, c, 2048)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, F16, BF, np.int32, np.uint32, F32])
def test_duplicate_and_brcb(dtype):
    rng = np.random.default_rng(8)
    lanes, per = 256 // np.dtype(dtype).itemsize, 32 // np.dtype(dtype).itemsize
    k = 5 if np.dtype(dtype).kind in "iu" else 2.3
    for form in 0, 1, 2, 3:
        x, z = (rng.integers(0, 50, n).astype(dtype) for n in (128, 2048))
        want = z.copy()
        fill[1](form, k, x, z, 33)
        if form == 0:
            want[:33] = k
        elif form == 3:
            for r in range(3):
                for i in range(8):
                    at = (r * 17 + i * 2) * per
                    want[at:at + per] = x[8 * r + i]
        else:
            on = np.arange(lanes) < 33 if form == 1 else bits_of(0xff0ff, 1, lanes)
            for r in range(3 if form == 1 else 2):
                want[index(dtype, lanes, r, *((2, 16) if form == 1 else (1, 8)))[on]] = k
        np.testing.assert_array_equal(z.astype(F32), want.astype(F32))


@asc.jit
def bilinear(each: asc.ConstExpr[bool], bits: asc.ConstExpr[bool], x: asc.GlobalAddress, o: asc.GlobalAddress, w: asc.GlobalAddress,
             z: asc.GlobalAddress):
    xg, og, wg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    og.set_global_buffer(o)
    wg.set_global_buffer(w)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 512)
    b = asc.LocalTensor(asc.uint32, asc.TPosition.VECIN, 1024, 32)
    c = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 2048, 32)
    d = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 4096, 512)
    tmp = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 8192, 40000)
    asc.data_copy(a, xg, 512)
    asc.data_copy(b, og, 32)
    asc.data_copy(c, wg, 32)
    asc.data_copy(d, zg, 512)
    if bits:
        asc.bilinear_interpolation(d, a, b, c, [2**64 - 1, 2**64 - 1], 2, each, 1, 128, 2, tmp)
    else:
        asc.bilinear_interpolation(d, a, b, c, mask=100, h_repeat=2, repeat_mode=each, dst_blk_stride=2, v_r_offset=256, v_repeat=2,
                                   shared_tmp_buffer=tmp)
    asc.data_copy(zg, d, 512)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("bits", [False, True])
def test_bilinear_interpolation(each, bits):
    rng = np.random.default_rng(9)
    x, w = rng.uniform(-2, 2, 512).astype(F16), rng.uniform(-2, 2, 32).astype(F16)
    o = (rng.permutation(32) * 32).astype(np.uint32)
    z = rng.uniform(0, 1, 512).astype(F16)
    want = z.copy()
    bilinear[1](each, bits, x, o, w, z)
    for v in range(2):
        total = []
        for h in range(2):
            step = 2 * v + h
            blocks = x.reshape(32, 16)[o[8 * step:8 * step + 8] // 32]
            total.append(blocks * (w[8 * step:8 * step + 8, None] if each else w[step]))
        value = (total[0] + total[1]).reshape(-1)
        at = index(F16, 128, 0, 1 if bits else 2, 0) + v * (128 if bits else 256)
        on = np.arange(128) < (128 if bits else 100)
        want[at[on]] = value[on]
    np.testing.assert_array_equal(z, want)
