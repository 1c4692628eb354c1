"""asc.lib.host: tilings."""
import numpy as np
import pytest

import asc
from asc.lib import host
from test_asc_matmul import ND, all_kernel, product, values

PLACES = dict(float16=host.DataType.DT_FLOAT16, float32=host.DataType.DT_FLOAT, int8=host.DataType.DT_INT8)


def multi(m, n, k, dim, dtype="float16", pos=host.TPosition.GM):
    t = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
    t.set_a_type(host.TPosition.GM, host.CubeFormat.ND, PLACES[dtype], False)
    t.set_b_type(host.TPosition.GM, host.CubeFormat.ND, PLACES[dtype], False)
    t.set_c_type(pos, host.CubeFormat.ND, host.DataType.DT_FLOAT)
    t.set_dim(dim)
    t.set_shape(m, n, k)
    t.set_org_shape(m, n, k)
    t.set_buffer_space(-1, -1, -1)
    return t


@pytest.mark.parametrize("dim", [1, 2, 7, 16, 24, 48])
@pytest.mark.parametrize("m, n, k", [(512, 1024, 512), (1024, 640, 256), (1, 1, 1), (33, 17, 5), (128, 30720, 64), (7, 5000, 3)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_cut(m, n, k, dim, dtype):
    t = asc.adv.TCubeTiling()
    multi_t = multi(m, n, k, dim, dtype)
    assert multi_t.get_tiling(t) == 0
    parts_m, parts_n = -(-m // t.single_core_m), -(-n // t.single_core_n)
    assert t.used_core_num == parts_m * parts_n <= dim
    assert multi_t.get_core_num() == (t.used_core_num, parts_m, parts_n)
    assert multi_t.get_single_shape() == (t.single_core_m, t.single_core_n, t.single_core_k)
    assert (t.m, t.n, t.k_a, t.k_b, t.single_core_k) == (m, n, k, k, k)
    assert t.base_m * t.base_n * 4 <= 128 << 10
    size = np.dtype(dtype).itemsize
    assert 2 * t.base_m * t.base_k * size <= 64 << 10 and 2 * t.base_n * t.base_k * size <= 64 << 10
    assert (t.depth_a1 * t.base_m + t.depth_b1 * t.base_n) * t.base_k * size <= 512 << 10
    # no core has much more than its share
    assert t.single_core_m * t.single_core_n <= max(1.7 * m * n / dim + 16 * (m + n), 256)


def test_powers_of_two_have_no_tails():
    t = asc.adv.TCubeTiling()
    assert multi(1024, 512, 256, 16, "float32", host.TPosition.VECCALC).get_tiling(t) == 0
    assert t.used_core_num == 16
    assert 1024 % t.single_core_m == 0 and 512 % t.single_core_n == 0
    assert t.single_core_m % t.base_m == 0 and t.single_core_n % t.base_n == 0
    assert 2 * t.base_m * t.base_n * 4 <= 192 << 10


def test_fixed_blocks_decide_the_cut():
    cut = multi(1024, 640, 256, 2)
    cut.set_fix_split(256, 128, -1)
    cut.set_traverse(host.MatrixTraverse.FIRSTM)
    cut.enable_bias(True)
    t = asc.adv.TCubeTiling()
    assert cut.get_tiling(t) == 0
    assert (t.base_m, t.base_n, t.single_core_m, t.single_core_n, t.is_bias, t.iterate_order) == (256, 128, 512, 640, 1, 0)
    assert (cut.get_base_m(), cut.get_base_n(), cut.get_base_k()) == (256, 128, t.base_k)


def test_what_cannot_be():
    t = asc.adv.TCubeTiling()
    assert host.MatmulApiTiling(host.get_ascendc_platform()).get_tiling(t) == -1
    cut = multi(64, 64, 64, 2)
    assert cut.set_shape(0, 1, 1) == -1 and cut.set_dim(0) == -1 and cut.set_shape(1 << 40, 1, 1) == -1
    cut.set_fix_split(1 << 20, 1 << 20, 1)
    assert cut.get_tiling(t) == -1
    cut.set_fix_split(-1, -1, -1)
    cut.set_single_shape(16, 16, -1)
    assert cut.get_tiling(t) == -1  # 16 parts for 2 cores


def test_depth_is_shared():
    cut = multi(16, 16, 1024, 8)
    cut.enable_multi_core_split_k(True)
    t = asc.adv.TCubeTiling()
    assert cut.get_tiling(t) == 0 and t.used_core_num == 8 and t.single_core_k == 128


@pytest.mark.parametrize("m, n, k, dim", [(100, 300, 77, 48), (512, 96, 64, 5)])
def test_a_kernel_with_it(m, n, k, dim):
    a, b, c = values((m, k), "float16"), values((k, n), "float16"), np.zeros((m, n), np.float32)
    t = asc.adv.TCubeTiling()
    assert multi(m, n, k, dim).get_tiling(t) == 0
    all_kernel[-(-t.used_core_num // 2)](a, b, c, np.zeros(n, np.float32), np.zeros(64, np.uint8), t, 0, 0, ND, ND, ND)
    np.testing.assert_allclose(c, product(a, b), rtol=1e-3, atol=1e-3)


def test_random_settings():
    rng = np.random.default_rng(3)
    setters = [("set_shape", 3), ("set_org_shape", 4), ("set_fix_split", 3), ("set_split_range", 6), ("set_buffer_space", 4),
               ("set_dim", 1), ("set_single_shape", 3), ("set_single_range", 6), ("set_align_split", 3), ("set_batch_num", 1),
               ("set_batch_info_for_normal", 5), ("enable_multi_core_split_k", 1), ("enable_bias", 1), ("set_traverse", 1)]
    for _ in range(300):
        cut = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
        for name, n in setters:
            if rng.random() < .6:
                getattr(cut, name)(*(int(rng.choice([-7, -1, 0, 1, 2, 5, 16, 17, 100, 4096, 1 << 20, 1 << 30, 1 << 40])) for _ in range(n)))
        t = asc.adv.TCubeTiling()
        if cut.get_tiling(t) == 0:
            assert min(t.m, t.n, t.k_a, t.single_core_m, t.single_core_n, t.single_core_k, t.base_m, t.base_n, t.base_k) >= 1
            assert t.base_m * t.base_n * 4 <= max(128 << 10, cut._settings.get("l0c", -1))
