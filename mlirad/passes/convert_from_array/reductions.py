"""Reductions, contractions, and ops along a dimension.

array.sum, reduce, dot   ->  linalg.generic with reduction dimensions, on an identity
array.argmax             ->  linalg.generic with two results, the extremum and where it is
array.argsort            ->  how many elements come before each one; n² comparisons along a line of n
array.cumulative         ->  scf.for along the dimension, the last slice carried
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.dialects.linalg import ops
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import ordering, reductions
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of, values_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_from_array.arrays import transpose
from mlirad.passes.convert_from_array.conversion import Conversion, Handler
from mlirad.passes.convert_from_array.emitter import Emitter
from mlirad.passes.convert_from_array.scalars import compare, is_nan

_COMBINERS: dict[str, tuple[type[Any], type[Any]]] = {
    "add": (arith.AddfOp, arith.AddiOp),
    "prod": (arith.MulfOp, arith.MuliOp),
    "max": (arith.MaximumfOp, arith.MaxSIOp),
    "min": (arith.MinimumfOp, arith.MinSIOp),
    "and": (arith.AndIOp, arith.AndIOp),
    "or": (arith.OrIOp, arith.OrIOp),
}
"""The ops that combine floats and integers."""


def _combiner(u: Emitter, kind: str, x: Value) -> Callable[[Value, Value], Value]:
    """Return what combines elements like those of x."""
    return u.binary(_COMBINERS[kind][0 if is_float(x) else 1])


def _start(u: Emitter, kind: str, type_: Attribute) -> Value:
    return u.as_tensor(u.constant(reductions.identity(kind, type_), type_))


def _reduced(c: Conversion, kind: str, op: reductions.SumOp | reductions.ReduceOp) -> list[Value]:
    u, x, dims = c.u, c.value(op.operand), values_of(op.dims)
    rank = len(shape_of(x))
    kept = [d for d in range(rank) if d not in dims]
    if not dims:
        return [x]
    start = _start(u, kind, op.result.type)
    combine = _combiner(u, kind, x)

    def body(a: Value, o: Value) -> list[Value]:
        return [combine(o, a)]

    made = u.generic([x], [range(rank)], [start], kept, rank, body)
    return [u.as_value(made[0])]


def _sum(c: Conversion, op: reductions.SumOp) -> list[Value]:
    return _reduced(c, "add", op)


def _reduce(c: Conversion, op: reductions.ReduceOp) -> list[Value]:
    return _reduced(c, op.kind.data, op)


def _dot(c: Conversion, op: reductions.DotOp) -> list[Value]:
    """Over the dimensions of the result, then the contracted ones."""
    u, (x, y) = c.u, c.values(own_operands(op))
    batch, contract = op.batch, op.contract
    result = shape_of(op.result)
    maps: list[list[int]] = []
    free = len(batch[0])
    for side, value in enumerate((x, y)):
        dims: list[int] = []
        for d in range(len(shape_of(value))):
            if d in batch[side]:
                dims.append(batch[side].index(d))
            elif d in contract[side]:
                dims.append(len(result) + contract[side].index(d))
            else:
                dims.append(free)
                free += 1
        maps.append(dims)
    rank = len(result) + len(contract[0])

    def body(a: Value, b: Value, o: Value) -> list[Value]:
        return [u.op(arith.AddfOp, o, u.op(arith.MulfOp, a, b))]

    made = u.generic([x, y], maps, [_start(u, "add", op.result.type)], range(len(result)), rank, body)
    return [u.as_value(made[0])]


def _arg_reduction(c: Conversion, op: reductions.ArgReductionOp) -> list[Value]:
    """The first extremum; NaN is beyond all numbers."""
    u, x, dim = c.u, c.value(op.operand), op.dim.value.data
    kind, predicate = ("max", "gt") if isinstance(op, reductions.ArgmaxOp) else ("min", "lt")
    rank = len(shape_of(x))
    kept = [d for d in range(rank) if d != dim]
    best = _start(u, kind, array_type(tuple(shape_of(x)[d] for d in kept), element_of(x)))
    where = u.as_tensor(u.constant(0, op.result.type))

    def body(a: Value, b: Value, at: Value) -> list[Value]:
        position = u.as_position(u.op(ops.IndexOp, dim))
        better = compare(u, predicate, a, b)
        if is_float(a):
            first = u.op(arith.XOrIOp, is_nan(u, b), u.constant(True, i1))
            better = u.op(arith.OrIOp, better, u.op(arith.AndIOp, is_nan(u, a), first))
        return [u.op(arith.SelectOp, better, v, w) for v, w in ((a, b), (position, at))]

    made = u.generic([x], [range(rank)], [best, where], kept, rank, body)
    return [u.as_value(made[1])]


# Order ---------------------------------------------------------------------------------------------


def _before(u: Emitter, x: Value, y: Value) -> Value:
    """Return whether x comes before y; NaN comes last."""
    less = compare(u, "lt", x, y)
    if not is_float(x):
        return less
    number = u.op(arith.XOrIOp, is_nan(u, x), u.constant(True, i1))
    return u.op(arith.OrIOp, less, u.op(arith.AndIOp, number, is_nan(u, y)))


def _ranks(u: Emitter, x: Value, dim: int) -> Value:
    """Return how many elements of its line come before each element, of equal ones those in front of it."""
    shape = shape_of(x)
    rank = len(shape)
    others = [rank if d == dim else d for d in range(rank)]

    def body(a: Value, b: Value, count: Value) -> list[Value]:
        i, j = (u.as_position(u.op(ops.IndexOp, d)) for d in (dim, rank))
        behind = u.op(arith.XOrIOp, _before(u, a, b), u.constant(True, i1))
        tied = u.op(arith.AndIOp, behind, compare(u, "lt", j, i))
        before = u.op(arith.OrIOp, _before(u, b, a), tied)
        return [u.op(arith.AddiOp, count, u.op(arith.ExtUIOp, before, i64))]

    start = u.constant(0, array_type(shape, i64))
    return u.generic([x, x], [range(rank), others], [start], range(rank), rank + 1, body)[0]


def _ordered(c: Conversion, op: ordering.SortOp | ordering.ArgsortOp) -> list[Value]:
    """Every element, or its position, written to the place that its rank says."""
    u, x, dim = c.u, c.value(op.operand), op.dim.value.data
    ranks = _ranks(u, x, dim)

    def write(positions: list[Value], carries: list[Value]) -> list[Value]:
        place = [u.extract(ranks, positions) if d == dim else p for d, p in enumerate(positions)]
        value = u.extract(x, positions) if isinstance(op, ordering.SortOp) else positions[dim]
        return [u.replace(carries[0], value, place)]

    return u.nest(shape_of(x), [u.empty(op.result.type)], write)


def _cumulative(c: Conversion, op: ordering.CumulativeOp) -> list[Value]:
    """The dimension first, slice after slice, and back."""
    u, x, dim = c.u, c.value(op.operand), op.dim.value.data
    shape = shape_of(x)
    if shape[dim] < 1:
        return [x]
    kind = ordering.CUMULATIVE_KINDS[op.kind.data]
    order = [dim, *(d for d in range(len(shape)) if d != dim)]
    lines = transpose(u, x, order) if dim else x
    type_ = array_type(shape_of(lines)[1:], element_of(x))
    last = u.constant(shape[dim] - 1, i64)

    def iteration(index: Value, carries: list[Value]) -> Sequence[Value]:
        total, made = carries
        at = u.op(arith.SubiOp, last, index) if op.reverse is not None else index
        part = u.slice(lines, [at], type_)
        total = u.elementwise(type_, [total, part], _combiner(u, kind, x))
        return [total, u.replace(made, total, [at])]

    start = u.constant(reductions.identity(kind, type_), type_)
    made = u.loop(shape[dim], [start, u.empty(lines.type)], iteration)[1]
    return [transpose(u, made, [order.index(d) for d in range(len(order))]) if dim else made]


REDUCTIONS: dict[type[Operation], Handler] = cast(
    "Any",
    {
        reductions.SumOp: _sum,
        reductions.ReduceOp: _reduce,
        reductions.ArgmaxOp: _arg_reduction,
        reductions.ArgminOp: _arg_reduction,
        reductions.DotOp: _dot,
        ordering.SortOp: _ordered,
        ordering.ArgsortOp: _ordered,
        ordering.CumulativeOp: _cumulative,
    },
)
"""The ops that combine or order elements."""
