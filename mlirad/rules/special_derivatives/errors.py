"""The error function's relatives, and the normal distribution.

"erfcx": (_erfcx,)         2 x erfcx(x) - 2 / sqrt(pi), by a series where that is a difference of equals
"""

from __future__ import annotations

from math import pi
from math import sqrt as root

from mlirad.ir.formulas import Formula, absolute, absorbing, erf, erfc, exp, maximum, special, where
from mlirad.rules.special_derivatives.parts import Derivatives

_FAR = 20.0
"""From here on the asymptotic series takes the place of a difference of nearly equal numbers."""

_FAR_BELOW = -1e5
"""Down to here the logarithm of the normal distribution function is made of erfcx."""


def _falling_series(x: Formula, alternating: float) -> Formula:
    """The sum over k of (+-1)^k (2k - 1)!! / (2 x^2)^k, from k = 1: asymptotic, to 2e-16 from x = 20."""
    part = 1 / x
    inverse = alternating * 0.5 * part * part
    total = inverse * 17
    for odd in range(15, 0, -2):
        total = inverse * odd * (1 + total)
    return total


def _erfcx(x: Formula, r: Formula) -> Formula:
    """2 x erfcx(x) - 2 / sqrt(pi)."""
    constant = 2 / root(pi)
    return where(x > _FAR, constant * _falling_series(x, -1.0), 2 * x * r - constant)


def _dawsn(x: Formula, r: Formula) -> Formula:
    """1 - 2 x dawsn(x)."""
    return where(absolute(x) > _FAR, -_falling_series(x, 1.0), 1 - 2 * x * r)


def _log_ndtr(x: Formula) -> Formula:
    """The density over the distribution function; far below -x - 1 / x, and what the next terms add."""
    above = exp(x * x * -0.5) * root(2 / pi) / erfc(x * -root(0.5))
    inner = root(2 / pi) / special("erfcx", maximum(x, _FAR_BELOW) * -root(0.5))
    inverse = 1 / x
    far = -x - inverse * (1 - 2 * inverse * inverse)
    return where(x > 0, above, where(x < _FAR_BELOW, far, inner))


def _less_square(h: Formula, a: Formula) -> Formula:
    """e^(-h^2 (1 + a^2) / 2) / (1 + a^2), the quotient far out as (1 / a)^2."""
    square = 1 + a * a
    is_far = absolute(a) > 1e9
    inverse = 1 / where(is_far, a, square)
    return exp(absorbing(h * h, square) * -0.5) * where(is_far, inverse * inverse, inverse)


DERIVATIVES: Derivatives = {
    "log_ndtr": (lambda x, r: _log_ndtr(x),),
    "ndtri": (lambda p, r: root(2 * pi) * exp(r * r * 0.5),),
    "ndtri_exp": (lambda y, r: root(pi / 2) * special("erfcx", r * -root(0.5)),),
    "erfcinv": (lambda x, r: (-root(pi) / 2) * exp(r * r),),
    "erfcx": (_erfcx,),
    "erfi": (lambda x, r: (2 / root(pi)) * exp(x * x),),
    "dawsn": (_dawsn,),
    "owens_t": (
        lambda h, a, r: exp(h * h * -0.5) * erf(a * h * root(0.5)) * (-0.5 / root(2 * pi)),
        lambda h, a, r: _less_square(h, a) * (0.5 / pi),
    ),
}
