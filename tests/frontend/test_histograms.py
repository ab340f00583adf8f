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
