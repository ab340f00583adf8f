"""`np.vectorize` of traced arrays: the function at every position, as NumPy calls it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -3.0]])


@np.vectorize
def product(a: Any, b: Any) -> Any:
    return np.sin(a) * b + 1.0


def limited(a: Any) -> Any:
    return np.where(a > 0, a**2, -a), a > 0


CALLS: dict[str, Any] = {
    "broadcast": lambda x: product(x, x[:, :1]),
    "a number": lambda x: product(x, 2),
    "scalars": lambda x: product(x[0, 0], 3.0),
    "several results": lambda x: np.vectorize(limited)(x),
    "otypes": lambda x: np.vectorize(lambda a: a * 2.5, otypes=[np.float32])(x),
    "otypes of several": lambda x: np.vectorize(limited, otypes=[np.float32, bool])(x[0]),
    "complex": lambda x: np.vectorize(lambda z: z * z)(x * 1j + 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str) -> None:
    found, expected = ad.jit(CALLS[name])(X), CALLS[name](X)
    for one, other in zip(*((v if isinstance(v, tuple) else (v,)) for v in (found, expected)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
        assert one.dtype == other.dtype


def test_derivative() -> None:
    gradient = ad.grad(lambda x: np.sum(product(x, x[:, :1])))(X)
    expected = np.cos(X) * X[:, :1]
    expected[:, 0] += np.sin(X).sum(1)
    np.testing.assert_allclose(gradient, expected)


def test_what_it_does_not_take() -> None:
    with pytest.raises(ad.UnsupportedError, match=r"np\.vectorize"):
        ad.jit(lambda x: np.vectorize(np.sum, signature="(n)->()")(x))(X)
    with pytest.raises(ad.TracingError, match=r"np\.where"):
        ad.jit(np.vectorize(lambda a: a if a > 0 else -a))(X)
    with pytest.raises(ad.ShapeError, match=r"np\.vectorize"):
        ad.jit(lambda x: product(x, x[0, :2]))(X)
