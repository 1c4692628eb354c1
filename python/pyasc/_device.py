"""What a call in an interpreted kernel calls: intrinsics, casts, device functions and classes, each in its interpreted form.

call(f) and name(x) are helpers of the text that _rewrite makes.
"""
import builtins
import functools
import operator
import os
import sysconfig
import types
import weakref

from . import _core, _rewrite
from ._core import Kernel, Tensor
from ._dtype import DType, bool_, to_dtype
from ._functions import caster
from ._intrinsics import OPS
from ._numeric import WFLT, WINT, now
from ._overload import body_for
from ._scalar import Scalar, let, operand
from ._view import View, computed

_WEAK = {int: WINT, float: WFLT, bool: bool_}
_BUILTINS = {getattr(builtins, name): OPS[name] for name in
             "int float bool abs max min sum round pow divmod len isinstance type".split()}
_MATH = {name: name for name in
         "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asinh acosh atanh asin acos atan atan2 sinh cosh tanh erf "
         "floor ceil trunc fabs fmod pow isnan abs maximum minimum where".split()}
_MATH.update(absolute="abs", power="pow", arctan2="atan2", arcsin="asin", arccos="acos", arctan="atan", rint="rint",
             round="rint")
_STANDARD = os.path.realpath(sysconfig.get_paths()["stdlib"]) + os.sep
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


@functools.lru_cache(None)
def _foreign_file(filename):
    """'no', 'yes' (Python's own: called as it is), or 'perhaps' (installed: a device function if it knows pyasc)."""
    path = os.path.realpath(filename)
    if f"{os.sep}site-packages{os.sep}" in path or f"{os.sep}dist-packages{os.sep}" in path:
        return "perhaps"
    return "yes" if path.startswith(_STANDARD) or filename.startswith("<frozen") else "no"


def _is_users(fn):
    """Is fn a function that kernels may take for a device function?"""
    foreign = _foreign_file(fn.__code__.co_filename)
    if foreign != "perhaps":
        return foreign == "no"
    return any(getattr(v, "__name__", None) == "pyasc" or isinstance(v, (Kernel, DType)) for v in list(fn.__globals__.values()))


def device(fn):
    """The Python function fn as a device function: fn itself where it has no text, or is not the user's."""
    if _rewrite.is_ours(fn):
        return fn
    if hasattr(fn, "__pyasc_overloads__"):
        return _dispatch(fn)
    try:
        return _rewrite.remake(fn, VALUES)
    except OSError:
        return fn


def _dispatch(fn):
    def overloaded(*args):
        return _rewrite.remake(body_for(fn, args), VALUES)(*args)
    overloaded.__pyasc_here__ = True
    return overloaded


def _function(f):
    marks = f.__dict__
    if "__pyasc_op__" in marks:
        return OPS.get(marks["__pyasc_op__"], f)
    if "__pyasc_here__" in marks or _rewrite.is_ours(f):
        return f
    if "__pyasc_fn__" in marks:
        return device(marks["__pyasc_fn__"])
    if f.__code__.co_filename.startswith(_HERE):
        if f.__name__ in ("max", "min", "sum"):
            return OPS[f.__name__]
        return computed(f) if f.__module__ not in _OURS else f
    return device(f) if _is_users(f) else f


_OURS = {f"pyasc.{name}" for name in "_intrinsics _functions _view _scalar _numeric _crew _device _interpret _sync _stream".split()}
_shadows = weakref.WeakKeyDictionary()


def shadow(cls):
    """A subclass of a class of the user's whose methods are device functions; cls itself of others.

    Its bases are shadows too, so that super() finds those.
    """
    got = _shadows.get(cls)
    if got is None:
        got = _shadows[cls] = _make_shadow(cls)
        if got is not cls:
            _shadows[got] = got
    return got


def _method(v):
    """An attribute of a class, with device functions for the user's functions."""
    if isinstance(v, types.FunctionType):
        return device(v) if _is_users(v) else v
    if isinstance(v, (staticmethod, classmethod)):
        inner = _method(v.__func__)
        return v if inner is v.__func__ else type(v)(inner)
    if isinstance(v, property):
        parts = [f and _method(f) for f in (v.fget, v.fset, v.fdel)]
        return v if parts == [v.fget, v.fset, v.fdel] else property(*parts, doc=v.__doc__)
    return v


def _make_shadow(cls):
    if type(cls).__module__ not in ("builtins", "abc") or issubclass(cls, BaseException):
        return cls
    space = {k: _method(v) for k, v in vars(cls).items()}
    bases = [shadow(b) for b in cls.__bases__]
    changed = {k: v for k, v in space.items() if v is not vars(cls)[k]}
    others = tuple(s for s, b in zip(bases, cls.__bases__) if s is not b)
    if not changed and not others:
        return cls
    changed.update(__slots__=(), __module__=cls.__module__, __qualname__=cls.__qualname__, __doc__=cls.__doc__)
    try:
        return type(cls)(cls.__name__, (cls, *others), changed)
    except TypeError:  # a class that is not to be inherited from
        return cls


def _of_type(f):
    got = _BUILTINS.get(f)
    if got is not None:
        return got
    if f.__module__ == "numpy":
        try:
            return caster(to_dtype(f))
        except TypeError:
            return f
    return shadow(f)


def _of_library(f):
    """exp and the like of math and NumPy."""
    name = getattr(f, "__name__", "")
    module = getattr(f, "__module__", None) or ("numpy" if hasattr(f, "nin") else "")
    if name in _MATH and (module == "math" or module.split(".")[0] == "numpy"):
        whole = module == "math" and name in ("floor", "ceil", "trunc")  # integers, as Python's are
        return OPS[name + "_int" if whole else _MATH[name]]
    return f


def call(f):
    """What f(...) in the body calls."""
    kind = type(f)
    if kind is types.FunctionType:
        g = _function(f)
        return _of_library(f) if g is f else g
    if kind is types.MethodType:
        own = shadow(f.__self__) if isinstance(f.__self__, type) else f.__self__
        g = f.__func__
        if isinstance(g, types.FunctionType) and not _rewrite.is_ours(g) and _is_users(g) and \
                not g.__code__.co_filename.startswith(_HERE):
            return types.MethodType(device(g), own)
        return f
    if kind is DType:
        return caster(f)
    if isinstance(f, type):
        return _of_type(f)
    if kind is Kernel or hasattr(kind, "__pyasc_kernel__"):
        return device(f.fn)
    if kind is functools.partial:
        return functools.partial(call(f.func), *f.args, **f.keywords)
    if kind is types.BuiltinFunctionType and f in _BUILTINS:
        return _BUILTINS[f]
    g = _of_library(f)
    if g is f and isinstance(getattr(kind, "__call__", None), types.FunctionType):
        return call(types.MethodType(kind.__call__, f))
    return g


OPS["call"] = call


def name(x, text="the tensor"):
    """What a name from outside stands for: numbers are weak Scalars, arrays are Views, functions device functions."""
    kind = type(x)
    if kind in _WEAK:
        return Scalar(_WEAK[kind], x)
    if kind is types.FunctionType:
        return _function(x) if not x.__dict__ else x
    if kind in (Scalar, View, types.ModuleType, type, str, tuple, DType, Kernel, types.MethodType):
        return x
    if kind is Tensor or is_array(x):
        return view_of(x, text)
    if kind.__module__ == "numpy" and operand(x):
        return name(operand(x)[1])
    return x


def is_array(x):
    """Has x memory that a kernel can use?"""
    kind = type(x)
    if hasattr(kind, "__pyasc_mutex__") or kind is View or kind.__module__ == "builtins" and kind is not memoryview:
        return False
    return (hasattr(kind, "__dlpack__") or hasattr(kind, "__array_interface__") or kind is memoryview
            or kind.__module__ == "array") and not (kind.__module__ == "numpy" and operand(x))


def view_of(x, text):
    """A View of an array; of one without dimensions its number, weak."""
    t = x if type(x) is Tensor else _core.share(x)
    if t is None:
        return x
    return View(t, text) if t.ndim else name(t.item())


def _let(x):
    got = let(x)
    return got if got is not x or type(x) in (Scalar, View) or not is_array(x) else view_of(x, "the tensor")


def _each(x):
    return map(_let, x)


_INPLACE = {"Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv,
            "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "Pow": operator.ipow, "BitAnd": operator.iand,
            "BitOr": operator.ior, "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
            "MatMult": operator.imatmul}


def _iop(op, a, b):
    return _INPLACE[op](a, b)


class _Checked:
    """Integer division by zero inside raises."""

    def __enter__(self):
        now.tries += 1

    def __exit__(self, *unused):
        now.tries -= 1


def _plain(x):
    return x.value if type(x) is Scalar else x


def _weak(x):
    return Scalar(WINT, x) if type(x) is int else Scalar(WFLT, x) if type(x) is float else x


VALUES = dict(zip(_rewrite.HELPERS, (_let, call, name, _each, _iop, _Checked(), _plain, _weak)))


# What a kernel uses, read off its text and that of what it calls.

def _lookup(fn, root):
    if root in fn.__code__.co_freevars:
        try:
            return fn.__closure__[fn.__code__.co_freevars.index(root)].cell_contents
        except ValueError:
            return None
    return fn.__globals__.get(root, getattr(builtins, root, None))


def found(fn, chain, known):
    """What a dotted name in fn stands for; a method, where its owner is an object. None where nobody knows."""
    x = known[chain[0]] if chain[0] in known else _lookup(fn, chain[0])
    for attr in chain[1:]:
        owner = x if isinstance(x, (types.ModuleType, type)) else type(x)
        x = getattr(owner, attr, None)
    return x


def uses(fn, known=None, seen=None):
    """The intrinsics that fn uses, itself or in what it names. known: objects that are its arguments, by name."""
    seen = set() if seen is None else seen
    if id(fn.__code__) in seen or not _is_users(fn):
        return set()
    seen.add(id(fn.__code__))
    try:
        chains = _rewrite.made_of(fn).uses
    except OSError:
        return set()
    ops = set()
    for chain in chains:
        for n in range(1, len(chain) + 1):
            ops |= _uses_of(found(fn, chain[:n], known or {}), seen)
    return ops


def _uses_of(x, seen):
    if isinstance(x, types.FunctionType):
        op = x.__dict__.get("__pyasc_op__")
        if op:
            return {op}
        inner = x.__dict__.get("__pyasc_fn__", x)
        return uses(inner, None, seen) if not inner.__code__.co_filename.startswith(_HERE) else set()
    if type(x) is Kernel or hasattr(type(x), "__pyasc_kernel__"):
        return uses(x.fn, None, seen)
    if isinstance(x, types.MethodType):
        return _uses_of(x.__func__, seen)
    if isinstance(x, (staticmethod, classmethod)):
        return _uses_of(x.__func__, seen)
    if isinstance(x, property):
        return set().union(*(_uses_of(f, seen) for f in (x.fget, x.fset) if f))
    if isinstance(x, type) and x.__module__ not in ("builtins", "numpy") and x not in seen:
        seen.add(x)
        return set().union(*(_uses_of(v, seen) for c in x.__mro__[:-1] for v in vars(c).values()))
    if hasattr(type(x), "__call__") and type(x).__module__ not in ("builtins", "numpy", "functools"):
        return _uses_of(type(x), seen)
    return set()
