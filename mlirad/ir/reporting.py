"""Folding constructors of reports and of calls of Python functions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr, i64
from xdsl.ir import Attribute

from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.shapes import Value, integer, keyword, shape_of
from mlirad.ir.transforms import TransformBuilder


class ReportingBuilder(TransformBuilder):
    """Constructors of `report` and `callback`."""

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

    def callback(
        self,
        function: str,
        condition: Value,
        values: Sequence[Value],
        types: Sequence[Attribute],
        *,
        vectorized: bool = False,
        source: str | None = None,
    ) -> list[Value]:
        """The results of a Python function where the condition holds; its dimensions are a batch."""
        properties: dict[str, Attribute] = {
            "function": StringAttr(function),
            "batch_rank": integer(len(shape_of(condition))),
        }
        if vectorized:
            properties["vectorized"] = UnitAttr()
        if source is not None:
            properties["source"] = StringAttr(source)
        return list(self.insert(CallbackOp, (condition, *values), types, properties).results)
