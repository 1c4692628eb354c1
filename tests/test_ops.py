"""Every operation over its dtypes against NumPy or CPython, at sizes that are not a multiple of anything (spec section 5)."""
import importlib
import math
import sys

import numpy as np
import pyasc
import pytest

ALL = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16,
       np.float32, np.float64]
FLOATS = [np.float16, np.float32, np.float64]
N = 1009


@pytest.fixture(scope="session")
def kernel_of(tmp_path_factory):
    """A kernel from the text of its expression in x[i] and y[i]."""
    folder = tmp_path_factory.mktemp("ops")
    sys.path.insert(0, str(folder))
    made = {}

    def make(expression):
        if expression not in made:
            name = f"op_{len(made)}"
            (folder / f"{name}.py").write_text(
                f"import math\nimport pyasc\n\n\n@pyasc.jit\ndef k(x, y, out):\n    i = pyasc.get_global_id()\n    out[i] = {expression}\n")
            importlib.invalidate_caches()
            made[expression] = importlib.import_module(name).k
        return made[expression]
    return make


def numbers(dt, seed, nonzero=False):
    rng = np.random.default_rng(seed)
    if dt is np.bool_:
        return rng.integers(0, 2, N).astype(bool)
    if np.dtype(dt).kind in "iu":
        info = np.iinfo(dt)
        v = rng.integers(info.min, info.max, N, dtype=dt, endpoint=True)
        v[: N // 2] = rng.integers(max(info.min, -20), 20, N // 2).astype(dt)
        v[:4] = [info.min, info.max, 1, 2]
    else:
        v = (rng.standard_normal(N) * 10).astype(dt)
        v[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5]
    if nonzero:
        v[v == 0] = 1
    return v


def compute(dt):
    """The type in which a kernel computes with dt."""
    if dt in (np.int8, np.int16, np.uint8, np.uint16):
        return np.int32
    return {np.float16: np.float32, np.bool_: np.int64}.get(dt, dt)


def same(got, want, ulps=0):
    with np.errstate(all="ignore"):
        want = want.astype(got.dtype)
    if ulps and got.dtype.kind == "f":
        near = np.abs(got.astype(np.float64) - want) <= ulps * np.spacing(np.abs(want)).astype(np.float64)
        return bool((near | (got == want) | (np.isnan(got) & np.isnan(want))).all())
    return np.array_equal(got, want, equal_nan=got.dtype.kind == "f")


@pytest.mark.parametrize("op", ["+", "-", "*"])
@pytest.mark.parametrize("dt", ALL)
def test_arithmetic(kernel_of, op, dt):
    c = compute(dt)
    x, y, out = numbers(dt, 1), numbers(dt, 2), np.zeros(N, c)
    kernel_of(f"x[i] {op} y[i]")(x, y, out)
    with np.errstate(all="ignore"):
        assert same(out, eval(f"a {op} b", {"a": x.astype(c), "b": y.astype(c)}))


@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("dt", ALL)
def test_floor_division(kernel_of, op, dt):
    c = compute(dt)
    x, y, out = numbers(dt, 3), numbers(dt, 4), np.ones(N, c)
    kernel_of(f"x[i] {op} y[i]")(x, y, out)
    want = np.zeros(N, c)
    for i, (a, b) in enumerate(zip(x.astype(c).tolist(), y.astype(c).tolist())):
        if c in (np.float32, np.float64):
            with np.errstate(all="ignore"):
                want[i] = eval(f"a {op} b", {"a": c(a), "b": c(b)})
        elif b:
            want[i] = np.array((a // b if op == "//" else a % b) & (2 ** (8 * want.itemsize) - 1), np.uint64).astype(c)
    if c in (np.float32, np.float64):
        both = np.isfinite(want) & np.isfinite(x.astype(c)) & np.isfinite(y.astype(c))
        assert same(out[both], want[both], 1)
    else:
        assert same(out, want)


@pytest.mark.parametrize("op", ["&", "|", "^"])
@pytest.mark.parametrize("dt", [t for t in ALL if t not in FLOATS])
def test_bitwise(kernel_of, op, dt):
    c = np.bool_ if dt is np.bool_ else compute(dt)
    x, y, out = numbers(dt, 5), numbers(dt, 6), np.zeros(N, c)
    kernel_of(f"x[i] {op} y[i]")(x, y, out)
    assert same(out, eval(f"a {op} b", {"a": x.astype(c), "b": y.astype(c)}))


@pytest.mark.parametrize("op", ["<<", ">>"])
@pytest.mark.parametrize("dt", [np.int32, np.int64, np.uint32, np.uint64, np.int8])
def test_shifts(kernel_of, op, dt):
    c, x = compute(dt), numbers(dt, 7)
    y = np.random.default_rng(8).integers(0, 70, N).astype(dt)
    out, bits = np.zeros(N, c), np.dtype(c).itemsize * 8
    kernel_of(f"x[i] {op} y[i]")(x, y, out)
    want = [eval(f"a {op} b", {"a": a, "b": b}) & (2**bits - 1) for a, b in zip(x.tolist(), y.tolist())]
    assert same(out, np.array(want, np.uint64).astype(c))


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("a", ALL)
@pytest.mark.parametrize("b", [np.int8, np.int64, np.uint32, np.uint64, np.float32])
def test_comparisons_are_pythons(kernel_of, op, a, b):
    x, y, out = numbers(a, 9), numbers(b, 10), np.zeros(N, bool)
    with np.errstate(all="ignore"):
        x[: N // 3] = y[: N // 3].astype(a) if b is not np.float32 else x[: N // 3]
    kernel_of(f"x[i] {op} y[i]")(x, y, out)
    if a in FLOATS or b is np.float32:  # ints never widen floats, and are compared as floats with them
        x, y = (v.astype(np.float64 if a is np.float64 else np.float32) for v in (x, y))
    want = [eval(f"p {op} q", {"p": p, "q": q}) for p, q in zip(x.tolist(), y.tolist())]
    assert same(out, np.array(want))


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("dt", ALL)
def test_casts_by_store(kernel_of, dt, to):
    x, out = numbers(dt, 11), np.zeros(N, to)
    if dt in FLOATS and to not in FLOATS and to is not np.bool_:
        lo, hi = (0 if np.dtype(to).kind == "u" else -100), 100
        x = np.clip(np.nan_to_num(x), lo, hi).astype(dt)
    kernel_of("x[i]")(x, x, out)
    with np.errstate(all="ignore"):
        assert same(out, x.astype(to))


@pytest.mark.parametrize("dt", [np.int32, np.int64, np.uint32, np.uint64])
def test_integer_power(kernel_of, dt):
    x = np.random.default_rng(12).integers(-9 if np.dtype(dt).kind == "i" else 0, 10, N).astype(dt)
    y = np.random.default_rng(13).integers(0, 20, N).astype(dt)
    out, bits = np.zeros(N, dt), np.dtype(dt).itemsize * 8
    kernel_of("x[i] ** y[i]")(x, y, out)
    assert same(out, np.array([a**b & (2**bits - 1) for a, b in zip(x.tolist(), y.tolist())], np.uint64).astype(dt))


@pytest.mark.parametrize("dt", [np.float32, np.float64])
def test_division_and_power_of_floats(kernel_of, dt):
    x, y, out = numbers(dt, 14), numbers(dt, 15), np.zeros(N, dt)
    with np.errstate(all="ignore"):
        kernel_of("x[i] / y[i]")(x, y, out)
        assert same(out, x / y)
        kernel_of("x[i] ** y[i]")(np.abs(x), y, out)
        want = np.power(np.abs(x).astype(np.float64), y.astype(np.float64))
        assert same(out, want, 2 if dt is np.float32 else 4)


@pytest.mark.parametrize("dt", [np.int8, np.int32, np.int64, np.uint64])
def test_true_division_of_ints_is_float32(kernel_of, dt):
    x, y, out = numbers(dt, 16), numbers(dt, 17, nonzero=True), np.zeros(N, np.float64)
    kernel_of("x[i] / y[i]")(x, y, out)
    assert np.array_equal(out, (x.astype(np.float32) / y.astype(np.float32)).astype(np.float64))


@pytest.mark.parametrize("dt", ALL)
def test_negation_absolute_extremes(kernel_of, dt):
    c = compute(dt)
    x, y = numbers(dt, 18), numbers(dt, 19)
    for text, want in (("-x[i]", lambda a, b: np.negative(a)), ("abs(x[i])", lambda a, b: np.abs(a)),
                       ("max(x[i], y[i])", np.maximum), ("min(x[i], y[i])", np.minimum)):
        out = np.zeros(N, c)
        kernel_of(text)(x, y, out)
        with np.errstate(all="ignore"):
            assert same(out, want(x.astype(c), y.astype(c))), text


FUNCTIONS = {
    "exp": (np.exp, -120, 100), "exp2": (np.exp2, -160, 140), "expm1": (np.expm1, -20, 80), "log": (np.log, 0, 1e30),
    "log2": (np.log2, 0, 1e30), "log10": (np.log10, 0, 1e30), "log1p": (np.log1p, -1, 1e10), "sqrt": (np.sqrt, 0, 1e30),
    "sin": (np.sin, -100, 100), "cos": (np.cos, -100, 100), "tan": (np.tan, -100, 100), "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1), "atan": (np.arctan, -1e5, 1e5), "sinh": (np.sinh, -80, 80), "cosh": (np.cosh, -80, 80),
    "tanh": (np.tanh, -20, 20), "erf": (np.vectorize(math.erf), -6, 6), "floor": (np.floor, -1e6, 1e6),
    "ceil": (np.ceil, -1e6, 1e6), "trunc": (np.trunc, -1e6, 1e6), "rsqrt": (lambda a: 1 / np.sqrt(a), 1e-30, 1e30),
    "sigmoid": (lambda a: 1 / (1 + np.exp(-a)), -80, 80), "round": (np.rint, -1e6, 1e6),
}


@pytest.mark.parametrize("dt", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_within_4_ulp(kernel_of, name, dt):
    f, lo, hi = FUNCTIONS[name]
    rng = np.random.default_rng(20)
    if lo >= 0:
        x = np.exp(rng.uniform(np.log(max(lo, 1e-30)), np.log(hi), 4001)).astype(dt)
    else:
        x = np.concatenate([rng.uniform(lo, hi, 2001), rng.uniform(max(lo, -1), 1, 2000)]).astype(dt)
    x = np.concatenate([x, np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], dt)])
    out = np.zeros_like(x)
    kernel_of(f"pyasc.{name}(x[i])")(x, x, out)
    with np.errstate(all="ignore"):
        assert same(out, f(x.astype(np.float64)), 4)


@pytest.mark.parametrize("a", ALL)
@pytest.mark.parametrize("b", ALL)
def test_mixed_types_join_by_the_contract(kernel_of, a, b):
    def join(p, q):
        p, q = np.dtype(compute(p)), np.dtype(compute(q))
        if a is np.bool_ and b is not np.bool_:
            return q
        if b is np.bool_ and a is not np.bool_:
            return p
        if "f" in (p.kind, q.kind):
            return max((t for t in (p, q) if t.kind == "f"), key=lambda t: t.itemsize)
        if p.kind == q.kind:
            return max(p, q, key=lambda t: t.itemsize)
        return np.dtype(np.uint64) if np.dtype(np.uint64) in (p, q) else np.dtype(np.int64)
    c = join(a, b)
    x, y, out = numbers(a, 21), numbers(b, 22), np.zeros(N, c)
    kernel_of("x[i] + y[i]")(x, y, out)
    with np.errstate(all="ignore"):
        assert same(out, x.astype(c) + y.astype(c))
