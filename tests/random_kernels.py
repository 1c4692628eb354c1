"""Random integer kernels, compiled and as Python: control flow of every kind, nested, divergent and uniform. As a program:
random_kernels.py SECONDS [SEED]."""
import importlib.util
import pathlib
import random
import sys
import tempfile
import time

import numpy as np
import pyasc

N = 37


class Writer:
    def __init__(self, rng, simt):
        self.rng, self.simt = rng, simt
        self.lines, self.depth, self.loops, self.names, self.fresh, self.loop_kinds = [], 1, 0, ["a", "b", "c"], 0, []

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def atom(self):
        r = self.rng
        return r.choice([*self.names, *self.names, "x[i]", "n", str(r.randrange(-3, 8)), "i" if self.simt else "n",
                         f"x[{self.index()}]", f"helper({r.choice(self.names)})"])

    def index(self):
        return f"({self.rng.choice(self.names)}) % {N}"

    def expr(self, deep=2):
        r = self.rng
        if deep == 0 or r.random() < 0.3:
            return self.atom()
        op = r.choice(["+", "-", "*", "//", "%", "&", "|", "^", "max", "min", "ifexp", "abs", "-u", "and", "or", "not", "shift"])
        a, b = self.expr(deep - 1), self.expr(deep - 1)
        if op in ("max", "min"):
            return f"{op}({a}, {b})"
        if op == "ifexp":
            return f"({a} if {self.cond()} else {b})"
        if op == "abs":
            return f"abs({a})"
        if op == "-u":
            return f"(-{a})"
        if op in ("and", "or"):
            return f"({a} {op} {b})"
        if op == "not":
            return f"(1 if not ({a}) else 2)"
        if op in ("//", "%"):
            return f"({a} {op} {r.randrange(1, 7)})"
        if op == "shift":
            return f"(({a} % 50) {r.choice(['<<', '>>'])} {r.randrange(0, 4)})"
        return f"({a} {op} {b})"

    def cond(self):
        r = self.rng
        a, b = self.expr(1), self.expr(1)
        text = f"{a} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {b}"
        k = r.random()
        if k < 0.15:
            return f"({text} and {self.cond()})"
        if k < 0.3:
            return f"({text} or {self.cond()})"
        if k < 0.35:
            return f"not ({text})"
        return f"{a} < {b} <= {self.atom()}" if k < 0.42 else text

    def block(self, budget):
        self.depth += 1
        count = self.rng.randrange(1, 4)
        before = len(self.lines)
        for _ in range(count):
            self.statement(budget - 1)
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1

    def statement(self, budget):
        r, k = self.rng, self.rng.random()
        if budget <= 0 or k < 0.34:
            name = r.choice("abc")  # counters are left alone: every loop ends
            if r.random() < 0.3:
                self.put(f"{name} {r.choice(['+=', '-=', '*=', '^='])} {self.expr()}")
                self.put(f"{name} %= 1009")
            elif r.random() < 0.2:
                other = r.choice("abc")
                self.put(f"{name}, {other} = {self.expr()} % 1009, {self.expr()} % 1009")
            else:
                self.put(f"{name} = {self.expr()} % 1009")
        elif k < 0.54:
            self.put(f"if {self.cond()}:")
            self.block(budget)
            if r.random() < 0.3:
                self.put(f"elif {self.cond()}:")
                self.block(budget)
            if r.random() < 0.5:
                self.put("else:")
                self.block(budget)
        elif k < 0.68 and self.loops < 3:
            self.fresh += 1
            span = r.choice([str(r.randrange(0, 6)), f"{r.choice(self.names)} % 7", f"{r.randrange(-2, 3)}, {r.choice(self.names)} % 6",
                             f"{r.choice(self.names)} % 9, -2, -{r.randrange(1, 4)}", "1, 8, 3"])
            self.put(f"for k{self.fresh} in range({span}):")
            self.loop(f"k{self.fresh}", budget)
        elif k < 0.8 and self.loops < 3:
            self.fresh += 1
            name = f"w{self.fresh}"
            self.put(f"{name} = 0")
            self.put(f"while {name} < {r.choice(['5', r.choice(self.names) + ' % 8'])} and {self.cond()}:")
            self.depth += 1
            self.put(f"{name} += 1")
            self.depth -= 1
            self.loop(name, budget)
        elif k < 0.88 and self.loops:
            self.put(f"if {self.cond()}:")
            self.put("    " + r.choice(["break", "continue"]))
        elif k < 0.92 and self.simt:
            self.put(f"if {self.cond()}:")
            self.put(f"    out[i] = {self.expr()} % 1009")
            if r.random() < 0.6:
                self.put("    return")
        elif k < 0.96:
            self.put(f"t[{self.index() if not self.simt else 'i'}] = {self.expr()} % 1009")
        else:
            self.put(f"{r.choice('abc')} = t[{'i' if self.simt else self.index()}]")

    def loop(self, name, budget):
        self.loops += 1
        self.names.append(name)
        saved = list(self.names)
        self.block(budget)
        self.names = [v for v in saved if v != name]  # the counter may be unset after
        self.loops -= 1
        if self.rng.random() < 0.25:
            self.put("else:")
            self.block(budget)


HELPER = """
def helper(v):
    if v % 3 == 0:
        return v // 2
    for k in range(v % 5):
        if k == 3:
            return k + 10
    return v + 1
"""


def write(seed):
    rng = random.Random(seed)
    simt = rng.random() < 0.75
    w = Writer(rng, simt)
    for name in "abc":
        w.put(f"{name} = {'x[i]' if simt and rng.random() < 0.5 else rng.randrange(0, 50)} + {'i' if simt else 'n'}")
    for _ in range(rng.randrange(1, 5)):
        w.statement(rng.randrange(1, 5))
    w.put(f"out[{'i' if simt else '0'}] = (a * 31 + b * 7 + c) % 100003")
    body = "\n".join(w.lines)
    if not simt:
        body = body.replace("x[i]", "x[3]")
    head = "    i = pyasc.get_global_id()\n" if simt else ""
    return simt, f"import pyasc\n{HELPER}\n\ndef body(x, t, out, n):\n{head}{body}\n\n\nkernel = pyasc.jit(body)\n"


class Shim:
    def __init__(self, pyasc_module):
        self.id = 0
        self.jit = lambda f: f

    def get_global_id(self):
        return self.id


def check(seed, folder):
    """None where both agree, else a description."""
    simt, text = write(seed)
    path = pathlib.Path(folder) / f"rk{seed % 100}.py"
    path.write_text(text)
    import linecache
    linecache.clearcache()
    spec = importlib.util.spec_from_file_location("random_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.random.default_rng(seed).integers(-20, 60, N).astype(np.int64)
    got = [np.zeros(N, np.int64), np.zeros(N, np.int64)]
    n = seed % 11
    (module.kernel.over(N) if simt else module.kernel)(x, *got, n)
    want = [[0] * N, [0] * N]
    shim = Shim(pyasc)
    module.body.__globals__["pyasc"] = shim
    for shim.id in range(N if simt else 1):
        module.body(x.tolist(), *want, n)
    for a, b in zip(got, want):
        if a.tolist() != b:
            where = [k for k in range(N) if a[k] != b[k]][:5]
            return f"seed {seed}: at {where}: got {[int(a[k]) for k in where]}, want {[b[k] for k in where]}\n{text}"
    return None


def main(seconds, seed):
    passed = failed = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            try:
                wrong = check(seed, folder)
            except Exception as e:
                wrong = f"seed {seed}: {type(e).__name__}: {e}\n{write(seed)[1]}"
            seed += 1
            failed += wrong is not None
            passed += wrong is None
            if wrong and failed < 6:
                print(wrong, flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
