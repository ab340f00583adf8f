"""Into what blocks of rows and columns a contraction by BLAS is cut, so that threads can share it.

    64 x 784 by 784 x 512         four blocks of 64 x 128: the left operand is copied again for each
    512 x 784 by 784 x 256        two blocks of 256 x 256: the right operand is the smaller one
    2048 x 2048 by 2048 x 2048    blocks of 512 x 512

BLAS copies what it multiplies, so each block of columns copies the left operand again, and each block of rows
the right one. A contraction is cut into as many blocks as keep what is copied again below a small share of
the whole; in two also if it takes more, as threads gain most from the first cut. A thread that runs all
blocks pays for the copies, too.
"""

from __future__ import annotations

from typing import Final

from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import DotOp
from mlirad.dialects.shapes import element_of, shape_of, values_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.machine import element_bytes, library_contraction_cycles, repacking_cycles

COPIED_SHARE: Final = 0.06
"""What part of a contraction copies may add."""

COPIED_SHARE_OF_TWO: Final = 0.1
"""What part of it they may add where it is cut in two."""

BLOCK_MULTIPLE: Final = 16
"""Rows and columns of a block are a multiple of this, so that BLAS fills its registers."""

LEAST_EXTENT: Final = 32
"""Rows and columns of a block at least."""


@dataclass(frozen=True)
class Blocks:
    """Rows and columns of a block, and how many blocks there are."""

    rows: int
    columns: int
    count: int


def best_blocks(op: DotOp, most: int) -> Blocks:
    """The blocks of a contraction without batch, whose rows and columns have no sizes in them: `most` at
    most, an even number of them, or one. While two threads do the last of three, one of them waits.
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
    return -(-extent // (blocks * BLOCK_MULTIPLE)) * BLOCK_MULTIPLE


def _copied_again(op: DotOp, down: int, across: int) -> float:
    """Return what part of a contraction is added by copies for so many blocks of rows and columns."""
    rows, columns = op.shared_extent, op.column_extent
    inner, element = 1, element_bytes(element_of(op.lhs))
    for d in values_of(op.lhs_contract):
        inner *= nominal(shape_of(op.lhs)[d])
    whole = library_contraction_cycles(rows, columns, inner, element)
    is_transposed = 0 in values_of(op.lhs_contract)
    left, right = rows * inner * element, columns * inner * element
    return repacking_cycles(left, right, down, across, is_transposed=is_transposed) / whole
