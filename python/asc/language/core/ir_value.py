"""Values of kernels."""
from .._stub import GlobalAddress


class PlainValue:
    """A run-time number of a kernel. Python's operators work on it, and `cast`, `ceildiv`, `logical_and`, `logical_or`."""


RuntimeInt = RuntimeFloat = RuntimeBool = RuntimeNumeric = PlainValue
__all__ = ["GlobalAddress", "PlainValue", "RuntimeInt", "RuntimeFloat", "RuntimeBool", "RuntimeNumeric"]
