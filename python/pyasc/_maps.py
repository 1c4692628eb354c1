"""Element-wise operations. Each is a kernel of this compiler over arrays of one to three dimensions; `_core.map`
broadcasts the operands, joins dimensions that lie alike, and launches.

In a kernel the same name is an operation of the compiler, or is lowered from the Python function beside it here.
"""
import math

from . import _core
from ._jit import jit
from ._lang import element, get_global_id

__all__ = []
_pi_4 = 0.7853981633974483
_sqrt_half = 0.7071067811865476


def _kernels1(f):
    @jit
    def map1(out, x):
        i = get_global_id(0)
        out[i] = f(element(x, i))

    @jit
    def map2(out, x):
        i, j = get_global_id(1), get_global_id(0)
        out[i, j] = f(element(x, i, j))

    @jit
    def map3(out, x):
        i, j, k = get_global_id(2), get_global_id(1), get_global_id(0)
        out[i, j, k] = f(element(x, i, j, k))
    return map1, map2, map3


def _kernels2(f):
    @jit
    def map1(out, x, y):
        i = get_global_id(0)
        out[i] = f(element(x, i), element(y, i))

    @jit
    def map2(out, x, y):
        i, j = get_global_id(1), get_global_id(0)
        out[i, j] = f(element(x, i, j), element(y, i, j))

    @jit
    def map3(out, x, y):
        i, j, k = get_global_id(2), get_global_id(1), get_global_id(0)
        out[i, j, k] = f(element(x, i, j, k), element(y, i, j, k))
    return map1, map2, map3


def _kernels3(f):
    @jit
    def map1(out, x, y, z):
        i = get_global_id(0)
        out[i] = f(element(x, i), element(y, i), element(z, i))

    @jit
    def map2(out, x, y, z):
        i, j = get_global_id(1), get_global_id(0)
        out[i, j] = f(element(x, i, j), element(y, i, j), element(z, i, j))

    @jit
    def map3(out, x, y, z):
        i, j, k = get_global_id(2), get_global_id(1), get_global_id(0)
        out[i, j, k] = f(element(x, i, j, k), element(y, i, j, k), element(z, i, j, k))
    return map1, map2, map3


class _Lazy:
    """The kernels of one operation, made when it is first used outside a kernel."""

    __slots__ = ("make", "f", "made")

    def __init__(self, make, f):
        self.make, self.f, self.made = make, f, None

    def get(self):
        if self.made is None:
            self.made = self.make(self.f)
        return self.made


def identity(x):
    return x


COPY = _Lazy(_kernels1, identity)


def map_into(name, lazy, rule, out, *operands):
    return _core.map(name, lazy.get(), rule, out, *operands)


def _finish(op, name, doc, core, f):
    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc + ("\n\nNumPy's broadcasting; `out` takes the result. In a kernel: of numbers.\n"
                        "ValueError where shapes do not fit, TypeError where a type does not.")
    if core:
        op.__pyasc_op__ = core
    else:
        op.__pyasc_fn__ = f
    globals()[name] = op
    __all__.append(name)
    return op


def _unary(name, rule, doc, f=None, core=None):
    def op(x, /, *, out=None):
        made = lazy.made or lazy.get()
        return core_map(name, made, rule, out, x)
    core_map = _core.map
    lazy = _Lazy(_kernels1, f or op)
    return _finish(op, name, doc, None if f else core or name, f)


def _binary(name, rule, doc, f=None, core=None):
    def op(x, y, /, *, out=None):
        made = lazy.made or lazy.get()
        return core_map(name, made, rule, out, x, y)
    core_map = _core.map
    lazy = _Lazy(_kernels2, f or op)
    return _finish(op, name, doc, None if f else core or name, f)


for _name, _doc in [line.split("|") for line in """
exp|e ** x
exp2|2 ** x
expm1|e ** x - 1, exact for small x
log|Natural logarithm
log2|Logarithm to base 2
log10|Logarithm to base 10
log1p|log(1 + x), exact for small x
sqrt|Square root
rsqrt|1 / sqrt(x)
sin|Sine of radians
cos|Cosine of radians
tan|Tangent of radians
asin|Arc sine, in radians
acos|Arc cosine, in radians
atan|Arc tangent, in radians
sinh|Hyperbolic sine
cosh|Hyperbolic cosine
tanh|Hyperbolic tangent
asinh|Inverse hyperbolic sine
acosh|Inverse hyperbolic cosine
atanh|Inverse hyperbolic tangent
erf|Error function, 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x
sigmoid|1 / (1 + exp(-x))
""".strip().splitlines()]:
    _unary(_name, "f", f"{_doc}, element by element. Integers give float32.")
for _name, _core_name, _doc in [line.split("|") for line in """
floor||Round down
ceil||Round up
trunc||Round toward zero
round|rint|Round half to even
abs||Absolute value
neg||-x
relu||max(x, 0)
""".strip().splitlines()]:
    _unary(_name, "n" if _name == "neg" else "s", f"{_doc}, element by element; the type stays.", None, _core_name)
_unary("isnan", "b", "Is x not a number?")
for _name, _rule, _core_name, _doc in [line.split("|") for line in """
add|s||x + y
sub|n||x - y
mul|s||x * y
div|f||x / y. Integers give float32
pow|s||x ** y
atan2|f||Angle of the point (y, x), in radians: the first operand is the ordinate
maximum|s||The larger of x and y; NaN propagates
minimum|s||The smaller of x and y; NaN propagates
""".strip().splitlines()]:
    _binary(_name, _rule, f"{_doc}, element by element.", None, _core_name)


def _def_floor_div(x, y): return x // y
def _def_mod(x, y): return x % y
def _def_eq(x, y): return x == y
def _def_ne(x, y): return x != y
def _def_lt(x, y): return x < y
def _def_le(x, y): return x <= y
def _def_gt(x, y): return x > y
def _def_ge(x, y): return x >= y
def _def_and(x, y): return x & y
def _def_or(x, y): return x | y
def _def_xor(x, y): return x ^ y
def _def_shl(x, y): return x << y
def _def_shr(x, y): return x >> y
def _def_land(x, y): return (x != 0) & (y != 0)
def _def_lor(x, y): return (x != 0) | (y != 0)
def _def_lxor(x, y): return (x != 0) ^ (y != 0)
def _def_inv(x): return ~x
def _def_lnot(x): return x == 0
def _def_isinf(x): return abs(x) == math.inf
def _def_isfinite(x): return abs(x) < math.inf
def _def_reciprocal(x): return 1 / x
def _def_square(x): return x * x
def _def_positive(x): return x
def _def_imag(x): return 0
def _def_gelu(x): return 0.5 * x * (1.0 + erf(x * _sqrt_half))
def _def_silu(x): return x * sigmoid(x)
def _def_softplus(x): return maximum(x, 0.0) + log1p(exp(-abs(1.0 * x)))


def _def_logaddexp(x, y):
    return 1.0 * x + log(2.0) if x == y else 1.0 * maximum(x, y) + log1p(exp(-abs(1.0 * x - 1.0 * y)))


def _def_hypot(x, y):
    a, b = maximum(abs(1.0 * x), abs(1.0 * y)), minimum(abs(1.0 * x), abs(1.0 * y))
    return math.inf if abs(x) == math.inf or abs(y) == math.inf else a * sqrt(1.0 + (b / a) * (b / a)) if a > 0 else a


def _def_sign(x):
    return 1 * (x > 0) - 1 * (x < 0) if x == x else x


for _name, _rule, _f, _doc in (
        ("floor_div", "n", _def_floor_div, "x // y, floored; integers by zero give 0"),
        ("mod", "n", _def_mod, "x % y with the sign of y; integers by zero give 0"),
        ("equal", "b", _def_eq, "x == y"), ("not_equal", "b", _def_ne, "x != y"),
        ("less", "b", _def_lt, "x < y"), ("less_equal", "b", _def_le, "x <= y"),
        ("greater", "b", _def_gt, "x > y"), ("greater_equal", "b", _def_ge, "x >= y"),
        ("bitwise_and", "i", _def_and, "x & y of integers or bools"),
        ("bitwise_or", "i", _def_or, "x | y of integers or bools"),
        ("bitwise_xor", "i", _def_xor, "x ^ y of integers or bools"),
        ("bitwise_left_shift", "i", _def_shl, "x << y; beyond the width 0"),
        ("bitwise_right_shift", "i", _def_shr, "x >> y; beyond the width 0 or -1"),
        ("logical_and", "b", _def_land, "Are both not zero?"), ("logical_or", "b", _def_lor, "Is one not zero?"),
        ("logical_xor", "b", _def_lxor, "Is just one not zero?"),
        ("logaddexp", "f", _def_logaddexp, "log(exp(x) + exp(y)) without overflow. Integers give float32"),
        ("hypot", "f", _def_hypot, "sqrt(x * x + y * y) without overflow. Integers give float32")):
    _binary(_name, _rule, f"{_doc}, element by element.", _f)
for _name, _rule, _f, _doc in (
        ("bitwise_invert", "i", _def_inv, "~x of integers; of bools, not x"),
        ("logical_not", "b", _def_lnot, "Is x zero?"),
        ("isinf", "b", _def_isinf, "Is x infinite?"), ("isfinite", "b", _def_isfinite, "Is x neither infinite nor NaN?"),
        ("reciprocal", "f", _def_reciprocal, "1 / x"), ("square", "s", _def_square, "x * x"),
        ("positive", "s", _def_positive, "A copy of x"), ("conj", "s", _def_positive, "x, as it is real: a copy"),
        ("real", "s", _def_positive, "x, as it is real: a copy"), ("imag", "s", _def_imag, "0, as x is real"),
        ("sign", "s", _def_sign, "-1, 0 or 1; NaN stays"),
        ("gelu", "f", _def_gelu, "x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel 2016, the exact form)"),
        ("silu", "f", _def_silu, "x * sigmoid(x)"),
        ("softplus", "f", _def_softplus, "log(1 + exp(x))")):
    _unary(_name, _rule, f"{_doc}, element by element.", _f)


def _def_where(c, x, y): return where(c, x, y)
def _def_clip(x, lo, hi): return minimum(maximum(x, lo), hi)
def _def_leaky(x, negative_slope=0.01): return x if x > 0 else x * negative_slope


_WHERE, _CLIP, _LEAKY = (_Lazy(_kernels3, _def_where), _Lazy(_kernels3, _def_clip), _Lazy(_kernels2, _def_leaky))


def where(condition, x, y, /, *, out=None):
    """x where the condition is true (not zero), else y, element by element.

    All three broadcast; the result has the common type of x and y. In a kernel: of numbers.
    """
    return map_into("where", _WHERE, "s1", out, condition, x, y)


where.__pyasc_op__ = "where"


def leaky_relu(x, negative_slope=0.01, *, out=None):
    """x where x > 0, else x * negative_slope, element by element. Integers give float32."""
    return map_into("leaky_relu", _LEAKY, "f", out, x, negative_slope)


leaky_relu.__pyasc_fn__ = _def_leaky


def clip(x, min=None, max=None, *, out=None):
    """x held between min and max (either may be None), element by element, in the type that all three have together."""
    if min is None and max is None:
        return map_into("clip", COPY, "s", out, x)
    if min is None:
        return minimum(x, max, out=out)
    if max is None:
        return maximum(x, min, out=out)
    return map_into("clip", _CLIP, "s", out, x, min, max)


clip.__pyasc_fn__ = _def_clip
__all__ += ["where", "leaky_relu", "clip"]
for _alias, _name in (("subtract", "sub"), ("multiply", "mul"), ("divide", "div"), ("true_divide", "div"),
                      ("floor_divide", "floor_div"), ("remainder", "mod"), ("negative", "neg"), ("power", "pow"),
                      ("absolute", "abs"), ("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan"),
                      ("arctan2", "atan2"), ("arcsinh", "asinh"), ("arccosh", "acosh"), ("arctanh", "atanh"),
                      ("bitwise_not", "bitwise_invert"), ("invert", "bitwise_invert"), ("eq", "equal"),
                      ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                      ("ge", "greater_equal")):
    globals()[_alias] = globals()[_name]
    __all__.append(_alias)
