"""Makers of random maps over index spaces, and of maps given by linear code."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, reductions, structural
from mlirad.dialects.array.control import IfOp, ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import (
    UNIT,
    Value,
    array_type,
    element_of,
    integer,
    ints,
    shape_of,
    tuple_type,
)
from tests.generators.map_primitives import PRIMITIVE_MAKERS, Maker, MapBuilder


def _after(b: MapBuilder, outer: Value, inner: Value) -> Value:
    domain = linear.map_type(inner.type, "map").domain
    codomain = linear.map_type(outer.type, "map").codomain
    return b.emit(linear.ComposeOp, [outer, inner], domain, codomain)


def _read(b: MapBuilder, array: Value, position: Value) -> Value:
    """The part of an array at a position."""
    type_ = array_type(shape_of(array)[1:], element_of(array))
    op = indexing.IndexOp.create(operands=[array, position], result_types=[type_])
    b.block.add_op(op)
    return op.results[0]


def _at_position(b: MapBuilder, s: Attribute, position: Value, extent: int) -> Value:
    """A random map out of an array space that depends on a position."""
    choice = b.rng.randrange(4)
    if choice == 0 and shape_of(s):
        m = b.emit(linear.IndexOp, [position], s, array_type(shape_of(s)[1:], element_of(s)))
    elif choice == 1:
        m = b.emit(linear.OneHotOp, [position], s, array_type((b.extent(), *shape_of(s)), element_of(s)))
    else:
        coefficients = b.captured(array_type((extent, *b.rng.choice((shape_of(s), ()))), element_of(s)))
        m = b.emit(linear.ScaleOp, [_read(b, coefficients, position)], s, s)
    end = linear.map_type(m.type, "map").codomain
    if b.rng.random() < 0.5:
        made = b.rng.choice(list(PRIMITIVE_MAKERS.values()))(b, end)
        m = m if made is None else _after(b, made, m)
    if b.rng.random() < 0.3:
        parts = [m, b.emit(linear.IdentityOp, [], s, s), b.emit(linear.ZeroOp, [], s, UNIT)]
        codomain = tuple_type([linear.map_type(p.type, "map").codomain for p in parts])
        m = b.emit(linear.VcatOp, parts, s, codomain)
    return m


def _region(b: MapBuilder, extents: tuple[int, ...], body: Callable[[Value, int], Value]) -> Region:
    """A region over an index space that yields the map made at its last index."""
    outer, b.block = b.block, Block(arg_types=[i64] * len(extents))
    made = body(b.block.args[-1], extents[-1])
    b.block.add_op(YieldOp.create(operands=[made]))
    region, b.block = Region(b.block), outer
    return region


def _made_by(region: Region) -> linear.MapType:
    last = region.block.last_op
    assert last is not None
    return linear.map_type(last.operands[0].type, "map")


def _fits(b: MapBuilder, space: Attribute) -> bool:
    return all(b.fits(shape_of(leaf)) for leaf in _leaves(space))


def _leaves(space: Attribute) -> list[Attribute]:
    parts = linear.carried(space)
    return [leaf for p in parts for leaf in ([p] if parts == (space,) else _leaves(p))]


def build(b: MapBuilder, s: Attribute) -> Value | None:
    extents = tuple(b.rng.choice((0, 1, 2, 3)) for _ in range(b.rng.randint(1, 2)))
    region = _region(b, extents, lambda i, n: _at_position(b, s, i, n))
    codomain = linear.stacked_space(_made_by(region).codomain, extents)
    if not _fits(b, codomain):
        region.drop_all_references()
        return None
    return b.emit(linear.BuildOp, [], s, codomain, {"extents": ints(extents)}, [region])


def build_transpose(b: MapBuilder, s: Attribute) -> Value | None:
    """The sum of maps of copies of what it is given."""
    extents = tuple(b.rng.choice((0, 1, 2, 3)) for _ in range(b.rng.randint(1, 2)))
    if not b.fits((*extents, *shape_of(s))):
        return None
    region = _region(b, extents, lambda i, n: _at_position(b, s, i, n))
    domain = linear.stacked_space(s, extents)
    properties: dict[str, Attribute] = {"extents": ints(extents)}
    m = b.emit(linear.BuildTransposeOp, [], domain, _made_by(region).codomain, properties, [region])
    dims = tuple(range(len(extents), len(extents) + len(shape_of(s))))
    return _after(b, m, b.emit(linear.BroadcastOp, [], s, domain, {"dims": ints(dims)}))


class _Code:
    """Random linear code: values that are linear in the tangents, and ops that keep it so."""

    def __init__(self, b: MapBuilder, tangents: list[Value]):
        self.b = b
        self.tangents = tangents

    def emit(self, op: Operation) -> Value:
        self.b.block.add_op(op)
        return op.results[0]

    def step(self) -> None:
        """One more tangent."""
        b, rng = self.b, self.b.rng
        x = rng.choice(self.tangents)
        type_, shape, element = x.type, shape_of(x), element_of(x)
        alike = rng.choice([t for t in self.tangents if t.type == type_])
        choice = rng.randrange(9)
        if choice == 0:
            op: Operation = ew.NegOp.create(operands=[x], result_types=[type_])
        elif choice == 1:
            op = rng.choice((ew.AddOp, ew.SubOp)).create(operands=[x, alike], result_types=[type_])
        elif choice == 2:
            factors = [x, b.captured(type_)]
            rng.shuffle(factors)
            op = rng.choice((ew.MulOp, ew.AbsorbingMulOp)).create(operands=factors, result_types=[type_])
        elif choice == 3:
            condition = b.captured(array_type(shape, i1))
            op = ew.SelectOp.create(operands=[condition, x, alike], result_types=[type_])
        elif choice == 4 and b.fits((2, *shape)):
            dims = ints(tuple(range(1, len(shape) + 1)))
            op = structural.BroadcastOp.create(
                operands=[x], result_types=[array_type((2, *shape), element)], properties={"dims": dims}
            )
        elif choice == 5 and shape:
            op = reductions.SumOp.create(
                operands=[x], result_types=[array_type(shape[1:], element)], properties={"dims": ints((0,))}
            )
        elif choice == 6 and shape:
            operands = [x, b.captured(i64)]
            op = indexing.IndexOp.create(operands=operands, result_types=[array_type(shape[1:], element)])
        elif choice == 7 and shape:
            op = self._running_sum(x)
        else:
            branches = [Region(Block([YieldOp.create(operands=[v])])) for v in (x, alike)]
            op = IfOp.create(operands=[b.captured(i1)], result_types=[type_], regions=branches)
        self.tangents.append(self.emit(op))

    def _running_sum(self, x: Value) -> Operation:
        """A loop that multiplies and adds the slices of a tangent."""
        type_ = array_type(shape_of(x)[1:], element_of(x))
        start = self._zero(element_of(x))
        if shape_of(type_):
            spread = structural.BroadcastOp.create(
                operands=[start], result_types=[type_], properties={"dims": ints(())}
            )
            start = self.emit(spread)
        factor = self.b.captured(type_)
        block = Block(arg_types=[i64, type_, type_])
        product = ew.MulOp.create(operands=[block.args[1], factor], result_types=[type_])
        total = ew.AddOp.create(operands=[product.results[0], block.args[2]], result_types=[type_])
        block.add_ops([product, total, YieldOp.create(operands=[total.results[0]])])
        properties = {"carries": integer(1), "length": integer(shape_of(x)[0])}
        return ScanOp.create(
            operands=[start, x], result_types=[type_], properties=properties, regions=[Region(block)]
        )

    def _zero(self, element: Attribute) -> Value:
        assert isinstance(element, Float64Type | Float32Type)
        value = FloatAttr(0.0, element)
        return self.emit(structural.ConstantOp.create(result_types=[element], properties={"value": value}))


def lambda_(b: MapBuilder, s: Attribute) -> Value | None:
    """Random linear code on one or two copies of what it is given."""
    pair = b.rng.random() < 0.4
    domain = tuple_type([s, UNIT, s]) if pair else s
    outer, b.block = b.block, Block(arg_types=linear.carried(domain))
    code = _Code(b, list(b.block.args))
    for _ in range(b.rng.randint(1, 6)):
        code.step()
    results = code.tangents[-b.rng.randint(1, 2) :]
    b.block.add_op(YieldOp.create(operands=results))
    region, b.block = Region(b.block), outer
    types = [v.type for v in results]
    codomain = types[0] if len(types) == 1 else tuple_type(types)
    m = b.emit(linear.LambdaOp, [], domain, codomain, None, [region])
    if not pair:
        return m
    one = b.emit(linear.IdentityOp, [], s, s)
    unit = b.emit(linear.ZeroOp, [], s, UNIT)
    return _after(b, m, b.emit(linear.VcatOp, [one, unit, one], s, domain))


BUILD_MAKERS: dict[type[linear.MapOp], Maker] = {
    linear.BuildOp: build,
    linear.BuildTransposeOp: build_transpose,
    linear.LambdaOp: lambda_,
}
