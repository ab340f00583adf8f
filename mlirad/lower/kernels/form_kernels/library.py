"""Contractions that are kernels of their own: those that are faster so, of matrices as they lie in memory.

A nest reads both operands where they lie, again for every tile of rows, and can be fused with its neighbours.
A `kernel.dot`, by code of our own or by BLAS, copies blocks of them, so that they stay in cache. So a nest is
better where operands are small, or where its result would otherwise go through memory, and a kernel of its
own where an operand is read often, or the contracted extent is long. The cost model decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.shapes import Shape, element_of, shape_of, values_of
from mlirad.lower.kernels.moves import considered
from mlirad.lower.large_sizes import nominal_shape, nominal_size
from mlirad.lower.machine import (
    CACHE_BYTES,
    contraction_cycles,
    cycles_per_byte,
    element_bytes,
    library_contraction_cycles,
)

MIN_EXTENT = 16
"""Rows, columns and contracted extent below this are better served by a nest."""

LIBRARY_GAIN = 0.85
"""It must take at most this part of the cycles of a nest, which is fused with what is around it."""


def is_library_dot(op: Operation) -> bool:
    """Return whether `op` is a contraction that is a kernel of its own: faster so, and each operand a matrix
    per batch element.
    """
    if not isinstance(op, DotOp):
        return False
    lhs, rhs = shape_of(op.lhs), shape_of(op.rhs)
    lhs_batch, rhs_batch = values_of(op.lhs_batch), values_of(op.rhs_batch)
    lhs_contract, rhs_contract = values_of(op.lhs_contract), values_of(op.rhs_contract)
    lhs_free = [d for d in range(len(lhs)) if d not in lhs_batch and d not in lhs_contract]
    rhs_free = [d for d in range(len(rhs)) if d not in rhs_batch and d not in rhs_contract]
    rows, columns = prod(lhs[d] for d in lhs_free), prod(rhs[d] for d in rhs_free)
    inner = prod(lhs[d] for d in lhs_contract)
    if not all(at_most(MIN_EXTENT, extent) for extent in (rows, columns, inner)):
        return False
    if not _gains(op, nominal(rows), nominal(columns), nominal(inner)):
        return False
    return is_matrix(lhs, lhs_free, lhs_contract) and is_matrix(rhs, rhs_free, rhs_contract)


def _gains(op: DotOp, rows: int, columns: int, inner: int) -> bool:
    """Return whether it is faster, although what it reads and makes does not stay in cache by strips.

    Values of loops, arguments and results lie in memory anyway.
    """
    size = element_bytes(element_of(op.lhs))
    matrices = prod(nominal_shape(op.lhs)[d] for d in values_of(op.lhs_batch))
    made = [v for v in op.operands if not isinstance(v.owner, (Block, *CONTROL_OPS))]
    if not any(isinstance(use.operation, ReturnOp) for use in op.result.uses):
        made.append(op.result)
    passed = size * sum(nominal_size(v) for v in made)
    storing = 2 * passed * (cycles_per_byte(passed) - cycles_per_byte(min(passed, CACHE_BYTES)))
    library = matrices * library_contraction_cycles(rows, columns, inner, size) + storing
    kernel = matrices * contraction_cycles(rows, columns, inner, size)
    is_done = library <= LIBRARY_GAIN * kernel
    considered(op, f"{rows} x {inner} x {columns} as a product of its own", kernel, library, is_done=is_done)
    return is_done


def product_cycles(rows: int, columns: int, inner: int, element: int) -> float:
    """Cycles of a product of matrices, for elements of a given size, by whatever is faster."""
    kernel = contraction_cycles(rows, columns, inner, element)
    if min(rows, columns, inner) < MIN_EXTENT:
        return kernel
    return min(kernel, library_contraction_cycles(rows, columns, inner, element))


def is_matrix(shape: Shape, rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Return whether two groups of dimensions of a row-major array are the rows and columns of a BLAS matrix.

    Each group must have one stride, and one of the two strides must be 1.
    """
    strides = [prod(shape[d + 1 :]) for d in range(len(shape))]
    for group in (rows, columns):
        for outer, inner in pairwise(group):
            if strides[outer] != strides[inner] * shape[inner]:
                return False
    return 1 in (strides[rows[-1]], strides[columns[-1]])
