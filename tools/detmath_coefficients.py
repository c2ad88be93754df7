#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the constants of src/base/detmath.h: minimax polynomials found by Remez exchange in 60-digit decimals.

Every polynomial is fitted with the weight that makes its error relative to the value of the function it serves, and
then rounded coefficient by coefficient. Needs only Python's standard library. The printed `error` is the
largest weighted error of the unrounded polynomial, as a power of two.
"""
import math
import struct
from decimal import Decimal as D, getcontext

getcontext().prec = 60
LN2 = D(2).ln()
SAMPLES = 1500


def solve(rows):
    """Solves the augmented linear system by elimination with partial pivoting."""
    n = len(rows)
    for c in range(n):
        p = max(range(c, n), key=lambda i: abs(rows[i][c]))
        rows[c], rows[p] = rows[p], rows[c]
        for i in range(n):
            if i != c and rows[i][c] != 0:
                f = rows[i][c] / rows[c][c]
                rows[i] = [a - f * b for a, b in zip(rows[i], rows[c])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def horner(coefficients, x):
    value = D(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def remez(f, weight, lo, hi, degree):
    """The polynomial p of that degree that makes max |weight * (p - f)| on [lo, hi] least, and that maximum."""
    grid = [(lo + hi) / 2 + (hi - lo) / 2 * D(math.cos(math.pi * (i + 0.5) / SAMPLES)) for i in range(SAMPLES)]
    fs, ws = [f(x) for x in grid], [weight(x) for x in grid]
    picks = [round((i + 0.5) * SAMPLES / (degree + 2)) for i in range(degree + 2)]
    for _ in range(30):
        rows = [[grid[j] ** k for k in range(degree + 1)] + [D((-1) ** i) / ws[j], fs[j]] for i, j in enumerate(picks)]
        p = solve(rows)[:-1]
        errors = [w * (horner(p, x) - v) for x, v, w in zip(grid, fs, ws)]
        new, start = [], 0
        for i in range(1, SAMPLES + 1):
            if i == SAMPLES or (errors[i] > 0) != (errors[start] > 0):
                new.append(max(range(start, i), key=lambda j: abs(errors[j])))
                start = i
        while len(new) > degree + 2:
            new.pop(0 if abs(errors[new[0]]) < abs(errors[new[-1]]) else -1)
        if len(new) < degree + 2 or new == picks:
            break
        picks = new
    return p, max(abs(e) for e in errors)


def show(name, p, error, single):
    print(f"{name}: error 2^{math.log2(error):.1f}")
    for k, c in enumerate(p):
        value = float(c)
        if single:
            value = struct.unpack("f", struct.pack("f", value))[0]
        print(f"  c{k} = {value.hex()}{'f' if single else ''}")


def split(name, value, high_bits, single):
    """A constant as a short high part, whose product with a small integer is exact, plus the rounded rest."""
    unit = D(2) ** (math.frexp(float(value))[1] - high_bits)
    high = (value / unit).to_integral_value() * unit
    show(name, [high, value - high], 2.0 ** -99, single)


def high_word(x, single):
    """The upper 32 bits of a double, or all of a float."""
    return struct.unpack("<I", struct.pack("<f", x))[0] if single else struct.unpack("<2I", struct.pack("<d", x))[1]


def from_high_word(word, single):
    packed = struct.pack("<I", word) if single else struct.pack("<2I", 0, word)
    return struct.unpack("<f" if single else "<d", packed)[0]


def guess_ratio(x, constant, single):
    """x * y0**3 for the bit trick of detmath.h: y0 ~ x**(-1/3) with bits constant - bits(x)/3 (high words)."""
    y = from_high_word(constant - (high_word(x, single) * 0x55555556 >> 32), single)
    return x * y * y * y


def guess_range(constant, single):
    ratios = [guess_ratio(2.0 ** (3 * i / 6000), constant, single) for i in range(6001)]
    return min(ratios), max(ratios)


def best_guess(single):
    """The constant for which x * y0**3 stays nearest to 1, and its range."""
    base, step = (0x54a00000, 1 << 14) if single else (0x55300000, 1 << 11)
    spread = lambda constant: max(abs(math.log(ratio)) for ratio in guess_range(constant, single))
    best = min((base + k * step for k in range(512)), key=spread)
    return best, guess_range(best, single)


def cube_root(name, first_degree, last_degree, bits, single):
    constant, (low, high) = best_guess(single)
    print(f"{name} guess: constant 0x{constant:08x}, x*y0^3 in [{low:.6f}, {high:.6f}]")
    third = D(1) / 3
    power = lambda u, e: (u.ln() * e).exp()
    p, error = remez(lambda e: power(1 - e, -2 * third), lambda e: power(1 - e, 2 * third),
                     D(1 - high - 0.002), D(1 - low + 0.002), first_degree)
    # The truncated estimate must never exceed the cube root: lower it by the fit's error and some rounding.
    slack = error + D(2) ** (-21 if single else -40)
    show(name + " first step", [c * (1 - slack) for c in p], error, single)
    reach = 3 * (2 * slack + D(2) ** (1 - bits))
    p, error = remez(lambda d: (power(1 - d, -third) - 1) / d, lambda d: d * power(1 - d, third), D(0), reach,
                     last_degree)
    show(f"{name} last step, defect in [0, 2^{math.log2(reach):.2f}]", p, error, single)


def main():
    split("ln2", LN2, 42, False)
    split("ln2 single", LN2, 15, True)
    half = LN2 / 2 * (1 + D(2) ** -10)
    tail = lambda r: (r.exp() - 1 - r) / (r * r)
    for name, degree, single in (("exp", 9, False), ("exp single", 4, True)):
        p, error = remez(tail, lambda r: r * r / r.exp(), -half, half, degree)
        show(name, p, error, single)
    limit = (D(2).sqrt() - 1) / (D(2).sqrt() + 1) * (1 + D(2) ** -10)
    ratio = lambda z: (((1 + z.sqrt()) / (1 - z.sqrt())).ln() / z.sqrt() - 2) / z
    p, error = remez(ratio, lambda z: z, D(0), limit * limit, 7)
    show("log", p, error, False)
    cube_root("cbrt", 3, 2, 17, False)
    cube_root("cbrt single", 1, 2, 8, True)


if __name__ == "__main__":
    main()
