"""Reading MLIR text: every op gets its place in the text, every defect becomes a `ParseError` with its place.

    module = parse_module("func.func @f(%x: f64) -> f64 {...}", "f.mlir")
    location_of(op)      -->  "f.mlir:3:8"           the name of the op, unless a `loc(...)` gives another

Parsed text may still break rules: `mlirad.ir.verification.verify_module` checks them.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    DictionaryAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    FusedLoc,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    RankedStructure,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.dialects.func import Func
from xdsl.ir import Attribute, AttributeInvT, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import MultipleSpansParseError, VerifyException
from xdsl.utils.exceptions import ParseError as XdslParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer

from mlirad.dialects.array import Array
from mlirad.dialects.function import Function
from mlirad.dialects.kernel import Kernel
from mlirad.dialects.linear import Linear
from mlirad.errors import MliradError, ParseError, is_from_signal
from mlirad.ir.foreign import STABLEHLO, UPSTREAM, ForeignContext
from mlirad.ir.locations import FileLocation, place_of, source_location

MAX_ATTRIBUTE_SIZE = 2**16
MAX_ATTRIBUTE_DEPTH = 64
"""The number of parts that a type or an attribute may have, and how deep they may be nested."""

MAX_NESTING = 64
"""The depth to which ops may stand inside each other in text: the parser and the passes recurse over their
regions."""

MAX_INTEGER_WIDTH = 128
"""The widest integers whose literals are read. The language has none beyond 64 bits."""

MAX_LITERAL_ELEMENTS = 2**24
"""The most elements that a literal with one repeated value may have."""

_ARRAY_TYPE = re.compile(r"(tensor<(?:\d+x)+)?(?:f64|f32|i64|i32|i1)(?(1)>|(?![\w.$-]))")
"""A type of arrays or scalars, which needs no more than a look to be known."""


_LOCATION_ALIAS = re.compile(r"^#[\w$.-]+ = loc\(", re.MULTILINE)


def make_context(*, allow_unregistered: bool = False) -> Context:
    """The dialects that MLIR text may use, those of upstream programs among them."""
    context = ForeignContext(allow_unregistered=allow_unregistered)
    for dialect in (Builtin, Func, Array, Function, Linear, Kernel):
        context.load_dialect(dialect)
    for name, factory in {**UPSTREAM, **STABLEHLO}.items():
        context.register_dialect(name, factory)
    return context


def parse_module(
    text: str,
    file: str = "<string>",
    *,
    context: Context | None = None,
    first_line: int = 1,
) -> ModuleOp:
    """The module that `text` writes; its ops carry their places in `file`.

    The text begins on line `first_line` of the file. Raises `ParseError` with `file:line:column`.
    """
    parser: _LocatingParser | None = None
    try:
        parser = _LocatingParser(context or make_context(), text, file, first_line)
        return parser.parse_module()
    except XdslParseError as error:
        undefined = None if parser is None else parser.first_undefined()
        if undefined is not None and error.msg.startswith("values used but not defined"):
            name, start = undefined
            place = place_of_offset(text, start, file, first_line)
            raise ParseError(f"%{name} is not defined", location=str(place)) from error
        place = place_of_offset(text, error.span.start, file, first_line)
        message = error.msg.strip()
        if isinstance(error, MultipleSpansParseError) and error.ref_text is not None:
            places = [str(place_of_offset(text, span.start, file, first_line)) for span, _ in error.refs]
            message += f" ({error.ref_text} {', '.join(places)})"
        raise ParseError(message, location=str(place)) from error
    except MliradError:
        raise
    except RecursionError as error:
        message, cause = "nested too deeply", error
    except MemoryError as error:
        message, cause = "needs more memory than there is", error
    except VerifyException as error:
        message, cause = str(error), error
    # xDSL's parser answers some malformed text with errors of every kind, from AssertionError to
    # OverflowError. Each means that the text before the current token is not MLIR.
    except Exception as error:
        if is_from_signal(error):
            raise
        message, cause = f"malformed text: {str(error) or type(error).__name__}", error
    offset = 0 if parser is None else min(parser.pos, len(text))
    raise ParseError(message, location=str(place_of_offset(text, offset, file, first_line))) from cause


def place_of_offset(text: str, offset: int, file: str, first_line: int = 1) -> FileLocation:
    """The line and column of a character of `text`, which begins on line `first_line`."""
    offset = min(offset, len(text))
    start = text.rfind("\n", 0, offset) + 1
    return FileLocation(file, first_line + text.count("\n", 0, start), offset - start + 1)


class _TerminatingLexer(MLIRLexer):
    """xDSL's lexer, with an end to every string: its own pattern takes time exponential in the length of a
    string that is not closed, because it may split the characters into runs in every way.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')


class _Sizes:
    """The number of parts that attributes have, and the depth of these; those of parts are remembered."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Attribute, int, int]] = {}

    def measure(self, attribute: Attribute) -> tuple[int, int]:
        """The size and the depth."""
        pending = [attribute]
        while pending:
            current = pending[-1]
            if id(current) in self._known:
                pending.pop()
                continue
            parts = _parts_of(current)
            unknown = [part for part in parts if id(part) not in self._known]
            if unknown:
                pending += unknown
                continue
            known = [self._known[id(part)] for part in parts]
            size = 1 + sum(size for _, size, _ in known)
            depth = 1 + max((depth for _, _, depth in known), default=0)
            # Held, so that no other attribute can take its id.
            self._known[id(current)] = (current, size, depth)
            pending.pop()
        _, size, depth = self._known[id(attribute)]
        return size, depth


def _parts_of(attribute: Attribute) -> Sequence[Attribute]:
    match attribute:
        case ArrayAttr():
            return attribute.data
        case DictionaryAttr():
            return tuple(attribute.data.values())
        case ParametrizedAttribute():
            return attribute.parameters
        case _:
            return ()


class _LocatingParser(Parser):
    """xDSL's parser, giving each op whose `loc(...)` is in no file the place of its name."""

    def __init__(self, context: Context, text: str, file: str, first_line: int):
        # The attributes that xDSL's parser sets here, with the lexer above in place of its own.
        AttrParser.__init__(self, ParserState(_TerminatingLexer(Input(text, file))), context)
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        self._file = file
        self._first_line = first_line
        self._names: list[int] = []
        self._counted = (0, 0)
        self._first_uses: dict[str, int] = {}
        self._sizes = _Sizes()
        self._array_types: dict[str, TypeAttribute] = {}
        self._aliases_read: dict[int, int] = {}
        """The end of each definition of a location that was read ahead, by its start."""

    def first_undefined(self) -> tuple[str, int] | None:
        """The first value that is used and nowhere defined, with the offset of its first use."""
        uses = ((self._first_uses.get(name, 0), name) for name in self.forward_ssa_references)
        start, name = min(uses, default=(0, None))
        return None if name is None else (name, start)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """The module. Printers write what locations stand for behind it: that is read first."""
        starts = [found.start() for found in _LOCATION_ALIAS.finditer(self.lexer.input.content)]
        for start in starts:
            self._resume_from(start)
            self._parse_alias_def()
            self._aliases_read[start] = self._current_token.span.start
        if starts:
            self._resume_from(0)
        return super().parse_module(allow_implicit_module)

    def _parse_alias_def(self) -> None:
        end = self._aliases_read.get(self._current_token.span.start)
        if end is None:
            super()._parse_alias_def()
        else:
            self._resume_from(end)

    def _parse_location(self) -> LocationAttr:
        """A location; of a range `"f.py":4:6 to :39` where it begins."""
        location = super()._parse_location()
        if self.parse_optional_keyword("to"):
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return location

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        name = operand.operand_name
        if name not in self.ssa_values:
            self._first_uses.setdefault(name, operand.span.start)
        return super().resolve_operand(operand, type)

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        if element.span.text.startswith("0x") and isinstance(element.value, int):
            return self._Bits(element.is_negative, element.value, element.span)
        return element

    class _Bits(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
        """An element written in hexadecimal: of floats the bits, which xDSL takes for the number."""

        def to_type(self, parser: AttrParser, type: Attribute) -> Any:
            if not isinstance(type, Float64Type | Float32Type):
                return super().to_type(parser, cast(Any, type))
            size = 8 if isinstance(type, Float64Type) else 4
            if len(self.span.text) != 2 + 2 * size:
                parser.raise_error(f"the bits of {type} are {2 * size} hexadecimal digits", self.span)
            bits = cast(int, self.value).to_bytes(size, "little")
            return struct.unpack("<d" if size == 8 else "<f", bits)[0]

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self.pos
        # Most types are those of arrays, and written many times: they are taken apart once.
        written = _ARRAY_TYPE.match(self.lexer.input.content, start)
        if written is not None and written[0] in self._array_types:
            self._resume_from(written.end())
            return self._array_types[written[0]]
        try:
            type_ = super().parse_optional_type()
            self._check_parsed(type_, start)
            if written is not None and type_ is not None:
                self._array_types[written[0]] = type_
            return type_
        except VerifyException as error:
            self.raise_error(str(error), start)
        except ValueError:
            # A type with too few or too many parameters, or with a malformed number.
            self.raise_error("malformed type", start)

    def parse_optional_attribute(self) -> Attribute | None:
        start = self.pos
        try:
            attribute = super().parse_optional_attribute()
            self._check_parsed(attribute, start)
            return attribute
        except VerifyException as error:
            self.raise_error(str(error), start)

    def _check_parsed(self, attribute: Attribute | None, start: int) -> None:
        """Refuse an attribute or type that is too large, or too deep, when its aliases are written out.

        Attributes are compared and printed by what they contain, as often as it is contained: a few lines of
        aliases that each name the one before twice would never end.
        """
        match attribute:
            case IntegerType():
                if cast("IntegerType[Any, Any]", attribute).width.data > MAX_INTEGER_WIDTH:
                    self.raise_error(f"integers have at most {MAX_INTEGER_WIDTH} bits", start)
            case None | TensorType() | FloatAttr() | IntegerAttr() | StringAttr() | SymbolRefAttr():
                # Not large by themselves, and most often met. The attribute that they are part of is measured
                # as a whole.
                pass
            case _:
                self._check_size(attribute, start)

    def _check_size(self, attribute: Attribute, start: int) -> None:
        size, depth = self._sizes.measure(attribute)
        if size > MAX_ATTRIBUTE_SIZE or depth > MAX_ATTRIBUTE_DEPTH:
            self.raise_error(
                f"a type or attribute of more than {MAX_ATTRIBUTE_SIZE} parts, "
                f"or nested more than {MAX_ATTRIBUTE_DEPTH} deep",
                start,
            )

    def _get_op_by_name(self, name: str) -> type[Operation]:
        if name.partition(".")[0] in STABLEHLO and self.ctx.get_optional_op(name) is None:
            self.raise_error(f"{name} is not an op of StableHLO that mlirad reads")
        return super()._get_op_by_name(name)

    def parse_operation(self) -> Operation:
        op = super().parse_operation()
        start = self._names.pop()
        if place_of(op.location) is None:
            place = source_location(self._file, *self._line_and_column(start))
            is_unknown = isinstance(op.location, UnknownLoc)
            op.location = place if is_unknown else FusedLoc((op.location, place), NoneAttr())
        return op

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        self._names.append(self._current_token.span.start)
        if len(self._names) > MAX_NESTING:
            self.raise_error(f"ops are nested more than {MAX_NESTING} deep")
        return results

    def _parse_dense_literal_type(self) -> RankedStructure[Any]:
        start = self.pos
        type_ = super()._parse_dense_literal_type()
        if prod(type_.get_shape()) > MAX_LITERAL_ELEMENTS:
            self.raise_error(
                f"a literal of more than {MAX_LITERAL_ELEMENTS} elements: write a broadcast of a scalar",
                start,
            )
        return type_

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        """As `place_of_offset`, counting on from the place asked for before: ops end in order of position,
        except for those around others."""
        text = self.lexer.input.content
        known, line = self._counted
        if offset >= known:
            line += text.count("\n", known, offset)
        else:
            line -= text.count("\n", offset, known)
        self._counted = (offset, line)
        return self._first_line + line, offset - text.rfind("\n", 0, offset)
