"""The faults of group F (see test_bug_kinds.py): front end, cache, threads and processes."""
import functools
import importlib.util
import mmap
import os
import pickle
import py_compile
import re
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyasc
import pytest

F32 = np.float32
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def run(tmp_path, text, *args, name="script.py", **env):
    """What a script in a process of its own writes."""
    path = tmp_path / name
    path.write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, str(path), *args], capture_output=True, text=True, timeout=120, cwd=tmp_path,
                          env={**os.environ, "PYASC_CACHE_DIR": str(tmp_path / "cache"), **env})
    assert done.returncode == 0, done.stderr
    return done.stdout


# F02, F03: one name for several functions

def maker(k):
    @pyasc.jit
    def kernel(x):
        i = pyasc.get_global_id()
        x[i] = i * k
    return kernel


def maker_of(f):
    @pyasc.jit
    def kernel(x):
        x[pyasc.get_global_id()] = f(3.0)
    return kernel


@pytest.mark.parametrize("order", [(128, 256), (256, 128)])
def test_F02_kernels_of_a_factory(order):
    kernels = [maker(k) for k in order]
    for _ in range(2):
        for k, kernel in zip(order, kernels):
            x = np.zeros(4, F32)
            kernel(x)
            assert x.tolist() == [0, k, 2 * k, 3 * k]


def test_F02_functions_given_to_a_factory():
    double, square = (lambda v: v + v), (lambda v: v * v)
    for f, value in ((double, 6), (square, 9), (double, 6)):
        x = np.zeros(2, F32)
        maker_of(f)(x)
        assert x.tolist() == [value, value]


def test_F02_from_the_cache_on_disk(tmp_path):
    text = """
        import sys
        import numpy as np, pyasc

        def maker(k):
            @pyasc.jit
            def kernel(x):
                s = pyasc.local(k)
                for i in range(k):
                    s[i] = k
                x[0] = s[k - 1]
            return kernel

        x = np.zeros(1, np.float32)
        for k in map(int, sys.argv[1:]):
            maker(k)(x)
            print(int(x[0]), end=" ")
    """
    assert run(tmp_path, text, "128", "256") == "128 256 "
    assert run(tmp_path, text, "256", "128") == "256 128 "
    assert run(tmp_path, text, "7", "128") == "7 128 "


def scaled(x, by):
    return x * by


def test_F03_a_helper_with_several_constants():
    @pyasc.jit
    def kernel(x):
        x[0], x[1], x[2] = scaled(x[0], 2), scaled(x[1], 3), scaled(x[2], by=2.5)
    x = np.ones(3, F32)
    kernel(x)
    assert x.tolist() == [2, 3, 2.5]


def test_F03_helpers_of_one_name_in_two_modules(tmp_path):
    found = []
    for k in (1, 2):
        path = tmp_path / f"module{k}.py"
        path.write_text(f"import pyasc\n\n\ndef helper(v):\n    return v + {k}\n\n\n@pyasc.jit\ndef kernel(x):\n    x[0] = helper(x[0])\n")
        spec = importlib.util.spec_from_file_location(f"module{k}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(module)

    @pyasc.jit
    def both(x):
        x[0] = found[0].helper(x[0]) * 10 + found[1].helper(x[0]) if False else first(x[0]) * 10 + second(x[0])
    first, second = found[0].helper, found[1].helper
    x = np.zeros(1, F32)
    found[0].kernel(x), found[1].kernel(x)
    assert x[0] == 3
    both(x)
    assert x[0] == 45


# F05: the key of the cache

def test_F05_a_second_process_compiles_nothing(tmp_path):
    text = """
        import numpy as np, pyasc

        def helper(v):
            return v * 2

        @pyasc.jit
        def kernel(x, a):
            i = pyasc.get_global_id()
            x[i] = helper(x[i]) + a

        @pyasc.jit
        def other(x):
            x[0] = 1

        import sys
        x = np.ones(4, np.float32)
        for k in ((kernel, (x, 2)), (other, (x,)))[::int(sys.argv[1])]:
            k[0](*k[1])
            print([s["from_cache"] for s in k[0].cache_info()])
    """
    assert run(tmp_path, text, "1", PYTHONHASHSEED="1").split() == ["[False]", "[False]"]
    files = sorted(p.name for p in (tmp_path / "cache").rglob("*") if p.is_file())
    for seed, order in (("2", "-1"), ("77", "1")):
        assert run(tmp_path, text, order, PYTHONHASHSEED=seed).split() == ["[True]", "[True]"]
    assert sorted(p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()) == files


def test_F06_texts_do_not_depend_on_what_was_compiled_before():
    kernel = maker(3)
    x = np.zeros(4, F32)
    before = kernel.llvm_ir(x)
    maker(4)(x), maker(5).asm(x), kernel(x)
    assert kernel.llvm_ir(x) == before


# F08, F09: threads and processes

def test_F08_first_launches_from_many_threads():
    for kernels in ([maker(11)] * 16, [maker(100 + k) for k in range(16)]):
        arrays, wait, errors = [np.zeros(50, F32) for _ in range(16)], threading.Barrier(16), []

        def launch(k):
            try:
                wait.wait()
                kernels[k](arrays[k])
            except BaseException as e:
                errors.append(e)
        threads = [threading.Thread(target=launch, args=(k,)) for k in range(16)]
        [t.start() for t in threads], [t.join() for t in threads]
        assert not errors and all(a[1] == (11 if kernels[0] is kernels[1] else 100 + k) for k, a in enumerate(arrays))


def test_F09_kernels_after_a_fork(tmp_path):
    text = """
        import os, sys, warnings
        warnings.simplefilter("ignore")
        import numpy as np, pyasc

        @pyasc.jit
        def kernel(x):
            pyasc.parallel_for(len(x), lambda i: i, out=x)

        @pyasc.jit
        def late(x):
            x[pyasc.get_global_id()] = 3

        x = np.zeros(1 << 20)
        kernel(x)
        pid = os.fork()
        y = np.zeros(1 << 20)
        kernel(y), late(y[:7])
        ok = y[-1] == len(y) - 1 and y[0] == 3
        if pid == 0:
            os._exit(0 if ok else 1)
        print(ok, os.waitpid(pid, 0)[1])
    """
    assert run(tmp_path, text, PYASC_NUM_THREADS="4") == "True 0\n"


def test_F09_launches_within_pools_and_kernels():
    from concurrent.futures import ThreadPoolExecutor
    inner = maker(2)

    @pyasc.jit
    def outer(x):
        def row(i):
            pyasc.parallel_for(x.shape[1], lambda j: i * j, out=x[i])
        for i in range(x.shape[0]):
            def body(j):
                x[i, j] = i * j
            pyasc.parallel_for(x.shape[1], body)

    def work(k):
        x, y = np.zeros(1000, F32), np.zeros((5, 300), F32)
        inner(x), outer(y)
        return x[-1] == 1998 and y[4, 299] == 1196
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


# F11, F21: source and lines

def test_F11_a_module_without_source(tmp_path):
    path = tmp_path / "bare.py"
    path.write_text("import pyasc\n\n\n@pyasc.jit\ndef kernel(x):\n    x[0] = 1\n")
    py_compile.compile(str(path), str(tmp_path / "bare.pyc"))
    path.unlink()
    spec = importlib.util.spec_from_file_location("bare", tmp_path / "bare.pyc")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(pyasc.CompileError, match="source of 'kernel' is not available; define it in a file"):
        module.kernel(np.zeros(1, F32))


def test_F11_a_kernel_in_a_zip_file(tmp_path):
    import zipfile
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as z:
        z.writestr("zipped.py", "import pyasc\n\n\n@pyasc.jit\ndef kernel(x):\n    x[0] = 1\n")
    out = run(tmp_path, """
        import sys
        sys.path.insert(0, "app.zip")
        import numpy as np, zipped
        x = np.zeros(1, np.float32)
        zipped.kernel(x)
        print(x[0])
    """)
    assert out == "1.0\n"


def test_F21_lambdas_and_checks():
    for options in ({}, {"check": True}, {"opt_level": 0}):
        kernel = pyasc.jit(
            lambda x, y: pyasc.store_global(y, pyasc.get_global_id(), x[pyasc.get_global_id()] * 2), **options)
        y = np.zeros(3, F32)
        kernel.over(3)(np.arange(3, dtype=F32), y)
        assert y.tolist() == [0, 2, 4]


# F12, F14, F15: annotations, values, decorators

ANNOTATED = """
import pyasc
import pyasc as asc
from pyasc import Tensor, constexpr as fixed, float32


@pyasc.jit
def kernel(x: {0}Tensor[float32, 1]{0}, n: {0}pyasc.int32{0}, k: {0}asc.constexpr{0}, by: {0}fixed{0} = 2, later: "NotDefined" = 0) -> None:
    s = pyasc.local(k)
    s[k - 1] = n
    y: {0}asc.float32{0} = s[k - 1]
    t = pyasc.local(by)
    t[by - 1] = k
    x[0] = y + t[1]
"""


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_F12_annotations_as_text(tmp_path, quote, future):
    path = tmp_path / "annotated.py"
    path.write_text(future + ANNOTATED.format(quote))
    scope = {"__name__": "annotated"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    x = np.zeros(1, F32)
    for k in (4, 7):
        scope["kernel"](x, 3, k)
        assert x[0] == 3 + k
    with pytest.raises(pyasc.CompileError, match=r"'x' is annotated Tensor\[float32, 1\], but is a tensor of float64"):
        scope["kernel"](np.zeros(1), 3, 4)


def test_F14_values_of_arguments():
    @pyasc.jit
    def kernel(out, n):
        out[0] = n
        out[1] = n * 2 + 1
        out[2] = 0
        for i in range(min(n, 3)):
            out[2] += n
    values = [42, 1, 0, 16, -1, 2**31, 2**40, 1, 42]
    for n in values:
        out = np.zeros(3, np.int64)
        kernel(out, n)
        assert out.tolist() == [n, 2 * n + 1, n * max(min(n, 3), 0)]
    assert len(kernel.cache_info()) == 1
    kernel(out, True)
    assert out.tolist() == [1, 3, 1] and len(kernel.cache_info()) == 2


def test_F15_other_decorators():
    def noisy(f):
        @functools.wraps(f)
        def wrapper(*args):
            calls.append(f.__name__)
            return f(*args)
        return wrapper
    calls = []

    class Holder:
        scale = 3

        @staticmethod
        @pyasc.jit
        def fixed(x):
            x[0] = 1

        @classmethod
        def of_class(cls, x):
            maker(cls.scale)(x)

        @noisy
        @pyasc.jit(fastmath=False)
        def method(x, v):
            x[0] = v
    x = np.zeros(2, F32)
    Holder.fixed(x)
    assert x[0] == 1
    Holder.of_class(x)
    assert x.tolist() == [0, 3]
    Holder.method(x, 5)
    assert x[0] == 5 and calls == ["method"]
    with pytest.raises(TypeError, match="is a kernel already"):
        pyasc.jit(pyasc.jit(scaled))


# F20, F23, F24, F27, F29

def test_F20_assertions_are_kept():
    def kernel(x):
        i = pyasc.get_global_id()
        assert x[i] == 8, f"x[{i}] is {x[i]}"
    for options in ({}, {"check": True}, {"opt_level": 0}, {"interpret": True}):
        x = np.full(6, 8, F32)
        pyasc.jit(kernel, **options).over(6)(x)
        x[2] = 5
        with pytest.raises(AssertionError, match=r"x\[2\] is 5.0") as e:
            pyasc.jit(kernel, **options).over(6)(x)
        assert e.value.kernel_line == kernel.__code__.co_firstlineno + 2 if "interpret" not in options else True
        assert str(e.traceback[-1].path) == __file__


@pyasc.jit
def module_kernel(x):
    x[0] = 7


def test_F23_a_pickled_kernel_works_or_says_why_not():
    try:
        text = pickle.dumps(module_kernel)
    except TypeError as e:
        assert "ernel" in str(e)
        return
    x = np.zeros(1, F32)
    pickle.loads(text)(x)
    assert x[0] == 7


@pytest.mark.skipif(SANITIZED, reason="times")
def test_F24_times_of_compiling(tmp_path):
    @pyasc.jit(cache=False)
    def warm(x):
        x[0] = 1

    @pyasc.jit(cache=False)
    def add(x, y, z):
        i = pyasc.get_global_id()
        z[i] = x[i] + y[i]

    @pyasc.jit(cache=False)
    def tile(x):
        s = pyasc.local(65536)
        for k in range(65536):
            s[k] = x[k % 4]
        x[0] = s[65535]
    x = np.zeros(4, F32)
    warm(x)
    for kernel, args, limit in ((add, (x, x, x), 1), (tile, (x,), 2)):
        best = 9
        for _ in range(3):
            start = time.perf_counter()
            pyasc.jit(kernel.fn, cache=False).warmup(*args)
            best = min(best, time.perf_counter() - start)
        assert best < limit
    out = run(tmp_path, "import numpy, time\nt = time.perf_counter()\nimport pyasc\nprint(time.perf_counter() - t)\n")
    assert float(out) < 1


def test_F27_memory_of_many_kinds(tmp_path):
    from multiprocessing import shared_memory
    double = pyasc.jit(lambda x: pyasc.store_global(x, pyasc.get_global_id(), x[pyasc.get_global_id()] * 2))
    shared = shared_memory.SharedMemory(create=True, size=64)
    path = tmp_path / "data"
    path.write_bytes(b"\0" * 64)
    with open(path, "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 64)
    arrays = [np.ndarray(8, F32, shared.buf), np.memmap(path, F32, "r+", shape=8), np.frombuffer(mapped, F32)[:8],
              np.zeros((4, 16), F32)[1:3, ::4].reshape(-1), np.frombuffer(bytearray(32), F32)]
    for x in arrays:
        x[:] = np.arange(len(x))
        double.over(len(x))(x)
        assert np.array_equal(x, 2 * np.arange(len(x)))
    plain = memoryview(bytearray(32)).cast("f")
    double.over(8)(plain)
    del arrays, x
    shared.close(), shared.unlink()


def test_F29_texts_of_errors_are_in_words_of_the_source():
    def carried(x):
        a = 1.0
        for i in range(4):
            a = (a, 1)
        x[0] = a

    def mixed(x):
        a = x if x[0] > 0 else 3
        x[0] = a

    def returned(x):
        def inner(v):
            if v > 0:
                return (v, v)
            return v
        x[0] = inner(x[1])
    for f in (carried, mixed, returned):
        with pytest.raises(pyasc.CompileError) as e:
            pyasc.jit(f)(np.zeros(2, F32))
        text = str(e.value)
        assert re.search(r"line \d+.*line \d+", text) and "; " in text
        assert not re.search(r"\b(infer|cell|select|wint|wflt|f32|i64|IR|op|any)\b", text), text
