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
    (lambda: copy.over()(F, F), ValueError, "1 to 3 dimensions"), (lambda: pyasc.get_global_id(), RuntimeError, "inside kernels"),
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


MORE = '''
def global_assignment(x):
    global F
    F = 1
---global assignment is not supported---global F
def matmul(x):
    x[0] = x @ x
---@ is not supported---x @ x
def tensor_as_number(x):
    x[0] = x + 1
---'x' is a tensor and stands where a number is needed---x + 1
def with_statement(x):
    with open("a") as f:
        x[0] = 1
---with is for mutexes---with open
def inner_class(x):
    class A:
        pass
---a class is not supported---class A
def raises(x):
    raise ValueError("no")
---raise is not supported---raise
def deletes(x):
    del x
---del is not supported---del x
def imports(x):
    import math
---import is not supported---import math
def yields(x):
    yield x[0]
---Yield is not supported---yield
def dictionary(x):
    a = {}
---Dict is not supported---{}
def is_compare(x):
    if x[0] is 1:
        x[0] = 2
---'Is' is not supported---x[0] is 1
def string_value(x):
    x[0] = "a"
---not a value that a kernel can compute with---x[0] = "a"
def huge(x):
    x[0] = 123456789012345678901234567890
---a constant of this kind---123456
def keyword(x):
    x[0] = pyasc.get_global_id(axis=0)
---no parameter 'axis'---axis=0
def bad_dim(x):
    x[pyasc.get_global_id(3)] = 1
---must be a constant---get_global_id(3)
def missing_argument(x):
    x[0] = twice()
---argument 'v' is missing---twice()
def too_many(x):
    x[0] = twice(1, 2)
---takes 1 arguments, 2 given---twice(1, 2)
def calls_number(x):
    a = 3
    x[0] = a(1)
---cannot be called---a(1)
def no_value(x):
    x[0] = nothing()
---None stands where a number is needed---x[0] = nothing()
def float_range(x):
    for i in range(x[0]):
        x[0] = i
---range() needs integers---for i in range
def range_arguments(x):
    for i in range():
        x[0] = i
---1 to 3 arguments---range()
def tuple_index(x):
    a = (1, 2)
    x[0] = a[2]
---index 2 is outside a tuple of 2---a[2]
def float_shift(x):
    x[0] = x[0] << 1
---bitwise operation on f32---x[0] << 1
def atomic_rank(x):
    pyasc.atomic_add(x, (0, 0), 1)
---1 dimensions, 2 subscripts---atomic_add
def atomic_call(x):
    pyasc.atomic_add(x, 0)
---atomic_add() is called wrongly---atomic_add
def bad_dtype(x):
    s = pyasc.shared(4, dtype=3)
---is not a dtype---shared
def star_call(x):
    x[0] = starred(1, 2)
---cannot take *args---starred
def divergent_loop_barrier(x):
    for k in range(pyasc.get_local_id()):
        pyasc.syncthreads()
    x[0] = 1
---not uniform---syncthreads
def early_return_barrier(x):
    if pyasc.get_local_id() > 2:
        return
    pyasc.syncthreads()
    x[0] = 1
---not uniform---syncthreads
'''
HELPERS = "import pyasc\n\n\ndef twice(v):\n    return v * 2\n\n\ndef nothing():\n    pass\n\n\ndef starred(*a):\n    return 1\n\n\n"


def programs():
    text = MORE.strip("\n")
    while text:
        source, message, rest = text.split("---", 2)
        shown, _, text = rest.partition("\n")
        yield source, message, shown


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(29))
def test_more_wrong_programs(number, tmp_path):
    all_programs = list(programs())
    assert len(all_programs) == 29
    source, message, shown = all_programs[number]
    path = tmp_path / "wrong.py"
    path.write_text(HELPERS + "@pyasc.jit\n" + source)
    scope = {"__name__": "wrong"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    kernel = [v for v in scope.values() if isinstance(v, pyasc.Kernel)][0]
    with pytest.raises(pyasc.CompileError) as e:
        kernel[1, 4](F)
    assert message in str(e.value), str(e.value)
    assert e.value.filename == str(path) and shown in e.value.text, e.value.text
    assert ";" in str(e.value) or "dimensions" in str(e.value) or "given" in str(e.value) or "missing" in str(e.value) or \
        "tuple of" in str(e.value) or "None" in str(e.value) or "parameter" in str(e.value) or "compute" in str(e.value)
