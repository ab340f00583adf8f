"""The gamma function, and quotients of its values.

    "beta": (lambda a, b, r: -r * digamma_difference(a, b), ...)

Differences of digammas are made without them where they would cancel. Where the reciprocal of a gamma
function is 0, it is differentiated itself.
"""

from __future__ import annotations

from math import pi

from mlirad.ir.formulas import (
    Condition,
    Formula,
    absolute,
    absorbing,
    cos,
    digamma,
    floor,
    sin,
    special,
    where,
)
from mlirad.rules.gamma_formulas import digamma_difference
from mlirad.rules.special_derivatives.parts import INFINITY, Derivatives, is_infinite

_OVERFLOWS = 170.0
"""The gamma function of larger numbers is infinite."""


def _is_whole(x: Formula) -> Condition:
    return floor(x) == x


def _gamma(x: Formula, r: Formula) -> Formula:
    """At its poles it goes the same way from both sides, its own derivative as from above."""
    half, inverse = x * 0.5, 1 / (x - floor(x))
    at_pole = where(_is_whole(half), -inverse, inverse) * inverse
    return where((x < 0) & _is_whole(x), at_pole, r * digamma(x))


def _rgamma(x: Formula, r: Formula) -> Formula:
    """-digamma(x) / gamma(x), by 1 / gamma(x) = sin(pi x) gamma(1 - x) / pi where that has poles."""
    reflected = special("gamma", 1 - x)
    angle = pi * x
    below = reflected * (cos(angle) - sin(angle) * digamma(1 - x) / pi)
    return where(x < 0.5, below, where(x > 2 * _OVERFLOWS, 0.0, -digamma(x) * r))


def rgamma_slope(x: Formula) -> Formula:
    """The derivative of 1 / gamma(x), which is finite at the poles of gamma."""
    return _rgamma(x, special("rgamma", x))


def _difference(a: Formula, b: Formula) -> Formula:
    """digamma(a + b) - digamma(a)."""
    return where((a > 0) & (a + b > 0), digamma_difference(a, b), digamma(a + b) - digamma(a))


def _binom_n(n: Formula, k: Formula, r: Formula) -> Formula:
    """r (digamma(n + 1) - digamma(n - k + 1)); by 1 / gamma(n - k + 1) where that is near its zeros.

    For k = 0, where r is 1, the difference is 0, and no rounding is left of it.
    """
    rest = n + (1 - k)
    value, scale = special("rgamma", rest), special("gamma", n + 1) * special("rgamma", k + 1)
    near = scale * (rgamma_slope(rest) + absorbing(value, digamma(n + 1)))
    is_near = (rest < 1) & (absolute(r) < 1) & (n < _OVERFLOWS) & (absolute(k) > 0)
    found = where(is_near, near, r * _difference(rest, k))
    return where(n == INFINITY, n ** (k - 1) * special("rgamma", k), found)


def _binom_k(n: Formula, k: Formula, r: Formula) -> Formula:
    """r (digamma(n - k + 1) - digamma(k + 1)), near zeros by those of 1 / gamma."""
    above, below = n + (1 - k), k + 1
    change = rgamma_slope(below) * special("rgamma", above) - special("rgamma", below) * rgamma_slope(above)
    is_near = ((above < 1) | (below < 1)) & (n < _OVERFLOWS)
    return where(is_near, special("gamma", n + 1) * change, r * _difference(below, above - below))


def _poch_z(z: Formula, m: Formula, r: Formula) -> Formula:
    """r (digamma(z + m) - digamma(z)).

    Near its zeros by 1 / gamma(z); where z + m is negative, too, and m a whole number, as the product of the
    same factors with the other sign.
    """
    end = z + m
    near = special("gamma", end) * (rgamma_slope(z) + absorbing(special("rgamma", z), digamma(end)))
    mirrored = -r * _difference(1 - end, m)
    found = where((z < 1) & (end < _OVERFLOWS), near, r * _difference(z, m))
    found = where((end < 0.5) & _is_whole(m), mirrored, found)
    return where(is_infinite(z), m * z ** (m - 1), found)


DERIVATIVES: Derivatives = {
    "gamma": (_gamma,),
    "rgamma": (_rgamma,),
    "beta": (
        lambda a, b, r: -r * _difference(a, b),
        lambda a, b, r: -r * _difference(b, a),
    ),
    "betaln": (
        lambda a, b, r: -_difference(a, b),
        lambda a, b, r: -_difference(b, a),
    ),
    "binom": (_binom_n, _binom_k),
    "poch": (_poch_z, lambda z, m, r: r * digamma(z + m)),
}
