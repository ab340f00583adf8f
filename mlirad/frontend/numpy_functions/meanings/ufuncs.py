"""The meaning of each ufunc: array code on operands of one shape and of the dtypes of NumPy's loop.

meaning_of(np.hypot)       a function of the builder and one value per operand
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import log, pi
from typing import TypeAlias

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, is_boolean, is_float
from mlirad.frontend.numpy_functions.meanings import digits
from mlirad.frontend.numpy_functions.meanings.special import SPECIAL_MEANINGS, Meaning
from mlirad.ir.arrays import ArrayBuilder
from mlirad.packages import scipy_module

Unary: TypeAlias = Callable[[ArrayBuilder, Value], Value]
Binary: TypeAlias = Callable[[ArrayBuilder, Value, Value], Value]
Splitting: TypeAlias = Callable[[ArrayBuilder, Value], tuple[Value, Value]]


def _unary(op: type[ew.UnaryOp]) -> Unary:
    return lambda b, x: b.unary(op, x)


def _binary(op: type[ew.BinaryOp]) -> Binary:
    return lambda b, x, y: b.binary(op, x, y)


def _compare(predicate: str) -> Binary:
    return lambda b, x, y: b.compare(predicate, x, y)


def _rounding(op: type[ew.UnaryOp]) -> Unary:
    """Rounding leaves integers and booleans alone."""
    return lambda b, x: b.unary(op, x) if is_float(x) else x


def _or_logical(op: type[ew.BinaryOp], logical: type[ew.BinaryOp]) -> Binary:
    """An arithmetic op whose meaning on booleans is a logical one."""
    return lambda b, x, y: b.binary(logical if is_boolean(x) else op, x, y)


def _logical(op: type[ew.BinaryOp]) -> Binary:
    def meaning(b: ArrayBuilder, x: Value, y: Value) -> Value:
        return b.binary(op, truth(b, x), truth(b, y))

    return meaning


def _ignoring_nan(op: type[ew.BinaryOp], logical: type[ew.BinaryOp]) -> Binary:
    both = _or_logical(op, logical)

    def meaning(b: ArrayBuilder, x: Value, y: Value) -> Value:
        if not is_float(x):
            return both(b, x, y)
        first = b.select(_is_nan(b, y), x, both(b, x, y))
        return b.select(_is_nan(b, x), y, first)

    return meaning


def _scaled_by(factor: float) -> Unary:
    return lambda b, x: b.scaled(x, factor)


def truth(b: ArrayBuilder, x: Value) -> Value:
    """Return whether each element differs from 0."""
    return x if is_boolean(x) else b.compare("ne", x, b.splat(0, x.type))


def _is_nan(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsNanOp, (x,))


def _is_finite(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsFiniteOp, (x,))


def _float_test(test: Unary, otherwise: bool) -> Unary:
    """A property of floats, decided for integers and booleans."""

    def meaning(b: ArrayBuilder, x: Value) -> Value:
        return test(b, x) if is_float(x) else b.splat(otherwise, b.compare("eq", x, x).type)

    return meaning


def _is_infinite(b: ArrayBuilder, x: Value) -> Value:
    return b.compare("eq", b.unary(ew.AbsOp, x), b.splat(np.inf, x.type))


def _absolute(b: ArrayBuilder, x: Value) -> Value:
    return x if is_boolean(x) else b.unary(ew.AbsOp, x)


def _logarithm_of_sum(factor: float) -> Binary:
    """log(exp(c x) + exp(c y)) / c, by the larger plus a softplus of the (non-positive) difference."""

    def meaning(b: ArrayBuilder, x: Value, y: Value) -> Value:
        ordered = b.compare("ge", x, y)
        high, low = b.select(ordered, x, y), b.select(ordered, y, x)
        equal_infinities = b.logical_and(b.compare("eq", x, y), b.logical_not(_is_finite(b, x)))
        gap = b.select(equal_infinities, b.zeros(x.type), b.sub(low, high))
        excess = b.unary(ew.SoftplusOp, b.scaled(gap, factor))
        return b.add(high, b.scaled(excess, 1 / factor))

    return meaning


def _heaviside(b: ArrayBuilder, x: Value, at_zero: Value) -> Value:
    zero, one = b.zeros(x.type), b.splat(1, x.type)
    step = b.select(b.compare("lt", x, zero), zero, b.select(b.compare("eq", x, zero), at_zero, one))
    return b.select(_is_nan(b, x), x, step)


def _sign(b: ArrayBuilder, x: Value) -> Value:
    """The sign, as NumPy has it: that of -0 is 0."""
    sign = b.unary(ew.SignOp, x)
    return b.add(sign, b.zeros(x.type)) if is_float(x) else sign


MEANINGS: dict[np.ufunc, Unary | Binary | Splitting] = {
    np.negative: _unary(ew.NegOp),
    np.positive: lambda b, x: x,
    np.conjugate: lambda b, x: x,
    np.absolute: _absolute,
    np.fabs: _absolute,
    np.sign: _sign,
    np.exp: _unary(ew.ExpOp),
    np.exp2: _unary(ew.Exp2Op),
    np.expm1: _unary(ew.Expm1Op),
    np.log: _unary(ew.LogOp),
    np.log2: _unary(ew.Log2Op),
    np.log10: lambda b, x: b.scaled(b.unary(ew.LogOp, x), 1 / log(10)),
    np.log1p: _unary(ew.Log1pOp),
    np.sqrt: _unary(ew.SqrtOp),
    np.cbrt: _unary(ew.CbrtOp),
    np.square: lambda b, x: b.mul(x, x) if not is_boolean(x) else x,
    np.reciprocal: lambda b, x: b.div(b.splat(1, x.type), x),
    np.sin: _unary(ew.SinOp),
    np.cos: _unary(ew.CosOp),
    np.tan: _unary(ew.TanOp),
    np.arcsin: _unary(ew.AsinOp),
    np.arccos: _unary(ew.AcosOp),
    np.arctan: _unary(ew.AtanOp),
    np.sinh: _unary(ew.SinhOp),
    np.cosh: _unary(ew.CoshOp),
    np.tanh: _unary(ew.TanhOp),
    np.arcsinh: _unary(ew.AsinhOp),
    np.arccosh: _unary(ew.AcoshOp),
    np.arctanh: _unary(ew.AtanhOp),
    np.deg2rad: _scaled_by(pi / 180),
    np.radians: _scaled_by(pi / 180),
    np.rad2deg: _scaled_by(180 / pi),
    np.degrees: _scaled_by(180 / pi),
    np.floor: _rounding(ew.FloorOp),
    np.ceil: _rounding(ew.CeilOp),
    np.rint: _rounding(ew.RoundOp),
    np.trunc: _rounding(ew.TruncOp),
    np.isfinite: _float_test(_is_finite, True),
    np.isnan: _float_test(_is_nan, False),
    np.isinf: _float_test(_is_infinite, False),
    np.signbit: lambda b, x: b.compare("lt", b.binary(ew.CopysignOp, b.splat(1, x.type), x), b.zeros(x.type)),
    np.logical_not: lambda b, x: b.logical_not(truth(b, x)),
    np.invert: _unary(ew.NotOp),
    np.add: _or_logical(ew.AddOp, ew.OrOp),
    np.subtract: _binary(ew.SubOp),
    np.multiply: _or_logical(ew.MulOp, ew.AndOp),
    np.true_divide: _binary(ew.DivOp),
    np.floor_divide: _binary(ew.FloorDivOp),
    np.remainder: _binary(ew.RemOp),
    np.fmod: _binary(ew.FmodOp),
    np.power: _binary(ew.PowOp),
    np.float_power: _binary(ew.PowOp),
    np.arctan2: _binary(ew.Atan2Op),
    np.hypot: _binary(ew.HypotOp),
    np.maximum: _or_logical(ew.MaxOp, ew.OrOp),
    np.minimum: _or_logical(ew.MinOp, ew.AndOp),
    np.fmax: _ignoring_nan(ew.MaxOp, ew.OrOp),
    np.fmin: _ignoring_nan(ew.MinOp, ew.AndOp),
    np.copysign: _binary(ew.CopysignOp),
    np.heaviside: _heaviside,
    np.gcd: digits.gcd,
    np.lcm: digits.lcm,
    np.ldexp: digits.ldexp,
    np.frexp: digits.frexp,
    np.spacing: digits.spacing,
    np.nextafter: digits.nextafter,
    np.logaddexp: _logarithm_of_sum(1.0),
    np.logaddexp2: _logarithm_of_sum(log(2)),
    np.logical_and: _logical(ew.AndOp),
    np.logical_or: _logical(ew.OrOp),
    np.logical_xor: _logical(ew.XorOp),
    np.bitwise_and: _binary(ew.AndOp),
    np.bitwise_or: _binary(ew.OrOp),
    np.bitwise_xor: _binary(ew.XorOp),
    np.left_shift: _binary(ew.ShiftLeftOp),
    np.right_shift: _binary(ew.ShiftRightOp),
    np.equal: _compare("eq"),
    np.not_equal: _compare("ne"),
    np.less: _compare("lt"),
    np.less_equal: _compare("le"),
    np.greater: _compare("gt"),
    np.greater_equal: _compare("ge"),
}
"""The ufuncs of NumPy. The operands are of one shape and of the dtypes of NumPy's loop."""

SCIPY_SPECIAL = "scipy.special"
"""The module of the ufuncs in `special.py`."""


def meaning_of(ufunc: np.ufunc) -> Meaning | None:
    """Return what a ufunc means, `None` for one that cannot be traced."""
    found = MEANINGS.get(ufunc)
    if found is not None:
        return found
    name = name_in_special(ufunc)
    return SPECIAL_MEANINGS.get(name) if name is not None else None


def name_in_special(ufunc: np.ufunc) -> str | None:
    """The name of a ufunc in `scipy.special`, `None` for one that is not from there."""
    # A ufunc of SciPy's comes from its module, which so has been imported.
    special = sys.modules.get(SCIPY_SPECIAL)
    name = ufunc.__name__
    return name if special is not None and getattr(special, name, None) is ufunc else None


def all_meanings() -> dict[np.ufunc, Meaning]:
    """Every ufunc that can be traced; imports `scipy.special`."""
    special = scipy_module("special")
    return MEANINGS | {
        getattr(special, name): meaning
        for name, meaning in SPECIAL_MEANINGS.items()
        if hasattr(special, name)
    }
