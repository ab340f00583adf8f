"""Intervals of integer values, and which float values are provably finite: conservative, memoised.

interval(v) = (lo, hi)   means   lo <= every element of v <= hi,   with arithmetic known not to wrap.

A proof about an index takes wrapping into account. k - 5 >= 0 implies nothing about k: it holds for the least
integer too. A read is unclamped only if the known fact holds of the very value that is compared, or of values
whose arithmetic cannot wrap.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, i32
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, ordering, reductions, structural
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.shapes import Value, element_of, is_boolean, is_float, is_integer, shape_of

Interval: TypeAlias = tuple[int, int]
Bounds: TypeAlias = tuple[int | None, int | None]

_UNKNOWN: Bounds = (None, None)

_LIMIT = 1 << 31
"""Bounds beyond this are dropped, so that sums and products of kept bounds stay far from wrapping."""

_SAME_ELEMENTS = (*indexing.CHOICES, ordering.SortOp)
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
    ew.StopGradientOp,
)


class Ranges:
    """The intervals and finiteness known so far."""

    def __init__(self) -> None:
        self._bounds: dict[Value, Bounds] = {}
        self._finite: dict[Value, bool] = {}
        self._below: dict[Value, int] = {}
        """Extents with sizes that integers are below, which have no upper bound that is a number."""

    def set(self, value: Value, low: int, high: int) -> None:
        """Declare the interval of a region argument."""
        if is_static(high):
            self._bounds[value] = (low, high)
        else:
            self._bounds[value] = (low, None)
            self._below[value] = high + 1

    def interval(self, value: Value) -> Interval | None:
        """The interval of an integer value, `None` unless both ends are known."""
        low, high = self.bounds(value)
        return None if low is None or high is None else (low, high)

    def bounds(self, value: Value) -> Bounds:
        """The ends of the interval of an integer value, each `None` when unknown."""
        known = self._bounds.get(value)
        if known is None:
            owner = value.owner
            found = _UNKNOWN if isinstance(owner, Block) or not is_integer(value) else self._of(owner)
            low, high = found
            known = (
                None if low is None or low < -_LIMIT else low,
                None if high is None or high > _LIMIT else high,
            )
            self._bounds[value] = known
        return known

    def inside(self, value: Value, extent: int) -> bool:
        """Return whether a position provably lies in `0 .. extent - 1`."""
        low, high = self.bounds(value)
        if low is None or low < 0:
            return False
        below = self._extent_above(value) if high is None else high + 1
        return below is not None and at_most(below, extent)

    def _extent_above(self, value: Value) -> int | None:
        """An extent with sizes that all elements are below, where one is known."""
        while value not in self._below:
            owner = value.owner
            match owner:
                case structural.IotaOp():
                    return shape_of(value)[owner.dim.value.data]
                case reductions.ArgmaxOp() | reductions.ArgminOp() | ordering.ArgsortOp():
                    return shape_of(owner.operand)[owner.dim.value.data]
                case _ if isinstance(owner, _SAME_ELEMENTS):
                    value = owner.operand
                case _:
                    return None
        return self._below[value]

    def _of(self, op: Operation) -> Bounds:
        match op:
            case structural.ConstantOp():
                return _literal_interval(op)
            case structural.IotaOp():
                return _positions_below(shape_of(op.result)[op.dim.value.data])
            case ew.SelectOp():
                return _hull(self.bounds(op.on_true), self.bounds(op.on_false))
            case ew.ConvertOp() if is_boolean(op.operand):
                return 0, 1
            case ew.ConvertOp() if is_integer(op.operand):
                if element_of(op.result) == element_of(op.operand) or not _is_narrow(op.result):
                    return self.bounds(op.operand)
                x = self.interval(op.operand)
                return _UNKNOWN if x is None else _unwrapped(op.result, x)
            case reductions.ArgmaxOp() | reductions.ArgminOp() | ordering.ArgsortOp():
                return _positions_below(shape_of(op.operand)[op.dim.value.data])
            case structural.SizeOp():
                return (0 if at_most(0, op.extent.data) else None), None
            case ew.MaxOp():
                (a, b), (c, d) = self.bounds(op.lhs), self.bounds(op.rhs)
                return _largest(a, c), None if b is None or d is None else max(b, d)
            case ew.MinOp():
                (a, b), (c, d) = self.bounds(op.lhs), self.bounds(op.rhs)
                return None if a is None or c is None else min(a, c), _smallest(b, d)
            case ew.NegOp():
                x = self.interval(op.operand)
                return _UNKNOWN if x is None else _unwrapped(op.result, (-x[1], -x[0]))
            case ew.RemOp():
                y = self.interval(op.rhs)
                if y is None or y[0] <= 0:
                    return _UNKNOWN
                x = self.interval(op.lhs)
                inside = x is not None and x[0] >= 0 and x[1] < y[0]
                return x if inside and x is not None else (0, y[1] - 1)
            case ew.BinaryOp():
                x, y = self.interval(op.lhs), self.interval(op.rhs)
                return _UNKNOWN if x is None or y is None else _unwrapped(op.result, _arithmetic(op, x, y))
            case _ if isinstance(op, _SAME_ELEMENTS):
                inner = self.bounds(op.operand)
                return _hull(inner, (0, 0)) if 0 in shape_of(op.operand) else inner
            case _:
                return _UNKNOWN

    def finite(self, value: Value) -> bool:
        """Return whether every element is provably neither infinite nor NaN (integers are)."""
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
            case ew.DeviationOp():
                return True
            case ew.SelectOp():
                return self.finite(op.on_true) and self.finite(op.on_false)
            case _ if isinstance(op, _FINITE_IF_OPERANDS):
                # A loop: what `all` calls is in C, whose calls Python 3.12 limits to some hundred.
                for operand in op.operands:  # noqa: SIM110
                    if not self.finite(operand):
                        return False
                return True
            case _ if isinstance(op, _SAME_ELEMENTS):
                return self.finite(op.operand)
            case _:
                return False


def _positions_below(extent: int) -> Bounds:
    """The interval of positions in a dimension; of a dimension with sizes it has no upper end."""
    return 0, max(extent - 1, 0) if is_static(extent) else None


def _literal_interval(op: structural.ConstantOp) -> Bounds:
    value = op.value
    if isinstance(value, IntegerAttr):
        return value.value.data, value.value.data
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers = literal_array(op)
        return (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    return _UNKNOWN


def _literal_finite(op: structural.ConstantOp) -> bool:
    value = op.value
    if isinstance(value, FloatAttr):
        x = value.value.data
        return x - x == 0.0
    if isinstance(value, DenseIntOrFPElementsAttr):
        return bool(np.isfinite(literal_array(op)).all())
    return True


def _largest(x: int | None, y: int | None) -> int | None:
    """The best lower end of a maximum: either known one will do."""
    return y if x is None else x if y is None else max(x, y)


def _smallest(x: int | None, y: int | None) -> int | None:
    """The best upper end of a minimum: either known one will do."""
    return y if x is None else x if y is None else min(x, y)


def _hull(x: Bounds, y: Bounds) -> Bounds:
    low = None if x[0] is None or y[0] is None else min(x[0], y[0])
    return low, None if x[1] is None or y[1] is None else max(x[1], y[1])


def _is_narrow(value: Value) -> bool:
    return element_of(value) == i32


def _unwrapped(result: Value, bounds: Bounds) -> Bounds:
    """The bounds of arithmetic on kept bounds, which cannot wrap but in 32 bits; then nothing is known."""
    low, high = bounds
    if _is_narrow(result) and (low is None or high is None or low < -_LIMIT or high >= _LIMIT):
        return _UNKNOWN
    return bounds


def _arithmetic(op: ew.BinaryOp, x: Interval, y: Interval) -> Bounds:
    match op:
        case ew.AddOp():
            return x[0] + y[0], x[1] + y[1]
        case ew.SubOp():
            return x[0] - y[1], x[1] - y[0]
        case ew.MulOp():
            products = [a * b for a in x for b in y]
            return min(products), max(products)
        case ew.FloorDivOp() if y[0] == y[1] and y[0] > 0:
            return x[0] // y[0], x[1] // y[0]
        case ew.DivOp() if y[0] == y[1] and y[0] > 0 and x[0] >= 0:
            return x[0] // y[0], x[1] // y[0]
        case _:
            return _UNKNOWN
