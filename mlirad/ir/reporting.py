"""Folding constructor of reports."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, i64
from xdsl.ir import Attribute

from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.shapes import Value, integer, keyword, shape_of
from mlirad.ir.transforms import TransformBuilder


class ReportingBuilder(TransformBuilder):
    """Constructor of `report`."""

    def report(
        self,
        kind: str,
        token: Value,
        condition: Value,
        values: Sequence[Value],
        message: str,
        source: str | None = None,
    ) -> Value:
        """The token after the values were reported where the condition holds; its dimensions are a batch."""
        if self.scalar_of(condition) is False:
            return token
        properties: dict[str, Attribute] = {
            "kind": keyword(kind),
            "message": StringAttr(message),
            "batch_rank": integer(len(shape_of(condition))),
        }
        if source is not None:
            properties["source"] = StringAttr(source)
        return self.emit(ReportOp, (token, condition, *values), i64, properties)
