"""The gradient of the k-means cost in the centroids, and the direction of Newton's method."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, Transformations, read_golden
from examples.programs import kmeans


def golden() -> Golden:
    """The file states gradient / Hessian diagonal; the diagonal is twice the cluster sizes."""
    given, output = read_golden("kmeans_n60_k5_d3")
    points, centroids = given["points"], given["centroids"]
    nearest = np.argmin(((points[:, None] - centroids) ** 2).sum(2), axis=1)
    members = np.bincount(nearest, minlength=len(centroids))
    gradient = 2 * members[:, None] * np.array(output["dir"])
    return Golden((points, centroids), output["cost"], (gradient,))


def golden_direction() -> Golden:
    given, output = read_golden("kmeans_n60_k5_d3")
    return Golden((given["points"], given["centroids"]), output["cost"], (output["dir"],))


def direction(transformations: Transformations, cost: Program) -> Program:
    """Gradient over Hessian diagonal, the product of the Hessian with ones: forward over reverse."""

    def over_diagonal(points, centroids):
        gradient = transformations.grad(lambda c: cost(points, c))
        ones = centroids**0
        slope, diagonal = transformations.jvp(gradient, (centroids,), (ones,))
        return slope / diagonal

    return over_diagonal


def jax_program() -> Program:
    import jax.numpy as jnp

    def cost(points, centroids):
        squared_points = jnp.sum(points**2, axis=1)[:, None]
        squared_centroids = jnp.sum(centroids**2, axis=1)
        squared_distance = squared_points - 2 * points @ centroids.T + squared_centroids
        return jnp.sum(jnp.min(squared_distance, axis=1))

    return cost


def torch_program() -> Program:
    def cost(points, centroids):
        squared_points = (points**2).sum(1)[:, None]
        squared_centroids = (centroids**2).sum(1)
        squared_distance = squared_points - 2 * points @ centroids.T + squared_centroids
        return squared_distance.min(1).values.sum()

    return cost


PROBLEM = Problem(
    name="kmeans",
    argnums=(1,),
    sizes={
        "k10 n1e3": partial(kmeans.random_instance, 1000, 10),
        "k100 n1e4": partial(kmeans.random_instance, 10_000, 100),
    },
    golden=golden,
    numpy_program=kmeans.cost,
    jax_program=jax_program,
    torch_program=torch_program,
)

DIRECTION = replace(PROBLEM, name="kmeans-dir", golden=golden_direction, derivative=direction)
