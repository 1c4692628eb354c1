"""Tensors: making them, their views, their methods, and how they meet NumPy, DLPack, pickle and repr."""
import builtins
import operator
from math import nan

from . import _core, _maps
from ._core import Tensor
from ._dtype import ALL, bool_, float32, int64, isdtype, register, to_dtype, uint16
from ._jit import jit
from ._lang import get_global_id

__all__ = ["Tensor", "tensor", "asarray", "from_numpy", "from_dlpack", "empty", "zeros", "ones", "full", "empty_like",
           "zeros_like", "ones_like", "full_like", "arange", "linspace", "eye", "cast", "astype", "transpose",
           "permute_dims", "matrix_transpose", "moveaxis", "swapaxes", "reshape", "ravel", "squeeze", "expand_dims",
           "broadcast_to", "broadcast_shapes", "broadcast_arrays", "meshgrid", "flip", "roll", "concat", "concatenate",
           "stack", "unstack", "tile", "diff", "signbit", "copysign", "nextafter", "tril", "triu", "constant",
           "result_type", "can_cast", "__array_namespace_info__"]


def _shape(shape):
    if isinstance(shape, tuple):
        return tuple(operator.index(n) for n in shape)
    if isinstance(shape, list):
        return _shape(tuple(shape))
    return (operator.index(shape),)


def _on(device):
    if device not in (None, "cpu", (1, 0)):  # DLPack calls it (1, 0)
        raise ValueError(f"device {device!r}: tensors live on 'cpu'")


def empty(shape, *, dtype=float32, device=None):
    """A tensor of any values. shape: an int or a tuple. ValueError for a device but 'cpu', here and below."""
    if device is not None:
        _on(device)
    return _core.empty(_shape(shape), to_dtype(dtype or float32))


def full(shape, fill_value, *, dtype=None, device=None):
    """A tensor of one value; dtype None: the value's (float32 for a float, int64 for an int)."""
    t = empty(shape, dtype=dtype or _core.result_type(fill_value), device=device)
    return _maps.map_into("full", _maps.COPY, "?s", t, fill_value)


def zeros(shape, *, dtype=float32, device=None):
    """A tensor of zeros. shape: an int or a tuple."""
    return full(shape, 0, dtype=dtype or float32, device=device)


def ones(shape, *, dtype=float32, device=None):
    """A tensor of ones. shape: an int or a tuple."""
    return full(shape, 1, dtype=dtype or float32, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """A tensor of any values with the shape of x, and its dtype unless one is given."""
    x = asarray(x)
    return empty(x.shape, dtype=dtype or x.dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """A tensor of one value with the shape of x, and its dtype unless one is given."""
    return _maps.map_into("full_like", _maps.COPY, "?s", empty_like(x, dtype=dtype, device=device), fill_value)


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros with the shape of x, and its dtype unless one is given."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """Ones with the shape of x, and its dtype unless one is given."""
    return full_like(x, 1, dtype=dtype, device=device)


@jit
def _ramp_int(out, start, step):
    i = get_global_id(0)
    out[i] = start + i * step


@jit
def _ramp_float(out, start, step):
    i = get_global_id(0)
    out[i] = _f64(start) + _f64(i) * _f64(step)


_f64 = to_dtype("float64")


def arange(start, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... below stop; arange(stop) starts at 0. Ints give int64, floats float32."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: step is 0")
    ints = all(isinstance(v, int) for v in (start, stop, step))
    n = max(0, -((start - stop) // step)) if ints else max(0, int(-((start - stop) // step)))
    t = empty(n, dtype=dtype or (int64 if ints else float32), device=device)
    (_ramp_int if ints else _ramp_float).over(n)(t, start, step)
    return t


def linspace(start, stop, num=50, *, endpoint=True, dtype=float32, device=None):
    """num values from start to stop, evenly apart; without endpoint stop is not among them."""
    t = empty(num, dtype=dtype or float32, device=device)
    if num:
        _ramp_float.over(num)(t, float(start), float(stop - start) / builtins.max(num - bool(endpoint), 1))
    if endpoint and num > 1:
        t[num - 1] = stop
    return t


@jit
def _eye(out, k):
    i, j = get_global_id(1), get_global_id(0)
    out[i, j] = j - i == k


def eye(n, m=None, /, *, k=0, dtype=float32, device=None):
    """n by m, one on the diagonal (k above the main one), zero elsewhere."""
    t = empty((n, n if m is None else m), dtype=dtype or float32, device=device)
    if t.size:
        _eye.over(*t.shape)(t, builtins.max(-n, builtins.min(k, t.shape[1])))
    return t


_CODES = {"bool": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I",
          "uint64": "Q", "float16": "f", "bfloat16": "f", "float32": "f", "float64": "d"}


def _flatten(data, out, depth=0):
    """The shape of nested lists; the numbers go to out."""
    if isinstance(data, (list, tuple)):
        shapes = {_flatten(x, out, depth + 1) for x in data}
        if len(shapes) > 1:
            raise ValueError(f"lists of unequal length at depth {depth + 1}")
        return (len(data),) + (shapes.pop() if shapes else ())
    if isinstance(data, (bool, int, float)):
        out.append(data)
        return ()
    shared = _core.share(data)
    if shared is not None:
        return _flatten(shared.tolist(), out, depth)
    if hasattr(data, "__index__") or hasattr(data, "__float__"):
        out.append(data.__index__() if hasattr(data, "__index__") else data.__float__())
        return ()
    raise TypeError(f"a tensor is made of numbers, lists of them, or an array; not of a {type(data).__name__}")


def _of_lists(data, dtype):
    flat = []
    shape = _flatten(data, flat)
    if dtype is None:
        kinds = {type(x) for x in flat}
        dtype = float32 if float in kinds or not kinds else int64 if int in kinds else bool_
    if dtype.kind in "iu":
        flat = [int(x) for x in flat]
    elif dtype is bool_:
        flat = [bool(x) for x in flat]
    try:
        import array  # needed here alone
        t = _core.share(array.array(_CODES[dtype.name], flat or [0]))
    except OverflowError as error:
        raise OverflowError(f"a value does not fit in {dtype.name}: {error}") from None
    t = t[:len(flat)] if flat else t[:0]
    return copy(reshape(t, shape), dtype=dtype)


def copy(x, /, *, dtype=None):
    """A new contiguous tensor with the values of x."""
    return _maps.map_into("copy", _maps.COPY, to_dtype(dtype) if dtype else "?s", None, x)


def asarray(x, /, *, dtype=None, copy=None, device=None):
    """x as a tensor: arrays of NumPy, torch and others are shared, not copied, unless dtype or copy=True ask for it.

    x: a tensor, an array with the buffer protocol or DLPack, a number, or nested lists. copy=False: ValueError where
    a copy would be needed.
    """
    _on(device)
    dtype = None if dtype is None else to_dtype(dtype)
    t = x if isinstance(x, Tensor) else None if isinstance(x, (list, tuple, bool, int, float)) else _core.share(x)
    if t is None:
        if copy is False:
            raise ValueError("asarray: numbers and lists cannot be shared without a copy")
        return _of_lists(x, dtype)
    if copy or (dtype is not None and dtype is not t.dtype):
        if copy is False:
            raise ValueError("asarray: another dtype needs a copy")
        return _maps.map_into("asarray", _maps.COPY, dtype or t.dtype, None, t)
    return t


def tensor(data, dtype=None):
    """A new tensor with the values of data: a number, nested lists, or any array. Always a copy."""
    return asarray(data, dtype=dtype, copy=True)


def from_numpy(x):
    """A tensor over the memory of a NumPy array."""
    return from_dlpack(x)


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor over the memory of x: any object with DLPack or the buffer protocol, on the CPU."""
    _on(device)
    t = _core.share(x)
    if t is None:
        raise TypeError(f"a {type(x).__name__} has neither DLPack nor the buffer protocol")
    return tensor(t) if copy else t


def constant(data, dtype=None):
    """A read-only tensor for kernels to capture; in a kernel, a read-only table of numbers."""
    return tensor(data, dtype)._set_readonly()


constant.__pyasc_op__ = "constant"


def cast(x, dtype, /, *, out=None):
    """x with another element type. Floats to integers truncate and saturate; to bool: is it not zero?"""
    return _maps.map_into("cast", _maps.COPY, to_dtype(dtype), out, x)


def astype(x, dtype, /, *, copy=True, device=None):
    """cast(x, dtype); with copy=False x itself where it has that type."""
    _on(device)
    return x if not copy and isinstance(x, Tensor) and x.dtype is to_dtype(dtype) else cast(x, dtype)


def result_type(*operands):
    """The dtype that an operation of these tensors, dtypes and numbers has; numbers are weak. TypeError for none."""
    data = [to_dtype(x) if isinstance(x, (str, type)) else x for x in operands if not isinstance(x, (bool, int, float))]
    numbers = {type(x): x for x in operands if isinstance(x, (bool, int, float))}
    return _core.result_type(*([_common(data)] if data else []), *numbers.values())


def can_cast(from_, to, /):
    """Do operations of from_ (a dtype or a tensor) and of the dtype to give the type to?"""
    return result_type(from_, to) is to_dtype(to)


# Views.

class AxisError(ValueError, IndexError):
    """An axis that a tensor has not."""


def _axis(axis, rank, name):
    i = operator.index(axis)
    if not -rank <= i < rank:
        raise AxisError(f"{name}: axis {i} of a tensor with {rank} dimensions")
    return i % rank if rank else 0


def normalize_axes(axis, rank, name):
    """axis (None: all, an int, or a tuple) as a tuple of different axes from 0."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(_axis(a, rank, name) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: an axis is named twice in {axis}")
    return axes


def transpose(x, /, axes=None, *, out=None):
    """x with its dimensions reversed, or in the order of axes: a view."""
    x = asarray(x)
    order = tuple(reversed(range(x.ndim))) if axes is None else normalize_axes(axes, x.ndim, "transpose")
    if len(order) != x.ndim:
        raise ValueError(f"transpose: {len(order)} axes for a tensor of {x.ndim} dimensions")
    view = x._view(tuple(x.shape[i] for i in order), tuple(x.strides[i] for i in order))
    return _deliver("transpose", view, out)


def _deliver(name, x, out):
    return x if out is None else _maps.map_into(name, _maps.COPY, "s", out, x)


def permute_dims(x, /, axes):
    """x with its dimensions in the order of axes: a view."""
    return transpose(x, axes)


def matrix_transpose(x, /):
    """x with its last two dimensions exchanged: a view."""
    return swapaxes(x, -1, -2)


def swapaxes(x, a, b, /):
    """x with two dimensions exchanged: a view."""
    x = asarray(x)
    order = list(range(x.ndim))
    a, b = _axis(a, x.ndim, "swapaxes"), _axis(b, x.ndim, "swapaxes")
    order[a], order[b] = b, a
    return transpose(x, order)


def moveaxis(x, source, destination, /):
    """x with dimensions moved to other places, the rest in their order: a view."""
    x = asarray(x)
    source, destination = (normalize_axes(a, x.ndim, "moveaxis") for a in (source, destination))
    order = [i for i in range(x.ndim) if i not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return transpose(x, order)


def contiguous_strides(shape, item):
    strides, step = [], item
    for n in reversed(shape):
        strides.append(step)
        step *= builtins.max(n, 1)
    return tuple(reversed(strides))


def merged(shape, strides):
    """Neighbouring dimensions that lie one in another, joined; extents of 1 left out: [(extent, stride)]."""
    out = []
    for n, s in zip(shape, strides):
        if n == 1:
            continue
        if out and out[-1][1] == s * n:
            out[-1] = (out[-1][0] * n, s)
        else:
            out.append((n, s))
    return out


def _reshape_strides(x, shape):
    """Strides of x's memory in another shape, or None where that needs a copy."""
    groups, strides, left = merged(x.shape, x.strides), [], 1
    for n in reversed(shape):
        if n == 1:
            strides.append(x.itemsize)
            continue
        if left == 1:
            left, step = groups.pop()
        if left % n:
            return None
        strides.append(step)
        left, step = left // n, step * n
    return tuple(reversed(strides))


def reshape(x, /, shape, *, copy=None, out=None):
    """x in another shape of the same size; one extent may be -1. A view where the memory allows, else a copy."""
    x, wanted = asarray(x), _shape(shape)
    shape = wanted
    if -1 in shape:
        rest = 1
        for n in shape:
            rest *= 1 if n == -1 else n
        if shape.count(-1) > 1 or rest == 0 or x.size % rest:
            raise ValueError(f"reshape: {x.shape} does not go into {wanted}")
        shape = tuple(x.size // rest if n == -1 else n for n in shape)
    size = 1
    for n in shape:
        size *= n
    if size != x.size or any(n < 0 for n in shape):
        raise ValueError(f"reshape: {x.shape} does not go into {wanted}")
    strides = contiguous_strides(shape, x.itemsize) if not size else _reshape_strides(x, shape)
    if strides is None and copy is False:
        raise ValueError("reshape: this needs a copy")
    if strides is None or copy:
        x, strides = globals()["copy"](x), contiguous_strides(shape, x.itemsize)
    return _deliver("reshape", x._view(shape, strides), out)


def ravel(x, /):
    """x in one dimension: a view where the memory allows, else a copy."""
    return reshape(x, (-1,)) if asarray(x).size else empty(0, dtype=asarray(x).dtype)


def squeeze(x, /, axis=None):
    """x without the dimensions of extent 1 (all, or those given): a view."""
    x = asarray(x)
    axes = [i for i, n in enumerate(x.shape) if n == 1] if axis is None else normalize_axes(axis, x.ndim, "squeeze")
    if any(x.shape[i] != 1 for i in axes):
        raise ValueError(f"squeeze: axis {axis} of {x.shape} is not of extent 1")
    return x[tuple(0 if i in axes else slice(None) for i in range(x.ndim))]


def expand_dims(x, /, axis=0):
    """x with a dimension of extent 1 more, at axis: a view."""
    x = asarray(x)
    at = _axis(axis, x.ndim + 1, "expand_dims")
    return x[(slice(None),) * at + (None,)]


def broadcast_to(x, /, shape):
    """x repeated to a larger shape: a read-only view of stride 0."""
    x, shape = asarray(x), _shape(shape)
    shift = len(shape) - x.ndim
    if shift < 0 or any(n not in (1, m) for n, m in zip(x.shape, shape[shift:])):
        raise ValueError(f"broadcast_to: {x.shape} does not broadcast to {shape}")
    strides = (0,) * shift + tuple(0 if n == 1 else s for n, s in zip(x.shape, x.strides))
    return x._view(shape, strides)._set_readonly()


def broadcast_shapes(*shapes):
    """The shape to which these broadcast. ValueError where they do not."""
    shapes = [_shape(s) for s in shapes]
    out = [1] * builtins.max(map(len, shapes), default=0)
    for shape in shapes:
        for i, n in enumerate(shape, len(out) - len(shape)):
            if n != 1 and out[i] not in (1, n):
                raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
            out[i] = n if out[i] == 1 else out[i]
    return tuple(out)


def broadcast_arrays(*arrays):
    """Tensors broadcast to the shape that they have together: a list of read-only views."""
    arrays = [asarray(x) for x in arrays]
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return [broadcast_to(x, shape) for x in arrays]


def meshgrid(*arrays, indexing="xy"):
    """The coordinates of a grid from those of its n axes (vectors or numbers): a list of read-only views of rank n.

    indexing "xy": the first two dimensions are those of the second and the first vector; "ij": in order.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    n, parts = len(arrays), [asarray(x) for x in arrays]
    if any(x.ndim > 1 for x in parts):
        raise ValueError(f"meshgrid: shapes {', '.join(str(x.shape) for x in parts)} are not all of vectors")
    dims = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else range(n)
    return broadcast_arrays(*(reshape(x, (1,) * d + (x.size,) + (1,) * (n - 1 - d)) for x, d in zip(parts, dims)))


def roll(x, /, shift, *, axis=None):
    """x with its elements moved by shift along the axes, those that fall off the end put in front: a new tensor.

    shift: an int, or a tuple of one for each axis. axis: an int or a tuple; None: of x made flat.
    """
    x = asarray(x)
    if axis is None:
        return reshape(roll(ravel(x), shift, axis=0), x.shape)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    x = copy(x)
    for s, a in zip(shifts, axes):
        a = _axis(a, x.ndim, "roll")
        cut = -operator.index(s) % builtins.max(x.shape[a], 1)
        lead = (slice(None),) * a
        x = concat([x[lead + (slice(cut, None),)], x[lead + (slice(0, cut),)]], axis=a) if cut else x
    return x


def flip(x, /, *, axis=None):
    """x with the order of its elements reversed along the axes (all, or those given): a view."""
    x = asarray(x)
    axes = normalize_axes(axis, x.ndim, "flip")
    return x[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))]


def concat(tensors, /, *, axis=0, out=None):
    """Tensors one behind the other along an axis (None: of all, made flat); the other extents are the same."""
    parts = [asarray(t) for t in tensors]
    if not parts:
        raise ValueError("concat: no tensors")
    if axis is None:
        parts, axis = [ravel(t) for t in parts], 0
    axis = _axis(axis, parts[0].ndim, "concat")
    for t in parts:
        if t.ndim != parts[0].ndim or any(i != axis and n != m for i, (n, m) in enumerate(zip(t.shape, parts[0].shape))):
            raise ValueError(f"concat: shapes {', '.join(str(p.shape) for p in parts)} differ beside axis {axis}")
    shape = list(parts[0].shape)
    shape[axis] = builtins.sum(t.shape[axis] for t in parts)
    target = empty(tuple(shape), dtype=_core.result_type(*parts) if len(parts) < 7 else _common(parts))
    at = 0
    for t in parts:
        target[(slice(None),) * axis + (slice(at, at + t.shape[axis]),)] = t
        at += t.shape[axis]
    return _deliver("concat", target, out)


def _common(parts):
    dtype = _core.result_type(parts[0])
    for t in parts[1:]:
        dtype = _core.result_type(dtype, t)
    return dtype


concatenate = concat


def stack(tensors, /, *, axis=0, out=None):
    """Tensors of one shape along a new axis."""
    parts = [asarray(t) for t in tensors]
    if len({t.shape for t in parts}) > 1:
        raise ValueError(f"stack: shapes {', '.join(str(p.shape) for p in parts)} differ")
    return concat([expand_dims(t, axis=axis) for t in parts],
                  axis=_axis(axis, parts[0].ndim + 1, "stack") if parts else 0, out=out)


def unstack(x, /, *, axis=0):
    """The tensors that stack along the axis to x: a tuple of views."""
    x = asarray(x)
    if not x.ndim:
        raise ValueError("unstack: a tensor of no dimensions")
    x = moveaxis(x, axis, 0)
    return tuple(x[i] for i in range(x.shape[0]))


def tile(x, repetitions, /):
    """x repeated along each of its dimensions: a new tensor. repetitions: an int or a tuple, aligned at the last one."""
    x, times = asarray(x), _shape(repetitions)
    rank = builtins.max(x.ndim, len(times))
    shape, times = (1,) * (rank - x.ndim) + x.shape, (1,) * (rank - len(times)) + times
    x = reshape(x, tuple(m for n in shape for m in (1, n)))
    x = broadcast_to(x, tuple(m for n, k in zip(shape, times) for m in (k, n)))
    return reshape(copy(x), tuple(n * k for n, k in zip(shape, times)))


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """The differences of neighbours along the axis, n times over; prepend and append go before and behind x first."""
    x = asarray(x)
    axis = _axis(axis, x.ndim, "diff")
    if n < 0:
        raise ValueError(f"diff: n is {n}")
    parts = [t for t in (prepend, x, append) if t is not None]
    x = concat(parts, axis=axis) if len(parts) > 1 else x
    lead = (slice(None),) * axis
    for _ in range(n):
        x = _maps.sub(x[lead + (slice(1, None),)], x[lead + (slice(0, -1),)])
    return x


def signbit(x, /):
    """Is the sign bit set (of negative numbers, -0.0, and NaN as it may be)? Floats only: TypeError."""
    x = asarray(x)
    if x.dtype.kind != "f":
        raise TypeError(f"signbit: {x.dtype.name} is no float")
    return _maps.less(x._as(to_dtype(f"int{8 * x.itemsize}")), 0)


def _floats(x, y):
    dtype = result_type(x, y)
    dtype = dtype if dtype.kind == "f" else float32
    return asarray(x, dtype=dtype), asarray(y, dtype=dtype)


def copysign(x, y, /):
    """|x| with the sign of y, element by element; NumPy's broadcasting. Integers give float32."""
    x, y = _floats(x, y)
    x = _maps.abs(x)
    return _maps.where(signbit(y), _maps.neg(x), x)


def nextafter(x, y, /):
    """The number of the type next to x on the way to y, element by element; NumPy's broadcasting. Integers give float32."""
    x, y = _floats(x, y)
    bits = to_dtype(f"int{8 * x.itemsize}")
    away = _maps.equal(_maps.less(x, y), _maps.greater(x, 0))
    near = _maps.add(x._as(bits), _maps.sub(_maps.mul(cast(away, bits), 2), 1))._as(x.dtype)
    near = _maps.where(_maps.equal(x, 0), copysign(ones((), dtype=bits)._as(x.dtype), y), near)
    near = _maps.where(_maps.equal(x, y), y, near)
    return _maps.where(_maps.logical_or(_maps.isnan(x), _maps.isnan(y)), nan, near)


@jit
def _triangle(out, x, k, upper):
    b, i, j = get_global_id(2), get_global_id(1), get_global_id(0)
    if upper:
        out[b, i, j] = x[b, i, j] if j - i >= k else 0
    else:
        out[b, i, j] = x[b, i, j] if j - i <= k else 0


def _triangular(x, k, upper):
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError("tril and triu need two dimensions or more")
    t = empty(x.shape, dtype=x.dtype)
    flat, k = (-1 if x.size else 0,) + x.shape[-2:], builtins.max(-x.shape[-2], builtins.min(k, x.shape[-1]))
    if x.size:
        a = reshape(x, flat)
        _triangle.over(*a.shape)(reshape(t, flat), a, k, upper)
    return t


def tril(x, /, *, k=0):
    """x with zeros above the k-th diagonal of its last two dimensions."""
    return _triangular(x, k, False)


def triu(x, /, *, k=0):
    """x with zeros below the k-th diagonal of its last two dimensions."""
    return _triangular(x, k, True)


# Meeting NumPy, pickle, repr.

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
