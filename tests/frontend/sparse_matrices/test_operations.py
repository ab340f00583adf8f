"""Operations on sparse matrices of traced values are SciPy's: values, formats, shapes, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import mlirad as ad
from tests.frontend.sparse_matrices.matrices import FORMATS, A, B, X, as_array, dense, matrix

Operation = Callable[[Any], Any]

OPERATIONS: dict[str, Operation] = {
    "itself": lambda a: a,
    "T": lambda a: a.T,
    "@ x": lambda a: a @ X,
    "x @": lambda a: X @ a,
    "@ dense": lambda a: a @ np.outer(X, X[:3]),
    "@ sparse": lambda a: a @ B,
    "sparse @": lambda a: B @ a,
    "dot": lambda a: a.dot(X),
    "@ complex": lambda a: a @ (X + 1j),
    "times complex": lambda a: (a * (1 + 2j)) @ X,
    "+": lambda a: a + B,
    "reversed +": lambda a: B + a,
    "-": lambda a: a - B,
    "reversed -": lambda a: B - a,
    "+ dense": lambda a: a + np.ones(a.shape),
    "dense -": lambda a: np.ones(a.shape) - a,
    "+ 0": lambda a: a + 0,
    "* 2": lambda a: a * 2,
    "2 *": lambda a: 2 * a,
    "/ 2": lambda a: a / 2,
    "/ dense": lambda a: a / (X + 9),
    "*": lambda a: a * a,
    "* x": lambda a: a * X,
    "** 2": lambda a: a**2,
    "multiply sparse": lambda a: a.multiply(B),
    "sparse multiply": lambda a: B.multiply(a),
    "multiply row": lambda a: a.multiply(X),
    "multiply column": lambda a: a.multiply(X[:, None]),
    "neg": lambda a: -a,
    "abs": abs,
    "power": lambda a: a.power(2),
    "sin": lambda a: a.sin(),
    "conj": lambda a: a.conj(),
    "real": lambda a: a.real,
    "astype": lambda a: a.astype(np.complex128),
    "copy": lambda a: a.copy(),
    "sum": lambda a: a.sum(),
    "sum of columns": lambda a: np.asarray(a.sum(axis=0)),
    "sum of rows": lambda a: np.asarray(a.sum(axis=1)),
    "mean": lambda a: np.asarray(a.mean(axis=0)),
    "trace": lambda a: a.trace(),
    "diagonal": lambda a: a.diagonal(1),
    "tocsr": lambda a: a.tocsr(),
    "tocsc": lambda a: a.tocsc(),
    "tocoo": lambda a: a.tocoo(),
    "todia": lambda a: a.todia(),
    "tobsr": lambda a: a.tobsr(),
    "reshape": lambda a: a.reshape((1, 25)),
    "row": lambda a: a.tocsr()[1],
    "slice": lambda a: a.tocsr()[1:4, ::2],
    "columns": lambda a: a.tocsc()[:, [1, 3]],
    "element": lambda a: a.tocsr()[0, 0],
    "tril": lambda a: sp.tril(a),
    "triu": lambda a: sp.triu(a, 1, format="csc"),
    "vstack": lambda a: sp.vstack([a, B]),
    "hstack": lambda a: sp.hstack([B, a], format="csr"),
    "block_array": lambda a: sp.block_array([[a, None], [B, np.ones((5, 2))]]),
    "bmat": lambda a: sp.bmat([[a, None], [None, a]]),
    "block_diag": lambda a: sp.block_diag([a, B, 2.0]),
    "kron": lambda a: sp.kron(a, B),
    "kron from the left": lambda a: sp.kron(B, a, format="csr"),
    "kronsum": lambda a: sp.kronsum(a, B),
    "norm": lambda a: sl.norm(a),
    "norm 1": lambda a: sl.norm(a, 1),
}


def same(found: Any, expected: Any, name: str) -> None:
    found, expected = np.asarray(as_array(found)), np.asarray(as_array(expected))
    assert found.shape == expected.shape, name
    assert found.dtype == expected.dtype, name
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("form", FORMATS)
def test_operations(form: str) -> None:
    formats: list[Any] = []

    def all_of(values: Any) -> list[Any]:
        found = [f(matrix(values, form)) for f in OPERATIONS.values()]
        formats.append([(y.format, isinstance(y, sp.sparray)) if sp.issparse(y) else None for y in found])
        return [as_array(y) for y in found]

    expected = all_of(A.data)
    found = ad.jit(all_of, interpret=True)(A.data)
    for name, one, other in zip(OPERATIONS, found, expected, strict=True):
        same(one, other, name)
    for name, one, other in zip(OPERATIONS, formats[0], formats[-1], strict=True):
        assert one == other, name


AFFINE = [
    "@ x", "x @", "@ sparse", "+", "reversed -", "* 2", "multiply sparse", "multiply column", "sum of rows",
    "diagonal", "tocsc", "todia", "slice", "vstack", "kron", "sparse @", "tril",
]  # fmt: skip


def test_derivatives() -> None:
    """Jacobians in both modes are those of functions that are affine."""

    def all_of(values: Any) -> list[Any]:
        return [as_array(OPERATIONS[name](matrix(values))) for name in AFFINE]

    forward, reverse = ad.jacfwd(all_of)(A.data), ad.jacrev(all_of)(A.data)
    for k, name in enumerate(AFFINE):
        start, *images = [as_array(OPERATIONS[name](matrix(v))) for v in np.eye(A.nnz + 1)[:, 1:]]
        columns = np.stack([image - start for image in images], -1)
        np.testing.assert_allclose(forward[k], columns, atol=1e-13, err_msg=name)
        np.testing.assert_allclose(reverse[k], columns, atol=1e-13, err_msg=name)


def test_second_derivatives() -> None:
    def sparse(values: Any) -> Any:
        a = matrix(values)
        return (a @ a.T @ X) @ X + (a.multiply(a) + a.power(3)).sum() + sl.norm(a)

    def plain(values: Any) -> Any:
        a = dense(values)
        return (a @ a.T @ X) @ X + np.sum(a * a) + np.sum(a**3) + np.sqrt(np.sum(values * values))

    np.testing.assert_allclose(ad.hessian(sparse)(A.data), ad.hessian(plain)(A.data), rtol=1e-12, atol=1e-12)


CONSTRUCTIONS: dict[str, Operation] = {
    "coo with duplicates": lambda x: sp.coo_array((x, ([0, 0, 1, 2, 2], [0, 0, 2, 1, 0])), shape=(3, 3)),
    "csr with duplicates": lambda x: sp.csr_array((x, ([0, 0, 1, 2, 2], [0, 0, 2, 1, 0])), shape=(3, 4)),
    "csr unsorted": lambda x: sp.csr_array((x, [2, 0, 0, 1, 1], [0, 2, 2, 5]), shape=(3, 3)),
    "csc": lambda x: sp.csc_matrix((x, [0, 1, 1, 2, 0], [0, 2, 5]), shape=(3, 2)),
    "list of values": lambda x: sp.coo_array(([x[0], 2.0, x[1]], ([0, 1, 1], [1, 0, 0])), shape=(2, 2)),
    "dia": lambda x: sp.dia_array((np.stack([x, x * x]), [0, -2]), shape=(5, 6)),
    "bsr": lambda x: sp.bsr_array((x[:4].reshape(1, 2, 2), [1], [0, 0, 1]), shape=(4, 4)),
    "diags": lambda x: sp.diags([x, x[:-1], 2.0], [0, 1, -1], shape=(5, 5)),
    "diags of numbers": lambda x: sp.diags([-x[0], 2.0, -1.0], [-1, 0, 1], shape=(4, 4), format="csc"),
    "diags_array": lambda x: sp.diags_array([x, x[:-1]], offsets=[0, 1]),
    "one diagonal": lambda x: sp.diags_array(x),
    "spdiags": lambda x: sp.spdiags(x[None], [1], 5, 5),
    "combination": lambda x: A * x[0] + x[1] * sp.eye_array(5),
    "known * x": lambda x: A * x,
    "x * known": lambda x: x * A,
    "matrix * x": lambda x: sp.csr_matrix(A) * x,
    "x * matrix": lambda x: x * sp.csr_matrix(A),
    "lil @ x": lambda x: A.tolil() @ x,
    "dok @ x": lambda x: A.todok() @ x,
    "dense @ known": lambda x: np.outer(x, x) @ A,
    "known + dense": lambda x: A + np.outer(x, x),
    "known / dense": lambda x: A / (x + 9),
    "known / number": lambda x: A / x[0],
    "empty": lambda x: sp.csr_array((x[:0], ([], [])), shape=(3, 3)),
    "1 x 1": lambda x: sp.csr_array((x[:1], ([0], [0])), shape=(1, 1)) @ x[:1],
    "assembled": lambda x: assembled(x),
    "written": lambda x: written(x),
    "in place": lambda x: in_place(x),
    "find": lambda x: sp.find(matrix(A.data * x[0]))[2],
}


def assembled(x: Any) -> Any:
    values = np.zeros(A.nnz) * x[0]
    np.add.at(values, [0, 0, 3, 4, 4], x)
    return matrix(values)


def written(x: Any) -> Any:
    found = matrix(A.data * x[0])
    found[0, 0] = x[1]
    found.setdiag(x)
    return found


def in_place(x: Any) -> Any:
    found = matrix(A.data * x[0])
    found *= 2
    found.data[1] = x[1]
    found /= x[2]
    found += found
    found.sum_duplicates()
    found.sort_indices()
    return found


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_constructions(name: str) -> None:
    make = CONSTRUCTIONS[name]
    found = ad.jit(lambda x: as_array(make(x)), interpret=True)(X)
    same(found, make(X), name)


def test_matrices_are_scipys() -> None:
    def facts(values: Any) -> Any:
        a = matrix(values)
        assert isinstance(a, sp.csr_array)
        assert sp.issparse(a)
        assert (a.shape, a.nnz, a.format, a.dtype) == (A.shape, A.nnz, "csr", np.float64)
        np.testing.assert_array_equal(a.indices, A.indices)
        assert "Sparse Row" in repr(a)
        assert "Sparse Row" in str(a)
        return a.data

    np.testing.assert_array_equal(ad.jit(facts, interpret=True)(A.data), A.data)


REFUSED: dict[str, tuple[Operation, str]] = {
    "traced rows": (lambda x: sp.coo_array((x, (x.astype(int), [0, 1, 2, 3, 4])), shape=(5, 5)), "places"),
    "traced key": (lambda x: matrix(A.data * x[0])[x.astype(int)[0]], "known ones"),
    "traced array": (lambda x: sp.csr_array(np.outer(x, x)), "not known"),
    "wrong shapes": (lambda x: sp.csr_array((x, [0, 1], [0, 1, 2]), shape=(2, 2)), "csr_array"),
    "wrong product": (lambda x: matrix(A.data * x[0]) @ x[:3], "cannot be multiplied"),
    "wrong sum": (lambda x: matrix(A.data * x[0]) + sp.eye_array(4) * x[0], "cannot be added"),
    "number added": (lambda x: matrix(A.data * x[0]) + x[0], "fill"),
    "maximum": (lambda x: matrix(A.data * x[0]).max(), "depends on which"),
    "comparison": (lambda x: matrix(A.data * x[0]) > 0, "depends on which"),
    "nonzero": (lambda x: matrix(A.data * x[0]).nonzero(), "depends on which"),
    "lil": (lambda x: matrix(A.data * x[0]).asformat("lil"), "depends on which"),
    "written into known": (lambda x: A.copy().__setitem__((0, 0), x[0]), "values are known"),
    "division": (lambda x: matrix(A.data * x[0]) / A, "NaN"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_line(name: str) -> None:
    function, text = REFUSED[name]
    with pytest.raises(ad.MliradError, match=text) as caught:
        ad.jit(function, interpret=True)(np.abs(X))
    assert "test_operations.py" in str(caught.value)
    assert "hint" in str(caught.value)
