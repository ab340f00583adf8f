"""What each ufunc of `scipy.special` means: array code on operands of one shape.

    SPECIAL_MEANINGS["xlogy"]       a function of the builder and one value per operand

Those without a line of their own are `array.special`, which SciPy computes. Orders that NumPy's loops take as
integers become floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi
from typing import Any, Final, TypeAlias

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.special_functions import RESULTS_OF, SPECIAL_FUNCTIONS
from mlirad.dialects.shapes import Value, element_of, integer, is_float, keyword
from mlirad.ir.arrays import ArrayBuilder

Meaning: TypeAlias = Callable[..., Any]
"""A function of the builder and the operands; a ufunc of several results has a tuple of them."""


def special(b: ArrayBuilder, function: str, *operands: Value) -> Value:
    """`array.special` on operands of one shape; integers become floats."""
    element = next(element_of(o) for o in reversed(operands) if is_float(o))
    floats = [b.convert(o, element) for o in operands]
    return b.apply_elementwise(ew.SpecialOp, floats, {"function": keyword(function)})


def _several(names: tuple[str, ...], b: ArrayBuilder, *operands: Value) -> tuple[Value, ...]:
    return tuple(special(b, name, *operands) for name in names)


def _unary(op: type[ew.UnaryOp]) -> Meaning:
    def meaning(b: ArrayBuilder, x: Value) -> Value:
        return b.unary(op, x)

    return meaning


def _is_nan(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsNanOp, (x,))


def _x_times_log(op: type[ew.UnaryOp]) -> Meaning:
    """x log(y), 0 where x is 0, by a product in which 0 absorbs: its derivative by x is log(y) there, too."""

    def meaning(b: ArrayBuilder, x: Value, y: Value) -> Value:
        zero = b.logical_and(b.compare("eq", x, b.zeros(x.type)), b.logical_not(_is_nan(b, y)))
        logarithm = b.unary(op, y)
        return b.select(zero, b.absorbing_mul(x, logarithm), b.mul(x, logarithm))

    return meaning


def _logit(b: ArrayBuilder, x: Value) -> Value:
    return b.sub(b.unary(ew.LogOp, x), b.unary(ew.Log1pOp, b.neg(x)))


def _entropy(b: ArrayBuilder, x: Value) -> Value:
    negative = b.compare("lt", x, b.zeros(x.type))
    return b.select(negative, b.splat(-np.inf, x.type), b.neg(_x_times_log(ew.LogOp)(b, x, x)))


def _relative_entropy(b: ArrayBuilder, x: Value, y: Value) -> Value:
    zero = b.zeros(x.type)
    is_nan = b.binary(ew.OrOp, _is_nan(b, x), _is_nan(b, y))
    inside = b.binary(ew.AndOp, b.compare("gt", x, zero), b.compare("gt", y, zero))
    at_zero = b.binary(ew.AndOp, b.compare("eq", x, zero), b.compare("ge", y, zero))
    term = b.mul(x, b.unary(ew.LogOp, b.div(x, y)))
    found = b.select(inside, term, b.select(at_zero, zero, b.splat(np.inf, x.type)))
    return b.select(is_nan, b.add(x, y), found)


def _huber(b: ArrayBuilder, delta: Value, r: Value) -> Value:
    size = b.unary(ew.AbsOp, r)
    half = b.splat(0.5, r.type)
    inner = b.mul(half, b.mul(r, r))
    outer = b.mul(delta, b.sub(size, b.mul(half, delta)))
    found = b.select(b.compare("le", size, delta), inner, outer)
    return b.select(b.compare("lt", delta, b.zeros(r.type)), b.splat(np.inf, r.type), found)


def _pseudo_huber(b: ArrayBuilder, delta: Value, r: Value) -> Value:
    one = b.splat(1.0, r.type)
    ratio = b.div(r, delta)
    square = b.mul(ratio, ratio)
    root = b.unary(ew.SqrtOp, b.add(one, square))
    # sqrt(1 + s) - 1 without the difference of equal numbers
    found = b.mul(b.mul(delta, delta), b.div(square, b.add(root, one)))
    infinite = b.splat(np.inf, r.type)
    found = b.select(b.compare("eq", square, infinite), b.mul(delta, b.unary(ew.AbsOp, r)), found)
    zero = b.zeros(r.type)
    is_zero = b.binary(ew.OrOp, b.compare("eq", delta, zero), b.compare("eq", r, zero))
    found = b.select(is_zero, zero, found)
    return b.select(b.compare("lt", delta, zero), b.splat(np.inf, r.type), found)


def _normal_distribution(b: ArrayBuilder, x: Value) -> Value:
    return b.scaled(b.unary(ew.ErfcOp, b.scaled(x, -(0.5**0.5))), 0.5)


def _digamma(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.PolygammaOp, (x,), {"order": integer(0)})


def _log_expit(b: ArrayBuilder, x: Value) -> Value:
    return b.neg(b.unary(ew.SoftplusOp, b.neg(x)))


def _exp10(b: ArrayBuilder, x: Value) -> Value:
    return b.binary(ew.PowOp, b.splat(10.0, x.type), x)


def _loggamma(b: ArrayBuilder, x: Value) -> Value:
    """Log Gamma of positive numbers: NaN where Gamma would need a complex logarithm."""
    negative = b.compare("lt", x, b.zeros(x.type))
    return b.select(negative, b.splat(np.nan, x.type), b.unary(ew.LgammaOp, x))


def _gamma_sign(b: ArrayBuilder, x: Value) -> Value:
    """The sign of Gamma, constant between its poles."""
    whole = b.unary(ew.FloorOp, x)
    one, two = b.splat(1.0, x.type), b.splat(2.0, x.type)
    odd = b.compare("ne", b.binary(ew.FmodOp, whole, two), b.zeros(x.type))
    below = b.compare("lt", x, b.zeros(x.type))
    pole = b.logical_and(below, b.compare("eq", whole, x))
    signed = b.select(b.logical_and(below, odd), b.neg(one), one)
    signed = b.select(b.compare("eq", x, b.zeros(x.type)), b.binary(ew.CopysignOp, one, x), signed)
    return b.select(b.binary(ew.OrOp, pole, _is_nan(b, x)), b.splat(np.nan, x.type), signed)


def _kl_divergence(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """x log(x / y) - x + y."""
    found = b.add(b.sub(_relative_entropy(b, x, y), x), y)
    infinite = b.splat(np.inf, x.type)
    return b.select(b.compare("eq", _relative_entropy(b, x, y), infinite), infinite, found)


def _round(b: ArrayBuilder, x: Value) -> Value:
    return b.unary(ew.RoundOp, x)


def _radian(b: ArrayBuilder, d: Value, m: Value, s: Value) -> Value:
    """Degrees, minutes and seconds in radians."""
    return b.scaled(b.add(d, b.add(b.scaled(m, 1 / 60), b.scaled(s, 1 / 3600))), pi / 180)


def _chi_square(function: str, b: ArrayBuilder, v: Value, x: Value) -> Value:
    return special(b, function, b.scaled(v, 0.5), b.scaled(x, 0.5))


def _gamma_distribution(function: str, b: ArrayBuilder, rate: Value, a: Value, x: Value) -> Value:
    return special(b, function, a, b.mul(rate, x))


def _poisson(function: str, b: ArrayBuilder, k: Value, m: Value) -> Value:
    shape = b.add(b.unary(ew.FloorOp, k), b.splat(1.0, k.type))
    shape = b.select(b.compare("lt", k, b.zeros(k.type)), b.splat(np.nan, k.type), shape)
    return special(b, function, shape, m)


def _f_distribution(function: str, b: ArrayBuilder, dfn: Value, dfd: Value, x: Value) -> Value:
    scaled = b.mul(dfn, x)
    infinite = b.compare("eq", scaled, b.splat(np.inf, x.type))
    share = b.select(infinite, b.splat(1.0, x.type), b.div(scaled, b.add(dfd, scaled)))
    zero = b.zeros(x.type)
    is_positive = b.logical_and(b.compare("gt", dfn, zero), b.compare("gt", dfd, zero))
    share = b.select(is_positive, share, b.splat(np.nan, x.type))
    return special(b, function, b.scaled(dfn, 0.5), b.scaled(dfd, 0.5), share)


def _call(function: str, b: ArrayBuilder, *operands: Value) -> Value:
    return special(b, function, *operands)


SPECIAL_MEANINGS: Final[dict[str, Meaning]] = {
    **{
        function.ufunc: partial(_call, name)
        for name, function in SPECIAL_FUNCTIONS.items()
        if function.outputs == 1
    },
    **{ufunc: partial(_several, names) for ufunc, names in RESULTS_OF.items()},
    "erf": _unary(ew.ErfOp),
    "erfc": _unary(ew.ErfcOp),
    "erfinv": _unary(ew.ErfinvOp),
    "gammaln": _unary(ew.LgammaOp),
    "psi": _digamma,
    "expit": _unary(ew.LogisticOp),
    "log_expit": _log_expit,
    "logit": _logit,
    "xlogy": _x_times_log(ew.LogOp),
    "xlog1py": _x_times_log(ew.Log1pOp),
    "expm1": _unary(ew.Expm1Op),
    "log1p": _unary(ew.Log1pOp),
    "exp2": _unary(ew.Exp2Op),
    "cbrt": _unary(ew.CbrtOp),
    "exp10": _exp10,
    "entr": _entropy,
    "rel_entr": _relative_entropy,
    "huber": _huber,
    "pseudo_huber": _pseudo_huber,
    "ndtr": _normal_distribution,
    "loggamma": _loggamma,
    "gammasgn": _gamma_sign,
    "kl_div": _kl_divergence,
    "round": _round,
    "radian": _radian,
    "chdtr": partial(_chi_square, "gammainc"),
    "chdtrc": partial(_chi_square, "gammaincc"),
    "gdtr": partial(_gamma_distribution, "gammainc"),
    "gdtrc": partial(_gamma_distribution, "gammaincc"),
    "pdtr": partial(_poisson, "gammaincc"),
    "pdtrc": partial(_poisson, "gammainc"),
    "fdtr": partial(_f_distribution, "betainc"),
    "fdtrc": partial(_f_distribution, "betaincc"),
}
"""By name. Importing `scipy.special` takes longer than importing mlirad, so it is left to whoever uses it."""
