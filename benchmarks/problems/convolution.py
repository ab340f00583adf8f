"""Both gradients of a 2-D convolution, and that of a small convolutional network in its parameters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import convnet, convolution, cross_entropy


def convolved(x: Any, kernel: Any, strides: int = 1) -> Any:
    """The convolution in NumPy: windows of the array with a border of one zero, times the kernel."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("ncijab,ocab->noij", windows[:, :, ::strides, ::strides], kernel)


def golden() -> Golden:
    """By hand: the pullback in x is the convolution with the kernel turned around, that in the kernel is made
    of the windows that each of its elements meets."""
    x, kernel, weights = arguments = convolution.random_instance(5, 2, (2, 3), seed=1)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    by_kernel = np.zeros_like(kernel)
    for a in range(3):
        for b in range(3):
            by_kernel[:, :, a, b] = np.einsum("noij,ncij->oc", weights, padded[:, :, a : a + 5, b : b + 5])
    by_x = convolved(weights, kernel.swapaxes(0, 1)[:, :, ::-1, ::-1])
    return Golden(arguments, np.sum(weights * convolved(x, kernel)), (by_x, by_kernel))


def golden_network() -> Golden:
    def loss(first, second, dense, images, labels):
        x = np.maximum(convolved(images, first), 0)
        x = np.maximum(convolved(x, second, 2), 0)
        return cross_entropy.loss(x.reshape(len(images), -1) @ dense, labels)

    return by_complex_step(loss, convnet.random_instance(2, 4, (2, 3), 3, seed=1), (0, 1, 2))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(x, kernel, weights):
        return jnp.sum(weights * jax.lax.conv(x, kernel, (1, 1), "SAME"))

    return loss


def torch_program() -> Program:
    from torch.nn.functional import conv2d

    return lambda x, kernel, weights: (weights * conv2d(x, kernel, padding=1)).sum()


def jax_network() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(first, second, dense, images, labels):
        padding = ((1, 1), (1, 1))
        x = jax.nn.relu(jax.lax.conv_general_dilated(images, first, (1, 1), padding))
        x = jax.nn.relu(jax.lax.conv_general_dilated(x, second, (2, 2), padding))
        scores = x.reshape(len(images), -1) @ dense
        return -jnp.mean(jax.nn.log_softmax(scores)[jnp.arange(len(labels)), labels])

    return loss


def torch_network() -> Program:
    import torch
    from torch.nn import functional

    def loss(first, second, dense, images, labels):
        x = torch.relu(functional.conv2d(images, first, padding=1))
        x = torch.relu(functional.conv2d(x, second, stride=2, padding=1))
        return functional.cross_entropy(x.flatten(1) @ dense, labels)

    return loss


PROBLEM = Problem(
    name="conv2d",
    argnums=(0, 1),
    sizes={f"n4 c4 {s}x{s}": partial(convolution.random_instance, s) for s in (6, 24, 96, 192)},
    golden=golden,
    numpy_program=convolution.loss,
    jax_program=jax_program,
    torch_program=torch_program,
)

NETWORK = Problem(
    name="convnet",
    argnums=(0, 1, 2),
    sizes={
        "batch 32 f32": partial(convnet.random_instance, 32, 28, dtype=np.float32),
        "batch 32 f64": partial(convnet.random_instance, 32, 28),
    },
    golden=golden_network,
    numpy_program=convnet.loss,
    jax_program=jax_network,
    torch_program=torch_network,
)
