"""Eager tensor operations against NumPy: values, types, shapes, memory, and how tensors meet other arrays."""
import copy
import functools
import gc
import math
import operator
import pickle
import sys

import ml_dtypes
import numpy as np
import pyasc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
ALL = ["bool", *INTS, *FLOATS]
NP = {n: np.dtype(ml_dtypes.bfloat16 if n == "bfloat16" else n) for n in ALL}
PA = {n: getattr(pyasc, "bool_" if n == "bool" else n) for n in ALL}
FORMAT = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126), "float64": (53, -1022)}

few = functools.partial(settings, derandomize=True, deadline=None)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


# Helpers.

def quiet(f):
    """f without NumPy's warnings of overflow and the like."""
    @functools.wraps(f)
    def g(*args, **kwargs):
        with np.errstate(all="ignore"):
            return f(*args, **kwargs)
    return g


@functools.lru_cache(None)
@quiet
def edges(name):
    """Values where things go wrong, and a few where they do not. Read-only."""
    dt = NP[name]
    if name == "bool":
        v = np.array([False, True, True, False, True])
    elif name in INTS:
        info = np.iinfo(dt)
        low = [info.min, info.min + 1, -1, -2, -7] if info.min else [info.min]
        v = np.array([*low, 0, 1, 2, 3, 7, 100, info.max // 2, info.max - 1, info.max], dt)
    else:
        big, small, sub = ml_dtypes.finfo(dt).max, ml_dtypes.finfo(dt).tiny, ml_dtypes.finfo(dt).smallest_subnormal
        v = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7.25, -9.75, 1e-3, -31,
                      float(big), -float(big), float(small), float(sub), -float(sub)]).astype(dt)
    v.setflags(write=False)
    return v


@functools.lru_cache(None)
@quiet
def samples(name):
    """The edges and some random values."""
    rng = np.random.default_rng(7)
    if name == "bool" or name in INTS:
        return edges(name)
    more = np.concatenate([rng.standard_normal(60) * 3, rng.uniform(-1, 1, 60), np.exp(rng.uniform(-20, 20, 60))])
    return np.concatenate([edges(name), more.astype(NP[name])])


def pairs(a, b):
    """Every edge of a with every edge of b."""
    x, y = np.meshgrid(edges(a), edges(b), indexing="ij")
    return x.ravel(), y.ravel()


def wide(x):
    """In the type computed with: halves as float32."""
    return x.astype(np.float32) if x.dtype in (NP["float16"], NP["bfloat16"]) else x


def precise(x):
    """Floats as something wider, for a reference; integers as the float32 they become."""
    if x.dtype == np.float64:
        return x.astype(np.longdouble)
    return (x if x.dtype.kind in "fV" or x.dtype == NP["bfloat16"] else x.astype(np.float32)).astype(np.float64)


def join(a, b):
    """The common type of two."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if a in FLOATS or b in FLOATS:
        if not (a in FLOATS and b in FLOATS):
            return a if a in FLOATS else b
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=lambda n: NP[n].itemsize)
    return "uint64" if "uint64" in (a, b) else np.promote_types(a, b).name


def ulp(x, name):
    digits, lowest = FORMAT[name]
    exponent = np.maximum(np.frexp(np.abs(x))[1] - 1, lowest)
    return np.ldexp(np.ones_like(x), exponent - digits + 1)


def same(got, want):
    """Equal in type, shape and every element, NaN being NaN; the failing places in the message."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    got = got
    differ = ~((got == want) | ((got != got) & (want != want)))
    assert not differ.any(), f"at {np.argwhere(differ)[:5].tolist()}: {got[differ][:5]}, wanted {want[differ][:5]}"
    return True


@quiet
def near(got, want, name, ulps, x=()):
    """Within some ulp of a reference in a wider type."""
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (NP[name], want.shape)
    rounded = want.astype(NP[name])
    got = got
    g = np.where(got == rounded, want, got.astype(want.dtype)) if name == "bfloat16" else got.astype(want.dtype)
    special = ~np.isfinite(rounded.astype(np.float64))
    gap = np.where(special, 0, np.abs(g - want) / ulp(want, name))
    bad = np.where(special, ~((got == rounded) | ((got != got) & (rounded != rounded))), ~(gap <= ulps))
    of = [a[bad][:5] for a in x]
    assert not bad.any(), f"of {of}: {got[bad][:5]}, wanted {rounded[bad][:5]} ({gap[bad][:5]} ulp)"
    return True


def every(names, dts):
    return [(n, d) for n in names for d in dts]


def refused(name, f, *args):
    """f raises a TypeError that names the operation."""
    with pytest.raises(TypeError, match=name):
        f(*args)


def shares(t, a):
    """Does a tensor lie in the memory of an array?"""
    return np.shares_memory(np.asarray(t), np.asarray(a))


# Functions of one operand.

def _sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1 / (1 + e), np.where(x != x, x, e / (1 + e)))


def _erf(x):
    return np.array([math.erf(v) for v in x.tolist()] if x.dtype == np.float64 else [math.erf(float(v)) for v in x])


FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": _erf, "sigmoid": _sigmoid,
    "reciprocal": lambda x: 1 / x}


# Integers become float32 in the same way for all of these: each function takes three of the types in turn.
@pytest.mark.parametrize("name,dt", [(n, d) for i, n in enumerate(FUNCTIONS) for k, d in enumerate(ALL)
                                     if d in FLOATS or k % 3 == i % 3])
@quiet
def test_functions_are_within_4_ulp_and_integers_give_float32(name, dt):
    x = samples(dt)
    to = dt if dt in FLOATS else "float32"
    near(getattr(pyasc, name)(x), FUNCTIONS[name](precise(x)), to, 4 if to in ("float32", "float64") else 1, [x])


ODD = ["expm1", "log1p", "sqrt", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf", "reciprocal",
       "neg", "floor", "trunc", "round", "positive"]


@pytest.mark.parametrize("name", ODD)
def test_signed_zero_keeps_its_sign(name):
    for dt in ("float32", "float64"):
        x = np.array([0.0, -0.0], dt)
        assert np.signbit(np.asarray(getattr(pyasc, name)(x))).tolist() == [name == "neg", name != "neg"]


def _gelu(x): return 0.5 * x * (1 + _erf(x * math.sqrt(0.5)))
def _silu(x): return x * _sigmoid(x)
def _softplus(x): return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


ACTIVATIONS = {"gelu": _gelu, "silu": _silu, "softplus": _softplus}


@pytest.mark.parametrize("name,dt", every(ACTIVATIONS, ALL))
@quiet
def test_activations(name, dt):
    f, x = ACTIVATIONS[name], samples(dt)
    want, got = f(precise(x).astype(np.float64)), np.asarray(getattr(pyasc, name)(x))
    to = NP[dt if dt in FLOATS else "float32"]
    assert got.dtype == to
    got, rounded, eps = got.astype(np.float64), want.astype(to).astype(np.float64), float(ml_dtypes.finfo(to).eps)
    finite = np.isfinite(rounded)
    same(got[~finite], rounded[~finite])
    scale = np.maximum(np.abs(precise(x).astype(np.float64)), 1)[finite]  # 1 + erf cancels: its error is that of 1
    assert (np.abs(got - want)[finite] <= 4 * max(eps, 1e-16) * scale).all()


KEEPING = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint, "abs": np.abs, "neg": np.negative,
    "relu": lambda x: np.maximum(x, x.dtype.type(0)), "square": lambda x: x * x, "positive": lambda x: x,
    "sign": lambda x: x if x.dtype == bool else np.sign(x)}


@pytest.mark.parametrize("dt", ALL)
@pytest.mark.parametrize("name", KEEPING)
@quiet
def test_type_keeping_operations_are_exact(name, dt):
    if (name, dt) == ("neg", "bool"):
        return refused("neg", pyasc.neg, edges(dt))
    x = samples(dt)
    rounds = name in ("floor", "ceil", "trunc", "round")
    same(getattr(pyasc, name)(x), x if rounds and dt not in FLOATS else KEEPING[name](wide(x)).astype(NP[dt]))


QUESTIONS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not}


@pytest.mark.parametrize("dt", ALL)
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_give_bool(name, dt):
    x = samples(dt)
    same(getattr(pyasc, name)(x), QUESTIONS[name](wide(x)))


@pytest.mark.parametrize("dt", ALL)
def test_invert_is_for_integers_and_bools(dt):
    if dt in FLOATS:
        return refused("bitwise_invert", pyasc.bitwise_invert, edges(dt))
    same(pyasc.bitwise_invert(edges(dt)), ~edges(dt))


# Functions of two.

EXACT = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
COMPARE = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
           "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
           "logical_or": np.logical_or, "logical_xor": np.logical_xor}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
SHIFTS = {"bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift}
FLOOR = {"floor_div": np.floor_divide, "mod": np.remainder}


@pytest.mark.parametrize("name,dt", every(EXACT, ALL))
@quiet
def test_arithmetic_wraps_integers_and_rounds_once(name, dt):
    x, y = pairs(dt, dt)
    if (name, dt) == ("sub", "bool"):
        return refused("sub", pyasc.sub, x, y)
    same(getattr(pyasc, name)(x, y), EXACT[name](wide(x), wide(y)).astype(NP[dt]))


@pytest.mark.parametrize("dt", ALL)
@pytest.mark.parametrize("name", FLOOR)
@quiet
def test_floor_division_is_numpys_and_by_zero_0_in_integers(name, dt):
    x, y = pairs(dt, dt)
    if dt == "bool":
        return refused(name, getattr(pyasc, name), x, y)
    if dt in FLOATS:  # quotients beyond the digits of the type are NumPy's own rounding
        a, b = wide(x).astype(np.float64), wide(y).astype(np.float64)
        keep = (~(np.abs(a / b) > 2.0**20) | np.isinf(a)) & (b != 0) & ~np.isinf(b)
        x, y = x[keep], y[keep]
    same(getattr(pyasc, name)(x, y), FLOOR[name](wide(x), wide(y)).astype(NP[dt]))


@pytest.mark.parametrize("name,dt", every(FLOOR, FLOATS))
@quiet
def test_floor_division_of_floats_by_zero_and_infinity_is_numpys(name, dt):
    x = samples(dt)
    for by in (0.0, -0.0, np.inf, -np.inf):
        y = np.full(x.shape, by).astype(NP[dt])
        same(getattr(pyasc, name)(x, y), FLOOR[name](wide(x), wide(y)).astype(NP[dt]))


@pytest.mark.parametrize("f", [pyasc.neg, pyasc.abs, pyasc.relu, lambda x: pyasc.mul(x, 1), lambda x: pyasc.add(x, 0),
                               lambda x: pyasc.cast(pyasc.cast(x, pyasc.float32), pyasc.bfloat16)])
def test_subnormals_of_bfloat16_are_kept(f):
    x = np.array([9.2e-41, 1e-39, 1.1e-38]).astype(NP["bfloat16"])
    assert (np.abs(np.asarray(f(x)).astype(np.float32)) == x.astype(np.float32)).all()


@pytest.mark.parametrize("dt", ALL)
@pytest.mark.parametrize("name", COMPARE)
def test_comparisons_give_bool(name, dt):
    x, y = pairs(dt, dt)
    same(getattr(pyasc, name)(x, y), COMPARE[name](wide(x), wide(y)))


@pytest.mark.parametrize("dt", ALL)
@pytest.mark.parametrize("name", [*BITS, *SHIFTS])
def test_bit_operations_are_for_integers_and_bools(name, dt):
    x, y = pairs(dt, dt)
    if dt in FLOATS:
        return refused(name, getattr(pyasc, name), x, y)
    if name in SHIFTS:
        if dt == "bool":
            return
        y = np.abs(y % NP[dt].type(70))
    same(getattr(pyasc, name)(x, y), {**BITS, **SHIFTS}[name](x, y))


@pytest.mark.parametrize("dt", ALL)
@pytest.mark.parametrize("name,f", [("div", np.divide), ("atan2", np.arctan2)])
@quiet
def test_division_and_atan2_of_integers_give_float32(name, f, dt):
    x, y = pairs(dt, dt)
    to = dt if dt in FLOATS else "float32"
    ulps = 1 if to in ("float16", "bfloat16") else 0.5000001 if name == "div" else 4
    near(getattr(pyasc, name)(x, y), f(precise(x), precise(y)), to, ulps, [x, y])


@pytest.mark.parametrize("dt", ALL)
@quiet
def test_power(dt):
    x, y = pairs(dt, dt)
    if dt in FLOATS:
        near(pyasc.pow(x, y), np.power(precise(x), precise(y)), dt, 4 if dt in ("float32", "float64") else 1, [x, y])
        return
    x, y = x[y >= 0], y[y >= 0]
    bits = 8 * NP[dt].itemsize
    want = [bool(a**b) if dt == "bool" else pow(a, b, 1 << bits) for a, b in zip(x.tolist(), y.tolist())]
    same(pyasc.pow(x, y), np.array(want, np.uint64).astype(NP[dt]))


BY_RULE = {"s": ["add", "mul", "pow", "maximum", "minimum"], "n": ["sub", "floor_div", "mod"], "f": ["div", "atan2"],
           "b": list(COMPARE), "i": [*BITS, *SHIFTS]}


@pytest.mark.parametrize("name,rule", [(n, r) for r, names in BY_RULE.items() for n in names])
def test_result_types_of_every_pair(name, rule):
    for a in ALL:
        for b in ALL:
            c = join(a, b)
            x, y = pyasc.empty(0, dtype=PA[a]), pyasc.empty(0, dtype=PA[b])
            if (rule == "i" and c in FLOATS) or (rule == "n" and c == "bool"):
                with pytest.raises(TypeError, match=name):
                    getattr(pyasc, name)(x, y)
                continue
            want = "bool" if rule == "b" else "float32" if rule == "f" and c not in FLOATS else c
            assert getattr(pyasc, name)(x, y).dtype is PA[want], (name, a, b)


@pytest.mark.parametrize("a", ALL)
@quiet
def test_mixed_types_add_and_compare(a):
    for b in ALL:
        x, y = pairs(a, b)
        c = join(a, b)
        compute = np.float32 if c in ("float16", "bfloat16") else NP[c]
        want = (x.astype(compute) + y.astype(compute)).astype(NP[c])
        same(pyasc.add(x, y), want)
        if (ALL.index(a) + ALL.index(b)) % 2 and "64" not in a + b:
            continue  # half the pairs, but all with the widest: compiling takes the time
        if c in FLOATS:
            want = x.astype(compute) < y.astype(compute)
        else:  # the numbers themselves, whatever their types
            want = np.array([p < q for p, q in zip(x.tolist(), y.tolist())])
        same(pyasc.less(x, y), want)


@pytest.mark.parametrize("dt,number,want", [
    ("int8", 1, "int8"), ("uint64", 1, "uint64"), ("int8", 1.5, "float32"), ("int64", 1.5, "float32"),
    ("bool", 1, "int64"), ("bool", True, "bool"), ("bool", 1.5, "float32"), ("uint8", True, "uint8"),
    ("float16", 1, "float16"), ("float16", 1.5, "float16"), ("bfloat16", 1.5, "bfloat16"), ("float32", 1.5, "float32"),
    ("float64", 1, "float64"), ("float64", 0.1, "float64")])
@quiet
def test_numbers_are_weak(dt, number, want):
    x = np.ones(3, NP[dt])
    for got in (pyasc.add(x, number), pyasc.add(number, x), pyasc.asarray(x) + number, number + pyasc.asarray(x)):
        compute = np.float32 if want in ("float16", "bfloat16") else NP[want]
        same(got, (x.astype(compute) + np.array(number, compute)).astype(NP[want]))


def test_numbers_alone_give_0d_tensors():
    for got, want in ((pyasc.add(1, 2), np.int64(3)), (pyasc.exp(0.0), np.float32(1)), (pyasc.less(1, 2), np.True_)):
        assert isinstance(got, pyasc.Tensor)
        same(got, want)


@pytest.mark.parametrize("a,b", [
    ("subtract", "sub"), ("multiply", "mul"), ("divide", "div"), ("true_divide", "div"), ("floor_divide", "floor_div"),
    ("remainder", "mod"), ("negative", "neg"), ("power", "pow"), ("absolute", "abs"), ("arcsin", "asin"),
    ("arctan2", "atan2"), ("invert", "bitwise_invert"), ("eq", "equal"), ("ge", "greater_equal")])
def test_other_names_are_the_same_function(a, b):
    assert getattr(pyasc, a) is getattr(pyasc, b)


# where, clip, leaky_relu.

@pytest.mark.parametrize("dt", ALL)
def test_where_of_every_type(dt):
    x, y = pairs(dt, dt)
    c = np.arange(x.size) % 3 == 0
    same(pyasc.where(c, x, y), np.where(c, x, y))
    same(pyasc.where(x, x, y), np.where(x != 0, x, y))


def test_where_broadcasts_and_joins_x_and_y_only():
    c, x = np.array([[True], [False]]), np.arange(3, dtype=np.int32)
    same(pyasc.where(c, x, 7), np.where(c, x, np.int32(7)))
    same(pyasc.where(c, x, 0.5), np.where(c, x.astype(np.float32), np.float32(0.5)))
    same(pyasc.where(c.astype(np.float64), x, x * 2), np.where(c, x, x * 2))
    with pytest.raises(ValueError, match=r"where.*\(2, 1\).*\(3,\).*\(4,\)"):
        pyasc.where(c, x, np.ones(4, np.float32))


@pytest.mark.parametrize("dt", ALL)
@quiet
def test_clip_of_every_type(dt):
    x = samples(dt)
    lo, hi = (False, True) if dt == "bool" else (1, 3)
    for args in ((lo, hi), (lo, None), (None, hi), (None, None)):
        want = wide(x)
        want = want if args[0] is None else np.maximum(want, want.dtype.type(lo))
        want = want if args[1] is None else np.minimum(want, want.dtype.type(hi))
        same(pyasc.clip(x, *args), want.astype(NP[dt]))


def test_clip_takes_the_common_type():
    assert pyasc.clip(np.arange(3, dtype=np.uint8), 0, 1).dtype is pyasc.uint8
    assert pyasc.clip(np.arange(3, dtype=np.uint8), 0.5, 1.5).dtype is pyasc.float32


def test_large_numbers_of_uint64():
    same(pyasc.full(2, 2**64 - 1, dtype=pyasc.uint64), np.full(2, 2**64 - 1, np.uint64))
    same(pyasc.add(np.array([1], np.uint64), 2**64 - 2), np.array([2**64 - 1], np.uint64))


def test_clip_by_arrays():
    x, lo, hi = np.arange(12.0).reshape(3, 4), np.array([2.0, 3, 4, 5]), np.array([[4.0], [6], [8]])
    same(pyasc.clip(x, lo, hi), np.clip(x, lo, hi))
    same(pyasc.clip(x, min=lo), np.maximum(x, lo))


@pytest.mark.parametrize("dt", ALL)
@quiet
def test_leaky_relu(dt):
    x = samples(dt)
    to = dt if dt in FLOATS else "float32"
    wants = x.astype(NP[to])
    for slope in (None, 0.25):
        compute = np.float64 if to == "float64" else np.float32
        v = wants.astype(compute)
        want = np.where(v > 0, v, v * compute(0.01 if slope is None else slope)).astype(NP[to])
        same(pyasc.leaky_relu(x) if slope is None else pyasc.leaky_relu(x, slope), want)


# Casts.

@quiet
def cast_of(x, to):
    if x.dtype == NP[to]:
        return x
    floats = x.dtype.kind == "f" or x.dtype == NP["bfloat16"]
    if to == "bool":
        return wide(x) != 0
    if to in INTS and floats:
        info = np.iinfo(to)
        return np.array([0 if v != v else min(max(info.min, int(v) if math.isfinite(v) else v), info.max)
                         for v in wide(x).tolist()], object).astype(NP[to])
    if to == "bfloat16" or (to == "float16" and not floats):
        return x.astype(np.float32).astype(NP[to])
    return wide(x).astype(NP[to])


@pytest.mark.parametrize("a", ALL)
def test_casts_saturate_floats_and_wrap_integers(a):
    x = np.concatenate([samples(a), np.array([3e9, -3e9, 300, -300, 2**31, 2**63, -1.9, 1.9] if a.endswith("64") and
                                             a in FLOATS else [], NP[a])])
    for b in ALL:
        want = cast_of(x, b)
        same(pyasc.cast(x, PA[b]), want)
        same(pyasc.asarray(x).astype(PA[b]), want)


def test_casts_to_half_round_once():
    x = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 65519.999, 65520, 2.0**-25, 2.0**-25 * 1.01])
    same(pyasc.cast(x, pyasc.float16), x.astype(np.float16))


@pytest.mark.parametrize("to", ["int32", "float16", "bfloat16", "float32", "float64", "bool"])
def test_dtypes_are_called_to_cast(to):
    same(PA[to]([1.75, 0.0, -2.0]), cast_of(np.array([1.75, 0.0, -2.0], np.float32), to))


def test_astype_without_copy_is_the_tensor_itself():
    t = pyasc.ones(3)
    assert pyasc.astype(t, pyasc.float32, copy=False) is t
    assert not shares(t.astype(pyasc.float32), t)


# Broadcasting, strides, out=.

@st.composite
def shapes_that_fit(draw, n=2, rank=5, largest=4):
    """n shapes that broadcast together, with extents 0 and 1 and missing dimensions among them."""
    full = draw(st.lists(st.integers(0, largest), min_size=0, max_size=rank))

    def part():
        return full[draw(st.integers(0, len(full))):]
    return [tuple(1 if draw(st.integers(0, 3)) == 3 else e for e in part()) for _ in range(n)]


@st.composite
def laid_out(draw, shape, dtype=np.float32):
    """An array of that shape with the values 0, 1, 2... in some layout: strided, reversed, transposed."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    base = np.zeros([shape[i] * abs(steps[i]) for i in order], dtype)
    view = base[(..., *(slice(None, None, steps[i]) for i in order))].transpose(np.argsort(order))
    view[...] = np.arange(view.size).reshape(shape) - 5
    return view


@given(st.data())
@few(max_examples=60)
def test_broadcasting_of_any_shapes_in_any_layout(data):
    x, y = (data.draw(laid_out(s)) for s in data.draw(shapes_that_fit()))
    same(pyasc.sub(x, y), x - y)
    same(pyasc.asarray(x) * pyasc.asarray(y), x * y)


@given(st.data())
@few(max_examples=30)
def test_three_operands_broadcast(data):
    c, x, y = (data.draw(laid_out(s)) for s in data.draw(shapes_that_fit(3, 4)))
    same(pyasc.where(c > 0, x, y), np.where(c > 0, x, y))


@given(st.data())
@few(max_examples=40)
def test_out_in_any_layout_takes_the_result(data):
    x, y = (data.draw(laid_out(s)) for s in data.draw(shapes_that_fit(rank=4)))
    want = x + y
    out = data.draw(laid_out(want.shape))
    assert pyasc.add(x, y, out=out) is out
    same(out, want)


@given(st.data())
@few(max_examples=80)
def test_out_that_overlaps_inputs_is_as_if_they_were_copied(data):
    base, n = np.arange(60, dtype=np.float32), data.draw(st.integers(0, 12))

    def part():
        step = data.draw(st.sampled_from([1, 2, 3, -1, -2]))
        first = data.draw(st.integers(0, 20)) + (n * -step if step < 0 else 0)
        stop = first + n * step
        return slice(first, stop if stop >= 0 else None, step)
    x, y, out = part(), part(), part()
    want = base.copy()
    want[out] = base[x] - base[y]
    t = pyasc.asarray(base)
    pyasc.sub(t[x], t[y], out=t[out])
    same(base, want)


@given(st.data())
@few(max_examples=30)
def test_in_place_operations_of_overlapping_planes(data):
    base = np.arange(125, dtype=np.float32).reshape(5, 5, 5)
    parts = []
    for _ in range(2):
        key = [slice(i, i + 4) for i in data.draw(st.tuples(*[st.integers(0, 1)] * 3))]
        parts.append((tuple(key), data.draw(st.permutations(range(3))), data.draw(st.booleans())))

    def view(a, part):
        key, order, reverse = part
        a = a[key].transpose(*order)
        return a[::-1] if reverse else a
    want = base.copy()
    view(want, parts[0])[...] += view(base, parts[1])
    t = view(pyasc.asarray(base), parts[0])
    t += view(pyasc.asarray(base), parts[1])
    same(base, want)


@pytest.mark.parametrize("shift", [-1, 1, 5])
@pytest.mark.parametrize("dt", ["uint8", "int32", "float64"])
def test_shifted_in_place_copies_are_whole(dt, shift):
    a = (np.arange(1000) % 100).astype(dt)
    b = a.copy()
    lo, hi = max(0, shift), min(0, shift)
    src, dst = slice(-hi, 1000 - lo), slice(lo, 1000 + hi)
    pyasc.add(a[src], 1, out=a[dst])
    b[dst] = b[src] + b.dtype.type(1)
    same(a, b)


def test_transposed_in_place_addition():
    a = np.arange(49.0, dtype=np.float32).reshape(7, 7)
    want = a + a.T
    pyasc.add(a, a.T, out=a)
    same(a, want)


def test_out_may_be_wider_in_type_or_shape():
    x = np.arange(3, dtype=np.int32)
    for out in (np.zeros(3, np.int8), np.zeros(3, np.float64), np.zeros((2, 3), np.int64), pyasc.zeros((2, 3))):
        assert pyasc.add(x, 1, out=out) is out
        same(out, np.broadcast_to(x + 1, np.asarray(out).shape).astype(np.asarray(out).dtype))


READ_ONLY = np.zeros(3, np.float32)
READ_ONLY.setflags(write=False)


@pytest.mark.parametrize("f,args,out,error,text", [
    (pyasc.add, ([1.0, 2, 3], 1), np.zeros(4, np.float32), ValueError, r"add.*out.*\(4,\).*\(3,\)"),
    (pyasc.exp, ([1.0, 2, 3],), np.zeros((3, 1), np.float32), ValueError, r"exp.*out.*\(3, 1\).*\(3,\)"),
    (pyasc.exp, ([[1.0], [2]],), np.zeros(2, np.float32), ValueError, r"exp.*out.*\(2,\).*\(2, 1\)"),
    (pyasc.add, ([1.0, 2, 3], 1), np.zeros(3, np.int32), TypeError, r"add.*float32.*int32|add.*f32.*i32"),
    (pyasc.div, ([1, 2, 3], 1), np.zeros(3, np.int64), TypeError, "div"),
    (pyasc.add, ([1, 2, 3], 1), np.zeros(3, bool), TypeError, "add"),
    (pyasc.mul, ([1.0, 2, 3], 1), READ_ONLY, ValueError, "mul.*read-only"),
    (pyasc.where, (True, [1.0, 2, 3], 0.0), READ_ONLY, ValueError, "where.*read-only"),
    (pyasc.clip, ([1.0, 2, 3], 0, 1), np.zeros(2, np.float32), ValueError, r"clip.*out.*\(2,\).*\(3,\)"),
    (pyasc.cast, ([1.0, 2, 3], pyasc.int32), np.zeros(2, np.int32), ValueError, "cast.*out"),
    (pyasc.leaky_relu, ([1.0, 2, 3],), READ_ONLY, ValueError, "leaky_relu.*read-only"),
    (pyasc.sub, ([1.0, 2, 3], 1), [0.0, 0, 0], TypeError, "sub.*out.*list"),
    (pyasc.sub, ([1.0, 2, 3], 1), 5, TypeError, "sub.*out")])
def test_an_unfit_out_is_refused_by_name(f, args, out, error, text):
    before = copy.deepcopy(out)
    with pytest.raises(error, match=text):
        f(*args, out=out)
    assert np.array_equal(before, out)


@pytest.mark.parametrize("f,args,error,text", [
    (pyasc.add, (np.zeros(3), np.zeros(4)), ValueError, r"add.*\(3,\).*\(4,\)"),
    (pyasc.pow, (np.zeros((2, 3)), np.zeros((3, 2))), ValueError, r"pow.*\(2, 3\).*\(3, 2\)"),
    (pyasc.less, (np.zeros((2, 0)), np.zeros((2, 3))), ValueError, r"less.*\(2, 0\).*\(2, 3\)"),
    (pyasc.clip, (np.zeros(2), np.zeros(3), np.zeros(2)), ValueError, r"clip.*\(2,\).*\(3,\)"),
    (pyasc.exp, (None,), TypeError, "exp.*None"), (pyasc.add, (np.zeros(3), None), TypeError, "add.*None"),
    (pyasc.add, ("text", 1), TypeError, "add"), (pyasc.sqrt, (np.zeros(2, complex),), TypeError, "sqrt.*complex"),
    (pyasc.mul, (np.array(["a"]), 1), TypeError, "mul"), (pyasc.sin, (object(),), TypeError, "sin")])
def test_unfit_operands_are_refused_by_name_and_shape(f, args, error, text):
    with pytest.raises(error, match=text):
        f(*args)


# Operators.

NUMERIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
WHOLE = ["and_", "or_", "xor", "lshift", "rshift"]
ORDER = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", NUMERIC + WHOLE + ORDER)
@pytest.mark.parametrize("dt", ["int32", "float32"])
def test_operators_with_tensors_arrays_and_numbers_on_either_side(name, dt):
    if dt == "float32" and name in WHOLE:
        return
    f = getattr(operator, name)
    x, y = np.array([1, 2, 3, 7], dt), np.array([2, 2, 1, 3], dt)

    def want(a, b):
        got = f(np.asarray(a, dt), np.asarray(b, dt))
        return got.astype(np.float32) if name == "truediv" else got
    t, u = pyasc.tensor(x), pyasc.tensor(y)
    two = 2 if dt == "int32" else 2.0
    for got, ref in ((f(t, u), want(x, y)), (f(t, y), want(x, y)), (f(x, u), want(x, y)), (f(t, two), want(x, 2)),
                     (f(two, t), want(2, x)), (f(t, NP[dt].type(2)), want(x, 2)), (f(NP[dt].type(2), t), want(2, x))):
        assert isinstance(got, pyasc.Tensor)
        same(got, ref)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift",
                                  "irshift"])
def test_in_place_operators_write_the_same_memory(name):
    f = getattr(operator, name)
    for other in (2, np.array([1, 2, 1], np.int32), pyasc.tensor([2, 1, 2], dtype=pyasc.int32)):
        base = np.array([[5, 6, 7], [8, 9, 10]], np.int32)
        want = f(base.copy(), np.asarray(other, np.int32))
        t = pyasc.asarray(base)
        assert f(t, other) is t
        same(base, want)


def test_in_place_operators_refuse_what_does_not_fit():
    t = pyasc.ones(3, dtype=pyasc.int32)
    for f, other, error, text in ((operator.itruediv, 2, TypeError, "div"), (operator.iadd, 0.5, TypeError, "add"),
                                  (operator.iadd, np.ones((2, 3), np.int32), ValueError, r"add.*\(3,\).*\(2, 3\)")):
        with pytest.raises(error, match=text):
            f(t, other)
    same(t, np.ones(3, np.int32))
    t = pyasc.ones(3)
    t /= 4
    same(t, np.full(3, 0.25, np.float32))


def test_unary_operators():
    x = np.array([-3, 0, 5], np.int32)
    t = pyasc.asarray(x)
    for f in (operator.neg, operator.pos, operator.abs, operator.invert):
        same(f(t), f(x))
    assert not shares(+t, x)


def test_unknown_operands_are_left_to_python():
    class Other:
        def __radd__(self, x):
            return "mine"
    assert pyasc.ones(2) + Other() == "mine"
    with pytest.raises(TypeError):
        pyasc.ones(2) + "text"


def test_tensors_of_one_element_are_numbers():
    assert (float(pyasc.tensor(2.5)), int(pyasc.tensor([7])), bool(pyasc.tensor([[0]]))) == (2.5, 7, False)
    assert [10, 20, 30][pyasc.tensor(1)] == 20
    for f in (float, int, bool):
        with pytest.raises((ValueError, TypeError)):
            f(pyasc.ones(2))
    with pytest.raises(TypeError):
        len(pyasc.tensor(1))


# Making tensors.

@pytest.mark.parametrize("dt", ALL)
def test_zeros_ones_full_empty(dt):
    for shape in (3, (), (2, 0), (2, 3, 1)):
        same(pyasc.zeros(shape, dtype=PA[dt]), np.zeros(shape, NP[dt]))
        same(pyasc.ones(shape, dtype=PA[dt]), np.ones(shape, NP[dt]))
        same(pyasc.full(shape, 1, dtype=PA[dt]), np.ones(shape, NP[dt]))
        t = pyasc.empty(shape, dtype=dt)
        assert (t.shape, t.dtype, t.itemsize) == (np.zeros(shape).shape, PA[dt], NP[dt].itemsize)
        same(pyasc.zeros_like(t), np.zeros(shape, NP[dt]))
        same(pyasc.ones_like(t, dtype=pyasc.int16), np.ones(shape, np.int16))
        same(pyasc.full_like(t, 1), np.ones(shape, NP[dt]))
        assert pyasc.empty_like(t).shape == t.shape


def test_full_takes_the_type_of_its_value():
    same(pyasc.full(2, 7), np.full(2, 7, np.int64))
    same(pyasc.full(2, 7.5), np.full(2, 7.5, np.float32))
    same(pyasc.full(2, True), np.full(2, True))
    same(pyasc.full((2,), np.inf, dtype=pyasc.float64), np.full(2, np.inf))
    same(pyasc.full(2, 2**62 + 1), np.full(2, 2**62 + 1))


@pytest.mark.parametrize("args", [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (5, 2), (0,), (-3, 3), (1.5,), (0.0, 2.0, 0.5),
                                  (1, 0, -0.25), (0, 10, 2.5)])
def test_arange(args):
    ints = all(isinstance(a, int) for a in args)
    same(pyasc.arange(*args), np.arange(*args).astype(np.int64 if ints else np.float32))
    for dt in ("int16", "float64", "bfloat16"):
        if dt != "int16" or ints:
            same(pyasc.arange(*args, dtype=PA[dt]), np.arange(*args).astype(NP[dt]))


def test_arange_refuses_a_step_of_0():
    with pytest.raises(ValueError, match="arange"):
        pyasc.arange(1, 2, 0)


@pytest.mark.parametrize("args,kw", [((0, 1, 5), {}), ((2, -3, 7), {}), ((0, 1, 1), {}), ((0, 1, 0), {}), ((0, 10), {}),
                                     ((0, 1, 4), {"endpoint": False}), ((1, 1, 3), {}),
                                     ((0, 1, 1), {"endpoint": False})])
def test_linspace(args, kw):
    near(pyasc.linspace(*args, **kw), np.linspace(*args, **kw), "float32", 1)
    near(pyasc.linspace(*args, dtype=pyasc.float64, **kw), np.linspace(*args, **kw), "float64", 4)


def test_eye():
    for n, m, k in ((3, None, 0), (2, 4, 1), (4, 2, -1), (3, 3, 7), (0, None, 0), (0, 3, 0)):
        same(pyasc.eye(n, m, k=k), np.eye(n, m, k, dtype=np.float32))
    same(pyasc.eye(2, dtype=pyasc.bool_), np.eye(2, dtype=bool))


@pytest.mark.parametrize("data,want", [
    ([1, 2], "int64"), ([1, 2.5], "float32"), ([True, False], "bool"), ([[1], [2]], "int64"), ([], "float32"),
    (3, "int64"), (2.5, "float32"), (True, "bool"), ([[], []], "float32"), (((1, 2), (3, 4)), "int64"),
    ([True, 2], "int64")])
def test_tensor_of_lists(data, want):
    same(pyasc.tensor(data), np.array(data).astype(want))
    for dt in ("float64", "bfloat16", "int16", "bool"):
        same(pyasc.tensor(data, dtype=PA[dt]), np.array(data).astype(NP[dt]))


def test_tensor_of_lists_refuses_ragged_and_overflowing():
    with pytest.raises(ValueError):
        pyasc.tensor([[1, 2], [3]])
    with pytest.raises(OverflowError, match="int8"):
        pyasc.tensor([300], dtype=pyasc.int8)
    with pytest.raises(TypeError):
        pyasc.tensor("text")
    with pytest.raises(TypeError):
        pyasc.tensor([1], dtype="complex64")


def test_tensor_copies_and_asarray_shares():
    a = np.arange(4, dtype=np.float32)
    assert shares(pyasc.asarray(a), a) and shares(pyasc.from_numpy(a), a)
    assert not shares(pyasc.tensor(a), a) and not shares(pyasc.asarray(a, copy=True), a)
    t = pyasc.asarray(a)
    assert pyasc.asarray(t) is t
    with pytest.raises(ValueError, match="copy"):
        pyasc.asarray(a, dtype=pyasc.int32, copy=False)
    with pytest.raises(ValueError, match="copy"):
        pyasc.asarray([1], copy=False)


def test_constants_are_read_only():
    c = pyasc.constant([1, 2, 3], dtype=pyasc.float32)
    assert c.readonly
    with pytest.raises(ValueError, match="read-only"):
        c[0] = 5
    same(c, np.array([1, 2, 3], np.float32))


# Views.

KEYS = st.one_of(st.integers(-5, 4), st.none(), st.just(Ellipsis),
                 st.builds(slice, st.none() | st.integers(-6, 6), st.none() | st.integers(-6, 6),
                           st.none() | st.sampled_from([1, 2, 3, -1, -2])))


def attempt(f):
    try:
        return f()
    except IndexError:
        return IndexError


@given(st.lists(st.integers(0, 5), max_size=4), st.lists(KEYS, max_size=5))
@few(max_examples=200)
def test_basic_indexing_gives_numpys_views(shape, keys):
    a = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    t, key = pyasc.asarray(a), tuple(keys)
    want, got = attempt(lambda: a[key]), attempt(lambda: t[key])
    if want is IndexError:
        assert got is IndexError
        return
    same(got, want)
    if want.size and isinstance(want, np.ndarray):
        assert shares(got, a) and got.strides == want.strides or 1 in want.shape
    b = a.copy()
    if want.size:
        t[key] = -7
        b[key] = -7
        same(a, b)


@pytest.mark.parametrize("dt", ["int32", "bfloat16", "float64", "bool"])
def test_masks_and_integer_arrays_index_as_numpy(dt):
    a = (np.arange(24).reshape(4, 6) % 5).astype(NP[dt])
    mask, rows = np.arange(24).reshape(4, 6) % 3 == 0, np.array([3, 0, -1])
    for key in (mask, mask[:, 0], rows, (rows, [1, 2, 3]), (slice(None), rows), (rows, None, 2), [0, 2],
                (Ellipsis, rows)):
        t, b = pyasc.tensor(a), a.copy()
        same(t[key], a[key])
        tkey = pyasc.asarray(key) if isinstance(key, np.ndarray) else key
        same(t[tkey], a[key])
        t[tkey] = 1
        b[key] = 1
        same(t, b)


def test_assignment_casts_and_broadcasts():
    a = np.zeros((3, 4), np.int32)
    t = pyasc.asarray(a)
    t[1:] = [1.9, -1.9, 2, np.nan]
    t[0, ::2] = pyasc.tensor([5, 6])
    t[0, 1] = True
    same(a, np.array([[5, 1, 6, 0], [1, -1, 2, 0], [1, -1, 2, 0]], np.int32))
    t[...] = 9
    t[0] = np.arange(4)
    same(a, np.array([[0, 1, 2, 3], [9, 9, 9, 9], [9, 9, 9, 9]], np.int32))
    with pytest.raises(ValueError, match=r"\(4,\).*\(3,\)"):
        t[0] = [1, 2, 3]
    with pytest.raises((ValueError, TypeError)):
        del t[0]


def test_assignment_of_an_overlapping_view_is_of_its_old_values():
    a = np.arange(10, dtype=np.float32)
    t, b = pyasc.asarray(a), a.copy()
    t[1:] = t[:-1]
    t[::-1] = t
    b[1:] = b[:-1].copy()
    same(a, b[::-1])


@given(st.data())
@few(max_examples=80)
def test_reshape_is_a_view_where_numpys_is(data):
    shape = data.draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), max_size=4))
    a, factors = data.draw(laid_out(tuple(shape))), [2] * 3
    to, left = [], math.prod(shape)
    for f in data.draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), max_size=3)):
        if left % f == 0:
            to, left = to + [f], left // f
    to = tuple(to + [left])
    want, got = a.reshape(to), pyasc.reshape(a, to)
    same(got, want)
    assert shares(got, a) == np.shares_memory(want, a)
    same(pyasc.asarray(a).reshape(*to[:-1], -1), want)
    same(pyasc.ravel(a), a.ravel())


def test_reshape_refuses_what_does_not_fit():
    t = pyasc.ones((2, 3))
    for shape in ((4,), (-1, -1), (-1, 4), (2, -3), (0, -1)):
        with pytest.raises(ValueError, match=r"reshape.*\(2, 3\)"):
            t.reshape(shape)
    with pytest.raises(ValueError, match="copy"):
        pyasc.reshape(t.T, (6,), copy=False)
    assert not shares(pyasc.reshape(t, (6,), copy=True), t)
    same(pyasc.reshape(pyasc.ones((0, 3)), (3, 0)), np.ones((3, 0), np.float32))
    out = pyasc.zeros(6)
    assert pyasc.reshape(t, (6,), out=out) is out
    same(out, np.ones(6, np.float32))


def test_transpositions_are_views():
    a = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    t = pyasc.asarray(a)
    for got, want in ((t.T, a.T), (t.mT, a.swapaxes(1, 2)), (t.transpose(1, 0, 2), a.transpose(1, 0, 2)),
                      (t.transpose((2, 0, 1)), a.transpose(2, 0, 1)), (pyasc.transpose(t), a.T),
                      (pyasc.permute_dims(t, (-1, 0, 1)), a.transpose(2, 0, 1)),
                      (pyasc.swapaxes(t, 0, -1), a.swapaxes(0, -1)), (pyasc.moveaxis(t, 0, -1), np.moveaxis(a, 0, -1)),
                      (pyasc.moveaxis(t, (0, 1), (2, 0)), np.moveaxis(a, (0, 1), (2, 0)))):
        same(got, want)
        assert shares(got, a) and got.strides == want.strides
    for axes in ((0, 1), (0, 0, 1), (0, 1, 3)):
        with pytest.raises(ValueError, match="transpose"):
            pyasc.transpose(t, axes)


def test_squeeze_expand_flip_broadcast():
    a = np.arange(6, dtype=np.float32).reshape(2, 1, 3, 1)
    t = pyasc.asarray(a)
    for got, want in ((pyasc.squeeze(t), a.squeeze()), (pyasc.squeeze(t, 1), a.squeeze(1)),
                      (t.squeeze((1, -1)), a.squeeze((1, -1))), (pyasc.expand_dims(t), a[None]),
                      (pyasc.expand_dims(t, axis=-1), a[..., None]),
                      (pyasc.expand_dims(t, axis=2), np.expand_dims(a, 2)),
                      (pyasc.flip(t), np.flip(a)), (pyasc.flip(t, axis=-2), np.flip(a, -2)),
                      (pyasc.flip(t, axis=(0, 2)), np.flip(a, (0, 2))),
                      (pyasc.broadcast_to(t, (5, 2, 4, 3, 2)), np.broadcast_to(a, (5, 2, 4, 3, 2)))):
        same(got, want)
        assert shares(got, a)
    for f, args, kw in ((pyasc.squeeze, (0,), {}), (pyasc.broadcast_to, ((2, 1, 4, 1),), {}),
                        (pyasc.flip, (), {"axis": 4}), (pyasc.expand_dims, (), {"axis": 6})):
        with pytest.raises(ValueError, match=f.__name__):
            f(t, *args, **kw)


def test_broadcast_to_is_read_only():
    t = pyasc.broadcast_to(pyasc.ones(3), (2, 3))
    assert t.readonly and t.strides == (0, 4)
    with pytest.raises(ValueError, match="read-only"):
        t[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        t += 1


def test_concat_and_stack():
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(4, dtype=np.float32).reshape(2, 2)
    same(pyasc.concat([a, b], axis=1), np.concatenate([a.astype(np.float32), b], axis=1))
    same(pyasc.concat([a, a[:1], a[:0]]), np.concatenate([a, a[:1], a[:0]]))
    same(pyasc.concat([a.T, a[:, :2].copy()], axis=None), np.concatenate([a.T, a[:, :2]], axis=None))
    same(pyasc.concat([a] * 9, axis=-1), np.concatenate([a] * 9, axis=-1))
    for axis in (0, 1, 2, -1, -3):
        same(pyasc.stack([a, a * 2], axis=axis), np.stack([a, a * 2], axis=axis))
    out = pyasc.zeros((4, 3))
    assert pyasc.concat([a, a], out=out) is out
    same(out, np.concatenate([a, a]).astype(np.float32))
    for f, args, text in ((pyasc.concat, [a, b], r"concat.*\(2, 3\).*\(2, 2\)"), (pyasc.concat, [], "concat"),
                          (pyasc.stack, [a, b], r"stack.*\(2, 3\).*\(2, 2\)"), (pyasc.stack, [], "stack|concat")):
        with pytest.raises(ValueError, match=text):
            f(args)


@pytest.mark.parametrize("dt", ["float32", "bool", "bfloat16", "uint8"])
def test_tril_triu(dt):
    for shape in ((3, 4), (4, 2), (2, 3, 3), (0, 3), (2, 1, 3, 2)):
        a = np.ones(shape, NP[dt])
        for k in (-1, 0, 1, 5):
            same(pyasc.tril(a, k=k), np.where(np.tri(*shape[-2:], k, bool), a, NP[dt].type(0)))
            same(pyasc.triu(a, k=k), np.where(np.tri(*shape[-2:], k - 1, bool), NP[dt].type(0), a))
    with pytest.raises(ValueError):
        pyasc.tril(np.ones(3))


# Other arrays.

@pytest.mark.parametrize("dt", ALL)
def test_numpy_shares_memory_both_ways(dt):
    a = np.zeros((2, 3), NP[dt])[:, ::-1]
    t = pyasc.asarray(a)
    assert t.dtype is PA[dt] and t.strides == a.strides
    t[0, 0] = 1
    assert a[0, 0] == 1
    back = np.asarray(pyasc.zeros((2, 3), dtype=PA[dt]).T)
    assert back.dtype == NP[dt] and back.shape == (3, 2)
    t = pyasc.zeros(3, dtype=PA[dt])
    np.asarray(t)[1] = 1
    same(t, np.array([0, 1, 0]).astype(NP[dt]))
    assert t.tolist() == [0, 1, 0] and shares(t.numpy(), t)


def test_arrays_outlive_the_tensors_that_own_their_memory():
    a = np.asarray(pyasc.full(1000, 3.0)[::2])
    gc.collect()
    others = [pyasc.zeros(1000) for _ in range(4)]
    same(a, np.full(500, 3, np.float32))
    del others


def test_memoryviews():
    t = pyasc.arange(6, dtype=pyasc.int16).reshape(2, 3)
    m = memoryview(t)
    assert (m.format, m.shape, m.strides, m.tolist()) == ("h", (2, 3), (6, 2), [[0, 1, 2], [3, 4, 5]])
    m[1, 2] = 50
    assert t[1, 2].item() == 50
    assert memoryview(t.T[::-1]).tolist() == [[2, 5 * 10], [1, 4], [0, 3]]
    same(pyasc.asarray(bytearray(b"abc")), np.frombuffer(b"abc", np.uint8))
    assert memoryview(pyasc.constant([1])).readonly
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(pyasc.zeros(2, dtype=pyasc.bfloat16))


def test_read_only_arrays_are_not_written():
    a = np.arange(3, dtype=np.float32)
    a.setflags(write=False)
    t = pyasc.asarray(a)
    assert t.readonly and t[1:].readonly and t.reshape(3, 1).readonly and not np.asarray(t).flags.writeable
    same(t + 1, a + 1)

    def assign():
        t[0] = 1

    def masked():
        t[t > 1] = 1
    for f in (assign, masked, lambda: t.fill(2), lambda: operator.iadd(t, 1), lambda: double(a, a),
              lambda: double(a, t)):
        with pytest.raises((ValueError, TypeError), match="read-only"):
            f()
    same(a, np.arange(3, dtype=np.float32))
    assert pyasc.asarray(memoryview(b"abc")).readonly


@pyasc.jit
def double(x, out):
    i = pyasc.get_global_id()
    out[i] = x[i] * 2


def test_numpy_functions_of_tensors():
    t = pyasc.arange(4, dtype=pyasc.float32)
    same(np.array(t), np.arange(4, dtype=np.float32))
    assert np.asarray(t, dtype=np.int64).dtype == np.int64 and not np.shares_memory(np.array(t), np.asarray(t))
    same(np.from_dlpack(t), np.arange(4, dtype=np.float32))
    same(np.sum(np.asarray(t)), np.float32(6))


class TestTorch:
    torch = None

    @pytest.fixture(autouse=True)
    def _torch(self):
        self.torch = pytest.importorskip("torch")

    @pytest.mark.parametrize("dt", [n for n in ALL if n[:4] != "uint" or n == "uint8"])
    def test_dlpack_shares_memory_both_ways(self, dt):
        t = pyasc.zeros((2, 3), dtype=PA[dt])
        u = self.torch.from_dlpack(t)
        assert u.dtype == getattr(self.torch, dt) and tuple(u.shape) == (2, 3)
        u[0, 1] = 1
        assert t[0, 1].item() == 1
        u = self.torch.zeros(4, 3, dtype=getattr(self.torch, dt)).t()[:, ::2]
        t = pyasc.from_dlpack(u)
        assert t.dtype is PA[dt] and t.shape == (3, 2) and t.data_ptr() == u.data_ptr()
        t[2, 1] = 1
        assert u[2, 1].item() == 1

    def test_tensors_are_arguments_of_kernels_and_operations(self):
        x, out = self.torch.arange(5.0), self.torch.zeros(5)
        double(x, out)
        assert out.tolist() == [0, 2, 4, 6, 8]
        assert pyasc.add(x, 1, out=out) is out and out.tolist() == [1, 2, 3, 4, 5]
        view = self.torch.zeros(5, 2)
        pyasc.mul(x, x, out=view[:, 1])
        assert view[:, 1].tolist() == [0, 1, 4, 9, 16] and view[:, 0].tolist() == [0] * 5
        same(pyasc.ones(5) + x, np.arange(1, 6, dtype=np.float32))
        assert self.torch.equal(self.torch.from_dlpack(pyasc.exp(x.bfloat16())), x.bfloat16().float().exp().bfloat16())

    def test_a_tensor_that_needs_gradients_is_refused(self):
        with pytest.raises((TypeError, BufferError, RuntimeError)):
            pyasc.exp(self.torch.ones(2, requires_grad=True))

    def test_memory_lives_as_long_as_either_side(self):
        u = self.torch.from_dlpack(pyasc.full(100, 7.0))
        t = pyasc.from_dlpack(self.torch.full((100,), 3.0))
        gc.collect()
        others = [pyasc.zeros(100), self.torch.zeros(100)]
        assert u.eq(7).all() and (np.asarray(t) == 3).all() and others


# Pickle, copy, repr.

@pytest.mark.parametrize("dt", ALL)
def test_pickle_and_copy(dt):
    for a in (edges(dt), edges(dt)[:4].reshape(2, 2).T[::-1], edges(dt)[:0].reshape(0, 3), edges(dt)[1:2].reshape(())):
        t = pyasc.asarray(a)
        for made in (pickle.loads(pickle.dumps(t)), pickle.loads(pickle.dumps(t, 2)), copy.deepcopy(t), copy.copy(t),
                     t.copy()):
            assert made.dtype is PA[dt] and not made.readonly
            same(made, a)
            assert not a.size or not shares(made, a)


def test_dtypes_are_pickled_as_themselves():
    for d in PA.values():
        assert pickle.loads(pickle.dumps(d)) is d and copy.deepcopy(d) is d


@pytest.mark.parametrize("make,text", [
    (lambda: pyasc.tensor([1, 2]), "tensor([1, 2], dtype=int64)"),
    (lambda: pyasc.tensor([[1.0, 2.5]]), "tensor([[1. , 2.5]], dtype=float32)"),
    (lambda: pyasc.tensor([True, False]), "tensor([ True, False], dtype=bool)"),
    (lambda: pyasc.tensor(3), "tensor(3, dtype=int64)"),
    (lambda: pyasc.zeros((0, 2)), "tensor([], shape=(0, 2), dtype=float32)"),
    (lambda: pyasc.ones(2, dtype=pyasc.bfloat16), "tensor([1., 1.], dtype=bfloat16)"),
    (lambda: pyasc.arange(4).reshape(2, 2), "tensor([[0, 1],\n [2, 3]], dtype=int64)")])
def test_repr(make, text):
    assert " ".join(repr(make()).split()) == " ".join(text.split())


def test_repr_of_large_tensors_is_short():
    assert len(repr(pyasc.zeros(10**6))) < 200


# Memory.

def test_memory_is_used_again():
    pyasc.empty_cache()
    for _ in range(3):
        t = pyasc.empty(100_003)
        del t
    before = pyasc.memory_stats()
    for _ in range(10):
        t = pyasc.empty(100_003)
        del t
    after = pyasc.memory_stats()
    assert after["reused"] - before["reused"] == 10 and after["in_use"] == before["in_use"]
    pyasc.empty_cache()
    assert pyasc.memory_stats()["cached"] == 0


def test_a_chain_of_operations_needs_three_buffers_at_most():
    gc.collect()
    base = pyasc.memory_stats()["in_use"]
    x = pyasc.ones(1 << 18)
    pyasc.reset_peak()
    for _ in range(50):
        x = pyasc.sin(x) * 0.5
    assert pyasc.memory_stats()["peak"] - base <= 3 * (1 << 20) + 4096
    assert pyasc.memory_stats()["in_use"] - base <= (1 << 20) + 4096


def test_launches_leave_no_references_behind():
    a, b, c = (pyasc.ones(16) for _ in range(3))
    pyasc.add(a, b, out=c)
    gc.collect()
    before = [sys.getrefcount(t) for t in (a, b, c)], pyasc.memory_stats()["live"]
    for _ in range(100_000):
        pyasc.add(a, b, out=c)
    assert ([sys.getrefcount(t) for t in (a, b, c)], pyasc.memory_stats()["live"]) == before


def test_failing_operations_leave_no_references_behind():
    a, b = pyasc.ones(16), pyasc.ones(17)
    out = np.zeros(3, np.float32)
    gc.collect()
    before = [sys.getrefcount(t) for t in (a, b, out)], pyasc.memory_stats()["live"]
    for _ in range(200):
        for f in (lambda: pyasc.add(a, b), lambda: pyasc.add(a, a, out=out), lambda: pyasc.add(a, None)):
            with pytest.raises((ValueError, TypeError)):
                f()
    gc.collect()
    assert ([sys.getrefcount(t) for t in (a, b, out)], pyasc.memory_stats()["live"]) == before


@pytest.mark.parametrize("dt", ["int8", "int16", "int32", "uint8", "uint16", "uint32"])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 9, 1000])
def test_sums_of_columns_add_in_the_wide_type(dt, rows):
    x = np.full((rows, 6), np.iinfo(dt).max, dt)
    for axis in (None, 0, 1):
        same(pyasc.sum(x, axis=axis), np.sum(x, axis=axis))
        same(pyasc.sum(pyasc.asarray(x).T, axis=axis), np.sum(x.T, axis=axis))
        same(pyasc.cumsum(x, axis=axis), np.cumsum(x, axis=axis))
        same(pyasc.prod(x[:, :2], axis=axis), np.prod(x[:, :2], axis=axis))
        same(pyasc.max(x, axis=axis), np.max(x, axis=axis))


def test_numbers_that_do_not_fit():
    """NumPy's: an error in arithmetic, an answer in comparisons."""
    x = np.array([1, 2], np.uint8)
    for call in (lambda: pyasc.add(x, 300), lambda: pyasc.add(x, -1), lambda: pyasc.full(2, 300, dtype=pyasc.int8),
                 lambda: pyasc.maximum(x, 256), lambda: pyasc.mul(np.ones(2, np.int32), 2**31),
                 lambda: pyasc.asarray(x.copy()).__setitem__(0, 256)):
        with pytest.raises(OverflowError, match="does not fit in pyasc.*int"):
            call()
    for dt in ("int8", "uint8", "int32", "uint32", "int64", "uint64"):
        v = np.array([0, 1, np.iinfo(dt).max, np.iinfo(dt).min], dt)
        for n in (-2**63, -300, -1, 0, 255, 2**31, 2**40, 2**63 - 1):
            for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
                if dt != "uint64":  # int64 with uint64 is uint64 here
                    same(getattr(pyasc, name)(v, n), getattr(np, name)(v, n))
        same(pyasc.add(v, int(np.iinfo(dt).max)), v + np.iinfo(dt).max)
    assert pyasc.add(np.ones(2, np.float32), 2**40).dtype is pyasc.float32


def test_operands_that_are_no_numbers():
    x = np.ones(2)
    for call in (lambda: pyasc.add(x, "a"), lambda: pyasc.add(x, {}), lambda: pyasc.add(x, 1j)):
        with pytest.raises(TypeError, match="^add: a (str|dict|complex) is neither a tensor nor a number"):
            call()
    with pytest.raises(TypeError, match="bitwise_and: operands of pyasc.float64; it is for integers"):
        pyasc.bitwise_and(x, x)
    with pytest.raises(TypeError, match="a result of pyasc.float64 does not go into an out of pyasc.int32"):
        pyasc.add(x, x, out=np.ones(2, np.int32))


def test_small_indices_of_long_axes():
    x = np.arange(1000)
    same(pyasc.take(x, np.array([-1, -128, 127], np.int8), axis=0), x[[-1, -128, 127]])
