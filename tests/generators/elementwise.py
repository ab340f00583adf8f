"""Makers of random elementwise ops.

A maker appends one instance of its op class (and whatever it needs) to a builder; it returns the result, or
`None` when the pool or the mode does not allow the op.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.builtin import f64, i1
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLOATS,
    Value,
    array_type,
    integer,
    is_float,
    keyword,
    shape_of,
)
from tests.generators.builder import ProgramBuilder

Maker: TypeAlias = Callable[[ProgramBuilder], Value | None]

SMOOTH_UNARY: dict[type[ew.ElementwiseOp], tuple[str, float]] = {
    ew.ExpOp: ("small", 7.4),
    ew.Exp2Op: ("small", 4),
    ew.Expm1Op: ("small", 6.4),
    ew.LogOp: ("positive", 1.1),
    ew.Log2Op: ("positive", 1.5),
    ew.Log1pOp: ("positive", 1.4),
    ew.SqrtOp: ("positive", 1.7),
    ew.RsqrtOp: ("positive", 1.7),
    ew.CbrtOp: ("positive", 1.5),
    ew.SinOp: ("any", 1),
    ew.CosOp: ("any", 1),
    ew.TanOp: ("inside_unit", 1.1),
    ew.AsinOp: ("inside_unit", 0.93),
    ew.AcosOp: ("inside_unit", 2.5),
    ew.AtanOp: ("any", 1.6),
    ew.SinhOp: ("small", 3.7),
    ew.CoshOp: ("small", 3.8),
    ew.TanhOp: ("any", 1),
    ew.AsinhOp: ("any", 3),
    ew.AcoshOp: ("above_one", 2.1),
    ew.AtanhOp: ("inside_unit", 1.1),
    ew.ErfOp: ("any", 1),
    ew.ErfcOp: ("any", 2),
    ew.ErfinvOp: ("inside_unit", 1),
    ew.LgammaOp: ("positive", 1.5),
    ew.LogisticOp: ("any", 1),
    ew.SoftplusOp: ("any", 8),
    ew.PolygammaOp: ("positive", 60),
    ew.NegOp: ("any", 8),
    ew.AbsOp: ("any", 8),
}
"""The unary ops of smooth mode: the domain the operand is brought into, and a bound on the result."""

SMOOTH_BINARY: dict[type[ew.BinaryOp], tuple[str, str]] = {
    ew.AddOp: ("any", "any"),
    ew.SubOp: ("any", "any"),
    ew.MulOp: ("any", "any"),
    ew.AbsorbingMulOp: ("any", "any"),
    ew.DivOp: ("any", "positive"),
    ew.PowOp: ("positive", "small"),
    ew.Atan2Op: ("any", "positive"),
    ew.HypotOp: ("any", "positive"),
    ew.MaxOp: ("any", "any"),
    ew.MinOp: ("any", "any"),
}
"""The binary ops of smooth mode with the domains of their operands."""

SLOPES: dict[type[ew.BinaryOp], type[ew.UnaryOp]] = {
    ew.TanhSlopeOp: ew.TanhOp,
    ew.LogisticSlopeOp: ew.LogisticOp,
}
"""Derivatives whose second operand is the function of the first."""


def _in_domain(g: ProgramBuilder, x: Value, domain: str) -> Value:
    return x if domain == "any" else getattr(g, domain)(x)


def _allowed(g: ProgramBuilder, op_class: type[ew.ElementwiseOp], smooth: bool) -> list[Attribute]:
    """The element types on which the op may be made."""
    kept = [e for e in op_class.DOMAIN if e in g.elements]
    return [e for e in kept if not (g.smooth and e in FLOATS and not smooth)]


def unary(op_class: type[ew.UnaryOp]) -> Maker:
    """Makes instances of a unary op."""

    def make(g: ProgramBuilder) -> Value | None:
        allowed = _allowed(g, op_class, op_class in SMOOTH_UNARY)
        if not allowed:
            return None
        x = g.some(allowed)
        bound = None
        if g.smooth and is_float(x):
            domain, bound = SMOOTH_UNARY[op_class]
            x = _in_domain(g, x, domain)
        properties = {}
        if op_class is ew.PolygammaOp:
            properties["order"] = integer(g.rng.choice((0, 1, 2)))
        return g.emit(op_class, [x], x.type, properties, bound=bound)

    return make


def binary(op_class: type[ew.BinaryOp]) -> Maker:
    """Makes instances of a binary op."""

    def make(g: ProgramBuilder) -> Value | None:
        allowed = _allowed(g, op_class, op_class in SMOOTH_BINARY)
        if not allowed:
            return None
        x = g.some(allowed)
        function = SLOPES.get(op_class)
        y = g.like(x.type) if function is None else g.emit(function, [x], x.type)
        bound = None
        if op_class is ew.CopysignOp:
            y = _without_nan(g, y)
        if g.smooth and is_float(x):
            left, right = SMOOTH_BINARY[op_class]
            x, y = _in_domain(g, x, left), _in_domain(g, y, right)
            a, b = g.bound(x), g.bound(y)
            bound = {
                ew.MulOp: a * b,
                ew.AbsorbingMulOp: a * b,
                ew.DivOp: 2.8 * a,
                ew.PowOp: 7.8,
                ew.Atan2Op: 1.6,
                ew.MaxOp: max(a, b),
                ew.MinOp: max(a, b),
            }.get(op_class, a + b)
        return g.emit(op_class, [x, y], x.type, bound=bound)

    return make


def _without_nan(g: ProgramBuilder, y: Value) -> Value:
    """y with 1 for NaN, whose sign is not defined."""
    ordinary = g.emit(ew.CompareOp, [y, y], array_type(shape_of(y), i1), {"predicate": keyword("eq")})
    return g.emit(ew.SelectOp, [ordinary, y, g.like_constant(1.0, y)], y.type)


def float_test(op_class: type[ew.FloatTestOp]) -> Maker:
    """Makes instances of a test of floats."""

    def make(g: ProgramBuilder) -> Value | None:
        x = g.some([e for e in FLOATS if e in g.elements] or [f64])
        return g.emit(op_class, [x], array_type(shape_of(x), i1))

    return make


def compare(g: ProgramBuilder) -> Value | None:
    """Two values of one type; in smooth mode never floats, whose ties would be jumps."""
    x = g.some([e for e in ELEMENTS if e in g.elements and not (g.smooth and e in FLOATS)] or [i1])
    properties = {"predicate": keyword(g.rng.choice(ew.PREDICATES))}
    return g.emit(ew.CompareOp, [x, g.like(x.type)], array_type(shape_of(x), i1), properties)


def select(g: ProgramBuilder) -> Value | None:
    """A condition of the branches' shape, or a scalar one."""
    x = g.some(ELEMENTS)
    y = g.like(x.type)
    condition = g.like(array_type(() if g.rng.random() < 0.3 else shape_of(x), i1))
    return g.emit(ew.SelectOp, [condition, x, y], x.type, bound=max(g.bound(x), g.bound(y)))


def convert(g: ProgramBuilder) -> Value | None:
    """Between element types; in smooth mode only from integers and booleans, or between floats."""
    x = g.some(ELEMENTS)
    usable = [e for e in g.elements if not g.smooth or e in FLOATS or not is_float(x)]
    if not usable:
        return None
    target = g.rng.choice(usable)
    if g.smooth and target in FLOATS and not is_float(x):
        converted = g.emit(ew.ConvertOp, [x], array_type(shape_of(x), target), bound=2)
        return g.emit(ew.SinOp, [converted], converted.type, bound=1)
    return g.emit(ew.ConvertOp, [x], array_type(shape_of(x), target), bound=g.bound(x))


SMOOTH_SPECIAL: dict[str, tuple[tuple[str | float, ...], float]] = {
    "dawsn": (("any",), 0.6),
    "j0": (("any",), 1),
    "j1": (("any",), 0.6),
    "jv": ((1.5, "positive"), 0.6),
    "erfcx": (("positive",), 1),
    "gammainc": ((1.5, "positive"), 1),
    "betainc": ((1.5, 2.5, "inside_unit"), 1),
    "airy_ai": (("positive",), 0.4),
    "sici_si": (("any",), 1.9),
    "owens_t": (("any", "any"), 0.25),
    "agm": (("positive", "positive"), 4),
}
"""Special functions that random programs call: numbers, or the domains of operands; a bound on the result."""


def special(g: ProgramBuilder) -> Value | None:
    """A special function; orders and shapes, in which there are no derivatives, are constants."""
    elements = [e for e in FLOATS if e in g.elements]
    if not elements:
        return None
    x = g.some(elements)
    name = g.rng.choice(sorted(SMOOTH_SPECIAL))
    domains, bound = SMOOTH_SPECIAL[name]
    operands: list[Value] = []
    for domain in domains:
        if isinstance(domain, float):
            operands.append(g.like_constant(domain, x))
        else:
            operand = x if not any(o is x for o in operands) else g.like(x.type)
            operands.append(_in_domain(g, operand, domain) if g.smooth else operand)
    return g.emit(
        ew.SpecialOp, operands, x.type, {"function": keyword(name)}, bound=bound if g.smooth else None
    )


def _maker(op_class: type[ew.ElementwiseOp]) -> Maker:
    if issubclass(op_class, ew.UnaryOp):
        return unary(op_class)
    if issubclass(op_class, ew.BinaryOp):
        return binary(op_class)
    assert issubclass(op_class, ew.FloatTestOp), f"write a maker for {op_class.name}"
    return float_test(op_class)


_OWN: dict[type[ew.ElementwiseOp], Maker] = {
    ew.CompareOp: compare,
    ew.SelectOp: select,
    ew.ConvertOp: convert,
    ew.SpecialOp: special,
}

ELEMENTWISE_MAKERS: dict[type[Operation], Maker] = {
    op: _OWN.get(op) or _maker(op) for op in ew.ELEMENTWISE_OPS
}
