"""Element types, and what they hold."""
from collections import namedtuple

from . import _core


class DType:
    """An element type. Calling it casts: `pyasc.float16(x)` of a tensor, or of a number in a kernel."""

    __slots__ = ("__pyasc_dtype__", "name", "itemsize", "kind")

    def __init__(self, name, itemsize, kind):
        self.name = name.rstrip("_")
        self.itemsize = itemsize
        self.kind = kind  # b bool, i signed, u unsigned, f float
        self.__pyasc_dtype__ = name

    def __repr__(self):
        return f"pyasc.{self.name}"

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        try:
            return to_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.__pyasc_dtype__)

    def __reduce__(self):
        return to_dtype, (self.name,)

    def __call__(self, x):
        from ._tensor import asarray
        return asarray(x, dtype=self, copy=True)


_ROWS = [("bool_", 1, "b"), ("int8", 1, "i"), ("int16", 2, "i"), ("int32", 4, "i"), ("int64", 8, "i"),
         ("uint8", 1, "u"), ("uint16", 2, "u"), ("uint32", 4, "u"), ("uint64", 8, "u"), ("float16", 2, "f"),
         ("bfloat16", 2, "f"), ("float32", 4, "f"), ("float64", 8, "f")]
for _row in _ROWS:
    globals()[_row[0]] = DType(*_row)
__all__ = [row[0] for row in _ROWS]
ALL = tuple(globals()[name] for name in __all__)
__all__ += ["isdtype", "finfo", "iinfo"]
_BY_NAME = {d.name: d for d in ALL}
_BY_TYPE = {bool: _BY_NAME["bool"], int: _BY_NAME["int64"], float: _BY_NAME["float32"]}


def to_dtype(x):
    """The DType that x names: a DType, its name, bool, int, float, or a dtype of NumPy, torch or ml_dtypes."""
    if isinstance(x, DType):
        return x
    if isinstance(x, type) and x in _BY_TYPE:
        return _BY_TYPE[x]
    name = x if isinstance(x, str) else getattr(x, "name", None) or getattr(x, "__name__", None) or str(x)
    name = name.split(".")[-1].rstrip("_")
    if name not in _BY_NAME:
        raise TypeError(f"{x!r} is not an element type of pyasc; write one of {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def _of(x):
    """The DType of an array, or that x names."""
    return to_dtype(x if isinstance(x, (type, str)) else getattr(x, "dtype", x))


def isdtype(dtype, kind):
    """Is dtype the dtype kind, of the kind that the string names, or one of a tuple of these?

    kind: 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating' (none is),
    'numeric'. ValueError for another string.
    """
    dtype = to_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: {kind!r} is no kind; write one of {', '.join(_KINDS)}")
        return dtype.kind in _KINDS[kind]
    return dtype is to_dtype(kind)


_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
          "complex floating": "", "numeric": "iuf"}
_FInfo = namedtuple("finfo_object", "bits eps max min smallest_normal dtype")
_IInfo = namedtuple("iinfo_object", "bits max min dtype")
_FORMATS = {"float16": (11, 15), "bfloat16": (8, 127), "float32": (24, 127), "float64": (53, 1023)}


def finfo(type, /):
    """Limits of a float dtype, or of an array's: bits, eps, max, min, smallest_normal (floats) and dtype.

    TypeError where it is no float.
    """
    d = _of(type)
    if d.kind != "f":
        raise TypeError(f"finfo: {d.name} is no float")
    digits, top = _FORMATS[d.name]
    eps = 2.0 ** (1 - digits)
    big = (2.0 - eps) * 2.0 ** top
    return _FInfo(8 * d.itemsize, eps, big, -big, 2.0 ** (1 - top), d)


def iinfo(type, /):
    """Limits of an integer dtype, or of an array's: bits, max, min (ints) and dtype. TypeError where it is none."""
    d = _of(type)
    if d.kind not in "iu":
        raise TypeError(f"iinfo: {d.name} is no integer type")
    bits, signed = 8 * d.itemsize, d.kind == "i"
    return _IInfo(bits, 2 ** (bits - signed) - 1, -2 ** (bits - 1) if signed else 0, d)


def register(hooks):
    _core.register(ALL, hooks)
