"""Choices between elements, differences and tests: `where`, `clip`, `round`, `diff`, `isclose`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlirad.errors import ShapeError, TracingError
from mlirad.frontend.numpy_functions.axes import one_axis
from mlirad.frontend.numpy_functions.shapes import static_shape
from mlirad.frontend.operations import as_array, select, xp
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.frontend.views import copied


def where(condition: Any, *branches: Any, x: Any = None, y: Any = None) -> Array:
    """`np.where` with both branches."""
    if not branches:
        raise TracingError(
            "the shape of np.where(condition) depends on the elements of a traced condition",
            location=user_line(),
            hint="write np.where(condition, a, b)",
        )
    return select(condition, *branches)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: None = None, *, min: Any = None, max: Any = None
) -> Array:
    """`np.clip`."""
    low = a_min if a_min is not None and a_min is not _UNSET else min
    high = a_max if a_max is not None and a_max is not _UNSET else max
    x = as_array(a)
    if low is not None and low is not _UNSET:
        x = xp.maximum(x, low)
    if high is not None and high is not _UNSET:
        x = xp.minimum(x, high)
    return as_array(x)


_UNSET: Any = np._NoValue  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]


def round_(a: Any, decimals: int = 0, out: None = None) -> Array:
    """`np.round`, half to even."""
    x = as_array(a)
    if x.dtype.kind != "f":
        return x
    if decimals == 0:
        return xp.rint(x)
    scale = x.dtype.type(10.0**decimals)
    return xp.rint(x * scale) / scale


def choose(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """`np.select`: the choice of the first condition that holds."""
    result = as_array(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = select(condition, choice, result)
    return result


def diff(a: Any, n: int = 1, axis: int = -1) -> Array:
    """`np.diff`; no differences at all are the array itself."""
    if n == 0:
        return as_array(a)
    x = xp.moveaxis(as_array(a), axis, 0)
    for _ in range(n):
        x = x[1:] != x[:-1] if x.dtype == np.bool_ else x[1:] - x[:-1]
    return xp.moveaxis(x, 0, axis)


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Array:
    """`np.take_along_axis`."""
    x, positions = as_array(arr), as_array(indices)
    if axis is None:
        x, axis = xp.ravel(x), 0
    dim = one_axis(axis, x.ndim)
    if positions.ndim != x.ndim:
        raise ShapeError(
            f"take_along_axis needs as many dimensions in {positions.shape} as in {x.shape}",
            location=user_line(),
        )
    rest = [e for d, e in enumerate(x.shape) if d != dim]
    grid: Any = np.ogrid[tuple(slice(e) for e in rest)] if rest else []
    key: list[Any] = [np.expand_dims(line, dim) for line in grid]
    key.insert(dim, positions)
    return x[tuple(key)]


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """`np.unravel_index` in row-major order."""
    rest, extents = as_array(indices), static_shape(shape)
    found: list[Array] = []
    for extent in reversed(extents):
        found.append(xp.remainder(rest, extent))
        rest = xp.floor_divide(rest, extent)
    return tuple(reversed(found))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Array:
    """`np.ravel_multi_index` in row-major order, of positions inside."""
    total = as_array(0)
    for position, extent in zip(multi_index, static_shape(dims), strict=True):
        total = total * extent + position
    return as_array(total)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """`np.trapezoid`."""
    values = xp.moveaxis(as_array(y), axis, -1)
    steps = dx if x is None else xp.diff(as_array(x))
    return xp.sum((values[..., 1:] + values[..., :-1]) * steps / 2, axis=-1)


def polyval(p: Any, x: Any) -> Array:
    """`np.polyval`, by Horner's rule."""
    coefficients, at = as_array(p), as_array(x)
    total = xp.zeros_like(at)
    for k in range(len(coefficients)):
        total = total * at + coefficients[k]
    return as_array(total)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """`np.isclose`."""
    x, y = as_array(a), as_array(b)
    near = (xp.abs(x - y) <= atol + rtol * xp.abs(y)) & xp.isfinite(y)
    close = near | (x == y)
    return close | (xp.isnan(x) & xp.isnan(y)) if equal_nan else close


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """`np.allclose`, as a traced boolean."""
    return xp.all(isclose(a, b, rtol, atol, equal_nan))


def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """`np.nan_to_num`; without `copy` it writes `x`."""
    array = as_array(x)
    if not copy and isinstance(x, Array):
        x[...] = nan_to_num(copied(array), True, nan, posinf, neginf)
        return x
    if array.dtype.kind != "f":
        return copied(array)
    limits = np.finfo(array.dtype)
    kind = array.dtype.type
    finite = select(xp.isnan(array), kind(nan), array)
    finite = select(array == np.inf, kind(limits.max if posinf is None else posinf), finite)
    return select(array == -np.inf, kind(limits.min if neginf is None else neginf), finite)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.where: where,
    np.clip: clip,
    np.round: round_,
    np.around: round_,
    np.select: choose,
    np.diff: diff,
    np.take_along_axis: take_along_axis,
    np.unravel_index: unravel_index,
    np.ravel_multi_index: ravel_multi_index,
    np.trapezoid: trapezoid,
    np.polyval: polyval,
    np.isclose: isclose,
    np.allclose: allclose,
    np.nan_to_num: nan_to_num,
}
"""What this file traces."""
