"""Which of the elements that an update sets are still there afterwards.

Where two elements are set at one position, the last in row-major order stays.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import i64
from xdsl.ir import Region

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
    """For each position of the space, whether what it sets is not overwritten."""
    writer = last_writer(b, body, captured, base, space)
    final = b.gather(writer, space, b.clone_region(body, captured, space))
    return b.compare("eq", final, _numbered(b, space))


def unwritten(
    b: ArrayBuilder, body: Region, captured: Mapping[Value, Value], base: Shape, space: Shape
) -> Value:
    """For each position of the base, whether nothing is set there."""
    writer = last_writer(b, body, captured, base, space)
    return b.broadcast(b.compare("lt", writer, b.zeros(writer.type)), base, range(len(shape_of(writer))))


def _numbered(b: ArrayBuilder, space: Shape) -> Value:
    """The row-major number of every position of a space."""
    type_ = array_type(space, i64)
    if not space:
        return b.zeros(type_)
    return b.reshape(b.iota((size_of(type_),), 0), space)
