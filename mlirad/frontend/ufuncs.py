"""NumPy's and SciPy's ufuncs on traced arrays.

Operands are converted to the dtypes of the loop that NumPy would run, broadcast, and handed to the ufunc's
line in `MEANINGS`: a function of the builder and one value per operand, all of one shape. An operator is the
same ufunc, but between Python scalars it gives a Python scalar, whose dtype stays weak.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import Any, TypeAlias, cast

import numpy as np
from scipy import special

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, integer, is_boolean, is_float
from mlirad.errors import DtypeError, UnsupportedError
from mlirad.frontend.dtypes import loop_dtypes
from mlirad.frontend.frames import emitting
from mlirad.frontend.operations import (
    Operand,
    broadcast_shapes,
    broadcast_value,
    kind_of,
    made,
    operand_of,
    shape_of_operand,
    value_of,
)
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array, handlers
from mlirad.ir.arrays import ArrayBuilder

Unary: TypeAlias = Callable[[ArrayBuilder, Value], Value]
Binary: TypeAlias = Callable[[ArrayBuilder, Value, Value], Value]

MAX_UNROLLED_POWER = 32
"""Up to this exponent an integer power is a product, beyond it `pow`."""


def apply_operator(ufunc: np.ufunc, *inputs: Any) -> Any:
    """A Python operator on traced operands; `NotImplemented` for operands that are no arrays."""
    if any(x is None or isinstance(x, str | dict | set) or callable(x) for x in inputs):
        return NotImplemented
    return apply(ufunc, inputs, is_operator=True)


def apply(ufunc: np.ufunc, inputs: tuple[Any, ...], *, is_operator: bool = False) -> Any:
    """The ufunc on traced and concrete operands."""
    special_case = SPECIAL.get(ufunc)
    operands = [operand_of(x) for x in inputs]
    if special_case is not None:
        done = special_case(*operands)
        if done is not None:
            return done
    meaning = cast("Callable[..., Value] | None", MEANINGS.get(ufunc))
    if meaning is None:
        raise UnsupportedError(
            f"np.{ufunc.__name__} cannot be traced",
            location=user_line(),
            hint="write it with other functions, or compute it outside if it depends on no traced value",
        )
    kinds = tuple(kind_of(o) for o in operands)
    dtypes = loop_dtypes(ufunc, kinds)
    b = emitting()
    values = [value_of(o, d) for o, d in zip(operands, dtypes, strict=False)]
    shape = broadcast_shapes([shape_of_operand(o) for o in operands], f"np.{ufunc.__name__}")
    result = meaning(b, *(broadcast_value(b, v, shape) for v in values))
    result = b.convert(result, ELEMENT_TYPES[dtypes[-1]])
    return made(result, weak=is_operator and not any(isinstance(k, np.dtype) for k in kinds))


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__`."""
    out = options.pop("out", None)
    if out is not None and any(o is not None for o in out):
        raise UnsupportedError(
            f"np.{ufunc.__name__} cannot write a traced value into an existing array",
            location=user_line(),
            hint="write a = a + x for a += x on a NumPy array, or start from a traced one: ad.asarray(a)",
        )
    where = options.pop("where", True)
    dtype = options.pop("dtype", None)
    if method == "reduce":
        return _reduce(ufunc, inputs[0], where=where, dtype=dtype, **options)
    if options:
        raise UnsupportedError(
            f"np.{ufunc.__name__} is traced without the options {', '.join(options)}", location=user_line()
        )
    if method == "outer":
        left, right = inputs
        shape = (*np.shape(left), *[1] * np.ndim(right))
        return apply(ufunc, (np.reshape(left, shape), right))
    if method != "__call__":
        raise UnsupportedError(f"np.{ufunc.__name__}.{method} cannot be traced", location=user_line())
    if where is not True:
        raise UnsupportedError(
            f"np.{ufunc.__name__} is traced without `where`",
            location=user_line(),
            hint="write np.where(condition, result, other)",
        )
    if dtype is not None:
        inputs = tuple(np.asarray(x, dtype) if not isinstance(x, Array) else x.astype(dtype) for x in inputs)
    return apply(ufunc, inputs)


_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}


def _reduce(
    ufunc: np.ufunc, x: Any, *, axis: Any = 0, where: Any = True, dtype: Any = None, **options: Any
) -> Any:
    function = _REDUCTIONS.get(ufunc)
    if function is None:
        raise UnsupportedError(f"np.{ufunc.__name__}.reduce cannot be traced", location=user_line())
    if where is not True:
        options["where"] = where
    if dtype is not None:
        options["dtype"] = dtype
    return function(x, axis=axis, **options)


# Powers ------------------------------------------------------------------------------------------


def _power(base: Operand, exponent: Operand) -> Array | None:
    """Integer powers by multiplication, square roots by `sqrt`; `None` for all others."""
    if isinstance(exponent, np.ndarray) and exponent.ndim == 0:
        number = exponent.item()
    elif isinstance(exponent, int | float):
        number = exponent
    else:
        return None
    kinds = (kind_of(base), kind_of(exponent))
    dtype = loop_dtypes(np.power, kinds)[-1]
    weak = not any(isinstance(k, np.dtype) for k in kinds)
    b = emitting()
    x = value_of(base, dtype)
    if dtype.kind == "i" and number < 0:
        raise DtypeError(
            f"an integer to the negative power {number}",
            location=user_line(),
            hint="write x ** float, or convert x with x.astype(np.float64)",
        )
    if dtype.kind not in "fi":
        return None
    if dtype.kind == "f" and number in (0.5, -0.5):
        return made(b.unary(ew.SqrtOp if number > 0 else ew.RsqrtOp, x), weak=weak)
    if number != int(number) or abs(number) > MAX_UNROLLED_POWER:
        return None
    power = integer_power(b, x, abs(int(number)))
    if number < 0:
        power = b.div(b.splat(1, power.type), power)
    return made(power, weak=weak)


def integer_power(b: ArrayBuilder, x: Value, exponent: int) -> Value:
    """x to a natural number, by repeated squaring."""
    result: Value | None = None
    while exponent:
        if exponent & 1:
            result = x if result is None else b.mul(result, x)
        exponent >>= 1
        if exponent:
            x = b.mul(x, x)
    return b.splat(1, x.type) if result is None else result


def _divmod(x: Operand, y: Operand) -> tuple[Any, Any]:
    return apply(np.floor_divide, (x, y), is_operator=True), apply(np.remainder, (x, y), is_operator=True)


def _matmul(x: Operand, y: Operand) -> Any:
    return handlers.function(np.matmul, (x, y), {})


SPECIAL: dict[np.ufunc, Callable[..., Any]] = {
    np.power: _power,
    np.divmod: _divmod,
    np.matmul: _matmul,
}
"""Ufuncs with more to say than their meaning on values; `None` sends the ufunc on to its meaning."""


# Meanings ----------------------------------------------------------------------------------------


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
    """Whether each element differs from 0."""
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


def _x_times_log(op: type[ew.UnaryOp]) -> Binary:
    def meaning(b: ArrayBuilder, x: Value, y: Value) -> Value:
        zero = b.logical_and(b.compare("eq", x, b.zeros(x.type)), b.logical_not(_is_nan(b, y)))
        return b.select(zero, b.zeros(x.type), b.mul(x, b.unary(op, y)))

    return meaning


def _logit(b: ArrayBuilder, x: Value) -> Value:
    return b.sub(b.unary(ew.LogOp, x), b.unary(ew.Log1pOp, b.neg(x)))


def _digamma(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.PolygammaOp, (x,), {"order": integer(0)})


def _special(name: str) -> np.ufunc:
    return cast(np.ufunc, getattr(special, name))


MEANINGS: dict[np.ufunc, Unary | Binary] = {
    np.negative: _unary(ew.NegOp),
    np.positive: lambda b, x: x,
    np.conjugate: lambda b, x: x,
    np.absolute: _absolute,
    np.fabs: _absolute,
    np.sign: _unary(ew.SignOp),
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
    _special("erf"): _unary(ew.ErfOp),
    _special("erfc"): _unary(ew.ErfcOp),
    _special("erfinv"): _unary(ew.ErfinvOp),
    _special("gammaln"): _unary(ew.LgammaOp),
    _special("psi"): _digamma,
    _special("expit"): _unary(ew.LogisticOp),
    _special("log_expit"): lambda b, x: b.neg(b.unary(ew.SoftplusOp, b.neg(x))),
    _special("logit"): _logit,
    _special("xlogy"): _x_times_log(ew.LogOp),
    _special("xlog1py"): _x_times_log(ew.Log1pOp),
    _special("expm1"): _unary(ew.Expm1Op),
    _special("log1p"): _unary(ew.Log1pOp),
    _special("exp2"): _unary(ew.Exp2Op),
    _special("cbrt"): _unary(ew.CbrtOp),
}
"""Every ufunc that can be traced. The operands are of one shape and of the dtypes of NumPy's loop."""

handlers.ufunc = apply_ufunc
handlers.operator = apply_operator
