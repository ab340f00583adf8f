"""Integrals of samples and distances of SciPy: SciPy's values, derivatives against differences, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid, simpson, trapezoid
from scipy.spatial import distance

import mlirad as ad

RNG = np.random.default_rng(3)
INVERSE = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
METRICS: dict[str, dict[str, Any]] = {
    "euclidean": {}, "sqeuclidean": {}, "cityblock": {}, "chebyshev": {}, "minkowski": {"p": 3.0},
    "cosine": {}, "correlation": {}, "canberra": {}, "braycurtis": {}, "mahalanobis": {"VI": INVERSE},
}  # fmt: skip


def check(function: Callable[..., Any], *args: Any) -> None:
    """Values are SciPy's, and derivatives of order 1 and 2 those of differences."""
    want = np.asarray(function(*args))
    got = ad.jit(function, interpret=True)(*args)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    for k in range(len(args)):
        weights = RNG.normal(size=want.shape)

        def scalar(x: Any, k: int = k, weights: Any = weights) -> Any:
            return np.sum(function(*args[:k], x, *args[k + 1 :]) * weights)

        direction = RNG.normal(size=np.shape(args[k]))
        slope = np.sum(ad.grad(scalar, interpret=True)(args[k]) * direction)
        step = 1e-6
        found = (scalar(args[k] + step * direction) - scalar(args[k] - step * direction)) / (2 * step)
        np.testing.assert_allclose(slope, found, rtol=1e-6, atol=1e-7)
        curved = ad.hvp(scalar, (args[k],), (direction,), interpret=True)
        gradients = [ad.grad(scalar, interpret=True)(args[k] + s * direction) for s in (step, -step)]
        np.testing.assert_allclose(curved, (gradients[0] - gradients[1]) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("integral", [trapezoid, simpson, cumulative_trapezoid])
def test_integrals(integral: Callable[..., Any], count: int) -> None:
    y, x = RNG.normal(size=(2, count)), np.cumsum(RNG.uniform(0.5, 1.5, count))
    check(integral, y)
    check(integral, y, x)
    check(lambda y: integral(y.T, dx=0.3, axis=0), y)
    check(lambda y, x: integral(y, x=np.stack([x, 2 * x])), y, x)


def test_points_that_coincide_enclose_nothing() -> None:
    x = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 3.0])
    np.testing.assert_allclose(ad.jit(lambda y: simpson(y, x=x), interpret=True)(x**2), simpson(x**2, x=x))
    assert np.isfinite(ad.grad(lambda x: simpson(x**2, x=x), interpret=True)(x)).all()


def test_integrals_from_the_start() -> None:
    check(lambda y: cumulative_trapezoid(y, initial=0), RNG.normal(size=4))
    check(lambda y: simpson(y), np.arange(5.0))


@pytest.mark.parametrize("metric", METRICS)
def test_distances(metric: str) -> None:
    options = METRICS[metric]
    a, b = RNG.uniform(0.2, 1.0, (3, 3)), RNG.uniform(1.2, 2.0, (2, 3))
    check(lambda a, b: distance.cdist(a, b, metric, **options), a, b)
    check(lambda a: distance.pdist(a, metric, **options), a)
    check(lambda u, v: getattr(distance, metric)(u, v, **options), a[0], b[0])


def test_distances_from_itself() -> None:
    x = RNG.normal(size=(3, 2))
    slope = ad.grad(lambda x: np.sum(distance.cdist(x, x)), interpret=True)(x)
    assert np.isfinite(slope).all()
    np.testing.assert_array_equal(ad.jit(lambda x: distance.cdist(x, x), interpret=True)(x).diagonal(), 0.0)
    assert ad.jit(lambda x: distance.pdist(x), interpret=True)(x[:1]).shape == (0,)


MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: distance.cdist(x, x[:, :1]), ad.ShapeError, "differ in size"),
    (lambda x: distance.cdist(x[0], x), ad.ShapeError, "is not a matrix"),
    (lambda x: distance.cdist(x, x, "hamming"), ad.UnsupportedError, "it knows euclidean"),
    (lambda x: distance.cdist(x, x, "mahalanobis"), ad.UnsupportedError, "only if VI is given"),
    (lambda x: distance.euclidean(x[0], x[0, :1]), ad.ShapeError, "vectors of one size"),
    (lambda x: distance.euclidean(x[0], x[0], w=np.ones(2)), ad.UnsupportedError, "without `w`"),
    (lambda x: simpson(x, x=np.ones(5)), ad.ShapeError, "one point for each value"),
    (lambda x: simpson(x[:0], axis=0), ad.ShapeError, "there are no values"),
    (lambda x: cumulative_trapezoid(x, initial=1.0), ad.ArgumentError, "must be 0 or None"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(np.ones((2, 2)))
