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
    assert gradient(x)[9] == 0
    assert np.isnan(np.delete(gradient(x), [7, 9])).all()


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
