"""Stores of package asc that combine with what is in global memory."""
import ml_dtypes
import numpy as np
import pytest

import asc

DTYPES = [np.int8, np.int16, np.float16, ml_dtypes.bfloat16, np.int32, np.float32]
F = {"add": np.add, "max": np.maximum, "min": np.minimum}


@asc.jit
def combine(op: asc.ConstExpr, x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, padded: asc.ConstExpr[bool]):
    xg, zg = asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x + asc.get_block_idx() * n)
    zg.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    asc.data_copy(a, xg, n)
    op(x.dtype)
    if padded:
        asc.data_copy_pad(zg, a, asc.DataCopyParams(1, n * x.dtype.sizeof(), 0, 0))
    else:
        asc.data_copy(zg, a, n)
    asc.set_atomic_none()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", F)
@pytest.mark.parametrize("cores", [1, 16])
def test_cores_combine(dtype, name, cores):
    n = 480
    rng = np.random.default_rng(2)
    x = rng.integers(-3, 4, (cores, n)).astype(dtype)
    for padded in False, True:
        z = rng.integers(-3, 4, n).astype(dtype)
        want = z.astype(np.float64)
        for row in x:
            want = F[name](want, row.astype(np.float64))
        combine[cores](getattr(asc, f"set_atomic_{name}"), x, z, n, padded)
        np.testing.assert_array_equal(z.astype(np.float64), want)


@asc.jit
def configured(x: asc.GlobalAddress, z: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    xg, zg, yg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    xg.set_global_buffer(x)
    zg.set_global_buffer(z)
    yg.set_global_buffer(y)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    asc.data_copy(a, xg, n)
    asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_F16, asc.AtomicOp.ATOMIC_SUM)
    kind, op = asc.get_store_atomic_config()
    asc.data_copy(zg, a, n)
    asc.set_atomic_none()
    off, op2 = asc.get_store_atomic_config()
    yg.set_value(0, kind)
    yg.set_value(1, op)
    yg.set_value(2, off)
    asc.set_atomic_max(asc.float16)
    asc.set_atomic_type(asc.int16)
    kind, op = asc.get_store_atomic_config()
    yg.set_value(3, kind)
    yg.set_value(4, op)


def test_store_config():
    x, z, y = np.full(64, 1.5, np.float16), np.full(64, 2, np.float16), np.zeros(8, np.int32)
    configured[1](x, z, y, 64)
    np.testing.assert_array_equal(z, np.full(64, 3.5))
    np.testing.assert_array_equal(y[:5], [2, 0, 0, 3, 1])
