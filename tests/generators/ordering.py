"""Makers of random sorting and prefix reduction ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import ordering
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLAG,
    FLOATS,
    NUMBERS,
    Value,
    array_type,
    integer,
    keyword,
    shape_of,
)
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def _operand(g: ProgramBuilder, allowed: Sequence[Attribute]) -> tuple[Value, int]:
    x = g.some([e for e in allowed if e in g.elements] or [i64], least_rank=1)
    return x, g.rng.randrange(len(shape_of(x)))


def sort(g: ProgramBuilder) -> Value | None:
    x, dim = _operand(g, ELEMENTS)
    return g.emit(ordering.SortOp, [x], x.type, {"dim": integer(dim)}, bound=g.bound(x))


def argsort(g: ProgramBuilder) -> Value | None:
    x, dim = _operand(g, [e for e in ELEMENTS if not (g.smooth and e in FLOATS)])
    return g.emit(ordering.ArgsortOp, [x], array_type(shape_of(x), i64), {"dim": integer(dim)})


def cumulative(g: ProgramBuilder) -> Value | None:
    x, dim = _operand(g, NUMBERS)
    kind = g.rng.choice([*ordering.CUMULATIVE_KINDS])
    extent, bound = max(shape_of(x)[dim], 1), g.bound(x)
    bounds = {"sum": bound * extent, "prod": max(bound, 1) ** extent}
    properties: dict[str, Attribute] = {"kind": keyword(kind), "dim": integer(dim)}
    if g.rng.random() < 0.4:
        properties["reverse"] = FLAG
    return g.emit(ordering.CumulativeOp, [x], x.type, properties, bound=bounds.get(kind, bound))


ORDERING_MAKERS: dict[type[Operation], Maker] = {
    ordering.SortOp: sort,
    ordering.ArgsortOp: argsort,
    ordering.CumulativeOp: cumulative,
}
