"""Medians and quantiles: sorted elements, and places between them, which levels decide, static or traced.

np.quantile(x, 0.3)     of 11 elements: the one at place 3
np.quantile(x, q)       the one at floor(10 q), and the part 10 q - floor(10 q) of the way to the next
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    AxisList,
    Flag,
    OperandLike,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.reductions.ordering import sort
from mlirad.frontend.numpy_functions.reductions.reductions import rows_of
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import Dtype, language_dtype
from mlirad.frontend.tracing.operations import as_array, contains_traced, converted, inexact, select, xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error, unsupported_error
from mlirad.frontend.tracing.shapes import strict_axes

Method = Literal[
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf",
    "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased",
    "normal_unbiased",
]  # fmt: skip

DISCRETE = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
"""Methods whose quantiles are elements."""


def _ordered(x: Array, axis: Any, keepdims: bool) -> tuple[Array, tuple[int, ...]]:
    rows, kept = rows_of(x, strict_axes(axis, x.ndim), keepdims)
    if not rows.shape[0]:
        raise shape_error(
            f"the quantile of no elements: shape {x.shape}", "test the size, which is static, before the call"
        )
    return sort(rows, 0), kept


def _nan_where_any(found: Array, ordered: Array) -> Array:
    """NaN sorts last, so the last element tells whether there is one."""
    return select(xp.isnan(ordered[-1]), found.dtype.type(np.nan), found)


def median(a: ArrayLike, axis: AxisList | None = None, keepdims: Flag = False) -> Array:
    """`np.median`: the middle element, or the mean of the two."""
    ordered, kept = _ordered(inexact(a), axis, keepdims)
    low, high = (ordered.shape[0] - 1) // 2, ordered.shape[0] // 2
    middle = ordered[low] if low == high else (ordered[low] + ordered[high]) / 2
    return xp.reshape(_nan_where_any(middle, ordered), kept)


def of_percentages(function: Callable[..., Array]) -> Callable[..., Array]:
    """The function of percentages that belongs to one of quantiles."""

    @functools.wraps(function)
    def percentile(a: Array, q: Any, *args: Any, **options: Any) -> Array:
        levels = q / 100 if isinstance(q, int | float) else np.true_divide(q, 100)
        return function(a, levels, *args, **options)

    return percentile


def quantile(
    a: ArrayLike, q: OperandLike, axis: AxisList | None = None, method: Method = "linear",
    keepdims: Flag = False, *, weights: OperandLike | None = None,
) -> Array:  # fmt: skip
    """`np.quantile` at static levels by any method, at traced ones by all but two, without weights."""
    if weights is not None:
        raise unsupported_error(
            "quantiles are traced without weights",
            "sort with np.argsort, and find the place in np.cumsum of the sorted weights",
        )
    is_traced = contains_traced(q)
    levels = _traced_levels(q) if is_traced else checked_levels(q)
    like = 0.5 if getattr(levels, "weak", False) else levels if is_traced else q
    dtype = quantile_dtype(a.dtype, like, method)
    ordered, kept = _ordered(a, axis, keepdims)
    find = _at_traced if is_traced else _at_known
    found = find(ordered, levels.ravel(), method, dtype)
    if ordered.dtype.kind == "f":
        found = _nan_where_any(found, ordered)
    return xp.reshape(converted(found, dtype), (*levels.shape, *kept))


def _at_known(ordered: Array, levels: Any, method: str, dtype: Dtype) -> Array:
    """Quantiles of sorted rows at a vector of levels."""
    count = ordered.shape[0]
    places = _places(levels, count, method)
    below = np.clip(np.floor(places), 0, count - 1).astype(np.int64)
    low = ordered[below]
    if method in DISCRETE:
        return low
    above = np.minimum(below + 1, count - 1)
    part = (places - below).astype(dtype).reshape(-1, *[1] * (ordered.ndim - 1))
    low, high = converted(low, dtype), converted(ordered[above], dtype)
    # A quantile that is an element has no part of its neighbour, which may be infinite.
    return select(part == 0, low, _between(low, high, part))


def _between(low: Array, high: Array, part: Any) -> Array:
    gap = high - low
    return select(part >= 0.5, high - gap * (1 - part), low + gap * part)


# Traced levels -------------------------------------------------------------------------------------

_ALPHA_BETA = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""The places n q + alpha + q (1 - alpha - beta) - 1 (Hyndman and Fan, *Sample quantiles in statistical
packages*, 1996)."""

_ROUNDED: dict[str, Callable[[Any], Any]] = {
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.rint,
    "midpoint": lambda place: (xp.floor(place) + xp.ceil(place)) / 2,
}
"""Functions of the place (n - 1) q."""


def _at_traced(ordered: Array, levels: Array, method: str, dtype: Dtype) -> Array:
    """The same at traced levels; NaN where one does not lie between 0 and 1.

    Between elements the derivative by the level is a slope. At an element it is that of the piece above it,
    as of `np.interp`, and of the piece below at the last one.
    """
    count = ordered.shape[0]
    places = _traced_places(levels, count, method)
    places = xp.where(places < 0, 0.0, xp.where(places > count - 1, count - 1.0, places))
    below = xp.minimum(xp.floor(places), max(count - 2, 0))
    position = xp.where(xp.isnan(below), 0, below).astype(np.int64)
    shape = (-1, *[1] * (ordered.ndim - 1))
    part = xp.reshape((places - below).astype(dtype), shape)
    low = converted(ordered[position], dtype)
    high = converted(ordered[xp.minimum(position + 1, count - 1)], dtype)
    is_endless = ~xp.isfinite(high - low)
    spread = _between(select(is_endless, 0, low), select(is_endless, 0, high), part)
    ends = select(part == 0, low, select(part == 1, high, low + (high - low) * part))
    found = select(is_endless, ends, spread)
    is_level = xp.reshape((levels >= 0) & (levels <= 1), shape)
    return select(is_level, found, dtype.type(np.nan) if dtype.kind == "f" else 0)


def _traced_places(levels: Array, count: int, method: str) -> Array:
    if method == "linear":
        return levels * (count - 1)
    if method in _ROUNDED:
        return _ROUNDED[method](levels * (count - 1))
    if method == "inverted_cdf":
        return xp.ceil(levels * count) - 1
    if method in _ALPHA_BETA:
        alpha, beta = _ALPHA_BETA[method]
        return levels * count + alpha + levels * (1 - alpha - beta) - 1
    raise unsupported_error(
        f"quantiles by {method} are not traced at traced levels",
        'write method="inverted_cdf", or make the levels static: static_argnames="q"',
    )


def _traced_levels(q: Any) -> Array:
    levels = inexact(as_array(q))
    if levels.ndim > 2:
        raise argument_error(
            f"levels of quantiles have at most two dimensions, got {levels.ndim}", "write np.ravel(q)"
        )
    return levels


# Static levels -------------------------------------------------------------------------------------


def _places(levels: Any, count: int, method: str) -> Any:
    """Return where quantiles lie between `count` sorted elements: at k + t between elements k and k + 1.

    That is what they are of the numbers 0, 1, ..., count - 1, by every method that NumPy has.
    """
    if method == "linear":
        return levels * (count - 1)
    return cast(Any, np).quantile(np.arange(count, dtype=np.float64), levels, method=method)


def checked_levels(q: Any) -> Any:
    """Levels as an array of floats between 0 and 1."""
    levels = np.asarray(q, np.float64)
    if levels.ndim > 2 or not np.all((levels >= 0) & (levels <= 1)):
        raise argument_error(
            f"levels of quantiles lie between 0 and 1, got {np.asarray(q).tolist()}",
            "np.percentile takes percentages, np.quantile fractions, in at most two dimensions",
        )
    return levels


def quantile_dtype(dtype: Dtype, q: Any, method: str) -> Dtype:
    """The dtype of quantiles, as NumPy has it."""
    level = q if isinstance(q, int | float) else np.zeros(np.shape(q), q.dtype)[()]
    try:
        return language_dtype(cast(Any, np).quantile(np.ones(2, dtype), level, method=method).dtype)
    except TypeError as error:
        raise dtype_error(f"quantiles are not defined on {dtype}", "convert with .astype(float)") from error


FUNCTIONS = tracings(median, quantile, percentile=of_percentages(quantile))
"""The functions that this file traces."""
