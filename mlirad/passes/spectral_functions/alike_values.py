"""Values that are computed alike of different elements, as members of a build.

f(w[0]) * v[0, 0], f(w[2]) * v[0, 2]   -->   build k { f(w[c[k]]) * v[0, c[k]] },  c = [0, 2]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import Value, element_of, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import own_operands
from mlirad.passes.bulk_operations import bulk_function

FOLLOWED = (
    ew.ElementwiseOp,
    structural.BroadcastOp,
    structural.ReshapeOp,
    structural.TransposeOp,
    structural.ReverseOp,
    structural.SliceOp,
    indexing.IndexOp,
    SumOp,
    DotOp,
)
"""Ops that terms are made of."""


def cut_dim(op: structural.SliceOp) -> int | None:
    """The one dimension along which a slice takes a part, if that is one element."""
    old, new = shape_of(op.operand), shape_of(op.result)
    parts = [d for d, (p, q) in enumerate(zip(old, new, strict=True)) if p != q]
    return parts[0] if len(parts) == 1 and new[parts[0]] == 1 else None


def constant_positions(op: indexing.IndexOp) -> tuple[int, ...] | None:
    """The positions of an element, if they are constants."""
    owners = [p.owner for p in op.positions]
    if not all(isinstance(o, structural.ConstantOp) for o in owners):
        return None
    return tuple(int(literal_array(o)) for o in owners if isinstance(o, structural.ConstantOp))


def are_alike(values: Sequence[Value]) -> bool:
    """Return whether values differ only by the elements that they read, at one varying position each."""
    first = values[0].owner
    if all(v is values[0] for v in values) or isinstance(first, structural.ConstantOp):
        return True
    if not isinstance(first, FOLLOWED):
        return False
    ops = [v.owner for v in values]
    if isinstance(first, indexing.IndexOp):
        places = [constant_positions(op) for op in ops if isinstance(op, indexing.IndexOp)]
        return sum(len(set(p)) > 1 for p in zip(*(p for p in places if p), strict=True)) <= 1
    if isinstance(first, structural.SliceOp) and cut_dim(first) is not None:
        return True
    rows = [own_operands(op) for op in ops if isinstance(op, Operation)]
    return all(are_alike(column) for column in zip(*rows, strict=True))


def sum_of_values(b: ArrayBuilder, values: Sequence[Value], env: Environment) -> Value:
    """The sum of values that are alike, as that of a build."""

    def body(b: ArrayBuilder, k: Value, local: Environment) -> Value:
        made: dict[tuple[Value, ...], Value] = {}

        def emitted(x: tuple[Value, ...]) -> Value:
            if x not in made:
                made[x] = _emitted(b, x, k, local, emitted)
            return made[x]

        return emitted(tuple(values))

    return sum_of_build(b, len(values), list(dict.fromkeys(_outer(values))), env, body)


def _outer(values: Sequence[Value]) -> Iterator[Value]:
    """The arrays and values that values which are alike are computed from."""
    op = values[0].owner
    if all(v is values[0] for v in values):
        yield values[0]
    elif isinstance(op, indexing.IndexOp) or (isinstance(op, structural.SliceOp) and cut_dim(op) is not None):
        yield op.operand
    else:
        for column in zip(
            *(own_operands(v.owner) for v in values if isinstance(v.owner, Operation)), strict=True
        ):
            yield from _outer(column)


def sum_of_build(
    b: ArrayBuilder,
    count: int,
    outer: Sequence[Value],
    env: Environment,
    body: Callable[[ArrayBuilder, Value, Environment], Value],
) -> Value:
    """The sum of a build, as code without builds: a function of the values that it is read from."""

    def function(b: ArrayBuilder, *args: Value) -> list[Value]:
        def member(k: Value) -> Value:
            return body(b, k, dict(zip(outer, args, strict=True)))

        return [b.sum(b.build([count], member), [0])]

    bulk = bulk_function(new_function("columns", [v.type for v in outer], function))
    (found,) = b.inline_block(function_block(bulk), [env.get(v, v) for v in outer], {})
    return found


def _emitted(
    b: ArrayBuilder,
    values: tuple[Value, ...],
    k: Value,
    env: Environment,
    emitted: Callable[[tuple[Value, ...]], Value],
) -> Value:
    """The value number k."""
    first = values[0]
    op = first.owner
    if all(v is first for v in values):
        return env.get(first, first)
    assert isinstance(op, Operation)
    ops = [v.owner for v in values]
    if isinstance(op, structural.ConstantOp):
        numbers = [literal_array(o) for o in ops if isinstance(o, structural.ConstantOp)]
        return b.index(b.constant(np.stack(numbers), element_of(first)), [k])
    if isinstance(op, indexing.IndexOp):
        source = env.get(op.operand, op.operand)
        places = [constant_positions(o) or () for o in ops if isinstance(o, indexing.IndexOp)]
        return b.index(source, [_position(b, p, k) for p in zip(*places, strict=True)])
    if isinstance(op, structural.SliceOp):
        dim = cut_dim(op)
        if dim is not None:
            source = env.get(op.operand, op.operand)
            starts = [values_of(o.starts)[dim] for o in ops if isinstance(o, structural.SliceOp)]
            place = _position(b, starts, k)
            column = b.gather(source, shape_of(source)[:dim], lambda *i: [*i, place])
            return b.reshape(column, shape_of(first))
    rows = [own_operands(o) for o in ops if isinstance(o, Operation)]
    operands = [emitted(tuple(column)) for column in zip(*rows, strict=True)]
    if isinstance(op, ew.ElementwiseOp):
        return b.apply_elementwise(type(op), operands, op.properties, element_of(first))
    if isinstance(op, DotOp):
        return b.dot(operands[0], operands[1], *op.batch, *op.contract)
    local = {own_operands(op)[0]: operands[0]}
    b.rebuild(op, local)
    return local[first]


def _position(b: ArrayBuilder, places: Sequence[int], k: Value) -> Value:
    """The place number k."""
    if len(set(places)) == 1:
        return b.index_constant(places[0])
    if tuple(places) == tuple(range(len(places))):
        return k
    return b.index(b.constant(list(places), i64), [k])
