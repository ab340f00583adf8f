"""Folding constructors of reports and of calls of Python functions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr, i64
from xdsl.ir import Attribute

from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.shapes import Value, integer, is_array, keyword, shape_of, size_of
from mlirad.ir.transforms import TransformBuilder

NEVER = -1
"""A value that is not a token."""


class ReportingBuilder(TransformBuilder):
    """Constructors of `report` and `callback`, and of results that depend on reports."""

    def sealed(self, results: Sequence[Value], token: Value) -> list[Value] | None:
        """The results, with the smallest array made to depend on a token; None if all arrays may be empty."""
        known = [k for k, v in enumerate(results) if is_array(v.type) and at_most(1, size_of(v))]
        if not known:
            return None
        k = min(known, key=lambda k: nominal(size_of(results[k])))
        values, zeros = list(results), self.zeros(results[k].type)
        values[k] = self.select(self.broadcast(self.never(token), shape_of(zeros), ()), zeros, results[k])
        return values

    def never(self, token: Value) -> Value:
        """A flag that depends on a token, and never holds."""
        return self.compare("eq", token, self.constant(NEVER, i64))

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
