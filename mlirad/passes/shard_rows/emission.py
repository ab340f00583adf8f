"""New ops in a function that is changed in place.

total = before(op, ew.AddOp, [a, b], a.type)        in front of an op, at its place in the user's code
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, IotaOp, SizeOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, array_type, integer, ints, keyword, shape_of


def before(
    place: Operation,
    op_class: type[Operation],
    operands: list[Value],
    type_: Attribute,
    properties: Mapping[str, Attribute] | None = None,
    regions: list[Region] | None = None,
) -> Value:
    """The result of a new op in front of another one."""
    op = op_class.create(
        operands=operands,
        result_types=[type_],
        properties=dict(properties or {}),
        regions=regions or [],
        location=place.location,
    )
    block = place.parent
    assert block is not None
    block.insert_op_before(op, place)
    return op.results[0]


def replace(op: Operation, value: Value) -> None:
    """Put a value in the place of the result of an op."""
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()


def chosen(place: Operation, dim: int, bound: int, value: Value, otherwise: Value) -> Value:
    """The first value in rows with a number below the bound, the other one elsewhere."""
    shape = shape_of(value)
    type_ = array_type(shape, i64)
    number = before(place, IotaOp, [], type_, {"dim": integer(dim)})
    if is_static(bound):
        limit = before(place, ConstantOp, [], i64, {"value": literal(bound, i64)})
    else:
        limit = before(place, SizeOp, [], i64, {"extent": integer(bound)})
    spread = before(place, BroadcastOp, [limit], type_, {"dims": ints(())})
    properties = {"predicate": keyword("lt")}
    is_in = before(place, ew.CompareOp, [number, spread], array_type(shape, i1), properties)
    return before(place, ew.SelectOp, [is_in, value, otherwise], value.type)
