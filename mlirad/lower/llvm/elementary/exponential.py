"""exp and what is made of it: exp exp2 expm1 sinh cosh tanh logistic, and the slopes of the last two.

x = n ln 2 + r with |r| ≤ ln 2 / 2; exp x = 2^n (1 + p) with p = r + r² q(r). The sum x / ln 2 + 1.5·2^52
rounds to n and leaves n, plus any integer added to the constant, in its low bits: a shift by the
fraction's length turns that into a power of two. Arguments are clamped so that n stays in range,
beyond the point where the result overflows or vanishes.
"""

from __future__ import annotations

from typing import NamedTuple

from mlirad.lower.llvm.elementary import coefficients as c
from mlirad.lower.llvm.elementary.calls import outlined, shared, where_unlikely
from mlirad.lower.llvm.elementary.floats import (
    Format,
    at_least,
    at_most,
    fast_two_sum,
    format_of,
    full,
    magnitude,
    polynomial,
    with_sign_of,
)
from mlirad.lower.llvm.text import IRBuilder, Value


class Reduced(NamedTuple):
    """`counter` holds n + offset in its low bits; exp r - 1 = r + tail, |tail| < r²."""

    counter: Value
    r: Value
    tail: Value


def exp(f: IRBuilder, x: Value) -> Value:
    form = format_of(x)
    x = at_least(f, at_most(f, x, 1.2 * form.bias), -1.2 * form.bias)
    counter, r, tail = reduce_exp(f, x, None, 2 * form.bias)
    return scale_twice(f, form, f.fadd(f.fadd(r, tail), 1.0), counter)


def exp2(f: IRBuilder, x: Value) -> Value:
    form = format_of(x)
    x = at_least(f, at_most(f, x, 2.0 * form.bias), -2.0 * form.bias)
    counter = f.fadd(x, form.rounder + 2 * form.bias)
    r = f.fsub(x, f.fsub(counter, form.rounder + 2 * form.bias))
    first, *others = c.EXP2.of(form.kind)
    p = f.multiply_add(r, first, f.fmul(f.fmul(r, r), polynomial(f, r, others)))
    return scale_twice(f, form, f.fadd(p, 1.0), f.bitcast(counter, form.bits))


def expm1(f: IRBuilder, x: Value) -> Value:
    form = format_of(x)
    overflows = 710.0 if x.kind == "double" else 88.9
    limited = at_least(f, at_most(f, x, overflows), -1.5 * form.fraction)
    y = f.fmul(_scaled_expm1(f, limited, -1), 2.0)
    return _itself_near_zero(f, x, y)


def tanh(f: IRBuilder, x: Value) -> Value:
    """e/(e + 2) with e = expm1(2|x|)."""
    form = format_of(x)
    doubled = at_most(f, f.fmul(magnitude(f, x), 2.0), 0.75 * form.fraction)
    half = _scaled_expm1(f, doubled, -1)
    return with_sign_of(f, _over_one_more(f, half, half), x)


def tanh_with_slope(f: IRBuilder, x: Value) -> tuple[Value, Value]:
    """tanh(x) and 1 - tanh(x)², which is (2 - q)q with q = 2/(e + 2), e = expm1(2|x|).

    q holds all digits of the slope. As far as e reaches without overflow, the slope becomes subnormal.
    """
    limit = 709.78 if x.kind == "double" else 88.722
    doubled = at_most(f, f.fmul(magnitude(f, x), 2.0), limit)
    half = shared(f, "half_expm1", [doubled], _half_expm1)
    q = f.fdiv(full(f, 1.0, x), f.fadd(half, 1.0))
    # The division of the value is the same. Beyond 2^60 the value is 1, also where q is flushed to 0.
    value = f.select(f.fcmp("ogt", half, 2.0**60), 1.0, _over_one_more(f, half, half))
    return with_sign_of(f, value, x), f.fmul(f.fsub(2.0, q), q)


def _half_expm1(f: IRBuilder, x: Value) -> Value:
    return _scaled_expm1(f, x, -1)


def sinh(f: IRBuilder, x: Value) -> Value:
    """(e + e/(e + 1))/2 with e = expm1|x|; e/4 is formed, so that only the result overflows."""
    quarter = _scaled_expm1(f, _overflowing_late(f, x), -2)
    # Beyond 2^60 the rest does not count.
    limited = at_most(f, quarter, 2.0**60)
    rest = _over_one_more(f, limited, f.fmul(limited, 4.0))
    y = with_sign_of(f, f.fmul(f.fadd(quarter, rest), 2.0), x)
    return _itself_near_zero(f, x, y)


def cosh(f: IRBuilder, x: Value) -> Value:
    """(e + 1/e)/2 with e = exp|x|; e/4 is formed, so that only the result overflows."""
    form = format_of(x)
    counter, r, tail = reduce_exp(f, _overflowing_late(f, x), None, form.bias - 2)
    scale = _power_of_two(f, form, counter)
    quarter = f.multiply_add(scale, f.fadd(r, tail), scale)
    return f.fmul(f.fadd(quarter, f.fdiv(full(f, 0.0625, x), quarter)), 2.0)


def logistic(f: IRBuilder, x: Value) -> Value:
    """1/(1 + e) for x ≥ 0, e/(1 + e) below, with e = exp(-|x|): neither overflows."""
    return _logistic_of(f, x, exp(f, f.fneg(magnitude(f, x))))


def logistic_with_slope(f: IRBuilder, x: Value) -> tuple[Value, Value]:
    """logistic(x) and e/(1 + e)² with e = exp(-|x|)."""
    e = shared(f, "exp", [f.fneg(magnitude(f, x))], exp)
    inverse = f.fdiv(full(f, 1.0, x), f.fadd(e, 1.0))
    return _logistic_of(f, x, e), f.fmul(f.fmul(e, inverse), inverse)


def _logistic_of(f: IRBuilder, x: Value, e: Value) -> Value:
    numerator = f.select(f.fcmp("olt", x, 0.0), e, 1.0)
    return _over_one_more(f, numerator, e)


def tanh_slope(f: IRBuilder, x: Value, y: Value) -> Value:
    """1 - y² with y = tanh(x); 4u/(1 + u)² with u = exp(-2|x|) where little is left of 1."""
    slope = f.multiply_add(f.fneg(y), y, 1.0)
    is_far = f.fcmp("olt", slope, 2.0**-12 if x.kind == "double" else 2.0**-10)
    return where_unlikely(f, is_far, x, slope, lambda x: outlined(f, "tanh_tail", x, _tanh_tail))


def _tanh_tail(f: IRBuilder, x: Value) -> Value:
    return f.fmul(_logistic_tail(f, f.fmul(magnitude(f, x), 2.0)), 4.0)


def logistic_slope(f: IRBuilder, x: Value, y: Value) -> Value:
    """y(1 - y) with y = logistic(x); e/(1 + e)² with e = exp(-x) where little is left of 1 - y."""
    slope = f.fmul(y, f.fsub(1.0, y))
    is_far = f.fcmp("ogt", y, 1.0 - (2.0**-12 if x.kind == "double" else 2.0**-9))
    return where_unlikely(f, is_far, x, slope, lambda x: outlined(f, "logistic_tail", x, _logistic_tail))


def _logistic_tail(f: IRBuilder, x: Value) -> Value:
    e = exp(f, f.fneg(x))
    inverse = f.fdiv(full(f, 1.0, x), f.fadd(e, 1.0))
    return f.fmul(f.fmul(e, inverse), inverse)


def reduce_exp(f: IRBuilder, x: Value, x_low: Value | None, offset: int) -> Reduced:
    """Reduction and polynomial of exp(x + x_low); `offset` is added to n in the counter."""
    form = format_of(x)
    rounder = form.rounder + offset
    counter = f.multiply_add(x, form.log2_e[0], rounder)
    n = f.fsub(counter, rounder)
    # Exact, as the product with the first part is; what the second part loses goes to the tail. Products that
    # are not fused lose nothing that counts: the second is tiny, and r may be longer by a hair.
    high = f.multiply_add(n, -form.ln2[0], x)
    if x_low is None:
        r = f.multiply_add(n, -form.ln2[1], high)
        rest = f.multiply_add(n, -form.ln2[1], f.fsub(high, r))
    else:
        r, rest = fast_two_sum(f, high, f.multiply_add(n, -form.ln2[1], x_low))
    tail = f.multiply_add(f.fmul(r, r), polynomial(f, r, c.EXP.of(form.kind)), rest)
    return Reduced(f.bitcast(counter, form.bits), r, tail)


def scale_twice(f: IRBuilder, form: Format, y: Value, counter: Value) -> Value:
    """y·2^n for a counter with offset 2·bias, |n| ≤ 2·bias, in two steps of about n/2, so that
    results overflow and underflow gradually by themselves."""
    first = f.lshr(counter, 1)
    second = f.sub(counter, first)
    return f.fmul(f.fmul(y, _power_of_two(f, form, first)), _power_of_two(f, form, second))


def _power_of_two(f: IRBuilder, form: Format, biased: Value) -> Value:
    """2^(biased - bias); only the low bits of the operand count."""
    return f.bitcast(f.shl(biased, form.fraction), form.kind)


def _scaled_expm1(f: IRBuilder, x: Value, exponent: int) -> Value:
    """2^exponent expm1(x) = 2^exponent (2^n - 1) + 2^(exponent + n) (r + tail), small terms last.

    It does not overflow unless the result or 2^(exponent + n) does.
    """
    form = format_of(x)
    counter, r, tail = reduce_exp(f, x, None, form.bias + exponent)
    scale = _power_of_two(f, form, counter)
    high, low = fast_two_sum(f, f.fsub(scale, 2.0**exponent), f.fmul(scale, r))
    return f.fadd(high, f.multiply_add(scale, tail, low))


def _over_one_more(f: IRBuilder, x: Value, y: Value) -> Value:
    """x/(y + 1) for finite y ≥ 0, an ulp off for the roundings of sum and quotient. Where products can be
    fused, what these lost is put right, and it is little more than half an ulp."""
    total = f.fadd(y, 1.0)
    if not f.fuses:
        return f.fdiv(x, total)
    # Exact up to 2^fraction, where total - 1 is a multiple of the same ulp as total.
    total_low = f.fsub(y, f.fsub(total, 1.0))
    inverse = f.fdiv(full(f, 1.0, x), total)
    quotient = f.fmul(x, inverse)
    rest = f.fma(f.fneg(quotient), total, x)
    rest = f.fma(f.fneg(quotient), total_low, rest)
    return f.fma(rest, inverse, quotient)


def _itself_near_zero(f: IRBuilder, x: Value, y: Value) -> Value:
    """x where it is so small that it is the result, and its scaled forms may have lost bits."""
    return f.select(f.fcmp("olt", magnitude(f, x), 2.0**-100), x, y)


def _overflowing_late(f: IRBuilder, x: Value) -> Value:
    """|x|, limited to a point where exp(x)/2 has overflowed and exp(x)/4 has not."""
    return at_most(f, magnitude(f, x), 710.6 if x.kind == "double" else 89.5)
