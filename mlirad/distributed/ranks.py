"""The elements that sorting would put at some places, found exactly by counting: rounds that repeat.

    search = RankSearch(ranks, dtype)              ranks of shape (k, *rest): place k of every column
    while not search.is_done:
        search.take(*round(search.pivots))         counts, next above, next below and numbers, over all chunks
    search.values                                  of the shape of the ranks

A chunk counts how many of its elements are less than each of `PIVOTS` pivots, and finds the least element
that is not, and the largest that is. An element is known once all but it are counted on one side, or both
sides are the same. Pivots lie evenly between the elements next to the bounds, and one evenly among the
numbers that the type has, so that a round halves those that are left whatever the data are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.distributed.combinations import Partials
from mlirad.distributed.plan import PIVOTS, Stage

Array = npt.NDArray[Any]

_SCALES: Final = (0.1, 1.0, 10.0, 100.0, 1e6, 1e15)
"""The first pivots, with both signs, between 0 and the bounds of the type."""


def searched(stage: Stage, ranks: Sequence[Array], run: Callable[[Mapping[int, Any]], Partials]) -> Partials:
    """The partials of a stage, by as many rounds as it takes to find the elements of its ranks.

    A round takes pivots, by number, and has the partials of the stage.
    """
    if stage.ranks is None:
        return run({})
    firsts = [c.numbers[0] for c in stage.combinations if c.kind == "ranks"]
    searches = {
        first: RankSearch(np.asarray(r), np.dtype(dtype))
        for first, r, dtype in zip(firsts, ranks, stage.ranks.dtypes, strict=True)
    }
    while True:
        found = list(run({-1 - first: search.pivots for first, search in searches.items()}))
        for first, search in searches.items():
            at = stage.partials.index(first)
            if not search.is_done:
                search.take(*found[at : at + 4])
            found[at] = search.values
        if all(search.is_done for search in searches.values()):
            return found


class RankSearch:
    """The search for the elements of some ranks in each of some columns; NaN comes behind all numbers."""

    def __init__(self, ranks: Array, dtype: np.dtype[Any]):
        self._shape = ranks.shape
        self._rest = ranks.shape[1:]
        self._ranks = ranks.reshape(ranks.shape[0], -1).astype(np.int64)
        self._dtype = dtype
        self._is_float = dtype.kind == "f"
        shape = self._ranks.shape
        low, high = _bounds(dtype)
        self._low = np.full(shape, low, dtype)
        """The least element that may be the one."""
        self._high = np.full(shape, high, dtype)
        """The largest one."""
        self._before = np.zeros(shape, np.int64)
        """The number of elements that are less than all that may be the one."""
        self._through = np.full(shape, np.iinfo(np.int64).max)
        """The number of elements that are not larger than all that may be the one."""
        self._found = np.zeros(shape, bool)
        self._values = np.zeros(shape, dtype)
        self._round = 0
        self.pivots = self._first_pivots(low, high)

    @property
    def is_done(self) -> bool:
        """True when all elements are known."""
        return bool(np.all(self._found))

    @property
    def values(self) -> Array:
        """The elements."""
        return self._values.reshape(self._shape)

    def take(self, counts: Any, above: Any, below: Any, numbers: Any) -> None:
        """Narrow the search by what chunks have found together for the pivots."""
        columns = self._ranks.shape[1]
        shape = (PIVOTS, columns)
        pivots = self.pivots.reshape(shape)
        counts, above, below = (np.asarray(v).reshape(shape) for v in (counts, above, below))
        numbers = np.broadcast_to(np.asarray(numbers).reshape(-1), (columns,))
        with np.errstate(invalid="ignore"):
            for pivot, count, up, down in zip(pivots, counts, above, below, strict=True):
                is_low = (count <= self._ranks) & (pivot >= self._low)
                self._before = np.where(is_low, count, self._before)
                self._low = np.where(is_low, up, self._low)
                is_high = (count > self._ranks) & (down <= self._high)
                self._through = np.where(is_high, count, self._through)
                self._high = np.where(is_high, down, self._high)
        self._settle(~self._found & (self._ranks >= numbers), np.full_like(self._values, self._last()))
        self._settle(~self._found & ((self._before == self._ranks) | (self._low == self._high)), self._low)
        self._settle(~self._found & (self._through - 1 == self._ranks), self._high)
        self._round += 1
        if not self.is_done:
            self.pivots = self._next_pivots()

    def _settle(self, where: Array, values: Array) -> None:
        self._values = np.where(where, values + self._dtype.type(0), self._values)  # 0, not -0
        self._found |= where

    def _last(self) -> Any:
        """The element behind all numbers."""
        return np.nan if self._is_float else 0

    def _first_pivots(self, low: Any, high: Any) -> Array:
        top = float(high) if not self._is_float else float(np.finfo(self._dtype).max)
        scales = [s for s in _SCALES if s < top]
        numbers = sorted({float(n) for s in scales for n in (s, -s)} | {0.0})
        if not self._is_float:
            numbers = sorted({round(n) for n in numbers})
        spare = PIVOTS - 2 - len(numbers)
        chosen = np.array([low, *([low] * spare), *numbers, high], self._dtype)
        return np.repeat(chosen[:, None], self._ranks.shape[1], axis=1).reshape(PIVOTS, *self._rest)

    def _next_pivots(self) -> Array:
        made = np.empty((PIVOTS, self._ranks.shape[1]), self._dtype)
        for column in range(made.shape[1]):
            left = ~self._found[:, column]
            pairs = zip(self._low[left, column], self._high[left, column], strict=True)
            brackets = list(dict.fromkeys(pairs))[:PIVOTS] or [(self._low[0, column], self._high[0, column])]
            count, more = divmod(PIVOTS, len(brackets))
            parts = [self._between(low, high, count + (k < more)) for k, (low, high) in enumerate(brackets)]
            made[:, column] = np.concatenate(parts)
        return made.reshape(PIVOTS, *self._rest)

    def _between(self, low: Any, high: Any, count: int) -> Array:
        """Numbers above one and up to another, in ascending order; of a single number it, again and again."""
        if not low < high:
            return np.full(count, high, self._dtype)
        first, last = _key(low), _key(high)
        middle = first + (last - first + 1) // 2
        is_even = count == 1 and self._round % 2 == 0
        keys = [] if is_even else [middle]
        evenly = count - len(keys)
        for k in range(1, evenly + 1):
            share = k / (evenly + 1)
            number = float(low) * (1 - share) + float(high) * share
            key = _key(self._dtype.type(number)) if np.isfinite(number) else middle
            keys.append(min(max(key, first + 1), last))
        return np.array([_of_key(k, self._dtype) for k in sorted(keys)], self._dtype)


def _bounds(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if dtype.kind == "f":
        return -np.inf, np.inf
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def _key(number: Any) -> int:
    """The place of a number among those of its type."""
    if number.dtype.kind != "f":
        return int(number)
    width = 8 * number.dtype.itemsize
    bits = int((number + number.dtype.type(0)).view(f"i{width // 8}"))
    return bits if bits >= 0 else -(bits + (1 << (width - 1)))


def _of_key(key: int, dtype: np.dtype[Any]) -> Any:
    if dtype.kind != "f":
        return dtype.type(key)
    width = 8 * dtype.itemsize
    bits = key if key >= 0 else -key - (1 << (width - 1))
    return np.array(bits, f"i{width // 8}").view(dtype)[()]
