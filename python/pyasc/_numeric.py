"""Types of numbers in interpreted kernels, and values of a type: the rules of src/base/dtype.c in Python.

WINT and WFLT are the weak types, of literals and Python's numbers: they take the type of what they meet.
"""
import math
import struct
import threading

from . import _dtype
from ._dtype import DType, bool_, float16, bfloat16, float32, float64, int32, int64, uint64

WINT, WFLT = DType("wint", 8, "i"), DType("wflt", 8, "f")
TYPES = {d.name: d for d in (*_dtype.ALL, WINT, WFLT)}


class _Now(threading.local):
    """What the thread interprets: the work-item (None outside), inside how many `try`, parallel bodies and locks."""

    item = None
    tries = parallel = locks = 0
    check = False


now = _Now()


# Values of a type.

def _wrap_signed(bits):
    half, mask = 1 << (bits - 1), (1 << bits) - 1
    return lambda v: ((v + half) & mask) - half


def _wrap_unsigned(bits):
    mask = (1 << bits) - 1
    return lambda v: v & mask


_f32, _f16, _u32 = struct.Struct("<f"), struct.Struct("<e"), struct.Struct("<I")


def _round32(v):
    try:
        return _f32.unpack(_f32.pack(v))[0]
    except OverflowError:
        return math.copysign(math.inf, v)


def _round16(v):
    try:
        return _f16.unpack(_f16.pack(v))[0]
    except OverflowError:
        return math.copysign(math.inf, v)


def _round_bf16(v):
    if not math.isfinite(v):
        return v
    near = _round32(v)
    bits, = _u32.unpack(_f32.pack(near))
    if near != v:  # to odd first: then the second rounding cannot go wrong
        bits = (bits - (abs(near) > abs(v))) | 1
    bits = (bits + (bits >> 16 & 1) + 0x7fff) & 0xffff0000
    return _f32.unpack(_u32.pack(bits))[0]


def _int_to_float32(v):
    extra = abs(v).bit_length() - 24
    if extra > 29:  # a double would round once, and float32 again
        a = abs(v)
        q, rest, half = a >> extra, a & ((1 << extra) - 1), 1 << (extra - 1)
        q += rest > half or (rest == half and q & 1)
        v = math.copysign(q << extra, v)
    return _round32(float(v))


def _identity(v):
    return v


FIT = {d.name: (_wrap_unsigned if d.kind == "u" else _wrap_signed)(8 * d.itemsize) for d in TYPES.values() if d.kind in "iu"}
FIT["bool"] = _identity
ROUND = {"float16": _round16, "bfloat16": _round_bf16, "float32": _round32, "float64": float, "wflt": float}
_LIMITS = {d.name: (-(1 << (8 * d.itemsize - 1)), (1 << (8 * d.itemsize - 1)) - 1) if d.kind == "i"
           else (0, (1 << (8 * d.itemsize)) - 1) for d in TYPES.values() if d.kind in "iu"}


def _saturate(name):
    low, high = _LIMITS[name]

    def convert(v):
        if v != v:
            return 0
        return low if v <= low else high if v >= high else int(v)
    return convert


def conversion(to, of):
    """The function that makes a value of type `of` one of type `to`; None where it is the same value."""
    if to is of:
        return None
    if to is bool_:
        return lambda v: v != 0
    if to.kind == "f":
        if of.kind == "f":
            return None if to.itemsize > of.itemsize or to in (float64, WFLT) else ROUND[to.name]
        return _int_to_float32 if to is float32 else lambda v: ROUND[to.name](float(v))
    if of.kind == "f":
        return _saturate(to.name)
    if of is bool_:
        return int
    return FIT[to.name]


_conversions = {}


def convert(to, of, value):
    """value of type `of` as one of type `to`."""
    try:
        f = _conversions[to.name, of.name]
    except KeyError:
        f = _conversions[to.name, of.name] = conversion(to, of)
    return value if f is None else f(value)


# The types in which operations compute.

def compute(a):
    """The arithmetic type of one operand."""
    if a is bool_:
        return int64
    if a.kind in "iu" and a.itemsize < 4:
        return int32
    return float32 if a in (float16, bfloat16) else a


def join(a, b):
    """The type in which an operation on a and b computes."""
    if a is bool_ and b is not bool_:
        a, b = b, a
    a = compute(a)
    if b is bool_:
        return int64 if a is WINT else a
    b = compute(b)
    if a is WINT:
        return b
    if b is WINT or a is b:
        return a
    if a.kind == "f" and b.kind == "f":
        return a if b is WFLT else b if a is WFLT else float64
    if a.kind == "f" or b.kind == "f":
        return float32 if WFLT in (a, b) else a if a.kind == "f" else b
    return uint64 if uint64 in (a, b) else int64


def lub(a, b):
    """The type of a value that is of type a or of type b."""
    return a if a is b else join(a, b)


def to_float(a):
    """The type in which a function of one float computes."""
    return compute(a) if a.kind == "f" else WFLT if a is WINT else float32
