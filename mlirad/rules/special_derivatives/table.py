"""Derivatives of the special functions: formulas, of functions that are differentiated by the same table.

    "gammainc": (None, lambda a, x, r: exp(xlogy(a - 1, x) - x - lgamma(a)))

A coefficient is a function of the arguments and of the result r. `None` stands for a derivative that has no
formula in functions of the table, such as that of a Bessel function in its order: to ask for it is an error,
never a zero. All others are formulas in functions of the table, so there are derivatives of any order.

Formulas hold in the whole domain of the function, its boundary included. Where a formula is a difference of
nearly equal numbers, another one that is equal takes its place there; both are identities, so derivatives of
either are right. At a pole the derivative is infinite, or NaN where it has no limit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from math import sqrt as root
from typing import cast

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.formulas import (
    Formula,
    absolute,
    absorbing,
    cos,
    cosh,
    digamma,
    erf,
    exp,
    lgamma,
    limited,
    log,
    log1p,
    maximum,
    sign,
    sin,
    sinh,
    special,
    sqrt,
    where,
)
from mlirad.ir.locations import location_of
from mlirad.rules.incomplete_functions import betainc_by_shapes, gammainc_by_shape, stdtr_by_freedom
from mlirad.rules.special_derivatives import entropies, sines
from mlirad.rules.special_derivatives.parts import Definition, Derivatives


def special_coefficient(k: int) -> Callable[[ArrayBuilder, ew.SpecialOp], Value]:
    """What the tangent of argument k of a special function is scaled by.

    The function raises `DifferentiationError` where there is no formula.
    """

    def coefficient(b: ArrayBuilder, op: ew.SpecialOp) -> Value:
        name = op.function.data
        formula = cast("Callable[..., Formula] | None", SPECIAL_DERIVATIVES[name][k])
        if formula is None:
            known, parameter = op.meaning, op.meaning.parameters[k]
            listed = f"{name}({', '.join(known.parameters)})"
            raise DifferentiationError(
                f"{listed} has no derivative in {parameter} that could be computed",
                location=location_of(op),
                hint=f"keep {parameter} constant: ad.stop_gradient({parameter})",
            )
        return formula(*(Formula(b, v) for v in (*op.arguments, op.result))).value

    return coefficient


# Parts of formulas -------------------------------------------------------------------------------


def xlogy(x: Formula, y: Formula) -> Formula:
    """x log(y), 0 where x is 0."""
    return absorbing(x, log(y))


def xlog1py(x: Formula, y: Formula) -> Formula:
    """x log(1 + y), 0 where x is 0."""
    return absorbing(x, log1p(y))


def _gamma_density(a: Formula, x: Formula) -> Formula:
    """x^(a - 1) e^-x / gamma(a), 0 at infinity."""
    return exp(where(x == inf, -x, xlogy(a - 1, x) - x - lgamma(a)))


def _beta_density(a: Formula, b: Formula, x: Formula) -> Formula:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b)."""
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - special("betaln", a, b))


def _student_density(df: Formula, t: Formula) -> Formula:
    normaliser = special("betaln", df * 0.5, 0.5)
    return exp((df + 1) * -0.5 * log1p(t * t / df) - normaliser) / sqrt(df)


def _falling_series(x: Formula, alternating: float) -> Formula:
    """The sum over k of (+-1)^k (2k - 1)!! / (2 x^2)^k, from k = 1: asymptotic, to 2e-16 from x = 20."""
    inverse = alternating * 0.5 / (x * x)
    total = inverse * 17
    for odd in range(15, 0, -2):
        total = inverse * odd * (1 + total)
    return total


_FAR = 20.0
"""From here on the asymptotic series takes the place of a difference of nearly equal numbers."""


def _erfcx(x: Formula, r: Formula) -> Formula:
    """2 x erfcx(x) - 2 / sqrt(pi)."""
    constant = 2 / root(pi)
    return where(x > _FAR, constant * _falling_series(x, -1.0), 2 * x * r - constant)


def _dawsn(x: Formula, r: Formula) -> Formula:
    """1 - 2 x dawsn(x)."""
    return where(absolute(x) > _FAR, -_falling_series(x, 1.0), 1 - 2 * x * r)


def _rgamma(x: Formula, r: Formula) -> Formula:
    """-digamma(x) / gamma(x), by 1 / gamma(x) = sin(pi x) gamma(1 - x) / pi where that has poles."""
    reflected = special("gamma", 1 - x)
    angle = pi * x
    below = reflected * (cos(angle) - sin(angle) * digamma(1 - x) / pi)
    return where(x < 0.5, below, -digamma(x) * r)


def _rgamma_slope(x: Formula) -> Formula:
    """The derivative of 1 / gamma(x), which is finite at the poles of gamma."""
    return _rgamma(x, special("rgamma", x))


def _binom_n(n: Formula, k: Formula, r: Formula) -> Formula:
    """r (digamma(n + 1) - digamma(n - k + 1)), by 1 / gamma(n - k + 1) where r is 0."""
    at_zero = special("gamma", n + 1) * special("rgamma", k + 1) * _rgamma_slope(n - k + 1)
    at_zero = at_zero + absorbing(r, digamma(n + 1))
    return where(r == 0, at_zero, r * (digamma(n + 1) - digamma(n - k + 1)))


def _binom_k(n: Formula, k: Formula, r: Formula) -> Formula:
    """r (digamma(n - k + 1) - digamma(k + 1)), by 1 / gamma(k + 1) and 1 / gamma(n - k + 1) where r is 0."""
    above, below = n - k + 1, k + 1
    change = _rgamma_slope(below) * special("rgamma", above) - special("rgamma", below) * _rgamma_slope(above)
    return where(r == 0, special("gamma", n + 1) * change, r * (digamma(above) - digamma(below)))


def _poch_z(z: Formula, m: Formula, r: Formula) -> Formula:
    """r (digamma(z + m) - digamma(z)), by 1 / gamma(z) where r is 0."""
    at_zero = special("gamma", z + m) * _rgamma_slope(z) + absorbing(r, digamma(z + m))
    return where(r == 0, at_zero, r * (digamma(z + m) - digamma(z)))


def _expn(n: Formula, x: Formula, r: Formula) -> Formula:
    """-E_(n - 1)(x), which is (E_0(x) + e^-x) / -x for n = 0."""
    return where(n == 0, -(exp(-x) + r) / x, -special("expn", maximum(n - 1, 0.0), x))


def _cardinal_sinh(x: Formula) -> Formula:
    """sinh(x) / x."""
    return where(absolute(x) < 1, special("hyp0f1", 1.5, x * x * 0.25), sinh(x) / x)


def _spence(x: Formula, r: Formula) -> Formula:
    """log(x) / (1 - x)."""
    return where(absolute(x - 1) < 0.5, -special("hyp2f1", 1.0, 1.0, 2.0, 1 - x), log(x) / (1 - x))


def _struve_term(v: Formula, x: Formula) -> Formula:
    """(x / 2)^v / (sqrt(pi) gamma(v + 3/2))."""
    return (x * 0.5) ** v * special("rgamma", v + 1.5) / root(pi)


def _neighbours(name: str, v: Formula | float, x: Formula, weight: float) -> Formula:
    """Half of f_(v - 1)(x) + weight f_(v + 1)(x)."""
    return (special(name, v - 1, x) + weight * special(name, v + 1, x)) * 0.5


_SMALL = 0.1
"""Up to here elliptic integrals are differentiated as hypergeometric functions."""


def _ellipk(m: Formula, r: Formula) -> Formula:
    """(E - (1 - m) K) / (2 m (1 - m))."""
    near = (pi / 8) * special("hyp2f1", 1.5, 1.5, 2.0, m)
    other = (special("ellipe", m) - absorbing(1 - m, r)) / (2 * m * (1 - m))
    return where(absolute(m) < _SMALL, near, other)


def _ellipkm1(p: Formula, r: Formula) -> Formula:
    """-(E - p K) / (2 p (1 - p))."""
    m = 1 - p
    near = (-pi / 8) * special("hyp2f1", 1.5, 1.5, 2.0, m)
    other = (special("ellipe", m) - absorbing(p, r)) / (-2 * m * p)
    return where(absolute(m) < _SMALL, near, other)


def _ellipe(m: Formula, r: Formula) -> Formula:
    """(E - K) / (2 m)."""
    near = (-pi / 8) * special("hyp2f1", 0.5, 1.5, 2.0, m)
    return where(absolute(m) < _SMALL, near, (r - special("ellipk", m)) / (2 * m))


def _agm(a: Formula, b: Formula, r: Formula) -> Formula:
    """By a, from agm(a, b) = pi (a + b) / (4 K(1 - p)) with p = 4 a b / (a + b)^2."""
    total = a + b
    share = 4 * b / total
    p = share * (a / total)
    integral = special("ellipkm1", p)
    slope = _ellipkm1(p, integral) / integral
    return r / total * (1 - slope * share * (b - a) / total)


def _height(phi: Formula, m: Formula) -> Formula:
    """sqrt(1 - m sin(phi)^2)."""
    sine = sin(phi)
    return sqrt(1 - m * sine * sine)


def _exprel(x: Formula, r: Formula) -> Formula:
    """(e^x - r) / x, for x > 0 as r (1 - 1 / x) + 1 / x, which does not overflow before r does.

    SciPy's loop for `hyp1f1` takes a time in proportion to |x|, so it is handed small numbers only.
    """
    near = 0.5 * special("hyp1f1", 2.0, 3.0, limited(x, 2.0))
    inverse = 1 / x
    return where(absolute(x) < 2, near, where(x > 0, r * (1 - inverse) + inverse, (exp(x) - r) / x))


def _boxcox_lmbda(logarithm: Formula, lmbda: Formula) -> Formula:
    """By lmbda: boxcox is the logarithm times exprel(lmbda logarithm)."""
    power = lmbda * logarithm
    return logarithm * logarithm * _exprel(power, special("exprel", power))


def _logarithm_quotient_slope(t: Formula) -> Formula:
    """The derivative of log1p(t) / t, which is (1 / (1 + t) - log1p(t) / t) / t."""
    near = -0.5 * special("hyp2f1", 2.0, 2.0, 3.0, -limited(t, 0.5))
    return where(absolute(t) < 0.5, near, (1 / (1 + t) - log1p(t) / t) / t)


def _inv_boxcox_lmbda(y: Formula, lmbda: Formula, power: Formula) -> Formula:
    """By lmbda: the power is exp(y log1p(t) / t) with t = lmbda y."""
    return power * y * y * _logarithm_quotient_slope(lmbda * y)


# The table ---------------------------------------------------------------------------------------

_DEGREE = pi / 180

SPECIAL_DERIVATIVES: Derivatives = {
    **entropies.DERIVATIVES,
    **sines.DERIVATIVES,
    "gamma": (lambda x, r: r * digamma(x),),
    "rgamma": (_rgamma,),
    "beta": (
        lambda a, b, r: r * (digamma(a) - digamma(a + b)),
        lambda a, b, r: r * (digamma(b) - digamma(a + b)),
    ),
    "betaln": (
        lambda a, b, r: digamma(a) - digamma(a + b),
        lambda a, b, r: digamma(b) - digamma(a + b),
    ),
    "binom": (_binom_n, _binom_k),
    "poch": (_poch_z, lambda z, m, r: r * digamma(z + m)),
    "gammainc": (
        lambda a, x, r: gammainc_by_shape(a, x),
        lambda a, x, r: _gamma_density(a, x),
    ),
    "gammaincc": (
        lambda a, x, r: -gammainc_by_shape(a, x),
        lambda a, x, r: -_gamma_density(a, x),
    ),
    "gammaincinv": (
        lambda a, y, r: -(gammainc_by_shape(a, r) / _gamma_density(a, r)),
        lambda a, y, r: 1 / _gamma_density(a, r),
    ),
    "gammainccinv": (
        lambda a, y, r: -(gammainc_by_shape(a, r) / _gamma_density(a, r)),
        lambda a, y, r: -1 / _gamma_density(a, r),
    ),
    "betainc": (
        lambda a, b, x, r: betainc_by_shapes(a, b, x)[0],
        lambda a, b, x, r: betainc_by_shapes(a, b, x)[1],
        lambda a, b, x, r: _beta_density(a, b, x),
    ),
    "betaincc": (
        lambda a, b, x, r: -betainc_by_shapes(a, b, x)[0],
        lambda a, b, x, r: -betainc_by_shapes(a, b, x)[1],
        lambda a, b, x, r: -_beta_density(a, b, x),
    ),
    "betaincinv": (
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[0] / _beta_density(a, b, r)),
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[1] / _beta_density(a, b, r)),
        lambda a, b, y, r: 1 / _beta_density(a, b, r),
    ),
    "betainccinv": (
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[0] / _beta_density(a, b, r)),
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[1] / _beta_density(a, b, r)),
        lambda a, b, y, r: -1 / _beta_density(a, b, r),
    ),
    "log_ndtr": (lambda x, r: root(2 / pi) / special("erfcx", x * -root(0.5)),),
    "ndtri": (lambda p, r: root(2 * pi) * exp(r * r * 0.5),),
    "ndtri_exp": (lambda y, r: root(pi / 2) * special("erfcx", r * -root(0.5)),),
    "stdtr": (
        lambda df, t, r: stdtr_by_freedom(df, t),
        lambda df, t, r: _student_density(df, t),
    ),
    "erfcinv": (lambda x, r: (-root(pi) / 2) * exp(r * r),),
    "erfcx": (_erfcx,),
    "erfi": (lambda x, r: (2 / root(pi)) * exp(x * x),),
    "dawsn": (_dawsn,),
    "owens_t": (
        lambda h, a, r: exp(h * h * -0.5) * erf(a * h * root(0.5)) * (-0.5 / root(2 * pi)),
        lambda h, a, r: exp(h * h * (1 + a * a) * -0.5) / (1 + a * a) * (0.5 / pi),
    ),
    "expi": (lambda x, r: exp(x) / x,),
    "exp1": (lambda x, r: -exp(-x) / x,),
    "expn": (None, _expn),
    "exprel": (_exprel,),
    "cosm1": (lambda x, r: -sin(x),),
    "powm1": (
        lambda x, y, r: absorbing(y, x ** (y - 1)),
        lambda x, y, r: absorbing(x**y, log(x)),
    ),
    "spence": (_spence,),
    "wrightomega": (lambda x, r: r / (1 + r),),
    "boxcox": (lambda x, lmbda, r: x ** (lmbda - 1), lambda x, lmbda, r: _boxcox_lmbda(log(x), lmbda)),
    "boxcox1p": (
        lambda x, lmbda, r: (1 + x) ** (lmbda - 1),
        lambda x, lmbda, r: _boxcox_lmbda(log1p(x), lmbda),
    ),
    "inv_boxcox": (
        lambda y, lmbda, r: r / (1 + lmbda * y),
        lambda y, lmbda, r: _inv_boxcox_lmbda(y, lmbda, r),
    ),
    "inv_boxcox1p": (
        lambda y, lmbda, r: (1 + r) / (1 + lmbda * y),
        lambda y, lmbda, r: _inv_boxcox_lmbda(y, lmbda, 1 + r),
    ),
    "j0": (lambda x, r: -special("j1", x),),
    "j1": (lambda x, r: (special("j0", x) - special("jv", 2.0, x)) * 0.5,),
    "jv": (None, lambda v, x, r: _neighbours("jv", v, x, -1.0)),
    "y0": (lambda x, r: -special("y1", x),),
    "y1": (lambda x, r: (special("y0", x) - special("yn", 2.0, x)) * 0.5,),
    "yn": (None, lambda n, x, r: _neighbours("yn", n, x, -1.0)),
    "yv": (None, lambda v, x, r: _neighbours("yv", v, x, -1.0)),
    "i0": (lambda x, r: special("i1", x),),
    "i0e": (lambda x, r: special("i1e", x) - sign(x) * r,),
    "i1": (lambda x, r: (special("i0", x) + special("iv", 2.0, x)) * 0.5,),
    "i1e": (lambda x, r: (special("i0e", x) + special("ive", 2.0, x)) * 0.5 - sign(x) * r,),
    "iv": (None, lambda v, x, r: _neighbours("iv", v, x, 1.0)),
    "ive": (None, lambda v, x, r: _neighbours("ive", v, x, 1.0) - sign(x) * r),
    "k0": (lambda x, r: -special("k1", x),),
    "k0e": (lambda x, r: r - special("k1e", x),),
    "k1": (lambda x, r: (special("k0", x) + special("kv", 2.0, x)) * -0.5,),
    "k1e": (lambda x, r: r - (special("k0e", x) + special("kve", 2.0, x)) * 0.5,),
    "kn": (None, lambda n, x, r: -_neighbours("kv", n, x, 1.0)),
    "kv": (None, lambda v, x, r: -_neighbours("kv", v, x, 1.0)),
    "kve": (None, lambda v, x, r: r - _neighbours("kve", v, x, 1.0)),
    "struve": (None, lambda v, x, r: _neighbours("struve", v, x, -1.0) + _struve_term(v, x) * 0.5),
    "modstruve": (None, lambda v, x, r: _neighbours("modstruve", v, x, 1.0) + _struve_term(v, x) * 0.5),
    "hyp0f1": (None, lambda b, x, r: special("hyp0f1", b + 1, x) / b),
    "hyp1f1": (None, None, lambda a, b, x, r: a / b * special("hyp1f1", a + 1, b + 1, x)),
    "hyperu": (None, None, lambda a, b, x, r: -a * special("hyperu", a + 1, b + 1, x)),
    "hyp2f1": (
        None,
        None,
        None,
        lambda a, b, c, x, r: a * b / c * special("hyp2f1", a + 1, b + 1, c + 1, x),
    ),
    "ellipk": (_ellipk,),
    "ellipkm1": (_ellipkm1,),
    "ellipe": (_ellipe,),
    "ellipkinc": (lambda phi, m, r: 1 / _height(phi, m), None),
    "ellipeinc": (lambda phi, m, r: _height(phi, m), None),
    "agm": (lambda a, b, r: _agm(a, b, r), lambda a, b, r: _agm(b, a, r)),
    "sindg": (lambda x, r: _DEGREE * special("cosdg", x),),
    "cosdg": (lambda x, r: -_DEGREE * special("sindg", x),),
    "tandg": (lambda x, r: _DEGREE * (1 + r * r),),
    "cotdg": (lambda x, r: -_DEGREE * (1 + r * r),),
    "zetac": (None,),
    "zeta": (None, lambda x, q, r: -x * special("zeta", x + 1, q)),
    "riemann_zeta": (None,),
    "airy_ai": (lambda x, r: special("airy_aip", x),),
    "airy_aip": (lambda x, r: x * special("airy_ai", x),),
    "airy_bi": (lambda x, r: special("airy_bip", x),),
    "airy_bip": (lambda x, r: x * special("airy_bi", x),),
    "airye_ai": (lambda x, r: special("airye_aip", x) + sqrt(x) * r,),
    "airye_aip": (lambda x, r: x * special("airye_ai", x) + sqrt(x) * r,),
    "airye_bi": (lambda x, r: special("airye_bip", x) - sqrt(maximum(x, 0)) * r,),
    "airye_bip": (lambda x, r: x * special("airye_bi", x) - sqrt(maximum(x, 0)) * r,),
    "ellipj_sn": (lambda u, m, r: special("ellipj_cn", u, m) * special("ellipj_dn", u, m), None),
    "ellipj_cn": (lambda u, m, r: -special("ellipj_sn", u, m) * special("ellipj_dn", u, m), None),
    "ellipj_dn": (lambda u, m, r: -m * special("ellipj_sn", u, m) * special("ellipj_cn", u, m), None),
    "ellipj_am": (lambda u, m, r: special("ellipj_dn", u, m), None),
    "shichi_shi": (lambda x, r: _cardinal_sinh(x),),
    "shichi_chi": (lambda x, r: cosh(x) / x,),
}
"""By the name of a function its partial derivatives, one per parameter."""

DEFINITIONS: dict[str, Definition] = {**entropies.DEFINITIONS, **sines.DEFINITIONS}
"""By the name of a function the formula that programs compute."""
