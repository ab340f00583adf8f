"""Joined rows of one array become a slice of that array.

    %a = array.index %r[%c0]
    %b = array.index %r[%c1]            -->     array.concatenate (array.stack %z), %r[0:...]
    ...
    array.stack %z, %a, %b, ...

So a list that a Python loop makes, of what becomes rows of a loop's result, costs no op for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation

from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.structural import BroadcastOp, ConcatenateOp, ReshapeOp, StackOp
from mlirad.dialects.shapes import Shape, Value, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass

LEAST_ROWS = 8
"""Fewer rows are put together one by one."""


@dataclass
class _Rows:
    """`count` rows of an array from `first` on."""

    array: Value
    first: int
    count: int = 1

    def value(self, b: ArrayBuilder) -> Value:
        """The rows as an array."""
        shape = shape_of(self.array)
        starts, limits = [self.first, *([0] * (len(shape) - 1))], [self.first + self.count, *shape[1:]]
        return b.slice(self.array, starts, limits, [1] * len(shape))


def joined_rows(b: ArrayBuilder, joined: Value) -> Value | None:
    """A `stack` or `concatenate` with a slice for rows that follow each other, if there are many such."""
    op = joined.owner
    if not size_of(joined.type):
        return None
    if isinstance(op, StackOp):
        pieces = _pieces(op.parts)
        if pieces is None:
            return None
        own = shape_of(op.parts[0])
        rows = b.concatenate(
            [_as_rows(b, p.value(b), own) if isinstance(p, _Rows) else b.stack(p, 0) for p in pieces], 0
        )
        dim = op.dim.value.data
        return b.transpose(rows, [*range(1, dim + 1), 0, *range(dim + 1, len(shape_of(rows)))])
    if isinstance(op, ConcatenateOp) and op.dim.value.data == 0:
        pieces = _pieces(op.parts)
        if pieces is None:
            return None
        rest = shape_of(joined)[1:]
        return b.concatenate(
            [_as_rows(b, p.value(b), rest) if isinstance(p, _Rows) else b.concatenate(p, 0) for p in pieces],
            0,
        )
    return None


def _pieces(parts: Sequence[Value]) -> list[_Rows | list[Value]] | None:
    """The parts in order, those together that are rows of one array in a row; `None` if no such are many."""
    groups: list[tuple[_Rows | None, list[Value]]] = []
    for part in parts:
        rows, last = _row(part), groups[-1] if groups else None
        if last is not None and rows is None and last[0] is None:
            last[1].append(part)
        elif last is not None and rows is not None and last[0] is not None and _follows(rows, last[0]):
            last[0].count += 1
            last[1].append(part)
        else:
            groups.append((rows, [part]))
    found: list[_Rows | list[Value]] = []
    for rows, own in groups:
        if rows is not None and rows.count >= LEAST_ROWS:
            found.append(rows)
        elif found and isinstance(found[-1], list):
            found[-1] += own
        else:
            found.append(own)
    return found if any(isinstance(piece, _Rows) for piece in found) else None


def _follows(rows: _Rows, before: _Rows) -> bool:
    return rows.array is before.array and rows.first == before.first + before.count


def _row(part: Value) -> _Rows | None:
    """The row of an array that a part is, in its own shape or with a dimension of extent 1 in front."""
    op = part.owner
    if isinstance(op, BroadcastOp | ReshapeOp) and shape_of(part) == (1, *shape_of(op.operand)):
        op = op.operand.owner
    if not isinstance(op, Operation) or not isinstance(op, IndexOp) or len(op.positions) != 1:
        return None
    position = scalar_of(op.positions[0])
    return None if position is None else _Rows(op.operand, int(position))


def _as_rows(b: ArrayBuilder, x: Value, rest: Shape) -> Value:
    """Arrays one after the other along dimension 0, each with the shape `rest` behind it."""
    return b.reshape(x, (prod(shape_of(x)) // prod(rest), *rest))
