"""The gradient through ten steps of a stencil, in start and coefficients: by slices, and by `build`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import stencil


def golden() -> Golden:
    def loss(start, conductivity, measured):
        u = start
        for _ in range(stencil.STEPS):
            around = -4 * u
            around[1:] += u[:-1]
            around[:-1] += u[1:]
            around[:, 1:] += u[:, :-1]
            around[:, :-1] += u[:, 1:]
            u = u + conductivity * around
        return 0.5 * np.sum((u - measured) ** 2)

    return by_complex_step(loss, stencil.random_instance(4, 5, seed=1), (0, 1))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(start, conductivity, measured):
        def step(_, u):
            p = jnp.pad(u, 1)
            return u + conductivity * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)

        return 0.5 * jnp.sum((jax.lax.fori_loop(0, stencil.STEPS, step, start) - measured) ** 2)

    return loss


def torch_program() -> Program:
    from torch.nn.functional import pad

    def loss(start, conductivity, measured):
        u = start
        for _ in range(stencil.STEPS):
            p = pad(u, (1, 1, 1, 1))
            u = u + conductivity * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
        return 0.5 * ((u - measured) ** 2).sum()

    return loss


PROBLEM = Problem(
    name="stencil-slices",
    argnums=(0, 1),
    sizes={f"{n}x{n}": partial(stencil.random_instance, n, n) for n in (64, 512)},
    golden=golden,
    numpy_program=stencil.loss_by_slices,
    jax_program=jax_program,
    torch_program=torch_program,
)

BY_BUILD = replace(PROBLEM, name="stencil-build", numpy_program=stencil.loss_by_build)
