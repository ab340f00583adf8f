"""Derivatives of incomplete gamma and beta functions in their shapes, of many sizes, against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import mlirad as ad

SHAPES = (1e-8, 1e-3, 0.1, 0.5, 1.0, 1.6, 3.2, 10.0, 31.0, 100.0, 1e3)
OTHERS = (1e-3, 0.3, 2.5, 100.0)
FREEDOMS = (0.01, 0.5, 1.0, 4.0, 30.0, 1e3)
TINY = 1e-290


def of_gamma(a: float) -> list[tuple[float, ...]]:
    """Points below, at and above the bulk."""
    spread = a**0.5
    points = (1e-100, 1e-10, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 50.0, a / 2, a, 2 * a, a + 30)
    return [(a, x) for x in (*points, a - 3 * spread, a + 3 * spread, a + 8 * spread) if x > 0]


def of_beta(a: float) -> list[tuple[float, ...]]:
    found = []
    for b in OTHERS:
        p = a / (a + b)
        spread = (p * (1 - p) / (a + b + 1)) ** 0.5
        points = (1e-50, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-6, p, p - 3 * spread, p + spread, p + 6 * spread)
        found += [(a, b, float(x)) for x in points if 0 < x < 1]
    return found


def lower_gamma(a: Any, x: Any, point: tuple[float, ...]) -> Any:
    """Less 1 where the rest is smaller, so that mpmath does not cancel."""
    if point[1] < point[0]:
        return mp.gammainc(a, 0, x, regularized=True)
    return -mp.gammainc(a, x, mp.inf, regularized=True)


def lower_beta(a: Any, b: Any, x: Any, point: tuple[float, ...]) -> Any:
    if point[2] < point[0] / (point[0] + point[1]):
        return mp.betainc(a, b, 0, x, regularized=True)
    return -mp.betainc(b, a, 0, 1 - x, regularized=True)


def student(df: Any, t: Any, point: tuple[float, ...]) -> Any:
    tail = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return tail if t < 0 else -tail


def differences(f: Callable[..., Any], point: tuple[float, ...], k: int) -> tuple[float, float]:
    """The first and the second derivative in argument k."""
    with mp.workdps(120):
        x = [mp.mpf(v) for v in point]
        h = abs(x[k]) * mp.mpf(10) ** -20

        def at(sign: int) -> Any:
            return f(*(v + sign * h if j == k else v for j, v in enumerate(x)), point)

        up, middle, down = at(1), at(0), at(-1)
        return float((up - down) / (2 * h)), float((up - 2 * middle + down) / h**2)


STUDENTS = [(df, t) for df in FREEDOMS for t in (-1e3, -30.0, -3.0, -1.0, -0.1, -1e-5, 0.5, 2.0, 8.0)]
GAMMAS = [point for a in SHAPES for point in of_gamma(a)]
BETAS = [point for a in SHAPES[1::2] for point in of_beta(a)]

CASES = [
    (special.gammainc, lower_gamma, 0, GAMMAS),
    (special.betainc, lower_beta, 0, BETAS),
    (special.betainc, lower_beta, 1, BETAS),
    (special.stdtr, student, 0, STUDENTS),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].__name__} by {c[2]}")
def test_first_and_second_derivatives_in_a_shape(case: Any) -> None:
    function, exact, k, points = case
    table = np.array(points)

    def slope(x: Any) -> Any:
        def f(x: Any) -> Any:
            return function(*(x if j == k else column for j, column in enumerate(table.T)))

        return ad.jvp(f, (x,), (np.ones(len(points)),))[1]

    first, second = ad.jit(lambda x: ad.jvp(slope, (x,), (np.ones(len(points)),)))(table[:, k].copy())
    for point, got, got_second in zip(points, first, second, strict=True):
        want, want_second = differences(exact, point, k)
        natural = max(abs(want), abs(want_second) * point[k]) / point[k]
        if abs(want) > TINY:
            assert abs(got - want) <= 1e-8 * abs(want), (point, got, want)
        if abs(want_second) > TINY:
            assert abs(got_second - want_second) <= 1e-8 * natural, (point, got_second, want_second)


def test_at_the_ends_and_in_single_precision() -> None:
    x = np.array([0.0, 0.7, np.inf, np.nan])
    slopes = ad.jit(lambda a, x: ad.grad(lambda a: np.sum(special.gammainc(a, x)))(a))(np.full(4, 1.5), x)
    np.testing.assert_array_equal(slopes[[0, 2, 3]], [0, 0, np.nan])
    single = ad.grad(special.gammainc)(np.float32(1.5), np.float32(0.7))
    assert single.dtype == np.float32
    assert single == pytest.approx(slopes[1], rel=1e-6)
    ends = np.array([0.0, 1.0, np.nan])
    slopes = ad.grad(lambda b, x: np.sum(special.betainc(2.0, b, x)))(np.full(3, 1.5), ends)
    np.testing.assert_array_equal(slopes, [0, 0, np.nan])
    at_zero = ad.grad(special.stdtr, (0, 1))(3.0, 0.0)
    assert at_zero[0] == 0
    assert ad.grad(ad.grad(special.stdtr), 1)(3.0, 0.0) == pytest.approx(0.00973, abs=1e-4)


@pytest.mark.parametrize(
    "case",
    [
        lambda s: special.gammaincinv(s[0], 0.3),
        lambda s: special.gammainccinv(s[0], 1e-3),
        lambda s: special.betaincinv(s[0], s[1], 0.2),
        lambda s: special.betainccinv(s[0], s[1], 0.1),
    ],
)
def test_quantiles_move_with_shapes(case: Any) -> None:
    ad.check_derivatives(case, np.array([1.7, 2.6]))
    ad.check_derivatives(ad.grad(case), np.array([1.7, 2.6]))
