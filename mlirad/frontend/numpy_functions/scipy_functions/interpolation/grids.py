"""Interpolation between neighbours: `scipy.interpolate.interp1d` and `RegularGridInterpolator`.

    Line(x, y, "linear").value(at)                 Grid((x, y), z, "linear").value(points)

Positions outside of the points raise an error when the call ends, are filled in, or are extrapolated.
"""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any, Literal, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import OperandLike, kind
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.b_splines import Spline
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.piecewise_polynomials import (
    at_axis,
    floats,
    raised,
    taken,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import argument_error, position_error, shape_error
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report
from mlirad.lazy_dataclass import dataclass


def require_inside(outside: Any, message: str) -> None:
    """Let the call raise a `PositionError` where one of the points is outside."""
    if not isinstance(outside, Array):
        if np.any(outside):
            raise position_error(message, "write bounds_error=False, or let the values be extrapolated")
        return
    if not outside.size:
        return
    if not has_reports():
        raise ReportsNeeded
    flag, rank = outside.value, outside.ndim
    report("position", emitting().reduce("or", flag, range(rank)) if rank else flag, [], message)


def outside_values(fill: Any) -> tuple[Any, Any]:
    """Return what holds below the points and above, of one value or a pair of them."""
    pair = cast("tuple[Any, ...]", fill) if isinstance(fill, tuple) else (fill, fill)
    return (pair[0], pair[1]) if len(pair) == 2 else (pair, pair)


@dataclass(frozen=True)
class Line:
    """Points, values along their first axis, and what holds between and outside; with a spline by that."""

    points: Any
    values: Any
    kind: str
    axis: int
    below: Any
    above: Any
    is_extrapolated: bool
    raises: bool
    spline: Spline | None = None

    def value(self, x: OperandLike) -> Any:
        """Return what holds at points of any shape."""
        at = floats(x)
        under, over = xp.less(at, self.points[0]), xp.greater(at, self.points[-1])
        if self.raises:
            require_inside(under, "interp1d: a value of x is below the interpolation range")
            require_inside(over, "interp1d: a value of x is above the interpolation range")
        found = self.spline.value(at) if self.spline is not None else self._between(at)
        trailing = self.values.ndim - 1
        if not self.is_extrapolated:
            shape = self.values.shape[1:]
            below, above = (xp.broadcast_to(floats(v), shape) for v in (self.below, self.above))
            found = xp.where(raised(under, trailing), below, xp.where(raised(over, trailing), above, found))
        elif self.kind in ("previous", "next"):
            unknown = under if self.kind == "previous" else over
            found = xp.where(raised(unknown, trailing), np.nan, found)
        return at_axis(found, at.ndim, self.axis)

    def _between(self, at: Any) -> Any:
        x, y = self.points, self.values
        last = x.shape[0] - 1
        if self.kind == "linear":
            k = xp.clip(xp.searchsorted(x, at, side="left"), 1, last)
            left, right = taken(y, k - 1), taken(y, k)
            low = taken(x, k - 1)
            trailing = y.ndim - 1
            slope = (right - left) / raised(taken(x, k) - low, trailing)
            return slope * raised(at - low, trailing) + left
        if self.kind in ("nearest", "nearest-up"):
            middles = x[1:] / 2.0 + x[:-1] / 2.0
            k = xp.searchsorted(middles, at, side="left" if self.kind == "nearest" else "right")
        elif self.kind == "next":
            k = xp.searchsorted(x, at, side="left")
        else:
            k = xp.searchsorted(x, at, side="right") - 1
        return taken(y, xp.clip(k, 0, last))


def _coordinates(value: Any) -> Any:
    """Points with their coordinates in the last axis, or a tuple of arrays that are broadcast."""
    if isinstance(value, tuple):
        return xp.stack(xp.broadcast_arrays(*map(floats, cast("tuple[Any, ...]", value))), axis=-1)
    return floats(value)


Coordinates = Annotated[Any, kind("an array of points, or a tuple of arrays of coordinates", _coordinates)]
"""Points of a space."""

GRID_METHODS = ("linear", "nearest")
"""The methods of SciPy that interpolate the values of a grid."""


@dataclass(frozen=True)
class Grid:
    """Points along each dimension, values at all of them, and what holds between and outside."""

    points: tuple[Any, ...]
    values: Any
    method: str
    raises: bool
    fill: Any

    def value(self, xi: Coordinates, method: Literal["linear", "nearest", None] = None) -> Any:
        """Return what holds at points, whose coordinates are in the last axis."""
        rank = len(self.points)
        if xi.ndim == 1:
            xi = xp.reshape(xi, (-1, rank) if not xi.size % rank else (1, -1))
        if not xi.ndim or xi.shape[-1] != rank:
            raise shape_error(
                f"points of shape {xi.shape} for a grid of {rank} dimensions",
                "the last axis has the coordinates of a point",
            )
        corners, shares, outside = self._places(xi)
        table = as_array(self.values) if isinstance(xi, Array) else self.values
        trailing = self.values.ndim - rank
        if (method or self.method) == "nearest":
            nearer = [xp.where(xp.less_equal(s, 0.5), k, k + 1) for k, s in zip(corners, shares, strict=True)]
            found = table[tuple(nearer)]
        else:
            found: Any = 0.0
            for upper in product((False, True), repeat=rank):
                weight: Any = 1.0
                for is_upper, share in zip(upper, shares, strict=True):
                    weight = weight * (share if is_upper else 1.0 - share)
                corner = tuple(k + int(is_upper) for k, is_upper in zip(corners, upper, strict=True))
                found = found + table[corner] * raised(weight, trailing)
        if not self.raises and self.fill is not None:
            found = xp.where(raised(outside, trailing), self.fill, found)
        return xp.where(raised(xp.any(xp.isnan(xi), axis=-1), trailing), np.nan, found)

    def _places(self, xi: Any) -> tuple[list[Any], list[Any], Any]:
        """The cell of each point by dimension and the place in it; and the points that are outside."""
        corners: list[Any] = []
        shares: list[Any] = []
        outside: Any = False
        for dimension, x in enumerate(self.points):
            at = xi[..., dimension]
            beside = xp.less(at, x[0]) | xp.greater(at, x[-1])
            if self.raises:
                require_inside(beside, f"one of the points is out of bounds in dimension {dimension}")
            outside = beside | outside
            k = xp.clip(xp.searchsorted(x, at, side="right") - 1, 0, x.shape[0] - 2)
            low = taken(x, k)
            corners.append(k)
            shares.append((at - low) / (taken(x, k + 1) - low))
        return corners, shares, outside


def grid(points: Any, values: Any, method: str, raises: bool, fill: Any) -> Grid:
    """A grid, of points and values that fit together; raises if these do not, or for other methods."""
    if not isinstance(points, list | tuple):
        raise argument_error(
            f"the points of a grid are a tuple of vectors, got {points!r}", "write (x, y), or (x,)"
        )
    axes = tuple(floats(x) for x in cast("tuple[Any, ...]", points))
    given = floats(values)
    if method not in GRID_METHODS:
        raise argument_error(
            f"RegularGridInterpolator with method={method!r} cannot be traced",
            'method="linear" and method="nearest" can',
        )
    shape = tuple(x.shape[0] for x in axes if x.ndim == 1)
    if len(shape) != len(axes) or given.shape[: len(axes)] != shape or min(shape, default=0) < 2:
        raise shape_error(
            f"values of shape {given.shape} for grid points of shapes {[x.shape for x in axes]}",
            "values have a dimension for each vector of points, which has two elements or more",
        )
    falling = [d for d, x in enumerate(axes) if not isinstance(x, Array) and x[0] > x[-1]]
    for d, x in enumerate(axes):
        if not isinstance(x, Array) and not np.all(np.diff(x[::-1] if d in falling else x) > 0):
            raise argument_error(
                f"the points along dimension {d} of the grid are in no order", "sort them, each but once"
            )
    axes = tuple(x[::-1] if d in falling else x for d, x in enumerate(axes))
    return Grid(axes, xp.flip(given, axis=tuple(falling)) if falling else given, method, raises, fill)
