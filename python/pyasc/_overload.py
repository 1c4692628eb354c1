"""Which of a function's bodies an interpreted kernel runs: the compiler's choice, made with values."""
import typing

from ._core import Tensor
from ._dtype import DType, bool_
from ._numeric import WFLT, WINT
from ._scalar import operand

_KINDS = {int: "iub", float: "iuf", bool: "b"}


def body_for(fn, args):
    """Of fn and what @pyasc.overload has added to it, the first whose annotations fit. TypeError where none does."""
    more = getattr(fn, "__pyasc_overloads__", None)
    if not more:
        return fn
    for f in (fn, *more):
        if _takes(f, args):
            return f
    raise TypeError(f"none of {1 + len(more)} bodies of {fn.__name__} takes these arguments; add one with @pyasc.overload")


def _takes(fn, args):
    names = fn.__code__.co_varnames[:fn.__code__.co_argcount]
    if not len(names) - len(fn.__defaults__ or ()) <= len(args) <= len(names):
        return False
    return all(_fits(fn.__annotations__.get(n), a, fn.__globals__) for n, a in zip(names, args))


def _kind(dtype):
    return "i" if dtype is WINT else "f" if dtype is WFLT else dtype.kind


def _fits(note, value, scope):
    if isinstance(note, str):
        try:
            note = eval(note, scope)
        except Exception:  # a comment for other tools
            return True
    if typing.get_origin(note) is Tensor:
        dtype, *rank = typing.get_args(note)
        return getattr(value, "dtype", None) == dtype and hasattr(value, "ndim") and (not rank or value.ndim == rank[0])
    if note is Tensor:
        return hasattr(value, "ndim")
    number = None if hasattr(value, "ndim") else operand(value)
    if isinstance(note, DType):
        kind = number and number[0]
        return kind is not None and (kind in (WINT, bool_, note) or (kind is WFLT and note.kind == "f"))
    if note in _KINDS:
        return number is not None and _kind(number[0]) in _KINDS[note]
    if isinstance(note, type) and note is not object and not hasattr(note, "__pyasc_op__"):
        return isinstance(value, note)
    return True
