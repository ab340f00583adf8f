"""Lambert's W: the w with w e^w = x, of real numbers on the two branches that are real there.

    w' = e^-w / (1 + w) = w / (1 + w) / x

There is no loop of real numbers to call. Iterations find the values, as many as any number needs. Beside
-1/e, where the branches meet, a series in the distance stands for them, and for 1 + w.
"""

from __future__ import annotations

from math import e, nan

from mlirad.ir.formulas import Formula, absolute, exp, log, special, sqrt, where
from mlirad.rules.special_derivatives.parts import INFINITY, Definition, Derivatives, finite, horner

_LAST_DIGITS = -1.2428753672788363e-17
"""1 / e minus the float that is nearest to it."""

_SERIES = (-1.0, 1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120)
"""Coefficients of W by powers of sqrt(2 (e x + 1))."""

_NEAR = 0.03
"""The largest root for which the series is taken: what is left out is below 1e-15."""

_ITERATIONS = 9


def _root(x: Formula) -> Formula:
    """sqrt(2 (e x + 1)), to the last digit also beside -1/e; NaN below."""
    return sqrt(2 * e * ((x + 1 / e) + _LAST_DIGITS))


def _principal(x: Formula) -> Formula:
    """The branch from -1 upwards: by w + log(w) = log(x) for large x, by w = x e^-w for small ones."""
    is_large = x > 0.5
    root = _root(where(is_large, 0.0, x))
    is_near = root < _NEAR
    large = special("wrightomega", log(where(is_large, x, 1.0)))
    inner = where(is_large | is_near, 0.0, x)
    w = where(inner > -0.1, inner / (1 + inner), horner(_root(inner), _SERIES))
    for _ in range(_ITERATIONS):
        w = (w * w + inner * exp(-w)) / (1 + w)
    return where(is_large, large, where(is_near, horner(root, _SERIES), w))


def _lower(x: Formula) -> Formula:
    """The branch from -1 downwards, by w = log(x / w): -inf at 0, NaN above."""
    root = _root(x)
    is_near, is_inside = root < _NEAR, (x < 0) & (root >= _NEAR)
    inner = where(is_inside, x, -0.1)
    logarithm = log(-inner)
    w = where(inner < -0.25, horner(-_root(inner), _SERIES), logarithm - log(-logarithm))
    for _ in range(_ITERATIONS):
        w = w / (1 + w) * (1 + logarithm - log(-w))
    outside = where(x == 0, x.like(-INFINITY), nan)
    return where(is_near, horner(-root, _SERIES), where(is_inside, w, outside))


def _one_more(x: Formula, w: Formula, side: float) -> Formula:
    """1 + w, by the series where little is left of 1."""
    root = _root(x)
    near = horner(side * root, (0.0, *_SERIES[1:]))
    return where(root < _NEAR, near, 1 + w)


def _principal_slope(x: Formula, w: Formula) -> Formula:
    return exp(-w) / _one_more(x, w, 1.0)


def _lower_slope(x: Formula, w: Formula) -> Formula:
    """Minus infinity at 0, whatever sign that has; e^-w would overflow before."""
    w = finite(w)
    return w / _one_more(x, w, -1.0) / -absolute(x)


def _curvature(x: Formula, w: Formula, slope: Formula, side: float) -> Formula:
    """-(w + 2) / (w + 1) times the square of the slope."""
    return -(1 + 1 / _one_more(x, w, side)) * slope * slope


DERIVATIVES: Derivatives = {
    "lambert_w": (lambda x, w: special("lambert_w_slope", x, w),),
    "lambert_w_lower": (lambda x, w: special("lambert_w_lower_slope", x, w),),
    # By x they are derivatives along which w changes, too.
    "lambert_w_slope": (lambda x, w, s: _curvature(x, w, s, 1.0), lambda x, w, s: s.like(0.0)),
    "lambert_w_lower_slope": (lambda x, w, s: _curvature(x, w, s, -1.0), lambda x, w, s: s.like(0.0)),
}

DEFINITIONS: dict[str, Definition] = {
    "lambert_w": _principal,
    "lambert_w_lower": _lower,
    "lambert_w_slope": _principal_slope,
    "lambert_w_lower_slope": _lower_slope,
}
