"""`x.at[key]`: copies of an array with some elements changed.

x.at[i].set(v)     x with v at i                x.at[i].add(v)     x with v added there
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlirad.frontend.tracing.handlers import handlers

if TYPE_CHECKING:
    from mlirad.frontend.tracing.array import Array


class At:
    """`x.at`: waits for positions."""

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    def __getitem__(self, key: Any) -> Place:
        return Place(self._array, key)


class Place:
    """`x.at[key]`: waits for what to do there. Positions outside the array write nothing."""

    __slots__ = ("_array", "_key")

    def __init__(self, array: Array, key: Any):
        self._array = array
        self._key = key

    def set(self, values: Any) -> Array:
        """`x` with `values` at the positions; of colliding ones the last in row-major order wins."""
        return handlers.updated(self._array, self._key, values, "set")

    def add(self, values: Any) -> Array:
        """`x` with `values` added at the positions; colliding ones add up."""
        return handlers.updated(self._array, self._key, values, "add")

    def subtract(self, values: Any) -> Array:
        """`x` with `values` subtracted at the positions."""
        return handlers.updated(self._array, self._key, values, "subtract")

    def multiply(self, values: Any) -> Array:
        """`x` with the elements at the positions multiplied by `values`; colliding ones by all."""
        return handlers.updated(self._array, self._key, values, "multiply")

    def get(self) -> Array:
        """A copy of `x[key]`."""
        return handlers.copy(self._array[self._key])
