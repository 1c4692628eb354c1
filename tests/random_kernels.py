"""Random integer kernels, compiled and as Python: control flow of every kind, nested, divergent and uniform. As a program:
random_kernels.py SECONDS [SEED]."""
import importlib.util
import linecache
import pathlib
import random
import sys
import tempfile
import time

import numpy as np
import pyasc

N = 37


class Writer:
    def __init__(self, rng, simt, barriers=False):
        self.rng, self.simt, self.barriers, self.uniform = rng, simt, barriers, barriers
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

    def exchange(self):
        """Everybody writes, meets, reads another's, meets."""
        self.put(f"s[i] = {self.expr()} % 1009")
        self.put("pyasc.syncthreads()")
        self.put(f"{self.rng.choice('abc')} = s[(i + {self.rng.randrange(1, N)}) % {N}]")
        self.put("pyasc.syncthreads()")

    def uniform_statement(self, budget):
        """Control flow that all work-items take alike, so that barriers may stand in it."""
        r = self.rng
        self.fresh += 1
        number = self.fresh
        kind = r.randrange(4) if budget > 0 else 0
        if kind == 0:
            self.exchange()
            return
        if kind == 1:
            self.put(f"for u{number} in range({r.choice(['3', 'n % 4', '2, n', '5, n % 3, -2'])}):")
        elif kind == 2:
            self.put(f"if n {r.choice(['<', '>='])} {r.randrange(0, 11)}:")
        else:
            self.put(f"v{number} = {r.randrange(1, 9)}")
            self.put(f"while v{number} > 0:")
            self.put(f"    v{number} //= 2")
        self.depth += 1
        for _ in range(r.randrange(1, 3)):
            self.statement(budget - 1)
        if kind == 1 and r.random() < 0.3:
            self.put(f"if u{number} == {r.randrange(0, 4)}:")
            self.put("    " + r.choice(["break", "continue"]))
            self.exchange()
        self.depth -= 1

    def statement(self, budget):
        if self.uniform and self.rng.random() < 0.5:
            self.uniform_statement(budget)
            return
        was, self.uniform = self.uniform, False
        self.divergent_statement(budget)
        self.uniform = was

    def divergent_statement(self, budget):
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
                self.put("    return" if not self.barriers else "    pass")
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
    """(kind, text): kind is 'simt', 'block' (one block, with barriers) or 'loop' (not per work-item)."""
    rng = random.Random(seed)
    kind = rng.choice(["simt", "simt", "block", "block", "loop"])
    w = Writer(rng, kind != "loop", kind == "block")
    item = "i" if kind != "loop" else "n"
    for name in "abc":
        w.put(f"{name} = {'x[i]' if kind != 'loop' and rng.random() < 0.5 else rng.randrange(0, 50)} + {item}")
    for _ in range(rng.randrange(1, 5)):
        w.statement(rng.randrange(1, 5))
    w.put(f"out[{'i' if kind != 'loop' else '0'}] = (a * 31 + b * 7 + c) % 100003")
    body = "\n".join(w.lines)
    head = {"simt": "    i = pyasc.get_global_id()\n", "loop": "",
            "block": f"    s = pyasc.shared({N}, pyasc.int64)\n    i = pyasc.get_local_id()\n"}[kind]
    if kind == "loop":
        body = body.replace("x[i]", "x[3]")
    return kind, f"import pyasc\n{HELPER}\n\ndef body(x, t, out, n):\n{head}{body}\n\n\nkernel = pyasc.jit(body)\n"


class Shim:
    """What the kernel language's names mean when the body runs as Python, one work-item at a time."""
    int64 = None

    def __init__(self):
        self.id, self.memory = 0, None
        self.jit = lambda f: f

    def get_global_id(self):
        return self.id

    get_local_id = get_global_id

    def shared(self, n, dtype):
        self.memory = self.memory or [0] * n
        return self.memory


def as_python(text, kind, arguments):
    shim = Shim()
    scope = {"pyasc": shim}
    exec(text.replace("import pyasc\n", "").replace("pyasc.syncthreads()", "yield"), scope)
    if kind != "block" or "yield" not in text.replace("pyasc.syncthreads()", "yield"):
        for shim.id in range(N if kind != "loop" else 1):
            scope["body"](*arguments)
        return
    items = []
    for shim.id in range(N):
        items.append(scope["body"](*arguments))
    while items:  # each to its next barrier, all in turn
        left = []
        for shim.id, item in enumerate(items):
            if next(item, "end") != "end":
                left.append(item)
        assert len(left) in (0, len(items))
        items = left


def launch(kernel, kind, arguments):
    if kind == "block":
        kernel[1, N](*arguments)
    elif kind == "simt":
        kernel.over(N)(*arguments)
    else:
        kernel(*arguments)


def check(seed, folder):
    """None where both agree, else a description. Every fourth program gets one array twice: Python's order must hold."""
    kind, text = write(seed)
    path = pathlib.Path(folder) / f"rk{seed % 100}.py"
    path.write_text(text)
    linecache.clearcache()
    spec = importlib.util.spec_from_file_location("random_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.random.default_rng(seed).integers(-20, 60, N).astype(np.int64)
    t, out, n = np.zeros(N, np.int64), np.zeros(N, np.int64), seed % 11
    px, pt, pout = x.tolist(), t.tolist(), out.tolist()
    if seed % 4 == 0 and kind != "block":
        t, pt = x, px
    launch(module.kernel, kind, (x, t, out, n))
    as_python(text, kind, (px, pt, pout, n))
    for a, b in ((out, pout), (t, pt)):
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
