"""Makers of random maps of loops and branches, whose regions hold random maps in spine form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array.control import WhileOp, tape_type
from mlirad.dialects.array.elementwise import AbsorbingMulOp, AddOp, CompareOp, NegOp, SubOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import (
    FLAG,
    Value,
    array_type,
    components_of,
    element_of,
    integer,
    ints,
    keyword,
    shape_of,
    tuple_type,
)
from tests.generators.map_primitives import Maker, MapBuilder


def _region(b: MapBuilder, types: Sequence[Attribute], body: Callable[[Sequence[Value]], Value]) -> Region:
    """A region that yields one map."""
    outer, b.block = b.block, Block(arg_types=types)
    b.block.add_op(YieldOp.create(operands=[body(b.block.args)]))
    region, b.block = Region(b.block), outer
    return region


def _scaled(b: MapBuilder, m: Value, coefficient: Value) -> Value:
    type_ = linear.map_type(m.type, "map")
    times = b.emit(linear.ScaleOp, [coefficient], type_.codomain, type_.codomain)
    return b.emit(linear.ComposeOp, [times, m], type_.domain, type_.codomain)


def _component(
    b: MapBuilder, space: Sequence[Attribute], type_: Attribute, coefficients: Sequence[Value]
) -> Value:
    """A random sum of scaled components of a tuple that have the given type."""
    domain = tuple_type(space)
    alike = [k for k, t in enumerate(space) if t == type_]
    total = b.emit(linear.ZeroOp, [], domain, type_)
    for k in b.rng.sample(alike, b.rng.randint(0, len(alike))):
        term = b.emit(linear.ProjectOp, [], domain, type_, {"index": integer(k)})
        usable = [c for c in coefficients if c.type in (type_, element_of(type_))]
        if usable and b.rng.random() < 0.8:
            term = _scaled(b, term, b.rng.choice(usable))
        total = b.emit(linear.AddOp, [total, term], domain, type_)
    return total


def _tuple(
    b: MapBuilder, space: Sequence[Attribute], types: Sequence[Attribute], coefficients: Sequence[Value]
) -> Value:
    parts = [_component(b, space, t, coefficients) for t in types]
    return b.emit(linear.VcatOp, parts, tuple_type(space), tuple_type(types))


def _from(b: MapBuilder, m: Value, s: Attribute, stacked: Sequence[int] = (), length: int = 0) -> Value:
    """A map out of a tuple of copies of s, after the map that makes them; those in `stacked` are stacked."""
    type_ = linear.map_type(m.type, "map")
    rank = len(shape_of(s))
    copies: list[Value] = []
    for k in range(len(components_of(type_.domain))):
        if k in stacked:
            target = array_type((length, *shape_of(s)), element_of(s))
            copies.append(
                b.emit(linear.BroadcastOp, [], s, target, {"dims": ints(tuple(range(1, rank + 1)))})
            )
        else:
            copies.append(b.emit(linear.IdentityOp, [], s, s))
    pair = b.emit(linear.VcatOp, copies, s, type_.domain)
    return b.emit(linear.ComposeOp, [m, pair], s, type_.codomain)


def scan(b: MapBuilder, s: Attribute) -> Value | None:
    length = b.rng.choice((0, 1, 2, 3))
    stacked_type = array_type((length, *shape_of(s)), element_of(s))
    if not b.fits(shape_of(stacked_type)):
        return None
    carries, inputs, captured, outputs = (b.rng.randint(0, 2) for _ in range(4))
    space = [s] * (carries + inputs + captured)
    residuals = [b.captured(array_type((length,), element_of(s))), b.captured(stacked_type)]
    made = [s] * (carries + outputs)
    body = _region(
        b,
        [i64, element_of(s), s],
        lambda args: _tuple(b, space, made, [*args[1:], b.captured(element_of(s))]),
    )
    properties: dict[str, Attribute] = {
        "carries": integer(carries),
        "inputs": integer(inputs),
        "captured": integer(captured),
        "length": integer(length),
    }
    if b.rng.random() < 0.5:
        properties["reverse"] = FLAG
    domain = tuple_type([*[s] * carries, *[stacked_type] * inputs, *[s] * captured])
    codomain = tuple_type([*[s] * carries, *[stacked_type] * outputs])
    m = b.emit(linear.ScanOp, residuals, domain, codomain, properties, [body])
    return _from(b, m, s, range(carries, carries + inputs), length)


def while_(b: MapBuilder, s: Attribute) -> Value | None:
    """The map of a loop of at most 3 iterations, which records a captured value."""
    carries, captured = b.rng.randint(0, 2), b.rng.randint(0, 2)
    recorded = b.captured(s)
    zero, one, limit = (
        ConstantOp.create(result_types=[i64], properties={"value": integer(k)})
        for k in (0, 1, b.rng.randint(0, 3))
    )
    condition, body = Block(arg_types=[i64]), Block(arg_types=[i64])
    less = CompareOp.create(
        operands=[condition.args[0], limit.results[0]],
        result_types=[i1],
        properties={"predicate": keyword("lt")},
    )
    condition.add_ops([less, YieldOp.create(operands=[less.results[0]])])
    more = AddOp.create(operands=[body.args[0], one.results[0]], result_types=[i64])
    body.add_ops([more, YieldOp.create(operands=[more.results[0], recorded])])
    loop = WhileOp.create(
        operands=[zero.results[0]],
        result_types=[i64, tape_type([s])],
        properties={"record": integer(1)},
        regions=[Region(condition), Region(body)],
    )
    b.block.add_ops([zero, one, limit, loop])
    space = [s] * (carries + captured)
    region = _region(b, [s], lambda args: _tuple(b, space, [s] * carries, args))
    m = b.emit(
        linear.WhileOp,
        [loop.results[1]],
        tuple_type(space),
        tuple_type([s] * carries),
        {"carries": integer(carries)},
        [region],
    )
    return _from(b, m, s)


def _branches(
    b: MapBuilder, s: Attribute, op_class: type[linear.BranchOp], choice: Value | None, count: int
) -> Value:
    space, made = [s] * b.rng.randint(0, 2), [s] * b.rng.randint(1, 2)
    coefficients = [b.captured(s), b.captured(element_of(s))]
    regions = [_region(b, [], lambda _: _tuple(b, space, made, coefficients)) for _ in range(count)]
    operands = [] if choice is None else [choice]
    m = b.emit(op_class, operands, tuple_type(space), tuple_type(made), None, regions)
    return _from(b, m, s)


def if_(b: MapBuilder, s: Attribute) -> Value | None:
    return _branches(b, s, linear.IfOp, b.captured(i1), 2)


def switch(b: MapBuilder, s: Attribute) -> Value | None:
    return _branches(b, s, linear.SwitchOp, b.captured(i64), b.rng.randint(1, 3))


def checkpoint(b: MapBuilder, s: Attribute) -> Value | None:
    return _branches(b, s, linear.CheckpointOp, None, 1)


def rule(b: MapBuilder, s: Attribute) -> Value | None:
    """x and y to k x and x - y by code, and its transpose by code."""
    k, types = b.captured(s), [s, s]

    def code(ops: Callable[[Value, Value], Sequence[Operation]], *yielded: int) -> Region:
        block = Block(arg_types=types)
        made = ops(*block.args)
        block.add_ops(made)
        block.add_op(YieldOp.create(operands=[made[n].results[0] for n in yielded]))
        return Region(block)

    def op(op_class: type[Operation], *operands: Value) -> Operation:
        return op_class.create(operands=operands, result_types=[s])

    def transposed(u: Value, v: Value) -> list[Operation]:
        scaled = op(AbsorbingMulOp, k, u)
        return [scaled, op(AddOp, scaled.results[0], v), op(NegOp, v)]

    forward = code(lambda x, y: [op(AbsorbingMulOp, k, x), op(SubOp, x, y)], 0, 1)
    regions = [forward, code(transposed, 1, 2)]
    m = b.emit(linear.RuleOp, [], tuple_type(types), tuple_type(types), None, regions)
    return _from(b, m, s)


CONTROL_MAP_MAKERS: dict[type[linear.ControlMapOp], Maker] = {
    linear.ScanOp: scan,
    linear.WhileOp: while_,
    linear.IfOp: if_,
    linear.SwitchOp: switch,
    linear.CheckpointOp: checkpoint,
    linear.RuleOp: rule,
}
