"""Example programs of linear algebra against derivatives that are derived in another way.

Of the Gaussian process the gradient is written out by hand. The Kalman filter is a recursion for the density
of one long normal vector, whose covariance is built here, and differentiated by complex steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from examples.programs import gp, kalman

every_evaluator = pytest.mark.parametrize(
    "evaluator", [{}, {"interpret": True}, {"method": "chad"}], ids=["compiled", "interpreted", "chad"]
)


def gp_gradient(instance: gp.Instance) -> tuple[float, list[Any]]:
    """The objective and its gradient, tr((K^-1 - w w^T) dK) / 2 for each hyperparameter."""
    lengths = np.exp(instance.log_lengths)
    x, y, n = instance.inputs, instance.targets, len(instance.targets)
    squares = ((x[:, None, :] - x[None, :, :]) / lengths) ** 2
    kernel = np.exp(2 * instance.log_amplitude) * np.exp(-0.5 * squares.sum(axis=2))
    noise = np.exp(2 * instance.log_noise) * np.eye(n)
    inverse = np.linalg.inv(kernel + noise)
    w = inverse @ y
    value = 0.5 * (y @ w + np.linalg.slogdet(kernel + noise)[1] + n * np.log(2 * np.pi))
    inner = inverse - np.outer(w, w)
    by_lengths = 0.5 * np.einsum("ij,ij,ijd->d", inner, kernel, squares)
    return value, [by_lengths, np.sum(inner * kernel), np.sum(inner * noise)]


@every_evaluator
def test_gaussian_process(evaluator) -> None:
    instance = gp.random_instance(30)
    value, gradient = gp_gradient(instance)
    assert gp.objective(*instance) == pytest.approx(value, rel=1e-10)
    found, found_gradient = ad.value_and_grad(gp.objective, argnums=(0, 1, 2), **evaluator)(*instance)
    assert found == pytest.approx(value, rel=1e-10)
    for one, other in zip(found_gradient, gradient, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)


def joint_log_likelihood(transition, emission, log_state, log_observation, observations) -> Any:
    """The density of all observations as one normal vector. Its arithmetic is that of complex numbers."""
    steps, size = observations.shape
    states = len(transition)
    powers = [np.eye(states)]
    marginals = [np.eye(states)]
    for _ in range(steps - 1):
        powers.append(transition @ powers[-1])
        marginals.append(transition @ marginals[-1] @ transition.T + np.exp(2 * log_state) * np.eye(states))
    blocks = [
        [
            emission
            @ (powers[i - j] @ marginals[j] if i >= j else marginals[i] @ powers[j - i].T)
            @ emission.T
            for j in range(steps)
        ]
        for i in range(steps)
    ]
    covariance = np.block(blocks) + np.exp(2 * log_observation) * np.eye(steps * size)
    y = observations.ravel()
    signed, log_size = np.linalg.slogdet(covariance)
    log_determinant = log_size + np.log(signed)
    return -0.5 * (y @ np.linalg.solve(covariance, y) + log_determinant + y.size * np.log(2 * np.pi))


def complex_steps(function, arguments: tuple[Any, ...], k: int) -> Any:
    """The gradient by the k-th argument."""
    x, step = np.asarray(arguments[k], complex), 1e-30
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] += step * 1j
        gradient[place] = function(*arguments[:k], moved, *arguments[k + 1 :]).imag / step
    return gradient


@every_evaluator
def test_kalman_filter(evaluator) -> None:
    instance = kalman.random_instance(5)
    expected = joint_log_likelihood(*instance)
    found, gradient = ad.value_and_grad(kalman.log_likelihood, argnums=(0, 1, 2, 3), **evaluator)(*instance)
    assert found == pytest.approx(expected.real, rel=1e-10)
    for k, g in enumerate(gradient):
        np.testing.assert_allclose(g, complex_steps(joint_log_likelihood, instance, k), rtol=1e-8, atol=1e-9)
