"""Typed constants, and text of Ascend C."""
from ._core import inline, number

__all__ = ["inline", "number"]
