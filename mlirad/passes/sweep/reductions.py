"""Reductions and contractions as loops of elementwise ops, which are what an instance has lines for.

array.sum %x         -->   scan 0 %x (c, e. c + e)
array.dot %x, %y     -->   the sum of a product of broadcast arrays
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import reductions
from mlirad.dialects.array.indexing import GatherOp, ScatterOp, UpdateOp
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.shapes import Value, array_type, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.free_values import free_values
from mlirad.passes.function_pass import visit_regions

KINDS: Final[Mapping[str, type[ew.BinaryOp]]] = {
    "sum": ew.AddOp,
    "max": ew.MaxOp,
    "min": ew.MinOp,
    "prod": ew.MulOp,
    "and": ew.AndOp,
    "or": ew.OrOp,
}
"""The ops that reductions repeat."""


def as_loops(function: FuncOp) -> FuncOp:
    """The function without reductions, prefix reductions, scatters and contractions."""
    return rebuild_function(function, _visit)


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    match op:
        case reductions.SumOp():
            made = _reduced(b, env.get(op.operand, op.operand), values_of(op.dims), ew.AddOp)
        case reductions.ReduceOp():
            made = _reduced(b, env.get(op.operand, op.operand), values_of(op.dims), KINDS[op.kind.data])
        case CumulativeOp() if op.kind.data in KINDS:
            made = _prefixes(b, op, env.get(op.operand, op.operand))
        case ScatterOp():
            operand = env.get(op.operand, op.operand)
            made = _scattered(b, op, b.zeros(op.result.type), operand, env)
        case UpdateOp() if op.kind.data == "add":
            base, operand = env.get(op.base, op.base), env.get(op.operand, op.operand)
            made = _scattered(b, op, base, operand, env)
        case reductions.DotOp():
            made = _contracted(b, op, env.get(op.lhs, op.lhs), env.get(op.rhs, op.rhs))
        case _:
            visit_regions(b, op, env, _visit)
            return
    if made is None:
        visit_regions(b, op, env, _visit)
        return
    env[op.results[0]] = made
    if made.name_hint is None:
        made.name_hint = op.results[0].name_hint


def _reduced(b: ArrayBuilder, x: Value, dims: Sequence[int], op_class: type[ew.BinaryOp]) -> Value | None:
    """The first element, with which the others are combined one after another."""
    shape = shape_of(x)
    rest = [d for d in range(len(shape)) if d not in dims]
    kept, count = [shape[d] for d in rest], prod(shape[d] for d in dims)
    if not dims:
        return x
    if not count:
        return None
    rows = b.reshape(b.transpose(x, [*dims, *rest]), (count, *kept))
    first = b.index(rows, [b.index_constant(0)])
    if count == 1:
        return first
    others = b.slice(rows, [1, *(0 for _ in kept)], [count, *kept], [1] * (len(kept) + 1))

    def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        return [b.binary(op_class, state[0], parts[0])], []

    return b.scan([first], [others], count - 1, step)[0][0]


def _prefixes(b: ArrayBuilder, op: CumulativeOp, x: Value) -> Value | None:
    shape, dim = shape_of(x), op.dim.value.data
    if not shape[dim]:
        return None
    order = [dim, *(d for d in range(len(shape)) if d != dim)]
    rows = b.transpose(x, order)
    if op.reverse is not None:
        rows = b.reverse(rows, [0])
    first = b.index(rows, [b.index_constant(0)])
    op_class, count = KINDS[op.kind.data], shape[dim]
    made = b.reshape(first, (1, *shape_of(first)))
    if count > 1:
        others = b.slice(rows, [1, *(0 for _ in shape[1:])], shape_of(rows), [1] * len(shape))

        def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
            total = b.binary(op_class, state[0], parts[0])
            return [total], [total]

        made = b.concatenate([made, b.scan([first], [others], count - 1, step)[1][0]], 0)
    if op.reverse is not None:
        made = b.reverse(made, [0])
    return b.transpose(made, [order.index(d) for d in range(len(shape))])


def _scattered(
    b: ArrayBuilder,
    op: ScatterOp | UpdateOp,
    base: Value,
    x: Value,
    env: Environment,
) -> Value:
    """The elements one after another, each added to what is at its place."""
    shape, space = shape_of(base), shape_of(x)
    if not prod(shape) or not prod(space):
        return base
    numbers = b.reshape(b.iota((prod(shape),), 0), shape)
    known = {v: env.get(v, v) for v in free_values(op)}
    region = b.clone_region(op.body, known, space[: len(op.body.block.args)])
    places = b.insert(GatherOp, [numbers], [array_type(space, i64)], None, [region]).results[0]

    def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        at, found = parts
        new = b.add(b.index(state[0], [at]), found)
        return [b.update("set", state[0], new, 0, lambda: [at])], []

    flat = [b.reshape(v, (prod(space),)) for v in (places, x)]
    final = b.scan([b.reshape(base, (prod(shape),))], flat, prod(space), step)[0][0]
    return b.reshape(final, shape)


def _contracted(b: ArrayBuilder, op: reductions.DotOp, lhs: Value, rhs: Value) -> Value | None:
    batch = values_of(op.lhs_batch), values_of(op.rhs_batch)
    contract = values_of(op.lhs_contract), values_of(op.rhs_contract)
    shapes = shape_of(lhs), shape_of(rhs)
    free = [
        [d for d in range(len(s)) if d not in (*p, *c)]
        for s, p, c in zip(shapes, batch, contract, strict=True)
    ]
    extents = [shapes[0][d] for d in (*batch[0], *free[0])]
    extents += [shapes[1][d] for d in free[1]]
    extents += [shapes[0][d] for d in contract[0]]
    first, second = len(batch[0]), len(batch[0]) + len(free[0])
    last = second + len(free[1])
    places: list[dict[int, int]] = [{}, {}]
    for side in range(2):
        places[side].update((d, k) for k, d in enumerate(batch[side]))
        places[side].update((d, last + k) for k, d in enumerate(contract[side]))
    places[0].update((d, first + k) for k, d in enumerate(free[0]))
    places[1].update((d, second + k) for k, d in enumerate(free[1]))
    wide = [
        b.broadcast(x, extents, [places[side][d] for d in range(len(shapes[side]))])
        for side, x in enumerate((lhs, rhs))
    ]
    return _reduced(b, b.mul(*wide), range(last, len(extents)), ew.AddOp)
