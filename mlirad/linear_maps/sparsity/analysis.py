"""The sparsity pattern of a linear map: which entries of its matrix can be nonzero, without evaluating it.

    sparsity_of(%map, known)       rows and columns of the flattened spaces, in CSR

Every entry outside the pattern is zero at every point, for these integers. Inside, an entry that happens to
be zero is kept. The pattern is exact except for cancellation, and for conditions and positions that depend
on floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import TupleType

from mlirad.dialects.shapes import Value, components_of, tuple_type
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import parts
from mlirad.linear_maps.sparsity.block_rows import BlockRows
from mlirad.linear_maps.sparsity.elements import coordinates, dimension, matrix
from mlirad.linear_maps.sparsity.images import image
from mlirad.linear_maps.sparsity.known_values import Known
from mlirad.linear_maps.sparsity.primitives import MapContext
from mlirad.linear_maps.sparsity.relations import Ints, Relation, from_keys
from mlirad.recursion import deep_recursion


@dataclass(frozen=True, eq=False)
class SparsityPattern:
    """The positions of a sparse matrix: where each row begins among the entries and where the last one ends,
    and the column of each entry, in increasing order within a row.
    """

    shape: tuple[int, int]
    row_starts: Ints
    columns: Ints

    @property
    def count(self) -> int:
        """The number of entries."""
        return len(self.columns)

    @cached_property
    def rows(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.row_starts))

    @cached_property
    def transposed_order(self) -> Ints:
        """The entries by column and then by row."""
        return np.argsort(self.columns, kind="stable")

    @cached_property
    def T(self) -> SparsityPattern:
        """The pattern of the transposed matrix."""
        order = self.transposed_order
        return from_positions((self.shape[1], self.shape[0]), self.columns[order], self.rows[order])

    def symmetric_part(self) -> SparsityPattern:
        """The entries whose mirror images are entries too."""
        bits = max(self.shape).bit_length()
        keys, mirrored = (self.rows << bits) | self.columns, (self.columns << bits) | self.rows
        common = from_keys(np.intersect1d(keys, mirrored, assume_unique=True), bits)
        return from_positions(self.shape, common.rows, common.offsets)


def from_positions(shape: tuple[int, int], rows: Ints, columns: Ints) -> SparsityPattern:
    """The pattern of entries given by row and then by column."""
    return SparsityPattern(shape, np.searchsorted(rows, np.arange(shape[0] + 1)), columns)


def from_block_rows(found: BlockRows, width: int) -> SparsityPattern:
    """The pattern that repeats, written out."""
    columns = [c.reshape(-1) for c in found.columns(np.int32 if width < 1 << 31 else np.int64)]
    degrees = [np.tile(np.bincount(b.rows, minlength=b.height), b.count) for b in found.blocks]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(degrees))])
    return SparsityPattern((len(starts) - 1, width), starts, np.concatenate(columns))


def sparsity_of(map_: Value, known: Known, outputs: Sequence[int] | None = None) -> SparsityPattern:
    """The pattern of a map as a matrix between its flattened spaces, given what is known.

    `outputs` are the components of the codomain that are rows of the matrix, all by default.
    """
    domain, codomain = domain_of(map_), codomain_of(map_)
    found = deep_recursion(image)(MapContext(known, known.top), map_, coordinates((), domain))
    if outputs is not None and isinstance(codomain, TupleType):
        spaces = components_of(codomain)
        chosen = parts(found, len(spaces))
        found, codomain = [chosen[k] for k in outputs], tuple_type([spaces[k] for k in outputs])
    pairs: Relation = matrix((), found, codomain)
    return from_positions((dimension(codomain), dimension(domain)), pairs.rows, pairs.offsets)
