#!/usr/bin/env python3
"""mandelbrot, a divergent loop, against the same loops in C++ and in plain Python."""
import numpy as np

import native
import mandelbrot as example
import table

SIZE = (1000, 1500)
CPP = """
#include <cstdint>
extern "C" void mandelbrot(const float *xs, const float *ys, int32_t *out, int64_t m, int64_t n, int64_t limit) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t col = 0; col < n; col++) {
            float x = 0, y = 0;
            int64_t i = 0;
            while (i < limit && x * x + y * y <= 4.0f) {
                float z = x * x - y * y + xs[col];
                y = 2.0f * x * y + ys[row];
                x = z;
                i++;
            }
            out[row * n + col] = (int32_t)i;
        }
}
"""


def main():
    xs, ys, out = table.fresh(example, SIZE)
    other = np.zeros_like(out)
    function = native.cpp(CPP, "mandelbrot")
    ours, theirs = native.best([lambda: example.mandelbrot(xs, ys, out),
                                lambda: function(xs, ys, other, *SIZE, example.LIMIT)])
    assert example.check(xs, ys, out)
    assert np.mean(out == other) > 0.99  # fast-math moves a few points at the edge
    plain = table.plain_ms(example, (60, 90), SIZE) / 1e3
    native.report("mandelbrot " + "x".join(map(str, SIZE)), ours, theirs, plain)


if __name__ == "__main__":
    main()
