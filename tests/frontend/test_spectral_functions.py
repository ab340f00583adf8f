"""Spectral functions at equal eigenvalues and singular values: two derivatives, and what has none."""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.spectral_programs import (
    FUNCTIONS,
    SINGULAR,
    SYMMETRIC,
    Case,
    determinants,
    orthogonal,
    random_program,
    singular_case,
    symmetric_case,
)

METHODS = ("dual-arrays", "jacobian", "chad")
NUMBERS = (False, True)
"""Real and complex numbers."""
BOUNDS = (1e-9, 1e-9, 1e-6)
"""Errors of values and derivatives, compared with the largest number of each member of a batch."""


def seeded(*names: object) -> np.random.Generator:
    """A generator of its own for each case."""
    return np.random.default_rng(zlib.crc32(repr(names).encode()))


def forward(case: Case, method: str) -> tuple[Any, Any, Any]:
    """The value, the first and the second derivative along the directions."""
    tangents = case.parts(case.directions)

    def slope(*parts: Any) -> Any:
        return ad.jvp(case.program, parts, tangents)

    (value, first), (_, second) = ad.jvp(slope, case.parts(case.matrices), tangents, method=method)
    return value, first, second


def backward(case: Case, weights: Any, method: str) -> tuple[Any, Any]:
    """The first and the second derivative of weighted sums of each member, by gradients."""
    directions = case.parts(case.directions)

    def loss(*parts: Any) -> Any:
        return np.sum(weights * case.program(*parts))

    def along(x: Any) -> Any:
        return sum(np.sum(g * d, (-2, -1)) for g, d in zip(x, directions, strict=True))

    places, at = tuple(range(len(directions))), case.parts(case.matrices)
    first = ad.grad(loss, argnums=places, method=method)(*at)

    def slope(*parts: Any) -> Any:
        gradient = ad.grad(loss, argnums=places)(*parts)
        return sum(np.sum(g * d) for g, d in zip(gradient, directions, strict=True))

    return along(first), along(ad.grad(slope, argnums=places, method=method)(*at))


def check(case: Case, rng: np.random.Generator, method: str) -> None:
    """Both modes against the reference."""
    expected = case.derivatives()
    weights = rng.normal(size=expected[0].shape)
    members = (1, 2, 3)
    sums = (None, *backward(case, weights, method))
    for order, (x, y, bound) in enumerate(zip(forward(case, method), expected, BOUNDS, strict=True)):
        scale = np.maximum(1, np.max(np.abs(y), members, keepdims=True))
        message = f"{case.name}: order {order}"
        np.testing.assert_allclose(x / scale, y / scale, rtol=0, atol=bound, err_msg=message)
        if order:
            found, scale = sums[order] / np.ravel(scale), np.ravel(scale)
            wanted = np.sum(weights * y, members) / scale
            np.testing.assert_allclose(found, wanted, rtol=0, atol=4 * bound, err_msg=f"{message}, gradients")


def smooth_at_zero(form: str) -> list[str]:
    """The functions of singular values that are smooth where these are 0."""
    parity = SINGULAR[form].parity
    return [name for name, f in FUNCTIONS.items() if parity and f.parity == parity]


@pytest.mark.parametrize("case", [*product(SYMMETRIC, NUMBERS)], ids=str)
def test_functions_of_symmetric_matrices(case: tuple[str, bool]) -> None:
    name, is_complex = case
    rng = seeded(name, is_complex)
    function = rng.choice(list(FUNCTIONS))
    check(symmetric_case(rng, name, function, is_complex=is_complex), rng, rng.choice(METHODS))


@pytest.mark.parametrize("case", [*product(SINGULAR, NUMBERS)], ids=str)
def test_functions_of_any_matrices(case: tuple[str, bool]) -> None:
    name, is_complex = case
    rng = seeded(name, is_complex)
    function = rng.choice(list(FUNCTIONS))
    check(singular_case(rng, name, function, is_complex=is_complex), rng, rng.choice(METHODS))


@pytest.mark.parametrize("case", [*product(filter(smooth_at_zero, SINGULAR), NUMBERS)], ids=str)
def test_functions_of_singular_matrices(case: tuple[str, bool]) -> None:
    name, is_complex = case
    rng = seeded(name, is_complex, 0)
    function = rng.choice(smooth_at_zero(name))
    check(
        singular_case(rng, name, function, is_complex=is_complex, with_zeros=True), rng, rng.choice(METHODS)
    )


@pytest.mark.parametrize("case", [*product(SYMMETRIC | SINGULAR, NUMBERS)], ids=str)
def test_batches_of_one_matrix(case: tuple[str, bool]) -> None:
    """Programs lose and add dimensions of extent 1 on their way."""
    name, is_complex = case
    rng = seeded(name, is_complex, 1)
    make = symmetric_case if name in SYMMETRIC else singular_case
    found = make(rng, name, "quotient", is_complex=is_complex)
    equal = np.eye(found.matrices.shape[-2], found.matrices.shape[-1])[None] + 0 * found.matrices[:1]
    check(replace(found, matrices=equal, directions=found.directions[:1]), rng, rng.choice(METHODS))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("form", ["columns", "loop", "vectors", "inverse"])
def test_every_function_column_by_column(form: str, function: str) -> None:
    """As in one product, for all functions, among them those that choose by a comparison."""
    rng = seeded(form, function)
    matrices = np.stack([np.eye(3), np.diag([1.0, 1.0, 2.0])]) + 0j
    d = rng.normal(size=matrices.shape) + 1j * rng.normal(size=matrices.shape)
    d = d + np.conj(np.matrix_transpose(d))

    def slope(name: str) -> Any:
        case = Case(name, SYMMETRIC[name].program(FUNCTIONS[function].numpy), str, matrices, d)
        return ad.jvp(case.program, case.parts(matrices), case.parts(d))[1]

    np.testing.assert_allclose(slope(form), slope("scaled columns"), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    rng = seeded(seed)
    check(random_program(rng, 2), rng, rng.choice(METHODS))


@pytest.mark.fuzz
def test_fresh_programs(fuzz_seconds: float, judged: Counter[str]) -> None:
    end = time.monotonic() + fuzz_seconds
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(10**9)
        rng, is_complex = seeded(seed), bool(seed % 2)
        kind = rng.choice(["symmetric", "singular", "program"])
        if kind == "symmetric":
            form, function = rng.choice(list(SYMMETRIC)), rng.choice(list(FUNCTIONS))
            case = symmetric_case(rng, form, function, is_complex=is_complex)
        elif kind == "singular":
            form, with_zeros = rng.choice(list(SINGULAR)), bool(rng.random() < 0.4)
            functions = smooth_at_zero(form) if with_zeros else []
            function = rng.choice(functions or list(FUNCTIONS))
            case = singular_case(rng, form, function, is_complex=is_complex, with_zeros=bool(functions))
        else:
            case = random_program(rng, int(rng.integers(1, 4)))
        try:
            check(case, rng, rng.choice(METHODS))
        except (Exception, AssertionError) as error:
            error.add_note(f"seed {seed}: {case.name}")
            raise
        judged[f"spectral functions, {kind}"] += 1


BASIS = orthogonal(np.random.default_rng(1), 3, is_complex=False)
TWICE = (BASIS * [1.0, 1.0, 3.0]) @ BASIS.T
"""A matrix with two equal eigenvalues, and singular values."""

TURNED = np.array([[0.3, 0.5, -0.2], [0.5, -0.4, 0.7], [-0.2, 0.7, 0.1]])
DIRECTION = BASIS @ TURNED @ BASIS.T

WEIGHTS = np.array([[1.0, -0.5, 2.0], [0.25, 1.5, -1.0], [0.75, 0.5, -2.0]])


SYSTEMS: dict[str, Any] = {
    "transposed": lambda a: (
        lambda w, v: np.linalg.solve(np.matrix_transpose(v), np.matrix_transpose(v * np.exp(w))).T
    )(*np.linalg.eigh(a)),
    "right side": lambda a: (lambda w, v: v @ (np.exp(w)[:, None] * np.linalg.solve(v, np.eye(3))))(
        *np.linalg.eigh(a)
    ),
    "singular vectors": lambda a: (
        lambda u, s, vh: np.linalg.inv(vh) @ np.diag(np.exp(s)) @ np.linalg.inv(u)
    )(*np.linalg.svd(a)),
}
"""exp of a positive matrix, by systems of vectors."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_of_vectors(name: str) -> None:
    def found(t: Any) -> Any:
        return np.sum(WEIGHTS * SYSTEMS[name](np.eye(3) + t * DIRECTION))

    first = np.sum(WEIGHTS * DIRECTION) * np.e
    second = np.sum(WEIGHTS * (DIRECTION @ DIRECTION)) * np.e
    np.testing.assert_allclose(ad.grad(found)(0.0), first, rtol=1e-12)
    np.testing.assert_allclose(ad.grad(ad.grad(found))(0.0), second, rtol=1e-12)


# Missing derivatives ------------------------------------------------------------------------------


def _vectors(a: Any) -> Any:
    return np.linalg.eigh(a)[1]


def _half(a: Any) -> Any:
    return _vectors(a)[:, :1] @ _vectors(a)[:, :1].T


UNKNOWN: dict[str, Any] = {
    "eigenvectors": _vectors,
    "left singular vectors": lambda a: np.linalg.svd(a)[0],
    "right singular vectors": lambda a: np.linalg.svd(a)[2],
    "eigenvectors of any matrix": lambda a: np.linalg.eig(a)[1].real,
    "a part of the common space": _half,
    "a function that tells the vectors apart": lambda a: (
        (_vectors(a) * np.array([1.0, 2.0, 3.0])) @ _vectors(a).T
    ),
    "a function of vectors": lambda a: np.sum(_vectors(a) ** 4, axis=1),
    "vectors beside others": lambda a: _vectors(a) @ np.abs(_vectors(a)).T,
    "a root at 0": lambda a: (lambda w, v: (v * np.sqrt(w)) @ v.T)(*np.linalg.eigh(a - TWICE)),
}
"""Functions of a matrix without a derivative where two eigenvalues are equal."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", UNKNOWN)
def test_what_has_no_derivative_is_nan(name: str, method: str) -> None:
    _, slope = ad.jvp(UNKNOWN[name], (TWICE,), (DIRECTION,), method=method)
    assert np.isnan(slope).any()
    gradient = ad.grad(lambda a: np.sum(np.sin(UNKNOWN[name](a))), method=method)(TWICE)
    assert not np.isfinite(gradient).all()


def test_single_eigenvalues_have_no_second_derivative_where_they_are_equal() -> None:
    for function in (lambda a: np.linalg.eigvalsh(a)[0], lambda a: np.linalg.norm(a - 3 * np.eye(3), 2)):
        assert np.isnan(ad.hvp(function, (TWICE,), (DIRECTION,))).any()
    largest = ad.hvp(lambda a: np.linalg.eigvalsh(a)[2], (TWICE,), (DIRECTION,))
    assert np.sum(largest * DIRECTION) == pytest.approx(TURNED[2, 0] ** 2 + TURNED[2, 1] ** 2)


def test_third_derivatives_are_nan_where_they_are_not_known() -> None:
    def function(t: Any) -> Any:
        w, v = np.linalg.eigh(TWICE + t * DIRECTION)
        return np.sum((v * np.exp(w)) @ v.T)

    third = ad.grad(ad.grad(ad.grad(function)))
    assert np.isnan(third(0.0))
    assert np.isfinite(third(0.5))


# Determinants and pseudo-inverses -------------------------------------------------------------------------


@pytest.mark.parametrize("case", [*product(range(6), NUMBERS)], ids=str)
def test_determinants_of_singular_matrices(case: tuple[int, bool]) -> None:
    rank, is_complex = case
    rng = seeded("determinant", rank, is_complex)
    check(determinants(rng, 5, rank, is_complex=is_complex), rng, METHODS[rank % 3])


def test_determinants_that_vanish_exactly_have_the_cofactors_as_derivative() -> None:
    a = np.arange(16.0).reshape(4, 4) % 7
    a[:, 2] = 0
    cofactors = np.zeros((4, 4))
    for i in range(4):
        cofactors[i, 2] = (-1) ** i * np.linalg.det(np.delete(np.delete(a, i, 0), 2, 1))
    for dtype, bound in ((np.float64, 1e-12), (np.float32, 1e-4)):
        np.testing.assert_allclose(ad.grad(np.linalg.det)(a.astype(dtype)), cofactors, rtol=bound, atol=bound)
    assert (ad.grad(np.linalg.det)(np.zeros((4, 4))) == 0).all()
    assert (ad.hessian(np.linalg.det)(np.zeros((4, 4))) == 0).all()


@pytest.mark.parametrize("is_wide", [False, True])
def test_pseudo_inverses_take_memory_like_their_matrices(is_wide: bool) -> None:
    def peak(n: int) -> int:
        a = np.eye(2, n) + 1
        return gradient.stats(a if is_wide else a.T).peak_bytes

    gradient = ad.grad(lambda a: np.sum(np.linalg.pinv(a)))
    assert peak(2000) < 2.1 * peak(1000)
