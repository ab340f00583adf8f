"""Counts of the ops that a run executes, by the cost law of derivatives.

The rule: **an op counts the elements it produces**, so structural ops (reshape included) count what they
move, and an op in a region counts once per execution of the region. Beyond that

    sort, argsort                  elements of the result * log2 of the sorted dimension, rounded up
    scan                           the slices that the iterations take, and what they stack
    while, replay, save, restore   the elements recorded, and those read back
    reductions                     the elements of the operand, when there are more of them
    dot                            2 * elements of the result * contracted positions
    fft                            elements of the spectrum * log2 of the row, rounded up
    scatter                        the elements scattered, and those of the result, which start at 0
    update                         the elements scattered: the base is taken over
    kernel.nest with a reduction   one combination per result and position of the whole space
    kernel.recurrence              what it stacks
    kernel.scatter                 one per position of its space, and the result if it starts at 0
    linear.apply,                  per node of the map expression: elements of the image, and of the argument
      linear.apply_transpose       where it is accumulated (sum, scatter, transposed broadcast and gather)

Constants, calls, terminators, branches, carries, and the making of maps, closures, tuples and sums count
nothing: a carry stays where it is. Applications of closures are counted apart, by the op that made the
closure.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects import kernel, linear
from mlirad.dialects.array import control, factorisations, indexing, ordering, reductions, transforms
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.factorisations import matrices_of
from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.array.transforms import transform_operations
from mlirad.dialects.function import COMBINATOR_OPS, FUNCTION_OPS
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import shape_of, size_of, values_of

_FREE = (
    ConstantOp,
    SizeOp,
    control.WhileOp,
    control.ReplayOp,
    control.IfOp,
    control.SwitchOp,
    CustomOp,
    CheckpointOp,
    *FRAME_OPS,
    *FUNCTION_OPS,
    *COMBINATOR_OPS,
    indexing.YieldOp,
    CallOp,
    ReturnOp,
    linear.MapOp,
    linear.ApplicationOp,
    linear.DifferentiationOp,
    linear.DerivedOp,
    *linear.ELEMENT_OPS,
)


class OperationCounter:
    """Executed operations, in total and by the name of the op; applications of closures by their code."""

    def __init__(self) -> None:
        self.by_op: Counter[str] = Counter()
        self.applications: Counter[Operation] = Counter()

    @property
    def total(self) -> int:
        """The number of operations executed so far."""
        return self.by_op.total()

    def count(self, name: str, operations: int) -> None:
        """Add executed operations under the name of an op."""
        if operations:
            self.by_op[name] += operations


def cost(op: Operation) -> int:
    """Return what one execution of `op` counts, without the ops of its regions. It depends on types alone."""
    results = sum(size_of(r) for r in op.results)
    match op:
        case ElementwiseOp():
            return results
        case reductions.SumOp() | reductions.ReduceOp() | reductions.ArgReductionOp():
            return max(results, size_of(op.operand))
        case reductions.DotOp() | kernel.DotOp():
            return 2 * results * prod(shape_of(op.lhs)[d] for d in values_of(op.lhs_contract))
        case ordering.SortOp() | ordering.ArgsortOp():
            extent = shape_of(op.operand)[op.dim.value.data]
            return results * max((extent - 1).bit_length(), 1)
        case factorisations.PartOp() | factorisations.CholeskyOp() | kernel.FactorisationOp():
            shape = matrices_of(op.operand.type, is_complex=op.complex is not None)
            return size_of(op.operand) * min(shape[-2:])
        case factorisations.TriangularSolveOp() | factorisations.SolveOp() | kernel.TriangularSolveOp():
            return results * matrices_of(op.matrix.type, is_complex=op.complex is not None)[-1]
        case transforms.FftOp() | kernel.FftOp():
            return transform_operations(op.kind.data, op.axes, op.operand.type, op.result.type)
        case control.ScanOp():
            return sum(size_of(v) for v in (*op.xs, *op.stacked))
        case StripsOp():
            return sum(size_of(v) for v in (*op.joined, *op.stacked))
        case indexing.ScatterOp():
            return results + size_of(op.operand)
        case indexing.UpdateOp():
            return size_of(op.operand)
        case kernel.NestOp():
            return max(results, prod(op.extents) * len(op.roots))
        case kernel.RecurrenceOp():
            return sum(size_of(v) for v in op.stacked)
        case kernel.ScatterOp():
            return prod(op.extents) + (0 if op.from_zero is None else results)
        case _:
            return 0 if isinstance(op, _FREE) else results
