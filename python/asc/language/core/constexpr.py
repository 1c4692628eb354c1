"""Compile-time values."""
from typing import Generic, TypeVar

T = TypeVar("T")


class ConstExpr(Generic[T]):
    """Annotation of a parameter whose value is known when the kernel is compiled: `n: asc.ConstExpr[int]`."""
    __pyasc_op__ = "constexpr"

    def __init__(self, value):
        self.value = value


def is_constexpr(note, scope):
    """Is the annotation, or what it says as text, ConstExpr or ConstExpr[...]?"""
    if isinstance(note, str):
        head = note.strip("'\" ").split("[")[0].split(".")[-1]
        return head == "ConstExpr"
    return note is ConstExpr or getattr(note, "__origin__", None) is ConstExpr
