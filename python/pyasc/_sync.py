"""Mutexes."""
from _thread import allocate_lock

from ._dtype import int32
from ._tensor import zeros

__all__ = ["mutex"]


class Mutex:
    """A lock. In a kernel `with lock:` lets one work-item in at a time; outside it is a lock for threads."""

    __pyasc_mutex__ = "mutex"

    def __init__(self):
        self._word = zeros(1, dtype=int32)
        self._lock = allocate_lock()

    def acquire(self):
        return self._lock.acquire()

    def release(self):
        self._lock.release()

    def __enter__(self):
        self._lock.acquire()
        return self

    def __exit__(self, *unused):
        self._lock.release()

    def __dlpack__(self, **kwargs):
        return self._word.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return 1, 0


def mutex():
    """A mutex: `lock = mutex()`, then `with lock:` or lock.acquire() and lock.release(), in a kernel or outside."""
    return Mutex()


mutex.__pyasc_op__ = "mutex"
