"""What the names of the kernel language mean in interpreted kernels: OPS, by the names that the compiler knows.

Here: ids, memory, and work beside work; functions of numbers are in _functions.
"""
import sys

from . import _errors
from ._dtype import float32, int64, to_dtype
from ._numeric import now
from ._scalar import Scalar, binary, cast, operand
from ._tensor import zeros
from ._view import Vector, View

OPS = {}


class Launch:
    """One launch: its domain, and what the body finds without naming it."""

    __slots__ = ("size", "block", "groups", "ndim", "buffers", "first", "code", "check")

    def __init__(self, size, block, ndim, views, extra, code, check):
        self.size, self.block, self.ndim, self.buffers, self.code, self.check = size, block, ndim, extra, code, check
        self.groups = size and tuple(-(-n // b) for n, b in zip(size, block))
        self.first = views[0] if views else None


class Item:
    """One work-item, or the one run of a kernel without (ids None). memory: shared() of its block."""

    __slots__ = ("launch", "group", "local", "id", "memory", "counts", "crew", "index")

    def __init__(self, launch, group=None, local=None, memory=None, crew=None, index=0):
        self.launch, self.group, self.local, self.memory, self.crew, self.index = launch, group, local, memory, crew, index
        self.counts = {}
        self.id = group and tuple(g * b + k for g, b, k in zip(group, launch.block, local))


def op(f):
    """OPS gets f, by its name."""
    OPS[f.__name__.rstrip("_")] = f
    f.__pyasc_here__ = True
    return f


def _item(name):
    item = now.item
    if item is None or item.id is None:
        raise RuntimeError(f"pyasc.{name}() in a kernel that does not run by work-items, as its text does not name an index "
                           "function; name one in it")
    return item


# Where the work-item is.

def _ids():
    def index(name, get):
        def f(dim=0):
            if isinstance(dim, (Scalar, int)) and 0 <= dim <= 2:
                return Scalar(int64, get(_item(name))[int(dim)])
            raise ValueError(f"the dimension of {name}() must be a constant; write 0, 1 or 2")
        f.__name__ = name
        op(f)
    index("get_global_id", lambda item: item.id)
    index("get_local_id", lambda item: item.local)
    index("get_group_id", lambda item: item.group)
    index("get_global_size", lambda item: item.launch.size)
    index("get_local_size", lambda item: item.launch.block)
    index("get_num_groups", lambda item: item.launch.groups)


_ids()


@op
def get_row():
    return Scalar(int64, _item("get_row").id[1])


@op
def get_col():
    return Scalar(int64, _item("get_col").id[0])


@op
def get_dim(i):
    first = now.item.launch.first
    if first is None or not 0 <= i < first.ndim:
        raise ValueError("get_dim(i) is shape[i] of the first tensor argument")
    return first.shape[i.__index__()]


# Memory.

def _shape(shape):
    return tuple(n.__index__() for n in shape) if isinstance(shape, (tuple, list)) else (shape.__index__(),)


def _place(item):
    """The call's place: the frames from it to the kernel's."""
    frame, path = sys._getframe(2), []
    while frame is not None:
        path.append((id(frame.f_code), frame.f_lasti))
        if frame.f_code is item.launch.code:
            break
        frame = frame.f_back
    return tuple(path)


@op
def shared(shape, dtype=float32):
    """One for all work-items that come to this place for the same time."""
    item = _item("shared")
    place = _place(item)
    count = item.counts[place] = item.counts.get(place, 0) + 1
    key = place, count
    if key not in item.memory:
        item.memory[key] = View(zeros(_shape(shape), dtype=to_dtype(dtype)), "shared()")
    return item.memory[key]


@op
def local(shape, dtype=float32):
    return View(zeros(_shape(shape), dtype=to_dtype(dtype)), "local()")


@op
def constant(data, dtype=None):
    if not isinstance(data, (tuple, list)) or not data:
        raise TypeError("constant() in a kernel needs a tuple of numbers; or make the tensor outside the kernel")
    floats = any(operand(v)[0].kind == "f" for v in data)
    table = View(zeros(len(data), dtype=to_dtype(dtype or (float32 if floats else int64))), "constant()")
    for i, v in enumerate(data):
        table[i] = v
    table.tensor._set_readonly()
    return table


def _buffer(given, last, name):
    if given is not None:
        if not isinstance(given, View):
            raise TypeError(f"{name}(): this is not a tensor")
        return given
    buffers = now.item.launch.buffers
    if not buffers:
        raise TypeError(f"{name}() without a tensor works on the default buffers, and there are none; pass a tensor to it, "
                        "or call the kernel with tensors beyond its parameters")
    return buffers[-1 if last else 0]


@op
def load_global(*args):
    *t, i = args
    return _buffer(t[0] if t else None, False, "load_global")[i]


@op
def store_global(*args):
    *t, i, v = args
    _buffer(t[0] if t else None, True, "store_global")[i] = v


def _behind(i, k):
    return (*i[:-1], i[-1] + k) if isinstance(i, tuple) else i + k


@op
def load_vector(i, width=4, src=None):
    t = _buffer(src, False, "load_vector")
    if not 1 <= width <= 64:
        raise ValueError("the width of a vector is a constant from 1 to 64; write 2, 4, 8, ...")
    return Vector(t[_behind(i, k)] for k in range(width))


@op
def store_vector(i, v, dst=None):
    t = _buffer(dst, True, "store_vector")
    if not isinstance(v, (Vector, tuple)):
        raise TypeError("store_vector() needs a vector; make it with load_vector() or pack()")
    for k, x in enumerate(v):
        t[_behind(i, k)] = x


@op
def pack(*scalars):
    return Vector(scalars)


@op
def unpack(v):
    return tuple(v)


@op
def element(t, *index):
    return t[index] if isinstance(t, View) else t


def _atomics():
    def atomic(kind, operation):
        def f(t, i, *values):
            if not isinstance(t, View) or len(values) != (2 if kind == "cas" else 1):
                wanted = "tensor, index, expected, value" if kind == "cas" else "tensor, index, value"
                raise TypeError(f"atomic_{kind}({wanted}) is called wrongly")
            old = t[i]
            if not isinstance(old, Scalar):
                raise IndexError(f"the tensor has {t.ndim} dimensions")
            new = operation(old, *(cast(t.dtype, v) for v in values))
            if new is not old:
                t[i] = new
            return old
        f.__name__ = f"atomic_{kind}"
        op(f)
    for kind in ("add", "sub", "max", "min", "and", "or", "xor"):
        atomic(kind, lambda old, v, kind=kind: binary(kind, old, v))
    atomic("exchange", lambda old, v: v)
    atomic("cas", lambda old, expected, v: v if old == expected else old)


_atomics()


def _hints():
    def hint(name, takes):
        def f(*args):
            if takes and not (args and isinstance(args[0], View)):
                raise TypeError(f"{name}() needs a tensor; pass the tensor itself")
        f.__name__ = name
        op(f)
    for name in ("load_async", "store_async", "prefetch"):
        hint(name, True)
    hint("wait", False)


_hints()


# Work beside work, one after another here.

def _compile_error(text, advice):
    return _errors.make(text, advice, None, 0, 0, 0, 0)


@op
def barrier():
    item = _item("barrier")
    if now.locks:
        raise _compile_error("a barrier inside a lock's region would wait for ever",
                             "put it in front of the lock's region or behind it")
    if now.parallel:
        raise _compile_error("a barrier inside a parallel body has nobody to meet",
                             "end the parallel_for or task: it waits for its iterations")
    if item.crew is not None:
        item.crew.meet(item.index)


OPS["syncthreads"] = barrier


class Lock:
    """A mutex that the body made: nobody else can hold it, as a work-item does not stop inside its region."""

    __pyasc_here__ = True

    def __init__(self):
        self.taken = False

    def acquire(self):
        if self.taken:
            raise RuntimeError("acquire of a mutex that this work-item holds: it would wait for ever")
        self.taken = True
        now.locks += 1
        return True

    def release(self):
        if not self.taken:
            raise RuntimeError("release of a mutex that is not taken")
        self.taken = False
        now.locks -= 1

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *unused):
        self.release()


@op
def mutex():
    return Lock()


class _Beside:
    """A parallel body, in a `with`."""

    def __enter__(self):
        now.parallel += 1

    def __exit__(self, *unused):
        now.parallel -= 1


_beside = _Beside()


def _count(n):
    if operand(n) is None:
        raise TypeError("parallel_for(n, body), parallel_for((m, n), body), or parallel_for(n, body, out=c)")
    if operand(n)[0].kind == "f":
        raise TypeError("the count is a float, not an integer; use int(x) or //")
    return n.__index__()


@op
def parallel_for(n, body=None, out=None):
    """Also the decorator, where body is missing."""
    if body is None:
        def decorate(body):
            parallel_for(n, body, out)
            return body
        decorate.__pyasc_here__ = True
        return decorate
    if not callable(body):
        raise TypeError("parallel_for() is called wrongly: the body is not a function")
    counts = [_count(k) for k in n] if isinstance(n, tuple) else [_count(n)]
    f = OPS["call"](body)
    with _beside:
        for ids in _indices(counts):
            r = f(*(Scalar(int64, i) for i in ids))
            if out is not None:
                out[ids if len(ids) > 1 else ids[0]] = r


def _indices(counts):
    if not counts:
        yield ()
        return
    for i in range(counts[0]):
        for rest in _indices(counts[1:]):
            yield (i, *rest)


@op
def task(f, *args):
    if not callable(f):
        raise TypeError("task() needs a function: task(f, *args)")
    with _beside:
        OPS["call"](f)(*args)


@op
def sync():
    if now.parallel:
        raise _compile_error("sync() inside a task or a parallel body would wait for itself",
                             "put it behind the parallel_for, or in the kernel that starts the tasks")


@op
def pipeline(stages, n):
    if not isinstance(stages, (tuple, list)) or not stages or not all(map(callable, stages)):
        raise TypeError("pipeline((load, compute, store), n), where each stage takes the item's number")
    stages = [OPS["call"](s) for s in stages]
    with _beside:
        for i in range(_count(n)):
            for s in stages:
                s(Scalar(int64, i))
