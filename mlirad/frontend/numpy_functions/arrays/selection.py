"""Choices of elements, rounding and tests: `where`, `nonzero`, `clip`, `round`, `isclose`, `compress`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, cast

import numpy as np

from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.arrays.repeating import take
from mlirad.frontend.numpy_functions.arrays.shapes import along, checked_extents
from mlirad.frontend.numpy_functions.calls.parameters import (
    UNSET,
    ArrayLike,
    Axis,
    Condition,
    Flag,
    Int,
    Numbers,
    OperandLike,
    OperandList,
    Outside,
    PositionsLike,
    ShapeLike,
    Static,
    own_dtype,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, copied
from mlirad.frontend.tracing.dtypes import BOOL, F64, I64
from mlirad.frontend.tracing.operations import as_array, common, converted, kind_of, result_type, select, xp
from mlirad.frontend.tracing.raising import (
    argument_error,
    dtype_error,
    position_error,
    shape_error,
)


def where(condition: Condition, x: OperandLike = UNSET, y: OperandLike = UNSET) -> Any:
    """`np.where`: without branches the positions at which a condition holds."""
    if x is UNSET and y is UNSET:
        return nonzero(condition)
    if x is UNSET or y is UNSET:
        raise argument_error("np.where takes both branches or none", "write np.where(condition, a, b)")
    return select(condition, x, y)


def nonzero(a: ArrayLike) -> tuple[MaskedElements, ...]:
    """`np.nonzero`: positions whose number is not known while tracing."""
    from mlirad.frontend.indexing.chosen_positions import positions_of  # most programs do without

    x = as_array(a)
    if not x.ndim:
        raise shape_error("np.nonzero needs an array of at least one dimension", "np.atleast_1d(a)")
    return positions_of(x if x.dtype == BOOL else xp.not_equal(x, 0))


def flatnonzero(a: ArrayLike) -> MaskedElements:
    """`np.flatnonzero`."""
    return nonzero(xp.ravel(as_array(a)))[0]


def argwhere(a: ArrayLike) -> MaskedElements:
    """`np.argwhere`."""
    found = nonzero(a)
    return MaskedElements(xp.stack([line.elements for line in found], axis=-1), found[0].mask, 0)


def clip(
    a: OperandLike,
    a_min: OperandLike | None = UNSET,
    a_max: OperandLike | None = UNSET,
    *,
    min: OperandLike | None = UNSET,
    max: OperandLike | None = UNSET,
) -> Array:
    """`np.clip`."""
    old, new = (a_min, a_max), (min, max)
    if all(v is UNSET for v in old):
        low, high = (None if v is UNSET else v for v in new)
    elif any(v is UNSET for v in old) or any(v is not UNSET for v in new):
        raise argument_error(
            "np.clip takes a_min and a_max, or min and max", "np.clip(x, low, high), with None for no bound"
        )
    else:
        low, high = old
    x: Any = own_dtype(a) if isinstance(a, bool | int | float) else a
    if low is None and high is None and own_dtype(a).dtype == BOOL:
        raise dtype_error("booleans are not clipped", "convert with .astype(int)")
    if low is not None:
        x = xp.maximum(x, low)
    if high is not None:
        x = xp.minimum(x, high)
    return as_array(x)


def round_(a: ArrayLike, decimals: Int = 0) -> Array:
    """`np.round`, half to even."""
    if a.dtype == BOOL:
        raise dtype_error("booleans are not rounded", "convert with .astype(float)")
    if decimals == 0 or (a.dtype.kind == "i" and decimals > 0):
        return xp.rint(a) if a.dtype.kind == "f" else a
    x = a if a.dtype.kind == "f" else converted(a, F64)
    scale = x.dtype.type(10.0 ** min(abs(decimals), 400) if abs(decimals) < 309 else np.inf)
    found = xp.rint(x * scale) / scale if decimals > 0 else xp.rint(x / scale) * scale
    return converted(found, a.dtype)


def choose_first(condlist: OperandList, choicelist: OperandList, default: OperandLike = 0) -> Array:
    """`np.select`: the choice of the first condition that holds."""
    if len(condlist) != len(choicelist) or not condlist:
        raise shape_error(
            f"np.select with {len(condlist)} conditions and {len(choicelist)} choices",
            "give a choice for each condition, at least one",
        )
    conditions = [as_array(c) for c in condlist]
    if any(c.dtype != BOOL for c in conditions):
        raise dtype_error("the conditions of np.select are booleans", "write c != 0")
    dtype = result_type([kind_of(c) for c in (*choicelist, default)])
    result = as_array(default, dtype)
    for condition, choice in zip(reversed(conditions), reversed(choicelist), strict=True):
        result = select(condition, as_array(choice, dtype), result)
    return result


def choose(a: PositionsLike, choices: OperandList, mode: Outside = "raise") -> Array:
    """`np.choose`; traced numbers that there is no choice for give 0."""
    if not choices:
        raise shape_error("np.choose needs choices", "pass a sequence of arrays")
    number = _inside(converted(as_array(a), I64), len(choices), mode)
    arrays = common([own_dtype(c) for c in choices])
    result = as_array(arrays[0].dtype.type(0))
    for k, choice in enumerate(arrays):
        result = select(xp.equal(number, k), choice, result)
    return result


def _inside(position: Any, extent: int, mode: str) -> Any:
    if mode == "wrap":
        return xp.remainder(position, max(extent, 1))
    return xp.clip(position, 0, max(extent - 1, 0)) if mode == "clip" else position


def compress(condition: Numbers, a: ArrayLike, axis: Axis | None = None) -> Array:
    """`np.compress` by a static condition."""
    if condition.ndim != 1:
        raise shape_error("np.compress needs a vector of booleans", "np.ravel")
    return take(a, np.flatnonzero(condition), axis)


def take_along_axis(arr: ArrayLike, indices: PositionsLike, axis: Axis | None = -1) -> Array:
    """`np.take_along_axis`."""
    positions = as_array(indices)
    if positions.dtype == BOOL:
        raise position_error("take_along_axis takes integers, not booleans", "np.argsort makes some")
    x, dim = along(arr, axis)
    if positions.ndim != x.ndim:
        raise shape_error(
            f"take_along_axis needs as many dimensions in {positions.shape} as in {x.shape}",
            "np.expand_dims(indices, axis) adds the one of the axis",
        )
    grid: list[Any] = []
    for d, extent in enumerate(x.shape):
        line = [extent if k == d else 1 for k in range(x.ndim)]
        grid.append(positions if d == dim else np.arange(extent).reshape(line))
    return x[tuple(grid)]


# Positions of several dimensions -----------------------------------------------------------------


def unravel_index(
    indices: PositionsLike, shape: ShapeLike, order: Literal["C", "F"] = "C"
) -> tuple[Array, ...]:
    """`np.unravel_index`."""
    rest, extents = converted(as_array(indices), I64), checked_extents(tuple(shape))
    found: list[Array] = []
    for extent in reversed(extents) if order == "C" else extents:
        found.append(xp.remainder(rest, max(extent, 1)))
        rest = xp.floor_divide(rest, max(extent, 1))
    return tuple(reversed(found)) if order == "C" else tuple(found)


def ravel_multi_index(
    multi_index: OperandList, dims: ShapeLike, mode: Static = "raise", order: Literal["C", "F"] = "C"
) -> Array:
    """`np.ravel_multi_index`; with the mode "raise", of positions inside."""
    extents = checked_extents(tuple(dims))
    modes = list(cast("list[Any]", mode)) if isinstance(mode, tuple | list) else [mode] * len(extents)
    if len(multi_index) != len(extents) or len(modes) != len(extents):
        raise shape_error(
            f"{len(multi_index)} positions with {len(modes)} modes for {len(extents)} dimensions",
            "give one position, and one mode or one for all, per dimension",
        )
    if any(not isinstance(m, str) or m not in ("raise", "wrap", "clip") for m in modes):
        raise argument_error(
            f"ravel_multi_index: `mode` must be 'raise', 'wrap' or 'clip', got {mode!r}",
            "one for all dimensions, or a tuple with one for each",
        )
    total: Any = as_array(np.int64(0))
    terms = list(zip(multi_index, extents, modes, strict=True))
    for given, extent, way in terms if order == "C" else reversed(terms):
        position = as_array(given)
        if position.dtype.kind != "i":
            raise position_error("positions are integers", "x.astype(np.int64)")
        if way == "raise" and not isinstance(given, Array):
            numbers = np.asarray(given)
            if np.any((numbers < 0) | (numbers >= extent)):
                raise position_error(
                    f"a position lies outside a dimension of extent {extent}",
                    "mode='wrap' or mode='clip' takes it inside",
                )
        total = total * extent + _inside(converted(position, I64), extent, way)
    return as_array(total)


# Tests -------------------------------------------------------------------------------------------


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: OperandLike = 1e-5, atol: OperandLike = 1e-8, equal_nan: Flag = False
) -> Array:
    """`np.isclose`."""
    x, y = as_array(a), as_array(b)
    if y.dtype.kind != "f":
        y = converted(y, F64)
    near = (xp.abs(xp.subtract(x, y)) <= xp.add(atol, xp.multiply(rtol, xp.abs(y)))) & xp.isfinite(y)
    close = near | xp.equal(x, y)
    return close | (xp.isnan(x) & xp.isnan(y)) if equal_nan else close


@functools.wraps(isclose)
def allclose(*args: Any, **options: Any) -> Array:
    """`np.allclose`, as a traced boolean."""
    return xp.all(isclose(*args, **options))


def nan_to_num(
    x: ArrayLike,
    copy: Flag = True,
    nan: OperandLike = 0.0,
    posinf: OperandLike | None = None,
    neginf: OperandLike | None = None,
) -> Array:
    """`np.nan_to_num`; without `copy` it writes `x`."""
    if not copy:
        x[...] = nan_to_num(copied(x), True, nan, posinf, neginf)
        return x
    if x.dtype.kind != "f":
        return copied(x)
    limits = np.finfo(x.dtype)

    def instead(value: Any, limit: Any) -> Any:
        return as_array(np.asarray(limit) if value is None else value, x.dtype)

    finite = select(xp.isnan(x), instead(nan, 0.0), x)
    finite = select(xp.equal(x, np.inf), instead(posinf, limits.max), finite)
    return select(xp.equal(x, -np.inf), instead(neginf, limits.min), finite)


def _infinite(sign: float) -> Callable[..., Array]:
    def test(x: ArrayLike) -> Array:
        return xp.equal(x, sign * np.inf)

    return test


FUNCTIONS = tracings(
    where, clip, choose, compress, take_along_axis, unravel_index, ravel_multi_index, isclose, nan_to_num,
    allclose=allclose, round=round_, around=round_, select=choose_first, isposinf=_infinite(1.0),
    isneginf=_infinite(-1.0), nonzero=nonzero, flatnonzero=flatnonzero, argwhere=argwhere,
)  # fmt: skip
"""The functions that this file traces."""
