"""Ops of `arith` and `math`, on scalars and arrays alike.

    arith.addf   ->  array.add              arith.shrui   ->  array.shift_right, cleared of the sign
    math.fma     ->  array.mul, array.add   arith.divui   ->  array.div, corrected by the remainder

Fast-math and overflow flags allow other results, and are ignored. Operations that are undefined upstream have
a value: division by zero gives 0, a shift by the width or more gives 0 or the sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import log
from typing import Any, TypeAlias, cast

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, element_of, is_boolean, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.source_ops import operands, refusal

Formula: TypeAlias = Callable[..., Value]
"""From the builder and operands of one shape to the result."""


def is_nan(b: ArrayBuilder, x: Value) -> Value:
    """Return whether elements are NaN."""
    return b.apply_elementwise(ew.IsNanOp, (x,))


def _is_finite(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsFiniteOp, (x,))


def _select(b: ArrayBuilder, condition: Value, x: Value, y: Value) -> Value:
    return b.select(condition, x, y)


def as_signed(b: ArrayBuilder, x: Value) -> Value:
    """Integers moved so that their signed order is the unsigned order of x."""
    if is_boolean(x):
        return x
    width = cast(Any, element_of(x)).width.data
    return b.binary(ew.XorOp, x, b.splat(-(2 ** (width - 1)), x.type))


def unsigned_compare(b: ArrayBuilder, predicate: str, x: Value, y: Value) -> Value:
    """A comparison of integers without sign."""
    return b.compare(predicate, as_signed(b, x), as_signed(b, y))


def _unsigned_extremum(b: ArrayBuilder, x: Value, y: Value, *, predicate: str) -> Value:
    return b.select(unsigned_compare(b, predicate, x, y), x, y)


def shift_right_unsigned(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Shifted by one and cleared of the sign, then by the rest."""
    width = cast(Any, element_of(x)).width.data
    one, zero = b.splat(1, x.type), b.zeros(x.type)
    half = b.binary(ew.AndOp, b.binary(ew.ShiftRightOp, x, one), b.splat(2 ** (width - 1) - 1, x.type))
    if b.scalar_of(y) == 1:
        return half
    shifted = b.binary(ew.ShiftRightOp, half, b.sub(y, one))
    return b.select(b.compare("eq", y, zero), x, shifted)


def _divide_unsigned(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Half of x divided, doubled, and one more where the remainder allows it; divisors beyond are large."""
    if known_positive(b, x) and known_positive(b, y):
        return b.div(x, y)
    one, zero = b.splat(1, x.type), b.zeros(x.type)
    half = shift_right_unsigned(b, x, one)
    quotient = b.binary(ew.ShiftLeftOp, b.div(half, y), one)
    more = unsigned_compare(b, "ge", b.sub(x, b.mul(quotient, y)), y)
    small = b.add(quotient, b.select(more, one, zero))
    large = b.select(unsigned_compare(b, "ge", x, y), one, zero)
    quotient = b.select(b.compare("lt", y, zero), large, small)
    return b.select(b.compare("eq", y, zero), zero, quotient)


def known_positive(b: ArrayBuilder, x: Value) -> bool:
    """Return whether integers are known not to be negative."""
    interval = b.ranges.interval(x)
    return interval is not None and interval[0] >= 0


def _remainder_unsigned(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.sub(x, b.mul(_divide_unsigned(b, x, y), y))


def _ceil_divide(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.neg(b.binary(ew.FloorDivOp, b.neg(x), y))


def _extremum_of_numbers(b: ArrayBuilder, x: Value, y: Value, *, op_class: type[ew.BinaryOp]) -> Value:
    """The extremum, and the other operand where one is NaN."""
    chosen = b.binary(op_class, x, y)
    chosen = b.select(is_nan(b, y), x, chosen)
    return b.select(is_nan(b, x), y, chosen)


def _integer_product(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Booleans multiply as a conjunction."""
    return b.logical_and(x, y) if is_boolean(x) else b.mul(x, y)


def _integer_sum(b: ArrayBuilder, x: Value, y: Value, *, op_class: type[ew.BinaryOp]) -> Value:
    """Booleans add modulo 2."""
    return b.binary(ew.XorOp if is_boolean(x) else op_class, x, y)


def _round_half_away(b: ArrayBuilder, x: Value) -> Value:
    whole = b.unary(ew.TruncOp, x)
    rest = b.unary(ew.AbsOp, b.sub(x, whole))
    away = b.add(whole, b.binary(ew.CopysignOp, b.splat(1.0, x.type), x))
    return b.select(b.compare("ge", rest, b.splat(0.5, x.type)), away, whole)


def _log10(b: ArrayBuilder, x: Value) -> Value:
    return b.scaled(b.unary(ew.LogOp, x), 1 / log(10))


def _fused(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    """x * y + z, rounded twice."""
    return b.add(b.mul(x, y), z)


def _power_of_integer(b: ArrayBuilder, x: Value, n: Value) -> Value:
    return b.binary(ew.PowOp, x, b.convert(n, element_of(x)))


def _unary(op_class: type[ew.UnaryOp]) -> Callable[[ArrayBuilder, Value], Value]:
    return lambda b, x: b.unary(op_class, x)


def _binary(op_class: type[ew.BinaryOp]) -> Callable[[ArrayBuilder, Value, Value], Value]:
    return lambda b, x, y: b.binary(op_class, x, y)


_FORMULAS: dict[str, tuple[int, Formula]] = {
    **{
        f"math.{name}": (1, _unary(op_class))
        for name, op_class in {
            "absf": ew.AbsOp, "absi": ew.AbsOp, "acos": ew.AcosOp, "acosh": ew.AcoshOp, "asin": ew.AsinOp,
            "asinh": ew.AsinhOp, "atan": ew.AtanOp, "atanh": ew.AtanhOp, "cbrt": ew.CbrtOp,
            "ceil": ew.CeilOp, "cos": ew.CosOp, "cosh": ew.CoshOp, "erf": ew.ErfOp, "erfc": ew.ErfcOp,
            "exp": ew.ExpOp, "exp2": ew.Exp2Op, "expm1": ew.Expm1Op, "floor": ew.FloorOp, "log": ew.LogOp,
            "log1p": ew.Log1pOp, "log2": ew.Log2Op, "roundeven": ew.RoundOp, "rsqrt": ew.RsqrtOp,
            "sin": ew.SinOp, "sinh": ew.SinhOp, "sqrt": ew.SqrtOp, "tan": ew.TanOp, "tanh": ew.TanhOp,
            "trunc": ew.TruncOp,
        }.items()
    },
    "math.isfinite": (1, _is_finite),
    "math.isnan": (1, is_nan),
    "math.atan2": (2, _binary(ew.Atan2Op)),
    "math.copysign": (2, _binary(ew.CopysignOp)),
    "math.fma": (3, _fused),
    "math.fpowi": (2, _power_of_integer),
    "math.ipowi": (2, _binary(ew.PowOp)),
    "math.log10": (1, _log10),
    "math.powf": (2, _binary(ew.PowOp)),
    "math.round": (1, _round_half_away),
    "arith.addf": (2, _binary(ew.AddOp)),
    "arith.addi": (2, partial(_integer_sum, op_class=ew.AddOp)),
    "arith.andi": (2, _binary(ew.AndOp)),
    "arith.ceildivsi": (2, _ceil_divide),
    "arith.divf": (2, _binary(ew.DivOp)),
    "arith.divsi": (2, _binary(ew.DivOp)),
    "arith.divui": (2, _divide_unsigned),
    "arith.floordivsi": (2, _binary(ew.FloorDivOp)),
    "arith.maximumf": (2, _binary(ew.MaxOp)),
    "arith.maxnumf": (2, partial(_extremum_of_numbers, op_class=ew.MaxOp)),
    "arith.maxsi": (2, _binary(ew.MaxOp)),
    "arith.maxui": (2, partial(_unsigned_extremum, predicate="ge")),
    "arith.minimumf": (2, _binary(ew.MinOp)),
    "arith.minnumf": (2, partial(_extremum_of_numbers, op_class=ew.MinOp)),
    "arith.minsi": (2, _binary(ew.MinOp)),
    "arith.minui": (2, partial(_unsigned_extremum, predicate="le")),
    "arith.mulf": (2, _binary(ew.MulOp)),
    "arith.muli": (2, _integer_product),
    "arith.negf": (1, _unary(ew.NegOp)),
    "arith.ori": (2, _binary(ew.OrOp)),
    "arith.remf": (2, _binary(ew.FmodOp)),
    "arith.remsi": (2, _binary(ew.FmodOp)),
    "arith.remui": (2, _remainder_unsigned),
    "arith.select": (3, _select),
    "arith.shli": (2, _binary(ew.ShiftLeftOp)),
    "arith.shrsi": (2, _binary(ew.ShiftRightOp)),
    "arith.shrui": (2, shift_right_unsigned),
    "arith.subf": (2, _binary(ew.SubOp)),
    "arith.subi": (2, partial(_integer_sum, op_class=ew.SubOp)),
    "arith.xori": (2, _binary(ew.XorOp)),
}  # fmt: skip
"""The number of operands that an op takes, and what it becomes."""


def _formula(count: int, formula: Formula) -> Handler:
    def handler(c: Conversion, op: Operation) -> Sequence[Value]:
        values = c.aligned(operands(op, count))
        *others, last = values
        if any(shape_of(v) != shape_of(last) for v in others):
            raise refusal(op, "takes operands of one shape")
        if others and others[-1].type != last.type and formula is not _power_of_integer:
            raise refusal(op, f"takes operands of one type, got {others[-1].type} and {last.type}")
        return [formula(c.b, *values)]

    return handler


FORMULAS: dict[str, Handler] = {
    name: _formula(count, formula) for name, (count, formula) in _FORMULAS.items()
}
"""The ops of `arith` and `math` that are formulas of their operands."""
