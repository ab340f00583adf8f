"""Makers of random reports, each of which begins with a token of its own."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, i1, i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.shapes import ELEMENTS, Value, array_type, integer, keyword, shape_of
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def report(g: ProgramBuilder) -> Value | None:
    """What is printed of a value, or of every lane of an array, under a random condition."""
    shape = shape_of(g.some(ELEMENTS))
    lanes = shape[: g.rng.randint(0, min(len(shape), 1))]
    token, condition = g.constant(0, i64), g.like(array_type(lanes, i1))
    x = g.like(array_type(shape, i64))
    properties: dict[str, Attribute] = {
        "kind": keyword("print"),
        "message": StringAttr("seen"),
        "batch_rank": integer(len(lanes)),
    }
    return g.emit(ReportOp, [token, condition, x], i64, properties)


REPORTING_MAKERS: dict[type[Operation], Maker] = {ReportOp: report}
