"""Steps of the Runge-Kutta method of Dormand and Prince, of order 5 with an estimate of order 4, and its
polynomial between two steps.

(Dormand and Prince, *A family of embedded Runge-Kutta formulae*, 1980; Hairer, Norsett and Wanner, *Solving
ordinary differential equations I*, 1993, sections II.4 to II.6.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.tracing.operations import as_array, xp

NODES: Final = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
"""The place of each stage but the first in the step."""

STAGES: Final = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
"""The weights of the slopes before each stage. The last stage is the end of the step, and the first of the
next."""

ERROR: Final = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""The weights of the difference between the two orders."""

DENSE: Final = (
    -12715105075 / 11282082432, 0.0, 87487479700 / 32700410799, -10690763975 / 1880347072,
    701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
)  # fmt: skip
"""The weights of the last coefficient of the polynomial between the ends."""

LEAST, MOST, SAFETY = 0.2, 10.0, 0.9
"""The factors by which a step may shrink and grow, and the share of what the error estimate allows."""

Slope = Callable[[Any, Any], Any]
"""dy/dt for a vector y at a time."""


def step(f: Slope, y: Any, slope: Any, t: Any, h: Any) -> tuple[Any, Any, Any, tuple[Any, ...]]:
    """The state and slope after a step, the estimate of its error, and the polynomial between its ends.

    The polynomial has order 4. Its coefficients are for `between`.
    """
    slopes = [slope]
    new = y
    for node, weights in zip(NODES, STAGES, strict=True):
        new = y + h * _combined(weights, slopes)
        slopes.append(f(new, t + node * h))
    error = h * _combined(ERROR, slopes)
    change = new - y
    bend = h * slope - change
    coefficients = (y, change, bend, change - h * slopes[-1] - bend, h * _combined(DENSE, slopes))
    return new, slopes[-1], error, coefficients


def between(coefficients: tuple[Any, ...], part: Any) -> Any:
    """The state after a part, 0 to 1, of the step."""
    start, change, bend, twist, last = coefficients
    rest = 1 - part
    return start + part * (change + rest * (bend + part * (twist + rest * last)))


def _combined(weights: tuple[float, ...], slopes: list[Any]) -> Any:
    parts = [s.dtype.type(w) * s for w, s in zip(weights, slopes, strict=True) if w]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


Tolerance = float | tuple[float, ...]
"""A tolerance of all elements, or one of each."""


def error_ratio(error: Any, before: Any, after: Any, rtol: Tolerance, atol: Tolerance) -> Any:
    """The mean error over what is allowed; infinite where it is not a number."""
    dtype = error.dtype
    allowed = _in_dtype(atol, dtype) + _in_dtype(rtol, dtype) * xp.maximum(xp.abs(before), xp.abs(after))
    ratio = xp.sqrt(xp.mean((stop_gradient(error) / stop_gradient(allowed)) ** 2))
    return xp.where(xp.isnan(ratio), dtype.type(np.inf), ratio)


def factor(ratio: Any) -> Any:
    """The factor by which the next step is longer."""
    dtype = ratio.dtype
    wanted = dtype.type(SAFETY) * xp.maximum(ratio, dtype.type(1e-10)) ** dtype.type(-0.2)
    return xp.clip(wanted, dtype.type(LEAST), dtype.type(MOST))


def _in_dtype(tolerance: Tolerance, dtype: Any) -> Any:
    return np.array(tolerance, dtype)[()]


def first_step(f: Slope, y: Any, slope: Any, t: Any, rtol: Tolerance, atol: Tolerance) -> Any:
    """A length for the first step, by the sizes of y and of its first two derivatives (Hairer, II.4)."""
    y, slope, t = stop_gradient((y, slope, t))
    dtype = y.dtype
    scale = _in_dtype(atol, dtype) + _in_dtype(rtol, dtype) * xp.abs(y)

    def size(x: Any) -> Any:
        return xp.sqrt(xp.mean((x / scale) ** 2))

    d0, d1 = size(y), size(slope)
    tiny = (d0 < 1e-5) | (d1 < 1e-5)
    h = xp.where(tiny, dtype.type(1e-6), dtype.type(0.01) * d0 / xp.where(tiny, 1, d1))
    d2 = size(stop_gradient(f(y + h * slope, t + h)) - slope) / h
    most = xp.maximum(d1, d2)
    curved = xp.where(
        most <= 1e-15, xp.maximum(dtype.type(1e-6), h * dtype.type(1e-3)),
        (dtype.type(0.01) / xp.maximum(most, dtype.type(1e-15))) ** dtype.type(0.2),
    )  # fmt: skip
    found = xp.minimum(100 * h, curved)
    return as_array(xp.where(xp.isfinite(found), found, dtype.type(1e-6)))
