"""Affine maps: read from attributes, from short notation, and computed.

    named_maps("n h*s+y*d c, y c f -> n h f", {"s": 2, "d": 1})
        -->  one map from (n, h, y, c, f) per operand

The short notation lists the dimensions of every operand, results last. Dimensions are letters, numbered in
the order in which the results name them, then the operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.source_ops import attribute, refusal


def map_of(op: Operation, found: Attribute) -> AffineMap:
    """The map of an attribute."""
    if not isinstance(found, AffineMapAttr):
        raise refusal(op, f"{found} is not an affine map")
    return found.data


def maps_of(op: Operation, found: Attribute, count: int) -> list[AffineMap]:
    """The maps of a list of a given length."""
    entries = cast("Sequence[Attribute]", found.data) if isinstance(found, ArrayAttr) else ()
    if len(entries) != count:
        raise refusal(op, f"has {count} operands and {len(entries)} indexing maps")
    return [map_of(op, entry) for entry in entries]


def identity_maps(ranks: Sequence[int]) -> list[AffineMap]:
    """The maps of an elementwise op on operands of these ranks: scalars are read at every position."""
    rank = max(ranks, default=0)
    return [AffineMap(rank, 0, AffineMap.identity(rank).results if r else ()) for r in ranks]


def named_maps(notation: str, factors: Mapping[str, int]) -> list[AffineMap]:
    """The maps that the short notation writes; `factors` are the values of strides and dilations."""
    operands, _, results = notation.partition("->")
    texts = [text.split() for text in (*operands.split(","), results)]
    letters = [c for text in (texts[-1], *texts[:-1]) for part in text for c in part]
    dims = list(dict.fromkeys(c for c in letters if c.isalpha() and c not in factors))

    def expression(part: str) -> AffineExpr:
        terms: list[AffineExpr] = []
        for term in part.split("+"):
            dim, _, factor = term.partition("*")
            terms.append(AffineExpr.dimension(dims.index(dim)) * factors.get(factor, 1))
        return sum(terms[1:], terms[0])

    return [AffineMap(len(dims), 0, tuple(map(expression, text))) for text in texts]


def dimension_of(expression: AffineExpr) -> int | None:
    """The number of the dimension that an expression is."""
    return expression.position if isinstance(expression, AffineDimExpr) else None


def used_dims(map_: AffineMap) -> list[int]:
    """The dimensions that a map uses, in order."""
    return sorted({d for expression in map_.results for d in expression.used_dims()})


def iteration_space(op: Operation, maps: Sequence[AffineMap], shapes: Sequence[Shape]) -> Shape:
    """The extents of the dimensions that the maps are over, as the operands' shapes determine them."""
    count = maps[0].num_dims
    extents: dict[int, int] = {}
    for map_, shape in zip(maps, shapes, strict=True):
        if map_.num_dims != count or map_.num_symbols:
            raise refusal(op, "has indexing maps over different dimensions")
        if len(map_.results) != len(shape):
            raise refusal(op, f"the indexing map {map_} does not fit an operand of rank {len(shape)}")
        for expression, extent in zip(map_.results, shape, strict=True):
            d = dimension_of(expression)
            if d is not None and extents.setdefault(d, extent) != extent:
                raise refusal(op, f"dimension d{d} has extents {extents[d]} and {extent}")
    for d in range(count):
        if d not in extents:
            raise refusal(op, f"no operand determines the extent of dimension d{d}")
    return tuple(extents[d] for d in range(count))


def affine_value(
    b: ArrayBuilder, expression: AffineExpr, dims: Sequence[Value], symbols: Sequence[Value] = ()
) -> Value:
    """The value of an expression at the given values of dimensions and symbols."""
    match expression:
        case AffineDimExpr():
            return dims[expression.position]
        case AffineSymExpr():
            return symbols[expression.position]
        case AffineConstantExpr():
            return b.index_constant(expression.value)
        case AffineBinaryOpExpr():
            x = affine_value(b, expression.lhs, dims, symbols)
            y = affine_value(b, expression.rhs, dims, symbols)
            shape = max(shape_of(x), shape_of(y), key=len)
            x, y = (v if shape_of(v) else b.broadcast(v, shape, ()) for v in (x, y))
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return b.add(x, y)
                case AffineBinaryOpKind.Mul:
                    return b.mul(x, y)
                case AffineBinaryOpKind.Mod:
                    return b.binary(ew.RemOp, x, y)
                case AffineBinaryOpKind.FloorDiv:
                    return b.binary(ew.FloorDivOp, x, y)
                case AffineBinaryOpKind.CeilDiv:
                    return b.neg(b.binary(ew.FloorDivOp, b.neg(x), y))
        case _:
            raise ValueError(f"the expression {expression} is not affine")


def _apply(c: Conversion, op: Operation) -> Sequence[Value]:
    """The affine map of the positions that the operands are, or its least or largest result."""
    map_ = map_of(op, attribute(op, "map"))
    if len(own_operands(op)) != map_.num_dims + map_.num_symbols:
        raise refusal(op, f"takes {map_.num_dims + map_.num_symbols} operands, got {len(own_operands(op))}")
    values = c.aligned(own_operands(op))
    dims, symbols = values[: map_.num_dims], values[map_.num_dims :]
    total, *others = [affine_value(c.b, expression, dims, symbols) for expression in map_.results]
    for value in others:
        total = c.b.binary(ew.MinOp if op.name == "affine.min" else ew.MaxOp, total, value)
    return [total]


AFFINE: dict[str, Handler] = dict.fromkeys(("affine.apply", "affine.min", "affine.max"), _apply)
"""The ops of `affine` that compute positions."""
