"""The gradient of the softmax cross-entropy in the scores."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program
from examples.programs import cross_entropy


def golden() -> Golden:
    """By hand: softmax less 1 at the right class, over the number of rows."""
    scores, labels = cross_entropy.random_instance(7, 5, seed=1)
    powers = np.exp(scores)
    normalisers = np.log(powers.sum(axis=1))
    value = sum(normalisers[i] - scores[i, label] for i, label in enumerate(labels)) / len(labels)
    gradient = powers / powers.sum(axis=1, keepdims=True) - np.eye(5)[labels]
    return Golden((scores, labels), value, (gradient / len(labels),))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(scores, labels):
        return -jnp.mean(jax.nn.log_softmax(scores)[jnp.arange(len(labels)), labels])

    return loss


def torch_program() -> Program:
    from torch.nn.functional import cross_entropy as loss

    return loss


PROBLEM = Problem(
    name="cross-entropy",
    argnums=(0,),
    sizes={
        "1024x1000 f32": partial(cross_entropy.random_instance, 1024, 1000, np.float32),
        "1024x1000 f64": partial(cross_entropy.random_instance, 1024, 1000),
    },
    golden=golden,
    numpy_program=cross_entropy.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)
