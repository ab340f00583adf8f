"""Which contractions are passed to BLAS: large ones whose operands are matrices as they lie in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from xdsl.ir import Operation

from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.shapes import Shape, shape_of, values_of

MIN_EXTENT = 16
"""Rows, columns and contracted extent below this are better served by a kernel of our own."""

MIN_PRODUCTS = 1 << 26
"""Multiplications of one matrix product from which blocking and packing inside BLAS pay.

Below that the operands fit the caches and a tiled kernel of our own is up to twice as fast."""


def is_library_dot(op: Operation) -> bool:
    """Whether `op` is a contraction for BLAS: big enough, and each operand a matrix per batch element."""
    if not isinstance(op, DotOp):
        return False
    lhs, rhs = shape_of(op.lhs), shape_of(op.rhs)
    lhs_batch, rhs_batch = values_of(op.lhs_batch), values_of(op.rhs_batch)
    lhs_contract, rhs_contract = values_of(op.lhs_contract), values_of(op.rhs_contract)
    lhs_free = [d for d in range(len(lhs)) if d not in lhs_batch and d not in lhs_contract]
    rhs_free = [d for d in range(len(rhs)) if d not in rhs_batch and d not in rhs_contract]
    rows = prod(lhs[d] for d in lhs_free)
    columns = prod(rhs[d] for d in rhs_free)
    inner = prod(lhs[d] for d in lhs_contract)
    if min(rows, columns, inner) < MIN_EXTENT or rows * columns * inner < MIN_PRODUCTS:
        return False
    return is_matrix(lhs, lhs_free, lhs_contract) and is_matrix(rhs, rhs_free, rhs_contract)


def is_matrix(shape: Shape, rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Whether two groups of dimensions of a row-major array are the rows and columns of a BLAS matrix.

    Each group must have one stride, and one of the two strides must be 1.
    """
    strides = [prod(shape[d + 1 :]) for d in range(len(shape))]
    for group in (rows, columns):
        for outer, inner in pairwise(group):
            if strides[outer] != strides[inner] * shape[inner]:
                return False
    return 1 in (strides[rows[-1]], strides[columns[-1]])
