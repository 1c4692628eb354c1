"""What is wrong with a kernel, found when it is compiled."""
from pyasc import CompileError


class CodegenError(CompileError):
    """Names the file, the line and the column, what stands there and what to write instead."""


class UnsupportedSyntaxError(CodegenError):
    """The kernel uses a part of Python that kernels do not know."""
