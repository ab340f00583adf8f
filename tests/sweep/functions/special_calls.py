"""Functions of `scipy.special` as cases, and numbers that several of their meanings are made of.

special("gammainc", slope=lambda x, a: ..., argument=1, others=((0.5,), (2.0,)))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case

HALF_LINE = (0.0, math.inf)
UNIT = (0.0, 1.0)
NEAR_ENDS = (1e-30, 1e-100, 1e-15, 1e-12, 1e-7, 1 - 1e-15, 1 - 1e-12, 1 - 1e-7)
"""Numbers near 0 and 1."""

LARGEST = tuple(sign * float(np.finfo(t).max) for t in (np.float64, np.float32) for sign in (1, -1))

TAILS = (30.0, 36.0, 37.0, 50.0, 100.0, 300.0, 700.0, -30.0, -36.0, -37.0, -100.0, -700.0)


def special(name: str, exact: Callable[..., Any] | None = None, *, argument: int = 0, **kw: Any) -> Case:
    """A function of `scipy.special` by one argument, which `exact` and `slope` take first."""

    def call(x: Any, *others: Any) -> Any:
        return getattr(scipy.special, name)(*others[:argument], x, *others[argument:])

    return Case(name=f"special.{name}", argument=argument, call=call, exact=exact, **kw)


def part(
    name: str,
    k: int,
    exact: Callable[..., Any] | None = None,
    *,
    argument: int = 0,
    label: str = "",
    **kw: Any,
) -> Case:
    """Result number k of a function with several."""

    def call(x: Any, *others: Any) -> Any:
        return getattr(scipy.special, name)(*others[:argument], x, *others[argument:])[k]

    return Case(
        name=f"special.{name}", label=f"[{k}]{label}", argument=argument, call=call, exact=exact, **kw
    )


def root_of(f: Callable[[Any], Any], slope: Callable[[Any], Any], start: Any) -> Any:
    """The root of a function by Newton's method, at the precision that is set."""
    x, last = mpf(start), mp.inf
    for _ in range(100):
        step = f(x) / slope(x)
        x -= step
        size = abs(step)
        if size <= abs(x) * mpf(10) ** (5 - mp.dps) or (
            size >= last and size <= abs(x) * mpf(10) ** (-mp.dps / 2)
        ):
            return x
        last = size
    raise ValueError("no root")


def normal_density(x: Any) -> Any:
    """The density of the standard normal distribution."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function."""
    tail = mp.erfc(abs(x) / mp.sqrt(2)) / 2
    return mp.log(tail) if x < 0 else mp.log1p(-tail)


def ndtri_exp(y: Any) -> Any:
    """The x with log_ndtr(x) = y."""
    if not y < 0:
        raise ValueError
    start = scipy.special.ndtri_exp(float(y)) if float(y) < 0 else -mp.sqrt(-2 * mp.log(-y))
    if y > -1e-5:  # 1 - e^y is the tail above
        tail = -mp.expm1(y)
        return -ndtri_exp(mp.log(tail))
    if not math.isfinite(start) or y < -1e30:
        start = -mp.sqrt(-2 * y)
    return root_of(lambda x: log_ndtr(x) - y, lambda x: normal_density(x) * mp.exp(-log_ndtr(x)), start)


def ndtri(p: Any) -> Any:
    """The x at which the normal distribution function is p."""
    if not 0 < p < 1:
        raise ValueError
    if p == 0.5:
        return mpf(0)
    return ndtri_exp(mp.log(p)) if p < 0.5 else -ndtri_exp(mp.log1p(-p))


def gamma_density(x: Any, a: Any) -> Any:
    """The density of the gamma distribution."""
    return mp.power(x, a - 1) * mp.exp(-x) * mp.rgamma(a)


def beta_density(x: Any, a: Any, b: Any) -> Any:
    """The density of the beta distribution."""
    return mp.power(x, a - 1) * mp.power(1 - x, b - 1) / mp.beta(a, b)


def power(x: Any, c: Any) -> Any:
    """Powers of numbers from 0 on."""
    return mpf(1) if c == 0 else mp.power(x, c)


def integer_or(c: Any) -> Any:
    """Whole numbers as integers, for which mpmath has exact formulas."""
    return int(c) if c == int(c) else c
