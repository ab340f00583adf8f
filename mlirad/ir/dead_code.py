"""Removal of ops whose results nothing reads. Every op of the language is pure, so each may go."""

from __future__ import annotations

from xdsl.ir import Block


def erase_unused(block: Block, kept: str | None = None) -> int:
    """Erase unused ops of the block and of the regions in it, last first; returns how many there were.

    Ops with the attribute `kept` stay.
    """
    erased = 0
    op = block.last_op
    while op is not None:
        previous = op.prev_op
        is_kept = kept is not None and kept in op.attributes
        if op.results and not is_kept and all(r.first_use is None for r in op.results):
            op.detach()
            op.erase()
            erased += 1
        else:
            for region in op.regions:
                for inner in region.blocks:
                    erased += erase_unused(inner, kept)
        op = previous
    return erased
