"""Keys: what stands in the brackets of `x[...]`, read by NumPy's rules.

    select_key((3, 4), (i, slice(None, None, -1)))
        -->  Selection(terms=[i, Strided(3, -1, 4)], view=[1])

A key becomes a `Selection`: for every dimension of the array a slice, or a position that is static, a traced
scalar, or an element of an array of positions; and where in the result these go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from operator import index
from types import EllipsisType
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.extents import Extent, is_static
from mlirad.dialects.shapes import Shape
from mlirad.frontend.tracing.array import Array, known_bound
from mlirad.frontend.tracing.dtypes import BOOL, I64, plain_array
from mlirad.frontend.tracing.expected_errors import OF_POSITIONS, require_unexpected
from mlirad.frontend.tracing.operations import (
    as_array,
    broadcast_shapes,
    contains_traced,
    converted,
    stacked,
)
from mlirad.frontend.tracing.raising import position_error, tracing_error
from mlirad.lazy_dataclass import dataclass

Positions: TypeAlias = Array | npt.NDArray[Any]


@dataclass(frozen=True)
class Strided:
    """The elements start, start + step, ... of a dimension, `count` of them; the step may be negative."""

    start: int
    step: int
    count: int

    def is_all(self, extent: int) -> bool:
        """Return whether that is the whole dimension, in order."""
        return self.start == 0 and self.step == 1 and self.count == extent


Term: TypeAlias = Strided | int | Positions


@dataclass
class Selection:
    """A key on an array of the given shape.

    `terms` has one entry per dimension. `view` describes the result: a dimension of the array that is
    sliced, `None` for a new dimension, or `...` where the dimensions `space` of the arrays of positions go.
    """

    shape: Shape
    terms: list[Term] = field(default_factory=list[Term])
    view: list[int | EllipsisType | None] = field(default_factory=list[int | EllipsisType | None])
    space: Shape = ()

    copies: bool = False
    """True if NumPy copies although the key is basic, as it does for positions that are arrays of rank 0."""

    @property
    def is_basic(self) -> bool:
        """Return whether NumPy gives a view: no arrays of positions."""
        return not self.copies and ... not in self.view

    @property
    def is_whole(self) -> bool:
        """Return whether it is all of the array, as it is."""
        return self.view == list(range(len(self.shape))) and all(
            isinstance(t, Strided) and t.is_all(e) for t, e in zip(self.terms, self.shape, strict=True)
        )

    @property
    def is_leading(self) -> bool:
        """Return whether the dimensions of the arrays of positions come first in memory as well as in the
        result.
        """
        return ... not in self.view or self.view[0] is ...

    @property
    def result_shape(self) -> Shape:
        """The shape that reading has and writing expects."""
        shape: list[int] = []
        for part in self.view:
            if part is None:
                shape.append(1)
            elif isinstance(part, EllipsisType):
                shape += self.space
            else:
                shape.append(cast(Strided, self.terms[part]).count)
        return tuple(shape)


def items_of(key: Any) -> tuple[Any, ...]:
    """Return what stands in the brackets, separated by commas."""
    return cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)


def select_key(shape: Shape, key: Any) -> Selection:
    """Read a key; raises `PositionError`, `TracingError` or `UnsupportedError` for one that is wrong."""
    given = items_of(key)
    items = _expand_ellipsis([_item(k) for k in given], shape)
    is_advanced = any(isinstance(k, Array | np.ndarray) and k.ndim for k in items)
    selection = Selection(shape, copies=any(isinstance(k, np.ndarray) for k in given))
    advanced_at: list[int] = []
    for place, item in enumerate(items):
        dim = len(selection.terms)
        if item is ...:
            continue
        if item is None:
            selection.view.append(None)
            continue
        if isinstance(item, slice):
            selection.terms.append(_strided(cast(Any, item), shape[dim]))
            selection.view.append(dim)
            continue
        if isinstance(item, int | Extent):
            selection.terms.append(_static_position(cast(int, item), shape[dim]))
        elif isinstance(item, np.ndarray):
            selection.terms.append(_static_positions(cast(Any, item), shape[dim], dim))
        else:
            selection.terms.append(item)
        if is_advanced:
            if not advanced_at:
                selection.view.append(...)
            advanced_at.append(place)
    if is_advanced and advanced_at[-1] - advanced_at[0] != len(advanced_at) - 1:
        selection.view.remove(...)
        selection.view.insert(0, ...)
    if is_advanced:
        shapes = [t.shape for t in selection.terms if isinstance(t, Array | np.ndarray)]
        selection.space = broadcast_shapes(shapes, "positions")
    return selection


def _item(item: Any) -> Any:
    """One entry of a key: None, ..., a slice, an int, an array of integers (or a mask), or a traced one."""
    if item is None or item is ... or type(item) is int or isinstance(item, Extent):
        return item
    if isinstance(item, slice):
        return cast(Any, item)
    if isinstance(item, Array):
        return _traced_item(item)
    if isinstance(item, list | tuple) and contains_traced(cast(object, item)):
        return _traced_item(stacked(cast("Sequence[Any]", item)))
    if isinstance(item, np.integer):
        return int(cast(Any, item))
    is_empty = isinstance(item, list) and not item
    array = np.zeros(0, np.int64) if is_empty else plain_array(cast(object, item))
    if array.dtype.kind not in "ib":
        raise position_error(
            f"positions must be integers, slices, `...`, None or arrays of integers, got {item!r}",
            "convert floats: x.astype(np.int64)",
        )
    return int(array) if array.ndim == 0 and array.dtype.kind == "i" else array


def _traced_item(item: Array) -> Array:
    if item.dtype == BOOL:
        raise tracing_error(
            "a traced mask chooses elements whose number is not known while tracing",
            "write np.where(mask, x, other) to keep the shape",
        )
    if item.dtype.kind != "i":
        raise position_error(f"positions must be integers, got {item!r}", "convert them: x.astype(np.int64)")
    require_unexpected(
        OF_POSITIONS,
        "a traced position outside of the array",
        "test it before: a[k] if k < len(a) else other",
    )
    return converted(item, I64)


def _expand_ellipsis(items: list[Any], shape: Shape) -> list[Any]:
    """The key with one entry per dimension (and per new dimension), masks as arrays of positions."""
    masks = [k for k in items if _is_mask(k)]
    used = sum(1 for k in items if k is not None and k is not ...) + sum(m.ndim - 1 for m in masks)
    if used > len(shape):
        raise position_error(
            f"{used} positions for an array of rank {len(shape)}",
            "give at most one position or slice for each dimension",
        )
    dots = [k for k, item in enumerate(items) if item is ...]
    if len(dots) > 1:
        raise position_error("a key can have only one `...`", "write : for each of the other dimensions")
    at = dots[0] if dots else len(items)
    # `...` stays as a mark: NumPy takes positions around it as separated, even where it stands for nothing
    filled: list[Any] = [*items[: at + 1], *[slice(None)] * (len(shape) - used), *items[at + 1 :]]
    result: list[Any] = []
    dim = 0
    for item in filled:
        if _is_mask(item):
            mask = cast("npt.NDArray[Any]", item)
            covered = shape[dim : dim + mask.ndim]
            if mask.shape != covered:
                raise position_error(
                    f"a mask of shape {mask.shape} on dimensions of shape {covered}",
                    "a mask has the extents of the dimensions that it chooses from",
                )
            result += mask.nonzero()
            dim += mask.ndim
        else:
            result.append(item)
            dim += item is not None and item is not ...
    return result


def _is_mask(item: Any) -> bool:
    return isinstance(item, np.ndarray) and cast(Any, item).dtype == BOOL


def _strided(item: slice, extent: int) -> Strided:
    item = slice(*map(known_bound, (item.start, item.stop, item.step)))
    if any(isinstance(bound, Array) for bound in (item.start, item.stop, item.step)):
        raise tracing_error(
            "the bounds of a slice must be static, because they give the shape of the result",
            "write x[i + np.arange(n)] for x[i : i + n]",
        )
    if not all(map(is_static, (extent, *(b for b in (item.start, item.stop) if b is not None)))):
        return _strided_by_extents(item, extent)
    start, stop, step = item.indices(extent)
    return Strided(start, step, len(range(start, stop, step)))


def _strided_by_extents(item: slice, extent: int) -> Strided:
    """The same of bounds and extents with sizes in them, whose order is known for all sizes."""
    step = 1 if item.step is None else index(item.step)
    if step == 0:
        raise position_error("the step of a slice is 0", "write a step of 1 or more, or of -1 or less")
    # Positions are clamped as Python does it: steps backwards begin and end one before.
    shift = 0 if step > 0 else 1

    def bound(given: Any, otherwise: int) -> int:
        if given is None:
            return otherwise
        position = cast(int, given) if isinstance(given, Extent) else index(given)
        if position < 0:
            position = position + extent
        return min(max(position, -shift), extent - shift)

    start = bound(item.start, 0 if step > 0 else extent - 1)
    stop = bound(item.stop, extent if step > 0 else -1)
    distance = stop - start if step > 0 else start - stop
    return Strided(start, step, (distance + abs(step) - 1) // abs(step) if distance >= 0 else 0)


def _static_position(position: int, extent: int) -> int:
    if not (is_static(position) and is_static(extent)):
        found = position + extent if position < 0 else position
        if not (found >= 0 and found < extent):
            raise position_error(
                f"position {position} lies outside a dimension of extent {extent}",
                "test the size before, or write np.take(x, i, mode='clip')",
            )
        return found
    if not -extent <= position < extent:
        raise position_error(
            f"position {position} lies outside a dimension of extent {extent}",
            f"positions go from 0 to {extent - 1}, or from -{extent} to -1"
            if extent
            else "there are no elements",
        )
    return position % extent


def _static_positions(positions: npt.NDArray[Any], extent: int, dim: int) -> Positions:
    if not is_static(extent):
        return _positions_by_extent(positions, extent, dim)
    wrong = positions[(positions < -extent) | (positions >= extent)]
    if wrong.size:
        raise position_error(
            f"position {wrong.flat[0]} lies outside dimension {dim} of extent {extent}",
            f"positions go from 0 to {extent - 1}, or from -{extent} to -1"
            if extent
            else "there are no elements",
        )
    return np.where(positions < 0, positions + extent, positions).astype(np.int64)


def _positions_by_extent(positions: npt.NDArray[Any], extent: int, dim: int) -> Positions:
    """The same in a dimension of an extent with sizes: those from the end are computed of it."""
    if positions.size:
        least, largest = int(positions.min()), int(positions.max())
        if not (largest < extent and -least <= extent):
            raise position_error(
                f"positions lie outside dimension {dim} of extent {extent}",
                "test the size before, or write np.take(x, i, mode='clip')",
            )
        if least < 0:
            return converted(as_array(np.where(positions < 0, 1, 0)) * as_array(extent) + positions, I64)
    return positions.astype(np.int64)
