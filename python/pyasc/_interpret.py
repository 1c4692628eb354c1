"""interpret=True: kernels whose body runs under CPython, so that pdb, print and coverage work in it.

The body's text is rewritten (_rewrite) so that its numbers are those of the compiled kernel (_scalar, _view) and names of
the kernel language mean something (_intrinsics, _device). Work-items run one after another, block by block, on the
calling thread; those that meet at barriers take turns on threads of their own (_crew).
"""
import inspect
import os
import sys
import threading
import types

from . import _device, _errors, _extent, _rewrite
from ._core import Kernel
from ._crew import Crew, Stopped
from ._intrinsics import Item, Launch
from ._numeric import now
from ._stream import launch_on

_IDS = {"get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size", "get_num_groups", "get_row",
        "get_col", "shared", "syncthreads", "barrier"}
_BLOCKS = _IDS - {"get_global_id", "get_global_size", "get_row", "get_col"}
_BARRIERS = {"syncthreads", "barrier"}
_BUFFERS = {"load_global", "store_global", "load_vector", "store_vector", "get_dim"}


def _sizes(key):
    sizes = tuple(k.__index__() for k in key) if isinstance(key, tuple) else (key.__index__(),)
    if not 1 <= len(sizes) <= 3:
        raise ValueError("a launch has 1 to 3 dimensions; write k.over(n) or k.over(rows, cols)")
    if min(sizes) < 0:
        raise ValueError("a size of the launch is negative; write sizes from 0 on")
    return sizes


def _three(sizes):
    return sizes + (1,) * (3 - len(sizes))


class Interpreted:
    """A kernel that runs as Python. The launch forms, errors and results are those of a compiled one.

    Exceptions of the body come out of the launch as they are, with the work-item's ids in a note and in the attribute
    work_item: ((ids), (block)). Subscripts are always checked: IndexError.
    """

    __pyasc_kernel__ = True

    def __init__(self, fn, options):
        self.fn = self.__wrapped__ = self.__pyasc_fn__ = fn
        self.options = {k: v for k, v in options.items() if k not in ("check", "interpret")}
        self.check = bool(options.get("check")) or os.environ.get("PYASC_CHECK", "") not in ("", "0")
        self._compiled = None

    @property
    def compiled(self):
        """The same kernel, compiled."""
        if self._compiled is None:
            self._compiled = Kernel(self.fn, self.options)
        return self._compiled

    def __repr__(self):
        return f"<interpreted kernel {self.fn.__name__}>"

    def __get__(self, owner, kind=None):
        return self if owner is None else Bound(self, owner)

    def __call__(self, *args, **kwargs):
        self.launch(None, None, args, kwargs)

    def __getitem__(self, key):
        """kernel[blocks, threads]"""
        if not isinstance(key, tuple) or len(key) != 2:
            raise TypeError("a launch in brackets has two parts; write kernel[blocks, threads](...)")
        blocks, threads = map(_sizes, key)
        if min(threads) < 1:
            raise ValueError("a block has no work-items; write kernel[blocks, threads] with threads of at least 1")
        blocks, threads = _three(blocks), _three(threads)
        size = tuple(b * t for b, t in zip(blocks, threads))
        if max(size) >= 1 << 63:
            raise OverflowError("the launch has too many work-items; write at most 2**63 - 1")
        return self._launcher(size, threads)

    def over(self, *sizes):
        """k.over(n)(...) or k.over(rows, cols)(...): run exactly that many work-items."""
        return self._launcher(_three(_sizes(sizes)[::-1]), None)

    def _launcher(self, size, block):
        def launch(*args, **kwargs):
            self.launch(size, block, args, kwargs)
        return launch

    def ir(self, *args, **kwargs):
        """The compiled kernel's IR after a pass, for these arguments."""
        return self.compiled.ir(*args, **kwargs)

    def explain(self, *args, **kwargs):
        """What the compiler sees in each loop of the compiled kernel, or why not."""
        return self.compiled.explain(*args, **kwargs)

    def llvm_ir(self, *args, **kwargs):
        """The compiled kernel's optimised LLVM IR, for these arguments."""
        return self.compiled.llvm_ir(*args, **kwargs)

    def asm(self, *args, **kwargs):
        """The compiled kernel's machine code, as assembly, for these arguments."""
        return self.compiled.asm(*args, **kwargs)

    def warmup(self, *args, **kwargs):
        """Compile for these arguments without running."""
        self.compiled.warmup(*args, **kwargs)

    def cache_info(self):
        """The specialisations of the compiled kernel."""
        return self.compiled.cache_info()

    # Launching.

    def launch(self, size, block, args, kwargs):
        """size: work-items, dim 0 first, or None: inferred; block: its shape or None."""
        stream = None
        if "stream" in kwargs and "stream" not in self._params():
            kwargs = dict(kwargs)
            stream = kwargs.pop("stream")
        values, extra = self._bind(args, kwargs)
        body, launch, barriers = self._prepare(size, block, values, extra, args, kwargs)
        if launch is None:
            return
        if stream is None:
            _go(body, launch, values, barriers)
        else:
            trace = None if getattr(threading, "_trace_hook", None) else sys.gettrace()
            launch_on(stream, _go, (body, launch, values, barriers, trace), {})

    def _params(self):
        code = self.fn.__code__
        return code.co_varnames[:code.co_argcount]

    def _bind(self, args, kwargs):
        """The parameters' values as the body sees them, and those of default buffers."""
        name, params, defaults = self.fn.__name__, self._params(), self.fn.__defaults__ or ()
        values = dict(zip(params, args))
        for k, v in kwargs.items():
            if k not in params or k in values:
                raise TypeError(f"{name}() has no parameter '{k}'; its parameters are: {', '.join(params)}" if k not in params
                                else f"{name}() got two values for '{k}'; pass it by position or by name")
            values[k] = v
        values = {**dict(zip(params[len(params) - len(defaults):], defaults)), **values}
        for p in params:
            if p not in values:
                raise TypeError(f"{name}() is missing the argument '{p}'; pass it, or give the parameter a default")
        extra = [_argument(v, "buffer") for v in args[len(params):]]
        if any(type(v) is not _device.View for v in extra):
            self._too_many(args)
        return [_argument(values[p], p) for p in params], extra

    def _too_many(self, args):
        n = len(self._params())
        raise TypeError(f"{self.fn.__name__}() takes {n} argument{'' if n == 1 else 's'} but {len(args)} were given; what is "
                        "beyond them must be tensors, the default buffers")

    def _prepare(self, size, block, values, extra, args, kwargs):
        """(body, the Launch or None where there is nothing to do, are there barriers?)"""
        fn = _device.body_for(self.fn, values)
        try:
            body = _rewrite.remake(fn, _device.VALUES)
        except OSError:
            raise _errors.make(f"the source of '{fn.__name__}' is not available",
                               "define it in a file or a notebook cell, where its text can be read",
                               None, 0, 0, 0, 0) from None
        ops = _device.uses(fn, dict(zip(self._params(), values)))
        own = any(type(v) is _device.View for v in values)
        if fn.__code__.co_flags & inspect.CO_VARARGS:
            values.extend(extra)
        elif extra and not ops & (_BUFFERS - {"get_dim"} if own else _BUFFERS):
            self._too_many(args)
        views = [v for v in (*values, *extra) if type(v) is _device.View]
        if ops & _IDS and size is None:
            size = self._domain(values, args, kwargs)
        if not ops & _IDS or size is None:
            return body, Launch(None, None, 0, views, extra, body.__code__, self.check), False
        if min(size) <= 0:
            return body, None, False
        if block is None:
            block = (256, 1, 1) if size[1] == size[2] == 1 else (16, 16, 1)
        if ops & _BLOCKS and block[0] * block[1] * block[2] > 1024:
            raise ValueError("a block has at most 1024 work-items in a kernel with barriers; write more blocks of fewer threads")
        ndim = 3 if size[2] > 1 or block[2] > 1 else 2 if size[1] > 1 or block[1] > 1 else 1
        return body, Launch(size, block, ndim, views, extra, body.__code__, self.check), bool(ops & _BARRIERS)

    def _domain(self, values, args, kwargs):
        """As the compiled kernel has it; read off the text of what cannot be compiled, as with breakpoint() in it."""
        plain = (_device.View, _device.Scalar, type(None))
        if all(type(v) in plain for v in values):
            try:
                return self.compiled._domain(*args, **kwargs)
            except _errors.CompileError:
                pass
        return _extent.read(self.fn, dict(zip(self._params(), values)), _device.found)


class Bound:
    """A kernel that is a method, of an object: the launch forms, with the object as first argument."""

    __pyasc_kernel__ = True

    def __init__(self, kernel, owner):
        self.kernel, self.owner = kernel, owner
        self.fn = types.MethodType(kernel.fn, owner)

    def __call__(self, *args, **kwargs):
        self.kernel(self.owner, *args, **kwargs)

    def _with_owner(self, launch):
        return lambda *args, **kwargs: launch(self.owner, *args, **kwargs)

    def __getitem__(self, key):
        return self._with_owner(self.kernel[key])

    def over(self, *sizes):
        """k.over(n)(...) or k.over(rows, cols)(...): run exactly that many work-items."""
        return self._with_owner(self.kernel.over(*sizes))


def _go(body, launch, values, barriers, trace=None):
    """The launch itself; with a trace function where it is on another thread."""
    outer = {k: getattr(now, k) for k in ("item", "tries", "parallel", "locks", "check")}
    now.tries = now.parallel = now.locks = 0
    now.check = launch.check
    try:
        if trace is not None:
            sys.settrace(trace)
        if launch.size is None:
            now.item = Item(launch)
            body(*values)
        else:
            _run(launch, body, values, barriers)
    finally:
        if trace is not None:
            sys.settrace(None)
        vars(now).update(outer)


def _argument(x, name):
    """An argument as the body sees it. TypeError of what no kernel takes."""
    if hasattr(type(x), "__pyasc_mutex__"):
        raise TypeError(f"parameter '{name}' is a mutex; use one of the module by its name, or make one in the kernel")
    if isinstance(x, (list, str, bytes, dict, set)):
        tip = ("pass pyasc.tensor(...) or a NumPy array" if isinstance(x, list) else
               "pass numbers, arrays, or objects of a class of yours")
        raise TypeError(f"parameter '{name}' is of type {type(x).__name__}, which a kernel cannot take; {tip}")
    if type(x) is int and not -1 << 63 <= x < 1 << 63:
        raise OverflowError(f"parameter '{name}' does not fit in 64 bits; pass a float, or an int from -2**63 to 2**63 - 1")
    return _device.name(x, name)


# Work-items.

def _boxes(counts):
    """The places of a box, dim 0 fastest."""
    return ((x, y, z) for z in range(counts[2]) for y in range(counts[1]) for x in range(counts[0]))


def _run(launch, body, values, barriers):
    def one(item):
        now.item = item
        try:
            body(*values)
        except Exception as error:
            _note(error, item)
            raise

    for group in _boxes(launch.groups):
        first = tuple(g * b for g, b in zip(group, launch.block))
        inside = tuple(min(b, n - f) for b, n, f in zip(launch.block, launch.size, first))
        memory, crew = {}, Crew() if barriers else None
        items = (Item(launch, group, local, memory, crew, k) for k, local in enumerate(_boxes(inside)))
        if crew is None:
            for item in items:
                one(item)
        else:
            crew.run(one, items)


def _note(error, item):
    """Say which work-item raised, once."""
    if hasattr(error, "work_item") or isinstance(error, Stopped):
        return
    n = item.launch.ndim
    ids = item.id[:n], item.group[:n]
    text = f"[work-item {ids[0]} of block {ids[1]}]"
    try:
        error.work_item = ids
        if hasattr(error, "add_note"):
            error.add_note(text)
        else:  # before Python 3.11 nothing shows notes
            error.__notes__ = [*getattr(error, "__notes__", ()), text]
    except AttributeError:  # an exception without a __dict__
        pass
