"""Streams: launches in order, beside the host and beside each other."""
import atexit
import os
import sys
import time
from _queue import SimpleQueue
from _thread import allocate_lock, get_ident

__all__ = ["Stream", "Event", "synchronize"]

_lock = allocate_lock()
_states = {}  # of all streams with a thread, in the order of their start
_process = object()  # another one after a fork
_closing = False


class _State:
    """What the thread of a stream works on. It holds no reference to the Stream, so that a Stream can go."""

    __slots__ = ("jobs", "change", "put", "done", "error", "thread", "process")

    def __init__(self):
        self.jobs = SimpleQueue()
        import threading  # by programs that have streams
        self.change = threading.Condition(allocate_lock())
        self.put = self.done = 0
        self.error = self.thread = None
        self.process = _process

    def add(self, call, args, kwargs):
        with self.change:
            inline = _closing or not (self.thread or self._start())
            if not inline:
                self.put += 1
                self.jobs.put((call, args, kwargs))
        if inline:  # the interpreter ends: no thread can start, and nobody would wait for one
            self.wait()
            self.run(call, args, kwargs)

    def _start(self):
        import threading
        thread = threading.Thread(target=_work, args=(self,), name="pyasc stream", daemon=True)
        with _lock:
            _states[self] = None
        try:
            thread.start()
        except RuntimeError:
            with _lock:
                _states.pop(self, None)
            return False
        self.thread = thread
        return True

    def run(self, call, args, kwargs):
        try:
            call(*args, **kwargs)
        except BaseException as error:
            if self.error is None:
                self.error = error.with_traceback(error.__traceback__.tb_next)

    def wait(self):
        if self.thread is not None and self.thread.ident == get_ident():
            raise RuntimeError("a launch cannot wait for the stream that runs it")
        with self.change:
            last = self.put
            while self.done < last:
                self.change.wait()

    def take_error(self):
        with self.change:
            error, self.error = self.error, None
        return error

    def report(self):
        """Show an exception that nobody has waited for."""
        error = self.take_error()
        if error is not None and sys is not None and sys.stderr is not None:
            print("Exception of a launch on a pyasc stream that was not synchronized:", file=sys.stderr)
            import traceback
            traceback.print_exception(type(error), error, error.__traceback__)


def _work(state):
    while True:
        job = state.jobs.get()
        if job is None:
            break
        state.run(*job)
        job = None  # the arguments live as long as the launch
        if state.process is not _process:
            return  # the launch forked, and this is the child
        with state.change:
            state.done += 1
            state.change.notify_all()
    state.report()
    with _lock:
        _states.pop(state, None)


def _raise(error):
    if error is not None:
        try:
            raise error
        finally:
            error = None  # its traceback holds this frame


class Stream:
    """Runs the launches put on it one after another, on a thread of its own, while the host goes on.

    `k(a, b, stream=s)` returns at once. A launch that fails does not stop the later ones; the first exception comes
    out of synchronize(). As a context manager a stream synchronizes at the end of the block.
    """

    __slots__ = ("_own", "__weakref__")

    def __init__(self):
        self._own = _State()

    def __del__(self):
        state = getattr(self, "_own", None)
        if state is not None:
            state.jobs.put(None)  # the thread ends when it gets here; SimpleQueue.put is safe in a finalizer

    @property
    def _state(self):
        if self._own.process is not _process:
            with _lock:
                if self._own.process is not _process:
                    self._own = _State()
        return self._own

    def synchronize(self):
        """Wait for all launches on the stream; raise the first exception among them. Then the stream is as new."""
        state = self._state
        state.wait()
        _raise(state.take_error())

    def query(self):
        """Have all launches on the stream ended?"""
        state = self._state
        with state.change:
            return state.done == state.put

    def wait_event(self, event):
        """Later launches on the stream start after the event, as recorded last; one never recorded is no wait."""
        mark = _mark_of(event)
        if mark is not None:
            self._state.add(mark.passed.wait, (), {})

    def record_event(self, event=None):
        """Record the event, or a new one, on the stream; the event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.synchronize()
        else:
            self._state.wait()


class _Mark:
    """One recording of an event."""

    __slots__ = ("passed", "time", "process")

    def __init__(self):
        import threading
        self.passed = threading.Event()
        self.time = None
        self.process = _process

    def set(self):
        self.time = time.perf_counter_ns()
        self.passed.set()


class Event:
    """A point in a stream, with its time. Recorded again, it is the new point."""

    __slots__ = ("_mark", "__weakref__")

    def __init__(self):
        self._mark = None

    def record(self, stream=None):
        """The event happens when the launches now on the stream have ended; without a stream, at once."""
        mark = _Mark()
        launch_on(stream, mark.set, (), {})
        self._mark = mark

    def synchronize(self):
        """Wait until the event has happened; an event never recorded is no wait."""
        mark = _mark_of(self)
        if mark is not None:
            mark.passed.wait()

    wait = synchronize

    def query(self):
        """Has the event happened? True for one never recorded."""
        mark = _mark_of(self)
        return mark is None or mark.passed.is_set()

    def elapsed_time(self, end):
        """Milliseconds from this event to another, both of which have happened."""
        marks = _mark_of(self), _mark_of(end)
        for mark in marks:
            if mark is None:
                raise RuntimeError("elapsed_time: record() both events first")
            if not mark.passed.is_set():
                raise RuntimeError("elapsed_time: an event has not happened yet; synchronize() it first")
        return (marks[1].time - marks[0].time) / 1e6


def _mark_of(event):
    if not isinstance(event, Event):
        raise TypeError(f"event: a pyasc.Event, not a {type(event).__name__}")
    mark = event._mark
    # One of before a fork that had not happened belongs to the parent.
    return mark if mark is not None and (mark.process is _process or mark.passed.is_set()) else None


def launch_on(stream, call, args, kwargs):
    """call(*args, **kwargs) on a stream, or at once where stream is None. No result."""
    if stream is None:
        call(*args, **kwargs)
    elif isinstance(stream, Stream):
        stream._state.add(call, args, kwargs)
    else:
        raise TypeError(f"stream: a pyasc.Stream or None, not a {type(stream).__name__}")


def _all():
    with _lock:
        return list(_states)


def synchronize():
    """Wait for the launches on all streams; raise the first exception of the first stream that has one."""
    states = _all()
    for state in states:
        state.wait()
    for state in states:
        _raise(state.take_error())


def _finish():
    global _closing
    for state in _all():
        state.wait()
    _closing = True
    for state in _all():
        state.wait()
        state.report()


def _forked():
    """The threads are the parent's: every stream and event of it starts anew when it is next used."""
    global _lock, _states, _process
    _lock = allocate_lock()
    _states = {}
    _process = object()


atexit.register(_finish)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
