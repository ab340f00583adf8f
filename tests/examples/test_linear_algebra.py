"""Example programs of linear algebra against derivatives that are derived in another way.

Of the Gaussian process the gradient is written out by hand. The Kalman filter is a recursion for the density
of one long normal vector, whose covariance is built here, and differentiated by complex steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from benchmarks.problems.gp import by_hand
from examples.programs import gp, kalman

every_evaluator = pytest.mark.parametrize(
    "evaluator", [{}, {"interpret": True}, {"method": "chad"}], ids=["compiled", "interpreted", "chad"]
)


@every_evaluator
def test_gaussian_process(evaluator) -> None:
    instance = gp.random_instance(30)
    value, gradient = by_hand(instance)
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
