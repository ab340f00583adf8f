"""Branches that may be without rows: a round of nothing else is left out where they are.

    %t = array.if %p { yield sum(%x) } else { yield 0 }        needed if %p; else it is 0

So what a norm does where squares overflow costs a round only there.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import IfOp
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import captures, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.shard_rows.flow import Flow
from mlirad.passes.shard_rows.states import Whole


@dataclass(frozen=True, eq=False)
class Spared:
    """A result of a branch, whose region `region` has no rows: the one that is taken if not `needed`."""

    condition: Value
    region: Region
    is_then: bool
    number: int

    @property
    def captured(self) -> list[Value]:
        """The values that the region reads."""
        return captures(self.region)

    def flag(self, block: Block, mapped: dict[Value, Value]) -> Value:
        """Tell, in a block, whether the other region is taken."""
        condition = mapped[self.condition]
        if not self.is_then:
            return condition
        op = ew.NotOp.create(operands=[condition], result_types=[i1])
        block.add_op(op)
        return op.results[0]

    def value(self, block: Block, mapped: dict[Value, Value]) -> Value:
        """The result by the region, in a block."""
        inner = dict(mapped)
        for op in self.region.block.ops:
            if op is not self.region.block.last_op:
                block.add_op(op.clone(inner))  # pyright: ignore[reportArgumentType]
        last = self.region.block.last_op
        assert last is not None
        return inner[own_operands(last)[self.number]]


def without_rows(flow: Flow, value: Value) -> Spared | None:
    """The region of a branch that makes a value without rows, None if both read rows."""
    op = value.owner
    if not isinstance(op, IfOp):
        return None
    number = [r is value for r in op.results].index(True)
    for is_then, region in ((False, op.otherwise), (True, op.then)):
        if _is_whole(flow, region):
            return Spared(own_operands(op)[0], region, is_then, number)
    return None


def _is_whole(flow: Flow, region: Region) -> bool:
    """Tell whether a region reads and computes nothing but what is the same in all chunks."""
    made = [r for op in nested_ops(region) for r in op.results]
    return all(isinstance(flow.states.get(v), Whole) for v in (*captures(region), *made))
