"""Functions of `scipy.special`: exponentials, logarithms, entropies, errors and the gamma function."""

# ruff: noqa: E501

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case
from tests.sweep.conventions import OSCILLATION, OVERFLOW
from tests.sweep.functions.numpy_functions import HALVES, INFINITIES
from tests.sweep.functions.special_calls import (
    HALF_LINE,
    LARGEST,
    NEAR_ENDS,
    TAILS,
    UNIT,
    log_ndtr,
    ndtri,
    ndtri_exp,
    normal_density,
    part,
    power,
    root_of,
    special,
)

SIGNED_NEAR_ENDS = tuple(s * v for v in NEAR_ENDS for s in (1, -1))
POLES = (-1.0, -2.0, -3.0, -4.0, -5.0)
OF_GAMMA = (*POLES, 170.0, 171.6, 25.0, 1.0, 2.0, -0.5, -1.5, -20.5, -100.5, 1.4616321449683623)
NEAR_POLES = (-60.0, math.inf)
"""Below are poles alone in the end, as all large numbers are whole; mpmath takes long to say so."""

VALUES = tuple((v,) for v in (0.5, 1.0, 2.0, 1e-30, 1e30))
FROM_ZERO = ((0.0,), *VALUES)


def _double(value: float) -> Any:
    return mpf(value)


# Exponentials, logarithms, errors -----------------------------------------------------------------


def _exprel(x: Any) -> Any:
    return mp.expm1(x) / x if x else mpf(1)


def _wright(x: Any) -> Any:
    if x < -100:
        return mp.lambertw(mp.exp(x)).real
    start = x - mp.log(x) if x > 2 else mp.exp(x) if x < -1 else mpf(1)
    return root_of(lambda w: w + mp.log(w) - x, lambda w: 1 + 1 / w, start)


def _lambert_slope(branch: int, x: Any) -> Any:
    w = mp.lambertw(x, branch)
    if w.imag != 0:
        raise ValueError
    return 1 / (mp.exp(w.real) * (1 + w.real))


LOWEST = -math.exp(-1)

ONE_ARGUMENT = (
    special("expit", slope=lambda x: mp.sech(x / 2) ** 2 / 4, special=TAILS),
    special("log_expit", slope=lambda x: 1 / (1 + mp.exp(x)), special=TAILS),
    special("logit", slope=lambda x: 1 / x + 1 / (1 - x), usual=UNIT, domain=UNIT, special=NEAR_ENDS),
    special("entr", lambda x: -x * mp.log(x), usual=(0, 5), domain=HALF_LINE),
    special("exp2", lambda x: mp.power(2, x), usual=(-20, 20)),
    special("exp10", lambda x: mp.power(10, x), usual=(-20, 20)),
    special("expm1", mp.exp, usual=(-20, 20)),
    special("log1p", mp.log1p, usual=(-0.9, 20), domain=(-1.0, math.inf)),
    special("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), usual=(-20, 20)),
    special("round", lambda x: mpf(0), knots=HALVES),
    special("gammasgn", lambda x: mpf(0), knots=(0.0, *POLES), exponents=(-330, 0), usual=(-4.9, 5)),
    special("cosm1", mp.cos, usual=(-20, 20)),
    special("exprel", _exprel, special=(1e-3, 1e-5, -1e-5, -2.0, 2.0, -50.0, -800.0, 700.0)),
    special("erf", slope=lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x), special=(6.0, 9.0, 20.0, 25.0, -9.0)),
    special("erfc", slope=lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x), special=(6.0, 9.0, 20.0, 25.0, -9.0)),
    special("erfi", slope=lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(x * x), exponents=(-330, 20), special=(20.0, 26.0)),
    special("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), usual=(-5, 30), special=(19.9, 20.0, 20.1, 6.0, 50.0), slow=True),
    special("dawsn", lambda x: x * mp.hyp1f1(1, 1.5, -x * x), usual=(-30, 30), slow=True,
            special=(0.9241388730045917, 19.9, 20.0, 20.1, 6.0)),
    special("erfinv", slope=lambda y: mp.sqrt(mp.pi) / 2 * mp.exp(ndtri((1 + y) / 2) ** 2 / 2), usual=(-1, 1),
            domain=(-1.0, 1.0), special=SIGNED_NEAR_ENDS, slow=True),
    special("erfcinv", slope=lambda y: -mp.sqrt(mp.pi) / 2 * mp.exp(ndtri(y / 2) ** 2 / 2), usual=(0, 2),
            domain=(0.0, 2.0), special=(*NEAR_ENDS, 2 - 1e-12, 2 - 1e-7), slow=True),
    special("ndtr", slope=normal_density, usual=(-10, 10), special=(-20.0, -37.0, 8.0, 9.0, 20.0)),
    special("log_ndtr", log_ndtr, usual=(-20, 10), special=(-20.0, -37.0, 8.0, 9.0, 20.0, 37.0, -100.0), slow=True),
    special("ndtri", slope=lambda p: 1 / normal_density(ndtri(p)), usual=UNIT, domain=UNIT, special=NEAR_ENDS, slow=True),
    special("ndtri_exp", slope=lambda y: mp.exp(y) / normal_density(ndtri_exp(y)), usual=(-50, 0),
            domain=(-math.inf, 0.0), special=(-1e-15, -1e-100, -1e5, -2.0), slow=True),
    special("spence", slope=lambda x: mp.log(x) / (1 - x), usual=(0, 10), domain=HALF_LINE,
            special=(1 + 1e-3, 1 + 1e-7, 1.0, 1.5, 0.5)),
    special("wrightomega", slope=lambda x: 1 - 1 / (1 + _wright(x)), usual=(-20, 20), special=(-50.0, -700.0), slow=True),
    special("exp1", slope=lambda x: -mp.exp(-x) / x, usual=(0, 20), domain=HALF_LINE, special=(50.0, 700.0)),
    special("expi", slope=lambda x: mp.exp(x) / x, usual=(-20, 20), special=(50.0, 700.0, 1.0)),
    Case(name="special.lambertw", call=lambda x: scipy.special.lambertw(x).real, slope=lambda x: _lambert_slope(0, x),
         usual=(-0.36, 20), domain=(LOWEST, math.inf), special=(-0.36787944, -0.3678, 0.5, -0.1), slow=True),
    Case(name="special.lambertw", label="branch -1", call=lambda x: scipy.special.lambertw(x, -1).real,
         slope=lambda x: _lambert_slope(-1, x), usual=(-0.367, 0), domain=(LOWEST, 0.0),
         special=(-0.36787944, -0.3678, -0.25, -0.1, -1e-100), slow=True),
    special("sindg", lambda x: mp.sin(mp.radians(x)), usual=(-360, 360), exponents=(-330, 10), special=(90.0, 180.0, 360.0), stated={OSCILLATION: INFINITIES}, waves=True),
    special("cosdg", lambda x: mp.cos(mp.radians(x)), usual=(-360, 360), exponents=(-330, 10), special=(90.0, 180.0, 360.0), stated={OSCILLATION: INFINITIES}, waves=True),
    special("tandg", lambda x: mp.tan(mp.radians(x)), usual=(-80, 80), exponents=(-330, 10), special=(89.99, 45.0, 180.0)),
    special("cotdg", lambda x: mp.cot(mp.radians(x)), usual=(1, 170), exponents=(-330, 10), special=(90.0, 45.0)),
    part("sici", 0, slope=lambda x: mp.sinc(x), usual=(-20, 20), exponents=(-330, 15), waves=True, special=(1.0,)),
    part("sici", 1, slope=lambda x: mp.cos(x) / x, usual=(0, 20), exponents=(-330, 15), domain=HALF_LINE, waves=True),
    part("shichi", 0, slope=lambda x: mp.sinh(x) / x if x else mpf(1), usual=(-20, 20), special=(1.0, 700.0)),
    part("shichi", 1, slope=lambda x: mp.cosh(x) / x, usual=(0, 20), domain=HALF_LINE, special=(700.0,)),
    part("fresnel", 0, stated={OSCILLATION: INFINITIES}, slope=lambda x: mp.sin(x * x * mp.pi / 2), exponents=(-330, 3), waves=True),
    part("fresnel", 1, stated={OSCILLATION: INFINITIES}, slope=lambda x: mp.cos(x * x * mp.pi / 2), exponents=(-330, 3), waves=True),
)  # fmt: skip

# The gamma function -------------------------------------------------------------------------------

AB = tuple((v,) for v in (0.5, 1.0, 3.0, 100.0))


def _log_beta(a: Any, b: Any) -> Any:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def _rising(z: Any, m: Any) -> Any:
    if m == int(m) and 0 <= m < 10:
        return mp.fprod(z + k for k in range(int(m)))
    return mp.gammaprod([z + m], [z])


def _binomial(n: Any, k: Any) -> Any:
    if k == int(k):
        return mp.fprod((n - j) / (j + 1) for j in range(int(k)))
    return mp.gamma(n + 1) * mp.rgamma(n - k + 1) * mp.rgamma(k + 1)


GAMMA = (
    special("gammaln", slope=lambda x: mp.psi(0, x), usual=(-5, 20), reach=NEAR_POLES, special=OF_GAMMA),
    special("loggamma", slope=lambda x: mp.psi(0, x), usual=(0, 20), domain=HALF_LINE, special=OF_GAMMA),
    special("gamma", mp.gamma, usual=(-5, 20), exponents=(-330, 2), reach=NEAR_POLES, special=OF_GAMMA),
    special("rgamma", mp.rgamma, usual=(-5, 20), exponents=(-330, 2), domain=(-170.0, math.inf), special=OF_GAMMA),
    special("psi", lambda x: mp.psi(0, x), usual=(-5, 20), reach=NEAR_POLES, special=OF_GAMMA),
    *(Case(name="special.polygamma", label=f"order {n}", argument=1, call=lambda x, n=n: scipy.special.polygamma(n, x),
           exact=lambda x, n=n: mp.psi(n, x), usual=(-5, 20), special=OF_GAMMA, reach=NEAR_POLES, slow=True) for n in (1, 2, 3)),
    *(special("beta", lambda a, b: mp.exp(_log_beta(a, b)), argument=k, usual=(0, 20), domain=HALF_LINE, others=AB,
              exponents=(-330, 12), slow=True) for k in (0, 1)),
    *(special("betaln", slope=lambda a, b: mp.psi(0, a) - mp.psi(0, a + b), argument=k, usual=(0, 20), domain=HALF_LINE,
              others=AB, exponents=(-330, 12), slow=True) for k in (0, 1)),
    special("binom", _binomial, usual=(0, 20),
            others=tuple((v,) for v in (0.0, 1.0, 2.0, 2.5)), exponents=(-330, 8), domain=(-1.0, math.inf),
            reach=(-0.999, math.inf), length=lambda n, k: (n + 1) ** 2, residues=True, special=(100.0, 1e4), slow=True),
    special("binom", lambda k, n: mp.gamma(n + 1) * mp.rgamma(n - k + 1) * mp.rgamma(k + 1), argument=1, usual=(-3, 12),
            others=((5.0,), (10.5,)), exponents=(-330, 1), slow=True, stated={OSCILLATION: INFINITIES}),
    special("poch", _rising, usual=(0.1, 20), others=tuple((v,) for v in (1.0, 2.0, 0.5, -0.5, 3.0)), exponents=(-330, 12),
            domain=lambda m: (-math.inf if m == int(m) else max(-m, 0.0), math.inf), special=(100.0, 1e4, 1e6), slow=True),
    special("poch", lambda m, z: mp.gammaprod([z + m], [z]), argument=1, usual=(0, 20), others=((0.5,), (3.0,)),
            exponents=(-330, 2), domain=HALF_LINE, slow=True),
    Case(name="special.multigammaln", call=lambda a: scipy.special.multigammaln(a, 3),
         slope=lambda a: mp.psi(0, a) + mp.psi(0, a - mpf(1) / 2) + mp.psi(0, a - 1), usual=(1, 20), domain=(1.0, math.inf)),
    special("factorial", lambda x: mp.gamma(x + 1), usual=(0, 20), domain=HALF_LINE, exponents=(-330, 2)),
    special("comb", lambda n, k: mp.gamma(n + 1) * mp.rgamma(n - k + 1) * mp.rgamma(k + 1), usual=(3, 20), others=((2.0,),),
            exponents=(-330, 8), domain=lambda k: (k, math.inf), slow=True),
    special("comb", lambda k, n: mp.gamma(n + 1) * mp.rgamma(n - k + 1) * mp.rgamma(k + 1), argument=1, usual=(0, 7),
            others=((7.5,),), domain=lambda n: (0.0, n), slow=True),
    special("perm", lambda n, k: mp.gamma(n + 1) * mp.rgamma(n - k + 1), usual=(3, 20), others=((2.0,),),
            exponents=(-330, 8), domain=lambda k: (k, math.inf), slow=True),
    special("perm", lambda k, n: mp.gamma(n + 1) * mp.rgamma(n - k + 1), argument=1, usual=(0, 7), others=((7.5,),),
            domain=lambda n: (0.0, n), slow=True),
    special("zeta", slope=lambda q, x: -x * mp.zeta(x + 1, q), argument=1, usual=(0, 20), domain=HALF_LINE,
            others=((1.5,), (2.0,), (5.0,)), exponents=(-30, 8), slow=True),
    special("zeta", lambda x, q: mp.zeta(x, q), usual=(1, 20), domain=(1.0, math.inf), reach=(1.001, 300.0), exponents=(-1, 2),
            others=((0.5,), (1.0,), (30.0,)), special=(199.9, 200.1), slow=True, most=20),
    special("zetac", mp.zeta, usual=(-10, 20), reach=(-40.0, 50.0), exponents=(-8, 1), special=(-2.0, -0.5, 0.999, 1.001), slow=True, most=30),
)  # fmt: skip

# Entropies, losses, transformations of data -------------------------------------------------------

LAMBDAS = tuple((v,) for v in (0.0, 1.0, 0.5, -1.0, 1e-10, 2.0))


def _relative_entropy(x: Any, y: Any) -> Any:
    return x * (mp.log(x) - mp.log(y)) if x else mpf(0)


def _huber(r: Any, delta: Any) -> Any:
    return r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)


def _pseudo_huber(r: Any, delta: Any) -> Any:
    return delta * (mp.hypot(delta, r) - delta)


def _boxcox(x: Any, c: Any) -> Any:
    return mp.expm1(c * mp.log(x)) / c if c else mp.log(x)


def _inv_boxcox(y: Any, c: Any) -> Any:
    if c == 0:
        return mp.exp(y)
    if 1 + c * y < 0:
        raise ValueError
    return mp.power(1 + c * y, 1 / c)


def _pole_of_inverse(c: float) -> tuple[float, float]:
    if c == 0:
        return (-math.inf, math.inf)
    return (-1 / c, math.inf) if c > 0 else (-math.inf, -1 / c)


def _range_of_lambda(y: float) -> tuple[float, float]:
    """The interval in which 1 + lmbda y is positive, without the pole."""
    end = (1e-9 - 1) / y if y else -math.inf
    return (-math.inf, math.inf) if y == 0 else (end, math.inf) if y > 0 else (-math.inf, end)


DATA = (
    special("xlogy", lambda x, y: x * mp.log(y), others=VALUES),
    special("xlogy", lambda y, x: x * mp.log(y), argument=1, usual=(0, 10), domain=HALF_LINE, others=FROM_ZERO),
    Case(name="special.xlogy", label="of one number", call=lambda x: scipy.special.xlogy(x, x),
         exact=lambda x: x * mp.log(x), usual=(0, 10), domain=HALF_LINE),
    special("xlog1py", lambda x, y: x * mp.log1p(y), others=VALUES),
    special("xlog1py", lambda y, x: x * mp.log1p(y), argument=1, usual=(-0.9, 10), domain=(-1.0, math.inf), others=FROM_ZERO),
    special("rel_entr", _relative_entropy, usual=(0, 5), domain=HALF_LINE, others=VALUES),
    special("rel_entr", lambda y, x: _relative_entropy(x, y), argument=1, usual=(0, 5), domain=HALF_LINE, others=FROM_ZERO),
    special("kl_div", lambda x, y: _relative_entropy(x, y) - x + y, usual=(0, 5), domain=HALF_LINE, others=VALUES,
            special=(1 + 1e-7, 2 + 1e-7, 0.5)),
    special("kl_div", lambda y, x: _relative_entropy(x, y) - x + y, argument=1, usual=(0, 5), domain=HALF_LINE,
            others=FROM_ZERO, special=(1 + 1e-7, 2 + 1e-7, 0.5)),
    special("huber", _huber, argument=1, others=((0.0,), (1.0,), (1e-5,), (1e30,)),
            knots=lambda d: (d, -d) if d else ()),
    special("huber", lambda d, r: _huber(r, d), usual=(0, 5), domain=HALF_LINE, others=((0.0,), (1.0,), (1e-5,), (-2.0,)),
            knots=lambda r: (abs(r),) if r else ()),
    special("pseudo_huber", _pseudo_huber, argument=1, others=((1.0,), (1e-5,), (1e10,), (1e-30,), (0.0,))),
    special("pseudo_huber", lambda d, r: _pseudo_huber(r, d), usual=(0, 5), domain=HALF_LINE,
            others=((0.0,), (1.0,), (1e-5,), (1e10,), (-2.0,)), special=(100.0, 1e4)),
    special("boxcox", _boxcox, usual=(0, 10), domain=HALF_LINE, others=LAMBDAS),
    special("boxcox", lambda c, x: mp.log(x) * _exprel(c * mp.log(x)), argument=1, others=VALUES, exponents=(-330, 150)),
    special("boxcox1p", lambda x, c: _boxcox(1 + x, c), usual=(-1, 10), domain=(-1.0, math.inf), others=LAMBDAS),
    special("boxcox1p", lambda c, x: mp.log1p(x) * _exprel(c * mp.log1p(x)), argument=1, others=VALUES,
            exponents=(-330, 150)),
    special("inv_boxcox", _inv_boxcox, domain=_pole_of_inverse, others=LAMBDAS, stated={OVERFLOW: LARGEST}),
    special("inv_boxcox", lambda c, y: _inv_boxcox(y, c), argument=1, usual=(-0.4, 5), domain=_range_of_lambda,
            others=((0.0,), (0.5,), (2.0,), (-1.0,))),
    special("inv_boxcox1p", _inv_boxcox, domain=_pole_of_inverse, others=LAMBDAS, stated={OVERFLOW: LARGEST}),
    special("inv_boxcox1p", lambda c, y: _inv_boxcox(y, c), argument=1, usual=(-0.4, 5), domain=_range_of_lambda,
            others=((0.0,), (0.5,), (2.0,), (-1.0,))),
    special("powm1", power, usual=(0, 10), domain=HALF_LINE, others=tuple((v,) for v in (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0))),
    special("powm1", lambda y, x: mp.power(x, y), argument=1, usual=(-10, 10), others=tuple((v,) for v in (0.5, 1.0, 2.0, 1e30))),
    *(Case(name="special.radian", argument=k, exact=lambda v, k=k: mp.radians(v / 60**k),
           call=lambda v, k=k: scipy.special.radian(*(v if j == k else np.ones_like(v) for j in range(3)))) for k in range(3)),
)  # fmt: skip

CASES: tuple[Case, ...] = (*ONE_ARGUMENT, *GAMMA, *DATA)
"""Functions that are elementary, and those of the gamma function."""
