"""Tensors from tensors: broadcast, joined, rolled, in triangles; and the bits of floats."""
import builtins
import operator
from math import nan

from . import _core, _maps
from ._dtype import float32, to_dtype
from ._jit import jit
from ._lang import get_global_id
from ._tensor import (_axis, _common, _deliver, _shape, asarray, broadcast_to, cast, copy, empty, expand_dims, moveaxis,
                      normalize_axes, ones, ravel, reshape, result_type)

__all__ = ["broadcast_shapes", "broadcast_arrays", "meshgrid", "flip", "roll", "concat", "concatenate", "stack", "unstack",
           "tile", "diff", "signbit", "copysign", "nextafter", "tril", "triu"]


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
