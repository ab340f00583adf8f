"""The gradient of the solutions of many small linear systems, in matrices and right sides."""

from __future__ import annotations

from functools import partial

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import small_solves


def golden() -> Golden:
    return by_complex_step(small_solves.mean_square, tuple(small_solves.random_instance(4, seed=1)), (0, 1))


def jax_program() -> Program:
    import jax.numpy as jnp

    def mean_square(matrices, right_sides):
        solutions = jnp.linalg.solve(matrices, right_sides[..., None])
        return jnp.sum(solutions * solutions) / matrices.shape[0]

    return mean_square


def torch_program() -> Program:
    import torch

    def mean_square(matrices, right_sides):
        solutions = torch.linalg.solve(matrices, right_sides[..., None])
        return (solutions * solutions).sum() / matrices.shape[0]

    return mean_square


PROBLEM = Problem(
    name="small-solves",
    argnums=(0, 1),
    sizes={
        "10000 x 3x3": partial(small_solves.random_instance, 10000),
        "10000 x 6x6": partial(small_solves.random_instance, 10000, 6),
    },
    golden=golden,
    numpy_program=small_solves.mean_square,
    jax_program=jax_program,
    torch_program=torch_program,
)
