"""A 2-D convolution as the seven loops of its definition."""
import numpy as np
import pyasc

SIZE, SMALL = (2, 16, 64, 64, 32, 3), (1, 4, 20, 20, 8, 3)


@pyasc.jit
def conv2d(x, w, out):
    batch, channels, height, width = out.shape
    _, depth, kh, kw = w.shape
    for b in range(batch):
        for c in range(channels):
            for i in range(height):
                for j in range(width):
                    total = 0.0
                    for d in range(depth):
                        for p in range(kh):
                            for q in range(kw):
                                total += x[b, d, i + p, j + q] * w[c, d, p, q]
                    out[b, c, i, j] = total


def plain(x, w, out):
    depth, kh, kw = len(w[0]), len(w[0][0]), len(w[0][0][0])
    for b in range(len(out)):
        for c in range(len(out[0])):
            for i in range(len(out[0][0])):
                for j in range(len(out[0][0][0])):
                    total = 0.0
                    for d in range(depth):
                        for p in range(kh):
                            for q in range(kw):
                                total += x[b][d][i + p][j + q] * w[c][d][p][q]
                    out[b][c][i][j] = total


def data(rng, batch, depth, h, w, channels, k):
    out = np.zeros((batch, channels, h - k + 1, w - k + 1), np.float32)
    normal = lambda *s: rng.standard_normal(s, np.float32)
    return normal(batch, depth, h, w), normal(channels, depth, k, k), out


launch = conv2d


def check(x, w, out):
    view = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.allclose(out, np.einsum("bdijpq,cdpq->bcij", view, w), rtol=1e-3, atol=1e-3)


def work(batch, depth, h, w, channels, k):
    return batch * channels * (h - k + 1) * (w - k + 1) * depth * k * k


if __name__ == "__main__":
    import table
    table.main(["conv2d"])
