"""Costs of whole kernels, loops and branches in cycles, precise enough to tell which are worth sharing.

Those of extents with sizes in them are what they cost at the nominal size.

cycles_of(nest, vector_bytes)      its instructions, and what it moves beyond the caches of one processor
"""

from __future__ import annotations

from math import prod

from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import BranchOp, ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.transforms import transform_operations
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import CumulativeOp, DotOp, FftOp, NestOp, RecurrenceOp, ScatterOp, SortOp
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import Value, element_of, is_array, values_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values
from mlirad.lower.cpu.schedule_kernels.profiles import profile
from mlirad.lower.cpu.schedule_kernels.recurrences import best_blocking
from mlirad.lower.large_sizes import nominal_shape, nominal_size
from mlirad.lower.llvm.text.polling import ASSUMED_ITERATIONS
from mlirad.lower.machine import (
    CONTIGUOUS_LOAD,
    CUMULATION,
    INSTRUCTION,
    L2_BYTES,
    MULTIPLICATION,
    SORT,
    TRANSFORM,
    cycles_per_byte,
    element_bytes,
)


def cycles_of(op: Operation, vector_bytes: int, *, scheduled: bool = True) -> float:
    """Return what an op of a kernel program costs, roughly; nests that are not yet `scheduled` will have
    lanes.
    """
    match op:
        case NestOp():
            return _nest_cycles(op, vector_bytes, scheduled)
        case RecurrenceOp():
            moved = sum(_bytes(v) for v in dict.fromkeys((*op.operands, *op.results)))
            return best_blocking(op, vector_bytes).cycles + _memory_cycles(moved)
        case ScatterOp():
            return _scatter_cycles(op, vector_bytes)
        case DotOp():
            contracted = prod(nominal_shape(op.lhs)[d] for d in values_of(op.lhs_contract))
            return nominal_size(op.result) * contracted * MULTIPLICATION
        case CumulativeOp():
            return CUMULATION * nominal_size(op.operand)
        case FftOp():
            return TRANSFORM * transform_operations(op.kind.data, op.axes, op.operand.type, op.result.type)
        case SortOp():
            return SORT * nominal_size(op.operand)
        case ScanOp() | StripsOp():
            shared = dict.fromkeys((*free_values(op), *op.results))
            inside = nominal(op.iterations) * _block_cycles(op.body.block, vector_bytes, scheduled)
            return inside + _memory_cycles(sum(_bytes(v) for v in shared))
        case WhileOp() | ReplayOp():
            return ASSUMED_ITERATIONS * _block_cycles(op.regions[-1].block, vector_bytes, scheduled)
        case _ if isinstance(op, BranchOp):
            return max(_block_cycles(region.block, vector_bytes, scheduled) for region in op.regions)
        case _:
            return 0.0


def _block_cycles(block: Block, vector_bytes: int, scheduled: bool) -> float:
    return sum(cycles_of(op, vector_bytes, scheduled=scheduled) for op in block.ops)


def _scatter_cycles(op: ScatterOp, vector_bytes: int) -> float:
    """Cycles of a scatter; of a masked one hardly more than those of the search for where its guard holds."""
    p = profile(op, vector_bytes)
    return p.iterations * (2 * INSTRUCTION / p.lanes if op.masked is not None else p.scalar_cost + 3)


def _nest_cycles(op: NestOp, vector_bytes: int, scheduled: bool) -> float:
    """Cycles of the instructions of a nest, and of what it moves beyond the caches."""
    p = profile(op, vector_bytes)
    lanes = 1 if scheduled and op.lane is None else p.lanes
    if lanes == 1:
        one = p.scalar_cost
    else:
        one = sum(cost * p.per_iteration(bits) for bits, cost in p.op_costs.items())
    one += sum(CONTIGUOUS_LOAD * p.per_iteration(load.loops) for load in p.loads)
    one += len(yields(op.body)) / max(1, p.reductions)
    buffers = dict.fromkeys((*op.inputs, *op.roots))
    moved = sum(min(_bytes(v), p.iterations * element_bytes(element_of(v))) for v in buffers)
    return p.iterations * one / lanes + _memory_cycles(moved)


def _memory_cycles(moved: int) -> float:
    """Cycles to move a given number of bytes, which stay in the caches of one core if they are few."""
    return cycles_per_byte(moved) * moved if moved > L2_BYTES else 0.0


def _bytes(value: Value) -> int:
    """The bytes of a value; tapes count as nothing."""
    return nominal_size(value) * element_bytes(element_of(value)) if is_array(value.type) else 0
