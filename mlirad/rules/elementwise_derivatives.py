"""Derivatives of the elementwise ops: scalar calculus that knows nothing of arrays.

A coefficient is a function of the builder, the operands and the result, all of one shape, that emits the
partial derivative of the op with respect to one operand; `None` where it is zero everywhere.

    ew.SinOp: lambda b, x, y: b.unary(ew.CosOp, x)                 d sin(x) = cos(x) dx

Conventions where a derivative does not exist, or arithmetic would hide it:

    abs at 0, sign, floor, ceil, round, trunc      0
    sqrt, cbrt, log, div, ... at a pole            infinite as in IEEE arithmetic; zero (co)tangents absorb it
    max(x, y), min(x, y) where x = y               half to each
    pow(x, y) by x                                 0 where y = 0; y x^(y-1) elsewhere, so 1 at x = 0, y = 1
    pow(x, y) by y                                 0 where x = 0 and y >= 0; x^y log(x) elsewhere
    hypot, atan2 at the origin                     0
    rem(x, y), fmod(x, y)                          1 by x; minus the whole number of times y was taken by y
    copysign(x, y)                                 0 by y; by x the sign of x times the sign of y, 0 at x = 0
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, pi, sqrt
from typing import TypeAlias

from xdsl.dialects.builtin import f64

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, element_of, integer, keyword
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.locations import location_of

UnaryCoefficient: TypeAlias = Callable[[ArrayBuilder, Value, Value], Value]
"""`(b, operand, result) -> the factor that the operand's tangent is scaled by`."""

BinaryCoefficient: TypeAlias = Callable[[ArrayBuilder, Value, Value, Value], Value]
"""`(b, left, right, result) -> the factor that the tangent of one operand is scaled by`."""


def _one(b: ArrayBuilder, x: Value, *others: Value) -> Value:
    return b.splat(1.0, x.type)


def _minus_one(b: ArrayBuilder, x: Value, *others: Value) -> Value:
    return b.splat(-1.0, x.type)


def _reciprocal(b: ArrayBuilder, x: Value) -> Value:
    return b.div(b.splat(1.0, x.type), x)


def _square(b: ArrayBuilder, x: Value) -> Value:
    return b.mul(x, x)


def _one_minus(b: ArrayBuilder, x: Value) -> Value:
    return b.sub(b.splat(1.0, x.type), x)


def _plus(b: ArrayBuilder, x: Value, number: float) -> Value:
    return b.add(x, b.splat(number, x.type))


def _where_zero(b: ArrayBuilder, x: Value, value: Value) -> Value:
    """0 where x is 0, `value` elsewhere."""
    zero = b.zeros(x.type)
    return b.select(b.compare("eq", x, zero), zero, value)


def _exp2(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """2^x log(2)."""
    return b.scaled(y, log(2.0))


def _log2(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """(1 / log(2)) / x: a product x log(2) could underflow."""
    return b.div(b.splat(1.0 / log(2.0), x.type), x)


def _sqrt(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 / (2 sqrt(x))."""
    return b.div(b.splat(0.5, y.type), y)


def _rsqrt(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """-x^(-3/2) / 2, as y / x / -2."""
    return b.scaled(b.div(y, x), -0.5)


def _cbrt(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """(1 / y)^2 / 3, whose derivative at 0 is infinite, too."""
    return b.scaled(_square(b, _reciprocal(b, y)), 1 / 3)


def _tan(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 + tan(x)^2."""
    return _plus(b, _square(b, y), 1.0)


def _below_one(b: ArrayBuilder, x: Value) -> Value:
    """1 - x^2, near 1 as (1 - x) (1 + x), which keeps its digits, but whose derivative cancels near 0."""
    product = b.mul(_one_minus(b, x), _plus(b, x, 1.0))
    near = b.compare("lt", b.unary(ew.AbsOp, x), b.splat(0.5, x.type))
    return b.select(near, _one_minus(b, _square(b, x)), product)


def _is_far(b: ArrayBuilder, x: Value) -> Value:
    """Return whether x^2 + 1 rounds to x^2."""
    far = 1e9 if element_of(x) == f64 else 1e5
    return b.compare("gt", b.unary(ew.AbsOp, x), b.splat(far, x.type))


def _asin(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 / sqrt(1 - x^2)."""
    return b.unary(ew.RsqrtOp, _below_one(b, x))


def _acos(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.neg(_asin(b, x, y))


def _atan(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 / (1 + x^2), far out as (1 / x)^2, whose derivative has no factor x^-4."""
    far = _is_far(b, x)
    inverse = _reciprocal(b, b.select(far, x, _plus(b, _square(b, x), 1.0)))
    return b.select(far, _square(b, inverse), inverse)


def _tanh_slope(b: ArrayBuilder, x: Value, y: Value, slope: Value) -> Value:
    """-2 tanh(x) / cosh(x)^2, with y = tanh(x)."""
    return b.scaled(b.mul(y, slope), -2.0)


def _asinh(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 / sqrt(1 + x^2), which is 1 / |x| far out."""
    root = b.unary(ew.SqrtOp, _plus(b, _square(b, x), 1.0))
    return _reciprocal(b, b.select(_is_far(b, x), b.unary(ew.AbsOp, x), root))


def _acosh(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 / sqrt((x - 1) (x + 1)); NaN below 1, where the product of the two would be positive again."""
    below, above = _plus(b, x, -1.0), _plus(b, x, 1.0)
    return b.mul(b.unary(ew.RsqrtOp, below), b.unary(ew.RsqrtOp, above))


def _atanh(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """1 / (1 - x^2)."""
    return _reciprocal(b, _below_one(b, x))


def _erf(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """2 / sqrt(pi) e^(-x^2)."""
    return b.scaled(b.unary(ew.ExpOp, b.neg(_square(b, x))), 2.0 / sqrt(pi))


def _erfc(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.neg(_erf(b, x, y))


def _erfinv(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """sqrt(pi) / 2 e^(y^2)."""
    return b.scaled(b.unary(ew.ExpOp, _square(b, y)), sqrt(pi) / 2.0)


def _lgamma(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Digamma."""
    return _polygamma_of(b, 0, x)


def _polygamma_of(b: ArrayBuilder, order: int, x: Value) -> Value:
    return b.apply_elementwise(ew.PolygammaOp, (x,), {"order": integer(order)})


def _polygamma(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """The next order."""
    op = y.owner
    assert isinstance(op, ew.PolygammaOp)
    order = op.order.value.data + 1
    if order > op.HIGHEST_ORDER:
        raise DifferentiationError(
            f"polygamma of order {order} is beyond what floats hold",
            location=location_of(op),
            hint=f"log Gamma can be differentiated {op.HIGHEST_ORDER + 1} times",
        )
    return _polygamma_of(b, order, x)


def _logistic_slope(b: ArrayBuilder, x: Value, y: Value, slope: Value) -> Value:
    """The slope times 1 - 2 y, as -tanh(x / 2), which keeps its digits near 0."""
    return b.neg(b.mul(b.unary(ew.TanhOp, b.scaled(x, 0.5)), slope))


def _divisor(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    """-x / y^2, as -(1 / y) z: the derivative by x has the same quotient, and so has z if x is 1."""
    return b.neg(b.mul(_reciprocal(b, y), z))


def _pow_base(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    """y x^(y-1), 0 where y = 0: a product in which 0 absorbs, so that its derivative by y is x^(y-1) there.

    At x = 0, y = 1 it falls from infinity to 0 as y grows; there x^(y-1), whose own derivative by y is 0 by
    convention, is written as a function of y of slope minus infinity.
    """
    exponent = b.scalar_of(y)
    if exponent is not None and exponent != 0:
        return b.scaled(_power(b, x, exponent - 1.0), exponent)
    less = _plus(b, y, -1.0)
    falling = _plus(b, b.absorbing_mul(less, b.splat(-inf, y.type)), 1.0)
    lower = b.select(_both_zero(b, x, less), falling, b.binary(ew.PowOp, x, less))
    return b.select(_both_zero(b, x, y), b.zeros(x.type), b.absorbing_mul(y, lower))


def _power(b: ArrayBuilder, x: Value, exponent: float) -> Value:
    """x^exponent for a Python number, without `pow` where the exponent is 0, 1 or 2."""
    match exponent:
        case 0.0:
            return b.splat(1.0, x.type)
        case 1.0:
            return x
        case 2.0:
            return _square(b, x)
        case _:
            return b.binary(ew.PowOp, x, b.splat(exponent, x.type))


def _pow_exponent(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    """x^y log(x), 0 where x^y = 0, and at the origin."""
    product = b.absorbing_mul(z, b.unary(ew.LogOp, x))
    return b.select(_both_zero(b, x, y), b.zeros(x.type), product)


def _both_zero(b: ArrayBuilder, x: Value, y: Value) -> Value:
    zero = b.zeros(x.type)
    return b.logical_and(b.compare("eq", x, zero), b.compare("eq", y, zero))


def _hypot_left(b: ArrayBuilder, x: Value, y: Value, r: Value) -> Value:
    """x / r, as a function whose own derivative is stated."""
    return b.apply_elementwise(ew.SpecialOp, (x, y, r), {"function": keyword("unit")})


def _hypot_right(b: ArrayBuilder, x: Value, y: Value, r: Value) -> Value:
    """y / r."""
    return _hypot_left(b, y, x, r)


def _atan2_left(b: ArrayBuilder, y: Value, x: Value, angle: Value) -> Value:
    """x / r^2, with r = hypot(x, y), by two divisions so that r^2 cannot overflow."""
    r = b.binary(ew.HypotOp, x, y)
    return _where_zero(b, r, b.div(b.div(x, r), r))


def _atan2_right(b: ArrayBuilder, y: Value, x: Value, angle: Value) -> Value:
    """-y / r^2."""
    r = b.binary(ew.HypotOp, x, y)
    return _where_zero(b, r, b.neg(b.div(b.div(y, r), r)))


def _times_taken(b: ArrayBuilder, x: Value, y: Value, remainder: Value) -> Value:
    """-n where x = n y + remainder, 1 where the remainder is y itself, which may be infinite."""
    taken = b.unary(ew.RoundOp, b.div(b.sub(x, remainder), y))
    return b.select(b.compare("eq", remainder, y), b.splat(1.0, y.type), b.neg(taken))


def _copysign(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    """sign(x) sign(y), the sign of y never 0."""
    return b.mul(b.unary(ew.SignOp, x), b.binary(ew.CopysignOp, b.splat(1.0, y.type), y))


UNARY: dict[type[ew.ElementwiseOp], UnaryCoefficient] = {
    ew.NegOp: _minus_one,
    ew.DeviationOp: _one,
    ew.AbsOp: lambda b, x, y: b.unary(ew.SignOp, x),
    ew.ExpOp: lambda b, x, y: y,
    ew.Exp2Op: _exp2,
    ew.Expm1Op: lambda b, x, y: b.unary(ew.ExpOp, x),
    ew.LogOp: lambda b, x, y: _reciprocal(b, x),
    ew.Log2Op: _log2,
    ew.Log1pOp: lambda b, x, y: _reciprocal(b, _plus(b, x, 1.0)),
    ew.SqrtOp: _sqrt,
    ew.RsqrtOp: _rsqrt,
    ew.CbrtOp: _cbrt,
    ew.SinOp: lambda b, x, y: b.unary(ew.CosOp, x),
    ew.CosOp: lambda b, x, y: b.neg(b.unary(ew.SinOp, x)),
    ew.TanOp: _tan,
    ew.AsinOp: _asin,
    ew.AcosOp: _acos,
    ew.AtanOp: _atan,
    ew.SinhOp: lambda b, x, y: b.unary(ew.CoshOp, x),
    ew.CoshOp: lambda b, x, y: b.unary(ew.SinhOp, x),
    ew.TanhOp: lambda b, x, y: b.binary(ew.TanhSlopeOp, x, y),
    ew.AsinhOp: _asinh,
    ew.AcoshOp: _acosh,
    ew.AtanhOp: _atanh,
    ew.ErfOp: _erf,
    ew.ErfcOp: _erfc,
    ew.ErfinvOp: _erfinv,
    ew.LgammaOp: _lgamma,
    ew.PolygammaOp: _polygamma,
    ew.LogisticOp: lambda b, x, y: b.binary(ew.LogisticSlopeOp, x, y),
    ew.SoftplusOp: lambda b, x, y: b.unary(ew.LogisticOp, x),
}
"""The derivative of every smooth op of one operand."""

BINARY: dict[type[ew.ElementwiseOp], tuple[BinaryCoefficient, BinaryCoefficient | None]] = {
    ew.AddOp: (_one, _one),
    ew.SubOp: (_one, _minus_one),
    ew.MulOp: (lambda b, x, y, z: y, lambda b, x, y, z: x),
    ew.AbsorbingMulOp: (lambda b, k, x, z: x, lambda b, k, x, z: k),
    ew.DivOp: (lambda b, x, y, z: _reciprocal(b, y), _divisor),
    ew.PowOp: (_pow_base, _pow_exponent),
    ew.Atan2Op: (_atan2_left, _atan2_right),
    ew.HypotOp: (_hypot_left, _hypot_right),
    ew.TanhSlopeOp: (_tanh_slope, None),
    ew.LogisticSlopeOp: (_logistic_slope, None),
    ew.RemOp: (_one, _times_taken),
    ew.FmodOp: (_one, _times_taken),
    ew.CopysignOp: (_copysign, None),
}
"""The partial derivatives of every smooth op of two operands but `max` and `min`, whose maps are masks."""

FLAT: tuple[type[ew.ElementwiseOp], ...] = (
    ew.SignOp,
    ew.FloorOp,
    ew.CeilOp,
    ew.RoundOp,
    ew.TruncOp,
    ew.StopGradientOp,
    ew.FloorDivOp,
    ew.NotOp,
    ew.IsFiniteOp,
    ew.IsNanOp,
    ew.AndOp,
    ew.OrOp,
    ew.XorOp,
    ew.ShiftLeftOp,
    ew.ShiftRightOp,
    ew.CompareOp,
)
"""Elementwise ops that are constant between jumps, or discrete: their derivative is zero."""
