"""Mutated kernels through the front end and all passes: fuzz_front.py SECONDS [SEED]. Either it compiles, or it is a
CompileError with a place in the file; anything else is a fault. Nothing is run."""
import linecache
import pathlib
import random
import re
import sys
import tempfile
import time
import types

import numpy as np
import pyasc

TOKENS = ("i 0 1 -1 2.5 x[i] out[i] x.shape[0] n True None ( ) [ ] + - * / // % ** << >> & | ~ < == and or not in is if else for "
          "while break continue return range(3) range(n) range(0,9,-2) pyasc.exp pyasc.shared(16) pyasc.syncthreads() "
          "pyasc.get_local_id() pyasc.float16 print lambda pass = += , : x out f(x[i]) max min abs int float (1,2) a,b").split()


def sources():
    root = pathlib.Path(__file__).resolve().parent.parent
    found = []
    for path in [*sorted((root / "examples").glob("*.py")), root / "tests/test_kernels.py"]:
        found += re.findall(r"^@pyasc\.(?:jit|kernel)\n(?:.+\n|\n(?=    ))+", path.read_text(), re.M)
    return found


def mutate(rng, text):
    lines = text.split("\n")
    body = range(min(2, len(lines) - 1), len(lines))
    k = rng.choice(body)
    kind = rng.randrange(5)
    parts = re.split(r"(\W)", lines[k])
    if kind == 0:
        parts[rng.randrange(len(parts))] = rng.choice(TOKENS)
        lines[k] = "".join(parts)
    elif kind == 1:
        lines.insert(rng.choice(body), lines[k])
    elif kind == 2:
        del lines[k]
    elif kind == 3:
        lines[k] = "    " + lines[k] if rng.random() < 0.5 else lines[k].replace("    ", "", 1)
    else:
        parts.insert(rng.randrange(len(parts)), " " + rng.choice(TOKENS) + " ")
        lines[k] = "".join(parts)
    return "\n".join(lines)


def arguments(rng):
    arrays = [np.zeros(8, np.float32), np.zeros((4, 4), np.float32), np.zeros(8, np.int32), np.zeros((2, 2, 3, 3)),
              np.zeros(8, np.uint64)[::2], np.zeros(4, bool), np.zeros(5, np.float16), 3, 2.5, True, None]
    return lambda: rng.choice(arrays)


def one(rng, folder, number, text):
    """None, or what went wrong."""
    path = folder / f"k{number}.py"
    linecache.clearcache()
    source = "import math\nimport pyasc\nBLOCK = 256\n\n\ndef twice(v):\n    return v * 2\n\n\n" + text
    path.write_text(source)
    module = types.ModuleType("m")
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except Exception:
        return None
    for kernel in [v for v in vars(module).values() if isinstance(v, pyasc.Kernel)]:
        pick = arguments(rng)
        args = [pick() for _ in range(kernel.fn.__code__.co_argcount)]
        try:
            kernel.ir(*args)
        except pyasc.CompileError as e:
            if e.filename not in (None, str(path)) or (e.filename and not 1 <= e.lineno <= source.count("\n") + 2):
                return f"a place outside the file: {e.filename}:{e.lineno}"
        except (TypeError, ValueError):
            pass
        except Exception as e:
            return f"{type(e).__name__}: {e}"
    return None


def main(seconds, seed):
    rng = random.Random(seed)
    texts = sources()
    passed = failed = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            text = rng.choice(texts)
            for _ in range(rng.randint(1, 4)):
                text = mutate(rng, text)
            wrong = one(rng, pathlib.Path(folder), passed % 50, text)
            if wrong:
                failed += 1
                if failed < 20:
                    print(f"{wrong}\n{text}\n")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
