"""The register tiles of a product of matrices, and the blocks that it is cut into.

    128 x 256 by 256 x 256, f32, vectors of 16      tiles of 13 rows and 2 vectors: 10 of rows, 8 of columns

A tile multiplies one element of each of its rows, in all lanes, by its vectors of the right operand, and
keeps rows x vectors sums in registers. The tile that costs least is chosen: few loads for each
multiplication, and few rows computed twice, as the last tile of rows begins early enough to be whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from mlirad.dialects.kernel.schedules import MOST_LANES, MOST_VECTORS
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.machine import L2_BYTES, LATENCY, registers

LEAST_VECTOR_BYTES: Final = 32
"""Processors with shorter vectors have too few registers, or a BLAS with instructions of its own."""

INNER_BLOCK: Final = 256
"""The most of the contracted extent that is multiplied before the sums go to memory: a panel of 256 rows of
the right operand stays in the first or second level of cache. It decides bits, so it is the same for all
processors."""

LEAST_BLOCK: Final = MOST_LANES
"""The least extent of a block: no vector is longer."""

LOADED: Final = 0.1
"""Cycles that a load in a tile adds to its multiplications, which hide most of it."""

TILE_START: Final = 30.0
"""Cycles to start a tile and to store it, except for its stores."""

PANEL_BYTES: Final = 24 * 1024
"""Panels of more bytes leave the first level of cache to what else is read."""

FAR_PANEL: Final = 0.5
"""Cycles that a vector of such a panel takes longer to load."""

COPIED: Final = 2.0
TURNED: Final = 5.0
READ: Final = 1.5
"""Cycles per vector to copy an operand as it lies, to transpose it, and to read it from the last level of
cache: blocks that are multiplied one by one beside the whole, measured."""

TURNED_BYTES: Final = 32 * 1024
MOST_TURNED_BYTES: Final = 256 * 1024
"""The bytes of a block of a left operand that lies by columns, from which it is copied by rows, as its lines
may share sets of the caches; and those from which it is not.
"""


@dataclass(frozen=True)
class Tile:
    """A tile of the result: its rows, and the vectors of each."""

    rows: int
    vectors: int


@dataclass(frozen=True)
class Product:
    """Rows, columns and contracted extent of a product, the bytes of an element and of a vector; which
    operands are transposed if they are copied: a left one that lies by columns, a right one by rows.
    """

    rows: int
    columns: int
    inner: int
    element: int
    vector_bytes: int
    turns_left: bool = False
    turns_right: bool = False

    @property
    def lanes(self) -> int:
        """Return how many elements a vector has."""
        return self.vector_bytes // self.element

    @property
    def vectors(self) -> int:
        """Return how many vectors a row of the result has."""
        return -(-self.columns // self.lanes)

    @property
    def tile(self) -> Tile:
        """The tile that costs least."""
        return _best_tile(self)

    def cycles(self, tile: Tile) -> float:
        """Cycles of the product by a tile."""
        full, short = divmod(self.vectors, tile.vectors)
        across = full * self._cycles(tile.rows, tile.vectors)
        if short:
            across += self._cycles(tile.rows, short)
        return across * -(-self.rows // tile.rows)

    def tiles(self) -> Iterator[Tile]:
        """The tiles that fit the registers, with rows that are cut evenly."""
        budget = registers(self.vector_bytes)
        # A last vector overlaps one of its own panel.
        least = 2 if self.columns % self.lanes else 1
        for across in range(least, min(self.vectors, MOST_VECTORS) + 1):
            for down in range(1, min(self.rows, budget) + 1):
                is_even = -(-self.rows // -(-self.rows // down)) == down
                if is_even and down * across + min(down, across) + 1 <= budget:
                    yield Tile(down, across)

    def _cycles(self, rows: int, vectors: int) -> float:
        """Cycles of a tile: two multiplications a cycle, if enough of them are under way."""
        multiplied = max(rows * vectors, 2 * LATENCY) / 2 + LOADED * (rows + vectors)
        if min(self.inner, INNER_BLOCK) * vectors * self.vector_bytes > PANEL_BYTES:
            multiplied += FAR_PANEL * vectors
        return self.inner * multiplied + TILE_START + rows * vectors

    @property
    def is_turned(self) -> bool:
        """Return whether a block of the left operand is copied by rows as it lies by columns."""
        return self._turns(self.rows)

    def is_too_tall(self, rows: int) -> bool:
        """Return whether `rows` rows of the left operand are too large to be copied by rows."""
        return self._left_bytes(rows) > MOST_TURNED_BYTES

    def _turns(self, rows: int) -> bool:
        """As `is_turned`, for a block of `rows` rows."""
        return self.turns_left and TURNED_BYTES < self._left_bytes(rows) <= MOST_TURNED_BYTES

    def _left_bytes(self, rows: int) -> int:
        return rows * inner_block(self.inner) * self.element

    def copied_again(self, down: int, across: int) -> float:
        """Return the cost that cutting the rows into `down` and the columns into `across` blocks adds, as a
        share of the product: copies, and reading a left operand again that left the second level of cache.
        """
        right = self.inner * self.vectors * (TURNED if self.turns_right else COPIED)
        each = TURNED if self._turns(-(-self.rows // down)) else 0.0
        if not each and self.rows * self.inner * self.element > L2_BYTES / 2:
            each = READ
        left = self.inner * self.rows / self.lanes * each
        whole = self.rows * self.vectors * self.inner / 2
        return ((down - 1) * right + (across - 1) * left) / whole


@cache
def _best_tile(product: Product) -> Tile:
    return min(product.tiles(), key=product.cycles, default=Tile(1, 1))


@cache
def inner_block(inner: int) -> int:
    """The extent of a block of the contracted one; the last may be shorter, but no shorter than a vector."""
    even = -(-inner // -(-inner // INNER_BLOCK))
    return next(n for n in range(even, 0, -1) if inner % n == 0 or inner % n >= LEAST_BLOCK)
