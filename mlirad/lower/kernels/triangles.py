"""Parts of an array or of a loop nest that are bounded by differences of indices.

    {(0, 1): 0}                 the indices with i0 <= i1: an upper triangle and its diagonal
    {(0, 1): 1, (1, 0): 1}      those with |i0 - i1| <= 1: three diagonals
    {}                          all indices
    None                        none

`(x, y): c` says that index x is at most index y + c. A union is described by the bounds that hold in all of
its parts, so it may describe more than there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

Part: TypeAlias = Mapping[tuple[int, int], int] | None
"""Indices within bounds; None without indices."""

EVERYTHING: Part = {}

MOST_DIMENSIONS = 8
"""Masks of more dimensions are not looked into."""


def union(a: Part, b: Part) -> Part:
    """A part that has the indices of both."""
    if a is None or b is None:
        return b if a is None else a
    return {pair: max(bound, b[pair]) for pair, bound in a.items() if pair in b}


def common(a: Part, b: Part) -> Part:
    """The indices that are in both."""
    if a is None or b is None:
        return None
    return {pair: min(x for x in (a.get(pair), b.get(pair)) if x is not None) for pair in {**a, **b}}


def moved(part: Part, places: Mapping[int, list[tuple[int, int]]]) -> Part:
    """Return what a part becomes where index x stands in other places: as index d, with an offset added.

    `places` has the pairs (d, offset) of each x. Bounds of indices that stand nowhere are lost.
    """
    if part is None:
        return None
    return {
        (d, e): bound + first - second
        for (x, y), bound in part.items()
        for d, first in places.get(x, ())
        for e, second in places.get(y, ())
    }


def shifted(part: Part, by: int) -> Part:
    """The same of an array with more dimensions in front, or fewer, with which bounds are lost."""
    if part is None:
        return None
    return {(x + by, y + by): bound for (x, y), bound in part.items() if min(x, y) + by >= 0}


def of_mask(mask: Any) -> Part:
    """The least part that has all indices at which a mask holds."""
    if mask.ndim > MOST_DIMENSIONS:
        return EVERYTHING
    indices = np.nonzero(mask)
    if mask.ndim and not indices[0].size:
        return None
    return {
        (x, y): int(np.max(indices[x] - indices[y]))
        for x in range(mask.ndim)
        for y in range(mask.ndim)
        if x != y
    }
