"""Splits: a loop whose index is divided is cut in two, so that positions are affine in both.

    %q = array.div %i, 32                        loops i1 of 4 and i2 of 32, where i = 32 i1 + i2
    %r = array.rem %i, 32               -->
    kernel.load %x[%q, %r]                       kernel.load %x[%i1, %i2]

A reshape between two arrays reads so. Vectors run along a loop only where positions are affine in it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal, literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import at_most, divides
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.kernel.nests import SCHEDULE
from mlirad.dialects.shapes import Value, ints, values_of


def split_loops(op: NestOp) -> None:
    """Cut the loops of a nest whose indices are divided by a number that divides their extents."""
    while (found := _divided(op)) is not None:
        _split(op, *found)


def _divided(op: NestOp) -> tuple[int, int] | None:
    """A loop whose index is divided, and the divisor; the least one first, as others then divide a part."""
    if op.combiners is not None and any(c.data.startswith("arg") for c in op.combiners.data):
        return None
    found: list[tuple[int, int]] = []
    for x, argument in enumerate(op.body.block.args):
        for use in argument.uses:
            divisor = _divisor(use.operation, argument)
            if divisor is None or divisor < 2 or not divides(divisor, op.extents[x]):
                continue
            if at_most(divisor + 1, op.extents[x]):
                found.append((divisor, x))
    if not found:
        return None
    divisor, x = min(found)
    return x, divisor


def _divisor(op: Operation, index: Value) -> int | None:
    """The number by which an op divides an index, if it does."""
    if not isinstance(op, ew.DivOp | ew.RemOp) or op.operands[0] is not index:
        return None
    owner = op.operands[1].owner
    return int(literal_array(owner).item()) if isinstance(owner, ConstantOp) else None


def _split(op: NestOp, x: int, divisor: int) -> None:
    """Cut loop x in two; the inner one has as many iterations as the divisor says.

    Properties that refer to loops by their numbers are dropped.
    """
    block = op.body.block
    outer, inner = block.insert_arg(i64, x), block.insert_arg(i64, x + 1)
    old = block.args[x + 2]
    for use in list(old.uses):
        user = use.operation
        if _divisor(user, old) == divisor:
            user.results[0].replace_all_uses_with(outer if isinstance(user, ew.DivOp) else inner)
            user.detach()
            user.erase()
    if old.first_use is not None:
        old.replace_all_uses_with(_joined(block, outer, inner, divisor))
    block.erase_arg(old)
    rank = len(values_of(op.space))
    extents = (*op.extents[:x], op.extents[x] // divisor, divisor, *op.extents[x + 1 :])
    rank += x < rank
    for name in SCHEDULE:
        op.properties.pop(name, None)
    op.properties["space"], op.properties["reduction"] = ints(extents[:rank]), ints(extents[rank:])


def _joined(block: Block, outer: BlockArgument, inner: BlockArgument, divisor: int) -> Value:
    """The index that two loops make together, at the start of a body."""
    properties: dict[str, Attribute] = {"value": literal(divisor, i64)}
    factor = ConstantOp.create(result_types=[i64], properties=properties)
    scaled = ew.MulOp.create(operands=[outer, factor.result], result_types=[i64])
    index = ew.AddOp.create(operands=[scaled.results[0], inner], result_types=[i64])
    first = block.first_op
    assert first is not None
    block.insert_ops_before([factor, scaled, index], first)
    return index.results[0]
