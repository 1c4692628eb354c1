"""Typed numbers of interpreted kernels: what an operation computes in, and what comes out (src/pass/infer.c in Python)."""
import math

from ._dtype import bool_, int64
from ._numeric import FIT, ROUND, WFLT, WINT, compute, conversion, convert, join, now, to_float
from ._print import _short


class Scalar:
    """A number with a dtype, as a compiled kernel has it: operations compute in the type that the operands' types give.

    Weak numbers have one of the dtypes WINT and WFLT. It is an index and a condition like any Python number.
    """

    __slots__ = ("dtype", "value")
    __array_ufunc__ = None  # NumPy's arrays leave operators to us

    def __init__(self, dtype, value):
        self.dtype = dtype
        self.value = value

    def __bool__(self):
        return self.value != 0

    def __index__(self):
        if self.dtype.kind == "f":
            raise TypeError(f"{describe(self.dtype)} is not an integer; cast with int(x), or divide with //")
        return int(self.value)

    def __int__(self):
        return convert(int64, self.dtype, self.value)

    def __float__(self):
        return float(self.value)

    def __hash__(self):
        return hash(self.value)

    def __str__(self):
        v = self.value
        return _short(v) if self.dtype.kind == "f" and self.dtype.itemsize < 8 else str(v)

    def __repr__(self):
        return str(self) if self.dtype in (WINT, WFLT, bool_) else f"{self.dtype.name}({self})"

    def __format__(self, spec):
        return format(self.value, spec) if spec else str(self)

    def __pos__(self):
        return self

    def __round__(self, digits=None):
        if digits is not None:
            raise TypeError("round(x, digits) is not supported in kernels; scale, round and scale back")
        return cast(int64, unary("round", self))

    def item(self):
        """The Python number."""
        return self.value


def describe(dtype):
    return "an int" if dtype is WINT else "a float" if dtype is WFLT else dtype.name


_scalar_types = {int: WINT, float: WFLT, bool: bool_}


def operand(x):
    """(dtype, value) of a number: a Scalar, a weak number of Python or NumPy; None of anything else."""
    kind = type(x)
    if kind is Scalar:
        return x.dtype, x.value
    if kind in _scalar_types:
        return _scalar_types[kind], x
    if isinstance(x, (int, float)) or (kind.__module__ == "numpy" and hasattr(x, "item") and not getattr(x, "shape", 1)):
        return operand(x.item() if hasattr(x, "item") else float(x) if isinstance(x, float) else int(x))
    return None


def cast(dtype, x):
    """The number x as a Scalar of dtype. TypeError where x is no number."""
    got = operand(x)
    if got is None:
        raise TypeError(f"a {type(x).__name__} stands where a number is needed; of a tensor's View take an element")
    return Scalar(dtype, convert(dtype, *got))


def let(x):
    """What a variable holds when x is assigned to it: weak integers become int64. Tuples by element."""
    kind = type(x)
    if kind is Scalar:
        return Scalar(int64, FIT["int64"](x.value)) if x.dtype is WINT else x
    if kind is int:
        return Scalar(int64, FIT["int64"](x))
    if kind is float:
        return Scalar(WFLT, x)
    if kind is bool:
        return Scalar(bool_, x)
    if kind is tuple:
        return tuple(map(let, x))
    return x


# Operations on two numbers.

def _floordiv_int(t, a, b):
    if b:
        return a // b
    if now.check or now.tries:
        raise ZeroDivisionError("integer division or modulo by zero")
    return 0


def _mod_int(t, a, b):
    return a % b if b else _floordiv_int(t, a, b)


def _pow_int(t, a, b):
    if b >= 0:
        return pow(a, b, 1 << 64)
    return 0 if a not in (1, -1) else -1 if a < 0 and b & 1 else 1


def _shl(t, a, b):
    return a << b if 0 <= b < 8 * t.itemsize else 0


def _shr(t, a, b):
    return a >> b if 0 <= b < 8 * t.itemsize else -1 if a < 0 else 0


def _caught_zero(b):
    """Of floats too, division by zero raises in a try that can catch it."""
    if not b and now.tries:
        raise ZeroDivisionError("division by zero")


def _div(r, a, b):
    if b:
        return r(a / b)
    _caught_zero(b)
    return math.nan if a != a or b != b or not a else math.copysign(math.inf, a) * math.copysign(1, b)


def _rem(a, b):
    """C's fmod."""
    return math.nan if math.isinf(a) or not b else math.fmod(a, b)


def _mod_float(r, a, b):
    _caught_zero(b)
    m = _rem(a, b)
    if m and (m < 0) != (b < 0):
        m = r(m + b)
    return m if m else math.copysign(m, b)


def _floordiv_float(r, a, b):
    if not b or a != a or b != b:
        return _div(r, a, b)
    m = _rem(a, b)
    q = _div(r, r(a - m), b)
    if m and (m < 0) != (b < 0):
        q = r(q - 1)
    if not math.isfinite(q):
        return q
    low = math.floor(q)
    q = r(float(low + (q - low > 0.5)))
    return q if q else math.copysign(q, _div(r, a, b))


def _pow_float(r, a, b):
    odd = math.isfinite(b) and b == int(b) and int(b) % 2 == 1
    try:
        return r(math.pow(a, b))
    except OverflowError:
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:  # 0 to a negative power, or a negative number to a fraction
        return math.nan if a else math.copysign(math.inf, a) if odd else math.inf


def _pick(larger):
    def choose(r, a, b):
        if a != a or b != b:
            return math.nan
        if a == b:
            return a if (math.copysign(1, a) > 0) == larger else b
        return a if (a > b) == larger else b
    return choose


def _float_only(name):
    def complain(r, a, b):
        raise TypeError(f"bitwise operation {name} on floats; cast with int(x) first, or use `and`/`or` for truth")
    return complain


def _join_bool(a, b):
    return bool_ if a is b is bool_ else join(a, b)


def _shift_type(a, b):
    return compute(a) if b is WINT else join(a, b)


def _div_type(a, b):
    return to_float(join(a, b))


# name: the type, of ints, of floats (with the type's rounding)
_BINARY = {
    "add": (join, lambda t, a, b: a + b, lambda r, a, b: r(a + b)),
    "sub": (join, lambda t, a, b: a - b, lambda r, a, b: r(a - b)),
    "mul": (join, lambda t, a, b: a * b, lambda r, a, b: r(a * b)),
    "div": (_div_type, None, _div),
    "floordiv": (join, _floordiv_int, _floordiv_float),
    "mod": (join, _mod_int, _mod_float),
    "pow": (join, _pow_int, _pow_float),
    "and": (_join_bool, lambda t, a, b: a & b, _float_only("&")),
    "or": (_join_bool, lambda t, a, b: a | b, _float_only("|")),
    "xor": (_join_bool, lambda t, a, b: a ^ b, _float_only("^")),
    "lshift": (_shift_type, _shl, _float_only("<<")),
    "rshift": (_shift_type, _shr, _float_only(">>")),
    "max": (_join_bool, lambda t, a, b: max(a, b), _pick(True)),
    "min": (_join_bool, lambda t, a, b: min(a, b), _pick(False)),
    "atan2": (_div_type, None, lambda r, a, b: r(math.atan2(a, b))),
}
_OVERFLOWS = {"add", "sub", "mul", "floordiv"}


def binary_type(name, a, b):
    """The type of a binary operation on operands of types a and b."""
    return _BINARY[name][0](a, b)


def _binary(name):
    rule, of_ints, of_floats = _BINARY[name]
    plans, overflows = {}, name in _OVERFLOWS

    def operate(da, a, db, b):
        try:
            t, ca, cb, fit, floats = plans[da.name, db.name]
        except KeyError:
            t = rule(da, db)
            floats = t.kind == "f"
            fit = (ROUND if floats else FIT)[t.name]
            ca, cb = conversion(t, da), conversion(t, db)
            plans[da.name, db.name] = t, ca, cb, fit, floats
        if ca is not None:
            a = ca(a)
        if cb is not None:
            b = cb(b)
        if floats:
            return Scalar(t, of_floats(fit, a, b))
        exact = of_ints(t, a, b)
        value = fit(exact)
        if now.check and overflows and value != exact and t.kind == "i":
            raise OverflowError(f"{t.name} overflow: {a} {name} {b}")
        return Scalar(t, value)
    return operate


BINARY = {name: _binary(name) for name in _BINARY}


def binary(name, x, y):
    """The operation of two numbers. TypeError where one is none."""
    a, b = operand(x), operand(y)
    if a is None or b is None:
        raise TypeError(f"a {type(y if b is None else x).__name__} stands where a number is needed")
    return BINARY[name](*a, *b)


# Functions of one number.

def _guard(f, over=math.inf):
    """f, with infinity where it overflows and NaN where it is not defined."""
    def call(v):
        try:
            return f(v)
        except OverflowError:
            return math.copysign(over, v) if f is math.sinh else over
        except ValueError:
            return math.nan
    return call


def _log(f, pole=0.0):
    return lambda v: -math.inf if v == pole else math.nan if v < pole else f(v)


def _whole(f):
    return lambda v: math.copysign(f(v), v) if math.isfinite(v) else v


def _atanh(v):
    return math.copysign(math.inf, v) if abs(v) == 1 else math.atanh(v)


_exp = _guard(math.exp)
_FLOAT = {
    "exp": _exp, "exp2": _guard(lambda v: 0.0 if v < -1080 else 2.0 ** v), "expm1": _guard(math.expm1), "log": _log(math.log), "log2": _log(math.log2),
    "log10": _log(math.log10), "log1p": _log(math.log1p, -1.0), "sqrt": _guard(math.sqrt), "sin": _guard(math.sin),
    "cos": _guard(math.cos), "tan": _guard(math.tan), "asin": _guard(math.asin), "acos": _guard(math.acos),
    "atan": math.atan, "sinh": _guard(math.sinh), "cosh": _guard(math.cosh), "tanh": math.tanh, "asinh": math.asinh,
    "acosh": _guard(math.acosh), "atanh": _guard(_atanh), "erf": math.erf,
}
_WHOLE = {"floor": _whole(math.floor), "ceil": _whole(math.ceil), "trunc": _whole(math.trunc), "round": _whole(round)}


def unary(name, x):
    """A function of one number. TypeError where x is none."""
    got = operand(x)
    if got is None:
        raise TypeError(f"{name}: a {type(x).__name__} stands where a number is needed")
    of, v = got
    if name in _WHOLE:
        t = compute(of) if of.kind == "f" else of
        return Scalar(t, _WHOLE[name](v) if t.kind == "f" else v)
    if name in ("neg", "abs", "inv"):
        return _integral(name, of, v)
    t = to_float(of)
    v = convert(t, of, v)
    if name == "isnan":
        return Scalar(bool_, v != v)
    r = ROUND[t.name]
    if name == "rsqrt":
        return Scalar(t, _div(r, 1.0, r(_FLOAT["sqrt"](v))))
    if name == "sigmoid":
        return Scalar(t, r(1.0 / (1.0 + _exp(-v))))
    return Scalar(t, r(_FLOAT[name](v)))


def _integral(name, of, v):
    if name == "inv" and of is bool_:
        return Scalar(bool_, not v)
    if name == "inv" and of.kind == "f":
        raise TypeError("bitwise operation ~ on a float; cast with int(x) first")
    t = compute(of)
    v = convert(t, of, v)
    value = -v if name == "neg" else abs(v) if name == "abs" else ~v
    return Scalar(t, value if t.kind == "f" else FIT[t.name](value))


UNARY = (*_FLOAT, *_WHOLE, "neg", "abs", "isnan", "rsqrt", "sigmoid")


# Python's operators.

def _install():
    rows = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv", "mod": "mod",
            "pow": "pow", "and": "and", "or": "or", "xor": "xor", "lshift": "lshift", "rshift": "rshift"}

    def install(name, operate):
        def forward(self, other):
            got = operand(other)
            return NotImplemented if got is None else operate(self.dtype, self.value, *got)

        def backward(self, other):
            got = operand(other)
            return NotImplemented if got is None else operate(*got, self.dtype, self.value)
        setattr(Scalar, f"__{name}__", forward)
        setattr(Scalar, f"__r{name}__", backward)

    def compare(name, f):
        def method(self, other):
            got = operand(other)
            if got is None:
                return NotImplemented
            (da, a), (db, b) = (self.dtype, self.value), got
            if da.kind == "f" or db.kind == "f":
                t = join(da, db)
                a, b = convert(t, da, a), convert(t, db, b)
            return Scalar(bool_, f(a, b))
        setattr(Scalar, f"__{name}__", method)
    for name, op in rows.items():
        install(name, BINARY[op])
    for name, f in (("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b),
                    ("ge", lambda a, b: a >= b), ("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b)):
        compare(name, f)
    Scalar.__neg__ = lambda self: unary("neg", self)
    Scalar.__abs__ = lambda self: unary("abs", self)
    Scalar.__invert__ = lambda self: unary("inv", self)


_install()
