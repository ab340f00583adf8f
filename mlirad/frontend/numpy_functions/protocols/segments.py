"""`ufunc.reduceat`: slices between positions, each reduced.

    np.add.reduceat(x, [0, 4, 9])        x[0:4].sum(), x[4:9].sum(), x[9:].sum()

Slices of similar length are reduced together, as rows of one width (a power of two) that are padded with
elements that change no result. The program grows with the number of widths, not of slices, and computes at
most twice as many elements as the slices hold. Slices between traced positions are loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.frontend.constructs.loops import fori_loop, scan
from mlirad.frontend.numpy_functions.calls.parameters import UNSET, ArrayLike, Axis, DtypeLike, PositionsLike
from mlirad.frontend.numpy_functions.protocols.ufunc_methods import (
    loop_operand,
    reduce_,
    reduced_by_language,
    require_binary,
)
from mlirad.frontend.numpy_functions.protocols.ufuncs import apply, name_of
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import I64, Dtype
from mlirad.frontend.tracing.operations import as_array, converted, select, xp
from mlirad.frontend.tracing.raising import position_error, shape_error
from mlirad.frontend.tracing.run_time_checks import check_position
from mlirad.frontend.tracing.shapes import one_axis

FEW = 8
"""Fewer slices than this, or as many, are reduced one by one."""


def reduceat(
    ufunc: np.ufunc, array: ArrayLike, indices: PositionsLike, axis: Axis = 0, dtype: DtypeLike | None = None
) -> Any:
    """`ufunc.reduceat(array, indices)`; a slice that ends where it begins, or before, is one element."""
    if not array.ndim or indices.ndim != 1:
        raise shape_error(
            f"{name_of(ufunc)}.reduceat needs an array and a vector of positions",
            "positions are integers: [0, 3, 5]",
        )
    dim = one_axis(axis, array.ndim)
    extent = array.shape[dim]
    if isinstance(indices, Array):
        found = _between_traced(ufunc, xp.moveaxis(array, dim, 0), converted(indices, I64), dtype)
        return xp.moveaxis(found, 0, dim)
    starts = np.asarray(indices, np.int64)
    wrong = starts[(starts < 0) | (starts >= extent)]
    if wrong.size:
        raise position_error(
            f"position {wrong[0]} lies outside of a dimension of extent {extent}",
            "slices begin inside of the array",
        )
    if not starts.size:
        result = reduce_(ufunc, xp.zeros(1, array.dtype), dtype=dtype, initial=None).dtype
        return xp.zeros_like(array[(*[slice(None)] * dim, slice(0, 0))], dtype=result)
    ends = np.append(starts[1:], extent)
    ends = np.where(starts < ends, ends, starts + 1)
    if starts.size > FEW:
        return xp.moveaxis(_together(ufunc, xp.moveaxis(array, dim, 0), starts, ends - starts, dtype), 0, dim)
    parts = [
        reduce_(ufunc, array[(*[slice(None)] * dim, slice(s, e))], dim, dtype, keepdims=True, initial=None)
        for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return xp.concatenate(parts, axis=dim)


def _together(
    ufunc: np.ufunc, rows: Array, starts: npt.NDArray[Any], lengths: npt.NDArray[Any], dtype: Dtype | None
) -> Any:
    """Slices of the leading dimension: those with the same padded width are reduced together."""
    widths = 1 << np.ceil(np.log2(lengths)).astype(np.int64)
    groups = [np.flatnonzero(widths == width) for width in np.unique(widths)]
    parts = [
        _filled_up(ufunc, rows, starts[group], lengths[group], int(widths[group[0]]), dtype)
        for group in groups
    ]
    if len(parts) == 1:
        return parts[0]
    return xp.take(xp.concatenate(parts), np.argsort(np.concatenate(groups)), axis=0)


def _filled_up(
    ufunc: np.ufunc,
    rows: Array,
    starts: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    width: int,
    dtype: Dtype | None,
) -> Any:
    """Slices of at most `width` rows, reduced along a padded dimension."""
    inside = np.arange(width)
    at = xp.minimum(as_array(starts)[:, None] + as_array(inside), rows.shape[0] - 1)
    values = rows[at]
    if ufunc is np.logaddexp:
        values = loop_operand(ufunc, values, dtype)[1]
    elif not reduced_by_language(ufunc, values.dtype, dtype):
        return _folded(ufunc, values, as_array(lengths), dtype)
    if np.any(lengths < width):
        counts = as_array(inside) < as_array(lengths)[:, None]
        counts = xp.reshape(counts, (*counts.shape, *[1] * (values.ndim - 2)))
        values = select(counts, values, neutral(ufunc, values.dtype))
    return reduce_(ufunc, values, 1, dtype, initial=UNSET if ufunc is np.logaddexp else None)


def neutral(ufunc: np.ufunc, dtype: Dtype) -> Any:
    """The identity of a reduction: combined with another element it gives that element."""
    if ufunc in (np.maximum, np.minimum, np.logaddexp):
        sign = 1 if ufunc is np.minimum else -1
        if dtype.kind == "f":
            return dtype.type(sign * np.inf)
        return dtype.type(ufunc is np.minimum) if dtype.kind == "b" else _last(dtype, sign)
    if ufunc is np.add and dtype.kind == "f":
        return dtype.type(-0.0)
    return dtype.type(ufunc in (np.multiply, np.logical_and))


def _last(dtype: Dtype, sign: int) -> Any:
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if sign > 0 else limits.min)


def _folded(ufunc: np.ufunc, values: Array, lengths: Array, dtype: Dtype | None) -> Array:
    """Any ufunc of two operands, element by element, as far as each slice goes."""
    require_binary(ufunc, "reduceat")
    first, x = loop_operand(ufunc, values, dtype)
    columns = xp.moveaxis(x, 1, 0)
    lengths = xp.reshape(lengths, (-1, *[1] * (columns.ndim - 2)))

    def step(k: Any, carry: Any) -> Any:
        combined = apply(ufunc, (carry, columns[k]), dtype=dtype).astype(first)
        return select(lengths > k, combined, carry)

    start = columns[0].astype(first)
    return fori_loop(1, columns.shape[0], step, start) if columns.shape[0] > 1 else start


def _between_traced(ufunc: np.ufunc, rows: Array, starts: Array, dtype: Dtype | None) -> Any:
    """Slices between traced positions: each is a loop over its rows."""
    require_binary(ufunc, "reduceat")
    extent = rows.shape[0]
    first, x = loop_operand(ufunc, rows, dtype)
    check_position(starts.value, extent, counts_from_end=False)
    following = xp.concatenate([starts[1:], as_array(extent)[None]])
    ends = xp.where(xp.less(starts, following), following, starts + 1)

    def segment(_: Any, ends_of_one: Any) -> Any:
        start, end = ends_of_one

        def step(k: Any, carry: Any) -> Any:
            return apply(ufunc, (carry, x[k]), dtype=dtype).astype(first)

        return (), fori_loop(start + 1, end, step, x[start].astype(first))

    return scan(segment, (), (starts, ends))[1]
