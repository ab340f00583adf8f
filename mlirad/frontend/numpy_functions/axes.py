"""Axes as NumPy counts them: negative ones from the end, `None` for all."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any, cast

from mlirad.errors import ShapeError
from mlirad.frontend.source import user_line


def listed(axis: Any) -> list[Any]:
    """One axis or several, as a list."""
    return list(cast("Iterable[Any]", axis)) if isinstance(axis, tuple | list) else [axis]


def one_axis(axis: Any, rank: int) -> int:
    """An axis as a dimension of an array of the given rank; raises `ShapeError` for one it lacks."""
    number = index(axis)
    if not -rank <= number < rank:
        raise ShapeError(f"axis {number} is not one of an array of rank {rank}", location=user_line())
    return number % rank


def all_axes(axis: Any, rank: int) -> list[int]:
    """One axis, several, or (`None`) all, as sorted dimensions."""
    if axis is None:
        return list(range(rank))
    axes = [one_axis(a, rank) for a in listed(axis)]
    if len(set(axes)) != len(axes):
        raise ShapeError(f"axis {axis} names a dimension twice", location=user_line())
    return sorted(axes)
