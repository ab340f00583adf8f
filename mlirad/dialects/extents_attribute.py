"""Extents in the text of programs: of types, and of properties that are lists of extents.

    tensor<?x10xf64, #array.extents<[n, 10]>>                             n rows
    array.slice %x {..., limits = #array.extents<[n - 1, 10]>, ...}
    array.scan (%i) {..., length = #array.extent<n>}                      one extent alone
    #array.extents<[2 * n + 1, n * m, (n + 7) floordiv 8]>                as affine expressions of MLIR

A list without sizes is written `[3, 10]`, and a type without them `tensor<3x10xf64>`: there is one text for
each type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.extents import evaluate, is_static, size, sizes_of, text_of

Extents: TypeAlias = tuple[int, ...]

MAX_NESTING = 32
"""The depth to which expressions may be nested in brackets."""


@irdl_attr_definition
class ExtentsAttr(Data[Extents]):
    """A list of extents, at least one with a size in it."""

    name = "array.extents"

    def print_parameter(self, printer: Printer) -> None:
        """Print the list in angle and square brackets."""
        with printer.in_angle_brackets():
            printer.print_string("[" + ", ".join(map(text_of, self.data)) + "]")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Extents:
        """Read what `print_parameter` prints."""
        with parser.in_angle_brackets():
            return tuple(
                parser.parse_comma_separated_list(
                    AttrParser.Delimiter.SQUARE, lambda: parse_extent(parser, MAX_NESTING)
                )
            )

    def verify(self) -> None:
        """Require a size: a list of integers is written as such."""
        if all(map(is_static, self.data)):
            raise VerifyException(
                f"extents {list(self.data)} have no size in them: write them without #array.extents"
            )


@irdl_attr_definition
class ExtentAttr(Data[int]):
    """One extent with a size in it, where ops have an integer if it is static."""

    name = "array.extent"

    def print_parameter(self, printer: Printer) -> None:
        """Print the extent in angle brackets."""
        with printer.in_angle_brackets():
            printer.print_string(text_of(self.data))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        """Read what `print_parameter` prints."""
        with parser.in_angle_brackets():
            return parse_extent(parser, MAX_NESTING)

    def verify(self) -> None:
        """Require a size: an integer is written as such."""
        if is_static(self.data):
            raise VerifyException(f"extent {self.data} has no size in it: write it without #array.extent")


def extents_at(attribute: ExtentsAttr, sizes: Mapping[str, int]) -> Extents:
    """The extents with numbers, or other extents, in place of sizes."""
    return tuple(evaluate(extent, sizes) for extent in attribute.data)


def sizes_in(extents: Extents) -> frozenset[str]:
    """The names of all sizes in a list of extents."""
    return frozenset[str]().union(*map(sizes_of, extents))


def parse_extent(parser: AttrParser, depth: int) -> int:
    """A sum or difference of products."""
    total = _parse_product(parser, depth)
    while True:
        if parser.parse_optional_punctuation("+"):
            total = total + _parse_product(parser, depth)
        elif parser.parse_optional_punctuation("-"):
            total = total - _parse_product(parser, depth)
        else:
            return total


def _parse_product(parser: AttrParser, depth: int) -> int:
    """Factors, divided by positive numbers."""
    if parser.parse_optional_punctuation("-"):
        return -_parse_product(parser, depth)
    product = _parse_factor(parser, depth)
    while True:
        if parser.parse_optional_punctuation("*"):
            product = product * _parse_factor(parser, depth)
        elif parser.parse_optional_keyword("floordiv"):
            start = parser.pos
            divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
            if divisor < 1:
                parser.raise_error("extents are divided by positive numbers", start)
            product = product // divisor
        else:
            return product


def _parse_factor(parser: AttrParser, depth: int) -> int:
    """A number, a size, or a sum in brackets."""
    start = parser.pos
    if parser.parse_optional_punctuation("("):
        if not depth:
            parser.raise_error(f"extents are nested more than {MAX_NESTING} deep", start)
        inner = parse_extent(parser, depth - 1)
        parser.parse_punctuation(")")
        return inner
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if number is not None:
        return number
    name = parser.parse_optional_identifier()
    if name is None or not is_size_name(name):
        parser.raise_error("expected a number, the name of a size, or a sum of these in brackets", start)
    return size(name)


def is_size_name(name: str) -> bool:
    """Return whether a size may have that name."""
    return name.isascii() and name.isidentifier() and name != "floordiv"
