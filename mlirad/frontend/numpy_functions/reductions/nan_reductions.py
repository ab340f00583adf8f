"""Reductions that leave NaN out: `np.nansum` and its relatives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axes,
    AxisList,
    DtypeLike,
    Flag,
    Mask,
    OperandLike,
    PlainNumbers,
    Scalar,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.reductions.ordering import cumprod, cumsum
from mlirad.frontend.numpy_functions.reductions.quantiles import (
    checked_levels,
    median,
    of_percentages,
    quantile,
    quantile_dtype,
)
from mlirad.frontend.numpy_functions.reductions.reductions import (
    amax,
    amin,
    argmax,
    argmin,
    initial_value,
    mean,
    prod_,
    rows_of,
    spread,
    std,
    sum_,
    var,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import Dtype
from mlirad.frontend.tracing.operations import as_array, converted, select, xp
from mlirad.frontend.tracing.raising import dtype_error
from mlirad.frontend.tracing.shapes import strict_axes


def without_nan(x: Array, instead: float) -> Array:
    """`x` with a number in the place of NaN."""
    return select(xp.isnan(x), x.dtype.type(instead), x) if x.dtype.kind == "f" else x


def _counted(a: Array, where: Array | None) -> Array:
    """The mask of what counts."""
    is_number = xp.logical_not(xp.isnan(a))
    return is_number if where is None else is_number & spread(where, a)


def _without_nan(function: Callable[..., Array], instead: float) -> Callable[..., Array]:
    """A reduction in which a number stands for NaN."""

    @functools.wraps(function)
    def reduce(a: Array, *args: Any, **options: Any) -> Array:
        return function(without_nan(a, instead), *args, **options)

    return reduce


def _require_float(a: Array, dtype: Dtype | None) -> None:
    if a.dtype.kind == "f" and dtype is not None and dtype.kind != "f":
        raise dtype_error(
            f"means that leave NaN out are not computed in {dtype}",
            "leave dtype= out, and convert the result with .astype",
        )


def nanmean(
    a: ArrayLike, axis: Axes | None = None, dtype: DtypeLike | None = None, keepdims: Flag = False, *,
    where: Mask = None,
) -> Array:  # fmt: skip
    """`np.nanmean`."""
    _require_float(a, dtype)
    return mean(a, axis, dtype, keepdims, where=_counted(a, where) if a.dtype.kind == "f" else where)


def _spread(function: Callable[..., Array]) -> Callable[..., Array]:
    """A variance or its root, NaN where no degrees of freedom are left."""

    def spread_of(
        a: ArrayLike, axis: Axes | None = None, dtype: DtypeLike | None = None, ddof: Scalar = 0,
        keepdims: Flag = False, *, where: Mask = None, mean: OperandLike | None = None,
        correction: Scalar | None = None,
    ) -> Array:  # fmt: skip
        _require_float(a, dtype)
        if a.dtype.kind != "f":
            return function(a, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction)
        counted = _counted(a, where)
        mean = None if mean is None else converted(as_array(mean), a.dtype if dtype is None else dtype)
        found = function(a, axis, dtype, ddof, keepdims, where=counted, mean=mean, correction=correction)
        less = ddof if correction is None else correction
        freedom = xp.subtract(sum_(counted, axis, keepdims=keepdims), less)
        return select(freedom > 0, found, found.dtype.type(np.nan))

    return spread_of


def _extremum(function: Callable[..., Array], neutral: float) -> Callable[..., Array]:
    """A largest or smallest element, NaN where there are no others."""

    @functools.wraps(function)
    def reduce(
        a: Array, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Array | None = None
    ) -> Array:
        if a.dtype.kind != "f":
            return function(a, axis, keepdims, initial, where)
        start = None if initial is None else initial_value(initial, a.dtype)
        begin = None if start is None else without_nan(as_array(start), neutral)
        found = function(without_nan(a, neutral), axis, keepdims, begin, where)
        nothing = xp.logical_not(sum_(_counted(a, where), axis, keepdims=keepdims))
        return select(nothing, a.dtype.type(np.nan) if start is None else start, found)

    return reduce


# Quantiles ---------------------------------------------------------------------------------------


def nanmedian(a: ArrayLike, axis: AxisList | None = None, keepdims: Flag = False) -> Array:
    """`np.nanmedian`."""
    if not a.size:
        return nanmean(a, axis, keepdims=keepdims)
    if a.dtype.kind != "f":
        return median(a, axis, keepdims)
    rows, count, kept = _sorted_numbers(a, axis, keepdims)
    low, high = (_at(rows, at) for at in ((count - 1) // 2, count // 2))
    middle = select((count - 1) // 2 == count // 2, low, (low + high) / 2)
    return xp.reshape(select(count > 0, middle, rows.dtype.type(np.nan)), kept)


def nanquantile(
    a: ArrayLike, q: PlainNumbers, axis: AxisList | None = None, method: Literal["linear"] = "linear",
    keepdims: Flag = False,
) -> Array:  # fmt: skip
    """`np.nanquantile` at static levels, by linear interpolation; of no elements one NaN for all levels."""
    levels = checked_levels(q)
    if not a.size:
        return nanmean(a, axis, keepdims=keepdims)
    if a.dtype.kind != "f":
        return quantile(a, q, axis, method, keepdims)
    dtype = quantile_dtype(a.dtype, q, method)
    rows, count, kept = _sorted_numbers(converted(a, dtype), axis, keepdims)
    found: list[Array] = []
    for level in levels.ravel():
        place = xp.subtract(count, 1) * level
        below = xp.floor(place)
        part = converted(place - below, dtype)
        position = converted(below, np.int64)
        low, high = _at(rows, position), _at(rows, xp.minimum(position + 1, xp.maximum(count - 1, 0)))
        gap = high - low
        between = select(part >= 0.5, high - gap * (1 - part), low + gap * part)
        found.append(select(count > 0, between, dtype.type(np.nan)))
    return xp.reshape(xp.stack(found) if found else xp.zeros((0, *kept), dtype), (*levels.shape, *kept))


def _sorted_numbers(x: Array, axis: Any, keepdims: bool) -> tuple[Array, Array, tuple[int, ...]]:
    """The elements along the first dimension, sorted, NaN last; how many are numbers; the result's shape."""
    axes = strict_axes(axis, x.ndim)
    rows, kept = rows_of(x, axes, keepdims)
    count = sum_(xp.logical_not(xp.isnan(rows)), 0)
    return as_array(xp.sort(rows, axis=0)), count, kept


def _at(rows: Array, position: Any) -> Array:
    """The element of every column at a position of its own."""
    place = xp.maximum(position, 0)
    return xp.take_along_axis(rows, place[None], axis=0)[0]


FUNCTIONS = tracings(
    nanmean, nanmedian, nanquantile, nanvar=_spread(var), nanstd=_spread(std), nansum=_without_nan(sum_, 0.0),
    nanprod=_without_nan(prod_, 1.0), nancumsum=_without_nan(cumsum, 0.0),
    nancumprod=_without_nan(cumprod, 1.0), nanmax=_extremum(amax, -np.inf), nanmin=_extremum(amin, np.inf),
    nanargmax=_without_nan(argmax, -np.inf), nanargmin=_without_nan(argmin, np.inf),
    nanpercentile=of_percentages(nanquantile),
)  # fmt: skip
"""The functions that this file traces."""
