"""Matrices in the last two dimensions of arrays: products, transposes, triangles, diagonals.

product(b, x, y)                x @ y, of one batch
triangle(b, x, least=1)         where row - column >= 1: the strictly lower triangle
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from mlirad.dialects.array.factorisations import matrices_of
from mlirad.dialects.shapes import Value, array_type, shape_of
from mlirad.ir.arrays import ArrayBuilder


def transposed(b: ArrayBuilder, x: Value) -> Value:
    """The transposed matrices."""
    return b.transpose(x, _exchanged(x))


def product(b: ArrayBuilder, x: Value, y: Value, *, left: bool = False, right: bool = False) -> Value:
    """The products of matrices of one batch; `left` and `right` say which ones are transposed."""
    batch = range(len(shape_of(x)) - 2)
    rank = len(batch)
    return b.dot(x, y, batch, batch, [rank if left else rank + 1], [rank + 1 if right else rank])


def triangle(b: ArrayBuilder, x: Value | Attribute, least: int = 0) -> Value:
    """Booleans in the shape of the matrices: where the row is at least `least` more than the column."""
    shape = shape_of(x)
    rank = len(shape)
    rows, columns = b.iota(shape, rank - 2), b.iota(shape, rank - 1)
    return b.compare("ge", rows, b.add(columns, b.splat(least, array_type(shape, i64))))


def lower(b: ArrayBuilder, x: Value, least: int = 0) -> Value:
    """The matrices with zeros outside of a lower triangle."""
    return b.select(triangle(b, x, least), x, b.zeros(x.type))


def upper(b: ArrayBuilder, x: Value, most: int = 0) -> Value:
    """The matrices with zeros where the row is more than `most` beyond the column."""
    return b.select(triangle(b, x, most + 1), b.zeros(x.type), x)


def identity(b: ArrayBuilder, type_: Attribute) -> Value:
    """Identity matrices."""
    return indicator(b, type_, lambda rows, columns: b.compare("eq", rows, columns))


def indicator(b: ArrayBuilder, type_: Attribute, test: Callable[[Value, Value], Value]) -> Value:
    """Matrices of ones where a test of row and column holds, and zeros elsewhere."""
    shape = shape_of(type_)
    holds = test(b.iota(shape, len(shape) - 2), b.iota(shape, len(shape) - 1))
    return b.select(holds, b.splat(1, type_), b.zeros(type_))


def by_row(b: ArrayBuilder, rows: Value) -> Callable[..., list[Value]]:
    """The positions `(..., rows[..., i], j)` that the elements `(..., i, j)` of matrices are moved from.

    Numbers that are pairs move as one.
    """
    rank = len(shape_of(rows)) + 1

    def place(*indices: Value) -> list[Value]:
        return [*indices[: rank - 2], b.index(rows, indices[: rank - 1]), *indices[rank - 1 :]]

    return place


def diagonal(b: ArrayBuilder, x: Value, *, is_complex: bool = False) -> Value:
    """The diagonals of matrices, of complex ones as pairs."""
    shape = matrices_of(x.type, is_complex=is_complex)
    *batch, rows, columns = shape
    count = len(batch)

    def place(*indices: Value) -> list[Value]:
        return [*indices[: count + 1], *indices[count:]]

    return b.gather(x, (*batch, min(rows, columns), *shape_of(x)[len(shape) :]), place)


def _exchanged(x: Value | Attribute) -> list[int]:
    rank = len(shape_of(x))
    return [*range(rank - 2), rank - 1, rank - 2]
