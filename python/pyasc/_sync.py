"""Mutexes."""
import time

from ._dtype import int32
from ._jit import jit
from ._lang import atomic_cas, atomic_exchange
from ._tensor import empty, zeros

__all__ = ["mutex"]


@jit
def _take(word, before):
    before[0] = atomic_cas(word, 0, 0, 1)


@jit
def _give(word):
    atomic_exchange(word, 0, 0)


class Mutex:
    """A lock. In a kernel `with lock:` lets one work-item in at a time; outside kernels one thread of Python.

    It is one lock for both: while Python holds it, kernels wait, and the other way round. A kernel takes a mutex of the
    module by its name, not as an argument.
    """

    __pyasc_mutex__ = "mutex"

    def __init__(self):
        self._word = zeros(1, dtype=int32)  # 0: free

    def acquire(self):
        """Wait until the lock is free and take it; True."""
        before, pause = empty(1, dtype=int32), 0
        while True:
            _take(self._word, before)
            if not int(before[0]):
                return True
            time.sleep(pause)
            pause = min(2 * pause + 1e-6, 1e-3)

    def release(self):
        """Free the lock. RuntimeError where it is free."""
        if not int(self._word[0]):
            raise RuntimeError("release of a mutex that is not taken")
        _give(self._word)

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *unused):
        self.release()

    def __dlpack__(self, **kwargs):
        return self._word.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return 1, 0


def mutex():
    """A mutex: `lock = mutex()`, then `with lock:` or lock.acquire() and lock.release(), in a kernel or outside."""
    return Mutex()


mutex.__pyasc_op__ = "mutex"
