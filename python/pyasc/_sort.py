"""Sorting, searching, picking by index, and sets, as kernels.

Sorting merges runs of doubling length: one launch for each length, one work-item for each pair of runs. It is stable,
and carries the places of the elements with them; sets and nonzero are made of it and of running sums.
"""
from collections import namedtuple

from . import _maps
from ._dtype import int64
from ._jit import jit
from ._lang import get_global_id
from ._maps import minimum
from ._move import concat
from ._reduce import cumsum, max as _max, min as _min
from ._tensor import (arange, asarray, broadcast_to, cast, copy, empty, full, moveaxis, normalize_axes, ravel,
                      reshape, result_type)

__all__ = ["sort", "argsort", "nonzero", "searchsorted", "take", "take_along_axis", "repeat", "unique_all",
           "unique_counts", "unique_inverse", "unique_values"]


def _before(a, b, down):
    """Does a stand before b? NaN is the largest."""
    if down:
        return b < a or (a != a and b == b)
    return a < b or (b != b and a == a)


@jit
def _merge(key2, at2, key, at, width, down):
    r, lo = get_global_id(2), get_global_id(1) * (2 * width)
    mid, hi = minimum(lo + width, key.shape[1]), minimum(lo + 2 * width, key.shape[1])
    i, j = lo, mid
    for k in range(lo, hi):
        if i < mid and (j == hi or not _before(key[r, j], key[r, i], down)):
            key2[r, k] = key[r, i]
            at2[r, k] = at[r, i]
            i += 1
        else:
            key2[r, k] = key[r, j]
            at2[r, k] = at[r, j]
            j += 1


def _sorted(x, down):
    """The rows of x sorted, and where each element was."""
    rows, n = x.shape
    key, at = copy(x), copy(broadcast_to(arange(n), x.shape))
    key2, at2 = empty(x.shape, dtype=x.dtype), empty(x.shape, dtype=int64)
    width = 1
    while width < n and rows:
        _merge.over(rows, -(-n // (2 * width)), 1)(key2, at2, key, at, width, down)
        key, at, key2, at2, width = key2, at2, key, at, 2 * width
    return key, at


def _along(name, x, axis, down):
    """x sorted along the axis, and the places: of the shape of x."""
    x = asarray(x)
    axis, = normalize_axes((axis,), x.ndim, name)
    turned = moveaxis(x, axis, -1)
    n = x.shape[axis]
    both = _sorted(reshape(turned, (x.size // max(n, 1), n)), down)
    return [copy(moveaxis(reshape(t, turned.shape), -1, axis)) for t in both]


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """x sorted along the axis: a new tensor. NaN counts as the largest; always stable."""
    return _along("sort", x, axis, bool(descending))[0]


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The indices (int64) that sort x along the axis. NaN counts as the largest; always stable."""
    return _along("argsort", x, axis, bool(descending))[1]


@jit
def _bisect(out, x, v, right):
    i = get_global_id(0)
    lo, hi = 0, x.shape[0]
    while lo < hi:
        mid = (lo + hi) // 2
        if not _before(v[i], x[mid], False) if right else _before(x[mid], v[i], False):
            lo = mid + 1
        else:
            hi = mid
    out[i] = lo


def searchsorted(x, values, /, *, side="left", sorter=None):
    """Where each of the values goes into the sorted vector x: int64 indices in the shape of values.

    side "left": before the elements that are equal; "right": behind them. sorter: indices that sort x.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    x, v = asarray(x), asarray(values)
    if x.ndim != 1:
        raise ValueError(f"searchsorted: x of {x.ndim} dimensions is no vector")
    dtype = result_type(x, v)
    x = cast(x if sorter is None else take(x, sorter), dtype)
    out = empty(v.shape, dtype=int64)
    if v.size:
        _bisect.over(v.size)(ravel(out), x, ravel(cast(v, dtype)), side == "right")
    return out


@jit
def _compact(out, mask, total):
    i = get_global_id(0)
    if mask[i]:
        out[total[i] - 1] = i


def _places(mask):
    """The indices of the true elements of a vector, and how many there are up to each element."""
    total = cumsum(mask)
    out = empty(int(total[-1]) if mask.size else 0, dtype=int64)
    if out.size:
        _compact.over(mask.size)(out, mask, total)
    return out, total


def nonzero(x, /):
    """The indices of the elements that are not zero, in order: a tuple of int64 vectors, one for each dimension.

    ValueError where x has no dimensions.
    """
    x = asarray(x)
    if not x.ndim:
        raise ValueError("nonzero: a tensor of no dimensions")
    flat, out = _places(ravel(_maps.not_equal(x, 0)))[0], []
    for n in reversed(x.shape):
        out.append(_maps.mod(flat, n))
        flat = _maps.floor_div(flat, n)
    return tuple(reversed(out))


@jit
def _take(out, x, at):
    i, j, k = get_global_id(2), get_global_id(1), get_global_id(0)
    out[i, j, k] = x[i, at[j], k]


@jit
def _take_along(out, x, at):
    i, j, k = get_global_id(2), get_global_id(1), get_global_id(0)
    out[i, j, k] = x[i, at[i, j, k], k]


def _indices(name, at, n):
    """at with negative indices counted from the end. TypeError for floats, IndexError beyond n."""
    at = asarray(at)
    if at.dtype.kind not in "iu":
        raise TypeError(f"{name}: indices of {at.dtype.name}; they are integers")
    if at.size and not -n <= int(_min(at)) <= int(_max(at)) < n:
        raise IndexError(f"{name}: indices from {int(_min(at))} to {int(_max(at))} for an axis of {n}")
    return _maps.where(_maps.less(at, 0), _maps.add(cast(at, int64), n), at) if at.dtype.kind == "i" else at


def _three(x, axis):
    """The shape of x with the dimensions before and behind the axis joined."""
    left = right = 1
    for n in x.shape[:axis]:
        left *= n
    for n in x.shape[axis + 1:]:
        right *= n
    return left, x.shape[axis], right


def take(x, indices, /, *, axis=None):
    """The elements of x at the indices along the axis (None: x is a vector): a new tensor.

    indices: integers of any shape, which takes the place of the axis; negative ones count from the end. IndexError for
    those beyond it.
    """
    x = asarray(x)
    if axis is None and x.ndim != 1:
        raise ValueError(f"take: x of {x.ndim} dimensions needs an axis")
    axis, = normalize_axes((axis or 0,), x.ndim, "take")
    at = _indices("take", indices, x.shape[axis])
    out = empty(x.shape[:axis] + at.shape + x.shape[axis + 1:], dtype=x.dtype)
    if out.size:
        left, n, right = _three(x, axis)
        flat = reshape(out, (left, at.size, right))
        _take.over(*flat.shape)(flat, reshape(x, (left, n, right)), ravel(at))
    return out


def take_along_axis(x, indices, /, *, axis=-1):
    """The elements of x at the indices along the axis, each in its own row: as argsort gives them.

    indices: integers of the shape of x but along the axis; negative ones count from the end. IndexError beyond it.
    """
    x = asarray(x)
    axis, = normalize_axes((axis,), x.ndim, "take_along_axis")
    at = _indices("take_along_axis", indices, x.shape[axis])
    if at.ndim != x.ndim or any(n != m for i, (n, m) in enumerate(zip(x.shape, at.shape)) if i != axis):
        raise ValueError(f"take_along_axis: shapes {x.shape} and {at.shape} differ beside axis {axis}")
    out = empty(at.shape, dtype=x.dtype)
    if out.size:
        flat = reshape(out, _three(at, axis))
        _take_along.over(*flat.shape)(flat, reshape(x, _three(x, axis)), reshape(at, flat.shape))
    return out


def repeat(x, repeats, /, *, axis=None):
    """Each element of x along the axis (None: of x made flat) repeated: a new tensor.

    repeats: an int, or one for each element (a vector of as many, or of one). ValueError where it does not fit.
    """
    x = asarray(x)
    if axis is None:
        x, axis = ravel(x), 0
    axis, = normalize_axes((axis,), x.ndim, "repeat")
    n, times = x.shape[axis], asarray(repeats)
    if times.dtype.kind not in "iu" or times.ndim > 1 or times.size not in (1, n) or times.size and int(_min(times)) < 0:
        raise ValueError(f"repeat: repeats is an integer of at least 0, or {n} of them")
    ends = cumsum(broadcast_to(times, (n,)))
    total = int(ends[-1]) if n else 0
    return take(x, searchsorted(ends, arange(total), side="right"), axis=axis)


_All = namedtuple("unique_all_result", "values indices inverse_indices counts")
_Counts = namedtuple("unique_counts_result", "values counts")
_Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


@jit
def _scatter(out, at, x):
    i = get_global_id(0)
    out[at[i]] = x[i]


def unique_all(x, /):
    """The different elements of x, sorted: (values, indices, inverse_indices, counts), a named tuple.

    indices: where each is first, in x made flat; inverse_indices: values[inverse_indices] is x, in its shape; counts: how
    often each is there. Every NaN is one of its own; the zeros are one.
    """
    x = asarray(x)
    n = x.size
    key, at = (t[0] for t in _sorted(reshape(x, (1, n)), False))
    first = full(n, True)
    first[1:] = _maps.not_equal(key[1:], key[:-1])
    starts, group = _places(first)
    inverse = empty(n, dtype=int64)
    if n:
        _scatter.over(n)(inverse, at, _maps.sub(group, 1))
    counts = _maps.sub(concat([starts[1:], full(min(n, 1), n)]), starts)
    return _All(take(key, starts), take(at, starts), reshape(inverse, x.shape), counts)


def unique_counts(x, /):
    """The different elements of x, sorted, and how often each is there: (values, counts), a named tuple."""
    u = unique_all(x)
    return _Counts(u.values, u.counts)


def unique_inverse(x, /):
    """The different elements of x, sorted, and the indices that make x of them: (values, inverse_indices)."""
    u = unique_all(x)
    return _Inverse(u.values, u.inverse_indices)


def unique_values(x, /):
    """The different elements of x, sorted."""
    return unique_all(x).values
