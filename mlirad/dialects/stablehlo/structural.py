"""Ops of StableHLO that make, move, select and contract elements.

%c = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
%b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf64>) -> tensor<2x3xf64>
%d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (operands) -> result
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from mlirad.dialects.stablehlo.attributes import (
    ConvolutionDimensions,
    DotDimensions,
    GatherDimensions,
    Precision,
    Transposition,
    print_integers,
    read_integers,
)
from mlirad.dialects.stablehlo.syntax import (
    DimForm,
    HloOp,
    ListsForm,
    integer_list,
    print_function_type,
    read_operands,
)

INTEGERS = DenseArrayBase


@irdl_op_definition
class ConstantOp(HloOp):
    """A literal."""

    name = "stablehlo.constant"
    value = prop_def(DenseIntOrFPElementsAttr)
    traits = traits_def(ConstantLike(), Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`stablehlo.constant dense<...> : type`."""
        written = parser.parse_optional_attr_dict()
        position = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected a dense literal", position)
        return cls.made((), [value.get_type()], {"value": value}, written)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_braces(printer, ("value",))
        printer.print_string(" ")
        printer.print_attribute(self.value)


@irdl_op_definition
class IotaOp(DimForm):
    """The index along a dimension at every position."""

    name = "stablehlo.iota"
    PROPERTY: ClassVar = "iota_dimension"
    iota_dimension = prop_def(IntegerAttr)


@irdl_op_definition
class BroadcastInDimOp(ListsForm):
    """Operand dimension k becomes result dimension `dims[k]`; extents of 1 are repeated."""

    name = "stablehlo.broadcast_in_dim"
    LISTS: ClassVar = {"dims": "broadcast_dimensions"}
    broadcast_dimensions = prop_def(INTEGERS)


@irdl_op_definition
class TransposeOp(ListsForm):
    """Result dimension k is operand dimension `dims[k]`."""

    name = "stablehlo.transpose"
    LISTS: ClassVar = {"dims": "permutation"}
    permutation = prop_def(INTEGERS)


@irdl_op_definition
class ReverseOp(ListsForm):
    """The operand read backwards along dimensions."""

    name = "stablehlo.reverse"
    LISTS: ClassVar = {"dims": "dimensions"}
    SHORT: ClassVar = True
    dimensions = prop_def(INTEGERS)


@irdl_op_definition
class PadOp(ListsForm):
    """The operand surrounded by a scalar; negative amounts cut off."""

    name = "stablehlo.pad"
    LISTS: ClassVar = {
        "low": "edge_padding_low",
        "high": "edge_padding_high",
        "interior": "interior_padding",
    }
    edge_padding_low = prop_def(INTEGERS)
    edge_padding_high = prop_def(INTEGERS)
    interior_padding = prop_def(INTEGERS)


@irdl_op_definition
class DynamicSliceOp(ListsForm):
    """A slice of given sizes at computed positions, which are moved so that it fits."""

    name = "stablehlo.dynamic_slice"
    LISTS: ClassVar = {"sizes": "slice_sizes"}
    slice_sizes = prop_def(INTEGERS)


@irdl_op_definition
class DynamicUpdateSliceOp(ListsForm):
    """The first operand with the second written at computed positions, which are moved so that it fits."""

    name = "stablehlo.dynamic_update_slice"


@irdl_op_definition
class ConcatenateOp(DimForm):
    """The operands one after the other."""

    name = "stablehlo.concatenate"
    PROPERTY: ClassVar = "dimension"
    dimension = prop_def(IntegerAttr)


@irdl_op_definition
class SliceOp(HloOp):
    """Elements from start to limit by strides: `stablehlo.slice %x [0:4, 1:9:2] : (type) -> type`."""

    name = "stablehlo.slice"
    start_indices = prop_def(INTEGERS)
    limit_indices = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)

        def bounds() -> tuple[int, int, int]:
            start = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(":")
            limit = parser.parse_integer(allow_boolean=False, allow_negative=False)
            has_stride = parser.parse_optional_punctuation(":") is not None
            return start, limit, parser.parse_integer() if has_stride else 1

        found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, bounds)
        properties: dict[str, Attribute] = {
            name: integer_list([b[k] for b in found])
            for k, name in enumerate(("start_indices", "limit_indices", "strides"))
        }
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        names = ("start_indices", "limit_indices", "strides")
        bounds = zip(*(self.integers(name) or () for name in names), strict=True)
        texts = [f"{s}:{e}" + (f":{by}" if by != 1 else "") for s, e, by in bounds]
        printer.print_string(f" [{', '.join(texts)}]")
        self.print_braces(printer, names)
        print_function_type(printer, self)


@irdl_op_definition
class GatherOp(HloOp):
    """Slices at the positions that an array of start indices holds. It has the generic form alone."""

    name = "stablehlo.gather"
    dimension_numbers = prop_def(GatherDimensions)
    slice_sizes = prop_def(INTEGERS)
    indices_are_sorted = opt_prop_def(BoolAttr)


@irdl_op_definition
class DotGeneralOp(HloOp):
    """A contraction: batch dimensions first, then the free ones of the left operand, then of the right."""

    name = "stablehlo.dot_general"
    dot_dimension_numbers = prop_def(DotDimensions)
    precision_config = opt_prop_def(ArrayAttr)
    algorithm = opt_prop_def(Attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`%x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT,
        DEFAULT]`."""
        operands = read_operands(parser)
        groups: list[list[int]] = [[], [], [], []]
        properties: dict[str, Attribute] = {}
        while (
            key := parser.parse_optional_keyword_in(("batching_dims", "contracting_dims", "precision"))
        ) is not None:
            parser.parse_punctuation("=")
            if key == "precision":
                properties["precision_config"] = _precisions(parser)
            else:
                at = 0 if key == "batching_dims" else 2
                groups[at] = read_integers(parser)
                parser.parse_characters("x")
                groups[at + 1] = read_integers(parser)
            if parser.parse_optional_punctuation(",") is None:
                break
        properties["dot_dimension_numbers"] = DotDimensions.of(groups)
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        for key, stem in (("batching_dims", "batching"), ("contracting_dims", "contracting")):
            lhs = self.dot_dimension_numbers.dims(f"lhs_{stem}_dimensions")
            rhs = self.dot_dimension_numbers.dims(f"rhs_{stem}_dimensions")
            if key == "contracting_dims" or lhs:
                printer.print_string(f", {key} = ")
                print_integers(printer, lhs)
                printer.print_string(" x ")
                print_integers(printer, rhs)
        if self.precision_config is not None:
            words = ", ".join(cast(Precision, p).data for p in cast("ArrayAttr[Any]", self.precision_config))
            printer.print_string(f", precision = [{words}]")
        self.print_braces(printer, ("dot_dimension_numbers", "precision_config"))
        print_function_type(printer, self)


def _precisions(parser: Parser) -> Attribute:
    def read() -> Precision:
        return Precision(parser.parse_keyword_in(Precision.VALUES))

    return ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, read))


@irdl_op_definition
class ConvolutionOp(HloOp):
    """A convolution over any number of spatial dimensions.

    `(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[0, 0]]} {...} :
    type`
    """

    name = "stablehlo.convolution"
    window_strides = opt_prop_def(INTEGERS)
    padding = opt_prop_def(DenseIntOrFPElementsAttr)
    lhs_dilation = opt_prop_def(INTEGERS)
    rhs_dilation = opt_prop_def(INTEGERS)
    window_reversal = opt_prop_def(INTEGERS)
    dimension_numbers = prop_def(ConvolutionDimensions)
    feature_group_count = prop_def(IntegerAttr)
    batch_group_count = prop_def(IntegerAttr)
    precision_config = opt_prop_def(ArrayAttr)

    WINDOW: ClassVar = {
        "stride": "window_strides",
        "pad": "padding",
        "lhs_dilate": "lhs_dilation",
        "rhs_dilate": "rhs_dilation",
        "reverse": "window_reversal",
    }

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        unresolved = parser.parse_op_args_list()
        parser.parse_keyword("dim_numbers")
        parser.parse_punctuation("=")
        dims = ConvolutionDimensions(ConvolutionDimensions.read(parser))
        properties: dict[str, Attribute] = {"dimension_numbers": dims}
        parser.parse_punctuation(",")
        parser.parse_keyword("window")
        parser.parse_punctuation("=")

        def entry() -> None:
            key = parser.parse_keyword_in(tuple(cls.WINDOW))
            parser.parse_punctuation("=")
            properties[cls.WINDOW[key]] = _window_value(parser, key)

        parser.parse_comma_separated_list(parser.Delimiter.BRACES, entry)
        return cls.read_rest(parser, unresolved, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_ssa_value)
        texts: list[str] = []
        for key, name in self.WINDOW.items():
            value = self.properties.get(name)
            if isinstance(value, DenseIntOrFPElementsAttr):
                pairs = value.get_values()
                texts.append(f"{key} = {[list(p) for p in zip(pairs[::2], pairs[1::2], strict=True)]}")
            elif value is not None:
                numbers = list(self.integers(name) or ())
                shown = [bool(n) for n in numbers] if key == "reverse" else numbers
                texts.append(f"{key} = {str(shown).lower()}")
        printer.print_string(
            f" dim_numbers = {self.dimension_numbers.text()}, window = {{{', '.join(texts)}}}"
        )
        self.print_braces(printer, ("dimension_numbers", *self.WINDOW.values()))
        print_function_type(printer, self)


def _window_value(parser: Parser, key: str) -> Attribute:
    match key:
        case "pad":
            position = parser.pos
            pairs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: read_integers(parser))
            if any(len(pair) != 2 for pair in pairs):
                parser.raise_error("expected a pair for each dimension", position)
            return padding_attribute(pairs)
        case "reverse":
            flags = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
            return cast(DenseArrayBase, DenseArrayBase.from_list(i1, flags))
        case _:
            return integer_list(read_integers(parser))


def padding_attribute(pairs: list[list[int]]) -> DenseIntOrFPElementsAttr:
    """Low and high padding of each dimension, as a literal."""
    from xdsl.dialects.builtin import TensorType

    type_ = TensorType(i64, [len(pairs), 2])
    return cast(
        DenseIntOrFPElementsAttr, DenseIntOrFPElementsAttr.from_list(type_, [n for p in pairs for n in p])
    )


@irdl_op_definition
class CholeskyOp(ListsForm):
    """The Cholesky factor of a matrix; only one triangle of the matrix is read."""

    name = "stablehlo.cholesky"
    lower = opt_prop_def(BoolAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`stablehlo.cholesky %a, lower = true : type`."""
        operands = read_operands(parser)
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("lower"):
            parser.parse_punctuation("=")
            properties["lower"] = BoolAttr.from_bool(parser.parse_boolean())
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        if self.lower is not None:
            printer.print_string(f", lower = {'true' if self.lower.value.data else 'false'}")
        printer.print_string(" : ")
        printer.print_attribute(self.results[0].type)


@irdl_op_definition
class TriangularSolveOp(HloOp):
    """The solution of a triangular system. It has the generic form alone."""

    name = "stablehlo.triangular_solve"
    left_side = prop_def(BoolAttr)
    lower = prop_def(BoolAttr)
    unit_diagonal = prop_def(BoolAttr)
    transpose_a = prop_def(Transposition)


@irdl_op_definition
class TopKOp(HloOp):
    """The k largest elements along the last dimension, and their positions: `chlo.top_k(%x, k = 2) : ...`."""

    name = "chlo.top_k"
    k = prop_def(IntegerAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        parser.parse_punctuation("(")
        operands = read_operands(parser)
        parser.parse_keyword("k")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {"k": IntegerAttr(parser.parse_integer(), i64)}
        parser.parse_punctuation(")")
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        printer.print_string("(")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(f", k = {self.k.value.data}) : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_string(" -> (")
        printer.print_list([r.type for r in self.results], printer.print_attribute)
        printer.print_string(")")


STRUCTURAL_OPS: list[type[HloOp]] = [
    ConstantOp,
    IotaOp,
    BroadcastInDimOp,
    TransposeOp,
    ReverseOp,
    PadOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    ConcatenateOp,
    SliceOp,
    GatherOp,
    DotGeneralOp,
    ConvolutionOp,
    CholeskyOp,
    TriangularSolveOp,
]
