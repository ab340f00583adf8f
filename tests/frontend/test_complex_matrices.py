"""`np.linalg` and `scipy.linalg` on complex matrices, and eigenvalues of any square ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import mlirad as ad
from mlirad.errors import LinearAlgebraError, ShapeError

RNG = np.random.default_rng(5)


def complex_normal(*shape: int) -> Any:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


SQUARE = complex_normal(2, 3, 3)
TALL, WIDE = complex_normal(2, 4, 3), complex_normal(2, 3, 4)
COLUMNS, VECTOR = complex_normal(2, 3, 2), complex_normal(3)
LARGER = complex_normal(9, 9)


def definite(z: Any) -> Any:
    return z @ np.conj(np.matrix_transpose(z)) + np.eye(z.shape[-1])


def from_eigenvectors(z: Any) -> Any:
    values, vectors = np.linalg.eigh(definite(z))
    return (vectors * np.exp(-values)[..., None, :]) @ np.conj(np.matrix_transpose(vectors))


def polar_factor(z: Any) -> Any:
    u, _, vh = np.linalg.svd(z, full_matrices=False)
    return u @ vh


def lu(a: Any, b: Any, trans: int) -> Any:
    return scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans=trans)


def triangular(a: Any, b: Any, trans: int) -> Any:
    return scipy.linalg.solve_triangular(a, b, trans=trans, lower=True)


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve": (np.linalg.solve, (SQUARE, COLUMNS)),
    "solve real right sides": (np.linalg.solve, (SQUARE, COLUMNS.real)),
    "solve real matrices": (np.linalg.solve, (SQUARE.real, COLUMNS)),
    "inv": (np.linalg.inv, (LARGER,)),
    "det of 3": (np.linalg.det, (SQUARE,)),
    "det of 9": (np.linalg.det, (LARGER,)),
    "slogdet": (lambda a: tuple(np.linalg.slogdet(a)), (SQUARE,)),
    "cholesky": (lambda a: np.linalg.cholesky(definite(a)), (SQUARE,)),
    "cholesky upper": (lambda a: np.linalg.cholesky(definite(a), upper=True), (SQUARE,)),
    "power": (lambda a: np.linalg.matrix_power(a, -2), (SQUARE,)),
    "qr": (lambda a: tuple(np.linalg.qr(a)), (TALL,)),
    "qr of wide ones": (lambda a: tuple(np.linalg.qr(a)), (WIDE,)),
    "eigh": (from_eigenvectors, (SQUARE,)),
    "eigvalsh of the upper triangle": (lambda a: np.linalg.eigvalsh(a, "U"), (definite(SQUARE),)),
    "svd": (polar_factor, (TALL,)),
    "singular values": (lambda a: np.linalg.svd(a, compute_uv=False), (WIDE,)),
    "pinv": (np.linalg.pinv, (TALL,)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b)[:2], (TALL[0], WIDE[0].T)),
    "rank": (np.linalg.matrix_rank, (TALL,)),
    "cond": (np.linalg.cond, (SQUARE,)),
    "nuclear norm": (lambda a: np.linalg.norm(a, "nuc", axis=(1, 2)), (TALL,)),
    "norms of vectors": (lambda a: np.linalg.norm(a, 3, axis=1, keepdims=True), (TALL,)),
    "expm": (lambda a: scipy.linalg.expm(a), (SQUARE[0],)),
    "cho": (
        lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b),
        (definite(SQUARE[0]), VECTOR),
    ),
    **{f"lu {t}": (lambda a, b, t=t: lu(a, b, t), (SQUARE[0], COLUMNS[0])) for t in (0, 1, 2)},
    **{f"triangular {t}": (lambda a, b, t=t: triangular(a, b, t), (SQUARE[0], VECTOR)) for t in (1, 2)},
    "toeplitz": (lambda c: scipy.linalg.toeplitz(c), (VECTOR,)),
    "eig": (lambda a: tuple(np.linalg.eig(a)), (SQUARE,)),
    "eigvals": (np.linalg.eigvals, (LARGER,)),
    "eigvals by SciPy": (lambda a: scipy.linalg.eigvals(a), (LARGER,)),
}


def leaves(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", CASES)
def test_values_are_numpys(name: str) -> None:
    function, args = CASES[name]
    for expected, found in zip(leaves(function(*args)), leaves(ad.jit(function)(*args)), strict=True):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def real_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """A real function of all results and their conjugates."""

    def total(*args: Any) -> Any:
        return sum(np.sum(np.sin(x.real) + np.cos(2 * x.imag)) for x in leaves(function(*args)))

    return total


@pytest.mark.parametrize("name", ["solve", "slogdet", "cholesky", "qr", "eigh", "svd", "pinv", "lu 1", "eig"])
def test_derivatives(name: str) -> None:
    function, args = CASES[name]
    ad.check_derivatives(real_part(function), *(a[0] if a.ndim > 2 else a for a in args))


@pytest.mark.parametrize("name", ["solve", "cholesky", "svd"])
def test_second_derivatives(name: str) -> None:
    function, args = CASES[name]
    args = tuple(a[0] for a in args)
    scalar, direction = real_part(function), np.cos(np.arange(args[0].size) + 1j).reshape(args[0].shape)
    gradient = ad.grad(scalar)
    step = 1e-5
    ahead, back = (gradient(args[0] + s * direction, *args[1:]) for s in (step, -step))
    found = ad.jvp(lambda a: gradient(a, *args[1:]), (args[0],), (direction,))[1]
    np.testing.assert_allclose(found, (ahead - back) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["solve", "cholesky", "eig", "singular values"])
def test_single_precision_stays(name: str) -> None:
    function, args = CASES[name]
    found = leaves(ad.jit(function)(*(a.astype(np.complex64) for a in args)))
    for x, expected in zip(found, leaves(function(*(a.astype(np.complex64) for a in args))), strict=True):
        assert x.dtype == expected.dtype
        if name != "eig":  # whose order may depend on rounding
            np.testing.assert_allclose(x, expected, rtol=2e-3, atol=1e-3)


def test_complex_systems_share_factors() -> None:
    def f(a: Any, b: Any) -> Any:
        return np.sum(np.abs(np.linalg.solve(a, b)) ** 2)

    text = str(ad.grad(f, argnums=(0, 1)).ir(SQUARE[0], VECTOR, after="expand-solves"))
    assert text.count("array.lu factors") == 1
    assert "array.lu factors %a" not in text  # of pairs, not of a real matrix of twice the size
    assert "tensor<3x3x2xf64>" in text
    assert "tensor<6x6xf64>" not in text


# Eigenvalues of real matrices -----------------------------------------------------------------------


def test_eigenvalues_of_real_matrices_are_complex() -> None:
    a = RNG.normal(size=(2, 5, 5))
    values, vectors = ad.jit(np.linalg.eig)(a)
    assert values.dtype == vectors.dtype == np.complex128
    np.testing.assert_allclose(a @ vectors, vectors * values[:, None, :], atol=1e-12)
    expected = np.linalg.eig(a)
    np.testing.assert_allclose(values, expected.eigenvalues, rtol=1e-10)
    np.testing.assert_allclose(vectors, expected.eigenvectors, rtol=1e-9, atol=1e-10)


def test_derivatives_of_eigenvectors_keep_what_lapack_chooses() -> None:
    """Their lengths, and that the largest element is real."""
    a = np.array([[1.0, 2.0, 0.0], [-2.0, 1.0, 0.5], [0.3, 0.0, 4.0]])
    vectors, change = ad.jvp(lambda a: np.linalg.eig(a).eigenvectors, (a,), (RNG.normal(size=(3, 3)),))
    np.testing.assert_allclose(np.sum((vectors.conj() * change).real, axis=0), 0, atol=1e-12)
    largest = np.abs(vectors).argmax(0), np.arange(3)
    np.testing.assert_allclose(change[largest].imag, 0, atol=1e-12)


def test_equal_eigenvalues_of_a_diagonalisable_matrix() -> None:
    """Their sum has a derivative, and it is right: that of the trace."""
    a = np.diag([2.0, 2.0, 5.0])
    gradient = ad.grad(lambda a: np.sum(np.linalg.eigvals(a)).real)(a)
    np.testing.assert_allclose(gradient, np.eye(3), atol=1e-12)


def test_extrema_are_ordered_by_real_parts_first() -> None:
    z = np.array([[1 + 2j, 1 + 3j, -9j], [2 - 1j, 2 - 2j, np.nan]])
    for function in (np.max, np.min):
        for options in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
            found = ad.jit(lambda z, f=function, o=options: f(z, **o))(z[:, :2])
            np.testing.assert_array_equal(found, function(z[:, :2], **options))
        assert np.isnan(ad.jit(function)(z).real)
    gradient = ad.grad(lambda z: np.max(z).imag)(z[0])
    np.testing.assert_array_equal(gradient, [0, -1j, 0])


# Failures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "matrix", "message"),
    [
        (np.linalg.inv, np.zeros((2, 2), complex), "Singular matrix"),
        (np.linalg.cholesky, -np.eye(2) + 0j, "not positive definite"),
        (np.linalg.eig, np.full((2, 2), np.nan), "infs or NaNs"),
        (np.linalg.det, np.ones((2, 3), complex), "square matrices"),
    ],
)
def test_errors_are_those_of_real_matrices(function, matrix, message) -> None:
    with pytest.raises(LinearAlgebraError, match=message):
        ad.jit(function)(matrix)


# Banded, Toeplitz and circulant systems, matrix equations ---------------------------------------------

BANDS = RNG.normal(size=(4, 6)) / 4 + np.array([0, 0, 2, 0])[:, None]
MATRIX, RIGHT = RNG.normal(size=(3, 3)), RNG.normal(size=(6, 2))
HERMITIAN_BANDS = np.array([[0, 0.3, 0.2 + 0.1j], [3.0, 4.0, 5.0]])

STRUCTURED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "banded": (lambda ab, b: scipy.linalg.solve_banded((1, 2), ab, b), (BANDS, RIGHT)),
    "banded, upper": (lambda ab, b: scipy.linalg.solve_banded((0, 3), ab, b), (BANDS, RIGHT[:, 0])),
    "hermitian": (lambda ab, b: scipy.linalg.solveh_banded(ab, b), (HERMITIAN_BANDS, VECTOR)),
    "hermitian, lower": (
        lambda ab, b: scipy.linalg.solveh_banded(ab, b, lower=True),
        (HERMITIAN_BANDS[::-1], VECTOR),
    ),
    "toeplitz": (lambda c, b: scipy.linalg.solve_toeplitz(c, b), (MATRIX[0], MATRIX[1])),
    "toeplitz with a row": (
        lambda c, r, b: scipy.linalg.solve_toeplitz((c, r), b),
        (MATRIX[0], MATRIX[2], MATRIX[1]),
    ),
    "circulant": (lambda c, b: scipy.linalg.solve_circulant(c, b), (MATRIX[0], MATRIX)),
    "sylvester": (lambda a, b, q: scipy.linalg.solve_sylvester(a, b, q), (MATRIX, BANDS[:2, :2], RIGHT[:3])),
    "lyapunov": (
        lambda a, q: scipy.linalg.solve_continuous_lyapunov(a, q),
        (SQUARE[0], SQUARE[1]),
    ),
    "discrete lyapunov": (
        lambda a, q: scipy.linalg.solve_discrete_lyapunov(a / 3, q),
        (SQUARE[0], SQUARE[1]),
    ),
}


@pytest.mark.parametrize("name", STRUCTURED)
def test_structured_systems_are_scipys(name: str) -> None:
    function, args = STRUCTURED[name]
    expected, found = function(*args), ad.jit(function)(*args)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ["banded", "hermitian", "circulant", "sylvester"])
def test_derivatives_of_structured_systems(name: str) -> None:
    function, args = STRUCTURED[name]
    ad.check_derivatives(lambda *xs: np.sum(np.tanh(np.abs(function(*xs)) ** 2)), *args)


def test_banded_systems_exchange_rows() -> None:
    ab = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [3.0, 4.0, 0.0]])  # zeros on the diagonal
    solved = ad.jit(lambda ab: scipy.linalg.solve_banded((1, 1), ab, np.arange(3.0)))(ab)
    np.testing.assert_allclose(solved, scipy.linalg.solve_banded((1, 1), ab, np.arange(3.0)), atol=1e-14)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda a: scipy.linalg.solve_banded((1, 1), 0 * a, a[0]), LinearAlgebraError, "singular"),
        (lambda a: scipy.linalg.solve_banded((1, 2), a, a[0]), ShapeError, "1 lower and 2 upper diagonals"),
        (lambda a: scipy.linalg.solve_banded((1, 1), a, a[0, :2]), ShapeError, "for 3 unknowns"),
        (lambda a: scipy.linalg.solveh_banded(-a, a[0]), LinearAlgebraError, "not positive definite"),
        (lambda a: scipy.linalg.solve_circulant(a[0] * 0 + 1, a), LinearAlgebraError, "singular"),
        (lambda a: scipy.linalg.solve_sylvester(a, -a, a), LinearAlgebraError, "Singular"),
        (lambda a: scipy.linalg.solve_sylvester(a, a, a[:2]), ShapeError, "the rows of a"),
    ],
)
def test_structured_systems_that_are_refused(function, error, message) -> None:
    with pytest.raises(error, match=message):
        ad.jit(function)(np.ones((3, 3)))
