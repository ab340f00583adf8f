"""Regions: the walk through all ops in one, and what cuts a finished one down in place.

for op in nested_ops(function.body): ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import BlockArgument, Operation, Region

from mlirad.dialects.array.indexing import YieldOp


def nested_ops(region: Region) -> Iterator[Operation]:
    """Every op in a region, those of inner regions included, without recursion."""
    pending = [block.first_op for block in region.blocks]
    while pending:
        op = pending.pop()
        while op is not None:
            following = op.next_op
            yield op
            if op.regions:
                pending.append(following)
                pending += [block.first_op for inner in op.regions for block in inner.blocks]
                break
            op = following


def keep_yields(region: Region, kept: Sequence[int]) -> None:
    """Make a region yield only the values at the given places."""
    last = region.block.last_op
    assert isinstance(last, YieldOp)
    if len(kept) != len(last.operands):
        last.operands = [last.operands[k] for k in kept]


def remove_argument(argument: BlockArgument) -> None:
    """Remove an argument that nothing reads from its block."""
    argument.block.erase_arg(argument)


def discard(*regions: Region) -> None:
    """Drop regions that no op holds, so that what they captured does not count as used."""
    for region in regions:
        region.drop_all_references()
