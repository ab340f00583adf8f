"""Rows beside rows: what a chunk has of the chunks next to it.

    %b, %k = shard_rows.border %x                the first rows of each chunk: a list over chunks
    %s = shard_rows.shifted %x, %b               row i is row i + 1 of %x, the last one that of the next chunk

A chunk reads the rows beside it from the list (`plan.Beside`), so a value whose rows move takes a round more.
Chunks may be shorter than what is read.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, var_operand_def

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.structural import ConcatenateOp, ReshapeOp
from mlirad.dialects.shapes import Value, array_type, element_of, integer, integer_of, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.shard_rows.emission import before, number, padded, replace, sliced
from mlirad.passes.shard_rows.flow import GROUP, PREFIX, Flow, new_group
from mlirad.passes.shard_rows.prefixes import READ
from mlirad.passes.shard_rows.states import refused

BORDER: Final = {True: "rows after", False: "rows before"}
"""The marks of borders, which a dimension follows: of rows after a chunk, which it reads, or before it."""


@irdl_op_definition
class BorderOp(IRDLOperation):
    """The first rows of a chunk, or the last ones, of shape `(1, ..., count, ...)`, and how many it has."""

    name = "shard_rows.border"
    parts = var_operand_def()
    dim = prop_def(IntegerAttr[I64])
    offset = prop_def(IntegerAttr[I64])
    rows = result_def()
    number = result_def()


@irdl_op_definition
class ShiftedOp(IRDLOperation):
    """Row i is row `i + offset` of the first operand; the second has the border of the chunks beside."""

    name = "shard_rows.shifted"
    parts = var_operand_def()
    dim = prop_def(IntegerAttr[I64])
    offset = prop_def(IntegerAttr[I64])
    result = result_def()


def moved_by(place: Operation, x: Value, dim: int, offset: int) -> Value:
    """The rows `offset` rows on; those that there are not have any values."""
    if offset == 0:
        return x
    if not isinstance(place.parent_op(), FuncOp):
        raise refused(
            place,
            "neighbouring rows are read inside of a loop or a branch, and may be in other chunks",
            "read them in front of it: np.where(c, x[1:], y[1:]) in place of a branch",
        )
    shape = list(shape_of(x))
    shape[dim] = abs(offset)
    properties = {"dim": integer(dim), "offset": integer(offset)}
    border = BorderOp.create(
        operands=[x],
        result_types=[array_type((1, *shape), element_of(x)), array_type((1,), i64)],
        properties=properties,
        attributes={PREFIX: StringAttr(f"{BORDER[offset > 0]} {dim}"), GROUP: new_group("list")},
        location=place.location,
    )
    block = place.parent
    assert block is not None
    block.insert_op_before(border, place)
    made = before(place, ShiftedOp, [x, border.rows], x.type, properties)
    assert isinstance(made.owner, Operation)
    made.owner.attributes[PREFIX] = StringAttr(READ)
    return made


def border(op: BorderOp, flow: Flow) -> None:
    """Have a chunk return its first rows, or its last ones, with zeros for those that it has too few."""
    (x,) = own_operands(op)
    dim, offset = integer_of(op.dim), integer_of(op.offset)
    count, rows = abs(offset), shape_of(x)[dim]
    if offset > 0:
        found = sliced(op, padded(op, x, 0, dim, 0, count), {dim: (0, count)})
    else:
        found = sliced(op, padded(op, x, 0, dim, count, 0), {dim: (rows, rows + count)})
    entry = before(op, ReshapeOp, [found], op.rows.type)
    there = before(op, ew.MinOp, [number(op, rows), number(op, count)], i64)
    for old, new in ((op.rows, entry), (op.number, before(op, ReshapeOp, [there], op.number.type))):
        flow.rename(old, new)
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def shifted(op: ShiftedOp, flow: Flow) -> None:
    """Have a chunk put the border of the chunks beside it to its own rows."""
    x, entry = own_operands(op)
    dim, offset = integer_of(op.dim), integer_of(op.offset)
    shape = list(shape_of(x))
    rows, count = shape[dim], shape_of(entry)[dim + 1]
    shape[dim] = count
    beside = before(op, ReshapeOp, [entry], array_type(tuple(shape), element_of(x)))
    shape[dim] = rows + count
    parts = [x, beside] if offset > 0 else [beside, x]
    joined = before(op, ConcatenateOp, parts, array_type(tuple(shape), element_of(x)), {"dim": integer(dim)})
    first = offset if offset > 0 else count + offset
    found = sliced(op, joined, {dim: (first, first + rows)})
    flow.rename(op.result, found)
    replace(op, found)
