"""Hessians of the examples by `grad(grad(f))` and `jvp(grad(f))`, against differences of gradients."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples.programs import ba, gmm, kmeans, llsq, lse

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])


def gmm_of_vector(p):
    """The gmm objective as a function of all its parameters in one vector."""
    instance = gmm.random_instance(2, 3, 6, seed=3)
    parts, start = [], 0
    for parameter in instance[:4]:
        parts.append(p[start : start + parameter.size].reshape(parameter.shape))
        start += parameter.size
    return gmm.objective(*parts, instance.x, 1, 0.7)


def ba_of_vector(p):
    """The sum of squared residuals of five observations by two cameras of two points."""
    cameras, points, weights = p[:22].reshape(2, 11), p[22:28].reshape(2, 3), p[28:33]
    measured = np.linspace(-1, 1, 10).reshape(5, 2)
    errors = ba.residuals(
        cameras, points, weights, measured, np.array([0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 0])
    )
    return np.sum(errors[0] ** 2) + np.sum(errors[1] ** 2)


def kmeans_of_vector(p):
    points, _ = kmeans.random_instance(7, 3, 2)
    return kmeans.cost(points, p.reshape(3, 2))


def convolution(p):
    """A window over a signal, written with `build` and `index` where p is traced."""
    window = ad.build((6,), lambda i: sum(ad.index(p, (i + j - 1,)) * np.cos(p[j]) for j in range(3)))
    return np.sum(np.tanh(window) ** 2)


def normalised(p):
    """Softmax, norms and a matrix product."""
    q = np.exp(p - np.max(p))
    m = np.outer(q, q) / np.sqrt(np.sum(q**2))
    return np.sum(m @ np.sin(p)) / np.sum(q)


RNG = np.random.default_rng(5)
FUNCTIONS = {
    "gmm": (gmm_of_vector, RNG.normal(size=18)),
    "lse": (lse.primal, lse.random_instance(6) / 50),
    "llsq": (lambda p: llsq.primal(p, llsq.sample_points(9)), RNG.normal(size=4)),
    "kmeans": (kmeans_of_vector, RNG.normal(size=6)),
    "ba": (ba_of_vector, RNG.uniform(0.5, 1.5, size=33)),
    "convolution": (convolution, RNG.normal(size=6)),
    "normalised": (normalised, RNG.normal(size=4)),
}


@both_evaluators
@pytest.mark.parametrize("name", FUNCTIONS)
def test_hessian(name, interpret):
    function, x = FUNCTIONS[name]
    gradient = ad.grad(function)

    def columns(x, v):
        forward = ad.jvp(gradient, (x,), (v,))[1]
        reverse = ad.grad(lambda y: np.sum(ad.grad(function)(y) * v))(x)
        mixed = ad.grad(lambda y: ad.jvp(function, (y,), (v,))[1])(x)
        return forward, reverse, mixed

    compiled = ad.jit(columns, interpret=interpret)
    at = ad.grad(function, interpret=interpret)
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=x.shape), rng.normal(size=x.shape)
    along_u, along_v = compiled(x, u), compiled(x, v)
    difference = [(at(x + h * v) - at(x - h * v)) / (2 * h) for h in (1e-4, 2e-4)]
    truth = (4 * difference[0] - difference[1]) / 3
    size = np.max(np.abs(truth))
    for got in along_v:
        np.testing.assert_allclose(got, truth, rtol=1e-7, atol=1e-7 * size)
        np.testing.assert_allclose(got, along_v[0], rtol=1e-10, atol=1e-11 * size)
    assert u @ along_v[0] == pytest.approx(v @ along_u[0], rel=1e-9, abs=1e-9 * size)


@both_evaluators
def test_hessians_in_closed_form(interpret):
    x = lse.random_instance(5) / 50
    p = np.exp(x - np.max(x))
    p /= np.sum(p)
    hessian = np.diag(p) - np.outer(p, p)
    column = ad.jit(lambda x, v: ad.jvp(ad.grad(lse.primal), (x,), (v,))[1], interpret=interpret)
    for k, v in enumerate(np.eye(5)):
        np.testing.assert_allclose(column(x, v), hessian[k], rtol=1e-10, atol=1e-15)
    points, centroids = kmeans.random_instance(20, 4, 3)
    distance = np.sum((points[:, None] - centroids) ** 2, axis=2)
    counts = np.bincount(np.argmin(distance, axis=1), minlength=4)
    total = lambda c: np.sum(ad.grad(kmeans.cost, argnums=1)(points, c))  # noqa: E731
    diagonal = ad.grad(total, interpret=interpret)(centroids)
    np.testing.assert_allclose(diagonal, np.outer(2 * counts, np.ones(3)))
