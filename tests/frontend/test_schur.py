"""`scipy.linalg.schur` in traced functions, against SciPy, differences, functions of the matrix itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import mlirad as ad
from mlirad.errors import LinearAlgebraError, UnsupportedError

linalg: Any = scipy.linalg
RNG = np.random.default_rng(11)


def blocks(*parts: Any) -> Any:
    """Blocks on the diagonal of an upper triangular matrix, in turned coordinates."""
    t = linalg.block_diag(*parts) + np.triu(RNG.normal(size=[sum(map(len, parts))] * 2), 2)
    q = np.linalg.qr(RNG.normal(size=t.shape))[0]
    return q @ t @ q.T


PAIR = np.array([[1.0, 2.0], [-3.0, 1.0]])

MATRICES = {
    "one": np.array([[3.0]]),
    "real eigenvalues": blocks([[1.0]], [[3.0]], [[-2.0]]),
    "a pair": blocks(PAIR),
    "pairs and others": blocks([[5.0]], PAIR, [[-4.0]], 2.5 * PAIR),
    "symmetric": np.diag([1.0, 2.0, 4.0]) + 0.3 * np.ones((3, 3)),
    "triangular": np.array([[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, 0.0, -6.0]]),
    "complex": blocks([[1.0]], PAIR, [[2.0]]) + 1j * RNG.normal(size=(4, 4)),
}
CASES = [(name, output) for name in MATRICES for output in ("real", "complex")]


def known(t: Any, z: Any) -> Any:
    """The part that does not depend on signs, or on the factors of modulus 1 of complex columns."""
    weighted = (z * np.cos(np.arange(len(t)))) @ np.conj(z).T
    return np.concatenate([np.ravel(np.real(x)) for x in (t * np.conj(t), z * np.conj(z), weighted)])


@pytest.mark.parametrize(("name", "output"), CASES)
def test_factors_are_those_of_scipy(name: str, output: str) -> None:
    a = MATRICES[name]
    t, z = ad.jit(partial(linalg.schur, output=output))(a)
    expected = linalg.schur(a, output)
    np.testing.assert_allclose(t, expected[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(z, expected[1], rtol=1e-12, atol=1e-12)
    assert (t.dtype, z.dtype) == (expected[0].dtype, expected[1].dtype)


SAME_ORDER = [case for case in CASES if case != ("triangular", "complex")]
"""The cases whose eigenvalues have the same order in matrices beside it: LAPACK's may be another one."""


@pytest.mark.parametrize(("name", "output"), SAME_ORDER)
def test_derivatives(name: str, output: str) -> None:
    """Derivatives of orders 1 and 2, against differences, and forward against reverse."""
    a = MATRICES[name]
    step = RNG.normal(size=a.shape) + (1j * RNG.normal(size=a.shape) if a.dtype.kind == "c" else 0)
    weights = RNG.normal(size=3 * a.size)

    def f(a: Any) -> Any:
        return known(*linalg.schur(a, output))

    def weighted(a: Any) -> Any:
        return np.sum(weights * f(a))

    def slope(s: Any) -> Any:
        return ad.jvp(lambda s: weighted(a + s * step), (s,), (1.0,))[1]

    def derivatives() -> Any:
        second = ad.grad(slope)(0.0), ad.jvp(slope, (0.0,), (1.0,))[1]
        return ad.jvp(f, (a,), (step,))[1], ad.grad(weighted)(a), slope(h), slope(-h), second

    h = 1e-5
    change, gradient, after, before, (second, forward) = ad.jit(derivatives)()
    differences = (f(a + h * step) - f(a - h * step)) / (2 * h)
    np.testing.assert_allclose(change, differences, rtol=1e-6, atol=1e-6 * (1 + np.abs(differences).max()))
    np.testing.assert_allclose(np.sum(np.real(gradient * step)), np.sum(weights * change), rtol=1e-8)
    np.testing.assert_allclose(second, forward, rtol=1e-7)
    np.testing.assert_allclose(second, (after - before) / (2 * h), rtol=1e-5, atol=1e-5 * (1 + abs(after)))


@pytest.mark.parametrize(("name", "output"), CASES)
def test_the_factors_that_move_are_factors(name: str, output: str) -> None:
    """Tangents obey the derivative of A Z = Z T, of Z^H Z = I, and keep T as triangular as it is."""
    a = MATRICES[name]
    step = RNG.normal(size=a.shape)
    (t, z), (dt, dz) = ad.jvp(partial(linalg.schur, output=output), (a,), (step,))
    np.testing.assert_allclose(step @ z + a @ dz, dz @ t + z @ dt, atol=1e-10)
    np.testing.assert_allclose(dz.conj().T @ z + z.conj().T @ dz, 0 * a, atol=1e-11)
    assert not np.any(dt[np.tril(t == 0, -1)])


@pytest.mark.parametrize("name", MATRICES)
def test_functions_that_the_matrix_has_without_factors(name: str) -> None:
    """The exponential by the factors, and powers of eigenvalues, against those of the matrix itself."""
    a = MATRICES[name]
    step = RNG.normal(size=a.shape)

    def by_factors(a: Any) -> Any:
        t, z = linalg.schur(a)
        return z @ linalg.expm(t) @ np.conj(z).T

    found, expected = (ad.jvp(f, (a,), (step,)) for f in (by_factors, linalg.expm))
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8 * np.abs(y).max())

    def cubes(a: Any) -> Any:
        return np.real(np.sum(np.diagonal(linalg.schur(a, "complex")[0]) ** 3))

    powers = ad.grad(cubes)(a)
    np.testing.assert_allclose(powers, 3 * np.linalg.matrix_power(a, 2).T, rtol=1e-8, atol=1e-8)


JORDAN = np.eye(3) + np.eye(3, k=1)
TURNED = np.linalg.qr(RNG.normal(size=(3, 3)))[0]

WITHOUT_DERIVATIVE = {
    "the identity": (np.eye(3), "real"),
    "the identity, complex": (np.eye(3), "complex"),
    "too few vectors": (JORDAN, "real"),
    "too few vectors, turned": (TURNED @ JORDAN @ TURNED.T, "real"),
    "too few vectors, turned, complex": (TURNED @ JORDAN @ TURNED.T, "complex"),
    "equal pairs": (linalg.block_diag(PAIR, PAIR), "real"),
    "a rotation": (np.array([[0.0, -1.0], [1.0, 0.0]]), "real"),
}


@pytest.mark.parametrize("name", WITHOUT_DERIVATIVE)
def test_where_there_is_no_derivative_it_is_nan(name: str) -> None:
    a, output = WITHOUT_DERIVATIVE[name]

    def squares(a: Any) -> Any:
        t, z = linalg.schur(a, output)
        return np.real(t[0, -1] * np.conj(t[0, -1]) + t[0, 0]), np.real(z[0, 0] * np.conj(z[0, 0]))

    step = RNG.normal(size=a.shape)
    assert np.isnan(ad.jvp(squares, (a,), (step,))[1]).all()
    assert all(np.isnan(row).all() for row in ad.jacobian(squares)(a))


def test_a_rotation_has_complex_factors_with_a_derivative() -> None:
    a, _ = WITHOUT_DERIVATIVE["a rotation"]

    def squares(a: Any) -> Any:
        return np.sum(np.imag(np.diagonal(linalg.schur(a, "complex")[0])) ** 2)

    gradient = ad.grad(squares)(a)
    np.testing.assert_allclose(gradient, [[0.0, -2.0], [2.0, 0.0]], atol=1e-14)


def test_batches_and_dtypes() -> None:
    a = np.stack([MATRICES["real eigenvalues"], MATRICES["symmetric"]])
    t, z = ad.jit(linalg.schur)(a)
    np.testing.assert_allclose(z @ t @ z.swapaxes(1, 2), a, atol=1e-12)
    mapped = ad.vmap(linalg.schur)(a)
    np.testing.assert_array_equal(mapped[0], t)
    for dtype, output, expected in (
        (np.float32, "real", np.float32),
        (np.float32, "complex", np.complex64),
        (np.int64, "real", np.float64),
    ):
        found = ad.jit(partial(linalg.schur, output=output))(np.diag([3, 1]).astype(dtype))
        assert [x.dtype for x in found] == [expected] * 2
    assert [x.shape for x in ad.jit(linalg.schur)(np.zeros((0, 0)))] == [(0, 0)] * 2


def test_what_is_refused() -> None:
    a = MATRICES["symmetric"]
    with pytest.raises(UnsupportedError, match="sort"):
        ad.jit(partial(linalg.schur, sort="lhp"))(a)
    with pytest.raises(LinearAlgebraError, match="square"):
        ad.jit(linalg.schur)(a[:2])
    with pytest.raises(LinearAlgebraError, match="infs or NaNs"):
        ad.jit(linalg.schur)(a * np.nan)
