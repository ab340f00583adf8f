"""The gradient of a long chain of elementwise operations."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import elementwise


def golden() -> Golden:
    return by_complex_step(elementwise.loss, elementwise.random_instance(20, seed=1), (0, 1))


def jax_program() -> Program:
    import jax.numpy as jnp

    def loss(x, a):
        for _ in range(elementwise.STEPS):
            x = x + jnp.tanh(a * x) * jnp.exp(-x * x) + 0.25 * jnp.sin(x)
        return jnp.mean(x)

    return loss


def torch_program() -> Program:
    import torch

    def loss(x, a):
        for _ in range(elementwise.STEPS):
            x = x + torch.tanh(a * x) * torch.exp(-x * x) + 0.25 * torch.sin(x)
        return x.mean()

    return loss


PROBLEM = Problem(
    name="elementwise",
    argnums=(0, 1),
    sizes={
        "1e5 f32": partial(elementwise.random_instance, 10**5, np.float32),
        "1e5 f64": partial(elementwise.random_instance, 10**5),
    },
    golden=golden,
    numpy_program=elementwise.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)
