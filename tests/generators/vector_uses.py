"""Random functions of eigenvectors and singular vectors that are not spectral functions, at equal values.

    use = random_use(rng, "eigh", is_complex=False)      (v_01 v_21 (w_1 - 1))^2 + sin(v_00 v_00)
    matrices(rng, "eigh", is_complex=False)              diag(1, 1, 2), a rotated diag(1, 2, 2), ...

Each depends on products of two elements of a vector, so not on the signs or phases of single ones. Factors,
cotangents and elements vanish often: matrices are diagonal, factors have zeros at the eigenvalues, and terms
are squared. Differences of NumPy's own factorisations tell whether a derivative exists, and which one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.generators.spectral_programs import dagger, normal, orthogonal

KINDS = ("eigh", "eig", "svd")

VALUES = ((1.0, 2.0, 3.5), (1.0, 1.0, 2.0), (1.0, 2.0, 2.0), (2.0, 2.0, 2.0))
"""Eigenvalues or singular values: without equal ones, with two or three."""

Columns = tuple[Any, Any, Any]
"""Values, left and right vectors as columns; of eigenvectors twice the same."""


@dataclass(frozen=True)
class Use:
    """A function of a batch of matrices to one of numbers."""

    name: str
    of: Callable[[Any], Any]


def factorised(kind: str, a: Any) -> Columns:
    """The factors of a batch of matrices."""
    if kind == "svd":
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        return s, u, dagger(vh)
    if kind == "eigh":
        w, v = np.linalg.eigh(a)
        return w, v, v
    w, v = np.linalg.eig(a)
    order = np.argsort(np.real(w), -1)
    v = np.take_along_axis(v, order[..., None, :], -1)
    return np.take_along_axis(np.real(w), order, -1), v, v


def matrices(rng: np.random.Generator, kind: str, *, is_complex: bool) -> Any:
    """Matrices with each of `VALUES`, diagonal ones and others."""
    found: list[Any] = []
    for values in VALUES:
        for is_diagonal in (True, False):
            n = len(values)
            left = np.eye(n) if is_diagonal else orthogonal(rng, n, is_complex=is_complex)
            right = orthogonal(rng, n, is_complex=is_complex) if kind == "svd" and not is_diagonal else left
            if kind == "eig" and not is_diagonal:
                skew = left + 0.3 * rng.normal(size=(n, n))
                found.append(skew @ np.diag(values) @ np.linalg.inv(skew))
            else:
                found.append((left * values) @ dagger(right))
    a = np.stack(found)
    a = (a + dagger(a)) / 2 if kind == "eigh" else a
    return a + 0j if is_complex else a


def directions(rng: np.random.Generator, a: Any, kind: str) -> Any:
    """A direction for each matrix: of any elements, of few, or of the diagonal alone."""
    d = normal(rng, *a.shape, is_complex=np.iscomplexobj(a))
    for k in range(len(a)):
        chosen = rng.integers(3)
        if chosen == 1:
            d[k] *= rng.random(size=d[k].shape) < 0.4
        elif chosen == 2:
            d[k] *= np.eye(d.shape[-1])
    return d + dagger(d) if kind == "eigh" else d


def random_use(rng: np.random.Generator, kind: str) -> Use:
    """A function made of a few products."""
    terms = [_term(rng, _product(rng)) for _ in range(int(rng.integers(1, 3)))]
    name = " + ".join(name for name, _ in terms)
    return Use(f"{kind}: {name}", lambda a: sum(f(factorised(kind, a)) for _, f in terms))


Term = tuple[str, Callable[[Columns], Any]]

FACTORS: dict[str, Callable[[Any], Any]] = {
    "1": np.ones_like,
    "(w - 1)": lambda w: w - 1,
    "(w - 2)^2": lambda w: (w - 2) ** 2,
    "exp(w)": np.exp,
}

INVERSES: dict[str, Callable[[Any], Any]] = {"": dagger, "inv": np.linalg.inv, "pinv": np.linalg.pinv}


def _product(rng: np.random.Generator) -> Term:
    """Two elements of a column, or one of the inverse of the columns, and a function of the value."""
    i, j, k = (int(x) for x in rng.integers(0, 3, size=3))
    factor = str(rng.choice(list(FACTORS)))
    system = str(rng.choice(["", *INVERSES]))

    def of(columns: Columns) -> Any:
        w, u, v = columns
        return FACTORS[factor](w[..., k]) * np.real(u[..., i, k] * INVERSES[system](v)[..., k, j])

    return f"{system}[{i}{k} {j}{k}] {factor}", of


def _term(rng: np.random.Generator, product: Term) -> Term:
    """A product, or a function of it."""
    name, of = product
    match rng.choice(["itself", "square", "sin", "0 times", "chosen"]):
        case "square":
            return f"({name})^2", lambda c: of(c) ** 2
        case "sin":
            return f"sin({name})", lambda c: np.sin(of(c))
        case "0 times":
            total = float(rng.integers(4, 7))
            return f"(sum(w) - {total}) {name}", lambda c: (np.sum(c[0], -1) - total) * of(c)
        case "chosen":
            return f"max({name}, -1)", lambda c: np.maximum(of(c), -1.0)
        case _:
            return product


# Derivatives ----------------------------------------------------------------------------------------------


def differences(use: Use, a: Any, d: Any) -> list[tuple[Any, Any]]:
    """The first and second derivatives along directions, and where they exist.

    One exists where differences ahead and back, by steps of two lengths, agree. A first one exists, too,
    where they differ in proportion to the step, as they do by a large second derivative, and means agree.
    """
    at = use.of(a)
    found: list[tuple[Any, Any]] = []
    firsts: list[Any] = []
    seconds: list[Any] = []
    for h, wide in ((1e-4, 1e-3), (2e-5, 2e-4)):
        ahead, back = use.of(a + h * d), use.of(a - h * d)
        firsts += [(ahead - at) / h, (at - back) / h]
        seconds.append((use.of(a + wide * d) - 2 * at + use.of(a - wide * d)) / wide**2)
    for values, bound in ((firsts, 0.02), (seconds, 0.05)):
        spread = np.max(values, 0) - np.min(values, 0)
        size = 1 + np.max(np.abs(values), 0)
        found.append((values[-1], spread < bound * size))
    means = [(firsts[k] + firsts[k + 1]) / 2 for k in (0, 2)]
    far, near = (np.abs(firsts[k] - firsts[k + 1]) for k in (0, 2))
    bends = (near < 0.25 * far) & (np.abs(means[0] - means[1]) < 0.001 * (1 + np.abs(means[1])))
    found[0] = (means[1], found[0][1] | bends)
    return found
