"""Products of matrices and convolution, as kernels."""
from . import _core, _maps
from ._jit import jit
from ._lang import get_global_id
from ._reduce import sum as _sum
from ._tensor import asarray, broadcast_to, cast, empty, moveaxis, reshape, zeros

__all__ = ["matmul", "dot", "vecdot", "tensordot", "conv2d"]


@jit
def _matmul(out, a, b, zero):
    n, i, j = get_global_id(2), get_global_id(1), get_global_id(0)
    acc = zero
    for k in range(a.shape[2]):
        acc += a[n, i, k] * b[n, k, j]
    out[n, i, j] = acc


@jit
def _matvec(out, a, b, zero):
    n, i = get_global_id(2), get_global_id(1)
    acc = zero
    for k in range(a.shape[2]):
        acc += a[n, i, k] * b[n, k]
    out[n, i, 0] = acc


def _batches(x, shape):
    """x with its leading dimensions broadcast to shape and joined to one."""
    x = broadcast_to(x, shape + x.shape[-2:]) if x.shape[:-2] != shape else x
    n = 1
    for m in shape:
        n *= m
    return reshape(x, (n,) + x.shape[-2:])


def matmul(x, y, /, *, out=None):
    """Matrix product, NumPy's rules: the last two dimensions multiply, those before broadcast; a vector is a row on the
    left and a column on the right. float16 and bfloat16 accumulate in float32."""
    x, y = asarray(x), asarray(y)
    if not x.ndim or not y.ndim:
        raise ValueError(f"matmul: shapes {x.shape} and {y.shape}: a number is no matrix; use mul")
    a = x[None] if x.ndim == 1 else x
    b = y[:, None] if y.ndim == 1 else y
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: shapes {x.shape} and {y.shape} do not fit: {a.shape[-1]} columns, {b.shape[-2]} rows")
    dtype = _core.result_type(x, y)
    lead = _lead("matmul", x, y, a.shape[:-2], b.shape[:-2])
    shape = lead + ((a.shape[-2],) if x.ndim > 1 else ()) + ((b.shape[-1],) if y.ndim > 1 else ())
    target = zeros(shape, dtype=dtype) if not a.shape[-1] else empty(shape, dtype=dtype)
    if target.size and a.shape[-1]:
        a, b = _batches(a, lead), _batches(b, lead)
        flat = reshape(target, (a.shape[0], a.shape[1], b.shape[2]))
        zero = 0.0 if dtype.kind == "f" else 0
        if b.shape[2] == 1:
            _matvec.over(flat.shape[0], flat.shape[1], 1)(flat, a, b[:, :, 0], zero)
        else:
            _matmul.over(*flat.shape)(flat, a, b, zero)
    return target if out is None else _maps.map_into("matmul", _maps.COPY, "s", out, target)


def _lead(name, x, y, a, b):
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    if any(p != q and 1 not in (p, q) for p, q in zip(a, b)):
        raise ValueError(f"{name}: the leading dimensions of {x.shape} and {y.shape} do not broadcast")
    return tuple(q if p == 1 else p for p, q in zip(a, b))


def dot(x, y, /, *, out=None):
    """NumPy's dot: of vectors the inner product, else the sum over the last axis of x and the last but one of y."""
    x, y = asarray(x), asarray(y)
    if not x.ndim or not y.ndim:
        return _maps.mul(x, y, out=out)
    if x.ndim == 1 and y.ndim == 1:
        return vecdot(x, y, out=out)
    if y.ndim <= 2:
        return matmul(x, y, out=out)
    if x.shape[-1] != y.shape[-2]:
        raise ValueError(f"dot: shapes {x.shape} and {y.shape} do not fit")
    b = moveaxis(y, -2, 0)
    a = reshape(x, (x.size // max(x.shape[-1], 1), x.shape[-1]))
    r = matmul(a, reshape(b, (b.shape[0], b.size // max(b.shape[0], 1))))
    r = reshape(r, x.shape[:-1] + b.shape[1:])
    return r if out is None else _maps.map_into("dot", _maps.COPY, "s", out, r)


def vecdot(x, y, /, *, axis=-1, out=None):
    """Inner products along an axis; halves accumulate in float32."""
    x, y = asarray(x), asarray(y)
    if x.shape[axis] != y.shape[axis]:
        raise ValueError(f"dot: shapes {x.shape} and {y.shape} do not fit")
    dtype = _core.result_type(x, y)
    wide = dtype if dtype.itemsize > 2 or dtype.kind != "f" else "float32"
    return _sum(_maps.mul(cast(x, wide), cast(y, wide)), axis=axis, dtype=dtype, out=out)


def tensordot(x, y, /, *, axes=2):
    """The sum over axes of x and as many of y: an int (last of x, first of y) or a pair of sequences."""
    x, y = asarray(x), asarray(y)
    if isinstance(axes, int):
        axes = (tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes)))
    p, q = (tuple(a % t.ndim for a in one) for one, t in zip(axes, (x, y)))
    if [x.shape[i] for i in p] != [y.shape[i] for i in q]:
        raise ValueError(f"tensordot: shapes {x.shape} and {y.shape} differ along {axes}")
    a = moveaxis(x, p, tuple(range(x.ndim - len(p), x.ndim)))
    b = moveaxis(y, q, tuple(range(len(q))))
    k = 1
    for i in p:
        k *= x.shape[i]
    left, right = a.shape[:x.ndim - len(p)], b.shape[len(q):]
    m = n = 1
    for e in left:
        m *= e
    for e in right:
        n *= e
    return reshape(matmul(reshape(a, (m, k)), reshape(b, (k, n))), left + right)


@jit
def _conv(out, x, w, bias, sh, sw, dh, dw, groups, zero):
    t, oh, ow = get_global_id(2), get_global_id(1), get_global_id(0)
    n, oc = t // w.shape[0], t % w.shape[0]
    first = oc // (w.shape[0] // groups) * w.shape[1]
    acc = zero
    for ic in range(w.shape[1]):
        for kh in range(w.shape[2]):
            for kw in range(w.shape[3]):
                acc += x[n, first + ic, oh * sh + kh * dh, ow * sw + kw * dw] * w[oc, ic, kh, kw]
    if bias is not None:
        acc += bias[oc]
    out[t, oh, ow] = acc


@jit
def _conv_unit(out, x, w, bias, sh, dh, dw, groups, zero):
    t, oh, ow = get_global_id(2), get_global_id(1), get_global_id(0)
    n, oc = t // w.shape[0], t % w.shape[0]
    first = oc // (w.shape[0] // groups) * w.shape[1]
    acc = zero
    for ic in range(w.shape[1]):
        for kh in range(w.shape[2]):
            for kw in range(w.shape[3]):
                acc += x[n, first + ic, oh * sh + kh * dh, ow + kw * dw] * w[oc, ic, kh, kw]
    if bias is not None:
        acc += bias[oc]
    out[t, oh, ow] = acc


def _pair(v, name):
    v = (v, v) if isinstance(v, int) else tuple(v)
    if len(v) != 2:
        raise ValueError(f"conv2d: {name} is an int or a pair")
    return v


def conv2d(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, *, out=None):
    """Two-dimensional cross-correlation. x: (N, C, H, W); w: (O, C / groups, KH, KW); bias: (O,).

    stride, padding (zeros on both sides) and dilation: an int or a pair (height, width). The result is (N, O, OH, OW)
    with OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1. Halves accumulate in float32.
    """
    x, w = asarray(x), asarray(w)
    (sh, sw), (ph, pw), (dh, dw) = _pair(stride, "stride"), _pair(padding, "padding"), _pair(dilation, "dilation")
    if x.ndim != 4 or w.ndim != 4:
        raise ValueError(f"conv2d: x {x.shape} and w {w.shape} need four dimensions each")
    if groups < 1 or x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise ValueError(f"conv2d: x {x.shape}, w {w.shape} and {groups} groups do not fit")
    if min(sh, sw, dh, dw) < 1 or min(ph, pw) < 0:
        raise ValueError("conv2d: stride and dilation are at least 1, padding at least 0")
    n, o = x.shape[0], w.shape[0]
    bias = None if bias is None else asarray(bias)
    if bias is not None and bias.shape != (o,):
        raise ValueError(f"conv2d: bias {bias.shape} is not ({o},)")
    h = (x.shape[2] + 2 * ph - dh * (w.shape[2] - 1) - 1) // sh + 1
    v = (x.shape[3] + 2 * pw - dw * (w.shape[3] - 1) - 1) // sw + 1
    if h < 1 or v < 1:
        raise ValueError(f"conv2d: the window of w {w.shape} is larger than x {x.shape} with its padding")
    dtype = _core.result_type(x, w)
    target = empty((n, o, h, v), dtype=dtype)
    if target.size:
        if ph or pw:
            padded = zeros((n, x.shape[1], x.shape[2] + 2 * ph, x.shape[3] + 2 * pw), dtype=x.dtype)
            padded[:, :, ph:ph + x.shape[2], pw:pw + x.shape[3]] = x
            x = padded
        flat, zero = reshape(target, (n * o, h, v)), 0.0 if dtype.kind == "f" else 0
        if sw == 1:
            _conv_unit.over(*flat.shape)(flat, x, w, bias, sh, dh, dw, groups, zero)
        else:
            _conv.over(*flat.shape)(flat, x, w, bias, sh, sw, dh, dw, groups, zero)
    return target if out is None else _maps.map_into("conv2d", _maps.COPY, "s", out, target)


matmul.__pyasc_op__, dot.__pyasc_op__ = "matmul", "dot"
