"""Clouds of points matched: by transport, and by closest points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

import mlirad as ad
from benchmarks.side_by_side import Call, given


def transport_cost(x: Any, y: Any, softness: float, steps: int) -> Any:
    """The cost of moving points x [n, d] onto y [m, d] with entropy, by Sinkhorn's algorithm."""
    costs = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1) / softness
    n, m = costs.shape

    def step(_: Any, potentials: Any) -> Any:
        _, g = potentials
        f = -logsumexp(g[None, :] - costs, axis=1) - np.log(n)
        return f, -logsumexp(f[:, None] - costs, axis=0) - np.log(m)

    f, g = ad.fori_loop(0, steps, step, (np.zeros(n), np.zeros(m)))
    return softness * np.sum(np.exp(f[:, None] + g[None, :] - costs) * costs)


def transport(system: Any, programs: Any) -> Call:
    """Sinkhorn's algorithm between 200 and 150 points, 40 steps: gradient by the points"""
    rng = np.random.default_rng(0)
    cost = programs(this()).transport_cost
    slope = system.value_and_grad(lambda x, y: cost(x, y, 0.5, 40))
    arguments = given(system, rng.normal(size=(200, 3)), rng.normal(size=(150, 3)))
    return lambda: slope(*arguments)


def closest_points_misfit(source: Any, target: Any, steps: int) -> Any:
    """The mean square distance after steps of iterative closest points, each with Kabsch's rotation."""

    def step(_: Any, x: Any) -> Any:
        nearest = np.argmin(np.sum((x[:, None, :] - target[None, :, :]) ** 2, axis=-1), axis=1)
        y = target[nearest]
        from_, to = np.mean(x, axis=0), np.mean(y, axis=0)
        u, _, vh = np.linalg.svd((x - from_).T @ (y - to))
        sign = np.sign(np.linalg.det(u @ vh))
        turn = u * np.stack([1.0, 1.0, sign]) @ vh
        return (x - from_) @ turn + to

    x = ad.fori_loop(0, steps, step, source)
    return np.mean(np.min(np.sum((x[:, None, :] - target[None, :, :]) ** 2, axis=-1), axis=1))


def clouds(system: Any, programs: Any) -> Call:
    """Iterative closest points of two clouds of 300, 8 steps: gradient by the source"""
    rng = np.random.default_rng(1)
    target = rng.normal(size=(300, 3)) * np.array([1.0, 0.6, 0.3])
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    source = target @ turn + 0.02 * rng.normal(size=(300, 3)) + 0.1
    misfit = programs(this()).closest_points_misfit
    slope = system.value_and_grad(lambda x, y: misfit(x, y, 8))
    arguments = given(system, source, target)
    return lambda: slope(*arguments)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.matching as module

    return module


TASKS = (transport, clouds)

RANDOM = ()
