"""Relations between small integers as sorted pairs of arrays: what patterns are made of.

    relation([1, 0, 1], [5, 0, 5])      rows [0, 1], offsets [0, 5]

All of it is vectorised: a step costs a few passes over the pairs, and a sort where they are not in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlirad.lazy_dataclass import dataclass

Ints: TypeAlias = NDArray[np.int64]

NO_INTS: Ints = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Relation:
    """Pairs (row, offset), each once, by row and then by offset."""

    rows: Ints
    offsets: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def digest(self) -> bytes:
        """Equal relations have equal digests."""
        return _hash(self.rows) + _hash(self.offsets)

    def shifted(self, by: int) -> Relation:
        """With `by` added to each offset."""
        return self if not by else Relation(self.rows, self.offsets + by)

    @cached_property
    def lowest(self) -> int:
        """The smallest offset; 0 if there are no pairs."""
        return int(self.offsets.min()) if len(self.offsets) else 0

    def is_function_on(self, extent: int) -> bool:
        """Return whether each of the rows 0, ..., extent - 1 has exactly one offset."""
        return len(self.rows) == extent and _increases(self.rows)


def _hash(array: Ints) -> bytes:
    return blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()


def _increases(array: Ints) -> bool:
    return bool((array[1:] > array[:-1]).all())


def relation(rows: Ints, offsets: Ints) -> Relation:
    """The relation of the given pairs, in any order and with repetitions; offsets are not negative."""
    if not len(rows) or _increases(rows):
        return Relation(rows, offsets)
    bits = int(offsets.max()).bit_length()
    return from_keys((rows << bits) | offsets, bits)


def from_keys(keys: Ints, bits: int) -> Relation:
    """The relation of pairs given as numbers; their last `bits` are the offset."""
    keys = distinct(keys)
    return Relation(keys >> bits, keys & ((1 << bits) - 1))


def distinct(keys: Ints) -> Ints:
    """The different numbers, in increasing order."""
    if len(keys) < 2 or _increases(keys):
        return keys
    ordered = np.sort(keys)
    is_first = np.empty(len(ordered), bool)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered if is_first.all() else ordered[is_first]


def concatenated(relations: Sequence[Relation]) -> tuple[Ints, Ints]:
    """The rows and the offsets of some relations, one after the other."""
    return np.concatenate([r.rows for r in relations]), np.concatenate([r.offsets for r in relations])


def united(relations: Sequence[Relation]) -> Relation:
    """All pairs of some relations."""
    return relations[0] if len(relations) == 1 else relation(*concatenated(relations))


def product(left: Relation, right: Relation, extent: int) -> Relation:
    """Pairs (l * extent + r, offset of l + offset of r): rows of a product, whose right part has `extent`.

    They may be out of order and repeated.
    """
    if len(right) == 1 and not right.rows[0]:
        return Relation(left.rows * extent if extent != 1 else left.rows, left.offsets + right.offsets[0])
    rows = left.rows[:, None] * extent + right.rows
    return Relation(rows.ravel(), (left.offsets[:, None] + right.offsets).ravel())


def matches(keys: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """All pairs (k, j) with keys[j] == wanted[k], as two arrays ordered by k; `keys` are sorted."""
    first = np.searchsorted(keys, wanted, "left")
    count = np.searchsorted(keys, wanted, "right") - first
    which = np.repeat(np.arange(len(wanted)), count)
    starts = np.cumsum(count) - count
    return which, np.arange(len(which)) + np.repeat(first - starts, count)


def composed(outer: Relation, inner: Relation) -> Relation:
    """Pairs (row of outer, offset of inner), where an offset of outer is a row of inner."""
    which, found = matches(inner.rows, outer.offsets)
    return relation(outer.rows[which], inner.offsets[found])


def rearranged(flat: Ints, extents: Sequence[int], order: Sequence[int]) -> Ints:
    """Positions in an array of the given extents as positions in one with the dimensions `order` of it."""
    if list(order) == list(range(len(extents))):
        return flat
    result: Any = 0
    for d in order:
        below = prod(extents[d + 1 :])
        index = flat // below if below != 1 else flat
        result = result * extents[d] + (index % extents[d] if d else index)
    return np.zeros(len(flat), np.int64) if isinstance(result, int) else result
