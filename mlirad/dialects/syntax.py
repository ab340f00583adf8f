"""The one custom syntax that the ops of mlirad's dialects share.

    %r = array.add %x, %y : tensor<3xf64>                                    every type the same: written once
    %r = array.compare lt %x, %y : f64, f64 -> i1                             a keyword property comes first
    %r = array.sum %x {dims = [0, 1]} : tensor<2x3xf64> -> f64                other properties in braces
    %r = array.index %x[%i, %j] : tensor<2x3xf64> -> f64                      positions: always i64
    %r = array.gather %x (%i) : tensor<5xf64> -> tensor<3xf64> {            region arguments: i64 unless typed
      array.yield %i : i64
    }
    %r = array.while %x (%a : f64) : f64 -> f64 {...} do (%a : f64) {...}    later regions follow a word
    %r = array.if %p : i1 -> f64 {...} else {...}                           regions may take no arguments

An op states its keyword property, its braced properties, how many operands come before the bracketed
positions and the words before its later regions; the parser and printer below do the rest, so that reading
back what was printed is the identity.
"""

from __future__ import annotations

import re
from abc import ABC
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Region
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from mlirad.dialects.language_op import LanguageOp
from mlirad.dialects.shapes import FLAG, integer, ints, keyword, values_of

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Strings that are written without quotes."""


MAX_LISTS = 8
"""The depth to which the lists of a property may be nested: no op has lists of lists of lists."""


class StructuredOp(LanguageOp, ABC):
    """An op in the shared syntax. Operand definitions are flat: at most one variadic group, the last one."""

    KEYWORD: ClassVar[str | None] = None
    BRACED: ClassVar[tuple[str, ...]] = ()
    ATTRIBUTE_LISTS: ClassVar[tuple[str, ...]] = ()
    """Properties that are lists of other attributes than integers, which may be empty."""
    POSITIONS_FROM: ClassVar[int | None] = None
    ONE_TYPE: ClassVar[bool] = False
    REGION_WORDS: ClassVar[tuple[str, ...]] = ()
    REPEATED: ClassVar[bool] = False
    """True if the last word, with its region, may occur any number of times."""
    BARE_REGIONS: ClassVar[bool] = False
    """True if regions without arguments are written without `()`."""

    def print(self, printer: Printer) -> None:
        """Print everything after the op's name."""
        if self.KEYWORD is not None:
            printer.print_string(" " + cast(StringAttr, self.properties[self.KEYWORD]).data)
        split = self.POSITIONS_FROM
        plain = self.operands if split is None else self.operands[:split]
        positions = () if split is None else self.operands[split:]
        if plain:
            printer.print_string(" ")
            printer.print_list(plain, printer.print_ssa_value)
        if positions:
            printer.print_string("[")
            printer.print_list(positions, printer.print_ssa_value)
            printer.print_string("]")
        first, *later = self.regions or (None,)
        if first is not None:
            # Names inside a region are free again after it.
            printer.enter_scope()
            self._print_arguments(printer, first)
        self._print_properties(printer)
        plain_types = [o.type for o in plain]
        result_types = [r.type for r in self.results]
        if plain_types or result_types:
            printer.print_string(" : ")
        if self.ONE_TYPE and len({*plain_types, *result_types}) == 1 and plain_types:
            printer.print_attribute(plain_types[0])
        else:
            printer.print_list(plain_types, printer.print_attribute)
            if result_types:
                printer.print_string(" -> " if plain_types else "-> ")
                if len(result_types) == 1:
                    printer.print_attribute(result_types[0])
                else:
                    with printer.in_parens():
                        printer.print_list(result_types, printer.print_attribute)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        if first is not None:
            self._print_body(printer, first)
        words = self.REGION_WORDS
        for k, region in enumerate(later):
            printer.enter_scope()
            printer.print_string(" " + words[min(k, len(words) - 1)])
            self._print_arguments(printer, region)
            self._print_body(printer, region)

    @staticmethod
    def _print_body(printer: Printer, region: Region) -> None:
        printer.print_string(" ")
        printer.print_region(region, print_entry_block_args=False, print_empty_block=False)
        printer.exit_scope()

    def _print_arguments(self, printer: Printer, region: Region) -> None:
        if self.BARE_REGIONS and not region.block.args:
            return
        printer.print_string(" (")
        for k, arg in enumerate(region.block.args):
            printer.print_string(", " if k else "")
            printer.print_block_argument(arg, print_type=arg.type != i64)
        printer.print_string(")")

    def _print_properties(self, printer: Printer) -> None:
        present = [p for p in self.BRACED if p in self.properties]
        if not present:
            return
        printer.print_string(" {")
        for k, name in enumerate(present):
            printer.print_string(", " if k else "")
            value = self.properties[name]
            printer.print_string(name)
            if not isinstance(value, UnitAttr):
                printer.print_string(" = ")
                _print_value(printer, value)
        printer.print_string("}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read everything after the op's name; a malformed op raises a parse error at its place."""
        properties: dict[str, Attribute] = {}
        if cls.KEYWORD is not None:
            properties[cls.KEYWORD] = keyword(parser.parse_identifier())
        start = parser.pos
        plain: list[UnresolvedOperand] = []
        first = parser.parse_optional_unresolved_operand()
        if first is not None:
            plain.append(first)
            while parser.parse_optional_punctuation(","):
                plain.append(parser.parse_unresolved_operand())
        positions: list[UnresolvedOperand] = []
        if cls.POSITIONS_FROM is not None:
            positions = (
                parser.parse_optional_comma_separated_list(
                    Parser.Delimiter.SQUARE, parser.parse_unresolved_operand
                )
                or []
            )
        has_region = bool(cls.get_irdl_definition().regions)
        arguments = cls._parse_arguments(parser) if has_region else []
        _parse_properties(cls, parser, properties)
        plain_types, result_types = _parse_types(cls, parser, len(plain))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        regions = [parser.parse_region(arguments), *cls._parse_later_regions(parser)] if has_region else []
        if len(plain_types) != len(plain):
            parser.raise_error(f"{len(plain)} operands and {len(plain_types)} operand types", start)
        operands = [
            *parser.resolve_operands(plain, plain_types, start),
            *parser.resolve_operands(positions, [i64] * len(positions), start),
        ]
        return cls.create(
            operands=operands,
            result_types=result_types,
            properties=properties,
            attributes={} if attributes is None else attributes.data,
            regions=regions,
        )

    @classmethod
    def _parse_arguments(cls, parser: Parser) -> list[Parser.Argument]:
        def parse_one() -> Parser.Argument:
            return _parse_argument(parser)

        if cls.BARE_REGIONS:
            return parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parse_one) or []
        return parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parse_one)

    @classmethod
    def _parse_later_regions(cls, parser: Parser) -> list[Region]:
        regions: list[Region] = []
        for k, word in enumerate(cls.REGION_WORDS):
            if cls.REPEATED and k == len(cls.REGION_WORDS) - 1:
                while parser.parse_optional_keyword(word):
                    regions.append(parser.parse_region(cls._parse_arguments(parser)))
            else:
                parser.parse_keyword(word)
                regions.append(parser.parse_region(cls._parse_arguments(parser)))
        return regions


def _print_value(printer: Printer, value: Attribute) -> None:
    match value:
        case DenseArrayBase():
            values = values_of(cast("DenseArrayBase[I64]", value))
            printer.print_string("[" + ", ".join(map(str, values)) + "]")
        case IntegerAttr():
            printer.print_string(str(value.value.data))
        case StringAttr() if _IDENTIFIER.fullmatch(value.data):
            printer.print_string(value.data)
        case ArrayAttr():
            with printer.in_square_brackets():
                printer.print_list(value.data, lambda v: _print_value(printer, v))
        case _:
            printer.print_attribute(value)


def _parse_argument(parser: Parser) -> Parser.Argument:
    argument = parser.parse_argument(expect_type=False)
    return argument.resolve(parser.parse_type() if parser.parse_optional_punctuation(":") else i64)


def _parse_value(parser: Parser, lists: int = 0) -> Attribute:
    """The value of a property, inside of a given number of lists."""
    position = parser.pos
    if parser.parse_optional_punctuation("["):
        if lists == MAX_LISTS:
            parser.raise_error(f"lists are nested more than {MAX_LISTS} deep", position)
        if parser.parse_optional_punctuation("]"):
            return ints(())
        values = [_parse_value(parser, lists + 1)]
        while parser.parse_optional_punctuation(","):
            values.append(_parse_value(parser, lists + 1))
        parser.parse_punctuation("]")
        if all(isinstance(v, IntegerAttr) for v in values):
            return ints(tuple(cast("IntegerAttr[I64]", v).value.data for v in values))
        return ArrayAttr(values)
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return integer(number)
    word = parser.parse_optional_identifier()
    if word is not None:
        return keyword(word)
    return parser.parse_attribute()


def _parse_properties(op: type[StructuredOp], parser: Parser, properties: dict[str, Attribute]) -> None:
    def parse_one() -> None:
        position = parser.pos
        name = parser.parse_identifier(" as the name of a property")
        if name not in op.BRACED:
            known = ", ".join(op.BRACED) or "none"
            parser.raise_error(f"{op.name} has no property '{name}'; it has: {known}", position)
        if name in properties:
            parser.raise_error(f"property '{name}' is given twice", position)
        value = _parse_value(parser) if parser.parse_optional_punctuation("=") else FLAG
        properties[name] = ArrayAttr(()) if name in op.ATTRIBUTE_LISTS and value == ints(()) else value

    if op.BRACED:
        parser.parse_optional_comma_separated_list(Parser.Delimiter.BRACES, parse_one)


def _parse_types(
    op: type[StructuredOp], parser: Parser, operands: int
) -> tuple[list[Attribute], list[Attribute]]:
    if not parser.parse_optional_punctuation(":"):
        return [], []
    types: list[Attribute] = []
    if operands:
        types.append(parser.parse_type())
        while parser.parse_optional_punctuation(","):
            types.append(parser.parse_type())
    if not parser.parse_optional_punctuation("->"):
        if op.ONE_TYPE and len(types) == 1:
            return types * operands, types
        return types, []
    results = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
    if results is not None:
        return types, list(results)
    return types, [parser.parse_type()]
