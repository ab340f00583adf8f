"""Densities of Student's and Wishart's distributions against SciPy; derivatives against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import mlirad as ad

SPREAD = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 0.7]])
CENTRE = np.array([0.5, -1.0, 0.2])
MATRIX = np.array([[3.0, 0.4, -0.5], [0.4, 2.0, 0.1], [-0.5, 0.1, 1.5]])
POINTS = np.linspace(-2.0, 2.0, 12).reshape(4, 3)

STUDENT = [
    (POINTS, CENTRE, SPREAD, 3.5), (POINTS, None, SPREAD, 1.5),
    (POINTS[:, 0], 0.3, 2.0, 1.5), (0.7, 0.3, 2.0, 4.0), (POINTS, CENTRE, np.array([1.0, 2.0, 3.0]), 7.0),
]  # fmt: skip

WISHART = [
    (MATRIX, 4.5, SPREAD), (np.stack([MATRIX, 2 * MATRIX, SPREAD], axis=-1), 7.0, SPREAD),
    (2.5, 3.0, 1.5), (np.array([0.5, 2.5]), 3.0, 1.5), (MATRIX, 3.0, np.array([1.0, 2.0, 3.0])),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(STUDENT)))
def test_densities_of_student_are_those_of_scipy(case: int) -> None:
    x, loc, shape, df = STUDENT[case]
    for method in (stats.multivariate_t.logpdf, stats.multivariate_t.pdf):
        got = ad.jit(lambda x, df, method=method: method(x, loc, shape, df))(x, df)
        np.testing.assert_allclose(got, method(x, loc, shape, df), rtol=1e-12)


@pytest.mark.parametrize("name", ["wishart", "invwishart"])
@pytest.mark.parametrize("case", range(len(WISHART)))
def test_densities_of_matrices_are_those_of_scipy(name: str, case: int) -> None:
    x, df, scale = WISHART[case]
    own = getattr(stats, name)
    for method in (own.logpdf, own.pdf):
        got = ad.jit(lambda x, df, method=method: method(x, df, scale))(x, df)
        np.testing.assert_allclose(got, method(x, df, scale), rtol=1e-12)


def test_derivatives_are_those_of_differences() -> None:
    def student(x: Any, loc: Any, shape: Any, df: Any) -> Any:
        return np.sum(stats.multivariate_t.logpdf(x, loc, shape @ shape.T, df))

    def wishart(x: Any, df: Any, scale: Any) -> Any:
        matrix, base = x @ x.T, scale @ scale.T
        return stats.wishart.logpdf(matrix, df, base) * stats.invwishart.logpdf(matrix, df + 1.0, base)

    ad.check_derivatives(student, POINTS, CENTRE, SPREAD, 3.5)
    ad.check_derivatives(wishart, MATRIX, 4.5, SPREAD)


def test_the_limit_of_many_degrees_of_freedom_is_normal() -> None:
    gradient = ad.grad(lambda m: np.sum(stats.multivariate_t.logpdf(POINTS, m, SPREAD, np.inf)))
    normal = ad.grad(lambda m: np.sum(stats.multivariate_normal.logpdf(POINTS, m, SPREAD)))
    np.testing.assert_allclose(gradient(CENTRE), normal(CENTRE), rtol=1e-13)


def test_shapes_that_there_are_none_of_give_nan() -> None:
    assert np.isnan(ad.jit(lambda x, df: stats.wishart.logpdf(x, df, SPREAD))(MATRIX, 1.5))
    assert np.isnan(ad.jit(lambda x, df: stats.multivariate_t.logpdf(x, CENTRE, SPREAD, df))(POINTS[0], -1.0))


def test_wrong_shapes_are_errors_with_hints() -> None:
    with pytest.raises(ad.ShapeError, match=r"wishart: a scale of shape \(2, 3\)"):
        ad.jit(lambda x: stats.wishart.logpdf(x, 4.0, np.ones((2, 3))))(MATRIX)
    with pytest.raises(ad.ShapeError, match=r"invwishart: points of shape \(2, 2\)"):
        ad.jit(lambda x: stats.invwishart.logpdf(x, 4.0, SPREAD))(np.eye(2))
    with pytest.raises(ad.ShapeError, match="multivariate_t: a mean of shape"):
        ad.jit(lambda x: stats.multivariate_t.logpdf(x, CENTRE, np.eye(2)))(POINTS)
