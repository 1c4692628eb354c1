"""What a vector instruction does to memory, in NumPy: for the tests of package asc."""
import numpy as np


def bits_of(lo, hi, lanes):
    return np.array([(lo | hi << 64) >> i & 1 for i in range(lanes)], bool)


def lanes_of(*dtypes):
    return 256 // max(np.dtype(d).itemsize for d in dtypes)


def index(dtype, lanes, rep, blk_stride, rep_stride):
    """Elements of the operand that a repeat's lanes are, from its start."""
    per = 32 // np.dtype(dtype).itemsize
    i = np.arange(lanes)
    return rep * rep_stride * per + i // per * blk_stride * per + i % per


def repeat(f, dst, sources, on, repeats, strides):
    """strides: a block stride per operand, then a repeat stride per operand; dst changes in place."""
    operands = [dst, *sources]
    lanes = len(on)
    for r in range(repeats):
        at = [index(o.dtype, lanes, r, strides[i], strides[len(operands) + i]) for i, o in enumerate(operands)]
        value = f(*(s[at[i + 1]] for i, s in enumerate(sources)), dst[at[0]])
        dst[at[0][on]] = np.asarray(value)[on].astype(dst.dtype)
