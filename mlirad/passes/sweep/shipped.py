"""The instances that come with mlirad.

provenance       a boolean per element: whether it depends on what is swept; conditions and positions count
cotangents       derivatives by real numbers, of sums, products, quotients and the usual functions
z2               formal derivatives of polynomials of booleans: xor is the sum, and the product
modulo(n)        formal derivatives of polynomials of integers modulo n
naturals         formal derivatives of polynomials of integers
min-plus         formal derivatives where min is the sum and + the product: lengths of shortest paths
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.sweep.instance import Instance, Partials


def _numbers(*coefficients: float | None) -> Partials:
    """Coefficients that are numbers, of the type of the result."""

    def partials(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> Sequence[Value | None]:
        return [None if c is None else b.splat(c, op.results[0].type) for c in coefficients]

    return partials


def _crossed(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> Sequence[Value | None]:
    """The partial derivatives of a product: each factor's is the other one."""
    x, y = operands
    return [y, x]


def _either(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> Sequence[Value | None]:
    """x or y = x + y + x y modulo 2."""
    x, y = operands
    return [b.logical_not(y), b.logical_not(x)]


def _boolean_choice(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> Sequence[Value | None]:
    """p ? x : y = p x + (1 + p) y modulo 2."""
    condition, x, y = operands
    if not shape_of(condition):
        condition = b.broadcast(condition, shape_of(op.results[0]), ())
    return [b.binary(ew.XorOp, x, y), condition, b.logical_not(condition)]


def _or(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.binary(ew.OrOp, x, y)


def _xor(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.binary(ew.XorOp, x, y)


def _min(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.binary(ew.MinOp, x, y)


PROVENANCE: Final = Instance(
    "provenance",
    dict.fromkeys((f64, f32, i64, i32, i1), i1),
    zero=False,
    one=True,
    plus=_or,
    scale=ArrayBuilder.logical_and,
    reads_control=True,
)
"""The elements that a value depends on: all that is read for it. Other elements do not matter."""

POLYNOMIALS: Final[Mapping[type[Operation], Partials]] = {
    ew.AddOp: _numbers(1, 1),
    ew.SubOp: _numbers(1, -1),
    ew.NegOp: _numbers(-1),
    ew.MulOp: _crossed,
}
"""Sums and products of numbers."""

Z2: Final = Instance(
    "z2",
    {i1: i1},
    zero=False,
    one=True,
    plus=_xor,
    scale=ArrayBuilder.logical_and,
    partials={
        ew.XorOp: _numbers(True, True),
        ew.NotOp: _numbers(True),
        ew.AndOp: _crossed,
        ew.OrOp: _either,
        ew.SelectOp: _boolean_choice,
    },
)
"""Formal derivatives of polynomials over Z/2 (Wilson and Zanasi, "Reverse Derivative Ascent")."""

NATURALS: Final = Instance("naturals", {i64: i64}, 0, 1, ArrayBuilder.add, ArrayBuilder.mul, POLYNOMIALS)
"""Formal derivatives of polynomials of integers."""


def modulo(n: int) -> Instance:
    """Formal derivatives of polynomials of integers modulo n: data are from 0 to n - 1."""

    def reduced(b: ArrayBuilder, x: Value) -> Value:
        return b.binary(ew.RemOp, x, b.splat(n, x.type))

    return Instance(
        f"z{n}",
        {i64: i64},
        zero=0,
        one=1 % n,
        plus=lambda b, x, y: reduced(b, b.add(x, y)),
        scale=lambda b, c, x: reduced(b, b.mul(reduced(b, c), x)),
        partials={**POLYNOMIALS, ew.RemOp: _numbers(1, None)},
    )


MIN_PLUS: Final = Instance(
    "min-plus",
    {f64: f64},
    zero=float("inf"),
    one=0.0,
    plus=_min,
    scale=ArrayBuilder.add,
    partials={ew.MinOp: _numbers(0.0, 0.0), ew.AddOp: _crossed},
)
"""Formal derivatives over the semiring of min and +: of the length of a shortest path by the length of an
edge, that of the shortest path through it, without the edge."""


def _quotient(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> Sequence[Value | None]:
    x, y = operands
    inverse = b.div(b.splat(1.0, y.type), y)
    return [inverse, b.neg(b.mul(b.mul(x, inverse), inverse))]


COTANGENTS: Final = Instance(
    "cotangents",
    {f64: f64, f32: f32},
    0.0,
    1.0,
    ArrayBuilder.add,
    ArrayBuilder.mul,
    {
        **POLYNOMIALS,
        ew.DivOp: _quotient,
        ew.SinOp: lambda b, op, x: [b.unary(ew.CosOp, x[0])],
        ew.CosOp: lambda b, op, x: [b.neg(b.unary(ew.SinOp, x[0]))],
        ew.ExpOp: lambda b, op, x: [b.unary(ew.ExpOp, x[0])],
        ew.LogOp: lambda b, op, x: [b.div(b.splat(1.0, x[0].type), x[0])],
        ew.TanhOp: lambda b, op, x: [b.sub(b.splat(1.0, x[0].type), _square(b, b.unary(ew.TanhOp, x[0])))],
        ew.SqrtOp: lambda b, op, x: [b.div(b.splat(0.5, x[0].type), b.unary(ew.SqrtOp, x[0]))],
        ew.StopGradientOp: _numbers(None),
    },
)
"""Derivatives, as an instance like any other. `ad.grad` has all functions, and laws that make code short."""


def _square(b: ArrayBuilder, x: Value) -> Value:
    return b.mul(x, x)


INSTANCES: Final[Mapping[str, Instance]] = {
    instance.name: instance for instance in (PROVENANCE, COTANGENTS, Z2, NATURALS, MIN_PLUS)
}
"""The instances by name; `zN` is `modulo(N)`."""
