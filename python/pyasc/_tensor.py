"""Tensors: making them, and their views."""
import builtins
import operator

from . import _core, _maps
from ._core import Tensor
from ._dtype import bool_, float32, int64, to_dtype
from ._jit import jit
from ._lang import get_global_id

__all__ = ["Tensor", "tensor", "asarray", "from_numpy", "from_dlpack", "empty", "zeros", "ones", "full", "empty_like",
           "zeros_like", "ones_like", "full_like", "arange", "linspace", "eye", "cast", "astype", "transpose",
           "permute_dims", "matrix_transpose", "moveaxis", "swapaxes", "reshape", "ravel", "squeeze", "expand_dims",
           "broadcast_to", "constant", "result_type", "can_cast"]


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


def _common(parts):
    dtype = _core.result_type(parts[0])
    for t in parts[1:]:
        dtype = _core.result_type(dtype, t)
    return dtype


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
