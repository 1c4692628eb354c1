"""Streams and events."""
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import pyasc
import pytest
from pyasc._stream import Event, Stream, launch_on, synchronize


@pyasc.jit
def add_one(x):
    i = pyasc.get_global_id(0)
    x[i] = x[i] + 1


def fail(text):
    raise ValueError(text)


def script(text):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60)


def test_launches_of_a_stream_run_in_order():
    s, seen = Stream(), []
    for i in range(500):
        launch_on(s, seen.append, (i,), {})
    s.synchronize()
    assert seen == list(range(500))


def test_a_launch_returns_before_it_has_run():
    s, go = Stream(), threading.Event()
    assert launch_on(s, go.wait, (), {"timeout": 30}) is None
    assert not s.query()
    go.set()
    s.synchronize()
    assert s.query()


def test_a_new_stream_is_done_and_has_no_thread():
    before = threading.active_count()
    s = Stream()
    s.synchronize()
    assert s.query() and threading.active_count() == before


def test_kernels_run_on_streams():
    x = [pyasc.zeros(10000), pyasc.zeros(10000)]
    s = [Stream(), Stream()]
    for _ in range(50):
        for i in range(2):
            launch_on(s[i], add_one, (x[i],), {})
            launch_on(s[i], add_one[40, 250], (x[i],), {})
    synchronize()
    assert all(set(t.tolist()) == {100.0} for t in x)


def test_without_a_stream_a_launch_runs_at_once():
    seen = []
    assert launch_on(None, seen.append, (1,), {}) is None and seen == [1]
    with pytest.raises(ValueError, match="now"):
        launch_on(None, fail, ("now",), {})


@pytest.mark.parametrize("stream", [0, "s", Event(), Stream])
def test_what_is_no_stream_is_a_type_error(stream):
    with pytest.raises(TypeError, match="pyasc.Stream"):
        launch_on(stream, print, (), {})


def test_synchronize_raises_the_first_exception_and_the_stream_goes_on():
    s, seen = Stream(), []
    launch_on(s, fail, ("first",), {})
    launch_on(s, fail, ("second",), {})
    launch_on(s, seen.append, (1,), {})
    with pytest.raises(ValueError, match="first"):
        s.synchronize()
    assert seen == [1]
    s.synchronize()
    launch_on(s, seen.append, (2,), {})
    s.synchronize()
    assert seen == [1, 2]


def test_a_wrong_call_of_a_kernel_is_raised_by_synchronize():
    s = Stream()
    launch_on(s, add_one, (), {})
    with pytest.raises(TypeError, match="missing the argument 'x'"):
        s.synchronize()


def test_synchronize_of_all_streams_waits_for_all_and_raises():
    a, b, seen = Stream(), Stream(), []
    launch_on(a, fail, ("of a",), {})
    launch_on(b, time.sleep, (0.05,), {})
    launch_on(b, seen.append, (1,), {})
    with pytest.raises(ValueError, match="of a"):
        synchronize()
    assert seen == [1] and a.query() and b.query()
    synchronize()


def test_two_streams_overlap():
    meet, s = threading.Barrier(2), [Stream(), Stream()]
    for stream in s:
        launch_on(stream, meet.wait, (30,), {})
    synchronize()  # a BrokenBarrierError where one waits for the other


def test_a_stream_synchronizes_at_the_end_of_its_block():
    seen = []
    with Stream() as s:
        launch_on(s, time.sleep, (0.02,), {})
        launch_on(s, seen.append, (1,), {})
    assert seen == [1]
    with pytest.raises(ValueError, match="inside"):
        with Stream() as s:
            launch_on(s, fail, ("inside",), {})


def test_an_exception_of_the_block_comes_before_those_of_launches():
    with pytest.raises(KeyError):
        with Stream() as s:
            launch_on(s, fail, ("launch",), {})
            raise KeyError("block")
    assert s.query()
    with pytest.raises(ValueError, match="launch"):
        s.synchronize()


def test_a_launch_cannot_wait_for_its_own_stream():
    s = Stream()
    launch_on(s, s.synchronize, (), {})
    with pytest.raises(RuntimeError, match="cannot wait"):
        s.synchronize()


def test_an_event_happens_after_the_launches_before_it():
    s, e, go = Stream(), Event(), threading.Event()
    launch_on(s, go.wait, (30,), {})
    e.record(s)
    assert not e.query()
    go.set()
    e.wait()
    e.synchronize()
    assert e.query()


def test_an_event_never_recorded_is_no_wait():
    s, e = Stream(), Event()
    assert e.query()
    e.wait()
    s.wait_event(e)
    s.synchronize()


def test_a_stream_waits_for_an_event_of_another():
    a, b, e, go, seen = Stream(), Stream(), Event(), threading.Event(), []
    launch_on(a, go.wait, (30,), {})
    launch_on(a, seen.append, ("a",), {})
    e.record(a)
    b.wait_event(e)
    e.record()  # b waits for the recording before
    launch_on(b, seen.append, ("b",), {})
    time.sleep(0.02)
    assert seen == [] and e.query()
    go.set()
    synchronize()
    assert seen == ["a", "b"]


def test_elapsed_time_is_in_milliseconds():
    s, start, end = Stream(), Event(), Event()
    start.record(s)
    launch_on(s, time.sleep, (0.05,), {})
    end.record(s)
    with pytest.raises(RuntimeError, match="not happened"):
        start.elapsed_time(end)
    end.synchronize()
    assert 49 < start.elapsed_time(end) < 5000
    assert end.elapsed_time(start) == -start.elapsed_time(end)
    with pytest.raises(RuntimeError, match="record"):
        start.elapsed_time(Event())
    with pytest.raises(TypeError, match="pyasc.Event"):
        start.elapsed_time(s)


class Thing:
    pass


def test_arguments_live_until_the_launch_has_run_and_no_longer():
    s, go, thing = Stream(), threading.Event(), Thing()
    gone = weakref.ref(thing)
    launch_on(s, go.wait, (30,), {})
    launch_on(s, id, (thing,), {})
    del thing
    gc.collect()
    assert gone() is not None
    go.set()
    s.synchronize()
    assert gone() is None


def test_a_dropped_stream_finishes_its_launches_and_its_thread_ends():
    go, seen, threads = threading.Event(), [], []
    s = Stream()
    launch_on(s, lambda: threads.append(threading.current_thread()), (), {})
    launch_on(s, go.wait, (30,), {})
    launch_on(s, seen.append, (1,), {})
    del s
    go.set()
    synchronize()
    assert seen == [1]
    threads[0].join(30)
    assert not threads[0].is_alive()


def test_many_threads_put_launches_on_one_stream():
    s, seen = Stream(), []

    def put(n):
        for i in range(200):
            launch_on(s, seen.append, ((n, i),), {})
    threads = [threading.Thread(target=put, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    s.synchronize()
    assert len(seen) == 800
    assert all([i for n, i in seen if n == k] == list(range(200)) for k in range(4))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork_the_child_starts_anew():
    s, e, go = Stream(), Event(), threading.Event()
    launch_on(s, go.wait, (30,), {})
    e.record(s)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            seen = []
            fresh = s.query() and e.query()
            synchronize()
            launch_on(s, seen.append, (1,), {})
            e.record(s)
            e.synchronize()
            s.synchronize()
            status = 0 if fresh and seen == [1] else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not s.query() and not e.query()
    go.set()
    s.synchronize()
    assert e.query()


def test_work_is_finished_at_the_end_of_the_interpreter():
    done = script("""
        import os, time
        from pyasc._stream import Stream, launch_on
        s = Stream()
        launch_on(s, time.sleep, (0.1,), {})
        launch_on(s, os.write, (1, b"end\\n"), {})
        t = Stream()
        launch_on(t, time.sleep, (0.1,), {})
        launch_on(t, os.write, (1, b"end\\n"), {})
        del t
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\nend\n", "")


def test_an_exception_that_nobody_waited_for_is_shown_at_the_end():
    done = script("""
        from pyasc._stream import Stream, launch_on
        s = Stream()
        launch_on(s, int, ("x",), {})
    """)
    assert "not synchronized" in done.stderr and "ValueError" in done.stderr


def test_launches_of_exit_handlers_run():
    done = script("""
        import atexit, os
        from pyasc._stream import Stream, launch_on
        late, s = Stream(), Stream()
        launch_on(s, os.write, (1, b"a"), {})
        @atexit.register
        def last():
            launch_on(late, os.write, (1, b"b"), {})
            launch_on(s, os.write, (1, b"c"), {})
            late.synchronize()
            s.synchronize()
    """)
    assert sorted(done.stdout) == ["a", "b", "c"] and not done.stderr and not done.returncode


@pyasc.jit
def axpy(x, y, a=1.0):
    i = pyasc.get_global_id(0)
    y[i] += a * x[i]


@pyasc.jit
def has_parameter(x, stream):
    x[pyasc.get_global_id(0)] = stream


def test_stream_argument_of_launches():
    import numpy as np
    s, x, y = Stream(), np.ones(1000), np.zeros(1000)
    for _ in range(100):
        assert axpy(x, y, stream=s) is None
        axpy.over(500)(x, y, a=2, stream=s)
        axpy[10, 100](x=x, y=y, stream=s, a=0.5)
    s.synchronize()
    np.testing.assert_array_equal(y, np.where(np.arange(1000) < 500, 350, 150))
    axpy(x, y, stream=None)
    assert y[-1] == 151
    has_parameter(x, stream=3)
    assert x[0] == 3
    with pytest.raises(TypeError, match="missing the argument 'y'"):
        axpy(x, stream=s)
    with pytest.raises(TypeError, match="stream: a pyasc.Stream"):
        axpy(x, y, stream=4)
    s.synchronize()
    y[:] = 0
    with pyasc.Stream() as t:
        axpy(x, y, stream=t)
    assert y[0] == 3 and pyasc.Event and pyasc.synchronize() is None
