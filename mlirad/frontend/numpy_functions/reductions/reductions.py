"""Reductions of traced arrays, with NumPy's dtypes: sums of booleans and int32 are int64, means floats."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.errors import ShapeError
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axes,
    Axis,
    AxisList,
    DtypeLike,
    Flag,
    Mask,
    OperandLike,
    Scalar,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.reductions import exponentials
from mlirad.frontend.numpy_functions.reductions.norms import distance_from_mean, norm_over
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL, F64, I32, I64, Dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    as_array,
    broadcast_array,
    broadcast_shapes,
    converted,
    counted,
    inexact,
    select,
    xp,
)
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error
from mlirad.frontend.tracing.shapes import all_axes, distinct_axes, one_axis, strict_axes


def shaped(result: Array, source: Array, axes: list[int], keepdims: bool) -> Array:
    """The reduced dimensions kept with extent 1 where that is asked for."""
    if not keepdims:
        return result
    return xp.reshape(result, [1 if d in axes else e for d, e in enumerate(source.shape)])


def rows_of(x: Array, axes: list[int], keepdims: bool = False) -> tuple[Array, tuple[int, ...]]:
    """`x` with the axes as its one first dimension, and the shape of a reduction over them."""
    rest = [d for d in range(x.ndim) if d not in axes]
    count = prod(x.shape[d] for d in axes)
    rows = xp.reshape(xp.transpose(x, [*axes, *rest]), (count, *[x.shape[d] for d in rest]))
    return rows, tuple(1 if d in axes else e for d, e in enumerate(x.shape) if keepdims or d not in axes)


def masked(x: Array, where: Array | None, neutral: Any) -> Array:
    """`x` with a value that does not count where `where` is false."""
    if where is None:
        return x
    return select(spread(where, x), x, neutral if isinstance(neutral, Array) else x.dtype.type(neutral))


def spread(where: Array, x: Array) -> Array:
    """A mask in the shape of what it masks."""
    try:
        fits = broadcast_shapes([where.shape, x.shape], "where") == x.shape
    except ShapeError:
        fits = False
    if not fits:
        raise shape_error(
            f"a mask of shape {where.shape} does not broadcast to shape {x.shape}",
            "`where` has one element for each that is reduced, or fewer dimensions",
        )
    return broadcast_array(where, x.shape)


def initial_value(initial: Any, dtype: Dtype) -> Any:
    """Return where a reduction starts, in its dtype."""
    if isinstance(initial, Array):
        return converted(initial, dtype)
    start = np.empty((), dtype)
    try:
        start[()] = initial
    except (ValueError, OverflowError, TypeError) as error:
        raise argument_error(f"`initial`: {error}", f"pass a number that {dtype} holds") from error
    return start[()]


def _accumulation(what: str, neutral: int) -> Callable[..., Array]:
    """`np.sum` or `np.prod`; of booleans in dtype bool, whether one is true, or all are."""
    is_sum = what == "sum"

    def reduce(
        a: ArrayLike, axis: Axes | None = None, dtype: DtypeLike | None = None, keepdims: Flag = False,
        initial: Scalar | None = neutral, where: Mask = None,
    ) -> Array:  # fmt: skip
        terms = converted(a, dtype if dtype is not None else I64 if a.dtype in (BOOL, I32) else a.dtype)
        x = masked(terms, where, neutral)
        axes = all_axes(axis, x.ndim)
        if initial is None and (where is not None or not all(x.shape[d] for d in axes)):
            raise argument_error(f"the {what} of elements that may be none needs `initial`", "leave it out")
        b = emitting()
        if x.dtype == BOOL:
            found = b.reduce("or" if is_sum else "and", x.value, axes)
        else:
            found = b.sum(x.value, axes) if is_sum else b.reduce("prod", x.value, axes)
        result = shaped(made(found), x, axes, keepdims)
        if initial is None or (type(initial) is int and initial == neutral):
            return result
        return (xp.add if is_sum else xp.multiply)(result, initial_value(initial, x.dtype))

    return reduce


sum_, prod_ = _accumulation("sum", 0), _accumulation("product", 1)


def logsumexp(a: Array, axis: Any = None, keepdims: bool = False, where: Array | None = None) -> Array:
    """`np.logaddexp.reduce`: the logarithm of the sum of the exponentials."""
    x = masked(inexact(a), where, -np.inf)
    axes = tuple(all_axes(axis, x.ndim))
    total = exponentials.logsumexp(x, axes)
    return total if keepdims else xp.squeeze(total, axes)


def hypot(a: Array, axis: Any = None, keepdims: bool = False, where: Array | None = None) -> Array:
    """`np.hypot.reduce`: the length of the vector of the elements."""
    x = masked(inexact(a), where, 0.0)
    axes = tuple(all_axes(axis, x.ndim))
    length = norm_over((x,), axes)
    return length if keepdims else xp.squeeze(length, axes)


# Means and variances -----------------------------------------------------------------------------


def _count(x: Array, axes: list[int], where: Array | None) -> Any:
    """Return how many elements count: a number, or an array with extents of 1."""
    if where is None:
        return counted(prod(x.shape[d] for d in axes))
    return sum_(spread(where, x), tuple(axes), keepdims=True)


def _divided(total: Array, count: Any) -> Array:
    """A sum over a count, in the dtype of the sum."""
    if isinstance(count, Array) and count.ndim:
        count = xp.reshape(count, total.shape)
    if total.dtype.kind != "f":
        return converted(converted(total, F64) / count, total.dtype)
    return total / (converted(count, total.dtype) if isinstance(count, Array) else total.dtype.type(count))


def mean(
    a: ArrayLike, axis: Axes | None = None, dtype: DtypeLike | None = None, keepdims: Flag = False, *,
    where: Mask = None,
) -> Array:  # fmt: skip
    """`np.mean`."""
    x = inexact(a) if dtype is None else converted(a, dtype)
    axes = strict_axes(axis, x.ndim)
    total = sum_(x, tuple(axes), x.dtype, keepdims, where=where)
    return _divided(total, _count(x, axes, where))


def var(
    a: ArrayLike, axis: Axes | None = None, dtype: DtypeLike | None = None, ddof: Scalar = 0,
    keepdims: Flag = False, *, where: Mask = None, mean: OperandLike | None = None,
    correction: Scalar | None = None,
) -> Array:  # fmt: skip
    """`np.var`: the mean of the squared distance to the mean, over the count less `ddof`."""
    x, axes, freedom = _distances(a, axis, dtype, ddof, where, mean, correction)
    total = sum_(xp.square(x), tuple(axes), x.dtype if dtype is None else dtype, keepdims)
    return _divided(total, freedom)


def std(
    a: ArrayLike, axis: Axes | None = None, dtype: DtypeLike | None = None, ddof: Scalar = 0,
    keepdims: Flag = False, *, where: Mask = None, mean: OperandLike | None = None,
    correction: Scalar | None = None,
) -> Array:  # fmt: skip
    """`np.std`: the root of `np.var`. Where it is 0, so are all of its derivatives."""
    if where is None and mean is None:
        x, axes, freedom = _spread_of(a, axis, dtype, ddof, where, correction)
        length = distance_from_mean(x, tuple(axes), lambda x: centred(x, axes, dtype))
    else:
        x, axes, freedom = _distances(a, axis, dtype, ddof, where, mean, correction)
        length = norm_over((x,), tuple(axes))
    length = length if keepdims else xp.squeeze(length, tuple(axes))
    return _divided(length if dtype is None else converted(length, dtype), xp.sqrt(freedom))


def _distances(
    a: Array, axis: Any, dtype: Dtype | None, ddof: Any, where: Array | None, mean: Any, correction: Any
) -> tuple[Array, list[int], Any]:
    """Return what elements that count differ from the mean by, 0 for others; the axes; the degrees of
    freedom.
    """
    x, axes, freedom = _spread_of(a, axis, dtype, ddof, where, correction)
    if mean is None:
        return masked(centred(x, axes, dtype, where), where, 0), axes, freedom
    found = xp.subtract(x, mean)
    if found.ndim != x.ndim:
        raise shape_error(
            f"a mean of shape {np.shape(mean)} does not fit shape {x.shape}",
            "the mean is one with keepdims=True",
        )
    return masked(found, where, 0), axes, freedom


def _spread_of(
    a: Array, axis: Any, dtype: Dtype | None, ddof: Any, where: Array | None, correction: Any
) -> tuple[Array, list[int], Any]:
    """The elements as floats, the axes, and the degrees of freedom."""
    if correction is not None and not (isinstance(ddof, int) and ddof == 0):
        raise argument_error("`ddof` and `correction` are two names of one option", "give one of them")
    if dtype is not None and dtype.kind != "f":
        raise dtype_error(f"a variance is not computed in {dtype}", "leave dtype= out")
    less = ddof if correction is None else correction
    x = inexact(a)
    axes = strict_axes(axis, x.ndim)
    count = _count(x, axes, where)
    freedom = xp.maximum(count - less, 0) if _is_traced(count, less) else max(count - less, 0)
    return x, axes, freedom


def centred(x: Array, axes: list[int], dtype: Dtype | None = None, where: Array | None = None) -> Array:
    """The elements less their mean over the axes, computed of differences from one of them.

    So elements that are equal differ by 0, and an offset that all have costs no digits.
    """
    if not x.size or not axes:
        near = x
    elif where is None:
        near = x - _without_derivative(
            x[tuple(slice(0, 1) if d in axes else slice(None) for d in range(x.ndim))]
        )
    else:
        largest = amax(masked(x, where, -np.inf), tuple(axes), keepdims=True)
        near = x - _without_derivative(largest)
    mean = _divided(sum_(near, tuple(axes), dtype, keepdims=True, where=where), _count(x, axes, where))
    return xp.subtract(near, mean)


def _without_derivative(x: Array) -> Array:
    return made(emitting().unary(ew.StopGradientOp, x.value))


def _is_traced(*values: Any) -> bool:
    return any(isinstance(v, Array) for v in values)


def average(
    a: ArrayLike, axis: AxisList | None = None, weights: ArrayLike | None = None, returned: Flag = False, *,
    keepdims: Flag = False,
) -> Any:  # fmt: skip
    """`np.average`."""
    axes = None if axis is None else tuple(distinct_axes(axis, a.ndim))
    if weights is None:
        result = mean(a, axes, keepdims=keepdims)
        count = counted(a.size // result.size if result.size else 0)
        return (result, xp.full_like(result, count)) if returned else result
    factors = fitting_weights(a, weights, axes)
    kinds = [a.dtype, factors.dtype, *([F64] if a.dtype.kind != "f" else [])]
    dtype = np.result_type(*kinds)
    scale = sum_(factors, axes, dtype, keepdims)
    total = sum_(converted(a, dtype) * converted(factors, dtype), axes, keepdims=keepdims)
    result = total / scale
    return (result, broadcast_array(scale, result.shape)) if returned else result


def fitting_weights(a: Array, weights: Array, axes: tuple[int, ...] | None) -> Array:
    """Weights of the whole array, or of the dimensions that are reduced, with extents of 1 for the others."""
    if weights.shape == a.shape:
        return weights
    if axes is None:
        raise shape_error(
            f"weights of shape {weights.shape} for an array of shape {a.shape}",
            "say with axis= which dimensions they belong to",
        )
    if weights.shape != tuple(a.shape[d] for d in axes):
        raise shape_error(
            f"weights of shape {weights.shape} do not fit the axes {axes} of shape {a.shape}",
            "they have the shape of the array, or of its axes that are reduced",
        )
    ordered = xp.transpose(weights, np.argsort(axes).tolist())
    return xp.reshape(ordered, [e if d in axes else 1 for d, e in enumerate(a.shape)])


# Extrema and tests -------------------------------------------------------------------------------


def _extremum(kind: str, logical: str) -> Callable[..., Array]:
    def reduce(
        a: ArrayLike, axis: Axes | None = None, keepdims: Flag = False, initial: Scalar | None = None,
        where: Mask = None,
    ) -> Array:  # fmt: skip
        x, axes = a, all_axes(axis, a.ndim)
        start = None if initial is None else initial_value(initial, x.dtype)
        if where is not None:
            if start is None:
                raise argument_error(
                    f"the {kind} of masked elements needs `initial`",
                    f"give the {kind} of no elements with initial=",
                )
            x = masked(x, where, start)
        if start is None and not all(x.shape[d] for d in axes):
            raise shape_error(
                f"the {kind} of no elements: shape {x.shape} along {axes}",
                "give its value there with initial=",
            )
        found = emitting().reduce(logical if x.dtype == BOOL else kind, x.value, axes)
        result = shaped(made(found, weak=x.weak), x, axes, keepdims)
        return result if start is None else (xp.maximum if kind == "max" else xp.minimum)(result, start)

    return reduce


amax, amin = _extremum("max", "or"), _extremum("min", "and")


def _logical(kind: str) -> Callable[..., Array]:
    def reduce(
        a: ArrayLike, axis: Axes | None = None, keepdims: Flag = False, *, where: Mask = None
    ) -> Array:
        x = masked(converted(a, BOOL), where, kind == "and")
        axes = all_axes(axis, x.ndim)
        return shaped(made(emitting().reduce(kind, x.value, axes)), x, axes, keepdims)

    return reduce


def _argument(kind: str) -> Callable[..., Array]:
    def reduce(a: ArrayLike, axis: Axis | None = None, *, keepdims: Flag = False) -> Array:
        source, given = a, axis
        if axis is None or not a.ndim:
            a, axis = xp.ravel(a), 0 if axis is None else one_axis(axis, max(a.ndim, 1))
        dim = one_axis(axis, a.ndim)
        if not a.shape[dim]:
            raise shape_error(
                f"the {kind} of an empty dimension, of shape {a.shape}",
                "test the extent, which is static, before the call",
            )
        x = converted(a, I32) if a.dtype == BOOL else a
        b = emitting()
        found = made((b.argmax if kind == "argmax" else b.argmin)(x.value, dim))
        return shaped(found, source, all_axes(given, source.ndim), keepdims)

    return reduce


argmax, argmin = _argument("argmax"), _argument("argmin")


def ptp(a: ArrayLike, axis: Axes | None = None, keepdims: Flag = False) -> Array:
    """`np.ptp`: the largest less the smallest."""
    return xp.subtract(amax(a, axis, keepdims), amin(a, axis, keepdims))


def count_nonzero(a: ArrayLike, axis: Axes | None = None, *, keepdims: Flag = False) -> Array:
    """`np.count_nonzero`."""
    return sum_(converted(a, BOOL), axis, keepdims=keepdims)


def array_equal(a1: OperandLike, a2: OperandLike, equal_nan: Flag = False) -> Array:
    """`np.array_equal`, as a traced boolean."""
    x, y = as_array(a1), as_array(a2)
    if x.shape != y.shape:
        return as_array(np.False_)
    return xp.all(_equal(x, y, equal_nan))


def array_equiv(a1: OperandLike, a2: OperandLike) -> Array:
    """`np.array_equiv`, as a traced boolean."""
    x, y = as_array(a1), as_array(a2)
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return as_array(np.False_)
    return xp.all(_equal(x, y, False))


def _equal(x: Array, y: Array, equal_nan: bool) -> Array:
    same = xp.equal(x, y)
    return same | (xp.isnan(x) & xp.isnan(y)) if equal_nan else same


FUNCTIONS = tracings(
    mean, var, std, ptp, count_nonzero, average, array_equal, array_equiv, sum=sum_, prod=prod_, max=amax,
    min=amin, amax=amax, amin=amin, argmax=argmax, argmin=argmin, all=_logical("and"),
    any=_logical("or"),
)  # fmt: skip
"""The functions that this file traces."""
