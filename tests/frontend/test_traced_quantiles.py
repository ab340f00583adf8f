"""Quantiles at traced levels: NumPy's, and their derivatives by elements and by levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

pytestmark = pytest.mark.filterwarnings(
    "ignore::mlirad.CaptureWarning", "ignore::mlirad.RecompileWarning", "ignore::RuntimeWarning"
)

METHODS = (
    "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "interpolated_inverted_cdf", "hazen",
    "weibull", "median_unbiased", "normal_unbiased",
)  # fmt: skip
LEVELS = {
    "scalar": 0.3,
    "vector": np.array([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]),
    "matrix": np.array([[0.2, 0.4], [0.6, 0.77]]),
    "none": np.zeros(0),
}
X = np.random.default_rng(0).normal(size=(7, 3))


@pytest.mark.parametrize("method", METHODS)
def test_values(method: str) -> None:
    method_: Any = method
    for q in LEVELS.values():
        for axis in (0, None):
            for x in (X, X[:1], (4 * X).astype(np.int64), X.astype(np.float32)):
                found = ad.jit(lambda x, q, a=axis: np.quantile(x, q, axis=a, method=method_), interpret=True)
                wanted = np.quantile(x, q, axis=axis, method=method_)
                tolerance = 1e-6 if x.dtype == np.float32 else 1e-12
                np.testing.assert_allclose(found(x, q), wanted, tolerance, tolerance)
                assert found(x, q).dtype == wanted.dtype
    found = ad.jit(lambda x, q: np.percentile(x, q, axis=1, keepdims=True, method=method_))
    wanted = np.percentile(X, [30.0, 50.0], axis=1, keepdims=True, method=method_)
    np.testing.assert_allclose(found(X, np.array([30.0, 50.0])), wanted, rtol=1e-12)


def test_special_elements_and_levels() -> None:
    quantile = ad.jit(lambda x, q: np.quantile(x, q))
    endless = np.array([1.0, np.inf, np.inf])
    np.testing.assert_array_equal(
        quantile(endless, np.array([0.0, 0.2, 0.5, 1.0])), [1, np.inf, np.inf, np.inf]
    )
    assert np.isnan(quantile(np.array([1.0, np.nan]), 0.3))
    np.testing.assert_array_equal(quantile(X[:, 0], np.array([-0.1, 1.1, np.nan])), [np.nan] * 3)
    np.testing.assert_allclose(
        ad.jit(lambda x, q: np.quantile(x, [q, 0.5]))(X, 0.3), np.quantile(X, [0.3, 0.5])
    )
    batch = ad.vmap(lambda x, q: np.quantile(x, q))(X, np.linspace(0, 1, 7))
    np.testing.assert_allclose(
        batch, [np.quantile(x, q) for x, q in zip(X, np.linspace(0, 1, 7), strict=True)]
    )


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("method", ["linear", "midpoint", "hazen", "weibull"])
def test_derivatives_by_elements_and_levels(method: str, interpret: bool) -> None:
    """Derivatives of orders 1 and 2, between elements."""
    method_: Any = method

    def function(x: Any, q: Any) -> Any:
        return np.sum(np.sin(np.quantile(x, q, axis=0, method=method_)))

    q = np.array([0.31, 0.77])
    ad.check_derivatives(lambda x, q: np.quantile(x, q, axis=0, method=method_), X, q, interpret=interpret)
    gradient = ad.grad(function, argnums=(0, 1), interpret=interpret)
    steps = [(np.zeros_like(X), h) for h in 1e-6 * np.eye(2)]
    steps += [(h.reshape(X.shape), np.zeros(2)) for h in 1e-6 * np.eye(X.size)[::4]]
    for dx, dq in steps:
        slope = [(a - b) / 2 for a, b in zip(gradient(X + dx, q + dq), gradient(X - dx, q - dq), strict=True)]
        product = ad.hvp(function, (X, q), (dx, dq), interpret=interpret)
        for one, other in zip(product, slope, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-11)


def test_derivatives_at_elements_are_slopes_of_pieces() -> None:
    """Above the element, and below the last one; to the elements they are as of a static level."""
    x = np.array([1.0, 4.0, 2.0])
    slope = ad.grad(lambda q: np.quantile(x, q))
    np.testing.assert_allclose([slope(0.0), slope(0.25), slope(0.5), slope(1.0)], [2, 2, 4, 4])
    for q in (0.0, 0.5, 1.0):
        by_elements = ad.grad(lambda x, q: np.quantile(x, q))(x, q)
        np.testing.assert_allclose(by_elements, ad.grad(lambda x, q=q: np.quantile(x, q))(x))
    assert ad.grad(lambda q: np.quantile(x, q, method="lower"))(0.3) == 0.0


def test_mistakes() -> None:
    with pytest.raises(ad.UnsupportedError, match="closest_observation") as caught:
        ad.jit(lambda x, q: np.quantile(x, q, method="closest_observation"))(X, 0.5)
    assert caught.value.hint
    with pytest.raises(ad.ArgumentError, match="two dimensions"):
        ad.jit(lambda x, q: np.quantile(x, q))(X, np.zeros((1, 1, 1)))
