"""Piecewise polynomials of one variable, whose breakpoints and coefficients may be traced.

    PiecewisePolynomial(x, c).value(at)       sum_j c[j, i] (at - x[i])^(k - 1 - j),  x[i] <= at < x[i + 1]

They are those of `scipy.interpolate.PPoly`: intervals are closed on the left, the last one on both sides.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Int, OperandLike
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import holds_complex
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, converted, operand_of, xp
from mlirad.frontend.tracing.raising import argument_error, unsupported_error
from mlirad.lazy_dataclass import dataclass

Extrapolate: TypeAlias = Literal[True, False, "periodic", None]
"""The values outside of the breakpoints: the outer polynomials, NaN, or the inside again."""


def floats(value: Any) -> Any:
    """An array of float64: traced if the value is, else NumPy's; raises for complex ones."""
    if holds_complex((value,)):
        raise unsupported_error(
            "interpolation of complex numbers cannot be traced", "interpolate their real and imaginary parts"
        )
    found = operand_of(value)
    return converted(found, F64) if isinstance(found, Array) else np.asarray(found, np.float64)


def column(factors: Any, like: Any) -> Any:
    """Numbers by the first axis, with as many dimensions as `like`."""
    return xp.reshape(factors, (*factors.shape, *(1,) * (like.ndim - factors.ndim)))


def taken(rows: Any, positions: Any) -> Any:
    """Entries of an array by positions in its first axis; either may be traced."""
    return xp.take(as_array(rows) if isinstance(positions, Array) else rows, positions, axis=0)


def raised(points: Any, trailing: int) -> Any:
    """Points with dimensions after their own."""
    return xp.reshape(points, (*points.shape, *(1,) * trailing))


def at_axis(found: Any, rank: int, axis: int) -> Any:
    """Values whose first `rank` dimensions are those of the points, with these where `axis` was."""
    if not axis:
        return found
    order = [*range(rank, rank + axis), *range(rank), *range(rank + axis, found.ndim)]
    return xp.transpose(found, order)


def asked_points(x: OperandLike, asked: Extrapolate, default: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Return how a call extrapolates, and its points: within one period between `low` and `high` if
    periodic.
    """
    mode, at = default if asked is None else asked, floats(x)
    return mode, low + xp.remainder(at - low, high - low) if mode == "periodic" else at


def known_where(found: Any, at: Any, low: Any, high: Any, mode: Any) -> Any:
    """NaN at points that are NaN, and at those outside unless something is extrapolated."""
    unknown = xp.isnan(at)
    if mode is False:
        unknown = unknown | xp.less(at, low) | xp.greater(at, high)
    return xp.where(raised(unknown, found.ndim - at.ndim), np.nan, found)


def order_of(nu: int) -> int:
    """The order of a derivative; raises for negative ones."""
    if nu < 0:
        raise argument_error(f"the order of the derivative is {nu}", "orders nu are integers from 0 on")
    return nu


def require_not_periodic(mode: Any) -> None:
    """Raise for integrals across periods."""
    if mode == "periodic":
        raise unsupported_error(
            "integrals of periodic splines cannot be traced",
            "between the first and the last point, integrate(a, b, extrapolate=False)",
        )


@dataclass(frozen=True)
class PiecewisePolynomial:
    """Breakpoints (m + 1), coefficients (k, m, ...) of falling powers, and where the axis of x was."""

    breaks: Any
    coefficients: Any
    extrapolate: Any = True
    axis: int = 0

    def value(self, x: OperandLike, nu: Int = 0, extrapolate: Extrapolate = None) -> Any:
        """The polynomial, or its derivative of order `nu`, at points of any shape."""
        low, high = self.breaks[0], self.breaks[-1]
        mode, at = asked_points(x, extrapolate, self.extrapolate, low, high)
        rows = self._derived(order_of(nu))
        last = self.breaks.shape[0] - 2
        k = xp.clip(xp.searchsorted(self.breaks, at, side="right") - 1, 0, last)
        step = raised(at - taken(self.breaks, k), rows.ndim - 2)
        found = taken(rows[0], k)
        for row in range(1, rows.shape[0]):
            found = found * step + taken(rows[row], k)
        return at_axis(known_where(found, at, low, high, mode), at.ndim, self.axis)

    def _derived(self, nu: int) -> Any:
        c = self.coefficients
        count = c.shape[0]
        if not nu:
            return c
        if nu >= count:
            return xp.zeros_like(c[:1])
        factors = np.array([float(prod(range(p - nu + 1, p + 1))) for p in range(count - 1, nu - 1, -1)])
        return c[: count - nu] * column(factors, c)

    def derivative(self, nu: Int = 1) -> PiecewisePolynomial:
        """The derivative of order `nu`, an antiderivative if it is negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        return replace(self, coefficients=self._derived(nu))

    def antiderivative(self, nu: Int = 1) -> PiecewisePolynomial:
        """The antiderivative of order `nu` that is 0 at the first breakpoint."""
        if nu < 0:
            return self.derivative(-nu)
        found = self
        for _ in range(nu):
            found = found._integrated()
        return found

    def _integrated(self) -> PiecewisePolynomial:
        c = self.coefficients
        scaled = c / column(np.arange(c.shape[0], 0, -1.0), c)
        step = column(xp.diff(self.breaks), c[0])
        over = scaled[0] * step
        for row in range(1, c.shape[0]):
            over = (over + scaled[row]) * step
        before = xp.concatenate([xp.zeros_like(over[:1]), xp.cumsum(over, axis=0)[:-1]])
        mode = False if self.extrapolate == "periodic" else self.extrapolate
        return replace(self, coefficients=xp.concatenate([scaled, before[None]]), extrapolate=mode)

    def integrate(self, a: OperandLike, b: OperandLike, extrapolate: Extrapolate = None) -> Any:
        """The integral from a to b, which are numbers."""
        mode = self.extrapolate if extrapolate is None else extrapolate
        require_not_periodic(mode)
        whole = replace(self.antiderivative(), axis=0)
        return whole.value(b, 0, mode) - whole.value(a, 0, mode)
