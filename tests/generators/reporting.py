"""Makers of random reports, each with a token of its own, and of random calls of a Python function."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, f64, i1, i64
from xdsl.ir import Attribute, Operation

from mlirad import callbacks
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.shapes import ELEMENTS, FLOATS, Value, array_type, integer, keyword, shape_of
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def report(g: ProgramBuilder) -> Value | None:
    """A report of a value, or of every lane of an array, under a random condition."""
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


COUNTED = callbacks.named(
    "tests.generators", "tests.generators.counted", lambda values: [(values[0] > 0).sum()]
)
"""The name of a function that says how many elements of an array are positive."""


def callback(g: ProgramBuilder) -> Value | None:
    """The number of positive elements of an array, or of every batch member, under a random condition."""
    shape = shape_of(g.some(FLOATS))
    batch = shape[: g.rng.randint(0, min(len(shape), 1))]
    operands = [g.like(array_type(batch, i1)), g.like(array_type(shape, f64))]
    properties: dict[str, Attribute] = {
        "function": StringAttr(COUNTED),
        "batch_rank": integer(len(batch)),
    }
    return g.emit(CallbackOp, operands, array_type(batch, i64), properties)


REPORTING_MAKERS: dict[type[Operation], Maker] = {ReportOp: report, CallbackOp: callback}
