"""Values that are equal to others and yet not the same: they have coefficients of their own.

Two inputs of a function may be one value, and so may an input and the tangent of another. While coefficients
are computed each is the result of an op that no constructor looks through; `settle` takes these away again.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Block, Operation
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from mlirad.dialects.shapes import Value
from mlirad.dialects.syntax import StructuredOp
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.regions import nested_ops


@irdl_op_definition
class StandInOp(StructuredOp):
    """Its operand, under another name; it is in no program that a pass leaves."""

    name = "taylor.stand_in"
    operand = operand_def()
    result = result_def()
    ONE_TYPE: ClassVar = True


def stand_in(b: ArrayBuilder, value: Value) -> Value:
    """A new value that is equal to this one."""
    op = StandInOp.create(operands=[value], result_types=[value.type], location=b.location)
    b.block.add_op(op)
    return op.result


def settled(value: Value) -> Value:
    """The value itself that one stands for."""
    while isinstance(value.owner, StandInOp):
        value = value.owner.operand
    return value


def settle(block: Block, after: Operation | None) -> None:
    """Let what is read in a block, behind the op `after`, be the values themselves."""
    op = block.first_op if after is None else after.next_op
    found: list[Operation] = []
    while op is not None:
        found.append(op)
        for region in op.regions:
            found += nested_ops(region)
        op = op.next_op
    for inner in found:
        if isinstance(inner, StandInOp):
            inner.result.replace_all_uses_with(inner.operand)
            inner.detach()
            inner.erase()
