"""Data under ops that move elements: the same move forward, and its transpose for any sum.

    y = gather x e      data[y] = gather data[x] e
                        data[x] at p(i) = data[x] at p(i) + data[y] at i      where p = gather (0, 1, 2, ..) e

An op that moves elements shows where they came from when it moves the numbers of the elements instead. So the
transpose takes no table, and needs of the sum only that it is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import MOVES, IndexOp, UpdateOp
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.passes.sweep.instance import Instance, flattened

Lookup = Callable[[Value], Value]
"""The image of a source value."""


def is_move(op: Operation) -> bool:
    """Tell whether an op only moves elements."""
    return isinstance(op, MOVES) or (isinstance(op, UpdateOp) and op.kind.data == "set")


def moved_places(op: Operation) -> Sequence[int]:
    """The places of the operands whose elements are moved."""
    (places,) = linear.LINEAR_IN[type(op)]
    return range(len(own_operands(op))) if linear.ALL in places else places


def deciding(op: Operation) -> list[Value]:
    """The operands by which a move decides where elements go."""
    moved = {own_operands(op)[k] for k in moved_places(op)}
    return [v for v in free_values(op) if v not in moved]


def move(b: ArrayBuilder, op: Operation, value: Lookup, images: Sequence[Value], element: Attribute) -> Value:
    """The op on other arrays in the place of its moved operands."""
    operands = list(map(value, own_operands(op)))
    for k, image in zip(moved_places(op), images, strict=True):
        operands[k] = image
    env = {v: value(v) for v in free_values(op)}
    regions = [b.clone_region(region, env, extents_of(op)) for region in op.regions]
    type_ = array_type(shape_of(op.results[0]), element)
    return b.insert(type(op), operands, [type_], op.properties, regions).results[0]


def add_back(
    b: ArrayBuilder,
    instance: Instance,
    op: Operation,
    value: Lookup,
    place: int,
    sums: tuple[Value, Value],
) -> Value:
    """The data of a moved operand, with those of the result added where its elements went.

    `sums` are those of the operand and of the result.
    """
    before, after = sums
    operand = own_operands(op)[place]
    if isinstance(op, IndexOp) and not shape_of(op.results[0]):
        positions = [value(v) for v in op.positions]
        new = instance.plus(b, b.index(before, positions), after)
        return b.update("set", before, new, 0, lambda: positions)
    images: list[Value] = []
    for k in moved_places(op):
        source = own_operands(op)[k]
        images.append(_numbers(b, source) if k == place else b.zeros(array_type(shape_of(source), i64)))
    numbers = flattened(b, move(b, op, value, images, i64))
    total, data = flattened(b, before), flattened(b, after)
    one = b.index_constant(1)

    def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        number, found = parts
        is_here = b.compare("gt", number, b.index_constant(0))
        at = b.select(is_here, b.sub(number, one), b.index_constant(0))
        old = b.index(state[0], [at])
        new = b.select(is_here, instance.plus(b, old, found), old)
        return [b.update("set", state[0], new, 0, lambda: [at])], []

    count = shape_of(numbers)[0]
    if not count or not prod(shape_of(operand)):
        return before
    final = b.scan([total], [numbers, data], count, step)[0][0]
    return b.reshape(final, shape_of(operand))


def _numbers(b: ArrayBuilder, x: Value) -> Value:
    """1, 2, 3 ... for the elements of an array, in row-major order; 0 is not an element."""
    shape = shape_of(x)
    count = prod(shape)
    line = b.add(b.iota((count,), 0), b.broadcast(b.index_constant(1), (count,), ()))
    return b.reshape(line, shape)


def element_type(instance: Instance, value: Value) -> Attribute:
    """The type of an element of what a value carries."""
    space = instance.space(value.type)
    assert space is not None
    return element_of(space)
