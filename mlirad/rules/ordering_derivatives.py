"""Derivatives of ops whose result depends on the order of elements, and of products.

    sort                  a gather at the positions that argsort finds
    cumulative sum        itself
    cumulative prod       y[i] = x[i] y[i-1]:  dy[i] = x[i] dy[i-1] + y[i-1] dx[i], a recurrence
    cumulative max, min   a gather at the running position of the first that attains the extremum
    reduce prod           each tangent times the product of all other elements

Nothing here divides, so zeros among the factors do no harm. Nor does an overflow, as a zero absorbs it: the
product of the others is 0 where one of them is, even if those before it overflow.
"""

from __future__ import annotations

from math import inf, prod
from typing import Final

from mlirad.dialects import linear
from mlirad.dialects.array import ordering
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder

LANES: Final = 32
"""The number of columns that a block of factors has: as many products run side by side as hide what one
takes."""

ROWS: Final = 128
"""About how many rows a block of factors has: what is made of it stays in the cache of a core."""


def sorted_map(b: ArrayBuilder, op: ordering.SortOp) -> Value:
    """Each sorted element reads its own tangent."""
    dim = op.dim.value.data
    return _gathered_along(b, b.argsort(op.operand, dim), dim, op.operand)


def cumulative_map(b: ArrayBuilder, op: ordering.CumulativeOp) -> Value:
    """The derivative of a prefix reduction."""
    x, dim, backwards = op.operand, op.dim.value.data, op.reverse is not None
    properties = {name: op.properties[name] for name in ("dim", "reverse") if name in op.properties}
    match op.kind.data:
        case "sum":
            return b.map_of(linear.CumulativeSumOp, x.type, x.type, (), properties)
        case "prod":
            before = _before(b, op.result, dim, 1.0, backwards)
            recurrence = b.map_of(linear.RecurrenceOp, x.type, x.type, (x,), properties)
            return b.compose(recurrence, b.scale_map(x.type, before))
        case kind:
            return _gathered_along(b, _attained(b, kind, x, op.result, dim, backwards), dim, x)


def _attained(b: ArrayBuilder, kind: str, x: Value, y: Value, dim: int, backwards: bool) -> Value:
    """The position along `dim` of the first element that attains each running extremum, or is NaN."""
    before = _before(b, y, dim, -inf if kind == "max" else inf, backwards)
    better = b.compare("gt" if kind == "max" else "lt", x, before)
    unordered = b.logical_and(b.compare("ne", x, x), b.compare("eq", before, before))
    position = b.iota(shape_of(x), dim)
    first = b.splat(shape_of(x)[dim] - 1 if backwards else 0, position.type)
    new = b.select(better, position, b.select(unordered, position, first))
    return b.cumulative("min" if backwards else "max", new, dim, backwards)


def _gathered_along(b: ArrayBuilder, positions: Value, dim: int, x: Value) -> Value:
    """The map that reads, at every place, the element of x at `positions` along `dim`."""
    shape = shape_of(x)

    def place(*indices: Value) -> list[Value]:
        return [b.index(positions, indices) if d == dim else i for d, i in enumerate(indices)]

    region = b.index_region(shape, place)
    return b.map_of(linear.GatherOp, x.type, x.type, (), None, (region,))


def _before(b: ArrayBuilder, x: Value, dim: int, first: float, backwards: bool) -> Value:
    """The elements one place earlier along `dim` (backwards: later); `first` at the end."""
    shape = shape_of(x)
    if not shape[dim]:
        return x
    starts, limits, low, high = [0] * len(shape), list(shape), [0] * len(shape), [0] * len(shape)
    if backwards:
        starts[dim], high[dim] = 1, 1
    else:
        limits[dim], low[dim] = shape[dim] - 1, 1
    rest = b.slice(x, starts, limits, [1] * len(shape))
    return b.pad(rest, b.constant(first, element_of(x)), low, high, [0] * len(shape))


def products_of_others(b: ArrayBuilder, x: Value, dims: Shape) -> Value:
    """For each element the product over `dims` of all others: products before it times products after it.

    Zeros absorb. Only in columns of blocks (see `_others_in_blocks`) is infinity times 0 still NaN.
    """
    shape = shape_of(x)
    order = [*(d for d in range(len(shape)) if d not in dims), *dims]
    kept = [shape[d] for d in order[: len(shape) - len(dims)]]
    number = prod(shape[d] for d in dims)
    flat = b.reshape(b.transpose(x, order), (*kept, number))
    others = b.reshape(_others_in_last(b, flat), [shape[d] for d in order])
    return b.transpose(others, [order.index(d) for d in range(len(shape))])


def in_blocks(number: int) -> bool:
    """Return whether products of a given number of factors are made in blocks: they fill several of them, and
    none is left.
    """
    return (
        is_static(number) and number >= 2 * LANES * ROWS and number % (LANES * _rows_of_blocks(number)) == 0
    )


def _others_in_last(b: ArrayBuilder, x: Value) -> Value:
    """For each element the product of all others along the last dimension."""
    *kept, number = shape_of(x)
    if in_blocks(number):
        return _others_in_blocks(b, x)
    rows = b.transpose(x, (len(kept), *range(len(kept))))
    ones = b.splat(1.0, array_type(tuple(kept), element_of(x)))

    def iteration(_: Value, state: list[Value], row: list[Value]) -> tuple[list[Value], list[Value]]:
        return [b.absorbing_mul(state[0], row[0])], state

    sides = [
        b.scan([ones], [rows], number, iteration, reverse=backwards)[1][0] for backwards in (False, True)
    ]
    others = b.absorbing_mul(*sides)
    return b.transpose(others, (*range(1, len(kept) + 1), 0))


def _others_in_blocks(b: ArrayBuilder, x: Value) -> Value:
    """The same where there are many: x is read twice, and what is made of a block stays in the cache.

    A block has `rows` times `LANES` elements, and each lane of it is a column. The products of all columns
    but one come first. A column begins with that of the others, so what comes before each of its elements,
    times what comes after it in the column, is the product of all others.
    """
    *kept, number = shape_of(x)
    rows, lines = _rows_of_blocks(number), prod(kept)
    count = number // (rows * LANES)
    blocks = b.reshape(x, (lines * count, rows, LANES))
    columns = b.reshape(b.reduce("prod", blocks, (1,)), (*kept, count * LANES))
    starts = b.reshape(_others_in_last(b, columns), (lines * count, LANES))
    ones = b.splat(1.0, array_type((LANES,), element_of(x)))

    def before(_: Value, state: list[Value], row: list[Value]) -> tuple[list[Value], list[Value]]:
        return [b.absorbing_mul(state[0], row[0])], state

    def after(_: Value, state: list[Value], row: list[Value]) -> tuple[list[Value], list[Value]]:
        return [b.absorbing_mul(state[0], row[0])], [b.absorbing_mul(state[0], row[1])]

    def block(number: Value, _: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        factors = b.index(blocks, [number])
        _, (first,) = b.scan(parts, [factors], rows, before)
        return [], b.scan([ones], [factors, first], rows, after, reverse=True)[1]

    _, (made,) = b.scan([], [starts], lines * count, block, checkpoint="recompute", kept=True)
    return b.reshape(made, (*kept, number))


def _rows_of_blocks(number: int) -> int:
    """Return how many rows a block has of a given number of factors: about `ROWS`, with as few left over as
    can be.
    """
    return min(range(ROWS * 3 // 4, ROWS * 3 // 2), key=lambda rows: number % (rows * LANES))
