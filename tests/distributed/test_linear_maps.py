"""Derivatives by rows: products and least squares against those of arrays of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import lsmr

import mlirad as ad

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X, Y, W, B = RNG.normal(size=(300, 4)), RNG.normal(size=300), RNG.normal(size=4), 0.3
CHUNKS = (90, 7, 120, 2, 81)


def errors(w: Any, b: Any, x: Any, y: Any) -> Any:
    return np.tanh(x @ w + b) - y


def split() -> tuple[Any, Any]:
    return da.from_array(X, chunks=(CHUNKS, -1)), da.from_array(Y, chunks=(CHUNKS,))


def test_products() -> None:
    r, map_ = ad.linearize(errors, W, B, *split())
    expected, whole = ad.linearize(errors, W, B, X, Y, argnums=(0, 1))
    v, u = (RNG.normal(size=4), 0.7), RNG.normal(size=300)
    assert map_.shape == whole.shape
    np.testing.assert_allclose(r.compute(), expected, rtol=1e-13)
    np.testing.assert_allclose(map_(*v).compute(), whole(*v), rtol=1e-13, atol=1e-13)
    for made, wanted in (
        (map_.T(da.from_array(u, chunks=(CHUNKS,))), whole.T(u)),
        ((map_.T @ map_)(*v), whole.T(whole(*v))),
    ):
        np.testing.assert_allclose(made[0], wanted[0], rtol=1e-12)
        np.testing.assert_allclose(made[1], wanted[1], rtol=1e-12)


@pytest.mark.parametrize("method", ["lsmr", "cg"])
@pytest.mark.parametrize("damp", [0.0, 0.5])
def test_least_squares(method: str, damp: float) -> None:
    r, map_ = ad.linearize(errors, W, B, *split())
    value, whole = ad.linearize(errors, W, B, X, Y, argnums=(0, 1))
    x = map_.solve(-r, method=method, damp=damp, tol=1e-12)
    expected = lsmr(whole.as_linear_operator(), -value, damp=damp, atol=1e-13, btol=1e-13)[0]
    np.testing.assert_allclose([*x[0], x[1]], expected, rtol=1e-9)
    assert 0 < map_.iterations <= 6


def test_one_argument_is_bare() -> None:
    r, map_ = ad.linearize(errors, W, B, *split(), argnums=0)
    assert map_.T(r).shape == (4,)
    assert map_.solve(r).shape == (4,)


def test_refused() -> None:
    with pytest.raises(ad.UnsupportedError, match="by an argument in chunks"):
        ad.linearize(errors, W, B, *split(), argnums="x")
    r, map_ = ad.linearize(errors, W, B, *split())
    with pytest.raises(ad.ConvergenceError, match="2 iterations"):
        map_.solve(r, maxiter=2, tol=1e-14)
