"""What bench/kernels.py measures: for each kernel its arguments at each size, outputs last, and its float64 reference."""
import dataclasses
from typing import Callable

import numpy as np

BLOCK, BLANK = 256, 77
CONTRACTIONS = "contraction"


@dataclasses.dataclass
class Case:
    name: str
    make: Callable           # (rng, *size) -> arguments
    reference: Callable      # (*inputs in float64 where they were floats) -> the outputs
    sizes: tuple             # from the smallest to the largest
    tiny: tuple              # awkward ones, for the tests
    kind: str = ""
    outputs: int = 1
    scratch: int = 0         # arguments before the outputs that a kernel writes and nobody reads
    tolerance: float = 1e-4  # of the reference's largest absolute value
    stray: float = 0.0       # the share of elements that may miss it

    def arguments(self, size, seed=1):
        return list(self.make(np.random.default_rng(seed), *size))

    def blank(self, args):
        """Fills the outputs with what no kernel computes."""
        for out in args[-self.outputs:]:
            out.fill(BLANK)

    def wanted(self, args):
        """The outputs, computed in float64."""
        inputs = [a.astype(np.float64) if isinstance(a, np.ndarray) and a.dtype.kind not in "iu" else a
                  for a in args[:len(args) - self.outputs - self.scratch]]
        found = self.reference(*inputs)
        return found if isinstance(found, tuple) else (found,)

    def wrong(self, wanted, results, tolerance=None):
        """What is wrong with the results, or None."""
        for want, got in zip(wanted, results):
            limit = (tolerance or self.tolerance) * max(1e-6, np.abs(want).max(initial=0))
            off = ~(np.abs(np.asarray(got, np.float64) - want) <= limit)
            if off.sum() > self.stray * off.size:
                return f"{off.sum()} of {off.size} elements are off"
        return None


def f32(rng, *shape):
    return rng.standard_normal(shape, np.float32)


def empty(*shape, dtype=np.float32):
    return np.full(shape, BLANK, dtype)


def gemm_of(convert=lambda a: a, dtype=np.float32):
    def make(rng, m, n, k):
        return convert(f32(rng, m, k)), convert(f32(rng, k, n)), empty(m, n, dtype=dtype)
    return make


def bfloat16(a):
    import ml_dtypes
    return a.astype(ml_dtypes.bfloat16)


def product(a, b):
    return np.matmul(a.astype(np.float64), b.astype(np.float64))


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layernorm(x, gain, bias):
    d = x - x.mean(1, keepdims=True)
    return d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * gain + bias


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))


def in_blocks(x):
    return np.concatenate([x, np.zeros(-len(x) % BLOCK)]).reshape(-1, BLOCK)


def stencil(x):
    y = np.full(x.shape, float(BLANK))
    y[1:-1, 1:-1] = 0.5 * x[1:-1, 1:-1] + 0.125 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return y


def windows(x, w):
    return np.lib.stride_tricks.sliding_window_view(x, w.shape[-2:], (2, 3))


def conv2d(x, w):
    return np.einsum("bcijpq,fcpq->bfij", windows(x, w), w, optimize=True)


def images(rng, b, c, side, f, k):
    return f32(rng, b, c, side, side), f32(rng, f, c, k, k), empty(b, f, side - k + 1, side - k + 1)


def channels(rng, b, c, side, k):
    return f32(rng, b, c, side, side), f32(rng, c, k, k), empty(b, c, side - k + 1, side - k + 1)


def nbody(position, mass):
    force = np.empty_like(position)
    for at in range(0, len(position), 64):
        d = position[None] - position[at:at + 64, None]
        square = (d * d).sum(2) + 0.01
        force[at:at + 64] = (d * (mass / (square * np.sqrt(square)))[..., None]).sum(1)
    return force


def mandelbrot(xs, ys):
    c = xs[None] + 1j * ys[:, None]
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(100):
        live = z.real ** 2 + z.imag ** 2 <= 4
        z[live] = z[live] ** 2 + c[live]
        n += live
    return n


def below(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * np.exp(-0.5 * d * d) * poly
    return np.where(d > 0, 1 - tail, tail)


def black_scholes(s, k, t):
    root = 0.3 * np.sqrt(t)
    d1 = (np.log(s / k) + (0.02 + 0.045) * t) / root
    d2, later = d1 - root, k * np.exp(-0.02 * t)
    return s * below(d1) - later * below(d2), later * below(-d2) - s * below(-d1)


def options(rng, n):
    pick = lambda low, high: rng.uniform(low, high, n).astype(np.float32)
    return pick(5, 30), pick(1, 100), pick(0.25, 10), empty(n), empty(n)


VECTORS = dict(sizes=((1 << 12,), (1 << 16,), (1 << 24,)), tiny=((0,), (1,), (1009,)))
MATRICES = dict(sizes=((64, 64), (256, 256), (4096, 4096)), tiny=((1, 1), (7, 1), (3, 67), (61, 5), (34, 101)))
GEMMS = dict(kind=CONTRACTIONS, sizes=((128,) * 3, (512,) * 3), tiny=((1, 1, 1), (7, 5, 3), (17, 33, 1), (31, 47, 67), (64, 64, 64)))

CASES = [
    Case("scale", lambda rng, n: (f32(rng, n), 2.5, empty(n)), lambda x, a: a * x, **VECTORS),
    Case("saxpy", lambda rng, n: (2.5, f32(rng, n), f32(rng, n), empty(n)), lambda a, x, y: a * x + y, **VECTORS),
    Case("gemm_loops", gemm_of(), product, **{**GEMMS, "sizes": ((128,) * 3, (512,) * 3, (1024,) * 3)}),
    Case("gemm_item", gemm_of(), product, **GEMMS),
    Case("gemm_shared", gemm_of(), product, **GEMMS),
    Case("gemm_bf16", gemm_of(bfloat16), product, **GEMMS),
    Case("gemm_int8", gemm_of(lambda a: (40 * a).clip(-127, 127).astype(np.int8), np.int32), product, tolerance=1e-12, **GEMMS),
    Case("softmax_loops", lambda rng, m, n: (f32(rng, m, n), empty(m, n)), softmax, **MATRICES),
    Case("softmax_item", lambda rng, m, n: (f32(rng, m, n), empty(m, n)), softmax, **MATRICES),
    Case("layernorm", lambda rng, m, n: (f32(rng, m, n), f32(rng, n), f32(rng, n), empty(m, n)), layernorm, **MATRICES),
    Case("gelu", lambda rng, n: (f32(rng, n), empty(n)), gelu, **VECTORS),
    Case("row_sum", lambda rng, m, n: (f32(rng, m, n), empty(m)), lambda x: x.sum(1), **MATRICES),
    Case("column_sum", lambda rng, m, n: (f32(rng, m, n), empty(n)), lambda x: x.sum(0), **MATRICES),
    Case("tree_sum", lambda rng, n: (f32(rng, n), empty(-(-n // BLOCK))), lambda x: in_blocks(x).sum(1),
         sizes=VECTORS["sizes"], tiny=((1,), (256,), (1009,))),
    Case("histogram", lambda rng, n: (rng.integers(0, 256, n).astype(np.uint8), empty(256, dtype=np.int32)),
         lambda x: np.bincount(x, minlength=256), tolerance=1e-12, **VECTORS),
    Case("transpose", lambda rng, m, n: (f32(rng, m, n), empty(n, m)), lambda x: x.T, tolerance=1e-12, **MATRICES),
    Case("stencil", lambda rng, m, n: (f32(rng, m, n), empty(m, n)), stencil, **MATRICES),
    Case("conv2d", images, conv2d, kind=CONTRACTIONS, sizes=((1, 16, 34, 16, 3), (1, 64, 58, 64, 3)),
         tiny=((1, 1, 3, 1, 3), (2, 3, 7, 5, 3), (1, 5, 21, 7, 5))),
    Case("depthwise", channels, lambda x, w: np.einsum("bcijpq,cpq->bcij", windows(x, w), w),
         sizes=((1, 16, 34, 3), (4, 64, 114, 3)), tiny=((1, 1, 3, 3), (2, 3, 7, 3), (1, 5, 21, 5))),
    Case("attention", lambda rng, n, d: (f32(rng, n, d), f32(rng, n, d), f32(rng, n, d), empty(n, n), empty(n, d)),
         lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v, scratch=1, kind=CONTRACTIONS,
         sizes=((128, 64), (1024, 64)), tiny=((1, 1), (7, 3), (37, 16), (61, 20))),
    Case("nbody", lambda rng, n: (f32(rng, n, 3), rng.random(n, np.float32), empty(n, 3)), nbody, tolerance=1e-3,
         sizes=((256,), (4096,)), tiny=((1,), (2,), (67,))),
    Case("mandelbrot", lambda rng, m, n: (np.linspace(-2, 1, n, dtype=np.float32), np.linspace(-1, 1, m, dtype=np.float32),
                                          empty(m, n, dtype=np.int32)),
         mandelbrot, stray=0.01, sizes=((64, 96), (600, 900)), tiny=((1, 1), (5, 33), (40, 61))),
    Case("black_scholes", options, black_scholes, outputs=2, **VECTORS),
    Case("scan", lambda rng, n: (f32(rng, n), empty(n)), lambda x: in_blocks(x).cumsum(1).ravel()[:len(x)], **VECTORS),
]
