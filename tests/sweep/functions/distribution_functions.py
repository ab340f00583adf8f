"""Functions of `scipy.special` that are integrals of densities, and their inverses."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case
from tests.sweep.conventions import OPPOSITE, SUBNORMAL
from tests.sweep.functions.special_calls import (
    HALF_LINE,
    NEAR_ENDS,
    UNIT,
    beta_density,
    gamma_density,
    root_of,
    special,
)

SHAPES = tuple((v,) for v in (0.5, 1.0, 2.0, 3.5, 100.0))
BETA_SHAPES = ((0.5, 0.5), (1.0, 1.0), (2.0, 3.0), (50.0, 0.5), (1.0, 2.0))


def _gamma_quantile(y: Any, a: Any, *, upper: bool = False) -> Any:
    """The x where the lower, or upper, incomplete gamma function is y."""
    if not 0 < y < 1:
        raise ValueError
    if upper and y > 0.5:
        return _gamma_quantile(1 - y, a)
    start = (scipy.special.gammainccinv if upper else scipy.special.gammaincinv)(float(a), float(y))
    if start == 0 or (a < 1e3 and not upper and y < 1e-30):
        start = mp.power(y * mp.gamma(a + 1), 1 / a)
    ends = (None, 0) if upper else (0, None)

    def missing(x: Any) -> Any:
        found = mp.gammainc(a, x, mp.inf, True) if ends[0] is None else mp.gammainc(a, 0, x, True)
        return found - y

    return root_of(missing, lambda x: gamma_density(x, a) * (-1 if upper else 1), start)


def _beta_quantile(y: Any, a: Any, b: Any, *, upper: bool = False) -> Any:
    """The x where the lower, or upper, incomplete beta function is y."""
    if not 0 < y < 1:
        raise ValueError
    start = (scipy.special.betainccinv if upper else scipy.special.betaincinv)(float(a), float(b), float(y))
    if not 0 < start < 1:
        raise NotImplementedError

    def missing(x: Any) -> Any:
        found = mp.betainc(a, b, x, 1, True) if upper else mp.betainc(a, b, 0, x, True)
        return found - y

    return root_of(missing, lambda x: beta_density(x, a, b) * (-1 if upper else 1), start)


def _student_density(t: Any, df: Any) -> Any:
    return mp.power(1 + t * t / df, -(df + 1) / 2) / (mp.sqrt(df) * mp.beta(df / 2, mpf(1) / 2))


def _f_density(x: Any, m: Any, n: Any) -> Any:
    total = n + m * x
    return mp.power(m * x / total, m / 2 - 1) * mp.power(n / total, n / 2 + 1) * m / n / mp.beta(m / 2, n / 2)


def _owens_by_h(h: Any, a: Any) -> Any:
    return -mp.exp(-h * h / 2) * mp.erf(a * h / mp.sqrt(2)) / (2 * mp.sqrt(2 * mp.pi))


def _owens_by_a(a: Any, h: Any) -> Any:
    return mp.exp(-h * h * (1 + a * a) / 2) / (1 + a * a) / (2 * mp.pi)


def _lower_gamma(a: Any, x: Any) -> Any:
    """Less 1 where the rest is smaller, so that nothing hides it."""
    return mp.gammainc(a, 0, x, True) if x < a else -mp.gammainc(a, x, mp.inf, True)


def _lower_beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, True) if x < a / (a + b) else -mp.betainc(b, a, 0, 1 - x, True)


def _lower_student(df: Any, t: Any) -> Any:
    tail = mp.betainc(df / 2, mpf(1) / 2, 0, df / (df + t * t), True) / 2
    return tail if t < 0 else -tail


def _share(m: Any, n: Any, x: Any) -> Any:
    return m * x / (n + m * x)


SHAPE = {"usual": (0, 20), "domain": HALF_LINE, "reach": (1e-2, 1e4), "exponents": (-3, 3), "slow": True}
"""The cases by a shape: the convention `SHAPES`."""

QUANTILE_BY_SHAPE = {**SHAPE, "exponents": (-1, 1), "reach": (0.1, 40.0), "most": 6}

BY_SHAPES = (
    *(special(name, lambda a, x, s=s: s * _lower_gamma(a, x), others=((0.3,), (4.0,)), **SHAPE)
      for name, s in (("gammainc", 1), ("gammaincc", -1))),
    special("gammaincinv", lambda a, y: _gamma_quantile(y, a), others=((0.3,), (0.9,)), **QUANTILE_BY_SHAPE),
    special("gammainccinv", lambda a, y: _gamma_quantile(y, a, upper=True), others=((0.3,), (0.9,)), **QUANTILE_BY_SHAPE),
    *(special(name, lambda a, b, x, s=s: s * _lower_beta(a, b, x), others=((0.7, 0.3), (3.0, 0.9)), **SHAPE)
      for name, s in (("betainc", 1), ("betaincc", -1))),
    *(special(name, lambda b, a, x, s=s: s * _lower_beta(a, b, x), argument=1, others=((0.7, 0.3), (3.0, 0.9)), **SHAPE)
      for name, s in (("betainc", 1), ("betaincc", -1))),
    *(special(name, lambda a, b, y, upper=upper: _beta_quantile(y, a, b, upper=upper), others=((1.5, 0.3),),
              **QUANTILE_BY_SHAPE) for name, upper in (("betaincinv", False), ("betainccinv", True))),
    *(special(name, lambda b, a, y, upper=upper: _beta_quantile(y, a, b, upper=upper), argument=1, others=((1.5, 0.3),),
              **QUANTILE_BY_SHAPE) for name, upper in (("betaincinv", False), ("betainccinv", True))),
    special("stdtr", lambda df, t: _lower_student(df, t), others=((-2.0,), (0.3,)), **SHAPE),
    *(special(name, lambda v, x, s=s: s * _lower_gamma(v / 2, x / 2), others=((0.3,), (4.0,)), **SHAPE)
      for name, s in (("chdtr", 1), ("chdtrc", -1))),
    *(special(name, lambda b, a, x, s=s: s * _lower_gamma(b, a * x), argument=1, others=((2.0, 0.3), (0.5, 4.0)), **SHAPE)
      for name, s in (("gdtr", 1), ("gdtrc", -1))),
    *(special(name, lambda m, n, x, s=s: s * _lower_beta(m / 2, n / 2, _share(m, n, x)), others=((3.0, 0.8),), **SHAPE | {"reach": (1e-2, 1e3)})
      for name, s in (("fdtr", 1), ("fdtrc", -1))),
    *(special(name, lambda n, m, x, s=s: s * _lower_beta(m / 2, n / 2, _share(m, n, x)), argument=1, others=((3.0, 0.8),), **SHAPE | {"reach": (1e-2, 1e3)})
      for name, s in (("fdtr", 1), ("fdtrc", -1))),
)  # fmt: skip

QUANTILE = {"usual": UNIT, "domain": UNIT, "slow": True, "exponents": (-60, 0), "special": NEAR_ENDS}

HALF_IS_SUBNORMAL = {SUBNORMAL: tuple(float(np.finfo(t).smallest_normal) for t in (np.float64, np.float32))}


def _ends_of_both_signs(a: float, b: float) -> tuple[float, ...]:
    """The points at which the slope of a density is a sum of infinite terms of both signs."""
    return (0.0, 1.0) if a < 1 and b < 1 else ()


BY_POINTS = (
    special("gammainc", slope=gamma_density, argument=1, usual=(0, 20), domain=HALF_LINE, others=SHAPES, special=(700.0, 100.0)),
    special("gammaincc", slope=lambda x, a: -gamma_density(x, a), argument=1, usual=(0, 20), domain=HALF_LINE, others=SHAPES,
            special=(700.0, 100.0)),
    special("gammaincinv", slope=lambda y, a: 1 / gamma_density(_gamma_quantile(y, a), a), argument=1,
            others=((0.5,), (1.0,), (3.5,)), **QUANTILE),
    special("gammainccinv", slope=lambda y, a: -1 / gamma_density(_gamma_quantile(y, a, upper=True), a), argument=1,
            others=((0.5,), (1.0,), (3.5,)), **QUANTILE),
    special("betainc", slope=beta_density, argument=2, usual=UNIT, domain=UNIT, others=BETA_SHAPES, special=NEAR_ENDS,
            stated={OPPOSITE: _ends_of_both_signs}),
    special("betaincc", slope=lambda x, a, b: -beta_density(x, a, b), argument=2, usual=UNIT, domain=UNIT, others=BETA_SHAPES,
            special=NEAR_ENDS, stated={OPPOSITE: _ends_of_both_signs}),
    special("betaincinv", slope=lambda y, a, b: 1 / beta_density(_beta_quantile(y, a, b), a, b), argument=2,
            others=((2.0, 3.0), (0.5, 0.5)), **QUANTILE),
    special("betainccinv", slope=lambda y, a, b: -1 / beta_density(_beta_quantile(y, a, b, upper=True), a, b), argument=2,
            others=((2.0, 3.0), (0.5, 0.5)), **QUANTILE),
    special("stdtr", slope=_student_density, argument=1, others=((1.0,), (4.0,), (100.0,))),
    special("chdtr", slope=lambda x, v: gamma_density(x / 2, v / 2) / 2, argument=1, usual=(0, 20), domain=HALF_LINE,
            stated=HALF_IS_SUBNORMAL, others=((1.0,), (2.0,), (4.0,), (7.0,))),
    special("chdtrc", slope=lambda x, v: -gamma_density(x / 2, v / 2) / 2, argument=1, usual=(0, 20), domain=HALF_LINE,
            stated=HALF_IS_SUBNORMAL, others=((1.0,), (2.0,), (4.0,), (7.0,))),
    *(special(name, slope=lambda x, a, b, s=s: s * a * gamma_density(a * x, b), argument=2, usual=(0, 20), domain=HALF_LINE,
              others=((1.0, 2.0), (3.0, 0.5))) for name, s in (("gdtr", 1), ("gdtrc", -1))),
    *(special(name, slope=lambda a, b, x, s=s: s * x * gamma_density(a * x, b), usual=(0, 20), domain=HALF_LINE,
              others=((2.0, 1.0), (0.5, 3.0))) for name, s in (("gdtr", 1), ("gdtrc", -1))),
    *(special(name, slope=lambda m, k, s=s: s * gamma_density(m, k + 1), argument=1, usual=(0, 20), domain=HALF_LINE,
              others=((0.0,), (3.0,))) for name, s in (("pdtr", -1), ("pdtrc", 1))),
    *(special(name, slope=lambda k, m: mpf(0), usual=(0, 20), domain=HALF_LINE, others=((0.5,), (3.0,)), exponents=(-330, 1),
              knots=tuple(map(float, range(21)))) for name in ("pdtr", "pdtrc")),
    *(special(name, slope=lambda x, m, n, s=s: s * _f_density(x, m, n), argument=2, usual=(0, 20), domain=HALF_LINE,
              others=((2.0, 3.0), (5.0, 2.0), (1.0, 1.0))) for name, s in (("fdtr", 1), ("fdtrc", -1))),
    special("owens_t", slope=_owens_by_h, others=((0.5,), (2.0,), (-1.0,))),
    special("owens_t", slope=_owens_by_a, argument=1, others=((0.0,), (0.5,), (3.0,))),
)  # fmt: skip

CASES: tuple[Case, ...] = (*BY_POINTS, *BY_SHAPES)
"""Distribution functions, survival functions, quantiles."""
