"""Primitive maps as array code: the image of a tangent, and of a cotangent under the transposed map.

    apply_primitive(b, m, captured, dx)                 m dx
    apply_transposed(b, op, captured, ct)               m^T ct

A transposed image is the image under the transpose (`mlirad.linear_maps.transposes`), except for two maps
that have their own code here. Structural zeros (`mlirad.linear_maps.elements`) take no code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.factorisations import TRIANGLE_FLAGS
from mlirad.dialects.array.transforms import axes_of, number_rank
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, array_type, components_of, element_of, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.builder import yields
from mlirad.ir.control import ScanBody
from mlirad.linear_maps.apply.contracted_sums import summed
from mlirad.linear_maps.elements import Element, Pair, Pairs, assembled, components, value_of
from mlirad.linear_maps.last_writes import surviving_writes
from mlirad.linear_maps.transposes import TRANSPOSES, Captured, Primitive

Application: TypeAlias = Callable[[ArrayBuilder, Primitive, Captured, Any], Any]
"""`(b, m, captured, x) -> the image of x`: values, or lists of elements where a space is a tuple."""

FEW_SLICES = 4
"""The most slices in a stack of one slice and zeros in which others find a place."""


def apply_primitive(b: ArrayBuilder, m: Primitive, captured: Captured, x: Element) -> Element:
    """The image of x under a primitive map."""
    return None if x is None else FORWARD[m.kind](b, m, captured, x)


def apply_transposed(b: ArrayBuilder, op: linear.PrimitiveMapOp, captured: Captured, ct: Element) -> Element:
    """The image of ct under the transpose of a primitive map."""
    computed = TRANSPOSED.get(type(op))
    if computed is not None:
        return None if ct is None else computed(b, op, captured, ct)
    for m in TRANSPOSES[type(op)](Primitive.of(op)):
        ct = apply_primitive(b, m, captured, ct)
    return ct


# Arrays ----------------------------------------------------------------------------------------------


def _scale(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    (factor,) = m.captured(captured)
    if factor.type != x.type:
        factor = b.broadcast(factor, shape_of(x), ())
    return b.absorbing_mul(factor, x)


def _mask(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    (condition,) = m.captured(captured)
    return b.select(condition, x, b.zeros(x.type))


def _slice(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    return b.slice(x, m.ints("starts"), m.ints("limits"), m.ints("strides"))


def _pad(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    return b.pad(x, b.zeros(element_of(x)), m.ints("low"), m.ints("high"), m.ints("interior"))


def _one_hot(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    """A scatter from a space of one point; in a space of few slices, these as a stack."""
    positions = m.captured(captured)
    slices = shape_of(m.codomain)[0] if len(positions) == 1 and shape_of(x) else 0
    place = b.scalar_of(positions[0]) if is_static(slices) and 0 < slices <= FEW_SLICES else None
    if place is not None:
        place = min(max(int(place), 0), slices - 1)
        return b.stack([x if k == place else b.zeros(x.type) for k in range(slices)], 0)
    return b.scatter(x, 0, shape_of(m.codomain)[: len(positions)], lambda: positions) if positions else x


def _scatter(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    region = m.region(b, captured)
    return b.scatter(x, len(m.space), shape_of(m.codomain)[: len(yields(region))], region)


def _update(b: ArrayBuilder, m: Primitive, captured: Captured, x: Element) -> Value:
    base, operand = _values(b, x, m.domain)
    kind = m.properties["kind"]
    assert isinstance(kind, StringAttr)
    return b.update(kind.data, base, operand, len(m.space), m.region(b, captured))


def _fft(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    kind = m.keyword("kind")
    return b.fft(kind, x, m.codomain, axes_of(m.properties, number_rank(kind, m.domain)))


def _recurrence(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    """d = a d + dx from iteration to iteration."""

    def iteration(_: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        d = b.add(b.absorbing_mul(slices[0], carries[0]), slices[1])
        return [d], [d]

    return _along(b, m, captured, x, iteration, m.has("reverse"))


def _along(
    b: ArrayBuilder, m: Primitive, captured: Captured, x: Value, iteration: ScanBody, reverse: bool
) -> Value:
    """A loop along the map's dimension over the factors and x, with one carry that starts at 0."""
    rank, dim = len(shape_of(x)), m.dim
    order = [dim, *(d for d in range(rank) if d != dim)]
    factors, moved = (b.transpose(v, order) for v in (*m.captured(captured), x))
    start = b.zeros(array_type(shape_of(moved)[1:], element_of(x)))
    _, (stacked,) = b.scan([start], [factors, moved], shape_of(moved)[0], iteration, reverse=reverse)
    return b.transpose(stacked, [order.index(d) for d in range(rank)])


def _dot(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    (fixed,) = m.captured(captured)
    left, right = (x, fixed) if m.kind is linear.DotLeftOp else (fixed, x)
    return b.dot(left, right, *map(m.ints, ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")))


def _triangular_solve(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Value:
    (matrix,) = m.captured(captured)
    flags = {name: m.has(name) for name in TRIANGLE_FLAGS}
    return b.triangular_solve(matrix, x, **flags)


# Tuples --------------------------------------------------------------------------------------------


def _values(b: ArrayBuilder, x: Element, space: Attribute) -> list[Value]:
    return [value_of(b, e, s) for e, s in zip(components(x, space), components_of(space), strict=True)]


def _split(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Element:
    """x in consecutive pieces along the dimension, as long as the components of the codomain."""
    pieces: list[Element] = []
    position = 0
    for component in components_of(m.codomain):
        end = position + shape_of(component)[m.dim]
        pieces.append(_piece(b, x, m.dim, position, end))
        position = end
    return assembled(pieces, m.codomain)


def _unstack(b: ArrayBuilder, m: Primitive, captured: Captured, x: Value) -> Element:
    """The sub-arrays of x along the dimension."""
    dim, whole = m.dim, shape_of(x)
    rest = whole[:dim] + whole[dim + 1 :]
    if dim == 0:
        return assembled([b.index(x, [b.index_constant(k)]) for k in range(whole[0])], m.codomain)
    pieces = [b.reshape(_piece(b, x, dim, k, k + 1), rest) for k in range(whole[dim])]
    return assembled([*pieces], m.codomain)


def _piece(b: ArrayBuilder, x: Value, dim: int, start: int, end: int) -> Value:
    """The part of x from `start` to `end` along a dimension."""
    whole = shape_of(x)
    starts = [start if d == dim else 0 for d in range(len(whole))]
    limits = [end if d == dim else e for d, e in enumerate(whole)]
    return b.slice(x, starts, limits, [1] * len(whole))


# Transposes with code of their own -------------------------------------------------------------------


def _update_transposed(b: ArrayBuilder, op: linear.UpdateOp, captured: Captured, ct: Value) -> Element:
    space = extents_of(op)
    m = Primitive.of(op)
    if space:
        read = b.gather(ct, space, m.region(b, captured))
    else:
        read = b.index(ct, b.inline_region(op.body, (), captured))
    if op.kind.data == "add":
        return [ct, read]
    zeros = b.zeros(op.operand_space)
    if not size_of(zeros):
        return [ct, None]
    base = b.update("set", ct, zeros, len(space), m.region(b, captured))
    if space:
        survives = surviving_writes(b, op.body, captured, shape_of(op.codomain), space)
        read = b.select(b.broadcast(survives, shape_of(read), range(len(space))), read, zeros)
    return [base, read]


def _recurrence_transposed(b: ArrayBuilder, op: linear.RecurrenceOp, captured: Captured, ct: Value) -> Value:
    """c[i] = ct[i] + a[i + 1] c[i + 1]; the carry is the product."""

    def iteration(_: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        c = b.add(slices[1], carries[0])
        return [b.absorbing_mul(slices[0], c)], [c]

    return _along(b, Primitive.of(op), captured, ct, iteration, op.reverse is None)


FORWARD: dict[type[linear.MapOp], Application] = {
    linear.IdentityOp: lambda b, m, captured, x: x,
    linear.ScaleOp: _scale,
    linear.MaskOp: _mask,
    linear.ConvertOp: lambda b, m, captured, x: b.convert(x, element_of(m.codomain)),
    linear.SumOp: lambda b, m, captured, x: summed(b, x, m.ints("dims")),
    linear.BroadcastOp: lambda b, m, captured, x: b.broadcast(x, shape_of(m.codomain), m.ints("dims")),
    linear.ReshapeOp: lambda b, m, captured, x: b.reshape(x, shape_of(m.codomain)),
    linear.ReverseOp: lambda b, m, captured, x: b.reverse(x, m.ints("dims")),
    linear.SliceOp: _slice,
    linear.PadOp: _pad,
    linear.ConcatenateOp: lambda b, m, captured, x: b.concatenate(_values(b, x, m.domain), m.dim),
    linear.SplitOp: _split,
    linear.StackOp: lambda b, m, captured, x: b.stack(_values(b, x, m.domain), m.dim),
    linear.UnstackOp: _unstack,
    linear.IndexOp: lambda b, m, captured, x: b.index(x, m.captured(captured)),
    linear.OneHotOp: _one_hot,
    linear.GatherOp: lambda b, m, captured, x: b.gather(x, m.space, m.region(b, captured)),
    linear.ScatterOp: _scatter,
    linear.UpdateOp: _update,
    linear.CumulativeSumOp: lambda b, m, captured, x: b.cumulative("sum", x, m.dim, m.has("reverse")),
    linear.RecurrenceOp: _recurrence,
    linear.DotLeftOp: _dot,
    linear.DotRightOp: _dot,
    linear.TriangularSolveOp: _triangular_solve,
    linear.FftOp: _fft,
    linear.EvaluateOp: lambda b, m, captured, h: h.at(m.captured(captured)),
    linear.SingleOp: lambda b, m, captured, w: Pairs((Pair(tuple(m.captured(captured)), w),)),
}
"""The image of a tangent that is not zero under every primitive map."""

TRANSPOSED: dict[type[linear.MapOp], Callable[[ArrayBuilder, Any, Captured, Any], Element]] = {
    linear.UpdateOp: _update_transposed,
    linear.RecurrenceOp: _recurrence_transposed,
}
"""The image of a cotangent that is not zero, where it takes less than the transpose applied."""
