"""`linear_solve` by all methods, of matrices, maps and functions, against NumPy and its derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
SKEWED = A + np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 2.0], [0.0, -2.0, 0.0]])
B = np.array([1.0, -2.0, 0.5])
TALL = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.2]])
METHODS = ["direct", "cg", "gmres", "lsmr"]


def matrix_for(method):
    return A if method == "cg" else SKEWED


@pytest.mark.parametrize("method", METHODS)
def test_solutions(method):
    a = matrix_for(method)
    expected = np.linalg.solve(a, B)
    np.testing.assert_allclose(ad.linear_solve(a, B, method=method), expected, rtol=1e-9)
    np.testing.assert_allclose(ad.linear_solve(lambda v: a @ v, B, method=method), expected, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_maps(method):
    a = matrix_for(method)
    _, j = ad.linearize(lambda x: {"y": a[:1] @ x, "z": a[1:] @ x}, B)
    right = {"y": B[:1], "z": B[1:]}
    np.testing.assert_allclose(j.solve(right, method=method), np.linalg.solve(a, B), rtol=1e-9)
    found = j.T.solve(B, method=method)
    np.testing.assert_allclose(np.concatenate([found["y"], found["z"]]), np.linalg.solve(a.T, B), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", [ad.jacfwd, ad.jacrev])
def test_derivatives(method, mode):
    a = matrix_for(method)

    def solution(t):
        moved = a + t * np.diag(np.arange(3.0))
        return np.sum(np.sin(ad.linear_solve(moved, B * (1 + t * t), method=method)))

    def expected(t):
        return np.sum(np.sin(np.linalg.solve(a + t * np.diag(np.arange(3.0)), B * (1 + t * t))))

    np.testing.assert_allclose(mode(solution)(0.3), mode(expected)(0.3), rtol=1e-9)


@pytest.mark.fuzz
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [{}, {"method": "jacobian"}, {"method": "chad"}, {"interpret": True}])
def test_second_derivatives(method, options):
    a = matrix_for(method)
    solution = lambda c: np.sum(ad.linear_solve(lambda v: a @ v + c * v, B * c, method=method) ** 3)  # noqa: E731
    expected = lambda c: np.sum(np.linalg.solve(a + np.diag(c), B * c) ** 3)  # noqa: E731
    c = np.array([0.3, 0.1, 0.7])
    slope = lambda f: ad.grad(lambda c: np.sum(ad.grad(f)(c) * B), **options)  # noqa: E731
    np.testing.assert_allclose(slope(solution)(c), slope(expected)(c), rtol=1e-8)


def test_least_squares():
    found = ad.linear_solve(TALL, B, method="lsmr")
    np.testing.assert_allclose(found, np.linalg.lstsq(TALL, B)[0], rtol=1e-10)


@pytest.mark.fuzz
def test_derivatives_of_least_squares():
    ours = lambda a, b: np.sum(ad.linear_solve(a, b, method="lsmr") ** 2)  # noqa: E731
    numpys = lambda a, b: np.sum(np.linalg.lstsq(a, b)[0] ** 2)  # noqa: E731
    found, expected = (ad.grad(f, argnums=(0, 1))(TALL, B) for f in (ours, numpys))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12)


def test_a_large_map_is_never_a_matrix():
    n = 2000
    apply = lambda v: 4 * v - np.concatenate([v[1:], v[:1]]) - np.concatenate([v[-1:], v[:-1]])  # noqa: E731
    b = np.cos(np.arange(n) * 0.1)
    x = ad.linear_solve(apply, b, method="cg")
    np.testing.assert_allclose(apply(x), b, rtol=1e-9, atol=1e-10)
    stats = ad.jit(lambda b: ad.linear_solve(apply, b, method="cg")).stats(b)
    assert stats.peak_bytes < 40 * n * 8


def test_gmres_of_a_map_that_turns_every_vector():
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    np.testing.assert_allclose(ad.linear_solve(turn, B[:2], method="gmres"), np.linalg.solve(turn, B[:2]))


def test_structures_batches_and_nothing():
    right = {"u": np.ones(2), "v": 3.0}
    found = ad.linear_solve(lambda x: {"u": 2 * x["u"] + x["v"], "v": x["v"] + x["u"][0]}, right)
    np.testing.assert_allclose(found["u"], -2.0)
    np.testing.assert_allclose(found["v"], 5.0)
    many = ad.vmap(lambda b: ad.linear_solve(A, b, method="cg"))(np.stack([B, 2 * B]))
    np.testing.assert_allclose(many[1], 2 * many[0], rtol=1e-9)
    assert ad.linear_solve(np.zeros((0, 0)), np.zeros(0), method="cg").shape == (0,)


MISTAKES = {
    "affine": (ad.DifferentiationError, lambda: ad.linear_solve(lambda x: x + 1, B)),
    "not linear": (ad.DifferentiationError, lambda: ad.linear_solve(lambda x: x * x, B, method="cg")),
    "not square": (ad.LinearAlgebraError, lambda: ad.linear_solve(TALL, B)),
    "not square, by products": (ad.LinearAlgebraError, lambda: ad.linear_solve(TALL, B, method="gmres")),
    "singular": (ad.LinearAlgebraError, lambda: ad.linear_solve(np.zeros((3, 3)), B)),
    "singular, by products": (
        ad.ConvergenceError,
        lambda: ad.linear_solve(np.zeros((3, 3)), B, method="gmres"),
    ),
    "indefinite": (
        ad.ConvergenceError,
        lambda: ad.linear_solve(np.array([[0.0, 1.0], [-1.0, 0.0]]), B[:2], method="cg"),
    ),
    "NaN": (ad.ConvergenceError, lambda: ad.linear_solve(A, B * np.nan, method="cg")),
    "shapes": (ad.ShapeError, lambda: ad.linear_solve(A, B[:2], method="cg")),
    "shapes of a function": (ad.ShapeError, lambda: ad.linear_solve(lambda x: x[:2], B)),
    "integers": (ad.DtypeError, lambda: ad.linear_solve(lambda x: 2 * x, np.arange(3))),
    "a method": (ad.ArgumentError, lambda: ad.linear_solve(A, B, method="lu")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_at_the_users_line(name):
    error, call = MISTAKES[name]
    with pytest.raises(error) as caught:
        call()
    assert __file__ in caught.value.location
