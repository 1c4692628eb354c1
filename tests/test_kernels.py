"""Values of kernels against NumPy and CPython (spec sections 4 and 5)."""
import os
import subprocess
import sys
import threading

import numpy as np
import pyasc
import pytest

SIZES = [0, 1, 7, 16, 17, 255, 256, 257, 1009]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]


@pyasc.jit
def add(x, y, out):
    i = pyasc.get_global_id()
    out[i] = x[i] + y[i]


@pyasc.jit
def floor_div_mod(x, y, q, r):
    i = pyasc.get_global_id()
    q[i] = x[i] // y[i]
    r[i] = x[i] % y[i]


@pyasc.jit
def early(x, out):
    i = pyasc.get_global_id()
    if x[i] < 0:
        out[i] = -1.0
        return
    s = 0.0
    for k in range(10):
        if k > x[i]:
            break
        if k == 2:
            continue
        s += k
    else:
        s += 100
    out[i] = s


def early_python(v):
    if v < 0:
        return -1
    s = 0
    for k in range(10):
        if k > v:
            break
        if k == 2:
            continue
        s += k
    else:
        s += 100
    return s


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dt", INTS + FLOATS)
def test_add(n, dt):
    rng = np.random.default_rng(n)
    x, y = (rng.integers(0, 100, n).astype(dt) for _ in range(2))
    out = np.zeros(n, dt)
    add(x, y, out)
    assert np.array_equal(out, x + y)


@pytest.mark.parametrize("dt", INTS + [np.float32, np.float64])
def test_floor_division_and_remainder_are_pythons(dt):
    values = np.array([0, 1, 2, 3, 7, 50, 100], dt)
    if np.dtype(dt).kind != "u":
        values = np.concatenate([values, -values])
    x, y = (a.ravel() for a in np.meshgrid(values, values[values != 0]))
    q, r = np.zeros(x.size, dt), np.zeros(x.size, dt)
    floor_div_mod(x.copy(), y.copy(), q, r)
    assert np.array_equal(q, x // y) and np.array_equal(r, x % y)


def test_integer_division_by_zero_is_zero_and_nothing_traps():
    x = np.array([5, -5, np.iinfo(np.int32).min], np.int32)
    y = np.array([0, 0, -1], np.int32)
    q, r = np.ones(3, np.int32), np.ones(3, np.int32)
    floor_div_mod(x, y, q, r)
    assert q.tolist() == [0, 0, np.iinfo(np.int32).min] and r.tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", SIZES)
def test_divergent_return_break_continue_else(n):
    x = (np.random.default_rng(n).standard_normal(n) * 8).astype(np.float32)
    out = np.zeros(n, np.float32)
    early(x, out)
    assert out.tolist() == [early_python(v) for v in x]


@pyasc.jit
def trip_counts(n, out):
    i = pyasc.get_global_id()
    total = 0
    for k in range(n[i], 20, 3):
        total += k
    out[i] = total


def test_loops_whose_bounds_differ_between_work_items():
    n = np.arange(-5, 30, dtype=np.int32)
    out = np.zeros(n.size, np.int64)
    trip_counts(n, out)
    assert out.tolist() == [sum(range(v, 20, 3)) for v in n.tolist()]


@pyasc.jit
def tree(x, out):
    s = pyasc.shared(256)
    t = pyasc.get_local_id()
    s[t] = x[pyasc.get_global_id()]
    pyasc.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        pyasc.syncthreads()
        half //= 2
    if t == 0:
        out[pyasc.get_group_id()] = s[0]


def test_barrier_in_a_uniform_loop():
    x = np.arange(256 * 9, dtype=np.float32) % 13
    out = np.zeros(9, np.float32)
    tree[9, 256](x, out)
    assert np.array_equal(out, x.reshape(9, 256).sum(1))


@pyasc.jit
def crossing(x, out):
    s = pyasc.shared(64)
    t = pyasc.get_local_id()
    mine = x[t] * 3.0
    for step in range(3):
        s[t] = mine
        pyasc.syncthreads()
        mine += s[(t + 1) % 48]
        pyasc.syncthreads()
    out[t] = mine


def test_values_that_live_across_barriers():
    x = np.arange(48, dtype=np.float32)
    out = np.zeros(48, np.float32)
    crossing[1, 48](x, out)
    want = x * 3
    for _ in range(3):
        want = want + np.roll(want, -1)
    assert np.array_equal(out, want)


@pytest.mark.parametrize("view", [lambda a: a[::-1], lambda a: a[::2], lambda a: a[1:], lambda a: np.broadcast_to(a[:1], a.shape)])
def test_views_are_read_in_place(view):
    x = view(np.arange(33, dtype=np.float32))
    y, out = np.ones(x.shape, np.float32), np.zeros(x.shape, np.float32)
    add(x, y, out)
    assert np.array_equal(out, x + 1)


@pyasc.kernel
def shift(a, b):
    for i in range(a.shape[0]):
        b[i] = a[i] + 1


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 5])
def test_overlapping_arguments_keep_pythons_order(offset):
    def once(f):
        base = np.arange(50, dtype=np.float32)
        a = base[5:40]
        b = base[5 + offset:40 + offset]
        f(a, b)
        return base

    def python(a, b):
        for i in range(a.shape[0]):
            b[i] = a[i] + 1
    assert np.array_equal(once(shift), once(python))


SCALE = 2


def twice(v):
    return v * SCALE


@pyasc.jit
def captured(x, out):
    i = pyasc.get_global_id()
    out[i] = twice(x[i])


def test_a_later_change_of_a_captured_number_is_seen():
    global SCALE
    x, out = np.ones(5, np.float32), np.zeros(5, np.float32)
    for SCALE in (2, 5, -1):
        captured(x, out)
        assert out.tolist() == [SCALE] * 5
    assert len(captured.cache_info()) == 1


def make(n):
    @pyasc.jit
    def kernel(out):
        s = pyasc.shared(n)
        t = pyasc.get_local_id()
        s[t] = t
        out[t] = s[t] + n
    return kernel


def test_kernels_of_a_factory_are_their_own():
    for n in (4, 8):
        out = np.zeros(n, np.float32)
        make(n)[1, n](out)
        assert out.tolist() == [t + n for t in range(n)]


@pyasc.jit
def extremes(x, out):
    i = pyasc.get_global_id()
    out[i, 0] = max(x[i], 1.0)
    out[i, 1] = min(x[i], 1.0)


def test_max_and_min_propagate_nan():
    x = np.array([np.nan, np.inf, -np.inf, 0, 2], np.float32)
    out = np.zeros((5, 2), np.float32)
    extremes(x, out)
    assert np.array_equal(out[:, 0], np.maximum(x, 1), equal_nan=True)
    assert np.array_equal(out[:, 1], np.minimum(x, 1), equal_nan=True)


@pyasc.jit
def exponential(x, out):
    i = pyasc.get_global_id()
    out[i] = pyasc.exp(x[i])


def test_exp_of_float32_within_2_ulp():
    x = np.concatenate([np.linspace(-110, 90, 200003), [np.inf, -np.inf, np.nan, 0, -0.0]]).astype(np.float32)
    out = np.zeros_like(x)
    exponential(x, out)
    want = np.exp(x.astype(np.float64))
    with np.errstate(over="ignore", invalid="ignore"):
        near = want.astype(np.float32)
        ulp = np.spacing(np.abs(near)).astype(np.float64)
        wrong = np.abs(out.astype(np.float64) - want) > 2 * ulp
    finite = np.isfinite(near)
    assert not wrong[finite].any()
    assert np.array_equal(out[~finite], near[~finite], equal_nan=True)


@pyasc.jit
def count(hist, x):
    i = pyasc.get_global_id()
    pyasc.atomic_add(hist, x[i], 1)


def test_atomics_from_all_threads():
    x = np.random.default_rng(0).integers(0, 7, 300_007).astype(np.int32)
    hist = np.zeros(7, np.int32)
    count.over(x.size)(hist, x)
    assert np.array_equal(hist, np.bincount(x, minlength=7))


def test_70001_blocks():
    x, out = np.ones(70001, np.float32), np.zeros(70001, np.float32)
    add[70001, 1](x, x, out)
    assert (out == 2).all()


def test_eight_threads_at_once():
    results = []

    def work(k):
        x = np.full(10_000, k, np.float32)
        out = np.zeros_like(x)
        for _ in range(20):
            add(x, x, out)
        results.append((out == 2 * k).all())
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results == [True] * 8


def test_after_fork():
    x, out = np.ones(1 << 20, np.float32), np.zeros(1 << 20, np.float32)
    add(x, x, out)
    pid = os.fork()
    if not pid:
        out[:] = 0
        add(x, x, out)
        os._exit(0 if (out == 2).all() else 1)
    assert os.waitpid(pid, 0)[1] == 0


CHILD = """
import numpy as np, pyasc, sys
sys.path.insert(0, {here!r})
import test_kernels as t
x, out = np.ones(99, np.float32), np.zeros(99, np.float32)
t.add(x, x, out)
assert (out == 2).all()
print(t.add.cache_info()[0]["from_cache"])
"""


def test_sixteen_processes_on_one_cold_cache_and_one_killed(tmp_path):
    env = dict(os.environ, PYASC_CACHE_DIR=str(tmp_path))
    command = [sys.executable, "-c", CHILD.format(here=os.path.dirname(__file__))]
    children = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, cwd=tmp_path) for _ in range(16)]
    children[0].kill()
    assert all(c.wait() == 0 for c in children[1:])
    for c in children:
        c.stdout.close()
    again = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, cwd=tmp_path)
    assert again.stdout.strip() == b"True"
    assert len([f for f in os.listdir(tmp_path) if f.endswith(".o")]) == 1


@pyasc.jit
def hello(x):
    print(f"n={x.shape[0]} first {x[0]:.3f}", x[1])


def test_print(capsys):
    hello(np.array([1.5, 0.1], np.float32))
    assert capsys.readouterr().out == "n=2 first 1.500 0.1\n"


def test_texts():
    x = np.zeros(4, np.float32)
    assert add.ir(x, x, x, stage="front").startswith("kernel @add simt")
    assert "vload" in add.ir(x, x, x)
    assert "define void @add" in add.llvm_ir(x, x, x)
    assert "add:" in add.asm(x, x, x)


@pyasc.jit
def optional(x, out, bias=None):
    i = pyasc.get_global_id()
    if bias is None:
        out[i] = x[i]
    else:
        out[i] = x[i] + bias[i]


def test_a_branch_known_not_to_be_taken_is_not_compiled():
    x, out = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    optional(x, out)
    assert np.array_equal(out, x)
    optional(x, out, bias=x.copy())
    assert np.array_equal(out, 2 * x)


@pyasc.jit
def reused_name(x, out):
    i = pyasc.get_global_id()
    t = 7
    out[i, 0] = t // 2
    t = x[i] * 0.5
    out[i, 1] = t
    for t in range(3):
        out[i, 2] = t
    t = 0
    while t < 4:
        t += 1
        if x[i] > t:
            continue
        break
    out[i, 3] = t // 2


def test_a_name_used_again_has_a_type_of_its_own():
    x, out = np.arange(6, dtype=np.float32), np.zeros((6, 4), np.float32)
    reused_name(x, out)
    assert out[:, 0].tolist() == [3] * 6 and np.array_equal(out[:, 1], x / 2) and out[:, 2].tolist() == [2] * 6
    assert out[:, 3].tolist() == [0, 0, 1, 1, 2, 2]


@pyasc.jit
def row_softmax(x, out):
    row = pyasc.get_row()
    total = 0.0
    for j in range(x.shape[1]):
        total += pyasc.exp(x[row, j])
    for j in range(x.shape[1]):
        out[row, j] = pyasc.exp(x[row, j]) / total


def test_the_same_array_twice_keeps_vectors_where_work_items_are_apart():
    x = np.random.default_rng(3).standard_normal((100, 37)).astype(np.float32)
    e = np.exp(x)
    row_softmax(x, x)
    assert np.allclose(x, e / e.sum(1, keepdims=True), rtol=1e-5)
    a = np.arange(1003, dtype=np.float32)
    add(a, a, a)
    assert [s["width"] > 1 for s in add.cache_info() if s["alias"] and s["types"] == ["f32[1]"] * 3] == [True]
    assert np.array_equal(a, 2 * np.arange(1003))


@pyasc.jit
def mirror(x, out):
    i = pyasc.get_global_id()
    out[i] = x[x.shape[0] - 1 - i]


def test_the_same_array_twice_keeps_order_where_they_are_not():
    a = np.arange(9, dtype=np.float32)
    want = a.copy()
    for i in range(9):
        want[i] = want[8 - i]
    mirror(a, a)
    assert np.array_equal(a, want)


@pyasc.jit
def five_points(x, out):
    r, c = pyasc.get_row(), pyasc.get_col()
    h, w = x.shape
    if 0 < r < h - 1 and 0 < c < w - 1:
        out[r, c] = (x[r - 1, c] + x[r + 1, c] + x[r, c - 1] + x[r, c + 1]) * 0.25


@pyasc.jit
def wraps(x, out):
    i = pyasc.get_global_id()
    out[i - 3] = x[i - 5]


def test_negative_subscripts_count_from_the_end_and_stencils_are_vectors():
    x = np.random.default_rng(4).random((65, 47)).astype(np.float32)
    out, want = np.zeros_like(x), np.zeros_like(x)
    five_points(x, out)
    want[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * np.float32(0.25)
    assert np.allclose(out, want, rtol=1e-6)
    assert "gather" not in five_points.ir(x, out) and "vload" in five_points.ir(x, out)  # the condition says that c - 1 is not negative
    for n in (5, 16, 40, 131):
        a, b = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        wraps.over(n)(a, b)
        want = np.zeros(n, np.float32)
        for i in range(n):
            want[i - 3] = a[i - 5]
        assert np.array_equal(b, want)


@pyasc.jit
def weighted(x, out, a):
    i = pyasc.get_global_id()
    out[i] = x[i] * a


@pytest.mark.parametrize("a", [3, 2.5, True, np.float32(2.5), np.float64(0.5), np.int64(-2), np.uint8(7), np.bool_(True), np.array(4.0)])
def test_numbers_of_numpy_are_numbers(a):
    x, out = np.arange(9, dtype=np.float32), np.zeros(9, np.float32)
    weighted(x, out, a)
    assert np.array_equal(out, x * np.float32(a))


def test_kernels_of_a_factory_are_collected():
    import gc
    import weakref

    def make():
        @pyasc.jit
        def inner(x):
            x[0] = inner_value
        inner_value = 5.0
        return inner
    k = make()
    k(np.zeros(1, np.float32))
    fn = weakref.ref(k.fn)
    del k
    gc.collect()
    assert fn() is None


@pyasc.jit
def say(x):
    i = pyasc.get_global_id()
    if x[i] > 1:
        print(f"{i}: {x[i]:.1f}")


def test_print_in_work_item_order(capsys):
    say(np.arange(40, dtype=np.float32))
    assert capsys.readouterr().out.splitlines() == [f"{i}: {i:.1f}" for i in range(2, 40)]


def test_dumps(tmp_path):
    code = "import numpy as np, sys\nsys.path.insert(0, %r)\nimport test_kernels as t\nx = np.zeros(5, np.float32)\nt.add(x, x.copy(), x.copy())\n"
    subprocess.run([sys.executable, "-c", code % os.path.dirname(__file__)], check=True, cwd=tmp_path,
                   env=dict(os.environ, PYASC_DUMP=str(tmp_path / "d"), PYASC_CACHE_DIR=str(tmp_path / "c")))
    names = sorted(p.name for p in (tmp_path / "d" / "add").iterdir())
    assert names[0] == "00-front.ir" and [n for n in names if n.endswith((".ll", ".s"))]


@pyasc.kernel
def continue_in_else(out):
    for k in range(6):
        for j in range(k):
            if j == 3:
                break
        else:
            continue
        out[k] = 1


def test_a_continue_in_the_else_of_a_loop_belongs_to_the_outer_one():
    out = np.zeros(6, np.int32)
    continue_in_else(out)
    assert out.tolist() == [0, 0, 0, 0, 1, 1]


@pyasc.jit
def uniform_loop_beside_barrier(t):
    i = pyasc.get_local_id()
    v = 8
    while v > 0:
        v //= 2
        w = 2
        while w > 0:
            w //= 2
            t[i] += 1
        pyasc.syncthreads()


def test_a_uniform_loop_without_a_barrier_inside_one_with():
    t = np.zeros(37, np.int64)
    uniform_loop_beside_barrier[1, 37](t)
    assert t.tolist() == [8] * 37


@pyasc.jit
def block_needs_lanes(x, out, n):
    t = pyasc.get_local_id()
    s = pyasc.shared(16)
    flag = 0
    for k in range(n):
        if k > 2:
            flag = k
            break
    m = flag * 2 if x[0] >= 0 and x[n] > 0 else 1
    for r in range(m % 5):
        s[t] = x[t] + r
        pyasc.syncthreads()
        out[t] += s[(t + 1) % 16]
        pyasc.syncthreads()


def test_a_uniform_value_from_inside_the_lanes_steers_the_block():
    x = np.arange(1, 17, dtype=np.float32)
    for n, rounds in ((0, 0), (3, 0), (7, 1)):
        out = np.zeros(16, np.float32)
        block_needs_lanes[1, 16](x, out, n)
        want = sum((np.roll(x, -1) + r for r in range(rounds)), np.zeros(16, np.float32))
        assert np.array_equal(out, want), n


TABLE = np.arange(8, dtype=np.float32)
TOTALS = np.zeros(8, np.float64)


@pyasc.jit
def looks_up(index, out):
    i = pyasc.get_global_id()
    out[i] = TABLE[index[i]]
    TOTALS[i] = out[i] * 2


def test_captured_arrays_are_read_and_written_and_may_be_bound_anew():
    global TABLE
    index, out = np.array([3, 1, -1, 0, 2, 2, -8, 7], np.int32), np.zeros(8, np.float32)
    before = TABLE
    try:
        for TABLE in (before, before * 10, np.arange(8, dtype=np.int16)[::-1], np.arange(20, dtype=np.float64)):
            looks_up(index, out)
            assert np.array_equal(out, TABLE[index].astype(np.float32)) and np.array_equal(TOTALS, out * 2.0)
        TABLE = np.zeros((2, 2), np.float32)
        with pytest.raises(pyasc.CompileError, match="an array of 1 dimension stands"):
            looks_up(index, out)
    finally:
        TABLE = before
    with pytest.raises(ValueError, match="'TOTALS' along axis 0 reaches from 0 to 8"):
        looks_up(np.zeros(9, np.int32), np.zeros(9, np.float32))


def test_bfloat16():
    bf16 = pytest.importorskip("ml_dtypes").bfloat16
    x, y, out = (np.linspace(-3, 3, 77).astype(bf16) for _ in range(3))
    add(x, y, out)
    assert np.array_equal(out, (x.astype(np.float32) + y.astype(np.float32)).astype(bf16))


@pytest.mark.parametrize("make", [lambda a: memoryview(a), lambda a: __import__("array").array("f", a.tolist())])
def test_the_buffer_protocol(make):
    x = np.arange(9, dtype=np.float32)
    b, out = make(x), np.zeros(9, np.float32)
    add(b, b, out)
    assert np.array_equal(out, 2 * x)


@pyasc.kernel
def local_in_a_plain_kernel(x, out):
    t = pyasc.local((2, 3))
    for i in range(2):
        for j in range(3):
            t[i, j] += x[i * 3 + j]
    for i in range(6):
        out[i] = t[-1 - i // 3, i % 3]


def test_local_memory_in_a_plain_kernel():
    out = np.zeros(6, np.float32)
    for _ in range(2):
        local_in_a_plain_kernel(np.arange(6, dtype=np.float32), out)
        assert out.tolist() == [3, 4, 5, 0, 1, 2]


@pyasc.jit
def three_dims(out):
    x, y, z = pyasc.get_global_id(0), pyasc.get_global_id(1), pyasc.get_global_id(2)
    out[z, y, x] = z * 10000 + y * 100 + x + pyasc.get_global_size(0) * 1000000


def test_three_dimensions():
    out = np.zeros((3, 21, 37), np.int64)
    three_dims(out)
    z, y, x = np.indices(out.shape)
    assert np.array_equal(out, z * 10000 + y * 100 + x + 37_000_000)
    out[:] = 0
    three_dims.over(2, 5, 7)(out)
    assert (out[:2, :5, :7] > 0).all() and not out[2:].any() and not out[:, 5:].any()


ATOMICS = [(kind, dt) for kind in ("add", "sub", "max", "min", "and", "or", "xor", "exchange", "cas")
           for dt in (np.int8, np.int32, np.int64, np.uint16, np.uint64, np.float32, np.float64, np.float16)
           if kind not in ("and", "or", "xor") or np.dtype(dt).kind != "f"]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("kind, dt", ATOMICS)
@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomics(kind, dt, space, tmp_path):
    call = {"cas": "pyasc.atomic_cas(t, k, old_value, v)"}.get(kind, f"pyasc.atomic_{kind}(t, k, v)")
    shared = f"    t = pyasc.shared(4, pyasc.{np.dtype(dt).name})\n" if space == "shared" else "    t = memory\n"
    path = tmp_path / "atomic_kernel.py"
    path.write_text(f"import pyasc\n\n\n@pyasc.jit\ndef k(x, memory, old):\n    i = pyasc.get_local_id()\n{shared}"
                    "    k = i % 4\n    v = x[i]\n    old_value = x[i // 2]\n"
                    + ("    if i < 4:\n        t[i] = memory[i]\n    pyasc.syncthreads()\n" if space == "shared" else "")
                    + f"    old[i] = {call}\n"
                    + ("    pyasc.syncthreads()\n    if i < 4:\n        memory[i] = t[i]\n" if space == "shared" else ""))
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    x = (np.random.default_rng(5).integers(0, 6, 50)).astype(dt)
    memory, old = np.array([1, 2, 3, 4], dt), np.zeros(50, dt)
    want, want_old = memory.copy(), old.copy()
    scope["k"][1, 50](x, memory, old)
    for i in range(50):
        k, v, at = i % 4, x[i], want[i % 4]
        want_old[i] = at
        want[k] = {"add": at + v, "sub": at - v, "max": max(at, v), "min": min(at, v), "exchange": v,
                   "cas": v if at == x[i // 2] else at}.get(kind) if kind not in ("and", "or", "xor") else \
            {"and": at & v, "or": at | v, "xor": at ^ v}[kind]
    assert np.array_equal(memory, want) and np.array_equal(old, want_old)


@pyasc.jit
def either(x, bias, out):
    i = pyasc.get_global_id()
    out[i] = x[i] if bias is None else x[i] + bias[i]


def test_conditions_known_when_compiling_leave_the_other_side_alone():
    x, out = np.arange(5.0), np.zeros(5)
    either(x, None, out)
    assert out.tolist() == x.tolist()
    either(x, x, out)
    assert out.tolist() == (x * 2).tolist()


def test_a_loop_of_differing_bounds_that_always_breaks():
    @pyasc.kernel
    def first(x, out):
        i = pyasc.get_global_id()
        z = 1
        for k in range(9, x[i] % 11, -2):
            z = z % 1009 * 3 + k
            break
        out[i] = z

    x, out = np.arange(37), np.zeros(37, np.int64)
    first(x, out)
    assert out.tolist() == [12 if v % 11 < 9 else 1 for v in range(37)]


@pyasc.jit
def rows_of_work_items(out, top, low, x):
    i = pyasc.get_global_id()
    s, m = 0.0, x[i, 0]
    for j in range(x.shape[1]):
        s += x[i, j]
    for j in range(1, x.shape[1]):
        m = max(m, x[i, j])
    out[i], top[i] = s, m
    for j in range(x.shape[1]):
        low[i, j] = x[i, j] * 2 if i % 2 else x[i, j]


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (7, 3), (257, 131), (64, 16)])
def test_work_items_with_a_row_each(shape):
    x = np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32)
    out, top, low = np.zeros(shape[0], np.float32), np.zeros(shape[0], np.float32), np.zeros(shape, np.float32)
    for a in (x, np.asfortranarray(x)):
        rows_of_work_items(out, top, low, a)
        if shape[0]:
            assert np.array_equal(out, x.sum(1)) and np.array_equal(top, x.max(1))
            assert np.array_equal(low, np.where(np.arange(shape[0])[:, None] % 2, 2 * x, x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_whole_powers(dtype):
    """Products: the square is exact as CPython's, the others within two units in the last place."""
    @pyasc.kernel
    def powers(x, y):
        for i in range(x.shape[0]):
            y[0, i] = x[i] ** 2
            y[1, i] = x[i] ** 3
            y[2, i] = x[i] ** 4.0
            y[3, i] = x[i] ** 5

    x = np.concatenate([np.random.default_rng(0).standard_normal(1001), [0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e30]]).astype(dtype)
    y = np.zeros((4, x.size), dtype)
    powers(x, y)
    with np.errstate(all="ignore"):
        assert np.array_equal(y[0], x * x, equal_nan=True)
        for k in (3, 4, 5):
            want = x.astype(np.longdouble) ** k
            np.testing.assert_allclose(y[k - 2], want.astype(dtype), rtol=4 * np.finfo(dtype).eps)
