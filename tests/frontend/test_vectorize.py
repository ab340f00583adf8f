"""`np.vectorize` of traced arrays: the function at every position, as NumPy calls it."""

from __future__ import annotations

from collections.abc import Callable
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
    for wrong in (
        lambda x: np.vectorize(np.sum, signature="(n),(n)->()")(x),
        lambda x: np.vectorize(np.sum, signature="(n,m,k)->()")(x),
        lambda x: np.vectorize(np.dot, signature="(n),(n)->()")(x, x[0, :2]),
        lambda x: np.vectorize(np.sin, signature="(n)->()")(x),
        lambda x: np.vectorize(np.sin, signature="(n)->(n),()")(x),
    ):
        with pytest.raises(ad.ShapeError, match=r"np\.vectorize"):
            ad.jit(wrong)(X)
    with pytest.raises(ad.ShapeError, match=r"np\.vectorize"):
        ad.jit(lambda x: product(x, x[0, :2]))(X)


def test_functions_with_branches() -> None:
    np.testing.assert_array_equal(ad.jit(np.vectorize(lambda a: a if a > 0 else -a))(X), np.abs(X))


M = np.random.default_rng(4).normal(size=(3, 2, 2)) + 2 * np.eye(2)

WAYS: dict[str, Callable[[Any], Any]] = {
    "a matrix": lambda m: np.vectorize(np.linalg.inv, signature="(n,n)->(n,n)")(m),
    "one matrix": lambda m: np.vectorize(np.linalg.inv, signature="(n,n)->(n,n)")(m[0]),
    "a number": lambda m: np.vectorize(np.linalg.det, signature="(n,n)->()")(m),
    "two operands": lambda m: np.vectorize(np.dot, signature="(n,m),(m)->(n)")(m, m[:, 0]),
    "broadcast": lambda m: np.vectorize(np.dot, signature="(n,m),(m)->(n)")(m, m[0, 0]),
    "with a plain array": lambda m: np.vectorize(np.dot, signature="(n),(n)->()")(m, np.ones(2)),
    "two results": lambda m: np.vectorize(lambda v: (v.sum(), 2 * v), signature="(n)->(),(n)")(m),
    "otypes": lambda m: np.vectorize(np.sum, signature="(n)->()", otypes=[np.float32])(m),
    "excluded by place": lambda m: np.vectorize(lambda a, k: a * k, excluded={1})(m, 3.0),
    "excluded by name": lambda m: np.vectorize(lambda a, k: a * len(k), excluded={"k"})(m, k=[1, 2]),
    "by name": lambda m: np.vectorize(lambda a, k=1.0: a - k)(m, k=m[0]),
    "excluded and a signature": lambda m: np.vectorize(
        lambda v, p: np.sum(v**p), signature="(n)->()", excluded={1}
    )(m, 3),
}


@pytest.mark.parametrize("name", WAYS)
def test_signatures_and_arguments_by_name(name: str) -> None:
    way = WAYS[name]
    found, expected = ad.jit(way)(M), way(M)
    for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (found, expected)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6 if name == "otypes" else 1e-12)
        assert a.dtype == b.dtype
    if name != "otypes":
        ad.check_derivatives(way, M)
