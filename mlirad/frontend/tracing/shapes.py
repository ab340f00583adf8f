"""Axes as NumPy counts them: negative ones from the end, `None` for all."""

from __future__ import annotations

from operator import index
from typing import Any, cast

from mlirad.dialects.extents import Extent, is_static
from mlirad.dialects.shapes import Shape
from mlirad.frontend.tracing.argument_kinds import MACHINE_INTEGERS
from mlirad.frontend.tracing.array import Array, checked_rank
from mlirad.frontend.tracing.raising import shape_error


def listed(axis: int | tuple[int, ...]) -> list[int]:
    """One axis or several, as a list."""
    return list(axis) if isinstance(axis, tuple | list) else [axis]


def one_axis(axis: Any, rank: int) -> int:
    """An axis as a dimension of an array of the given rank; raises `ShapeError` for one it lacks."""
    number = index(axis)
    if not -rank <= number < rank:
        raise shape_error(
            f"axis {number} is not one of an array of rank {rank}",
            f"its axes are {-rank} to {rank - 1}" if rank else "a scalar has no axes",
        )
    return number % rank


def all_axes(axis: int | tuple[int, ...] | None, rank: int) -> list[int]:
    """One axis, several, or (`None`) all, as sorted dimensions."""
    if axis is None:
        return list(range(rank))
    if not rank and axis in (0, -1):  # as NumPy has it for scalars
        return []
    return sorted(distinct_axes(axis, rank))


def strict_axes(axis: int | tuple[int, ...] | None, rank: int) -> list[int]:
    """As `all_axes`, of functions that allow no axis of a scalar."""
    return list(range(rank)) if axis is None else sorted(distinct_axes(axis, rank))


def distinct_axes(axis: int | tuple[int, ...], rank: int) -> list[int]:
    """One axis or several, none of them twice, as dimensions in their order."""
    axes = [one_axis(a, rank) for a in listed(axis)]
    if len(set(axes)) != len(axes):
        raise shape_error(f"axis {axis} names a dimension twice", "name each dimension once")
    return axes


def static_shape(shape: Any) -> Shape:
    """A shape given as an integer or a sequence of them."""
    if isinstance(shape, Extent):
        return (cast(int, shape),)
    if isinstance(shape, Array) or _holds_array(shape):
        return (index(shape if isinstance(shape, Array) else next(s for s in shape if isinstance(s, Array))),)
    try:
        return checked_extents((index(shape),))
    except TypeError:
        pass
    try:
        return checked_extents(
            tuple(cast(int, extent) if isinstance(extent, Extent) else index(extent) for extent in shape)
        )
    except TypeError as error:
        raise shape_error(
            f"a shape is made of integers, got {shape!r}", "write an integer or a tuple of integers"
        ) from error


def _holds_array(shape: object) -> bool:
    return isinstance(shape, list | tuple) and any(
        isinstance(extent, Array) for extent in cast("list[object]", shape)
    )


def checked_extents(shape: Shape) -> Shape:
    """A shape with as many dimensions as NumPy's arrays can have, of extents that fit a machine word."""
    for extent in shape:
        if is_static(extent) and abs(extent) >= MACHINE_INTEGERS:
            raise shape_error(
                f"there are no arrays of {extent} elements along a dimension", "sizes go from 0 to 2**63 - 1"
            )
    return checked_rank(shape)
