"""asin, acos, atan and atan2.

Results are base + multiple · (s + t), s a short argument and t its small correction; the base, a
multiple of π/4, is added in two parts.
"""

from __future__ import annotations

from mlirad.lower.llvm.elementary import coefficients as c
from mlirad.lower.llvm.elementary.floats import (
    fast_two_sum,
    format_of,
    full,
    magnitude,
    polynomial,
    remainder,
    two_product,
    with_sign_of,
)
from mlirad.lower.llvm.text import IRBuilder, Value


def asin(f: IRBuilder, x: Value) -> Value:
    """x + x³ P(x²) up to ½; beyond, π/2 - 2 asin √((1 - |x|)/2)."""
    form = format_of(x)
    a = magnitude(f, x)
    large, s, t = _half_angle(f, a)
    base = f.select(large, full(f, form.half_pi[0], x), 0.0)
    base_low = f.select(large, full(f, form.half_pi[1], x), 0.0)
    multiple = f.select(large, full(f, -2.0, x), 1.0)
    high, low = fast_two_sum(f, base, f.fmul(multiple, s))
    return with_sign_of(f, f.fadd(high, f.fadd(low, f.multiply_add(multiple, t, base_low))), x)


def acos(f: IRBuilder, x: Value) -> Value:
    """π/2 - asin x up to ½; beyond, 2 asin √((1 - x)/2), or π minus that of -x."""
    form = format_of(x)
    large, s, t = _half_angle(f, magnitude(f, x))
    negative = f.fcmp("olt", x, 0.0)
    turned = [f.select(negative, full(f, 2.0 * part, x), 0.0) for part in form.half_pi[:2]]
    base = f.select(large, turned[0], form.half_pi[0])
    base_low = f.select(large, turned[1], form.half_pi[1])
    # +2 and -1 for positive x, -2 and +1 for negative.
    multiple = f.select(
        large,
        f.select(negative, full(f, -2.0, x), 2.0),
        f.select(negative, full(f, 1.0, x), -1.0),
    )
    high, low = fast_two_sum(f, base, f.fmul(multiple, s))
    return f.fadd(high, f.fadd(low, f.multiply_add(multiple, t, base_low)))


def atan(f: IRBuilder, x: Value) -> Value:
    """atan2(x, 1)."""
    # From 2^60 on the result is π/2; the limit keeps infinity out of the quotient.
    a = f.intrinsic("minimum", magnitude(f, x), 2.0**60)
    swapped = f.fcmp("ogt", a, 1.0)
    smaller, larger = f.select(swapped, 1.0, a), f.select(swapped, a, 1.0)
    return with_sign_of(f, _angle(f, smaller, larger, swapped, None), x)


def atan2(f: IRBuilder, y: Value, x: Value) -> Value:
    """The angle of (x, y), with C's choices at zeros and infinities."""
    form = format_of(x)
    a, b = magnitude(f, y), magnitude(f, x)
    swapped = f.fcmp("ogt", a, b)
    infinite = f.fcmp("oeq", f.select(swapped, a, b), float("inf"))
    one = full(f, 1.0, x)
    a = f.select(infinite, f.select(f.fcmp("oeq", a, float("inf")), one, 0.0), a)
    b = f.select(infinite, f.select(f.fcmp("oeq", b, float("inf")), one, 0.0), b)
    smaller, larger = f.select(swapped, b, a), f.select(swapped, a, b)
    # A quotient of the right sign needs no care but that neither it nor 1/larger overflow or underflow.
    edge = float(form.bias - 60)
    step = 2.0 ** (form.bias // 4)
    scale = f.select(f.fcmp("ogt", larger, 2.0**edge), full(f, 1.0 / step, x), 1.0)
    scale = f.select(f.fcmp("olt", larger, 2.0**-edge), step, scale)
    smaller, larger = f.fmul(smaller, scale), f.fmul(larger, scale)
    larger = f.select(f.fcmp("oeq", larger, 0.0), 1.0, larger)
    # The sign bit, so that -0 counts as negative.
    turned = f.icmp("slt", f.bitcast(x, form.bits), 0)
    angle = with_sign_of(f, _angle(f, smaller, larger, swapped, turned), y)
    return f.select(f.fcmp("uno", x, y), f.fadd(x, y), angle)


def _half_angle(f: IRBuilder, a: Value) -> tuple[Value, Value, Value]:
    """Return whether |x| > ½, and asin(s) = s + t with s = |x|, or √((1 - |x|)/2) rounded once."""
    large = f.fcmp("ogt", a, 0.5)
    half = f.multiply_add(a, -0.5, 0.5)
    z = f.select(large, half, f.fmul(a, a))
    s = f.select(large, f.intrinsic("sqrt", half), a)
    return large, s, f.fmul(s, f.fmul(z, polynomial(f, z, c.ASIN.of(a.kind))))


def _angle(f: IRBuilder, smaller: Value, larger: Value, swapped: Value, turned: Value | None) -> Value:
    """The angle whose tangent is smaller/larger, in [0, π/4]; subtracted from π/2 where swapped, the
    result subtracted from π where turned.

    Above ½ the quotient becomes (smaller - larger)/(smaller + larger), which subtracts π/4: the
    numerator is exact, the denominator's error and the quotient's are made good by the remainder.
    """
    form = format_of(smaller)
    one = full(f, 1.0, smaller)
    near_one = f.fcmp("ogt", smaller, f.fmul(larger, 0.5))
    total, total_low = fast_two_sum(f, larger, smaller)
    numerator = f.select(near_one, f.fsub(smaller, larger), smaller)
    denominator = f.select(near_one, total, larger)
    denominator_low = f.select(near_one, total_low, 0.0)
    inverse = f.fdiv(one, denominator)
    t = f.fmul(numerator, inverse)
    rest = remainder(f, numerator, t, denominator)
    rest = f.multiply_add(f.fneg(t), denominator_low, rest)
    z = f.fmul(t, t)
    cubic = f.fmul(z, polynomial(f, z, c.ATAN.of(form.kind)))
    t_low = f.multiply_add(t, cubic, f.fmul(rest, inverse))

    # The angle is base·π/4 + multiple·(t + t_low).
    base = f.select(near_one, one, 0.0)
    base = f.select(swapped, f.fsub(2.0, base), base)
    multiple = f.select(swapped, full(f, -1.0, smaller), 1.0)
    if turned is not None:
        base = f.select(turned, f.fsub(4.0, base), base)
        multiple = f.select(turned, f.fneg(multiple), multiple)
    offset, offset_low = two_product(f, base, full(f, form.quarter_pi[0], base))
    offset_low = f.multiply_add(base, form.quarter_pi[1], offset_low)
    high, low = fast_two_sum(f, offset, f.fmul(multiple, t))
    return f.fadd(high, f.fadd(low, f.multiply_add(multiple, t_low, offset_low)))
