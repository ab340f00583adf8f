"""Structural ops and ops at computed positions.

    array.broadcast           ->  linalg.generic over a projection      array.slice   ->  tensor.extract_slice
    array.concatenate, stack  ->  tensor.insert_slice                   array.pad     ->  tensor.pad
    array.index               ->  tensor.extract, extract_slice         array.gather  ->  linalg.generic
    array.scatter, update     ->  scf.for that replaces slices          array.build   ->  linalg.generic

Positions are clamped by `arith.maxsi` and `arith.minsi`, as the array dialect demands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation

from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, is_float, shape_of, values_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_from_array.conversion import Conversion, Handler
from mlirad.passes.convert_from_array.emitter import Emitter
from mlirad.passes.convert_from_array.scalars import compare


def _constant(c: Conversion, op: structural.ConstantOp) -> list[Value]:
    return [c.u.constant(literal_array(op), op.result.type)]


def _iota(c: Conversion, op: structural.IotaOp) -> list[Value]:
    dim = op.dim.value.data
    return [c.u.generate(op.result.type, lambda *positions: positions[dim])]


def broadcast(u: Emitter, x: Value, shape: Shape, dims: Sequence[int]) -> Value:
    """The dimensions of x at `dims` of an array of the shape."""
    if not shape:
        return x
    empty, rank = u.empty(array_type(shape, element_of(x))), len(shape)

    def element(a: Value, _: Value) -> list[Value]:
        return [a]

    return u.generic([x], [dims], [empty], range(rank), rank, element)[0]


def _broadcast(c: Conversion, op: structural.BroadcastOp) -> list[Value]:
    return [broadcast(c.u, c.value(op.operand), shape_of(op.result), values_of(op.dims))]


def transpose(u: Emitter, x: Value, permutation: Sequence[int]) -> Value:
    """Result dimension k is operand dimension `permutation[k]`."""
    shape = tuple(shape_of(x)[p] for p in permutation)
    return broadcast(u, x, shape, [permutation.index(d) for d in range(len(permutation))])


def _transpose(c: Conversion, op: structural.TransposeOp) -> list[Value]:
    return [transpose(c.u, c.value(op.operand), values_of(op.permutation))]


def _reshape(c: Conversion, op: structural.ReshapeOp) -> list[Value]:
    return [c.u.reshape(c.value(op.operand), op.result.type)]


def _slice(c: Conversion, op: structural.SliceOp) -> list[Value]:
    x, shape = c.value(op.operand), shape_of(op.result)
    if not shape:
        return [x]
    starts, strides = values_of(op.starts), values_of(op.strides)
    return [c.u.op(tensor.ExtractSliceOp, x, starts, shape, strides, op.result.type)]


def _pad(c: Conversion, op: structural.PadOp) -> list[Value]:
    """By margins alone as it is; else every element reads, or is padding."""
    u, (x, value) = c.u, c.values(own_operands(op))
    low, high, interior = values_of(op.low), values_of(op.high), values_of(op.interior)
    shape = shape_of(x)
    if not shape:
        return [x]
    if min((*low, *high)) >= 0 and not any(interior):
        index = [u.index(0).type] * len(shape)
        region = u.region(index, lambda *_: [value], tensor.YieldOp)
        return [u.op(tensor.PadOp, x, [], [], region, low, high, op.result.type)]
    if 0 in shape:
        return [broadcast(u, value, shape_of(op.result), ())]

    def element(*positions: Value) -> Value:
        inside = u.constant(True, i1)
        reads: list[Value] = []
        for p, start, gap, extent in zip(positions, low, interior, shape, strict=True):
            moved = u.op(arith.SubiOp, p, u.constant(start, i64))
            step = u.constant(gap + 1, i64)
            read = u.op(arith.DivSIOp, moved, step)
            hits = compare(u, "eq", u.op(arith.MuliOp, read, step), moved)
            above = compare(u, "ge", moved, u.constant(0, i64))
            below = compare(u, "lt", read, u.constant(extent, i64))
            for condition in (hits, above, below):
                inside = u.op(arith.AndIOp, inside, condition)
            reads.append(clamp(u, read, extent))
        return u.op(arith.SelectOp, inside, u.extract(x, reads), value)

    return [u.generate(op.result.type, element)]


def _concatenate(c: Conversion, op: structural.ConcatenateOp) -> list[Value]:
    return _joined(c, op, op.dim.value.data, lambda part: shape_of(part)[op.dim.value.data])


def _stack(c: Conversion, op: structural.StackOp) -> list[Value]:
    if len(shape_of(op.results[0])) == 1:
        made = tensor.FromElementsOp.create(operands=c.values(own_operands(op)), result_types=op.result_types)
        return list(c.u.add(made).results)
    return _joined(c, op, op.dim.value.data, lambda _: 1)


def _joined(c: Conversion, op: Operation, dim: int, extent: Callable[[Value], int]) -> list[Value]:
    """The operands written one after the other along a dimension."""
    u, type_ = c.u, op.results[0].type
    whole, rank = u.empty(type_), len(shape_of(type_))
    start = 0
    for part in c.values(own_operands(op)):
        sizes = list(shape_of(type_))
        sizes[dim] = extent(part)
        offsets = [start if d == dim else 0 for d in range(rank)]
        whole = u.insert_slice(whole, part, offsets, sizes, [1] * rank)
        start += sizes[dim]
    return [whole]


def _reverse(c: Conversion, op: structural.ReverseOp) -> list[Value]:
    u, x, dims = c.u, c.value(op.operand), values_of(op.dims)
    shape = shape_of(x)

    def element(*positions: Value) -> Value:
        read = [
            u.op(arith.SubiOp, u.constant(shape[d] - 1, i64), p) if d in dims else p
            for d, p in enumerate(positions)
        ]
        return u.extract(x, read)

    return [u.generate(op.result.type, element)]


# Computed positions --------------------------------------------------------------------------------


def clamp(u: Emitter, position: Value, extent: int) -> Value:
    """The nearest position inside a dimension."""
    above = u.op(arith.MaxSIOp, position, u.constant(0, i64))
    return u.op(arith.MinSIOp, above, u.constant(extent - 1, i64))


def _clamped(u: Emitter, positions: Sequence[Value], shape: Shape) -> list[Value]:
    return [clamp(u, p, extent) for p, extent in zip(positions, shape, strict=False)]


def _index(c: Conversion, op: indexing.IndexOp) -> list[Value]:
    u, x, positions = c.u, c.value(op.operand), c.values(op.positions)
    shape, type_ = shape_of(x), op.result.type
    if 0 in shape[: len(positions)]:
        return [u.constant(0, type_)]
    return [u.slice(x, _clamped(u, positions, shape), type_) if positions else x]


def _gather(c: Conversion, op: indexing.GatherOp) -> list[Value]:
    u, x, region = c.u, c.value(op.operand), op.body
    count = len(region.block.args)
    if 0 in shape_of(x):
        return [u.constant(0, op.result.type)]

    def element(*positions: Value) -> Value:
        read = _clamped(u, c.inlined(region, positions[:count]), shape_of(x))
        return u.extract(x, [*read, *positions[count:]]) if shape_of(x) else x

    return [u.generate(op.result.type, element)]


def _scatter(c: Conversion, op: indexing.ScatterOp) -> list[Value]:
    base = c.u.constant(0, op.result.type)
    return [_updated(c, "add", base, c.value(op.operand), op)]


def _update(c: Conversion, op: indexing.UpdateOp) -> list[Value]:
    base, x = c.values(own_operands(op))
    return [_updated(c, op.kind.data, base, x, op)]


def _updated(
    c: Conversion, kind: str, base: Value, x: Value, op: indexing.ScatterOp | indexing.UpdateOp
) -> Value:
    """The parts of x written one after the other."""
    u, region = c.u, op.body
    space = shape_of(x)[: len(region.block.args)]
    if 0 in shape_of(base) or 0 in shape_of(x):
        return base
    add = arith.AddfOp if is_float(base) else arith.AddiOp

    def write(positions: list[Value], carries: list[Value]) -> list[Value]:
        (whole,) = carries
        type_ = array_type(shape_of(x)[len(space) :], element_of(x))
        part = u.slice(x, positions, type_) if positions else x
        places = _clamped(u, c.inlined(region, positions), shape_of(whole))
        if kind == "add":
            old = u.slice(whole, places, type_) if places else whole
            part = u.elementwise(type_, [old, part], u.binary(add))
        return [u.replace(whole, part, places) if places else part]

    return u.nest(space, [base], write)[0]


def _build(c: Conversion, op: indexing.BuildOp) -> list[Value]:
    """Scalars at positions as one structured op, arrays as slices that loops write."""
    u, region, type_ = c.u, op.body, op.result.type
    count = len(region.block.args)
    if count == len(shape_of(type_)):
        return [u.generate(type_, lambda *positions: c.inlined(region, positions)[0])]

    def write(positions: list[Value], carries: list[Value]) -> list[Value]:
        return [u.replace(carries[0], c.inlined(region, positions)[0], positions)]

    return u.nest(shape_of(type_)[:count], [u.empty(type_)], write)


ARRAYS: dict[type[Operation], Handler] = cast(
    "Any",
    {
        structural.ConstantOp: _constant,
        structural.IotaOp: _iota,
        structural.BroadcastOp: _broadcast,
        structural.TransposeOp: _transpose,
        structural.ReshapeOp: _reshape,
        structural.SliceOp: _slice,
        structural.PadOp: _pad,
        structural.ConcatenateOp: _concatenate,
        structural.ReverseOp: _reverse,
        structural.StackOp: _stack,
        indexing.IndexOp: _index,
        indexing.GatherOp: _gather,
        indexing.ScatterOp: _scatter,
        indexing.UpdateOp: _update,
        indexing.BuildOp: _build,
    },
)
"""The structural ops and those at positions."""
