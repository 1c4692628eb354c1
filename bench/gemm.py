#!/usr/bin/env python3
"""GEMM per work-item at 512x512x512 against the same three loops in C++ and in plain Python."""
import numpy as np

import native
import gemm as example
import table

SIZE = (512, 512, 512)
CPP = """
#include <cstdint>
extern "C" void gemm(float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float total = 0;
            for (int64_t p = 0; p < k; p++)
                total += a[i * k + p] * b[p * n + j];
            c[i * n + j] = total;
        }
}
"""


def main():
    c, a, b = table.fresh(example, SIZE)
    d = np.zeros_like(c)
    function = native.cpp(CPP, "gemm")
    ours, theirs = native.best([lambda: example.gemm(c, a, b), lambda: function(d, a, b, *SIZE)])
    assert example.check(c, a, b) and example.check(d, a, b)
    plain = table.plain_ms(example, (96, 96, 96), SIZE) / 1e3
    native.report("gemm " + "x".join(map(str, SIZE)) + " float32", ours, theirs, plain)


if __name__ == "__main__":
    main()
