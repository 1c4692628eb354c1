"""Printed by tools/asc_face.py from src/base/asc/sync.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


class LocalTensor(BaseTensor):
    """A tensor in a local memory: a dtype, a place and a number of elements. t[i] and t[i:] are views."""
    __pyasc_asc__ = True

    def get_value(self, index: int) -> Any:
        """The element at index, as a scalar."""
        kernel_only('get_value')

    def set_value(self, index: int, value: float) -> None:
        """Set the element at index."""
        kernel_only('set_value')


class GlobalTensor(BaseTensor):
    """A tensor in global memory. t[i] and t[i:] are views."""
    __pyasc_asc__ = True

    def get_value(self, offset: int) -> Any:
        """The element at offset, as a scalar."""
        kernel_only('get_value')

    def set_value(self, offset: int, value: float) -> None:
        """Set the element at offset."""
        kernel_only('set_value')


def set_flag(event: int, event_id: int = None) -> None:
    """The first pipe of the event tells the second that it has come here."""
    kernel_only('set_flag')


def wait_flag(event: int, event_id: int = None) -> None:
    """The second pipe of the event waits for the first's set_flag."""
    kernel_only('wait_flag')


def pipe_barrier(pipe: int) -> None:
    """What follows on the pipe waits for what is before it."""
    kernel_only('pipe_barrier')


for _f, _name in (
        (set_flag, "asc.set_flag"),
        (wait_flag, "asc.wait_flag"),
        (pipe_barrier, "asc.pipe_barrier"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "LocalTensor", "GlobalTensor", "set_flag", "wait_flag", "pipe_barrier",
]
