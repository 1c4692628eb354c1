#!/usr/bin/env python3
"""Kernels of package asc on the model of the AI core, against NumPy: the peer's time over ours, medians of turns."""
import statistics
import time

import asc
import asc.lib.host as host
import numpy as np

GM, ND = asc.TPosition.GM, asc.CubeFormat.ND


@asc.jit
def vadd(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.ConstExpr[int]):
    start = asc.get_block_idx() * n
    xg, yg, zg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x + start, n)
    yg.set_global_buffer(y + start, n)
    zg.set_global_buffer(z + start, n)
    size = tile * x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, tile)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size, tile)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 2 * size, tile)
    for i in range(n // tile):
        asc.data_copy(a, xg[i * tile:], tile)
        asc.data_copy(b, yg[i * tile:], tile)
        asc.add(c, a, b, tile)
        asc.data_copy(zg[i * tile:], c, tile)


@asc.jit
def product(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, workspace: asc.GlobalAddress,
            t: asc.adv.TCubeTiling):
    rows = t.m.ceildiv(t.single_core_m)
    i, j = asc.get_block_idx() % rows, asc.get_block_idx() // rows
    ag, bg, cg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    ag.set_global_buffer(a + i * t.single_core_m * t.k_a)
    bg.set_global_buffer(b + j * t.single_core_n)
    cg.set_global_buffer(c + i * t.single_core_m * t.n + j * t.single_core_n)
    pipe = asc.TPipe()
    mm = asc.adv.Matmul(asc.adv.MatmulType(GM, ND, a.dtype), asc.adv.MatmulType(GM, ND, b.dtype),
                        asc.adv.MatmulType(GM, ND, c.dtype))
    asc.adv.register_matmul(pipe, workspace, mm, t)
    if asc.get_block_idx() < t.used_core_num:
        mm.set_tensor_a(ag)
        mm.set_tensor_b(bg)
        mm.iterate_all(cg)
        mm.end()


def tiling(n, cores):
    m = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
    for set_type in m.set_a_type, m.set_b_type:
        set_type(host.TPosition.GM, host.CubeFormat.ND, host.DataType.DT_FLOAT, False)
    m.set_c_type(host.TPosition.GM, host.CubeFormat.ND, host.DataType.DT_FLOAT)
    m.set_dim(cores)
    m.set_org_shape(n, n, n)
    m.set_shape(n, n, n)
    m.set_buffer_space(-1, -1, -1)
    t = asc.adv.TCubeTiling()
    assert m.get_tiling(t) == 0
    return t


def ratio(name, ours, peer, turns=9):
    ours(), peer()
    pairs = []
    for _ in range(turns):
        start = time.perf_counter()
        ours()
        middle = time.perf_counter()
        peer()
        pairs.append((middle - start, time.perf_counter() - middle))
    r = statistics.median(b / a for a, b in pairs)
    print(f"{name:40} {1e3 * statistics.median(a for a, _ in pairs):8.2f} ms   {r:5.2f} x NumPy", flush=True)


def main():
    n = 1 << 24
    x, y = np.random.default_rng(1).random((2, n), np.float32)
    z, w = np.zeros_like(x), np.zeros_like(x)
    for tile in 2048, 8192:
        ratio(f"vadd of 16 M float32, 8 cores, tiles of {tile}", lambda: vadd[8](x, y, z, n // 8, tile), lambda: np.add(x, y, out=w))
        assert (z == w).all()
    n = 1024
    a, b = np.random.default_rng(2).random((2, n, n), np.float32)
    c, d, t = np.zeros((n, n), np.float32), np.zeros((n, n), np.float32), tiling(n, 16)
    space = np.zeros(1 << 20, np.uint8)
    ratio("Matmul object, 1024 cubed, float32", lambda: product[8](a, b, c, space, t), lambda: np.matmul(a, b, out=d))
    assert np.allclose(c, d, rtol=1e-4)


if __name__ == "__main__":
    main()
