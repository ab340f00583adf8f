"""Roots and magnitudes, whose squares are smooth, and what emits these squares.

    |x|                                                           x x
    sqrt(s)                                                       s, NaN where s < 0
    hypot(x, y)                                                   x x + y y
    arccos(x), arccosh(x)                                         what `angles.py` has
    select (s == 0), 0, sqrt(select (s == 0), 1, s)               s

An op that only moves or chooses elements of roots gives a root, too: its square moves or chooses their
squares.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import TypeAlias

from xdsl.ir import Operation

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES, IndexOp
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp, ReshapeOp, ReverseOp, SliceOp
from mlirad.dialects.linear.linearity import ALL, LINEAR_IN
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.moves import moved, sources
from mlirad.ir.structural import scalar_of
from mlirad.passes.smooth_identities.angles import squared_angle
from mlirad.passes.smooth_identities.sides import distance_of

Emit: TypeAlias = Callable[[ArrayBuilder], Value]

_DEPTH = 8
"""The number of ops back that are looked at."""


def magnitude_of(value: Value) -> Value | None:
    """The x of |x|, also written as max(x, -x), sign(x) x, copysign(x, 1), or max(x, 0) + max(-x, 0)."""
    op = value.owner
    match op:
        case ew.AbsOp():
            return op.operand
        case ew.CopysignOp():
            return op.lhs if (scalar_of(op.rhs) or 0) > 0 else None
        case ew.MulOp():
            sides = (op.lhs, op.rhs)
            return next((x for sign, x in (sides, sides[::-1]) if sign_of(sign) is x), None)
        case ew.AddOp():
            x, y = (_positive_part(v) for v in (op.lhs, op.rhs))
            return x if x is not None and y is not None and are_opposite(x, y) else None
        case ew.MaxOp():
            for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if isinstance(other.owner, ew.NegOp) and other.owner.operand is one:
                    return one
            return None
        case _:
            return None


def _positive_part(value: Value) -> Value | None:
    """The x of max(x, 0)."""
    op = value.owner
    if isinstance(op, ew.MaxOp):
        return next((x for x, y in ((op.lhs, op.rhs), (op.rhs, op.lhs)) if scalar_of(y) == 0), None)
    return None


def are_opposite(x: Value, y: Value) -> bool:
    """Tell if one of two values is the negative of the other."""
    return any(isinstance(v.owner, ew.NegOp) and v.owner.operand is w for v, w in ((x, y), (y, x)))


def sign_of(value: Value) -> Value | None:
    """The x of sign(x)."""
    op = value.owner
    if isinstance(op, ew.AddOp) and scalar_of(op.rhs) == 0:  # of a sign that is not a negative zero
        op = op.lhs.owner
    return op.operand if isinstance(op, ew.SignOp) else None


def square_of(value: Value, depth: int = _DEPTH) -> Emit | None:
    """Return what emits the square of a root as a smooth function; `None` if the value is not a root."""
    op = value.owner
    if not isinstance(op, Operation) or depth == 0 or not is_float(value):
        return None
    x = magnitude_of(value)
    if x is not None:
        return _product(x)
    match op:
        case ew.SqrtOp():
            return _radicand(op.operand)
        case ew.HypotOp():
            return lambda b: _squared_hypot(b, op.lhs, op.rhs)
        case ew.AcosOp() | ew.AcoshOp():
            return lambda b: squared_angle(b, op)
        case CustomOp():
            if _square_beside(value) is None:
                return None
            return lambda b: b.inline_region(op.body, own_operands(op), {})[1]
        case ew.SubOp():
            return _squared_distance(op)
        case ew.NegOp():
            return square_of(op.operand, depth - 1)
        case ew.SelectOp():
            return _squared_choice(op, depth - 1)
        case _ if isinstance(op, MOVES):
            found = [square_of(part, depth - 1) for part in sources(op)]
            if all(square is None for square in found):
                return None
            squares = [square or _product(v) for square, v in zip(found, sources(op), strict=True)]
            return lambda b: moved(b, op, [square(b) for square in squares])
        case _:
            return None


def is_radius(value: Value) -> bool:
    """Return whether a value is the root of a quadratic form, which has a kink where it is 0 and nowhere
    else.
    """
    op = value.owner
    match op:
        case ew.HypotOp():
            return True
        case CustomOp():
            return _square_beside(value) is not None
        case ew.SqrtOp():
            return is_form(op.operand) and _squared_sum(op.operand) is None
        case ew.SelectOp():
            s = guarded_radicand(op)
            return s is not None and is_form(s)
        case _:
            return False


def root_of_square(b: ArrayBuilder, s: Value) -> Value | None:
    """sqrt(y y), where y is a sum of squares; it is y where that is 0, with the derivatives of y."""
    y = _squared_sum(s)
    return None if y is None else b.select(b.compare("eq", y, b.zeros(y.type)), y, b.unary(ew.SqrtOp, s))


def _squared_sum(value: Value) -> Value | None:
    """The y of y y, if it is a sum of squares."""
    y = _twin_factor(value)
    return y if y is not None and _is_sum_of_squares(y) else None


def is_form(value: Value) -> bool:
    """Tell if a value is a sum of squares, each with some weight, or x @ P @ x."""
    return _is_quadratic(value, is_weighted=True)


def _is_sum_of_squares(value: Value) -> bool:
    """Tell if a value is a sum of squares with positive numbers for weights."""
    return _is_quadratic(value, is_weighted=False)


def _is_quadratic(value: Value, *, is_weighted: bool, depth: int = _DEPTH) -> bool:
    """Tell if a value is a sum of squares, or, if it may be weighted, a form."""
    op = value.owner
    if not isinstance(op, Operation) or depth == 0:
        return False

    def known(*values: Value) -> bool:
        return all(
            scalar_of(v) == 0 or _is_quadratic(v, is_weighted=is_weighted, depth=depth - 1) for v in values
        )

    def is_weight(v: Value) -> bool:
        return is_weighted or (scalar_of(v) or 0) > 0

    match op:
        case ew.MulOp() | DotOp() if is_weighted and vector_of_form(op) is not None:
            return True
        case ew.MulOp():
            sides = ((op.lhs, op.rhs), (op.rhs, op.lhs))
            return _are_alike(op) or any(is_weight(weight) and known(x) for weight, x in sides)
        case DotOp():
            return (op.lhs is op.rhs and is_inner(op)) or (is_weighted and (known(op.lhs) or known(op.rhs)))
        case ew.DivOp():
            return is_weight(op.rhs) and known(op.lhs)
        case ew.AddOp():
            return known(*_terms(value))
        case control.ScanOp():
            k = op.results.index(value)
            if k >= op.carry_count:
                return False
            before, terms = op.body.block.args[1 + k], _terms(yields(op.body)[k])
            others = [v for v in terms if v is not before]
            return len(others) < len(terms) and known(op.init[k], *others)
        case ew.SelectOp() if _squared_root(op.on_false) is op.on_true:
            return known(op.on_true)
        case ew.SelectOp():
            return is_weighted and known(op.on_true, op.on_false)
        case SumOp() | BroadcastOp() | ReshapeOp() | ReverseOp() | SliceOp() | IndexOp():
            return known(own_operands(op)[0])
        case _:
            return False


def vector_of_form(op: ew.MulOp | DotOp) -> Value | None:
    """The x of x times what is linear in x."""
    if isinstance(op, DotOp) and not is_inner(op):
        return None
    sides = (op.lhs, op.rhs)
    return next((x for x, y in (sides, sides[::-1]) if _is_multiple(y, x)), None)


def _is_multiple(value: Value, x: Value, depth: int = 4) -> bool:
    """Tell if a value is x, or computed of it by linear ops."""
    if value is x:
        return True
    op = value.owner
    if not isinstance(op, Operation) or depth == 0:
        return False
    operands = own_operands(op)
    groups = (group for group in LINEAR_IN.get(type(op), ()) if len(group) == 1 and group != (ALL,))
    return any(_is_multiple(operands[k], x, depth - 1) for (k,) in groups)


def _terms(value: Value) -> list[Value]:
    """The terms of a sum, however long it is written, without repetition."""
    seen: dict[Value, None] = {value: None}
    pending = [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, ew.AddOp):
            new = [v for v in own_operands(op) if v not in seen]
            seen.update(dict.fromkeys(new))
            pending += new
    return [v for v in seen if not isinstance(v.owner, ew.AddOp)]


def _squared_root(value: Value) -> Value | None:
    """The y of sqrt(y y)."""
    root = value.owner
    return _twin_factor(root.operand) if isinstance(root, ew.SqrtOp) else None


def _twin_factor(value: Value) -> Value | None:
    """The y of y y."""
    op = value.owner
    return op.lhs if isinstance(op, ew.MulOp) and op.lhs is op.rhs else None


def _are_alike(op: ew.MulOp) -> bool:
    """Tell if the factors are positive multiples of one another."""
    (c, x), (d, y) = (_scaled(v) for v in (op.lhs, op.rhs))
    return x is y and c * d > 0


def _scaled(value: Value) -> tuple[float, Value]:
    """A value as a constant times another one."""
    op = value.owner
    if isinstance(op, ew.NegOp):
        return -1.0, op.operand
    if isinstance(op, ew.MulOp):
        for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            c = scalar_of(one)
            if c is not None:
                return float(c), other
    return 1.0, value


def _square_beside(value: Value) -> Value | None:
    """The square of a value that comes with it."""
    op = value.owner
    if not isinstance(op, CustomOp) or op.squared is None or value is not op.results[0]:
        return None
    return op.results[1]


def _product(x: Value) -> Emit:
    return lambda b: b.mul(x, x)


def _squared_distance(op: ew.SubOp) -> Emit | None:
    """The square of max(x, y) - min(x, y), or its negative."""
    found = distance_of(op)
    if found is None:
        return None

    def emit(b: ArrayBuilder) -> Value:
        x, y = (b.zeros(op.result.type) if v is None else v for v in found[0])
        return _squared(b, b.sub(x, y))

    return emit


def _radicand(s: Value) -> Emit:
    """The square of sqrt(s)."""
    if is_nonnegative(s):
        return lambda b: s
    return lambda b: b.add(unless(b, b.compare("lt", s, b.zeros(s.type)), s), b.zeros(s.type))  # never -0


def unless(b: ArrayBuilder, is_outside: Value, x: Value) -> Value:
    """x, NaN with a derivative of NaN where a condition holds."""
    inside = b.select(is_outside, b.splat(nan, x.type), b.splat(1.0, x.type))
    return b.mul(x, inside)


def _squared_hypot(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """x x + y y, which is infinite where x or y is, even if the other is NaN."""
    if not (b.ranges.finite(x) or b.ranges.finite(y)):
        x, y = _shown(b, x, y), _shown(b, y, x)
    return b.add(_squared(b, x), _squared(b, y))


def _squared(b: ArrayBuilder, x: Value) -> Value:
    return (square_of(x) or _product(x))(b)


def _shown(b: ArrayBuilder, x: Value, other: Value) -> Value:
    """x, or the other number where x is NaN and that is infinite."""
    is_infinite = b.compare("eq", b.unary(ew.AbsOp, other), b.splat(inf, x.type))
    return b.select(b.logical_and(b.compare("ne", x, x), is_infinite), other, x)


def _squared_choice(op: ew.SelectOp, depth: int) -> Emit | None:
    """The choice of the squares; without a choice where it only guards the root of 0."""
    guarded = guarded_radicand(op)
    if guarded is not None:
        return lambda b: guarded
    parts = (op.on_true, op.on_false)
    found = [square_of(part, depth) for part in parts]
    if all(square is None for square in found):
        return None
    first, second = (square or _product(v) for square, v in zip(found, parts, strict=True))
    return lambda b: b.select(op.condition, first(b), second(b))


def guarded_radicand(op: ew.SelectOp) -> Value | None:
    """The s of a root that is 0 where s is, written such that its derivative is never infinite."""
    for is_zero, zero, root in ((True, op.on_true, op.on_false), (False, op.on_false, op.on_true)):
        if scalar_of(zero) != 0 or not isinstance(root.owner, ew.SqrtOp):
            continue
        safe = root.owner.operand.owner
        if not isinstance(safe, ew.SelectOp) or safe.condition is not op.condition:
            continue
        s = safe.on_false if is_zero else safe.on_true
        if is_nonnegative(s) and _is_zero_test(op.condition, s, ("eq", "le") if is_zero else ("ne", "gt")):
            return s
    return None


def _is_zero_test(condition: Value, s: Value, predicates: tuple[str, str]) -> bool:
    op = condition.owner
    if isinstance(op, BroadcastOp):
        op = op.operand.owner
    return (
        isinstance(op, ew.CompareOp)
        and op.predicate.data in predicates
        and op.lhs in (s, _source(s))
        and scalar_of(op.rhs) == 0
    )


def _source(value: Value) -> Value:
    return value.owner.operand if isinstance(value.owner, BroadcastOp) else value


# Signs ---------------------------------------------------------------------------------------------


def is_nonnegative(value: Value, depth: int = _DEPTH) -> bool:
    """Return whether no element of a value is negative; it may be NaN."""
    op = value.owner
    if not isinstance(op, Operation) or depth == 0:
        return False

    def known(*values: Value) -> bool:
        return all(is_nonnegative(v, depth - 1) for v in values)

    number = scalar_of(value)
    if number is not None:
        return number >= 0
    match op:
        case ew.MulOp():
            return _are_alike(op) or known(op.lhs, op.rhs)
        case ew.DivOp():
            return known(op.lhs, op.rhs)
        case ew.AddOp():
            return known(*_terms(value))
        case ew.MaxOp():
            return known(op.lhs) or known(op.rhs) or magnitude_of(value) is not None
        case ew.SelectOp():
            return known(op.on_true, op.on_false)
        case ew.PowOp():
            exponent = scalar_of(op.rhs)
            return known(op.lhs) or (exponent is not None and exponent % 2 == 0)
        case ew.ConvertOp():
            return known(op.operand)
        case DotOp():
            return op.lhs is op.rhs and is_inner(op)
        case SumOp():
            return known(op.operand)
        case _ if isinstance(op, MOVES):
            return known(*sources(op))
        case _:
            return isinstance(op, _NEVER_NEGATIVE)


_NEVER_NEGATIVE = (
    *(ew.AbsOp, ew.SqrtOp, ew.HypotOp, ew.ExpOp, ew.Exp2Op, ew.CoshOp, ew.AcosOp, ew.AcoshOp),
    *(ew.LogisticOp, ew.SoftplusOp, ew.ErfcOp, ew.RsqrtOp),
)


def is_inner(op: DotOp) -> bool:
    """Return whether a contraction sums products of elements at equal positions, and nothing else."""
    summed = len(op.batch[0]) + len(op.contract[0])
    return op.batch[0] == op.batch[1] and op.contract[0] == op.contract[1] and summed == len(shape_of(op.lhs))
