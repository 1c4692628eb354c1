"""What a launch takes as arguments and does with them, on its short ways: NumPy arrays and torch tensors read in place,
small kernels that keep the GIL, and threads that small work does not wake."""
import gc
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pyasc
import pytest


@pyasc.jit
def add(x, y, out):
    i = pyasc.get_global_id()
    out[i] = x[i] + y[i]


@pyasc.jit
def plain(x, y, out):
    for i in range(out.shape[0]):
        out[i] = x[i] + y[i]


@pyasc.jit
def scale(x, a, out, b=1.5):
    i = pyasc.get_global_id()
    out[i] = a * x[i] + b


both = pytest.mark.parametrize("k", [add, plain])


@both
@pytest.mark.parametrize("n", [0, 1, 7, 1000, 4099])
@pytest.mark.parametrize("dt", ["i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8"])
def test_sizes_and_types(k, n, dt):
    x, y = np.arange(n).astype(dt), (3 * np.arange(n)).astype(dt)
    out = np.zeros(n, dt)
    for _ in range(3):
        k(x, y, out)
    with np.errstate(over="ignore"):
        assert np.array_equal(out, x + y)


def test_not_numbers_and_infinities():
    x = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    out = np.zeros_like(x)
    add(x, x, out)
    assert np.array_equal(out, x + x, equal_nan=True) and np.signbit(out[3])


@both
def test_a_dtype_that_is_equal_and_another_object(k):
    x = np.arange(9, dtype=np.float32).view(np.dtype("f4", metadata={"unit": "m"}))
    assert x.dtype is not np.dtype("f4") and x.dtype == np.dtype("f4")
    out = np.zeros(9, np.float32)
    k(x, x, out)
    k(x, np.ones(9, np.dtype("<f4")), x)
    assert np.array_equal(out, 2 * np.arange(9)) and np.array_equal(x, np.arange(9) + 1)


@both
def test_byte_swapped_is_refused(k):
    x, ok = np.arange(4, dtype=">f4"), np.zeros(4, np.float32)
    for args in ((x, ok, ok), (ok, x, ok), (ok, ok, x)):
        with pytest.raises(TypeError, match="byte order"):
            k(*args)
    k(ok, ok, ok)


@pytest.mark.parametrize("dt", ["c8", "M8[s]", "S3", "O"])
def test_other_types_are_refused_even_as_the_first_array_of_a_process(dt):
    text = f"""
        import numpy as np, pyasc
        @pyasc.jit
        def k(x, out):
            i = pyasc.get_global_id()
            out[i] = x[i]
        try:
            k(np.zeros(3, {dt!r}), np.zeros(3))
        except TypeError as e:
            print("refused", "kernels do not know" in str(e))
        x = np.arange(3.0)
        k(x, out := np.zeros(3))
        print(out.tolist())
    """
    path = os.path.join(os.environ["PYASC_CACHE_DIR"], "first.py")
    with open(path, "w") as f:
        f.write(textwrap.dedent(text))
    r = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert r.stdout == "refused True\n[0.0, 1.0, 2.0]\n", r.stdout + r.stderr


@both
def test_read_only_arrays(k):
    x = np.arange(5, dtype=np.float32)
    x.setflags(write=False)
    out = np.zeros(5, np.float32)
    k(x, x, out)
    assert np.array_equal(out, 2 * x)
    with pytest.raises(ValueError, match="'out' is read-only"):
        k(x, x, x)
    x.setflags(write=True)
    k(x, np.ones(5, np.float32), x)
    assert x.tolist() == [1, 2, 3, 4, 5]


@both
def test_views(k):
    a = np.arange(40, dtype=np.float64)
    for view in (a[::2], a[::-1][:20], a.reshape(20, 2)[:, 1], np.broadcast_to(np.float64(3), 20), a[10:30]):
        out = np.zeros(20)
        k(view, view, out)
        assert np.array_equal(out, 2 * view)
        b = np.zeros(40)
        k(view, view, b[1::2])
        assert np.array_equal(b[1::2], 2 * view) and not b[::2].any()


def test_an_array_that_changes_its_shape_and_memory_between_launches():
    x, out = np.arange(12, dtype=np.float32), np.zeros(12, np.float32)
    add(x, x, out)
    x.resize(30, refcheck=False)
    out.resize(30, refcheck=False)
    x[:] = np.arange(30)
    add(x, x, out)
    assert np.array_equal(out, 2 * np.arange(30))
    x.shape = (5, 6)
    with pytest.raises(Exception, match="dimension"):
        add(x, x, out)
    x.shape = 30
    for i in range(50):  # freed, and others in their place
        del x, out
        gc.collect(0)
        x, out = np.full(100 + i, i, np.float32), np.zeros(100 + i, np.float32)
        add(x, x, out)
        assert (out == 2 * i).all()


class Sub(np.ndarray):
    pass


@both
def test_subclasses(k):
    x, out = np.arange(6, dtype=np.float32).view(Sub), np.zeros(6, np.float32).view(Sub)
    k(x, np.ones(6, np.float32), out)
    assert type(out) is Sub and out.tolist() == [1, 2, 3, 4, 5, 6]
    masked = np.ma.array(np.arange(6, dtype=np.float32))
    k(masked, masked, out)
    assert out.tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("a", [2, 2.0, True, np.float32(2), np.float64(2), np.int8(2), np.uint64(2), np.bool_(True),
                               np.array(2.0), np.array(2, np.int16), np.float16(2)])
def test_numbers(a):
    x, out = np.arange(5, dtype=np.float64), np.zeros(5)
    scale(x, a, out)
    assert np.array_equal(out, float(a) * x + 1.5)
    scale(x, a, out, 3)
    assert np.array_equal(out, float(a) * x + 3)
    scale(out=out, x=x, b=0.5, a=a)
    assert np.array_equal(out, float(a) * x + 0.5)


def test_wrong_arguments():
    x = np.zeros(3)
    for args, kw, text in [((x,), {}, "missing the argument 'a'"), ((x, 1, x), {"a": 2}, "two values for 'a'"),
                           ((x, 1, x), {"c": 2}, "no parameter 'c'"), ((x, 1, x, 2, 3), {}, "takes 4 arguments"),
                           ((x, [1], x), {}, "is of type list"), ((x, 1 << 64, x), {}, "fit in 64 bits")]:
        with pytest.raises((TypeError, OverflowError), match=text):
            scale(*args, **kw)
    scale(x, 1, x)
    assert x.tolist() == [1.5] * 3


@both
def test_overlap(k):
    a = np.arange(10, dtype=np.float64)
    want = a.copy()
    for i in range(9):
        want[i + 1] = want[i] + 1
    if k is plain:  # in order
        k(a[:9], np.ones(9), a[1:])
        assert np.array_equal(a, want)
    a = np.arange(10, dtype=np.float64)
    k(a, a, a)
    assert np.array_equal(a, 2 * np.arange(10))
    b = np.zeros(10)
    k(a, a, b)
    assert np.array_equal(b, 4 * np.arange(10))


FACTORS = np.full(50, 2.0)


@pyasc.jit
def captures(out):
    for i in range(out.shape[0]):
        out[i] = FACTORS[i] * 3


def test_a_captured_array_lives_as_long_as_the_launch():
    """Another thread binds the name to new arrays all the while."""
    global FACTORS
    out, stop = np.zeros(50), threading.Event()

    def rebind():
        global FACTORS
        while not stop.is_set():
            FACTORS = np.full(50, 2.0)

    t = threading.Thread(target=rebind)
    t.start()
    try:
        for _ in range(3000):
            captures(out)
            assert out[0] == 6 and out[49] == 6
    finally:
        stop.set()
        t.join()


def test_captured_arrays_are_given_back():
    import weakref
    global FACTORS
    out = np.zeros(50)
    old = weakref.ref(FACTORS)
    for overlapping in (False, True):
        captures(FACTORS if overlapping else out)
    FACTORS = np.full(50, 2.0)
    gc.collect()
    assert old() is None


def test_small_kernels_from_many_threads():
    def work(t):
        x, out = np.full(64 + t, t, np.float32), np.zeros(64 + t, np.float32)
        for _ in range(500):
            add(x, x, out)
            plain(out, x, out)
        results[t] = (out == 3 * t).all()

    results = [None] * 6
    threads = [threading.Thread(target=work, args=(t,)) for t in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(results)


SMALL = """
import os, threading, time
import numpy as np, pyasc
before = len(os.listdir("/proc/self/task"))
def more(want):  # those of compiles end; those of the pool stay
    for _ in range(500):
        n = len(os.listdir("/proc/self/task")) - before
        if n == want:
            break
        time.sleep(0.01)
    return n
@pyasc.jit
def add(x, y, out):
    i = pyasc.get_global_id()
    out[i] = x[i] + y[i]
@pyasc.jit
def loop(x, y, out):
    for i in range(out.shape[0]):
        out[i] = x[i] + y[i]
@pyasc.jit
def split(x, y, out):
    def body(i):
        out[i] = x[i] + y[i]
    pyasc.parallel_for(out.shape[0], body)
@pyasc.jit
def long(out):
    i = pyasc.get_global_id()
    s = 0.0
    for j in range(20000):
        s += pyasc.sin(s + j)
    out[i] = s
x = np.ones(1000, np.float32)
out = np.zeros_like(x)
for k in (add, loop, split):
    k.warmup(x, x, out)
big = np.zeros(4096)
long.warmup(big)

for k in (add, loop, split):
    for _ in range(300):
        k(x, x, out)
few = more(0)
long(big)
print(few, more({threads} - 1))
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_small_launches_wake_no_thread(threads, tmp_path):
    (tmp_path / "small.py").write_text(SMALL.replace("{threads}", str(threads)))
    env = dict(os.environ, PYASC_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS="1")
    r = subprocess.run([sys.executable, str(tmp_path / "small.py")], capture_output=True, text=True, env=env)
    assert r.stdout.split() == ["0", str(threads - 1)], r.stdout + r.stderr


class TestTorch:
    @pytest.fixture(autouse=True)
    def _torch(self):
        self.torch = pytest.importorskip("torch")

    @both
    @pytest.mark.parametrize("n", [0, 1, 17, 5000])
    @pytest.mark.parametrize("dt", ["uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"])
    def test_types(self, k, n, dt):
        x = self.torch.arange(n).to(getattr(self.torch, dt))
        out = self.torch.zeros_like(x)
        for _ in range(3):
            k(x, x, out)
        assert self.torch.equal(out, x + x)

    @both
    def test_views_and_changes_of_shape(self, k):
        a = self.torch.arange(40.0)
        for view in (a[::2], a.view(20, 2)[:, 1], a.view(2, 20).t()[:, 1], a[:1].expand(20), a[10:30]):
            out = self.torch.zeros(20)
            k(view, view, out)
            assert self.torch.equal(out, 2 * view)
        a.resize_(100)
        a[:] = 3
        out = self.torch.zeros(100)
        k(a, a, out)
        assert (out == 6).all()
        a.set_(self.torch.ones(7))
        k(a, a, out[:7])
        assert out[:7].tolist() == [2] * 7

    def test_numbers_of_no_dimension(self):
        x, out = self.torch.arange(5.0), self.torch.zeros(5)
        scale(x, self.torch.tensor(2.0), out)
        assert out.tolist() == [1.5, 3.5, 5.5, 7.5, 9.5]
        scale(x, self.torch.tensor(3), out, 0)
        assert out.tolist() == [0, 3, 6, 9, 12]

    def test_overlap(self):
        a = self.torch.arange(10.0)
        plain(a[:9], self.torch.ones(9), a[1:])
        assert a.tolist() == list(range(10))
        a = self.torch.ones(10)
        plain(a[:9], self.torch.ones(9), a[1:])
        assert a.tolist() == list(range(1, 11))

    @both
    def test_what_is_refused(self, k):
        torch, ok = self.torch, self.torch.zeros(4)
        z = torch.ones(4, dtype=torch.complex64)
        cases = [(torch.ones(4, requires_grad=True), "requires? grad"), (torch.nn.Parameter(torch.ones(4)), "requires? grad"),
                 (z, "element type"), (z.conj(), "element type"), (z.conj().imag, "resolve_neg"),
                 (torch._neg_view(torch.ones(1)), "resolve_neg"), (torch.ones(4, device="meta"), "lend its memory"),
                 (torch.ones(4).to_sparse(), "lend its memory"), (torch._efficientzerotensor(4), "no memory")]
        for x, text in cases:
            for args in ((x, ok, ok), (ok, ok, x)):
                with pytest.raises(TypeError, match=text):
                    k(*args)
        k(z.conj().imag.resolve_neg(), torch.ones(4), ok)
        assert ok.tolist() == [1] * 4
        with torch.no_grad():
            grad = torch.ones(4, requires_grad=True)
            k(grad.detach(), ok, ok)
        assert ok.tolist() == [2] * 4

    def test_subclasses(self):
        class Mine(self.torch.Tensor):
            pass

        x = self.torch.arange(4.0).as_subclass(Mine)
        out = self.torch.zeros(4)
        add(x, x, out)
        assert out.tolist() == [0, 2, 4, 6]

    def test_mixed_with_numpy(self):
        out = np.zeros(4, np.float32)
        add(self.torch.ones(4), np.arange(4, dtype=np.float32), out)
        assert out.tolist() == [1, 2, 3, 4]
        shared = self.torch.from_numpy(out)
        add(shared, out, out)
        assert shared.tolist() == [2, 4, 6, 8]
