"""Exponential integrals, the transformations of Box and Cox, and other functions of exponentials.

"expi": (lambda x, r: special("exp_over", x),)        e^x / x, with the derivative e^x / x (1 - 1 / x)
"""

from __future__ import annotations

from mlirad.ir.formulas import (
    Formula,
    absolute,
    absorbing,
    exp,
    limited,
    log,
    log1p,
    maximum,
    sin,
    special,
    where,
)
from mlirad.rules.special_derivatives.parts import Definition, Derivatives, finite, is_double, is_infinite

_OVERFLOWING = 700.0
"""From here on e^x is not made where what is made of it does not overflow as early."""


def _exp_over(x: Formula) -> Formula:
    """e^x / x."""
    late = exp(x - log(finite(maximum(x, 1.0))))
    return where(x > (_OVERFLOWING if is_double(x) else 80), late, exp(x) / x)


def _sinh_over(x: Formula) -> Formula:
    """sinh(x) / x."""
    inner = limited(x, 1.0)
    near = special("hyp0f1", 1.5, inner * inner * 0.25)
    return where(absolute(x) < 1, near, 0.5 * (special("exp_over", x) + special("exp_over", -x)))


def _expn(n: Formula, x: Formula, r: Formula) -> Formula:
    """-E_(n - 1)(x), which is (E_0(x) + e^-x) / -x for n = 0."""
    return where(n == 0, -(exp(-x) + r) / x, -special("expn", maximum(n - 1, 0.0), x))


def _exprel(x: Formula, r: Formula) -> Formula:
    """(e^x - r) / x, for x > 0 as r (1 - 1 / x) + 1 / x, which does not overflow before r does.

    SciPy's loop for `hyp1f1` takes a time in proportion to |x|, so it is handed small numbers only.
    """
    near = 0.5 * special("hyp1f1", 2.0, 3.0, limited(x, 2.0))
    inverse = 1 / x
    value = where(x > _OVERFLOWING, special("exp_over", x), r)
    return where(absolute(x) < 2, near, where(x > 0, value * (1 - inverse) + inverse, (exp(x) - r) / x))


def _boxcox_lmbda(logarithm: Formula, lmbda: Formula) -> Formula:
    """By lmbda: boxcox is the logarithm times exprel(lmbda logarithm)."""
    power = absorbing(logarithm, lmbda)
    return absorbing(logarithm, absorbing(logarithm, _exprel(power, special("exprel", power))))


def _inverse_slope(y: Formula, lmbda: Formula) -> Formula:
    """(1 + t)^(1 / lmbda - 1) with t = lmbda y, for small lmbda as e^((1 - lmbda) y log1p(t) / t).

    Where t is large, either is infinite or 0.
    """
    t = absorbing(lmbda, y)
    is_small = (absolute(lmbda) < 0.01) & (t < 1e4)
    near = special("hyp2f1", 1.0, 1.0, 2.0, -limited(t, 0.5))
    quotient = where(absolute(t) < 0.5, near, log1p(t) / t)
    exponent = 1 / where(is_small, 1.0, lmbda) - 1
    return where(is_small, exp((1 - lmbda) * y * quotient), (1 + t) ** exponent)


def _logarithm_quotient_slope(t: Formula) -> Formula:
    """The derivative of log1p(t) / t, which is (1 - (1 + t) log1p(t) / t) / (1 + t) / t."""
    near = -0.5 * special("hyp2f1", 2.0, 2.0, 3.0, -limited(t, 0.5))
    t = finite(t)
    base = 1 + t
    return where(absolute(t) < 0.5, near, (1 - absorbing(base, log1p(t) / t)) / base / t)


def _inverse_by_lmbda(y: Formula, lmbda: Formula, power: Formula) -> Formula:
    """By lmbda: the power is exp(y log1p(t) / t) with t = lmbda y."""
    slope = _logarithm_quotient_slope(absorbing(lmbda, y))
    return absorbing(y, absorbing(y, slope * power))


def _spence(x: Formula) -> Formula:
    """log(x) / (1 - x)."""
    near = -special("hyp2f1", 1.0, 1.0, 2.0, -limited(x - 1, 0.5))
    far = where(is_infinite(x), 0.0, log(x) / (1 - x))
    return where(absolute(x - 1) < 0.5, near, far)


def _spence_curvature(x: Formula) -> Formula:
    """(1 - x + x log(x)) / x / (1 - x)^2."""
    near = 0.5 * special("hyp2f1", 2.0, 2.0, 3.0, -limited(x - 1, 0.5))
    x = finite(x)
    logarithm = log(x)
    parts = where(x < 0.5, (1 - x + absorbing(x, logarithm)) / x, 1 / x - 1 + logarithm)
    rest = 1 - x
    return where(absolute(rest) < 0.5, near, parts / rest / rest)


def _wrightomega(r: Formula) -> Formula:
    """r / (1 + r)."""
    total = 1 + r
    return where(r > 1, 1 - 1 / total, r / total)


DERIVATIVES: Derivatives = {
    "exp_over": (lambda x, r: r * (1 - 1 / x),),
    "expi": (lambda x, r: special("exp_over", x),),
    "exp1": (lambda x, r: special("exp_over", -x),),
    "expn": (None, _expn),
    "shichi_shi": (lambda x, r: _sinh_over(x),),
    "shichi_chi": (lambda x, r: 0.5 * (special("exp_over", x) - special("exp_over", -x)),),
    "exprel": (_exprel,),
    "cosm1": (lambda x, r: -sin(x),),
    "powm1": (
        lambda x, y, r: absorbing(y, x ** (y - 1)),
        lambda x, y, r: absorbing(x**y, log(x)),
    ),
    "spence": (lambda x, r: special("spence_slope", x),),
    "spence_slope": (lambda x, r: _spence_curvature(x),),
    "wrightomega": (lambda x, r: _wrightomega(r),),
    "boxcox": (lambda x, lmbda, r: x ** (lmbda - 1), lambda x, lmbda, r: _boxcox_lmbda(log(x), lmbda)),
    "boxcox1p": (
        lambda x, lmbda, r: (1 + x) ** (lmbda - 1),
        lambda x, lmbda, r: _boxcox_lmbda(log1p(x), lmbda),
    ),
    "inv_boxcox": (
        lambda y, lmbda, r: _inverse_slope(y, lmbda),
        lambda y, lmbda, r: _inverse_by_lmbda(y, lmbda, r),
    ),
    "inv_boxcox1p": (
        lambda y, lmbda, r: _inverse_slope(y, lmbda),
        lambda y, lmbda, r: _inverse_by_lmbda(y, lmbda, special("inv_boxcox", y, lmbda)),
    ),
}

DEFINITIONS: dict[str, Definition] = {
    "exp_over": _exp_over,
    "spence_slope": _spence,
}
