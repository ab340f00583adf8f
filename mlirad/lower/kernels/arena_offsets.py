"""Places in the arena: offsets in bytes, which may have sizes in them.

    ends_before(0, 8 * n, 8 * n + 63)        True
    ends_before(8 * n, 80, 8 * n + 128)      True: both are moved by as much
    ends_before(8 * n, 80, 16 * n)           False: that may begin too early

An offset with sizes in it is rounded up to the alignment when the program runs, so what lies there may begin
up to `BUFFER_ALIGNMENT - 1` bytes later.
"""

from __future__ import annotations

from mlirad.dialects.extents import at_most, is_static
from mlirad.lower.native_program import BUFFER_ALIGNMENT


def ends_before(start: int, size: int, other: int) -> bool:
    """Return whether a given number of bytes from a place on surely end before another place, or the end of
    the arena.
    """
    distance = other - start
    if is_static(distance) and distance % BUFFER_ALIGNMENT == 0:
        return at_most(size, distance)
    return at_most(size + (0 if is_static(start) else BUFFER_ALIGNMENT - 1), distance)


def is_place(offset: int) -> bool:
    """Return whether an offset is aligned, or will be, and not negative."""
    return at_most(0, offset) and not (is_static(offset) and offset % BUFFER_ALIGNMENT)
