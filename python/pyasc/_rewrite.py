"""The text of a function made into one that an interpreted kernel can run: Python's own code object, with its lines.

What changes in the tree, all of it calls of the helpers below:

    v = e                v = let(e)              a weak integer becomes int64; so too +=, walrus, for, several returns
    f(x)                 call(f)(x)              f as kernels know it: intrinsics, casts, device functions
    NAME, obj.attr       name(NAME)              what is found outside: arrays become Views, numbers weak Scalars
    try: ...             try: with checked: ...  where ZeroDivisionError can be caught
    a / b, a // b, a % b weak(a) / b             of two plain numbers by a kernel's rules, not CPython's

The helpers and the free variables of the function are free variables of the new one, which shares globals, defaults
and cells with the old.
"""
import ast
import builtins
import types

from . import _source

HELPERS = ("__pyasc_let__", "__pyasc_call__", "__pyasc_name__", "__pyasc_each__", "__pyasc_iop__", "__pyasc_checked__",
           "__pyasc_plain__", "__pyasc_weak__")
_LET, _CALL, _NAME, _EACH, _IOP, _CHECKED, _PLAIN, _WEAK = HELPERS
_CATCHES = {"ZeroDivisionError", "ArithmeticError", "Exception", "BaseException", "IndexError", "LookupError"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _bound(tree):
    """The names that some function in the tree sets."""
    names = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.arg):
            names.add(n.arg)
        elif isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            names.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(n.name)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            names.add(n.name)
        elif isinstance(n, ast.alias):
            names.add((n.asname or n.name).split(".")[0])
        else:
            names.update(filter(None, (getattr(n, field, None) for field in _CAPTURES.get(type(n).__name__, ()))))
    for n in ast.walk(tree):
        if isinstance(n, ast.Global):
            names.difference_update(n.names)
    return names


_CAPTURES = {"MatchAs": ("name",), "MatchStar": ("name",), "MatchMapping": ("rest",)}


def _has_early_return(node):
    """Does the function return elsewhere than in one last statement?"""
    def returns(n):
        for child in ast.iter_child_nodes(n):
            if isinstance(child, ast.Return):
                yield child
            elif not isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                yield from returns(child)
    found = list(returns(node))
    return len(found) > 1 or (len(found) == 1 and found[0] is not node.body[-1])


class _Rewrite(ast.NodeTransformer):
    def __init__(self, bound, plain):
        self.bound = bound
        self.plain = plain  # names that are Python's own
        self.early = False

    def wrap(self, helper, *args):
        at = args[0]
        call = ast.Call(ast.Name(helper, ast.Load()), list(args), [])
        ast.copy_location(call.func, at)
        return ast.copy_location(call, at)

    def let(self, value):
        """value, to be assigned: the elements of a display, or the value."""
        if isinstance(value, (ast.Tuple, ast.List)) and isinstance(value.ctx, ast.Load):
            value.elts = [e if isinstance(e, ast.Starred) else self.let(e) for e in value.elts]
            return value
        if isinstance(value, (ast.Lambda, ast.Dict, ast.Set, ast.JoinedStr)):
            return value
        return self.wrap(_LET, value)

    # Values that variables take.

    def visit_Assign(self, n):
        self.generic_visit(n)
        if any(not isinstance(t, ast.Subscript) for t in n.targets):
            n.value = self.let(n.value)
        return n

    def visit_AnnAssign(self, n):
        n.target = self.visit(n.target)
        if n.value is not None:
            n.value = self.let(self.visit(n.value))
        return n

    def visit_AugAssign(self, n):
        self.generic_visit(n)
        if isinstance(n.target, ast.Attribute):
            n.value = self.let(n.value)
        if not isinstance(n.target, ast.Name):
            return n
        old = ast.copy_location(ast.Name(n.target.id, ast.Load()), n.target)
        op = ast.copy_location(ast.Constant(type(n.op).__name__), n.target)
        if n.target.id not in self.bound:  # a global
            old = self.outside(old, n.target.id)
        value = ast.copy_location(ast.Call(ast.copy_location(ast.Name(_IOP, ast.Load()), n), [op, old, n.value], []), n)
        return ast.copy_location(ast.Assign([n.target], self.let(value)), n)

    def visit_NamedExpr(self, n):
        n.value = self.let(self.visit(n.value))
        return n

    def visit_For(self, n):
        self.generic_visit(n)
        n.iter = self.wrap(_EACH, n.iter)
        return n

    def visit_comprehension(self, n):
        self.generic_visit(n)
        n.iter = self.wrap(_EACH, n.iter)
        return n

    def visit_Return(self, n):
        self.generic_visit(n)
        if self.early and n.value is not None:
            n.value = self.let(n.value)
        return n

    # Functions.

    def _arguments(self, n):
        args = n.args
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]
        for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
            if a is not None:
                a.annotation = None

    def visit_FunctionDef(self, n):
        n.decorator_list = [self.visit(d) for d in n.decorator_list]
        n.returns = None
        self._arguments(n)
        outer, self.early = self.early, _has_early_return(n)
        n.body = [self.visit(s) for s in n.body]
        self.early = outer
        return n

    def visit_Lambda(self, n):
        self._arguments(n)
        n.body = self.visit(n.body)
        return n

    # Names and calls.

    def visit_Call(self, n):
        n.args = [self.visit(a) for a in n.args]
        n.keywords = [self.visit(k) for k in n.keywords]
        if isinstance(n.func, ast.Name):
            if n.func.id in ("super", "locals", "breakpoint"):
                return n
        elif isinstance(n.func, ast.Attribute):
            n.func.value = self.visit(n.func.value)
        else:
            n.func = self.visit(n.func)
        n.func = self.wrap(_CALL, n.func)
        return n

    def visit_Name(self, n):
        if isinstance(n.ctx, ast.Load) and n.id not in self.bound and n.id not in self.plain:
            return self.outside(n, n.id)
        return n

    def outside(self, n, name):
        return self.wrap(_NAME, n, ast.copy_location(ast.Constant(name), n))

    def visit_Attribute(self, n):
        n.value = self.visit(n.value)
        return self.outside(n, n.attr) if isinstance(n.ctx, ast.Load) else n

    def visit_FormattedValue(self, n):
        self.generic_visit(n)
        if n.conversion in (97, 114):  # !a, !r: of the number
            n.value = self.wrap(_PLAIN, n.value)
        return n

    def visit_match_case(self, n):
        if n.guard is not None:
            n.guard = self.visit(n.guard)
        n.body = [self.visit(s) for s in n.body]
        return n

    # Checked operations.

    def visit_BinOp(self, n):
        self.generic_visit(n)
        if isinstance(n.op, (ast.Div, ast.FloorDiv, ast.Mod)):
            n.left = self.wrap(_WEAK, n.left)  # so that two plain numbers divide as a kernel's do
        return n

    def visit_Try(self, n):
        self.generic_visit(n)
        if any(_can_catch(h.type) for h in n.handlers):
            checked = ast.copy_location(ast.Name(_CHECKED, ast.Load()), n.body[0])
            n.body = [ast.copy_location(ast.With([ast.withitem(checked, None)], n.body), n.body[0])]
        return n

    visit_TryStar = visit_Try


def _can_catch(kind):
    if isinstance(kind, ast.Tuple):
        return any(map(_can_catch, kind.elts))
    if isinstance(kind, ast.Call):  # a name from outside
        kind = kind.args[0] if kind.args else kind
    return kind is None or getattr(kind, "id", getattr(kind, "attr", None)) in _CATCHES


_TENSOR_AT = {"load_global": (1, None), "store_global": (2, None), "load_vector": (2, "src"), "store_vector": (2, "dst")}


def _name_their_tensor(tree):
    """What is called in calls that could use a default buffer and do not."""
    found = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Call):
            at, keyword = _TENSOR_AT.get(getattr(n.func, "id", getattr(n.func, "attr", None)), (99, None))
            if len(n.args) > at or any(k.arg == keyword for k in n.keywords):
                found.add(n.func)
    return found


def _chains(tree, bound):
    """The dotted names that the tree reads, as tuples; the parameters' too."""
    found, named = set(), _name_their_tensor(tree)
    for n in ast.walk(tree):
        if n in named:
            continue
        parts = []
        while isinstance(n, ast.Attribute):
            parts.append(n.attr)
            n = n.value
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and (parts or n.id not in bound):
            found.add((n.id, *reversed(parts)))
    return found


class Made:
    """What has been made of one code object. uses: the dotted names that it reads."""

    __slots__ = ("original", "code", "uses")

    def __init__(self, original, code, uses):
        self.original, self.code, self.uses = original, code, uses


_cache, _ours = {}, {}


def _remember(code):
    _ours[id(code)] = code  # alive, so that the id stays its own
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            _remember(c)


def is_ours(fn):
    """Is the function of code that was made here?"""
    return id(fn.__code__) in _ours


def _shift(tree, lines, columns):
    ast.increment_lineno(tree, lines)
    for n in ast.walk(tree):
        if hasattr(n, "col_offset"):
            n.col_offset += columns
            if n.end_col_offset is not None:
                n.end_col_offset += columns


def _find(code, name, line):
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            if c.co_name == name and c.co_firstlineno == line:
                return c
            inner = _find(c, name, line)
            if inner:
                return inner
    return None


def _in_class(fn, node):
    """The node in a class of the function's class's name where private names (__x) want it."""
    path = fn.__qualname__.split(".")
    private = any(isinstance(n, ast.Attribute) and n.attr.startswith("__") and not n.attr.endswith("__") for n in ast.walk(node))
    if not private or len(path) < 2 or path[-2].startswith("<"):
        return node
    c = ast.ClassDef(path[-2], [], [], [node], [])
    if "type_params" in ast.ClassDef._fields:
        c.type_params = []
    return c


def made_of(fn):
    """What is made of fn's code, once for each code object. OSError where its source is not to be had."""
    code = fn.__code__
    got = _cache.get(id(code))
    if got is not None and got.original is code:
        return got
    node, filename, lines, columns = _source.find(fn)
    _shift(node, lines, columns)
    bound = _bound(node)
    uses = _chains(node, bound)
    if not isinstance(node, ast.Lambda):
        node.decorator_list = []
    plain = {n for n in vars(builtins) if n not in fn.__globals__ and n not in code.co_freevars}
    node = _Rewrite(bound, plain).visit(node)
    inner = _in_class(fn, ast.copy_location(ast.Expr(node), node) if isinstance(node, ast.Lambda) else node)
    names = (*HELPERS, *code.co_freevars)
    params = ast.arguments(posonlyargs=[], args=[ast.arg(n) for n in names], vararg=None, kwonlyargs=[], kw_defaults=[],
                           kwarg=None, defaults=[])
    outer = ast.FunctionDef("__pyasc_outer__", params, [inner], [], None)
    if "type_params" in ast.FunctionDef._fields:
        outer.type_params = []
    tree = ast.Module([ast.copy_location(outer, node)], [])
    ast.fix_missing_locations(tree)
    whole = compile(tree, filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    new = _find(whole.co_consts[0], code.co_name, node.lineno)
    _remember(new)
    got = _cache[id(code)] = Made(code, new, uses)
    return got


def _future_flags():
    import __future__
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags & ~0x10  # of nested scopes: that bit has another use


_FUTURE = _future_flags()


def remake(fn, helpers):
    """fn as an interpreted kernel runs it; helpers: the values of HELPERS. OSError without source."""
    made = made_of(fn)
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    closure = tuple(cells[n] if n in cells else types.CellType(helpers[n]) for n in made.code.co_freevars)
    new = types.FunctionType(made.code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    new.__kwdefaults__ = fn.__kwdefaults__
    new.__qualname__ = fn.__qualname__
    return new
