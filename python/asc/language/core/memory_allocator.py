"""Local memory by hand."""
from ._core import LocalMemAllocator

__all__ = ["LocalMemAllocator"]
