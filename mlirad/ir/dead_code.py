"""Removal of ops whose results nothing reads. Every op of the language is pure, so each may go."""

from __future__ import annotations

from xdsl.ir import Block


def erase_unused(block: Block) -> int:
    """Erase unused ops of the block and of the regions in it, last first; returns how many there were."""
    erased = 0
    op = block.last_op
    while op is not None:
        previous = op.prev_op
        if op.results and all(r.first_use is None for r in op.results):
            op.detach()
            op.erase()
            erased += 1
        else:
            for region in op.regions:
                for inner in region.blocks:
                    erased += erase_unused(inner)
        op = previous
    return erased
