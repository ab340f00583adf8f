"""Masked loads whose mask is a condition that lanes share and a mask of lanes that is known."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad


@pytest.mark.parametrize("n", [3, 5, 6, 8, 12, 16])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_of_slices_of_products(n: int, dtype: type[np.floating]) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, n)).astype(dtype)
    for rows in range(1, n + 1):
        for columns in (1, n // 2, n - 1, n):
            w = np.zeros((n, n), dtype)
            w[:rows, :columns] = rng.normal(size=(rows, columns))
            part = w[:rows, :columns]
            found = ad.grad(lambda y, w: np.sum((y @ y)[: w.shape[0], : w.shape[1]] * w))(x, part)
            np.testing.assert_allclose(found, w @ x.T + x.T @ w, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [3, 5, 7, 8, 12])
def test_products_of_padded_arrays(n: int) -> None:
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=(n, n)), rng.normal(size=(n - 1, n // 2))
    padded = np.pad(w, ((1, 0), (n - n // 2, 0)))
    found = ad.jit(lambda x, w: x @ np.pad(w, ((1, 0), (n - n // 2, 0))))(x, w)
    np.testing.assert_allclose(found, x @ padded, rtol=1e-12, atol=1e-14)
