"""Gamma functions in combinations that cancel, by formulas that are accurate for numbers of any size.

    log_gamma_weight(a, x)             log(x^a e^-x / gamma(a))
    log_beta_weight(a, b, x, y)        log(x^a y^b / beta(a, b)), where x + y = 1

Each is the weight at its peak, by Stirling's series, plus what is lost beside it, made of log(1 + m) - m with
the relative distance m from the peak (Loader, *Fast and accurate computation of binomial probabilities*,
2000). Shapes below 1 are raised by 1, as logarithms of small ones cancel in derivatives. All of it is
straight-line code of ops that have vector forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as logarithm
from math import pi
from typing import Final

from mlirad.ir.formulas import (
    Formula,
    absolute,
    branched,
    chosen,
    digamma,
    is_number,
    lgamma,
    log,
    log1p,
    maximum,
    minimum,
    where,
)
from mlirad.rules.quadratures import terms
from mlirad.rules.special_derivatives.parts import horner

_LARGE: Final = 10.0
"""From here on the series of the digamma function has 16 digits."""

_NEAR: Final = 0.4
"""Up to this distance log(1 + m) - m is a series."""

HALF_LOG_2PI: Final = 0.5 * logarithm(2 * pi)

_ERROR = (
    (0.08333333333333331, 1.264557043972415, 6.33196838372675, 13.135660420771798,
     11.630267238216398, 4.063648888445461, 0.443423151934915, 0.007188289729457694),
    (1.0, 15.208017861001725, 76.48103072403498, 160.039597319938,
     144.2679975703562, 52.46420412461243, 6.339879744389264, 0.1501480999919828),
)  # fmt: skip
"""Numerator and denominator in 1 / x^2 of x times Stirling's error from 1 on, to 7e-16 of it: weighted least
squares of the values at 80 nodes.
"""

_LOG_GAMMA = (
    (0.4831289505409809, 0.9010718190287506, 0.624393905473009, 0.19651204380339538,
     0.027178206720799278, 0.0012739195330983273, 4.980773829739963e-06),
    (1.0, 2.16718893324577, 1.8169169422339857, 0.7382638661886133,
     0.14837579539019427, 0.013233896568108298, 0.00036782835101903285),
)  # fmt: skip
"""The same in x - 3/2 of log(gamma(x)) / ((x - 1) (x - 2)) between 1 and 2, to 1e-17 of it."""


def _quotient(x: Formula, parts: tuple[Sequence[float], Sequence[float]]) -> Formula:
    numerator, denominator = parts
    return horner(x, numerator) / horner(x, denominator)


def _log1p_less_near(x: Formula) -> Formula:
    """log(1 + x) - x for |x| up to `_NEAR`."""
    ratio = x / (2 + x)
    square = ratio * ratio
    total = square * (1 / 29) + 1 / 27
    for k in range(12, 0, -1):
        total = total * square + 1 / (2 * k + 1)
    return 2 * ratio * square * total - x * ratio


def _log_less(x: Formula, peak: Formula) -> Formula:
    """log(x / peak) - (x - peak) / peak."""
    distance = (x - peak) / peak
    return where(absolute(distance) < _NEAR, _log1p_less_near(distance), log(x / peak) - distance)


def _error_from_1(x: Formula) -> Formula:
    """log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2 of numbers from 1 on."""
    inverse = 1 / x
    return inverse * _quotient(inverse * inverse, _ERROR)


def stirling_error(x: Formula) -> Formula:
    """The same of positive numbers."""
    is_small = x < 1
    found = _error_from_1(where(is_small, x + 1, x))
    return chosen(is_small, lambda: found + ((x + 0.5) * log1p(1 / x) - 1), lambda: found)


def _log_gamma_up_to_2(x: Formula) -> Formula:
    """log(gamma(x)) of positive numbers up to 2."""
    is_small = x < 1
    raised = where(is_small, x + 1, x)
    found = (raised - 1) * (raised - 2) * _quotient(raised - 1.5, _LOG_GAMMA)
    return where(is_small, found - log(x), found)


def _log_gamma(x: Formula) -> Formula:
    """log(gamma(x)) of positive numbers: of one by a call, of many by a formula that has a vector form."""
    if is_number(x):
        return lgamma(x)

    def large() -> Formula:
        high = maximum(x, 2.0)
        return (high - 0.5) * log(high) - high + HALF_LOG_2PI + _error_from_1(high)

    return chosen(x > 2, large, lambda: _log_gamma_up_to_2(minimum(x, 2.0)))


def _log_less_digamma(x: Formula) -> Formula:
    """log(x) - digamma(x) of numbers from 10 on."""
    inverse = 1 / x
    square = inverse * inverse
    total = square * (-691 / 32760) + 1 / 132
    for coefficient in (-1 / 240, 1 / 252, -1 / 120, 1 / 12):
        total = total * square + coefficient
    return total * square + 0.5 * inverse


def log_less_digamma(x: Formula, a: Formula) -> Formula:
    """log(x) - digamma(a)."""
    is_large = a > _LARGE
    large = where(is_large, a, a.like(_LARGE))
    distance = (x - large) / large
    quotient = where(absolute(distance) < _NEAR, log1p(distance), log(x / large))
    return where(is_large, quotient + _log_less_digamma(large), log(x) - digamma(a))


def digamma_difference(a: Formula, b: Formula) -> Formula:
    """digamma(a + b) - digamma(a), which keeps its digits where b is small beside a."""

    def step(k: Formula, a: Formula, b: Formula) -> Formula:
        """The difference of 1 / (a + k) and 1 / (a + k + b)."""
        return b / ((a + k) * (a + k + b))

    total, large = terms(int(_LARGE), step, a, b), a + _LARGE
    return total + log1p(b / large) + (_log_less_digamma(large) - _log_less_digamma(large + b))


def log_gamma_weight(a: Formula, x: Formula) -> Formula:
    """log(x^a e^-x / gamma(a))."""
    is_small = a < 1
    shape = where(is_small, a + 1, a)
    found = shape * _log_less(x, shape) + 0.5 * log(shape) - HALF_LOG_2PI - stirling_error(shape)
    return where(is_small, found + log(a / x), found)


def log_beta_weight(a: Formula, b: Formula, x: Formula, y: Formula) -> Formula:
    """log(x^a y^b / beta(a, b)), where x + y = 1."""
    is_small, is_other_small = a < 1, b < 1
    first, second = where(is_small, a + 1, a), where(is_other_small, b + 1, b)
    total = first + second
    p, q = first / total, second / total
    beside = first * _log_less(x, p) + second * _log_less(y, q)
    at_peak = 0.5 * log(first * q) - HALF_LOG_2PI
    errors = stirling_error(total) - stirling_error(first) - stirling_error(second)
    found = beside + at_peak + errors
    found = where(is_small, found + log(a / (a + second) / x), found)
    return where(is_other_small, found + log(b / (a + b) / y), found)


def log_beta(a: Formula, b: Formula) -> Formula:
    """log(beta(a, b)): where one is large by Stirling's series, else by logarithms of gamma.

    beta(a, 1) is 1 / a.
    """
    total = a + b

    def large() -> Formula:
        p, q = a / total, b / total
        first = (a - 0.5) * where(p > 0.5, log1p(-q), log(p))
        second = (b - 0.5) * where(q > 0.5, log1p(-p), log(q))
        errors = stirling_error(a) + stirling_error(b) - stirling_error(total)
        return first + second - 0.5 * log(total) + HALF_LOG_2PI + errors

    def plain() -> Formula:
        return _log_gamma(a) + _log_gamma(b) - _log_gamma(total)

    found = chosen(maximum(a, b) > _LARGE, large, plain)
    return chosen((a == 1) | (b == 1), lambda: -log(where(a == 1, b, a)), lambda: found)


# Densities --------------------------------------------------------------------------------------------

_CENTRED = 64.0
"""Up to this exponent logarithms of a density of gamma or beta are sums of logarithms, to 14 digits."""

_PLAIN = 16.0
"""Up to this shape logarithms of powers need not be those of x beside the peak."""


def log_gamma_power(j: Formula, a: Formula, x: Formula) -> Formula:
    """log(x^(a - 1 - j) e^-x / gamma(a))."""
    is_plain, k = a < _PLAIN, a - 1
    peak = where(is_plain, 1.0, k)
    remainder = chosen(
        is_plain, lambda: _log_gamma(minimum(a, _PLAIN)), lambda: _log_remainder(peak)
    )  # fmt: skip
    x = minimum(x, 1e300)

    def centred() -> Formula:
        return _log_beside_peak(k, j, x, x - k, peak, _CENTRED)

    def plain() -> Formula:
        return _times(k - j, _log_ratio(x, peak)) - where(is_plain, x, x - k) - j * log(peak)

    return branched(k > _CENTRED, centred, plain) - remainder


def log_binomial_power(i: Formula, j: Formula, k: Formula, m: Formula, x: Formula) -> Formula:
    """log(binom(k + m, k) x^(k - i) (1 - x)^(m - j)) for k and m that are 0 or at least 1."""
    n = k + m
    all_, excess = maximum(n, 1.0), n * x - k
    below = _log_beside_peak(k, i, all_ * x, excess, maximum(k, 1.0), 0.5)
    above = _log_beside_peak(m, j, all_ * (1 - x), -excess, maximum(m, 1.0), 0.5)
    remainders = _log_remainder_of_whole(n) - _log_remainder_of_whole(k) - _log_remainder_of_whole(m)
    return below + above + remainders + (i + j) * log(all_)


def log_beta_power(i: Formula, j: Formula, a: Formula, b: Formula, x: Formula) -> Formula:
    """log(x^(a - 1 - i) (1 - x)^(b - 1 - j) / beta(a, b))."""

    def large() -> Formula:
        return log_binomial_power(i, j, a - 1, b - 1, x) + log(a + b - 1)

    def plain() -> Formula:
        return _times(a - 1 - i, log(x)) + _times(b - 1 - j, log1p(-x)) - log_beta(a, b)

    return branched(minimum(a, b) > _CENTRED, large, plain)


def _log_beside_peak(
    k: Formula, j: Formula, x: Formula, excess: Formula, peak: Formula, least: float
) -> Formula:
    """log(x^(k - j) peak^-k e^-excess), where excess is x - k, by a series near the peak if k > least."""
    log_ratio = _log_ratio(x, peak)
    distance = excess * (1 / peak)
    is_near = (absolute(distance) < _NEAR) & (k > least)
    far = _times(k - j, log_ratio) - excess
    found = chosen(is_near, lambda: k * _log1p_less_near(distance) - j * log_ratio, lambda: far)
    return found - j * log(peak)


def _log_ratio(x: Formula, peak: Formula) -> Formula:
    """log(x / peak)."""
    is_tiny = (x < _TINY) & (peak > 1)
    lift = where(is_tiny, _LIFT, x.like(1.0))
    return log(x * lift * (1 / peak)) - where(is_tiny, logarithm(_LIFT), x.like(0.0))


_TINY, _LIFT = 1e-280, 2.0**900
"""Smaller numbers are multiplied by a power of 2 before a division, lest the quotient is subnormal."""


def _log_remainder(k: Formula) -> Formula:
    """log(k!) - k log(k) + k of numbers from 1 on."""
    return 0.5 * log(k) + HALF_LOG_2PI + _error_from_1(k)


def _log_remainder_of_whole(k: Formula) -> Formula:
    """The same, and 0 for 0."""
    return where(k < 1, 0.0, _log_remainder(maximum(k, 1.0)))


def _times(x: Formula, log_y: Formula) -> Formula:
    """A product that is 0 where x is and y no NaN."""
    return where((x == 0) & (log_y == log_y), 0.0, x * log_y)
