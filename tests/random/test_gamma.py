"""Derivatives of draws from the gamma distribution in their parameter, by the distribution function."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import mlirad as ad
from mlirad import random
from mlirad.random.gamma import _slope

PARAMETERS = np.array([1e-3, 0.1, 0.9, 1.0, 1.5, 4.0, 60.0, 900.0, 1990.0])


def slope(a, log_x):
    """d log x / da where the distribution function stays the same."""
    a, x = mpmath.mpf(float(a)), mpmath.e ** mpmath.mpf(float(log_x))
    with mpmath.workdps(40):
        by_parameter = mpmath.diff(lambda t: mpmath.gammainc(t, 0, x, regularized=True), a)
        density = x ** (a - 1) * mpmath.e ** (-x) / mpmath.gamma(a)
        return float(-by_parameter / density / x)


def slopes(key, a, dtype=np.float64):
    return ad.grad(lambda a: np.sum(random.loggamma(key, a, dtype=dtype)))(a.astype(dtype))


@pytest.mark.parametrize("seed", range(3))
def test_draws_move_so_that_their_probability_stays(seed):
    key = random.key(seed)
    log_x, found = random.loggamma(key, PARAMETERS), slopes(key, PARAMETERS)
    expected = [slope(*pair) for pair in zip(PARAMETERS, log_x, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(slopes(key, PARAMETERS, np.float32)[2:], expected[2:], rtol=2e-3)


@pytest.mark.fuzz
def test_large_parameters_are_those_of_a_normal_distribution():
    a = np.array([2001.0, 1e4, 1e5])
    key = random.key(3)
    expected = [slope(*pair) for pair in zip(a, random.loggamma(key, a), strict=True)]
    np.testing.assert_allclose(slopes(key, a), expected, rtol=1e-6)
    assert np.isfinite(slopes(key, np.array([1e12, 1e300]))).all()


@pytest.mark.fuzz
def test_second_derivatives_are_those_of_the_first():
    key, a = random.key(5), np.array([0.4, 2.0, 30.0])
    log_x = random.loggamma(key, a)
    found = ad.grad(lambda a: np.sum(ad.grad(lambda a: np.sum(random.loggamma(key, a)))(a)))(a)
    step = 1e-5
    at = ad.jit(_slope)
    moved = [at(a + h, log_x + h * slopes(key, a)) for h in (-step, step)]
    np.testing.assert_allclose(found, (moved[1] - moved[0]) / (2 * step), rtol=1e-6)
    third = ad.grad(ad.grad(ad.grad(lambda a: random.loggamma(key, a))))
    assert np.isnan(third(2.0))


@pytest.mark.fuzz
def test_forward_mode_agrees():
    key, a = random.key(6), np.array([0.7, 5.0])
    loss = lambda a: np.sum(np.sin(random.loggamma(key, a)))  # noqa: E731
    np.testing.assert_allclose(ad.jacfwd(loss)(a), ad.grad(loss)(a), rtol=1e-11)


@pytest.mark.fuzz
@pytest.mark.parametrize("options", [{"method": "chad"}, {"method": "jacobian"}, {"interpret": True}])
def test_methods_agree(options):
    key, a = random.key(6), np.array([0.7, 5.0])
    loss = lambda a: np.sum(random.beta(key, a, 2.0) * random.dirichlet(key, a))  # noqa: E731
    np.testing.assert_allclose(ad.grad(loss, **options)(a), ad.grad(loss)(a), rtol=1e-11)


def test_special_parameters():
    key = random.key(0)
    drawn = random.gamma(key, np.array([0.0, -1.0, np.nan, np.inf, 1e-300]))
    np.testing.assert_array_equal(drawn, [0, np.nan, np.nan, np.inf, 0])
    assert np.isfinite(random.loggamma(key, 1e-300))


@pytest.mark.fuzz
def test_shares_of_small_and_unequal_parameters():
    key = random.key(0)
    shares = random.dirichlet(key, np.array([1e-3, 1e-3, 1e-3]), 100)
    np.testing.assert_allclose(np.sum(shares, axis=1), 1, rtol=1e-12)
    expected = [0.1, 0.3, 0.6]
    means = np.mean(random.dirichlet(key, np.array([1.0, 3.0, 6.0]), 4000), axis=0)
    np.testing.assert_allclose(means, expected, atol=0.02)
