"""What the benches share: C++ compiled by g++ beside us, and the fastest of runs that take turns."""
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

FLAGS = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))


def library(source, flags=()):
    """The shared library of C++ text."""
    with tempfile.TemporaryDirectory(prefix="pyasc-bench-") as folder:
        source_file, made = pathlib.Path(folder, "k.cpp"), pathlib.Path(folder, "k.so")
        source_file.write_text(source)
        subprocess.run(["g++", *FLAGS, *flags, str(source_file), "-o", str(made)], check=True)
        return ctypes.CDLL(str(made))


def cpp(source, name):
    """The function `name` of C++ text, called with arrays and ints."""
    function = getattr(library(source), name)
    pointer = lambda a: ctypes.c_void_p(a.ctypes.data) if hasattr(a, "ctypes") else ctypes.c_int64(a)
    return lambda *args: function(*map(pointer, args))


def best(runs, rounds=7):
    """Seconds of each callable, the fastest of `rounds`; they take turns, so that a slow spell meets all."""
    times = [float("inf")] * len(runs)
    for run in runs:
        run()
    for _ in range(rounds):
        for i, run in enumerate(runs):
            start = time.perf_counter()
            run()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def report(title, ours, native, plain):
    """The table; times in seconds."""
    print(title)
    for name, t in (("pyasc", ours), ("g++ -O3 -march=native -ffast-math", native), ("plain Python, scaled", plain)):
        print(f"  {name:<36} {1e3 * t:>12.2f} ms {t / ours:>9.1f}x")
