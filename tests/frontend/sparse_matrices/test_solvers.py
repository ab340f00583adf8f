"""Solutions of sparse systems and their derivatives are those of dense formulas."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import mlirad as ad
from mlirad.frontend.sparse_matrices import factors
from tests.frontend.sparse_matrices.matrices import DENSE, RNG, SIZE, A, X, Y, dense, matrix

CSC = A.tocsc()

Solver = Callable[[Any, Any], Any]

SOLVERS: dict[str, tuple[Solver, Solver]] = {
    "spsolve": (lambda a, b: sl.spsolve(a.tocsc(), b), np.linalg.solve),
    "splu": (lambda a, b: sl.splu(a.tocsc()).solve(b), np.linalg.solve),
    "splu T": (lambda a, b: sl.splu(a.tocsc()).solve(b, "T"), lambda a, b: np.linalg.solve(a.T, b)),
    "splu H": (lambda a, b: sl.splu(a.tocsc()).solve(b, "H"), lambda a, b: np.linalg.solve(a.conj().T, b)),
    "factorized": (lambda a, b: sl.factorized(a.tocsc())(b), np.linalg.solve),
    "cg": (lambda a, b: sl.cg(a @ a.T, b, rtol=1e-13)[0], lambda a, b: np.linalg.solve(a @ a.T, b)),
    "gmres": (lambda a, b: sl.gmres(a, b, rtol=1e-13)[0], np.linalg.solve),
    "bicgstab": (lambda a, b: sl.bicgstab(a, b, rtol=1e-13)[0], np.linalg.solve),
}
DIRECT = ["spsolve", "splu", "splu T", "splu H", "factorized"]


@pytest.mark.parametrize("name", SOLVERS)
def test_derivatives(name: str) -> None:
    """Values, and first derivatives by the right side and by the entries, in both modes."""
    sparse, plain = SOLVERS[name]

    def found(values: Any, b: Any) -> Any:
        return sparse(matrix(values), b)

    def expected(values: Any, b: Any) -> Any:
        return plain(dense(values), b)

    close: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-10} if name in DIRECT else {"rtol": 1e-6, "atol": 1e-8}
    np.testing.assert_allclose(ad.jit(found)(A.data, X), expected(A.data, X), **close)
    np.testing.assert_allclose(sparse(A, X), ad.jit(lambda b: sparse(A, b))(X), **close)
    wanted = ad.jacobian(expected, (0, 1))(A.data, X)
    for transformed in (ad.jacfwd, ad.jacrev):
        for one, other in zip(transformed(found, (0, 1))(A.data, X), wanted, strict=True):
            np.testing.assert_allclose(one, other, **close)


@pytest.mark.parametrize("name", ["spsolve", "splu T"])
def test_second_derivatives(name: str) -> None:
    sparse, plain = SOLVERS[name]
    found = ad.hessian(lambda v: Y @ sparse(matrix(v), X))(A.data)
    np.testing.assert_allclose(
        found, ad.hessian(lambda v: Y @ plain(dense(v), X))(A.data), rtol=1e-9, atol=1e-12
    )
    step = 1e-5 * RNG.normal(size=A.nnz)
    slope = ad.grad(lambda v: Y @ sparse(matrix(v), X))
    differences = (slope(A.data + step) - slope(A.data - step)) / 2
    np.testing.assert_allclose(found @ step, differences, rtol=1e-6, atol=1e-13)


@pytest.mark.parametrize("name", ["spsolve", "splu", "splu T", "splu H"])
def test_complex_matrices(name: str) -> None:
    sparse, plain = SOLVERS[name]

    def of(solver: Solver, make: Callable[[Any], Any], v: Any) -> Any:
        z = solver(make(v) * (1 + 0.3j), X * (1 - 1j))
        return np.sum(z.real * Y) + 2 * np.sum(z.imag)

    found, expected = (
        ad.value_and_grad(lambda v, p=p: of(*p, v)) for p in ((sparse, matrix), (plain, dense))
    )
    for one, other in zip(found(A.data), expected(A.data), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.long
def test_right_sides() -> None:
    """Vectors, columns, complex ones for a real matrix, and the dtypes of SciPy."""

    def factors_of(a: Any, b: Any) -> Any:
        return sl.splu(a).solve(b.astype(a.dtype))

    solvers = (sl.spsolve, factors_of)
    for b in (X, X[:, None], np.outer(X, Y[:3]), X * (1 + 2j), X.astype(np.float32)):
        for a in (CSC, CSC.astype(np.float32)):
            for solve in solvers[: 1 if b.dtype.kind == "c" else 2]:
                found, expected = ad.jit(lambda b, a=a, f=solve: f(a, b), interpret=True)(b), solve(a, b)
                assert found.shape == expected.shape
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_sparse_right_side() -> None:
    found = ad.jit(lambda v: sl.spsolve(matrix(v).tocsc(), sp.eye_array(SIZE, format="csc")).toarray())(
        A.data
    )
    np.testing.assert_allclose(found, np.linalg.inv(DENSE), atol=1e-12)


def test_batches() -> None:
    right, values = RNG.normal(size=(4, SIZE)), A.data * (1 + 0.1 * RNG.normal(size=(4, A.nnz)))
    found = ad.vmap(lambda b: sl.splu(CSC).solve(b))(right)
    np.testing.assert_allclose(found, np.linalg.solve(DENSE, right.T).T)
    found = ad.vmap(lambda v: sl.spsolve(matrix(v).tocsc(), X))(values)
    np.testing.assert_allclose(found, [np.linalg.solve(dense(v), X) for v in values])
    found = ad.vmap(ad.grad(lambda v, b: Y @ sl.spsolve(matrix(v).tocsc(), b)))(values, right)
    plain = ad.grad(lambda v, b: Y @ np.linalg.solve(dense(v), b))
    np.testing.assert_allclose(
        found, [plain(*pair) for pair in zip(values, right, strict=True)], rtol=1e-9, atol=1e-12
    )


def test_complex_batches() -> None:
    values = A.data * (1 + 0.1 * RNG.normal(size=(3, A.nnz)))
    found = ad.vmap(lambda v: sl.spsolve(matrix(v * (1 + 1j)).tocsc(), X))(values)
    np.testing.assert_allclose(found, [np.linalg.solve(dense(v) * (1 + 1j), X) for v in values])


def test_one_factorisation_serves_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of a loop, its derivative and a second call factorise once; other values once more."""
    made: list[Any] = []
    plain = factors.Pattern.matrix

    def counted(self: Any, values: Any) -> Any:
        made.append(values)
        return plain(self, values)

    monkeypatch.setattr(factors.Pattern, "matrix", counted)

    def loss(values: Any, b: Any) -> Any:
        lu = sl.splu(matrix(values).tocsc())
        return np.sum(ad.fori_loop(0, 5, lambda _, u: lu.solve(u), b) ** 2)

    slope = ad.grad(loss)
    values = A.data * 1.01
    power = np.linalg.matrix_power
    expected = ad.grad(lambda v: np.sum((power(np.linalg.inv(dense(v)), 5) @ X) ** 2))(values)
    for _ in range(2):
        np.testing.assert_allclose(slope(values, X), expected, rtol=1e-8, atol=1e-15)
    assert len(made) == 1
    slope(values * 1.01, X)
    assert len(made) == 2


def test_factors_that_are_gone_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "LIMIT", 1)

    def f(v: Any) -> Any:
        return sl.spsolve(matrix(v).tocsc(), sl.spsolve(matrix(2 * v).tocsc(), X))

    inverse = np.linalg.inv(DENSE)
    np.testing.assert_allclose(ad.jit(f)(A.data), inverse @ inverse @ X / 2)


def test_threads() -> None:
    f = ad.jit(lambda v, b: sl.spsolve(matrix(v).tocsc(), b))
    wrong: list[Any] = []

    def run(k: int) -> None:
        for _ in range(20):
            found = f(A.data * k, X) * k
            if not np.allclose(found, np.linalg.solve(DENSE, X)):
                wrong.append(found)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_singular_matrices() -> None:
    zero = sp.csc_array((np.zeros(2), ([0, 1], [0, 1])), shape=(2, 2))
    hole = sp.csc_array((np.ones(2), ([0, 1], [0, 0])), shape=(2, 2))
    for a in (zero, hole):
        with pytest.warns(sl.MatrixRankWarning):
            assert np.isnan(ad.jit(lambda b, a=a: sl.spsolve(a, b), interpret=True)(np.ones(2))).all()
        with pytest.raises(RuntimeError, match="singular") as caught:
            ad.jit(lambda b, a=a: sl.splu(a).solve(b), interpret=True)(np.ones(2))
        assert "test_solvers.py" in "".join(caught.value.__notes__)


def test_small_systems() -> None:
    one = ad.grad(lambda v: sl.spsolve(sp.csc_array((v, ([0], [0])), shape=(1, 1)), np.ones(1))[0])
    np.testing.assert_allclose(one(np.array([4.0])), [-1 / 16])
    none = ad.jit(lambda b: sl.splu(sp.csc_array((0, 0))).solve(b), interpret=True)
    assert none(np.zeros(0)).shape == (0,)


def test_factors_of_known_values() -> None:
    def f(b: Any) -> Any:
        lu = sl.splu(CSC)
        assert lu.shape == CSC.shape
        return lu.L @ (lu.U @ b)

    expected = sl.splu(CSC)
    np.testing.assert_allclose(ad.jit(f, interpret=True)(X), expected.L @ (expected.U @ X))


@pytest.mark.long
def test_preconditioners_and_starts() -> None:
    def f(values: Any, name: str) -> Any:
        a = matrix(values)
        m = sp.diags_array(1 / a.diagonal())
        x, info = getattr(sl, name)(a @ a.T if name == "cg" else a, X, x0=Y, rtol=1e-12, M=m)
        return x, info

    for name in ("cg", "gmres", "bicgstab"):
        a = DENSE @ DENSE.T if name == "cg" else DENSE
        found, info = ad.jit(lambda v, n=name: f(v, n))(A.data)
        np.testing.assert_allclose(found, np.linalg.solve(a, X), rtol=1e-8)
        assert info == 0
        _, info = ad.jit(lambda b, n=name: getattr(sl, n)(A, b, rtol=1e-14, maxiter=1, x0=Y))(X)
        assert info > 0 or name == "gmres"


@pytest.mark.long
def test_operators() -> None:
    def operator(b: Any) -> Any:
        return sl.LinearOperator(
            (SIZE, SIZE), matvec=lambda v: A @ v * b[0], rmatvec=lambda v: A.T @ v * b[0]
        )

    cases: list[tuple[Callable[[Any], Any], Any]] = [
        (lambda b: operator(b) @ b, A @ X * X[0]),
        (lambda b: operator(b).H @ b, A.T @ X * X[0]),
        (lambda b: operator(b).matmat(np.outer(b, b)), A @ np.outer(X, X) * X[0]),
        (lambda b: (sl.aslinearoperator(A) + sl.aslinearoperator(DENSE)).matvec(b), 2 * A @ X),
        (lambda b: sl.aslinearoperator(A).rmatvec(b), A.T @ X),
        (lambda b: b @ sl.aslinearoperator(A), A.T @ X),
        (lambda b: (2 * sl.aslinearoperator(A) @ sl.aslinearoperator(A)) @ b, 2 * A @ (A @ X)),
        (lambda b: sl.aslinearoperator(matrix(A.data * b[0])).T @ b, A.T @ X * X[0]),
        (lambda b: sl.aslinearoperator(np.outer(b, b)) @ b, np.outer(X, X) @ X),
        (lambda b: sl.gmres(operator(b), b, rtol=1e-12)[0], np.linalg.solve(DENSE * X[0], X)),
    ]
    for function, expected in cases:
        np.testing.assert_allclose(ad.jit(function, interpret=True)(X), expected, rtol=1e-8)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "not square": (lambda b: sl.spsolve(CSC[:, :3], b), "not square"),
    "too short": (lambda b: sl.splu(CSC).solve(b[:3]), "right side of shape"),
    "dense": (lambda b: sl.splu(np.outer(b, b)), "sparse matrix"),
    "spilu": (lambda b: sl.spilu(matrix(A.data * b[0]).tocsc()), "drops"),
    "factors": (lambda b: sl.splu(matrix(A.data * b[0]).tocsc()).L, "traced values"),
    "callback": (lambda b: sl.cg(A, b, callback=print), "callback"),
    "wrong operator": (lambda b: sl.aslinearoperator(A) @ b[:2], "operator of shape"),
    "wrong cg": (lambda b: sl.cg(A, b[:2]), "right side of shape"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_line(name: str) -> None:
    function, text = REFUSED[name]
    with pytest.raises(ad.MliradError, match=text) as caught:
        ad.jit(function, interpret=True)(X)
    assert "test_solvers.py" in str(caught.value)
