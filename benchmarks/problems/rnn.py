"""The gradient of a recurrent network in its weights."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import rnn


def golden() -> Golden:
    def loss(w, u, b, xs, target):
        state = np.zeros_like(target)
        for x in xs:
            state = np.tanh(x @ w + state @ u + b)
        return np.mean((state - target) ** 2)

    return by_complex_step(loss, rnn.random_instance(4, 3, 2, 5, seed=1), (0, 1, 2))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(w, u, b, xs, target):
        def step(state, x):
            return jnp.tanh(x @ w + state @ u + b), None

        last, _ = jax.lax.scan(step, jnp.zeros_like(target), xs)
        return jnp.mean((last - target) ** 2)

    return loss


def torch_program() -> Program:
    import torch

    def loss(w, u, b, xs, target):
        state = torch.zeros_like(target)
        for given in xs @ w + b:
            state = torch.tanh(torch.addmm(given, state, u))
        return ((state - target) ** 2).mean()

    return loss


PROBLEM = Problem(
    name="rnn",
    argnums=(0, 1, 2),
    sizes={
        "t64 b32 w128 f32": partial(rnn.random_instance, 64, 32, 64, 128, np.float32),
        "t64 b32 w128 f64": partial(rnn.random_instance, 64, 32, 64, 128),
    },
    golden=golden,
    numpy_program=rnn.loss,
    jax_program=jax_program,
    torch_program=torch_program,
    unrolls_in_torch=True,
)
