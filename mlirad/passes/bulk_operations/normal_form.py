"""The normal form that `bulk-operations` promises, as a predicate.

A function is in bulk normal form when

1. it has no `array.build`, except for builds that hold calls or derivatives and wait for their expansion;
2. every `array.index`, in loops and branches too but outside of index regions, has at least one position, and
   the array it reads is not one whose reading would only compute other positions: not a `broadcast`,
   `transpose`, `iota`, `reverse` or `index`, not a `slice` along the dimensions read only, not a `reshape` of
   the dimensions read only, not a uniform constant, and not a `stack` or `concatenate` read at a constant
   position along its dimension.

(A reading is pushed through `PUSH_LIMIT` ops at most; longer chains of slices may keep one.)

The arrays that are read are then arguments and constants, scatters and updates, results of loops, branches,
sorts and prefix reductions, stacks (at a position that is computed), and computed arrays that exist as a
whole anyway, because more than the index reads them. This is weaker than Theorem 5.1 of the dual-numbers
paper, which pushes an index into any computation: pushed into one that has other uses, it recomputes the
element, so n reads of a sum cost n sums. Differentiation needs only 1; without repeating work, 2 keeps small
the arrays whose cotangents are zero except at what is read.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.indexing import BuildOp, IndexOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    ConstantOp,
    IotaOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.shapes import shape_of
from mlirad.ir.builder import function_block
from mlirad.ir.regions import nested_ops
from mlirad.passes.bulk_operations.build_facts import is_waiting
from mlirad.passes.bulk_operations.table import CONTROL_RULES


def is_bulk_normal_form(function: FuncOp) -> bool:
    """Return whether the function is as this module says."""
    return all(_is_normal(op) for op in function_block(function).ops)


def _is_normal(op: Operation) -> bool:
    if isinstance(op, BuildOp):
        return is_waiting(op)
    if type(op) in CONTROL_RULES:
        return is_waiting(op) or all(_is_normal(o) for region in op.regions for o in region.block.ops)
    if isinstance(op, IndexOp):
        return bool(op.positions) and not _reads_through(op)
    return not any(isinstance(o, BuildOp) for region in op.regions for o in nested_ops(region))


def _reads_through(op: IndexOp) -> bool:
    """Return whether the array that is indexed only places elements, which the index could find itself."""
    count = len(op.positions)
    source = op.operand.owner
    match source:
        case BroadcastOp() | TransposeOp() | IotaOp() | ReverseOp() | IndexOp():
            return True
        case SliceOp():
            return shape_of(source.result)[count:] == shape_of(source.operand)[count:]
        case ReshapeOp():
            new, old = shape_of(source.result), shape_of(source.operand)
            return len(old) >= len(new) - count and old[len(old) - len(new) + count :] == new[count:]
        case StackOp() | ConcatenateOp():
            dim = source.dim.value.data
            return dim < count and isinstance(op.positions[dim].owner, ConstantOp)
        case _:
            return False
