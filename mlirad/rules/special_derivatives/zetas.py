"""Zeta functions; their derivatives by the exponent are those of Euler and Maclaurin's formula.

    "zeta": (zeta_by_exponent, lambda x, q, r: -x * special("zeta", x + 1, q))

Below -1/2 Riemann's function is that of 1 - x, by its functional equation.
"""

from __future__ import annotations

from math import log as logarithm
from math import pi
from typing import Final

from mlirad.ir.formulas import Formula, absorbing, digamma, exp, log, special, where
from mlirad.rules.angles import turned
from mlirad.rules.quadratures import terms
from mlirad.rules.special_derivatives.parts import EULER_MACLAURIN, Derivatives

_FIRST: Final = 12
"""The number of terms that are added one by one."""

_LARGEST: Final = 200.0
"""The exponent from which the sum has no terms beyond those that are added one by one."""


def zeta_by_exponent(x: Formula, q: Formula) -> Formula:
    """The derivative of the sum over k of (q + k)^-x by x."""

    def term(k: Formula, x: Formula, q: Formula) -> Formula:
        base = q + k
        return absorbing(log(base), base**-x)

    first = terms(_FIRST, term, x, q)
    is_large = x > _LARGEST
    inner, end = where(is_large, 2.0, x), q + _FIRST
    inverse = 1 / end
    less = 1 / (inner - 1)
    factor, slope = end * less, -end * less * less
    factor = factor + 0.5
    rising, rising_slope, power = inner, inner.like(1.0), inverse
    for j, coefficient in enumerate(EULER_MACLAURIN, start=1):
        weight = power * coefficient
        factor, slope = factor + weight * rising, slope + weight * rising_slope
        for step in (inner + (2 * j - 1), inner + 2 * j):
            rising, rising_slope = rising * step, rising_slope * step + rising
        power = power * inverse * inverse
    rest = end**-inner * (slope - log(end) * factor)
    return where(is_large, 0.0, rest) - first


def _riemann(x: Formula) -> Formula:
    """By 2 (2 pi)^(x - 1) sin(pi x / 2) gamma(1 - x) zeta(1 - x) below -1/2."""
    is_low = x < -0.5
    direct = zeta_by_exponent(where(is_low, 2.0, x), x.like(1.0))
    y = 1 - where(is_low, x, -1.0)
    cosine, sine = turned((1 - y) * 0.5)
    value, slope = special("riemann_zeta", y), zeta_by_exponent(y, x.like(1.0))
    scale = 2 * exp(-y * logarithm(2 * pi)) * special("gamma", y)
    by_sine = (logarithm(2 * pi) - digamma(y)) * value - slope
    return where(is_low, scale * (sine * by_sine + cosine * (value * (pi / 2))), direct)


DERIVATIVES: Derivatives = {
    "zetac": (lambda x, r: _riemann(x),),
    "zeta": (lambda x, q, r: zeta_by_exponent(x, q), lambda x, q, r: -x * special("zeta", x + 1, q)),
    "riemann_zeta": (lambda x, r: _riemann(x),),
}
