"""Histograms of one or several dimensions. The data counted have no derivative; weights and edges have.

np.histogram(x, 10, weights=w)      sums of weights, differentiable in w
np.histogram2d(x, y, [4, 3])        the same of points: searches find rows and columns
"""

from __future__ import annotations

from typing import Annotated, Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.arrays.searching import searchsorted
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Flag,
    OperandLike,
    WrongKindError,
    kind,
    own_dtype,
)
from mlirad.frontend.numpy_functions.calls.results import as_copies
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import BOOL, F64, result_type
from mlirad.frontend.tracing.operations import as_array, converted, kind_of, operand_of, select, xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error


def _bins(value: Any) -> Any:
    if isinstance(value, str):
        raise WrongKindError
    return operand_of(value)


def _ends(value: Any) -> tuple[Any, Any]:
    low, high = value
    return operand_of(low), operand_of(high)


Bins = Annotated[Any, kind("a number of bins or an array of edges", _bins)]
"""The number of bins of one width, or their edges."""

Ends = Annotated[tuple[Any, Any], kind("a pair of numbers", _ends)]
"""The first and the last edge."""


def histogram_bin_edges(
    a: ArrayLike, bins: Bins = 10, range: Ends | None = None, weights: OperandLike | None = None
) -> Array:
    """`np.histogram_bin_edges`, for a number of bins or given edges, which must increase."""
    if not isinstance(bins, Array) and np.ndim(bins) == 0:
        return _equal_widths(a, bins, range)
    edges = own_dtype(bins)
    if edges.ndim != 1:
        raise argument_error(
            f"histogram: bins of shape {edges.shape}",
            "give a static number of bins, or a vector of their edges",
        )
    if not isinstance(bins, Array) and np.any(np.diff(np.asarray(bins, np.float64)) < 0):
        raise argument_error("histogram: the edges do not increase", "sort them: np.sort(bins)")
    return edges


def _equal_widths(a: Array, bins: Any, ends: tuple[Any, Any] | None) -> Array:
    count = np.asarray(bins)
    if count.dtype.kind not in "iu" or count < 1:
        raise argument_error(f"histogram: {bins!r} bins", "give a positive integer, or a vector of edges")
    if ends is None and not a.size:
        ends = (0.0, 1.0)
    if ends is not None and not any(isinstance(e, Array) for e in ends) and not ends[0] <= ends[1]:
        raise argument_error(f"histogram: the range {ends} is not one", "its first number is the smaller one")
    low, high = (as_array(e) for e in ends) if ends is not None else (xp.min(a), xp.max(a))
    found = result_type([kind_of(a), *(() if ends is None else map(kind_of, ends))])
    dtype = found if found.kind == "f" else F64
    low, high = (converted(e, dtype) for e in (low, high))
    is_empty = xp.equal(low, high)
    first, last = select(is_empty, low - 0.5, low), select(is_empty, high + 0.5, high)
    return xp.linspace(first, last, int(count) + 1, dtype=dtype)


def histogram(
    a: ArrayLike,
    bins: Bins = 10,
    range: Ends | None = None,
    density: Flag | None = None,
    weights: OperandLike | None = None,
) -> tuple[Array, Array]:
    """`np.histogram`. Counts have no derivative, sums of weights are linear in these."""
    edges = histogram_bin_edges(a, bins, range)
    count = edges.size - 1
    if weights is not None and np.shape(weights) != a.shape:
        raise shape_error(
            f"histogram: weights of shape {np.shape(weights)} for elements of shape {a.shape}",
            "there is a weight for each element",
        )
    x = xp.ravel(converted(a, F64) if a.dtype == BOOL else a)
    found = searchsorted(edges, x, "right") - 1
    found = select(xp.equal(x, edges[-1]), count - 1, found)
    is_inside = xp.greater_equal(found, 0) & xp.less(found, count)
    each = as_array(np.ones(x.shape, np.int64)) if weights is None else xp.ravel(own_dtype(weights))
    if each.dtype == BOOL:
        raise dtype_error(
            "histogram: NumPy joins weights that are booleans by `or`", "convert with .astype(int)"
        )
    totals: Any = as_array(np.zeros(max(count, 0), each.dtype))
    if count > 0:
        totals = totals.at[xp.clip(found, 0, count - 1)].add(select(is_inside, each, each.dtype.type(0)))
    if density:
        totals = totals / xp.diff(edges) / xp.sum(totals)
    return totals, edges


# Several dimensions ------------------------------------------------------------------------------


def histogramdd(
    sample: Anything,
    bins: Anything = 10,
    range: Anything = None,
    density: Flag | None = None,
    weights: OperandLike | None = None,
) -> tuple[Array, list[Array]]:
    """`np.histogramdd`, of points as rows of an array, or of a sequence of coordinates."""
    is_array = isinstance(sample, Array | np.ndarray) and np.ndim(cast(Any, sample)) == 2
    points = as_array(sample) if is_array else xp.atleast_2d(as_array(sample)).T
    count, rank = points.shape
    wanted = [bins] * rank if _length(bins) is None else [*bins]
    ends = [None] * rank if range is None else [*range]
    if len(wanted) != rank or len(ends) != rank:
        raise argument_error(
            f"histogramdd: {len(wanted)} bins and {len(ends)} ranges for {rank} dimensions",
            "give a number of bins, or a list with a number or a vector of edges for each dimension",
        )
    if weights is not None and np.shape(weights) != (count,):
        raise shape_error(
            f"histogramdd: weights of shape {np.shape(weights)} for {count} points", "one for each point"
        )
    edges = [
        own_dtype(histogram_bin_edges(points[:, k], _bins(one), None if end is None else _ends(end)))
        for k, (one, end) in enumerate(zip(wanted, ends, strict=True))
    ]
    shape = tuple(e.size - 1 for e in edges)
    place, is_inside = as_array(np.zeros(count, np.int64)), as_array(np.ones(count, np.bool_))
    for k, along in enumerate(edges):
        x = points[:, k]
        found = searchsorted(along, x, "right") - 1
        found = select(xp.equal(x, along[-1]), shape[k] - 1, found)
        is_inside = is_inside & xp.greater_equal(found, 0) & xp.less(found, shape[k])
        place = place * shape[k] + xp.clip(found, 0, shape[k] - 1)
    each = as_array(np.ones(count)) if weights is None else converted(as_array(weights), F64)
    totals: Any = as_array(np.zeros(int(np.prod(shape))))
    totals = xp.reshape(totals.at[place].add(select(is_inside, each, 0.0)), shape)
    if density:
        total = xp.sum(totals)
        for k, along in enumerate(edges):
            totals = totals / xp.reshape(xp.diff(along), [-1 if d == k else 1 for d in np.arange(rank)])
        totals = totals / total
    # NumPy gives a part of a larger array, whose elements do not follow one another.
    return as_copies(totals, is_row_major=False), edges


def _length(bins: Any) -> int | None:
    """The length of what may hold bins of unlike kinds, so that it is not an array; None for a number."""
    try:
        return len(bins)
    except TypeError:
        return None


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Anything = 10,
    range: Anything = None,
    density: Flag | None = None,
    weights: OperandLike | None = None,
) -> tuple[Array, Array, Array]:
    """`np.histogram2d`."""
    if x.ndim != 1 or x.shape != y.shape:
        raise shape_error(
            f"histogram2d: x of shape {x.shape}, y of shape {y.shape}", "give vectors of one length"
        )
    each = bins if isinstance(bins, str) or _length(bins) in (None, 1, 2) else [bins, bins]
    totals, (rows, columns) = histogramdd(xp.stack([x, y], axis=1), each, range, density, weights)
    return totals, rows, columns


FUNCTIONS = tracings(histogram, histogram_bin_edges, histogramdd, histogram2d)
"""The functions that this file traces."""
