"""Errors beyond their texts, which are in gallery.py: places, state afterwards, families of arguments."""
import pickle
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pyasc
import pytest

F = np.zeros(8, np.float32)


@pyasc.jit
def float_index(x):
    x[len(x) / 2] = 1


def helper(v):
    return v & 3


@pyasc.jit
def calls_helper(x):
    x[0] = helper(x[1])


def test_a_failed_compile_leaves_the_kernel_usable():
    for _ in range(2):
        with pytest.raises(pyasc.CompileError, match="a subscript is an integer"):
            float_index(F)
    calls_helper(np.arange(4))
    with pytest.raises(pyasc.CompileError):
        calls_helper(F)
    calls_helper(np.arange(4))


def test_the_place_is_in_the_function_that_is_wrong():
    with pytest.raises(pyasc.CompileError, match="& needs integers") as e:
        calls_helper(F)
    assert e.value.filename == __file__ and e.value.text.strip() == "return v & 3"
    assert e.value.text[e.value.offset - 1:e.value.end_offset - 1] == "v & 3"


def test_columns_behind_characters_of_several_bytes():
    @pyasc.jit
    def accents(x):
        größe = "ä"; x[0] = fehlt + 1  # noqa: E702,F821,F841

    with pytest.raises(pyasc.CompileError, match="name 'fehlt'") as e:
        accents(F)
    assert e.value.text[e.value.offset - 1:e.value.end_offset - 1] == "fehlt"


def test_columns_below_decorators_and_indentation():
    def wrap(f):
        return f

    class Holder:
        @wrap
        @pyasc.jit(fastmath=False)
        def method(x):
            x[0] = (1 +
                    missing)  # noqa: F821

    with pytest.raises(pyasc.CompileError) as e:
        Holder.__dict__["method"](F)
    assert e.value.text[e.value.offset - 1:e.value.end_offset - 1] == "missing"


def test_python_draws_the_caret():
    with pytest.raises(pyasc.CompileError) as e:
        float_index(F)
    text = "".join(traceback.format_exception_only(type(e.value), e.value))
    assert "x[len(x) / 2] = 1\n" in text and "^" in text and "pyasc.CompileError: a subscript" in text


def test_errors_are_pickled():
    with pytest.raises(pyasc.CompileError) as e:
        float_index(F)
    again = pickle.loads(pickle.dumps(e.value))
    assert type(again) is pyasc.CompileError and again.lineno == e.value.lineno


@pytest.mark.parametrize("name", ["float_index", "calls_helper"])
def test_text_of_a_wrong_kernel(name):
    for f in ("ir", "llvm_ir", "asm"):
        with pytest.raises(pyasc.CompileError):
            getattr(globals()[name], f)(F)


def test_an_exception_ends_at_the_line_of_the_kernel():
    @pyasc.jit
    def raises(x):
        if x[0] == 0:
            raise KeyError("nothing", x[0])

    with pytest.raises(KeyError) as e:
        raises(F)
    last = traceback.extract_tb(e.value.__traceback__)[-1]
    assert (last.filename, last.name) == (__file__, "raises") and "raise KeyError" in last.line
    assert e.value.args[0].startswith("nothing") and e.value.kernel_line == last.lineno


def test_many_errors_in_a_row():
    """Nothing of an error stays behind, in a process of its own."""
    script = textwrap.dedent("""
        import numpy as np, pyasc

        @pyasc.jit
        def wrong(x):
            x[0] = nowhere

        @pyasc.jit
        def stops(x):
            raise ValueError(x[0])

        x = np.zeros(4, np.float32)
        for k in range(300):
            for kernel, error in ((wrong, pyasc.CompileError), (stops, ValueError)):
                try:
                    kernel(x)
                except error:
                    pass
                else:
                    raise SystemExit("no error")
        print("done")
    """)
    done = subprocess.run([sys.executable, "-c", WRITE, script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


WRITE = """
import runpy, sys, tempfile, pathlib
folder = tempfile.mkdtemp()
path = pathlib.Path(folder, "many.py")
path.write_text(sys.argv[1])
runpy.run_path(str(path), run_name="__main__")
"""


@pyasc.jit
def copy(x, out):
    i = pyasc.get_global_id()
    out[i] = x[i + 1]


CALLS = [
    (lambda: copy({}, F), TypeError, "'x' is of type dict"),
    (lambda: copy(object(), F), TypeError, "'x' is of type object"),
    (lambda: copy(b"abc", F), TypeError, "'x' is of type bytes"),
    (lambda: copy(np.zeros(3, "M8[s]"), F), TypeError, "'x' is an array of datetime64"),
    (lambda: copy[1](F, F), TypeError, "blocks, threads"),
    (lambda: copy[1, 2, 3](F, F), TypeError, "blocks, threads"),
    (lambda: copy["a", 2], TypeError, "integer"),
    (lambda: copy[2**62, 2**10], OverflowError, "too many work-items"),
    (lambda: copy.over(1, 2, 3, 4), ValueError, "1 to 3 dimensions"),
    (lambda: pyasc.jit(check="some"), ValueError, "True, False or 'all'"),
    (lambda: pyasc.jit(target="gpu"), ValueError, "write target='cpu'"),
    (lambda: pyasc.jit(3), TypeError, "not of int"),
    (lambda: copy.ir(F, F, stage="no"), ValueError, "there is no stage 'no'"),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_wrong_calls(number):
    call, error, text = CALLS[number]
    with pytest.raises(error, match=text):
        call()


def test_nothing_runs_before_the_arguments_are_right():
    out = np.zeros(8, np.float32)
    with pytest.raises(ValueError, match="reaches from 1 to 8"):
        copy(np.ones(8, np.float32), out)
    assert not out.any()


def test_a_subscript_too_few_in_a_sum():
    @pyasc.kernel
    def total(x, y):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i]
        y[0] = s
    with pytest.raises(pyasc.CompileError, match=r"a number .* before the loop .*a subscript for each dimension, as in x\[i, j\]"):
        total(np.zeros((3, 4), np.float32), np.zeros(1, np.float32))
