"""Derivatives of elementwise code by one of the values that it is computed from, as elementwise code.

    x                                  y = x * exp(x)
    derivative(b, y, x)                exp(x) + x * exp(x)
    rounding(b, y, x)                  how far y may be from the function of x, in absolute terms

The code is what stands in the program: `derivative` walks from y back to x. All that it passes is elementwise
or moves dimensions, and y may depend on x in no other way. All other operands of y are constant. Such
code is differentiated again by another walk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, element_of, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.ir.moves import moved, sources
from mlirad.rules.elementwise_derivatives import BINARY, UNARY
from mlirad.rules.special_derivatives.table import special_coefficient


def derivative(b: ArrayBuilder, y: Value, x: Value) -> Value | None:
    """The derivative of elementwise code by x, in the shape of y; `None` where it is 0.

    Raises `DifferentiationError` where a function in it has none.
    """

    def combined(op: Operation, parts: list[tuple[Value | None, Value]]) -> Value | None:
        terms = [t if c is None else b.absorbing_mul(c, t) for c, t in parts]
        return None if not terms else _sum(b, terms)

    start = b.splat(1.0, x.type)
    return _walk(b, y, x, start, combined)


def rounding(b: ArrayBuilder, y: Value, x: Value) -> Value:
    """A bound on the error that rounding makes in elementwise code, to first order, of an x that is exact."""
    unit = ROUNDING * float(np.finfo(numpy_dtype(y.type)).eps)

    def size(v: Value) -> Value:
        return b.unary(ew.AbsOp, v)

    def combined(op: Operation, parts: list[tuple[Value | None, Value]]) -> Value:
        terms = [t if c is None else b.absorbing_mul(size(c), t) for c, t in parts]
        own = b.scaled(size(op.results[0]), unit)
        return _sum(b, [*terms, own])

    found = _walk(b, y, x, b.zeros(x.type), combined)
    return b.scaled(size(y), unit) if found is None else found


ROUNDING = 4.0
"""The number of units in the last place that a function is taken to be exact to."""


def _sum(b: ArrayBuilder, terms: list[Value]) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = b.add(total, term)
    return total


def _walk(
    b: ArrayBuilder,
    y: Value,
    x: Value,
    start: Value,
    combined: Callable[[Operation, list[tuple[Value | None, Value]]], Value | None],
) -> Value | None:
    """The result of `combined` for y, made op by op of coefficients and of its results for operands."""
    known: dict[Value, Value | None] = {x: start}

    def visit(v: Value) -> Value | None:
        if v in known:
            return known[v]
        op = v.owner
        found = None
        if isinstance(op, Operation) and is_float(v):
            if isinstance(op, MOVES):
                inner = [visit(part) for part in sources(op)]
                if any(part is not None for part in inner):
                    each = zip(inner, sources(op), strict=True)
                    found = moved(b, op, [b.zeros(v.type) if part is None else part for part, v in each])
            elif isinstance(op, ew.SelectOp):
                found = _chosen(b, op, visit)
            elif isinstance(op, ew.ElementwiseOp):
                parts: list[tuple[Value | None, Value]] = []
                for k, operand in enumerate(own_operands(op)):
                    inner = visit(operand)
                    if inner is not None:
                        parts += _coefficients(b, op, k, inner)
                found = combined(op, parts) if parts else None
        known[v] = found
        return found

    return visit(y)


def _chosen(b: ArrayBuilder, op: ew.SelectOp, visit: Callable[[Value], Value | None]) -> Value | None:
    found = [visit(v) for v in (op.on_true, op.on_false)]
    if found == [None, None]:
        return None
    zeros = b.zeros(op.result.type)
    on_true, on_false = (zeros if v is None else v for v in found)
    return b.select(op.condition, on_true, on_false)


def _coefficients(
    b: ArrayBuilder, op: ew.ElementwiseOp, k: int, inner: Value
) -> list[tuple[Value | None, Value]]:
    """The factor of what was found for operand k, `None` for 1; nothing where the op is flat in it."""
    operands, result = own_operands(op), op.results[0]
    kind = type(op)
    if kind in UNARY:
        return [(UNARY[kind](b, operands[0], result), inner)]
    if kind in BINARY:
        coefficient = BINARY[kind][k]
        return [] if coefficient is None else [(coefficient(b, operands[0], operands[1], result), inner)]
    if isinstance(op, ew.MaxOp | ew.MinOp):
        return [(_extremum_weight(b, op, k), inner)]
    if isinstance(op, ew.ConvertOp):
        return [(None, b.convert(inner, element_of(result)))] if is_float(result) else []
    if isinstance(op, ew.SpecialOp):
        return [(special_coefficient(k)(b, op), inner)]
    return []


def _extremum_weight(b: ArrayBuilder, op: ew.MaxOp | ew.MinOp, k: int) -> Value:
    """1 where operand k is the extremum, half where both are, else 0."""
    mine, other = own_operands(op)[k], own_operands(op)[1 - k]
    type_ = op.result.type
    taken = b.compare("ge" if isinstance(op, ew.MaxOp) else "le", mine, other)
    share = b.select(b.compare("eq", mine, other), b.splat(0.5, type_), b.splat(1.0, type_))
    return b.select(taken, share, b.zeros(type_))


def unrepeated(x: Value) -> tuple[Value, tuple[int, ...]]:
    """Return what a value is repeated from along dimensions, and the dimension of the value for each one of
    that.
    """
    dims = tuple(range(len(shape_of(x))))
    while isinstance(x.owner, BroadcastOp):
        dims = tuple(dims[d] for d in values_of(x.owner.dims))
        x = x.owner.operand
    return x, dims
