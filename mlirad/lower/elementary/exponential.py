"""exp and what is made of it: exp exp2 expm1 sinh cosh tanh logistic.

x = n ln 2 + r with |r| ≤ ln 2 / 2; exp x = 2^n (1 + p) with p = r + r² q(r). The sum x / ln 2 + 1.5·2^52
rounds to n and leaves n, plus any integer added to the constant, in its low bits: a shift by the
fraction's length turns that into a power of two. Arguments are clamped so that n stays in range,
beyond the point where the result overflows or vanishes.
"""

from __future__ import annotations

from typing import NamedTuple

from mlirad.lower.elementary import coefficients as c
from mlirad.lower.elementary.floats import (
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
from mlirad.lower.llvm_text import FunctionText, Value


class Reduced(NamedTuple):
    """`counter` holds n + offset in its low bits; p = exp r - 1."""

    counter: Value
    p: Value


def exp(f: FunctionText, x: Value) -> Value:
    form = format_of(x)
    x = at_least(f, at_most(f, x, 1.5 * form.bias), -1.5 * form.bias)
    reduced = reduce_exp(f, x, None, 2 * form.bias)
    return scale_twice(f, form, f.fadd(reduced.p, 1.0), reduced.counter)


def exp2(f: FunctionText, x: Value) -> Value:
    form = format_of(x)
    x = at_least(f, at_most(f, x, 2.0 * form.bias), -2.0 * form.bias)
    counter = f.fadd(x, form.rounder + 2 * form.bias)
    r = f.fsub(x, f.fsub(counter, form.rounder + 2 * form.bias))
    y = f.fma(r, polynomial(f, r, c.EXP2.of(form.kind)), 1.0)
    return scale_twice(f, form, y, f.bitcast(counter, form.bits))


def expm1(f: FunctionText, x: Value) -> Value:
    form = format_of(x)
    limited = at_least(f, at_most(f, x, form.bias * 0.694 + 0.7), -1.5 * form.fraction)
    half = _half_expm1(f, limited)
    return with_sign_of(f, f.fmul(half, 2.0), x)


def tanh(f: FunctionText, x: Value) -> Value:
    """e/(e + 2) with e = expm1(2|x|)."""
    form = format_of(x)
    doubled = at_most(f, f.fmul(magnitude(f, x), 2.0), 0.75 * form.fraction)
    half = _half_expm1(f, doubled)
    return with_sign_of(f, f.fdiv(half, f.fadd(half, 1.0)), x)


def sinh(f: FunctionText, x: Value) -> Value:
    """(e + e/(e + 1))/2 with e = expm1|x|, of which e/4 is formed, so that only the result overflows."""
    form = format_of(x)
    reduced = reduce_exp(f, _overflowing_late(f, x), None, form.bias - 2)
    scale = _power_of_two(f, form, reduced.counter)
    quarter = f.fma(scale, reduced.p, f.fsub(scale, 0.25))
    rest = f.fdiv(quarter, f.fma(quarter, 4.0, 1.0))
    return with_sign_of(f, f.fmul(f.fadd(quarter, rest), 2.0), x)


def cosh(f: FunctionText, x: Value) -> Value:
    """(e + 1/e)/2 with e = exp|x|, of which e/4 is formed, so that only the result overflows."""
    form = format_of(x)
    reduced = reduce_exp(f, _overflowing_late(f, x), None, form.bias - 2)
    scale = _power_of_two(f, form, reduced.counter)
    quarter = f.fma(scale, reduced.p, scale)
    return f.fmul(f.fadd(quarter, f.fdiv(full(f, 0.0625, x), quarter)), 2.0)


def logistic(f: FunctionText, x: Value) -> Value:
    """1/(1 + e) for x ≥ 0, e/(1 + e) below, with e = exp(-|x|): neither overflows."""
    e = exp(f, f.fneg(magnitude(f, x)))
    numerator = f.select(f.fcmp("olt", x, 0.0), e, 1.0)
    return f.fdiv(numerator, f.fadd(e, 1.0))


def reduce_exp(f: FunctionText, x: Value, x_low: Value | None, offset: int) -> Reduced:
    """Reduction and polynomial of exp(x + x_low); `offset` is added to n in the counter."""
    form = format_of(x)
    rounder = form.rounder + offset
    counter = f.fma(x, form.log2_e[0], rounder)
    n = f.fsub(counter, rounder)
    high = f.fma(n, -form.ln2[0], x)
    if x_low is None:
        r = f.fma(n, -form.ln2[1], high)
        p = f.fma(f.fmul(r, r), polynomial(f, r, c.EXP.of(form.kind)), r)
    else:
        r, rest = fast_two_sum(f, high, f.fma(n, -form.ln2[1], x_low))
        p = f.fadd(r, f.fma(f.fmul(r, r), polynomial(f, r, c.EXP.of(form.kind)), rest))
    return Reduced(f.bitcast(counter, form.bits), p)


def scale_twice(f: FunctionText, form: Format, y: Value, counter: Value) -> Value:
    """y·2^n for a counter with offset 2·bias, in two steps of about n/2, so that results overflow
    and underflow gradually by themselves."""
    first = f.lshr(counter, 1)
    second = f.sub(counter, first)
    return f.fmul(f.fmul(y, _power_of_two(f, form, first)), _power_of_two(f, form, second))


def _power_of_two(f: FunctionText, form: Format, biased: Value) -> Value:
    """2^(biased - bias); only the low bits of the operand count."""
    return f.bitcast(f.shl(biased, form.fraction), form.kind)


def _half_expm1(f: FunctionText, x: Value) -> Value:
    """expm1(x)/2, which does not overflow where n does not exceed 1 + bias."""
    form = format_of(x)
    reduced = reduce_exp(f, x, None, form.bias - 1)
    scale = _power_of_two(f, form, reduced.counter)
    return f.fma(scale, reduced.p, f.fsub(scale, 0.5))


def _overflowing_late(f: FunctionText, x: Value) -> Value:
    """|x|, limited to a point where exp(x)/2 has overflowed and exp(x)/4 has not."""
    return at_most(f, magnitude(f, x), 710.6 if x.kind == "double" else 89.5)
