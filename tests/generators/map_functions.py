"""Makers of random maps through spaces of functions: into them and out of them again."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Region

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, array_type, element_of, ints, product_type, shape_of
from tests.generators.map_primitives import Maker, MapBuilder


def _type(m: Value) -> linear.MapType:
    return linear.map_type(m.type, "map")


def _after(b: MapBuilder, outer: Value, inner: Value) -> Value:
    return b.emit(linear.ComposeOp, [outer, inner], _type(inner).domain, _type(outer).codomain)


def _region(b: MapBuilder, s: Attribute, point: Sequence[Attribute]) -> Region:
    """A region that makes a map out of s of the components of a point."""
    outer, b.block = b.block, Block(arg_types=point)
    m = b.emit(linear.IdentityOp, [], s, s)
    for component in b.block.args:
        end = _type(m).codomain
        if component.type != i64:
            m = _after(b, b.emit(linear.ScaleOp, [component], end, end), m)
        elif shape_of(end):
            part = array_type(shape_of(end)[1:], element_of(end))
            m = _after(b, b.emit(linear.IndexOp, [component], end, part), m)
    b.block.add_op(YieldOp.create(operands=[m]))
    region, b.block = Region(b.block), outer
    return region


def _point(b: MapBuilder, s: Attribute) -> list[Attribute]:
    """Component types of points that a map out of s can be made of."""
    return b.rng.choice(([i64], [element_of(s)], [i64, element_of(s)], [element_of(s), i64]))


def _out(region: Region) -> Attribute:
    last = region.block.last_op
    assert last is not None
    return _type(last.operands[0]).codomain


def _at_points(
    b: MapBuilder,
    op_class: type[linear.PointMapOp],
    space: Attribute,
    part: Attribute,
    point: list[Attribute],
) -> Value:
    """A sum of maps at one or two points, sometimes of those at every position of an index space."""
    domain, codomain = (space, part) if op_class is linear.EvaluateOp else (part, space)

    def one() -> Value:
        return b.emit(op_class, [b.captured(t) for t in point], domain, codomain)

    total = one()
    if b.rng.random() < 0.4:
        total = b.emit(linear.AddOp, [total, one()], domain, codomain)
    return total


def function(b: MapBuilder, s: Attribute) -> Value | None:
    """A function of the argument, evaluated."""
    point = _point(b, s)
    region = _region(b, s, point)
    space = linear.PowerType(product_type(point), _out(region))
    f = b.emit(linear.FunctionOp, [], s, space, None, [region])
    return _after(b, _at_points(b, linear.EvaluateOp, space, space.space, point), f)


def eliminate(b: MapBuilder, s: Attribute) -> Value | None:
    """A collection made of the argument, or of copies of it at every position, eliminated."""
    point = _point(b, s)
    region = _region(b, s, point)
    space = linear.CopowerType(product_type(point), s)
    fold = b.emit(linear.EliminateOp, [], space, _out(region), None, [region])
    if b.rng.random() < 0.5 or not b.fits((3, *shape_of(s))):
        return _after(b, fold, _at_points(b, linear.SingleOp, space, s, point))
    extent = b.rng.randint(0, 3)
    outer, b.block = b.block, Block(arg_types=[i64])
    where = [b.block.args[0] if t == i64 else b.captured(t) for t in point]
    b.block.add_op(YieldOp.create(operands=[b.emit(linear.SingleOp, where, s, space)]))
    singles, b.block = Region(b.block), outer
    domain = linear.stacked_space(s, (extent,))
    all_of = b.emit(linear.BuildTransposeOp, [], domain, space, {"extents": ints((extent,))}, [singles])
    dims = ints(tuple(range(1, len(shape_of(s)) + 1)))
    return _after(b, fold, _after(b, all_of, b.emit(linear.BroadcastOp, [], s, domain, {"dims": dims})))


FUNCTION_MAKERS: dict[type[linear.MapOp], Maker] = {
    linear.FunctionOp: function,
    linear.EliminateOp: eliminate,
    linear.EvaluateOp: function,
    linear.SingleOp: eliminate,
}
