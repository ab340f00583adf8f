"""The type of activation records: what a call keeps for its reverse sweep, under a name.

    !array.frame<power_record>        every record of this type holds values of the same types

A record holds the records of the calls that its call has made, which for a recursive function are of the same
type. So the type has a name in the place of the types of what it holds; the verifier requires all ops of
a module that save or restore records of one name to agree on these (`mlirad.ir.verification`).

A record is an element: arrays of records exist, since loops stack those of their trips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@irdl_attr_definition
class FrameType(ParametrizedAttribute, TypeAttribute):
    """The type of activation records of one name, which only `array.save` and `array.no_frame` make."""

    name = "array.frame"
    frame_name: StringAttr = param_def()

    def print_parameters(self, printer: Printer) -> None:
        """Print the name in angle brackets, quoted unless it is an identifier."""
        name = self.frame_name.data
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


def frame_type(name: str) -> FrameType:
    """The type of activation records of the given name."""
    return FrameType(StringAttr(name))
