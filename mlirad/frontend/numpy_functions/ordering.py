"""Functions that depend on the order of elements: sorting, quantiles, search, prefix sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.dtypes import BOOL, I32, I64
from mlirad.frontend.frames import emitting
from mlirad.frontend.loops import fori_loop
from mlirad.frontend.numpy_functions.axes import all_axes, one_axis
from mlirad.frontend.operations import as_array, common, converted, inexact, made, operand_of, select, xp
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    """`np.sort`: ascending, equal elements in order, NaN last."""
    x, dim = _along(a, axis)
    return made(emitting().sort(x.value, dim)) if x.ndim else x


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    """`np.argsort`, always stable."""
    x, dim = _along(a, axis)
    return made(emitting().argsort(x.value, dim)) if x.ndim else as_array(0, I64)


def _along(a: Any, axis: Any) -> tuple[Array, int]:
    """The array, flat where the axis is `None`, and the dimension."""
    x = as_array(a)
    if axis is None:
        return xp.ravel(x), 0
    return x, one_axis(axis, x.ndim) if x.ndim else 0


def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Array:
    """`np.partition`, by sorting all."""
    return sort(a, axis)


# Prefix reductions -------------------------------------------------------------------------------


def cumulative(kind: str, a: Any, axis: Any, dtype: Any = None) -> Array:
    """Each element reduced with all before it; sums and products of small integers are int64."""
    x, dim = _along(a, axis)
    if not x.ndim:
        x = xp.reshape(x, (1,))
    is_boolean = x.dtype == BOOL
    if dtype is not None:
        x = converted(x, dtype)
    elif kind in ("sum", "prod") and x.dtype in (BOOL, I32):
        x = converted(x, I64)
    elif is_boolean:
        x = converted(x, I32)
    result = made(emitting().cumulative(kind, x.value, dim), weak=x.weak)
    return converted(result, BOOL) if is_boolean and kind in ("max", "min") else result


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Array:
    """`np.cumsum`."""
    return cumulative("sum", a, axis, dtype)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Array:
    """`np.cumprod`."""
    return cumulative("prod", a, axis, dtype)


def _array_api(kind: str, start: int) -> Callable[..., Array]:
    def accumulate(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: None = None, include_initial: bool = False
    ) -> Array:
        array = as_array(x)
        if axis is None and array.ndim != 1:
            raise ShapeError("axis is needed for an array that is no vector", location=user_line())
        dim = one_axis(0 if axis is None else axis, array.ndim)
        result = cumulative(kind, array, dim, dtype)
        if not include_initial:
            return result
        shape = [1 if d == dim else e for d, e in enumerate(result.shape)]
        return xp.concatenate([xp.full(shape, start, result.dtype), result], axis=dim)

    return accumulate


# Quantiles ---------------------------------------------------------------------------------------


def median(
    a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    """`np.median`."""
    return quantile(a, 0.5, axis, keepdims=keepdims)


def percentile(a: Any, q: Any, axis: Any = None, **options: Any) -> Array:
    """`np.percentile` at static percentages."""
    return quantile(a, _static_levels(q) / 100, axis, **options)


def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
    interpolation: Any = None,
) -> Array:
    """`np.quantile` at static levels, by any method, without weights."""
    levels = _static_levels(q)
    if weights is not None:
        raise UnsupportedError(
            "quantiles are traced without weights",
            location=user_line(),
            hint="sort with np.argsort, and find the place in np.cumsum of the sorted weights",
        )
    x = inexact(as_array(a))
    axes = all_axes(axis, x.ndim)
    rest = [d for d in range(x.ndim) if d not in axes]
    rows = xp.reshape(xp.transpose(x, [*axes, *rest]), (-1, *[x.shape[d] for d in rest]))
    count = rows.shape[0]
    if not count:
        raise ShapeError(f"the quantile of no elements: shape {x.shape}", location=user_line())
    ordered = sort(rows, 0)
    places = _places(levels.ravel(), count, method)
    below = np.floor(places).astype(np.int64)
    above = np.minimum(below + 1, count - 1)
    part = (places - below).astype(x.dtype).reshape(-1, *[1] * len(rest))
    low, high = ordered[below], ordered[above]
    # A quantile that is an element has no part of its neighbour, which may be infinite.
    found = select(part == 0, low, low + (high - low) * part)
    last = ordered[count - 1]
    found = select(xp.isnan(last), x.dtype.type(np.nan), found)
    kept = [1 if d in axes else e for d, e in enumerate(x.shape)] if keepdims else found.shape[1:]
    return xp.reshape(found, (*levels.shape, *kept))


def _places(levels: Any, count: int, method: str) -> Any:
    """Where quantiles lie between `count` sorted elements: at k + t between elements k and k + 1.

    That is what they are of the numbers 0, 1, ..., count - 1, by every method that NumPy has.
    """
    if method == "linear":
        return levels * (count - 1)
    try:
        return cast(Any, np).quantile(np.arange(count, dtype=np.float64), levels, method=method)
    except ValueError as error:
        raise UnsupportedError(f"quantile: {error}", location=user_line()) from error


def _static_levels(q: Any) -> Any:
    if isinstance(q, Array):
        raise UnsupportedError("the levels of quantiles must be static", location=user_line())
    return np.asarray(q, np.float64)


# Search ------------------------------------------------------------------------------------------


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """`np.searchsorted`, by bisection of all values at once."""
    table, values = common([operand_of(a), operand_of(v)])
    if table.ndim != 1:
        raise ShapeError(f"searchsorted needs a vector, got shape {table.shape}", location=user_line())
    if sorter is not None:
        table = table[as_array(sorter)]
    count = table.size
    low = xp.zeros(values.shape, np.int64)
    if not count:
        return as_array(low)

    def halve(_: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
        first, last = ends
        middle = (first + last) // 2
        there = table[xp.minimum(middle, count - 1)]
        goes_on = ((there < values) if side == "left" else (there <= values)) & (first < last)
        return select(goes_on, middle + 1, first), select(goes_on, last, middle)

    return fori_loop(0, count.bit_length(), halve, (low, low + count))[0]


def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """`np.digitize` for increasing bins."""
    return searchsorted(bins, x, "left" if right else "right")


def interp(x: Any, xp_: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    """`np.interp`: linear between the points, constant outside."""
    if period is not None:
        raise UnsupportedError("np.interp is traced without `period`", location=user_line())
    at, places, values = (inexact(as_array(v)) for v in (x, xp_, fp))
    if places.shape != values.shape or places.ndim != 1 or not places.size:
        raise ShapeError(
            f"interp needs two vectors of one length, got {places.shape} and {values.shape}",
            location=user_line(),
        )
    below = values[0] if left is None else left
    above = values[-1] if right is None else right
    if places.size == 1:
        inside = values[0]
    else:
        k = xp.clip(searchsorted(places, at, "right") - 1, 0, places.size - 2)
        x0, y0 = places[k], values[k]
        inside = y0 + (values[k + 1] - y0) / (places[k + 1] - x0) * (at - x0)
    at_least = select(xp.less(at, places[0]), below, inside)
    return select(xp.greater(at, places[-1]), above, at_least)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sort: sort,
    np.argsort: argsort,
    np.partition: partition,
    np.cumsum: cumsum,
    np.cumprod: cumprod,
    np.median: median,
    np.percentile: percentile,
    np.quantile: quantile,
    np.searchsorted: searchsorted,
    np.digitize: digitize,
    np.interp: interp,
}
"""What this file traces."""

for _name, _kind, _start in (("cumulative_sum", "sum", 0), ("cumulative_prod", "prod", 1)):
    if hasattr(np, _name):
        FUNCTIONS[getattr(np, _name)] = _array_api(_kind, _start)
