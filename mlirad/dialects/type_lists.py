"""The syntax that types made of a list of types share.

!array.tape<f64, tensor<3xf64>>        !function.sum<i64, f64>        !array.tape<>
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer


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
