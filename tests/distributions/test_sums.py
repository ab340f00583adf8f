"""Sums of uniform numbers, of trials, and of squares, where the table of references does not reach."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

import mlirad as ad

TRIALS = [[0.1, 0.5, 0.7, 0.2], [0.0, 1.0, 0.3], [1e-200, 1e-90, 0.5], [1 - 1e-12, 1e-12, 0.9]]


def exact_mass(k: int, p: list[Any]) -> Any:
    """The probability of k successes: a sum over all outcomes."""
    outcomes = (o for o in product((0, 1), repeat=len(p)) if sum(o) == k)
    return mp.fsum(
        mp.fprod(q if o else 1 - q for o, q in zip(outcome, p, strict=True)) for outcome in outcomes
    )


@pytest.mark.parametrize("p", TRIALS, ids=str)
def test_numbers_of_successes_of_unlike_trials(p: list[float]) -> None:
    owner, k = stats.poisson_binom, np.arange(len(p) + 1.0)

    def every(p: Any) -> list[Any]:
        frozen = owner(p)
        return [owner.pmf(k, p), owner.cdf(k, p), frozen.sf(k), frozen.mean(), owner.var(p)]

    mass, cdf, sf, mean, var = ad.jit(every)(np.array(p))
    with mp.workdps(300):
        exact = [exact_mass(int(j), [mpf(q) for q in p]) for j in k]
        sums = [mp.fsum(exact[: j + 1]) for j in range(len(k))]
        rests = [mp.fsum(exact[j + 1 :]) for j in range(len(k))]
        for got, want in ((mass, exact), (cdf, sums), (sf, rests)):
            np.testing.assert_allclose(got, [float(w) for w in want], rtol=1e-14)
    np.testing.assert_allclose([mean, var], [np.sum(p), np.sum(np.array(p) * (1 - np.array(p)))], rtol=1e-14)


@pytest.mark.parametrize("p", TRIALS, ids=str)
def test_derivatives_in_every_probability(p: list[float]) -> None:
    """A mass is linear in each: the derivative is a difference of masses without that trial."""
    k = np.arange(len(p) + 1.0)
    slopes = ad.jacobian(lambda p: stats.poisson_binom.pmf(k, p))(np.array(p))
    second = ad.jit(ad.hessian(lambda p: np.sum(stats.poisson_binom.pmf(1.0, p))))(np.array(p))
    with mp.workdps(300):
        for i in range(len(p)):
            rest = [mpf(q) for j, q in enumerate(p) if j != i]
            for j, slope in enumerate(slopes[:, i]):
                more, fewer = exact_mass(j - 1, rest), exact_mass(j, rest)
                assert abs(slope - (more - fewer)) <= 1e-15 * (more + fewer)
            for other in range(len(rest)):
                few = rest[:other] + rest[other + 1 :]
                mixed = float(exact_mass(-1, few) - 2 * exact_mass(0, few) + exact_mass(1, few))
                np.testing.assert_allclose(second[i, other + (other >= i)], mixed, rtol=1e-12, atol=1e-15)
    assert np.all(np.diag(second) == 0)


def test_trials_have_quantiles_batches_and_no_others() -> None:
    p, q = np.random.default_rng(0).uniform(size=(3, 1, 5)), np.array([0.0, 1e-9, 0.2, 0.5, 0.9, 1.0, 1.5])
    owner = stats.poisson_binom
    found = ad.jit(lambda q, p: [owner.ppf(q, p), owner.isf(q, p), owner.pmf(3 * q, p)])(q, p)
    for got, method, points in zip(found, ("ppf", "isf", "pmf"), (q, q, 3 * q), strict=True):
        np.testing.assert_allclose(got, getattr(owner, method)(points, p), rtol=1e-13, atol=1e-300)
    bad = np.array([[0.2, 1.5], [0.3, -0.1], [0.2, np.nan]])
    assert np.all(np.isnan(ad.jit(lambda p: owner.cdf(1.0, p))(bad)))
    shifted = ad.jit(lambda p: owner.pmf(np.array([2.0, 2.5, 9.0]), p, loc=2))(p[0, 0])
    np.testing.assert_allclose(shifted, [np.prod(1 - p[0, 0]), 0.0, 0.0], rtol=1e-14)


def test_sums_of_more_uniform_numbers_than_there_are_formulas_for_are_nan() -> None:
    n = np.array([128.0, 129.0, 2.5, 0.0, -1.0])
    found = ad.jit(lambda n: [stats.irwinhall.pdf(60.0, n), stats.irwinhall.cdf(0.5, n)])(n)
    for values in found:
        assert np.array_equal(np.isnan(values), [False, True, True, True, True])


def derivatives_at_0(name: str, shapes: Any) -> list[Any]:
    """A method of one shape at 0, and its first two derivatives there."""
    first = lambda s: ad.jvp(lambda s: shapes(name, s), (s,), (1.0,))  # noqa: E731
    value, slope = ad.jit(first)(0.0)
    return [value, slope, ad.jit(lambda s: ad.jvp(lambda s: first(s)[1], (s,), (1.0,))[1])(0.0)]


@pytest.mark.parametrize("case", ["pdf", "cdf"])
def test_skews_near_0_are_those_of_edgeworth(case: str) -> None:
    """To the second order in the skew, by Hermite's polynomials."""
    x = np.array([-4.0, -1.3, 0.2, 1.0, 2.7, 6.0])
    phi, he = stats.norm.pdf(x), lambda n: np.polynomial.hermite_e.hermeval(x, [0] * n + [1])
    wanted = {
        "pdf": [phi, phi * he(3) / 6, phi * (he(4) / 8 + he(6) / 36)],
        "cdf": [stats.norm.cdf(x), -phi * he(2) / 6, -phi * (he(3) / 8 + he(5) / 36)],
    }
    found = derivatives_at_0(case, lambda m, s: getattr(stats.pearson3, m)(x, s))
    for got, want in zip(found, wanted[case], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("case", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"])
def test_no_skew_is_the_normal_distribution_over_its_whole_range(case: str) -> None:
    x = np.array([-37.0, -9.0, -1e-3, 0.0, 0.4, 3.0, 20.0, 200.0])
    at = np.array([1e-300, 1e-9, 0.2, 0.5, 0.7]) if case in ("ppf", "isf") else x
    found = ad.jit(lambda s: getattr(stats.pearson3, case)(at, s))(0.0)
    close = 1e-15 if case in ("ppf", "isf") else 0.0
    np.testing.assert_allclose(found, getattr(stats.norm, case)(at), rtol=1e-12, atol=close)


@pytest.mark.parametrize("case", ["pdf", "cdf"])
def test_no_noncentrality_is_chi2_and_its_derivatives_are_differences(case: str) -> None:
    """The derivative of a mixture in half its weight's mean is the difference at two more degrees."""
    x, df = np.array([1e-3, 0.7, 2.6, 20.0, 90.0]), 3.0
    found = derivatives_at_0(case, lambda m, nc: getattr(stats.ncx2, m)(x, df, nc))
    central = [stats.chi2(df + 2 * k) for k in range(3)]
    values = [c.pdf(x) if case == "pdf" else np.where(x > df, -c.sf(x), c.cdf(x)) for c in central]
    np.testing.assert_allclose(found[0], getattr(central[0], case)(x), rtol=1e-13)
    np.testing.assert_allclose(found[1], (values[1] - values[0]) / 2, rtol=1e-10)
    np.testing.assert_allclose(found[2], (values[2] - 2 * values[1] + values[0]) / 4, rtol=1e-9)
