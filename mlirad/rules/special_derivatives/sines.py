"""Quotients of sines by their arguments, and integrals of these.

    "sinc": (lambda x, r: special("sinc_slope", x),)

Around 0 the slope is x times a series, whose derivatives are x times series again; further out it is the
quotient that it is by definition, in which nothing cancels there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, pi, prod

from mlirad.ir.formulas import Formula, absolute, cos, floor, limited, round_to_even, sin, special, where
from mlirad.rules.special_derivatives.parts import Definition, Derivatives, horner, is_infinite


def _series(x: Formula, start: int) -> Formula:
    """The sum over k of (-x^2 / 2)^k / (k! (2 k + start)!!), to the last digit for |x| up to 1."""
    inner = limited(x, 1.0)
    odd = [prod(range(1, 2 * k + start + 1, 2)) for k in range(10)]
    return horner(inner * inner, [(-0.5) ** k / (factorial(k) * odd[k]) for k in range(10)])


def _sinc(x: Formula) -> Formula:
    return where(x == 0, 1.0, sin(x) / x)


def _sinc_slope(x: Formula) -> Formula:
    inverse = 1 / x
    far = where(is_infinite(x), 0.0, (cos(x) - sin(x) * inverse) * inverse)
    return where(absolute(x) < 1, -x * _series(x, 3), far)


def _turned(x: Formula) -> Formula:
    """pi x less whole turns, which are taken off before pi x is rounded."""
    return pi * (x - 2 * round_to_even(x * 0.5))


def _sincpi(x: Formula) -> Formula:
    return _sinc(pi * x)


def _sincpi_reduced(x: Formula) -> Formula:
    return where(x == 0, 1.0, sin(_turned(x)) / x * (1 / pi))


def _sincpi_slope(x: Formula) -> Formula:
    angle, inverse = _turned(x), 1 / x
    far = where(is_infinite(x), 0.0, (cos(angle) - sin(angle) * inverse * (1 / pi)) * inverse)
    y = pi * x
    return where(absolute(y) < 1, -pi * y * _series(y, 3), far)


def _sincpi_curvature(x: Formula, slope: Formula) -> Formula:
    y = pi * x
    near = y * y * special("sinc_series_slope", y) - special("sinc_series", y)
    far = where(is_infinite(x), 0.0, -(pi * pi) * special("sincpi_reduced", x) - 2 * slope / x)
    return where(absolute(y) < 1, pi * pi * near, far)


def _square_angle(x: Formula) -> tuple[Formula, Formula]:
    """Whole quarters of a turn that pi x^2 / 2 is, and the rest in radians.

    With x = n + f, n a whole number, n^2 is 0 or 1 up to whole turns, and 2 n f has no more digits than x.
    """
    whole = round_to_even(x)
    part = x - whole
    odd = whole - 2 * floor(whole * 0.5)
    product = 2 * whole * part
    turned = odd + (product - 4 * round_to_even(product * 0.25)) + part * part
    quarters = round_to_even(turned)
    return quarters, (turned - quarters) * (pi / 2)


def _by_quarter(quarters: Formula, values: Sequence[Formula]) -> Formula:
    """The value of a number of quarters, of four."""
    number = quarters - 4 * floor(quarters * 0.25)
    first, second, third, fourth = values
    return where(number < 2, where(number < 1, first, second), where(number < 3, third, fourth))


def _square_sine(x: Formula) -> Formula:
    quarters, rest = _square_angle(x)
    s, c = sin(rest), cos(rest)
    return _by_quarter(quarters, (s, c, -s, -c))


def _square_cosine(x: Formula) -> Formula:
    quarters, rest = _square_angle(x)
    s, c = sin(rest), cos(rest)
    return _by_quarter(quarters, (c, -s, -c, s))


def _sinc_curvature(x: Formula, slope: Formula) -> Formula:
    """-sinc(x) - 2 slope / x."""
    near = x * x * special("sinc_series_slope", x) - special("sinc_series", x)
    far = where(is_infinite(x), 0.0, -special("sinc", x) - 2 * slope / x)
    return where(absolute(x) < 1, near, far)


def _series_curvature(x: Formula) -> Formula:
    """-x times the next series, which is a hypergeometric function."""
    inner = limited(x, 1.0)
    return -x * special("hyp0f1", 4.5, inner * inner * -0.25) * (1 / 105)


DERIVATIVES: Derivatives = {
    "sinc": (lambda x, r: special("sinc_slope", x),),
    "sinc_slope": (_sinc_curvature,),
    "sincpi": (lambda x, r: special("sincpi_slope", x),),
    "sincpi_reduced": (lambda x, r: special("sincpi_slope", x),),
    "sincpi_slope": (_sincpi_curvature,),
    "sinc_series": (lambda x, r: -x * special("sinc_series_slope", x),),
    "sinc_series_slope": (lambda x, r: _series_curvature(x),),
    "sici_si": (lambda x, r: where(is_infinite(x), 0.0, special("sinc", x)),),
    "sici_ci": (lambda x, r: where(is_infinite(x), 0.0, cos(x) / x),),
    "square_sine": (lambda x, r: pi * x * special("square_cosine", x),),
    "square_cosine": (lambda x, r: -pi * x * special("square_sine", x),),
    "fresnel_s": (lambda x, r: special("square_sine", x),),
    "fresnel_c": (lambda x, r: special("square_cosine", x),),
}

DEFINITIONS: dict[str, Definition] = {
    "sinc": _sinc,
    "sinc_slope": _sinc_slope,
    "sincpi": _sincpi,
    "square_sine": _square_sine,
    "square_cosine": _square_cosine,
    "sincpi_reduced": _sincpi_reduced,
    "sincpi_slope": _sincpi_slope,
    "sinc_series": lambda x: _series(x, 3),
    "sinc_series_slope": lambda x: _series(x, 5),
}
