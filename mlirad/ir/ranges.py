"""Intervals of integer values, and which float values are provably finite: conservative, memoised.

interval(v) = (lo, hi)   means   lo <= every element of v <= hi,   with arithmetic known not to wrap.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, reductions, structural
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.shapes import Value, is_boolean, is_float, is_integer, shape_of

Interval: TypeAlias = tuple[int, int]

_LIMIT = 1 << 31
"""Bounds beyond this are dropped, so that sums and products of kept bounds stay far from wrapping."""

_SAME_ELEMENTS = (
    structural.BroadcastOp,
    structural.TransposeOp,
    structural.ReshapeOp,
    structural.SliceOp,
    structural.ReverseOp,
    indexing.IndexOp,
    indexing.GatherOp,
)
_ALWAYS_FINITE = (ew.TanhOp, ew.LogisticOp, ew.ErfOp, ew.ErfcOp, ew.AtanOp)
_FINITE_IF_OPERANDS = (
    ew.NegOp,
    ew.AbsOp,
    ew.SignOp,
    ew.MaxOp,
    ew.MinOp,
    ew.SinOp,
    ew.CosOp,
    ew.FloorOp,
    ew.CeilOp,
    ew.RoundOp,
    ew.TruncOp,
    ew.CopysignOp,
)


class Ranges:
    """The intervals and finiteness known so far."""

    def __init__(self) -> None:
        self._intervals: dict[Value, Interval | None] = {}
        self._finite: dict[Value, bool] = {}

    def set(self, value: Value, low: int, high: int) -> None:
        """Declare the interval of a region argument."""
        self._intervals[value] = (low, high)

    def interval(self, value: Value) -> Interval | None:
        """The interval of an integer value, `None` when nothing is known."""
        if value in self._intervals:
            return self._intervals[value]
        owner = value.owner
        found = None if isinstance(owner, Block) or not is_integer(value) else self._of(owner)
        if found is not None and max(abs(found[0]), abs(found[1])) > _LIMIT:
            found = None
        self._intervals[value] = found
        return found

    def inside(self, value: Value, extent: int) -> bool:
        """Whether a position provably lies in `0 .. extent - 1`."""
        found = self.interval(value)
        return found is not None and found[0] >= 0 and found[1] < extent

    def _of(self, op: Operation) -> Interval | None:
        match op:
            case structural.ConstantOp():
                return _literal_interval(op)
            case structural.IotaOp():
                return 0, max(shape_of(op.result)[op.dim.value.data] - 1, 0)
            case ew.SelectOp():
                return _hull(self.interval(op.on_true), self.interval(op.on_false))
            case ew.ConvertOp() if is_boolean(op.operand):
                return 0, 1
            case ew.ConvertOp() if is_integer(op.operand):
                return self.interval(op.operand)
            case reductions.ArgmaxOp() | reductions.ArgminOp():
                return 0, max(shape_of(op.operand)[op.dim.value.data] - 1, 0)
            case ew.NegOp():
                x = self.interval(op.operand)
                return None if x is None else (-x[1], -x[0])
            case ew.BinaryOp():
                x, y = self.interval(op.lhs), self.interval(op.rhs)
                return None if x is None or y is None else _arithmetic(op, x, y)
            case _ if isinstance(op, _SAME_ELEMENTS):
                inner = self.interval(op.operand)
                empty = 0 in shape_of(op.operand)
                return _hull(inner, (0, 0)) if empty else inner
            case _:
                return None

    def finite(self, value: Value) -> bool:
        """Whether every element is provably neither infinite nor NaN (integers are)."""
        if not is_float(value):
            return True
        known = self._finite.get(value)
        if known is None:
            owner = value.owner
            known = not isinstance(owner, Block) and self._is_finite(owner)
            self._finite[value] = known
        return known

    def _is_finite(self, op: Operation) -> bool:
        match op:
            case structural.ConstantOp():
                return _literal_finite(op)
            case ew.ConvertOp():
                return not is_float(op.operand)
            case ew.SelectOp():
                return self.finite(op.on_true) and self.finite(op.on_false)
            case _ if isinstance(op, _FINITE_IF_OPERANDS):
                return all(self.finite(o) for o in op.operands)
            case _ if isinstance(op, _SAME_ELEMENTS):
                return self.finite(op.operand)
            case _:
                return False


def _literal_interval(op: structural.ConstantOp) -> Interval | None:
    value = op.value
    if isinstance(value, IntegerAttr):
        return value.value.data, value.value.data
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers = literal_array(op)
        return (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    return None


def _literal_finite(op: structural.ConstantOp) -> bool:
    value = op.value
    if isinstance(value, FloatAttr):
        x = value.value.data
        return x - x == 0.0
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers = literal_array(op)
        return bool(((numbers - numbers) == 0).all())
    return True


def _hull(x: Interval | None, y: Interval | None) -> Interval | None:
    return None if x is None or y is None else (min(x[0], y[0]), max(x[1], y[1]))


def _arithmetic(op: ew.BinaryOp, x: Interval, y: Interval) -> Interval | None:
    match op:
        case ew.AddOp():
            return x[0] + y[0], x[1] + y[1]
        case ew.SubOp():
            return x[0] - y[1], x[1] - y[0]
        case ew.MulOp():
            products = [a * b for a in x for b in y]
            return min(products), max(products)
        case ew.MaxOp():
            return max(x[0], y[0]), max(x[1], y[1])
        case ew.MinOp():
            return min(x[0], y[0]), min(x[1], y[1])
        case ew.FloorDivOp() if y[0] == y[1] and y[0] > 0:
            return x[0] // y[0], x[1] // y[0]
        case ew.DivOp() if y[0] == y[1] and y[0] > 0 and x[0] >= 0:
            return x[0] // y[0], x[1] // y[0]
        case ew.RemOp() if y[0] == y[1] and y[0] > 0:
            return x if x[0] >= 0 and x[1] < y[0] else (0, y[0] - 1)
        case _:
            return None
