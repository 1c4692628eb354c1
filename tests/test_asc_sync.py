"""Cores of package asc that wait for each other."""
import numpy as np
import pytest

import asc


@asc.jit
def two_phases(x: asc.GlobalAddress, y: asc.GlobalAddress, rounds: int, how: asc.ConstExpr[int]):
    """Each round every core adds to its element what its left neighbour had."""
    xg, yg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    yg.set_global_buffer(y)
    i, n = asc.get_block_idx(), asc.get_block_num()
    work = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    for _ in range(rounds):
        yg.set_value(i * 16, xg.get_value((i + n - 1) % n * 16))
        if how == 0:
            asc.sync_all()
        elif how == 1:
            asc.sync_all(yg, work)
        else:
            asc.cross_core_set_flag(3, 0, asc.PipeID.PIPE_MTE3)
            asc.cross_core_wait_flag(3, 0, asc.PipeID.PIPE_MTE2)
        xg.set_value(i * 16, xg.get_value(i * 16) + yg.get_value(i * 16))
        if how == 0:
            asc.sync_all()
        elif how == 1:
            asc.sync_all(yg, work)
        else:
            asc.cross_core_set_flag(4, 0, asc.PipeID.PIPE_MTE3)
            asc.cross_core_wait_flag(4, 0, asc.PipeID.PIPE_MTE2)


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("cores", [1, 2, 7, 48])
def test_phases(cores, how):
    x = np.arange(1, cores * 16 + 1, dtype=np.int64)
    y = np.zeros_like(x)
    want = x[::16].copy()
    for _ in range(9):
        want = want + np.roll(want, 1)
    two_phases[cores](x, y, 9, how)
    np.testing.assert_array_equal(x[::16], want)


@asc.jit
def chained(out: asc.GlobalAddress, how: asc.ConstExpr[int]):
    """Core after core appends its number."""
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    i, n = asc.get_block_idx(), asc.get_block_num()
    work = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    if how == 0:
        asc.wait_pre_block(o, work)
    elif i > 0:
        asc.ib_wait(o, work, i - 1, 2)
    k = o.get_value(0)
    o.set_value(0, k + 1)
    o.set_value(1 + k, i)
    if how == 0:
        asc.notify_next_block(o, work)
    elif i < n - 1:
        asc.ib_set(o, work, i, 2)


@pytest.mark.parametrize("how", [0, 1])
@pytest.mark.parametrize("cores", [1, 3, 40])
def test_order(cores, how):
    for _ in range(5):
        out = np.zeros(64, np.int32)
        chained[cores](out, how)
        assert out[:cores + 1].tolist() == [cores, *range(cores)]


def test_waits_for_ever():
    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        work = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
        asc.ib_wait(o, work, 5, 0)
        o.set_value(0, 1)
    out = np.zeros(16, np.int32)
    with pytest.raises(RuntimeError, match=r"cores of 'kernel' wait for each other for ever, core \d of them in line \d+"):
        kernel[3](out)
    with pytest.raises(RuntimeError, match="for ever"):
        kernel[1](out)


def test_who_has_ended_is_not_waited_for():
    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        if asc.get_block_idx() != 1:
            asc.sync_all()
            o.set_value(asc.get_block_idx() * 16, 7)
    out = np.zeros(64, np.int32)
    kernel[4](out)
    assert out[::16].tolist() == [7, 0, 7, 7]


def test_many_times():
    x, y = np.zeros(64, np.int64), np.zeros(64, np.int64)
    for _ in range(50):
        x[:] = 1
        two_phases[4](x, y, 3, 0)
        assert (x[::16] == 8).all()
