"""`np.histogram` on traced values: NumPy's counts and edges, and derivatives in weights and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import ArgumentError, ShapeError

X = np.array([[0.0, 0.1, 0.5], [1.0, 0.25, 0.75], [0.3, -2.0, 3.0]])
W = np.arange(9.0).reshape(3, 3)


def several(x: Any, w: Any, edges: Any) -> list[Any]:
    """Histograms by number of bins, range and edges, weighted or not."""
    return [
        *np.histogram(x), *np.histogram(x, 4, range=(0.0, 1.0)), *np.histogram(x, 7, weights=w),
        *np.histogram(x, edges), *np.histogram(x, edges, weights=w, density=True),
        *np.histogram(x, 3, density=True), *np.histogram(x * 0 + 2.0, 3), *np.histogram(x, [0.0, 0.5, 1.0]),
        *np.histogram(x.astype(np.float32), 3, range=(0, 1.0)),
        *np.histogram(x.astype(int), 3), *np.histogram_bin_edges(x, 5),
    ]  # fmt: skip


def test_counts_and_edges_are_those_of_numpy():
    edges = np.array([-1.0, 0.0, 0.5, 2.0])
    found = ad.jit(several)(X, W, edges)
    for got, want in zip(found, several(X, W, edges), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-14)


def test_what_lies_on_edges_is_where_numpy_has_it():
    x = np.random.default_rng(0).integers(0, 50, 400) / 50
    for bins in (10, 25, 50, 7):
        counts, edges = ad.jit(lambda x, b=bins: np.histogram(x, b), interpret=True)(x)
        np.testing.assert_array_equal(counts, np.histogram(x, bins)[0])
        np.testing.assert_array_equal(edges, np.histogram(x, bins)[1])


def test_derivatives_are_those_of_weights_and_edges():
    def f(x, w):
        sums, edges = np.histogram(x, 4, weights=w, density=True)
        return np.sum(np.sin(sums)) + np.sum(edges**2)

    ad.check_derivatives(f, X[0], W[0], interpret=True, step=1e-4)
    np.testing.assert_array_equal(ad.grad(lambda x: np.sum(np.histogram(x, 3, (0, 1))[0] * 1.0))(X), 0.0)


def test_mistakes_are_named():
    for bins, message in ((0, "0 bins"), (np.eye(2), "bins of shape"), ([1.0, 0.0], "do not increase")):
        with pytest.raises(ArgumentError, match=message):
            ad.jit(lambda x, b=bins: np.histogram(x, b))(X)
    with pytest.raises(ArgumentError, match="`bins` must be a number of bins or an array of edges"):
        ad.jit(lambda x: np.histogram(x, "auto"))(X)
    with pytest.raises(ArgumentError, match="is not one"):
        ad.jit(lambda x: np.histogram(x, 3, (1.0, 0.0)))(X)
    with pytest.raises(ShapeError, match="there is a weight for each element"):
        ad.jit(lambda x: np.histogram(x, 3, weights=np.ones(3)))(X)


BINNED: dict[str, Any] = {
    "numbers": {"bins": [4, 3], "range": [[-3, 3], [-1, 1]]},
    "one number": {"bins": 3},
    "edges": {"bins": (np.array([-3.0, -0.5, 0.0, 2.0]), np.array([-1.0, 0.0, 1.0]))},
    "the same edges": {"bins": np.array([-2.0, -0.5, 0.0, 2.0])},
    "number and edges": {"bins": [3, np.array([-1.0, 0.0, 1.0])]},
    "density": {"bins": [4, 3], "range": [[-3, 3], None], "density": True},
    "nothing inside": {"bins": 2, "range": [[8, 9], [8, 9]]},
}


@pytest.mark.parametrize("case", BINNED)
def test_histograms_of_points(case: str) -> None:
    rng = np.random.default_rng(4)
    x, y, w = rng.normal(size=20), rng.normal(size=20), rng.normal(size=20)
    x[:4], y[:4] = [-3.0, 3.0, 0.0, -0.5], [1.0, -1.0, 0.0, 1.0]
    options = BINNED[case]
    for weights in (None, w):
        with np.errstate(invalid="ignore"):
            want = np.histogram2d(x, y, weights=weights, **options)
        got = ad.jit(lambda x, y, w: np.histogram2d(x, y, weights=w, **options), interpret=True)(
            x, y, weights
        )
        for found, known in zip(got, want, strict=True):
            assert (found.dtype, found.shape) == (known.dtype, known.shape)
            np.testing.assert_allclose(found, known, rtol=1e-13)
    if case != "nothing inside":
        ad.check_derivatives(lambda w: np.histogram2d(x, y, weights=w, **options)[0], w)


def test_histograms_of_several_dimensions() -> None:
    rng = np.random.default_rng(4)
    points, w = rng.normal(size=(15, 3)), rng.normal(size=15)
    for sample in (lambda p: p, lambda p: [p[:, 0], p[:, 1], p[:, 2]]):
        want, edges = np.histogramdd(sample(points), bins=(2, 3, 2), weights=w)
        got, found = ad.jit(lambda p, w, s=sample: np.histogramdd(s(p), bins=(2, 3, 2), weights=w))(points, w)
        np.testing.assert_allclose(got, want, rtol=1e-13)
        for one, other in zip(found, edges, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-14)
    with pytest.raises(ArgumentError, match="2 bins and 3 ranges"):
        ad.jit(lambda p: np.histogramdd(p, bins=(2, 3), range=[(0, 1)] * 3))(points)
    with pytest.raises(ShapeError, match="weights"):
        ad.jit(lambda p: np.histogramdd(p, weights=p))(points)
    with pytest.raises(ShapeError, match="vectors of one length"):
        ad.jit(lambda p: np.histogram2d(p[0], p[:, 0]))(points)


def test_counts_of_traced_integers_below_a_bound() -> None:
    bins = np.linspace(-1, 1, 6)

    def counted(x: Any) -> Any:
        return np.bincount(np.digitize(x, bins), weights=x**2, minlength=8)

    x = np.array([0.3, -0.9, 1.0, -1.0, 2.0, 0.31])
    np.testing.assert_array_equal(ad.jit(counted)(x), counted(x))
    ad.check_derivatives(counted, x + 0.01)
    count = ad.jit(lambda x: np.bincount(x, minlength=3))
    np.testing.assert_array_equal(count(np.array([2, 0, 2])), [1, 0, 2])
    with pytest.raises(ad.UnsupportedError, match="more than minlength=3"):
        count(np.array([2, 0, 3]))
    with pytest.raises(ValueError, match="negative"):
        count(np.array([2, 0, -1]))
