"""The Matmul object of package asc: values against NumPy."""
import numpy as np
import pytest

import asc

ND, NZ, GM, UB = asc.CubeFormat.ND, asc.CubeFormat.NZ, asc.TPosition.GM, asc.TPosition.VECIN
rng = np.random.default_rng(7)


def values(shape, dtype):
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-128, 128, shape).astype(dtype)
    return (rng.random(shape) - .5).astype(dtype)


def tiling(m, n, k, core=None, base=(16, 16, 16), **more):
    sm, sn, sk = core or (m, n, k)
    return asc.adv.TCubeTiling(used_core_num=-(-m // sm) * -(-n // sn), m=m, n=n, k_a=k, k_b=k, single_core_m=sm,
                               single_core_n=sn, single_core_k=sk, base_m=base[0], base_n=base[1], base_k=base[2],
                               depth_a1=1, depth_b1=1, step_m=1, step_n=1, **more)


def to_nz(x, c0):
    rows, cols = -(-x.shape[0] // 16) * 16, -(-x.shape[1] // c0) * c0
    full = np.zeros((rows, cols), x.dtype)
    full[:x.shape[0], :x.shape[1]] = x
    return np.ascontiguousarray(full.reshape(rows, cols // c0, c0).transpose(1, 0, 2)).reshape(-1)


def product(a, b):
    if a.dtype == np.int8:
        return a.astype(np.int32) @ b.astype(np.int32)
    return a.astype(np.float32) @ b.astype(np.float32)


@asc.jit
def all_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, bias: asc.GlobalAddress,
               workspace: asc.GlobalAddress, t: asc.adv.TCubeTiling, trans_a: asc.ConstExpr[int],
               trans_b: asc.ConstExpr[int], fa: asc.ConstExpr[int], fb: asc.ConstExpr[int], fc: asc.ConstExpr[int]):
    blocks_m = t.m.ceildiv(t.single_core_m)
    i = asc.get_block_idx() % blocks_m
    j = asc.get_block_idx() // blocks_m
    ag = asc.GlobalTensor()
    bg = asc.GlobalTensor()
    cg = asc.GlobalTensor()
    sg = asc.GlobalTensor()
    oa = i * t.single_core_m * (1 if trans_a else t.k_a)
    ob = j * t.single_core_n * (t.k_b if trans_b else 1)
    ag.set_global_buffer(a + oa)
    bg.set_global_buffer(b + ob)
    cg.set_global_buffer(c + i * t.single_core_m * t.n + j * t.single_core_n)
    sg.set_global_buffer(bias + j * t.single_core_n)
    pipe = asc.TPipe()
    mm = asc.adv.Matmul(asc.adv.MatmulType(GM, fa, a.dtype, trans_a), asc.adv.MatmulType(GM, fb, b.dtype, trans_b),
                        asc.adv.MatmulType(GM, fc, c.dtype), asc.adv.MatmulType(GM, ND, bias.dtype))
    asc.adv.register_matmul(pipe, workspace, mm, t)
    if asc.get_block_idx() < t.used_core_num:
        mm.set_tensor_a(ag, trans_a)
        mm.set_tensor_b(bg, trans_b)
        if t.is_bias:
            mm.set_bias(sg)
        mm.set_tail(min(t.m - i * t.single_core_m, t.single_core_m), min(t.n - j * t.single_core_n, t.single_core_n))
        mm.iterate_all(cg)
        mm.end()


@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
@pytest.mark.parametrize("m, n, k, core", [(64, 48, 32, None), (96, 80, 300, (32, 48, 300)), (1, 7, 5, None),
                                           (33, 65, 1030, (16, 33, 1030))])
def test_iterate_all(m, n, k, core, dtype, trans_a, trans_b):
    a, b = values((m, k), dtype), values((k, n), dtype)
    whole = dtype == "int8"
    bias = values(n, np.int32 if whole else np.float32)
    c = np.zeros((m, n), np.int32 if whole else np.float32)
    t = tiling(m, n, k, core, is_bias=1)
    all_kernel[t.used_core_num](np.ascontiguousarray(a.T) if trans_a else a, np.ascontiguousarray(b.T) if trans_b else b, c,
                                bias, np.zeros(1024, np.uint8), t, trans_a, trans_b, ND, ND, ND)
    np.testing.assert_allclose(c, product(a, b) + bias, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
@pytest.mark.parametrize("dtype, c0", [("float16", 16), ("float32", 8), ("int8", 32)])
@pytest.mark.parametrize("m, n, k", [(64, 48, 32), (20, 35, 70)])
def test_formats(m, n, k, dtype, c0, trans_a, trans_b):
    a, b = values((m, k), dtype), values((k, n), dtype)
    whole = dtype == "int8"
    bias = np.zeros(n, np.int32 if whole else np.float32)
    up = -(-m // 16) * 16
    c = np.zeros(up * (-(-n // 16) * 16), np.int32 if whole else np.float32)
    all_kernel[1](to_nz(a.T if trans_a else a, c0), to_nz(b.T if trans_b else b, c0), c, bias, np.zeros(1024, np.uint8),
                  tiling(m, n, k), trans_a, trans_b, NZ, NZ, NZ)
    np.testing.assert_allclose(c, to_nz(product(a, b), 16), rtol=1e-4, atol=1e-4)
