"""Reductions of rows by the numbers of their segments: `ad.segment_sum` and its relatives.

    ad.segment_sum(x, [0, 2, 0], num_segments=3)         [x[0] + x[2], 0, x[1]]

Sums are one scatter. Products and extrema are a loop over the rows that updates one segment at a time, which
is faster than reductions of sorted rows. The derivative of an extremum is a rule, so that all elements that
attain it share it. Programs do not grow with the number of segments.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.constructs.loops import fori_loop
from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.protocols.segments import neutral
from mlirad.frontend.numpy_functions.protocols.ufunc_methods import update_at
from mlirad.frontend.tracing.argument_kinds import checked_integer
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.dtypes import I64
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, contains_traced, xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors


@plain_errors
def segment_sum(data: Any, segment_ids: Any, num_segments: int) -> Any:
    """The sums of the rows of `data` that have the same number in `segment_ids`, one for each segment.

    `segment_ids` is a vector of integers, one for each row of `data` (its slices along the first dimension),
    static or traced, in any order. Segments are numbered 0, 1, ..., `num_segments` - 1; rows with another
    number, also a negative one, count nowhere, and a segment without rows is 0. The dtype is that of
    `np.sum`.

        >>> edges, weights = np.array([0, 2, 0]), np.array([1.0, 2.0, 4.0])
        >>> ad.segment_sum(weights, edges, num_segments=3)
        array([5., 0., 2.])
        >>> ad.grad(lambda w: (ad.segment_sum(w, edges, 3) ** 2).sum())(weights)
        array([10.,  4., 10.])

    Raises ShapeError unless there is a number for each row, DtypeError unless these are integers.
    """
    return _reduced(np.add, "segment_sum", data, segment_ids, num_segments)


@plain_errors
def segment_prod(data: Any, segment_ids: Any, num_segments: int) -> Any:
    """The products of the rows of `data` that have the same number, as `segment_sum`; of no rows 1.

    Derivatives are right where factors are 0.

        >>> ad.segment_prod(np.array([2.0, 3.0, 0.0]), np.array([0, 0, 1]), num_segments=3)
        array([6., 0., 1.])
    """
    return _reduced(np.multiply, "segment_prod", data, segment_ids, num_segments)


@plain_errors
def segment_max(data: Any, segment_ids: Any, num_segments: int) -> Any:
    """The largest of the rows of `data` that have the same number, element by element, as `segment_sum`.

    A segment without rows is -inf, or the least integer of the dtype. NaN is larger than all numbers. The
    derivative goes to the elements that attain the maximum, in equal parts.

        >>> ad.segment_max(np.array([2.0, 3.0, 1.0]), np.array([0, 0, 2]), num_segments=3)
        array([  3., -inf,   1.])
        >>> ad.grad(lambda x: ad.segment_max(x, np.array([0, 0]), 1)[0])(np.array([2.0, 2.0]))
        array([0.5, 0.5])
    """
    return _reduced(np.maximum, "segment_max", data, segment_ids, num_segments)


@plain_errors
def segment_min(data: Any, segment_ids: Any, num_segments: int) -> Any:
    """The least of the rows of `data` that have the same number, element by element, as `segment_max`.

    A segment without rows is inf, or the largest integer of the dtype.

        >>> ad.segment_min(np.array([2.0, 3.0, 1.0]), np.array([0, 0, 2]), num_segments=3)
        array([ 2., inf,  1.])
    """
    return _reduced(np.minimum, "segment_min", data, segment_ids, num_segments)


# Parts -------------------------------------------------------------------------------------------


def _reduced(ufunc: np.ufunc, name: str, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    count = checked_integer(
        num_segments, f"{name}: num_segments", 0, "write num_segments=n for the numbers below n; it is static"
    )
    rows, numbers = _rows(data, name), _numbers(segment_ids, name)
    if numbers.shape != rows.shape[:1]:
        raise shape_error(
            f"ad.{name}: {list(numbers.shape)} numbers of segments for {rows.shape[0]} rows",
            "give a vector with one number for each row, the slices of data along its first dimension",
        )
    if ufunc in (np.maximum, np.minimum) and rows.dtype.kind == "c":
        raise dtype_error(
            f"ad.{name} orders real numbers, got {rows.dtype}", "reduce np.abs(z), or z.real and z.imag"
        )
    if ufunc in (np.add, np.multiply):
        rows = rows.astype(np.add.reduce(np.zeros(1, rows.dtype)).dtype)
    if isinstance(numbers, Array):
        # Rows that count nowhere have a place behind the last segment.
        places = xp.where((numbers >= 0) & (numbers < count), numbers, count).astype(I64)
        return _traced(ufunc, rows, places, _start(ufunc, (count + 1, *rows.shape[1:]), rows.dtype))[:count]
    kept = np.flatnonzero((numbers >= 0) & (numbers < count))
    if kept.size < numbers.size:
        rows, numbers = rows[kept], numbers[kept]
    places, start = numbers.astype(np.int64), _start(ufunc, (count, *rows.shape[1:]), rows.dtype)
    if isinstance(rows, np.ndarray):
        ufunc.at(start, places, cast(Any, rows))
        return start
    return _traced(ufunc, rows, as_array(places), start) if start.size else real_or_complex(start)


def _rows(data: Any, name: str) -> Any:
    """The data as an array: of NumPy outside of traces."""
    is_traced = is_tracing() or contains_traced(data)
    rows: Any = real_or_complex(data) if is_traced else np.asarray(data)
    if not rows.ndim:
        raise shape_error(f"ad.{name} needs rows, and data is a scalar", "give an array: x[None]")
    if rows.dtype.kind not in "biufc":
        raise dtype_error(f"ad.{name} reduces numbers, got {rows.dtype}", "data is an array of numbers")
    return rows


def _numbers(segment_ids: Any, name: str) -> Any:
    """The numbers of segments, traced where they are."""
    numbers: Any = as_array(segment_ids) if contains_traced(segment_ids) else np.asarray(segment_ids)
    if not isinstance(numbers, Array) and not numbers.size:
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind not in "iu":
        raise dtype_error(
            f"ad.{name}: numbers of segments are integers, got {numbers.dtype}",
            "write x.astype(np.int64)",
        )
    return numbers


def _start(ufunc: np.ufunc, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Segments without rows."""
    return np.full(shape, 0 if ufunc is np.add else neutral(ufunc, dtype), dtype)


def _traced(ufunc: np.ufunc, rows: Any, places: Array, start: npt.NDArray[Any]) -> Any:
    """The rows reduced into segments that are there already, at places inside of these."""
    if ufunc is np.add:
        return real_or_complex(start).at[places].add(rows)
    if not isinstance(rows, Array):
        return _by_loop(ufunc, rows, places, start)
    if ufunc is np.multiply or rows.dtype.kind != "f":
        return _by_updates(ufunc, rows, places, start)

    def value(rows: Array, places: Array) -> Array:
        return _by_updates(ufunc, rows, places, start)

    def derivative(rows: Array, places: Array, extrema: Array, tangent: Array) -> Array:
        attains = xp.equal(rows, extrema[places])
        zeros = as_array(np.zeros(start.shape, start.dtype))
        number = zeros.at[places].add(attains.astype(rows.dtype))
        return zeros.at[places].add(xp.where(attains, tangent, 0)) / xp.maximum(number, 1)

    return with_derivative(value, derivative, rows, places)


def _by_updates(ufunc: np.ufunc, rows: Array, places: Array, start: npt.NDArray[Any]) -> Array:
    reduced = as_array(start)
    update_at(ufunc, reduced, places, rows)
    return reduced


def _by_loop(ufunc: np.ufunc, rows: Any, places: Array, start: npt.NDArray[Any]) -> Any:
    """The same of complex rows."""

    def step(k: Any, reduced: Any) -> Any:
        return reduced.at[places[k]].set(ufunc(reduced[places[k]], rows[k]))

    return fori_loop(0, rows.shape[0], step, real_or_complex(start))
