"""Reductions of traced arrays, with NumPy's dtypes: sums of booleans and int32 are int64, means floats."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.dtypes import BOOL, I32, I64
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.axes import all_axes, one_axis
from mlirad.frontend.operations import as_array, converted, inexact, made, select, xp
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array

UNSET: Any = np._NoValue  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
"""NumPy's marker of an option that was not given."""


def _shaped(result: Array, source: Array, axes: list[int], keepdims: Any) -> Array:
    """The reduced dimensions kept with extent 1 where that is asked for."""
    if not keepdims or keepdims is UNSET:
        return result
    return xp.reshape(result, [1 if d in axes else e for d, e in enumerate(source.shape)])


def _masked(x: Array, where: Any, neutral: Any) -> Array:
    """`x` with a value that does not count where `where` is false."""
    return x if where is True or where is UNSET else select(where, x, x.dtype.type(neutral))


def _accumulated(a: Any, dtype: Any, where: Any, neutral: Any) -> Array:
    """The terms of a sum, or factors of a product, in the dtype in which NumPy accumulates them."""
    x = as_array(a)
    x = converted(x, dtype if dtype is not None else I64 if x.dtype in (BOOL, I32) else x.dtype)
    return _masked(x, where, neutral)


def _is_given(option: Any) -> bool:
    return option is not UNSET and option is not None


def sum_(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: Any = False,
    initial: Any = UNSET,
    where: Any = True,
) -> Array:
    """`np.sum`."""
    x = _accumulated(a, dtype, where, 0)
    axes = all_axes(axis, x.ndim)
    total = _shaped(made(emitting().sum(x.value, axes)), x, axes, keepdims)
    return total + initial if _is_given(initial) else total


def prod_(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: Any = False,
    initial: Any = UNSET,
    where: Any = True,
) -> Array:
    """`np.prod`."""
    x = _accumulated(a, dtype, where, 1)
    axes = all_axes(axis, x.ndim)
    product = _shaped(made(emitting().reduce("prod", x.value, axes)), x, axes, keepdims)
    return product * initial if _is_given(initial) else product


def logsumexp(a: Any, axis: Any = None, keepdims: Any = False) -> Array:
    """`np.logaddexp.reduce`: the logarithm of the sum of the exponentials, shifted by the largest."""
    x = inexact(as_array(a))
    largest = amax(x, axis, keepdims=True, initial=-np.inf)
    shift = select(xp.isfinite(largest), largest, x.dtype.type(0))
    axes = all_axes(axis, x.ndim)
    total = xp.log(sum_(xp.exp(x - shift), tuple(axes), keepdims=True)) + shift
    return total if keepdims else xp.squeeze(total, axis=tuple(axes))


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = False, *, where: Any = True
) -> Array:
    """`np.mean`."""
    x = inexact(as_array(a)) if dtype is None else as_array(a, np.dtype(dtype))
    axes = all_axes(axis, x.ndim)
    total = sum_(x, axis, keepdims=keepdims, where=where)
    if where is not True and where is not UNSET:
        count = sum_(xp.broadcast_to(as_array(where), x.shape), axis, keepdims=keepdims)
        return total / converted(count, x.dtype)
    return total / x.dtype.type(prod(x.shape[d] for d in axes))


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = True, mean: Any = UNSET, correction: Any = UNSET,
) -> Array:  # fmt: skip
    """`np.var`: the mean of the squared distance to the mean, over the count less `ddof`."""
    if where is not True and where is not UNSET:
        raise UnsupportedError("var and std are traced without `where`", location=user_line())
    x = inexact(as_array(a)) if dtype is None else as_array(a, np.dtype(dtype))
    axes = all_axes(axis, x.ndim)
    centre = mean if mean is not UNSET else _mean(x, axes)
    less = correction if correction is not UNSET else ddof
    count = prod(x.shape[d] for d in axes) - less
    total = sum_(xp.square(x - centre), tuple(axes), keepdims=keepdims)
    return total / x.dtype.type(max(count, 0))


def _mean(x: Array, axes: list[int]) -> Array:
    return mean(x, tuple(axes), keepdims=True)


def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: Any = 0,
    keepdims: Any = False,
    **options: Any,
) -> Array:
    """`np.std`."""
    return xp.sqrt(var(a, axis, dtype, None, ddof, keepdims, **options))


def _extremum(kind: str, logical: str) -> Callable[..., Array]:
    def reduce(
        a: Any,
        axis: Any = None,
        out: None = None,
        keepdims: Any = False,
        initial: Any = UNSET,
        where: Any = True,
    ) -> Array:
        x = as_array(a)
        axes = all_axes(axis, x.ndim)
        if where is not True and where is not UNSET:
            if not _is_given(initial):
                raise UnsupportedError(f"{kind} with `where` needs `initial`", location=user_line())
            x = select(where, x, initial)
        if not _is_given(initial) and 0 in [x.shape[d] for d in axes]:
            raise ShapeError(
                f"the {kind} of no elements: shape {x.shape} along {axes}",
                location=user_line(),
                hint="give its value there with initial=",
            )
        found = emitting().reduce(logical if x.dtype == BOOL else kind, x.value, axes)
        result = _shaped(made(found, weak=x.weak), x, axes, keepdims)
        if not _is_given(initial):
            return result
        return (xp.maximum if kind == "max" else xp.minimum)(result, initial)

    return reduce


amax, amin = _extremum("max", "or"), _extremum("min", "and")


def _logical(kind: str) -> Callable[..., Array]:
    def reduce(
        a: Any, axis: Any = None, out: None = None, keepdims: Any = False, *, where: Any = True
    ) -> Array:
        x = _masked(converted(as_array(a), BOOL), where, kind == "and")
        axes = all_axes(axis, x.ndim)
        return _shaped(made(emitting().reduce(kind, x.value, axes)), x, axes, keepdims)

    return reduce


def _argument(kind: str) -> Callable[..., Array]:
    def reduce(a: Any, axis: Any = None, out: None = None, *, keepdims: Any = False) -> Array:
        x = as_array(a)
        source, given = x, axis
        if axis is None:
            x, axis = xp.ravel(x), 0
        dim = one_axis(axis, x.ndim)
        if not x.shape[dim]:
            raise ShapeError(f"{kind} of an empty dimension", location=user_line())
        if x.dtype == BOOL:
            x = converted(x, I32)
        b = emitting()
        found = made((b.argmax if kind == "argmax" else b.argmin)(x.value, dim))
        return _shaped(found, source, all_axes(given, source.ndim), keepdims)

    return reduce


def ptp(a: Any, axis: Any = None, out: None = None, keepdims: Any = False) -> Array:
    """`np.ptp`: the largest less the smallest."""
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Array:
    """`np.count_nonzero`."""
    return sum_(converted(as_array(a), BOOL), axis, keepdims=keepdims)


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    """`np.average`."""
    x = as_array(a)
    if weights is None:
        scale = xp.sum(xp.ones(x.shape), axis=axis)
        result = mean(x, axis, keepdims=keepdims)
    else:
        w = as_array(weights)
        if w.shape != x.shape:
            dim = one_axis(axis, x.ndim)
            w = xp.broadcast_to(xp.reshape(w, [e if d == dim else 1 for d, e in enumerate(x.shape)]), x.shape)
        scale = sum_(w, axis, keepdims=keepdims)
        result = sum_(x * w, axis, keepdims=keepdims) / scale
    return (result, scale) if returned else result


def _without_nan(function: Callable[..., Any], neutral: float) -> Callable[..., Array]:
    def reduce(a: Any, axis: Any = None, **options: Any) -> Array:
        x = as_array(a)
        if x.dtype.kind == "f":
            x = select(xp.isnan(x), x.dtype.type(neutral), x)
        return function(x, axis=axis, **options)

    return reduce


def nanmean(a: Any, axis: Any = None, **options: Any) -> Array:
    """`np.nanmean`."""
    x = inexact(as_array(a))
    return mean(x, axis, where=xp.logical_not(xp.isnan(x)), **options)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sum: sum_,
    np.prod: prod_,
    np.mean: mean,
    np.var: var,
    np.std: std,
    np.max: amax,
    np.min: amin,
    np.amax: amax,
    np.amin: amin,
    np.ptp: ptp,
    np.all: _logical("and"),
    np.any: _logical("or"),
    np.argmax: _argument("argmax"),
    np.argmin: _argument("argmin"),
    np.count_nonzero: count_nonzero,
    np.average: average,
    np.nansum: _without_nan(sum_, 0.0),
    np.nanprod: _without_nan(prod_, 1.0),
    np.nanmean: nanmean,
    np.nanmax: _without_nan(amax, -np.inf),
    np.nanmin: _without_nan(amin, np.inf),
}
"""What this file traces."""
