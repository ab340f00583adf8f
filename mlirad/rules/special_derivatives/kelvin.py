"""Kelvin functions, integrals of Bessel and Airy functions, parabolic cylinder functions, Wright's function.

    "berp": (lambda x, r: -special("bei", x) - r / x,)

Derivatives of second order follow from the differential equations, x^2 w'' + x w' = i x^2 w of ber + i bei
and ker + i kei. Around 0 they are series, in which nothing is divided by x.
(*NIST Handbook of Mathematical Functions*, 2010, sections 10.61, 10.65, 10.46 and 12.2.)
"""

from __future__ import annotations

from math import factorial, pi

from mlirad.ir.formulas import Formula, absolute, exp, limited, special, where
from mlirad.rules.special_derivatives.parts import Derivatives, horner

_TERMS = range(8)

_BER = tuple(
    (-1.0) ** k * 4 * k * (4 * k - 1) / (2.0 ** (4 * k) * factorial(2 * k) ** 2) for k in range(1, 8)
)
"""The coefficients of ber'' over x^2, in x^4."""

_BEI = tuple((-1.0) ** k * (4 * k + 2) * (4 * k + 1) / (2.0 ** (4 * k + 2) * factorial(2 * k + 1) ** 2)
             for k in _TERMS)  # fmt: skip
"""Those of bei''."""

_BESSEL = tuple(1 / (4.0 ** (k + 1) * factorial(k + 1) ** 2) for k in _TERMS)
"""Those of (i0(x) - 1) / x^2, in x^2."""


def _struve_coefficients() -> tuple[float, ...]:
    found, term = list[float](), 1.0
    for k in range(12):
        found.append(term)
        term = -term / (2 * k + 3) ** 2
    return tuple(found)


_STRUVE = _struve_coefficients()
"""Those of pi / 2 struve(0, x) / x, in x^2."""


def _berp(x: Formula, r: Formula) -> Formula:
    square = limited(x, 1.0) * limited(x, 1.0)
    near = square * horner(square * square, _BER)
    return where(absolute(x) < 1, near, -special("bei", x) - r / x)


def _beip(x: Formula, r: Formula) -> Formula:
    square = limited(x, 1.0) * limited(x, 1.0)
    near = horner(square * square, _BEI)
    return where(absolute(x) < 1, near, special("ber", x) - r / x)


def _less_one(name: str, sign: float, x: Formula) -> Formula:
    """sign (f(x) - 1) / x, of j0 with sign -1, of i0 with sign 1."""
    inner = limited(x, 1.0)
    near = inner * horner(inner * inner * sign, _BESSEL)
    return where(absolute(x) < 1, near, (special(name, x) - 1) * sign / x)


def _struve_over(x: Formula) -> Formula:
    inner = limited(x, 1.0)
    near = 2 / pi * horner(inner * inner, _STRUVE)
    return where(absolute(x) < 1, near, special("struve", 0.0, x) / x)


def _by_scale(a: Formula, lmb: Formula, nu: Formula) -> Formula:
    """The integral of x^(lmb + 1) 2 jv'(nu, 2 a x), where 2 jv'(nu, z) is jv(nu - 1, z) - jv(nu + 1, z).

    At 0 it is infinite for orders between 0 and 1, as a^(nu - 1) is.
    """
    found = special("besselpoly", a, lmb + 1, nu - 1) - special("besselpoly", a, lmb + 1, nu + 1)
    return where((a == 0) & (nu > 0) & (nu < 1), exp(special("xlogy", nu - 1, a)), found)


def _cylinder(name: str, v: Formula, x: Formula) -> Formula:
    return (x * x * 0.25 - v - 0.5) * special(name, v, x)


DERIVATIVES: Derivatives = {
    "ber": (lambda x, r: special("berp", x),),
    "bei": (lambda x, r: special("beip", x),),
    "ker": (lambda x, r: special("kerp", x),),
    "kei": (lambda x, r: special("keip", x),),
    "berp": (lambda x, r: _berp(x, r),),
    "beip": (lambda x, r: _beip(x, r),),
    "kerp": (lambda x, r: -special("kei", x) - r / x,),
    "keip": (lambda x, r: special("ker", x) - r / x,),
    "itj0y0_j": (lambda x, r: special("j0", x),),
    "itj0y0_y": (lambda x, r: special("y0", x),),
    "it2j0y0_j": (lambda x, r: _less_one("j0", -1.0, x),),
    "it2j0y0_y": (lambda x, r: -special("y0", x) / x,),
    "iti0k0_i": (lambda x, r: special("i0", x),),
    "iti0k0_k": (lambda x, r: special("k0", x),),
    "it2i0k0_i": (lambda x, r: _less_one("i0", 1.0, x),),
    "it2i0k0_k": (lambda x, r: -special("k0", x) / x,),
    "itstruve0": (lambda x, r: special("struve", 0.0, x),),
    "it2struve0": (lambda x, r: -_struve_over(x),),
    "itmodstruve0": (lambda x, r: special("modstruve", 0.0, x),),
    "itairy_ai": (lambda x, r: special("airy_ai", x),),
    "itairy_bi": (lambda x, r: special("airy_bi", x),),
    "itairy_ai_below": (lambda x, r: special("airy_ai", -x),),
    "itairy_bi_below": (lambda x, r: special("airy_bi", -x),),
    "besselpoly": (lambda a, lmb, nu, r: _by_scale(a, lmb, nu), None, None),
    "pbwa_w": (None, lambda a, x, r: special("pbwa_wp", a, x)),
    "pbwa_wp": (None, lambda a, x, r: (a - x * x * 0.25) * special("pbwa_w", a, x)),
    "pbdv_d": (None, lambda v, x, r: special("pbdv_dp", v, x)),
    "pbdv_dp": (None, lambda v, x, r: _cylinder("pbdv_d", v, x)),
    "pbvv_v": (None, lambda v, x, r: special("pbvv_vp", v, x)),
    "pbvv_vp": (None, lambda v, x, r: _cylinder("pbvv_v", v, x)),
    "wright_bessel": (None, None, lambda a, b, x, r: special("wright_bessel", a, a + b, x)),
    "log_wright_bessel": (
        None, None, lambda a, b, x, r: exp(special("log_wright_bessel", a, a + b, x) - r),
    ),
}  # fmt: skip
