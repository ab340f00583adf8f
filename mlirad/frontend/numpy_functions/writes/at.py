"""`x.at[key]`, copies of an array with some elements changed, and `x.flat`, its elements in one dimension.

x.at[i].set(v)     x with v at i                x.at[i].add(v)     x with v added there
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from mlirad.frontend.indexing.views import as_reshaped_view
from mlirad.frontend.numpy_functions.writes.writes import updated, write
from mlirad.frontend.tracing.array import Array, copied
from mlirad.frontend.tracing.operations import xp


class At:
    """`x.at`: waits for positions."""

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    def __getitem__(self, key: Any) -> ElementsAt:
        return ElementsAt(self._array, key)


class ElementsAt:
    """`x.at[key]`: waits for what to do there. Positions outside the array write nothing."""

    __slots__ = ("_array", "_key")

    def __init__(self, array: Array, key: Any):
        self._array = array
        self._key = key

    def set(self, values: Any) -> Array:
        """`x` with `values` at the positions; of colliding ones the last in row-major order wins."""
        return updated(self._array, self._key, values, "set")

    def add(self, values: Any) -> Array:
        """`x` with `values` added at the positions; colliding ones add up."""
        return updated(self._array, self._key, values, "add")

    def subtract(self, values: Any) -> Array:
        """`x` with `values` subtracted at the positions."""
        return updated(self._array, self._key, values, "subtract")

    def multiply(self, values: Any) -> Array:
        """`x` with the elements at the positions multiplied by `values`; colliding ones by all."""
        return updated(self._array, self._key, values, "multiply")

    def get(self) -> Array:
        """A copy of `x[key]`."""
        return copied(self._array[self._key])


class Flat:
    """`x.flat`: the elements of an array one after the other, in row-major order."""

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    def __len__(self) -> int:
        return self._array.size

    def __getitem__(self, key: Any) -> Array:
        return copied(self._elements()[key])

    def __setitem__(self, key: Any, values: Any) -> None:
        elements = self._elements()
        place, given = elements[key], xp.ravel(values)
        if given.size not in (1, place.size) and given.size:  # NumPy repeats what is too short
            given = xp.take(given, np.arange(place.size) % given.size)
        write(elements, key, xp.reshape(given, () if given.size == 1 else place.shape))

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))

    def copy(self) -> Array:
        """The elements in one dimension."""
        return copied(self._elements())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self._array.__array__(dtype, copy)

    def _elements(self) -> Array:
        return as_reshaped_view(self._array, (self._array.size,))
