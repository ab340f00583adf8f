"""B-splines whose knots and coefficients may be traced, and those that interpolate traced values.

Spline(t, c, k).value(x)          sum_j c[j] B_j(x), by de Boor's recursion
interpolating(x, y, 3)            scipy.interpolate.make_interp_spline, of points that are not traced
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Int, OperandLike
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.piecewise_polynomials import (
    Extrapolate,
    asked_points,
    at_axis,
    column,
    floats,
    known_where,
    order_of,
    raised,
    require_not_periodic,
    taken,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Spline:
    """Knots, coefficients (n, ...), the degree, and where the axis of x was."""

    knots: Any
    coefficients: Any
    degree: int
    extrapolate: Any = True
    axis: int = 0

    def value(self, x: OperandLike, nu: Int = 0, extrapolate: Extrapolate = None) -> Any:
        """The spline, or its derivative of order `nu`, at points of any shape."""
        k, n = self.degree, self.knots.shape[0] - self.degree - 1
        low, high = self.knots[k], self.knots[n]
        mode, at = asked_points(x, extrapolate, self.extrapolate, low, high)
        inside = self.knots[k : n + 1]
        interval = xp.clip(xp.searchsorted(inside, at, side="right") - 1, 0, n - k - 1) + k
        found = self.derivative(order_of(nu))._at(at, interval - (k - max(k - nu, 0)))
        return at_axis(known_where(found, at, low, high, mode), at.ndim, self.axis)

    def derivative(self, nu: Int = 1) -> Spline:
        """The derivative of order `nu`, of as much lower a degree: 0 of degree 0 beyond."""
        found = self
        for _ in range(nu):
            k, t, c = found.degree, found.knots, found.coefficients
            n = t.shape[0] - k - 1
            if not k:
                return replace(found, coefficients=xp.zeros_like(c))
            gap = t[k + 1 : n + k] - t[1:n]
            safe = xp.where(xp.equal(gap, 0), 1.0, gap)
            factor = xp.where(xp.equal(gap, 0), 0.0, k / safe)
            found = replace(
                found,
                knots=t[1:-1],
                coefficients=xp.diff(c[:n], axis=0) * column(factor, c),
                degree=k - 1,
            )
        return found

    def antiderivative(self, nu: Int = 1) -> Spline:
        """The antiderivative of order `nu`, of as much higher a degree, that is 0 at the first knot."""
        found = self
        for _ in range(nu):
            k, t, n = found.degree, found.knots, found.knots.shape[0] - found.degree - 1
            width = column((t[k + 1 :] - t[: -k - 1]) / (k + 1), found.coefficients)
            sums = xp.cumsum(found.coefficients[:n] * width, axis=0)
            found = replace(
                found,
                knots=xp.concatenate([t[:1], t, t[-1:]]),
                coefficients=xp.concatenate([xp.zeros_like(sums[:1]), sums, *[sums[-1:]] * (k + 2)]),
                degree=k + 1,
                extrapolate=False if found.extrapolate == "periodic" else found.extrapolate,
            )
        return found

    def integrate(self, a: OperandLike, b: OperandLike, extrapolate: Extrapolate = None) -> Any:
        """The integral from a to b, which are numbers: of what is inside, or of what is extrapolated."""
        mode = self.extrapolate if extrapolate is None else extrapolate
        require_not_periodic(mode)
        whole = replace(self.antiderivative(), axis=0)
        ends = [floats(b), floats(a)]
        if mode is False:
            low, high = self.knots[self.degree], self.knots[-self.degree - 1]
            ends = [xp.clip(end, low, high) for end in ends]
        return whole.value(ends[0], 0, True) - whole.value(ends[1], 0, True)

    def _at(self, at: Any, interval: Any) -> Any:
        """Values at points whose intervals between knots are known."""
        k, trailing = self.degree, self.coefficients.ndim - 1
        near = [taken(self.coefficients, interval - k + j) for j in range(k + 1)]
        knots = {j: taken(self.knots, interval + j) for j in range(1 - k, k + 1)}
        for r in range(1, k + 1):
            for j in range(k, r - 1, -1):
                left, right = knots[j - k], knots[j + 1 - r]
                share = raised((at - left) / (right - left), trailing)
                near[j] = near[j - 1] + share * (near[j] - near[j - 1])
        return near[k]


def fitted(x: Any, y: Any, t: Any, k: int, w: Any, axis: int) -> Spline:
    """The spline of degree k with these knots that fits values along an axis best in the sense of squares."""
    values = _values(x, y, axis, "make_lsq_spline")
    made = _scipys("make_lsq_spline", x, np.eye(values.shape[0]), t, k, w)
    return Spline(made.t, xp.tensordot(made.c, values, ([1], [0])), k, made.extrapolate, axis)


def _values(x: Any, y: Any, axis: int, name: str) -> Any:
    """Values along the first axis; raises unless there is a point for each."""
    values = xp.moveaxis(y, axis, 0)
    if x.shape != values.shape[:1]:
        raise shape_error(
            f"{name}: points of shape {x.shape} for {values.shape[0]} values",
            "x has an entry for each entry of y along the axis",
        )
    return values


def interpolating(x: Any, y: Any, k: int, t: Any = None, bc_type: Any = None, axis: int = 0) -> Spline:
    """The spline of degree k through values along an axis.

    Its coefficients are a matrix, which SciPy finds, times the values and the derivatives at the ends.
    """
    values = _values(x, y, axis, "make_interp_spline")
    count = values.shape[0]
    if isinstance(bc_type, str) and bc_type == "periodic":
        ring = np.concatenate([np.eye(count - 1), np.eye(count - 1)[:1]])
        made = _scipys("make_interp_spline", x, ring, k, t, bc_type)
        matrix, given = made.c, values[:-1]
    else:
        orders, derivatives = _derivatives(bc_type)
        total = count + len(derivatives)
        units = np.eye(total)
        ends = iter(units[count:])
        conditions: Any = bc_type
        if orders is not None:
            conditions = tuple([(order, next(ends)) for order in side] for side in orders)
        made = _scipys("make_interp_spline", x, units[:count], k, t, conditions)
        matrix = made.c
        extra = [xp.broadcast_to(floats(value), values.shape[1:])[None] for value in derivatives]
        given = xp.concatenate([values, *extra]) if extra else values
    return Spline(made.t, xp.tensordot(matrix, given, ([1], [0])), k, made.extrapolate, axis)


def _derivatives(bc_type: Any) -> tuple[list[list[int]] | None, list[Any]]:
    """The orders of derivatives that are given at each end, or `None`; and all values."""
    if bc_type is None or isinstance(bc_type, str):
        return None, []
    sides: list[Any] = list(bc_type)
    if all(one is None or isinstance(one, str) for one in sides):
        return None, []
    orders: list[list[int]] = []
    values: list[Any] = []
    for one in sides:
        named = {"clamped": [(1, 0.0)], "natural": [(2, 0.0)]}
        pairs: list[Any] = named[one] if isinstance(one, str) else list(one or ())
        orders.append([order for order, _ in pairs])
        values += [value for _, value in pairs]
    return orders, values


def _scipys(name: str, *args: Any) -> Any:
    """The spline that a function of SciPy makes; what it finds wrong is an error of the user's line."""
    from scipy import interpolate  # which takes long to import

    try:
        return getattr(interpolate, name)(*args)
    except (ValueError, TypeError, NotImplementedError, np.linalg.LinAlgError) as error:
        raise argument_error(f"{name}: {error}", "these are SciPy's words") from None
