"""Free gaps of an arena: the smallest gap that fits is taken, neighbours are joined when released.

Where bytes have sizes in them, pieces keep their bounds.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from mlirad.dialects.extents import at_most, is_static, nominal
from mlirad.lower.native_program import BUFFER_ALIGNMENT


class Arena:
    """Free gaps of an arena that grows at its end."""

    def __init__(self) -> None:
        self.size = 0
        self._gaps: list[tuple[int, int]] = []

    def take(self, size: int) -> int:
        """The offset of `size` bytes in the smallest gap that holds them, or at the end."""
        size = aligned(size)
        if size == 0:
            return 0
        fitting = [(length, start, k) for k, (start, length) in enumerate(self._gaps) if length >= size]
        if fitting:
            length, start, k = min(fitting)
            if length == size:
                del self._gaps[k]
            else:
                self._gaps[k] = (start + size, length - size)
            return start
        start = self.size
        if self._gaps and sum(self._gaps[-1]) == self.size:
            start = self._gaps.pop()[0]
        self.size = start + size
        return start

    def release(self, start: int, size: int) -> None:
        """Give bytes back, joined with the gaps beside them."""
        size = aligned(size)
        if size == 0:
            return
        k = bisect_left(self._gaps, (start, 0))
        if k < len(self._gaps) and self._gaps[k][0] == start + size:
            size += self._gaps.pop(k)[1]
        if k > 0 and sum(self._gaps[k - 1]) == start:
            start, length = self._gaps.pop(k - 1)
            size += length
        insort(self._gaps, (start, size))


class SizedArena:
    """An arena in which bytes may have sizes in them: a piece is used again by what surely fits into it.

    A piece that begins where it is not known how far is moved up to the alignment when the program runs.
    """

    def __init__(self) -> None:
        self.size = 0
        self._rooms: dict[int, int] = {}
        """The bytes of each piece, by its start."""
        self._free: set[int] = set()

    def take(self, size: int) -> int:
        """The offset of the smallest piece that has room, or of a new one at the end."""
        fitting = [start for start in self._free if at_most(size, self._rooms[start])]
        if fitting:
            start = min(fitting, key=lambda start: (nominal(self._rooms[start]), nominal(start)))
            self._free.remove(start)
            return start
        start = self.size
        self._rooms[start] = size
        self.size = start + (aligned(size) if is_static(start) else size + BUFFER_ALIGNMENT - 1)
        return start

    def release(self, start: int, size: int) -> None:
        """Give a piece back."""
        self._free.add(start)


def aligned(size: int) -> int:
    """Bytes rounded up to the alignment; where they have sizes in them the most that this may be."""
    if not is_static(size):
        return size + (BUFFER_ALIGNMENT - 1)
    return -(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
