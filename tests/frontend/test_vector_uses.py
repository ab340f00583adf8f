"""Functions of eigenvectors at equal eigenvalues that are not recognised: derivatives are right, or NaN."""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.vector_uses import KINDS, VALUES, Use, differences, directions, matrices, random_use

METHODS = ("dual-arrays", "jacobian", "chad")

BOUNDS = (1e-4, 2e-2)
"""The bounds on the distance of derivatives from differences, of first and second order."""


def check(seed: int) -> str:
    """All modes of a random use against differences; returns its name."""
    rng = np.random.default_rng(zlib.crc32(repr(seed).encode()))
    kind = str(rng.choice(KINDS))
    is_complex = kind != "eig" and bool(rng.random() < 0.3)
    use, method = random_use(rng, kind), str(rng.choice(METHODS))
    a = matrices(rng, kind, is_complex=is_complex)
    d = directions(rng, a, kind)
    first, second = differences(use, a, d)
    for mode, found in derivatives(use, a, d, method).items():
        (expected, exists), bound = (second, BOUNDS[1]) if mode == "second" else (first, BOUNDS[0])
        is_known = np.isfinite(found)
        is_right = exists & (np.abs(found - expected) <= bound * (1 + np.abs(expected)))
        assert (is_right | ~is_known).all(), f"{use.name}, {mode}: {found}, not {expected}"
        assert is_known[: len(a) // len(VALUES)].all(), f"{use.name}, {mode}: {found}"
    return use.name


def derivatives(use: Use, a: Any, d: Any, method: str) -> dict[str, Any]:
    """The derivatives of a use along directions, in each mode."""
    is_complex = np.iscomplexobj(a)
    at, along = ((x.real.copy(), x.imag.copy()) if is_complex else (x,) for x in (a, d))

    def program(*parts: Any) -> Any:
        return use.of(parts[0] + 1j * parts[1] if is_complex else parts[0])

    def slope(*parts: Any) -> Any:
        gradient = ad.grad(lambda *p: np.sum(program(*p)), argnums=tuple(range(len(at))))
        return gradient(*parts)

    def product(gradients: Any) -> Any:
        # No direction leads along an element whose derivative is not known but 0 times it.
        return sum(
            np.sum(np.where(t == 0, 0.0, g * t), (-2, -1)) for g, t in zip(gradients, along, strict=True)
        )

    return {
        "forward": ad.jvp(program, at, along, method=method)[1],
        "backward": product(ad.jit(slope, method=method)(*at)),
        "second": product(ad.jvp(slope, at, along, method=method)[1]),
    }


@pytest.mark.parametrize("seed", range(15))
def test_derivatives_are_right_or_nan(seed: int) -> None:
    check(seed)


@pytest.mark.fuzz
def test_fresh_uses(fuzz_seconds: float, judged: Counter[str]) -> None:
    end = time.monotonic() + fuzz_seconds
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(10**9)
        try:
            name = check(seed)
        except (Exception, AssertionError) as error:
            error.add_note(f"seed {seed}")
            raise
        judged[f"uses of vectors, {name.partition(':')[0]}"] += 1


TWICE = np.diag([1.0, 1.0, 2.0])
"""Its vectors are unit vectors, and many cotangents vanish."""


linalg: Any = np.linalg


def _vectors(a: Any) -> Any:
    return linalg.eigh(a)[1]


def _square(a: Any) -> Any:
    return _vectors(a)[0, 1] ** 2


def _squares(a: Any) -> Any:
    return _vectors(a)[:, 0, 1] ** 2


def _vanishing(w: Any, v: Any) -> Any:
    return (w[0] - 1) * v[0, 0] ** 4 + (w[1] - 1) * v[0, 1] ** 4


def _chosen(a: Any) -> Any:
    w, v = linalg.eigh(a)
    return np.where(w[1] - w[0] > 1e-8, v[0, 0] ** 4, w[2])


def _branch(a: Any) -> Any:
    w, v = linalg.eigh(a)
    return ad.cond(w[1] - w[0] > 1e-8, lambda: v[0, 0] ** 4, lambda: w[2])


ABSORBED: dict[str, Callable[[Any], Any]] = {
    "a square of 0": _square,
    "a vanishing factor": lambda a: np.sum(a - TWICE) * _vectors(a)[0, 0] ** 2,
    "a vanishing function": lambda a: _vanishing(*linalg.eigh(a)),
    "any matrix": lambda a: linalg.eig(a)[1].real[0, 1] ** 2,
    "singular vectors": lambda a: linalg.svd(a)[0][0, 1] ** 2,
    "a pseudo-inverse": lambda a: np.linalg.pinv(_vectors(a))[0, 1] ** 2,
    "a norm": lambda a: np.linalg.norm(_vectors(a)[:2, 2] + _vectors(a)[:2, 1] * 0) ** 2,
    "a loop": lambda a: ad.fori_loop(0, 2, lambda k, s: s + _vectors(a)[0, 1] ** 2, 0.0),
    "vectors in a loop": lambda a: ad.fori_loop(0, 2, lambda k, s: s + _vectors(a + s)[0, 1] ** 2, 0.0),
    "a checkpoint": lambda a: ad.checkpoint(_vectors)(a)[0, 1] ** 2,
    "a batch": lambda a: np.sum(ad.vmap(_square)(np.stack([a, 2 * a]))),
    "a jump between equal values": lambda a: (_vectors(a)[:, :1] @ _vectors(a)[:, :1].T)[0, 1] ** 2,
    "a largest element": lambda a: np.max(_vectors(a)[0, 1:] ** 2),
    "a sorted row": lambda a: np.sort(_vectors(a)[0, 1:])[0] ** 2,
    "a matrix of vectors": lambda a: np.linalg.det(_vectors(a) + np.eye(3)),
}
"""Functions whose cotangents, or factors, vanish where they have no derivative."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ABSORBED)
def test_zeros_do_not_hide_what_has_no_derivative(name: str, method: str) -> None:
    function, ones = ABSORBED[name], np.ones((3, 3))
    assert np.isnan(ad.jvp(function, (TWICE,), (ones,), method=method)[1])
    assert np.isnan(ad.grad(function, method=method)(TWICE)).any()
    assert np.isnan(ad.jvp(ad.grad(function), (TWICE,), (ones,), method=method)[1]).any()


KNOWN: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "a sum of values": (lambda a: np.sum(np.linalg.eigh(a)[0]), np.eye(3)),
    "a sum of values of any matrix": (lambda a: np.sum(linalg.eig(a)[0].real), np.eye(3)),
    "values apart": (lambda a: np.linalg.eigvalsh(a)[2] ** 2, np.diag([0.0, 0.0, 4.0])),
    "a vector apart": (lambda a: _vectors(a)[2, 2] ** 2 * a[0, 0], np.diag([1.0, 0.0, 0.0])),
    "vectors of a matrix that is constant": (
        lambda a: np.sum(ad.stop_gradient(_vectors(a)) * a),
        np.eye(3),
    ),
    "a branch that is not chosen": (_chosen, np.diag([0.0, 0.0, 1.0])),
    "a branch of the program": (_branch, np.diag([0.0, 0.0, 1.0])),
}
"""Functions with a derivative, and their gradients at `TWICE`."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", KNOWN)
def test_what_does_not_depend_on_vectors_keeps_its_derivative(name: str, method: str) -> None:
    function, expected = KNOWN[name]
    np.testing.assert_allclose(ad.grad(function, method=method)(TWICE), expected, rtol=1e-12, atol=1e-12)


def test_members_of_a_batch_have_doubts_of_their_own() -> None:
    apart = np.diag([1.0, 2.0, 4.0])
    gradient = ad.vjp(_squares, np.stack([apart, TWICE]))[1](np.ones(2))[0]
    assert np.isfinite(gradient[0]).all()
    assert np.isnan(gradient[1]).any()
    rows = ad.jacobian(_squares)(np.stack([apart, TWICE]))
    assert np.isfinite(rows[0]).all()


def test_eigenvalues_without_enough_vectors_have_no_derivative() -> None:
    def squares(a: Any) -> Any:
        return np.sum(linalg.eigvals(a).real ** 2)

    for jordan in (np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[3.0, 1.0], [-1.0, 1.0]])):
        assert not np.isfinite(ad.grad(squares)(jordan)).all()
