"""The Fourier transform of a few numbers in registers.

butterfly(f, [x0, x1])      [x0 + x1, x0 - x1]
"""

from __future__ import annotations

from math import sqrt

from mlirad.lower.kernels.transform_plans import roots
from mlirad.lower.llvm.text import IRBuilder, Value

Number = tuple[Value, Value]
"""Real and imaginary parts, of as many numbers as there are lanes."""


def butterfly(f: IRBuilder, x: list[Number]) -> list[Number]:
    """The forward transform of 2, 4, 8 or an odd number of numbers."""
    if len(x) % 2:
        return _odd(f, x)
    if len(x) == 2:
        return [plus(f, *x), minus(f, *x)]
    even, odd = butterfly(f, x[::2]), butterfly(f, x[1::2])
    turned = [_eighth(f, y, k * 8 // len(x)) for k, y in enumerate(odd)]
    sums = [plus(f, a, b) for a, b in zip(even, turned, strict=True)]
    return sums + [minus(f, a, b) for a, b in zip(even, turned, strict=True)]


def plus(f: IRBuilder, a: Number, b: Number) -> Number:
    return f.fadd(a[0], b[0]), f.fadd(a[1], b[1])


def minus(f: IRBuilder, a: Number, b: Number) -> Number:
    return f.fsub(a[0], b[0]), f.fsub(a[1], b[1])


def times(f: IRBuilder, a: Number, b: Number) -> Number:
    """The product, with three roundings for each part."""
    real = f.multiply_add(a[0], b[0], f.fneg(f.fmul(a[1], b[1])))
    return real, f.multiply_add(a[0], b[1], f.fmul(a[1], b[0]))


def _eighth(f: IRBuilder, z: Number, eighths: int) -> Number:
    """z turned back by a given number of eighths of a circle, at most three."""
    if eighths >= 2:
        z = z[1], f.fneg(z[0])
    if eighths % 2:
        half = sqrt(0.5)
        z = f.fmul(f.fadd(z[0], z[1]), half), f.fmul(f.fsub(z[1], z[0]), half)
    return z


def _odd(f: IRBuilder, x: list[Number]) -> list[Number]:
    """By sums and differences of x[j] and x[r - j], which one cosine and one sine go with."""
    r = len(x)
    pairs = range(1, r // 2 + 1)
    sums = [plus(f, x[j], x[r - j]) for j in pairs]
    differences = [minus(f, x[j], x[r - j]) for j in pairs]
    first = x[0]
    for a in sums:
        first = plus(f, first, a)
    found: dict[int, Number] = {0: first}
    for k in pairs:
        cosines, sines = roots([j * k for j in pairs], r)
        even, odd = list(x[0]), [f.fmul(part, -sines[0]) for part in differences[0]]
        for n, (a, b) in enumerate(zip(sums, differences, strict=True)):
            for part in (0, 1):
                even[part] = f.multiply_add(a[part], cosines[n], even[part])
                if n:
                    odd[part] = f.multiply_add(b[part], -sines[n], odd[part])
        found[k] = f.fadd(even[0], odd[1]), f.fsub(even[1], odd[0])
        found[r - k] = f.fsub(even[0], odd[1]), f.fadd(even[1], odd[0])
    return [found[k] for k in range(r)]
