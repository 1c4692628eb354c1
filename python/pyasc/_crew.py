"""The work-items of a block that meet at barriers: a thread each, of which one runs at a time, in order.

Each runs to its next barrier or its end, then the next one; when all have, the first goes on. So what a kernel does is
the same every time, and a debugger sees one thread move.
"""
import contextvars
import sys
import threading
from queue import SimpleQueue

from ._numeric import now


class Stopped(BaseException):
    """Ends the work-items of a block in which another one has raised."""


class _Member:
    __slots__ = ("go", "thread", "ended", "error")

    def __init__(self):
        self.go = SimpleQueue()
        self.thread = self.error = None
        self.ended = False


class Crew:
    """run() of a block: call(item) for every item, on threads that take turns."""

    def __init__(self):
        self.back = SimpleQueue()  # from the one that runs
        self.stopping = False
        self.members = []

    def meet(self, index):
        """The barrier, for the work-item of that index: the others have their turn. It ends with Stopped."""
        if not self.stopping:
            self.back.put(None)
            self.members[index].go.get()
        if self.stopping:
            raise Stopped

    def _work(self, member, call, item, trace):
        member.go.get()
        now.check = item.launch.check
        try:
            if not self.stopping:
                if trace is not None:
                    sys.settrace(trace)
                call(item)
        except BaseException as error:
            member.error = error
        finally:
            sys.settrace(None)
            member.ended = True
            self.back.put(None)

    def run(self, call, items):
        """The first exception in the order of turns comes out, after all threads have ended."""
        hook = getattr(threading, "_trace_hook", None)  # set: the threads trace themselves (coverage)
        trace = None if hook else sys.gettrace()
        for item in items:
            member = _Member()
            member.thread = threading.Thread(target=contextvars.copy_context().run, daemon=True, name="pyasc work-item",
                                             args=(self._work, member, call, item, trace))
            self.members.append(member)
        running = None
        try:
            for member in self.members:
                member.thread.start()
            while any(not m.ended for m in self.members):
                for running in self.members:
                    if not running.ended:
                        running.go.put(None)
                        self.back.get()
                        if running.error is not None:
                            raise running.error
                running = None
        finally:
            self._stop(running)

    def _stop(self, running):
        """End what has not ended: the one that runs, where we were interrupted, and the others at their barriers."""
        self.stopping = True
        if running is not None and not running.ended:
            _interrupt(running)
        for member in self.members:
            if member.thread.ident is not None:
                member.go.put(None)
                member.thread.join()
            member.thread = None


def _interrupt(member):
    import ctypes
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(member.thread.ident), ctypes.py_object(Stopped))
