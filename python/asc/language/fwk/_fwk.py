"""Printed by tools/asc_face.py from src/base/asc/fwk.def."""
from typing import Any, overload

from .._stub import kernel_only
from ..core import *


class TPipe:
    """The owner of a core's local memories, which gives buffers to queues."""
    __pyasc_asc__ = True

    def __init__(self) -> None:
        """The owner of a core's local memories."""
        kernel_only('__init__')

    @overload
    def init_buffer(self, que: "TQueBind", num: int, len: int) -> None: ...

    @overload
    def init_buffer(self, buf: "TBuf", num: int) -> None: ...

    def init_buffer(self, *args, **kwargs) -> None:
        """Memory for a queue: num buffers of len bytes; or for a TBuf: num bytes.

        init_buffer(self, que: TQueBind, num: int, len: int)
        init_buffer(self, buf: TBuf, num: int)
        """
        kernel_only('init_buffer')


class TQueBind:
    """A queue of local tensors between two positions."""
    __pyasc_asc__ = True

    def __init__(self, src: int = None, dst: int = None, depth: int = None, mask: int = None) -> None:
        """A queue between two positions."""
        kernel_only('__init__')

    @overload
    def alloc_tensor(self, dtype: "DataType") -> "LocalTensor": ...

    @overload
    def alloc_tensor(self, tensor: "LocalTensor") -> "LocalTensor": ...

    def alloc_tensor(self, *args, **kwargs) -> "LocalTensor":
        """A free buffer of the queue.

        alloc_tensor(self, dtype: DataType)
        alloc_tensor(self, tensor: LocalTensor)
        """
        kernel_only('alloc_tensor')

    def enque(self, tensor: "LocalTensor", src_user_pos: int = None, dst_user_pos: int = None) -> None:
        """Put a tensor into the queue."""
        kernel_only('enque')

    @overload
    def deque(self, dtype: "DataType", src_user_pos: int = None, dst_user_pos: int = None) -> "LocalTensor": ...

    @overload
    def deque(self, tensor: "LocalTensor", src_user_pos: int = None, dst_user_pos: int = None) -> "LocalTensor": ...

    def deque(self, *args, **kwargs) -> "LocalTensor":
        """Take the oldest tensor out of the queue.

        deque(self, dtype: DataType, src_user_pos: int = None, dst_user_pos: int = None)
        deque(self, tensor: LocalTensor, src_user_pos: int = None, dst_user_pos: int = None)
        """
        kernel_only('deque')

    def free_tensor(self, tensor: "LocalTensor") -> None:
        """The tensor's buffer is free again."""
        kernel_only('free_tensor')


class TQue(TQueBind):
    """A queue of local tensors at a position."""
    __pyasc_asc__ = True

    def __init__(self, pos: int = None, depth: int = None) -> None:
        """A queue of local tensors at a position."""
        kernel_only('__init__')


class TBuf(TQueBind):
    """A buffer of local memory, without a queue."""
    __pyasc_asc__ = True

    def __init__(self, pos: int) -> None:
        """A buffer at a position, without a queue."""
        kernel_only('__init__')

__all__ = [
    "TPipe", "TQueBind", "TQue", "TBuf",
]
