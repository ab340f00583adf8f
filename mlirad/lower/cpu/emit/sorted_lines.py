"""A line that is being sorted, in two pieces of memory: where it is, and where it is written next.

lines = Lines(f, ["double", "i64"], [keys, positions], [more_keys, more_positions])
moved = lines.load(lines.here(), k)             the element k, and its position
lines.store(moved, lines.there(), place)
lines.swap()                                    what was written is where the line is
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value


class Lines:
    """The columns of a line, its elements and perhaps their positions, each in one of two places."""

    def __init__(self, f: IRBuilder, kinds: Sequence[Kind], line: Sequence[Value], other: Sequence[Value]):
        self._f = f
        self._kinds = kinds
        self._line = line
        self._slots = [(f.alloca("ptr", 1, 8), f.alloca("ptr", 1, 8)) for _ in kinds]
        for (here, there), a, b in zip(self._slots, line, other, strict=True):
            f.store(a, here)
            f.store(b, there)

    @property
    def kind(self) -> Kind:
        """The kind of the elements."""
        return self._kinds[0]

    def here(self) -> list[Value]:
        """The addresses of the columns."""
        return [self._f.load(here, "ptr") for here, _ in self._slots]

    def there(self) -> list[Value]:
        """The addresses to which the columns are written."""
        return [self._f.load(there, "ptr") for _, there in self._slots]

    def swap(self) -> None:
        """Make what was written the line."""
        for (here, there), a, b in zip(self._slots, self.here(), self.there(), strict=True):
            self._f.store(b, here)
            self._f.store(a, there)

    def load(self, columns: Sequence[Value], at: Value) -> list[Value]:
        """The element at a place, and its position."""
        f = self._f
        return [f.load(f.gep(c, at, k), k) for c, k in zip(columns, self._kinds, strict=True)]

    def store(self, values: Sequence[Value], columns: Sequence[Value], at: Value) -> None:
        """Put an element and its position somewhere."""
        f = self._f
        for value, column, kind in zip(values, columns, self._kinds, strict=True):
            f.store(value, f.gep(column, at, kind))

    def bring_home(self, n: Value) -> None:
        """Copy the line of n elements to where it was first, unless it is there."""
        f = self._f
        for here, first, kind in zip(self.here(), self._line, self._kinds, strict=True):
            with f.conditional(f.icmp("ne", here, first)):
                f.memcpy(first, here, f.mul(n, BYTES[kind]))
