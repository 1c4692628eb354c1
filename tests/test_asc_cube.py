"""The cube unit of package asc: fractals in, products, sums out; values against NumPy."""
import numpy as np
import pytest

import asc
from test_asc_matmul import product, to_nz, values

GM, A1, A2, B1, B2, C2, CO1 = (getattr(asc.TPosition, x) for x in "GM A1 A2 B1 B2 C2 CO1".split())
rng = np.random.default_rng(11)


def up(x, to):
    return -(-x // to) * to


def fractals(x, c0):
    """A matrix, padded, as (row of fractals, column of fractals, 16, c0)."""
    rows, cols = up(x.shape[0], 16), up(x.shape[1], c0)
    full = np.zeros((rows, cols), x.dtype)
    full[:x.shape[0], :x.shape[1]] = x
    return full.reshape(rows // 16, 16, cols // c0, c0).transpose(0, 2, 1, 3)


def zz(x, c0):
    return np.ascontiguousarray(fractals(x, c0)).reshape(-1)


def zn(x, c0):
    """Rows of fractals, each by columns: c0 x 16."""
    return np.ascontiguousarray(fractals(x.T, c0).transpose(1, 0, 2, 3)).reshape(-1)


def from_nz(x, m, n, strip=16):
    return x.reshape(-1, up(m, 16), strip).transpose(1, 0, 2).reshape(up(m, 16), -1)[:m, :n]


@asc.jit
def mmad_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, bias: asc.GlobalAddress, m: int, n: int, k: int,
                na: int, nb: int, mode: asc.ConstExpr[int], acc: asc.ConstExpr[asc.DataType]):
    ag = asc.GlobalTensor()
    bg = asc.GlobalTensor()
    cg = asc.GlobalTensor()
    sg = asc.GlobalTensor()
    ag.set_global_buffer(a)
    bg.set_global_buffer(b)
    cg.set_global_buffer(c)
    sg.set_global_buffer(bias)
    a1 = asc.LocalTensor(a.dtype, A1, 0, na)
    b1 = asc.LocalTensor(b.dtype, B1, 262144, nb)
    a2 = asc.LocalTensor(a.dtype, A2, 0, na)
    b2 = asc.LocalTensor(b.dtype, B2, 0, nb)
    co = asc.LocalTensor(acc, CO1, 0, 16384)
    row = asc.LocalTensor(acc, C2, 0, n)
    asc.data_copy(a1, ag, na)
    asc.data_copy(b1, bg, nb)
    c0 = 32 // a.dtype.sizeof()
    mf = m.ceildiv(16)
    kf = k.ceildiv(c0)
    for i in range(mf):
        asc.load_data(a2[i * kf * 16 * c0:], a1[i * 16 * c0:], asc.LoadData2DParams(0, kf, mf, 0, 0, False, 0))
    nf = n.ceildiv(16)
    asc.load_data(b2, b1, asc.LoadData2DParams(repeat_times=nf * kf, src_stride=1))
    if mode == 0:
        asc.mmad(co, a2, b2, asc.MmadParams(m, n, k))
    elif mode == 1:
        asc.data_copy(row, sg, n)
        asc.mmad(co, a2, b2, row, asc.MmadParams(m, n, k))
    else:
        asc.mmad(co, a2, b2, asc.MmadParams(m, n, k))
        asc.mmad(co, a2, b2, asc.MmadParams(m=m, n=n, k=k, cmatrix_init_val=False))
        asc.mmad(co, a2, b2, asc.MmadParams(m, n, k, True))
    asc.fixpipe(cg, co, asc.FixpipeParamsV220(n_size=n, m_size=m, src_stride=mf * 16, dst_stride=n))


@pytest.mark.parametrize("dtype, c0", [("float16", 16), ("float32", 8), ("int8", 32)])
@pytest.mark.parametrize("m, n, k", [(16, 16, 32), (33, 48, 70), (96, 80, 100)])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_mmad(m, n, k, dtype, c0, mode):
    a, b = values((m, k), dtype), values((k, n), dtype)
    out = np.int32 if dtype == "int8" else np.float32
    bias, c = values(n, out), np.zeros((m, n), out)
    na, nb = to_nz(a, c0), zn(b, c0)
    mmad_kernel[1](na, nb, c, bias, m, n, k, na.size, nb.size, mode, asc.int32 if dtype == "int8" else asc.float32)
    want = [product(a, b), product(a, b) + bias, 3 * product(a, b)][mode]
    np.testing.assert_allclose(c, want, rtol=1e-3, atol=1e-3)


@asc.jit
def vector_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, n: int, k: int):
    ag = asc.GlobalTensor()
    bg = asc.GlobalTensor()
    cg = asc.GlobalTensor()
    ag.set_global_buffer(a)
    bg.set_global_buffer(b)
    cg.set_global_buffer(c)
    a2 = asc.LocalTensor(a.dtype, A2, 0, k)
    b2 = asc.LocalTensor(b.dtype, B2, 0, n * k)
    co = asc.LocalTensor(asc.float32, CO1, 0, 16 * n)
    asc.load_data(a2, ag, asc.LoadData2DParams(0, k // 256, 1))
    asc.load_data(b2, bg, asc.LoadData2DParams(0, n * k // 256, 1))
    asc.mmad(co, a2, b2, asc.MmadParams(1, n, k))
    asc.fixpipe(cg, co, asc.FixpipeParamsV220(n, 1, 16, n))


def test_one_row_is_contiguous():
    a, b, c = values((1, 256), "float16"), values((256, 32), "float16"), np.zeros((1, 32), np.float32)
    vector_kernel[1](a, zn(b, 16), c, 32, 256)
    np.testing.assert_allclose(c, product(a, b), rtol=1e-3, atol=1e-3)


@asc.jit
def load_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, pos: asc.ConstExpr[int], params: asc.ConstExpr,
                how: asc.ConstExpr[int], repeat: asc.ConstExpr):
    xg = asc.GlobalTensor()
    yg = asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    l1 = asc.LocalTensor(x.dtype, A1, 0, n)
    l0 = asc.LocalTensor(x.dtype, pos, 0, n)
    asc.data_copy(l1, xg, n)
    asc.set_load_data_repeat(repeat)
    if how == 0:
        asc.load_data(l0, l1, params)
    elif how == 1:
        asc.load_data_with_transpose(l0, l1, params)
    else:
        asc.load_data(l0, xg, params)
    for i in range(n):
        yg.set_value(i, l0.get_value(i))


ONCE = asc.LoadDataRepeatParam()
SIZES = {1: "int8", 2: "int16", 4: "int32"}


def loaded(x, pos, params, how=0, repeat=ONCE):
    y = np.zeros_like(x)
    load_kernel[1](x, y, x.size, pos, params, how, repeat)
    return y


def numbers(n, size):
    return rng.integers(-128, 128, n).astype(SIZES[size]) if size == 1 else rng.permutation(n).astype(SIZES[size])


@pytest.mark.parametrize("how", [0, 2])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_load_2d(size, how):
    each = 512 // size
    x = numbers(each * 16, size)
    f = x.reshape(16, each)
    y = loaded(x, A2, asc.LoadData2DParams(1, 4, 3, 0, 1), how).reshape(16, each)
    assert (y[[0, 2, 4, 6]] == f[[1, 4, 7, 10]]).all() and not y[[1, 3, 5, 7]].any()
    y = loaded(x, A2, asc.LoadData2DParams(start_index=9, repeat_times=3, src_stride=2, addr_mode=1), how).reshape(16, each)
    assert (y[:3] == f[[9, 7, 5]]).all() and not y[3:].any()


def test_load_2d_transposed():
    x = numbers(256 * 8, 2)
    y = loaded(x, A2, asc.LoadData2DParams(0, 3, 2, 0, 0, True)).reshape(8, 16, 16)
    assert (y[:3] == x.reshape(8, 16, 16)[[0, 2, 4]].transpose(0, 2, 1)).all()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_load_2d_v2(size):
    each = 512 // size
    x = numbers(each * 30, size)
    y = loaded(x, A2, asc.LoadData2DParamsV2(2, 1, 3, 2, 6, 4)).reshape(30, each)
    f = x.reshape(5, 6, each)
    assert (y[:3] == f[1, 2:5]).all() and (y[4:7] == f[2, 2:5]).all()


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("version", [1, 2])
def test_load_with_transpose(size, version):
    each, c0, n = 512 // size, 32 // size, 1 if size == 2 else 2
    x = numbers(each * 24, size)
    unit = n if version == 1 else 1
    if version == 1:
        params = asc.LoadData2dTransposeParams(1, 2, 3, 3, 1)
        fractal = [[(1 + 3 * i) * n + f for f in range(n)] for i in range(2)]
    else:
        params = asc.LoadData2dTransposeParamsV2(1, 2, 3, 3, 1, 1)
        fractal = [[1 + 3 * i + 2 * f for f in range(n)] for i in range(2)]
    y = loaded(x, B2, params, 1).reshape(24, 16, c0)
    f = x.reshape(24, 16, c0)
    for i in range(2):
        parts = [f[j] for j in fractal[i]]
        square = np.concatenate(parts, 0 if size == 1 else 1).T
        for j in range(n):
            part = square[j * 16:(j + 1) * 16] if size == 1 else square[:, j * c0:(j + 1) * c0]
            assert (y[i * 4 + j * 2] == part).all(), unit


def columns(x, pads, stride, filt, apart, pad):
    """c1, h, w, c0 -> rows of places, columns of points."""
    left, right, top, bottom = pads
    c1, h, w, c0 = x.shape
    full = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=pad)
    (sh, sw), (fh, fw), (dh, dw) = stride, filt, apart
    ho, wo = (full.shape[1] - (fh - 1) * dh - 1) // sh + 1, (full.shape[2] - (fw - 1) * dw - 1) // sw + 1
    out = [full[:, i * dh:i * dh + (ho - 1) * sh + 1:sh, j * dw:j * dw + (wo - 1) * sw + 1:sw] for i in range(fh) for j in range(fw)]
    return np.stack(out, 1).transpose(2, 3, 0, 1, 4).reshape(ho * wo, -1)


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("pos, turned", [(A2, False), (A2, True), (B2, False)])
def test_load_columns(size, pos, turned):
    if size == 1 and (turned or pos == B2):
        pytest.skip("not on this chip")
    c0 = 32 // size
    image = numbers(2 * 9 * 7 * c0, size).reshape(2, 9, 7, c0)
    pads, stride, filt, apart = (1, 2, 1, 0), (2, 1), (2, 3), (1, 2)
    want = columns(image, pads, stride, filt, apart, 3)
    m, k = 16, 4 * c0
    params = asc.LoadData3DParamsV2(pads, 9, 7, 2 * c0, k, m, 2 * c0, 16, stride[1], stride[0], filt[1], filt[0], apart[1],
                                    apart[0], turned, 3)
    x = np.zeros(16384 // size, image.dtype)
    x[:image.size] = image.reshape(-1)
    y = loaded(x, pos, params)
    part = want[16:16 + m, 2 * c0:2 * c0 + k]
    part = np.pad(part, ((0, m - part.shape[0]), (0, 0)))
    expect = zn(part, c0) if pos == B2 else zz(part.T if turned else part, c0)
    assert (y[:expect.size] == expect).all()


def test_load_columns_as_a_matrix_and_repeats():
    x = numbers(64 * 48, 2)
    nz = x.reshape(3, 64, 16)
    whole = nz.transpose(1, 0, 2).reshape(64, 48)
    plain = asc.LoadData3DParamsV2(l1_h=1, l1_w=64, channel_size=48, k_extension=48, m_extension=16)
    y = loaded(x, A2, plain, repeat=asc.LoadDataRepeatParam(3, 1, 0))
    assert (y[:48 * 48] == zz(whole[:48], 16)).all()
    y = loaded(x, B2, asc.LoadData3DParamsV2(l1_h=1, l1_w=64, channel_size=48, k_extension=32, m_extension=64, k_start_pt=16))
    assert (y[:64 * 32] == zn(whole[:, 16:], 16)).all()


def test_load_columns_v1():
    image = numbers(2 * 8 * 8 * 16, 2).reshape(2, 8, 8, 16)
    want = columns(image, (1, 1, 1, 1), (1, 1), (3, 3), (1, 1), 0)
    params = asc.LoadData3DParamsV1((1, 1, 1, 1), 8, 8, 1, 1, 0, -1, -1, 1, 1, 3, 3, 1, 1, 2, 0, 3)
    y = loaded(image.reshape(-1), A2, params).reshape(-1, 16, 16)
    for i in range(3):
        assert (y[2 * i] == want[:16, (9 + 1 + i) * 16:(9 + 2 + i) * 16]).all()


@asc.jit
def fill_kernel(y: asc.GlobalAddress, n: int, pos: asc.ConstExpr[int], value: float):
    yg = asc.GlobalTensor()
    yg.set_global_buffer(y)
    t = asc.LocalTensor(y.dtype, pos, 0, n)
    asc.init_const_value(t, asc.InitConstValueParams(2, 3, 1, value))
    for i in range(n):
        yg.set_value(i, t.get_value(i))


@pytest.mark.parametrize("dtype", ["float16", "float32", "int16", "int32"])
@pytest.mark.parametrize("pos, block", [(A1, 32), (A2, 512), (B2, 512)])
def test_fill(dtype, pos, block):
    y = np.zeros(8 * block // np.dtype(dtype).itemsize, dtype)
    fill_kernel[1](y, y.size, pos, 3.0)
    assert (y.reshape(8, -1).all(1) == [1, 1, 1, 0, 1, 1, 1, 0]).all() and set(y) == {0, 3}


@asc.jit
def out_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, factors: asc.GlobalAddress, n: int, params: asc.ConstExpr,
               layout: asc.ConstExpr[int], vector: asc.ConstExpr[int]):
    xg = asc.GlobalTensor()
    yg = asc.GlobalTensor()
    fg = asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    fg.set_global_buffer(factors)
    co = asc.LocalTensor(x.dtype, CO1, 0, n)
    asc.data_copy(co, xg, n)
    if vector:
        l1 = asc.LocalTensor(asc.uint64, A1, 0, 1024)
        asc.data_copy(l1, fg, 64)
        asc.fixpipe(yg, co, l1, params, asc.FixpipeConfig(layout))
    else:
        asc.fixpipe(yg, co, params, asc.FixpipeConfig(layout))


Q = asc.QuantModes


def moved(x, y, layout, params, factors=None):
    out_kernel[1](x.reshape(-1), y, np.zeros(64, np.int64) if factors is None else factors, x.size, params, layout, factors is not None)
    return y


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_fixpipe_rows(dtype, relu):
    m, n = 20, 48
    full = (rng.random((32, n)) * 100 - 50).astype(dtype)
    params = asc.FixpipeParamsV220(n_size=n, m_size=m, src_stride=32, dst_stride=50, relu_en=relu)
    y = moved(to_nz(full, 16), np.zeros((m, 50), dtype), asc.CO2Layout.ROW_MAJOR, params)
    want = np.maximum(full[:m], 0) if relu else full[:m]
    assert (y[:, :n] == want).all() and not y[:, n:].any()


def test_fixpipe_several_matrices():
    x = rng.random((3, 2, 16, 16)).astype(np.float32)  # matrix, strip, row, column
    params = asc.FixpipeParamsV220(32, 10, 16, 32, nd_num=3, src_nd_stride=32, dst_nd_stride=400)
    y = moved(x, np.zeros(1200, np.float32), asc.CO2Layout.ROW_MAJOR, params).reshape(3, 400)
    for i in range(3):
        assert (y[i, :320].reshape(10, 32) == x[i].transpose(1, 0, 2).reshape(16, 32)[:10]).all()


@pytest.mark.parametrize("quant, dtype", [(Q.NoQuant, "float32"), (Q.F322F16, "float16")])
def test_fixpipe_fractals(quant, dtype):
    m, n = 24, 48
    full = rng.random((32, n)).astype(np.float32)
    apart = 30 * 16 * np.dtype(dtype).itemsize // 32
    y = moved(to_nz(full, 16), np.zeros(3 * 30 * 16, dtype), asc.CO2Layout.NZ, asc.FixpipeParamsV220(n, m, 32, apart, quant))
    got = y.reshape(3, 30, 16)
    assert (got[:, :m].transpose(1, 0, 2).reshape(m, n) == full[:m].astype(dtype)).all() and not got[:, m:].any()


def test_fixpipe_split_channels():
    full = rng.random((16, 24)).astype(np.float32)
    params = asc.FixpipeParamsV220(24, 16, 16, 16, is_channel_split=True)
    y = moved(to_nz(full, 16), np.zeros(3 * 16 * 8, np.float32), asc.CO2Layout.NZ, params)
    assert (y.reshape(3, 16, 8).transpose(1, 0, 2).reshape(16, 24) == full).all()


def test_fixpipe_merged_channels():
    full = (rng.random((16, 48)) * 200 - 100).astype(np.float32)
    bits = int(np.float32(1).view(np.uint32)) | 1 << 46
    params = asc.FixpipeParamsV220(48, 16, 16, 16, Q.QF322B8_PRE, bits)
    y = moved(to_nz(full, 16), np.zeros(512 + 256, np.int8), asc.CO2Layout.NZ, params)
    want = np.rint(full).astype(np.int8)
    assert (y[:512].reshape(16, 32) == want[:, :32]).all() and (y[512:].reshape(16, 16) == want[:, 32:]).all()


def quantised(x, scale, offset, out, relu, shift=None, sign=True):
    if shift is not None:
        x = np.clip(x >> shift, -32768, 32767)
    y = x.astype(np.float32) * scale
    y = np.where(relu & (x < 0), 0, y)
    if out == "float16":
        return np.clip(y, -65504, 65504).astype(np.float16)
    z = np.clip(np.rint(y), -256, 255) + offset
    return (np.clip(z, -128, 127) if sign else np.clip(z, 0, 255)).astype(out)


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("modes, dtype, out", [((Q.DEQF16, Q.VDEQF16), "int32", "float16"), ((Q.REQ8, Q.VREQ8), "int32", "int8"),
                                               ((Q.QF322B8_PRE, Q.VQF322B8_PRE), "float32", "int8"),
                                               ((Q.QF322B8_PRE, Q.VQF322B8_PRE), "float32", "uint8")])
@pytest.mark.parametrize("vector", [0, 1])
def test_fixpipe_quantised(modes, dtype, out, relu, vector):
    m, n = 16, 48
    full = (rng.random((m, n)) * 4000 - 2000).astype(dtype)
    scale = ((rng.random(n) - .3) * .2).astype(np.float32) if vector else np.full(n, .07, np.float32)
    scale = (scale.view(np.uint32) & 0xffffe000).view(np.float32)
    offset = rng.integers(-50, 50, n) if vector else np.full(n, -7)
    sign = out != "uint8"
    bits = scale.view(np.uint32).astype(np.uint64) | (offset & 0x1ff).astype(np.uint64) << np.uint64(37) | np.uint64(sign << 46)
    params = asc.FixpipeParamsV220(n, m, 16, n, modes[vector], 0 if vector else int(bits[0]), relu_en=relu)
    factors = np.zeros(64, np.int64)
    factors[:n] = bits.view(np.int64)
    y = moved(to_nz(full, 16), np.zeros((m, n), out), asc.CO2Layout.ROW_MAJOR, params, factors if vector else None)
    np.testing.assert_array_equal(y, quantised(full, scale, offset, out, relu, sign=sign))


def test_fixpipe_shifts():
    full = rng.integers(-1 << 20, 1 << 20, (16, 16)).astype(np.int32)
    bits = int(np.float32(.5).view(np.uint32)) | 4 << 32 | 1 << 36 | 1 << 46
    y = moved(to_nz(full, 16), np.zeros((16, 16), np.int8), asc.CO2Layout.ROW_MAJOR, asc.FixpipeParamsV220(16, 16, 16, 16, Q.REQ8, bits))
    np.testing.assert_array_equal(y, quantised(full, np.float32(.5), 0, "int8", False, 5))


@asc.jit
def sparse_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, idx: asc.GlobalAddress, c: asc.GlobalAddress, m: int, n: int, k: int,
                  na: int, nb: int):
    ag = asc.GlobalTensor()
    bg = asc.GlobalTensor()
    ig = asc.GlobalTensor()
    cg = asc.GlobalTensor()
    ag.set_global_buffer(a)
    bg.set_global_buffer(b)
    ig.set_global_buffer(idx)
    cg.set_global_buffer(c)
    a2 = asc.LocalTensor(a.dtype, A2, 0, na)
    b1 = asc.LocalTensor(b.dtype, B1, 0, nb)
    i1 = asc.LocalTensor(idx.dtype, B1, 65536, nb // 4)
    b2 = asc.LocalTensor(b.dtype, B2, 1024, nb)
    co = asc.LocalTensor(asc.int32, CO1, 0, 16384)
    asc.load_data(a2, ag, asc.LoadData2DParams(0, na // 512, 1))
    asc.data_copy(b1, bg, nb)
    asc.data_copy(i1, ig, nb // 4)
    asc.load_data_with_sparse(b2, b1, i1, asc.LoadData2DParams(repeat_times=nb // 512))
    asc.mmad_with_sparse(co, a2, b2, asc.MmadParams(m=m, n=n, k=k))
    asc.fixpipe(cg, co, asc.FixpipeParamsV220(n, m, m.ceildiv(16) * 16, n))


def test_sparse():
    m, n, k = 20, 32, 128
    a, b = values((m, k), "int8"), np.zeros((k, n), np.int8)
    dense, idx = np.zeros((k // 2, n), np.int8), np.zeros((k // 2, n), np.uint8)
    for j in range(n):
        for g in range(k // 4):
            p, q = sorted(rng.choice(4, 2, replace=False))
            x, y = rng.integers(1, 128, 2)
            b[g * 4 + p, j], b[g * 4 + q, j] = x, y
            dense[2 * g:2 * g + 2, j] = x, y
            idx[2 * g:2 * g + 2, j] = p, q - 1
    bits = zn(idx, 32).reshape(-1, 4)
    packed = (bits << np.array([0, 2, 4, 6])).sum(1).astype(np.uint8)
    c = np.zeros((m, n), np.int32)
    na, nb = zz(a, 32), zn(dense, 32)
    sparse_kernel[1](na, nb, packed, c, m, n, k, na.size, nb.size)
    np.testing.assert_array_equal(c, product(a, b))


def test_senseless_parameters_do_no_harm():
    x = numbers(2048, 2)
    for p in (asc.LoadData2DParams(60000, 255, 60000, 0, 60000, True), asc.LoadData2DParamsV2(9999, 9999, 255, 255, -77, 999, True),
              asc.LoadData3DParamsV2((255, 255, 255, 255), 30000, 30000, 999, 333, 77, 5, 9999, 63, 63, 255, 255, 255, 255)):
        loaded(x, A2, p)
    loaded(x, B2, asc.LoadData2dTransposeParams(60000, 255, 60000, 60000, 60000, 1), 1)
    out_kernel[1](np.zeros(512, np.float32), np.zeros(512, np.float32), np.zeros(64, np.int64), 512,
                  asc.FixpipeParamsV220(4095, 65535, 65535, 65535, 8, -1, 3, 512, 65535), 1, 1)
