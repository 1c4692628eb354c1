"""The launch domain of an interpreted kernel read off its text, for kernels that cannot be compiled.

The compiler's rule (spec: an id's extent is the dimension that it subscripts directly, in a store before in a load), for
ids and tensors in variables that are set once, and in the device functions that they are passed to.
"""
import ast
import types

from . import _source
from ._view import View

_STORES = {"store_global", *(f"atomic_{k}" for k in "add sub max min and or xor exchange cas".split())}


class _Reader(ast.NodeVisitor):
    """Collects extents {(dim, is it a store): largest} and the dims asked for. names: tensors and ids by name."""

    def __init__(self, lookup, names, extents, dims, seen):
        self.lookup, self.names, self.extents, self.dims, self.seen = lookup, names, extents, dims, seen

    def read(self, fn):
        if fn.__code__ in self.seen:
            return
        self.seen = self.seen | {fn.__code__}
        self.fn = fn
        node = _source.find(fn)[0]
        targets = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        self.often = {n for n in targets if targets.count(n) > 1 or n in self.names}
        for s in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(s)

    def called(self, n):
        """What the call n calls: a function, or None."""
        chain, f = [], n.func
        while isinstance(f, ast.Attribute):
            chain.append(f.attr)
            f = f.value
        if not isinstance(f, ast.Name) or f.id in self.names:
            return None
        return self.lookup(self.fn, (f.id, *reversed(chain)), {})

    def value(self, n):
        """The View or the dim of the id that the expression is, or None."""
        if isinstance(n, ast.Name):
            got = self.names.get(n.id)
            if got is None and n.id not in self.often:
                from ._device import name
                got = name(self.lookup(self.fn, (n.id,), {}), n.id)
            return got if isinstance(got, (View, int)) and not isinstance(got, bool) else None
        op = getattr(self.called(n), "__pyasc_op__", None) if isinstance(n, ast.Call) else None
        if op == "get_row" or op == "get_col":
            return int(op == "get_row")
        if op == "get_global_id":
            args = [*n.args, *(k.value for k in n.keywords)]
            return args[0].value if args and isinstance(args[0], ast.Constant) else None if args else 0
        return None

    def bind(self, target, value):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for t, v in zip(target.elts, value.elts):
                self.bind(t, v)
        elif isinstance(target, ast.Name) and target.id not in self.often:
            self.names[target.id] = self.value(value)

    def access(self, tensor, index, store):
        t = self.value(tensor)
        if isinstance(t, View):
            for axis, k in enumerate(index.elts if isinstance(index, ast.Tuple) else [index]):
                dim = self.value(k)
                if type(dim) is int and axis < t.ndim:
                    self.extents[dim, store] = max(self.extents.get((dim, store), -1), t.tensor.shape[axis])

    def visit_Assign(self, n):
        self.generic_visit(n)
        for t in n.targets:
            self.bind(t, n.value)

    def visit_AugAssign(self, n):
        if isinstance(n.target, ast.Subscript):
            self.access(n.target.value, n.target.slice, True)
        self.generic_visit(n)

    def visit_Subscript(self, n):
        self.access(n.value, n.slice, not isinstance(n.ctx, ast.Load))
        self.generic_visit(n)

    def visit_Call(self, n):
        dim = self.value(n)
        if type(dim) is int:
            self.dims.add(dim)
        f = self.called(n)
        op = getattr(f, "__pyasc_op__", None)
        if op in _STORES and len(n.args) > 2 or op == "load_global" and len(n.args) == 2:
            self.access(n.args[0], n.args[1], op in _STORES)
        f = getattr(f, "fn", f)
        if isinstance(f, types.FunctionType) and op is None:
            params = f.__code__.co_varnames[:f.__code__.co_argcount]
            given = {**dict(zip(params, n.args)), **{k.arg: k.value for k in n.keywords}}
            names = {k: self.value(v) for k, v in given.items()}
            try:
                _Reader(self.lookup, names, self.extents, self.dims, self.seen).read(f)
            except OSError:
                pass
        self.generic_visit(n)


def read(fn, values, lookup):
    """The domain (dim 0 first) of fn called with these values by parameter. TypeError where its text does not tell."""
    extents, dims, size = {}, set(), [1, 1, 1]
    names = {k: v if isinstance(v, View) else None for k, v in values.items()}
    _Reader(lookup, names, extents, dims, frozenset()).read(fn)
    if not dims:
        raise TypeError("cannot infer how many work-items to run; call k.over(n)(...) or k[blocks, threads](...)")
    for d in dims:
        size[d] = extents.get((d, True), extents.get((d, False), -1))
        if size[d] < 0:
            raise TypeError(f"cannot infer how many work-items to run along dim {d}: no subscript is that id alone; "
                            "call k.over(n)(...) or k[blocks, threads](...)")
    return tuple(size)
