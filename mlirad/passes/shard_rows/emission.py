"""New ops in a function that is changed in place.

total = before(op, ew.AddOp, [a, b], a.type)        in front of an op, at its place in the user's code
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, IotaOp, PadOp, SizeOp, SliceOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, array_type, element_of, int_lists, integer, ints, keyword, shape_of


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


def splat(place: Operation, value: float, like: Value) -> Value:
    """An array of one number, of the type of another."""
    element = element_of(like)
    scalar = before(place, ConstantOp, [], element, {"value": literal(value, element)})
    return before(place, BroadcastOp, [scalar], like.type, {"dims": ints(())}) if shape_of(like) else scalar


def number(place: Operation, extent: int) -> Value:
    """The number that an extent has."""
    if is_static(extent):
        return before(place, ConstantOp, [], i64, {"value": literal(extent, i64)})
    return before(place, SizeOp, [], i64, {"extent": integer(extent)})


def sliced(place: Operation, x: Value, ranges: Mapping[int, tuple[int, int]]) -> Value:
    """The elements from a start on to a limit, for some dimensions of an array."""
    shape = list(shape_of(x))
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    for dim, (start, limit) in ranges.items():
        starts[dim], limits[dim], shape[dim] = start, limit, limit - start
    properties = int_lists(starts=starts, limits=limits, strides=strides)
    return before(place, SliceOp, [x], array_type(tuple(shape), element_of(x)), properties)


def padded(place: Operation, x: Value, value: float, dim: int, low: int, high: int) -> Value:
    """The array with `low` and `high` elements of one number around it, along a dimension."""
    element, shape = element_of(x), list(shape_of(x))
    scalar = before(place, ConstantOp, [], element, {"value": literal(value, element)})
    shape[dim] = shape[dim] + low + high
    lows, highs = ([k if d == dim else 0 for d in range(len(shape))] for k in (low, high))
    properties = int_lists(low=lows, high=highs, interior=[0] * len(shape))
    return before(place, PadOp, [x, scalar], array_type(tuple(shape), element), properties)


def chosen(place: Operation, dim: int, bound: int, value: Value, otherwise: Value) -> Value:
    """The first value in rows with a number below the bound, the other one elsewhere."""
    shape = shape_of(value)
    type_ = array_type(shape, i64)
    numbers = before(place, IotaOp, [], type_, {"dim": integer(dim)})
    limits = before(place, BroadcastOp, [number(place, bound)], type_, {"dims": ints(())})
    properties = {"predicate": keyword("lt")}
    is_in = before(place, ew.CompareOp, [numbers, limits], array_type(shape, i1), properties)
    return before(place, ew.SelectOp, [is_in, value, otherwise], value.type)
