"""sin, cos and tan, and the slope of sin(πx)/(πx).

x = n π/2 + r + r_low with |r| ≤ π/4, by subtracting n times three parts of π/2. The first
subtraction is exact (x and n times the first part are multiples of half an ulp of 1, and so is their
difference, which is below 1); the second keeps its error. Arguments from 2^28 (2^16 in
single precision) on, where that loses accuracy, go to the C library behind a branch that is taken
only if there are any.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from mlirad.lower.llvm.elementary import coefficients as c
from mlirad.lower.llvm.elementary.calls import call_c, outlined, where_unlikely
from mlirad.lower.llvm.elementary.floats import (
    Format,
    fast_two_sum,
    format_of,
    full,
    magnitude,
    polynomial,
    remainder,
    two_product,
    two_sum,
)
from mlirad.lower.llvm.text import IRBuilder, Kind, Value

_LARGE: Final[dict[Kind, int]] = {"double": 28, "float": 16}
"""The power of two from which arguments are left to the C library."""


class Reduced(NamedTuple):
    """`quadrant` has n in its two lowest bits."""

    quadrant: Value
    r: Value
    r_low: Value


def sin(f: IRBuilder, x: Value) -> Value:
    reduced = _reduce(f, x)
    sine, cosine = sine_and_cosine(f, reduced.r, reduced.r_low)
    y = f.select(_odd(f, reduced.quadrant), cosine, sine)
    y = _negate_if_second_bit(f, y, reduced.quadrant)
    y = f.select(f.fcmp("oeq", x, 0.0), x, y)
    return _large(f, "sin", x, y)


def cos(f: IRBuilder, x: Value) -> Value:
    reduced = _reduce(f, x)
    sine, cosine = sine_and_cosine(f, reduced.r, reduced.r_low)
    quadrant = f.add(reduced.quadrant, 1)
    y = f.select(_odd(f, quadrant), cosine, sine)
    return _large(f, "cos", x, _negate_if_second_bit(f, y, quadrant))


def tan(f: IRBuilder, x: Value) -> Value:
    """sin r / cos r, or its negative reciprocal in odd quadrants, sine and cosine in two parts."""
    reduced = _reduce(f, x)
    odd = _odd(f, reduced.quadrant)
    sine, cosine = fast_two_sum(f, *_sine_sum(f, reduced)), fast_two_sum(f, *_cosine_sum(f, reduced))
    numerator, numerator_low = (f.select(odd, f.fneg(b), a) for a, b in zip(sine, cosine, strict=True))
    denominator, denominator_low = (f.select(odd, a, b) for a, b in zip(sine, cosine, strict=True))
    inverse = f.fdiv(full(f, 1.0, x), denominator)
    quotient = f.fmul(numerator, inverse)
    rest = remainder(f, numerator, quotient, denominator)
    rest = f.fadd(rest, f.multiply_add(f.fneg(quotient), denominator_low, numerator_low))
    y = f.multiply_add(rest, inverse, quotient)
    # Near 0, parts of the remainder would vanish.
    y = f.select(f.fcmp("olt", magnitude(f, x), 2.0**-60), x, y)
    return _large(f, "tan", x, y)


def sincpi_slope(f: IRBuilder, x: Value) -> Value:
    """(cos πx - sin(πx)/(πx))/x, the derivative of sin(πx)/(πx), 0 at ±∞.

    x less whole turns less quarters of them is exact. For |x| ≤ ¼ nothing is subtracted from the cosine but
    the terms from the second on: with z = (πx)², z (C(z) z - S(z) - ½) of the polynomials of cosine and sine.
    """
    form = format_of(x)
    turns = f.intrinsic("roundeven", f.fmul(x, 0.5))
    rest = f.multiply_add(turns, -2.0, x)
    counter = f.multiply_add(rest, 2.0, form.rounder)
    quarters = f.fsub(counter, form.rounder)
    r = f.fmul(f.multiply_add(quarters, -0.5, rest), math.pi)
    z = f.fmul(r, r)
    cubic, quartic = polynomial(f, z, c.SIN.of(x.kind)), polynomial(f, z, c.COS.of(x.kind))
    sine = f.multiply_add(f.fmul(r, z), cubic, r)
    bent = f.multiply_add(z, quartic, -0.5)
    cosine = f.multiply_add(z, bent, 1.0)
    quadrant = f.bitcast(counter, form.bits)
    odd = _odd(f, quadrant)
    high = _negate_if_second_bit(f, f.select(odd, sine, cosine), f.add(quadrant, 1))
    low = _negate_if_second_bit(f, f.select(odd, cosine, sine), quadrant)
    inverse = f.fdiv(full(f, 1.0, x), x)
    far = f.fmul(f.multiply_add(f.fmul(low, inverse), -1 / math.pi, high), inverse)
    near = f.fmul(f.fmul(x, math.pi * math.pi), f.fsub(bent, cubic))
    y = f.select(f.fcmp("ole", magnitude(f, x), 0.25), near, far)
    return f.select(f.fcmp("oeq", magnitude(f, x), float("inf")), 0.0, y)


def sine_and_cosine(f: IRBuilder, r: Value, r_low: Value) -> tuple[Value, Value]:
    """sin and cos of r + r_low for |r| ≤ π/4."""
    reduced = Reduced(r, r, r_low)
    return f.fadd(*_sine_sum(f, reduced)), f.fadd(*_cosine_sum(f, reduced))


def _sine_sum(f: IRBuilder, reduced: Reduced) -> tuple[Value, Value]:
    """sin(r + r_low) as r and a small term."""
    r = reduced.r
    z = f.fmul(r, r)
    cubic = f.fmul(z, polynomial(f, z, c.SIN.of(r.kind)))
    return r, f.multiply_add(r, cubic, reduced.r_low)


def _cosine_sum(f: IRBuilder, reduced: Reduced) -> tuple[Value, Value]:
    """cos(r + r_low) as 1 - r²/2, rounded, and a small term."""
    r = reduced.r
    z = f.fmul(r, r)
    half = f.fmul(z, 0.5)
    near = f.fsub(1.0, half)
    lost = f.fsub(f.fsub(1.0, near), half)
    lost = f.multiply_add(f.fneg(r), reduced.r_low, lost)
    quartic = f.fmul(f.fmul(z, z), polynomial(f, z, c.COS.of(r.kind)))
    return near, f.fadd(quartic, lost)


def _reduce(f: IRBuilder, x: Value) -> Reduced:
    form = format_of(x)
    counter = f.multiply_add(x, 1.0 / form.half_pi[0], form.rounder)
    n = f.fneg(f.fsub(counter, form.rounder))
    first = _exact_rest(f, form, x, n)
    # Near a multiple of π/2 the two may cancel: the sum is taken with its exact error.
    second, second_low = two_product(f, n, full(f, form.half_pi[1], x))
    r, r_low = two_sum(f, first, second)
    r_low = f.fadd(r_low, f.multiply_add(n, form.half_pi[2], second_low))
    return Reduced(f.bitcast(counter, form.bits), r, r_low)


def _exact_rest(f: IRBuilder, form: Format, x: Value, n: Value) -> Value:
    """x + n times the first part of π/2. Where products cannot be fused, that part is cut so short that its
    products with n are exact, and so are the sums."""
    whole = form.half_pi[0]
    short = form.fraction + 1 - _LARGE[form.kind]
    for part in [whole] if f.fuses else _cut(whole, short):
        x = f.multiply_add(n, part, x)
    return x


def _cut(number: float, bits: int) -> list[float]:
    """A number in [1, 2) as a sum of numbers of a given number of bits."""
    parts: list[float] = []
    unit = 2.0
    while number:
        unit *= 2.0**-bits
        parts.append(math.floor(number / unit) * unit)
        number -= parts[-1]
    return parts


def _odd(f: IRBuilder, quadrant: Value) -> Value:
    return f.icmp("ne", f.and_(quadrant, 1), 0)


def _negate_if_second_bit(f: IRBuilder, y: Value, quadrant: Value) -> Value:
    form = format_of(y)
    sign = f.shl(f.and_(quadrant, 2), form.size - 2)
    return f.bitcast(f.xor(f.bitcast(y, form.bits), sign), form.kind)


def _large(f: IRBuilder, name: str, x: Value, y: Value) -> Value:
    large = f.fcmp("oge", magnitude(f, x), 2.0 ** _LARGE[x.kind])

    def through_c(f: IRBuilder, x: Value) -> Value:
        # The C library reports the invalid operation at infinity by errno; not calling it is cheaper.
        infinite = f.fcmp("oeq", magnitude(f, x), float("inf"))
        finite = f.select(infinite, full(f, 0.0, x), x)
        return f.select(infinite, full(f, float("nan"), x), call_c(f, name, finite))

    return where_unlikely(f, large, x, y, lambda x: outlined(f, f"large_{name}", x, through_c))
