"""Gathers, scatters, masks and transposes of package asc against NumPy."""
import ml_dtypes
import numpy as np
import pytest
from asc_lanes import bits_of

import asc

GATHERED = [np.int16, np.uint16, np.float16, ml_dtypes.bfloat16, np.int32, np.uint32, np.float32]
BITS = 0x5A5A0F0F13572468, 0x1EADBEEF01234567


def make(n, dtype, seed=1):
    return np.random.default_rng(seed).integers(1, 100, n).astype(dtype)


@asc.jit
def offsets(op: asc.ConstExpr, form: asc.ConstExpr[int], x: asc.GlobalAddress, off: asc.GlobalAddress, z: asc.GlobalAddress,
            base: int, n: int, lo: int, hi: int, reps: int, stride: int):
    xg, og, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    og.set_global_buffer(off)
    zg.set_global_buffer(z)
    room = 4096 // x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    o = asc.LocalTensor(asc.uint32, asc.TPosition.VECIN, 8192, 1024)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, room)
    asc.data_copy(a, xg, room)
    asc.data_copy(o, og, 1024)
    if form == 0:
        op(b, a, o, base, n)
    elif form == 1:
        op(b, a, o, base, n, reps, stride)
    else:
        op(b, a, o, base, [lo, hi], reps, stride)
    asc.data_copy(zg, b, room)


def lanes_on(form, n, lanes):
    return np.arange(lanes) < n if form == 1 else bits_of(*BITS, lanes)


@pytest.mark.parametrize("dtype", GATHERED)
def test_gather(dtype):
    size = np.dtype(dtype).itemsize
    room, lanes = 4096 // size, 256 // size
    x = make(room, dtype)
    off = (np.random.default_rng(2).integers(0, room - 8, 1024) * size).astype(np.uint32)
    at = (off + 8 * size) // size
    for n in 0, 1, lanes + 3, 500:
        z = np.zeros_like(x)
        offsets[1](asc.gather, 0, x, off, z, 8 * size, n, 0, 0, 0, 0)
        np.testing.assert_array_equal(z[:n], x[at[:n]])
        assert not z[n:].any()
    for form, n in (1, lanes), (1, 11), (2, 0):
        z, want = np.zeros_like(x), np.zeros_like(x)
        offsets[1](asc.gather, form, x, off, z, 8 * size, n, *BITS, 3, 9)
        on = lanes_on(form, n, lanes)
        for r in range(3):
            row = want[r * 9 * 32 // size:][:lanes]
            row[on] = x[at[r * lanes:][:lanes]][on]
        np.testing.assert_array_equal(z, want)


@pytest.mark.parametrize("dtype", [np.int16, np.float16, np.int32, np.float32])
def test_scatter(dtype):
    size = np.dtype(dtype).itemsize
    room, lanes = 4096 // size, 256 // size
    x = make(room, dtype)
    at = np.random.default_rng(2).permutation(1016)[:1024]
    off = np.zeros(1024, np.uint32)
    off[:len(at)] = at * size
    for n in 0, 1, lanes + 3, 500:
        z, want = np.zeros_like(x), np.zeros_like(x)
        offsets[1](asc.scatter, 0, x, off, z, 8 * size, n, 0, 0, 0, 0)
        want[at[:n] + 8] = x[:n]
        np.testing.assert_array_equal(z, want)
    for form, n in (1, lanes), (1, 11), (2, 0):
        z, want = np.zeros_like(x), np.zeros_like(x)
        offsets[1](asc.scatter, form, x, off, z, 0, n, *BITS, 3, 9)
        on = lanes_on(form, n, lanes)
        for r in range(3):
            want[at[r * lanes:][:lanes][on]] = x[r * 9 * 32 // size:][:lanes][on]
        np.testing.assert_array_equal(z, want)


def test_offsets_out_of_the_memory():
    x, z = make(1024, np.float32), np.zeros(1024, np.float32)
    off = np.full(1024, 2**32 - 4, np.uint32)
    off[1::2] = 8
    offsets[1](asc.gather, 0, x, off, z, 2**31, 100, 0, 0, 0, 0)
    offsets[1](asc.scatter, 0, x, off, z, 0, 100, 0, 0, 0, 0)
    offsets[1](asc.gather, 0, x, off, z, 0, 100, 0, 0, 0, 0)
    np.testing.assert_array_equal(z[:100], np.tile([0, x[2]], 50))


@asc.jit
def blocks(x: asc.GlobalAddress, off: asc.GlobalAddress, z: asc.GlobalAddress, reps: int, blk: int, rep: int):
    xg, og, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    og.set_global_buffer(off)
    zg.set_global_buffer(z)
    room = 4096 // x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    o = asc.LocalTensor(asc.uint32, asc.TPosition.VECIN, 8192, 64)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, room)
    asc.data_copy(a, xg, room)
    asc.data_copy(o, og, 64)
    asc.gatherb(b, a, o, repeat_times=reps, repeat_params=asc.GatherRepeatParams(blk, rep))
    asc.data_copy(zg, b, room)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
@pytest.mark.parametrize("blk, rep", [(1, 8), (2, 17), (0, 9)])
def test_gatherb(dtype, blk, rep):
    x = make(4096 // np.dtype(dtype).itemsize, dtype)
    off = (np.random.default_rng(4).permutation(128)[:64] * 32).astype(np.uint32)
    z, want = np.zeros_like(x), np.zeros_like(x)
    blocks[1](x, off, z, 3, blk, rep)
    per = 32 // x.itemsize
    for r in range(3):
        for j in range(8):
            to = (r * rep + j * (blk or 1)) * per
            want[to:to + per] = x[off[r * 8 + j] // x.itemsize:][:per]
    np.testing.assert_array_equal(z, want)


@asc.jit
def masked(x: asc.GlobalAddress, p: asc.GlobalAddress, z: asc.GlobalAddress, count: asc.GlobalAddress, kind: asc.ConstExpr[int],
           counted: asc.ConstExpr[bool], n: int, blk: int, reps: int, rep: int, prep: int):
    xg, pg, zg, cg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    pg.set_global_buffer(p)
    zg.set_global_buffer(z)
    cg.set_global_buffer(count)
    room = 4096 // x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    bits = asc.LocalTensor(p.dtype, asc.TPosition.VECIN, 8192, 256)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, room)
    asc.data_copy(a, xg, room)
    asc.data_copy(bits, pg, 256)
    params = asc.GatherMaskParams(src0_block_stride=blk, repeat_times=reps, src0_repeat_stride=rep, src1_repeat_stride=prep)
    if kind:
        kept = asc.gather_mask(b, a, kind, counted, n, params, asc.GatherMaskMode.DEFAULT)
    else:
        kept = asc.gather_mask(b, a, bits, reduce_mode=counted, mask=n, params=params)
    cg.set_value(0, kept)
    cg.set_value(1, asc.get_gather_mask_remain_count())
    asc.data_copy(zg, b, room)


FOURS = [None, [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1]]


@pytest.mark.parametrize("dtype", GATHERED)
@pytest.mark.parametrize("kind", range(8))
def test_gather_mask(dtype, kind):
    size = np.dtype(dtype).itemsize
    x, per = make(4096 // size, dtype), 32 // size
    p = np.random.default_rng(5).integers(0, 256, 256 * size, np.uint8).view(np.uint16 if size == 2 else np.uint32)
    bits = np.unpackbits(p.view(np.uint8), bitorder="little").astype(bool)
    for counted, n, blk, reps, rep, prep in ((False, 0, 1, 4, 8, 1), (False, 0, 2, 2, 17, 0), (True, 70, 1, 2, 8, 0),
                                             (True, 333, 1, 1, 0, 0), (True, 9, 1, 5, 2, 2)):
        z, count = np.zeros_like(x), np.zeros(8, np.int32)
        masked[1](x, p, z, count, kind, counted, n, blk, reps, rep, prep)
        lanes, want = n if counted else 256 // size, []
        for r in range(reps):
            i = np.arange(lanes)
            v = x[r * rep * per + i // per * blk * per + i % per]
            on = np.tile(np.array(FOURS[kind], bool), lanes)[:lanes] if kind else bits[r * prep * 256:][:lanes]
            want.append(v[on])
        want = np.concatenate(want)
        assert list(count[:2]) == [len(want)] * 2
        np.testing.assert_array_equal(z[:len(want)], want)


@asc.jit
def transposed(x: asc.GlobalAddress, z: asc.GlobalAddress, kind: asc.ConstExpr[int], n: int, c: int, h: int, w: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 2048)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, 2048)
    tmp = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 32768, 16384)
    asc.data_copy(a, xg, 2048)
    if kind == 0:
        asc.transpose(b, a)
        asc.transpose(a, a)
        asc.data_copy(zg[256:], a, 256)
    else:
        asc.transpose(b, a, shared_tmp_buffer=tmp, params=asc.TransposeParamsExt(n, c, h, w, kind))
    asc.data_copy(zg, b, 256 if kind == 0 else 2048)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.float16])
def test_transpose(dtype):
    x, z = make(2048, dtype), np.zeros(2048, dtype)
    transposed[1](x, z, 0, 0, 0, 0, 0)
    want = x[:256].reshape(16, 16).T
    np.testing.assert_array_equal(z[:512].reshape(2, 16, 16), [want, want])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.float16, np.int32, np.uint32, np.float32])
@pytest.mark.parametrize("n, c, h, w", [(1, 16, 4, 4), (3, 3, 2, 32), (2, 5, 4, 8)])
def test_transpose_images(dtype, n, c, h, w):
    x, size = make(2048, dtype), n * c * h * w
    for kind, was, axes in ((11, (n, c, h, w), (0, 2, 3, 1)), (12, (n, h, w, c), (0, 3, 1, 2))):
        z = np.zeros_like(x)
        transposed[1](x, z, kind, n, c, h, w)
        np.testing.assert_array_equal(z[:size], x[:size].reshape(was).transpose(axes).ravel())
        assert not z[size:].any()


@asc.jit
def to_5hd(x: asc.GlobalAddress, z: asc.GlobalAddress, form: asc.ConstExpr[int], high: asc.ConstExpr[int], reps: int,
           dr: int, sr: int, per: asc.ConstExpr[int], room: asc.ConstExpr[int]):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, room)
    to = asc.LocalTensor(asc.uint64, asc.TPosition.VECCALC, 32768, 16)
    at = asc.LocalTensor(asc.uint64, asc.TPosition.VECCALC, 33024, 16)
    asc.data_copy(a, xg, room)
    params = asc.TransDataTo5HDParams(high % 2 == 1, high // 2 == 1, reps, dr, sr)
    step = room // 16
    if form == 0:
        dst = [b[i * per] for i in range(16)]
        src = [a[i * step] for i in range(16)]
        asc.trans_data_to_5hd(dst, src, params)
    elif form == 1:
        dst = [b[i * per].get_phy_addr() for i in range(16)]
        src = [a[i * step].get_phy_addr() for i in range(16)]
        asc.trans_data_to_5hd(dst, src, params)
    else:
        for i in range(16):
            to.set_value(i, b.get_phy_addr(i * per))
            at.set_value(i, a[i * step:].get_phy_addr())
        asc.trans_data_to_5hd(to, at, params)
    asc.data_copy(zg, b, room)


@pytest.mark.parametrize("form", range(3))
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.float16, np.int32, np.uint32, np.float32])
def test_trans_data_to_5hd(form, dtype):
    size = np.dtype(dtype).itemsize
    per, room = 32 // size, 4096 // size
    x = make((16, room // 16), dtype)
    for reps, dr, sr in (1, 0, 0), (3, 16, 1), (2, 17, 2), (0, 1, 1):
        for high in range(4) if size == 1 else [0]:
            z, want = np.zeros(room, dtype), np.zeros(room + 4096, dtype)
            to_5hd[1](x, z, form, high, reps, dr, sr, per, room)
            for r in range(reps):
                cut = x[:, r * sr * per:][:, :per]
                out = want[r * dr * per:][:16 * per].reshape(16, per)
                if size == 1:
                    out[:, 16 * (high % 2):][:, :16] = cut[:, 16 * (high // 2):][:, :16].T
                else:
                    out[:] = cut.T.reshape(16, per)
            np.testing.assert_array_equal(z, want[:room])
