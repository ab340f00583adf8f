"""The operands and the result of a contraction as matrices in memory, and the products that it consists of.

Each is seen as a matrix of its free dimensions and its contracted ones, each group one loop of constant
stride.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from math import prod

from mlirad.dialects.kernel import DotOp
from mlirad.dialects.shapes import Shape, integer_of, values_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.large_sizes import are_static


@dataclass(frozen=True)
class Matrix:
    """A matrix in memory: extents and strides, in elements, of its two dimensions."""

    extents: tuple[int, int]
    strides: tuple[int, int]

    @property
    def transposed(self) -> Matrix:
        """The same memory with the dimensions exchanged."""
        return Matrix((self.extents[1], self.extents[0]), (self.strides[1], self.strides[0]))

    @property
    def elements(self) -> int:
        """Return how many elements lie between the first and the last one, both among them."""
        return 1 + sum((e - 1) * s for e, s in zip(self.extents, self.strides, strict=True))

    def column_major(self) -> int | None:
        """The distance between columns if elements of a column are consecutive, else None."""
        rows, columns = self.extents
        if rows > 1 and self.strides[0] != 1:
            return None
        distance = self.strides[1] if columns > 1 else max(1, rows)
        return distance if distance >= max(1, rows) else None

    @property
    def lies_by_columns(self) -> bool:
        """Return whether columns lie in one piece each, and rows do not."""
        return self.strides[0] == 1 != self.strides[1]


Matrices = tuple[Matrix, Matrix, Matrix]
"""The matrices of C = A B: A, B and C."""


def matrices_of(op: DotOp, lhs: Buffer, rhs: Buffer, out: Buffer) -> Matrices | None:
    """The matrices of a contraction, or of one element of its batch; None if one is not laid out as such."""
    lhs_batch, rhs_batch = values_of(op.lhs_batch), values_of(op.rhs_batch)
    lhs_contract, rhs_contract = values_of(op.lhs_contract), values_of(op.rhs_contract)
    lhs_free = _others(lhs, lhs_batch, lhs_contract)
    rhs_free = _others(rhs, rhs_batch, rhs_contract)
    batch, rows = len(lhs_batch), len(lhs_free)
    a = _matrix(lhs, lhs_free, lhs_contract)
    b = _matrix(rhs, rhs_contract, rhs_free)
    c = _matrix(out, range(batch, batch + rows), range(batch + rows, len(out.shape)))
    return None if a is None or b is None or c is None else (a, b, c)


def transposed(matrices: Matrices) -> Matrices:
    """The matrices of C' = B' A'."""
    a, b, c = matrices
    return b.transposed, a.transposed, c.transposed


def may_be_tiled(matrices: Matrices, lanes: int) -> bool:
    """Return whether C = A B can be computed in vectors of `lanes`: extents are known, rows of C and B,
    or columns of B, lie in one piece, and these and the contracted extent are as long as a vector.
    """
    a, b, c = matrices
    if not are_static((*a.extents, *b.extents)) or min(b.extents) < lanes:
        return False
    return c.strides[1] == 1 and 1 in b.strides


def tiled_way(matrices: Matrices, lanes: int) -> Matrices | None:
    """The product, or the transposed one if that alone can be computed in vectors; None if neither can."""
    ways = (matrices, transposed(matrices))
    return next((way for way in ways if may_be_tiled(way, lanes)), None)


def blocks_of(op: DotOp, matrices: Matrices) -> list[Matrices]:
    """The products that the code of a contraction consists of: one of each size of the blocks that threads
    share. The list is empty if extents are not known.
    """
    a, b, c = matrices
    if not are_static((*a.extents, *b.extents)):
        return []
    rows, columns = [[extent] for extent in c.extents]
    if op.parallel is not None and not values_of(op.lhs_batch):
        rows = parts(c.extents[0], integer_of(op.parallel))
        if op.columns is not None:
            columns = parts(c.extents[1], integer_of(op.columns))
    return [block_of(matrices, m, n) for m, n in product(rows, columns)]


def block_of(matrices: Matrices, rows: int, columns: int) -> Matrices:
    """The product for some rows and columns of C, wherever these begin."""
    a, b, c = matrices
    return (
        Matrix((rows, a.extents[1]), a.strides),
        Matrix((b.extents[0], columns), b.strides),
        Matrix((rows, columns), c.strides),
    )


def parts(extent: int, block: int) -> list[int]:
    """The lengths of the blocks of an extent: of all but the last, and of the last if that is shorter."""
    last = extent - (extent - 1) // block * block
    return list(dict.fromkeys((min(block, extent), last)))


def _others(buffer: Buffer, batch: Shape, contract: Shape) -> list[int]:
    return [d for d in range(len(buffer.shape)) if d not in batch and d not in contract]


def _matrix(buffer: Buffer, first: Sequence[int], second: Sequence[int]) -> Matrix | None:
    """Two groups of dimensions as those of a matrix; None if one of them has no single stride."""
    one, two = _group(buffer, first), _group(buffer, second)
    if one is None or two is None:
        return None
    return Matrix((one[0], two[0]), (one[1], two[1]))


def _group(buffer: Buffer, dims: Sequence[int]) -> tuple[int, int] | None:
    """Extent and stride of several dimensions run through in order as one loop."""
    real = [d for d in dims if buffer.shape[d] != 1]
    for outer, inner in pairwise(real):
        if buffer.strides[outer] != buffer.strides[inner] * buffer.shape[inner]:
            return None
    return prod(buffer.shape[d] for d in dims), buffer.strides[real[-1]] if real else 1
