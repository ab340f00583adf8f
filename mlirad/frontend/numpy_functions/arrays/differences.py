"""Differences of neighbours and functions based on them: `np.diff`, `np.gradient`, `np.trapezoid`."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import (
    UNSET,
    ArrayLike,
    Axis,
    AxisList,
    Int,
    Number,
    OperandLike,
    own_dtype,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import BOOL, F64
from mlirad.frontend.tracing.operations import as_array, converted, inexact, select, xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error
from mlirad.frontend.tracing.shapes import distinct_axes, one_axis


def diff(
    a: ArrayLike, n: Int = 1, axis: Axis = -1, prepend: OperandLike = UNSET, append: OperandLike = UNSET
) -> Array:
    """`np.diff`."""
    if n < 0:
        raise argument_error(f"differences of order {n}", "the order is 0 or more")
    if n == 0:
        return a
    dim = one_axis(axis, a.ndim)

    def edge(value: Any) -> Any:
        shape = [1 if d == dim else e for d, e in enumerate(a.shape)]
        array = own_dtype(value)
        return xp.broadcast_to(array, shape) if not array.ndim else array

    parts = [*([] if prepend is UNSET else [edge(prepend)]), a, *([] if append is UNSET else [edge(append)])]
    x = a if len(parts) == 1 else xp.concatenate(parts, axis=dim)
    for _ in range(n):
        x = _steps(x, dim)
    return x


def _steps(x: Array, dim: int) -> Array:
    after, before = x[(*[slice(None)] * dim, slice(1, None))], x[(*[slice(None)] * dim, slice(None, -1))]
    return xp.not_equal(after, before) if x.dtype == BOOL else xp.subtract(after, before)


def ediff1d(ary: ArrayLike, to_end: OperandLike | None = None, to_begin: OperandLike | None = None) -> Array:
    """`np.ediff1d`."""
    x = xp.ravel(ary)
    parts = [_steps_of_numbers(x)]
    for given, place in ((to_begin, 0), (to_end, None)):
        if given is None:
            continue
        edge = as_array(given)
        kind = np.asarray(given).dtype if not isinstance(given, Array) else given.dtype
        if not np.can_cast(kind, x.dtype, "same_kind"):
            raise argument_error(f"ediff1d: {kind} is not cast to {x.dtype}", "convert with .astype")
        edge = xp.ravel(converted(edge, x.dtype))
        parts.insert(place if place is not None else len(parts), edge)
    return parts[0] if len(parts) == 1 else xp.concatenate(parts)


def _steps_of_numbers(x: Array) -> Array:
    return xp.subtract(x[1:], x[:-1])


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: OperandLike = 1.0, axis: Axis = -1) -> Array:
    """`np.trapezoid`."""
    dim = one_axis(axis, y.ndim)
    steps: Any = dx
    if x is not None and x.ndim == 1:
        widths = diff(x)
        steps = xp.reshape(widths, [widths.size if d == dim else 1 for d in range(y.ndim)])
    elif x is not None:
        steps = diff(x, axis=axis)
    after, before = y[(*[slice(None)] * dim, slice(1, None))], y[(*[slice(None)] * dim, slice(None, -1))]
    areas = xp.multiply(steps, xp.add(after, before)) / 2.0
    return xp.sum(areas, axis=axis)


def unwrap(
    p: ArrayLike, discont: Number | None = None, axis: Axis = -1, *, period: Number = 6.283185307179586
) -> Array:
    """`np.unwrap`."""
    dim = one_axis(axis, p.ndim)
    steps = diff(p, axis=dim)
    largest = period / 2 if discont is None else discont
    dtype = xp.result_type(steps, period)
    is_integer = dtype.kind in "iu"
    high, rest = divmod(period, 2) if is_integer else (period / 2, 0)
    folded = xp.add(xp.remainder(xp.add(steps, high), period), -high)
    if rest == 0:
        folded = select(xp.equal(folded, -high) & xp.greater(steps, 0), high, folded)
    correction = select(xp.less(xp.abs(steps), largest), 0, xp.subtract(folded, steps))
    whole = p[(*[slice(None)] * dim, slice(None, 1))]
    rest_of = xp.add(p[(*[slice(None)] * dim, slice(1, None))], xp.cumsum(correction, axis=dim))
    return xp.concatenate([converted(whole, dtype), converted(rest_of, dtype)], axis=dim)


# Gradients by differences ------------------------------------------------------------------------


def gradient(f: ArrayLike, *varargs: OperandLike, axis: AxisList | None = None, edge_order: Int = 1) -> Any:
    """`np.gradient`: central differences inside, one-sided ones at the edges."""
    axes = list(range(f.ndim)) if axis is None else distinct_axes(axis, f.ndim)
    if len(varargs) not in (0, 1, len(axes)) or (len(varargs) == 1 and len(axes) > 1 and np.ndim(varargs[0])):
        raise argument_error(
            f"gradient: {len(varargs)} spacings for {len(axes)} axes",
            "give one spacing for all axes, or one for each",
        )
    if edge_order not in (1, 2):
        raise argument_error("gradient: `edge_order` must be 1 or 2", "leave it out for 1")
    if f.dtype == BOOL:
        raise dtype_error("booleans have no differences", "convert with .astype(float)")
    spacings = list(varargs) if len(varargs) == len(axes) else [varargs[0] if varargs else 1.0] * len(axes)
    x = inexact(f)
    found: list[Array] = []
    for dim, spacing in zip(axes, spacings, strict=True):
        if x.shape[dim] < edge_order + 1:
            raise shape_error(
                f"gradient needs {edge_order + 1} elements along each axis, got shape {x.shape}",
                "leave short axes out with axis=",
            )
        found.append(_gradient(x, dim, _steps_of(spacing, x.shape[dim]), edge_order))
    return found[0] if len(found) == 1 else tuple(found)


def _steps_of(spacing: Any, extent: int) -> Any:
    """A number, or the distances between the places of the elements."""
    if not np.ndim(spacing):
        return spacing
    places = as_array(spacing)
    if places.shape != (extent,):
        raise shape_error(
            f"gradient: places of shape {places.shape} for {extent} elements",
            "a spacing is a number, or the place of each element",
        )
    return diff(converted(places, F64) if places.dtype.kind != "f" else places)


def _gradient(x: Array, dim: int, h: Any, edge_order: int) -> Array:
    def part(start: int | None, stop: int | None) -> Array:
        return x[(*[slice(None)] * dim, slice(start, stop))]

    def shaped(steps: Any) -> Any:
        return xp.reshape(steps, [-1 if d == dim else 1 for d in range(x.ndim)])

    if not np.ndim(h):
        inside = (part(2, None) - part(None, -2)) / (2.0 * h)
        first, last = h, h
    else:
        h0, h1 = shaped(h[:-1]), shaped(h[1:])
        inside = (
            -h1 / (h0 * (h0 + h1)) * part(None, -2)
            + (h1 - h0) / (h0 * h1) * part(1, -1)
            + h0 / (h1 * (h0 + h1)) * part(2, None)
        )
        first, last = h[0], h[-1]
    if edge_order == 1:
        low, high = (part(1, 2) - part(0, 1)) / first, (part(-1, None) - part(-2, -1)) / last
    else:
        g0, g1 = (h, h) if not np.ndim(h) else (h[0], h[1])
        low = _one_sided(g0, g1, part(0, 1), part(1, 2), part(2, 3))
        g0, g1 = (h, h) if not np.ndim(h) else (h[-1], h[-2])
        high = -_one_sided(g0, g1, part(-1, None), part(-2, -1), part(-3, -2))
    return converted(xp.concatenate([low, inside, high], axis=dim), x.dtype)


def _one_sided(g0: Any, g1: Any, at: Array, near: Array, far: Array) -> Array:
    """The slope at an edge by its two neighbours at distances g0 and g0 + g1."""
    return (
        -(2.0 * g0 + g1) / (g0 * (g0 + g1)) * at + (g0 + g1) / (g0 * g1) * near - g0 / (g1 * (g0 + g1)) * far
    )


FUNCTIONS = tracings(diff, ediff1d, trapezoid, unwrap, gradient)
"""The functions that this file traces."""
