"""The decorator."""
from ._core import Kernel


def jit(fn=None, *, check=False, interpret=False, fastmath=True, parallel=True, target="cpu", cache=True, opt_level=3):
    """Make a kernel of a function: `@pyasc.jit`, or `@pyasc.jit(fastmath=False)`.

    A kernel that uses an index function runs once per work-item of its domain; any other runs once.
    fastmath=False keeps recognised accumulations in order; parallel=False uses one thread; cache=False keeps the
    machine code off the disk.
    """
    for name, given, wanted in (("check", check, False), ("interpret", interpret, False), ("target", target, "cpu")):
        if given != wanted:
            raise ValueError(f"{name}={given!r} is not available yet")
    options = dict(fastmath=fastmath, parallel=parallel, cache=cache, opt_level=opt_level)
    if fn is None:
        return lambda f: _make(f, options)
    return _make(fn, options)


def _make(fn, options):
    if isinstance(fn, Kernel):
        raise TypeError(f"{fn.__name__} is a kernel already")
    k = Kernel(fn, options)
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(k, name, getattr(fn, name))
    return k


kernel = jit
