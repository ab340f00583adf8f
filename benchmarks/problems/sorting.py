"""The gradient of a weighted sum of order statistics."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program
from examples.programs import sorting


def golden() -> Golden:
    """By hand: the gradient at an element is the weight at its rank."""
    x, weights = sorting.random_instance(50, seed=1)
    ranks = np.array([np.sum(x < element) for element in x])
    value = sum(weights[rank] * element for rank, element in zip(ranks, x, strict=True))
    return Golden((x, weights), value, (weights[ranks],))


def jax_program() -> Program:
    import jax.numpy as jnp

    return lambda x, weights: jnp.sum(weights * jnp.sort(x))


def torch_program() -> Program:
    import torch

    return lambda x, weights: (weights * torch.sort(x).values).sum()


PROBLEM = Problem(
    name="sort",
    argnums=(0,),
    sizes={f"1e{k}": partial(sorting.random_instance, 10**k) for k in (3, 5)},
    golden=golden,
    numpy_program=sorting.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)
