"""Formulas in values: Python's operators emit elementwise ops, so rules read as in a table of formulas.

    x = Formula(b, value)
    (1 / (1 + x * x)).value            array.mul, array.add, array.div
    special("jv", v - 1, x)            array.special jv
    where(x == 0, 1, sin(x) / x)

Numbers are made floats of the type of the other operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, integer, keyword, shape_of
from mlirad.ir.arrays import ArrayBuilder


class Formula:
    """A value, and the builder that emits what is computed of it."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, b: ArrayBuilder, value: Value):
        self.b = b
        self.value = value

    def like(self, other: Operand) -> Formula:
        """A number as a formula of this one's type; a formula as it is."""
        return other if isinstance(other, Formula) else Formula(self.b, self.b.splat(other, self.value.type))

    def _binary(self, op: type[ew.BinaryOp], x: Operand, y: Operand) -> Formula:
        return Formula(self.b, self.b.binary(op, self.like(x).value, self.like(y).value))

    def _compare(self, predicate: str, other: Operand) -> Condition:
        return Condition(self.b, self.b.compare(predicate, self.value, self.like(other).value))

    def __neg__(self) -> Formula:
        return Formula(self.b, self.b.neg(self.value))

    def __add__(self, other: Operand) -> Formula:
        return self._binary(ew.AddOp, self, other)

    def __radd__(self, other: float) -> Formula:
        return self._binary(ew.AddOp, other, self)

    def __sub__(self, other: Operand) -> Formula:
        return self._binary(ew.SubOp, self, other)

    def __rsub__(self, other: float) -> Formula:
        return self._binary(ew.SubOp, other, self)

    def __mul__(self, other: Operand) -> Formula:
        return self._binary(ew.MulOp, self, other)

    def __rmul__(self, other: float) -> Formula:
        return self._binary(ew.MulOp, other, self)

    def __truediv__(self, other: Operand) -> Formula:
        return self._binary(ew.DivOp, self, other)

    def __rtruediv__(self, other: float) -> Formula:
        return self._binary(ew.DivOp, other, self)

    def __pow__(self, other: Operand) -> Formula:
        return self._binary(ew.PowOp, self, other)

    def __eq__(self, other: Operand) -> Condition:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare("eq", other)

    def __lt__(self, other: Operand) -> Condition:
        return self._compare("lt", other)

    def __gt__(self, other: Operand) -> Condition:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Condition:
        return self._compare("ge", other)


Operand: TypeAlias = Formula | float


class Condition:
    """Booleans, as `where` takes them."""

    def __init__(self, b: ArrayBuilder, value: Value):
        self.b = b
        self.value = value

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.b, self.b.logical_and(self.value, other.value))

    def __or__(self, other: Condition) -> Condition:
        return Condition(self.b, self.b.binary(ew.OrOp, self.value, other.value))


def _unary(op: type[ew.UnaryOp], x: Formula) -> Formula:
    return Formula(x.b, x.b.unary(op, x.value))


def exp(x: Formula) -> Formula:
    """e^x."""
    return _unary(ew.ExpOp, x)


def expm1(x: Formula) -> Formula:
    """e^x - 1."""
    return _unary(ew.Expm1Op, x)


def log(x: Formula) -> Formula:
    """Natural logarithm."""
    return _unary(ew.LogOp, x)


def log1p(x: Formula) -> Formula:
    """Log(1 + x)."""
    return _unary(ew.Log1pOp, x)


def sqrt(x: Formula) -> Formula:
    """Square root."""
    return _unary(ew.SqrtOp, x)


def sin(x: Formula) -> Formula:
    """Sine."""
    return _unary(ew.SinOp, x)


def cos(x: Formula) -> Formula:
    """Cosine."""
    return _unary(ew.CosOp, x)


def sinh(x: Formula) -> Formula:
    """Hyperbolic sine."""
    return _unary(ew.SinhOp, x)


def cosh(x: Formula) -> Formula:
    """Hyperbolic cosine."""
    return _unary(ew.CoshOp, x)


def arcsinh(x: Formula) -> Formula:
    """The number with this hyperbolic sine."""
    return _unary(ew.AsinhOp, x)


def erf(x: Formula) -> Formula:
    """Error function."""
    return _unary(ew.ErfOp, x)


def lgamma(x: Formula) -> Formula:
    """Log |Gamma(x)|."""
    return _unary(ew.LgammaOp, x)


def absolute(x: Formula) -> Formula:
    """|x|."""
    return _unary(ew.AbsOp, x)


def sign(x: Formula) -> Formula:
    """-1, 0 or 1."""
    return _unary(ew.SignOp, x)


def erfc(x: Formula) -> Formula:
    """1 - erf(x)."""
    return _unary(ew.ErfcOp, x)


def floor(x: Formula) -> Formula:
    """The largest integer that is not larger."""
    return _unary(ew.FloorOp, x)


def round_to_even(x: Formula) -> Formula:
    """The nearest integer."""
    return _unary(ew.RoundOp, x)


def hypot(x: Formula, y: Formula) -> Formula:
    """sqrt(x^2 + y^2)."""
    return Formula(x.b, x.b.binary(ew.HypotOp, x.value, y.value))


def arctan2(y: Formula, x: Formula) -> Formula:
    """The angle of the point x, y."""
    return Formula(y.b, y.b.binary(ew.Atan2Op, y.value, x.value))


def absorbing(x: Formula, y: Formula) -> Formula:
    """x y, 0 where either is."""
    return Formula(x.b, x.b.absorbing_mul(x.value, y.value))


def maximum(x: Formula, y: Operand) -> Formula:
    """The larger."""
    return Formula(x.b, x.b.binary(ew.MaxOp, x.value, x.like(y).value))


def minimum(x: Formula, y: Operand) -> Formula:
    """The smaller."""
    return Formula(x.b, x.b.binary(ew.MinOp, x.value, x.like(y).value))


def limited(x: Formula, bound: float) -> Formula:
    """x between -bound and bound, the nearer of these elsewhere, where a formula in it is not needed.

    Unlike `where`, this also limits what a function is called with whose result is not taken.
    """
    return minimum(maximum(x, -bound), bound)


def digamma(x: Formula) -> Formula:
    """The derivative of log Gamma."""
    return Formula(x.b, x.b.apply_elementwise(ew.PolygammaOp, (x.value,), {"order": integer(0)}))


def where(condition: Condition, x: Operand, y: Operand) -> Formula:
    """x where the condition holds, else y; one of them at least is a formula."""
    like = x if isinstance(x, Formula) else y
    assert isinstance(like, Formula)
    return Formula(like.b, like.b.select(condition.value, like.like(x).value, like.like(y).value))


def chosen(condition: Condition, x: Callable[[], Formula], y: Callable[[], Formula]) -> Formula:
    """`where` of formulas that are long: where the condition is known, only one of them is emitted."""
    known = condition.b.scalar_of(condition.value)
    return where(condition, x(), y()) if known is None else x() if known else y()


def branched(condition: Condition, x: Callable[[], Formula], y: Callable[[], Formula]) -> Formula:
    """`chosen`, where only one is computed if a single number decides for an array."""
    b, decider = condition.b, _repeated_number(condition.value)
    if decider is None:
        return chosen(condition, x, y)
    (found,) = b.if_(decider, lambda: [x().value], lambda: [y().value])
    return Formula(b, found)


def is_number(x: Formula) -> bool:
    """Tell whether a formula is one number, or an array that repeats one."""
    return not shape_of(x.value) or _repeated_number(x.value) is not None


def _repeated_number(value: Value) -> Value | None:
    """The number that an array repeats, if it was made so."""
    owner = value.owner
    return owner.operands[0] if type(owner) is BroadcastOp and not shape_of(owner.operands[0]) else None


def special(function: str, *arguments: Operand) -> Formula:
    """A function of `mlirad.dialects.array.special_functions`; one argument at least is a formula."""
    first = next(a for a in arguments if isinstance(a, Formula))
    values = [first.like(a).value for a in arguments]
    properties = {"function": keyword(function)}
    return Formula(first.b, first.b.apply_elementwise(ew.SpecialOp, values, properties))
