"""Roots, logarithms, powers and signs of matrices, against SciPy, definitions, and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import mlirad as ad
from mlirad.errors import LinearAlgebraError

RANDOM = np.random.default_rng(3)
SQUARE = RANDOM.normal(size=(4, 4))

MATRICES = {
    "general": SQUARE + 4 * np.eye(4),
    "definite": SQUARE @ SQUARE.T + 0.1 * np.eye(4),
    "equal eigenvalues": 2 * np.eye(3),
    "defective": np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]),
    "turning": np.array([[0.0, -1.0], [1.0, 0.1]]),
    "graded": np.diag([0.01, 1.0, 100.0]) + 0.1 * np.triu(np.ones((3, 3)), 1),
    "one": np.array([[3.0]]),
    "complex": SQUARE + 1j * RANDOM.normal(size=(4, 4)) + 2 * np.eye(4),
}


def power(a: Any) -> Any:
    return linalg.fractional_matrix_power(a, 0.3)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {"sqrtm": linalg.sqrtm, "logm": linalg.logm, "power": power}


CASES = [("sqrtm", matrix) for matrix in MATRICES]
CASES += [("logm", "general"), ("logm", "defective"), ("logm", "complex"), ("power", "turning")]


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_values_and_derivatives(case: tuple[str, str]) -> None:
    name, matrix = case
    function, a = FUNCTIONS[name], MATRICES[matrix]
    step = RANDOM.normal(size=a.shape) * np.abs(a).max() * (1.0 if matrix != "graded" else 1e-4)
    weights = RANDOM.normal(size=a.shape)

    def measured(a: Any) -> Any:
        return np.sum(weights * np.real(function(a)))

    (value, slope), gradient = ad.jit(lambda a: (ad.jvp(function, (a,), (step,)), ad.grad(measured)(a)))(a)
    want = function(a)
    size = np.abs(want).max()
    np.testing.assert_allclose(value, want, atol=1e-12 * size * (100 if matrix == "graded" else 1))
    h = 1e-5
    difference = (function(a + h * step) - function(a - h * step)) / (2 * h)
    np.testing.assert_allclose(slope, difference, atol=1e-6 * max(np.abs(difference).max(), size))
    np.testing.assert_allclose(np.sum(np.real(gradient * step)), np.sum(weights * np.real(slope)), rtol=1e-9)


@pytest.mark.parametrize("matrix", ["general", "equal eigenvalues", "defective"])
def test_second_and_third_derivatives_of_a_root(matrix: str) -> None:
    """Derivatives by the equation X X = A along a line: X X'' + 2 X' X' + X'' X = 0, and the one after it."""
    a = MATRICES[matrix]
    step = RANDOM.normal(size=a.shape)

    def along(t: Any, order: int) -> Any:
        if not order:
            return linalg.sqrtm(a + t * step)
        return ad.jvp(lambda t: along(t, order - 1), (t,), (1.0,))[1]

    x, first, second, third = ad.jit(lambda t: tuple(along(t, order) for order in range(4)))(0.0)
    np.testing.assert_allclose(x @ first + first @ x, step, atol=1e-11)
    scale = np.abs(x @ second).max() + np.abs(first @ first).max()
    np.testing.assert_allclose(x @ second + 2 * first @ first + second @ x, 0 * a, atol=1e-10 * scale)
    rest = x @ third + 3 * (first @ second + second @ first) + third @ x
    np.testing.assert_allclose(rest, 0 * a, atol=1e-9 * np.abs(x @ third).max())


def test_signs() -> None:
    vectors = MATRICES["general"]
    a = vectors @ np.diag([1.0, -2.0, 3.0, -0.5]) @ np.linalg.inv(vectors)
    step = RANDOM.normal(size=a.shape)
    sign, slope = ad.jit(lambda a: ad.jvp(linalg.signm, (a,), (step,)))(a)
    np.testing.assert_allclose(sign, linalg.signm(a), atol=1e-12)
    # It squares to I, and commutes with the matrix.
    np.testing.assert_allclose(sign @ slope + slope @ sign, 0 * a, atol=1e-11)
    np.testing.assert_allclose(sign @ step + slope @ a, step @ sign + a @ slope, atol=1e-10)


def test_batches_and_narrow_types() -> None:
    batch = np.stack([MATRICES["general"], MATRICES["definite"]])
    want = np.stack([linalg.sqrtm(a) for a in batch])
    np.testing.assert_allclose(ad.jit(linalg.sqrtm)(batch), want, atol=1e-12)
    found = ad.jit(linalg.sqrtm)(MATRICES["definite"].astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, want[1], atol=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "a",
    [
        np.diag([1.0, -1.0]),
        -np.eye(2),
        np.zeros((2, 2)),
        np.diag([1.0, 0.0]),
        np.array([[0.0, 1.0], [0.0, 0.0]]),
    ],
)
def test_matrices_without_a_real_result_raise(name: str, a: np.ndarray) -> None:
    with pytest.raises(LinearAlgebraError, match="negative or 0"):
        ad.jit(FUNCTIONS[name])(a)
    with pytest.raises(LinearAlgebraError, match="imaginary axis"):
        ad.jit(linalg.signm)(np.array([[0.0, -1.0], [1.0, 0.0]]))
