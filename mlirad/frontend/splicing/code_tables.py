"""The two tables of a code object that speak of its instructions: exception handlers and source positions.

handlers(code)              which handler goes with which instructions, counted in units of two bytes
encoded_handlers(found)     the same as `co_exceptiontable`
encoded_positions(...)      positions of instructions as `co_linetable`

The formats are those of CPython 3.11 to 3.13, as its files `exception_handling_notes.txt` and `locations.md`
describe them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from types import CodeType
from typing import TypeAlias

from mlirad.lazy_dataclass import dataclass

Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]
"""First and last line of an instruction, first and last column, as `co_positions` gives them."""

_START = 128
"""Marks the first byte of an entry."""

_LONG, _NO_COLUMNS, _NOWHERE = 14, 13, 15
"""Kinds of entries in the table of positions: with columns, without, and without a line."""

_LONGEST = 8
"""The number of units that one entry of that table covers at most."""


@dataclass(frozen=True)
class Handler:
    """The handler of errors of the units from `start` up to `end`: at which unit, with which stack."""

    start: int
    end: int
    target: int
    depth_and_lasti: int


def handlers(code: CodeType) -> list[Handler]:
    """The handlers of a code object, in the order of the table."""
    numbers = list(_big_endian_numbers(code.co_exceptiontable))
    found = zip(*(iter(numbers),) * 4, strict=True)
    return [Handler(start, start + size, target, rest) for start, size, target, rest in found]


def encoded_handlers(found: Iterable[Handler]) -> bytes:
    """A table of handlers."""
    table = bytearray()
    for h in found:
        at = len(table)
        for number in (h.start, h.end - h.start, h.target, h.depth_and_lasti):
            table += bytes(_big_endian(number))
        table[at] |= _START
    return bytes(table)


def entry_ends(table: bytes) -> Iterator[tuple[int, int]]:
    """The ends of the entries of a table of positions: in units of code, and in bytes of the table."""
    units = 0
    for at, byte in enumerate(table):
        if byte & _START:
            if at:
                yield units, at
            units += (byte & 7) + 1
    yield units, len(table)


def same_line(units: int) -> bytes:
    """Entries for units that stand in the line of what is before them."""
    full, rest = divmod(units, _LONGEST)
    sizes = [_LONGEST] * full + [rest] * bool(rest)
    return b"".join(bytes((_START | _NO_COLUMNS << 3 | size - 1, 0)) for size in sizes)


def encoded_positions(first_line: int, positions: Iterable[tuple[int, Position]]) -> bytes:
    """A table of positions, from how many units stand at which."""
    table = bytearray()
    line = first_line
    for position, together in groupby(positions, itemgetter(1)):
        units = sum(size for size, _ in together)
        for at in range(0, units, _LONGEST):
            size = min(_LONGEST, units - at)
            table += _entry(size, position, line)
            line = line if position[0] is None else position[0]
    return bytes(table)


def _entry(size: int, position: Position, line: int) -> bytes:
    first, last, start, end = position
    if first is None:
        return bytes((_START | _NOWHERE << 3 | size - 1,))
    if last is None or start is None or end is None:
        return bytes((_START | _NO_COLUMNS << 3 | size - 1, *_signed(first - line)))
    numbers = (*_signed(first - line), *_number(last - first), *_number(start + 1), *_number(end + 1))
    return bytes((_START | _LONG << 3 | size - 1, *numbers))


def _number(value: int) -> Iterator[int]:
    """A number in groups of six bits, the lowest first."""
    while value > 63:
        yield 64 | value & 63
        value >>= 6
    yield value


def _signed(value: int) -> Iterator[int]:
    return _number(-value << 1 | 1 if value < 0 else value << 1)


def _big_endian(value: int) -> list[int]:
    """A number in groups of six bits, the highest first."""
    groups = [value & 63]
    while value := value >> 6:
        groups.insert(0, 64 | value & 63)
    return groups


def _big_endian_numbers(table: bytes) -> Iterator[int]:
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            yield value
            value = 0
