"""log and what is made of it: log log2 log1p softplus asinh acosh atanh, and log_ratio of two numbers.

x = 2^k m with √½ ≤ m < √2, g = m - 1, s = g/(2 + g): log m = 2 atanh s = g - s (g - z R(z)), z = s²,
which has one rounding near full size for k = 0. k ln 2 is added in two parts.
"""

from __future__ import annotations

from typing import NamedTuple

from mlirad.lower.llvm.elementary import coefficients as c
from mlirad.lower.llvm.elementary.calls import where_unlikely
from mlirad.lower.llvm.elementary.exponential import exp
from mlirad.lower.llvm.elementary.floats import (
    Format,
    at_least,
    at_most,
    fast_two_sum,
    format_of,
    full,
    magnitude,
    polynomial,
    remainder,
    two_product,
    two_sum,
    with_sign_of,
)
from mlirad.lower.llvm.text import IRBuilder, Value

_SQRT_HALF = 0.7071067811865476
_LN2 = 0.6931471805599453


class Split(NamedTuple):
    """x = 2^k m: the exponent as a float, the significand, and k + bias as an integer."""

    k: Value
    m: Value
    biased: Value


def log(f: IRBuilder, x: Value) -> Value:
    form = format_of(x)
    split = split_normalised(f, x)
    y = _log_of_split(f, form, split.k, f.fsub(split.m, 1.0), None)
    return log_special(f, x, y)


def log2(f: IRBuilder, x: Value) -> Value:
    """k + log m · log2 e, the product in two parts: exact at powers of two."""
    form = format_of(x)
    split = split_normalised(f, x)
    g = f.fsub(split.m, 1.0)
    s, inner = _atanh_parts(f, form, g)
    high, low = fast_two_sum(f, g, f.fneg(f.fmul(s, inner)))
    product, error = two_product(f, high, full(f, form.log2_e[0], x))
    error = f.multiply_add(low, form.log2_e[0], f.multiply_add(high, form.log2_e[1], error))
    total, rest = fast_two_sum(f, split.k, product)
    return log_special(f, x, f.fadd(total, f.fadd(rest, error)))


def log1p(f: IRBuilder, x: Value) -> Value:
    form = format_of(x)
    y, downwards = _log1p_sum(f, x)
    y = with_sign_of(f, y, x)
    # The exponent of a positive 1 + x is no less than that of half an ulp of 1. Those of the largest numbers,
    # of infinity, NaN and negative numbers are beyond the one that is counted from.
    seldom = f.icmp("ugt", downwards, form.bias + form.fraction + 2)
    return where_unlikely(f, seldom, x, y, lambda x: _log1p_special(f, x, y))


def _log1p_special(f: IRBuilder, x: Value, y: Value) -> Value:
    """inf at inf, -inf at -1, NaN below and at NaN, y elsewhere."""
    y = f.select(f.fcmp("oeq", x, float("inf")), x, y)
    y = f.select(f.fcmp("ogt", x, -1.0), y, float("nan"))
    return f.select(f.fcmp("oeq", x, -1.0), float("-inf"), y)


def softplus(f: IRBuilder, x: Value) -> Value:
    """log(1 + exp x) = max(x, 0) + log1p(exp(-|x|))."""
    tail = log1p_sum(f, exp(f, f.fneg(magnitude(f, x))))
    return f.fadd(f.select(f.fcmp("ogt", x, 0.0), x, 0.0), tail)


def asinh(f: IRBuilder, x: Value) -> Value:
    """log1p(a + a²/(1 + √(1 + a²))), a = |x|; beyond 2^60, log 2a."""
    a = magnitude(f, x)
    huge = f.fcmp("ogt", a, 2.0**60)
    square = f.fmul(a, a)
    root = f.intrinsic("sqrt", f.fadd(square, 1.0))
    rest = f.select(huge, 0.0, f.fdiv(square, f.fadd(root, 1.0)))
    high, low = fast_two_sum(f, a, rest)
    y = log1p_sum(f, high, low, f.select(huge, full(f, 1.0, x), 0.0))
    y = f.select(f.fcmp("oeq", a, float("inf")), a, y)
    return with_sign_of(f, y, x)


def acosh(f: IRBuilder, x: Value) -> Value:
    """log1p(t + √(t² + 2t)), t = x - 1; beyond 2^60, log 2x."""
    huge = f.fcmp("ogt", x, 2.0**60)
    t, t_low = two_sum(f, -1.0, x)
    root = f.select(huge, 0.0, f.intrinsic("sqrt", f.fmul(t, f.fadd(t, 2.0))))
    high, low = two_sum(f, t, root)
    low = f.fadd(low, t_low)
    y = log1p_sum(f, high, low, f.select(huge, full(f, 1.0, x), 0.0))
    y = f.select(f.fcmp("oeq", x, float("inf")), x, y)
    return f.select(f.fcmp("oge", x, 1.0), y, float("nan"))


def atanh(f: IRBuilder, x: Value) -> Value:
    """½ log1p(2a/(1 - a)), a = |x|, with the quotient's error from its remainder."""
    a = magnitude(f, x)
    denominator = f.fsub(1.0, a)
    denominator_low = f.fsub(f.fsub(1.0, denominator), a)
    inverse = f.fdiv(full(f, 1.0, x), denominator)
    numerator = f.fadd(a, a)
    quotient = f.fmul(numerator, inverse)
    rest = remainder(f, numerator, quotient, denominator)
    rest = f.multiply_add(f.fneg(quotient), denominator_low, rest)
    y = f.fmul(log1p_sum(f, quotient, f.fmul(rest, inverse)), 0.5)
    y = f.select(f.fcmp("olt", a, 1.0), y, float("nan"))
    y = f.select(f.fcmp("oeq", a, 1.0), float("inf"), y)
    return with_sign_of(f, y, x)


def log_ratio(f: IRBuilder, x: Value, y: Value) -> Value:
    """log(x / y) = k ln 2 + 2 atanh s, s = (x' - y')/(x' + y'), with 1 ≤ y' < 2 and 2/3 ≤ x'/y' ≤ 3/2.

    Both are cut from the difference of the bits, as these are close to logarithms. x' - y' is exact.
    """
    form = format_of(x)
    usual = f.and_(_is_positive_normal(f, form, x), _is_positive_normal(f, form, y))
    with f.conditional(f.any_lane(f.not_(usual)), [x, y, full(f, 0.0, x)], unlikely=True) as branch:
        branch.give(*_log_ratio_ends(f, form, x, y))
    x, y, more = branch.results
    half, unit = 1 << (form.fraction - 1), 1 << form.fraction
    steps = 1 << (form.size - form.fraction - 1)
    y_bits = f.bitcast(y, form.bits)
    # The difference of exponents and significands, made positive and half a step larger.
    distance = f.add(f.sub(f.bitcast(x, form.bits), y_bits), half - (1 << (form.size - 1)))
    counted = f.bitcast(f.or_(f.lshr(distance, form.fraction), form.pattern(float(unit))), form.kind)
    k = f.fsub(counted, float(unit + steps))
    y_bits = f.or_(f.and_(y_bits, unit - 1), form.pattern(1.0))
    x_bits = f.add(f.add(y_bits, f.and_(distance, unit - 1)), -half)
    x, y = f.bitcast(x_bits, form.kind), f.bitcast(y_bits, form.kind)
    s = f.fdiv(f.fsub(x, y), f.fadd(x, y))
    z = f.fmul(s, s)
    cubic = f.fmul(f.fmul(s, z), polynomial(f, z, c.ATANH_WIDE.of(form.kind)))
    total, rest = fast_two_sum(f, f.fmul(k, form.ln2[0]), f.fadd(s, s))
    rest = f.fadd(rest, f.multiply_add(k, form.ln2[1], cubic))
    return f.fadd(f.fadd(total, rest), more)


def _is_positive_normal(f: IRBuilder, form: Format, x: Value) -> Value:
    least = form.pattern(form.smallest_normal)
    return f.icmp("ult", f.sub(f.bitcast(x, form.bits), least), form.pattern(float("inf")) - least)


def _log_ratio_ends(f: IRBuilder, form: Format, x: Value, y: Value) -> tuple[Value, Value, Value]:
    """Positive normal numbers for x and y, and what to add to the logarithm of their quotient.

    Subnormal numbers are scaled up, both where both are small. Others that are not positive and normal are
    replaced by 1, where the result is infinite or NaN.
    """
    shift = form.fraction + 2
    small = f.and_(f.fcmp("olt", x, 1.0), f.fcmp("olt", y, 1.0))
    scale = f.select(small, full(f, 2.0**shift, x), 1.0)
    more = full(f, 0.0, x)
    found: list[Value] = []
    for value, sign in ((f.fmul(x, scale), 1.0), (f.fmul(y, scale), -1.0)):
        more = f.select(f.fcmp("oeq", value, 0.0), f.fadd(more, -sign * float("inf")), more)
        more = f.select(f.fcmp("oeq", value, float("inf")), f.fadd(more, sign * float("inf")), more)
        more = f.select(f.fcmp("oge", value, 0.0), more, float("nan"))
        tiny = f.fcmp("olt", value, form.smallest_normal)
        more = f.select(tiny, f.fadd(more, -sign * shift * _LN2), more)
        value = f.select(tiny, f.fmul(value, 2.0**shift), value)
        found.append(f.select(_is_positive_normal(f, form, value), value, 1.0))
    return found[0], found[1], more


def split_normalised(f: IRBuilder, x: Value) -> Split:
    """`split` for any positive x: subnormal numbers are scaled up first."""
    form = format_of(x)
    shift = form.fraction + 2
    small = f.fcmp("olt", x, form.smallest_normal)
    scaled = f.select(small, f.fmul(x, 2.0**shift), x)
    return split(f, scaled, f.select(small, full(f, shift, x), 0.0))


def split(f: IRBuilder, x: Value, less: Value | None = None) -> Split:
    """Exponent (minus `less`) and significand of a positive normal number, with √½ ≤ m < √2."""
    form = format_of(x)
    low_end = form.pattern(_SQRT_HALF)
    shifted = f.add(f.bitcast(x, form.bits), form.pattern(1.0) - low_end)
    biased = f.lshr(shifted, form.fraction)
    m = f.bitcast(f.add(f.and_(shifted, (1 << form.fraction) - 1), low_end), form.kind)
    # An integer below 2^fraction in the fraction of 2^fraction is that integer as a float.
    counted = f.bitcast(f.or_(biased, form.pattern(2.0**form.fraction)), form.kind)
    k = f.fsub(counted, 2.0**form.fraction + form.bias)
    return Split(k if less is None else f.fsub(k, less), m, biased)


def log1p_sum(f: IRBuilder, x: Value, x_low: Value | None = None, more: Value | None = None) -> Value:
    """log(1 + x + x_low) + more·ln 2 for finite x > -1, with full relative accuracy near 0."""
    return _log1p_sum(f, x, x_low, more)[0]


def _log1p_sum(
    f: IRBuilder, x: Value, x_low: Value | None = None, more: Value | None = None
) -> tuple[Value, Value]:
    """The same, and how far the exponent of 1 + x is below the largest one.

    1 + x is split like the argument of log; what its rounding lost joins the significand.
    """
    form = format_of(x)
    total = f.fadd(1.0, x)
    lost = f.fsub(at_most(f, x, 1.0), f.fsub(total, at_least(f, x, 1.0)))  # by the smaller and the larger
    if x_low is not None:
        lost = f.fadd(lost, x_low)
    parts = split(f, total)
    # 2^-k, or 0 where k is so large that nothing was lost.
    downwards = f.sub(2 * form.bias, parts.biased)
    reciprocal = f.intrinsic("smax", downwards, 0)
    scale = f.bitcast(f.shl(reciprocal, form.fraction), form.kind)
    g, g_low = fast_two_sum(f, f.fsub(parts.m, 1.0), f.fmul(lost, scale))
    k = parts.k if more is None else f.fadd(parts.k, more)
    return _log_of_split(f, form, k, g, g_low), downwards


def log_special(f: IRBuilder, x: Value, y: Value) -> Value:
    """-inf at 0, NaN below and at NaN, inf at inf, y elsewhere."""
    y = f.select(f.fcmp("olt", x, float("inf")), y, x)
    zero_or_less = f.select(f.fcmp("oeq", x, 0.0), full(f, float("-inf"), x), float("nan"))
    return f.select(f.fcmp("ogt", x, 0.0), y, zero_or_less)


def _log_of_split(f: IRBuilder, form: Format, k: Value, g: Value, g_low: Value | None) -> Value:
    """k ln 2 + log(1 + g + g_low)."""
    s, inner = _atanh_parts(f, form, g)
    # k ln2[0] is exact, and 0 or larger than g.
    total, rest = fast_two_sum(f, f.fmul(k, form.ln2[0]), g)
    if g_low is not None:
        rest = f.fadd(rest, g_low)
    rest = f.multiply_add(k, form.ln2[1], rest)
    return f.fadd(total, f.multiply_add(f.fneg(s), inner, rest))


def _atanh_parts(f: IRBuilder, form: Format, g: Value) -> tuple[Value, Value]:
    """s and g - z R(z), whose product is g - log(1 + g)."""
    s = f.fdiv(g, f.fadd(g, 2.0))
    z = f.fmul(s, s)
    return s, f.multiply_add(f.fneg(z), polynomial(f, z, c.ATANH.of(form.kind)), g)
