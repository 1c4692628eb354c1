"""Reductions, scans and softmax, as kernels.

The axes that are reduced and those that are kept are each joined to as few dimensions as the memory allows; then either
the rows are reduced (the reduced elements lie together: LLVM's vectors along the row) or the columns (the kept ones lie
together: a lane each). Long ones are cut into pieces of a size that depends on the shape alone, so a result does not
depend on the number of threads.
"""
import builtins

from . import _core, _maps
from ._dtype import bool_, float32, float64, int64, to_dtype, uint64
from ._jit import jit
from ._lang import get_global_id, parallel_for
from ._maps import exp, log, maximum, minimum
from ._move import concat
from ._tensor import (Tensor, asarray, cast, copy, empty, full, merged, normalize_axes, reshape,
                      transpose)

__all__ = ["sum", "prod", "max", "min", "mean", "var", "std", "argmax", "argmin", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "all", "any", "softmax",
           "log_softmax", "count_nonzero"]


_WIDTH = 512  # columns that a work-item keeps in the cache


def _strip(x):
    """The row of x, the piece of its columns' length, and the columns, of a work-item."""
    strips = (x.shape[2] + (_WIDTH - 1)) // _WIDTH
    c, q = get_global_id(1) // strips, get_global_id(1) % strips
    return get_global_id(2), c, q * _WIDTH, minimum(q * _WIDTH + _WIDTH, x.shape[2])


def _reduction(f):
    """The kernels that reduce by f: rows, columns, and a whole tensor (see py_fold.c).

    start: where to begin, in the type to compute in; None: at the first element.
    """
    @jit
    def rows(out, x, step, start):
        i, c = get_global_id(0), get_global_id(1)  # so a block has 16 rows
        acc = x[i, c * step] if start is None else out.dtype(start)
        for j in range(c * step + int(start is None), minimum(c * step + step, x.shape[1])):
            acc = f(acc, x[i, j])
        out[i, c] = acc

    @jit
    def columns(out, x, step, start):
        i, c, k0, k1 = _strip(x)
        j0, j1 = c * step, minimum(c * step + step, x.shape[1])
        for k in range(k0, k1):
            out[i, c, k] = x[i, j0, k] if start is None else start
        j0 += int(start is None)
        fours = j0 + (j1 - j0) // 4 * 4
        for j in range(j0, fours, 4):  # so the sums are read and written once for four rows
            for k in range(k0, k1):
                out[i, c, k] = f(f(f(f(out[i, c, k], x[i, j, k]), x[i, j + 1, k]), x[i, j + 2, k]), x[i, j + 3, k])
        for j in range(fours, j1):
            for k in range(k0, k1):
                out[i, c, k] = f(out[i, c, k], x[i, j, k])

    @jit
    def whole(out, part, x, step, start):
        def piece(c):
            acc = x[c * step] if start is None else out.dtype(start)
            for j in range(c * step + int(start is None), minimum(c * step + step, x.shape[0])):
                acc = f(acc, x[j])
            part[c] = acc
        parallel_for(part.shape[0], piece)
        acc = part[0]
        for c in range(1, part.shape[0]):
            acc = f(acc, part[c])
        out[0] = acc
    return rows, columns, whole


def _plus(a, b): return a + b
def _times(a, b): return a * b
def _larger(a, b): return maximum(a, b)
def _smaller(a, b): return minimum(a, b)


_SUM, _PROD, _MAX, _MIN = _reduction(_plus), _reduction(_times), _reduction(_larger), _reduction(_smaller)


@jit
def _find_rows(out, x, best, step):
    """The first place of each piece that has the best element or NaN, as a minimum: a loop that breaks has no vectors."""
    i, c = get_global_id(2), get_global_id(1)
    n = x.shape[1]
    wanted, at = best[i, 0], n
    for j in range(c * step, minimum(c * step + step, n)):
        at = minimum(at, j if x[i, j] == wanted or x[i, j] != x[i, j] else n)
    out[i, c] = at


@jit
def _cumsum_rows(out, x, zero):
    i = get_global_id(2)
    acc = zero
    for j in range(x.shape[1]):
        acc += x[i, j]
        out[i, j] = acc


@jit
def _cumsum_columns(out, x, zero, acc):
    i, _, k0, k1 = _strip(x)
    for k in range(k0, k1):
        acc[i, k] = zero
    for j in range(x.shape[1]):
        for k in range(k0, k1):
            acc[i, k] += x[i, j, k]
            out[i, j, k] = acc[i, k]


@jit
def _cumprod_rows(out, x, one):
    i = get_global_id(2)
    acc = one
    for j in range(x.shape[1]):
        acc *= x[i, j]
        out[i, j] = acc


@jit
def _cumprod_columns(out, x, one, acc):
    i, _, k0, k1 = _strip(x)
    for k in range(k0, k1):
        acc[i, k] = one
    for j in range(x.shape[1]):
        for k in range(k0, k1):
            acc[i, k] *= x[i, j, k]
            out[i, j, k] = acc[i, k]


@jit
def _softmax_rows(out, x):
    i = get_global_id(2)
    top = x[i, 0]
    for j in range(1, x.shape[1]):
        top = maximum(top, x[i, j])
    total = 0.0
    for j in range(x.shape[1]):
        e = exp(x[i, j] - top)
        out[i, j] = e
        total += e
    scale = 1 / total
    for j in range(x.shape[1]):
        out[i, j] = out[i, j] * scale


def _exp_columns(out, x, top, total, store):
    """total: the sum of exp(x - top) of each column of the strip; top: its largest, or NaN."""
    i, _, k0, k1 = _strip(x)
    for k in range(k0, k1):
        top[i, k] = x[i, 0, k]
        total[i, k] = 0.0
    for j in range(1, x.shape[1]):
        for k in range(k0, k1):
            top[i, k] = x[i, j, k] if x[i, j, k] > top[i, k] else top[i, k]
    for j in range(x.shape[1]):
        for k in range(k0, k1):
            e = exp(x[i, j, k] - top[i, k])
            total[i, k] += e
            if store:
                out[i, j, k] = e
    return i, k0, k1


@jit
def _softmax_columns(out, x, top, total):
    i, k0, k1 = _exp_columns(out, x, top, total, True)
    for k in range(k0, k1):
        total[i, k] = 1 / total[i, k]
    for j in range(x.shape[1]):
        for k in range(k0, k1):
            out[i, j, k] = out[i, j, k] * total[i, k]


@jit
def _log_softmax_rows(out, x):
    i = get_global_id(2)
    top = x[i, 0]
    for j in range(1, x.shape[1]):
        top = maximum(top, x[i, j])
    total = 0.0
    for j in range(x.shape[1]):
        total += exp(x[i, j] - top)
    shift = top + log(total)
    for j in range(x.shape[1]):
        out[i, j] = x[i, j] - shift


@jit
def _log_softmax_columns(out, x, top, total):
    i, k0, k1 = _exp_columns(out, x, top, total, False)
    for k in range(k0, k1):
        top[i, k] = top[i, k] + log(total[i, k])
    for j in range(x.shape[1]):
        for k in range(k0, k1):
            out[i, j, k] = x[i, j, k] - top[i, k]


def _arrange(x, axes, columns):
    """x as [kept, reduced] (rows) or [kept, reduced, kept] (columns), a view where the memory allows."""
    kept = [i for i in range(x.ndim) if i not in axes]
    k = merged([x.shape[i] for i in kept], [x.strides[i] for i in kept])
    r = merged([x.shape[i] for i in axes], [x.strides[i] for i in axes])
    if len(r) <= 1:
        n, s = r[0] if r else (1, x.itemsize)
        if columns and k and len(k) <= 2 and builtins.abs(k[-1][1]) < builtins.abs(s):
            outer = k[0] if len(k) == 2 else (1, x.itemsize)
            return x._view((outer[0], n, k[-1][0]), (outer[1], s, k[-1][1]))
        if len(k) <= 1:
            outer = k[0] if k else (1, x.itemsize)
            return x._view((outer[0], n), (outer[1], s))
    rows = 1
    for i in kept:
        rows *= x.shape[i]
    return reshape(copy(transpose(x, kept + list(axes))), (rows, x.size // rows))


def _strips(shape):
    return -(-shape[2] // _WIDTH) if len(shape) == 3 else 1


def _pieces(shape):
    """(pieces, elements in each) of the reduced dimension."""
    n, items = shape[1], shape[0] * _strips(shape)
    if items >= 64 or n * (shape[2] if len(shape) == 3 else 1) < 16384:
        return 1, n
    step = 8192 if len(shape) == 2 else builtins.max(64, n * items // 64)
    return -(-n // step), step


def _fold(kernels, x, dtype, start):
    """x [kept, reduced(, kept)] reduced to [kept(, kept)]."""
    pieces, step = _pieces(x.shape)
    out = empty((x.shape[0], pieces) + x.shape[2:], dtype=dtype)
    domain = (pieces, x.shape[0]) if x.ndim == 2 else (x.shape[0], pieces * _strips(x.shape), 1)
    kernels[x.ndim - 2].over(*domain)(out, x, step, *start)
    return _fold(kernels, out, dtype, start) if pieces > 1 else out


def _result_shape(x, axes, keepdims):
    return tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)


def _deliver(name, t, dtype, out):
    if out is not None:
        return _maps.map_into(name, _maps.COPY, "s", out, t if t.dtype is dtype else cast(t, dtype))
    return t if t.dtype is dtype else cast(t, dtype)


def _reduce(name, kernels, x, axis, keepdims, out, work, dtype, start=(None,), empty_value=None):
    if axis is None and not keepdims and out is None and dtype is work and x.size:
        whole = _core.fold(kernels[2], x, work, *start)
        if whole is not None:
            return whole
    axes = normalize_axes(axis, x.ndim, name)
    shape = _result_shape(x, axes, keepdims)
    n = 1
    for i in axes:
        n *= x.shape[i]
    if n == 0:
        if empty_value is None:
            raise ValueError(f"{name}: no elements along axis {axis} of shape {x.shape}, and no value for none")
        return _deliver(name, full(shape, empty_value, dtype=dtype), dtype, out)
    if x.size == 0:
        return _deliver(name, empty(shape, dtype=dtype), dtype, out)
    if len(axes) == x.ndim:
        whole = _core.fold(kernels[2], x, work, *start)
        if whole is not None:
            return _deliver(name, reshape(whole, shape) if keepdims else whole, dtype, out)
    return _deliver(name, reshape(_fold(kernels, _arrange(x, axes, True), work, start), shape), dtype, out)


def _sum_type(x, dtype):
    """The types to add in and to give: NumPy's, but floats stay and halves add in float32."""
    if dtype is not None:
        dtype = to_dtype(dtype)
    elif x.dtype.kind == "f":
        dtype = x.dtype
    else:
        dtype = uint64 if x.dtype.kind == "u" else int64
    return (float32 if dtype.kind == "f" and dtype.itemsize == 2 else dtype), dtype


def _start(work, value):
    return (float(value),) if work.kind == "f" else (int(value),)


def sum(x, /, *, axis=None, dtype=None, keepdims=False, out=None):
    """Sum over the axes (None: all). Small integers and bools add in int64 or uint64, halves in float32.

    Floats add in several accumulators, so the error is that of short sums. No elements: 0.
    """
    if axis is dtype is out is None and not keepdims and type(x) is Tensor and x.dtype is float32:
        whole = _core.fold(_SUM[2], x, float32, 0.0)  # what is called most, without more ado
        if whole is not None:
            return whole
    x = asarray(x)
    work, dtype = _sum_type(x, dtype)
    if work.kind == "f" and x.dtype.kind != "f" or work is float64:
        x = cast(x, work) if x.dtype is not work else x
    return _reduce("sum", _SUM, x, axis, keepdims, out, work, dtype, _start(work, 0), 0)


def prod(x, /, *, axis=None, dtype=None, keepdims=False, out=None):
    """Product over the axes (None: all), in the types that sum takes. No elements: 1."""
    x = asarray(x)
    work, dtype = _sum_type(x, dtype)
    if work.kind == "f" and x.dtype.kind != "f" or work is float64:
        x = cast(x, work) if x.dtype is not work else x
    return _reduce("prod", _PROD, x, axis, keepdims, out, work, dtype, _start(work, 1), 1)


def max(x, y=None, /, *, axis=None, keepdims=False, out=None):
    """max(x): the largest element over the axes (None: all); max(x, y): the larger, element by element.

    NaN propagates. ValueError for no elements. In a kernel: of numbers.
    """
    if y is not None:
        return maximum(x, y, out=out)
    x = asarray(x)
    return _reduce("max", _MAX, x, axis, keepdims, out, x.dtype, x.dtype)


def min(x, y=None, /, *, axis=None, keepdims=False, out=None):
    """min(x): the smallest element over the axes (None: all); min(x, y): the smaller, element by element.

    NaN propagates. ValueError for no elements. In a kernel: of numbers.
    """
    if y is not None:
        return minimum(x, y, out=out)
    x = asarray(x)
    return _reduce("min", _MIN, x, axis, keepdims, out, x.dtype, x.dtype)


max.__pyasc_op__, min.__pyasc_op__, sum.__pyasc_op__ = "max", "min", "sum"


def mean(x, /, *, axis=None, keepdims=False, out=None):
    """Arithmetic mean over the axes (None: all). Integers give float32; no elements: NaN."""
    x = asarray(x)
    dtype = x.dtype if x.dtype.kind == "f" else float32
    axes = normalize_axes(axis, x.ndim, "mean")
    n = 1
    for i in axes:
        n *= x.shape[i]
    work = float32 if dtype.itemsize == 2 else dtype
    total = sum(x, axis=axes, dtype=float64 if x.dtype.kind != "f" else work, keepdims=keepdims)
    return _deliver("mean", _maps.div(total, n), dtype, out)


def var(x, /, *, axis=None, correction=0.0, keepdims=False, out=None):
    """Variance over the axes: the mean squared distance from the mean, over n - correction."""
    x = asarray(x)
    dtype = x.dtype if x.dtype.kind == "f" else float32
    x = cast(x, float64 if x.dtype.itemsize == 8 else float32)
    axes = normalize_axes(axis, x.ndim, "var")
    n = 1
    for i in axes:
        n *= x.shape[i]
    total = sum(_maps.square(_maps.sub(x, mean(x, axis=axes, keepdims=True))), axis=axes, keepdims=keepdims)
    return _deliver("var", _maps.div(total, builtins.max(float(n - correction), 0.0)), dtype, out)


def std(x, /, *, axis=None, correction=0.0, keepdims=False, out=None):
    """Standard deviation over the axes: the root of var."""
    return _maps.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims), out=out)


def all(x, /, *, axis=None, keepdims=False, out=None):
    """Are all elements along the axes true (not zero)? No elements: True."""
    return _reduce("all", _MIN, _maps.not_equal(x, 0), axis, keepdims, out, bool_, bool_, (None,), 1)


def any(x, /, *, axis=None, keepdims=False, out=None):
    """Is one element along the axes true (not zero)? No elements: False."""
    return _reduce("any", _MAX, _maps.not_equal(x, 0), axis, keepdims, out, bool_, bool_, (None,), 0)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements along the axes are not zero?"""
    return sum(_maps.not_equal(x, 0), axis=axis, keepdims=keepdims)


def _find(name, kernels, x, axis, keepdims, out):
    x = asarray(x)
    axes = normalize_axes(axis, x.ndim, name)
    if axis is not None and len(axes) != 1:
        raise ValueError(f"{name}: one axis or None, not {axis}")
    if builtins.any(x.shape[i] == 0 for i in axes):
        raise ValueError(f"{name}: no elements along axis {axis} of shape {x.shape}")
    shape = _result_shape(x, axes, keepdims)
    if x.size == 0:
        return _deliver(name, empty(shape, dtype=int64), int64, out)
    rows = _arrange(x, axes, False)
    pieces, step = _pieces(rows.shape)
    at = empty((rows.shape[0], pieces), dtype=int64)
    _find_rows.over(rows.shape[0], pieces, 1)(at, rows, _fold(kernels, rows, x.dtype, (None,)), step)
    at = _fold(_MIN, at, int64, (None,)) if pieces > 1 else at
    return _deliver(name, reshape(at, shape), int64, out)


def argmax(x, /, *, axis=None, keepdims=False, out=None):
    """Index of the first largest element (of the first NaN where there is one) along the axis; None: of x made flat."""
    return _find("argmax", _MAX, x, axis, keepdims, out)


def argmin(x, /, *, axis=None, keepdims=False, out=None):
    """Index of the first smallest element (of the first NaN where there is one) along the axis; None: of x made flat."""
    return _find("argmin", _MIN, x, axis, keepdims, out)


def _along(name, kernels, x, axis, dtype, out, start, work, scratch):
    """A kernel from x to a tensor of its shape, along one axis."""
    x = asarray(x)
    if x.ndim == 0:
        return reshape(_along(name, kernels, reshape(x, (1,)), 0, dtype, out, start, work, scratch), ())
    axis = normalize_axes(axis, x.ndim, name)
    if len(axis) != 1:
        raise ValueError(f"{name}: one axis is needed")
    target = empty(x.shape, dtype=dtype)
    if not x.size:
        return _deliver(name, target, dtype, out)
    if not x._is_contiguous():
        x = copy(x)
    n, inner = x.shape[axis[0]], 1
    for m in x.shape[axis[0] + 1:]:
        inner *= m
    shape = (x.size // (n * inner), n) + ((inner,) if inner > 1 else ())
    if inner > 1:
        start += tuple([empty((shape[0], inner), dtype=work) for _ in range(scratch)])
    kernels[inner > 1].over(shape[0], _strips(shape), 1)(reshape(target, shape), reshape(x, shape), *start)
    return _deliver(name, target, dtype, out)


def _running(name, kernels, x, axis, dtype, out, unit):
    x = asarray(x)
    if axis is None:
        x, axis = reshape(x, (-1,)) if x.size else empty(0, dtype=x.dtype), 0
    work, dtype = _sum_type(x, dtype)
    if x.dtype is not work:
        x = cast(x, work)
    return _along(name, kernels, x, axis, dtype, out, _start(work, unit), work, 1)


def cumsum(x, /, *, axis=None, dtype=None, out=None):
    """Running sums along the axis (None: of x made flat), in the types that sum takes."""
    return _running("cumsum", (_cumsum_rows, _cumsum_columns), x, axis, dtype, out, 0)


def cumprod(x, /, *, axis=None, dtype=None, out=None):
    """Running products along the axis (None: of x made flat), in the types that sum takes."""
    return _running("cumprod", (_cumprod_rows, _cumprod_columns), x, axis, dtype, out, 1)


def _cumulative(f, x, axis, dtype, include_initial, unit):
    x = asarray(x)
    if axis is None and x.ndim != 1:
        raise ValueError(f"cumulative_{f.__name__[3:]}: x of {x.ndim} dimensions needs an axis")
    axis, = normalize_axes((axis or 0,), x.ndim, f"cumulative_{f.__name__[3:]}")
    r = f(x, axis=axis, dtype=dtype)
    lead = full(r.shape[:axis] + (1,) + r.shape[axis + 1:], unit, dtype=r.dtype)
    return concat([lead, r], axis=axis) if include_initial else r


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sums along the axis (None: x is a vector); with include_initial one more, a 0 in front."""
    return _cumulative(cumsum, x, axis, dtype, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running products along the axis (None: x is a vector); with include_initial one more, a 1 in front."""
    return _cumulative(cumprod, x, axis, dtype, include_initial, 1)


def _float(x):
    x = asarray(x)
    return x if x.dtype.kind == "f" else cast(x, float32)


def softmax(x, /, axis=-1, *, out=None):
    """exp(x) over its sum along the axis, without overflow. Integers give float32; halves compute in float32."""
    x = _float(x)
    if x.dtype.itemsize == 2:
        return _deliver("softmax", softmax(cast(x, float32), axis), x.dtype, out)
    return _along("softmax", (_softmax_rows, _softmax_columns), x, axis, x.dtype, out, (), x.dtype, 2)


def log_softmax(x, /, axis=-1, *, out=None):
    """log(softmax(x)) along the axis, without overflow. Integers give float32; halves compute in float32."""
    x = _float(x)
    if x.dtype.itemsize == 2:
        return _deliver("log_softmax", log_softmax(cast(x, float32), axis), x.dtype, out)
    return _along("log_softmax", (_log_softmax_rows, _log_softmax_columns), x, axis, x.dtype, out, (), x.dtype, 2)


for _f in (mean, prod, argmax, argmin, softmax):
    _f.__pyasc_op__ = _f.__name__
