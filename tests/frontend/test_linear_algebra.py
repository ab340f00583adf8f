"""`np.linalg` and `scipy.linalg` on traced arrays: values, derivatives by every method, failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import mlirad as ad
from mlirad.errors import LinearAlgebraError, TracingError, UnsupportedError
from mlirad.rules.cholesky_derivatives import LEAST_HALVED

RNG = np.random.default_rng(3)
SQUARE = RNG.normal(size=(2, 9, 9)) / 3 + 2 * np.eye(9)
SMALL = RNG.normal(size=(2, 3, 3)) / 3 + 2 * np.eye(3)
DEFINITE = SMALL @ SMALL.swapaxes(-1, -2) + np.diag([0.0, 1.0, 2.0])
TALL = RNG.normal(size=(2, 5, 3))
COLUMNS = RNG.normal(size=(2, 3, 2))
VECTOR = RNG.normal(size=3)


def leaves(result: Any) -> list[Any]:
    """The arrays among the results of a function."""
    results = result if isinstance(result, tuple) else (result,)
    return [x for x in results if not isinstance(x, bool | np.bool_)]


def from_eigenvectors(a: Any) -> Any:
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.exp(-values)[..., None, :]) @ np.matrix_transpose(vectors)


def from_singular_vectors(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (u * np.tanh(s)[..., None, :]) @ vt


def cho(a: Any, b: Any, lower: bool = False) -> Any:
    return scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, lower=lower), b)


def lu(a: Any, b: Any, trans: int = 0) -> Any:
    return scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans=trans)


def triangular(a: Any, b: Any) -> Any:
    return (
        scipy.linalg.solve_triangular(a, b),
        scipy.linalg.solve_triangular(a, b, trans=1, lower=True, unit_diagonal=True),
    )


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve": (np.linalg.solve, (SMALL, COLUMNS)),
    "solve one matrix": (np.linalg.solve, (SMALL[0], COLUMNS)),
    "solve one right side": (np.linalg.solve, (SMALL, VECTOR)),
    "inv": (np.linalg.inv, (SQUARE,)),
    "det of 3": (np.linalg.det, (SMALL,)),
    "det of 9": (lambda a: np.linalg.det(a / 2), (SQUARE,)),
    "slogdet": (lambda a: tuple(np.linalg.slogdet(a)), (SQUARE,)),
    "cholesky": (np.linalg.cholesky, (DEFINITE,)),
    "cholesky upper": (lambda a: np.linalg.cholesky(a, upper=True), (DEFINITE,)),
    "qr": (lambda a: tuple(np.linalg.qr(a)), (TALL,)),
    "r": (lambda a: np.linalg.qr(a, mode="r"), (TALL.swapaxes(-1, -2),)),
    "eigvalsh": (np.linalg.eigvalsh, (DEFINITE,)),
    "eigh": (from_eigenvectors, (DEFINITE,)),
    "svd": (from_singular_vectors, (TALL,)),
    "svdvals": (lambda a: np.linalg.svd(a, compute_uv=False), (TALL,)),
    "pinv": (np.linalg.pinv, (TALL,)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b)[:2], (TALL[0], TALL[1])),
    "lstsq of a vector": (lambda a, b: np.linalg.lstsq(a, b), (TALL[0], TALL[1, :, 0])),
    "cond": (np.linalg.cond, (TALL,)),
    "cond of no matrices": (np.linalg.cond, (TALL[:0],)),
    "cond 1": (lambda a: np.linalg.cond(a, 1), (SMALL,)),
    "rank": (np.linalg.matrix_rank, (TALL,)),
    "power": (lambda a: np.linalg.matrix_power(a, -2), (SMALL,)),
    "norm 2": (lambda a: np.linalg.norm(a, 2, axis=(0, 2), keepdims=True), (TALL,)),
    "norm -2": (lambda a: np.linalg.norm(a, -2), (TALL[0],)),
    "nuclear norm": (lambda a: np.linalg.matrix_norm(a, ord="nuc"), (TALL,)),
    "tensorsolve": (
        lambda a, b: np.linalg.tensorsolve(np.reshape(a, (3, 3, 9)), b),
        (SQUARE[0], SMALL[0]),
    ),
    "tensorinv": (lambda a: np.linalg.tensorinv(np.reshape(a, (3, 3, 9)), ind=2), (SQUARE[0],)),
    "scipy solve": (lambda a, b: scipy.linalg.solve(a, b, assume_a="pos"), (DEFINITE[0], VECTOR)),
    "scipy solve transposed": (lambda a, b: scipy.linalg.solve(a, b, transposed=True), (SMALL[0], VECTOR)),
    "cho": (cho, (DEFINITE[0], COLUMNS[0])),
    "cho lower": (lambda a, b: cho(a, b, True), (DEFINITE[0], VECTOR)),
    "cho_factor": (lambda a: scipy.linalg.cho_factor(a), (DEFINITE[0],)),
    "lu": (lu, (SQUARE[0], RNG.normal(size=9))),
    "lu transposed": (lambda a, b: lu(a, b, 1), (SMALL[0], COLUMNS[0])),
    "lu_factor": (lambda a: scipy.linalg.lu_factor(a), (SQUARE[0],)),
    "solve_triangular": (triangular, (SMALL[0], COLUMNS[0])),
    "expm": (lambda a: scipy.linalg.expm(a), (SMALL,)),
    "expm of a small matrix": (lambda a: scipy.linalg.expm(a / 100), (SQUARE[0],)),
    "block_diag": (lambda a, b: scipy.linalg.block_diag(a, b, 2.0), (SMALL[0], COLUMNS[0])),
    "toeplitz": (lambda c, r: scipy.linalg.toeplitz(c, r), (VECTOR, TALL[0, :, 0])),
    "scipy qr": (lambda a: scipy.linalg.qr(a, mode="economic"), (TALL[0],)),
    "scipy pinv": (lambda a: scipy.linalg.pinv(a, return_rank=True), (TALL[0],)),
    "scipy lstsq": (lambda a, b: scipy.linalg.lstsq(a, b)[:2], (TALL[0], TALL[1])),
    "scipy eigvalsh": (lambda a: scipy.linalg.eigvalsh(a), (DEFINITE[0],)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("interpret", [False, True])
def test_values_are_numpys(name: str, interpret: bool) -> None:
    function, args = CASES[name]
    for expected, found in zip(
        leaves(function(*args)), leaves(ad.jit(function, interpret=interpret)(*args)), strict=True
    ):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def loss(function: Callable[..., Any]) -> Callable[..., Any]:
    """A scalar function of all float results."""

    def total(*args: Any) -> Any:
        results = [x for x in leaves(function(*args)) if np.asarray(x.dtype).item().kind == "f"]
        return sum(np.sum(np.sin(x)) for x in results)

    return total


@pytest.mark.parametrize("name", [n for n in CASES if n != "rank"])
def test_derivatives(name: str) -> None:
    function, args = CASES[name]
    scalar = loss(function)
    ad.check_derivatives(scalar, *args)
    places = tuple(range(len(args)))
    expected = ad.grad(scalar, argnums=places)(*args)
    for method in ("jacobian", "chad"):
        for g, e in zip(ad.grad(scalar, argnums=places, method=method)(*args), expected, strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
@pytest.mark.parametrize(
    "name", ["solve one matrix", "slogdet", "cholesky", "qr", "eigh", "svd", "pinv", "cho"]
)
def test_second_derivatives(name: str, method: str) -> None:
    function, args = CASES[name]
    scalar, x, rest = loss(function), args[0], args[1:]
    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    step = 1e-5
    ahead, back = (ad.grad(scalar)(x + s * direction, *rest) for s in (step, -step))
    found = ad.hvp(lambda a: scalar(a, *rest), (x,), (direction,), method=method)
    np.testing.assert_allclose(found, (ahead - back) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["solve", "inv", "cholesky", "eigvalsh", "pinv", "det of 9"])
def test_single_precision_stays(name: str) -> None:
    function, args = CASES[name]
    singles = [a.astype(np.float32) for a in args]
    found = ad.jit(function)(*singles)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, function(*args), rtol=2e-3, atol=1e-3)


def test_integers_are_doubles() -> None:
    a = np.array([[2, 1], [1, 3]])
    np.testing.assert_allclose(ad.jit(np.linalg.solve)(a, np.array([1, 2])), np.linalg.solve(a, [1, 2]))
    assert ad.jit(np.linalg.inv)(a).dtype == np.float64


def test_members_of_a_batch_are_systems_of_their_own() -> None:
    for axes in ((0, 0), (None, 0), (0, None)):
        args = [x if axis == 0 else x[0] for x, axis in zip((SMALL, COLUMNS), axes, strict=True)]
        found = ad.vmap(np.linalg.solve, in_axes=axes)(*args)
        np.testing.assert_allclose(found, np.linalg.solve(*args), rtol=1e-12)


def test_systems_of_one_matrix_share_its_factors() -> None:
    def f(a: Any, b: Any, c: Any) -> Any:
        return np.sum(np.linalg.solve(a, b)) + np.sum(np.linalg.solve(a, c))

    text = str(ad.grad(f, argnums=(0, 1, 2)).ir(SMALL[0], COLUMNS[0], VECTOR, after="expand-solves"))
    assert text.count("array.lu factors") == 1
    assert text.count("array.triangular_solve") == 8


def test_empty_and_single_matrices() -> None:
    for n, batch in ((0, ()), (0, (2,)), (3, (0,)), (1, ())):
        a = np.zeros((*batch, n, n)) + 2 * np.eye(n)
        for function in (
            np.linalg.inv,
            np.linalg.det,
            np.linalg.cholesky,
            np.linalg.eigvalsh,
            np.linalg.svdvals,
        ):
            np.testing.assert_array_equal(ad.jit(function)(a), function(a))


# Failures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "matrix", "message"),
    [
        (np.linalg.inv, np.ones((2, 2)), "Singular matrix"),
        (np.linalg.inv, np.stack([np.eye(9), np.ones((9, 9))]), "Singular matrix"),
        (np.linalg.cholesky, -np.eye(3), "not positive definite"),
        (np.linalg.svdvals, np.full((3, 3), np.nan), "did not converge"),
        (lambda a: scipy.linalg.solve_triangular(a, a), np.diag([1.0, 0.0]), "singular matrix"),
    ],
)
@pytest.mark.parametrize("interpret", [False, True])
def test_what_numpy_raises_is_raised_at_the_users_line(function, matrix, message, interpret) -> None:
    with pytest.raises(np.linalg.LinAlgError):
        function(matrix)
    scalar = lambda a: np.sum(function(a))  # noqa: E731
    for transformed in (ad.jit(scalar, interpret=interpret), ad.grad(scalar, interpret=interpret)):
        with pytest.raises(LinearAlgebraError, match=message) as caught:
            transformed(matrix)
        assert isinstance(caught.value, np.linalg.LinAlgError)
        assert "test_linear_algebra.py:" in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.linalg.inv(a[:2]),
        lambda a: np.linalg.cholesky(a[0]),
        lambda a: np.linalg.cond(a[:0]),
    ],
)
def test_shapes_that_are_refused(function) -> None:
    with pytest.raises(np.linalg.LinAlgError):
        ad.jit(function)(np.eye(3))


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda a: scipy.linalg.eig(a, left=True), "left"),
        (lambda a: scipy.linalg.hessenberg(a), "NumPy's functions"),
        (lambda a: np.linalg.qr(a[:, :2], mode="raw"), "mode='reduced'"),
        (lambda a: scipy.linalg.qr(a, pivoting=True), "pivoting"),
    ],
)
def test_what_cannot_be_traced_says_what_can(function, hint) -> None:
    with pytest.raises((UnsupportedError, TracingError), match=hint):
        ad.jit(function)(np.eye(3))


def test_scipy_is_as_it_was_after_a_trace() -> None:
    before = scipy.linalg.solve
    ad.jit(lambda a: scipy.linalg.solve(a, a))(np.eye(2))
    with pytest.raises(TracingError):
        ad.jit(lambda a: scipy.linalg.hessenberg(a))(np.eye(3))
    assert scipy.linalg.solve is before


# Special points ------------------------------------------------------------------------------------------


def test_nan_goes_through() -> None:
    a = np.eye(3)
    a[2, 2] = np.nan
    assert np.isnan(ad.jit(np.linalg.cholesky)(a)).any()
    assert np.isnan(ad.jit(np.linalg.inv)(a)).any()


@pytest.mark.parametrize("n", [2, 3])
def test_small_determinants_have_derivatives_where_they_are_zero(n: int) -> None:
    a = np.ones((n, n))
    a[0] = np.arange(n)
    adjugate = np.zeros((n, n))
    for i, j in np.ndindex(n, n):
        minor = np.delete(np.delete(a, i, 0), j, 1)
        adjugate[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    np.testing.assert_allclose(ad.grad(np.linalg.det)(a), adjugate, atol=1e-12)


def test_equal_eigenvalues_give_finite_derivatives_and_right_ones_of_sums() -> None:
    a = np.diag([1.0, 1.0, 3.0])
    assert np.isfinite(ad.grad(lambda a: np.sum(from_eigenvectors(a)))(a)).all()
    g = ad.grad(lambda a: np.sum(np.linalg.eigvalsh(a)[:2]))(a)
    np.testing.assert_allclose(g, np.diag([1.0, 1.0, 0.0]), atol=1e-12)


def test_the_nearest_orthogonal_matrix_has_a_derivative_at_equal_singular_values() -> None:
    def nearest(a: Any) -> Any:
        u, _, vt = np.linalg.svd(a)
        return u @ vt

    rng = np.random.default_rng(5)
    q, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    for a in (q, np.diag([2.0, 2.0, 1.0, 1.0]) @ q):
        d = rng.normal(size=(4, 4))
        _, slope = ad.jvp(nearest, (a,), (d,))
        step = 1e-6 * d
        expected = (scipy.linalg.polar(a + step)[0] - scipy.linalg.polar(a - step)[0]) / 2e-6
        np.testing.assert_allclose(slope, expected, atol=1e-8)


def test_the_pseudo_inverse_of_equal_singular_values() -> None:
    g = ad.jvp(np.linalg.pinv, (np.eye(3),), (np.arange(9.0).reshape(3, 3),))[1]
    np.testing.assert_allclose(g, -np.arange(9.0).reshape(3, 3), atol=1e-12)


def test_only_the_lower_triangle_of_a_symmetric_matrix_counts() -> None:
    for function in (np.linalg.eigvalsh, np.linalg.cholesky):
        g = ad.grad(lambda a, function=function: np.sum(function(a)))(DEFINITE[0])
        assert (np.triu(g, 1) == 0).all()


def test_the_derivative_of_a_large_cholesky_factor_goes_by_halves() -> None:
    n = LEAST_HALVED[0]
    a = np.diag(1 + RNG.uniform(size=n)) + 1 / n

    def half_log_determinant(a: Any) -> Any:
        return np.sum(np.log(np.diagonal(np.linalg.cholesky(a))))

    g, inverse = ad.grad(half_log_determinant), np.linalg.inv(a)
    np.testing.assert_allclose(g(a), np.tril(inverse, -1) + np.diag(np.diag(inverse)) / 2, atol=1e-12)
    lines = str(g.ir(a, after="expand-solves")).splitlines()
    cubic = [line for line in lines if "array.dot " in line or "array.triangular_solve " in line]
    assert cubic
    assert not any(f"tensor<{n}x{n}" in line for line in cubic)
