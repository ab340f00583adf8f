"""The syntax that types made of a list of types share, and that of types that are names.

!array.tape<f64, tensor<3xf64>>        !function.sum<i64, f64>        !array.tape<>
!array.frame<power_record>             !function.inductive<list>          !function.inductive<"list of f64">
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class TypeList(ParametrizedAttribute, TypeAttribute):
    """A type whose one parameter is a list of types, written in angle brackets."""

    types: ArrayAttr[Attribute]

    def print_parameters(self, printer: Printer) -> None:
        """Print the types in angle brackets."""
        with printer.in_angle_brackets():
            printer.print_list(self.types.data, printer.print_attribute)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read what `print_parameters` prints."""
        types = parser.parse_comma_separated_list(AttrParser.Delimiter.ANGLE, parser.parse_type)
        return (ArrayAttr[Attribute](types),)


class TypeByName(ParametrizedAttribute, TypeAttribute):
    """A type whose one parameter is a name, written in angle brackets, and in quotes unless an identifier."""

    type_name: StringAttr

    def print_parameters(self, printer: Printer) -> None:
        """Print the name in angle brackets."""
        name = self.type_name.data
        with printer.in_angle_brackets():
            if _IDENTIFIER.fullmatch(name):
                printer.print_string(name)
            else:
                printer.print_string_literal(name)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read what `print_parameters` prints."""
        with parser.in_angle_brackets():
            name = parser.parse_optional_identifier()
            return (StringAttr(parser.parse_str_literal() if name is None else name),)
