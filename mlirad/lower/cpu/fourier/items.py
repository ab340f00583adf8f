"""The items of a transform: rows, or blocks of neighbouring columns. Threads may share them.

shape (2, 512, 257), pairs 0, dim 0      16 blocks of 16 columns and one of 1 column

No column is in two blocks: a transform may lie in the memory of its operand.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.array.transforms import Axes
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.dialects.shapes import Shape, element_of, shape_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.transform_plans import column_block, complex_length, is_written_out
from mlirad.lower.machine import element_bytes


@dataclass(frozen=True)
class Items:
    """The rows of a transform, or blocks of its columns, and where each begins."""

    kind: str
    before: int
    """Positions along the dimensions before that of the pairs."""
    between: int
    """Positions along those from there to the dimension of the transform."""
    n: int
    """The extent of that one in the signal."""
    columns: int
    block: int
    """The number of columns that are transformed at once."""

    @classmethod
    def of(cls, kind: str, axes: Axes, signal: Shape, element: int) -> Items:
        """Those of a transform of signals of this shape, with elements of a given size."""
        numbers = axes.complex_shape(signal) if kind in ("forward", "backward") else signal
        before, between = prod(numbers[: axes.pairs]), prod(numbers[axes.pairs : axes.dim])
        n, columns = numbers[axes.dim], prod(numbers[axes.dim + 1 :])
        return cls(kind, before, between, n, columns, column_block(complex_length(kind, n), columns, element))

    @classmethod
    def of_op(cls, op: FftOp) -> Items | None:
        """Those of a transform that is compiled, else None."""
        kind, signal = op.kind.data, shape_of(op.result if op.kind.data == "half" else op.operand)
        if not is_written_out(kind, op.axes, signal):
            return None
        return cls.of(kind, op.axes, signal, element_bytes(element_of(op.operand)))

    @property
    def blocks(self) -> int:
        """The number of blocks of columns; the last block may be smaller."""
        return -(-self.columns // self.block)

    @property
    def count(self) -> int:
        """All items."""
        return self.before * self.between * self.blocks

    @property
    def last_block(self) -> int:
        """Return how many columns the last block has."""
        return self.columns - (self.blocks - 1) * self.block
