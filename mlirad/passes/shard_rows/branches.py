"""Rounds in branches: what a branch sums over rows, and reads, is summed by a branch in front of it.

    %r = array.if %p {                              %t = array.if %p { yield sum(%x) } else { yield 0 }
      %s = array.sum %x {dims = [0]}       -->      %r = array.if %p {
      yield sqrt(%s)                                  yield sqrt(%t)
    } else { ... }                                  } else { ... }

All chunks take the same branch, so `%t` is a partial result, complete for who reads it behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.control import IfOp, SwitchOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import Value, element_of, ints, shape_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.passes.shard_rows.flow import Flow, TooEarly
from mlirad.passes.shard_rows.states import Partial


def pulled_out(function: FuncOp, flow: Flow, error: TooEarly) -> bool:
    """Put what an op in a branch reads too early into a branch in front; False where it is in no branch."""
    block = error.op.parent
    branch = None if block is None else block.parent_op()
    if block is None or not isinstance(branch, IfOp | SwitchOp) or not _is_in_branches(branch, function):
        return False
    partial = [v for v in own_operands(error.op) if isinstance(flow.states.get(v), Partial)]
    read = [v for v in partial if isinstance(v.owner, Operation) and v.owner.parent is block]
    if not read:
        return False
    made = _in_front(branch, block, read)
    for value, result in zip(read, made, strict=True):
        value.replace_uses_with_if(
            result, lambda use: use.operation.parent is not None and _is_inside(use.operation, block)
        )
    return True


def _is_in_branches(op: Operation, function: FuncOp) -> bool:
    """Tell whether nothing but branches is around an op."""
    outer = op.parent_op()
    while isinstance(outer, IfOp | SwitchOp):
        outer = outer.parent_op()
    return outer is function


def _is_inside(op: Operation, block: Block) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent is block:
            return True
        current = current.parent_op()
    return False


def _in_front(branch: Operation, block: Block, values: Sequence[Value]) -> Sequence[Value]:
    """The values by a branch of their own, in which other cases are zeros."""
    regions = [
        _computing(block, values) if region.block is block else _zeros(values) for region in branch.regions
    ]
    op = type(branch).create(
        operands=own_operands(branch)[:1],
        result_types=[v.type for v in values],
        regions=regions,
        location=branch.location,
    )
    outer = branch.parent
    assert outer is not None
    outer.insert_op_before(op, branch)
    return op.results


def _computing(block: Block, values: Sequence[Value]) -> Region:
    """A region with the ops of a block that values need."""
    needed: set[Operation] = set()
    pending = [v.owner for v in values]
    while pending:
        op = pending.pop()
        if not isinstance(op, Operation) or op.parent is not block or op in needed:
            continue
        needed.add(op)
        pending += [v.owner for v in free_values(op)]
    made = Block()
    mapped: dict[Value, Value] = {}
    for op in block.ops:
        if op in needed:
            made.add_op(op.clone(mapped))  # pyright: ignore[reportArgumentType]
    made.add_op(YieldOp.create(operands=[mapped[v] for v in values]))
    return Region(made)


def _zeros(values: Sequence[Value]) -> Region:
    made = Block()
    zeros: list[Value] = []
    for value in values:
        element = element_of(value)
        op: Operation = ConstantOp.create(result_types=[element], properties={"value": literal(0, element)})
        made.add_op(op)
        if shape_of(value):
            op = BroadcastOp.create(
                operands=[op.results[0]], result_types=[value.type], properties={"dims": ints(())}
            )
            made.add_op(op)
        zeros.append(op.results[0])
    made.add_op(YieldOp.create(operands=zeros))
    return Region(made)
