"""Sorts and merges of package asc against NumPy."""
import numpy as np
import pytest

import asc

TYPES = [np.float16, np.float32]


def scores(n, dtype, seed=1):
    """With many equal ones."""
    return np.random.default_rng(seed).integers(-40, 40, n).astype(dtype) / dtype(4)


def order(x):
    return np.argsort(-x.astype(np.float64), kind="stable")


def pairs(x, index):
    """As they lie in memory: the score, then the index four bytes behind it."""
    out = np.zeros((len(x), 8 // x.itemsize), x.dtype)
    out[:, 0] = x
    out.view(np.uint32)[:, 1] = index
    return out


@asc.jit
def runs(x: asc.GlobalAddress, i: asc.GlobalAddress, z: asc.GlobalAddress, value: asc.GlobalAddress, index: asc.GlobalAddress,
         reps: int, kind: asc.ConstExpr[int], room: asc.ConstExpr[int]):
    xg, ig, zg, vg, ng = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    ig.set_global_buffer(i)
    zg.set_global_buffer(z)
    vg.set_global_buffer(value)
    ng.set_global_buffer(index)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    b = asc.LocalTensor(asc.uint32, asc.TPosition.VECIN, 8192, room)
    joined = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 16384, room)
    tmp = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 32768, room * 4)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 65536, room * 4)
    v = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 98304, room)
    n = asc.LocalTensor(asc.uint32, asc.TPosition.VECOUT, 114688, room)
    asc.data_copy(a, xg, room)
    asc.data_copy(b, ig, room)
    asc.adv.concat(joined, a, tmp, room // 16)
    if kind == 0:
        asc.sort32(c, joined, b, repeat_time=reps)
    elif kind == 1:
        asc.sort(c, joined, b, tmp, reps)
    else:
        asc.sort(c, joined, b, tmp, repeat_time=reps, is_full_sort=True)
    asc.adv.extract(v, n, c, reps)
    asc.data_copy(zg, c, reps * 32 * 8 // x.dtype.sizeof())
    asc.data_copy(vg, v, reps * 32)
    asc.data_copy(ng, n, reps * 32)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", range(3))
def test_sort(dtype, kind):
    room = 1024
    x, i = scores(room, dtype), np.arange(1000, 1000 + room, dtype=np.uint32)
    for reps in 0, 1, 2, 4, 7, 32:
        z = np.zeros(room * 8 // x.itemsize, dtype)
        value, index = np.zeros(room, dtype), np.zeros(room, np.uint32)
        runs[1](x, i, z, value, index, reps, kind, room)
        n, run = reps * 32, reps * 32 if kind == 2 else 32
        at = np.concatenate([np.zeros(0, int)] + [k + order(x[k:k + run]) for k in range(0, n, run or 1)])
        np.testing.assert_array_equal(z[:n * 8 // x.itemsize], pairs(x[at], i[at]).ravel())
        np.testing.assert_array_equal(value[:n], x[at])
        np.testing.assert_array_equal(index[:n], i[at])


@pytest.mark.parametrize("dtype", TYPES)
def test_special_scores(dtype):
    x = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 6e-8] * 4, dtype)
    i, z = np.arange(32, dtype=np.uint32), np.zeros(256 // np.dtype(dtype).itemsize, dtype)
    value, index = np.zeros(1024, dtype), np.zeros(1024, np.uint32)
    runs[1](x, i, z, value, index, 1, 0, 1024)
    np.testing.assert_array_equal(index[:32].reshape(8, 4) % 8,
                                  [[4] * 4, [2] * 4, [5] * 4, [7] * 4, [0, 1, 0, 1], [0, 1, 0, 1], [6] * 4, [3] * 4])


@asc.jit
def merged(x: asc.GlobalAddress, z: asc.GlobalAddress, count: asc.GlobalAddress, info: asc.ConstExpr[bool], valid: int, reps: int,
           suspend: asc.ConstExpr[bool], n0: int, n1: int, n2: int, n3: int, few: asc.ConstExpr[bool], room: int):
    xg, zg, cg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    cg.set_global_buffer(count)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, room)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 32768, room)
    asc.data_copy(a, xg, room)
    per = 8 // x.dtype.sizeof()
    if few:
        queues = asc.MrgSortSrcList(x.dtype, a, a[n0 * per:])
    else:
        queues = asc.MrgSortSrcList(x.dtype, a, a[n0 * per:], a[(n0 + n1) * per:], a[(n0 + n1 + n2) * per:])
    if info:
        asc.mrg_sort(b, queues, asc.MrgSort4Info([n0, n1, n2, n3], suspend, valid, reps))
    elif suspend:
        asc.mrg_sort(b, queues, [n0, n1, n2, n3], [0, 0, 0, 0], valid, reps, is_exhausted_suspension=True)
    else:
        sorted_num = [0, 0, 0, 0]
        asc.mrg_sort(b, sort_list=queues, element_count_list=[n0, n1, n2, n3], sorted_num=sorted_num, valid_bit=valid,
                     repeat_time=reps)
    m0, m1, m2, m3 = asc.get_mrg_sort_result()
    cg.set_value(0, m0)
    cg.set_value(1, m1)
    cg.set_value(2, m2)
    cg.set_value(3, m3)
    asc.data_copy(zg, b, room)


def queue_up(lens, dtype, seed):
    """Sorted queues, one behind the other, with their pairs and scores."""
    x = [np.sort(scores(n, dtype, seed + k))[::-1] for k, n in enumerate(lens)]
    flat = np.concatenate(x)
    return x, flat, pairs(flat, np.arange(len(flat)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("info", [False, True])
@pytest.mark.parametrize("valid", [3, 7, 15])
@pytest.mark.parametrize("suspend", [False, True])
def test_merge(dtype, info, valid, suspend):
    lens = [40, 33, 64, 7]
    x, flat, p = queue_up(lens, dtype, 3)
    room = 1024 * 8 // p.itemsize
    src, z, count = np.zeros(room, dtype), np.zeros(room, dtype), np.zeros(8, np.int32)
    src[:p.size] = p.ravel()
    used = sum(lens[:{3: 2, 7: 3, 15: 4}[valid]])
    merged[1](src, z, count, info, valid, 1, suspend, *lens, valid == 3, room)
    owner = np.repeat(range(4), lens)
    at = order(flat[:used])
    if suspend:
        left, n = list(lens), 0
        while all(left[k] for k in range(4) if valid >> k & 1):
            left[owner[at[n]]] -= 1
            n += 1
        at = at[:n]
    np.testing.assert_array_equal(z[:len(at) * p.shape[1]], p[at].ravel())
    assert not z[len(at) * p.shape[1]:].any()
    np.testing.assert_array_equal(count[:4], np.bincount(owner[at], minlength=4))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("info", [False, True])
def test_merge_repeats(dtype, info):
    n, reps = 16, 3
    parts = [queue_up([n] * 4, dtype, 5 + k) for k in range(reps)]
    src = np.concatenate([p.ravel() for _, _, p in parts] + [np.zeros(1024, dtype)])
    z, count = np.zeros_like(src), np.zeros(8, np.int32)
    merged[1](src, z, count, info, 15, reps, False, n, n, n, n, False, len(src))
    want = np.concatenate([p[order(flat)].ravel() for _, flat, p in parts])
    np.testing.assert_array_equal(z[:len(want)], want)
    assert not z[len(want):].any()


@asc.jit
def lengths(z: asc.GlobalAddress, n: int):
    zg = asc.GlobalTensor()
    zg.set_global_buffer(z)
    zg.set_value(0, asc.get_sort_len(100))
    zg.set_value(1, asc.get_sort_offset(n))
    zg.set_value(2, asc.get_sort_len(elem_count=n) + 1)


def test_lengths():
    z = np.zeros(8, np.int32)
    lengths[1](z, 7)
    np.testing.assert_array_equal(z[:3], [200, 14, 15])


@asc.jit
def proposals(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, w: asc.GlobalAddress, mode: int):
    xg, yg, zg, wg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    zg.set_global_buffer(z)
    wg.set_global_buffer(w)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 1024, 512)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4096, 512)
    d = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 8192, 512)
    e = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 16384, 64)
    asc.data_copy(a, xg, 64)
    asc.data_copy(b, yg, 512)
    asc.proposal_concat(b, a, repeat_time=4, mode_number=4)
    asc.rp_sort16(c, b, repeat_time=4)
    queues = asc.MrgSortSrcList(x.dtype, c, c[128:], c[256:], c[384:])
    asc.mrg_sort4(d, queues, asc.MrgSort4Info([16, 16, 16, 16], valid_bit=15))
    asc.proposal_extract(e, d, 4, mode)
    asc.data_copy(yg, c, 512)
    asc.data_copy(zg, d, 512)
    asc.data_copy(wg, e, 64)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("mode", [0, 4, 5])
def test_region_proposals(dtype, mode):
    x, y = scores(64, dtype), np.arange(512).astype(dtype).reshape(64, 8)
    z, w, rp = np.zeros_like(y), np.zeros(64, dtype), y.copy()
    proposals[1](x, y, z, w, mode)
    rp[:, 4] = x
    for k in range(0, 64, 16):
        np.testing.assert_array_equal(y[k:k + 16], rp[k:k + 16][order(x[k:k + 16])])
    np.testing.assert_array_equal(z, rp[order(x)])
    np.testing.assert_array_equal(w, z[:, mode])
