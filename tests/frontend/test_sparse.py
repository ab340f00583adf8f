"""Sparse Jacobians and Hessians against dense ones, and their structures where these are known."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import mlirad as ad
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.frontend.tracing.pytree import flatten

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 12)
ROWS, COLUMNS = np.indices((12, 12))
DIAGONAL, EVEN = ROWS == COLUMNS, np.arange(12) % 2 == 0
POSITIONS = np.array([3, 1, 1, 0, 11, 7])


def dense(function: Callable[..., Any], *args: Any, argnums: tuple[int, ...] = (0,)) -> Any:
    """The Jacobian as a matrix, from the arrays that the dense transformation gives."""
    jacobian = ad.jacobian(function, argnums=argnums)(*args)
    results = [r for r in flatten(ad.jit(function)(*args))[0] if np.asarray(r).dtype.kind == "f"]
    points = [p for k in argnums for p in flatten(args[k])[0] if np.asarray(p).dtype.kind == "f"]
    blocks = iter([b for b in flatten(jacobian)[0] if b is not None])
    return np.block([[np.reshape(next(blocks), (np.size(r), np.size(p))) for p in points] for r in results])


def check(function: Callable[..., Any], *args: Any, argnums: tuple[int, ...] = (0,)) -> sp.csr_array:
    """The sparse Jacobian, equal to the dense one, with sorted indices, and with entries that may be 0."""
    sparse = ad.jacobian(function, argnums=argnums, sparse=True)
    matrix = sparse(*args)
    assert isinstance(matrix, sp.csr_array)
    expected = dense(function, *args, argnums=argnums)
    np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-12, atol=1e-300)
    assert matrix.dtype == expected.dtype
    rows, columns = sparse.structure(*args)
    np.testing.assert_array_equal(rows, matrix.tocoo().row)
    np.testing.assert_array_equal(columns, matrix.indices)
    return matrix


def pattern(matrix: Any) -> Any:
    """The mask of a matrix's entries."""
    mask = np.zeros(matrix.shape, bool)
    coordinates = matrix.tocoo()
    mask[coordinates.row, coordinates.col] = True
    return mask


def shifted(x: Any) -> Any:
    return np.concatenate([x[1:], x[:1]])


def window(carry: Any, x: Any) -> Any:
    return (x, carry[0]), carry[0] * carry[1] * x


EXACT: dict[str, tuple[Callable[..., Any], Any]] = {
    "elementwise": (lambda x: np.sin(x) * x**2, DIAGONAL),
    "differences": (lambda x: x[1:] * x[:-1], ((COLUMNS - ROWS) // 2 == 0)[:11] & (COLUMNS >= ROWS)[:11]),
    "cyclic shift": (lambda x: x * shifted(x), (COLUMNS == ROWS) | (COLUMNS == (ROWS + 1) % 12)),
    "sum": (lambda x: np.sum(x**2), np.ones((1, 12), bool)),
    "sum of rows": (lambda x: np.sum(x.reshape(3, 4) ** 2, axis=1), (COLUMNS // 4 == ROWS)[:3]),
    "transpose": (lambda x: x.reshape(3, 4).T ** 2, COLUMNS == ROWS % 3 * 4 + ROWS // 3),
    "reverse": (lambda x: x[::-1] ** 2, COLUMNS == 11 - ROWS),
    "gather": (lambda x: x[POSITIONS] ** 2, POSITIONS[:, None] == np.arange(12)),
    "running sum": (lambda x: np.cumsum(x**2), COLUMNS <= ROWS),
    "known condition": (lambda x: np.where(EVEN, x**2, 1.0), DIAGONAL & (ROWS % 2 == 0)),
    "known zeros of a matrix": (
        lambda x: (np.eye(12) + np.eye(12, k=3)) @ x,
        DIAGONAL | (COLUMNS == ROWS + 3),
    ),
    "triangle": (lambda x: np.tril(x.reshape(3, 4)) ** 2, DIAGONAL & (ROWS % 4 <= ROWS // 4)),
    "matrix product": (lambda x: x.reshape(3, 4) @ np.ones((4, 4)), COLUMNS // 4 == ROWS // 4),
    "concatenate": (
        lambda x: np.concatenate([x[3:] ** 2, np.ones(2), x[:1]]),
        np.array([*range(3, 12), -1, -1, 0])[:, None] == COLUMNS,
    ),
    "loop without carries": (lambda x: ad.scan(lambda c, v: (c, v**2), 0.0, x)[1], DIAGONAL),
    "window in a loop": (
        lambda x: ad.scan(window, (0.5, 0.5), x)[1],
        (COLUMNS <= ROWS) & (COLUMNS >= ROWS - 2),
    ),
    "sum in a loop": (lambda x: ad.scan(lambda c, v: (c * v, c * v), 0.5, x)[1], COLUMNS <= ROWS),
    "reversed loop": (
        lambda x: ad.scan(lambda c, v: (c * v, c * v), 0.5, x, reverse=True)[1],
        COLUMNS >= ROWS,
    ),
    "reads in a loop": (
        lambda x: ad.fori_loop(0, 5, lambda i, c: c + x[2 * i] ** 2, 0.0),
        EVEN[None] & (np.arange(12) < 10),
    ),
    "writes in a loop": (
        lambda x: ad.fori_loop(0, 11, lambda i, c: c.at[i].set(x[i + 1] ** 2), x),
        np.minimum(ROWS + 1, 11) == COLUMNS,
    ),
    "constant": (lambda x: np.ones(3) + np.sum(x[:0]), np.zeros((3, 12), bool)),
}


@pytest.mark.parametrize("name", EXACT)
def test_a_known_structure_is_found_exactly(name: str) -> None:
    function, expected = EXACT[name]
    np.testing.assert_array_equal(pattern(check(function, X)), expected)


def test_what_depends_on_floats_is_a_superset() -> None:
    assert check(lambda x: np.where(x > 1, x**2, 0.0), X).nnz == 12
    assert check(np.sort, X).nnz == 144


def test_an_entry_stays_where_its_value_is_zero() -> None:
    matrix = ad.jacobian(lambda x: x**2, sparse=True)(np.array([0.0, 1.0]))
    np.testing.assert_array_equal(matrix.data, [0.0, 2.0])


def laplacian(x: Any, edges: Any) -> Any:
    first, second = ad.asarray(edges)[:, 0], ad.asarray(edges)[:, 1]
    flow = (x[first] - x[second]) ** 3
    return ad.scatter(flow, x.shape, lambda k: (first[k],)) - ad.scatter(
        flow, x.shape, lambda k: (second[k],)
    )


def test_positions_may_be_arguments_and_change_from_call_to_call() -> None:
    sparse = ad.jacobian(laplacian, sparse=True)
    for seed in range(3):
        edges = np.random.default_rng(seed).integers(0, 12, (9, 2))
        matrix = check(laplacian, X, edges)
        graph = np.eye(12, dtype=bool) & np.isin(np.arange(12), edges)[:, None]
        graph[edges[:, 0], edges[:, 1]] = graph[edges[:, 1], edges[:, 0]] = True
        np.testing.assert_array_equal(pattern(matrix), graph)
        np.testing.assert_array_equal(sparse(X, edges).toarray(), matrix.toarray())


def test_several_arguments_and_results_are_leaves_in_order() -> None:
    def f(a: Any, k: Any, b: Any) -> Any:
        return {"y": a["u"] * b, "count": k + 1, "z": (np.sum(b), a["v"])}

    a = {"u": X[:3], "v": X[3:5]}
    matrix = check(f, a, 2, X[5:8], argnums=(0, 2))
    assert matrix.shape == (6, 8)
    assert matrix.nnz == 6 + 3 + 2


def test_arguments_by_name_and_aux() -> None:
    def f(x: Any, scale: Any) -> Any:
        return x * scale, {"sum": np.sum(x), "n": 3}

    matrix, aux = ad.jacobian(f, "scale", sparse=True, has_aux=True)(X, 2.0)
    np.testing.assert_array_equal(matrix.toarray(), X[:, None])
    assert aux["sum"] == pytest.approx(X.sum()) and aux["n"] == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_is_kept(dtype: Any) -> None:
    x = X.astype(dtype)
    matrix = ad.jacobian(lambda x: x[1:] * x[:-1], sparse=True)(x)
    assert matrix.dtype == dtype
    assert ad.hessian(chain, sparse=True)(x).dtype == dtype


@pytest.mark.parametrize("n", [0, 1, 2])
def test_small_and_empty_arrays(n: int) -> None:
    check(lambda x: x**2, X[:n])
    check(lambda x: np.sum(x**2), X[:n])
    check(lambda x: x[1:] * 2, X[:n])
    assert ad.hessian(chain, sparse=True)(X[:n]).shape == (n, n)


def test_a_scalar_function_of_a_scalar() -> None:
    np.testing.assert_allclose(ad.jacobian(np.sin, sparse=True)(0.5).toarray(), [[np.cos(0.5)]])


def test_dense_rows_and_columns_cost_a_product_each() -> None:
    def arrow(x: Any) -> Any:
        return np.concatenate([np.sum(x**2)[None], x[1:] * x[0]])

    assert check(arrow, X).nnz == 12 + 2 * 11


# Hessians ----------------------------------------------------------------------------------------


def chain(x: Any) -> Any:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def check_hessian(function: Callable[..., Any], *args: Any) -> Any:
    matrix = ad.hessian(function, sparse=True)(*args)
    size = matrix.shape[0]
    expected = np.reshape(ad.hessian(function)(*args), (size, size))
    np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-10, atol=1e-12)
    assert (matrix != matrix.T).nnz == 0
    return matrix


def test_the_hessian_of_a_chain_is_tridiagonal() -> None:
    assert (pattern(check_hessian(chain, X)) == (np.abs(ROWS - COLUMNS) <= 1)).all()


def test_the_lower_triangle() -> None:
    rows, columns = ad.hessian(chain, sparse=True).structure(X, lower=True)
    expected = np.nonzero((np.abs(ROWS - COLUMNS) <= 1) & (COLUMNS <= ROWS))
    np.testing.assert_array_equal([rows, columns], expected)


def test_the_hessian_of_an_arrow() -> None:
    matrix = check_hessian(lambda x: np.sum(x**3) + x[0] * np.sum(x[1:] ** 2), X)
    assert matrix.nnz == 12 + 2 * 11


def test_the_hessian_of_a_sum_of_separate_parts_is_block_diagonal() -> None:
    matrix = check_hessian(lambda x: np.sum(np.prod(x.reshape(4, 3), axis=1)), X)
    assert (pattern(matrix) <= (ROWS // 3 == COLUMNS // 3)).all()


def test_the_hessian_of_k_means_is_diagonal() -> None:
    from examples.programs.kmeans import cost

    points, centroids = RNG.normal(size=(30, 2)), RNG.normal(size=(4, 2))
    matrix = check_hessian(lambda c: cost(points, c), centroids)
    assert (pattern(matrix) == np.eye(8, dtype=bool)).all()


def test_the_hessian_of_a_quadratic_form_on_a_grid() -> None:
    def energy(x: Any) -> Any:
        u = x.reshape(3, 4)
        return np.sum((u[1:] - u[:-1]) ** 4) + np.sum((u[:, 1:] - u[:, :-1]) ** 4)

    matrix = check_hessian(energy, X)
    assert matrix.nnz == 12 + 2 * (8 + 9)


# Structures that repeat --------------------------------------------------------------------------


def repeats(function: Callable[..., Any], *args: Any, argnums: tuple[int, ...] = (0,)) -> bool:
    """Return whether the entries are computed as blocks."""
    sparse = ad.jacobian(function, argnums=argnums, sparse=True)
    matrices, leaves = sparse._matrices(args, {})
    return matrices.instance(leaves).block_rows is not None


LANES = 100
VISITS = RNG.integers(0, 5, LANES)
TABLE, OWN = RNG.uniform(0.5, 1.5, (5, 3)), RNG.uniform(0.5, 1.5, (LANES, 2))


def test_rows_of_gathered_tables_are_blocks() -> None:
    def f(table: Any, own: Any, visits: Any) -> Any:
        seen = table[visits]
        return np.stack([seen[:, 0] * own[:, 1], np.sum(seen**2, axis=1) + own[:, 0]], axis=1)

    matrix = check(f, TABLE, OWN, VISITS, argnums=(0, 1))
    assert matrix.nnz == LANES * (2 + 4)
    assert repeats(f, TABLE, OWN, VISITS, argnums=(0, 1))


def test_rows_that_share_no_column_are_computed_together() -> None:
    def f(own: Any) -> Any:
        return own**2, own[:, 0]

    matrix = check(f, OWN)
    assert matrix.nnz == 3 * LANES and repeats(f, OWN)


def test_two_gathers_whose_rows_may_coincide_are_no_blocks() -> None:
    def f(table: Any, first: Any, second: Any) -> Any:
        return np.sum(table[first] * table[second] ** 2, axis=1)

    other = RNG.integers(0, 5, LANES)
    check(f, TABLE, VISITS, other)
    assert not repeats(f, TABLE, VISITS, other)


def test_two_gathers_of_separate_rows_are_blocks_in_the_order_of_columns() -> None:
    def f(table: Any, first: Any) -> Any:
        return table[first + 1, 0] * table[first, 1] ** 2 * table[first, 0]

    first = np.arange(LANES) % 4
    matrix = check(f, TABLE, first)
    assert matrix.nnz == 3 * LANES
    assert (np.diff(matrix.indices.reshape(LANES, 3), axis=1) > 0).all()


@pytest.mark.fuzz
def test_bundle_adjustment() -> None:
    from benchmarks.problems.ba import instance
    from examples.programs.ba import residuals

    args = instance(4, 7, LANES)
    matrix = check(residuals, *args, argnums=(0, 1, 2))
    assert repeats(residuals, *args, argnums=(0, 1, 2))
    assert matrix.nnz == 29 * LANES


def test_the_golden_figures_of_bundle_adjustment() -> None:
    from benchmarks.problem import read_golden
    from benchmarks.problems.ba import golden
    from examples.programs.ba import residuals

    _, output = read_golden("ba_n2_m3_p20")
    expected = output["jacobian"]
    matrix = ad.jacobian(residuals, argnums=(0, 1, 2), sparse=True)(*golden().arguments)
    # The figures give the row starts, and in each row the whole camera: an entry more, which is zero.
    np.testing.assert_array_equal(expected["rows"][:30], 15 * np.arange(30))
    columns, values = (np.reshape(expected[key][:30], (2, 15)) for key in ("cols", "vals"))
    for row in range(2):
        np.testing.assert_allclose(matrix[[row]].toarray()[0, columns[row]], values[row], rtol=1e-8)
        left_out = set(columns[row]) - set(matrix[[row]].indices)
        assert left_out == {8 - row} and values[row, 8 - row] == 0
        assert set(matrix[[row]].indices) <= set(columns[row])
    assert matrix.indices[-1] == expected["cols"][-1]
    np.testing.assert_allclose(matrix.data[-1], expected["vals"][-1], rtol=1e-8)


# Random programs, calls --------------------------------------------------------------------------


def random_function(seed: int) -> Callable[[Any], Any]:
    """A chain of random structural and elementwise steps on a vector."""
    rng = random.Random(seed)
    steps: list[Callable[[Any], Any]] = [
        np.sin,
        lambda x: x * x[::-1],
        lambda x: x[1:] * x[:-1],
        lambda x: np.concatenate([x[:2] ** 2, x]),
        lambda x: x[::2],
        lambda x: np.cumsum(x[:5]),
        lambda x: np.where(np.arange(x.shape[0]) % 2 == 0, x, x**2),
        lambda x: ad.build((x.shape[0],), lambda i: x[i] * x[i // 2]),
        lambda x: ad.scan(lambda c, v: (v, c * v), 0.5, x)[1],
        lambda x: np.stack([x, x**2], axis=1).reshape(-1)[:9],
        lambda x: np.outer(x[:3], x[-2:]).reshape(-1),
        lambda x: np.sum(np.stack([x, np.cos(x)]), axis=0),
        lambda x: ad.cond(x[0] > 0.7, lambda y: y**2, lambda y: y[::-1], x),
    ]
    chosen = [rng.choice(steps) for _ in range(rng.randint(1, 4))]

    def function(x: Any) -> Any:
        for step in chosen:
            if x.shape[0] < 3:
                break
            x = step(x)
        return x

    return function


@settings(max_examples=6)
@given(st.integers(0, 10_000))
def test_random_programs(seed: int) -> None:
    function = random_function(seed)
    sparse = ad.jacobian(function, sparse=True)
    for trial in range(2):
        x = np.random.default_rng(seed + trial).uniform(0.2, 1.5, 7)
        np.testing.assert_allclose(sparse(x).toarray(), dense(function, x), rtol=1e-10, atol=1e-12)


def test_matrices_do_not_share_their_entries() -> None:
    sparse = ad.jacobian(lambda x: x**2, sparse=True)
    first = sparse(X)
    second = sparse(2 * X)
    first.data[:] = 0
    np.testing.assert_allclose(second.diagonal(), 4 * X)
    copied = second.copy()
    copied.eliminate_zeros()


def test_interpreted() -> None:
    matrix = ad.jacobian(lambda x: x[1:] * x[:-1], sparse=True, interpret=True)(X)
    np.testing.assert_allclose(matrix.toarray(), dense(lambda x: x[1:] * x[:-1], X))


def test_a_linear_map_as_a_sparse_matrix() -> None:
    for point in (X, 2 * X):
        _, jacobian = ad.linearize(lambda x: x[1:] * x[:-1] ** 2, point)
        matrix = jacobian.to_sparse()
        rows, columns = jacobian.structure()
        np.testing.assert_array_equal(rows, matrix.tocoo().row)
        np.testing.assert_array_equal(columns, matrix.tocoo().col)
        rows, columns = jacobian.structure(lower=True)
        assert all(rows >= columns)
        assert matrix.nnz == 22
        np.testing.assert_allclose(matrix.toarray(), dense(lambda x: x[1:] * x[:-1] ** 2, point))
        np.testing.assert_allclose(jacobian.T.to_sparse().toarray(), matrix.toarray().T)


def test_a_linear_map_of_several_arguments_with_positions() -> None:
    edges = np.random.default_rng(0).integers(0, 12, (9, 2))
    _, jacobian = ad.linearize(lambda x, s: {"flow": laplacian(x, edges), "s": s**2}, X, 2.0)
    matrix = jacobian.to_sparse()
    assert matrix.shape == (13, 13)
    expected = dense(lambda x: laplacian(x, edges), X)
    np.testing.assert_allclose(matrix.toarray()[:12, :12], expected)
    assert matrix[12, 12] == 4.0 and matrix.nnz <= 12 + 2 * 9 + 1


def test_only_sparse_derivatives_have_a_structure() -> None:
    with pytest.raises(UnsupportedError, match="only a sparse derivative"):
        ad.jacobian(np.sin).structure(X)


def test_a_function_that_calls_itself_is_dense() -> None:
    @ad.function
    def power(x: Any, n: Any) -> Any:
        return ad.cond(n > 0, lambda x, n: x * power(x, n - 1), lambda x, n: np.ones_like(x), x, n)

    matrix = check(lambda x, n: power(x, n), X, 3)
    assert matrix.nnz == 144


@pytest.mark.parametrize("options", [{"chunk": 1}, {"chunk": 2}, {"method": "jacobian"}])
def test_options_of_compiling(options: dict[str, Any]) -> None:
    def f(x: Any) -> Any:
        return ad.build((11,), lambda i: x[i] * x[i + 1])

    matrix = ad.jacobian(f, sparse=True, **options)(X)
    np.testing.assert_allclose(matrix.toarray(), dense(f, X))
    assert ad.hessian(lambda x: np.sum(f(x) ** 2), sparse=True, **options)(X).nnz == 34


@pytest.mark.parametrize("option", ["check_bounds", "check_nans"])
def test_checks_are_refused(option: str) -> None:
    with pytest.raises(UnsupportedError, match="check neither positions nor NaN"):
        ad.jacobian(np.sin, sparse=True, **{option: True})


def test_maps_that_are_functions_have_no_sparse_matrices() -> None:
    with pytest.raises(UnsupportedError, match="'chad' makes functions") as raised:
        ad.jacobian(np.sin, sparse=True, method="chad")
    assert "dual-arrays" in str(raised.value)
    _, derivative = ad.linearize(np.sin, X, method="chad")
    np.testing.assert_allclose(derivative.to_dense(), np.diag(np.cos(X)))
    with pytest.raises(UnsupportedError, match="'chad' makes functions"):
        derivative.to_sparse()


def test_inside_a_trace_there_are_no_sparse_matrices() -> None:
    with pytest.raises(UnsupportedError, match="outside of traced functions") as raised:
        ad.jit(lambda x: ad.jacobian(np.sin, sparse=True)(x))(X)
    assert "jvp" in str(raised.value)


def test_no_float_result() -> None:
    with pytest.raises(DifferentiationError, match="returns no floats"):
        ad.jacobian(lambda x: x > 1, sparse=True)(X)
