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


def begin(a, b, c, dtype_c=None):
    """Global tensors over whole arrays."""
    ag = asc.GlobalTensor()
    bg = asc.GlobalTensor()
    cg = asc.GlobalTensor()
    ag.set_global_buffer(a)
    bg.set_global_buffer(b)
    cg.set_global_buffer(c)
    return ag, bg, cg


def plain(a, b, c, pos=GM, layout=asc.LayoutMode.NONE):
    return asc.adv.Matmul(asc.adv.MatmulType(GM, ND, a.dtype, False, layout), asc.adv.MatmulType(GM, ND, b.dtype, False, layout),
                          asc.adv.MatmulType(pos, ND, c.dtype, False, layout))


@asc.jit
def blocks_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, workspace: asc.GlobalAddress,
                  t: asc.adv.TCubeTiling):
    ag, bg, cg = begin(a, b, c)
    pipe = asc.TPipe()
    que = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(que=que, num=2, len=t.base_m * t.base_n * c.dtype.sizeof())
    mm = plain(a, b, c, UB)
    asc.adv.register_matmul(pipe, workspace, mm)
    mm.init(t)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg)
    with mm.iterate() as count:
        out = que.alloc_tensor(c.dtype)
        mm.get_tensor_c(out, en_sequential_write=True)
        que.enque(out)
        out = que.deque(c.dtype)
        down = t.single_core_m // t.base_m
        at = count % down * t.base_m * t.n + count // down * t.base_n
        for row in range(t.base_m):
            asc.data_copy(cg[at + row * t.n:], out[row * t.base_n:], t.base_n)
        que.free_tensor(out)
    mm.end()


def test_blocks_through_the_unified_buffer():
    a, b, c = values((64, 40), "float32"), values((40, 96), "float32"), np.zeros((64, 96), np.float32)
    blocks_kernel[1](a, b, c, np.zeros(1024, np.uint8), tiling(64, 96, 40, base=(32, 16, 16)))
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)


@asc.jit
def flow_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, seen: asc.GlobalAddress,
                t: asc.adv.TCubeTiling, skip: int, last: int):
    ag, bg, cg = begin(a, b, c)
    sg = asc.GlobalTensor()
    sg.set_global_buffer(seen)
    pipe = asc.TPipe()
    mm = plain(a, b, c)
    asc.adv.register_matmul(pipe, seen, mm, t)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg)
    rounds = 0
    area = 0
    for other in range(2):
        with mm.iterate() as count:
            if count > last:
                break
            if count != skip:
                mm.get_tensor_c(cg)
                x = mm.get_offset_c()
                area += x.height * x.width
                sg.set_value(count, x.row * 1000 + x.col)
                rounds += 1
        rounds += 100
        break
    sg.set_value(30, rounds)
    sg.set_value(31, area)


@pytest.mark.parametrize("order", [0, 1])
def test_rounds(order):
    m, n, k = 40, 25, 33
    a, b, c, seen = values((m, k), "float32"), values((k, n), "float32"), np.zeros((m, n), np.float32), np.zeros(32, np.int32)
    flow_kernel[1](a, b, c, seen, tiling(m, n, k, iterate_order=order), -1, 100)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)
    at = [(i, j) for j in (0, 16) for i in (0, 16, 32)] if order == 0 else [(i, j) for i in (0, 16, 32) for j in (0, 16)]
    assert seen[:6].tolist() == [i * 1000 + j for i, j in at]
    assert seen[30] == 106 and seen[31] == m * n
    c[:] = 0
    flow_kernel[1](a, b, c, seen, tiling(m, n, k, iterate_order=order), 1, 3)
    want = a @ b
    for r, (i, j) in enumerate(at):
        block = want[i:i + 16, j:j + 16] if r in (0, 2, 3) else 0
        np.testing.assert_allclose(c[i:i + 16, j:j + 16], block, rtol=1e-4, atol=1e-5)
    assert seen[30] == 3


@asc.jit
def workspace_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, workspace: asc.GlobalAddress,
                     t: asc.adv.TCubeTiling, own: asc.ConstExpr[int]):
    ag, bg, cg = begin(a, b, c)
    pipe = asc.TPipe()
    mm = plain(a, b, c)
    asc.adv.register_matmul(pipe, workspace, mm, t)
    if own:
        mm.set_workspace(workspace + 64, 4096)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg)
    with mm.iterate(sync=False) as count:
        block = mm.get_tensor_c(sync=False)
        for i in range(t.base_m * t.base_n):
            cg.set_value(count * t.base_m * t.base_n + i, block.get_value(i))


@pytest.mark.parametrize("own", [0, 1])
def test_blocks_in_the_workspace(own):
    a, b, c = values((32, 20), "float16"), values((20, 32), "float16"), np.zeros((4, 16, 16), np.float32)
    workspace_kernel[1](a, b, c, np.zeros(8192, np.float32), tiling(32, 32, 20), own)
    want = product(a, b).reshape(2, 16, 2, 16).transpose(2, 0, 1, 3).reshape(4, 16, 16)
    np.testing.assert_allclose(c, want, rtol=1e-3, atol=1e-3)


@asc.jit
def pairs_kernel(seen: asc.GlobalAddress, with_matmul: asc.ConstExpr[int]):
    sg = asc.GlobalTensor()
    sg.set_global_buffer(seen)
    if with_matmul:
        t = asc.adv.MatmulType(GM, ND, asc.float16)
        asc.adv.Matmul(t, t, t)
    sg.set_value(asc.get_block_idx(), asc.get_block_num())


def test_a_matmul_makes_pairs_of_vector_cores():
    for with_matmul, options, want in ((1, {}, [3] * 6), (0, {}, [3] * 3), (1, dict(matmul_cube_only=True), [3] * 3)):
        seen = np.zeros(8, np.int32)
        pairs_kernel[3](seen, with_matmul, **options)
        assert seen.tolist() == want + [0] * (8 - len(want))


@asc.jit
def atomic_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, t: asc.adv.TCubeTiling, atomic: int,
                  scalar: float):
    ag, bg, cg = begin(a, b, c)
    pipe = asc.TPipe()
    mm = plain(a, b, c)
    asc.adv.register_matmul(pipe, c, mm, t)
    mm.set_tensor_a(scalar)
    mm.set_tensor_b(bg)
    mm.iterate_all(cg, en_atomic=atomic)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("atomic", [0, 1, 2, 3])
def test_atomic_and_scalar(atomic, dtype):
    b = (rng.integers(-8, 8, (32, 40)) / 8).astype(np.float16)
    c = np.full((20, 40), 1, dtype)
    atomic_kernel[2](b, b, c, tiling(20, 40, 32), atomic, .5)
    x = np.repeat((b.astype(np.float32) * .5).sum(0, keepdims=True), 20, 0)
    x = np.rint(x) if dtype == "int32" else x
    want = [x, 1 + 4 * x, np.maximum(1, x), np.minimum(1, x)][atomic]
    np.testing.assert_array_equal(c, want.astype(dtype))


@asc.jit
def quant_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, factors: asc.GlobalAddress,
                 t: asc.adv.TCubeTiling, scalar: int, vector: asc.ConstExpr[int]):
    ag, bg, cg = begin(a, b, c)
    fg = asc.GlobalTensor()
    fg.set_global_buffer(factors)
    pipe = asc.TPipe()
    mm = plain(a, b, c)
    asc.adv.register_matmul(pipe, factors, mm, t)
    mm.set_org_shape(t.m, t.n, t.k_a)
    mm.set_single_shape(t.single_core_m, t.single_core_n, t.single_core_k)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg)
    if vector:
        mm.set_quant_vector(fg)
    else:
        mm.set_quant_scalar(scalar)
    mm.iterate_all(cg)
    mm.end()


@pytest.mark.parametrize("dtype, out", [("int8", "float16"), ("int8", "int8"), ("float16", "int8"), ("float16", "uint8")])
@pytest.mark.parametrize("vector", [0, 1])
def test_quantised(dtype, out, vector):
    m, n, k = 24, 80, 50
    a, b, c = values((m, k), dtype), values((k, n), dtype), np.zeros((m, n), out)
    size = 1e-3 if dtype == "int8" else 20
    scale = ((rng.random(n) + .5) * size).astype(np.float32) if vector else np.full(n, size, np.float32)
    scale = (scale.view(np.uint32) & 0xffffe000).view(np.float32)
    offset = rng.integers(-9, 9, n) if vector else np.full(n, 5)
    bits = scale.view(np.uint32).astype(np.uint64) | (offset & 0x1ff).astype(np.uint64) << 37 | np.uint64((out != "uint8") << 46)
    quant_kernel[1](a, b, c, bits.view(np.int64), tiling(m, n, k), int(bits[0]), vector)
    x = product(a, b).astype(np.float64) * scale
    if out == "float16":
        return np.testing.assert_array_equal(c, x.astype(np.float32).astype(np.float16))
    info = np.iinfo(out)
    near = np.abs(x - np.floor(x) - .5) < 1e-3
    want = np.clip(np.rint(x) + offset, info.min, info.max)
    assert (np.abs(c - want) <= near).all()


@asc.jit
def batch_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, t: asc.adv.TCubeTiling,
                 layout: asc.ConstExpr[int], na: int, nb: int):
    ag, bg, cg = begin(a, b, c)
    pipe = asc.TPipe()
    mm = plain(a, b, c, GM, layout)
    asc.adv.register_matmul(pipe, c, mm, t)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg)
    mm.iterate_batch(cg, na, nb, False)


LAYOUTS = {1: "bngsd", 2: "bsngd", 3: "sbngd", 4: "bngsd"}


def laid(x, layout):
    """b, n, g, s, d -> the layout."""
    order = LAYOUTS[layout]
    return np.ascontiguousarray(x.transpose(["bngsd".index(axis) for axis in order]))


@pytest.mark.parametrize("layout", [1, 2, 3, 4])
@pytest.mark.parametrize("gb", [3, 1])
def test_batch(layout, gb):
    m, n, k, nb, nn, ng = 20, 24, 16, 2, 2, 3
    a, b = values((nb, nn, ng, m, k), "float16"), values((nb, nn, gb, k, n), "float16")
    c = np.zeros((nb, nn, ng, m, n), np.float32)
    t = tiling(m, n, k)
    for side, x in (("a", a), ("b", b), ("c", c)):
        for name, extent in zip("s1 n g".split() if side == "c" else "s n g".split(), (x.shape[3], nn, x.shape[2])):
            setattr(t, f"{side}_layout_info_{name}", extent)
        setattr(t, f"{side}_layout_info_b", nb)
        setattr(t, f"{side}_layout_info_{'s2' if side == 'c' else 'd'}", x.shape[4])
    out = laid(c, layout)
    batch_kernel[1](laid(a, layout), laid(b, layout), out, t, layout, nb * nn * ng, nb * nn * gb)
    want = product(a, np.broadcast_to(b, (nb, nn, ng, k, n)))
    np.testing.assert_allclose(out, laid(want, layout), rtol=1e-3, atol=1e-3)


@asc.jit
def n_batch_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, workspace: asc.GlobalAddress,
                   t: asc.adv.TCubeTiling, loops: int, n: int):
    ag, bg, cg = begin(a, b, c)
    pipe = asc.TPipe()
    mm = plain(a, b, c)
    asc.adv.register_matmul(pipe, workspace, mm, t)
    wg = asc.GlobalTensor()
    wg.set_global_buffer(workspace)
    mm.set_workspace(wg)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg)
    mm.iterate_n_batch(loops, n, n, False)
    local = asc.LocalTensor(c.dtype, UB, 0, t.m * t.n * n)
    for i in range(loops):
        if i % 2:
            mm.get_batch_tensor_c(local, n, n)
            asc.data_copy(cg[i * n * t.m * t.n:], local, n * t.m * t.n)
        else:
            x = mm.get_batch_tensor_c(n, n, False, False)
            for j in range(n * t.m * t.n):
                cg.set_value(i * n * t.m * t.n + j, x.get_value(j))


def test_n_batch():
    a, b, c = values((6, 8, 12), "float32"), values((6, 12, 16), "float32"), np.zeros((6, 8, 16), np.float32)
    n_batch_kernel[1](a, b, c, np.zeros(4096, np.float32), tiling(8, 16, 12), 3, 2)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)


@asc.jit
def partial_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, t: asc.adv.TCubeTiling):
    ag, bg, cg = begin(a, b, c)
    pipe = asc.TPipe()
    mm = plain(a, b, c)
    asc.adv.register_matmul(pipe, c, mm, t)
    for k in range(4):
        mm.set_single_shape(16, 16, t.k_a // 4)
        mm.set_tensor_a(ag[k * (t.k_a // 4):])
        mm.set_tensor_b(bg[k * (t.k_a // 4) * t.n:])
        mm.iterate(k != 0)
    mm.get_tensor_c(cg)


def test_partial_sums():
    a, b, c = values((16, 64), "float32"), values((64, 16), "float32"), np.zeros((16, 16), np.float32)
    partial_kernel[1](a, b, c, tiling(16, 16, 64))
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)


@asc.jit
def local_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, t: asc.adv.TCubeTiling):
    ag, bg, cg = begin(a, b, c)
    al = asc.LocalTensor(a.dtype, UB, 0, t.m * t.k_a)
    bl = asc.LocalTensor(b.dtype, UB, 32768, t.k_b * t.n)
    cl = asc.LocalTensor(c.dtype, UB, 65536, t.m * t.n)
    asc.data_copy(al, ag, t.m * t.k_a)
    asc.data_copy(bl, bg, t.k_b * t.n)
    mm = asc.adv.Matmul(asc.adv.MatmulType(UB, ND, a.dtype), asc.adv.MatmulType(UB, ND, b.dtype),
                        asc.adv.MatmulType(UB, ND, c.dtype), matmul_config=asc.adv.get_mdl_config())
    pipe = asc.TPipe()
    asc.adv.register_matmul(pipe, c, mm, t)
    mm.set_tensor_a(al)
    mm.set_tensor_b(bl)
    mm.iterate_all(cl)
    asc.data_copy(cg, cl, t.m * t.n)


def test_local_tensors():
    a, b, c = values((32, 48), "float16"), values((48, 64), "float16"), np.zeros((32, 64), np.float32)
    local_kernel[1](a, b, c, tiling(32, 64, 48))
    np.testing.assert_allclose(c, product(a, b), rtol=1e-3, atol=1e-3)


@asc.jit
def config_kernel(c: asc.GlobalAddress):
    cg = asc.GlobalTensor()
    cg.set_global_buffer(c)
    x = asc.adv.get_mm_config(asc.MatmulConfigMode.CONFIG_MDL, asc.adv.MatmulFuncParams(True),
                              asc.adv.MatmulShapeParams(1, 2, 3, 4, 5, 6))
    cg.set_value(0, x.do_multi_data_load)
    cg.set_value(1, x.intrinsics_check)
    cg.set_value(2, x.single_core_n)
    t = asc.adv.MatmulType(GM, ND, asc.float16)
    s = asc.adv.get_matmul_api_tiling(mm_cfg=x, l1_size=524288, a_type=t, b_type=t, c_type=t)
    cg.set_value(3, s.base_k)
    mm = asc.adv.Matmul(t, t, t, None, s)
    mm.set_hf32(True)
    cg.set_value(4, asc.adv.get_normal_config().is_bias_batch)


def test_configurations():
    c = np.zeros(5, np.int32)
    config_kernel[1](c)
    assert c.tolist() == [1, 1, 2, 6, 1]
    host = asc.adv.get_mm_config(asc.MatmulConfigMode.CONFIG_NORM, asc.adv.MatmulBatchParams(True))
    assert host.do_norm and host.is_n_batch


def test_senseless_tilings_do_no_harm():
    a, b, bias = values((16, 16), "float32"), values((16, 16), "float32"), np.zeros(16, np.float32)
    for t in (asc.adv.TCubeTiling(), tiling(-5, 16, 16), tiling(16, 16, 16, (-1, 5, 3)), tiling(1 << 30, 1 << 30, 4, (3000, 2000, 4)),
              tiling(16, 16, 16, base=(-3, 0, 7))):
        c = np.zeros((16, 16), np.float32)
        if t.single_core_m > 0 and t.single_core_n > 0:
            all_kernel[1](a, b, c, bias, np.zeros(64, np.uint8), t, 0, 0, ND, ND, ND)


@asc.jit
def sparse_kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, idx: asc.GlobalAddress, t: asc.adv.TCubeTiling):
    ag, bg, cg = begin(a, b, c)
    ig = asc.GlobalTensor()
    ig.set_global_buffer(idx)
    pipe = asc.TPipe()
    mm = asc.adv.Matmul(asc.adv.MatmulType(GM, ND, a.dtype), asc.adv.MatmulType(GM, ND, b.dtype, True),
                        asc.adv.MatmulType(GM, ND, c.dtype), matmul_config=asc.adv.get_mdl_config())
    asc.adv.register_matmul(pipe, c, mm, t)
    mm.set_tensor_a(ag)
    mm.set_tensor_b(bg, True)
    mm.set_sparse_index(ig)
    mm.iterate_all(cg)
    mm.end()


@pytest.mark.parametrize("m, n, k", [(20, 40, 128), (7, 5, 64)])
def test_sparse(m, n, k):
    a, b = values((m, k), "int8"), np.zeros((k, n), np.int8)
    dense, idx = np.zeros((n, k // 2), np.int8), np.zeros((-(-n // 16) * 16, k // 2), np.uint8)
    for j in range(n):
        for g in range(k // 4):
            p, q = sorted(rng.choice(4, 2, replace=False))
            x, y = rng.integers(1, 128, 2)
            b[g * 4 + p, j], b[g * 4 + q, j] = x, y
            dense[j, 2 * g:2 * g + 2] = x, y
            idx[j, 2 * g:2 * g + 2] = p, q - 1
    bits = idx.reshape(-1, k // 64, 32).transpose(1, 0, 2).reshape(-1, 4)
    c = np.zeros((m, n), np.int32)
    sparse_kernel[1](a, dense, c, (bits << np.array([0, 2, 4, 6])).sum(1).astype(np.uint8), tiling(m, n, k), matmul_cube_only=True)
    np.testing.assert_array_equal(c, product(a, b))
