"""Wrong programs and calls: the exception, its line, and what it advises (spec section 7)."""
import numpy as np
import pyasc
import pytest

F = np.zeros(8, np.float32)
M = np.zeros((2, 3), np.float32)


@pyasc.jit
def unknown_name(x):
    x[pyasc.get_global_id()] = nowhere  # noqa: F821


@pyasc.jit
def wrong_rank(x):
    x[0, 0] = 1.0


@pyasc.jit
def float_index(x):
    x[0.5] = 1.0


@pyasc.jit
def float_bits(x):
    x[0] = x[1] & 3


@pyasc.jit
def divergent_barrier(x):
    i = pyasc.get_local_id()
    if i < 3:
        pyasc.syncthreads()
    x[i] = 1


@pyasc.jit
def tries(x):
    try:
        x[0] = 1
    except ValueError:
        pass


@pyasc.jit
def asserts(x):
    assert x[0] > 0


@pyasc.jit
def comprehends(x):
    x[0] = sum([i for i in range(3)])


@pyasc.jit
def bad_attribute(x):
    x[0] = x.nothing


@pyasc.jit
def bad_module_name(x):
    x[0] = pyasc.expp(x[0])


@pyasc.jit
def bad_unpack(x):
    a, b = x.shape
    x[0] = a + b


@pyasc.jit
def unset(x):
    x[0] = later
    later = 1  # noqa: F841


@pyasc.jit
def slices(x):
    x[0] = x[1:3]


@pyasc.jit
def bad_shape(x):
    s = pyasc.shared(x.shape[0])
    x[0] = s[0]


@pyasc.jit
def wrong_count(x):
    x[0] = pyasc.exp(x[0], 2)


@pyasc.jit
def iterates(x):
    for v in x:
        x[0] = v


@pyasc.jit
def recursive(x):
    x[0] = down(x[0])


def down(v):
    return down(v - 1)


COMPILE = [
    (unknown_name, "name 'nowhere' is not defined", "nowhere"), (wrong_rank, "1 dimensions, 2 subscripts", "x[0, 0]"),
    (float_index, "not an integer", "x[0.5]"), (float_bits, "bitwise operation on f32", "x[1] & 3"),
    (divergent_barrier, "not uniform", "syncthreads"), (tries, "try/except is not supported", "try:"),
    (asserts, "assert is not supported", "assert"), (comprehends, "ListComp is not supported", "for i in"),
    (bad_attribute, "no attribute 'nothing'", "x.nothing"), (bad_module_name, "no attribute 'expp'", "expp"),
    (bad_unpack, "cannot unpack 1 values into 2", "a, b"), (unset, "name 'later' is not defined", "later"),
    (slices, "slices are not supported", "1:3"), (bad_shape, "must be constants", "x.shape"),
    (wrong_count, "takes 1 argument, 2 given", "pyasc.exp"), (iterates, "runs over range() or a tuple", "for v in x"),
    (recursive, "recursion is not supported", "down"),
]


@pytest.mark.parametrize("kernel, text, line", COMPILE, ids=[k.__name__ for k, _, _ in COMPILE])
def test_compile_errors_show_the_place(kernel, text, line):
    for _ in range(2):  # a failed compile leaves the kernel usable
        with pytest.raises(pyasc.CompileError) as e:
            kernel[1, 4](F)
        assert text in str(e.value)
        assert e.value.filename == __file__ and line in e.value.text and e.value.offset >= 1


@pyasc.jit
def copy(x, out):
    i = pyasc.get_global_id()
    out[i] = x[i + 1]


@pyasc.jit
def no_domain(x):
    x[pyasc.get_global_id() * 2] = 1


def readonly():
    a = np.zeros(8, np.float32)
    a.flags.writeable = False
    return a


CALLS = [
    (lambda: copy(F), TypeError, "missing the argument 'out'"), (lambda: copy(F, F, F), TypeError, "takes 2 arguments but 3"),
    (lambda: copy(F, x=F), TypeError, "two values for 'x'"), (lambda: copy(F, y=F), TypeError, "no parameter 'y'"),
    (lambda: copy([1.0], F), TypeError, "'x' is a list.*NumPy array"), (lambda: copy({}, F), TypeError, "'x' is a dict"),
    (lambda: copy(np.array(["a"]), F), TypeError, "'x': arrays of"), (lambda: copy(F.astype(">f4"), F), TypeError, "'x': arrays of"),
    (lambda: copy(F, readonly()), ValueError, "'out' is read-only"), (lambda: copy(F, F.copy()), ValueError, "'x' along axis 0 reaches from 1 to 8"),
    (lambda: no_domain(F), TypeError, "cannot infer how many work-items"), (lambda: copy[1](F, F), TypeError, "blocks, threads"),
    (lambda: copy[1, 0](F, F), ValueError, "at least one work-item"), (lambda: copy.over(-1)(F, F), ValueError, "not negative"),
    (lambda: copy.over()(F, F), ValueError, "1 to 3 dimensions"), (lambda: pyasc.exp(1.0), RuntimeError, "inside kernels"),
    (lambda: pyasc.jit(copy), TypeError, "kernel already"), (lambda: pyasc.jit(check=True), ValueError, "not available yet"),
    (lambda: divergent_barrier[1, 2000](F), pyasc.CompileError, "not uniform"), (lambda: copy(1j, F), TypeError, "'x' is a complex|float"),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_wrong_calls(number):
    call, error, text = CALLS[number]
    with pytest.raises(error, match=text):
        call()


def test_kernel_without_source():
    scope = {"pyasc": pyasc}
    exec("@pyasc.jit\ndef hidden(x):\n    x[0] = 1\n", scope)
    with pytest.raises(pyasc.CompileError, match="source of 'hidden' is not available"):
        scope["hidden"](F)
