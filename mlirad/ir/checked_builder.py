"""A builder that checks each op as it is made: for programs that are made of what others wrote.

    CheckedBuilder(block).reshape(x, [5])      raises `VerifyException` for an x of 4 elements

Passes that rewrite programs of the language emit what is valid by their own logic. A conversion emits what an
op of another dialect says, which may contradict itself: so the error is raised while that op is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.language_op import LanguageOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder


class CheckedBuilder(ArrayBuilder):
    """An `ArrayBuilder` whose ops obey the rules of their dialects."""

    def insert(
        self,
        op_class: type[Operation],
        operands: Sequence[Value] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """As `ArrayBuilder`. Raises `VerifyException` for an op that breaks a rule."""
        op = super().insert(op_class, operands, result_types, properties, regions)
        if isinstance(op, LanguageOp):
            op.check_declared()
            op.check_rules()
        return op
