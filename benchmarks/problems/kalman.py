"""The gradient of the log likelihood of a Kalman filter in the model, a loop of small matrices."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import kalman

ARGNUMS = (0, 1, 2, 3)


def log_likelihood(transition, emission, log_state, log_observation, observations):
    """The same in NumPy, by arithmetic that complex numbers have."""
    states, size = transition.shape[0], emission.shape[0]
    noise = np.exp(2 * log_observation) * np.eye(size)
    mean, covariance, total = np.zeros(states), np.eye(states), 0.0
    for observed in observations:
        error, spread = observed - emission @ mean, emission @ covariance @ emission.T + noise
        total -= 0.5 * (error @ np.linalg.inv(spread) @ error + np.log(np.linalg.det(spread)))
        gain = covariance @ emission.T @ np.linalg.inv(spread)
        mean = transition @ (mean + gain @ error)
        covariance = transition @ (covariance - gain @ emission @ covariance) @ transition.T
        covariance = covariance + np.exp(2 * log_state) * np.eye(states)
    return total - 0.5 * observations.size * np.log(2 * np.pi)


def golden() -> Golden:
    return by_complex_step(log_likelihood, tuple(kalman.random_instance(12, seed=1)), ARGNUMS)


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def primal(transition, emission, log_state, log_observation, observations):
        states, size = transition.shape[0], emission.shape[0]
        state_noise = jnp.exp(2 * log_state) * jnp.eye(states)
        noise = jnp.exp(2 * log_observation) * jnp.eye(size)

        def step(carry, observed):
            mean, covariance, total = carry
            error = observed - emission @ mean
            spread = emission @ covariance @ emission.T + noise
            gain = jnp.linalg.solve(spread, emission @ covariance).T
            total = total - 0.5 * (error @ jnp.linalg.solve(spread, error) + jnp.linalg.slogdet(spread)[1])
            mean = transition @ (mean + gain @ error)
            kept = covariance - gain @ emission @ covariance
            return (mean, transition @ kept @ transition.T + state_noise, total), None

        start = (jnp.zeros(states), jnp.eye(states), 0.0)
        (_, _, total), _ = jax.lax.scan(step, start, observations)
        return total - 0.5 * observations.size * jnp.log(2 * jnp.pi)

    return primal


def torch_program() -> Program:
    import torch

    def primal(transition, emission, log_state, log_observation, observations):
        states, size = transition.shape[0], emission.shape[0]
        one = torch.eye(states, dtype=transition.dtype)
        state_noise = torch.exp(2 * log_state) * one
        noise = torch.exp(2 * log_observation) * torch.eye(size, dtype=transition.dtype)
        mean, covariance = torch.zeros(states, dtype=transition.dtype), one
        total = torch.zeros((), dtype=transition.dtype)
        for observed in observations:
            error = observed - emission @ mean
            spread = emission @ covariance @ emission.T + noise
            gain = torch.linalg.solve(spread, emission @ covariance).T
            distance = error @ torch.linalg.solve(spread, error)
            total = total - 0.5 * (distance + torch.linalg.slogdet(spread)[1])
            mean = transition @ (mean + gain @ error)
            covariance = transition @ (covariance - gain @ emission @ covariance) @ transition.T + state_noise
        return total - 0.5 * observations.numel() * np.log(2 * np.pi)

    return primal


PROBLEM = Problem(
    name="kalman",
    argnums=ARGNUMS,
    sizes={
        "t1000 s4 o2": partial(kalman.random_instance, 1000),
        "t1000 s16 o4": partial(kalman.random_instance, 1000, 16, 4),
    },
    golden=golden,
    numpy_program=kalman.log_likelihood,
    jax_program=jax_program,
    torch_program=torch_program,
    unrolls_in_torch=True,
)
