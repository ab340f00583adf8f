"""The gamma function of complex numbers and its relatives, as functions of the parts x and y of z.

    "complex_psi": psi' (z) = zeta(2, z)             for x >= 1/2
                   psi' (z) = (pi / sin(pi z))^2 - zeta(2, 1 - z)

SciPy computes the functions; derivatives of psi are made of Hurwitz's zeta function of whole orders, which is
here for numbers to the right of 0.
"""

from __future__ import annotations

from math import pi

from mlirad.ir.formulas import (
    Formula,
    absolute,
    arctan2,
    cos,
    cosh,
    exp,
    hypot,
    limited,
    log,
    round_to_even,
    sin,
    sinh,
    where,
)
from mlirad.rules.angles import is_even
from mlirad.rules.special_derivatives.complex_parts import (
    Complex,
    added,
    chosen,
    definitions,
    derivatives,
    known,
    reciprocal,
    scaled,
    times,
)
from mlirad.rules.special_derivatives.parts import EULER_MACLAURIN, Definition, Derivatives

_TERMS = 8
"""The number of terms of a zeta function that are added up; Euler and Maclaurin's formula has the others."""

_STEEP = 300.0
"""Beyond this the square of a hyperbolic cosine is as good as infinite beside other numbers."""

_BESIDE = 10.0
"""From this distance on the real line is out of sight."""


def _power(s: Formula, x: Formula, y: Formula) -> Complex:
    """z^-s."""
    size, angle = exp(-s * log(hypot(x, y))), -s * arctan2(y, x)
    return size * cos(angle), size * sin(angle)


def _zeta(s: Formula, x: Formula, y: Formula) -> Complex:
    total = x.like(0.0), x.like(0.0)
    for k in range(_TERMS):
        total = added(total, _power(s, x + k, y))
    end = x + _TERMS, y
    power, inverse = _power(s, *end), reciprocal(*end)
    total = added(total, added(scaled(1 / (s - 1), times(end, power)), scaled(0.5, power)))
    term, square = scaled(s, times(power, inverse)), times(inverse, inverse)
    for k, coefficient in enumerate(EULER_MACLAURIN):
        total = added(total, scaled(coefficient, term))
        term = scaled((s + 2 * k + 1) * (s + 2 * k + 2), times(term, square))
    return total


def _zeta_slope(s: Formula, x: Formula, y: Formula) -> Complex:
    return scaled(-s, known("complex_zeta", s + 1, x, y))


def _turned(x: Formula, y: Formula) -> tuple[Complex, Complex]:
    """sin(pi z) and cos(pi z), with the same sign, where z is not far from the real line."""
    a, b = pi * (x - round_to_even(x)), limited(pi * y, _STEEP)
    return (sin(a) * cosh(b), cos(a) * sinh(b)), (cos(a) * cosh(b), -(sin(a) * sinh(b)))


def _psi_slope(x: Formula, y: Formula) -> Complex:
    is_left = x < 0.5
    right = known("complex_zeta", 2.0, where(is_left, 1 - x, x), where(is_left, -y, y))
    sine, _ = _turned(where(is_left, x, 0.5), y)
    inverse = reciprocal(*sine)
    left = added(scaled(pi * pi, times(inverse, inverse)), scaled(-1.0, right))
    return chosen(is_left, left, right)


def _gamma_slope(x: Formula, y: Formula) -> Complex:
    return times(known("complex_gamma", x, y), known("complex_psi", x, y))


def _rgamma_slope(x: Formula, y: Formula) -> Complex:
    """-psi(z) / gamma(z), by 1 / gamma(z) = sin(pi z) gamma(1 - z) / pi near the poles of gamma."""
    is_beside = (x < 0.5) & (absolute(y) < _BESIDE)
    a, b = where(is_beside, x, 0.25), where(is_beside, y, 0.0)
    sine, cosine = _turned(a, b)
    mirrored = 1 - a, -b
    change = added(cosine, scaled(-1 / pi, times(sine, known("complex_psi", *mirrored))))
    near = scaled(where(is_even(round_to_even(a)), a.like(1.0), -1.0), change)
    near = times(known("complex_gamma", *mirrored), near)
    far = scaled(-1.0, times(known("complex_rgamma", x, y), known("complex_psi", x, y)))
    return chosen(is_beside, near, far)


DEFINITIONS: dict[str, Definition] = definitions({"complex_zeta": _zeta})

DERIVATIVES: Derivatives = {
    **derivatives(
        {
            "complex_gamma": _gamma_slope,
            "complex_rgamma": _rgamma_slope,
            "complex_loggamma": lambda x, y: known("complex_psi", x, y),
            "complex_psi": _psi_slope,
        }
    ),
    **derivatives({"complex_zeta": _zeta_slope}, orders=1),
}
