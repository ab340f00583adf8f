"""Counts against the probabilities of SciPy, and where there is no distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import mlirad as ad
from mlirad import random

KEY = random.key(21)
COUNT = 20_000
LEAST = 1e-3
"""The least probability that a draw of this distribution fits it worse."""


def column(*parameters):
    return np.array(parameters)[:, None]


def require_fit(counts, distribution):
    limits = np.unique(distribution.ppf(np.linspace(0.02, 0.98, 25)))
    found = np.bincount(np.searchsorted(limits, counts), minlength=len(limits) + 1)
    chances = np.diff(np.concatenate([[0.0], distribution.cdf(limits), [1.0]]))
    assert stats.chisquare(found, chances * COUNT).pvalue > LEAST


def test_poisson():
    means = column(0.3, 9.9, 10.1, 1e4, 0.0, -1.0, np.nan, np.inf, 1e17)
    drawn = random.poisson(KEY, means, (9, COUNT))
    assert drawn.dtype == np.int64
    for counts, (mean,) in zip(drawn[:4], means, strict=False):
        require_fit(counts, stats.poisson(mean))
    assert not drawn[4].any()
    assert (drawn[5:] == -1).all()


@pytest.mark.long
def test_binomial():
    n = column(7, 40, 50, 10**6, 9, 9, 0, -1, 5, 5, 5)
    p = column(0.3, 0.4, 0.9, 0.7, 0.0, 1.0, 0.5, 0.5, np.nan, -0.1, 1.1)
    drawn = random.binomial(KEY, n, p, (11, COUNT))
    for counts, (trials,), (chance,) in zip(drawn[:4], n, p, strict=False):
        require_fit(counts, stats.binom(trials, chance))
    assert (drawn[4:] == column(0, 9, 0, -1, -1, -1, -1)).all()


@pytest.mark.fuzz
def test_negative_binomial():
    n, p = column(3.5, 2.0, 0.0, np.nan, 1.0, 1.0), column(0.3, 1.0, 0.5, 0.5, 0.0, 1.5)
    drawn = random.negative_binomial(KEY, n, p, (6, COUNT))
    require_fit(drawn[0], stats.nbinom(3.5, 0.3))
    assert (drawn[1:] == column(0, -1, -1, -1, -1)).all()


def test_geometric():
    drawn = random.geometric(KEY, column(0.1, 1.0, 0.0, -1.0, np.nan, 2.0), (6, COUNT))
    require_fit(drawn[0], stats.geom(0.1))
    assert (drawn[1:] == column(1, -1, -1, -1, -1)).all()


@pytest.mark.fuzz
def test_multinomial():
    drawn = random.multinomial(KEY, column(30, 0, -1), np.array([0.2, 0.5, 0.3]), (3, COUNT))
    assert drawn.shape == (3, COUNT, 3)
    for counts, chance in zip(drawn[0].T, (0.2, 0.5, 0.3), strict=True):
        require_fit(counts, stats.binom(30, chance))
    assert (np.sum(drawn[0], axis=-1) == 30).all()
    assert not drawn[1].any()
    assert (drawn[2] == -1).all()


@pytest.mark.long
def test_shapes_and_dtypes_in_a_trace():
    means = np.array([[1.0], [20.0]])
    drawn = random.poisson(KEY, means, (2, 3), np.int32)
    assert (drawn.shape, drawn.dtype) == ((2, 3), np.int32)
    again = ad.jit(lambda m: random.poisson(KEY, m, (2, 3), np.int32), interpret=True)(means)
    np.testing.assert_array_equal(again, drawn)
    assert random.poisson(KEY, np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.long
def test_counts_do_not_move_with_parameters():
    assert ad.grad(lambda m: m * random.poisson(KEY, m), interpret=True)(3.0) == random.poisson(KEY, 3.0)


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (lambda: random.poisson(KEY, True), ad.DtypeError, "lam is bool, and it must be a number"),
        (lambda: random.multinomial(KEY, 3, 0.5), ad.ShapeError, "pvals has no elements"),
        (lambda: random.poisson(KEY, 1.0, dtype=np.float64), ad.DtypeError, "a draw of the dtype float64"),
        (
            lambda: random.binomial(KEY, np.zeros(2, np.int64), 0.5, 3),
            ad.ShapeError,
            r"draw of shape \[3\]",
        ),
    ],
)
def test_what_is_no_parameter_is_an_error(draw, error, message):
    with pytest.raises(error, match=message):
        draw()
