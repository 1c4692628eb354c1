"""The commands: python -m pyasc run | emit | cache | doctor | bench."""
import argparse
import os
import re
import sys

USAGE, FAILURE = 2, 1  # exit statuses
_SHORT = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
          "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
_WORDS = {"True": True, "False": False, "None": None}


class _Stop(Exception):
    """Ends the command with a line on stderr (none where it is empty) and an exit status."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise _Stop(f"{message}; see {self.prog} --help", USAGE)


def _parser():
    top = _Parser(prog="pyasc", description="Runs and inspects pyasc kernels.", allow_abbrev=False)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    def command(name, text, run):
        p = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        p.set_defaults(run=run)
        return p
    p = command("run", "Run a script as __main__.", lambda o: _run(o.file, o.args))
    p.add_argument("file", metavar="FILE")
    p.add_argument("args", metavar="ARG", nargs=argparse.REMAINDER, help="arguments of the script")
    p = command("emit", "Print what a kernel is compiled to.", _emit)
    p.add_argument("kernel", metavar="FILE:KERNEL")
    p.add_argument("--target", default="cpu", help="cpu (the default)")
    p.add_argument("--stage", default="llvm",
                   help="ir, llvm (the default), asm, or the IR after a pass: front, infer, ...")
    p.add_argument("--args", default="", metavar="SPEC", dest="spec",
                   help="the arguments, as in f32[1024,64],i32[8],3,0.5,True,None")
    p = command("cache", "Say where compiled kernels are kept and how many they are.", _cache)
    p.add_argument("--clear", action="store_true", help="remove them")
    command("doctor", "Say what pyasc found on this machine and whether kernels run.", _doctor)
    command("bench", "Time the compilation and the launch of a small kernel.", _bench)
    return top


def main(argv=None):
    """The exit status of a command line (without the name of the program)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        if argv[:1] == ["run"] and len(argv) > 1 and not argv[1].startswith("-"):
            return _run(argv[1], argv[2:])  # all that follows FILE is the script's
        if "--args" in argv[:-1]:  # its value may begin with a minus
            at = argv.index("--args")
            argv[at:at + 2] = [f"--args={argv[at + 1]}"]
        options = _parser().parse_args(argv)
        if not options.command:
            raise _Stop("name a command: run, emit, cache, doctor or bench; see pyasc --help", USAGE)
        status = options.run(options)
        sys.stdout.flush()
        return status
    except _Stop as stop:
        if str(stop):
            print(f"pyasc: {stop}", file=sys.stderr)
        return stop.status
    except BrokenPipeError:  # as in `pyasc emit ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE


# run and emit

def _execute(path, name, args=()):
    """The module that a file makes when it is run under a name; what it raises is shown as Python shows it."""
    import io
    import types
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        raise _Stop(f"cannot open {path}: {error.strerror}", USAGE) from None
    if not getattr(sys.flags, "safe_path", False):
        # The first entry is the current folder (python -m) or that of the program pyasc; a script has its own there.
        if sys.path and sys.path[0] in ("", os.getcwd(), os.path.dirname(os.path.realpath(sys.argv[0]))):
            del sys.path[0]
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    sys.argv[:] = [path, *args]
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = path
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        trace = error.__traceback__.tb_next  # without this frame
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        raise _Stop("", FAILURE) from None
    return module


def _run(file, args):
    _execute(file, "__main__", args)
    return 0


def _split(spec):
    """The items of a SPEC: commas within brackets do not divide."""
    return [item.strip() for item in re.split(r",(?![^\[]*\])", spec)] if spec.strip() else []


def _argument(item):
    from ._dtype import to_dtype
    from ._tensor import empty
    if item in _WORDS:
        return _WORDS[item]
    m = re.fullmatch(r"(\w+)\s*\[([\d\s,]*)\]", item)
    if m:
        try:
            dtype = to_dtype(_SHORT.get(m[1], m[1]))
        except TypeError:
            raise _Stop(f"--args: {m[1]} is no element type; write one of {' '.join(_SHORT)} bool", USAGE) from None
        extents = [n.strip() for n in m[2].split(",")] if m[2].strip() else []
        if not all(n.isdigit() for n in extents):
            raise _Stop(f"--args: {item} is no tensor; write its extents as in f32[1024,64]", USAGE)
        try:
            return empty(tuple(map(int, extents)), dtype=dtype)
        except (MemoryError, OverflowError, ValueError) as error:
            raise _Stop(f"--args: {item}: {error or 'too large'}", FAILURE) from None
    for number in (int, lambda s: int(s, 0), float):
        try:
            return number(item)
        except ValueError:
            pass
    raise _Stop(f"--args: {item or 'an empty item'} is no argument; write f32[1024,64], 3, 0.5, True or None", USAGE)


def _kernel(module, path, name):
    from ._core import Kernel
    kernel = module
    for part in name.split("."):
        kernel = getattr(kernel, part, None)
    kernel = getattr(kernel, "compiled", kernel)  # of an interpreted one
    if isinstance(kernel, Kernel):
        return kernel
    if kernel is not None:
        raise _Stop(f"{name} in {path} is a {type(kernel).__name__}, not a kernel; decorate it with @pyasc.jit", USAGE)
    names = sorted(k for k, v in vars(module).items() if isinstance(v, Kernel) or hasattr(type(v), "__pyasc_kernel__"))
    raise _Stop(f"{path} has no {name}; its kernels: {', '.join(names) or 'none'}", USAGE)


def _emit(o):
    if o.target.startswith("ascend") or o.stage == "ascendc":
        what = f"the target {o.target}" if o.target.startswith("ascend") else "the stage ascendc"
        raise _Stop(f"{what} is not available yet; write --target cpu --stage ir, llvm or asm", FAILURE)
    if o.target != "cpu":
        raise _Stop(f"there is no target {o.target}; write --target cpu", USAGE)
    path, colon, name = o.kernel.rpartition(":")
    if not colon or not path or not name:
        raise _Stop(f"{o.kernel}: write FILE:KERNEL, as in examples/gemm.py:gemm", USAGE)
    args = [_argument(item) for item in _split(o.spec)]
    kernel = _kernel(_execute(path, "__pyasc_emit__"), path, name)
    try:
        if o.stage == "llvm":
            text = kernel.llvm_ir(*args)
        elif o.stage == "asm":
            text = kernel.asm(*args)
        else:
            text = kernel.ir(*args, stage="final" if o.stage == "ir" else o.stage)
    except SyntaxError as error:  # a CompileError, too
        import traceback
        sys.stderr.write("".join(traceback.format_exception_only(type(error), error)))
        return FAILURE
    except ValueError as error:
        raise _Stop(error, USAGE if "stage" in str(error) else FAILURE) from None
    except TypeError as error:  # the arguments are not the kernel's
        raise _Stop(error, USAGE) from None
    except Exception as error:
        raise _Stop(f"{type(error).__name__}: {error}", FAILURE) from None
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


# cache

def _cache_dir():
    """Where _core keeps machine code, or None."""
    env = os.environ
    if env.get("PYASC_CACHE_DIR"):
        return env["PYASC_CACHE_DIR"]
    if env.get("XDG_CACHE_HOME"):
        return os.path.join(env["XDG_CACHE_HOME"], "pyasc")
    return os.path.join(env["HOME"], ".cache", "pyasc") if env.get("HOME") else None


def _cached(folder):
    """(path, bytes) of the files that _core wrote; a folder may hold others, which are not ours to count."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for e in entries:
                if re.fullmatch(r"[0-9a-f]{32}\.o(\.\w{6})?", e.name) and e.is_file(follow_symlinks=False):
                    try:
                        found.append((e.path, e.stat(follow_symlinks=False).st_size))
                    except FileNotFoundError:  # replaced by another process
                        pass
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _Stop(f"cannot read {folder}: {error.strerror}", FAILURE) from None
    return found


def _cache(o):
    folder = _cache_dir()
    if folder is None:
        print("no cache: set PYASC_CACHE_DIR or HOME")
        return 0
    files = _cached(folder)
    size = sum(n for _, n in files)
    if o.clear:
        for path, _ in files:
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass
            except OSError as error:
                raise _Stop(f"cannot remove {path}: {error.strerror}", FAILURE) from None
    print(f"folder  {folder}")
    print(f"files   {len(files)}{' removed' if o.clear else ''}")
    print(f"bytes   {size}")
    return 0


# doctor and bench

def _probe(**options):
    """A new kernel: out = a * x + y."""
    import pyasc

    @pyasc.jit(cache=False, **options)
    def probe(out, x, y, a):
        i = pyasc.get_global_id(0)
        out[i] = a * x[i] + y[i]
    return probe


def _tensors(n):
    import pyasc
    return pyasc.empty(n), pyasc.full(n, 2.0), pyasc.full(n, 1.0), 3.0


def _version(package):
    from importlib import metadata
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _threads():
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    given = os.environ.get("PYASC_NUM_THREADS")
    note = "not set"
    if given is not None:
        note = given if re.fullmatch(r"\s*[1-9]\d*\s*", given) else f"{given!r} is no number above 0: ignored"
    return cpus, note


def _folder_state(folder):
    if folder is None:
        return "none: set PYASC_CACHE_DIR or HOME"
    import tempfile
    at = folder
    while not os.path.exists(at) and os.path.dirname(at) != at:  # pyasc makes what is missing
        at = os.path.dirname(at) or "."
    try:
        with tempfile.TemporaryFile(dir=at):
            pass
    except OSError as error:
        return f"{folder} (cannot be written: {error.strerror}; kernels compile anew in each process)"
    return f"{folder} (can be written)"


def _cann():
    import shutil
    home, bisheng = os.environ.get("ASCEND_HOME_PATH"), shutil.which("bisheng")
    if home and not os.path.isdir(home):
        home = f"{home}, which is no folder"
    return [("CANN", f"ASCEND_HOME_PATH {home}" if home else "missing (ASCEND_HOME_PATH is not set)"),
            ("bisheng", bisheng or "missing (not on PATH)")]


def _doctor(o):
    import platform
    import time

    import pyasc
    from . import _core

    def row(name, value):
        print(f"{name:<18}{value}")
    row("Python", f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})")
    row("platform", platform.platform())
    row("pyasc", f"{pyasc.__version__} ({os.path.dirname(pyasc.__file__)})")

    def file(path):
        made = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(os.path.getmtime(path)))
        return f"{os.path.basename(path)}, {os.path.getsize(path)} bytes, of {made}"
    row("_core", file(_core.__file__))
    llvm = os.path.join(os.path.dirname(_core.__file__), "_llvm.so")
    row("_llvm.so", file(llvm) if os.path.exists(llvm) else "missing: it belongs beside _core; install pyasc again")
    trouble, width = None, 0
    try:
        probe, args = _probe(), _tensors(1000)
        start = time.perf_counter()
        probe.warmup(*args)
        took = time.perf_counter() - start
        probe(*args)
        width = probe.cache_info()[0]["width"]
        if args[0].tolist() != [7.0] * 1000:
            trouble = "a kernel gave wrong values"
    except Exception as error:
        trouble = f"{type(error).__name__}: {error}"
    row("kernels", f"do not run: {trouble}" if trouble else f"run (one compiled in {took * 1e3:.0f} ms)")
    cpus, threads = _threads()
    row("CPUs", f"{cpus} of {os.cpu_count()}")
    row("PYASC_NUM_THREADS", threads)
    row("vector bytes", width * 4 if width else "unknown")
    row("cache", _folder_state(_cache_dir()))
    for package in ("numpy", "torch", "ml_dtypes"):
        row(package, _version(package))
    for name, value in _cann():
        row(name, value)
    return FAILURE if trouble else 0


def _bench(o):
    from time import perf_counter

    def once(f):
        start = perf_counter()
        f()
        return perf_counter() - start

    args = _tensors(256)
    first = once(lambda: _probe().warmup(*args))
    compiled = min(once(lambda: _probe().warmup(*args)) for _ in range(5))
    k = _probe()
    k(*args)
    out, x, y, a = args

    def launches():
        for _ in range(1000):
            k(out, x, y, a)
    launch = min(once(launches) for _ in range(20)) / 1000
    print(f"first compile     {first * 1e3:9.2f} ms   with the loading of LLVM")
    print(f"compile           {compiled * 1e3:9.2f} ms   of out[i] = a * x[i] + y[i]")
    print(f"launch            {launch * 1e9:9.0f} ns   of 256 work-items")
    return 0
