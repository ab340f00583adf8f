"""Hypergeometric functions, elliptic integrals and functions, the arithmetic-geometric mean, degrees.

"ellipk": (lambda m, r: special("ellipk_slope", m),)       with a derivative by the differential equation
"""

from __future__ import annotations

from math import pi

from mlirad.ir.formulas import (
    Formula,
    absolute,
    absorbing,
    cos,
    limited,
    maximum,
    minimum,
    round_to_even,
    sin,
    special,
    sqrt,
    where,
)
from mlirad.rules.carlson import elliprd
from mlirad.rules.hypergeometric_parameters import (
    hyp0f1_by_parameter,
    hyp1f1_by_parameters,
    hyp2f1_by_parameters,
    hyperu_by_parameters,
)
from mlirad.rules.quadratures import fixed
from mlirad.rules.special_derivatives.parts import INFINITY, Definition, Derivatives, finite, is_infinite

_SMALL = 0.1
"""Up to here elliptic integrals are differentiated as hypergeometric functions."""

_DEGREE = pi / 180


def _near(factor: float, a: float, b: float, c: float, m: Formula) -> Formula:
    return factor * special("hyp2f1", a, b, c, limited(m, _SMALL))


def _ellipk_slope(m: Formula) -> Formula:
    """(E - (1 - m) K) / (2 m (1 - m))."""
    near = _near(pi / 8, 1.5, 1.5, 2.0, m)
    far = finite(m)
    rest = 1 - far
    parts = special("ellipe", far) - absorbing(rest, special("ellipk", far))
    return where(absolute(m) < _SMALL, near, parts / (2 * far) / rest)


def _ellipk_curvature(m: Formula, slope: Formula) -> Formula:
    """(K / 4 - (1 - 2 m) K') / (m (1 - m))."""
    near = _near(9 * pi / 64, 2.5, 2.5, 3.0, m)
    far = finite(m)
    parts = special("ellipk", far) * 0.25 - (1 - 2 * far) * slope
    found = where(is_infinite(m), 0.0, parts / far / (1 - far))
    return where(absolute(m) < _SMALL, near, found)


def _from_zero(p: Formula) -> Formula:
    """Finite, with 0 for -0, whose reciprocal has the other sign."""
    return finite(where(p == 0, 0.0, p))


def _ellipkm1_slope(p: Formula) -> Formula:
    """-(E - p K) / (2 p (1 - p))."""
    near = _near(-pi / 8, 1.5, 1.5, 2.0, 1 - p)
    far = _from_zero(p)
    m = 1 - far
    parts = special("ellipe", m) - absorbing(far, special("ellipkm1", far))
    return where(absolute(1 - p) < _SMALL, near, parts / (-2 * m) / far)


def _ellipkm1_curvature(p: Formula, slope: Formula) -> Formula:
    """(K / 4 + (2 p - 1) K') / (p (1 - p)), 0 at infinity."""
    near = _near(9 * pi / 64, 2.5, 2.5, 3.0, 1 - p)
    far = _from_zero(p)
    parts = special("ellipkm1", far) * 0.25 + (2 * far - 1) * slope
    found = where(is_infinite(p), 0.0, parts / (1 - far) / far)
    return where(absolute(1 - p) < _SMALL, near, found)


def _ellipe_slope(m: Formula) -> Formula:
    """(E - K) / (2 m)."""
    near = _near(-pi / 8, 0.5, 1.5, 2.0, m)
    far = finite(m)
    return where(absolute(m) < _SMALL, near, (special("ellipe", far) - special("ellipk", far)) / (2 * far))


def _ellipe_curvature(m: Formula) -> Formula:
    """-((2 - m) E - 2 (1 - m) K) / (4 m^2 (1 - m))."""
    near = _near(-3 * pi / 64, 1.5, 2.5, 3.0, m)
    far = finite(m)
    rest = 1 - far
    parts = (1 + rest) * special("ellipe", far) - 2 * absorbing(rest, special("ellipk", far))
    found = where(is_infinite(m), 0.0, parts / (-4 * far) / far / rest)
    return where(absolute(m) < _SMALL, near, found)


_STEPS = 14
"""As many arithmetic and geometric means lie between any two numbers and what they have in common."""


def _agm_slope(a: Formula, b: Formula) -> Formula:
    """By a: the derivatives of both means, step by step, which are sums of positive numbers."""
    is_end = (b == 0) | (a == INFINITY)
    a, b = _from_zero(a), finite(b)
    by_arithmetic, by_geometric = a.like(1.0), a.like(0.0)
    for _ in range(_STEPS):
        first, second = sqrt(a), sqrt(b)
        geometric = absorbing(by_arithmetic, second / first) + absorbing(by_geometric, first / second)
        by_arithmetic, by_geometric = 0.5 * (by_arithmetic + by_geometric), 0.5 * geometric
        a, b = 0.5 * a + 0.5 * b, first * second
    return where(is_end, 0.0, by_arithmetic)


def _agm_curvature(a: Formula, b: Formula, slope: Formula) -> Formula:
    """a times the derivative by a twice. With t = a / b and s the slope of the mean r it is

        ((1 - 3t^2) s + t r / b) / (t^2 - 1) + 2 a s^2 / r

    by the differential equation of 1 / agm(1, t). Where t is near 1, it is made of derivatives of
    1 / agm(1, t) = 2F1(1/2, 1/2; 1; 1 - t^2).
    """
    a, b = _from_zero(a), finite(b)
    mean = special("agm", a, b)
    t, u = a / b, b / a
    per_mean = absorbing(a, slope / mean)
    low = limited(t, 0.5)
    rest = 1 - low * low
    below = absorbing(slope, (3 * low * low - 1) / rest + 2 * per_mean) - low / rest * (mean / b)
    high = limited(u, 0.5)
    rest = 1 - high * high
    above = ((high * high - 3) * slope + mean / a) / rest + 2 * absorbing(slope, per_mean)
    ratio = maximum(minimum(t, 2.5), 0.4)
    z = 1 - ratio * ratio
    first, second = special("hyp2f1", 1.5, 1.5, 2.0, z), special("hyp2f1", 2.5, 2.5, 3.0, z)
    inner = mean / b
    moved = ratio * inner * first
    curved = inner * (0.5 * first - (9 / 8) * (ratio * ratio) * second)
    near = (curved + 0.5 * moved * moved) * inner * ratio
    return where(t < 0.5, below, where(u < 0.5, above, near))


def _height(phi: Formula, m: Formula) -> Formula:
    """sqrt(1 - m sin(phi)^2)."""
    sine = sin(phi)
    return sqrt(1 - absorbing(m, sine * sine))


def _amplitude_slope(u: Formula, m: Formula) -> Formula:
    return where(m == 0, 1.0, special("ellipj_dn", u, m))


def _half_turns(phi: Formula) -> tuple[Formula, Formula, Formula]:
    """The rounded number of half turns of an angle, and the sine and the squared cosine of the rest."""
    turns = fixed(round_to_even(phi * (1 / pi)))
    rest = phi - turns * pi
    cosine = cos(rest)
    return turns, sin(rest), cosine * cosine


def _first_by_parameter(phi: Formula, m: Formula) -> Formula:
    """The integral of sin(t)^2 (1 - m sin(t)^2)^(-3/2) / 2 over t from 0 to phi."""
    turns, sine, square = _half_turns(phi)
    part = sine**3 * elliprd(square, sine.like(1.0), 1 - m * sine * sine) * (1 / 6)
    return part + 2 * absorbing(turns, special("ellipk_slope", m))


def _second_by_parameter(phi: Formula, m: Formula) -> Formula:
    """The integral of -sin(t)^2 (1 - m sin(t)^2)^(-1/2) / 2 over t from 0 to phi."""
    turns, sine, square = _half_turns(phi)
    part = sine**3 * elliprd(square, 1 - m * sine * sine, sine.like(1.0)) * (1 / 6)
    return 2 * absorbing(turns, special("ellipe_slope", m)) - part


def _amplitude_by_parameter(u: Formula, m: Formula) -> Formula:
    """By m: u = ellipkinc(phi, m) stays."""
    return -special("ellipj_dn", u, m) * _first_by_parameter(special("ellipj_am", u, m), m)


def _delta_by_parameter(u: Formula, m: Formula, r: Formula) -> Formula:
    sine, cosine = special("ellipj_sn", u, m), special("ellipj_cn", u, m)
    return -sine * (0.5 * sine + m * cosine * _amplitude_by_parameter(u, m)) / r


def _minus_square_inverse(x: Formula) -> Formula:
    """-1 / sin(x)^2, of x in degrees."""
    inverse = 1 / special("sindg", x)
    return -(inverse * inverse)


def _rf_by(x: Formula, y: Formula, z: Formula) -> Formula:
    """The derivative of R_F by x."""
    return elliprd(y, z, x) * (-1 / 6)


def _rg_by(x: Formula, y: Formula, z: Formula) -> Formula:
    """The derivative of R_G by x, (R_F - x R_D(y, z, x) / 3) / 4."""
    return (special("elliprf", x, y, z) - absorbing(x, elliprd(y, z, x)) * (1 / 3)) * 0.25


DERIVATIVES: Derivatives = {
    "elliprf": (
        lambda x, y, z, r: _rf_by(x, y, z),
        lambda x, y, z, r: _rf_by(y, z, x),
        lambda x, y, z, r: _rf_by(z, x, y),
    ),
    "elliprg": (
        lambda x, y, z, r: _rg_by(x, y, z),
        lambda x, y, z, r: _rg_by(y, z, x),
        lambda x, y, z, r: _rg_by(z, x, y),
    ),
    "hyp0f1": (lambda b, x, r: hyp0f1_by_parameter(b, x, r), lambda b, x, r: special("hyp0f1", b + 1, x) / b),
    "hyp1f1": (
        lambda a, b, x, r: hyp1f1_by_parameters(a, b, x)[0],
        lambda a, b, x, r: hyp1f1_by_parameters(a, b, x)[1],
        lambda a, b, x, r: a / b * special("hyp1f1", a + 1, b + 1, x),
    ),
    "hyperu": (
        lambda a, b, x, r: hyperu_by_parameters(a, b, x)[0],
        lambda a, b, x, r: hyperu_by_parameters(a, b, x)[1],
        lambda a, b, x, r: -a * special("hyperu", a + 1, b + 1, x),
    ),
    "hyp2f1": (
        lambda a, b, c, x, r: hyp2f1_by_parameters(a, b, c, x)[0],
        lambda a, b, c, x, r: hyp2f1_by_parameters(a, b, c, x)[1],
        lambda a, b, c, x, r: hyp2f1_by_parameters(a, b, c, x)[2],
        lambda a, b, c, x, r: a * b / c * special("hyp2f1", a + 1, b + 1, c + 1, x),
    ),
    "ellipk": (lambda m, r: special("ellipk_slope", m),),
    "ellipk_slope": (_ellipk_curvature,),
    "ellipkm1": (lambda p, r: special("ellipkm1_slope", p),),
    "ellipkm1_slope": (_ellipkm1_curvature,),
    "ellipe": (lambda m, r: special("ellipe_slope", m),),
    "ellipe_slope": (lambda m, r: _ellipe_curvature(m),),
    "ellipkinc": (lambda phi, m, r: 1 / _height(phi, m), lambda phi, m, r: _first_by_parameter(phi, m)),
    "ellipeinc": (lambda phi, m, r: _height(phi, m), lambda phi, m, r: _second_by_parameter(phi, m)),
    "agm": (lambda a, b, r: special("agm_slope", a, b), lambda a, b, r: special("agm_slope", b, a)),
    "agm_slope": (
        lambda a, b, r: _agm_curvature(a, b, r) / _from_zero(a),
        lambda a, b, r: -_agm_curvature(a, b, r) / b,
    ),
    "sindg": (lambda x, r: _DEGREE * special("cosdg", x),),
    "cosdg": (lambda x, r: -_DEGREE * special("sindg", x),),
    "tandg": (lambda x, r: _DEGREE * (1 + r * r),),
    "cotdg": (lambda x, r: _DEGREE * _minus_square_inverse(x),),
    "ellipj_sn": (
        lambda u, m, r: special("ellipj_cn", u, m) * special("ellipj_dn", u, m),
        lambda u, m, r: special("ellipj_cn", u, m) * _amplitude_by_parameter(u, m),
    ),
    "ellipj_cn": (
        lambda u, m, r: -special("ellipj_sn", u, m) * special("ellipj_dn", u, m),
        lambda u, m, r: -special("ellipj_sn", u, m) * _amplitude_by_parameter(u, m),
    ),
    "ellipj_dn": (
        lambda u, m, r: -absorbing(m, special("ellipj_sn", u, m) * special("ellipj_cn", u, m)),
        _delta_by_parameter,
    ),
    "ellipj_am": (
        lambda u, m, r: _amplitude_slope(u, m),
        lambda u, m, r: _amplitude_by_parameter(u, m),
    ),
}

DEFINITIONS: dict[str, Definition] = {
    "agm_slope": _agm_slope,
    "ellipk_slope": _ellipk_slope,
    "ellipkm1_slope": _ellipkm1_slope,
    "ellipe_slope": _ellipe_slope,
}
