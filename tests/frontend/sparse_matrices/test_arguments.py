"""Sparse matrices as arguments, results and parts of structures, against dense matrices and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import linalg as sl

import mlirad as ad
from mlirad.errors import ShapeError, UnsupportedError

RNG = np.random.default_rng(9)
DENSE = RNG.normal(size=(4, 6)) * (RNG.random((4, 6)) < 0.5)
X = RNG.normal(size=6)
ROWS = np.arange(1.0, 5.0)
FORMATS = [f"{form}_{kind}" for form in ("csr", "csc", "coo", "dia", "bsr") for kind in ("array", "matrix")]


def made(name: str, dense: Any = DENSE) -> Any:
    return getattr(sp, name)(dense)


def with_values(a: Any, values: Any) -> Any:
    found = a.copy()
    found.data = values
    return found


def squares(a: Any) -> Any:
    return np.sum((a @ X) ** 2 * ROWS)


def cubes(a: Any) -> Any:
    return squares(a) ** 2 + np.sum(a.data**3)


A = made("csr_array")


@pytest.mark.parametrize("name", FORMATS)
def test_gradients_are_matrices_of_the_same_entries(name: str) -> None:
    a = made(name)
    value, gradient = ad.value_and_grad(squares)(a)
    assert type(gradient) is type(a)
    assert gradient.data.shape == a.data.shape
    np.testing.assert_allclose(value, squares(a))
    ones = with_values(a, np.ones(a.data.shape)).toarray()
    expected = 2 * np.outer((DENSE @ X) * ROWS, X)
    np.testing.assert_allclose(gradient.toarray(), expected * ones, rtol=1e-12)
    assert not np.shares_memory(getattr(gradient, "indices", gradient.data), getattr(a, "indices", a.data))


@pytest.mark.parametrize("name", FORMATS)
def test_tangents_and_second_derivatives(name: str) -> None:
    a = made(name)
    step = with_values(a, RNG.normal(size=a.data.shape))
    h = 1e-6
    after, before = (with_values(a, a.data + s * step.data) for s in (h, -h))
    _, slope = ad.jvp(cubes, (a,), (step,))
    np.testing.assert_allclose(slope, (cubes(after) - cubes(before)) / (2 * h), rtol=1e-6)
    gradient = ad.grad(cubes)
    np.testing.assert_allclose(slope, np.sum(gradient(a).data * step.data), rtol=1e-10)
    bend = ad.hvp(cubes, (a,), (step,))
    assert type(bend) is type(a)
    difference = (gradient(after).data - gradient(before).data) / (2 * h)
    np.testing.assert_allclose(bend.data, difference, rtol=1e-5, atol=1e-5 * np.abs(difference).max())


RESULTS: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda a: a * 2.0,
    "transposed": lambda a: a.T,
    "a product": lambda a: a @ a.T,
    "converted": lambda a: a.tocsc(),
    "itself": lambda a: a,
    "through a loop": lambda a: ad.fori_loop(0, 3, lambda k, a: a * 2.0, a),
    "through a branch": lambda a: a * 2.0 if a.sum() > 0 else a * 3.0,
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_matrices(name: str) -> None:
    function = RESULTS[name]
    found = ad.jit(function)(A)
    if name == "through a loop":
        expected: Any = A * 8.0
    else:
        expected = function(A)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found.toarray(), expected.toarray())


def test_structures_with_matrices() -> None:
    p = {"a": A, "b": ROWS}

    def f(p: Any) -> Any:
        return np.sum((p["a"] @ X) * p["b"])

    gradient = ad.grad(f)(p)
    np.testing.assert_allclose(gradient["a"].toarray(), np.outer(ROWS, X) * (DENSE != 0))
    np.testing.assert_allclose(gradient["b"], DENSE @ X)
    stepped = ad.tree.map(lambda v, g: v - 0.1 * g, p, gradient)
    assert isinstance(stepped["a"], sp.csr_array)
    np.testing.assert_allclose(stepped["a"].data, A.data - 0.1 * gradient["a"].data)
    _, pull = ad.vjp(lambda a: a @ X, A)
    np.testing.assert_allclose(pull(ROWS)[0].toarray(), gradient["a"].toarray())
    _, push = ad.linearize(lambda a: a @ X, A)
    np.testing.assert_allclose(push(A), DENSE @ X)
    known = ad.jit(lambda x: {"a": A, "y": A @ x})(X)
    np.testing.assert_allclose(known["a"].toarray(), DENSE)


def test_solutions_have_derivatives_by_a_matrix_that_is_given() -> None:
    a = sp.csc_array(DENSE[:, :4] + 5 * np.eye(4))
    weights = np.arange(4.0)
    gradient = ad.grad(lambda a: weights @ sl.spsolve(a, ROWS))(a)
    dense = np.linalg.inv(a.toarray())
    expected = -np.outer(dense.T @ weights, dense @ ROWS)
    np.testing.assert_allclose(gradient.toarray(), expected * (a.toarray() != 0), rtol=1e-10)


@pytest.mark.parametrize("interpret", [False, True])
def test_a_program_is_kept_for_the_places(interpret: bool) -> None:
    traces: list[int] = []

    def f(a: Any) -> Any:
        traces.append(1)
        return np.sum((a @ X) ** 2)

    compiled = ad.jit(f, interpret=interpret)
    for matrix in (A, 2 * A, A.copy(), with_values(A, np.zeros(A.nnz))):
        np.testing.assert_allclose(compiled(matrix), np.sum((matrix @ X) ** 2))
    count = len(traces)
    np.testing.assert_allclose(compiled(3 * A), np.sum((3 * A @ X) ** 2))
    assert len(traces) == count
    moved = A.copy()
    moved.indices[0] = (moved.indices[0] + 1) % 6  # in place, of a matrix that the program knows
    np.testing.assert_allclose(compiled(moved), np.sum((moved @ X) ** 2))
    np.testing.assert_allclose(compiled(A), np.sum((A @ X) ** 2))
    np.testing.assert_allclose(compiled(A.tocsc()), np.sum((A @ X) ** 2))
    np.testing.assert_allclose(compiled(A.astype(np.float32)), np.sum((A @ X) ** 2), rtol=1e-6)


def test_what_becomes_of_a_gradient_changes_no_program() -> None:
    gradient = ad.grad(squares)
    first = gradient(A)
    expected = first.toarray()
    first.indices[:] = 0
    np.testing.assert_allclose(gradient(A).toarray(), expected)


def test_batches_of_what_a_matrix_is_applied_to() -> None:
    many = np.stack([X, 2 * X, X[::-1]])
    found = ad.vmap(lambda a, x: a @ x, in_axes=(None, 0))(A, many)
    np.testing.assert_allclose(found, many @ DENSE.T)
    gradients = ad.jacrev(lambda x: squares(A) * np.sum(A @ x))(X)
    np.testing.assert_allclose(gradients, squares(A) * DENSE.sum(axis=0))


def test_sparse_jacobians_by_the_entries() -> None:
    found = ad.jacobian(lambda a: a @ X, sparse=True)(A)
    expected = np.zeros((4, A.nnz))
    rows, columns = A.nonzero()
    expected[rows, np.arange(A.nnz)] = X[columns]
    np.testing.assert_allclose(found.toarray(), expected)


def test_kinds_of_numbers_and_sizes() -> None:
    doubled = A + 0j
    gradient = ad.grad(lambda a: np.sum(np.abs(a @ X) ** 2))(doubled * (1 + 1j))
    expected = 2 * np.outer(DENSE @ X * (1 - 1j), X) * (DENSE != 0)
    np.testing.assert_allclose(gradient.toarray(), expected, atol=1e-12)
    whole = sp.csr_array(DENSE != 0).astype(int)
    by_both = ad.grad(lambda a, s: np.sum(a @ X) * s, argnums=(0, 1))(whole, 2.0)
    assert by_both[0] is None
    np.testing.assert_allclose(by_both[1], np.sum((DENSE != 0) @ X))
    assert ad.grad(squares)(sp.csr_array((4, 6))).nnz == 0
    flat = sp.coo_array(X)
    np.testing.assert_allclose(ad.grad(lambda v: np.sum(v.data**2))(flat).toarray(), 2 * X)
    twice = sp.coo_array((np.array([1.0, 2.0]), (np.array([1, 1]), np.array([2, 2]))), shape=(4, 6))
    np.testing.assert_allclose(
        ad.grad(squares)(twice).data, np.full(2, 2 * ROWS[1] * (3 * X[2]) * X[2]), rtol=1e-12
    )


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a Jacobian": (lambda: ad.jacobian(lambda a: a @ X)(A), UnsupportedError, r"of a Jacobian.*a\.data"),
    "a Hessian": (lambda: ad.hessian(squares)(A), UnsupportedError, r"lambda values: f\(csr_array"),
    "a batch": (lambda: ad.vmap(squares)(A), UnsupportedError, "or a batch"),
    "a batch of results": (lambda: ad.vmap(lambda s: A * s)(X), UnsupportedError, "or a batch"),
    "lists": (lambda: ad.grad(squares)(A.tolil()), UnsupportedError, r"lil_array holds.*a\.tocsr"),
    "keys": (lambda: ad.jit(squares)(A.todok()), UnsupportedError, r"dok_array holds.*a\.tocsr"),
    "a tangent elsewhere": (
        lambda: ad.jvp(squares, (A,), (made("csr_array", np.ones((4, 6))),)),
        ShapeError,
        "24 entries in other places",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    call, kind, message = REFUSED[name]
    with pytest.raises(kind, match=f"(?s){message}"):
        call()


@pytest.mark.parametrize("name", [name for name in FORMATS if name.endswith("array")])
def test_the_code_of_the_hint_runs(name: str) -> None:
    a = made(name)
    with pytest.raises(UnsupportedError) as raised:
        ad.hessian(squares)(a)
    hint = raised.value.hint or ""
    inner = hint[hint.index("lambda values") : hint.index(", and pass")]
    names = {"a": a, "f": squares, name: getattr(sp, name)}
    found = ad.hessian(eval(inner, names))(a.data)
    assert found.shape == (*a.data.shape, *a.data.shape)
