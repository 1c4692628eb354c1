#!/usr/bin/env python3
"""Random kernels, compiled against interpreted: fuzz_language.py [FIRST] [COUNT].

Prints each program that differs, by its seed, and how often each construct was reached: in a run of 20000 programs or
more, less than 500 times is a failure.
"""
import collections
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
import random_programs  # noqa: E402


def main():
    first, count = (int(a) for a in (sys.argv[1:] + ["0", "1000"][len(sys.argv) - 1:])[:2])
    used, differ = collections.Counter(), 0
    for seed in range(first, first + count):
        drawn = random.Random(seed)
        program = random_programs.Program(drawn.randrange)
        used.update(program.used)
        found = random_programs.difference(program.source(), program.item, seed, f"drawn{seed}.py")
        if found:
            differ += 1
            print(f"seed {seed}: {found}", flush=True)
    for name, n in sorted(used.items(), key=lambda item: item[1]):
        print(f"{n:8} {name}")
    rare = [name for name, n in used.items() if n < 500] if count >= 20000 else []
    if rare:
        differ += 1
        print("reached less than 500 times:", ", ".join(sorted(rare)))
    print(f"{count - differ} passed, {differ} failed")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
