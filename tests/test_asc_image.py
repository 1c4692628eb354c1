"""Images of package asc: load_image_to_local against NumPy."""
import numpy as np
import pytest

import asc

H, W = 16, 24


@asc.jit
def load(x: asc.GlobalAddress, uv: asc.GlobalAddress, z: asc.GlobalAddress, fmt: asc.ConstExpr[int], what: asc.ConstExpr[str],
         mode: asc.ConstExpr[int], w: int, h: int, x0: int, y0: int, width: int, top: int, bottom: int, left: int, right: int,
         n: int):
    xg, ug, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    ug.set_global_buffer(uv)
    zg.set_global_buffer(z)
    if what == "swap":
        config = asc.AippParams(z.dtype, swap_params=asc.AippSwapParams(True, True, True))
    elif what == "pad":
        config = asc.AippParams(z.dtype, asc.AippPaddingParams(mode, 5, 6, 7, 8),
                                c_padding_params=asc.AippChannelPaddingParams(1, 9))
    elif what == "convert":
        config = asc.AippParams(z.dtype, dtc_params=asc.AippDataTypeConvParams(100, 110, 120, 1.0, 2.0, 3.0, 0.5, 0.25, 2.0))
    elif what == "line":
        config = asc.AippParams(z.dtype, single_line_params=asc.AippSingleLineParams(True))
    elif what == "colour":
        config = asc.AippParams(dtype=z.dtype, csc_params=asc.AippColorSpaceConvParams(
            True, 298, 0, 409, 298, -100, -208, 298, 516, 0, 16, 128, 128, 0, 0, 0))
    else:
        config = asc.AippParams(z.dtype)
    if fmt == 0:
        asc.set_aipp_functions(xg, ug, asc.AippInputFormat.YUV420SP_U8, config)
    else:
        asc.set_aipp_functions(src0=xg, input_format=fmt, config=config)
    a = asc.LocalTensor(z.dtype, asc.TPosition.A1, 0, n)
    asc.load_image_to_local(a, asc.LoadImageToLocalParams(w, h, x0, y0, width, top, bottom, left, right))
    asc.data_copy(zg, a, n)


def run(fmt, what, dtype, box=(W, H, 0, 0), pad=(0, 0, 0, 0), mode=0, channels=None):
    rng = np.random.default_rng(7)
    depth = {0: 1, 1: 4, 4: 3, 9: 1}[fmt]
    x = rng.integers(0, 256, (H, W, depth), np.uint8)
    uv = rng.integers(0, 256, (H // 2, W // 2, 2), np.uint8)
    channels = channels or 32 // np.dtype(dtype).itemsize
    rows, cols = (1 if what == "line" else box[1]) + pad[0] + pad[1], box[0] + pad[2] + pad[3]
    z = np.zeros((rows, cols, channels), dtype)
    load[1](x, uv, z, fmt, what, mode, *box, W, *pad, z.size)
    full = x
    if fmt == 0:
        full = np.concatenate([x, uv.repeat(2, 0).repeat(2, 1)], 2)
    cut = full[box[3]:box[3] + box[1], box[2]:box[2] + box[0]]
    return z, cut.astype(int)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float16])
@pytest.mark.parametrize("fmt", [0, 1, 4, 9])
@pytest.mark.parametrize("box", [(W, H, 0, 0), (6, 4, 8, 2)])
def test_crop(fmt, dtype, box):
    z, want = run(fmt, "", dtype, box)
    want = want[:, :, :3]
    np.testing.assert_array_equal(z[:, :, :want.shape[2]], np.minimum(want, 127) if dtype == np.int8 else want)
    assert not z[:, :, want.shape[2]:].any()


@pytest.mark.parametrize("fmt, order", [(0, [0, 2, 1]), (1, [3, 2, 1]), (4, [2, 1, 0])])
def test_swaps(fmt, order):
    z, want = run(fmt, "swap", np.uint8)
    np.testing.assert_array_equal(z[:, :, :3], want[:, :, order])


def test_one_line():
    z, want = run(4, "line", np.uint8)
    np.testing.assert_array_equal(z[:, :, :3], want[:1])


def test_convert():
    z, want = run(4, "convert", np.int8)
    np.testing.assert_array_equal(z[:, :, :3], np.clip(want - [100, 110, 120], -128, 127))
    z, want = run(4, "convert", np.float16)
    np.testing.assert_array_equal(z[:, :, :3], ((want - [101, 112, 123]) * [0.5, 0.25, 2]).astype(np.float16))


def test_colours():
    z, want = run(0, "colour", np.uint8)
    rgb = (want - [16, 128, 128]) @ np.array([[298, 0, 409], [298, -100, -208], [298, 516, 0]]).T / 256
    np.testing.assert_array_equal(z[:, :, :3], np.clip(np.floor(np.abs(rgb) + 0.5) * np.sign(rgb), 0, 255))


@pytest.mark.parametrize("mode, how", [(0, {"mode": "constant"}), (1, {"mode": "edge"}), (3, {"mode": "symmetric"})])
def test_padding(mode, how):
    z, want = run(4, "pad", np.float16, (8, 6, 4, 2), (2, 1, 3, 5), mode, 4)
    want = np.concatenate([want, np.full((6, 8, 1), 9)], 2)
    wide = [(2, 1), (3, 5)]
    for k in range(4):
        values = {"constant_values": 5 + k} if mode == 0 else {}
        np.testing.assert_array_equal(z[:, :, k], np.pad(want[:, :, k], wide, **how, **values))


def test_padding_by_blocks():
    z, want = run(4, "pad", np.uint8, (8, 6, 4, 2), (2, 1, 3, 5), 2, 4)
    rows, cols = [0, 1, *range(6), 5], [0, 1, 2, *range(8), *range(3, 8)]
    np.testing.assert_array_equal(z[:, :, :3], want[rows][:, cols])
