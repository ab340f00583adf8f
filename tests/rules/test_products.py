"""Derivatives of products of many factors, which are made in blocks: of `np.prod`, and of loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

N = 2 * 32 * 128


def by_loop(x: Any) -> Any:
    return ad.fold(lambda c, t: c * t, 1.0, x)


def total(x: Any) -> Any:
    return np.sum(np.prod(x, axis=1))


@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
@pytest.mark.parametrize("function", [np.prod, by_loop])
def test_products_of_all_others(function: Any, method: Any) -> None:
    x = np.exp(0.01 * np.random.default_rng(3).normal(size=N))
    gradient = ad.grad(function, method=method)
    np.testing.assert_allclose(gradient(x), np.prod(x) / x, rtol=1e-12)
    x[7] = 0
    expected = np.zeros(N)
    expected[7] = np.prod(np.delete(x, 7))
    np.testing.assert_allclose(gradient(x), expected, rtol=1e-12)
    x[9] = 0
    assert not gradient(x).any()
    x[9] = np.inf
    assert gradient(x)[7] == np.inf
    assert not np.delete(gradient(x), 7).any()  # a zero among the others absorbs the infinite factor


def test_second_derivatives() -> None:
    rng = np.random.default_rng(4)
    x, v = np.exp(0.01 * rng.normal(size=N)), rng.normal(size=N)
    expected = np.prod(x) / x * (np.sum(v / x) - v / x)
    for function in (np.prod, by_loop):
        found = ad.hvp(function, (x,), (v,))
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_along_an_axis() -> None:
    x = np.exp(0.01 * np.random.default_rng(5).normal(size=(3, N)))
    found = ad.grad(total)(x)
    np.testing.assert_allclose(found, np.prod(x, axis=1, keepdims=True) / x, rtol=1e-12)


def products_without_each(x: Any) -> Any:
    """For each element the product of all others, 0 where one of them is, infinite beyond the range."""
    others = [[float(v) for v in np.delete(x, k)] for k in range(len(x))]
    with np.errstate(over="ignore"):
        return np.array([0.0 if 0.0 in rest else np.prod(np.array(rest)) for rest in others])


@pytest.mark.parametrize("seed", range(20))
def test_zeros_absorb_overflow(seed: int) -> None:
    """Derivatives of products and their prefixes, in both modes, to order 2: no NaN where a factor is 0."""
    rng = np.random.default_rng(seed)
    x = rng.choice(np.array([0.0, 1e200, 1e150, 2.0, -3.0, 1e100]), size=5)
    expected = products_without_each(x)
    np.testing.assert_allclose(product_gradient(x), expected, rtol=1e-12)
    mixed = product_hessian(x)
    for k in range(5):
        np.testing.assert_allclose(np.delete(mixed[k], k), products_without_each(np.delete(x, k)), rtol=1e-12)
    with np.errstate(over="ignore", invalid="ignore"):
        prefixes = np.cumprod(x)
    for slopes in (prefixes_backward(x), prefixes_forward(x)):
        for k in range(5):
            if not np.isnan(prefixes[k]):
                found = slopes[k][: k + 1]
                np.testing.assert_allclose(found, products_without_each(x[: k + 1]), rtol=1e-12)


@pytest.mark.parametrize("zero", [20, None])
def test_zeros_absorb_overflow_in_long_chains(zero: int | None) -> None:
    """Without a zero, products are plain ones, which overflow alike."""
    x = np.ones(300)
    x[50] = x[60] = 1e200
    if zero is not None:
        x[zero] = 0.0
    others = product_gradient(x)
    prefixes = ad.grad(lambda x: np.sum(np.cumprod(x)))(x)
    if zero is None:
        np.testing.assert_array_equal(others, np.where(x == 1.0, np.inf, 1e200))
        np.testing.assert_array_equal(prefixes, np.where(x == 1e200, prefixes, np.inf))
    else:
        np.testing.assert_array_equal(others, np.where(x == 0.0, np.inf, 0.0))
        expected = np.maximum(20.0 - np.arange(300), 0.0)
        np.testing.assert_array_equal(prefixes, np.where(x == 0.0, np.inf, expected))


product_gradient = ad.grad(np.prod)
product_hessian = ad.hessian(np.prod)
prefixes_backward = ad.jacrev(np.cumprod)
prefixes_forward = ad.jacfwd(np.cumprod)
