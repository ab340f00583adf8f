"""The forms of `scf` ops that xDSL does not read.

%r = scf.forall (%i, %j) = (0, 0) to (4, 6) step (2, 3) shared_outs(%o = %y) -> (tensor<4x6xf64>) {
  scf.forall.in_parallel {...}
}
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.utils import parse_assignment
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.parser import Parser

from mlirad.dialects.upstream.op_syntax import FormOp, dense, result_types, sizes
from mlirad.dialects.upstream.tensor import mixed_list


class Forall(FormOp):
    """`scf.forall`."""

    form = "scf.forall"

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Positions and their bounds, from 0 by steps of 1 in the short form; what is shared; the body."""
        paren = parser.Delimiter.PAREN
        positions = parser.parse_comma_separated_list(paren, lambda: parser.parse_argument(expect_type=False))
        count = len(positions)
        bounds: list[tuple[list[SSAValue], list[int]]] = [([], [0] * count), ([], []), ([], [1] * count)]
        if parser.parse_optional_keyword("in"):
            bounds[1] = mixed_list(parser, paren)
        else:
            for k, mark in enumerate(("=", "to", "step")):
                if mark == "=":
                    parser.parse_punctuation("=")
                else:
                    parser.parse_keyword(mark)
                bounds[k] = mixed_list(parser, paren)
        start = parser.pos
        shared: list[tuple[Parser.UnresolvedArgument, object]] = []
        if parser.parse_optional_keyword("shared_outs"):
            shared = list(parser.parse_comma_separated_list(paren, lambda: parse_assignment(parser)))
        types = result_types(parser)
        outputs = parser.resolve_operands([value for _, value in shared], types, start)  # pyright: ignore[reportArgumentType]
        arguments = [p.resolve(IndexType()) for p in positions]
        arguments += [a.resolve(t) for (a, _), t in zip(shared, types, strict=True)]
        body = parser.parse_region(arguments)
        properties: dict[str, Attribute] = {
            name: dense(statics)
            for name, (_, statics) in zip(
                ("staticLowerBound", "staticUpperBound", "staticStep"), bounds, strict=True
            )
        }
        groups = [dynamic for dynamic, _ in bounds]
        properties["operandSegmentSizes"] = sizes(*groups, outputs)
        operands = [*(v for group in groups for v in group), *outputs]
        return cls.made(operands, types, properties, [body])


class InParallel(FormOp):
    """`scf.forall.in_parallel`."""

    form = "scf.forall.in_parallel"

    @classmethod
    def parse(cls, parser: Parser) -> Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The writes."""
        return cls.made([], [], {}, [parser.parse_region()])


Scf = Dialect("scf", list(scf.Scf.operations), list(scf.Scf.attributes))

SCF_FORMS: dict[str, type[FormOp]] = {form.form: form for form in (Forall, InParallel)}
"""The ops read here, by name."""
