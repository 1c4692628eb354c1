"""Loops of kernels."""


class range:
    """`for i in asc.range(...)`: as Python's range in a kernel."""
    __pyasc_op__ = "range"


class static_range:
    """`for i in asc.static_range(...)`: the body once for each number, which is known when the kernel is compiled."""
    __pyasc_op__ = "static_range"
