"""lgamma and polygamma.

polygamma n of x > 0: the argument is raised by 10 by the recurrence, then the asymptotic series in
Bernoulli numbers. For x < 0 the reflection ψ_n(x) = (-1)^n ψ_n(1 - x) - π Dⁿ cot(πx), where
Dⁿ cot = a polynomial in cot.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial, pi
from typing import Final

from mlirad.lower.llvm.elementary.calls import call_c, in_double
from mlirad.lower.llvm.elementary.floats import full, horner, two_product
from mlirad.lower.llvm.elementary.logarithm import log
from mlirad.lower.llvm.elementary.trigonometric import sine_and_cosine
from mlirad.lower.llvm.text import IRBuilder, Value

_BERNOULLI: Final = tuple(
    Fraction(*pair)
    for pair in (
        (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
        (43867, 798), (-174611, 330), (854513, 138),
    )
)  # fmt: skip
_STEPS: Final = 10
_PI_LOW: Final = 1.2246467991473532e-16


@in_double
def lgamma(f: IRBuilder, x: Value) -> Value:
    """The C library's `lgamma`."""
    return call_c(f, "lgamma", x)


def polygamma(f: IRBuilder, x: Value, order: int) -> Value:
    """The derivative of order + 1 of log Γ; order 0 is the digamma function."""
    if x.kind == "float":
        return f.fptrunc(polygamma(f, f.fpext(x), order))
    below = f.fcmp("olt", x, 0.0)
    y = _positive(f, f.select(below, f.fsub(1.0, x), x), order)
    reflected = f.fsub(y if order % 2 == 0 else f.fneg(y), _reflection(f, x, order))
    y = f.select(below, reflected, y)
    pole = f.and_(f.fcmp("ole", x, 0.0), f.fcmp("oeq", f.intrinsic("floor", x), x))
    if order == 0:
        at_zero = f.fneg(f.intrinsic("copysign", full(f, float("inf"), x), x))
        at_pole = f.select(f.fcmp("oeq", x, 0.0), at_zero, float("nan"))
    else:
        at_pole = full(f, float("inf") if order % 2 else float("-inf"), x)
    return f.select(pole, at_pole, y)


def _positive(f: IRBuilder, x: Value, order: int) -> Value:
    """(-1)^(n+1) n! ζ(n + 1, x) for x > 0, by Euler's and Maclaurin's summation; n = 0 is its limit,
    with a logarithm."""
    steps = _STEPS + order // 2
    one = full(f, 1.0, x)
    terms = full(f, 0.0, x)
    # The largest term, the first, is added last.
    for k in reversed(range(steps)):
        inverse = f.fdiv(one, f.fadd(x, float(k)))
        terms = f.fadd(terms, _integer_power(f, inverse, order + 1))
    end = f.fadd(x, float(steps))
    inverse = f.fdiv(one, end)
    coefficients: list[float] = []
    for j, bernoulli in enumerate(_BERNOULLI, start=1):
        # B_2j (n + 2j - 1)!/((2j)! n!), of inverse^(n + 2j).
        rising = Fraction(factorial(order + 2 * j - 1), factorial(2 * j) * factorial(order))
        coefficients.append(float(bernoulli * rising))
    square = f.fmul(inverse, inverse)
    series = f.fmul(square, horner(f, square, coefficients))
    # Of inverse^n: 1/n + inverse/2 + series.
    if order == 0:
        tail = f.fadd(f.multiply_add(inverse, 0.5, series), terms)
        return f.fsub(log(f, end), tail)
    factor = f.fadd(f.multiply_add(inverse, 0.5, series), 1.0 / order)
    total = f.multiply_add(_integer_power(f, inverse, order), factor, terms)
    sign = 1.0 if order % 2 else -1.0
    y = f.fmul(total, sign * float(factorial(order)))
    return f.select(f.fcmp("oeq", x, float("inf")), sign * 0.0, y)


def _reflection(f: IRBuilder, x: Value, order: int) -> Value:
    """π Dⁿ cot(πx), Dⁿ cot(πx) = πⁿ Q_n(cot πx) with Q_0(c) = c, Q_{n+1} = -(1 + c²) Q_n'."""
    # Away from the nearest multiple of ½, so that sine and cosine have short arguments.
    doubled = f.intrinsic("roundeven", f.fmul(x, 2.0))
    rest = f.multiply_add(doubled, -0.5, x)
    angle, angle_low = two_product(f, rest, full(f, pi, x))
    sine, cosine = sine_and_cosine(f, angle, f.multiply_add(rest, _PI_LOW, angle_low))
    half = f.fmul(doubled, 0.5)
    odd = f.fcmp("one", f.intrinsic("floor", half), half)
    cotangent = f.fdiv(f.select(odd, f.fneg(sine), cosine), f.select(odd, cosine, sine))
    q = [0, 1]
    for _ in range(order):
        slope = [k * a for k, a in enumerate(q)][1:]
        q = [-a - b for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    return f.fmul(horner(f, cotangent, [float(a) for a in q]), pi ** (order + 1))


def _integer_power(f: IRBuilder, x: Value, exponent: int) -> Value:
    """x^exponent, exponent ≥ 1, by squaring."""
    if exponent == 1:
        return x
    half = _integer_power(f, x, exponent // 2)
    square = f.fmul(half, half)
    return f.fmul(square, x) if exponent % 2 else square
