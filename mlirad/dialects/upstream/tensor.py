"""The forms of `tensor` ops that xDSL does not read.

%g = tensor.generate { ^bb0(%i: index): ... } : tensor<4xf64>
%a = tensor.gather %x[%p] gather_dims([0]) : (tensor<5x3xf64>, tensor<2x1xi64>) -> tensor<2x1x3xf64>
%b = tensor.scatter %y into %x[%p] scatter_dims([0]) unique : (...) -> tensor<5x3xf64>
tensor.parallel_insert_slice %y into %x[%i, 0] [1, 3] [1, 1] : tensor<3xf64> into tensor<5x3xf64>
"""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, UnitAttr
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.parser import Parser

from mlirad.dialects.upstream.op_syntax import FormOp, dense, sizes


class Generate(FormOp):
    """`tensor.generate`."""

    form = "tensor.generate"

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The dynamic extents, the body, and the type."""
        extents: list[SSAValue] = []
        while (name := parser.parse_optional_unresolved_operand()) is not None:
            extents.append(parser.resolve_operand(name, IndexType()))
            if parser.parse_optional_punctuation(",") is None:
                break
        body = parser.parse_region()
        parser.parse_punctuation(":")
        return cls.made(extents, [parser.parse_type()], {}, [body])


class _Indexed(FormOp):
    """A gather or a scatter."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return what is read or written, where, along which dimensions, and the type of the op."""
        start = parser.pos
        names = [parser.parse_unresolved_operand()]
        if parser.parse_optional_keyword("into"):
            names.append(parser.parse_unresolved_operand())
        names += parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        dims = f"{cls.form.removeprefix('tensor.')}_dims"
        parser.parse_keyword(dims)
        parser.parse_punctuation("(")
        values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        parser.parse_punctuation(")")
        properties: dict[str, Attribute] = {dims: dense(values)}
        if parser.parse_optional_keyword("unique"):
            properties["unique"] = UnitAttr()
        parser.parse_punctuation(":")
        type_ = parser.parse_function_type()
        operands = parser.resolve_operands(names, type_.inputs.data, start)
        return cls.made(operands, type_.outputs.data, properties)


class Gather(_Indexed):
    """`tensor.gather`."""

    form = "tensor.gather"


class Scatter(_Indexed):
    """`tensor.scatter`."""

    form = "tensor.scatter"


class ParallelInsertSlice(FormOp):
    """`tensor.parallel_insert_slice`."""

    form = "tensor.parallel_insert_slice"

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return what is written, into what, at which slice, and the types of both."""
        source = parser.parse_unresolved_operand()
        parser.parse_keyword("into")
        destination = parser.parse_unresolved_operand()
        groups: list[list[SSAValue]] = []
        properties: dict[str, Attribute] = {}
        for name in ("static_offsets", "static_sizes", "static_strides"):
            dynamic, statics = mixed_list(parser, parser.Delimiter.SQUARE)
            groups.append(dynamic)
            properties[name] = dense(statics)
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("into")
        first = [parser.resolve_operand(source, source_type)]
        second = [parser.resolve_operand(destination, parser.parse_type())]
        properties["operandSegmentSizes"] = sizes(first, second, *groups)
        return cls.made([*first, *second, *(v for group in groups for v in group)], [], properties)


def mixed_list(parser: Parser, delimiter: Parser.Delimiter) -> tuple[list[SSAValue], list[int]]:
    """Numbers and values of type index: the values, and the numbers with a mark where a value stands."""
    dynamic: list[SSAValue] = []

    def entry() -> int:
        name = parser.parse_optional_unresolved_operand()
        if name is None:
            return parser.parse_integer()
        dynamic.append(parser.resolve_operand(name, IndexType()))
        return DYNAMIC_INDEX

    return dynamic, list(parser.parse_comma_separated_list(delimiter, entry))


Tensor = Dialect("tensor", list(tensor.Tensor.operations), list(tensor.Tensor.attributes))

TENSOR_FORMS: dict[str, type[FormOp]] = {
    form.form: form for form in (Generate, Gather, Scatter, ParallelInsertSlice)
}
"""The ops read here, by name."""
