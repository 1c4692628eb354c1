"""What an operation of package asc does not take is an error with the line."""
import numpy as np
import pytest

import asc
from asc.codegen.errors import CodegenError


@asc.jit
def gathered(z: asc.GlobalAddress, dt: asc.ConstExpr, src: asc.ConstExpr, off: asc.ConstExpr):
    a = asc.LocalTensor(dt, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(src, asc.TPosition.VECIN, 0, 64)
    o = asc.LocalTensor(off, asc.TPosition.VECIN, 0, 64)
    asc.gather(a, b, o, 0, 64)


@asc.jit
def combined(z: asc.GlobalAddress, dt: asc.ConstExpr):
    asc.set_atomic_add(dt)


Z = np.zeros(8, np.float32)


def test_taken():
    gathered[1](Z, asc.uint16, asc.uint16, asc.uint32)
    combined[1](Z, asc.int8)


@pytest.mark.parametrize("dtypes, text", [
    ((asc.int8, asc.int8, asc.uint32), r"asc.gather\(\) does not take dst of int8; it takes int16 uint16 float16"),
    ((asc.uint8, asc.uint8, asc.uint32), r"does not take dst of uint8"),
    ((asc.float16, asc.int16, asc.uint32), r"src is of int16, but dst of float16; give both tensors one dtype"),
    ((asc.float16, asc.float16, asc.int32), r"does not take src_offset of int32; it takes uint32"),
])
def test_not_taken(dtypes, text):
    with pytest.raises(CodegenError, match=text):
        gathered[1](Z, *dtypes)


def test_dtypes_passed():
    with pytest.raises(CodegenError, match=r"asc.set_atomic_add\(\) does not take dtype of uint8"):
        combined[1](Z, asc.uint8)
