"""Reductions, comparisons, selections and mask registers of package asc, against NumPy."""
import numpy as np
import pytest
from asc_lanes import bits_of, index

import asc

F16, F32 = np.float16, np.float32
FLOATS = [F16, F32]
LO, HI = 0x5a5a1234ffff0001, 0x123456789abcdef0
N = 4096


@asc.jit
def reduce(call: asc.ConstExpr, x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, lo: int, hi: int, reps: int, ds: int, sb: int,
           sr: int, nz: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 4096)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 65536, nz)
    t = asc.LocalTensor(z.dtype, asc.TPosition.VECCALC, 65536 + 32768, 1024)
    asc.data_copy(a, xg, 4096)
    asc.data_copy(c, zg, nz)
    call(c, a, t, n, lo, hi, reps, ds, sb, sr)
    asc.data_copy(zg, c, nz)


def tree(v):
    while v.shape[-1] > 1:
        v = v[..., ::2] + v[..., 1::2]
    return v[..., 0]


def values(rng, dtype, n=N):
    x = rng.uniform(-100, 100, n).astype(dtype)
    x[::7] = np.round(x[::7])
    return x


def go(call, dtype, n=0, lo=0, hi=0, reps=0, ds=1, sb=1, sr=8, seed=0):
    rng = np.random.default_rng(seed)
    x, z = values(rng, dtype), values(rng, dtype)
    was = z.copy()
    reduce[1](call, x, z, n, lo - 2**64 if lo >= 2**63 else lo, hi, reps, ds, sb, sr, N)
    return x, was, z


def lanes_of(dtype):
    return 256 // np.dtype(dtype).itemsize


def cases(dtype):
    """(bits, n, lo, hi, on)"""
    lanes = lanes_of(dtype)
    for n in 1, lanes // 2 - 3, lanes:
        yield False, n, 0, 0, np.arange(lanes) < n
    yield True, 0, LO, HI, bits_of(LO, HI, lanes)
    yield True, 0, 0, 0, np.zeros(lanes, bool)


@asc.jit
def block_n(c, a, t, n, lo, hi, reps, ds, sb, sr):
    asc.block_reduce_sum(c, a, repeat=reps, mask=n, dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr)
    asc.block_reduce_max(c[1024:], a, repeat=reps, mask=n, dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr)
    asc.block_reduce_min(c[2048:], a, reps, n, ds, sb, sr)


@asc.jit
def block_bits(c, a, t, n, lo, hi, reps, ds, sb, sr):
    asc.block_reduce_sum(c, a, reps, [lo, hi], ds, sb, sr)
    asc.block_reduce_max(c[1024:], a, reps, [lo, hi], ds, sb, sr)
    asc.block_reduce_min(c[2048:], a, reps, mask=[lo, hi], dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr)


@pytest.mark.parametrize("dtype", FLOATS)
def test_block(dtype):
    per = 32 // np.dtype(dtype).itemsize
    for bits, n, lo, hi, on in cases(dtype):
        for reps, ds, sb, sr in [(3, 1, 1, 8), (2, 3, 2, 16)]:
            x, want, z = go(block_bits if bits else block_n, dtype, n, lo, hi, reps, ds, sb, sr)
            for r in range(reps):
                v = x[index(dtype, 8 * per, r, sb, sr)]
                for b in range(8):
                    w, o = v[b * per:b * per + per], on[b * per:b * per + per]
                    if o.any():
                        at = r * ds * 8 + b
                        want[at], want[1024 + at], want[2048 + at] = tree(np.where(o, w, dtype(0))), w[o].max(), w[o].min()
            np.testing.assert_array_equal(z, want)


@asc.jit
def sums_n(c, a, t, n, lo, hi, reps, ds, sb, sr):
    asc.pair_reduce_sum(c, a, repeat_time=reps, mask=n, dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr)
    asc.whole_reduce_sum(c[2048:], a, mask=n, repeat_time=reps, dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr)
    asc.repeat_reduce_sum(c[3072:], a, repeat_time=reps, mask=n, dst_blk_stride=0, src_blk_stride=sb, dst_rep_stride=ds, src_rep_stride=sr)


@asc.jit
def sums_bits(c, a, t, n, lo, hi, reps, ds, sb, sr):
    asc.pair_reduce_sum(c, a, reps, [lo, hi], ds, sb, sr)
    asc.whole_reduce_sum(c[2048:], a, [lo, hi], reps, ds, sb, sr)
    asc.set_vector_mask(hi, lo, dtype=c.dtype, mode=asc.MaskMode.NORMAL)
    asc.repeat_reduce_sum(c[3072:], a, reps, 1, 0, sb, ds, sr, is_set_mask=False)
    asc.reset_mask()


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums(dtype):
    lanes = lanes_of(dtype)
    for bits, n, lo, hi, on in cases(dtype):
        for reps, ds, sb, sr in [(3, 1, 1, 8), (2, 3, 2, 16)]:
            x, want, z = go(sums_bits if bits else sums_n, dtype, n, lo, hi, reps, ds, sb, sr)
            half = 128 // np.dtype(dtype).itemsize
            for r in range(reps):
                v = np.where(on, x[index(dtype, lanes, r, sb, sr)], dtype(0))
                pair = on[::2] | on[1::2]
                want[r * ds * half + np.flatnonzero(pair)] = (v[::2] + v[1::2])[pair]
                if on.any():
                    want[2048 + r * ds] = want[3072 + r * ds] = tree(v)
            np.testing.assert_array_equal(z, want)


@asc.jit
def best_n(c, a, t, n, lo, hi, reps, ds, sb, sr):
    asc.whole_reduce_max(c, a, mask=n, repeat_time=reps, dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr)
    asc.whole_reduce_min(c[512:], a, n, reps, ds, sb, sr, order=asc.ReduceOrder.ORDER_INDEX_VALUE)
    asc.whole_reduce_max(c[1024:], a, n, reps, ds, sb, sr, asc.ReduceOrder.ORDER_ONLY_VALUE)
    asc.whole_reduce_min(c[2048:], a, n, reps, ds, sb, sr, asc.ReduceOrder.ORDER_ONLY_INDEX)


@asc.jit
def best_bits(c, a, t, n, lo, hi, reps, ds, sb, sr):
    asc.whole_reduce_max(c, a, [lo, hi], reps, ds, sb, sr)
    asc.whole_reduce_min(c[512:], a, mask=[lo, hi], repeat_time=reps, dst_rep_stride=ds, src_blk_stride=sb, src_rep_stride=sr,
                         order=asc.ReduceOrder.ORDER_INDEX_VALUE)
    asc.whole_reduce_max(c[1024:], a, [lo, hi], reps, ds, sb, sr, asc.ReduceOrder.ORDER_ONLY_VALUE)
    asc.whole_reduce_min(c[2048:], a, [lo, hi], reps, ds, sb, sr, asc.ReduceOrder.ORDER_ONLY_INDEX)


@pytest.mark.parametrize("dtype", FLOATS)
def test_best(dtype):
    lanes, u = lanes_of(dtype), np.uint16 if dtype == F16 else np.uint32
    for bits, n, lo, hi, on in cases(dtype):
        for reps, ds, sb, sr in [(3, 1, 1, 8), (2, 3, 2, 16)]:
            x, want, z = go(best_bits if bits else best_n, dtype, n, lo, hi, reps, ds, sb, sr)
            w = want.view(u)
            for r in range(reps):
                v = x[index(dtype, lanes, r, sb, sr)]
                if not on.any():
                    continue
                most = int(np.argmax(np.where(on, v, -np.inf)))
                least = int(np.argmin(np.where(on, v, np.inf)))
                want[2 * r * ds], w[2 * r * ds + 1] = v[most], most
                w[512 + 2 * r * ds], want[512 + 2 * r * ds + 1] = least, v[least]
                want[1024 + r * ds] = v[most]
                want.view(np.uint32)[2048 * want.itemsize // 4 + r * ds] = least
            np.testing.assert_array_equal(z.view(u), w)


@asc.jit
def total(c, a, t, n, lo, hi, reps, ds, sb, sr):
    if ds == 0:
        asc.reduce_max(c, a, t, n, True)
        asc.reduce_min(c[32:], a, shared_tmp_buffer=t, count=n, cal_index=False)
        asc.reduce_sum(c[64:], a, t, n)
    elif ds == 1:
        asc.reduce_max(c, a, t, n, reps, sr, True)
        asc.reduce_min(c[32:], a, t, mask=n, repeat_time=reps, src_rep_stride=sr)
        asc.reduce_sum(c[64:], a, t, n, reps, sr)
    else:
        asc.reduce_max(c, a, t, [lo, hi], reps, sr, cal_index=True)
        asc.reduce_min(c[32:], a, t, [lo, hi], reps, sr)
        asc.reduce_sum(c[64:], a, shared_tmp_buffer=t, mask=[lo, hi], repeat_time=reps, src_rep_stride=sr)


@pytest.mark.parametrize("dtype", FLOATS)
def test_total(dtype):
    lanes, u = lanes_of(dtype), np.uint16 if dtype == F16 else np.uint32
    for ds, n, reps, sr in [(0, 1, 0, 8), (0, lanes, 0, 8), (0, 4095, 0, 8), (0, 0, 0, 8), (1, lanes, 4096 // lanes, 8),
                            (1, lanes - 5, 20, 9), (2, 0, 20, 8), (1, 7, 300, 0), (1, lanes, lanes, 1)]:
        x, want, z = go(total, dtype, n, LO, HI, reps, ds, 1, sr)
        on = bits_of(LO, HI, lanes) if ds == 2 else np.arange(lanes) < (n if ds else lanes)
        if ds == 0:
            reps = -(-n // lanes)
        rows = np.array([x[index(dtype, lanes, r, 1, sr)] for r in range(reps)]).reshape(reps, lanes)
        on = np.broadcast_to(on, rows.shape).copy()
        if ds == 0:
            on.reshape(-1)[n:] = False
        if reps:
            at = int(np.argmax(np.where(on, rows, -np.inf)))
            want[0] = rows.reshape(-1)[at]
            want.view(u)[1] = at
            want[32] = rows[on].min()
            sums = tree(np.where(on, rows, dtype(0)))
            if ds == 0:
                s = sums[0]
                for v in sums[1:]:
                    s = s + v
            while ds and len(sums) > 1:
                pad = -len(sums) % lanes
                sums = tree(np.concatenate([sums, np.zeros(pad, dtype)]).reshape(-1, lanes))
            want[64] = sums[0] if ds else s
        np.testing.assert_array_equal(z.view(u), want.view(u), err_msg=f"{ds} {n} {reps} {sr}")


MODES = {"LT": np.less, "GT": np.greater, "EQ": np.equal, "LE": np.less_equal, "GE": np.greater_equal, "NE": np.not_equal}


@asc.jit
def compare(form: asc.ConstExpr[int], mode: asc.ConstExpr, x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int,
            k):
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 1024)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 8192, 1024)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 16384, 256)
    asc.data_copy(a, xg, 1024)
    asc.data_copy(b, yg, 1024)
    asc.data_copy(c, zg, 256)
    if form == 0:
        asc.compare(c, a, b, cmp_mode=mode, count=n)
    elif form == 1:
        asc.compare(c, a, b, mode, n, 3, asc.BinaryRepeatParams(1, 1, 2, 8, 8, 4))
    elif form == 2:
        asc.compare(c, a, b, cmp_mode=mode, mask=[2**64 - 1, 2**64 - 1], repeat_times=2, repeat_params=asc.BinaryRepeatParams())
    elif form == 3:
        asc.compare_scalar(c, a, k, cmp_mode=mode, count=n)
    elif form == 4:
        asc.compare_scalar(c, a, k, mode, mask=n, repeat_times=2, repeat_params=asc.UnaryRepeatParams(1, 2, 8, 8))
    elif form == 5:
        asc.compare(a, b, cmp_mode=mode, mask=n, repeat_params=asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8))
        asc.get_cmp_mask(c)
    else:
        asc.compare(a, b, mode, [3, 5], asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8))
        asc.get_cmp_mask(c)
    asc.data_copy(zg, c, 256)


@pytest.mark.parametrize("dtype", [F16, F32, np.int32])
@pytest.mark.parametrize("mode", list(MODES))
def test_compare(dtype, mode):
    rng = np.random.default_rng(1)
    lanes = lanes_of(dtype)
    for form in range(7):
        n = {0: 3 * lanes + 5, 3: 2 * lanes, 5: lanes - 3}.get(form, lanes)
        x, y = (rng.integers(0, 4, 1024).astype(dtype) for _ in "xy")
        if dtype != np.int32:
            x[::9], y[::5], x[::31] = 0.0, -0.0, np.nan
        z = rng.integers(0, 255, 256).astype(np.uint8)
        want = z.copy()
        compare[1](form, getattr(asc.CMPMODE, mode), x, y, z, n, 2)
        f, reps = MODES[mode], {0: 3, 1: 3, 2: 2, 3: 2, 4: 2}.get(form, 1)
        p, q = (1, 2) if form == 1 else (1, 1), (8, 4) if form == 1 else (8, 8)
        bits = []
        for r in range(reps):
            a = x[index(dtype, lanes, r, 2 if form == 4 else 1, 8)]
            b = dtype(2) if form in (3, 4) else y[index(dtype, lanes, r, p[1], q[1])]
            bits.append(f(a, b))
        bits = np.concatenate(bits)
        if form >= 5:
            bits = np.concatenate([bits & (np.arange(lanes) < n if form == 5 else bits_of(3, 5, lanes)), np.zeros(128 - lanes, bool)])
        want[:len(bits) // 8] = np.packbits(bits, bitorder="little")
        np.testing.assert_array_equal(z, want, err_msg=f"form {form}")


@asc.jit
def select(form: asc.ConstExpr[int], x: asc.GlobalAddress, y: asc.GlobalAddress, m: asc.GlobalAddress, z: asc.GlobalAddress, n: int, k):
    xg, yg, mg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    mg.set_global_buffer(m)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 1024)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 8192, 1024)
    s = asc.LocalTensor(m.dtype, asc.TPosition.VECIN, 16384, 256)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 24576, 1024)
    asc.data_copy(a, xg, 1024)
    asc.data_copy(b, yg, 1024)
    asc.data_copy(s, mg, 256)
    asc.data_copy(c, zg, 1024)
    params = asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8)
    if form == 0:
        asc.select(c, s, a, k, sel_mode=asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count=n)
    elif form == 1:
        asc.select(c, s, a, b, sel_mode=asc.SelMode.VSEL_CMPMASK_SPR, count=n)
    elif form == 2:
        asc.select(c, s, a, b, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, n)
    elif form == 3:
        asc.select(c, s, a, k, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, mask=[0xf0f0f, 0xff], repeat_times=3, repeat_params=params)
    elif form == 4:
        asc.select(c, s, a, b, asc.SelMode.VSEL_CMPMASK_SPR, 50, 3, params)
    elif form == 5:
        asc.select(c, s, a, b, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, 50, 3, params)
    elif form == 6:
        asc.set_cmp_mask(b)
        asc.set_vector_mask(0, 0xfffff, dtype=c.dtype, mode=asc.MaskMode.NORMAL)
        asc.select(c, s, a, repeat_times=3, repeat_params=params)
    elif form == 7:
        asc.set_cmp_mask(s)
        asc.select(c, a, b, repeat_times=3, repeat_params=params, sel_mode=asc.SelMode.VSEL_CMPMASK_SPR)
    else:
        at = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 32768, 8)
        at.set_value(0, s.get_phy_addr())
        asc.set_cmp_mask(at)
        asc.select(c, a, b, repeat_times=3, repeat_params=params, sel_mode=asc.SelMode.VSEL_TENSOR_TENSOR_MODE)
    asc.data_copy(zg, c, 1024)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("form", range(9))
def test_select(dtype, form):
    rng = np.random.default_rng(2)
    lanes = lanes_of(dtype)
    x, y, z = (rng.uniform(-5, 5, 1024).astype(dtype) for _ in "xyz")
    m = rng.integers(0, 255, 256).astype(np.uint8)
    want, n = z.copy(), 3 * lanes - 7
    select[1](form, x, y, m, z, n, 1.5)
    bits = np.unpackbits(m, bitorder="little")[:3 * lanes].reshape(3, lanes).astype(bool)
    if form in (1, 4, 7):
        bits[:] = bits[0]
    other = dtype(1.5) if form in (0, 3) else y[0] if form == 6 else y[:3 * lanes]
    on = {3: bits_of(0xf0f0f, 0xff, lanes), 4: np.arange(lanes) < 50, 5: np.arange(lanes) < 50, 6: np.arange(lanes) < 20}
    on = np.tile(on.get(form, np.ones(lanes, bool)), 3)
    if form < 3:
        on[n:] = False
    want[:3 * lanes] = np.where(on, np.where(bits.reshape(-1), x[:3 * lanes], other), want[:3 * lanes])
    np.testing.assert_array_equal(z, want)


@asc.jit
def registers(how: asc.ConstExpr[int], x: asc.GlobalAddress, z: asc.GlobalAddress):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 1024)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 8192, 1024)
    asc.data_copy(a, xg, 1024)
    asc.data_copy(c, zg, 1024)
    params = asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8)
    if how == 0:
        asc.set_mask_norm()
        asc.set_vector_mask(5, 9, dtype=c.dtype, mode=asc.MaskMode.NORMAL)
        asc.add(c, a, a, 1, 2, params, is_set_mask=False)
    elif how == 1:
        asc.set_vector_mask(33, dtype=c.dtype, mode=asc.MaskMode.NORMAL)
        asc.adds(c, a, 1, 1, is_set_mask=False)
    elif how == 2:
        asc.set_mask_count()
        asc.set_vector_mask(333, dtype=c.dtype, mode=asc.MaskMode.COUNTER)
        asc.adds(c, a, 1, 1, is_set_mask=False)
    elif how == 3:
        asc.set_mask_count()
        asc.set_vector_mask(0, 200, dtype=c.dtype, mode=asc.MaskMode.COUNTER)
        asc.muls(c, a, 2, 1, 1, asc.UnaryRepeatParams(2, 1, 16, 8), is_set_mask=False)
    elif how == 4:
        asc.set_mask_count()
        asc.sub(c, a, a, 77, 1, params)
    else:
        asc.set_mask_count()
        asc.set_mask_norm()
        asc.set_vector_mask(1, 1, dtype=c.dtype, mode=asc.MaskMode.NORMAL)
        asc.reset_mask()
        asc.duplicate(c, 1, 3, 2, 1, 8, is_set_mask=False)
    asc.data_copy(zg, c, 1024)


@pytest.mark.parametrize("how", range(6))
@pytest.mark.parametrize("dtype", [F16, F32, np.int32])
def test_mask_registers(dtype, how):
    rng = np.random.default_rng(3)
    lanes = lanes_of(dtype)
    x, z = (rng.integers(-50, 50, 1024).astype(dtype) for _ in "xz")
    want = z.copy()
    registers[1](how, x, z)
    if how == 0:
        on = np.tile(bits_of(9, 5, lanes), 2)
        want[:2 * lanes] = np.where(on, x[:2 * lanes] * 2, want[:2 * lanes])
    elif how in (1, 2):
        n = 33 if how == 1 else 333
        want[:n] = x[:n] + 1
    elif how == 3:
        at = np.concatenate([index(dtype, lanes, r, 2, 16) for r in range(8)])[:200]
        want[at] = x[:200] * 2
    elif how == 4:
        want[:77] = 0
    else:
        want[:2 * lanes] = 1
    np.testing.assert_array_equal(z, want)
