"""The decorator, and launches."""
import inspect
import os
from dataclasses import dataclass, fields

import pyasc
from pyasc._core import Kernel

from ..codegen.errors import CodegenError
from ..language.core.constexpr import ConstExpr, is_constexpr
from ..language.core.struct import Struct
from .compiler import CompileOptions
from .launcher import Launcher, LaunchOptions


@dataclass(frozen=True)
class CodegenOptions:
    """capture_exceptions: errors of the compiler are CodegenError, with the place in the kernel."""
    capture_exceptions: bool = True
    ir_multithreading: bool = True


OPTIONS = (CodegenOptions, CompileOptions, LaunchOptions)


class MockTensor:
    """Stands for an array of that dtype where a kernel is only compiled."""

    def __init__(self, dtype):
        self.dtype = dtype


class MockValue(MockTensor):
    """Stands for a scalar of that dtype where a kernel is only compiled."""


class CompiledKernel:
    """A kernel with its machine code for arguments of one kind: call it with the number of cores and the arguments."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, core_num, args):
        self.kernel[core_num, 1](*args)


class JITFunction:
    """A kernel: `kernel[core_num](*args)` or `kernel[core_num, stream](*args)` runs it on the cores of the model and waits.

    Called in another kernel it is part of that one; called without brackets it is the Python function.
    """

    def __init__(self, fn, **options):
        self.fn = self.__pyasc_fn__ = self.__wrapped__ = fn
        self.options = options
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(self, name, getattr(fn, name))
        names = self.get_config_keywords()
        unknown = [name for name in options if name not in names]
        if unknown:
            raise RuntimeError(f"The following option names are unknown: {', '.join(unknown)}")
        clash = [name for name in inspect.signature(fn).parameters if name in names]
        if clash:
            raise RuntimeError(f"parameters of {fn.__name__}() have the names of options: {', '.join(clash)}; rename them")
        bits, parameters = 0, fn.__code__.co_varnames[:fn.__code__.co_argcount]
        for i, name in enumerate(parameters):
            if is_constexpr(fn.__annotations__.get(name), fn.__globals__):
                bits |= 1 << i
        self.kernel = Kernel(fn, dict(asc=1, constants=bits))
        self.cube_kernel = Kernel(fn, dict(asc=2, constants=bits))

    @staticmethod
    def get_config_keywords():
        return [f.name for cls in OPTIONS for f in fields(cls)]

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)

    def __getitem__(self, launch):
        launch = launch if isinstance(launch, tuple) else (launch, )
        if len(launch) > 2:
            raise RuntimeError("write kernel[core_num](...) or kernel[core_num, stream](...)")
        options = dict(zip(("core_num", "stream"), launch))
        return lambda *args, **kwargs: self._run(options, args, kwargs)

    def _run(self, launch, args, kwargs):
        options = {**self.options, **launch}
        names = self.get_config_keywords()
        options.update((k, kwargs.pop(k)) for k in list(kwargs) if k in names)
        codegen, compiling, launching = (cls(**{f.name: options[f.name] for f in fields(cls) if f.name in options})
                                         for cls in OPTIONS)
        if launching.core_num <= 0:
            raise ValueError(f"core_num is {launching.core_num}; write kernel[core_num](...) with at least 1")
        bound = inspect.signature(self.fn).bind(*args, **kwargs)
        bound.apply_defaults()
        flat, copies = [], []
        for name, value in bound.arguments.items():
            given = is_constexpr(self.fn.__annotations__.get(name), self.fn.__globals__)
            flat.append(value if given else _argument(value, copies))
        machine = self.cube_kernel if compiling.for_cube else self.kernel
        self._run_codegen(flat, codegen, machine)
        kernel = self._run_compiler(flat, compiling)
        if not os.environ.get("DRY_RUN"):
            self._run_launcher(kernel, launching, flat)
            for array, copy in copies:
                array[...] = copy.reshape(array.shape)

    def _run_codegen(self, args, options, kernel=None):
        """Compile for these arguments, if that was not done yet."""
        try:
            (kernel or self.kernel).warmup(*args)
        except pyasc.CompileError as e:
            if not options.capture_exceptions:
                raise
            raise CodegenError(*e.args) from None

    def _run_compiler(self, args, options):
        return CompiledKernel(self.cube_kernel if options.for_cube else self.kernel)

    def _run_launcher(self, kernel, options, args):
        Launcher(options).run(kernel, self.__name__, args)

    def __getattr__(self, name):
        if name in ("ir", "explain", "llvm_ir", "asm"):
            view = getattr(self.kernel, name)

            def text(*args, **kwargs):
                return view(*(_argument(a, []) for a in args), **kwargs)
            return text
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")


def _argument(x, copies):
    """What the compiled kernel takes for x: arrays as one row of elements."""
    if isinstance(x, (bool, int, float, Struct)) or x is None:
        return x
    if isinstance(x, MockTensor):
        import numpy as np
        value = np.zeros(1, x.dtype.name)
        return value[0].item() if isinstance(x, MockValue) else value
    kind = type(x).__module__.split(".")[0]
    if hasattr(x, "__array_interface__") and hasattr(x, "ndim") and kind == "numpy":
        import numpy as np
        if isinstance(x, np.generic):
            return x.item()
        flat = np.ascontiguousarray(x).reshape(-1)
        if flat.size and not np.shares_memory(flat, x):
            copies.append((x, flat))
        return flat
    if kind == "torch":
        flat = x.detach().contiguous().view(-1)
        if flat.numel() and flat.data_ptr() != x.data_ptr():
            copies.append((x.detach(), flat))
        return flat
    raise TypeError(f"Argument type in JIT function is not supported: {type(x).__name__}")


def jit(fn=None, **options):
    """Make a kernel of a function: `@asc.jit`, or `@asc.jit(option=...)` with the options of CodegenOptions,
    CompileOptions and LaunchOptions. All but the launch's may also be given at the call.

    Raises RuntimeError for options that do not exist, and for parameters of the names of options.
    """
    if fn is not None:
        return JITFunction(fn, **options)
    return lambda f: JITFunction(f, **options)
