"""Quantile functions that keep their digits at both ends, where the share of one side is next to 1.

**by_smaller_share(lambda q: xp.tan(0.5 * pi * q), lambda q: 1.0 / xp.tan(0.5 * pi * q))      ppf and isf
"""

from __future__ import annotations

from math import pi
from typing import Any, TypedDict

from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import (
    Formula,
    Function,
    called,
)
from mlirad.frontend.tracing.operations import xp


class Quantiles(TypedDict):
    """The inverse functions of what is below a point, and of what is above it."""

    ppf: Function
    isf: Function


def by_smaller_share(lower: Formula, upper: Formula) -> Quantiles:
    """Quantile functions by the side whose share is not above 1/2: of one that is, the rest is exact.

    `lower` is a function of the share below a point and of the shapes, `upper` of that above it.
    """

    def of(near: Function, far: Function) -> Function:
        def quantile(q: Any, *shapes: Any) -> Any:
            is_near = xp.less_equal(q, 0.5)
            found = near(xp.where(is_near, q, 0.5), *shapes)
            return xp.where(is_near, found, far(xp.where(is_near, 0.5, 1.0 - q), *shapes))

        return quantile

    low, high = called(lower), called(upper)
    return Quantiles(ppf=of(low, high), isf=of(high, low))


def cotangent(q: Any) -> Any:
    """cot(pi q), by the tangent of what 1/2 is more where that is less than 1/4."""
    is_middle = xp.less(xp.abs(q - 0.5), 0.25)
    middle = xp.tan(pi * (0.5 - xp.where(is_middle, q, 0.5)))
    is_low = xp.less(q, 0.5)
    end = xp.where(is_low, q, 1.0 - q)
    far = 1.0 / xp.tan(pi * xp.where(is_middle, 0.25, end))
    return xp.where(is_middle, middle, xp.where(is_low, far, -far))
