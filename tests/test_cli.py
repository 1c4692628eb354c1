"""The commands of python -m pyasc."""
import os
import subprocess
import sys

import pytest

KERNELS = """import pyasc

@pyasc.jit
def scale(out, x, a):
    i = pyasc.get_global_id(0)
    out[i] = x[i] * a

@pyasc.jit
def wrong(out):
    out[0] = nowhere

def plain(x):
    pass
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


def pyasc(*args, status=0, cwd=None, **env):
    env = {**os.environ, **{k: str(v) for k, v in env.items()}}
    done = subprocess.run([sys.executable, "-m", "pyasc", *map(str, args)], capture_output=True, text=True, env=env,
                          cwd=cwd, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def one_line(text):
    assert text.startswith("pyasc: ") and text.count("\n") == 1, text
    return text


def test_help_names_the_commands():
    out = pyasc("--help")
    assert all(name in out for name in ("run", "emit", "cache", "doctor", "bench"))


@pytest.mark.parametrize("args", [(), ("nothing",), ("run",), ("emit",), ("cache", "--cler")])
def test_wrong_usage_is_one_line_and_status_2(args):
    assert "--help" in one_line(pyasc(*args, status=2))


def test_run_gives_the_script_its_name_arguments_and_folder(tmp_path):
    (tmp_path / "beside.py").write_text("value = 7\n")
    (tmp_path / "s.py").write_text("import beside, sys\nprint(__name__, sys.argv[1:], beside.value, __file__)\n"
                                   "assert sys.modules['__main__'].sys is sys\n"
                                   "sys.exit(3 if '-x' in sys.argv else 0)\n")
    out = pyasc("run", tmp_path / "s.py", "--help", "--", "a b")
    assert out == f"__main__ ['--help', '--', 'a b'] 7 {tmp_path / 's.py'}\n"
    assert pyasc("run", tmp_path / "s.py", "-x", status=3) == ""


def test_run_does_not_find_modules_of_the_current_folder(tmp_path):
    (tmp_path / "here.py").write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "s.py").write_text("import here\n")
    assert "No module named 'here'" in pyasc("run", "sub/s.py", cwd=tmp_path, status=1)


def test_run_shows_an_exception_as_python_does(tmp_path):
    (tmp_path / "s.py").write_text("def f():\n    return 1 / 0\nf()\n")
    err = pyasc("run", tmp_path / "s.py", status=1)
    assert "ZeroDivisionError" in err and "line 2, in f" in err and "_cli.py" not in err


def test_run_shows_a_compile_error_with_its_line_and_caret(tmp_path):
    (tmp_path / "s.py").write_text(KERNELS + "wrong(pyasc.zeros(4))\n")
    err = pyasc("run", tmp_path / "s.py", status=1)
    assert "line 10" in err and "out[0] = nowhere" in err and "^" in err and "CompileError" in err


def test_run_of_a_missing_file_is_wrong_usage(tmp_path):
    assert "cannot open" in one_line(pyasc("run", tmp_path / "none.py", status=2))


@pytest.mark.parametrize("stage, found", [("ir", "kernel @scale"), ("infer", "kernel @scale"), ("llvm", "define"),
                                          ("asm", "ret")])
def test_emit_prints_a_stage(file, stage, found):
    assert found in pyasc("emit", f"{file}:scale", "--stage", stage, "--args", "f32[1024],f32[1024],2.0")


def test_emit_reads_all_kinds_of_arguments(tmp_path):
    names = "f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool float32 int64".split()
    params = [f"a{i}" for i in range(len(names) + 5)]
    (tmp_path / "s.py").write_text(f"import pyasc\n@pyasc.jit\ndef many({', '.join(params)}):\n    a0[0, 0] = 1.0\n")
    spec = ", ".join(f"{n}[4, 2]" for n in names) + ",-3,1e-3,True,None,0x10"
    out = pyasc("emit", f"{tmp_path / 's.py'}:many", "--stage", "front", "--args", spec)
    head = out.splitlines()[0]
    assert "%a0: f16[2]" in head and "%a1: bf16[2]" in head and "%a9: u16[2]" in head and "%a13: f32[2]" in head, head
    assert "%a15: wint" in head and "%a16: wflt" in head and "%a17: bool" in head and "%a19: wint" in head, head
    assert "%a18" not in head  # None


def test_emit_takes_a_number_below_zero_first(tmp_path):
    (tmp_path / "s.py").write_text("import pyasc\n@pyasc.jit\ndef k(n, out):\n    out[0] = n\n")
    assert "kernel @k" in pyasc("emit", f"{tmp_path / 's.py'}:k", "--args", "-1,i32[4]", "--stage", "ir")


@pytest.mark.parametrize("args, status, text", [
    (("{}:scale", "--target", "ascend910b"), 1, "not available yet"),
    (("{}:scale", "--stage", "ascendc"), 1, "not available yet"),
    (("{}:scale", "--target", "gpu"), 2, "there is no target gpu"),
    (("{}:scale", "--stage", "nope", "--args", "f32[4],f32[4],1"), 2, "there is no stage 'nope'"),
    (("{}:scale", "--args", "f32[4]"), 2, "missing the argument 'x'"),
    (("{}:scale", "--args", "f33[4]"), 2, "f33 is no element type"),
    (("{}:scale", "--args", "f32[n]"), 2, "f32[n] is no argument"),
    (("{}:scale", "--args", "f32[1000000,1000000,1000000]"), 1, "f32[1000000,1000000,1000000]"),
    (("{}:scale", "--args", "f32[4],,1"), 2, "an empty item"),
    (("{}:other",), 2, "its kernels: scale, wrong"),
    (("{}:plain",), 2, "decorate it with @pyasc.jit"),
    (("{}",), 2, "write FILE:KERNEL"),
])
def test_emit_says_what_is_wrong_in_one_line(file, args, status, text):
    assert text in one_line(pyasc("emit", *(a.format(file) for a in args), status=status))


def test_emit_shows_a_compile_error_with_its_line_and_caret(file):
    err = pyasc("emit", f"{file}:wrong", "--args", "f32[4]", status=1)
    assert f'File "{file}", line 10' in err and "out[0] = nowhere" in err and "^" in err and "Traceback" not in err


def test_cache_counts_and_clears_what_pyasc_wrote_only(file, tmp_path):
    folder = tmp_path / "cache"
    assert "files   0" in pyasc("cache", PYASC_CACHE_DIR=folder)
    file.write_text(KERNELS + "scale(pyasc.zeros(8), pyasc.zeros(8), 2.0)\n")
    pyasc("run", file, PYASC_CACHE_DIR=folder)
    (folder / "mine.txt").write_text("keep")
    count = len(list(folder.iterdir())) - 1
    out = pyasc("cache", PYASC_CACHE_DIR=folder)
    assert count > 0 and f"files   {count}\n" in out and str(folder) in out
    assert f"files   {count} removed" in pyasc("cache", "--clear", PYASC_CACHE_DIR=folder)
    assert [p.name for p in folder.iterdir()] == ["mine.txt"]


def test_cache_folder_follows_the_environment(tmp_path):
    assert f"{tmp_path}/x/pyasc\n" in pyasc("cache", PYASC_CACHE_DIR="", XDG_CACHE_HOME=tmp_path / "x")
    assert f"{tmp_path}/.cache/pyasc\n" in pyasc("cache", PYASC_CACHE_DIR="", XDG_CACHE_HOME="", HOME=tmp_path)


def test_doctor_says_that_kernels_run_and_what_is_missing(tmp_path):
    out = pyasc("doctor", PYASC_NUM_THREADS="x", ASCEND_HOME_PATH="", PYASC_CACHE_DIR=tmp_path / "a" / "b")
    rows = dict((line[:18].strip(), line[18:]) for line in out.splitlines())
    assert rows["kernels"].startswith("run") and "missing" in rows["CANN"] and "can be written" in rows["cache"]
    assert "ignored" in rows["PYASC_NUM_THREADS"] and int(rows["vector bytes"]) in (16, 32, 64)
    assert {"Python", "platform", "pyasc", "_core", "_llvm.so", "CPUs", "numpy", "torch", "ml_dtypes"} <= rows.keys()


def test_bench_prints_compile_and_launch_time():
    out = pyasc("bench")
    assert "compile" in out and "launch" in out


def test_the_program_is_the_same_as_the_module():
    text = "import sys; sys.argv[0] = 'pyasc'; from pyasc._cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", text, "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == pyasc("--help")


def test_a_dump_has_all_stages_of_a_cached_kernel_too(tmp_path):
    path = tmp_path / "k.py"
    path.write_text("import numpy as np, pyasc\n\n@pyasc.jit\ndef k(x):\n    x[pyasc.get_global_id()] = 1\n\nk(np.zeros(4))\n")
    for _ in range(2):  # the second finds it in the cache
        subprocess.run([sys.executable, str(path)], check=True, env=dict(os.environ, PYASC_CACHE_DIR=str(tmp_path / "c")))
    env = dict(os.environ, PYASC_CACHE_DIR=str(tmp_path / "c"), PYASC_DUMP=str(tmp_path / "dump"))
    subprocess.run([sys.executable, str(path)], check=True, env=env)
    names = {p.name.split("-", 1)[1] for p in (tmp_path / "dump" / "k").iterdir()}
    assert {"front.ir", "infer.ir", "lanes.ir", "llvm.ll", "asm.s"} <= names
