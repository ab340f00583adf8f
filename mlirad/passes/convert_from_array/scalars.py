"""Elementwise ops as formulas of `arith` and `math` on scalars, with the meanings of the array dialect.

    array.tanh               ->  math.tanh
    array.div on integers    ->  arith.divsi between guards: by 0 it gives 0, by -1 it wraps
    array.erfc               ->  a call of the C library's erfc

Ops that are total here and undefined upstream are guarded by `arith.select`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, f64, i1
from xdsl.ir import Attribute

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, element_of, is_boolean, is_float
from mlirad.dialects.upstream import C_FUNCTIONS, RemFOp
from mlirad.passes.convert_from_array.emitter import Emitter

Formula: TypeAlias = Callable[..., Value]
"""From the emitter and scalar operands to the result."""

_Unary: TypeAlias = Callable[[Emitter, Value], Value]
_Binary: TypeAlias = Callable[[Emitter, Value, Value], Value]


def _width(type_: Attribute) -> int:
    return cast(Any, type_).width.data


def compare(u: Emitter, predicate: str, x: Value, y: Value) -> Value:
    """The comparison by the predicates of the array dialect, which say nothing of signs or of NaN."""
    if is_float(x):
        return u.op(arith.CmpfOp, x, y, ("u" if predicate == "ne" else "o") + predicate)
    sign = "" if predicate in ("eq", "ne") else "u" if is_boolean(x) else "s"
    return u.op(arith.CmpiOp, x, y, sign + predicate)


def _compare_by(predicate: str, u: Emitter, x: Value, y: Value) -> Value:
    return compare(u, predicate, x, y)


def _to_number(u: Emitter, predicate: str, x: Value, number: float) -> Value:
    return compare(u, predicate, x, u.constant(number, x.type))


def _select(u: Emitter, condition: Value, x: Value, y: Value) -> Value:
    return u.op(arith.SelectOp, condition, x, y)


def _chosen(u: Emitter, condition: Value, number: float, y: Value) -> Value:
    return _select(u, condition, u.constant(number, y.type), y)


def _by_kind(floats: type[Any], integers: type[Any]) -> _Binary:
    return lambda u, x, y: u.op(floats if is_float(x) else integers, x, y)


def _unary(op_class: type[Any]) -> _Unary:
    return lambda u, x: u.op(op_class, x)


def _binary(op_class: type[Any]) -> _Binary:
    return lambda u, x, y: u.op(op_class, x, y)


def _same(u: Emitter, x: Value) -> Value:
    return x


def _deviation(u: Emitter, x: Value) -> Value:
    return u.constant(-0.0, x.type)


def _neg(u: Emitter, x: Value) -> Value:
    return u.op(arith.NegfOp, x) if is_float(x) else u.op(arith.SubiOp, u.constant(0, x.type), x)


def _abs(u: Emitter, x: Value) -> Value:
    return u.op(math.AbsFOp if is_float(x) else math.AbsIOp, x)


def _sign(u: Emitter, x: Value) -> Value:
    one = u.constant(1, x.type)
    if not is_float(x):
        return u.op(arith.MaxSIOp, u.op(arith.MinSIOp, x, one), u.constant(-1, x.type))
    unequal = u.op(arith.CmpfOp, x, u.constant(0, x.type), "one")
    return _select(u, unequal, u.op(math.CopySignOp, one, x), x)


def _logistic(u: Emitter, x: Value) -> Value:
    one = u.constant(1, x.type)
    return u.op(arith.DivfOp, one, u.op(arith.AddfOp, one, u.op(math.ExpOp, u.op(arith.NegfOp, x))))


def _logistic_slope(u: Emitter, x: Value, y: Value) -> Value:
    """e / (1 + e)^2 with e = e^-|x|."""
    e = u.op(math.ExpOp, u.op(arith.NegfOp, u.op(math.AbsFOp, x)))
    total = u.op(arith.AddfOp, u.constant(1, x.type), e)
    return u.op(arith.DivfOp, u.op(arith.DivfOp, e, total), total)


def _tanh_slope(u: Emitter, x: Value, y: Value) -> Value:
    """The slope of tanh(x) = 2 logistic(2 x) - 1."""
    slope = _logistic_slope(u, u.op(arith.MulfOp, u.constant(2, x.type), x), y)
    return u.op(arith.MulfOp, u.constant(4, x.type), slope)


def _softplus(u: Emitter, x: Value) -> Value:
    """max(x, 0) + log(1 + e^-|x|)."""
    rest = u.op(math.Log1pOp, u.op(math.ExpOp, u.op(arith.NegfOp, u.op(math.AbsFOp, x))))
    return u.op(arith.AddfOp, u.op(arith.MaximumfOp, x, u.constant(0, x.type)), rest)


def _not(u: Emitter, x: Value) -> Value:
    return u.op(arith.XOrIOp, x, u.constant(-1 if not is_boolean(x) else True, x.type))


def _is_finite(u: Emitter, x: Value) -> Value:
    return _to_number(u, "lt", u.op(math.AbsFOp, x), np.inf)


def is_nan(u: Emitter, x: Value) -> Value:
    """Return whether a scalar is NaN; no integer is."""
    return u.op(arith.CmpfOp, x, x, "uno") if is_float(x) else u.constant(False, i1)


def _absorbing_mul(u: Emitter, k: Value, dx: Value) -> Value:
    either = u.op(arith.OrIOp, _to_number(u, "eq", k, 0), _to_number(u, "eq", dx, 0))
    return _chosen(u, either, 0, u.op(arith.MulfOp, k, dx))


# Division ------------------------------------------------------------------------------------------


def _guarded(u: Emitter, y: Value) -> Value:
    """The divisor with 0 and -1, on which division traps, replaced by 1."""
    trivial = u.op(arith.OrIOp, _to_number(u, "eq", y, 0), _to_number(u, "eq", y, -1))
    return _chosen(u, trivial, 1, y)


def _quotient(u: Emitter, op_class: type[Any], x: Value, y: Value) -> Value:
    quotient = u.op(op_class, x, _guarded(u, y))
    return _chosen(
        u, _to_number(u, "eq", y, 0), 0, _select(u, _to_number(u, "eq", y, -1), _neg(u, x), quotient)
    )


def _div(u: Emitter, x: Value, y: Value) -> Value:
    return u.op(arith.DivfOp, x, y) if is_float(x) else _quotient(u, arith.DivSIOp, x, y)


def _fmod(u: Emitter, x: Value, y: Value) -> Value:
    return u.op(RemFOp, x, y) if is_float(x) else u.op(arith.RemSIOp, x, _guarded(u, y))


def _signs_differ(u: Emitter, x: Value, y: Value) -> Value:
    return u.op(arith.XOrIOp, _to_number(u, "lt", x, 0), _to_number(u, "lt", y, 0))


def _rem(u: Emitter, x: Value, y: Value) -> Value:
    """The remainder of truncated division, moved by y where it has another sign than y."""
    rest = _fmod(u, x, y)
    moved = _by_kind(arith.AddfOp, arith.AddiOp)(u, rest, y)
    is_zero = _to_number(u, "eq", rest, 0)
    away = u.op(arith.AndIOp, _not(u, is_zero), _signs_differ(u, rest, y))
    if is_float(x):
        rest = _select(u, is_zero, u.op(math.CopySignOp, u.constant(0, y.type), y), rest)
    return _select(u, away, moved, rest)


def _floor_div(u: Emitter, x: Value, y: Value) -> Value:
    """The quotient, for floats as NumPy makes it: from the remainder, to the nearest integer."""
    if not is_float(x):
        return _quotient(u, arith.FloorDivSIOp, x, y)
    rest, one, zero = _fmod(u, x, y), u.constant(1, x.type), u.constant(0, x.type)
    whole = u.op(arith.DivfOp, u.op(arith.SubfOp, x, rest), y)
    away = u.op(arith.AndIOp, _to_number(u, "ne", rest, 0), _signs_differ(u, rest, y))
    whole = _select(u, away, u.op(arith.SubfOp, whole, one), whole)
    floor = u.op(math.FloorOp, whole)
    above = _to_number(u, "gt", u.op(arith.SubfOp, whole, floor), 0.5)
    near = _select(u, above, u.op(arith.AddfOp, floor, one), floor)
    quotient = u.op(arith.DivfOp, x, y)
    near = _select(u, _to_number(u, "eq", whole, 0), u.op(math.CopySignOp, zero, quotient), near)
    return _select(u, _to_number(u, "eq", y, 0), quotient, near)


def _pow(u: Emitter, x: Value, y: Value) -> Value:
    if is_float(x):
        return u.op(math.PowFOp, x, y)
    power = u.op(math.IPowIOp, x, u.op(arith.MaxSIOp, y, u.constant(0, y.type)))
    return _chosen(u, _to_number(u, "lt", y, 0), 0, power)


def _within(u: Emitter, y: Value, bound: int) -> Value:
    return u.op(arith.CmpiOp, y, u.constant(bound, y.type), "ult")


def _shift_left(u: Emitter, x: Value, y: Value) -> Value:
    inside = _within(u, y, _width(x.type))
    zero = u.constant(0, x.type)
    return _select(u, inside, u.op(arith.ShLIOp, x, _select(u, inside, y, zero)), zero)


def _shift_right(u: Emitter, x: Value, y: Value) -> Value:
    most = _width(x.type) - 1
    bounded = _select(u, _within(u, y, most), y, u.constant(most, y.type))
    return u.op(arith.ShRSIOp, x, bounded)


# Conversion ----------------------------------------------------------------------------------------


def convert(u: Emitter, x: Value, element: Attribute) -> Value:
    """A scalar converted to another element type: out of range to the nearest integer, NaN to 0."""
    if x.type == element:
        return x
    if element == i1:
        return _to_number(u, "ne", x, 0)
    if is_float(x) and is_float(element_of(element)):
        return u.op(arith.ExtFOp if element == f64 else arith.TruncFOp, x, element)
    if is_float(x):
        return _to_integer(u, x, element)
    if is_float(element_of(element)):
        return u.op(arith.UIToFPOp if is_boolean(x) else arith.SIToFPOp, x, element)
    if _width(element) < _width(x.type):
        return u.op(arith.TruncIOp, x, element)
    return u.op(arith.ExtUIOp if is_boolean(x) else arith.ExtSIOp, x, element)


def _to_integer(u: Emitter, x: Value, element: Attribute) -> Value:
    least = -(2 ** (_width(element) - 1))
    above, below = _to_number(u, "ge", x, -least), _to_number(u, "le", x, least)
    outside = u.op(arith.OrIOp, u.op(arith.OrIOp, above, below), is_nan(u, x))
    inside = u.op(arith.FPToSIOp, _chosen(u, outside, 0, x), element)
    inside = _chosen(u, below, least, inside)
    return _chosen(u, above, -least - 1, inside)


def _c_function(name: str) -> Formula:
    """A function of the C library, for 32 bits the one whose name ends in f."""

    def formula(u: Emitter, *operands: Value) -> Value:
        type_ = operands[0].type
        return u.call_c(name + ("f" if type_ == f32 else ""), operands, type_)

    return formula


FORMULAS: dict[type[ew.ElementwiseOp], Formula] = {
    ew.NegOp: _neg,
    ew.AbsOp: _abs,
    ew.SignOp: _sign,
    ew.ExpOp: _unary(math.ExpOp),
    ew.Exp2Op: _unary(math.Exp2Op),
    ew.Expm1Op: _unary(math.ExpM1Op),
    ew.LogOp: _unary(math.LogOp),
    ew.Log2Op: _unary(math.Log2Op),
    ew.Log1pOp: _unary(math.Log1pOp),
    ew.SqrtOp: _unary(math.SqrtOp),
    ew.RsqrtOp: _unary(math.RsqrtOp),
    ew.CbrtOp: _unary(math.CbrtOp),
    ew.SinOp: _unary(math.SinOp),
    ew.CosOp: _unary(math.CosOp),
    ew.TanOp: _unary(math.TanOp),
    ew.AsinOp: _unary(math.AsinOp),
    ew.AcosOp: _unary(math.AcosOp),
    ew.AtanOp: _unary(math.AtanOp),
    ew.SinhOp: _unary(math.SinhOp),
    ew.CoshOp: _unary(math.CoshOp),
    ew.TanhOp: _unary(math.TanhOp),
    ew.AsinhOp: _unary(math.AsinhOp),
    ew.AcoshOp: _unary(math.AcoshOp),
    ew.AtanhOp: _unary(math.AtanhOp),
    ew.ErfOp: _unary(math.ErfOp),
    ew.LogisticOp: _logistic,
    ew.SoftplusOp: _softplus,
    ew.FloorOp: _unary(math.FloorOp),
    ew.CeilOp: _unary(math.CeilOp),
    ew.RoundOp: _unary(math.RoundEvenOp),
    ew.TruncOp: _unary(math.TruncOp),
    ew.NotOp: _not,
    ew.StopGradientOp: _same,
    ew.DeviationOp: _deviation,
    ew.IsFiniteOp: _is_finite,
    ew.IsNanOp: is_nan,
    ew.AddOp: _by_kind(arith.AddfOp, arith.AddiOp),
    ew.SubOp: _by_kind(arith.SubfOp, arith.SubiOp),
    ew.MulOp: _by_kind(arith.MulfOp, arith.MuliOp),
    ew.AbsorbingMulOp: _absorbing_mul,
    ew.DivOp: _div,
    ew.PowOp: _pow,
    ew.Atan2Op: _binary(math.Atan2Op),
    ew.TanhSlopeOp: _tanh_slope,
    ew.LogisticSlopeOp: _logistic_slope,
    ew.MaxOp: _by_kind(arith.MaximumfOp, arith.MaxSIOp),
    ew.MinOp: _by_kind(arith.MinimumfOp, arith.MinSIOp),
    ew.RemOp: _rem,
    ew.FloorDivOp: _floor_div,
    ew.FmodOp: _fmod,
    ew.CopysignOp: _binary(math.CopySignOp),
    ew.AndOp: _binary(arith.AndIOp),
    ew.OrOp: _binary(arith.OrIOp),
    ew.XorOp: _binary(arith.XOrIOp),
    ew.ShiftLeftOp: _shift_left,
    ew.ShiftRightOp: _shift_right,
    ew.SelectOp: _select,
    **{op_class: _c_function(name) for name, op_class in C_FUNCTIONS.items()},
}
"""Elementwise ops without properties."""


def formula_of(op: ew.ElementwiseOp) -> Formula:
    """Return what an elementwise op makes of scalars."""
    match op:
        case ew.CompareOp():
            predicate = op.predicate.data
            return partial(_compare_by, predicate)
        case ew.ConvertOp():
            element = element_of(op.results[0])
            return partial(convert, element=element)
        case _:
            return FORMULAS[type(op)]
