"""Square factors of rectangular matrices, polar factors and generalised eigenvalues, against SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import mlirad as ad
from tests.frontend.scipy_checks import check

RNG = np.random.default_rng(5)
SHAPES = [(3, 3), (4, 2), (2, 4), (3, 1), (1, 3), (1, 1)]


def matrix(shape: tuple[int, ...], is_complex: bool = False) -> Any:
    found = RNG.normal(size=shape)
    return found + 1j * RNG.normal(size=shape) if is_complex else found


def interpreted(function: Callable[..., Any], *args: Any) -> Any:
    return ad.jit(function, interpret=True)(*args)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("shape", SHAPES)
def test_polar(shape: tuple[int, int], side: str) -> None:
    a = matrix(shape)
    check(lambda a: linalg.polar(a, side)[0], a)
    check(lambda a: linalg.polar(a, side)[1], a)
    z = matrix(shape, is_complex=True)
    for got, want in zip(interpreted(lambda z: linalg.polar(z, side), z), linalg.polar(z, side), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)

    def real(z: Any) -> Any:
        u, p = linalg.polar(z, side)
        return np.sum(np.real(u) ** 2 * np.imag(u)) + np.sum(np.real(p) * np.imag(p) + np.real(p))

    ad.check_derivatives(real, z, interpret=True)


def test_polar_at_equal_singular_values() -> None:
    """The polar factor of a rotation is itself, and moves by the skew part of what turns it."""
    q = linalg.qr(matrix((3, 3)))[0]
    weights = matrix((3, 3))
    slope = ad.grad(lambda a: np.sum(linalg.polar(a)[0] * weights), interpret=True)(q)
    np.testing.assert_allclose(slope, (weights - q @ weights.T @ q) / 2, rtol=1e-12, atol=1e-13)
    ad.check_derivatives(ad.grad(lambda a: np.sum(linalg.polar(a)[0] * weights)), q, interpret=True)


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("shape", [*SHAPES, (5, 2, 4, 3), (0, 2), (2, 0)])
def test_square_factors(shape: tuple[int, ...], is_complex: bool) -> None:
    a = matrix(shape, is_complex)
    rows, columns = shape[-2:]
    u, s, v = interpreted(lambda a: np.linalg.svd(a), a)
    assert u.shape == (*shape[:-1], rows) and v.shape == (*shape[:-2], columns, columns)
    least = min(rows, columns)
    np.testing.assert_allclose((u[..., :least] * s[..., None, :]) @ v[..., :least, :], a, atol=1e-13)
    q, r = interpreted(lambda a: np.linalg.qr(a, mode="complete"), a)
    assert q.shape == u.shape and r.shape == a.shape
    np.testing.assert_allclose(q @ r, a, atol=1e-13)
    for x, n in ((u, rows), (v, columns), (q, rows)):
        product = np.conjugate(np.swapaxes(x, -1, -2)) @ x
        np.testing.assert_allclose(product, np.broadcast_to(np.eye(n), product.shape), atol=1e-13)


def test_compiled_square_factors() -> None:
    a = matrix((4, 2))
    u, s, v = ad.jit(lambda a: linalg.svd(a))(a)
    q, r = ad.jit(lambda a: linalg.qr(a))(a)
    np.testing.assert_allclose(u[:, :2] * s @ v, a, atol=1e-13)
    np.testing.assert_allclose(q @ r, a, atol=1e-13)


def test_derivatives_of_square_factors() -> None:
    """One column that is added is known up to its sign; of several the choice is free."""
    a = matrix((3, 2))
    check(lambda a: np.abs(linalg.svd(a)[0][:, 2]), a)
    check(lambda a: np.abs(linalg.qr(a)[0][:, 2]), a)
    check(lambda a: np.abs(linalg.svd(a.T)[2][2]), a)
    check(lambda a: linalg.svd(a)[1], a)
    check(lambda a: linalg.qr(a)[1], a)
    free = ad.grad(lambda a: np.sum(linalg.svd(a)[0][:, 1:]), interpret=True)(a[:, :1])
    assert np.isnan(free).all()


@pytest.mark.parametrize("type_", [1, 2, 3])
def test_generalised_eigenvalues(type_: int) -> None:
    a, b, c = matrix((3, 3)), matrix((3, 3)), matrix((3, 3))
    a, b = a + a.T, b @ b.T + np.eye(3)

    def pair(a: Any, b: Any) -> Any:
        return linalg.eigh((a + a.T) / 2, (b + b.T) / 2, type=type_)

    check(lambda a, b: pair(a, b)[0], a, b)
    check(lambda a, b: pair(a, b)[1], a, b)
    check(lambda a, b: linalg.eigvalsh((a + a.T) / 2, (b + b.T) / 2, type=type_), a, b)
    # One triangle is read.
    for lower in (True, False):
        rest = np.triu(c, 1) if lower else np.tril(c, -1)
        got = interpreted(lambda a, b: linalg.eigvalsh(a, b, lower=lower, type=type_), a + rest, b + rest)  # noqa: B023
        np.testing.assert_allclose(got, linalg.eigvalsh(a, b, type=type_), rtol=1e-11, atol=1e-12)
    z, y = matrix((3, 3), True), matrix((3, 3), True)
    z, y = z + z.conj().T, y @ y.conj().T + np.eye(3)
    got = interpreted(lambda z, y: linalg.eigh(z, y, type=type_), z, y)
    for part, want in zip(got, linalg.eigh(z, y, type=type_), strict=True):
        np.testing.assert_allclose(part, want, rtol=1e-11, atol=1e-12)


def test_batches_and_dtypes_of_generalised_eigenvalues() -> None:
    a, b = matrix((4, 2, 2)), matrix((4, 2, 2))
    a, b = a + np.swapaxes(a, 1, 2), b @ np.swapaxes(b, 1, 2) + np.eye(2)
    got = ad.vmap(lambda a, b: linalg.eigh(a, b)[0])(a, b)
    np.testing.assert_allclose(got, [linalg.eigvalsh(*pair) for pair in zip(a, b, strict=True)], rtol=1e-11)
    small = interpreted(lambda a, b: linalg.eigh(a, b), a[0].astype(np.float32), b[0])
    assert all(part.dtype == np.float64 for part in small)


MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: linalg.polar(x[0]), ad.LinearAlgebraError, "needs matrices"),
    (lambda x: linalg.polar(x[:0]), ad.ShapeError, "an element at least"),
    (lambda x: linalg.polar(x[None]), ad.ShapeError, "ad.vmap takes several"),
    (lambda x: linalg.eigh(x, x[:1, :1]), ad.LinearAlgebraError, "have one shape"),
    (lambda x: linalg.eigh(x, x, subset_by_index=[0, 0]), ad.UnsupportedError, "without `subset_by_index`"),
    (lambda x: linalg.eigh(x, type=4), ad.ArgumentError, "1, 2 or 3"),
    (lambda x: linalg.eigh(x, -x)[0], ad.LinearAlgebraError, "not positive definite"),
    (lambda x: linalg.qr(x, mode="raw"), ad.UnsupportedError, "mode='raw'"),
    (lambda x: np.linalg.qr(x, mode="raw"), ad.UnsupportedError, "mode='raw'"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        interpreted(function, np.eye(2))
