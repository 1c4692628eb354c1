"""The kernels in PyTorch's eager operations. A function writes its outputs or returns them."""
import numpy as np
import torch
import torch.nn.functional as F

BLOCK = 256


def start(threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)


def take(a):
    if isinstance(a, np.ndarray) and a.dtype.name == "bfloat16":
        return torch.from_numpy(a.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(a) if isinstance(a, np.ndarray) else a


def give(a):
    return (a.float() if a.dtype == torch.bfloat16 else a).numpy()


def scale(x, a, y):
    torch.mul(x, a, out=y)


def saxpy(a, x, y, z):
    torch.add(y, x, alpha=a, out=z)


def gemm_loops(a, b, c):
    torch.mm(a, b, out=c)


gemm_item = gemm_shared = gemm_loops


def gemm_bf16(a, b, c):
    return torch.mm(a, b)  # rounds its result to bfloat16


def gemm_int8(a, b, c):
    return torch._int_mm(a, b)


def softmax_loops(x, y):
    torch.softmax(x, 1, out=y)


softmax_item = softmax_loops


def layernorm(x, gain, bias, y):
    return F.layer_norm(x, gain.shape, gain, bias)


def gelu(x, y):
    return F.gelu(x, approximate="tanh")


def row_sum(x, y):
    torch.sum(x, 1, out=y)


def column_sum(x, y):
    torch.sum(x, 0, out=y)


def tree_sum(x, y):
    torch.sum(x.view(-1, BLOCK), 1, out=y)


def histogram(x, counts):
    return torch.bincount(x, minlength=256)


def transpose(x, y):
    y.copy_(x.T)


def stencil(x, y):
    y[1:-1, 1:-1] = 0.5 * x[1:-1, 1:-1] + 0.125 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def conv2d(x, w, y):
    return F.conv2d(x, w)


def depthwise(x, w, y):
    return F.conv2d(x, w[:, None], groups=w.shape[0])


def attention(q, k, v, s, y):
    return F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])[0, 0]


def nbody(position, mass, force):
    for at in range(0, len(position), 64):
        d = position[None] - position[at:at + 64, None]
        square = (d * d).sum(2) + 0.01
        torch.sum(d * (mass / (square * torch.sqrt(square)))[..., None], 1, out=force[at:at + 64])


def mandelbrot(xs, ys, out):
    x, y = torch.zeros(out.shape), torch.zeros(out.shape)
    out.zero_()
    for _ in range(100):
        live = x * x + y * y <= 4
        x, y = torch.where(live, x * x - y * y + xs, x), torch.where(live, 2 * x * y + ys[:, None], y)
        out += live


def below(d):
    k = 1 / (1 + 0.2316419 * torch.abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * torch.exp(-0.5 * d * d) * poly
    return torch.where(d > 0, 1 - tail, tail)


def black_scholes(s, k, t, call, put):
    root = 0.3 * torch.sqrt(t)
    d1 = (torch.log(s / k) + (0.02 + 0.045) * t) / root
    d2, later = d1 - root, k * torch.exp(-0.02 * t)
    torch.sub(s * below(d1), later * below(d2), out=call)
    torch.sub(later * below(-d2), s * below(-d1), out=put)


def scan(x, y):
    torch.cumsum(x.view(-1, BLOCK), 1, out=y.view(-1, BLOCK))
