"""Distances of SciPy: SciPy's values, derivatives against differences, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance
from scipy.spatial import distance

import mlirad as ad
from mlirad.frontend.numpy_functions.scipy_functions.metrics import CANONICAL, METRICS
from tests.frontend.scipy_checks import check

RNG = np.random.default_rng(3)
INVERSE = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
WEIGHTS = np.array([0.5, 2.0, 1.0])
NEEDED: dict[str, dict[str, Any]] = {"seuclidean": {"V": WEIGHTS}, "mahalanobis": {"VI": INVERSE}}
"""Options without which there is no distance of two vectors."""

CASES = {
    **{name: (name, NEEDED.get(name, {})) for name in METRICS},
    **{f"{name} with weights": (name, {"w": WEIGHTS}) for name in METRICS if "w" in METRICS[name].options},
    "minkowski p=3": ("minkowski", {"p": 3.0}),
    "minkowski p=3 with weights": ("minkowski", {"p": 3.0, "w": WEIGHTS}),
    "minkowski p=inf": ("minkowski", {"p": np.inf}),
}


def test_all_metrics_and_names_of_scipy() -> None:
    known = vars(scipy.spatial.distance)
    assert set(known["_METRICS"]) == set(METRICS)
    aliases = {name: info.canonical_name for name, info in known["_METRIC_ALIAS"].items()}
    assert aliases == CANONICAL


@pytest.mark.parametrize("case", CASES)
def test_distances(case: str) -> None:
    metric, options = CASES[case]
    a, b = RNG.uniform(0.2, 1.0, (3, 3)), RNG.uniform(1.2, 2.0, (2, 3))
    if metric not in ("dice",):
        check(lambda a, b: distance.cdist(a, b, metric, **options), a, b)
        check(lambda a: distance.pdist(a, metric, **options), a)
    check(lambda u, v: getattr(distance, metric)(u, v, **options), a[0], b[0])


@pytest.mark.parametrize(
    "name", ["euclidean", "sqeuclidean", "cityblock", "canberra", "braycurtis", "cosine"]
)
def test_derivatives_by_weights(name: str) -> None:
    a, b = RNG.uniform(0.2, 1.0, (3, 3)), RNG.uniform(1.2, 2.0, (2, 3))
    check(lambda w: distance.cdist(a, b, name, w=w), WEIGHTS)


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.of_truths])
@pytest.mark.parametrize("options", [{}, {"w": WEIGHTS}])
def test_metrics_of_truths(name: str, options: dict[str, Any]) -> None:
    a, b = RNG.integers(0, 2, (2, 5, 3)).astype(bool)
    b[:, 0] = True
    for x, y in ((a, b), (a.astype(float), b.astype(float))):
        got = ad.jit(lambda x, y: distance.cdist(x, y, name, **options), interpret=True)(x, y)
        np.testing.assert_allclose(got, distance.cdist(x, y, name, **options), rtol=1e-14)
    assert not ad.grad(lambda x: np.sum(distance.cdist(x, b, name)), interpret=True)(a.astype(float)).any()


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_what_is_not_given_comes_from_the_points(metric: str) -> None:
    a, b = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))
    check(lambda a, b: distance.cdist(a, b, metric), a, b)
    check(lambda a: distance.pdist(a, metric), a)


def test_a_function_as_a_metric() -> None:
    a, b = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))
    check(lambda a, b: distance.cdist(a, b, lambda u, v: np.sum(np.sin(u - v) ** 2)), a, b)
    check(lambda a: distance.pdist(a, lambda u, v, k: np.max(k * u - v) ** 2, k=2.0), a)
    check(lambda a, b: distance.cdist(a, b, distance.cityblock), a, b)
    check(lambda a, b: distance.cdist(a, b, "cb"), a, b)


def test_jensen_shannon_along_an_axis() -> None:
    p, q = RNG.uniform(0.2, 1.0, (2, 3, 4))
    check(lambda p, q: distance.jensenshannon(p, q, axis=1, keepdims=True), p, q)
    check(lambda p, q: distance.jensenshannon(p, q, base=2.0), p, q[:, :1])
    assert ad.jit(lambda p: distance.jensenshannon(p, p), interpret=True)(p[0]) == 0.0
    assert ad.grad(lambda p: distance.jensenshannon(p, q[0]), interpret=True)(q[0]).tolist() == [0.0] * 4


@pytest.mark.parametrize("case", CASES)
def test_compiled_in_batches_and_of_no_points(case: str) -> None:
    metric, options = CASES[case]
    x = (
        RNG.uniform(0.2, 1.0, (2, 3, 3)) > 0.5
        if METRICS[metric].of_truths
        else RNG.uniform(0.2, 1.0, (2, 3, 3))
    )
    if metric == "dice":
        x = x > 0.5

    def pairs(x: Any) -> Any:
        return distance.pdist(x, metric, **options)

    want = np.stack([pairs(part) for part in x])
    np.testing.assert_allclose(ad.vmap(pairs)(x), want, rtol=1e-13, atol=1e-15)
    if METRICS[metric].options and not (metric in NEEDED and not options):
        nothing = ad.jit(lambda x: distance.cdist(x, x[:2], metric, **options))(x[0, :0])
        assert nothing.shape == (0, 0)


def test_distances_from_itself() -> None:
    x = RNG.normal(size=(3, 2))
    slope = ad.grad(lambda x: np.sum(distance.cdist(x, x)), interpret=True)(x)
    assert np.isfinite(slope).all()
    np.testing.assert_array_equal(ad.jit(lambda x: distance.cdist(x, x), interpret=True)(x).diagonal(), 0.0)
    assert ad.jit(lambda x: distance.pdist(x), interpret=True)(x[:1]).shape == (0,)


def test_forms_of_distances() -> None:
    for n in (1, 2, 4):
        check(lambda d: distance.squareform(d), RNG.uniform(0.2, 1.0, n * (n - 1) // 2))
    matrix = distance.squareform(RNG.uniform(0.2, 1.0, 6))
    found = ad.jit(lambda m: distance.squareform(m), interpret=True)(matrix)
    np.testing.assert_array_equal(found, distance.squareform(matrix))


MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: distance.cdist(x, x[:, :1]), ad.ShapeError, "differ in size"),
    (lambda x: distance.squareform(x[0, :2]), ad.ShapeError, "are not those of all pairs"),
    (lambda x: distance.squareform(x[None]), ad.ShapeError, "is not turned into another form"),
    (lambda x: distance.cdist(x[0], x), ad.ShapeError, "is not a matrix"),
    (lambda x: distance.cdist(x, x, "hammering"), ad.UnsupportedError, "it knows euclidean"),
    (lambda x: distance.cdist(x, x, "mahalanobis"), ad.ShapeError, "the covariance of 4 points"),
    (lambda x: distance.pdist(x, "mahalanobis"), ad.ShapeError, "pass more points"),
    (lambda x: distance.cdist(x, x, "cosine", p=3), ad.ArgumentError, "has no option 'p'"),
    (lambda x: distance.cdist(x, x, "cosine", w=np.ones(2)), ad.ShapeError, "one number for each coordinate"),
    (lambda x: distance.cdist(x, x, lambda u, v: u - v), ad.ShapeError, "a distance is a number"),
    (lambda x: distance.euclidean(x[0], x[0, :1]), ad.ShapeError, "vectors of one size"),
    (lambda x: distance.jensenshannon(x[0, 0], x[0, 0]), ad.ShapeError, "of two numbers"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(np.ones((2, 4)))
