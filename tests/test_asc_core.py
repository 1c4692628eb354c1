"""Tensors, shapes, arrays, queues and what a core tells of itself, in kernels of package asc."""
import numpy as np
import pytest

import asc
from asc.language.core.struct import Field, Struct, StructField


@asc.jit
def tensors(x: asc.GlobalAddress, out: asc.GlobalAddress):
    g, o = asc.GlobalTensor(), asc.GlobalTensor()
    g.set_global_buffer(x + 2, 30)
    o.set_global_buffer(out)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 64, 32)
    asc.data_copy(a, g, 24)
    o.set_value(0, g.get_size())
    o.set_value(1, g[4:].get_size())
    o.set_value(2, a.get_size())
    o.set_value(3, a.get_length())
    o.set_value(4, a.get_position())
    o.set_value(5, a[3].get_value(1))
    o.set_value(6, a(5).get_value(0))
    o.set_value(7, g.get_value(1))
    o.set_value(8, a[2:].get_phy_addr(1))
    a.set_size(8)
    o.set_value(9, a.get_size())
    a.set_buffer_len(48)
    o.set_value(10, a.get_size())
    o.set_value(11, a.get_user_tag())
    a.set_user_tag(77)
    o.set_value(12, a.get_user_tag())
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 8)
    b.set_addr_with_offset(a, 6)
    o.set_value(13, b.get_value(0))
    c = a.reinterpret_cast(asc.int16)
    o.set_value(14, c.get_size())
    o.set_value(15, c.get_value(2))
    a.set_value(0, 99)
    o.set_value(16, a.get_value(0))
    h = asc.GlobalTensor()
    h.set_global_buffer(g.get_phy_addr(3))
    h.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_NORMAL)
    o.set_value(17, h.get_value(0))
    m = asc.LocalMemAllocator(asc.Hardware.UB)
    d = m.alloc(asc.TPosition.VECIN, asc.int32, 5)
    e = m.alloc(asc.TPosition.VECIN, asc.int8, 3)
    o.set_value(18, m.get_cur_addr())
    o.set_value(19, e.get_phy_addr())
    o.set_value(20, d.get_size())


def test_tensors():
    x, out = np.arange(100, 132, dtype=np.int32), np.zeros(32, np.int32)
    tensors[1](x, out)
    v = x[2:]
    assert out[:21].tolist() == [30, 26, 32, 128, 11, v[4], v[5], v[1], 64 + 12, 8, 12, 0, 77, v[6], 24, v[1], 99, v[3], 64, 32, 5]


@asc.jit
def shapes(out: asc.GlobalAddress, k: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    a = asc.array(asc.int32, [3, 4, k])
    s = asc.ShapeInfo(a, asc.array(asc.int32, 2, 7), asc.DataFormat.ND)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    t.set_shape_info(s)
    o.set_value(0, asc.get_shape_size(s))
    o.set_value(1, t.get_shape_info().shape(2))
    o.set_value(2, s.original_shape(1))
    a[1] = 40
    o.set_value(3, a[k - 4] + len(a))
    n = 0
    for i in asc.static_range(1, 6, 2):
        n += i
    for i in asc.range(3):
        n += 10 * i
    o.set_value(4, n)
    o.set_value(5, asc.number(7.9, asc.int32))
    o.set_value(6, asc.ceildiv(k, 2) + k.ceildiv(3))
    o.set_value(7, (k > 3).logical_and(k < 9) + (k > 9).logical_or(k == 4))
    f = asc.float16
    o.set_value(8, f.is_float() + 2 * f.is_int() + 4 * f.is_numeric() + 8 * f.is_signed() + 16 * f.is_unsigned() + 32 * f.sizeof())
    o.set_value(9, asc.property(asc.TOTAL_L1_SIZE))
    asc.static_assert(2 > 1, "fine")
    o.set_value(10, asc.DataType("int16").sizeof())
    o.set_value(11, k.cast(asc.int64))


def test_shapes_and_numbers():
    out = np.zeros(16, np.int32)
    shapes[1](out, 5)
    assert out[:12].tolist() == [60, 5, 7, 43, 9 + 30, 7, 3 + 2, 1, 1 + 4 + 8 + 64, 512 * 1024, 2, 5]


@asc.jit
def queues(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    pipe = asc.TPipe()
    q = asc.TQue(asc.TPosition.VECIN, 2)
    buf = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(que=q, num=2, len=60)
    pipe.init_buffer(buf=buf, num=100)
    o.set_value(0, q.has_idle_buffer())
    a = q.alloc_tensor(asc.int32)
    b = q.alloc_tensor(asc.int32)
    o.set_value(1, q.has_idle_buffer())
    o.set_value(2, a.get_size())
    o.set_value(20, a.get_position() * 100 + buf.get(asc.int8).get_position())
    a.set_value(0, 11)
    b.set_value(0, 22)
    o.set_value(3, q.has_tensor_in_que())
    q.enque(a)
    q.enque(b)
    o.set_value(4, q.get_tensor_count_in_que())
    o.set_value(5, q.vacant_in_que())
    c = q.deque(asc.int32)
    o.set_value(6, c.get_value(0))
    q.free_tensor(c)
    d = asc.LocalTensor(asc.int32)
    q.deque(d)
    o.set_value(7, d.get_value(0))
    q.free_tensor(d)
    q.free_all_event()
    o.set_value(8, buf.get(asc.int32).get_size())
    o.set_value(9, buf.get(asc.int8, 12).get_size())
    o.set_value(10, buf.get_with_offset(4, 32, asc.int32).get_phy_addr())
    e = pipe.alloc_event_id(asc.HardEvent.V_S)
    o.set_value(11, e)
    o.set_value(12, pipe.fetch_event_id(asc.HardEvent.V_S))
    asc.get_tpipe_ptr().release_event_id(e, asc.HardEvent.V_S)
    o.set_value(13, pipe.fetch_event_id(asc.HardEvent.V_S))
    o.set_value(14, pipe.get_base_addr(asc.TPosition.VECIN))
    pipe.reset()
    p = asc.TBufPool(asc.TPosition.VECCALC, 4)
    s = asc.TBufPool(asc.TPosition.VECCALC, 4)
    pipe.init_buf_pool(p, 256)
    pipe.init_buf_pool(s, 256, p)
    r = asc.TBuf(asc.TPosition.VECCALC)
    p.init_buffer(buf=r, len=64)
    u = asc.TBuf(asc.TPosition.VECCALC)
    p.init_buffer(buf=u, len=64)
    w = asc.TBuf(asc.TPosition.VECCALC)
    s.init_buffer(buf=w, len=64)
    o.set_value(15, u.get(asc.int8).get_phy_addr() - r.get(asc.int8).get_phy_addr())
    o.set_value(16, w.get(asc.int8).get_phy_addr() - r.get(asc.int8).get_phy_addr())
    p.reset()
    pipe.destroy()


def test_queues():
    out = np.zeros(32, np.int32)
    queues[1](out)
    assert out[20] == 900 + 11
    assert out[:17].tolist() == [1, 0, 16, 0, 2, 0, 11, 22, 32, 12, 128 + 32, 0, 1, 0, 0, 64, 0]


@asc.jit
def lists(table: asc.GlobalAddress, out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    t = asc.ListTensorDesc(data=table, length=0xffffffff, shape_size=0xffffffff)
    o.set_value(0, t.get_size())
    g = asc.GlobalTensor()
    g.set_global_buffer(t.get_data_ptr(1, asc.int32))
    o.set_value(1, g.get_value(2))
    d = asc.TensorDesc(asc.int32)
    d.set_shape_addr(0)
    t.get_desc(d, 1)
    o.set_value(2, d.get_dim())
    o.set_value(3, d.get_index())
    o.set_value(4, d.get_shape(0) * 10 + d.get_shape(1))
    o.set_value(5, d.get_data_obj().get_value(1))
    h = asc.GlobalTensor()
    h.set_global_buffer(d.get_data_ptr())
    o.set_value(6, h.get_value(0))


def test_lists_of_tensors():
    one, two = np.arange(4, dtype=np.int32), np.arange(50, 56, dtype=np.int32)
    head = [8 * 6, 1 | 0 << 32, 4, 2 | 1 << 32, 2, 3]  # bytes before the addresses; dimensions and extents of each
    table = np.array([*head, one.ctypes.data, two.ctypes.data], np.uint64)
    out = np.zeros(16, np.int32)
    lists[1](table, out)
    assert out[:7].tolist() == [2, 52, 2, 1, 23, 51, 50]


@asc.jit
def system(out: asc.GlobalAddress, v: int, f: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    i = asc.get_block_idx() * 16
    o.set_value(i, asc.get_block_num())
    o.set_value(i + 1, asc.ascend_is_aiv() + 2 * asc.ascend_is_aic())
    o.set_value(i + 2, asc.get_sub_block_idx() + 10 * asc.get_sub_block_num() + 100 * asc.get_task_ratio())
    o.set_value(i + 3, asc.get_data_block_size_in_bytes())
    o.set_value(i + 4, asc.get_system_cycle() > 0)
    o.set_value(i + 5, asc.scalar_cast(f, asc.int32, asc.RoundMode.CAST_ROUND))
    o.set_value(i + 6, asc.scalar_cast(f, asc.int32, asc.RoundMode.CAST_FLOOR))
    o.set_value(i + 7, asc.scalar_get_sff_value(v, 1) * 100 + asc.scalar_get_sff_value(v, 0))
    o.set_value(i + 8, asc.scalar_get_count_of_value(v, 1) * 100 + asc.scalar_get_count_of_value(v, 0))
    o.set_value(i + 9, asc.scalar_count_leading_zero(v))
    o.set_value(i + 10, asc.count_bits_cnt_same_as_sign_bit(v))
    asc.set_sys_workspace(out + 3)
    w = asc.GlobalTensor()
    w.set_global_buffer(asc.get_sys_workspace())
    asc.set_hccl_context(1, out)
    asc.get_hccl_context(1)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_sync_barrier(asc.MemDsbT.ALL)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, o)
    asc.data_cache_preload(o, 0)
    asc.icache_preload(1)
    asc.init_soc_state()
    o.set_value(i + 11, asc.get_icache_preload_status())


def test_system():
    out = np.zeros(48, np.int32)
    system[3](out, 0b1011000, 2.5)
    for i in range(3):
        assert out[16 * i:16 * i + 12].tolist() == [3, 1, 110, 32, 1, 3, 2, 3 * 100 + 0, 3 * 100 + 61, 57, 56, 0]


@asc.jit
def half_rounding(out: asc.GlobalAddress, f: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, asc.scalar_cast(f, asc.float16, asc.RoundMode.CAST_FLOOR))
    o.set_value(1, asc.scalar_cast(f, asc.float16, asc.RoundMode.CAST_CEIL))
    o.set_value(2, asc.scalar_cast(f, asc.float16, asc.RoundMode.CAST_TRUNC))
    o.set_value(3, asc.scalar_cast(f, asc.float16, asc.RoundMode.CAST_ODD))
    o.set_value(4, asc.scalar_cast(f, asc.float16, asc.RoundMode.CAST_ROUND))
    o.set_value(5, asc.scalar_cast(f, asc.float16, asc.RoundMode.CAST_RINT))


@pytest.mark.parametrize("f", [1.0, 1.0001, -1.0001, 1 + 2**-11, -1 - 2**-11, 1 + 3 * 2**-11, 1e-6, -1e-7])
def test_scalar_cast_to_half(f):
    out = np.zeros(16, np.float16)
    half_rounding[1](out, f)
    near = np.float16(f)
    low = near if float(near) <= f else np.nextafter(near, np.float16(-np.inf))
    high = near if float(near) >= f else np.nextafter(near, np.float16(np.inf))
    toward, away = (low, high) if f > 0 else (high, low)
    odd = near if float(near) == f else next(h for h in (low, high) if h.view(np.uint16) & 1)
    tie = float(low) + float(high) == 2 * f and low != high
    assert out[:6].tolist() == [low, high, toward, odd, away if tie else near, near]


class Inner(Struct):
    k = Field(asc.int32, default=5)


class Outer(Struct, pack=1):
    flag = Field(asc.int8)
    scale = Field(asc.float32, default=1.5)
    inner = StructField(Inner)


@asc.jit
def structs(s: Outer, out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    own = Inner(k=s.flag + 1)
    own.k += s.inner.k
    o.set_value(0, own.k * s.scale)


def test_structs():
    out = np.zeros(8, np.float32)
    structs[1](Outer(flag=3, scale=2.0), out)
    assert out[0] == 18
    structs[1](Outer(flag=3, inner=Inner(k=1)), out)
    assert out[0] == 7.5
    assert Outer(flag=3).pack() == b"\x03" + np.float32(1.5).tobytes() + np.int32(5).tobytes()
    with pytest.raises(TypeError, match="missing the field 'flag'"):
        Outer()
    with pytest.raises(TypeError, match="no field 'x'"):
        Outer(flag=1, x=2)


def test_printf(capfd):
    @asc.jit
    def kernel(x: asc.GlobalAddress, k: int, f: float):
        t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 8)
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        asc.data_copy(t, g, 8)
        asc.printf("k=%d f=%.2f %5d|%-4d|%% %x\n", k, f, k, k, k)
        asc.dump_tensor(t, 9, 3)
        asc.dump_acc_chk_point(g, 1, 2, 2)
        asc.print_time_stamp(4)
        t.print(2)
    kernel[1](np.arange(8, dtype=np.int32), 26, 1.25)
    import ctypes
    ctypes.CDLL(None).fflush(None)
    text = capfd.readouterr().out
    assert "k=26 f=1.25    26|26  |% 1a\n" in text
    assert "[0, 1, 2]" in text and "[2, 3]" in text and "[0, 1]" in text and "desc=9" in text


def test_messages():
    def error(f, *args):
        with pytest.raises(asc.runtime.jit.CodegenError) as e:
            asc.jit(f)[1](*args)
        return str(e.value)

    x = np.zeros(8, np.float32)

    def no_buffer(x):
        g = asc.GlobalTensor()
        g.get_value(0)

    def wrong(x):
        asc.add(x, 3)

    def false(x):
        assert x.dtype == asc.int32, "int32 only"

    def end(x):
        t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 8)
        t[0:4]

    def floats(x):
        t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 8)
        asc.bitwise_and(t, t, t, 8)

    assert "asc.bitwise_and() does not take dst of float32; it takes int8" in error(floats, x)
    assert "no memory yet" in error(no_buffer, x)
    assert "asc.add() does not take" in error(wrong, x) and "add(dst, src0, src1, count" in error(wrong, x)
    assert "AssertionError: int32 only" in error(false, x)
    assert "a view of a tensor has a start only" in error(end, x)
    with pytest.raises(ValueError, match="core_num is 0"):
        asc.jit(false)[0](x)
    with pytest.raises(RuntimeError, match="option names are unknown: fast"):
        asc.jit(fast=True)(false)
    with pytest.raises(TypeError, match="not supported: dict"):
        asc.jit(false)[1]({})
