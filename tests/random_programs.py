"""Random kernels from the grammar of spec section 5, run compiled and interpreted.

A program is drawn choice by choice, so hypothesis can shrink it (tests/test_random_programs.py); tools/fuzz_language.py
draws from a seed. Integers are compared exactly. Floats within TOLERANCE of the largest value; no branch depends on a
float that was computed, only on ones that were loaded. `Program.used` counts the constructs.
"""
import linecache
from collections import Counter

import numpy as np

import pyasc

N = 7
TOLERANCE = 2e-5
BIG = 10 ** 6  # integers are brought below before they are used again, so nothing wraps by chance

PRELUDE = '''
import dataclasses
import math
from typing import NamedTuple
import pyasc

SCALE = 3
WEIGHTS = (1, 2, 5)
lock = pyasc.mutex()

class Oops(Exception):
    pass

class Worse(Oops):
    pass

class Two(NamedTuple):
    a: int
    b: int = 4
    def mixed(self, k):
        return self.a * k - self.b

@dataclasses.dataclass
class Pair:
    p: int
    q: int = 2
    def __add__(self, o):
        return Pair((self.p + o.p) % 1009, (self.q - o.q) % 1009)
    def __lt__(self, o):
        return self.p < o.p
    def __neg__(self):
        return Pair(-self.p, self.q)
    def shift(self, d):
        self.p += d
        return self.q
    @property
    def both(self):
        return self.p + self.q

class Base:
    RATE = 11
    def __init__(self, n):
        self.n = n
        self.calls = 0
    def step(self, k):
        self.calls += 1
        return self.n + k
    def twice(self, k):
        return self.step(k) + self.step(k + 1)

class Child(Base):
    def __init__(self, n, m):
        super().__init__(n)
        self.m = m
    def step(self, k):
        return super().step(k) * 2 - self.m

def add3(a, b=1, *, c=2):
    return a + b * 2 - c

def total(first, *rest):
    s = first
    for r in rest:
        s += r
    return s

def checked(v, limit):
    if v > limit:
        raise Oops(f"{v} is over {limit}", v)
    if v < -limit:
        raise Worse("low")
    return v + 1

def early(v):
    for k in range(5):
        if k * 3 > v:
            return k
        if v == 77:
            break
    else:
        return -v
    return 100

def swap(a, b):
    return b, a
'''


class Program:
    """Draws a kernel: choose(n) gives 0 to n - 1."""

    def __init__(self, choose):
        self.choose, self.used = choose, Counter()
        self.lines, self.depth, self.names = [], 1, 0
        self.ints, self.floats, self.pairs, self.objects, self.tuples, self.lists = ["i", "n"], ["f"], [], [], [], []
        self.loops, self.trying, self.budget, self.calls = 0, 0, 26, 0
        self.funcs, self.locked = [], False
        self.item = self.choose(3) > 0  # a kernel of work-items
        self.statements()

    # choices

    def pick(self, seq):
        return seq[self.choose(len(seq))]

    def note(self, name):
        self.used[name] += 1

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    # integer expressions, absolute value below BIG where `small`

    def int_(self, depth=2):
        leaf = depth <= 0 or self.choose(4) == 0
        makers = self.LEAVES if leaf else self.INTS
        return self.pick(makers)(self, depth - 1)

    def small(self, depth=2):
        return f"({self.int_(depth)}) % {self.pick((7, 97, 1009))}"

    def atom(self, d):
        return self.pick(self.ints)

    def literal(self, d):
        self.note("literal")
        return str(self.pick((0, 1, 2, 3, 5, 13, -1, -4)))

    def load(self, d):
        self.note("load")
        return self.pick((f"xi[({self.atom(0)}) % {N}]", "xi[i]", "xi[-1]", "xs[i]", "xu[i]"))

    def captured(self, d):
        self.note("captured")
        return self.pick(("SCALE", "WEIGHTS[1]", "WEIGHTS[-1]", "Base.RATE"))

    def arithmetic(self, d):
        op = self.pick(("+", "-", "*", "//", "%"))
        self.note("op " + op)
        a, b = self.int_(d), self.int_(d)
        if op == "*":
            return f"(({a}) % 97 * (({b}) % 89))"
        if op in ("//", "%"):
            return f"(({a}) {op} ({b}))"
        return f"(({a}) % 100003 {op} ({b}) % 100003)"

    def bits(self, d):
        op = self.pick(("&", "|", "^", "<<", ">>"))
        self.note("op " + op)
        a, b = self.small(d), self.int_(d)
        if op == ">>":
            return f"((({a}) - 400) >> ({b}) % 70)"
        return f"(({a}) << ({b}) % 5)" if op == "<<" else f"(({a}) {op} ({b}) % 4096)"

    def unary(self, d):
        op = self.pick(("-", "~", "+", "not "))
        self.note("op " + op.strip())
        return f"int(not {self.cond(d)})" if op == "not " else f"({op}({self.int_(d)}))"

    def power(self, d):
        self.note("op **")
        return f"(({self.int_(d)}) % 7) ** {self.choose(5)}"

    def ternary(self, d):
        self.note("conditional expression")
        return f"({self.small(d)} if {self.cond(d)} else {self.small(d)})"

    def logic(self, d):
        self.note("and/or value")
        return f"({self.small(d)} {self.pick(('and', 'or'))} {self.small(d)})"

    def builtin(self, d):
        kind = self.choose(10)
        self.note("builtin " + ("abs min max int bool divmod pow round len sum".split())[kind])
        a, b = self.small(d), self.small(d)
        return (f"abs({self.int_(d)})", f"min({a}, {b})", f"max({a}, {b}, 3)", f"int(xf[({a}) % {N}])", f"int(bool({a}))",
                f"divmod({a}, {self.pick((-3, 4, 7))})[{self.choose(2)}]", f"pow(({a}) % 9, {self.choose(4)})",
                f"round(xf[({a}) % {N}])", "len((1, 2, 3))", f"sum(({a}, {b}))")[kind]

    def walrus(self, d):
        self.note("walrus")
        name = self.fresh("w")
        text = f"(({name} := {self.small(d)}) + {name})"
        if self.depth == 1:
            pass  # the name may be unset where a condition skips it: not used again
        return text

    def comprehension(self, d):
        self.note("comprehension")
        k = self.fresh("k")
        inner = self.pick((f"{k} * 2", f"{k} + {self.atom(0)} % 50", f"xi[{k}]"))
        test = self.pick(("", f" if {k} % 2 == 0", f" if {k} != 1"))
        how = self.pick(("sum", "len")) if test else self.pick(("sum", "max", "len"))
        return f"{how}([{inner} for {k} in {self.pick(('range(4)', '(1, 0, 3)', 'range(5, 0, -2)'))}{test}])"

    def call(self, d):
        self.note("call")
        a, b = self.small(d), self.small(d)
        forms = [f"add3({a})", f"add3({a}, {b}, c={self.literal(0)})", f"add3(b={b}, a={a})", f"total({a}, {b}, 2)", f"early({a})",
                 f"swap({a}, {b})[0]", f"total(*({a}, {b}))", f"(lambda u, v=3: u - v)({a})"]
        forms += [f"{name}({', '.join(self.small(1) for _ in range(n))})" for name, n in self.funcs]
        return self.pick(forms)

    def member(self, d):
        owner = self.pick([None] + self.pairs + self.objects + self.tuples + self.lists)
        k = self.pick(self.ints)
        if owner is None:
            return f"Two({k} % 97).mixed(3)"
        self.note("attribute" if owner in self.pairs + self.objects else "tuple element")
        if owner in self.pairs:
            return f"{owner}.{self.pick(('p', 'q', 'both'))} % 100003"
        if owner in self.objects:
            return self.pick((f"{owner}.n", f"{owner}.calls", f"{owner}.RATE", f"({owner}.step({k} % 89) % 5003)",
                              f"({owner}.twice({k} % 83) % 5003)"))
        return self.pick((f"{owner}[{self.choose(3)}]", f"{owner}[-1]", f"sum({owner})", f"{owner}[(i + {self.choose(3)}) % 3]",
                          f"{owner}[1:][0]", f"len({owner})"))

    LEAVES = [atom, atom, literal, load, captured, member]
    INTS = [arithmetic, arithmetic, bits, unary, power, ternary, logic, builtin, builtin, walrus, comprehension, call, call,
            member, load]

    # conditions: of integers, and of floats that were loaded

    def cond(self, d=1):
        kind = self.choose(9)
        self.note("condition " + "compare chain and/or not float is isinstance in tuple".split()[min(kind, 7)])
        a, b = self.small(d - 1), self.small(d - 1)
        op = self.pick(("<", "<=", ">", ">=", "==", "!="))
        return (f"{a} {op} {b}", f"{self.choose(3)} {self.pick(('<', '<='))} {a} {op} {b}", f"({a} {op} 3 {self.pick(('and', 'or'))} {b} > 2)",
                f"not {a} {op} {b}", f"xf[i] {op} xf[({a}) % {N}]", "(n is not None)",
                f"isinstance({self.pick(self.objects)}, Child)" if self.objects else "isinstance(xi, pyasc.Tensor)",
                f"({a}) {self.pick(('in', 'not in'))} (1, 3, 5)", f"({a}, 1) {op} ({b}, {self.choose(3)})")[kind]

    # floats

    def float_(self, depth=2):
        if depth <= 0 or self.choose(3) == 0:
            return self.pick((self.pick(self.floats), "xf[i]", f"xf[{self.choose(N)}]", "0.5", "2.0", "1.25"))
        kind = self.choose(8)
        self.note("float " + "+ - * / function max where cast".split()[kind])
        a, b = self.float_(depth - 1), self.float_(depth - 1)
        return (f"({a} + {b})", f"({a} - {b})", f"({a} * {b}) * 0.25", f"{a} / (abs({b}) + 1.0)",
                f"pyasc.{self.pick(('tanh', 'sigmoid', 'sin', 'atan'))}({a})", f"{self.pick(('max', 'min'))}({a}, {b})",
                f"({a} if {self.cond(0)} else {b})", f"pyasc.float32(({self.small(0)}) % 50)")[kind]

    # statements

    def block(self, fill=None):
        """An indented block; names made in it are not used after it."""
        saved = [list(v) for v in (self.ints, self.floats, self.pairs, self.objects, self.tuples, self.lists, self.funcs)]
        self.depth += 1
        before = len(self.lines)
        if fill:
            fill()
        for _ in range(1 + self.choose(2)):
            if self.budget > 0:
                self.statement()
        if len(self.lines) == before:
            self.note("pass")
            self.emit("pass")
        self.depth -= 1
        self.ints, self.floats, self.pairs, self.objects, self.tuples, self.lists, self.funcs = saved

    def statements(self):
        while self.budget > 0 and (len(self.lines) < 8 or self.choose(6)):
            self.statement()

    def statement(self):
        self.budget -= 1
        choices = self.SIMPLE if self.depth > 4 else self.ALL
        self.pick(choices)(self)

    def assign(self):
        self.note("assignment")
        name = self.fresh("v")
        self.emit(f"{name} = {self.small()}")
        self.ints.append(name)

    def reassign(self):
        self.note("assignment again")
        self.emit(f"{self.pick([v for v in self.ints if v[0] in 'vu'] or ['z'])} = {self.small()}")

    def augmented(self):
        self.note("augmented assignment")
        names = [v for v in self.ints if v[0] == "v"]
        if names:
            self.emit(f"{self.pick(names)} {self.pick(('+=', '-=', '^=', '|='))} {self.small()}")
        else:
            self.emit(f"z {self.pick(('+=', '-='))} {self.small()}")

    def annotated(self):
        self.note("annotated assignment")
        name = self.fresh("v")
        self.emit(f"{name}: int = {self.small()}")
        self.ints.append(name)

    def unpack(self):
        kind = self.choose(4)
        self.note("tuple assignment chained starred swap".split()[kind])
        a, b = self.fresh("v"), self.fresh("v")
        if kind == 0:
            self.emit(f"{a}, {b} = {self.small()}, {self.small()}")
        elif kind == 1:
            self.emit(f"{a} = {b} = {self.small()}")
        elif kind == 2:
            c = self.fresh("t")
            self.emit(f"{a}, *{c}, {b} = ({self.small(1)}, {self.small(1)}, 3, 4, {self.small(1)})")
            self.tuples.append(c)
        else:
            self.emit(f"{a}, {b} = swap({self.small(1)}, {self.small(1)})")
            self.emit(f"{a}, {b} = {b}, {a}")
        self.ints += [a, b]

    def float_assign(self):
        self.note("float assignment")
        name = self.fresh("f")
        self.emit(f"{name} = {self.float_(3)}")
        self.floats.append(name)

    def store(self):
        self.note("store")
        self.emit(self.pick((f"oi[i] = {self.int_()}", f"oi[i] += {self.small()}", f"of[i] = {self.float_()}",
                             f"of[i] {self.pick(('+=', '*='))} {self.float_(1)}", f"os[i] = {self.small()}")))

    def tuple_(self):
        self.note("tuple")
        name = self.fresh("t")
        self.emit(f"{name} = ({self.small(1)}, {self.small(1)}, {self.small(1)})")
        self.tuples.append(name)

    def list_(self):
        self.note("list")
        name = self.fresh("l")
        self.emit(f"{name} = [{self.small(1)}, 1, {self.small(1)}]")
        self.emit(f"{name}[{self.pick(('0', '1', '-1', f'({self.small(0)}) % 3'))}] = {self.small(1)}")
        self.lists.append(name)

    def pair(self):
        self.note("dataclass")
        name = self.fresh("p")
        self.emit(f"{name} = Pair({self.small(1)}{self.pick(('', ', q=5', ', 7'))})")
        form = self.choose(5)
        if form == 0:
            self.emit(f"{name} = {name} + Pair({self.small(1)}, 1)")
        elif form == 1:
            self.emit(f"{name}.shift({self.literal(0)})")
        elif form == 2:
            self.emit(f"{name}.q = {self.small(1)}")
        elif form == 3:
            self.emit(f"if -{name} < {name}:")
            self.emit(f"    {name}.p += 1")
        else:
            self.note("copied object")
            other = self.fresh("p")
            self.emit(f"{other} = {name}")
            self.emit(f"{other} = {other} + Pair({self.small(1)}, 1)")
            self.pairs.append(other)
        self.pairs.append(name)

    def object_(self):
        self.note("class")
        name = self.fresh("o")
        self.emit(f"{name} = {self.pick((f'Base({self.small(1)})', f'Child({self.small(1)}, 2)'))}")
        self.objects.append(name)

    def if_(self):
        self.note("if")
        self.emit(f"if {self.cond(2)}:")
        self.block()
        if self.choose(3) == 0:
            self.note("elif")
            self.emit(f"elif {self.cond()}:")
            self.block()
        if self.choose(2):
            self.note("else")
            self.emit("else:")
            self.block()

    def one_branch(self):
        self.note("set in one branch")
        name = self.fresh("u")
        test = self.cond()
        self.emit(f"if {test}:")
        self.emit(f"    {name} = {self.small()}")
        if self.choose(2):
            self.emit("else:")
            self.emit(f"    {name} = 5")
        else:  # perhaps an UnboundLocalError
            self.emit("try:")
            self.emit(f"    z = z + {name}")
            self.emit("except UnboundLocalError:")
            self.emit("    z = z + 1")
            self.emit(f"    {name} = 4")
        self.ints.append(name)

    def loop_jumps(self, counter=None):
        def fill():
            if counter and self.choose(2):  # the order shows
                self.emit(f"z = z % 1009 * 3 + {counter} % 1009")
            if self.choose(2):
                word = self.pick(("break", "continue"))
                self.note(word)
                self.emit(f"if {self.cond()}:")
                self.emit(f"    {word}")
        return fill

    def for_(self):
        kind = self.choose(7)
        self.note("for " + "range range3 enumerate zip reversed tuple array".split()[kind])
        k, v = self.fresh("k"), self.fresh("k")
        step = self.pick((1, 2, 3, -1, -2))
        head = (f"{k} in range({self.pick(('3', f'({self.small(0)}) % 5'))})",
                f"{k} in range({self.pick((0, 6, 9))}, {self.pick((4, -2, f'({self.small(0)}) % 9'))}, {step})",
                f"{k}, {v} in enumerate(xi{self.pick(('', '[1:4]', '[::2]'))}{self.pick(('', ', start=2'))})",
                f"{k}, {v} in zip(range(4), {self.pick(('xi', '(5, 6, 7)', 'xi[2:5]'))})",
                f"{k} in reversed({self.pick(('range(4)', 'xi[:3]', '(2, 9)'))})",
                f"{k} in ({self.small(1)}, 4)", f"{k} in xi{self.pick(('', '[::3]', '[-2:]'))}")[kind]
        two = kind in (2, 3)
        self.emit(f"for {head}:")
        self.loops += 1
        kept = list(self.ints)
        self.ints += [k, v] if two else [k]
        self.block(self.loop_jumps(v if two else k))
        self.ints = kept
        self.loops -= 1
        if self.choose(4) == 0:
            self.note("for else")
            self.emit("else:")
            self.block()

    def while_(self):
        self.note("while")
        k = self.fresh("c")
        self.emit(f"{k} = 0")
        test = self.pick((f"{k} < {1 + self.choose(5)}", f"{k} < 4 and {self.cond(0)}", "True"))
        self.emit(f"while {test}:")
        self.loops += 1

        def fill():
            self.emit(f"{k} += 1")
            if test == "True":
                self.emit(f"if {k} > 3:")
                self.emit("    break")
            self.loop_jumps()()
        kept = list(self.ints)
        self.ints.append(k)
        self.block(fill)
        self.ints = kept + [k]
        self.loops -= 1
        if self.choose(4) == 0:
            self.note("while else")
            self.emit("else:")
            self.block()

    def return_(self):
        self.note("return")
        self.emit(f"if {self.cond()}:")
        self.emit("    oi[i] = z")
        self.emit("    return")

    def raise_text(self):
        return self.pick((f'ValueError(f"v {self.small(1)}")'.replace('f"v ', 'f"v {').replace('")', '}")'), 'KeyError("k")', "Worse",
                          f'Oops("o", {self.small(1)})', "IndexError()"))

    def try_(self):
        self.note("try")
        self.emit("try:")
        clauses = [["ValueError", "(KeyError, ZeroDivisionError)", "Exception"], ["Oops", "Exception"], ["Worse", "LookupError", "Exception"],
                   ["Exception"], []][self.choose(5)]

        def body():
            kind = self.choose(5) if clauses else self.pick((0, 1, 4))  # what nobody catches is not checked
            if kind == 0:
                self.note("raise caught")
                self.emit(f"if {self.cond()}:")
                self.emit(f"    raise {self.raise_text()}")
            elif kind == 1:
                self.note("raise across call")
                self.emit(f"z = checked({self.small()}, 40)")
            elif kind == 2:
                self.note("checked division")
                self.emit(f"z = z % 1009 {self.pick(('//', '%'))} ({self.small(1)})")
            elif kind == 3:
                self.note("checked index")
                self.emit(f"z = xi[({self.small(1)}) - 2]")
            else:
                self.note("assert caught")
                self.emit(f'assert {self.cond()}, "no"')
        self.trying += 1
        self.block(body)
        self.trying -= 1
        final = not clauses or self.choose(3) == 0
        for k, c in enumerate(clauses):
            name = " as e" if self.choose(4) == 0 else ""
            self.emit(f"except {c}{name}:")
            self.emit(f"    z = z % 1009 + {k + 1}")
            if k == 0 and len(clauses) > 1 and self.trying and self.choose(4):
                self.note("raise again")
                self.emit("    raise")
            else:
                self.block()
        if clauses and self.choose(3) == 0:
            self.note("try else")
            self.emit("else:")
            self.block()
        if final:
            self.note("finally")
            self.emit("finally:")
            self.emit("    z = z % 1009 - 1")
            self.block()

    def raise_(self):
        self.note("raise")
        self.emit(f"if ({self.small()}) == 5:")
        self.emit(f"    raise {self.raise_text()}")

    def assert_(self):
        self.note("assert")
        self.emit(f'assert ({self.small()}) != 6, f"six {{z}}"')

    def def_(self):
        kind = self.choose(3)
        name = self.fresh("g")
        if kind == 0:
            self.note("nested def")
            self.emit(f"def {name}(a, b):")
            self.emit('    """Of two."""')
            self.emit(f"    if a > b + {self.choose(4)}:")
            self.emit(f"        return a - b * {self.pick([v for v in self.ints])} % 7")
            self.emit("    return b % 13")
            self.funcs.append((name, 2))
        elif kind == 1:
            self.note("lambda")
            self.emit(f"{name} = lambda a: a * 2 + {self.pick(self.ints)} % 11")
            self.funcs.append((name, 1))
        else:
            self.note("nonlocal")
            self.emit(f"def {name}(a):")
            self.emit("    nonlocal z")
            self.emit("    z = z % 1009 + a")
            self.emit("    return z")
            self.funcs.append((name, 1))

    def match_(self):
        self.note("match")
        self.emit(f"match ({self.small()}) % 5:")
        self.depth += 1
        for pattern in (("0", "1 | 2", "_"), ("3", "y if y > 1", "_"), ("4 | 0", "y"))[self.choose(3)]:
            self.emit(f"case {pattern}:")
            self.block()
        self.depth -= 1

    def del_(self):
        self.note("del")
        name = self.fresh("d")
        self.emit(f"{name} = {self.small(1)}")
        self.emit(f"z = z % 1009 + {name}")
        self.emit(f"del {name}")

    def with_(self):
        if self.locked:
            return self.assign()
        self.note("with")
        self.emit("with lock:")
        self.locked = True
        self.block()
        self.locked = False

    def import_(self):
        self.note("import")
        self.emit(self.pick(("from math import floor", "import math as mm")))
        self.emit(f"z = z % 1009 + math.floor(xf[{self.choose(N)}])")

    def slice_(self):
        self.note("slice")
        a = self.choose(4)
        self.emit(self.pick((f"z = z % 1009 + sum(xi[{a}:{a + 3}])", f"z = z % 1009 + max(xi[{a}:])", f"z = z % 1009 + len(xi[{a}::2])",
                             f"z = z % 1009 + min(xi[::-1] * 2 - 1)", f"z = z % 1009 + xi[{a}:][-1]")))

    def store_slice(self):
        if self.item:
            self.slice_()
            return
        self.note("slice store")
        a = self.choose(3)
        self.emit(self.pick((f"oi[{a}:{a + 3}] = xi[1:4]", f"oi[:] += {self.small(1)}", f"of[{a}:{a + 2}] = xf[:2] * 2 + 1",
                             f"oi[1:] = oi[:-1]", f"of[::2] = {self.float_(1)}", f"oi[:3] = xi[4:] + xi[:3] * 2")))

    SIMPLE = [assign, reassign, augmented, unpack, float_assign, store, store, tuple_, slice_, annotated, del_]
    ALL = SIMPLE + [list_, pair, object_, if_, if_, one_branch, for_, for_, while_, try_, try_, raise_, assert_, def_, match_,
                    return_, with_, import_, store_slice]

    def source(self):
        head = "    i = pyasc.get_global_id()" if self.item else f"    i = {self.choose(N)}"
        out = self.pick(self.ints)
        return "\n".join([PRELUDE, "def kernel(xi, xs, xu, xf, oi, os, of, n):", '    """Drawn."""', head, "    z = 1", "    f = 0.5",
                          *self.lines, f"    oi[i] = ({out} + z) % 100003", f"    of[i] += {self.pick(self.floats)}", ""])


def arguments(seed):
    r = np.random.default_rng(seed)
    return [r.integers(-50, 50, N).astype(r.choice(["int32", "int64"])), r.integers(-100, 100, N).astype(np.int16),
            r.integers(0, 200, N).astype(np.uint8), (r.integers(-40, 40, N) / 4).astype(r.choice(["float32", "float64"])),
            np.zeros(N, np.int64), np.zeros(N, np.int32), np.zeros(N, np.float32), int(r.integers(0, 9))]


def load(source, name):
    """The module's namespace; its text stays readable under the name."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "drawn", "__file__": name}
    exec(compile(source, name, "exec"), space)
    return space


def run(kernel, item, seed):
    """The output arrays, and what was raised."""
    args, raised = arguments(seed), None
    try:
        (kernel.over(N) if item else kernel)(*args)
    except pyasc.CompileError:
        raise
    except Exception as e:
        raised = type(e).__name__
    return args[4:7], raised


def difference(source, item, seed, name="drawn.py"):
    """What differs between the compiled and the interpreted kernel, or None."""
    space = load(source, name)
    compiled = pyasc.jit(space["kernel"], cache=False, opt_level=1)
    interpreted = pyasc.jit(space["kernel"], interpret=True)
    try:
        got, want = run(compiled, item, seed), run(interpreted, item, seed)
    except pyasc.CompileError as e:
        return f"does not compile: {e}"
    finally:
        linecache.cache.pop(name, None)
    if got[1] != want[1]:
        return f"raised {got[1]}, interpreted {want[1]}"
    if want[1]:
        return None  # which items have run before is not defined
    for label, a, b in zip(("oi", "os", "of"), got[0], want[0]):
        if label != "of" and not np.array_equal(a, b):
            return f"{label}: compiled {a.tolist()}, interpreted {b.tolist()}"
        scale = max(1.0, float(np.nanmax(np.abs(np.where(np.isfinite(b), b, 0)))))
        if label == "of" and not np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True):
            return f"{label}: compiled {a.tolist()}, interpreted {b.tolist()}"
    return None
