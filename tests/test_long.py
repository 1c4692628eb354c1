"""Long kernels: their passes, and LLVM's, are chosen by length."""
import linecache

import numpy as np
import pyasc
import pytest

N = 37


def made(name, lines):
    """The function f of this text, with its source known."""
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"pyasc": pyasc}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def integers(simt, count):
    """Divisions by numbers and by variables, in branches and loops that some work-items leave."""
    yield "def f(x, out, n):"
    yield "    i = pyasc.get_global_id()" if simt else "    i = n"
    yield "    a = x[i]"
    yield "    b = x[(i * 5) % 37] - 9"
    for k in range(count):
        yield f"    c{k} = (a * 3 + b - {k}) % {k % 9 + 2} + b // {k % 5 + 1}"
        yield f"    if a % (b + {k % 3}) > {k % 4}:"
        yield f"        b = a // (c{k} - 1) + b % 1000"
        yield f"    elif c{k} & 1:"
        yield f"        for k{k} in range(c{k} & 3):"
        yield f"            a = a + k{k} * b % -7"
        yield f"            if a % 5 == {k % 5}:"
        yield f"                {'break' if k % 2 else 'continue'}"
        yield f"            a = a - c{k // 2}"
        yield "    a = a % 10007"
    yield "    out[i] = a * 3 + b % 1000"


def python_division(v):
    """Of integers by zero gives 0 in kernels."""
    class Int(int):
        def __floordiv__(self, other):
            return Int(int(self) // int(other)) if int(other) else Int(0)

        def __mod__(self, other):
            return Int(int(self) % int(other)) if int(other) else Int(0)

        __add__, __radd__ = (lambda s, o: Int(int(s) + int(o))), (lambda s, o: Int(int(s) + int(o)))
        __sub__, __rsub__ = (lambda s, o: Int(int(s) - int(o))), (lambda s, o: Int(int(o) - int(s)))
        __mul__, __rmul__ = (lambda s, o: Int(int(s) * int(o))), (lambda s, o: Int(int(s) * int(o)))
        __and__ = lambda s, o: Int(int(s) & int(o))
    return Int(v)


@pytest.mark.parametrize("simt", [True, False])
def test_integers_as_python(simt):
    f = made(f"long_integers_{simt}.py", integers(simt, 90))
    x, out = np.random.default_rng(3).integers(-50, 90, N), np.zeros(N, np.int64)
    k = pyasc.jit(cache=False)(f)
    if simt:
        k.over(N)(x, out, N)
    else:
        k(x, out, 5)
    wanted = [python_division(0)] * N
    values = [python_division(v) for v in x.tolist()]
    for i in range(N) if simt else [5]:
        f.__globals__["pyasc"] = type("Ids", (), {"get_global_id": staticmethod(lambda i=i: python_division(i))})
        f(values, wanted, python_division(5))
    assert out.tolist() == [int(v) for v in wanted]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_floats(dtype):
    lines = ["def f(x, out):", "    i = pyasc.get_global_id()", "    v = x[i]"]
    for k in range(160):
        lines += [f"    w{k} = pyasc.exp(-abs(v)) + pyasc.sin(v) * 0.5", f"    if w{k} > 0.7:", f"        v = pyasc.tanh(w{k}) - v % 0.75",
                  "    else:", f"        v = pyasc.log(w{k} + 3.0) ** 1.5"]
    k = pyasc.jit(cache=False)(made(f"long_floats_{np.dtype(dtype)}.py", [*lines, "    out[i] = v"]))
    short = pyasc.jit(cache=False)(made("short.py", [*lines[:2], "    v = x[i]", *(s.replace("w0", "w") for s in lines[3:8]), "    out[i] = v"]))
    x = np.random.default_rng(4).normal(size=N).astype(dtype)
    out, v = np.zeros_like(x), x.copy()
    k(x, out)
    for _ in range(160):
        short(v, v)
    assert np.array_equal(out, v)
