"""A training step of a dense network on a batch, and horde-ad's gradients of one for a single image.

The derivative of `mlp` is the weights after a step of gradient descent.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.problem import Golden, Problem, Program, Transformations, by_complex_step
from examples.programs import mlp

RATE = 0.1
WEIGHTS = (0, 1, 2, 3, 4, 5)


def golden_batch() -> Golden:
    arguments = mlp.random_batch((5, 4, 3, 3), 6, seed=1)
    found = by_complex_step(mlp.loss, arguments, WEIGHTS)
    return replace(found, gradient=descended(arguments, found.gradient))


def golden_image() -> Golden:
    return by_complex_step(mlp.image_loss, mlp.random_image((7, 5, 4, 3), seed=1), WEIGHTS)


def step(transformations: Transformations, loss: Program) -> Program:
    """The weights after one step."""
    gradient = transformations.grad(loss, argnums=WEIGHTS)
    return lambda *arguments: descended(arguments, gradient(*arguments))


def descended(arguments: Any, gradient: Any) -> tuple[Any, ...]:
    return tuple(w - RATE * slope for w, slope in zip(arguments, gradient, strict=False))


def torch_step(loss: Program) -> Program:
    """The same step with PyTorch's tape."""
    import torch

    def step(*arguments):
        weights = [w.requires_grad_() for w in arguments[: len(WEIGHTS)]]
        gradient = torch.autograd.grad(loss(*arguments), weights)
        with torch.no_grad():
            return descended(weights, gradient)

    return step


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def loss(w1, b1, w2, b2, w3, b3, images, labels):
        first = jax.nn.relu(images @ w1 + b1)
        second = jax.nn.relu(first @ w2 + b2)
        return -jnp.mean(jax.nn.log_softmax(second @ w3 + b3)[jnp.arange(len(labels)), labels])

    return loss


def torch_program() -> Program:
    import torch
    from torch.nn.functional import cross_entropy

    def loss(w1, b1, w2, b2, w3, b3, images, labels):
        first = torch.relu(torch.addmm(b1, images, w1))
        second = torch.relu(torch.addmm(b2, first, w2))
        return cross_entropy(torch.addmm(b3, second, w3), labels)

    return loss


def jax_image_program() -> Program:
    import jax

    def loss(w1, b1, w2, b2, w3, b3, image, target):
        first = jax.nn.sigmoid(w1 @ image + b1)
        second = jax.nn.sigmoid(w2 @ first + b2)
        return -target @ jax.nn.log_softmax(w3 @ second + b3)

    return loss


def torch_image_program() -> Program:
    import torch

    def loss(w1, b1, w2, b2, w3, b3, image, target):
        first = torch.sigmoid(torch.addmv(b1, w1, image))
        second = torch.sigmoid(torch.addmv(b2, w2, first))
        return -target @ torch.log_softmax(torch.addmv(b3, w3, second), 0)

    return loss


LAYERS = (784, 256, 128, 10)

PROBLEM = Problem(
    name="mlp",
    argnums=WEIGHTS,
    sizes={
        f"batch {batch} {name}": partial(mlp.random_batch, LAYERS, batch, dtype)
        for batch in (64, 512)
        for name, dtype in (("f32", np.float32), ("f64", np.float64))
    },
    golden=golden_batch,
    numpy_program=mlp.loss,
    jax_program=jax_program,
    torch_program=torch_program,
    derivative=step,
    torch_derivative=torch_step,
)

MNIST = Problem(
    name="mnist",
    argnums=WEIGHTS,
    sizes={
        f"{a}-{b}": partial(mlp.random_image, (784, a, b, 10)) for a, b in ((30, 10), (300, 100), (500, 150))
    },
    golden=golden_image,
    numpy_program=mlp.image_loss,
    jax_program=jax_image_program,
    torch_program=torch_image_program,
)
