"""Gradients of losses on running sums and products."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import cumulative


def golden_path() -> Golden:
    return by_complex_step(cumulative.path_loss, cumulative.random_path(40, seed=1), (0,))


def golden_wealth() -> Golden:
    return by_complex_step(cumulative.wealth_loss, cumulative.random_path(40, seed=1), (0,))


def jax_path() -> Program:
    import jax.numpy as jnp

    return lambda steps, target: jnp.mean((jnp.cumsum(steps) - target) ** 2)


def jax_wealth() -> Program:
    import jax.numpy as jnp

    return lambda returns, target: jnp.mean((jnp.cumprod(1 + returns) - target) ** 2)


def torch_path() -> Program:
    import torch

    return lambda steps, target: ((torch.cumsum(steps, 0) - target) ** 2).mean()


def torch_wealth() -> Program:
    import torch

    return lambda returns, target: ((torch.cumprod(1 + returns, 0) - target) ** 2).mean()


PATH = Problem(
    name="cumsum",
    argnums=(0,),
    sizes={
        "1e4 f64": partial(cumulative.random_path, 10**4),
        "1e6 f32": partial(cumulative.random_path, 10**6, np.float32),
        "1e6 f64": partial(cumulative.random_path, 10**6),
    },
    golden=golden_path,
    numpy_program=cumulative.path_loss,
    jax_program=jax_path,
    torch_program=torch_path,
)

WEALTH = Problem(
    name="cumprod",
    argnums=(0,),
    sizes={f"1e{k} f64": partial(cumulative.random_path, 10**k) for k in (4, 6)},
    golden=golden_wealth,
    numpy_program=cumulative.wealth_loss,
    jax_program=jax_wealth,
    torch_program=torch_wealth,
)
