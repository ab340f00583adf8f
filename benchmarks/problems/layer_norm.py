"""The pullback of layer normalisation, in the rows, the scales and the shifts."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import layer_norm


def golden() -> Golden:
    return by_complex_step(layer_norm.loss, layer_norm.random_instance(4, 7, seed=1), (0, 1, 2))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(x, scale, shift, weights):
        mean = jnp.mean(x, axis=1, keepdims=True)
        variance = jnp.var(x, axis=1, keepdims=True)
        normalised = (x - mean) * jax.lax.rsqrt(variance + layer_norm.EPSILON)
        return jnp.sum(weights * (normalised * scale + shift))

    return loss


def torch_program() -> Program:
    from torch.nn.functional import layer_norm as normalised

    def loss(x, scale, shift, weights):
        return (weights * normalised(x, x.shape[1:], scale, shift, layer_norm.EPSILON)).sum()

    return loss


PROBLEM = Problem(
    name="layer-norm",
    argnums=(0, 1, 2),
    sizes={
        "1024x768 f32": partial(layer_norm.random_instance, 1024, 768, np.float32),
        "1024x768 f64": partial(layer_norm.random_instance, 1024, 768),
    },
    golden=golden,
    numpy_program=layer_norm.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)
