"""The structural operations of the language on NumPy arrays, independent of how an op states them.

Positions are lists of integer arrays, one per indexed dimension, all in the shape of the space they range
over. Every position is clamped to its dimension; an array without elements along an indexed dimension reads
as 0 and drops what is written to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from mlirad.dialects.shapes import Shape, pad_shape

Array: TypeAlias = NDArray[Any]


def carried(x: Array) -> npt.DTypeLike:
    """The dtype in which elements are added or multiplied up: 64 bits for floats of 32."""
    return np.float64 if x.dtype == np.float32 else x.dtype


def broadcast(x: Array, dims: Sequence[int], shape: Shape) -> Array:
    """Dimension k of `x` becomes dimension `dims[k]` of an array of the given shape."""
    ordered = x.transpose(np.argsort(np.array(dims, np.int64)).tolist())
    aligned = ordered.reshape([e if d in dims else 1 for d, e in enumerate(shape)])
    return np.broadcast_to(aligned, shape)


def sliced(x: Array, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> Array:
    """The elements `start, start + stride, ...` below `limit` along each dimension."""
    return x[tuple(slice(*bounds) for bounds in zip(starts, limits, strides, strict=True))]


def padded(x: Array, value: Any, low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> Array:
    """`x` among copies of `value`."""
    result = np.full(pad_shape(x.shape, low, high, interior), value, x.dtype)
    places = [
        slice(lo, lo + max((e - 1) * (mid + 1) + 1, 0), mid + 1)
        for e, lo, mid in zip(x.shape, low, interior, strict=True)
    ]
    result[tuple(places)] = x
    return result


def read(x: Array, positions: Sequence[Array], space: Shape) -> Array:
    """`out[s..., rest...] = x[positions(s)..., rest...]` for s in `space`."""
    indexed, rest = x.shape[: len(positions)], x.shape[len(positions) :]
    if prod(indexed) == 0:
        return np.zeros((*space, *rest), x.dtype)
    rows = x.reshape((prod(indexed), *rest))
    return rows[_rows(positions, indexed, space)].reshape((*space, *rest))


def written(base: Array, positions: Sequence[Array], values: Array, space: Shape, kind: str) -> Array:
    """`base` with `values[s...]` added, or set, at `positions(s)` for s in `space`, in row-major order."""
    result = base.copy()
    indexed, rest = base.shape[: len(positions)], base.shape[len(positions) :]
    if prod(indexed) == 0:
        return result
    rows = result.reshape((prod(indexed), *rest))
    flat = values.reshape((prod(space), *rest))
    places = _rows(positions, indexed, space)
    if kind == "add":
        sums = rows.astype(carried(rows))
        np.add.at(sums, places, flat)
        rows[...] = sums
    else:
        for place, value in zip(places, flat, strict=True):
            rows[place] = value
    return result


def _rows(positions: Sequence[Array], indexed: Shape, space: Shape) -> Array:
    """The row-major number of the clamped position at every point of the space, flat."""
    number = np.zeros(prod(space), np.int64)
    for position, extent in zip(positions, indexed, strict=True):
        number = number * extent + np.clip(position, 0, extent - 1).reshape(prod(space))
    return number


def _extremum(
    function: Callable[..., Array], of_floats: float, of_integers: Callable[[Any], int]
) -> Callable[[Array, Shape], Array]:
    def reduce(x: Array, dims: Shape) -> Array:
        identity = of_floats if x.dtype.kind == "f" else of_integers(np.iinfo(x.dtype))
        return function(x, axis=dims, initial=x.dtype.type(identity))

    return reduce


REDUCTIONS: dict[str, Callable[[Array, Shape], Array]] = {
    "add": lambda x, dims: np.sum(x, axis=dims, dtype=carried(x)).astype(x.dtype),
    "max": _extremum(np.max, -np.inf, lambda info: info.min),
    "min": _extremum(np.min, np.inf, lambda info: info.max),
    "prod": lambda x, dims: np.prod(x, axis=dims, dtype=carried(x)).astype(x.dtype),
    "and": lambda x, dims: np.bitwise_and.reduce(x, axis=dims),
    "or": lambda x, dims: np.bitwise_or.reduce(x, axis=dims),
}
"""Reductions over dimensions, by kind; an empty range gives the identity."""


def argument_reduction(kind: str, x: Array, dim: int) -> Array:
    """The position of the first extremum along `dim` (`kind` is argmax or argmin); 0 along an empty one."""
    if x.shape[dim] == 0:
        return np.zeros((*x.shape[:dim], *x.shape[dim + 1 :]), np.int64)
    return (np.argmax if kind == "argmax" else np.argmin)(x, axis=dim)


PREFIXES: dict[str, Callable[[Array, int], Array]] = {
    "sum": lambda x, dim: np.cumsum(x, axis=dim, dtype=carried(x)).astype(x.dtype),
    "prod": lambda x, dim: np.cumprod(x, axis=dim, dtype=carried(x)).astype(x.dtype),
    "max": lambda x, dim: np.maximum.accumulate(x, axis=dim),
    "min": lambda x, dim: np.minimum.accumulate(x, axis=dim),
}
"""Inclusive prefix reductions along a dimension, by kind."""


def cumulative(kind: str, x: Array, dim: int, backwards: bool) -> Array:
    """The prefix reduction along `dim`, from its end if `backwards`."""
    return np.flip(PREFIXES[kind](np.flip(x, dim), dim), dim) if backwards else PREFIXES[kind](x, dim)


def contraction(lhs: Array, rhs: Array, batch: Sequence[Shape], contract: Sequence[Shape]) -> Array:
    """`array.dot`; `batch` and `contract` hold the left and the right dimensions."""
    left, right, out = contraction_labels(lhs.ndim, rhs.ndim, batch, contract)
    # If one factor is a view that repeats an element, einsum sums the other factor and multiplies once:
    # with infinities that is another value than the sum of the products. It does not do so for copies.
    one, other = (np.asarray(x, carried(x), order="C") for x in (lhs, rhs))
    return np.einsum(one, left, other, right, out).astype(lhs.dtype)


def contraction_labels(
    left_rank: int, right_rank: int, batch: Sequence[Shape], contract: Sequence[Shape]
) -> tuple[list[int], list[int], list[int]]:
    """A label per dimension of the left operand, the right one and the result; paired ones share theirs."""
    left, right = list(range(left_rank)), list(range(left_rank, left_rank + right_rank))
    for a, b in zip((*batch[0], *contract[0]), (*batch[1], *contract[1]), strict=True):
        right[b] = left[a]
    paired = {left[d] for d in (*batch[0], *contract[0])}
    free = [label for label in (*left, *right) if label not in paired]
    return left, right, [*(left[d] for d in batch[0]), *free]
