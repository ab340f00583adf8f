"""Ops of StableHLO with regions, and calls.

%r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (types) -> type
%c:2 = stablehlo.while(%i = %zero, %a = %x) : types cond { ... } do { ... }
%y = "stablehlo.case"(%k) ({ ... }, { ... }) : (tensor<i32>) -> tensor<f64>
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from mlirad.dialects.stablehlo.attributes import ScatterDimensions, print_integers, read_integers
from mlirad.dialects.stablehlo.syntax import (
    HloOp,
    ListsForm,
    integer_list,
    print_function_type,
    read_operands,
    read_types,
    resolve,
)


@irdl_op_definition
class ReturnOp(HloOp):
    """The end of a region: `stablehlo.return %x, %y : types`."""

    name = "stablehlo.return"
    traits = traits_def(IsTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)
        types = read_types(parser, len(operands))[0] if operands else []
        return cls.made(resolve(parser, operands, types), [])

    def print(self, printer: Printer) -> None:
        """Print the form."""
        if not self.operands:
            return
        self.print_operands(printer)
        self.print_operand_types(printer)


@irdl_op_definition
class ReduceOp(HloOp):
    """Reductions of several arrays at once over dimensions, by a region on scalars."""

    name = "stablehlo.reduce"
    dimensions = prop_def(DenseArrayBase)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`(%x init: %a), (%y init: %b) across dimensions = [0] : type reducer(%p: t, %q: t) ... { ... }`, or
        with
        `applies op` for the region that is this op."""
        inputs: list[UnresolvedOperand] = []
        initial: list[UnresolvedOperand] = []
        while True:
            parser.parse_punctuation("(")
            inputs.append(parser.parse_unresolved_operand())
            parser.parse_keyword("init")
            parser.parse_punctuation(":")
            initial.append(parser.parse_unresolved_operand())
            parser.parse_punctuation(")")
            if parser.parse_optional_punctuation(",") is None:
                break
        applied: str | None = None
        if parser.parse_optional_keyword("applies"):
            applied = parser.parse_identifier()
        parser.parse_keyword("across")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {"dimensions": integer_list(read_integers(parser))}
        written = parser.parse_optional_attr_dict()
        types, results = read_types(parser, len(inputs) + len(initial))
        operands = resolve(parser, [*inputs, *initial], types)
        if applied is not None:
            region = _applied_region(parser, applied, operands[-1].type)
        else:
            region = _reducer(parser, len(inputs))
        return cls.made(operands, results, properties, written, [region])

    def print(self, printer: Printer) -> None:
        """Print the form, the short one where it says the same."""
        half = len(self.operands) // 2
        for k in range(half):
            printer.print_string(", (" if k else "(")
            printer.print_ssa_value(self.operands[k])
            printer.print_string(" init: ")
            printer.print_ssa_value(self.operands[half + k])
            printer.print_string(")")
        name = self.applied()
        if name is not None:
            printer.print_string(f" applies {name}")
        printer.print_string(" across dimensions = ")
        print_integers(printer, self.integers("dimensions") or ())
        self.print_braces(printer, ("dimensions",))
        print_function_type(printer, self)
        if name is None:
            printer.print_string("\n reducer")
            block = self.regions[0].block
            for k in range(half):
                printer.print_string("(")
                printer.print_list((block.args[k], block.args[half + k]), printer.print_block_argument)
                printer.print_string(") ")
            printer.print_region(self.regions[0], print_entry_block_args=False)

    def applied(self) -> str | None:
        """The name of the op that the region is, if it is one of its arguments."""
        block = self.regions[0].block
        ops = list(block.ops)
        if len(ops) != 2 or len(block.args) != 2 or list(ops[0].operands) != list(block.args):
            return None
        if list(ops[1].operands) != list(ops[0].results) or ops[0].properties:
            return None
        return ops[0].name


def _applied_region(parser: Parser, name: str, type_: Attribute) -> Region:
    """The region that applies an op to its two arguments."""
    op_class = parser._get_op_by_name(name)  # pyright: ignore[reportPrivateUsage]
    block = Block(arg_types=[type_, type_])
    op = op_class.create(operands=block.args, result_types=[type_])
    block.add_ops([op, ReturnOp.create(operands=op.results)])
    return Region(block)


def _located_argument(parser: Parser) -> Parser.Argument:
    """`%a: type`, and where it comes from, if that is written."""
    argument = parser.parse_argument()
    parser.parse_optional_location()
    return argument


def _reducer(parser: Parser, count: int) -> Region:
    parser.parse_keyword("reducer")
    pairs = [
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _located_argument(parser))
        for _ in range(count)
    ]
    arguments = [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
    return parser.parse_region(arguments)


@irdl_op_definition
class WhileOp(HloOp):
    """A loop that goes on while its first region gives true.

    `(%i = %zero, %a = %x) : types cond { ... } do { ... }`
    """

    name = "stablehlo.while"

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        names: list[Parser.UnresolvedArgument] = []
        operands: list[UnresolvedOperand] = []

        def pair() -> None:
            names.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            operands.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
        types = read_types(parser, len(operands))[0] if operands else []
        written: dict[str, Attribute] = {}
        found = parser.parse_optional_attr_dict_with_keyword()
        if found is not None:
            written = dict(found.data)
        arguments = [name.resolve(type_) for name, type_ in zip(names, types, strict=True)]
        parser.parse_keyword("cond")
        condition = parser.parse_region(arguments)
        parser.parse_keyword("do")
        body = parser.parse_region(arguments)
        return cls.made(resolve(parser, operands, types), types, None, written, [condition, body])

    def print(self, printer: Printer) -> None:
        """Print the form; the arguments of both regions are printed by the names of the first."""
        condition, body = self.regions
        printer.print_string("(")
        printer.enter_scope()
        pairs = list(zip(condition.block.args, self.operands, strict=True))
        for k, (argument, operand) in enumerate(pairs):
            printer.print_string(", " if k else "")
            name = printer.print_ssa_value(argument)
            printer._ssa_values[body.block.args[k]] = name.removeprefix("%")  # pyright: ignore[reportPrivateUsage]
            printer.print_string(" = ")
            printer.print_ssa_value(operand)
        printer.print_string(") : ")
        printer.print_list([o.type for o in self.operands], printer.print_attribute)
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string("\ncond ")
        printer.print_region(condition, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(body, print_entry_block_args=False)
        printer.exit_scope()


@irdl_op_definition
class CaseOp(HloOp):
    """The values of the region of number `index`, or of the last region if there is no such number."""

    name = "stablehlo.case"


@irdl_op_definition
class IfOp(HloOp):
    """The values of the first region where the condition holds, else of the second."""

    name = "stablehlo.if"


@irdl_op_definition
class MapOp(HloOp):
    """A region on scalars applied to all elements."""

    name = "stablehlo.map"
    dimensions = prop_def(DenseArrayBase)


@irdl_op_definition
class SortOp(HloOp):
    """Arrays reordered along a dimension by a comparison of their elements."""

    name = "stablehlo.sort"
    dimension = opt_prop_def(IntegerAttr)
    is_stable = opt_prop_def(BoolAttr)


@irdl_op_definition
class ScatterOp(HloOp):
    """Arrays in which windows at computed positions are combined with updates; what is outside is dropped."""

    name = "stablehlo.scatter"
    scatter_dimension_numbers = prop_def(ScatterDimensions)
    indices_are_sorted = opt_prop_def(BoolAttr)
    unique_indices = opt_prop_def(BoolAttr)


@irdl_op_definition
class ReduceWindowOp(HloOp):
    """Reductions of windows that slide over arrays."""

    name = "stablehlo.reduce_window"
    window_dimensions = prop_def(DenseArrayBase)
    window_strides = opt_prop_def(DenseArrayBase)
    base_dilations = opt_prop_def(DenseArrayBase)
    window_dilations = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseIntOrFPElementsAttr)


@irdl_op_definition
class SelectAndScatterOp(HloOp):
    """Values added where windows of an array have the element that a comparison selects."""

    name = "stablehlo.select_and_scatter"
    window_dimensions = prop_def(DenseArrayBase)
    window_strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseIntOrFPElementsAttr)


@irdl_op_definition
class OptimizationBarrierOp(ListsForm):
    """Its operands, kept apart from what computes them."""

    name = "stablehlo.optimization_barrier"

    def print(self, printer: Printer) -> None:
        """`%x, %y : types`."""
        self.print_operands(printer)
        self.print_braces(printer)
        self.print_operand_types(printer)


@irdl_op_definition
class CustomCallOp(HloOp):
    """A call of code of the platform: `stablehlo.custom_call @target(%x) {...} : (types) -> types`."""

    name = "stablehlo.custom_call"
    call_target_name = prop_def(StringAttr)
    has_side_effect = opt_prop_def(BoolAttr)
    backend_config = opt_prop_def(Attribute)
    api_version = opt_prop_def(Attribute)
    called_computations = opt_prop_def(ArrayAttr)
    operand_layouts = opt_prop_def(ArrayAttr)
    result_layouts = opt_prop_def(ArrayAttr)
    output_operand_aliases = opt_prop_def(ArrayAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        properties: dict[str, Attribute] = {"call_target_name": parser.parse_symbol_name()}
        operands = parser.parse_op_args_list()
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        printer.print_string(" ")
        printer.print_symbol_name(self.call_target_name.data)
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_ssa_value)
        self.print_braces(printer, ("call_target_name",))
        print_function_type(printer, self)


@irdl_op_definition
class CompositeOp(HloOp):
    """An op that a function stands for: `stablehlo.composite "name" %x {decomposition = @f} : (types) ->
    type`."""

    name = "stablehlo.composite"
    name_ = prop_def(StringAttr, prop_name="name")
    decomposition = prop_def(SymbolRefAttr)
    composite_attributes = opt_prop_def(Attribute)
    version = opt_prop_def(IntegerAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        properties: dict[str, Attribute] = {"name": StringAttr(parser.parse_str_literal())}
        operands = read_operands(parser)
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        printer.print_string(" ")
        printer.print_string_literal(self.name_.data)
        self.print_operands(printer)
        self.print_braces(printer, ("name",))
        print_function_type(printer, self)


CONTROL_OPS: list[type[HloOp]] = [
    ReturnOp,
    ReduceOp,
    WhileOp,
    CaseOp,
    IfOp,
    MapOp,
    SortOp,
    ScatterOp,
    ReduceWindowOp,
    SelectAndScatterOp,
    OptimizationBarrierOp,
    CustomCallOp,
    CompositeOp,
]
