"""Squares of angles: arccos(x)^2 and arccosh(x)^2, which are smooth where x = 1 and the angle has a pole.

    d arccos(x)^2 = -2 r(x) dx,     r(x) = arccos(x) / sqrt(1 - x^2) = 2F1(1, 1; 3/2; (1 - x) / 2)

and that of arccosh(x)^2 is 2 r(x) dx, with r(x) = arccosh(x) / sqrt(x^2 - 1), the same series, which is
summed near 1.
"""

from __future__ import annotations

from math import inf, nan
from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder

_TERMS: Final = 22
_NEAR: Final = 0.15
"""If (1 - x) / 2 is less than this in size, this number of terms is below rounding."""


def squared_angle(b: ArrayBuilder, op: ew.AcosOp | ew.AcoshOp) -> Value:
    """The square of an angle."""

    def value(x: Value) -> list[Value]:
        angle = b.unary(type(op), x)
        return [b.mul(angle, angle)]

    def rule(x: Value, dx: Value) -> list[Value]:
        factor = -2.0 if isinstance(op, ew.AcosOp) else 2.0
        return [b.scaled(b.mul(_ratio(b, type(op), x), dx), factor)]

    types = [op.operand.type]
    regions = [b.region(types, value), b.region([*types, *types], rule)]
    return b.insert(CustomOp, [op.operand], types, {}, regions).results[0]


def _ratio(b: ArrayBuilder, angle: type[ew.AcosOp | ew.AcoshOp], x: Value) -> Value:
    one = b.splat(1.0, x.type)
    u = b.scaled(b.sub(one, x), 0.5)
    is_near = b.compare("lt", b.unary(ew.AbsOp, u), b.splat(_NEAR, x.type))
    is_large = angle is ew.AcoshOp
    far = b.select(is_near, b.splat(2.0 if is_large else 0.0, x.type), x)
    parts = (b.sub(far, one) if is_large else b.sub(one, far)), b.add(one, far)
    distance = b.mul(*(b.unary(ew.SqrtOp, part) for part in parts))
    beyond = b.div(b.unary(angle, far), distance)
    if is_large:
        beyond = b.select(b.compare("eq", x, b.splat(inf, x.type)), b.zeros(x.type), beyond)
    near = _series(b, b.select(is_near, u, b.zeros(x.type)))
    is_outside = b.compare("lt" if is_large else "gt", x, one)
    return b.select(is_outside, b.splat(nan, x.type), b.select(is_near, near, beyond))


def _series(b: ArrayBuilder, u: Value) -> Value:
    """2F1(1, 1; 3/2; u); each coefficient is the one before times n / (n + 1/2)."""
    coefficients = [1.0]
    for n in range(1, _TERMS):
        coefficients.append(coefficients[-1] * n / (n + 0.5))
    found = b.splat(coefficients[-1], u.type)
    for c in reversed(coefficients[:-1]):
        found = b.add(b.mul(found, u), b.splat(c, u.type))
    return found
