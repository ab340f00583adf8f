"""Functions that depend on the order of elements: sorting, prefix sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from mlirad.frontend.numpy_functions.arrays.shapes import along
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axis,
    DtypeLike,
    Flag,
    Ints,
    OperandList,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL, I32, I64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import listed, one_axis

SortKind = Literal["quicksort", "mergesort", "heapsort", "stable", "quick", "heap", "merge", None]


def sort(a: ArrayLike, axis: Axis | None = -1, kind: SortKind = None, *, stable: Flag | None = None) -> Array:
    """`np.sort`: ascending, equal elements in order, NaN last."""
    _require_one_way(kind, stable)
    x, dim = along(a, axis)
    return made(emitting().sort(x.value, dim))


def argsort(
    a: ArrayLike, axis: Axis | None = -1, kind: SortKind = None, *, stable: Flag | None = None
) -> Array:
    """`np.argsort`, always stable."""
    _require_one_way(kind, stable)
    x, dim = along(a, axis) if a.ndim else (xp.reshape(a, (1,)), 0)
    return made(emitting().argsort(x.value, dim))


def _require_one_way(kind: str | None, stable: bool | None) -> None:
    if kind is not None and stable is not None:
        raise argument_error("`kind` and `stable` say the same", "give one of them, or none")


def _partition(sorting: Callable[..., Array]) -> Callable[..., Array]:
    """A partition, by sorting all."""

    def partition(
        a: ArrayLike, kth: Ints, axis: Axis | None = -1, kind: Literal["introselect"] = "introselect"
    ) -> Array:
        x, dim = along(a, axis)
        extent = x.shape[dim]
        for k in listed(kth):
            if not -extent <= k < extent:
                raise shape_error(
                    f"there is no element {k} of {extent}", "`kth` lies inside of the dimension"
                )
        return sorting(x, dim)

    return partition


def lexsort(keys: OperandList, axis: Axis = -1) -> Array:
    """`np.lexsort`: by the last key, then by the one before it, and so on."""
    if not keys:
        raise shape_error("lexsort needs keys", "pass a sequence of arrays")
    arrays = [as_array(k) for k in keys]
    if any(k.shape != arrays[0].shape for k in arrays):
        raise shape_error("the keys of lexsort must have one shape", "broadcast them")
    dim = one_axis(axis, arrays[0].ndim)
    order = argsort(arrays[0], dim)
    for key in arrays[1:]:
        again = argsort(xp.take_along_axis(key, order, axis=dim), dim)
        order = xp.take_along_axis(order, again, axis=dim)
    return order


# Prefix reductions -------------------------------------------------------------------------------


def cumulative(way: str, a: Array, axis: int | None, dtype: Any = None) -> Array:
    """Each element reduced with all before it; sums and products of small integers are int64."""
    x, dim = along(a, axis, takes_scalars=True)
    if dtype is not None:
        x = converted(x, dtype)
    elif way in ("sum", "prod") and x.dtype in (BOOL, I32):
        x = converted(x, I64)
    if x.dtype != BOOL:
        return made(emitting().cumulative(way, x.value, dim), weak=x.weak)
    # The sum of booleans is whether one is true, their product whether all are.
    logical = {"sum": "max", "prod": "min"}.get(way, way)
    return converted(made(emitting().cumulative(logical, converted(x, I32).value, dim)), BOOL)


def cumsum(a: ArrayLike, axis: Axis | None = None, dtype: DtypeLike | None = None) -> Array:
    """`np.cumsum`."""
    return cumulative("sum", a, axis, dtype)


def cumprod(a: ArrayLike, axis: Axis | None = None, dtype: DtypeLike | None = None) -> Array:
    """`np.cumprod`."""
    return cumulative("prod", a, axis, dtype)


def _array_api(way: str, start: int) -> Callable[..., Array]:
    def accumulate(
        x: ArrayLike,
        *,
        axis: Axis | None = None,
        dtype: DtypeLike | None = None,
        include_initial: Flag = False,
    ) -> Array:
        array = x if x.ndim else xp.reshape(x, (1,))
        if axis is None and array.ndim != 1:
            raise shape_error(f"which axis of shape {array.shape}?", "say so with axis=")
        dim = one_axis(0 if axis is None else axis, array.ndim)
        result = cumulative(way, array, dim, dtype)
        if not include_initial:
            return result
        shape = [1 if d == dim else e for d, e in enumerate(result.shape)]
        return xp.concatenate([xp.full(shape, start, result.dtype), result], axis=dim)

    return accumulate


FUNCTIONS = tracings(
    sort, argsort, lexsort, cumsum, cumprod, partition=_partition(sort), argpartition=_partition(argsort),
    cumulative_sum=_array_api("sum", 0), cumulative_prod=_array_api("prod", 1),
)  # fmt: skip
"""The functions that this file traces."""
