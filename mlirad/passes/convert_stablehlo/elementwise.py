"""Elementwise ops. Unsigned integers are kept as signed ones of the same bits, so some ops differ for
them."""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, StringAttr, f32, f64, i1, i32, i64

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import FLOATS, Value, array_type, element_of, integer, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.dialects.stablehlo.elementwise import CompareOp
from mlirad.dialects.stablehlo.structural import ConstantOp
from mlirad.float_modes import silent
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_stablehlo.converter import MEANINGS, Converter, Meaning, meaning, number
from mlirad.passes.convert_stablehlo.types import is_unsigned, language_element, language_type, literal_of

UNARY: dict[str, type[ew.UnaryOp]] = {
    "stablehlo.abs": ew.AbsOp,
    "stablehlo.cbrt": ew.CbrtOp,
    "stablehlo.ceil": ew.CeilOp,
    "stablehlo.cosine": ew.CosOp,
    "stablehlo.exponential": ew.ExpOp,
    "stablehlo.exponential_minus_one": ew.Expm1Op,
    "stablehlo.floor": ew.FloorOp,
    "stablehlo.log": ew.LogOp,
    "stablehlo.log_plus_one": ew.Log1pOp,
    "stablehlo.logistic": ew.LogisticOp,
    "stablehlo.negate": ew.NegOp,
    "stablehlo.not": ew.NotOp,
    "stablehlo.round_nearest_even": ew.RoundOp,
    "stablehlo.rsqrt": ew.RsqrtOp,
    "stablehlo.sine": ew.SinOp,
    "stablehlo.sqrt": ew.SqrtOp,
    "stablehlo.tan": ew.TanOp,
    "stablehlo.tanh": ew.TanhOp,
    "chlo.acos": ew.AcosOp,
    "chlo.acosh": ew.AcoshOp,
    "chlo.asin": ew.AsinOp,
    "chlo.asinh": ew.AsinhOp,
    "chlo.atan": ew.AtanOp,
    "chlo.atanh": ew.AtanhOp,
    "chlo.cosh": ew.CoshOp,
    "chlo.erf": ew.ErfOp,
    "chlo.erf_inv": ew.ErfinvOp,
    "chlo.erfc": ew.ErfcOp,
    "chlo.lgamma": ew.LgammaOp,
    "chlo.sinh": ew.SinhOp,
    "chlo.tan": ew.TanOp,
}

BINARY: dict[str, type[ew.BinaryOp]] = {
    "stablehlo.add": ew.AddOp,
    "stablehlo.and": ew.AndOp,
    "stablehlo.atan2": ew.Atan2Op,
    "stablehlo.multiply": ew.MulOp,
    "stablehlo.or": ew.OrOp,
    "stablehlo.power": ew.PowOp,
    "stablehlo.shift_left": ew.ShiftLeftOp,
    "stablehlo.shift_right_arithmetic": ew.ShiftRightOp,
    "stablehlo.subtract": ew.SubOp,
    "stablehlo.xor": ew.XorOp,
}

LOGICAL: dict[str, type[ew.BinaryOp]] = {
    "stablehlo.add": ew.OrOp,
    "stablehlo.maximum": ew.OrOp,
    "stablehlo.minimum": ew.AndOp,
    "stablehlo.multiply": ew.AndOp,
}
"""The ops for arithmetic on booleans."""

SIGNED: dict[str, type[ew.BinaryOp]] = {
    "stablehlo.divide": ew.DivOp,
    "stablehlo.remainder": ew.FmodOp,
    "stablehlo.maximum": ew.MaxOp,
    "stablehlo.minimum": ew.MinOp,
}
"""Ops that are others on unsigned integers."""

SPECIAL = {"chlo.bessel_i0e": "i0e", "chlo.bessel_i1e": "i1e", "chlo.zeta": "zeta"}

TESTS: dict[str, type[ew.FloatTestOp]] = {"stablehlo.is_finite": ew.IsFiniteOp}


def _unary(op_class: type[ew.UnaryOp], c: Converter, op: HloOp, o: list[Value]) -> Value:
    if is_unsigned(own_operands(op)[0].type) and op_class is ew.AbsOp:
        return o[0]
    return c.b.unary(op_class, o[0])


def _binary(c: Converter, op: HloOp, o: list[Value]) -> Value:
    x, y = o
    if x.type != y.type:
        raise ValueError(f"operands of types {own_operands(op)[0].type} and {own_operands(op)[1].type}")
    if element_of(x) == i1 and op.name in LOGICAL:
        return c.b.binary(LOGICAL[op.name], x, y)
    if op.name not in SIGNED:
        return c.b.binary(BINARY[op.name], x, y)
    op_class = SIGNED[op.name]
    if not is_unsigned(own_operands(op)[0].type):
        return c.b.binary(op_class, x, y)
    if op_class in (ew.MaxOp, ew.MinOp):
        less = _unsigned_compare(c.b, "lt", x, y)
        return c.b.select(less, y, x) if op_class is ew.MaxOp else c.b.select(less, x, y)
    if element_of(x) != i32:
        raise c.refuse(op, "the language has no division of unsigned integers of 64 bits")
    return c.b.convert(c.b.binary(op_class, _widened(c.b, x), _widened(c.b, y)), i32)


def _widened(b: ArrayBuilder, x: Value) -> Value:
    """An unsigned integer of 32 bits as i64."""
    wide = b.convert(x, i64)
    return b.binary(ew.AndOp, wide, b.splat(0xFFFFFFFF, wide.type))


def _unsigned_compare(b: ArrayBuilder, predicate: str, x: Value, y: Value) -> Value:
    """With the highest bit turned over, the order of unsigned integers is that of signed ones."""
    if predicate not in ("eq", "ne"):
        least = b.splat(-(2**31) if element_of(x) == i32 else -(2**63), x.type)
        x, y = b.binary(ew.XorOp, x, least), b.binary(ew.XorOp, y, least)
    return b.compare(predicate, x, y)


for _name, _op_class in UNARY.items():
    MEANINGS[_name] = cast(Meaning, partial(_unary, _op_class))
for _name in (*BINARY, *SIGNED):
    MEANINGS[_name] = _binary


@meaning(*TESTS)
def _test(c: Converter, op: HloOp, o: list[Value]) -> Value:
    return c.b.apply_elementwise(TESTS[op.name], o)


@meaning("chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf")
def _is_infinite(c: Converter, op: HloOp, o: list[Value]) -> Value:
    x = c.b.unary(ew.AbsOp, o[0]) if op.name == "chlo.is_inf" else o[0]
    infinity = -np.inf if op.name == "chlo.is_neg_inf" else np.inf
    return c.b.compare("eq", x, c.b.splat(infinity, x.type))


@meaning("stablehlo.constant")
def _constant(c: Converter, op: HloOp, _: list[Value]) -> Value:
    assert isinstance(op, ConstantOp)
    numbers, element = literal_of(op.value)
    if c.over is not None:
        if numbers.ndim:
            raise c.refuse(op, "an array in a region on scalars")
        return c.b.splat(numbers.item(), array_type(c.over, element))
    if numbers.size == 0:
        return c.b.zeros(array_type(numbers.shape, element))
    return c.b.constant(numbers, element)


@meaning("stablehlo.sign")
def _sign(c: Converter, _: HloOp, o: list[Value]) -> Value:
    x = o[0]
    if element_of(x) in FLOATS:
        return c.b.unary(ew.SignOp, x)
    one = c.b.splat(1, x.type)
    return c.b.binary(ew.MaxOp, c.b.binary(ew.MinOp, x, one), c.b.neg(one))


@meaning("stablehlo.round_nearest_afz")
def _round_away(c: Converter, _: HloOp, o: list[Value]) -> Value:
    b, x = c.b, o[0]
    size = b.unary(ew.AbsOp, x)
    whole = b.unary(ew.FloorOp, size)
    up = b.compare("ge", b.sub(size, whole), b.splat(0.5, x.type))
    return b.binary(ew.CopysignOp, b.select(up, b.add(whole, b.splat(1.0, x.type)), whole), x)


@meaning("chlo.square")
def _square(c: Converter, _: HloOp, o: list[Value]) -> Value:
    return c.b.mul(o[0], o[0])


@meaning("chlo.digamma")
def _digamma(c: Converter, _: HloOp, o: list[Value]) -> Value:
    return c.b.elementwise(ew.PolygammaOp, o, element_of(o[0]), {"order": integer(0)})


@meaning("chlo.polygamma")
def _polygamma(c: Converter, op: HloOp, o: list[Value]) -> Value:
    order = c.b.scalar_of(o[0])
    if order is None or order != int(order) or not 0 <= order <= ew.PolygammaOp.HIGHEST_ORDER:
        raise c.refuse(op, "the order must be a constant whole number from 0 to 100")
    return c.b.elementwise(ew.PolygammaOp, o[1:], element_of(o[1]), {"order": integer(int(order))})


@meaning(*SPECIAL)
def _special(c: Converter, op: HloOp, o: list[Value]) -> Value:
    function = {"function": StringAttr(SPECIAL[op.name])}
    return c.b.elementwise(ew.SpecialOp, o, element_of(o[0]), function)


@meaning("stablehlo.compare")
def _compare(c: Converter, op: HloOp, o: list[Value]) -> Value:
    assert isinstance(op, CompareOp)
    if o[0].type != o[1].type:
        raise ValueError(f"operands of types {own_operands(op)[0].type} and {own_operands(op)[1].type}")
    predicate = op.comparison_direction.data.lower()
    if op.compare_type is not None and op.compare_type.data == "TOTALORDER" and element_of(o[0]) in FLOATS:
        return _total_order(c.b, predicate, *o)
    if is_unsigned(own_operands(op)[0].type):
        return _unsigned_compare(c.b, predicate, *o)
    return c.b.compare(predicate, *o)


def _total_order(b: ArrayBuilder, predicate: str, x: Value, y: Value) -> Value:
    """Comparison with -0 before 0 and NaN, whatever its sign, behind all numbers."""
    if predicate in ("le", "ge"):
        return b.logical_not(_total_order(b, "gt" if predicate == "le" else "lt", x, y))
    if predicate == "gt":
        return _total_order(b, "lt", y, x)
    one = b.splat(1.0, x.type)
    signs = [b.binary(ew.CopysignOp, one, v) for v in (x, y)]
    no_numbers = [b.apply_elementwise(ew.IsNanOp, (v,)) for v in (x, y)]
    less = b.binary(
        ew.OrOp,
        b.compare("lt", x, y),
        b.logical_and(b.compare("eq", x, y), b.compare("lt", *signs)),
    )
    less = b.binary(ew.OrOp, less, b.logical_and(b.logical_not(no_numbers[0]), no_numbers[1]))
    if predicate == "lt":
        return less
    differs = b.binary(ew.OrOp, less, _total_order(b, "lt", y, x))
    return differs if predicate == "ne" else b.logical_not(differs)


@meaning("stablehlo.select")
def _select(c: Converter, _: HloOp, o: list[Value]) -> Value:
    condition, x, y = o
    if x.type != y.type:
        raise ValueError("the two choices differ in type")
    if shape_of(condition) != shape_of(x):
        condition = c.b.broadcast(condition, shape_of(x), ())
    return c.b.select(condition, x, y)


@meaning("stablehlo.clamp")
def _clamp(c: Converter, op: HloOp, o: list[Value]) -> Value:
    b, x = c.b, o[1]
    low, high = (v if v.type == x.type else b.broadcast(v, shape_of(x), ()) for v in (o[0], o[2]))
    if is_unsigned(own_operands(op)[1].type):
        raise c.refuse(op, "unsigned integers are not clamped")
    return b.binary(ew.MinOp, b.binary(ew.MaxOp, x, low), high)


@meaning("stablehlo.shift_right_logical")
def _shift_right_logical(c: Converter, _: HloOp, o: list[Value]) -> Value:
    """The arithmetic shift, without the copies of the sign: -1 shifted left by what is left of the width.

    By less than 0, or more than the width, as by all of it.
    """
    b, (x, by) = c.b, o
    width = 32 if element_of(x) == i32 else 64
    ones, most = b.splat(-1, x.type), b.splat(width, x.type)
    is_within = b.binary(ew.AndOp, b.compare("ge", by, b.zeros(x.type)), b.compare("lt", by, most))
    by = b.select(is_within, by, most)
    kept = b.unary(ew.NotOp, b.binary(ew.ShiftLeftOp, ones, b.sub(most, by)))
    return b.binary(ew.AndOp, b.binary(ew.ShiftRightOp, x, by), kept)


@meaning("stablehlo.convert")
def _convert(c: Converter, op: HloOp, o: list[Value]) -> Value:
    element = language_element(element_of(op.results[0].type))
    b, x = c.b, o[0]
    if is_unsigned(own_operands(op)[0].type) and element_of(x) != i1:
        if element_of(x) == i32 and element not in (i32, i1):
            return b.convert(_widened(b, x), element)
        if element_of(x) == i64 and element in FLOATS:
            # Half of it has the sign bit free; the bit that this loses is rounded away, but where it decides.
            half = b.binary(
                ew.AndOp, b.binary(ew.ShiftRightOp, x, b.splat(1, x.type)), b.splat(2**63 - 1, x.type)
            )
            odd = b.binary(ew.OrOp, half, b.binary(ew.AndOp, x, b.splat(1, x.type)))
            large = b.scaled(b.convert(odd, element), 2.0)
            return b.select(b.compare("lt", x, b.zeros(x.type)), large, b.convert(x, element))
    if is_unsigned(op.results[0].type) and element_of(x) in FLOATS:
        if element != i32:
            raise c.refuse(op, "floats are not converted to unsigned integers of 64 bits")
        return b.convert(b.convert(x, i64), i32)
    return b.convert(x, element)


@meaning("stablehlo.bitcast_convert")
def _bitcast(c: Converter, op: HloOp, o: list[Value]) -> Value:
    """Between integers the same bits; of integers as floats the number, from exponent and fraction."""
    b, x = c.b, o[0]
    result = language_type(op.results[0].type)
    source, target = element_of(x), element_of(result)
    if source == target:
        return x
    if (source, target) not in ((i64, f64), (i32, f32)):
        raise c.refuse(op, f"bits of {source} are not read as {target}")
    fraction_bits, exponents, bias = (52, 2048, 1023) if target == f64 else (23, 256, 127)
    powers = silent(np.ldexp)(1.0, np.arange(exponents) - bias)
    powers[0], powers[-1] = 0.0, np.inf
    exponent = b.binary(ew.ShiftRightOp, x, b.splat(fraction_bits, x.type))
    exponent = b.convert(b.binary(ew.AndOp, exponent, b.splat(exponents - 1, x.type)), i64)
    fraction = b.binary(ew.AndOp, x, b.splat(2**fraction_bits - 1, x.type))
    ratio = b.scaled(b.convert(fraction, target), 2.0**-fraction_bits)
    table = b.constant(powers, target)
    if shape_of(x):
        power = b.gather(table, shape_of(x), lambda *i: [b.index(exponent, i)])
    else:
        power = b.index(table, [exponent])
    size = b.mul(power, b.add(ratio, b.splat(1.0, ratio.type)))
    return b.select(b.compare("lt", x, b.zeros(x.type)), b.neg(size), size)


@meaning("stablehlo.popcnt")
def _popcount(c: Converter, _: HloOp, o: list[Value]) -> Value:
    b, x = c.b, o[0]
    width = cast("IntegerType", element_of(x)).width.data
    one, total = b.splat(1, x.type), b.zeros(x.type)
    for k in range(width):
        total = b.add(total, b.binary(ew.AndOp, b.binary(ew.ShiftRightOp, x, b.splat(k, x.type)), one))
    return total


@meaning("stablehlo.reduce_precision")
def _reduce_precision(c: Converter, op: HloOp, o: list[Value]) -> Value:
    exponent, mantissa = number(op, "exponent_bits"), number(op, "mantissa_bits")
    element = element_of(o[0])
    if (exponent, mantissa) == ((11, 52) if element == f64 else (8, 23)):
        return o[0]
    if element == f64 and (exponent, mantissa) == (8, 23):
        return c.b.convert(c.b.convert(o[0], f32), f64)
    raise c.refuse(op, f"no rounding to {exponent} bits of exponent and {mantissa} of fraction")


@meaning("stablehlo.real")
def _real(c: Converter, op: HloOp, o: list[Value]) -> Value:
    if element_of(own_operands(op)[0].type) not in FLOATS:
        raise c.refuse(op, "the language has no complex numbers")
    return o[0]
