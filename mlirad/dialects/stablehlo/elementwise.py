"""Elementwise ops of StableHLO and CHLO, one class for each name of the tables.

%1 = stablehlo.add %0, %0 : tensor<3xf64>
%2 = chlo.erf %1 : tensor<3xf64> -> tensor<3xf64>
%3 = stablehlo.compare LT, %1, %2, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
"""

from __future__ import annotations

from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlirad.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from mlirad.dialects.stablehlo.syntax import (
    ArrowForm,
    HloOp,
    ListsForm,
    print_function_type,
    read_operands,
    read_types,
    resolve,
)

UNARY = [
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "count_leading_zeros",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "negate",
    "not",
    "popcnt",
    "real",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "convert",
    "bitcast_convert",
    "reshape",
]
"""Ops of one operand that are written as it and its type."""

BINARY = [
    "add",
    "and",
    "atan2",
    "complex",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "or",
    "power",
    "remainder",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "subtract",
    "xor",
]

CHLO_UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i0e",
    "bessel_i1e",
    "conj",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "sinh",
    "square",
    "tan",
]

CHLO_BINARY = ["next_after", "polygamma", "zeta"]


class ElementwiseOp(ListsForm):
    """An op on elements of one shape."""

    SHORT: ClassVar = True
    result_accuracy = opt_prop_def(Attribute)


class ChloOp(ArrowForm):
    """An elementwise op of CHLO, which says what StableHLO has no op for."""


def _declared(base: type[HloOp], dialect: str, name: str) -> type[HloOp]:
    """The class of an op."""
    title = "".join(part.title() for part in name.split("_")) + "Op"
    fields = {
        "name": f"{dialect}.{name}",
        "__module__": __name__,
        "__doc__": f"`{name}`.",
    }
    return irdl_op_definition(cast("type[HloOp]", type(title, (base,), fields)))


@irdl_op_definition
class CompareOp(HloOp):
    """A comparison: `stablehlo.compare LT, %x, %y, FLOAT : (operands) -> result`."""

    name = "stablehlo.compare"
    comparison_direction = prop_def(ComparisonDirection)
    compare_type = opt_prop_def(ComparisonType)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        direction = ComparisonDirection(parser.parse_keyword_in(ComparisonDirection.VALUES))
        properties: dict[str, Attribute] = {"comparison_direction": direction}
        parser.parse_punctuation(",")
        operands = read_operands(parser)
        kind = parser.parse_optional_keyword_in(ComparisonType.VALUES)
        if kind is not None:
            properties["compare_type"] = ComparisonType(kind)
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        printer.print_string(f" {self.comparison_direction.data}, ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.compare_type is not None:
            printer.print_string(f", {self.compare_type.data}")
        self.print_braces(printer, ("comparison_direction", "compare_type"))
        print_function_type(printer, self)


@irdl_op_definition
class SelectOp(HloOp):
    """A choice per element, or of the whole: `stablehlo.select %p, %x, %y : tensor<i1>, tensor<3xf64>`."""

    name = "stablehlo.select"

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)
        written = parser.parse_optional_attr_dict()
        types, results = read_types(parser, len(operands))
        if len(types) == 2:
            types, results = [types[0], types[1], types[1]], [types[1]]
        return cls.made(resolve(parser, operands, types), results, None, written)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        self.print_braces(printer)
        if self.operands[1].type == self.operands[2].type == self.results[0].type:
            printer.print_string(" : ")
            printer.print_list([o.type for o in self.operands[:2]], printer.print_attribute)
        else:
            print_function_type(printer, self)


@irdl_op_definition
class ClampOp(ElementwiseOp):
    """min(max(x, low), high), of the operands low, x, high."""

    name = "stablehlo.clamp"


@irdl_op_definition
class ReducePrecisionOp(HloOp):
    """Rounding to fewer bits: `stablehlo.reduce_precision %x, format = e8m7 : type`."""

    name = "stablehlo.reduce_precision"
    exponent_bits = prop_def(IntegerAttr)
    mantissa_bits = prop_def(IntegerAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)
        parser.parse_keyword("format")
        parser.parse_punctuation("=")
        position = parser.pos
        text = parser.parse_identifier()
        exponent, _, mantissa = text.removeprefix("e").partition("m")
        if not (text.startswith("e") and exponent.isdigit() and mantissa.isdigit()):
            parser.raise_error("expected a format such as e8m7", position)
        properties: dict[str, Attribute] = {
            "exponent_bits": IntegerAttr(int(exponent), i32),
            "mantissa_bits": IntegerAttr(int(mantissa), i32),
        }
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        bits = f"e{self.exponent_bits.value.data}m{self.mantissa_bits.value.data}"
        printer.print_string(f", format = {bits} : ")
        printer.print_attribute(self.results[0].type)


ELEMENTWISE_OPS: list[type[HloOp]] = [
    *(_declared(ElementwiseOp, "stablehlo", name) for name in (*UNARY, *BINARY)),
    CompareOp,
    SelectOp,
    ClampOp,
    ReducePrecisionOp,
]

CHLO_ELEMENTWISE_OPS: list[type[HloOp]] = [
    *(_declared(ChloOp, "chlo", name) for name in (*CHLO_UNARY, *CHLO_BINARY)),
]
