"""Integrals of samples by `scipy.integrate`, on traced values and points.

    scipy.integrate.simpson(y, x)       sum over pairs of intervals of the integral of the parabola through
                                        three points; one interval alone by that through the last three

The rule for the last of an odd number of intervals is Cartwright's, as in SciPy. Results are float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Axis, OperandLike
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import converted, inexact, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: OperandLike = 1.0, axis: Axis = -1) -> Any:
    """`scipy.integrate.trapezoid`."""
    return xp.trapezoid(y, x, dx, axis)


def _widths(y: Array, x: Array | None, dx: Any, dim: int, name: str) -> Any:
    """The widths of intervals, with the dimension `dim` in front, in a shape that y has or broadcasts to."""
    count = y.shape[dim] - 1
    if x is None:
        return xp.full((count, *[1] * (y.ndim - 1)), dx)
    if x.ndim not in (1, y.ndim) or x.shape[dim if x.ndim > 1 else 0] != count + 1:
        raise shape_error(
            f"{name}: points of shape {x.shape} for values of shape {y.shape}",
            "give one point for each value along the axis",
        )
    if x.ndim == 1 < y.ndim:
        return xp.reshape(xp.diff(x), (count, *[1] * (y.ndim - 1)))
    return xp.diff(xp.moveaxis(x, dim, 0), axis=0)


def _ratio(above: Any, below: Any) -> Any:
    """A quotient, 0 where the divisor is 0, as points that coincide enclose nothing."""
    empty = xp.equal(below, 0)
    return xp.where(empty, 0.0, above / xp.where(empty, 1.0, below))


def simpson(y: ArrayLike, x: ArrayLike | None = None, *, dx: OperandLike = 1.0, axis: Axis = -1) -> Array:
    """`scipy.integrate.simpson`."""
    dim = one_axis(axis, y.ndim)
    count = y.shape[dim]
    if not count:
        raise shape_error("simpson: there are no values along the axis", "give at least one")
    h = _widths(y, x, dx, dim, "simpson")
    v = xp.moveaxis(inexact(y), dim, 0)
    if count == 1:
        return converted(xp.sum(v * 0.0, axis=0), F64)
    if count == 2:
        return converted(0.5 * h[0] * (v[0] + v[1]), F64)
    whole = count - 1 - (count - 1) % 2
    before, after = h[0:whole:2], h[1:whole:2]
    width = before + after
    parts = width / 6.0 * (
        v[0:whole:2] * (2.0 - _ratio(after, before))
        + v[1:whole:2] * width * _ratio(width, before * after)
        + v[2 : whole + 1 : 2] * (2.0 - _ratio(before, after))
    )  # fmt: skip
    found = xp.sum(parts, axis=0)
    if count % 2 == 0:
        one, last = h[-2], h[-1]
        found = found + v[-1] * _ratio(2.0 * last**2 + 3.0 * one * last, 6.0 * (one + last))
        found = found + v[-2] * _ratio(last**2 + 3.0 * one * last, 6.0 * one)
        found = found - v[-3] * _ratio(last**3, 6.0 * one * (one + last))
    return converted(found, F64)


def cumulative_trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: OperandLike = 1.0, axis: Axis = -1,
    initial: OperandLike | None = None,
) -> Array:  # fmt: skip
    """`scipy.integrate.cumulative_trapezoid`."""
    dim = one_axis(axis, y.ndim)
    if not y.shape[dim]:
        raise shape_error("cumulative_trapezoid: there are no values along the axis", "give at least one")
    h = _widths(y, x, dx, dim, "cumulative_trapezoid")
    v = xp.moveaxis(inexact(y), dim, 0)
    sums = xp.cumsum(h * (v[1:] + v[:-1]) / 2.0, axis=0)
    if initial is not None:
        if not (np.ndim(initial) == 0 and np.all(initial == 0)):
            raise argument_error("cumulative_trapezoid: `initial` must be 0 or None", "add it to the result")
        sums = xp.concatenate([xp.zeros_like(v[:1]), sums])
    return xp.moveaxis(sums, 0, dim)


FUNCTIONS = {"trapezoid": trapezoid, "simpson": simpson, "cumulative_trapezoid": cumulative_trapezoid}
"""The functions that trace those of `scipy.integrate`, by their names there."""
