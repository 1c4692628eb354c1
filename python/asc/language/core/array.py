"""Arrays of the core's scalar memory."""
from ._core import array

__all__ = ["array"]
