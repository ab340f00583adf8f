"""Bessel functions and their relatives, by recurrences in which nothing cancels.

    "k1": (lambda x, r: -special("k0", x) - r / x,)

Around 0 the modified ones are a power times a hypergeometric function. Far out the scaled ones are a falling
power times Hankel's series, whose derivative is a series again; a difference of neighbours would be what
little is left of two equal numbers.
"""

from __future__ import annotations

from math import pi
from math import sqrt as root

from mlirad.ir.formulas import (
    Condition,
    Formula,
    absolute,
    absorbing,
    exp,
    floor,
    limited,
    maximum,
    sign,
    special,
    sqrt,
    where,
)
from mlirad.rules.bessel_orders import i_by_order, j_by_order, k_by_order, y_by_order
from mlirad.rules.special_derivatives.parts import INFINITY, NAN, Derivatives, is_infinite

_FAR = 30.0
"""From here on, and from the square of the order on, Hankel's series has 16 digits with `_TERMS`."""

_TERMS = 20


def _is_far(v: Formula, size: Formula) -> Condition:
    return size > _FAR + v * v


def _hankel_slope(v: Formula, size: Formula, alternating: float) -> Formula:
    """The derivative of x^(-1/2) (1 + a_1 / x + a_2 / x^2 + ...), with Hankel's coefficients."""
    u = 1 / maximum(size, _FAR)
    square = 4 * v * v
    total, term = v.like(0.5), v.like(1.0)
    for k in range(1, _TERMS):
        term = term * (square - (2 * k - 1) ** 2) * (u * (alternating / (8 * k)))
        total = total + (k + 0.5) * term
    return -u * sqrt(u) * total


def _neighbours(name: str, v: Formula | float, x: Formula, weight: float) -> Formula:
    """Half of f_(v - 1)(x) + weight f_(v + 1)(x)."""
    return (special(name, v - 1, x) + weight * special(name, v + 1, x)) * 0.5


# Modified ones ------------------------------------------------------------------------------------


def _iv_near(v: Formula, x: Formula) -> Formula:
    """The derivative of (x / 2)^v / gamma(v + 1) 0F1(v + 1, x^2 / 4), for |x| up to 1."""
    half = limited(x, 1.0) * 0.5
    square, scale = half * half, special("rgamma", v + 1)
    own = absorbing(v, half ** (v - 1) * scale * 0.5) * special("hyp0f1", v + 1, square)
    return own + half ** (v + 1) * scale / (v + 1) * special("hyp0f1", v + 2, square)


def _iv(v: Formula, x: Formula) -> Formula:
    return where(absolute(x) < 1, _iv_near(v, x), _neighbours("iv", v, x, 1.0))


def _ive(v: Formula, x: Formula, r: Formula) -> Formula:
    size, direction = absolute(x), sign(x)
    near = exp(-minimum_of_one(size)) * _iv_near(v, x)
    # At 0 the slope of e^-|x| i0(x) jumps from 1 to -1, and what is beside the jump in sign(x) r is -x.
    own = where(x == 0, where(v == 0, -x, 0.0), direction * r)
    inner = where(size < 1, near, _neighbours("ive", v, x, 1.0)) - own
    # Of negative numbers the function of an odd order is that of |x| with the other sign, its slope is not.
    far = _hankel_slope(v, size, -1.0) * (1 / root(2 * pi))
    half = v * 0.5
    far = where((x < 0) & (floor(half) == half), -far, far)
    return where(_is_far(v, size), far, inner)


def minimum_of_one(size: Formula) -> Formula:
    """|x| up to 1."""
    return absolute(limited(size, 1.0))


def _nearer_zero(v: Formula) -> Formula:
    """The order beside v that is nearer to 0, that of the function which is smaller near 0."""
    return where(v < 0, v + 1, v - 1)


def _falling(below: Formula, size: Formula | float, r: Formula, x: Formula) -> Formula:
    """-below - size r / x, which may be normal where its quotient is not: far out they are added first."""
    inner = absorbing(r.like(size), r)
    return -where(x > 1, (absorbing(below, x) + inner) / x, below + absorbing(inner, 1 / x))


def _kv(v: Formula, x: Formula, r: Formula) -> Formula:
    return _falling(special("kv", _nearer_zero(v), x), absolute(v), r, x)


def _kve(v: Formula, x: Formula, r: Formula) -> Formula:
    """The function itself is negligible near 0, and may overflow as the other terms do.

    SciPy's kve(1, x) overflows before 1 / x, its k1e does not.
    """
    own = where(x < 1e-20, 0.0, r)
    neighbour = where(v == 0, special("k1e", x), special("kve", _nearer_zero(v), x))
    near = own - neighbour - absorbing(absolute(v), r / x)
    return where(_is_far(v, x), _hankel_slope(v, x, 1.0) * root(pi / 2), near)


def _yv(v: Formula, x: Formula, r: Formula) -> Formula:
    """The neighbour is negligible where the function overflows, and has the other sign."""
    size = absolute(v)
    neighbour = where(is_infinite(r) & (size > 0), 0.0, special("yv", _nearer_zero(v), x))
    return where(v < 0, -neighbour, neighbour) - absorbing(size, r / x)


def _ratio_slope(x: Formula) -> Formula:
    """i1(x) / x, 0 where that overflows: it is subtracted of what overflows, too."""
    inner = limited(x, 1.0)
    near = 0.5 * special("hyp0f1", 2.0, inner * inner * 0.25)
    far = special("i1", x)
    return where(absolute(x) < 1, near, where(is_infinite(far), 0.0, far / x))


# Struve's -----------------------------------------------------------------------------------------


def _struve_term(v: Formula, x: Formula) -> Formula:
    """(x / 2)^v / (sqrt(pi) gamma(v + 3/2))."""
    return (x * 0.5) ** v * special("rgamma", v + 1.5) / root(pi)


def _by_upper(name: str, weight: float, v: Formula, x: Formula, r: Formula) -> Formula:
    """The slope by the upper neighbour, as the lower one of orders below 1/2 has a pole at 0."""
    return weight * special(name, v + 1, x) + absorbing(v, r / x) + _struve_term(v, x)


def _by_both(name: str, weight: float, v: Formula, x: Formula) -> Formula:
    return _neighbours(name, v, x, weight) + _struve_term(v, x) * 0.5


def _struve(v: Formula, x: Formula, r: Formula) -> Formula:
    """Above 1 by the lower neighbour, as what grows in both others is equal; far out by `_struve_far`."""
    size = absolute(x)
    lower = where(size < 1, _by_both("struve", -1.0, v, x), special("struve", v - 1, x) - absorbing(v, r / x))
    near = where(v < 0.5, _by_upper("struve", -1.0, v, x, r), lower)
    # Of negative numbers there are functions of whole orders; those of odd orders have odd slopes.
    parity = where(floor(v) == v, where(floor(v * 0.5) == v * 0.5, v.like(1.0), -1.0), NAN)
    return where(_is_far(v, size), where(x < 0, parity, v.like(1.0)) * _struve_far(v, size), near)


def _struve_far(v: Formula, size: Formula) -> Formula:
    """The slope of yv(v, x), plus that of (x / 2)^(v - 1) times a series in 4 / x^2 (DLMF 11.6.1)."""
    u = 2 / maximum(size, _FAR)
    total, term = v - 1, v.like(1.0)
    for k in range(_TERMS):
        term = term * ((v - (k + 0.5)) * (k + 0.5)) * (u * u)
        total = total + (v - (2 * k + 3)) * term
    scale = special("rgamma", v + 0.5) * (0.5 / root(pi))
    waves = where(is_infinite(size), 0.0, _neighbours("yv", v, size, -1.0))
    return waves + absorbing(total, (size * 0.5) ** (v - 2)) * scale


def _modstruve(v: Formula, x: Formula, r: Formula) -> Formula:
    """At infinity the upper neighbour alone, as lower ones may have no value there."""
    own = where(v < 0.5, _by_upper("modstruve", 1.0, v, x, r), _by_both("modstruve", 1.0, v, x))
    return where(x == INFINITY, special("modstruve", v + 1, x), own)


# Airy's -------------------------------------------------------------------------------------------


def _at_infinity(x: Formula, limit: float, found: Formula) -> Formula:
    return where(x == INFINITY, limit, found)


DERIVATIVES: Derivatives = {
    "j0": (lambda x, r: -special("j1", x),),
    "j1": (lambda x, r: (special("j0", x) - special("jv", 2.0, x)) * 0.5,),
    "jv": (lambda v, x, r: j_by_order(v, x), lambda v, x, r: _neighbours("jv", v, x, -1.0)),
    "y0": (lambda x, r: -special("y1", x),),
    "y1": (lambda x, r: where(is_infinite(r), 0.0, special("y0", x)) - r / x,),
    "yn": (None, lambda n, x, r: _yv(n, x, r)),
    "yv": (lambda v, x, r: y_by_order(v, x), lambda v, x, r: _yv(v, x, r)),
    "i0": (lambda x, r: special("i1", x),),
    "i0e": (lambda x, r: _ive(x.like(0.0), x, r),),
    "i1": (lambda x, r: special("i0", x) - _ratio_slope(x),),
    "i1e": (lambda x, r: _ive(x.like(1.0), x, r),),
    "iv": (lambda v, x, r: i_by_order(v, x, scaled=False), lambda v, x, r: _iv(v, x)),
    "ive": (lambda v, x, r: i_by_order(v, x, scaled=True), lambda v, x, r: _ive(v, x, r)),
    "k0": (lambda x, r: -special("k1", x),),
    "k0e": (lambda x, r: _kve(x.like(0.0), x, r),),
    "k1": (lambda x, r: _falling(special("k0", x), 1.0, r, x),),
    "k1e": (lambda x, r: _kve(x.like(1.0), x, r),),
    "kn": (None, lambda n, x, r: _kv(n, x, r)),
    "kv": (lambda v, x, r: k_by_order(v, x, scaled=False), lambda v, x, r: _kv(v, x, r)),
    "kve": (lambda v, x, r: k_by_order(v, x, scaled=True), lambda v, x, r: _kve(v, x, r)),
    "struve": (None, lambda v, x, r: _struve(v, x, r)),
    "modstruve": (None, lambda v, x, r: _modstruve(v, x, r)),
    "airy_ai": (lambda x, r: _at_infinity(x, 0.0, special("airy_aip", x)),),
    "airy_aip": (lambda x, r: _at_infinity(x, 0.0, x * special("airy_ai", x)),),
    "airy_bi": (lambda x, r: _at_infinity(x, INFINITY, special("airy_bip", x)),),
    "airy_bip": (lambda x, r: _at_infinity(x, INFINITY, x * special("airy_bi", x)),),
    "airye_ai": (lambda x, r: special("airye_aip", x) + sqrt(x) * r,),
    "airye_aip": (lambda x, r: x * special("airye_ai", x) + sqrt(x) * r,),
    "airye_bi": (lambda x, r: special("airye_bip", x) - sqrt(maximum(x, 0)) * r,),
    "airye_bip": (lambda x, r: x * special("airye_bi", x) - sqrt(maximum(x, 0)) * r,),
}
