"""Data movement of package asc: every form of data_copy, data_copy_pad and copy against NumPy."""
import ml_dtypes
import numpy as np
import pytest
from asc_lanes import bits_of, repeat

import asc

DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.float16, np.int32, np.uint32, np.float32, np.int64, np.uint64,
          np.float64]


def make(n, dtype, seed=1):
    return np.random.default_rng(seed).integers(0, 100, n).astype(dtype)


@asc.jit
def by_count(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, n)
    asc.data_copy(a, xg, n)
    asc.data_copy(b, a, count=n)
    asc.data_copy(zg, b, count=n)


@pytest.mark.parametrize("dtype", DTYPES)
def test_count_is_rounded_down_to_blocks(dtype):
    for n in 0, 1, 31, 64, 1001:
        x, z = make(n + 64, dtype), np.zeros(n + 64, dtype)
        by_count[1](x, z, n)
        whole = n * x.itemsize // 32 * 32 // x.itemsize
        np.testing.assert_array_equal(z[:whole], x[:whole])
        assert not z[whole:].any()


def test_beyond_the_arrays():
    x, z = np.ones(10, np.float32), np.zeros(10, np.float32)
    by_count[1](x, z, 4000)
    np.testing.assert_array_equal(z, x)


@asc.jit
def pieces(x: asc.GlobalAddress, z: asc.GlobalAddress, count: int, length: int, s: int, d: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 4096)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 65536, 4096)
    asc.data_copy(a, xg, asc.DataCopyParams(count, length, s, d))
    asc.data_copy(b, a, repeat_params=asc.DataCopyParams(count, length, d, s))
    asc.data_copy(zg, b, repeat_params=asc.DataCopyParams(block_count=count, block_len=length, src_stride=s, dst_stride=d))


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("count, length, s, d", [(1, 4, 0, 0), (3, 2, 1, 0), (5, 1, 0, 2), (4, 3, 2, 1), (0, 3, 2, 1)])
def test_pieces_with_gaps(dtype, count, length, s, d):
    x = make(2048, dtype)
    z = np.zeros_like(x)
    pieces[1](x, z, count, length, s, d)
    per, want = 32 // x.itemsize, np.zeros_like(x)
    for i in range(count):
        at, to = i * (length + s) * per, i * (length + d) * per
        want[to:to + length * per] = x[at:at + length * per]
    np.testing.assert_array_equal(z, want)


@asc.jit
def enhanced(x: asc.GlobalAddress, z: asc.GlobalAddress, relu: asc.ConstExpr[bool]):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 512)
    how = asc.DataCopyEnhancedParams(is_relu_in=relu)
    asc.data_copy(a, xg, asc.DataCopyParams(2, 4, 1, 0), asc.DataCopyEnhancedParams())
    asc.data_copy(zg, a, repeat_params=asc.DataCopyParams(2, 4, 0, 1), enhanced_params=how)
    asc.data_copy(zg[128:], a, intri_params=asc.DataCopyParams(2, 4, 0, 1), enhanced_params=how)


@asc.jit
def enhanced_cube(x: asc.GlobalAddress, z: asc.GlobalAddress):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.CO1, 0, 512)
    b = asc.LocalTensor(z.dtype, asc.TPosition.CO2, 0, 512)
    asc.data_copy(a, xg, 512)
    asc.data_copy(b, a, asc.DataCopyParams(1, 2), asc.DataCopyEnhancedParams(asc.BlockMode.BLOCK_MODE_MATRIX))
    asc.data_copy(zg, b, 512)


@pytest.mark.parametrize("relu", [False, True])
def test_enhanced(relu):
    x = np.arange(-100, 156).astype(np.float32)
    z = np.zeros_like(x)
    enhanced[1](x, z, relu)
    for start in 0, 128:
        for i in range(2):
            want = x[40 * i:40 * i + 32]
            np.testing.assert_array_equal(z[start + 40 * i:start + 40 * i + 32], np.maximum(want, 0) if relu else want)
    x, z = np.random.default_rng(3).normal(size=512).astype(np.float32), np.zeros(512, np.float16)
    enhanced_cube[1](x, z)
    np.testing.assert_array_equal(z, x.astype(np.float16))


@asc.jit
def slices(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 512)
    src = [asc.SliceInfo(16, 70, 7, 3, 87), asc.SliceInfo(0, 2, 1, 1, 3)]
    dst = [asc.SliceInfo(0, 47, 0, 3, 48), asc.SliceInfo(0, 1, 0, 1, 2)]
    asc.data_copy(a, xg, dst, src, 2)
    asc.data_copy(yg, a, 96)
    asc.data_copy(zg, a, slice_list1=src, slice_list2=dst, dim_value=2)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_slices(dtype):
    x, y, z = make((3, 87), dtype), np.zeros((2, 48), dtype), np.zeros((3, 87), dtype)
    slices[1](x, y, z)
    want = np.hstack([x[::2, 16:40], x[::2, 47:71]])
    np.testing.assert_array_equal(y, want)
    back = np.zeros_like(x)
    back[::2, 16:40], back[::2, 47:71] = x[::2, 16:40], x[::2, 47:71]
    np.testing.assert_array_equal(z, back)


@asc.jit
def nd2nz(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, l1: asc.ConstExpr[bool], nd: int, rows: int, cols: int,
          step: int, width: int, c0: int, row: int, out: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    if l1:
        a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 4096)
        b = asc.LocalTensor(x.dtype, asc.TPosition.A1, 0, 4096)
        asc.data_copy(a, xg, 2048)
        asc.data_copy(b, a, intri_params=asc.Nd2NzParams(nd, rows, cols, step, width, c0, row, out))
        asc.data_copy(zg, b, n)
    else:
        b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 4096)
        asc.data_copy(b, xg, asc.Nd2NzParams(nd, rows, cols, step, width, c0, row, out))
        asc.data_copy(zg, b, n)


def want_nz(x, p, n):
    nd, rows, cols, step, width, c0, row, out = p
    per, want = 32 // x.itemsize, np.zeros(n, x.dtype)
    for m in range(nd):
        for i in range(rows):
            line = np.zeros((cols + per - 1) // per * per, x.dtype)
            line[:cols] = x[m * step + i * width:][:cols]
            for k in range(0, len(line), per):
                at = m * out + (k // per * c0 + i * row) * per
                want[at:at + per] = line[k:k + per]
    return want


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize("p", [(1, 32, 32, 0, 32, 32, 1, 0), (2, 2, 24, 144, 48, 11, 2, 96), (1, 7, 19, 0, 21, 8, 1, 0)])
def test_nd2nz(dtype, p):
    for l1 in False, True:
        x, z = make(2048, dtype), np.zeros(2048, dtype)
        nd2nz[1](x, z, 2048, l1, *p)
        np.testing.assert_array_equal(z, want_nz(x, p, 2048))


@asc.jit
def nz2nd(x: asc.GlobalAddress, z: asc.GlobalAddress, nd: int, rows: int, cols: int, step: int, n_step: int, width: int,
          out: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 0, 4096)
    asc.data_copy(a, xg, 2048)
    asc.data_copy(zg, a, asc.Nz2NdParamsFull(nd, rows, cols, step, n_step, width, out))


@pytest.mark.parametrize("dtype", [np.int16, np.float16, np.int32, np.float32])
@pytest.mark.parametrize("p", [(1, 32, 32, 1, 32, 32, 1), (2, 4, 32, 1, 4, 160, 48)])
def test_nz2nd(dtype, p):
    nd, rows, cols, step, n_step, width, out = p
    x, z, want = make(2048, dtype), np.zeros(2048, dtype), np.zeros(2048, dtype)
    nz2nd[1](x, z, *p)
    for m in range(nd):
        for i in range(rows):
            for k in range(cols):
                want[m * out + i * width + k] = x[m * step * 256 + k // 16 * n_step * 16 + i * 16 + k % 16]
    np.testing.assert_array_equal(z, want)


@asc.jit
def co1(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, m: int, stride: int, quant: asc.ConstExpr[int],
        relu: asc.ConstExpr[int], split: asc.ConstExpr[bool], nd: asc.ConstExpr[bool], to_l1: asc.ConstExpr[bool]):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.CO1, 0, 4096)
    b = asc.LocalTensor(z.dtype, asc.TPosition.A1, 0, 4096)
    asc.data_copy(a, xg, 1536)
    p = asc.DataCopyCO12DstParams(n, m, stride, 24, quant, relu, split, nd)
    if to_l1:
        asc.data_copy(b, a, p)
        asc.data_copy(zg, b, 2048)
    else:
        asc.data_copy(zg, a, intri_params=p)


@pytest.mark.parametrize("to_l1", [False, True])
@pytest.mark.parametrize("out, quant, c0, split", [(np.float32, 0, 16, False), (np.float32, 0, 8, True), (np.float16, 1, 16, False)])
def test_results_of_the_cube(out, quant, c0, split, to_l1):
    cols, rows = 48, 21
    x = np.random.default_rng(6).normal(size=(4, 24, 16)).astype(np.float32)
    flat = x.transpose(1, 0, 2).reshape(24, 64)[:rows, :cols].astype(out)
    size = np.dtype(out).itemsize
    for relu in 0, 1:
        right = np.maximum(flat, 0) if relu else flat
        z = np.zeros(2048, out)
        co1[1](x, z, cols, rows, 60, quant, relu, False, True, to_l1)
        nd = z[:rows * 60].reshape(rows, 60)
        np.testing.assert_array_equal(nd[:, :cols], right)
        z = np.zeros(2048, out)
        stride = rows * c0 * size // 32
        co1[1](x, z, cols, rows, stride, quant, relu, split, False, to_l1)
        nz = z[:cols * rows].reshape(cols // c0, rows, c0)
        np.testing.assert_array_equal(nz.transpose(1, 0, 2).reshape(rows, cols), right)


@asc.jit
def pad(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, ext: asc.ConstExpr[bool], value: asc.ConstExpr,
        count: int, length: int, s: int, d: int, left: int, right: int, is_pad: asc.ConstExpr[bool],
        register: asc.ConstExpr[bool], n: int):
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 4096)
    if register:
        asc.set_pad_value(7)
        asc.set_pad_value(9, asc.TPosition.VECIN)
    if ext:
        asc.data_copy_pad(a, xg, asc.DataCopyExtParams(count, length, s, d, 0),
                          asc.DataCopyPadExtParams(x.dtype, is_pad, left, right, value))
    else:
        asc.data_copy_pad(a, xg, data_copy_params=asc.DataCopyParams(count, length, s, d),
                          pad_params=asc.DataCopyPadParams(is_pad, left, right, value))
    asc.data_copy(yg, a, n)
    if ext:
        asc.data_copy_pad(zg, a, asc.DataCopyExtParams(count, length, d, s, 0))
    else:
        asc.data_copy_pad(zg, a, data_copy_params=asc.DataCopyParams(count, length, d, s))


PADS = [(1, 20, 0, 0, 0, 0), (3, 59, 5, 0, 0, 5), (4, 7, 0, 1, 0, 0), (2, 13, 3, 2, 3, 2), (5, 8, 1, 1, 0, 1)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ext", [True, False])
@pytest.mark.parametrize("fill", ["value", "register", "none"])
def test_pad(dtype, ext, fill):
    x = make(2048, dtype)
    size = x.itemsize
    is_pad, register = fill == "value", fill == "register"
    given = 3 if ext and size < 8 else 0
    for count, length, s, d, left, right in PADS:
        if max(left, right) * size > 32:
            continue
        value = given if is_pad else 9 if register else 0
        y, z = np.zeros(2048, dtype), np.zeros(2048, dtype)
        pad[1](x, y, z, ext, given, count, length * size, s * size, d, left, right, is_pad, register, 2048)
        per = 32 // size
        room = -(-(left + length + right) // per) * per
        want_y, want_z = np.zeros_like(y), np.zeros_like(z)
        for i in range(count):
            piece = x[i * (length + s):][:length]
            line = np.full(room, value if left or right else piece[0], dtype)
            line[:left], line[left + length:left + length + right] = value, value
            line[left:left + length] = piece
            want_y[i * (room + d * per):][:room] = line
        step = -(-length // per) * per + d * per
        for i in range(count):
            want_z[i * (length + s):][:length] = want_y[i * step:][:length]
        np.testing.assert_array_equal(y, want_y)
        np.testing.assert_array_equal(z, want_z)


@asc.jit
def pad_nz(x: asc.GlobalAddress, z: asc.GlobalAddress, ext: asc.ConstExpr[bool]):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 0, 1024)
    b = asc.LocalTensor(x.dtype, asc.TPosition.A1, 0, 1024)
    asc.data_copy(a, xg, 336)
    nz = asc.Nd2NzParams(1, 3, 96, 0, 128, 7, 2, 0)
    if ext:
        asc.data_copy_pad(b, a, asc.DataCopyExtParams(3, 192, 1, 64, 0), nz)
    else:
        asc.data_copy_pad(b, a, data_copy_params=asc.DataCopyParams(3, 192, 1, 64), nd2nz_params=nz)
    asc.data_copy(zg, b, 1024)


@pytest.mark.parametrize("ext", [True, False])
def test_pad_to_l1(ext):
    x, z = make(336, np.float16), np.zeros(1024, np.float16)
    pad_nz[1](x, z, ext)
    np.testing.assert_array_equal(z, want_nz(x, (1, 3, 96, 0, 112, 7, 2, 0), 1024))


@asc.jit
def masked_copy(form: asc.ConstExpr[int], x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, lo: int, hi: int, reps: int,
                d: int, s: int, dr: int, sr: int):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    room = 8192 // x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 8192, room)
    asc.data_copy(a, xg, room)
    if form == 0:
        asc.copy(b, a, mask=n, repeat_time=reps, repeat_params=asc.CopyRepeatParams(d, s, dr, sr))
    else:
        asc.copy(b, a, [lo, hi], reps, asc.CopyRepeatParams(d, s, dr, sr), is_set_mask=True)
    asc.data_copy(zg, b, room)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.float16, ml_dtypes.bfloat16, np.int32, np.uint32, np.float32])
def test_copy(dtype):
    x = make(8192 // np.dtype(dtype).itemsize, dtype)
    lanes = 256 // x.itemsize
    for form, n in (0, lanes), (0, 13), (1, 0):
        lo, hi = 0x5A5A0F0F13572468, 0x1EADBEEF01234567
        on = np.arange(lanes) < n if form == 0 else bits_of(lo, hi, lanes)
        for strides in (1, 1, 8, 8), (2, 1, 16, 9), (1, 0, 8, 1):
            z, want = np.zeros_like(x), np.zeros_like(x)
            masked_copy[1](form, x, z, n, lo, hi, 2, *strides)
            repeat(lambda a, was: a, want, [x], on, 2, strides)
            np.testing.assert_array_equal(z, want)
