"""Attributes of StableHLO: enumerations, and which dimensions of operands play which part.

#stablehlo<comparison_direction LT>
#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, cast

from xdsl.ir import Attribute, Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


def read_integers(parser: AttrParser) -> list[int]:
    """`[0, -1, 2]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


def print_integers(printer: Printer, values: Sequence[int]) -> None:
    """`[0, -1, 2]`."""
    printer.print_string(f"[{', '.join(map(str, values))}]")


class _Keyword(Data[str], SpacedOpaqueSyntaxAttribute):
    """A word of an enumeration."""

    VALUES: ClassVar[tuple[str, ...]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        """One of the words."""
        return parser.parse_keyword_in(cls.VALUES)

    def print_parameter(self, printer: Printer) -> None:
        """The word."""
        printer.print_string(self.data)


@irdl_attr_definition
class ComparisonDirection(_Keyword):
    """The comparison of two operands."""

    name = "stablehlo.comparison_direction"
    VALUES: ClassVar = ("EQ", "NE", "GE", "GT", "LE", "LT")


@irdl_attr_definition
class ComparisonType(_Keyword):
    """The order in which operands are compared. TOTALORDER tells zeros apart by sign, and orders NaN."""

    name = "stablehlo.comparison_type"
    VALUES: ClassVar = ("NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")


@irdl_attr_definition
class Precision(_Keyword):
    """The precision of products; on a CPU always as exactly as the element type is."""

    name = "stablehlo.precision"
    VALUES: ClassVar = ("DEFAULT", "HIGH", "HIGHEST")


@irdl_attr_definition
class Transposition(_Keyword):
    """The form of the triangular matrix of a system."""

    name = "stablehlo.transpose"
    VALUES: ClassVar = ("TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")


@irdl_attr_definition
class ApiVersion(_Keyword):
    """The way in which a custom call passes its operands."""

    name = "stablehlo.custom_call_api_version"
    VALUES: ClassVar = (
        "API_VERSION_UNSPECIFIED",
        "API_VERSION_ORIGINAL",
        "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED",
        "API_VERSION_TYPED_FFI",
    )


class _Dimensions(Data["tuple[tuple[str, int | tuple[int, ...]], ...]"]):
    """Named lists of dimensions, and single ones, in the order of `LISTS` and `SINGLE`; empty ones are left
    out."""

    LISTS: ClassVar[tuple[str, ...]]
    SINGLE: ClassVar[str | None] = None

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[str, int | tuple[int, ...]], ...]:
        """`<name = [dims], name = dim>`."""
        found: dict[str, int | tuple[int, ...]] = {}

        def read() -> None:
            position = parser.pos
            name = parser.parse_identifier()
            if name in found or (name not in cls.LISTS and name != cls.SINGLE):
                parser.raise_error(f"{cls.name} has no {name!r} here", position)
            parser.parse_punctuation("=")
            found[name] = parser.parse_integer() if name == cls.SINGLE else tuple(read_integers(parser))

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, read)
        names = (*cls.LISTS, *([cls.SINGLE] if cls.SINGLE else []))
        return tuple((name, found[name]) for name in names if name in found)

    def print_parameter(self, printer: Printer) -> None:
        """Print the text that `parse_parameter` reads."""
        parts = [f"{n} = {v if isinstance(v, int) else list(v)}" for n, v in self.data]
        printer.print_string(f"<{', '.join(parts)}>")

    def dims(self, name: str) -> tuple[int, ...]:
        """The list of that name, empty where it is left out."""
        value = dict(self.data).get(name, ())
        return (value,) if isinstance(value, int) else value

    @property
    def index_vector_dim(self) -> int:
        """The dimension of start indices along which the components of an index lie."""
        return cast(int, dict(self.data).get("index_vector_dim", 0))


@irdl_attr_definition
class DotDimensions(_Dimensions):
    """Batch and contracted dimensions of both operands."""

    name = "stablehlo.dot"
    LISTS: ClassVar = (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
    )

    @classmethod
    def of(cls, groups: Sequence[Sequence[int]]) -> Self:
        """From the four lists, in the order of `LISTS`."""
        named = zip(cls.LISTS, groups, strict=True)
        return cls(tuple((name, tuple(group)) for name, group in named if group))


@irdl_attr_definition
class GatherDimensions(_Dimensions):
    """The dimensions of the result that are of a slice, and those of the operand that start indices point
    into.
    """

    name = "stablehlo.gather"
    LISTS: ClassVar = (
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    )
    SINGLE: ClassVar = "index_vector_dim"


@irdl_attr_definition
class ScatterDimensions(_Dimensions):
    """The dimensions of the updates that are of a window, and those of the operand that indices point
    into.
    """

    name = "stablehlo.scatter"
    LISTS: ClassVar = (
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims",
    )
    SINGLE: ClassVar = "index_vector_dim"


@irdl_attr_definition
class ConvolutionDimensions(Data["tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]"]):
    """The meaning of each dimension of input, kernel and output: `b` batch, `f` feature, `i` and `o` features
    of the kernel, and numbers for spatial dimensions.
    """

    name = "stablehlo.conv"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """`<[b, f, 0]x[o, i, 0]->[b, f, 0]>`."""
        parser.parse_punctuation("<")
        groups = cls.read(parser)
        parser.parse_punctuation(">")
        return groups

    @classmethod
    def read(cls, parser: AttrParser) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The same without brackets around it."""

        def label() -> str:
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            return parser.parse_identifier() if number is None else str(number)

        def group() -> tuple[str, ...]:
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, label))

        lhs = group()
        parser.parse_characters("x")
        rhs = group()
        parser.parse_punctuation("->")
        return lhs, rhs, group()

    def text(self) -> str:
        """As it is written."""
        lhs, rhs, out = (f"[{', '.join(group)}]" for group in self.data)
        return f"{lhs}x{rhs}->{out}"

    def print_parameter(self, printer: Printer) -> None:
        """Print the text that `parse_parameter` reads."""
        printer.print_string(f"<{self.text()}>")


class _Text(Data[str]):
    """An attribute that says nothing about values, kept as it is written."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        """The balanced text between angle brackets."""
        return parser._parse_dialect_symbol_body()  # pyright: ignore[reportPrivateUsage]

    def print_parameter(self, printer: Printer) -> None:
        """The text in angle brackets."""
        printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class OutputOperandAlias(_Text):
    """The operand of a custom call whose memory a result may take."""

    name = "stablehlo.output_operand_alias"


@irdl_attr_definition
class ResultAccuracy(_Text):
    """The accuracy of an elementary function."""

    name = "stablehlo.result_accuracy"


@irdl_attr_definition
class ShardingRule(_Text):
    """The ways in which devices may share an op (dialect `sdy`)."""

    name = "sdy.op_sharding_rule"


ATTRIBUTES: list[type[Attribute]] = [
    ComparisonDirection,
    ComparisonType,
    Precision,
    Transposition,
    ApiVersion,
    DotDimensions,
    GatherDimensions,
    ScatterDimensions,
    ConvolutionDimensions,
    OutputOperandAlias,
    ResultAccuracy,
]
