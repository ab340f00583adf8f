"""The gradient of a loss on sums by label."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program
from examples.programs import segments


def golden() -> Golden:
    """By hand: the gradient at a value is the error of the sum that it is part of."""
    values, labels, target = segments.random_instance(40, 6, seed=1)
    errors = np.bincount(labels, values, minlength=6) - target
    return Golden((values, labels, target), 0.5 * errors @ errors, (errors[labels],))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(values, labels, target):
        sums = jax.ops.segment_sum(values, labels, num_segments=len(target))
        return 0.5 * jnp.sum((sums - target) ** 2)

    return loss


def torch_program() -> Program:
    import torch

    def loss(values, labels, target):
        sums = torch.zeros_like(target).index_add(0, labels, values)
        return 0.5 * ((sums - target) ** 2).sum()

    return loss


PROBLEM = Problem(
    name="segment-sum",
    argnums=(0,),
    sizes={
        "n1e4 k100": partial(segments.random_instance, 10**4, 100),
        "n1e6 k1000": partial(segments.random_instance, 10**6, 1000),
    },
    golden=golden,
    numpy_program=segments.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)
