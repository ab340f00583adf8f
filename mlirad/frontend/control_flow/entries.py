"""The elements of a list, flags that say which ones count, and the writes that change them.

out.append(v)      one more element, which counts
out.pop()          the last element that counts; the flags say that it counts no longer
out[0] = v         at each place v, if the first element that counts is there, else what was there

A write under a traced condition is made to a copy of the list in a branch; `grown.py` puts branches together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.control_flow.picks import are_numbers, picked
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.protocols.masked_places import place_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.operations import are_numbers_of_python, as_array, xp
from mlirad.frontend.tracing.raising import tracing_error


class Entries:
    """The elements `values`, those that do not count among them, each with a flag; or rows of an array."""

    __slots__ = ("_are_pythons", "_chosen", "_flags", "_mask", "_values")

    def __init__(
        self,
        values: Sequence[Any] | None,
        flags: Array | Sequence[Any],
        chosen: MaskedElements | None = None,
        *,
        are_pythons: bool | None = None,
    ):
        """Flags are a mask, or a list of what is `True` or traced. Elements `chosen` need no `values`."""
        self._values = None if values is None else list(values)
        self._mask = flags if isinstance(flags, Array) else None
        self._flags = None if isinstance(flags, Array) else list(flags)
        self._chosen, self._are_pythons = chosen, are_pythons

    # Nothing that is computed here is kept: a branch may ask, whose values do not exist outside of it.

    @property
    def values(self) -> list[Any]:
        """All elements, those that do not count among them."""
        if self._values is not None:
            return self._values
        assert self._chosen is not None
        return [self.combined(row) for row in self._chosen.elements]

    @property
    def flags(self) -> list[Any]:
        """For each element whether it counts: `True`, or traced."""
        if self._flags is not None:
            return self._flags
        assert self._mask is not None
        return [self._mask[k] for k in range(self._mask.shape[0])]

    @property
    def mask(self) -> Array:
        """The flags as an array."""
        if self._mask is not None:
            return self._mask
        flags = self.flags
        return xp.stack([as_array(flag) for flag in flags]) if flags else as_array(np.zeros(0, bool))

    @property
    def held(self) -> tuple[object, ...]:
        """The objects that it holds, others after each write."""
        return (self._mask, self._chosen, *(self._values or ()), *(self._flags or ()))

    @property
    def are_pythons(self) -> bool:
        """Return whether the elements are numbers of Python's."""
        if self._are_pythons is None:
            return self._values is not None and are_numbers_of_python(self._values)
        return self._are_pythons

    @property
    def size(self) -> int:
        """The number of elements, those that do not count among them."""
        return len(self._values) if self._values is not None else self.mask.shape[0]

    def row(self, k: Any) -> Any:
        """The element at a place among all of them."""
        if isinstance(k, int) and self._values is not None:
            return self._values[k]
        return picked(self.values, k) if self._chosen is None else self.combined(self._chosen.elements[k])

    def combined(self, found: Any) -> Any:
        """A number made of elements, such as their sum: one of Python's where they are such."""
        return made(found.value, weak=True) if self.are_pythons else found

    def has_numbers(self) -> bool:
        """Tell whether the elements are numbers, or arrays of one shape."""
        return self._chosen is not None or are_numbers(self.values)

    def chosen(self) -> MaskedElements:
        """The elements as NumPy has them: an array, of rows where they are tuples."""
        if self._chosen is not None:
            return self._chosen
        rows: list[Any] = self.values
        if not rows:
            return MaskedElements(as_array(np.zeros(0)), self.mask, 0)
        if all(type(row) in (tuple, list) and are_numbers(row) for row in rows):
            rows = [xp.stack([as_array(part) for part in row]) for row in rows]
        if not are_numbers(rows):
            raise tracing_error(
                "traced conditions decide which elements this list has, and these are not all numbers, or "
                "arrays of one shape",
                "go over it by a `for` loop or a comprehension, and compute a number of each element",
            )
        return MaskedElements(xp.stack([as_array(row) for row in rows]), self.mask, 0)

    def number(self) -> Any:
        """The number of elements that count."""
        if self._flags is not None and all(flag is True for flag in self._flags):
            return len(self._flags)
        return made(xp.count_nonzero(self.mask).value, weak=True)

    def place(self, position: Any) -> Any:
        """The place of an element among all of them, by its number among those that count."""
        known = self._known_place(position)
        return place_of(MaskedElements(self.mask, self.mask, 0), position) if known is None else known

    def _known_place(self, position: Any) -> int | None:
        """The same where no traced condition decides it."""
        if not isinstance(position, SupportsIndex) or isinstance(position, Array) or self._flags is None:
            return None
        k = int(position)
        passed = self._flags[: k + 1] if k >= 0 else self._flags[k:]
        is_known = len(passed) == (k + 1 if k >= 0 else -k) and all(flag is True for flag in passed)
        return None if not is_known else k if k >= 0 else len(self._flags) + k

    # Writes ----------------------------------------------------------------------------------------

    def become(self, other: Entries) -> None:
        """Have the elements of another list."""
        self._values = None if other._values is None else list(other._values)
        self._flags = None if other._flags is None else list(other._flags)
        self._mask, self._chosen, self._are_pythons = other._mask, other._chosen, other._are_pythons

    def _changing(self) -> tuple[list[Any], list[Any]]:
        """The elements and flags, which are about to be changed."""
        values, flags = self._values, self._flags = self.values, self.flags
        self._mask = self._chosen = self._are_pythons = None
        return values, flags

    def append(self, value: Any, /) -> None:
        """Add an element at the end."""
        self.add([(True, value)])

    def add(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Add elements with their flags at the end."""
        added = list(pairs)
        values, flags = self._changing()
        values += [value for _, value in added]
        flags += [flag for flag, _ in added]

    def clear(self) -> None:
        """Remove all elements."""
        values, flags = self._changing()
        values.clear()
        flags.clear()

    def reverse(self) -> None:
        """Put the elements in the opposite order."""
        values, flags = self._changing()
        values.reverse()
        flags.reverse()

    def insert(self, index: Any, value: Any, /) -> None:
        """Add an element before the one at a position."""
        place = 0 if isinstance(index, int) and index == 0 else self._known_place(index)
        if place is None:
            raise tracing_error(
                "traced conditions decide where in this list the element at this position is, and `insert` "
                "puts one before it",
                "insert at the front, out.insert(0, v), or append and sort",
            )
        values, flags = self._changing()
        values.insert(place, value)
        flags.insert(place, True)

    def pop(self, index: Any = -1, /) -> Any:
        """Remove an element that counts, and return it."""
        place = self.place(index)
        found = self.row(place)
        self._drop(place)
        return found

    def remove(self, value: Any, /) -> None:
        """Remove the first element that equals a value."""
        found = self.equal_to(value)
        raise_where(xp.logical_not(xp.any(found)), ValueError("list.remove(x): x not in list"))
        self._drop(xp.argmax(found))

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            if index != slice(None):
                _refuse_part()
            self.clear()
        else:
            self._drop(self.place(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            _refuse_part()
        self._write(self.place(index), lambda old: value)

    def _write(self, place: Any, change: Callable[[Any], Any]) -> None:
        values, _ = self._changing()
        if isinstance(place, int):
            values[place] = change(values[place])
        else:
            for k, old in enumerate(values):
                values[k] = picked([old, change(old)], xp.equal(place, k).astype(np.int64))

    def _drop(self, place: Any) -> None:
        """Have the element at a place count no longer."""
        values, flags = self._changing()
        if isinstance(place, int):
            del values[place], flags[place]
        else:
            flags[:] = [xp.logical_and(flag, xp.not_equal(place, k)) for k, flag in enumerate(flags)]

    def equal_to(self, value: Any) -> Array:
        """For all elements whether they count and equal a value."""
        if self.has_numbers() or not self.size:
            return xp.logical_and(self.mask, xp.equal(self.chosen().elements, value))
        return xp.logical_and(
            self.mask, xp.stack([as_array(own is value or own == value) for own in self.values])
        )


def _refuse_part() -> None:
    raise tracing_error(
        "traced conditions decide which elements this list has, and so which ones this part of it has",
        "write single elements, or make a new list by a comprehension",
    )
