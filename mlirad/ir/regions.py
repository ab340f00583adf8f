"""Cutting finished regions in place: dropping arguments, yielded values and whole regions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, Region

from mlirad.dialects.array.indexing import YieldOp


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
