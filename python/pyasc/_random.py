"""Random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).

Counter-based: element i of the n-th call is a function of (seed, n, i), so the numbers do not depend on threads.
"""
import os
from _thread import allocate_lock

from ._dtype import float32, int64, to_dtype, uint32, uint64
from ._jit import jit
from ._lang import get_global_id
from ._maps import cos, log, sin, sqrt
from ._tensor import _shape, asarray, cast, empty, reshape

__all__ = ["manual_seed", "rand", "randn", "randint", "rand_like", "randn_like"]
_lock = allocate_lock()
_state = [int.from_bytes(os.urandom(4), "little"), 0]  # seed, calls so far


def manual_seed(n):
    """Begin the random numbers anew: the same seed gives the same numbers, on any number of threads."""
    with _lock:
        _state[:] = [int(n) & 0xFFFFFFFFFFFFFFFF, 0]


def _next():
    with _lock:
        _state[1] += 1
        return _state[0] & 0xFFFFFFFF, _state[0] >> 32, _state[1]


def philox(i, call, k0, k1):
    """Four random uint32 for counter (i, call) and key (k0, k1)."""
    c0, c1, c2, c3 = uint32(i), uint32(i >> 32), uint32(call), uint32(0)
    a, b = uint32(k0), uint32(k1)
    for r in range(10):
        p, q = uint64(c0) * 0xD2511F53, uint64(c2) * 0xCD9E8D57
        c0, c1, c2, c3 = uint32(q >> 32) ^ c1 ^ a, uint32(q), uint32(p >> 32) ^ c3 ^ b, uint32(p)
        a = uint32(a + 0x9E3779B9)
        b = uint32(b + 0xBB67AE85)
    return c0, c1, c2, c3


def unit(x):
    """A uint32 as a float32 in [0, 1): 24 bits."""
    return float32(x >> 8) * 5.9604644775390625e-08


def normals(x, y):
    """Two uint32 as two normal float32 (Box and Muller 1958)."""
    r = sqrt(-2.0 * log(unit(x) + 2.98023223876953125e-08))
    t = unit(y) * 6.283185307179586
    return r * cos(t), r * sin(t)


@jit
def _bits(out, call, k0, k1):
    i = get_global_id(0)
    a, b, c, d = philox(i, call, k0, k1)
    out[i, 0] = a
    out[i, 1] = b
    out[i, 2] = c
    out[i, 3] = d


@jit
def _uniform(out, call, k0, k1):
    i = get_global_id(0)
    a, b, c, d = philox(i, call, k0, k1)
    out[i, 0] = unit(a)
    out[i, 1] = unit(b)
    out[i, 2] = unit(c)
    out[i, 3] = unit(d)


@jit
def _normal(out, call, k0, k1):
    i = get_global_id(0)
    a, b, c, d = philox(i, call, k0, k1)
    p, q = normals(a, b)
    r, s = normals(c, d)
    out[i, 0] = p
    out[i, 1] = q
    out[i, 2] = r
    out[i, 3] = s


@jit
def _integers(out, bits, low, span):
    i = get_global_id(0)
    x = uint64(bits[i, 0]) << 32 | uint64(bits[i, 1])
    out[i] = low + int64(x % uint64(span))


def _draw(kernel, shape, dtype, kind=float32):
    shape, dtype = _shape(shape), to_dtype(dtype)
    if dtype.kind != "f":
        raise TypeError(f"random numbers of a distribution are floats, not {dtype.name}; use randint")
    n = 1
    for m in shape:
        n *= m
    quads = empty(((n + 3) // 4, 4), dtype=kind)
    k0, k1, call = _next()
    kernel.over((n + 3) // 4)(quads, call, k0, k1)
    t = reshape(reshape(quads, (quads.size,))[:n], shape)
    return t if dtype is kind else cast(t, dtype)


def rand(*shape, dtype=float32):
    """Uniform random numbers in [0, 1), multiples of 2**-24. rand((2, 3)) or rand(2, 3)."""
    return _draw(_uniform, shape[0] if len(shape) == 1 else shape, dtype)


def randn(*shape, dtype=float32):
    """Random numbers of the normal distribution, mean 0 and standard deviation 1. randn((2, 3)) or randn(2, 3)."""
    return _draw(_normal, shape[0] if len(shape) == 1 else shape, dtype)


def rand_like(x, /, *, dtype=None):
    """rand with the shape of x, and its dtype unless one is given."""
    return rand(asarray(x).shape, dtype=dtype or asarray(x).dtype)


def randn_like(x, /, *, dtype=None):
    """randn with the shape of x, and its dtype unless one is given."""
    return randn(asarray(x).shape, dtype=dtype or asarray(x).dtype)


def randint(low, high=None, shape=(), *, dtype=int64):
    """Random integers from low up to high - 1 (randint(high): from 0); the bias of the remainder is below 2**-32
    where high - low is below 2**32."""
    if isinstance(high, (tuple, list)):
        high, shape = None, high
    if high is None:
        low, high = 0, low
    if high <= low:
        raise ValueError(f"randint: no integers from {low} to {high} - 1")
    shape, n = _shape(shape), 1
    for m in shape:
        n *= m
    bits, t = empty((n, 4), dtype=uint32), empty(n, dtype=dtype)
    k0, k1, call = _next()
    if n:
        _bits.over(n)(bits, call, k0, k1)
        _integers.over(n)(t, bits, low, high - low)
    return reshape(t, shape)
