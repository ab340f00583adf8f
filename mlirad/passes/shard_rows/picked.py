"""The code of a chunk for rows at positions that are the same in all chunks: one chunk has each of them.

    %r = array.index %x[%i]              ->  %j = %i - first row;  %r = %x[%j] if the chunk has it, else least
    %g = array.scatter %v () { %i }      ->  written by the chunk that has row %i alone

Values that chunks read are combined by their maximum (`ROW`), as all but one have the least number of the
type. Positions in a region are clamped to rows that are put around those of the chunk, and are cut off again.
"""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import GatherOp, IndexOp, ScatterOp, UpdateOp
from mlirad.dialects.array.reductions import identity
from mlirad.dialects.array.structural import SizeOp
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    integer,
    is_float,
    keyword,
    shape_of,
)
from mlirad.ir.free_values import own_operands, replace_operand
from mlirad.passes.shard_rows.emission import before, padded, replace, sliced, splat
from mlirad.passes.shard_rows.flow import Flow
from mlirad.passes.shard_rows.states import Rows


class Numbers(Protocol):
    """Numbers that the code of a chunk takes as arguments."""

    def first(self, each: int) -> Value:
        """The number of the chunk's first element along a dimension that has `each` for each row."""
        ...

    def constant(self, value: int) -> Value:
        """A number that is known."""
        ...

    def extent(self, scale: int, offset: int) -> Value:
        """`scale * n + offset` for the number n of all rows."""
        ...


def rewrite(op: Operation, rows: Rows, flow: Flow, numbers: Numbers) -> None:
    """Change an op that reads or writes rows at positions that all chunks know, in place."""
    if isinstance(op, IndexOp):
        _index(op, rows, flow, numbers)
    elif isinstance(op, GatherOp):
        replace_operand(op, 0, _surrounded(op, op.operand, rows.dim))
        _move(op, rows, numbers)
    elif isinstance(op, ScatterOp | UpdateOp):
        _write(op, rows, flow, numbers)


def _index(op: IndexOp, rows: Rows, flow: Flow, numbers: Numbers) -> None:
    operands = own_operands(op)
    k = 1 + rows.dim
    position = _in_chunk(op, operands[k], rows, numbers)
    inside = _is_inside(op, position, shape_of(op.operand)[rows.dim], numbers)
    found = before(op, IndexOp, [*operands[:k], position, *operands[k + 1 :]], op.result.type)
    other = splat(op, identity("max", element_of(found)), found)
    picked = before(op, ew.SelectOp, [inside, found, other], found.type)
    flow.rename(op.result, picked)
    replace(op, picked)


def _in_chunk(place: Operation, position: Value, rows: Rows, numbers: Numbers) -> Value:
    """The position, clamped to all rows, as one among the rows of the chunk."""
    last = numbers.extent(rows.each, -1)
    low = before(place, ew.MinOp, [position, last], i64)
    clamped = before(place, ew.MaxOp, [low, numbers.constant(0)], i64)
    return before(place, ew.SubOp, [clamped, numbers.first(rows.each)], i64)


def _is_inside(place: Operation, position: Value, extent: int, numbers: Numbers) -> Value:
    """Tell whether the chunk has the row at a position among its own."""
    there = before(place, SizeOp, [], i64, {"extent": integer(extent)})
    zero = numbers.constant(0)
    low = before(place, ew.CompareOp, [position, zero], i1, {"predicate": keyword("ge")})
    high = before(place, ew.CompareOp, [position, there], i1, {"predicate": keyword("lt")})
    return before(place, ew.AndOp, [low, high], i1)


def _surrounded(place: Operation, value: Value, dim: int) -> Value:
    """The array with a row of the least number in front and behind."""
    return padded(place, value, identity("max", element_of(value)), dim, 1, 1)


def _with_two_more(value: Value, dim: int) -> Attribute:
    shape = list(shape_of(value))
    shape[dim] += 2
    return array_type(tuple(shape), element_of(value))


def _move(op: GatherOp | ScatterOp | UpdateOp, rows: Rows, numbers: Numbers) -> None:
    """Have the region yield positions among the surrounded rows of the chunk."""
    last = op.body.block.last_op
    assert last is not None
    local = _in_chunk(last, own_operands(last)[rows.dim], rows, numbers)
    replace_operand(last, rows.dim, before(last, ew.AddOp, [local, numbers.constant(1)], i64))


def _write(op: ScatterOp | UpdateOp, rows: Rows, flow: Flow, numbers: Numbers) -> None:
    if not op.body.block.args and not isinstance(op.parent_op(), ScatterOp | UpdateOp):
        _write_one(op, rows, numbers)
        return
    _move(op, rows, numbers)
    dim, result = rows.dim, op.result
    wide = _with_two_more(result, dim)
    operands = list(own_operands(op))
    if isinstance(op, UpdateOp):
        operands[0] = _surrounded(op, op.base, dim)
    body = op.body
    op.detach_region(body)
    made = before(op, type(op), operands, wide, op.properties, [body])
    cut = sliced(op, made, {dim: (1, shape_of(result)[dim] + 1)})
    flow.rename(result, cut)
    replace(op, cut)


def _write_one(op: ScatterOp | UpdateOp, rows: Rows, numbers: Numbers) -> None:
    """Chunks without the row write what is there already."""
    block = op.body.block
    last = block.last_op
    assert last is not None
    for inner in list(block.ops):
        if inner is not last:
            inner.detach()
            assert op.parent is not None
            op.parent.insert_op_before(inner, op)
    positions = list(own_operands(last))
    positions[rows.dim] = _in_chunk(op, positions[rows.dim], rows, numbers)
    replace_operand(last, rows.dim, positions[rows.dim])
    inside = _is_inside(op, positions[rows.dim], shape_of(op.result)[rows.dim], numbers)
    k = 1 if isinstance(op, UpdateOp) else 0
    row = own_operands(op)[k]
    if isinstance(op, UpdateOp) and op.kind.data == "set":
        otherwise = before(op, IndexOp, [op.base, *positions], row.type)
    else:
        otherwise = splat(op, -0.0 if is_float(row) else 0, row)
    replace_operand(op, k, before(op, ew.SelectOp, [inside, row, otherwise], row.type))
