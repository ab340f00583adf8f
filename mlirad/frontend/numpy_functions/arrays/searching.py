"""Search in sorted arrays: `np.searchsorted`, `np.digitize`, `np.interp`, and membership. NaN sorts last."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mlirad.dialects.extents import is_static
from mlirad.frontend.constructs.loops import fori_loop
from mlirad.frontend.numpy_functions.arrays.sized_arrays import zeros_of
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Flag,
    Number,
    OperandLike,
    PositionsLike,
    Scalar,
    own_dtype,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, common, converted, select
from mlirad.frontend.tracing.operations import xp as numpy_
from mlirad.frontend.tracing.raising import argument_error, shape_error

MOST_HALVINGS = 48
"""The number of times that a table of any size that memory holds is halved at most."""


def searchsorted(
    a: ArrayLike, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: PositionsLike | None = None
) -> Array:
    """`np.searchsorted`, by bisection of all values at once."""
    table, values = common([a, v])
    if table.ndim != 1:
        raise shape_error(
            f"searchsorted needs a vector, got shape {table.shape}",
            "ad.map searches in every row of a matrix",
        )
    if sorter is not None:
        order = as_array(sorter)
        if order.shape != table.shape:
            raise shape_error(
                f"a sorter of shape {order.shape} for a table of shape {table.shape}",
                "sorter is np.argsort of the table",
            )
        table = table[order]
    count = table.size
    low = zeros_of(values.shape)
    if count == 0:
        return as_array(low)

    def halve(_: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
        first, last = ends
        middle = (first + last) // 2
        there = table[numpy_.minimum(middle, count - 1)]
        before = _is_before(there, values) if side == "left" else ~_is_before(values, there)
        goes_on = before & (first < last)
        return select(goes_on, middle + 1, first), select(goes_on, last, middle)

    return fori_loop(0, count.bit_length() if is_static(count) else MOST_HALVINGS, halve, (low, low + count))[
        0
    ]


def _is_before(x: Any, y: Any) -> Any:
    """Return whether x sorts before y, as NaN sorts last."""
    less = numpy_.less(x, y)
    return less | (numpy_.isnan(y) & ~numpy_.isnan(x)) if x.dtype.kind == "f" else less


def digitize(x: ArrayLike, bins: OperandLike, right: Flag = False) -> Array:
    """`np.digitize`, for bins that increase or decrease."""
    edges = own_dtype(bins)
    if edges.ndim != 1:
        raise shape_error(f"digitize needs a vector of bins, got shape {edges.shape}", "np.ravel")
    side = "left" if right else "right"

    def increasing() -> Array:
        return searchsorted(edges, x, side)

    def decreasing() -> Array:
        return numpy_.subtract(edges.size, searchsorted(numpy_.flip(edges), x, side))

    if edges.size < 2:
        return increasing()
    if isinstance(bins, Array):
        return select(edges[0] <= edges[-1], increasing(), decreasing())
    steps = np.diff(np.asarray(bins, np.float64))
    if not (np.all(steps >= 0) or np.all(steps <= 0)):
        raise argument_error("digitize needs bins that increase or decrease", "sort them: np.sort(bins)")
    return increasing() if np.all(steps >= 0) else decreasing()


def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Scalar | None = None, right: Scalar | None = None,
    period: Number | None = None,
) -> Array:  # fmt: skip
    """`np.interp`: linear between the points, constant outside, or periodic."""
    at, places, values = (converted(v, F64) for v in (x, xp, fp))
    if places.shape != values.shape or places.ndim != 1 or not places.size:
        raise shape_error(
            f"interp needs two vectors of one length, got {places.shape} and {values.shape}",
            "the positions and the values of the points, at least one",
        )
    if period is not None:
        if period == 0:
            raise argument_error("interp: the period must not be 0", "leave it out")
        length = abs(float(period))
        at, places = numpy_.remainder(at, length), numpy_.remainder(places, length)
        order = numpy_.argsort(places)
        places, values = places[order], values[order]
        places = numpy_.concatenate([places[-1:] - length, places, places[:1] + length])
        values = numpy_.concatenate([values[-1:], values, values[:1]])
        left = right = None
    below = values[0] if left is None else left
    above = values[-1] if right is None else right
    if places.size == 1:
        inside = values[0]
    else:
        k = numpy_.clip(searchsorted(places, at, "right") - 1, 0, places.size - 2)
        x0, y0, x1, y1 = places[k], values[k], places[k + 1], values[k + 1]
        gap = x1 - x0
        slope = (y1 - y0) / select(numpy_.equal(gap, 0), 1.0, gap)
        inside = slope * (at - x0) + y0
        from_right = slope * (at - x1) + y1  # which is y1, to the last bit, at the last point
        inside = select(numpy_.equal(at, places[-1]) | numpy_.isnan(inside), from_right, inside)
        # Where the slope is infinite, a value of one of the points may still be known.
        inside = select(numpy_.isnan(inside) & numpy_.equal(y0, y1), y0, inside)
        inside = select(numpy_.isnan(inside) & numpy_.equal(at, x0), y0, inside)
        inside = select(numpy_.isnan(inside) & numpy_.equal(at, places[-1]), values[-1], inside)
    found = select(numpy_.less(at, places[0]), below, inside)
    found = select(numpy_.greater(at, places[-1]), above, found)
    if places.size > 1:  # of one point NumPy takes the value, whatever is asked
        found = select(numpy_.isnan(at), at, found)
    return converted(as_array(found), F64)


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: Flag = False,
    invert: Flag = False,
    *,
    kind: Literal["sort", "table", None] = None,
) -> Array:
    """`np.isin`, by comparing each with each."""
    tested = numpy_.ravel(as_array(test_elements))
    found = numpy_.any(numpy_.equal(numpy_.expand_dims(element, -1), tested), axis=-1)
    return numpy_.logical_not(found) if invert else found


FUNCTIONS = tracings(searchsorted, digitize, interp, isin)
"""The functions that this file traces."""
