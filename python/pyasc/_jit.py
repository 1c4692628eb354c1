"""The decorator."""
import os

from ._core import Kernel


def jit(fn=None, *, check=False, interpret=False, fastmath=True, parallel=True, target="cpu", cache=True, opt_level=3):
    """Make a kernel of a function: `@pyasc.jit`, or `@pyasc.jit(fastmath=False)`.

    A kernel that uses an index function runs once per work-item of its domain; any other runs once.
    interpret=True, or PYASC_INTERPRET=1 for all, runs the body as Python, for pdb, print and coverage;
    fastmath=False keeps recognised accumulations in order; parallel=False uses one thread; cache=False keeps the
    machine code off the disk. check=True needs interpret=True. ValueError for an option that is not available yet.
    """
    for name, given, wanted in (("check", check and not interpret, False), ("target", target, "cpu")):
        if given != wanted:
            raise ValueError(f"{name}={given!r} is not available yet")
    options = dict(check=check, interpret=interpret, fastmath=fastmath, parallel=parallel, cache=cache, opt_level=opt_level)
    if fn is None:
        return lambda f: _make(f, options)
    return _make(fn, options)


def _make(fn, options):
    if hasattr(type(fn), "__pyasc_kernel__") or isinstance(fn, Kernel):
        raise TypeError(f"{fn.__name__} is a kernel already")
    make = Kernel
    if options["interpret"] or os.environ.get("PYASC_INTERPRET", "") not in ("", "0"):
        make = _interpreter(fn, options["interpret"]) or Kernel
    k = make(fn, options)
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(k, name, getattr(fn, name))
    return k


def _interpreter(fn, asked):
    """The type of interpreted kernels, or None for pyasc's own kernels where only the environment asks for it."""
    if not asked and str(fn.__globals__.get("__name__")).split(".")[0] == "pyasc":
        return None
    from ._interpret import Interpreted  # not for those who only compile
    return Interpreted


kernel = jit
