"""What tensors do in Python: operators, methods, subscripts, and how they meet NumPy, pickle, repr and the array API."""
from . import _core, _maps
from ._core import Tensor
from ._dtype import ALL, float32, int64, isdtype, register, to_dtype, uint16
from ._tensor import _on, asarray, cast, contiguous_strides, copy, empty, matrix_transpose, ravel, reshape, transpose

__all__ = ["__array_namespace_info__"]


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("this needs NumPy: pip install numpy") from None
    return numpy


def to_numpy(t):
    """A NumPy array over the memory of t. bfloat16 needs ml_dtypes."""
    numpy = _numpy()
    if t.dtype.name != "bfloat16":
        return numpy.asarray(memoryview(t))
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError("NumPy has no bfloat16: pip install ml_dtypes, or cast to pyasc.float32 first") from None
    return numpy.asarray(memoryview(t._as(uint16))).view(ml_dtypes.bfloat16)


def _array(t, dtype=None, copy=None):
    a = to_numpy(t)
    if dtype is not None and a.dtype != dtype:
        if copy is False:
            raise ValueError("another dtype needs a copy")
        return a.astype(dtype)
    return a.copy() if copy else a


def _rebuild(name, shape, data):
    dtype = to_dtype(name)
    t = empty(shape, dtype=dtype)
    if t.size:
        memoryview(t._as(to_dtype(f"uint{8 * dtype.itemsize}"))).cast("B")[:] = data
    return t


def _reduce(t):
    c = copy(t)
    data = bytes(memoryview(c._as(to_dtype(f"uint{8 * c.itemsize}"))).cast("B")) if c.size else b""
    return _rebuild, (t.dtype.name, t.shape, data)


def _text(values, depth):
    if not isinstance(values, list):
        return f"{values:g}" if isinstance(values, float) else str(values)
    inner = [_text(v, depth + 1) for v in values]
    return "[" + (", " if not values or not isinstance(values[0], list) else ",\n" + " " * (depth + 8)).join(inner) + "]"


def _repr(t):
    wide = cast(t, float32) if t.dtype.name in ("float16", "bfloat16") else t
    try:
        text = _numpy().array2string(to_numpy(wide), separator=", ", prefix="tensor(")
    except ImportError:
        text = _text(t.tolist(), 0)
    extra = f", shape={t.shape}" if 0 in t.shape else ""
    return f"tensor({text}{extra}, dtype={t.dtype.name})"


def _plain(key):
    return to_numpy(key) if isinstance(key, Tensor) else tuple(map(_plain, key)) if isinstance(key, tuple) else key


def _getitem(t, key):
    """Masks and arrays of integers: NumPy's advanced indexing, a copy."""
    raw = t._as(uint16) if t.dtype.name == "bfloat16" else t
    got = _core.share(_numpy().asarray(to_numpy(raw)[_plain(key)]))
    return got._as(t.dtype)


def _setitem(t, key, value):
    raw = t._as(uint16) if t.dtype.name == "bfloat16" else t
    to_numpy(raw)[_plain(key)] = to_numpy(asarray(value, dtype=t.dtype)._as(raw.dtype))


def _assign(view, value):
    _maps.map_into("assignment", _maps.COPY, "?s", view, value)


def _fill(t, value):
    """Set every element to value."""
    _assign(t, value)
    return t


def _lazy_method(module, name):
    """A method that is pyasc's function of that name."""
    def method(self, *args, **kwargs):
        import pyasc
        return getattr(pyasc, name)(self, *args, **kwargs)
    method.__name__ = name
    method.__doc__ = f"pyasc.{name}(self, ...)"
    return method


def _operators():
    m = _maps
    rows = {"add": m.add, "sub": m.sub, "mul": m.mul, "truediv": m.div, "floordiv": m.floor_div, "mod": m.mod,
            "pow": m.pow, "and": m.bitwise_and, "or": m.bitwise_or, "xor": m.bitwise_xor,
            "lshift": m.bitwise_left_shift, "rshift": m.bitwise_right_shift}

    def operand(x):
        return isinstance(x, (Tensor, bool, int, float)) or hasattr(type(x), "__dlpack__") or hasattr(x, "__array__")

    def install(name, f):
        def forward(self, other):
            return f(self, other) if operand(other) else NotImplemented

        def backward(self, other):
            return f(other, self) if operand(other) else NotImplemented

        def inplace(self, other):
            return f(self, other, out=self) if operand(other) else NotImplemented
        setattr(Tensor, f"__{name}__", forward)
        setattr(Tensor, f"__r{name}__", backward)
        setattr(Tensor, f"__i{name}__", inplace)

    def compare(name, f, otherwise):
        def method(self, other):
            return f(self, other) if operand(other) else otherwise
        setattr(Tensor, f"__{name}__", method)
    for name, f in rows.items():
        install(name, f)
    for name, f in (("lt", m.less), ("le", m.less_equal), ("gt", m.greater), ("ge", m.greater_equal),
                    ("eq", m.equal), ("ne", m.not_equal)):
        compare(name, f, NotImplemented)
    Tensor.__neg__ = lambda self: m.neg(self)
    Tensor.__pos__ = lambda self: copy(self)
    Tensor.__abs__ = lambda self: m.abs(self)
    Tensor.__complex__ = lambda self: complex(float(self))
    Tensor.__invert__ = lambda self: m.bitwise_invert(self)

    def matmul(self, other):
        import pyasc
        return pyasc.matmul(self, other) if operand(other) else NotImplemented

    def rmatmul(self, other):
        import pyasc
        return pyasc.matmul(other, self)

    def imatmul(self, other):
        import pyasc
        return pyasc.matmul(self, other, out=self) if operand(other) else NotImplemented
    Tensor.__matmul__, Tensor.__rmatmul__, Tensor.__imatmul__ = matmul, rmatmul, imatmul


def _install():
    register({"copy": _maps.COPY.get(), "assign": _assign, "getitem": _getitem, "setitem": _setitem,
              "asarray": asarray})
    _operators()
    for name in ("sum prod max min mean argmax argmin cumsum all any var std reshape squeeze expand_dims cast astype "
                 "dot exp log sqrt sin cos tanh sigmoid relu clip round floor ceil softmax").split():
        setattr(Tensor, name, _lazy_method("pyasc", name))

    def transposed(self, *axes):
        return transpose(self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None)

    def reshaped(self, *shape, copy=None):
        return reshape(self, shape[0] if len(shape) == 1 else shape, copy=copy)
    Tensor.transpose, Tensor.reshape = transposed, reshaped
    Tensor.T = property(lambda self: transpose(self), doc="The dimensions reversed: a view.")
    Tensor.mT = property(matrix_transpose, doc="The last two dimensions exchanged: a view.")
    Tensor.nbytes = property(lambda self: self.size * self.itemsize, doc="Bytes of the elements.")
    Tensor.device = "cpu"
    Tensor.copy = lambda self: copy(self)
    Tensor.contiguous = lambda self: self if self._is_contiguous() else copy(self)
    Tensor.flatten = lambda self: copy(ravel(self))
    Tensor.ravel = ravel
    Tensor.fill = _fill
    Tensor.numpy = to_numpy
    Tensor.__array__ = _array
    Tensor.__array_priority__ = 1000
    Tensor._is_contiguous = lambda self: self.strides == contiguous_strides(self.shape, self.itemsize)
    Tensor.__reduce__ = _reduce
    Tensor.__repr__ = _repr
    Tensor.__array_namespace__ = _namespace
    Tensor.to_device = _to_device


def _to_device(self, device, /, *, stream=None):
    """self; ValueError for a device but 'cpu'."""
    _on(device)
    return self


def _namespace(self, /, *, api_version=None):
    """The module pyasc."""
    import pyasc
    return pyasc


class _Info:
    """What the array API standard asks a namespace about itself."""

    def capabilities(self):
        """What is there: masks as subscripts, shapes that depend on values, and how many dimensions at most."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 15}

    def default_device(self):
        """'cpu'."""
        return "cpu"

    def devices(self):
        """['cpu']."""
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        """The dtypes of numbers and of indices."""
        _on(device)
        return {"real floating": float32, "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes (so without halves) by name; kind: those of which isdtype(dtype, kind) is true."""
        _on(device)
        return {d.name: d for d in ALL if d.name not in ("float16", "bfloat16") and (kind is None or isdtype(d, kind))}


def __array_namespace_info__():
    """Facts about this module: capabilities, default_device, devices, default_dtypes, dtypes (methods)."""
    return _Info()


_install()
