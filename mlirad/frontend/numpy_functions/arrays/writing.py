"""Functions that write their first argument, in place of returning something."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from mlirad.frontend.indexing.selections import whole
from mlirad.frontend.indexing.views import as_reshaped_view
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    Axis,
    Casting,
    Condition,
    Flag,
    OperandLike,
    Outside,
    PositionsLike,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.writes.writes import fitted, replace
from mlirad.frontend.tracing.adopted_arrays import require_adopted
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import BOOL, I64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    Operand,
    as_array,
    broadcast_array,
    broadcast_shapes,
    converted,
    kind_of,
    operand_of,
    select,
    xp,
)
from mlirad.frontend.tracing.raising import dtype_error, shape_error, unsupported_error
from mlirad.frontend.tracing.shapes import one_axis

EVERYWHERE: Any = True
"""The mask that writes all elements."""


def _written(x: Any, what: str) -> Array:
    """The array that a function writes, if it is a traced one."""
    if not isinstance(x, Array):
        require_adopted(x)
        raise unsupported_error(
            f"{what} cannot write a traced value into a NumPy array",
            "make the array traced first: a = ad.asarray(a)",
        )
    return x


def copyto(
    dst: Anything, src: OperandLike, casting: Casting = "same_kind", where: Condition = EVERYWHERE
) -> None:
    """`np.copyto`."""
    x, given = _written(dst, "np.copyto"), operand_of(src)
    dtype = _promoted(given, x)
    if not np.can_cast(dtype, x.dtype, casting):
        raise dtype_error(
            f"np.copyto: cannot cast {dtype} to {x.dtype} by the rule {casting!r}",
            'convert the source, or pass casting="unsafe"',
        )
    if where is EVERYWHERE:
        x[...] = given
        return
    new = fitted(x, given, whole(x.shape))
    mask = converted(as_array(where), BOOL)
    if broadcast_shapes([x.shape, mask.shape], "np.copyto") != x.shape:
        raise shape_error(
            f"np.copyto: a mask of shape {mask.shape} for {x.shape}",
            "give where= a shape that broadcasts to that of the array",
        )
    flags = broadcast_array(mask, x.shape)
    replace(x, emitting().select(flags.value, new, x.value))


def put(a: Anything, ind: PositionsLike, v: OperandLike, mode: Outside = "raise") -> None:
    """`np.put`; with traced positions outside writes nothing in the mode "raise"."""
    x = _written(a, "np.put")
    elements = as_reshaped_view(x, (x.size,))
    at = xp.ravel(as_array(ind, I64)) if isinstance(ind, Array) else np.asarray(ind, np.int64).ravel()
    if mode == "wrap":
        at = at % max(x.size, 1)
    elif mode == "clip":
        at = xp.clip(at, 0, max(x.size - 1, 0))
    values = _cycled(v, at.size)
    if at.size and values is not None:
        elements[at] = values


def _promoted(given: Operand, x: Array) -> np.dtype[Any]:
    """The dtype of what is written into `x`: Python numbers have its dtype, or one of their own kind."""
    kind = kind_of(given)
    return kind if isinstance(kind, np.dtype) else np.result_type(x.dtype, kind(0))


def _inserted(values: Any, x: Array, what: str) -> Array:
    """Values to insert, in the dtype of `x`. Raises for an array that `x` does not hold without loss.

    Numbers, and lists of them, are cast in any case.
    """
    given = operand_of(values)
    dtype = _promoted(given, x)
    if isinstance(values, Array | np.ndarray) and not np.can_cast(dtype, x.dtype):
        raise dtype_error(f"{what}: values of {dtype} are not cast to {x.dtype}", "convert them with .astype")
    return converted(as_array(given), x.dtype)


def _cycled(values: Any, count: int) -> Any:
    """Values one after the other, as often as it takes; `None` if there are no values."""
    given = xp.ravel(as_array(values))
    if not given.size:
        return None
    return given if given.size == count else given[np.arange(count) % given.size]


def putmask(a: Anything, mask: Condition, values: Anything) -> None:
    """`np.putmask`: element n of `a` becomes element n of the repeated values, where the mask holds."""
    x = _written(a, "np.putmask")
    flags = converted(as_array(mask), BOOL)
    if flags.size != x.size:
        raise shape_error(
            f"np.putmask: a mask of {flags.size} elements for {x.size}",
            "give a mask of the shape of the array",
        )
    new = _cycled(_inserted(values, x, "np.putmask"), x.size)
    if x.size and new is not None:
        replace(x, select(xp.reshape(flags, x.shape), xp.reshape(new, x.shape), x).value)


def place(arr: Anything, mask: Condition, vals: Anything) -> None:
    """`np.place`: the places where the mask holds get the repeated values, one after the other."""
    x = _written(arr, "np.place")
    flags = xp.ravel(converted(as_array(mask), BOOL))
    given = xp.ravel(_inserted(vals, x, "np.place"))
    if flags.size != x.size:
        raise shape_error(
            f"np.place: a mask of {flags.size} elements for {x.size}", "give a mask of the shape of the array"
        )
    if not x.size:
        return
    if not given.size:
        raise shape_error("np.place needs values to insert", "give one value or more")
    numbers = (xp.cumsum(flags) - 1) % given.size
    new = given[xp.maximum(numbers, 0)]
    replace(x, select(xp.reshape(flags, x.shape), xp.reshape(new, x.shape), x).value)


def fill_diagonal(a: Anything, val: OperandLike, wrap: Flag = False) -> None:
    """`np.fill_diagonal`."""
    x = _written(a, "np.fill_diagonal")
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) != 1):
        raise shape_error(
            f"np.fill_diagonal needs a matrix, or equal extents, got shape {x.shape}",
            "give an array of two dimensions, or of equal sizes",
        )
    if x.ndim == 2:
        step, end = x.shape[1] + 1, x.size if wrap else x.shape[1] * x.shape[1]
    else:
        step, end = 1 + sum(prod(x.shape[:k]) for k in range(1, x.ndim)), x.size
    x.flat[: min(end, x.size) : step] = val


def put_along_axis(arr: Anything, indices: PositionsLike, values: OperandLike, axis: Axis | None) -> None:
    """`np.put_along_axis`."""
    x, positions = _written(arr, "np.put_along_axis"), as_array(indices, I64)
    if axis is None:
        x, dim = as_reshaped_view(x, (x.size,)), 0
    else:
        dim = one_axis(axis, x.ndim)
    if positions.ndim != x.ndim:
        raise shape_error(
            f"put_along_axis needs as many dimensions in {positions.shape} as in {x.shape}",
            "write np.expand_dims(indices, axis) where a dimension is missing",
        )
    rest = [e for d, e in enumerate(x.shape) if d != dim]
    grid: Any = np.ogrid[tuple(slice(e) for e in rest)] if rest else []
    key: list[Any] = [np.expand_dims(line, dim) for line in grid]
    key.insert(dim, positions)
    x[tuple(key)] = values


FUNCTIONS = tracings(copyto, put, putmask, place, fill_diagonal, put_along_axis)
"""The functions that this file traces."""
