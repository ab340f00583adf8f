"""Entropies, losses and the direction of a vector: derivatives that are stated, and formulas of the values.

"entr": (lambda x, r: -1 - log(x),)              -1 / x by x again; log(x) + x (1 / x) would overflow
"unit": (lambda x, y, r, u: v * v / r, ...)       what is left of 1 / r - x^2 / r^3
"""

from __future__ import annotations

from math import log as logarithm
from math import sqrt as root

from mlirad.ir.formulas import (
    Condition,
    Formula,
    absolute,
    absorbing,
    hypot,
    log,
    log1p,
    maximum,
    minimum,
    sign,
    special,
    where,
)
from mlirad.rules.special_derivatives.parts import (
    INFINITY,
    Definition,
    Derivatives,
    is_double,
    is_infinite,
    quotient,
)

# x log(y) -----------------------------------------------------------------------------------------


def _times(x: Formula, y: Formula, logarithm: Formula) -> Formula:
    """x times a logarithm of y, 0 where x is 0 and y no NaN."""
    return where((x == 0) & (y == y), absorbing(x, logarithm), x * logarithm)


def _xlogy(x: Formula, y: Formula) -> Formula:
    return _times(x, y, log(y))


def _xlog1py(x: Formula, y: Formula) -> Formula:
    return _times(x, y, log1p(y))


def _share(x: Formula, y: Formula) -> Formula:
    """x / y, 1 where both are one value, which has no quotient at infinity."""
    return x.like(1.0) if x.value is y.value else quotient(x, y)


def _entr(x: Formula) -> Formula:
    return where(x < 0, -INFINITY, -_xlogy(x, x))


def _log_ratio(x: Formula, y: Formula) -> Formula:
    """The logarithm by the relative difference, which is exact if x is close to y.

    Where that overflows, powers of two are taken out.
    """
    low, high = minimum(x, y), maximum(x, y)
    low = where(low == 0, 0.0, low)  # of -0 the quotient would be minus infinity
    ratio = (high - low) / low
    power = 2.0**512 if is_double(x) else 2.0**64
    is_far = ratio == INFINITY
    scaled = (high * (1 / power)) / (low * power)
    distance = log1p(where(is_far, scaled - 1, ratio))
    distance = distance + where(is_far, distance.like(2 * logarithm(power)), 0.0)
    return where(x > y, distance, -distance)


def _is_inside(x: Formula, y: Formula) -> Condition:
    return (x >= 0) & (y >= 0)


def _with_zeros(x: Formula, y: Formula, inside: Formula, at_zero: Formula) -> Formula:
    """`inside` for positive x and y, `at_zero` where x is 0, infinite where either is negative or y is 0."""
    found = where(x == 0, at_zero, where(y == 0, INFINITY, inside))
    return where(_is_inside(x, y), found, where((x == x) & (y == y), INFINITY, x + y))


def _rel_entr(x: Formula, y: Formula) -> Formula:
    return _with_zeros(x, y, x * special("log_ratio", x, y), x.like(0.0))


def _kl_div(x: Formula, y: Formula) -> Formula:
    return _with_zeros(x, y, x * special("log_ratio", x, y) - x + y, y)


def _rel_entr_by_x(x: Formula, y: Formula) -> Formula:
    is_corner = (x == 0) & (y == 0)
    return where(is_corner, 0.0, where(_is_inside(x, y), special("log_ratio", x, y) + 1, 0.0))


def _kl_div_by_x(x: Formula, y: Formula) -> Formula:
    is_corner = (x == 0) & (y == 0)
    return where(is_corner, 0.0, where(_is_inside(x, y), special("log_ratio", x, y), 0.0))


def _kl_div_by_y(x: Formula, y: Formula) -> Formula:
    """1 - x / y, where these are close as (y - x) / y."""
    is_close = absolute(x - y) < 0.5 * y
    return where(_is_inside(x, y), where(is_close, (y - x) / y, 1 - quotient(x, y)), 0.0)


# Directions ---------------------------------------------------------------------------------------


def _unit(x: Formula, y: Formula, r: Formula) -> Formula:
    """At infinity (1, 0), or (1, 1) / sqrt(2) where both are infinite."""
    far = where(is_infinite(x), sign(x) * where(is_infinite(y), y.like(root(0.5)), 1.0), 0.0)
    return where(r == 0, 0.0, where(r == INFINITY, far, x / r))


def _unit_by_x(x: Formula, y: Formula, r: Formula) -> Formula:
    """v (v / r) with v = y / r: v v could underflow."""
    other = special("unit", y, x, r)
    return absorbing(other, absorbing(other, 1 / r))


def _unit_by_y(x: Formula, y: Formula, r: Formula, u: Formula) -> Formula:
    return -absorbing(u, absorbing(special("unit", y, x, r), 1 / r))


# The smooth loss of Huber's -----------------------------------------------------------------------


def _sagitta(delta: Formula, r: Formula) -> tuple[Formula, Formula]:
    """sqrt(delta^2 + r^2) - delta, and the root."""
    size = hypot(delta, r)
    return r * (r / (size + delta)), size


def _pseudo_huber(delta: Formula, r: Formula) -> Formula:
    found = where(is_infinite(r), absolute(r), _sagitta(delta, r)[0]) * delta
    found = where((delta == 0) | (r == 0), 0.0, found)
    return where(delta < 0, INFINITY, found)


def _pseudo_huber_by_delta(delta: Formula, r: Formula) -> Formula:
    sagitta, size = _sagitta(delta, r)
    found = where(is_infinite(r), absolute(r), sagitta / size * sagitta)
    return where((delta < 0) | (r == 0), 0.0, found)


def _pseudo_huber_by_r(delta: Formula, r: Formula) -> Formula:
    found = delta * where(is_infinite(r), sign(r), r / hypot(delta, r))
    return where((delta < 0) | (r == 0), 0.0, found)


def _shares(delta: Formula, r: Formula) -> tuple[Formula, Formula]:
    size = hypot(delta, r)
    return special("unit", delta, r, size), special("unit", r, delta, size)


def _curvature_by_delta(delta: Formula, r: Formula) -> Formula:
    u, v = _shares(delta, r)
    height = v * v / (1 + u)
    return -(height * height) * (2 + u)


def _curvature_by_r(delta: Formula, r: Formula) -> Formula:
    u, _ = _shares(delta, r)
    return u * u * u


def _mixed_curvature(delta: Formula, r: Formula) -> Formula:
    _, v = _shares(delta, r)
    return v * v * v


DERIVATIVES: Derivatives = {
    "xlogy": (lambda x, y, r: log(y), lambda x, y, r: _share(x, y)),
    "xlog1py": (lambda x, y, r: log1p(y), lambda x, y, r: quotient(x, 1 + y)),
    "entr": (lambda x, r: where(x < 0, 0.0, -1 - log(x)),),
    "log_ratio": (lambda x, y, r: 1 / x, lambda x, y, r: -1 / y),
    "rel_entr": (
        lambda x, y, r: _rel_entr_by_x(x, y),
        lambda x, y, r: where(_is_inside(x, y), -quotient(x, y), 0.0),
    ),
    "kl_div": (lambda x, y, r: _kl_div_by_x(x, y), lambda x, y, r: _kl_div_by_y(x, y)),
    "unit": (
        lambda x, y, r, u: _unit_by_x(x, y, r),
        lambda x, y, r, u: _unit_by_y(x, y, r, u),
        # The other two are derivatives along which r changes, too.
        lambda x, y, r, u: u.like(0.0),
    ),
    "pseudo_huber": (
        lambda delta, r, f: special("pseudo_huber_by_delta", delta, r),
        lambda delta, r, f: special("pseudo_huber_by_r", delta, r),
    ),
    "pseudo_huber_by_delta": (
        lambda delta, r, f: _curvature_by_delta(delta, r),
        lambda delta, r, f: _mixed_curvature(delta, r),
    ),
    "pseudo_huber_by_r": (
        lambda delta, r, f: _mixed_curvature(delta, r),
        lambda delta, r, f: _curvature_by_r(delta, r),
    ),
}

DEFINITIONS: dict[str, Definition] = {
    "xlogy": _xlogy,
    "xlog1py": _xlog1py,
    "entr": _entr,
    "log_ratio": _log_ratio,
    "rel_entr": _rel_entr,
    "kl_div": _kl_div,
    "unit": _unit,
    "pseudo_huber": _pseudo_huber,
    "pseudo_huber_by_delta": _pseudo_huber_by_delta,
    "pseudo_huber_by_r": _pseudo_huber_by_r,
}
