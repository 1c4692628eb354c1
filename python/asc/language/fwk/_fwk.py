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

    def init(self) -> None:
        """Begin anew: all local memory is free."""
        kernel_only('init')

    def reset(self) -> None:
        """All local memory is free."""
        kernel_only('reset')

    def destroy(self) -> None:
        """All local memory is free."""
        kernel_only('destroy')

    @overload
    def init_buffer(self, que: "TQueBind", num: int, len: int) -> None: ...

    @overload
    def init_buffer(self, buf: "TBuf", num: int) -> None: ...

    @overload
    def init_buffer(self, buf: "TBuf", len: int) -> None: ...

    def init_buffer(self, *args, **kwargs) -> None:
        """Memory for a queue: num buffers of len bytes; or for a TBuf: num bytes.

        init_buffer(self, que: TQueBind, num: int, len: int)
        init_buffer(self, buf: TBuf, num: int)
        init_buffer(self, buf: TBuf, len: int)
        """
        kernel_only('init_buffer')

    def init_buf_pool(self, buf_pool: "TBufPool", len: int = None, share_buf: "TBufPool" = None) -> None:
        """Memory for a pool: len bytes, or those of another pool."""
        kernel_only('init_buf_pool')

    def alloc_event_id(self, event: int = None) -> int:
        """A number for set_flag and wait_flag that is in no use, taken."""
        kernel_only('alloc_event_id')

    def fetch_event_id(self, event: int = None) -> int:
        """A number for set_flag and wait_flag that is in no use."""
        kernel_only('fetch_event_id')

    def release_event_id(self, id: int, event: int = None) -> None:
        """The number is in no use any more."""
        kernel_only('release_event_id')

    def get_base_addr(self, logic_pos: int = None) -> int:
        """The first byte of a position's memory: 0."""
        kernel_only('get_base_addr')


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

    def free_all_event(self) -> None:
        """Give back the queue's event numbers."""
        kernel_only('free_all_event')

    def get_tensor_count_in_que(self) -> int:
        """Tensors in the queue."""
        kernel_only('get_tensor_count_in_que')

    def has_tensor_in_que(self) -> int:
        """Is a tensor in the queue?"""
        kernel_only('has_tensor_in_que')

    def vacant_in_que(self) -> int:
        """Is there room in the queue?"""
        kernel_only('vacant_in_que')

    def has_idle_buffer(self) -> int:
        """Is a buffer free?"""
        kernel_only('has_idle_buffer')

    def init_buf_handle(self, buf_pool: "TBufPool", index: int, buf_handle: Any, cur_pool_addr: Any, len: int) -> None:
        """Give the queue a buffer of a pool."""
        kernel_only('init_buf_handle')

    def init_start_buf_handle(self, start_buf_handle: Any, num: int, len: int) -> None:
        """Give the queue buffers of a pool."""
        kernel_only('init_start_buf_handle')


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

    def get(self, dtype: "DataType", len: int = None, shape: Any = None) -> "LocalTensor":
        """The buffer as a tensor of len elements; all of it, if no len is given."""
        kernel_only('get')

    def get_with_offset(self, size: int, buf_offset: int, dtype: "DataType") -> "LocalTensor":
        """A tensor of size elements from byte buf_offset of the buffer."""
        kernel_only('get_with_offset')


class TBufPool:
    """A part of a core's memory, whose buffers may lie over those of another part."""
    __pyasc_asc__ = True

    def __init__(self, pos: int, buf_id_size: int = None) -> None:
        """A part of a position's memory, with buffers of its own."""
        kernel_only('__init__')

    def init_buf_pool(self, buf_pool: "TBufPool", len: int = None, share_buf: "TBufPool" = None) -> None:
        """A pool within this one: len bytes, or those of another pool."""
        kernel_only('init_buf_pool')

    @overload
    def init_buffer(self, que: "TQueBind", num: int, len: int) -> None: ...

    @overload
    def init_buffer(self, buf: "TBuf", len: int) -> None: ...

    @overload
    def init_buffer(self, buf: "TBuf", num: int) -> None: ...

    def init_buffer(self, *args, **kwargs) -> None:
        """Memory of the pool for a queue: num buffers of len bytes; or for a TBuf: len bytes.

        init_buffer(self, que: TQueBind, num: int, len: int)
        init_buffer(self, buf: TBuf, len: int)
        init_buffer(self, buf: TBuf, num: int)
        """
        kernel_only('init_buffer')

    def reset(self) -> None:
        """All memory of the pool is free."""
        kernel_only('reset')


def get_tpipe_ptr() -> None:
    """The kernel's TPipe."""
    kernel_only('get_tpipe_ptr')


for _f, _name in (
        (get_tpipe_ptr, "asc.get_tpipe_ptr"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "TPipe", "TQueBind", "TQue", "TBuf", "TBufPool", "get_tpipe_ptr",
]
