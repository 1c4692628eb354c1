"""Numbers of interpreted kernels against those of compiled ones: every operator and dtype, and random programs."""
import linecache

import numpy as np
import pyasc
import pytest
import random_kernels

ALL = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16,
       np.float32, np.float64]
N = 23


@pytest.fixture(scope="session")
def kernels_of(tmp_path_factory):
    """A kernel that stores the values of expressions in x[i] and y[i], as integers in p and as floats in q."""
    folder, made = tmp_path_factory.mktemp("interpreted"), {}

    def make(expressions):
        if expressions not in made:
            path = folder / f"k{len(made)}.py"
            lines = [f"    v{k} = {e}\n    p[i, {k}], q[i, {k}] = v{k}, v{k}\n" for k, e in enumerate(expressions)]
            path.write_text("import math\nimport pyasc\n\ndef k(x, y, p, q):\n    i = pyasc.get_global_id()\n" + "".join(lines))
            scope = {"__name__": "made"}
            exec(compile(path.read_text(), str(path), "exec"), scope)
            made[expressions] = pyasc.jit(scope["k"], opt_level=1), pyasc.jit(scope["k"], interpret=True)
        return made[expressions]
    return make


def numbers(dt, seed):
    rng = np.random.default_rng(seed)
    if dt is np.bool_:
        return rng.integers(0, 2, N).astype(bool)
    if np.dtype(dt).kind in "iu":
        info = np.iinfo(dt)
        v = rng.integers(info.min, info.max, N, dtype=dt, endpoint=True)
        v[8:] = rng.integers(max(info.min, -9), 70, N - 8).astype(dt)
        v[:4] = [info.min, info.max, 0, 1]
        return v
    v = (rng.standard_normal(N) * 10).astype(dt)
    v[:9] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 7]
    return rng.permutation(v)


def agree(expressions, kernels_of, x, y, ulps=0):
    """Both give the same, stored as int64 (what integers are) and as float64 (what floats are)."""
    results = []
    for k in kernels_of(tuple(expressions)):
        p, q = np.zeros((x.size, len(expressions)), np.int64), np.zeros((x.size, len(expressions)))
        k(x, y, p, q)
        results.append((p, q))
    for want, got in zip(*results):
        with np.errstate(all="ignore"):
            near = np.abs(got - want) <= ulps * 2.0 ** -23 * np.abs(want)
        zero = (got == 0) & (want == 0)
        equal = near & (ulps > 0) | (got == want) & (~zero | (np.signbit(got) == np.signbit(want))) | (got != got) & (want != want)
        if ulps and got.dtype == np.int64:
            continue
        wrong = [(expressions[k], x[i], y[i], got[i, k], want[i, k]) for i, k in zip(*np.nonzero(~equal))]
        assert not wrong, wrong[:9]


TYPES = [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.uint32, np.uint64, np.float16, np.float32, np.float64]


@pytest.mark.parametrize("a", TYPES)
@pytest.mark.parametrize("b", TYPES)
def test_operators(a, b, kernels_of):
    x, y = numbers(a, 1), numbers(b, 2)
    floats = np.dtype(a).kind == "f" or np.dtype(b).kind == "f"
    ops = ("+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=") + (() if floats else ("&", "|", "^", "<<", ">>"))
    agree([f"x[i] {op} y[i]" for op in ops] + ["max(x[i], y[i])", "min(x[i], y[i])", "pyasc.where(x[i] > 0, x[i], y[i])"],
          kernels_of, x, y)
    agree(["x[i] ** y[i]"], kernels_of, x, y, ulps=2 if floats else 0)


@pytest.mark.parametrize("dt", ALL)
def test_literals_and_functions_of_one_number(dt, kernels_of):
    x = numbers(dt, 3)
    e = ["x[i] + 100", "3 - x[i]", "x[i] * 0.1", "1 / x[i]", "x[i] / 3", "x[i] // -7", "7 % x[i]", "-x[i]", "abs(x[i])",
         "int(x[i])", "float(x[i]) / 3", "bool(x[i])", "round(x[i])", "not x[i]", "x[i] > 0.1", "pyasc.int8(x[i])",
         "pyasc.uint16(x[i])", "pyasc.float16(x[i])", "pyasc.bfloat16(x[i] * 1.001)", "pyasc.uint64(x[i])",
         "pyasc.float32(x[i]) * 3", "math.floor(x[i] / 4)", "pyasc.trunc(x[i])", "x[i] + x[i] + x[i]", "max(x[i], 1, 2.5)",
         "min((x[i], 3))", "sum((x[i], 1))", "pyasc.relu(x[i])"]
    if np.dtype(dt).kind != "f":
        e += ["~x[i]", "x[i] << 3", "x[i] >> 2", "x[i] >> 70", "1 << x[i]", "x[i] & 12"]
    agree(e, kernels_of, x, x)
    names = ("exp", "log", "sqrt", "rsqrt", "sin", "tanh", "sigmoid", "atan", "erf", "gelu", "silu")
    agree([f"pyasc.{f}(pyasc.float32(x[i]) % 8)" for f in names], kernels_of, x, x, ulps=8)


def test_expressions_compute_in_the_same_steps(kernels_of):
    rng = np.random.default_rng(4)
    for dt in (np.float16, np.float32):
        x, y = (rng.standard_normal(N).astype(dt) for _ in range(2))
        agree(["x[i] * y[i] - x[i] / 3 + y[i]", "(x[i] + y[i] * 0.3) * (x[i] - 1)", "pyasc.float16(x[i] * y[i]) * y[i]"],
              kernels_of, x, y)


@pytest.mark.parametrize("first", range(0, 90, 30))
def test_random_kernels(first, tmp_path):
    for seed in range(first, first + 30):
        kind, text = random_kernels.write(seed)
        path = tmp_path / f"random{seed}.py"
        path.write_text(text)
        linecache.clearcache()
        scope = {"__name__": "made"}
        exec(compile(text, str(path), "exec"), scope)
        k, results = scope["kernel"], []
        for run in (k, pyasc.jit(k.fn, interpret=True)):
            x = np.random.default_rng(seed).integers(-20, 60, random_kernels.N).astype(np.int64)
            t, out = np.zeros_like(x), np.zeros_like(x)
            random_kernels.launch(run, kind, (x, t, out, seed % 11))
            results.append((t.tolist(), out.tolist()))
        assert results[0] == results[1], text
