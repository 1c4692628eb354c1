"""Ascend C kernels in Python, on a model of the AI core: the interface of Huawei's package of this name."""
from .language import adv, basic, core, fwk
from .language.basic import *
from .language.core import *
from .language.fwk import *
from .runtime.compiler import CompileOptions
from .runtime.jit import CodegenOptions, jit
from .runtime.launcher import LaunchOptions

__version__ = "1.1.1"
__all__ = ["CodegenOptions", "CompileOptions", "LaunchOptions", "adv", "basic", "core", "fwk", "jit", *basic.__all__,
           *core.__all__, *fwk.__all__]
