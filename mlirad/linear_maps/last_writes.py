"""The elements set by an update that no later write replaces.

Where two elements are set at one position, the last in row-major order stays.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Shape, Value, array_type, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields


def last_writer(
    b: ArrayBuilder, body: Region, captured: Mapping[Value, Value], base: Shape, space: Shape
) -> Value:
    """For each leading position of the base, the row-major number of what was set there last, or -1."""
    nobody = b.splat(-1, array_type(base[: len(yields(body))], i64))
    return b.update("set", nobody, _numbered(b, space), len(space), b.clone_region(body, captured, space))


def surviving_writes(
    b: ArrayBuilder, body: Region, captured: Mapping[Value, Value], base: Shape, space: Shape
) -> Value:
    """For each position of the space, whether what it sets is not overwritten.

    True at once where the positions tell all points apart; then it costs nothing. Otherwise it costs as much
    as the base has elements.
    """
    if _tell_apart(b, body, base, space):
        return b.splat(True, array_type(space, i1))
    writer = last_writer(b, body, captured, base, space)
    final = b.gather(writer, space, b.clone_region(body, captured, space))
    return b.compare("eq", final, _numbered(b, space))


def unwritten(
    b: ArrayBuilder, body: Region, captured: Mapping[Value, Value], base: Shape, space: Shape
) -> Value:
    """For each position of the base, whether nothing is set there."""
    writer = last_writer(b, body, captured, base, space)
    return b.broadcast(b.compare("lt", writer, b.zeros(writer.type)), base, range(len(shape_of(writer))))


def _tell_apart(b: ArrayBuilder, body: Region, base: Shape, space: Shape) -> bool:
    """Return whether each index of the space alone decides one of the positions, all of these inside the
    base.
    """
    found: set[int] = set()
    for position, extent in zip(yields(body), base, strict=False):
        for d, index in enumerate(body.block.args):
            line = _line(b, position, index)
            if (
                line is not None
                and line[0]
                and all(0 <= at < extent for at in (line[1], _end(line, space[d])))
            ):
                found.add(d)
    return all(d in found or extent <= 1 for d, extent in enumerate(space))


def _end(line: tuple[int, int], extent: int) -> int:
    return line[0] * (extent - 1) + line[1]


def _line(b: ArrayBuilder, position: Value, index: Value) -> tuple[int, int] | None:
    """Factor and offset of a position that is a linear function of one index."""
    if position is index:
        return 1, 0
    constant = b.scalar_of(position)
    if constant is not None:
        return 0, int(constant)
    op = position.owner
    if not isinstance(op, ew.AddOp | ew.SubOp | ew.MulOp):
        return None
    left, right = _line(b, op.lhs, index), _line(b, op.rhs, index)
    if left is None or right is None:
        return None
    match op:
        case ew.AddOp():
            return left[0] + right[0], left[1] + right[1]
        case ew.SubOp():
            return left[0] - right[0], left[1] - right[1]
        case _ if left[0] and right[0]:
            return None
        case _:
            return left[0] * right[1] + right[0] * left[1], left[1] * right[1]


def _numbered(b: ArrayBuilder, space: Shape) -> Value:
    """The row-major number of every position of a space."""
    type_ = array_type(space, i64)
    if not space:
        return b.zeros(type_)
    return b.reshape(b.iota((size_of(type_),), 0), space)
