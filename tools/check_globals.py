#!/usr/bin/env python3
"""No mutable state outside the module object: check_globals.py BUILD looks at .data and .bss of each object of the core."""
import pathlib
import re
import subprocess
import sys

ALLOWED = {
    "rt/pool.c": {"pool", "once", "scratch_key"},  # the process's threads: too dear to have per module
    "rt/store.c": {"store", "once"},                         # the process's memory
    "rt/loader.c": {"libmvec", "once"},                     # a library opened once, as constant as the table beside it
    "target/cpu/build.c": {"once"},                         # LLVM's own registry is global
}


def symbols(path):
    text = subprocess.run(["objdump", "-t", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        m = re.match(r"[0-9a-f]+ .{7} (\.data|\.bss)(?!\.rel\.ro)\S*\s+([0-9a-f]+) (?:\.hidden )?(\S+)$", line)
        if m and int(m[2], 16) and not m[3].startswith("."):
            yield m[3].split(".")[0]


def main(build):
    bad = 0
    for path in sorted(pathlib.Path(build).rglob("*.o")):
        m = re.search(r"src_(base|ir|ana|front|pass|rt|drv|target_cpu)_(\w+)\.c\.o$", path.name)
        if not m:
            continue
        name = m[1].replace("_", "/") + "/" + m[2] + ".c"
        for symbol in sorted(set(symbols(path)) - ALLOWED.get(name, set())):
            bad += 1
            print(f"{name}: global mutable state: {symbol}")
    print(f"globals: {bad} faults")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
