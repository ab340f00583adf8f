"""Fields in space: a membrane by finite elements, and a scene that rays march through."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

import mlirad as ad
from benchmarks.side_by_side import Call, given, is_jax


class Mesh(NamedTuple):
    """Points [n, 2], triangles [m, 3] of their numbers, and which points are free [n]."""

    points: Any
    triangles: Any
    free: Any


def square_mesh(size: int) -> Mesh:
    """A square of size x size cells, cut in two triangles each, with a fixed boundary."""
    x, y = np.meshgrid(*2 * [np.linspace(0.0, 1.0, size + 1)], indexing="ij")
    numbers = np.arange((size + 1) ** 2).reshape(size + 1, size + 1)
    a, b, c, d = numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]
    triangles = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    free = ((x > 0) & (x < 1) & (y > 0) & (y < 1)).reshape(-1).astype(float)
    return Mesh(np.stack([x.reshape(-1), y.reshape(-1)], axis=1), triangles, free)


def compliance(stiffness: Any, points: Any, triangles: Any, free: Any, solve: Any) -> Any:
    """Load times deflection of a membrane whose triangles have a stiffness each, assembled by elements."""
    corners = points[triangles]  # [m, 3, 2]
    edges = np.roll(corners, -1, axis=1) - np.roll(corners, 1, axis=1)
    area = 0.5 * np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    elements = np.einsum("mid,mjd->mij", edges, edges) * (stiffness / (4 * area))[:, None, None]
    load = free * ad.segment_sum(np.repeat(area / 3, 3), triangles.reshape(-1), len(points))

    def product(u: Any) -> Any:
        local = np.einsum("mij,mj->mi", elements, (free * u)[triangles])
        return free * ad.segment_sum(local.reshape(-1), triangles.reshape(-1), len(points)) + (1 - free) * u

    return np.sum(load * solve(product, load))


def membrane(system: Any, programs: Any) -> Call:
    """Finite elements: 1152 triangles assembled, conjugate gradients, gradient by all stiffnesses"""
    mesh = square_mesh(24)
    if is_jax(system):
        import jax

        def solve(product: Any, load: Any) -> Any:
            return jax.scipy.sparse.linalg.cg(product, load, tol=1e-10)[0]

        points, triangles, free = (jax.numpy.asarray(part) for part in mesh)
    else:

        def solve(product: Any, load: Any) -> Any:
            return ad.linear_solve(product, load, method="cg", tol=1e-10)

        points, triangles, free = mesh
    loss = programs(this()).compliance
    slope = system.value_and_grad(lambda stiffness: loss(stiffness, points, triangles, free, solve))
    stiffness = np.random.default_rng(0).uniform(0.5, 1.5, size=len(mesh.triangles))
    arguments = given(system, stiffness)
    return lambda: slope(*arguments)


def picture_misfit(centres: Any, radii: Any, target: Any, steps: int) -> Any:
    """The mean square misfit of a picture [n, n] of smoothly joined balls, by sphere tracing and a lamp."""
    size = len(target)
    across = np.linspace(-1.0, 1.0, size)
    rays = np.stack(np.broadcast_arrays(across[:, None], across[None, :], np.full((1, 1), 1.5)), axis=-1)
    rays = rays / np.sqrt(np.sum(rays**2, axis=-1, keepdims=True))
    eye, lamp = np.array([0.0, 0.0, -3.0]), np.array([0.48, 0.6, -0.64])

    def distance(p: Any) -> Any:
        each = np.sqrt(np.sum((p[..., None, :] - centres) ** 2, axis=-1) + 1e-12) - radii
        return -logsumexp(-8.0 * each, axis=-1) / 8.0

    depth = ad.fori_loop(
        0, steps, lambda _, t: t + distance(eye + t[..., None] * rays), np.zeros((size, size))
    )
    hit = depth < 6.0
    at = eye + np.where(hit, depth, 0.0)[..., None] * rays
    tiny = 1e-4
    slopes = [distance(at + tiny * d) - distance(at - tiny * d) for d in np.eye(3)]
    normal = np.stack(slopes, axis=-1) / (2 * tiny)
    shade = np.where(hit, np.maximum(np.sum(normal * lamp, axis=-1), 0.0), 0.0)
    return np.mean((shade - target) ** 2)


def scene(system: Any, programs: Any) -> Call:
    """Ray marching: a picture of 64 x 64 of five balls, 30 steps: gradient by the scene"""
    rng = np.random.default_rng(1)
    misfit = programs(this()).picture_misfit
    slope = system.value_and_grad(lambda c, r, target: misfit(c, r, target, 30), (0, 1))
    arguments = given(
        system, rng.uniform(-0.7, 0.7, size=(5, 3)), rng.uniform(0.2, 0.5, size=5), np.zeros((64, 64))
    )
    return lambda: slope(*arguments)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.fields as module

    return module


TASKS = (membrane, scene)

RANDOM = ()
