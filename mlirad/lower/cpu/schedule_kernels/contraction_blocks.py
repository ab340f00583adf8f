"""The blocks of rows and columns that a contraction is cut into, so that threads can share it.

                                  of our own                 by BLAS
    64 x 784 by 784 x 512         8 of 64 x 64               4 of 64 x 128
    512 x 784 by 784 x 256        16 of 128 x 64             2 of 256 x 256
    2048 x 2048 by 2048 x 2048    128 of 256 x 128           blocks of 512 x 512

Each block of rows copies the right operand again, and each block of columns the left one: BLAS whatever it
multiplies, products of our own (`../emit/product.py`) a left operand only if it lies by columns. A
contraction is cut into as many blocks as keep what is copied again below a small share of the whole; in two
also if it takes more, as threads gain most from the first cut. A thread that runs all blocks pays for the
copies, too. Bits do not depend on the blocks of a product of our own.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Final

from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.kernel import DotOp
from mlirad.dialects.shapes import element_of, shape_of, values_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.product_tiles import LEAST_BLOCK, LEAST_VECTOR_BYTES, Product
from mlirad.lower.machine import element_bytes, library_contraction_cycles, repacking_cycles

COPIED_SHARE: Final = 0.06
"""The share of a contraction's time that copies may add."""

COPIED_SHARE_OF_TWO: Final = 0.1
"""The share that they may add if it is cut in two."""

BLOCK_MULTIPLE: Final = 16
"""Rows and columns of a block are a multiple of this, so that BLAS fills its registers."""

LEAST_EXTENT: Final = 32
"""Rows and columns of a block at least."""

LEAST_ROW_BYTES: Final = 256
"""Bytes of a row of a block of a product of our own at least: its panels share what is read of the left
operand."""


@dataclass(frozen=True)
class Blocks:
    """Rows and columns of a block, and how many blocks there are."""

    rows: int
    columns: int
    count: int


def best_blocks(op: DotOp, most: int, vector_bytes: int) -> Blocks:
    """The blocks of a contraction without batch, whose rows and columns have no sizes in them: at most
    `most`, on a processor with vectors of `vector_bytes`.
    """
    inner = prod(shape_of(op.lhs)[d] for d in values_of(op.lhs_contract))
    if vector_bytes >= LEAST_VECTOR_BYTES and is_static(inner):
        by_columns, by_rows = 0 in values_of(op.lhs_contract), 0 not in values_of(op.rhs_contract)
        sizes = op.shared_extent, op.column_extent, inner, element_bytes(element_of(op.lhs))
        return _own_blocks(Product(*sizes, vector_bytes, by_columns, by_rows), most)
    return _library_blocks(op, most)


@cache
def _own_blocks(product: Product, most: int) -> Blocks:
    """The blocks of a product of our own: the more the better, and twice as many where those at the end are
    others, as these are more code.
    """
    rows, columns = product.rows, product.columns
    tile, least_width = product.tile, LEAST_ROW_BYTES // product.element
    best, gained, least = Blocks(rows, columns, 1), 1.0, 0.0
    for down in range(1, 1 + min(most, max(1, rows // LEAST_EXTENT))):
        block = rows // down if rows % down == 0 else min(rows, _multiple(rows, down, tile.rows))
        for across in range(1, 1 + min(most // down, max(1, columns // least_width))):
            width = min(columns, _multiple(columns, across, product.lanes))
            count = -(-rows // block) * -(-columns // width)
            if 0 < rows % block < LEAST_BLOCK or 0 < columns % width < LEAST_BLOCK:
                continue
            if product.turns_left and product.is_too_tall(block):
                continue
            share = product.copied_again(down, across)
            if share > (COPIED_SHARE_OF_TWO if count == 2 else COPIED_SHARE):
                continue
            gain = count / ((1 + (rows % block > 0)) * (1 + (columns % width > 0)))
            if (gain, -share) > (gained, -least):
                best, gained, least = Blocks(block, width, count), gain, share
    return best


def _multiple(extent: int, blocks: int, unit: int) -> int:
    """The length of the blocks if an extent is cut into `blocks` of them, a multiple of the unit."""
    return -(-extent // (blocks * unit)) * unit


def _library_blocks(op: DotOp, most: int) -> Blocks:
    """The blocks for BLAS: an even number of them, or one. While two threads do the last of three, one of
    them waits.
    """
    rows, columns = op.shared_extent, op.column_extent
    best, least = Blocks(rows, columns, 1), 0.0
    for down in range(1, 1 + min(most, max(1, rows // LEAST_EXTENT))):
        for across in range(1, 1 + min(most // down, max(1, columns // LEAST_EXTENT))):
            count = down * across
            if count % 2 or count < best.count:
                continue
            share = _copied_again(op, down, across)
            if share > (COPIED_SHARE_OF_TWO if count == 2 else COPIED_SHARE):
                continue
            if count > best.count or share < least:
                best, least = Blocks(_block(rows, down), _block(columns, across), count), share
    return best


def _block(extent: int, blocks: int) -> int:
    """Return how much of an extent a block has."""
    if blocks == 1:
        return extent
    return _multiple(extent, blocks, BLOCK_MULTIPLE)


def _copied_again(op: DotOp, down: int, across: int) -> float:
    """Return the cost of the copies that blocks of rows and columns add, as a share of the contraction."""
    rows, columns = op.shared_extent, op.column_extent
    inner, element = 1, element_bytes(element_of(op.lhs))
    for d in values_of(op.lhs_contract):
        inner *= nominal(shape_of(op.lhs)[d])
    whole = library_contraction_cycles(rows, columns, inner, element)
    is_transposed = 0 in values_of(op.lhs_contract)
    left, right = rows * inner * element, columns * inner * element
    return repacking_cycles(left, right, down, across, is_transposed=is_transposed) / whole
