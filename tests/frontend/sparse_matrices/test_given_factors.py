"""Objects of SuperLU that are made outside of traced functions and solve in them, against dense inverses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import linalg as sl

import mlirad as ad
from mlirad.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(5)
A = (sp.random_array((6, 6), density=0.4, rng=RNG) + 5 * sp.eye_array(6)).tocsc()
C = (A + 1j * sp.random_array((6, 6), density=0.4, rng=RNG)).tocsc()
B = RNG.normal(size=6)

LU: Any = sl.splu(A)
LU_COMPLEX: Any = sl.splu(C)
LU_INCOMPLETE: Any = sl.spilu(A, drop_tol=0.3, fill_factor=1)
NARROW: Any = sl.splu(A.astype(np.float32))
SOLVE: Any = sl.factorized(A)
BEFORE: Any = sl.LinearOperator((6, 6), LU_INCOMPLETE.solve)


def within(b: Any) -> Any:
    return LU.solve(2 * b)


INVERSE = np.linalg.inv(A.toarray())
INVERSE_COMPLEX = np.linalg.inv(C.toarray())
INCOMPLETE = np.stack([LU_INCOMPLETE.solve(e) for e in np.eye(6)], 1)
TURN = 1 + 2j

CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "splu": (lambda b: LU.solve(b), lambda b: INVERSE @ b),
    "the method itself": (LU.solve, lambda b: INVERSE @ b),
    "a part of a call": (partial(LU.solve, trans="T"), lambda b: INVERSE.T @ b),
    "transposed": (lambda b: LU.solve(b, "T"), lambda b: INVERSE.T @ b),
    "adjoint": (lambda b: LU.solve(b, trans="H"), lambda b: INVERSE.T @ b),
    "factorized": (lambda b: SOLVE(b), lambda b: INVERSE @ b),
    "called by another": (lambda b: within(b * b), lambda b: INVERSE @ (2 * b * b)),
    "columns": (
        lambda b: LU.solve(np.stack([b, b * b], 1)),
        lambda b: INVERSE @ np.stack([b, b * b], 1),
    ),
    "one after another": (
        lambda b: np.stack([LU.solve(c) for c in (b, b * b)]),
        lambda b: np.stack([b, b * b]) @ INVERSE.T,
    ),
    "mapped": (
        lambda b: np.stack(list(map(LU.solve, [b, 2 * b]))),
        lambda b: np.stack([b, 2 * b]) @ INVERSE.T,
    ),
    "in a loop": (
        lambda b: ad.fori_loop(0, 3, lambda i, x: LU.solve(x) * x, b),
        lambda b: thrice(b),
    ),
    "complex": (lambda b: np.real(LU_COMPLEX.solve(b * TURN)), lambda b: (INVERSE_COMPLEX @ (b * TURN)).real),
    "complex of real": (lambda b: np.imag(LU_COMPLEX.solve(b)), lambda b: (INVERSE_COMPLEX @ b).imag),
    "complex transposed": (
        lambda b: np.imag(LU_COMPLEX.solve(b * TURN, "T")),
        lambda b: (INVERSE_COMPLEX.T @ (b * TURN)).imag,
    ),
    "complex adjoint": (
        lambda b: np.imag(LU_COMPLEX.solve(b * TURN, "H")),
        lambda b: (INVERSE_COMPLEX.conj().T @ (b * TURN)).imag,
    ),
    "spilu": (lambda b: LU_INCOMPLETE.solve(b), lambda b: INCOMPLETE @ b),
    "spilu transposed": (lambda b: LU_INCOMPLETE.solve(b, "T"), lambda b: INCOMPLETE.T @ b),
}


def thrice(b: Any) -> Any:
    for _ in range(3):
        b = (INVERSE @ b) * b
    return b


@pytest.mark.parametrize("name", CASES)
def test_solutions_and_derivatives(name: str) -> None:
    """Values, both modes, the second derivative and batches are those of the dense inverse."""
    f, dense = CASES[name]
    tolerance = {"rtol": 1e-11, "atol": 1e-13}
    np.testing.assert_allclose(ad.jit(f)(B), ad.jit(dense)(B), **tolerance)
    for derivative in (ad.jacfwd, ad.jacrev):
        np.testing.assert_allclose(derivative(f)(B), derivative(dense)(B), **tolerance)

    def cubes(f: Callable[[Any], Any], b: Any) -> Any:
        return np.sum(f(b) ** 3)

    found, expected = (ad.hessian(partial(cubes, g))(B) for g in (f, dense))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    batch = np.stack([B, 2 * B, B[::-1]])
    np.testing.assert_allclose(ad.vmap(f)(batch), ad.vmap(dense)(batch), **tolerance)
    np.testing.assert_allclose(ad.vmap(ad.jacrev(f))(batch), ad.vmap(ad.jacrev(dense))(batch), **tolerance)


SQUARE = (A @ A.T).tocsc()
NEAR: Any = sl.splu((SQUARE + 0.1 * sp.eye_array(6)).tocsc())


@pytest.mark.parametrize("solver", [sl.cg, sl.gmres, sl.bicgstab])
def test_a_preconditioner_of_given_factors(solver: Any) -> None:
    """One that is symmetric for conjugate gradients, and any other for the others."""
    before = sl.LinearOperator((6, 6), NEAR.solve) if solver is sl.cg else BEFORE

    def solved(b: Any) -> Any:
        return solver(SQUARE, b, M=before, rtol=1e-12)[0]

    expected = np.linalg.inv(SQUARE.toarray())
    np.testing.assert_allclose(ad.jit(solved)(B), expected @ B, rtol=1e-8)
    for derivative in (ad.jacfwd, ad.jacrev):
        np.testing.assert_allclose(derivative(solved)(B), expected, rtol=1e-7, atol=1e-8)


def test_factors_are_those_that_the_name_stands_for() -> None:
    held = [LU]
    solve = ad.jit(lambda b: held[0].solve(b))
    np.testing.assert_allclose(solve(B), INVERSE @ B)
    held[0] = sl.splu((2 * A).tocsc())
    np.testing.assert_allclose(solve(B), INVERSE @ B / 2)
    held[0] = sl.splu(A.T.tocsc())
    np.testing.assert_allclose(solve(B), INVERSE.T @ B)


def test_two_objects_in_one_program() -> None:
    other: Any = sl.splu((3 * A).tocsc())
    found = ad.jit(lambda b: (LU.solve(b), other.solve(b)))(B)
    np.testing.assert_allclose(found[0], 3 * found[1])


def test_outside_and_known_right_sides_are_left_to_scipy() -> None:
    first, second = ad.jit(lambda b: (LU.solve(b), LU.solve(np.arange(6.0)) + b))(B)
    np.testing.assert_allclose(second - B, INVERSE @ np.arange(6.0))
    np.testing.assert_array_equal(LU.solve(B), first)
    assert type(LU.solve(B)) is np.ndarray


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_narrow_factors(dtype: Any) -> None:
    lu: Any = sl.splu(A.astype(dtype))
    found = ad.jit(lambda b: lu.solve(b))(B.astype(dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, INVERSE @ B, rtol=1e-4, atol=1e-5)


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "wider numbers": (
        lambda b: NARROW.solve(b),
        ArgumentError,
        "float32 numbers solve for no right side of float64",
    ),
    "complex numbers": (lambda b: LU.solve(1j * b), ArgumentError, "no right side of complex128"),
    "too short": (lambda b: LU.solve(b[:3]), ShapeError, "right side of shape"),
    "another transpose": (lambda b: LU.solve(b, "X"), ArgumentError, "trans of solve"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    f, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        ad.jit(f)(B)


def test_other_functions_in_c_refuse_traced_values_as_before() -> None:
    with pytest.raises(TypeError, match=r"must be numpy\.ndarray") as raised:
        ad.jit(insisting)(B)
    assert "traced" in "".join(raised.value.__notes__)


def insisting(b: Any) -> Any:
    """A call of a function in C that takes arrays of NumPy alone, and that mlirad knows nothing of."""
    from scipy.sparse.linalg._dsolve import _superlu  # which `spsolve_triangular` calls

    part = 6, A.nnz, A.data, A.indices, A.indptr
    return _superlu.gstrs("N", 6, A.nnz, b, A.indices, A.indptr, *part, B)
