"""The text forms of StableHLO ops, as its own printer writes them; every op has the generic form as well.

    %1 = stablehlo.add %0, %0 : tensor<3xf64>                                      operands, and one type
    %2 = stablehlo.reshape %1 : (tensor<3xf64>) -> tensor<3x1xf64>                 or a function type
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<3x1xf64>) -> tensor<1x3xf64>

A form is a class that ops derive from. An entry in trailing braces is a property if the op declares one of
that name, and an attribute otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerAttr, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, var_operand_def, var_region_def, var_result_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from mlirad.dialects.stablehlo.attributes import print_integers, read_integers
from mlirad.dialects.stablehlo.specification import verify


def integer_list(values: Sequence[int]) -> DenseArrayBase:
    """`array<i64: ...>`."""
    return cast(DenseArrayBase, DenseArrayBase.from_list(i64, list(values)))


class HloOp(IRDLOperation):
    """An op of StableHLO: any number of operands, results and regions, and the properties that it
    declares."""

    inputs = var_operand_def()
    outputs = var_result_def()
    bodies = var_region_def()

    def verify_(self) -> None:
        """Check the op against the specification."""
        verify(self)

    def integers(self, name: str) -> tuple[int, ...] | None:
        """The property that is a list of integers, if the op has it."""
        value = self.properties.get(name)
        if not isinstance(value, DenseArrayBase):
            return None
        return tuple(int(v) for v in cast(Any, value).get_values())

    @classmethod
    def made(
        cls,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute],
        properties: dict[str, Attribute] | None = None,
        written: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Self:
        """The op; of what was `written` in braces, declared properties become such."""
        declared = cls.get_irdl_definition().properties
        properties = dict(properties or {})
        attributes: dict[str, Attribute] = {}
        for name, value in (written or {}).items():
            (properties if name in declared else attributes)[name] = value
        return cls.create(
            operands=operands,
            result_types=results,
            properties=properties,
            attributes=attributes,
            regions=regions,
        )

    @classmethod
    def read_rest(
        cls,
        parser: Parser,
        operands: Sequence[UnresolvedOperand],
        properties: dict[str, Attribute] | None = None,
    ) -> Self:
        """The op, from what follows its operands and properties: braces, if there are any, and types."""
        written = parser.parse_optional_attr_dict()
        types, results = read_types(parser, len(operands))
        return cls.made(resolve(parser, operands, types), results, properties, written)

    def print_operands(self, printer: Printer) -> None:
        """` %a, %b`."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)

    def print_operand_types(self, printer: Printer) -> None:
        """` : types`, of the operands alone."""
        printer.print_string(" : ")
        printer.print_list(self.operand_types, printer.print_attribute)

    def print_braces(self, printer: Printer, hidden: Sequence[str] = ()) -> None:
        """Print in braces the properties that are not written elsewhere."""
        shown = {k: v for k, v in self.properties.items() if k not in hidden}
        printer.print_op_attributes({**shown, **self.attributes})


def read_operands(parser: Parser) -> list[UnresolvedOperand]:
    """`%a, %b`, as far as operands go; a comma in front of anything else is read too."""
    found: list[UnresolvedOperand] = []
    operand = parser.parse_optional_unresolved_operand()
    while operand is not None:
        found.append(operand)
        if parser.parse_optional_punctuation(",") is None:
            break
        operand = parser.parse_optional_unresolved_operand()
    return found


def read_types(parser: Parser, count: int) -> tuple[list[Attribute], list[Attribute]]:
    """After a colon: a function type, types of operands and of results, or one type for all."""
    parser.parse_punctuation(":")
    function = parser.parse_optional_function_type()
    if isinstance(function, FunctionType):
        return list(function.inputs.data), list(function.outputs.data)
    types: list[Attribute] = list(parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type))
    if parser.parse_optional_punctuation("->"):
        if parser.parse_optional_punctuation("("):
            results = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(")")
            return types, list(results)
        return types, [parser.parse_type()]
    if len(types) == 1:
        return types * count, types
    return types, types


def resolve(
    parser: Parser, operands: Sequence[UnresolvedOperand], types: Sequence[Attribute]
) -> list[SSAValue]:
    """The operands, each of its type."""
    return list(parser.resolve_operands(operands, types, parser.pos))


def print_function_type(printer: Printer, op: HloOp) -> None:
    """` : (operands) -> results`."""
    printer.print_string(" : ")
    printer.print_function_type([o.type for o in op.operands], [r.type for r in op.results])


def print_short_type(printer: Printer, op: HloOp) -> None:
    """` : T` where operands and the result have one type, else a function type."""
    types = {o.type for o in op.operands} | {r.type for r in op.results}
    if len(types) == 1 and len(op.results) == 1:
        printer.print_string(" : ")
        printer.print_attribute(next(iter(types)))
    else:
        print_function_type(printer, op)


class ListsForm(HloOp):
    """Operands, then the properties of `LISTS`, each as `key = [integers]`: `op %x, dims = [1, 0] : type`."""

    LISTS: ClassVar[dict[str, str]] = {}
    """The name of the property by the key that it is written with."""

    SHORT: ClassVar[bool] = False
    """True if one type stands for all where they are equal."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)
        properties: dict[str, Attribute] = {}
        for k, (key, name) in enumerate(cls.LISTS.items()):
            if k:
                parser.parse_punctuation(",")
            parser.parse_keyword(key)
            parser.parse_punctuation("=")
            properties[name] = integer_list(read_integers(parser))
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        for key, name in self.LISTS.items():
            printer.print_string(f", {key} = ")
            print_integers(printer, self.integers(name) or ())
        self.print_braces(printer, list(self.LISTS.values()))
        (print_short_type if self.SHORT else print_function_type)(printer, self)


class ArrowForm(HloOp):
    """Operands and their types before an arrow: `chlo.zeta %x, %q : tensor<f64>, tensor<f64> ->
    tensor<f64>`."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)
        return cls.read_rest(parser, operands)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        self.print_braces(printer)
        self.print_operand_types(printer)
        printer.print_string(" -> ")
        printer.print_list([r.type for r in self.results], printer.print_attribute)


class DimForm(HloOp):
    """Operands, then one dimension: `stablehlo.concatenate %x, %y, dim = 0 : type`."""

    PROPERTY: ClassVar[str]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form."""
        operands = read_operands(parser)
        parser.parse_keyword("dim")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {cls.PROPERTY: IntegerAttr(parser.parse_integer(), i64)}
        return cls.read_rest(parser, operands, properties)

    def print(self, printer: Printer) -> None:
        """Print the form."""
        self.print_operands(printer)
        dim = cast(IntegerAttr, self.properties[self.PROPERTY]).value.data
        printer.print_string(f"{', ' if self.operands else ''}dim = {dim}")
        self.print_braces(printer, (self.PROPERTY,))
        if self.operands:
            print_function_type(printer, self)
        else:
            print_short_type(printer, self)
