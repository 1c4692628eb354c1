#!/usr/bin/env python3
"""The polynomials of src/target/cpu/emit_poly.c and emit_table.c: near-minimax fits by Remez exchange in high precision. Needs mpmath.

Prints the coefficients, highest power first, and the largest relative error of each fit.
"""
from mpmath import mp, mpf

mp.dps = 40


def remez(f, lo, hi, degree, weight):
    """p of this degree that makes max |weight * (p - f)| on [lo, hi] nearly least."""
    n = degree + 2
    nodes = [(lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (n - 1 - k) / (n - 1)) for k in range(n)]
    for _ in range(12):
        a, b = mp.matrix(n, n), mp.matrix(n, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                a[i, j] = x**j
            a[i, degree + 1] = (-1) ** i / weight(x)
            b[i] = f(x)
        s = mp.lu_solve(a, b)
        coefficients = [s[j] for j in range(degree + 1)]

        def error(x):
            return weight(x) * (mp.polyval(coefficients[::-1], x) - f(x))
        grid = [lo + (hi - lo) * k / 800 for k in range(801)]
        values = [error(x) for x in grid]
        edges = [0] + [k for k in range(1, 801) if values[k] * values[k - 1] < 0] + [801]
        parts = [max(range(p, q), key=lambda k: abs(values[k])) for p, q in zip(edges, edges[1:]) if q > p]
        if len(parts) < n:
            break
        nodes = [grid[k] for k in parts[:n]]
    return [float(c) for c in coefficients[::-1]], max(abs(v) for v in values)


def show(name, f, lo, hi, degree, weight, digits=10):
    c, e = remez(f, mpf(lo), mpf(hi), degree, weight)
    print(f"{name}: error {float(e):.2e}\n    " + ", ".join(f"{v:.{digits}g}" for v in c))


def series(f, at, terms):
    """f near 0, where its formula cancels."""
    t = mp.taylor(f, 0, terms)
    return lambda x: mp.polyval(t[at:][::-1], x)


tiny = mpf("1e-3")
# exp(r) = 1 + r + r^2 P(r)
show("exp", lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > tiny else mpf(1) / 2 + r / 6 + r * r / 24 + r**3 / 120 + r**4 / 720,
     -0.34658, 0.34658, 4, lambda r: r**2 / mp.exp(r) + mpf("1e-9"))
# log(1 + f) = f - f^2 / 2 + f^3 P(f)
show("log", lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3 if abs(f) > tiny else
     mpf(1) / 3 - f / 4 + f**2 / 5 - f**3 / 6 + f**4 / 7 - f**5 / 8,
     -0.2929, 0.41422, 8, lambda f: abs(f**3 / mp.log1p(f)) + mpf("1e-9") if f else mpf("1e-9"))
# tanh(x) = x + x^3 P(x^2)
show("tanh", lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z if z > tiny else
     -mpf(1) / 3 + 2 * z / 15 - 17 * z**2 / 315 + 62 * z**3 / 2835, 0, 0.36, 5, lambda z: z + mpf("1e-9"))
# sin(r) = r + r^3 P(r^2), cos(r) = 1 - r^2 / 2 + r^4 P(r^2)
show("sin", lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z if z > tiny else -mpf(1) / 6 + z / 120 - z**2 / 5040 + z**3 / 362880,
     0, 0.6169, 3, lambda z: z + mpf("1e-9"))
show("cos", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > tiny else mpf(1) / 24 - z / 720 + z**2 / 40320 - z**3 / 3628800,
     0, 0.6169, 3, lambda z: z**2 + mpf("1e-9"))
# erf(x) = x + x P(x^2) for x < 0.92; 1 - exp(-x Q(x)) above
show("erf small", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1 if z > tiny else
     2 / mp.sqrt(mp.pi) * (1 - z / 3 + z**2 / 10 - z**3 / 42 + z**4 / 216) - 1, 0, 0.8465, 6, lambda z: mpf(1))
show("erf large", lambda x: -mp.log(mp.erfc(x)) / x, 0.92, 4.0, 9, lambda x: mp.erfc(x) * x)
# log2(m) = f P(f), f = m - 1, to 2^-33, in float64; exp2(r) = 1 + r P(r), |r| <= 1/2
show("log2", lambda f: mp.log1p(f) / f / mp.log(2) if abs(f) > tiny else
     (1 - f / 2 + f**2 / 3 - f**3 / 4 + f**4 / 5 - f**5 / 6) / mp.log(2), -0.29290, 0.41422, 11, lambda f: abs(f / mp.log1p(f)) if f else mpf(1), 17)
show("exp2", lambda r: (2**r - 1) / r if abs(r) > tiny else mp.log(2) * (1 + (r * mp.log(2)) / 2 + (r * mp.log(2))**2 / 6 + (r * mp.log(2))**3 / 24), -0.5001, 0.5001, 5,
     lambda r: abs(r) / 2**r + mpf("1e-9"))
# erf(n / 8 + t), |t| <= 1/16, lowest power first; of n = 0: t + t P(t). The last is set by hand, so that it ends in 1.
for n in range(32):
    if n:
        c, e = remez(lambda t: mp.erf(mpf(n) / 8 + t), -mpf(1) / 16, mpf(1) / 16, 4, lambda t: 1 / mp.erf(mpf(n) / 8 + t))
    else:
        c, e = remez(lambda t: (mp.erf(t) / t if t else 2 / mp.sqrt(mp.pi)) - 1, mpf(0), mpf(1) / 16, 3, lambda t: mpf(1))
    print(f"erf {n}: error {float(e):.2e} " + ", ".join(f"{v:.9g}" for v in c[::-1] + [0] * (not n)))
