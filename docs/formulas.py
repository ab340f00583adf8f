"""Values and linear maps of small programs as formulas, for the tables of the documentation.

%1 = array.mul %y, %y; %2 = array.sub 1.0, %1; %3 = linear.scale %2      -->      (1 - y * y) dx
"""

from __future__ import annotations

from math import isinf, isnan

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural

_INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}
_PREDICATES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ATOM = 4


class Formulas:
    """Writes values as formulas; `names` are what is to be written as a name."""

    def __init__(self, names: dict[SSAValue, str]):
        self.names = names

    def of(self, value: SSAValue) -> str:
        """The formula of a scalar value."""
        return self._of(value)[0]

    def _of(self, value: SSAValue) -> tuple[str, int]:
        name = self.names.get(value)
        if name is not None:
            return name, _ATOM
        op = value.owner
        if isinstance(op, Block):
            return value.name_hint or "?", _ATOM
        operands = list(op.operands)
        short = op.name.removeprefix("array.")
        match op:
            case structural.ConstantOp():
                return _number(op), _ATOM
            case structural.BroadcastOp() if operands[0].type != value.type:
                return self._of(operands[0])
            case ew.NegOp():
                return f"-{self._at(operands[0], 3)}", 3
            case ew.CompareOp():
                sign = _PREDICATES[op.predicate.data]
                return f"{self._at(op.lhs, 1)} {sign} {self._at(op.rhs, 1)}", 0
            case ew.SelectOp():
                return f"where({', '.join(self.of(o) for o in operands)})", _ATOM
            case indexing.IndexOp():
                positions = ", ".join(self.of(p) for p in op.positions)
                return f"{self._at(op.operand, _ATOM)}[{positions}]", _ATOM
            case ew.PolygammaOp():
                return f"polygamma({op.order.value.data}, {self.of(op.operand)})", _ATOM
            case ew.SpecialOp():
                return f"{op.function.data}({', '.join(self.of(o) for o in operands)})", _ATOM
            case _ if short in _INFIX:
                sign, level = _INFIX[short]
                left, right = self._at(operands[0], level), self._at(operands[1], level + (sign in "-/"))
                return f"{left} {sign} {right}", level
            case _:
                return f"{short}({', '.join(self.of(o) for o in operands)})", _ATOM

    def _at(self, value: SSAValue, level: int) -> str:
        text, own = self._of(value)
        return text if own >= level else f"({text})"

    def image(self, map_: SSAValue, tangent: str) -> str:
        """Return what a linear map does to a tangent."""
        op = map_.owner
        assert isinstance(op, Operation)
        short = op.name.removeprefix("linear.")
        match op:
            case linear.IdentityOp():
                return tangent
            case linear.ZeroOp():
                return "0"
            case linear.ComposeOp():
                return self.image(op.outer, self.image(op.inner, tangent))
            case linear.ScaleOp():
                factor = self._at(op.coefficient, 3)
                return f"-{tangent}" if factor == "-1" else f"{factor} {tangent}"
            case linear.MaskOp():
                return f"mask({self.of(op.condition)}, {tangent})"
            case _:
                given = [*op.operands, *(r for region in op.regions for r in _yielded(region.block))]
                captured = "".join(f", {self.of(o)}" for o in given)
                return f"{short}({tangent}{captured})"


def _yielded(block: Block) -> list[SSAValue]:
    last = block.last_op
    return list(last.operands) if isinstance(last, indexing.YieldOp) else []


def _number(op: structural.ConstantOp) -> str:
    match op.value:
        case FloatAttr() as number:
            value = number.value.data
            if isinf(value):
                return "∞" if value > 0 else "-∞"
            if isnan(value):
                return "NaN"
            return str(int(value)) if value == int(value) else f"{value:.6g}"
        case IntegerAttr() as number if number.type == i1:
            return "true" if number.value.data else "false"
        case IntegerAttr() as number:
            return str(number.value.data)
        case other:
            return str(other)
