"""Compression: from a pattern to few matrix-vector products in which every entry can be read off.

    columns     those that meet in no row share a product J v: entry (i, j) is element i of that of its colour
    rows        those that meet in no column share a product J^T u
    star        of a symmetric matrix, an entry or its mirror image can be read off, with fewer colours

A few dense rows would force as many colours as they have entries. They are taken out and computed as rows,
where that needs fewer products; so are dense columns, and in a symmetric matrix dense rows and their columns
get colours of their own. Coleman and Moré, 1983 and 1984; Gebremedhin, Manne and Pothen, 2005.
"""

from __future__ import annotations

import numpy as np

from mlirad.jit.colouring import greedy_colours
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.sparsity import SparsityPattern, from_positions
from mlirad.linear_maps.sparsity.relations import Ints

FEW_PRODUCTS = 3
"""If columns alone need no more colours, no star colouring is looked for."""


@dataclass(frozen=True, eq=False)
class Compression:
    """The products that are computed, and the place of each entry in them.

    `columns` has a colour per column and `rows` one per row, -1 where it takes no part. The products lie one
    after the other, those with colours of columns first; entry k of the pattern is element `places[k]`.
    """

    columns: Ints
    rows: Ints
    places: Ints

    @property
    def column_products(self) -> int:
        """Return how many products J v there are."""
        return int(self.columns.max(initial=-1)) + 1

    @property
    def row_products(self) -> int:
        """Return how many products J^T u there are."""
        return int(self.rows.max(initial=-1)) + 1

    @property
    def products(self) -> int:
        """Return how many products there are."""
        return self.column_products + self.row_products


def compress(pattern: SparsityPattern, *, is_symmetric: bool = False) -> Compression:
    """The compression with the fewest products: of columns, of rows or, if it is symmetric, star."""
    across = pattern.T
    by_columns, by_rows = _least(np.diff(pattern.row_starts)), _least(np.diff(across.row_starts))
    if by_rows < by_columns and not is_symmetric:
        return _transposed(_by_columns(across), pattern)
    plain = _by_columns(pattern)
    if not is_symmetric:
        return plain
    is_enough = plain.products <= FEW_PRODUCTS and not plain.row_products
    star = plain if is_enough else _by_star(pattern)
    return star if star.products < plain.products else _mirrored(plain, pattern)


def _mirrored(c: Compression, pattern: SparsityPattern) -> Compression:
    """The compression with each entry above the diagonal read off where its mirror image is."""
    mirror = c.places[pattern.transposed_order]
    return Compression(c.columns, c.rows, np.where(pattern.rows < pattern.columns, mirror, c.places))


def _least(degrees: Ints) -> int:
    """A lower bound of the products: the dense rows taken out, and the largest degree of the others."""
    ordered = np.sort(degrees)[::-1]
    return int((np.arange(len(ordered) + 1) + np.append(ordered, 0)).min())


def _dense(degrees: Ints) -> Ints:
    """The rows that are computed one by one: as many as lead to the bound of `_least`."""
    order = np.argsort(-degrees, kind="stable")
    bounds = np.arange(len(order) + 1) + np.append(degrees[order], 0)
    return np.sort(order[: int(np.argmin(bounds))])


def _by_columns(pattern: SparsityPattern) -> Compression:
    degrees = np.diff(pattern.row_starts)
    dense = _dense(degrees)
    is_dense = np.zeros(pattern.shape[0], bool)
    is_dense[dense] = True
    in_dense = is_dense[pattern.rows]
    sparse = pattern if not len(dense) else _entries(pattern, ~in_dense)
    columns = _fewest_columns(sparse)
    rows = np.full(pattern.shape[0], -1, np.int64)
    if len(dense):
        rows[dense] = _fewest_columns(_entries(pattern, in_dense).T)[dense]
    height, width = pattern.shape
    first = (int(columns.max(initial=-1)) + 1) * height
    places = np.where(
        in_dense,
        first + rows[pattern.rows] * width + pattern.columns,
        columns[pattern.columns] * height + pattern.rows,
    )
    return Compression(columns, rows, places)


def _entries(pattern: SparsityPattern, chosen: np.typing.NDArray[np.bool_]) -> SparsityPattern:
    return from_positions(pattern.shape, pattern.rows[chosen], pattern.columns[chosen])


def _fewest_columns(pattern: SparsityPattern) -> Ints:
    """Colours of the columns that have entries, from the better one of two orders."""
    degrees = np.diff(pattern.T.row_starts)
    natural = np.flatnonzero(degrees)
    least = int(np.diff(pattern.row_starts).max(initial=0))
    colours = _column_colours(pattern, natural)
    if int(colours.max(initial=-1)) + 1 > least:
        by_degree = natural[np.argsort(-degrees[natural], kind="stable")]
        other = _column_colours(pattern, by_degree)
        if other.max() < colours.max():
            return other
    return colours


def _transposed(of_transpose: Compression, pattern: SparsityPattern) -> Compression:
    """The compression of a pattern from that of its transpose."""
    places = np.empty_like(of_transpose.places)
    places[pattern.transposed_order] = of_transpose.places
    height, width = pattern.shape
    # The products of the transpose's columns came first, and are now those of rows.
    rows_before, columns_before = of_transpose.column_products * width, of_transpose.row_products * height
    is_row = places < rows_before
    moved = np.where(is_row, places + columns_before, places - rows_before)
    return Compression(of_transpose.rows, of_transpose.columns, moved)


def _by_star(pattern: SparsityPattern) -> Compression:
    """Star colouring, dense rows apart; mirror images are read off at the same place."""
    n = pattern.shape[0]
    outside = pattern.rows != pattern.columns
    degrees = np.bincount(pattern.rows[outside], minlength=n)
    hubs = _dense(degrees)
    is_hub = np.zeros(n, bool)
    is_hub[hubs] = True
    left = outside & ~is_hub[pattern.rows] & ~is_hub[pattern.columns]
    has_entries = np.bincount(pattern.rows, minlength=n) > 0
    colours = _star_colours(_entries(pattern, left), np.flatnonzero(has_entries & ~is_hub), len(hubs))
    colours[hubs] = np.arange(len(hubs))
    count = int(colours.max(initial=-1)) + 1
    # Entry (i, j) is element i of the product of j's colour where no other column of row i has that colour.
    keys = pattern.rows * max(count, 1) + colours[pattern.columns]
    if count * n <= 8 * pattern.count:
        is_direct = np.bincount(keys)[keys] == 1
    else:
        _, inverse, times = np.unique(keys, return_inverse=True, return_counts=True)
        is_direct = times[inverse] == 1
    mirror = pattern.transposed_order
    position = np.arange(pattern.count)
    prefers_mirror = is_direct[mirror] & (~is_direct | (mirror < position))
    direct = colours[pattern.columns] * n + pattern.rows
    return Compression(colours, np.full(n, -1, np.int64), np.where(prefers_mirror, direct[mirror], direct))


# Greedy colouring --------------------------------------------------------------------------------


def _column_colours(pattern: SparsityPattern, order: Ints) -> Ints:
    """A colour for each column of `order`, -1 for the others: columns that meet in a row differ."""
    across = pattern.T
    graph = across.row_starts, across.columns, pattern.row_starts, pattern.columns
    return greedy_colours("columns", pattern.shape[1], order, graph, 0)


def _star_colours(pattern: SparsityPattern, order: Ints, taken: int) -> Ints:
    """A colour, from `taken` on, for each vertex of `order`; the pattern is symmetric, without diagonal."""
    graph = pattern.row_starts, pattern.columns
    return greedy_colours("star", pattern.shape[1], order, (*graph, *graph), taken)
