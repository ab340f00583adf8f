"""Compressions of structures: every entry of a random matrix is read off from the products it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mlirad.frontend.sparse.colouring import Compression, compress
from mlirad.linear_maps.sparsity import SparsityPattern, from_positions


def sparsity_of(matrix: Any) -> SparsityPattern:
    entries = matrix.tocoo()
    return from_positions(matrix.shape, entries.row.astype(np.int64), entries.col.astype(np.int64))


def canonical(matrix: Any) -> Any:
    made = sp.csr_array(matrix)
    made.sum_duplicates()
    return made


def check(matrix: Any, *, is_symmetric: bool = False) -> Compression:
    """Form the products and read all entries off; of a symmetric matrix mirror images at one place."""
    matrix = canonical(matrix)
    pattern = sparsity_of(matrix)
    c = compress(pattern, is_symmetric=is_symmetric)
    products: list[Any] = []
    for colours, count, operator in (
        (c.columns, c.column_products, matrix),
        (c.rows, c.row_products, matrix.T),
    ):
        products += [operator @ (colours == k).astype(float) for k in range(count)]
    flat = np.concatenate([*products, np.zeros(0)])
    np.testing.assert_array_equal(flat[c.places], matrix.data)
    if is_symmetric:
        np.testing.assert_array_equal(c.places[pattern.transposed_order], c.places)
    return c


def random_matrix(seed: int, height: int, width: int, density: float) -> Any:
    rng = np.random.default_rng(seed)
    filled = rng.random((height, width)) < density
    return sp.csr_array(np.where(filled, rng.integers(1, 100, (height, width)), 0).astype(float))


@given(st.integers(0, 2**32 - 1), st.integers(0, 25), st.integers(0, 25), st.floats(0, 0.6))
def test_every_entry_of_a_random_matrix_is_read_off(
    seed: int, height: int, width: int, density: float
) -> None:
    check(random_matrix(seed, height, width, density))


@given(st.integers(0, 2**32 - 1), st.integers(0, 25), st.floats(0, 0.6), st.booleans())
def test_every_entry_of_a_random_symmetric_matrix_is_read_off(
    seed: int, size: int, density: float, diagonal: bool
) -> None:
    half = random_matrix(seed, size, size, density).toarray()
    check(half + half.T + (np.eye(size) if diagonal else 0), is_symmetric=True)


def banded(n: int, width: int) -> Any:
    offsets = range(-width, width + 1)
    return sp.diags_array([np.arange(1.0, n + 1 - abs(k)) for k in offsets], offsets=list(offsets))


@pytest.mark.parametrize("width", [0, 1, 2, 5])
def test_a_band_needs_as_many_products_as_it_is_wide(width: int) -> None:
    assert check(banded(200, width)).products == 2 * width + 1
    assert check(banded(200, width), is_symmetric=True).products <= 2 * width + 1


def test_dense_rows_and_columns_are_taken_out() -> None:
    diagonal = np.diag(np.arange(1.0, 51))
    tall, wide = np.vstack([np.ones((2, 50)), diagonal]), np.hstack([np.ones((50, 2)), diagonal])
    assert check(tall).products == 3
    assert check(wide).products == 3
    assert check(np.vstack([np.hstack([[[1.0]], np.ones((1, 50))]), wide[:, 1:]])).products <= 3
    arrow = diagonal + 0.5
    arrow[1:, 1:] = diagonal[1:, 1:]
    assert check(arrow, is_symmetric=True).products == 2


def test_rows_are_coloured_where_columns_are_dense() -> None:
    c = check(np.kron(np.eye(20), np.ones((1, 7))))
    assert (c.column_products, c.row_products) == (0, 1)


def test_a_star_colouring_needs_fewer_products_than_columns() -> None:
    line = banded(12, 1)
    grid = canonical(sp.kron(sp.eye_array(12), line) + sp.kron(line, sp.eye_array(12)))
    assert check(grid, is_symmetric=True).products < check(grid).products


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (4, 5)])
def test_nothing_to_compute(shape: tuple[int, int]) -> None:
    assert check(sp.csr_array(shape)).products == 0
