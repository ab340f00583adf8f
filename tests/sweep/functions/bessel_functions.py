"""Functions of `scipy.special` that solve linear differential equations: Bessel, hypergeometric, elliptic ones."""

# ruff: noqa: E501

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case
from tests.sweep.conventions import ACCURACY, DIGITS, OVERFLOW, POLE
from tests.sweep.functions.special_calls import HALF_LINE, integer_or, part, special
from tests.sweep.points import BESIDE

LARGE = {OVERFLOW: (710.0, -710.0)}
UNDERFLOW = {OVERFLOW: tuple(700 * (1 + d) for d in BESIDE)}
"""The arguments at which SciPy's general functions are 0, and those of whole orders are not."""


def _underflows(dtype: type[np.floating], x: float, v: float = 0.0) -> bool:
    """Return whether functions of neighbouring orders are 0, or infinite, in SciPy alone."""
    size = abs(x)
    return 0 < size < 1e-303 or (size < 1 and v > 2 and (size / 2) ** (v - 2) < 1e-302)


ORDERS = tuple((v,) for v in (0.0, 0.5, 1.0, 2.0, 2.5, 5.0))
WHOLE_ORDERS = ((0.0,), (1.0,), (3.0,))
WAVES = {"slow": True, "waves": True, "special": (25.0, 50.0, 100.0, 2.404825557695773, 1e-3, 1e-5)}
GROWING = {"slow": True, "special": (8.0, 25.0, 50.0, 100.0, 600.0, 700.0, 1e-3, 1e-5)}
POSITIVE = {"domain": HALF_LINE, "usual": (0, 20)}


def _scaled_i(x: Any, v: Any) -> Any:
    """e^-|x| I_v(x), far out by its asymptotic series."""
    size = abs(x)
    if size < 400:
        return mp.exp(-size) * mp.besseli(v, x)
    sign = -1 if x < 0 and int(v) % 2 else 1
    return sign * _asymptotic(size, v, -1) / mp.sqrt(2 * mp.pi * size)


def _scaled_k(x: Any, v: Any) -> Any:
    """e^x K_v(x), but near 0 and far out by its integral of exp(x - x cosh(t)) cosh(v t) over t."""
    if not x > 0:
        raise ValueError
    if x < 0.5:
        return mp.exp(x) * mp.besselk(v, x)
    if x < 400:
        needed = mp.dps * mp.log(10) + 20
        h = mp.pi**2 / (needed + x)
        nodes = (h * k for k in range(1, int(mp.acosh(1 + needed / x + 5) / h) + 2))
        return h * (mpf(1) / 2 + mp.fsum(mp.exp(x - x * mp.cosh(t)) * mp.cosh(v * t) for t in nodes))
    return _asymptotic(x, v, 1) * mp.sqrt(mp.pi / (2 * x))


def _k(x: Any, v: Any) -> Any:
    return mp.exp(-x) * _scaled_k(x, integer_or(v))


def _asymptotic(x: Any, v: Any, sign: int) -> Any:
    """The sum of products of (4 v^2 - (2k - 1)^2) / (8 k x), as long as its terms fall."""
    total, term, k = mpf(1), mpf(1), 0
    while True:
        k += 1
        new = term * sign * (4 * v * v - (2 * k - 1) ** 2) / (8 * k * x)
        if new == 0 or abs(new) < mp.eps:
            return total + new
        if abs(new) > abs(term) and k > v + 2:
            raise ValueError("too close for this precision")
        total, term = total + new, new


def _line_if_whole(v: float) -> tuple[float, float]:
    """Functions of whole orders are real for negative numbers, too."""
    return (-math.inf, math.inf) if v == int(v) else HALF_LINE


def _of_first(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of order and argument, called with these the other way round."""
    return lambda x, v: f(integer_or(v), x)


def _struve(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, v: f(v, x)


def _spherical(kind: str, n: int) -> Callable[[Any], Any]:
    order = n + mpf(1) / 2

    def regular(x: Any) -> Any:
        sign = -1 if kind == "jn" else 1
        product = mp.fac2(2 * n + 1)
        return x**n / product * mp.hyp0f1(order + 1, sign * x * x / 4)

    def singular(x: Any) -> Any:
        return mp.sqrt(mp.pi / (2 * x)) * (mp.bessely if kind == "yn" else mp.besselk)(order, x)

    return regular if kind in ("jn", "in") else singular


def _spherical_case(kind: str, n: int, *, derivative: bool) -> Case:
    value = _spherical(kind, n)
    stated = {"slope": None, "exact": value}
    if derivative:
        stated = {"exact": lambda x: mp.diff(value, x, h=mpf(10) ** (-mp.dps // 3))}
    domain = {} if kind in ("jn", "in") else POSITIVE
    return Case(
        name=f"special.spherical_{kind}", label=f"order {n}{', derivative' if derivative else ''}", argument=1,
        call=lambda x: getattr(scipy.special, f"spherical_{kind}")(n, x, derivative), **stated,
        **{"usual": (-20, 20), "exponents": (-60 if derivative else -330, 2), "waves": kind in ("jn", "yn"), "slow": True,
           "special": (1.0, 1e-3)} | domain,
    )  # fmt: skip


BESSEL = (
    special("j0", lambda x: mp.besselj(0, x), usual=(-20, 20), exponents=(-330, 5), **WAVES),
    special("j1", lambda x: mp.besselj(1, x), usual=(-20, 20), exponents=(-330, 5), **WAVES),
    special("y0", lambda x: mp.bessely(0, x), exponents=(-330, 5), **POSITIVE, **WAVES),
    special("y1", lambda x: mp.bessely(1, x), exponents=(-330, 5), **POSITIVE, **WAVES),
    special("jv", _of_first(mp.besselj), argument=1, others=ORDERS, regions={OVERFLOW: _underflows}, exponents=(-330, 4), **POSITIVE, **WAVES),
    special("yv", _of_first(mp.bessely), argument=1, regions={OVERFLOW: _underflows}, others=ORDERS, exponents=(-330, 4), **POSITIVE, **WAVES),
    special("yn", _of_first(mp.bessely), argument=1, regions={OVERFLOW: _underflows}, others=WHOLE_ORDERS, exponents=(-330, 4), **POSITIVE, **WAVES),
    special("i0", lambda x: mp.besseli(0, x), usual=(-20, 20), exponents=(-330, 2), stated=LARGE, **GROWING),
    special("i1", lambda x: mp.besseli(1, x), usual=(-20, 20), exponents=(-330, 2), stated=LARGE, **GROWING),
    special("i0e", lambda x: _scaled_i(x, 0), usual=(-20, 20), knots=(0.0,), **GROWING),
    special("i1e", lambda x: _scaled_i(x, 1), usual=(-20, 20), knots=(0.0,), **GROWING),
    special("iv", _of_first(mp.besseli), argument=1, others=ORDERS, regions={OVERFLOW: _underflows}, stated=LARGE, exponents=(-330, 2), **POSITIVE, **GROWING),
    special("ive", _scaled_i, argument=1, others=ORDERS, regions={OVERFLOW: _underflows}, domain=_line_if_whole, knots=lambda v: (0.0,) if v == int(v) else (),
            usual=(0, 20), **GROWING),
    special("k0", lambda x: _k(x, 0), exponents=(-330, 2), **POSITIVE, **GROWING),
    special("k1", lambda x: _k(x, 1), exponents=(-330, 2), **POSITIVE, **GROWING),
    special("k0e", lambda x: _scaled_k(x, 0), **POSITIVE, **GROWING),
    special("k1e", lambda x: _scaled_k(x, 1), **POSITIVE, **GROWING),
    special("kv", _k, argument=1, stated=UNDERFLOW, regions={OVERFLOW: _underflows}, others=ORDERS, exponents=(-330, 2), **POSITIVE, **GROWING),
    special("kn", _k, argument=1, stated=UNDERFLOW, regions={OVERFLOW: _underflows}, others=WHOLE_ORDERS, exponents=(-330, 2), **POSITIVE, **GROWING),
    special("kve", lambda x, v: _scaled_k(x, integer_or(v)), argument=1, others=ORDERS, **POSITIVE, **GROWING),
    special("struve", _struve(mp.struveh), argument=1, others=((0.0,), (1.0,), (2.5,)), exponents=(-330, 3), waves=True,
            slow=True, **POSITIVE),
    special("modstruve", _struve(mp.struvel), argument=1, others=((0.0,), (1.0,), (2.5,)), exponents=(-330, 1), slow=True,
            **POSITIVE),
    *(_spherical_case(kind, n, derivative=derivative) for kind in ("jn", "yn", "in", "kn")
      for n, derivative in ((0, False), (1, False), (2, False), (3, False), (0, True), (1, True))),
)  # fmt: skip


def _airye(f: Callable[[Any], Any], sign: int) -> Callable[[Any], Any]:
    """Times e^(sign 2/3 x^1.5) from x = 0 on."""
    return lambda x: f(x) * (mp.exp(sign * mpf(2) / 3 * mp.power(x, 1.5)) if x > 0 else mpf(1))


AIRY_FUNCTIONS = (
    mp.airyai, lambda x: mp.airyai(x, derivative=1), mp.airybi, lambda x: mp.airybi(x, derivative=1),
)  # fmt: skip

AIRY = (
    *(part("airy", k, f, usual=(-10, 10), exponents=(-330, 1), waves=True, slow=True, special=(10.0, 20.0, 50.0, 100.0))
      for k, f in enumerate(AIRY_FUNCTIONS)),
    *(part("airye", k, _airye(f, 1 if k < 2 else -1), usual=(0, 10), exponents=(-330, 2), waves=True, slow=True,
           domain=HALF_LINE, special=(10.0, 20.0, 50.0, 100.0, 500.0)) for k, f in enumerate(AIRY_FUNCTIONS)),
    *(part("airye", k, f, usual=(-10, 0), exponents=(-330, 1), waves=True, slow=True, domain=(-math.inf, 0.0), label=" below 0",
           stated={POLE: (0.0,)})
      for k, f in list(enumerate(AIRY_FUNCTIONS))[2:]),
)  # fmt: skip


def _near_one(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """f(1 - p) with digits enough to tell 1 - p from 1."""

    def of_complement(p: Any) -> Any:
        if p <= 0:
            raise ValueError
        with mp.workdps(mp.dps + max(0, int(-mp.log10(p))) + 5):
            return f(1 - p)

    return of_complement


def _expn(x: Any, n: Any) -> Any:
    """By recurrence from orders 0 and 1, which takes digits where x is large."""
    if n == 0 or not x > 0:
        return mp.exp(-x) / x
    with mp.workdps(mp.dps + 10 + int(n * max(mp.log10(x), 0))):
        decay, value = mp.exp(-x), mp.e1(x)
        for k in range(1, int(n)):
            value = (decay - x * value) / k
        return value


def _agm(a: Any, b: Any) -> Any:
    return mp.agm(a, b)


def _height(phi: Any, m: Any) -> Any:
    return mp.sqrt(1 - m * mp.sin(phi) ** 2)


def _jacobi(kind: str) -> Callable[..., Any]:
    return lambda u, m: mp.ellipfun(kind, u, m=m)


def _is_off_in_scipy(dtype: type[np.floating], x: float, a: float, b: float) -> bool:
    """Return whether SciPy's `hyperu` may be off by more than rounding."""
    return 2 < x < 8


HYPERGEOMETRIC = (
    special("hyp0f1", lambda x, b: mp.hyp0f1(b, x), argument=1, others=((0.5,), (1.0,), (2.5,)), exponents=(-330, 3), slow=True),
    special("hyp1f1", lambda x, a, b: mp.hyp1f1(a, b, x), argument=2, exponents=(-330, 2), special=(-50.0, -300.0, 50.0),
            others=((1.0, 2.0), (0.5, 1.5), (-2.0, 0.5), (2.0, 3.0)), slow=True),
    special("hyperu", lambda x, a, b: mp.hyperu(a, b, x), argument=2, usual=(0, 10), domain=HALF_LINE, exponents=(-30, 4),
            others=((1.0, 2.0), (0.5, 1.5), (2.0, 0.5)), slow=True, regions={ACCURACY: _is_off_in_scipy}),
    special("hyp2f1", lambda x, a, b, c: mp.hyp2f1(a, b, c, x), argument=3, usual=(-3, 1), domain=(-math.inf, 1.0),
            exponents=(-330, 5), special=(0.99, 1 - 1e-7, 0.9, -0.5, -1.0),
            others=((1.0, 1.0, 2.0), (0.5, 0.5, 1.0), (2.0, 2.0, 3.0), (-2.0, 1.5, 0.5)), slow=True),
    special("expn", _expn, argument=1, others=((0.0,), (1.0,), (2.0,), (3.0,), (5.0,)), exponents=(-330, 2),
            special=(50.0, 600.0), slow=True, **POSITIVE),
    special("ellipk", mp.ellipk, usual=(-5, 1), domain=(-math.inf, 1.0), exponents=(-330, 15), slow=True,
            special=(0.1, -0.1, 0.05, 1 - 1e-9, 1 - 1e-14)),
    special("ellipe", mp.ellipe, usual=(-5, 1), domain=(-math.inf, 1.0), exponents=(-330, 15), slow=True,
            special=(0.1, -0.1, 0.05, 1 - 1e-9, 1 - 1e-14)),
    special("ellipkm1", _near_one(mp.ellipk), usual=(0, 5), domain=HALF_LINE, exponents=(-330, 15), slow=True,
            special=(0.9, 1.1, 1.0, 1e-14)),
    special("ellipkinc", slope=lambda p, m: 1 / _height(p, m), usual=(-3, 3), others=((0.0,), (0.5,), (0.99,), (-2.0,)),
            exponents=(-330, 15)),
    special("ellipeinc", slope=_height, usual=(-3, 3), others=((0.0,), (0.5,), (0.99,), (-2.0,)), exponents=(-330, 15)),
    *(special("agm", _agm, argument=k, usual=(0, 10), domain=HALF_LINE, others=((1.0,), (2.0,), (1e-5,), (1e5,)),
              special=(1 + 1e-7, 1.001), slow=True) for k in (0, 1)),
    *(part("ellipj", k, _jacobi(kind), usual=(-5, 5), others=((0.0,), (0.5,), (0.99,)), exponents=(-330, 1), waves=True, slow=True)
      for k, kind in enumerate(("sn", "cn", "dn"))),
    part("ellipj", 3, slope=_jacobi("dn"), usual=(-5, 5), others=((0.0,), (0.5,), (0.99,)), exponents=(-330, 1), waves=True,
         slow=True),
)  # fmt: skip


# Orders and parameters ----------------------------------------------------------------------------

PLACES = ((0.3,), (2.0,), (6.5,), (30.0,))
"""The points for Bessel functions as functions of their order."""


BY_ORDER: dict[str, Any] = {"slow": True, "usual": (-8, 12), "exponents": (-8, 1), "most": 60, "others": PLACES,
                            "special": (0.25, 3.0, 5.999, 6.0, 20.0, 80.0), "reach": (-40.0, 120.0)}  # fmt: skip
"""Orders that are common; those near 100 are next to the end of power series of J."""

BY_PARAMETER: dict[str, Any] = {"slow": True, "usual": (0.1, 8), "exponents": (-3, 1), "most": 40, "domain": HALF_LINE,
                                "reach": (1e-3, 30.0)}  # fmt: skip
BY_MODULUS: dict[str, Any] = {"slow": True, "usual": (-3, 1), "exponents": (-8, 2), "most": 40, "domain": (-math.inf, 1.0),
                              "reach": (-100.0, 0.99), "others": ((0.3,), (1.2,), (-4.0,))}  # fmt: skip


def _cancels(dtype: type[np.floating], a: float, b: float, x: float) -> bool:
    """Return whether the terms of 1F1, those of b - a and -x for negative x, are a million times their sum."""
    first = b - a if x < 0 else a
    terms = [mp.rf(first, k) / mp.rf(b, k) * abs(x) ** k / mp.factorial(k) for k in range(200)]
    return bool(mp.fsum(terms, absolute=True) > 1e6 * abs(mp.fsum(terms)))


ORDERS_AND_PARAMETERS = (
    special("jv", mp.besselj, waves=True, **BY_ORDER),
    special("yv", mp.bessely, waves=True, **BY_ORDER),
    special("iv", mp.besseli, **BY_ORDER),
    special("ive", lambda v, x: mp.exp(-x) * mp.besseli(v, x), **BY_ORDER),
    special("kv", mp.besselk, **BY_ORDER),
    special("kve", lambda v, x: mp.exp(x) * mp.besselk(v, x), **BY_ORDER),
    special("hyp0f1", mp.hyp0f1, **BY_PARAMETER, others=((-80.0,), (-3.0,), (0.7,), (30.0,))),
    special("hyp1f1", mp.hyp1f1, **BY_PARAMETER, others=((1.5, -20.0), (0.5, 0.7), (2.0, 30.0)),
            regions={DIGITS: _cancels}),
    special("hyp1f1", lambda b, a, x: mp.hyp1f1(a, b, x), argument=1, **BY_PARAMETER, others=((1.5, -20.0), (0.5, 0.7), (2.0, 30.0))),
    special("hyp2f1", mp.hyp2f1, **BY_PARAMETER, others=((1.5, 2.0, -6.0), (0.5, 1.0, 0.3), (2.0, 3.5, 0.9))),
    special("hyp2f1", lambda b, a, c, x: mp.hyp2f1(a, b, c, x), argument=1, **BY_PARAMETER, others=((1.5, 2.0, -6.0), (0.5, 1.0, 0.3), (2.0, 3.5, 0.9))),
    special("hyp2f1", lambda c, a, b, x: mp.hyp2f1(a, b, c, x), argument=2, **BY_PARAMETER, others=((1.5, 2.0, -6.0), (0.5, 1.0, 0.3), (2.0, 3.5, 0.9))),
    special("hyperu", mp.hyperu, **BY_PARAMETER, others=((1.5, 0.3), (0.5, 20.0), (-2.5, 1.0))),
    special("hyperu", lambda b, a, x: mp.hyperu(a, b, x), argument=1, **BY_PARAMETER, others=((1.5, 0.3), (0.5, 20.0), (3.0, 1.0))),
    special("ellipkinc", lambda m, phi: mp.ellipf(phi, m), argument=1, **BY_MODULUS),
    special("ellipeinc", lambda m, phi: mp.ellipe(phi, m), argument=1, **BY_MODULUS),
    *(part("ellipj", k, lambda m, u, kind=kind: mp.ellipfun(kind, u, m=m), argument=1, usual=(0, 1), domain=(0.0, 1.0),
           exponents=(-8, 1), reach=(1e-8, 0.999), others=((0.7,), (3.0,), (-1.5,)), waves=True, slow=True, most=40)
      for k, kind in enumerate(("sn", "cn", "dn"))),
)  # fmt: skip

CASES: tuple[Case, ...] = (*BESSEL, *AIRY, *HYPERGEOMETRIC, *ORDERS_AND_PARAMETERS)
"""Functions that SciPy computes by series and recurrences."""
