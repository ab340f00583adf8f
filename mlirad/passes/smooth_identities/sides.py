"""Kinks beside a choice by the same comparison take the side that the choice takes.

    where(x >= 0, 1 / (1 + exp(-|x|)), exp(-|x|) / (1 + exp(-|x|)))     |x| as where(x >= 0, x, -x)
    where(x >= 0, f(max(x, 0)), g(min(x, 0)))                           max(x, 0) as x where x >= 0, else 0

Where x = 0 the choice takes one of the branches, and in it |x| is x, say: the derivative there is that of x,
not the mean of those of both sides, which |x| has by itself. Values stay as they are.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.structural import BroadcastOp, ReshapeOp
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass

_MOST_OPS = 64
"""The most ops of a branch in which kinks are looked for."""

Numbers: TypeAlias = tuple[Value | None, Value | None]
"""Two numbers that are compared; what is not a value is 0."""


@dataclass(frozen=True)
class Test:
    """A condition that asks whether one number is larger than another."""

    condition: Value
    numbers: Numbers

    @staticmethod
    def of(condition: Value) -> Test | None:
        """Return what a condition compares, if it is a comparison."""
        op = condition.owner
        if isinstance(op, BroadcastOp):
            condition = op.operand
            op = condition.owner
        if not isinstance(op, ew.CompareOp) or not is_float(op.lhs):
            return None
        match op.predicate.data:
            case "gt" | "ge":
                return Test(condition, numbers_of(op.lhs, op.rhs))
            case "lt" | "le":
                return Test(condition, numbers_of(op.rhs, op.lhs))
            case _:
                return None

    def decides(self, x: Value, y: Value | None) -> bool | None:
        """Return whether x is the larger one of two numbers where the condition holds; y is 0 if it is not
        given.

        `None` if the condition does not compare these two.
        """
        numbers = canonical(x, y)
        if numbers == self.numbers:
            return True
        return False if numbers == self.numbers[::-1] else None

    @property
    def positive(self) -> Value | None:
        """The number that the condition asks to be above 0, if it is one."""
        x, y = self.numbers
        return x if y is None else None

    @property
    def negative(self) -> Value | None:
        """The number that the condition asks to be below 0, if it is one."""
        x, y = self.numbers
        return y if x is None else None


def numbers_of(x: Value, y: Value) -> Numbers:
    """Two numbers that are compared, with literals 0 left out."""
    return canonical(None if scalar_of(x) == 0 else x, None if scalar_of(y) == 0 else y)


def distance_of(op: ew.SubOp) -> tuple[Numbers, float] | None:
    """The two numbers if an op is the larger of them less the smaller, and 1; or -1 if it is the opposite."""
    one, other, sign = op.lhs.owner, op.rhs.owner, 1.0
    if isinstance(one, ew.MinOp):
        one, other, sign = other, one, -1.0
    if not isinstance(one, ew.MaxOp) or not isinstance(other, ew.MinOp):
        return None
    numbers = numbers_of(one.lhs, one.rhs)
    return (numbers, sign) if {one.lhs, one.rhs} == {other.lhs, other.rhs} else None


def canonical(x: Value | None, y: Value | None) -> Numbers:
    """The numbers whose comparison is that of x and y: of a difference and 0, it is that of its operands."""
    if x is not None and y is not None:
        return x, y
    number = x if y is None else y
    if number is None:
        return None, None
    op = number.owner
    one: Value | None = number
    other: Value | None = None
    if isinstance(op, ew.SubOp):
        one, other = op.lhs, op.rhs
    elif isinstance(op, ew.NegOp):
        one, other = None, op.operand
    return (one, other) if y is None else (other, one)


# Kinks ---------------------------------------------------------------------------------------------


def on_side(b: ArrayBuilder, op: Operation, test: Test, holds: bool | None = None) -> Value | None:
    """Return what stands for a kink where a test decides its side; `None` if it does not.

    `holds` says how the test ends, where that is known.
    """
    match op:
        case ew.AbsOp():
            x = op.operand
            above = _applies(test, x, None)
            if above is None:
                return None
            size = _chosen(b, test, above, holds, x, b.neg(x))
            return b.add(size, b.zeros(x.type))  # no negative zero
        case ew.MaxOp() | ew.MinOp():
            above = _applies(test, op.lhs, op.rhs)
            if above is None:
                return None
            takes_left = above == isinstance(op, ew.MaxOp)
            value = op.results[0]
            at_tie = _chosen(b, test, takes_left, holds, op.lhs, op.rhs)
            return b.select(b.compare("eq", op.lhs, op.rhs), at_tie, value)
        case _:
            return None


def _applies(test: Test, x: Value, y: Value | None) -> bool | None:
    if shape_of(x) != shape_of(test.condition) or not is_float(x):
        return None
    if y is not None and scalar_of(y) == 0:
        return test.decides(x, None)
    if y is not None and scalar_of(x) == 0:
        below = test.decides(y, None)
        return None if below is None else not below
    return test.decides(x, y)


def _chosen(b: ArrayBuilder, test: Test, first: bool, holds: bool | None, x: Value, y: Value) -> Value:
    """x if the condition holds and `first`, or neither; else y."""
    if holds is not None:
        return x if holds == first else y
    return b.select(test.condition, x, y) if first else b.select(test.condition, y, x)


def sided(b: ArrayBuilder, value: Value, test: Test) -> Value:
    """A value, its kinks on the side that a test decides; itself without kinks."""
    return _Cone(b, test).visit(value)


class _Cone:
    """The elementwise ops behind a value, rebuilt where they depend on kinks."""

    def __init__(self, b: ArrayBuilder, test: Test):
        self._b = b
        self._test = test
        self._seen: Environment = {}

    def visit(self, value: Value) -> Value:
        """Return what stands for a value."""
        op = value.owner
        if not isinstance(op, ew.ElementwiseOp | BroadcastOp | ReshapeOp) or not is_float(value):
            return value
        if value not in self._seen:
            if len(self._seen) >= _MOST_OPS:
                return value
            self._seen[value] = value
            found = on_side(self._b, op, self._test)
            self._seen[value] = self._rebuilt(op) if found is None else found
        return self._seen[value]

    def _rebuilt(self, op: ew.ElementwiseOp | BroadcastOp | ReshapeOp) -> Value:
        env = {o: self.visit(o) for o in own_operands(op)}
        if all(old is new for old, new in env.items()):
            return op.results[0]
        self._b.rebuild(op, env)
        return env[op.results[0]]
