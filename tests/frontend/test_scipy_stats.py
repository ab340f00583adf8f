"""`scipy.stats` on traced values: SciPy's figures inside and outside of supports, and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import mlirad as ad
from mlirad.errors import ArgumentError, LinearAlgebraError, ShapeError, TracingError, UnsupportedError
from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS
from mlirad.frontend.numpy_functions.scipy_functions.stats import METHODS
from tests.distributions.exact import EXACT

SHAPES: dict[str, list[np.ndarray[Any, Any]]] = {
    "gamma": [np.array([0.5, 1.0, 2.5])],
    "beta": [np.array([0.5, 1.0, 2.5]), np.array([1.5, 1.0, 0.5])],
    "t": [np.array([0.5, 3.0, np.inf])],
    "genpareto": [np.array([-0.5, 0.0, 0.5])],
    "truncnorm": [np.array([-1.0, 0.5, 2.0]), np.array([0.0, 2.0, 1.0])],
    "poisson": [np.array([0.5, 2.0, 7.0])],
    "bernoulli": [np.array([0.0, 0.3, 1.0])],
    "binom": [np.array([3.0, 1.0, 12.0]), np.array([0.2, 0.0, 0.9])],
    "geom": [np.array([0.2, 0.9, 1.0])],
}
"""Shapes, with some that no distribution has."""

POINTS = np.array([-2.5, -1.0, 0.3, 0.5, 1.2, 1.5, 2.0, 3.0, 11.0, 20.0, np.nan, np.inf, -np.inf])[:, None]
SHARES = np.array([-0.1, 0.0, 1e-9, 0.3, 0.5, 0.9, 1.0, 1.1, np.nan])[:, None]


def all_methods(name: str, *operands: Any) -> dict[str, Any]:
    """The results of a distribution's methods on points, shares, shapes, loc and scale."""
    points, shares, *rest = operands
    owner, found = getattr(stats, name), {}
    for method in METHODS[name]:
        if method not in OF_SHAPES and not (DISTRIBUTIONS[name].is_discrete and method in ("ppf", "isf")):
            found[method] = getattr(owner, method)(shares if method in ("ppf", "isf") else points, *rest)
    return found


OF_SHAPES = ("mean", "var", "std", "median")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHAPES)
def test_methods_are_those_of_scipy_beside_the_support_too(name):
    shapes = SHAPES[name]
    place = [np.array(0.25 if not DISTRIBUTIONS[name].is_discrete else 1.0)]
    if not DISTRIBUTIONS[name].is_discrete:
        place.append(np.array([0.5, 2.0, -1.0]))
    found = ad.jit(lambda *a: all_methods(name, *a), interpret=True)(POINTS, SHARES, *shapes, *place)
    wanted = all_methods(name, POINTS, SHARES, *shapes, *place)
    for method, got in found.items():
        want = wanted[method]
        assert got.dtype == want.dtype, method
        known = np.ones(want.shape, bool)
        if method.startswith("log"):  # SciPy takes logarithms of probabilities that are near 1, or vanish
            known &= (np.isfinite(want) & (np.abs(want) > 1e-7)) | np.isnan(want)
        if method.endswith(("pdf", "pmf")):
            known &= ~np.isinf(POINTS)
        tolerance = 1e-9 if method in ("ppf", "isf") else 2e-12
        np.testing.assert_allclose(got[known], want[known], rtol=tolerance, err_msg=f"{name}.{method}")


@pytest.mark.parametrize("name", sorted(EXACT))
def test_values_at_infinite_points_are_limits(name: str) -> None:
    if EXACT[name].cdf is None:
        return
    shapes, owner = EXACT[name].shapes[0], getattr(stats, name)
    low, high = (float(end) for end in owner.support(*shapes))
    ends = [end for end in (low, high) if np.isinf(end)]
    found = ad.jit(lambda x: [owner.cdf(x, *shapes), owner.sf(x, *shapes), owner.pdf(x, *shapes)])(
        np.array(ends)
    )
    below = np.array([float(end > 0) for end in ends])
    np.testing.assert_array_equal(found, [below, 1.0 - below, np.zeros(len(ends))])


def test_derivatives_by_location_and_scale() -> None:
    def log_densities(v: Any) -> Any:
        return (
            stats.gamma.logpdf(0.7, v[0], v[1], v[2]) + stats.t(v[3], scale=v[4]).logpdf(0.3)
            + stats.genpareto.logsf(0.4, v[5], loc=v[1]) + stats.cauchy.ppf(0.2, v[1], v[2])
            + stats.gamma(v[0]).pdf(0.3) + stats.poisson.logpmf(2, v[6])
        )  # fmt: skip

    v = np.array([1.5, -0.2, 1.3, 3.3, 0.8, 0.3, 1.9])
    ad.check_derivatives(log_densities, v, step=1e-3, interpret=True)
    ad.check_derivatives(ad.grad(log_densities, interpret=True), v, step=1e-3, interpret=True)


def test_there_is_no_derivative_from_beside_the_support():
    gradient = ad.grad(lambda x, a: np.sum(stats.gamma.pdf(x, a) + stats.gamma.cdf(x, 2.0)), (0, 1))
    by_x, by_a = gradient(np.array([-1.0, -3.0]), np.array([0.5, 3.0]))
    np.testing.assert_array_equal(by_x, 0.0)
    np.testing.assert_array_equal(by_a, 0.0)


def test_distributions_may_be_frozen_and_subclasses_are_left_alone():
    def f(x, a):
        return stats.gamma(a, scale=2.0).logpdf(x) + stats.norm(a, 2.0).cdf(x)

    assert ad.jit(f, interpret=True)(0.7, 1.5) == pytest.approx(f(0.7, 1.5), rel=1e-12)
    with pytest.raises(TracingError, match="SciPy's logpdf decides by the elements") as raised:
        ad.jit(lambda x: type("own", (type(stats.norm),), {})().logpdf(x))(1.0)
    assert "logpdf is known of alpha" in str(raised.value)
    assert "logpdf" not in vars(type(stats.norm))


def test_distributions_that_scipy_writes_in_python():
    def f(x):
        return stats.matrix_normal.logpdf(x, rowcov=np.eye(2) * 2, colcov=np.eye(2))

    x = np.array([[0.5, -1.0], [2.0, 0.3]])
    assert ad.jit(f, interpret=True)(x) == pytest.approx(f(x), rel=1e-14)
    np.testing.assert_allclose(ad.grad(f, interpret=True)(x), -x / 2, rtol=1e-12)


def many(x: Any, mean: Any, root: Any, alpha: Any) -> list[Any]:
    """Multivariate densities, of regular and singular covariances, numbers and diagonals."""
    normal, share = stats.multivariate_normal, np.abs(x[0]) / np.sum(np.abs(x[0]))
    covariance = root @ root.T + np.eye(3)
    thin = root[:, :2] @ root[:, :2].T
    return [
        normal.logpdf(x, mean, covariance), normal.pdf(x[0], mean, covariance),
        normal.entropy(mean, covariance),
        normal.logpdf(mean + x[:, :2] @ root[:, :2].T, mean, thin, allow_singular=True),
        normal.entropy(mean, thin), normal.logpdf(x, mean), normal.logpdf(x, mean, 2.0),
        normal.logpdf(x, mean, np.array([1.0, 2.0, 3.0])), normal.logpdf(x[0], cov=2.0),
        stats.dirichlet.logpdf(share, alpha), stats.dirichlet.pdf(share, alpha),
    ]  # fmt: skip


def test_multivariate_distributions():
    rng = np.random.default_rng(0)
    operands = (rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(3, 3)), rng.uniform(1, 3, 3))
    for got, want in zip(ad.jit(many, interpret=True)(*operands), many(*operands), strict=True):
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=1e-9)

    def regular(flat: Any) -> Any:
        found = many(flat[:12].reshape(4, 3), flat[12:15], flat[15:24].reshape(3, 3), flat[24:])
        return found[:3] + found[-2:]

    ad.check_derivatives(regular, np.concatenate([o.ravel() for o in operands]), interpret=True, step=1e-4)
    beside = ad.jit(lambda c: stats.multivariate_normal.logpdf([0.0, 1.0], cov=c, allow_singular=True))
    assert beside(np.diag([1.0, 0.0])) == -np.inf


@pytest.mark.parametrize("order", ["forward", "mixed", "reverse"])
def test_second_derivatives_of_a_singular_density_at_equal_variances(order: str):
    """Two correlated unit variances beside a constant, with derivatives in the correlation."""
    base, turn = np.diag([1.0, 1.0, 0.0]), np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])
    x, y = 0.5, -1.0

    def density(s: Any) -> Any:
        return stats.multivariate_normal.logpdf(
            [x, y, 0.0], np.zeros(3), base + s * turn, allow_singular=True
        )

    def closed(s: Any) -> Any:
        return -(x**2 + y**2 - 2 * s * x * y) / (2 * (1 - s * s)) - np.log(1 - s * s) / 2

    outer, inner = {
        "forward": (ad.jacfwd, ad.jacfwd), "mixed": (ad.jacfwd, ad.grad), "reverse": (ad.jacrev, ad.grad)
    }[order]  # fmt: skip
    for s in (0.0, 1e-9, 0.25):
        assert outer(inner(density))(s) == pytest.approx(outer(inner(closed))(s), rel=1e-7)


def test_mistakes_are_named():
    with pytest.raises(
        ArgumentError, match=r"it is called as scipy.stats.gamma.logpdf\(x, a, loc=0, scale=1\)"
    ):
        ad.jit(lambda x: stats.gamma.logpdf(x))(1.0)
    with pytest.raises(ShapeError, match="a mean of shape"):
        ad.jit(lambda x: stats.multivariate_normal.logpdf(x, np.zeros(3), np.eye(2)))(np.zeros(3))
    with pytest.raises(ShapeError, match="dirichlet: points of shape"):
        ad.jit(lambda x: stats.dirichlet.logpdf(x, np.ones(3)))(np.zeros(5))
    with pytest.raises(LinearAlgebraError, match="positive definite"):
        ad.jit(lambda c: stats.multivariate_normal.logpdf(np.zeros(2), cov=c))(-np.eye(2))
    with pytest.raises(ValueError, match=r"(?s)not compatible .* this function is being traced"):
        ad.jit(lambda x: stats.matrix_normal.logpdf(x))(np.eye(2))
    with pytest.raises(UnsupportedError, match=r"scipy.stats.vonmises.cdf cannot be traced"):
        ad.jit(lambda x: stats.vonmises.cdf(x, 2.0))(1.0)
