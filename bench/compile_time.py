#!/usr/bin/env python3
"""How long kernels take to compile, by their length: milliseconds of `k.warmup`, cold, without the disk cache, and what each
stage has of it (PYASC_TIME). Each compile is in a process of its own that has compiled a small kernel before, so that
loading LLVM does not count; the best of three.

    python bench/compile_time.py [LINES ...]
"""
import collections
import os
import random
import subprocess
import sys
import tempfile

CHILD = """
import sys, time
import numpy as np
import pyasc
sys.path.insert(0, {folder!r})
import generated
x, y, out = np.ones(64, np.float32), np.ones(64, np.float32), np.zeros(64, np.float32)
pyasc.jit(cache=False)(generated.small).warmup(out)
print("-", file=sys.stderr)
k = pyasc.jit(cache=False)(generated.kernel)
t = time.perf_counter()
k.warmup(x, y, out, 40)
print((time.perf_counter() - t) * 1e3)
"""
HELPERS = '''"""Made by bench/compile_time.py."""
import pyasc


def small(a):
    a[0] = 1


def clamp(v, lo, hi):
    if v < lo:
        return lo
    if v > hi:
        return hi
    return v


def mix(a, b, t):
    return a * (1.0 - t) + b * t


def norm(a, b):
    s = a * a + b * b
    return pyasc.sqrt(s + 1.0)


'''


class Writer:
    """Statements of the kinds that long kernels are made of, a new variable every few lines."""

    def __init__(self, lines, simt):
        self.rng, self.simt, self.lines, self.depth, self.fresh = random.Random(lines), simt, [], 1, 0
        self.floats, self.ints, self.loop = ["f0", "f1"], ["i0", "i1"], None
        self.put("i = pyasc.get_global_id()" if simt else "i = n // 2")
        self.put("f0 = x[i]")
        self.put("f1 = y[i] * 0.5")
        self.put("i0 = 1")
        self.put("i1 = n - 3")
        while len(self.lines) < lines - 3:
            self.statement(4)
        self.put(f"out[i] = {' + '.join(self.floats[-8:])}")
        self.put(f"out[({' + '.join(self.ints[-4:])}) % n] = f0")

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def f(self):
        return self.rng.choice(self.floats[-12:] + self.floats[:2])

    def n(self):
        return self.rng.choice(self.ints[-8:] + self.ints[:2])

    def float_expr(self):
        a, b, c = self.f(), self.f(), self.f()
        return self.rng.choice([
            f"{a} * {b} + {c}", f"({a} - {b}) * 0.25", f"x[{self.n()} % n] + {a}", f"mix({a}, {b}, 0.3)", f"clamp({a}, -1.0, {b})",
            f"norm({a}, {b}) - {c}", f"{a} / (1.0 + abs({b}))", f"max({a}, {b} - {c})", f"pyasc.exp(-abs({a}))",
            f"({a} if {b} > {c} else {b})", f"y[i] * {a} - {b} * 1.5", f"{a} + {self.n()}"])

    def int_expr(self):
        a, b = self.n(), self.n()
        return self.rng.choice([f"{a} + {b}", f"({a} * 3 + {b}) % 17", f"{a} - {b} // 4", f"min({a}, {b})", f"{a} ^ ({b} & 7)"])

    def cond(self):
        return self.rng.choice([f"{self.f()} > {self.f()}", f"{self.n()} < {self.n()}", f"{self.f()} < 0.5 and {self.n()} > 2",
                                f"{self.n()} % 3 == 1"])

    def assign(self):
        kind = self.rng.random()
        names, stem, value = (self.floats, "f", self.float_expr()) if kind < 0.7 else (self.ints, "i", self.int_expr())
        if self.depth == 1 and self.rng.random() < 0.3:
            self.fresh += 1
            name = f"{stem}{self.fresh + 1}"
            self.put(f"{name} = {value}")
            names.append(name)
        else:
            name = self.rng.choice(names[-10:])
            self.put(f"{name} = {value}" if self.rng.random() < 0.7 else f"{name} += {value}")

    def block(self, budget):
        self.depth += 1
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(budget - 1)
        self.depth -= 1

    def branch(self, budget):
        self.put(f"if {self.cond()}:")
        self.block(budget)
        if self.rng.random() < 0.4:
            self.put(f"elif {self.cond()}:")
            self.block(budget)
        if self.rng.random() < 0.5:
            self.put("else:")
            self.block(budget)

    def repeat(self, budget):
        self.fresh += 1
        counter = f"k{self.fresh}"
        counted = self.rng.random() < 0.7
        if counted:
            self.put(f"for {counter} in range({self.rng.choice(['n', '3', '16', self.n()])}):")
        else:
            self.put(f"{counter} = 0")
            self.put(f"while {counter} < {self.rng.choice(['n', '9'])}:")
            self.put(f"    {counter} += 1")
        self.depth += 1
        self.put(f"{self.rng.choice(self.floats[-6:])} += x[{counter} % n] * {self.f()}")
        self.depth -= 1
        self.block(budget - 1)
        if self.rng.random() < 0.4:
            self.depth += 1
            self.put(f"if {self.cond()}:")
            self.put(f"    {self.rng.choice(['break', 'continue'])}")
            self.put(f"{self.rng.choice(self.floats[-6:])} = {self.float_expr()}")
            self.depth -= 1

    def statement(self, budget):
        kind = self.rng.random()
        if budget > 0 and kind < 0.12:
            self.branch(budget)
        elif budget > 1 and kind < 0.18:
            self.repeat(budget)
        elif kind < 0.26:
            self.put(f"out[{'i' if self.simt else self.n() + ' % n'}] = {self.float_expr()}")
        else:
            self.assign()


def compile_once(folder):
    env = dict(os.environ, PYASC_TIME="1", PYASC_CACHE_DIR=os.path.join(folder, "cache"))
    r = subprocess.run([sys.executable, "-c", CHILD.format(folder=folder)], check=True, capture_output=True, text=True, env=env)
    stages = collections.Counter()
    for line in r.stderr.partition("-\n")[2].splitlines():
        if line.startswith("pyasc: time "):
            name, ms = line.split()[2:4]
            stages[name] += float(ms)
    return float(r.stdout), stages


def measure(lines, simt):
    with tempfile.TemporaryDirectory() as folder:
        body = Writer(lines, simt).lines
        with open(os.path.join(folder, "generated.py"), "w") as file:
            file.write(HELPERS + "def kernel(x, y, out, n):\n" + "\n".join(body) + "\n")
        ms, stages = min((compile_once(folder) for _ in range(3)), key=lambda r: r[0])
    stages["front"] = ms - sum(stages.values())
    return len(body) + 1, ms, stages


def main():
    sizes = [int(a) for a in sys.argv[1:]] or [100, 300, 1000, 3000]
    print(f"{'kernel':10s} {'lines':>5s} {'ms':>8s} {'ms/line':>7s}  ms by stage")
    for simt in (True, False):
        for size in sizes:
            lines, ms, stages = measure(size, simt)
            parts = ", ".join(f"{name} {t:.0f}" for name, t in sorted(stages.items(), key=lambda s: -s[1]) if t >= 1)
            print(f"{'work-item' if simt else 'plain':10s} {lines:5d} {ms:8.0f} {ms / lines:7.3f}  {parts}", flush=True)


if __name__ == "__main__":
    main()
