"""Computations of regions on scalars, as text that is equal for equal computations.

expression(region)      "stablehlo.add(a0,b0)"          ai, bi: argument i of the first and second element
applied_op(region)      "stablehlo.add"
"""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue

from mlirad.dialects.stablehlo.elementwise import CompareOp
from mlirad.dialects.stablehlo.structural import ConstantOp
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_stablehlo.types import literal_of


def expressions(region: Region) -> list[str]:
    """Return what each result is of the arguments `a0, a1, ...`."""
    last = region.block.last_op
    return [] if last is None else [_text(o, {}) for o in own_operands(last)]


def expression(region: Region) -> str:
    """Return what the first result is."""
    return expressions(region)[0]


def _text(value: SSAValue, known: dict[SSAValue, str]) -> str:
    if value in known:
        return known[value]
    if isinstance(value, BlockArgument):
        text = f"a{value.index}"
    else:
        assert isinstance(value, OpResult)
        op = value.op
        operands = ",".join(_text(o, known) for o in own_operands(op))
        text = f"{op.name}{_details(op)}({operands})"
        if len(op.results) > 1:
            text += f"#{value.index}"
    known[value] = text
    return text


def _details(op: Operation) -> str:
    match op:
        case ConstantOp():
            return f"<{literal_of(op.value)[0].tolist()}>"
        case CompareOp():
            return f"<{op.comparison_direction.data}>"
        case _:
            return ""


def applied_op(region: Region) -> str | None:
    """The name of the op of two operands that the region applies to its two arguments, if it is one."""
    text = expression(region)
    name, _, operands = text.partition("(")
    return name if operands in ("a0,a1)", "a1,a0)") and "<" not in name else None
