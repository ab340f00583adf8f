"""The forms of `linalg` ops that xDSL does not read.

%r:2 = linalg.generic {...} ins(...) outs(...) {...} -> (tensor<3xf64>, tensor<3xi64>)
%s = linalg.batch_matmul ins(%x, %y : ...) outs(%z : ...) -> tensor<2x3x5xf64>
%t = linalg.reduce { arith.addf } ins(%x : ...) outs(%z : ...) dimensions = [1]
%u = linalg.map { math.exp } ins(%x : ...) outs(%z : ...)
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import linalg
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.parser import Parser

from mlirad.dialects.shapes import element_of
from mlirad.dialects.upstream.bodies import body_of
from mlirad.dialects.upstream.op_syntax import FormOp, dense, result_types, sizes, typed_operands


class Generic(GenericOp):
    """`linalg.generic` with any number of results."""

    @classmethod
    def parse(cls, parser: Parser) -> GenericOp:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The attributes, operands and body, then the types of results."""
        attributes = parser.parse_optional_attr_dict()
        maps, iterators = attributes.pop("indexing_maps", None), attributes.pop("iterator_types", None)
        if not isinstance(maps, ArrayAttr) or not isinstance(iterators, ArrayAttr):
            parser.raise_error("linalg.generic has indexing_maps and iterator_types")
        ins, outs = typed_operands(parser, "ins"), typed_operands(parser, "outs")
        if parser.parse_optional_keyword("attrs"):
            parser.parse_punctuation("=")
            parser.parse_optional_attr_dict()
        body = parser.parse_region()
        kinds = [_iterator(parser, kind) for kind in cast("ArrayAttr[Attribute]", iterators).data]
        return GenericOp(ins, outs, body, cast(Any, maps), kinds, result_types(parser))


def _iterator(parser: Parser, kind: Attribute) -> Attribute:
    if isinstance(kind, StringAttr) and kind.data in list(IteratorType):
        return IteratorTypeAttr(IteratorType(kind.data))
    if not isinstance(kind, IteratorTypeAttr):
        parser.raise_error(f"{kind} is not a type of iterators")
    return kind


class Named(FormOp):
    """A structured op whose body its name says."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Attributes, operands, more attributes, and the types of results."""
        attributes = parser.parse_optional_attr_dict()
        ins, outs = typed_operands(parser, "ins"), typed_operands(parser, "outs")
        if not outs:
            parser.raise_error(f"{cls.form} has 'outs'")
        attributes |= _dimensions(parser)
        types = result_types(parser) or [v.type for v in outs]
        name = cls.form.removeprefix("linalg.")
        body = body_of(name, [element_of(v.type) for v in ins], [element_of(v.type) for v in outs])
        if body is None:
            parser.raise_error(f"{cls.form} is read in generic syntax only: use --mlir-print-op-generic")
        attributes["operandSegmentSizes"] = sizes(ins, outs)
        return cls.made([*ins, *outs], types, attributes, [body])


class WithBody(FormOp):
    """`linalg.map` or `linalg.reduce`, with a body or with the one op that it is."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Perhaps an op in braces; operands and dimensions; perhaps the arguments of a body and the body."""
        op_class, properties = _short_op(parser)
        ins, outs = typed_operands(parser, "ins"), typed_operands(parser, "outs")
        attributes = _dimensions(parser)
        if op_class is None:
            arguments = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=True)
            )
            body = parser.parse_region(arguments)
        else:
            body = cls._short_body(op_class, properties, ins, outs)
        return cls.made([*ins, *outs], [v.type for v in outs], attributes, [body])

    @classmethod
    def _short_body(
        cls,
        op_class: type[Operation],
        properties: dict[str, Attribute],
        ins: list[SSAValue],
        outs: list[SSAValue],
    ) -> Region:
        """The region of an op; in a reduction the result so far comes first."""
        reduces = cls.form == "linalg.reduce"
        block = Block(arg_types=[element_of(v.type) for v in (*ins, *(outs if reduces else ()))])
        arguments = [block.args[1], block.args[0]] if reduces else list(block.args)
        op = op_class.create(
            operands=arguments, result_types=[element_of(v.type) for v in outs], properties=properties
        )
        block.add_ops([op, YieldOp(*op.results)])
        return Region(block)


def _short_op(parser: Parser) -> tuple[type[Operation] | None, dict[str, Attribute]]:
    """`{ arith.addf {fastmath = ...} }`, if it is there."""
    if parser.parse_optional_punctuation("{") is None:
        return None, {}
    name = parser.parse_identifier()
    properties = parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    return parser.ctx.get_op(name), properties


def _dimensions(parser: Parser) -> dict[str, Attribute]:
    """`dimensions = [0, 2]` or `permutation = [1, 0]`, if it is there."""
    for name in ("dimensions", "permutation"):
        if parser.parse_optional_keyword(name):
            parser.parse_punctuation("=")
            values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            return {name: dense(values)}
    return {}


Linalg = Dialect("linalg", [Generic, YieldOp, IndexOp], list(linalg.Linalg.attributes))
"""The dialect; ops with names of their own are made as they are met: xDSL's have bodies of other types."""
