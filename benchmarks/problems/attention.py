"""The gradient of a block of self-attention in its four weights."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import attention


def golden() -> Golden:
    return by_complex_step(attention.loss, attention.random_instance(5, 8, seed=1), (0, 1, 2, 3))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(w_query, w_key, w_value, w_out, x, target):
        def in_heads(y):
            return y.reshape(len(y), attention.HEADS, -1)

        query, key, value = in_heads(x @ w_query), in_heads(x @ w_key), in_heads(x @ w_value)
        scores = jnp.einsum("qhd,khd->hqk", query, key) / np.sqrt(query.shape[2]).astype(x.dtype)
        attended = jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), value)
        return jnp.mean((x + attended.reshape(x.shape) @ w_out - target) ** 2)

    return loss


def torch_program() -> Program:
    from torch.nn.functional import scaled_dot_product_attention

    def loss(w_query, w_key, w_value, w_out, x, target):
        def in_heads(y):
            return y.view(1, len(y), attention.HEADS, -1).transpose(1, 2)

        attended = scaled_dot_product_attention(*(in_heads(x @ w) for w in (w_query, w_key, w_value)))
        return ((x + attended.transpose(1, 2).reshape(x.shape) @ w_out - target) ** 2).mean()

    return loss


PROBLEM = Problem(
    name="attention",
    argnums=(0, 1, 2, 3),
    sizes={
        "h4 n128 w256 f32": partial(attention.random_instance, 128, 256, np.float32),
        "h4 n128 w256 f64": partial(attention.random_instance, 128, 256),
    },
    golden=golden,
    numpy_program=attention.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)
