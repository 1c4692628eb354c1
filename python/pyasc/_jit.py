"""The decorator."""
import os
import sys

from ._core import Kernel


def jit(fn=None, *, check=None, interpret=None, fastmath=True, parallel=True, target="cpu", cache=True, opt_level=3,
        **unknown):
    """Make a kernel of a function: `@pyasc.jit`, or `@pyasc.jit(fastmath=False)`.

    A kernel that uses an index function runs once per work-item of its domain; any other runs once.
    interpret=True, or PYASC_INTERPRET=1 for all, runs the body as Python, for pdb, print and coverage.
    check=True finds indices out of bounds, division by zero, overflow of signed integers and races, and raises at the
    launch; check="all" also reads of shared or local memory that nothing was stored to. The default is the environment's
    PYASC_CHECK. fastmath=False keeps recognised accumulations in order; parallel=False uses one thread; cache=False keeps
    the machine code off the disk.

    Raises ValueError for options that do not exist.
    """
    if unknown:
        raise TypeError(f"jit() has no option {next(iter(unknown))!r}; its options are check, interpret, fastmath, "
                        "parallel, target, cache and opt_level")
    if target != "cpu":
        raise ValueError(f"target={target!r} is not available yet; write target='cpu'")
    if check is None:
        check = {"": False, "0": False, "all": "all"}.get(os.environ.get("PYASC_CHECK", ""), True)
    if check not in (False, True, "all"):
        raise ValueError(f"check={check!r}: write True, False or 'all'")
    asked = interpret is not None
    if interpret is None:
        interpret = os.environ.get("PYASC_INTERPRET", "") not in ("", "0")
    options = dict(check=3 if check == "all" else int(check), interpret=interpret, asked=asked, fastmath=fastmath,
                   parallel=parallel, cache=cache, opt_level=opt_level)
    if fn is None:
        return lambda f: _make(f, options)
    return _make(fn, options)


def _make(fn, options):
    if hasattr(type(fn), "__pyasc_kernel__") or isinstance(fn, Kernel):
        raise TypeError(f"{fn.__name__} is a kernel already; decorate the function once")
    if not hasattr(fn, "__code__"):
        raise TypeError(f"a kernel is made of a function, not of {type(fn).__name__}; put @pyasc.jit above a def")
    eager = (fn.__module__ or "").startswith("pyasc._")
    if eager:  # the operations' own kernels are not the user's to check
        options = dict(options, check=0)
    make = Kernel
    if options["interpret"]:
        make = _interpreter(fn, options["asked"]) or Kernel
    k = make(fn, dict(options, constants=_constants(fn), eager=eager))
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(k, name, getattr(fn, name))
    return k


def _constants(fn):
    """A bit for each parameter that is annotated constexpr."""
    names = fn.__code__.co_varnames[:fn.__code__.co_argcount]
    bits = 0
    for name, note in fn.__annotations__.items():
        if name in names and _is_constexpr(note, fn.__globals__):
            bits |= 1 << names.index(name)
    return bits


def _is_constexpr(note, scope):
    """Of an annotation, or of its text: in quotes, by `from __future__ import annotations`, or both."""
    if isinstance(note, str):
        first, *rest = note.strip("'\" ").split(".")
        note = scope.get(first, rest[-1] if rest else first)
        for name in rest:
            note = getattr(note, name, name)
    return note == "constexpr" or getattr(note, "__pyasc_op__", None) == "constexpr"


class Bound:
    """A kernel that is a method, with its object: launched like the kernel, self being given."""

    def __init__(self, kernel, owner):
        self.kernel, self.owner = kernel, owner
        self.__name__, self.__doc__ = kernel.__name__, kernel.__doc__

    def __call__(self, *args, **kwargs):
        return self.kernel(self.owner, *args, **kwargs)

    def __getitem__(self, domain):
        launch = self.kernel[domain]
        return lambda *args, **kwargs: launch(self.owner, *args, **kwargs)

    def over(self, *sizes):
        launch = self.kernel.over(*sizes)
        return lambda *args, **kwargs: launch(self.owner, *args, **kwargs)

    def __getattr__(self, name):
        if name in ("ir", "explain", "llvm_ir", "asm", "warmup", "ascend_c"):
            f = getattr(self.kernel, name)
            return lambda *args, **kwargs: f(self.owner, *args, **kwargs)
        return getattr(self.kernel, name)


def _interpreter(fn, asked):
    """The type of interpreted kernels, or None for pyasc's own kernels where only the environment asks for it."""
    if not asked and str(fn.__globals__.get("__name__")).split(".")[0] == "pyasc":
        return None
    from ._interpret import Interpreted  # not for those who only compile
    return Interpreted


kernel = jit


def overload(fn):
    """Add a body to the kernel or function of the same name defined before: for arguments that its annotations fit and
    those of the bodies before it do not. Returns what the name was bound to. All bodies take the same parameters.

    Raises TypeError where there is nothing of that name, or its parameters are others.
    """
    frame = sys._getframe(1)
    known = frame.f_locals.get(fn.__name__, frame.f_globals.get(fn.__name__))
    first = getattr(known, "fn", known)
    if not hasattr(first, "__code__"):
        raise TypeError(f"overload: there is no function {fn.__name__!r} to add a body to; define it before")
    names = [f.__code__.co_varnames[:f.__code__.co_argcount] for f in (first, fn)]
    if names[0] != names[1]:
        raise TypeError(f"overload: {fn.__name__} takes {', '.join(names[0])} in its first body, and {', '.join(names[1])} here")
    if not hasattr(first, "__pyasc_overloads__"):
        first.__pyasc_overloads__ = []
    first.__pyasc_overloads__.append(fn)
    return known
