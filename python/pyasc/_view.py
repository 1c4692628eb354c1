"""Memory of interpreted kernels: tensors with typed elements, and vectors.

A View is a tensor inside the body. Its elements are Scalars; slices are Views, and arithmetic of whole Views is done by
pyasc's operations on tensors, after a cast to the type in which the kernel computes.
"""
import struct

from . import _core
from ._dtype import bfloat16, bool_, float16, int64, to_dtype, uint16
from ._numeric import compute, convert, join, lub, to_float
from ._scalar import BINARY, Scalar, binary, binary_type, cast, operand, unary
from ._tensor import Tensor, cast as cast_tensor, full

_half, _bits, _single, _word = struct.Struct("<e"), struct.Struct("<H"), struct.Struct("<f"), struct.Struct("<I")


def _reader(dtype, memory):
    if dtype is float16:
        return lambda at: _half.unpack(_bits.pack(memory[at]))[0]
    if dtype is bfloat16:
        return lambda at: _single.unpack(_word.pack(memory[at] << 16))[0]
    return memory.__getitem__


def _writer(dtype, memory):
    if dtype is float16:
        def write(at, v):
            memory[at] = _bits.unpack(_half.pack(v))[0]
    elif dtype is bfloat16:
        def write(at, v):
            memory[at] = _word.unpack(_single.pack(v))[0] >> 16
    else:
        write = memory.__setitem__
    return write


class View:
    """A tensor as an interpreted kernel sees it: v[i, j] is a Scalar, slices are Views of the same memory.

    IndexError for a subscript out of range, whatever the options; ValueError for a store to read-only memory.
    """

    __slots__ = ("tensor", "name", "dtype", "_extent", "_read", "_write")
    __array_ufunc__ = None
    __hash__ = None

    def __init__(self, tensor, name="the tensor"):
        self.tensor, self.name, self.dtype = tensor, name, tensor.dtype
        self._extent = tensor.shape
        memory = memoryview(tensor._as(uint16) if tensor.dtype in (float16, bfloat16) else tensor)
        self._read = _reader(tensor.dtype, memory)
        self._write = _writer(tensor.dtype, memory)

    @property
    def shape(self):
        """The extents, int64 Scalars."""
        return tuple(Scalar(int64, n) for n in self._extent)

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self._extent)

    @property
    def size(self):
        """The number of elements, an int64 Scalar."""
        return Scalar(int64, self.tensor.size)

    def __len__(self):
        if not self._extent:
            raise TypeError("a tensor without dimensions has no len()")
        return self._extent[0]

    def __bool__(self):
        return bool(self.tensor)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return repr(self.tensor)

    def __array__(self, dtype=None, copy=None):
        return self.tensor.__array__(dtype, copy)

    def __dlpack__(self, **kwargs):
        return self.tensor.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def _at(self, key):
        """The place of one element, or None for a part of the tensor."""
        keys = key if type(key) is tuple else (key,)
        if len(keys) != len(self._extent):
            return None
        place = []
        for axis, (k, n) in enumerate(zip(keys, self._extent)):
            if type(k) is Scalar:
                k = k.__index__()
            elif type(k) is not int:
                if not hasattr(k, "__index__") or isinstance(k, (View, Tensor)):
                    if isinstance(k, float):
                        raise TypeError("an index is a float, not an integer; cast with int(x), or divide with //")
                    return None
                k = k.__index__()
            if not -n <= k < n:
                raise IndexError(f"index {k} is out of range for axis {axis} of {self.name!r}, whose extent is {n}")
            place.append(k)
        return place[0] if len(place) == 1 else tuple(place)

    def __getitem__(self, key):
        place = self._at(key)
        if place is None:
            return wrap(self.tensor[unwrap(key)], self.name)
        return Scalar(self.dtype, self._read(place))

    def __setitem__(self, key, value):
        if self.tensor.readonly:
            raise ValueError(f"parameter {self.name!r} is read-only and the kernel writes it; pass a copy")
        place = self._at(key)
        if place is None:
            self.tensor[unwrap(key)] = as_tensor(value)
        else:
            self._write(place, cast(self.dtype, value).value)

    def __getattr__(self, name):
        got = getattr(self.tensor, name)
        if isinstance(got, Tensor):
            return wrap(got, self.name)
        if not callable(got):
            return got
        f = getattr(type(self.tensor), name)
        call = computed(f)

        def method(*args, **kwargs):
            return call(self, *args, **kwargs)
        method.__pyasc_here__ = True
        return method


def wrap(x, name="the tensor"):
    """What the body sees of a result: Views for tensors, Scalars for those without dimensions; tuples by element."""
    if isinstance(x, Tensor):
        return View(x, name) if x.ndim else Scalar(x.dtype, x.item())
    if type(x) in (tuple, list):
        return type(x)(wrap(v, name) for v in x)
    return x


def unwrap(x):
    """What Python's functions see of a value of the body: tensors for Views, numbers for Scalars."""
    if type(x) is View:
        return x.tensor
    if type(x) is Scalar:
        return x.value
    if type(x) is slice:
        return slice(unwrap(x.start), unwrap(x.stop), unwrap(x.step))
    if type(x) in (tuple, list):
        return type(x)(map(unwrap, x))
    return x


def as_tensor(x, dtype=None):
    """The tensor of a View, or one without dimensions of a number, as dtype if one is given."""
    if isinstance(x, View):
        x = x.tensor
    if isinstance(x, Tensor):
        return x if dtype is None or x.dtype is dtype else cast_tensor(x, dtype)
    got = operand(x)
    if got is None:
        shared = _core.share(x)
        if shared is None:
            raise TypeError(f"a {type(x).__name__} stands where a tensor or a number is needed")
        return as_tensor(shared, dtype)
    of, value = got
    dtype = dtype or {"wint": int64, "wflt": to_dtype("float64")}.get(of.name, of)
    return full((), convert(dtype, of, value), dtype=dtype)


def dtype_of(x):
    """The dtype of a View, tensor or number."""
    got = operand(x)
    return got[0] if got else to_dtype(x.dtype)


_EAGER = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "floordiv": "floor_div", "mod": "mod", "pow": "pow",
          "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
          "rshift": "bitwise_right_shift", "max": "maximum", "min": "minimum", "atan2": "atan2", "inv": "bitwise_invert"}


def _pyasc(name):
    import pyasc
    return getattr(pyasc, name)


def is_whole(*args):
    """Is one of them a View?"""
    return any(type(x) is View for x in args)


def whole(name, x, y):
    """A binary operation of Views, or of a View and a number, element by element."""
    dtype = binary_type(name, dtype_of(x), dtype_of(y))
    return wrap(_pyasc(_EAGER[name])(as_tensor(x, dtype), as_tensor(y, dtype)))


def whole_unary(name, x):
    """A function of each element of a View."""
    dtype = x.dtype
    if name in ("floor", "ceil", "trunc", "round"):
        if dtype.kind != "f":
            return x
        dtype = compute(dtype)
    elif name in ("neg", "abs", "inv"):
        dtype = dtype if dtype is bool_ and name == "inv" else compute(dtype)
    else:
        dtype = to_float(dtype)
    return wrap(_pyasc(_EAGER.get(name, name))(as_tensor(x, dtype)))


def whole_where(c, x, y):
    """x where c is true, else y, of Views and numbers."""
    dtype = lub(dtype_of(x), dtype_of(y))
    return wrap(_pyasc("where")(as_tensor(c, bool_), as_tensor(x, dtype), as_tensor(y, dtype)))


_REDUCE = {"sum", "prod", "max", "min", "mean", "var", "std", "cumsum", "cumprod", "softmax", "log_softmax", "matmul",
           "dot", "vecdot", "tensordot"}


def computed(f):
    """pyasc's function f for the values of a body: halves and small integers enter as what the kernel computes in."""
    widen = f.__name__ in _REDUCE

    def enter(x):
        return as_tensor(x, compute(x.dtype)) if widen and type(x) is View else unwrap(x)

    def call(*args, **kwargs):
        return wrap(f(*map(enter, args), **{k: unwrap(v) for k, v in kwargs.items()}))
    call.__pyasc_here__ = True
    return call


class Vector:
    """The lanes of load_vector() or pack(): arithmetic lane by lane, v[k], len(v).

    ValueError where vectors of different widths meet.
    """

    __slots__ = ("lanes",)
    __hash__ = None

    def __init__(self, lanes):
        self.lanes = tuple(lanes)

    def __len__(self):
        return len(self.lanes)

    def __iter__(self):
        return iter(self.lanes)

    def __getitem__(self, k):
        return self.lanes[k]

    def __repr__(self):
        return f"pack({', '.join(map(repr, self.lanes))})"


def by_lane(f, *args):
    """f of each lane of the Vectors among args; numbers go with each."""
    width = None
    for v in args:
        if type(v) is Vector:
            if width not in (None, len(v)):
                raise ValueError(f"vectors of {width} and {len(v)} lanes meet; load them with the same width=")
            width = len(v)
    return Vector(f(*(v.lanes[k] if type(v) is Vector else v for v in args)) for k in range(width))


def apply2(name, x, y):
    """The operation on numbers, Vectors or Views."""
    if type(x) is Vector or type(y) is Vector:
        return by_lane(lambda a, b: apply2(name, a, b), x, y)
    return whole(name, x, y) if is_whole(x, y) else binary(name, x, y)


def apply1(name, x):
    """The function of a number, Vector or View."""
    if type(x) is Vector:
        return by_lane(lambda a: apply1(name, a), x)
    return whole_unary(name, x) if type(x) is View else unary(name, x)


def _meets(x):
    return isinstance(x, (View, Vector, Tensor)) or operand(x) is not None or hasattr(type(x), "__dlpack__")


def _install():
    from operator import eq, ge, gt, le, lt, ne
    rows = {"truediv": "div", **{name: name for name in BINARY if name not in ("div", "max", "min", "atan2")}}

    def install(cls, python, name):
        def forward(self, other):
            return apply2(name, self, other) if _meets(other) else NotImplemented

        def backward(self, other):
            return apply2(name, other, self) if _meets(other) else NotImplemented

        def inplace(self, other):
            self[...] = apply2(name, self, other)
            return self
        setattr(cls, f"__{python}__", forward)
        setattr(cls, f"__r{python}__", backward)
        if cls is View:
            setattr(cls, f"__i{python}__", inplace)

    def compare(f, eager):
        def of_views(self, other):
            if not _meets(other):
                return NotImplemented
            dtype = join(self.dtype, dtype_of(other))
            dtype = dtype if dtype.kind == "f" else None  # integers compare by value, whatever their types
            return wrap(_pyasc(eager)(as_tensor(self, dtype), as_tensor(other, dtype)))

        def of_vectors(self, other):
            return by_lane(f, self, other) if _meets(other) else NotImplemented
        setattr(View, f"__{f.__name__}__", of_views)
        setattr(Vector, f"__{f.__name__}__", of_vectors)
    for python, name in rows.items():
        install(View, python, name)
        install(Vector, python, name)
    for f, eager in ((lt, "less"), (le, "less_equal"), (gt, "greater"), (ge, "greater_equal"), (eq, "equal"),
                     (ne, "not_equal")):
        compare(f, eager)
    for python, name in (("neg", "neg"), ("abs", "abs"), ("invert", "inv")):
        for cls in (View, Vector):
            setattr(cls, f"__{python}__", lambda self, name=name: apply1(name, self))
    for cls in (View, Vector):
        cls.__pos__ = lambda self: self

    def matmul(self, other):
        return computed(_pyasc("matmul"))(self, other)

    def rmatmul(self, other):
        return computed(_pyasc("matmul"))(other, self)
    View.__matmul__, View.__rmatmul__ = matmul, rmatmul


_install()
