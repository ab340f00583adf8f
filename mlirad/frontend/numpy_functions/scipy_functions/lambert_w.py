"""`scipy.special.lambertw`: the w with w e^w = x, of real numbers on the two branches that are real there.

    scipy.special.lambertw(x)              complex, as SciPy's result, with imaginary part 0 from -1/e on
    scipy.special.lambertw(x, -1).real     the lower branch, between -1/e and 0

There is no compiled loop of real numbers to call. An iteration finds the value, without derivatives. Steps of
Newton's follow, which double the order up to which derivatives are right, as they do the digits of a value:
three of them make the first seven. Beside -1/e, where the branches meet, a series in the distance stands.
"""

from __future__ import annotations

from math import e
from typing import Any

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.frontend.numpy_functions.calls.parameters import Int, OperandLike
from mlirad.frontend.numpy_functions.meanings.special import special
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import unsupported_error

_LAST_DIGITS = -1.2428753672788363e-17
"""1 / e minus the float that is nearest to it."""

_SERIES = (-1.0, 1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120)
"""Coefficients of W by powers of sqrt(2 (e x + 1))."""

_NEAR = 0.03
"""How large that root is where the series stands: what is left out is below 1e-15."""

_STEPS = 3


def lambertw(z: OperandLike, k: Int = 0) -> ComplexArray:
    """`lambertw` of real numbers, NaN where it is not real; raises for other branches than 0 and -1."""
    if k not in (0, -1):
        raise unsupported_error(
            f"branch {k} of lambertw cannot be traced",
            "k=0 is real from -1/e on, k=-1 between -1/e and 0",
        )
    real = _principal(_float(z)) if k == 0 else _lower(_float(z))
    return ComplexArray(real, xp.where(xp.isnan(real), np.nan, 0.0))


def _float(value: Any) -> Array:
    return converted(as_array(value), F64)


def _root(x: Array) -> Array:
    """sqrt(2 (e x + 1)), to the last digit also beside -1/e; NaN below."""
    return xp.sqrt(2 * e * ((x + 1 / e) + _LAST_DIGITS))


def _series(root: Array) -> Any:
    found: Any = 0.0
    for coefficient in reversed(_SERIES):
        found = found * root + coefficient
    return found


def _constant(x: Any) -> Array:
    return made(emitting().unary(ew.StopGradientOp, x.value))


def _principal(x: Array) -> Array:
    """The branch from -1 upwards: by w + log(w) = log(x) for large x, by w = x e^-w for small ones."""
    root = _root(xp.where(xp.greater(x, 0.5), 0.0, x))
    is_large, is_near = xp.greater(x, 0.5), xp.less(root, _NEAR)
    large = made(special(emitting(), "wrightomega", xp.log(xp.where(is_large, x, 1.0)).value))
    inner = xp.where(is_large | is_near, 0.0, x)
    w = _constant(xp.where(xp.greater(inner, -0.1), inner / (1.0 + inner), _series(_root(inner))))

    def step(w: Any) -> Any:
        return (w * w + inner * xp.exp(-w)) / (1.0 + w)

    for _ in range(6):
        w = _constant(step(w))
    for _ in range(_STEPS):
        w = step(w)
    near = _series(xp.where(is_near, root, 0.5))
    return xp.where(is_large, large, xp.where(is_near, near, w))


def _lower(x: Array) -> Array:
    """The branch from -1 downwards, by w = log(x / w): -inf at 0, NaN above."""
    root = _root(x)
    is_near = xp.less(root, _NEAR)
    is_inside = xp.less(x, 0) & xp.greater_equal(root, _NEAR)
    inner = xp.where(is_inside, x, -0.1)
    logarithm = xp.log(-inner)
    rough = logarithm - xp.log(-logarithm)
    w = _constant(xp.where(xp.less(inner, -0.25), _series(-_root(inner)), rough))

    def step(w: Any) -> Any:
        return w / (1.0 + w) * (1.0 + logarithm - xp.log(-w))

    for _ in range(6):
        w = _constant(step(w))
    for _ in range(_STEPS):
        w = step(w)
    near = _series(xp.where(is_near, -root, -0.5))
    outside = xp.where(xp.equal(x, 0), -np.inf, np.nan)
    return xp.where(is_near, near, xp.where(is_inside, w, outside))
