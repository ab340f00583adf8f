"""Integers and conditions as piecewise affine functions of one index.

    Pieces().of(p)      p = select(i < 1, i + 9, i - 1), i < 10      i: 0 .. 1  i + 9,   1 .. 10  i - 1
    Pieces().of(c)      c = p >= 0                                   i: 0 .. 10  true

The index is an argument of a region, or a dimension of an array, such as that of an `array.iota`. A condition
has the values 0 and 1. A condition that depends on several indices, or would have more than `MOST` pieces,
has no such form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.structural import BroadcastOp, IotaOp
from mlirad.dialects.extents import at_most, is_near_size, is_static
from mlirad.dialects.shapes import Value, element_of, is_boolean, is_integer, shape_of, values_of
from mlirad.errors import SizeNeeded
from mlirad.ir.arrays import extents_of
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass

MOST: Final = 8
"""The most pieces of a function."""

_LIMIT: Final = 1 << 31
"""Values beyond this are not followed, so that none wraps."""

Axis: TypeAlias = Value | int
"""An index: an argument of a region, or the number of a dimension."""


class Piece(NamedTuple):
    """`slope * i + offset` for i in `start .. stop - 1`."""

    start: int
    stop: int
    slope: int
    offset: int

    def at(self, i: int) -> int:
        """The value at an index."""
        return self.slope * i + self.offset


@dataclass(frozen=True)
class Along:
    """A function of the index `axis`, by its pieces in order; without an axis a constant of one piece."""

    axis: Axis | None
    pieces: tuple[Piece, ...]

    @property
    def constant(self) -> int | None:
        """The value, if it is the same everywhere."""
        first = self.pieces[0]
        return first.offset if len(self.pieces) == 1 and not first.slope else None

    def clamped(self, extent: int) -> Along | None:
        """The function with its values clamped to positions of a dimension."""
        with suppress(SizeNeeded):
            low = _joined(self, _constant(0), _largest)
            return low and _joined(low, _constant(extent - 1), _smallest)
        return None


class Pieces:
    """The functions known so far."""

    def __init__(self) -> None:
        self._known: dict[Value, Along | None] = {}

    def of(self, value: Value) -> Along | None:
        """The pieces of an integer or a condition, if it has that form."""
        if value not in self._known:
            self._known[value] = None
            with suppress(SizeNeeded):
                self._known[value] = self._read(value)
        return self._known[value]

    def never(self, condition: Value, holds: bool, dim: int, start: int, stop: int) -> bool:
        """Return whether nowhere in `start .. stop - 1` of a dimension a condition is true (or false)."""
        op = condition.owner
        match op:
            case ew.AndOp() | ew.OrOp():
                parts = (self.never(c, holds, dim, start, stop) for c in op.operands)
                if any(parts) if isinstance(op, ew.AndOp) == holds else all(parts):
                    return True
            case ew.NotOp():
                return self.never(op.operand, not holds, dim, start, stop)
            case BroadcastOp() if dim in values_of(op.dims):
                return self.never(op.operand, holds, values_of(op.dims).index(dim), start, stop)
            case _:
                pass
        found = self.of(condition)
        if found is None or found.axis not in (None, dim):
            return False
        with suppress(SizeNeeded):
            met = [p for p in found.pieces if found.axis is None or (p.start < stop and start < p.stop)]
            return all(p.offset != holds for p in met)
        return False

    def _read(self, value: Value) -> Along | None:
        if isinstance(value, BlockArgument):
            return _index_of(value)
        if 0 in shape_of(value) or not (is_integer(value) or is_boolean(value)):
            return None
        number = scalar_of(value)
        if number is not None:
            return _constant(int(number)) if abs(number) < _LIMIT else None
        op = value.owner
        match op:
            case IotaOp():
                dim = op.dim.value.data
                return Along(dim, (Piece(0, shape_of(value)[dim], 1, 0),))
            case BroadcastOp():
                inner = self.of(op.operand)
                if inner is None or not isinstance(inner.axis, int):
                    return inner
                return Along(values_of(op.dims)[inner.axis], inner.pieces)
            case ew.SelectOp():
                return self._chosen(op)
            case ew.NotOp() if is_boolean(value):
                return self._combined(lambda p, q: _line(p, -1, 1), op.operand)
            case ew.NegOp():
                return self._combined(lambda p, q: _line(p, -1, 0), op.operand)
            case ew.ConvertOp() if is_integer(op.operand) and element_of(value) == i64:
                return self.of(op.operand)
            case ew.BinaryOp() | ew.CompareOp():
                emit = _RULES.get(type(op)) or (_comparison(op) if isinstance(op, ew.CompareOp) else None)
                return None if emit is None else self._combined(emit, *op.operands)
            case _:
                return None

    def _combined(self, rule: Rule, x: Value, y: Value | None = None) -> Along | None:
        left = self.of(x)
        right = _constant(0) if y is None else self.of(y)
        return None if left is None or right is None else _joined(left, right, rule)

    def _chosen(self, op: ew.SelectOp) -> Along | None:
        condition = self.of(op.condition)
        if condition is None:
            return None
        known = condition.constant
        if known is not None:
            return self.of(op.on_true if known else op.on_false)
        sides = [self.of(op.on_false), self.of(op.on_true)]
        found: list[Piece] = []
        for piece in condition.pieces:
            side = sides[piece.offset]
            if side is None or side.axis not in (None, condition.axis):
                return None
            found += _within(side, piece.start, piece.stop)
        return _along(condition.axis, found)


Rule: TypeAlias = Callable[[Piece, Piece], "list[Piece] | None"]
"""The combination of two lines over the same indices."""


def _constant(number: int) -> Along:
    return Along(None, (Piece(0, 1, 0, number),))


def _index_of(argument: BlockArgument) -> Along | None:
    op = argument.block.parent_op()
    extents = () if op is None else extents_of(op)
    if argument.index >= len(extents) or not extents[argument.index]:
        return None
    return Along(argument, (Piece(0, extents[argument.index], 1, 0),))


def _joined(x: Along, y: Along, rule: Rule) -> Along | None:
    """The rule on all pieces of two functions, cut where either is."""
    if x.axis is not None and y.axis is not None and x.axis != y.axis:
        return None
    axis = y.axis if x.axis is None else x.axis
    found: list[Piece] = []
    for start, stop in _cuts(x, y) if axis is not None else [(0, 1)]:
        made = rule(_covering(x, start, stop), _covering(y, start, stop))
        if made is None or len(found) > MOST:
            return None
        found += made
    return _along(axis, found)


def _along(axis: Axis | None, pieces: list[Piece]) -> Along | None:
    """The function of these pieces, neighbours on one line united; None for one that is not followed.

    A single index lies on many lines. It goes to a neighbour of the same line first, so that where two lines
    meet, it stays with the one that it was given to.
    """
    united = _all_united(_all_united(pieces, _same_line), _united)
    if len(united) > MOST or any(_is_large(p.at(i)) for p in united for i in (p.start, p.stop - 1)):
        return None
    return Along(axis, tuple(united))


def _is_large(number: int) -> bool:
    """Return whether sums and products of such numbers may wrap. Positions in arrays do not."""
    if is_static(number):
        return abs(number) >= _LIMIT
    return not (at_most(-_LIMIT, number) and is_near_size(number))


def _all_united(pieces: Sequence[Piece], whole_of: Callable[[Piece, Piece], Piece | None]) -> list[Piece]:
    united: list[Piece] = []
    for piece in pieces:
        whole = whole_of(united[-1], piece) if united else None
        if whole is None:
            united.append(piece)
        else:
            united[-1] = whole
    return united


def _same_line(before: Piece, after: Piece) -> Piece | None:
    """Two neighbours on one line as one piece."""
    return Piece(before.start, after.stop, *before[2:]) if before[2:] == after[2:] else None


def _united(before: Piece, after: Piece) -> Piece | None:
    """Two neighbours as one piece, if one's line goes through all of the other."""
    if after.stop - after.start == 1 and before.at(after.start) == after.at(after.start):
        return Piece(before.start, after.stop, before.slope, before.offset)
    if before.stop - before.start == 1 and after.at(before.start) == before.at(before.start):
        return Piece(before.start, after.stop, after.slope, after.offset)
    return None


def _cuts(x: Along, y: Along) -> Iterator[tuple[int, int]]:
    """The intervals on which both functions are lines."""
    ends = sorted({p.stop for a in (x, y) if a.axis is not None for p in a.pieces})
    start = 0
    for end in ends:
        yield start, end
        start = end


def _covering(x: Along, start: int, stop: int) -> Piece:
    """The line of a function on an interval without a cut."""
    if x.axis is None:
        return Piece(start, stop, 0, x.pieces[0].offset)
    line = next(p for p in x.pieces if p.start <= start < p.stop)
    return Piece(start, stop, line.slope, line.offset)


def _within(x: Along, start: int, stop: int) -> list[Piece]:
    """The pieces of a function on an interval."""
    if x.axis is None:
        return [Piece(start, stop, 0, x.pieces[0].offset)]
    met = [p for p in x.pieces if p.start < stop and start < p.stop]
    return [Piece(max(p.start, start), min(p.stop, stop), p.slope, p.offset) for p in met]


def _line(p: Piece, factor: int, constant: int) -> list[Piece]:
    return [Piece(p.start, p.stop, p.slope * factor, p.offset * factor + constant)]


def _added(p: Piece, q: Piece) -> list[Piece]:
    return [Piece(p.start, p.stop, p.slope + q.slope, p.offset + q.offset)]


def _subtracted(p: Piece, q: Piece) -> list[Piece]:
    return [Piece(p.start, p.stop, p.slope - q.slope, p.offset - q.offset)]


def _multiplied(p: Piece, q: Piece) -> list[Piece] | None:
    if q.slope:
        p, q = q, p
    return None if q.slope else _line(p, q.offset, 0)


def _by_sign(p: Piece, q: Piece) -> Iterator[tuple[int, int, int]]:
    """The intervals on which p - q has one sign, with that sign."""
    slope, offset = p.slope - q.slope, p.offset - q.offset
    ends = {p.start, p.stop}
    if slope:
        zero = -offset // slope
        crossing = (zero + 1,) if slope * zero + offset else (zero, zero + 1)
        ends |= {end for end in crossing if p.start < end < p.stop}
    for start, stop in pairwise(sorted(ends)):
        value = slope * start + offset
        yield start, stop, (value > 0) - (value < 0)


def _largest(p: Piece, q: Piece) -> list[Piece]:
    return [_line_of(p, q, a, b, sign) for a, b, sign in _by_sign(p, q)]


def _smallest(p: Piece, q: Piece) -> list[Piece]:
    return [_line_of(p, q, a, b, -sign) for a, b, sign in _by_sign(p, q)]


def _line_of(p: Piece, q: Piece, start: int, stop: int, sign: int) -> Piece:
    """The line of p for a positive sign, that of q for a negative one; where they meet, the steeper one."""
    takes_first = sign > 0 or (sign == 0 and abs(p.slope) > abs(q.slope))
    line = p if takes_first else q
    return Piece(start, stop, line.slope, line.offset)


def _comparison(op: ew.CompareOp) -> Rule:
    signs = _SIGNS[op.predicate.data]
    return lambda p, q: [Piece(a, b, 0, int(sign in signs)) for a, b, sign in _by_sign(p, q)]


def _both(p: Piece, q: Piece) -> list[Piece] | None:
    return [Piece(p.start, p.stop, 0, p.offset & q.offset)] if _are_flags(p, q) else None


def _either(p: Piece, q: Piece) -> list[Piece] | None:
    return [Piece(p.start, p.stop, 0, p.offset | q.offset)] if _are_flags(p, q) else None


def _are_flags(p: Piece, q: Piece) -> bool:
    return not p.slope and not q.slope and {p.offset, q.offset} <= {0, 1}


def _periods(p: Piece, q: Piece) -> list[tuple[int, int, int]] | None:
    """The intervals on which p divided by the constant q has one floor, with that floor."""
    if q.slope or q.offset <= 0:
        return None
    first, last = p.at(p.start) // q.offset, p.at(p.stop - 1) // q.offset
    if abs(last - first) > MOST:
        return None
    if not p.slope:
        return [(p.start, p.stop, first)]
    found: list[tuple[int, int, int]] = []
    start = p.start
    while start < p.stop:
        floor = p.at(start) // q.offset
        edge = (floor + 1) * q.offset if p.slope > 0 else floor * q.offset - 1
        stop = min(p.stop, -((p.offset - edge) // p.slope))
        found.append((start, stop, floor))
        start = stop
    return found


def _remainder(p: Piece, q: Piece) -> list[Piece] | None:
    found = _periods(p, q)
    if found is None:
        return None
    return [Piece(a, b, p.slope, p.offset - floor * q.offset) for a, b, floor in found]


def _quotient(p: Piece, q: Piece) -> list[Piece] | None:
    found = _periods(p, q)
    return None if found is None else [Piece(a, b, 0, floor) for a, b, floor in found]


_SIGNS: Final = {
    "eq": (0,),
    "ne": (-1, 1),
    "lt": (-1,),
    "le": (-1, 0),
    "gt": (1,),
    "ge": (0, 1),
}
"""The signs of x - y for which a comparison of x and y holds."""

_RULES: Final[dict[type, Rule]] = {
    ew.AddOp: _added,
    ew.SubOp: _subtracted,
    ew.MulOp: _multiplied,
    ew.MaxOp: _largest,
    ew.MinOp: _smallest,
    ew.AndOp: _both,
    ew.OrOp: _either,
    ew.RemOp: _remainder,
    ew.FloorDivOp: _quotient,
}
