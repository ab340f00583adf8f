"""Prefetches of memory that passes: slices that a loop over kernels stacks, and no cache holds.

    call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 3, i32 1)     4 KiB ahead, for each line of a block

Processors foresee how a loop goes through memory, but start over on each page. A step of a reverse sweep
reads and writes six or more arrays, and those that the forward sweep has stacked come from memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.lower.bodies.body import Address
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.llvm.text import BYTES
from mlirad.lower.machine import LINE_BYTES


def prefetch(code: BodyCode, addresses: Sequence[Address], distance: int, *, writes: bool) -> None:
    """Prefetch, `distance` bytes ahead, the lines that the current block of lanes reads or writes."""
    for address in addresses:
        block = code.width * BYTES[address.buffer.kind]
        for j in range(code.tiles if address.coefficient(code.tile) else 1):
            pointer = code.spread(address, j).pointer
            for offset in range(0, block // LINE_BYTES * LINE_BYTES, LINE_BYTES):
                code.f.prefetch(code.f.gep(pointer, distance + offset, "i8"), writes=writes)
