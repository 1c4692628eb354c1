"""Functions of numbers in interpreted kernels: those of pyasc, and Python's own where kernels mean something else."""
import builtins

from . import _lang
from ._dtype import bool_, int64
from ._intrinsics import OPS, op
from ._numeric import convert, lub
from ._scalar import UNARY, Scalar, cast, operand
from ._core import Tensor
from ._tensor import cast as cast_tensor
from ._view import Vector, View, apply1, apply2, as_tensor, by_lane, computed, is_whole, whole_where, wrap


def _functions():
    def one(name, operation):
        def f(x):
            return apply1(operation, x)
        f.__name__ = name
        op(f)

    def two(name, operation):
        def f(x, y):
            return apply2(operation, x, y)
        f.__name__ = name
        op(f)
    for name in UNARY:
        one(name, name)
    for name, operation in (("fabs", "abs"), ("rint", "round")):
        one(name, operation)
    for name, operation in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("div", "div"), ("pow", "pow"), ("atan2", "atan2"),
                     ("maximum", "max"), ("minimum", "min")):
        two(name, operation)


_functions()


@op
def relu(x):
    return apply2("max", x, 0)


def _select(c, x, y):
    a, b = operand(x), operand(y)
    t = lub(a[0], b[0])
    return Scalar(t, convert(t, *(a if c else b)))


@op
def where(c, x, y):
    if any(isinstance(v, Vector) for v in (c, x, y)):
        return by_lane(_select, c, x, y)
    return whole_where(c, x, y) if is_whole(c, x, y) else _select(c, x, y)


def _cast_to(dtype):
    def f(x):
        if isinstance(x, Vector):
            return by_lane(f, x)
        return wrap(cast_tensor(as_tensor(x), dtype)) if isinstance(x, View) else cast(dtype, x)
    f.__pyasc_here__ = True
    return f


_casts = {}


def caster(dtype):
    """What calling the dtype is in a kernel."""
    if dtype not in _casts:
        _casts[dtype] = _cast_to(dtype)
    return _casts[dtype]


@op
def int_(x=0, *base):
    return builtins.int(x, *base) if isinstance(x, (str, bytes)) else caster(int64)(x)


@op
def float_(x=0.0):
    return builtins.float(x) if isinstance(x, (str, bytes)) else apply2("mul", x, 1.0)


@op
def bool_of(x=False):
    return caster(bool_)(x) if operand(x) or isinstance(x, (View, Vector)) else Scalar(bool_, builtins.bool(x))


OPS["bool"] = OPS.pop("bool_of")


@op
def fmod(x, y):
    """The remainder with the sign of the dividend."""
    m = apply2("mod", apply1("abs", x), apply1("abs", y))
    return OPS["where"](x < 0, apply1("neg", m), m)


def _whole(name):
    def f(x):
        return caster(int64)(apply1(name, x))
    f.__name__ = name + "_int"
    op(f)


for _name in ("floor", "ceil", "trunc"):
    _whole(_name)


@op
def round_(x, *digits):
    if digits:
        scale = 10.0 ** abs(int(digits[0]))
        up, down = ("mul", "div") if digits[0] >= 0 else ("div", "mul")
        return apply2(down, apply1("round", apply2(up, x, scale)), scale)
    return caster(int64)(apply1("round", x))


def _extremes():
    def extreme(name):
        import pyasc
        reduce, python = getattr(pyasc, name), getattr(builtins, name)

        def f(*args, **kwargs):
            if isinstance(args[0], View) and (len(args) == 1 or not isinstance(args[1], (View, Scalar, float)) and kwargs):
                return computed(reduce)(*args, **kwargs)
            if kwargs:
                return python(*args, **kwargs)
            items = args if len(args) > 1 else tuple(args[0])
            if not items or not all(operand(v) or isinstance(v, (View, Vector)) for v in items):
                return python(*args)
            best = items[0]
            for v in items[1:]:
                best = apply2(name, best, v)
            return best if len(items) > 1 else +best
        f.__name__ = name
        return f
    for name in ("max", "min"):
        def late(*args, name=name, **kwargs):  # pyasc is not whole yet where this module is imported
            OPS[name] = late.made[name] = late.made.get(name) or extreme(name)
            return late.made[name](*args, **kwargs)
        late.made = {}
        late.__name__ = name
        op(late)


_extremes()


@op
def sum_(x, *args, **kwargs):
    if isinstance(x, View):
        import pyasc
        return computed(pyasc.sum)(x, *args, **kwargs)
    if isinstance(x, Scalar):
        raise TypeError("sum() of one number")
    items = tuple(x)
    if args or not items:
        return builtins.sum(items, *args)
    total = items[0]
    for v in items[1:]:
        total = apply2("add", total, v)
    return total


@op
def divmod_(x, y):
    return apply2("floordiv", x, y), apply2("mod", x, y)


@op
def len_(x):
    return Scalar(int64, builtins.len(x)) if isinstance(x, View) else builtins.len(x)


_PYTHONS = {"b": (bool, int), "i": (int,), "u": (int,), "f": (float,)}


@op
def isinstance_(x, kinds):
    if isinstance(x, View):  # a tensor of any library is one to a kernel
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        return any(k is Tensor or builtins.isinstance(x, k) for k in kinds)
    if type(x) is not Scalar:
        return builtins.isinstance(x, kinds)
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(k in _PYTHONS[x.dtype.kind] or k is Scalar or k is object for k in kinds)


@op
def type_(x, *more):
    return _PYTHONS[x.dtype.kind][0] if type(x) is Scalar and not more else builtins.type(x, *more)


assert all(n in OPS for n in _lang.__all__ if n != "constexpr")
