"""Ops known by a name and a form: read as MLIR prints them, and made as generic syntax would make them.

    class Generate(FormOp):
        form = "tensor.generate"
        @classmethod
        def parse(cls, parser): ...  return cls.made(operands, types, properties, regions)

They have no declared parts. Passes that read upstream programs take parts by name, of these ops and of those
that xDSL declares alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, UnregisteredOp, i32, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser


class FormOp(UnregisteredOp):
    """An op that xDSL does not declare."""

    form: ClassVar[str]

    @classmethod
    def create(cls, **parts: Any) -> Self:
        """The op with these parts, as the generic syntax has them."""
        op = super().create(**parts)
        op.attributes["op_name__"] = StringAttr(cls.form)
        return op

    @classmethod
    def made(
        cls,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        properties: Mapping[str, Attribute],
        regions: Sequence[Region] = (),
    ) -> Self:
        """The op with these parts."""
        return cls.create(
            operands=operands, result_types=result_types, properties=dict(properties), regions=regions
        )

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Refuse a form that is not known."""
        parser.raise_error(f"{cls.form} is read in generic syntax only: print with --mlir-print-op-generic")


def form_op(name: str, base: type[FormOp] = FormOp, **fields: Any) -> type[FormOp]:
    """The class of the op of that name, with the form of `base`."""
    return type(f"{name.title().replace('.', '').replace('_', '')}Op", (base,), {"form": name, **fields})


def typed_operands(parser: Parser, keyword: str) -> list[SSAValue]:
    """`ins(%x, %y : f64, f64)` for the keyword `ins`; none if it is not there."""
    start = parser.pos
    if parser.parse_optional_keyword(keyword) is None:
        return []
    parser.parse_punctuation("(")
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, start))


def result_types(parser: Parser) -> list[Attribute]:
    """`-> f64` or `-> (f64, f64)`; nothing if it is not there."""
    if parser.parse_optional_punctuation("->") is None:
        return []
    several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if several is None else list(several)


def sizes(*groups: Sequence[SSAValue]) -> Attribute:
    """Return how many operands there are in each group."""
    return DenseArrayBase.from_list(i32, [len(group) for group in groups])


def dense(values: Sequence[int]) -> Attribute:
    """A list of integers."""
    return DenseArrayBase.from_list(i64, values)
