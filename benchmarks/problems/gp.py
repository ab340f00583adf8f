"""The gradient of the log marginal likelihood of a Gaussian process in its hyperparameters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import Golden, Problem, Program
from examples.programs import gp


def golden() -> Golden:
    instance = gp.random_instance(20, seed=1)
    return Golden(tuple(instance), *by_hand(instance))


def by_hand(instance: gp.Instance) -> tuple[float, tuple[NDArray[Any], ...]]:
    """The objective and its gradient, tr((K^-1 - w w^T) dK) / 2 with w = K^-1 y, for each hyperparameter."""
    x, y, n = instance.inputs, instance.targets, len(instance.targets)
    squares = ((x[:, None, :] - x[None, :, :]) / np.exp(instance.log_lengths)) ** 2
    kernel = np.exp(2 * instance.log_amplitude - 0.5 * squares.sum(axis=2))
    noise = np.exp(2 * instance.log_noise) * np.eye(n)
    inverse = np.linalg.inv(kernel + noise)
    w = inverse @ y
    value = 0.5 * (y @ w + np.linalg.slogdet(kernel + noise)[1] + n * np.log(2 * np.pi))
    inner = inverse - np.outer(w, w)
    by_lengths = 0.5 * np.einsum("ij,ij,ijd->d", inner, kernel, squares)
    return value, (by_lengths, np.sum(inner * kernel), np.sum(inner * noise))


def jax_program() -> Program:
    import jax.numpy as jnp
    from jax.scipy.linalg import cho_factor, cho_solve

    def objective(log_lengths, log_amplitude, log_noise, inputs, targets):
        scaled = inputs * jnp.exp(-log_lengths)
        squares = jnp.sum(scaled * scaled, axis=1)
        distances = squares[:, None] + squares[None, :] - 2 * scaled @ scaled.T
        kernel = jnp.exp(2 * log_amplitude - 0.5 * distances)
        factor = cho_factor(kernel + jnp.exp(2 * log_noise) * jnp.eye(len(inputs)), lower=True)
        weights = cho_solve(factor, targets)
        half_log_determinant = jnp.sum(jnp.log(jnp.diagonal(factor[0])))
        return 0.5 * targets @ weights + half_log_determinant + 0.5 * len(targets) * jnp.log(2 * jnp.pi)

    return objective


def torch_program() -> Program:
    import torch

    def objective(log_lengths, log_amplitude, log_noise, inputs, targets):
        scaled = inputs * torch.exp(-log_lengths)
        squares = (scaled * scaled).sum(1)
        distances = squares[:, None] + squares[None, :] - 2 * scaled @ scaled.T
        kernel = torch.exp(2 * log_amplitude - 0.5 * distances)
        noise = torch.exp(2 * log_noise) * torch.eye(len(inputs), dtype=inputs.dtype)
        factor = torch.linalg.cholesky(kernel + noise)
        weights = torch.cholesky_solve(targets[:, None], factor)[:, 0]
        half_log_determinant = torch.log(torch.diagonal(factor)).sum()
        return 0.5 * targets @ weights + half_log_determinant + 0.5 * len(targets) * np.log(2 * np.pi)

    return objective


PROBLEM = Problem(
    name="gp",
    argnums=(0, 1, 2),
    sizes={"n100": partial(gp.random_instance, 100), "n400": partial(gp.random_instance, 400)},
    golden=golden,
    numpy_program=gp.objective,
    jax_program=jax_program,
    torch_program=torch_program,
)
