"""Gamma functions in combinations that cancel, by formulas that are accurate for numbers of any size.

    log_gamma_weight(a, x)             log(x^a e^-x / gamma(a))
    log_beta_weight(a, b, x, y)        log(x^a y^b / beta(a, b)), where x + y = 1

Each is the weight at its peak, by Stirling's series, plus what is lost beside it, made of log(1 + m) - m with
the relative distance m from the peak (Loader, *Fast and accurate computation of binomial probabilities*,
2000). Shapes below 1 are raised by 1, as logarithms of small ones cancel in derivatives.
"""

from __future__ import annotations

from math import log as logarithm
from math import pi
from typing import Final

from mlirad.ir.formulas import Formula, absolute, digamma, lgamma, log, log1p, maximum, where
from mlirad.rules.quadratures import terms

_LARGE: Final = 10.0
"""From here on Stirling's series have 16 digits."""

_HALF_LOG: Final = 0.5 * logarithm(2 * pi)


def log1p_less(x: Formula) -> Formula:
    """log(1 + x) - x."""
    ratio = x / (2 + x)
    square = ratio * ratio
    total = square * (1 / 29) + 1 / 27
    for k in range(12, 0, -1):
        total = total * square + 1 / (2 * k + 1)
    near = 2 * ratio * square * total - x * ratio
    return where(absolute(x) < 0.4, near, log1p(x) - x)


def _log_less(x: Formula, peak: Formula) -> Formula:
    """log(x / peak) - (x - peak) / peak."""
    distance = (x - peak) / peak
    return where(absolute(distance) < 0.4, log1p_less(distance), log(x / peak) - distance)


def stirling_error(x: Formula) -> Formula:
    """log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2."""
    is_large = x > _LARGE
    inverse = 1 / where(is_large, x, x.like(_LARGE))
    square = inverse * inverse
    total = square * (-691 / 360360) + 1 / 1188
    for coefficient in (-1 / 1680, 1 / 1260, -1 / 360, 1 / 12):
        total = total * square + coefficient
    return where(is_large, total * inverse, lgamma(x) - (x - 0.5) * log(x) + (x - _HALF_LOG))


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
    quotient = where(absolute(distance) < 0.4, log1p(distance), log(x / large))
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
    found = shape * _log_less(x, shape) + 0.5 * log(shape) - _HALF_LOG - stirling_error(shape)
    return where(is_small, found + log(a / x), found)


def log_beta_weight(a: Formula, b: Formula, x: Formula, y: Formula) -> Formula:
    """log(x^a y^b / beta(a, b)), where x + y = 1."""
    is_small, is_other_small = a < 1, b < 1
    first, second = where(is_small, a + 1, a), where(is_other_small, b + 1, b)
    total = first + second
    p, q = first / total, second / total
    beside = first * _log_less(x, p) + second * _log_less(y, q)
    at_peak = 0.5 * log(first * q) - _HALF_LOG
    errors = stirling_error(total) - stirling_error(first) - stirling_error(second)
    found = beside + at_peak + errors
    found = where(is_small, found + log(a / (a + second) / x), found)
    return where(is_other_small, found + log(b / (a + b) / y), found)


def log_beta(a: Formula, b: Formula) -> Formula:
    """log(beta(a, b)): where one is large by Stirling's series, else by logarithms of gamma."""
    total = a + b
    plain = lgamma(a) + lgamma(b) - lgamma(total)
    p, q = a / total, b / total
    logarithms = (a - 0.5) * where(p > 0.5, log1p(-q), log(p)) + (b - 0.5) * where(q > 0.5, log1p(-p), log(q))
    errors = stirling_error(a) + stirling_error(b) - stirling_error(total)
    large = logarithms - 0.5 * log(total) + _HALF_LOG + errors
    return where(maximum(a, b) > _LARGE, large, plain)
