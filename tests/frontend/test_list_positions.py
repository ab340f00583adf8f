"""Elements of lists at traced positions have the dtypes that NumPy computes with: Python numbers are weak."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

LISTS: dict[str, Any] = {
    "integers": [1, 2, 3], "floats": [0.5, 1.5, 2.5], "mixed": (1, 2.5, True),
    "booleans": [True, False, True],
    "complex": [1j, 2j, 3j], "float32": [np.float32(1.5), np.float32(2.0), np.float32(1.0)],
    "float64": [np.float64(1.5)] * 3, "arrays": [np.ones(3, np.float32)] * 3,
}  # fmt: skip


@pytest.mark.parametrize("control", ["auto", "rewrite"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("name", LISTS)
def test_products_with_an_element(name: str, dtype: Any, control: str) -> None:
    def product(x: Any) -> Any:
        return x * LISTS[name][np.argmax(x)]

    x = np.array([1, 3, 2], dtype)
    expected, found = product(x), ad.jit(product, control=control)(x)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_traced_numbers_among_them() -> None:
    def product(x: Any, y: Any) -> Any:
        return x * [2.0, y, 3][np.argmax(x)]

    x = np.array([1, 3, 2], np.float32)
    assert ad.jit(product)(x, 1.5).dtype == np.float32
    np.testing.assert_array_equal(ad.grad(lambda y: np.sum(product(x, y)))(1.5), 6.0)


@pytest.mark.parametrize("place", [0.0, 1.0])
def test_functions_of_lists(place: float) -> None:
    def called(x: Any) -> Any:
        return [np.sin, np.cos][x[0].astype(int)](x[1])

    x = np.array([place, 0.7])
    np.testing.assert_allclose(ad.jit(called)(x), called(x))
    np.testing.assert_allclose(ad.grad(called)(x), [0.0, [np.cos, lambda t: -np.sin(t)][int(place)](0.7)])
