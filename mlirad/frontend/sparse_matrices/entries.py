"""Entries of a matrix: where they stand, which is known, and their values, which are traced.

    Entries(rows, columns, values, shape).times(x)      y[i] = sum of values[k] x[columns[k]], i = rows[k]

Duplicates add. Results of arithmetic have entries wherever those of the operands demand one, also of value 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.lazy_dataclass import dataclass

Places: TypeAlias = "npt.NDArray[np.intp]"


def added(places: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape with values added at places of the first dimensions."""
    if isinstance(values, ComplexArray):
        return added(places, values.real, shape) + 1j * added(places, values.imag, shape)
    found: Any = as_array(np.zeros(shape, values.dtype))
    xp.add.at(found, places, values)
    return found


@dataclass(frozen=True, eq=False)
class Entries:
    """Entries of a matrix of two dimensions."""

    rows: Places
    columns: Places
    values: Any
    shape: tuple[int, int]

    @property
    def transposed(self) -> Entries:
        """Those of the transpose."""
        return Entries(self.columns, self.rows, self.values, (self.shape[1], self.shape[0]))

    def with_values(self, values: Any) -> Entries:
        """Other values in the same places."""
        return Entries(self.rows, self.columns, values, self.shape)

    def summed(self) -> Entries:
        """One entry for each place, in the order of rows and of columns in them."""
        key = self.rows * self.shape[1] + self.columns
        if (key[1:] > key[:-1]).all():
            return self
        places, which = np.unique(key, return_inverse=True)
        if places.size == key.size:
            values = self.values[np.argsort(key)]
        else:
            values = added(which.reshape(-1), self.values, places.shape)
        return Entries(places // self.shape[1], places % self.shape[1], values, self.shape)

    def times(self, x: Any) -> Any:
        """The product with a vector or a matrix."""
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise shape_error(
                f"a sparse matrix of shape {self.shape} cannot be multiplied by an array of shape {x.shape}",
                "the last dimension of the one is as long as the first of the other",
            )
        parts = x[self.columns] * (self.values if x.ndim == 1 else self.values[:, None])
        return added(self.rows, parts, (self.shape[0], *x.shape[1:]))

    def product(self, other: Entries) -> Entries:
        """The product of two matrices: a term for each pair of entries that meet, added up."""
        if self.shape[1] != other.shape[0]:
            raise shape_error(
                f"sparse matrices of shapes {self.shape} and {other.shape} cannot be multiplied",
                "the last dimension of the one is as long as the first of the other",
            )
        order = np.argsort(other.rows, kind="stable")
        counts = np.bincount(other.rows, minlength=other.shape[0])
        first = np.concatenate([[0], np.cumsum(counts)])[:-1]
        lengths = counts[self.columns]
        ours = np.repeat(np.arange(self.rows.size), lengths)
        within = np.arange(ours.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        theirs = order[np.repeat(first[self.columns], lengths) + within]
        values = self.values[ours] * other.values[theirs]
        shape = (self.shape[0], other.shape[1])
        return Entries(self.rows[ours], other.columns[theirs], values, shape).summed()

    def plus(self, other: Entries) -> Entries:
        """The sum of two matrices of one shape."""
        require_equal_shapes(self.shape, other.shape, "added")
        values = xp.concatenate([self.values, other.values])
        rows = np.concatenate([self.rows, other.rows])
        return Entries(rows, np.concatenate([self.columns, other.columns]), values, self.shape).summed()

    def common(self, other: Entries, of_both: Callable[[Any, Any], Any]) -> Entries:
        """A function of both in the places where both have entries."""
        one, two = self.summed(), other.summed()
        keys = [e.rows * self.shape[1] + e.columns for e in (one, two)]
        _, ours, theirs = np.intersect1d(*keys, assume_unique=True, return_indices=True)
        values = of_both(one.values[ours], two.values[theirs])
        return Entries(one.rows[ours], one.columns[ours], values, self.shape)

    def scaled_by(self, dense: Any) -> Entries:
        """Each entry times the element of an array, of this shape or one that broadcasts to it."""
        dense = xp.broadcast_to(dense, self.shape)
        return self.with_values(self.values * dense[self.rows, self.columns])

    def toarray(self) -> Any:
        """The dense matrix."""
        return added((self.rows, self.columns), self.values, self.shape)

    def sums(self, axis: int) -> Any:
        """The sums along an axis."""
        kept = self.columns if axis == 0 else self.rows
        return added(kept, self.values, (self.shape[1 - axis],))

    def kron(self, other: Entries) -> Entries:
        """The Kronecker product."""
        rows = (self.rows[:, None] * other.shape[0] + other.rows).ravel()
        columns = (self.columns[:, None] * other.shape[1] + other.columns).ravel()
        values = (self.values[:, None] * other.values[None, :]).reshape(-1)
        shape = (self.shape[0] * other.shape[0], self.shape[1] * other.shape[1])
        return Entries(rows, columns, values, shape)


def require_equal_shapes(one: tuple[int, ...], other: tuple[int, ...], what: str) -> None:
    """Raise `ShapeError` for shapes that differ."""
    if tuple(one) != tuple(other):
        raise shape_error(
            f"sparse matrices of shapes {tuple(one)} and {tuple(other)} cannot be {what}",
            "both have one shape",
        )
