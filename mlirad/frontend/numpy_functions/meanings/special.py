"""The meaning of each ufunc of `scipy.special`: array code on operands of one shape.

    SPECIAL_MEANINGS["xlogy"]       a function of the builder and one value per operand

Those without a line of their own are `array.special`, which SciPy computes. Orders that NumPy's loops take as
integers become floats.
"""

from __future__ import annotations

from functools import partial
from math import pi
from typing import Final

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.special_functions import RESULTS_OF, SPECIAL_FUNCTIONS
from mlirad.dialects.shapes import Value, integer
from mlirad.frontend.numpy_functions.meanings.special_ops import Meaning, special
from mlirad.ir.arrays import ArrayBuilder


def _several(names: tuple[str, ...], b: ArrayBuilder, *operands: Value) -> tuple[Value, ...]:
    return tuple(special(b, name, *operands) for name in names)


def _unary(op: type[ew.UnaryOp]) -> Meaning:
    def meaning(b: ArrayBuilder, x: Value) -> Value:
        return b.unary(op, x)

    return meaning


def _is_nan(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsNanOp, (x,))


def _logit(b: ArrayBuilder, x: Value) -> Value:
    return b.sub(b.unary(ew.LogOp, x), b.unary(ew.Log1pOp, b.neg(x)))


def _huber(b: ArrayBuilder, delta: Value, r: Value) -> Value:
    size = b.unary(ew.AbsOp, r)
    half = b.splat(0.5, r.type)
    inner = b.mul(half, b.mul(r, r))
    outer = b.mul(delta, b.sub(size, b.mul(half, delta)))
    found = b.select(b.compare("lt", size, delta), inner, outer)
    zero = b.zeros(r.type)
    # Where both are 0, each branch is curved by one of them, and the function by none.
    is_corner = b.logical_and(b.compare("eq", delta, zero), b.compare("eq", r, zero))
    found = b.select(is_corner, b.mul(delta, size), found)
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


def _voigt(b: ArrayBuilder, x: Value, sigma: Value, gamma: Value) -> Value:
    from mlirad.ir.formulas import Formula
    from mlirad.rules.voigt import voigt_profile

    return voigt_profile(*(Formula(b, v) for v in (x, sigma, gamma))).value


def _call(function: str, b: ArrayBuilder, *operands: Value) -> Value:
    return special(b, function, *operands)


_POLYNOMIALS: Final = (
    "eval_legendre", "eval_chebyt", "eval_chebyu", "eval_gegenbauer", "eval_jacobi", "eval_genlaguerre",
    "eval_hermite", "eval_hermitenorm", "eval_laguerre", "eval_chebyc", "eval_chebys", "eval_sh_legendre",
    "eval_sh_chebyt", "eval_sh_chebyu", "eval_sh_jacobi",
)  # fmt: skip


def _polynomial(name: str, b: ArrayBuilder, *operands: Value) -> Value:
    from mlirad.frontend.numpy_functions.meanings import orthogonal_polynomials  # which few programs have

    return orthogonal_polynomials.ORTHOGONAL_POLYNOMIALS[name](b, *operands)


_COUNTED: Final = (
    "bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri", "chdtri", "chdtriv", "pdtri", "gdtrix", "gdtria",
    "fdtri", "nrdtrimn", "nrdtrisd", "elliprc", "elliprd", "elliprj", "jve", "yve",
)  # fmt: skip


def _counted(name: str, b: ArrayBuilder, *operands: Value) -> Value:
    from mlirad.frontend.numpy_functions.meanings import counted

    return counted.COUNTED[name](b, *operands)


OF_KNOWN_ORDERS: Final = frozenset(("mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_sem"))
"""Ufuncs with more derivatives where orders are known: `scipy_functions/ufunc_calls.py` has them."""

SPECIAL_MEANINGS: Final[dict[str, Meaning]] = {
    **{
        function.ufunc: partial(_call, name)
        for name, function in SPECIAL_FUNCTIONS.items()
        if function.ufunc and function.outputs == 1 and not function.is_of_whole
        if function.ufunc not in OF_KNOWN_ORDERS
    },
    **{
        ufunc: partial(_several, names) for ufunc, names in RESULTS_OF.items() if ufunc not in OF_KNOWN_ORDERS
    },
    **{name: partial(_polynomial, name) for name in _POLYNOMIALS},
    **{name: partial(_counted, name) for name in _COUNTED},
    "erf": _unary(ew.ErfOp),
    "erfc": _unary(ew.ErfcOp),
    "erfinv": _unary(ew.ErfinvOp),
    "gammaln": _unary(ew.LgammaOp),
    "psi": _digamma,
    "expit": _unary(ew.LogisticOp),
    "log_expit": _log_expit,
    "logit": _logit,
    "expm1": _unary(ew.Expm1Op),
    "log1p": _unary(ew.Log1pOp),
    "exp2": _unary(ew.Exp2Op),
    "cbrt": _unary(ew.CbrtOp),
    "exp10": _exp10,
    "huber": _huber,
    "ndtr": _normal_distribution,
    "loggamma": _loggamma,
    "gammasgn": _gamma_sign,
    "round": _round,
    "voigt_profile": _voigt,
    "radian": _radian,
    "chdtr": partial(_chi_square, "gammainc"),
    "chdtrc": partial(_chi_square, "gammaincc"),
    "gdtr": partial(_gamma_distribution, "gammainc"),
    "gdtrc": partial(_gamma_distribution, "gammaincc"),
    "pdtr": partial(_poisson, "gammaincc"),
    "pdtrc": partial(_poisson, "gammainc"),
}
"""The meanings, by name. Importing `scipy.special` takes longer than importing mlirad, so it is left to
whoever uses it.
"""
