"""Draws against the distribution functions of SciPy; and how they move with parameters.

Keys are fixed, so that the tests of Kolmogorov and Smirnov and of chi-square either pass or do not.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import mlirad as ad
from mlirad import random
from mlirad.errors import IntegerOverflowError

KEY = random.key(20)
COUNT = 20_000
LEAST = 1e-3
"""The least probability that a draw of this distribution fits it worse."""

CONTINUOUS = {
    "uniform": (lambda **o: random.uniform(KEY, COUNT, **o), stats.uniform),
    "uniform-limits": (
        lambda **o: random.uniform(KEY, COUNT, minval=-2.0, maxval=np.float32(3.0), **o),
        stats.uniform(-2, 5),
    ),
    "normal": (lambda **o: random.normal(KEY, COUNT, **o), stats.norm),
    "truncated": (
        lambda **o: random.truncated_normal(KEY, -0.5, 2.0, COUNT, **o),
        stats.truncnorm(-0.5, 2.0),
    ),
    "exponential": (lambda **o: random.exponential(KEY, COUNT, **o), stats.expon),
    "gumbel": (lambda **o: random.gumbel(KEY, COUNT, **o), stats.gumbel_r),
    "logistic": (lambda **o: random.logistic(KEY, COUNT, **o), stats.logistic),
    "laplace": (lambda **o: random.laplace(KEY, COUNT, **o), stats.laplace),
    "cauchy": (lambda **o: random.cauchy(KEY, COUNT, **o), stats.cauchy),
    "gamma-small": (lambda **o: random.gamma(KEY, 0.3, COUNT, **o), stats.gamma(0.3)),
    "gamma": (lambda **o: random.gamma(KEY, 2.5, COUNT, **o), stats.gamma(2.5)),
    "gamma-large": (lambda **o: random.gamma(KEY, 500.0, COUNT, **o), stats.gamma(500.0)),
    "beta": (lambda **o: random.beta(KEY, 0.5, 2.0, COUNT, **o), stats.beta(0.5, 2.0)),
    "chisquare": (lambda **o: random.chisquare(KEY, 3.0, COUNT, **o), stats.chi2(3.0)),
    "student": (lambda **o: random.student_t(KEY, 4.0, COUNT, **o), stats.t(4.0)),
    "lognormal": (
        lambda **o: random.lognormal(KEY, 0.5, 0.7, COUNT, **o),
        stats.lognorm(0.7, scale=np.exp(0.5)),
    ),
    "rayleigh": (lambda **o: random.rayleigh(KEY, COUNT, **o), stats.rayleigh),
    "weibull": (lambda **o: random.weibull(KEY, 1.7, COUNT, **o), stats.weibull_min(1.7)),
    "pareto": (lambda **o: random.pareto(KEY, 3.0, COUNT, **o), stats.lomax(3.0)),
    "triangular": (
        lambda **o: random.triangular(KEY, -1.0, 0.5, 3.0, COUNT, **o),
        stats.triang(0.375, loc=-1, scale=4),
    ),
    "dirichlet": (
        lambda **o: random.dirichlet(KEY, np.array([0.5, 1.0, 1.5]), COUNT, **o)[:, 1],
        stats.beta(1.0, 2.0),
    ),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", list(CONTINUOUS))
def test_continuous_draws_fit_their_distribution(name, dtype):
    drawn, distribution = CONTINUOUS[name]
    values = drawn(dtype=dtype)
    assert values.dtype == dtype
    assert np.all(np.isfinite(values))
    assert stats.kstest(values.astype(np.float64), distribution.cdf).pvalue > LEAST


def test_neighbours_are_not_correlated():
    values = random.normal(KEY, (100, 200))
    for a, b in ((values[:, 1:], values[:, :-1]), (values[1:], values[:-1])):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.03


def fits(counts, chances):
    expected = np.asarray(chances) * np.sum(counts)
    return stats.chisquare(counts, expected).pvalue > LEAST


@pytest.mark.long
def test_integers_and_truth_values_have_their_probabilities():
    assert fits(np.bincount(random.randint(KEY, COUNT, 0, 7)), np.full(7, 1 / 7))
    assert set(random.randint(KEY, 50, -2, 1, np.int32)) == {-2, -1, 0}
    np.testing.assert_array_equal(random.randint(KEY, 3, 5, 5), [5, 5, 5])
    limits = random.randint(KEY, (3, COUNT), np.array([[0], [10], [20]]), np.array([[2], [13], [24]]))
    assert [set(row) for row in limits] == [{0, 1}, {10, 11, 12}, {20, 21, 22, 23}]
    wide = random.randint(KEY, COUNT, 0, 2**62)
    assert stats.kstest(wide / 2**62, "uniform").pvalue > LEAST
    assert fits(np.bincount(random.bernoulli(KEY, 0.2, COUNT)), [0.8, 0.2])
    assert not random.bernoulli(KEY, 0.0, 100).any()
    assert random.bernoulli(KEY, np.ones(100)).all()
    signs = random.rademacher(KEY, COUNT)
    assert fits([np.sum(signs < 0), np.sum(signs > 0)], [0.5, 0.5])


def test_limits_of_integers_that_are_too_far_apart_are_an_error():
    for low, high in ((-(2**63), 0), (-(2**62), 2**62), (0, np.array([3, 2**63 - 1])), (-1, 2**63 - 2)):
        if int(np.max(high)) - low < 2**63:
            assert np.all(random.randint(KEY, (2,), low, high) < high)
            continue
        with pytest.raises(IntegerOverflowError, match=r"limits of integers are 2\*\*63 or more apart"):
            random.randint(KEY, (2,), low, high)


def test_normal_vectors_have_their_mean_and_covariance():
    """White again, they are independent and normal."""
    mean, root = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [-1.0, 0.3, 0.7]])
    drawn = random.multivariate_normal(KEY, mean, root @ root.T, (COUNT,))
    white = np.linalg.solve(root, (drawn - mean).T)
    assert all(stats.kstest(line, "norm").pvalue > LEAST for line in white)
    assert np.all(np.abs(np.corrcoef(white) - np.eye(3)) < 5 / np.sqrt(COUNT))
    distances = np.sum(white**2, axis=0)
    assert stats.kstest(distances, stats.chi2(3).cdf).pvalue > LEAST


def test_categories_have_their_probabilities():
    logits = np.log([0.1, 0.2, 0.7]) + 5
    assert fits(np.bincount(random.categorical(KEY, logits, shape=(COUNT,))), [0.1, 0.2, 0.7])
    never = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    np.testing.assert_array_equal(random.categorical(KEY, never, shape=(50, 2)), np.tile([0, 1], (50, 1)))
    np.testing.assert_array_equal(random.categorical(KEY, never.T, axis=0), [0, 1])
    different = random.categorical(KEY, np.zeros((4, 6)), shape=(6, 4), replace=False)
    np.testing.assert_array_equal(np.sort(different, axis=0), np.tile(np.arange(6)[:, None], 4))


def test_choices_and_permutations_are_of_the_array():
    table = np.arange(12.0).reshape(3, 4)
    mixed = random.permutation(KEY, table, axis=1)
    np.testing.assert_array_equal(np.sort(mixed, axis=1), table)
    assert len({tuple(np.argsort(row)) for row in mixed}) == 1
    lines = random.permutation(KEY, np.tile(np.arange(8), (20, 1)), axis=1, independent=True)
    np.testing.assert_array_equal(np.sort(lines, axis=1), np.tile(np.arange(8), (20, 1)))
    assert len({*map(tuple, lines)}) > 15
    orders = np.array([random.permutation(key, 3) for key in random.split(KEY, 600)])
    assert fits(np.unique(orders @ [9, 3, 1], return_counts=True)[1], np.full(6, 1 / 6))
    assert random.choice(KEY, table, (2, 5), axis=1).shape == (3, 2, 5)
    np.testing.assert_array_equal(np.sort(random.choice(KEY, 9, (3, 3), replace=False).ravel()), np.arange(9))
    weighted = random.choice(KEY, np.array([3, 5, 7]), (COUNT,), p=np.array([0.5, 0.0, 0.5]))
    assert fits([np.sum(weighted == 3), np.sum(weighted == 7)], [0.5, 0.5])
    assert len(weighted) == np.sum(weighted != 5)
    for options in ({"shape": 4, "replace": False}, {"p": np.ones(2)}):
        with pytest.raises(ad.ShapeError):
            random.choice(KEY, 3, **options)


@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
def test_parameters_are_differentiated_through_draws(method):
    def loss(mean, log_deviation, limits):
        first, second = random.split(KEY)
        z = mean + np.exp(log_deviation) * random.normal(first, (50,))
        return np.mean(z**2) + random.uniform(second, minval=limits[0], maxval=limits[1])

    given = (0.3, -0.2, np.array([1.0, 2.0]))
    found = ad.grad(loss, argnums=(0, 1, 2), method=method)(*given)
    ad.check_derivatives(loss, *given)
    z = 0.3 + np.exp(-0.2) * random.normal(random.split(KEY)[0], (50,))
    np.testing.assert_allclose(found[0], np.mean(2 * z), rtol=1e-12)
    np.testing.assert_allclose(found[1], np.mean(2 * z * (z - 0.3)), rtol=1e-12)
    np.testing.assert_allclose(np.sum(found[2]), 1, rtol=1e-12)
