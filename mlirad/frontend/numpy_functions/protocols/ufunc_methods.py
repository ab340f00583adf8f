"""The methods of ufuncs: `reduce`, `accumulate`, `outer` and `at`.

np.add.reduce(x)       np.sum(x, axis=0)            np.arctan2.reduce(x)     a loop over the rows of x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.dialects.shapes import Value
from mlirad.frontend.constructs.loops import fori_loop, scan
from mlirad.frontend.indexing.keys import select_key
from mlirad.frontend.indexing.masks import key_with_mask
from mlirad.frontend.indexing.reads import read
from mlirad.frontend.indexing.truths import without_truths
from mlirad.frontend.indexing.views import require_writable
from mlirad.frontend.numpy_functions.calls.parameters import (
    UNSET,
    ArrayLike,
    Axes,
    Axis,
    Casting,
    DtypeLike,
    Flag,
    Mask,
    Scalar,
)
from mlirad.frontend.numpy_functions.calls.results import require_traced_out
from mlirad.frontend.numpy_functions.protocols.ufuncs import apply, name_of
from mlirad.frontend.numpy_functions.reductions.ordering import cumulative
from mlirad.frontend.numpy_functions.reductions.reductions import (
    hypot,
    initial_value,
    logsumexp,
    rows_of,
    shaped,
    spread,
)
from mlirad.frontend.numpy_functions.writes.colliding import one_by_one
from mlirad.frontend.numpy_functions.writes.writes import fitted, kind_written, replace, updated, write
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL, Dtype, language_dtype, loop_dtypes
from mlirad.frontend.tracing.operations import as_array, converted, select, xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error
from mlirad.frontend.tracing.shapes import all_axes, one_axis
from mlirad.ir.arrays import ArrayBuilder


def outer(
    ufunc: np.ufunc, A: ArrayLike, B: ArrayLike, dtype: DtypeLike | None = None,
    casting: Casting = "same_kind",
) -> Any:  # fmt: skip
    """`ufunc.outer(A, B)`: the ufunc of all pairs of elements."""
    left = xp.reshape(A, (*np.shape(A), *[1] * np.ndim(B))) if np.ndim(A) else A
    return apply(ufunc, (left, B), dtype=dtype, casting=casting)


_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}


_OF_ALL: dict[np.ufunc, Callable[..., Array]] = {np.logaddexp: logsumexp, np.hypot: hypot}
"""The functions that reduce all elements at once, not one after the other."""


def reduce_(
    ufunc: np.ufunc, array: ArrayLike, axis: Axes | None = 0, dtype: DtypeLike | None = None,
    keepdims: Flag = False, initial: Scalar | None = UNSET, where: Mask = None,
) -> Any:  # fmt: skip
    """`ufunc.reduce(array)`: by a reduction of the language where there is one, else by a loop."""
    axes = all_axes(axis, array.ndim)
    function = _REDUCTIONS.get(ufunc)
    whole = _OF_ALL.get(ufunc)
    if whole is not None and initial is UNSET:
        return whole(loop_operand(ufunc, array, dtype)[1], axis, keepdims, where)
    is_logical, takes_dtype = ufunc in (np.logical_and, np.logical_or), ufunc in (np.add, np.multiply)
    if function is None or not reduced_by_language(ufunc, array.dtype, dtype):
        return _folded(ufunc, array, axes, dtype, keepdims, initial, where)
    given: dict[str, Any] = {"keepdims": keepdims} | ({"dtype": dtype} if takes_dtype else {})
    if where is not None:
        given["where"] = where
    if initial is UNSET or initial is None:
        return function(array, axis=axis, **given)
    if is_logical:
        return ufunc(function(array, axis=axis, **given), initial)
    return function(array, axis=axis, initial=initial, **given)


def reduced_by_language(ufunc: np.ufunc, own: Dtype, dtype: Dtype | None) -> bool:
    """Return whether a reduction of the language reduces arrays of a dtype, in the one that is asked for."""
    computed = BOOL if ufunc in (np.logical_and, np.logical_or) else own
    return ufunc in _REDUCTIONS and (ufunc in (np.add, np.multiply) or dtype in (None, computed))


def _folded(
    ufunc: np.ufunc,
    array: Array,
    axes: list[int],
    dtype: Dtype | None,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Array:
    """Any ufunc of two operands, element by element along one axis after the other."""
    require_binary(ufunc, "reduce")
    first, x = loop_operand(ufunc, array, dtype)
    if len(axes) > 1 and ufunc not in _REORDERABLE:
        raise argument_error(
            f"{name_of(ufunc)}.reduce along several axes depends on their order",
            "reduce along one axis after the other",
        )
    start = ufunc.identity if initial is UNSET else initial
    if where is not None and initial is UNSET and start is None:
        raise argument_error(
            f"{name_of(ufunc)}.reduce with `where` needs `initial`",
            "give the result of no elements with initial=",
        )
    keep = None if where is None else rows_of(spread(where, x), axes)[0]
    rows, _ = rows_of(x, axes)
    if start is None and not rows.shape[0]:
        raise shape_error(
            f"{name_of(ufunc)}.reduce of no elements: shape {x.shape} along {axes}",
            "give its value there with initial=",
        )
    if start is None:
        carry, begin = rows[0], 1
    else:
        carry, begin = xp.broadcast_to(as_array(initial_value(start, first)), rows.shape[1:]), 0

    def step(k: Any, carry: Any) -> Any:
        row = rows[k]
        combined = apply(ufunc, (carry, row), dtype=dtype).astype(first)
        return combined if keep is None else select(keep[k], combined, carry)

    result = fori_loop(begin, rows.shape[0], step, carry) if rows.shape[0] > begin else carry
    return shaped(as_array(result), x, axes, keepdims)


def require_binary(ufunc: np.ufunc, method: str) -> None:
    """Raise for a ufunc that does not combine two elements to one."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise argument_error(
            f"{name_of(ufunc)}.{method} needs a ufunc of two operands and one result", "call the ufunc itself"
        )


def loop_operand(ufunc: np.ufunc, array: Array, dtype: Dtype | None) -> tuple[Dtype, Array]:
    """The dtype that a reduction is carried on in, and the array in it."""
    try:
        given: dict[str, Any] = {} if dtype is None else {"signature": (dtype, None, None)}
        resolved = ufunc.resolve_dtypes(
            (None, array.dtype, None), casting=cast(Any, "unsafe"), reduction=True, **given
        )
    except TypeError as error:
        raise dtype_error(
            f"{name_of(ufunc)}.reduce is not defined on {array.dtype}", f"NumPy says: {error}"
        ) from error
    result = language_dtype(resolved[2])
    operand = language_dtype(resolved[1])
    if resolved[0] != resolved[2]:
        raise dtype_error(
            f"{name_of(ufunc)}.reduce would turn {operand} into {result}", "both must be one dtype"
        )
    return result, array.astype(operand)


_REORDERABLE = frozenset(
    (
        np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.logical_and, np.logical_or,
        np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.hypot, np.logaddexp, np.logaddexp2,
    )
)  # fmt: skip
"""The ufuncs that several axes can be reduced by in any order."""

_ACCUMULATIONS: dict[np.ufunc, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_or: "max",
    np.logical_and: "min",
}


def accumulate(ufunc: np.ufunc, array: ArrayLike, axis: Axis = 0, dtype: DtypeLike | None = None) -> Any:
    """`ufunc.accumulate(array)`: as `reduce`, with all intermediate results."""
    if not array.ndim:
        raise shape_error("cannot accumulate on a scalar", "np.atleast_1d")
    dim = one_axis(axis, array.ndim)
    kind = _ACCUMULATIONS.get(ufunc)
    is_logical = ufunc in (np.logical_or, np.logical_and)
    if kind is not None and (not is_logical or dtype is None or dtype == BOOL):
        return cumulative(kind, array.astype(bool) if is_logical else array, dim, dtype)
    require_binary(ufunc, "accumulate")
    result, x = loop_operand(ufunc, array, dtype)
    rows = xp.moveaxis(x, dim, 0)
    if not rows.shape[0]:
        return x.astype(result)

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        following = apply(ufunc, (carry, row), dtype=dtype).astype(result)
        return following, following

    first = rows[0].astype(result)
    if rows.shape[0] == 1:
        return xp.moveaxis(first[None], 0, dim)
    _, others = scan(step, first, rows[1:])
    return xp.moveaxis(xp.concatenate([first[None], others]), 0, dim)


def update_at(ufunc: np.ufunc, x: Any, key: Any, *values: Any) -> None:
    """`ufunc.at(x, key, values)`: the elements of `x` at the positions, one after the other, in place."""
    if not isinstance(x, Array):
        require_traced_out(f"np.{ufunc.__name__}.at", x)
    require_writable(x)
    x, key = without_truths(x, key)
    kinds = (x.dtype, *(kind_written(v) for v in values))
    loop_dtypes(ufunc, kinds, x.dtype)
    if key_with_mask(key) is not None:  # which selects no element twice
        write(x, key, ufunc(read(x, key), *values))
        return
    selection = select_key(x.shape, key)
    if ufunc in (np.add, np.subtract) and x.dtype != BOOL:
        kind = "add" if ufunc is np.add else "subtract"
        replace(x, updated(x, key, values[0], kind).value)
        return

    def combine(b: ArrayBuilder, old: Value, *new: Value) -> Value:
        return converted(apply(ufunc, (made(old), *(made(v) for v in new))), x.dtype).value

    if not values:
        # Once for each position: the value beside the old one is not looked at.
        spare = fitted(x, False, selection)
        replace(x, one_by_one(x, selection, spare, lambda b, old, _: combine(b, old)).value)
        return
    kept = as_array(values[0])
    dtype = x.dtype if kept.weak else kept.dtype
    new = fitted(made(x.value) if dtype == x.dtype else converted(x, dtype), kept, selection)
    replace(x, one_by_one(x, selection, new, combine).value)
