"""The programs by name that people run on data sets in many chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import mlirad as ad
from mlirad.frontend.tracing.pytree import flatten
from mlirad.lazy_dataclass import dataclass

ROWS: Final = 300


@dataclass(frozen=True)
class Case:
    """A function, its arguments, for each leaf the dimension of its rows, and how many rounds it may take."""

    function: Any
    args: tuple[Any, ...]
    split: tuple[int | None, ...]
    rounds: int = 1

    @property
    def leaves(self) -> Sequence[Any]:
        """The flat arguments."""
        return flatten(self.args)[0]


PROGRAMS: Final[dict[str, Callable[[], Case]]] = {}
"""The functions that make the cases, by name."""


def program(name: str) -> Callable[[Callable[[], Case]], Callable[[], Case]]:
    """Enter a case."""

    def enter(make: Callable[[], Case]) -> Callable[[], Case]:
        PROGRAMS[name] = make
        return make

    return enter


def data(seed: int = 0, columns: int = 8) -> tuple[Any, Any, Any]:
    """Weights, rows, and a number of each row, 0 or 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, columns))
    return rng.normal(size=columns), x, (rng.random(ROWS) > 0.5) * 1.0


def logistic(w: Any, x: Any, y: Any) -> Any:
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.5e-3 * np.sum(w * w)


@program("logistic regression")
def _() -> Case:
    return Case(ad.value_and_grad(logistic), data(), (None, 0, 0))


@program("logistic regression, Hessian")
def _() -> Case:
    return Case(ad.hessian(logistic), data(), (None, 0, 0))


@program("logistic regression, gradient in rows")
def _() -> Case:
    return Case(ad.grad(logistic, argnums=1), data(), (None, 0, 0))


def mixture(alphas: Any, means: Any, scales: Any, x: Any) -> Any:
    d = (x[:, None, :] - means[None]) * np.exp(-scales)[None]
    q = alphas[None] - np.sum(scales, 1)[None] - 0.5 * np.sum(d * d, axis=2)
    m = np.max(q, axis=1)
    total = np.sum(m + np.log(np.sum(np.exp(q - m[:, None]), axis=1)))
    return total - x.shape[0] * np.log(np.sum(np.exp(alphas)))


@program("Gaussian mixture")
def _() -> Case:
    rng = np.random.default_rng(1)
    args = rng.normal(size=5), rng.normal(size=(5, 8)), 0.1 * rng.normal(size=(5, 8)), data()[1]
    return Case(ad.value_and_grad(mixture, argnums=(0, 1, 2)), args, (None, None, None, 0))


def k_means(centres: Any, x: Any) -> Any:
    return np.sum(np.min(np.sum((x[:, None, :] - centres[None]) ** 2, axis=2), axis=1))


@program("k-means")
def _() -> Case:
    return Case(ad.value_and_grad(k_means), (data()[1][:5], data(1)[1]), (None, 0))


@program("k-means, Hessian times vector")
def _() -> Case:
    def product(c: Any, v: Any, x: Any) -> Any:
        return ad.hvp(lambda c: k_means(c, x), (c,), (v,))

    return Case(ad.jit(product), (data()[1][:5], data(2)[1][:5], data(1)[1]), (None, None, 0))


@program("batch norm")
def _() -> Case:
    def loss(p: Any, x: Any, y: Any) -> Any:
        h = x @ p["w1"] + p["b1"]
        m = np.mean(h, 0)
        v = np.mean((h - m) ** 2, 0)
        h = np.tanh((h - m) / np.sqrt(v + 1e-5) * p["g"] + p["b"])
        return np.mean((h @ p["w2"] - y) ** 2)

    rng = np.random.default_rng(0)
    p = {"w1": rng.normal(size=(8, 6)), "b1": np.zeros(6), "g": np.ones(6), "b": np.zeros(6)}
    p["w2"] = rng.normal(size=6)
    _, x, y = data()
    return Case(ad.value_and_grad(loss), (p, x, y), (None,) * 5 + (0, 0), rounds=2)


@program("softmax over all rows")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        z = x @ w
        m = np.max(z)
        return np.log(np.sum(np.exp(z - m))) + m - np.sum(y * z)

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))


@program("pendulums by scan")
def _() -> Case:
    def loss(theta: Any, x: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            q, p = state
            q = q + 0.05 * p
            return (q, p - 0.05 * theta[0] * np.sin(q) * theta[1]), None

        (q, p), _ = ad.scan(step, (x[:, 0], x[:, 1]), length=50)
        return np.sum(q**2 + p**2)

    w, x, _ = data()
    return Case(ad.value_and_grad(loss), (w[:2] ** 2, x[:, :2].copy()), (None, 0))


@program("a root for each row")
def _() -> Case:
    def loss(a: Any, y: Any) -> Any:
        return np.sum(ad.vmap(lambda t: ad.root(lambda x: x**3 + a * x - t, 0.5))(y))

    return Case(ad.value_and_grad(loss), (1.0, data()[1][:, 0].copy()), (None, 0))


@program("rows of a table")
def _() -> Case:
    def loss(table: Any, index: Any, y: Any) -> Any:
        return np.sum((table[index] - y) ** 2)

    rng = np.random.default_rng(0)
    return Case(
        ad.value_and_grad(loss), (rng.normal(size=20), rng.integers(0, 20, ROWS), data()[2]), (None, 0, 0)
    )


@program("noise drawn by key")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        noise = ad.random.normal(ad.random.key(0), y.shape)
        return np.mean((x @ w + noise - y) ** 2)

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))
