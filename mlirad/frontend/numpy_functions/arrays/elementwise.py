"""Elementwise functions that are not ufuncs in NumPy, and functions that apply others."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Annotated, Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.binding import shown
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Axis,
    AxisList,
    Flag,
    Function,
    complex_or_floats,
    kind,
)
from mlirad.frontend.numpy_functions.calls.tracings import Tracings, tracings
from mlirad.frontend.numpy_functions.meanings.special import special
from mlirad.frontend.tracing.array import Array, copied, made
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    as_array,
    converted,
    inexact,
    select,
    xp,
)
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import listed, one_axis


def fix(x: ArrayLike) -> Array:
    """`np.fix`: towards zero."""
    return xp.trunc(x)


def i0(x: ArrayLike) -> Array:
    """`np.i0`: the modified Bessel function of order 0."""
    return made(special(emitting(), "i0", inexact(x).value))


def sinc(x: ArrayLike) -> Array:
    """`np.sinc`: sin(pi x) / (pi x), and 1 at 0."""
    return made(special(emitting(), "sincpi", inexact(x).value))


def angle(z: ArrayLike, deg: Flag = False) -> Array:
    """`np.angle` of real numbers: 0 or pi."""
    found = xp.arctan2(0.0, inexact(z))
    return found * (180 / pi) if deg else found


def piecewise(x: ArrayLike, condlist: Anything, funclist: Anything, *args: Anything, **kw: Anything) -> Array:
    """`np.piecewise`: every function is called on all of `x`, and chosen from."""
    listed = _conditions(condlist, x.ndim)
    conditions = [converted(as_array(c), BOOL) for c in listed]
    if not conditions:
        raise argument_error("piecewise: `condlist` is empty", "np.piecewise(x, [x < 0, x >= 0], [f, g])")
    if not isinstance(funclist, list | tuple):
        raise argument_error(
            f"piecewise: `funclist` must be a list of functions and numbers, got {shown(funclist)}",
            "np.piecewise(x, [x < 0, x >= 0], [f, g])",
        )
    functions: list[Any] = list(cast("list[Any]", funclist))
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise shape_error(
            f"piecewise: {len(functions)} functions for {len(conditions)} conditions",
            "give one for each condition, and one more for all other places if wanted",
        )
    result = xp.zeros_like(x)
    if len(functions) > len(conditions):
        result = _piece(functions[-1], x, args, kw)
    for condition, function in zip(conditions, functions, strict=False):
        if condition.shape != x.shape:
            raise shape_error(
                f"piecewise: a condition of shape {condition.shape} for shape {x.shape}",
                "conditions have the shape of x",
            )
        result = select(condition, _piece(function, x, args, kw), result)
    return result


def _conditions(given: Any, rank: int) -> list[Any]:
    """Conditions as a list; a single one need not be in a list."""
    if isinstance(given, list | tuple):
        parts = list(cast("list[Any]", given))
        is_one = rank > 0 and not isinstance(parts[0] if parts else parts, Array | np.ndarray | list | tuple)
        return [parts] if is_one else parts
    return list(given) if as_array(given).ndim > rank else [given]


def _piece(function: Any, x: Array, args: tuple[Any, ...], kw: dict[str, Any]) -> Array:
    if not callable(function):
        return converted(as_array(function), x.dtype)
    try:
        made = function(copied(x), *args, **kw)
    except TypeError as error:
        if not args and not kw:
            raise
        raise argument_error(
            f"piecewise: a function cannot be called with the further arguments: {error}",
            "all that piecewise is given after the functions is handed to each of them",
        ) from error
    return converted(as_array(made), x.dtype)


def apply_along_axis(
    func1d: Function, axis: Axis, arr: ArrayLike, *args: Anything, **kwargs: Anything
) -> Array:
    """`np.apply_along_axis`: the function on every vector along an axis, a view, one after the other."""
    dim = one_axis(axis, arr.ndim)
    rows = xp.moveaxis(arr, dim, -1)
    shape = rows.shape[:-1]
    if 0 in shape:
        raise shape_error("apply_along_axis: there is no vector", "test the size before")
    found = [copied(as_array(func1d(rows[at], *args, **kwargs))) for at in np.ndindex(*shape)]
    result = xp.reshape(xp.stack(found), (*shape, *found[0].shape))
    own = list(range(len(shape), result.ndim))
    return xp.moveaxis(result, own, [dim + k for k in range(len(own))])


def apply_over_axes(func: Function, a: ArrayLike, axes: AxisList) -> Array:
    """`np.apply_over_axes`."""
    x = a
    for axis in listed(axes):
        dim = axis + a.ndim if axis < 0 else axis
        found = as_array(func(x, dim))
        if found.ndim not in (x.ndim, x.ndim - 1):
            raise argument_error("apply_over_axes: the function does not reduce one axis", "np.sum does")
        x = found if found.ndim == x.ndim else xp.expand_dims(found, dim)
    return x


def block(arrays: Anything) -> Array:
    """`np.block`: nested lists, joined along the last axis inside, and along earlier ones outside."""
    depth = _depth(arrays)
    rank = max([depth, *(as_array(leaf).ndim for leaf in _leaves(arrays))])

    def joined(part: Any, level: int) -> Array:
        if not isinstance(part, list):
            x = as_array(part)
            return xp.reshape(x, (*[1] * (rank - x.ndim), *x.shape))
        parts = cast("list[Any]", part)
        return xp.concatenate([joined(p, level + 1) for p in parts], axis=rank - depth + level)

    return joined(arrays, 0)


def _depth(part: Any) -> int:
    if not isinstance(part, list):
        return 0
    parts = cast("list[Any]", part)
    depths = {_depth(p) for p in parts}
    if len(depths) != 1:
        raise shape_error("block: lists must be nested equally deep", "and not empty")
    return 1 + depths.pop()


def _leaves(part: Any) -> list[Any]:
    if not isinstance(part, list):
        return [part]
    parts = cast("list[Any]", part)
    return [leaf for p in parts for leaf in _leaves(p)]


# Functions that are complex outside of the domain of the real ones --------------------------------


def _complex(value: Any) -> Any:
    return as_complex(complex_or_floats(value))


ComplexOperand = Annotated[Any, kind("an array", _complex)]
"""An array, or a number, as a complex one."""


def _function(ufunc: np.ufunc) -> Callable[..., Any]:
    def traced(x: ComplexOperand) -> Any:
        return ufunc(x)

    return traced


def logn(n: ComplexOperand, x: ComplexOperand) -> Any:
    """`np.emath.logn`."""
    return np.log(x) / np.log(n)


def power(x: ComplexOperand, p: ComplexOperand) -> Any:
    """`np.emath.power`."""
    return np.power(x, p)


SCIMATH: Tracings = {
    **{
        getattr(np.emath, ufunc.__name__): _function(ufunc)
        for ufunc in (np.sqrt, np.log, np.log2, np.log10, np.arccos, np.arcsin, np.arctanh)
    },
    np.emath.logn: logn,
    np.emath.power: power,
}
"""The functions of `numpy.emath`. All results are complex, as elements decide whether real ones would do."""


FUNCTIONS = SCIMATH | tracings(
    sinc, i0, angle, piecewise, apply_along_axis, apply_over_axes, block, fix,
)  # fmt: skip
"""The functions that this file traces."""

CALL_BACK = {np.piecewise, np.apply_along_axis, np.apply_over_axes}
"""Functions that call the user's, whose exceptions are the user's own."""
