"""Kernels ask ahead for memory that passes: what a loop over kernels kept, and no cache holds.

    call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 3, i32 1)     4 KiB ahead, for each line of a block

Processors foresee how a loop goes through memory, but begin anew on each page. A step of a reverse sweep
reads and writes six or more arrays, of which those that the forward sweep has kept come from memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.lower.bodies.body import Address
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.llvm.text import BYTES
from mlirad.lower.machine import LINE_BYTES


def fetch_ahead(code: BodyCode, addresses: Sequence[Address], distance: int, *, writes: bool) -> None:
    """Ask, in the innermost loop, `distance` bytes ahead for what lanes will read or write at those of the
    addresses whose memory passes. Of several addresses in one place the first is enough.
    """
    first = {address.buffer.place: address for address in reversed(addresses) if address.buffer.passes}
    for address in first.values():
        if not _runs_along(code, address):
            continue
        block = code.width * BYTES[address.buffer.kind]
        for j in range(code.tiles if address.coefficient(code.tile) else 1):
            pointer = code.spread(address, j).pointer
            for offset in range(0, block // LINE_BYTES * LINE_BYTES, LINE_BYTES):
                code.f.prefetch(code.f.gep(pointer, distance + offset, "i8"), writes=writes)


def _runs_along(code: BodyCode, address: Address) -> bool:
    """Return whether the innermost loop goes through memory element by element, several of them at once."""
    is_innermost = code.width > 1 and code.order[-1] == code.lane
    return is_innermost and address.runs_along(code.lane)
